//! What can be wrong with a phone, as plain data: each field has a name on the command line and in the control port.
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::system::{Quirks, SelectAll};

/// When a fault happens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    /// At the next opportunity, once.
    Next,
    /// At the next command line that taps, swipes or types by `input`, once; what is asked in between goes well.
    NextInput,
    /// Every time, until it is removed from the plan.
    Every,
}

/// The state of the link as `adb devices` prints it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    #[default]
    Device,
    /// Connected, but not responding.
    Offline,
    /// USB debugging was not authorized on the phone.
    Unauthorized,
}

/// The header of a raw screenshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RawHeader {
    /// Width, height, format and colour space: Android 9 and newer.
    #[default]
    Sixteen,
    /// Width, height and format: older phones.
    Twelve,
}

/// Why nothing is installed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InstallRefusal {
    /// Xiaomi, unless "Install via USB" is on or somebody taps "Install" within ten seconds.
    #[serde(alias = "every")]
    UserRestricted,
    /// Somebody has tapped "Cancel", as OPPO's and vivo's phones ask.
    Aborted,
    /// Google Play Protect.
    Verification,
    /// The storage is full.
    Storage,
}

impl InstallRefusal {
    /// In the words of the package manager.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::UserRestricted => "INSTALL_FAILED_USER_RESTRICTED: Install canceled by user",
            Self::Aborted => "INSTALL_FAILED_ABORTED: User rejected permissions",
            Self::Verification => "INSTALL_FAILED_VERIFICATION_FAILURE: Install not allowed",
            Self::Storage => "INSTALL_FAILED_INSUFFICIENT_STORAGE",
        }
    }
}

/// How a phone with two panels is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    /// The inner panel shows the screen, the outer one is dark.
    Open,
    /// The other way round.
    Closed,
}

/// Why `uiautomator dump` gives no elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DumpFault {
    /// The screen never comes to rest; only `--compressed` gets through.
    NeverIdle,
    /// Another program holds the phone's `UiAutomation`.
    Taken,
}

/// The faults to inject. The default is a healthy phone.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::struct_excessive_bools, reason = "independent faults")]
pub struct FaultPlan {
    /// Milliseconds that each capture takes more; it shows the screen as it was when it began.
    pub capture_delay_ms: u64,
    /// Milliseconds before each shell command line.
    pub shell_delay_ms: u64,
    /// The capture never answers, until [`Faults::release`](super::Faults::release).
    pub hang_capture: Option<Trigger>,
    /// The command line never starts, until [`Faults::release`](super::Faults::release).
    pub hang_shell: Option<Trigger>,
    /// Drops the link after so many bytes of the next capture that is streamed to the client.
    pub drop_capture_after: Option<u64>,
    /// Truncates the next capture to so many bytes; the command still exits with 0.
    pub truncate_capture_to: Option<u64>,
    /// Captures are black.
    pub black: Option<Trigger>,
    /// Prints a warning about several displays before the capture, on stderr, which `exec:` and the
    /// first shell protocol mix into the picture.
    pub capture_warning: Option<Trigger>,
    pub raw_header: RawHeader,
    /// `screencap` without `-p` fails.
    pub raw_unsupported: bool,
    /// `screencap` fails; only adb's service `framebuffer:` gives pictures.
    pub no_screencap: bool,
    /// The stream ends without the exit status packet.
    pub no_exit_status: Option<Trigger>,
    pub link: LinkState,

    // How poor links and unusual screens are captured and read.
    /// Bytes per second that the link to the client carries at most, for all streams together.
    pub bandwidth: Option<u64>,
    /// The service `exec:` is closed, as by the adbd of some makers.
    pub exec_closed: bool,
    /// The shell has no `gzip`, as before Android 8.
    pub no_gzip: bool,
    /// The shell has no `sha256sum`, as before Android 8.
    pub no_sha256sum: bool,
    /// The phone has two panels and is held like this. `screencap` without a display captures the
    /// inner one.
    pub fold: Option<Fold>,
    /// Captures have the panel's size although `wm size` has another.
    pub panel_captures: bool,
    /// Another display is lit and has the focus, with the clock on it: elements are those of that one.
    pub other_display: bool,
    /// `uiautomator dump` gives no elements.
    pub dump: Option<DumpFault>,
    /// `wm dismiss-keyguard` is accepted without effect.
    pub stubborn_lock: bool,
    /// `dumpsys window` names no windows, as on some phones with Android 16.
    pub no_window_list: bool,
    /// An app has hung: `dumpsys window` begins with a copy of all windows of that moment.
    pub app_hung: bool,

    // What phones refuse to a computer. The state of the phone is as if the command had not been sent.
    /// `input` is refused for want of `INJECT_EVENTS`, as by Xiaomi's phones.
    pub input_refused: bool,
    /// `ime` is refused whatever it is asked, as by OPPO's phones.
    pub ime_refused: bool,
    /// Writing settings is refused, as by phones of both makers.
    pub settings_refused: bool,
    /// The keyboard that types any text is not installed. Taken from the plan when one is installed;
    /// set it through [`VirtualPhone::inject`](crate::VirtualPhone::inject).
    pub no_keyboard: bool,
    /// Milliseconds until a keyboard that was installed is known to `ime`.
    pub keyboard_late_ms: u64,
    /// Nothing is installed.
    pub install_refused: Option<InstallRefusal>,

    // What phones and their apps do with keys, and when they go dark.
    /// Ctrl+A in text fields.
    pub select_all: SelectAll,
    /// An old `ADBKeyboard`: its broadcasts are answered as completed, and nothing is typed or cleared. Taken from
    /// the plan when one is installed.
    pub deaf_keyboard: bool,
    /// The phone's own keyboard composes words from injected letters.
    pub composing_keyboard: bool,
    /// The screen goes off after so many milliseconds without a touch, unless the settings
    /// `screen_off_timeout` or `stay_on_while_plugged_in` are changed.
    pub screen_off_after_ms: Option<u64>,
    /// No cable and no charger.
    pub unplugged: bool,
    /// The window that asks which copy of an app is meant, such as
    /// `android/com.android.internal.app.ResolverActivity`: every app is there twice.
    pub app_chooser: Option<String>,
    /// A video plays in a small window in front of everything, and touches go through it.
    pub video: bool,
}

/// The names of the faults with what each is; `ayeaye phone --help` prints them.
const NAMES: &[(&str, &str)] = &[
    ("capture_delay_ms", "each capture takes so many milliseconds more"),
    ("shell_delay_ms", "each command takes so many milliseconds more"),
    ("hang_capture", "captures hang (next, every)"),
    ("hang_shell", "commands hang (next, every)"),
    ("drop_capture_after", "the link is cut after so many bytes of the next capture"),
    ("truncate_capture_to", "the next capture ends after so many bytes"),
    ("black", "captures are black (next, every)"),
    ("capture_warning", "a warning is mixed into captures (next, every)"),
    ("raw_header", "raw captures begin as on phones before Android 9 (twelve)"),
    ("raw_unsupported", "raw captures fail"),
    ("no_screencap", "`screencap` fails; only the service `framebuffer:` gives pictures"),
    ("no_exit_status", "commands end without their exit code (next, every)"),
    ("link", "offline, unauthorized"),
    ("bandwidth", "the link carries so many bytes per second"),
    ("exec_closed", "the service `exec:` is closed, as by some makers' adbd"),
    ("no_gzip", "the shell has no gzip, as before Android 8"),
    ("no_sha256sum", "the shell has no sha256sum, as before Android 8"),
    ("fold", "a phone with two panels (open, closed)"),
    ("panel_captures", "captures have the panel's size whatever `wm size` says"),
    ("other_display", "another display is lit and has the focus; elements are of that one"),
    ("dump", "no elements: the screen never rests, or they are taken (never_idle, taken)"),
    ("stubborn_lock", "`wm dismiss-keyguard` does nothing"),
    ("no_window_list", "`dumpsys window` names no windows, as on some phones with Android 16"),
    ("app_hung", "`dumpsys window` begins with the windows of when an app hung"),
    ("input_refused", "`input` is refused: INJECT_EVENTS"),
    ("ime_refused", "`ime` is refused: WRITE_SECURE_SETTINGS"),
    ("settings_refused", "`settings put` is refused: WRITE_SECURE_SETTINGS"),
    ("no_keyboard", "ADBKeyboard is not installed"),
    ("keyboard_late_ms", "a keyboard is known so many milliseconds after it was installed"),
    ("install_refused", "no app is installed (user_restricted, aborted, verification, storage)"),
    ("select_all", "what Ctrl+A does in fields (swallowed, types_a)"),
    ("deaf_keyboard", "an old ADBKeyboard: broadcasts complete, and nothing is typed"),
    ("composing_keyboard", "the phone's own keyboard composes words from injected letters"),
    ("screen_off_after_ms", "the screen goes off after so many milliseconds without a touch"),
    ("unplugged", "no cable and no charger"),
    ("app_chooser", "the window that asks which of two copies of an app is meant"),
    ("video", "a video plays in a small window, so the screen never stands still"),
];

/// Why a fault could not be set by its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    #[error("there is no fault {name:?}; there are {}", names())]
    Unknown { name: String },
    #[error("{name} needs a value, as in {name}=VALUE: {about}")]
    NoValue { name: &'static str, about: &'static str },
    #[error("{value:?} does not fit {name}: {about}")]
    BadValue { name: String, value: String, about: &'static str },
}

fn names() -> String {
    NAMES.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
}

impl FaultPlan {
    /// Those that concern the phone's input and power.
    pub(crate) fn quirks(&self) -> Quirks {
        Quirks {
            select_all: self.select_all,
            composing: self.composing_keyboard,
            screen_off_after: self.screen_off_after_ms.map(std::time::Duration::from_millis),
            unplugged: self.unplugged,
            video: self.video,
        }
    }

    /// The faults there are: the name of each, and what it is.
    pub fn names() -> &'static [(&'static str, &'static str)] {
        NAMES
    }

    /// Sets a fault by its name: `NAME`, which means that it is there, or `NAME=VALUE`. Hyphens are as
    /// good as underscores.
    pub fn set_by_name(&mut self, words: &str) -> Result<(), FaultError> {
        let (name, value) = match words.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (words, None),
        };
        let name = name.replace('-', "_");
        let Some((name, about)) = NAMES.iter().find(|(known, _)| *known == name) else {
            return Err(FaultError::Unknown { name });
        };
        // A value is what its field takes: a number, yes or no, or a word.
        let readings = match value {
            None => vec![json!(true), json!("every")],
            Some(value) => {
                let number: Option<Value> = serde_json::from_str(value).ok();
                number.into_iter().chain([json!(value)]).collect()
            }
        };
        let fitting = readings.into_iter().find_map(|reading| {
            let mut fields = serde_json::to_value(&*self).ok()?;
            *fields.get_mut(name)? = reading;
            serde_json::from_value(fields).ok()
        });
        *self = fitting.ok_or_else(|| match value {
            None => FaultError::NoValue { name, about },
            Some(value) => {
                FaultError::BadValue { name: (*name).to_owned(), value: value.to_owned(), about }
            }
        })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_has_a_name_and_every_name_a_field() {
        let plan = serde_json::to_value(FaultPlan::default()).unwrap();
        let fields: Vec<&str> = plan.as_object().unwrap().keys().map(String::as_str).collect();
        let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
        assert_eq!(names, fields, "NAMES, in the order of the fields");
    }

    #[test]
    fn a_fault_is_set_by_its_name_and_one_that_is_unknown_is_refused_with_the_list() {
        let mut plan = FaultPlan::default();
        for words in
            ["no-keyboard", "black", "capture_delay_ms=40", "link=offline", "hang_shell=next"]
        {
            plan.set_by_name(words).unwrap();
        }
        let wanted = FaultPlan {
            no_keyboard: true,
            black: Some(Trigger::Every),
            capture_delay_ms: 40,
            link: LinkState::Offline,
            hang_shell: Some(Trigger::Next),
            ..FaultPlan::default()
        };
        assert_eq!(plan, wanted);
        let told = plan.set_by_name("blak").unwrap_err().to_string();
        assert!(told.contains("\"blak\"") && told.contains("no_keyboard"), "{told}");
        let told = plan.set_by_name("capture_delay_ms=soon").unwrap_err().to_string();
        assert!(told.contains("soon") && told.contains("milliseconds"), "{told}");
        for (name, takes) in [("link", "offline"), ("raw_header", "twelve")] {
            let told = plan.set_by_name(name).unwrap_err().to_string();
            let begin = format!("{name} needs a value, as in {name}=VALUE: ");
            assert!(told.starts_with(&begin) && told.contains(takes), "{told}");
        }
        assert_eq!(plan, wanted, "what is refused changes nothing");
    }
}
