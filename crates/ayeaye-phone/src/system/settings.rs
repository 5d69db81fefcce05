//! The settings tables, which also hold the state of the radios, the screen and the input method.
use std::collections::{BTreeMap, BTreeSet};

pub(crate) const LATIN_KEYBOARD: &str = "com.android.inputmethod.latin/.LatinIME";
pub(crate) const ADB_KEYBOARD: &str = "com.android.adbkeyboard/.AdbIME";

/// Limits: settings in all, and bytes of a key or a value.
const MAX: usize = 1000;
const MAX_VALUE: usize = 4096;

#[derive(Debug)]
pub(crate) struct SystemSettings {
    table: BTreeMap<(String, String), String>,
    enabled: BTreeSet<&'static str>,
    /// Whether the keyboard that types any text is installed.
    adb_keyboard: bool,
    pub(crate) clipboard: Option<String>,
}

impl SystemSettings {
    pub(crate) fn new() -> Self {
        let mut system = Self {
            table: BTreeMap::new(),
            enabled: BTreeSet::from([LATIN_KEYBOARD]),
            adb_keyboard: true,
            clipboard: None,
        };
        for (namespace, key, value) in [
            ("global", "wifi_on", "1"),
            ("global", "bluetooth_on", "1"),
            ("global", "airplane_mode_on", "0"),
            ("global", "wifi_ssid", "Aurora"),
            ("global", "window_animation_scale", "1.0"),
            ("global", "transition_animation_scale", "1.0"),
            ("global", "animator_duration_scale", "1.0"),
            ("global", "stay_on_while_plugged_in", "0"),
            ("global", "device_name", "Aurora"),
            ("system", "system_locales", "en-US"),
            ("system", "screen_brightness", "102"),
            ("system", "screen_brightness_mode", "0"),
            ("system", "screen_off_timeout", "30000"),
            ("system", "accelerometer_rotation", "0"),
            ("system", "user_rotation", "0"),
            ("system", "font_scale", "1.0"),
            ("system", "show_touches", "0"),
            ("system", "pointer_location", "0"),
            ("secure", "default_input_method", LATIN_KEYBOARD),
            ("secure", "enabled_input_methods", LATIN_KEYBOARD),
            ("secure", "accessibility_enabled", "0"),
            ("secure", "location_mode", "3"),
            ("secure", "navigation_mode", "0"),
        ] {
            system.put(namespace, key, Some(value));
        }
        system
    }

    pub(crate) fn get(&self, namespace: &str, key: &str) -> Option<String> {
        self.table.get(&(namespace.to_owned(), key.to_owned())).cloned()
    }

    /// All of a namespace, by key.
    pub(crate) fn list(&self, namespace: &str) -> Vec<(String, String)> {
        let of_it = self.table.iter().filter(|((space, _), _)| space == namespace);
        of_it.map(|((_, key), value)| (key.clone(), value.clone())).collect()
    }

    pub(crate) fn is_on(&self, namespace: &str, key: &str) -> bool {
        self.get(namespace, key).is_some_and(|value| value != "0" && !value.is_empty())
    }

    pub(crate) fn number(&self, namespace: &str, key: &str, otherwise: u32) -> u32 {
        self.get(namespace, key).and_then(|value| value.parse().ok()).unwrap_or(otherwise)
    }

    /// A factor of how long animations take, 1 where it is not set.
    pub(crate) fn animation_scale(&self, key: &str) -> f64 {
        let scale = self.get("global", key).and_then(|value| value.parse().ok());
        scale.filter(|scale: &f64| scale.is_finite()).map_or(1.0, |scale| scale.clamp(0.0, 20.0))
    }

    /// `false` when a limit is exceeded.
    pub(crate) fn put(&mut self, namespace: &str, key: &str, value: Option<&str>) -> bool {
        let place = (namespace.to_owned(), key.to_owned());
        let Some(value) = value else {
            self.table.remove(&place);
            return true;
        };
        if key.len() > MAX_VALUE
            || value.len() > MAX_VALUE
            || self.table.len() >= MAX && !self.table.contains_key(&place)
        {
            return false;
        }
        self.table.insert(place, value.to_owned());
        true
    }

    pub(crate) fn wifi(&self) -> bool {
        self.is_on("global", "wifi_on")
    }

    pub(crate) fn bluetooth(&self) -> bool {
        self.is_on("global", "bluetooth_on")
    }

    pub(crate) fn airplane(&self) -> bool {
        self.is_on("global", "airplane_mode_on")
    }

    /// 0 to 1.
    pub(crate) fn brightness(&self) -> f32 {
        let value = self.number("system", "screen_brightness", 102).min(255);
        f32::from(u8::try_from(value).unwrap_or(255)) / 255.0
    }

    pub(crate) fn set_wifi(&mut self, on: bool) {
        self.put("global", "wifi_on", Some(digit(on)));
    }

    pub(crate) fn set_bluetooth(&mut self, on: bool) {
        self.put("global", "bluetooth_on", Some(digit(on)));
    }

    /// Turns the radios off as well, and back to what they were.
    pub(crate) fn set_airplane(&mut self, on: bool) {
        if on {
            let before = format!("{}{}", digit(self.wifi()), digit(self.bluetooth()));
            self.put("global", "airplane_mode_before", Some(&before));
            self.set_wifi(false);
            self.set_bluetooth(false);
        } else if let Some(before) = self.get("global", "airplane_mode_before") {
            self.set_wifi(before.starts_with('1'));
            self.set_bluetooth(before.ends_with('1'));
        }
        self.put("global", "airplane_mode_on", Some(digit(on)));
    }

    pub(crate) fn input_methods(&self) -> Vec<(String, bool)> {
        [LATIN_KEYBOARD, ADB_KEYBOARD]
            .iter()
            .filter(|id| self.is_installed(id))
            .map(|id| ((*id).to_owned(), self.enabled.contains(id)))
            .collect()
    }

    fn is_installed(&self, id: &str) -> bool {
        id != ADB_KEYBOARD || self.adb_keyboard
    }

    pub(crate) fn has_adb_keyboard(&self) -> bool {
        self.adb_keyboard
    }

    /// One that is removed is no longer enabled, and Android goes back to another.
    pub(crate) fn set_adb_keyboard(&mut self, installed: bool) {
        if !installed {
            self.disable(ADB_KEYBOARD);
        }
        self.adb_keyboard = installed;
    }

    /// Android then takes the first one that is still enabled.
    fn disable(&mut self, id: &'static str) {
        self.enabled.remove(id);
        if self.input_method() == id {
            let next = self.enabled.first().copied().unwrap_or(LATIN_KEYBOARD);
            self.put("secure", "default_input_method", Some(next));
        }
        self.put_enabled();
    }

    fn put_enabled(&mut self) {
        let list: Vec<&str> = self.enabled.iter().copied().collect();
        self.put("secure", "enabled_input_methods", Some(&list.join(":")));
    }

    pub(crate) fn input_method(&self) -> String {
        self.get("secure", "default_input_method").unwrap_or_else(|| LATIN_KEYBOARD.to_owned())
    }

    pub(crate) fn set_input_method(&mut self, id: &str) -> Result<(), String> {
        match self.known(id) {
            Some(id) if self.enabled.contains(id) => {
                self.put("secure", "default_input_method", Some(id));
                Ok(())
            }
            Some(_) => {
                Err(format!("Input method {id} cannot be selected for user #0: it is not enabled"))
            }
            None => Err(format!("Unknown input method {id} cannot be selected for user #0")),
        }
    }

    pub(crate) fn enable_input_method(&mut self, id: &str, on: bool) -> Result<(), String> {
        let Some(id) = self.known(id) else {
            let verb = if on { "enabled" } else { "disabled" };
            return Err(format!("Unknown input method {id} cannot be {verb} for user #0"));
        };
        if on {
            self.enabled.insert(id);
            self.put_enabled();
        } else {
            self.disable(id);
        }
        Ok(())
    }

    /// Short and long spellings of the class are the same input method.
    fn known(&self, id: &str) -> Option<&'static str> {
        let long = |known: &str| known.split_once('/').map(|(p, class)| format!("{p}/{p}{class}"));
        [LATIN_KEYBOARD, ADB_KEYBOARD]
            .into_iter()
            .filter(|known| self.is_installed(known))
            .find(|known| *known == id || long(known).as_deref() == Some(id))
    }
}

fn digit(on: bool) -> &'static str {
    if on { "1" } else { "0" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn airplane_mode_gives_the_radios_back() {
        let mut system = SystemSettings::new();
        system.set_bluetooth(false);
        system.set_airplane(true);
        assert!(!system.wifi() && system.airplane());
        system.set_airplane(false);
        assert!(system.wifi() && !system.bluetooth() && !system.airplane());
    }

    #[test]
    fn an_input_method_has_to_be_enabled_first() {
        let mut system = SystemSettings::new();
        assert!(system.set_input_method(ADB_KEYBOARD).is_err());
        system.enable_input_method(ADB_KEYBOARD, true).unwrap();
        system.set_input_method("com.android.adbkeyboard/com.android.adbkeyboard.AdbIME").unwrap();
        assert_eq!(system.input_method(), ADB_KEYBOARD);
        assert!(system.set_input_method("no.such/.Ime").is_err());
    }
}
