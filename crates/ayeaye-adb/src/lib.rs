//! Phones over ADB: listing, capture, gestures, text, apps.
//!
//! Start at [`AdbDevices`], which lists phones and opens them, and [`AdbConfig`], which says where.
//! Below them, in reading order: the adb server's protocol (`server`, `wire`, `client`, `shell`), what
//! Android's commands print (`parse`), and what a phone can be asked for.
mod config;

mod client;
mod errors;
mod protocol;
mod quote;
mod server;
mod shell;
mod sync;

mod parse;

mod apps;
mod capture;
mod connect;
mod device;
mod devices;
mod gesture;
mod ime;
mod screen;
mod text_entry;
mod tracker;

pub use self::config::{AdbConfig, InvalidAddress, Limits, ServerAddress, find_adb};
pub use self::connect::{ConnectError, MdnsService};
pub use self::device::AdbDevice;
pub use self::devices::AdbDevices;
pub use self::parse::DeviceListing;
pub use self::tracker::Tracker;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;
