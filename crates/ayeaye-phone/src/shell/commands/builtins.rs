//! What `mksh` does itself, and the smallest programs.
use std::time::Duration;

use super::CommandOutput;
use crate::{
    device::AdbDevice,
    files::{self, normalize_path},
    shell::{
        exec::{SHELL_PATH, Shell, Stop},
        io::Io,
    },
};

pub(super) fn exit(shell: &Shell, words: &[&str]) -> Result<CommandOutput, Stop> {
    match words {
        [] => Err(Stop::Exit(shell.status())),
        // As a process' status: the low eight bits.
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

/// `sh -c …` and `eval …`; without a command line `sh` would read scripts.
pub(super) async fn sh(
    shell: &mut Shell,
    name: &str,
    args: &[String],
    io: &Io,
) -> Result<CommandOutput, Stop> {
    let line = match (name, args) {
        ("sh", [flag, line, ..]) if flag == "-c" => line.clone(),
        ("eval", words) => words.join(" "),
        _ => return Ok(CommandOutput::unsupported(shell.device(), "sh without -c")),
    };
    if name == "eval" {
        return shell.run_nested(&line, io).await.map(CommandOutput::status);
    }
    match shell.subshell().run_nested(&line, io).await {
        Ok(status) | Err(Stop::Exit(status)) => Ok(CommandOutput::status(status)),
        Err(Stop::Break | Stop::Continue) => Ok(CommandOutput::status(0)),
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

/// `timeout SECONDS COMMAND`, as toybox has it.
pub(super) async fn timeout(
    shell: &mut Shell,
    args: &[String],
    io: &Io,
) -> Result<CommandOutput, Stop> {
    let [seconds, name, rest @ ..] = args else {
        return Ok(CommandOutput::malformed(shell.device(), 125, "timeout: Need 2 arguments\n"));
    };
    let Some(limit) = seconds_of(seconds) else {
        let text = format!("timeout: Unknown duration '{seconds}'\n");
        return Ok(CommandOutput::malformed(shell.device(), 125, text));
    };
    let run = Box::pin(super::run(shell, name, rest, io));
    match tokio::time::timeout(limit, run).await {
        Ok(ended) => ended,
        Err(_) => Ok(CommandOutput::status(143)),
    }
}

pub(super) async fn read(shell: &mut Shell, words: &[&str], io: &Io) -> CommandOutput {
    let names = if let ["-r", names @ ..] = words { names } else { words };
    if names.iter().any(|name| name.starts_with('-')) {
        return CommandOutput::malformed(
            shell.device(),
            1,
            format!("{SHELL_PATH}: read: unknown option\n"),
        );
    }
    let line = io.stdin.line(64 << 10).await;
    let status = u8::from(line.is_none());
    let line = String::from_utf8_lossy(&line.unwrap_or_default()).into_owned();
    let names = if names.is_empty() { &["REPLY"][..] } else { names };
    let mut rest = line.trim_matches([' ', '\t']);
    for (index, name) in names.iter().enumerate() {
        let (value, after) = match rest.split_once([' ', '\t']) {
            Some((value, after)) if index + 1 < names.len() => (value, after.trim_start()),
            _ => (rest, ""),
        };
        shell.set_variable(name, value.to_owned());
        rest = after;
    }
    CommandOutput::status(status)
}

pub(super) fn cd(shell: &mut Shell, words: &[&str]) -> CommandOutput {
    let to = match words {
        [] => "/",
        [to] => to,
        _ => {
            let text = format!("{SHELL_PATH}: cd: bad substitution\n");
            return CommandOutput::malformed(shell.device(), 1, text);
        }
    };
    let path = normalize_path(shell.cwd(), to);
    let stat = shell.device().files().stat(&path);
    let problem = match stat {
        Ok(stat) if stat.is_dir() => {
            shell.set_cwd(path);
            return CommandOutput::status(0);
        }
        Ok(_) => files::FileError::NotDirectory,
        Err(error) => error,
    };
    CommandOutput::error(2, format!("{SHELL_PATH}: cd: {to}: {problem}\n"))
}

pub(super) fn export(shell: &mut Shell, args: &[String]) -> CommandOutput {
    for arg in args {
        if let Some((name, value)) = arg.split_once('=') {
            shell.set_variable(name, value.to_owned());
        }
    }
    CommandOutput::status(0)
}

pub(super) fn unset(shell: &mut Shell, words: &[&str]) -> CommandOutput {
    for name in words {
        shell.unset_variable(name);
    }
    CommandOutput::status(0)
}

pub(super) fn env(shell: &Shell, words: &[&str]) -> CommandOutput {
    match words {
        [] => {
            let lines = shell.variables().iter().map(|(name, value)| format!("{name}={value}\n"));
            CommandOutput::ok(lines.collect::<String>())
        }
        _ => CommandOutput::unsupported(shell.device(), "env with arguments"),
    }
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
    let text = words.join(" ");
    let (mut out, ended) = if escapes { unescaped(&text) } else { (text.into_bytes(), false) };
    if newline && !ended {
        out.push(b'\n');
    }
    CommandOutput::bytes(out)
}

pub(super) fn printf(device: &AdbDevice, words: &[&str]) -> CommandOutput {
    let Some((format, mut args)) = words.split_first() else {
        return CommandOutput::malformed(device, 1, "printf: Needs 1 argument\n");
    };
    let mut out = Vec::new();
    let mut status = 0;
    let mut stderr = String::new();
    loop {
        let before = args.len();
        let mut chars = format.chars().peekable();
        let mut literal = String::new();
        while let Some(c) = chars.next() {
            if c != '%' {
                literal.push(c);
                continue;
            }
            out.extend(unescaped(&literal).0);
            literal.clear();
            let conversion = chars.next();
            if conversion == Some('%') {
                out.push(b'%');
                continue;
            }
            let arg = args.split_first().map_or("", |(arg, rest)| {
                args = rest;
                *arg
            });
            match conversion {
                Some('s') => out.extend(arg.bytes()),
                Some('b') => out.extend(unescaped(arg).0),
                Some('c') => out.extend(arg.bytes().take(1)),
                Some(number @ ('d' | 'i' | 'u' | 'x' | 'o')) => {
                    let value: i64 = arg.parse().unwrap_or_else(|_| {
                        if !arg.is_empty() {
                            status = 1;
                            stderr = format!("printf: bad number: {arg}\n");
                        }
                        0
                    });
                    let text = match number {
                        'x' => format!("{value:x}"),
                        'o' => format!("{value:o}"),
                        _ => value.to_string(),
                    };
                    out.extend(text.bytes());
                }
                Some(_) | None => {
                    return CommandOutput::malformed(
                        device,
                        1,
                        format!("printf: bad format: {format}\n"),
                    );
                }
            }
        }
        out.extend(unescaped(&literal).0);
        // The format is used again for what is left, if it takes anything at all.
        if args.is_empty() || args.len() == before {
            break;
        }
    }
    CommandOutput { status, stderr: stderr.into_bytes(), ..CommandOutput::bytes(out) }
}

pub(super) async fn sleep(device: &AdbDevice, words: &[&str]) -> CommandOutput {
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

pub(super) fn which(words: &[&str]) -> CommandOutput {
    let found: Vec<String> = words
        .iter()
        .filter(|word| super::PROGRAMS.contains(word))
        .map(|word| format!("/system/bin/{word}\n"))
        .collect();
    let missing = words.iter().any(|word| !super::PROGRAMS.contains(word));
    CommandOutput::on_stdout(u8::from(missing), found.concat())
}

pub(super) fn bracket(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    match words {
        [inner @ .., "]"] => test(device, cwd, "[", inner),
        _ => CommandOutput::malformed(device, 2, format!("{SHELL_PATH}: [: missing ]\n")),
    }
}

/// POSIX's `test` for up to four words; more is refused.
pub(super) fn test(device: &AdbDevice, cwd: &str, name: &str, words: &[&str]) -> CommandOutput {
    let refuse = |word: &str| {
        let text = format!("{SHELL_PATH}: {name}: {word}: unexpected operator/operand\n");
        CommandOutput::malformed(device, 2, text)
    };
    let holds = match words {
        [] => false,
        [word] | ["-n", word] => !word.is_empty(),
        ["!" | "-z", word] => word.is_empty(),
        [operator @ ("-e" | "-f" | "-d" | "-s" | "-r" | "-w" | "-x"), path] => {
            let path = normalize_path(cwd, path);
            let stat = device.files().stat(&path);
            match (*operator, stat) {
                (_, Err(_)) => false,
                ("-f", Ok(stat)) => !stat.is_dir(),
                ("-d", Ok(stat)) => stat.is_dir(),
                ("-s", Ok(stat)) => stat.size > 0,
                ("-x", Ok(stat)) => stat.mode & 0o111 != 0,
                ("-w", Ok(_)) => path.starts_with("/sdcard") || path.starts_with("/data/local/tmp"),
                (_, Ok(_)) => true,
            }
        }
        [left, "=" | "==", right] => left == right,
        [left, "!=", right] => left != right,
        [left, operator @ ("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"), right] => {
            let (Ok(a), Ok(b)) = (left.parse::<i64>(), right.parse::<i64>()) else {
                return CommandOutput::malformed(
                    device,
                    2,
                    format!("{SHELL_PATH}: {name}: bad number\n"),
                );
            };
            match *operator {
                "-eq" => a == b,
                "-ne" => a != b,
                "-lt" => a < b,
                "-le" => a <= b,
                "-gt" => a > b,
                _ => a >= b,
            }
        }
        ["!", rest @ ..] if rest.len() < 4 => {
            let inner = test(device, cwd, name, rest);
            return match inner.status {
                0 => CommandOutput::status(1),
                1 => CommandOutput::status(0),
                _ => inner,
            };
        }
        [_, word, ..] => return refuse(word),
    };
    CommandOutput::status(u8::from(!holds))
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

    fn said(reply: &CommandOutput) -> Vec<u8> {
        reply.stdout.concat()
    }

    #[test]
    fn echo_is_that_of_mksh() {
        assert_eq!(said(&echo(&["a\\nb", "c"])), b"a\nb c\n");
        assert_eq!(said(&echo(&["-nE", "a\\nb"])), b"a\\nb");
        assert_eq!(said(&echo(&["-x"])), b"-x\n");
        assert_eq!(said(&echo(&["a\\c", "b"])), b"a");
        assert_eq!(said(&echo(&["\\x41\\0101\\q"])), b"AA\\q\n");
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
