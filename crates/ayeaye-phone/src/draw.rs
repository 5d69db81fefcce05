//! Nodes to pixels.
#![expect(clippy::many_single_char_names, reason = "x, y, w and h are their names")]

pub(crate) mod canvas;
pub(crate) mod drawables;
pub(crate) mod fonts;
pub(crate) mod icons;
mod renderer;
pub(crate) mod text;

pub(crate) use canvas::Canvas;
pub(crate) use renderer::{Renderer, Scene, TransitionKind, blend_transition};
