//! The display's power state, the keyguard, rotation and size.
use std::time::Duration;

use super::Os;
use crate::draw::TransitionKind;
use crate::system::Quirks;

/// What `screen_off_timeout` is on a new phone, in milliseconds.
const USUAL_TIMEOUT: u32 = 30_000;

/// The setting for whether the phone turns its screen itself.
const ACCELEROMETER: &str = "accelerometer_rotation";

/// What Android accepts for `wm size` and `wm density`.
const MIN_SIDE: u32 = 200;
const MIN_DENSITY: u32 = 72;
const MAX_DENSITY: u32 = 1200;

impl Os {
    pub(crate) fn display_size(&self) -> (u32, u32) {
        let (w, h) = self.size_override.unwrap_or((self.options.width, self.options.height));
        if self.rotation % 2 == 1 { (h, w) } else { (w, h) }
    }

    /// Pixels per dp.
    pub(crate) fn scale(&self) -> f32 {
        let density = self.density_override.unwrap_or(self.options.density);
        f32::from(u16::try_from(density).unwrap_or(u16::MAX)) / 160.0
    }

    pub(crate) fn size_override(&self) -> Option<(u32, u32)> {
        self.size_override
    }

    /// Clamped to 200 pixels and twice the real size, as Android does.
    pub(crate) fn set_size_override(&mut self, size: Option<(u32, u32)>) {
        let (max_w, max_h) = (self.options.width * 2, self.options.height * 2);
        self.size_override = size
            .map(|(w, h)| (w.min(max_w).max(MIN_SIDE), h.min(max_h).max(MIN_SIDE)))
            .filter(|size| *size != (self.options.width, self.options.height));
        self.resized();
    }

    pub(crate) fn density_override(&self) -> Option<u32> {
        self.density_override
    }

    pub(crate) fn set_density_override(&mut self, density: Option<u32>) {
        self.density_override = density
            .map(|d| d.clamp(MIN_DENSITY, MAX_DENSITY))
            .filter(|d| *d != self.options.density);
        self.resized();
    }

    pub(crate) fn rotation(&self) -> u8 {
        self.rotation
    }

    pub(crate) fn set_rotation(&mut self, quarter_turns: u8) {
        let to = quarter_turns % 4;
        if self.rotation != to {
            self.rotation = to;
            self.system.put("system", "user_rotation", Some(&to.to_string()));
            self.resized();
        }
    }

    /// Scroll offsets are in pixels and lose their meaning.
    fn resized(&mut self) {
        self.scrolls.clear();
        self.fling = None;
        self.transition = None;
        self.reveal_focus = self.focus.is_some();
        self.invalidate();
    }

    pub(crate) fn is_awake(&self) -> bool {
        self.awake
    }

    pub(crate) fn is_locked(&self) -> bool {
        self.locked
    }

    pub(crate) fn set_black(&mut self, on: bool) {
        self.black = on;
    }

    pub(crate) fn wake(&mut self) {
        self.used_at = self.now;
        if !self.awake {
            self.awake = true;
            self.invalidate();
        }
    }

    pub(crate) fn sleep(&mut self) {
        self.awake = false;
        self.locked = true;
        self.bouncer = false;
        self.pin_typed.clear();
        self.pin_wrong = false;
        self.transition = None;
        self.heads_up = None;
        self.shade = false;
        self.toast = None;
        self.invalidate();
    }

    pub(crate) fn press_power(&mut self) {
        if self.awake {
            self.sleep();
        } else {
            self.wake();
        }
    }

    pub(crate) fn set_quirks(&mut self, quirks: Quirks) {
        if self.quirks != quirks {
            self.quirks = quirks;
            self.used_at = self.now;
        }
    }

    pub(crate) fn stays_on(&self) -> bool {
        !self.quirks.unplugged && self.system.is_on("global", "stay_on_while_plugged_in")
    }

    pub(crate) fn is_plugged(&self) -> bool {
        !self.quirks.unplugged
    }

    /// How long after the last touch the screen goes off.
    pub(super) fn screen_timeout(&self) -> Option<Duration> {
        let after = self.quirks.screen_off_after.filter(|_| !self.stays_on())?;
        let setting = self.system.number("system", "screen_off_timeout", USUAL_TIMEOUT);
        let changed = setting != USUAL_TIMEOUT;
        Some(if changed { Duration::from_millis(setting.into()) } else { after })
    }

    pub(crate) fn has_pin(&self) -> bool {
        self.pin.is_some()
    }

    pub(crate) fn open_shade(&mut self, open: bool) {
        let open = open && self.awake && !self.locked;
        if self.shade != open {
            self.start_transition(TransitionKind::Fade, true);
            self.shade = open;
            self.heads_up = None;
            self.invalidate();
        }
    }

    pub(crate) fn set_pin(&mut self, pin: Option<&str>) {
        self.pin = pin.filter(|pin| !pin.is_empty()).map(|pin| pin.chars().take(16).collect());
    }

    /// Unlocks, or shows the bouncer when a PIN is set.
    pub(crate) fn dismiss_keyguard(&mut self) {
        if !self.locked {
            return;
        }
        self.start_transition(TransitionKind::Home, true);
        if self.pin.is_some() {
            self.bouncer = true;
        } else {
            self.locked = false;
        }
        self.invalidate();
    }

    pub(super) fn leave_bouncer(&mut self) {
        self.start_transition(TransitionKind::Fade, true);
        self.bouncer = false;
        self.pin_typed.clear();
        self.pin_wrong = false;
        self.invalidate();
    }

    pub(super) fn pin_digit(&mut self, digit: char) {
        if self.pin_typed.len() < 16 {
            self.pin_typed.push(digit);
            self.pin_wrong = false;
        }
        self.invalidate();
    }

    pub(super) fn pin_delete(&mut self) {
        self.pin_typed.pop();
        self.invalidate();
    }

    pub(super) fn pin_enter(&mut self) {
        if self.pin.as_deref() == Some(&self.pin_typed) {
            self.start_transition(TransitionKind::Home, true);
            self.locked = false;
            self.bouncer = false;
            self.pin_wrong = false;
        } else if !self.pin_typed.is_empty() {
            self.pin_wrong = true;
        }
        self.pin_typed.clear();
        self.invalidate();
    }

    pub(crate) fn setting(&self, namespace: &str, key: &str) -> Option<String> {
        self.system.get(namespace, key)
    }

    /// From here on a touch is a long press.
    pub(crate) fn long_press(&self) -> Duration {
        let set = self.setting("secure", "long_press_timeout").and_then(|ms| ms.parse().ok());
        Duration::from_millis(set.unwrap_or(400))
    }

    /// `user_rotation` turns the screen at once, and when the phone does not turn it itself any more.
    pub(crate) fn put_setting(&mut self, namespace: &str, key: &str, value: Option<&str>) {
        self.system.put(namespace, key, value);
        let turns = matches!((namespace, key), ("system", "user_rotation" | ACCELEROMETER));
        let turn = self.setting("system", "user_rotation").and_then(|turn| turn.parse().ok());
        if let Some(turn @ 0..=3) = turn.filter(|_| turns && !self.turns_itself()) {
            self.set_rotation(turn);
        }
        self.invalidate();
    }

    /// The phone turns its screen as it is held, which is always as it was.
    fn turns_itself(&self) -> bool {
        self.setting("system", ACCELEROMETER).as_deref() == Some("1")
    }
}
