//! Chunks: two bytes of type, two of the header's size, four of the whole size, little endian.

/// The types of chunks that are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ChunkKind {
    StringPool,
    Table,
    Xml,
    StartElement,
    ResourceMap,
    Package,
    Type,
    Other,
}

/// A chunk, with sizes that have been checked against the bytes that there are.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Chunk<'a> {
    pub(crate) kind: ChunkKind,
    /// Header and body.
    pub(crate) bytes: &'a [u8],
    pub(crate) header: usize,
}

impl<'a> Chunk<'a> {
    fn parse(bytes: &'a [u8]) -> Option<Self> {
        let kind = match u16_at(bytes, 0)? {
            0x0001 => ChunkKind::StringPool,
            0x0002 => ChunkKind::Table,
            0x0003 => ChunkKind::Xml,
            0x0102 => ChunkKind::StartElement,
            0x0180 => ChunkKind::ResourceMap,
            0x0200 => ChunkKind::Package,
            0x0201 => ChunkKind::Type,
            _ => ChunkKind::Other,
        };
        let header = usize::from(u16_at(bytes, 2)?);
        let size = usize::try_from(u32_at(bytes, 4)?).ok()?;
        if header < 8 || size < header {
            return None;
        }
        Some(Self { kind, bytes: bytes.get(..size)?, header })
    }

    /// The chunks inside this one, up to the first that is damaged.
    pub(crate) fn children(&self) -> impl Iterator<Item = Chunk<'a>> + use<'a> {
        let mut rest = &self.bytes[self.header..];
        std::iter::from_fn(move || {
            let child = Chunk::parse(rest)?;
            rest = &rest[child.bytes.len()..];
            Some(child)
        })
    }
}

/// The chunk that bytes begin with, if it is whole.
pub(crate) fn leading_chunk(bytes: &[u8]) -> Option<Chunk<'_>> {
    Chunk::parse(bytes)
}

pub(super) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let two = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*two))
}

pub(super) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*four))
}

/// A 32-bit number that is an offset or a count.
pub(super) fn size_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32_at(bytes, at)?).ok()
}
