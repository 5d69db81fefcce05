//! How a secret may be written where it turns up again: in another notation, or cut short.
use super::digits::{bare_digits, ways_to_write};

/// Shorter ones are not looked for inside other texts: they would be found everywhere.
pub(super) const SHORTEST: usize = 4;
/// A longer one is looked for in pieces, of which the shortest has more than half of this. Tokens and keys of a few
/// thousand characters are kept by a name, too.
const LONGEST: usize = 512;
/// The longest text that is looked for with every letter written as a number.
const LONGEST_ESCAPED: usize = 64;
/// The fewest letters and digits of a text that is looked for in other groups and in capitals.
const SHORTEST_RESTYLED: usize = 6;

/// What is looked for of a text, as it is: all of it, piece by piece where it is long; nothing if it is too short for
/// that.
pub(super) fn pieces(value: &str) -> Vec<String> {
    let chars: Vec<char> = value.chars().collect();
    if chars.len() < SHORTEST {
        return Vec::new();
    }
    let each = chars.len().div_ceil(chars.len().div_ceil(LONGEST));
    chars.chunks(each).map(|piece| piece.iter().collect()).collect()
}

/// Whether a text is looked for in several pieces.
pub(super) fn is_in_pieces(value: &str) -> bool {
    LONGEST < value.len() && LONGEST < value.chars().count()
}

/// The ways a piece of a text is written where it may turn up again: in JSON, XML, a web address, a shell's
/// word, `input text`, a prompt that allows no line breaks, and in letters as wide as Chinese ones.
pub(super) fn spellings(value: &str) -> Vec<String> {
    let value = value.to_owned();
    let json = serde_json::Value::from(value.as_str()).to_string();
    let json = &json[1..json.len() - 1];
    let in_one_line = value.split_whitespace().collect::<Vec<_>>().join(" ");
    let escaped = |of: &str| {
        of.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let quotes = |double: &str, single: &str| {
        escaped(&value).replace("&quot;", double).replace('\'', single)
    };
    let mut all = vec![
        json.to_owned(),
        json.replace('/', "\\/"),
        escaped(&value),
        quotes("&quot;", "&apos;"),
        quotes("&quot;", "&#39;"),
        quotes("&quot;", "&#x27;"),
        quotes("&#34;", "&#39;"),
        escaped(&value).replace('\n', "&#10;").replace('\t', "&#9;").replace('\r', "&#13;"),
        value.replace(' ', "%s"),
        value.replace('\'', "'\\''"),
        in_one_line.replace('<', "＜"),
        in_one_line,
        value.chars().map(full_width).collect(),
        value.chars().map(half_width).collect(),
    ];
    all.extend(in_addresses(&value));
    let not_ascii = |c: char| !c.is_ascii();
    all.extend(in_numbers(json, not_ascii));
    if value.chars().count() <= LONGEST_ESCAPED {
        all.extend(in_numbers(&value, |_| true));
    }
    if let Some(number) = bare_digits(&value) {
        all.extend(ways_to_write(&number));
    }
    all.push(value);
    all.retain(|spelling| SHORTEST <= spelling.chars().count());
    all.sort_unstable();
    all.dedup();
    all
}

/// How an app may show what was typed into it: in groups of four, letter by letter, in capitals. A text has to be as
/// long as that, or its words would be found everywhere.
pub(super) fn restyled(value: &str) -> Vec<String> {
    let parts = |c: &char| c.is_whitespace() || matches!(*c, '-' | '\u{2010}'..='\u{2013}');
    let bare: Vec<char> = value.chars().filter(|c| !parts(c)).collect();
    if !(SHORTEST_RESTYLED..=LONGEST).contains(&bare.len()) {
        return Vec::new();
    }
    let groups: Vec<String> = bare.chunks(4).map(|it| it.iter().collect()).collect();
    let letters = |of: &[char]| of.iter().map(char::to_string).collect::<Vec<_>>().join(" ");
    let mut all: Vec<String> =
        ["", " ", "-", "\u{a0}", "\u{202f}"].map(|it| groups.join(it)).into();
    let shown: Vec<char> = value.chars().filter(|c| !c.is_whitespace()).collect();
    let with_hyphens: Vec<String> = shown.chunks(4).map(|it| it.iter().collect()).collect();
    all.extend([letters(&bare), letters(&shown), with_hyphens.join(" "), value.to_owned()]);
    let otherwise = |to: fn(&str) -> String| all.iter().map(|it| to(it)).collect::<Vec<_>>();
    let [upper, lower] = [otherwise(str::to_uppercase), otherwise(str::to_lowercase)];
    all.extend(upper.into_iter().chain(lower));
    // As the list of a screen's elements writes them.
    let escaped = |it: &String| {
        it.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
    };
    let in_xml: Vec<String> = all.iter().map(escaped).collect();
    all.extend(in_xml);
    all.sort_unstable();
    all.dedup();
    all
}

/// What those who write addresses keep besides letters and digits: what RFC 3986 has unreserved, the same and `/`
/// (Python's `quote`), JavaScript's `encodeURIComponent` and `encodeURI`.
const KEPT_IN_PATHS: [&str; 4] = ["-._~", "-._~/", "-._~!*'()", "-._~!*'();/?:@&=+$,#"];
/// What is kept in forms, where a blank is a plus: by `quote_plus`, and by browsers and Java.
const KEPT_IN_FORMS: [&str; 2] = ["-._~", "-._*"];

/// The ways a text is written in a web address, with the digits of its bytes in capitals and in small letters.
fn in_addresses(value: &str) -> Vec<String> {
    let paths = KEPT_IN_PATHS.map(|kept| (kept, "%20"));
    let forms = KEPT_IN_FORMS.map(|kept| (kept, "+"));
    let mut all = Vec::new();
    for (kept, blank) in paths.into_iter().chain(forms) {
        let (mut upper, mut lower) = (String::new(), String::new());
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) {
                upper.push(char::from(byte));
                lower.push(char::from(byte));
            } else if byte == b' ' {
                upper.push_str(blank);
                lower.push_str(blank);
            } else {
                upper.extend(["%", &format!("{byte:02X}")]);
                lower.extend(["%", &format!("{byte:02x}")]);
            }
        }
        all.extend([upper, lower]);
    }
    all
}

/// Those letters as JSON may write them, by their numbers, in both ways of writing these.
fn in_numbers(text: &str, which: impl Fn(char) -> bool) -> [String; 2] {
    let (mut lower, mut upper) = (String::new(), String::new());
    for c in text.chars() {
        if which(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                lower.extend(["\\u", &format!("{unit:04x}")]);
                upper.extend(["\\u", &format!("{unit:04X}")]);
            }
        } else {
            lower.push(c);
            upper.push(c);
        }
    }
    [lower, upper]
}

/// How far the wide forms of ASCII's letters are from these.
const WIDE: u32 = 0xfee0;

fn full_width(c: char) -> char {
    if c.is_ascii_graphic() { char::from_u32(u32::from(c) + WIDE).unwrap_or(c) } else { c }
}

/// The ASCII letter that a wide one stands for.
fn half_width(c: char) -> char {
    if matches!(c, '！'..='～') { char::from_u32(u32::from(c) - WIDE).unwrap_or(c) } else { c }
}

/// The text without a short secret where no letter or digit stands beside it; `None` when it is not
/// there.
pub(super) fn standing_alone(text: &str, value: &str, placeholder: &str) -> Option<String> {
    let mut clean = String::new();
    let mut from = 0;
    for (at, _) in text.match_indices(value) {
        let end = at + value.len();
        let beside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        if beside(text[..at].chars().next_back()) || beside(text[end..].chars().next()) {
            continue;
        }
        clean.push_str(&text[from..at]);
        clean.push_str(placeholder);
        from = end;
    }
    (0 < from).then(|| clean + &text[from..])
}

/// The text without the beginnings of a secret that was shortened away: at its end, or before dots.
pub(super) fn cut_off(text: &str, value: &str, placeholder: &str) -> Option<String> {
    // Of a number only digits count: "482 " begins too much.
    let is_number = value.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-'));
    let counts = |(_, c): &(usize, char)| !is_number || c.is_ascii_digit();
    let (last, c) = value.char_indices().filter(counts).nth(SHORTEST - 1)?;
    let shortest = last + c.len_utf8();
    if shortest == value.len() {
        return None;
    }
    // Nothing shorter is looked for, so most texts are done with here.
    let first = text.find(&value[..shortest])?;
    let longest = value.char_indices().nth(LONGEST).map_or(value.len(), |(at, _)| at);
    // What ends where nothing was cut off is not looked at.
    let cuts = [text.find("..."), text.find('…')];
    let first_cut = cuts.into_iter().flatten().min().unwrap_or(text.len());
    let first = first.max(text.floor_char_boundary(first_cut.saturating_sub(longest)));
    let mut beginning = Beginning::of(&value.as_bytes()[..longest]);
    let bytes = text.as_bytes();
    let mut clean = String::new();
    let mut from = 0;
    // Behind every place the longest beginning of the secret that ends there is known, so that one
    // walk is enough however many places there are.
    for end in first..=bytes.len() {
        let rest = &bytes[end..];
        let cut = rest.is_empty() || rest.starts_with(b"...") || rest.starts_with("…".as_bytes());
        if cut && shortest <= beginning.length && from <= end - beginning.length {
            clean.push_str(&text[from..end - beginning.length]);
            clean.push_str(placeholder);
            from = end;
        }
        if let Some(byte) = rest.first() {
            beginning.go_on(*byte);
        }
    }
    (0 < from).then(|| clean + &text[from..])
}

/// How much of a word's beginning ends at a place in a text, followed byte by byte (the search of
/// Knuth, Morris and Pratt).
struct Beginning<'a> {
    word: &'a [u8],
    /// For each beginning of the word, the longest shorter one that it ends in.
    shorter: Vec<usize>,
    length: usize,
    /// How many comparisons it has taken.
    #[cfg(test)]
    steps: usize,
}

impl<'a> Beginning<'a> {
    fn of(word: &'a [u8]) -> Self {
        let mut shorter = vec![0; word.len()];
        let mut length = 0;
        for at in 1..word.len() {
            while 0 < length && word[at] != word[length] {
                length = shorter[length - 1];
            }
            length += usize::from(word[at] == word[length]);
            shorter[at] = length;
        }
        Self {
            word,
            shorter,
            length: 0,
            #[cfg(test)]
            steps: 0,
        }
    }

    fn go_on(&mut self, byte: u8) {
        // The whole word is no beginning that was cut off.
        if self.length == self.word.len() {
            self.length = self.shorter[self.length - 1];
        }
        while 0 < self.length && self.word[self.length] != byte {
            self.length = self.shorter[self.length - 1];
            self.count();
        }
        self.length += usize::from(self.word.get(self.length) == Some(&byte));
        self.count();
    }

    #[cfg_attr(not(test), expect(clippy::unused_self, reason = "counted by tests alone"))]
    fn count(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_where_a_secret_was_cut_off_is_found() {
        let clean = cut_off("Mango-Tr… and Mango-… and Man… Mango-T", "Mango-Tree-77", "[x]");
        assert_eq!(clean.as_deref(), Some("[x]… and [x]… and Man… [x]"));
        assert_eq!(cut_off("aaab aaaab...", "aaaabc", "[x]").as_deref(), Some("aaab [x]..."));
        assert_eq!(cut_off("密码是多少…", "密码是多少啊", "[x]").as_deref(), Some("[x]…"));
        assert_eq!(cut_off("nothing…", "Mango-Tree-77", "[x]"), None);
        assert_eq!(cut_off("Flight 482 …", "482 913", "[x]"), None);
        assert_eq!(cut_off("code 482 9…", "482 913", "[x]").as_deref(), Some("code [x]…"));
        assert_eq!(cut_off("1234", "1234", "[x]"), None);
    }

    #[test]
    fn the_work_grows_with_the_text_and_no_faster() {
        let value = "ab".repeat(200) + "c";
        let work = |places: usize| {
            let text = "abababab…".repeat(places);
            let mut beginning = Beginning::of(value.as_bytes());
            text.bytes().for_each(|byte| beginning.go_on(byte));
            (beginning.steps, text.len())
        };
        for places in [100, 10_000] {
            let (steps, bytes) = work(places);
            assert!(steps <= 2 * bytes, "{steps} steps for {bytes} bytes");
        }
        let clean = cut_off(&"abababab…".repeat(10_000), &value, "[x]").unwrap();
        assert_eq!(clean, "[x]…".repeat(10_000));
    }

    #[test]
    fn a_secret_is_known_as_apps_show_it() {
        for (value, ways) in [
            (
                "DE89370400440532013000",
                &[
                    "DE89 3704 0044 0532 0130 00",
                    "DE89-3704-0044-0532-0130-00",
                    "de89370400440532013000",
                ][..],
            ),
            (
                "DE89 3704 0044 0532 0130 00",
                &["DE89370400440532013000", "D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0"],
            ),
            (
                "hunter2-can",
                &["HUNTER2-CAN", "h u n t e r 2 - c a n", "hunt er2c an", "hunter2can"],
            ),
            ("a<b>c&dx", &["A&LT;B&GT;C&AMP;DX".to_lowercase().as_str(), "A&lt;B&gt;C&amp;DX"]),
        ] {
            let all = restyled(value);
            for way in ways {
                assert!(all.iter().any(|it| it == way), "{way}: {all:?}");
            }
            assert!(all.len() <= 48, "{value}: {}", all.len());
        }
        assert_eq!(restyled("Rome5"), [""; 0]);
        assert_eq!(restyled("a - b - c"), [""; 0]);
    }

    #[test]
    fn a_secret_is_known_in_other_letters_and_in_numbers() {
        let spelled = spellings("密码12");
        for way in
            ["密码１２", "\\u5bc6\\u780112", "\\u5BC6\\u780112", "\\u5bc6\\u7801\\u0031\\u0032"]
        {
            assert!(spelled.iter().any(|it| it == way), "{way}: {spelled:?}");
        }
        let code = spellings("482913");
        for way in ["４８２９１３", "482 913", "4 8 2 9 1 3", "4, 8, 2, 9, 1, 3"] {
            assert!(code.iter().any(|it| it == way), "{way}: {code:?}");
        }
        assert!(spellings("４８２９").iter().any(|it| it == "4829"));
    }

    #[test]
    fn a_secret_is_known_in_addresses_as_each_program_writes_them() {
        let value = "p/w ~it's(é)&<\"";
        let spelled = spellings(value);
        for way in [
            "p%2Fw%20~it%27s%28%C3%A9%29%26%3C%22",
            "p/w%20~it%27s%28%C3%A9%29%26%3C%22",
            "p%2Fw%20~it's(%C3%A9)%26%3C%22",
            "p/w%20~it's(%C3%A9)&%3C%22",
            "p%2Fw+~it%27s%28%C3%A9%29%26%3C%22",
            "p%2Fw+%7Eit%27s%28%C3%A9%29%26%3C%22",
            "p%2fw+%7eit%27s%28%c3%a9%29%26%3c%22",
            "p%2fw%20~it's(%c3%a9)%26%3c%22",
            "p\\/w ~it's(é)&<\\\"",
            "p/w ~it&#39;s(é)&amp;&lt;&#34;",
            "p/w ~it&#x27;s(é)&amp;&lt;&quot;",
        ] {
            assert!(spelled.iter().any(|it| it == way), "{way}: {spelled:?}");
        }
        assert!(spelled.len() <= 40, "{}", spelled.len());
        assert!(spellings("Mango-Tree-77").len() <= 4, "{:?}", spellings("Mango-Tree-77"));
    }
}
