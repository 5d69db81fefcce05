//! Logs that cannot be written, and projections that fail: neither may cost the session anything.
use std::sync::atomic::{AtomicBool, AtomicUsize};

use super::*;

#[tokio::test]
async fn a_log_that_cannot_be_written_stops_nothing() {
    let data = TempDir::new().unwrap();
    fs::write(data.path().join("logs"), "a file").unwrap();
    let rig = rig_in(data, TestProjection::factory());
    let id = rig.session().await;
    assert_eq!(rig.files.read(&id).await.unwrap().len(), facts().len());
    assert!(rig.is_marked(id), "it is tried again at the next start");
    // The other logs are complete.
    let out = rig.exported(id, Format::PyCatan).await;
    assert_eq!(tree(out.path()), tree(&rig.data.path().join("llm")));
    fs::remove_file(rig.data.path().join("logs")).unwrap();
    assert_eq!(rig.logs.catch_up().await, 1);
    assert_eq!(crate::log_path::session_logs(rig.data.path(), id).unwrap().len(), 2);
}

#[derive(Debug, Clone, Default)]
struct Panics(Arc<AtomicUsize>);

impl Projection for Panics {
    fn fold(&mut self, _: &Event, _: &dyn Blobs) -> Vec<FileOp> {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("a slip in a projection");
    }
}

impl Log for Panics {
    fn own_files(&self) -> &'static [&'static str] {
        &[]
    }
}

#[tokio::test]
async fn a_projection_that_panics_is_tried_twice_and_stops_nothing() {
    let tried = Panics::default();
    let sample = TestProjection::factory();
    let panics = tried.clone();
    let rig = rig(Arc::new(move |format, id, settings| match format {
        Format::Ufo => Box::new(panics.clone()),
        _ => sample(format, id, settings),
    }));
    let id = rig.session().await;
    assert_eq!(rig.files.read(&id).await.unwrap().len(), facts().len());
    assert_eq!(tried.0.load(Ordering::Relaxed), 2, "once live, once when the record was closed");
    assert!(rig.is_marked(id));
    let out = rig.exported(id, Format::PyCatan).await;
    assert_eq!(tree(out.path()), tree(&rig.data.path().join("llm")));
}

/// Blocks until it is let go.
#[derive(Debug, Clone, Default)]
struct Blocks(Arc<AtomicBool>);

impl Projection for Blocks {
    fn fold(&mut self, _: &Event, _: &dyn Blobs) -> Vec<FileOp> {
        while !self.0.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        Vec::new()
    }
}

impl Log for Blocks {
    fn own_files(&self) -> &'static [&'static str] {
        &[]
    }
}

#[tokio::test(start_paused = true)]
async fn a_projection_that_blocks_costs_the_writer_nothing_and_the_closer_two_seconds() {
    let blocks = Blocks::default();
    let (gate, sample) = (blocks.clone(), TestProjection::factory());
    let rig = rig(Arc::new(move |format, id, settings| match format {
        Format::Html => Box::new(blocks.clone()),
        _ => sample(format, id, settings),
    }));
    let id = SessionId::new();
    let mut record = rig.logs.create(&id).await.unwrap();
    let begun = Instant::now();
    for _ in 0..20 {
        write(&mut *record, facts()).await;
    }
    assert_eq!(begun.elapsed(), Duration::ZERO);
    // A thread at work holds the paused clock; the seconds are let pass by hand.
    let closing = tokio::spawn(record.close());
    while !closing.is_finished() {
        tokio::task::yield_now().await;
        tokio::time::advance(Duration::from_millis(100)).await;
    }
    assert!(begun.elapsed() <= CLOSE_TIMEOUT + Duration::from_millis(200));
    assert!(rig.is_marked(id));
    assert!(matches!(rig.logs.shared.try_lock(id).await, Ok(None)), "it is still at work");
    gate.0.store(true, Ordering::Release);
    while rig.is_marked(id) {
        tokio::task::yield_now().await;
    }
    // What did not fit into the queue was read in the record.
    let lines = tree(&rig.data.path().join("llm"));
    let lines = lines.iter().find(|(name, _)| name.ends_with("lines.log")).unwrap().1;
    let count = lines.split(|byte| *byte == b'\n').count() - 1;
    assert_eq!(count, 20 * facts().len());
    assert!(QUEUE_LEN < count, "the queue was too small for it");
}

#[tokio::test]
async fn a_log_that_somebody_has_been_at_is_made_anew() {
    let rig = rig(TestProjection::factory());
    let id = SessionId::new();
    let mut record = rig.logs.create(&id).await.unwrap();
    let all = facts();
    let half = all.len() / 2;
    write(&mut *record, all[..half].to_vec()).await;
    while crate::log_path::session_logs(rig.data.path(), id).unwrap().len() < 2 {
        tokio::task::yield_now().await;
    }
    let ufo = crate::log_path::session_logs(rig.data.path(), id).unwrap()[0].1.clone();
    while !ufo.join("lines.log").exists() {
        tokio::task::yield_now().await;
    }
    fs::write(ufo.join("lines.log"), "edited").unwrap();
    write(&mut *record, all[half..].to_vec()).await;
    record.close().await;
    assert!(!rig.is_marked(id));
    let out = rig.exported(id, Format::Ufo).await;
    assert_eq!(tree(out.path()), tree(&ufo));
}

#[tokio::test]
async fn what_others_put_into_a_log_is_there_when_it_was_made_anew() {
    let rig = rig(Arc::new(make_projection));
    let id = rig.session().await;
    let whole = rig.logs();
    let found = crate::log_path::session_logs(rig.data.path(), id).unwrap();
    let (ufo, llm) = (&found[0].1, &found[1].1);
    let player = fs::read_dir(llm).unwrap().map(|it| it.unwrap().path()).find(|it| it.is_dir());
    let player = player.unwrap();
    let theirs = [
        ufo.join("notes.md"),
        ufo.join("xml/mine.txt"),
        ufo.join("experience/response.log"),
        player.join("notes.md"),
        llm.join("notes/notes.md"),
        llm.join("AppAgent-before/responses/response_1.json"),
        rig.data.path().join(format!("traces/{id}-mine.txt")),
    ];
    for path in &theirs {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "theirs").unwrap();
    }
    // Of what the record has lost, as after a crash of the machine.
    let stale = [ufo.join("action_step99.png"), player.join("responses/response_99.json")];
    for path in &stale {
        fs::write(path, "stale").unwrap();
    }
    let edited = [
        ufo.join("response.log"),
        llm.join("llm_communication.log"),
        rig.data.path().join(format!("traces/{id}.jsonl")),
    ];
    for path in &edited {
        fs::write(path, "edited").unwrap();
    }
    PendingMarker::set_pending(rig.data.path(), id).await.unwrap();
    assert_eq!(rig.logs.catch_up().await, 1);
    for path in &theirs {
        assert_eq!(fs::read(path).unwrap(), b"theirs", "{}", path.display());
        fs::remove_file(path).unwrap();
    }
    let again = rig.logs();
    assert!(again == whole, "{:?}\nis not\n{:?}", again.keys(), whole.keys());
}

#[tokio::test]
async fn every_file_of_a_log_is_known_as_its_own() {
    let rig = rig(Arc::new(make_projection));
    let id = rig.session().await;
    let settings = LogSettings { images: crate::Images::All, ..LogSettings::default() };
    for format in Format::ALL {
        let out = TempDir::new().unwrap();
        crate::export(&rig.files, id, format, out.path(), &settings).await.unwrap();
        let first = &rig.files.read(&id).await.unwrap()[0];
        let place = crate::log_path::LogPath::in_export(out.path(), format, id, first).unwrap();
        assert_ne!(tree(out.path()).len(), 0);
        place.remove(make_projection(format, id, &settings).own_files()).unwrap();
        let mut left = tree(out.path());
        // Whose folder it is, and which one is the current, is said by no projection.
        left.retain(|name, _| !name.ends_with(".session") && name != "current_session.txt");
        assert!(left.is_empty(), "{format}: {:?}", left.keys());
    }
}
