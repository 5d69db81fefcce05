//! Which app is in front.
//!
//! Android prints it in several places, in forms that differ by version and vendor. The focused
//! activity (`mFocusedApp`, `topResumedActivity`) names an app even while the notification shade or
//! a system dialog covers it; the focused window (`mCurrentFocus`) decides between several screens,
//! is used where no activity is named, and tells when the shade is open.
use ayeaye_agent::Component;

use super::sanitize;
use super::text::lines;
use super::windows::{Listed, displays, is_forged, is_of_bars, listed, on_display};

/// The windows of the notification shade: since Android 11, before, and MIUI's second one. The lock
/// screen is in the same window.
const SHADES: [&str; 4] = ["NotificationShade", "StatusBar", "control_center", "NotificationPanel"];

const SYSTEM_UI: &str = "com.android.systemui";

/// What is in front: the notification shade if it is open, else the app.
pub(crate) fn in_front(text: &str) -> Option<Component> {
    if !is_forged(text) && is_shade_open(text) {
        return Some(Component {
            package: SYSTEM_UI.to_owned(),
            activity: "NotificationShade".to_owned(),
        });
    }
    foreground(text)
}

/// Whose app is in front, as a number of Android's: another than the person's own for one in a work profile.
pub(crate) fn user_in_front(text: &str, package: &str) -> Option<u32> {
    let told = ["mFocusedApp=", "topResumedActivity", "ResumedActivity:", "mCurrentFocus="];
    let user = |line: &str| {
        let (before, _) = line.split_once(&format!(" {package}/"))?;
        before.rsplit(' ').next()?.strip_prefix('u')?.parse().ok()
    };
    told.into_iter().find_map(|mark| lines(text).filter(|line| line.contains(mark)).find_map(user))
}

fn is_shade_open(text: &str) -> bool {
    let Some(window) = focused_windows(text).next() else { return false };
    let mut words = window.split_whitespace();
    let token = words.next();
    words.any(|word| SHADES.contains(&word)) && may_be_of_system_ui(token, &listed(text))
}

/// Whether the window of a token is the system UI's. Any app may give its window the title of the shade; whose
/// it is the list of windows tells, where the phone has one that tells that.
fn may_be_of_system_ui(token: Option<&str>, all: &[Listed<'_>]) -> bool {
    let Some(window) = all.iter().find(|it| it.token() == token) else {
        return all.iter().all(|it| it.owner.is_none());
    };
    let Some(owner) = window.owner else { return true };
    let mut bars = all.iter().filter(|it| it.is_bar()).peekable();
    if bars.peek().is_some() {
        return bars.any(|bar| bar.owner == Some(owner));
    }
    window.package.is_none_or(|package| package == SYSTEM_UI)
}

/// What is inside the braces of `mCurrentFocus=Window{…}`, of each display that has such a window.
fn focused_windows(text: &str) -> impl Iterator<Item = &str> {
    lines(text).filter_map(|line| {
        let window = line.trim().strip_prefix("mCurrentFocus=")?;
        // Makers write more behind it: "Window{…}-[Surface(…)]" (realme), "Window{…}, [type=1]".
        window.split_once('{')?.1.split('}').next()
    })
}

/// The title of the window in front where it is Android's dialog about an app that hangs or has crashed: it names the process.
pub(crate) fn error_dialog(text: &str) -> Option<String> {
    const BEGINS: [&str; 2] = ["Application Not Responding: ", "Application Error: "];
    focused_windows(text).find_map(|window| {
        // Behind the window's token and its user.
        let title = window.splitn(3, ' ').nth(2)?;
        // vivo's phones write " type=2003 " behind it.
        let title = title.split(" type=").next().unwrap_or(title);
        BEGINS.iter().any(|begin| title.starts_with(begin)).then(|| sanitize(title))
    })
}

/// Whether the window in front, or the activity behind it, hides its contents from captures: its
/// flags, as `dumpsys window` lists them, have `FLAG_SECURE`. Where it cannot be known what is in front, it
/// may be such a window.
pub(crate) fn is_protected(text: &str) -> bool {
    if is_forged(text) {
        return true;
    }
    if is_shade_open(text) {
        return false;
    }
    let tokens: Vec<&str> =
        focused_windows(text).filter_map(|window| window.split_whitespace().next()).collect();
    let app = foreground(text);
    listed(text).iter().filter(|window| window.secure).any(|window| {
        let focused = window.token().is_some_and(|it| tokens.contains(&it));
        focused || (app.is_some() && component(window.name) == app)
    })
}

/// The display other than this one on which the app is in front.
pub(crate) fn other_display_of(text: &str, package: &str, display: u32) -> Option<u32> {
    // More than any phone has, and an app's lines may imitate headings.
    const MOST: usize = 16;
    if is_forged(text) {
        return None;
    }
    let is_shown = |other: &u32| {
        foreground(&on_display(text, *other)).is_some_and(|app| app.package == package)
    };
    displays(text).filter(|other| *other != display).take(MOST).find(is_shown)
}

/// The activity in front, behind a shade if one is open, from `dumpsys window`, `dumpsys activity activities` or lines
/// of them. `None` also where an app has put lines of its own among them.
pub(crate) fn foreground(text: &str) -> Option<Component> {
    if is_forged(text) {
        return None;
    }
    let of = |keys: &[&str]| -> Vec<Component> {
        lines(text)
            .filter(|line| keys.iter().any(|key| line.trim_start().starts_with(key)))
            .filter(|line| !is_of_bars(line))
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
        .or_else(|| windows.first().filter(|_| is_activity_above(text, &windows, &focused)))
        .or_else(|| focused.iter().find(|app| !is_cover(app)))
        .or_else(|| resumed.iter().find(same))
        .or_else(|| resumed.first())
        .or_else(|| windows.first())
        .or_else(|| focused.first())
        .cloned()
        .or_else(|| lines(text).filter(|line| is_of_bars(line)).find_map(component))
        .or_else(|| ime_target(text))
        .or_else(|| lines(text).find_map(last_started))
}

/// Whether the window in focus is another app's activity, which lies above the app in focus and is what is seen: as
/// where a television's home screen stays above an app that was opened, or while one app follows the other. Windows of
/// other kinds, such as the system's dialogs, lie above an app that is in front all the same; where no windows are
/// listed, the kind is not known.
fn is_activity_above(text: &str, windows: &[Component], focused: &[Component]) -> bool {
    // Of several it is not known which one is above which.
    let [_] = windows else { return false };
    let all = listed(text);
    let mut in_focus = focused_windows(text).filter_map(|window| window.split_whitespace().next());
    let is_activity = in_focus.any(|token| {
        all.iter().any(|window| window.token() == Some(token) && window.is_of_activity())
    });
    !focused.is_empty() && is_activity
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
        let (package, class) = name.split_once('/')?;
        asks_which(package, class).then(|| sanitize(name))
    };
    lines(text).filter(in_front).filter(|line| !is_of_bars(line)).find_map(name)
}

/// Whether the activity asks which app is meant. Apps have screens called `LanguageChooserActivity` and the like;
/// those of the phone are known by their package, or by a name that only a maker has.
pub(super) fn asks_which(package: &str, class: &str) -> bool {
    let class = class.rsplit('.').next().unwrap_or(class);
    match package {
        // Android before and since 14, Huawei and Honor.
        "android"
        | "com.android.intentresolver"
        | "com.google.android.intentresolver"
        | "com.huawei.android.internal.app"
        | "com.hihonor.android.internal.app" => {
            ["ResolverActivity", "ChooserActivity"].iter().any(|known| class.ends_with(known))
        }
        // Samsung, vivo, Lenovo, and Infinix and Tecno.
        "com.samsung.android.da.daagent"
        | "com.vivo.doubleinstance"
        | "com.zui.resolver"
        | "com.transsion.resolver" => true,
        // Xiaomi and OPPO.
        _ => ["XSpaceResolve", "MultiAppResolve", "MultiAppChoose"]
            .iter()
            .any(|known| class.starts_with(known)),
    }
}

/// The launcher on the outer screen of a foldable: always resumed, seldom the app in front.
fn is_cover(app: &Component) -> bool {
    app.activity.ends_with(".SubHomeActivity")
}

/// The window that would receive text, the last resort on Android 11 and 12, whose list of windows
/// does not name the focused one. Where it is a menu that pops up, the app's window below it.
fn ime_target(text: &str) -> Option<Component> {
    // The second is that of NVIDIA's televisions.
    let told = [
        "mInputMethodTarget in display#",
        "mInputMethodInputTarget in display#",
        "imeInputTarget in display#",
    ];
    let target = |line: &str| {
        let line = line.trim_start();
        let window = told.iter().find_map(|key| line.strip_prefix(key))?;
        component(window).or_else(|| {
            let token = window.split_once('{')?.1.split_whitespace().next();
            let all = listed(text);
            let at = all.iter().position(|it| it.token() == token)?;
            let owner = all[at].owner.filter(|_| all[at].is_of_another())?;
            let below = all[at..].iter().filter(|it| it.owner == Some(owner));
            below.filter(|it| it.is_of_activity()).find_map(|it| component(it.name))
        })
    };
    lines(text).find_map(target)
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
pub(super) fn component(line: &str) -> Option<Component> {
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
