//! A frame, scaled a strip at a time: neither it nor its picture is ever held whole.
use std::cell::RefCell;
use std::ops::Range;

use ayeaye_agent::{Frame, ScreenSize};
use fast_image_resize::images::{Image, ImageRef};
use fast_image_resize::{FilterType, PixelType, ResizeAlg, ResizeOptions, Resizer};

/// Rows of the picture that are made at a time: few enough for the processor's cache, and many beside the rows
/// at their edges that are needed twice.
const STRIP: usize = 128;

/// The rows of a frame's picture.
pub(super) struct ScaledRows<'a> {
    frame: &'a Frame,
    size: ScreenSize,
    strip: RefCell<Strip>,
}

#[derive(Default)]
struct Strip {
    rows: Range<usize>,
    rgba: Vec<u8>,
    resizer: Resizer,
}

impl<'a> ScaledRows<'a> {
    pub(super) fn new(frame: &'a Frame, size: ScreenSize) -> Self {
        Self { frame, size, strip: RefCell::default() }
    }

    /// That of the picture.
    pub(super) fn size(&self) -> ScreenSize {
        self.size
    }

    /// That of the frame.
    pub(super) fn source_size(&self) -> ScreenSize {
        self.frame.size()
    }

    /// Shows the pixels of one row. Rows are quickest in their order.
    pub(super) fn with_row(&self, y: usize, show: impl FnOnce(&[u8])) {
        let mut strip = self.strip.borrow_mut();
        if !strip.rows.contains(&y) {
            let begin = y / STRIP * STRIP;
            let rows = begin..(begin + STRIP).min(self.size.height as usize);
            strip.rgba = self.scale(&mut strip.resizer, rows.clone());
            strip.rows = rows;
        }
        let row = self.size.width as usize * 4;
        show(&strip.rgba[(y - strip.rows.start) * row..][..row]);
    }

    /// A number for all that some rows of the picture are made of.
    pub(super) fn source_hash(&self, rows: &Range<usize>) -> u64 {
        if self.size == self.frame.size() {
            return self.frame.rows_hash(rows.clone());
        }
        let (first, last) = self.source(rows);
        self.frame.rows_hash(first as usize..last as usize)
    }

    /// The first row of the frame that some rows of the picture depend on, and the one behind the last.
    fn source(&self, rows: &Range<usize>) -> (u32, u32) {
        let from = self.frame.size();
        // The filter widens with the scale, so that thin strokes of text do not vanish; so far beyond its
        // strip a row depends on others.
        let scale = self.scale_down();
        let reach = scale.max(1.0) + 1.0;
        #[expect(clippy::cast_precision_loss, reason = "rows are far below 2^52")]
        let (begin, end) = (rows.start as f64 * scale, rows.end as f64 * scale);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "0 to 8192")]
        ((begin - reach).max(0.0) as u32, ((end + reach).ceil() as u32).min(from.height))
    }

    /// Rows of the frame for each of the picture.
    fn scale_down(&self) -> f64 {
        f64::from(self.frame.size().height) / f64::from(self.size.height)
    }

    fn scale(&self, resizer: &mut Resizer, rows: Range<usize>) -> Vec<u8> {
        let from = self.frame.size();
        if self.size == from {
            return self.frame.rows(rows);
        }
        let (first, last) = self.source(&rows);
        #[expect(clippy::cast_precision_loss, reason = "rows are far below 2^52")]
        let (begin, end) =
            (rows.start as f64 * self.scale_down(), rows.end as f64 * self.scale_down());
        let source = self.frame.rows(first as usize..last as usize);
        let source = ImageRef::new(from.width, last - first, &source, PixelType::U8x4)
            .expect("a Frame has four bytes for each pixel");
        let height = u32::try_from(rows.len()).expect("at most a strip");
        let mut scaled = Image::new(self.size.width, height, PixelType::U8x4);
        let top = begin - f64::from(first);
        // At the end rounding must not reach beyond the last row.
        let tall = (end - begin).min(f64::from(last - first) - top);
        // The alpha of a capture means nothing.
        let options = ResizeOptions::new()
            .resize_alg(ResizeAlg::Convolution(FilterType::Bilinear))
            .crop(0.0, top, f64::from(from.width), tall)
            .use_alpha(false);
        resizer
            .resize(&source, &mut scaled, &options)
            .expect("both are of the same pixel type and not empty");
        scaled.into_vec()
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    /// As the whole frame is scaled at once.
    fn scaled_whole(frame: &Frame, size: ScreenSize) -> Vec<u8> {
        let (from, rgba) = (frame.size(), frame.rgba());
        let source = ImageRef::new(from.width, from.height, &rgba, PixelType::U8x4).unwrap();
        let mut scaled = Image::new(size.width, size.height, PixelType::U8x4);
        let bilinear = ResizeAlg::Convolution(FilterType::Bilinear);
        let options = ResizeOptions::new().resize_alg(bilinear).use_alpha(false);
        Resizer::new().resize(&source, &mut scaled, &options).unwrap();
        scaled.into_vec()
    }

    #[test]
    fn strips_join_without_a_seam() {
        let screen = |width, height| ScreenSize { width, height };
        for (from, to) in [
            (screen(90, 1000), screen(60, 667)),
            (screen(54, 999), screen(31, 321)),
            (screen(40, 300), screen(56, 420)),
            (screen(30, 700), screen(28, 13)),
            (screen(20, 1300), screen(20, 1300)),
            (screen(1, 1), screen(1, 1)),
        ] {
            let shade = |at: u32| u8::try_from((at / 4 * 7 + at / 90 * 13) % 251).unwrap();
            let rgba: Vec<u8> = (0..from.width * from.height * 4).map(shade).collect();
            let frame = Frame::new(from, Bytes::from(rgba)).unwrap();
            let rows = ScaledRows::new(&frame, to);
            let mut joined = Vec::new();
            (0..to.height as usize)
                .for_each(|y| rows.with_row(y, |row| joined.extend_from_slice(row)));
            let whole = scaled_whole(&frame, to);
            let off = joined.iter().zip(&whole).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(joined.len() == whole.len() && off.unwrap() <= 1, "{from} to {to}: {off:?}");
            rows.with_row(0, |row| assert_eq!(row, &joined[..row.len()], "rows may be read again"));
        }
    }
}
