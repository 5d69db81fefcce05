//! The ways in which a name on a screen may be read: letters that look like others, characters that nobody sees, words
//! that are spelled out. Unicode calls such letters confusable.
use super::text::{normalized, words};
use crate::lookalike::{LETTERS, latin};

/// A text (normalized) whose Latin letters in words with Cyrillic ones are read as those that look like them: "Oплaтить".
fn in_cyrillic(text: &str) -> Option<String> {
    let is_cyrillic = |c: char| matches!(c, 'а'..='я' | 'і');
    let read = |c: char| {
        let (it, _) = LETTERS.iter().find(|(it, latin)| *latin == c && is_cyrillic(*it))?;
        Some(*it)
    };
    let is_mixed = |word: &str| word.contains(is_cyrillic) && word.contains(|c| read(c).is_some());
    text.split(' ').any(is_mixed).then(|| {
        let read = |word: &str| {
            let letters = word.chars().map(|c| read(c).filter(|_| is_mixed(word)).unwrap_or(c));
            letters.collect::<String>()
        };
        text.split(' ').map(read).collect::<Vec<_>>().join(" ")
    })
}

/// A text (normalized) with letters that only look like Latin ones read as these; `None` where there are
/// none. Also of digits and signs between letters: "р4y", "$end".
fn lookalikes(text: &str) -> Option<String> {
    const SIGNS: &[(char, char)] = &[
        ('0', 'o'),
        ('1', 'l'),
        ('3', 'e'),
        ('4', 'a'),
        ('5', 's'),
        ('7', 't'),
        ('@', 'a'),
        ('$', 's'),
        ('!', 'i'),
        ('|', 'l'),
        ('8', 'b'),
        ('9', 'g'),
        ('€', 'e'),
        ('£', 'l'),
        ('¥', 'y'),
        ('₱', 'p'),
        ('₿', 'b'),
        ('₡', 'c'),
        ('₫', 'd'),
        ('₦', 'n'),
        ('₭', 'k'),
        ('₮', 't'),
        ('₩', 'w'),
    ];
    if text.bytes().all(|c| c.is_ascii_lowercase() || c == b' ') {
        return None;
    }
    let sign = |c: char| SIGNS.iter().find(|(it, _)| *it == c).map(|(_, it)| *it);
    let mut changed = false;
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(' ') {
        let letters: String = word.chars().map(latin).collect();
        let lettered = letters.chars().filter(char::is_ascii_lowercase).count();
        let signs = letters.chars().filter(|c| sign(*c).is_some()).count();
        // A number is none of these, nor a price: more letters than digits, or as many of three and more.
        let is_word = signs < lettered || signs == lettered && 3 <= lettered;
        let spelled: String = if 0 < signs && is_word {
            letters.chars().map(|c| sign(c).unwrap_or(c)).collect()
        } else {
            letters
        };
        if spelled != word && spelled.chars().any(|c| c.is_ascii_lowercase()) {
            changed = true;
            out.push_str(&spelled);
        } else {
            out.push_str(word);
        }
    }
    changed.then_some(out)
}

/// The ways in which a person may read a name on a screen, the plain one first. There are only one or few, unless
/// something disguises it.
pub(super) fn readings(name: &str) -> Vec<String> {
    let mut all = undisguised(name);
    for reading in disguised(name).flat_map(|it| undisguised(&it)) {
        if !all.contains(&reading) {
            all.push(reading);
        }
    }
    all
}

/// Those of a name whose characters stand as they are to be read.
fn undisguised(name: &str) -> Vec<String> {
    let plain = normalized(name);
    let others = [lookalikes(&plain), in_cyrillic(&plain), closed_up(&plain)];
    let mut all: Vec<String> = others.into_iter().flatten().collect();
    all.insert(0, plain);
    all
}

/// What a name may look like whose characters are arranged so that it is read otherwise than it is written.
fn disguised(name: &str) -> impl Iterator<Item = String> {
    let has_gap = name.contains(is_gap);
    let spaced = has_gap.then(|| name.replace(is_gap, " "));
    let closed = has_gap.then(|| name.replace(is_gap, ""));
    let unglued = name.contains(is_glue).then(|| name.replace(is_glue, " "));
    let turned = name.contains('\u{202e}').then(|| name.chars().rev().collect());
    [spaced, closed, unglued, turned, with_small_l(name), spelled_out(name)].into_iter().flatten()
}

/// Characters that look like a blank or like nothing, within words and between them.
fn is_gap(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{115f}'..='\u{1160}' | '\u{180e}' | '\u{200b}'..='\u{200c}' | '\u{2060}'..='\u{2064}'
            | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
    )
}

/// Signs that may stand between two words in place of a blank.
fn is_glue(c: char) -> bool {
    matches!(
        c,
        '_' | '-' | '.' | '*' | '~' | '|' | '+' | '=' | '/' | '\\' | '·' | '•' | '‧' | '—' | '–'
    )
}

/// With a capital I within a word as the small L that it looks like: "`DeIete`".
fn with_small_l(name: &str) -> Option<String> {
    let mut before = ' ';
    let read = |c: char| {
        let is_within = matches!(c, 'I' | 'Ⅰ') && before.is_lowercase();
        before = c;
        if is_within { 'l' } else { c }
    };
    let text: String = name.chars().map(read).collect();
    (text != name).then_some(text)
}

/// With words closed up whose letters stand apart, beside others: "P.A.Y. now". A wider gap is between two words.
fn spelled_out(name: &str) -> Option<String> {
    let is_wide = |gap: &str| 1 < gap.chars().filter(|c| c.is_whitespace()).count();
    let parts = || words(name).map(|it| (it, is_letter(it)));
    if longest_run(parts().map(|(_, is_letter)| is_letter)) < LEAST_SPELLED {
        return None;
    }
    let mut text = String::new();
    let (mut after_letter, mut end) = (false, 0);
    for (word, is_letter) in parts() {
        // Where it stands in the name, of which it is a part.
        let at = word.as_ptr() as usize - name.as_ptr() as usize;
        let is_apart = !(after_letter && is_letter) || is_wide(&name[end..at]);
        if !text.is_empty() && is_apart {
            text.push(' ');
        }
        text.push_str(word);
        (after_letter, end) = (is_letter, at + word.len());
    }
    Some(text)
}

/// Fewer letters that stand apart are initials.
const LEAST_SPELLED: usize = 3;

fn is_letter(word: &str) -> bool {
    word.chars().nth(1).is_none()
}

/// How many in a row are so, at most.
fn longest_run(all: impl Iterator<Item = bool>) -> usize {
    let mut run = 0;
    all.fold(0, |longest, it| {
        run = if it { run + 1 } else { 0 };
        longest.max(run)
    })
}

/// The words of a text (normalized) whose letters stand apart, each without what is between them: "buynow" of "lorem
/// b u y n o w"; of two letters only where nothing else is in it.
pub(super) fn spelled_words(text: &str) -> Vec<String> {
    let mut all: Vec<String> = closed_up(text).into_iter().collect();
    let mut run = String::new();
    for word in words(text).chain([""]) {
        if !word.is_empty() && is_letter(word) {
            run.push_str(word);
            continue;
        }
        let spelled = std::mem::take(&mut run);
        if LEAST_SPELLED <= spelled.chars().count() {
            all.push(spelled);
        }
    }
    all
}

/// A text (normalized) whose letters stand apart, as one word: "p a y", "d-e-l-e-t-e".
fn closed_up(text: &str) -> Option<String> {
    let mut letters = words(text);
    let apart = letters.all(|it| it.chars().count() == 1);
    if !apart {
        return None;
    }
    let joined: String = words(text).collect();
    (2 <= joined.chars().count()).then_some(joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_that_look_like_others_are_read_as_these() {
        let read = |text: &str| lookalikes(&normalized(text)).unwrap_or_default();
        assert_eq!(read("Рау now"), "pay now");
        assert_eq!(read("Dеlеtе all"), "delete all");
        assert_eq!(read("P4y n0w"), "pay now");
        assert_eq!(read("$end"), "send");
        assert_eq!(read("Pay now"), "");
        assert_eq!(read("$49.95"), "");
        let cyrillic = |text: &str| in_cyrillic(&normalized(text)).unwrap_or_default();
        assert_eq!(cyrillic("Oплaтить now"), "оплатить now");
        assert_eq!(cyrillic("Оплатить"), "");
        assert_eq!(cyrillic("Pay now"), "");
        assert_eq!(closed_up("p a y").as_deref(), Some("pay"));
        assert_eq!(closed_up("pay it"), None);
    }

    #[test]
    fn names_are_read_as_they_look() {
        for name in [
            "Ꮲay now",
            "Ⲣay now",
            "ℙ𝕒𝕪 now",
            "Ƥay now",
            "₱ay now",
            "ᴾᵃʸ now",
            "Pay\u{200b}now",
            "Pay\u{2060}now",
            "Pay\u{3164}now",
            "P\u{2800}ay now",
            "\u{202e}won yaP",
            "P.A.Y. now",
            "P-a-y now",
        ] {
            assert!(
                readings(name).iter().any(|it| it == "pay now"),
                "{name}: {:?}",
                readings(name)
            );
        }
        for (name, read) in [
            ("Ᏼuy", "buy"),
            ("8uy", "buy"),
            ("ꓢend", "send"),
            ("Ꭰelete", "delete"),
            ("ⅮeⅠete", "delete"),
            ("DeIete", "delete"),
            ("Ðelete", "delete"),
            ("ƊeӀete", "delete"),
            ("Deƪete", "delete"),
            ("D3l3t3", "delete"),
        ] {
            assert!(readings(name).iter().any(|it| it == read), "{name}: {:?}", readings(name));
        }
        assert_eq!(readings("Pay now"), ["pay now"]);
        assert_eq!(readings("Install in USB mode"), ["install in usb mode"]);
    }
}
