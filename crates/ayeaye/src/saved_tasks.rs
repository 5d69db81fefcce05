//! Tasks that the user keeps under a name: a file each in the data folder.
mod slots;

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use ayeaye_agent::Replay;
use ayeaye_agent::private_files::{private_folder, remove_file};
use serde::{Deserialize, Serialize};

pub use self::slots::{braces_without_slot, is_slot_name};
use crate::atomic_file::{self, way_out};
use ayeaye_agent::bounded_file::bounded_file;

/// Their folder in the data folder.
const FOLDER: &str = "tasks";
/// The ending of a task's file.
const ENDING: &str = ".json";
/// The largest file that is read, in bytes: the steps of a long session, several times over.
const LARGEST: u64 = 1 << 20;
/// The longest name, in bytes.
const LONGEST_NAME: usize = 64;

/// A task that is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct SavedTask {
    /// What to do, with slots such as `{person}`.
    pub text: String,
    /// Whether what looks like a slot is a word of the task, as it was said.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub without_slots: bool,
    /// The phone that it is for, by its serial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// The step limit of a run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_steps: Option<u32>,
    /// What a session did that carried it out.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steps: Option<Replay>,
}

impl SavedTask {
    /// The names of its slots, each once, in order. A task with steps has none: the steps would type what was said
    /// when they were done, whatever is filled in.
    pub fn slots(&self) -> Vec<&str> {
        if self.without_slots || self.steps.is_some() {
            return Vec::new();
        }
        slots::slots(&self.text)
    }

    /// Its text with what stands in its slots; the first slot that has nothing is the error.
    pub fn filled(&self, values: &BTreeMap<String, String>) -> Result<String, String> {
        if self.slots().is_empty() {
            return Ok(self.text.clone());
        }
        slots::fill(&self.text, values)
    }
}

/// The folder of the tasks.
#[derive(Debug, Clone)]
pub struct SavedTasks {
    folder: PathBuf,
}

/// Why a task cannot be kept or had.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum SavedTaskError {
    #[error(
        "{0:?} cannot name a task: a name has letters, digits, `-`, `_` and `.`, at most {LONGEST_NAME}, and neither `.` nor `-` first; \
         on Windows it is no device's, such as CON"
    )]
    Name(String),
    #[error(
        "{name:?} differs from the task {there:?} only in capitals, which are one name on some systems: take that one, or another name"
    )]
    Capitals { name: String, there: String },
    #[error("there is no task named {0:?}\nhint: `ayeaye task list` shows those there are")]
    Unknown(String),
    #[error("{} cannot be read: {why}", path.display())]
    Read { path: PathBuf, why: io::Error },
    #[error("{} cannot be written: {why}{}", path.display(), way_out(why))]
    Write { path: PathBuf, why: io::Error },
    #[error("{} is damaged ({why}): mend it, or delete it and save the task again", path.display())]
    Damaged { path: PathBuf, why: serde_json::Error },
}

impl SavedTasks {
    /// The folder in this data folder, whether it is there or not.
    pub fn of(data_dir: &Path) -> Self {
        Self { folder: data_dir.join(FOLDER) }
    }

    /// The file of the task of that name, whether it is there or not.
    pub fn path(&self, name: &str) -> Result<PathBuf, SavedTaskError> {
        if is_name(name) {
            Ok(self.folder.join(format!("{name}{ENDING}")))
        } else {
            Err(SavedTaskError::Name(name.chars().take(LONGEST_NAME + 1).collect()))
        }
    }

    /// The file of a task that is there. Some file systems find it under other capitals, too.
    fn known(&self, name: &str) -> Result<PathBuf, SavedTaskError> {
        let path = self.path(name)?;
        if self.names()?.iter().any(|it| it == name) {
            Ok(path)
        } else {
            Err(SavedTaskError::Unknown(name.to_owned()))
        }
    }

    /// The names of all tasks, in order.
    pub fn names(&self) -> Result<Vec<String>, SavedTaskError> {
        let unreadable = |why| SavedTaskError::Read { path: self.folder.clone(), why };
        let entries = match std::fs::read_dir(&self.folder) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(unreadable)?,
        };
        let mut names = Vec::new();
        for entry in entries {
            let file = entry.map_err(unreadable)?.file_name();
            let name = file.to_str().and_then(|file| file.strip_suffix(ENDING));
            names.extend(name.filter(|name| is_name(name)).map(str::to_owned));
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The task of that name.
    pub fn read(&self, name: &str) -> Result<SavedTask, SavedTaskError> {
        let path = self.known(name)?;
        let bytes = match bounded_file(&path, LARGEST) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => {
                return Err(SavedTaskError::Unknown(name.to_owned()));
            }
            bytes => bytes.map_err(|why| SavedTaskError::Read { path: path.clone(), why })?,
        };
        serde_json::from_slice(&bytes).map_err(|why| SavedTaskError::Damaged { path, why })
    }

    /// Keeps a task; one of that name is replaced. True if there was one.
    pub fn save(&self, name: &str, task: &SavedTask) -> Result<bool, SavedTaskError> {
        let path = self.path(name)?;
        let names = self.names()?;
        let is_alike = |it: &&String| *it != name && it.eq_ignore_ascii_case(name);
        if let Some(there) = names.iter().find(is_alike).cloned() {
            return Err(SavedTaskError::Capitals { name: name.to_owned(), there });
        }
        let replaced = names.iter().any(|it| it == name);
        let written =
            serde_json::to_string_pretty(task).map_err(io::Error::from).and_then(|text| {
                if LARGEST < text.len() as u64 {
                    return Err(io::Error::other(format!(
                        "it would be longer than {LARGEST} bytes"
                    )));
                }
                private_folder(&self.folder, true)?;
                atomic_file::replace(&path, &format!("{text}\n"))
            });
        written.map_err(|why| SavedTaskError::Write { path, why })?;
        Ok(replaced)
    }

    /// Forgets a task.
    pub fn remove(&self, name: &str) -> Result<(), SavedTaskError> {
        let path = self.known(name)?;
        match remove_file(&path) {
            Err(err) if err.kind() == io::ErrorKind::NotFound => {
                Err(SavedTaskError::Unknown(name.to_owned()))
            }
            removed => removed.map_err(|why| SavedTaskError::Write { path, why }),
        }
    }
}

/// Whether a task can have this name: it is one of a file, and of no other one than its own.
fn is_name(name: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    // With `-` first it would be a flag on every command line that names it.
    let first = !name.starts_with(['.', '-']);
    (1..=LONGEST_NAME).contains(&name.len())
        && first
        && name.bytes().all(inner)
        && !(cfg!(windows) && is_windows_device(name))
}

/// Whether Windows takes a file of this name for a device, whatever its ending.
fn is_windows_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().to_ascii_uppercase();
    let numbered =
        |kind| stem.strip_prefix(kind).is_some_and(|it| matches!(it.as_bytes(), [b'1'..=b'9']));
    matches!(stem.as_str(), "CON" | "PRN" | "AUX" | "NUL") || numbered("COM") || numbered("LPT")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn task(text: &str) -> SavedTask {
        let text = text.to_owned();
        SavedTask { text, without_slots: false, device: None, max_steps: Some(7), steps: None }
    }

    #[test]
    fn names_of_windows_devices_are_known() {
        for name in ["con", "NUL", "Aux.morning", "com1", "LPT9.x"] {
            assert!(is_windows_device(name), "{name}");
        }
        for name in ["console", "com", "com0", "com10", "morning.con"] {
            assert!(!is_windows_device(name), "{name}");
        }
    }

    #[test]
    fn what_is_kept_is_found_listed_and_forgotten() {
        let home = tempfile::tempdir().unwrap();
        let tasks = SavedTasks::of(&home.path().join("data"));
        assert_eq!(tasks.names().unwrap(), Vec::<String>::new());
        assert!(matches!(tasks.read("late"), Err(SavedTaskError::Unknown(_))));
        assert!(!tasks.save("late", &task("Text {person}")).unwrap());
        assert!(tasks.save("late", &task("Text {person}: late")).unwrap());
        tasks.save("a.b-c_1", &task("x")).unwrap();
        std::fs::write(home.path().join("data/tasks/notes.txt"), "mine").unwrap();
        assert_eq!(tasks.names().unwrap(), ["a.b-c_1", "late"]);
        assert_eq!(tasks.read("late").unwrap(), task("Text {person}: late"));
        let text = std::fs::read_to_string(tasks.path("late").unwrap()).unwrap();
        assert_eq!(text, "{\n  \"text\": \"Text {person}: late\",\n  \"max-steps\": 7\n}\n");
        tasks.remove("late").unwrap();
        assert!(matches!(tasks.remove("late"), Err(SavedTaskError::Unknown(_))));
    }

    #[test]
    fn names_that_some_systems_take_for_one_are_not_both_given() {
        let home = tempfile::tempdir().unwrap();
        let tasks = SavedTasks::of(home.path());
        tasks.save("Late", &task("Text {person}")).unwrap();
        let refused = tasks.save("late", &task("Delete {what}")).unwrap_err().to_string();
        assert!(refused.contains("\"Late\"") && refused.contains("capitals"), "{refused}");
        assert!(matches!(tasks.read("late"), Err(SavedTaskError::Unknown(_))));
        assert_eq!(tasks.read("Late").unwrap(), task("Text {person}"));
    }

    #[test]
    fn a_damaged_file_is_told_with_its_path() {
        let home = tempfile::tempdir().unwrap();
        let tasks = SavedTasks::of(home.path());
        tasks.save("late", &task("x")).unwrap();
        for text in ["", "{}", "{\"text\": 3}", "{\"text\": \"x\", \"sneaky\": 1}"] {
            std::fs::write(tasks.path("late").unwrap(), text).unwrap();
            let told = tasks.read("late").unwrap_err().to_string();
            assert!(told.contains("late.json is damaged"), "{text}: {told}");
            let whole = format!("{:#}", anyhow::Error::from(tasks.read("late").unwrap_err()));
            assert_eq!(whole, told, "the cause is said once");
        }
    }

    #[test]
    fn no_name_is_taken_for_a_flag() {
        let tasks = SavedTasks::of(Path::new("/data"));
        for name in ["-x", "--from", "-"] {
            assert!(matches!(tasks.path(name), Err(SavedTaskError::Name(_))), "{name}");
        }
        assert!(tasks.path("x-1").is_ok());
    }

    #[test]
    fn braces_of_a_task_that_was_taken_as_it_was_said_stay() {
        let home = tempfile::tempdir().unwrap();
        let tasks = SavedTasks::of(home.path());
        let said = SavedTask { without_slots: true, ..task("Pay {bob}") };
        tasks.save("br", &said).unwrap();
        let read = tasks.read("br").unwrap();
        assert_eq!(read, said);
        assert_eq!((read.slots(), read.filled(&BTreeMap::new())), (vec![], Ok(said.text)));
        assert_eq!(task("Pay {bob}").filled(&BTreeMap::new()), Err("bob".to_owned()));
    }

    proptest! {
        #[test]
        fn no_name_leads_out_of_the_folder(name in "[a-zA-Z0-9./\\\\_~ \\-]{0,70}") {
            let tasks = SavedTasks::of(Path::new("/data"));
            if let Ok(path) = tasks.path(&name) {
                prop_assert_eq!(path.parent(), Some(Path::new("/data/tasks")));
            }
        }
    }
}
