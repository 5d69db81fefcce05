//! An animated GIF, frame by frame.
//!
//! A frame holds what has changed since the one before it; the rest stays on the screen. Colours are
//! chosen for each frame. The same pictures give the same bytes.
use std::borrow::Cow;

use gif::{DisposalMethod, Encoder, Frame, Repeat};

use super::canvas::{Canvas, PixelRect};
use super::palette::{self, Indexed};

/// How far a channel may be off before a pixel counts as changed: pictures that were kept as JPEG
/// are never quite alike where they show the same.
const ALIKE: u8 = 4;
/// How far off a pixel may be left where a frame is drawn anew around it. More would be seen as the outline of what was
/// there before.
const UNSEEN: u8 = 1;
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
    /// After the frames so far.
    shown: Option<ShownCanvases>,
}

/// Two canvases, because few colours are never quite those of the pictures.
struct ShownCanvases {
    /// The picture that is shown.
    meant: Canvas,
    /// As it is to be seen, in the colours of the frames.
    seen: Canvas,
}

/// What a frame changes.
struct FrameChange {
    frame: Frame<'static>,
    area: PixelRect,
    /// How the area is to be seen from then on.
    seen: Canvas,
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
    pub(crate) fn add(
        &mut self,
        mut canvas: Canvas,
        photo: PixelRect,
        hundredths: u16,
    ) -> Option<()> {
        let mut flattened = None;
        let mut change: Option<FrameChange> = None;
        for (span, colours) in REDUCTIONS.into_iter().chain([MOSAIC]) {
            let bytes = change.as_ref().map_or(0, |change| change.frame.buffer.len());
            if (span, colours) == MOSAIC && bytes <= TOO_MANY {
                break;
            }
            if flattened.replace(span) != Some(span) {
                palette::flatten_within(&mut canvas, photo, span);
            }
            let next = change.insert(self.change(&canvas, colours)?);
            next.frame.make_lzw_pre_encoded();
            if next.frame.buffer.len() <= ENOUGH {
                break;
            }
        }
        let FrameChange { mut frame, area, seen } = change?;
        frame.delay = hundredths;
        self.encoder.write_lzw_pre_encoded_frame(&frame).ok()?;
        match &mut self.shown {
            Some(shown) => {
                shown.meant.put(&canvas.part(area)?, (area.left, area.top));
                shown.seen.put(&seen, (area.left, area.top));
            }
            None => self.shown = Some(ShownCanvases { meant: canvas, seen }),
        }
        Some(())
    }

    /// The file.
    pub(crate) fn finish(self) -> Option<Vec<u8>> {
        self.encoder.into_inner().ok()
    }

    /// What of a picture has to be drawn, with colours of its own. A pixel stays where it is as near to the picture as
    /// these would be: not where it is alike to what was meant before, whose colours may have been others.
    fn change(&self, canvas: &Canvas, colours: usize) -> Option<FrameChange> {
        let area = match &self.shown {
            Some(shown) => shown.meant.changed_area(canvas, ALIKE),
            None => canvas.area(),
        };
        let part = canvas.part(area)?;
        let before = match &self.shown {
            Some(shown) => Some(shown.seen.part(area)?),
            None => None,
        };
        let Indexed { palette, mut pixels } = Indexed::of(&part, colours);
        // The first index that is no colour. The decoder's table is as long as it has to be.
        let transparent = u8::try_from(palette.len() / 3).ok()?;
        let mut seen = Vec::with_capacity(part.rgb().len());
        for (at, (index, wanted)) in pixels.iter_mut().zip(part.rgb().chunks_exact(3)).enumerate() {
            let drawn = palette.chunks_exact(3).nth((*index).into())?;
            let there = before.as_ref().map(|before| &before.rgb()[3 * at..3 * at + 3]);
            match there {
                Some(there) if distance(there, wanted) <= distance(drawn, wanted).max(UNSEEN) => {
                    *index = transparent;
                    seen.extend(there);
                }
                _ => seen.extend(drawn),
            }
        }
        let side = |length: i32| u16::try_from(length).ok();
        let frame = Frame {
            dispose: DisposalMethod::Keep,
            transparent: Some(transparent),
            left: side(area.left)?,
            top: side(area.top)?,
            width: side(area.right - area.left)?,
            height: side(area.bottom - area.top)?,
            palette: Some([palette, vec![0; 3]].concat()),
            buffer: Cow::Owned(pixels),
            ..Frame::default()
        };
        Some(FrameChange { frame, area, seen: Canvas::new(part.width(), part.height(), seen)? })
    }
}

/// The channel in which two pixels differ most.
fn distance(one: &[u8], other: &[u8]) -> u8 {
    one.iter().zip(other).map(|(one, other)| one.abs_diff(*other)).max().unwrap_or(0)
}
