//! Raw captures: width, height and pixel format, each 32 bits little endian, on Android 9 and later
//! a fourth number for the colour space, then the rows (AOSP, `screencap.cpp`).
use std::io;

use ayeaye_agent::{Frame, InvalidFrame, ScreenSize};
use ayeaye_frame::{CaptureDigest, Earlier, FrameBuilder};
use sha2::{Digest as _, Sha256};

use super::{MAX_BYTES, describe};

/// How many bytes may come before the header: phones with several screens print a warning first.
const MAX_PREAMBLE: usize = 4096;

/// How much of a capture's beginning is remembered.
const MAX_START: usize = 200;

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

impl Format {
    /// Bytes of a pixel.
    fn bytes(self) -> usize {
        match self {
            Self::Rgba8888 | Self::Rgbx8888 | Self::Bgra8888 => 4,
            Self::Rgb888 => 3,
            Self::Rgb565 => 2,
        }
    }

    fn to_rgba(self, pixel: &[u8]) -> [u8; 4] {
        match (self, pixel) {
            (Self::Rgba8888, &[r, g, b, a]) | (Self::Bgra8888, &[b, g, r, a]) => [r, g, b, a],
            (Self::Rgbx8888, &[r, g, b, _]) | (Self::Rgb888, &[r, g, b]) => [r, g, b, 255],
            (Self::Rgb565, &[low, high]) => from_565([low, high]),
            _ => [0; 4],
        }
    }
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
        self.size.width as usize * self.size.height as usize * self.format.bytes()
    }
}

/// The length in bytes that a capture with this header must have.
pub(super) fn expected_length(start: &[u8]) -> Option<usize> {
    Header::read(start).map(|header| header.length() + 16)
}

/// The frame in these bytes. All of them must belong to it.
pub(super) fn frame(bytes: &[u8]) -> Result<Frame, String> {
    let Some((header, start)) = locate(bytes) else {
        return Err(match expected_length(bytes) {
            Some(length) => format!("{} bytes came instead of {length}", bytes.len()),
            None => describe(bytes),
        });
    };
    let mut pixels = Pixels::new(header, &Earlier::default()).map_err(|it| it.to_string())?;
    pixels.push(&bytes[start..]);
    pixels.builder.finish().map_err(|error| error.to_string())
}

/// Takes in a capture while it arrives; its pixels are packed at once.
#[derive(Debug)]
pub(super) struct Reader {
    earlier: Earlier,
    length: usize,
    /// Of all that has come, where it is wanted.
    digest: Option<Sha256>,
    /// Its beginning, as far as it is needed to say what came.
    start: Vec<u8>,
    progress: Progress,
}

#[derive(Debug)]
enum Progress {
    /// No header has come yet, or none at the beginning: all that has come.
    Kept(Vec<u8>),
    /// Behind a header of so many bytes.
    Pixels(usize, Pixels),
}

impl Reader {
    /// What looks as in the earlier frame is shared with it.
    pub(super) fn new(earlier: Earlier) -> Self {
        let progress = Progress::Kept(Vec::new());
        Self { earlier, length: 0, digest: None, start: Vec::new(), progress }
    }

    /// With the capture's digest, if it is `wanted`: ten megabytes take a processor 6 ms, or 40 where it has no
    /// instructions for that.
    pub(super) fn with_digest(self, wanted: bool) -> Self {
        Self { digest: wanted.then(Sha256::new), ..self }
    }

    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        if let Some(digest) = &mut self.digest {
            digest.update(bytes);
        }
        self.start.extend(bytes.iter().take(MAX_START - self.start.len()));
        match &mut self.progress {
            Progress::Pixels(_, pixels) => pixels.push(bytes),
            Progress::Kept(kept) => {
                let was_short = kept.len() < 16;
                kept.extend_from_slice(bytes);
                if was_short
                    && let Some((header, head)) = begins_with(kept)
                    && let Ok(mut pixels) = Pixels::new(header, &self.earlier)
                {
                    pixels.push(&kept[head..]);
                    self.progress = Progress::Pixels(head, pixels);
                }
            }
        }
    }

    /// How many bytes have come.
    pub(super) fn length(&self) -> usize {
        self.length
    }

    /// The first of them.
    pub(super) fn start(&self) -> &[u8] {
        &self.start
    }

    /// The frame, if all of it has come and nothing more.
    pub(super) fn finish(self) -> Result<Frame, String> {
        match self.progress {
            Progress::Kept(kept) => frame(&kept),
            Progress::Pixels(head, pixels) => {
                let expected = head + pixels.header.length();
                if self.length != expected {
                    let expected = expected - head + 16;
                    return Err(format!("{} bytes came instead of {expected}", self.length));
                }
                let digest = self.digest.map(|it| CaptureDigest(it.finalize().into()));
                let frame = pixels.builder.finish().map_err(|error| error.to_string())?;
                Ok(frame.with_digest(digest))
            }
        }
    }
}

impl io::Write for Reader {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if MAX_BYTES < self.length + bytes.len() {
            return Err(io::Error::other(format!("it has more than {MAX_BYTES} bytes")));
        }
        self.take(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The pixels behind a header, made RGBA.
#[derive(Debug)]
struct Pixels {
    header: Header,
    builder: FrameBuilder,
    /// The beginning of a pixel whose end has not come.
    part: Vec<u8>,
}

impl Pixels {
    fn new(header: Header, earlier: &Earlier) -> Result<Self, InvalidFrame> {
        let builder = FrameBuilder::new(header.size, earlier)?;
        Ok(Self { header, builder, part: Vec::new() })
    }

    fn push(&mut self, bytes: &[u8]) {
        if self.header.format == Format::Rgba8888 {
            return self.builder.push(bytes);
        }
        self.part.extend_from_slice(bytes);
        let each = self.header.format.bytes();
        let whole = self.part.len() / each * each;
        let mut rgba = Vec::with_capacity(whole / each * 4);
        for pixel in self.part[..whole].chunks_exact(each) {
            rgba.extend_from_slice(&self.header.format.to_rgba(pixel));
        }
        self.part.drain(..whole);
        self.builder.push(&rgba);
    }
}

/// The header at the very beginning and its length; `None` as long as that is not clear.
fn begins_with(bytes: &[u8]) -> Option<(Header, usize)> {
    let header = Header::read(bytes)?;
    let fourth = u32::from_le_bytes(*bytes.get(12..)?.first_chunk()?);
    Some((header, if fourth <= COLOUR_SPACES { 16 } else { 12 }))
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

    fn capture(talk: &[u8], head: &[u32], pixels: &[u8]) -> Vec<u8> {
        let head: Vec<u8> = head.iter().flat_map(|n| n.to_le_bytes()).collect();
        [talk, &head, pixels].concat()
    }

    /// Read at once, and in pieces of every size.
    fn frame(bytes: impl AsRef<[u8]>) -> Result<Frame, String> {
        let bytes = bytes.as_ref();
        let whole = super::frame(bytes);
        for piece in [1, 2, 3, 5, 11, 16, 17, 1000] {
            let mut reader = Reader::new(Earlier::default());
            bytes.chunks(piece).for_each(|part| reader.take(part));
            assert_eq!(reader.length(), bytes.len());
            assert_eq!(reader.finish(), whole, "in pieces of {piece}");
        }
        whole
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
            assert!(frame(&whole[..end]).is_err(), "{end}");
        }
        let mut long = whole;
        long.push(b'\n');
        assert!(frame(long).is_err());
        assert!(frame(capture(b"", &[70_000, 70_000, 1, 0], &pixels)).is_err());
        assert_eq!(frame(b"").unwrap_err(), "0 bytes came");
    }

    #[test]
    fn no_room_is_made_for_a_size_that_cannot_be() {
        assert_eq!(expected_length(&capture(b"", &[60_000, 60_000, 1], b"")), None);
        assert_eq!(expected_length(&capture(b"", &[1080, 2400, 1], b"")), Some(10_368_016));
        assert_eq!(expected_length(b"usage: screencap [-hp]"), None);
    }
}
