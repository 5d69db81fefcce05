//! Frames, and how they are read.
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Weak};

use bytes::Bytes;

use crate::band::{Band, hash, hash_of};
use crate::{BAND_ROWS, Pool, ScreenSize};

/// One capture of the screen, upright as a person would see it.
#[derive(Clone)]
pub struct Frame {
    size: ScreenSize,
    bands: Arc<[Arc<Band>]>,
    digest: Option<CaptureDigest>,
}

/// SHA-256 of a capture as the phone wrote it: two of one phone are equal only if they show the same, pixel for pixel.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct CaptureDigest(pub [u8; 32]);

impl fmt::Debug for CaptureDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// The frame before, as long as somebody else holds it.
#[derive(Debug, Clone, Default)]
pub struct Earlier(Option<(ScreenSize, Weak<[Arc<Band>]>)>);

impl Earlier {
    pub(crate) fn frame(&self) -> Option<Frame> {
        let (size, bands) = self.0.as_ref()?;
        Some(Frame { size: *size, bands: bands.upgrade()?, digest: None })
    }
}

impl Frame {
    pub(crate) fn of_bands(size: ScreenSize, bands: Vec<Arc<Band>>) -> Self {
        Self { size, bands: bands.into(), digest: None }
    }

    /// The same frame, of a capture with this digest.
    #[must_use]
    pub fn with_digest(self, digest: Option<CaptureDigest>) -> Self {
        Self { digest, ..self }
    }

    /// The digest of the capture that it is of, where one was made.
    pub fn digest(&self) -> Option<CaptureDigest> {
        self.digest
    }

    pub(crate) fn bands(&self) -> &[Arc<Band>] {
        &self.bands
    }

    /// Its size, which may differ from that of the frame before (rotation, folding).
    pub fn size(&self) -> ScreenSize {
        self.size
    }

    /// For the next frame to share what looks the same; it keeps nothing alive.
    pub fn as_earlier(&self) -> Earlier {
        Earlier(Some((self.size, Arc::downgrade(&self.bands))))
    }

    /// All pixels, four bytes each: red, green, blue, alpha. Large; prefer [`for_rows`](Self::for_rows).
    pub fn rgba(&self) -> Bytes {
        self.rows(0..self.size.height as usize).into()
    }

    /// The pixels of some rows.
    pub fn rows(&self, rows: Range<usize>) -> Vec<u8> {
        let shown = rows.end.min(self.size.height as usize).saturating_sub(rows.start);
        let mut rgba = Vec::with_capacity(shown * self.row_bytes());
        self.for_rows(rows, |_, row| rgba.extend_from_slice(row));
        rgba
    }

    /// A number for what some rows show, together with the rest of the bands that they are in: that
    /// of other rows of the same width is equal if their pixels are, also as they are held here. It holds for this
    /// process.
    pub fn rows_hash(&self, rows: Range<usize>) -> u64 {
        let parts = |band: &Arc<Band>| [band.hash(), u64::from(band.is_half_colour())];
        hash_of(self.bands_of(&rows).flat_map(|(_, band)| parts(band)))
    }

    /// A number for the pixels of some rows, and for nothing else: that of other rows of the same width is equal only if
    /// their pixels are, also as they are held here. It holds for this process, and for the same range of rows.
    pub fn pixels_hash(&self, rows: Range<usize>) -> u64 {
        let height = self.size.height as usize;
        let parts = |(at, band): (usize, &Arc<Band>)| {
            let (from, to) = (at * BAND_ROWS, height.min((at + 1) * BAND_ROWS));
            let part = from.max(rows.start)..to.min(rows.end);
            let pixels = if part == (from..to) { band.hash() } else { hash(&self.rows(part)) };
            [pixels, u64::from(band.is_half_colour())]
        };
        hash_of(self.bands_of(&rows).flat_map(parts))
    }

    /// Shows some rows one after the other, each with its number.
    pub fn for_rows(&self, rows: Range<usize>, mut show: impl FnMut(usize, &[u8])) {
        self.all_rows(rows, |y, row| {
            show(y, row);
            true
        });
    }

    /// Whether that holds for all of some rows; none is looked at behind the first for which it does not.
    fn all_rows(&self, rows: Range<usize>, mut holds: impl FnMut(usize, &[u8]) -> bool) -> bool {
        let mut unpacked = Vec::new();
        self.bands_of(&rows).all(|(at, band)| {
            unpacked.clear();
            band.unpack(self.size.width as usize, &mut unpacked);
            let each = unpacked.chunks_exact(self.row_bytes()).enumerate();
            let mut each = each.map(|(y, row)| (at * BAND_ROWS + y, row));
            each.all(|(y, row)| !rows.contains(&y) || holds(y, row))
        })
    }

    /// Shows those of some rows that differ from another frame's of the same size, with their number: these first,
    /// then the other's. It ends when that is false.
    pub fn for_differing_rows(
        &self,
        other: &Self,
        rows: Range<usize>,
        mut goes_on: impl FnMut(usize, &[u8], &[u8]) -> bool,
    ) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let bands = self.bands_of(&rows).zip(other.bands_of(&rows));
        for ((at, a), (_, b)) in bands.filter(|((_, a), (_, b))| a.hash() != b.hash()) {
            // What only one of them has lost does not differ on the screen.
            let halved = a.is_half_colour() != b.is_half_colour();
            for (band, unpacked) in [(a, &mut ours), (b, &mut theirs)] {
                unpacked.clear();
                if halved {
                    band.unpack_half_colour(self.size.width as usize, unpacked);
                } else {
                    band.unpack(self.size.width as usize, unpacked);
                }
            }
            let (row, other_row) = (self.row_bytes(), other.row_bytes());
            let pairs = ours.chunks_exact(row).zip(theirs.chunks_exact(other_row)).enumerate();
            let pairs = pairs.map(|(y, pair)| (at * BAND_ROWS + y, pair));
            for (y, (a, b)) in pairs.filter(|(y, (a, b))| rows.contains(y) && a != b) {
                if !goes_on(y, a, b) {
                    return;
                }
            }
        }
    }

    /// How many of its rows are held once for both.
    pub fn rows_shared_with(&self, other: &Self) -> usize {
        let height = self.size.height as usize;
        let bands = self.bands.iter().zip(other.bands()).enumerate();
        let shared = bands.filter(|(_, (a, b))| Arc::ptr_eq(a, b));
        shared.map(|(at, _)| BAND_ROWS.min(height.saturating_sub(at * BAND_ROWS))).sum()
    }

    /// The same frame with these places black: left, top, right and bottom in its pixels, the last two
    /// outside.
    #[must_use]
    pub fn with_black_areas(&self, places: &[[i32; 4]]) -> Self {
        let (width, height) = (self.size.width as usize, self.size.height as usize);
        let inside = |v: i32, most: usize| usize::try_from(v).unwrap_or(0).min(most);
        let mut bands = self.bands.to_vec();
        for (at, band) in bands.iter_mut().enumerate() {
            let (first, last) = (at * BAND_ROWS, ((at + 1) * BAND_ROWS).min(height));
            let touches =
                |it: &&[i32; 4]| inside(it[1], height) < last && first < inside(it[3], height);
            let touching: Vec<_> = places.iter().filter(touches).collect();
            if touching.is_empty() {
                continue;
            }
            let mut rgba = Vec::new();
            band.unpack(width, &mut rgba);
            for &&[left, top, right, bottom] in &touching {
                let (left, right) = (inside(left, width), inside(right, width));
                for row in inside(top, height).max(first)..inside(bottom, height).min(last) {
                    let row = &mut rgba[(row - first) * width * 4..][..width * 4];
                    let black = row.get_mut(left * 4..right * 4).unwrap_or_default();
                    black.as_chunks_mut().0.fill([0, 0, 0, 255]);
                }
            }
            *band = Arc::new(Band::new(hash(&rgba), &rgba, width, Pool::shared()));
        }
        Self::of_bands(self.size, bands)
    }

    /// Whether it shows one flat colour where an app has its contents, below the status bar and above
    /// the keyboard: what captures have in the place of a protected window.
    pub fn is_blank_inside(&self) -> bool {
        let (width, height) = (self.size.width as usize, self.size.height as usize);
        let (left, right) = (width * 8 / 100, (width * 92).div_ceil(100));
        let (top, bottom) = (height / 5, (height * 45).div_ceil(100));
        let mut colour: Option<[u8; 4]> = None;
        self.all_rows(top..bottom, |_, row| {
            let pixels: &[[u8; 4]] = row[left * 4..right * 4].as_chunks().0;
            let [red, green, blue, _] = *colour.get_or_insert(pixels[0]);
            pixels.iter().all(|[r, g, b, _]| {
                r.abs_diff(red) < 3 && g.abs_diff(green) < 3 && b.abs_diff(blue) < 3
            })
        })
    }

    /// Whether every pixel is (nearly) black, as protected windows and dark screens are captured.
    pub fn is_black(&self) -> bool {
        self.all_rows(0..self.size.height as usize, |_, row| {
            row.as_chunks::<4>().0.iter().all(|[r, g, b, _]| *r < 3 && *g < 3 && *b < 3)
        })
    }

    fn row_bytes(&self) -> usize {
        self.size.width as usize * 4
    }

    /// The bands with these rows, and their numbers.
    fn bands_of(&self, rows: &Range<usize>) -> impl Iterator<Item = (usize, &Arc<Band>)> {
        let bands = rows.start / BAND_ROWS..rows.end.div_ceil(BAND_ROWS).min(self.bands.len());
        let start = bands.start;
        let found = self.bands.get(bands).unwrap_or_default();
        found.iter().enumerate().map(move |(at, band)| (start + at, band))
    }
}

impl PartialEq for Frame {
    /// By the hashes of what was captured.
    fn eq(&self, other: &Self) -> bool {
        let hashes = |it: &Self| it.bands.iter().map(|band| band.hash()).collect::<Vec<_>>();
        self.size == other.size
            && (Arc::ptr_eq(&self.bands, &other.bands) || hashes(self) == hashes(other))
    }
}

impl Eq for Frame {}

impl fmt::Debug for Frame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Frame({})", self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InvalidFrame;

    fn frame(size: (u32, u32), rgba: &[u8]) -> Frame {
        let size = ScreenSize { width: size.0, height: size.1 };
        Frame::new(size, Bytes::copy_from_slice(rgba)).unwrap()
    }

    #[test]
    fn a_frame_is_whole_or_refused() {
        let size = ScreenSize { width: 2, height: 2 };
        assert!(Frame::new(size, Bytes::from(vec![0; 16])).is_ok());
        for found in [0, 15, 17, 400] {
            assert_eq!(
                Frame::new(size, Bytes::from(vec![0; found])),
                Err(InvalidFrame::Length { size, expected: 16, found: found as u64 })
            );
        }
        let huge = ScreenSize { width: 70_000, height: 1 };
        assert_eq!(Frame::new(huge, Bytes::new()), Err(InvalidFrame::Size(huge)));
    }

    #[test]
    fn a_place_is_blackened_and_nothing_else() {
        let white = frame((3, 2), &[255; 24]);
        let frame = white.with_black_areas(&[[1, 0, 2, 1], [-5, 1, 1, 9], [2, 1, 1, 2]]);
        let dark: Vec<bool> = frame.rgba().chunks_exact(4).map(|p| p == [0, 0, 0, 255]).collect();
        assert_eq!(dark, [false, true, false, true, false, false]);
    }

    #[test]
    fn a_place_over_several_bands_is_blackened_in_each() {
        let (width, height) = (9_usize, 50_usize);
        let white = frame((9, 50), &vec![255; width * height * 4]);
        let dark = white.with_black_areas(&[[2, 10, 5, 40]]);
        dark.for_rows(0..height, |y, row| {
            for (x, pixel) in row.chunks_exact(4).enumerate() {
                let inside = (2..5).contains(&x) && (10..40).contains(&y);
                assert_eq!(pixel == [0, 0, 0, 255], inside, "{x},{y}");
            }
        });
        let mut differing = Vec::new();
        white.for_differing_rows(&dark, 0..39, |y, _, _| {
            differing.push(y);
            y < 35
        });
        assert_eq!(differing, (10..=35).collect::<Vec<_>>());
    }

    #[test]
    fn a_protected_window_is_blank_between_bars_that_are_not() {
        let mut rgba = vec![0; 20 * 40 * 4];
        rgba[..20 * 2 * 4].fill(200);
        rgba[20 * 30 * 4..].fill(90);
        let made = |rgba: &[u8]| frame((20, 40), rgba);
        assert!(made(&rgba).is_blank_inside() && !made(&rgba).is_black());
        rgba[(20 * 12 + 9) * 4] = 40;
        assert!(!made(&rgba).is_blank_inside(), "a dark screen with something on it");
        assert!(frame((1, 1), &[7; 4]).is_blank_inside());
    }

    #[test]
    fn black_is_told_from_dark() {
        assert!(frame((1, 2), &[0, 0, 0, 255, 1, 1, 1, 255]).is_black());
        assert!(!frame((1, 2), &[0, 0, 0, 255, 9, 0, 0, 255]).is_black());
    }
}
