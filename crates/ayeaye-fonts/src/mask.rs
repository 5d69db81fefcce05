//! Characters as pixels.
use tiny_skia::{FillRule, Mask, Path, PathBuilder, Transform};
use ttf_parser::OutlineBuilder;

use crate::character::Glyph;

/// The longest side of a drawn character, in pixels.
const LONGEST: f32 = 2048.0;

/// How much of each pixel a character covers.
#[derive(Debug)]
pub struct GlyphMask {
    /// Of the left edge from the pen's place, in pixels.
    pub left: i32,
    /// Of the upper edge from the baseline, in pixels; above it is negative.
    pub top: i32,
    /// In pixels; 0 for a character that leaves no mark.
    pub width: usize,
    /// In pixels.
    pub height: usize,
    /// Row by row from the top, 0 to 255.
    pub coverage: Vec<u8>,
}

impl GlyphMask {
    const EMPTY: Self = Self { left: 0, top: 0, width: 0, height: 0, coverage: Vec::new() };
}

/// Draws one character at `size` pixels an em, its origin at `x` on the line `baseline`, both in pixels.
pub fn rasterize(glyph: Glyph, size: f32, (x, baseline): (f32, f32)) -> GlyphMask {
    let at = |scale: f32| Transform::from_row(scale, 0.0, 0.0, scale, x, baseline);
    let path = match glyph.id {
        None => hollow_box().and_then(|path| path.transform(at(size))),
        Some(id) => glyph.font.face().and_then(|face| {
            let mut outline = Outline(PathBuilder::new());
            face.outline_glyph(id, &mut outline)?;
            outline.0.finish()?.transform(at(size / f32::from(face.units_per_em())))
        }),
    };
    path.and_then(|path| fill(&path)).unwrap_or(GlyphMask::EMPTY)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a place on a picture, and sides that are clamped"
)]
fn fill(path: &Path) -> Option<GlyphMask> {
    let bounds = path.bounds();
    let (left, top) = (bounds.left().floor(), bounds.top().floor());
    let side = |length: f32| length.ceil().clamp(1.0, LONGEST) as u32;
    let (width, height) = (side(bounds.right() - left), side(bounds.bottom() - top));
    let mut mask = Mask::new(width, height)?;
    mask.fill_path(path, FillRule::Winding, true, Transform::from_translate(-left, -top));
    Some(GlyphMask {
        left: left as i32,
        top: top as i32,
        width: width as usize,
        height: height as usize,
        coverage: mask.take(),
    })
}

/// What stands for a missing glyph, in ems: two rectangles, the inner one turned the other way.
fn hollow_box() -> Option<Path> {
    let mut outline = Outline(PathBuilder::new());
    for [left, bottom, right, top] in [[0.06, 0.0, 0.54, 0.7], [0.48, 0.06, 0.12, 0.64]] {
        outline.move_to(left, bottom);
        outline.line_to(right, bottom);
        outline.line_to(right, top);
        outline.line_to(left, top);
        outline.close();
    }
    outline.0.finish()
}

/// An outline, turned from the font's upward direction to the picture's downward one.
struct Outline(PathBuilder);

impl OutlineBuilder for Outline {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::character::find;

    #[test]
    fn a_letter_covers_pixels_above_its_line() {
        let mask = rasterize(find('a', true), 40.0, (0.0, 0.0));
        assert!(mask.coverage.iter().any(|it| *it > 200));
        assert!(mask.top < 0 && mask.coverage.len() == mask.width * mask.height);
        let moved = rasterize(find('a', true), 40.0, (100.0, 50.0));
        assert_eq!((moved.left, moved.top), (mask.left + 100, mask.top + 50));
        assert_eq!(rasterize(find(' ', false), 40.0, (0.0, 0.0)).width, 0);
    }

    #[test]
    fn what_no_font_has_is_a_hollow_box() {
        let mask = rasterize(find('\u{10FFFD}', false), 32.0, (0.0, 0.0));
        let middle = mask.coverage[mask.height / 2 * mask.width + mask.width / 2];
        assert!(mask.coverage.contains(&255) && middle == 0, "{mask:?}");
    }
}
