//! What an app calls itself, read from its package file: the name under its icon, in the phone's
//! language.
//!
//! The manifest says which text that is, and `resources.arsc` has the text in every language
//! (`ResourceTypes.h` of AOSP describes both). The files are anybody's: every length and offset is
//! checked, and what is not understood has no name.
pub(crate) mod archive;
mod chunk;
mod locale;
mod manifest;
mod strings;
mod table;

pub(crate) use self::chunk::{Kind, leading_chunk};
pub(crate) use self::locale::{Locale, parse_locales};
use self::manifest::LabelSource;
use self::table::Table;
use crate::parse::sanitize;

#[cfg(test)]
mod tests;

/// The most bytes of an app's `resources.arsc` that are read. Of a thousand apps, a handful have more.
pub(crate) const MAX_TABLE: usize = 24 * 1024 * 1024;

/// The names of an app.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Labels {
    /// In the phone's language, as the launcher shows it.
    pub(crate) label: Option<String>,
    /// In the language that the app was written in, where that differs.
    pub(crate) original: Option<String>,
}

/// The names of an app by its manifest and its tables of resources (one of each part it is installed
/// in). `activity` is what its icon starts, which may have a name of its own.
pub(crate) fn labels(
    manifest: &[u8],
    tables: &[&[u8]],
    activity: Option<&str>,
    locales: &[Locale],
) -> Labels {
    let Some(sources) = manifest::label_sources(manifest, activity) else {
        return Labels::default();
    };
    let tables: Vec<Table<'_>> = tables.iter().filter_map(|bytes| Table::parse(bytes)).collect();
    let text = |source: &LabelSource, locales: &[Locale]| {
        let text = match source {
            LabelSource::Text(text) => text.clone(),
            LabelSource::Resource(id) => table::text(&tables, *id, locales)?,
        };
        Some(sanitize(&text)).filter(|text| !text.is_empty())
    };
    let first = |locales: &[Locale]| sources.iter().find_map(|source| text(source, locales));
    let label = first(locales);
    let original = first(&[]).filter(|original| Some(original) != label.as_ref());
    Labels { label, original }
}
