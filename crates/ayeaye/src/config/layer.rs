//! Layers of settings: what one file, the environment or the flags say, and where each was said.
use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::setting::{self, SETTINGS};
use super::{ConfigError, Environment};

/// Where a value was said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// On the command line.
    Flag(&'static str),
    /// In the environment, under this name.
    Environment(String),
    /// In a file.
    File {
        /// The file.
        path: PathBuf,
        /// Its line, from 1.
        line: usize,
    },
    /// Nowhere: it is what holds when nothing is said.
    Default,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(name) => write!(f, "flag {name}"),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Default => f.write_str("default"),
        }
    }
}

/// A value as it was written, before anybody asked what it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Raw {
    Text(String),
    List(Vec<String>),
}

/// A value and where it was said.
#[derive(Clone)]
pub(super) struct Given {
    pub(super) raw: Raw,
    pub(super) origin: Origin,
}

// The value may be a secret; only `explain` knows which may be shown.
impl fmt::Debug for Given {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)
    }
}

/// What one source says, by the names in [`SETTINGS`].
pub(super) type Layer = BTreeMap<&'static str, Given>;

const DEFAULTS: &str = include_str!("../../default-config.toml");

/// The embedded defaults.
pub(super) fn defaults() -> Layer {
    let mut layer =
        from_file(DEFAULTS, Path::new("default-config.toml")).expect("read by every test");
    for given in layer.values_mut() {
        given.origin = Origin::Default;
    }
    layer
}

/// Reads the text of a settings file.
pub(super) fn from_file(text: &str, path: &Path) -> Result<Layer, ConfigError> {
    let line = |offset: usize| {
        let before = text.as_bytes().get(..offset).unwrap_or_default();
        before.split(|byte| *byte == b'\n').count()
    };
    let table = DeTable::parse(text).map_err(|err| ConfigError::Syntax {
        path: path.to_owned(),
        line: line(err.span().map_or(0, |span| span.start)),
        problem: err.message().to_owned(),
    })?;
    let mut layer = Layer::new();
    let mut take = |section: &str, key: &Spanned<_>, value: &Spanned<DeValue<'_>>| {
        let name: &std::borrow::Cow<'_, str> = key.get_ref();
        let full = if section.is_empty() { name.to_string() } else { format!("{section}.{name}") };
        let origin = Origin::File { path: path.to_owned(), line: line(key.span().start) };
        let known = setting::find(&full).filter(|setting| setting.parts() == (section, name));
        let Some(known) = known else {
            return Err(unknown(&full, path, line(key.span().start)));
        };
        let raw = raw(value.get_ref()).ok_or_else(|| ConfigError::Bad {
            key: known.key,
            origin: origin.clone(),
            problem: "it must be one value or a list of texts".to_owned(),
        })?;
        layer.insert(known.key, Given { raw, origin });
        Ok(())
    };
    for (key, value) in table.get_ref() {
        match value.get_ref() {
            DeValue::Table(section) if is_section(key.get_ref()) => {
                for (inner, value) in section {
                    take(key.get_ref(), inner, value)?;
                }
            }
            DeValue::Table(_) => return Err(unknown(key.get_ref(), path, line(key.span().start))),
            _ => take("", key, value)?,
        }
    }
    Ok(layer)
}

/// Reads the variables named after settings. `notes` is told of those that name none.
pub(super) fn from_environment(
    environment: &Environment,
    notes: &mut Vec<String>,
) -> Result<Layer, ConfigError> {
    let mut layer = Layer::new();
    for known in SETTINGS {
        let name = known.variable();
        if let Some(text) = environment.get(&name) {
            let origin = Origin::Environment(name);
            let raw = Raw::Text(text.to_str().map(str::to_owned).ok_or(ConfigError::Bad {
                key: known.key,
                origin: origin.clone(),
                problem: "it is not UTF-8".to_owned(),
            })?);
            layer.insert(known.key, Given { raw, origin });
        }
    }
    let names: Vec<String> = SETTINGS.iter().map(setting::Setting::variable).collect();
    for name in environment.own_names() {
        if name != "AYEAYE_CONFIG" && !names.iter().any(|known| known == name) {
            let near = setting::nearest(name, names.iter().map(String::as_str));
            let hint = near.map(|near| format!("; did you mean {near}?")).unwrap_or_default();
            notes.push(format!("the environment has {name}, which is no setting{hint}"));
        }
    }
    if !layer.contains_key("adb.server")
        && let Some(given) = adb_server(environment)
    {
        layer.insert("adb.server", given);
    }
    Ok(layer)
}

/// What adb's own variables say about its server.
fn adb_server(environment: &Environment) -> Option<Given> {
    let text = |name| environment.get(name).map(|value| value.to_string_lossy().into_owned());
    if let Some(socket) = text("ADB_SERVER_SOCKET") {
        let origin = Origin::Environment("ADB_SERVER_SOCKET".to_owned());
        return Some(Given { raw: Raw::Text(socket), origin });
    }
    let (address, port) = (text("ANDROID_ADB_SERVER_ADDRESS"), text("ANDROID_ADB_SERVER_PORT"));
    let name = match (&address, &port) {
        (None, None) => return None,
        (Some(_), _) => "ANDROID_ADB_SERVER_ADDRESS",
        (None, Some(_)) => "ANDROID_ADB_SERVER_PORT",
    };
    let address = address.unwrap_or_else(|| "127.0.0.1".to_owned());
    let port = port.unwrap_or_else(|| "5037".to_owned());
    Some(Given {
        raw: Raw::Text(format!("tcp:{address}:{port}")),
        origin: Origin::Environment(name.to_owned()),
    })
}

fn is_section(name: &str) -> bool {
    SETTINGS.iter().any(|setting| setting.parts().0 == name) && !name.is_empty()
}

fn unknown(key: &str, path: &Path, line: usize) -> ConfigError {
    let sections = SETTINGS.iter().map(|setting| setting.parts().0).filter(|name| !name.is_empty());
    let known = SETTINGS.iter().map(|setting| setting.key).chain(sections);
    // A key that is right but in the wrong section is nearer than any slip of the finger.
    let bare = key.rsplit_once('.').map_or(key, |(_, bare)| bare);
    let moved = SETTINGS
        .iter()
        .map(|setting| setting.key)
        .find(|known| known.rsplit_once('.').map_or(*known, |(_, bare)| bare) == bare);
    ConfigError::Unknown {
        path: path.to_owned(),
        line,
        key: key.chars().take(64).flat_map(char::escape_debug).collect(),
        nearest: moved.or_else(|| setting::nearest(key, known)),
    }
}

fn raw(value: &DeValue<'_>) -> Option<Raw> {
    match value {
        DeValue::Array(values) => values
            .iter()
            .map(|value| match value.get_ref() {
                DeValue::String(text) => Some(text.to_string()),
                _ => None,
            })
            .collect::<Option<_>>()
            .map(Raw::List),
        DeValue::String(text) => Some(Raw::Text(text.to_string())),
        DeValue::Integer(number) => Some(Raw::Text(number.to_string())),
        DeValue::Float(number) => Some(Raw::Text(number.to_string())),
        DeValue::Boolean(truth) => Some(Raw::Text(truth.to_string())),
        DeValue::Datetime(_) | DeValue::Table(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        from_file(text, Path::new("a.toml")).unwrap_err().to_string()
    }

    #[test]
    fn every_value_knows_its_line() {
        let layer = from_file("log = 'debug'\n\n[run]\nmax-steps = 7\n", Path::new("a.toml"));
        let layer = layer.unwrap();
        assert_eq!(layer["log"].raw, Raw::Text("debug".to_owned()));
        assert_eq!(layer["run.max-steps"].raw, Raw::Text("7".to_owned()));
        assert_eq!(layer["run.max-steps"].origin.to_string(), "a.toml:4");
    }

    #[test]
    fn unknown_keys_are_named_with_their_nearest() {
        assert_eq!(
            error("[run]\n\nmax-step = 3"),
            "a.toml, line 3: there is no setting `run.max-step`; did you mean `run.max-steps`?"
        );
        assert_eq!(
            error("max-steps = 3"),
            "a.toml, line 1: there is no setting `max-steps`; did you mean `run.max-steps`?"
        );
        assert!(error("[modle]\nname = 'x'").contains("did you mean `model`?"));
        assert_eq!(error("colour = 3"), "a.toml, line 1: there is no setting `colour`");
        assert!(error("'run.max-steps' = 3").contains("no setting"));
        assert!(error("log.level = 3").contains("no setting `log`"));
    }

    #[test]
    fn broken_files_name_the_line() {
        assert!(error("log = 'x'\nlog = \n").starts_with("a.toml, line 2: not TOML: "));
        assert!(error("[run]\nwait = 1979-05-27").contains("`run.wait` from a.toml:2"));
        assert!(error("[http]\nallowed-hosts = [1]").contains("`http.allowed-hosts`"));
    }

    #[test]
    fn adb_has_variables_of_its_own() {
        let server = |pairs: &[(&str, &str)]| {
            let environment = Environment::of(pairs.iter().copied());
            let layer = from_environment(&environment, &mut Vec::new()).unwrap();
            layer.get("adb.server").map(|given| (given.raw.clone(), given.origin.to_string()))
        };
        let text = |text: &str| Raw::Text(text.to_owned());
        assert_eq!(server(&[]), None);
        let port = server(&[("ANDROID_ADB_SERVER_PORT", "5038")]).unwrap();
        assert_eq!(port.0, text("tcp:127.0.0.1:5038"));
        assert_eq!(port.1, "environment ANDROID_ADB_SERVER_PORT");
        let both = [("ANDROID_ADB_SERVER_ADDRESS", "10.0.0.2"), ("ADB_SERVER_SOCKET", "tcp:7")];
        assert_eq!(server(&both).unwrap().0, text("tcp:7"));
        let ours = [("AYEAYE_ADB_SERVER", "tcp:8"), ("ADB_SERVER_SOCKET", "tcp:7")];
        assert_eq!(server(&ours).unwrap().0, text("tcp:8"));
    }

    proptest::proptest! {
        #[test]
        fn no_file_makes_it_panic(text in "[\\[\\]a-z.=\"'0-9{}#, \n-]{0,80}") {
            drop(from_file(&text, Path::new("a.toml")));
        }
    }
}
