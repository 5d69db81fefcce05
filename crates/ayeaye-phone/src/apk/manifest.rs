//! The manifest of a package in Android's binary XML: chunks of a type, a header and a size; one of them holds
//! all strings (AOSP, `ResourceTypes.h`).

const XML: u16 = 0x0003;
const STRINGS: u16 = 0x0001;
const START: u16 = 0x0102;
const END: u16 = 0x0103;
/// The flag of a table of strings in UTF-8; the others are in UTF-16.
const UTF8: u32 = 1 << 8;
/// The type of a value that is a string.
const STRING: u8 = 0x03;
const NONE: u32 = u32::MAX;

/// What a manifest says that matters here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Manifest {
    pub(crate) package: String,
    pub(crate) version_name: String,
    /// `None` where it is a resource.
    pub(crate) label: Option<String>,
    /// The class that the icon starts, as it is written.
    pub(crate) launcher: Option<String>,
}

impl Manifest {
    /// `None` when it is no manifest.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        if number(bytes, 0, 2)? != u32::from(XML) {
            return None;
        }
        let mut strings = Vec::new();
        let mut manifest = Self::default();
        // The elements around the one that is read, and the activity among them.
        let (mut around, mut activity) = (Vec::<String>::new(), None::<String>);
        let (mut main, mut launcher) = (false, false);
        let mut at = usize::from(u16::try_from(number(bytes, 2, 2)?).ok()?);
        while at + 8 <= bytes.len() {
            let kind = u16::try_from(number(bytes, at, 2)?).ok()?;
            let size = usize::try_from(number(bytes, at + 4, 4)?).ok()?;
            let chunk = bytes.get(at..at.checked_add(size.max(8))?)?;
            match kind {
                STRINGS => strings = read_strings(chunk)?,
                START => {
                    let element = Element::read(chunk, &strings)?;
                    match element.name.as_str() {
                        "manifest" if around.is_empty() => {
                            manifest.package = element.text("package")?.to_owned();
                            let version = element.text("versionName").unwrap_or_default();
                            version.clone_into(&mut manifest.version_name);
                        }
                        "application" => manifest.label = element.text("label").map(str::to_owned),
                        "activity" | "activity-alias" => {
                            activity = element.text("name").map(str::to_owned);
                        }
                        "intent-filter" => (main, launcher) = (false, false),
                        "action" => {
                            main |= element.text("name") == Some("android.intent.action.MAIN");
                        }
                        "category" => {
                            launcher |=
                                element.text("name") == Some("android.intent.category.LAUNCHER");
                        }
                        _ => {}
                    }
                    around.push(element.name);
                }
                END => match around.pop().as_deref() {
                    Some("intent-filter") if main && launcher && manifest.launcher.is_none() => {
                        manifest.launcher.clone_from(&activity);
                    }
                    Some("activity" | "activity-alias") => activity = None,
                    _ => {}
                },
                _ => {}
            }
            at += chunk.len();
        }
        Some(manifest).filter(|manifest| is_package(&manifest.package))
    }
}

fn is_package(name: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    name.contains('.') && name.len() <= 255 && name.split('.').all(part)
}

#[derive(Debug)]
struct Element {
    name: String,
    /// Names and those of their values that are strings.
    attributes: Vec<(String, String)>,
}

impl Element {
    fn read(chunk: &[u8], strings: &[String]) -> Option<Self> {
        let string = |index: u32| strings.get(usize::try_from(index).ok()?).cloned();
        let name = string(number(chunk, 20, 4)?)?;
        let [start, size, count] = [24, 26, 28].map(|at| number(chunk, at, 2));
        let (start, size) = (16 + usize::try_from(start?).ok()?, usize::try_from(size?).ok()?);
        let mut attributes = Vec::new();
        for index in 0..usize::try_from(count?).ok()? {
            let at = start.checked_add(index.checked_mul(size)?)?;
            let raw = number(chunk, at + 8, 4)?;
            let is_string = number(chunk, at + 15, 1)? == u32::from(STRING);
            let value = if raw == NONE { number(chunk, at + 16, 4)? } else { raw };
            if raw != NONE || is_string {
                attributes.push((string(number(chunk, at + 4, 4)?)?, string(value)?));
            }
        }
        Some(Self { name, attributes })
    }

    fn text(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

fn read_strings(chunk: &[u8]) -> Option<Vec<String>> {
    let [count, flags, start] = [8, 16, 20].map(|at| number(chunk, at, 4));
    let (flags, start) = (flags?, usize::try_from(start?).ok()?);
    let header = usize::try_from(number(chunk, 2, 2)?).ok()?;
    let mut strings = Vec::new();
    for index in 0..usize::try_from(count?).ok()? {
        let offset = number(chunk, header.checked_add(index.checked_mul(4)?)?, 4)?;
        let at = start.checked_add(usize::try_from(offset).ok()?)?;
        strings.push(if flags & UTF8 == 0 { utf16(chunk, at)? } else { utf8(chunk, at)? });
    }
    Some(strings)
}

/// Two lengths, in characters and in bytes, each of one byte or, with the top bit, two.
fn utf8(chunk: &[u8], at: usize) -> Option<String> {
    let length = |at: usize| {
        let first = number(chunk, at, 1)?;
        if first & 0x80 == 0 {
            return Some((first, at + 1));
        }
        Some(((first & 0x7f) << 8 | number(chunk, at + 1, 1)?, at + 2))
    };
    let (_, at) = length(at)?;
    let (bytes, at) = length(at)?;
    let bytes = chunk.get(at..at.checked_add(usize::try_from(bytes).ok()?)?)?;
    Some(String::from_utf8_lossy(bytes).into_owned())
}

/// One length, of two bytes or, with the top bit, four.
fn utf16(chunk: &[u8], at: usize) -> Option<String> {
    let first = number(chunk, at, 2)?;
    let (length, at) = if first & 0x8000 == 0 {
        (first, at + 2)
    } else {
        ((first & 0x7fff) << 16 | number(chunk, at + 2, 2)?, at + 4)
    };
    let bytes = chunk.get(at..at.checked_add(usize::try_from(length).ok()?.checked_mul(2)?)?)?;
    let units: Vec<u16> =
        bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]])).collect();
    Some(String::from_utf16_lossy(&units))
}

/// A little-endian number of one to four bytes.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<u32> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | u32::from(*byte)))
}
