//! The prices of models, by their names.
use std::str::FromStr;

use ayeaye_agent::Prices;

use super::{ValueError, value};

/// The prices that the user has set. None are built in: they change too often.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PriceTable(pub(super) Vec<PriceLine>);

/// The prices of the models whose names match a pattern.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct PriceLine {
    /// In lower case; `*` stands for any part of a name.
    pattern: String,
    prices: Prices,
}

impl PriceTable {
    /// What a model of this name costs: the first line that matches.
    pub fn of(&self, name: &str) -> Option<Prices> {
        let name = name.trim().to_ascii_lowercase();
        self.0.iter().find(|line| fits(&line.pattern, &name)).map(|line| line.prices)
    }
}

impl FromStr for PriceLine {
    type Err = ValueError;

    fn from_str(line: &str) -> Result<Self, ValueError> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (pattern, input, output, cached) = match words[..] {
            [pattern, input, output] => (pattern, input, output, None),
            [pattern, input, output, cached] => (pattern, input, output, Some(cached)),
            _ => return Err(ValueError::NotAPriceLine),
        };
        Ok(Self {
            pattern: pattern.to_ascii_lowercase(),
            prices: Prices {
                input: value::price(input)?,
                output: value::price(output)?,
                cached: cached.map(value::price).transpose()?,
            },
        })
    }
}

/// Whether a name matches a pattern.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| name.strip_prefix(first)) else {
        return false;
    };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table(lines: &[&str]) -> PriceTable {
        PriceTable(lines.iter().map(|line| line.parse().unwrap()).collect())
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        let table =
            table(&["qwen3-vl-8b 0.1 0.2 0.01", "Qwen3-VL-* 1 2", "*:free 0 0", "a*c*e 3 4"]);
        let input = |name: &str| table.of(name).map(|prices| prices.input);
        assert_eq!(input("qwen3-vl-8b"), Some(0.1));
        assert_eq!(table.of("qwen3-vl-8b").unwrap().cached, Some(0.01));
        assert_eq!(input("Qwen3-VL-32B"), Some(1.0));
        assert_eq!(table.of("qwen3-vl-32b").unwrap().cached, None);
        assert_eq!(input("some/model:free"), Some(0.0));
        assert_eq!(input("abcde"), Some(3.0));
        for unknown in ["qwen3-vl", "my-qwen3-vl-8b", "free", "ace d", "", "ae"] {
            assert_eq!(input(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn what_is_no_price_is_refused() {
        for odd in ["", "qwen", "qwen 1", "qwen 1 x", "qwen 1 2 3 4", "qwen -1 2", "qwen NaN 2"] {
            assert!(odd.parse::<PriceLine>().is_err(), "{odd}");
        }
    }

    proptest! {
        #[test]
        fn any_name_meets_any_pattern_without_fear(pattern in "[a-c*]{0,8}", name in "[a-c]{0,8}") {
            let all = pattern.chars().all(|c| c == '*') && !pattern.is_empty();
            prop_assert!(!all || fits(&pattern, &name));
            prop_assert_eq!(fits(&pattern.replace('*', ""), &name), pattern.replace('*', "") == name);
        }
    }
}
