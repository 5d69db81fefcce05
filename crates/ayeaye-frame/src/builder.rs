//! Frames made while their bytes arrive.
use std::sync::Arc;

use bytes::Bytes;

use crate::band::{Band, hash};
use crate::{BAND_ROWS, Earlier, Frame, InvalidFrame, Pool, ScreenSize};

/// Takes the pixels of a frame as they come, and packs them.
#[derive(Debug)]
pub struct FrameBuilder {
    size: ScreenSize,
    /// Bytes of the whole frame, and how many have come.
    expected: u64,
    found: u64,
    /// What has come of the next band.
    begun: Vec<u8>,
    bands: Vec<Arc<Band>>,
    earlier: Option<Frame>,
    pool: &'static Pool,
}

impl FrameBuilder {
    /// For a frame of this size; what looks as in the earlier one is shared with it.
    pub fn new(size: ScreenSize, earlier: &Earlier) -> Result<Self, InvalidFrame> {
        Self::in_pool(size, earlier, Pool::shared())
    }

    /// For a frame of this size whose bytes count in this pool; what looks as in the earlier one is shared with it.
    pub fn in_pool(
        size: ScreenSize,
        earlier: &Earlier,
        pool: &'static Pool,
    ) -> Result<Self, InvalidFrame> {
        let expected = size.bytes()?;
        let earlier = earlier.frame().filter(|it| it.size() == size);
        // What the phone says of its size is believed when the pixels come.
        Ok(Self { size, expected, found: 0, begun: Vec::new(), bands: Vec::new(), earlier, pool })
    }

    /// The next bytes: red, green, blue and alpha of each pixel, row by row from the top left.
    pub fn push(&mut self, mut rgba: &[u8]) {
        self.found += rgba.len() as u64;
        while !rgba.is_empty() {
            let room = self.next_band() - self.begun.len();
            if room == 0 {
                // More than there can be, which is told at the end.
                return;
            }
            let (part, rest) = rgba.split_at(room.min(rgba.len()));
            rgba = rest;
            if self.begun.is_empty() && part.len() == room {
                self.pack(part);
                continue;
            }
            self.begun.extend_from_slice(part);
            if part.len() == room {
                let band = std::mem::take(&mut self.begun);
                self.pack(&band);
                self.begun = band;
                self.begun.clear();
            }
        }
    }

    /// The frame, if all of it has come and nothing more.
    pub fn finish(self) -> Result<Frame, InvalidFrame> {
        let Self { size, expected, found, bands, .. } = self;
        if found != expected {
            return Err(InvalidFrame::Length { size, expected, found });
        }
        Ok(Frame::of_bands(size, bands))
    }

    /// Bytes of the next band; none when all have come.
    fn next_band(&self) -> usize {
        let rows = (self.size.height as usize).saturating_sub(self.bands.len() * BAND_ROWS);
        rows.min(BAND_ROWS) * self.size.width as usize * 4
    }

    fn pack(&mut self, rgba: &[u8]) {
        let hash = hash(rgba);
        let before = self.earlier.as_ref().and_then(|it| it.bands().get(self.bands.len()));
        let band = match before {
            Some(before) if before.hash() == hash => before.clone(),
            _ => Arc::new(Band::new(hash, rgba, self.size.width as usize, self.pool)),
        };
        self.bands.push(band);
    }
}

impl Frame {
    /// A frame from RGBA pixels, four bytes each, row by row from the top left.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "made for this, and let go of when it is packed"
    )]
    pub fn new(size: ScreenSize, rgba: Bytes) -> Result<Self, InvalidFrame> {
        let mut builder = FrameBuilder::new(size, &Earlier::default())?;
        builder.push(&rgba);
        builder.finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: ScreenSize = ScreenSize { width: 1080, height: 2400 };
    const WHOLE: usize = 1080 * 2400 * 4;

    /// Pixels of which no two are alike, as in a photograph of sand.
    fn noise(seed: u32, bytes: usize) -> Vec<u8> {
        let mut state = seed | 1;
        let mut rgba = Vec::with_capacity(bytes);
        while rgba.len() < bytes {
            state ^= state << 13;
            state ^= state >> 17;
            state ^= state << 5;
            let [a, b, c, _] = state.to_be_bytes();
            rgba.extend_from_slice(&[a, b, c, 255]);
        }
        rgba
    }

    fn build(rgba: &[u8], size: ScreenSize, earlier: &Earlier, pool: &'static Pool) -> Frame {
        let mut builder = FrameBuilder::in_pool(size, earlier, pool).unwrap();
        rgba.chunks(100_000).for_each(|part| builder.push(part));
        builder.finish().unwrap()
    }

    fn pool(bytes: usize) -> &'static Pool {
        Box::leak(Box::new(Pool::of(bytes)))
    }

    proptest! {
        #[test]
        fn pixels_are_as_they_came_in_whatever_pieces(
            width in 1_u32..40, height in 1_u32..70, shades in prop::collection::vec(any::<u8>(), 1..9),
            piece in 1_usize..999, stretch in 1_usize..300,
        ) {
            let size = ScreenSize { width, height };
            let bytes = (width * height * 4) as usize;
            let shade = |at: usize| shades[at / stretch % shades.len()];
            let rgba: Vec<u8> = (0..bytes).map(shade).collect();
            let mut builder = FrameBuilder::new(size, &Earlier::default()).unwrap();
            rgba.chunks(piece).for_each(|part| builder.push(part));
            prop_assert_eq!(&builder.finish().unwrap().rgba()[..], &rgba[..]);
        }
    }

    #[test]
    fn eight_frames_that_do_not_pack_hold_what_is_promised_and_let_go_of_it() {
        let room = 2 * WHOLE;
        let pool = pool(room);
        let frames: Vec<Frame> = (0..8)
            .map(|seed| build(&noise(seed * 77, WHOLE), SIZE, &Earlier::default(), pool))
            .collect();
        // Twelve bits a pixel beyond the pool, where each would have had 32, and the bands' own fields.
        let bound = room + 8 * (WHOLE * 3 / 8 + 150 * 64);
        let held = pool.held_bytes();
        assert!(room < held && held <= bound, "{held} of {bound}");
        drop(frames);
        assert_eq!(pool.held_bytes(), 0, "nothing is kept");
        let whole = build(&noise(5, WHOLE), SIZE, &Earlier::default(), pool);
        assert_eq!(whole.rgba(), noise(5, WHOLE), "the pool has room again");
    }

    #[test]
    fn what_looks_as_before_is_held_once() {
        let pool = pool(2 * WHOLE);
        let mut rgba = noise(3, WHOLE);
        let first = build(&rgba, SIZE, &Earlier::default(), pool);
        let before = pool.held_bytes();
        rgba[WHOLE / 2] ^= 1;
        let next = build(&rgba, SIZE, &first.as_earlier(), pool);
        assert!(pool.held_bytes() - before < WHOLE / 100, "one band of 150");
        assert!(next != first && next.rgba() == rgba);
        let earlier = first.as_earlier();
        drop(first);
        assert!(earlier.frame().is_none(), "remembering a frame keeps nothing alive");
    }

    #[test]
    fn a_frame_that_the_pool_has_no_room_for_differs_from_one_it_has_only_where_it_was_captured_so()
    {
        let size = ScreenSize { width: 64, height: 40 };
        let mut rgba = noise(9, 64 * 40 * 4);
        let pool = pool(rgba.len());
        let first = build(&rgba, size, &Earlier::default(), pool);
        rgba[(64 * 20 + 9) * 4] ^= 0xff;
        // Nothing is shared, as after a frame in between.
        let second = build(&rgba, size, &Earlier::default(), pool);
        assert_ne!(second.rgba(), rgba, "it is held in half of its colours");
        assert_ne!(first.rows_hash(32..40), second.rows_hash(32..40), "so it has other pixels");
        for (one, other) in [(&first, &second), (&second, &first)] {
            let mut rows = Vec::new();
            one.for_differing_rows(other, 0..40, |y, _, _| {
                rows.push(y);
                true
            });
            assert!(rows.contains(&20) && rows.iter().all(|y| (20..22).contains(y)), "{rows:?}");
        }
    }

    #[test]
    fn a_band_that_does_not_pack_compares_by_its_own_pixels() {
        let pool = pool(0);
        let size = ScreenSize { width: 64, height: 40 };
        let mut rgba = noise(9, 64 * 40 * 4);
        let first = build(&rgba, size, &Earlier::default(), pool);
        assert_eq!(build(&rgba, size, &Earlier::default(), pool), first);
        rgba[(64 * 20 + 9) * 4] ^= 0xff;
        let other = build(&rgba, size, &first.as_earlier(), pool);
        let mut rows = Vec::new();
        first.for_differing_rows(&other, 0..40, |y, _, _| {
            rows.push(y);
            true
        });
        assert!(rows.contains(&20) && rows.iter().all(|y| (20..22).contains(y)), "{rows:?}");
    }
}
