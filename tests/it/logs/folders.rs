//! The logs of one session as they lie in the data folder, and as an export makes them.
use std::collections::BTreeMap;
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::Duration;

use ayeaye_agent::SessionId;
use ayeaye_agent::journal::{FileJournal, SyncPolicy};
use ayeaye_export::{Format, Images, LogSettings};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::within;

/// Contents by name, relative to some folder.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Every file below a folder.
pub fn files(folder: &Path) -> Files {
    let mut found = Files::new();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    for entry in entries {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        if path.is_dir() {
            let below = files(&path).into_iter();
            found.extend(below.map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)));
        } else if path.is_file() {
            // And no socket.
            found.insert(name, fs::read(&path).unwrap());
        }
    }
    found
}

/// Waits until the logs of a session are complete: the mark beside them is empty, and nobody who is
/// only about to write holds it.
pub async fn complete(data: &Path, session: &str) {
    let mark = data.join("projecting").join(session);
    let through = || {
        let Ok(file) = File::open(&mark) else { return false };
        let empty = file.metadata().unwrap().len() == 0;
        empty && !matches!(file.try_lock(), Err(TryLockError::WouldBlock))
    };
    within(30, "complete logs", async {
        let mut tick = tokio::time::interval(Duration::from_millis(5));
        while !through() {
            tick.tick().await;
        }
    })
    .await;
}

/// The logs in the data folder, named as an export names them.
pub fn live(data: &Path, id: SessionId) -> BTreeMap<Format, Files> {
    let mut live = BTreeMap::new();
    for (format, path) in ayeaye_export::session_logs(data, id).unwrap() {
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        let found = match format {
            Format::Ufo => files(&path),
            Format::PyCatan => {
                let below = files(&path).into_iter();
                let mut found: Files =
                    below.map(|(inner, bytes)| (format!("{name}/{inner}"), bytes)).collect();
                found.insert("current_session.txt".to_owned(), name.into_bytes());
                found
            }
            Format::Gelab => {
                let all = files(&data.join("traces")).into_iter();
                let ours = all.filter(|(name, _)| name.contains(&id.to_string()));
                ours.map(|(name, bytes)| (format!("traces/{name}"), bytes)).collect()
            }
            Format::Html | Format::Film => Files::from([(name, fs::read(&path).unwrap())]),
        };
        live.insert(format, found);
    }
    live
}

/// Waits for the logs of a session and compares them, all that are written live, with those that an export makes of
/// its record: into a new folder, and once more into the same.
pub async fn same_twice(data: &Path, session: &str, images: Images) {
    complete(data, session).await;
    let id: SessionId = session.parse().unwrap();
    let journal = FileJournal::new(data, ayeaye::clock::system(), SyncPolicy::Never);
    let settings = LogSettings { images, ..LogSettings::default() };
    let live = live(data, id);
    assert_eq!(live.keys().copied().collect::<Vec<_>>(), Format::LIVE);
    for (format, live) in live {
        let out = TempDir::new().unwrap();
        for time in ["once", "again"] {
            let exported =
                ayeaye_export::export(&journal, id, format, out.path(), &settings).await.unwrap();
            assert_eq!(exported.damage, None);
            let made = files(out.path());
            let names = |files: &Files| files.keys().cloned().collect::<Vec<_>>();
            assert_eq!(names(&live), names(&made), "{format}, exported {time}");
            for (name, bytes) in &live {
                assert!(made[name] == *bytes, "{format}, exported {time}: {name} differs");
            }
        }
    }
}

/// Every line of a file of JSON lines; ASCII, so that one cut anywhere stays UTF-8.
pub fn json_lines(bytes: &[u8]) -> Vec<Value> {
    let text = std::str::from_utf8(bytes).unwrap();
    assert!(text.is_ascii());
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}
