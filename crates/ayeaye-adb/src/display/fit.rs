//! A capture of the panel, made into what is drawn on it.
use ayeaye_agent::{Frame, InvalidFrame, ScreenSize};
use ayeaye_frame::{Earlier, FrameBuilder};

use crate::parse::Viewport;

/// The part of a capture that is the screen, and the size that touches refer to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fit {
    /// Left, top, right and bottom in the capture, the last two outside.
    from: [u32; 4],
    to: ScreenSize,
}

impl Fit {
    /// For captures of this size; `None` if they cannot be of this panel.
    pub(super) fn new(captures: ScreenSize, viewport: &Viewport) -> Option<Self> {
        let to = viewport.logical;
        if captures == to {
            return None;
        }
        let [left, top, right, bottom] = viewport.shown_at;
        let inside = left < right && top < bottom && right <= captures.width;
        if captures == viewport.panel_size && inside && bottom <= captures.height {
            return Some(Self { from: viewport.shown_at, to });
        }
        // Some phones do not name the panel's size, but its shape must be the same.
        let across = u64::from(captures.width) * u64::from(to.height);
        let down = u64::from(captures.height) * u64::from(to.width);
        let alike = across.abs_diff(down) * 100 <= across;
        alike.then_some(Self { from: [0, 0, captures.width, captures.height], to })
    }

    /// Cut out and scaled; where it becomes smaller, each pixel is the mean of those it stands for. What looks as in
    /// the earlier one is shared with it.
    pub(super) fn apply(&self, frame: &Frame, earlier: &Earlier) -> Frame {
        // Both sizes have been checked; should they not fit after all, the capture stays as it was.
        self.scaled(frame, earlier).unwrap_or_else(|_| frame.clone())
    }

    fn scaled(&self, frame: &Frame, earlier: &Earlier) -> Result<Frame, InvalidFrame> {
        let [left, top, right, bottom] = self.from;
        let columns = spans(left, right, self.to.width);
        let rows = spans(top, bottom, self.to.height);
        let mut rows = rows.iter().peekable();
        let mut builder = FrameBuilder::new(self.to, earlier)?;
        // The row that is being made. Of the capture there is never more than a few rows.
        let mut sums = vec![[0_u32; 4]; columns.len()];
        let mut made = Vec::with_capacity(columns.len() * 4);
        frame.for_rows(top as usize..bottom as usize, |y, row| {
            let pixels: &[[u8; 4]] = row.as_chunks().0;
            while let Some(&&(first, last)) = rows.peek()
                && (first..last).contains(&y)
            {
                for (sum, &(left, right)) in sums.iter_mut().zip(&columns) {
                    for pixel in pixels.get(left..right).unwrap_or_default() {
                        sum.iter_mut().zip(pixel).for_each(|(sum, part)| *sum += u32::from(*part));
                    }
                }
                if y + 1 < last {
                    break;
                }
                made.clear();
                for (sum, (left, right)) in sums.iter().zip(&columns) {
                    let count = u32::try_from((right - left) * (last - first)).unwrap_or(u32::MAX);
                    made.extend(sum.map(|sum| u8::try_from(sum / count.max(1)).unwrap_or(u8::MAX)));
                }
                builder.push(&made);
                sums.fill([0; 4]);
                rows.next();
            }
        });
        builder.finish()
    }
}

/// For each of so many pixels, those it stands for between `first` and `end`; at least one.
fn spans(first: u32, end: u32, count: u32) -> Vec<(usize, usize)> {
    let length = u64::from(end - first);
    let edge = |n: u32| u64::from(first) + u64::from(n) * length / u64::from(count.max(1));
    let place = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
    (0..count).map(|n| (place(edge(n)), place(edge(n + 1).max(edge(n) + 1)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn size(width: u32, height: u32) -> ScreenSize {
        ScreenSize { width, height }
    }

    fn viewport(logical: ScreenSize, shown_at: [u32; 4], panel_size: ScreenSize) -> Viewport {
        Viewport {
            display: 0,
            panel: None,
            internal: true,
            active: true,
            logical,
            shown_at,
            panel_size,
        }
    }

    #[test]
    fn the_screen_is_cut_out_of_the_panel_and_scaled() {
        // Two by two, doubled, between black bars at the top and the bottom.
        let panel = size(4, 8);
        let fit = Fit::new(panel, &viewport(size(2, 2), [0, 2, 4, 6], panel)).unwrap();
        let grey = |x: usize, y: usize| match y {
            0..2 | 6..8 => 0,
            _ => [[10, 20], [30, 40]][(y - 2) / 2][x / 2],
        };
        let rgba: Vec<u8> =
            (0..8).flat_map(|y| (0..4).flat_map(move |x| [grey(x, y), 0, 0, 255])).collect();
        let frame = Frame::new(panel, rgba.into()).unwrap();
        let screen = fit.apply(&frame, &Earlier::default());
        assert_eq!(screen.size(), size(2, 2));
        let reds: Vec<u8> = screen.rgba().chunks_exact(4).map(|pixel| pixel[0]).collect();
        assert_eq!(reds, [10, 20, 30, 40]);
        // And back to more pixels than there are.
        let larger = Fit { from: [0, 0, 2, 2], to: size(5, 5) }.apply(&screen, &Earlier::default());
        assert_eq!(larger.rgba()[0], 10);
        assert_eq!(larger.rgba()[(5 * 5 - 1) * 4], 40);
    }

    #[test]
    fn each_pixel_is_the_mean_of_its_own_and_what_looks_as_before_is_shared() {
        let captured = size(90, 160);
        let shade = |at: usize| u8::try_from(at * 7 % 251).unwrap();
        let rgba: Vec<u8> = (0..90 * 160 * 4).map(shade).collect();
        let frame = Frame::new(captured, rgba.clone().into()).unwrap();
        for to in [size(60, 107), size(90, 53), size(200, 300), size(13, 400)] {
            let fit = Fit { from: [3, 5, 87, 155], to };
            let scaled = fit.apply(&frame, &Earlier::default());
            assert_eq!(scaled.size(), to);
            let pixels = scaled.rgba();
            let (rows, columns) = (spans(5, 155, to.height), spans(3, 87, to.width));
            for (y, (top, bottom)) in rows.into_iter().enumerate() {
                for (x, &(left, right)) in columns.iter().enumerate() {
                    let places = (top..bottom).flat_map(|y| (left..right).map(move |x| (x, y)));
                    let blue = |(x, y)| u32::from(rgba[(y * 90 + x) * 4 + 2]);
                    let blues: Vec<u32> = places.map(blue).collect();
                    let mean = blues.iter().sum::<u32>() / u32::try_from(blues.len()).unwrap();
                    let at = (y * to.width as usize + x) * 4 + 2;
                    assert_eq!(u32::from(pixels[at]), mean, "{to}: {x},{y}");
                }
            }
            let mut next = rgba.clone();
            next[(150 * 90 + 40) * 4] ^= 0xff;
            let next = Frame::new(captured, next.into()).unwrap();
            let next = fit.apply(&next, &scaled.as_earlier());
            let (shared, height) = (next.rows_shared_with(&scaled), to.height as usize);
            assert!((height / 2..height).contains(&shared), "{to}: {shared}");
        }
    }

    #[test]
    fn only_a_capture_of_this_panel_is_scaled() {
        let (panel, set) = (size(1440, 3200), size(1080, 2400));
        let whole = viewport(set, [0, 0, 1440, 3200], panel);
        assert!(Fit::new(panel, &whole).is_some());
        assert_eq!(Fit::new(set, &whole), None);
        assert_eq!(Fit::new(size(1000, 1000), &whole), None);
        let vague = viewport(set, [0, 0, 1080, 2400], set);
        assert_eq!(Fit::new(panel, &vague).unwrap().from, [0, 0, 1440, 3200]);
    }
}
