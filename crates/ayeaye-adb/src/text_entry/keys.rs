//! Text as key presses of `input text`.
use std::time::Duration;

use crate::gesture::input;
use crate::quote::quote;

/// What a key takes before Android 12, besides what each command has time for.
pub(super) const KEY_TIME: Duration = Duration::from_millis(20);

/// The most characters of one call. A long text keeps the phone busy for seconds.
const MAX_CHUNK: usize = 400;

/// Whether the US keyboard that `input text` emulates has a key for it.
pub(super) fn has_key(c: char) -> bool {
    matches!(c, ' '..='~')
}

/// A command line that types a part of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TypingLine {
    pub(super) line: String,
    /// Where the part ends in the text, in bytes.
    pub(super) end: usize,
    /// How long its keys may take, besides what each command has time for.
    pub(super) takes: Duration,
    /// It has several commands, of which the first may have been carried out when another fails.
    pub(super) several: bool,
}

/// The command lines that type such a text, one call each, on this display if it is named.
///
/// `input text` turns `%s` into a space and has no escape for `%s` itself, so a `%` and an `s` next
/// to each other are typed by two commands on one line. Spaces are sent as `%s`, since old versions
/// of the program split their arguments again.
pub(super) fn parts(text: &str, display: Option<u32>) -> Vec<TypingLine> {
    let chars: Vec<char> = text.chars().collect();
    let mut end = 0;
    let part = |chunk: &[char]| {
        let text = String::from_iter(chunk);
        end += text.len();
        let keys: u32 = chunk.iter().map(|c| if needs_shift(*c) { 2 } else { 1 }).sum();
        let pieces = pieces(&text);
        let several = 1 < pieces.len();
        TypingLine { line: command(&pieces, display), end, takes: KEY_TIME * keys, several }
    };
    chars.chunks(MAX_CHUNK).map(part).collect()
}

/// Whether a US keyboard has it above another character: `input text` presses the shift key too.
fn needs_shift(c: char) -> bool {
    c.is_ascii_uppercase() || r#"~!@#$%^&*()_+{}|:"<>?"#.contains(c)
}

/// What one command each can type.
fn pieces(text: &str) -> Vec<String> {
    text.replace("%s", "%\0s").split('\0').map(ToOwned::to_owned).collect()
}

fn command(pieces: &[String], display: Option<u32>) -> String {
    let input = input(display);
    let commands = pieces.iter().map(|piece| {
        let word = quote(&piece.replace(' ', "%s")).expect("keys are no control characters");
        format!("{input}text {word}")
    });
    commands.collect::<Vec<_>>().join(" && ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn commands(text: &str) -> Vec<String> {
        parts(text, None).into_iter().map(|part| part.line).collect()
    }

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
        assert!(!parts("a && b", None)[0].several);
        let parts = parts("input %s", Some(4));
        assert!(parts[0].several);
        assert_eq!(parts[0].line, "input -d 4 text 'input%s%' && input -d 4 text 's'");
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

    #[test]
    fn a_part_has_time_for_its_keys_and_for_the_shift_key() {
        let text = "ab".repeat(MAX_CHUNK / 2) + "A-_~9";
        let told: Vec<_> = parts(&text, None).iter().map(|part| (part.end, part.takes)).collect();
        let keys = |count: u32| KEY_TIME * count;
        assert_eq!(told, [(MAX_CHUNK, keys(400)), (MAX_CHUNK + 5, keys(8))]);
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
