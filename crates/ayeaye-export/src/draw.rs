//! Marks on screenshots: numbered boxes, the place that was touched, the element that was meant.
//!
//! Everything is in pixels of the picture; whoever calls has scaled it. The same picture and marks
//! give the same bytes.
mod canvas;
mod codec;
mod digits;
mod marks;

pub(crate) use canvas::{Area, Canvas};
pub(crate) use codec::{decodable, decode, encode};
pub(crate) use marks::{Mark, annotate, frame, touch};
