//! Words: quotes, variables and substitutions.
use super::{Parser, SyntaxError, Until, ends_word};
use crate::shell::syntax::{Word, WordPart};

impl Parser {
    /// A word without quotes, which may be a reserved one.
    pub(super) fn plain_word(&self) -> Option<String> {
        let word: String = self.text[self.at..].iter().take_while(|c| !ends_word(**c)).collect();
        let special = |c: char| matches!(c, '\'' | '"' | '\\' | '$' | '`');
        (!word.is_empty() && !word.contains(special)).then_some(word)
    }

    pub(super) fn assigned_name(&self) -> Option<String> {
        let name = self.name();
        (is_name(&name) && self.peek_at(name.len()) == Some('=')).then_some(name)
    }

    /// `name[`, where `mksh` expects an element of an array.
    pub(super) fn starts_subscript(&self) -> bool {
        let name = self.name();
        is_name(&name) && self.peek_at(name.len()) == Some('[')
    }

    fn name(&self) -> String {
        self.text[self.at..].iter().take_while(|c| is_name_char(**c)).collect()
    }

    pub(super) fn word(&mut self) -> Result<Word, SyntaxError> {
        let mut word = Word::new();
        let mut bare = String::new();
        while let Some(c) = self.peek() {
            match c {
                c if ends_word(c) => break,
                '\'' => {
                    flush(&mut word, &mut bare, WordPart::Bare);
                    self.at += 1;
                    let rest = &self.text[self.at..];
                    let length =
                        rest.iter().position(|c| *c == '\'').ok_or(SyntaxError::NoClosingQuote)?;
                    word.push(WordPart::Quoted(rest[..length].iter().collect()));
                    self.at += length + 1;
                }
                '"' => {
                    flush(&mut word, &mut bare, WordPart::Bare);
                    self.at += 1;
                    self.double_quoted(&mut word)?;
                }
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => {}
                        Some(c) => {
                            flush(&mut word, &mut bare, WordPart::Bare);
                            word.push(WordPart::Quoted(c.to_string()));
                        }
                        // The next line continues this one.
                        None => return Err(SyntaxError::UnexpectedEnd),
                    }
                    self.at += 1;
                }
                '$' | '`' => {
                    if c == '$' && matches!(self.peek_at(1), Some('\'' | '"')) {
                        return Err(SyntaxError::Unsupported("$'".to_owned()));
                    }
                    match self.expansion(false)? {
                        Some(part) => {
                            flush(&mut word, &mut bare, WordPart::Bare);
                            word.push(part);
                        }
                        None => bare.push('$'),
                    }
                }
                c => {
                    bare.push(c);
                    self.at += 1;
                }
            }
        }
        flush(&mut word, &mut bare, WordPart::Bare);
        refuse_braces(&word)?;
        Ok(word)
    }

    fn double_quoted(&mut self, word: &mut Word) -> Result<(), SyntaxError> {
        let mut text = String::new();
        let before = word.len();
        loop {
            match self.peek().ok_or(SyntaxError::NoClosingQuote)? {
                '"' => {
                    self.at += 1;
                    if !text.is_empty() || word.len() == before {
                        word.push(WordPart::Quoted(text));
                    }
                    return Ok(());
                }
                '\\' => match self.peek_at(1).ok_or(SyntaxError::NoClosingQuote)? {
                    c @ ('$' | '`' | '"' | '\\') => {
                        text.push(c);
                        self.at += 2;
                    }
                    '\n' => self.at += 2,
                    c => {
                        text.extend(['\\', c]);
                        self.at += 2;
                    }
                },
                '$' | '`' => match self.expansion(true)? {
                    Some(part) => {
                        flush(word, &mut text, WordPart::Quoted);
                        word.push(part);
                    }
                    None => text.push('$'),
                },
                c => {
                    text.push(c);
                    self.at += 1;
                }
            }
        }
    }

    /// At `$` or a backtick. `None` when the dollar stands for itself; it has then been read.
    fn expansion(&mut self, quoted: bool) -> Result<Option<WordPart>, SyntaxError> {
        if self.peek() == Some('`') {
            return Err(SyntaxError::Unsupported("`".to_owned()));
        }
        self.at += 1;
        match self.peek() {
            Some('(') => {
                if self.peek_at(1) == Some('(') {
                    return Err(SyntaxError::Unsupported("$((".to_owned()));
                }
                self.at += 1;
                let script = self.script(Until::Parenthesis)?;
                self.at += 1;
                Ok(Some(WordPart::Output { script, quoted }))
            }
            Some('{') => {
                let rest = &self.text[self.at + 1..];
                let length =
                    rest.iter().position(|c| *c == '}').ok_or(SyntaxError::NoClosingQuote)?;
                let name: String = rest[..length].iter().collect();
                let number = !name.is_empty() && name.bytes().all(|c| c.is_ascii_digit());
                if !is_name(&name) && !is_special(&name) && !number {
                    let whole = format!("${{{name}}}");
                    return Err(if is_operation(&name) {
                        SyntaxError::Unsupported(whole)
                    } else {
                        SyntaxError::BadSubstitution(whole)
                    });
                }
                self.at += length + 2;
                Ok(Some(WordPart::Variable { name, quoted }))
            }
            Some('[') => Err(SyntaxError::Unsupported("$[".to_owned())),
            Some('\\') if self.peek_at(1) == Some('\n') => {
                Err(SyntaxError::Unsupported("$\\".to_owned()))
            }
            Some(c) if is_special(&c.to_string()) => {
                self.at += 1;
                Ok(Some(WordPart::Variable { name: c.to_string(), quoted }))
            }
            Some(c) if is_name_char(c) => {
                let name = self.name();
                self.at += name.len();
                Ok(Some(WordPart::Variable { name, quoted }))
            }
            Some(_) | None => Ok(None),
        }
    }
}

fn flush(word: &mut Word, text: &mut String, part: impl FnOnce(String) -> WordPart) {
    if !text.is_empty() {
        word.push(part(std::mem::take(text)));
    }
}

/// `{a,b}` is two words on a real phone.
fn refuse_braces(word: &Word) -> Result<(), SyntaxError> {
    let (mut open, mut comma) = (false, false);
    for part in word {
        let WordPart::Bare(text) = part else { continue };
        for c in text.chars() {
            match c {
                '{' => (open, comma) = (true, false),
                ',' if open => comma = true,
                '}' if comma => return Err(SyntaxError::Unsupported("{".to_owned())),
                _ => {}
            }
        }
    }
    Ok(())
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_name(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_ascii_digit())
        && !word.is_empty()
        && word.chars().all(is_name_char)
}

/// What `mksh` takes between the braces besides a name: its length and the like, or an operator behind it.
fn is_operation(text: &str) -> bool {
    let behind = text.trim_start_matches(is_name_char);
    let before = &text[..text.len() - behind.len()];
    let digits = before.bytes().all(|c| c.is_ascii_digit());
    match behind.as_bytes() {
        [b'#' | b'!' | b'%', rest @ ..] if before.is_empty() => {
            rest.iter().all(|c| is_name_char(char::from(*c)))
        }
        [b'@' | b'*', operator, ..] if before.is_empty() => b":-+=?#%/".contains(operator),
        [b'@', b'#' | b'Q'] => is_name(before),
        [operator, ..] if b":-+=?#%/".contains(operator) => {
            is_name(before) || digits && !before.is_empty()
        }
        [b'[', ..] => is_name(before),
        _ => false,
    }
}

/// Parameters of one character: status, process, arguments.
fn is_special(name: &str) -> bool {
    matches!(name.as_bytes(), [b'?' | b'$' | b'#' | b'@' | b'*' | b'!' | b'-' | b'0'..=b'9'])
}
