//! From and to files. A kept picture may be anything: its size is checked before it is unpacked.
use std::io::Cursor;
use std::sync::Arc;

use ayeaye_agent::{MAX_PIXELS, MAX_SIDE};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::Canvas;
use super::palette::{self, Indexed};
use super::shrink::{averaged, fitted, within};

/// Whether pictures of this kind can be read, so that others can be drawn from them.
pub(crate) fn decodable(media_type: &str) -> bool {
    matches!(media_type, "image/jpeg" | "image/png")
}

/// Below so many pixels letters are hard to read: a JPEG is halved only as far as it keeps as many.
const READABLE_PIXELS: u32 = 500_000;
/// Of what is made of a kept JPEG. What is still larger is scaled to so many.
const MAX_PNG_PIXELS: u32 = 1_200_000;

/// What a scan of a JPEG begins with.
const START_OF_SCAN: [u8; 2] = [0xff, 0xda];
/// One for each channel at most, and that of a small picture in the file's head.
const MAX_SCANS: usize = 4;

/// A kept picture, unpacked. That of a JPEG is made smaller, to its `png_size`.
#[derive(Debug, Clone)]
pub struct DecodedPicture {
    canvas: Arc<Canvas>,
    /// Pixels in the file.
    pixels: u64,
    /// Bytes of the file.
    bytes: usize,
    is_jpeg: bool,
}

impl DecodedPicture {
    /// The picture in a JPEG or PNG file, whichever it is; `None` if it is neither, broken or too large.
    pub fn read(bytes: &[u8]) -> Option<Self> {
        Self::read_through(bytes, &mut Vec::new())
    }

    /// Reads a file as [`read`](Self::read) does. What a JPEG of one picture was `unpacked` into serves for that of the
    /// next: 8 MB of fresh memory cost as much as unpacking into them.
    pub(crate) fn read_through(bytes: &[u8], unpacked: &mut Vec<u8>) -> Option<Self> {
        let is_jpeg = !is_png(bytes);
        let (canvas, pixels) = if is_jpeg { jpeg(bytes, unpacked) } else { png(bytes) }?;
        Some(Self { canvas: Arc::new(canvas), pixels, bytes: bytes.len(), is_jpeg })
    }

    pub(crate) fn canvas(&self) -> &Canvas {
        &self.canvas
    }

    /// Bytes of the file.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Pixels in the file.
    pub(super) fn pixels(&self) -> u64 {
        self.pixels
    }

    pub(super) fn is_jpeg(&self) -> bool {
        self.is_jpeg
    }

    /// A PNG of it, of at most `max_bytes` as far as that can be had without harm to letters.
    pub(crate) fn png(&self, max_bytes: usize) -> Option<Vec<u8>> {
        let photo = self.pixels < self.bytes as u64 * PHOTO;
        let first = if photo { FIRST_FOR_PHOTO } else { 0 };
        encode_from(self.canvas().clone(), first, max_bytes)
    }
}

/// The picture in a file, as [`DecodedPicture`] has it.
#[cfg(test)]
pub(crate) fn decode(bytes: &[u8]) -> Option<Canvas> {
    DecodedPicture::read(bytes).map(|picture| picture.canvas().clone())
}

/// The size of the PNG that is made of a kept picture.
pub(crate) fn png_size([width, height]: [u32; 2], media_type: &str) -> [u32; 2] {
    if media_type != "image/jpeg" {
        return [width, height];
    }
    let (width, height) = fitted(halved((width, height)), MAX_PNG_PIXELS);
    [width, height]
}

/// What part of a side a JPEG is made to: 1, 2, 4 or 8.
fn part((width, height): (u32, u32)) -> u32 {
    let readable = |part: &u32| {
        let pixels = u64::from(width.div_ceil(*part)) * u64::from(height.div_ceil(*part));
        u64::from(READABLE_PIXELS) <= pixels
    };
    [2, 4, 8].into_iter().take_while(readable).last().unwrap_or(1)
}

fn halved((width, height): (u32, u32)) -> (u32, u32) {
    let part = part((width, height));
    (width.div_ceil(part), height.div_ceil(part))
}

fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG")
}

fn fits(width: u64, height: u64) -> bool {
    let side = 1..=u64::from(MAX_SIDE);
    side.contains(&width) && side.contains(&height) && width * height <= MAX_PIXELS
}

/// Only as encoders of screens write them: one pass, eight bits. Each further scan costs a pass over the whole
/// picture, and a small file can have thousands.
fn jpeg(bytes: &[u8], unpacked: &mut Vec<u8>) -> Option<(Canvas, u64)> {
    if !is_sequential(bytes)
        || MAX_SCANS < bytes.windows(2).filter(|it| *it == START_OF_SCAN).count()
    {
        return None;
    }
    let side = MAX_SIDE as usize;
    let options =
        DecoderOptions::new_fast().set_strict_mode(true).set_max_width(side).set_max_height(side);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().ok()?;
    let info = decoder.info()?;
    let (width, height) = (u32::from(info.width), u32::from(info.height));
    if !fits(width.into(), height.into()) || !matches!(info.components, 1 | 3) {
        return None;
    }
    let size = decoder.output_buffer_size()?;
    if unpacked.capacity() < size {
        // Growing would take twice as much as is needed, and copy what nobody reads.
        *unpacked = Vec::with_capacity(size);
    }
    // Nothing of an earlier picture is left in it, whatever the decoder leaves out.
    unpacked.clear();
    unpacked.resize(size, 0);
    decoder.decode_into(unpacked).ok()?;
    let canvas = averaged(unpacked, (width, height), part((width, height)))?;
    let canvas = within(canvas, MAX_PNG_PIXELS)?;
    Some((canvas, u64::from(width) * u64::from(height)))
}

/// Whether a JPEG holds its picture in one pass, by the kind of its frame's header (ITU-T T.81, table B.1): baseline or
/// extended, with Huffman's codes.
fn is_sequential(bytes: &[u8]) -> bool {
    let mut rest = bytes.get(2..).unwrap_or_default();
    while let [0xff, marker, high, low, ..] = rest {
        match marker {
            0xc0 | 0xc1 => return true,
            // Tables of codes and of conditioning are among the numbers of the other frames.
            0xc2..=0xcf if !matches!(marker, 0xc4 | 0xcc) => return false,
            _ => {}
        }
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        rest = rest.get(2 + length..).unwrap_or_default();
    }
    false
}

fn png(bytes: &[u8]) -> Option<(Canvas, u64)> {
    let limits = png::Limits { bytes: usize::try_from(MAX_PIXELS * 8).unwrap_or(usize::MAX) };
    let mut decoder = png::Decoder::new_with_limits(Cursor::new(bytes), limits);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().ok()?;
    let (width, height) = (reader.info().width, reader.info().height);
    if !fits(u64::from(width), u64::from(height)) {
        return None;
    }
    let mut pixels = vec![0; reader.output_buffer_size()?];
    let info = reader.next_frame(&mut pixels).ok()?;
    pixels.truncate(info.buffer_size());
    let rgb = match info.color_type {
        png::ColorType::Rgb => pixels,
        png::ColorType::Rgba => {
            pixels.as_chunks().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]).collect()
        }
        png::ColorType::Grayscale => pixels.into_iter().flat_map(|grey| [grey; 3]).collect(),
        png::ColorType::GrayscaleAlpha => {
            pixels.as_chunks().0.iter().flat_map(|[grey, _]| [*grey; 3]).collect()
        }
        png::ColorType::Indexed => return None,
    };
    Some((Canvas::new(width, height, rgb)?, u64::from(width) * u64::from(height)))
}

/// How far the channels of a block may spread that becomes one colour, and how many colours are left, in
/// the order they are tried. The first two show what apps draw as it is; the others keep letters, icons
/// and edges of a photo and make a mosaic of the rest.
const REDUCTIONS: [(u8, usize); 6] =
    [(8, 128), (8, 64), (24, 256), (24, 128), (48, 256), (80, 256)];
/// Of these the first that is worth trying for a photo.
const FIRST_FOR_PHOTO: usize = 2;
/// Pixels for each byte of a JPEG below which it is a photo's.
const PHOTO: u64 = 10;
/// Of 1 to 9. Files are 2 to 4 per cent larger than at 6, which takes twice as long.
const DEFLATE_LEVEL: u8 = 4;

/// A PNG of a drawn picture.
pub(crate) fn encode(canvas: Canvas, max_bytes: usize) -> Option<Vec<u8>> {
    encode_from(canvas, 0, max_bytes)
}

/// One white pixel, for a screen that was not seen. UFO's evaluator knows a picture of that size for a
/// missing one.
pub(crate) fn blank() -> Option<Vec<u8>> {
    encode(Canvas::new(1, 1, vec![255; 3])?, usize::MAX)
}

fn encode_from(mut canvas: Canvas, first: usize, max_bytes: usize) -> Option<Vec<u8>> {
    let (mut file, mut flattened) = (Vec::new(), None);
    for (number, (span, colours)) in REDUCTIONS.into_iter().enumerate() {
        // By way of the smaller spans: what is flat already stays so, and the file gets smaller.
        if flattened.replace(span) != Some(span) {
            palette::flatten(&mut canvas, span);
        }
        if number < first {
            continue;
        }
        file = encode_indexed(&canvas, colours)?;
        if file.len() <= max_bytes {
            break;
        }
    }
    Some(file)
}

fn encode_indexed(canvas: &Canvas, colours: usize) -> Option<Vec<u8>> {
    let Indexed { palette, pixels } = Indexed::of(canvas, colours);
    let mut out = Vec::with_capacity(pixels.len() / 8);
    let mut encoder = png::Encoder::new(&mut out, canvas.width(), canvas.height());
    encoder.set_color(png::ColorType::Indexed);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_palette(palette);
    encoder.set_deflate_compression(png::DeflateCompression::Level(DEFLATE_LEVEL));
    // Neighbours in a palette are not alike: differences would only be larger.
    encoder.set_filter(png::Filter::NoFilter);
    let mut writer = encoder.write_header().ok()?;
    writer.write_image_data(&pixels).ok()?;
    writer.finish().ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Canvas {
        let rgb = (0..160).flat_map(|y| (0..90).flat_map(move |x| [x, y, 60])).collect();
        Canvas::new(90, 160, rgb).unwrap()
    }

    fn as_jpeg(canvas: &Canvas) -> Vec<u8> {
        let mut out = Vec::new();
        jpeg_encoder::Encoder::new(&mut out, 90)
            .encode(canvas.rgb(), 90, 160, jpeg_encoder::ColorType::Rgb)
            .unwrap();
        out
    }

    #[test]
    fn a_picture_comes_back_from_png_and_nearly_from_jpeg() {
        let canvas = sample();
        let there = decode(&encode(canvas.clone(), usize::MAX).unwrap()).unwrap();
        assert_eq!((there.width(), there.height()), (90, 160));
        let back = decode(&as_jpeg(&canvas)).unwrap();
        assert_eq!((back.width(), back.height()), (90, 160));
        let far = |(a, b): (&u8, &u8)| a.abs_diff(*b) > 12;
        assert!(!canvas.rgb().iter().zip(back.rgb()).any(far));
    }

    #[test]
    fn a_jpeg_is_halved_as_far_as_letters_can_be_read() {
        let size = |width, height| png_size([width, height], "image/jpeg");
        for (whole, made) in [
            ([1080, 2400], [540, 1200]),
            ([2341, 1081], [1171, 541]),
            ([1440, 3200], [720, 1600]),
            ([4096, 4096], [1024, 1024]),
            // Half of these would be too small.
            ([728, 1596], [728, 1596]),
            ([824, 1831], [735, 1633]),
            ([1, 65_535], [1, 65_535]),
        ] {
            assert_eq!(size(whole[0], whole[1]), made, "{whole:?}");
        }
        assert_eq!(png_size([1080, 2400], "image/png"), [1080, 2400]);
        for [width, height] in
            [[1083, 2401], [728, 1596], [900, 1700], [33, 17], [1, 8000], [8000, 1]]
        {
            let canvas = Canvas::plain(width, height, [200, 30, 90]).unwrap();
            let mut jpeg = Vec::new();
            let [wide, high] = [width, height].map(|side| u16::try_from(side).unwrap());
            jpeg_encoder::Encoder::new(&mut jpeg, 85)
                .encode(canvas.rgb(), wide, high, jpeg_encoder::ColorType::Rgb)
                .unwrap();
            let there = decode(&jpeg).unwrap();
            assert_eq!([there.width(), there.height()], size(width, height));
            assert!(there.rgb()[0].abs_diff(200) < 4 && there.rgb()[2].abs_diff(90) < 4);
        }
    }

    #[test]
    fn a_grey_jpeg_is_read_and_one_that_was_cut_off_is_not() {
        let mut grey = Vec::new();
        let pixels: Vec<u8> = (0..64 * 48).map(|at| if at % 64 < 32 { 40 } else { 220 }).collect();
        jpeg_encoder::Encoder::new(&mut grey, 90)
            .encode(&pixels, 64, 48, jpeg_encoder::ColorType::Luma)
            .unwrap();
        let canvas = decode(&grey).unwrap();
        assert_eq!((canvas.width(), canvas.height()), (64, 48));
        let [first, .., last] = canvas.rgb().as_chunks::<3>().0 else { panic!("pixels") };
        for (pixel, is) in [(first, 40_u8), (last, 220)] {
            assert!(pixel.iter().all(|it| it.abs_diff(is) < 6), "{pixel:?}");
        }
        let whole = as_jpeg(&sample());
        for cut in [0, 1, 2, 20, whole.len() / 4, whole.len() / 2] {
            assert_eq!(decode(&whole[..cut]), None, "{cut}");
        }
    }

    #[test]
    fn what_one_picture_was_unpacked_into_leaves_nothing_in_the_next() {
        let large = sample();
        let small = Canvas::plain(33, 17, [9, 200, 80]).unwrap();
        let mut of_small = Vec::new();
        jpeg_encoder::Encoder::new(&mut of_small, 90)
            .encode(small.rgb(), 33, 17, jpeg_encoder::ColorType::Rgb)
            .unwrap();
        let of_large = as_jpeg(&large);
        let broken = &of_large[..of_large.len() / 2];
        let mut unpacked = Vec::new();
        for jpeg in [&of_large[..], &of_small, broken, &of_small, &of_large] {
            let read = DecodedPicture::read_through(jpeg, &mut unpacked);
            assert_eq!(read.map(|it| it.canvas().clone()), decode(jpeg), "{}", jpeg.len());
        }
    }

    #[test]
    fn a_jpeg_of_many_scans_is_not_unpacked() {
        let mut progressive = Vec::new();
        let mut encoder = jpeg_encoder::Encoder::new(&mut progressive, 90);
        encoder.set_progressive(true);
        encoder.encode(sample().rgb(), 90, 160, jpeg_encoder::ColorType::Rgb).unwrap();
        assert_eq!(decode(&progressive), None);
        let jpeg = as_jpeg(&sample());
        let scan = jpeg.windows(2).position(|it| it == START_OF_SCAN).unwrap();
        let end = jpeg.len() - 2;
        let again = [&jpeg[..end], &jpeg[scan..end].repeat(9), &jpeg[end..]].concat();
        assert_eq!(decode(&again), None);
        assert!(decode(&jpeg).is_some());
    }

    #[test]
    fn a_file_that_claims_too_much_is_not_unpacked() {
        let mut jpeg = as_jpeg(&sample());
        let sof = jpeg.windows(2).position(|it| it == [0xFF, 0xC0]).unwrap();
        jpeg[sof + 5..sof + 9].copy_from_slice(&[0xFF; 4]);
        assert_eq!(decode(&jpeg), None);
        let mut png = encode(sample(), usize::MAX).unwrap();
        png[16..24].copy_from_slice(&[0x7F, 0xFF, 0xFF, 0xFF, 0x7F, 0xFF, 0xFF, 0xFF]);
        assert_eq!(decode(&png), None);
    }

    proptest::proptest! {
        #[test]
        fn broken_files_are_refused_not_feared(
            is_png: bool, at in 0..2000_usize, with: u8, cut in 0..2000_usize,
        ) {
            let mut bytes = if is_png { encode(sample(), usize::MAX).unwrap() } else { as_jpeg(&sample()) };
            let at = at % bytes.len();
            bytes[at] = with;
            bytes.truncate(bytes.len().saturating_sub(cut));
            if let Some(canvas) = decode(&bytes) {
                proptest::prop_assert!(encode(canvas, usize::MAX).is_some());
            }
        }
    }
}
