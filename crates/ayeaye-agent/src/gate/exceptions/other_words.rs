//! Words that only look as if they excepted something: "findet statt", "menos cuarto".
use super::{Token, begins, is_any_verb};
use crate::gate::class::ActClass;
use crate::gate::phrases;

/// What is left to an hour in Spanish.
const QUARTERS: [&str; 5] = ["cuarto", "diez", "veinte", "veinticinco", "cinco"];

/// Where "nu" is "now", and the verbs by which these are known.
const NOW: [&str; 4] = ["nl", "sv", "da", "nb"];
const CLASSES: [ActClass; 3] = [ActClass::Send, ActClass::Call, ActClass::Delete];

/// Whether a phrase that stands there only looks as if it excepted something.
pub(super) fn is_other_word(tokens: &[Token], at: usize, end: usize, phrase: &str) -> bool {
    let is_at_end = tokens[end - 1].ends_part();
    let last = tokens[..at].last();
    let behind = &tokens[end..];
    match phrase {
        // "Das Training findet statt".
        "statt" => {
            is_at_end
                || tokens[..at].iter().any(|it| it.plain.starts_with("find") || it.plain == "fand")
        }
        // "A las ocho menos cuarto", "al menos".
        "menos" => {
            is_at_end
                || behind.first().is_some_and(|it| QUARTERS.contains(&it.plain.as_str()))
                || last.is_some_and(|it| matches!(it.plain.as_str(), "al" | "lo"))
        }
        // Somebody may be called so.
        "salvo" => tokens[at].is_name && last.is_some_and(|it| !it.ends_sentence()),
        // In Portuguese "the part".
        "a parte" => !tokens
            .iter()
            .any(|it| it.plain.starts_with("tutt") || it.is_verb_of(&[ActClass::Delete])),
        // In Portuguese "in the": "no Instagram publique".
        "no" => {
            let names = behind.iter().take_while(|it| it.is_name && !it.ends_part()).count();
            (1..=2).contains(&names) && behind.get(names).is_some_and(is_any_verb)
        }
        // "Now" in Dutch and Swedish.
        "nu" => tokens.iter().any(|it| {
            let mut all = CLASSES.into_iter().flat_map(phrases::intents);
            all.any(|verb| NOW.contains(&verb.language) && begins(&it.plain, &verb.text))
        }),
        _ => false,
    }
}
