//! The list of phones, as `host:devices-l` and `adb devices -l` write it.
use super::sanitize;

/// One line of the list.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeviceListing {
    /// The serial.
    pub serial: String,
    /// Such as `device`, `offline`, `unauthorized`, `no permissions`.
    pub state: String,
    /// The build's product name, which may contain blanks.
    pub product: Option<String>,
    /// The model's name, in which adb replaces some characters by `_`.
    pub model: Option<String>,
    /// Tells two phones with one serial apart.
    pub transport_id: Option<u64>,
}

/// The connection states of adb (`adb.cpp`) and some of its forks.
const STATES: [&str; 15] = [
    "device",
    "offline",
    "unauthorized",
    "authorizing",
    "connecting",
    "bootloader",
    "recovery",
    "rescue",
    "sideload",
    "host",
    "detached",
    "no permissions",
    "no device",
    "not present",
    "unknown",
];

const FIELDS: [&str; 6] = ["usb:", "product:", "model:", "device:", "features:", "transport_id:"];

/// What adb prints for a phone without a serial, the only one with spaces.
pub(crate) const NO_SERIAL: &str = "(no serial number)";

/// Every phone of the list. Headers and messages of the adb program are skipped.
pub(crate) fn devices(text: &str) -> Vec<DeviceListing> {
    text.lines().filter_map(line).collect()
}

fn line(text: &str) -> Option<DeviceListing> {
    let text = text.trim();
    let (serial, rest) = match text.strip_prefix(NO_SERIAL) {
        Some(rest) => (NO_SERIAL, rest),
        None => text.split_once([' ', '\t']).filter(|(serial, _)| !serial.ends_with(':'))?,
    };
    let rest = rest.trim_start();
    let (head, fields) = rest.split_at(first_field(rest));
    let (serial, state) = match state(without_usb_path(head)) {
        Some(state) => (serial, state),
        None => found_on_the_network(&text[..text.len() - fields.len()])?,
    };
    // A phone whose serial has no printable character cannot be addressed.
    let serial = Some(sanitize(serial)).filter(|serial| !serial.is_empty())?;
    let mut line = DeviceListing { serial, state, ..DeviceListing::default() };
    let mut fields = fields;
    while let Some((name, rest)) = fields.split_once(':') {
        let end = first_field(rest);
        let value = sanitize(&rest[..end]);
        let value = Some(value).filter(|v| !v.is_empty());
        match name.trim() {
            "product" => line.product = value,
            "model" => line.model = value.map(|m| m.replace('_', " ")),
            "transport_id" => line.transport_id = value.and_then(|v| v.parse().ok()),
            _ => {}
        }
        fields = &rest[end..];
    }
    Some(line)
}

/// A serial made of a network name, which has spaces when two phones have the same name:
/// `adb-X1 (2)._adb-tls-connect._tcp device`.
fn found_on_the_network(head: &str) -> Option<(&str, String)> {
    let service = head.find("._adb")?;
    let end = service + head[service..].find([' ', '\t'])?;
    Some((&head[..end], state(without_usb_path(&head[end..]))?))
}

/// What stands before the place at the USB, which adb on macOS writes without `usb:`, as in `device 1-1.2`.
fn without_usb_path(head: &str) -> &str {
    let is_path = |word: &str| {
        word.starts_with(|it: char| it.is_ascii_digit())
            && word.chars().all(|it| it.is_ascii_digit() || matches!(it, '-' | '.'))
    };
    let head = head.trim();
    match head.rsplit_once([' ', '\t']) {
        Some((before, last)) if is_path(last) => before.trim_end(),
        _ => head,
    }
}

/// Where the next known field begins, after a space or at the start.
fn first_field(text: &str) -> usize {
    FIELDS
        .iter()
        .flat_map(|field| text.match_indices(field).map(|(at, _)| at))
        .filter(|at| *at == 0 || text[..*at].ends_with([' ', '\t']))
        .min()
        .unwrap_or(text.len())
}

/// The state of a phone; `None` for lines about something else. Any single word in lower case counts
/// as a state: adb adds new ones.
fn state(text: &str) -> Option<String> {
    if let Some(known) = STATES.iter().find(|s| text == **s) {
        return Some((*known).to_owned());
    }
    if text.starts_with("no permissions") {
        return Some("no permissions".to_owned());
    }
    let is_word = !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase());
    is_word.then(|| sanitize(text))
}
