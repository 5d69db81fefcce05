//! A command's output to the byte, as captures need it.
//!
//! `exec:` gives it as it is. Some makers' adbd closes that service; there it comes through the shell: in
//! packets, or, before Android 7, through a terminal that writes CR before each LF.
use bytes::BytesMut;

use crate::protocol::{Connection, ProtocolError};

/// The services that give it, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum RawService {
    #[default]
    Exec,
    Packets,
    Terminal,
}

/// The most bytes that are read at a time. A screen comes in some 60 reads of this size and 180 of a quarter of it, which
/// take 12 in 100 more of a step's processor time.
const AT_ONCE: usize = 256 * 1024;

impl RawService {
    /// The name by which it runs this command.
    pub(crate) fn runs(self, command: &str) -> String {
        match self {
            Self::Exec => format!("exec:{command}"),
            Self::Packets => format!("shell,v2,raw:{command}"),
            // The first line tells how lines end.
            Self::Terminal => format!("shell:echo;{command}"),
        }
    }

    /// The same, or the one instead of it that has a terminal: adbd makes one wherever output does not come in packets
    /// (`shell_service.cpp` in AOSP).
    pub(crate) fn with_terminal(self) -> Self {
        match self {
            Self::Packets => Self::Terminal,
            Self::Exec | Self::Terminal => self,
        }
    }
}

/// What has come so far and was not taken out again, and how long it goes on.
pub(crate) struct Taker<G, W> {
    pub(crate) bytes: BytesMut,
    /// How many have come.
    taken: usize,
    most: usize,
    grow: G,
    watch: W,
}

impl<G: Fn(&[u8]) -> usize, W: FnMut(&mut BytesMut) -> bool> Taker<G, W> {
    /// Takes at most so many bytes. `grow` guesses from those that have come how many there will be; `watch`
    /// says whether more is wanted, and may take out what has come.
    pub(crate) fn new(most: usize, grow: G, watch: W) -> Self {
        Self { bytes: BytesMut::with_capacity(AT_ONCE), taken: 0, most, grow, watch }
    }

    /// Takes all that a service gives.
    pub(crate) async fn take(
        &mut self,
        service: RawService,
        connection: &mut Connection,
    ) -> Result<(), ProtocolError> {
        match service {
            RawService::Exec => self.take_stream(connection).await,
            RawService::Packets => self.take_packets(connection).await,
            RawService::Terminal => self.take_terminal(connection).await,
        }
    }

    fn make_room(&mut self) {
        if self.bytes.len() == self.bytes.capacity() {
            // One spare byte, so that the end can be told from a full buffer.
            let room = (self.grow)(&self.bytes).max(self.bytes.len() * 2).min(self.most) + 1;
            self.bytes.reserve(room.saturating_sub(self.bytes.len()).max(1));
        }
    }

    /// Whether more is wanted than these bytes that have just come.
    fn goes_on(&mut self, came: usize) -> Result<bool, ProtocolError> {
        self.taken += came;
        if self.most < self.taken {
            return Err(ProtocolError::ResponseTooLong(self.most));
        }
        Ok((self.watch)(&mut self.bytes))
    }

    async fn take_stream(&mut self, connection: &mut Connection) -> Result<(), ProtocolError> {
        loop {
            self.make_room();
            let came = connection.read_some(&mut self.bytes).await?;
            if came == 0 || !self.goes_on(came)? {
                return Ok(());
            }
        }
    }

    /// Both streams as they come, as `exec:` gives them.
    async fn take_packets(&mut self, connection: &mut Connection) -> Result<(), ProtocolError> {
        loop {
            let mut head = [0; 5];
            connection.read_exact(&mut head).await?;
            let [kind, length @ ..] = head;
            match kind {
                1 | 2 => {}
                3 => return Ok(()),
                _ => return Err(ProtocolError::NotAdb),
            }
            let mut left = u32::from_le_bytes(length) as usize;
            while 0 < left {
                let (start, part) = (self.bytes.len(), left.min(AT_ONCE));
                if self.bytes.capacity() < start + part {
                    let room = (self.grow)(&self.bytes).max(start * 2).min(self.most) + 1;
                    self.bytes.reserve(room.saturating_sub(start).max(part));
                }
                self.bytes.resize(start + part, 0);
                connection.read_exact(&mut self.bytes[start..]).await?;
                left -= part;
                if !self.goes_on(part)? {
                    return Ok(());
                }
            }
        }
    }

    async fn take_terminal(&mut self, connection: &mut Connection) -> Result<(), ProtocolError> {
        let (mut raw, mut lines) = (BytesMut::with_capacity(AT_ONCE), LineEnds::default());
        loop {
            raw.clear();
            if connection.read_some(&mut raw).await? == 0 {
                lines.end(&mut self.bytes);
                return Ok(());
            }
            let before = self.bytes.len();
            lines.undo(&raw, &mut self.bytes);
            if !self.goes_on(self.bytes.len() - before)? {
                return Ok(());
            }
        }
    }
}

/// Takes away what a terminal has put before each LF: as many CR as came before the first one.
#[derive(Debug, Default)]
struct LineEnds {
    /// How many; `None` before the first line has ended.
    added: Option<usize>,
    /// CR that came last, and may have been added.
    held: usize,
}

impl LineEnds {
    fn undo(&mut self, raw: &[u8], into: &mut BytesMut) {
        for (at, byte) in raw.iter().enumerate() {
            match (self.added, byte) {
                (Some(0), _) => return into.extend_from_slice(&raw[at..]),
                (_, b'\r') => self.held += 1,
                (None, b'\n') => self.added = Some(std::mem::take(&mut self.held)),
                (Some(added), b'\n') => {
                    self.held = self.held.saturating_sub(added);
                    self.end(into);
                    into.extend_from_slice(b"\n");
                }
                (_, byte) => {
                    self.end(into);
                    into.extend_from_slice(&[*byte]);
                }
            }
        }
    }

    fn end(&mut self, into: &mut BytesMut) {
        into.extend(std::iter::repeat_n(b'\r', std::mem::take(&mut self.held)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_a_terminal_adds_is_taken_away(
            bytes in prop::collection::vec(prop_oneof![Just(b'\r'), Just(b'\n'), any::<u8>()], 0..200),
            added in 0_usize..3,
            part in 1_usize..50,
        ) {
            let mut sent = Vec::new();
            for byte in [b"\n", &bytes[..]].concat() {
                if byte == b'\n' {
                    sent.extend(std::iter::repeat_n(b'\r', added));
                }
                sent.push(byte);
            }
            let (mut lines, mut read) = (LineEnds::default(), BytesMut::new());
            for part in sent.chunks(part) {
                lines.undo(part, &mut read);
            }
            lines.end(&mut read);
            prop_assert_eq!(read.to_vec(), bytes);
        }
    }
}
