//! From a frame to the picture that a model is sent.
mod jpeg_rows;
mod jpeg_strips;
mod scaled_rows;

use std::fmt;

use ayeaye_agent::{Frame, Picture, ScreenSize};
use bytes::Bytes;
use jpeg_encoder::Encoder;

use self::jpeg_rows::JpegRows;
pub(crate) use self::jpeg_strips::JpegStrips;
use self::scaled_rows::ScaledRows;

/// Size and format of the pictures for a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct PictureRule {
    /// Their size.
    pub resize: Resize,
    /// Their format.
    pub encoding: Encoding,
}

impl PictureRule {
    /// A screen as it is, unless it is larger than any phone's.
    pub(crate) const WHOLE: Self =
        Self { resize: Resize::MaxPixels(1440 * 3200), encoding: Encoding::Jpeg { quality: 85 } };
    /// A screen as it is, without loss.
    pub(crate) const WHOLE_PNG: Self = Self { encoding: Encoding::Png, ..Self::WHOLE };
}

impl fmt::Display for PictureRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.resize {
            Resize::MaxPixels(most) => write!(f, "at most {most} pixels")?,
            Resize::Within { side, pixels: u32::MAX } => write!(f, "{side} a side")?,
            Resize::Within { side, pixels } => write!(f, "{side} a side, at most {pixels} pixels")?,
            Resize::Sides { long, short } => write!(f, "at most {long} by {short}")?,
            Resize::Smart(SmartResize { factor, min_pixels, max_pixels }) => {
                write!(f, "multiples of {factor}, {min_pixels} to {max_pixels} pixels")?;
            }
        }
        match self.encoding {
            Encoding::Jpeg { quality } => write!(f, ", JPEG {quality}"),
            Encoding::Png => f.write_str(", PNG"),
        }
    }
}

/// The size of a picture for a screen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Resize {
    /// At most this many pixels. The aspect ratio is kept, and nothing is ever enlarged.
    MaxPixels(u32),
    /// At most this many pixels on the longest side and in total. The aspect ratio is kept, nothing
    /// enlarged.
    Within {
        /// Pixels of the longest side.
        side: u32,
        /// Pixels in total.
        pixels: u32,
    },
    /// At most this many pixels on the longer and on the shorter side. The aspect ratio is kept,
    /// nothing enlarged.
    Sides {
        /// Pixels of the longer side.
        long: u32,
        /// Pixels of the shorter side.
        short: u32,
    },
    /// The size that the model's own server would resize to, so that it does not.
    Smart(SmartResize),
}

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    /// JPEG of this quality, 1 to 100.
    Jpeg {
        /// 1 to 100.
        quality: u8,
    },
    /// PNG, packed with little effort: the link to a model is quicker than the packing.
    Png,
}

/// How the servers of Qwen's vision models, and of models derived from them, resize pictures.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SmartResize {
    /// Both sides become multiples of this many pixels.
    pub factor: u32,
    /// Fewest pixels in total.
    pub min_pixels: u32,
    /// Most pixels in total.
    pub max_pixels: u32,
}

/// The size of a picture of `size` after the rule: both sides rounded to the nearest multiple of the
/// factor; if that is too large, both scaled down alike and rounded down; if too small, up. The aspect
/// ratio changes a little, so width and height scale by different factors.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sides of pictures, 0 to 2^32"
)]
pub(crate) fn smart_resize(size: ScreenSize, rule: SmartResize) -> ScreenSize {
    let SmartResize { factor, min_pixels, max_pixels } = rule;
    let factor = f64::from(factor.max(1));
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    // Ties round to even, as in Python.
    let near = |side: f64| (side / factor).round_ties_even().max(1.0) * factor;
    let (mut w, mut h) = (near(width), near(height));
    if f64::from(max_pixels) < w * h {
        let beta = (width * height / f64::from(max_pixels)).sqrt();
        let down = |side: f64| ((side / beta / factor).floor() * factor).max(factor);
        (w, h) = (down(width), down(height));
    } else if w * h < f64::from(min_pixels) {
        let beta = (f64::from(min_pixels) / (width * height)).sqrt();
        let up = |side: f64| (side * beta / factor).ceil() * factor;
        (w, h) = (up(width), up(height));
    }
    ScreenSize { width: w as u32, height: h as u32 }
}

impl Resize {
    /// The size of the picture for a screen of this size.
    pub(crate) fn apply(self, size: ScreenSize) -> ScreenSize {
        match self {
            Self::MaxPixels(most) => target(size, most),
            Self::Within { side, pixels } => {
                let longest = u64::from(size.width.max(size.height));
                let all = u64::from(size.width) * u64::from(size.height);
                let side = u64::from(side).min(longest);
                let by_side = all * side * side / (longest * longest);
                target(size, u32::try_from(by_side).unwrap_or(u32::MAX).min(pixels))
            }
            Self::Sides { long, short } => {
                let (w, h) = (f64::from(size.width), f64::from(size.height));
                let by_long = f64::from(long.max(1)) / w.max(h);
                let factor = by_long.min(f64::from(short.max(1)) / w.min(h));
                if 1.0 <= factor {
                    return size;
                }
                #[expect(
                    clippy::cast_possible_truncation,
                    clippy::cast_sign_loss,
                    reason = "below the sides of the screen"
                )]
                let scaled = |side: f64| ((side * factor).round() as u32).max(1);
                ScreenSize { width: scaled(w), height: scaled(h) }
            }
            Self::Smart(rule) => smart_resize(size, rule),
        }
    }
}

/// Scales and encodes a frame, once.
pub(crate) fn encode(frame: &Frame, rule: PictureRule) -> Picture {
    let size = rule.resize.apply(frame.size());
    let rows = ScaledRows::new(frame, size);
    match rule.encoding {
        Encoding::Jpeg { quality } => jpeg(&rows, size, quality),
        Encoding::Png => png(&rows, size),
    }
}

/// Encodes a frame with the strips of earlier pictures at hand: a JPEG has restart markers then, and shows the same
/// pixels as one without them.
pub(crate) fn encode_with(frame: &Frame, rule: PictureRule, strips: &JpegStrips) -> Picture {
    let Encoding::Jpeg { quality } = rule.encoding else { return encode(frame, rule) };
    let size = rule.resize.apply(frame.size());
    let rows = ScaledRows::new(frame, size);
    match strips.encode(&rows, quality) {
        Some(bytes) => Picture { bytes: Bytes::from(bytes), media_type: "image/jpeg", size },
        None => jpeg(&rows, size, quality),
    }
}

fn jpeg(rows: &ScaledRows<'_>, size: ScreenSize, quality: u8) -> Picture {
    let mut bytes = Vec::new();
    let encoder = Encoder::new(&mut bytes, quality);
    let rows = JpegRows::new(rows, encoder.sampling_factor());
    encoder.encode_image(&rows).expect("a picture that is not empty, written to memory");
    bytes.shrink_to_fit();
    Picture { bytes: Bytes::from(bytes), media_type: "image/jpeg", size }
}

/// A screen is opaque: its alpha is left out.
fn png(rows: &ScaledRows<'_>, size: ScreenSize) -> Picture {
    let mut rgb = Vec::with_capacity(size.width as usize * size.height as usize * 3);
    for y in 0..size.height as usize {
        rows.with_row(y, |row| {
            rgb.extend(row.as_chunks::<4>().0.iter().flat_map(|[r, g, b, _]| [*r, *g, *b]));
        });
    }
    let mut bytes = Vec::with_capacity(rgb.len() / 8);
    let mut encoder = png::Encoder::new(&mut bytes, size.width, size.height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_compression(png::Compression::Fast);
    encoder
        .write_header()
        .and_then(|mut writer| writer.write_image_data(&rgb))
        .expect("a picture that is not empty, written to memory");
    Picture { bytes: Bytes::from(bytes), media_type: "image/png", size }
}

/// Scales and encodes a frame for a person or a client's model: the longest side at most
/// `longest_side` pixels, and at most `most_bytes` bytes as far as lower quality can do that.
pub fn encode_within(frame: &Frame, longest_side: u32, most_bytes: usize) -> Picture {
    let resize = Resize::Within { side: longest_side, pixels: u32::MAX };
    let rule = |quality| PictureRule { resize, encoding: Encoding::Jpeg { quality } };
    let mut quality = 85;
    let mut picture = encode(frame, rule(quality));
    while most_bytes < picture.bytes.len() && 25 < quality {
        quality -= 20;
        picture = encode(frame, rule(quality));
    }
    picture
}

/// The largest size of the same aspect ratio with at most `max_pixels`, but never larger than `size`.
fn target(size: ScreenSize, max_pixels: u32) -> ScreenSize {
    let pixels = f64::from(size.width) * f64::from(size.height);
    let factor = (f64::from(max_pixels.max(1)) / pixels).sqrt();
    if 1.0 <= factor {
        return size;
    }
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8192")]
    let scaled = |length: u32| ((f64::from(length) * factor) as u32).max(1);
    ScreenSize { width: scaled(size.width), height: scaled(size.height) }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    const MOST: u32 = 720 * 1600;
    const RULE: PictureRule =
        PictureRule { resize: Resize::MaxPixels(MOST), encoding: Encoding::Jpeg { quality: 85 } };

    fn size(width: u32, height: u32) -> ScreenSize {
        ScreenSize { width, height }
    }

    /// Rows with an icon and two lines of strokes as wide as print, like a list of chats.
    fn frame(width: u32, height: u32) -> Frame {
        let mut rgba = Vec::with_capacity((width * height * 4) as usize);
        for y in 0..height {
            for x in 0..width {
                let (row, across) = (y % 160, x * 1000 / width);
                let line = (40..70).contains(&row) && across < 620
                    || (95..118).contains(&row) && across < 870;
                let stroke = (x / 4 * 7 + y / 6 * 5 + x / 29) % 5 < 2;
                rgba.extend(match across {
                    40..130 if (30..130).contains(&row) => [90, 140, 60 + (row % 90) as u8, 0],
                    180.. if line && stroke => [30, 30, 34, 0],
                    _ => [250, 250, 248, 0],
                });
            }
        }
        Frame::new(size(width, height), Bytes::from(rgba)).unwrap()
    }

    #[test]
    fn the_shape_is_kept_and_nothing_is_enlarged() {
        for (from, to) in [
            (size(1080, 2400), size(720, 1600)),
            (size(2400, 1080), size(1600, 720)),
            (size(540, 1200), size(540, 1200)),
            (size(1, 1), size(1, 1)),
            (size(8192, 1), size(8192, 1)),
        ] {
            assert_eq!(target(from, MOST), to, "{from}");
        }
        assert_eq!(target(size(8192, 1), 10), size(286, 1));
        assert_eq!(target(size(100, 100), 0), size(1, 1));
    }

    #[test]
    fn each_side_has_its_bound() {
        let sides = Resize::Sides { long: 2048, short: 768 };
        for (from, to) in [
            (size(1080, 2400), size(768, 1707)),
            (size(2560, 1600), size(1229, 768)),
            (size(904, 3200), size(579, 2048)),
            (size(720, 1280), size(720, 1280)),
            (size(8192, 1), size(2048, 1)),
        ] {
            assert_eq!(sides.apply(from), to, "{from}");
        }
    }

    #[test]
    fn a_picture_is_a_jpeg_of_the_size_it_says() {
        let picture = encode(&frame(1080, 2400), RULE);
        assert_eq!(picture.size, size(720, 1600));
        assert_eq!(picture.media_type, "image/jpeg");
        assert_eq!(picture.bytes[..3], [0xff, 0xd8, 0xff]);
        assert_eq!(picture.bytes[picture.bytes.len() - 2..], [0xff, 0xd9]);
        // The start-of-frame segment holds height and width.
        let at = picture.bytes.windows(2).position(|w| w == [0xff, 0xc0]).unwrap();
        assert_eq!(picture.bytes[at + 5..at + 9], [0x06, 0x40, 0x02, 0xd0]);
        let again = encode(&frame(1080, 2400), RULE);
        assert_eq!(again, picture, "the same frame makes the same picture");
    }

    #[test]
    fn a_png_has_every_pixel() {
        let frame = frame(108, 240);
        let picture = encode(&frame, PictureRule::WHOLE_PNG);
        assert_eq!((picture.size, picture.media_type), (size(108, 240), "image/png"));
        let mut reader =
            png::Decoder::new(std::io::Cursor::new(&picture.bytes)).read_info().unwrap();
        let mut rgb = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut rgb).unwrap();
        let whole = frame.rgba();
        let sent = rgb.as_chunks::<3>().0.iter();
        let seen = whole.as_chunks::<4>().0.iter();
        assert!(
            sent.eq(seen.map(|[r, g, b, _]| [r, g, b].map(|it| *it)).collect::<Vec<_>>().iter())
        );
    }

    #[test]
    fn a_picture_for_a_client_stays_inside_its_bounds() {
        let picture = encode_within(&frame(1080, 2400), 1280, 200_000);
        assert_eq!(picture.size, size(576, 1280));
        assert!(picture.bytes.len() <= 200_000, "{}", picture.bytes.len());
        assert_eq!(encode_within(&frame(100, 50), 1280, 200_000).size, size(100, 50));
    }

    /// Against values of `qwen_vl_utils.smart_resize`.
    #[test]
    fn smart_resize_is_that_of_the_servers() {
        let rule = |factor, min_pixels, max_pixels| SmartResize { factor, min_pixels, max_pixels };
        let open = rule(28, 3136, 12_845_056);
        for (from, rule, to) in [
            (size(1080, 2400), open, size(1092, 2408)),
            (size(720, 1600), open, size(728, 1596)),
            (size(1080, 2400), rule(28, 3136, 1_003_520), size(672, 1484)),
            (size(20, 20), open, size(56, 56)),
            (size(1080, 2400), rule(32, 3136, 12_845_056), size(1088, 2400)),
            (size(70, 42), rule(28, 1, 12_845_056), size(56, 56)),
        ] {
            assert_eq!(smart_resize(from, rule), to, "{from}");
        }
    }

    #[test]
    fn a_frame_of_one_pixel_has_a_picture() {
        let one = Frame::new(size(1, 1), Bytes::from_static(&[1, 2, 3, 4])).unwrap();
        assert_eq!(encode(&one, RULE).size, size(1, 1));
    }

    /// `cargo nextest run -p ayeaye-model --run-ignored only --no-capture`, `--release` for the
    /// figures that count.
    #[test]
    #[ignore = "a measurement"]
    #[expect(clippy::print_stdout, reason = "a measurement is there to be read")]
    fn how_long_a_picture_takes() {
        let frame = frame(1080, 2400);
        encode(&frame, RULE);
        // The best of many, since other work on the machine only adds.
        let mut best = f64::MAX;
        let mut bytes = 0;
        for _ in 0..50 {
            let start = Instant::now();
            bytes = encode(&frame, RULE).bytes.len();
            best = best.min(start.elapsed().as_secs_f64() * 1000.0);
        }
        println!("1080x2400 to 720x1600, {bytes} bytes: {best:.1} ms");
    }
}
