//! The list of windows in `dumpsys window`, and whether its lines can be believed.
//!
//! The title of a window is chosen by its app, and Android prints it as it is: one with line breaks can carry
//! lines that look like Android's own. But it is printed in the list of windows too, so that such lines also
//! stand where Android never puts them.
//! That of a phone on which an app has hung begins with a copy of all windows as they were then, which
//! [`as_of_now`] takes away.
use std::borrow::Cow;

use super::text::lines;

/// The windows, filtered on the phone: a hundred lines come over instead of ten thousand.
///
/// `WINDOW MANAGER` parts a copy of earlier from what is now, `Window #` and `fl=` find protected windows, with
/// `mOwnerUid=` and `mAttrs=` it is known whose a window is, `Display: mDisplayId=` parts several displays, of
/// which `mTopFocusedDisplayId=` has the focus. Where `dumpsys window` names no app, as on some phones
/// with Android 16, the phone itself goes on to ask for the activity in front, and a television for the
/// input it shows.
///
/// Not `echo`: it would make lines of a title in which an app has written `\n`. `print` is built into Android's
/// shell, `printf` into others.
pub(crate) const WINDOWS_QUERY: &str = "W=$(dumpsys window | grep -E 'mCurrentFocus|mFocusedApp|\
     howing|ccluded=|mInputRestricted|\
     inputRestricted|mDreamingLockscreen|screenState|interactiveState|InputTarget|\
     mInputMethodTarget|mAwake|mScreenOnFully| cur=|^WINDOW MANAGER|Display: mDisplayId=|Window #|mOwnerUid=|mAttrs=|fl=.*SECURE|fl=#|FocusedDisplayId='); \
     print -r -- \"$W\" 2>/dev/null || printf '%s\\n' \"$W\"; \
     { print -r -- \"$W\" 2>/dev/null || printf '%s\\n' \"$W\"; } | grep -qE 'm(CurrentFocus|FocusedApp)=.*/' || \
     dumpsys activity activities | grep -E \
     'Display #|Display: mDisplayId=|topResumedActivity|ResumedActivity:|mFocusedApp=|KeyguardShowing=' || \
     dumpsys activity starter | grep -m 1 'android.media.tv/passthrough'";

/// A window of the list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Listed<'a> {
    /// What is inside the braces: token, user, title.
    pub(super) name: &'a str,
    /// The user id of the app that it belongs to, which the system itself notes; not before Android 4.3.
    pub(super) owner: Option<&'a str>,
    /// The package that the app names.
    pub(super) package: Option<&'a str>,
    kind: Option<&'a str>,
    /// It hides its contents from captures.
    pub(super) secure: bool,
}

impl Listed<'_> {
    pub(super) fn token(&self) -> Option<&str> {
        self.name.split_whitespace().next()
    }

    /// Whether it is of a kind that Android lets nobody but the system UI add: status bar, shade, navigation.
    pub(super) fn is_bar(&self) -> bool {
        const BARS: [&str; 14] = [
            "STATUS_BAR",
            "2000",
            "STATUS_BAR_PANEL",
            "2014",
            "STATUS_BAR_SUB_PANEL",
            "2017",
            "NAVIGATION_BAR",
            "2019",
            "NAVIGATION_BAR_PANEL",
            "2024",
            "NOTIFICATION_SHADE",
            "2040",
            "STATUS_BAR_ADDITIONAL",
            "2041",
        ];
        self.kind.is_some_and(|kind| BARS.contains(&kind))
    }
}

impl Listed<'_> {
    /// Whether it is of the kind that activities have, or of a dialog of one; not told counts as that.
    pub(super) fn is_of_activity(&self) -> bool {
        self.kind.is_none_or(|kind| ["BASE_APPLICATION", "1", "APPLICATION", "2"].contains(&kind))
    }

    /// Whether it is of a kind that belongs to another window of its app, such as a menu that pops up.
    pub(super) fn is_of_another(&self) -> bool {
        const NAMES: [&str; 5] = [
            "APPLICATION_PANEL",
            "APPLICATION_MEDIA",
            "APPLICATION_SUB_PANEL",
            "APPLICATION_ABOVE_SUB_PANEL",
            "APPLICATION_ATTACHED_DIALOG",
        ];
        let is_number = |kind: &str| kind.parse().is_ok_and(|it| (1000..2000).contains(&it));
        self.kind.is_some_and(|kind| NAMES.contains(&kind) || is_number(kind))
    }
}

/// The windows with what is told of each.
pub(super) fn listed(text: &str) -> Vec<Listed<'_>> {
    let mut all: Vec<Listed<'_>> = Vec::new();
    for line in lines(text).map(str::trim) {
        if line.starts_with(HEADER) {
            let inside = line.split_once('{').map_or("", |(_, inside)| inside);
            let name = inside.split('}').next().unwrap_or_default();
            all.push(Listed { name, ..Listed::default() });
            continue;
        }
        let Some(window) = all.last_mut() else { continue };
        if let Some(owner) = line.strip_prefix(OWNER) {
            window.owner = owner.split_whitespace().next();
            window.package = word(owner, "package=");
            // Attributes come behind.
            window.kind = None;
        } else if let Some(attributes) = line.strip_prefix("mAttrs=") {
            window.kind = window.kind.or_else(|| word(attributes, "ty="));
        }
        window.secure |= has_secure_flag(line);
    }
    all
}

const HEADER: &str = "Window #";
const OWNER: &str = "mOwnerUid=";
const FOCUS: [&str; 2] = ["mCurrentFocus=", "mFocusedApp="];

fn word<'a>(line: &'a str, label: &str) -> Option<&'a str> {
    line.split_whitespace().find_map(|word| word.strip_prefix(label))
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

/// Whether an app has put lines of its own among Android's, so that nothing can be said of what is in front.
pub(crate) fn is_forged(text: &str) -> bool {
    has_lines_in_a_title(text) || contradicts_itself(text)
}

/// A title has lines that are read, or what is told once before the list of windows, or behind it, stands
/// in it.
fn has_lines_in_a_title(text: &str) -> bool {
    let (mut is_in_list, mut focus_since, mut owners) = (false, false, 0);
    // What has to follow a title that goes on in the next line: of that, nothing is asked of the phone.
    let mut next: Option<&str> = None;
    for line in lines(text).map(str::trim) {
        if let Some(expected) = next.filter(|_| !line.is_empty()) {
            if !line.starts_with(expected) {
                return true;
            }
            next = None;
        }
        let is_header = line.starts_with(HEADER);
        let is_focus = FOCUS.iter().any(|key| line.starts_with(key));
        let goes_on = line.split_once('{').is_some_and(|(_, inside)| !inside.contains('}'));
        if goes_on && is_header {
            next = Some(OWNER);
        } else if goes_on && line.starts_with(FOCUS[0]) {
            next = Some(FOCUS[1]);
        }
        if is_header {
            owners = 0;
            // A short list may come before; the one that matters tells who owns each window.
            focus_since &= is_in_list;
        } else if is_focus || display_of(line).is_some() {
            focus_since = true;
        } else if line.starts_with(OWNER) {
            owners += 1;
            if (is_in_list && focus_since) || 1 < owners {
                return true;
            }
            (is_in_list, focus_since) = (true, false);
        }
    }
    false
}

/// Whether a line tells what the rules for the bars were computed for last. Until Android 11 these note an app in focus
/// of their own, by its token alone, which is late while another comes to the front.
pub(super) fn is_of_bars(line: &str) -> bool {
    line.trim_start().starts_with("mFocusedApp=Token{")
}

/// What comes behind the copy that Android keeps of all windows for two hours after an app has hung, and prints before
/// everything else. All of it where there is none, or where its end is not told.
///
/// A title that imitates the end leaves the rest of the copy, which contradicts what follows it.
pub(crate) fn as_of_now(text: &str) -> &str {
    const COPY: &str = "WINDOW MANAGER LAST ANR";
    const NEXT: &str = "\nWINDOW MANAGER POLICY STATE";
    let first = lines(text).find(|line| !line.trim().is_empty());
    let is_copied = first.is_some_and(|line| line.starts_with(COPY));
    let next = if is_copied { text.find(NEXT) } else { None };
    next.map_or(text, |at| &text[at + 1..])
}

/// One display has two apps in focus, or two windows.
fn contradicts_itself(text: &str) -> bool {
    let mut displays = lines(text).filter_map(display_of);
    let Some(first) = displays.next() else { return false };
    // Of several it is not known here which line is about which.
    if displays.any(|other| other != first) {
        return false;
    }
    FOCUS.iter().any(|key| {
        let mut told = lines(text)
            .filter(|line| !is_of_bars(line))
            .filter_map(|line| line.trim().strip_prefix(key))
            .filter(|it| *it != "null");
        let first = told.next();
        told.any(|other| Some(other) != first)
    })
}

/// The display that a heading begins to tell of.
pub(super) fn display_of(line: &str) -> Option<u32> {
    let line = line.trim_start();
    let rest =
        line.strip_prefix("Display: mDisplayId=").or_else(|| line.strip_prefix("Display #"))?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Whether a line begins what is told of no display any more.
pub(super) fn ends_displays(line: &str) -> bool {
    line.trim_start().starts_with(HEADER) || is_of_all_displays(line)
}

/// Whether a line tells the activity in front on any display, as `dumpsys activity` does behind the last one (AOSP,
/// `ActivityTaskManagerService.dumpActivitiesLocked`). That one is often a virtual display that shows nothing.
fn is_of_all_displays(line: &str) -> bool {
    line.trim_start().starts_with("ResumedActivity: ")
}

/// The displays that are told of, once for each heading.
pub(super) fn displays(text: &str) -> impl Iterator<Item = u32> {
    lines(text).filter_map(display_of)
}

/// What is told of one display, and what is told of none; everything where the display has no heading.
pub(crate) fn on_display(text: &str, display: u32) -> Cow<'_, str> {
    let has_heading = lines(text).any(|line| display_of(line) == Some(display));
    // Of forged lines all are kept: there, headings mean nothing.
    if !has_heading || is_forged(text) {
        return Cow::Borrowed(text);
    }
    let are_several = displays(text).any(|other| other != display);
    let mut is_here = true;
    let mut kept = String::new();
    for line in lines(text) {
        if let Some(other) = display_of(line) {
            is_here = other == display;
        } else if ends_displays(line) {
            is_here = true;
        }
        // Of several it is not known which one that is about.
        if is_here && !(are_several && is_of_all_displays(line)) {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    Cow::Owned(kept)
}
