//! Secrets that this server makes once and keeps in its data folder, where only their owner can read
//! them.
use std::fmt::Write as _;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use ayeaye_agent::file_owner::hand_over;
use ayeaye_agent::private_files::{make_private_file, private_folder, private_options, sync_file};
use ayeaye_model::Secret;
use tempfile::NamedTempFile;

use crate::text::{utf8, without_mark};
use ayeaye_agent::bounded_file::open_file;

/// A shorter token can be guessed.
pub const MIN_TOKEN_LENGTH: usize = 16;

/// Whether a text can be a token that clients send: visible ASCII, and long enough.
pub fn is_strong_token(text: &str) -> bool {
    MIN_TOKEN_LENGTH <= text.len() && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Why a kept secret cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SecretFileError {
    #[error(
        "{} cannot be written; make its folder writable, or name another with --data-dir or AYEAYE_DATA_DIR",
        path.display()
    )]
    Write { path: PathBuf, source: io::Error },
    #[error("cannot read the secret in {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} holds no secret; delete it and a new one is made", path.display())]
    Empty { path: PathBuf },
    #[error(
        "{} can be read by others (mode {mode:o}), so its secret may be known; delete it and a new \
         one is made",
        path.display()
    )]
    Exposed { path: PathBuf, mode: u32 },
    #[error(
        "{} can be read by others (mode {mode:o}), as every file there can: its file system keeps no \
         permissions; name a data folder on another one with --data-dir or AYEAYE_DATA_DIR",
        path.display()
    )]
    Unprotected { path: PathBuf, mode: u32 },
}

/// Reads the secret in this file of the data folder; makes one of 256 random bits when there is none.
pub fn read_or_create(data_dir: &Path, file: &str) -> Result<Secret, SecretFileError> {
    let path = data_dir.join(file);
    match read(&path) {
        Err(SecretFileError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            write(data_dir, &path, &random())
                .map_err(|source| SecretFileError::Write { path: path.clone(), source })?;
            // Another server may have been faster: what is in the file counts.
            read(&path)
        }
        kept => kept,
    }
}

/// Why the secret in this file of the data folder cannot be used. Nothing is wrong where there is none yet.
pub fn check(data_dir: &Path, file: &str) -> Result<(), SecretFileError> {
    match read(&data_dir.join(file)) {
        Err(SecretFileError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            Ok(())
        }
        found => found.map(drop),
    }
}

/// 256 bits from the system's generator, in hex.
pub(crate) fn random() -> String {
    format!("{:032x}{:032x}", rand::random::<u128>(), rand::random::<u128>())
}

/// Bytes in lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string does not fail.
        _ = write!(text, "{byte:02x}");
        text
    })
}

fn read(path: &Path) -> Result<Secret, SecretFileError> {
    let unreadable = |source| SecretFileError::Read { path: path.to_owned(), source };
    let file = open_file(path).map_err(unreadable)?;
    let mode = mode(&file.metadata().map_err(unreadable)?);
    if mode & 0o077 != 0 {
        return Err(exposed(path, mode, path.parent().and_then(mode_of_new_files)));
    }
    let mut bytes = Vec::new();
    file.take(4096).read_to_end(&mut bytes).map_err(unreadable)?;
    let text = utf8(bytes).map_err(unreadable)?;
    let text = without_mark(&text).trim_end_matches(['\n', '\r']);
    let token = Some(text).filter(|text| is_strong_token(text));
    token.and_then(Secret::new).ok_or_else(|| SecretFileError::Empty { path: path.to_owned() })
}

/// Why others can read a secret: a new one would help, unless a new file has such a mode as well.
fn exposed(path: &Path, mode: u32, of_new_files: Option<u32>) -> SecretFileError {
    let path = path.to_owned();
    if of_new_files.is_some_and(|mode| mode & 0o077 != 0) {
        SecretFileError::Unprotected { path, mode }
    } else {
        SecretFileError::Exposed { path, mode }
    }
}

/// The permission bits of a file that is made in this folder for its owner alone; `None` where none can be made.
fn mode_of_new_files(folder: &Path) -> Option<u32> {
    let file = NamedTempFile::new_in(folder).ok()?;
    Some(mode(&file.as_file().metadata().ok()?))
}

/// Writes the secret so that the file is never seen incomplete, and never replaced.
fn write(data_dir: &Path, path: &Path, secret: &str) -> io::Result<()> {
    private_folder(data_dir, true)?;
    let mut draft = tempfile::Builder::new().prefix(".secret-").tempfile_in(data_dir)?;
    writeln!(draft, "{secret}")?;
    sync_file(draft.as_file())?;
    hand_over(draft.as_file(), None, data_dir)?;
    match draft.persist_noclobber(path) {
        Err(err) if err.error.kind() != io::ErrorKind::AlreadyExists => move_in(err.file, path),
        _ => Ok(()),
    }
}

/// Moves the draft to its place where the file system has no links, and cannot rename without replacing: for a moment
/// the file is empty.
fn move_in(draft: NamedTempFile, path: &Path) -> io::Result<()> {
    match make_private_file(path, private_options().write(true)) {
        Ok(placeholder) => {
            // Windows may not replace what is open.
            drop(placeholder);
            let moved = draft.persist(path);
            // Otherwise every later start would find no secret in it.
            let moved = moved.inspect_err(|_| drop(std::fs::remove_file(path)));
            Ok(moved.map(drop)?)
        }
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(err) => Err(err),
    }
}

/// The permission bits of a file.
#[cfg(unix)]
pub(crate) fn mode(metadata: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.mode() & 0o777
}

#[cfg(not(unix))]
pub(crate) fn mode(_: &std::fs::Metadata) -> u32 {
    0o600
}

/// The permission bits of a folder that others may change things in; `None` if they may not, or if there
/// is no such folder yet.
pub(crate) fn mode_if_others_may_write(folder: &Path) -> Option<u32> {
    let mode = mode(&std::fs::metadata(folder).ok()?);
    (mode & 0o022 != 0).then_some(mode)
}

/// Whether of what is in a folder each user may replace only their own, as in `/tmp`.
#[cfg(unix)]
pub(crate) fn is_sticky(folder: &Path) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    std::fs::metadata(folder).is_ok_and(|it| it.is_dir() && it.mode() & 0o1000 != 0)
}

#[cfg(not(unix))]
pub(crate) fn is_sticky(_: &Path) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_folder_that_others_may_change_is_noticed() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        for (mode, noticed) in [(0o777, Some(0o777)), (0o770, Some(0o770)), (0o755, None)] {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(home.path(), permissions).unwrap();
            assert_eq!(mode_if_others_may_write(home.path()), noticed);
        }
        assert_eq!(mode_if_others_may_write(&home.path().join("none")), None);
    }

    const FILE: &str = "http-token";

    fn kept(data_dir: &Path) -> Result<Secret, SecretFileError> {
        read_or_create(data_dir, FILE)
    }

    #[test]
    fn a_secret_is_made_once_and_kept() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        let first = kept(&data).unwrap();
        assert_eq!(first.expose().len(), 64);
        assert_eq!(kept(&data).unwrap(), first);
        let names: Vec<_> = std::fs::read_dir(&data).unwrap().collect();
        assert_eq!(names.len(), 1, "no draft stays behind");
    }

    #[cfg(unix)]
    #[test]
    fn others_can_neither_read_it_nor_the_folder() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        kept(&data).unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&data), 0o700);
        assert_eq!(mode(&data.join(FILE)), 0o600);
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(data.join(FILE), open).unwrap();
        assert!(matches!(kept(&data), Err(SecretFileError::Exposed { mode: 0o644, .. })));
    }

    #[test]
    fn where_no_file_is_private_a_new_secret_is_no_way_out() {
        let path = Path::new("http-token");
        let told = |of_new_files| exposed(path, 0o777, of_new_files).to_string();
        for of_new_files in [None, Some(0o600)] {
            assert!(told(of_new_files).contains("delete it"), "{}", told(of_new_files));
        }
        let told = told(Some(0o777));
        assert!(told.contains("keeps no permissions") && !told.contains("delete it"), "{told}");
        let home = tempfile::tempdir().unwrap();
        assert_eq!(mode_of_new_files(home.path()), Some(0o600));
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "nothing is left");
    }

    #[test]
    fn without_links_it_is_written_too_and_never_replaced() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE);
        for text in ["the-first-one-that-came", "the-second-one-that-came"] {
            let mut draft = NamedTempFile::new_in(home.path()).unwrap();
            draft.write_all(text.as_bytes()).unwrap();
            move_in(draft, &path).unwrap();
            assert_eq!(kept(home.path()).unwrap().expose(), "the-first-one-that-came");
        }
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 1, "no draft stays behind");
    }

    #[test]
    fn the_draft_of_a_process_of_the_same_number_is_left_alone() {
        let home = tempfile::tempdir().unwrap();
        let theirs = home.path().join(format!("{FILE}.{}", std::process::id()));
        std::fs::write(&theirs, "half a sec").unwrap();
        kept(home.path()).unwrap();
        assert_eq!(std::fs::read_to_string(theirs).unwrap(), "half a sec");
    }

    #[test]
    fn a_look_at_a_secret_makes_none() {
        let home = tempfile::tempdir().unwrap();
        check(home.path(), FILE).unwrap();
        assert!(!home.path().join(FILE).exists());
        std::fs::write(home.path().join(FILE), "").unwrap();
        assert!(check(home.path(), FILE).is_err());
    }

    #[test]
    fn a_token_that_windows_wrote_is_read_or_its_encoding_is_named() {
        let home = tempfile::tempdir().unwrap();
        let write = |bytes: &[u8]| {
            let path = home.path().join(FILE);
            private_options().write(true).create(true).truncate(true).open(path)?.write_all(bytes)
        };
        write("\u{feff}a-token-from-notepad\r\n".as_bytes()).unwrap();
        assert_eq!(kept(home.path()).unwrap().expose(), "a-token-from-notepad");
        let units = "\u{feff}a-token-from-powershell".encode_utf16();
        write(&units.flat_map(u16::to_le_bytes).collect::<Vec<_>>()).unwrap();
        let told = ayeaye_agent::error_chain(&kept(home.path()).unwrap_err());
        assert!(told.contains("not text in UTF-8: save the file in that encoding"), "{told}");
    }

    #[test]
    fn a_file_without_a_secret_is_an_error_and_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE);
        drop(private_options().write(true).create(true).open(&path).unwrap());
        assert!(matches!(kept(home.path()), Err(SecretFileError::Empty { .. })));
        assert_eq!(std::fs::read(path).unwrap(), b"");
    }
}
