//! `grep`, as toybox has it.
use bytes::Bytes;

use super::{
    CommandOutput,
    files::{flags, inputs},
};
use crate::{
    device::AdbDevice,
    files::FileError,
    shell::io::{Io, PIPE_LIMIT},
};

pub(super) async fn grep(
    device: &AdbDevice,
    cwd: &str,
    program: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    // "-m 1" and "-e PATTERN" take a word; so does the pattern itself.
    let (mut patterns, mut limit, mut rest) = (Vec::new(), usize::MAX, Vec::new());
    let mut words = words.iter().copied();
    while let Some(word) = words.next() {
        match word {
            "-e" => patterns.extend(words.next()),
            "-m" => limit = words.next().and_then(|n| n.parse().ok()).unwrap_or(usize::MAX),
            word => rest.push(word),
        }
    }
    let flags = match flags(device, "grep", &rest, "EFacinoqvwhsH") {
        Ok(flags) => flags,
        Err(refusal) => return CommandOutput { status: 2, ..refusal },
    };
    let mut operands = flags.operands.as_slice();
    if patterns.is_empty() {
        let Some((pattern, files)) = operands.split_first() else {
            return CommandOutput::malformed(device, 2, "grep: no REGEX\n");
        };
        patterns.push(pattern);
        operands = files;
    }
    let syntax = if flags.has('F') || program == "fgrep" {
        Syntax::Fixed
    } else if flags.has('E') || program == "egrep" {
        Syntax::Extended
    } else {
        Syntax::Basic
    };
    let expression =
        patterns.iter().map(|pattern| translate(pattern, syntax)).collect::<Vec<_>>().join("|");
    let expression = if flags.has('w') { format!(r"\b(?:{expression})\b") } else { expression };
    let regex = regex_lite::RegexBuilder::new(&expression).case_insensitive(flags.has('i')).build();
    let Ok(regex) = regex else {
        return CommandOutput::malformed(
            device,
            2,
            format!("grep: bad REGEX '{}'\n", patterns.join("|")),
        );
    };
    let (contents, mut failures) = inputs(device, cwd, "grep", operands, io).await;
    let names = (operands.len() > 1 || flags.has('H')) && !flags.has('h');
    let mut out = String::new();
    let mut matched = false;
    'files: for (name, content) in &contents {
        let mut count = 0;
        let text = String::from_utf8_lossy(content);
        for (number, line) in (1..).zip(text.lines()) {
            if count >= limit || regex.is_match(line) == flags.has('v') {
                continue;
            }
            count += 1;
            if flags.has('c') || flags.has('q') {
                continue;
            }
            if out.len() > PIPE_LIMIT {
                break 'files;
            }
            let prefix = format!(
                "{}{}",
                if names { format!("{name}:") } else { String::new() },
                if flags.has('n') { format!("{number}:") } else { String::new() },
            );
            if flags.has('o') {
                for found in regex.find_iter(line) {
                    if out.len() > PIPE_LIMIT {
                        break 'files;
                    }
                    push_fmt!(out, "{prefix}{}\n", found.as_str());
                }
            } else {
                push_fmt!(out, "{prefix}{line}\n");
            }
        }
        if flags.has('c') {
            push_fmt!(out, "{count}\n");
        }
        matched |= count > 0;
    }
    if out.len() > PIPE_LIMIT {
        push_fmt!(failures, "grep: write: {}\n", FileError::NoSpace);
        out.clear();
    }
    let status = if failures.is_empty() { u8::from(!matched) } else { 2 };
    CommandOutput { stdout: vec![Bytes::from(out)], ..CommandOutput::error(status, failures) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Basic,
    Extended,
    Fixed,
}

/// In a basic regular expression `|`, `+`, `?`, braces and parentheses are literal, and operators with
/// a backslash.
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
                        Some(c @ ('|' | '+' | '?' | '{' | '}' | '(' | ')')) => out.push(c),
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
        assert_eq!(translate(r"a\|b\(c\)", Syntax::Basic), "a|b(c)");
        assert_eq!(translate("*a", Syntax::Basic), r"\*a");
        assert_eq!(translate("a.b", Syntax::Fixed), r"a\.b");
    }
}
