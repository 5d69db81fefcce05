//! Keys in a settings file that other users of this machine can read.
use std::fmt;
use std::path::{Path, PathBuf};

use super::{Config, Origin};
use crate::secret;

/// A settings file with keys in it that others can read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExposedKeys {
    file: PathBuf,
    mode: u32,
    keys: Vec<String>,
}

impl ExposedKeys {
    /// What to do about it.
    pub fn way_out(&self) -> String {
        format!(
            "chmod 600 '{}', and choose others if somebody may have read them",
            self.file.display()
        )
    }
}

impl fmt::Display for ExposedKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (file, mode, keys) = (self.file.display(), self.mode, self.keys.join(", "));
        write!(f, "{file} can be read by others (mode {mode:o}), and {keys} in it")
    }
}

impl Config {
    /// The keys of the settings file, if others can read it; `None` where there is nothing to say.
    pub fn exposed_keys(&self) -> Option<ExposedKeys> {
        let file = self.file.as_deref()?;
        let mode = secret::mode(&std::fs::metadata(file).ok()?);
        let keys: Vec<String> = self.keys_in(file).collect();
        let exposed = mode & 0o044 != 0 && !keys.is_empty();
        exposed.then(|| ExposedKeys { file: file.to_owned(), mode, keys })
    }

    /// The settings file or its folder, with its permission bits, if all users can write there. A group may be the
    /// person's own, as it is on many systems.
    pub fn settings_that_others_may_change(&self) -> Option<(&Path, u32)> {
        // A device, as `/dev/null` is, holds nothing that others could change.
        let file = self.file.as_deref().filter(|it| it.is_file())?;
        let folder = file.parent().filter(|it| !it.as_os_str().is_empty());
        let mut places = [Some(file), folder].into_iter().flatten();
        places.find_map(|place| {
            let mode = secret::mode_if_others_may_write(place)?;
            (mode & 0o002 != 0 && !secret::is_sticky(place)).then_some((place, mode))
        })
    }

    fn keys_in<'a>(&'a self, file: &'a Path) -> impl Iterator<Item = String> + 'a {
        self.read.iter().filter_map(move |(setting, entry)| {
            let there =
                matches!(&entry.as_ref()?.origin, Origin::File { path, .. } if path == file);
            (setting.secret && there).then(|| setting.key.clone())
        })
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;
    use crate::config::Environment;

    #[test]
    fn keys_that_others_can_read_are_noticed() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("ayeaye.toml");
        let found = |text: &str, mode| {
            std::fs::write(&file, text).unwrap();
            std::fs::set_permissions(&file, std::fs::Permissions::from_mode(mode)).unwrap();
            let environment = Environment::of([("HOME", home.path().to_str().unwrap())]);
            Config::load(&[], Some(&file), &environment).unwrap().exposed_keys()
        };
        let key = "[http]\ntoken = 'a-token-for-tests-only'\n";
        let exposed = found(key, 0o644).unwrap();
        assert!(exposed.to_string().ends_with("(mode 644), and http.token in it"), "{exposed}");
        assert!(exposed.way_out().starts_with("chmod 600 "));
        assert!(found(key, 0o640).is_some());
        assert_eq!(found(key, 0o600), None);
        assert_eq!(found("[http]\nrate-limit = 7\n", 0o644), None);
    }

    #[test]
    fn settings_that_all_users_can_change_are_noticed() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("ayeaye.toml");
        std::fs::write(&file, "").unwrap();
        let rights = |of: &Path, mode| {
            std::fs::set_permissions(of, std::fs::Permissions::from_mode(mode)).unwrap();
        };
        for (of_folder, of_file, expected) in [
            (0o700, 0o600, None),
            (0o775, 0o664, None),
            (0o777, 0o600, Some(home.path())),
            (0o1777, 0o600, None),
            (0o700, 0o666, Some(file.as_path())),
        ] {
            rights(home.path(), of_folder);
            rights(&file, of_file);
            let environment = Environment::of([("HOME", home.path().to_str().unwrap())]);
            let config = Config::load(&[], Some(&file), &environment).unwrap();
            let found = config.settings_that_others_may_change().map(|(place, _)| place);
            assert_eq!(found, expected, "{of_folder:o} {of_file:o}");
        }
    }
}
