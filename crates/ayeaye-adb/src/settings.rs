//! Settings that are changed while the phone is driven and put back: those that keep the screen on, and the scales
//! of animations.
//!
//! `stay_on_while_plugged_in` is what the developer options' "Stay awake" sets; it holds while the phone has
//! power. Without power `screen_off_timeout` is what there is. The shell may write both
//! (`WRITE_SECURE_SETTINGS` and `WRITE_SETTINGS`), unless the maker has forbidden it.
//!
//! The scales are factors of how long animations take, 1 where they were never set: of windows, of what leads from
//! one screen to another, and of what apps animate themselves (`Settings.Global`).
use ayeaye_agent::{DeviceError, PutBack, SettingChange};

use crate::client::DeviceClient;
use crate::parse::{batch, sanitize, split_batch};
use crate::quote::quote;
use crate::refusal;
use crate::shell::ShellOutput;

const STAY_ON: &str = "global/stay_on_while_plugged_in";
const TIMEOUT: &str = "system/screen_off_timeout";
const ANIMATIONS: [&str; 3] = [
    "global/window_animation_scale",
    "global/transition_animation_scale",
    "global/animator_duration_scale",
];
/// Asks for the active input method of the person in front, whom `ime` acts on too.
pub(crate) const ACTIVE: &str = "settings --user current get secure default_input_method";
/// The active input method.
pub(crate) const KEYBOARD: &str = "keyboard";
/// Whether an input method may be used; its id follows.
pub(crate) const KEYBOARD_ENABLED: &str = "keyboard-enabled/";

/// With a charger, a cable, or without either: bits of `BatteryManager`.
const ANY_POWER: u32 = 1 | 2 | 4;
/// On a dock, since Android 13. A phone that stays awake with everything else is not changed for a dock that it is
/// not on.
const DOCK_POWER: u32 = 8;
/// Half an hour, in milliseconds: the longest that makers' own lists offer.
const LONG_TIMEOUT: u64 = 30 * 60 * 1000;

const STAY_AWAKE: &str = "keeping it awake";
const STOP_ANIMATIONS: &str = "its animations";
const CHANGE: &str = "changing a setting";
const PUT_BACK: &str = "putting a setting back";

/// The changes of which one is enough, the best first; none where the phone stays awake as it is.
pub(crate) async fn ways(client: &DeviceClient) -> Result<Vec<SettingChange>, DeviceError> {
    let ask = batch(&[
        "dumpsys battery | grep powered",
        "settings get global stay_on_while_plugged_in",
        "settings --user current get system screen_off_timeout",
        "am get-current-user",
    ]);
    let output = client.shell_quick(STAY_AWAKE, &ask).await?;
    let [power, stay_on, timeout, user] = split_batch(&output.stdout);
    let ways = choose(power, number(stay_on), number(timeout));
    let unclear = || client.garbled(STAY_AWAKE, output.with_stdout(timeout).summary());
    let mut ways = ways.ok_or_else(unclear)?;
    if let Some(user @ 1..) = last_line(user).and_then(|user| user.parse::<u32>().ok()) {
        // A value that was never set could not be taken away again.
        let stays_awake = ways.is_empty();
        ways.retain(|way| way.setting != TIMEOUT || way.before.is_some());
        if ways.is_empty() && !stays_awake {
            let why =
                "the person in front has no screen timeout of their own to change and put back";
            return Err(client.refused(STAY_AWAKE, why));
        }
        for way in ways.iter_mut().filter(|way| way.setting == TIMEOUT) {
            way.setting = format!("system@{user}/screen_off_timeout");
        }
    }
    Ok(ways)
}

/// Nothing was printed that could be a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Unclear;

/// What a setting is; `None` for one that has no value.
type Value<'a> = Result<Option<&'a str>, Unclear>;

/// What was not understood is not changed. `None` if that is all there is.
fn choose(power: &str, stay_on: Value<'_>, timeout: Value<'_>) -> Option<Vec<SettingChange>> {
    let mut ways = Vec::new();
    if power.contains("powered: true")
        && let Ok(stay_on) = stay_on
    {
        let set: u32 = stay_on.and_then(|bits| bits.parse().ok()).unwrap_or_default();
        let docked = power.contains("Dock powered: true");
        let wanted = if docked { ANY_POWER | DOCK_POWER } else { ANY_POWER };
        if set & wanted == wanted {
            return Some(ways);
        }
        ways.push(change(STAY_ON, stay_on, (set | wanted).to_string()));
    }
    let Ok(timeout) = timeout else { return Some(ways).filter(|ways| !ways.is_empty()) };
    let long = timeout.and_then(|ms| ms.parse::<u64>().ok()).is_some_and(|ms| LONG_TIMEOUT <= ms);
    if !long {
        ways.push(change(TIMEOUT, timeout, LONG_TIMEOUT.to_string()));
    }
    Some(ways)
}

fn change(setting: &str, before: Option<&str>, value: String) -> SettingChange {
    SettingChange { setting: setting.to_owned(), before: before.map(ToOwned::to_owned), value }
}

/// The scales that are not zero. An error if one of them was not understood.
pub(crate) async fn animations(client: &DeviceClient) -> Result<Vec<SettingChange>, DeviceError> {
    let ask = ANIMATIONS.map(|setting| format!("settings get {}", setting.replace('/', " ")));
    let output =
        client.shell_quick(STOP_ANIMATIONS, &batch(&ask.each_ref().map(|it| &**it))).await?;
    let scales: [&str; 3] = split_batch(&output.stdout);
    let mut changes = Vec::new();
    for (setting, printed) in ANIMATIONS.into_iter().zip(scales) {
        let unclear = |_| client.garbled(STOP_ANIMATIONS, output.with_stdout(printed).summary());
        let scale = number(printed).map_err(unclear)?;
        if scale.is_none_or(|scale| scale.parse::<f32>() != Ok(0.0)) {
            changes.push(change(setting, scale, "0".to_owned()));
        }
    }
    Ok(changes)
}

/// Changes it, and makes sure of it.
pub(crate) async fn apply(
    client: &DeviceClient,
    change: &SettingChange,
) -> Result<(), DeviceError> {
    let SettingPlace { user, table, key } = place(client, change)?;
    let value_word = word(client, &change.value)?;
    let line = batch(&[
        &format!("settings{user} put {table} {key} {value_word}"),
        &format!("settings{user} get {table} {key}"),
    ]);
    let output = client.act_quick(CHANGE, &line).await?;
    let [put, now] = split_batch(&output.stdout);
    if value(now) == Ok(Some(&change.value)) {
        return Ok(());
    }
    let why = why_refused(&output.with_stdout(put), now);
    Err(client.refused(CHANGE, format!("{} cannot be set: {why}", change.setting)))
}

/// Why a setting does not have the value that it was given: what the phone said, else that it has another one.
fn why_refused(put: &ShellOutput, now: &str) -> String {
    match (refusal::reason(&put.combined()), last_line(now)) {
        (Some(reason), _) => reason,
        (None, Some(now)) if put.first_message().is_none() => {
            format!("it is still {}", sanitize(now))
        }
        (None, _) => put.summary(),
    }
}

/// Puts it back, unless somebody has given it another value since.
///
/// A phone that is starting answers long before its settings can be read, and before its keyboards are listed.
pub(crate) async fn put_back(
    client: &DeviceClient,
    change: &SettingChange,
) -> Result<PutBack, DeviceError> {
    let ([methods, ask], back) = if let Some(id) = change.setting.strip_prefix(KEYBOARD_ENABLED) {
        (
            ["ime list -s", ACTIVE].map(ToOwned::to_owned),
            format!("ime disable {}", word(client, id)?),
        )
    } else if change.setting == KEYBOARD {
        let before = change.before.as_deref().unwrap_or_default();
        (["echo", ACTIVE].map(ToOwned::to_owned), format!("ime set {}", word(client, before)?))
    } else {
        let SettingPlace { user, table, key } = place(client, change)?;
        let back = match &change.before {
            Some(before) => format!("settings{user} put {table} {key} {}", word(client, before)?),
            // Not of another person than the first (AOSP, `SettingsService.java`).
            None => format!("settings delete {table} {key}"),
        };
        (["echo".to_owned(), format!("settings{user} get {table} {key}")], back)
    };
    let all = batch(&["getprop sys.boot_completed", &methods, &ask]);
    let output = client.shell_quick(PUT_BACK, &all).await?;
    let [booted, methods, now] = split_batch(&output.stdout);
    if last_line(booted) != Some("1") || output.combined().contains("Can't find service") {
        return Err(DeviceError::NotReady(client.id().clone(), "still starting".to_owned()));
    }
    let told = output.with_stdout(now);
    if output.exit_code != 0 {
        return Err(client.refused(PUT_BACK, told.summary()));
    }
    let is_keyboard = change.setting.starts_with(KEYBOARD);
    // Where no keyboard was ever chosen, as on a television, nothing is printed.
    let now = if is_keyboard { value(now).or(Ok(None)) } else { number(now) };
    let now = now.map_err(|Unclear| client.garbled(PUT_BACK, told.summary()))?;
    match standing(change, methods, now) {
        Standing::Ours => {}
        Standing::Before => return Ok(PutBack::Done),
        Standing::Other => return Ok(PutBack::ChangedSince),
    }
    if is_keyboard {
        // Read at once, the active one may still be that of before.
        let output = client.act_quick(PUT_BACK, &back).await?;
        let refused = output.exit_code != 0 || says_no(&output.combined());
        let why = || why_refused(&output, "");
        return if refused { Err(client.refused(PUT_BACK, why())) } else { Ok(PutBack::Done) };
    }
    // An exit code tells nothing: before Android 8 a refused change ends with 0.
    let output = client.act_quick(PUT_BACK, &batch(&[&back, &ask])).await?;
    let [put, now] = split_batch(&output.stdout);
    match number(now).map(|now| standing(change, "", now)) {
        Ok(Standing::Before) => Ok(PutBack::Done),
        // Whatever the phone has made of it: what it was changed to is gone.
        Ok(Standing::Other) => Ok(PutBack::ChangedSince),
        Ok(Standing::Ours) | Err(Unclear) => {
            Err(client.refused(PUT_BACK, why_refused(&output.with_stdout(put), now)))
        }
    }
}

/// Whether `ime` was refused though it may have ended with 0, as before Android 8.
fn says_no(told: &str) -> bool {
    let is_error = |line: &str| {
        line.starts_with("Error")
            || line.contains("Exception: ")
            || line.starts_with("Unknown input method")
    };
    told.lines().map(str::trim).any(is_error)
}

/// Whose value a setting has.
#[derive(Debug, PartialEq, Eq)]
enum Standing {
    Ours,
    Before,
    Other,
}

/// From the enabled input methods, and the setting or the active input method.
fn standing(change: &SettingChange, methods: &str, now: Option<&str>) -> Standing {
    if let Some(id) = change.setting.strip_prefix(KEYBOARD_ENABLED) {
        let enabled = methods.lines().any(|line| line.trim() == id);
        return match enabled {
            false => Standing::Before,
            // The person has taken to it.
            true if now == Some(id) => Standing::Other,
            true => Standing::Ours,
        };
    }
    if now == Some(&change.value) {
        Standing::Ours
    } else if now == change.before.as_deref() {
        Standing::Before
    } else {
        Standing::Other
    }
}

/// Where a setting is.
struct SettingPlace<'a> {
    /// The words that name the person, if that is not the first one.
    user: String,
    table: &'a str,
    key: &'a str,
}

/// From a name such as `system/screen_off_timeout`, or `system@10/screen_off_timeout` of the person with that number.
fn place<'a>(
    client: &DeviceClient,
    change: &'a SettingChange,
) -> Result<SettingPlace<'a>, DeviceError> {
    let unknown = || client.refused(CHANGE, format!("there is no setting {}", change.setting));
    let (place, key) = change.setting.split_once('/').ok_or_else(unknown)?;
    let (table, user) = match place.split_once('@') {
        None => (place, String::new()),
        Some((table, user)) => {
            let user: u32 = user.parse().map_err(|_| unknown())?;
            (table, format!(" --user {user}"))
        }
    };
    let is_name = |name: &str| {
        !name.is_empty()
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'.')
    };
    let known = matches!(table, "global" | "system" | "secure") && is_name(key);
    if known { Ok(SettingPlace { user, table, key }) } else { Err(unknown()) }
}

fn word(client: &DeviceClient, text: &str) -> Result<crate::quote::ShellWord, DeviceError> {
    quote(text).map_err(|error| client.refused(CHANGE, error.to_string()))
}

/// A value as `settings get` prints it.
fn value(printed: &str) -> Value<'_> {
    let value = last_line(printed).ok_or(Unclear)?;
    Ok(Some(value).filter(|value| *value != "null"))
}

/// The same for a setting that is a number: an error that was printed is none.
fn number(printed: &str) -> Value<'_> {
    let is_number = |value: &str| value.parse::<f64>().is_ok_and(f64::is_finite);
    value(printed).and_then(|value| match value {
        Some(text) if !is_number(text) => Err(Unclear),
        value => Ok(value),
    })
}

/// Old phones print warnings of their linker before it.
fn last_line(printed: &str) -> Option<&str> {
    printed.lines().map(str::trim).rfind(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(ways: &[SettingChange]) -> Vec<(&str, Option<&str>, &str)> {
        ways.iter()
            .map(|it| (it.setting.as_str(), it.before.as_deref(), it.value.as_str()))
            .collect()
    }

    #[test]
    fn what_keeps_a_phone_awake_depends_on_its_power() {
        let usb = "  AC powered: false\n  USB powered: true\n  Wireless powered: false\n";
        let none = "  AC powered: false\n  USB powered: false\n";
        let choose = |power, stay_on, timeout| choose(power, Ok(stay_on), Ok(timeout)).unwrap();
        let ways = choose(usb, Some("0"), Some("30000"));
        assert_eq!(names(&ways), [(STAY_ON, Some("0"), "7"), (TIMEOUT, Some("30000"), "1800000")]);
        assert_eq!(names(&choose(usb, Some("8"), None))[0], (STAY_ON, Some("8"), "15"));
        assert_eq!(names(&choose(usb, None, None))[0], (STAY_ON, None, "7"));
        assert!(choose(usb, Some("7"), Some("30000")).is_empty(), "it stays awake as it is");
        let dock = "  USB powered: false\n  Dock powered: true\n";
        assert_eq!(names(&choose(dock, Some("7"), None))[0], (STAY_ON, Some("7"), "15"));
        assert!(choose(dock, Some("15"), Some("30000")).is_empty());
        assert_eq!(
            names(&choose(none, Some("7"), Some("30000"))),
            [(TIMEOUT, Some("30000"), "1800000")]
        );
        assert!(choose(none, Some("0"), Some("2147483647")).is_empty());
    }

    #[test]
    fn only_what_still_is_as_it_was_left_is_put_back() {
        let own = "com.own/.Ime";
        let ours = "com.android.adbkeyboard/.AdbIME";
        let timeout = change(TIMEOUT, Some("30000"), "1800000".to_owned());
        for (now, expected) in [
            (Some("1800000"), Standing::Ours),
            (Some("30000"), Standing::Before),
            (Some("60000"), Standing::Other),
            (None, Standing::Other),
        ] {
            assert_eq!(standing(&timeout, "", now), expected, "{now:?}");
        }
        let keyboard = change(KEYBOARD, Some(own), ours.to_owned());
        assert_eq!(standing(&keyboard, "", Some(ours)), Standing::Ours);
        assert_eq!(standing(&keyboard, "", Some("com.third/.Ime")), Standing::Other);
        let enabled = change(&format!("{KEYBOARD_ENABLED}{ours}"), None, "enabled".to_owned());
        let both = format!("{own}\n{ours}\n");
        assert_eq!(standing(&enabled, &both, Some(own)), Standing::Ours);
        assert_eq!(standing(&enabled, &both, Some(ours)), Standing::Other, "it is in use");
        assert_eq!(standing(&enabled, own, Some(own)), Standing::Before);
    }

    #[test]
    fn a_setting_without_a_value_has_none() {
        assert_eq!(number("null\n"), Ok(None));
        assert_eq!(number(" 7\r\n"), Ok(Some("7")));
        assert_eq!(value("com.own/.Ime\n"), Ok(Some("com.own/.Ime")));
        assert_eq!(value("\n"), Err(Unclear), "nothing was printed");
    }

    #[test]
    fn what_is_no_value_is_not_taken_for_one() {
        let linker = "WARNING: linker: libdvm.so has text relocations. This is wasting memory.";
        assert_eq!(number(&format!("{linker}\r\n30000\r\n")), Ok(Some("30000")));
        assert_eq!(number(&format!("{linker}\r\n")), Err(Unclear));
        for printed in ["", "cmd: Can't find service: settings\n", "Error: no\n", "inf", "NaN"] {
            assert_eq!(number(printed), Err(Unclear), "{printed}");
        }
        let usb = "USB powered: true";
        assert_eq!(choose(usb, Err(Unclear), Err(Unclear)), None);
        assert_eq!(choose(usb, Ok(Some("7")), Err(Unclear)), Some(Vec::new()));
        let timeout = choose(usb, Err(Unclear), Ok(Some("30000"))).unwrap();
        assert_eq!(names(&timeout), [(TIMEOUT, Some("30000"), "1800000")]);
        assert_eq!(choose("", Ok(Some("0")), Err(Unclear)), None);
    }
}
