//! Words that only look like those which forbid: "no" of Portuguese is "in the", 别 stands in other words.
use std::collections::HashSet;
use std::sync::LazyLock;

use super::clauses::{ENDS, PARTS, begins_request};
use super::intents::INTENTS;
use crate::gate::text::{entries, normalized, words};

/// English verbs of those lists that are of no one language.
#[rustfmt::skip]
const ENGLISH: &[&str] = &["order", "buy", "book", "purchase", "pay", "subscribe", "donate", "transfer", "wire", "allow", "grant", "permit"];
const ENGLISH_ENDINGS: &[&str] = &["", "s", "es", "d", "ed", "ing"];
/// What stands between the "no" of Spanish and its verb.
#[rustfmt::skip]
const SPANISH: &[&str] = &["me", "te", "se", "nos", "lo", "la", "los", "las", "le", "les", "es", "hay", "quiero", "debes", "puedes"];
/// What makes another word of 别 where it stands before it, and what stands before that where it does not: "特别" but
/// "推特别发".
#[rustfmt::skip]
const BEFORE_BIE: &[(char, &str)] = &[
    ('分', "部积積评評百得身"), ('特', "推比"), ('识', "知常认共"), ('識', "知常認共"), ('性', ""), ('级', "这那"), ('級', "這那"), ('区', "社小地景专市"), ('區', "社小地景專市"),
    ('个', "这那每哪几两数一二三四五六七八九十"), ('個', "這那每哪幾兩數一二三四五六七八九十"), ('告', "广廣报報公警通"), ('类', "这那此"), ('類', "這那此"), ('鉴', ""), ('鑑', ""), ('辨', ""), ('离', "距"), ('離', "距"),
];
/// What makes another word of 别 where it stands behind it: "别人", "別の".
const BEHIND_BIE: [char; 4] = ['人', '墅', 'の', '々'];

/// An app that is a verb as well.
const APP: &str = "whatsapp";
/// What may stand before that verb in its part of a sentence: "could you whatsapp Anna".
#[rustfmt::skip]
const BEFORE_APP: &[&str] = &["please", "pls", "can", "could", "would", "will", "you", "u", "just", "now", "also", "i", "want", "need", "like", "to", "and", "then"];
/// Whom it reaches, where that is no name.
const FAMILY: &[&str] = &["my", "mum", "mom", "mama", "dad", "papa"];
/// What is written with a capital behind the name of the app, and is nobody.
#[rustfmt::skip]
const OF_APP: &[&str] = &["chat", "chats", "group", "gruppe", "status", "web", "business", "support", "call", "calls", "contact", "contacts", "message", "messages", "nachricht", "nachrichten", "anruf", "anrufe"];
/// Words by which a sentence is known as Portuguese, verbs aside.
const PORTUGUESE: &[&str] = &["abra", "abre", "veja", "leia", "uma", "da"];

static PORTUGUESE_VERBS: LazyLock<HashSet<String>> = LazyLock::new(|| verbs_of("pt", PORTUGUESE));
static ENGLISH_VERBS: LazyLock<HashSet<String>> = LazyLock::new(|| verbs_of("en", ENGLISH));

/// The verbs of a language by which something is asked for, and these others.
fn verbs_of(language: &str, others: &'static [&'static str]) -> HashSet<String> {
    let lists = INTENTS.iter().filter(|(_, of, _)| *of == language).map(|(_, _, list)| *list);
    lists.flat_map(entries).chain(others.iter().copied()).map(normalized).collect()
}

/// Whether a verb with this ending is an English one, behind which "no" forbids.
pub(super) fn is_english(verb: &str, ending: &str) -> bool {
    ENGLISH_VERBS.contains(verb) && ENGLISH_ENDINGS.contains(&ending)
}

/// Whether a verb that stands between these is an app in which something is done: "envie no whatsapp".
pub(super) fn is_app(before: &str, verb: &str, after: &str) -> bool {
    let before = before.rsplit(ENDS).next().unwrap_or_default().trim_end();
    let after = after.split(ENDS).next().unwrap_or_default();
    let in_the = before.strip_suffix("no").is_some_and(|it| {
        let it = it.trim_end();
        it.len() + 2 < before.len() && !it.ends_with(',') || it.is_empty()
    });
    verb == APP
        && in_the
        && words(before).chain(words(after)).any(|it| PORTUGUESE_VERBS.contains(it))
}

/// Whether a verb that asks for something is only the name of an app: as a verb it begins its part of the sentence, and
/// one of `people` or of the family stands right behind it.
pub(in crate::gate) fn is_only_app(
    before: &str,
    verb: &str,
    after: &str,
    people: &[String],
) -> bool {
    if verb != APP {
        return false;
    }
    let part = before.rsplit(ENDS).next().unwrap_or_default();
    let part = part.rsplit(PARTS).next().unwrap_or_default();
    let from = part.rfind(" and ").unwrap_or_default();
    let next = words(after).next().unwrap_or_default();
    let is_somebody =
        FAMILY.contains(&next) || people.iter().any(|it| it == next) && !OF_APP.contains(&next);
    !(words(&part[from..]).all(|it| BEFORE_APP.contains(&it))
        && after.starts_with(' ')
        && is_somebody)
}

/// What stands before a verb, without each "no" that stands before a place: "abra o chat no whatsapp e escreva".
pub(super) fn without_in_the(before: &str) -> String {
    let begin = |word: &str| word.as_ptr() as usize - before.as_ptr() as usize;
    let all: Vec<_> = words(before).map(|it| (begin(it), it)).collect();
    let is_place = |at: usize| {
        let from = all[at].0 + 2;
        // It ends before "and", or where a comma stands behind its one or two words.
        let place = before[from..].split_once(',').map_or(&before[from..], |(it, _)| it);
        let names: Vec<_> = words(place).take_while(|it| *it != "e").collect();
        let ends = words(place).any(|it| it == "e")
            || names.len() <= 2 && from + place.len() < before.len();
        ends && !names.is_empty()
            && !names.iter().any(|it| *it != APP && (SPANISH.contains(it) || begins_request(it)))
    };
    let mut rest = before.to_owned();
    for (at, (from, word)) in all.iter().enumerate() {
        if *word == "no" && is_place(at) {
            rest.replace_range(*from..from + 2, "em");
        }
    }
    rest
}

/// Whether a word of Chinese or Japanese that forbids and stands between these is none.
pub(super) fn is_in_other_word(before: &str, word: &str, after: &str) -> bool {
    match word {
        "别" | "別" => {
            let mut letters = before.chars().rev();
            let last = letters.next();
            let other = BEFORE_BIE.iter().find(|(it, _)| last == Some(*it));
            let mut is_own = |list: &str| letters.next().is_some_and(|it| list.contains(it));
            other.is_some_and(|(_, list)| !is_own(list)) || after.starts_with(BEHIND_BIE)
        }
        "勿" => after.starts_with(['扰', '擾']),
        _ => false,
    }
}
