//! The phone as everything else in this crate sees it: a cheap handle on one locked state.
//!
//! Nothing here waits. Whoever imitates a command that takes time (an `input swipe` of 300 ms)
//! sleeps before or after calling; what is *drawn* depends on the moment it is asked for.
use std::time::Duration;

use serde::Serialize;

/// What kind of phone it claims to be, and how fast its screens move.
#[derive(Debug, Clone)]
pub struct PhoneOptions {
    /// As `adb devices` names it.
    pub serial: String,
    pub model: String,
    pub product: String,
    pub manufacturer: String,
    /// Android's release, such as "14".
    pub android: String,
    pub sdk: u32,
    /// Pixels in the natural (portrait) orientation.
    pub width: u32,
    pub height: u32,
    pub density: u32,
    /// Shortest and longest screen transition; each is drawn at random between them.
    pub transitions: (Duration, Duration),
    /// Same seed, same transitions and codes.
    pub seed: u64,
}

/// One picture of the screen, upright as a person would hold it: RGBA, 4 bytes a pixel, row by row.
#[derive(Debug, Clone)]
pub struct Frame {
    pub width: u32,
    pub height: u32,
    pub rgba: bytes::Bytes,
}

/// An activity: `package/class`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Component {
    pub package: String,
    /// Fully qualified.
    pub class: String,
}

/// An installed app.
#[derive(Debug, Clone, Serialize)]
pub struct Package {
    pub name: String,
    pub label: String,
    /// `None` for apps without an icon (keyboards, system parts).
    pub launcher: Option<Component>,
    pub system: bool,
    pub version_name: String,
}

/// How `am start` ended well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Started {
    Fresh,
    /// Brought to the front; real `am` prints a warning and still exits with 0.
    AlreadyRunning,
}

/// Why an activity could not be started.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StartError {
    #[error("Activity class {{{0}}} does not exist.")]
    NoSuchActivity(String),
}

/// What a real phone would shrug at: each is probably a mistake of whoever drives it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Touches on a place where nothing reacts.
    pub dead_taps: u64,
    /// Touches while a transition was running (they are dropped).
    pub taps_in_transition: u64,
    /// Touches outside the screen.
    pub taps_off_screen: u64,
    /// Touches or text while the screen was off or locked.
    pub input_while_off: u64,
    /// Text with no field in focus.
    pub text_without_focus: u64,
    /// Key codes nothing reacts to.
    pub unknown_keys: u64,
    /// Every gesture that was carried out, for at-most-once tests.
    pub taps: u64,
    pub swipes: u64,
    pub texts: u64,
    pub keys: u64,
    pub starts: u64,
}

/// Everything about the phone that a test or the pilot may ask: see `Phone::state`.
#[derive(Debug, Clone, Serialize)]
pub struct State {
    pub foreground: Component,
    pub awake: bool,
    pub locked: bool,
    pub rotation: u8,
    pub keyboard_shown: bool,
    pub counts: Counts,
}

/// A handle on the phone; clones are the same phone.
#[derive(Debug, Clone)]
pub struct Phone {
    options: std::sync::Arc<PhoneOptions>,
}

/// Display.
impl Phone {
    pub fn new(options: PhoneOptions) -> Self {
        Self { options: std::sync::Arc::new(options) }
    }
    pub fn options(&self) -> &PhoneOptions {
        &self.options
    }
    /// What is on the glass at this instant (mid-transition too); all black while the screen is off.
    pub fn frame(&self) -> Frame {
        unimplemented!()
    }
    /// Width and height as held now (rotation and override applied).
    pub fn display_size(&self) -> (u32, u32) {
        unimplemented!()
    }
    /// `wm size` override, in the natural orientation.
    pub fn size_override(&self) -> Option<(u32, u32)> {
        unimplemented!()
    }
    pub fn set_size_override(&self, _size: Option<(u32, u32)>) {}
    pub fn density_override(&self) -> Option<u32> {
        unimplemented!()
    }
    pub fn set_density_override(&self, _density: Option<u32>) {}
    /// 0 to 3, quarter turns counter-clockwise as Android counts.
    pub fn rotation(&self) -> u8 {
        unimplemented!()
    }
    pub fn set_rotation(&self, _quarter_turns: u8) {}
    pub fn is_awake(&self) -> bool {
        unimplemented!()
    }
    pub fn is_locked(&self) -> bool {
        unimplemented!()
    }
    /// `wm dismiss-keyguard`: unlocks unless a PIN is set.
    pub fn dismiss_keyguard(&self) {}
    /// When what moves now will stand still; `None` when nothing moves.
    pub fn settles_at(&self) -> Option<tokio::time::Instant> {
        unimplemented!()
    }
}

/// Touch, keys, text. Every call counts in `Counts`.
impl Phone {
    pub fn tap(&self, _x: f32, _y: f32) {}
    /// The finger has gone from `from` to `to` in `duration`; same ends and 500 ms or more is a long press.
    pub fn swipe(&self, _from: (f32, f32), _to: (f32, f32), _duration: Duration) {}
    /// Long press, move, release.
    pub fn drag(&self, _from: (f32, f32), _to: (f32, f32), _duration: Duration) {}
    /// An Android key code (3 home, 4 back, 26 power, 66 enter, 67 delete, 187 recents, 224 wake, 279 paste ...).
    pub fn key(&self, _code: u32, _long: bool) {}
    /// Key codes pressed together, such as 113+29 (Ctrl+A).
    pub fn key_combination(&self, _codes: &[u32]) {}
    /// What `input text` delivers, after its own `%s` rule: printable ASCII to the field in focus.
    pub fn input_text(&self, _text: &str) {}
    /// What the current input method commits: any text. `false` when no field has the focus.
    pub fn commit_text(&self, _text: &str) -> bool {
        unimplemented!()
    }
    /// Empties the field in focus through the input method.
    pub fn clear_text(&self) -> bool {
        unimplemented!()
    }
    /// The input method's editor action (send, search, done) on the field in focus.
    pub fn editor_action(&self, _action: u32) -> bool {
        unimplemented!()
    }
}

/// Apps, windows, settings.
impl Phone {
    pub fn packages(&self) -> Vec<Package> {
        unimplemented!()
    }
    pub fn start_activity(&self, _component: &Component) -> Result<Started, StartError> {
        unimplemented!()
    }
    /// `am force-stop`; unknown packages are silently accepted, as on a real phone.
    pub fn force_stop(&self, _package: &str) {}
    /// Packages with a running process or a task in recents, most recent first.
    pub fn tasks(&self) -> Vec<Component> {
        unimplemented!()
    }
    /// The activity that is resumed.
    pub fn foreground(&self) -> Component {
        unimplemented!()
    }
    /// The window that has the focus; differs from the foreground for dialogs, the shade and the lock screen
    /// (then a title such as "NotificationShade", else `package/class`).
    pub fn focused_window(&self) -> String {
        unimplemented!()
    }
    pub fn keyboard_shown(&self) -> bool {
        unimplemented!()
    }
    /// Installed input methods, `package/.Class`, with whether each is enabled.
    pub fn input_methods(&self) -> Vec<(String, bool)> {
        unimplemented!()
    }
    pub fn input_method(&self) -> String {
        unimplemented!()
    }
    /// `ime set`; an error text when it is unknown or not enabled.
    pub fn set_input_method(&self, _id: &str) -> Result<(), String> {
        unimplemented!()
    }
    pub fn enable_input_method(&self, _id: &str, _on: bool) -> Result<(), String> {
        unimplemented!()
    }
    /// `settings get`; namespaces system, secure, global.
    pub fn setting(&self, _namespace: &str, _key: &str) -> Option<String> {
        unimplemented!()
    }
    pub fn put_setting(&self, _namespace: &str, _key: &str, _value: Option<&str>) {}
    /// As `uiautomator dump` writes it (Android 14's attributes), without the trailing message.
    pub fn ui_xml(&self) -> String {
        unimplemented!()
    }
    /// True for what is drawn into a black picture (FLAG_SECURE).
    pub fn is_secure(&self) -> bool {
        unimplemented!()
    }
}

/// For tests, the pilot and the demo; no ADB command reaches these.
impl Phone {
    pub fn state(&self) -> State {
        unimplemented!()
    }
    /// Every screenshot is black until it is taken back.
    pub fn set_black(&self, _on: bool) {}
    /// A system dialog ("not responding", a permission) over whatever is in front.
    pub fn show_dialog(&self, _title: &str, _text: &str, _buttons: &[&str]) {}
    /// Presses the power button by hand.
    pub fn press_power(&self) {}
    /// Locks with a PIN (`None`: swipe to unlock).
    pub fn set_pin(&self, _pin: Option<&str>) {}
    /// A text message comes in.
    pub fn receive_message(&self, _from: &str, _text: &str) {}
    /// Counts something only the wire can notice (a malformed command).
    pub fn count(&self, _note: impl FnOnce(&mut Counts)) {}
}
