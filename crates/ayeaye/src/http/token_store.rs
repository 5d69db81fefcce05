//! The tokens of this server: that of the local user, and named ones for others.
//!
//! Named tokens are in a file of their own, one `NAME TOKEN` per line; blank lines and lines that begin
//! with `#` are ignored. It is read once, at the start.
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ayeaye_agent::Principal;
use ayeaye_model::Secret;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::secret;
use crate::text::{utf8, without_mark};
use ayeaye_agent::bounded_file::open_file;

/// The file in the data folder that is read when no other was named.
pub(super) const FILE: &str = "http-tokens";

/// The largest file that is read, in bytes.
const MAX_FILE: u64 = 256 << 10;

/// Why the file of tokens cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum TokenFileError {
    #[error("cannot read the tokens in {}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(
        "{} can be read by others (mode {mode:o}), so its tokens may be known; make new ones and \
         `chmod 600` the file",
        path.display()
    )]
    Open { path: PathBuf, mode: u32 },
    #[error("{}, line {line}: {problem}", path.display())]
    Line { path: PathBuf, line: usize, problem: &'static str },
}

/// The SHA-256 of a token, which requests are checked against.
#[derive(Clone)]
struct TokenHash([u8; 32]);

impl TokenHash {
    fn of(token: &[u8]) -> Self {
        Self(Sha256::digest(token).into())
    }

    /// Compares in constant time. What timing could still reveal concerns the hash of a guess, not the
    /// token.
    fn matches(&self, offered: &Self) -> bool {
        self.0.ct_eq(&offered.0).into()
    }
}

/// All tokens of this server, hashed, with the principal of each.
#[derive(Clone)]
pub(super) struct TokenStore {
    hashes: Vec<(Principal, TokenHash)>,
}

impl TokenStore {
    /// The main token alone, which is that of the local user.
    pub(super) fn new(main: &Secret) -> Self {
        Self { hashes: vec![(Principal::local(), TokenHash::of(main.expose().as_bytes()))] }
    }

    /// Adds the named tokens: those of `named`, which must be there, or those of the data folder if
    /// there are any. Returns them, to be hidden wherever they turn up.
    pub(super) fn add(
        &mut self,
        named: Option<&Path>,
        data_dir: &Path,
    ) -> Result<Vec<Secret>, TokenFileError> {
        let usual = data_dir.join(FILE);
        let path = named.unwrap_or(&usual);
        let text = match read(path) {
            Err(TokenFileError::Read { source, .. })
                if named.is_none() && source.kind() == io::ErrorKind::NotFound =>
            {
                return Ok(Vec::new());
            }
            read => read?,
        };
        let mut added = Vec::new();
        for (number, line) in without_mark(&text).lines().enumerate() {
            let line = line.trim();
            if !line.is_empty() && !line.starts_with('#') {
                let token = self.add_line(line).map_err(|problem| TokenFileError::Line {
                    path: path.to_owned(),
                    line: number + 1,
                    problem,
                })?;
                added.extend(token);
            }
        }
        Ok(added)
    }

    /// Those who have a named token.
    pub(super) fn named(
        named: Option<&Path>,
        data_dir: &Path,
    ) -> Result<Vec<Principal>, TokenFileError> {
        let mut store = Self { hashes: Vec::new() };
        store.add(named, data_dir)?;
        Ok(store.hashes.into_iter().map(|(principal, _)| principal).collect())
    }

    fn add_line(&mut self, line: &str) -> Result<Option<Secret>, &'static str> {
        let mut words = line.split_ascii_whitespace();
        let (Some(name), Some(token), None) = (words.next(), words.next(), words.next()) else {
            return Err("it must be a name, a blank and a token");
        };
        let good = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'@');
        if 64 < name.len() || !name.bytes().all(good) {
            return Err("a name has at most 64 characters: letters, digits, `-`, `_`, `.` and `@`");
        }
        if !secret::is_strong_token(token) {
            return Err(
                "the token must have at least 16 characters; `openssl rand -hex 32` makes one",
            );
        }
        let principal = Principal::new(format!("token:{name}"));
        if self.hashes.iter().any(|(other, _)| *other == principal) {
            return Err("this name has a token already");
        }
        if self.principal_of(token.as_bytes()).is_some() {
            return Err("somebody else has the same token");
        }
        self.hashes.push((principal, TokenHash::of(token.as_bytes())));
        Ok(Secret::new(token))
    }

    /// What tells a principal's token from any other without telling it: logins that it was good for are
    /// bound to it. `None` for whoever has no token here.
    pub(super) fn mark_of(&self, principal: &Principal) -> Option<String> {
        let (_, hash) = self.hashes.iter().find(|(owner, _)| owner == principal)?;
        let mark = Sha256::new().chain_update(b"page login\0").chain_update(hash.0).finalize();
        Some(secret::hex(&mark))
    }

    /// The principal of a token. Compares all hashes, so that timing reveals nothing.
    pub(super) fn principal_of(&self, token: &[u8]) -> Option<&Principal> {
        let offered = TokenHash::of(token);
        self.hashes.iter().fold(
            None,
            |found, (principal, hash)| {
                if hash.matches(&offered) { Some(principal) } else { found }
            },
        )
    }
}

fn read(path: &Path) -> Result<String, TokenFileError> {
    let unreadable = |source| TokenFileError::Read { path: path.to_owned(), source };
    let file = open_file(path).map_err(unreadable)?;
    let mode = secret::mode(&file.metadata().map_err(unreadable)?);
    if mode & 0o077 != 0 {
        return Err(TokenFileError::Open { path: path.to_owned(), mode });
    }
    let mut bytes = Vec::new();
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if MAX_FILE < bytes.len() as u64 {
        return Err(unreadable(io::Error::other("it is larger than 256 KiB")));
    }
    utf8(bytes).map_err(unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAIN: &str = "the-main-token-of-tests";

    fn store_of(text: &str) -> Result<TokenStore, String> {
        let home = tempfile::tempdir().unwrap();
        write(&home.path().join(FILE), text, 0o600);
        let mut store = TokenStore::new(&Secret::new(MAIN).unwrap());
        store.add(None, home.path()).map_err(|err| err.to_string())?;
        Ok(store)
    }

    #[cfg_attr(not(unix), expect(unused_variables, reason = "no modes there"))]
    fn write(path: &Path, text: impl AsRef<[u8]>, mode: u32) {
        std::fs::write(path, text).unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        }
    }

    #[test]
    fn each_token_lets_in_whom_it_was_given() {
        let store = store_of(
            "# who may use the phones\n\nanna  anna-has-this-token-1\nben@work\tben-has-this-token-22\n",
        )
        .unwrap();
        let name_of = |token: &str| {
            store.principal_of(token.as_bytes()).map(|principal| principal.name().to_owned())
        };
        assert_eq!(name_of(MAIN).as_deref(), Some("local"));
        assert_eq!(name_of("anna-has-this-token-1").as_deref(), Some("token:anna"));
        assert_eq!(name_of("ben-has-this-token-22").as_deref(), Some("token:ben@work"));
        for wrong in ["", "anna", "anna-has-this-token-2", "anna anna-has-this-token-1"] {
            assert_eq!(name_of(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line_and_without_the_token() {
        for (text, said) in [
            ("anna", "line 1: it must be a name"),
            ("\nanna anna-has-this-token-1 x", "line 2: it must be a name"),
            ("anna short", "line 1: the token must have"),
            ("an/na anna-has-this-token-1", "line 1: a name has"),
            ("anna anna-has-this-token-1\nanna anna-has-this-token-2", "line 2: this name has"),
            ("anna anna-has-this-token-1\nben anna-has-this-token-1", "line 2: somebody else"),
            ("anna the-main-token-of-tests", "line 1: somebody else"),
        ] {
            let err = store_of(text).err().expect(text);
            assert!(err.contains(said), "{err}");
            assert!(!err.contains("anna-has") && !err.contains(MAIN), "{err}");
        }
    }

    #[test]
    fn a_file_that_windows_wrote_is_read_or_its_encoding_is_named() {
        let store = store_of("\u{feff}anna anna-has-this-token-1\r\n").unwrap();
        assert!(store.principal_of(b"anna-has-this-token-1").is_some());
        let home = tempfile::tempdir().unwrap();
        let units = "\u{feff}anna anna-has-this-token-1\r\n".encode_utf16();
        let bytes: Vec<u8> = units.flat_map(u16::to_le_bytes).collect();
        write(&home.path().join(FILE), bytes, 0o600);
        let err = TokenStore::named(None, home.path()).unwrap_err();
        let told = ayeaye_agent::error_chain(&err);
        assert!(
            told.ends_with("line 1 is not text in UTF-8: save the file in that encoding"),
            "{told}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_others_can_read_or_that_was_named_and_is_not_there_is_refused() {
        let home = tempfile::tempdir().unwrap();
        let mut store = TokenStore::new(&Secret::new(MAIN).unwrap());
        assert_eq!(store.add(None, home.path()).unwrap().len(), 0);
        let path = home.path().join("mine");
        let missing = store.add(Some(&path), home.path());
        assert!(matches!(missing, Err(TokenFileError::Read { .. })));
        write(&path, "anna anna-has-this-token-1", 0o640);
        let open = store.add(Some(&path), home.path());
        assert!(matches!(open, Err(TokenFileError::Open { mode: 0o640, .. })));
        write(&path, "anna anna-has-this-token-1", 0o400);
        assert_eq!(store.add(Some(&path), home.path()).unwrap().len(), 1);
    }

    #[test]
    fn only_the_same_token_matches() {
        let hash = TokenHash::of(b"0123456789abcdef");
        assert!(hash.matches(&TokenHash::of(b"0123456789abcdef")));
        for wrong in ["", "0123456789abcde", "0123456789abcdef0", "0123456789abcdeF"] {
            assert!(!hash.matches(&TokenHash::of(wrong.as_bytes())), "{wrong}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_file_makes_it_panic(text in "[a-z @#\n\t-]{0,120}") {
            drop(store_of(&text));
        }
    }
}
