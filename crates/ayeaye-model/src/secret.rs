//! API keys and tokens.
use std::fmt;

use ayeaye_agent::SHORTEST_KEY;

/// A key or token that can be sent but not shown: it has no `Display`, is not serializable, and its
/// `Debug` reveals nothing.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Trims the blanks and line ends that copying leaves; `None` if nothing is left.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        (!text.is_empty()).then(|| Self(text.to_owned()))
    }

    /// The text itself, for the one header it is sent in, the file it is kept in or the hash it is
    /// compared by.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with this secret replaced by `[key]`.
    pub(crate) fn redact_in(&self, text: &str) -> String {
        if self.0.chars().count() < SHORTEST_KEY {
            return text.to_owned();
        }
        text.replace(&self.0, "[key]")
    }

    /// Where a text was cut inside this secret, takes its beginning off: nobody would know it for what it is.
    pub(crate) fn drop_beginning_at_end(&self, cut: &mut Vec<u8>) {
        let secret = self.0.as_bytes();
        let longest = (1..secret.len()).rev().find(|&it| cut.ends_with(&secret[..it]));
        cut.truncate(cut.len() - longest.unwrap_or(0));
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_nothing() {
        let secret = Secret::new(" sk-canary\n").unwrap();
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert_eq!(secret.expose(), "sk-canary");
        assert_eq!(secret.redact_in("wrong key sk-canary!"), "wrong key [key]!");
        assert_eq!(Secret::new(" \n"), None);
        for (text, left) in
            [("no: sk-cana", "no: "), ("no: sk-canary", "no: sk-canary"), ("no", "no"), ("", "")]
        {
            let mut cut = text.as_bytes().to_vec();
            secret.drop_beginning_at_end(&mut cut);
            assert_eq!(cut, left.as_bytes());
        }
        let word = Secret::new("none").unwrap();
        assert_eq!(word.redact_in("set it to none"), "set it to none");
    }
}
