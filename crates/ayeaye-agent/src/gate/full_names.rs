//! Names in full: "Anna Berg" is not Anna Meier, and "Anna's birthday" is not Anna.
use super::fillers::EMPTY_WORDS;
use super::kinds::is_kind;
use super::phrases;
use super::several::{names_of, people_of};
use super::text::{List, holds, normalized, words};

/// What has a capital beside a name, and is none: greetings, days, what somebody is.
#[rustfmt::skip]
static NO_NAMES: List = List::new("hello|hi|hey|happy|good|dear|thanks|thank|sorry|merry|congratulations|congrats|welcome|cheers|yes|ok|okay|greetings|goodnight|birthday|christmas|easter|whatsapp|telegram|signal|messenger|wechat|instagram|facebook|sms|\
        monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|\
        mr|mrs|ms|miss|dr|doctor|prof|professor|sir|aunt|auntie|uncle|cousin|grandma|grandpa|granny|mum|mom|dad|coach|captain|boss|\
        bescheid|hallo|guten|gute|guter|liebe|lieber|liebes|herzlichen|herzliche|alles|frohe|danke|grüße|gruß|glückwunsch|glückwünsche|geburtstag|geld|blumen|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|herr|herrn|frau|tante|onkel|oma|opa|mama|papa|\
        hola|feliz|buenos|buenas|gracias|señor|señora|tía|tío|bonjour|salut|bon|bonne|joyeux|merci|monsieur|madame|tonton|ciao|buon|buongiorno|grazie|auguri|signor|signora|zia|zio|olá|oi|bom|boa|obrigado|obrigada|parabéns|tia|tio|\
        hoi|gefeliciteerd|bedankt|cześć|dziękuję|привет|спасибо|здравствуй|поздравляю|тётя|дядя|привіт|дякую");
/// What somebody has and is reached by.
const REACHED_BY: [&str; 14] = [
    "phone", "iphone", "mobile", "cell", "pixel", "galaxy", "tablet", "ipad", "number", "macbook",
    "laptop", "watch", "whatsapp", "landline",
];

/// The names of several words in what a user has written, normalized: words with a capital that stand side by side. The
/// word that begins a sentence is none of them, but in an answer that is nothing but a name.
pub(super) fn full_names_in(text: &str) -> Vec<Vec<String>> {
    let all: Vec<&str> = text.split_whitespace().collect();
    let is_answer = all.len() <= 3 && phrases::reaching(&normalized(text)).is_empty();
    let (mut names, mut name) = (Vec::new(), Vec::new());
    let mut begins = !is_answer;
    for word in all {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let plain = normalized(bare);
        let counts = !begins
            && bare.chars().next().is_some_and(char::is_uppercase)
            && bare.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\u{ad}'))
            && 2 <= plain.chars().count()
            && !EMPTY_WORDS.contains(&plain)
            && !NO_NAMES.contains(&plain)
            && !is_kind(&plain);
        let opens = word.starts_with(|c: char| !c.is_alphanumeric());
        let closes = word.ends_with(|c: char| !c.is_alphanumeric());
        if opens || !counts {
            names.push(std::mem::take(&mut name));
        }
        if counts {
            name.extend(words(&plain).map(str::to_owned));
        }
        if closes {
            names.push(std::mem::take(&mut name));
        }
        begins = word.ends_with(['.', '!', '?', ':', ';']);
    }
    names.push(name);
    names.retain(|it| 1 < it.len());
    names
}

/// Whether somebody of two names or more is shown who shares one with whom the words are for (`addressed`), and whom
/// none of the names in full fits.
pub(super) fn is_namesake(addressed: &str, full: &[Vec<String>], shown: &str) -> bool {
    let said: Vec<&str> = words(addressed).collect();
    let meant = |full: &&Vec<String>| said.windows(full.len()).any(|it| it == full.as_slice());
    people_of(shown).into_iter().any(|somebody| {
        let shown = names_of(somebody);
        let near = full.iter().filter(meant).filter(|it| shown.iter().any(|one| it.contains(one)));
        let mut near = near.peekable();
        1 < shown.len() && near.peek().is_some() && near.all(|it| !fits(it, &shown))
    })
}

/// Whether a second word of a name is shown as well, or its first letter: "Anna B.".
fn fits(full: &[String], shown: &[String]) -> bool {
    let is_same = |name: &&String| shown.contains(name);
    let is_initial = |name: &&String| {
        shown.iter().any(|it| it.chars().count() == 1 && name.starts_with(it.as_str()))
    };
    1 < full.iter().filter(|it| is_same(it) || is_initial(it)).count()
}

/// Whether what is shown is something of somebody's that the words (normalized) do not name, as a group: "Anna's birthday".
pub(super) fn is_something_of(text: &str, shown: &str) -> bool {
    let shown = normalized(shown);
    let Some((_, rest)) = shown.split_once("'s ") else { return false };
    let of = names_of(rest);
    !of.is_empty() && !of.iter().any(|it| REACHED_BY.contains(&it.as_str()) || holds(text, it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_full_are_found() {
        for (text, names) in [
            ("Text Anna Berg I am late", &[&["anna", "berg"][..]][..]),
            ("Call Tom Smith", &[&["tom", "smith"]]),
            ("Tell Anna Berg-Meier: Hello Ben", &[&["anna", "berg", "meier"]]),
            ("Anna Meier", &[&["anna", "meier"]]),
            ("Text Anna, Ben and Carl", &[]),
            ("Text Anna Hello", &[]),
            ("Sag Anna Bescheid", &[]),
            ("Text Anna I'm late", &[]),
            ("Text Anna's Mum", &[]),
            ("Text Anna", &[]),
        ] {
            assert_eq!(full_names_in(text), names, "{text}");
        }
    }
}
