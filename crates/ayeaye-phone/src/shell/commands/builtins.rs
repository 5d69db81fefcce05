//! Builtins of `mksh`, and `sleep`.
use std::time::Duration;

use super::{CommandOutput, read};
use crate::{
    device::VirtualPhone,
    files::{self, normalize_path},
    shell::{
        io::Io,
        process::{SHELL_PATH, Shell, Stop},
        variables::{MAX_TEXT, OutOfMemory},
    },
};

pub(super) fn exit(shell: &Shell, words: &[&str]) -> Result<CommandOutput, Stop> {
    match words {
        [] => Err(Stop::Exit(shell.status())),
        // The low eight bits, as the status of a process.
        [number, ..] => match number.parse::<i64>() {
            Ok(number) => Err(Stop::Exit(u8::try_from(number & 0xff).unwrap_or(255))),
            Err(_) => Ok(CommandOutput::malformed(
                shell.device(),
                1,
                format!("{SHELL_PATH}: exit: bad number: {number}\n"),
            )),
        },
    }
}

/// `set` alone: all variables, written so that a shell would read them.
pub(super) fn set(shell: &Shell) -> CommandOutput {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "%+,-./:=@_".contains(c);
    let mut text = String::new();
    for (name, value) in shell.variables.iter() {
        if value.chars().all(is_plain) {
            push_fmt!(text, "{name}={value}\n");
        } else {
            push_fmt!(text, "{name}='{}'\n", value.replace('\'', "'\\''"));
        }
    }
    CommandOutput::ok(text)
}

/// `sh -c LINE [NAME [ARGUMENT]…]`, `sh FILE [ARGUMENT]…` and `eval …`.
pub(super) async fn sh(
    shell: &mut Shell,
    name: &str,
    args: &[String],
    io: &Io,
) -> Result<CommandOutput, Stop> {
    if name == "eval" {
        return shell.run_nested(&args.join(" "), io).await.map(CommandOutput::status);
    }
    let mut child = shell.subshell();
    child.variables.keep_exported();
    let line = match args {
        [flag, line, args @ ..] if flag == "-c" => {
            let (name, args) = args.split_first().map_or(("sh", args), |(name, args)| (name, args));
            (child.name, child.args) = (name.into(), args.into());
            line.clone()
        }
        [file, args @ ..] if !file.starts_with('-') => {
            let content = match read(shell.device(), shell.cwd(), file) {
                Ok(content) if content.len() <= MAX_TEXT => content,
                Ok(_) => {
                    return Ok(CommandOutput::unsupported(shell.device(), "sh of so large a file"));
                }
                Err(error) => {
                    let text = format!("{SHELL_PATH}: {file}: can't open: {error}\n");
                    return Ok(CommandOutput::error(127, text));
                }
            };
            (child.name, child.args) = (file.as_str().into(), args.into());
            String::from_utf8_lossy(&content).into_owned()
        }
        _ => return Ok(CommandOutput::unsupported(shell.device(), "sh without -c or a file")),
    };
    match child.run_nested(&line, io).await {
        Ok(status) | Err(Stop::Exit(status)) => Ok(CommandOutput::status(status)),
        Err(Stop::Disconnected(gone)) => Err(Stop::Disconnected(gone)),
    }
}

/// `wait` for all jobs, or for those of these process ids: the status of the last.
pub(super) async fn wait(shell: &mut Shell, words: &[&str]) -> CommandOutput {
    if words.is_empty() {
        shell.jobs().wait_all().await;
        return CommandOutput::status(0);
    }
    let mut status = 0;
    for word in words {
        let Ok(pid) = word.parse() else {
            let text = format!("{SHELL_PATH}: wait: {word}: argument must be %job or process id\n");
            return CommandOutput::malformed(shell.device(), 1, text);
        };
        status = shell.jobs().wait(pid).await.unwrap_or(127);
    }
    CommandOutput::status(status)
}

/// `cd [-LP] [--] [FOLDER]`. There are no links, with which `-L` and `-P` would differ.
pub(super) fn cd(shell: &mut Shell, mut words: &[&str]) -> CommandOutput {
    while let [option, rest @ ..] = words {
        let Some(letters) = option.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            break;
        };
        words = rest;
        if letters == "-" {
            break;
        }
        if let Some(unknown) = letters.chars().find(|letter| !"LPe".contains(*letter)) {
            let text = format!("{SHELL_PATH}: cd: -{unknown}: unknown option\n");
            return CommandOutput::malformed(shell.device(), 2, text);
        }
    }
    let to = match words {
        [] => "/",
        // `mksh` stays where it is.
        [""] => ".",
        [to] => to,
        _ => {
            let why = if words.len() == 2 { "bad substitution" } else { "too many arguments" };
            return CommandOutput::malformed(
                shell.device(),
                2,
                format!("{SHELL_PATH}: cd: {why}\n"),
            );
        }
    };
    let before = shell.variable("OLDPWD");
    let goes_back = to == "-";
    if goes_back && before.is_empty() {
        return CommandOutput::error(2, format!("{SHELL_PATH}: cd: no OLDPWD\n"));
    }
    let to = if goes_back { before.as_str() } else { to };
    let path = normalize_path(shell.cwd(), to);
    let stat = shell.device().files().stat(&path);
    let problem = match stat {
        Ok(stat) if stat.is_dir() => {
            if let Err(error) = shell.set_variable("OLDPWD", shell.cwd().to_owned()) {
                return CommandOutput::error(OutOfMemory::STATUS, format!("{error}\n"));
            }
            let told = if goes_back { format!("{path}\n") } else { String::new() };
            shell.set_cwd(path);
            return CommandOutput::ok(told);
        }
        Ok(_) => files::FileError::NotDirectory,
        Err(error) => error,
    };
    CommandOutput::error(2, format!("{SHELL_PATH}: cd: {to}: {problem}\n"))
}

pub(super) fn export(shell: &mut Shell, args: &[String]) -> CommandOutput {
    for arg in args {
        let set = match arg.split_once('=') {
            Some((name, value)) => shell
                .set_variable(name, value.to_owned())
                .and_then(|()| shell.variables.export(name)),
            None => shell.variables.export(arg),
        };
        if let Err(error) = set {
            return CommandOutput::error(OutOfMemory::STATUS, format!("{error}\n"));
        }
    }
    CommandOutput::status(0)
}

/// `mksh`'s own `echo`: backslashes are read unless `-E` is given.
pub(super) fn echo(words: &[&str]) -> CommandOutput {
    let (mut newline, mut escapes, mut words) = (true, true, words);
    while let [flag, rest @ ..] = words {
        let Some(letters) = flag
            .strip_prefix('-')
            .filter(|letters| !letters.is_empty() && letters.chars().all(|c| "neE".contains(c)))
        else {
            break;
        };
        for letter in letters.chars() {
            match letter {
                'n' => newline = false,
                'e' => escapes = true,
                _ => escapes = false,
            }
        }
        words = rest;
    }
    said(words, newline, escapes)
}

/// `mksh`'s `print`: as `echo`, but with `-r` backslashes are left alone, `-u2` is stderr, and `--` ends the options.
pub(super) fn print(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    let (mut newline, mut escapes, mut to_stderr, mut words) = (true, true, false, words);
    while let [flag, rest @ ..] = words {
        let Some(letters) = flag.strip_prefix('-') else { break };
        words = rest;
        if matches!(letters, "" | "-") {
            break;
        }
        for (at, letter) in letters.char_indices() {
            match (letter, &letters[at + letter.len_utf8()..]) {
                ('r', _) => escapes = false,
                ('n', _) => newline = false,
                ('u', stream @ ("1" | "2")) => {
                    to_stderr = stream == "2";
                    break;
                }
                ('A' | 'N' | 'R' | 'a' | 'c' | 'e' | 'i' | 'l' | 'o' | 'p' | 's' | 'u', _) => {
                    return CommandOutput::unsupported(device, &format!("print {flag}"));
                }
                _ => {
                    let text = format!("{SHELL_PATH}: print: -{letter}: unknown option\n");
                    return CommandOutput::malformed(device, 1, text);
                }
            }
        }
    }
    let said = said(words, newline, escapes);
    if to_stderr {
        return CommandOutput { stderr: said.stdout.concat(), ..CommandOutput::status(0) };
    }
    said
}

fn said(words: &[&str], newline: bool, escapes: bool) -> CommandOutput {
    let text = words.join(" ");
    let (mut out, ended) = if escapes { unescaped(&text) } else { (text.into_bytes(), false) };
    if newline && !ended {
        out.push(b'\n');
    }
    CommandOutput::bytes(out)
}

pub(super) async fn sleep(device: &VirtualPhone, words: &[&str]) -> CommandOutput {
    match words {
        [word] => match seconds_of(word) {
            Some(time) => {
                tokio::time::sleep(time).await;
                CommandOutput::status(0)
            }
            None => {
                CommandOutput::malformed(device, 1, format!("sleep: Unknown duration '{word}'\n"))
            }
        },
        _ => CommandOutput::malformed(device, 1, "sleep: Needs 1 argument\n"),
    }
}

/// Backslash sequences; `true` when `\c` ended the text.
fn unescaped(text: &str) -> (Vec<u8>, bool) {
    let mut out = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.extend(c.encode_utf8(&mut [0; 4]).bytes());
            continue;
        }
        match chars.next() {
            Some('a') => out.push(7),
            Some('b') => out.push(8),
            Some('c') => return (out, true),
            Some('e') => out.push(27),
            Some('f') => out.push(12),
            Some('n') => out.push(b'\n'),
            Some('r') => out.push(b'\r'),
            Some('t') => out.push(b'\t'),
            Some('v') => out.push(11),
            Some('\\') | None => out.push(b'\\'),
            Some('x') => out.extend(digits(&mut chars, 16, 2)),
            Some('0') => out.extend(digits(&mut chars, 8, 3).or(Some(0))),
            Some(other) => {
                out.push(b'\\');
                out.extend(other.encode_utf8(&mut [0; 4]).bytes());
            }
        }
    }
    (out, false)
}

fn digits(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
) -> Option<u8> {
    let mut value = None;
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|c| c.to_digit(radix)) else { break };
        chars.next();
        value = Some(value.unwrap_or(0) * radix + digit);
    }
    value.map(|value: u32| u8::try_from(value & 0xff).unwrap_or(0))
}

/// Seconds, with a fraction and one of toybox's units.
fn seconds_of(word: &str) -> Option<Duration> {
    let (number, unit) = match word.chars().last()? {
        's' => (&word[..word.len() - 1], 1.0),
        'm' => (&word[..word.len() - 1], 60.0),
        'h' => (&word[..word.len() - 1], 3600.0),
        _ => (word, 1.0),
    };
    let seconds: f64 = number.parse().ok()?;
    Duration::try_from_secs_f64(seconds * unit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stdout_of(reply: &CommandOutput) -> Vec<u8> {
        reply.stdout.concat()
    }

    #[test]
    fn echo_is_that_of_mksh() {
        assert_eq!(stdout_of(&echo(&["a\\nb", "c"])), b"a\nb c\n");
        assert_eq!(stdout_of(&echo(&["-nE", "a\\nb"])), b"a\\nb");
        assert_eq!(stdout_of(&echo(&["-x"])), b"-x\n");
        assert_eq!(stdout_of(&echo(&["a\\c", "b"])), b"a");
        assert_eq!(stdout_of(&echo(&["\\x41\\0101\\q"])), b"AA\\q\n");
    }

    #[test]
    fn durations_have_units() {
        assert_eq!(seconds_of("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(seconds_of("2m"), Some(Duration::from_mins(2)));
        assert_eq!(seconds_of("-1"), None);
        assert_eq!(seconds_of("x"), None);
        assert_eq!(seconds_of("NaN"), None);
    }
}
