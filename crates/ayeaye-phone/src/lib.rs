//! A phone that is not there.
//!
//! Read in this order: what the phone is ([`Phone`]), what it shows, and how it is reached over ADB:
//! a [`AdbDevice`] is a phone with its files and its faults, an [`AdbServer`] and an [`Adbd`] are its
//! two faces, and a [`ControlServer`] is for whoever tests with it.
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
pub use apps::messages::{ChatMessage, Conversation, SentMessage};
pub use apps::notes::Note;
pub use apps::shop::{CartLine, Order};
pub use control::ControlServer;
pub use device::{AdbCounts, AdbDevice};
pub use faults::{FaultPlan, Faults, LinkState, RawHeader, Trigger};
pub use os::state::{
    DialogAnswer, FocusedField, Gesture, GestureRecord, NodeState, Outcome, PhoneState,
};
pub use phone::{
    Component, Frame, InputCounts, LaunchState, Package, Phone, PhoneOptions, StartError,
};
pub use server::AdbServer;
