//! One line of `events.jsonl`: how an event becomes bytes that show damage, and back.
//!
//! ```text
//! {"v":1,"seq":7,"ts":"…Z", … ,"prev":"<64 hex digits>","sum":"<16 hex digits>"}\n
//! ```
//!
//! `prev` is the SHA-256 of the whole line before, without its end of line; 64 zeros in the first.
//! It chains the lines, so that none can be changed, dropped or moved unseen. `sum` is the first
//! quarter of the SHA-256 of this line up to `,"sum"`: it shows damage in the last line, which nothing
//! chains to yet. Both keep their place, at the end, in every later format: they are read
//! by position, before anything is parsed.
#[cfg(test)]
mod tests;

use std::fmt;
use std::io::{self, Write};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::ser::{CompactFormatter, Formatter, Serializer};
use sha2::{Digest as _, Sha256};

use crate::event::CompactEvent;
use crate::journal::{Event, FORMAT, Fact, RecordEntry};

/// Most bytes of a line, its end not counted. Prompts and replies are far below; what is large goes
/// into a blob.
pub(super) const MAX_LINE: usize = 4 << 20;

const PREV: &[u8] = b",\"prev\":\"";
const PREV_DIGITS: usize = 64;
const SUM: &[u8] = b"\",\"sum\":\"";
const SUM_DIGITS: usize = 16;
const END: &[u8] = b"\"}";

/// Where a record stands: what its next line must say.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct Chain {
    /// Number of the next line.
    pub(super) seq: u64,
    prev: [u8; PREV_DIGITS],
}

impl Chain {
    /// Before the first line.
    pub(super) fn start() -> Self {
        Self { seq: 1, prev: [b'0'; PREV_DIGITS] }
    }

    /// Behind the `seq`th line, which has this SHA-256.
    pub(super) fn behind(seq: u64, digits: &[u8]) -> Option<Self> {
        Some(Self { seq: seq.checked_add(1)?, prev: digits.try_into().ok()? })
    }

    /// The digits that the next line must give.
    pub(super) fn prev(&self) -> &str {
        std::str::from_utf8(&self.prev).expect("digits are ASCII")
    }

    /// Where it stands behind this line (without its end), if that is as it was written and follows
    /// the one before. Nothing is said of what it means: see [`parse`].
    pub(super) fn advance(&self, line: &[u8]) -> Result<Self, LineError> {
        let checked = CheckedLine::of(line).ok_or(LineError::Broken)?;
        if checked.prev != self.prev {
            return Err(LineError::Misplaced);
        }
        Ok(Self { seq: self.seq + 1, prev: digits(&checked.digest) })
    }

    /// Where the record stood before this line, which is the `seq`th and has passed
    /// [`advance`](Self::advance).
    pub(super) fn at(seq: u64, line: &[u8]) -> Self {
        let mut prev = [b'0'; PREV_DIGITS];
        if let Some(ending) = Ending::of(line) {
            prev.copy_from_slice(ending.prev);
        }
        Self { seq, prev }
    }
}

impl fmt::Debug for Chain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Chain").field("seq", &self.seq).field("prev", &self.prev()).finish()
    }
}

/// The greatest number that a line may count with. No session comes near it; whoever goes on counting from a line
/// adds to what it says, and need not look whether that can be added to.
const MOST_COUNTED: u32 = 1 << 31;

/// How much of an event is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Detail {
    Whole,
    /// See [`Journal::visit_compact`](crate::Journal::visit_compact).
    Compact,
}

/// A line ready to be written.
#[derive(Debug)]
pub(super) struct Encoded {
    /// With its end of line.
    pub(super) bytes: Vec<u8>,
    /// What a reader will make of it.
    pub(super) event: Event,
    /// Where the record stands behind it.
    pub(super) chain: Chain,
}

/// What cannot be a line. Nothing has been written.
#[derive(Debug, thiserror::Error)]
pub(super) enum Unwritable {
    #[error("the record is longer than {MAX_LINE} bytes")]
    TooLong,
    /// Not-a-number, nesting deeper than a reader follows, or what only a later version knows.
    #[error("the record would not read back as it is")]
    Altered,
}

/// Why a line is not the next one of its record.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum LineError {
    /// What a torn write or a failing disk leaves: not as any writer meant it.
    #[error("it was changed after it was written")]
    Broken,
    /// As somebody wrote it, but not here: lines were changed, dropped or moved.
    #[error("it does not follow the record before it")]
    Misplaced,
    /// As it was written, but not as any version of this format writes.
    #[error("it is not a record of format {FORMAT}")]
    Foreign,
    /// Of a later format.
    #[error("it has format {0}")]
    TooNew(u32),
}

/// The line for an entry, read back before it is handed out: what is on the disk can be read.
pub(super) fn encode(
    chain: &Chain,
    ts: Timestamp,
    entry: &RecordEntry,
) -> Result<Encoded, Unwritable> {
    #[derive(Serialize)]
    struct Line<'a> {
        v: u32,
        seq: u64,
        ts: &'a str,
        #[serde(flatten)]
        entry: &'a RecordEntry,
        prev: &'a str,
    }
    let ts = format!("{ts:.6}");
    let line = Line { v: FORMAT, seq: chain.seq, ts: &ts, entry, prev: chain.prev() };
    let mut out = Bounded { bytes: Vec::with_capacity(1024), full: false };
    if line.serialize(&mut Serializer::with_formatter(&mut out, Ascii)).is_err() {
        return Err(if out.full { Unwritable::TooLong } else { Unwritable::Altered });
    }
    let mut bytes = out.bytes;
    bytes.pop(); // the closing brace, which comes back behind the sum
    let sum = sum(&Sha256::digest(&bytes).into());
    // The quote that ends `prev` is in `bytes` already.
    bytes.extend_from_slice(&SUM[1..]);
    bytes.extend_from_slice(&sum);
    bytes.extend_from_slice(END);
    if MAX_LINE < bytes.len() {
        return Err(Unwritable::TooLong);
    }
    let (event, next) = decode(chain, &bytes).map_err(|_flaw| Unwritable::Altered)?;
    if event.entry != *entry {
        return Err(Unwritable::Altered);
    }
    bytes.push(b'\n');
    Ok(Encoded { bytes, event, chain: next })
}

/// The event of a line (without its end), if it is the next one of its record.
pub(super) fn decode(chain: &Chain, line: &[u8]) -> Result<(Event, Chain), LineError> {
    let next = chain.advance(line)?;
    Ok((parse(chain.seq, line, Detail::Whole)?, next))
}

/// The event of a line whose sum is right, if it is the `seq`th.
pub(super) fn parse(seq: u64, line: &[u8], detail: Detail) -> Result<Event, LineError> {
    // Looked at once as a whole, its texts need not be looked at one by one.
    let text = std::str::from_utf8(line).map_err(|_not_text| LineError::Foreign)?;
    let event = match detail {
        Detail::Whole => serde_json::from_str::<Event>(text),
        Detail::Compact => {
            serde_json::from_str::<CompactEvent>(text).map(|CompactEvent(event)| event)
        }
    };
    let event = match event {
        Ok(event) if event.v == FORMAT => event,
        Ok(Event { v, .. }) if FORMAT < v => return Err(LineError::TooNew(v)),
        Ok(_) => return Err(LineError::Foreign),
        Err(_) => return Err(newer(line).map_or(LineError::Foreign, LineError::TooNew)),
    };
    if event.seq != seq {
        return Err(LineError::Misplaced);
    }
    if counters(&event.entry).into_iter().flatten().any(|count| MOST_COUNTED < count) {
        return Err(LineError::Foreign);
    }
    Ok(event)
}

/// The numbers of a line that later lines go on counting from.
fn counters(entry: &RecordEntry) -> [Option<u32>; 5] {
    let [one, two, three] = match &entry.fact {
        Fact::StepStart(it) => [it.round_step, it.agent_step, it.request_number].map(Some),
        Fact::LlmRequest(it) => [it.call_id, it.request_number, it.iteration].map(Some),
        Fact::LlmResponse(it) => [it.call_id, it.request_number, it.iteration].map(Some),
        Fact::ToolStart(it) => [Some(it.tool_call_id), it.batch, None],
        Fact::ToolEnd(it) => [Some(it.tool_call_id), None, None],
        Fact::SubtaskEnd { index, .. } => [Some(*index), None, None],
        Fact::Snapshot { sub_round, .. } => [*sub_round, None, None],
        _ => [None; 3],
    };
    [entry.round, entry.step, one, two, three]
}

/// Whether this is a line, or ends with one, that is as somebody wrote it. A torn write leaves the
/// beginning of a line, never its end: where this holds nothing may be cut off.
pub(super) fn ends_whole(line: &[u8]) -> bool {
    // Where the end of a line before was damaged, two lines look like one.
    const BEGIN: &[u8] = b"{\"v\":";
    let last = line.windows(BEGIN.len()).rposition(|window| window == BEGIN);
    CheckedLine::of(line).is_some() || last.is_some_and(|at| CheckedLine::of(&line[at..]).is_some())
}

/// What stands at fixed places at the end of a line.
struct Ending<'a> {
    prev: &'a [u8],
    sum: &'a [u8],
    /// How many bytes the sum is of.
    summed: usize,
}

impl<'a> Ending<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let rest = line.strip_suffix(END)?;
        let (rest, sum) = rest.split_at_checked(rest.len().checked_sub(SUM_DIGITS)?)?;
        let rest = rest.strip_suffix(SUM)?;
        let prev = rest.get(rest.len().checked_sub(PREV_DIGITS)?..)?;
        rest.strip_suffix(prev)?.strip_suffix(PREV)?;
        // With the quote that ends `prev`.
        Some(Self { prev, sum, summed: rest.len() + 1 })
    }
}

/// A line whose sum is right.
struct CheckedLine<'a> {
    prev: &'a [u8],
    digest: [u8; 32],
}

impl<'a> CheckedLine<'a> {
    fn of(line: &'a [u8]) -> Option<Self> {
        let Ending { prev, sum: found, summed } = Ending::of(line)?;
        let mut hasher = Sha256::new();
        hasher.update(&line[..summed]);
        if sum(&hasher.clone().finalize().into()) != *found {
            return None;
        }
        hasher.update(&line[summed..]);
        Some(Self { prev, digest: hasher.finalize().into() })
    }
}

/// The format of a line that this version cannot read, if it is a later one.
fn newer(line: &[u8]) -> Option<u32> {
    #[derive(Deserialize)]
    struct Version {
        v: u32,
    }
    let Version { v } = serde_json::from_slice(line).ok()?;
    (FORMAT < v).then_some(v)
}

/// Lower-case hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().flat_map(|byte| pair(*byte)).map(char::from).collect()
}

fn pair(byte: u8) -> [u8; 2] {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]
}

fn digits(digest: &[u8; 32]) -> [u8; PREV_DIGITS] {
    let mut digits = [0; PREV_DIGITS];
    for (two, byte) in digits.chunks_exact_mut(2).zip(digest) {
        two.copy_from_slice(&pair(*byte));
    }
    digits
}

fn sum(digest: &[u8; 32]) -> [u8; SUM_DIGITS] {
    let mut sum = [0; SUM_DIGITS];
    sum.copy_from_slice(&digits(digest)[..SUM_DIGITS]);
    sum
}

/// A buffer that a huge fact cannot blow up.
struct Bounded {
    bytes: Vec<u8>,
    full: bool,
}

impl Write for Bounded {
    fn write(&mut self, more: &[u8]) -> io::Result<usize> {
        if MAX_LINE < self.bytes.len() + more.len() {
            self.full = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(more);
        Ok(more.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// JSON in ASCII alone: no reader can misjudge its encoding, and no text can hold a line end of any
/// script.
struct Ascii;

impl Formatter for Ascii {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        if fragment.is_ascii() {
            return CompactFormatter.write_string_fragment(writer, fragment);
        }
        for char in fragment.chars() {
            if char.is_ascii() {
                writer.write_all(&[char as u8])?;
            } else {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    write!(writer, "\\u{unit:04x}")?;
                }
            }
        }
        Ok(())
    }
}

/// A line of another format, for tests: `body` is what stands before `prev`.
#[cfg(test)]
pub(super) fn checked_line(chain: &Chain, body: &str) -> Vec<u8> {
    let mut line = format!("{body},\"prev\":\"{}\"", chain.prev()).into_bytes();
    let sum = hex(&Sha256::digest(&line));
    line.extend_from_slice(format!(",\"sum\":\"{}\"}}", &sum[..SUM_DIGITS]).as_bytes());
    line
}
