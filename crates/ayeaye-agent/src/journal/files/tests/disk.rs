//! What a session takes of the disk, what is removed, and what a list reads.
use std::sync::Mutex;
use std::time::{Duration, SystemTime};

use jiff::SignedDuration;
use serde_json::Value;

use super::*;
use crate::journal::{
    ResumeReason, Retention, SessionEnd, Summary, candidates, select_for_removal,
};
use crate::{ReplyMode, StopReason};

fn free(bytes: Option<u64>) -> FreeSpace {
    Arc::new(move |_| Ok(bytes))
}

#[tokio::test]
async fn no_session_is_begun_on_a_full_disk_and_one_that_runs_goes_on() {
    let rig = rig();
    let (id, _) = rig.full_session().await;
    let full = rig.journal.clone().with_min_free_bytes(1000).with_free_space(free(Some(999)));
    let refused = full.create(&SessionId::new()).await.unwrap_err();
    let JournalError::NoRoom { free: 999, min_free_bytes: 1000, path } = &refused else {
        panic!("{refused}")
    };
    assert!(path.ends_with("sessions"));
    assert!(refused.to_string().contains("remove old sessions"), "{refused}");
    assert_eq!(full.list().await.unwrap(), [id], "nothing is left of it");
    let (_, mut record) = opened(&full, &id).await.unwrap();
    record.append(note("on")).await.unwrap();
    for enough in [
        full.clone().with_free_space(free(Some(1000))),
        full.clone().with_free_space(free(None)),
        full.clone().with_free_space(Arc::new(|_| Err(io::ErrorKind::Unsupported.into()))),
        full.clone().with_min_free_bytes(0),
    ] {
        enough.create(&SessionId::new()).await.unwrap();
    }
}

#[tokio::test]
async fn the_system_says_how_much_is_free() {
    let folder = TempDir::new().unwrap();
    let found = free_space::system_free_space()(folder.path()).unwrap();
    assert!(found.is_none_or(|free| 0 < free), "{found:?}");
    // Windows asks the volume, which is there.
    if cfg!(unix) {
        assert!(free_space::system_free_space()(&folder.path().join("absent")).is_err());
    }
}

#[tokio::test]
async fn the_size_of_a_record_is_what_lies_on_the_disk() {
    fn on_disk(path: &Path) -> u64 {
        if path.is_file() {
            let counts = path.ends_with("events.jsonl") || path.iter().any(|part| part == "blobs");
            return if counts { fs::metadata(path).unwrap().len() } else { 0 };
        }
        fs::read_dir(path).unwrap().map(|entry| on_disk(&entry.unwrap().path())).sum()
    }
    let rig = rig();
    let id = SessionId::new();
    let mut record = rig.journal.create(&id).await.unwrap();
    assert_eq!(record.size(), 0);
    for text in ["a", "bb", "a"] {
        record.store_blob(Bytes::from(text), "text/plain").await.unwrap();
        record.append(note(text)).await.unwrap();
        assert_eq!(record.size(), on_disk(&rig.path(&id)));
    }
    let size = record.size();
    record.close().await;
    // Counted anew, and from the summary.
    assert_eq!(rig.open(&id).await.unwrap().1.size(), size);
    let (id, _) = rig.full_session().await;
    assert!(rig.path(&id).join("session.json").exists());
    assert_eq!(rig.open(&id).await.unwrap().1.size(), on_disk(&rig.path(&id)));
    assert_eq!(rig.journal.summary(&id).await.unwrap().bytes, on_disk(&rig.path(&id)));
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn what_is_no_file_is_refused_and_not_waited_for() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};
    let pipe = |path: &Path| {
        fs::remove_file(path).ok();
        mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    };
    let rig = rig();
    let (id, _) = rig.full_session().await;
    pipe(&rig.path(&id).join("session.json"));
    assert_eq!(rig.journal.summary(&id).await.unwrap().rounds, 2, "the record says the same");
    pipe(&rig.path(&id).join("events.jsonl"));
    assert_eq!(rig.journal.list().await.unwrap(), [id], "it is told of");
    let refused = [
        rig.journal.summary(&id).await.map(drop),
        rig.journal.read(&id).await.map(drop),
        rig.open(&id).await.map(drop),
    ];
    for refused in refused {
        let err = refused.unwrap_err();
        let why = std::error::Error::source(&err).map(ToString::to_string);
        assert!(err.to_string().contains("events.jsonl"), "{err}");
        assert!(format!("{err} {why:?}").contains("it is no file"), "{err} {why:?}");
    }
    pipe(&rig.path(&id).join("lock"));
    assert!(rig.journal.is_locked(&id).await.is_err());
}

/// The file beside the record, with another request in it, so that one sees who reads it.
fn mark(rig: &Rig, id: &SessionId) {
    let path = rig.path(id).join("session.json");
    let mut cached: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    cached["summary"]["task"] = "marked".into();
    fs::write(path, cached.to_string()).unwrap();
}

#[tokio::test]
async fn a_summary_is_kept_when_a_run_ends_and_made_anew_when_it_is_old() {
    let rig = rig();
    let (id, events) = rig.full_session().await;
    let summary = async || rig.journal.summary(&id).await.unwrap();
    let path = rig.path(&id).join("session.json");
    mark(&rig, &id);
    assert_eq!(summary().await.task, "marked", "it is read");
    fs::remove_file(&path).unwrap();
    let made = summary().await;
    assert_eq!(made.last_seq, events.len() as u64);
    assert_eq!((made.started, made.last), (events[0].ts, events[events.len() - 1].ts));
    assert_eq!((made.rounds, made.steps, made.calls), (2, 8, 8));
    assert_eq!(made.stop_reason, Some(StopReason::TaskCompletedSuccessfully));
    assert_eq!(made.device.model, "Pixel 7");
    assert_eq!(made.question, None);

    mark(&rig, &id);
    let mut record = rig.open(&id).await.unwrap().1;
    let asked = events.iter().find(|event| matches!(event.entry.fact, Fact::Question(_))).unwrap();
    record.append(asked.entry.clone()).await.unwrap();
    let later = summary().await;
    assert_ne!(later.task, "marked", "the record has grown");
    assert_eq!(later.question.as_deref(), Some("Which Anna?"));
    assert_eq!(later.last_seq, made.last_seq + 1);
    drop(record);
    let junk: [&[u8]; 4] = [b"", b"{", b"{\"v\":2}", &[0xff; 100]];
    for junk in junk {
        fs::write(&path, junk).unwrap();
        assert_eq!(summary().await, later);
    }
    // A record of the same length that ends otherwise.
    mark(&rig, &id);
    let mut bytes = fs::read(rig.path(&id).join("events.jsonl")).unwrap();
    let end = bytes.len() - 10;
    bytes[end] ^= 1;
    fs::write(rig.path(&id).join("events.jsonl"), bytes).unwrap();
    assert_eq!(summary().await.last_seq, made.last_seq);
    // What cannot be written is done without.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(summary().await.question, None);
}

/// What is listed as done must not turn out to be damaged when it is opened.
#[tokio::test]
async fn damage_in_the_middle_of_a_record_is_seen_in_a_list() {
    let rig = rig();
    let (id, _) = rig.full_session().await;
    rig.journal.summary(&id).await.unwrap();
    let path = rig.path(&id).join("events.jsonl");
    let mut bytes = fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&path, bytes).unwrap();
    // Not within the tick in which the file system keeps its times.
    let file = fs::File::options().write(true).open(&path).unwrap();
    file.set_modified(SystemTime::now() + Duration::from_secs(1)).unwrap();
    let damaged = rig.journal.summary(&id).await.unwrap_err();
    assert!(matches!(damaged, JournalError::Damaged { .. }), "{damaged}");
}

#[tokio::test]
async fn a_summary_says_what_the_session_says() {
    let rig = rig();
    let (id, events) = rig.full_session().await;
    for length in 1..=events.len() {
        let mut summing = crate::session::SummaryBuilder::new(id);
        events[..length].iter().for_each(|event| summing.apply(event));
        let Summary { task, stop_reason, message, question, steps, cost_usd, cost_known, .. } =
            summing.finish(0).unwrap();
        let session = crate::Session::from_events(id, &events[..length]).unwrap();
        let report = session.report(false);
        assert_eq!((task, steps), (report.task, report.global_steps));
        assert_eq!(question, report.question.map(|question| question.text));
        assert_eq!(cost_usd.to_bits(), session.counts.cost_usd.to_bits());
        assert_eq!(cost_known, report.usage.cost_known);
        if let Some(reason) = stop_reason {
            assert_eq!((reason, message), (report.stop_reason, report.message));
        }
    }
}

#[tokio::test]
async fn what_has_no_beginning_has_no_summary() {
    let rig = rig();
    let id = SessionId::new();
    rig.journal.create(&id).await.unwrap().append(note("x")).await.unwrap();
    let none = rig.journal.summary(&id).await;
    assert!(matches!(none, Err(JournalError::MissingSessionStart(_))), "{none:?}");
    let none = rig.journal.summary(&SessionId::new()).await;
    assert!(matches!(none, Err(JournalError::Unknown(_))), "{none:?}");
}

#[tokio::test]
async fn what_a_crash_has_left_of_a_removal_goes_with_the_next() {
    let rig = rig();
    let (first, _) = rig.full_session().await;
    let (second, _) = rig.full_session().await;
    let sessions = rig.data.path().join("sessions");
    let crash = |id: &SessionId| {
        fs::rename(rig.path(id), sessions.join(format!(".trash-{id}"))).unwrap();
    };
    let left = || fs::read_dir(&sessions).unwrap().count();
    fs::create_dir(sessions.join(".trash-of-mine")).unwrap();
    crash(&first);
    rig.journal.remove(&second).await.unwrap();
    assert_eq!(left(), 1);
    let (third, _) = rig.full_session().await;
    crash(&third);
    let (fourth, _) = rig.full_session().await;
    assert_eq!(left(), 2);
    // One of the same name is in the way of nothing.
    fs::create_dir_all(sessions.join(format!(".trash-{fourth}/blobs"))).unwrap();
    rig.journal.remove(&fourth).await.unwrap();
    assert_eq!(left(), 1);
}

/// Ten sessions, a day apart, the oldest first.
async fn ten(rig: &mut Rig) -> Vec<SessionId> {
    let days = Arc::new(Mutex::new(0));
    let clock = Arc::clone(&days);
    rig.journal = FileJournal::new(
        rig.data.path(),
        Arc::new(move || {
            let day = *clock.lock().expect("no test panics while it holds this");
            Timestamp::from_second(1_767_323_045 + day * 86_400).expect("a time in this century")
        }),
        SyncPolicy::Never,
    );
    let mut ids = Vec::new();
    for _ in 0..10 {
        ids.push(rig.full_session().await.0);
        *days.lock().expect("no test panics while it holds this") += 1;
    }
    ids
}

#[tokio::test]
async fn old_sessions_are_tidied_away_and_what_somebody_needs_stays() {
    let mut rig = rig();
    let ids = ten(&mut rig).await;
    let tidied = rig.journal.prune(&Retention::default()).await.unwrap();
    assert!(tidied.removed.is_empty());
    let append = async |id: &SessionId, fact| {
        let mut record = rig.open(id).await.unwrap().1;
        record.append(RecordEntry { fact, ..note("") }).await.unwrap();
        record
    };
    // The oldest is being written, the second has a question, the third is damaged, the fourth is of
    // a later version, the fifth died.
    let fact = |pick: fn(&Fact) -> bool| {
        let (picture, tree, text) = (blob("a"), blob("b"), blob("c"));
        let session = sample::session(&picture, &tree, &text);
        session.into_iter().map(|entry| entry.fact).find(pick).unwrap()
    };
    let _written = rig.open(&ids[0]).await.unwrap().1;
    drop(append(&ids[1], fact(|fact| matches!(fact, Fact::Question(_)))).await);
    let damaged = rig.path(&ids[2]).join("events.jsonl");
    let mut bytes = fs::read(&damaged).unwrap();
    bytes[100] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let later = rig.path(&ids[3]).join("events.jsonl");
    let mut bytes = fs::read(&later).unwrap();
    let scanned = scan::scan(&bytes[..], |_| {}).unwrap();
    bytes.extend(line::checked_line(&scanned.chain, r#"{"v":2"#));
    bytes.push(b'\n');
    fs::write(&later, bytes).unwrap();
    drop(append(&ids[4], fact(|fact| matches!(fact, Fact::SessionResume(_)))).await);

    let two = Retention { max_sessions: Some(7), ..Retention::default() };
    let tidied = rig.journal.prune(&two).await.unwrap();
    assert_eq!(tidied.removed, ids[5..8]);
    let session = tidied.bytes / 3;
    assert!(10_000 < session && session < 100_000, "{session}");
    let none = Retention { max_total_bytes: Some(0), ..Retention::default() };
    assert_eq!(rig.journal.prune(&none).await.unwrap().removed, ids[8..]);
    // Everything is old by now, but for the one that was continued, and died, on the tenth day.
    let young = Retention { max_age: Some(Duration::ZERO), ..Retention::default() };
    assert!(rig.journal.prune(&young).await.unwrap().removed.is_empty());
    let mut left = rig.journal.list().await.unwrap();
    left.reverse();
    assert_eq!(left, ids[..5]);
}

#[tokio::test]
async fn a_session_that_was_paused_minutes_ago_does_not_go_for_the_number_of_sessions() {
    let rig = rig();
    let (id, _) = rig.full_session().await;
    let mut record = rig.open(&id).await.unwrap().1;
    let end = SessionEnd {
        stop_reason: StopReason::UserPaused.into(),
        message: String::new(),
        steps: 8,
        local_steps: 1,
        cost_usd: 0.0,
        cost_known: true,
    };
    record.append(RecordEntry { fact: Fact::SessionEnd(end), ..note("") }).await.unwrap();
    record.close().await;
    let last = rig.journal.summary(&id).await.unwrap().last;
    let none = Retention { max_sessions: Some(0), ..Retention::default() };
    let goes = async |after: SignedDuration| {
        let kept = candidates(&rig.journal, last + after).await.unwrap();
        select_for_removal(&none, last + after, &kept).contains(&id)
    };
    assert!(!goes(SignedDuration::from_mins(9)).await, "a client may act again in it");
    assert!(goes(SignedDuration::from_mins(10)).await);
}

#[tokio::test]
async fn a_session_that_died_goes_when_it_is_old() {
    let rig = rig();
    let (id, _) = rig.full_session().await;
    let mut record = rig.open(&id).await.unwrap().1;
    let run = crate::journal::RunRecord {
        max_steps: 1,
        reply_mode: ReplyMode::NoReply.into(),
        planner: false,
        policy: None,
        device_server: None,
    };
    let fact =
        Fact::SessionResume(crate::journal::SessionResume { why: ResumeReason::GoOn.into(), run });
    record.append(RecordEntry { fact, ..note("") }).await.unwrap();
    let old = Retention { max_age: Some(Duration::from_millis(1)), ..Retention::default() };
    let none = rig.journal.prune(&old).await.unwrap();
    assert!(none.removed.is_empty(), "it is being written");
    drop(record);
    assert_eq!(rig.journal.prune(&old).await.unwrap().removed, [id]);
}

fn blob(name: &str) -> BlobRef {
    BlobRef { sha256: name.repeat(64), bytes: 1, media_type: String::new() }
}

#[tokio::test]
async fn many_sessions_are_listed_from_their_summaries() {
    let rig = rig();
    let mut ids = Vec::new();
    for _ in 0..100 {
        ids.push(rig.full_session().await.0);
    }
    for id in &ids {
        mark(&rig, id);
    }
    for id in rig.journal.list().await.unwrap() {
        assert_eq!(rig.journal.summary(&id).await.unwrap().task, "marked");
    }
    // An end that is written again sums up again.
    let mut record = rig.open(&ids[0]).await.unwrap().1;
    let end = SessionEnd {
        stop_reason: StopReason::Cancelled.into(),
        message: "enough".to_owned(),
        steps: 8,
        local_steps: 0,
        cost_usd: 0.0,
        cost_known: true,
    };
    record.append(RecordEntry { fact: Fact::SessionEnd(end), ..note("") }).await.unwrap();
    mark(&rig, &ids[0]);
    let summary = rig.journal.summary(&ids[0]).await.unwrap();
    assert_eq!((summary.task.as_str(), summary.message.as_str()), ("marked", "enough"));
}
