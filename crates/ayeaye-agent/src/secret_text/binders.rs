//! What stands between the name of a secret and the secret: "password is …", "PIN: …", "パスワードは…".
use super::before::WordBefore;
use super::lowered::is_spaced;
use super::numbers::plain_digit;

/// How a name and what follows it belong together, the loosest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Bond {
    /// Nothing but a blank, or a change of scripts.
    Beside,
    /// It is to become that: "change the PIN to …".
    Becomes,
    /// A verb, a particle or a dash: "is", "は".
    Says,
    /// A colon or an equals sign.
    Sign,
}

/// Where what is bound begins, in the same text, and how it is bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bound {
    pub(super) at: usize,
    pub(super) by: Bond,
}

/// Verbs of scripts with blanks, which stand between the name and the secret.
#[rustfmt::skip]
const VERBS: &[&str] = &[
    "is", "is now", "is still", "are", "was", "will be", "should be", "must be", "equals", "ist", "ist jetzt", "lautet",
    "war", "heißt", "heisst", "es", "está", "era", "será", "est", "était", "sera", "è", "e'", "é", "sarà", "jest",
    "brzmi", "je", "este", "är", "er", "adalah", "ialah", "là", "это", "есть", "будет", "є", "це", "είναι",
];
/// Verbs of a name's own language, which are other words elsewhere.
const OWN_VERBS: [(&str, &[&str]); 2] =
    [("to", &["hasł", "haslo", "kod"]), ("on", &["salasana", "vahvistuskoodi"])];
/// Those of them that no other words are, so that they may stand some words behind the name.
const CLEAR_VERBS: [&str; 12] =
    ["is", "ist", "lautet", "es", "est", "è", "é", "jest", "är", "это", "це", "είναι"];
/// What the words between the name and its verb begin with: "the password for the bank is …".
const MIDDLES: [&str; 29] = [
    "for", "of", "to", "from", "on", "at", "für", "von", "vom", "zum", "zur", "der", "des", "pour",
    "de", "du", "para", "del", "do", "da", "per", "di", "della", "voor", "van", "для", "от", "к",
    "на",
];
/// Those of them behind which a receiver stands more often than a bank: "the code to Anna: see you at eight".
const TOWARDS: [&str; 7] = ["to", "an", "a", "à", "к", "на", "naar"];
/// What what it is to become is led by.
const BECOMES: [&str; 10] = ["to", "as", "auf", "naar", "na", "на", "a", "à", "por", "till"];
/// Particles and verbs of scripts without blanks, the longer ones first.
#[rustfmt::skip]
const PARTICLES: &[&str] = &[
    "就是", "设置为", "設置為", "设为", "設為", "改为", "改為", "改成", "设成", "設成", "应该是", "是", "为", "為", "爲",
    "は", "が", "を", "는", "은", "이", "가", "를", "을", "हैं", "है", "คือ", "هي", "هو", "היא", "הוא",
];

/// How what follows the name at `begin..end` of a text in small letters is bound to it; `None` if nothing is.
pub(super) fn bound(text: &str, begin: usize, end: usize) -> Option<Bound> {
    let spaced = text[begin..end].ends_with(is_spaced);
    let goes_on = if spaced { letters(&text[end..]) } else { 0 };
    // "Secretary" and "Passwordless" are other words.
    if !has_ending(&text[begin..end], &text[end..end + goes_on]) {
        return None;
    }
    let mut at = end + goes_on;
    if let Some(rest) = ["'s ", "’s "].iter().find_map(|it| text[at..].strip_prefix(it)) {
        return Some(Bound { at: text.len() - rest.len(), by: Bond::Says });
    }
    let closed = skip(text, &mut at, |c| "\"'”’»*`_」』".contains(c));
    let blank = skip_blanks(text, &mut at);
    let mut by = None;
    if let Some(particle) = PARTICLES.iter().find(|it| text[at..].starts_with(**it)) {
        (at, by) = (at + particle.len(), Some(Bond::Says));
    } else if blank {
        (at, by) = words_between(text, begin, at).map_or((at, None), |it| (it.at, Some(it.by)));
    }
    let blank = skip_blanks(text, &mut at) || blank;
    if let Some(sign) = sign(&text[at..], blank) {
        return Some(Bound { at: at + sign.at, by: sign.by });
    }
    // "passwords x1" and "'password' 'x1'" are no pairs.
    let beside = !closed && goes_on == 0 && begins_beside(text, end, at, blank);
    by.or(beside.then_some(Bond::Beside)).map(|by| Bound { at, by })
}

/// Whether a name goes on with these letters and is still the same word.
fn has_ending(name: &str, letters: &str) -> bool {
    #[rustfmt::skip]
    const ENDINGS: &[&str] = &[
        "s", "es", "e", "en", "er", "n", "t", "et", "ets", "ene", "erna", "ns",
        "a", "ni", "si", "ssa", "ei", "ul", "i", "ile",
        "m", "mu", "ku", "nya", "d", "nk", "ja", "am", "ad", "at", "ot", "ok", "unk",
        "niz", "iniz", "miz", "imiz", "ız", "ızı", "ınız", "ı", "nız", "nizi", "leri", "ler", "mi", "yi", "im", "in",
        "nin", "nu", "nuz", "nun", "muz", "sini",
        "em", "u", "y", "ů", "owi", "ami", "ом", "ем", "ам", "ами", "ов", "а", "у", "е", "и", "ы", "і", "ς", "ύ",
    ];
    match name {
        "secret" | "clave" => matches!(letters, "" | "s"),
        _ => letters.is_empty() || ENDINGS.contains(&letters),
    }
}

/// Words between the name and what it is, which begin at `at`.
fn words_between(text: &str, begin: usize, at: usize) -> Option<Bound> {
    let rest = &text[at..];
    let leads = |word: &&&str| {
        let behind = rest.strip_prefix(**word).and_then(|it| it.chars().next());
        behind.is_some_and(|c| is_blank(c) || matches!(c, ':' | '=' | '"' | '“' | '«'))
    };
    let verb = VERBS.iter().filter(leads).max_by_key(|it| it.len());
    if let Some(verb) = verb {
        return Some(Bound { at: at + verb.len(), by: Bond::Says });
    }
    let own = OWN_VERBS
        .iter()
        .find(|(verb, names)| leads(&verb) && names.iter().any(|it| text[begin..].starts_with(it)));
    if let Some((verb, _)) = own {
        return Some(Bound { at: at + verb.len(), by: Bond::Says });
    }
    let before = WordBefore::name(text, begin);
    if let Some(word) = BECOMES.iter().find(leads)
        && before == WordBefore::Changes
    {
        return Some(Bound { at: at + word.len(), by: Bond::Becomes });
    }
    MIDDLES.iter().find(leads)?;
    behind_middle(rest, before).map(|behind| Bound { at: at + behind, by: Bond::Says })
}

/// Whether what begins at `at`, with nothing else behind a name that ends at `end`, may be that: where words stand
/// without blanks, "发送到…" goes on with the sentence, and "482913" does not.
fn begins_beside(text: &str, end: usize, at: usize, blank: bool) -> bool {
    let parts_no_words = |c: char| matches!(c, '\u{e00}'..='\u{e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}');
    if blank && !text[..end].ends_with(parts_no_words) {
        return true;
    }
    let is_spaced_name = text[..end].ends_with(is_spaced);
    !is_spaced_name && text[at..].starts_with(|c| plain_digit(c).is_ascii_graphic())
}

/// Where a verb or a colon ends that stands some words behind.
fn behind_middle(rest: &str, before: WordBefore) -> Option<usize> {
    /// Words, and bytes of them.
    const MOST_WORDS: usize = 8;
    const LONGEST: usize = 80;
    let near = &rest[..rest.floor_char_boundary(LONGEST)];
    let mut at = 0;
    let mut has_receiver = before == WordBefore::Sends;
    for word in near.split(is_blank).take(MOST_WORDS) {
        let end = at + word.len();
        if CLEAR_VERBS.contains(&word) {
            return Some(end);
        }
        has_receiver |= TOWARDS.contains(&word.trim_end_matches(':'));
        if matches!(word, "=" | "-" | "–" | "—") || word.ends_with(':') {
            // Behind a receiver stands a message, and behind other words perhaps when something is to be.
            let next = rest[end..].split_whitespace().next().unwrap_or_default();
            return (!has_receiver && !is_time_or_date(next)).then_some(end);
        }
        // Another clause, or another line.
        if word.ends_with([',', ';', '.', '!', '?']) || word.contains('\n') {
            return None;
        }
        at = end + near[end..].chars().next()?.len_utf8();
    }
    None
}

/// "10:30", "9.15", "12.12.2026", "2026-12-12".
fn is_time_or_date(word: &str) -> bool {
    let word = word.trim_matches(|c: char| !c.is_ascii_digit());
    let Ok(parts) =
        word.split([':', '.', '/', '-']).map(str::parse).collect::<Result<Vec<u32>, _>>()
    else {
        return false;
    };
    let is_day = |a: u32, b: u32| (1..=31).contains(&a) && (1..=31).contains(&b) && a.min(b) <= 12;
    let is_year = |it: u32| it < 100 || (1900..2100).contains(&it);
    match parts[..] {
        [a, b] => a <= 24 && b < 60 && word.len() <= 5 || is_day(a, b),
        [a, b, c] => is_day(a, b) && is_year(c) || is_year(a) && is_day(b, c),
        _ => false,
    }
}

/// A sign that a text begins with, and where it ends.
fn sign(rest: &str, blank: bool) -> Option<Bound> {
    const ARROWS: [&str; 3] = ["=>", "->", "→"];
    const DASHES: [&str; 3] = ["-", "–", "—"];
    if let Some(arrow) = ARROWS.iter().find(|it| rest.starts_with(**it)) {
        return Some(Bound { at: arrow.len(), by: Bond::Says });
    }
    if rest.starts_with([':', '=']) {
        return Some(Bound { at: 1, by: Bond::Sign });
    }
    // "password-protected" has none.
    let dash = DASHES.iter().find(|it| blank && rest.starts_with(**it))?;
    let stands_apart = rest[dash.len()..].starts_with(is_blank);
    stands_apart.then_some(Bound { at: dash.len(), by: Bond::Says })
}

/// How many bytes of letters of a word a text begins with.
fn letters(rest: &str) -> usize {
    let end = rest.find(|c: char| !(c.is_alphabetic() && is_spaced(c)));
    end.unwrap_or(rest.len())
}

/// A blank within a line.
pub(super) fn is_blank(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\n' | '\r')
}

fn skip_blanks(text: &str, at: &mut usize) -> bool {
    skip(text, at, is_blank)
}

/// Whether any of these letters were skipped.
fn skip(text: &str, at: &mut usize, which: impl Fn(char) -> bool) -> bool {
    let rest = text[*at..].trim_start_matches(which);
    let begun = std::mem::replace(at, text.len() - rest.len());
    begun < *at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound_in(text: &str, name: &str) -> Option<(Bond, String)> {
        let begin = text.find(name).unwrap();
        let Bound { at, by } = bound(text, begin, begin + name.len())?;
        Some((by, text[at..].trim().to_owned()))
    }

    #[test]
    fn what_binds_a_name_and_a_secret_is_known() {
        use Bond::{Becomes, Beside, Says, Sign};
        for (text, name, by) in [
            ("password is: x1", "password", Sign),
            ("password = x1", "password", Sign),
            ("password:x1", "password", Sign),
            ("\"password\": x1", "password", Sign),
            ("mot de passe : x1", "mot de passe", Sign),
            ("passwords: x1", "password", Sign),
            ("password - x1", "password", Says),
            ("password's x1", "password", Says),
            ("passwort lautet x1", "passwort", Says),
            ("password is now x1", "password", Says),
            ("password for the bank is x1", "password", Says),
            ("password für die bank: x1", "password", Says),
            ("パスワードは x1", "パスワード", Says),
            ("비밀번호는 x1", "비밀번호", Says),
            ("密码就是x1", "密码", Says),
            ("密码是:x1", "密码", Sign),
            ("change the pin to x1", "pin", Becomes),
            ("把密码改成x1", "密码", Says),
            ("password x1", "password", Beside),
            ("密码x1", "密码", Beside),
        ] {
            assert_eq!(bound_in(text, name), Some((by, "x1".to_owned())), "{text}");
        }
    }

    #[test]
    fn what_is_near_a_name_is_not_bound_for_that() {
        for (text, name) in [
            ("password-protected x1", "password"),
            ("passwords x1", "password"),
            ("tap \"password\" \"x1\"", "password"),
            ("password, x1", "password"),
            ("password\nx1", "password"),
            ("password", "password"),
        ] {
            assert_eq!(bound_in(text, name), None, "{text}");
        }
        for text in ["send the pin to x1", "password for the bank, it is x1"] {
            let (by, _) =
                bound_in(text, if text.contains("pin") { "pin" } else { "password" }).unwrap();
            assert_eq!(by, Bond::Beside, "{text}");
        }
    }
}
