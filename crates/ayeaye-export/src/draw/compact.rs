//! Small copies of screens, for a page that holds many of them.
//!
//! WebP, because a screen is text on plain ground: at the same look its files are half as large as those
//! of JPEG, which needs two pixels more around each letter, and a quarter of those in a palette.
use super::Canvas;
use super::codec::decode;
use super::shrink::within;

/// Width and height of a copy, as a number of pixels: twice those of the column it is shown in, and more than
/// when it is enlarged.
const MAX_PIXELS: u32 = 560 * 1244;
/// That of a picture that is small enough with it, which shows what apps draw as it is. A photo, which hides more, gets
/// one of the others, whose files have so many hundredths of the bytes.
const QUALITY: f32 = 60.0;
const LOWER_QUALITIES: [(f32, usize); 3] = [(45.0, 82), (30.0, 64), (20.0, 50)];
/// Bytes above which a lower quality is taken: with base64 and its text, a step stays below 25 kB.
const ENOUGH: usize = 14_500;
/// Of 0 to 6: how hard the encoder tries. A picture takes some 10 ms; another 6 per cent, at 3 or 4, take three times
/// that.
const EFFORT: i32 = 2;

/// The media type of [`compact`].
pub const SMALL_COPY: &str = "image/webp";

/// A WebP of a kept picture (JPEG or PNG) that people can read: at most 700,000 pixels, in a file of some 5 to
/// 14 kB. `None` if it cannot be read.
pub fn compact(picture: &[u8]) -> Option<Vec<u8>> {
    let canvas = within(decode(picture)?, MAX_PIXELS)?;
    let file = encode(&canvas, QUALITY)?;
    if file.len() <= ENOUGH {
        return Some(file);
    }
    // At once the one that will do, as far as that can be told: each takes as long as the first.
    let will_do = |(_, part): &(f32, usize)| file.len() * part <= ENOUGH * 100;
    let from = LOWER_QUALITIES.iter().position(will_do).unwrap_or(LOWER_QUALITIES.len() - 1);
    let mut smaller = file;
    for (quality, _) in &LOWER_QUALITIES[from..] {
        smaller = encode(&canvas, *quality)?;
        if smaller.len() <= ENOUGH {
            break;
        }
    }
    Some(smaller)
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

    #[test]
    fn a_copy_is_a_small_webp() {
        let rgb = (0..1600_u32)
            .flat_map(|y| {
                (0..720_u32).map(move |x| if (x / 9 + y / 7) % 5 == 0 { 40 } else { 230 })
            })
            .flat_map(|grey| [grey; 3])
            .collect();
        let picture = png(Canvas::new(720, 1600, rgb).unwrap(), usize::MAX).unwrap();
        let copy = compact(&picture).unwrap();
        assert_eq!((&copy[..4], &copy[8..12]), (&b"RIFF"[..], &b"WEBP"[..]));
        // Width and height stand in the header of its frame, in 14 bits each.
        let side = |at: usize| u16::from_le_bytes([copy[at], copy[at + 1]]) & 0x3FFF;
        assert_eq!(&copy[12..16], b"VP8 ", "no alpha");
        assert_eq!((side(26), side(28)), (560, 1244));
        assert_eq!(compact(b"no picture"), None);
    }
}
