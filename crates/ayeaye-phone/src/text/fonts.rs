//! Fonts: those that ship with the crate, and a CJK font of the host when it has one.
use std::sync::LazyLock;

use tiny_skia::{FillRule, Mask, PathBuilder, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum FaceId {
    Regular,
    Bold,
    Icons,
    Emoji,
    Cjk,
}

/// Where hosts keep a CJK font.
const CJK_FILES: &[&str] = &[
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/google-noto-cjk/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
    "/usr/share/fonts/truetype/wqy/wqy-microhei.ttc",
    "/System/Library/Fonts/PingFang.ttc",
    "/System/Library/Fonts/Hiragino Sans GB.ttc",
    "/System/Library/Fonts/STHeiti Light.ttc",
    "C:\\Windows\\Fonts\\msyh.ttc",
    "C:\\Windows\\Fonts\\simsun.ttc",
];

static REGULAR: LazyLock<Face<'static>> = LazyLock::new(|| shipped(ttf_noto_sans::REGULAR));
static BOLD: LazyLock<Face<'static>> = LazyLock::new(|| shipped(ttf_noto_sans::BOLD));
static ICONS: LazyLock<Face<'static>> = LazyLock::new(|| shipped(material_icons::FONT));
static EMOJI: LazyLock<Face<'static>> =
    LazyLock::new(|| shipped(epaint_default_fonts::NOTO_EMOJI_REGULAR));
static CJK_BYTES: LazyLock<Option<Vec<u8>>> =
    LazyLock::new(|| CJK_FILES.iter().find_map(|path| std::fs::read(path).ok()));
static CJK: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| CJK_BYTES.as_deref().and_then(|bytes| Face::parse(bytes, 0).ok()));

fn shipped(bytes: &'static [u8]) -> Face<'static> {
    Face::parse(bytes, 0).expect("a font that ships with the crate parses")
}

fn face(id: FaceId) -> Option<&'static Face<'static>> {
    match id {
        FaceId::Regular => Some(&REGULAR),
        FaceId::Bold => Some(&BOLD),
        FaceId::Icons => Some(&ICONS),
        FaceId::Emoji => Some(&EMOJI),
        FaceId::Cjk => CJK.as_ref(),
    }
}

/// A character in a face; `None` in `glyph` is drawn as a box.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FontGlyph {
    pub(crate) face: FaceId,
    pub(crate) glyph: Option<GlyphId>,
}

/// Joiners, marks of direction, variation selectors and skin tones have no width.
pub(crate) fn is_invisible(c: char) -> bool {
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

pub(crate) fn find(c: char, bold: bool) -> FontGlyph {
    let c = drawn_as(c);
    let text = if bold { FaceId::Bold } else { FaceId::Regular };
    let order = if c >= '\u{1F000}' {
        [FaceId::Emoji, text, FaceId::Cjk]
    } else if ('\u{2E80}'..'\u{FB00}').contains(&c) {
        [FaceId::Cjk, text, FaceId::Emoji]
    } else {
        [text, FaceId::Emoji, FaceId::Cjk]
    };
    for id in order {
        // The CJK font comes last for other scripts: it is read from disk on first use.
        if let Some(glyph) = face(id).and_then(|f| f.glyph_index(c)) {
            return FontGlyph { face: id, glyph: Some(glyph) };
        }
    }
    FontGlyph { face: text, glyph: None }
}

pub(crate) fn icon(c: char) -> FontGlyph {
    FontGlyph { face: FaceId::Icons, glyph: ICONS.glyph_index(c) }
}

/// Widths of ASCII in ems; laying out one screen takes some ten thousand of them.
static ASCII: LazyLock<[[f32; 128]; 2]> = LazyLock::new(|| {
    let widths = |bold| {
        let mut widths = [0.0; 128];
        for (c, width) in (0u8..).zip(&mut widths) {
            *width = advance_in_ems(char::from(c), bold);
        }
        widths
    };
    [widths(false), widths(true)]
});

/// Width in pixels at `size` pixels an em.
pub(crate) fn advance(c: char, size: f32, bold: bool) -> f32 {
    match ASCII[usize::from(bold)].get(c as usize) {
        Some(width) => width * size,
        None => advance_in_ems(c, bold) * size,
    }
}

/// Width in ems.
fn advance_in_ems(c: char, bold: bool) -> f32 {
    if is_invisible(c) {
        return 0.0;
    }
    let found = find(c, bold);
    let units = found.glyph.and_then(|glyph| {
        let f = face(found.face)?;
        Some(f32::from(f.glyph_hor_advance(glyph)?) / f32::from(f.units_per_em()))
    });
    units.unwrap_or(0.6)
}

/// A rasterized character: coverage, and its offset from the pen's position on the baseline.
#[derive(Debug)]
pub(crate) struct Glyph {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) coverage: Vec<u8>,
}

impl Glyph {
    const EMPTY: Self = Self { left: 0, top: 0, width: 0, height: 0, coverage: Vec::new() };
}

struct GlyphOutline(PathBuilder);

impl OutlineBuilder for GlyphOutline {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(x, -y);
    }
    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(x, -y);
    }
    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.0.quad_to(x1, -y1, x, -y);
    }
    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.0.cubic_to(x1, -y1, x2, -y2, x, -y);
    }
    fn close(&mut self) {
        self.0.close();
    }
}

/// Rasterizes one character at `size` pixels an em.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "glyphs are at most a screen wide"
)]
pub(crate) fn rasterize(found: FontGlyph, size: f32) -> Glyph {
    let drawn = || {
        let f = face(found.face)?;
        let mut outline = GlyphOutline(PathBuilder::new());
        f.outline_glyph(found.glyph?, &mut outline)?;
        let scale = size / f32::from(f.units_per_em());
        let path = outline.0.finish()?.transform(Transform::from_scale(scale, scale))?;
        let b = path.bounds();
        let (left, top) = (b.left().floor(), b.top().floor());
        let width = (b.right().ceil() - left).clamp(1.0, 2048.0) as u32;
        let height = (b.bottom().ceil() - top).clamp(1.0, 2048.0) as u32;
        let mut mask = Mask::new(width, height)?;
        mask.fill_path(&path, FillRule::Winding, true, Transform::from_translate(-left, -top));
        Some(Glyph {
            left: left as i32,
            top: top as i32,
            width: width as usize,
            height: height as usize,
            coverage: mask.take(),
        })
    };
    if found.glyph.is_none() { missing(size) } else { drawn().unwrap_or(Glyph::EMPTY) }
}

/// A hollow box for a character that no font has.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "glyphs are at most a screen wide"
)]
fn missing(size: f32) -> Glyph {
    let width = (size * 0.5).clamp(3.0, 2048.0) as usize;
    let height = (size * 0.7).clamp(3.0, 2048.0) as usize;
    let edge = (size / 16.0).clamp(1.0, 8.0) as usize;
    let mut coverage = vec![0; width * height];
    for y in 0..height {
        for x in 0..width {
            if x < edge || y < edge || x + edge >= width || y + edge >= height {
                coverage[y * width + x] = 255;
            }
        }
    }
    Glyph { left: edge as i32, top: -(height as i32), width, height, coverage }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_icons_and_emoji_have_glyphs() {
        assert!(find('a', false).glyph.is_some());
        assert_eq!(find('\u{1F600}', false).face, FaceId::Emoji);
        assert!(icon(super::super::icons::SEARCH).glyph.is_some());
        assert!(rasterize(find('a', true), 40.0).coverage.iter().any(|c| *c > 200));
    }

    #[test]
    fn the_hyphen_of_wi_fi_has_a_glyph() {
        for bold in [false, true] {
            let hyphen = find('\u{2011}', bold);
            assert!(hyphen.glyph.is_some());
            assert_eq!(hyphen.glyph, find('-', bold).glyph);
            assert!((advance('\u{2011}', 16.0, bold) - advance('-', 16.0, bold)).abs() < 0.01);
        }
    }

    #[test]
    fn marks_of_direction_are_not_seen_and_a_narrow_space_is_blank() {
        for mark in ['\u{202A}', '\u{202E}', '\u{2061}', '\u{2066}', '\u{2069}'] {
            assert!(is_invisible(mark), "{mark:?}");
        }
        for bold in [false, true] {
            let blank = find('\u{202F}', bold).glyph;
            assert!(blank.is_some() && blank == find(' ', bold).glyph);
        }
    }

    #[test]
    fn what_no_font_has_is_a_box() {
        let glyph = rasterize(find('\u{10FFFD}', false), 32.0);
        assert!(glyph.width > 0 && glyph.coverage.contains(&255));
    }
}
