//! Settings that sessions have changed on phones and not put back: a file a phone, there only while
//! there are any. The records of the sessions tell the same; this is how the next process finds it.
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

use super::folder::{private_folder, storage, write_whole};
use super::line::hex;
use crate::bounded_file::bounded_file;
use crate::journal::{DeviceRecord, JournalError, OpenChange};
use crate::private_files::{lock_within, remove_file};
use crate::{DeviceId, SettingChange};

const ENDING: &str = ".changes.json";
/// Most bytes of the file: thousands of settings.
const MOST_BYTES: u64 = 4 << 20;

/// How long another process may take to edit what is remembered.
const PATIENCE: Duration = Duration::from_secs(5);

/// The name of a phone's file. A serial may hold anything, so it is no file name itself.
fn file_name(device: &DeviceId) -> String {
    let digest = Sha256::digest(device.as_str().as_bytes());
    hex(&digest[..16])
}

#[derive(Serialize)]
struct KeptChanges<'a> {
    device: &'a str,
    changes: Vec<KeptChange>,
}

/// What is found in a file. One entry that cannot be read takes no other with it.
#[derive(Deserialize)]
struct FoundChanges {
    device: String,
    changes: Vec<Value>,
}

impl FoundChanges {
    fn open(&self) -> Vec<OpenChange> {
        // As texts again, so that there is one reader.
        let read = |entry: &Value| serde_json::from_str::<KeptChange>(&entry.to_string()).ok();
        self.changes.iter().filter_map(|entry| read(entry)?.open()).collect()
    }
}

#[derive(Serialize, Deserialize)]
struct KeptChange {
    session: String,
    #[serde(flatten)]
    change: SettingChange,
    #[serde(default, skip_serializing_if = "is_zero")]
    refusals: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    refused_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    driver: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    phone: Option<DeviceRecord>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}

impl From<OpenChange> for KeptChange {
    fn from(open: OpenChange) -> Self {
        let OpenChange { session, change, refusals, refused_at, driver, phone } = open;
        Self { session: session.to_string(), change, refusals, refused_at, driver, phone }
    }
}

impl KeptChange {
    fn open(self) -> Option<OpenChange> {
        let Self { session, change, refusals, refused_at, driver, phone } = self;
        let session = session.parse().ok()?;
        Some(OpenChange { session, change, refusals, refused_at, driver, phone })
    }
}

fn path(folder: &Path, device: &DeviceId) -> PathBuf {
    folder.join(file_name(device) + ENDING)
}

/// Replaces a phone's open changes. They are on disk when this returns.
pub(super) fn store(
    folder: &Path,
    device: &DeviceId,
    changes: Vec<OpenChange>,
) -> Result<(), JournalError> {
    let path = path(folder, device);
    if changes.is_empty() {
        return match remove_file(&path) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => Err(storage("remove", &path)(err)),
            _ => Ok(()),
        };
    }
    private_folder(folder, true).map_err(storage("make", folder))?;
    let changes = changes.into_iter().map(KeptChange::from).collect();
    let kept = KeptChanges { device: device.as_str(), changes };
    let text = serde_json::to_vec(&kept).map_err(|err| storage("write", &path)(err.into()))?;
    write_whole(&path, &text, true).map_err(storage("write", &path))
}

/// Waits for the lock on the open changes, which no other task or process holds until the returned file is dropped.
pub(super) async fn lock(folder: &Path) -> Result<File, JournalError> {
    let path = folder.join("lock");
    lock_within(&path, PATIENCE).await.map_err(storage("lock", &path))
}

/// A phone's open changes. A file that cannot be read counts as empty.
pub(super) fn load(folder: &Path, device: &DeviceId) -> Vec<OpenChange> {
    read(&path(folder, device)).map(|found| found.open()).unwrap_or_default()
}

/// A phone's open changes, to be edited. A file that cannot be read is an error, so that its content is not
/// overwritten. A file that is not ours, or has an entry that is none, is put aside, and the good entries are kept.
pub(super) fn load_to_edit(
    folder: &Path,
    device: &DeviceId,
) -> Result<Vec<OpenChange>, JournalError> {
    let path = path(folder, device);
    let text = match bounded_file(&path, MOST_BYTES) {
        Ok(text) => text,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(err) => return Err(storage("read", &path)(err)),
    };
    let found = serde_json::from_slice::<FoundChanges>(&text).ok();
    let kept = found.as_ref().map(FoundChanges::open).unwrap_or_default();
    if found.is_some_and(|found| found.changes.len() == kept.len()) {
        return Ok(kept);
    }
    let aside = path.with_added_extension("bad");
    keep_beside(&path, &aside).map_err(storage("put aside", &path))?;
    tracing::warn!(
        "{} is not what was written there: see it there for settings that nothing puts back now",
        aside.display()
    );
    // Until they are edited, and in case that fails.
    store(folder, device, kept.clone())?;
    Ok(kept)
}

/// Keeps what is in a file under another name too, in the place of what was there. The file stays until it is replaced:
/// on a full disk it may not be.
fn keep_beside(path: &Path, other: &Path) -> io::Result<()> {
    match remove_file(other) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(err),
        _ => {}
    }
    // A second name takes no room, but not every file system has them.
    fs::hard_link(path, other).or_else(|_| fs::copy(path, other).map(drop))
}

/// The phones that have open changes.
pub(super) fn devices(folder: &Path) -> Vec<DeviceId> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let files = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let ours = files.filter(|path| path.to_string_lossy().ends_with(ENDING));
    ours.filter_map(|path| Some(DeviceId::new(read(&path)?.device))).collect()
}

fn read(path: &Path) -> Option<FoundChanges> {
    let text = match bounded_file(path, MOST_BYTES) {
        Ok(text) => text,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return None,
        Err(err) => {
            tracing::warn!("{} cannot be read: {err}", path.display());
            return None;
        }
    };
    match serde_json::from_slice(&text) {
        Ok(kept) => Some(kept),
        Err(err) => {
            tracing::warn!("{} is not what was written there: {err}", path.display());
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SessionId;

    #[test]
    fn what_is_open_is_found_until_nothing_is() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("devices");
        let phone = DeviceId::new("../x:5555");
        assert_eq!((load(&folder, &phone), devices(&folder)), (Vec::new(), Vec::new()));
        let change = |before: Option<&str>| OpenChange {
            session: SessionId::new(),
            change: SettingChange {
                setting: "system/screen_off_timeout".to_owned(),
                before: before.map(str::to_owned),
                value: "1800000".to_owned(),
            },
            refusals: u32::from(before.is_none()),
            refused_at: before.is_none().then_some(Timestamp::UNIX_EPOCH),
            driver: before.map(|_| "d1".to_owned()),
            phone: before.map(|_| DeviceRecord {
                device_id: "../x:5555".to_owned(),
                model: "Pixel 7".to_owned(),
                android_version: "14".to_owned(),
                wm_size: [1080, 2400],
                serial_digest: Some("00ff".to_owned()),
            }),
        };
        let open = vec![change(Some("30000")), change(None)];
        store(&folder, &phone, open.clone()).unwrap();
        assert_eq!(load(&folder, &phone), open);
        assert_eq!(devices(&folder), std::slice::from_ref(&phone));
        fs::write(path(&folder, &DeviceId::new("other")), "{").unwrap();
        assert_eq!(devices(&folder), std::slice::from_ref(&phone), "a damaged file hides no other");
        store(&folder, &phone, Vec::new()).unwrap();
        store(&folder, &phone, Vec::new()).unwrap();
        assert_eq!(load(&folder, &phone), Vec::new());
    }

    #[test]
    fn what_cannot_be_read_is_not_written_over() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, phone) = (folder.path(), DeviceId::new("X"));
        let path = path(folder, &phone);
        fs::write(&path, "{\"device\": \"X\", \"cha").unwrap();
        assert_eq!(load(folder, &phone), Vec::new(), "who reads alone changes nothing");
        assert!(path.exists());
        assert_eq!(load_to_edit(folder, &phone).unwrap(), Vec::new());
        assert!(!path.exists() && path.with_added_extension("bad").exists());
        assert_eq!(devices(folder), Vec::new());
        // Not to be read for another reason than what it holds.
        fs::create_dir(&path).unwrap();
        let error = load_to_edit(folder, &phone).unwrap_err().to_string();
        assert!(error.contains("(read)"), "{error}");
    }

    #[test]
    fn one_entry_that_cannot_be_read_takes_no_other_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, phone) = (folder.path(), DeviceId::new("X"));
        let path = path(folder, &phone);
        let entry = |session: &str, setting: &str| {
            format!(r#"{{"session":"{session}","setting":"{setting}","before":"1","value":"0"}}"#)
        };
        let session = SessionId::new().to_string();
        let good = entry(&session, "c/d");
        for bad in [&*entry("newer:7", "a/b"), r#"{"setting":"a/b","before":"1"}"#, "7"] {
            let text = format!(r#"{{"device":"X","changes":[{bad},{good}]}}"#);
            fs::write(&path, &text).unwrap();
            for _ in 0..2 {
                let [kept] = load_to_edit(folder, &phone).unwrap().try_into().unwrap();
                assert_eq!(kept.change.setting, "c/d");
                assert_eq!(load(folder, &phone), [kept]);
            }
            store(folder, &phone, Vec::new()).unwrap();
            let aside = fs::read_to_string(path.with_added_extension("bad")).unwrap();
            assert_eq!(aside, text, "whole, and still there");
        }
    }

    /// Nothing is lost by a full disk or a process that ends, whenever it is.
    #[test]
    fn a_good_entry_is_there_at_every_moment() {
        let folder = tempfile::tempdir().unwrap();
        let (folder, phone) = (folder.path(), DeviceId::new("X"));
        let path = path(folder, &phone);
        let session = SessionId::new();
        let text = format!(
            r#"{{"device":"X","changes":[7,{{"session":"{session}","setting":"c/d","before":"1","value":"0"}}]}}"#
        );
        write_whole(&path, text.as_bytes(), false).unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        let stopped = || stop.load(std::sync::atomic::Ordering::Relaxed);
        std::thread::scope(|scope| {
            let looks = scope.spawn(|| {
                let mut is_whole = true;
                while is_whole && !stopped() {
                    is_whole = load(folder, &phone).len() == 1;
                }
                is_whole
            });
            let edit = || {
                write_whole(&path, text.as_bytes(), false)?;
                Ok(load_to_edit(folder, &phone).map_err(io::Error::other)?.len())
            };
            let edited: Vec<io::Result<usize>> = (0..30).map(|_| edit()).collect();
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(edited.iter().all(|it| matches!(it, Ok(1))), "{edited:?}");
            assert!(looks.join().unwrap());
        });
    }

    #[tokio::test]
    async fn who_edits_waits_for_whoever_does() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("devices");
        let held = lock(&folder).await.unwrap();
        let its = folder.clone();
        let mut waits = tokio::spawn(async move { lock(&its).await.is_ok() });
        assert!(tokio::time::timeout(Duration::from_millis(50), &mut waits).await.is_err());
        drop(held);
        assert!(waits.await.unwrap());
    }

    #[tokio::test(start_paused = true)]
    async fn who_edits_is_told_of_another_process_that_does_not_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let _held = lock(folder.path()).await.unwrap();
        let error = lock(folder.path()).await.unwrap_err();
        assert!(crate::error_chain(&error).contains("end it"), "{error}");
    }
}
