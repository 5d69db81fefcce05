//! `ayeaye devices`: lists the phones, one per line.
use ayeaye_agent::{Agent, DeviceEntry, Principal, error_chain};

use crate::command::Exit;
use crate::mcp::tool_error::device_hint;
use crate::terminal::Terminal;
use crate::text::one_line;

/// Lists the phones.
pub async fn devices(agent: &Agent, terminal: Terminal) -> Exit {
    let devices = match agent.devices(&Principal::operator()).await {
        Ok(devices) => devices,
        Err(err) => {
            terminal.item("trouble", &error_chain(&err));
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
    let about = [
        entry.model.as_deref().map(one_line),
        entry.android_version.as_deref().map(|version| format!("Android {}", one_line(version))),
        entry.screen.map(|screen| screen.to_string()),
    ];
    let about: Vec<_> = about.into_iter().flatten().collect();
    let (id, state) = (one_line(entry.id.as_str()), one_line(&entry.state));
    format!("{id:<22} {state:<13} {:<9} {}", entry.transport.name(), about.join(", "))
}
