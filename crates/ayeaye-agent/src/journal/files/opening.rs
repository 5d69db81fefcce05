//! Reading a session from its beginning, and mending its end before it is gone on with.
use std::fs::{File, OpenOptions};
use std::io::{self, BufReader, Read as _, Seek as _, SeekFrom};
use std::thread;

use jiff::Timestamp;
use serde_json::{Map, Value};
use tokio::sync::mpsc;

use super::cache;
use super::folder::{Folder, private_file, storage, sync_folder};
use super::line::{self, Chain, Detail};
use super::record::FileRecord;
use super::scan::{End, Scanned, scan_behind, scan_on_two_threads};
use super::{Clock, InvalidRecordLine, SyncWhen, Verdict, blocking};
use crate::SessionId;
use crate::journal::{Entry, Event, Fact, JournalError};

/// Records below this length are read on one thread: they take a millisecond.
const SHORT: u64 = 512 << 10;

/// How many events are handed over in one go.
const BATCH: usize = 256;

/// Does file work that finds events, and hands them to a caller that must not wait for a disk. No
/// more than a few batches are in memory at a time.
pub(super) async fn telling<T: Send + 'static>(
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
    when: SyncWhen,
    each: &mut dyn FnMut(Event),
) -> Result<FileRecord, JournalError> {
    folder.must_exist()?;
    let lock = folder.lock()?;
    // Ten thousand pictures take a while to be counted too.
    let (scanned, blobs) = thread::scope(|scope| {
        let counting = scope.spawn(|| cache::blob_bytes(&folder));
        let scanned = scan_file(&folder, Detail::Outline, &mut *each);
        (scanned, counting.join().expect("counting does not panic"))
    });
    let (scanned, blobs) = (scanned?, blobs?);
    if let Some(refusal) = refusal(folder.id, &scanned) {
        return Err(refusal);
    }
    let End::Torn { bytes } = scanned.end else {
        return FileRecord::new(folder, clock, when, scanned.chain, blobs, lock);
    };
    let aside = cut(&folder, scanned.good_bytes, clock(), when)?;
    let mut record = FileRecord::new(folder, clock, when, scanned.chain, blobs, lock)?;
    each(record.write(&recovered(bytes, &aside))?);
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
    let scanned = if length - at.min(length) < SHORT {
        scan_behind(chain, reader, detail, each)
    } else {
        scan_on_two_threads(chain, reader, detail, each)
    };
    let mut scanned = scanned.map_err(storage("read", &path))?;
    scanned.good_bytes += at;
    Ok(scanned)
}

pub(super) fn verdict(scanned: &Scanned) -> Verdict {
    let seq = scanned.chain.seq;
    let (what, torn) = match &scanned.end {
        End::Clean => return Verdict { records: seq - 1, bad: None },
        End::Torn { bytes } => (format!("the last {bytes} bytes are not a whole record"), true),
        End::Damaged { what } => (what.clone(), false),
        End::TooNew { found } => (format!("it has format {found}"), false),
    };
    let bad = InvalidRecordLine { seq, offset: scanned.good_bytes, what, torn };
    Verdict { records: seq - 1, bad: Some(bad) }
}

/// Why a record is not read as if nothing were wrong with it.
fn refusal(id: SessionId, scanned: &Scanned) -> Option<JournalError> {
    match &scanned.end {
        End::Clean | End::Torn { .. } => None,
        End::TooNew { found } => Some(JournalError::TooNew { id, found: *found }),
        End::Damaged { what } => {
            Some(JournalError::Damaged { id, seq: scanned.chain.seq, what: what.clone() })
        }
    }
}

/// Cuts off what follows the good lines, and puts it aside under the name it returns: it may hold
/// what a person wants to see, and nothing is thrown away unasked.
fn cut(
    folder: &Folder,
    good_bytes: u64,
    now: Timestamp,
    when: SyncWhen,
) -> Result<String, JournalError> {
    // Longer than any write of ours: the rest is what a failing disk made up.
    const MOST: u64 = 2 * line::MAX_LINE as u64;
    let path = folder.events();
    let name = format!("events.jsonl.torn-{}", now.strftime("%Y%m%dT%H%M%S.%6fZ"));
    let aside = folder.path.join(&name);
    let copied = || -> io::Result<()> {
        let mut from = File::open(&path)?;
        from.seek(SeekFrom::Start(good_bytes))?;
        // Of two crashes in one microsecond the later tail is kept.
        let options = &mut OpenOptions::new();
        let mut to = private_file(options.write(true).create(true).truncate(true), &aside)?;
        io::copy(&mut from.take(MOST), &mut to)?;
        if when == SyncWhen::Never {
            return Ok(());
        }
        to.sync_all()?;
        sync_folder(&folder.path)
    };
    copied().map_err(storage("write", &aside))?;
    // Not the handle for appending: Windows lets that one only append.
    let events = OpenOptions::new().write(true).open(&path);
    events.and_then(|file| file.set_len(good_bytes)).map_err(storage("cut", &path))?;
    Ok(name)
}

fn recovered(bytes: u64, aside: &str) -> Entry {
    let figures: Map<String, Value> =
        [("dropped_bytes".to_owned(), bytes.into()), ("aside".to_owned(), aside.into())]
            .into_iter()
            .collect();
    let text = format!("The last write was cut short: {bytes} bytes were moved to {aside}.");
    let fact = Fact::Note { kind: "recovered".to_owned(), text, figures };
    Entry { round: None, step: None, agent: None, fact }
}
