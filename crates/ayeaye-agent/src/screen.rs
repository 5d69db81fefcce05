//! What a phone shows: frames as captured, pictures as sent to a model.
use std::fmt;

pub use ayeaye_frame::{CaptureDigest, Frame, InvalidFrame, MAX_PIXELS, MAX_SIDE, ScreenSize};
use bytes::Bytes;

/// A place on one particular frame, in its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pixel {
    /// From the left edge, starting with 0.
    pub x: u32,
    /// From the top edge, starting with 0.
    pub y: u32,
}

/// A frame as a model is shown it: scaled and encoded once, sent and kept as it is.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    /// The encoded file.
    pub bytes: Bytes,
    /// Such as `image/jpeg`.
    pub media_type: &'static str,
    /// In its own pixels, which are not the screen's.
    pub size: ScreenSize,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}, {}, {} bytes)", self.size, self.media_type, self.bytes.len())
    }
}
