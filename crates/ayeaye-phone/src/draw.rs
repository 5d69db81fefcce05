//! Nodes to pixels.
#![expect(clippy::many_single_char_names, reason = "x, y, w and h are their names")]

pub(crate) mod art;
pub(crate) mod canvas;
pub(crate) mod fonts;
pub(crate) mod icons;
mod paint;
pub(crate) mod text;

pub(crate) use canvas::Canvas;
pub(crate) use paint::{Renderer, Scene, TransitionKind, blend_transition};
