//! Where two pictures of a screen differ, and whether that is anything.
use crate::ScreenSize;

/// The part of the height at the top where the clock and the icons live.
pub(super) const STATUS_BAR: f64 = 0.045;
/// The share of differing pixels that counts as noise while a screen settles (Maestro uses the same).
const NOISE: f64 = 0.000_05;
/// While a screen settles, nothing counts that is no wider and no higher than this, in parts of its shorter side.
const SMALL: (f64, f64) = (0.015, 0.133);
/// A text caret: 2 dp wide, rarely 3, and as high as a line of text, in parts of the screen's shorter side.
const CARET_WIDTH: f64 = 0.007_5;
const CARET_HEIGHT: (f64, f64) = (0.02, SMALL.1);
/// So many pixels are enough: a line does not get higher with the screen, and small text has 14 on a large tablet.
const ENOUGH_FOR_CARET: f64 = 12.0;
/// It is at least so many times as high as it is wide, and fills so much of the box around it.
const CARET_SHAPE: f64 = 4.0;
const FILLED: f64 = 0.7;

/// Where two pictures of a screen differ: how many pixels, and the box around them.
pub(crate) struct Difference {
    size: ScreenSize,
    pixels: u64,
    rows: usize,
    left: usize,
    right: usize,
    top: usize,
    bottom: usize,
}

impl Difference {
    pub(crate) fn new(size: ScreenSize) -> Self {
        Self { size, pixels: 0, rows: 0, left: usize::MAX, right: 0, top: usize::MAX, bottom: 0 }
    }

    /// Counts the pixels of a row that differ; none in the status bar.
    pub(crate) fn add_row(&mut self, y: usize, differs: impl Iterator<Item = bool>) {
        #[expect(clippy::cast_precision_loss, reason = "rows are far below 2^52")]
        let in_status_bar = (y as f64) < f64::from(self.size.height) * STATUS_BAR;
        if in_status_bar {
            return;
        }
        let before = self.pixels;
        for (x, _) in differs.enumerate().filter(|(_, differs)| *differs) {
            self.pixels += 1;
            self.left = self.left.min(x);
            self.right = self.right.max(x);
            self.top = self.top.min(y);
            self.bottom = y;
        }
        self.rows += usize::from(before < self.pixels);
    }

    /// Whether it is too little to say that a screen moves.
    pub(crate) fn is_noise(&self) -> bool {
        if self.pixels == 0 {
            return true;
        }
        let (width, height) = (f64::from(self.size.width), f64::from(self.size.height));
        let shorter = width.min(height);
        let (count, wide, high) = self.extent();
        count <= width * height * NOISE || (wide <= shorter * SMALL.0 && high <= shorter * SMALL.1)
    }

    pub(crate) fn is_none(&self) -> bool {
        self.pixels == 0
    }

    /// Whether it is nothing at all, or one upright bar: a caret that blinks. A digit that becomes another is neither.
    pub(crate) fn is_none_or_caret(&self) -> bool {
        let (count, wide, high) = self.extent();
        // A caret may stand in front of a letter, and its ends may be round.
        self.pixels == 0 || wide * high * FILLED <= count && self.has_shape_of_caret(1.0)
    }

    /// Whether it is nothing or a caret, in copies that have one pixel for `step` of the screen on each side.
    pub(crate) fn is_none_or_caret_at(&self, step: u32) -> bool {
        let (_, _, high) = self.extent();
        #[expect(clippy::cast_precision_loss, reason = "rows are far below 2^52")]
        let is_filled = high * FILLED <= self.rows as f64;
        self.pixels == 0 || is_filled && self.has_shape_of_caret(f64::from(step))
    }

    /// Whether it may still be nothing or a caret once there is more of it: it only grows.
    pub(crate) fn may_be_caret(&self) -> bool {
        let (_, wide, high) = self.extent();
        let shorter = f64::from(self.size.width.min(self.size.height));
        self.pixels == 0
            || wide - 1.0 <= shorter * CARET_WIDTH && high - 1.0 <= shorter * CARET_HEIGHT.1
    }

    fn has_shape_of_caret(&self, step: f64) -> bool {
        let (_, wide, high) = self.extent();
        // From the first pixel to the last.
        let (wide, high) = ((wide - 1.0) * step, (high - 1.0) * step);
        let shorter = f64::from(self.size.width.min(self.size.height)) * step;
        // Of a copy's pixel at the edge, about half may belong to it.
        let edge = (step - 1.0) / 2.0;
        self.may_be_caret()
            && (shorter * CARET_HEIGHT.0).min(ENOUGH_FOR_CARET) <= high
            && (wide + edge) * CARET_SHAPE <= high + edge
    }

    /// How many pixels, and the width and height of the box around them, which is empty if there are none.
    fn extent(&self) -> (f64, f64, f64) {
        let side = |from: usize, to: usize| (to + 1).saturating_sub(from);
        let (wide, high) = (side(self.left, self.right), side(self.top, self.bottom));
        #[expect(clippy::cast_precision_loss, reason = "pixels are far below 2^52")]
        let extent = (self.pixels as f64, wide as f64, high as f64);
        extent
    }
}
