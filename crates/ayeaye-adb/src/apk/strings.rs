//! Pools of strings, in UTF-8 or UTF-16. A string is decoded when it is asked for: a pool may hold a
//! hundred thousand.
use super::chunk::{Chunk, ChunkKind, size_at, u16_at, u32_at};

/// The most bytes of a string that are decoded.
const MAX_BYTES: usize = 4096;
const UTF8: u32 = 1 << 8;

#[derive(Debug, Clone, Copy)]
pub(super) struct StringPool<'a> {
    chunk: Chunk<'a>,
    count: usize,
    start: usize,
    utf8: bool,
}

impl<'a> StringPool<'a> {
    pub(super) fn parse(chunk: Chunk<'a>) -> Option<Self> {
        if chunk.kind != ChunkKind::StringPool {
            return None;
        }
        Some(Self {
            count: size_at(chunk.bytes, 8)?,
            utf8: u32_at(chunk.bytes, 16)? & UTF8 != 0,
            start: size_at(chunk.bytes, 20)?,
            chunk,
        })
    }

    pub(super) fn get(&self, index: u32) -> Option<String> {
        let text = self.bytes(index)?;
        let text = &text[..text.len().min(MAX_BYTES)];
        if self.utf8 {
            return Some(String::from_utf8_lossy(text).into_owned());
        }
        Some(
            char::decode_utf16(units(text))
                .map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER))
                .collect(),
        )
    }

    pub(super) fn has(&self, index: u32) -> bool {
        self.bytes(index).is_some()
    }

    /// Whether a string is this one, without decoding it.
    pub(super) fn is(&self, index: u32, text: &str) -> bool {
        let Some(bytes) = self.bytes(index) else { return false };
        if self.utf8 { bytes == text.as_bytes() } else { units(bytes).eq(text.encode_utf16()) }
    }

    /// A string as it is encoded.
    fn bytes(&self, index: u32) -> Option<&'a [u8]> {
        let index = usize::try_from(index).ok().filter(|index| *index < self.count)?;
        let offset = size_at(self.chunk.bytes, self.chunk.header.checked_add(index * 4)?)?;
        let bytes = self.chunk.bytes.get(self.start.checked_add(offset)?..)?;
        if self.utf8 { utf8(bytes) } else { utf16(bytes) }
    }
}

/// Characters, then bytes, each as one or two bytes; then the text.
fn utf8(bytes: &[u8]) -> Option<&[u8]> {
    let (_, bytes) = short_length(bytes)?;
    let (length, bytes) = short_length(bytes)?;
    bytes.get(..length)
}

fn short_length(bytes: &[u8]) -> Option<(usize, &[u8])> {
    match *bytes {
        [high, low, ref rest @ ..] if high & 0x80 != 0 => {
            Some((usize::from(high & 0x7f) << 8 | usize::from(low), rest))
        }
        [length, ref rest @ ..] => Some((usize::from(length), rest)),
        [] => None,
    }
}

/// Units, as one or two 16-bit numbers; then the text.
fn utf16(bytes: &[u8]) -> Option<&[u8]> {
    let first = u16_at(bytes, 0)?;
    let (length, start) = if first & 0x8000 == 0 {
        (usize::from(first), 2)
    } else {
        (usize::from(first & 0x7fff) << 16 | usize::from(u16_at(bytes, 2)?), 4)
    };
    bytes.get(start..)?.get(..length.checked_mul(2)?)
}

fn units(bytes: &[u8]) -> impl Iterator<Item = u16> {
    bytes.chunks_exact(2).map(|two| u16::from_le_bytes([two[0], two[1]]))
}
