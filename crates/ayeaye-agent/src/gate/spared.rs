//! What a user's words except: "all notes but Shopping", "Anna, not Ben".
use super::class::ActClass;
use super::fillers::{EMPTY_WORDS, says_all, says_something};
use super::kinds::{is_kind, without_kinds};
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
/// The same behind it.
#[rustfmt::skip]
static EXCEPT_BEHIND: List = List::new("hariç|dışında|haricinde|değil|को छोड़कर|के अलावा|के सिवा|kivételével|lukuun ottamatta");
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
/// What begins what is told to somebody.
static SAYING: List = List::new("that|dass|que|che|że|dat|что|що");

/// In scripts without blanks: what excepts before what is excepted.
#[rustfmt::skip]
const JOINED: &[&str] = &["除了", "除开", "除開", "不包括", "不含", "保留", "留下", "而不是", "，不是", "ยกเว้น", "นอกจาก"];
/// The same behind it.
#[rustfmt::skip]
const JOINED_BEHIND: &[&str] = &[
    "以外", "之外", "を除", "を抜", "は除", "は残", "を残", "だけ残", "ではなく", "じゃなくて", "빼고", "빼놓고", "제외", "말고", "외에", "남기고",
];
/// Letters that make another word of 除: "删除".
const REMOVES: [char; 8] = ['删', '刪', '移', '清', '解', '免', '扫', '卸'];

/// How much of a text is looked through for exceptions, and most words of one.
const MOST: usize = 8 * 1024;
const MOST_LISTED: usize = 60;

/// A word as it is written.
struct Token {
    plain: String,
    /// It has a capital, or is in quotes.
    is_name: bool,
    ends_part: bool,
    ends_sentence: bool,
}

/// The names of what is excepted in what a user has written, normalized.
pub(super) fn spared_in(text: &str) -> Vec<String> {
    // Of a long text the end, as of all the user's words.
    let text = &text[text.ceil_char_boundary(text.len().saturating_sub(MOST))..];
    let mut spared = Vec::new();
    for line in text.lines().map(without_content) {
        let tokens = tokens(line);
        let (mut sends, mut told) = (false, false);
        for at in 0..tokens.len() {
            let word = &tokens[at];
            sends = sends || is_verb(&word.plain, &[ActClass::Send]);
            told = told && !word.ends_sentence || sends && SAYING.contains(&word.plain);
            if told {
                continue;
            }
            if let Some(from) = end_of_marker(&tokens, at) {
                spared.extend(list(&tokens[from..]));
            } else if EXCEPT_BEHIND.iter().any(|it| stands(&tokens, at, it).is_some()) {
                spared.extend(last_name(&tokens[..at]));
            }
        }
        joined(&normalized(line), &mut spared);
    }
    spared.sort_unstable();
    spared.dedup();
    spared
}

/// Whether a name of what is excepted is shown.
pub(super) fn is_shown(shown: &str, name: &str) -> bool {
    if name.chars().all(is_spaced) {
        words(shown).any(|word| same_word(word, name))
    } else {
        shown.contains(name)
    }
}

/// A line without what is to be said behind a colon.
fn without_content(line: &str) -> &str {
    let colon = line.char_indices().find(|(at, c)| {
        let next = line[at + c.len_utf8()..].chars().next();
        matches!(c, ':' | '：') && next.is_some_and(|it| !it.is_ascii_digit() && it != '/')
    });
    match colon {
        Some((at, _)) if contents(&normalized(line)).iter().any(|it| it.is_all) => &line[..at],
        _ => line,
    }
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
            ends_part: word.ends_with([',', '،', '，']),
            ends_sentence: word.ends_with(['.', ';', '!', '?', ':', '。', '\u{61f}', '।']),
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
        if token.ends_sentence {
            return None;
        }
    }
    Some(end)
}

/// Where what excepts ends, if it stands there.
fn end_of_marker(tokens: &[Token], at: usize) -> Option<usize> {
    let before = || tokens[..at].iter();
    let first = |list: &List| list.iter().filter_map(|it| stands(tokens, at, it)).max();
    if let Some(end) = first(&EXCEPT) {
        return Some(end);
    }
    let token = &tokens[at];
    if !token.is_name && KEEP.contains(&token.plain) {
        let deletes = |it: &Token| is_verb(&it.plain, &[ActClass::Delete]);
        return before().any(deletes).then_some(at + 1);
    }
    let but_all = token.plain == "but" && before().rev().take(4).any(|it| says_all(&it.plain));
    let not = NOT.contains(&token.plain)
        && before().next_back().is_some_and(|it| it.ends_part || BUT.contains(&it.plain));
    ((but_all || not) && begins_with_name(&tokens[at + 1..])).then_some(at + 1)
}

/// Whether a name comes first, or a word that is all there is up to the end of its part.
fn begins_with_name(tokens: &[Token]) -> bool {
    let plain = |it: &&Token| BEFORE.contains(&it.plain) || is_kind(&it.plain);
    let rest = &tokens[tokens.iter().take_while(plain).count()..];
    let alone = |it: &Token| it.ends_part || it.ends_sentence || rest.len() == 1;
    rest.first().is_some_and(|it| {
        it.is_name && it.plain != "i" || alone(it) && says_something(&it.plain) && !is_any_verb(it)
    })
}

fn is_verb(word: &str, classes: &[ActClass]) -> bool {
    let begins = |stem: &str| stems(word, stem).next().is_some_and(|(at, _)| at == 0);
    classes.iter().any(|class| phrases::intents(*class).any(|it| begins(&it.text)))
}

fn is_any_verb(token: &Token) -> bool {
    !token.is_name && is_verb(&token.plain, &ActClass::ALL)
}

/// The names in a list that begins there: those with a capital, where there are any.
fn list(tokens: &[Token]) -> Vec<String> {
    let mut found: Vec<&Token> = Vec::new();
    let (mut next, mut has_names) = (false, false);
    for (at, token) in tokens.iter().enumerate().take(MOST_LISTED) {
        let is_place = PLACE.contains(&token.plain) && found.iter().any(|it| !names(it).is_empty());
        let plain = AND.contains(&token.plain) || BEFORE.contains(&token.plain);
        let other = next
            && !plain
            && (is_any_verb(token)
                || has_names && !token.is_name && !is_kind(&token.plain)
                || words(&token.plain).next().is_some_and(|it| !says_something(it)));
        if 0 < at && (other || ELSE.contains(&token.plain) && !token.is_name || is_place) {
            break;
        }
        has_names |= token.is_name && !is_kind(&token.plain);
        found.push(token);
        next = token.ends_part || AND.contains(&token.plain);
        if token.ends_sentence {
            break;
        }
    }
    found.retain(|it| it.is_name || !has_names);
    found.into_iter().flat_map(names).collect()
}

/// What names something in a word.
fn names(token: &Token) -> Vec<String> {
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
        .take_while(|it| !it.ends_part && !it.ends_sentence)
        .filter(|it| !names(it).is_empty())
        .take(3)
        .collect();
    if near.iter().any(|it| it.is_name) {
        near.into_iter().filter(|it| it.is_name).flat_map(names).collect()
    } else {
        near.into_iter().take(1).flat_map(names).collect()
    }
}

/// The same in a text (normalized) whose script has no blanks.
fn joined(text: &str, spared: &mut Vec<String>) {
    const ENDS: [char; 10] = ['。', '，', '；', '！', '？', ',', '.', ';', '!', '?'];
    const STARTS: [&str; 9] = ["除了", "は", "を", "に", "が", "で", "の", "把", "将"];
    for part in text.split_inclusive(ENDS) {
        let part_end = part.trim_end_matches(ENDS);
        for marker in JOINED {
            for (at, _) in part_end.match_indices(marker.trim_start_matches('，')) {
                spared.extend(things(until_end(
                    &part_end[at + marker.trim_start_matches('，').len()..],
                )));
            }
        }
        for (at, _) in part_end.match_indices('除') {
            let rest = &part_end[at + '除'.len_utf8()..];
            let is_other = part_end[..at].ends_with(REMOVES)
                || rest.starts_with(['了', '开', '開', 'い', 'く', 'か']);
            if let Some(end) = rest.find('外').filter(|_| !is_other) {
                spared.extend(things(rest[..end].trim_end_matches(['以', '之'])));
            }
        }
        for marker in JOINED_BEHIND {
            for (at, _) in part_end.match_indices(marker) {
                let before = part_end[..at].trim_end();
                let before = before.trim_end_matches(['은', '는', '을', '를', '만']);
                let starts =
                    STARTS.iter().filter_map(|it| before.rfind(it).map(|at| at + it.len()));
                let blank = before.rfind(' ').map(|at| at + 1);
                let from = starts.chain(blank).max().unwrap_or_default();
                spared.extend(things(&before[from..]));
            }
        }
    }
}

/// Up to what ends an exception in Chinese, or the blank that does in Thai.
fn until_end(rest: &str) -> &str {
    let ends = ["以外", "之外", "外", "的", "都", " "];
    let rest = rest.trim_start();
    let end = ends.iter().filter_map(|it| rest.find(it)).min().unwrap_or(rest.len());
    &rest[..end]
}

/// The names in a list, without kinds of things.
fn things(list: &str) -> Vec<String> {
    let parts = list.split(['、', '和', '与', '與', '及', '跟', 'と', 'や']);
    let parts: Vec<String> = parts.map(without_kinds).collect();
    let other = |it: &&str| it.chars().any(|c| c.is_alphabetic() && !is_spaced(c));
    parts.iter().flat_map(|it| words(it)).filter(other).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_excepted_is_found() {
        for (text, names) in [
            ("Delete all notes except Shopping", &["shopping"][..]),
            ("delete all notes except shopping and taxes", &["shopping", "taxes"]),
            (
                "Delete all notes but Shopping, Taxes and the note Work.",
                &["shopping", "taxes", "work"],
            ),
            ("Delete all notes except Shopping and open Bike", &["shopping"]),
            ("Delete all notes except Shopping, then open Bike", &["shopping"]),
            ("Delete all notes, keep Shopping", &["shopping"]),
            ("Text Anna, not Ben, I'm at Anna's house", &["ben"]),
            ("Text Anna, not Ben: come except Carl", &["ben"]),
            ("text anna, not ben", &["ben"]),
            ("Delete all notes except Shopping in Keep", &["shopping"]),
            ("Text Anna, not Ben, but Carl", &["ben"]),
            ("Escribe a todos, menos a Ben, que llego tarde", &["ben"]),
            ("खरीदारी को छोड़कर सभी नोट हटाओ", &["खरीदारी"]),
            ("Tüm notları Alışveriş hariç sil", &["alisveris"]),
            ("Lösche alle Notizen außer der Notiz Einkauf", &["einkauf"]),
            ("Alışveriş hariç tüm notları sil", &["alisveris"]),
            ("删除所有备忘录，除了购物备忘录和工作", &["工作", "购物"]),
            ("删除除购物外的所有备忘录", &["购物"]),
            ("メモは買い物以外を全部削除して", &["買い物"]),
            ("쇼핑은 빼고 모두 삭제해 줘", &["쇼핑"]),
        ] {
            assert_eq!(spared_in(text), names, "{text}");
        }
    }

    #[test]
    fn what_only_sounds_like_an_exception_is_none() {
        for text in [
            "Delete the mail, not archive it",
            "Delete the note Bike, but ask me first",
            "Text Anna: everyone comes except Ben",
            "Text everyone but keep it short",
            "Open the note Keep",
            "Text Anna that all but Ben came",
            "Escribe a Ana que llego en menos de veinte minutos",
            "Delete the photos, and then open Anna",
            "Write Anna a message saying I am not Ben",
            "删除备忘录购物",
            "Open Bike, but not now",
        ] {
            assert_eq!(spared_in(text), [""; 0], "{text}");
        }
    }
}
