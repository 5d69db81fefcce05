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

pub(crate) use self::chunk::{ChunkKind, leading_chunk};
pub(crate) use self::locale::{Locale, parse_locales};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use self::manifest::LabelSource;
use self::table::ResourceTable;
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

/// The most bytes of a manifest, and of a list of files, that are read.
const MAX_MANIFEST: u64 = 4 * 1024 * 1024;

/// The name of the package in a file; `None` where it is no package.
pub(crate) fn package_of_file(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let mut read = |at: u64, most: u64| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(at)).ok()?;
        (&mut file).take(most).read_to_end(&mut bytes).ok()?;
        Some(bytes)
    };
    let end = read(length.saturating_sub(archive::LONGEST_END), archive::LONGEST_END)?;
    let list = archive::directory(&end)?;
    let list = read(list.at, list.length.min(MAX_MANIFEST))?;
    let files = archive::files(&list);
    let manifest = files.iter().find(|it| it.name == "AndroidManifest.xml")?;
    let place = manifest.place(&read(manifest.header, archive::LOCAL_HEADER)?)?;
    let packed = read(place.at, place.length.min(MAX_MANIFEST))?;
    let most = usize::try_from(MAX_MANIFEST).unwrap_or(usize::MAX);
    let name = manifest::package_name(&manifest.unpack(&packed, most)?)?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    (!name.is_empty() && name.len() <= 255 && name.chars().all(fits)).then_some(name)
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
    let tables: Vec<ResourceTable<'_>> =
        tables.iter().filter_map(|bytes| ResourceTable::parse(bytes)).collect();
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
