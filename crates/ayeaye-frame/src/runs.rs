//! Pixels without loss, as runs: most pixels of a screen are as the one on their left or the one above.
//!
//! Each run begins with a number whose last two bits say what it is, the others how long; it is written with seven
//! bits a byte, the low ones first.
use crate::Rgba;

/// As the pixel on the left.
const LEFT: usize = 0;
/// Each as the one above it.
const ABOVE: usize = 1;
/// None of both; the pixels follow.
const NEW: usize = 2;

/// A shorter run is not worth its beginning.
const SHORTEST: usize = 3;

/// Packs rows of so many pixels; `None` if that takes more bytes than `most`.
pub(crate) fn pack(pixels: &[Rgba], width: usize, most: usize) -> Option<Vec<u8>> {
    let mut packed = Vec::new();
    let (mut at, mut new_from) = (0, 0);
    while at < pixels.len() {
        let above = run_above(pixels, at, width);
        let left = if above < pixels.len() - at { run_left(pixels, at) } else { 0 };
        let longest = above.max(left);
        if longest < SHORTEST {
            at += 1;
            if most < packed.len() + (at - new_from) * 4 {
                return None;
            }
            continue;
        }
        put_new(&mut packed, &pixels[new_from..at]);
        put_number(&mut packed, longest, if left <= above { ABOVE } else { LEFT });
        at += longest;
        new_from = at;
    }
    put_new(&mut packed, &pixels[new_from..]);
    packed.shrink_to_fit();
    (packed.len() <= most).then_some(packed)
}

/// Appends the pixels that were packed, as bytes.
pub(crate) fn unpack(mut packed: &[u8], width: usize, rgba: &mut Vec<u8>) {
    let begin = rgba.len();
    while !packed.is_empty() {
        let (length, kind) = take_number(&mut packed);
        let bytes = length * 4;
        match kind {
            LEFT => {
                let pixel: Rgba = rgba.last_chunk().copied().unwrap_or_default();
                let from = rgba.len();
                rgba.resize(from + bytes, 0);
                rgba[from..].as_chunks_mut::<4>().0.fill(pixel);
            }
            ABOVE => {
                // A run may be longer than a row, and then is as what it has itself written.
                let (row, end) = (width * 4, rgba.len() + bytes);
                while rgba.len() < end {
                    let from = (rgba.len() - row).max(begin);
                    rgba.extend_from_within(from..from + row.min(end - rgba.len()));
                }
            }
            _ => {
                let (new, rest) = packed.split_at(bytes.min(packed.len()));
                rgba.extend_from_slice(new);
                packed = rest;
            }
        }
    }
}

fn run_above(pixels: &[Rgba], at: usize, width: usize) -> usize {
    if at < width { 0 } else { same(&pixels[at..], &pixels[at - width..]) }
}

fn run_left(pixels: &[Rgba], at: usize) -> usize {
    if at == 0 { 0 } else { same(&pixels[at..], &pixels[at - 1..]) }
}

/// How many pixels at the beginning of both are the same; `here` is the shorter one.
fn same(here: &[Rgba], there: &[Rgba]) -> usize {
    const AT_ONCE: usize = 16;
    if here[0] != there[0] {
        return 0;
    }
    let (blocks, _) = here.as_chunks::<AT_ONCE>();
    let (others, _) = there.as_chunks::<AT_ONCE>();
    let whole = blocks.iter().zip(others).take_while(|(a, b)| a == b).count() * AT_ONCE;
    whole + here[whole..].iter().zip(&there[whole..]).take_while(|(a, b)| a == b).count()
}

fn put_new(packed: &mut Vec<u8>, pixels: &[Rgba]) {
    if !pixels.is_empty() {
        put_number(packed, pixels.len(), NEW);
        packed.extend_from_slice(pixels.as_flattened());
    }
}

#[expect(clippy::cast_possible_truncation, reason = "seven bits each")]
fn put_number(packed: &mut Vec<u8>, length: usize, kind: usize) {
    let mut number = length << 2 | kind;
    while 0x7f < number {
        packed.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    packed.push((number & 0x7f) as u8);
}

/// The length of a run and its kind.
fn take_number(packed: &mut &[u8]) -> (usize, usize) {
    let (mut number, mut shift) = (0, 0);
    while let Some((byte, rest)) = packed.split_first() {
        *packed = rest;
        number |= usize::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 == 0 {
            break;
        }
    }
    (number >> 2, number & 3)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn unpacked(packed: &[u8], width: usize) -> Vec<u8> {
        let mut rgba = vec![7; 3];
        unpack(packed, width, &mut rgba);
        rgba.split_off(3)
    }

    proptest! {
        #[test]
        fn what_is_packed_comes_out_again(
            runs in prop::collection::vec((0_u8..4, 1_usize..40), 1..60), width in 1_usize..50,
        ) {
            let pixels: Vec<Rgba> =
                runs.iter().flat_map(|(shade, times)| vec![[*shade, 9, *shade, 255]; *times]).collect();
            let packed = pack(&pixels, width, usize::MAX).unwrap();
            prop_assert_eq!(unpacked(&packed, width), pixels.as_flattened());
        }
    }

    #[test]
    fn flat_colour_takes_a_few_bytes_and_noise_is_given_up() {
        let flat = vec![[1, 2, 3, 255]; 16 * 1080];
        assert!(pack(&flat, 1080, usize::MAX).unwrap().len() < 12);
        let mut seed = 1_u32;
        let mut noise = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            seed.to_be_bytes()
        };
        let noise: Vec<Rgba> = (0..16 * 1080).map(|_| noise()).collect();
        assert_eq!(pack(&noise, 1080, noise.len() * 2), None);
    }
}
