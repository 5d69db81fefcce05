//! What changes in a settings file, as it may be shown: without the keys that are in it, this server's or others'.
use serde_json::Value;

use super::diff;
use crate::clients::document::{Format, Key};
use crate::clients::entry::{MAPS, NOT_HERE};
use crate::clients::kept::FileChange;

/// What stands for a key.
const HIDDEN: &str = "(secret)";
/// A longer line has more in it than the entry.
const LONGEST_LINE: usize = 160;
/// What is shorter is hidden only where it is a whole value: elsewhere it may be part of a word.
const SHORT: usize = 8;

/// The change as lines. Where a line has more in it than the entry, or a key is written in a way that is not
/// recognized, only the entry is shown; nothing in a file that has none.
pub(super) fn rows(
    change: &FileChange,
    format: Format,
    key: Option<Key<'_>>,
    known: &[String],
) -> Vec<String> {
    let rows = diff::lines(change.before.as_deref(), change.after.as_deref());
    let texts: Vec<&str> =
        [&change.before, &change.after].into_iter().filter_map(|it| it.as_deref()).collect();
    let mut secrets: Vec<String> = Vec::new();
    let mut is_plain = key.is_none() || rows.iter().all(|row| row.len() <= LONGEST_LINE);
    for text in &texts {
        match format.parse(text) {
            Ok(all) => collect(&all, false, &mut secrets),
            Err(_) => is_plain = false,
        }
    }
    let written = |secret: &String| texts.iter().any(|text| hide(text, secret) != **text);
    if !is_plain || !secrets.iter().all(written) {
        return key.map(|key| entry_alone(change, format, key)).unwrap_or_default();
    }
    secrets.extend_from_slice(known);
    // One may be a part of another.
    secrets.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
    let hidden =
        |row: String| without_bearer(&secrets.iter().fold(row, |row, secret| hide(&row, secret)));
    rows.into_iter().map(hidden).collect()
}

/// The change of the entry alone, as it would be pasted.
fn entry_alone(change: &FileChange, format: Format, key: Key<'_>) -> Vec<String> {
    let pasted = |text: &Option<String>| {
        let entry = format.entry(text.as_deref()?, key).ok()??;
        Some(format.to_paste(key, &masked(entry, false)))
    };
    diff::lines(pasted(&change.before).as_deref(), pasted(&change.after).as_deref())
}

/// Whether what is under this name in settings is a key, or may be one.
fn holds_secrets(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    let is_reference = name.ends_with("_env_var") || name.ends_with("file");
    MAPS.contains(&&*name)
        || name == "authorization"
        || !is_reference
            && ["token", "secret", "password", "api_key", "apikey"]
                .iter()
                .any(|it| name.contains(it))
}

/// Whether a value only says where the key is.
fn is_reference(value: &str) -> bool {
    let begins = ["${", "{env:", "{file:"].iter().any(|begin| value.starts_with(begin));
    begins && value.find('}') == Some(value.len() - 1)
}

/// A value without the word before a token.
fn kernel(value: &str) -> &str {
    value.strip_prefix("Bearer ").unwrap_or(value)
}

/// What must not be shown of a value.
fn collect(value: &Value, secret: bool, found: &mut Vec<String>) {
    match value {
        Value::String(text) if secret => {
            let text = kernel(text);
            if !text.is_empty() && text != HIDDEN && !is_reference(text) {
                found.push(text.to_owned());
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, secret, found)),
        Value::Object(fields) => {
            for (name, value) in fields {
                collect(value, is_secret(name, secret), found);
            }
        }
        _ => {}
    }
}

/// The value with nothing in it that must not be shown.
fn masked(value: Value, secret: bool) -> Value {
    match value {
        Value::String(text) if secret && !is_reference(kernel(&text)) => {
            let word = &text[..text.len() - kernel(&text).len()];
            format!("{word}{HIDDEN}").into()
        }
        Value::String(text) => without_bearer(&text).into(),
        Value::Array(items) => items.into_iter().map(|item| masked(item, secret)).collect(),
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| {
                let secret = is_secret(&name, secret);
                (name, masked(value, secret))
            };
            fields.into_iter().map(field).collect::<serde_json::Map<_, _>>().into()
        }
        other => other,
    }
}

/// What is written here is among variables that may be keys, and none.
fn is_secret(name: &str, inside: bool) -> bool {
    !["PATH", NOT_HERE].contains(&name) && (inside || holds_secrets(name))
}

/// A text without a secret, as it is or as it is written between quotes.
fn hide(text: &str, secret: &str) -> String {
    let quoted = Value::from(secret).to_string();
    let written = &quoted[1..quoted.len() - 1];
    if SHORT <= secret.len() {
        return text.replace(secret, HIDDEN).replace(written, HIDDEN);
    }
    let whole = format!("\"{HIDDEN}\"");
    let text = text.replace(&quoted, &whole).replace(&format!("'{secret}'"), &whole);
    // YAML needs no quotes.
    let bare = [format!(": {secret}"), format!("- {secret}")];
    let lines = text.split('\n').map(|line| {
        let end = bare.iter().find(|end| line.ends_with(end.as_str()));
        end.map_or_else(
            || line.to_owned(),
            |_| format!("{}{HIDDEN}", &line[..line.len() - secret.len()]),
        )
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// A text without what follows `Bearer`, which may also be in a comment or in an argument.
fn without_bearer(text: &str) -> String {
    const WORD: &str = "Bearer ";
    let mut parts = text.split(WORD);
    let mut shown = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ',' | '\\');
        let end = part.find(ends).unwrap_or(part.len());
        let token = &part[..end];
        shown.push_str(WORD);
        shown.push_str(if token.is_empty() || is_reference(token) { token } else { HIDDEN });
        shown.push_str(&part[end..]);
    }
    shown
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::clients::kept;

    const KEY: Key<'static> = Key { section: "mcpServers", name: "ayeaye" };

    /// What is shown when this file loses its entry.
    fn shown(text: &str) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        std::fs::write(&path, text).unwrap();
        let change = kept::uninstall(&path, Format::JsonWithComments, KEY).unwrap().unwrap();
        rows(&change, Format::JsonWithComments, Some(KEY), &[]).join("\n")
    }

    fn file() -> Value {
        json!({ "mcpServers": {
            "other": { "url": "https://a.example", "headers": { "X-Key": "canary-one" },
                "env": { "PIN": "4711", "QUOTED": "canary \"two\"" } },
            "ayeaye": { "url": "http://127.0.0.1:8642/mcp",
                "headers": { "Authorization": "Bearer canary-three" } },
            "last": { "command": "npx", "args": ["--header", "Authorization: Bearer canary-four"],
                "env": { "API_KEY": "canary-five" } },
        } })
    }

    #[test]
    fn no_key_is_shown_whosever_it_is() {
        for text in [serde_json::to_string_pretty(&file()).unwrap(), file().to_string()] {
            let shown = shown(&text);
            assert!(shown.contains("127.0.0.1:8642") && shown.contains(HIDDEN), "{shown}");
            for secret in ["canary", "4711"] {
                assert!(!shown.contains(secret), "{shown}");
            }
        }
    }

    #[test]
    fn of_a_file_in_one_line_only_the_entry_is_shown() {
        let shown = shown(&file().to_string());
        assert!(!shown.contains("a.example") && !shown.contains("npx"), "{shown}");
    }

    #[test]
    fn what_is_shown_of_the_entry_alone_is_what_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        let mut all = file();
        all["mcpServers"]["ayeaye"] =
            json!({ "command": "old", "args": ["sreve"], "timeout": 9, "disabled": true });
        std::fs::write(&path, all.to_string()).unwrap();
        let wanted = json!({ "command": "/opt/ayeaye", "args": ["serve", "--virtual"] });
        let change = kept::install(&path, Format::JsonWithComments, KEY, &wanted).unwrap();
        let rows = rows(&change, Format::JsonWithComments, Some(KEY), &[]);
        change.write().unwrap();
        let now: Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let entry = &now["mcpServers"]["ayeaye"];
        assert_eq!((&entry["args"][1], &entry["timeout"]), (&"--virtual".into(), &9.into()));
        // Two lines around a change are shown of the entry as pasted: its end and its beginning are near.
        let pasted = Format::JsonWithComments.to_paste(KEY, entry);
        let added: Vec<&str> = rows.iter().filter_map(|row| row.strip_prefix("+ ")).collect();
        assert!(!added.is_empty() && pasted.contains(&added.join("\n")), "{rows:?}\n{pasted}");
        assert_eq!(now["mcpServers"]["other"], all["mcpServers"]["other"]);
    }

    #[test]
    fn where_a_key_is_may_be_seen() {
        let entry = json!({ "url": "http://127.0.0.1:8642/mcp", "env": { "PATH": "/usr/bin" },
            "headers": { "Authorization": "Bearer ${env:AYEAYE_TOKEN}" } });
        let text = serde_json::to_string_pretty(&json!({ "mcpServers": { "ayeaye": entry } }));
        let shown = shown(&text.unwrap());
        assert!(shown.contains("Bearer ${env:AYEAYE_TOKEN}"), "{shown}");
        assert!(shown.contains("/usr/bin") && !shown.contains(HIDDEN), "{shown}");
    }

    #[test]
    fn comments_have_no_tokens_either() {
        let commented = "{\n  // \"Authorization\": \"Bearer canary-six\"\n  \"mcpServers\": { \"ayeaye\": { \"url\": \"x\" } }\n}";
        let shown = shown(commented);
        assert!(!shown.contains("canary"), "{shown}");
    }
}
