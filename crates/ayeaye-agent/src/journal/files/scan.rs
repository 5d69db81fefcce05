//! Reading a record from its beginning, holding one line at a time.
use std::io::{self, BufRead, Read as _};

use super::line::{self, Chain, Flaw, MAX_LINE};
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
pub(super) fn scan(reader: impl BufRead, each: impl FnMut(Event)) -> io::Result<Scanned> {
    scan_behind(Chain::start(), reader, each)
}

/// The same for what follows the lines that `chain` stands for.
pub(super) fn scan_behind(
    mut chain: Chain,
    mut reader: impl BufRead,
    mut each: impl FnMut(Event),
) -> io::Result<Scanned> {
    let mut good_bytes = 0;
    let mut buffer = Vec::new();
    let end = loop {
        let read = next_line(&mut reader, &mut buffer)?;
        let flaw = match read.kind {
            Kind::Nothing => break End::Clean,
            Kind::Whole => match line::decode(&chain, &buffer) {
                Ok((event, next)) => {
                    each(event);
                    chain = next;
                    good_bytes += read.bytes;
                    continue;
                }
                Err(flaw) => flaw,
            },
            Kind::Unended | Kind::TooLong => Flaw::Broken,
        };
        break match flaw {
            Flaw::TooNew(found) => End::TooNew { found },
            Flaw::Misplaced | Flaw::Foreign => End::Damaged { what: flaw.to_string() },
            Flaw::Broken => behind_broken(&mut reader, buffer, &read)?,
        };
    };
    Ok(Scanned { chain, good_bytes, end })
}

/// Whether a broken line is a torn tail, or damage in the middle.
fn behind_broken(reader: &mut impl BufRead, mut buffer: Vec<u8>, first: &Line) -> io::Result<End> {
    let mut bytes = first.bytes;
    // Without its end even a whole line counts as torn: it is the last.
    let mut whole = first.kind == Kind::Whole && line::ends_whole(&buffer);
    while !whole {
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

fn next_line(reader: &mut impl BufRead, buffer: &mut Vec<u8>) -> io::Result<Line> {
    buffer.clear();
    let most = MAX_LINE as u64 + 1;
    let mut bytes = reader.by_ref().take(most).read_until(b'\n', buffer)? as u64;
    let kind = if buffer.last() == Some(&b'\n') {
        buffer.pop();
        Kind::Whole
    } else if bytes == 0 {
        Kind::Nothing
    } else if bytes < most {
        Kind::Unended
    } else {
        buffer.clear();
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
        let read = next_line(&mut reader, &mut buffer).unwrap();
        assert_eq!((read.kind, read.bytes), (Kind::Unended, 5));
        assert!(buffer.capacity() <= 2 * MAX_LINE);
    }
}
