//! Logs beside a record: complete, equal to an export, and never in its way.
mod acts;
mod damage;
mod failures;
mod pictures;
mod removal;
#[cfg(unix)]
mod weight;

use std::collections::BTreeMap;
use std::fs;
use std::sync::atomic::Ordering;

use ayeaye_agent::journal::{Fact, FileJournal, RecordEntry};
use tempfile::TempDir;
use tokio::time::Instant;

use super::*;
use crate::export::export_with;
use crate::formats::{Format, Log};
use crate::projection::{Blobs, FileOp, Projection};
use crate::sample::{TestProjection, facts, files, plain_session, tree, write};

struct Rig {
    data: TempDir,
    files: FileJournal,
    logs: LoggingJournal,
}

fn rig(make_projection: MakeProjection) -> Rig {
    let data = TempDir::new().expect("a folder for tests");
    rig_in(data, make_projection)
}

fn rig_in(data: TempDir, make_projection: MakeProjection) -> Rig {
    let files = files(data.path());
    let inner = Arc::new(files.clone());
    let logs = LoggingJournal::with_projections(
        inner,
        data.path(),
        LogSettings::default(),
        make_projection,
    );
    Rig { data, files, logs }
}

impl Rig {
    async fn session(&self) -> SessionId {
        let id = SessionId::new();
        let mut record = self.logs.create(&id).await.expect("a new session");
        write(&mut *record, facts()).await;
        record.close().await;
        id
    }

    /// The logs of all sessions, without their records.
    fn logs(&self) -> BTreeMap<String, Vec<u8>> {
        let mut all = tree(self.data.path());
        all.retain(|name, _| !name.starts_with("sessions/") && !name.starts_with("projecting/"));
        all
    }

    fn is_marked(&self, id: SessionId) -> bool {
        let marker = self.data.path().join("projecting").join(id.to_string());
        fs::metadata(marker).is_ok_and(|found| found.len() != 0)
    }

    async fn exported(&self, id: SessionId, format: Format) -> TempDir {
        let out = TempDir::new().expect("a folder for tests");
        let settings = LogSettings::default();
        for _ in 0..2 {
            let done = export_with(
                &self.files,
                id,
                format,
                out.path(),
                &settings,
                &TestProjection::factory(),
            )
            .await;
            let done = done.expect("it can be exported");
            assert!(done.files.iter().all(|file| file.is_file()), "{done:?}");
            assert_eq!(done.damage, None);
        }
        out
    }
}

/// The folder with nothing but what an export of this format makes.
fn alone(data: &Path, id: SessionId, format: Format) -> BTreeMap<String, Vec<u8>> {
    match format {
        Format::Ufo => {
            let found = crate::log_path::session_logs(data, id).expect("it can be looked for");
            tree(&found.iter().find(|(it, _)| *it == format).expect("it is there").1)
        }
        Format::PyCatan => tree(&data.join("llm")),
        Format::Gelab => {
            let traces = tree(&data.join("traces"));
            traces.into_iter().map(|(name, bytes)| (format!("traces/{name}"), bytes)).collect()
        }
        Format::Html => tree(&data.join("reports")),
        Format::Film => tree(&data.join("films")),
    }
}

#[tokio::test]
async fn what_is_written_live_is_what_is_exported() {
    for make_projection in [TestProjection::factory(), Arc::new(make_projection)] {
        let rig = rig(Arc::clone(&make_projection));
        let id = rig.session().await;
        assert!(!rig.is_marked(id));
        for format in Format::LIVE {
            let out = TempDir::new().unwrap();
            let settings = LogSettings::default();
            for _ in 0..2 {
                let done =
                    export_with(&rig.files, id, format, out.path(), &settings, &make_projection)
                        .await
                        .unwrap();
                assert!(done.files.iter().all(|file| file.is_file()), "{done:?}");
                let (exported, live) = (tree(out.path()), alone(rig.data.path(), id, format));
                assert_eq!(exported.keys().collect::<Vec<_>>(), live.keys().collect::<Vec<_>>());
                assert!(exported == live, "{format}");
                assert!(!exported.is_empty());
            }
        }
    }
}

/// Killed after any event, with whatever was written by then; half of the times nobody goes on
/// until the next start.
#[tokio::test]
async fn wherever_a_process_is_killed_the_logs_end_up_the_same() {
    let entries = facts();
    for killed in (1..entries.len()).step_by(5) {
        let rig = rig(Arc::new(make_projection));
        let id = SessionId::new();
        let mut record = rig.logs.create(&id).await.unwrap();
        write(&mut *record, entries[..killed].to_vec()).await;
        // No close and no goodbye: the projector is stopped wherever it is.
        rig.logs.shared.cancel(id);
        drop(record);
        assert!(rig.is_marked(id));
        let next = LoggingJournal::new(
            Arc::new(rig.files.clone()),
            rig.data.path(),
            LogSettings::default(),
        );
        if killed % 2 == 0 {
            while next.catch_up().await == 0 {
                tokio::task::yield_now().await;
            }
        }
        let mut record = next.open(&id, &mut |_| {}).await.unwrap();
        write(&mut *record, entries[killed..].to_vec()).await;
        record.close().await;
        assert!(!rig.is_marked(id));
        for format in Format::LIVE {
            let out = TempDir::new().unwrap();
            let settings = LogSettings::default();
            crate::export(&rig.files, id, format, out.path(), &settings).await.unwrap();
            let same = tree(out.path()) == alone(rig.data.path(), id, format);
            assert!(same, "{format}, killed after {killed}");
        }
    }
}

#[tokio::test]
async fn what_a_killed_process_left_is_completed() {
    let rig = rig(TestProjection::factory());
    rig.session().await;
    let whole = rig.logs();
    // Killed at once: nothing but the mark.
    let data = TempDir::new().unwrap();
    let second = rig_in(data, TestProjection::factory());
    let id = plain_session(second.data.path()).await;
    PendingMarker::set_pending(second.data.path(), id).await.unwrap();
    assert_eq!(second.logs.catch_up().await, 1);
    assert!(!second.is_marked(id));
    assert_eq!(second.logs().len(), whole.len() - 1, "all but the note which is the current one");
    assert_eq!(second.logs.catch_up().await, 0);
    // Killed later: some files torn, some missing.
    let whole = second.logs();
    for (number, name) in whole.keys().enumerate() {
        // Who made a folder has named it; a picture gets its name when it is whole.
        if name.ends_with(".session") {
            continue;
        }
        let path = second.data.path().join(name);
        match number % 3 {
            0 => fs::remove_file(&path).unwrap(),
            1 if !name.contains("images") => {
                fs::write(&path, &whole[name][..whole[name].len() / 2]).unwrap();
            }
            _ => {}
        }
    }
    PendingMarker::set_pending(second.data.path(), id).await.unwrap();
    second.logs.catch_up().await;
    let again = second.logs();
    assert!(again == whole, "{:?}\nis not\n{:?}", again.keys(), whole.keys());
}

#[tokio::test]
async fn a_session_that_goes_on_is_gone_on_with() {
    let rig = rig(TestProjection::factory());
    let id = rig.session().await;
    let mut before = 0;
    let mut record = rig.logs.open(&id, &mut |_| before += 1).await.unwrap();
    let again = facts().split_off(1);
    write(&mut *record, again).await;
    record.close().await;
    assert!(before < rig.files.read(&id).await.unwrap().len());
    let out = rig.exported(id, Format::PyCatan).await;
    assert_eq!(tree(out.path()), tree(&rig.data.path().join("llm")));
}

#[tokio::test]
async fn sessions_of_one_name_have_a_folder_each() {
    let rig = rig(TestProjection::factory());
    let (first, second) = (rig.session().await, rig.session().await);
    let folder = |id| crate::log_path::session_logs(rig.data.path(), id).unwrap()[0].1.clone();
    assert_ne!(folder(first), folder(second));
    assert_eq!(
        folder(second).file_name().unwrap().to_str().unwrap().rsplit_once('_').unwrap().1,
        "2"
    );
    rig.logs.remove(&first).await.unwrap();
    let record = rig.logs.open(&second, &mut |_| {}).await.unwrap();
    record.close().await;
    assert_eq!(
        crate::log_path::session_logs(rig.data.path(), second).unwrap().len(),
        2,
        "it keeps its own"
    );
}

#[tokio::test]
async fn nothing_is_left_of_a_removed_session() {
    let rig = rig(TestProjection::factory());
    let (first, second) = (rig.session().await, rig.session().await);
    let before = rig.logs();
    rig.logs.remove(&second).await.unwrap();
    let text = second.to_string();
    for (name, bytes) in tree(rig.data.path()) {
        assert!(!name.contains(&text), "{name}");
        assert!(!String::from_utf8_lossy(&bytes).contains(&text), "{name}");
    }
    assert!(rig.logs().len() < before.len());
    assert!(!rig.data.path().join("llm/current_session.txt").exists());
    rig.logs.remove(&first).await.unwrap();
    assert_eq!(tree(rig.data.path()).into_keys().collect::<Vec<_>>(), [""; 0]);
    // One that is being written stays, with its logs.
    let id = SessionId::new();
    let mut record = rig.logs.create(&id).await.unwrap();
    write(&mut *record, facts()).await;
    assert!(matches!(rig.logs.remove(&id).await, Err(JournalError::Busy(_))));
    record.close().await;
    assert_eq!(crate::log_path::session_logs(rig.data.path(), id).unwrap().len(), 2);
}

#[tokio::test]
async fn a_removal_that_was_broken_off_is_completed() {
    let rig = rig(TestProjection::factory());
    let id = rig.session().await;
    PendingMarker::set_pending(rig.data.path(), id).await.unwrap();
    rig.files.remove(&id).await.unwrap();
    rig.logs.catch_up().await;
    let left: Vec<_> = rig.logs().into_keys().collect();
    assert_eq!(left, [""; 0]);
}

#[tokio::test]
async fn exports_respect_what_is_there() {
    let rig = rig(TestProjection::factory());
    let (first, second) = (rig.session().await, rig.session().await);
    let out = rig.exported(first, Format::Ufo).await;
    let settings = LogSettings::default();
    let make_projection = TestProjection::factory();
    let refused =
        export_with(&rig.files, second, Format::Ufo, out.path(), &settings, &make_projection)
            .await
            .unwrap_err();
    assert!(refused.to_string().contains(&first.to_string()), "{refused}");
    let strange = TempDir::new().unwrap();
    fs::write(strange.path().join("response.log"), "mine").unwrap();
    let refused =
        export_with(&rig.files, first, Format::Ufo, strange.path(), &settings, &make_projection);
    refused.await.unwrap_err();
    assert_eq!(fs::read(strange.path().join("response.log")).unwrap(), b"mine");
}

#[test]
fn every_kind_of_event_is_in_the_sample() {
    assert!(facts().iter().any(|entry| matches!(entry.fact, Fact::SessionEnd(_))));
}

/// What a long session costs: `cargo nextest run -p ayeaye-export long --run-ignored all --no-capture`.
#[tokio::test]
#[ignore = "a measurement"]
#[expect(clippy::print_stderr, reason = "a measurement is to be seen")]
async fn a_long_session_is_caught_up_with_in_flat_memory() {
    let memory = || {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
        line.to_owned()
    };
    let rig = rig(Arc::new(make_projection));
    let id = SessionId::new();
    let all = facts();
    let steps = |entries: &[RecordEntry]| {
        entries.iter().filter(|entry| matches!(entry.fact, Fact::StepStart(_))).count()
    };
    let mut record = rig.files.create(&id).await.unwrap();
    write(&mut *record, all.clone()).await;
    let (mut written, inner) = (steps(&all), &all[2..all.len() - 1]);
    while written < 10_000 {
        let mut more = inner.to_vec();
        for entry in &mut more {
            entry.step = entry.step.map(|step| step + u32::try_from(written).unwrap());
        }
        write(&mut *record, more).await;
        written += steps(inner);
    }
    record.close().await;
    eprintln!("{written} steps, {}", memory());
    for round in ["first", "again"] {
        let begun = Instant::now();
        PendingMarker::set_pending(rig.data.path(), id).await.unwrap();
        assert_eq!(rig.logs.catch_up().await, 1);
        eprintln!("{round}: {:?}, {}", begun.elapsed(), memory());
    }
}
