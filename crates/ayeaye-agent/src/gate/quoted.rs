//! The part of a user's words that is their own: without quotations, and with the places that are to be said to
//! somebody.
use std::ops::Range;

use super::class::ActClass;
use super::fillers::says_something;
use super::phrases;
use super::text::{is_spaced, mentions, normalized, stems, words};

/// What is said or written stands behind one of these, and goes on to the end of the sentence.
const SAYING: &[&str] =
    &[" that ", " dass ", " que ", " qu'", " что ", " що ", " che ", " że ", " dat ", " ki "];
/// Where a colon stands behind one of these, what is written stands behind it.
#[rustfmt::skip]
const WRITTEN: &[&str] = &[
    "note", "notiz", "nota", "notitie", "notatka", "notatkę", "not", "заметк", "нотатк", "备忘录", "笔记", "便签", "メモ", "메모", "ملاحظة", "नोट", "catatan", "ghi chú", "โน้ต", "text", "title", "titled", "saying", "says", "words",
];

/// What stands before a noun in German, which has a capital and is no name.
#[rustfmt::skip]
const GERMAN_ARTICLES: &[&str] = &[
    "der", "die", "das", "den", "dem", "des", "ein", "eine", "einen", "einem", "einer", "eines", "im", "am", "vom", "zum", "zur", "beim", "ins", "ans",
    "mein", "meine", "meinen", "meinem", "meiner", "meines", "dein", "deine", "deinen", "deinem", "deiner", "deines", "sein", "seine", "seinen", "seinem", "seiner", "seines",
    "ihr", "ihre", "ihren", "ihrem", "ihrer", "ihres", "unser", "unsere", "unseren", "unserem", "unserer", "unseres", "euer", "eure", "euren", "eurem", "eurer", "eures",
];

/// The parts of a text that are to be said or written.
#[derive(Debug, Clone)]
pub(super) struct Content {
    pub(super) from: usize,
    pub(super) to: usize,
    /// Behind a colon: nothing in it asks for anything.
    pub(super) is_all: bool,
}

/// Words with a capital that begin no sentence and stand behind no German article, and those in quotes, of any script,
/// normalized.
pub(super) fn names_in(text: &str) -> Vec<String> {
    let mut names = Vec::new();
    let (mut begins, mut quoted, mut is_noun) = (true, false, false);
    for word in text.split_whitespace() {
        quoted |= opens_quote(word);
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let plain = normalized(bare);
        let capital = bare.chars().next().is_some_and(char::is_uppercase);
        let counts = capital && !begins && !is_noun && plain != "uhr" || quoted;
        is_noun = GERMAN_ARTICLES.contains(&plain.as_str());
        if counts && says_something(&plain) && plain.chars().all(is_spaced) {
            names.push(plain);
        }
        quoted &= !closes_quote(word);
        begins = word.ends_with(['.', '!', '?', ':', ';']);
    }
    names.extend(quoted_without_blanks(text));
    names
}

/// What is quoted in several words, normalized, each without the words that say nothing.
pub(super) fn quoted_names_in(text: &str) -> Vec<Vec<String>> {
    let (mut names, mut name, mut quoted) = (Vec::new(), Vec::new(), false);
    for word in text.split_whitespace() {
        quoted |= opens_quote(word);
        let plain = normalized(word.trim_matches(|c: char| !c.is_alphanumeric()));
        if quoted && says_something(&plain) && plain.chars().all(is_spaced) {
            name.push(plain);
        }
        if closes_quote(word) {
            quoted = false;
            names.push(std::mem::take(&mut name));
        }
    }
    names.retain(|it| 1 < it.len());
    names
}

/// Whether a word begins a quotation: of German ones the mark below the line does.
pub(super) fn opens_quote(word: &str) -> bool {
    word.starts_with(['"', '\u{201c}', '\u{201e}', '«'])
}

/// Whether a word ends a quotation; the mark that begins English ones ends German ones.
pub(super) fn closes_quote(word: &str) -> bool {
    word.trim_end_matches(['.', ',', '!']).ends_with(['"', '\u{201c}', '\u{201d}', '»'])
}

/// Names as people write them, normalized: words with a capital that begin no sentence, or one of two words at most,
/// those in quotes, and whose something is ("Anna's").
pub(super) fn people_in(text: &str) -> Vec<String> {
    const ENDS: [char; 5] = ['.', '!', '?', ':', ';'];
    let all: Vec<&str> = text.split_whitespace().collect();
    let mut names = Vec::new();
    let (mut begins, mut quoted) = (true, false);
    for (at, word) in all.iter().enumerate() {
        quoted |= opens_quote(word);
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let plain = normalized(bare);
        let plain = plain.strip_suffix("'s").unwrap_or(&plain);
        let capital = bare.chars().next().is_some_and(char::is_uppercase);
        let rest = &all[at..];
        let ends = |it: &&str| it.ends_with(ENDS);
        let alone = 0 < at && (rest.len() <= 2 || rest.iter().take(2).any(ends));
        if (capital && (!begins || alone) || quoted) && 2 <= plain.chars().count() {
            names.extend(words(plain).map(str::to_owned));
        }
        quoted &= !closes_quote(word);
        begins = word.ends_with(ENDS);
    }
    names
}

/// Where in the own text (normalized) stands what is to be said to somebody, or written down. What is closed by quotes
/// ends there: what stands behind it is the user's again.
pub(super) fn contents(own: &str, quotes: &[Range<usize>]) -> Vec<Content> {
    let mut found = Vec::new();
    let mut from = 0;
    for line in own.split_inclusive('\n') {
        let is_said = |before: &str| {
            phrases::intents(ActClass::Send).any(|it| {
                stems(before, &it.text).any(|(at, end)| !phrases::is_noun(before, at, end))
            })
        };
        let is_written = |before: &str| WRITTEN.iter().any(|it| mentions(before, &normalized(it)));
        let colon = line.char_indices().find(|(at, c)| {
            let next = line[at + c.len_utf8()..].chars().next();
            *c == ':' && next.is_some_and(|it| !it.is_ascii_digit() && it != '/')
        });
        if let Some((at, _)) = colon
            && (is_said(&line[..at]) || is_written(&line[..at]))
        {
            let behind = from + at + 1;
            let is_next = |it: &&Range<usize>| {
                own.get(behind..it.start).is_some_and(|between| between.trim().is_empty())
            };
            let quote = quotes.iter().find(is_next);
            let to = quote.map_or(from + line.len(), |it| it.end);
            found.push(Content { from: from + at, to, is_all: true });
        }
        for word in SAYING {
            let Some(at) = line.find(word).filter(|at| is_said(&line[..*at])) else { continue };
            let rest = &line[at + word.len()..];
            let to = rest.find(['.', ';', '!', '?']).map_or(line.len(), |it| at + word.len() + it);
            found.push(Content { from: from + at, to: from + to, is_all: false });
        }
        from += line.len();
    }
    found
}

/// What opens a quotation, and what closes it.
const QUOTES: [(char, &[char]); 6] = [
    ('"', &['"']),
    ('\u{201c}', &['\u{201d}']),
    ('\u{201e}', &['\u{201c}', '\u{201d}']),
    ('«', &['»']),
    ('「', &['」']),
    ('『', &['』']),
];
/// What opens and closes a quotation that is always a name.
const NAME_QUOTES: [(char, &[char]); 3] =
    [('《', &['》']), ('〈', &['〉']), ('\u{2018}', &['\u{2019}'])];

/// The words in quotes, normalized, where no blanks are around these: "备忘录“购物清单”".
fn quoted_without_blanks(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (opening, ends) in QUOTES.iter().chain(&NAME_QUOTES) {
        let mut rest = text;
        while let Some((_, inside)) = rest.split_once(*opening) {
            let Some((quoted, behind)) = inside.split_once(*ends) else { break };
            let plain = normalized(quoted);
            let other = |it: &&str| it.chars().any(|c| c.is_alphabetic() && !is_spaced(c));
            found.extend(words(&plain).filter(other).map(str::to_owned));
            rest = behind;
        }
    }
    found
}

/// Like [`normalized`], but with the ends of lines as they are: a sentence ends there.
pub(super) fn normalized_lines(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(normalized).collect();
    lines.join(" \n")
}

/// A text without what stands in quotes, a name or the label of a button aside: that has two words at most, or four
/// letters of a script without blanks.
pub(super) struct Unquoted {
    pub(super) text: String,
    /// Where quotes were in it: of those that are left out nothing, but the place.
    pub(super) quotes: Vec<Range<usize>>,
}

pub(super) fn unquoted(text: &str) -> Unquoted {
    let mut own = String::with_capacity(text.len());
    let mut quotes = Vec::new();
    let mut rest = text;
    while let Some((at, opening)) =
        rest.char_indices().find(|(_, c)| QUOTES.iter().any(|(it, _)| it == c))
    {
        let inside = &rest[at + opening.len_utf8()..];
        let ends = QUOTES.iter().find(|(it, _)| *it == opening).map_or(&[][..], |(_, ends)| ends);
        let line = inside.split('\n').next().unwrap_or_default();
        // A quote that is not closed is none.
        let Some(length) = line.find(ends) else {
            own.push_str(&rest[..at + opening.len_utf8()]);
            rest = inside;
            continue;
        };
        own.push_str(&rest[..at]);
        let quoted = &inside[..length];
        let parted = quoted.chars().all(|c| is_spaced(c) || c.is_whitespace());
        let longest = if parted { 24 } else { 4 };
        let begin = own.len();
        if quoted.split_whitespace().count() <= 2 && quoted.chars().count() <= longest {
            own.push_str(quoted);
        }
        quotes.push(begin..own.len());
        own.push(' ');
        rest = inside[length..]
            .get(inside[length..].chars().next().map_or(0, char::len_utf8)..)
            .unwrap_or_default();
    }
    own.push_str(rest);
    Unquoted { text: own, quotes }
}

/// A text with letters that mean nothing in these places.
pub(super) fn masked(text: &str, places: &[Range<usize>]) -> String {
    let mut masked = text.to_owned();
    for place in places {
        masked.replace_range(place.clone(), &"x".repeat(place.len()));
    }
    masked
}

/// A text in which these names mean nothing.
pub(super) fn without_names(text: &str, names: &[String]) -> String {
    let begin = |word: &str| word.as_ptr() as usize - text.as_ptr() as usize;
    let found = words(text).filter(|it| names.iter().any(|name| name == it));
    let places: Vec<_> = found.map(|it| begin(it)..begin(it) + it.len()).collect();
    masked(text, &places)
}

/// Names that are words as well which forbid in some language, where they are written as names.
pub(super) fn names_that_forbid(text: &str) -> Vec<String> {
    const NAMES: [&str; 9] = ["inga", "nic", "nada", "soha", "nie", "ani", "nor", "mai", "sin"];
    let (mut names, mut others) = (Vec::new(), Vec::new());
    let mut begins = true;
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let plain = normalized(bare);
        let plain = plain.strip_suffix("'s").unwrap_or(&plain).to_owned();
        if NAMES.contains(&plain.as_str()) {
            let mut letters = bare.chars();
            let is_name = !begins
                && letters.next().is_some_and(char::is_uppercase)
                && letters.next().is_some_and(char::is_lowercase);
            if is_name { &mut names } else { &mut others }.push(plain);
        }
        begins = word.ends_with(['.', '!', '?', ':', ';']);
    }
    names.retain(|it| !others.contains(it));
    names
}
