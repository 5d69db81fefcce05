//! Pictures made smaller.
use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

use super::Canvas;

/// The largest size of the same shape with at most so many pixels, never larger than it is.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "below the sides of the picture"
)]
pub(super) fn fitted((width, height): (u32, u32), max_pixels: u32) -> (u32, u32) {
    let all = f64::from(width) * f64::from(height);
    let factor = (f64::from(max_pixels) / all).sqrt();
    if 1.0 <= factor {
        return (width, height);
    }
    let side = |length: u32| ((f64::from(length) * factor).round() as u32).max(1);
    (side(width), side(height))
}

/// The same in at most so many pixels.
pub(super) fn within(canvas: Canvas, max_pixels: u32) -> Option<Canvas> {
    let (width, height) = fitted((canvas.width(), canvas.height()), max_pixels);
    if (width, height) == (canvas.width(), canvas.height()) {
        return Some(canvas);
    }
    resize(&canvas, width, height)
}

/// The picture in another size.
pub(crate) fn resize(canvas: &Canvas, width: u32, height: u32) -> Option<Canvas> {
    // The resizer is built for four bytes a pixel alone.
    let pixels = canvas.rgb().as_chunks::<3>().0.iter();
    let rgba: Vec<u8> =
        pixels.flat_map(|[red, green, blue]| [*red, *green, *blue, u8::MAX]).collect();
    let source = ImageRef::new(canvas.width(), canvas.height(), &rgba, PixelType::U8x4).ok()?;
    let mut copy = Image::new(width, height, PixelType::U8x4);
    // Sharper than the bilinear one that models are fed with, since people read this, and without the rings
    // around letters that others leave, which take room in files.
    let options = ResizeOptions::new()
        .resize_alg(ResizeAlg::Convolution(FilterType::Hamming))
        .use_alpha(false);
    Resizer::new().resize(&source, &mut copy, &options).ok()?;
    let pixels = copy.buffer().as_chunks::<4>().0.iter();
    let rgb = pixels.flat_map(|[red, green, blue, _]| [*red, *green, *blue]).collect();
    Canvas::new(width, height, rgb)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_keeps_its_shape_and_is_never_larger() {
        let most = 560 * 1244;
        assert_eq!(fitted((720, 1600), most), (560, 1244));
        assert_eq!(fitted((1600, 720), most), (1244, 560));
        assert_eq!(fitted((540, 1200), most), (540, 1200));
        assert_eq!(fitted((1, 65_535), most), (1, 65_535));
        assert_eq!(fitted((65_535, 40), most), (33_784, 21));
    }

    #[test]
    fn colours_stay_where_they_are() {
        let row = |y: u8| [if y < 20 { [200, 0, 9] } else { [0, 90, 3] }; 30];
        let rgb = (0..40).flat_map(row).flatten().collect();
        let canvas = within(Canvas::new(30, 40, rgb).unwrap(), 300).unwrap();
        assert_eq!((canvas.width(), canvas.height()), (15, 20));
        assert_eq!((&canvas.rgb()[..3], &canvas.rgb()[897..]), (&[200, 0, 9][..], &[0, 90, 3][..]));
    }
}
