//! Lists of apps.
use super::focus::asks_which;
use super::input_method::is_component;
use super::sanitize;
use super::text::lines;

/// The components in the output of `cmd package query-activities --brief` and the like, one per line
/// between lines about their priority.
pub(crate) fn components(text: &str) -> Vec<(String, String)> {
    lines(text)
        .map(str::trim)
        .filter(|line| is_component(line))
        .filter_map(|line| line.split_once('/'))
        .map(|(package, class)| (package.to_owned(), class.to_owned()))
        .collect()
}

/// The component in the output of `cmd package resolve-activity --brief`, unless it is the screen by which the phone
/// asks which app is meant.
pub(crate) fn first_component(text: &str) -> Option<(String, String)> {
    components(text)
        .into_iter()
        .find(|(package, class)| package != "android" && !asks_which(package, class))
}

/// The packages of `pm list packages`.
pub(crate) fn packages(text: &str) -> Vec<String> {
    lines(text)
        .filter_map(|line| line.trim().strip_prefix("package:"))
        .map(str::trim)
        .filter(|package| crate::quote::is_package(package))
        .map(ToOwned::to_owned)
        .collect()
}

/// Where an app's package file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackageFile {
    pub(crate) package: String,
    pub(crate) path: String,
    /// The version by which Android tells which of two is newer.
    pub(crate) version: Option<u64>,
}

/// The files of `pm list packages -f`, with their versions where they are told.
pub(crate) fn package_files(text: &str) -> Vec<PackageFile> {
    let file = |line: &str| {
        let line = line.trim().strip_prefix("package:")?;
        let (line, version) = match line.split_once(" versionCode:") {
            Some((line, version)) => (line, version.trim().parse().ok()),
            None => (line, None),
        };
        // Folders of installed apps end in `==`.
        let (path, package) = line.rsplit_once('=')?;
        (crate::quote::is_package(package) && path.starts_with('/')).then(|| PackageFile {
            package: package.to_owned(),
            path: path.to_owned(),
            version,
        })
    };
    lines(text).filter_map(file).collect()
}

/// The version of an app by its own name for it, from `dumpsys package`. A system app that was updated is
/// listed twice, the version in use first.
pub(crate) fn version_name(text: &str, package: &str) -> Option<String> {
    let (_, about) = text.split_once(&format!("Package [{package}]"))?;
    let about = about.split("\n  Package [").next()?;
    let version = about.lines().find_map(|line| line.trim().strip_prefix("versionName="))?;
    Some(sanitize(version)).filter(|version| !version.is_empty() && version != "null")
}
