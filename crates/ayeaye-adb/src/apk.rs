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
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::Path;

use sha2::{Digest as _, Sha256};

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

/// What is known of the package in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackageAbout {
    pub(crate) name: String,
    /// As people know it, else by its number.
    pub(crate) version: Option<String>,
    /// Of the file, in bytes.
    pub(crate) size: u64,
    /// Of the file, in hexadecimal digits.
    pub(crate) sha256: String,
}

/// Why a file tells of no package.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoPackage {
    #[error("the file cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("the file has changed while it was read: try again when nothing writes to it")]
    Changed,
    #[error("this is not a package (APK), or it is damaged")]
    NotAPackage,
}

/// The package in a file that is not written to meanwhile: the name has to be of what was hashed.
pub(crate) fn package_of_file(path: &Path) -> Result<PackageAbout, NoPackage> {
    let mut file = File::open(path)?;
    let state = |file: &File| {
        let about = file.metadata()?;
        Ok::<_, io::Error>((about.len(), about.modified()?))
    };
    let before = state(&file)?;
    let ensure_unchanged =
        |file: &File| if state(file)? == before { Ok(()) } else { Err(NoPackage::Changed) };
    let found = name_and_version(&mut file, before.0)?;
    // A package that is still being copied is none yet.
    ensure_unchanged(&file)?;
    let (name, version) = found.ok_or(NoPackage::NotAPackage)?;
    file.rewind()?;
    let mut hasher = Sha256::new();
    let size = io::copy(&mut file, &mut hasher)?;
    ensure_unchanged(&file)?;
    if size != before.0 {
        return Err(NoPackage::Changed);
    }
    Ok(PackageAbout { name, version, size, sha256: hex(&hasher.finalize()) })
}

/// Bytes in hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes everything");
        hex
    })
}

/// `None` if it is no package.
fn name_and_version(
    mut file: &mut File,
    length: u64,
) -> io::Result<Option<(String, Option<String>)>> {
    let mut read = |at: u64, most: u64| {
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(at))?;
        (&mut file).take(most).read_to_end(&mut bytes)?;
        Ok::<_, io::Error>(bytes)
    };
    let end = read(length.saturating_sub(archive::LONGEST_END), archive::LONGEST_END)?;
    let Some(list) = archive::directory(&end) else { return Ok(None) };
    let list = read(list.at, list.length.min(MAX_MANIFEST))?;
    let files = archive::files(&list);
    let manifest = files.iter().find(|it| it.name == "AndroidManifest.xml");
    let Some(manifest) = manifest else { return Ok(None) };
    let header = read(manifest.header, archive::LOCAL_HEADER)?;
    let Some(place) = manifest.place(&header) else { return Ok(None) };
    let packed = read(place.at, place.length.min(MAX_MANIFEST))?;
    let most = usize::try_from(MAX_MANIFEST).unwrap_or(usize::MAX);
    let unpacked = manifest.unpack(&packed, most);
    let found = unpacked.and_then(|manifest| manifest::package_and_version(&manifest));
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_');
    let is_name = |name: &str| !name.is_empty() && name.len() <= 255 && name.chars().all(fits);
    Ok(found.filter(|(name, _)| is_name(name)))
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
