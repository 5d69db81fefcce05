//! A virtual phone: apps, screens and faults, reached over the real ADB protocols.
//!
//! Which module uses which: `.ci/layers` has their order.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

// What the phone is: speed and identity, package files, installed packages, what all apps share.
mod apk;
mod options;
mod package_files;
mod packages;
mod profile;
mod system;

// What it shows, each built on the one before: `text`, `tree` (elements, layout), `draw`.
mod draw;
mod text;
mod tree;

// What runs on it: `apps`, `os` (windows, input, tasks, power), and `phone`, the handle on it.
mod apps;
mod os;
mod phone;

// The phone behind adb: `faults` and `files` beside it, `makers` with what is usual of theirs, `device` has
// all of them.
mod device;
mod faults;
mod files;
mod makers;
mod memory;

// The services adb reaches: `stream`, then `shell` and `sync`, then `services`. What they send is a `transfer`.
mod services;
mod shell;
mod stream;
mod sync;
mod transfer;

// The sockets: `listener`, then an adb server, an adb daemon and the port that tests control it by.
mod adbd;
mod control;
mod listener;
mod server;

pub use adbd::Adbd;
pub use apps::clock::Alarm;
pub use apps::messages::{ChatMessage, Conversation, SentMessage};
pub use apps::notes::Note;
pub use apps::shop::{CartLine, Order};
pub use control::ControlServer;
pub use device::{AdbCounts, VirtualPhone};
pub use draw::Frame;
pub use faults::{
    DumpFault, FaultError, FaultPlan, Faults, Fold, InstallRefusal, LinkState, RawHeader, Trigger,
};
pub use makers::Maker;
pub use options::PhoneOptions;
pub use os::state::{
    DialogAnswer, FocusedField, Gesture, GestureRecord, InputCounts, InputOutcome, NodeState,
    PhoneState,
};
pub use packages::{Component, LaunchState, Package, StartError};
pub use phone::Phone;
pub use profile::{Profile, Timing};
pub use server::AdbServer;
pub use system::SelectAll;
