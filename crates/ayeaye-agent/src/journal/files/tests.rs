//! The journal as its callers see it. Damage has its own file, and so has the format.
#[cfg(unix)]
mod changed_by_others;
mod damage;
mod disk;
mod fixture;
mod fuzz;
mod sample;
mod scale;

use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};

use tempfile::TempDir;

use super::*;
use serde_json::Map;

use crate::journal::{Answer, Fact, RecordEntry};

/// A journal in a folder of its own, whose clock ticks by a millisecond at each look.
struct Rig {
    journal: FileJournal,
    data: TempDir,
}

fn rig() -> Rig {
    rig_with(SyncPolicy::Never)
}

fn rig_with(sync: SyncPolicy) -> Rig {
    let data = TempDir::new().expect("a folder for tests");
    let journal = FileJournal::new(data.path(), ticking(), sync);
    Rig { journal, data }
}

fn ticking() -> Clock {
    let start = 1_767_323_045_000;
    let ticks = AtomicI64::new(start);
    Arc::new(move || {
        let now = ticks.fetch_add(1, Ordering::Relaxed);
        Timestamp::from_millisecond(now).expect("a time in this century")
    })
}

impl Rig {
    fn path(&self, id: &SessionId) -> PathBuf {
        self.data.path().join("sessions").join(id.to_string())
    }

    /// Everything recorded so far, and the record.
    async fn open(
        &self,
        id: &SessionId,
    ) -> Result<(Vec<Event>, Box<dyn JournalWriter>), JournalError> {
        opened(&self.journal, id).await
    }

    /// A session of about seventy events, closed.
    async fn full_session(&self) -> (SessionId, Vec<Event>) {
        let id = SessionId::new();
        let events = write_sample(&self.journal, &id).await;
        (id, events)
    }
}

async fn opened(
    journal: &FileJournal,
    id: &SessionId,
) -> Result<(Vec<Event>, Box<dyn JournalWriter>), JournalError> {
    let mut outline = Vec::new();
    let record = journal.open(id, &mut |event| outline.push(event.seq)).await?;
    let events = journal.read(id).await?;
    assert!(events.iter().map(|event| event.seq).eq(outline));
    Ok((events, record))
}

async fn write_sample(journal: &FileJournal, id: &SessionId) -> Vec<Event> {
    let mut record = journal.create(id).await.expect("a new session");
    let mut keep = Vec::new();
    for (bytes, media_type) in [
        (&b"\xff\xd8 not really a picture \xff\xd9"[..], "image/jpeg"),
        (b"<hierarchy rotation=\"0\"/>", "application/xml"),
        (b"You drive a phone.", "text/plain"),
    ] {
        keep.push(record.store_blob(Bytes::from_static(bytes), media_type).await.expect("kept"));
    }
    let mut events = Vec::new();
    for entry in sample::session(&keep[0], &keep[1], &keep[2]) {
        events.push(record.append(entry).await.expect("written"));
    }
    record.sync().await.expect("synced");
    events
}

fn note(text: &str) -> RecordEntry {
    let fact = Fact::Note { kind: "test".into(), text: text.to_owned(), figures: Map::new() };
    RecordEntry { round: None, step: None, agent: None, fact }
}

#[tokio::test]
async fn what_was_written_is_read_and_goes_on() {
    let rig = rig_with(SyncPolicy::Step);
    let (id, written) = rig.full_session().await;
    assert_eq!(rig.journal.read(&id).await.unwrap(), written);
    let (events, mut record) = rig.open(&id).await.unwrap();
    assert_eq!(events, written);
    let next = record.append(note("more")).await.unwrap();
    assert_eq!(next.seq, written.len() as u64 + 1);
    // A reader needs no lock, and sees at once what was written.
    assert_eq!(rig.journal.read(&id).await.unwrap().last(), Some(&next));
    let verify_report = rig.journal.verify(&id).await.unwrap();
    assert_eq!(verify_report, VerifyReport { records: next.seq, bad: None });
}

#[tokio::test]
async fn a_session_has_one_writer() {
    let rig = rig();
    let id = SessionId::new();
    let record = rig.journal.create(&id).await.unwrap();
    let other = FileJournal::new(rig.data.path(), ticking(), SyncPolicy::Never);
    assert!(matches!(opened(&other, &id).await, Err(JournalError::Busy(busy)) if busy == id));
    assert_eq!(other.read(&id).await.unwrap(), []);
    drop(record);
    opened(&other, &id).await.unwrap();
}

/// As a process that is being started holds it, which has what was open here until it is the other program.
#[tokio::test(start_paused = true)]
async fn a_lock_that_is_let_go_at_once_is_waited_for() {
    let rig = rig();
    let (id, events) = rig.full_session().await;
    let held = rig.journal.folder(&id).lock().unwrap();
    let let_go = async {
        // The first try has met it.
        tokio::time::sleep(LOCK_RETRY / 2).await;
        drop(held);
    };
    let (opened, ()) = tokio::join!(rig.open(&id), let_go);
    assert_eq!(opened.unwrap().0, events);
}

#[tokio::test]
async fn whoever_looks_whether_a_session_is_written_leaves_nothing_there() {
    let rig = rig();
    let (id, _) = rig.full_session().await;
    let lock = rig.path(&id).join("lock");
    fs::remove_file(&lock).unwrap();
    // As in a store that can only be read.
    assert!(!rig.journal.is_locked(&id).await.unwrap());
    assert!(!lock.exists());
    let record = rig.open(&id).await.unwrap().1;
    assert!(rig.journal.is_locked(&id).await.unwrap());
    drop(record);
    assert!(!rig.journal.is_locked(&id).await.unwrap());
}

#[tokio::test]
async fn a_session_is_begun_once() {
    let rig = rig();
    let id = SessionId::new();
    rig.journal.create(&id).await.unwrap();
    let again = rig.journal.create(&id).await;
    assert!(matches!(again, Err(JournalError::Storage { .. })), "{again:?}");
}

#[tokio::test]
async fn what_is_not_there_is_unknown() {
    let rig = rig();
    assert_eq!(rig.journal.list().await.unwrap(), []);
    let id = SessionId::new();
    let blob = BlobRef { sha256: "0".repeat(64), bytes: 1, media_type: String::new() };
    let errors = [
        rig.open(&id).await.map(drop).unwrap_err(),
        rig.journal.read(&id).await.map(drop).unwrap_err(),
        rig.journal.verify(&id).await.map(drop).unwrap_err(),
        rig.journal.blob(&id, &blob).await.map(drop).unwrap_err(),
        rig.journal
            .visit_after(&id, &ReadPosition::default(), &mut |_| {})
            .await
            .map(drop)
            .unwrap_err(),
    ];
    for err in errors {
        assert!(matches!(err, JournalError::Unknown(unknown) if unknown == id), "{err}");
    }
    // Asking leaves nothing behind.
    assert!(!rig.data.path().join("sessions").exists());
}

#[tokio::test]
async fn sessions_are_listed_newest_first_and_nothing_else_is() {
    let rig = rig();
    let mut ids: Vec<SessionId> = (0..20).map(|_| SessionId::new()).collect();
    for id in &ids {
        rig.journal.create(id).await.unwrap();
    }
    let sessions = rig.data.path().join("sessions");
    for junk in [".trash-1", "lost+found", &SessionId::new().to_string()] {
        fs::create_dir(sessions.join(junk)).unwrap();
    }
    fs::write(sessions.join(SessionId::new().to_string()), "a file").unwrap();
    ids.sort_by(|a, b| b.cmp(a));
    assert_eq!(rig.journal.list().await.unwrap(), ids);
}

#[tokio::test]
async fn a_session_is_removed_unless_somebody_writes_it() {
    let rig = rig();
    let (id, _) = rig.full_session().await;
    let (_, record) = rig.open(&id).await.unwrap();
    assert!(matches!(rig.journal.remove(&id).await, Err(JournalError::Busy(_))));
    drop(record);
    rig.journal.remove(&id).await.unwrap();
    assert!(matches!(rig.journal.remove(&id).await, Err(JournalError::Unknown(_))));
    assert_eq!(rig.journal.list().await.unwrap(), []);
    assert_eq!(fs::read_dir(rig.data.path().join("sessions")).unwrap().count(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_reader_beside_the_writer_sees_whole_events() {
    let rig = rig();
    let id = SessionId::new();
    let mut record = rig.journal.create(&id).await.unwrap();
    let writer = tokio::spawn(async move {
        let mut written = Vec::new();
        for n in 0..300 {
            written.push(record.append(note(&"x".repeat(n * 97))).await.unwrap());
        }
        written
    });
    let mut seen = Vec::new();
    while !writer.is_finished() {
        let events = rig.journal.read(&id).await.unwrap();
        assert!(events.starts_with(&seen), "what was read stays");
        seen = events;
    }
    assert!(writer.await.unwrap().starts_with(&seen));
}

#[tokio::test]
async fn a_blob_is_stored_once_and_checked_when_read() {
    let rig = rig();
    let id = SessionId::new();
    let mut record = rig.journal.create(&id).await.unwrap();
    let bytes = Bytes::from_static(b"picture");
    let blob = record.store_blob(bytes.clone(), "image/png").await.unwrap();
    assert_eq!(record.store_blob(bytes.clone(), "image/png").await.unwrap(), blob);
    assert_eq!(rig.journal.blob(&id, &blob).await.unwrap(), bytes);

    let shelf = rig.path(&id).join("blobs").join(&blob.sha256[..2]);
    let path = shelf.join(format!("{}.png", blob.sha256));
    assert_eq!(fs::read_dir(&shelf).unwrap().count(), 1, "no other file is left");
    let damaged = async |bytes: &[u8]| {
        // What is there may not be written to.
        fs::remove_file(&path).unwrap();
        fs::write(&path, bytes).unwrap();
        matches!(rig.journal.blob(&id, &blob).await, Err(JournalError::Blob(_)))
    };
    assert!(damaged(b"pictures").await);
    assert!(damaged(b"pict").await);
    // A short one is known by its length, and mended.
    record.store_blob(bytes.clone(), "image/png").await.unwrap();
    assert_eq!(rig.journal.blob(&id, &blob).await.unwrap(), bytes);
    assert!(damaged(b"pictuse").await);
    fs::remove_file(&path).unwrap();
    assert!(matches!(rig.journal.blob(&id, &blob).await, Err(JournalError::Blob(_))));
}

#[tokio::test]
async fn a_blob_reference_cannot_lead_anywhere_else() {
    let rig = rig();
    let (id, _) = rig.full_session().await;
    let hostile = ["", "..", "../../../../../../etc/passwd", "é", &"A".repeat(64), &"/".repeat(64)];
    for sha256 in hostile {
        let blob = BlobRef { sha256: sha256.to_owned(), bytes: 9, media_type: "../x".to_owned() };
        let read = rig.journal.blob(&id, &blob).await;
        assert!(matches!(read, Err(JournalError::Blob(_))), "{sha256}: {read:?}");
    }
}

#[tokio::test]
async fn a_record_is_followed_without_reading_an_event_twice() {
    let rig = rig();
    let (id, written) = rig.full_session().await;
    let (_, mut record) = rig.open(&id).await.unwrap();
    let mut seen = Vec::new();
    let mut position = ReadPosition::default();
    for nth in 0..40 {
        if nth % 3 == 0 {
            record.append(note("more")).await.unwrap();
        }
        let mut each = |event: Event| seen.push(event.seq);
        position = rig.journal.visit_after(&id, &position, &mut each).await.unwrap();
        assert_eq!(position.seq, seen.len() as u64);
    }
    let all = written.len() as u64 + 14;
    assert_eq!(seen, (1..=all).collect::<Vec<_>>());
    // Whoever has no note of the place is told from the number on.
    let from = ReadPosition { seq: all - 1, note: vec![1, 2, 3] };
    let mut last = Vec::new();
    rig.journal.visit_after(&id, &from, &mut |event| last.push(event.seq)).await.unwrap();
    assert_eq!(last, [all]);
}

#[tokio::test]
async fn a_record_that_was_changed_behind_a_reader_is_damaged() {
    let rig = rig();
    let (id, _) = rig.full_session().await;
    let position =
        rig.journal.visit_after(&id, &ReadPosition::default(), &mut |_| {}).await.unwrap();
    let mut note = position.note.clone();
    note[20] ^= 1;
    let (_, mut record) = rig.open(&id).await.unwrap();
    record.append(super::tests::note("more")).await.unwrap();
    let from = ReadPosition { note, ..position };
    let err = rig.journal.visit_after(&id, &from, &mut |_| {}).await.unwrap_err();
    assert!(matches!(err, JournalError::Damaged { .. }), "{err}");
}

#[tokio::test]
async fn a_fact_that_is_refused_leaves_the_record_as_it_was() {
    let rig = rig();
    let (id, written) = rig.full_session().await;
    let (_, mut record) = rig.open(&id).await.unwrap();
    let refused = record.append(note(&"\u{1}".repeat(10_000_000))).await;
    assert!(matches!(refused, Err(JournalError::Storage { .. })), "{refused:?}");
    let answer = Answer {
        answers: vec!["\0\n\u{2028}\"\\\u{1f600}".to_owned()],
        source: "".into(),
        message_id: None,
    };
    let entry = RecordEntry { fact: Fact::Answer(answer), ..note("") };
    let event = record.append(entry.clone()).await.unwrap();
    assert_eq!((event.seq, event.entry), (written.len() as u64 + 1, entry));
}

#[tokio::test]
async fn every_way_to_sync_keeps_the_same() {
    let mut records = Vec::new();
    for sync in [SyncPolicy::Always, SyncPolicy::Step, SyncPolicy::Never] {
        let rig = rig_with(sync);
        let (id, _) = rig.full_session().await;
        records.push(fs::read(rig.path(&id).join("events.jsonl")).unwrap());
    }
    assert_eq!(records[0], records[1]);
    assert_eq!(records[0], records[2]);
}

#[cfg(unix)]
#[tokio::test]
async fn only_the_owner_may_read() {
    use std::os::unix::fs::PermissionsExt as _;

    fn check(path: &Path) -> usize {
        let meta = fs::symlink_metadata(path).unwrap();
        let is_blob = path.components().any(|part| part.as_os_str() == "blobs");
        let want = match (meta.is_dir(), is_blob) {
            (true, _) => 0o700,
            (false, true) => 0o400,
            (false, false) => 0o600,
        };
        assert_eq!(meta.permissions().mode() & 0o777, want, "{}", path.display());
        if !meta.is_dir() {
            return 1;
        }
        fs::read_dir(path).unwrap().map(|entry| check(&entry.unwrap().path())).sum()
    }
    let rig = rig();
    rig.full_session().await;
    // Events, lock, summary and three blobs.
    assert_eq!(check(&rig.data.path().join("sessions")), 6);
}

/// A record whose file is another, such as one that takes nothing.
#[cfg(target_os = "linux")]
async fn record_into(rig: &Rig, device: &str, sync: SyncPolicy) -> FileWriter {
    let id = SessionId::new();
    drop(rig.journal.create(&id).await.unwrap());
    let folder = rig.journal.folder(&id);
    let lock = folder.lock().unwrap();
    let mut record = FileWriter::new(folder, ticking(), sync, Chain::start(), 0, lock).unwrap();
    record.events_replaced_by(fs::File::options().append(true).open(device).unwrap());
    record
}

#[cfg(target_os = "linux")]
async fn is_poisoned(record: &mut FileWriter) {
    let errors = [
        record.append(note("")).await.map(drop).unwrap_err(),
        record.sync().await.unwrap_err(),
        record.store_blob(Bytes::from_static(b"x"), "text/plain").await.map(drop).unwrap_err(),
    ];
    for err in errors {
        assert!(err.to_string().contains("nothing is written to this record since"), "{err}");
        assert!(matches!(err, JournalError::Storage { .. }), "{err}");
    }
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_failed_write_ends_the_record() {
    let rig = rig();
    let mut record = record_into(&rig, "/dev/full", SyncPolicy::Step).await;
    let first = record.append(note("")).await.unwrap_err();
    let JournalError::Storage { what, source } = first else { panic!("{first}") };
    assert!(what.ends_with("events.jsonl (append)"), "{what}");
    assert_eq!(source.kind(), io::ErrorKind::StorageFull);
    is_poisoned(&mut record).await;
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_failed_sync_ends_the_record_even_when_nobody_waits_for_it() {
    let rig = rig();
    // It takes every write, and cannot be synced.
    let mut record = record_into(&rig, "/dev/null", SyncPolicy::Step).await;
    record.append(note("")).await.unwrap();
    let mut sync = record.sync();
    _ = futures::poll!(&mut sync);
    drop(sync);
    while record.append(note("")).await.is_ok() {
        tokio::task::yield_now().await;
    }
    is_poisoned(&mut record).await;
    let mut record = record_into(&rig, "/dev/null", SyncPolicy::Always).await;
    assert!(record.append(note("")).await.is_err());
    is_poisoned(&mut record).await;
    // One who wants no sync does not notice.
    let mut record = record_into(&rig, "/dev/null", SyncPolicy::Never).await;
    record.append(note("")).await.unwrap();
    record.sync().await.unwrap();
}

#[cfg(unix)]
#[tokio::test]
async fn a_blob_that_cannot_be_written_leaves_the_record_as_good_as_it_was() {
    let rig = rig();
    let id = SessionId::new();
    let mut record = rig.journal.create(&id).await.unwrap();
    fs::write(rig.path(&id).join("blobs"), "in the way").unwrap();
    assert!(record.store_blob(Bytes::from_static(b"x"), "text/plain").await.is_err());
    record.append(note("the end")).await.unwrap();
    record.sync().await.unwrap();
    record.close().await;
    assert_eq!(rig.journal.read(&id).await.unwrap().len(), 1);
}
