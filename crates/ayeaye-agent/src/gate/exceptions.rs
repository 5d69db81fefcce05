//! What a user's words except: "all notes but Shopping", "Anna, not Ben".
mod joined;
mod other_words;

use self::joined::{joined, without_joined};
use self::other_words::is_other_word;
use super::class::ActClass;
use super::fillers::{EMPTY_WORDS, says_all, says_something};
use super::kind_nouns::{is_kind, says_minutes, tells_number};
use super::phrases;
use super::quoted::{closes_quote, contents, opens_quote};
use super::text::{List, is_spaced, normalized, same_word, stems, words};

/// What excepts, before what is excepted.
#[rustfmt::skip]
static EXCEPT: List = List::new("except|excepting|excluding|apart from|aside from|other than|save for|with the exception of|instead of|rather than|\
        außer|ausser|ausgenommen|bis auf|mit Ausnahme|abgesehen von|statt|anstatt|anstelle|excepto|salvo|menos|a excepción de|aparte de|en lugar de|en vez de|\
        sauf|excepté|hormis|à l'exception de|à part|au lieu de|exceto|com exceção de|em vez de|tirando|tranne|eccetto|a parte|ad eccezione di|invece di|\
        behalve|uitgezonderd|met uitzondering van|in plaats van|oprócz|prócz|poza|z wyjątkiem|zamiast|кроме|за исключением|вместо|крім|окрім|за винятком|замість|\
        utom|förutom|med undantag för|istället för|i stället för|undtagen|bortset fra|i stedet for|unntatt|bortsett fra|paitsi|kromě|místo|okrem|namiesto|kivéve|cu excepția|în afară de|în loc de|\
        εκτός από|εκτός|αντί|освен|с изключение на|osim|umjesto|ما عدا|عدا|باستثناء|إلا|بدلا من|מלבד|למעט|kecuali|selain|trừ|ngoại trừ|thay vì");
/// What excepts, behind what is excepted.
#[rustfmt::skip]
static EXCEPT_BEHIND: List = List::new("hariç|dışında|haricinde|değil|को छोड़कर|के अलावा|के सिवा|kivételével|lukuun ottamatta");
/// Turkish for "except", and for "outside of", as it is compared.
const OUTSIDE: &str = "disinda";
/// What keeps something while others are deleted.
#[rustfmt::skip]
static KEEP: List = List::new("keep|behalte|behalt|garde|conserva|mantén|mantenha|tieni|bewaar|behoud|zachowaj|оставь|сохрани|залиш");
/// What excepts where it stands in front of a name, behind a comma or one of `BUT`.
#[rustfmt::skip]
static NOT: List = List::new("not|nicht|pas|no|não|non|niet|nie|не|inte|ikke|ne|nem|nu|όχι|bukan");
#[rustfmt::skip]
static BUT: List = List::new("but|and|aber|und|mais|et|pero|y|mas|e|ma|maar|en|ale|i|но|а|и|але|та|men|och|og|dar|și|tetapi|και|αλλά");
/// What goes on with a list.
#[rustfmt::skip]
static AND: List = List::new("and|or|und|oder|sowie|et|ou|y|o|e|en|of|i|oraz|lub|и|или|та|і|або|ve|och|eller|og|ja|a|és|și|και|و|dan|và|और|nor|noch");
/// What stands before a name and says nothing of it.
#[rustfmt::skip]
static BEFORE: List = List::new("the|for|of|to|my|your|our|his|her|their|from|with|one|called|named|der|die|das|den|dem|des|an|von|vom|meine|meinen|meiner|meinem|le|la|les|l|de|du|des|à|mes|ma|mon|\
        el|los|las|a|al|del|mi|mis|o|os|as|do|da|dos|das|meu|minha|il|lo|gli|i|di|della|ad|het|naar|aan|mijn|до|для");
/// What begins something else.
#[rustfmt::skip]
static ELSE: List = List::new("that|dass|que|qu|che|że|dat|что|що|because|weil|then|dann|but|sondern|sino|bensì|а|open|show|read|close|go|öffne|zeig|zeige|lies|schließe|abre|ouvre|apri|открой|покажи");
/// What begins where it is, which ends a list of names: "except Shopping in Keep".
static PLACE: List = List::new("in|on|im|auf|aus|dans|sur|em|w|в");
/// What begins where it is behind a comma: "except Shopping, from Keep".
static FROM: List = List::new("from|of|von|vom|de|da|di|del|van|z|из|от");
/// What stands before a time, and behind it.
static AT: List = List::new("at|um|om|alle|o|w|v|в|о|kl|klo");
static UNITS: List = List::new("am|pm|a.m|p.m|uhr|o'clock|h|p|m");
/// "O'clock" where a script has no blanks.
const OCLOCK: [char; 5] = ['点', '點', '时', '時', '시'];
/// What begins what is told to somebody.
static SAYING: List = List::new("that|dass|que|che|że|dat|что|що");

/// How much of a user's words is read.
pub(super) const MOST: usize = 16 * 1024;
/// Most words of an exception.
const MOST_LISTED: usize = 60;

/// The exceptions in a user's words.
#[derive(Debug, Clone, Default)]
pub(super) struct Spared {
    /// Its names, normalized, and numbers as they are written.
    names: Vec<String>,
    /// There is an exception without a name: "all but the newest".
    pub(super) is_unnamed: bool,
    /// The words without what they except, line by line (normalized).
    rest: String,
}

impl Spared {
    pub(super) fn add(&mut self, other: Self) {
        self.names.extend(other.names);
        self.is_unnamed |= other.is_unnamed;
        self.rest.push_str(&other.rest);
    }

    /// The words without what they except, line by line (normalized).
    pub(super) fn rest(&self) -> &str {
        &self.rest
    }

    pub(super) fn is_any(&self) -> bool {
        self.is_unnamed || !self.names.is_empty()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.iter().any(|it| it == name)
    }

    /// Whether one of the names is in what is shown (normalized).
    pub(super) fn are_shown(&self, shown: &str) -> bool {
        self.names.iter().any(|name| {
            if name.starts_with(|c: char| c.is_ascii_digit()) {
                is_number_shown(shown, name)
            } else {
                is_shown(shown, name) || name.contains(OCLOCK) && tells_number(name, shown)
            }
        })
    }

    /// Names of one exception: where there are none, nobody knows what it spares.
    fn except(&mut self, names: Vec<String>) {
        self.is_unnamed |= names.is_empty();
        self.names.extend(names);
    }
}

/// A word as it is written.
struct Token {
    plain: String,
    /// It has a capital, or is in quotes.
    is_name: bool,
    is_quoted: bool,
    /// The last character as it is written, which may end a part or a sentence.
    last: Option<char>,
}

impl Token {
    /// With the sign that ends a part or a sentence.
    fn with_end(&self) -> String {
        let end = self.last.filter(|_| self.ends_part() || self.ends_sentence());
        self.plain.chars().chain(end).collect()
    }

    fn ends_part(&self) -> bool {
        self.last.is_some_and(|it| matches!(it, ',' | '،' | '，'))
    }

    fn ends_sentence(&self) -> bool {
        self.last
            .is_some_and(|it| matches!(it, '.' | ';' | '!' | '?' | ':' | '。' | '\u{61f}' | '।'))
    }

    fn is_verb_of(&self, classes: &[ActClass]) -> bool {
        !self.is_name && is_verb(&self.plain, classes)
    }
}

/// Finds the exceptions in a user's text.
pub(super) fn spared_in(text: &str) -> Spared {
    // Of a long text the end, as of all the user's words.
    let text = &text[text.ceil_char_boundary(text.len().saturating_sub(MOST))..];
    let mut spared = Spared::default();
    for whole in text.lines() {
        let line = without_content(whole);
        let tokens = tokens(line);
        let mut is_kept = vec![true; tokens.len()];
        let sends = |it: &Token| is_verb(&it.plain, &[ActClass::Send]);
        let mut told = false;
        for at in 0..tokens.len() {
            let word = &tokens[at];
            told = told && !word.ends_sentence()
                || SAYING.contains(&word.plain) && tokens[..=at].iter().any(sends);
            if told {
                continue;
            }
            if let Some(from) = end_of_marker(&tokens, at) {
                let end = from + list(&tokens[from..], &mut spared);
                is_kept[at..end].fill(false);
            } else if !word.is_quoted
                && let Some((marker, end)) =
                    EXCEPT_BEHIND.iter().find_map(|it| Some((it, stands(&tokens, at, it)?)))
            {
                // "Evin dışında" is outside of it as well: no word farther back is excepted.
                let from = if marker == OUTSIDE { at.saturating_sub(1) } else { 0 };
                let names = last_name(&tokens[from..at]);
                let is_of_it =
                    |it: &Token| words(&it.plain).any(|it| names.contains(&it.to_owned()));
                let begin = tokens[from..at].iter().rposition(is_of_it).map_or(at, |it| from + it);
                is_kept[begin..end].fill(false);
                spared.except(names);
            }
        }
        let before = spared.names.len();
        joined(&normalized(line), &mut spared);
        let kept = tokens.iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
        let kept: Vec<_> = kept.map(|(it, _)| it.with_end()).collect();
        let kept = without_joined(kept.join(" "), &spared.names[before..]);
        spared.rest.push_str(&kept);
        spared.rest.push_str(&normalized(&whole[line.len()..]));
        spared.rest.push('\n');
    }
    spared.names.sort_unstable();
    spared.names.dedup();
    spared
}

/// Whether a name is in what is shown (both normalized).
pub(super) fn is_shown(shown: &str, name: &str) -> bool {
    if name.chars().all(is_spaced) {
        words(shown).any(|word| same_word(word, name))
    } else {
        shown.contains(name)
    }
}

/// Whether a number that is excepted is shown, of a time in any way to write it.
fn is_number_shown(shown: &str, name: &str) -> bool {
    let number = name.split(' ').next().unwrap_or_default();
    let is_end = |c: char| !c.is_alphanumeric() && !matches!(c, ':' | '.');
    let plain = number.contains([':', '.']);
    tells_number(name, shown)
        || !plain && shown.split(is_end).any(|it| it.trim_matches(['.', ':']) == number)
}

/// A line without what is to be said behind a colon.
fn without_content(line: &str) -> &str {
    let colon = line.char_indices().find(|(at, c)| {
        let next = line[at + c.len_utf8()..].chars().next();
        matches!(c, ':' | '：') && next.is_some_and(|it| !it.is_ascii_digit() && it != '/')
    });
    match colon {
        Some((at, _)) if is_content(line, at) => &line[..at],
        _ => line,
    }
}

/// Whether what stands behind a colon is to be said to somebody, written down or published.
fn is_content(line: &str, colon: usize) -> bool {
    let publishes = |it: &str| is_verb(it, &[ActClass::Publish]);
    contents(&normalized(line), &[]).iter().any(|it| it.is_all)
        || words(&normalized(&line[..colon])).any(publishes)
}

fn tokens(line: &str) -> Vec<Token> {
    let mut quoted = false;
    let token = |word: &str| {
        quoted |= opens_quote(word);
        let bare = word.trim_matches(|c: char| !c.is_alphanumeric());
        let capital = bare.chars().next().is_some_and(char::is_uppercase);
        let plain = normalized(bare);
        let token = Token {
            plain: plain.strip_suffix("'s").unwrap_or(&plain).to_owned(),
            is_name: capital || quoted,
            is_quoted: quoted,
            last: word.chars().next_back(),
        };
        quoted &= !closes_quote(word);
        token
    };
    line.split_whitespace().map(token).filter(|it| !it.plain.is_empty()).collect()
}

/// Where a phrase that stands there ends.
fn stands(tokens: &[Token], at: usize, phrase: &str) -> Option<usize> {
    let mut end = at;
    for word in phrase.split(' ') {
        let token = tokens.get(end).filter(|it| it.plain == word)?;
        end += 1;
        if token.ends_sentence() {
            return None;
        }
    }
    Some(end)
}

/// Where what excepts ends, if it stands there.
fn end_of_marker(tokens: &[Token], at: usize) -> Option<usize> {
    let before = || tokens[..at].iter();
    let token = &tokens[at];
    if token.is_quoted {
        return None;
    }
    let excepts = |it: &String| {
        stands(tokens, at, it).filter(|end| !is_other_word(tokens, at, *end, it.as_str()))
    };
    if let Some(end) = EXCEPT.iter().filter_map(excepts).max() {
        return Some(end);
    }
    if !token.is_name && KEEP.contains(&token.plain) {
        let deletes = |it: &Token| is_verb(&it.plain, &[ActClass::Delete]);
        return before().any(deletes).then_some(at + 1);
    }
    let but_all = token.plain == "but" && before().rev().take(4).any(|it| says_all(&it.plain));
    let not = NOT.contains(&token.plain)
        && !is_other_word(tokens, at, at + 1, &token.plain)
        && before().next_back().is_some_and(|it| it.ends_part() || BUT.contains(&it.plain));
    ((but_all || not) && begins_with_name(&tokens[at + 1..])).then_some(at + 1)
}

/// Whether a name or a time comes first, or a word or a kind of things that is all there is up to the end of its part.
fn begins_with_name(tokens: &[Token]) -> bool {
    let ends = |it: &Token| it.ends_part() || it.ends_sentence();
    let part = &tokens[..tokens.iter().position(ends).map_or(tokens.len(), |it| it + 1)];
    let plain = |it: &&Token| BEFORE.contains(&it.plain) || is_kind(&it.plain);
    let rest = &part[part.iter().take_while(plain).count()..];
    let Some(first) = rest.first() else { return part.iter().any(|it| is_kind(&it.plain)) };
    let behind_at = if AT.contains(&first.plain) { rest.get(1) } else { Some(first) };
    behind_at.is_some_and(is_number)
        || first.is_name && first.plain != "i"
        || rest.len() == 1 && says_something(&first.plain) && !is_any_verb(first)
}

fn is_number(token: &Token) -> bool {
    token.plain.starts_with(|c: char| c.is_ascii_digit())
}

fn is_verb(word: &str, classes: &[ActClass]) -> bool {
    classes.iter().any(|class| phrases::intents(*class).any(|it| begins(word, &it.text)))
}

fn begins(word: &str, stem: &str) -> bool {
    stems(word, stem).next().is_some_and(|(at, _)| at == 0)
}

fn is_any_verb(token: &Token) -> bool {
    token.is_verb_of(&ActClass::ALL)
}

/// Whether what is to reach somebody begins there: "instead of an email send" is the verb, and "an email" none.
fn reaches(tokens: &[Token], at: usize) -> bool {
    let is_noun = |before: &Token| BEFORE.contains(&before.plain) || before.plain == "eine";
    tokens[at].is_verb_of(&[ActClass::Send, ActClass::Call])
        && !tokens[..at].last().is_some_and(is_noun)
}

/// The names in a list that begins there: those with a capital, where there are any. Tells how many words are of it.
fn list(tokens: &[Token], spared: &mut Spared) -> usize {
    let mut found: Vec<&Token> = Vec::new();
    let (mut next, mut has_names) = (false, false);
    for (at, token) in tokens.iter().enumerate().take(MOST_LISTED) {
        let is_place = PLACE.contains(&token.plain)
            && found.iter().any(|it| is_kind(&it.plain) || !names(it).is_empty());
        let plain = AND.contains(&token.plain) || BEFORE.contains(&token.plain);
        let other = next
            && !plain
            && (is_any_verb(token)
                || has_names && !token.is_name && !is_kind(&token.plain) && !is_number(token)
                || words(&token.plain).next().is_some_and(|it| !says_something(it))
                    && !is_number(token));
        if reaches(tokens, at)
            || 0 < at && (other || ELSE.contains(&token.plain) && !token.is_name || is_place)
        {
            break;
        }
        has_names |= token.is_name && !names(token).is_empty();
        found.push(token);
        next = token.ends_part() || AND.contains(&token.plain);
        if token.ends_sentence() {
            break;
        }
    }
    spared.is_unnamed |= found.is_empty();
    // "Half past 7" is no time that could be compared.
    spared.is_unnamed |= found.iter().any(|it| is_number(it))
        && found.iter().any(|it| says_minutes(&it.plain) && !AND.contains(&it.plain));
    // Nor is "at seven".
    let in_words = |it: &[&Token]| {
        matches!(it[0].plain.as_str(), "at" | "um" | "om") && !it[1].is_name && !is_number(it[1])
    };
    spared.is_unnamed |= found.windows(2).any(in_words);
    for item in found.split_inclusive(|it| it.ends_part() || AND.contains(&it.plain)) {
        let named = item.iter().filter(|it| it.is_name || !has_names);
        let all: Vec<String> = numbers(item).chain(named.flat_map(|it| names(it))).collect();
        // "Not Car, from my notes" goes on with where it is.
        let is_thing = item.first().is_some_and(|it| {
            !AND.contains(&it.plain) && (item.len() == found.len() || !FROM.contains(&it.plain))
        });
        if is_thing || !all.is_empty() {
            spared.except(all);
        }
    }
    found.len()
}

/// The numbers among some words as they are written, with the half of the day behind them.
fn numbers(item: &[&Token]) -> impl Iterator<Item = String> {
    let word = |at: usize| item.get(at).map_or("", |it| it.plain.as_str());
    (0..item.len()).filter(|at| is_number(item[*at])).map(move |at| {
        let number = item[at].plain.as_str();
        let minutes = word(at + 2);
        if matches!(word(at + 1), "uhr" | "h") && minutes.parse::<u32>().is_ok_and(|it| 9 < it) {
            return format!("{number}:{minutes}");
        }
        match (word(at + 1), word(at + 2)) {
            ("am" | "a.m", _) | ("a", "m") => format!("{number} am"),
            ("pm" | "p.m", _) | ("p", "m") => format!("{number} pm"),
            _ => number.to_owned(),
        }
    })
}

/// What names something in a word.
fn names(token: &Token) -> Vec<String> {
    if is_number(token) || UNITS.contains(&token.plain) {
        return Vec::new();
    }
    let says = |it: &&str| {
        2 <= it.chars().count()
            && !EMPTY_WORDS.contains(*it)
            && (token.is_name || says_something(it))
            && !is_kind(it)
            && !says_all(it)
            && !AND.iter().chain(BEFORE.iter()).any(|other| other == it)
    };
    words(&token.plain).filter(says).map(str::to_owned).collect()
}

/// The name that stands last: with a capital, or else the last word.
fn last_name(tokens: &[Token]) -> Vec<String> {
    let near: Vec<&Token> = tokens
        .iter()
        .rev()
        .take_while(|it| !it.ends_part() && !it.ends_sentence())
        .filter(|it| !names(it).is_empty())
        .take(3)
        .collect();
    if near.iter().any(|it| it.is_name) {
        near.into_iter().filter(|it| it.is_name).flat_map(names).collect()
    } else {
        near.into_iter().take(1).flat_map(names).collect()
    }
}

#[cfg(test)]
mod tests;
