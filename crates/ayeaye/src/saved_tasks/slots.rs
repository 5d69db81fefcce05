//! Slots in a task: `{person}` stands for what is said when the task is done.
use std::collections::BTreeMap;

/// The longest name of a slot, in bytes.
const LONGEST_NAME: usize = 32;

/// A piece of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TaskPiece<'a> {
    Words(&'a str),
    /// The name of a slot.
    Slot(&'a str),
}

/// The names of the slots in a task, each once, in order. What is in double braces, such as
/// `{{secret:bank}}`, is no slot, and neither is anything that could not be a name.
pub(super) fn slots(text: &str) -> Vec<&str> {
    let mut names = Vec::new();
    for piece in pieces(text) {
        if let TaskPiece::Slot(name) = piece
            && !names.contains(&name)
        {
            names.push(name);
        }
    }
    names
}

/// What looks like a slot and is none, from its brace to the one that closes it, or to the end.
pub fn braces_without_slot(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    for piece in pieces(text) {
        let TaskPiece::Words(mut words) = piece else { continue };
        while let Some(open) = words.find('{') {
            let rest = &words[open..];
            let doubled = rest.starts_with("{{").then(|| Some(rest.find("}}")? + 2)).flatten();
            let end = doubled.unwrap_or_else(|| rest.find('}').map_or(rest.len(), |end| end + 1));
            let names_secret = doubled.is_some() && rest.starts_with("{{secret:");
            if !names_secret {
                found.push(&rest[..end]);
            }
            words = &rest[end..];
        }
    }
    found
}

/// The task with what stands in its slots; the first slot that has nothing is the error. What is filled in is
/// not looked at for slots again.
pub(super) fn fill(text: &str, values: &BTreeMap<String, String>) -> Result<String, String> {
    let mut filled = String::with_capacity(text.len());
    for piece in pieces(text) {
        filled.push_str(match piece {
            TaskPiece::Words(words) => words,
            TaskPiece::Slot(name) => values.get(name).ok_or_else(|| name.to_owned())?,
        });
    }
    Ok(filled)
}

/// Whether a slot can have this name: a small letter, then small letters, digits, `-` and `_`.
pub fn is_slot_name(name: &str) -> bool {
    let inner =
        |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.bytes().all(inner)
}

fn pieces(text: &str) -> Vec<TaskPiece<'_>> {
    let mut pieces = Vec::new();
    let mut words = 0;
    let mut at = 0;
    while let Some(open) = text[at..].find('{').map(|found| at + found) {
        let rest = &text[open..];
        if rest.starts_with("{{") {
            // Up to its own end; without one it is nothing but two braces.
            at = open + rest.find("}}").map_or(2, |end| end + 2);
            continue;
        }
        let name =
            rest[1..].split_once('}').map(|(name, _)| name).filter(|name| is_slot_name(name));
        match name {
            Some(name) => {
                pieces.push(TaskPiece::Words(&text[words..open]));
                pieces.push(TaskPiece::Slot(name));
                at = open + name.len() + 2;
                words = at;
            }
            None => at = open + 1,
        }
    }
    pieces.push(TaskPiece::Words(&text[words..]));
    pieces.retain(|piece| *piece != TaskPiece::Words(""));
    pieces
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn filled(text: &str, values: &[(&str, &str)]) -> Result<String, String> {
        let values = values.iter().map(|(slot, value)| ((*slot).to_owned(), (*value).to_owned()));
        fill(text, &values.collect())
    }

    #[test]
    fn slots_are_found_and_filled_once() {
        let text = "Text {person}: {words}. Tell {person} with {{secret:bank}}";
        assert_eq!(slots(text), ["person", "words"]);
        let values = [("person", "Anna"), ("words", "{person} {{secret:x}}")];
        assert_eq!(
            filled(text, &values).unwrap(),
            "Text Anna: {person} {{secret:x}}. Tell Anna with {{secret:bank}}"
        );
        assert_eq!(filled(text, &values[..1]), Err("words".to_owned()));
    }

    #[test]
    fn other_braces_are_words() {
        for text in
            ["", "{}", "{ a }", "{Anna}", "{a", "a}", "{{a}}", "{{a", "{a b}", "{1}", "{äh}"]
        {
            assert_eq!(
                (slots(text), filled(text, &[])),
                (Vec::new(), Ok(text.to_owned())),
                "{text}"
            );
        }
        assert_eq!(slots("{x{y}z}"), ["y"]);
    }

    #[test]
    fn braces_that_are_no_slot_are_told() {
        assert_eq!(braces_without_slot("Tell {Person} {"), ["{Person}", "{"]);
        assert_eq!(braces_without_slot("Text {person} {} with {{secret:bank}} {{x"), ["{}", "{{x"]);
        assert_eq!(braces_without_slot("Use {{x}} here"), ["{{x}}"]);
        assert_eq!(braces_without_slot("no braces }"), [""; 0]);
    }

    proptest! {
        #[test]
        fn text_without_values_stays_or_names_a_slot(text in "[{}a-z:é ]{0,40}") {
            match filled(&text, &[]) {
                Ok(same) => prop_assert_eq!(same, text),
                Err(slot) => prop_assert!(slots(&text).contains(&slot.as_str())),
            }
        }

        #[test]
        fn a_value_is_put_in_as_it_is(name in "[a-z][a-z0-9_-]{0,10}", value in "\\PC{0,20}") {
            let text = format!("a {{{name}}} b");
            prop_assert_eq!(filled(&text, &[(&name, &value)]), Ok(format!("a {value} b")));
        }
    }
}
