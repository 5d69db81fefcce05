//! The apps of the phone in prompts whose format has a place for them.
use super::escape::quote_untrusted;

/// The most apps that are named; a person's phone has about a hundred.
const MOST_APPS: usize = 120;
/// The most bytes of a name.
const LONGEST_NAME: usize = 50;

/// Their names as a list in one line; `None` where none is known. A name is the app's own text.
pub(super) fn listed(names: &[String]) -> Option<String> {
    if names.is_empty() {
        return None;
    }
    let shown = names.iter().take(MOST_APPS);
    let quoted: Vec<String> = shown.map(|name| quote_untrusted(name, LONGEST_NAME)).collect();
    let more = match names.len().saturating_sub(MOST_APPS) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(format!("[{}]{more}", quoted.join(", ")))
}
