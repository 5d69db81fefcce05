//! Who stands in the title of a conversation with several: "Anna, Ben & 2 others".
use std::collections::HashSet;
use std::sync::LazyLock;

use super::fillers::EMPTY_WORDS;
use super::text::{normalized, words};

/// Signs between the people in the title of a group.
const BETWEEN: [char; 12] = [',', ';', '&', '、', '，', '+', '/', '،', '；', '|', '·', '•'];
/// Words between the people in the title of a group.
#[rustfmt::skip]
const BETWEEN_WORDS: [&str; 17] = [
    " and ", " und ", " et ", " y ", " и ", " och ", " og ", " e ", " en ", " i ", " ve ", " dan ", " és ", " і ", " та ", " και ", " و ",
];
/// Arabic writes its "and" as one with the word behind it.
const ARABIC_AND: &str = " و";
/// Names that begin with that letter.
#[rustfmt::skip]
const ARABIC_NAMES: [&str; 14] = [
    "وليد", "وائل", "وسام", "وسيم", "وفاء", "وجدي", "وداد", "وديع", "وهيب", "وحيد", "وردة", "وصفي", "واصف", "ونيس",
];
/// Words that are nobody's name: the user, and what apps say of who is written to.
#[rustfmt::skip]
const NOBODY: &[&str] = &[
    "you", "me", "du", "sie", "ich", "vous", "toi", "moi", "usted", "yo", "você", "eu", "jij", "siz", "вы", "ты", "я", "ви", "ти", "您", "你", "我", "あなた", "自分", "나", "당신", "أنت", "أنا", "आप", "मैं", "anda", "saya", "aku", "bạn", "tôi", "คุณ", "ฉัน",
    "online", "offline", "active", "now", "today", "yesterday", "last", "seen", "recently", "typing", "away", "mobile", "home", "work", "sms", "mms", "rcs", "chat", "text", "message", "messages", "whatsapp", "telegram", "signal", "encrypted", "members", "member", "participants", "group",
    "ago", "minutes", "hour", "hours", "day", "days", "available", "busy", "muted", "verified", "business", "contact", "info", "details", "view", "profile", "picture", "photo", "avatar", "tap", "here", "more", "call", "video", "voice", "back", "conversation", "sim",
    "zuletzt", "gesehen", "heute", "gestern", "schreibt", "aktiv", "mobil", "mitglieder", "teilnehmer", "gruppe", "ligne", "aujourd'hui", "hier", "membres", "línea", "últ", "vez", "hoy", "ayer", "miembros", "visto", "por", "último", "hoje", "ontem", "membros",
    "linea", "ultimo", "accesso", "oggi", "ieri", "membri", "laatst", "gezien", "vandaag", "gisteren", "leden", "был", "была", "сети", "сегодня", "вчера", "недавно", "在线", "刚刚", "今天", "昨天", "オンライン", "온라인", "ऑनलाइन", "متصل", "الآن", "çevrimiçi",
];
/// What names nobody beside a number: "vu à 12:30".
const BESIDE_NUMBERS: &[&str] = &[
    "min", "mins", "h", "m", "am", "pm", "at", "um", "uhr", "vu", "a", "la", "las", "om", "alle",
    "as", "в",
];
/// Whole texts that name nobody.
const NOBODY_TEXTS: &[&str] = &["en ligne", "en linea", "in linea", "в сети", "tap here for more"];
/// Most digits of a count or a time; a number has more.
const COUNT: usize = 4;

static NOBODY_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    NOBODY
        .iter()
        .flat_map(|it| words(&normalized(it)).map(str::to_owned).collect::<Vec<_>>())
        .collect()
});

/// Everybody in a title; a number is somebody too.
pub(super) fn people_of(title: &str) -> Vec<&str> {
    let mut parts = vec![title];
    for between in BETWEEN_WORDS {
        parts = parts.into_iter().flat_map(|it| it.split(between)).collect();
    }
    let parts = parts.into_iter().flat_map(|it| it.split(BETWEEN)).flat_map(parted_in_arabic);
    let parts = parts.map(str::trim);
    parts.filter(|it| is_somebody(it)).collect()
}

/// The words (normalized) of somebody's name, as a title tells it.
pub(super) fn names_of(somebody: &str) -> Vec<String> {
    let plain = normalized(somebody);
    let is_name = |it: &&str| {
        !it.chars().all(char::is_numeric)
            && !NOBODY_WORDS.contains(*it)
            && !EMPTY_WORDS.contains(*it)
    };
    words(&plain).filter(is_name).map(str::to_owned).collect()
}

/// A text before each word that Arabic joins with its "and", which stays with the word.
fn parted_in_arabic(text: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, _) in text.match_indices(ARABIC_AND) {
        let word = text[at..].split_whitespace().next().unwrap_or_default();
        if 2 < word.chars().count() && !ARABIC_NAMES.contains(&word) {
            parts.push(&text[from..at]);
            from = at;
        }
    }
    parts.push(&text[from..]);
    parts
}

fn is_somebody(part: &str) -> bool {
    let plain = normalized(part);
    let digits = plain.chars().filter(|c| c.is_numeric()).count();
    let is_somebody = |it: &str| {
        !it.chars().all(char::is_numeric)
            && !NOBODY_WORDS.contains(it)
            && (digits == 0 || !BESIDE_NUMBERS.contains(&it))
    };
    COUNT < digits || !NOBODY_TEXTS.contains(&plain.as_str()) && words(&plain).any(is_somebody)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_in_a_title_is_found() {
        for (title, people) in [
            ("Anna Berg", &["Anna Berg"][..]),
            ("李伟、王芳、张三(4)", &["李伟", "王芳", "张三(4)"]),
            ("राहुल, सुनीता, आप", &["राहुल", "सुनीता"]),
            ("أحمد، سعيد", &["أحمد", "سعيد"]),
            ("Anna Berg, +49 151 2345678", &["Anna Berg", "49 151 2345678"]),
            ("anna, mallory & 2 others", &["anna", "mallory", "2 others"]),
            ("Anna and Mallory", &["Anna", "Mallory"]),
            ("Anna e Marco", &["Anna", "Marco"]),
            ("Anna i Marek", &["Anna", "Marek"]),
            ("Anna E Berg", &["Anna E Berg"]),
            ("أحمد وسعيد", &["أحمد", "وسعيد"]),
            ("أحمد و سعيد", &["أحمد", "سعيد"]),
            ("أحمد وليد", &["أحمد وليد"]),
            ("وسعيد", &["وسعيد"]),
            ("Anna Berg, last seen today at 12:30", &["Anna Berg"]),
            ("Anna (2), online", &["Anna (2)"]),
            ("Anna, you", &["Anna"]),
            ("Chloé, vu à 12:30", &["Chloé"]),
            ("Chloé, en ligne", &["Chloé"]),
            ("Anna, Vu", &["Anna", "Vu"]),
        ] {
            assert_eq!(people_of(title), people, "{title}");
        }
    }
}
