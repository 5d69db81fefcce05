//! An operator's answer, left by one process for another.
use std::fs::{self, File};
use std::io::{self, Read as _};

use super::folder::{Folder, beside, storage, write_whole};
use crate::journal::JournalError;

/// Most bytes of an answer.
const MAX_ANSWER: usize = 64 << 10;

/// Puts the answer where the session's writer looks. One that nobody has taken is replaced.
pub(super) fn leave(folder: &Folder, text: &str) -> Result<(), JournalError> {
    folder.must_exist()?;
    let path = folder.answer();
    if MAX_ANSWER < text.len() {
        return Err(storage("write", &path)(too_long()));
    }
    write_whole(&path, text.as_bytes(), true).map_err(storage("write", &path))
}

/// Takes the answer away: of two that ask, one gets it.
pub(super) fn take(folder: &Folder) -> Result<Option<String>, JournalError> {
    let path = folder.answer();
    let taken = beside(&path, "taken");
    match fs::rename(&path, &taken) {
        Ok(()) => {}
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            return folder.must_exist().map(|()| None);
        }
        Err(err) => return Err(storage("take", &path)(err)),
    }
    let mut bytes = Vec::new();
    let read = File::open(&taken)
        .and_then(|file| file.take(MAX_ANSWER as u64 + 1).read_to_end(&mut bytes))
        .and_then(|_| fs::remove_file(&taken));
    read.map_err(storage("read", &taken))?;
    if MAX_ANSWER < bytes.len() {
        return Err(storage("read", &path)(too_long()));
    }
    let text = String::from_utf8(bytes).map_err(|_err| io::ErrorKind::InvalidData.into());
    text.map(Some).map_err(storage("read", &path))
}

fn too_long() -> io::Error {
    io::Error::new(io::ErrorKind::FileTooLarge, format!("an answer has at most {MAX_ANSWER} bytes"))
}
