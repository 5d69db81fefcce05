//! A phone that is not there.
//!
//! Read in this order: what the phone is ([`Phone`]), what it shows, and how it is reached over ADB.
mod apps;
mod draw;
mod os;
mod phone;
mod tree;

pub use apps::clock::Alarm;
pub use apps::messages::{ChatMessage, Conversation, Sent};
pub use apps::notes::Note;
pub use apps::shop::{CartLine, Order};
pub use os::report::{Applied, DialogAnswer, FocusedField, Gesture, NodeState, Outcome, State};
pub use phone::{Component, Counts, Frame, Package, Phone, PhoneOptions, StartError, Started};
