//! Constants of a Python file, by its syntax. Nothing is run: what is no constant becomes a hole.
use super::ImportError;
use super::source::{Holes, Value};
use super::tokens::{Token, TokenKind, tokens};

mod expression;

use expression::Reader;

/// How deep expressions may stand in each other.
const DEEPEST: usize = 40;
/// How many names may be looked up for one constant.
const MOST_LOOKUPS: usize = 400;

/// A file, and what of it was read.
pub(super) struct Python<'a> {
    source: &'a str,
    tokens: Vec<Token>,
    /// Names that stay holes although the file gives them a value.
    slots: &'a [&'a str],
    pub holes: Holes,
    lookups: usize,
}

impl<'a> Python<'a> {
    pub(super) fn new(source: &'a str, slots: &'a [&'a str]) -> Result<Self, ImportError> {
        let tokens = tokens(source)?;
        Ok(Self { source, tokens, slots, holes: Holes::default(), lookups: 0 })
    }

    /// The value of the first assignment to this name: one of the file, or one of a function as
    /// `function.name`.
    pub(super) fn constant(&mut self, name: &str) -> Result<Option<Value>, ImportError> {
        let (function, name) = match name.split_once('.') {
            Some((function, name)) => (Some(function), name),
            None => (None, name),
        };
        let Some(at) = self.assignment(function, name) else { return Ok(None) };
        let mut reader = Reader { at, file: self, depth: 0 };
        reader.expression().map(Some)
    }

    /// The token behind `name =`.
    fn assignment(&self, function: Option<&str>, name: &str) -> Option<usize> {
        let mut inside = None;
        let mut line = 0;
        while line < self.tokens.len() {
            let end = self.tokens[line..].iter().position(|it| it.kind == TokenKind::Newline);
            let end = end.map_or(self.tokens.len(), |end| line + end);
            let words = &self.tokens[line..end];
            if let [first, second, ..] = words {
                let is_indented = self.is_indented(first);
                if !is_indented {
                    let is_def = self.text(first) == "def";
                    inside = is_def.then(|| self.text(second));
                }
                let in_place = if is_indented {
                    function.is_some() && inside == function
                } else {
                    function.is_none()
                };
                let compares = words.get(2).is_some_and(|it| it.kind == TokenKind::Mark('='));
                let assigns = second.kind == TokenKind::Mark('=') && !compares;
                if in_place && assigns && self.text(first) == name {
                    return Some(line + 2);
                }
            }
            line = end + 1;
        }
        None
    }

    fn is_indented(&self, token: &Token) -> bool {
        !(token.start == 0 || self.source.as_bytes()[token.start - 1] == b'\n')
    }

    fn text(&self, token: &Token) -> &'a str {
        &self.source[token.start..token.end]
    }

    /// What stands in the hole of an f-string: the text of a constant, or a hole.
    fn fill(&mut self, expression: &str, depth: usize) -> Result<String, ImportError> {
        let name = expression.trim();
        match self.look_up(name, depth)? {
            Some(Value::Text(text)) => Ok(text),
            _ => self.holes.make(name),
        }
    }

    /// The text that a name of the file stands for, unless it is to stay a hole.
    fn look_up(&mut self, name: &str, depth: usize) -> Result<Option<Value>, ImportError> {
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if !is_name || self.slots.contains(&name) || depth >= DEEPEST {
            return Ok(None);
        }
        self.lookups += 1;
        if self.lookups > MOST_LOOKUPS {
            return Err(ImportError::new("it looks up too many names"));
        }
        let Some(at) = self.assignment(None, name) else { return Ok(None) };
        let value = Reader { at, depth: depth + 1, file: self }.expression()?;
        Ok(matches!(value, Value::Text(_)).then_some(value))
    }
}
