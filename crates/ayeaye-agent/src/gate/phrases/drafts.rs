//! Where something is written that is not to be sent: "Schreib Anna, dass ich komme, aber schick es nicht ab".
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::negation::is_negated;
use super::telling::SENDING;
use crate::gate::text::{normalized_all, stems, words};

/// Stems of verbs that send which people use where they forbid it.
#[rustfmt::skip]
const FORBIDDEN: &[&str] = &[
    "отправля", "посыла", "wysył", "abschick", "abzuschick", "absend", "abzusend", "versend", "zu versend", "verschick", "envíes", "enviarlo", "enviarla", "mandes", "l'envoyer", "inviarlo", "inviarla", "versturen", "verzend",
];
/// What begins a part that takes back what was said.
#[rustfmt::skip]
const BUT: &[&str] = &[
    "but", "just", "without", "aber", "nur", "ohne", "mais", "sans", "pero", "sin", "mas", "sem", "ma", "senza", "maar", "zonder", "ale", "lecz", "bez", "но", "только", "але", "men", "utan", "uden", "uten", "ama", "tapi", "nhưng", "लेकिन", "पर",
];
/// What else stands between it and its verb, where that has nobody who does it: "ne l'envoie pas".
#[rustfmt::skip]
const SMALL: &[&str] = &[
    "do", "don't", "dont", "don", "t", "not", "never", "please", "yet", "it", "nicht", "bitte", "noch", "es", "sie", "ihn", "das", "zu", "ne", "n", "l", "le", "la", "les", "pas", "no", "lo", "não", "nao", "o", "a", "non", "niet", "het", "hem", "te", "nie", "jej", "go", "tego", "не", "его", "её", "ее", "її", "його",
    "inte", "ikke", "den", "det", "att", "at", "jangan", "đừng", "मत", "इसे", "उसे",
];
/// The same in Chinese.
const JOINED: &[&str] =
    &["但", "不过", "不過", "可是", "先", "暂", "暫", "不要", "别", "別", "勿", "请勿"];

static STEMS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let long = |it: &String| 4 <= it.chars().count() || !it.is_ascii();
    normalized_all::<Vec<_>>(SENDING)
        .into_iter()
        .filter(long)
        .chain(FORBIDDEN_STEMS.clone())
        .collect()
});
static FORBIDDEN_STEMS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(FORBIDDEN));
static BUT_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(BUT));
static SMALL_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(SMALL));

/// Whether the own words of a user (normalized) say that what is written is not to be sent. `contents` is where stands
/// what is to be said to somebody: there only an order counts that begins its part of the sentence.
pub(in crate::gate) fn is_draft_only(
    text: &str,
    contents: &[Range<usize>],
    people: &[String],
) -> bool {
    STEMS.iter().any(|stem| {
        stems(text, stem).any(|(at, end)| {
            let content = contents.iter().find(|it| it.contains(&at));
            let only_forbids = content.is_none() && FORBIDDEN_STEMS.contains(stem);
            let told_to = (content.is_none() && !only_forbids).then_some(people);
            (only_forbids || is_order(text, at, content)) && is_negated(text, at, end, told_to)
        })
    })
}

fn is_order(text: &str, at: usize, content: Option<&Range<usize>>) -> bool {
    const ENDS: [char; 16] = [
        '.', ',', ';', '!', '?', ':', '\n', '。', '，', '；', '！', '？', '：', '、', '،',
        '\u{61f}',
    ];
    const SENTENCES: [char; 9] = ['.', ';', '!', '?', '\n', '。', '；', '！', '？'];
    let begin = text[..at].rfind(ENDS);
    let part = begin.map_or(&text[..at], |it| &text[it..at]).trim_start_matches(ENDS).trim();
    if JOINED.iter().any(|it| part.starts_with(it)) {
        return true;
    }
    let all: Vec<&str> = words(part).collect();
    let but = all.iter().rposition(|it| BUT_WORDS.contains(*it));
    let small = |it: &&str| SMALL_WORDS.contains(*it) || BUT_WORDS.contains(*it);
    // In what is told an order is one of the user's where it takes back what stands before it, or a sentence begins.
    let begins = begin.is_some_and(|it| {
        text[it..].starts_with(SENTENCES) && content.is_none_or(|content| content.start < it)
    });
    all[but.unwrap_or_default()..].iter().all(small)
        && (but.is_some() || content.is_none() || begins)
}
