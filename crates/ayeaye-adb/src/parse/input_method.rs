//! The input methods (keyboards) of a phone.

/// Ids of the input methods: installed, enabled, active.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InputMethods {
    pub(crate) installed: Vec<String>,
    pub(crate) enabled: Vec<String>,
    pub(crate) current: Option<String>,
}

impl InputMethods {
    /// From `ime list -s -a`, `ime list -s` and `settings get secure default_input_method`.
    pub(crate) fn read(all: &str, enabled: &str, current: &str) -> Self {
        let enabled = input_method_ids(enabled);
        let mut installed = input_method_ids(all);
        if installed.is_empty() {
            installed.clone_from(&enabled);
        }
        Self { installed, enabled, current: input_method_ids(current).into_iter().next() }
    }
}

/// The ids (`package/class`) in a list of input methods, in the short or the long form of `ime list`.
pub(crate) fn input_method_ids(text: &str) -> Vec<String> {
    text.lines()
        .filter(|line| !line.starts_with([' ', '\t']))
        .map(|line| line.trim().trim_end_matches(':'))
        .filter(|id| is_component(id))
        .map(ToOwned::to_owned)
        .collect()
}

/// Whether the soft keyboard is shown, from `dumpsys input_method`.
pub(crate) fn keyboard_shown(text: &str) -> Option<bool> {
    let is_true = |key: &str| text.contains(&format!("{key}=true"));
    let asked = ["mInputShown", "mIsInputViewShown"];
    asked.iter().any(|key| text.contains(key)).then(|| asked.iter().any(|key| is_true(key)))
}

/// Whether the focused field is for a password, from `dumpsys input_method`: by the input type that
/// the keyboard was started with. One left over from a field that has lost the focus does not count.
pub(crate) fn secret_field(text: &str) -> bool {
    if text.contains("mInputStarted=false") {
        return false;
    }
    let mut lines = text.lines().skip_while(|line| !line.trim().starts_with("mInputEditorInfo:"));
    // Some builds print it on the same line, most on the next.
    let told = lines.by_ref().take(2).find_map(|line| line.split_once("inputType=0x"));
    let digits = told.map(|(_, rest)| rest.split(|c: char| !c.is_ascii_hexdigit()).next());
    let kind = digits.flatten().and_then(|digits| u32::from_str_radix(digits, 16).ok());
    kind.is_some_and(is_password)
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

pub(super) fn is_component(text: &str) -> bool {
    let is_class = |class: &str| {
        !class.is_empty()
            && class.len() <= 255
            && class.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$'))
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
    fn a_field_that_was_left_does_not_count() {
        let info = "mInputEditorInfo:\n    inputType=0x81 imeOptions=0x6\n";
        assert!(secret_field(&dump(true, info)));
        assert!(!secret_field(&dump(false, info)));
        assert!(!secret_field(&dump(true, "mInputEditorInfo: null\n")));
        assert!(!secret_field(""));
        assert!(secret_field("mInputEditorInfo: inputType=0x81 x"), "on one line");
    }
}
