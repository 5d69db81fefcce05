//! Records that are not good to their end, or lack files: what is good is told, and that.
use ayeaye_agent::journal::{Observe, PrivateScreens};

use super::*;

#[tokio::test]
async fn of_a_damaged_session_what_is_good_is_exported() {
    let rig = rig(TestProjection::factory());
    let id = rig.session().await;
    let record = rig.data.path().join(format!("sessions/{id}/events.jsonl"));
    let mut bytes = fs::read(&record).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&record, bytes).unwrap();
    let out = TempDir::new().unwrap();
    let settings = LogSettings::default();
    let done =
        export_with(&rig.files, id, Format::Ufo, out.path(), &settings, &TestProjection::factory())
            .await;
    let done = done.unwrap();
    let bad = done.damage.expect("it is damaged");
    let lines = fs::read_to_string(out.path().join("lines.log")).unwrap();
    assert_eq!(lines.lines().count() as u64, bad.seq - 1);
}

#[tokio::test]
async fn of_a_damaged_session_what_is_good_has_a_page() {
    let rig = rig(TestProjection::factory());
    let id = rig.session().await;
    let journal: Arc<dyn Journal> = Arc::new(rig.files.clone());
    let page = async || {
        crate::render_report(&journal, id, 0, PrivateScreens::default())
            .await
            .map(String::from_utf8)
    };
    assert!(!page().await.unwrap().unwrap().contains("is damaged"));
    let record = rig.data.path().join(format!("sessions/{id}/events.jsonl"));
    let bytes = fs::read(&record).unwrap();
    for (at, good) in [(bytes.len() / 2, true), (10, false)] {
        let mut bytes = bytes.clone();
        bytes[at] ^= 1;
        fs::write(&record, bytes).unwrap();
        match page().await {
            Ok(page) => {
                let page = page.unwrap();
                assert!(page.contains(&format!("session {id} is damaged at record")), "{page}");
                assert!(page.contains("what is before it is told here"));
                assert!(good);
            }
            Err(err) => assert!(!good, "{err}"),
        }
    }
}

/// Changes the last line of a record, which is the end of its session.
fn damage_the_end(rig: &Rig, id: SessionId) {
    let record = rig.data.path().join(format!("sessions/{id}/events.jsonl"));
    let mut bytes = fs::read(&record).expect("a record");
    let last = bytes[..bytes.len() - 1].iter().rposition(|byte| *byte == b'\n').expect("lines");
    bytes[last + 20] ^= 1;
    // A whole line follows, or this would pass for a write that was cut short.
    let before = bytes[..last].iter().rposition(|byte| *byte == b'\n').expect("lines");
    let line = bytes[before + 1..=last].to_vec();
    bytes.extend(line);
    fs::write(&record, bytes).expect("written");
}

#[tokio::test]
async fn an_exported_page_of_a_damaged_session_says_so_like_that_of_the_server() {
    let rig = rig(Arc::new(make_projection));
    let id = rig.session().await;
    damage_the_end(&rig, id);
    let out = TempDir::new().unwrap();
    let done =
        crate::export(&rig.files, id, Format::Html, out.path(), &LogSettings::default()).await;
    assert!(done.unwrap().damage.is_some());
    let exported = fs::read_to_string(out.path().join(format!("{id}.html"))).unwrap();
    assert!(exported.contains(&format!("session {id} is damaged at record")), "{exported}");
    assert!(exported.contains("what is before it is told here"));
    assert!(exported.contains("<strong>End not readable</strong>"));
    assert!(!exported.contains("still being worked on"));
    let journal: Arc<dyn Journal> = Arc::new(rig.files.clone());
    let told =
        crate::render_report(&journal, id, u64::MAX, PrivateScreens::default()).await.unwrap();
    assert_eq!(exported, String::from_utf8(told).unwrap());
}

#[tokio::test]
async fn a_page_that_is_completed_at_the_next_start_says_so_too() {
    let rig = rig(Arc::new(make_projection));
    let id = plain_session(rig.data.path()).await;
    damage_the_end(&rig, id);
    PendingMarker::set_pending(rig.data.path(), id).await.unwrap();
    assert_eq!(rig.logs.catch_up().await, 1);
    let page = fs::read_to_string(rig.data.path().join(format!("reports/{id}.html"))).unwrap();
    let said = page.matches("what is before it is told here").count();
    assert_eq!(said, 1, "{page}");
}

#[tokio::test]
async fn files_of_a_record_that_are_missing_are_counted() {
    let rig = rig(Arc::new(make_projection));
    let id = rig.session().await;
    let events = rig.files.read(&id).await.unwrap();
    let picture = events.iter().find_map(|event| match &event.entry.fact {
        Fact::Observe(Observe { screenshot, .. }) => screenshot.clone(),
        _ => None,
    });
    let picture = picture.unwrap();
    for there in [true, false] {
        if !there {
            fs::remove_file(rig.files.blob_path(&id, &picture).unwrap()).unwrap();
        }
        for format in Format::ALL {
            let out = TempDir::new().unwrap();
            let done =
                crate::export(&rig.files, id, format, out.path(), &LogSettings::default()).await;
            // Other files that the sample names are those of another session.
            let missing = done.unwrap().missing;
            let counted = missing.iter().filter(|it| it.sha256 == picture.sha256).count();
            let wanted = usize::from(!there && format != Format::PyCatan);
            assert_eq!(counted, wanted, "{format}; PyCatan's folder has no pictures");
        }
    }
}
