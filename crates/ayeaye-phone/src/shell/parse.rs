//! Reads command lines: a subset of what `mksh`, Android's shell, understands.
//!
//! Strict where a subset is dangerous: what is not understood is refused with `mksh`'s kind of
//! message, never run as something else. Refused are here documents, functions, `case`, `[[ ]]`, arithmetic, `$'…'`, brace expansion and parameters other than `${name}`.
use super::syntax::{
    Command, Item, Kind, List, Part, Pipeline, Redirect, Script, Target, When, Word,
};

/// Levels of substitutions and compound commands within each other.
const MAX_DEPTH: usize = 24;

/// Why a command line was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SyntaxError {
    #[error("syntax error: unexpected '{0}'")]
    Unexpected(String),
    /// More lines could complete it.
    #[error("syntax error: unmatched '{0}'")]
    Unmatched(&'static str),
    /// Likewise, after an operator.
    #[error("syntax error: unexpected EOF")]
    UnexpectedEnd,
    /// Likewise.
    #[error("no closing quote")]
    NoClosingQuote,
    #[error("{0}: bad substitution")]
    BadSubstitution(String),
    #[error(">&{0} : bad file descriptor")]
    BadDescriptor(String),
    /// Real shells know it; this one does not, and says so.
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
    parser.script(&Until::End)
}

/// What ends a script within a script.
#[derive(Debug)]
enum Until {
    End,
    Parenthesis,
    /// One of these words; the name of what it closes.
    Words(&'static [&'static str], &'static str),
}

const CLOSING_WORDS: [&str; 7] = ["then", "else", "elif", "fi", "do", "done", "}"];
const REFUSED_WORDS: [&str; 6] = ["case", "function", "select", "time", "[[", "coproc"];

struct Parser {
    text: Vec<char>,
    at: usize,
    depth: usize,
}

impl Parser {
    fn script(&mut self, until: &Until) -> Result<Script, SyntaxError> {
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

    fn list(&mut self, until: &Until) -> Result<List, SyntaxError> {
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

    /// Whether the script ends here; an end that belongs to something else is an error.
    fn ends(&self, until: &Until) -> Result<bool, SyntaxError> {
        let Some(next) = self.peek() else {
            return match until {
                Until::End => Ok(true),
                Until::Parenthesis => Err(SyntaxError::Unmatched("(")),
                Until::Words(_, opened) => Err(SyntaxError::Unmatched(opened)),
            };
        };
        if next == ')' {
            return match until {
                Until::Parenthesis => Ok(true),
                Until::End | Until::Words(..) => Err(self.unexpected()),
            };
        }
        match (self.plain_word(), until) {
            (Some(word), Until::Words(words, _)) if words.contains(&word.as_str()) => Ok(true),
            (Some(word), _) if CLOSING_WORDS.contains(&word.as_str()) => {
                Err(SyntaxError::Unexpected(word))
            }
            _ => Ok(false),
        }
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
            self.at += 1;
            let script = self.body(&Until::Parenthesis)?;
            self.at += 1;
            return self.compound(Kind::Subshell(script));
        }
        match self.plain_word().as_deref() {
            Some("{") => {
                self.at += 1;
                let script = self.body(&Until::Words(&["}"], "{"))?;
                self.at += 1;
                self.compound(Kind::Group(script))
            }
            Some("if") => {
                self.at += 2;
                let kind = self.branches()?;
                self.compound(kind)
            }
            Some(word @ ("while" | "until")) => {
                let until = word == "until";
                self.at += 5;
                let condition = self.body(&Until::Words(&["do"], "while"))?;
                self.at += 2;
                let body = self.body(&Until::Words(&["done"], "do"))?;
                self.at += 4;
                self.compound(Kind::Loop { until, condition, body })
            }
            Some("for") => {
                self.at += 3;
                let kind = self.for_loop()?;
                self.compound(kind)
            }
            Some(word) if REFUSED_WORDS.contains(&word) => {
                Err(SyntaxError::Unsupported(word.to_owned()))
            }
            Some(_) | None => self.simple(),
        }
    }

    /// A script that must not be empty.
    fn body(&mut self, until: &Until) -> Result<Script, SyntaxError> {
        let script = self.script(until)?;
        if script.is_empty() {
            return Err(self.unexpected());
        }
        Ok(script)
    }

    fn compound(&mut self, kind: Kind) -> Result<Command, SyntaxError> {
        let mut redirects = Vec::new();
        self.skip_blanks();
        while let Some(redirect) = self.redirect()? {
            redirects.push(redirect);
            self.skip_blanks();
        }
        match self.peek() {
            None | Some(';' | '&' | '|' | ')' | '\n') => Ok(Command { kind, redirects }),
            Some(_) => Err(self.unexpected()),
        }
    }

    fn branches(&mut self) -> Result<Kind, SyntaxError> {
        let mut branches = Vec::new();
        loop {
            let condition = self.body(&Until::Words(&["then"], "if"))?;
            self.at += 4;
            let body = self.body(&Until::Words(&["elif", "else", "fi"], "if"))?;
            branches.push((condition, body));
            match self.plain_word().as_deref() {
                Some("elif") => self.at += 4,
                Some("else") => {
                    self.at += 4;
                    let otherwise = self.body(&Until::Words(&["fi"], "if"))?;
                    self.at += 2;
                    return Ok(Kind::If { branches, otherwise });
                }
                _ => {
                    self.at += 2;
                    return Ok(Kind::If { branches, otherwise: Script::new() });
                }
            }
        }
    }

    fn for_loop(&mut self) -> Result<Kind, SyntaxError> {
        self.skip_blanks();
        let name = self.plain_word().filter(|word| is_name(word));
        let name = name.ok_or_else(|| self.unexpected())?;
        self.at += name.chars().count();
        self.skip_blanks();
        if self.plain_word().as_deref() != Some("in") {
            return Err(self.unexpected());
        }
        self.at += 2;
        let mut words = Vec::new();
        loop {
            self.skip_blanks();
            match self.peek() {
                Some(';' | '\n') => break,
                Some('&' | '|' | '<' | '>' | '(' | ')') => return Err(self.unexpected()),
                None => return Err(SyntaxError::Unmatched("for")),
                Some(_) => words.push(self.word()?),
            }
        }
        if self.peek() == Some(';') {
            self.at += 1;
        }
        self.skip_lines();
        if self.plain_word().as_deref() != Some("do") {
            return Err(self.unexpected());
        }
        self.at += 2;
        let body = self.body(&Until::Words(&["done"], "for"))?;
        self.at += 4;
        Ok(Kind::For { name, words, body })
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
            words.push(self.word()?);
        }
        if assignments.is_empty() && words.is_empty() && redirects.is_empty() {
            return Err(self.unexpected());
        }
        Ok(Command { kind: Kind::Simple { assignments, words }, redirects })
    }

    fn redirect(&mut self) -> Result<Option<Redirect>, SyntaxError> {
        let digits = self.text[self.at..].iter().take_while(|c| c.is_ascii_digit()).count();
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
        if matches!(self.peek(), None | Some(';' | '&' | '|' | ')' | '(' | '\n' | '<' | '>')) {
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

    /// A word that stands in command position and may be a reserved one.
    fn plain_word(&self) -> Option<String> {
        let word: String = self.text[self.at..].iter().take_while(|c| !ends_word(**c)).collect();
        let special = |c: char| matches!(c, '\'' | '"' | '\\' | '$' | '`');
        (!word.is_empty() && !word.contains(special)).then_some(word)
    }

    fn assigned_name(&self) -> Option<String> {
        let rest = &self.text[self.at..];
        let name: String = rest.iter().take_while(|c| is_name_char(**c)).collect();
        (is_name(&name) && rest.get(name.len()) == Some(&'=')).then_some(name)
    }

    fn word(&mut self) -> Result<Word, SyntaxError> {
        let mut word = Word::new();
        let mut bare = String::new();
        while let Some(c) = self.peek() {
            match c {
                c if ends_word(c) => break,
                '\'' => {
                    flush(&mut word, &mut bare, Part::Bare);
                    self.at += 1;
                    let rest = &self.text[self.at..];
                    let length =
                        rest.iter().position(|c| *c == '\'').ok_or(SyntaxError::NoClosingQuote)?;
                    word.push(Part::Quoted(rest[..length].iter().collect()));
                    self.at += length + 1;
                }
                '"' => {
                    flush(&mut word, &mut bare, Part::Bare);
                    self.at += 1;
                    self.double_quoted(&mut word)?;
                }
                '\\' => {
                    self.at += 1;
                    match self.peek() {
                        Some('\n') => {}
                        Some(c) => {
                            flush(&mut word, &mut bare, Part::Bare);
                            word.push(Part::Quoted(c.to_string()));
                        }
                        None => bare.push('\\'),
                    }
                    self.at = (self.at + 1).min(self.text.len());
                }
                '$' | '`' => {
                    if c == '$' && matches!(self.peek_at(1), Some('\'' | '"')) {
                        return Err(SyntaxError::Unsupported("$'".to_owned()));
                    }
                    match self.expansion(false)? {
                        Some(part) => {
                            flush(&mut word, &mut bare, Part::Bare);
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
        flush(&mut word, &mut bare, Part::Bare);
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
                        word.push(Part::Quoted(text));
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
                        flush(word, &mut text, Part::Quoted);
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

    /// At `$` or a backtick. `None` when the dollar stands for itself; it is then behind us.
    fn expansion(&mut self, quoted: bool) -> Result<Option<Part>, SyntaxError> {
        if self.peek() == Some('`') {
            return self.backticks(quoted).map(Some);
        }
        self.at += 1;
        match self.peek() {
            Some('(') => {
                if self.peek_at(1) == Some('(') {
                    return Err(SyntaxError::Unsupported("$((".to_owned()));
                }
                self.at += 1;
                let script = self.script(&Until::Parenthesis)?;
                self.at += 1;
                Ok(Some(Part::Output { script, quoted }))
            }
            Some('{') => {
                let rest = &self.text[self.at + 1..];
                let length =
                    rest.iter().position(|c| *c == '}').ok_or(SyntaxError::NoClosingQuote)?;
                let name: String = rest[..length].iter().collect();
                if !is_name(&name) && !is_special(&name) {
                    return Err(SyntaxError::BadSubstitution(format!("${{{name}}}")));
                }
                self.at += length + 2;
                Ok(Some(Part::Variable { name, quoted }))
            }
            Some('[') => Err(SyntaxError::Unsupported("$[".to_owned())),
            Some(c) if is_special(&c.to_string()) => {
                self.at += 1;
                Ok(Some(Part::Variable { name: c.to_string(), quoted }))
            }
            Some(c) if is_name_char(c) => {
                let rest = &self.text[self.at..];
                let name: String = rest.iter().take_while(|c| is_name_char(**c)).collect();
                self.at += name.len();
                Ok(Some(Part::Variable { name, quoted }))
            }
            Some(_) | None => Ok(None),
        }
    }

    fn backticks(&mut self, quoted: bool) -> Result<Part, SyntaxError> {
        self.at += 1;
        let mut inner = Vec::new();
        loop {
            match self.peek().ok_or(SyntaxError::NoClosingQuote)? {
                '`' => break,
                '\\' if matches!(self.peek_at(1), Some('`' | '\\' | '$')) => {
                    inner.extend(self.peek_at(1));
                    self.at += 2;
                }
                c => {
                    inner.push(c);
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        let mut parser = Self { text: inner, at: 0, depth: self.depth };
        Ok(Part::Output { script: parser.script(&Until::End)?, quoted })
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

    /// `mksh` names what stands in the parenthesis of what is not a function.
    fn unexpected_after_parenthesis(&self) -> SyntaxError {
        let next = Self { text: self.text.clone(), at: self.at + 1, depth: 0 };
        next.plain_word().map_or_else(|| self.unexpected(), SyntaxError::Unexpected)
    }
}

fn flush(word: &mut Word, text: &mut String, part: impl FnOnce(String) -> Part) {
    if !text.is_empty() {
        word.push(part(std::mem::take(text)));
    }
}

/// `{a,b}` would become two words on a real phone.
fn refuse_braces(word: &Word) -> Result<(), SyntaxError> {
    let (mut open, mut comma) = (false, false);
    for part in word {
        let Part::Bare(text) = part else { continue };
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

fn ends_word(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '(' | ')')
}

fn is_name_char(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

fn is_name(word: &str) -> bool {
    !word.starts_with(|c: char| c.is_ascii_digit())
        && !word.is_empty()
        && word.chars().all(is_name_char)
}

/// Parameters of one character: status, process, arguments.
fn is_special(name: &str) -> bool {
    matches!(name.as_bytes(), [b'?' | b'$' | b'#' | b'@' | b'*' | b'!' | b'-' | b'0'..=b'9'])
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn words(text: &str) -> Vec<Word> {
        let script = parse(text).unwrap();
        let Kind::Simple { words, .. } = script[0].items[0].pipeline.commands[0].kind.clone()
        else {
            panic!("not a simple command: {text}")
        };
        words
    }

    fn refusal(text: &str) -> String {
        parse(text).unwrap_err().to_string()
    }

    #[test]
    fn quotes_make_words() {
        let bare = |text: &str| Part::Bare(text.to_owned());
        let quoted = |text: &str| Part::Quoted(text.to_owned());
        assert_eq!(
            words(r#"a 'b c'"d\"e" f\ g "" #no"#),
            [
                vec![bare("a")],
                vec![quoted("b c"), quoted("d\"e")],
                vec![bare("f"), quoted(" "), bare("g")],
                vec![quoted("")],
            ]
        );
    }

    #[test]
    fn refusals_read_as_those_of_mksh() {
        assert_eq!(refusal("a &; b"), "syntax error: unexpected ';'");
        assert_eq!(refusal("& a"), "syntax error: unexpected '&'");
        assert_eq!(refusal("a & & b"), "syntax error: unexpected '&'");
        assert_eq!(refusal("echo )"), "syntax error: unexpected ')'");
        assert_eq!(refusal("echo (a)"), "syntax error: unexpected 'a'");
        assert_eq!(refusal("echo 'abc"), "no closing quote");
        assert_eq!(refusal("if true; then"), "syntax error: unmatched 'if'");
        assert_eq!(refusal("if true; fi"), "syntax error: unexpected 'fi'");
        assert_eq!(refusal("a |"), "syntax error: unexpected EOF");
        assert_eq!(refusal("| a"), "syntax error: unexpected '|'");
        assert_eq!(refusal("a && "), "syntax error: unexpected EOF");
        assert_eq!(refusal(";"), "syntax error: unexpected ';'");
        assert_eq!(refusal("echo a;;"), "syntax error: unexpected ';;'");
        assert_eq!(refusal("echo >"), "syntax error: unexpected EOF");
        assert_eq!(refusal("echo $(foo"), "syntax error: unmatched '('");
        assert_eq!(refusal("echo ${a!b}"), "${a!b}: bad substitution");
        assert_eq!(refusal("done"), "syntax error: unexpected 'done'");
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "cat <<x",
            "cat <<< x",
            "f() { a; }",
            "case a in a) b;; esac",
            "[[ a ]]",
            "((1))",
            "echo $((1))",
            "echo $'a'",
            "echo {a,b}",
            "echo ${a:-b}",
            "echo a >&3",
            "a |& b",
            "a &> b",
            "a >| b",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn compound_commands_nest() {
        let script = parse(
            "if a; then for x in 1 2; do b; done; elif c\nthen d; else e; fi && (f) | { g; }",
        );
        let script = script.unwrap();
        let [list] = &script[..] else { panic!("{script:?}") };
        assert_eq!(list.items.len(), 2);
        assert_eq!(list.items[1].when, When::Succeeded);
        assert_eq!(list.items[1].pipeline.commands.len(), 2);
    }

    #[test]
    fn deep_nesting_is_refused_and_not_a_crash() {
        assert_eq!(parse(&"(".repeat(10_000)).unwrap_err(), SyntaxError::Unsupported("((".into()));
        assert_eq!(parse(&"( ".repeat(10_000)).unwrap_err(), SyntaxError::TooDeep);
        assert_eq!(parse(&"echo $(".repeat(10_000)).unwrap_err(), SyntaxError::TooDeep);
    }

    proptest! {
        #[test]
        fn a_single_quoted_word_reads_back_as_itself(text in any::<String>()) {
            let line = format!("echo '{}'", text.replace('\'', r"'\''"));
            let mut read = String::new();
            for part in words(&line).remove(1) {
                match part {
                    Part::Quoted(text) => read.push_str(&text),
                    other => prop_assert!(false, "{other:?}"),
                }
            }
            prop_assert_eq!(read, text);
        }

        #[test]
        fn any_text_is_parsed_or_refused(text in r#"[ \n;&|<>(){}$`'"\\a-c0-2#=!?*\[\]-]{0,60}"#) {
            let _unused = parse(&text).map_err(|error| error.to_string());
        }
    }
}
