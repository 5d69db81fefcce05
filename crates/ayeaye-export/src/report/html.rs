//! A page being written. Markup comes from this program alone, as literals; whatever else goes in is
//! escaped on its way.
use std::fmt::{self, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::text::harmless;

/// HTML so far.
#[derive(Debug, Default)]
pub(super) struct Html {
    out: String,
}

impl Html {
    pub(super) fn with_capacity(bytes: usize) -> Self {
        Self { out: String::with_capacity(bytes) }
    }

    /// Markup. It takes literals only, so nothing from a record can come in here.
    pub(super) fn raw(&mut self, markup: &'static str) -> &mut Self {
        self.out.push_str(markup);
        self
    }

    /// Words from anywhere, in an element or in a quoted attribute.
    pub(super) fn text(&mut self, text: &str) -> &mut Self {
        for c in text.chars() {
            match c {
                '&' => self.out.push_str("&amp;"),
                '<' => self.out.push_str("&lt;"),
                '>' => self.out.push_str("&gt;"),
                '"' => self.out.push_str("&quot;"),
                '\'' => self.out.push_str("&#39;"),
                other => self.out.push(harmless(other)),
            }
        }
        self
    }

    /// A number, or several with literals between them.
    pub(super) fn number(&mut self, number: impl Into<Number>) -> &mut Self {
        number.into().put(&mut self.out);
        self
    }

    /// Bytes in base64, whose letters mean nothing to HTML.
    pub(super) fn base64(&mut self, bytes: &[u8]) -> &mut Self {
        STANDARD.encode_string(bytes, &mut self.out);
        self
    }

    /// A block of words from the record: the tag's name, its class, its language, its paragraphs.
    pub(super) fn text_block(
        &mut self,
        tag: &'static str,
        class: &'static str,
        text: &str,
    ) -> &mut Self {
        self.raw("<").raw(tag).raw(" class=\"").raw(class).raw("\"").language(text).raw(">");
        self.text(text).raw("</").raw(tag).raw(">")
    }

    /// The attribute `lang`, where the writing gives the language away: browsers choose the forms of
    /// Han characters by it. `dir="auto"` keeps words that run from right to left to themselves.
    pub(super) fn language(&mut self, text: &str) -> &mut Self {
        self.raw(match language_of(text) {
            Some(Language::Chinese) => " dir=\"auto\" lang=\"zh\"",
            Some(Language::Japanese) => " dir=\"auto\" lang=\"ja\"",
            Some(Language::Korean) => " dir=\"auto\" lang=\"ko\"",
            None => " dir=\"auto\"",
        })
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.out.into_bytes()
    }
}

/// A number as it stands in markup or text.
#[derive(Debug, Clone, Copy)]
pub(super) enum Number {
    Whole(u64),
    /// With one decimal, none when it is 0.
    Tenths(f64),
}

impl Number {
    fn put(self, out: &mut String) {
        let written: fmt::Result = match self {
            Self::Whole(whole) => write!(out, "{whole}"),
            Self::Tenths(number) => {
                let number = if number.is_finite() { number.clamp(-1e9, 1e9) } else { 0.0 };
                let tenths = (number * 10.0).round() / 10.0;
                // Not "-0": a point a hair outside is on the edge.
                write!(out, "{}", if tenths == 0.0 { 0.0 } else { tenths })
            }
        };
        written.expect("a String takes everything");
    }
}

impl From<u64> for Number {
    fn from(whole: u64) -> Self {
        Self::Whole(whole)
    }
}

impl From<u32> for Number {
    fn from(whole: u32) -> Self {
        Self::Whole(whole.into())
    }
}

impl From<usize> for Number {
    fn from(whole: usize) -> Self {
        Self::Whole(whole as u64)
    }
}

impl From<f64> for Number {
    fn from(number: f64) -> Self {
        Self::Tenths(number)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    Chinese,
    Japanese,
    Korean,
}

/// The language of a text in an East Asian script, from its first 400 characters.
fn language_of(text: &str) -> Option<Language> {
    let mut han = false;
    for c in text.chars().take(400) {
        match c {
            '\u{3040}'..='\u{30ff}' => return Some(Language::Japanese),
            '\u{ac00}'..='\u{d7af}' => return Some(Language::Korean),
            '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' => han = true,
            _ => {}
        }
    }
    han.then_some(Language::Chinese)
}

/// A text of at most `bytes` bytes, cut between characters, and how much of it is missing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Clipped {
    pub(super) text: String,
    /// Bytes that are left out.
    pub(super) missing: usize,
}

impl Clipped {
    pub(super) fn of(text: &str, bytes: usize) -> Self {
        let kept = &text[..text.floor_char_boundary(bytes)];
        Self { text: kept.to_owned(), missing: text.len() - kept.len() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Puts it there, with a note of what is missing.
    pub(super) fn show(&self, html: &mut Html, tag: &'static str, class: &'static str) {
        html.raw("<").raw(tag).raw(" class=\"").raw(class).raw("\"").language(&self.text);
        if tag == "pre" {
            // It scrolls to the side, and not every browser lets keys do that by itself.
            html.raw(" tabindex=\"0\"");
        }
        html.raw(">").text(&self.text);
        if 0 < self.missing {
            html.raw("<span class=\"cut\"> \u{2026} ").number(self.missing.div_ceil(1000));
            html.raw(" kB more are left out here</span>");
        }
        html.raw("</").raw(tag).raw(">");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(text: &str) -> String {
        let mut html = Html::default();
        html.text(text);
        html.out
    }

    #[test]
    fn nothing_of_a_text_is_markup() {
        assert_eq!(
            escaped("</style><script>alert('&')</script>"),
            "&lt;/style&gt;&lt;script&gt;alert(&#39;&amp;&#39;)&lt;/script&gt;"
        );
        assert_eq!(escaped("\" onload=\"x"), "&quot; onload=&quot;x");
        assert_eq!(
            escaped("a\0b\u{1b}[31m\r\n\u{202e}c"),
            "a\u{2400}b\u{241b}[31m\u{240d}\n\u{fffd}c"
        );
    }

    #[test]
    fn numbers_have_one_decimal_at_most() {
        let mut html = Html::default();
        html.number(12_u32).raw(" ").number(0.25).raw(" ").number(-0.04).raw(" ");
        html.number(f64::NAN).raw(" ").number(f64::INFINITY).raw(" ").number(1137.0);
        assert_eq!(html.out, "12 0.3 0 0 0 1137");
    }

    #[test]
    fn a_text_is_cut_between_characters() {
        let cut = Clipped::of("\u{4f60}\u{597d}", 4);
        assert_eq!(cut, Clipped { text: "\u{4f60}".to_owned(), missing: 3 });
        assert_eq!(Clipped::of("abc", 3).missing, 0);
    }

    #[test]
    fn the_script_gives_the_language_away() {
        assert_eq!(language_of("打开设置"), Some(Language::Chinese));
        assert_eq!(language_of("設定を開く"), Some(Language::Japanese));
        assert_eq!(language_of("설정 열기"), Some(Language::Korean));
        assert_eq!(language_of("Öffne die Einstellungen"), None);
    }
}
