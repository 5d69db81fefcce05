//! Reading a session from its beginning.
use std::io::{BufReader, Seek as _, SeekFrom};

use tokio::sync::mpsc;

use super::folder::{Folder, storage};
use super::line::{Chain, Detail};
use super::scan::{RecordEnd, Scanned, scan_after, scan_on_two_threads};
use super::{InvalidRecordLine, VerifyReport, blocking};
use crate::SessionId;
use crate::bounded_file::open_file;
use crate::journal::{Event, JournalError, ReadPosition};

/// Records below this length are read on one thread: they take a millisecond.
const SINGLE_THREAD_BYTES: u64 = 512 << 10;

/// How many events are handed over in one go.
const BATCH: usize = 256;

/// Does file work that yields events on a blocking thread, and hands them to an async caller. No more than a few
/// batches are in memory at a time.
pub(super) async fn stream_events<T: Send + 'static>(
    folder: Folder,
    doing: &'static str,
    each: &mut (dyn FnMut(Event) + Send),
    work: impl FnOnce(Folder, &mut dyn FnMut(Event)) -> Result<T, JournalError> + Send + 'static,
) -> Result<T, JournalError> {
    let path = folder.path.clone();
    let (hand, mut take) = mpsc::channel::<Vec<Event>>(4);
    let working = async {
        blocking(doing, &path, move || {
            let mut batch = Vec::new();
            let result = work(folder, &mut |event| {
                batch.push(event);
                if batch.len() == BATCH {
                    let full = std::mem::replace(&mut batch, Vec::with_capacity(BATCH));
                    // Nobody listens any more when the caller was dropped.
                    hand.blocking_send(full).ok();
                }
            });
            hand.blocking_send(batch).ok();
            result
        })
        .await
    };
    let listening = async {
        while let Some(batch) = take.recv().await {
            batch.into_iter().for_each(&mut *each);
        }
    };
    tokio::join!(working, listening).0
}

/// Reads a session without mending it.
pub(super) fn read(
    folder: &Folder,
    detail: Detail,
    each: &mut dyn FnMut(Event),
) -> Result<(), JournalError> {
    let scanned = scan_file(folder, detail, &mut *each)?;
    let Some(_) = refusal(folder.id, &scanned) else { return Ok(()) };
    // A writer that cut off a torn tail and went on while we read looks like damage, once. What was
    // good stays so.
    let scanned = scan_from(folder, scanned.chain, scanned.good_bytes, detail, each)?;
    refusal(folder.id, &scanned).map_or(Ok(()), Err)
}

/// Reads a record from this position on, and returns the position it got to. A torn tail is taken for a line that is
/// being written.
pub(super) fn read_after(
    folder: &Folder,
    from: &ReadPosition,
    each: &mut dyn FnMut(Event),
) -> Result<ReadPosition, JournalError> {
    let (chain, at) = place(from).unwrap_or((Chain::start(), 0));
    let known = from.seq;
    let mut later = |event: Event| {
        if known < event.seq {
            each(event);
        }
    };
    let mut scanned = scan_from(folder, chain, at, Detail::Compact, &mut later)?;
    if refusal(folder.id, &scanned).is_some() {
        // As in `read`.
        scanned = scan_from(folder, scanned.chain, scanned.good_bytes, Detail::Compact, later)?;
    }
    if let Some(err) = refusal(folder.id, &scanned) {
        return Err(err);
    }
    let mut note = scanned.good_bytes.to_le_bytes().to_vec();
    note.extend_from_slice(scanned.chain.prev().as_bytes());
    Ok(ReadPosition { seq: scanned.chain.seq - 1, note })
}

/// Where a record was left: its chain, and how many bytes in.
fn place(position: &ReadPosition) -> Option<(Chain, u64)> {
    let (bytes, prev) = position.note.split_first_chunk::<8>()?;
    Some((Chain::behind(position.seq, prev)?, u64::from_le_bytes(*bytes)))
}

pub(super) fn scan_file(
    folder: &Folder,
    detail: Detail,
    each: impl FnMut(Event),
) -> Result<Scanned, JournalError> {
    scan_from(folder, Chain::start(), 0, detail, each)
}

fn scan_from(
    folder: &Folder,
    chain: Chain,
    at: u64,
    detail: Detail,
    each: impl FnMut(Event),
) -> Result<Scanned, JournalError> {
    let path = folder.events();
    let opened = open_file(&path).and_then(|mut file| {
        file.seek(SeekFrom::Start(at))?;
        Ok((file.metadata()?.len(), file))
    });
    let (length, file) = opened.map_err(|err| folder.absent_or("read", &path, err))?;
    let reader = BufReader::with_capacity(256 << 10, file);
    let scanned = if length - at.min(length) < SINGLE_THREAD_BYTES {
        scan_after(chain, reader, detail, each)
    } else {
        scan_on_two_threads(chain, reader, detail, each)
    };
    let mut scanned = scanned.map_err(storage("read", &path))?;
    scanned.good_bytes += at;
    Ok(scanned)
}

pub(super) fn verify_report(scanned: &Scanned) -> VerifyReport {
    let seq = scanned.chain.seq;
    let (what, torn, later_format) = match &scanned.end {
        RecordEnd::Clean => return VerifyReport { records: seq - 1, bad: None },
        RecordEnd::Torn { bytes } => {
            (format!("the last {bytes} bytes are not a whole record"), true, None)
        }
        RecordEnd::Damaged { what } => (what.clone(), false, None),
        RecordEnd::TooNew { found } => (format!("it has format {found}"), false, Some(*found)),
    };
    let bad = InvalidRecordLine { seq, offset: scanned.good_bytes, what, torn, later_format };
    VerifyReport { records: seq - 1, bad: Some(bad) }
}

/// The error for a damaged or foreign record, if it is one.
pub(super) fn refusal(id: SessionId, scanned: &Scanned) -> Option<JournalError> {
    match &scanned.end {
        RecordEnd::Clean | RecordEnd::Torn { .. } => None,
        RecordEnd::TooNew { found } => Some(JournalError::TooNew { id, found: *found }),
        RecordEnd::Damaged { what } => {
            Some(JournalError::Damaged { id, seq: scanned.chain.seq, what: what.clone() })
        }
    }
}
