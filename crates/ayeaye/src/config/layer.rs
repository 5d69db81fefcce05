//! Layers of settings: what one source says (a file, the environment, the flags), and where.
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use toml::de::{DeInteger, DeTable, DeValue};

use super::environment::{Environment, PREFIX, TOKEN_VARIABLE};
use super::error::{ConfigError, ValueError};
use super::known::{self, KnownSetting};
use super::origin::Origin;
use super::value;

/// A value as it was written. Text, because flags and the environment have nothing else: numbers are
/// parsed in one place, whatever they come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum RawValue {
    Text(String),
    List(Vec<String>),
    /// A table as JSON.
    Table(String),
}

/// A value and where it comes from.
#[derive(Clone)]
pub(super) struct LayerEntry {
    pub(super) raw: RawValue,
    pub(super) origin: Origin,
}

// The value may be a secret; only `explain` knows which may be shown.
impl fmt::Debug for LayerEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.origin)
    }
}

/// What one source says, by the names of the settings.
pub(super) type Layer = BTreeMap<String, LayerEntry>;

pub(super) const DEFAULTS: &str = include_str!("../../default-config.toml");

/// The embedded defaults.
pub(super) fn defaults() -> Layer {
    let mut layer =
        parse(DEFAULTS, Path::new("default-config.toml"), None).expect("read by every test");
    for entry in layer.values_mut() {
        entry.origin = Origin::Default;
    }
    layer
}

/// Adds a default that only the system knows.
pub(super) fn set_default(layer: &mut Layer, key: &str, text: &str) {
    let raw = RawValue::Text(text.to_owned());
    layer.insert(key.to_owned(), LayerEntry { raw, origin: Origin::Default });
}

/// Reads the text of a settings file. An unknown key is an error.
pub(super) fn from_file(
    text: &str,
    path: &Path,
    known: &'static [KnownSetting],
) -> Result<Layer, ConfigError> {
    parse(text, path, Some(known))
}

/// Reads sections with keys; without `known` any are accepted.
fn parse(
    text: &str,
    path: &Path,
    known: Option<&'static [KnownSetting]>,
) -> Result<Layer, ConfigError> {
    let line_at = |offset: usize| {
        let before = text.as_bytes().get(..offset).unwrap_or_default();
        before.split(|byte| *byte == b'\n').count()
    };
    let table = DeTable::parse(text).map_err(|err| ConfigError::Syntax {
        path: path.to_owned(),
        line: line_at(err.span().map_or(0, |span| span.start)),
        problem: syntax_error(text, &err),
    })?;
    let mut layer = Layer::new();
    let mut add = |section: &str, name: &str, at: usize, value: &DeValue<'_>| {
        let key = if section.is_empty() { name.to_owned() } else { format!("{section}.{name}") };
        let line = line_at(at);
        // A quoted key may contain the dot of a section.
        let is_known = |it: &KnownSetting| it.parts() == (section, name);
        if known.is_some_and(|known| !known.iter().any(is_known)) {
            return Err(unknown(&key, path, line, known.unwrap_or_default()));
        }
        let origin = Origin::File { path: path.to_owned(), line };
        let raw = match raw_value(value) {
            Ok(raw) => raw,
            Err(problem) => return Err(ConfigError::InvalidValue { key, origin, problem }),
        };
        layer.insert(key, LayerEntry { raw, origin });
        Ok(())
    };
    for (key, value) in table.get_ref() {
        let (name, at) = (key.get_ref(), key.span().start);
        let is_section = |it: &KnownSetting| !name.is_empty() && it.parts().0 == name;
        match value.get_ref() {
            DeValue::Table(section) if known.is_none_or(|known| known.iter().any(is_section)) => {
                for (inner, value) in section {
                    add(name, inner.get_ref(), inner.span().start, value.get_ref())?;
                }
            }
            DeValue::Table(inner) => {
                // A setting used as a section: the first key in it tells what was meant.
                let is_setting = known.is_some_and(|known| known.iter().any(|it| it.key == **name));
                let key = match inner.keys().next() {
                    None if is_setting => {
                        let (path, key) = (path.to_owned(), name.to_string());
                        return Err(ConfigError::NoSection { path, line: line_at(at), key });
                    }
                    Some(first) if is_setting => format!("{name}.{}", first.get_ref()),
                    _ => name.to_string(),
                };
                return Err(unknown(&key, path, line_at(at), known.unwrap_or_default()));
            }
            _ if known.is_some_and(|known| known.iter().any(is_section)) => {
                let (path, key) = (path.to_owned(), name.to_string());
                return Err(ConfigError::Section { path, line: line_at(at), key });
            }
            value => add("", name, at, value)?,
        }
    }
    Ok(layer)
}

fn unknown(key: &str, path: &Path, line: usize, known: &'static [KnownSetting]) -> ConfigError {
    ConfigError::UnknownKey {
        path: path.to_owned(),
        line,
        key: key.chars().take(64).flat_map(char::escape_debug).collect(),
        nearest: known::nearest(key, known),
    }
}

fn raw_value(value: &DeValue<'_>) -> Result<RawValue, ValueError> {
    match value {
        DeValue::Array(values) => values
            .iter()
            .map(|value| match value.get_ref() {
                DeValue::String(text) => Ok(text.to_string()),
                _ => Err(ValueError::NotAValue),
            })
            .collect::<Result<_, _>>()
            .map(RawValue::List),
        DeValue::String(text) => Ok(RawValue::Text(text.to_string())),
        // One that is too large is told in the words of the setting, as it is written.
        DeValue::Integer(number) => Ok(RawValue::Text(
            whole(number).map_or_else(|| number.to_string(), |number| number.to_string()),
        )),
        DeValue::Float(number) => Ok(RawValue::Text(number.to_string())),
        DeValue::Boolean(truth) => Ok(RawValue::Text(truth.to_string())),
        DeValue::Table(_) => json("", value).map(|table| RawValue::Table(table.to_string())),
        DeValue::Datetime(_) => Err(ValueError::NotAValue),
    }
}

/// A whole number, in whatever base it is written.
fn whole(number: &DeInteger<'_>) -> Option<i64> {
    i64::from_str_radix(number.as_str(), number.radix()).ok()
}

/// A value as JSON, which has no dates, and no numbers that are none; the error names the field.
fn json(name: &str, value: &DeValue<'_>) -> Result<serde_json::Value, ValueError> {
    let refused = || ValueError::NotInJson(name.to_owned());
    Ok(match value {
        DeValue::String(text) => text.as_ref().into(),
        DeValue::Integer(number) => whole(number).ok_or_else(refused)?.into(),
        DeValue::Float(number) => number
            .as_str()
            .parse()
            .ok()
            .and_then(serde_json::Number::from_f64)
            .ok_or_else(refused)?
            .into(),
        DeValue::Boolean(truth) => (*truth).into(),
        DeValue::Array(values) => values
            .iter()
            .map(|value| json(name, value.get_ref()))
            .collect::<Result<Vec<_>, _>>()?
            .into(),
        DeValue::Table(fields) => fields
            .iter()
            .map(|(field, value)| {
                let field = field.get_ref();
                let name =
                    if name.is_empty() { field.to_string() } else { format!("{name}.{field}") };
                Ok((field.to_string(), json(&name, value.get_ref())?))
            })
            .collect::<Result<serde_json::Map<_, _>, ValueError>>()?
            .into(),
        DeValue::Datetime(_) => return Err(refused()),
    })
}

/// Reads the variables named after settings. Those of ours that name none are added to `notes`.
pub(super) fn from_environment(
    environment: &Environment,
    known: &[KnownSetting],
    notes: &mut Vec<String>,
) -> Result<Layer, ConfigError> {
    let mut layer = Layer::new();
    let names: Vec<String> = known.iter().map(KnownSetting::variable).collect();
    for (setting, name) in known.iter().zip(&names) {
        if let Some(text) = environment.get(name) {
            let origin = Origin::Environment(name.clone());
            let Some(text) = text.to_str() else {
                let (key, problem) = (setting.key.clone(), ValueError::NotUtf8);
                return Err(ConfigError::InvalidValue { key, origin, problem });
            };
            let raw = RawValue::Text(text.to_owned());
            layer.insert(setting.key.clone(), LayerEntry { raw, origin });
        }
    }
    for name in environment.own_names() {
        // The second is for clients, which read the server's token from it.
        let is_known = ["AYEAYE_CONFIG", TOKEN_VARIABLE].contains(&name);
        if !is_known && !names.iter().any(|it| it == name) {
            // The common prefix says nothing about how similar two names are.
            let own_names = names.iter().filter_map(|it| it.strip_prefix(PREFIX));
            let nearest = known::nearest_of(name.strip_prefix(PREFIX).unwrap_or(name), own_names);
            let hint =
                nearest.map(|it| format!("; did you mean {PREFIX}{it}?")).unwrap_or_default();
            notes.push(format!("the environment has {name}, which is not a setting{hint}"));
        }
    }
    if !layer.contains_key("adb.server")
        && let Some(entry) = adb_server(environment)
    {
        let RawValue::Text(text) = &entry.raw else { return Ok(layer) };
        match value::adb_server(text) {
            // It was set for other programs, and no phone of that server may be wanted here.
            Err(problem) => notes.push(format!(
                "{} is ignored: {problem}; adb.server says where phones are",
                entry.origin
            )),
            Ok(_) => drop(layer.insert("adb.server".to_owned(), entry)),
        }
    }
    Ok(layer)
}

/// What adb's own variables say about its server.
fn adb_server(environment: &Environment) -> Option<LayerEntry> {
    let text = |name| environment.get(name).map(|value| value.to_string_lossy().into_owned());
    if let Some(socket) = text("ADB_SERVER_SOCKET") {
        let origin = Origin::Environment("ADB_SERVER_SOCKET".to_owned());
        return Some(LayerEntry { raw: RawValue::Text(socket), origin });
    }
    let (address, port) = (text("ANDROID_ADB_SERVER_ADDRESS"), text("ANDROID_ADB_SERVER_PORT"));
    let name = match (&address, &port) {
        (None, None) => return None,
        (Some(_), _) => "ANDROID_ADB_SERVER_ADDRESS",
        (None, Some(_)) => "ANDROID_ADB_SERVER_PORT",
    };
    let address = address.unwrap_or_else(|| "127.0.0.1".to_owned());
    let port = port.unwrap_or_else(|| "5037".to_owned());
    Some(LayerEntry {
        raw: RawValue::Text(format!("tcp:{address}:{port}")),
        origin: Origin::Environment(name.to_owned()),
    })
}

/// What is wrong with the text. A path of Windows in double quotes is the usual reason why a letter behind `\` is none
/// that TOML knows there.
fn syntax_error(text: &str, err: &toml::de::Error) -> String {
    let problem = err.message();
    let is_escape = err.span().is_some_and(|span| {
        let before = text.get(..span.start).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        line.contains('\\') || text.get(span).is_some_and(|it| it.contains('\\'))
    });
    if is_escape {
        format!("{problem}; a path with `\\` goes in single quotes, such as 'C:\\Users\\me'")
    } else {
        problem.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;

    fn error(text: &str) -> String {
        from_file(text, Path::new("a.toml"), Config::known()).unwrap_err().to_string()
    }

    #[test]
    fn every_value_knows_its_line() {
        let layer = from_file(
            "log = 'debug'\n\n[run]\nmax-steps = 7\n",
            Path::new("a.toml"),
            Config::known(),
        );
        let layer = layer.unwrap();
        assert_eq!(layer["log"].raw, RawValue::Text("debug".to_owned()));
        assert_eq!(layer["run.max-steps"].raw, RawValue::Text("7".to_owned()));
        assert_eq!(layer["run.max-steps"].origin.to_string(), "a.toml:4");
    }

    #[test]
    fn numbers_count_in_whatever_base_they_are_written() {
        for (text, value) in [("0x10", "16"), ("0o17", "15"), ("0b11", "3"), ("1_000", "1000")] {
            let layer =
                from_file(&format!("run.max-steps = {text}"), Path::new("a.toml"), Config::known());
            assert_eq!(layer.unwrap()["run.max-steps"].raw, RawValue::Text(value.to_owned()));
        }
    }

    #[test]
    fn what_no_json_can_hold_is_named() {
        for (text, name) in [("{ d = nan }", "`d`"), ("{ a = { b = [1.0, inf] } }", "`a.b`")] {
            let told = error(&format!("model.extra-body = {text}"));
            assert!(told.contains("`model.extra-body`") && told.contains(name), "{told}");
        }
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
        assert_eq!(error("log.level = 3"), "a.toml, line 1: there is no setting `log.level`");
        for (text, name) in [("[log]", "log"), ("\n[data-dir]\n", "data-dir")] {
            let told = error(text);
            let meant = format!("`{name}` is a setting, not a section; write `{name} = …`");
            assert!(told.ends_with(&meant), "{told}");
        }
        assert_eq!(
            error("\nrun = 3"),
            "a.toml, line 2: `run` is a section, not a setting; put its settings under `[run]`"
        );
    }

    #[test]
    fn broken_files_name_the_line() {
        assert!(error("log = 'x'\nlog = \n").starts_with("a.toml, line 2: not TOML: "));
        for path in [r"C:\Users\me", r"D:\ayeaye"] {
            let told = error(&format!("data-dir = \"{path}\"\n"));
            assert!(told.contains("goes in single quotes"), "{told}");
        }
        assert!(error("[run]\nwait = 1979-05-27").contains("`run.wait` from a.toml:2"));
        assert!(error("[http]\nallowed-hosts = [1]").contains("`http.allowed-hosts`"));
    }

    #[test]
    fn adb_has_variables_of_its_own() {
        let server = |pairs: &[(&str, &str)]| {
            let environment = Environment::of(pairs.iter().copied());
            let layer = from_environment(&environment, Config::known(), &mut Vec::new()).unwrap();
            layer.get("adb.server").map(|entry| (entry.raw.clone(), entry.origin.to_string()))
        };
        let text = |text: &str| RawValue::Text(text.to_owned());
        assert_eq!(server(&[]), None);
        let port = server(&[("ANDROID_ADB_SERVER_PORT", "5038")]).unwrap();
        assert_eq!(port.0, text("tcp:127.0.0.1:5038"));
        assert_eq!(port.1, "environment ANDROID_ADB_SERVER_PORT");
        let (host, at) =
            (("ANDROID_ADB_SERVER_ADDRESS", "10.0.0.2"), ("ANDROID_ADB_SERVER_PORT", "5040"));
        assert_eq!(server(&[host, at]).unwrap().0, text("tcp:10.0.0.2:5040"));
        let socket = ("ADB_SERVER_SOCKET", "tcp:7");
        assert_eq!(server(&[host, at, socket]).unwrap().0, text("tcp:7"));
        let blank = [("ADB_SERVER_SOCKET", ""), ("ANDROID_ADB_SERVER_PORT", "")];
        assert_eq!(server(&blank), None);
        let ours = [("AYEAYE_ADB_SERVER", "tcp:8"), ("ADB_SERVER_SOCKET", "tcp:7")];
        assert_eq!(server(&ours).unwrap().0, text("tcp:8"));
    }

    #[test]
    fn what_others_have_set_for_adb_and_cannot_be_used_is_noted() {
        for (name, value, why) in [
            ("ADB_SERVER_SOCKET", "vsock:2:5037", "`vsock:`"),
            ("ADB_SERVER_SOCKET", "host", "`host`"),
            ("ANDROID_ADB_SERVER_PORT", "none", "none"),
        ] {
            let (environment, mut notes) = (Environment::of([(name, value)]), Vec::new());
            let layer = from_environment(&environment, Config::known(), &mut notes).unwrap();
            assert!(!layer.contains_key("adb.server"), "{value}");
            assert!(notes[0].contains(name) && notes[0].contains(why), "{notes:?}");
        }
    }

    #[test]
    fn a_variable_that_names_no_setting_is_noticed_unless_clients_need_it() {
        let notes = |name: &str| {
            let (environment, mut notes) = (Environment::of([(name, "x")]), Vec::new());
            from_environment(&environment, Config::known(), &mut notes).unwrap();
            notes
        };
        assert!(notes("AYEAYE_TOKN")[0].contains("AYEAYE_TOKN, which is not a setting"));
        assert!(notes("AYEAYE_LOGG")[0].ends_with("did you mean AYEAYE_LOG?"));
        assert!(notes("AYEAYE_FOO")[0].ends_with("which is not a setting"));
        assert_eq!(notes("AYEAYE_TOKEN"), Vec::<String>::new());
        assert_eq!(notes("AYEAYE_CONFIG"), Vec::<String>::new());
    }

    proptest::proptest! {
        #[test]
        fn no_file_makes_it_panic(text in "[\\[\\]a-z.=\"'0-9{}#, \n-]{0,80}") {
            drop(from_file(&text, Path::new("a.toml"), Config::known()));
        }
    }
}
