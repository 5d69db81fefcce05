//! What a crash, a failing disk or a person can do to a record.
use crate::journal::NoteKind;
use proptest::prelude::*;

use super::*;
use crate::journal::files::line::{checked_line, hex};
use crate::journal::files::scan::{RecordEnd, scan_after};
use crate::journal::files::{line, scan};

/// Each line of a record with its end, where it begins, and where the chain stands before it.
fn lines(bytes: &[u8]) -> Vec<(usize, &[u8], Chain)> {
    let mut chain = Chain::start();
    let mut at = 0;
    let mut all = Vec::new();
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        let (_, next) = line::decode(&chain, line.trim_ascii_end()).expect("a good line");
        all.push((at, line, std::mem::replace(&mut chain, next)));
        at += line.len();
    }
    all
}

/// A place to put a damaged record, again and again.
struct Bench {
    rig: Rig,
    id: SessionId,
}

impl Bench {
    async fn new() -> Self {
        let rig = rig();
        let id = SessionId::new();
        drop(rig.journal.create(&id).await.expect("a new session"));
        Self { rig, id }
    }

    fn put(&self, bytes: &[u8]) {
        fs::write(self.rig.path(&self.id).join("events.jsonl"), bytes).expect("put");
    }

    /// It opens with just these events (and a note, if anything was dropped), and goes on.
    async fn mends_to(&self, events: &[Event], dropped: usize) {
        let (opened, mut record) = self.rig.open(&self.id).await.expect("mended");
        let (kept, notes) = opened.split_at(events.len());
        assert_eq!(kept, events);
        match notes {
            [] => assert_eq!(dropped, 0),
            [Event { entry: RecordEntry { fact: Fact::Note { kind, figures, .. }, .. }, .. }] => {
                assert_eq!(*kind, NoteKind::Recovered);
                assert_eq!(figures["dropped_bytes"], dropped);
                let set_aside = figures["aside"].as_str().expect("a name");
                let set_aside = self.rig.path(&self.id).join(set_aside);
                assert_eq!(fs::metadata(&set_aside).expect("put aside").len(), dropped as u64);
                fs::remove_file(&set_aside).expect("removed");
            }
            other => panic!("{other:?}"),
        }
        let next = record.append(note("on")).await.expect("goes on");
        drop(record);
        let verify_report = self.rig.journal.verify(&self.id).await.expect("readable");
        assert_eq!(verify_report, VerifyReport { records: next.seq, bad: None });
    }

    /// Before anybody mends it: the same events, and a word on the rest.
    async fn reads_as(&self, events: &[Event], torn: bool) {
        assert_eq!(self.rig.journal.read(&self.id).await.expect("readable"), events);
        let verify_report = self.rig.journal.verify(&self.id).await.expect("readable");
        assert_eq!(verify_report.records, events.len() as u64);
        assert_eq!(verify_report.bad.is_some_and(|bad| bad.torn), torn);
    }

    async fn is_refused_at(&self, seq: u64) {
        let damaged = |err: JournalError| match err {
            JournalError::Damaged { seq, .. } => seq,
            other => panic!("{other}"),
        };
        let before = fs::read(self.rig.path(&self.id).join("events.jsonl")).expect("there");
        assert_eq!(self.rig.open(&self.id).await.map(drop).map_err(damaged), Err(seq));
        assert_eq!(self.rig.journal.read(&self.id).await.map(drop).map_err(damaged), Err(seq));
        let (events, verify_report) = self.rig.journal.salvage(&self.id).await.expect("readable");
        assert_eq!(events.len() as u64, seq - 1);
        assert_eq!(verify_report.records, seq - 1);
        assert_eq!(verify_report.bad.map(|bad| (bad.seq, bad.torn)), Some((seq, false)));
        let after = fs::read(self.rig.path(&self.id).join("events.jsonl")).expect("there");
        assert_eq!(before, after, "a refusal changes nothing");
    }
}

async fn sample_bytes() -> (Vec<u8>, Vec<Event>) {
    let rig = rig();
    let (id, events) = rig.full_session().await;
    (fs::read(rig.path(&id).join("events.jsonl")).expect("written"), events)
}

#[tokio::test]
async fn a_record_cut_at_any_byte_ends_with_its_last_whole_line() {
    let (bytes, events) = sample_bytes().await;
    let lines = lines(&bytes);
    assert_eq!(lines.len(), events.len());
    let mut cuts = 0;
    for (nth, (at, line, chain)) in lines.iter().enumerate() {
        for length in 0..line.len() {
            // The lines before were read when it was their turn to be cut.
            let rest = &bytes[*at..at + length];
            let scanned =
                scan_after(chain.clone(), rest, Detail::Whole, |_| panic!("{nth} cut at {length}"));
            let scanned = scanned.expect("in memory");
            assert_eq!((scanned.good_bytes, &scanned.chain), (0, chain));
            let torn = RecordEnd::Torn { bytes: length as u64 };
            assert_eq!(scanned.end, if length == 0 { RecordEnd::Clean } else { torn });
            cuts += 1;
        }
    }
    assert_eq!(cuts, bytes.len());
    assert!(30_000 < cuts, "{cuts}");
}

/// The same on real files, through the front door, with the first quarter of the session, in two shares
/// that can run side by side.
async fn cut_files(share: usize) {
    let (bytes, events) = sample_bytes().await;
    let bytes = &bytes[..lines(&bytes)[18].0];
    let bench = Bench::new().await;
    let mut cuts = 0;
    let mut whole = 0; // lines
    let mut end_of_whole = 0; // bytes
    for at in 0..=bytes.len() {
        if at != 0 && bytes[at - 1] == b'\n' {
            whole += 1;
            end_of_whole = at;
        }
        let at_an_edge = at < end_of_whole + 2 || bytes.get(at) == Some(&b'\n');
        if at % 4 == share || (at_an_edge && at % 2 == share) {
            bench.put(&bytes[..at]);
            if at_an_edge {
                bench.reads_as(&events[..whole], at != end_of_whole).await;
            }
            bench.mends_to(&events[..whole], at - end_of_whole).await;
            cuts += 1;
        }
    }
    assert!(2_000 < cuts, "{cuts}");
}

#[tokio::test]
async fn cut_files_are_mended_and_go_on() {
    cut_files(0).await;
}

#[tokio::test]
async fn cut_files_are_mended_and_go_on_too() {
    cut_files(1).await;
}

#[tokio::test]
async fn no_flipped_bit_goes_unseen() {
    let (bytes, events) = sample_bytes().await;
    let bench = Bench::new().await;
    let lines = lines(&bytes);
    let mut flips = 0;
    for (nth, (at, line, _)) in lines.iter().enumerate() {
        let end = line.len() - 1;
        // The beginning, the inside, `prev`, `sum`, the brace and the end of the line.
        for (which, place) in
            [0, 7, end / 2, end - 60, end - 5, end - 1, end].into_iter().enumerate()
        {
            let mut flipped = bytes.clone();
            flipped[at + place] ^= 1 << ((nth + which) % 8);
            bench.put(&flipped);
            if nth + 1 == lines.len() {
                bench.reads_as(&events[..nth], true).await;
                bench.mends_to(&events[..nth], line.len()).await;
            } else {
                bench.is_refused_at(nth as u64 + 1).await;
            }
            flips += 1;
        }
    }
    assert!(450 < flips, "{flips}");
}

#[tokio::test]
async fn every_bit_of_the_last_two_lines_is_guarded() {
    let (bytes, _) = sample_bytes().await;
    let lines = lines(&bytes);
    let (at, _, chain) = &lines[lines.len() - 2];
    let last = lines[lines.len() - 1].0 - at;
    let tail = &bytes[*at..];
    for bit in 0..tail.len() * 8 {
        let mut flipped = tail.to_vec();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let scanned =
            scan_after(chain.clone(), &flipped[..], Detail::Whole, |_| {}).expect("in memory");
        if bit / 8 < last {
            assert!(matches!(scanned.end, RecordEnd::Damaged { .. }), "bit {bit}: {scanned:?}");
            assert_eq!(scanned.good_bytes, 0, "bit {bit}");
        } else {
            let bytes = (tail.len() - last) as u64;
            assert_eq!(scanned.end, RecordEnd::Torn { bytes }, "bit {bit}");
        }
    }
}

#[tokio::test]
async fn zeros_at_the_end_are_a_torn_tail() {
    let (bytes, events) = sample_bytes().await;
    let bench = Bench::new().await;
    for zeros in [1, 511, 4096, 1 << 20] {
        let mut padded = bytes.clone();
        padded.resize(bytes.len() + zeros, 0);
        bench.put(&padded);
        bench.reads_as(&events, true).await;
        bench.mends_to(&events, zeros).await;
    }
    // A file system may also fill the end of the last line with them, its end of line included.
    let mut zeroed = bytes.clone();
    let tail = zeroed.len() - 40;
    zeroed[tail..].fill(0);
    let last = lines(&bytes).last().expect("lines").1.len();
    bench.put(&zeroed);
    bench.mends_to(&events[..events.len() - 1], last).await;
}

#[tokio::test]
async fn lines_cannot_be_dropped_moved_or_forged() {
    let (bytes, _) = sample_bytes().await;
    let bench = Bench::new().await;
    let lines = lines(&bytes);
    let (dropped, moved, last) = (10, 20, lines.len() - 1);
    let join = |parts: &[&[u8]]| parts.concat();
    let from = |nth: usize| &bytes[lines[nth].0..];
    let to = |nth: usize| &bytes[..lines[nth].0];

    bench.put(&join(&[to(dropped), from(dropped + 1)]));
    bench.is_refused_at(dropped as u64 + 1).await;
    bench.put(&join(&[to(moved), lines[moved + 1].1, lines[moved].1, from(moved + 2)]));
    bench.is_refused_at(moved as u64 + 1).await;
    bench.put(&join(&[to(moved), lines[moved].1, lines[moved].1, from(moved + 1)]));
    bench.is_refused_at(moved as u64 + 2).await;
    // Even at the end: what is whole is never cut off.
    bench.put(&join(&[to(last), lines[last - 1].1]));
    bench.is_refused_at(last as u64 + 1).await;
    // With a sum of its own, but another line than the next one chains to.
    let body = format!(
        r#"{{"v":1,"seq":{},"ts":"2026-01-02T03:04:05Z","type":"note","data":{{"kind":"","text":""}}"#,
        moved + 1
    );
    let mut forged = checked_line(&lines[moved].2, &body);
    forged.push(b'\n');
    bench.put(&join(&[to(moved), &forged, from(moved + 1)]));
    bench.is_refused_at(moved as u64 + 2).await;
}

#[tokio::test]
async fn a_later_format_is_not_touched() {
    let (bytes, events) = sample_bytes().await;
    let bench = Bench::new().await;
    let chain = scan::scan(&bytes[..], |_| {}).unwrap().chain;
    let later = checked_line(&chain, r#"{"v":2,"seq":"seventy","kind":"dream""#);
    let bytes = [&bytes[..], &later, b"\n"].concat();
    bench.put(&bytes);
    let id = bench.id;
    for err in [
        bench.rig.open(&id).await.map(drop).unwrap_err(),
        bench.rig.journal.read(&id).await.map(drop).unwrap_err(),
    ] {
        assert!(matches!(err, JournalError::TooNew { found: 2, .. }), "{err}");
    }
    assert_eq!(fs::read(bench.rig.path(&id).join("events.jsonl")).unwrap(), bytes);
    let (salvaged, verify_report) = bench.rig.journal.salvage(&id).await.unwrap();
    assert_eq!(salvaged, events);
    let bad = verify_report.bad.unwrap();
    assert_eq!(bad.what, "it has format 2");
    assert!(matches!(bad.refusal(id), JournalError::TooNew { found: 2, .. }));
}

/// A later version may have been at work on the same folder.
#[tokio::test]
async fn a_type_of_a_later_version_is_passed_over() {
    let (bytes, events) = sample_bytes().await;
    let bench = Bench::new().await;
    let chain = scan::scan(&bytes[..], |_| {}).unwrap().chain;
    let body = format!(
        r#"{{"v":1,"seq":{},"ts":"2026-01-02T03:04:05Z","step":1,"type":"dance","data":{{"with":["somebody"]}}"#,
        chain.seq
    );
    let bytes = [&bytes[..], &checked_line(&chain, &body), b"\n"].concat();
    bench.put(&bytes);
    let id = bench.id;
    assert_eq!(bench.rig.journal.verify(&id).await.unwrap().bad, None);
    let summary = bench.rig.journal.summary(&id).await.unwrap();
    assert_eq!(summary.last_seq, chain.seq);
    // It goes on, and the line stays as it was.
    let (read, mut record) = bench.rig.open(&id).await.unwrap();
    assert_eq!(read[..events.len()], events);
    assert_eq!(read.last().unwrap().entry.fact, Fact::Unknown { name: "dance".to_owned() });
    record.append(note("on")).await.unwrap();
    let now = fs::read(bench.rig.path(&id).join("events.jsonl")).unwrap();
    assert!(now.starts_with(&bytes) && bytes.len() < now.len());
    assert_eq!(bench.rig.journal.verify(&id).await.unwrap().bad, None);
}

#[tokio::test]
async fn a_torn_tail_is_put_aside_as_it_was() {
    let (bytes, _) = sample_bytes().await;
    let bench = Bench::new().await;
    let torn = &bytes[..bytes.len() - 7];
    bench.put(torn);
    let (_, record) = bench.rig.open(&bench.id).await.unwrap();
    drop(record);
    let (set_aside, count) = fs::read_dir(bench.rig.path(&bench.id))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.to_string_lossy().contains("events.jsonl.torn-2026"))
        .fold((None, 0), |(_, count), path| (Some(path), count + 1));
    assert_eq!(count, 1);
    let tail = fs::read(set_aside.unwrap()).unwrap();
    assert!(torn.ends_with(&tail));
    assert!(tail.starts_with(b"{\"v\":1,"));
    assert_eq!(hex(&[0, 0x1f, 0xff]), "001fff");
}

#[tokio::test]
async fn a_crash_between_a_blob_and_its_event_loses_neither() {
    let rig = rig();
    let (id, events) = rig.full_session().await;
    let mut record = rig.open(&id).await.unwrap().1;
    let picture = Bytes::from_static(b"kept, and named by nobody");
    let blob = record.store_blob(picture.clone(), "image/jpeg").await.unwrap();
    drop(record);
    let (opened, mut record) = rig.open(&id).await.unwrap();
    assert_eq!(opened, events);
    assert_eq!(rig.journal.blob(&id, &blob).await.unwrap(), picture);
    assert_eq!(record.store_blob(picture, "image/jpeg").await.unwrap(), blob);
}

#[tokio::test]
async fn a_blob_that_was_cut_short_is_written_again_and_reading_goes_on_without() {
    let rig = rig();
    let (id, events) = rig.full_session().await;
    let blob = events.iter().find_map(|event| match &event.entry.fact {
        Fact::Observe(observe) => observe.screenshot.clone(),
        _ => None,
    });
    let blob = blob.expect("a picture");
    let shelf = rig.path(&id).join("blobs").join(&blob.sha256[..2]);
    let path = shelf.join(format!("{}.jpg", blob.sha256));
    let whole = fs::read(&path).unwrap();
    for length in 0..whole.len() {
        // Under its name only a failing disk leaves this; beside it, a crash does.
        fs::remove_file(&path).unwrap();
        fs::write(&path, &whole[..length]).unwrap();
        fs::write(shelf.join(format!("{}.jpg.temp-1-{length}", blob.sha256)), "torn").unwrap();
        assert!(matches!(rig.journal.blob(&id, &blob).await, Err(JournalError::Blob(_))));
        assert_eq!(rig.journal.read(&id).await.unwrap(), events);
        let (opened, mut record) = rig.open(&id).await.unwrap();
        assert_eq!(opened, events);
        let again = record.store_blob(Bytes::from(whole.clone()), "image/jpeg").await.unwrap();
        assert_eq!(again, blob);
        assert_eq!(rig.journal.blob(&id, &blob).await.unwrap(), whole);
    }
    fs::remove_dir_all(rig.path(&id).join("blobs")).unwrap();
    assert_eq!(rig.open(&id).await.unwrap().0, events);
    assert!(matches!(rig.journal.blob(&id, &blob).await, Err(JournalError::Blob(_))));
}

#[cfg(unix)]
#[tokio::test]
async fn a_lock_that_somebody_removed_lets_no_second_writer_in() {
    let rig = rig();
    let (id, events) = rig.full_session().await;
    let lock = rig.path(&id).join("lock");
    fs::remove_file(&lock).unwrap();
    let (opened, mut record) = rig.open(&id).await.unwrap();
    assert_eq!(opened, events);
    fs::remove_file(&lock).unwrap();
    let second = rig.open(&id).await;
    assert!(matches!(second, Err(JournalError::Busy(_))), "{second:?}");
    record.append(note("the only one")).await.unwrap();
    drop(record);
    let records = rig.journal.verify(&id).await.unwrap().records;
    assert_eq!(records, events.len() as u64 + 1);
    rig.open(&id).await.unwrap();
}

proptest! {
    #[test]
    fn foreign_bytes_behind_a_record_are_a_torn_tail(
        tail in prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\n'), Just(b'{')], 1..300)
    ) {
        let line = line::encode(&Chain::start(), Timestamp::UNIX_EPOCH, &note("x")).unwrap();
        let bytes = [&line.bytes[..], &tail].concat();
        let mut events = Vec::new();
        let scanned = scan::scan(&bytes[..], |event| events.push(event)).unwrap();
        prop_assert_eq!(events, [line.event]);
        prop_assert_eq!(scanned.good_bytes, line.bytes.len() as u64);
        prop_assert_eq!(scanned.end, RecordEnd::Torn { bytes: tail.len() as u64 });
    }
}
