//! `resources.arsc`: every text of an app, in every language.
use super::chunk::{Chunk, ChunkKind, leading_chunk, size_at, u16_at, u32_at};
use super::locale::{Locale, Offered, best};
use super::strings::StringPool;

/// How often a text may refer to another.
const MAX_REFERENCES: usize = 8;

/// The most configurations of one resource that are looked at: ten times what an app in every language has.
const MAX_CONFIGURATIONS: usize = 2000;

const NO_ENTRY: u32 = u32::MAX;
/// Of a type: only entries that are there are listed, in pairs of number and offset.
const SPARSE: u8 = 0x01;
/// Of a type: offsets have 16 bits.
const SHORT_OFFSETS: u8 = 0x02;
/// Of an entry: it has parts, as plurals have.
const COMPLEX: u16 = 0x0001;
/// Of an entry: it has no header.
const COMPACT: u16 = 0x0008;

const TYPE_REFERENCE: u8 = 0x01;
const TYPE_STRING: u8 = 0x03;
const TYPE_DYNAMIC_REFERENCE: u8 = 0x07;

#[derive(Debug, Clone)]
pub(super) struct ResourceTable<'a> {
    chunk: Chunk<'a>,
    strings: StringPool<'a>,
}

/// What an entry holds. A text is decoded when it is known to be the one that is wanted: a table of a few
/// megabytes may offer gigabytes of them.
#[derive(Debug)]
enum TableEntry<'a> {
    Text(StringPool<'a>, u32),
    Reference(u32),
}

/// The text of a resource for who reads these languages, from all parts of an app.
pub(super) fn text(tables: &[ResourceTable<'_>], id: u32, locales: &[Locale]) -> Option<String> {
    let mut id = id;
    for _ in 0..MAX_REFERENCES {
        let entries = tables.iter().flat_map(|table| table.entries(id));
        match best(entries.take(MAX_CONFIGURATIONS).collect(), locales)? {
            TableEntry::Text(strings, index) => return strings.get(index),
            TableEntry::Reference(next) => id = next,
        }
    }
    None
}

impl<'a> ResourceTable<'a> {
    pub(super) fn parse(bytes: &'a [u8]) -> Option<Self> {
        let chunk = leading_chunk(bytes).filter(|chunk| chunk.kind == ChunkKind::Table)?;
        let strings = chunk.children().find_map(StringPool::parse)?;
        Some(Self { chunk, strings })
    }

    /// A resource in each configuration. Its number is package, type and entry, in 8, 8 and 16 bits.
    fn entries(&self, id: u32) -> impl Iterator<Item = Offered<TableEntry<'a>>> {
        let [package, kind, entry @ ..] = id.to_be_bytes();
        let entry = usize::from(u16::from_be_bytes(entry));
        let packages = self.chunk.children().filter(|chunk| chunk.kind == ChunkKind::Package);
        packages
            .filter(move |chunk| u32_at(chunk.bytes, 8) == Some(u32::from(package)))
            .flat_map(|package| package.children())
            .filter(move |chunk| chunk.kind == ChunkKind::Type && chunk.bytes.get(8) == Some(&kind))
            .filter_map(move |chunk| {
                let value = self.value(entry_at(chunk, entry)?)?;
                let (locale, special) = configuration(chunk.bytes.get(20..chunk.header)?)?;
                Some(Offered { locale, special, value })
            })
    }

    fn value(&self, entry: &[u8]) -> Option<TableEntry<'a>> {
        let flags = u16_at(entry, 2)?;
        let (kind, data) = if flags & COMPACT != 0 {
            (flags.to_be_bytes()[0], u32_at(entry, 4)?)
        } else if flags & COMPLEX != 0 {
            return None;
        } else {
            let value = entry.get(usize::from(u16_at(entry, 0)?)..)?;
            (*value.get(3)?, u32_at(value, 4)?)
        };
        match kind {
            TYPE_STRING if self.strings.has(data) => Some(TableEntry::Text(self.strings, data)),
            TYPE_REFERENCE | TYPE_DYNAMIC_REFERENCE if data != 0 => {
                Some(TableEntry::Reference(data))
            }
            _ => None,
        }
    }
}

/// The bytes of an entry of a type, and what follows.
fn entry_at(chunk: Chunk<'_>, index: usize) -> Option<&[u8]> {
    let bytes = chunk.bytes;
    let flags = *bytes.get(9)?;
    let (count, entries) = (size_at(bytes, 12)?, size_at(bytes, 16)?);
    let offset = if flags & SPARSE != 0 {
        let pairs = bytes.get(chunk.header..)?.chunks_exact(4).take(count);
        let pair =
            pairs.into_iter().find(|pair| u16_at(pair, 0).map(usize::from) == Some(index))?;
        usize::from(u16_at(pair, 2)?) * 4
    } else if count <= index {
        return None;
    } else if flags & SHORT_OFFSETS != 0 {
        let offset = u16_at(bytes, chunk.header + index * 2).filter(|it| *it != u16::MAX)?;
        usize::from(offset) * 4
    } else {
        let offset = u32_at(bytes, chunk.header + index * 4).filter(|it| *it != NO_ENTRY)?;
        usize::try_from(offset).ok()?
    };
    bytes.get(entries.checked_add(offset)?..)
}

/// The locale of a configuration (`None`: of all), and how special it is besides. `None` where it is cut.
fn configuration(bytes: &[u8]) -> Option<(Option<Locale>, u32)> {
    let size = size_at(bytes, 0)?;
    let bytes = bytes.get(..size)?;
    let field = |at| u32_at(bytes, at).unwrap_or_default();
    // Operator, screen and input, version of Android, kind of screen and of device.
    let special = [4, 12, 16, 20, 24, 28, 32].into_iter().filter(|at| field(*at) != 0).count();
    let language = unpack([*bytes.get(8)?, *bytes.get(9)?], b'a');
    let region = unpack([*bytes.get(10)?, *bytes.get(11)?], b'0');
    let script = bytes.get(36..40).map(ascii).filter(|script| script.len() == 4);
    let tag = [language, script, region].into_iter().flatten().collect::<Vec<_>>().join("-");
    if tag.is_empty() {
        return Some((None, u32::try_from(special).ok()?));
    }
    Some((Some(Locale::parse(&tag)?), u32::try_from(special).ok()?))
}

/// Two letters, or three letters or digits in 15 bits.
fn unpack(packed: [u8; 2], base: u8) -> Option<String> {
    let [first, second] = packed;
    if first == 0 {
        return None;
    }
    if first & 0x80 == 0 {
        return Some(ascii(&packed));
    }
    let three = [second & 0x1f, (second >> 5) | ((first & 0x03) << 3), (first & 0x7c) >> 2];
    Some(three.into_iter().map(|it| char::from(it + base)).collect())
}

/// The letters and digits before the first zero.
fn ascii(bytes: &[u8]) -> String {
    let bytes = bytes.iter().take_while(|byte| byte.is_ascii_alphanumeric());
    bytes.map(|byte| char::from(*byte)).collect()
}
