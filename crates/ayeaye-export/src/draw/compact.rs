//! Small copies of screens, for a page that holds many of them.
//!
//! WebP, because a screen is text on plain ground: at the same look its files are half as large as those
//! of JPEG, which needs two pixels more around each letter, and a quarter of those in a palette.
use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

use super::codec::decode;

/// Width and height of a copy, as a number of pixels: twice those of the column it is shown in, and more than
/// when it is enlarged.
const MAX_PIXELS: u32 = 560 * 1244;
/// The first shows what apps draw as it is; a photo, which hides more, gets one of the others.
const QUALITIES: [f32; 4] = [60.0, 45.0, 30.0, 20.0];
/// Bytes above which the next quality is tried: with base64 and its text, a step stays below 25 kB.
const ENOUGH: usize = 14_500;
/// Of 0 to 6: how hard the encoder tries. A picture takes some 10 ms; another 6 per cent, at 3 or 4, take three times
/// that.
const EFFORT: i32 = 2;

/// A WebP of a kept picture that people can read, in a file of some 5 to 14 kB.
pub(crate) fn compact(picture: &[u8]) -> Option<Vec<u8>> {
    let canvas = decode(picture)?;
    let (width, height) = fitted(canvas.width(), canvas.height());
    let rgba: Vec<u8> =
        canvas.rgb().chunks_exact(3).flat_map(|it| [it[0], it[1], it[2], u8::MAX]).collect();
    let rgba = if (width, height) == (canvas.width(), canvas.height()) {
        rgba
    } else {
        scaled(&rgba, (canvas.width(), canvas.height()), (width, height))?
    };
    let mut file = Vec::new();
    for quality in QUALITIES {
        file = encode(&rgba, (width, height), quality)?;
        if file.len() <= ENOUGH {
            break;
        }
    }
    Some(file)
}

/// The largest size of the same shape, never larger than it is.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below the sides of the picture"
)]
fn fitted(width: u32, height: u32) -> (u32, u32) {
    let all = f64::from(width) * f64::from(height);
    let factor = (f64::from(MAX_PIXELS) / all).sqrt();
    if 1.0 <= factor {
        return (width, height);
    }
    let side = |length: u32| ((f64::from(length) * factor).round() as u32).max(1);
    (side(width), side(height))
}

fn scaled(rgba: &[u8], from: (u32, u32), to: (u32, u32)) -> Option<Vec<u8>> {
    let source = ImageRef::new(from.0, from.1, rgba, PixelType::U8x4).ok()?;
    let mut copy = Image::new(to.0, to.1, PixelType::U8x4);
    // Sharper than the bilinear one that models are fed with: people read this.
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::Lanczos3))
        .use_alpha(false);
    Resizer::new().resize(&source, &mut copy, &options).ok()?;
    Some(copy.into_vec())
}

fn encode(rgba: &[u8], (width, height): (u32, u32), quality: f32) -> Option<Vec<u8>> {
    let mut config = webp::WebPConfig::new().ok()?;
    config.quality = quality;
    config.method = EFFORT;
    let file = webp::Encoder::from_rgba(rgba, width, height).encode_advanced(&config).ok()?;
    Some(file.to_vec())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Canvas, encode as png};

    #[test]
    fn a_copy_keeps_its_shape_and_is_never_larger() {
        assert_eq!(fitted(720, 1600), (560, 1244));
        assert_eq!(fitted(1600, 720), (1244, 560));
        assert_eq!(fitted(540, 1200), (540, 1200));
        assert_eq!(fitted(1, 65_535), (1, 65_535));
        assert_eq!(fitted(65_535, 40), (33_784, 21));
    }

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
