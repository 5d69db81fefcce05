//! The shell's output to the client, in the framing the client asked for.
//!
//! The packets of `shell,v2` are those of AOSP's `shell_protocol.h`: one byte of id, the length as
//! little-endian u32, the data.
use std::{fmt, sync::Arc};

use bytes::{Buf as _, Bytes, BytesMut};
use tokio::{
    io::{AsyncWrite, AsyncWriteExt as _},
    sync::Mutex,
};

/// Most bytes of data this side puts into one packet.
const PACKET: usize = 64 << 10;
/// Most bytes accepted in one packet, as many as adb sends.
const MAX_PACKET: usize = 1 << 20;
/// Most bytes handed to the transport at a time.
const BATCH: usize = 1 << 20;

/// The client is gone: the link was lost, or cut by a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Disconnected {
    /// A fault, which cuts the whole link and not only this stream.
    pub(crate) by_fault: bool,
}

/// The framing of a shell stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Framing {
    /// stdout and stderr mixed, without an exit status.
    Raw,
    /// Packets, with an exit status.
    V2,
}

/// Which of the two outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Channel {
    Stdout,
    Stderr,
}

/// The id of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Id {
    Stdin,
    Stdout,
    Stderr,
    Exit,
    CloseStdin,
    WindowSize,
    /// To be ignored, as AOSP does.
    Other(u8),
}

impl Id {
    fn byte(self) -> u8 {
        match self {
            Self::Stdin => 0,
            Self::Stdout => 1,
            Self::Stderr => 2,
            Self::Exit => 3,
            Self::CloseStdin => 4,
            Self::WindowSize => 5,
            Self::Other(byte) => byte,
        }
    }
}

impl From<u8> for Id {
    fn from(byte: u8) -> Self {
        match byte {
            0 => Self::Stdin,
            1 => Self::Stdout,
            2 => Self::Stderr,
            3 => Self::Exit,
            4 => Self::CloseStdin,
            5 => Self::WindowSize,
            other => Self::Other(other),
        }
    }
}

/// The client sent a packet longer than any of adb's.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a shell packet of {0} bytes")]
pub(crate) struct PacketTooLong(usize);

/// Takes the next complete packet from the front of the buffer.
pub(crate) fn next_packet(read: &mut BytesMut) -> Result<Option<(Id, Bytes)>, PacketTooLong> {
    let Some((header, _)) = read.split_first_chunk::<5>() else { return Ok(None) };
    let [id, length @ ..] = *header;
    let length = usize::try_from(u32::from_le_bytes(length)).unwrap_or(usize::MAX);
    if length > MAX_PACKET {
        return Err(PacketTooLong(length));
    }
    if read.len() < 5 + length {
        return Ok(None);
    }
    read.advance(5);
    Ok(Some((Id::from(id), read.split_to(length).freeze())))
}

/// Adds one packet.
pub(crate) fn push_packet(out: &mut BytesMut, id: Id, data: &[u8]) {
    out.extend_from_slice(&[id.byte()]);
    let length = u32::try_from(data.len()).expect("callers cut data to PACKET bytes");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(data);
}

/// The writer to the client.
pub(crate) struct PeerWriter {
    framing: Framing,
    /// Carriage returns, and one stream for both outputs.
    terminal: bool,
    writer: Mutex<Box<dyn AsyncWrite + Send + Unpin>>,
}

impl fmt::Debug for PeerWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeerWriter").field("framing", &self.framing).finish_non_exhaustive()
    }
}

impl PeerWriter {
    pub(crate) fn new(
        framing: Framing,
        terminal: bool,
        writer: Box<dyn AsyncWrite + Send + Unpin>,
    ) -> Arc<Self> {
        Arc::new(Self { framing, terminal, writer: Mutex::new(writer) })
    }

    /// Writes all of it, or cuts the link after `drop_after` bytes of it.
    pub(crate) async fn write(
        &self,
        channel: Channel,
        chunks: &[Bytes],
        drop_after: Option<u64>,
    ) -> Result<(), Disconnected> {
        let id = match channel {
            Channel::Stderr if !self.terminal => Id::Stderr,
            Channel::Stdout | Channel::Stderr => Id::Stdout,
        };
        let mut left = drop_after.map_or(usize::MAX, |n| usize::try_from(n).unwrap_or(usize::MAX));
        for chunk in chunks {
            let whole = if self.terminal { with_carriage_returns(chunk) } else { chunk.clone() };
            let now = whole.slice(..whole.len().min(left));
            left -= now.len();
            for batch in now.chunks(BATCH) {
                self.send(id, batch).await?;
            }
        }
        if drop_after.is_some() {
            self.flush().await?;
            return Err(Disconnected { by_fault: true });
        }
        Ok(())
    }

    /// Sends the exit status where the framing has one.
    pub(crate) async fn exit(&self, status: u8) -> Result<(), Disconnected> {
        match self.framing {
            Framing::V2 => self.send(Id::Exit, &[status]).await,
            Framing::Raw => Ok(()),
        }
    }

    /// Ends the stream. It does not matter whether the client is still there.
    pub(crate) async fn close(&self) {
        if let Err(error) = self.writer.lock().await.shutdown().await {
            tracing::debug!(%error, "the peer was gone before the end");
        }
    }

    async fn flush(&self) -> Result<(), Disconnected> {
        self.writer.lock().await.flush().await.map_err(|_| Disconnected { by_fault: false })
    }

    async fn send(&self, id: Id, data: &[u8]) -> Result<(), Disconnected> {
        let mut writer = self.writer.lock().await;
        let sent = match self.framing {
            Framing::Raw => writer.write_all(data).await,
            Framing::V2 => {
                let packets = data.len().div_ceil(PACKET);
                let mut framed = BytesMut::with_capacity(data.len() + 5 * packets);
                data.chunks(PACKET).for_each(|data| push_packet(&mut framed, id, data));
                writer.write_all(&framed).await
            }
        };
        sent.map_err(|_| Disconnected { by_fault: false })
    }
}

/// What a terminal's driver makes of an end of line.
fn with_carriage_returns(text: &[u8]) -> Bytes {
    let mut out = Vec::with_capacity(text.len());
    for byte in text {
        if *byte == b'\n' {
            out.push(b'\r');
        }
        out.push(*byte);
    }
    Bytes::from(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_packet_reads_back_as_itself(id: u8, data: Vec<u8>, rest: Vec<u8>) {
            let mut wire = BytesMut::new();
            push_packet(&mut wire, Id::from(id), &data);
            wire.extend_from_slice(&rest);
            let (read_id, read) = next_packet(&mut wire).unwrap().unwrap();
            prop_assert_eq!(read_id.byte(), id);
            prop_assert_eq!(read, data);
            prop_assert_eq!(&wire[..], &rest);
        }

        #[test]
        fn no_byte_is_lost_or_made_up(bytes: Vec<u8>) {
            let mut wire = BytesMut::from(&bytes[..]);
            let mut read = BytesMut::new();
            while let Ok(Some((id, data))) = next_packet(&mut wire) {
                push_packet(&mut read, id, &data);
            }
            read.extend_from_slice(&wire);
            prop_assert_eq!(&read[..], &bytes);
        }
    }

    #[test]
    fn a_partial_packet_waits_and_a_huge_one_is_refused() {
        let mut wire = BytesMut::from(&[0, 3, 0, 0, 0, b'a', b'b'][..]);
        assert_eq!(next_packet(&mut wire), Ok(None));
        let mut wire = BytesMut::from(&[0, 0, 0, 0, 0x7f][..]);
        assert!(next_packet(&mut wire).is_err());
    }

    #[tokio::test]
    async fn a_terminal_gets_carriage_returns_on_one_output() {
        let (ours, mut theirs) = tokio::io::duplex(1024);
        let peer = PeerWriter::new(Framing::V2, true, Box::new(ours));
        peer.write(Channel::Stderr, &[Bytes::from_static(b"a\n")], None).await.unwrap();
        peer.exit(7).await.unwrap();
        peer.close().await;
        drop(peer);
        let mut all = Vec::new();
        tokio::io::AsyncReadExt::read_to_end(&mut theirs, &mut all).await.unwrap();
        assert_eq!(all, [1, 3, 0, 0, 0, b'a', b'\r', b'\n', 3, 1, 0, 0, 0, 7]);
    }
}
