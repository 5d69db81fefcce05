//! Small copies of screens, for a page that holds many of them.
//!
//! WebP, because a screen is text on plain ground: at the same look its files are half as large as those
//! of JPEG, which needs two pixels more around each letter, and a quarter of those in a palette.
use super::Canvas;
use super::codec::DecodedPicture;
use super::shrink::{fitted, resize};

/// Width and height of a copy, as a number of pixels: twice those of the column it is shown in, and more than
/// when it is enlarged.
const MAX_PIXELS: u32 = 560 * 1244;
/// What a picture is encoded with, and hundredths of the first's bytes that files of screens full of text have with it
/// (those of photos have fewer). The first shows what apps draw as it is; what hides more, and is larger, gets another.
const QUALITIES: [(f32, usize); 4] = [(60.0, 100), (45.0, 90), (30.0, 76), (20.0, 67)];
/// Bytes that a quality is chosen for: with base64 and its text, a step stays below 25 kB.
const ENOUGH: usize = 14_500;
/// Bytes above which a lower quality is taken.
const TOO_MANY: usize = ENOUGH + ENOUGH / 20;
/// Pixels of the JPEGs that copies were measured against: 1080x2400.
const MEASURED: u64 = 2_592_000;
/// Of 0 to 6: how hard the encoder tries. A picture takes some 10 ms; another 6 per cent, at 3 or 4, take three times
/// that.
const EFFORT: i32 = 2;

/// The media type of [`small_copy`].
pub const SMALL_COPY: &str = "image/webp";

/// A WebP of a kept picture (JPEG or PNG) that people can read: at most 700,000 pixels, in a file of some 5 to
/// 15 kB. `None` if it cannot be read.
pub fn small_copy(picture: &[u8]) -> Option<Vec<u8>> {
    DecodedPicture::read(picture)?.small_copy()
}

impl DecodedPicture {
    /// See [`small_copy`].
    pub(crate) fn small_copy(&self) -> Option<Vec<u8>> {
        let canvas = self.canvas();
        let (width, height) = fitted((canvas.width(), canvas.height()), MAX_PIXELS);
        if (width, height) == (canvas.width(), canvas.height()) {
            return encode_small(canvas, self.expected_bytes());
        }
        encode_small(&resize(canvas, width, height)?, self.expected_bytes())
    }

    /// Bytes of a copy with the best quality, as far as its file tells: of a JPEG of 1080x2400 with a quality of 85 they
    /// are 0.12 to 0.15 (five screens of a phone's apps), and less of one with more pixels, whose copy has no more. Others
    /// are measured.
    fn expected_bytes(&self) -> usize {
        if !self.is_jpeg() {
            return 0;
        }
        let bytes = self.bytes() as u64 * 2 / 15 * MEASURED / self.pixels().max(MEASURED);
        usize::try_from(bytes).unwrap_or(usize::MAX)
    }
}

/// At most two encodings as a rule, each of which takes as long as the first. By what is expected alone no more than one
/// quality is passed over: nothing goes back to a better one.
fn encode_small(canvas: &Canvas, expected: usize) -> Option<Vec<u8>> {
    let (mut first, mut from, mut last) = (expected, 0, 1);
    loop {
        let will_do = |(_, part): &(f32, usize)| first * part <= ENOUGH * 100;
        let fitting = QUALITIES[from..].iter().position(will_do);
        let at = fitting.map_or(last, |after| last.min(from + after));
        let (quality, part) = QUALITIES[at];
        let file = encode(canvas, quality)?;
        if file.len() <= TOO_MANY || at + 1 == QUALITIES.len() {
            return Some(file);
        }
        (first, from, last) = (file.len() * 100 / part, at + 1, QUALITIES.len() - 1);
    }
}

fn encode(canvas: &Canvas, quality: f32) -> Option<Vec<u8>> {
    let mut config = webp::WebPConfig::new().ok()?;
    config.quality = quality;
    config.method = EFFORT;
    let encoder = webp::Encoder::from_rgb(canvas.rgb(), canvas.width(), canvas.height());
    Some(encoder.encode_advanced(&config).ok()?.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::encode as png;

    /// Stripes and checks, of which so many in a hundred blocks are noise, down to so many hundredths of the height. Its
    /// details are as large on a sharper screen.
    fn screen(width: u32, noise: u32, filled: u32) -> Canvas {
        let (height, unit) = (width * 20 / 9, width / 720);
        let mut random = 1_u32;
        let mut pixel = |x: u32, y: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let (x, y) = (x / unit, y / unit);
            let is_noise = (x / 16 * 31 + y / 16 * 57) % 100 < noise;
            if height * filled / 100 <= y * unit {
                230
            } else if is_noise {
                (random >> 24) as u8
            } else if (x / 9 + y / 7).is_multiple_of(5) {
                40
            } else {
                230
            }
        };
        let pixels = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
        let rgb = pixels.flat_map(|(x, y)| [pixel(x, y); 3]).collect();
        Canvas::new(width, height, rgb).unwrap()
    }

    #[test]
    fn a_copy_is_a_small_webp() {
        let picture = png(screen(720, 0, 100), usize::MAX).unwrap();
        let copy = small_copy(&picture).unwrap();
        assert_eq!((&copy[..4], &copy[8..12]), (&b"RIFF"[..], &b"WEBP"[..]));
        // Width and height stand in the header of its frame, in 14 bits each.
        let side = |at: usize| u16::from_le_bytes([copy[at], copy[at + 1]]) & 0x3FFF;
        assert_eq!(&copy[12..16], b"VP8 ", "no alpha");
        assert_eq!((side(26), side(28)), (560, 1244));
        assert_eq!(small_copy(b"no picture"), None);
    }

    #[test]
    fn the_copy_of_a_large_jpeg_has_the_best_quality_where_that_fits() {
        for filled in [11, 14] {
            let canvas = screen(1440, 0, filled);
            let mut jpeg = Vec::new();
            jpeg_encoder::Encoder::new(&mut jpeg, 85)
                .encode(canvas.rgb(), 1440, 3200, jpeg_encoder::ColorType::Rgb)
                .unwrap();
            let picture = DecodedPicture::read(&jpeg).unwrap();
            let best = encode(&resize(picture.canvas(), 560, 1244).unwrap(), QUALITIES[0].0);
            assert!(best.as_ref().is_some_and(|best| best.len() <= ENOUGH));
            assert!(picture.small_copy() == best, "{filled}: {} bytes", jpeg.len());
        }
    }

    #[test]
    fn what_does_not_fit_gets_a_lower_quality_whatever_was_expected() {
        let full = [0, 2, 4, 6, 9, 100].map(|noise| (noise, 100));
        for (noise, filled) in full.into_iter().chain([(0, 1), (0, 12), (0, 16)]) {
            let canvas = resize(&screen(720, noise, filled), 540, 1200).unwrap();
            let best = encode(&canvas, QUALITIES[0].0).unwrap();
            let second = encode(&canvas, QUALITIES[1].0).unwrap();
            let least = encode(&canvas, QUALITIES[3].0).unwrap();
            for expected in [0, best.len(), best.len() / 2, usize::MAX / 1000] {
                let copy = encode_small(&canvas, expected).unwrap();
                assert!(copy.len() <= TOO_MANY.max(least.len()), "{noise} {expected}");
                assert!(least.len() <= copy.len() && copy.len() <= best.len());
                // By what was expected alone, a little is lost at most.
                assert!(ENOUGH < best.len() || second.len() <= copy.len(), "{noise} {expected}");
            }
            let copy = encode_small(&canvas, best.len()).unwrap();
            assert_eq!(copy == best, best.len() <= ENOUGH, "{noise}");
        }
    }
}
