//! The hosts that a user's words name: by themselves, or by the names of their owners.
use crate::host::host_of;

/// How much of a text is looked through for addresses.
const MOST: usize = 8 * 1024;

/// The endings of hosts under which well-known names are their owners': the old common ones, and those of
/// countries that are used for what belongs there.
#[rustfmt::skip]
pub(super) const KNOWN_ENDINGS: &[&str] = &[
    "com", "org", "net", "edu", "gov", "int", "eu", "app", "dev", "io",
    "ae", "ar", "at", "au", "bd", "be", "bg", "br", "by", "ca", "ch", "cl", "cn", "cz", "de", "dk", "ee", "eg", "es", "fi", "fr", "gr", "hk", "hr", "hu", "id", "ie", "il", "in", "is", "it",
    "jp", "ke", "kr", "kz", "lk", "lt", "lu", "lv", "ma", "mx", "my", "ng", "nl", "no", "nz", "pe", "ph", "pk", "pl", "pt", "ro", "rs", "ru", "sa", "se", "sg", "si", "sk", "th", "tr", "tw", "ua", "uk", "us", "uy", "vn", "za",
];

/// The part of a host that its owner has chosen.
pub(super) fn owner_of(host: &str) -> &str {
    const SECOND: &[&str] =
        &["co", "com", "org", "net", "gov", "ac", "edu", "go", "ne", "or", "gob", "gouv"];
    let labels: Vec<&str> = host.split('.').collect();
    match labels.as_slice() {
        [.., name, second, country] if country.len() == 2 && SECOND.contains(second) => name,
        [.., name, _] => name,
        _ => host,
    }
}

/// The hosts of the addresses in a text.
pub(super) fn hosts_in(text: &str) -> impl Iterator<Item = String> {
    let end = |c: char| c.is_whitespace() || "\"'()<>,;，。、“”„«»「」".contains(c);
    // Of a long one the end, as of the user's words.
    let tail = &text[text.ceil_char_boundary(text.len().saturating_sub(MOST))..];
    let parts = tail.split(end).map(|it| it.trim_matches(['.', ':', '!', '?']));
    let addresses = parts.filter(|it| it.contains('.') && it.len() <= 2048);
    addresses.filter_map(host_of).filter(|it| it.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_long_texts_of_any_script_are_found() {
        for begin in ["", "a", "ab"] {
            let text = format!("{begin}{} look at https://shop.example.com/x", "好".repeat(MOST));
            assert_eq!(hosts_in(&text).collect::<Vec<_>>(), ["shop.example.com"], "{begin}");
        }
    }
}
