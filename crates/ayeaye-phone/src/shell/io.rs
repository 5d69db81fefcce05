//! The standard streams of a command.
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::sync::mpsc;

use super::protocol::{Channel, Disconnected, PeerWriter};
use crate::{device::AdbDevice, device::unix_seconds, files::FileError};

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
    Pipe(Arc<Mutex<Vec<u8>>>, usize),
    /// Already created or truncated; writes append.
    File(AdbDevice, String),
    Null,
}

/// Why a write failed.
#[derive(Debug)]
pub(crate) enum WriteError {
    Disconnected(Disconnected),
    File(FileError),
}

impl Sink {
    pub(crate) fn pipe(limit: usize) -> (Self, Arc<Mutex<Vec<u8>>>) {
        let buffer = Arc::new(Mutex::new(Vec::new()));
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
                for chunk in chunks {
                    buffer.extend_from_slice(chunk);
                }
                Ok(())
            }
            Self::File(device, path) => {
                let now = unix_seconds();
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
pub(crate) struct Stdin(Arc<tokio::sync::Mutex<Source>>);

#[derive(Debug)]
struct Source {
    buffer: BytesMut,
    /// `None` when nothing more will come.
    more: Option<mpsc::Receiver<Bytes>>,
}

impl Stdin {
    pub(crate) fn bytes(bytes: Bytes) -> Self {
        let buffer = BytesMut::from(bytes);
        Self(Arc::new(tokio::sync::Mutex::new(Source { buffer, more: None })))
    }

    /// Bytes from a channel, until its sender is dropped.
    pub(crate) fn stream(more: mpsc::Receiver<Bytes>) -> Self {
        let source = Source { buffer: BytesMut::new(), more: Some(more) };
        Self(Arc::new(tokio::sync::Mutex::new(source)))
    }

    /// The next line without its end; `None` at the end of the input.
    pub(crate) async fn line(&self, limit: usize) -> Option<Bytes> {
        let mut source = self.0.lock().await;
        let mut searched = 0;
        loop {
            let newline = source.buffer[searched..].iter().position(|byte| *byte == b'\n');
            if let Some(at) = newline.map(|at| at + searched) {
                let line = source.buffer.split_to(at).freeze();
                source.buffer.advance(1);
                return Some(line);
            }
            searched = source.buffer.len();
            if searched > limit {
                return Some(source.buffer.split().freeze());
            }
            if !source.fill().await {
                let rest = source.buffer.split().freeze();
                return (!rest.is_empty()).then_some(rest);
            }
        }
    }

    /// Everything up to the end of the input, at most `limit` bytes.
    pub(crate) async fn all(&self, limit: usize) -> Bytes {
        let mut source = self.0.lock().await;
        while source.buffer.len() < limit && source.fill().await {}
        let length = source.buffer.len().min(limit);
        source.buffer.split_to(length).freeze()
    }
}

impl Source {
    /// Waits for more; `false` at the end.
    async fn fill(&mut self) -> bool {
        let Some(more) = &mut self.more else { return false };
        let received = more.recv().await;
        match &received {
            Some(bytes) => self.buffer.extend_from_slice(bytes),
            None => self.more = None,
        }
        received.is_some()
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
        assert_eq!(stdin.all(1).await, "d");
        assert_eq!(stdin.all(100).await, "ef");
        assert_eq!(stdin.all(5).await, "");
    }
}
