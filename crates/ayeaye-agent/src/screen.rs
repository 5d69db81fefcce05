//! What a phone shows: frames as captured, pictures as sent to a model.
use std::fmt;

use bytes::Bytes;

/// Width and height in pixels, as the phone is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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

/// A place on one particular frame, in its pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pixel {
    /// From the left edge, starting with 0.
    pub x: u32,
    /// From the top edge, starting with 0.
    pub y: u32,
}

/// The longest side of a frame, in pixels. No phone, tablet or television has more; a phone that
/// claims more is lying or broken.
pub const MAX_SIDE: u32 = 8192;
/// The most pixels of a frame.
pub const MAX_PIXELS: u64 = 40_000_000;

/// One capture of the screen, upright as a person would see it.
#[derive(Clone, PartialEq, Eq)]
pub struct Frame {
    size: ScreenSize,
    rgba: Bytes,
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

impl Frame {
    /// A frame from RGBA pixels, four bytes each, row by row from the top left.
    pub fn new(size: ScreenSize, rgba: Bytes) -> Result<Self, InvalidFrame> {
        let pixels = u64::from(size.width) * u64::from(size.height);
        let longest = size.width.max(size.height);
        if pixels == 0 || MAX_SIDE < longest || MAX_PIXELS < pixels {
            return Err(InvalidFrame::Size(size));
        }
        let found = rgba.len() as u64;
        if found != pixels * 4 {
            return Err(InvalidFrame::Length { size, expected: pixels * 4, found });
        }
        Ok(Self { size, rgba })
    }

    /// Its size, which may differ from that of the frame before (rotation, folding).
    pub fn size(&self) -> ScreenSize {
        self.size
    }

    /// Four bytes a pixel: red, green, blue, alpha.
    pub fn rgba(&self) -> &Bytes {
        &self.rgba
    }

    /// The same frame with these places black: left, top, right and bottom in its pixels, the last two
    /// outside.
    #[must_use]
    pub fn with_black_areas(&self, places: &[[i32; 4]]) -> Self {
        let mut rgba = self.rgba.to_vec();
        let (width, height) = (self.size.width as usize, self.size.height as usize);
        let inside = |v: i32, most: usize| usize::try_from(v).unwrap_or(0).min(most);
        for &[left, top, right, bottom] in places {
            let (left, right) = (inside(left, width), inside(right, width));
            for row in inside(top, height)..inside(bottom, height) {
                let row = &mut rgba[row * width * 4..(row + 1) * width * 4];
                for pixel in
                    row.get_mut(left * 4..right * 4).unwrap_or_default().chunks_exact_mut(4)
                {
                    pixel.copy_from_slice(&[0, 0, 0, 255]);
                }
            }
        }
        Self { size: self.size, rgba: rgba.into() }
    }

    /// Whether it shows one flat colour where an app has its contents, below the status bar and above
    /// the keyboard: what captures have in the place of a protected window.
    pub fn is_blank_inside(&self) -> bool {
        let (width, height) = (self.size.width as usize, self.size.height as usize);
        let (left, right) = (width * 8 / 100, (width * 92).div_ceil(100));
        let (top, bottom) = (height / 5, (height * 45).div_ceil(100));
        let mut rows = self.rgba.chunks_exact(width * 4).take(bottom).skip(top);
        let Some(first) = self.rgba.get((top * width + left) * 4..).and_then(<[u8]>::first_chunk)
        else {
            return false;
        };
        let [red, green, blue]: [u8; 3] = *first;
        let alike = |p: &[u8]| {
            p[0].abs_diff(red) < 3 && p[1].abs_diff(green) < 3 && p[2].abs_diff(blue) < 3
        };
        rows.all(|row| row[left * 4..right * 4].chunks_exact(4).all(alike))
    }

    /// Whether every pixel is (nearly) black, as protected windows and dark screens are captured.
    pub fn is_black(&self) -> bool {
        self.rgba.chunks_exact(4).all(|p| p[0] < 3 && p[1] < 3 && p[2] < 3)
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({})", self.size)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_whole_or_refused() {
        let size = ScreenSize { width: 2, height: 2 };
        assert!(Frame::new(size, Bytes::from(vec![0; 16])).is_ok());
        assert_eq!(
            Frame::new(size, Bytes::from(vec![0; 15])),
            Err(InvalidFrame::Length { size, expected: 16, found: 15 })
        );
        let huge = ScreenSize { width: 70_000, height: 1 };
        assert_eq!(Frame::new(huge, Bytes::new()), Err(InvalidFrame::Size(huge)));
    }

    #[test]
    fn a_place_is_blackened_and_nothing_else() {
        let size = ScreenSize { width: 3, height: 2 };
        let white = Frame::new(size, Bytes::from(vec![255; 24])).unwrap();
        let frame = white.with_black_areas(&[[1, 0, 2, 1], [-5, 1, 1, 9], [2, 1, 1, 2]]);
        let dark: Vec<bool> = frame.rgba().chunks_exact(4).map(|p| p == [0, 0, 0, 255]).collect();
        assert_eq!(dark, [false, true, false, true, false, false]);
    }

    #[test]
    fn a_protected_window_is_blank_between_bars_that_are_not() {
        let size = ScreenSize { width: 20, height: 40 };
        let mut rgba = vec![0; 20 * 40 * 4];
        rgba[..20 * 2 * 4].fill(200);
        rgba[20 * 30 * 4..].fill(90);
        let frame = |rgba: &[u8]| Frame::new(size, Bytes::copy_from_slice(rgba)).unwrap();
        assert!(frame(&rgba).is_blank_inside() && !frame(&rgba).is_black());
        rgba[(20 * 12 + 9) * 4] = 40;
        assert!(!frame(&rgba).is_blank_inside(), "a dark screen with something on it");
        let pixel = Frame::new(ScreenSize { width: 1, height: 1 }, Bytes::from(vec![7; 4]));
        assert!(pixel.unwrap().is_blank_inside());
    }

    #[test]
    fn black_is_told_from_dark() {
        let size = ScreenSize { width: 1, height: 2 };
        let frame = |rgba: [u8; 8]| Frame::new(size, Bytes::copy_from_slice(&rgba)).unwrap();
        assert!(frame([0, 0, 0, 255, 1, 1, 1, 255]).is_black());
        assert!(!frame([0, 0, 0, 255, 9, 0, 0, 255]).is_black());
    }
}
