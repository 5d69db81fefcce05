//! Rows of a picture in the colours of JPEG.
use std::ops::Range;

use jpeg_encoder::{ImageBuffer, JpegColorType, SamplingFactor};

use super::scaled_rows::ScaledRows;

/// Rows as the encoder asks for them.
pub(super) struct JpegRows<'a> {
    rows: &'a ScaledRows<'a>,
    /// Which of them.
    range: Range<usize>,
    /// Whether the encoder takes the colours of the even columns in the even rows of its buffer, and looks at no others,
    /// as its `ChromaSubsamplingMethod::Nearest` does. To work those out for nothing would take half as long as everything else here.
    quarter_of_colours: bool,
}

impl<'a> JpegRows<'a> {
    /// For an encoder that samples so.
    pub(super) fn new(rows: &'a ScaledRows<'a>, sampling: SamplingFactor) -> Self {
        Self::of(rows, 0..rows.size().height as usize, sampling)
    }

    /// For one that makes a picture of some of them.
    pub(super) fn of(
        rows: &'a ScaledRows<'a>,
        range: Range<usize>,
        sampling: SamplingFactor,
    ) -> Self {
        Self { rows, range, quarter_of_colours: sampling == SamplingFactor::F_2_2 }
    }
}

/// A channel of JPEG's colours.
#[derive(Debug, Clone, Copy)]
struct Channel {
    /// Of red, green and blue, in parts of 65,536.
    parts: [i32; 3],
    zero: i32,
}

const BRIGHT: Channel = Channel { parts: [19_595, 38_470, 7_471], zero: 0 };
const BLUE: Channel = Channel { parts: [-11_059, -21_709, 32_768], zero: 128 };
const RED: Channel = Channel { parts: [32_768, -27_439, -5_329], zero: 128 };

impl Channel {
    /// To the same last bit as the encoder's own `rgb_to_ycbcr`. A pixel is taken as one number, which compilers do for
    /// many pixels at once.
    fn of(self, pixel: [u8; 4]) -> u8 {
        let [red, green, blue] = self.parts;
        let pixel = i32::from_le_bytes(pixel);
        let part = |shift: u32| (pixel >> shift) & 0xff;
        let rounding = (self.zero << 16) + 0x7fff;
        let sum = red * part(0) + green * part(8) + blue * part(16) + rounding;
        let [value, ..] = (sum >> 16).to_le_bytes();
        value
    }

    /// In a loop: of `map`, compilers make a call for each pixel.
    fn of_all<const N: usize>(self, pixels: &[[u8; 4]; N]) -> [u8; N] {
        let mut values = [0; N];
        for (value, pixel) in values.iter_mut().zip(pixels) {
            *value = self.of(*pixel);
        }
        values
    }
}

/// Of which pixels of a row the blue and the red are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Colours {
    All,
    /// The others are given the colour on their left.
    EvenColumns,
    None,
}

/// Pixels that are looked at together: most of a screen has one colour for many pixels, which is worked out once.
const GROUP: usize = 16;

/// Appends a row's channels.
fn put(pixels: &[[u8; 4]], colours: Colours, [bright, blue, red, _]: &mut [Vec<u8>; 4]) {
    let (groups, rest) = pixels.as_chunks::<GROUP>();
    for group in groups {
        let first = u32::from_le_bytes(group[0]);
        let differ = group.iter().fold(0, |all, it| all | (u32::from_le_bytes(*it) ^ first));
        if differ == 0 {
            bright.extend_from_slice(&[BRIGHT.of(group[0]); GROUP]);
            if colours != Colours::None {
                blue.extend_from_slice(&[BLUE.of(group[0]); GROUP]);
                red.extend_from_slice(&[RED.of(group[0]); GROUP]);
            }
            continue;
        }
        bright.extend_from_slice(&BRIGHT.of_all(group));
        match colours {
            Colours::All => {
                blue.extend_from_slice(&BLUE.of_all(group));
                red.extend_from_slice(&RED.of_all(group));
            }
            Colours::EvenColumns => {
                let mut even = [[0; 4]; GROUP / 2];
                for (pixel, [first, _]) in even.iter_mut().zip(group.as_chunks().0) {
                    *pixel = *first;
                }
                for (channel, out) in [(BLUE, &mut *blue), (RED, &mut *red)] {
                    let mut both = [[0; 2]; GROUP / 2];
                    for (both, value) in both.iter_mut().zip(channel.of_all(&even)) {
                        *both = [value; 2];
                    }
                    out.extend_from_slice(both.as_flattened());
                }
            }
            Colours::None => {}
        }
    }
    bright.extend(rest.iter().map(|pixel| BRIGHT.of(*pixel)));
    for (channel, out) in [(BLUE, blue), (RED, red)] {
        if colours != Colours::None {
            // The last of these, too: the encoder fills its buffer up with copies of it.
            out.extend(rest.iter().map(|pixel| channel.of(*pixel)));
        }
    }
}

impl ImageBuffer for &JpegRows<'_> {
    fn get_jpeg_color_type(&self) -> JpegColorType {
        JpegColorType::Ycbcr
    }

    fn width(&self) -> u16 {
        u16::try_from(self.rows.size().width).expect("a Frame has at most 8192 pixels a side")
    }

    fn height(&self) -> u16 {
        u16::try_from(self.range.len()).expect("a Frame has at most 8192 pixels a side")
    }

    fn fill_buffers(&self, y: u16, buffers: &mut [Vec<u8>; 4]) {
        self.rows.with_row(self.range.start + usize::from(y), |row| {
            let pixels = row.as_chunks::<4>().0;
            if !self.quarter_of_colours {
                return put(pixels, Colours::All, buffers);
            }
            // Of its buffer, not of the picture: at the end the last row is asked for again and again.
            let rows = buffers[0].len() / pixels.len().next_multiple_of(16);
            if rows.is_multiple_of(2) {
                return put(pixels, Colours::EvenColumns, buffers);
            }
            put(pixels, Colours::None, buffers);
            for colour in &mut buffers[1..3] {
                colour.resize(colour.len() + pixels.len(), 0);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::{Frame, ScreenSize};
    use jpeg_encoder::Encoder;
    use proptest::prelude::*;

    use super::*;

    fn frame(width: u32, pixels: &[[u8; 4]]) -> Frame {
        let height = u32::try_from(pixels.len()).unwrap() / width;
        let size = ScreenSize { width, height };
        Frame::new(size, pixels.as_flattened().to_vec().into()).unwrap()
    }

    #[test]
    fn colours_are_those_of_the_encoder() {
        let pixels: Vec<[u8; 4]> = (0..=255_u8)
            .flat_map(|red| [0, 1, 77, 128, 254, 255].map(|green| [red, green, 255 - red, 200]))
            .flat_map(|[r, g, b, a]| [[r, g, b, a], [b, r, g, a], [g, b, r, a], [r, r, r, a]])
            // Stretches of one colour: whole groups, groups where two of them meet, and a rest.
            .chain((0..46_u8).flat_map(|it| [[it, 9, 200, 1]; 40]))
            .take(7983)
            .collect();
        let groups = pixels.as_chunks::<GROUP>();
        assert!(groups.0.iter().any(|group| *group == [group[0]; GROUP]) && !groups.1.is_empty());
        let frame = frame(7983, &pixels);
        let scaled = ScaledRows::new(&frame, frame.size());
        let mut buffers = [const { Vec::new() }; 4];
        (&JpegRows::new(&scaled, SamplingFactor::F_1_1)).fill_buffers(0, &mut buffers);
        for (at, [r, g, b, _]) in pixels.iter().enumerate() {
            let expected = jpeg_encoder::rgb_to_ycbcr(*r, *g, *b);
            assert_eq!((buffers[0][at], buffers[1][at], buffers[2][at]), expected, "{r} {g} {b}");
        }
    }

    proptest! {
        /// Sides that are no multiple of a block's, too, where the encoder repeats rows and columns.
        #[test]
        fn a_file_is_the_one_the_encoder_makes_of_all_colours(
            width in 1_u32..70, height in 1_u32..40, shades in prop::collection::vec(any::<[u8; 4]>(), 1..9),
            stretch in 1_usize..50, quality in 80_u8..=95,
        ) {
            let pixels: Vec<[u8; 4]> =
                (0..(width * height) as usize).map(|at| shades[at / stretch % shades.len()]).collect();
            let frame = frame(width, &pixels);
            let scaled = ScaledRows::new(&frame, frame.size());
            let (mut ours, mut theirs) = (Vec::new(), Vec::new());
            let encoder = Encoder::new(&mut ours, quality);
            let rows = JpegRows::new(&scaled, encoder.sampling_factor());
            encoder.encode_image(&rows).unwrap();
            let sides = [width, height].map(|side| u16::try_from(side).unwrap());
            Encoder::new(&mut theirs, quality)
                .encode(pixels.as_flattened(), sides[0], sides[1], jpeg_encoder::ColorType::Rgba)
                .unwrap();
            prop_assert!(ours == theirs, "{width}x{height} at {quality}");
        }
    }
}
