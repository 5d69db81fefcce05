//! Reads settings from the layers. Reading declares a setting: its key, its type and its rule are where
//! it is read, and nowhere else.
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use ayeaye_model::Secret;

use super::environment::Environment;
use super::error::{ConfigError, ValueError};
use super::known::KnownSetting;
use super::layer::{Layer, LayerEntry, RawValue};
use super::origin::Origin;
use super::{paths, value};

/// Settings that were read, with the entry that counted.
pub(super) type ReadSettings = Vec<(KnownSetting, Option<LayerEntry>)>;

/// The layers of all sources.
pub(super) struct Reader<'a> {
    /// The strongest first.
    layers: Vec<Layer>,
    /// Where relative paths of the settings file start.
    base: &'a Path,
    pub(super) environment: &'a Environment,
    read: RefCell<ReadSettings>,
    /// The paths among them, whole.
    paths: RefCell<BTreeMap<String, PathBuf>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(layers: Vec<Layer>, base: &'a Path, environment: &'a Environment) -> Self {
        let (read, paths) = (RefCell::default(), RefCell::default());
        Self { layers, base, environment, read, paths }
    }

    /// What was read, in order, with the entry that counted; and the paths among it, whole.
    pub(super) fn into_read(self) -> (ReadSettings, BTreeMap<String, PathBuf>) {
        (self.read.into_inner(), self.paths.into_inner())
    }

    /// A setting without a default.
    pub(super) fn optional<T, E: Into<ValueError>>(
        &self,
        key: impl Display,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<Option<T>, ConfigError> {
        self.parse(&key.to_string(), false, |text, _| parse(text).map_err(Into::into))
    }

    /// A setting without a default that may be a table, which is parsed as JSON.
    pub(super) fn table_or_text<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, ValueError>,
    ) -> Result<Option<T>, ConfigError> {
        self.table(key, false, parse)
    }

    /// The same with values that are never shown.
    pub(super) fn secret_table<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, ValueError>,
    ) -> Result<Option<T>, ConfigError> {
        self.table(key, true, parse)
    }

    fn table<T>(
        &self,
        key: &str,
        secret: bool,
        parse: impl FnOnce(&str) -> Result<T, ValueError>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(LayerEntry { raw, origin }) = self.find(key, secret) else { return Ok(None) };
        let parsed = match raw {
            RawValue::Text(text) | RawValue::Table(text) => parse(&text),
            RawValue::List(_) => Err(ValueError::List),
        };
        parsed.map(Some).map_err(|problem| invalid(key, origin, problem))
    }

    /// A setting with a default.
    pub(super) fn required<T, E: Into<ValueError>>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, E>,
    ) -> Result<T, ConfigError> {
        Ok(self.optional(key, parse)?.expect("default-config.toml has it; every test reads it"))
    }

    /// A bound, which `none` lifts.
    pub(super) fn bound<T>(
        &self,
        key: &str,
        parse: impl FnOnce(&str) -> Result<T, ValueError>,
    ) -> Result<Option<T>, ConfigError> {
        let bound = |text: &str| if text == "none" { Ok(None) } else { parse(text).map(Some) };
        Ok(self.optional(key, bound)?.flatten())
    }

    /// A key or a token, which is never shown.
    pub(super) fn secret(
        &self,
        key: impl Display,
        parse: impl FnOnce(&str) -> Result<Secret, ValueError>,
    ) -> Result<Option<Secret>, ConfigError> {
        self.parse(&key.to_string(), true, |text, _| parse(text))
    }

    /// A path: `~/` is the home folder, and one in the settings file is relative to the file.
    pub(super) fn path(&self, key: &str) -> Result<Option<PathBuf>, ConfigError> {
        self.parse(key, false, |text, origin| self.resolved(key, text, origin))
    }

    fn resolved(&self, key: &str, text: &str, origin: &Origin) -> Result<PathBuf, ValueError> {
        let base = match origin {
            Origin::File { .. } => self.base,
            Origin::Flag(_) | Origin::Environment(_) | Origin::Default => Path::new(""),
        };
        let path = paths::resolve(text, base, self.environment)?;
        let whole = std::path::absolute(path).map_err(ValueError::NoWorkingDirectory)?;
        self.paths.borrow_mut().insert(key.to_owned(), whole.clone());
        Ok(whole)
    }

    /// A path, or this word for none.
    pub(super) fn path_unless(
        &self,
        key: &str,
        none: &str,
    ) -> Result<Option<PathBuf>, ConfigError> {
        let path = self.parse(key, false, |text, origin| {
            if text == none { Ok(None) } else { self.resolved(key, text, origin).map(Some) }
        });
        path.map(Option::flatten)
    }

    /// A list: an array in the file, words between commas elsewhere.
    pub(super) fn list<T: FromStr<Err = ValueError>>(
        &self,
        key: &str,
    ) -> Result<Vec<T>, ConfigError> {
        self.list_checked(key, |_| Ok(()))
    }

    /// A list whose values are checked together: one may be against another.
    pub(super) fn list_checked<T: FromStr<Err = ValueError>>(
        &self,
        key: &str,
        check: impl FnOnce(&[T]) -> Result<(), ValueError>,
    ) -> Result<Vec<T>, ConfigError> {
        let Some(LayerEntry { raw, origin }) = self.find(key, false) else {
            return Ok(Vec::new());
        };
        let words = match raw {
            RawValue::Table(_) => return Err(invalid(key, origin, ValueError::NotAValue)),
            RawValue::List(words) => words,
            RawValue::Text(text) => {
                let words = text.split(',').map(str::trim).filter(|word| !word.is_empty());
                words.map(str::to_owned).collect()
            }
        };
        // A list is shown as one, however it was written.
        if let Some((_, Some(entry))) = self.read.borrow_mut().last_mut() {
            entry.raw = RawValue::List(words.clone());
        }
        let values: Result<Vec<T>, ValueError> = words.iter().map(|word| word.parse()).collect();
        let checked = values.and_then(|values| check(&values).map(|()| values));
        checked.map_err(|problem| invalid(key, origin, problem))
    }

    /// One of a few words.
    pub(super) fn choice<T: Copy>(
        &self,
        key: &str,
        words: &[(&'static str, T)],
    ) -> Result<T, ConfigError> {
        self.required(key, |text| value::choice(text, words))
    }

    /// The error that `key`, which is set, needs `missing` too.
    pub(super) fn needs(&self, key: &str, missing: &'static str) -> ConfigError {
        let found = self.layers.iter().find_map(|layer| layer.get(key));
        let origin = found.map_or(Origin::Default, |entry| entry.origin.clone());
        invalid(key, origin, ValueError::Needs(missing))
    }

    fn parse<T>(
        &self,
        key: &str,
        secret: bool,
        parse: impl FnOnce(&str, &Origin) -> Result<T, ValueError>,
    ) -> Result<Option<T>, ConfigError> {
        let Some(LayerEntry { raw, origin }) = self.find(key, secret) else { return Ok(None) };
        let parsed = match raw {
            RawValue::Text(text) => parse(&text, &origin),
            RawValue::List(_) => Err(ValueError::List),
            RawValue::Table(_) => Err(ValueError::NotAValue),
        };
        parsed.map(Some).map_err(|problem| invalid(key, origin, problem))
    }

    fn find(&self, key: &str, secret: bool) -> Option<LayerEntry> {
        let found = self.layers.iter().find_map(|layer| layer.get(key)).cloned();
        let setting = KnownSetting { key: key.to_owned(), secret };
        self.read.borrow_mut().push((setting, found.clone()));
        found
    }
}

fn invalid(key: &str, origin: Origin, problem: ValueError) -> ConfigError {
    ConfigError::InvalidValue { key: key.to_owned(), origin, problem }
}
