//! The pictures of a task folder, and what they are called.
//!
//! UFO's readers look for fixed names ending in `.png`. They are made from the picture the model was
//! sent, when the file is written: a fold only says what is to be drawn.
use ayeaye_agent::journal::BlobRef;

use super::action::ActionView;
use super::elements;
use crate::draw::{self, Canvas, PixelRect, TouchMark};
use crate::step_view::ScreenView;
use crate::{Blobs, Content, FileOp};

/// Bytes of a picture's PNG: a step is to cost at most 300 kB in all logs together, also with a photo
/// behind its icons.
const MAX_PNG: usize = 80_000;
/// Bytes of a drawn one, of which the user has asked for three a step.
const MAX_DRAWN_PNG: usize = 200_000;

/// Stands in for the screen of a step that saw none.
pub(super) const BLANK: &str = "no_screenshot.png";

/// Which PNGs a task folder gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Images {
    /// None.
    None,
    /// The screen at every step and at the end of sub-rounds, rounds and the session.
    Clean,
    /// Those, and three drawn ones a step: numbered elements, both side by side, the one meant.
    All,
}

/// Names of a step's pictures; empty for those that are not made.
#[derive(Debug, Default)]
pub(super) struct PictureNames {
    /// Whether the folder is to have pictures at all.
    wanted: bool,
    pub(super) clean: String,
    pub(super) annotated: String,
    pub(super) concat: String,
    pub(super) selected: String,
}

/// The name of a step's clean picture.
pub(super) fn clean_name(step: u32) -> String {
    format!("action_step{step}.png")
}

impl PictureNames {
    pub(super) fn of(
        images: Images,
        step: u32,
        screen: &ScreenView,
        act: Option<&ActionView>,
    ) -> Self {
        let mut names = Self { wanted: images != Images::None, ..Self::default() };
        let Some(picture) = &screen.picture else { return names };
        if images == Images::None {
            return names;
        }
        let usual = Self::usual(step);
        names.clean = usual.clean;
        if images == Images::All && draw::decodable(&picture.media_type) {
            names.annotated = usual.annotated;
            names.concat = usual.concat;
            if act.is_some_and(|act| act.mark.is_some() || act.target.is_some()) {
                names.selected = usual.selected;
            }
        }
        names
    }

    /// What a step's pictures are called when they are made.
    pub(super) fn usual(step: u32) -> Self {
        let drawn = |what: &str| format!("action_step{step}_{what}.png");
        Self {
            wanted: true,
            clean: clean_name(step),
            annotated: drawn("annotated"),
            concat: drawn("concat"),
            selected: drawn("selected_controls"),
        }
    }

    /// What UFO's code is to show: where a picture was not made the clean one, else the blank. Where the
    /// user wants no pictures, the usual names: older readers join an empty one to the folder.
    pub(super) fn shown(&self, step: u32) -> Self {
        if !self.wanted {
            return Self::usual(step);
        }
        let clean = if self.clean.is_empty() { BLANK } else { &self.clean };
        let shown = |name: &String| if name.is_empty() { clean } else { name }.to_owned();
        Self {
            wanted: true,
            clean: clean.to_owned(),
            annotated: shown(&self.annotated),
            concat: shown(&self.concat),
            selected: shown(&self.selected),
        }
    }

    /// The pictures of a step that is over.
    pub(super) fn files(&self, screen: &ScreenView, act: Option<&ActionView>) -> Vec<FileOp> {
        let Some(picture) = &screen.picture else {
            let blank =
                FileOp::Write { path: BLANK.to_owned(), content: Content::lazy(|_| draw::blank()) };
            return if self.wanted { vec![blank] } else { Vec::new() };
        };
        let mut files = Vec::new();
        if !self.clean.is_empty() {
            files.push(FileOp::Write { path: self.clean.clone(), content: as_png(picture) });
        }
        let sketch = Drawing {
            picture: picture.clone(),
            screen: screen.size,
            ui_tree: screen.ui_tree.clone(),
            mark: act.and_then(|act| act.mark),
            target: act.and_then(|act| act.target.as_ref()).map(|it| (it.id.parse().ok(), it.rect)),
        };
        let mut add = |path: &String, draw: fn(&Drawing, &dyn Blobs) -> Option<Canvas>| {
            if !path.is_empty() {
                let sketch = sketch.clone();
                let make =
                    move |blobs: &dyn Blobs| draw::encode(draw(&sketch, blobs)?, MAX_DRAWN_PNG);
                let content = Content::lazy(make);
                files.push(FileOp::Write { path: path.clone(), content });
            }
        };
        add(&self.annotated, Drawing::annotated);
        add(&self.concat, Drawing::concat);
        add(&self.selected, Drawing::selected);
        files
    }
}

/// A kept picture as a PNG file, stored once however many names it has. One that is a PNG is taken as
/// it is, and so is one of a kind that cannot be read here: viewers go by content.
pub(super) fn as_png(picture: &BlobRef) -> Content {
    if picture.media_type != "image/jpeg" {
        return Content::Blob(picture.clone());
    }
    let picture = picture.clone();
    let key = picture.sha256.clone();
    Content::shared(key, move |blobs| blobs.picture(&picture)?.png(MAX_PNG))
}

/// All that is needed to draw a step.
#[derive(Debug, Clone)]
struct Drawing {
    picture: BlobRef,
    screen: [u32; 2],
    ui_tree: Option<BlobRef>,
    mark: Option<TouchMark>,
    target: Option<(Option<usize>, [i32; 4])>,
}

impl Drawing {
    fn clean(&self, blobs: &dyn Blobs) -> Option<Canvas> {
        Some(blobs.picture(&self.picture)?.canvas().clone())
    }

    fn annotated(&self, blobs: &dyn Blobs) -> Option<Canvas> {
        Some(self.annotate(self.clean(blobs)?, blobs))
    }

    fn annotate(&self, mut canvas: Canvas, blobs: &dyn Blobs) -> Canvas {
        let elements = self.ui_tree.as_ref().map(|ui_tree| elements::read(ui_tree, blobs));
        let elements = elements.unwrap_or_default();
        let meant = self.target.and_then(|(id, _)| id);
        let boxes: Vec<(usize, PixelRect)> = elements
            .iter()
            .filter(|it| it.clickable || Some(it.index) == meant)
            .map(|it| (it.index, self.scaled(&canvas, it.bounds)))
            .collect();
        draw::annotate(&mut canvas, &boxes);
        if let Some(mark) = self.mark {
            draw::touch(&mut canvas, mark);
        }
        canvas
    }

    fn concat(&self, blobs: &dyn Blobs) -> Option<Canvas> {
        let clean = self.clean(blobs)?;
        clean.join_right(&self.annotate(clean.clone(), blobs))
    }

    fn selected(&self, blobs: &dyn Blobs) -> Option<Canvas> {
        let mut canvas = self.clean(blobs)?;
        match (self.target, self.mark) {
            (Some((_, rect)), _) => {
                let area = self.scaled(&canvas, rect);
                draw::frame(&mut canvas, area);
            }
            (None, Some(mark)) => draw::touch(&mut canvas, mark),
            (None, None) => {}
        }
        Some(canvas)
    }

    /// From pixels of the screen to pixels of the picture, which is smaller.
    fn scaled(&self, canvas: &Canvas, [left, top, right, bottom]: [i32; 4]) -> PixelRect {
        let along = |at: i32, screen: u32, side: u32| {
            let at = i64::from(at) * i64::from(side) / i64::from(screen.max(1));
            i32::try_from(at).unwrap_or(if at < 0 { i32::MIN } else { i32::MAX })
        };
        let [wide, high] = self.screen;
        PixelRect {
            left: along(left, wide, canvas.width()),
            top: along(top, high, canvas.height()),
            right: along(right, wide, canvas.width()),
            bottom: along(bottom, high, canvas.height()),
        }
    }
}
