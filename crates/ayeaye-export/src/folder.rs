//! Carries file operations out below one folder.
//!
//! Everything may have been done before: by this process, or by one that was killed in the middle.
//! What is there already stays, what was cut short is completed, and files end up with the same bytes
//! however often it was interrupted. Nothing is put on the disk by force: a log that a crash of the
//! machine has spoiled is noticed by what it holds and made anew from the record.
#[cfg(test)]
mod tests;

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use ayeaye_agent::SessionId;
use ayeaye_agent::journal::BlobRef;
use ayeaye_agent::private_files::{
    make_private_file, open_private_file, private_folder, private_options, remove_file,
    replace_file,
};

use crate::projection::{Blobs, Content, FileOp};

/// Files below one folder, as they grow.
#[derive(Debug)]
pub struct Folder {
    root: PathBuf,
    /// Where a file is made before it gets its name. The name is nobody else's: no path of an
    /// operation begins with a dot.
    part: PathBuf,
    overwrite: bool,
    /// How far each growing file has to be by the operations so far.
    growing: BTreeMap<String, GrowingFile>,
    /// Files that may be linked to, by the key of what they hold; the latest.
    linkable: VecDeque<(String, PathBuf)>,
    /// Contents of which only the last counts, until [`flush`](Self::flush).
    replaced: BTreeMap<String, Content>,
    /// Every file there is, when they are written afresh.
    written: BTreeSet<String>,
}

/// Why an operation was not carried out.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum FolderError {
    /// The files have to be removed and made anew from the first event.
    #[error("{} was changed by somebody else", .0.display())]
    Inconsistent(PathBuf),
    #[error("`{0}` is no name for a file of a log")]
    Name(String),
    #[error("{} is a symbolic link or no folder, and is not followed", .0.display())]
    NotAFolder(PathBuf),
    #[error("{} {}", path.display(), describe_owner(by.as_ref()))]
    InUse { path: PathBuf, by: Option<SessionId> },
    #[error("cannot {doing} {}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
}

impl FolderError {
    /// Whether this user may not look at it.
    pub(crate) fn is_denied(&self) -> bool {
        let Self::Io { source, .. } = self else { return false };
        source.kind() == io::ErrorKind::PermissionDenied
    }
}

/// A file that grows.
#[derive(Debug, Clone, Copy)]
struct GrowingFile {
    /// Where the next bytes go.
    end: u64,
    /// What follows there until they do: the closing bracket of an array.
    tail: &'static [u8],
}

/// The last screen of a run is that of a step shortly before.
const MAX_LINKABLE: usize = 16;

/// Ends an array, and is written over by the next element.
const CLOSING: &[u8] = b"\n]\n";

impl Folder {
    /// The folder at `root`, which is made when it is not there. `writer` is a name that nobody else
    /// writes under here at the same time. Who writes `overwrite` goes over what others have left there;
    /// else what is there is taken for what the same operations have left.
    pub fn new(root: &Path, writer: &str, overwrite: bool) -> Result<Self, FolderError> {
        create_private_dir(root, true)?;
        // A folder of the user's may be behind a link; from here on nothing is.
        let root = canonical(root).map_err(io_error("find", root))?;
        let part = root.join(format!(".part-{writer}"));
        Ok(Self {
            root,
            part,
            overwrite,
            growing: BTreeMap::new(),
            linkable: VecDeque::new(),
            replaced: BTreeMap::new(),
            written: BTreeSet::new(),
        })
    }

    /// Where it is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a file is, part by part: Windows would keep the slashes of operations beside its own.
    fn place_of(&self, path: &str) -> PathBuf {
        path.split('/').fold(self.root.clone(), |place, part| place.join(part))
    }

    /// The files that were written afresh.
    pub fn written(&self) -> impl Iterator<Item = PathBuf> {
        self.written.iter().map(|path| self.place_of(path))
    }

    /// Carries an operation out. What is to be replaced waits for [`flush`](Self::flush): of many
    /// contents only the last is made.
    pub fn apply(&mut self, op: FileOp, blobs: &dyn Blobs) -> Result<(), FolderError> {
        if !is_valid_path(op.path()) {
            return Err(FolderError::Name(op.path().chars().take(100).collect()));
        }
        match op {
            FileOp::Append { path, bytes } => {
                let end = self.growing_file(&path)?.map_or(0, |growing| growing.end);
                self.grow(path, end, bytes, b"")
            }
            FileOp::Element { path, json } => {
                let begun = self.growing_file(&path)?;
                let mut bytes = if begun.is_some() { b",\n".to_vec() } else { b"[\n".to_vec() };
                bytes.extend(json);
                self.grow(path, begun.map_or(0, |growing| growing.end), bytes, CLOSING)
            }
            FileOp::Write { path, content } => {
                if !self.overwrite && self.exists(&path, &content)? {
                    if let Content::Lazy { key: Some(key), .. } = content {
                        self.remember(key, self.place_of(&path));
                    }
                    return Ok(());
                }
                self.write_content(&path, content, blobs)
            }
            FileOp::Replace { path, content } => {
                self.replaced.insert(path, content);
                Ok(())
            }
        }
    }

    /// Makes what waits to be replaced.
    pub fn flush(&mut self, blobs: &dyn Blobs) -> Result<(), FolderError> {
        while let Some((path, content)) = self.replaced.pop_first() {
            self.write_content(&path, content, blobs)?;
        }
        Ok(())
    }

    /// Checks, when every event was folded, that no file goes further than that: it would hold
    /// what the record has lost.
    pub fn check_lengths(&self) -> Result<(), FolderError> {
        remove_if_exists(&self.part)?;
        for (path, GrowingFile { end, tail }) in &self.growing {
            let path = self.place_of(path);
            let found = fs::metadata(&path).map_err(io_error("look at", &path))?.len();
            if found != end + tail.len() as u64 {
                return Err(FolderError::Inconsistent(path));
            }
        }
        Ok(())
    }

    /// How far a growing file is; nothing for one that is only beginning.
    fn growing_file(&mut self, path: &str) -> Result<Option<GrowingFile>, FolderError> {
        if let Some(growing) = self.growing.get(path) {
            return Ok(Some(*growing));
        }
        self.create_parents(path)?;
        if self.overwrite {
            remove_if_exists(&self.place_of(path))?;
            self.written.insert(path.to_owned());
        }
        Ok(None)
    }

    /// Puts `bytes` and a new tail at `end`, which is where the file ends but for its tail, unless
    /// they are there already.
    fn grow(
        &mut self,
        path: String,
        end: u64,
        mut bytes: Vec<u8>,
        tail: &'static [u8],
    ) -> Result<(), FolderError> {
        let place = self.place_of(&path);
        let next = GrowingFile { end: end + bytes.len() as u64, tail };
        let old_tail = if end == 0 { b"" } else { tail };
        let length = bytes.len();
        bytes.extend(tail);
        let whole = bytes.len() as u64;
        let grow = || -> io::Result<bool> {
            let mut file = open(&place)?;
            let found = file.metadata()?.len();
            let Some(beyond) = found.checked_sub(end) else { return Ok(false) };
            let mut there = Vec::new();
            if beyond != 0 {
                file.seek(SeekFrom::Start(end))?;
                (&mut file).take(bytes.len() as u64).read_to_end(&mut there)?;
            }
            if whole <= beyond && there.starts_with(&bytes[..length]) {
                return Ok(true);
            }
            // Not yet written, or cut short: what is there is the old tail or a beginning of ours.
            let cut_short = bytes.starts_with(&there) && beyond <= whole;
            if !cut_short && there != old_tail {
                return Ok(false);
            }
            file.seek(SeekFrom::Start(end))?;
            // One write: whoever reads meanwhile finds the old end or the new one.
            file.write_all(&bytes)?;
            Ok(true)
        };
        if !grow().map_err(io_error("write", &place))? {
            return Err(FolderError::Inconsistent(place));
        }
        match self.growing.entry(path) {
            Entry::Occupied(mut entry) => *entry.get_mut() = next,
            Entry::Vacant(entry) => {
                entry.insert(next);
            }
        }
        Ok(())
    }

    /// Whether a file that is written once is there, as far as that can be told without making it.
    fn exists(&self, path: &str, content: &Content) -> Result<bool, FolderError> {
        let place = self.place_of(path);
        let found = match fs::symlink_metadata(&place) {
            Ok(found) => found,
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(err) => return Err(io_error("look at", &place)(err)),
        };
        Ok(found.is_file()
            && match content {
                Content::Bytes(bytes) => found.len() == bytes.len() as u64,
                Content::Blob(blob) => found.len() == blob.bytes,
                // A crash of the machine can leave a name without its bytes.
                Content::Lazy { .. } => found.len() != 0,
            })
    }

    /// Writes a whole file, or links it to one that holds the same.
    fn write_content(
        &mut self,
        path: &str,
        content: Content,
        blobs: &dyn Blobs,
    ) -> Result<(), FolderError> {
        let place = self.place_of(path);
        let (bytes, source, key) = match content {
            Content::Bytes(bytes) => (Some(bytes), None, None),
            // An exported folder must not change with the record. What is linked can only be read. It is read all
            // the same: that tells whether it still is what the record says.
            Content::Blob(blob) => {
                let source = if self.overwrite { None } else { blobs.path(&blob) };
                (read_blob(&blob, blobs), source, None)
            }
            Content::Lazy { key, make } => {
                let same =
                    |(it, path): &&(String, PathBuf)| Some(it) == key.as_ref() && path.is_file();
                if let Some(source) = self.linkable.iter().find(same).map(|(_, path)| path.clone())
                {
                    return self.write_again(path, &source, key);
                }
                (make(blobs), None, key)
            }
        };
        let Some(bytes) = bytes else { return Ok(()) };
        self.create_parents(path)?;
        if source.is_none_or(|source| link(&source, &self.part, &place).is_err()) {
            write_whole(&self.part, &place, &bytes)?;
        }
        self.note_written(path, key);
        Ok(())
    }

    /// Links a file to one of these that holds the same, or copies that where a file system has no links.
    fn write_again(
        &mut self,
        path: &str,
        source: &Path,
        key: Option<String>,
    ) -> Result<(), FolderError> {
        let place = self.place_of(path);
        self.create_parents(path)?;
        if link(source, &self.part, &place).is_err() {
            let bytes = fs::read(source).map_err(io_error("read", source))?;
            write_whole(&self.part, &place, &bytes)?;
        }
        self.note_written(path, key);
        Ok(())
    }

    fn note_written(&mut self, path: &str, key: Option<String>) {
        if let Some(key) = key {
            self.remember(key, self.place_of(path));
        }
        if self.overwrite {
            self.written.insert(path.to_owned());
        }
    }

    fn remember(&mut self, key: String, place: PathBuf) {
        self.linkable.retain(|(it, path)| *it != key && *path != place);
        if self.linkable.len() == MAX_LINKABLE {
            self.linkable.pop_front();
        }
        self.linkable.push_back((key, place));
    }

    /// Makes the folders above a file. A link among them would lead elsewhere.
    fn create_parents(&self, path: &str) -> Result<(), FolderError> {
        let mut place = self.root.clone();
        let Some((above, _)) = path.rsplit_once('/') else { return Ok(()) };
        for part in above.split('/') {
            place.push(part);
            match fs::symlink_metadata(&place) {
                Ok(found) if found.is_dir() => {}
                Ok(_) => return Err(FolderError::NotAFolder(place)),
                Err(err) if err.kind() == io::ErrorKind::NotFound => {
                    create_private_dir(&place, false)?;
                }
                Err(err) => return Err(io_error("look at", &place)(err)),
            }
        }
        Ok(())
    }
}

fn describe_owner(by: Option<&SessionId>) -> String {
    match by {
        Some(id) => format!("holds the log of session {id}"),
        None => "holds other files".to_owned(),
    }
}

fn read_blob(blob: &BlobRef, blobs: &dyn Blobs) -> Option<Vec<u8>> {
    match blobs.blob(blob) {
        Ok(bytes) => Some(bytes.to_vec()),
        Err(err) => {
            tracing::debug!("a log goes on without a file: {err}");
            None
        }
    }
}

/// Where a folder is, past all links, as other programs take it.
fn canonical(path: &Path) -> io::Result<PathBuf> {
    let found = fs::canonicalize(path)?;
    let usual = found.to_str().filter(|_| cfg!(windows)).and_then(usual_form);
    Ok(usual.map(PathBuf::from).unwrap_or(found))
}

/// The usual form of one of Windows' paths, where it has `\\?\` in front: few programs take that.
fn usual_form(path: &str) -> Option<String> {
    let rest = path.strip_prefix(r"\\?\")?;
    let usual = match rest.strip_prefix(r"UNC\") {
        Some(share) => format!(r"\\{share}"),
        // Such as C:\
        None if rest.get(1..2) == Some(":") => rest.to_owned(),
        None => return None,
    };
    (usual.len() < LONGEST_USUAL).then_some(usual)
}

/// Windows takes longer paths in the other form alone, and names of files follow.
const LONGEST_USUAL: usize = 120;

/// Gives a file a second name, by way of `part` since `place` may be taken.
fn link(source: &Path, part: &Path, place: &Path) -> io::Result<()> {
    remove_file(part).or_else(|err| match err.kind() {
        io::ErrorKind::NotFound => Ok(()),
        _ => Err(err),
    })?;
    fs::hard_link(source, part)?;
    replace_file(part, place)?;
    // Renaming to another name of the same file does nothing.
    remove_file(part).ok();
    Ok(())
}

/// Writes `bytes` to `part`, then moves it to `place`.
pub(crate) fn write_whole(part: &Path, place: &Path, bytes: &[u8]) -> Result<(), FolderError> {
    remove_if_exists(part)?;
    let made = make_private_file(part, private_options().write(true));
    let written = made.and_then(|mut file| {
        file.write_all(bytes)?;
        drop(file);
        replace_file(part, place)
    });
    if written.is_err() {
        // The first error is the one to report; this one could only repeat it.
        remove_file(part).ok();
    }
    written.map_err(io_error("write", place))
}

/// Makes a folder that only its owner may enter, unless it is there.
pub(crate) fn create_private_dir(path: &Path, with_parents: bool) -> Result<(), FolderError> {
    match private_folder(path, with_parents) {
        Err(err) if err.kind() != io::ErrorKind::AlreadyExists || !path.is_dir() => {
            Err(io_error("make", path)(err))
        }
        _ => Ok(()),
    }
}

/// Removes a file, if there is one.
pub(crate) fn remove_if_exists(path: &Path) -> Result<(), FolderError> {
    match remove_file(path) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => Err(io_error("remove", path)(err)),
        _ => Ok(()),
    }
}

/// For `map_err`: names the file and what was to be done with it.
pub(crate) fn io_error(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> FolderError {
    let path = path.to_owned();
    move |source| FolderError::Io { doing, path, source }
}

/// A growing file. One that is a link is not ours.
fn open(place: &Path) -> io::Result<File> {
    if fs::symlink_metadata(place).is_ok_and(|found| !found.is_file()) {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a plain file"));
    }
    open_private_file(place, private_options().read(true).write(true))
}

/// Whether a path is what [`FileOp`] promises; and not longer than file systems take.
fn is_valid_path(path: &str) -> bool {
    path.len() <= 500
        && path.split('/').all(|part| {
            (1..=200).contains(&part.len())
                && !part.starts_with('.')
                && part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte))
        })
}
