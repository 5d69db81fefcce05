//! The value of an expression of Python, where it is one of texts.
use super::super::ImportError;
use super::super::literal;
use super::super::source::{Value, joined};
use super::super::tokens::TokenKind;
use super::{DEEPEST, Python};

/// Reads an expression from a token on.
pub(super) struct Reader<'f, 'a> {
    pub file: &'f mut Python<'a>,
    pub at: usize,
    pub depth: usize,
}

impl Reader<'_, '_> {
    fn kind(&self) -> Option<TokenKind> {
        self.file.tokens.get(self.at).map(|it| it.kind)
    }

    fn word(&self) -> &str {
        self.file.tokens.get(self.at).map_or("", |it| self.file.text(it))
    }

    fn takes(&mut self, mark: char) -> bool {
        let is_it = self.kind() == Some(TokenKind::Mark(mark));
        self.at += usize::from(is_it);
        is_it
    }

    /// The source from a token to the present one.
    fn since(&self, first: usize) -> String {
        let start = self.file.tokens.get(first).map_or(0, |it| it.start);
        let end = self.file.tokens.get(self.at.wrapping_sub(1)).map_or(start, |it| it.end);
        self.file.source.get(start..end).unwrap_or_default().to_owned()
    }

    pub(super) fn expression(&mut self) -> Result<Value, ImportError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ImportError::new("its expressions stand too deep in each other"));
        }
        let first = self.at;
        let mut value = self.term()?;
        while self.takes('+') {
            let behind = self.at;
            let left = self.as_text(value, first, behind - 1)?;
            let right = self.term()?;
            let right = self.as_text(right, behind, self.at)?;
            value = Value::Text(joined(left, &right)?);
        }
        if !self.at_end() {
            // Some other operation: none of its operands can be told.
            self.skip();
            value = Value::Other(self.since(first));
        }
        self.depth -= 1;
        Ok(value)
    }

    /// Whether an expression can end here.
    fn at_end(&self) -> bool {
        match self.kind() {
            None | Some(TokenKind::Newline) => true,
            Some(TokenKind::Mark(mark)) => ")]},:;=".contains(mark),
            _ => false,
        }
    }

    /// Goes to where the expression ends.
    fn skip(&mut self) {
        let mut open = 0_usize;
        while let Some(kind) = self.kind() {
            match kind {
                TokenKind::Newline | TokenKind::Mark(')' | ']' | '}' | ',') if open == 0 => return,
                TokenKind::Mark('(' | '[' | '{') => open += 1,
                TokenKind::Mark(')' | ']' | '}') => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// A value as a text: what is none is a hole.
    fn as_text(&mut self, value: Value, from: usize, to: usize) -> Result<String, ImportError> {
        if let Value::Text(text) = value {
            return Ok(text);
        }
        let start = self.file.tokens.get(from).map_or(0, |it| it.start);
        let end = self.file.tokens.get(to.wrapping_sub(1)).map_or(start, |it| it.end);
        self.file.holes.make(self.file.source.get(start..end).unwrap_or_default())
    }

    fn term(&mut self) -> Result<Value, ImportError> {
        let first = self.at;
        let mut value = match self.kind() {
            Some(TokenKind::String { .. }) => self.strings()?,
            Some(TokenKind::Name) => self.name()?,
            Some(TokenKind::Number) => {
                self.at += 1;
                Value::Other(self.since(first))
            }
            Some(TokenKind::Mark('(')) => self.parentheses()?,
            Some(TokenKind::Mark('[')) => Value::List(self.items(']')?),
            Some(TokenKind::Mark('{')) => self.table()?,
            _ => {
                self.skip();
                return Ok(Value::Other(self.since(first)));
            }
        };
        loop {
            match self.kind() {
                Some(TokenKind::Mark('.')) => {
                    self.at += 1;
                    let method = self.word().to_owned();
                    self.at += 1;
                    value = self.method(value, &method, first)?;
                }
                Some(TokenKind::Mark('(' | '[')) => {
                    self.bracket();
                    value = Value::Other(self.since(first));
                }
                _ => return Ok(value),
            }
        }
    }

    /// Goes over a bracket and what is in it.
    fn bracket(&mut self) {
        self.at += 1;
        self.skip();
        while matches!(self.kind(), Some(TokenKind::Mark(',') | TokenKind::Newline)) {
            self.at += 1;
            self.skip();
        }
        self.at += 1;
    }

    /// String literals, which Python joins where they stand side by side.
    fn strings(&mut self) -> Result<Value, ImportError> {
        let first = self.at;
        let mut text = String::new();
        let mut is_text = true;
        while let Some(TokenKind::String { prefix, quotes }) = self.kind() {
            let token = self.file.tokens[self.at];
            let source = &self.file.source[token.start..token.end];
            self.at += 1;
            let depth = self.depth;
            let file = &mut *self.file;
            let mut fill = |expression: &str| file.fill(expression, depth);
            match literal::text(source, prefix, quotes, &mut fill)? {
                Some(more) => text = joined(text, &more)?,
                None => is_text = false,
            }
        }
        Ok(if is_text { Value::Text(text) } else { Value::Other(self.since(first)) })
    }

    /// A name, dotted perhaps, or a call of a function that gives its text back.
    fn name(&mut self) -> Result<Value, ImportError> {
        let first = self.at;
        self.at += 1;
        let mut last = self.file.text(&self.file.tokens[first]).to_owned();
        while self.kind() == Some(TokenKind::Mark('.'))
            && self.file.tokens.get(self.at + 1).is_some_and(|it| it.kind == TokenKind::Name)
        {
            self.at += 1;
            self.word().clone_into(&mut last);
            self.at += 1;
        }
        if self.kind() == Some(TokenKind::Mark('('))
            && matches!(last.as_str(), "Template" | "dedent" | "str")
        {
            let before = self.at;
            let args = self.arguments()?;
            if let [(None, Value::Text(text))] = args.as_slice() {
                let text = if last == "dedent" { dedent(text) } else { text.clone() };
                return Ok(Value::Text(text));
            }
            self.at = before;
        }
        let name = self.since(first);
        let plain = self.at == first + 1 && self.kind() != Some(TokenKind::Mark('('));
        let known = if plain { self.file.look_up(&name, self.depth)? } else { None };
        Ok(known.unwrap_or(Value::Other(name)))
    }

    fn parentheses(&mut self) -> Result<Value, ImportError> {
        let first = self.at;
        let mut items = self.items(')')?;
        Ok(if items.len() == 1 { items.remove(0) } else { Value::Other(self.since(first)) })
    }

    fn items(&mut self, close: char) -> Result<Vec<Value>, ImportError> {
        self.at += 1;
        let mut items = Vec::new();
        while !self.takes(close) {
            if self.kind().is_none() {
                return Err(ImportError::new("a bracket in it has no end"));
            }
            let before = self.at;
            items.push(self.expression()?);
            let _ = self.takes(',');
            if self.at == before {
                return Err(ImportError::new("a list in it is not understood"));
            }
        }
        Ok(items)
    }

    fn table(&mut self) -> Result<Value, ImportError> {
        let first = self.at;
        self.at += 1;
        let mut rows = Vec::new();
        while !self.takes('}') {
            if self.kind().is_none() {
                return Err(ImportError::new("a bracket in it has no end"));
            }
            let before = self.at;
            let key = self.expression()?;
            if self.takes(':') {
                let value = self.expression()?;
                if let Value::Text(key) = key {
                    rows.push((key, value));
                }
            }
            let _ = self.takes(',');
            if self.at == before {
                return Ok(Value::Other(self.since(first)));
            }
        }
        Ok(Value::Table(rows))
    }

    /// The arguments of a call.
    fn arguments(&mut self) -> Result<Vec<(Option<String>, Value)>, ImportError> {
        self.at += 1;
        let mut args = Vec::new();
        while !self.takes(')') {
            if self.kind().is_none() {
                return Err(ImportError::new("a bracket in it has no end"));
            }
            let before = self.at;
            let next = self.file.tokens.get(self.at + 1).map(|it| it.kind);
            let name = (self.kind() == Some(TokenKind::Name) && next == Some(TokenKind::Mark('=')))
                .then(|| self.word().to_owned());
            if name.is_some() {
                self.at += 2;
            }
            let first = self.at;
            let value = match self.expression()? {
                Value::Other(_) => Value::Text(self.file.holes.make(&self.since(first))?),
                value => value,
            };
            args.push((name, value));
            let _ = self.takes(',');
            if self.at == before {
                return Err(ImportError::new("a call in it is not understood"));
            }
        }
        Ok(args)
    }

    /// What a method of a text gives; of anything else nothing is known.
    fn method(&mut self, value: Value, method: &str, first: usize) -> Result<Value, ImportError> {
        if self.kind() != Some(TokenKind::Mark('(')) {
            return Ok(Value::Other(self.since(first)));
        }
        let Value::Text(text) = value else {
            self.bracket();
            return Ok(Value::Other(self.since(first)));
        };
        let args = self.arguments()?;
        let text = match (method, args.as_slice()) {
            ("strip", []) => text.trim().to_owned(),
            ("lstrip", []) => text.trim_start().to_owned(),
            ("rstrip", []) => text.trim_end().to_owned(),
            ("replace", [(None, Value::Text(old)), (None, Value::Text(new))])
                if !old.is_empty() =>
            {
                joined(text.replace(old.as_str(), new), "")?
            }
            ("format", args) => {
                let holes = &mut self.file.holes;
                literal::formatted(&text, &mut |name| {
                    let given = args.iter().find(|(known, _)| known.as_deref() == Some(name));
                    match given {
                        Some((_, Value::Text(text))) => Ok(text.clone()),
                        _ => holes.make(name),
                    }
                })?
            }
            _ => return Ok(Value::Other(self.since(first))),
        };
        Ok(Value::Text(text))
    }
}

/// A text without the blanks that all its lines begin with.
fn dedent(text: &str) -> String {
    let is_blank = |line: &str| line.trim().is_empty();
    let margin = text
        .split('\n')
        .filter(|line| !is_blank(line))
        .map(|line| line.len() - line.trim_start_matches([' ', '\t']).len());
    let margin = margin.min().unwrap_or(0);
    let lines = text
        .split('\n')
        .map(|line| if is_blank(line) { "" } else { line.get(margin..).unwrap_or(line) });
    lines.collect::<Vec<_>>().join("\n")
}
