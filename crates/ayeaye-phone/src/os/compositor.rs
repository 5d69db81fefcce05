//! The picture on the display, cached while nothing changes.
use std::sync::Arc;

use bytes::Bytes;

use super::{Os, WindowLayout};
use crate::draw::{Canvas, Frame, Scene, blend_transition};
use crate::tree::element::{Content, Drawable};

/// The screen at one moment: its layout, and its picture once it was drawn.
#[derive(Debug, Clone)]
pub(super) struct Snapshot {
    layout: Arc<WindowLayout>,
    drawn: Option<Arc<Canvas>>,
}

/// The last picture and what it was drawn from.
#[derive(Debug)]
pub(super) struct CachedFrame {
    layout: Arc<WindowLayout>,
    caret: bool,
    canvas: Arc<Canvas>,
}

/// Shares the pixels of a canvas without a copy.
struct SharedPixels(Arc<Canvas>);

impl AsRef<[u8]> for SharedPixels {
    fn as_ref(&self) -> &[u8] {
        &self.0.data
    }
}

/// How often in a second the display shows a new frame.
const FRAMES: f32 = 60.0;
/// Half a period of the blinking caret.
const BLINK_MS: u128 = 500;
/// Pictures of a video in a second.
const VIDEO_PICTURES: u128 = 30;

impl Snapshot {
    /// Without the picture, which may show a toast: it is drawn again on demand.
    pub(super) fn undrawn(self) -> Self {
        Self { drawn: None, ..self }
    }
}

impl Os {
    pub(super) fn snapshot(&mut self) -> Snapshot {
        let layout = self.layout();
        let drawn = self.picture.as_ref().filter(|p| Arc::ptr_eq(&p.layout, &layout));
        Snapshot { drawn: drawn.map(|p| Arc::clone(&p.canvas)), layout }
    }

    pub(crate) fn frame(&mut self) -> Frame {
        let (width, height) = self.display_size();
        if !self.awake || self.black {
            return frame(Arc::new(Canvas::new(width, height)));
        }
        let mut screen = self.without_video();
        if self.quirks.video {
            let pictures = self.elapsed().as_millis() * VIDEO_PICTURES / 1000;
            Arc::make_mut(&mut screen).video(usize::try_from(pictures).unwrap_or(0));
        }
        frame(screen)
    }

    /// The screen with its transition.
    fn without_video(&mut self) -> Arc<Canvas> {
        let now = self.now;
        let still = self.still();
        let Some(transition) = &mut self.transition else { return still };
        let whole = transition.end.saturating_duration_since(transition.start).as_secs_f32();
        let gone = now.saturating_duration_since(transition.start).as_secs_f32();
        // The display shows what it was given last.
        let gone = (gone * FRAMES).floor() / FRAMES;
        let (how, at) = (transition.how, if whole > 0.0 { gone / whole } else { 1.0 });
        let mut from = transition.from.clone();
        let before = self.draw_shot(&mut from);
        if let Some(transition) = &mut self.transition {
            transition.from = from;
        }
        Arc::new(blend_transition(&before, &still, how, at))
    }

    /// The picture without a transition.
    fn still(&mut self) -> Arc<Canvas> {
        let layout = self.layout();
        let caret = self.all_still() && (self.elapsed().as_millis() / BLINK_MS).is_multiple_of(2);
        let spinning = layout
            .windows
            .iter()
            .flat_map(|w| &w.nodes)
            .any(|node| node.el.content == Content::Spinner);
        if let Some(picture) = &self.picture
            && Arc::ptr_eq(&picture.layout, &layout)
            && (picture.caret == caret || self.focus.is_none())
            && !spinning
        {
            return Arc::clone(&picture.canvas);
        }
        let canvas = self.draw(&layout, caret);
        self.picture = Some(CachedFrame { layout, caret, canvas: Arc::clone(&canvas) });
        canvas
    }

    /// The caret does not blink during a transition.
    fn all_still(&self) -> bool {
        self.transition.is_none()
    }

    fn draw_shot(&mut self, snapshot: &mut Snapshot) -> Arc<Canvas> {
        if let Some(drawn) = &snapshot.drawn {
            return Arc::clone(drawn);
        }
        let canvas = self.draw(&Arc::clone(&snapshot.layout), false);
        snapshot.drawn = Some(Arc::clone(&canvas));
        canvas
    }

    fn draw(&mut self, layout: &WindowLayout, caret: bool) -> Arc<Canvas> {
        let snapshots = if self.recents { self.snapshots(layout) } else { Vec::new() };
        // What apps animate themselves stands still at scale 0.
        let goes = 0.0 < self.system.animation_scale("animator_duration_scale");
        let turn = self.elapsed().as_secs_f32().rem_euclid(1.2) / 1.2;
        let spinner_turn = if goes { turn } else { 0.0 };
        let scene = Scene {
            width: layout.size.0,
            height: layout.size.1,
            windows: &layout.windows,
            caret,
            spinner_turn,
            notifications: true,
            snapshots: &snapshots,
        };
        Arc::new(self.renderer.paint(&scene))
    }

    /// Pictures of the tasks whose cards are visible.
    fn snapshots(&mut self, layout: &WindowLayout) -> Vec<Option<Arc<Canvas>>> {
        let seen: Vec<usize> = layout
            .windows
            .iter()
            .flat_map(|w| &w.nodes)
            .filter(|node| !node.visible().is_empty())
            .filter_map(|node| match node.el.content {
                Content::Drawable(Drawable::Snapshot(i)) => Some(i),
                _ => None,
            })
            .collect();
        let mut task_snapshots: Vec<Option<Snapshot>> =
            self.tasks.iter().map(|t| t.snapshot.clone()).collect();
        let mut pictures = Vec::with_capacity(task_snapshots.len());
        for (i, snapshot) in task_snapshots.iter_mut().enumerate() {
            pictures.push(snapshot.as_mut().filter(|_| seen.contains(&i)).map(|snapshot| {
                if let Some(drawn) = &snapshot.drawn {
                    return Arc::clone(drawn);
                }
                let scene = Scene {
                    width: snapshot.layout.size.0,
                    height: snapshot.layout.size.1,
                    windows: &snapshot.layout.windows,
                    caret: false,
                    spinner_turn: 0.0,
                    notifications: false,
                    snapshots: &[],
                };
                let canvas = Arc::new(self.renderer.paint(&scene));
                snapshot.drawn = Some(Arc::clone(&canvas));
                canvas
            }));
        }
        for (task, snapshot) in self.tasks.iter_mut().zip(task_snapshots) {
            task.snapshot = snapshot;
        }
        pictures
    }
}

fn frame(canvas: Arc<Canvas>) -> Frame {
    Frame {
        width: u32::try_from(canvas.width).unwrap_or(u32::MAX),
        height: u32::try_from(canvas.height).unwrap_or(u32::MAX),
        rgba: Bytes::from_owner(SharedPixels(canvas)),
    }
}
