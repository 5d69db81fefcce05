//! Whether the screen is on and whether a lock screen is in front of it.
use std::borrow::Cow;

use super::text::lines;

/// Whether the screen is on, from `dumpsys power`, `dumpsys window` or `dumpsys input`, whichever
/// was run.
pub(crate) fn awake(text: &str) -> Option<bool> {
    let text = &*without_titles(text);
    // Dreaming is a screen saver: something is shown, but nothing that can be used. Some builds print the number.
    ["mWakefulness", "getWakefulnessLocked()", "getGlobalWakefulnessLocked()", "getWakefulness()"]
        .iter()
        .find_map(|key| value(text, key))
        .map(|v| v == "Awake" || v == "1")
        .or_else(|| {
            let on = ["INTERACTIVE_STATE_AWAKE", "INTERACTIVE_STATE_WAKING"];
            value(text, "interactiveState").map(|v| on.contains(&v))
        })
        .or_else(|| value(text, "screenState").map(|v| v == "SCREEN_STATE_ON"))
        // Android 9 prints the next name right behind it.
        .or_else(|| value(text, "mAwake").map(|v| v.starts_with("true")))
        .or_else(|| value(text, "mScreenOnFully").map(|v| v == "true"))
        .or_else(|| {
            let line = lines(text).map(str::trim).find_map(|l| l.strip_prefix("Interactive:"))?;
            Some(line.trim() == "true")
        })
}

/// Whether a lock screen is in front, from `dumpsys window` or `dumpsys window policy`.
pub(crate) fn locked(text: &str) -> Option<bool> {
    let text = &*without_titles(text);
    let flag = |key| value(text, key).map(|v| v == "true");
    // The lock screen's own word. The policy's flags can stay true on a phone that is in use (OnePlus 6T, Android 13).
    let mut told = values(text, "mIsShowing").peekable();
    if told.peek().is_some() && told.all(|it| it == "false") {
        return Some(false);
    }
    let shown =
        ["mShowingLockscreen", "mDreamingLockscreen", "isKeyguardShowing", "mKeyguardShowing"];
    if shown.iter().any(|key| flag(key) == Some(true)) {
        return Some(true);
    }
    // Once the lock screen is about to go, input is no longer restricted.
    let restricted = flag("mInputRestricted").or_else(|| flag("inputRestricted"));
    match (flag("mIsShowing").or_else(|| flag("showing")), restricted) {
        (Some(showing), Some(restricted)) => Some(showing && restricted),
        (Some(showing), None) => Some(showing),
        (None, _) => shown.iter().find_map(|key| flag(key)),
    }
}

/// Whether an app is shown over the lock screen, such as a call or an alarm, from `dumpsys window` or `dumpsys window
/// policy`.
pub(crate) fn is_app_over_lock(text: &str) -> bool {
    let text = &*without_titles(text);
    let is_true = |key| value(text, key) == Some("true");
    ["occluded", "mOccluded", "mKeyguardOccluded"].into_iter().any(is_true)
        || is_true("showing") && value(text, "showingAndNotOccluded") == Some("false")
}

/// Without what stands in braces, such as the title of a window, which its app chooses.
fn without_titles(text: &str) -> Cow<'_, str> {
    if !text.contains('{') {
        return Cow::Borrowed(text);
    }
    let before = |line| str::split(line, '{').next().unwrap_or_default();
    Cow::Owned(lines(text).map(before).collect::<Vec<_>>().join("\n"))
}

/// Whether the lock screen wants a secret, from `dumpsys window policy`, `dumpsys trust` and
/// `locksettings get-disabled`; `None` if the phone does not say.
pub(crate) fn wants_secret(policy: &str, trust: &str, disabled: &str) -> Option<bool> {
    if disabled.trim() == "true" {
        return Some(false);
    }
    let current = trust.lines().find(|line| line.contains("(current)"));
    let device_locked = value(current.unwrap_or(trust), "deviceLocked").and_then(|v| match v {
        "1" | "true" => Some(true),
        "0" | "false" => Some(false),
        _ => None,
    });
    // A trusted place or watch keeps a phone with a secret open.
    device_locked.or_else(|| value(policy, "secure").map(|v| v == "true"))
}

/// The value after the first `key=` that is not part of a longer name.
fn value<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    values(text, key).next()
}

/// The values after each of these.
fn values<'a>(text: &'a str, key: &str) -> impl Iterator<Item = &'a str> {
    text.match_indices(key).filter_map(|(at, key)| {
        let alone = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        let rest = text[at + key.len()..].strip_prefix('=').filter(|_| alone)?;
        rest.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next()
    })
}
