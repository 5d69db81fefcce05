//! Small grey copies of frames, to know a screen again that was seen some steps ago without keeping it.
use crate::settle::Difference;
use crate::{Frame, ScreenSize};

/// How many pixels of a frame, on each side, one of the copy stands for.
const STEP: u32 = 4;
/// Less than this is no difference in brightness, of 255.
const VISIBLE: u8 = 8;

/// A grey copy of a frame at a quarter of its width and height.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Thumbnail {
    size: ScreenSize,
    grey: Box<[u8]>,
}

impl Thumbnail {
    /// Of every fourth row, each four pixels as one: a thin upright line, such as a caret in a web page, is in every
    /// row that it goes through.
    pub(crate) fn of(frame: &Frame) -> Self {
        let full = frame.size();
        let size =
            ScreenSize { width: full.width.div_ceil(STEP), height: full.height.div_ceil(STEP) };
        let step = STEP as usize;
        let mut grey = Vec::with_capacity((size.width * size.height) as usize);
        frame.for_rows(0..full.height as usize, |y, row| {
            if !y.is_multiple_of(step) {
                return;
            }
            // Plain steps: this crate is built small, and each closure here would be called pixel by pixel.
            for four in row.chunks(step * 4) {
                let mut brightness = 0;
                let mut weight = 0;
                for pixel in four.chunks_exact(4) {
                    brightness +=
                        u32::from(pixel[0]) * 3 + u32::from(pixel[1]) * 6 + u32::from(pixel[2]);
                    weight += 10;
                }
                let [value, ..] = (brightness / weight).to_le_bytes();
                grey.push(value);
            }
        });
        Self { size, grey: grey.into() }
    }

    /// Whether both are of screens that show the same, apart from the status bar and a blinking caret.
    pub(crate) fn is_unchanged(&self, other: &Self) -> bool {
        if self.size != other.size {
            return false;
        }
        let width = self.size.width as usize;
        let mut difference = Difference::new(self.size);
        let rows = self.grey.chunks_exact(width).zip(other.grey.chunks_exact(width));
        for (y, (row, other)) in rows.enumerate() {
            let differs = |(a, b): (&u8, &u8)| VISIBLE <= a.abs_diff(*b);
            difference.add_row(y, row.iter().zip(other).map(differs));
            if !difference.may_be_caret() {
                return false;
            }
        }
        difference.is_none_or_caret_at(STEP)
    }
}

impl std::fmt::Debug for Thumbnail {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Thumbnail({})", self.size)
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    const SIZE: ScreenSize = ScreenSize { width: 1080, height: 2400 };

    /// A white screen with one black area.
    fn screen(black: [i32; 4]) -> Thumbnail {
        let white = vec![255; (SIZE.width * SIZE.height * 4) as usize];
        let frame = Frame::new(SIZE, Bytes::from(white)).unwrap();
        Thumbnail::of(&frame.with_black_areas(&[black]))
    }

    #[test]
    fn a_digit_that_changes_is_seen_and_a_clock_or_a_caret_is_not() {
        let blank = screen([0; 4]);
        assert!(blank.is_unchanged(&blank));
        for (left, top) in (500..504).flat_map(|left| (1200..1204).map(move |top| (left, top))) {
            let at = |wide, high| screen([left, top, left + wide, top + high]);
            assert!(!blank.is_unchanged(&at(40, 60)), "a digit of 30 sp");
            assert!(!blank.is_unchanged(&at(16, 21)), "a digit of 11 sp");
            assert!(!blank.is_unchanged(&at(6, 21)), "a part of one");
            assert!(blank.is_unchanged(&at(5, 43)) && blank.is_unchanged(&at(6, 48)), "a caret");
            for width in 1..=3 {
                assert!(blank.is_unchanged(&at(width, 37)), "a caret of {width} in a web page");
            }
        }
        assert!(blank.is_unchanged(&screen([40, 20, 200, 70])), "the clock in the status bar");
        assert!(blank.is_unchanged(&screen([500, 1200, 506, 1270])), "a large caret");
        assert!(!blank.is_unchanged(&screen([0, 1200, 1080, 1204])), "a thin line");
    }

    #[test]
    fn sizes_that_four_does_not_divide_and_those_that_differ_are_no_trouble() {
        let of = |width, height| {
            let size = ScreenSize { width, height };
            let bytes = vec![9; (width * height * 4) as usize];
            Thumbnail::of(&Frame::new(size, Bytes::from(bytes)).unwrap())
        };
        assert!(of(1, 1).is_unchanged(&of(1, 1)));
        assert!(of(7, 13).is_unchanged(&of(7, 13)));
        assert!(!of(7, 13).is_unchanged(&of(13, 7)));
    }
}
