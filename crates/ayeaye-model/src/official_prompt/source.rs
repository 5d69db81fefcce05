//! What is read out of a source file: texts with holes, and lists of them.
use super::ImportError;

/// The most bytes of a file. Notebooks hold pictures.
pub(super) const LONGEST_FILE: usize = 16 << 20;
/// The most bytes of a text.
const LONGEST_TEXT: usize = 128 << 10;
/// The most holes of a file.
const MOST_HOLES: usize = 2_000;

/// Holes stand in texts as characters that no source may hold: texts can so be joined, stripped and cut
/// like any other.
const FIRST_HOLE: u32 = 0xF_0000;

/// The value of an expression.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// A text, with holes where the program that it was written for fills something in.
    Text(String),
    /// A list.
    List(Vec<Self>),
    /// A table with texts for keys, in the order of the source.
    Table(Vec<(String, Self)>),
    /// Whatever else, as it stands in the source.
    Other(String),
}

/// The holes of one file.
#[derive(Debug, Default)]
pub(super) struct Holes(Vec<String>);

impl Holes {
    /// A hole for this expression, as a text.
    pub(super) fn make(&mut self, expression: &str) -> Result<String, ImportError> {
        let expression = expression.trim();
        let at = match self.0.iter().position(|it| it == expression) {
            Some(at) => at,
            None if self.0.len() < MOST_HOLES => {
                self.0.push(expression.to_owned());
                self.0.len() - 1
            }
            None => return Err(ImportError::new("it fills in too many things")),
        };
        let hole = u32::try_from(at).ok().and_then(|at| char::from_u32(FIRST_HOLE + at));
        Ok(hole.ok_or_else(|| ImportError::new("it fills in too many things"))?.to_string())
    }

    /// The text in pieces: words, and the expressions of holes.
    pub(super) fn split<'a>(&'a self, text: &'a str) -> Vec<Split<'a>> {
        let mut pieces = Vec::new();
        let mut begin = 0;
        for (at, c) in text.char_indices() {
            let Some(hole) = self.expression(c) else { continue };
            if begin < at {
                pieces.push(Split::Words(&text[begin..at]));
            }
            pieces.push(Split::Hole(hole));
            begin = at + c.len_utf8();
        }
        if begin < text.len() {
            pieces.push(Split::Words(&text[begin..]));
        }
        pieces
    }

    /// The text with `{expression}` for each hole, as tables of facts name it by its hash.
    pub(super) fn canonical(&self, text: &str) -> String {
        let piece = |it: &Split<'_>| match it {
            Split::Words(words) => (*words).to_owned(),
            Split::Hole(expression) => format!("{{{expression}}}"),
        };
        self.split(text).iter().map(piece).collect()
    }

    fn expression(&self, c: char) -> Option<&str> {
        let at = (c as u32).checked_sub(FIRST_HOLE)?;
        self.0.get(at as usize).map(String::as_str)
    }
}

/// A piece of a text.
#[derive(Debug, PartialEq)]
pub(super) enum Split<'a> {
    Words(&'a str),
    Hole(&'a str),
}

/// A source file as text.
pub(super) fn decoded(bytes: &[u8]) -> Result<&str, ImportError> {
    if bytes.len() > LONGEST_FILE {
        return Err(ImportError::new(format!("it is longer than {LONGEST_FILE} bytes")));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| ImportError::new("it is no UTF-8"))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.chars().any(|c| c as u32 >= FIRST_HOLE || c == '\0') {
        return Err(ImportError::new("it holds characters that no prompt has"));
    }
    Ok(text)
}

/// Joins texts, within the bound.
pub(super) fn joined(mut left: String, right: &str) -> Result<String, ImportError> {
    if left.len() + right.len() > LONGEST_TEXT {
        return Err(ImportError::new(format!("a text in it is longer than {LONGEST_TEXT} bytes")));
    }
    left.push_str(right);
    Ok(left)
}

/// Where the `}` of a hole at the front is. Texts in it may hold brackets.
pub(super) fn hole_end(rest: &str) -> Option<usize> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, c) in rest.char_indices() {
        if let Some(open) = quote {
            if !escaped && c == open {
                quote = None;
            }
            escaped = c == '\\' && !escaped;
            continue;
        }
        match c {
            '\'' | '"' | '`' => quote = Some(c),
            '{' | '[' | '(' => depth += 1,
            '}' | ']' | ')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return (c == '}').then_some(at);
                }
            }
            _ => {}
        }
    }
    None
}
