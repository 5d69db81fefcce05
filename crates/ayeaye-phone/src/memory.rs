//! What a phone holds for its clients besides its files: what is in pipes, input that is read whole, and files that
//! are not pushed to their end. All together it is bounded, however many of them there are.
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use bytes::Bytes;

use crate::files::FileError;

/// Most bytes of one phone.
const SIZE: usize = 256 << 20;

/// The room of one phone; clones are the same room.
#[derive(Debug, Clone)]
pub(crate) struct Memory {
    left: Arc<AtomicUsize>,
}

impl Default for Memory {
    fn default() -> Self {
        Self { left: Arc::new(AtomicUsize::new(SIZE)) }
    }
}

impl Memory {
    /// A buffer that takes its room from here as it grows.
    pub(crate) fn buffer(&self) -> HeldBuffer {
        HeldBuffer { bytes: Vec::new(), held: self.hold() }
    }

    /// Nothing yet.
    pub(crate) fn hold(&self) -> HeldBytes {
        HeldBytes { memory: self.clone(), bytes: 0 }
    }
}

/// Room that is taken, until it is dropped.
#[derive(Debug)]
pub(crate) struct HeldBytes {
    memory: Memory,
    bytes: usize,
}

impl HeldBytes {
    pub(crate) fn grow(&mut self, more: usize) -> Result<(), FileError> {
        let take = |left: usize| left.checked_sub(more);
        self.memory
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
            .map_err(|_| FileError::NoSpace)?;
        self.bytes += more;
        Ok(())
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        self.memory.left.fetch_add(self.bytes, Ordering::Relaxed);
    }
}

/// Bytes with the room they take.
#[derive(Debug)]
pub(crate) struct HeldBuffer {
    bytes: Vec<u8>,
    held: HeldBytes,
}

impl HeldBuffer {
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Adds all of it, or nothing where there is no room.
    pub(crate) fn push(&mut self, more: &[u8]) -> Result<(), FileError> {
        let (needed, there) = (self.bytes.len() + more.len(), self.bytes.capacity());
        if needed > there {
            // Twice as much where there is room, so that many small pieces do not each move what is there.
            let mut wanted = needed.max(2 * there);
            if self.held.grow(wanted - there).is_err() {
                self.held.grow(needed - there)?;
                wanted = needed;
            }
            self.bytes.reserve_exact(wanted - self.bytes.len());
        }
        self.bytes.extend_from_slice(more);
        Ok(())
    }

    /// What it held, and empty it.
    pub(crate) fn take(&mut self) -> Self {
        let empty = self.held.memory.buffer();
        std::mem::replace(self, empty)
    }

    /// The bytes, which take their room until the last clone is dropped.
    pub(crate) fn into_bytes(self) -> Bytes {
        if self.bytes.is_empty() { Bytes::new() } else { Bytes::from_owner(self) }
    }

    /// The bytes alone, for one who has other room for them.
    pub(crate) fn into_vec(mut self) -> Vec<u8> {
        self.bytes.shrink_to_fit();
        self.bytes
    }
}

impl AsRef<[u8]> for HeldBuffer {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_dropped_makes_room() {
        let memory = Memory::default();
        let mut held = memory.hold();
        held.grow(SIZE - 10).unwrap();
        let mut buffer = memory.buffer();
        buffer.push(b"123456").unwrap();
        buffer.push(b"7890").unwrap();
        assert_eq!(buffer.push(b"x"), Err(FileError::NoSpace));
        let bytes = buffer.take().into_bytes();
        assert_eq!((&bytes[..], buffer.len()), (&b"1234567890"[..], 0));
        let rest = bytes.slice(9..);
        drop(bytes);
        assert_eq!(held.grow(1), Err(FileError::NoSpace));
        drop(rest);
        held.grow(10).unwrap();
        drop((held, buffer));
        memory.hold().grow(SIZE).unwrap();
    }
}
