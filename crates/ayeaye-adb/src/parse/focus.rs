//! Which app is in front.
//!
//! Android prints it in several places, in forms that differ by version and vendor. The focused
//! activity (`mFocusedApp`, `topResumedActivity`) names an app even while the notification shade or
//! a system dialog covers it; the focused window (`mCurrentFocus`) decides between several screens,
//! is used where no activity is named, and tells when the shade is open.
use ayeaye_agent::Component;

use super::sanitize;
use super::text::lines;

/// The windows of the notification shade: since Android 11, before, and MIUI's second one. The lock
/// screen is in the same window.
const SHADES: [&str; 4] = ["NotificationShade", "StatusBar", "control_center", "NotificationPanel"];

/// What is in front: the notification shade if it is open, else the app.
pub(crate) fn in_front(text: &str) -> Option<Component> {
    if is_shade_open(text) {
        return Some(Component {
            package: "com.android.systemui".to_owned(),
            activity: "NotificationShade".to_owned(),
        });
    }
    foreground(text)
}

fn is_shade_open(text: &str) -> bool {
    focused_windows(text)
        .next()
        .is_some_and(|window| window.split_whitespace().skip(1).any(|word| SHADES.contains(&word)))
}

/// What is inside the braces of `mCurrentFocus=Window{…}`, of each display that has such a window.
fn focused_windows(text: &str) -> impl Iterator<Item = &str> {
    lines(text).filter_map(|line| {
        let window = line.trim().strip_prefix("mCurrentFocus=")?;
        Some(window.split_once('{')?.1.trim_end_matches('}'))
    })
}

/// Whether the window in front, or the activity behind it, hides its contents from captures: its
/// flags, as `dumpsys window` lists them, have `FLAG_SECURE`.
pub(crate) fn is_protected(text: &str) -> bool {
    if is_shade_open(text) {
        return false;
    }
    let tokens: Vec<&str> =
        focused_windows(text).filter_map(|window| window.split_whitespace().next()).collect();
    let app = foreground(text);
    let mut header: Option<&str> = None;
    for line in lines(text) {
        let line = line.trim();
        if line.starts_with("Window #") {
            header = line.split_once('{').map(|(_, window)| window);
        } else if let Some(window) = header
            && has_secure_flag(line)
        {
            let focused = window.split_whitespace().next().is_some_and(|it| tokens.contains(&it));
            if focused || (app.is_some() && component(line_of(window)) == app) {
                return true;
            }
        }
    }
    false
}

/// The part of a window's header that names it, without what follows the braces.
fn line_of(window: &str) -> &str {
    window.split('}').next().unwrap_or(window)
}

/// Whether a line with a window's attributes has the flag, by name or as a number in base 16.
fn has_secure_flag(line: &str) -> bool {
    const FLAG_SECURE: u32 = 0x2000;
    let labelled = line.match_indices("fl=").find_map(|(at, label)| {
        let alone = !line[..at].ends_with(|c: char| c.is_ascii_alphanumeric());
        alone.then(|| &line[at + label.len()..])
    });
    let Some(flags) = labelled else { return false };
    if let Some(number) = flags.strip_prefix('#').or_else(|| flags.strip_prefix("0x")) {
        let end = number.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(number.len());
        return u32::from_str_radix(&number[..end], 16).is_ok_and(|it| it & FLAG_SECURE != 0);
    }
    // What follows on the same line has a label of its own.
    flags
        .split([' ', '|', ',', '}'])
        .take_while(|word| !word.contains('='))
        .any(|word| word == "SECURE" || word == "FLAG_SECURE")
}

/// The activity in front, behind a shade if one is open, from `dumpsys window`, `dumpsys activity activities` or lines of them.
pub(crate) fn foreground(text: &str) -> Option<Component> {
    let of = |keys: &[&str]| -> Vec<Component> {
        lines(text)
            .filter(|line| keys.iter().any(|key| line.trim_start().starts_with(key)))
            .filter_map(component)
            .collect()
    };
    let focused = of(&["mFocusedApp="]);
    let windows = of(&["mCurrentFocus="]);
    let resumed =
        of(&["topResumedActivity=", "mResumedActivity", "ResumedActivity:", "mTopResumedActivity"]);
    let same = |app: &&Component| windows.iter().any(|w| w.package == app.package);
    focused
        .iter()
        .find(same)
        .or_else(|| focused.iter().find(|app| !is_cover(app)))
        .or_else(|| resumed.iter().find(same))
        .or_else(|| resumed.first())
        .or_else(|| windows.first())
        .or_else(|| focused.first())
        .cloned()
        .or_else(|| lines(text).find_map(ime_target))
        .or_else(|| lines(text).find_map(last_started))
}

/// The window in front, if it asks which of several apps is meant: Android's own, or a maker's for apps
/// that are there twice.
pub(crate) fn chooser(text: &str) -> Option<String> {
    let in_front = |line: &&str| {
        [
            "mCurrentFocus=",
            "mFocusedApp=",
            "topResumedActivity=",
            "mResumedActivity",
            "ResumedActivity:",
        ]
        .iter()
        .any(|key| line.trim_start().starts_with(key))
    };
    let name = |line: &str| {
        let inner = line.rsplit('{').next()?;
        let name = inner.split([' ', '}', ',']).find(|word| word.contains('/'))?;
        let asks = CHOOSERS.iter().any(|known| name.contains(known));
        asks.then(|| sanitize(name))
    };
    lines(text).filter(in_front).find_map(name)
}

/// Parts of the names of such windows: Android's before and since 14, Huawei's, Xiaomi's, Samsung's,
/// vivo's, OPPO's.
const CHOOSERS: [&str; 7] = [
    "ResolverActivity",
    "ChooserActivity",
    "XSpaceResolve",
    "com.samsung.android.da.daagent/",
    "com.vivo.doubleinstance/",
    "MultiAppResolve",
    "MultiAppChoose",
];

/// The launcher on the outer screen of a foldable: always resumed, seldom the app in front.
fn is_cover(app: &Component) -> bool {
    app.activity.ends_with(".SubHomeActivity")
}

/// The window that would receive text, the last resort on Android 11 and 12, whose list of windows
/// does not name the focused one.
fn ime_target(line: &str) -> Option<Component> {
    let line = line.trim_start();
    let told = ["mInputMethodTarget in display#", "imeInputTarget in display#"];
    told.iter().any(|key| line.starts_with(key)).then(|| component(line)).flatten()
}

/// The activity that was started last, from `dumpsys activity starter`: all that a television says while
/// it shows what comes in by a cable.
fn last_started(line: &str) -> Option<Component> {
    let line = line.trim_start();
    let intent = line.strip_prefix("mIntent=").unwrap_or(line).strip_prefix("Intent {")?;
    let named = intent.split([' ', '}']).find_map(|word| word.strip_prefix("cmp="))?;
    component(named)
}

/// The `package/activity` inside the innermost braces of a line.
fn component(line: &str) -> Option<Component> {
    let inner = line.rsplit('{').next()?;
    inner.split([' ', '}', ',']).find_map(|word| {
        let (package, activity) = word.split_once('/')?;
        let fits = crate::quote::is_package(package) && !activity.is_empty();
        fits.then(|| Component { package: package.to_owned(), activity: short(package, activity) })
    })
}

/// `com.x.Main` of `com.x` as `.Main`, so that both notations compare equal.
fn short(package: &str, activity: &str) -> String {
    let rest = activity.strip_prefix(package).filter(|rest| rest.starts_with('.'));
    sanitize(rest.unwrap_or(activity))
}
