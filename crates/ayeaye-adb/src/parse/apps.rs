//! Lists of apps.
use super::input_method::is_component;

/// The components in the output of `cmd package query-activities --brief` and the like, one per line
/// between lines about their priority.
pub(crate) fn components(text: &str) -> Vec<(String, String)> {
    text.lines()
        .map(str::trim)
        .filter(|line| is_component(line))
        .filter_map(|line| line.split_once('/'))
        .map(|(package, class)| (package.to_owned(), class.to_owned()))
        .collect()
}

/// The component in the output of `cmd package resolve-activity --brief`, unless it is Android's own
/// app chooser.
pub(crate) fn first_component(text: &str) -> Option<(String, String)> {
    components(text).into_iter().find(|(package, _)| package != "android")
}

/// The packages of `pm list packages`.
pub(crate) fn packages(text: &str) -> Vec<String> {
    text.lines()
        .filter_map(|line| line.trim().strip_prefix("package:"))
        .map(str::trim)
        .filter(|package| crate::quote::is_package(package))
        .map(ToOwned::to_owned)
        .collect()
}
