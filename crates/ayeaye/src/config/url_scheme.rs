//! Schemes of addresses.
use std::str::FromStr;

use super::ValueError;

/// The scheme of an address (RFC 3986, 3.1), in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UrlScheme(pub String);

impl FromStr for UrlScheme {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let inner = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let begins = text.starts_with(|c: char| c.is_ascii_alphabetic());
        if begins && text.len() <= 40 && text.chars().all(inner) {
            Ok(Self(text.to_ascii_lowercase()))
        } else {
            Err(ValueError::NotAScheme(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemes_are_words_without_a_colon() {
        assert_eq!("HTTPS".parse::<UrlScheme>().unwrap().0, "https");
        assert!("web+app".parse::<UrlScheme>().is_ok());
        for wrong in ["", "https:", "1a", "a b", "\u{e9}a"] {
            assert!(wrong.parse::<UrlScheme>().is_err(), "{wrong}");
        }
    }
}
