//! Glyphs: of the fonts that are in the program, and of a font for Chinese, Japanese and Korean where the
//! computer has one. A character that none of them has is a box.
use std::sync::LazyLock;

use tiny_skia::{FillRule, Mask, PathBuilder, Transform};
use ttf_parser::{Face, GlyphId, OutlineBuilder};

use super::canvas::{Canvas, Colour};

/// Where systems keep a font for Chinese, Japanese and Korean. None is small enough to be in the program.
const CJK_FILES: [&str; 10] = [
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

/// Width of the box that stands for a missing glyph, in ems.
const BOX_WIDTH: f32 = 0.6;

static REGULAR: LazyLock<Face<'static>> = LazyLock::new(|| built_in(ttf_noto_sans::REGULAR));
static BOLD: LazyLock<Face<'static>> = LazyLock::new(|| built_in(ttf_noto_sans::BOLD));
static EMOJI: LazyLock<Face<'static>> =
    LazyLock::new(|| built_in(epaint_default_fonts::NOTO_EMOJI_REGULAR));
static CJK_BYTES: LazyLock<Option<Vec<u8>>> =
    LazyLock::new(|| CJK_FILES.iter().find_map(|path| std::fs::read(path).ok()));
static CJK: LazyLock<Option<Face<'static>>> =
    LazyLock::new(|| CJK_BYTES.as_deref().and_then(|bytes| Face::parse(bytes, 0).ok()));

fn built_in(bytes: &'static [u8]) -> Face<'static> {
    Face::parse(bytes, 0).expect("a font in the program can be read")
}

/// A character in the font that has it.
#[derive(Clone)]
struct Glyph {
    face: &'static Face<'static>,
    id: GlyphId,
}

/// Whether lines may be broken in front of and behind it, as between all ideographs and kana.
pub(super) fn is_ideograph(c: char) -> bool {
    ('\u{2E80}'..'\u{FB00}').contains(&c)
}

/// Joiners, marks of direction, variation selectors and skin tones take no room.
fn is_invisible(c: char) -> bool {
    matches!(c, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}')
        || matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}')
        || c.is_control()
}

fn find(c: char, bold: bool) -> Option<Glyph> {
    // The fonts have neither the hyphen nor the narrow space that keep words together.
    let c = match c {
        '\u{2011}' => '-',
        '\u{202F}' => ' ',
        _ => c,
    };
    let glyph = |face: &'static Face<'static>| Some(Glyph { face, id: face.glyph_index(c)? });
    let text = || glyph(if bold { &BOLD } else { &REGULAR });
    let emoji = || glyph(&EMOJI);
    // Last for other scripts: it is read from the disk when it is first asked.
    let cjk = || CJK.as_ref().and_then(glyph);
    if is_ideograph(c) {
        cjk().or_else(text).or_else(emoji)
    } else if '\u{1F000}' <= c {
        emoji().or_else(text).or_else(cjk)
    } else {
        text().or_else(emoji).or_else(cjk)
    }
}

/// How far the next character is, in ems.
pub(super) fn advance(c: char, bold: bool) -> f32 {
    if is_invisible(c) {
        return 0.0;
    }
    let width = find(c, bold).and_then(|glyph| {
        let units = glyph.face.glyph_hor_advance(glyph.id)?;
        Some(f32::from(units) / f32::from(glyph.face.units_per_em()))
    });
    width.unwrap_or(BOX_WIDTH)
}

/// Draws one character of `size` pixels an em, its origin at `x` on the line `baseline`.
pub(super) fn draw(
    canvas: &mut Canvas,
    c: char,
    (x, baseline): (f32, f32),
    size: f32,
    bold: bool,
    colour: Colour,
) {
    if is_invisible(c) || c.is_whitespace() {
        return;
    }
    let mut outline = GlyphOutline(PathBuilder::new());
    let scale = if let Some(glyph) = find(c, bold) {
        if glyph.face.outline_glyph(glyph.id, &mut outline).is_none() {
            return;
        }
        size / f32::from(glyph.face.units_per_em())
    } else {
        outline.hollow_box();
        size
    };
    let place = Transform::from_row(scale, 0.0, 0.0, scale, x, baseline);
    let Some(path) = outline.0.finish().and_then(|path| path.transform(place)) else { return };
    let bounds = path.bounds();
    let (left, top) = (bounds.left().floor(), bounds.top().floor());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "clamped to some hundred pixels"
    )]
    let side = |length: f32| length.ceil().clamp(1.0, 512.0) as u32;
    let (width, height) = (side(bounds.right() - left), side(bounds.bottom() - top));
    let Some(mut mask) = Mask::new(width, height) else { return };
    mask.fill_path(&path, FillRule::Winding, true, Transform::from_translate(-left, -top));
    #[expect(clippy::cast_possible_truncation, reason = "a place on a picture")]
    let (left, top) = (left as i32, top as i32);
    for (y, row) in (top..).zip(mask.data().chunks_exact(width as usize)) {
        for (x, coverage) in (left..).zip(row) {
            canvas.blend(x, y, colour, f32::from(*coverage) / 255.0);
        }
    }
}

/// An outline, turned from the font's upward direction to the picture's downward one.
struct GlyphOutline(PathBuilder);

impl GlyphOutline {
    /// What stands for a missing glyph, in ems: two rectangles, the inner one turned the other way.
    fn hollow_box(&mut self) {
        for [left, bottom, right, top] in [[0.06, 0.0, 0.54, 0.7], [0.48, 0.06, 0.12, 0.64]] {
            self.move_to(left, bottom);
            self.line_to(right, bottom);
            self.line_to(right, top);
            self.line_to(left, top);
            self.close();
        }
    }
}

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
