//! Marks on screenshots: numbered boxes, the place that was touched, the element that was meant.
//!
//! Everything is in pixels of the picture; whoever calls has scaled it. The same picture and marks
//! give the same bytes.
mod animation;
mod canvas;
mod codec;
mod compact;
mod digits;
mod overlay;
mod palette;
mod shrink;
mod text;

pub(crate) use animation::Animation;
pub(crate) use canvas::{Canvas, Colour, PixelRect};
pub use codec::DecodedPicture;
#[cfg(test)]
pub(crate) use codec::decode;
pub(crate) use codec::{blank, decodable, encode, png_size};
pub use compact::{SMALL_COPY, small_copy};
pub(crate) use overlay::{TouchMark, annotate, frame, touch};
pub(crate) use shrink::resize;
pub(crate) use text::{TextStyle, wrap, write};
