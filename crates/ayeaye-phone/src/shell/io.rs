//! The standard streams of a command.
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::sync::mpsc;

use super::protocol::{Channel, Disconnected, PeerWriter};
use crate::{
    device::VirtualPhone,
    files::FileError,
    memory::{HeldBuffer, Memory},
};

/// Most bytes in a pipe: several raw captures.
pub(crate) const PIPE_LIMIT: usize = 64 << 20;

/// The three streams of a command; clones are the same streams.
#[derive(Debug, Clone)]
pub(crate) struct Io {
    pub(crate) stdin: Stdin,
    pub(crate) stdout: Sink,
    pub(crate) stderr: Sink,
}

/// Where output goes.
#[derive(Debug, Clone)]
pub(crate) enum Sink {
    Peer(Arc<PeerWriter>, Channel),
    /// Up to so many bytes.
    Pipe(Arc<Mutex<HeldBuffer>>, usize),
    /// Already created or truncated; writes append.
    File(VirtualPhone, String),
    Null,
}

/// Why a write failed.
#[derive(Debug)]
pub(crate) enum WriteError {
    Disconnected(Disconnected),
    File(FileError),
}

impl Sink {
    pub(crate) fn pipe(memory: &Memory, limit: usize) -> (Self, Arc<Mutex<HeldBuffer>>) {
        let buffer = Arc::new(Mutex::new(memory.buffer()));
        (Self::Pipe(buffer.clone(), limit), buffer)
    }

    /// `drop_after` cuts the link after so many bytes of a write to the client.
    pub(crate) async fn write(
        &self,
        chunks: &[Bytes],
        drop_after: Option<u64>,
    ) -> Result<(), WriteError> {
        match self {
            Self::Peer(peer, channel) => {
                peer.write(*channel, chunks, drop_after).await.map_err(WriteError::Disconnected)
            }
            Self::Pipe(buffer, limit) => {
                let mut buffer = buffer.lock().unwrap_or_else(PoisonError::into_inner);
                let more: usize = chunks.iter().map(Bytes::len).sum();
                if buffer.len() + more > *limit {
                    return Err(WriteError::File(FileError::NoSpace));
                }
                chunks.iter().try_for_each(|chunk| buffer.push(chunk).map_err(WriteError::File))
            }
            Self::File(device, path) => {
                let now = device.unix_seconds();
                let mut files = device.files();
                chunks
                    .iter()
                    .try_for_each(|chunk| files.append(path, chunk, now).map_err(WriteError::File))
            }
            Self::Null => Ok(()),
        }
    }
}

/// Standard input; clones share the position.
#[derive(Debug, Clone)]
pub(crate) struct Stdin(Arc<tokio::sync::Mutex<InputSource>>);

#[derive(Debug)]
struct InputSource {
    /// What is there already.
    now: Bytes,
    /// `None` when nothing more will come.
    more: Option<mpsc::Receiver<Bytes>>,
}

impl Stdin {
    pub(crate) fn bytes(now: Bytes) -> Self {
        Self(Arc::new(tokio::sync::Mutex::new(InputSource { now, more: None })))
    }

    /// Bytes from a channel, until its sender is dropped. A chunk of nothing is an end for whoever reads then.
    pub(crate) fn stream(more: mpsc::Receiver<Bytes>) -> Self {
        let source = InputSource { now: Bytes::new(), more: Some(more) };
        Self(Arc::new(tokio::sync::Mutex::new(source)))
    }

    /// The next line without its end; `None` at the end of the input.
    pub(crate) async fn line(&self, limit: usize) -> Option<Bytes> {
        let mut source = self.0.lock().await;
        let mut line = BytesMut::new();
        loop {
            if let Some(at) = source.now.iter().position(|byte| *byte == b'\n') {
                line.extend_from_slice(&source.now.split_to(at));
                source.now.advance(1);
                return Some(line.freeze());
            }
            line.extend_from_slice(&std::mem::take(&mut source.now));
            if line.len() > limit {
                return Some(line.freeze());
            }
            if !source.fill().await {
                return (!line.is_empty()).then(|| line.freeze());
            }
        }
    }

    /// What is there, or what comes next; `None` at the end of the input.
    pub(crate) async fn chunk(&self) -> Option<Bytes> {
        let mut source = self.0.lock().await;
        if source.now.is_empty() && !source.fill().await {
            return None;
        }
        Some(std::mem::take(&mut source.now))
    }

    /// Everything up to the end of the input, for commands that need all at once. More than `limit` bytes there is
    /// no room for.
    pub(crate) async fn all(&self, memory: &Memory, limit: usize) -> Result<Bytes, FileError> {
        let mut source = self.0.lock().await;
        let mut all = memory.buffer();
        loop {
            let now = std::mem::take(&mut source.now);
            if all.len() + now.len() > limit {
                return Err(FileError::NoSpace);
            }
            if source.more.is_none() && all.len() == 0 {
                return Ok(now);
            }
            all.push(&now)?;
            drop(now);
            if !source.fill().await {
                return Ok(all.into_bytes());
            }
        }
    }
}

impl InputSource {
    /// Waits for more, where nothing is there; `false` at the end.
    async fn fill(&mut self) -> bool {
        if self.now.is_empty() {
            let Some(more) = &mut self.more else { return false };
            match more.recv().await {
                Some(bytes) => self.now = bytes,
                None => self.more = None,
            }
        }
        !self.now.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn lines_and_the_rest_are_read_in_order() {
        let stdin = Stdin::bytes(Bytes::from_static(b"one\n\nthree"));
        assert_eq!(stdin.line(100).await.unwrap(), "one");
        assert_eq!(stdin.line(100).await.unwrap(), "");
        assert_eq!(stdin.clone().line(100).await.unwrap(), "three");
        assert_eq!(stdin.line(100).await, None);
    }

    #[tokio::test]
    async fn a_stream_is_read_across_its_chunks() {
        let (sender, receiver) = mpsc::channel(4);
        for chunk in ["ab", "c\nd", "ef"] {
            sender.send(Bytes::from_static(chunk.as_bytes())).await.unwrap();
        }
        drop(sender);
        let stdin = Stdin::stream(receiver);
        assert_eq!(stdin.line(100).await.unwrap(), "abc");
        assert_eq!(stdin.chunk().await.unwrap(), "d");
        let memory = Memory::default();
        assert_eq!(stdin.all(&memory, 100).await.unwrap(), "ef");
        assert_eq!(stdin.all(&memory, 5).await.unwrap(), "");
        assert_eq!(stdin.chunk().await, None);
    }

    #[tokio::test]
    async fn more_than_there_is_room_for_is_not_taken_for_the_end() {
        let memory = Memory::default();
        let stdin = Stdin::bytes(Bytes::from_static(b"abc"));
        assert_eq!(stdin.all(&memory, 2).await, Err(FileError::NoSpace));
        let stdin = Stdin::bytes(Bytes::from_static(b"abc"));
        assert_eq!(stdin.all(&memory, 3).await.unwrap(), "abc");
    }
}
