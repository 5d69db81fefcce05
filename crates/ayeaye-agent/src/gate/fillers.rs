//! Words that say nothing of whom or what is meant, or that all is.
use std::collections::HashSet;
use std::sync::LazyLock;

use super::text::{holds, is_spaced, normalized, normalized_all};

/// Words of one thing and of another alike.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "the", "and", "that", "this", "with", "from", "into", "then", "for", "you", "your", "please", "all", "new", "newest", "last", "first", "next", "one", "two",
    "who", "what", "which", "where", "when", "how", "have", "has", "are", "was", "will", "can", "not", "don't", "there", "them", "they", "her", "him", "his", "she", "its",
    "app", "open", "group", "chat", "everyone", "everybody", "contacts", "contact", "online", "today", "yesterday", "now", "my", "me", "in", "on", "at", "to", "of", "is", "it", "as", "be", "an", "am", "or", "if", "so", "no", "yes",
    "der", "die", "das", "und", "mit", "von", "den", "dem", "ein", "eine", "einen", "bitte", "alle", "ich", "dass", "ist", "auf", "für", "les", "des", "une", "est", "que", "pour", "tous", "avec", "los", "las", "por", "para", "con", "del", "una", "todos",
    "message", "messages", "nachricht", "nachrichten", "mensaje", "mensajes", "send", "delete", "remove", "cancel", "call", "search", "more", "options", "back", "settings",
];

/// Words for all there is.
#[rustfmt::skip]
const ALL: &[&str] = &[
    "all", "every", "everything", "everyone", "everybody", "each", "any", "alle", "alles", "allen", "jede", "jeden", "todo", "todos", "toda", "todas", "tout", "tous", "toute", "toutes",
    "tudo", "tutto", "tutti", "tutte", "wszystko", "wszystkie", "wszystkich", "tüm", "tümünü", "hepsini", "herkese", "bütün", "все", "всё", "всем", "всех", "весь", "усе", "усі", "всі", "всім",
    "全部", "所有", "全て", "すべて", "全員", "모두", "모든", "전체", "كل", "الكل", "جميع", "सभी", "सब", "सारे", "semua", "tất cả", "ทั้งหมด", "ทุก", "清空",
];

pub(super) static ALL_WORDS: LazyLock<Vec<String>> =
    LazyLock::new(|| ALL.iter().map(|it| normalized(it)).collect());
pub(super) static EMPTY_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(EMPTY));

/// Whether a word (normalized) says something of whom or what is meant.
pub(super) fn says_something(word: &str) -> bool {
    let short = word.chars().all(is_spaced) && word.chars().count() < 3;
    !short && !EMPTY_WORDS.contains(word)
}

/// Whether a text (normalized) says "all".
pub(super) fn says_all(text: &str) -> bool {
    ALL_WORDS.iter().any(|it| holds(text, it))
}
