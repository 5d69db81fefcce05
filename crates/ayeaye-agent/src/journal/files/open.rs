//! Opening a session for writing: a torn last line is cut off and set aside first.
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::thread;

use jiff::Timestamp;
use serde_json::{Map, Value};

use super::folder::{Folder, open_private_file, private_options, storage, sync_folder};
use super::line::{self, Detail};
use super::scan::RecordEnd;
use super::writer::FileWriter;
use super::{Clock, SyncPolicy, read, summary_cache};
use crate::bounded_file::open_file;
use crate::journal::{Event, Fact, JournalError, NoteKind, RecordEntry};
use crate::private_files::sync_file;

/// Opens a session for writing, whose lock this process has.
pub(super) fn open(
    folder: Folder,
    lock: File,
    clock: Clock,
    sync: SyncPolicy,
    each: &mut dyn FnMut(Event),
) -> Result<FileWriter, JournalError> {
    // Ten thousand pictures take a while to be counted too.
    let (scanned, blobs) = thread::scope(|scope| {
        let counting = scope.spawn(|| summary_cache::blob_bytes(&folder));
        let scanned = read::scan_file(&folder, Detail::Compact, &mut *each);
        (scanned, counting.join().expect("counting does not panic"))
    });
    let (scanned, blobs) = (scanned?, blobs?);
    if let Some(refusal) = read::refusal(folder.id, &scanned) {
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
        let mut from = open_file(&path)?;
        from.seek(SeekFrom::Start(good_bytes))?;
        // Of two crashes in one microsecond the later tail is kept.
        let mut to = open_private_file(&set_aside, private_options().write(true))?;
        to.set_len(0)?;
        io::copy(&mut from.take(MOST), &mut to)?;
        if sync == SyncPolicy::Never {
            return Ok(());
        }
        sync_file(&to)?;
        sync_folder(&folder.path)
    };
    copied().map_err(storage("write", &set_aside))?;
    // Not the handle for appending: Windows lets that one only append.
    let events = OpenOptions::new().write(true).open(&path);
    events.and_then(|file| file.set_len(good_bytes)).map_err(storage("cut", &path))?;
    Ok(name)
}

fn recovery_note(bytes: u64, set_aside: &str) -> RecordEntry {
    let figures: Map<String, Value> =
        [("dropped_bytes".to_owned(), bytes.into()), ("aside".to_owned(), set_aside.into())]
            .into_iter()
            .collect();
    let text = format!("The last write was cut short: {bytes} bytes were moved to {set_aside}.");
    let fact = Fact::Note { kind: NoteKind::Recovered.into(), text, figures };
    RecordEntry { round: None, step: None, agent: None, fact }
}
