//! Acts of a client's own, each of which is a run.
use std::sync::atomic::AtomicUsize;

use ayeaye_agent::journal::SessionResume;

use super::*;
use crate::testing::{EventBuilder, click, run};

/// What an act writes.
fn entries(step: u32) -> Vec<RecordEntry> {
    let mut builder = EventBuilder::new();
    if 0 < step {
        builder.events.clear();
        builder.push(Fact::SessionResume(SessionResume { why: "direct".into(), run: run() }));
    } else {
        let (kind, text) = ("direct_control".into(), "The client acts itself.".to_owned());
        builder.push(Fact::Note { kind, text, figures: serde_json::Map::new() });
    }
    builder.begin_step(step, step + 1).act().end_step(Some(click()), None).end("CANCELLED");
    let mut entries: Vec<RecordEntry> =
        builder.events.into_iter().map(|event| event.entry).collect();
    for entry in &mut entries {
        match &mut entry.fact {
            Fact::ToolStart(start) => start.tool_call_id = step + 1,
            Fact::ToolEnd(end) => end.tool_call_id = step + 1,
            _ => {}
        }
    }
    entries
}

/// The act of that number; how many events it has written.
async fn act(logs: &LoggingJournal, id: SessionId, step: u32, picture: Option<Bytes>) -> usize {
    let mut record = match step {
        0 => logs.create(&id).await.expect("a new session"),
        _ => logs.open(&id, &mut |_| {}).await.expect("it goes on"),
    };
    let picture = picture.unwrap_or_else(|| format!("picture {step}").into());
    let entries = entries(step);
    let written = entries.len();
    for mut entry in entries {
        if let Fact::Observe(observe) = &mut entry.fact {
            let blob = record.store_blob(picture.clone(), "image/jpeg").await;
            observe.screenshot = Some(blob.expect("room for a picture"));
        }
        record.append(entry).await.expect("room for an event");
    }
    record.close().await;
    written
}

/// The logs are those that an export makes.
async fn complete(rig: &Rig, id: SessionId) {
    assert!(!rig.is_marked(id));
    for format in Format::LIVE {
        let out = TempDir::new().unwrap();
        crate::export(&rig.files, id, format, out.path(), &LogSettings::default()).await.unwrap();
        let same = tree(out.path()) == alone(rig.data.path(), id, format);
        assert!(same, "{format}");
    }
}

/// Projections that count what they take in.
#[derive(Debug)]
struct Counting(TestProjection, Arc<AtomicUsize>);

impl Projection for Counting {
    fn fold(&mut self, event: &Event, blobs: &dyn Blobs) -> Vec<FileOp> {
        self.1.fetch_add(1, Ordering::Relaxed);
        self.0.fold(event, blobs)
    }
}

impl Log for Counting {
    fn own_files(&self) -> &'static [&'static str] {
        &[]
    }
}

#[tokio::test]
async fn acts_that_follow_one_another_do_not_read_the_record_again() {
    let folded = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&folded);
    let rig = rig(Arc::new(move |format, id, _| {
        let prefix = match format {
            Format::Ufo | Format::PyCatan => String::new(),
            Format::Gelab | Format::Html | Format::Film => format!("{id}_"),
        };
        Box::new(Counting(TestProjection::new(prefix), Arc::clone(&counted)))
    }));
    let (id, mut written) = (SessionId::new(), 0);
    for step in 0..12 {
        written += act(&rig.logs, id, step, None).await;
        assert!(!rig.is_marked(id), "complete when the act is");
        assert_eq!(folded.load(Ordering::Relaxed), written * Format::LIVE.len());
    }
    // Another process goes on with it, and so does this one.
    let other = LoggingJournal::with_projections(
        Arc::new(rig.files.clone()),
        rig.data.path(),
        LogSettings::default(),
        TestProjection::factory(),
    );
    written += act(&other, id, 12, None).await;
    written += act(&rig.logs, id, 13, None).await;
    let lines = tree(&rig.data.path().join("llm"));
    let lines = lines.iter().find(|(name, _)| name.ends_with("lines.log")).unwrap().1;
    assert_eq!(lines.split(|byte| *byte == b'\n').count() - 1, written);
}

#[tokio::test]
async fn logs_are_complete_after_each_act_whoever_has_been_at_them() {
    let rig = rig(Arc::new(make_projection));
    let id = SessionId::new();
    let other =
        LoggingJournal::new(Arc::new(rig.files.clone()), rig.data.path(), LogSettings::default());
    for step in 0..8 {
        let logs = if step == 3 { &other } else { &rig.logs };
        act(logs, id, step, None).await;
        complete(&rig, id).await;
        match step {
            4 => fs::remove_dir_all(rig.data.path().join("llm")).unwrap(),
            5 => {
                let ufo = crate::log_path::session_logs(rig.data.path(), id).unwrap()[0].1.clone();
                fs::write(ufo.join("output.md"), "mine").unwrap();
            }
            6 => fs::remove_dir_all(rig.data.path().join("reports")).unwrap(),
            _ => {}
        }
    }
    rig.logs.remove(&id).await.unwrap();
    assert_eq!(tree(rig.data.path()).into_keys().collect::<Vec<_>>(), [""; 0]);
}

/// What an act waits for, on a screen with a photo: `cargo test --release -p ayeaye-export --lib what_acts_wait_for -- --ignored --nocapture`.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
#[expect(clippy::print_stderr, reason = "a measurement is to be seen")]
async fn what_acts_wait_for() {
    let rig = rig(Arc::new(make_projection));
    let id = SessionId::new();
    let screens: Vec<Vec<u8>> = (0..8).map(weight::photo).collect();
    let mut waited = Vec::new();
    for step in 0..500_u32 {
        // What follows the end of a JPEG makes another picture of it that looks the same.
        let mut picture = screens[usize::try_from(step).unwrap() % screens.len()].clone();
        picture.extend(step.to_le_bytes());
        let begun = Instant::now();
        act(&rig.logs, id, step, Some(picture.into())).await;
        waited.push(begun.elapsed().as_millis());
    }
    rig.logs.completed(id).await;
    for (from, to) in [(0, 10), (90, 100), (190, 200), (390, 400), (490, 500)] {
        let mean = waited[from..to].iter().sum::<u128>() / 10;
        eprintln!("acts {from} to {to}: {mean} ms each");
    }
    for acts in [200, 500] {
        eprintln!("{acts} acts: {} ms", waited[..acts].iter().sum::<u128>());
    }
}
