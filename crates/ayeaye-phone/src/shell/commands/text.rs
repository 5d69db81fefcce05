//! The text commands of toybox.
use base64::{Engine as _, engine::general_purpose::STANDARD};
use bytes::Bytes;
use md5::{Digest as _, Md5};

use super::{
    CommandOutput,
    files::{flags, inputs},
};
use crate::{device::AdbDevice, shell::io::Io};

pub(super) async fn head(device: &AdbDevice, cwd: &str, words: &[&str], io: &Io) -> CommandOutput {
    cut(device, cwd, "head", words, io).await
}

pub(super) async fn tail(device: &AdbDevice, cwd: &str, words: &[&str], io: &Io) -> CommandOutput {
    cut(device, cwd, "tail", words, io).await
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Amount {
    Lines(usize),
    Bytes(usize),
}

async fn cut(
    device: &AdbDevice,
    cwd: &str,
    program: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    let (amount, operands) = match words {
        ["-n", number, operands @ ..] => (number.parse().ok().map(Amount::Lines), operands),
        ["-c", number, operands @ ..] => (number.parse().ok().map(Amount::Bytes), operands),
        [flag, operands @ ..] if flag.starts_with('-') && flag.len() > 1 => {
            let digits = flag.strip_prefix("-n").or(flag.strip_prefix('-'));
            (digits.and_then(|digits| digits.parse().ok()).map(Amount::Lines), operands)
        }
        operands => (Some(Amount::Lines(10)), operands),
    };
    let Some(amount) = amount else {
        return CommandOutput::malformed(device, 1, format!("{program}: bad number\n"));
    };
    let (contents, failures) = inputs(device, cwd, program, operands, io).await;
    let stdout = contents.iter().map(|(_, content)| {
        let range = match program {
            "head" => 0..first(content, amount),
            _ => last(content, amount)..content.len(),
        };
        content.slice(range)
    });
    CommandOutput {
        stdout: stdout.collect(),
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}

/// Where the first so many lines or bytes end.
fn first(content: &[u8], amount: Amount) -> usize {
    match amount {
        Amount::Bytes(count) => count.min(content.len()),
        Amount::Lines(count) => {
            content.split_inclusive(|b| *b == b'\n').take(count).map(<[u8]>::len).sum()
        }
    }
}

/// Where the last so many begin.
fn last(content: &[u8], amount: Amount) -> usize {
    let length: usize = match amount {
        Amount::Bytes(count) => count.min(content.len()),
        Amount::Lines(count) => {
            content.split_inclusive(|b| *b == b'\n').rev().take(count).map(<[u8]>::len).sum()
        }
    };
    content.len() - length
}

pub(super) async fn wc(device: &AdbDevice, cwd: &str, words: &[&str], io: &Io) -> CommandOutput {
    let flags = match flags(device, "wc", words, "clmw") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let (contents, failures) = inputs(device, cwd, "wc", &flags.operands, io).await;
    let all = !"clmw".chars().any(|flag| flags.has(flag));
    let mut out = String::new();
    for (name, content) in &contents {
        let text = String::from_utf8_lossy(content);
        let counts = [
            ('l', text.matches('\n').count()),
            ('w', text.split_whitespace().count()),
            ('c', content.len()),
            ('m', text.chars().count()),
        ];
        let wanted = counts.iter().filter(|(flag, _)| flags.has(*flag) || (all && *flag != 'm'));
        let numbers: Vec<String> = wanted.map(|(_, count)| count.to_string()).collect();
        out += format!("{} {name}", numbers.join(" ")).trim_end();
        out.push('\n');
    }
    CommandOutput {
        stdout: vec![Bytes::from(out)],
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}

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
    let (contents, failures) = inputs(device, cwd, "grep", operands, io).await;
    let names = (operands.len() > 1 || flags.has('H')) && !flags.has('h');
    let mut out = String::new();
    let mut matched = false;
    for (name, content) in &contents {
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
            let prefix = format!(
                "{}{}",
                if names { format!("{name}:") } else { String::new() },
                if flags.has('n') { format!("{number}:") } else { String::new() },
            );
            if flags.has('o') {
                for found in regex.find_iter(line) {
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
    let status = if failures.is_empty() { u8::from(!matched) } else { 2 };
    CommandOutput { stdout: vec![Bytes::from(out)], ..CommandOutput::error(status, failures) }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Basic,
    Extended,
    Fixed,
}

/// In a basic expression `|`, `+`, `?`, braces and parentheses mean themselves, and with a
/// backslash what they mean in an extended one.
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

pub(super) async fn md5sum(
    device: &AdbDevice,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    let flags = match flags(device, "md5sum", words, "b") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let (contents, failures) = inputs(device, cwd, "md5sum", &flags.operands, io).await;
    let mut out = String::new();
    for (name, content) in &contents {
        let digest: String = format!("{:x}", Md5::digest(content));
        let name = if name.is_empty() { "-" } else { name };
        if flags.has('b') {
            push_fmt!(out, "{digest}\n");
        } else {
            push_fmt!(out, "{digest}  {name}\n");
        }
    }
    CommandOutput {
        stdout: vec![Bytes::from(out)],
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}

pub(super) async fn base64(
    device: &AdbDevice,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    let (mut decode, mut width, mut operands) = (false, 76, Vec::new());
    let mut rest = words.iter().copied();
    while let Some(word) = rest.next() {
        match word {
            "-d" => decode = true,
            "-w" => match rest.next().and_then(|number| number.parse().ok()) {
                Some(number) => width = number,
                None => return CommandOutput::malformed(device, 1, "base64: bad -w\n"),
            },
            flag if flag.starts_with('-') && flag.len() > 1 => match flag.strip_prefix("-w") {
                Some(number) if number.parse::<usize>().is_ok() => {
                    width = number.parse().unwrap_or(76);
                }
                _ => {
                    return CommandOutput::malformed(
                        device,
                        1,
                        format!("base64: Unknown option '{flag}'\n"),
                    );
                }
            },
            operand => operands.push(operand),
        }
    }
    let (contents, failures) = inputs(device, cwd, "base64", &operands, io).await;
    let content: Vec<u8> = contents.into_iter().flat_map(|(_, content)| content).collect();
    if !failures.is_empty() {
        return CommandOutput::error(1, failures);
    }
    if decode {
        let text: Vec<u8> =
            content.into_iter().filter(|byte| !byte.is_ascii_whitespace()).collect();
        return match STANDARD.decode(text) {
            Ok(bytes) => CommandOutput::bytes(bytes),
            Err(_) => CommandOutput::error(1, "base64: bad input\n"),
        };
    }
    let text = STANDARD.encode(content);
    if text.is_empty() {
        return CommandOutput::status(0);
    }
    let lines: Vec<&str> = match width {
        0 => vec![&text],
        width => text
            .as_bytes()
            .chunks(width)
            .map(|line| std::str::from_utf8(line).unwrap_or(""))
            .collect(),
    };
    CommandOutput::ok(format!("{}\n", lines.join("\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_ends_of_a_text() {
        let text = b"a\nb\nc\nd";
        assert_eq!(&text[..first(text, Amount::Lines(2))], b"a\nb\n");
        assert_eq!(&text[last(text, Amount::Lines(2))..], b"c\nd");
        assert_eq!(first(text, Amount::Bytes(99)), 7);
    }

    #[test]
    fn basic_expressions_become_extended() {
        assert_eq!(translate(r"a|b", Syntax::Basic), r"a\|b");
        assert_eq!(translate(r"a\|b\(c\)", Syntax::Basic), "a|b(c)");
        assert_eq!(translate("*a", Syntax::Basic), r"\*a");
        assert_eq!(translate("a.b", Syntax::Fixed), r"a\.b");
    }
}
