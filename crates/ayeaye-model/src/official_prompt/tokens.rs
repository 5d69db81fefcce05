//! Python as tokens: enough of it to find what is assigned to a name, and to read strings.
use super::ImportError;

/// The most tokens of a file.
const MOST_TOKENS: usize = 500_000;

/// A token, by its place in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    pub start: usize,
    pub end: usize,
}

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Number,
    /// A string literal: the length of its prefix and that of its quotes.
    String {
        prefix: usize,
        quotes: usize,
    },
    /// Any other character.
    Mark(char),
    /// The end of a logical line.
    Newline,
}

/// The tokens of a source. Line ends within brackets are none.
pub(super) fn tokens(source: &str) -> Result<Vec<Token>, ImportError> {
    let bytes = source.as_bytes();
    let mut tokens: Vec<Token> = Vec::new();
    let (mut at, mut depth) = (0_usize, 0_usize);
    while let Some(c) = source[at..].chars().next() {
        if tokens.len() >= MOST_TOKENS {
            return Err(ImportError::new("it is too long a program"));
        }
        let start = at;
        at += c.len_utf8();
        let kind = match c {
            '\n' if depth == 0 => TokenKind::Newline,
            '#' => {
                at = source[start..].find('\n').map_or(source.len(), |end| start + end);
                continue;
            }
            '\\' if source[at..].starts_with("\r\n") => {
                at += 2;
                continue;
            }
            '\\' if bytes.get(at) == Some(&b'\n') => {
                at += 1;
                continue;
            }
            _ if c.is_whitespace() => continue,
            '"' | '\'' => string(source, start, start),
            _ if c.is_alphabetic() || c == '_' => {
                let rest = &source[start..];
                let part = |c: char| c.is_alphanumeric() || c == '_';
                let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
                at = start + length;
                let quoted = matches!(bytes.get(at), Some(b'"' | b'\''));
                if quoted && length <= 2 && is_prefix(&rest[..length]) {
                    string(source, start, at)
                } else {
                    TokenKind::Name
                }
            }
            _ if c.is_ascii_digit() => {
                let rest = &source[start..];
                let part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.';
                at = start + rest.find(|c| !part(c)).unwrap_or(rest.len());
                TokenKind::Number
            }
            _ => {
                match c {
                    '(' | '[' | '{' => depth += 1,
                    ')' | ']' | '}' => depth = depth.saturating_sub(1),
                    _ => {}
                }
                TokenKind::Mark(c)
            }
        };
        if let TokenKind::String { .. } = kind {
            at = string_end(source, start, kind)?;
        }
        tokens.push(Token { kind, start, end: at });
    }
    Ok(tokens)
}

fn is_prefix(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    matches!(word.as_str(), "r" | "b" | "f" | "u" | "rb" | "br" | "fr" | "rf")
}

fn string(source: &str, start: usize, quote: usize) -> TokenKind {
    let mark = source.as_bytes()[quote];
    let triple = source.as_bytes()[quote..].starts_with(&[mark; 3]);
    let prefix = quote - start;
    TokenKind::String { prefix, quotes: if triple { 3 } else { 1 } }
}

/// Where a string literal ends. A backslash never ends one, not even a raw one.
fn string_end(source: &str, start: usize, kind: TokenKind) -> Result<usize, ImportError> {
    let TokenKind::String { prefix, quotes } = kind else { return Ok(start) };
    let bytes = source.as_bytes();
    let mark = bytes[start + prefix];
    let mut at = start + prefix + quotes;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            b'\n' if quotes == 1 => break,
            byte if byte == mark && (quotes == 1 || bytes[at..].starts_with(&[mark; 3])) => {
                return Ok(at + quotes);
            }
            _ => at += 1,
        }
    }
    let line = source[..start].matches('\n').count() + 1;
    Err(ImportError::new(format!("the text in line {line} has no end")))
}
