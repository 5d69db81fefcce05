//! From and to files. A kept picture may be anything: its size is checked before it is unpacked.
use std::io::Cursor;

use ayeaye_agent::{MAX_PIXELS, MAX_SIDE};
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::bytestream::ZCursor;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use super::Canvas;
use super::palette::{self, Indexed};
use super::shrink::{Pixels, fitted};
use crate::Content;

/// Whether pictures of this kind can be read, so that others can be drawn from them.
pub(crate) fn decodable(media_type: &str) -> bool {
    matches!(media_type, "image/jpeg" | "image/png")
}

/// Of the PNG made of a kept JPEG, and of what is drawn on it.
const MAX_PNG_PIXELS: u32 = 720 * 1600;

/// The picture in a JPEG or PNG file, whichever it is; `None` if it is neither, broken or too large. That of a JPEG is
/// made smaller, to its [`png_size`].
pub(crate) fn decode(bytes: &[u8]) -> Option<Canvas> {
    let pixels = decode_whole(bytes)?;
    let pixels = if is_png(bytes) { pixels } else { pixels.within(MAX_PNG_PIXELS)? };
    pixels.into_canvas()
}

/// The size of the PNG that is made of a kept picture.
pub(crate) fn png_size([width, height]: [u32; 2], media_type: &str) -> [u32; 2] {
    if media_type != "image/jpeg" {
        return [width, height];
    }
    let (width, height) = fitted((width, height), MAX_PNG_PIXELS);
    [width, height]
}

/// As it is in the file.
pub(super) fn decode_whole(bytes: &[u8]) -> Option<Pixels> {
    if is_png(bytes) { png(bytes) } else { jpeg(bytes) }
}

fn is_png(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x89PNG")
}

fn fits(width: u64, height: u64) -> bool {
    let side = 1..=u64::from(MAX_SIDE);
    side.contains(&width) && side.contains(&height) && width * height <= MAX_PIXELS
}

fn jpeg(bytes: &[u8]) -> Option<Pixels> {
    let side = MAX_SIDE as usize;
    let options = DecoderOptions::default()
        .jpeg_set_out_colorspace(ColorSpace::RGBA)
        .set_max_width(side)
        .set_max_height(side);
    let mut decoder = JpegDecoder::new_with_options(ZCursor::new(bytes), options);
    decoder.decode_headers().ok()?;
    let (width, height) = decoder.dimensions()?;
    if !fits(width as u64, height as u64) {
        return None;
    }
    let (width, height) = (u32::try_from(width).ok()?, u32::try_from(height).ok()?);
    let rgba = decoder.decode().ok()?;
    Some(Pixels { width, height, rgba })
}

fn png(bytes: &[u8]) -> Option<Pixels> {
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
    let rgba = match info.color_type {
        png::ColorType::Rgb => {
            pixels.as_chunks().0.iter().flat_map(|[r, g, b]| [*r, *g, *b, u8::MAX]).collect()
        }
        png::ColorType::Rgba => {
            pixels.as_chunks().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b, u8::MAX]).collect()
        }
        png::ColorType::Grayscale => {
            pixels.iter().flat_map(|grey| [*grey, *grey, *grey, u8::MAX]).collect()
        }
        png::ColorType::GrayscaleAlpha => pixels
            .as_chunks()
            .0
            .iter()
            .flat_map(|[grey, _]| [*grey, *grey, *grey, u8::MAX])
            .collect(),
        png::ColorType::Indexed => return None,
    };
    Some(Pixels { width, height, rgba })
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

/// A PNG of a kept picture, of its [`png_size`] and of at most `max_bytes`, as far as that can be had without
/// harm to letters.
pub(crate) fn png_of(picture: &[u8], max_bytes: usize) -> Option<Vec<u8>> {
    let whole = decode_whole(picture)?;
    let pixels = u64::from(whole.width) * u64::from(whole.height);
    let photo = pixels < picture.len() as u64 * PHOTO;
    let first = if photo { FIRST_FOR_PHOTO } else { 0 };
    encode_from(whole.within(MAX_PNG_PIXELS)?.into_canvas()?, first, max_bytes)
}

/// A PNG of a drawn picture.
pub(crate) fn encode(canvas: Canvas, max_bytes: usize) -> Option<Vec<u8>> {
    encode_from(canvas, 0, max_bytes)
}

/// One white pixel, for a screen that was not seen. UFO's evaluator knows a picture of that size for a
/// missing one.
pub(crate) fn blank() -> Content {
    Content::lazy(|_| encode(Canvas::new(1, 1, vec![255; 3])?, usize::MAX))
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
