//! The user's named secrets, in a file of the data folder that only its owner can read.
use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use ayeaye_agent::private_files::{lock_within, private_folder};
use ayeaye_agent::{NamedSecret, NamedSecretError, NamedSecrets, SecretPlaces, with_line_feeds};
use serde::{Deserialize, Serialize};

use crate::atomic_file::{self, way_out};
use crate::secret;
use ayeaye_agent::bounded_file::open_file;

/// Its name in the data folder.
const FILE: &str = "secrets.json";
/// The file that is locked while it is read and replaced.
const LOCK: &str = "secrets.lock";
/// How long another process may take to write the secrets.
const PATIENCE: Duration = Duration::from_secs(5);
/// The largest file that is read, in bytes.
const LARGEST: u64 = 1 << 20;

/// The file. It is read each time a secret is asked for.
#[derive(Debug, Clone)]
pub struct SecretFile {
    path: PathBuf,
    /// All secrets as they were read last. Clones share it.
    last: Arc<Mutex<LastRead>>,
}

/// What was read last, and the file as it was then; no file where there was none.
#[derive(Debug, Default)]
struct LastRead {
    file: Option<FileState>,
    all: Arc<BTreeMap<String, NamedSecret>>,
}

/// By what another file, or another content, is told.
#[derive(Debug, PartialEq, Eq)]
struct FileState {
    changed: Option<SystemTime>,
    bytes: u64,
    number: u64,
    mode: u32,
}

impl FileState {
    fn of(path: &Path) -> Option<Self> {
        let found = std::fs::metadata(path).ok()?;
        #[cfg(unix)]
        let number = std::os::unix::fs::MetadataExt::ino(&found);
        #[cfg(not(unix))]
        let number = 0;
        Some(Self {
            changed: found.modified().ok(),
            bytes: found.len(),
            number,
            mode: secret::mode(&found),
        })
    }
}

/// What is kept of a secret.
#[derive(Clone, Serialize, Deserialize)]
struct StoredSecret {
    value: String,
    apps: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    hosts: Vec<String>,
}

/// Why the file cannot be used.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SecretStoreError {
    #[error("{} cannot be read: {why}", path.display())]
    Read { path: PathBuf, why: io::Error },
    #[error("{} cannot be written: {why}{}", path.display(), way_out(why))]
    Write { path: PathBuf, why: io::Error },
    #[error(
        "{} can be read by others (mode {mode:o}): take that away (chmod 600), and change the secrets in it",
        path.display()
    )]
    Exposed { path: PathBuf, mode: u32 },
    #[error("{} is damaged ({why}): mend it, or delete it and keep the secrets again", path.display())]
    Damaged { path: PathBuf, why: serde_json::Error },
    #[error("{} is larger than {LARGEST} bytes: no secrets of ours", path.display())]
    TooLarge { path: PathBuf },
}

impl SecretFile {
    /// The file of this data folder, whether it is there or not.
    pub fn of(data_dir: &Path) -> Self {
        Self { path: data_dir.join(FILE), last: Arc::default() }
    }

    /// The names of the secrets with where each may be typed.
    pub fn list(&self) -> Result<Vec<(String, SecretPlaces)>, SecretStoreError> {
        let places = |StoredSecret { apps, hosts, .. }| SecretPlaces { apps, hosts };
        Ok(self.read()?.into_iter().map(|(name, kept)| (name, places(kept))).collect())
    }

    /// Keeps a secret; one of that name is replaced. True if there was one.
    pub async fn set(
        &self,
        name: &str,
        NamedSecret { value, places: SecretPlaces { apps, hosts } }: NamedSecret,
    ) -> Result<bool, SecretStoreError> {
        let _locked = self.lock().await?;
        let mut all = self.read()?;
        let replaced = all.insert(name.to_owned(), StoredSecret { value, apps, hosts }).is_some();
        self.write(&all)?;
        Ok(replaced)
    }

    /// Forgets a secret. False if there is none of that name.
    pub async fn remove(&self, name: &str) -> Result<bool, SecretStoreError> {
        let _locked = self.lock().await?;
        let mut all = self.read()?;
        let removed = all.remove(name).is_some();
        if removed {
            self.write(&all)?;
        }
        Ok(removed)
    }

    /// Waits until no other process changes the secrets; none does until what is returned is dropped, or its process
    /// ends.
    async fn lock(&self) -> Result<File, SecretStoreError> {
        let path = self.path.with_file_name(LOCK);
        lock_within(&path, PATIENCE).await.map_err(|why| SecretStoreError::Write { path, why })
    }

    fn read(&self) -> Result<BTreeMap<String, StoredSecret>, SecretStoreError> {
        let path = || self.path.clone();
        let unreadable = |why| SecretStoreError::Read { path: path(), why };
        let file = match open_file(&self.path) {
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
        serde_json::from_str(&text).map_err(|why| SecretStoreError::Damaged { path: path(), why })
    }

    fn write(&self, all: &BTreeMap<String, StoredSecret>) -> Result<(), SecretStoreError> {
        let written = serde_json::to_string_pretty(all).map_err(io::Error::from).and_then(|text| {
            if let Some(folder) = self.path.parent() {
                private_folder(folder, true)?;
            }
            atomic_file::replace(&self.path, &text)
        });
        written.map_err(|why| SecretStoreError::Write { path: self.path.clone(), why })
    }
}

impl NamedSecrets for SecretFile {
    fn find(&self, name: &str) -> Result<Option<NamedSecret>, NamedSecretError> {
        let unreadable = |err: SecretStoreError| NamedSecretError::Unreadable {
            name: name.to_owned(),
            why: err.to_string(),
        };
        let mut all = self.read().map_err(unreadable)?;
        Ok(all.remove(name).map(NamedSecret::from))
    }

    fn all(&self) -> Result<Arc<BTreeMap<String, NamedSecret>>, NamedSecretError> {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken before it is read: what changes meanwhile is read again.
        let file = FileState::of(&self.path);
        if last.file != file {
            let all =
                self.read().map_err(|err| NamedSecretError::AllUnreadable(err.to_string()))?;
            let all = all.into_iter().map(|(name, kept)| (name, NamedSecret::from(kept)));
            *last = LastRead { file, all: Arc::new(all.collect()) };
        }
        Ok(last.all.clone())
    }
}

impl From<StoredSecret> for NamedSecret {
    fn from(StoredSecret { value, apps, hosts }: StoredSecret) -> Self {
        Self { value: with_line_feeds(&value), places: SecretPlaces { apps, hosts } }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Barrier};

    use super::*;

    fn bank(value: &str) -> NamedSecret {
        let places = SecretPlaces {
            apps: vec!["com.example.bank".to_owned()],
            hosts: vec!["example.org".to_owned()],
        };
        NamedSecret { value: value.to_owned(), places }
    }

    #[tokio::test]
    async fn what_is_kept_is_found_and_forgotten_again() {
        let home = tempfile::tempdir().unwrap();
        let file = SecretFile::of(&home.path().join("data"));
        assert_eq!(file.find("bank").unwrap(), None);
        assert!(!file.set("bank", bank("a\"b\n{{secret:bank}}")).await.unwrap());
        // As phones are typed it, and show it.
        assert!(file.set("bank", bank("two\r\nlines")).await.unwrap());
        assert_eq!(file.find("bank").unwrap(), Some(bank("two\nlines")));
        assert!(file.set("bank", bank("Quince-41")).await.unwrap());
        assert_eq!(file.find("bank").unwrap(), Some(bank("Quince-41")));
        assert_eq!(file.list().unwrap(), [("bank".to_owned(), bank("").places)]);
        let names = || file.all().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(), ["bank"]);
        assert!(Arc::ptr_eq(&file.all().unwrap(), &file.all().unwrap()), "read once");
        // By whatever process.
        SecretFile::of(&home.path().join("data")).set("mail", bank("Quince-42")).await.unwrap();
        assert_eq!(names(), ["bank", "mail"]);
        assert!(file.remove("mail").await.unwrap());
        assert!(file.remove("bank").await.unwrap());
        assert_eq!(names(), [""; 0]);
        assert!(!file.remove("bank").await.unwrap());
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 8)]
    async fn those_that_are_kept_at_the_same_time_are_all_kept() {
        let home = tempfile::tempdir().unwrap();
        let names: Vec<String> = (0..8).map(|number| format!("s{number}")).collect();
        let listed = || {
            let listed = SecretFile::of(home.path()).list().unwrap();
            listed.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        for (keeps, left) in [(true, &names[..]), (false, &names[..0])] {
            let together = Arc::new(Barrier::new(names.len()));
            let each = names.iter().cloned().map(|name| {
                let (file, together) = (SecretFile::of(home.path()), together.clone());
                tokio::spawn(async move {
                    // Each on a thread of its own.
                    together.wait();
                    if keeps {
                        assert!(!file.set(&name, bank("x")).await.unwrap());
                    } else {
                        assert!(file.remove(&name).await.unwrap());
                    }
                })
            });
            for done in each.collect::<Vec<_>>() {
                done.await.unwrap();
            }
            assert_eq!(listed(), left);
        }
    }

    #[test]
    fn that_nothing_can_be_written_is_told_with_the_way_out() {
        let told = |kind: io::ErrorKind| {
            SecretStoreError::Write { path: "/data/secrets.json".into(), why: kind.into() }
                .to_string()
        };
        for kind in [io::ErrorKind::PermissionDenied, io::ErrorKind::StorageFull] {
            assert!(told(kind).contains("--data-dir"), "{}", told(kind));
        }
        assert!(!told(io::ErrorKind::TimedOut).contains("--data-dir"));
    }

    #[cfg(unix)]
    #[test]
    fn an_error_says_its_cause_once() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join(FILE)).unwrap();
        let own = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(home.path().join(FILE), own).unwrap();
        let failed = SecretFile::of(home.path()).list().unwrap_err();
        let told = format!("{:#}", anyhow::Error::from(failed));
        assert_eq!(told.matches("it is no file").count(), 1, "{told}");
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn others_cannot_read_it_and_a_file_that_they_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let home = tempfile::tempdir().unwrap();
        let file = SecretFile::of(home.path());
        file.set("bank", bank("Quince-41")).await.unwrap();
        let path = home.path().join(FILE);
        assert_eq!(secret::mode(&std::fs::metadata(&path).unwrap()), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
        let told = file.find("bank").unwrap_err().to_string();
        assert!(told.contains("chmod 600") && !told.contains("Quince"), "{told}");
    }

    #[tokio::test]
    async fn a_damaged_file_is_told_and_not_replaced() {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join(FILE), "{\"bank\": 3}").unwrap();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let own = std::fs::Permissions::from_mode(0o600);
            std::fs::set_permissions(home.path().join(FILE), own).unwrap();
        }
        let file = SecretFile::of(home.path());
        assert!(matches!(file.set("mail", bank("x")).await, Err(SecretStoreError::Damaged { .. })));
        assert_eq!(std::fs::read_to_string(home.path().join(FILE)).unwrap(), "{\"bank\": 3}");
    }
}
