//! A session of format 1, as it lies in the folder of somebody who has run this once: it must load for
//! ever. When the format changes, this stays, and a folder for the new one joins it.
use std::collections::BTreeSet;

use super::*;
use crate::event::FACT_TYPES;

const ID: &str = "019b7d0a-6f40-7000-8000-0000000000a1";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/format-1")
}

/// A session with the members that were added to format 1 since.
const LATER: &str = "019b7d0a-6f40-7000-8000-0000000000a2";

fn later_fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/format-1-later")
}

async fn write_later(journal: &FileJournal) {
    let mut record = journal.create(&LATER.parse().unwrap()).await.unwrap();
    let picture = record.store_blob(Bytes::from_static(b"\xff\xd8\xff\xd9"), "image/jpeg");
    let picture = picture.await.unwrap();
    let tree = record.store_blob(Bytes::from_static(b"<hierarchy/>"), "application/xml");
    let tree = tree.await.unwrap();
    for entry in sample::later_members(&picture, &tree) {
        record.append(entry).await.unwrap();
    }
    record.sync().await.unwrap();
}

fn name_of(event: &Event) -> String {
    let fact = serde_json::to_value(&event.entry.fact).expect("a fact is JSON");
    fact["type"].as_str().expect("a fact has a type").to_owned()
}

#[tokio::test]
async fn a_session_of_format_1_loads() {
    let journal = FileJournal::new(&fixtures(), ticking(), SyncPolicy::Never);
    let id: SessionId = ID.parse().unwrap();
    assert_eq!(journal.list().await.unwrap(), [id]);
    let events = journal.read(&id).await.unwrap();
    assert_eq!(journal.verify(&id).await.unwrap().records, 76);
    let names: BTreeSet<String> = events.iter().map(name_of).collect();
    assert_eq!(names, FACT_TYPES.map(str::to_owned).into());
    assert_eq!(events[0].ts, "2026-01-02T03:04:05Z".parse().unwrap());
    let Fact::SessionStart(start) = &events[0].entry.fact else { panic!("{:?}", events[0]) };
    assert_eq!(start.device.wm_size, [1080, 2400]);
    let Fact::SessionEnd(end) = &events[75].entry.fact else { panic!("{:?}", events[75]) };
    assert_eq!(end.cost_usd.to_bits(), (0.1_f64 + 0.2).to_bits());
    for event in &events {
        if let Fact::Observe(seen) = &event.entry.fact {
            for blob in [&seen.screenshot, &seen.ui_tree] {
                journal.blob(&id, blob.as_ref().unwrap()).await.unwrap();
            }
        }
    }
}

/// What is written today is what was written then, to the byte. Where this fails and the fixture
/// loads, a member was added: older versions do not mind, and the sample leaves it out.
#[tokio::test]
async fn format_1_is_still_written_as_it_was() {
    let rig = rig();
    let id = ID.parse().unwrap();
    write_sample(&rig.journal, &id).await;
    let now = fs::read_to_string(rig.path(&id).join("events.jsonl")).unwrap();
    let then = fixtures().join("sessions").join(ID).join("events.jsonl");
    let then = fs::read_to_string(then).unwrap();
    for (now, then) in now.lines().zip(then.lines()) {
        assert_eq!(now, then);
    }
    assert_eq!(now.len(), then.len());
}

#[tokio::test]
async fn members_that_were_added_since_load_and_are_written_as_they_were() {
    let journal = FileJournal::new(&later_fixtures(), ticking(), SyncPolicy::Never);
    let id: SessionId = LATER.parse().unwrap();
    let events = journal.read(&id).await.unwrap();
    let look = events.iter().find_map(|event| match &event.entry.fact {
        Fact::Observe(look) => Some(look),
        _ => None,
    });
    let look = look.unwrap();
    let (display, capture) = (look.display.as_ref().unwrap(), look.capture.as_ref().unwrap());
    assert!(look.protected && look.blackened == 2, "{look:?}");
    assert_eq!(
        (display.panel.as_str(), display.posture.as_deref()),
        ("4630946481", Some("CLOSED"))
    );
    assert_eq!((capture.way.as_str(), capture.transport.as_str()), ("gzip", "tcp"));
    let rig = rig();
    write_later(&rig.journal).await;
    let now = fs::read_to_string(rig.path(&id).join("events.jsonl")).unwrap();
    let then = later_fixtures().join("sessions").join(LATER).join("events.jsonl");
    assert_eq!(now, fs::read_to_string(then).unwrap());
}

/// Made the fixture, and makes that of the next format.
#[tokio::test]
#[ignore = "writes into the source tree"]
async fn write_the_fixture() {
    let journal = FileJournal::new(&fixtures(), ticking(), SyncPolicy::Never);
    write_sample(&journal, &ID.parse().unwrap()).await;
}

#[tokio::test]
#[ignore = "writes into the source tree"]
async fn write_the_later_fixture() {
    write_later(&FileJournal::new(&later_fixtures(), ticking(), SyncPolicy::Never)).await;
}
