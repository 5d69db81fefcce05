//! Reading a record from its beginning, holding one line at a time.
use std::io::{self, BufRead, Read as _};
use std::sync::mpsc::{self, TrySendError};
use std::thread;

use super::line::{self, Chain, Detail, Flaw, MAX_LINE};
use crate::journal::Event;

/// What a record turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scanned {
    /// Where it stands behind its last good line.
    pub(super) chain: Chain,
    /// Length of the good lines in front.
    pub(super) good_bytes: u64,
    /// What follows them.
    pub(super) end: End,
}

/// What follows the good lines of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing.
    Clean,
    /// What a write left that was cut short: nothing behind it is whole.
    Torn {
        /// How much.
        bytes: u64,
    },
    /// A line that is not what it should be, and whole lines after it, or itself whole.
    Damaged {
        /// In words.
        what: String,
    },
    /// A line of a later format.
    TooNew {
        /// Which.
        found: u32,
    },
}

/// Reads all lines in order and hands out each good one, up to the first that is not.
#[cfg(test)]
pub(super) fn scan(reader: impl BufRead, each: impl FnMut(Event)) -> io::Result<Scanned> {
    scan_behind(Chain::start(), reader, Detail::Whole, each)
}

/// The same for what follows the lines that `chain` stands for.
pub(super) fn scan_behind(
    chain: Chain,
    reader: impl BufRead,
    detail: Detail,
    each: impl FnMut(Event),
) -> io::Result<Scanned> {
    tell(Shares::new(chain, reader), detail, each)
}

/// The same on two threads: one reads and checks the chain, this one makes events of the lines. That
/// takes longer, so the first helps while this one has enough to do.
pub(super) fn scan_on_two_threads(
    chain: Chain,
    reader: impl BufRead + Send,
    detail: Detail,
    each: impl FnMut(Event),
) -> io::Result<Scanned> {
    thread::scope(|scope| {
        // Neither gets far ahead of the other: memory does not depend on the length of the record.
        let (hand, take) = mpsc::sync_channel(4);
        thread::Builder::new().name("journal".to_owned()).spawn_scoped(scope, move || {
            for share in Shares::new(chain, reader) {
                let sent = match hand.try_send(share) {
                    Err(TrySendError::Full(share)) => {
                        hand.send(share.map(|share| share.parsed(detail))).is_ok()
                    }
                    other => other.is_ok(),
                };
                if !sent {
                    break; // an earlier line could not be read
                }
            }
        })?;
        tell(take.into_iter(), detail, each)
    })
}

/// How many bytes of lines are looked at in one go.
const SHARE: usize = 64 << 10;

/// Lines in a row, each as it was written and behind the one before. What they mean is not yet known.
struct Share {
    /// Without their ends.
    lines: Vec<u8>,
    /// Where each line ends in `lines`.
    ends: Vec<usize>,
    /// What each line means, once somebody has looked.
    events: Option<Vec<Result<Event, Flaw>>>,
    /// Number of the first.
    seq: u64,
    /// Where the first begins in the record.
    at: u64,
    /// Where the record stands behind the last, and what follows, if no further line does.
    rest: Option<(Chain, End)>,
}

impl Share {
    /// The same with what its lines mean.
    fn parsed(mut self, detail: Detail) -> Self {
        let mut begin = 0;
        let parse = |(seq, end): (u64, &usize)| {
            let line = &self.lines[begin..*end];
            begin = *end;
            line::parse(seq, line, detail)
        };
        self.events = Some((self.seq..).zip(&self.ends).map(parse).collect());
        self
    }
}

/// A record in shares. The last one says how it ends.
struct Shares<R> {
    reader: R,
    chain: Chain,
    at: u64,
    over: bool,
    /// How much a share is expected to take.
    room: usize,
}

impl<R: BufRead> Shares<R> {
    fn new(chain: Chain, reader: R) -> Self {
        Self { reader, chain, at: 0, over: false, room: 0 }
    }

    fn share(&mut self) -> io::Result<Share> {
        let (seq, at) = (self.chain.seq, self.at);
        let mut lines = Vec::with_capacity(self.room);
        let mut ends = Vec::new();
        let end = loop {
            if SHARE <= lines.len() {
                self.room = SHARE + (SHARE >> 2); // a short record needs less
                return Ok(Share { lines, ends, events: None, seq, at, rest: None });
            }
            let begin = lines.len();
            let read = next_line(&mut self.reader, &mut lines)?;
            let flaw = match read.kind {
                Kind::Nothing => break End::Clean,
                Kind::Whole => match self.chain.behind(&lines[begin..]) {
                    Ok(next) => {
                        self.chain = next;
                        self.at += read.bytes;
                        ends.push(lines.len());
                        continue;
                    }
                    Err(flaw) => flaw,
                },
                Kind::Unended | Kind::TooLong => Flaw::Broken,
            };
            break match flaw {
                Flaw::Broken => behind_broken(&mut self.reader, lines.split_off(begin), &read)?,
                other => End::before(&other),
            };
        };
        self.over = true;
        let rest = Some((self.chain.clone(), end));
        Ok(Share { lines, ends, events: None, seq, at, rest })
    }
}

impl<R: BufRead> Iterator for Shares<R> {
    type Item = io::Result<Share>;

    fn next(&mut self) -> Option<io::Result<Share>> {
        if self.over {
            return None;
        }
        let share = self.share();
        self.over |= share.is_err();
        Some(share)
    }
}

/// Hands out the events of all shares, up to the first line that says nothing this version knows.
fn tell(
    shares: impl Iterator<Item = io::Result<Share>>,
    detail: Detail,
    mut each: impl FnMut(Event),
) -> io::Result<Scanned> {
    for share in shares {
        let Share { lines, ends, events, mut seq, at: mut good_bytes, rest } = share?;
        let mut events = events.map(Vec::into_iter);
        let mut begin = 0;
        for end in ends {
            let line = &lines[begin..end];
            let known = events.as_mut().and_then(Iterator::next);
            match known.unwrap_or_else(|| line::parse(seq, line, detail)) {
                Ok(event) => each(event),
                Err(flaw) => {
                    let chain = Chain::before(seq, line);
                    return Ok(Scanned { chain, good_bytes, end: End::before(&flaw) });
                }
            }
            good_bytes += line.len() as u64 + 1;
            seq += 1;
            begin = end;
        }
        if let Some((chain, end)) = rest {
            return Ok(Scanned { chain, good_bytes, end });
        }
    }
    Err(io::Error::other("the reading broke off"))
}

impl End {
    /// What a whole line with this flaw is.
    fn before(flaw: &Flaw) -> Self {
        match flaw {
            Flaw::TooNew(found) => Self::TooNew { found: *found },
            flaw => Self::Damaged { what: flaw.to_string() },
        }
    }
}

/// Whether a broken line is a torn tail, or damage in the middle.
fn behind_broken(reader: &mut impl BufRead, mut buffer: Vec<u8>, first: &Line) -> io::Result<End> {
    let mut bytes = first.bytes;
    // Without its end even a whole line counts as torn: it is the last.
    let mut whole = first.kind == Kind::Whole && line::ends_whole(&buffer);
    while !whole {
        buffer.clear();
        let read = next_line(reader, &mut buffer)?;
        bytes += read.bytes;
        match read.kind {
            Kind::Nothing => return Ok(End::Torn { bytes }),
            Kind::Whole => whole = line::ends_whole(&buffer),
            Kind::Unended | Kind::TooLong => {}
        }
    }
    Ok(End::Damaged { what: format!("{}, and good records follow", Flaw::Broken) })
}

struct Line {
    /// Its end included.
    bytes: u64,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The file ends here.
    Nothing,
    /// Up to its end, which is not in the buffer.
    Whole,
    /// The file ends before it does.
    Unended,
    /// Passed over.
    TooLong,
}

/// Puts the next line behind what is in the buffer.
fn next_line(reader: &mut impl BufRead, buffer: &mut Vec<u8>) -> io::Result<Line> {
    let begin = buffer.len();
    let most = MAX_LINE as u64 + 1;
    let mut bytes = reader.by_ref().take(most).read_until(b'\n', buffer)? as u64;
    let kind = if bytes == 0 {
        Kind::Nothing
    } else if buffer.last() == Some(&b'\n') {
        buffer.pop();
        Kind::Whole
    } else if bytes < most {
        Kind::Unended
    } else {
        buffer.truncate(begin);
        bytes += reader.skip_until(b'\n')? as u64;
        Kind::TooLong
    };
    Ok(Line { bytes, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(bytes: &[u8]) -> Scanned {
        scan(bytes, |_| {}).unwrap()
    }

    #[test]
    fn an_empty_record_is_clean() {
        assert_eq!(scanned(b""), Scanned { chain: Chain::start(), good_bytes: 0, end: End::Clean });
    }

    #[test]
    fn what_has_no_line_is_a_torn_tail_of_any_length() {
        for bytes in [&b"x"[..], b"\n", b"\n\n\n", b"{}\n{}\n", &vec![0; 3 * MAX_LINE]] {
            assert_eq!(scanned(bytes).end, End::Torn { bytes: bytes.len() as u64 });
        }
    }

    #[test]
    fn a_line_that_is_too_long_takes_no_memory() {
        let mut buffer = Vec::new();
        let mut long = vec![b'x'; 5 * MAX_LINE];
        long.extend_from_slice(b"\nshort");
        let mut reader = &long[..];
        let read = next_line(&mut reader, &mut buffer).unwrap();
        assert_eq!((read.kind, read.bytes), (Kind::TooLong, 5 * MAX_LINE as u64 + 1));
        assert!(buffer.is_empty());
        let read = next_line(&mut reader, &mut buffer).unwrap();
        assert_eq!((read.kind, read.bytes), (Kind::Unended, 5));
        assert!(buffer.capacity() <= 2 * MAX_LINE);
    }
}
