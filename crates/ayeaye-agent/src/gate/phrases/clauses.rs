//! Which part of a sentence a word belongs to: up to a comma, or farther back where a list goes on over commas.
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::LazyLock;

use super::intents::INTENTS;
use crate::gate::text::{entries, is_stem, normalized, normalized_all, words};

/// Where a sentence ends.
pub(super) const ENDS: [char; 10] = ['.', ';', '!', '?', '。', '；', '！', '？', '\n', '\u{61f}'];
/// Where a part of it does.
pub(super) const PARTS: [char; 6] = [',', '，', '、', ':', '：', '،'];
/// Where a part of a sentence ends in Chinese, where `、` stands between things of one list.
const CHINESE_PARTS: [char; 5] = [',', '，', ':', '：', '،'];

/// What a part of a sentence begins with, or what stands before its verb, where it belongs to the part before it:
/// "ich will nicht, dass du sie löschst", "es ist nicht nötig, sie zu löschen".
#[rustfmt::skip]
const BELONGS: &[&str] = &["that", "dass", "que", "che", "dat", "att", "at", "że", "žeby", "żeby", "aby", "чтобы", "щоб", "hogy", "să"];
const INFINITIVES: &[&str] = &["zu", "te", "to", "de", "att"];
/// What stands before the last of a list.
#[rustfmt::skip]
const OR: &[&str] = &[
    "or", "oder", "ou", "o", "u", "of", "lub", "albo", "czy", "или", "либо", "або", "чи", "veya", "eller", "tai", "atau", "hoặc", "أو", "या", "או", "vagy", "sau", "ή", "nebo", "ili",
];
/// What stands before the last of a list in Chinese, which has no blanks.
const OR_JOINED: &[&str] = &["或", "或者", "或是"];
/// What begins a condition.
#[rustfmt::skip]
const CONDITIONS: &[&str] = &[
    "if", "when", "whenever", "should", "wenn", "falls", "sobald", "si", "cuando", "quand", "se", "quando", "als", "indien", "jeśli", "jeżeli", "gdy", "eğer", "если", "когда", "якщо", "коли",
    "om", "när", "hvis", "når", "jos", "kun", "ha", "dacă", "αν", "ако", "ako", "אם", "إذا", "اذا", "अगर", "यदि", "jika", "kalau", "bila", "nếu", "khi",
];
/// What may stand before the verb of a part that goes on behind what is inserted.
const EVER: &[&str] = &["ever", "please", "bitte", "jemals"];
/// Verbs that only look, and stand behind "and".
#[rustfmt::skip]
const LOOKING: &[&str] = &[
    "open", "read", "show", "find", "öffne", "lies", "zeig", "zeige", "such", "suche", "ouvre", "lis", "montre", "abre", "lee", "muestra", "leia", "apri", "leggi", "lees", "toon", "открой", "прочитай", "покажи",
];

static BELONGS_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(BELONGS));
static OR_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(OR));
static CONDITION_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(CONDITIONS));
static LOOKING_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(LOOKING));
static VERBS: LazyLock<Vec<String>> = LazyLock::new(|| {
    INTENTS.iter().flat_map(|(_, _, list)| entries(list)).map(normalized).collect()
});

/// Whether a word is a verb that something is asked for by.
pub(super) fn begins_request(word: &str) -> bool {
    !word.is_empty()
        && (LOOKING_WORDS.contains(word)
            || VERBS.iter().any(|it| word.starts_with(it.as_str()) && is_stem(word, 0, it.len())))
}

/// Whether a word begins a condition.
pub(super) fn begins_condition(word: &str) -> bool {
    CONDITION_WORDS.contains(word)
}

/// What stands in a sentence before its part that goes on to the end, and that part.
pub(super) fn last_part(before: &str) -> (&str, &str) {
    let begin = |at: usize| at + before[at..].chars().next().map_or(1, char::len_utf8);
    before.split_at(before.rfind(PARTS).map_or(0, begin))
}

/// The part of a sentence that goes on to the end of `before`, with what stands before it where it belongs to that:
/// of a list ("do not write, text or call her") all of it.
pub(super) fn part_of(before: &str, is_list: bool) -> Cow<'_, str> {
    let (rest, part) = last_part(before);
    if is_list {
        return Cow::Owned(list_of(rest, part));
    }
    let belongs = words(part).next().is_some_and(|it| BELONGS_WORDS.contains(it))
        || words(part).last().is_some_and(|it| INFINITIVES.contains(&it));
    if !belongs {
        return Cow::Borrowed(part);
    }
    let (before_both, _) = last_part(rest.trim_end_matches(PARTS));
    Cow::Borrowed(&before[before_both.len()..])
}

/// What [`part_of`] finds, where a part ends as it does in Chinese: not between the things of a list.
pub(super) fn chinese_part_of<'a>(before: &'a str, after: &str, is_list: bool) -> Cow<'a, str> {
    let kana = |it: &str| it.contains(|c| matches!(c, '\u{3040}'..='\u{30ff}'));
    if is_list || kana(before) || kana(after) {
        return part_of(before, is_list);
    }
    Cow::Borrowed(before.rsplit(CHINESE_PARTS).next().unwrap_or_default())
}

/// Whether a verb that stands between these is one of several with "or" before the last.
pub(super) fn is_of_list(before: &str, after: &str) -> bool {
    let part = last_part(before).1;
    let near: Vec<_> = words(part).collect();
    let is_last = near.iter().rev().take(3).any(|it| OR_WORDS.contains(*it))
        || OR_JOINED.iter().any(|it| part.trim_end().ends_with(it));
    let behind: Vec<_> = words(after).collect();
    let goes_on = || {
        behind.windows(2).any(|it| OR_WORDS.contains(it[0]) && begins_request(it[1]))
            || OR_JOINED.iter().any(|or| {
                let mut rests = after.match_indices(or).map(|(at, _)| &after[at + or.len()..]);
                rests.any(begins_request)
            })
    };
    is_last || goes_on()
}

/// A sentence with its last part, without the conditions before that.
fn list_of(rest: &str, part: &str) -> String {
    let is_condition = |it: &&str| words(it).next().is_some_and(begins_condition);
    let before: Vec<_> = rest.split(PARTS).filter(|it| !is_condition(it)).collect();
    before.join(",") + part
}

/// Whether a sentence goes on behind what is inserted in it, and stopped at a word for which `forbids` holds: "do not,
/// whatever you do, delete it".
pub(super) fn is_broken_at(before: &str, forbids: impl Fn(&str) -> bool) -> bool {
    let (rest, part) = last_part(before);
    if !words(part).all(|it| EVER.contains(&it)) {
        return false;
    }
    let (rest, _) = last_part(rest.trim_end_matches(PARTS));
    rest.ends_with(PARTS)
        && words(last_part(rest.trim_end_matches(PARTS)).1).last().is_some_and(forbids)
}
