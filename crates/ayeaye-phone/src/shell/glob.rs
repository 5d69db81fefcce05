//! Patterns for names of files: `*`, `?` and `[…]`.

/// One place of a pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Token {
    Any,
    One,
    /// One of these ranges, or with `!` none of them.
    Set {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
    Literal(char),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pattern(Vec<Token>);

impl Pattern {
    /// Reads characters, of which each may be special or not. `None`: nothing in it is special.
    pub(super) fn parse(text: &[(char, bool)]) -> Option<Self> {
        let (mut tokens, mut special) = (Vec::new(), false);
        let mut rest = text;
        // Nothing closes what is opened behind this one either.
        let mut closes = true;
        while let [(c, active), behind @ ..] = rest {
            rest = behind;
            let token = match c {
                '*' if *active => Token::Any,
                '?' if *active => Token::One,
                '[' if *active && closes => {
                    let found = set(behind);
                    closes = found.is_some();
                    found.map_or(Token::Literal('['), |(set, behind)| {
                        rest = behind;
                        set
                    })
                }
                c => Token::Literal(*c),
            };
            special |= !matches!(token, Token::Literal(_));
            tokens.push(token);
        }
        special.then_some(Self(tokens))
    }

    /// The folder that it begins with, as it was typed, what is below that, and the slashes at its end.
    pub(super) fn parts(&self) -> (String, Self, String) {
        let Self(tokens) = self;
        let is_slash = |token: &Token| *token == Token::Literal('/');
        let first = tokens.iter().position(|token| !matches!(token, Token::Literal(_)));
        let before = &tokens[..first.unwrap_or(tokens.len())];
        let start = before.iter().rposition(is_slash).map_or(0, |at| at + 1);
        let end = tokens.iter().rposition(|token| !is_slash(token)).map_or(0, |at| at + 1);
        let text = |tokens: &[Token]| -> String {
            let literals = tokens.iter().filter_map(|token| match token {
                Token::Literal(c) => Some(*c),
                _ => None,
            });
            literals.collect()
        };
        let below = tokens[start..end.max(start)].to_vec();
        (text(&tokens[..start]), Self(below), text(&tokens[end.max(start)..]))
    }

    /// Nothing special matches a slash, or a dot at the beginning of a name. Linear in the product of both lengths, whatever the pattern.
    pub(super) fn matches(&self, path: &str) -> bool {
        let Self(pattern) = self;
        let path: Vec<char> = path.chars().collect();
        let (mut p, mut s) = (0, 0);
        let mut retry: Option<(usize, usize)> = None;
        while s < path.len() {
            let hidden = path[s] == '.' && (s == 0 || path[s - 1] == '/');
            let fits = match pattern.get(p) {
                Some(Token::Any | Token::One | Token::Set { .. }) if hidden => false,
                Some(Token::Any) => {
                    retry = Some((p, s));
                    p += 1;
                    continue;
                }
                Some(token) => token.fits(path[s]),
                None => false,
            };
            if fits {
                (p, s) = (p + 1, s + 1);
            } else {
                match retry {
                    Some((star, from)) if path[from] != '/' => {
                        retry = Some((star, from + 1));
                        (p, s) = (star + 1, from + 1);
                    }
                    _ => return false,
                }
            }
        }
        pattern[p..].iter().all(|token| *token == Token::Any)
    }
}

impl Token {
    fn fits(&self, c: char) -> bool {
        match self {
            Self::Any | Self::One => c != '/',
            Self::Set { negated, ranges } => {
                c != '/' && ranges.iter().any(|(from, to)| (*from..=*to).contains(&c)) != *negated
            }
            Self::Literal(literal) => *literal == c,
        }
    }
}

/// A set behind its bracket, and what is behind it; `None` where no bracket closes it.
fn set(mut rest: &[(char, bool)]) -> Option<(Token, &[(char, bool)])> {
    let mut negated = false;
    if let [('!' | '^', true), behind @ ..] = rest {
        (negated, rest) = (true, behind);
    }
    let mut ranges = Vec::new();
    loop {
        // A bracket in the first place is one of the set.
        match rest {
            [(']', true), behind @ ..] if !ranges.is_empty() => {
                return Some((Token::Set { negated, ranges }, behind));
            }
            [(from, _), ('-', true), (to, quoted), behind @ ..] if *to != ']' || !quoted => {
                ranges.push((*from, *to));
                rest = behind;
            }
            [(c, _), behind @ ..] => {
                ranges.push((*c, *c));
                rest = behind;
            }
            [] => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let pattern: Vec<_> = pattern.chars().map(|c| (c, true)).collect();
        match Pattern::parse(&pattern) {
            Some(pattern) => pattern.matches(path),
            None => pattern.iter().map(|(c, _)| *c).eq(path.chars()),
        }
    }

    #[test]
    fn patterns_stay_within_a_folder() {
        assert!(matches("/sdcard/*.png", "/sdcard/a.png"));
        assert!(!matches("/sdcard/*.png", "/sdcard/a/b.png"));
        assert!(matches("/s*/a?c", "/sdcard/abc"));
        assert!(matches("/*/*", "/a/b"));
        assert!(!matches("/*", "/a/b"));
        assert!(!matches("a?", "a"));
        assert!(matches("a*", "a"));
    }

    #[test]
    fn a_hidden_name_is_matched_by_its_dot_only() {
        assert!(matches(".*", ".a") && matches(".?", ".a") && matches("/x/.a*", "/x/.ab"));
        for pattern in ["*", "?a", "[.]a", "*.a", "*a"] {
            assert!(!matches(pattern, ".a"), "{pattern}");
        }
        assert!(!matches("*/a", ".x/a") && matches(".*/a", ".x/a") && !matches("x/*", "x/.a"));
        assert!(matches("*.a", "b.a") && matches("b*", "b.a"));
    }

    #[test]
    fn a_set_is_one_of_its_characters() {
        assert!(matches("shot_[0-9].png", "shot_3.png"));
        assert!(!matches("shot_[0-9].png", "shot_a.png"));
        assert!(matches("[!a-c]*", "d1") && !matches("[!a-c]*", "b1"));
        assert!(matches("[]x]", "]") && matches("[]x]", "x") && !matches("[]x]", "y"));
        assert!(matches("[a-]", "-") && matches("[-a]", "-") && !matches("[a-]", "b"));
        assert!(!matches("a[/]b", "a/b") && !matches("a[!x]b", "a/b"));
        assert!(matches("[a", "[a") && matches("[[*", "[[a"));
        assert!(!matches("[z-a]", "m"));
        // A bracket in quotes closes nothing, and a dash in quotes makes no range.
        let quoted = |text: &str, off: usize| {
            let all: Vec<_> = text.chars().enumerate().map(|(at, c)| (c, at != off)).collect();
            Pattern::parse(&all)
        };
        assert_eq!(quoted("[a]", 2), None);
        assert_eq!(quoted("[a]", 0), None);
        assert!(!quoted("[a-c]", 2).unwrap().matches("b"));
    }
}
