//! What a screen shows, packed so that many can be held at once.
//!
//! A screen of 1080x2400 has ten megabytes of pixels, and a driver holds several of them for each phone: the one
//! before a gesture, the last and the next after it, the one that a model is thinking about. So a [`Frame`] is never
//! held whole. It is packed in bands of a few rows, each while its bytes are still in the processor's cache; a band
//! that looks as it did in the frame before is shared with it; and two frames are compared by the hashes of
//! their bands, so that only what differs is unpacked.
//!
//! What does not pack (photographs, video) is kept whole as long as the [`Pool`] for that has room, and beyond it
//! with half the resolution of its colours, as a JPEG has it anyway.
mod band;
mod builder;
mod frame;
mod half_colour;
mod pool;
mod runs;
mod size;

pub use builder::FrameBuilder;
pub use frame::{CaptureDigest, Earlier, Frame};
pub use pool::Pool;
pub use size::{InvalidFrame, MAX_PIXELS, MAX_SIDE, ScreenSize};

/// Rows of a band: few, so that they stay in the cache while they are packed, and that little is unpacked where
/// little differs.
const BAND_ROWS: usize = 16;

/// Red, green, blue, alpha.
type Rgba = [u8; 4];
