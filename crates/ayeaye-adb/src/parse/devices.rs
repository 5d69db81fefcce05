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

/// What adb prints for a phone without a serial.
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
    let (serial, state) = if let Some(state) = state(without_usb_path(head)) {
        (serial, state)
    } else {
        let head = &text[..text.len() - fields.len()];
        found_on_the_network(head).or_else(|| serial_with_blanks(head, fields))?
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

/// The serial of a phone over USB with blanks in it: `R58 M1 device`, where a known state stands before fields that only
/// a phone has.
fn serial_with_blanks<'a>(head: &'a str, fields: &str) -> Option<(&'a str, String)> {
    if !["usb:", "product:", "model:"].iter().any(|field| fields.starts_with(field)) {
        return None;
    }
    let head = head.trim_end();
    STATES.iter().find_map(|state| {
        let serial = head.strip_suffix(state)?;
        let is_apart = serial.ends_with([' ', '\t']);
        is_apart.then(|| (serial.trim_end(), (*state).to_owned()))
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_serial_may_have_blanks_where_nothing_else_is_meant() {
        for (text, expected) in [
            (
                "a b                    device product:p model:Pixel_7 transport_id:3",
                Some(("a b", "device")),
            ),
            ("R58 M1 x\tunauthorized usb:1-1 transport_id:4", Some(("R58 M1 x", "unauthorized"))),
            ("a b no permissions usb:1-1", Some(("a b", "no permissions"))),
            ("a b device", None),
            ("* daemon started successfully", None),
            ("error: no such device product:p", None),
        ] {
            let listed = devices(text);
            let told = listed.first().map(|it| (it.serial.as_str(), it.state.as_str()));
            assert_eq!(told, expected, "{text}");
        }
        assert_eq!(
            devices("a b device product:p model:Pixel_7")[0].model.as_deref(),
            Some("Pixel 7")
        );
    }
}
