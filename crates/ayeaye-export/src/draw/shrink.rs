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

/// A picture in at most so many pixels.
pub(super) fn within(canvas: Canvas, max_pixels: u32) -> Option<Canvas> {
    let (width, height) = fitted((canvas.width(), canvas.height()), max_pixels);
    if (width, height) == (canvas.width(), canvas.height()) {
        return Some(canvas);
    }
    resize(&canvas, width, height)
}

/// A picture of so many pixels with a half, a quarter or an eighth of its sides, rounded up: each pixel is the mean of
/// those it stands for. `None` if there are not as many.
pub(super) fn averaged(rgb: &[u8], (width, height): (u32, u32), part: u32) -> Option<Canvas> {
    if rgb.len() != width as usize * height as usize * 3 {
        return None;
    }
    let size = (width as usize, height as usize);
    let made = match part {
        2 if width.is_multiple_of(2) && height.is_multiple_of(2) => halves(rgb, size),
        2 => means::<2>(rgb, size),
        4 => means::<4>(rgb, size),
        8 => means::<8>(rgb, size),
        _ => return Canvas::new(width, height, rgb.to_vec()),
    };
    Canvas::new(width.div_ceil(part), height.div_ceil(part), made)
}

/// As [`means`] of 2 has it where both sides are even, in half the time: a picture takes 0.9 ms.
fn halves(rgb: &[u8], (width, height): (usize, usize)) -> Vec<u8> {
    let (row, made_row) = (width * 3, width / 2 * 3);
    let mut made = vec![0; made_row * (height / 2)];
    for (rows, made) in rgb.chunks_exact(row * 2).zip(made.chunks_exact_mut(made_row)) {
        let (upper, lower) = rows.split_at(row);
        let blocks = upper.as_chunks::<6>().0.iter().zip(lower.as_chunks::<6>().0);
        for (pixel, (upper, lower)) in made.as_chunks_mut::<3>().0.iter_mut().zip(blocks) {
            for (at, mean) in pixel.iter_mut().enumerate() {
                let of_four = [upper[at], upper[at + 3], lower[at], lower[at + 3]];
                let total: u16 = of_four.map(u16::from).iter().sum();
                *mean = ((total + 2) / 4).to_le_bytes()[0];
            }
        }
    }
    made
}

/// A number of the compiler's, so that the loops are unrolled: a picture takes 2 ms.
fn means<const PART: usize>(rgb: &[u8], (width, height): (usize, usize)) -> Vec<u8> {
    let (row, made_row) = (width * 3, width.div_ceil(PART) * 3);
    let mut made = vec![0; made_row * height.div_ceil(PART)];
    let mut sums = vec![0_u16; row];
    for (rows, made) in rgb.chunks(row * PART).zip(made.chunks_exact_mut(made_row)) {
        sums.fill(0);
        for row in rows.chunks_exact(row) {
            sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += u16::from(*value));
        }
        let rows = rows.len() / row;
        let whole = part_of_2_to_16(rows * PART);
        let blocks = sums.chunks(3 * PART).zip(made.as_chunks_mut::<3>().0);
        for (block, pixel) in blocks {
            let count = block.len() / 3;
            let part = if count == PART { whole } else { part_of_2_to_16(rows * count) };
            let mut totals = [0_u32; 3];
            for sums in block.as_chunks::<3>().0 {
                totals.iter_mut().zip(sums).for_each(|(total, sum)| *total += u32::from(*sum));
            }
            *pixel = totals.map(|total| ((total * part + (1 << 15)) >> 16).to_le_bytes()[0]);
        }
    }
    made
}

/// What a sum of so many is multiplied by for the mean: divisions would take longer than all the rest.
fn part_of_2_to_16(count: usize) -> u32 {
    u32::try_from((1 << 16) / count.max(1)).unwrap_or(0)
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
    fn a_pixel_becomes_the_mean_of_those_it_stands_for() {
        let upper = [[0, 10, 255], [2, 20, 255], [9, 90, 1]];
        let lower = [[4, 30, 255], [6, 41, 255], [8, 91, 2]];
        let rgb = [upper, lower].concat().concat();
        let half = Canvas::new(2, 1, [[3, 25, 255], [9, 91, 2]].concat()).unwrap();
        assert_eq!(averaged(&rgb, (3, 2), 2), Some(half));
        assert_eq!(averaged(&rgb, (3, 2), 1), Canvas::new(3, 2, rgb.clone()));
        let values =
            || (0..6 * 4 * 3_u32).map(|at| (at.wrapping_mul(2_654_435_761) >> 24).to_le_bytes()[0]);
        let rgb: Vec<u8> = values().collect();
        assert_eq!(halves(&rgb, (6, 4)), means::<2>(&rgb, (6, 4)));
        let rgb: Vec<u8> = [0, 0, 0, 1, 1, 1].repeat(4);
        assert_eq!(halves(&rgb, (4, 2)), means::<2>(&rgb, (4, 2)), "halves go up");
        assert_eq!(averaged(&rgb, (2, 2), 1), None);
        for part in [2, 4, 8] {
            let white = Canvas::plain(33, 17, [255, 254, 0]).unwrap();
            let small = averaged(white.rgb(), (33, 17), part).unwrap();
            assert_eq!(small.width(), 33_u32.div_ceil(part));
            assert_eq!(small.rgb(), [255, 254, 0].repeat(small.rgb().len() / 3), "{part}");
        }
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
