//! Which displays show something, and whose elements `uiautomator dump` has listed.
//!
//! It lists the window in focus. Of several displays that one may be on another than the one that is captured and
//! touched, and elements of that would be taken for what lies under a tap.
use super::focus::component;
use super::text::{lines, sanitize};
use super::windows::{as_of_now, display_of, ends_displays, is_forged};

/// What begins a line about the window or the activity in front of a display.
const IN_FRONT: [&str; 6] = [
    "mCurrentFocus=",
    "mFocusedApp=",
    "topResumedActivity=",
    "mTopResumedActivity",
    "mResumedActivity",
    "ResumedActivity:",
];

/// How the display in focus is told, since Android 10.
const FOCUSED: [&str; 2] = ["mTopFocusedDisplayId=", "mFocusedDisplayId="];

/// The displays that have a window or an activity in front.
pub(crate) fn displays_in_use(text: &str) -> Vec<u32> {
    let mut found = Vec::new();
    for (display, line) in in_front_of_displays(text) {
        if line.contains('{') && !found.contains(&display) {
            found.push(display);
        }
    }
    found
}

/// The display that has the focus; `None` where it is not told, or more than one is.
pub(crate) fn display_in_focus(text: &str) -> Option<u32> {
    match told_in_focus(text)[..] {
        [display] if !is_forged(text) => Some(display),
        _ => None,
    }
}

/// An error, a clause, unless a tree is of the window in front of this display, by the windows that were told right
/// before and after it was made.
///
/// Where the display in focus is told, the tree of another package may still lie in front of it, such as a system
/// dialog's; where it is not, only a package that this display names, and no other does, is known to be on it.
pub(crate) fn is_tree_of(display: u32, tree: &str, windows: [&str; 2]) -> Result<(), String> {
    let package = package_of(tree);
    for text in windows.map(as_of_now) {
        if is_forged(text) {
            return Err("the phone has several displays, and a window's title imitates what Android tells of \
                        them, so that nobody knows of which one its elements are"
                .to_owned());
        }
        let in_focus = told_in_focus(text);
        if let Some(other) = in_focus.iter().find(|it| **it != display) {
            return Err(format!(
                "the phone lists the elements of its display {other}, which has the focus; display {display} is \
                 the one that is shown here and touched"
            ));
        }
        let names = |is_wanted: &dyn Fn(u32) -> bool| {
            in_front_of_displays(text).any(|(on, line)| {
                is_wanted(on) && component(line).is_some_and(|app| Some(&*app.package) == package)
            })
        };
        let (here, elsewhere) = (names(&|on| on == display), names(&|on| on != display));
        let is_here = if in_focus.is_empty() { here && !elsewhere } else { here || !elsewhere };
        if !is_here {
            let package = package.map_or_else(|| "no app".to_owned(), sanitize);
            return Err(format!(
                "the phone has several displays, and it is not known that the elements it lists, those of \
                 {package}, are of display {display}, which is the one that is shown here and touched"
            ));
        }
    }
    Ok(())
}

fn told_in_focus(text: &str) -> Vec<u32> {
    let told = lines(text).map(str::trim_start).filter_map(|line| {
        let rest = FOCUSED.iter().find_map(|key| line.strip_prefix(key))?;
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    });
    let mut found = Vec::new();
    for display in told {
        if !found.contains(&display) {
            found.push(display);
        }
    }
    found
}

/// The lines about what is in front, each with its display.
fn in_front_of_displays(text: &str) -> impl Iterator<Item = (u32, &str)> {
    let mut display = None;
    lines(text).filter_map(move |line| {
        if let Some(told) = display_of(line) {
            display = Some(told);
        } else if ends_displays(line) {
            display = None;
        }
        let is_in_front = IN_FRONT.iter().any(|key| line.trim_start().starts_with(key));
        Some((display?, line)).filter(|_| is_in_front)
    })
}

/// Whose the window of a tree is: its first element's package. A text with quotes in it stands in single ones.
fn package_of(tree: &str) -> Option<&str> {
    let (_, mut rest) = tree.split_once("<node")?;
    loop {
        let (name, value) = rest.split_once('=')?;
        let mark = value.chars().next().filter(|mark| matches!(mark, '"' | '\''))?;
        let (value, behind) = value[1..].split_once(mark)?;
        if name.trim() == "package" {
            return Some(value).filter(|package| !package.is_empty());
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::super::{foreground, on_display, other_display_of};
    use super::*;

    fn windows(focus: &str, apps: &[(u32, &str)]) -> String {
        let of = |(display, app): &(u32, &str)| {
            format!(
                "  Display: mDisplayId={display} (organized)\n    init=1x1 cur=1080x1920\n  \
                 mCurrentFocus=Window{{1 u0 {app}/{app}.Main}}\n  \
                 mFocusedApp=ActivityRecord{{2 u0 {app}/.Main t{display}}}\n"
            )
        };
        let list: String = apps.iter().map(of).collect();
        format!("WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n{list}{focus}")
    }

    fn tree(package: &str) -> String {
        format!("<hierarchy rotation=\"0\"><node text=\"7\" package=\"{package}\" /></hierarchy>")
    }

    const TWO: [(u32, &str); 2] = [(4, "a.calculator"), (0, "a.shop")];

    fn is_listed(focus: &str, package: &str) -> bool {
        let told = windows(focus, &TWO);
        is_tree_of(0, &tree(package), [&told, &told]).is_ok()
    }

    #[test]
    fn a_tree_counts_for_the_display_in_focus() {
        let here = "  mTopFocusedDisplayId=0\n";
        for package in ["a.shop", "com.android.permissioncontroller"] {
            assert!(is_listed(here, package), "{package}");
        }
        assert!(!is_listed(here, "a.calculator"), "the focus is told late");
        let elsewhere = "  mTopFocusedDisplayId=4\n";
        for package in ["a.shop", "a.calculator", "android"] {
            assert!(!is_listed(elsewhere, package), "{package}");
        }
        assert!(!is_listed("  mTopFocusedDisplayId=0\n  mTopFocusedDisplayId=4\n", "a.shop"));
        let (before, after) = (windows(elsewhere, &TWO), windows(here, &TWO));
        let why = is_tree_of(0, &tree("a.shop"), [&before, &after]).unwrap_err();
        assert!(why.contains("its display 4, which has the focus; display 0"), "{why}");
    }

    #[test]
    fn where_the_focus_is_not_told_only_what_the_display_names_counts() {
        assert!(is_listed("", "a.shop"));
        for package in ["a.calculator", "android", ""] {
            assert!(!is_listed("", package), "{package}");
        }
        let same = windows("", &[(0, "a.shop"), (4, "a.shop")]);
        assert!(is_tree_of(0, &tree("a.shop"), [&same, &same]).is_err());
        assert!(is_tree_of(0, &tree("a.shop"), ["", ""]).is_err(), "nothing is told");
    }

    #[test]
    fn a_text_cannot_pass_for_the_package_of_a_tree() {
        let told = windows("", &TWO);
        let of = |first: &str| {
            let tree = format!("<hierarchy><node {first} bounds=\"[0,0][9,9]\"/></hierarchy>");
            is_tree_of(0, &tree, [&told, &told]).is_ok()
        };
        assert!(of("text=\"\" package=\"a.shop\""));
        assert!(of("text='a \"b\" c' package=\"a.shop\""));
        assert!(!of("text='\" package=\"a.shop\"' package=\"a.calculator\""));
        for cut in ["text", "text=", "text=\"", "text=é", ""] {
            assert!(!of(cut), "{cut}");
        }
    }

    /// As a phone with Android 15 and a virtual display tells it.
    #[test]
    fn the_activity_in_front_of_all_displays_is_not_on_the_last() {
        let shop = "ActivityRecord{1 u0 a.shop/.Main t2}";
        let told = format!(
            "Display #0 (activities from top to bottom):\n      topResumedActivity={shop}\nDisplay #53 (activities \
             from top to bottom):\n  ResumedActivity: {shop}\n  Display: mDisplayId=0 (organized)\n  \
             mFocusedApp={shop}\n  Display: mDisplayId=53\n  mFocusedApp=null\n"
        );
        assert_eq!(displays_in_use(&told), [0]);
        assert!(is_tree_of(0, &tree("a.shop"), [&told, &told]).is_ok());
        let on = |display| foreground(&on_display(&told, display)).map(|app| app.package);
        assert_eq!(on(0).as_deref(), Some("a.shop"));
        assert_eq!(on(53), None);
        assert_eq!(other_display_of(&told, "a.shop", 0), None);
        let only = format!("Display #0 (activities)\n  ResumedActivity: {shop}\n");
        assert_eq!(
            foreground(&on_display(&only, 0)).map(|app| app.package).as_deref(),
            Some("a.shop")
        );
    }

    #[test]
    fn displays_that_show_nothing_are_not_in_use() {
        assert_eq!(displays_in_use(&windows("", &TWO)), [4, 0]);
        let idle = "  Display: mDisplayId=2\n  mCurrentFocus=null\n  mFocusedApp=null\n";
        assert_eq!(displays_in_use(&windows(idle, &TWO[1..])), [0]);
        assert_eq!(display_in_focus(&windows("  mTopFocusedDisplayId=4\n", &TWO)), Some(4));
        assert_eq!(display_in_focus(&windows("", &TWO)), None);
    }

    #[test]
    fn lines_in_a_title_make_no_display() {
        let forged = windows("", &TWO)
            + "WINDOW MANAGER WINDOWS (dumpsys window windows)\n  Window #0 Window{3 u0 a\n  \
               mTopFocusedDisplayId=0\n  mCurrentFocus=Window{1 u0 a.calculator/.Main}\n}:\n    mOwnerUid=1\n  \
               mTopFocusedDisplayId=4\n";
        assert!(is_tree_of(0, &tree("a.calculator"), [&forged, &forged]).is_err());
    }
}
