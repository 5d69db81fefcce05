//! What its screen shows.
use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::{FakeDevice, Motion};
use crate::fakes::PageChange;
use crate::{CaptureDigest, Frame, ScreenSize};

pub(super) const SIZE: ScreenSize = ScreenSize { width: 60, height: 120 };
/// So large that a pixel that differs is too little to count.
pub(super) const SIZE_WITH_CARET: ScreenSize = ScreenSize { width: 120, height: 240 };

impl FakeDevice {
    /// What it showed before it was touched last.
    pub(crate) fn page_before(&self) -> Frame {
        let inner = self.inner();
        let before = inner.page.wrapping_sub(1);
        match inner.motion {
            Motion::Shows(_) => PageChange::before(inner.page),
            _ => still(inner.size, before),
        }
    }

    /// It has been touched, and is not at rest yet.
    pub(super) fn is_moving(&self) -> bool {
        let inner = self.inner();
        match inner.motion {
            Motion::Takes { answer, moving } => inner.touched.elapsed() < answer + moving,
            _ => false,
        }
    }

    /// The page, and while it moves, something that is never twice the same.
    pub(super) fn paint(&self) -> Frame {
        let inner = self.inner();
        let since = inner.touched.elapsed();
        let blend = u32::try_from(since.as_millis() % 60_000).expect("small") / 7;
        let (page, mixed) = match inner.motion {
            Motion::Shows(scene) => return scene.paint(inner.page, since),
            Motion::Takes { answer, .. } if since < answer => (inner.page.saturating_sub(1), 0),
            Motion::Takes { answer, moving } if since < answer + moving => (inner.page, 1 + blend),
            Motion::Takes { .. } | Motion::AtOnce | Motion::Dead => (inner.page, 0),
            Motion::ToAndFro => (inner.page % 2, 0),
            Motion::Endless => (inner.page, 1 + blend),
        };
        let colour = [shade(page), mixed % 251, mixed / 251 + 10];
        if inner.caret { with_caret(inner.size, colour) } else { frame(inner.size, colour) }
    }
}

impl FakeDevice {
    /// With its digest, where it makes any.
    pub(super) fn paint_with_digest(&self) -> Frame {
        let frame = self.paint();
        let makes = self.inner().digest_takes.is_some();
        let digest = makes.then(|| CaptureDigest(Sha256::digest(frame.rgba()).into()));
        frame.with_digest(digest)
    }
}

/// A page that stands still.
fn still(size: ScreenSize, page: u32) -> Frame {
    frame(size, [shade(page), 0, 10])
}

fn shade(page: u32) -> u32 {
    page.wrapping_mul(37) % 200 + 20
}

/// A screen of one colour.
pub(super) fn frame(size: ScreenSize, colour: [u32; 3]) -> Frame {
    Frame::new(size, Bytes::from(pixels(size, colour))).expect("whole")
}

/// A screen of one colour with a caret in its middle.
fn with_caret(size: ScreenSize, colour: [u32; 3]) -> Frame {
    let mut rgba = pixels(size, colour);
    let middle = (size.height / 2 * size.width + size.width / 2) as usize * 4;
    rgba[middle] ^= 0xff;
    Frame::new(size, Bytes::from(rgba)).expect("whole")
}

fn pixels(size: ScreenSize, colour: [u32; 3]) -> Vec<u8> {
    let byte = |n: u32| u8::try_from(n).expect("a colour");
    let pixel = [byte(colour[0]), byte(colour[1]), byte(colour[2]), 255];
    pixel.repeat((size.width * size.height) as usize)
}
