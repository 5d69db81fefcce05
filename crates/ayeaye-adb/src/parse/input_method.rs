//! The input methods (keyboards) of a phone.

use super::text::lines;

/// The keyboard that types any text.
const ADB_KEYBOARD: &str = "com.android.adbkeyboard/.AdbIME";

/// Ids of the input methods: installed, enabled, active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InputMethods {
    pub(crate) installed: Vec<String>,
    pub(crate) enabled: Vec<String>,
    pub(crate) current: Option<String>,
    /// What the phone printed instead of a list, where it lets no computer ask or choose.
    pub(crate) refusal: Option<String>,
}

impl InputMethods {
    /// From `ime list -s -a`, `ime list -s` and `settings get secure default_input_method`.
    pub(crate) fn read(all: &str, enabled: &str, current: &str) -> Self {
        let enabled = input_method_ids(enabled);
        let mut installed = input_method_ids(all);
        if installed.is_empty() {
            installed.clone_from(&enabled);
        }
        let current = input_method_ids(current).into_iter().next();
        Self { installed, enabled, current, refusal: None }
    }

    /// The same where `ime` may be refused, as by OPPO's phones: the settings then say what is enabled, and
    /// the list of packages whether the keyboard is installed.
    pub(crate) fn read_refused(
        [all, enabled, current]: [&str; 3],
        enabled_setting: &str,
        packages: &str,
    ) -> Self {
        let mut methods = Self::read(all, enabled, current);
        methods.refusal = all.contains("SecurityException").then(|| all.to_owned());
        if methods.enabled.is_empty() {
            // `id;subtype;subtype:id`
            let ids = enabled_setting.trim().split(':').filter_map(|it| it.split(';').next());
            methods.enabled = ids.filter(|id| is_component(id)).map(ToOwned::to_owned).collect();
        }
        if methods.installed.is_empty() {
            methods.installed.clone_from(&methods.enabled);
            let name = ADB_KEYBOARD.split('/').next().unwrap_or_default();
            let listed = packages.lines().any(|line| line.trim() == format!("package:{name}"));
            let known = methods.enabled.iter().any(|id| id.starts_with(name));
            if listed && !known {
                methods.installed.push(ADB_KEYBOARD.to_owned());
            }
        }
        methods
    }
}

/// The ids (`package/class`) in a list of input methods, in the short or the long form of `ime list`.
pub(crate) fn input_method_ids(text: &str) -> Vec<String> {
    lines(text)
        .filter(|line| !line.starts_with([' ', '\t']))
        .map(|line| line.trim().trim_end_matches(':'))
        .filter(|id| is_component(id))
        .map(ToOwned::to_owned)
        .collect()
}

/// Whether the soft keyboard is shown, from `dumpsys input_method`. `mInputShown`, what the system has asked for, is
/// true where a hardware keyboard keeps it away, and `mIsInputViewShown`, which the input method tells of itself, stays
/// true after it was hidden: where both are told, both must be.
pub(crate) fn keyboard_shown(text: &str) -> Option<bool> {
    let text = of_person_in_front(text);
    let told = |key: &str| {
        let values = text.split(key).skip(1).filter_map(|rest| rest.strip_prefix('='));
        values.map(|value| value.starts_with("true")).reduce(|one, other| one || other)
    };
    match (told("mInputShown"), told("mIsInputViewShown")) {
        (Some(asked), Some(drawn)) => Some(asked && drawn),
        (one, other) => one.or(other),
    }
}

/// What is told of the person in front. Of several who use one machine at once, as in a car with a screen for each seat,
/// all is told one after the other since Android 16 (AOSP, `InputMethodManagerService.dumpAsStringNoCheck`). Where
/// another line looks like that person's, as an app can make its hint, everything counts.
fn of_person_in_front(text: &str) -> &str {
    let number = |rest: &str| rest.lines().next()?.trim().parse::<u32>().ok();
    let told = text.split_once("mCurrentImeUserId=").and_then(|(_, told)| number(told));
    let Some(in_front) = told else { return text };
    let (mut persons, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        if let Some(person) = line.trim_start().strip_prefix("UserId=") {
            persons.push((at, number(person)));
        }
        at += line.len();
    }
    let mut own = (0..persons.len()).filter(|&it| persons[it].1 == Some(in_front));
    match (own.next(), own.next()) {
        (Some(own), None) => {
            &text[persons[own].0..persons.get(own + 1).map_or(text.len(), |&(end, _)| end)]
        }
        _ => text,
    }
}

/// What [`FieldState`] is read from.
pub(crate) const FIELD_QUERY: &str = "dumpsys input_method | grep -E \
    'mInputShown|mIsInputViewShown|mCursorSel|mInputStarted|mInputEditorInfo|inputType=0x|\
     mCurMethodId=|mCurrentImeUserId=|^ *UserId=|mSelectedMethodId=|mCurId='";

/// The field in focus and its keyboard, as one quick command tells.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct FieldState {
    /// Whether the soft keyboard is shown.
    pub(crate) keyboard_shown: Option<bool>,
    pub(crate) caret: Option<Caret>,
    /// The active input method.
    pub(crate) method: Option<String>,
    /// Whether the field hides what is typed into it.
    pub(crate) secret: Option<bool>,
    /// Whether the field takes no line breaks. Its text may still be shown in several lines.
    pub(crate) one_line: Option<bool>,
    /// Whether the app in front has a field that takes text. No is only what the phone says of itself, and no keyboard
    /// that is shown contradicts.
    pub(crate) has_field: Option<bool>,
}

impl FieldState {
    /// From what [`FIELD_QUERY`] prints, or more of the same dump.
    pub(crate) fn read(text: &str) -> Self {
        let method = current_method(text);
        let text = of_person_in_front(text);
        Self {
            keyboard_shown: keyboard_shown(text),
            caret: caret(text),
            method,
            secret: field_kind(text).map(is_password),
            one_line: field_kind(text).and_then(is_one_line),
            has_field: has_field(text),
        }
    }
}

/// Where the caret of the field in focus stands, in UTF-16 units from its beginning.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Caret {
    /// The beginning of the selection, or the caret.
    pub(crate) start: usize,
    /// The end of the selection, or the caret.
    pub(crate) end: usize,
    /// The keyboard is still making a word of what has been typed.
    pub(crate) composing: bool,
}

impl Caret {
    /// Where it stands in an empty field.
    pub(crate) const START: Self = Self { start: 0, end: 0, composing: false };

    /// Whether it stands there, with nothing selected and nothing under way.
    pub(crate) fn is_at(self, place: usize) -> bool {
        self.start == place && self.end == place && !self.composing
    }

    pub(crate) fn is_selection(self) -> bool {
        self.start != self.end
    }
}

/// The caret, from what `dumpsys input_method` tells of the app in front.
fn caret(text: &str) -> Option<Caret> {
    let number = |key: &str| -> Option<i64> {
        let (_, rest) = text.split_once(&format!("{key}="))?;
        let end = rest.find(|c: char| c != '-' && !c.is_ascii_digit()).unwrap_or(rest.len());
        rest[..end].parse().ok()
    };
    // -1 where no field has the focus.
    let place = |key| number(key).and_then(|place| usize::try_from(place).ok());
    let (start, end) = (place("mCursorSelStart")?, place("mCursorSelEnd")?);
    let composing = match (place("mCursorCandStart"), place("mCursorCandEnd")) {
        (Some(from), Some(to)) => from != to,
        _ => false,
    };
    Some(Caret { start: start.min(end), end: start.max(end), composing })
}

/// The active input method, from `dumpsys input_method`. Since Android 16 each user has one, of which that of the
/// person in front counts.
fn current_method(text: &str) -> Option<String> {
    let id = |rest: &str| {
        let id = rest.split_whitespace().next()?;
        is_component(id).then(|| id.to_owned())
    };
    if let Some((_, rest)) = text.split_once("mCurMethodId=") {
        return id(rest);
    }
    let mut in_front = None;
    let mut users: Vec<MethodOfUser> = Vec::new();
    for line in lines(text).map(str::trim) {
        if let Some(user) = line.strip_prefix("mCurrentImeUserId=") {
            in_front = user.parse::<u32>().ok();
        } else if let Some(user) = line.strip_prefix("UserId=") {
            users.push(MethodOfUser { user: user.parse().ok(), ..MethodOfUser::default() });
        } else if let Some(user) = users.last_mut() {
            if let Some(selected) = line.strip_prefix("mSelectedMethodId=") {
                user.selected = user.selected.take().or_else(|| id(selected));
            } else if let Some(bound) = line.strip_prefix("mCurId=") {
                user.bound = user.bound.take().or_else(|| id(bound));
            }
        }
    }
    let is_in_front = |it: &&MethodOfUser| in_front.is_some() && it.user == in_front;
    // Where the person in front is not told, it is who has a keyboard running.
    let told = || users.iter().find(is_in_front);
    let running = || users.iter().find(|it| it.bound.is_some());
    let user = told().or_else(running).or_else(|| users.first())?;
    user.selected.clone().or_else(|| user.bound.clone())
}

/// What is told of one user's input method.
#[derive(Debug, Default)]
struct MethodOfUser {
    user: Option<u32>,
    /// The chosen one.
    selected: Option<String>,
    /// The one that runs.
    bound: Option<String>,
}

/// Whether the focused field is for a password, from `dumpsys input_method`: by the input type that
/// the keyboard was started with. One left over from a field that has lost the focus does not count.
pub(crate) fn secret_field(text: &str) -> bool {
    field_kind(of_person_in_front(text)).is_some_and(is_password)
}

/// See [`FieldState::has_field`]. A window without a field starts no input, or one of type 0 (AOSP,
/// `InputMethodManager.startInputInner`), as terminals and games do for what they draw themselves.
fn has_field(text: &str) -> Option<bool> {
    if keyboard_shown(text) == Some(true) {
        return Some(true);
    }
    if text.contains(NOT_STARTED) {
        return Some(false);
    }
    // The caret may be that of a field before.
    field_kind(text).map(|kind| kind != 0).or_else(|| caret(text).map(|_| true))
}

const NOT_STARTED: &str = "mInputStarted=false";

/// The input type of the focused field, as a number of Android's.
fn field_kind(text: &str) -> Option<u32> {
    if text.contains(NOT_STARTED) {
        return None;
    }
    let rest = lines(text).skip_while(|line| !line.trim().starts_with("mInputEditorInfo:"));
    let rest = rest.take_while(|line| line.trim() != "mInputEditorInfo: null");
    // Some builds print it on the same line, most on the next.
    let told = rest.take(2).find_map(|line| line.split_once("inputType=0x"));
    let digits = told.map(|(_, rest)| rest.split(|c: char| !c.is_ascii_hexdigit()).next());
    digits.flatten().and_then(|digits| u32::from_str_radix(digits, 16).ok())
}

/// Android's `InputType`: the class in the last four bits, its variation in the next eight. A
/// visible password (`0x90`) does not count: many fields use that type only to turn off the
/// keyboard's suggestions.
fn is_password(kind: u32) -> bool {
    const TEXT: u32 = 1;
    const NUMBER: u32 = 2;
    match (kind & 0xf, kind & 0xff0) {
        (TEXT, variation) => variation == 0x80 || variation == 0xe0,
        (NUMBER, variation) => variation == 0x10,
        _ => false,
    }
}

/// Whether a text of Android's `InputType` has no line breaks; apps that draw their fields themselves have no type.
fn is_one_line(kind: u32) -> Option<bool> {
    const MULTI_LINE: u32 = 0x2_0000;
    match kind & 0xf {
        0 => None,
        1 => Some(kind & MULTI_LINE == 0),
        _ => Some(true),
    }
}

/// Whether this is a `package/class`. The class may have letters of any script, as Android's bytecode has; `$` is
/// special to a shell, so that it is quoted wherever it is used.
pub(super) fn is_component(text: &str) -> bool {
    let is_class = |class: &str| {
        !class.is_empty()
            && class.len() <= 255
            && class.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '$'))
    };
    text.split_once('/')
        .is_some_and(|(package, class)| crate::quote::is_package(package) && is_class(class))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dump(started: bool, info: &str) -> String {
        format!(
            "  mShowRequested=true mInputShown=true\n--\n  mInputStarted={started} mInputViewStarted=true\n  {info}"
        )
    }

    #[test]
    fn a_password_field_is_recognised_by_its_input_type() {
        let is_password = |kind: &str| {
            secret_field(&dump(
                true,
                &format!("mInputEditorInfo:\n    inputType={kind} imeOptions=0x6\n"),
            ))
        };
        for kind in ["0x81", "0x80081", "0xe1", "0x12", "0xa0012"] {
            assert!(is_password(kind), "{kind}");
        }
        for kind in ["0x1", "0x24001", "0x91", "0x2", "0x3", "0x21", "0x0", "zz", "0xffffffffff"] {
            assert!(!is_password(kind), "{kind}");
        }
    }

    #[test]
    fn a_field_of_one_line_is_known_by_its_input_type() {
        for (kind, expected) in [
            ("0x1", Some(true)),
            ("0x81", Some(true)),
            ("0x2", Some(true)),
            ("0x24001", Some(false)),
            ("0x0", None),
            ("zz", None),
        ] {
            let info = format!("mInputEditorInfo:\n    inputType={kind} imeOptions=0x6\n");
            assert_eq!(FieldState::read(&dump(true, &info)).one_line, expected, "{kind}");
        }
    }

    #[test]
    fn that_no_field_has_the_focus_is_only_what_the_phone_says_without_contradiction() {
        let dump = |shown: bool, started: bool, kind: &str, caret: i32| {
            format!(
                "  mInputShown={shown}\n  mInputStarted={started}\n  mInputEditorInfo:\n    inputType={kind} \
                 imeOptions=0x6\n  mCursorSelStart={caret} mCursorSelEnd={caret}\n"
            )
        };
        for (text, expected) in [
            (dump(false, false, "0x1", -1), Some(false)),
            (dump(false, true, "0x0", -1), Some(false)),
            (dump(false, true, "0x1", -1), Some(true)),
            (dump(true, true, "0x0", -1), Some(true)),
            (dump(false, true, "0x0", 0), Some(false)),
            (dump(false, false, "0x1", 4), Some(false)),
            (" mCursorSelStart=0 mCursorSelEnd=0\n".to_owned(), Some(true)),
            ("  mCurMethodId=a.b/.C\n".to_owned(), None),
            (String::new(), None),
        ] {
            assert_eq!(FieldState::read(&text).has_field, expected, "{text}");
        }
    }

    #[test]
    fn the_caret_is_read_with_what_is_under_way() {
        let line = "  mCursorSelStart=3 mCursorSelEnd=3 mCursorCandStart=-1 mCursorCandEnd=-1\n";
        let at = |start, end, composing| Some(Caret { start, end, composing });
        assert_eq!(caret(line), at(3, 3, false));
        assert!(caret(line).unwrap().is_at(3));
        let composing = line.replace(
            "mCursorCandStart=-1 mCursorCandEnd=-1",
            "mCursorCandStart=0 mCursorCandEnd=3",
        );
        assert_eq!(caret(&composing), at(3, 3, true));
        assert_eq!(caret("mCursorSelStart=9 mCursorSelEnd=2"), at(2, 9, false));
        for none in [
            "",
            "mCursorSelStart=-1 mCursorSelEnd=-1",
            "mCursorSelStart=x",
            "mCursorSelStart=99999999999999999999 mCursorSelEnd=1",
        ] {
            assert_eq!(caret(none), None, "{none}");
        }
        assert_eq!(current_method("  mCurMethodId=a.b/.C\n").as_deref(), Some("a.b/.C"));
        assert_eq!(current_method("  mCurMethodId=null\n"), None);
    }

    #[test]
    fn of_several_users_the_keyboard_of_the_person_in_front_is_in_use() {
        let user = |user: u32, selected: &str, bound: &str| {
            format!("  UserId={user}\n    mSelectedMethodId={selected}\n    mCurId={bound}\n")
        };
        let (first, second) = (user(0, "a.b/.C", "null"), user(10, "d.e/.F", "d.e/.F"));
        let method = |front: &str, users: &[&str]| {
            current_method(&format!(
                "Input Method Manager Service state:\n{front}{}",
                users.concat()
            ))
        };
        let (owner, guest) = ("  mCurrentImeUserId=0\n", "  mCurrentImeUserId=10\n");
        for (front, users, expected) in [
            (owner, vec![&*first, &*second], Some("a.b/.C")),
            (guest, vec![&*first, &*second], Some("d.e/.F")),
            // Not told: the one that runs.
            ("", vec![&*first, &*second], Some("d.e/.F")),
            ("", vec![&*first], Some("a.b/.C")),
            (guest, vec![&*first], Some("a.b/.C")),
            ("", vec!["  UserId=0\n    mCurId=d.e/.F\n"], Some("d.e/.F")),
            ("", vec!["  UserId=0\n    mSelectedMethodId=null\n    mCurId=null\n"], None),
            (owner, vec![], None),
        ] {
            assert_eq!(method(front, &users).as_deref(), expected, "{front} {users:?}");
        }
    }

    #[test]
    fn what_others_do_in_the_same_car_is_not_taken_for_the_drivers() {
        let person = |user: u32, shown: bool, kind: &str| {
            format!(
                "  UserId={user}\n      mSelectedMethodId=a.b/.C\n      mInputShown={shown}\n  mInputStarted=true\n  \
                 mInputEditorInfo:\n    inputType={kind} x\n  mIsInputViewShown={shown}\n"
            )
        };
        let car = |driver: u32| {
            format!(
                "  mCurrentImeUserId={driver}\n{}{}",
                person(10, false, "0x1"),
                person(11, true, "0x81")
            )
        };
        for (driver, is_typing) in [(10, false), (11, true)] {
            let told = car(driver);
            let field = FieldState::read(&told);
            assert_eq!((field.keyboard_shown, field.secret), (Some(is_typing), Some(is_typing)));
            assert_eq!((keyboard_shown(&told), secret_field(&told)), (Some(is_typing), is_typing));
            assert_eq!(field.method.as_deref(), Some("a.b/.C"));
        }
        // A hint of an app with a line like that hides nothing.
        let hint = "  mCurrentImeUserId=0\n    hintText=x\nUserId=0\n  UserId=0\n";
        let forged = format!("{hint}{}", person(0, true, "0x81").split_once('\n').unwrap().1);
        assert!(secret_field(&forged));
        // Whose it is may not be told, or nonsense: then everything counts.
        for driver in ["", "x", "12"] {
            let told =
                car(10).replace("mCurrentImeUserId=10", &format!("mCurrentImeUserId={driver}"));
            assert_eq!(keyboard_shown(&told), Some(true), "{driver}");
        }
    }

    #[test]
    fn where_ime_is_refused_the_settings_and_the_packages_tell() {
        let refused = "\nException occurred while executing 'ime':\njava.lang.SecurityException: uid 2000 \
                       does not have android.permission.WRITE_SECURE_SETTINGS.\n\tat android.app.X\n";
        let lists = |current| [refused, refused, current];
        let setting =
            "com.sohu.inputmethod.sogouoem/.SogouIME;-921088104:com.android.adbkeyboard/.AdbIME\n";
        let methods =
            InputMethods::read_refused(lists("com.android.adbkeyboard/.AdbIME\n"), setting, "");
        assert!(methods.refusal.is_some());
        assert_eq!(methods.current.as_deref(), Some(ADB_KEYBOARD));
        assert_eq!(methods.enabled.len(), 2);
        assert!(methods.installed.iter().any(|id| id == ADB_KEYBOARD));
        let packages = "package:com.android.adbkeyboard\n";
        let methods = InputMethods::read_refused(lists("a.b/.C\n"), "a.b/.C\n", packages);
        assert_eq!(methods.installed, ["a.b/.C", ADB_KEYBOARD]);
        assert_eq!(methods.enabled, ["a.b/.C"]);
        let methods = InputMethods::read_refused(lists("null\n"), "null\n", "package:com.x\n");
        assert!(methods.installed.is_empty() && methods.current.is_none());
        let healthy = ["a.b/.C\nd.e/.F\n", "a.b/.C\n", "a.b/.C\n"];
        let methods = InputMethods::read_refused(healthy, "", "");
        assert_eq!((methods.installed.len(), methods.refusal), (2, None));
    }

    #[test]
    fn a_field_that_was_left_does_not_count() {
        let info = "mInputEditorInfo:\n    inputType=0x81 imeOptions=0x6\n";
        assert!(secret_field(&dump(true, info)));
        assert!(!secret_field(&dump(false, info)));
        assert!(!secret_field(&dump(true, "mInputEditorInfo: null\n")));
        // What stands behind it is the keyboard's own.
        assert!(!secret_field(&dump(true, "mInputEditorInfo: null\n    inputType=0x81 x\n")));
        assert!(!secret_field(""));
        assert!(secret_field("mInputEditorInfo: inputType=0x81 x"), "on one line");
    }
}
