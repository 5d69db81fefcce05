//! Phones over ADB: listing, capture, gestures, text, apps.
//!
//! This list is an order to read them in: from what the agent is given to the bytes of the adb server's
//! protocol. Which module uses which: `.ci/layers` has their order.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

mod connect;

mod devices;

mod checkup;
mod keyboard;

mod device;
mod device_command;
mod links;

mod identity;

mod apps;
mod capture;
mod display;
mod elements;
mod install;
mod screen;
mod sync;
mod text_entry;

mod ime;

mod gesture;

mod client;

mod dumps;
mod errors;
mod persistent_shell;
mod raw_output;
mod refusal;
mod server;
mod settings;
mod shell;

mod apk;
mod connect_reply;
mod parse;
mod protocol;

mod config;
mod exchange;
mod fence;
mod quote;

#[cfg(test)]
mod fuzz;
#[cfg(test)]
mod tests;

pub use self::apps::labels::AppLabels;
pub use self::apps::resolve::NO_SUCH_APP;
pub use self::checkup::{CheckupFinding, CheckupVerdict};
pub use self::client::is_network_address;
pub use self::config::{AdbConfig, InvalidAddress, Limits, ServerAddress, find_adb};
pub use self::connect::{MdnsService, OfferKind, Paired};
pub use self::connect_reply::ConnectError;
pub use self::device::AdbDevice;
pub use self::devices::{AdbDevices, hint_for_state};
pub use self::exchange::ExchangeFolder;
pub use self::keyboard::{KeyboardState, Proof};
pub use self::parse::DeviceListing;
pub use self::refusal::{is_mended_on_phone, names_the_mend};
