//! The seam to phones.
mod entry;
mod error;
mod setting;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::Offset;
use tokio::time::Instant;

pub use self::entry::{DeviceEntry, DeviceId, DeviceNames, NearbyPhone, Transport};
pub use self::error::{DeviceError, RefusedBy, TAKEN_OVER};
pub use self::setting::{ChangeLog, PutBack, SettingChange};
use crate::{CaptureDigest, DeviceCommand, Frame, Gesture, PackageFile, ScreenSize};

/// What a command would be about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CommandPreview {
    /// The package that is installed, removed or stopped.
    pub package: Option<String>,
    /// Its version, of one that is installed.
    pub version: Option<String>,
    /// The size of its file in bytes.
    pub size: Option<u64>,
    /// Of that file, in hexadecimal digits.
    pub sha256: Option<String>,
}

impl CommandPreview {
    /// The command for what was found, whatever its file or its label means later.
    #[must_use]
    pub fn bind(&self, command: DeviceCommand) -> DeviceCommand {
        let Some(name) = self.package.clone() else { return command };
        match command {
            DeviceCommand::Install { file, .. } => {
                let package = self.sha256.clone().map(|sha256| PackageFile { name, sha256 });
                DeviceCommand::Install { file, package }
            }
            DeviceCommand::StopApp { .. } => DeviceCommand::StopApp { app: name },
            DeviceCommand::Uninstall { .. } => DeviceCommand::Uninstall { app: name },
            other => other,
        }
    }
}

/// What a run notes about the phone it drives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its serial.
    pub id: DeviceId,
    /// Such as "Pixel 7".
    pub model: String,
    /// Such as "14".
    pub android_version: String,
    /// As it is held now, overrides applied.
    pub screen: ScreenSize,
    /// Its serial number (`ro.serialno`), which it keeps whatever it is reached through. All emulators, and some cheap
    /// phones, have the same.
    pub serial_number: Option<String>,
}

impl DeviceInfo {
    /// Stands for what a phone does not tell.
    pub const UNKNOWN: &str = "unknown";
}

/// An activity as Android names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// Such as `com.android.settings`.
    pub package: String,
    /// Such as `.Settings` or fully qualified; empty when only the package is known.
    pub activity: String,
}

/// What the screen is up to, besides its picture.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScreenState {
    /// The display is on.
    pub awake: bool,
    /// The phone is locked: its lock screen is in front, or an app that is shown over it.
    pub locked: bool,
    /// An app is shown over the lock screen, such as a call or an alarm.
    pub app_over_lock: bool,
    /// What is in front, when the phone says: an app, or the notification shade over it.
    pub foreground: Option<Component>,
    /// The window in front hides its contents from captures (Android's `FLAG_SECURE`).
    pub protected: bool,
    /// The soft keyboard is shown.
    pub keyboard_shown: bool,
    /// The field in focus hides what is typed into it, as fields for passwords do.
    pub secret_field: bool,
}

/// The display that shows the screen, of a phone that has several: one that folds, or has a cover screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownDisplay {
    /// Its number for touches.
    pub display: u32,
    /// The number of its panel for captures.
    pub panel: u64,
    /// How the phone is folded, in its own word such as `CLOSED`, where it tells.
    pub posture: Option<String>,
}

impl fmt::Display for ShownDisplay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "display {}, panel {}", self.display, self.panel)?;
        match &self.posture {
            Some(posture) => write!(f, ", {posture}"),
            None => Ok(()),
        }
    }
}

/// How captures come: the link and the way they take over it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CaptureRoute {
    /// Such as `raw`, `gzip` or `PNG`.
    pub way: &'static str,
    /// The serial over which the phone is reached.
    pub link: String,
    /// What kind of link that is.
    pub transport: Transport,
}

/// What a phone says of the world around it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// Its clock when it was asked.
    pub clock: Option<PhoneClock>,
    /// Its languages, the first one first, such as "zh-Hans-CN,en-US".
    pub languages: Option<String>,
}

/// A phone's clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhoneClock {
    /// Seconds since 1970 in UTC.
    pub unix_seconds: i64,
    /// How far its local time is ahead of UTC, in seconds.
    pub utc_offset: i32,
    /// When it was asked.
    pub asked: Instant,
}

impl PhoneClock {
    /// The phone's local date and time now.
    pub fn now(&self) -> Option<DateTime> {
        let since = i64::try_from(self.asked.elapsed().as_secs()).ok()?;
        let now = Timestamp::from_second(self.unix_seconds.checked_add(since)?).ok()?;
        Some(Offset::from_seconds(self.utc_offset).ok()?.to_datetime(now))
    }
}

/// An app that can be opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct App {
    /// Such as `com.android.settings`.
    pub package: String,
    /// As the launcher shows it, when known.
    pub label: Option<String>,
}

/// What came of a gesture that the phone has accepted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Performed {
    /// Why it is not certain that the gesture did what it was for. `None` where that was checked, or
    /// where only the next look at the screen can tell, as for a tap.
    pub uncertain: Option<String>,
    /// What whoever decided it should know besides, such as another way that was taken.
    pub note: Option<String>,
    /// Of a text that was typed: whether the field that had the focus then hides it, if the phone said so.
    pub secret_field: Option<bool>,
    /// Of an app that was opened: its package.
    pub opened: Option<String>,
}

impl Performed {
    /// Accepted, with nothing to be said about it.
    pub fn done() -> Self {
        Self::default()
    }

    /// Accepted, but whether it did what it was for is not known; `why` is a clause.
    pub fn uncertain(why: impl Into<String>) -> Self {
        Self { uncertain: Some(why.into()), ..Self::done() }
    }
}

/// Where the phone itself notes that an act has begun.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct ActMark {
    /// Whose act: another one each time that a phone is driven anew. In the record it is called `epoch`.
    #[serde(rename = "epoch")]
    pub driver: String,
    /// The first of this driver's numbers that it has; an act of several command lines has several.
    pub number: u64,
}

/// Why a phone lists no elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoElements {
    /// Its screen was not idle in time.
    Restless,
    /// What it said instead, in its own words; empty where it said nothing.
    Said(String),
    /// What is known of it, a clause.
    Because(String),
    /// It lists them, but the list cannot be used, as one that is too long; why, a clause. Whoever makes a screen can see
    /// to that.
    Unusable(String),
}

/// A phone.
///
/// Calls come one at a time from whoever holds the phone's lease, except that reads
/// ([`capture`](Self::capture), [`state`](Self::state), [`ui_tree`](Self::ui_tree)) may overlap each other. Every call ends by
/// itself inside a stated limit. Reads may be repeated by the implementation; nothing that changes
/// the phone is ever sent twice.
#[async_trait]
pub trait Device: Send + Sync + fmt::Debug {
    /// Its serial.
    fn id(&self) -> &DeviceId;
    /// What it is. Asked once when a run begins.
    async fn info(&self) -> Result<DeviceInfo, DeviceError>;
    /// The screen as it is at this instant, whole or not at all.
    async fn capture(&self) -> Result<Frame, DeviceError>;
    /// The digest of the screen as it is at this instant, if the phone makes one sooner than a capture is carried:
    /// [`Frame::digest`] of a capture of the same pixels. `None` where it does not.
    async fn capture_digest(&self) -> Result<Option<CaptureDigest>, DeviceError> {
        Ok(None)
    }
    /// Whether [`capture_digest`](Self::capture_digest) is likely to tell something: this never waits.
    fn makes_digests(&self) -> bool {
        false
    }
    /// The display of the last capture, where there are several: this never waits.
    fn shown_on(&self) -> Option<ShownDisplay> {
        None
    }
    /// Whether two captures at once take about as long as one, as far as is known: this never waits.
    fn captures_overlap(&self) -> bool {
        false
    }
    /// How the last capture came, where there are several ways: this never waits.
    fn captured_by(&self) -> Option<CaptureRoute> {
        None
    }
    /// What the screen is up to.
    async fn state(&self) -> Result<ScreenState, DeviceError>;
    /// Carries out a gesture decided on a frame of this size. Returns when the phone has accepted
    /// it, not when the screen has settled. What can be checked cheaply has been: a text by the field
    /// it went into, an app by what came to the front; what could not be is told as not certain.
    async fn perform(&self, gesture: &Gesture, on: ScreenSize) -> Result<Performed, DeviceError>;
    /// Turns the display on and takes away a lock screen that needs no secret.
    async fn wake(&self) -> Result<(), DeviceError>;
    /// Whether the display is on, as cheaply as can be.
    async fn is_awake(&self) -> Result<bool, DeviceError> {
        Ok(self.state().await?.awake)
    }
    /// From the next call on, the phone refuses what changes it to every other driver that came before, from
    /// whatever process; a later one may claim it in turn ([`DeviceError::ClaimedElsewhere`]). This never waits.
    fn claim(&self) {}
    /// Who has driven the phone within the last minutes, whether from this process or another one, as the phone has it
    /// ([`ActMark::driver`]). `None` where nobody has, or the phone does not know.
    async fn recent_driver(&self) -> Result<Option<String>, DeviceError> {
        Ok(None)
    }
    /// Where the phone itself will note that the next act has begun. `None` if it notes none.
    fn act_mark(&self) -> Option<ActMark> {
        None
    }
    /// Whether an act of an earlier driver has begun, now that this one drives the phone and the earlier one
    /// can begin nothing more. `None` where the phone does not know.
    ///
    /// # Errors
    ///
    /// If the phone cannot be asked.
    async fn has_begun(&self, _act: &ActMark) -> Result<Option<bool>, DeviceError> {
        Ok(None)
    }
    /// Where this phone says what it changes of itself to carry out a gesture, such as its keyboard.
    fn report_changes(&self, _log: Arc<dyn ChangeLog>) {}
    /// Changes of settings that keep the phone awake and lit, of which one is enough, the best first; none
    /// if it stays so by itself, or cannot be told to. Changes nothing.
    async fn ways_to_stay_awake(&self) -> Result<Vec<SettingChange>, DeviceError> {
        Ok(Vec::new())
    }
    /// Changes of settings that have screens change without animations, each of which takes some of them away;
    /// none if there are no animations. Changes nothing.
    async fn ways_to_stop_animations(&self) -> Result<Vec<SettingChange>, DeviceError> {
        Ok(Vec::new())
    }
    /// Changes a setting; an error unless it has the value afterwards.
    async fn change_setting(&self, change: &SettingChange) -> Result<(), DeviceError>;
    /// Puts a setting back, unless somebody has given it another value since. May be repeated.
    async fn put_back(&self, change: &SettingChange) -> Result<PutBack, DeviceError>;
    /// Wakes the screen, closes the app in front (never the launcher or the system UI), goes home. Returns the package
    /// of what was closed.
    async fn reset(&self) -> Result<Option<String>, DeviceError>;
    /// The apps that can be opened.
    async fn apps(&self) -> Result<Vec<App>, DeviceError>;
    /// What a command would be about, looked at before anybody is asked whether it may be done. An error where
    /// it cannot be done at all, such as a file that is not there.
    async fn preview(&self, command: &DeviceCommand) -> Result<CommandPreview, DeviceError> {
        let _ = command;
        Ok(CommandPreview::default())
    }
    /// What an app has logged, at most so many lines, the newest last; with `crashes`, how it crashed.
    async fn app_log(&self, app: &str, crashes: bool, lines: u32) -> Result<String, DeviceError> {
        let _ = (crashes, lines);
        Err(DeviceError::Refused {
            id: self.id().clone(),
            what: format!("the log of {app:?}"),
            reason: "it keeps none".to_owned(),
            by: RefusedBy::Device,
        })
    }
    /// Its date and time, and its languages. Asked once when a run begins.
    async fn surroundings(&self) -> Result<Surroundings, DeviceError> {
        Ok(Surroundings::default())
    }
    /// The name of an app in the phone's language, if it is known already: this never waits.
    fn app_name(&self, package: &str) -> Option<String> {
        let _ = package;
        None
    }
    /// The apps that can be opened, with their names in the phone's language and by these in order, as far
    /// as they are known already: this never waits.
    fn known_apps(&self) -> Vec<App> {
        Vec::new()
    }
    /// The screen's elements as `uiautomator dump` writes them; `None` where a phone cannot say in
    /// time. Nothing may depend on it.
    async fn ui_tree(&self) -> Result<Option<String>, DeviceError>;
    /// The screen's elements as [`ui_tree`](Self::ui_tree) has them, or what is known of why there are none.
    async fn ui_tree_or_why(&self) -> Result<Result<String, NoElements>, DeviceError> {
        Ok(self.ui_tree().await?.ok_or(NoElements::Restless))
    }
}

/// Where phones are found.
#[async_trait]
pub trait DeviceSource: Send + Sync + fmt::Debug {
    /// Every phone, ready or not. One phone in trouble never hides the others.
    async fn list(&self) -> Result<Vec<DeviceEntry>, DeviceError>;
    /// Phones on the network that are not in this list of phones, as far as that is known at once.
    async fn nearby(&self, _listed: &[DeviceNames]) -> Vec<NearbyPhone> {
        Vec::new()
    }
    /// The names of the phone that a serial means; `None` where it means none, or nothing but itself.
    async fn names(&self, _id: &DeviceId) -> Option<DeviceNames> {
        None
    }
    /// A phone that is ready, by any of its serials.
    async fn open(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError>;
}
