//! Raw captures: width, height and pixel format, each 32 bits little endian, on Android 9 and later
//! a fourth number for the colour space, then the rows (AOSP, `screencap.cpp`).
use ayeaye_agent::{Frame, InvalidFrame, ScreenSize};
use bytes::{BufMut as _, BytesMut};

use super::{Pixels, describe};

/// How many bytes may come before the header: phones with several screens print a warning first.
const MAX_PREAMBLE: usize = 4096;

/// The fourth number of a header, a `ColorSpace`, is at most this.
const COLOUR_SPACES: u32 = 16;

/// Android's pixel formats (`PixelFormat.h`), as far as `screencap` has been seen to use them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Rgba8888,
    Rgbx8888,
    Rgb888,
    Rgb565,
    Bgra8888,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    size: ScreenSize,
    format: Format,
}

impl Header {
    /// The header at the start of these bytes, if it is a plausible one.
    fn read(bytes: &[u8]) -> Option<Self> {
        let number = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?));
        let size = ScreenSize { width: number(0)?, height: number(4)? };
        let format = match number(8)? {
            1 => Format::Rgba8888,
            2 => Format::Rgbx8888,
            3 => Format::Rgb888,
            4 => Format::Rgb565,
            5 => Format::Bgra8888,
            _ => return None,
        };
        let pixels = u64::from(size.width) * u64::from(size.height);
        let longest = size.width.max(size.height);
        let possible =
            0 < pixels && pixels <= ayeaye_agent::MAX_PIXELS && longest <= ayeaye_agent::MAX_SIDE;
        possible.then_some(Self { size, format })
    }

    /// Bytes of all rows.
    fn length(self) -> usize {
        let each = match self.format {
            Format::Rgba8888 | Format::Rgbx8888 | Format::Bgra8888 => 4,
            Format::Rgb888 => 3,
            Format::Rgb565 => 2,
        };
        self.size.width as usize * self.size.height as usize * each
    }
}

/// The length in bytes that a capture with this header must have.
pub(super) fn expected_length(start: &[u8]) -> Option<usize> {
    Header::read(start).map(|header| header.length() + 16)
}

/// The frame in these bytes. All of them must belong to it.
pub(super) fn frame(mut bytes: Pixels) -> Result<Frame, String> {
    let Some((header, start)) = locate(&bytes) else {
        return Err(match expected_length(&bytes) {
            Some(length) => format!("{} bytes came instead of {length}", bytes.len()),
            None => describe(&bytes),
        });
    };
    let mut pixels = bytes.split_off(start);
    let rgba = match header.format {
        Format::Rgba8888 => pixels,
        Format::Rgbx8888 => {
            pixels.chunks_exact_mut(4).for_each(|pixel| pixel[3] = 255);
            pixels
        }
        Format::Bgra8888 => {
            pixels.chunks_exact_mut(4).for_each(|pixel| pixel.swap(0, 2));
            pixels
        }
        Format::Rgb888 => {
            let mut rgba = BytesMut::with_capacity(pixels.len() / 3 * 4);
            pixels.chunks_exact(3).for_each(|p| rgba.put_slice(&[p[0], p[1], p[2], 255]));
            rgba
        }
        Format::Rgb565 => {
            let mut rgba = BytesMut::with_capacity(pixels.len() * 2);
            pixels.chunks_exact(2).for_each(|p| rgba.put_slice(&from_565([p[0], p[1]])));
            rgba
        }
    };
    Frame::new(header.size, rgba.freeze()).map_err(|error: InvalidFrame| error.to_string())
}

/// The header and the offset of the pixels. A header counts only if what follows has exactly its
/// length, so that text is hardly ever taken for one.
fn locate(bytes: &[u8]) -> Option<(Header, usize)> {
    let fits = |at: usize| {
        let header = Header::read(&bytes[at..])?;
        let end = |head: usize| at + head + header.length();
        if end(16) == bytes.len() {
            return Some((header, at + 16));
        }
        // With the long header and the last pixel missing, a capture is as long as one with the
        // short header. But a colour space is a small number, and an opaque pixel is not.
        let first = u32::from_le_bytes(*bytes.get(at + 12..)?.first_chunk()?);
        (end(12) == bytes.len() && COLOUR_SPACES < first).then_some((header, at + 12))
    };
    (0..bytes.len().min(MAX_PREAMBLE)).find_map(fits)
}

fn from_565(pixel: [u8; 2]) -> [u8; 4] {
    let value = u16::from_le_bytes(pixel);
    // Five and six bits scaled to eight, so that the maximum stays the maximum.
    let five = |bits: u16| u8::try_from(u32::from(bits & 31) * 255 / 31).unwrap_or(255);
    let six = u8::try_from(u32::from((value >> 5) & 63) * 255 / 63).unwrap_or(255);
    [five(value >> 11), six, five(value), 255]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(talk: &[u8], head: &[u32], pixels: &[u8]) -> BytesMut {
        let head: Vec<u8> = head.iter().flat_map(|n| n.to_le_bytes()).collect();
        BytesMut::from(&[talk, &head, pixels].concat()[..])
    }

    #[test]
    fn both_headers_are_read_and_text_before_them_is_passed_over() {
        let pixels: Vec<u8> = (1..25).collect();
        let warning = b"[Warning] Multiple displays were found, but no display id was specified!\n";
        for head in [&[2, 3, 1][..], &[2, 3, 1, 0]] {
            for talk in [&b""[..], warning] {
                let frame = frame(capture(talk, head, &pixels)).unwrap();
                assert_eq!(frame.size(), ScreenSize { width: 2, height: 3 });
                assert_eq!(frame.rgba(), &pixels);
            }
        }
    }

    #[test]
    fn every_format_becomes_rgba() {
        let one = |format: u32, pixels: &[u8]| {
            frame(capture(b"", &[1, 1, format, 0], pixels)).unwrap().rgba().to_vec()
        };
        assert_eq!(one(1, &[1, 2, 3, 4]), [1, 2, 3, 4]);
        assert_eq!(one(2, &[1, 2, 3, 0]), [1, 2, 3, 255]);
        assert_eq!(one(3, &[1, 2, 3]), [1, 2, 3, 255]);
        assert_eq!(one(4, &[0xff, 0xff]), [255, 255, 255, 255]);
        assert_eq!(one(4, &[0x00, 0xf8]), [255, 0, 0, 255]);
        assert_eq!(one(5, &[1, 2, 3, 4]), [3, 2, 1, 4]);
    }

    #[test]
    fn a_picture_that_is_not_whole_is_refused() {
        let pixels = [0; 24];
        let whole = capture(b"", &[2, 3, 1, 0], &pixels);
        for end in 0..whole.len() {
            let cut = BytesMut::from(&whole[..end]);
            assert!(frame(cut).is_err(), "{end}");
        }
        let mut long = whole;
        long.put_slice(b"\n");
        assert!(frame(long).is_err());
        assert!(frame(capture(b"", &[70_000, 70_000, 1, 0], &pixels)).is_err());
        assert_eq!(frame(BytesMut::new()).unwrap_err(), "0 bytes came");
    }

    #[test]
    fn no_room_is_made_for_a_size_that_cannot_be() {
        assert_eq!(expected_length(&capture(b"", &[60_000, 60_000, 1], b"")), None);
        assert_eq!(expected_length(&capture(b"", &[1080, 2400, 1], b"")), Some(10_368_016));
        assert_eq!(expected_length(b"usage: screencap [-hp]"), None);
    }
}
