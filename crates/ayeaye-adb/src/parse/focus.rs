//! Which app is in front.
//!
//! Android prints it in several places, in forms that differ by version and vendor. The focused
//! activity (`mFocusedApp`, `topResumedActivity`) names an app even while the notification shade or
//! a system dialog covers it; the focused window (`mCurrentFocus`) decides between several screens,
//! and is used where no activity is named.
use ayeaye_agent::Component;

use super::sanitize;

/// The activity in front, from `dumpsys window`, `dumpsys activity activities` or lines of them.
pub(crate) fn foreground(text: &str) -> Option<Component> {
    let of = |keys: &[&str]| -> Vec<Component> {
        text.lines()
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
        .or_else(|| text.lines().find_map(ime_target))
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
    text.lines().filter(in_front).find_map(name)
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
