//! The characters that pictures are drawn with: screens of the virtual phone, films, cards of sessions.
//!
//! The program has a font for Latin, Greek, Cyrillic and Devanagari, one for emoji in one colour and one for icons.
//! Chinese, Japanese and Korean are drawn with a font of the computer, where it has one: none is small enough to be in
//! the program. A character that no font has is drawn as a box.
mod character;
mod faces;
mod mask;

pub use character::{Glyph, advance, find, icon, is_ideograph, is_invisible};
pub use faces::FontId;
pub use mask::{GlyphMask, rasterize};
