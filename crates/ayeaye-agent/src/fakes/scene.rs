//! How screens change after a touch, in ways that apps' do: at once, as a whole, in a small place, fading, with what
//! goes on for ever, and with rests in between.
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use std::time::Duration;

use bytes::Bytes;

use crate::{Frame, ScreenSize};

/// Large enough for a caret to be as thin as one.
pub(crate) const SIZE: ScreenSize = ScreenSize { width: 140, height: 280 };
/// Screens are drawn so often.
const FRAME: u128 = 16;

/// A change from one page to the next; times count from the touch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PageChange {
    pub(crate) kind: SceneKind,
    /// Until then the page before is there.
    pub(crate) answer: Duration,
    /// From then on it moves for so long.
    pub(crate) moving: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SceneKind {
    /// The next page is there at once.
    AtOnce,
    /// Nothing comes of it.
    Nothing,
    /// The next page slides in.
    Slide,
    /// It fades in, ever more slowly.
    Fade,
    /// It is there at once but for a small place, such as a switch that goes over.
    Small,
    /// A circle turns until it is there.
    Spinner,
    /// There is a caret, which blinks for ever.
    Caret,
    /// There is a clock with seconds in the status bar.
    Clock,
    /// There is a picture near the bottom that is another one every three seconds.
    Banner,
    /// Something else stands still until it is there, as a pressed button or a splash screen does.
    Plateau,
    /// It is there at once but for its contents, which come all together.
    Late,
}

/// A page of one shade, and at most two places on it.
type Picture = (u8, [Option<(usize, usize, usize, usize, u8)>; 2]);

impl PageChange {
    /// What was there before a page.
    pub(crate) fn before(page: u32) -> Frame {
        drawn((shade(page.wrapping_sub(1)), [None, None]))
    }

    /// What it shows of a page so long after the touch.
    pub(crate) fn paint(self, page: u32, since: Duration) -> Frame {
        let (before, after) = (shade(page.wrapping_sub(1)), shade(page));
        let count = |time: Duration| usize::try_from(time.as_millis() / FRAME).expect("few");
        let (step, steps) = (count(since.saturating_sub(self.answer)), count(self.moving));
        let answered = self.answer <= since;
        let rests = self.answer + self.moving <= since;
        let plain = |shade| (shade, [None, None]);
        let with = |shade, place| (shade, [Some(place), None]);
        let blinks = |every: u128| (since.as_millis() / every).is_multiple_of(2);
        let contents = (20, 100, 100, 60, 255);
        drawn(match self.kind {
            SceneKind::Nothing => plain(before),
            _ if !answered => plain(before),
            SceneKind::Slide if !rests => {
                let width = SIZE.width as usize;
                let shown = width * (step + 1) / (steps + 2);
                with(before, (width - shown, 0, shown, SIZE.height as usize, after))
            }
            SceneKind::Fade if !rests => {
                let whole = steps + 2;
                let left = whole.saturating_sub(step + 1);
                let part = |of: u8| usize::from(of) * left * left / (whole * whole);
                let far = part(before.abs_diff(after));
                let far = u8::try_from(far).expect("no more than the whole");
                plain(if after < before { after + far } else { after - far })
            }
            SceneKind::Small if !rests => with(after, (10 + step % 100, 140, 10, 6, 250)),
            SceneKind::Spinner if !rests => {
                let turned = step % 8;
                with(before, (60 + turned % 4 * 4, 130 + turned / 4 * 4, 6, 6, 250))
            }
            SceneKind::Caret if blinks(500) => with(after, (70, 140, 2, 12, 0)),
            SceneKind::Clock => {
                let second = usize::try_from(since.as_secs() % 10).expect("a digit");
                with(after, (8 + second, 2, 6, 8, 0))
            }
            SceneKind::Banner => {
                let picture = u8::try_from(since.as_secs() / 3 % 5).expect("few");
                with(after, (0, 220, 140, 50, 30 * picture))
            }
            SceneKind::Plateau if !rests => with(before, (20, 60, 40, 20, 250)),
            SceneKind::Late if !rests => plain(after),
            SceneKind::Late => with(after, contents),
            _ => plain(after),
        })
    }
}

fn shade(page: u32) -> u8 {
    40 + u8::try_from(page % 4 * 50).expect("a shade")
}

/// Frames are made once.
fn drawn(picture: Picture) -> Frame {
    static DRAWN: LazyLock<Mutex<HashMap<Picture, Frame>>> = LazyLock::new(Mutex::default);
    let mut drawn = DRAWN.lock().expect("no test panics while it holds this");
    drawn.entry(picture).or_insert_with(|| frame(picture)).clone()
}

fn frame((shade, places): Picture) -> Frame {
    let (width, height) = (SIZE.width as usize, SIZE.height as usize);
    let mut rows = vec![shade; width * height];
    for (left, top, wide, high, colour) in places.into_iter().flatten() {
        for y in top..(top + high).min(height) {
            rows[y * width + left..y * width + (left + wide).min(width)].fill(colour);
        }
    }
    let rgba: Vec<u8> = rows.into_iter().flat_map(|v| [v, v, v, 255]).collect();
    Frame::new(SIZE, Bytes::from(rgba)).expect("whole")
}
