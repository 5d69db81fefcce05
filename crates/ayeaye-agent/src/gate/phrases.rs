//! Phrases on screens and in the words of users, by class and language. Tables are written as people write
//! and are normalized once.
mod areas;
mod controls;
mod declines;
mod intents;

use std::sync::LazyLock;

use super::class::ActClass;
use super::components::SystemPart;
use super::text::{find, is_spaced, mentions, normalized, words};

pub(super) use self::intents::{forgetting, is_negated, is_noun};

/// A table of phrases: class, language, phrases.
type Table<T> = &'static [(T, &'static str, &'static [&'static str])];

/// A phrase of a table.
#[derive(Debug)]
pub(super) struct Phrase<T> {
    pub(super) of: T,
    pub(super) language: &'static str,
    /// As it is written in the table.
    pub(super) written: &'static str,
    pub(super) text: String,
    /// Words, or letters where a script has no blanks.
    size: usize,
}

fn phrases<T: Copy>(table: Table<T>) -> Vec<Phrase<T>> {
    let mut all = Vec::new();
    for (of, language, list) in table {
        for written in *list {
            let text = normalized(written);
            let size = size(&text);
            all.push(Phrase { of: *of, language, written, text, size });
        }
    }
    all
}

static CONTROLS: LazyLock<Vec<Phrase<ActClass>>> = LazyLock::new(|| phrases(controls::CONTROLS));
static HARMLESS: LazyLock<Vec<Phrase<()>>> = LazyLock::new(|| phrases(controls::HARMLESS));
static DECLINES: LazyLock<Vec<Phrase<()>>> = LazyLock::new(|| phrases(declines::DECLINES));
static AREAS: LazyLock<Vec<Phrase<SystemPart>>> = LazyLock::new(|| phrases(areas::AREAS));
static INTENTS: LazyLock<Vec<Phrase<ActClass>>> = LazyLock::new(|| phrases(intents::INTENTS));
/// What dialogs for a permission say, and the words of a user that need it.
type Needs = Vec<(Vec<Phrase<u8>>, Vec<String>)>;

static PERMISSIONS: LazyLock<Needs> = LazyLock::new(|| {
    let needs = |list: &[&str]| list.iter().map(|it| normalized(it)).collect();
    areas::PERMISSIONS
        .iter()
        .map(|(on_screen, wanted)| (phrases(on_screen), needs(wanted)))
        .collect()
});

/// Words, or letters where there are no blanks between words; what has a digit does not count.
fn size(text: &str) -> usize {
    if text.chars().any(|c| c.is_alphabetic() && !is_spaced(c)) {
        text.chars().filter(|c| c.is_alphabetic()).count()
    } else {
        words(text).filter(|word| !word.contains(|c: char| c.is_numeric())).count()
    }
}

/// How much longer than its phrase the name of a control may be: words, or letters in other scripts.
/// What is longer is a text and not the name of a command.
fn most(phrase: &Phrase<ActClass>) -> usize {
    let unspaced = phrase.text.chars().any(|c| c.is_alphabetic() && !is_spaced(c));
    phrase.size + if unspaced { 10 } else { 3 }
}

/// The commands that the name of a control (normalized) stands for.
pub(super) fn commands(name: &str) -> impl Iterator<Item = &'static Phrase<ActClass>> {
    let size = size(name);
    let mut rest = None;
    CONTROLS.iter().filter(move |phrase| {
        if size > most(phrase) || !name.contains(&phrase.text) {
            return false;
        }
        // What only looks like a command, such as "Order history", is taken out before it is read.
        let rest = rest.get_or_insert_with(|| without_harmless(name));
        find(rest, &phrase.text).next().is_some()
    })
}

/// The classes whose commands stand anywhere in a text, in order.
pub(super) fn mentioned(text: &str) -> Vec<ActClass> {
    let all = CONTROLS.iter().filter(|it| find(text, &it.text).next().is_some());
    let mut classes: Vec<ActClass> = all.map(|it| it.of).collect();
    classes.sort_by_key(|it| *it as usize);
    classes.dedup();
    classes
}

fn without_harmless(name: &str) -> String {
    let mut rest = name.to_owned();
    for phrase in HARMLESS.iter() {
        // A place that was found stays right: only what follows it is changed.
        loop {
            let Some(at) = find(&rest, &phrase.text).next() else { break };
            rest.replace_range(at..at + phrase.text.len(), "\u{1}");
        }
    }
    rest
}

/// Whether the whole name of a control says that it leaves, closes or declines.
pub(super) fn declines(name: &str) -> bool {
    DECLINES.iter().any(|phrase| phrase.text == name)
}

/// The part of the system whose settings have this title.
pub(super) fn area_titled(title: &str) -> Option<&'static Phrase<SystemPart>> {
    AREAS.iter().find(|phrase| phrase.text == title)
}

/// Whether a text in the user's words names a part of the system.
pub(super) fn names_area(text: &str, part: SystemPart) -> bool {
    AREAS.iter().any(|phrase| phrase.of == part && find(text, &phrase.text).next().is_some())
}

/// What the user's words may ask for: the verbs of a class, and where each stands.
pub(super) fn intents(class: ActClass) -> impl Iterator<Item = &'static Phrase<ActClass>> {
    INTENTS.iter().filter(move |phrase| phrase.of == class)
}

/// Whether a permission that this screen asks for is needed for what the user's words ask for.
pub(super) fn permission_is_needed(screen: &[String], wanted: &str) -> bool {
    PERMISSIONS.iter().any(|(asked, needs)| {
        let shown = |text: &String| asked.iter().any(|it| find(text, &it.text).next().is_some());
        screen.iter().any(shown) && needs.iter().any(|need| mentions(wanted, need))
    })
}

#[cfg(test)]
mod tests {
    use ActClass::{Call, Delete, Grant, Install, Order, Pay, Publish, Send, Transfer};

    use super::*;

    fn class(name: &str) -> Option<ActClass> {
        commands(&normalized(name)).next().map(|phrase| phrase.of)
    }

    #[test]
    fn no_phrase_of_the_tables_is_empty_or_hidden_by_another() {
        for phrase in CONTROLS.iter() {
            assert!(0 < phrase.size, "{}", phrase.written);
            assert!(class(phrase.written).is_some(), "{}", phrase.written);
        }
        let languages = |class| {
            let mut all: Vec<_> =
                CONTROLS.iter().filter(|it| it.of == class).map(|it| it.language).collect();
            all.dedup();
            all.sort_unstable();
            all.dedup();
            all.len()
        };
        for class in [Pay, Order, Transfer, Delete, Install, Grant, Call, Publish, Send] {
            assert!(18 <= languages(class), "{class}: {}", languages(class));
        }
    }

    #[test]
    fn buttons_say_what_they_do() {
        for (name, expected) in [
            ("Pay €49.95", Some(ActClass::Pay)),
            ("Jetzt kaufen", Some(ActClass::Order)),
            ("Zahlungspflichtig bestellen", Some(ActClass::Order)),
            ("确认支付", Some(ActClass::Pay)),
            ("立即购买", Some(ActClass::Order)),
            ("Удалить всё", Some(ActClass::Delete)),
            ("Send SMS", Some(ActClass::Send)),
            ("送信", Some(ActClass::Send)),
            ("While using the app", Some(ActClass::Grant)),
            ("Order history", None),
            ("Sort order", None),
            ("Call log", None),
            ("支付宝", None),
            ("已安装", None),
            ("Don't allow", None),
            ("Settings", None),
            ("Save", None),
            ("Add to cart", None),
            ("Please call me when you have time, we must talk about the order", None),
        ] {
            assert_eq!(class(name), expected, "{name}");
        }
    }

    #[test]
    fn declining_is_the_whole_name() {
        assert!(declines(&normalized("Don’t allow")));
        assert!(declines(&normalized("Abbrechen")));
        assert!(!declines(&normalized("Pay now, cancel any time")));
    }
}
