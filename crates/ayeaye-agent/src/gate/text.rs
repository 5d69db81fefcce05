//! Texts of people and screens in one form, and what counts as a word in them.
use std::ops::Deref;
use std::sync::OnceLock;

/// Lower case, without accents, direction marks and what has no width; one blank between words.
pub(crate) fn normalized(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars().flat_map(char::to_lowercase) {
        // Most letters are these, and screens have thousands.
        let plain = if matches!(c, 'a'..='z' | '0'..='9' | ' ') { Some(c) } else { plain(c) };
        match plain {
            Some(' ') if out.is_empty() || out.ends_with(' ') => {}
            // The marks of half-width kana stand behind their letters, and make others of them.
            Some(mark @ ('\u{ff9e}' | '\u{ff9f}')) => {
                let voiced = out.pop().map(|c| match c {
                    'ウ' => 'ヴ',
                    'カ'..='ホ' => {
                        char::from_u32(u32::from(c) + u32::from(mark) - 0xff9d).unwrap_or(c)
                    }
                    c => c,
                });
                out.extend(voiced);
            }
            // Two letters in one.
            Some('\u{fef5}') => out.push_str("لا"),
            Some(c) => out.push(c),
            None => {}
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// A letter as it is compared; `None` for what nobody sees.
fn plain(c: char) -> Option<char> {
    Some(match c {
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'..='\u{1160}'
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{300}'..='\u{36f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{e0000}'..='\u{e0fff}'
        // Vowel signs and the lengthening stroke of Arabic, vowel signs of Hebrew.
        | '\u{640}'
        | '\u{64b}'..='\u{652}'
        | '\u{670}'
        | '\u{5b0}'..='\u{5c7}' => return None,
        '\u{2800}' => ' ',
        c if c.is_whitespace() || c.is_control() => ' ',
        // Full-width forms of ASCII.
        '\u{ff66}'..='\u{ff9d}' => form(HALF_WIDTH, c, '\u{ff66}')?,
        '\u{fe70}'..='\u{fe7f}' => return None,
        '\u{fe80}'..='\u{fef4}' => form(ARABIC_FORMS, c, '\u{fe80}')?,
        '\u{fef5}'..='\u{fefc}' => '\u{fef5}',
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0)?.to_ascii_lowercase(),
        '\u{1d400}'..='\u{1d6a3}' => letter((u32::from(c) - 0x1d400) % 26)?,
        '\u{1d7ce}'..='\u{1d7ff}' => char::from_digit((u32::from(c) - 0x1d7ce) % 10, 10)?,
        '\u{249c}'..='\u{24b5}' => letter(u32::from(c) - 0x249c)?,
        '\u{24d0}'..='\u{24e9}' => letter(u32::from(c) - 0x24d0)?,
        '\u{1f110}'..='\u{1f129}' => letter(u32::from(c) - 0x1f110)?,
        '\u{1f130}'..='\u{1f149}' => letter(u32::from(c) - 0x1f130)?,
        '\u{1f150}'..='\u{1f169}' => letter(u32::from(c) - 0x1f150)?,
        '\u{1f170}'..='\u{1f189}' => letter(u32::from(c) - 0x1f170)?,
        '\u{1f1e6}'..='\u{1f1ff}' => letter(u32::from(c) - 0x1f1e6)?,
        'أ' | 'إ' | 'آ' | 'ٱ' => 'ا',
        'ى' => 'ي',
        '\u{2019}' | '\u{2018}' | '\u{2bb}' | '\u{2bc}' | '\u{b4}' | '`' => '\'',
        '\u{2010}'..='\u{2015}' => '-',
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ą' | 'ă' | 'ā' | 'ạ' | 'ả' | 'ấ' | 'ầ' | 'ẩ' | 'ẫ'
        | 'ậ' | 'ắ' | 'ằ' | 'ẳ' | 'ẵ' | 'ặ' | 'ȧ' | 'ǎ' | 'ḁ' => 'a',
        'è' | 'é' | 'ê' | 'ë' | 'ę' | 'ě' | 'ē' | 'ẹ' | 'ẻ' | 'ẽ' | 'ế' | 'ề' | 'ể' | 'ễ' | 'ệ' | 'ė' | 'ĕ' | 'ḛ' => {
            'e'
        }
        'ì' | 'í' | 'î' | 'ï' | 'ı' | 'ī' | 'ị' | 'ỉ' | 'ĩ' | 'ĭ' | 'į' => 'i',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ø' | 'ő' | 'ọ' | 'ỏ' | 'ố' | 'ồ' | 'ổ' | 'ỗ' | 'ộ' | 'ơ'
        | 'ớ' | 'ờ' | 'ở' | 'ỡ' | 'ợ' => 'o',
        'ù' | 'ú' | 'û' | 'ü' | 'ů' | 'ű' | 'ū' | 'ụ' | 'ủ' | 'ũ' | 'ư' | 'ứ' | 'ừ' | 'ử' | 'ữ'
        | 'ự' | 'ŭ' | 'ų' => 'u',
        'ý' | 'ỳ' | 'ỷ' | 'ỹ' | 'ỵ' | 'ẏ' | 'ŷ' => 'y',
        'ç' | 'ć' | 'č' => 'c',
        'ñ' | 'ń' | 'ň' | 'ṅ' | 'ṇ' | 'ņ' => 'n',
        'ś' | 'š' | 'ş' | 'ș' | 'ṡ' | 'ṣ' => 's',
        'ź' | 'ż' | 'ž' => 'z',
        'ł' | 'ĺ' | 'ḷ' | 'ľ' => 'l',
        'ğ' | 'ġ' | 'ĝ' => 'g',
        'đ' | 'ḋ' | 'ḍ' | 'ď' | 'ḏ' => 'd',
        'ḃ' | 'ḅ' | 'ḇ' => 'b',
        'ḣ' | 'ḥ' => 'h',
        'ṁ' | 'ṃ' => 'm',
        'ṗ' | 'ṕ' => 'p',
        'ř' | 'ṙ' | 'ŕ' | 'ṛ' => 'r',
        'ť' | 'ț' | 'ţ' | 'ṫ' | 'ṭ' => 't',
        'ё' => 'е',
        '\u{2b0}'..='\u{2e4}' | '\u{1d2c}'..='\u{1dbf}' | '\u{2071}'..='\u{207f}' | '\u{2100}'..='\u{214f}'
        | '\u{2c7d}' => {
            STYLED.iter().find(|(it, _)| *it == c).map_or(c, |(_, letter)| *letter)
        }
        c => c,
    })
}

/// Raised and double-struck letters.
#[rustfmt::skip]
const STYLED: &[(char, char)] = &[('ᵃ', 'a'), ('ᴬ', 'a'), ('ℬ', 'b'), ('ᵇ', 'b'), ('ᴮ', 'b'), ('ℂ', 'c'), ('ℭ', 'c'), ('ᶜ', 'c'), ('ⅅ', 'd'), ('ⅆ', 'd'), ('ᵈ', 'd'), ('ᴰ', 'd'), ('ℯ', 'e'), ('ℰ', 'e'), ('ⅇ', 'e'), ('ᵉ', 'e'), ('ᴱ', 'e'), ('ℱ', 'f'), ('ᶠ', 'f'), ('ℊ', 'g'), ('ᵍ', 'g'), ('ᴳ', 'g'), ('ℋ', 'h'), ('ℌ', 'h'), ('ℍ', 'h'), ('ℎ', 'h'), ('ʰ', 'h'), ('ᴴ', 'h'), ('ℐ', 'i'), ('ℑ', 'i'), ('ℹ', 'i'), ('ⅈ', 'i'), ('ⁱ', 'i'), ('ᴵ', 'i'), ('ⅉ', 'j'), ('ʲ', 'j'), ('ᴶ', 'j'), ('ᵏ', 'k'), ('ᴷ', 'k'), ('ℒ', 'l'), ('ℓ', 'l'), ('ˡ', 'l'), ('ᴸ', 'l'), ('ℳ', 'm'), ('ᵐ', 'm'), ('ᴹ', 'm'), ('ℕ', 'n'), ('ⁿ', 'n'), ('ᴺ', 'n'), ('ℴ', 'o'), ('ᵒ', 'o'), ('ᴼ', 'o'), ('ℙ', 'p'), ('ᵖ', 'p'), ('ᴾ', 'p'), ('ℚ', 'q'), ('ℛ', 'r'), ('ℜ', 'r'), ('ℝ', 'r'), ('ʳ', 'r'), ('ᴿ', 'r'), ('ˢ', 's'), ('ᵗ', 't'), ('ᵀ', 't'), ('ᵘ', 'u'), ('ᵁ', 'u'), ('ᵛ', 'v'), ('ⱽ', 'v'), ('ʷ', 'w'), ('ᵂ', 'w'), ('ˣ', 'x'), ('ʸ', 'y'), ('ℤ', 'z'), ('ℨ', 'z'), ('ᶻ', 'z')];

/// Kana of half the width, from U+FF66 on.
const HALF_WIDTH: &str = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン";
/// The letters of the forms of Arabic that a text is drawn with, from U+FE80 on.
#[rustfmt::skip]
const ARABIC_FORMS: &str = "ءااااؤؤاائئئئااببببةةتتتتثثثثججججححححخخخخددذذررززسسسسششششصصصصضضضضططططظظظظععععغغغغففففققققككككللللممممننننههههوويييييي";

/// The letter that a form stands for, of those from `first` on.
fn form(letters: &str, c: char, first: char) -> Option<char> {
    letters.chars().nth((u32::from(c) - u32::from(first)) as usize)
}

fn letter(number: u32) -> Option<char> {
    char::from_u32(u32::from(b'a') + number)
}

/// Stands for the middle of a text that was cut.
pub(super) const CUT: &str = " […] ";

/// The beginning and the end of a text of more letters, since either may say what a control does. What nobody sees, and
/// rows of signs, make no text longer.
pub(super) fn cut(text: &str, most: usize) -> String {
    let is_longer = |text: &str| text.char_indices().nth(most).is_some();
    let text = text.trim();
    if !is_longer(text) {
        return text.to_owned();
    }
    let text = without_rows_of_signs(text);
    if !is_longer(&text) {
        return text;
    }
    let half = most.saturating_sub(CUT.chars().count()) / 2;
    let length = text.chars().count();
    let begins = text.chars().take(half);
    begins.chain(CUT.chars()).chain(text.chars().skip(length - half)).collect()
}

/// A text with the first few of what stands in a row and is neither letter nor figure.
fn without_rows_of_signs(text: &str) -> String {
    const MOST: usize = 3;
    let mut in_row = 0;
    let is_kept = |c: &char| {
        let says = c.is_alphanumeric() && plain(*c).is_some_and(|it| it != ' ');
        in_row = if says { 0 } else { in_row + 1 };
        in_row <= MOST
    };
    text.chars().filter(is_kept).collect()
}

/// Whether a script puts blanks between its words, so that a word ends where a letter does not follow.
pub(super) fn is_spaced(c: char) -> bool {
    matches!(c, 'a'..='z' | '0'..='9' | 'ə' | '\u{c0}'..='\u{24f}' | '\u{370}'..='\u{52f}' | '\u{590}'..='\u{6ff}')
}

/// The entries of a list of a table, which is written in one text: "pay|pay now". As texts of their own each would
/// cost forty bytes of the program besides its letters, and there are seven thousand.
pub(super) fn entries(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split('|').filter(|it| !it.is_empty())
}

/// The entries of a list, normalized.
pub(super) fn normalized_entries<C: FromIterator<String>>(list: &'static str) -> C {
    entries(list).map(normalized).collect()
}

/// A list whose entries are normalized once, when they are first asked for.
#[derive(Debug)]
pub(super) struct List {
    written: &'static str,
    entries: OnceLock<Vec<String>>,
}

impl List {
    pub(super) const fn new(written: &'static str) -> Self {
        Self { written, entries: OnceLock::new() }
    }
}

impl Deref for List {
    type Target = [String];

    fn deref(&self) -> &[String] {
        self.entries.get_or_init(|| normalized_entries(self.written))
    }
}

/// Texts, normalized.
pub(super) fn normalized_all<C: FromIterator<String>>(texts: &[&str]) -> C {
    texts.iter().map(|it| normalized(it)).collect()
}

/// The words of a normalized text, in order; text without blanks between its words is one.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric() && !is_mark(c)).filter(|word| !word.is_empty())
}

/// A sign that belongs to the letter before it, in scripts of India and south-east Asia.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{93c}' | '\u{94d}' | '\u{e47}'..='\u{e4e}')
}

/// Where a phrase stands in a normalized text, as whole words where its script has any.
pub(super) fn find<'a>(text: &'a str, phrase: &'a str) -> impl Iterator<Item = usize> + 'a {
    let begins = phrase.chars().next().is_some_and(is_spaced);
    let ends = phrase.chars().next_back().is_some_and(is_spaced);
    text.match_indices(phrase).map(|(at, _)| at).filter(move |at| {
        let before = text[..*at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        let joined = |c: Option<char>| c.is_some_and(|c| is_spaced(c) && c.is_alphanumeric());
        !(begins && joined(before) || ends && joined(after))
    })
}

/// Whether a phrase stands in a normalized text.
pub(super) fn holds(text: &str, phrase: &str) -> bool {
    !phrase.is_empty() && find(text, phrase).next().is_some()
}

/// Whether a stem stands in a text: of spaced scripts from four letters on as the beginning of a word.
pub(super) fn mentions(text: &str, stem: &str) -> bool {
    stems(text, stem).next().is_some()
}

/// Where a stem stands in a text, from where to where.
pub(super) fn stems<'a>(text: &'a str, stem: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    let places = text.match_indices(stem).map(|(at, it)| (at, at + it.len()));
    places.filter(move |(at, end)| is_stem(text, *at, *end))
}

/// Whether the range may be the stem of a word.
pub(super) fn is_stem(text: &str, at: usize, end: usize) -> bool {
    let stem = &text[at..end];
    let spaced = stem.chars().all(|c| is_spaced(c) || !c.is_alphanumeric());
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    !spaced
        || !letter(text[..at].chars().next_back())
            && (4 <= stem.chars().count() || !letter(text[end..].chars().next()))
}

/// Whether a text (normalized) consists of words that say something, once or `often`, and of others beside them, with
/// nothing but `is_gap` between.
pub(super) fn consists_of(
    text: &str,
    said: &[String],
    beside: &[String],
    often: bool,
    is_gap: impl Fn(char) -> bool,
) -> bool {
    // Where the rest begins, and whether it has been said before.
    let mut places = vec![(0, false)];
    let mut next = 0;
    while let Some((at, before)) = places.get(next).copied() {
        next += 1;
        let rest = text[at..].trim_start_matches(&is_gap);
        if rest.is_empty() {
            if before {
                return true;
            }
            continue;
        }
        let from = text.len() - rest.len();
        let words = said.iter().filter(|_| often || !before).map(|it| (it, true));
        for (word, says) in words.chain(beside.iter().map(|it| (it, before))) {
            let place = (from + word.len(), before || says);
            if begins_with(rest, word) && !places.contains(&place) {
                places.push(place);
            }
        }
    }
    false
}

/// Whether a text begins with a word, as a whole one where its script has any.
fn begins_with(text: &str, word: &str) -> bool {
    let Some(rest) = text.strip_prefix(word) else { return false };
    let goes_on = rest.chars().next().is_some_and(|c| is_spaced(c) && c.is_alphanumeric());
    !goes_on || !word.chars().next_back().is_some_and(is_spaced)
}

/// Whether two words are forms of one: "note" and "notes", "Shopping" and "shop".
pub(super) fn same_word(one: &str, other: &str) -> bool {
    if one == other {
        return true;
    }
    let (short, long) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    let letters = short.chars().count();
    4 <= letters && long.starts_with(short) && long.chars().count() <= letters + 3
}

/// Whether a text in a script without blanks shares two letters in a row with another.
pub(super) fn shares(text: &str, word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    letters.windows(2).any(|pair| text.contains(&pair.iter().collect::<String>()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form_for_all_ways_to_write_it() {
        assert_eq!(normalized("  PAY\u{200b} now\n"), "pay now");
        assert_eq!(normalized("ＰＡＹ　ＮＯＷ"), "pay now");
        assert_eq!(normalized("Löschen"), "loschen");
        assert_eq!(normalized("İPTAL"), "iptal");
        assert_eq!(normalized("Don\u{2019}t"), "don't");
        assert_eq!(normalized("𝐏𝒂𝔂 ⓃⓞⓌ 🅟🅐🆈"), "pay now pay");
        assert_eq!(normalized("ادفـــع"), normalized("ادفع"));
        assert_eq!(normalized("D\u{34f}e\u{3164}lete"), "delete");
        assert_eq!(normalized("ﾁｬｰｼﾞする ﾊﾟｽ ｳﾞｧ ｲﾝｽﾄｰﾙaﾞ"), "チャージする パス ヴァ インストールa");
        assert_eq!(normalized("ﺣﺬﻑ"), normalized("حذف"));
        assert_eq!(normalized("ﺇﻟﻐﺎﺀ ﻻ"), normalized("إلغاء لا"));
    }

    #[test]
    fn of_a_long_text_the_beginning_and_the_end_are_kept() {
        assert_eq!(cut(" Pay now ", 8), "Pay now");
        let long = format!("Pay {}now", "lorem ".repeat(90));
        let short = cut(&long, 40);
        assert_eq!(short.chars().count(), 39);
        assert!(short.starts_with("Pay lorem") && short.ends_with("lorem now"), "{short}");
        assert!(short.contains(CUT));
        for filler in ["\u{200b}\u{200c}", "🎁✨", ". - ", "\u{3164}", "\u{301}\u{302}", "\n \t"]
        {
            let filler = filler.repeat(200);
            let short = cut(&format!("{filler}Pay{filler}now{filler}"), 40);
            assert!(short.contains("Pay") && short.contains("now"), "{short:?}");
            assert!(!short.contains(CUT), "{short:?}");
        }
    }

    #[test]
    fn words_are_whole_where_a_script_has_any() {
        assert!(holds("pay now", "pay"));
        assert!(!holds("payment history", "pay"));
        assert!(holds("确认支付", "支付"));
        assert!(holds("удалить все", "удалить"));
        assert!(!holds("удалить", "удал"));
    }
}
