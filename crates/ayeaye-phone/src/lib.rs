//! A phone that is not there.
//!
//! Read in this order: what the phone is ([`Phone`]), what it shows, and how it is reached over ADB:
//! a [`AdbDevice`] is a phone with its files and its faults, an [`AdbServer`] and an [`Adbd`] are its
//! two faces, and a [`Control`] is for whoever tests with it.
mod apps;
mod draw;
mod os;
mod phone;
mod tree;

mod device;
mod faults;
mod files;

mod adbd;
mod server;
mod services;
mod shell;
mod sync;

mod control;

pub use adbd::Adbd;
pub use apps::clock::Alarm;
pub use apps::messages::{ChatMessage, Conversation, Sent};
pub use apps::notes::Note;
pub use apps::shop::{CartLine, Order};
pub use control::Control;
pub use device::{AdbDevice, WireCounts};
pub use faults::{FaultPlan, Faults, Link, RawHeader, Times};
pub use os::report::{Applied, DialogAnswer, FocusedField, Gesture, NodeState, Outcome, State};
pub use phone::{Component, Counts, Frame, Package, Phone, PhoneOptions, StartError, Started};
pub use server::AdbServer;
