//! When a screen has come to rest.
//!
//! After a gesture the screen moves for a while that nobody knows beforehand. Instead of sleeping,
//! the phone is captured until two frames are alike, and that last frame is what the model sees:
//! settling and looking share their captures.
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::{Device, DeviceError, Frame};

/// The times of the settle rule.
#[derive(Debug, Clone, Copy)]
pub struct SettleRule {
    /// From the end of the gesture to the first capture.
    pub first_look: Duration,
    /// Least time between the beginnings of two captures that are compared: shorter, and a slow
    /// animation looks as if it stood still.
    pub between: Duration,
    /// While the screen still looks as before the gesture, an answer may be on its way: so long it
    /// is waited for.
    pub patience: Duration,
    /// After this the screen is taken as it is (videos and spinners never rest).
    pub cap: Duration,
}

impl SettleRule {
    /// The rule for real phones.
    pub const USUAL: Self = Self {
        first_look: Duration::from_millis(80),
        between: Duration::from_millis(50),
        patience: Duration::from_millis(350),
        cap: Duration::from_secs(3),
    };
}

/// A look at the screen.
#[derive(Debug)]
pub struct ScreenCapture {
    /// The last capture.
    pub frame: Frame,
    /// How many were made.
    pub captures: u32,
    /// Whether the last two were alike; false when the cap came first.
    pub settled: bool,
    /// From the first capture's beginning to the last one's end.
    pub took: Duration,
}

/// Looks at a phone on which nothing was done just now: one capture.
pub async fn capture_once(device: &dyn Device) -> Result<ScreenCapture, DeviceError> {
    let begun = Instant::now();
    let frame = device.capture().await?;
    Ok(ScreenCapture { frame, captures: 1, settled: true, took: begun.elapsed() })
}

/// Captures until the screen has come to rest.
///
/// `before` is the frame the gesture was decided on, `since` when it was over (the first look has
/// been waited for by the caller).
pub async fn settle(
    device: &dyn Device,
    rule: &SettleRule,
    before: Option<&Frame>,
    since: Instant,
) -> Result<ScreenCapture, DeviceError> {
    let begun = Instant::now();
    let mut last_began = begun;
    let mut last = device.capture().await?;
    let mut captures = 1;
    loop {
        let over = rule.cap <= since.elapsed();
        if over {
            return Ok(ScreenCapture {
                frame: last,
                captures,
                settled: false,
                took: begun.elapsed(),
            });
        }
        sleep_until(last_began + rule.between).await;
        last_began = Instant::now();
        let next = device.capture().await?;
        captures += 1;
        let at_rest = looks_same(&last, &next);
        let unmoved = before.is_some_and(|before| looks_same(before, &next));
        last = next;
        if at_rest && (!unmoved || rule.patience <= since.elapsed()) {
            return Ok(ScreenCapture {
                frame: last,
                captures,
                settled: true,
                took: begun.elapsed(),
            });
        }
    }
}

/// The part of the height at the top where the clock and the icons live.
const STATUS_BAR: f64 = 0.045;
/// Differing pixels that mean nothing, as a part of all (Maestro uses the same).
const NOISE: f64 = 0.000_05;
/// A caret: at most this part of the width and height.
const CARET: (f64, f64) = (0.015, 0.06);

/// Whether two frames show the same, a clock and a blinking caret aside.
pub fn looks_same(a: &Frame, b: &Frame) -> bool {
    if a.size() != b.size() {
        return false;
    }
    if a.rgba() == b.rgba() {
        return true;
    }
    let size = a.size();
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    let row_bytes = size.width as usize * 4;
    let rows = a.rgba().chunks_exact(row_bytes).zip(b.rgba().chunks_exact(row_bytes));
    let mut differing = 0_u64;
    let (mut left, mut right) = (usize::MAX, 0);
    let (mut top, mut bottom) = (usize::MAX, 0);
    for (y, (row_a, row_b)) in rows.enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "rows are far below 2^52")]
        let in_status_bar = (y as f64) < height * STATUS_BAR;
        if in_status_bar || row_a == row_b {
            continue;
        }
        top = top.min(y);
        bottom = y;
        let pixels = row_a.chunks_exact(4).zip(row_b.chunks_exact(4));
        for (x, _) in pixels.enumerate().filter(|(_, (p, q))| p != q) {
            differing += 1;
            left = left.min(x);
            right = right.max(x);
        }
    }
    if differing == 0 {
        return true;
    }
    #[expect(clippy::cast_precision_loss, reason = "pixels are far below 2^52")]
    let (count, wide, high) =
        (differing as f64, (right - left + 1) as f64, (bottom - top + 1) as f64);
    count <= width * height * NOISE || (wide <= width * CARET.0 && high <= height * CARET.1)
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::ScreenSize;

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
        assert!(looks_same(&plain, &clock));
        assert!(looks_same(&plain, &caret));
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
