//! The numbers in which families name a point.

use std::cell::RefCell;

/// The screen, and the picture of it that came with the request.
#[derive(Debug)]
pub struct Coords {
    pub screen: (u32, u32),
    pub sent: (u32, u32),
    /// What the numbers that were given mean, in pixels of the screen: rounded as they are.
    pub rounded: RefCell<Vec<(f64, f64)>>,
}

impl Coords {
    pub fn new(screen: (u32, u32), sent: (u32, u32)) -> Self {
        Self { screen, sent, rounded: RefCell::default() }
    }

    /// 0 to `most` in both directions, rounded.
    pub fn norm(&self, at: (f64, f64), most: f64) -> (i64, i64) {
        self.along(at, (most, most))
    }

    /// Parts of width and height to four places.
    pub fn fractions(&self, at: (f64, f64)) -> (f64, f64) {
        let (x, y) = self.along(at, (1e4, 1e4));
        #[expect(clippy::cast_precision_loss, reason = "0 to 10^4")]
        let parts = (x as f64 / 1e4, y as f64 / 1e4);
        parts
    }

    /// Pixels of the picture that came.
    pub fn sent_pixels(&self, at: (f64, f64)) -> (i64, i64) {
        self.along(at, (f64::from(self.sent.0), f64::from(self.sent.1)))
    }

    /// Pixels of what the server makes of the picture that came.
    pub fn resized(&self, at: (f64, f64), factor: u32, least: u32, most: u32) -> (i64, i64) {
        let (width, height) = smart_resize(self.sent, factor, least, most);
        self.along(at, (f64::from(width), f64::from(height)))
    }

    /// In numbers of which these are the largest, and what these then mean is kept.
    #[expect(clippy::cast_possible_truncation, reason = "sides of screens")]
    fn along(&self, (x, y): (f64, f64), (wide, high): (f64, f64)) -> (i64, i64) {
        let (width, height) = (f64::from(self.screen.0), f64::from(self.screen.1));
        let (first, second) = ((x * wide / width).round(), (y * high / height).round());
        self.rounded.borrow_mut().push((first * width / wide, second * height / high));
        (first as i64, second as i64)
    }

    /// Whether the picture has the shape of the screen, as far as whole pixels allow, or so many
    /// pixels more or less a side.
    pub fn keeps_shape(&self, slack: u32) -> bool {
        let (width, height) = (f64::from(self.sent.0), f64::from(self.sent.1));
        let fair = width * f64::from(self.screen.1) / f64::from(self.screen.0);
        (fair - height).abs()
            <= f64::from(slack) * (1.0 + f64::from(self.screen.1) / f64::from(self.screen.0))
    }
}

/// `smart_resize` of Qwen's own Python, in its words: round, and floor or ceil by a factor when the
/// area is out of bounds.
pub fn smart_resize((width, height): (u32, u32), factor: u32, least: u32, most: u32) -> (u32, u32) {
    let (w, h, f) = (f64::from(width), f64::from(height), f64::from(factor));
    // Python rounds halves to even.
    let round_by = |side: f64| f * (side / f).round_ties_even();
    let (mut wide, mut high) = (round_by(w).max(f), round_by(h).max(f));
    if wide * high > f64::from(most) {
        let beta = (h * w / f64::from(most)).sqrt();
        wide = f.max((w / beta / f).floor() * f);
        high = f.max((h / beta / f).floor() * f);
    } else if wide * high < f64::from(least) {
        let beta = (f64::from(least) / (h * w)).sqrt();
        wide = (w * beta / f).ceil() * f;
        high = (h * beta / f).ceil() * f;
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "sides of pictures"
    )]
    let sides = (wide as u32, high as u32);
    sides
}
