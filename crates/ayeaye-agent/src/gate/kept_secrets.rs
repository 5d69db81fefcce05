//! Which of the secrets that are kept by a name the user's words name to be typed, and which they forbid.
use super::phrases::is_negated;
use super::quoted::normalized_lines;
use crate::named_secret::{mention, mentioned};

/// What stands for a name in the words around it.
const NAME: &str = "passphrase";

/// What is not to be forgotten is to be done.
const REMINDS: &[&str] =
    &["forget", "vergiss", "vergessen", "oubli", "olvid", "esquec", "dimentic", "忘", "забуд"];

fn is_reminded(before: &str) -> bool {
    let sentence = before.rsplit(['.', ';', '!', '?', '\n', '。']).next().unwrap_or_default();
    REMINDS.iter().any(|it| sentence.contains(it))
}

/// The names in a text, each with whether it may be typed: one that is forbidden ("never use {{secret:bank}}") at any
/// place is not.
pub(crate) fn named_secrets(text: &str) -> Vec<(&str, bool)> {
    let mut all: Vec<(&str, bool)> = Vec::new();
    let mut before = String::new();
    let mut rest = text;
    for name in mentioned(text) {
        let mention = mention(name);
        let Some((words, behind)) = rest.split_once(&mention) else { continue };
        before.push_str(words);
        before.push_str(NAME);
        let said = normalized_lines(&before);
        let at = said.len() - NAME.len();
        let may_be_typed = is_reminded(&said[..at]) || !is_negated(&said, at, said.len(), None);
        rest = behind;
        match all.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known &= may_be_typed,
            None => all.push((name, may_be_typed)),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_that_is_forbidden_is_not_named() {
        for text in [
            "Look at the notes. Never use {{secret:pw}}.",
            "Do not type {{secret:pw}} anywhere",
            "Sign in without {{secret:pw}}",
            "don't use {{secret:pw}} for this",
            "Benutze auf keinen Fall {{secret:pw}}.",
            "Nicht {{secret:pw}} eingeben",
            "不要使用{{secret:pw}}",
            "Use {{secret:pw}}. No: do not use {{secret:pw}}!",
        ] {
            assert_eq!(named_secrets(text), [("pw", false)], "{text}");
        }
    }

    #[test]
    fn a_secret_is_named_beside_what_is_forbidden() {
        for text in [
            "{{secret:pw}}",
            "Sign in with {{secret:pw}}, and do not save it.",
            "Do not ask me anything. Sign in with {{secret:pw}}.",
            "Don't forget to type {{secret:pw}}",
            "If you are not signed in, use {{secret:pw}}",
            "Make a note, not a list:\n{{secret:pw}}",
            "Melde dich mit {{secret:pw}} an, aber speichere es nicht",
            "用{{secret:pw}}登录，不要保存",
        ] {
            assert_eq!(named_secrets(text), [("pw", true)], "{text}");
        }
        let both = "Use {{secret:work}}, never {{secret:home}}";
        assert_eq!(named_secrets(both), [("work", true), ("home", false)]);
    }
}
