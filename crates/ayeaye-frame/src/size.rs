//! How large a screen may be.
use std::fmt;

/// The longest side of a frame, in pixels. No phone, tablet or television has more; a phone that
/// claims more is lying or broken.
pub const MAX_SIDE: u32 = 8192;
/// The most pixels of a frame.
pub const MAX_PIXELS: u64 = 40_000_000;

/// Width and height in pixels, as the phone is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ScreenSize {
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

impl fmt::Display for ScreenSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

impl ScreenSize {
    /// Bytes of a whole frame, or why there can be none of this size.
    pub(crate) fn bytes(self) -> Result<u64, InvalidFrame> {
        let pixels = u64::from(self.width) * u64::from(self.height);
        let longest = self.width.max(self.height);
        if pixels == 0 || MAX_SIDE < longest || MAX_PIXELS < pixels {
            return Err(InvalidFrame::Size(self));
        }
        Ok(pixels * 4)
    }
}

/// A capture that is not a whole picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidFrame {
    /// Nothing to see, or more than [`MAX_SIDE`] or [`MAX_PIXELS`].
    #[error("a screen of {0} is not believable")]
    Size(ScreenSize),
    /// Too short or too long for its size.
    #[error("a screen of {size} needs {expected} bytes, {found} came")]
    Length {
        /// What the capture says of itself.
        size: ScreenSize,
        /// Four bytes a pixel.
        expected: u64,
        /// What was there.
        found: u64,
    },
}
