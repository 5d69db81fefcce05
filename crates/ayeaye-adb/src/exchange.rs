//! The one folder of this machine from which files go to phones, and into which they come.
use std::fs::File;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use ayeaye_agent::journal::system_free_space;
use ayeaye_agent::private_files::{make_private_file, private_folder, private_options};

/// The longest name of a file in it, in bytes.
const MAX_NAME: usize = 255;

/// The folder for files. Nothing outside of it is read or written, whatever a name says.
#[derive(Debug, Clone)]
pub struct ExchangeFolder {
    root: PathBuf,
    /// Bytes that are left free on its disk.
    floor: u64,
}

/// Why a name is not one of a file in the folder.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ExchangeError {
    #[error(
        "{0:?} is not the name of a file in the folder for files, {1}: no `.` or `..`, no link that leads out, and where \
         something is fetched no other folder"
    )]
    NotAName(String, PathBuf),
    #[error("there is no file {0:?} in the folder for files, {1}: put it there first")]
    Missing(String, PathBuf),
    #[error("there is a file {0:?} in {1} already: choose another name")]
    Exists(String, PathBuf),
    #[error(
        "there is no room for it in {0}: {1} bytes are free, and {2} are to stay so (journal.min-free)"
    )]
    NoRoom(PathBuf, u64, u64),
    #[error("{0:?} in {1} cannot be used: {2}")]
    Unusable(String, PathBuf, io::Error),
}

/// How the names of files begin that are not complete yet.
pub(crate) const PART: &str = ".ayeaye-part-";
/// From when on nobody writes to such a file any more: copying ends long before.
const OLD: Duration = Duration::from_mins(30);

/// A file that is not complete yet, and that it has created itself. It is removed when it is dropped.
#[derive(Debug)]
pub(crate) struct Incoming {
    part: PathBuf,
    path: PathBuf,
    name: String,
}

impl Incoming {
    /// Gives it its name, unless somebody else has taken that meanwhile.
    pub(crate) fn keep(self) -> Result<(), ExchangeError> {
        let folder = || self.path.parent().unwrap_or(&self.path).to_owned();
        // Renaming would replace what is there; a second name is given only where there is none. Whoever is killed
        // meanwhile leaves the whole file or none.
        let moved = match std::fs::hard_link(&self.part, &self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                // A file system without links: taken first, then replaced.
                File::create_new(&self.path).map(drop).and_then(|()| {
                    std::fs::rename(&self.part, &self.path)
                        .inspect_err(|_| drop(std::fs::remove_file(&self.path)))
                })
            }
            // The first name goes when this is dropped.
            linked => linked,
        };
        moved.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => ExchangeError::Exists(self.name.clone(), folder()),
            _ => ExchangeError::Unusable(self.name.clone(), folder(), error),
        })
    }
}

impl Drop for Incoming {
    fn drop(&mut self) {
        match std::fs::remove_file(&self.part) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::debug!(%error, "a part of a file was not removed");
            }
            _ => {}
        }
    }
}

impl ExchangeFolder {
    /// Nothing is created before it is needed.
    pub fn new(root: PathBuf) -> Self {
        Self { root, floor: 0 }
    }

    /// So many bytes stay free on its disk, whatever comes into it.
    #[must_use]
    pub fn with_floor(self, floor: u64) -> Self {
        Self { floor, ..self }
    }

    /// An existing file, which may be in a folder below. Links that lead out of the folder are refused.
    pub(crate) fn existing(&self, name: &str) -> Result<PathBuf, ExchangeError> {
        let path = self.root.join(self.checked(name)?);
        let missing = || ExchangeError::Missing(name.to_owned(), self.root.clone());
        let root = self.root.canonicalize().map_err(|_| missing())?;
        let real = path.canonicalize().map_err(|_| missing())?;
        if !real.starts_with(&root) || !real.is_file() {
            return Err(self.not_a_name(name));
        }
        Ok(real)
    }

    /// A new file directly in the folder, which is created if need be. Until it is kept it has another name.
    pub(crate) fn incoming(&self, name: &str) -> Result<(Incoming, File), ExchangeError> {
        let path = self.fresh(name)?;
        self.remove_leftovers();
        // The number of a process says nothing: in containers every server has the same.
        let part = self.root.join(format!("{PART}{:032x}", rand::random::<u128>()));
        let file = make_private_file(&part, private_options().write(true));
        let file = file
            .map_err(|error| ExchangeError::Unusable(name.to_owned(), self.root.clone(), error))?;
        Ok((Incoming { part, path, name: name.to_owned() }, file))
    }

    /// Removes what processes that were killed have left.
    fn remove_leftovers(&self) {
        let is_leftover = |entry: &std::fs::DirEntry| {
            let age = entry.metadata().and_then(|about| about.modified()).map(|at| at.elapsed());
            entry.file_name().as_encoded_bytes().starts_with(PART.as_bytes())
                && matches!(age, Ok(Ok(age)) if OLD < age)
        };
        for entry in self.root.read_dir().into_iter().flatten().flatten().filter(is_leftover) {
            if let Err(error) = std::fs::remove_file(entry.path()) {
                tracing::debug!(%error, "a part of a file was not removed");
            }
        }
    }

    /// Where a new file goes.
    fn fresh(&self, name: &str) -> Result<PathBuf, ExchangeError> {
        let checked = self.checked(name)?;
        if checked.components().count() != 1 {
            return Err(self.not_a_name(name));
        }
        let path = self.root.join(checked);
        private_folder(&self.root, true)
            .map_err(|error| ExchangeError::Unusable(name.to_owned(), self.root.clone(), error))?;
        // A link counts, also one that leads nowhere.
        if path.symlink_metadata().is_ok() {
            return Err(ExchangeError::Exists(name.to_owned(), self.root.clone()));
        }
        Ok(path)
    }

    /// Whether so many bytes more leave enough of the disk. A disk that cannot say how much is free is taken at its best.
    pub(crate) fn check_room(&self, bytes: u64) -> Result<(), ExchangeError> {
        match system_free_space()(&self.root) {
            Ok(Some(free)) if free < self.floor.saturating_add(bytes) => {
                Err(ExchangeError::NoRoom(self.root.clone(), free, self.floor))
            }
            Ok(_) => Ok(()),
            Err(error) => {
                tracing::warn!(path = %self.root.display(), %error, "free space is not known");
                Ok(())
            }
        }
    }

    fn checked<'a>(&self, name: &'a str) -> Result<&'a Path, ExchangeError> {
        let path = Path::new(name);
        let is_plain = path.components().all(|part| matches!(part, Component::Normal(_)));
        let odd = |c: char| c.is_control() || c == '\\' || c == ':';
        if name.is_empty() || MAX_NAME < name.len() || !is_plain || name.contains(odd) {
            return Err(self.not_a_name(name));
        }
        Ok(path)
    }

    fn not_a_name(&self, name: &str) -> ExchangeError {
        let shown = name.chars().take(MAX_NAME).collect();
        ExchangeError::NotAName(shown, self.root.clone())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn some_of_the_disk_stays_free() {
        let home = tempfile::tempdir().unwrap();
        let folder = ExchangeFolder::new(home.path().to_owned());
        assert!(folder.check_room(1).is_ok());
        let full = folder.with_floor(u64::MAX).check_room(1).unwrap_err().to_string();
        assert!(full.contains("no room") && full.contains("journal.min-free"), "{full}");
    }

    #[test]
    fn nothing_outside_of_the_folder_is_reached() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret"), "x").unwrap();
        let root = outside.path().join("files");
        let folder = ExchangeFolder::new(root.clone());
        assert!(matches!(folder.existing("a.apk"), Err(ExchangeError::Missing(..))));
        std::fs::create_dir_all(root.join("sub")).unwrap();
        std::fs::write(root.join("sub").join("a.apk"), "x").unwrap();
        assert!(folder.existing("sub/a.apk").unwrap().ends_with("sub/a.apk"));
        let absolute = outside.path().join("secret");
        for name in
            ["../secret", "sub/../../secret", absolute.to_str().unwrap(), "", ".", "a\nb", "sub"]
        {
            assert!(folder.existing(name).is_err(), "{name:?}");
            assert!(folder.fresh(name).is_err() || name == "sub", "{name:?}");
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.path().join("secret"), root.join("link")).unwrap();
            assert!(matches!(folder.existing("link"), Err(ExchangeError::NotAName(..))));
            assert!(matches!(folder.fresh("link"), Err(ExchangeError::Exists(..))));
        }
        assert!(folder.fresh("sub/new").is_err());
        assert_eq!(folder.fresh("new").unwrap(), root.join("new"));
    }

    proptest! {
        #[test]
        fn a_new_file_is_always_in_the_folder(name in "[a./\\\\: ]{0,8}|\\PC{0,20}") {
            let outside = tempfile::tempdir().unwrap();
            let root = outside.path().join("files");
            if let Ok(path) = ExchangeFolder::new(root.clone()).fresh(&name) {
                prop_assert_eq!(path.parent(), Some(root.as_path()));
            }
        }
    }
}
