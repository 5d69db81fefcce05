//! The numbers that families have for a place.

/// The screen, and the picture of it that came with the request.
#[derive(Debug, Clone, Copy)]
pub struct Sight {
    pub screen: (u32, u32),
    pub sent: (u32, u32),
}

impl Sight {
    /// 0 to `most` in both directions, rounded.
    pub fn norm(&self, (x, y): (f64, f64), most: f64) -> (i64, i64) {
        let (width, height) = (f64::from(self.screen.0), f64::from(self.screen.1));
        (whole(x * most / width), whole(y * most / height))
    }

    /// Parts of width and height to four places.
    pub fn fractions(&self, (x, y): (f64, f64)) -> (f64, f64) {
        let (width, height) = (f64::from(self.screen.0), f64::from(self.screen.1));
        let near = |part: f64| (part * 1e4).round() / 1e4;
        (near(x / width), near(y / height))
    }

    /// Pixels of the picture that came.
    pub fn sent_pixels(&self, at: (f64, f64)) -> (i64, i64) {
        self.pixels_of(at, self.sent)
    }

    /// Pixels of what the server makes of the picture that came.
    pub fn resized(&self, at: (f64, f64), factor: u32, least: u32, most: u32) -> (i64, i64) {
        self.pixels_of(at, smart_resize(self.sent, factor, least, most))
    }

    fn pixels_of(&self, (x, y): (f64, f64), (width, height): (u32, u32)) -> (i64, i64) {
        let along = |at: f64, of: u32, to: u32| whole(at * f64::from(to) / f64::from(of));
        (along(x, self.screen.0, width), along(y, self.screen.1, height))
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

#[expect(clippy::cast_possible_truncation, reason = "sides of screens")]
fn whole(at: f64) -> i64 {
    at.round() as i64
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
