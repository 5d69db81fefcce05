//! Changes single settings in the text of a settings file; everything else stays, comments too.
use toml_edit::{DocumentMut, Item, Table, Value};

use crate::text::with_ends_of;

/// Why the text is not changed.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum EditError {
    #[error("not TOML: {0}")]
    Syntax(#[from] toml_edit::TomlError),
    #[error("`{0}` is not a section")]
    NotASection(String),
}

/// The text with this setting (`section.name`, or `name` above all sections), or without it.
pub fn edited(text: &str, key: &str, value: Option<Value>) -> Result<String, EditError> {
    let mut file: DocumentMut = text.parse()?;
    let (section, name) = match key.split_once('.') {
        Some((section, name)) => (Some(section), name),
        None => (None, key),
    };
    if value.is_none() && section.is_some_and(|section| !file.contains_key(section)) {
        return Ok(text.to_owned());
    }
    let table = match section {
        None => file.as_table_mut() as &mut dyn toml_edit::TableLike,
        Some(section) => file
            .entry(section)
            .or_insert_with(|| {
                let mut table = Table::new();
                table.set_implicit(false);
                Item::Table(table)
            })
            .as_table_like_mut()
            .ok_or_else(|| EditError::NotASection(section.to_owned()))?,
    };
    match value {
        Some(value) => match table.get_mut(name).and_then(Item::as_value_mut) {
            // Keep the comment beside it.
            Some(old) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => {
                table.insert(name, Item::Value(value));
            }
        },
        None => {
            table.remove(name);
        }
    }
    Ok(with_ends_of(text, &file.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_setting_changes() {
        let key = "model.coordinates";
        let before = "# mine\nlog = 'debug'\n\n[model] # here\nname = \"m\"   # the one\n\n[run]\nmax-steps = 3\n";
        let after = edited(before, key, Some("0-999".into())).unwrap();
        assert_eq!(after, before.replace("the one\n", "the one\ncoordinates = \"0-999\"\n"));
        let again = edited(&after, key, Some("pixels".into())).unwrap();
        assert_eq!(again, after.replace("0-999", "pixels"));
        assert_eq!(edited(&again, key, None).unwrap(), before);
        let noted = "[model]\ncoordinates = '0-1' # by hand\n";
        let noted = edited(noted, key, Some("pixels".into())).unwrap();
        assert_eq!(noted, "[model]\ncoordinates = \"pixels\" # by hand\n");
        assert_eq!(
            edited("", key, Some("pixels".into())).unwrap(),
            "[model]\ncoordinates = \"pixels\"\n"
        );
        assert_eq!(
            edited("model = { name = 'x' }\n", key, Some("pixels".into())).unwrap(),
            "model = { name = 'x' , coordinates = \"pixels\" }\n"
        );
        assert!(edited("[model", key, Some("pixels".into())).is_err());
        assert!(edited("model = 3", key, Some("pixels".into())).is_err());
    }

    #[test]
    fn lines_end_as_they_did() {
        let before = "# mine\r\n[model] # here\r\nname = \"m\"\r\n\r\n[run]\r\nmax-steps = 3\r\n";
        let after = edited(before, "model.coordinates", Some("pixels".into())).unwrap();
        assert_eq!(after, before.replace("\"m\"\r\n", "\"m\"\r\ncoordinates = \"pixels\"\r\n"));
        assert_eq!(edited(&after, "model.coordinates", None).unwrap(), before);
        let marked = format!("\u{feff}{before}");
        let after = edited(&marked, "run.max-steps", Some(4.into())).unwrap();
        assert_eq!(after, marked.replace('3', "4"));
    }

    #[test]
    fn a_setting_above_all_sections_stands_above_them() {
        let after = edited("[run]\nmax-steps = 3\n", "data-dir", Some("/x".into())).unwrap();
        assert_eq!(after, "data-dir = \"/x\"\n[run]\nmax-steps = 3\n");
        assert_eq!(edited("[run]\n", "model.name", None).unwrap(), "[run]\n");
    }
}
