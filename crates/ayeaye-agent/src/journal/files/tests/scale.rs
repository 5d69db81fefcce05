//! Long records, which are read on two threads.
//! `examples/journal.rs` has figures of what they cost.

use super::*;
use crate::journal::SessionBuilder;
use crate::journal::files::scan::{RecordEnd, scan_after, scan_on_two_threads};

/// The lines of the sample, again and again, up to about this many bytes. Its pictures are not there.
async fn long_session(rig: &Rig, bytes: u64) -> (SessionId, Vec<u8>) {
    let id = SessionId::new();
    let mut record = rig.journal.create(&id).await.unwrap();
    let blob = BlobRef { sha256: "0".repeat(64), bytes: 1, media_type: "image/jpeg".to_owned() };
    let session = sample::session(&blob, &blob, &blob);
    for nth in 0.. {
        // A session begins once, and its end would be summed up each time.
        let again = session.iter().filter(|entry| {
            nth == 0 || !matches!(entry.fact, Fact::SessionStart(_) | Fact::SessionEnd(_))
        });
        for entry in again {
            record.append(entry.clone()).await.unwrap();
        }
        if bytes < record.size() {
            break;
        }
    }
    drop(record);
    let bytes = fs::read(rig.path(&id).join("events.jsonl")).unwrap();
    (id, bytes)
}

fn on_one_thread(bytes: &[u8], detail: Detail) -> (Vec<Event>, scan::Scanned) {
    let mut events = Vec::new();
    let scanned = scan_after(Chain::start(), bytes, detail, |event| events.push(event)).unwrap();
    (events, scanned)
}

fn on_two_threads(bytes: &[u8], detail: Detail) -> (Vec<Event>, scan::Scanned) {
    let mut events = Vec::new();
    let scanned = scan_on_two_threads(Chain::start(), bytes, detail, |event| events.push(event));
    (events, scanned.unwrap())
}

#[tokio::test]
async fn a_long_record_is_read_and_gone_on_with() {
    let rig = rig();
    let (id, bytes) = long_session(&rig, 700 << 10).await;
    let (wanted, scanned) = on_one_thread(&bytes, Detail::Whole);
    assert_eq!(scanned.end, RecordEnd::Clean);
    assert_eq!(rig.journal.read(&id).await.unwrap(), wanted);
    let (events, mut record) = rig.open(&id).await.unwrap();
    assert_eq!(events, wanted);
    assert_eq!(record.append(note("on")).await.unwrap().seq, wanted.len() as u64 + 1);
}

#[tokio::test]
async fn an_outline_folds_to_the_same_session() {
    let rig = rig();
    let (id, bytes) = long_session(&rig, 300 << 10).await;
    let (whole, scanned) = on_one_thread(&bytes, Detail::Whole);
    let (outline, outlined) = on_two_threads(&bytes, Detail::Compact);
    assert_eq!(scanned, outlined);
    assert_ne!(whole, outline, "something is left out");
    let fold = |events: &[Event]| {
        let mut builder = SessionBuilder::new(id);
        for event in events {
            builder.apply(event);
        }
        format!("{:?}", builder.finish().unwrap())
    };
    assert_eq!(fold(&whole), fold(&outline));
    assert_eq!(fold(&whole), format!("{:?}", crate::Session::from_events(id, &whole).unwrap()));
}

#[tokio::test]
async fn damage_in_a_long_record_looks_the_same_to_two_threads() {
    let rig = rig();
    let (_, bytes) = long_session(&rig, 300 << 10).await;
    // A line that says nothing this version knows is found by the second thread, long after the first
    // has gone on.
    let middle = bytes.len() / 2;
    let at = middle + bytes[middle..].iter().position(|byte| *byte == b'\n').unwrap() + 1;
    let (_, front) = on_one_thread(&bytes[..at], Detail::Whole);
    for body in [r#"{"v":1,"seq":1"#, r#"{"v":2,"what":"ever""#] {
        let mut foreign = bytes[..at].to_vec();
        let mut chain = front.chain.clone();
        for _ in 0..1000 {
            let line = line::checked_line(&chain, body);
            chain = chain.advance(&line).unwrap();
            foreign.extend(line);
            foreign.push(b'\n');
        }
        let found = on_two_threads(&foreign, Detail::Whole);
        assert_eq!(found, on_one_thread(&foreign, Detail::Whole));
        assert_eq!((found.1.good_bytes, found.1.chain), (at as u64, front.chain.clone()));
    }
    let last = bytes.trim_ascii_end().iter().rposition(|byte| *byte == b'\n').unwrap();
    let step = bytes.len() / 50;
    for at in (0..bytes.len()).step_by(step) {
        let cut_torn_tail = &bytes[..at];
        assert_eq!(
            on_two_threads(cut_torn_tail, Detail::Whole),
            on_one_thread(cut_torn_tail, Detail::Whole),
            "{at}"
        );
        let mut flipped = bytes.clone();
        flipped[at] ^= 4;
        let (events, scanned) = on_two_threads(&flipped, Detail::Whole);
        let damaged = matches!(scanned.end, RecordEnd::Damaged { .. });
        assert_eq!(damaged, at < last, "{at}: {scanned:?}");
        assert_eq!((events, scanned), on_one_thread(&flipped, Detail::Whole));
    }
}

#[tokio::test]
async fn a_visitor_that_goes_away_stops_nobody() {
    let rig = rig();
    let (id, _) = long_session(&rig, 700 << 10).await;
    let mut seen = 0;
    {
        let mut each = |_| seen += 1;
        let mut visit = rig.journal.visit(&id, &mut each);
        assert!(futures::poll!(&mut visit).is_pending());
    }
    let told = rig.journal.summary(&id).await.unwrap().last_seq;
    assert!(seen < told, "{seen} of {told}");
    rig.journal.remove(&id).await.unwrap();
}
