//! Small copies of screens, for a page that holds many of them.
use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};
use jpeg_encoder::{ColorType, Encoder, SamplingFactor};

use super::codec::decode;

/// Width times height of a copy: more than two pixels for each of the column that it is shown in.
const MAX_PIXELS: u32 = 520 * 1156;
/// The first shows what apps draw as it is; the others are for photos, which hide more.
const QUALITIES: [u8; 4] = [60, 45, 32, 22];

/// A JPEG of a kept picture that people can read, of at most `max_bytes`, as far as that can be had.
pub(crate) fn compact(picture: &[u8], max_bytes: usize) -> Option<Vec<u8>> {
    let canvas = decode(picture)?;
    let from = (canvas.width(), canvas.height());
    let to = fitted(from.0, from.1);
    let rgba: Vec<u8> =
        canvas.rgb().chunks_exact(3).flat_map(|it| [it[0], it[1], it[2], u8::MAX]).collect();
    let rgba = if from == to { rgba } else { scaled(&rgba, from, to)? };
    let mut file = Vec::new();
    for quality in QUALITIES {
        file = encode(&rgba, to, quality)?;
        if file.len() <= max_bytes {
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

fn encode(rgba: &[u8], (width, height): (u32, u32), quality: u8) -> Option<Vec<u8>> {
    let (width, height) = (u16::try_from(width).ok()?, u16::try_from(height).ok()?);
    let mut out = Vec::with_capacity(rgba.len() / 32);
    let mut encoder = Encoder::new(&mut out, quality);
    // A tenth smaller each, for a few milliseconds.
    encoder.set_progressive(true);
    encoder.set_optimized_huffman_tables(true);
    encoder.set_sampling_factor(SamplingFactor::F_2_2);
    encoder.encode(rgba, width, height, ColorType::Rgba).ok()?;
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::{Canvas, encode as png};

    #[test]
    fn a_copy_keeps_its_shape_and_is_never_larger() {
        assert_eq!(fitted(720, 1600), (520, 1156));
        assert_eq!(fitted(1600, 720), (1156, 520));
        assert_eq!(fitted(500, 1100), (500, 1100));
        assert_eq!(fitted(1, 65_535), (1, 65_535));
    }

    #[test]
    fn a_copy_is_smaller_and_coarser_only_where_it_must_be() {
        let grey = |x: u32, y: u32| if (x / 9 + y / 7).is_multiple_of(5) { 40 } else { 230 };
        let rgb = (0..1600).flat_map(|y| (0..720).flat_map(move |x| [grey(x, y); 3])).collect();
        let picture = png(Canvas::new(720, 1600, rgb).unwrap(), usize::MAX).unwrap();
        let copy = compact(&picture, usize::MAX).unwrap();
        let back = decode(&copy).unwrap();
        assert_eq!((back.width(), back.height()), (520, 1156));
        assert!(compact(&picture, 1).unwrap().len() < copy.len() * 3 / 4);
        assert_eq!(compact(b"no picture", usize::MAX), None);
    }
}
