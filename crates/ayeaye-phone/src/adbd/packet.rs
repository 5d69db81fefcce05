//! Packets of the device protocol: a header of six little-endian words, then the data.
//!
//! From AOSP's `protocol.txt`: command, two arguments, length of the data, its checksum (the sum of
//! its bytes; unused since version 0x01000001) and the command with all bits flipped.
use std::io;

use bytes::Bytes;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

/// Most bytes of data in one packet, since version 0x01000001.
pub(crate) const MAX_DATA: u32 = 1 << 20;
/// The first version without checksums.
pub(crate) const VERSION_NO_CHECKSUM: u32 = 0x0100_0001;

/// The command of a packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Command {
    Connect,
    Auth,
    Open,
    Okay,
    Write,
    Close,
    /// `SYNC`, `STLS` and unknown ones.
    Other(u32),
}

impl Command {
    fn word(self) -> u32 {
        match self {
            Self::Connect => u32::from_le_bytes(*b"CNXN"),
            Self::Auth => u32::from_le_bytes(*b"AUTH"),
            Self::Open => u32::from_le_bytes(*b"OPEN"),
            Self::Okay => u32::from_le_bytes(*b"OKAY"),
            Self::Write => u32::from_le_bytes(*b"WRTE"),
            Self::Close => u32::from_le_bytes(*b"CLSE"),
            Self::Other(word) => word,
        }
    }
}

impl From<u32> for Command {
    fn from(word: u32) -> Self {
        match &word.to_le_bytes() {
            b"CNXN" => Self::Connect,
            b"AUTH" => Self::Auth,
            b"OPEN" => Self::Open,
            b"OKAY" => Self::Okay,
            b"WRTE" => Self::Write,
            b"CLSE" => Self::Close,
            _ => Self::Other(word),
        }
    }
}

/// One packet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Packet {
    pub(crate) command: Command,
    pub(crate) arg0: u32,
    pub(crate) arg1: u32,
    pub(crate) data: Bytes,
}

impl Packet {
    pub(crate) fn new(command: Command, arg0: u32, arg1: u32, data: impl Into<Bytes>) -> Self {
        Self { command, arg0, arg1, data: data.into() }
    }

    fn header(&self, checksum: bool) -> [u8; 24] {
        let length = u32::try_from(self.data.len()).expect("data is cut to MAX_DATA");
        let words = [
            self.command.word(),
            self.arg0,
            self.arg1,
            length,
            if checksum { sum(&self.data) } else { 0 },
            !self.command.word(),
        ];
        let mut header = [0; 24];
        for (place, word) in header.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        header
    }
}

/// Why no packet could be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PacketError {
    #[error("the link ended")]
    LinkState(#[from] io::Error),
    #[error("a message without the flipped command")]
    NotAdb,
    #[error("a message of {0} bytes")]
    TooLong(u32),
    #[error("a message whose checksum is wrong")]
    Damaged,
}

/// Reads one packet. `checksum`: the host is old enough to send one.
pub(crate) async fn read(
    from: &mut (impl AsyncRead + Unpin),
    checksum: bool,
) -> Result<Packet, PacketError> {
    let mut words = [0_u32; 6];
    for word in &mut words {
        *word = from.read_u32_le().await?;
    }
    let [command, arg0, arg1, length, expected, magic] = words;
    if magic != !command {
        return Err(PacketError::NotAdb);
    }
    if length > MAX_DATA {
        return Err(PacketError::TooLong(length));
    }
    let mut data = vec![0; usize::try_from(length).map_err(|_| PacketError::TooLong(length))?];
    from.read_exact(&mut data).await?;
    if checksum && sum(&data) != expected {
        return Err(PacketError::Damaged);
    }
    Ok(Packet::new(Command::from(command), arg0, arg1, data))
}

/// Writes one packet.
pub(crate) async fn write(
    to: &mut (impl AsyncWrite + Unpin),
    packet: &Packet,
    checksum: bool,
) -> io::Result<()> {
    to.write_all(&packet.header(checksum)).await?;
    to.write_all(&packet.data).await?;
    to.flush().await
}

fn sum(data: &[u8]) -> u32 {
    data.iter().fold(0, |sum, byte| sum.wrapping_add(u32::from(*byte)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn block_on<T>(future: impl Future<Output = T>) -> T {
        tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
    }

    proptest! {
        #[test]
        fn a_message_reads_back_as_itself(command: u32, arg0: u32, arg1: u32, data: Vec<u8>) {
            let packet = Packet::new(Command::from(command), arg0, arg1, data);
            let mut wire = Vec::new();
            block_on(write(&mut wire, &packet, true)).unwrap();
            prop_assert_eq!(block_on(read(&mut &wire[..], true)).unwrap(), packet);
        }

        #[test]
        fn any_bytes_are_a_message_or_refused(bytes: Vec<u8>) {
            prop_assert!(block_on(read(&mut &bytes[..], true)).is_err());
        }
    }

    #[test]
    fn a_huge_message_is_refused_before_it_is_read() {
        let mut wire = Packet::new(Command::Write, 1, 1, "").header(false);
        wire[12..16].copy_from_slice(&u32::MAX.to_le_bytes());
        let error = block_on(read(&mut &wire[..], false)).unwrap_err();
        assert!(matches!(error, PacketError::TooLong(u32::MAX)), "{error:?}");
    }
}
