//! Names that were read before, by the package file that they are from: in memory and in a file, so that
//! a phone is read once.
//!
//! The file has a line for each icon: its last use, package (with the activity, of a further icon of an app), file,
//! version, languages, and the two names, with tabs between. One that cannot be read is as good as none.
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use ayeaye_agent::bounded_file::bounded_file;
use ayeaye_agent::private_files::{private_folder, write_whole};

use crate::apk::{Labels, Locale};
use crate::parse::{PackageFile, sanitize};

/// The most names that are kept; the longest unused go first.
const MAX_KEPT: usize = 4000;
/// The longest file that is read.
const MAX_FILE: u64 = 4 * 1024 * 1024;
/// The longest path of a package that is kept.
const MAX_PATH: usize = 512;

/// What a name is from, and for whom.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct LabelKey(String);

impl LabelKey {
    /// `icon` is the package; of a further icon of an app the component.
    pub(super) fn new(icon: &str, file: &PackageFile, locales: &[Locale]) -> Self {
        // With the code of old, by which a part may be called that was not looked for before.
        let written = |it: &Locale| match it.language_codes().nth(1) {
            Some(old) => format!("{it}/{old}"),
            None => it.to_string(),
        };
        let locales: Vec<String> = locales.iter().map(written).collect();
        let version = file.version.map(|it| it.to_string()).unwrap_or_default();
        let clean = |text: &str| text.replace(['\t', '\n', '\r'], " ");
        Self(
            [&clean(icon), &clean(&file.path), &version, &locales.join(",")]
                .map(String::as_str)
                .join("\t"),
        )
    }
}

/// All names that are kept.
#[derive(Debug)]
pub(super) struct KeptLabels {
    file: Option<PathBuf>,
    /// With the time of the last use, in seconds since 1970. `None`: the file has not been read yet.
    entries: Option<HashMap<LabelKey, (u64, Labels)>>,
}

/// What is to be written.
#[derive(Debug)]
pub(super) struct Saving {
    file: PathBuf,
    text: String,
}

impl KeptLabels {
    pub(super) fn new(file: Option<PathBuf>) -> Self {
        Self { file, entries: None }
    }

    /// Reads the file, if that was not done yet.
    pub(super) fn load(&mut self) {
        self.entries();
    }

    pub(super) fn get(&mut self, key: &LabelKey) -> Option<Labels> {
        let (used, labels) = self.entries().get_mut(key)?;
        *used = now();
        Some(labels.clone())
    }

    /// `at` is the time of this use, in seconds since 1970.
    pub(super) fn put(&mut self, key: LabelKey, labels: Labels, at: u64) {
        if MAX_PATH < key.0.len() {
            return;
        }
        let entries = self.entries();
        entries.insert(key, (at, labels));
        if MAX_KEPT < entries.len() {
            let oldest = entries.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(key, _)| key.clone()) {
                entries.remove(&oldest);
            }
        }
    }

    /// The file as it should be now.
    pub(super) fn saving(&mut self) -> Option<Saving> {
        let file = self.file.clone()?;
        let mut lines: Vec<String> = self.entries().iter().map(line).collect();
        lines.sort_unstable();
        Some(Saving { file, text: lines.concat() })
    }

    fn entries(&mut self) -> &mut HashMap<LabelKey, (u64, Labels)> {
        let file = self.file.as_deref();
        self.entries.get_or_insert_with(|| file.and_then(read).unwrap_or_default())
    }
}

fn line((LabelKey(key), (used, labels)): (&LabelKey, &(u64, Labels))) -> String {
    let name = |name: &Option<String>| name.as_deref().map(sanitize).unwrap_or_default();
    format!("{used}\t{key}\t{}\t{}\n", name(&labels.label), name(&labels.original))
}

fn read(file: &Path) -> Option<HashMap<LabelKey, (u64, Labels)>> {
    let bytes = bounded_file(file, MAX_FILE).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let entry = |line: &str| {
        let [used, package, path, version, locales, label, original] =
            <[&str; 7]>::try_from(line.split('\t').collect::<Vec<_>>()).ok()?;
        let name = |name: &str| Some(sanitize(name)).filter(|name| !name.is_empty());
        let labels = Labels { label: name(label), original: name(original) };
        let key = LabelKey([package, path, version, locales].join("\t"));
        Some((key, (used.parse().ok()?, labels)))
    };
    Some(text.lines().filter_map(entry).take(MAX_KEPT).collect())
}

impl Saving {
    /// Replaces the file, whole or not at all.
    pub(super) fn write(self) {
        let folder = self.file.parent().map_or(Ok(()), |it| private_folder(it, true));
        let written = folder.and_then(|()| write_whole(&self.file, self.text.as_bytes(), false));
        if let Err(error) = written {
            tracing::debug!(%error, file = %self.file.display(), "the names of apps were not kept");
        }
    }
}

pub(super) fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::apk::parse_locales;

    fn key(package: &str) -> LabelKey {
        let file = PackageFile {
            package: package.to_owned(),
            path: format!("/data/app/~~a==/{package}-b==/base.apk"),
            version: Some(7),
        };
        LabelKey::new(package, &file, &parse_locales("zh-Hans-CN,en"))
    }

    fn named(label: &str) -> Labels {
        Labels { label: Some(label.to_owned()), original: None }
    }

    #[test]
    fn names_outlive_the_process_and_another_version_is_another_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep").join("app-names.tsv");
        let mut kept = KeptLabels::new(Some(file.clone()));
        kept.put(
            key("a.b"),
            Labels { label: Some("设置".to_owned()), original: Some("S".to_owned()) },
            now(),
        );
        kept.put(key("c.d"), Labels::default(), now());
        kept.saving().unwrap().write();
        let mut again = KeptLabels::new(Some(file));
        assert_eq!(again.get(&key("a.b")).unwrap().label.as_deref(), Some("设置"));
        assert_eq!(again.get(&key("c.d")), Some(Labels::default()));
        assert_eq!(again.get(&LabelKey(key("a.b").0.replace("\t7\t", "\t8\t"))), None);
        assert_eq!(std::fs::read_dir(folder.path().join("deep")).unwrap().count(), 1);
    }

    #[test]
    fn there_is_an_end_to_what_is_kept_and_the_longest_unused_goes_first() {
        let mut kept = KeptLabels::new(None);
        let app = |number: usize| key(&format!("a.b{number}"));
        let put = |kept: &mut KeptLabels, number: usize| {
            kept.put(app(number), named("x"), u64::try_from(number).unwrap());
        };
        (0..MAX_KEPT).for_each(|number| put(&mut kept, number));
        // Asked for now, long after all others.
        assert!(kept.get(&app(0)).is_some());
        (MAX_KEPT..MAX_KEPT + 5).for_each(|number| put(&mut kept, number));
        assert_eq!(kept.entries().len(), MAX_KEPT);
        let gone: Vec<usize> =
            (0..MAX_KEPT + 5).filter(|number| kept.get(&app(*number)).is_none()).collect();
        assert_eq!(gone, [1, 2, 3, 4, 5]);
        assert!(kept.saving().is_none());
    }

    proptest! {
        #[test]
        fn no_file_breaks_anything(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("names");
            std::fs::write(&file, &bytes).unwrap();
            let mut kept = KeptLabels::new(Some(file));
            prop_assert_eq!(kept.get(&key("a.b")), None);
        }
    }
}
