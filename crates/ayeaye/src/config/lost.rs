//! What a program started elsewhere would not know: a client with a window has other variables and
//! another PATH than the shell in which someone set things up.
use std::path::PathBuf;

use super::layer::RawValue;
use super::{Config, ConfigError, Environment, Flag, ValueError, explain};

/// A setting that would be lost.
#[derive(Clone)]
pub struct LostSetting {
    /// As the settings file calls it.
    pub key: String,
    /// Where it comes from here, in words.
    pub origin: String,
    /// Whether its value must not be shown.
    pub secret: bool,
    /// For the settings file.
    pub value: toml_edit::Value,
}

// The value may be a key.
impl std::fmt::Debug for LostSetting {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} from {}", self.key, self.origin)
    }
}

impl Config {
    /// The settings that differ for a server started with these flags in another environment. `file` is
    /// the settings file that its flags name.
    ///
    /// Left out are those for HTTP and for logging: they are for whoever starts the server.
    pub fn lost_in(
        &self,
        flags: &[Flag],
        file: Option<&std::path::Path>,
        other: &Environment,
    ) -> Result<Vec<LostSetting>, ConfigError> {
        let there = Self::load(flags, file, other)?;
        let there_paths = &there.paths;
        let mut lost = Vec::new();
        for ((setting, here), (_, there)) in self.read.iter().zip(&there.read) {
            let Some(here) = here else { continue };
            // A relative path means another folder there, even if it is written the same.
            let whole = self.paths.get(&setting.key);
            let same = match whole {
                Some(path) => there_paths.get(&setting.key) == Some(path),
                None => there.as_ref().is_some_and(|there| there.raw == here.raw),
            };
            if same || setting.key.starts_with("http.") || setting.key == "log" {
                continue;
            }
            let value = match (whole, &here.raw) {
                (Some(path), _) => {
                    let unwritable = || ConfigError::InvalidValue {
                        key: setting.key.clone(),
                        origin: here.origin.clone(),
                        problem: ValueError::NotUtf8Path { path: path.clone() },
                    };
                    path.to_str().ok_or_else(unwritable)?.into()
                }
                (None, RawValue::List(items)) => items.iter().map(String::as_str).collect(),
                (None, RawValue::Text(text)) if explain::is_bare(text) => {
                    text.parse().unwrap_or_else(|_| text.as_str().into())
                }
                (None, RawValue::Text(text) | RawValue::Table(text)) => text.as_str().into(),
            };
            lost.push(LostSetting {
                key: setting.key.clone(),
                origin: here.origin.to_string(),
                secret: setting.secret,
                value,
            });
        }
        Ok(lost)
    }

    /// Where a settings file is read in another environment, unless a flag names one.
    pub fn default_file_in(other: &Environment) -> Option<PathBuf> {
        super::paths::settings_file(other)
    }

    /// Where an adb program is looked for in another environment.
    pub fn adb_folders_in(other: &Environment) -> Vec<PathBuf> {
        super::paths::adb_folders(other)
    }
}
