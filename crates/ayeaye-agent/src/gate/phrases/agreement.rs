//! Names of controls that agree, whole or taken apart: "OK", "Yes, continue", "はい、続ける", "Confirm €24.90".
use std::collections::HashSet;
use std::sync::LazyLock;

use super::agreeing::{
    BESIDE_AMOUNTS, EMPHASIS, FILLERS, FROM, MERELY, NO_BUTTONS, SETTLES, SURE, YES,
};
use super::answers::ANSWERS;
use super::{AGREES, CONFIRMS};
use crate::gate::price::{amount, without_amount};
use crate::gate::text::{List, consists_of, entries, holds, normalized, normalized_entries, words};

/// Most letters of such a name: what is longer is a text.
const LONGEST: usize = 60;

/// All that agrees: what buttons say, what people answer, and that one is sure.
static SAYS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let told: HashSet<String> = normalized_entries(NO_BUTTONS);
    let answers = ANSWERS.iter().flat_map(|(_, yes, ..)| entries(yes));
    let said = answers.chain(entries(SURE)).map(normalized).filter(|it| !told.contains(it));
    let all: HashSet<String> = said.chain(AGREES.iter().cloned()).collect();
    all.into_iter().collect()
});
/// What says nothing more beside it.
static BESIDE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let polite = ANSWERS.iter().flat_map(|(.., polite)| entries(polite));
    polite.chain(entries(EMPHASIS)).chain(entries(FILLERS)).map(normalized).collect()
});
static BESIDE_AMOUNT: LazyLock<Vec<String>> = LazyLock::new(|| {
    BESIDE.iter().cloned().chain(entries(BESIDE_AMOUNTS).map(normalized)).collect()
});
/// Those that agree to the amount in their name; a price may begin with the others.
static TO_AMOUNT: LazyLock<Vec<String>> = LazyLock::new(|| {
    let from: HashSet<String> = normalized_entries(FROM);
    SAYS.iter().filter(|it| !from.contains(*it)).cloned().collect()
});
static SETTLES_TOO: LazyLock<Vec<String>> =
    LazyLock::new(|| TO_AMOUNT.iter().cloned().chain(entries(SETTLES).map(normalized)).collect());
static NOTES: List = List::new(EMPHASIS);
static MERELY_SAYS: List = List::new(MERELY);
static MERELY_BESIDE: LazyLock<Vec<String>> =
    LazyLock::new(|| BESIDE.iter().cloned().chain(entries(YES).map(normalized)).collect());
static YES_WORDS: List = List::new(YES);

/// What is neither letter nor digit, and no mark of the scripts from India to Mongolia, ends words.
fn is_sign(c: char) -> bool {
    !c.is_alphanumeric() && !('\u{900}'..'\u{1800}').contains(&c)
}

fn says(name: &str, said: &[String], beside: &[String]) -> bool {
    name.chars().count() <= LONGEST && consists_of(name, said, beside, true, is_sign)
}

/// Without the seconds that a button counts, or the number of what it is about: "Continue (5)".
fn without_numbers(name: &str) -> String {
    name.replace(char::is_numeric, " ")
}

/// Whether a name (normalized) agrees with one word or phrase that buttons have, and says nothing else.
pub(in crate::gate) fn agrees_alone(name: &str) -> bool {
    AGREES.contains(name.trim_matches(is_sign))
}

/// Whether the whole name of a control (normalized) agrees to something, and whether it is how people agree to what
/// costs money. Of several words all have to agree: "Yes, continue". To an amount in it another one agrees.
pub(in crate::gate) fn agrees(name: &str) -> Option<bool> {
    let plain = name.trim_matches(is_sign);
    if AGREES.contains(plain) {
        return Some(CONFIRMS.contains(plain));
    }
    let agrees = says(&without_numbers(plain), &SAYS, &BESIDE) && amount(name).is_none();
    agrees.then(|| CONFIRMS.iter().any(|it| holds(name, it)))
}

/// Whether a name agrees to an amount in it, or on the same button: "Confirm €24.90". A button that names one may also
/// say that it is done then.
pub(in crate::gate) fn agrees_to_amount(name: &str, is_button: bool) -> bool {
    let said: &[String] = if is_button { &SETTLES_TOO } else { &TO_AMOUNT };
    let is_said = |it: &str| says(it, said, &BESIDE_AMOUNT);
    without_amount(name).is_some_and(|it| is_said(&it))
        || is_said(&without_numbers(&normalized(name)))
}

/// Whether the whole name of a control (normalized) agrees, and neither confirms nor goes on: "OK", "Yes, I agree".
pub(in crate::gate) fn merely_agrees(name: &str) -> bool {
    MERELY_SAYS.iter().any(|it| it == name)
        || !agrees_alone(name) && says(name, &MERELY_SAYS, &MERELY_BESIDE)
}

/// Whether a name (normalized) takes note of something, and agrees to it where it could have been declined: "Got it".
pub(in crate::gate) fn takes_note(name: &str) -> bool {
    says(name, &NOTES, &BESIDE)
}

/// Whether a name (normalized) says yes, and nothing else: "Yes", "Yes, continue".
pub(in crate::gate) fn says_yes(name: &str) -> bool {
    YES_WORDS.iter().any(|it| it == name) || after_yes(name).is_some() && agrees(name).is_some()
}

/// What stands behind a yes in a name (normalized): "log out" of "Yes, log out".
pub(in crate::gate) fn after_yes(name: &str) -> Option<&str> {
    let first = words(name).next().filter(|it| YES_WORDS.iter().any(|yes| yes == it))?;
    let rest = name[name.find(first)? + first.len()..].trim_matches(is_sign);
    (!rest.is_empty()).then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_agree_if_all_their_parts_do() {
        for name in [
            "Yes, continue",
            "Yes! Continue!",
            "Continue (5)",
            "OK, got it!",
            "Yes, please",
            "Yes, I am sure",
            "I agree & continue",
            "Ja, weiter",
            "Ja, ich bin sicher",
            "是的，继续",
            "同意并继续",
            "はい、続ける",
            "네, 계속",
            "Да, продолжить",
            "نعم، متابعة",
            "हाँ, जारी रखें",
            "ใช่ ดำเนินการต่อ",
        ] {
            assert_eq!(agrees(&normalized(name)), Some(false), "{name}");
        }
        for name in ["Oui, je confirme", "Yes, confirm", "Confirm now", "Confirm (3s)"] {
            assert_eq!(agrees(&normalized(name)), Some(true), "{name}");
        }
        for name in [
            "",
            "Thanks",
            "Got it",
            "Not now",
            "Yes or no",
            "Continue later",
            "Yes, cancel",
            "OK, close",
            "Go to settings",
            "Confirm €24.90",
            "Da 10 €",
            "Approved",
            "24",
        ] {
            assert_eq!(agrees(&normalized(name)), None, "{name}");
        }
        assert!(takes_note(&normalized("Got it!")) && !takes_note("now"));
        assert!(merely_agrees(&normalized("Yes, I agree")) && !merely_agrees("yes, continue"));
        assert!(says_yes(&normalized("是的，继续")) && !says_yes("yes, log out"));
        assert_eq!(after_yes(&normalized("Yes, log out!")), Some("log out"));
    }

    #[test]
    fn a_name_agrees_to_its_own_amount() {
        for name in ["Confirm €24.90", "确认 ¥24.90", "Yes, 10 €", "OK · 10 €", "Confirm | $10.00"]
        {
            assert!(agrees_to_amount(name, false), "{name}");
        }
        for name in ["Done €24.90", "Complete · $10.00", "Finish for $10"] {
            assert!(agrees_to_amount(name, true), "{name}");
        }
        for name in ["Da 10 €", "€24.90", "Show €24.90", "Apply $5 off", "Total €24.90"] {
            assert!(!agrees_to_amount(name, true), "{name}");
        }
    }
}
