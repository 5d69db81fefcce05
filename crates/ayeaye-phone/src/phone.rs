//! The handle on the phone: a cheap clone of one locked state.
//!
//! Nothing here waits. A caller that imitates a command which takes time (an `input swipe` of
//! 300 ms) sleeps itself; pictures show the moment at which they are asked for.
#[cfg(test)]
mod tests;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::draw::Frame;
use crate::options::PhoneOptions;
use crate::os::Os;
use crate::os::app_log::{LogBuffer, LogLine};
use crate::os::finger::FingerEvent;
use crate::os::state::{DialogWindow, Gesture, InputCounts, InputOutcome, PhoneState};
use crate::packages::{Component, LaunchState, Package, StartError};
use crate::system::Quirks;

/// A handle on the phone; clones are the same phone.
#[derive(Debug, Clone)]
pub struct Phone {
    options: Arc<PhoneOptions>,
    os: Arc<Mutex<Os>>,
}

impl Phone {
    pub fn new(options: PhoneOptions) -> Self {
        // Clamped to what Android accepts.
        let options = Arc::new(PhoneOptions {
            width: options.width.clamp(200, 4096),
            height: options.height.clamp(200, 4096),
            density: options.density.clamp(72, 1200),
            ..options
        });
        Self { os: Arc::new(Mutex::new(Os::new(Arc::clone(&options)))), options }
    }

    /// The state after `tick`. A panic of another holder leaves it usable.
    fn os(&self) -> MutexGuard<'_, Os> {
        let mut os = self.os.lock().unwrap_or_else(PoisonError::into_inner);
        os.tick();
        os
    }
}

/// Display.
impl Phone {
    pub fn options(&self) -> &PhoneOptions {
        &self.options
    }
    /// The display at this instant, mid-transition too; black while the screen is off.
    pub fn frame(&self) -> Frame {
        self.os().frame()
    }
    /// Width and height with rotation and override applied.
    pub fn display_size(&self) -> (u32, u32) {
        self.os().display_size()
    }
    /// `wm size` override, in the natural orientation.
    pub fn size_override(&self) -> Option<(u32, u32)> {
        self.os().size_override()
    }
    pub fn set_size_override(&self, size: Option<(u32, u32)>) {
        self.os().set_size_override(size);
    }
    pub fn density_override(&self) -> Option<u32> {
        self.os().density_override()
    }
    pub fn set_density_override(&self, density: Option<u32>) {
        self.os().set_density_override(density);
    }
    /// 0 to 3, quarter turns counter-clockwise as Android counts.
    pub fn rotation(&self) -> u8 {
        self.os().rotation()
    }
    pub fn set_rotation(&self, quarter_turns: u8) {
        self.os().set_rotation(quarter_turns);
    }
    pub fn is_awake(&self) -> bool {
        self.os().is_awake()
    }
    pub fn is_locked(&self) -> bool {
        self.os().is_locked()
    }
    /// `wm dismiss-keyguard`: unlocks unless a PIN is set.
    pub fn dismiss_keyguard(&self) {
        self.os().dismiss_keyguard();
    }
    /// A cable or a charger is there.
    pub fn is_plugged(&self) -> bool {
        self.os().is_plugged()
    }
    /// The screen stays on although nobody touches it.
    pub fn stays_on(&self) -> bool {
        self.os().stays_on()
    }
    /// Whether the lock screen asks for a PIN.
    pub fn has_pin(&self) -> bool {
        self.os().has_pin()
    }
    /// Pulls the notification shade down, or pushes it up.
    pub fn open_shade(&self, open: bool) {
        self.os().open_shade(open);
    }
    /// When the screen will have settled; `None` when it has.
    pub fn settles_at(&self) -> Option<tokio::time::Instant> {
        self.os().settles_at()
    }
}

/// Touch, keys, text. Every call is counted in `InputCounts`.
impl Phone {
    pub fn tap(&self, x: f32, y: f32) {
        self.os().tap(x, y);
    }
    /// A movement from `from` to `to` that took `duration`; from a point to itself in 500 ms or more, a long press.
    pub fn swipe(&self, from: (f32, f32), to: (f32, f32), duration: Duration) {
        self.os().swipe(from, to, duration);
    }
    /// After how long a touch is a long press.
    pub(crate) fn long_press(&self) -> Duration {
        self.os().long_press()
    }
    /// Long press, move, release, in `duration` together: without time for more than the long press the finger jumps.
    pub fn drag(&self, from: (f32, f32), to: (f32, f32), duration: Duration) {
        self.os().drag(from, to, duration);
    }
    /// One event of a finger that several calls move; `false` where there is no finger that could do this.
    pub(crate) fn finger(&self, event: FingerEvent, at: (f32, f32)) -> bool {
        self.os().finger(event, at)
    }
    /// An Android key code (3 home, 4 back, 26 power, 66 enter, 67 delete, 187 recents, 224 wake, 279 paste ...).
    pub fn key(&self, code: u32, long: bool) {
        self.os().key(code, long);
    }
    /// Key codes pressed together, such as 113+29 (Ctrl+A).
    pub fn key_combination(&self, codes: &[u32]) {
        self.os().key_combination(codes);
    }
    /// The text of `input text`, with `%s` already replaced: printable ASCII for the focused field.
    pub fn input_text(&self, text: &str) {
        self.os().input_text(text);
    }
    /// Text committed by the current input method; `false` when no field has the focus.
    pub fn commit_text(&self, text: &str) -> bool {
        self.os().commit_text(text)
    }
    /// Clears the focused field through the input method.
    pub fn clear_text(&self) -> bool {
        self.os().clear_text()
    }
    /// An editor action (send, search, done) of the input method for the focused field.
    pub fn editor_action(&self, action: u32) -> bool {
        self.os().editor_action(action)
    }
}

/// Apps, windows, settings.
impl Phone {
    pub fn packages(&self) -> Vec<Package> {
        self.os().packages()
    }
    pub fn start_activity(&self, component: &Component) -> Result<LaunchState, StartError> {
        let mut os = self.os();
        os.counts().starts += 1;
        let started = os.start_activity(component);
        let outcome = if started.is_ok() { InputOutcome::Done } else { InputOutcome::Nothing };
        os.log(Gesture::Start { component: component.clone() }, outcome, String::new());
        started
    }
    /// `am force-stop`; unknown packages are silently accepted, as on a real phone.
    pub fn force_stop(&self, package: &str) {
        let mut os = self.os();
        os.force_stop(package);
        let gesture = Gesture::ForceStop { package: package.to_owned() };
        os.log(gesture, InputOutcome::Done, String::new());
    }
    /// `pm clear`: stops an app and gives it the data it had on a new phone; `false` for an unknown package.
    pub(crate) fn clear_data(&self, package: &str) -> bool {
        let mut os = self.os();
        let there = os.clear_data(package);
        let outcome = if there { InputOutcome::Done } else { InputOutcome::Nothing };
        os.log(Gesture::ForceStop { package: package.to_owned() }, outcome, String::new());
        there
    }
    /// Packages with a running process or a task in recents, most recent first.
    pub fn tasks(&self) -> Vec<Component> {
        self.os().tasks()
    }
    /// The activity with which the task of an app began.
    pub(crate) fn base_activity(&self, package: &str) -> Option<Component> {
        self.os().base_activity(package)
    }
    /// The activity that is resumed.
    pub fn foreground(&self) -> Component {
        self.os().foreground()
    }
    /// The title of the focused window: `package/class`, also of an app's dialog, or a title such as
    /// `NotificationShade` for dialogs of the system and the lock screen.
    pub fn focused_window(&self) -> String {
        self.os().focused_window()
    }
    /// The dialogs of the system and of the app in front, the topmost first.
    pub(crate) fn dialog_windows(&self) -> Vec<DialogWindow> {
        self.os().dialog_windows()
    }
    /// What the phone's clock shows, since 1970. A new phone's always begins at the same moment.
    pub(crate) fn unix_time(&self) -> Duration {
        self.os().unix_time()
    }
    pub fn keyboard_shown(&self) -> bool {
        self.os().keyboard_shown()
    }
    /// Installed input methods, `package/.Class`, with whether each is enabled.
    pub fn input_methods(&self) -> Vec<(String, bool)> {
        self.os().system().input_methods()
    }
    pub fn input_method(&self) -> String {
        self.os().system().input_method()
    }
    /// `ime set`; an error text when it is unknown or not enabled.
    pub fn set_input_method(&self, id: &str) -> Result<(), String> {
        self.os().set_input_method(id)
    }
    pub fn enable_input_method(&self, id: &str, on: bool) -> Result<(), String> {
        self.os().system().enable_input_method(id, on)
    }
    /// Lists a package that was installed over adb; it does not run. `false` for one that the phone came with.
    pub(crate) fn install(&self, package: Package) -> bool {
        self.os().install(package)
    }
    /// `false` when there is no such package, or it is a part of the phone.
    pub(crate) fn uninstall(&self, name: &str) -> bool {
        self.os().uninstall(name)
    }
    /// Makes the keyboard that types any text known, or removes it.
    pub fn set_keyboard_installed(&self, installed: bool) {
        self.os().system().set_adb_keyboard(installed);
    }
    /// `settings get`; namespaces system, secure, global.
    pub fn setting(&self, namespace: &str, key: &str) -> Option<String> {
        self.os().setting(namespace, key)
    }
    /// `settings list`: keys and values in order.
    pub(crate) fn settings(&self, namespace: &str) -> Vec<(String, String)> {
        self.os().system().list(namespace)
    }
    pub fn put_setting(&self, namespace: &str, key: &str, value: Option<&str>) {
        self.os().put_setting(namespace, key, value);
    }
    /// As `uiautomator dump` writes it (Android 14's attributes), without the trailing message.
    pub fn ui_xml(&self) -> String {
        self.os().ui_xml()
    }
    /// Whether screenshots are black because of `FLAG_SECURE`.
    pub fn is_secure(&self) -> bool {
        self.os().is_secure()
    }
}

/// Faults.
impl Phone {
    pub(crate) fn set_quirks(&self, quirks: Quirks) {
        self.os().set_quirks(quirks);
    }
    /// Has the phone ask which copy of an app is meant, in a window of this title, before it starts it.
    pub(crate) fn ask_for_copy(&self, window: &str, component: &Component) {
        self.os().ask_for_copy(window, component);
    }
}

/// What `logcat` tells.
impl Phone {
    /// The lines of the log from this number on.
    pub(crate) fn log_lines(&self, from: u64) -> Vec<LogLine> {
        self.os().log_lines(from)
    }
    pub(crate) fn clear_log(&self, buffers: &[LogBuffer]) {
        self.os().clear_log(buffers);
    }
    /// How an app has crashed.
    pub(crate) fn log_crash(&self, package: &str, lines: impl IntoIterator<Item = String>) {
        let mut os = self.os();
        for text in lines {
            os.write_log(LogBuffer::Crash, 'E', "AndroidRuntime", package, text);
        }
    }
}

/// What `dumpsys input_method` tells of the field in focus.
impl Phone {
    /// Where the selection begins and ends, in UTF-16 units; `None` without a field in focus.
    pub fn selection(&self) -> Option<(usize, usize)> {
        self.os().selection()
    }
    /// Whether the field takes line breaks.
    pub(crate) fn takes_lines(&self) -> bool {
        self.os().takes_lines()
    }
    /// What it shows while it is empty.
    pub(crate) fn hint(&self) -> Option<&'static str> {
        self.os().hint()
    }
}

/// For tests, scripted models and the demo; no ADB command reaches these.
impl Phone {
    pub fn state(&self) -> PhoneState {
        self.os().state()
    }
    /// The text copied in an app.
    pub fn clipboard(&self) -> Option<String> {
        self.os().system().clipboard.clone()
    }
    /// Makes every picture black until it is switched off again.
    pub fn set_black(&self, on: bool) {
        self.os().set_black(on);
    }
    /// Shows a system dialog ("not responding", a permission) in front.
    pub fn show_dialog(&self, title: &str, text: &str, buttons: &[&str]) {
        self.os().show_dialog(title, text, buttons);
    }
    /// Presses the power button.
    pub fn press_power(&self) {
        self.os().press_power();
    }
    /// Locks with a PIN (`None`: swipe to unlock).
    pub fn set_pin(&self, pin: Option<&str>) {
        self.os().set_pin(pin);
    }
    /// Delivers a text message.
    pub fn receive_message(&self, from: &str, text: &str) {
        self.os().receive_message(from, text);
    }
    /// Counts something that only a caller can notice.
    pub fn count(&self, note: impl FnOnce(&mut InputCounts)) {
        note(self.os().counts());
    }
}
