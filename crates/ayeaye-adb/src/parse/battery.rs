//! The battery, as `dumpsys battery` prints it.

/// What a phone says of its battery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Battery {
    /// In per cent of what it holds.
    pub(crate) charge: Option<u32>,
    /// Whether it gets power, by whatever way.
    pub(crate) powered: Option<bool>,
    /// In tenths of a degree Celsius.
    pub(crate) temperature: Option<i32>,
}

/// Of a device without a battery, which Android tells as one that is empty and cold, nothing but whether it gets power.
/// Makers add lines of their own before and behind Android's, some with the same names: the first counts.
pub(crate) fn battery(text: &str) -> Battery {
    let fields = || text.lines().filter_map(|line| line.split_once(':'));
    let value = |name: &str| {
        let mut named = fields().filter(|(key, _)| key.trim().eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value.trim())
    };
    let number = |name: &str| value(name)?.parse::<i32>().ok();
    let charge = || {
        let level = u32::try_from(number("level")?).ok()?;
        let scale = number("scale").and_then(|it| u32::try_from(it).ok()).unwrap_or(100);
        level.checked_mul(100)?.checked_div(scale).filter(|percent| *percent <= 100)
    };
    let mut sources = fields()
        .filter(|(key, _)| key.trim().to_ascii_lowercase().ends_with(" powered"))
        .map(|(_, value)| value.trim() == "true")
        .peekable();
    let told = sources.peek().is_some();
    let powered = told.then(|| sources.any(|it| it));
    if value("present") == Some("false") {
        return Battery { powered, ..Battery::default() };
    }
    let temperature = number("temperature").filter(|it| (-400..=1200).contains(it));
    Battery { charge: charge(), powered, temperature }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_battery_is_read_from_any_version() {
        let old = "Current Battery Service state:\r\n  AC powered: false\r\n  USB powered: false\r\n  \
                   level: 30\r\n  scale: 200\r\n  temperature: -15";
        let expected = Battery { charge: Some(15), powered: Some(false), temperature: Some(-15) };
        assert_eq!(battery(old), expected);
        // Samsung's own lines come behind Android's.
        let new = "  (UPDATES STOPPED -- use 'reset' to restart)\n  AC powered: false\n  \
                   Wireless powered: true\n  Dock powered: false\n  level: 87\n  scale: 100\n  \
                   temperature: 301\n  SEC: \n  mBatteryLevel: 1\n  level: 3\n";
        let expected = Battery { charge: Some(87), powered: Some(true), temperature: Some(301) };
        assert_eq!(battery(new), expected);
        let none =
            "  AC powered: true\n  present: false\n  level: 0\n  scale: 100\n  temperature: 0\n";
        let expected = Battery { powered: Some(true), ..Battery::default() };
        assert_eq!(battery(none), expected);
        for wrong in
            ["", "Can't find service: battery", "level: 5\nscale: 0", "level: 900", "level:"]
        {
            assert_eq!(battery(wrong), Battery::default(), "{wrong}");
        }
    }
}
