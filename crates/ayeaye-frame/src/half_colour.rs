//! Pixels with all of their brightness and half the resolution of their colours, as JPEG has it: 12 bits
//! a pixel instead of 32.
use crate::Rgba;

/// How many bytes so many rows take.
pub(crate) fn length(width: usize, rows: usize) -> usize {
    width * rows + 2 * width.div_ceil(2) * rows.div_ceil(2)
}

/// The brightness of all pixels, then for each two rows the blue and the red of each two by two pixels.
pub(crate) fn pack(pixels: &[Rgba], width: usize) -> Box<[u8]> {
    let mut packed = Vec::with_capacity(length(width, pixels.len() / width));
    packed.extend(pixels.iter().map(|it| brightness(*it)));
    for rows in pixels.chunks(width * 2) {
        let (upper, lower) = rows.split_at(width);
        let lower = if lower.is_empty() { upper } else { lower };
        let mean = |at: usize| {
            let next = (at + 1).min(width - 1);
            let four = [upper[at], upper[next], lower[at], lower[next]];
            [0, 1, 2].map(|part| four.iter().map(|it| i32::from(it[part])).sum::<i32>() / 4)
        };
        let means: Vec<[i32; 3]> = (0..width).step_by(2).map(mean).collect();
        // The factors of JFIF, in parts of 65536.
        packed.extend(
            means
                .iter()
                .map(|[r, g, b]| byte(((-11_059 * r - 21_709 * g + 32_768 * b) >> 16) + 128)),
        );
        packed.extend(
            means.iter().map(|[r, g, b]| byte(((32_768 * r - 27_439 * g - 5_329 * b) >> 16) + 128)),
        );
    }
    packed.into()
}

/// Appends the pixels, opaque.
pub(crate) fn unpack(packed: &[u8], width: usize, rows: usize, rgba: &mut Vec<u8>) {
    let (bright, colours) = packed.split_at(width * rows);
    let half = width.div_ceil(2);
    let rows = bright.chunks_exact(width).enumerate();
    for (y, row) in rows {
        let (blues, reds) = colours[y / 2 * half * 2..].split_at(half);
        for (x, bright) in row.iter().enumerate() {
            let (y, cb, cr) =
                (i32::from(*bright), i32::from(blues[x / 2]) - 128, i32::from(reds[x / 2]) - 128);
            let red = y + ((91_881 * cr) >> 16);
            let green = y - ((22_554 * cb + 46_802 * cr) >> 16);
            let blue = y + ((116_130 * cb) >> 16);
            rgba.extend_from_slice(&[byte(red), byte(green), byte(blue), 255]);
        }
    }
}

fn brightness([red, green, blue, _]: Rgba) -> u8 {
    byte(
        (19_595 * i32::from(red) + 38_470 * i32::from(green) + 7_471 * i32::from(blue) + 32_767)
            >> 16,
    )
}

#[expect(clippy::cast_sign_loss, reason = "clamped to a byte")]
fn byte(value: i32) -> u8 {
    value.clamp(0, 255) as u8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smooth_colours_come_out_as_they_were_give_or_take_a_little() {
        for (width, rows) in [(1, 1), (7, 3), (8, 16), (33, 5)] {
            let shade = |at: usize| u8::try_from(at * 3 % 200).unwrap();
            let pixels: Vec<Rgba> = (0..width * rows)
                .map(|at| [shade(at % width), shade(at / width), 90, 255])
                .collect();
            let packed = pack(&pixels, width);
            assert_eq!(packed.len(), length(width, rows));
            let mut rgba = Vec::new();
            unpack(&packed, width, rows, &mut rgba);
            let off = rgba.iter().zip(pixels.as_flattened()).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(rgba.len() == width * rows * 4 && off.unwrap() <= 8, "{width}x{rows}: {off:?}");
        }
    }
}
