//! Waiting for the screen to settle.
//!
//! Nobody knows beforehand how long a screen moves after a gesture. Instead of sleeping for a fixed
//! time, the phone is captured until two frames look the same, and the last frame is what the model is
//! shown: no capture is wasted.
mod difference;
mod settling;
pub(crate) mod times;

use std::ops::Range;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

pub(crate) use self::difference::Difference;
use self::difference::STATUS_BAR;
pub(crate) use self::settling::Settling;
use self::times::Expected;
use crate::{Device, DeviceError, Frame, ScreenSize};

/// The timing of the settle rule.
#[derive(Debug, Clone, Copy)]
pub struct SettleRule {
    /// From the end of the gesture to the first capture, until it is known how long this phone takes.
    pub first_look: Duration,
    /// Least time between the beginnings of two compared captures; any shorter, and a slow animation
    /// would look settled.
    pub between: Duration,
    /// How long to wait for a reaction while the screen still looks as it did before the gesture.
    pub patience: Duration,
    /// After this time the screen is taken as it is (videos and spinners never settle).
    pub cap: Duration,
    /// Animations are switched off: a screen is likely to be at rest when it has changed.
    pub at_once: bool,
}

impl SettleRule {
    /// The rule for real phones.
    pub const USUAL: Self = Self {
        first_look: Duration::from_millis(80),
        between: Duration::from_millis(50),
        patience: Duration::from_millis(350),
        cap: Duration::from_secs(3),
        at_once: false,
    };
}

/// A capture of the screen, and how it was obtained.
#[derive(Debug)]
pub struct ScreenCapture {
    /// The last capture.
    pub frame: Frame,
    /// Number of captures made.
    pub captures: u32,
    /// Whether the last ones looked the same for long enough; false when the cap was reached first.
    pub settled: bool,
    /// From the end of the gesture to the beginning of the first capture, where there was a gesture.
    pub first_look: Option<Duration>,
    /// From the beginning of the first capture to the last one's end.
    pub took: Duration,
    /// When the last capture began: it shows the screen as it was then.
    pub seen_at: Instant,
}

/// A frame of a screen that may still move.
#[derive(Debug, Clone)]
pub(crate) struct EarlyFrame {
    /// When its capture began.
    pub(crate) began: Instant,
    /// And when it was over.
    pub(crate) ended: Instant,
    /// What was seen.
    pub(crate) frame: Frame,
    /// It is a frame of before: that the screen still shows it was told by its digest, and no capture was carried.
    pub(crate) by_digest: bool,
}

/// One capture, for a phone on which nothing has just been done.
pub async fn capture_once(device: &dyn Device) -> Result<ScreenCapture, DeviceError> {
    let begun = Instant::now();
    let frame = device.capture().await?;
    let took = begun.elapsed();
    Ok(ScreenCapture { frame, captures: 1, settled: true, first_look: None, took, seen_at: begun })
}

/// Captures until the screen has settled.
///
/// `before` is the frame that the gesture was decided on, `since` the time when it was over. The caller
/// has already waited for [`SettleRule::first_look`].
pub async fn settle(
    device: &dyn Device,
    rule: &SettleRule,
    before: Option<&Frame>,
    since: Instant,
) -> Result<ScreenCapture, DeviceError> {
    let first = capture_at(device, Instant::now()).await?;
    let expected = Expected::of_unknown(rule);
    let settling = go_on(device, Settling::new(expected, before.cloned(), since, first)).await?;
    Ok(settling.capture())
}

/// Captures until a screen that has been looked at has settled.
pub(crate) async fn go_on(
    device: &dyn Device,
    mut settling: Settling,
) -> Result<Settling, DeviceError> {
    while !settling.is_over() {
        let next = Box::pin(settling.look_again(device)).await?;
        settling.add(next);
    }
    Ok(settling)
}

/// A capture that begins then, or at once if that is over.
pub(crate) async fn capture_at(
    device: &dyn Device,
    time: Instant,
) -> Result<EarlyFrame, DeviceError> {
    sleep_until(time).await;
    let began = Instant::now();
    let frame = device.capture().await?;
    Ok(EarlyFrame { began, ended: Instant::now(), frame, by_digest: false })
}

/// A look, begun then, at a screen that is likely to show one of these frames still. Where the phone can tell so by a
/// digest, no capture is carried.
pub(crate) async fn look_again(
    device: &dyn Device,
    time: Instant,
    seen: &[Frame],
) -> Result<EarlyFrame, DeviceError> {
    sleep_until(time).await;
    let began = Instant::now();
    if seen.iter().any(|it| it.digest().is_some())
        && let digest @ Some(_) = device.capture_digest().await?
        && let Some(frame) = seen.iter().find(|it| it.digest() == digest)
    {
        let (ended, frame) = (Instant::now(), frame.clone());
        return Ok(EarlyFrame { began, ended, frame, by_digest: true });
    }
    capture_at(device, Instant::now()).await
}

/// One pixel out of so many may differ in a place that looks the same: less than a short word.
const SAME_PLACE: u64 = 500;

/// The rows of a screen that are below its status bar.
pub(crate) fn below_status_bar(size: ScreenSize) -> Range<usize> {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "rows of a screen")]
    let bar = (f64::from(size.height) * STATUS_BAR).ceil() as usize;
    bar..size.height as usize
}

/// Whether two frames look the same for a screen that settles: apart from the status bar, and from what is no larger
/// than a caret with what is around it. A small digit that has changed counts for nothing here: see `is_unchanged`.
pub fn looks_same(a: &Frame, b: &Frame) -> bool {
    // What is no noise any more will not be again.
    difference(a, b, Difference::is_noise).is_some_and(|it| it.is_noise())
}

/// Whether two frames show the same, apart from the status bar and a caret that blinks.
pub(crate) fn is_unchanged(a: &Frame, b: &Frame) -> bool {
    difference(a, b, Difference::may_be_caret).is_some_and(|it| it.is_none_or_caret())
}

/// Whether two frames show the same in one place: left, top, right and bottom in pixels, the last two outside. A letter
/// may look as a caret does, so a caret counts for nothing only where there `may_be_caret`.
pub(crate) fn is_unchanged_at(a: &Frame, b: &Frame, place: [i32; 4], may_be_caret: bool) -> bool {
    let goes_on = |it: &Difference| if may_be_caret { it.may_be_caret() } else { it.is_none() };
    let difference = difference_at(a, b, place, goes_on);
    difference.is_some_and(|it| it.is_none() || may_be_caret && it.is_none_or_caret())
}

/// Where two frames of one size differ, as far as it goes on to matter.
fn difference(a: &Frame, b: &Frame, goes_on: impl Fn(&Difference) -> bool) -> Option<Difference> {
    difference_at(a, b, [0, 0, i32::MAX, i32::MAX], goes_on)
}

/// Where two frames of one size differ in one place, as far as it goes on to matter.
fn difference_at(
    a: &Frame,
    b: &Frame,
    place: [i32; 4],
    goes_on: impl Fn(&Difference) -> bool,
) -> Option<Difference> {
    if a.size() != b.size() {
        return None;
    }
    let (columns, rows) = inside(place, a.size());
    let mut difference = Difference::new(a.size());
    a.for_differing_rows(b, rows, |y, row_a, row_b| {
        let part = |row| <[u8]>::get(row, columns.start * 4..columns.end * 4).unwrap_or_default();
        let pixels = part(row_a).chunks_exact(4).zip(part(row_b).chunks_exact(4));
        difference.add_row(y, pixels.map(|(p, q)| p != q));
        goes_on(&difference)
    });
    Some(difference)
}

/// The columns and rows of a place that are on the screen.
fn inside([left, top, right, bottom]: [i32; 4], size: ScreenSize) -> (Range<usize>, Range<usize>) {
    let inside = |v: i32, most: u32| usize::try_from(v).unwrap_or(0).min(most as usize);
    let (left, right) = (inside(left, size.width), inside(right, size.width));
    let (top, bottom) = (inside(top, size.height), inside(bottom, size.height));
    (left..right, top..bottom)
}

/// Whether two frames look the same in one place: left, top, right and bottom in pixels, the last two
/// outside.
pub(crate) fn looks_same_at(a: &Frame, b: &Frame, place: [i32; 4]) -> bool {
    if a.size() != b.size() {
        return false;
    }
    let (columns, rows) = inside(place, a.size());
    let area = (columns.len() * rows.len()) as u64;
    let mut differing = 0_u64;
    a.for_differing_rows(b, rows, |_, row_a, row_b| {
        let part = |row| <[u8]>::get(row, columns.start * 4..columns.end * 4).unwrap_or_default();
        let pixels = part(row_a).chunks_exact(4).zip(part(row_b).chunks_exact(4));
        differing += pixels.filter(|(p, q)| p != q).count() as u64;
        true
    });
    differing * SAME_PLACE <= area
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;

    const SIZE: ScreenSize = ScreenSize { width: 200, height: 400 };

    fn frame(paint: impl Fn(u32, u32) -> u8) -> Frame {
        let mut rgba = Vec::new();
        for y in 0..SIZE.height {
            for x in 0..SIZE.width {
                let v = paint(x, y);
                rgba.extend([v, v, v, 255]);
            }
        }
        Frame::new(SIZE, Bytes::from(rgba)).unwrap()
    }

    #[test]
    fn a_clock_and_a_caret_are_not_movement() {
        let plain = frame(|_, _| 100);
        let clock = frame(|x, y| if y < 12 && x < 60 { 0 } else { 100 });
        let caret = frame(|x, y| if x == 50 && (200..220).contains(&y) { 0 } else { 100 });
        for same in [looks_same, is_unchanged] {
            assert!(same(&plain, &clock));
            assert!(same(&plain, &caret));
        }
    }

    #[test]
    fn what_is_no_caret_is_told_by_its_first_rows_and_as_it_would_be_by_all() {
        let size = ScreenSize { width: 400, height: 800 };
        let white = vec![255; (size.width * size.height * 4) as usize];
        let plain = Frame::new(size, Bytes::from(white)).unwrap();
        let mut carets = 0;
        for (wide, high) in (0..8).flat_map(|wide| (0..60).map(move |high| (wide, high))) {
            let other = plain.with_black_areas(&[[200, 300, 200 + wide, 300 + high]]);
            let whole = difference(&plain, &other, |_| true).unwrap();
            assert_eq!(is_unchanged(&plain, &other), whole.is_none_or_caret(), "{wide} x {high}");
            carets += u32::from(0 < wide && 0 < high && whole.is_none_or_caret());
        }
        assert!(0 < carets);
        let rows = std::cell::Cell::new(0);
        let other = plain.with_black_areas(&[[0, 0, 400, 800]]);
        difference(&plain, &other, |it| {
            rows.set(rows.get() + 1);
            it.may_be_caret()
        });
        // The status bar, and one row below it.
        assert_eq!(rows.get(), 37);
    }

    #[test]
    fn a_caret_of_small_text_on_a_large_tablet_is_one() {
        // 1056 dp at 160 dpi: 12 sp are 14 pixels high.
        let size = ScreenSize { width: 1056, height: 1690 };
        let white = vec![255; (size.width * size.height * 4) as usize];
        let plain = Frame::new(size, Bytes::from(white)).unwrap();
        let with = |wide, high| plain.with_black_areas(&[[500, 800, 500 + wide, 800 + high]]);
        for width in 1..=3 {
            assert!(is_unchanged(&plain, &with(width, 14)), "{width}");
        }
        assert!(!is_unchanged(&plain, &with(5, 14)), "a letter");
        assert!(!is_unchanged(&plain, &with(1, 9)), "a part of one");
    }

    #[test]
    fn a_digit_that_becomes_another_is_a_change_though_a_screen_settles_all_the_same() {
        // 3 and 8, three pixels wide and six high.
        let digit = |left: [u32; 6]| {
            frame(move |x, y| {
                let row = y.checked_sub(200).filter(|row| *row < 6);
                let columns = row.and_then(|row| left.get(row as usize));
                let at = x.checked_sub(50).filter(|at| *at < 3);
                let dark =
                    columns.zip(at).is_some_and(|(columns, at)| columns >> (2 - at) & 1 == 1);
                if dark { 0 } else { 100 }
            })
        };
        let three = digit([0b111, 0b001, 0b111, 0b001, 0b001, 0b111]);
        let eight = digit([0b111, 0b101, 0b111, 0b101, 0b101, 0b111]);
        assert!(looks_same(&three, &eight));
        assert!(!is_unchanged(&three, &eight));
        // A check mark in a box of 18 dp, on a tablet held sideways: there is more width than height.
        let wide = ScreenSize { width: 640, height: 400 };
        let mut rgba = vec![100; (wide.width * wide.height * 4) as usize];
        let blank = Frame::new(wide, Bytes::from(rgba.clone())).unwrap();
        for (x, y) in (300..309).flat_map(|x| (200..209).map(move |y| (x, y))) {
            rgba[(y * wide.width as usize + x) * 4] = 0;
        }
        let ticked = Frame::new(wide, Bytes::from(rgba)).unwrap();
        assert!(!is_unchanged(&blank, &ticked));
        assert!(!looks_same(&blank, &ticked));
    }

    #[test]
    fn a_button_and_a_slide_are() {
        let plain = frame(|_, _| 100);
        let button =
            frame(|x, y| if (40..80).contains(&x) && (200..220).contains(&y) { 0 } else { 100 });
        let two_specks = frame(|x, y| u8::from(!(y == 100 || y == 300) || x != 5) * 100);
        assert!(!looks_same(&plain, &button));
        assert!(looks_same(&plain, &two_specks), "four pixels of eighty thousand are noise");
        let slid = frame(|x, _| if x < 100 { 0 } else { 100 });
        assert!(!looks_same(&plain, &slid));
    }
}
