//! The bearer token: chosen by the user, or made once and kept where only the user can read it.
//!
//! It is needed on loopback too: every program and every user of the machine can connect there.
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::config::Secret;

/// The file in the data folder.
pub(super) const FILE: &str = "http-token";

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum TokenError {
    #[error("cannot keep a token in {}", path.display())]
    Keep { path: PathBuf, source: io::Error },
    #[error("cannot read the token in {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} holds no token; delete it and a new one is made", path.display())]
    NoToken { path: PathBuf },
    #[error(
        "{} can be read by others (mode {mode:o}), so its token may be known; delete it and a new \
         one is made",
        path.display()
    )]
    Open { path: PathBuf, mode: u32 },
}

/// A token in the form in which requests are checked: its SHA-256.
///
/// Comparing hashes takes the same time whatever was guessed right: what could be measured says
/// something about the hash of the guess, and nothing about the token.
#[derive(Clone)]
pub(super) struct TokenHash([u8; 32]);

impl TokenHash {
    pub(super) fn new(token: &Secret) -> Self {
        Self::of(token.expose().as_bytes())
    }

    /// What a token that is offered opens.
    pub(super) fn of(token: &[u8]) -> Self {
        Self(Sha256::digest(token).into())
    }

    /// Whether both are of the same token.
    pub(super) fn is(&self, offered: &Self) -> bool {
        let differing = self.0.iter().zip(offered.0).fold(0, |bits, (a, b)| bits | (a ^ b));
        differing == 0
    }
}

/// Reads the token kept in the data folder, or makes one.
pub(super) fn kept(data_dir: &Path) -> Result<Secret, TokenError> {
    kept_secret(data_dir, FILE)
}

/// Reads the secret in this file of the data folder, or makes one.
pub fn kept_secret(data_dir: &Path, file: &str) -> Result<Secret, TokenError> {
    let path = data_dir.join(file);
    match read(&path) {
        Err(TokenError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
            keep(data_dir, &path, &new())
                .map_err(|source| TokenError::Keep { path: path.clone(), source })?;
            // Another server may have been first; what is in the file is what counts.
            read(&path)
        }
        kept => kept,
    }
}

/// 256 bits from the system's generator, in hex.
fn new() -> Secret {
    let bytes: [u8; 32] = rand::random();
    Secret::new(hex(&bytes))
}

fn hex(bytes: &[u8]) -> String {
    let digit = |four: u8| char::from(b"0123456789abcdef"[usize::from(four)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn read(path: &Path) -> Result<Secret, TokenError> {
    let unreadable = |source| TokenError::Read { path: path.to_owned(), source };
    let file = std::fs::File::open(path).map_err(unreadable)?;
    let mode = mode(&file.metadata().map_err(unreadable)?);
    if mode & 0o077 != 0 {
        return Err(TokenError::Open { path: path.to_owned(), mode });
    }
    let mut text = String::new();
    file.take(4096).read_to_string(&mut text).map_err(unreadable)?;
    let token = text.trim_end_matches(['\n', '\r']);
    if !is_long_enough(token) {
        return Err(TokenError::NoToken { path: path.to_owned() });
    }
    Ok(Secret::new(token))
}

/// Whether a text can be a token: one that can be guessed is worse than none.
pub(super) fn is_long_enough(token: &str) -> bool {
    16 <= token.len() && token.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Writes the token so that the file is never there without all of it, and never replaced.
fn keep(data_dir: &Path, path: &Path, token: &Secret) -> io::Result<()> {
    make_folder(data_dir)?;
    let mut draft = path.as_os_str().to_owned();
    draft.push(format!(".{}", std::process::id()));
    let draft = PathBuf::from(draft);
    let written = create(&draft).and_then(|mut file| {
        writeln!(file, "{}", token.expose())?;
        file.sync_all()?;
        match std::fs::hard_link(&draft, path) {
            Err(err) if err.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            linked => linked,
        }
    });
    written.and(std::fs::remove_file(&draft))
}

#[cfg(unix)]
fn make_folder(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(path)
}

#[cfg(not(unix))]
fn make_folder(path: &Path) -> io::Result<()> {
    std::fs::create_dir_all(path)
}

#[cfg(unix)]
fn create(path: &Path) -> io::Result<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    std::fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(path)
}

// On Windows the user's data folder is closed to other users already.
#[cfg(not(unix))]
fn create(path: &Path) -> io::Result<std::fs::File> {
    std::fs::File::create(path)
}

#[cfg(unix)]
pub(super) fn mode(metadata: &std::fs::Metadata) -> u32 {
    use std::os::unix::fs::MetadataExt as _;
    metadata.mode() & 0o777
}

#[cfg(not(unix))]
pub(super) fn mode(_: &std::fs::Metadata) -> u32 {
    0o600
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_made_once_and_kept() {
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
        assert!(matches!(kept(&data), Err(TokenError::Open { mode: 0o644, .. })));
    }

    #[test]
    fn a_file_without_a_token_is_said_and_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join(FILE);
        drop(create(&path).unwrap());
        assert!(matches!(kept(home.path()), Err(TokenError::NoToken { .. })));
        assert_eq!(std::fs::read(path).unwrap(), b"");
    }

    #[test]
    fn only_the_token_opens_the_lock() {
        let lock = TokenHash::new(&Secret::new("0123456789abcdef"));
        assert!(lock.is(&TokenHash::of(b"0123456789abcdef")));
        for wrong in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF"] {
            assert!(!lock.is(&TokenHash::of(wrong.as_bytes())), "{wrong}");
        }
    }
}
