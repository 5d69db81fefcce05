//! An animated GIF, frame by frame.
//!
//! A frame holds what has changed since the one before it; the rest stays on the screen. Colours are
//! chosen for each frame. The same pictures give the same bytes.
use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::canvas::{Area, Canvas, is_alike};
use super::palette::{self, Indexed};

/// How far a channel may be off before a pixel counts as changed: pictures that were kept as JPEG
/// are never quite alike where they show the same.
const ALIKE: u8 = 4;
/// How far the channels of a block may spread that becomes one colour, and how many colours a frame
/// has beside the one for what stays: the first that makes the frame small enough is taken.
const REDUCTIONS: [(u8, usize); 6] = [(8, 63), (8, 31), (8, 15), (24, 15), (48, 15), (80, 15)];
/// Makes a mosaic of anything, for photos and noise that the others cannot make small.
const MOSAIC: (u8, usize) = (u8::MAX, 15);
/// Bytes of a frame that are enough; a screen full of text has 6,000 to 24,000.
const ENOUGH: usize = 24_000;
/// Bytes above which a frame becomes a mosaic.
const TOO_MANY: usize = 40_000;

/// A GIF that is being made. It is played again and again.
pub(crate) struct Animation {
    encoder: Encoder<Vec<u8>>,
    /// What is to be seen after the frames so far.
    shown: Option<Canvas>,
}

impl Animation {
    /// One of this size; `None` if there is no GIF of that size.
    pub(crate) fn new(width: u32, height: u32) -> Option<Self> {
        let (width, height) = (u16::try_from(width).ok()?, u16::try_from(height).ok()?);
        let mut encoder = Encoder::new(Vec::new(), width, height, &[]).ok()?;
        encoder.set_repeat(Repeat::Infinite).ok()?;
        Some(Self { encoder, shown: None })
    }

    /// Adds a picture of the animation's size, to be seen for so many hundredths of a second. Where it
    /// would take too many bytes the part in `photo` becomes coarser.
    pub(crate) fn add(&mut self, mut canvas: Canvas, photo: Area, hundredths: u16) -> Option<()> {
        let mut frame = Frame::default();
        let mut flattened = None;
        for (span, colours) in REDUCTIONS.into_iter().chain([MOSAIC]) {
            if (span, colours) == MOSAIC && frame.buffer.len() <= TOO_MANY {
                break;
            }
            if flattened.replace(span) != Some(span) {
                palette::flatten_within(&mut canvas, photo, span);
            }
            frame = self.frame(&canvas, colours)?;
            frame.make_lzw_pre_encoded();
            if frame.buffer.len() <= ENOUGH {
                break;
            }
        }
        frame.delay = hundredths;
        self.encoder.write_lzw_pre_encoded_frame(&frame).ok()?;
        match &mut self.shown {
            Some(shown) => shown.take_changes(&canvas, ALIKE),
            None => self.shown = Some(canvas),
        }
        Some(())
    }

    /// The file.
    pub(crate) fn finish(self) -> Option<Vec<u8>> {
        self.encoder.into_inner().ok()
    }

    /// What of a picture has to be drawn, with colours of its own.
    fn frame(&self, canvas: &Canvas, colours: usize) -> Option<Frame<'static>> {
        let area = match &self.shown {
            Some(shown) => shown.changed_area(canvas, ALIKE),
            None => canvas.area(),
        };
        let part = canvas.part(area)?;
        let Indexed { palette, mut pixels } = Indexed::of(&part, colours);
        // The first index that is no colour. The decoder's table is as long as it has to be.
        let transparent = u8::try_from(palette.len() / 3).ok()?;
        if let Some(shown) = &self.shown {
            let before = shown.part(area)?;
            let pairs = before.rgb().chunks_exact(3).zip(part.rgb().chunks_exact(3));
            for (index, (before, after)) in pixels.iter_mut().zip(pairs) {
                if is_alike(before, after, ALIKE) {
                    *index = transparent;
                }
            }
        }
        let side = |length: i32| u16::try_from(length).ok();
        Some(Frame {
            dispose: DisposalMethod::Keep,
            transparent: Some(transparent),
            left: side(area.left)?,
            top: side(area.top)?,
            width: side(area.right - area.left)?,
            height: side(area.bottom - area.top)?,
            palette: Some([palette, vec![0; 3]].concat()),
            buffer: Cow::Owned(pixels),
            ..Frame::default()
        })
    }
}
