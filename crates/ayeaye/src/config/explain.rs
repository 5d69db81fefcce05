//! The settled settings as text, each with where it was said: what `ayeaye config` prints.
use super::layer::{Given, Origin, Raw};
use super::setting::{SETTINGS, Setting};

/// Writes `given`, in the order of [`SETTINGS`], as TOML with comments.
pub(super) fn explain(given: &[Option<Given>]) -> String {
    let mut text = String::new();
    let mut section = "";
    for (setting, given) in SETTINGS.iter().zip(given) {
        let (name, key) = setting.parts();
        if name != section {
            section = name;
            text.extend(["\n[", section, "]\n"]);
        }
        text.push_str(&line(*setting, key, given.as_ref()));
    }
    text
}

/// Whether one of the settings of these names was said anywhere.
pub(super) fn chosen(given: &[Option<Given>], keys: &[&str]) -> bool {
    SETTINGS.iter().zip(given).any(|(setting, given)| {
        keys.contains(&setting.key)
            && given.as_ref().is_some_and(|given| given.origin != Origin::Default)
    })
}

/// Whether a setting was said on the command line or in the environment.
pub(super) fn stronger_than_file(given: &[Option<Given>], key: &str) -> bool {
    SETTINGS.iter().zip(given).any(|(setting, given)| {
        let origin = given.as_ref().map(|given| &given.origin);
        setting.key == key && matches!(origin, Some(Origin::Flag(_) | Origin::Environment(_)))
    })
}

fn line(setting: Setting, key: &str, given: Option<&Given>) -> String {
    let Some(given) = given else {
        return format!("# {key} is not set\n");
    };
    let value = match &given.raw {
        _ if setting.secret => "\"(set)\"".to_owned(),
        Raw::List(values) => {
            toml::Value::from(values.iter().map(String::as_str).collect::<Vec<_>>()).to_string()
        }
        Raw::Text(text) if is_bare(text) => text.clone(),
        Raw::Text(text) => toml::Value::from(text.as_str()).to_string(),
    };
    match &given.origin {
        Origin::Default => format!("{key} = {value}\n"),
        origin @ (Origin::Flag(_) | Origin::Environment(_) | Origin::File { .. }) => {
            format!("{key} = {value} # {origin}\n")
        }
    }
}

/// Whether TOML takes the text as it is: a number or a truth.
fn is_bare(text: &str) -> bool {
    matches!(text, "true" | "false")
        || (text.parse::<f64>().is_ok_and(f64::is_finite)
            && text.starts_with(|c: char| c.is_ascii_digit())
            && toml::de::DeValue::parse(text).is_ok())
}
