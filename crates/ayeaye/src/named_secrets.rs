//! The user's named secrets, in a file of the data folder that only its owner can read.
use std::collections::BTreeMap;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use ayeaye_agent::private_files::private_folder;
use ayeaye_agent::{NamedSecret, NamedSecretError, NamedSecrets, SecretPlaces};
use serde::{Deserialize, Serialize};

use crate::{atomic_file, secret};

/// Its name in the data folder.
const FILE: &str = "secrets.json";
/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The file. It is read each time a secret is asked for.
#[derive(Debug, Clone)]
pub struct SecretFile {
    path: PathBuf,
}

/// What is kept of a secret.
#[derive(Clone, Serialize, Deserialize)]
struct Kept {
    value: String,
    apps: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<String>,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SecretStoreError {
    #[error("{} cannot be read: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("{} cannot be written: {source}", path.display())]
    Write { path: PathBuf, source: io::Error },
    #[error(
        "{} can be read by others (mode {mode:o}): take that away (chmod 600), and change the secrets in it",
        path.display()
    )]
    Exposed { path: PathBuf, mode: u32 },
    #[error("{} is damaged ({source}): mend it, or delete it and keep the secrets again", path.display())]
    Damaged { path: PathBuf, source: serde_json::Error },
    #[error("{} is larger than {LARGEST} bytes: no secrets of ours", path.display())]
    TooLarge { path: PathBuf },
}

impl SecretFile {
    /// The file of this data folder, whether it is there or not.
    pub fn of(data_dir: &Path) -> Self {
        Self { path: data_dir.join(FILE) }
    }

    /// The names of the secrets with where each may be typed.
    pub fn list(&self) -> Result<Vec<(String, SecretPlaces)>, SecretStoreError> {
        let places = |Kept { apps, hosts, .. }| SecretPlaces { apps, hosts };
        Ok(self.read()?.into_iter().map(|(name, kept)| (name, places(kept))).collect())
    }

    /// Keeps a secret; one of that name is replaced. True if there was one.
    pub fn set(
        &self,
        name: &str,
        NamedSecret { value, places: SecretPlaces { apps, hosts } }: NamedSecret,
    ) -> Result<bool, SecretStoreError> {
        let mut all = self.read()?;
        let replaced = all.insert(name.to_owned(), Kept { value, apps, hosts }).is_some();
        self.write(&all)?;
        Ok(replaced)
    }

    /// Forgets a secret. False if there is none of that name.
    pub fn remove(&self, name: &str) -> Result<bool, SecretStoreError> {
        let mut all = self.read()?;
        let removed = all.remove(name).is_some();
        if removed {
            self.write(&all)?;
        }
        Ok(removed)
    }

    fn read(&self) -> Result<BTreeMap<String, Kept>, SecretStoreError> {
        let path = || self.path.clone();
        let unreadable = |source| SecretStoreError::Read { path: path(), source };
        let file = match std::fs::File::open(&self.path) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
            file => file.map_err(unreadable)?,
        };
        let mode = secret::mode(&file.metadata().map_err(unreadable)?);
        if mode & 0o077 != 0 {
            return Err(SecretStoreError::Exposed { path: path(), mode });
        }
        let mut text = String::new();
        file.take(LARGEST + 1).read_to_string(&mut text).map_err(unreadable)?;
        if LARGEST < text.len() as u64 {
            return Err(SecretStoreError::TooLarge { path: path() });
        }
        serde_json::from_str(&text)
            .map_err(|source| SecretStoreError::Damaged { path: path(), source })
    }

    fn write(&self, all: &BTreeMap<String, Kept>) -> Result<(), SecretStoreError> {
        let written = serde_json::to_string_pretty(all).map_err(io::Error::from).and_then(|text| {
            if let Some(folder) = self.path.parent() {
                private_folder(folder, true)?;
            }
            atomic_file::replace(&self.path, &text)
        });
        written.map_err(|source| SecretStoreError::Write { path: self.path.clone(), source })
    }
}

impl NamedSecrets for SecretFile {
    fn find(&self, name: &str) -> Result<Option<NamedSecret>, NamedSecretError> {
        let unreadable = |err: SecretStoreError| NamedSecretError::Unreadable {
            name: name.to_owned(),
            why: err.to_string(),
        };
        let mut all = self.read().map_err(unreadable)?;
        let secret = |Kept { value, apps, hosts }| NamedSecret {
            value,
            places: SecretPlaces { apps, hosts },
        };
        Ok(all.remove(name).map(secret))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bank(value: &str) -> NamedSecret {
        let places = SecretPlaces {
            apps: vec!["com.example.bank".to_owned()],
            hosts: vec!["example.org".to_owned()],
        };
        NamedSecret { value: value.to_owned(), places }
    }

    #[test]
    fn what_is_kept_is_found_and_forgotten_again() {
        let home = tempfile::tempdir().unwrap();
        let file = SecretFile::of(&home.path().join("data"));
        assert_eq!(file.find("bank").unwrap(), None);
        assert!(!file.set("bank", bank("a\"b\n{{secret:bank}}")).unwrap());
        assert!(file.set("bank", bank("Quince-41")).unwrap());
        assert_eq!(file.find("bank").unwrap(), Some(bank("Quince-41")));
        assert_eq!(file.list().unwrap(), [("bank".to_owned(), bank("").places)]);
        assert!(file.remove("bank").unwrap());
        assert!(!file.remove("bank").unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn others_cannot_read_it_and_a_file_that_they_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let file = SecretFile::of(home.path());
        file.set("bank", bank("Quince-41")).unwrap();
        let path = home.path().join(FILE);
        assert_eq!(secret::mode(&std::fs::metadata(&path).unwrap()), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let told = file.find("bank").unwrap_err().to_string();
        assert!(told.contains("chmod 600") && !told.contains("Quince"), "{told}");
    }

    #[test]
    fn a_damaged_file_is_told_and_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(FILE), "{\"bank\": 3}").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let own = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(home.path().join(FILE), own).unwrap();
        }
        let file = SecretFile::of(home.path());
        assert!(matches!(file.set("mail", bank("x")), Err(SecretStoreError::Damaged { .. })));
        assert_eq!(std::fs::read_to_string(home.path().join(FILE)).unwrap(), "{\"bank\": 3}");
    }
}
