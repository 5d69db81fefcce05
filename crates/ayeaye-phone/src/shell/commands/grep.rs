//! `grep`, as toybox has it.
use bytes::Bytes;

use super::{
    CommandOutput,
    args::refused,
    files::{Input, operands_or_stdin},
};
use crate::{
    device::VirtualPhone,
    files::FileError,
    shell::io::{Io, PIPE_LIMIT},
};

pub(super) async fn grep(
    device: &VirtualPhone,
    cwd: &str,
    program: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    let options = match Options::parse(device, words) {
        Ok(options) => options,
        Err(refusal) => return refusal,
    };
    let has = |flag: char| options.flags.contains(&flag);
    let mut patterns = options.patterns.clone();
    let mut operands = options.operands.as_slice();
    if patterns.is_empty() {
        let Some((pattern, files)) = operands.split_first() else {
            return CommandOutput::malformed(device, 2, "grep: no REGEX\n");
        };
        patterns.push(pattern);
        operands = files;
    }
    let syntax = if has('F') || program == "fgrep" {
        Syntax::Fixed
    } else if has('E') || program == "egrep" {
        Syntax::Extended
    } else {
        Syntax::Basic
    };
    let expression =
        patterns.iter().map(|pattern| translate(pattern, syntax)).collect::<Vec<_>>().join("|");
    let expression = if has('w') { format!(r"\b(?:{expression})\b") } else { expression };
    let expression = if has('x') { format!("^(?:{expression})$") } else { expression };
    let regex = regex_lite::RegexBuilder::new(&expression).case_insensitive(has('i')).build();
    let Ok(regex) = regex else {
        return CommandOutput::malformed(
            device,
            2,
            format!("grep: bad REGEX '{}'\n", patterns.join("|")),
        );
    };
    let names = (operands.len() > 1 || has('H')) && !has('h');
    let mut reply = CommandOutput::default();
    // Bytes of output that are already in the reply.
    let mut before = 0;
    let mut out = String::new();
    let (mut matched, mut failed) = (false, false);
    for operand in operands_or_stdin(operands) {
        let content = match Input::open(device, cwd, operand, io) {
            Ok(input) => input.all(device).await,
            Err(error) => Err(error),
        };
        let content = match content {
            Ok(content) => content,
            Err(error) => {
                // A folder can be opened; it only has no lines.
                failed |= error != FileError::IsDirectory;
                before += out.len();
                reply.stdout.push(std::mem::take(&mut out).into());
                if !has('s') {
                    reply.complain(format!("grep: {operand}: {error}\n"));
                }
                continue;
            }
        };
        let name = if *operand == "-" { "(standard input)" } else { operand };
        let named = if names { format!("{name}:") } else { String::new() };
        let text = String::from_utf8_lossy(&content);
        let lines: Vec<&str> = text.lines().collect();
        let wanted = |line: &str| regex.is_match(line) != has('v');
        let found: Vec<usize> =
            (0..lines.len()).filter(|number| wanted(lines[*number])).take(options.limit).collect();
        matched |= !found.is_empty();
        if has('q') && matched {
            return CommandOutput { status: 0, ..reply };
        }
        if has('q') || has('l') && found.is_empty() {
            continue;
        }
        if has('l') {
            push_fmt!(out, "{name}\n");
        } else if has('c') {
            push_fmt!(out, "{named}{}\n", found.len());
        } else {
            show(&mut out, names.then_some(name), &lines, &found, &regex, &options);
        }
        if before + out.len() > PIPE_LIMIT {
            reply.complain(format!("grep: write: {}\n", FileError::NoSpace));
            return CommandOutput { status: 2, ..reply };
        }
    }
    reply.stdout.push(Bytes::from(out));
    CommandOutput { status: if failed { 2 } else { u8::from(!matched) }, ..reply }
}

/// Adds the lines that were found, and those around them, until it is too much.
fn show(
    out: &mut String,
    name: Option<&str>,
    lines: &[&str],
    found: &[usize],
    regex: &regex_lite::Regex,
    options: &Options<'_>,
) {
    let has = |flag: char| options.flags.contains(&flag);
    let context = options.before > 0 || options.after > 0;
    let mut shown = 0;
    for (index, at) in found.iter().copied().enumerate() {
        let first = at.saturating_sub(options.before).max(shown);
        let next = found.get(index + 1).copied().unwrap_or(lines.len());
        let end = at.saturating_add(options.after).saturating_add(1).min(next);
        if context && shown > 0 && first > shown {
            out.push_str("--\n");
        }
        for (number, line) in lines.iter().enumerate().take(end).skip(first) {
            let mark = if number == at { ':' } else { '-' };
            let mut prefix = name.map_or_else(String::new, |name| format!("{name}{mark}"));
            if has('n') {
                push_fmt!(prefix, "{}{mark}", number + 1);
            }
            let parts: Vec<&str> = if !has('o') {
                vec![line]
            } else if number == at {
                regex.find_iter(line).map(|part| part.as_str()).collect()
            } else {
                Vec::new()
            };
            for part in parts {
                if out.len() > PIPE_LIMIT {
                    return;
                }
                push_fmt!(*out, "{prefix}{part}\n");
            }
        }
        shown = end;
    }
}

/// What was asked for.
#[derive(Debug, PartialEq, Eq)]
struct Options<'a> {
    flags: Vec<char>,
    patterns: Vec<&'a str>,
    /// Most lines of a file.
    limit: usize,
    /// Lines of context.
    before: usize,
    after: usize,
    operands: Vec<&'a str>,
}

impl<'a> Options<'a> {
    /// Flags may stand behind operands; what one takes is the rest of its word, or the next word.
    fn parse(device: &VirtualPhone, words: &[&'a str]) -> Result<Self, CommandOutput> {
        let malformed = |why: String| CommandOutput::malformed(device, 2, format!("grep: {why}\n"));
        let (flags, patterns, operands) = (Vec::new(), Vec::new(), Vec::new());
        let mut options =
            Self { flags, patterns, limit: usize::MAX, before: 0, after: 0, operands };
        let mut words = words.iter().copied();
        while let Some(word) = words.next() {
            if word == "--" {
                options.operands.extend(words);
                break;
            }
            let Some(letters) = word.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
                options.operands.push(word);
                continue;
            };
            if let Some(long) = letters.strip_prefix('-') {
                return Err(refused(device, "grep", 2, long.split('=').next().unwrap_or(long)));
            }
            for (at, letter) in letters.char_indices() {
                if !"emABC".contains(letter) {
                    if !"EFacinoqvwxlshH".contains(letter) {
                        return Err(refused(device, "grep", 2, letter.encode_utf8(&mut [0; 4])));
                    }
                    options.flags.push(letter);
                    continue;
                }
                let rest = &letters[at + 1..];
                let value = if rest.is_empty() { words.next() } else { Some(rest) };
                let value =
                    value.ok_or_else(|| malformed(format!("Missing argument to -{letter}")))?;
                if letter == 'e' {
                    options.patterns.push(value);
                    break;
                }
                let number =
                    value.parse().map_err(|_| malformed(format!("not integer: {value}")))?;
                match letter {
                    'm' => options.limit = number,
                    'A' => options.after = number,
                    'B' => options.before = number,
                    _ => (options.before, options.after) = (number, number),
                }
                break;
            }
        }
        Ok(options)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Basic,
    Extended,
    Fixed,
}

/// In a basic regular expression braces and parentheses are literal, and operators with a backslash; `|`, `+` and `?`
/// are always literal: only GNU has them as operators, with a backslash.
fn translate(pattern: &str, syntax: Syntax) -> String {
    match syntax {
        Syntax::Fixed => regex_lite::escape(pattern),
        Syntax::Extended => pattern.to_owned(),
        Syntax::Basic => {
            let mut out = String::new();
            let mut chars = pattern.chars();
            while let Some(c) = chars.next() {
                match c {
                    '|' | '+' | '?' | '{' | '}' | '(' | ')' => out.extend(['\\', c]),
                    '\\' => match chars.next() {
                        Some(c @ ('{' | '}' | '(' | ')')) => out.push(c),
                        Some(c) => out.extend(['\\', c]),
                        None => out.push_str("\\\\"),
                    },
                    // A star with nothing before it is a star.
                    '*' if out.is_empty() || out == "^" => out.push_str("\\*"),
                    c => out.push(c),
                }
            }
            out
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn basic_expressions_become_extended() {
        assert_eq!(translate(r"a|b", Syntax::Basic), r"a\|b");
        assert_eq!(translate(r"a\|b\+\(c\)\{2\}", Syntax::Basic), r"a\|b\+(c){2}");
        assert_eq!(translate("*a", Syntax::Basic), r"\*a");
        assert_eq!(translate("a.b", Syntax::Fixed), r"a\.b");
    }
}
