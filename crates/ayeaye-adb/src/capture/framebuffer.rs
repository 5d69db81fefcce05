//! Captures by adb's own service `framebuffer:`, for phones whose `screencap` gives nothing to a shell.
//!
//! A header of little-endian words, then the rows without gaps (AOSP, `framebuffer_service.cpp`): version,
//! bits per pixel, since version 2 the colour space, bytes of all rows, width, height, and offset and
//! length in bits of red, blue, green and alpha, in this order.
use ayeaye_agent::{Frame, InvalidFrame, MAX_PIXELS, MAX_SIDE, ScreenSize};
use bytes::{BufMut as _, BytesMut};

use super::{MAX_BYTES, describe};

/// Bits of one colour in a pixel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Channel {
    offset: u32,
    length: u32,
}

impl Channel {
    fn mask(self) -> u32 {
        (1 << self.length) - 1
    }

    /// Its value in a pixel, scaled so that the maximum stays the maximum.
    fn of(self, pixel: u32) -> u8 {
        let value = (pixel >> self.offset) & self.mask();
        u8::try_from(value * 255 / self.mask()).unwrap_or(255)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Header {
    size: ScreenSize,
    bytes_per_pixel: usize,
    /// Red, green and blue.
    colours: [Channel; 3],
    /// Its own length in bytes.
    length: usize,
}

impl Header {
    fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut words = bytes.chunks_exact(4).map(|word| match word {
            &[a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            _ => 0,
        });
        let mut next = || words.next().ok_or_else(|| describe(bytes));
        let version = next()?;
        let length = match version {
            1 => 52,
            2 => 56,
            _ => return Err(format!("{} (no header of version 1 or 2)", describe(bytes))),
        };
        let bits = next()?;
        if version == 2 {
            next()?;
        }
        let (rows, width, height) = (next()?, next()?, next()?);
        let mut channel = || Ok::<_, String>(Channel { offset: next()?, length: next()? });
        let (red, blue, green) = (channel()?, channel()?, channel()?);
        channel()?;
        let pixels = u64::from(width) * u64::from(height);
        if pixels == 0 || MAX_PIXELS < pixels || MAX_SIDE < width.max(height) {
            return Err(format!("a screen of {width}x{height} is not believable"));
        }
        let colours = [red, green, blue];
        let fits = |it: &Channel| {
            (1..=8).contains(&it.length)
                && it.offset.checked_add(it.length).is_some_and(|end| end <= bits)
        };
        if ![16, 24, 32].contains(&bits) || !colours.iter().all(fits) {
            return Err(format!("pixels of {bits} bits, laid out as none of Android's"));
        }
        if u64::from(rows) != pixels * u64::from(bits / 8) || MAX_BYTES < rows as usize {
            return Err(format!("{rows} bytes are announced for {width}x{height} of {bits} bits"));
        }
        let size = ScreenSize { width, height };
        Ok(Self { size, bytes_per_pixel: bits as usize / 8, colours, length })
    }

    fn whole(&self) -> usize {
        self.length + self.size.width as usize * self.size.height as usize * self.bytes_per_pixel
    }
}

/// The length in bytes that a capture with this header must have.
pub(super) fn expected_length(start: &[u8]) -> Option<usize> {
    Header::read(start).ok().map(|header| header.whole())
}

/// The frame in these bytes. All of them must belong to it.
pub(super) fn frame(mut bytes: BytesMut) -> Result<Frame, String> {
    let header = Header::read(&bytes)?;
    if bytes.len() != header.whole() {
        return Err(format!("{} bytes came instead of {}", bytes.len(), header.whole()));
    }
    let mut pixels = bytes.split_off(header.length);
    let in_place = [0, 8, 16].map(|offset| Channel { offset, length: 8 });
    let rgba = if header.bytes_per_pixel == 4 && header.colours == in_place {
        // Screens are opaque, whatever is in the fourth byte.
        pixels.chunks_exact_mut(4).for_each(|pixel| pixel[3] = 255);
        pixels
    } else {
        let [red, green, blue] = header.colours;
        let mut rgba = BytesMut::with_capacity(pixels.len() / header.bytes_per_pixel * 4);
        for pixel in pixels.chunks_exact(header.bytes_per_pixel) {
            let value = pixel.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
            rgba.put_slice(&[red.of(value), green.of(value), blue.of(value), 255]);
        }
        rgba
    };
    Frame::new(header.size, rgba.freeze()).map_err(|error: InvalidFrame| error.to_string())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Red, blue and green of Android's formats: 8888, the same with red and blue swapped, 888 and 565.
    const LAYOUTS: [(u32, [u32; 6]); 4] = [
        (32, [0, 8, 16, 8, 8, 8]),
        (32, [16, 8, 0, 8, 8, 8]),
        (24, [0, 8, 16, 8, 8, 8]),
        (16, [11, 5, 0, 5, 5, 6]),
    ];

    fn capture(version: u32, layout: usize, size: [u32; 2], pixels: &[u8]) -> BytesMut {
        let (bits, channels) = LAYOUTS[layout];
        let mut words = vec![version, bits];
        words.extend((version == 2).then_some(1));
        words.extend([size[0] * size[1] * bits / 8, size[0], size[1]]);
        words.extend(channels);
        words.extend([24, 8]);
        let head: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        BytesMut::from(&[&head, pixels].concat()[..])
    }

    #[test]
    fn recorded_headers_are_read() {
        let of = |version: u32, [width, height]: [u32; 2]| {
            let length = if version == 1 { 52 } else { 56 };
            Some(length + width as usize * height as usize * 4)
        };
        let first = include_bytes!("../../samples/framebuffer_header/1_v1_32bit.bin");
        assert_eq!(expected_length(first), of(1, [1440, 2560]));
        let second = include_bytes!("../../samples/framebuffer_header/2_v2_colorspace.bin");
        assert_eq!(expected_length(second), of(2, [1080, 1920]));
        // Before Android 4: not a version, but the bits of a pixel.
        let oldest = include_bytes!("../../samples/framebuffer_header/4_v16_rgb565.bin");
        let told = frame(BytesMut::from(&oldest[..])).unwrap_err();
        assert!(told.contains("no header of version 1 or 2"), "{told}");
    }

    #[test]
    fn every_layout_becomes_rgba() {
        for version in [1, 2] {
            let one = |layout: usize, pixel: &[u8]| {
                frame(capture(version, layout, [1, 1], pixel)).unwrap().rgba().to_vec()
            };
            assert_eq!(one(0, &[1, 2, 3, 0]), [1, 2, 3, 255]);
            assert_eq!(one(1, &[1, 2, 3, 4]), [3, 2, 1, 255]);
            assert_eq!(one(2, &[1, 2, 3]), [1, 2, 3, 255]);
            assert_eq!(one(3, &[0x00, 0xf8]), [255, 0, 0, 255]);
            assert_eq!(one(3, &[0xe0, 0x07]), [0, 255, 0, 255]);
        }
    }

    #[test]
    fn what_the_phone_says_instead_is_told() {
        for said in [&b"screencap: not found\n"[..], b"", b"\x01\0\0\0"] {
            assert!(frame(BytesMut::from(said)).is_err());
        }
        let told = frame(BytesMut::from(&b"error: permission denied\n"[..])).unwrap_err();
        assert!(told.contains("permission denied"), "{told}");
    }

    proptest! {
        #[test]
        fn a_picture_is_whole_or_refused(
            version in 1_u32..=2, layout in 0_usize..4, width in 1_u32..9, height in 1_u32..9,
            byte: u8, cut: prop::sample::Index,
        ) {
            let bytes = (width * height * LAYOUTS[layout].0 / 8) as usize;
            let whole = capture(version, layout, [width, height], &vec![byte; bytes]);
            prop_assert_eq!(expected_length(&whole), Some(whole.len()));
            let read = frame(whole.clone()).unwrap();
            prop_assert_eq!(read.size(), ScreenSize { width, height });
            prop_assert!(frame(BytesMut::from(&whole[..cut.index(whole.len())])).is_err());
            let mut long = whole;
            long.put_u8(0);
            prop_assert!(frame(long).is_err());
        }

        #[test]
        fn no_header_is_believed_that_does_not_add_up(
            mut words in prop::collection::vec(prop_oneof![0_u32..40, any::<u32>()], 14),
            version in 1_u32..=2,
        ) {
            words[0] = version;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            if let Some(length) = expected_length(&bytes) {
                prop_assert!(length <= MAX_BYTES + 56);
            }
            drop(frame(BytesMut::from(&bytes[..])));
        }
    }
}
