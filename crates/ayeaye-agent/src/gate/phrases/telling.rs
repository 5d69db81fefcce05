//! What is told by a verb, and which thing it is for: a "not" there forbids nothing.
use std::collections::HashSet;
use std::sync::LazyLock;

use crate::gate::text::normalized;

/// What leads to somebody behind a verb that tells.
const TO: &[&str] = &["to", "a", "ad", "an", "aan", "al", "do", "до", "к"];
/// Verbs that say what stands behind them: "reply no".
pub(super) const SAYS: &[&str] = &["reply", "answer", "respond", "say", "text"];
/// Verbs that move what is written, from their first letter on.
#[rustfmt::skip]
pub(super) const SENDING: &[&str] = &[
    "send", "sende", "schick", "envoy", "envoi", "envi", "inoltr", "invi", "stuur", "stur", "verstuur", "отправ", "wyśl", "wysył", "надішл", "відправ", "发送", "發送", "送", "보내", "gönder", "mand", "kirim", "gửi", "ส่ง", "भेज", "skicka", "lähet", "trimite",
];
/// What may stand between a name and what says that nothing is told to it.
#[rustfmt::skip]
const BEFORE_NOTHING: &[&str] = &[
    "it", "them", "es", "sie", "das", "ihn", "het", "hem", "le", "la", "lo", "bitte", "please", "heute", "today", "jetzt", "now", "noch", "nog", "gar", "lieber", "besser", "erst", "vorerst", "auf", "mehr", "wieder", "aber", "maar", "absolutely",
];
/// What may stand behind it.
#[rustfmt::skip]
const AFTER_NOTHING: &[&str] = &[
    "ab", "an", "los", "zu", "zuruck", "mehr", "meer", "noch", "fall", "von", "davon", "daruber", "uber", "heute", "jetzt", "bitte", "bevor", "vor", "bis", "etwas", "yet", "about", "of", "today", "now", "until", "unless", "before", "without", "please", "else", "more", "van", "over", "von",
];
/// What stands before a thing.
#[rustfmt::skip]
const THINGS: &[&str] = &[
    "die", "das", "den", "der", "dem", "diese", "dieses", "diesen", "meine", "meinen", "mein", "eine", "einen", "ein", "alle", "allen", "jede", "jeden", "the", "my", "this", "de", "het", "dit", "deze", "la", "le", "les", "el", "il", "lo",
];
/// What begins which one is meant, or when.
const WHICH: &[&str] =
    &["which", "that", "qui", "dont", "que", "som", "che", "який", "яка", "яке", "які"];
const IF: &[&str] =
    &["if", "wenn", "falls", "weil", "si", "because", "parce", "если", "якщо", "jesli", "jezeli"];
const POSSIBLE: &[&str] = &["moglich", "possible", "posible", "possibile", "es", "you", "geht"];
const SUBJECTS: &[&str] =
    &["ik", "we", "wij", "hij", "zij", "ze", "je", "niemand", "ich", "wir", "man", "keiner"];
const HAS: &[&str] = &["has", "have", "had", "is", "was", "needs", "wants", "reads", "hat"];
/// The "not" of Hindi that states and does not order.
const HINDI_NOT: &[&str] = &["नहीं", "नही"];

static HINDI_NOT_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| HINDI_NOT.iter().map(|it| normalized(it)).collect());
static SENDING_STEMS: LazyLock<Vec<String>> =
    LazyLock::new(|| SENDING.iter().map(|it| normalized(it)).collect());

/// What stands behind the name of somebody to whom a verb right before it tells something.
pub(super) fn behind_name<'a>(all: &'a [&'a str], people: &[String]) -> Option<&'a [&'a str]> {
    let from = usize::from(all.first().is_some_and(|it| TO.contains(it)));
    let names = all[from..].iter().take_while(|it| people.iter().any(|name| name == *it)).count();
    (0 < names).then(|| &all[from + names..])
}

/// Whether nothing is to be told: "Schick Anna bitte nichts", "Schick Anna das Foto nicht"; not "Schreib Anna das
/// Treffen findet nicht statt".
pub(super) fn forbids_to_tell(
    told: &[&str],
    sends: bool,
    is_nothing: impl Fn(&str) -> bool,
) -> bool {
    let forbids = |rest: &[&str]| {
        let begin = rest.iter().take_while(|it| BEFORE_NOTHING.contains(it)).count();
        let next = rest.get(begin + 1);
        rest.get(begin).is_some_and(|it| is_nothing(it))
            && next.is_none_or(|it| AFTER_NOTHING.contains(it))
    };
    let thing = &told[told.iter().take_while(|it| BEFORE_NOTHING.contains(it)).count()..];
    forbids(told)
        || sends
            && [told, thing].iter().any(|it| {
                it.first().is_some_and(|it| THINGS.contains(it)) && it.get(2..).is_some_and(forbids)
            })
}

/// Whether behind this word stands which thing is meant, or when: "qui ne servent pas", "falls Ben nicht rangeht".
pub(super) fn tells_which(word: &str, next: &str) -> bool {
    WHICH.contains(&word)
        || ["ktor", "котор"].iter().any(|it| word.starts_with(it))
        || ["die", "dat", "das"].contains(&word) && SUBJECTS.contains(&next)
        || IF.contains(&word) && !POSSIBLE.contains(&next)
        || ["nobody", "niemand"].contains(&word) && HAS.contains(&next)
}

/// Whether a word that forbids belongs to a thing: "die nicht mehr benötigte Notiz", "она не нужна".
pub(super) fn is_of_thing(all: &[&str], at: usize) -> bool {
    let next = |count: usize| all.get(at + count).copied().unwrap_or_default();
    match all[at] {
        "nicht" => {
            let of = 1 + usize::from(["mehr", "langer"].contains(&next(1)));
            let before = at.checked_sub(1).map_or("", |it| all[it]);
            let participle = ["te", "ten", "ter", "tes", "ene", "enen"];
            THINGS.contains(&before)
                && 7 <= next(of).chars().count()
                && participle.iter().any(|it| next(of).ends_with(it))
                && !next(of + 1).is_empty()
        }
        "не" => ["нужна", "нужны", "нужен"].contains(&next(1)),
        _ => false,
    }
}

/// Whether "not" of Hindi stands in what is told behind its verb: that of an order is right behind it or the last.
pub(super) fn is_told_in_hindi(all: &[&str], at: usize) -> bool {
    HINDI_NOT_WORDS.contains(all[at]) && 0 < at && at + 1 < all.len()
}

/// Whether a verb (normalized) moves what is written: "send", and not "write".
pub(super) fn is_sending(verb: &str) -> bool {
    SENDING_STEMS.iter().any(|it| verb.starts_with(it.as_str()))
}
