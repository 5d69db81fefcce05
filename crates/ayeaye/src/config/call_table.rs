//! How models are asked to choose their words, by their names.
use std::str::FromStr;

use ayeaye_model::CallSettings;

use super::{ValueError, price};

/// Settings of calls for models of some names.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CallTable(pub(super) Vec<CallLine>);

/// The settings for models whose names match a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CallLine {
    /// In lower case; `*` stands for any part of a name.
    pattern: String,
    calls: CallSettings,
}

impl CallTable {
    /// The settings for a model of this name: the first line that matches.
    pub fn of(&self, name: &str) -> CallSettings {
        let name = name.trim().to_ascii_lowercase();
        let line = self.0.iter().find(|line| price::fits(&line.pattern, &name));
        line.map(|line| line.calls.clone()).unwrap_or_default()
    }
}

impl FromStr for CallLine {
    type Err = ValueError;

    fn from_str(line: &str) -> Result<Self, ValueError> {
        let line = line.trim();
        let Some((pattern, calls)) = line.split_once(char::is_whitespace) else {
            return Err(ValueError::NotACallLine);
        };
        if pattern.contains('=') {
            return Err(ValueError::NotACallLine);
        }
        Ok(Self { pattern: pattern.to_ascii_lowercase(), calls: calls.parse()? })
    }
}

/// A text that ends a reply.
pub(super) struct StopText(pub(super) String);

impl FromStr for StopText {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        if text.is_empty() { Err(ValueError::Empty) } else { Ok(Self(text.to_owned())) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_counts() {
        let lines = ["Qwen3-VL-* temperature=0.7 top-p=0.8", "* thinking=off"];
        let table = CallTable(lines.iter().map(|line| line.parse().unwrap()).collect());
        let of = |line: &str| line.parse::<CallSettings>().unwrap();
        assert_eq!(table.of("qwen3-vl-8b"), of("temperature=0.7 top-p=0.8"));
        assert_eq!(table.of("glm-4.6v"), of("thinking=off"));
        assert!(CallTable::default().of("glm-4.6v").is_empty());
    }

    #[test]
    fn what_is_no_line_is_refused() {
        for (odd, part) in [
            ("qwen3-vl-8b", "NAME temperature=0.7"),
            ("temperature=0.7 top-p=0.8", "NAME temperature=0.7"),
            ("qwen temperature=9", "temperature=9: it must be a number from 0 to 2"),
            ("qwen heat=1", "there is no `heat`"),
        ] {
            let why = odd.parse::<CallLine>().unwrap_err().to_string();
            assert!(why.contains(part), "{odd}: {why}");
        }
    }
}
