//! JPEGs put together from strips. A strip whose pixels were encoded a moment ago, on this screen or on an earlier one,
//! is taken as it was: most of a screen is the same from step to step, and encoding is most of what a step costs.
//!
//! A restart marker after each strip makes it independent of the others (ITU-T T.81, B.2.4.4 and E.1.4). The pixels
//! are those of a picture that is encoded in one piece, to the last bit.
use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex, PoisonError};

use ayeaye_agent::ScreenSize;
use jpeg_encoder::Encoder;

use super::jpeg_rows::JpegRows;
use super::scaled_rows::ScaledRows;

/// Rows of a strip: those of a band of a frame, and whole blocks in each sampling of colours that is used.
const ROWS: usize = 16;
/// What is kept has twice this many bytes at most.
const HALF_OF_KEPT: usize = 2 << 20;

const RESTART_INTERVAL: u8 = 0xdd;
const RESTART: u8 = 0xd0;
const START_OF_FRAME: u8 = 0xc0;
const START_OF_SCAN: u8 = 0xda;
const END: [u8; 2] = [0xff, 0xd9];

/// The strips of earlier pictures.
#[derive(Debug, Default)]
pub(crate) struct JpegStrips(Mutex<KeptStrips>);

#[derive(Debug, Default)]
struct KeptStrips {
    /// Of the last picture: all that stands before its first strip.
    header: Option<(Shape, Arc<[u8]>)>,
    /// Strips that were used of late, and their bytes; then those before, which go when there are enough new ones.
    new: HashMap<Key, Arc<[u8]>>,
    bytes: usize,
    old: HashMap<Key, Arc<[u8]>>,
}

/// What a header depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Shape {
    size: ScreenSize,
    quality: u8,
}

/// What a strip depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    shape: Shape,
    source: ScreenSize,
    source_hash: u64,
    rows: usize,
    /// Where it begins, if it is scaled: how rows fall together differs from place to place.
    begin: usize,
}

impl KeptStrips {
    fn find(&mut self, key: &Key) -> Option<Arc<[u8]>> {
        if let Some(strip) = self.new.get(key) {
            return Some(strip.clone());
        }
        let strip = self.old.remove(key)?;
        self.keep(*key, strip.clone());
        Some(strip)
    }

    fn keep(&mut self, key: Key, strip: Arc<[u8]>) {
        self.bytes += strip.len() + size_of::<Key>();
        self.new.insert(key, strip);
        if HALF_OF_KEPT < self.bytes {
            self.old = std::mem::take(&mut self.new);
            self.bytes = 0;
        }
    }
}

impl JpegStrips {
    /// Forgets all strips.
    pub(crate) fn clear(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = KeptStrips::default();
    }

    /// A JPEG of all rows; `None` if the encoder's file is not built as expected.
    pub(super) fn encode(&self, rows: &ScaledRows<'_>, quality: u8) -> Option<Vec<u8>> {
        let kept = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (size, source) = (rows.size(), rows.source_size());
        let shape = Shape { size, quality };
        let mut header =
            kept().header.as_ref().filter(|(of, _)| *of == shape).map(|(_, header)| header.clone());
        let mut strips = Vec::new();
        let height = size.height as usize;
        for begin in (0..height).step_by(ROWS) {
            let range = begin..(begin + ROWS).min(height);
            let source_hash = rows.source_hash(&range);
            let begin = if size == source { 0 } else { begin };
            let key = Key { shape, source, source_hash, rows: range.len(), begin };
            let known = kept().find(&key);
            let strip = if let (Some(strip), Some(_)) = (known, &header) {
                strip
            } else {
                let file = encode(rows, range, quality);
                let parts = Parts::of(&file)?;
                header.get_or_insert_with(|| parts.header(size).into());
                let strip: Arc<[u8]> = parts.data.into();
                kept().keep(key, strip.clone());
                strip
            };
            strips.push(strip);
        }
        let header = header?;
        let length = strips.iter().map(|strip| strip.len() + 2).sum::<usize>();
        let mut file = Vec::with_capacity(header.len() + length);
        file.extend_from_slice(&header);
        kept().header = Some((shape, header));
        for (at, strip) in strips.iter().enumerate() {
            if at != 0 {
                file.extend([0xff, RESTART | ((at - 1) % 8).to_le_bytes()[0]]);
            }
            file.extend_from_slice(strip);
        }
        file.extend(END);
        Some(file)
    }
}

/// A file of some rows only.
fn encode(rows: &ScaledRows<'_>, range: Range<usize>, quality: u8) -> Vec<u8> {
    let mut file = Vec::new();
    let encoder = Encoder::new(&mut file, quality);
    let rows = JpegRows::of(rows, range, encoder.sampling_factor());
    encoder.encode_image(&rows).expect("a picture that is not empty, written to memory");
    file
}

/// The parts of a file that has one scan.
struct Parts<'a> {
    tables: &'a [u8],
    /// Where in the tables the height stands.
    height_at: usize,
    scan: &'a [u8],
    data: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(file: &'a [u8]) -> Option<Self> {
        let (mut at, mut height_at) = (2, None);
        loop {
            let segment = file.get(at..)?;
            let [0xff, kind, high, low, ..] = *segment else { return None };
            let next = at + 2 + usize::from(u16::from_be_bytes([high, low]));
            match kind {
                // Behind the length, the bits of a sample.
                START_OF_FRAME => height_at = Some(at + 5),
                START_OF_SCAN => {
                    let (tables, scan) = (&file[..at], file.get(at..next)?);
                    let data = file.get(next..)?.strip_suffix(&END)?;
                    return Some(Self { tables, height_at: height_at?, scan, data });
                }
                _ => {}
            }
            at = next;
        }
    }

    /// All that stands before the data of a picture of this size.
    fn header(&self, size: ScreenSize) -> Vec<u8> {
        let mut header = self.tables.to_vec();
        let height = size.height.to_be_bytes();
        header[self.height_at..][..2].copy_from_slice(&height[2..]);
        // The sampling of the first channel: blocks in a unit, across in the high half and down in the low one.
        let across = usize::from(header[self.height_at + 6] >> 4) * 8;
        let down = usize::from(header[self.height_at + 6] & 15) * 8;
        let units = (size.width as usize).div_ceil(across) * (ROWS / down);
        let [low, high, ..] = units.to_le_bytes();
        header.extend([0xff, RESTART_INTERVAL, 0, 4, high, low]);
        header.extend_from_slice(self.scan);
        header
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::Frame;
    use proptest::prelude::*;

    use super::*;

    fn frame(width: u32, height: u32, pixel: impl Fn(u32, u32) -> [u8; 4]) -> Frame {
        let size = ScreenSize { width, height };
        let pixels: Vec<u8> = (0..height)
            .flat_map(|y| (0..width).map(move |x| (x, y)))
            .flat_map(|(x, y)| pixel(x, y))
            .collect();
        Frame::new(size, pixels.into()).unwrap()
    }

    fn whole(rows: &ScaledRows<'_>, quality: u8) -> Vec<u8> {
        encode(rows, 0..rows.size().height as usize, quality)
    }

    fn pixels(file: &[u8]) -> Vec<u8> {
        let file = zune_jpeg::zune_core::bytestream::ZCursor::new(file);
        zune_jpeg::JpegDecoder::new(file).decode().unwrap()
    }

    fn kept(strips: &JpegStrips) -> usize {
        strips.0.lock().unwrap().new.len()
    }

    #[test]
    fn only_what_has_changed_is_encoded_again() {
        let screen = |bar: u8| {
            frame(300, 640, |x, y| match y {
                0..16 => [bar, bar, bar, 0],
                300..400 if x % 7 < 3 => [x.to_le_bytes()[0], 30, 200, 0],
                _ => [250, 250, 248, 0],
            })
        };
        for size in [ScreenSize { width: 300, height: 640 }, ScreenSize { width: 210, height: 448 }]
        {
            let strips = JpegStrips::default();
            let picture = |bar: u8| {
                let frame = screen(bar);
                let rows = ScaledRows::new(&frame, size);
                let file = strips.encode(&rows, 85).unwrap();
                assert!(pixels(&file) == pixels(&whole(&rows, 85)), "{size}");
                file
            };
            let first = picture(10);
            let count = kept(&strips);
            assert!(picture(10) == first && kept(&strips) == count);
            assert!(picture(20) != first);
            // A filter that makes a picture smaller reaches over the edge of a strip.
            assert!((count + 1..=count + 2).contains(&kept(&strips)), "{size}");
            strips.clear();
            assert_eq!(kept(&strips), 0);
            assert!(picture(10) == first);
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_the_oldest_goes_first() {
        let mut kept = KeptStrips::default();
        let size = ScreenSize { width: 1, height: 1 };
        let shape = Shape { size, quality: 85 };
        let key = |source_hash| Key { shape, source: size, source_hash, rows: 1, begin: 0 };
        let strip: Arc<[u8]> = vec![0; HALF_OF_KEPT / 4].into();
        for hash in 0..20 {
            kept.keep(key(hash), strip.clone());
            assert!(kept.new.len() + kept.old.len() <= 8);
            // One that is used stays.
            assert!(kept.find(&key(0)).is_some(), "{hash}");
        }
        assert!(kept.find(&key(19)).is_some() && kept.find(&key(1)).is_none());
    }

    #[test]
    fn what_is_no_such_file_is_refused() {
        let frame = frame(20, 20, |x, y| [(x * y).to_le_bytes()[0], 0, 0, 0]);
        let file = whole(&ScaledRows::new(&frame, frame.size()), 85);
        assert!(Parts::of(&file).is_some());
        for end in 0..file.len() {
            assert!(Parts::of(&file[..end]).is_none(), "{end}");
        }
    }

    proptest! {
        #[test]
        fn the_pixels_are_those_of_a_picture_in_one_piece(
            width in 1_u32..70, height in 1_u32..100, scale in 1_u32..3, quality in 80_u8..=95,
            shades in prop::collection::vec(any::<[u8; 4]>(), 1..9), stretch in 1_u32..50,
        ) {
            let frame = frame(width * scale, height * scale, |x, y| {
                shades[((y * width + x) / stretch) as usize % shades.len()]
            });
            let rows = ScaledRows::new(&frame, ScreenSize { width, height });
            let strips = JpegStrips::default();
            let ours = strips.encode(&rows, quality).unwrap();
            prop_assert!(pixels(&ours) == pixels(&whole(&rows, quality)));
            prop_assert!(strips.encode(&rows, quality).unwrap() == ours);
        }
    }
}
