//! Parses command lines: the part of `mksh`'s language that clients of adb use.
//!
//! What is not understood is refused with `mksh`'s kind of message, never run as something else.
//! Refused are `if` and loops, here documents, functions, `case`, `[[ ]]`, arithmetic, backticks,
//! `$'…'`, brace expansion and parameters other than `${name}`. What `mksh` takes and this does not is refused with
//! words that say so.
#[cfg(test)]
mod tests;
mod words;

use super::syntax::{Command, CommandKind, Item, List, Pipeline, Redirect, Script, Target, When};

/// Levels of substitutions, groups and subshells within each other.
const MAX_DEPTH: usize = 24;

/// Why a command line was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntaxError {
    #[error("syntax error: unexpected '{0}'")]
    Unexpected(String),
    /// Incomplete.
    #[error("syntax error: unmatched '{0}'")]
    Unmatched(&'static str),
    /// Incomplete, after an operator.
    #[error("syntax error: unexpected EOF")]
    UnexpectedEnd,
    /// Incomplete.
    #[error("no closing quote")]
    NoClosingQuote,
    #[error("{0}: bad substitution")]
    BadSubstitution(String),
    #[error(">&{0} : bad file descriptor")]
    BadDescriptor(String),
    /// Valid in a real shell.
    #[error("syntax error: unexpected '{0}' (not supported by this virtual shell)")]
    Unsupported(String),
    #[error("syntax error: nested too deeply")]
    TooDeep,
}

impl SyntaxError {
    /// Whether an interactive shell would ask for another line.
    pub(crate) fn wants_more(&self) -> bool {
        matches!(self, Self::Unmatched(_) | Self::UnexpectedEnd | Self::NoClosingQuote)
    }
}

/// Parses a whole script.
pub(crate) fn parse(text: &str) -> Result<Script, SyntaxError> {
    let mut parser = Parser { text: text.chars().collect(), at: 0, depth: 0 };
    parser.script(Until::End)
}

/// Whether the line is one program: `mksh -c` becomes it then, and what ends the shell ends it.
pub(crate) fn is_one_program(line: &str) -> bool {
    let Ok(script) = parse(line) else { return false };
    let [List { items, background: false }] = &script[..] else { return false };
    let [Item { pipeline, .. }] = &items[..] else { return false };
    !pipeline.negated
        && matches!(&pipeline.commands[..], [Command { kind: CommandKind::Simple { .. }, .. }])
}

/// What ends a nested script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Until {
    End,
    /// `)` of a subshell or a substitution.
    Parenthesis,
    /// `}` of a group.
    Brace,
}

const REFUSED_WORDS: [&str; 17] = [
    "if", "then", "elif", "else", "fi", "while", "until", "for", "do", "done", "case", "esac",
    "function", "select", "time", "[[", "coproc",
];

struct Parser {
    text: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn script(&mut self, until: Until) -> Result<Script, SyntaxError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(SyntaxError::TooDeep);
        }
        let mut script = Script::new();
        loop {
            self.skip_lines();
            if self.ends(until)? {
                break;
            }
            script.push(self.list(until)?);
        }
        self.depth -= 1;
        Ok(script)
    }

    fn list(&mut self, until: Until) -> Result<List, SyntaxError> {
        let mut items = vec![Item { when: When::Always, pipeline: self.pipeline()? }];
        loop {
            self.skip_blanks();
            let when = match (self.peek(), self.peek_at(1)) {
                (Some('&'), Some('&')) => When::Succeeded,
                (Some('|'), Some('|')) => When::Failed,
                (Some('&'), Some('>')) => return Err(SyntaxError::Unsupported("&>".to_owned())),
                (Some('&'), _) => {
                    self.at += 1;
                    return Ok(List { items, background: true });
                }
                (Some(';'), next) if next != Some(';') => {
                    self.at += 1;
                    return Ok(List { items, background: false });
                }
                (Some('\n' | ')') | None, _) => return Ok(List { items, background: false }),
                _ => return Err(self.unexpected()),
            };
            self.at += 2;
            self.skip_lines();
            if self.ends(until)? {
                return Err(match self.peek() {
                    Some(')') => SyntaxError::Unexpected(")".to_owned()),
                    Some(_) | None => SyntaxError::UnexpectedEnd,
                });
            }
            items.push(Item { when, pipeline: self.pipeline()? });
        }
    }

    /// Whether the script ends here; another kind of end is an error.
    fn ends(&self, until: Until) -> Result<bool, SyntaxError> {
        let end = match self.peek() {
            None => {
                return match until {
                    Until::End => Ok(true),
                    Until::Parenthesis => Err(SyntaxError::Unmatched("(")),
                    Until::Brace => Err(SyntaxError::Unmatched("{")),
                };
            }
            Some(')') => Until::Parenthesis,
            Some('}') if self.plain_word().as_deref() == Some("}") => Until::Brace,
            Some(_) => return Ok(false),
        };
        if end == until { Ok(true) } else { Err(self.unexpected()) }
    }

    fn pipeline(&mut self) -> Result<Pipeline, SyntaxError> {
        let negated = self.plain_word().as_deref() == Some("!");
        if negated {
            self.at += 1;
            self.skip_blanks();
        }
        let mut commands = vec![self.command()?];
        loop {
            self.skip_blanks();
            match (self.peek(), self.peek_at(1)) {
                (Some('|'), Some('&')) => {
                    return Err(SyntaxError::Unsupported("|&".to_owned()));
                }
                (Some('|'), next) if next != Some('|') => {
                    self.at += 1;
                    self.skip_lines();
                    if self.peek().is_none() {
                        return Err(SyntaxError::UnexpectedEnd);
                    }
                    commands.push(self.command()?);
                }
                _ => return Ok(Pipeline { negated, commands }),
            }
        }
    }

    fn command(&mut self) -> Result<Command, SyntaxError> {
        if self.peek() == Some('(') {
            if self.peek_at(1) == Some('(') {
                return Err(SyntaxError::Unsupported("((".to_owned()));
            }
            return self.compound(Until::Parenthesis).map(|(script, redirects)| Command {
                kind: CommandKind::Subshell(script),
                redirects,
            });
        }
        match self.plain_word().as_deref() {
            Some("{") => self
                .compound(Until::Brace)
                .map(|(script, redirects)| Command { kind: CommandKind::Group(script), redirects }),
            Some("!" | "}") => Err(self.unexpected()),
            Some(word) if REFUSED_WORDS.contains(&word) => {
                Err(SyntaxError::Unsupported(word.to_owned()))
            }
            Some(_) | None => self.simple(),
        }
    }

    /// A script in parentheses or braces, and what follows it.
    fn compound(&mut self, until: Until) -> Result<(Script, Vec<Redirect>), SyntaxError> {
        self.at += 1;
        let script = self.script(until)?;
        if script.is_empty() {
            return Err(self.unexpected());
        }
        self.at += 1;
        let mut redirects = Vec::new();
        self.skip_blanks();
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
            self.skip_blanks();
        }
        match self.peek() {
            None | Some(';' | '&' | '|' | ')' | '\n') => Ok((script, redirects)),
            Some(_) => Err(self.unexpected()),
        }
    }

    fn simple(&mut self) -> Result<Command, SyntaxError> {
        let (mut assignments, mut words, mut redirects) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            self.skip_blanks();
            if let Some(redirect) = self.redirect()? {
                redirects.push(redirect);
                continue;
            }
            match self.peek() {
                None | Some(';' | '&' | '|' | ')' | '\n') => break,
                Some('(') => return Err(self.unexpected_after_parenthesis()),
                Some(_) => {}
            }
            if words.is_empty()
                && let Some(name) = self.assigned_name()
            {
                self.at += name.chars().count() + 1;
                assignments.push((name, self.word()?));
                continue;
            }
            if words.is_empty() && self.starts_subscript() {
                return Err(SyntaxError::Unsupported("[".to_owned()));
            }
            words.push(self.word()?);
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        Ok(Command { kind: CommandKind::Simple { assignments, words }, redirects })
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, SyntaxError> {
        let digits = self.digits();
        let Some(direction @ ('<' | '>')) = self.peek_at(digits) else { return Ok(None) };
        let number: String = self.text[self.at..self.at + digits].iter().collect();
        let fd = match number.as_str() {
            "" => u8::from(direction == '>'),
            "0" => 0,
            "1" => 1,
            "2" => 2,
            _ => return Err(SyntaxError::Unsupported(format!("{number}{direction}"))),
        };
        self.at += digits + 1;
        let appends = direction == '>' && self.peek() == Some('>');
        if appends {
            self.at += 1;
        } else if self.peek() == Some('&') {
            return self.copied_descriptor(fd, direction).map(Some);
        }
        match self.peek() {
            Some(next @ ('<' | '>' | '|' | '&' | '(')) => {
                return Err(SyntaxError::Unsupported(format!("{direction}{next}")));
            }
            _ => self.skip_blanks(),
        }
        // Digits before `<` or `>` are another redirection's, not a file's name.
        let next = self.peek_at(self.digits());
        if matches!(self.peek(), None | Some(';' | '&' | '|' | ')' | '(' | '\n' | '<' | '>'))
            || matches!(next, Some('<' | '>'))
        {
            return Err(self.unexpected());
        }
        let word = self.word()?;
        let to = match (direction, appends) {
            ('<', _) => Target::Read(word),
            (_, true) => Target::Append(word),
            (_, false) => Target::Write(word),
        };
        Ok(Some(Redirect { fd, to }))
    }

    /// How many digits follow.
    fn digits(&self) -> usize {
        self.text[self.at..].iter().take_while(|c| c.is_ascii_digit()).count()
    }

    fn copied_descriptor(&mut self, fd: u8, direction: char) -> Result<Redirect, SyntaxError> {
        self.at += 1;
        let which = self.plain_word().unwrap_or_default();
        self.at += which.chars().count();
        match (direction, which.as_str()) {
            ('>', "1") => Ok(Redirect { fd, to: Target::Copy(1) }),
            ('>', "2") => Ok(Redirect { fd, to: Target::Copy(2) }),
            _ => Err(SyntaxError::BadDescriptor(which)),
        }
    }

    fn skip_blanks(&mut self) {
        loop {
            match (self.peek(), self.peek_at(1)) {
                (Some(' ' | '\t'), _) => self.at += 1,
                (Some('\\'), Some('\n')) => self.at += 2,
                (Some('#'), _) => {
                    let rest = &self.text[self.at..];
                    self.at += rest.iter().position(|c| *c == '\n').unwrap_or(rest.len());
                }
                _ => return,
            }
        }
    }

    fn skip_lines(&mut self) {
        self.skip_blanks();
        while self.peek() == Some('\n') {
            self.at += 1;
            self.skip_blanks();
        }
    }

    fn peek(&self) -> Option<char> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn unexpected(&self) -> SyntaxError {
        let token = match (self.peek(), self.peek_at(1)) {
            (None, _) => return SyntaxError::UnexpectedEnd,
            (Some('\n'), _) => "newline".to_owned(),
            (Some(c @ (';' | '&' | '|')), Some(d)) if c == d => format!("{c}{d}"),
            (Some(c), _) if ends_word(c) => c.to_string(),
            (Some(c), _) => self.plain_word().unwrap_or_else(|| c.to_string()),
        };
        SyntaxError::Unexpected(token)
    }

    /// For `name (x)`, `mksh` reports the `x`.
    fn unexpected_after_parenthesis(&self) -> SyntaxError {
        let next = Self { text: self.text.clone(), at: self.at + 1, depth: 0 };
        next.plain_word().map_or_else(|| self.unexpected(), SyntaxError::Unexpected)
    }
}

fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}
