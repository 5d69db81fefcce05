//! Text as key presses of `input text`.
use crate::quote::quote;

/// The most characters of one call. A long text keeps the phone busy for seconds.
const MAX_CHUNK: usize = 400;

/// Whether the US keyboard that `input text` emulates has a key for it.
pub(super) fn has_key(c: char) -> bool {
    matches!(c, ' '..='~')
}

/// The command lines that type such a text, one call each.
///
/// `input text` turns `%s` into a space and has no escape for `%s` itself, so a `%` and an `s` next
/// to each other are typed by two commands on one line. Spaces are sent as `%s`, since old versions
/// of the program split their arguments again.
pub(super) fn commands(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars.chunks(MAX_CHUNK).map(|chunk| command(&String::from_iter(chunk))).collect()
}

fn command(text: &str) -> String {
    let apart = text.replace("%s", "%\0s");
    let pieces = apart.split('\0').map(|piece| {
        let word = quote(&piece.replace(' ', "%s")).expect("keys are no control characters");
        format!("input text {word}")
    });
    pieces.collect::<Vec<_>>().join(" && ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What Android's `Input.sendText` makes of its argument, as its documentation has it.
    fn typed(argument: &str) -> String {
        argument.replace("%s", " ")
    }

    fn arrives(text: &str) -> String {
        let mut arrived = String::new();
        for line in commands(text) {
            for call in line.split(" && input text ") {
                let word = call.strip_prefix("input text ").unwrap_or(call);
                let word = word.replace(r"'\''", "\0");
                arrived.push_str(&typed(&word.replace('\'', "").replace('\0', "'")));
            }
        }
        arrived
    }

    #[test]
    fn the_percent_rule_does_not_eat_anything() {
        assert_eq!(commands("a b"), ["input text 'a%sb'"]);
        assert_eq!(commands("%s"), ["input text '%' && input text 's'"]);
        assert_eq!(commands("it's"), [r"input text 'it'\''s'"]);
        assert!(commands("").is_empty());
        for text in ["%s", "%%s", "100% sure", "% s", "%s%s", "a %s b", "%"] {
            assert_eq!(arrives(text), text);
        }
    }

    #[test]
    fn a_long_text_goes_in_parts() {
        let text = "x".repeat(MAX_CHUNK * 2 + 1);
        assert_eq!(commands(&text).len(), 3);
        assert_eq!(arrives(&text), text);
    }

    proptest! {
        #[test]
        fn every_text_of_keys_arrives(text in "[ -~]{0,60}") {
            prop_assume!(!text.contains(" && input text "));
            prop_assert_eq!(arrives(&text), text);
        }

        #[test]
        fn percents_blanks_and_s_arrive(text in "[%s ']{0,20}") {
            prop_assert_eq!(arrives(&text), text);
        }
    }
}
