//! `ayeaye connect` and `ayeaye disconnect`: phones on the network.
use ayeaye_adb::{AdbDevices, ConnectError};
use ayeaye_agent::{DeviceEntry, DeviceSource as _};

use crate::command::devices::{described, remarks, serials};
use crate::command::{Exit, print_error};
use crate::hint::for_connect_error;
use crate::terminal::Terminal;
use crate::text::one_line;

/// Connects a phone, and says which one it is.
pub(super) async fn connect(adb: &AdbDevices, address: &str, terminal: Terminal) -> Exit {
    let waiting = terminal.waiting(&format!("Connecting {}", one_line(address)));
    let connected = adb.connect(address).await;
    drop(waiting);
    match connected {
        Ok(serial) => {
            tell_connected(adb, &serial, terminal).await;
            Exit::Done
        }
        Err(err) => failed(&err),
    }
}

/// Disconnects a phone, or all on the network.
pub(super) async fn disconnect(
    adb: &AdbDevices,
    address: Option<&str>,
    terminal: Terminal,
) -> Exit {
    match adb.disconnect(address).await {
        Ok(()) => {
            let which = address.map_or("all phones on the network".to_owned(), one_line);
            terminal.line(&format!("disconnected: {which}"));
            Exit::Done
        }
        Err(err) => failed(&err),
    }
}

/// Says that a phone is connected, and what it is.
pub(super) async fn tell_connected(adb: &AdbDevices, serial: &str, terminal: Terminal) {
    terminal.line(&format!("connected: {}", one_line(serial)));
    // It is connected all the same if it cannot be described.
    let entries = adb.list().await.unwrap_or_default();
    let is_it = |entry: &&DeviceEntry| serials(entry).any(|it| it == serial);
    if let Some(entry) = entries.iter().find(is_it) {
        terminal.line(&described(entry));
        for remark in remarks(entry) {
            terminal.line(&format!("    {remark}"));
        }
    }
}

/// Says why it did not work, and what to do.
pub(super) fn failed(err: &ConnectError) -> Exit {
    let exit = print_error(&anyhow::Error::msg(format!("{err}\nhint: {}", for_connect_error(err))));
    match err {
        ConnectError::InvalidAddress(_)
        | ConnectError::MissingPort(_)
        | ConnectError::InvalidCode => Exit::Usage,
        _ => exit,
    }
}
