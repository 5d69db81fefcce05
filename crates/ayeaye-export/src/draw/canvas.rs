//! A picture in memory, and the few strokes it can take.
use std::ops::Range;

/// Three bytes a pixel, from the top left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Canvas {
    width: u32,
    height: u32,
    rgb: Vec<u8>,
}

/// Red, green, blue.
pub(crate) type Colour = [u8; 3];

/// A rectangle in pixels; right and bottom are one beyond.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PixelRect {
    pub(crate) left: i32,
    pub(crate) top: i32,
    pub(crate) right: i32,
    pub(crate) bottom: i32,
}

/// Whether two pixels differ by no more than `tolerance` in any channel.
pub(super) fn is_alike(one: &[u8], other: &[u8], tolerance: u8) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(*other) <= tolerance)
}

impl PixelRect {
    /// What of it lies in the other.
    pub(crate) fn intersection(self, other: Self) -> Self {
        Self {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        }
    }

    pub(crate) fn is_empty(self) -> bool {
        self.right <= self.left || self.bottom <= self.top
    }

    pub(super) fn intersects(self, other: Self) -> bool {
        !self.intersection(other).is_empty()
    }
}

impl Canvas {
    /// `None` if the bytes are not that many pixels.
    pub(crate) fn new(width: u32, height: u32, rgb: Vec<u8>) -> Option<Self> {
        let bytes = u64::from(width) * u64::from(height) * 3;
        let fits = 0 < bytes && u64::try_from(rgb.len()) == Ok(bytes);
        // Sides are compared with signed coordinates from here on.
        let sane = i32::try_from(width).is_ok() && i32::try_from(height).is_ok();
        (fits && sane).then_some(Self { width, height, rgb })
    }

    /// One colour; `None` if there is no picture of that size.
    pub(crate) fn plain(width: u32, height: u32, colour: Colour) -> Option<Self> {
        let pixels = usize::try_from(u64::from(width) * u64::from(height)).ok()?;
        Self::new(width, height, colour.repeat(pixels))
    }

    pub(crate) fn width(&self) -> u32 {
        self.width
    }

    pub(crate) fn height(&self) -> u32 {
        self.height
    }

    pub(super) fn rgb(&self) -> &[u8] {
        &self.rgb
    }

    /// The pixels of a rectangle within the picture, row by row.
    pub(super) fn rows(&self, area: PixelRect) -> impl Iterator<Item = &[u8]> {
        let (rows, row) = self.span(area);
        rows.map(move |start| &self.rgb[start + row.start..start + row.end])
    }

    /// Whether all of a rectangle has one colour.
    pub(super) fn is_flat(&self, area: PixelRect) -> bool {
        let mut rows = self.rows(area);
        let Some(first) = rows.next() else { return true };
        first[3..] == first[..first.len() - 3] && rows.all(|row| row == first)
    }

    /// Puts one colour there.
    pub(crate) fn set(&mut self, area: PixelRect, colour: Colour) {
        let (rows, row) = self.span(area);
        for start in rows {
            for pixel in self.rgb[start + row.start..start + row.end].chunks_exact_mut(3) {
                pixel.copy_from_slice(&colour);
            }
        }
    }

    /// Where the rows of a rectangle begin in the bytes, and which bytes of a row it has.
    fn span(&self, area: PixelRect) -> (std::iter::StepBy<Range<usize>>, Range<usize>) {
        let area = area.intersection(self.area());
        let at = |side: i32| usize::try_from(side).expect("it is within the picture");
        let row = self.width as usize * 3;
        let rows = (at(area.top) * row..at(area.bottom) * row).step_by(row);
        (rows, at(area.left) * 3..at(area.right) * 3)
    }

    /// All of it.
    pub(crate) fn area(&self) -> PixelRect {
        let side = |length: u32| i32::try_from(length).expect("checked when it was made");
        PixelRect { left: 0, top: 0, right: side(self.width), bottom: side(self.height) }
    }

    /// Both, the other at the right, with the taller one's height.
    pub(crate) fn join_right(&self, other: &Self) -> Option<Self> {
        let width = self.width.checked_add(other.width)?;
        let height = self.height.max(other.height);
        let mut rgb = Vec::with_capacity(self.rgb.len() + other.rgb.len());
        for y in 0..height {
            for half in [self, other] {
                let row = half.width as usize * 3;
                match half.rgb.chunks_exact(row).nth(y as usize) {
                    Some(pixels) => rgb.extend_from_slice(pixels),
                    None => rgb.resize(rgb.len() + row, 255),
                }
            }
        }
        Self::new(width, height, rgb)
    }

    /// Puts another picture on it, its left top corner at `left`, `top`; what is off this one is left out.
    pub(crate) fn put(&mut self, other: &Self, (left, top): (i32, i32)) {
        let PixelRect { right, bottom, .. } = other.area();
        let place = PixelRect { left, top, right: left + right, bottom: top + bottom };
        let seen = place.intersection(self.area());
        if seen.is_empty() {
            return;
        }
        let of_other = PixelRect {
            left: seen.left - left,
            top: seen.top - top,
            right: seen.right - left,
            bottom: seen.bottom - top,
        };
        let (rows, row) = self.span(seen);
        for (start, pixels) in rows.zip(other.rows(of_other)) {
            self.rgb[start + row.start..start + row.end].copy_from_slice(pixels);
        }
    }

    /// A rectangle of it.
    pub(super) fn part(&self, area: PixelRect) -> Option<Self> {
        let area = area.intersection(self.area());
        let side = |length: i32| u32::try_from(length).ok();
        let rgb = self.rows(area).flatten().copied().collect();
        Self::new(side(area.right - area.left)?, side(area.bottom - area.top)?, rgb)
    }

    /// The smallest rectangle that holds all pixels in which another of its size is not alike; one pixel
    /// where there is none.
    pub(super) fn changed_area(&self, other: &Self, tolerance: u8) -> PixelRect {
        let mut changed = PixelRect { left: i32::MAX, top: i32::MAX, right: 0, bottom: 0 };
        let row = self.width as usize * 3;
        for (y, (before, after)) in
            (0..).zip(self.rgb.chunks_exact(row).zip(other.rgb.chunks_exact(row)))
        {
            let pixels = before.chunks_exact(3).zip(after.chunks_exact(3));
            for (x, (before, after)) in (0..).zip(pixels) {
                if !is_alike(before, after, tolerance) {
                    changed.left = changed.left.min(x);
                    changed.top = changed.top.min(y);
                    changed.right = changed.right.max(x + 1);
                    changed.bottom = changed.bottom.max(y + 1);
                }
            }
        }
        if changed.is_empty() {
            PixelRect { left: 0, top: 0, right: 1, bottom: 1 }
        } else {
            changed
        }
    }

    /// Mixes a colour in, `alpha` from 0 to 1. Off the picture nothing happens.
    pub(super) fn blend(&mut self, x: i32, y: i32, colour: Colour, alpha: f32) {
        let (Ok(x), Ok(y)) = (u32::try_from(x), u32::try_from(y)) else { return };
        if self.width <= x || self.height <= y {
            return;
        }
        let at = (y as usize * self.width as usize + x as usize) * 3;
        for (old, new) in self.rgb[at..at + 3].iter_mut().zip(colour) {
            let mixed = f32::from(*old) + (f32::from(new) - f32::from(*old)) * alpha;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "between two bytes"
            )]
            let mixed = mixed.round() as u8;
            *old = mixed;
        }
    }

    /// Fills a rectangle.
    pub(crate) fn fill(&mut self, area: PixelRect, colour: Colour, alpha: f32) {
        let area = area.intersection(self.area());
        for y in area.top..area.bottom {
            for x in area.left..area.right {
                self.blend(x, y, colour, alpha);
            }
        }
    }

    /// Draws the edge of a rectangle, inside it.
    pub(super) fn outline(&mut self, area: PixelRect, thickness: i32, colour: Colour, alpha: f32) {
        let PixelRect { left, top, right, bottom } = area;
        let (across, down) = (thickness.min(right - left), thickness.min(bottom - top));
        let side = |left, top, right, bottom| PixelRect { left, top, right, bottom };
        self.fill(side(left, top, right, top + down), colour, alpha);
        if down < bottom - top {
            self.fill(side(left, (bottom - down).max(top + down), right, bottom), colour, alpha);
        }
        let (above, below) = (top + down, (bottom - down).max(top + down));
        self.fill(side(left, above, left + across, below), colour, alpha);
        if across < right - left {
            let from = (right - across).max(left + across);
            self.fill(side(from, above, right, below), colour, alpha);
        }
    }

    /// Draws everything whose distance, in pixels, from a shape is at most `half`; edges are
    /// smoothed. Only pixels in `area` are asked for.
    pub(super) fn stroke(
        &mut self,
        area: PixelRect,
        half: f32,
        colour: Colour,
        alpha: f32,
        distance: impl Fn(f32, f32) -> f32,
    ) {
        let area = area.intersection(self.area());
        for y in area.top..area.bottom {
            for x in area.left..area.right {
                #[expect(clippy::cast_precision_loss, reason = "pixels are far below 2^24")]
                let from = distance(x as f32 + 0.5, y as f32 + 0.5);
                let inside = (half - from + 0.5).clamp(0.0, 1.0);
                if 0.0 < inside {
                    self.blend(x, y, colour, inside * alpha);
                }
            }
        }
    }
}
