//! Phones over ADB: listing, capture, gestures, text, apps.
//!
//! Start at [`AdbDevices`], which lists phones and opens them, and [`AdbConfig`], which says where.
//! Below them, in reading order: the adb server's protocol (`server`, `wire`, `link`, `shell`), what
//! Android's commands print (`parse`), and what a phone can be asked for.
mod config;
mod link;
mod parse;
mod quote;
mod refusal;
mod server;
mod shell;
mod wire;

pub use self::config::{AdbConfig, BadAddress, Limits, ServerAddress, find_adb};
