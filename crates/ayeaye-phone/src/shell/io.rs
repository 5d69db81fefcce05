//! Where a command's input comes from and where its output goes.
use std::sync::{Arc, Mutex, PoisonError};

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::sync::mpsc;

use super::protocol::{Channel, PeerWriter};
use crate::{device::AdbDevice, device::unix_seconds, files::FileError};

/// Bytes a pipe or a substitution may hold: several raw captures.
pub(crate) const PIPE_LIMIT: usize = 64 << 20;

/// Nobody is left on the other side: the link is lost, or was cut by a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Disconnected {
    /// By a fault, which wants the whole link cut and not only this stream.
    pub(crate) by_fault: bool,
}

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
    Pipe(Arc<Mutex<Vec<u8>>>),
    /// Already opened (emptied or created); writing adds.
    File(AdbDevice, String),
    Null,
}

/// What writing can fail with.
#[derive(Debug)]
pub(crate) enum WriteError {
    Disconnected(Disconnected),
    File(FileError),
}

impl Sink {
    pub(crate) fn pipe() -> (Self, Arc<Mutex<Vec<u8>>>) {
        let held = Arc::new(Mutex::new(Vec::new()));
        (Self::Pipe(held.clone()), held)
    }

    /// `drop_after` cuts the link after so many bytes of this write, when it goes to the peer.
    pub(crate) async fn write(
        &self,
        chunks: &[Bytes],
        drop_after: Option<u64>,
    ) -> Result<(), WriteError> {
        match self {
            Self::Peer(peer, channel) => {
                peer.write(*channel, chunks, drop_after).await.map_err(WriteError::Disconnected)
            }
            Self::Pipe(held) => {
                let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
                let more: usize = chunks.iter().map(Bytes::len).sum();
                if held.len() + more > PIPE_LIMIT {
                    return Err(WriteError::File(FileError::NoSpace));
                }
                for chunk in chunks {
                    held.extend_from_slice(chunk);
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

/// Where input comes from; clones read on where the last one stopped.
#[derive(Debug, Clone)]
pub(crate) struct Stdin(Arc<tokio::sync::Mutex<Source>>);

#[derive(Debug)]
struct Source {
    held: BytesMut,
    /// `None` when what is held is all.
    more: Option<mpsc::Receiver<Bytes>>,
}

impl Stdin {
    pub(crate) fn bytes(bytes: Bytes) -> Self {
        let held = BytesMut::from(bytes);
        Self(Arc::new(tokio::sync::Mutex::new(Source { held, more: None })))
    }

    /// Bytes as the peer sends them; the end is the sender's drop.
    pub(crate) fn stream(more: mpsc::Receiver<Bytes>) -> Self {
        let source = Source { held: BytesMut::new(), more: Some(more) };
        Self(Arc::new(tokio::sync::Mutex::new(source)))
    }

    /// The next line without its end; `None` at the end of the input.
    pub(crate) async fn line(&self, limit: usize) -> Option<Bytes> {
        let mut source = self.0.lock().await;
        let mut searched = 0;
        loop {
            let newline = source.held[searched..].iter().position(|byte| *byte == b'\n');
            if let Some(at) = newline.map(|at| at + searched) {
                let line = source.held.split_to(at).freeze();
                source.held.advance(1);
                return Some(line);
            }
            searched = source.held.len();
            if searched > limit {
                return Some(source.held.split().freeze());
            }
            if !source.fill().await {
                let rest = source.held.split().freeze();
                return (!rest.is_empty()).then_some(rest);
            }
        }
    }

    /// All that is still to come, up to `limit` bytes.
    pub(crate) async fn all(&self, limit: usize) -> Bytes {
        let mut source = self.0.lock().await;
        while source.held.len() < limit && source.fill().await {}
        let length = source.held.len().min(limit);
        source.held.split_to(length).freeze()
    }

    /// Reads and forgets `count` bytes, or less when the input ends; returns how many.
    pub(crate) async fn skip(&self, count: u64) -> u64 {
        let mut source = self.0.lock().await;
        let mut skipped = 0;
        while skipped < count {
            if source.held.is_empty() && !source.fill().await {
                break;
            }
            let left = usize::try_from(count - skipped).unwrap_or(usize::MAX);
            let now = left.min(source.held.len());
            source.held.advance(now);
            skipped += now as u64;
        }
        skipped
    }
}

impl Source {
    /// Waits for more; `false` at the end.
    async fn fill(&mut self) -> bool {
        let Some(more) = &mut self.more else { return false };
        let received = more.recv().await;
        match &received {
            Some(bytes) => self.held.extend_from_slice(bytes),
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
        assert_eq!(stdin.skip(1).await, 1);
        assert_eq!(stdin.all(100).await, "ef");
        assert_eq!(stdin.skip(5).await, 0);
    }
}
