//! Reading a record from its beginning, holding one line at a time.
use std::io::{self, BufRead, Read as _};
use std::sync::mpsc::{self, TrySendError};
use std::thread;

use super::line::{self, Chain, Detail, LineError, MAX_LINE};
use crate::journal::Event;

/// The result of scanning a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scanned {
    /// The chain behind its last good line.
    pub(super) chain: Chain,
    /// The length of the good lines at its beginning, in bytes.
    pub(super) good_bytes: u64,
    /// What follows the good lines.
    pub(super) end: RecordEnd,
}

/// What follows the good lines of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum RecordEnd {
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
    scan_after(Chain::start(), reader, Detail::Whole, each)
}

/// Reads the lines after `chain` in order, and hands out each good one, up to the first that is not.
pub(super) fn scan_after(
    chain: Chain,
    reader: impl BufRead,
    detail: Detail,
    each: impl FnMut(Event),
) -> io::Result<Scanned> {
    emit(Chunks::new(chain, reader), detail, each)
}

/// Like [`scan_after`], on two threads: one reads and checks the chain, this one parses the lines. Parsing takes
/// longer, so the first thread helps with it while this one is busy.
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
            for chunk in Chunks::new(chain, reader) {
                let sent = match hand.try_send(chunk) {
                    Err(TrySendError::Full(chunk)) => {
                        hand.send(chunk.map(|chunk| chunk.parsed(detail))).is_ok()
                    }
                    other => other.is_ok(),
                };
                if !sent {
                    break; // an earlier line could not be read
                }
            }
        })?;
        emit(take.into_iter(), detail, each)
    })
}

/// How many bytes of lines are looked at in one go.
const CHUNK_BYTES: usize = 64 << 10;

/// Lines in a row, each as it was written and behind the one before. What they mean is not yet known.
struct Chunk {
    /// Without their ends.
    lines: Vec<u8>,
    /// Where each line ends in `lines`.
    ends: Vec<usize>,
    /// What each line means, once somebody has looked.
    events: Option<Vec<Result<Event, LineError>>>,
    /// Number of the first.
    seq: u64,
    /// Where the first begins in the record.
    at: u64,
    /// Where the record stands behind the last, and what follows, if no further line does.
    rest: Option<(Chain, RecordEnd)>,
}

impl Chunk {
    /// Finds out what its lines mean.
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

/// A record in chunks. The last one says how it ends.
struct Chunks<R> {
    reader: R,
    chain: Chain,
    at: u64,
    over: bool,
    /// How much a chunk is expected to take.
    room: usize,
}

impl<R: BufRead> Chunks<R> {
    fn new(chain: Chain, reader: R) -> Self {
        Self { reader, chain, at: 0, over: false, room: 0 }
    }

    fn chunk(&mut self) -> io::Result<Chunk> {
        let (seq, at) = (self.chain.seq, self.at);
        let mut lines = Vec::with_capacity(self.room);
        let mut ends = Vec::new();
        let end = loop {
            if CHUNK_BYTES <= lines.len() {
                self.room = CHUNK_BYTES + (CHUNK_BYTES >> 2); // a short record needs less
                return Ok(Chunk { lines, ends, events: None, seq, at, rest: None });
            }
            let begin = lines.len();
            let read = next_line(&mut self.reader, &mut lines)?;
            let flaw = match read.kind {
                LineKind::Nothing => break RecordEnd::Clean,
                LineKind::Whole => match self.chain.advance(&lines[begin..]) {
                    Ok(next) => {
                        self.chain = next;
                        self.at += read.bytes;
                        ends.push(lines.len());
                        continue;
                    }
                    Err(flaw) => flaw,
                },
                LineKind::Unended | LineKind::TooLong => LineError::Broken,
            };
            break match flaw {
                LineError::Broken => {
                    classify_tail(&mut self.reader, lines.split_off(begin), &read)?
                }
                other => RecordEnd::at(&other),
            };
        };
        self.over = true;
        let rest = Some((self.chain.clone(), end));
        Ok(Chunk { lines, ends, events: None, seq, at, rest })
    }
}

impl<R: BufRead> Iterator for Chunks<R> {
    type Item = io::Result<Chunk>;

    fn next(&mut self) -> Option<io::Result<Chunk>> {
        if self.over {
            return None;
        }
        let chunk = self.chunk();
        self.over |= chunk.is_err();
        Some(chunk)
    }
}

/// Hands out the events of all chunks, up to the first line that says nothing this version knows.
fn emit(
    chunks: impl Iterator<Item = io::Result<Chunk>>,
    detail: Detail,
    mut each: impl FnMut(Event),
) -> io::Result<Scanned> {
    for chunk in chunks {
        let Chunk { lines, ends, events, mut seq, at: mut good_bytes, rest } = chunk?;
        let mut events = events.map(Vec::into_iter);
        let mut begin = 0;
        for end in ends {
            let line = &lines[begin..end];
            let known = events.as_mut().and_then(Iterator::next);
            match known.unwrap_or_else(|| line::parse(seq, line, detail)) {
                Ok(event) => each(event),
                Err(flaw) => {
                    let chain = Chain::at(seq, line);
                    return Ok(Scanned { chain, good_bytes, end: RecordEnd::at(&flaw) });
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

impl RecordEnd {
    /// What a whole line with this flaw is.
    fn at(flaw: &LineError) -> Self {
        match flaw {
            LineError::TooNew(found) => Self::TooNew { found: *found },
            flaw => Self::Damaged { what: flaw.to_string() },
        }
    }
}

/// Whether a broken line is a torn tail, or damage in the middle.
fn classify_tail(
    reader: &mut impl BufRead,
    mut buffer: Vec<u8>,
    first: &ScannedLine,
) -> io::Result<RecordEnd> {
    let mut bytes = first.bytes;
    // Without its end even a whole line counts as torn: it is the last.
    let mut whole = first.kind == LineKind::Whole && line::ends_whole(&buffer);
    while !whole {
        buffer.clear();
        let read = next_line(reader, &mut buffer)?;
        bytes += read.bytes;
        match read.kind {
            LineKind::Nothing => return Ok(RecordEnd::Torn { bytes }),
            LineKind::Whole => whole = line::ends_whole(&buffer),
            LineKind::Unended | LineKind::TooLong => {}
        }
    }
    Ok(RecordEnd::Damaged { what: format!("{}, and good records follow", LineError::Broken) })
}

struct ScannedLine {
    /// Its end included.
    bytes: u64,
    kind: LineKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LineKind {
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
fn next_line(reader: &mut impl BufRead, buffer: &mut Vec<u8>) -> io::Result<ScannedLine> {
    let begin = buffer.len();
    let most = MAX_LINE as u64 + 1;
    let mut bytes = reader.by_ref().take(most).read_until(b'\n', buffer)? as u64;
    let kind = if bytes == 0 {
        LineKind::Nothing
    } else if buffer.last() == Some(&b'\n') {
        buffer.pop();
        LineKind::Whole
    } else if bytes < most {
        LineKind::Unended
    } else {
        buffer.truncate(begin);
        bytes += reader.skip_until(b'\n')? as u64;
        LineKind::TooLong
    };
    Ok(ScannedLine { bytes, kind })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scanned(bytes: &[u8]) -> Scanned {
        scan(bytes, |_| {}).unwrap()
    }

    #[test]
    fn an_empty_record_is_clean() {
        assert_eq!(
            scanned(b""),
            Scanned { chain: Chain::start(), good_bytes: 0, end: RecordEnd::Clean }
        );
    }

    #[test]
    fn what_has_no_line_is_a_torn_tail_of_any_length() {
        for bytes in [&b"x"[..], b"\n", b"\n\n\n", b"{}\n{}\n", &vec![0; 3 * MAX_LINE]] {
            assert_eq!(scanned(bytes).end, RecordEnd::Torn { bytes: bytes.len() as u64 });
        }
    }

    #[test]
    fn a_line_that_is_too_long_takes_no_memory() {
        let mut buffer = Vec::new();
        let mut long = vec![b'x'; 5 * MAX_LINE];
        long.extend_from_slice(b"\nshort");
        let mut reader = &long[..];
        let read = next_line(&mut reader, &mut buffer).unwrap();
        assert_eq!((read.kind, read.bytes), (LineKind::TooLong, 5 * MAX_LINE as u64 + 1));
        assert!(buffer.is_empty());
        let read = next_line(&mut reader, &mut buffer).unwrap();
        assert_eq!((read.kind, read.bytes), (LineKind::Unended, 5));
        assert!(buffer.capacity() <= 2 * MAX_LINE);
    }
}
