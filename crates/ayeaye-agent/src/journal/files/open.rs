//! Reading a session from its beginning, and mending its end before it is gone on with.
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::thread;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::folder::{Folder, private_file, storage, sync_folder};
use super::line::{self, Chain, Detail};
use super::scan::{RecordEnd, Scanned, scan_after, scan_on_two_threads};
use super::summary_cache;
use super::writer::FileWriter;
use super::{Clock, InvalidRecordLine, SyncPolicy, VerifyReport, blocking};
use crate::SessionId;
use crate::journal::{Entry, Event, Fact, JournalError};

/// Records below this length are read on one thread: they take a millisecond.
const SINGLE_THREAD_BYTES: u64 = 512 << 10;

/// How many events are handed over in one go.
const BATCH: usize = 256;

/// Does file work that finds events, and hands them to a caller that must not wait for a disk. No
/// more than a few batches are in memory at a time.
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

/// Opens a session for writing.
pub(super) fn open(
    folder: Folder,
    clock: Clock,
    sync: SyncPolicy,
    each: &mut dyn FnMut(Event),
) -> Result<FileWriter, JournalError> {
    folder.must_exist()?;
    let lock = folder.lock()?;
    // Ten thousand pictures take a while to be counted too.
    let (scanned, blobs) = thread::scope(|scope| {
        let counting = scope.spawn(|| summary_cache::blob_bytes(&folder));
        let scanned = scan_file(&folder, Detail::Compact, &mut *each);
        (scanned, counting.join().expect("counting does not panic"))
    });
    let (scanned, blobs) = (scanned?, blobs?);
    if let Some(refusal) = refusal(folder.id, &scanned) {
        return Err(refusal);
    }
    let RecordEnd::Torn { bytes } = scanned.end else {
        return FileWriter::new(folder, clock, sync, scanned.chain, blobs, lock);
    };
    let set_aside = cut_torn_tail(&folder, scanned.good_bytes, clock(), sync)?;
    let mut record = FileWriter::new(folder, clock, sync, scanned.chain, blobs, lock)?;
    each(record.write(&recovery_note(bytes, &set_aside))?);
    Ok(record)
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
    let opened = File::open(&path).and_then(|mut file| {
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
    let (what, torn) = match &scanned.end {
        RecordEnd::Clean => return VerifyReport { records: seq - 1, bad: None },
        RecordEnd::Torn { bytes } => {
            (format!("the last {bytes} bytes are not a whole record"), true)
        }
        RecordEnd::Damaged { what } => (what.clone(), false),
        RecordEnd::TooNew { found } => (format!("it has format {found}"), false),
    };
    let bad = InvalidRecordLine { seq, offset: scanned.good_bytes, what, torn };
    VerifyReport { records: seq - 1, bad: Some(bad) }
}

/// Why a record is not read as if nothing were wrong with it.
fn refusal(id: SessionId, scanned: &Scanned) -> Option<JournalError> {
    match &scanned.end {
        RecordEnd::Clean | RecordEnd::Torn { .. } => None,
        RecordEnd::TooNew { found } => Some(JournalError::TooNew { id, found: *found }),
        RecordEnd::Damaged { what } => {
            Some(JournalError::Damaged { id, seq: scanned.chain.seq, what: what.clone() })
        }
    }
}

/// Cuts off what follows the good lines, and puts it aside under the name it returns: it may hold
/// what a person wants to see, and nothing is thrown away unasked.
fn cut_torn_tail(
    folder: &Folder,
    good_bytes: u64,
    now: Timestamp,
    sync: SyncPolicy,
) -> Result<String, JournalError> {
    // Longer than any write of ours: the rest is what a failing disk made up.
    const MOST: u64 = 2 * line::MAX_LINE as u64;
    let path = folder.events();
    let name = format!("events.jsonl.torn-{}", now.strftime("%Y%m%dT%H%M%S.%6fZ"));
    let set_aside = folder.path.join(&name);
    let copied = || -> io::Result<()> {
        let mut from = File::open(&path)?;
        from.seek(SeekFrom::Start(good_bytes))?;
        // Of two crashes in one microsecond the later tail is kept.
        let options = &mut OpenOptions::new();
        let mut to = private_file(options.write(true).create(true).truncate(true), &set_aside)?;
        io::copy(&mut from.take(MOST), &mut to)?;
        if sync == SyncPolicy::Never {
            return Ok(());
        }
        to.sync_all()?;
        sync_folder(&folder.path)
    };
    copied().map_err(storage("write", &set_aside))?;
    // Not the handle for appending: Windows lets that one only append.
    let events = OpenOptions::new().write(true).open(&path);
    events.and_then(|file| file.set_len(good_bytes)).map_err(storage("cut", &path))?;
    Ok(name)
}

fn recovery_note(bytes: u64, set_aside: &str) -> Entry {
    let figures: Map<String, Value> =
        [("dropped_bytes".to_owned(), bytes.into()), ("aside".to_owned(), set_aside.into())]
            .into_iter()
            .collect();
    let text = format!("The last write was cut short: {bytes} bytes were moved to {set_aside}.");
    let fact = Fact::Note { kind: "recovered".to_owned(), text, figures };
    Entry { round: None, step: None, agent: None, fact }
}
