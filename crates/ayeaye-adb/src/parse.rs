//! What Android's commands print, read tolerantly: what is not understood is `None`, never a guess
//! and never a panic.
mod apps;
mod devices;
mod display;
mod focus;
mod keyboard;
mod lock;
mod text;
mod tree;

pub(crate) use self::apps::{components, first_component, packages};
pub use self::devices::Line;
pub(crate) use self::devices::devices;
pub(crate) use self::display::{current_size, wm_size};
pub(crate) use self::focus::foreground;
pub(crate) use self::keyboard::{Keyboards, input_method_ids, keyboard_shown, secret_field};
pub(crate) use self::lock::{awake, locked};
pub(crate) use self::text::{clean, clean_line, joined, sections};
pub(crate) use self::tree::ui_tree;

#[cfg(test)]
mod tests;
