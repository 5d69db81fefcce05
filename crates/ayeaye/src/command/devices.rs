//! `ayeaye devices`: the phones, one a line.
use ayeaye_agent::{Agent, DeviceEntry};

use crate::cli::Exit;
use crate::mcp::refusals::{chain, device_hint};
use crate::terminal::{Terminal, one_line};

/// Lists the phones.
pub async fn devices(agent: &Agent, terminal: Terminal) -> Exit {
    let devices = match agent.devices().await {
        Ok(devices) => devices,
        Err(err) => {
            terminal.item("trouble", &chain(&err));
            terminal.item("hint", device_hint(&err));
            return Exit::Failed;
        }
    };
    if devices.is_empty() {
        terminal.line("No phone is connected. Plug one in and enable USB debugging; `ayeaye doctor` checks everything.");
        return Exit::Failed;
    }
    for (entry, _) in &devices {
        terminal.line(&described(entry));
        if let Some(hint) = &entry.hint {
            terminal.line(&format!("    {}", one_line(hint)));
        }
    }
    Exit::Done
}

/// A phone in one line.
pub fn described(entry: &DeviceEntry) -> String {
    let mut line = format!("{:<22} {:<13} {:<9}", one_line(entry.id.as_str()), one_line(&entry.state), entry.transport.name());
    if let Some(model) = &entry.model {
        line.push_str(&one_line(model));
    }
    if let Some(version) = &entry.android_version {
        line.push_str(&format!(", Android {}", one_line(version)));
    }
    if let Some(screen) = entry.screen {
        line.push_str(&format!(", {screen}"));
    }
    line
}
