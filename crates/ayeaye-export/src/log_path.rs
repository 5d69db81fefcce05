//! Where the log of a session lies, in each format.
//!
//! UFO and PyCatan give each session a folder whose name says nothing about whose it is: two
//! sessions can have the same task name, or begin in the same second. So each such folder holds a
//! file, `.session`, with the session's id; a log has no other name that begins with a dot. It is the one
//! file of a log that is put on the disk by force: without it nobody would find the rest again.
mod own_files;

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ayeaye_agent::SessionId;
use ayeaye_agent::bounded_file::bounded_file;
use ayeaye_agent::journal::{Event, Fact};
use ayeaye_agent::private_files::{
    make_private_file, private_options, sync_file, sync_folder, write_whole as replace_whole,
};
use jiff::SignedDuration;

use crate::folder::{FolderError, create_private_dir, io_error, remove_if_exists, write_whole};
use crate::formats::Format;

/// Names the session a folder belongs to.
const OWNER_FILE: &str = ".session";
/// By these a folder is known to hold a log of UFO's.
const UFO_FILES: [&str; 4] = ["response.log", "request.log", "evaluation.log", "output.md"];
/// Characters of a session's id.
const SESSION_ID_LEN: usize = 36;
/// Names PyCatan's folder that was begun last.
const CURRENT_FILE: &str = "current_session.txt";
/// Most bytes of these two: a name.
const MOST_BYTES: u64 = 4096;

/// The folder of one session's log in one format.
#[derive(Debug, Clone)]
pub(crate) struct LogPath {
    /// Below it, files are named by the projection.
    pub(crate) root: PathBuf,
    format: Format,
    id: SessionId,
}

impl LogPath {
    /// The place in the data folder; made and marked as this session's when it is not there.
    pub(crate) fn in_data(
        data: &Path,
        format: Format,
        id: SessionId,
        first: &Event,
    ) -> Result<Self, FolderError> {
        let format_dir = data.join(format_dir(format));
        let root = match base_name(format, id, first) {
            Some(name) => claim_folder(&format_dir, &name, id)?,
            None => format_dir,
        };
        Ok(Self { root, format, id })
    }

    /// The place in a folder that the user named for an export.
    pub(crate) fn in_export(
        out: &Path,
        format: Format,
        id: SessionId,
        first: &Event,
    ) -> Result<Self, FolderError> {
        let root = match format {
            Format::Ufo | Format::Html | Format::Film => out.to_owned(),
            Format::PyCatan => {
                out.join(base_name(format, id, first).expect("PyCatan's folder has a name"))
            }
            Format::Gelab => out.join("traces"),
        };
        create_private_dir(&root, true)?;
        if has_own_folder(format) {
            // The user's folder may hold other things, but not another log.
            claim(&root, id, |name| UFO_FILES.contains(&name))?;
        }
        Ok(Self { root, format, id })
    }

    /// Says that this is the log that is being written.
    pub(crate) fn mark_current(&self) -> Result<(), FolderError> {
        if self.format != Format::PyCatan {
            return Ok(());
        }
        let (Some(format_dir), Some(name)) = (self.root.parent(), self.root.file_name()) else {
            return Ok(());
        };
        let part = format_dir.join(format!(".part-{}", self.id));
        write_whole(&part, &format_dir.join(CURRENT_FILE), name.as_encoded_bytes())
    }

    /// Removes what was written there, which has names as [`own_files`](crate::formats::Log::own_files) says. The folder
    /// and what others have put there stay, and it stays this session's.
    pub(crate) fn remove(&self, own_files: &[&str]) -> Result<(), FolderError> {
        let id = self.id.to_string();
        remove_if_exists(&self.root.join(format!(".part-{id}")))?;
        let name = (!has_own_folder(self.format)).then_some(id.as_str());
        own_files::remove_own(&self.root, own_files, name)
    }
}

/// Removes every log of a session from the data folder, whatever the settings say today.
pub(crate) fn remove_logs(data: &Path, id: SessionId) -> Result<(), FolderError> {
    for format in Format::ALL {
        let format_dir = data.join(format_dir(format));
        if !has_own_folder(format) {
            for file in owned_in(&format_dir, format)?.iter().filter(|it| it.id == id) {
                remove_if_exists(&file.path)?;
            }
            continue;
        }
        for folder in folders_of(&format_dir, format, id)? {
            remove_folder(&folder)?;
            let current = format_dir.join(CURRENT_FILE);
            let name = folder.file_name().unwrap_or_default().as_encoded_bytes();
            if format == Format::PyCatan
                && bounded_file(&current, MOST_BYTES).is_ok_and(|it| it == name)
            {
                remove_if_exists(&current)?;
            }
        }
        remove_if_exists(&format_dir.join(format!(".part-{id}")))?;
    }
    Ok(())
}

/// The logs of a session that are in the data folder.
pub fn session_logs(data: &Path, id: SessionId) -> Result<Vec<(Format, PathBuf)>, FolderError> {
    let mut found = Vec::new();
    for format in Format::ALL {
        let format_dir = data.join(format_dir(format));
        match format {
            Format::Ufo | Format::PyCatan => {
                let own = folders_of(&format_dir, format, id)?;
                found.extend(own.into_iter().map(|folder| (format, folder)));
            }
            Format::Gelab => found.push((format, format_dir.join(format!("{id}.jsonl")))),
            Format::Html => found.push((format, format_dir.join(format!("{id}.html")))),
            Format::Film => found.push((format, format_dir.join(format!("{id}.gif")))),
        }
    }
    found.retain(|(_, path)| path.exists());
    Ok(found)
}

/// The folders of a session's log. Mostly it has one of a few names: only where none of these is the session's is every
/// folder looked into.
fn folders_of(
    format_dir: &Path,
    format: Format,
    id: SessionId,
) -> Result<Vec<PathBuf>, FolderError> {
    for name in likely_names(format, id) {
        let folder = format_dir.join(name);
        let is_folder = fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir());
        if is_folder && owner(&folder)? == Some(id) {
            return Ok(vec![folder]);
        }
    }
    let all = owned_in(format_dir, format)?.into_iter();
    Ok(all.filter(|it| it.id == id).map(|it| it.path).collect())
}

/// The names that the folder of a session mostly has: of a task without a name the session's own, and PyCatan's after
/// the second in which it began, or the next, where another session may have begun too.
fn likely_names(format: Format, id: SessionId) -> Vec<String> {
    match (format, id.created()) {
        (Format::Ufo, _) => vec![id.to_string()],
        (Format::PyCatan, Some(created)) => {
            let next = created.checked_add(SignedDuration::from_secs(1)).unwrap_or(created);
            let names = [created, next].map(crate::PyCatan::folder);
            names.into_iter().flat_map(|name| [name.clone(), format!("{name}_2")]).collect()
        }
        _ => Vec::new(),
    }
}

/// A folder or file, and the session whose log it is or belongs to.
#[derive(Debug)]
pub(crate) struct OwnedBy {
    pub(crate) id: SessionId,
    pub(crate) path: PathBuf,
}

/// What the sessions have in the folder of a format.
pub(crate) fn owned_in(format_dir: &Path, format: Format) -> Result<Vec<OwnedBy>, FolderError> {
    let below = folders(format_dir)?;
    let mut found = Vec::new();
    if has_own_folder(format) {
        for (_, path) in below {
            let owner = match owner(&path) {
                // Another user's: one such folder hides no others.
                Err(err) if err.is_denied() => continue,
                owner => owner?,
            };
            found.extend(owner.map(|id| OwnedBy { id, path }));
        }
        return Ok(found);
    }
    let below = below.into_iter().map(|(_, folder)| folder);
    for folder in std::iter::once(format_dir.to_owned()).chain(below) {
        let entries = match fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(err) if err.kind() == io::ErrorKind::NotFound => continue,
            Err(err) => return Err(io_error("list", &folder)(err)),
        };
        for entry in entries {
            let entry = entry.map_err(io_error("list", &folder))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let name = name.strip_prefix(".part-").unwrap_or(&name);
            // The id is at the beginning, and ends where another letter would make it another name.
            let rest = name.get(SESSION_ID_LEN..).unwrap_or_default();
            let id = name.get(..SESSION_ID_LEN).and_then(|id| id.parse().ok());
            if let Some(id) = id
                && !rest.starts_with(|c: char| c.is_ascii_alphanumeric())
            {
                found.push(OwnedBy { id, path: entry.path() });
            }
        }
    }
    Ok(found)
}

/// Folders of the formats in the data folder.
pub(crate) const fn format_dir(format: Format) -> &'static str {
    match format {
        Format::Ufo => "logs",
        Format::PyCatan => "llm",
        Format::Gelab => "traces",
        Format::Html => "reports",
        Format::Film => "films",
    }
}

/// Whether a session has a folder of its own; else its files bear its id.
const fn has_own_folder(format: Format) -> bool {
    match format {
        Format::Ufo | Format::PyCatan => true,
        Format::Gelab | Format::Html | Format::Film => false,
    }
}

/// The name of a session's folder, if nobody else has it.
fn base_name(format: Format, id: SessionId, first: &Event) -> Option<String> {
    match (format, &first.entry.fact) {
        (Format::Ufo, Fact::SessionStart(start)) => Some(folder_name(&start.task_name, id)),
        (Format::Ufo, _) => Some(id.to_string()),
        (Format::PyCatan, _) => Some(crate::PyCatan::folder(first.ts)),
        (Format::Gelab | Format::Html | Format::Film, _) => None,
    }
}

/// A task's name as a folder's, as UFO makes it: what is not a letter, digit, `.`, `_` or `-`
/// becomes `_`, and it does not begin with a dot.
fn folder_name(task: &str, id: SessionId) -> String {
    let name: String = task
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '_' })
        .skip_while(|c| *c == '.')
        .take(100)
        .collect();
    if name.is_empty() { id.to_string() } else { name }
}

/// The folder of this session among those that would have the same name, or a new one.
fn claim_folder(format_dir: &Path, name: &str, id: SessionId) -> Result<PathBuf, FolderError> {
    create_private_dir(format_dir, true)?;
    let same_name = |other: &str| {
        other == name
            || other
                .strip_prefix(name)
                .and_then(|rest| rest.strip_prefix('_'))
                .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
    };
    for (_, folder) in folders(format_dir)?.into_iter().filter(|(name, _)| same_name(name)) {
        match owner(&folder) {
            Ok(Some(owner)) if owner == id => return Ok(folder),
            Ok(_) => {}
            // Another user's: it is passed by, and the next number taken.
            Err(err) if err.is_denied() => {}
            Err(err) => return Err(err),
        }
    }
    for number in 1_u32.. {
        let folder = format_dir.join(match number {
            1 => name.to_owned(),
            _ => format!("{name}_{number}"),
        });
        let was_there = fs::symlink_metadata(&folder).is_ok();
        match create_private_dir(&folder, false).and_then(|()| claim(&folder, id, |_| true)) {
            Ok(()) => return Ok(folder),
            Err(FolderError::InUse { .. } | FolderError::NotAFolder(_)) => {}
            Err(err) if was_there && err.is_denied() => {}
            Err(err) => return Err(err),
        }
    }
    unreachable!("there are fewer folders than numbers")
}

/// Makes a folder this session's. One that belongs to another session, or holds a file whose name is foreign, is left
/// alone.
fn claim(
    folder: &Path,
    id: SessionId,
    is_foreign: impl Fn(&str) -> bool,
) -> Result<(), FolderError> {
    if !fs::symlink_metadata(folder).is_ok_and(|found| found.is_dir()) {
        return Err(FolderError::NotAFolder(folder.to_owned()));
    }
    let taken = |by: Option<SessionId>| FolderError::InUse { path: folder.to_owned(), by };
    match owner(folder)? {
        Some(owner) if owner == id => return Ok(()),
        Some(owner) => return Err(taken(Some(owner))),
        None => {}
    }
    let path = folder.join(OWNER_FILE);
    for entry in fs::read_dir(folder).map_err(io_error("list", folder))? {
        let name = entry.map_err(io_error("list", folder))?.file_name();
        let name = name.to_string_lossy();
        // What a crash has left of a claim is no claim.
        if name != OWNER_FILE && is_foreign(&name) {
            return Err(taken(None));
        }
    }
    match make_private_file(&path, private_options().write(true)) {
        Ok(mut file) => writeln!(file, "{id}")
            .and_then(|()| sync_file(&file))
            .and_then(|()| sync_folder(folder))
            .map_err(io_error("write", &path)),
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => match owner(folder)? {
            Some(owner) if owner == id => Ok(()),
            Some(owner) => Err(taken(Some(owner))),
            None => replace_whole(&path, format!("{id}\n").as_bytes(), true)
                .map_err(io_error("write", &path)),
        },
        Err(err) => Err(io_error("write", &path)(err)),
    }
}

/// Whose folder it is, if that is said in it. Where a loss of power has taken what was said, a folder that has a
/// session's id for its name, as UFO's have where the task has none, is that session's.
fn owner(folder: &Path) -> Result<Option<SessionId>, FolderError> {
    let path = folder.join(OWNER_FILE);
    match bounded_file(&path, MOST_BYTES) {
        Ok(text) => {
            let said = str::from_utf8(&text).ok().and_then(|text| text.trim().parse().ok());
            Ok(said.or_else(|| folder.file_name()?.to_str()?.parse().ok()))
        }
        // What is no file, or longer than a name, was not written here.
        Err(err) if matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::Other) => {
            Ok(None)
        }
        Err(err) => Err(io_error("read", &path)(err)),
    }
}

/// The folders in a folder, which need not exist.
fn folders(format_dir: &Path) -> Result<Vec<(String, PathBuf)>, FolderError> {
    let entries = match fs::read_dir(format_dir) {
        Ok(entries) => entries,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(err) => return Err(io_error("list", format_dir)(err)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(io_error("list", format_dir))?;
        let is_folder = entry.file_type().map_err(io_error("list", format_dir))?.is_dir();
        if let (true, Ok(name)) = (is_folder, entry.file_name().into_string()) {
            found.push((name, entry.path()));
        }
    }
    found.sort_unstable();
    Ok(found)
}

/// Removes a folder with all that is in it; links in it are removed, not followed.
fn remove_folder(folder: &Path) -> Result<(), FolderError> {
    match fs::remove_dir_all(folder) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => Err(io_error("remove", folder)(err)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_with_a_sessions_name_is_found_again_after_a_loss_of_power() {
        let data = tempfile::tempdir().unwrap();
        let (id, other) = (SessionId::new(), SessionId::new());
        let format_dir = data.path().join("logs");
        // What was written is gone, or was never put in place of zeros.
        for left in ["", "\0\0\0"] {
            let folder = claim_folder(&format_dir, &id.to_string(), id).unwrap();
            fs::write(folder.join("response.log"), "{}\n").unwrap();
            fs::write(folder.join(OWNER_FILE), left).unwrap();
            assert_eq!(claim_folder(&format_dir, &id.to_string(), id).unwrap(), folder);
            assert_eq!(session_logs(data.path(), id).unwrap(), [(Format::Ufo, folder.clone())]);
            assert_eq!(owned_in(&format_dir, Format::Ufo).unwrap()[0].id, id);
            remove_logs(data.path(), other).unwrap();
            assert!(folder.exists());
            remove_logs(data.path(), id).unwrap();
            assert!(!folder.exists());
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_says_whose_a_folder_is_and_has_no_end_is_not_read() {
        let data = tempfile::tempdir().unwrap();
        let id = SessionId::new();
        let format_dir = data.path().join("logs");
        let theirs = format_dir.join("theirs");
        fs::create_dir_all(&theirs).unwrap();
        std::os::unix::fs::symlink("/dev/zero", theirs.join(OWNER_FILE)).unwrap();
        let folder = claim_folder(&format_dir, "task", id).unwrap();
        assert_eq!(session_logs(data.path(), id).unwrap(), [(Format::Ufo, folder.clone())]);
        remove_logs(data.path(), id).unwrap();
        assert!(!folder.exists() && theirs.exists());
    }

    /// Whatever is wrong with a folder of another session: the own ones are found by their names.
    #[cfg(unix)]
    #[test]
    fn folders_with_the_usual_names_are_found_without_a_look_into_others() {
        let data = tempfile::tempdir().unwrap();
        let (id, other) = (SessionId::new(), SessionId::new());
        let second = crate::PyCatan::folder(id.created().unwrap());
        let mut own = Vec::new();
        for (format, name) in [(Format::Ufo, id.to_string()), (Format::PyCatan, second)] {
            let format_dir = data.path().join(format_dir(format));
            if format == Format::PyCatan {
                claim_folder(&format_dir, &name, other).unwrap();
            }
            own.push((format, claim_folder(&format_dir, &name, id).unwrap()));
            let theirs = claim_folder(&format_dir, "theirs", other).unwrap().join(OWNER_FILE);
            fs::remove_file(&theirs).unwrap();
            std::os::unix::fs::symlink(&theirs, &theirs).unwrap();
        }
        assert_eq!(session_logs(data.path(), id).unwrap(), own);
        session_logs(data.path(), SessionId::new()).unwrap_err();
        remove_logs(data.path(), id).unwrap();
        assert!(own.iter().all(|(_, folder)| !folder.exists()));
        assert!(
            data.path().join("logs/theirs").exists() && data.path().join("llm/theirs").exists()
        );
        assert_eq!(fs::read_dir(data.path().join("llm")).unwrap().count(), 2);
    }

    #[test]
    fn a_folder_of_the_users_is_nobodys_log_whatever_its_name() {
        let out = tempfile::tempdir().unwrap();
        let id = SessionId::new();
        let folder = out.path().join(id.to_string());
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("response.log"), "").unwrap();
        assert_eq!(owner(&folder).unwrap(), None);
        let refused = claim(&folder, id, |name| UFO_FILES.contains(&name));
        assert!(matches!(refused, Err(FolderError::InUse { by: None, .. })), "{refused:?}");
    }
}
