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
    "todavía", "aún", "ainda", "encore", "ancora", "nog", "jeszcze", "ещё", "пока", "ennå", "ännu", "si", "no", "inte", "ikke", "den", "det", "att", "at", "jangan", "đừng", "मत", "इसे", "उसे",
];
/// What begins such a part in Chinese, or stands between its beginning and its verb.
const JOINED: &[&str] =
    &["但", "不过", "不過", "可是", "先", "暂", "暫", "不要", "别", "別", "勿", "请勿"];
/// What may stand before these: when it is written.
#[rustfmt::skip]
const WRITTEN_JOINED: &[&str] = &["写好了", "写好", "写完", "打好", "编辑好", "輸入好", "输入好", "寫好了", "寫好", "寫完", "編輯好"];
const AFTERWARDS_JOINED: &[&str] = &["以后", "之后", "后", "以後", "之後", "後"];
/// The verbs of Chinese that are one letter, and part of many words.
const SENDING_JOINED: &[char] = &['发', '發', '传', '傳', '寄'];
/// What stands right before one where it is not to be sent, and what may stand between both.
#[rustfmt::skip]
const NOT_JOINED: &[&str] = &["不要", "别", "別", "勿", "不用", "不必", "不能", "不可", "不准", "不許", "不许", "不得", "禁止", "不"];
#[rustfmt::skip]
const BETWEEN_JOINED: &[&str] = &["直接", "马上", "馬上", "立刻", "立即", "急着", "急著", "着急", "自己", "擅自", "真的", "把它", "帮我", "幫我", "现在", "現在", "就"];
/// What may stand right behind it: anything else is what is not to be sent, of which somebody is told.
#[rustfmt::skip]
const BEHIND_JOINED: &[&str] = &["送", "出", "给他", "給他", "给她", "給她", "给对方", "給對方", "吧", "了", "呢", "信", "短信", "消息", "簡訊", "訊息", "讯息"];
/// Where a part of a sentence ends, and where a sentence does.
#[rustfmt::skip]
const PART_ENDS: [char; 16] = ['.', ',', ';', '!', '?', ':', '\n', '。', '，', '；', '！', '？', '：', '、', '،', '\u{61f}'];
const SENTENCES: [char; 9] = ['.', ';', '!', '?', '\n', '。', '；', '！', '？'];

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
    is_joined_order(text, contents)
        || STEMS.iter().any(|stem| {
            stems(text, stem).any(|(at, end)| {
                let content = contents.iter().find(|it| it.contains(&at));
                let only_forbids = content.is_none() && FORBIDDEN_STEMS.contains(stem);
                let told_to = (content.is_none() && !only_forbids).then_some(people);
                (only_forbids || is_order(text, at, content)) && is_negated(text, at, end, told_to)
            })
        })
}

/// Whether behind what is to be said to somebody stands in Chinese that it is not to be sent: "在路上。写好以后先不要发".
fn is_joined_order(text: &str, contents: &[Range<usize>]) -> bool {
    text.match_indices(SENDING_JOINED).any(|(at, verb)| {
        // Behind what is closed by quotes nothing is told any more, so that a part may begin there.
        let from = match contents.iter().rfind(|it| it.start < at) {
            Some(content) if at < content.end => content.start + 1,
            Some(content) => content.start,
            None => 0,
        };
        let said = &text[from..at];
        let Some(begin) = said.rfind(PART_ENDS) else { return false };
        let own_sentence = said[begin..].starts_with(SENTENCES);
        let before = said[begin..].trim_start_matches(PART_ENDS).trim();
        let written = WRITTEN_JOINED.iter().find_map(|it| before.strip_prefix(it));
        let order = written.map_or(before, |rest| {
            AFTERWARDS_JOINED.iter().find_map(|it| rest.strip_prefix(it)).unwrap_or(rest)
        });
        let bare =
            BETWEEN_JOINED.iter().fold(before, |it, word| it.strip_suffix(word).unwrap_or(it));
        let behind = text[at + verb.len()..].split(PART_ENDS).next().unwrap_or_default().trim();
        NOT_JOINED.iter().any(|it| bare.ends_with(it))
            && (own_sentence || JOINED.iter().any(|it| order.starts_with(it)))
            && (behind.is_empty() || BEHIND_JOINED.iter().any(|it| behind.starts_with(it)))
    })
}

fn is_order(text: &str, at: usize, content: Option<&Range<usize>>) -> bool {
    let begin = text[..at].rfind(PART_ENDS);
    let part = begin.map_or(&text[..at], |it| &text[it..at]).trim_start_matches(PART_ENDS).trim();
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
        && (but.is_some() || content.is_none() || begins || is_taken_back_behind(&text[at..]))
}

/// Whether what takes back stands behind the verb: "schick es aber noch nicht ab".
fn is_taken_back_behind(verb: &str) -> bool {
    let part = verb.split(PART_ENDS).next().unwrap_or_default();
    let mut behind = words(part).skip(1).skip_while(|it| SMALL_WORDS.contains(*it));
    behind.next().is_some_and(|it| BUT_WORDS.contains(it))
}

/// Whether a word sends something.
pub(super) fn is_sending(word: &str) -> bool {
    STEMS.iter().any(|it| word.starts_with(it.as_str()))
}
