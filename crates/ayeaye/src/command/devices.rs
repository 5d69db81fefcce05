//! `ayeaye devices`: lists the phones, one per line, and those on the network that could be connected.
use ayeaye_adb::{AdbDevices, MdnsService, OfferKind};
use ayeaye_agent::{DeviceEntry, DeviceHolder, DeviceId, Principal, error_chain};
use serde_json::{Value, json};

use crate::command::Exit;
use crate::hint::{Reader, for_device_error, usb_driver};
use crate::mcp::results::{DeviceList, also_reachable};
use crate::terminal::Terminal;
use crate::text::{lines, one_line};
use crate::wiring::App;

fn no_phone(windows: bool) -> String {
    format!(
        "No phone is connected. Plug one in and enable USB debugging, or connect one over Wi-Fi with `ayeaye pair`; `ayeaye \
         doctor` checks everything{}.",
        usb_driver(windows)
    )
}

/// Lists the phones.
pub async fn devices(app: &App, as_json: bool, terminal: Terminal) -> Exit {
    let asking = terminal.waiting("Asking adb for phones");
    let principal = Principal::operator();
    let adb = app.adb.as_deref();
    let (listed, offers, troubles) =
        tokio::join!(app.agent.devices(&principal), offers(adb), troubles(adb));
    drop(asking);
    let devices = match listed {
        Ok(devices) => devices,
        Err(err) => {
            let hint = for_device_error(&err, Reader::Terminal);
            let terminal = if as_json { terminal.beside_json() } else { terminal };
            terminal.item("trouble", &lines(&error_chain(&err)));
            terminal.item("hint", &hint);
            return Exit::Failed;
        }
    };
    let offers = not_connected(offers, devices.iter().map(|(entry, _)| entry));
    let exit = if devices.is_empty() { Exit::Failed } else { Exit::Done };
    if as_json {
        let hint = devices.is_empty().then(|| no_phone(cfg!(windows)));
        let list = DeviceList { hint, ..DeviceList::from(devices) };
        let mut list = serde_json::to_value(list).expect("what is shown has plain keys");
        if !troubles.is_empty() {
            list["troubles"] = troubles.into();
        }
        list["on_network"] = offers.iter().map(in_json).collect();
        terminal.json(&list);
        return exit;
    }
    if devices.is_empty() {
        terminal.line(&no_phone(cfg!(windows)));
    }
    for (entry, holder) in &devices {
        terminal.line(&described(entry));
        for remark in holder_remark(holder).into_iter().chain(remarks(entry)) {
            terminal.line(&format!("    {remark}"));
        }
    }
    for trouble in &troubles {
        terminal.item("trouble", &lines(trouble));
    }
    if !offers.is_empty() {
        terminal.line("\nOn the network, not connected:");
    }
    for offer in &offers {
        terminal.line(&format!("{:<38} {}", one_line(&offer.name), one_line(&next_command(offer))));
    }
    exit
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

/// All serials under which a phone is listed: one that hangs on a cable too is listed once, under that of the cable.
pub(super) fn serials(entry: &DeviceEntry) -> impl Iterator<Item = &str> {
    std::iter::once(&entry.id).chain(&entry.also).map(DeviceId::as_str)
}

/// What else there is to say about a phone, a line each.
pub fn remarks(entry: &DeviceEntry) -> Vec<String> {
    let hint = entry.hint.as_deref().map(one_line);
    let also = also_reachable(entry).map(|text| one_line(&text));
    hint.into_iter().chain(also).collect()
}

/// Who has a phone, so that nobody hands it a task only to be refused.
fn holder_remark(holder: &DeviceHolder) -> Option<String> {
    match holder {
        DeviceHolder::Free => None,
        DeviceHolder::Session(id) => Some(format!("busy: session {id} is driving it")),
        DeviceHolder::Person => Some("busy: a person is driving it by hand".to_owned()),
        DeviceHolder::Other => Some("busy: another user's session is driving it".to_owned()),
    }
}

/// The adb servers that do not answer, with the reason, where there are several. Of a single one the list
/// itself tells.
async fn troubles(adb: Option<&AdbDevices>) -> Vec<String> {
    let Some(adb) = adb else { return Vec::new() };
    if !adb.has_several_servers() {
        return Vec::new();
    }
    let troubles = adb.servers().await.into_iter();
    troubles.filter_map(|(_, answer)| answer.err().map(|err| error_chain(&err))).collect()
}

/// What announces itself on the network. That nothing is known of it is no trouble here: `ayeaye pair`
/// says why.
async fn offers(adb: Option<&AdbDevices>) -> Vec<MdnsService> {
    match adb {
        Some(adb) => adb.discover().await.unwrap_or_default(),
        None => Vec::new(),
    }
}

/// The offers of phones that are not in the list.
fn not_connected<'a>(
    offers: Vec<MdnsService>,
    entries: impl Iterator<Item = &'a DeviceEntry>,
) -> Vec<MdnsService> {
    let serials: Vec<&str> = entries.flat_map(serials).collect();
    let is_new = |offer: &MdnsService| {
        offer.kind == OfferKind::Pairing || !serials.iter().any(|serial| offer.is_serial(serial))
    };
    offers.into_iter().filter(is_new).collect()
}

/// What a person types to have this phone.
fn next_command(offer: &MdnsService) -> String {
    match offer.kind {
        OfferKind::Pairing => format!("ayeaye pair {}", offer.address),
        OfferKind::Connect | OfferKind::Plain => format!("ayeaye connect {}", offer.address),
    }
}

fn in_json(offer: &MdnsService) -> Value {
    json!({
        "name": offer.name,
        "service": offer.kind.service(),
        "address": offer.address,
        "command": next_command(offer),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_windows_needs_a_driver() {
        assert!(no_phone(true).ends_with("(Pixel: Google USB Driver)."), "{}", no_phone(true));
        assert!(no_phone(false).ends_with("checks everything."), "{}", no_phone(false));
    }

    #[test]
    fn what_is_connected_is_not_offered_again() {
        let offer = |name: &str, kind, address: &str| MdnsService {
            name: name.to_owned(),
            kind,
            address: address.to_owned(),
        };
        let entry = |serial: &str| DeviceEntry {
            id: ayeaye_agent::DeviceId::new(serial),
            state: "device".to_owned(),
            ready: true,
            transport: ayeaye_agent::Transport::Tcp,
            model: None,
            product: None,
            android_version: None,
            screen: None,
            hint: None,
            also: Vec::new(),
            identity: None,
        };
        let offers = vec![
            offer("adb-A-1", OfferKind::Connect, "10.0.0.1:40001"),
            offer("adb-B-1", OfferKind::Connect, "10.0.0.2:40002"),
            offer("adb-C-1", OfferKind::Connect, "10.0.0.3:40003"),
            offer("adb-A-1", OfferKind::Pairing, "10.0.0.1:37000"),
        ];
        let wired = DeviceEntry {
            also: vec![ayeaye_agent::DeviceId::new("10.0.0.2:40002")],
            ..entry("R58M12ABCDE")
        };
        let entries = [entry("adb-A-1._adb-tls-connect._tcp"), wired];
        let left: Vec<_> = not_connected(offers, entries.iter()).iter().map(next_command).collect();
        assert_eq!(left, ["ayeaye connect 10.0.0.3:40003", "ayeaye pair 10.0.0.1:37000"]);
    }
}
