//! Words that say nothing of whom or what is meant.
use std::collections::HashSet;
use std::sync::LazyLock;

use super::text::{is_spaced, normalized};

/// Words of one thing and of another alike.
#[rustfmt::skip]
const EMPTY: &[&str] = &[
    "the", "and", "that", "this", "with", "from", "into", "then", "for", "you", "your", "please", "all", "new", "newest", "last", "first", "next", "one", "two",
    "who", "what", "which", "where", "when", "how", "have", "has", "are", "was", "will", "can", "not", "don't", "there", "them", "they", "her", "him", "his", "she", "its",
    "app", "open", "group", "chat", "everyone", "everybody", "contacts", "contact", "online", "today", "yesterday", "now", "my", "me", "in", "on", "at", "to", "of", "is", "it", "as", "be", "an", "am", "or", "if", "so", "no", "yes",
    "der", "die", "das", "und", "mit", "von", "den", "dem", "ein", "eine", "einen", "bitte", "alle", "ich", "dass", "ist", "auf", "für", "les", "des", "une", "est", "que", "pour", "tous", "avec", "los", "las", "por", "para", "con", "del", "una", "todos",
    "message", "messages", "nachricht", "nachrichten", "mensaje", "mensajes", "send", "delete", "remove", "cancel", "call", "search", "more", "options", "back", "settings",
];

pub(super) static EMPTY_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| set(EMPTY));

fn set(list: &[&str]) -> HashSet<String> {
    list.iter().map(|it| normalized(it)).collect()
}

/// Whether a word (normalized) says something of whom or what is meant.
pub(super) fn says_something(word: &str) -> bool {
    let short = word.chars().all(is_spaced) && word.chars().count() < 3;
    !short && !EMPTY_WORDS.contains(word)
}
