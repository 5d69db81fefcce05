//! Which font has a character, and how wide it is.
use std::sync::LazyLock;

use ttf_parser::GlyphId;

use crate::faces::FontId;

/// Width of the box that stands for a missing glyph, in ems.
const BOX_WIDTH: f32 = 0.6;

/// A character in the font that has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Glyph {
    /// The font.
    pub font: FontId,
    /// Its number in the font; `None` is drawn as a box.
    pub(crate) id: Option<GlyphId>,
}

impl Glyph {
    /// Whether the font has it; otherwise it is drawn as a box.
    pub fn is_known(self) -> bool {
        self.id.is_some()
    }
}

/// Whether lines may be broken in front of and behind it, as between all ideographs and kana.
pub fn is_ideograph(c: char) -> bool {
    ('\u{2E80}'..'\u{FB00}').contains(&c)
}

/// Whether it takes no room: joiners, marks of direction, variation selectors, skin tones, control characters.
pub fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}')
        || matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}')
        || c.is_control()
}

/// The fonts have neither the hyphen nor the narrow space that keep words together ("Wi\u{2011}Fi").
fn drawn_as(c: char) -> char {
    match c {
        '\u{2011}' => '-',
        '\u{202F}' => ' ',
        _ => c,
    }
}

/// The glyph of a character.
pub fn find(c: char, bold: bool) -> Glyph {
    let c = drawn_as(c);
    let text = if bold { FontId::Bold } else { FontId::Regular };
    // The one for Chinese comes last for other scripts: it is read from the disk when it is first asked.
    let order = if c >= '\u{1F000}' {
        [FontId::Emoji, text, FontId::Cjk]
    } else if is_ideograph(c) {
        [FontId::Cjk, text, FontId::Emoji]
    } else {
        [text, FontId::Emoji, FontId::Cjk]
    };
    let has = |font: FontId| {
        let id = font.face()?.glyph_index(c)?;
        Some(Glyph { font, id: Some(id) })
    };
    order.into_iter().find_map(has).unwrap_or(Glyph { font: text, id: None })
}

/// The glyph of an icon, by the character that the font of icons has it on.
pub fn icon(c: char) -> Glyph {
    let font = FontId::Icons;
    Glyph { font, id: font.face().and_then(|face| face.glyph_index(c)) }
}

/// Widths of ASCII, without and with bold: laying out one screen takes some ten thousand of them.
static ASCII: LazyLock<[[f32; 128]; 2]> = LazyLock::new(|| {
    [false, true].map(|bold| {
        let mut widths = [0.0; 128];
        for (c, width) in (0u8..).zip(&mut widths) {
            *width = measured(char::from(c), bold);
        }
        widths
    })
});

/// How far the next character is, in ems.
pub fn advance(c: char, bold: bool) -> f32 {
    match ASCII[usize::from(bold)].get(c as usize) {
        Some(width) => *width,
        None => measured(c, bold),
    }
}

fn measured(c: char, bold: bool) -> f32 {
    if is_invisible(c) {
        return 0.0;
    }
    let glyph = find(c, bold);
    let width = || {
        let face = glyph.font.face()?;
        let units = face.glyph_hor_advance(glyph.id?)?;
        Some(f32::from(units) / f32::from(face.units_per_em()))
    };
    width().unwrap_or(BOX_WIDTH)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_icons_and_emoji_have_glyphs() {
        assert!(find('a', false).is_known());
        assert_eq!(find('\u{1F600}', false).font, FontId::Emoji);
        // The magnifying glass.
        assert!(icon('\u{e8b6}').is_known());
    }

    #[test]
    fn the_hyphen_of_wi_fi_has_a_glyph() {
        for bold in [false, true] {
            let hyphen = find('\u{2011}', bold);
            assert!(hyphen.is_known());
            assert_eq!(hyphen, find('-', bold));
            assert!((advance('\u{2011}', bold) - advance('-', bold)).abs() < 0.001);
        }
    }

    #[test]
    fn marks_of_direction_are_not_seen_and_a_narrow_space_is_blank() {
        for mark in ['\u{202A}', '\u{202E}', '\u{2061}', '\u{2066}', '\u{2069}'] {
            assert!(is_invisible(mark), "{mark:?}");
        }
        for bold in [false, true] {
            let blank = find('\u{202F}', bold);
            assert!(blank.is_known() && blank == find(' ', bold));
        }
    }
}
