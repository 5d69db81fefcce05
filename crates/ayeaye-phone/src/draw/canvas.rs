//! A canvas with rounded rectangles and coverage masks. Written by hand because a full screen has to
//! be drawn in milliseconds.
use ayeaye_fonts::GlyphMask;

use crate::tree::Rect;
use crate::tree::element::Color;

/// Opaque RGBA, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Canvas {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) data: Vec<u8>,
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    reason = "coordinates are clipped to the canvas, which is a few thousand pixels wide"
)]
impl Canvas {
    pub(crate) fn new(width: u32, height: u32) -> Self {
        let (width, height) = (width as usize, height as usize);
        Self { width, height, data: [0, 0, 0, 255].repeat(width * height) }
    }

    pub(crate) fn bounds(&self) -> Rect {
        Rect::new(0, 0, self.width as i32, self.height as i32)
    }

    /// One picture of a video, in a small window below the status bar on the right: bands that go by.
    pub(crate) fn video(&mut self, number: usize) {
        let (left, right) = (self.width * 11 / 20, self.width * 19 / 20);
        let top = self.height / 12;
        for (i, y) in (top..top + (right - left) * 9 / 16).enumerate() {
            let row = &mut self.data[(y * self.width + left) * 4..(y * self.width + right) * 4];
            for (j, pixel) in row.chunks_exact_mut(4).enumerate() {
                let shade = ((j + i + number * 12) % 256) as u8;
                pixel.copy_from_slice(&[shade, 255 - shade, 128, 255]);
            }
        }
    }

    fn row(&mut self, y: i32, from: i32, to: i32) -> &mut [u8] {
        let start = (y as usize * self.width + from as usize) * 4;
        let end = (y as usize * self.width + to as usize) * 4;
        &mut self.data[start..end]
    }

    pub(crate) fn fill(&mut self, rect: Rect, color: Color, clip: Rect) {
        let r = rect.intersect(clip).intersect(self.bounds());
        if r.is_empty() {
            return;
        }
        let [red, green, blue, alpha] = color.channels();
        if alpha == 255 {
            // Draw the first row and copy it to the others.
            for pixel in self.row(r.top, r.left, r.right).chunks_exact_mut(4) {
                pixel.copy_from_slice(&[red, green, blue, 255]);
            }
            let first = (r.top as usize * self.width + r.left as usize) * 4;
            let length = r.width() as usize * 4;
            for y in r.top + 1..r.bottom {
                let to = (y as usize * self.width + r.left as usize) * 4;
                self.data.copy_within(first..first + length, to);
            }
        } else if alpha > 0 {
            for y in r.top..r.bottom {
                for pixel in self.row(y, r.left, r.right).chunks_exact_mut(4) {
                    blend(pixel, [red, green, blue], u32::from(alpha));
                }
            }
        }
    }

    pub(crate) fn round_rect(&mut self, rect: Rect, radius: f32, color: Color, clip: Rect) {
        let short = rect.width().min(rect.height()) as f32;
        let radius = radius.min(short / 2.0);
        if radius < 1.0 {
            self.fill(rect, color, clip);
            return;
        }
        // The bands must not overlap: a translucent colour would show it.
        let band_x = (radius.ceil() as i32).min(rect.width() / 2);
        let band_y = (radius.ceil() as i32).min(rect.height() / 2);
        let (left, right) = (rect.left + band_x, rect.right - band_x);
        let (top, bottom) = (rect.top + band_y, rect.bottom - band_y);
        self.fill(Rect::new(rect.left, top, rect.right, bottom), color, clip);
        self.fill(Rect::new(left, rect.top, right, top), color, clip);
        self.fill(Rect::new(left, bottom, right, rect.bottom), color, clip);
        for (l, r) in [(rect.left, left), (right, rect.right)] {
            for (t, b) in [(rect.top, top), (bottom, rect.bottom)] {
                self.fill_coverage(Rect::new(l, t, r, b), color, clip, |x, y| {
                    corner(rect, radius, x, y)
                });
            }
        }
    }

    /// An outline of `thick` pixels inside `rect`.
    pub(crate) fn stroke_round_rect(
        &mut self,
        rect: Rect,
        radius: f32,
        thick: f32,
        color: Color,
        clip: Rect,
    ) {
        let short = rect.width().min(rect.height()) as f32;
        let radius = radius.min(short / 2.0);
        let step = thick.max(1.0).round();
        let inner = rect.inset(step as i32);
        let band = (radius.max(step)).ceil() as i32;
        let coverage = |x: f32, y: f32| {
            let inside = if inner.contains(x, y) {
                corner(inner, (radius - step).max(0.0), x, y)
            } else {
                0.0
            };
            (corner(rect, radius, x, y) - inside).max(0.0)
        };
        let top = Rect::new(rect.left, rect.top, rect.right, rect.top + band);
        self.fill_coverage(top, color, clip, coverage);
        self.fill_coverage(top.shifted(0, rect.height() - band), color, clip, coverage);
        let side =
            Rect::new(rect.left, rect.top + band, rect.left + step as i32, rect.bottom - band);
        self.fill(side, color, clip);
        self.fill(side.shifted(rect.width() - step as i32, 0), color, clip);
    }

    /// Fills `area` with a coverage (0 to 1) computed for the middle of each pixel.
    pub(crate) fn fill_coverage(
        &mut self,
        area: Rect,
        color: Color,
        clip: Rect,
        coverage: impl Fn(f32, f32) -> f32,
    ) {
        let r = area.intersect(clip).intersect(self.bounds());
        if r.is_empty() {
            return;
        }
        let [red, green, blue, alpha] = color.channels();
        for y in r.top..r.bottom {
            let row = self.row(y, r.left, r.right);
            for (i, pixel) in row.chunks_exact_mut(4).enumerate() {
                let x = r.left + i as i32;
                let c = coverage(x as f32 + 0.5, y as f32 + 0.5).clamp(0.0, 1.0);
                let a = (c * f32::from(alpha) + 0.5) as u32;
                if a > 0 {
                    blend(pixel, [red, green, blue], a);
                }
            }
        }
    }

    /// A soft shadow below a raised surface.
    pub(crate) fn shadow(&mut self, rect: Rect, radius: f32, scale: f32, clip: Rect) {
        for step in 1..=3 {
            let grow = (scale * step as f32).round() as i32;
            let r = rect.inset(-grow).shifted(0, (scale * 1.5) as i32);
            self.round_rect(r, radius + grow as f32, Color(0x0C00_0000), clip);
        }
    }

    pub(crate) fn glyph(&mut self, glyph: &GlyphMask, x: i32, y: i32, color: Color, clip: Rect) {
        let (left, top) = (x + glyph.left, y + glyph.top);
        let whole = Rect::new(left, top, left + glyph.width as i32, top + glyph.height as i32);
        let r = whole.intersect(clip).intersect(self.bounds());
        if r.is_empty() {
            return;
        }
        let [red, green, blue, alpha] = color.channels();
        for row_y in r.top..r.bottom {
            let skip = (row_y - top) as usize * glyph.width + (r.left - left) as usize;
            let coverage = &glyph.coverage[skip..skip + r.width() as usize];
            let row = self.row(row_y, r.left, r.right);
            for (pixel, c) in row.chunks_exact_mut(4).zip(coverage) {
                let a = u32::from(*c) * u32::from(alpha) / 255;
                if a > 0 {
                    blend(pixel, [red, green, blue], a);
                }
            }
        }
    }

    /// Draws a picture with premultiplied alpha.
    pub(crate) fn blit(&mut self, picture: &tiny_skia::Pixmap, x: i32, y: i32, clip: Rect) {
        let whole = Rect::new(x, y, x + picture.width() as i32, y + picture.height() as i32);
        let r = whole.intersect(clip).intersect(self.bounds());
        if r.is_empty() {
            return;
        }
        let source = picture.data();
        for row_y in r.top..r.bottom {
            let skip =
                ((row_y - y) as usize * picture.width() as usize + (r.left - x) as usize) * 4;
            let row = self.row(row_y, r.left, r.right);
            let from = &source[skip..skip + row.len()];
            // A wallpaper, which is as large as the screen.
            if from.iter().skip(3).step_by(4).all(|alpha| *alpha == 255) {
                row.copy_from_slice(from);
                continue;
            }
            for (to, from) in row.chunks_exact_mut(4).zip(from.chunks_exact(4)) {
                match from[3] {
                    0 => {}
                    255 => to.copy_from_slice(from),
                    a => {
                        let rest = 255 - u32::from(a);
                        for (t, f) in to.iter_mut().zip(from).take(3) {
                            *t = (u32::from(*f) + u32::from(*t) * rest / 255).min(255) as u8;
                        }
                    }
                }
            }
        }
    }

    /// Draws an opaque canvas scaled to `rect`, with rounded corners.
    pub(crate) fn picture(&mut self, other: &Self, rect: Rect, radius: f32, clip: Rect) {
        let r = rect.intersect(clip).intersect(self.bounds());
        if r.is_empty() || other.width == 0 || other.height == 0 {
            return;
        }
        let (w, h) = (rect.width() as usize, rect.height() as usize);
        for y in r.top..r.bottom {
            let from_y = (y - rect.top) as usize * other.height / h;
            let row = self.row(y, r.left, r.right);
            for (i, to) in row.chunks_exact_mut(4).enumerate() {
                let x = r.left + i as i32;
                let from_x = (x - rect.left) as usize * other.width / w;
                let at = (from_y * other.width + from_x) * 4;
                let from = &other.data[at..at + 4];
                let c = corner(rect, radius, x as f32 + 0.5, y as f32 + 0.5);
                blend(to, [from[0], from[1], from[2]], (c.clamp(0.0, 1.0) * 255.0) as u32);
            }
        }
    }
}

/// How much of the pixel around (x, y) lies inside the rounded rectangle.
#[expect(clippy::cast_precision_loss, reason = "screen coordinates are small")]
fn corner(rect: Rect, radius: f32, x: f32, y: f32) -> f32 {
    let (l, t) = (rect.left as f32 + radius, rect.top as f32 + radius);
    let (r, b) = (rect.right as f32 - radius, rect.bottom as f32 - radius);
    let dx = (l - x).max(x - r).max(0.0);
    let dy = (t - y).max(y - b).max(0.0);
    if dx == 0.0 || dy == 0.0 {
        return 1.0;
    }
    (radius - dx.hypot(dy) + 0.5).clamp(0.0, 1.0)
}

/// `alpha` is 0 to 255.
#[inline]
#[expect(clippy::cast_possible_truncation, reason = "a weighted mean of bytes is a byte")]
pub(crate) fn blend(pixel: &mut [u8], color: [u8; 3], alpha: u32) {
    for (p, c) in pixel.iter_mut().zip(color) {
        *p = ((u32::from(*p) * (255 - alpha) + u32::from(c) * alpha + 127) / 255) as u8;
    }
}
