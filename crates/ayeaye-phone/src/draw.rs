//! Draws windows into pixels.
#![expect(clippy::many_single_char_names, reason = "x, y, w and h are their names")]

mod canvas;
mod drawables;
mod frame;
mod renderer;

pub(crate) use canvas::Canvas;
pub use frame::Frame;
pub(crate) use renderer::{Renderer, Scene, TransitionKind, blend_transition};
