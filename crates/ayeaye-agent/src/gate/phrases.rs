//! Phrases on screens and in the words of users, by class and language. Tables are written as people write
//! and are normalized once.
mod agreeing;
mod agreement;
mod answers;
mod areas;
mod areas_device;
mod areas_makers;
mod ask_first;
mod asking;
mod bare;
mod changing;
mod clauses;
mod commitments;
mod completing;
mod controls;
mod controls_more_languages;
mod declines;
mod drafts;
mod everyday;
mod inflections;
mod intents;
mod lasting;
mod leading;
mod lookalikes;
mod more_languages;
mod negation;
mod north_and_east;
mod nouns;
mod reaching;
mod secrets;
mod telling;
#[cfg(test)]
mod tests;

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;

use self::completing::completes_order;
use self::everyday::is_no_act;
use super::class::ActClass;
use super::components::SystemPart;
use super::price::amount;
use super::text::{
    entries, find, holds, is_spaced, mentions, normalized, normalized_entries, stems, words,
};

pub(super) use self::agreement::{
    after_yes, agrees, agrees_alone, agrees_to_amount, merely_agrees, says_yes, takes_note,
};
pub(super) use self::answers::{ACCENTED, ANSWERS, DONE};
pub(super) use self::ask_first::wants_to_be_asked;
pub(super) use self::asking::is_no_request;
pub(super) use self::bare::{Bare, When, bare, begins};
pub(super) use self::drafts::is_draft_only;
pub(super) use self::everyday::Where;
pub(super) use self::intents::{forgetting, is_asked_about};
pub(super) use self::leading::{goes_on, is_part_of_app, leads_through};
pub(super) use self::lookalikes::is_only_app;
pub(super) use self::negation::is_negated;
pub(super) use self::nouns::{is_looked_at, is_noun};
pub(super) use self::reaching::{languages_in, reaching, tells_of_publishing};
pub(super) use self::secrets::{ADDRESS_PARTS, BESIDE_SECRETS};

/// A table of phrases: class, language, phrases (see [`entries`]).
type Table<T> = &'static [(T, &'static str, &'static str)];

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

fn phrases<T: Copy>(tables: &[Table<T>]) -> Vec<Phrase<T>> {
    let mut all = Vec::new();
    for (of, language, list) in tables.iter().copied().flatten() {
        for written in entries(list) {
            let text = normalized(written);
            let size = size(&text);
            all.push(Phrase { of: *of, language, written, text, size });
        }
    }
    all
}

fn finder<T>(phrases: &[Phrase<T>]) -> AhoCorasick {
    AhoCorasick::new(phrases.iter().map(|it| &it.text)).expect("our own tables build")
}

static CONTROLS: LazyLock<Vec<Phrase<ActClass>>> = LazyLock::new(|| {
    phrases(&[
        controls::CONTROLS,
        north_and_east::CONTROLS,
        lasting::CONTROLS,
        controls_more_languages::CONTROLS,
        inflections::CONTROLS,
        commitments::CONTROLS,
    ])
});
/// Finds all of them at once: screens have hundreds of texts.
static FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(&CONTROLS));
static HARMLESS: LazyLock<Vec<Phrase<()>>> = LazyLock::new(|| {
    phrases(&[
        controls::HARMLESS,
        north_and_east::HARMLESS,
        lasting::HARMLESS,
        more_languages::HARMLESS,
        commitments::HARMLESS,
    ])
});
static HARMLESS_FINDER: LazyLock<AhoCorasick> = LazyLock::new(|| finder(&HARMLESS));
static EVERYDAY: LazyLock<Vec<Phrase<()>>> = LazyLock::new(|| phrases(&[everyday::EVERYDAY]));
static PLACES: LazyLock<HashMap<String, Where>> = LazyLock::new(|| {
    let all = everyday::PLACES.iter();
    all.flat_map(|(place, list)| entries(list).map(|it| (normalized(it), *place))).collect()
});
static DECLINES: LazyLock<HashSet<String>> = LazyLock::new(|| {
    texts(&[declines::DECLINES, north_and_east::DECLINES, more_languages::DECLINES])
});
static AGREES: LazyLock<HashSet<String>> =
    LazyLock::new(|| texts(&[agreeing::AGREES, north_and_east::AGREES, more_languages::AGREES]));
static CHANGES: LazyLock<HashSet<String>> = LazyLock::new(|| texts(&[changing::CHANGES]));
static CONFIRMS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    [agreeing::CONFIRMS, north_and_east::CONFIRMS, more_languages::CONFIRMS]
        .into_iter()
        .flat_map(entries)
        .map(normalized)
        .collect()
});
static SUBSCRIBES: LazyLock<Vec<String>> =
    LazyLock::new(|| normalized_entries(agreeing::SUBSCRIBES));
static LOSSES: LazyLock<Vec<String>> = LazyLock::new(|| normalized_entries(agreeing::LOSSES));
static ACCESS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_entries(agreeing::ACCESS));
static IS_ME: LazyLock<Vec<String>> = LazyLock::new(|| normalized_entries(agreeing::IS_ME));
static LETS_IN: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_entries(agreeing::LETS_IN));
static NOT_ME: LazyLock<Vec<String>> = LazyLock::new(|| normalized_entries(agreeing::NOT_ME));
static PROTECTS: LazyLock<Vec<String>> =
    LazyLock::new(|| normalized_entries(commitments::PROTECTS));
static TURNS_OFF: LazyLock<Vec<String>> =
    LazyLock::new(|| normalized_entries(commitments::TURNS_OFF));
static MESSAGES: LazyLock<Vec<String>> = LazyLock::new(|| normalized_entries(agreeing::MESSAGES));
static EMPTY: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_entries(agreeing::EMPTY));
static COMMENTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_entries(agreeing::COMMENTS));

fn texts(tables: &[Table<()>]) -> HashSet<String> {
    tables
        .iter()
        .copied()
        .flatten()
        .flat_map(|((), _, list)| entries(list))
        .map(normalized)
        .collect()
}

static AREAS: LazyLock<Vec<Phrase<SystemPart>>> =
    LazyLock::new(|| phrases(&[areas::AREAS, areas_device::AREAS, areas_makers::AREAS]));
static INTENTS: LazyLock<Vec<Phrase<ActClass>>> = LazyLock::new(|| {
    phrases(&[
        intents::INTENTS,
        north_and_east::INTENTS,
        lasting::INTENTS,
        more_languages::INTENTS,
        inflections::INTENTS,
    ])
});
/// What dialogs for a permission say, and the words of a user that need it.
type PermissionWords = Vec<(Vec<Phrase<u8>>, Vec<String>)>;

static PERMISSIONS: LazyLock<PermissionWords> = LazyLock::new(|| {
    areas::PERMISSIONS
        .iter()
        .map(|(on_screen, wanted)| (phrases(&[*on_screen]), normalized_entries(wanted)))
        .collect()
});

/// The languages in which the names of controls are known.
#[cfg(test)]
pub(super) fn languages() -> std::collections::BTreeSet<&'static str> {
    CONTROLS.iter().map(|it| it.language).filter(|it| !it.is_empty()).collect()
}

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

/// Most words, or letters in other scripts, of what is a button's name and no text.
const LONGEST_NAME: usize = 40;
/// Most words in front of the command that a longer name begins with, and behind the one that it ends with.
const MOST_AROUND: usize = 3;
/// Words at the beginning and at the end of a longer name that are read as one of their own.
const WORDS_AT_END: usize = 4;

/// What is called by a name, which tells how long that may be and still be the name of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameOf {
    /// A button does what it says, however much it says.
    Button,
    /// A text with an amount in it may be one.
    Priced,
    /// Of anything else what is long is a text.
    Other,
}

/// The commands that the name of a control (normalized) stands for; of a button also where it is long. In a store of
/// apps what is a thing of every day may be the name of an app.
pub(super) fn commands(name: &str, of: NameOf, in_store: bool) -> Vec<&'static Phrase<ActClass>> {
    let mut found = in_text(name);
    let length = size(name);
    let is_at_end = |it: &Phrase<ActClass>| {
        let begins = find(name, &it.text).next().is_some_and(|at| size(&name[..at]) <= MOST_AROUND);
        let ends = |at: usize| size(&name[at + it.text.len()..]) <= MOST_AROUND;
        begins || find(name, &it.text).last().is_some_and(ends)
    };
    found.retain(|it| match of {
        NameOf::Other => length <= most(it),
        _ if length <= LONGEST_NAME => true,
        NameOf::Button => is_heavy(it.of) || is_at_end(it),
        NameOf::Priced => is_at_end(it),
    });
    if !found.is_empty() {
        // What only looks like a command, such as "Order history", is taken out before it is read.
        let mut rest = without_harmless(name);
        let plain = !in_store && is_without_amount(name);
        if plain {
            rest = without_everyday(&rest);
        }
        let acts =
            |it: &Phrase<ActClass>, at: usize| !plain || !is_no_act(&rest, at, &it.text, it.of);
        found.retain(|it| find(&rest, &it.text).any(|at| acts(it, at)));
    }
    let completes = |name: &str| completes_order(&without_harmless(name));
    if found.is_empty()
        && (completes(name) || of == NameOf::Button && ends_of(name).iter().any(|it| completes(it)))
    {
        found.extend(LazyLock::force(&COMPLETION));
    }
    found
}

/// What is asked about wherever a button says it, also amid a long text: whoever makes a page writes that text.
fn is_heavy(class: ActClass) -> bool {
    use ActClass::{Delete, Install, Order, Pay, Send, Transfer};
    matches!(class, Pay | Order | Transfer | Delete | Install | Send)
}

/// The first words of a longer name, and its last.
fn ends_of(name: &str) -> Vec<String> {
    let all: Vec<&str> = words(name).collect();
    let ends = [all.first_chunk::<WORDS_AT_END>(), all.last_chunk::<WORDS_AT_END>()];
    ends.into_iter().flatten().map(|it| it.join(" ")).collect()
}

/// What stands for a name that completes an order.
static COMPLETION: LazyLock<Vec<Phrase<ActClass>>> =
    LazyLock::new(|| phrases(&[&[(ActClass::Order, "", "complete an order")]]));

/// Whether a name (normalized) holds no amount, nor a number that may be one: how many there are has two digits.
fn is_without_amount(name: &str) -> bool {
    let digits = name.chars().filter(|it| it.is_numeric()).count();
    digits <= 2 && amount(name).is_none()
}

/// Where the whole name of a control (normalized) means something of every day.
pub(super) fn everyday(name: &str) -> Option<Where> {
    PLACES.get(name).copied()
}

/// The places in a table of the phrases whose letters stand in a text, in its order.
fn places_in(text: &str, finder: &AhoCorasick) -> Vec<usize> {
    let mut places: Vec<usize> =
        finder.find_overlapping_iter(text).map(|it| it.pattern().as_usize()).collect();
    places.sort_unstable();
    places.dedup();
    places
}

/// The commands whose letters stand in a text, in the order of the table.
fn in_text(text: &str) -> Vec<&'static Phrase<ActClass>> {
    places_in(text, &FINDER).into_iter().filter_map(|at| CONTROLS.get(at)).collect()
}

/// The commands that a name without blanks stands for, as one whose letters stand apart has none: "muangay".
pub(super) fn commands_joined(name: &str) -> Vec<&'static Phrase<ActClass>> {
    let joined = |text: &str| words(text).collect::<String>();
    let name = joined(name);
    let stands = |it: &&Phrase<ActClass>| {
        let command = joined(&it.text);
        let short = command.is_ascii() && command.len() < 4;
        let stands = if short { name.starts_with(&command) } else { name.contains(&command) };
        stands && !name.find(&command).is_some_and(|at| is_no_act(&name, at, &command, it.of))
    };
    CONTROLS.iter().filter(stands).collect()
}

/// The classes whose commands stand anywhere in a text, in order.
pub(super) fn mentioned(text: &str) -> Vec<ActClass> {
    let all = CONTROLS.iter().filter(|it| find(text, &it.text).next().is_some());
    let mut classes: Vec<ActClass> = all.map(|it| it.of).collect();
    classes.sort_unstable_by_key(|it| *it as usize);
    classes.dedup();
    classes
}

fn without_harmless(name: &str) -> String {
    // What is taken out adds no letters: only what stands in the whole name can be found.
    let places = places_in(name, &HARMLESS_FINDER);
    without(name, places.into_iter().filter_map(|at| HARMLESS.get(at)))
}

fn without_everyday(name: &str) -> String {
    without(name, EVERYDAY.iter())
}

fn without<'a>(name: &str, phrases: impl Iterator<Item = &'a Phrase<()>>) -> String {
    let mut rest = name.to_owned();
    for phrase in phrases {
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
    DECLINES.contains(name)
}

/// Whether the name of a control (normalized) says that it subscribes to something.
pub(super) fn subscribes(name: &str) -> bool {
    SUBSCRIBES.iter().any(|it| {
        if it.chars().all(|c| is_spaced(c) || c == '-') {
            words(name).any(|word| word == "abo" || word.starts_with(it.as_str()))
        } else {
            name.contains(it.as_str())
        }
    })
}

/// Whether the whole name of a control (normalized), or a word of its id, says that it changes something.
pub(super) fn changes(name: &str, id: &str) -> bool {
    CHANGES.contains(name)
        || id
            .split(['_', '-'])
            .any(|word| changing::IDS.contains(&word.to_ascii_lowercase().as_str()))
}

/// Whether a name (normalized) says nothing: "button", "…".
pub(super) fn is_no_name(name: &str) -> bool {
    const NOTHING: [&str; 14] = [
        "button",
        "icon",
        "image",
        "img",
        "view",
        "unlabelled",
        "unlabeled",
        "null",
        "undefined",
        "imagebutton",
        "imageview",
        "ic",
        "btn",
        "graphic",
    ];
    NOTHING.contains(&name) || sign(name).is_none() && !name.chars().any(char::is_alphanumeric)
}

/// Whether a text (normalized) says that somebody asks to be let in.
pub(super) fn says_of_access(text: &str) -> bool {
    ACCESS.iter().any(|it| holds(text, it))
}

/// Whether the whole name of a control (normalized) lets somebody in who asks for it.
pub(super) fn lets_in(name: &str) -> bool {
    LETS_IN.contains(name)
}

/// Whether the name of a control (normalized) says that whoever holds the phone asks to be let in.
pub(super) fn is_me(name: &str) -> bool {
    IS_ME.iter().any(|it| holds(name, it))
}

/// Whether the name of a control (normalized) says that it was somebody else who asks, or begins with a no.
pub(super) fn keeps_out(name: &str) -> bool {
    const NO: [&str; 6] = ["不", "否", "いいえ", "아니", "ไม่", "नहीं"];
    declines(name)
        || words(name).next().is_some_and(declines)
        || NO.iter().any(|it| name.starts_with(it))
        || NOT_ME.iter().any(|it| holds(name, it))
}

/// Whether a text (normalized) says that something is lost for good.
pub(super) fn tells_of_loss(text: &str) -> bool {
    LOSSES.iter().any(|it| text.contains(it))
}

/// Whether a text (normalized) tells of what keeps others out of an account or a phone.
pub(super) fn protects(text: &str) -> bool {
    PROTECTS.iter().any(|it| mentions(text, it))
}

/// Whether a name (normalized) turns something off: with its whole name, or with a part of it.
pub(super) fn turns_off(name: &str, whole: bool) -> bool {
    TURNS_OFF.iter().any(|it| if whole { it == name } else { holds(name, it) })
}

/// What a sign in place of a name stands for.
pub(super) fn sign(name: &str) -> Option<ActClass> {
    agreeing::SIGNS.iter().find(|(sign, _)| *sign == name).map(|(_, class)| *class)
}

/// What a field is for into which this is to be typed: a message, or something for everybody.
pub(super) fn written_into(hint: &str) -> Option<ActClass> {
    let short = size(hint) <= 24;
    let says = |list: &[String]| short && list.iter().any(|it| holds(hint, it));
    if says(&COMMENTS) {
        Some(ActClass::Publish)
    } else {
        says(&MESSAGES).then_some(ActClass::Send)
    }
}

/// Whether a text (normalized) is what the empty field of a message or a comment shows.
pub(super) fn is_of_empty_field(text: &str) -> bool {
    EMPTY.contains(text.trim_end_matches(['.', '…', ' ']))
}

/// What a dialog with this text (normalized) asks about. What is sent, called and published stands in many
/// texts: there only a question counts.
pub(super) fn asked_by_dialog(text: &str) -> Option<ActClass> {
    const QUESTIONS: [char; 4] = ['?', '？', '؟', ';'];
    let mut rest = without_harmless(text);
    if is_without_amount(text) {
        rest = without_everyday(&rest);
    }
    let is_question = rest.trim_end().ends_with(QUESTIONS)
        || ["吗", "か", "か。", "까", "까요"].iter().any(|it| rest.trim_end().ends_with(it));
    let heavy =
        |class: ActClass| !matches!(class, ActClass::Call | ActClass::Publish | ActClass::Send);
    let mut found: Vec<ActClass> = in_text(&rest)
        .into_iter()
        .filter(|it| find(&rest, &it.text).next().is_some())
        .map(|it| it.of)
        .filter(|class| is_question || heavy(*class))
        .collect();
    let stem = |class| {
        let long = intents(class).filter(|it| 4 <= it.text.chars().count() || !it.text.is_ascii());
        long.into_iter().any(|it| stems(&rest, &it.text).next().is_some())
    };
    let verbs = [ActClass::Pay, ActClass::Delete].into_iter().filter(|class| stem(*class));
    found.extend(verbs.filter(|_| is_question));
    found.extend((is_question && completes_order(&rest)).then_some(ActClass::Order));
    found.extend(tells_of_loss(&rest).then_some(ActClass::Delete));
    found.into_iter().min_by_key(|class| *class as usize)
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
