//! Phones over ADB: listing, capture, gestures, text, apps.
//!
//! Start at [`AdbDevices`], which lists phones and opens them, and [`AdbConfig`], which says where.
//! Below them, in reading order: the adb server's protocol (`server`, `wire`, `link`, `shell`), what
//! Android's commands print (`parse`), and what a phone can be asked for.
mod config;

mod link;
mod quote;
mod refusal;
mod server;
mod shell;
mod sync;
mod wire;

mod parse;

mod apps;
mod capture;
mod connect;
mod device;
mod devices;
mod gesture;
mod keyboard;
mod screen;
mod track;
mod typing;

pub use self::config::{AdbConfig, BadAddress, Limits, ServerAddress, find_adb};
pub use self::connect::{ConnectError, Offer};
pub use self::device::AdbDevice;
pub use self::devices::AdbDevices;
pub use self::parse::Line as DeviceLine;
pub use self::track::Tracker;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
