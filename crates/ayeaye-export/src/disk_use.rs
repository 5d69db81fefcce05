//! How much room sessions take: their records, and their logs in each format.
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::Path;

use ayeaye_agent::SessionId;

use crate::folder::{FolderError, io_error};
use crate::formats::Format;
use crate::log_path::{OwnedBy, format_dir, owned_in};

/// Disks keep files in blocks; this is what most of them use.
const BLOCK: u64 = 4096;
/// No log is deeper; whatever is was put there by somebody else.
const DEEPEST: u32 = 8;

/// The room a session takes, in bytes, each file in whole blocks of 4096. A file that is linked, such as a
/// picture of the record in a log, counts once, where it is met first: in the record, then in the logs in
/// their order. (On Windows it counts in each.)
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DiskUse {
    /// The record with its pictures.
    pub record: u64,
    /// The logs that are there.
    pub logs: Vec<(Format, u64)>,
}

impl DiskUse {
    /// All of it.
    pub fn total(&self) -> u64 {
        self.logs.iter().fold(self.record, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }
}

/// The room of every session in the data folder, also of one of which only logs are left.
pub fn disk_use(data: &Path) -> Result<BTreeMap<SessionId, DiskUse>, FolderError> {
    let mut counted = Counted::default();
    let mut found: BTreeMap<SessionId, DiskUse> = BTreeMap::new();
    let records = data.join("sessions");
    for entry in entries(&records)? {
        let entry = entry.map_err(io_error("list", &records))?;
        let id = entry.file_name().to_str().and_then(|name| name.parse().ok());
        if let Some(id) = id {
            found.entry(id).or_default().record += counted.size(&entry.path(), DEEPEST)?;
        }
    }
    for format in Format::ALL {
        for OwnedBy { id, path } in owned_in(&data.join(format_dir(format)), format)? {
            let bytes = counted.size(&path, DEEPEST)?;
            let logs = &mut found.entry(id).or_default().logs;
            match logs.iter_mut().find(|(known, _)| *known == format) {
                Some((_, sum)) => *sum += bytes,
                None => logs.push((format, bytes)),
            }
        }
    }
    Ok(found)
}

/// The linked files that have been counted, by device and number.
#[derive(Debug, Default)]
struct Counted(
    #[cfg_attr(not(unix), expect(dead_code, reason = "without numbers of files"))]
    HashSet<(u64, u64)>,
);

impl Counted {
    /// Of a file, or of all files in a folder. What goes away meanwhile takes nothing, and nor does what this user may not
    /// look into: one such folder is no reason to count none.
    fn size(&mut self, path: &Path, depth: u32) -> Result<u64, FolderError> {
        let found = match fs::symlink_metadata(path) {
            Ok(found) => found,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(0),
            Err(err) => return Err(io_error("look at", path)(err)),
        };
        if !found.is_dir() {
            return Ok(if self.is_new(&found) { found.len().div_ceil(BLOCK) * BLOCK } else { 0 });
        }
        let mut sum = 0;
        if 0 < depth {
            let entries = match entries(path) {
                Err(err) if err.is_denied() => return Ok(0),
                entries => entries?,
            };
            for entry in entries {
                let entry = entry.map_err(io_error("list", path))?;
                sum += self.size(&entry.path(), depth - 1)?;
            }
        }
        Ok(sum)
    }

    #[cfg(unix)]
    fn is_new(&mut self, found: &fs::Metadata) -> bool {
        use std::os::unix::fs::MetadataExt as _;
        found.nlink() < 2 || self.0.insert((found.dev(), found.ino()))
    }

    #[cfg(not(unix))]
    #[expect(clippy::unused_self, reason = "the same shape as on Unix")]
    fn is_new(&mut self, _: &fs::Metadata) -> bool {
        true
    }
}

/// What is in a folder, which need not exist.
fn entries(folder: &Path) -> Result<impl Iterator<Item = io::Result<fs::DirEntry>>, FolderError> {
    match fs::read_dir(folder) {
        Ok(entries) => Ok(Some(entries).into_iter().flatten()),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(None.into_iter().flatten()),
        Err(err) => Err(io_error("list", folder)(err)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn put(path: &Path, bytes: usize) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, vec![b'x'; bytes]).unwrap();
    }

    #[test]
    fn each_file_counts_once_and_for_its_session() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path();
        assert_eq!(disk_use(data).unwrap(), BTreeMap::new());
        let (one, other) = (SessionId::new(), SessionId::new());
        let picture = data.join(format!("sessions/{one}/blobs/aa/picture.jpg"));
        put(&data.join(format!("sessions/{one}/events.jsonl")), 4097);
        put(&picture, 100);
        fs::create_dir_all(data.join("traces/images")).unwrap();
        fs::hard_link(&picture, data.join(format!("traces/images/{one}_step_1.jpeg"))).unwrap();
        put(&data.join(format!("traces/{one}.jsonl")), 1);
        put(&data.join(format!("reports/{one}.html")), 5000);
        put(&data.join(format!("reports/.part-{one}.html")), 1);
        put(&data.join("logs/a task/.session"), 0);
        fs::write(data.join("logs/a task/.session"), format!("{one}\n")).unwrap();
        put(&data.join("logs/a task/xml/action_step0.xml"), 1);
        put(&data.join("logs/somebody's/response.log"), 9999);
        put(&data.join(format!("reports/{other}.html")), 1);
        put(&data.join("sessions/notes.txt"), 9999);

        let all = disk_use(data).unwrap();
        let linked = if cfg!(unix) { 1 } else { 2 };
        let own = DiskUse {
            record: 3 * BLOCK,
            logs: vec![
                (Format::Ufo, 2 * BLOCK),
                (Format::Gelab, linked * BLOCK),
                (Format::Html, 3 * BLOCK),
            ],
        };
        assert_eq!(all[&one], own);
        assert_eq!(own.total(), (8 + linked) * BLOCK);
        assert_eq!(all[&other], DiskUse { record: 0, logs: vec![(Format::Html, BLOCK)] });
        assert_eq!(all.len(), 2);
    }
}
