//! `ayeaye devices`: lists the phones, one per line.
use ayeaye_agent::{Agent, DeviceEntry, Principal, error_chain};

use crate::command::Exit;
use crate::hint::{Reader, for_device_error};
use crate::mcp::results::DeviceList;
use crate::terminal::Terminal;
use crate::text::one_line;

const NO_PHONE: &str = "No phone is connected. Plug one in and enable USB debugging; `ayeaye doctor` \
    checks everything.";

/// Lists the phones.
pub async fn devices(agent: &Agent, as_json: bool, terminal: Terminal) -> Exit {
    let asking = terminal.waiting("Asking adb for phones");
    let listed = agent.devices(&Principal::operator()).await;
    drop(asking);
    let devices = match listed {
        Ok(devices) => devices,
        Err(err) => {
            let hint = for_device_error(&err, Reader::Terminal);
            let terminal = if as_json { terminal.beside_json() } else { terminal };
            terminal.item("trouble", &error_chain(&err));
            terminal.item("hint", hint);
            return Exit::Failed;
        }
    };
    if as_json {
        let exit = if devices.is_empty() { Exit::Failed } else { Exit::Done };
        let hint = devices.is_empty().then(|| NO_PHONE.to_owned());
        terminal.json(&DeviceList { hint, ..DeviceList::from(devices) });
        return exit;
    }
    if devices.is_empty() {
        terminal.line(NO_PHONE);
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
