//! Host requests: parsing, selecting the phone, answering.
use crate::{device::VirtualPhone, faults::LinkState, services::FEATURES};

/// The version real adb 1.0.41 speaks; a client of another version would replace the server.
pub(crate) const VERSION: &str = "0029";

/// A request, parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum HostRequest {
    /// `host:…`, about the server.
    Server(String),
    /// A request about one phone.
    Device(DeviceSelector, String),
    /// Switches the connection to the services of this phone.
    Transport(DeviceSelector),
    /// Switches the connection to the services of this phone, and sends the transport's id first.
    TransportWithId(DeviceSelector),
    /// Waits until a phone reaches this state.
    Wait(DeviceSelector, String),
    /// A device service, which needs a transport.
    Service,
}

/// How a request selects a phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum DeviceSelector {
    Any,
    /// Over USB: there are none here.
    Usb,
    Serial(String),
    Number(String),
}

/// Parses a request. `serials` are the known ones: a serial may contain colons.
pub(crate) fn parse(request: &str, serials: &[&str]) -> HostRequest {
    if let Some(rest) = request.strip_prefix("host-serial:") {
        let (serial, rest) = split_serial(rest, serials);
        return about_device(DeviceSelector::Serial(serial.to_owned()), rest);
    }
    if let Some(rest) = request.strip_prefix("host-transport-id:") {
        let (number, rest) = rest.split_once(':').unwrap_or((rest, ""));
        return about_device(DeviceSelector::Number(number.to_owned()), rest);
    }
    if let Some(rest) = request.strip_prefix("host-usb:") {
        return about_device(DeviceSelector::Usb, rest);
    }
    if let Some(rest) = request.strip_prefix("host-local:") {
        return about_device(DeviceSelector::Any, rest);
    }
    let Some(rest) = request.strip_prefix("host:") else { return HostRequest::Service };
    match rest {
        "transport-any" | "transport-local" => HostRequest::Transport(DeviceSelector::Any),
        "transport-usb" => HostRequest::Transport(DeviceSelector::Usb),
        "tport:any" | "tport:local" => HostRequest::TransportWithId(DeviceSelector::Any),
        "tport:usb" => HostRequest::TransportWithId(DeviceSelector::Usb),
        _ => {
            if let Some(serial) = rest.strip_prefix("transport:") {
                HostRequest::Transport(DeviceSelector::Serial(serial.to_owned()))
            } else if let Some(number) = rest.strip_prefix("transport-id:") {
                HostRequest::Transport(DeviceSelector::Number(number.to_owned()))
            } else if let Some(serial) = rest.strip_prefix("tport:serial:") {
                HostRequest::TransportWithId(DeviceSelector::Serial(serial.to_owned()))
            } else if about_one_phone(rest) {
                about_device(DeviceSelector::Any, rest)
            } else {
                HostRequest::Server(rest.to_owned())
            }
        }
    }
}

fn about_device(which: DeviceSelector, rest: &str) -> HostRequest {
    match rest.strip_prefix("wait-for-") {
        Some(state) => HostRequest::Wait(which, state.to_owned()),
        None => HostRequest::Device(which, rest.to_owned()),
    }
}

/// Requests that need no selection when there is only one phone.
fn about_one_phone(request: &str) -> bool {
    matches!(
        request,
        "get-state" | "get-serialno" | "get-devpath" | "features" | "reconnect" | "killforward-all"
    ) || ["wait-for-", "forward:", "killforward:"].iter().any(|start| request.starts_with(start))
}

/// Serials such as `127.0.0.1:5555` contain a colon; known ones are tried first.
fn split_serial<'a>(rest: &'a str, serials: &[&str]) -> (&'a str, &'a str) {
    let known = serials
        .iter()
        .filter(|serial| rest.strip_prefix(**serial).is_some_and(|after| after.starts_with(':')))
        .map(|serial| serial.len())
        .max();
    let at = known.or_else(|| {
        let first = rest.find(':')?;
        let digits = rest[first + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let after_port = first + 1 + digits;
        let is_port = digits > 0 && rest[after_port..].starts_with(':');
        Some(if is_port { after_port } else { first })
    });
    at.map_or((rest, ""), |at| (&rest[..at], &rest[at + 1..]))
}

/// The selected phone with its transport id, or adb's error.
pub(crate) fn find<'a>(
    phones: &'a [(u64, VirtualPhone)],
    which: &DeviceSelector,
) -> Result<(u64, &'a VirtualPhone), String> {
    let mut numbered = phones.iter().map(|(id, phone)| (*id, phone));
    match which {
        DeviceSelector::Serial(serial) => numbered
            .find(|(_, phone)| phone.serial() == serial)
            .ok_or_else(|| format!("device '{serial}' not found")),
        DeviceSelector::Number(number) => numbered
            .find(|(id, _)| number.parse() == Ok(*id))
            .ok_or_else(|| format!("no device with transport id '{number}'")),
        DeviceSelector::Usb => Err("no devices found".to_owned()),
        DeviceSelector::Any => match phones {
            [] => Err("no devices/emulators found".to_owned()),
            [(id, only)] => Ok((*id, only)),
            [_, _, ..] => Err("more than one device/emulator".to_owned()),
        },
    }
}

/// Whether the phone can be used now, or adb's error.
pub(crate) fn usable(phone: &VirtualPhone) -> Result<(), String> {
    match phone.faults().link() {
        LinkState::Device => Ok(()),
        LinkState::Offline => Err("device offline".to_owned()),
        LinkState::Unauthorized => Err("device unauthorized.\n\
             This adb server's $ADB_VENDOR_KEYS is not set\n\
             Try 'adb kill-server' if that seems wrong.\n\
             Otherwise check for a confirmation dialog on your device."
            .to_owned()),
    }
}

/// The state as in `adb devices`.
pub(crate) fn state(phone: &VirtualPhone) -> &'static str {
    match phone.faults().link() {
        LinkState::Device => "device",
        LinkState::Offline => "offline",
        LinkState::Unauthorized => "unauthorized",
    }
}

/// The lines of `host:devices` or, `long`, of `host:devices-l`.
pub(crate) fn list(phones: &[(u64, VirtualPhone)], long: bool) -> String {
    let line = |(id, phone): &(u64, VirtualPhone)| {
        let (serial, state) = (phone.serial(), state(phone));
        if !long {
            return format!("{serial}\t{state}\n");
        }
        let options = phone.phone().options();
        let about = match phone.faults().link() {
            LinkState::Unauthorized => String::new(),
            LinkState::Device | LinkState::Offline => format!(
                " product:{} model:{} device:{}",
                plain(&options.product),
                // In models, adb keeps letters and digits only.
                plain(&options.model).replace('-', "_"),
                plain(&options.product)
            ),
        };
        format!("{serial:<22} {state}{about} transport_id:{id}\n")
    };
    phones.iter().map(line).collect()
}

/// Answers a request about one phone.
pub(crate) fn answer(phone: &VirtualPhone, request: &str) -> Result<Option<String>, String> {
    match request {
        "get-state" => Ok(Some(state(phone).to_owned())),
        "get-serialno" => Ok(Some(phone.serial().to_owned())),
        "get-devpath" => Ok(Some("unknown".to_owned())),
        "features" => usable(phone).map(|()| Some(FEATURES.to_owned())),
        "reconnect" => {
            phone.faults().kill_link();
            Ok(Some(format!("reconnecting {} [{}]\n", phone.serial(), state(phone))))
        }
        "list-forward" => Ok(Some(String::new())),
        "killforward-all" => Ok(None),
        request if request.starts_with("killforward:") => {
            let listener = &request["killforward:".len()..];
            Err(format!("listener '{listener}' not found"))
        }
        request if request.starts_with("forward:") => {
            Err("cannot bind listener: a virtual phone has no ports to forward".to_owned())
        }
        _ => Err("unknown host service".to_owned()),
    }
}

/// Replaces all but letters, digits and hyphens: spaces would break the list.
fn plain(text: &str) -> String {
    let keep = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    text.chars().map(keep).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serials_with_colons_are_found() {
        let serial = |request: &str| match parse(request, &["a:b"]) {
            HostRequest::Device(DeviceSelector::Serial(serial), rest) => (serial, rest),
            other => panic!("{other:?}"),
        };
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(serial("host-serial:a:b:get-state"), pair("a:b", "get-state"));
        assert_eq!(serial("host-serial:1.2.3.4:5555:features"), pair("1.2.3.4:5555", "features"));
        assert_eq!(
            serial("host-serial:xyz:forward:tcp:1;tcp:2"),
            pair("xyz", "forward:tcp:1;tcp:2")
        );
    }

    #[test]
    fn every_form_is_told_apart() {
        let serial = || DeviceSelector::Serial("x".to_owned());
        assert_eq!(parse("host:transport:x", &[]), HostRequest::Transport(serial()));
        assert_eq!(parse("host:tport:serial:x", &[]), HostRequest::TransportWithId(serial()));
        assert_eq!(parse("host:version", &[]), HostRequest::Server("version".to_owned()));
        assert_eq!(parse("shell:ls", &[]), HostRequest::Service);
        assert_eq!(
            parse("host-serial:x:wait-for-any-device", &[]),
            HostRequest::Wait(serial(), "any-device".to_owned())
        );
        assert_eq!(
            parse("host:get-state", &[]),
            HostRequest::Device(DeviceSelector::Any, "get-state".to_owned())
        );
    }
}
