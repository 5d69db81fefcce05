//! The file commands of toybox.
pub(super) mod change;
pub(super) mod list;
pub(super) mod mode;

use bytes::Bytes;

use super::{
    CommandOutput,
    args::{Flags, flags},
    names, put, put_error,
};
use crate::{
    apk,
    device::VirtualPhone,
    files::{FileError, Stat, normalize_path},
    shell::{
        io::{Io, PIPE_LIMIT, Stdin},
        process::Stop,
    },
};

/// What an operand names. With a slash at its end it is no file.
pub(super) fn stat_of(device: &VirtualPhone, cwd: &str, operand: &str) -> Result<Stat, FileError> {
    let path = normalize_path(cwd, operand);
    if names::is_gone(device, &path) {
        return Err(FileError::Missing);
    }
    let stat = device.files().stat(&path)?;
    let is_folder = stat.is_dir() || !(operand.ends_with('/') || operand.ends_with("/."));
    if is_folder { Ok(stat) } else { Err(FileError::NotDirectory) }
}

/// Reads a file of the file system or of `/proc`.
pub(in crate::shell) fn read(
    device: &VirtualPhone,
    cwd: &str,
    name: &str,
) -> Result<Bytes, FileError> {
    let path = normalize_path(cwd, name);
    match path.as_str() {
        "/dev/null" => Ok(Bytes::new()),
        "/proc/uptime" => {
            let up = device.uptime().as_secs_f64();
            Ok(Bytes::from(format!("{up:.2} {up:.2}\n")))
        }
        "/proc/sys/kernel/random/boot_id" => Ok(Bytes::from(format!("{}\n", device.boot_id()))),
        "/proc/meminfo" => Ok(Bytes::from_static(
            b"MemTotal:        7900000 kB\nMemFree:         2100000 kB\nMemAvailable:    4200000 kB\n",
        )),
        path => {
            stat_of(device, cwd, name)?;
            device.files().read(path)
        }
    }
}

/// What a command reads: a file as it is now, or standard input as it comes.
pub(super) enum Input {
    File(Option<Bytes>),
    Stdin(Stdin),
}

impl Input {
    /// `-` is standard input.
    pub(super) fn open(
        device: &VirtualPhone,
        cwd: &str,
        operand: &str,
        io: &Io,
    ) -> Result<Self, FileError> {
        if operand == "-" {
            return Ok(Self::Stdin(io.stdin.clone()));
        }
        read(device, cwd, operand).map(|content| Self::File(Some(content)))
    }

    /// `None` at the end.
    pub(super) async fn chunk(&mut self) -> Option<Bytes> {
        match self {
            Self::File(content) => content.take().filter(|content| !content.is_empty()),
            Self::Stdin(stdin) => stdin.chunk().await,
        }
    }

    /// All of it at once.
    pub(super) async fn all(self, device: &VirtualPhone) -> Result<Bytes, FileError> {
        match self {
            Self::File(content) => Ok(content.unwrap_or_default()),
            Self::Stdin(stdin) => stdin.all(device.memory(), PIPE_LIMIT).await,
        }
    }
}

/// Without operands standard input is read.
pub(super) fn operands_or_stdin<'a>(operands: &'a [&'a str]) -> &'a [&'a str] {
    if operands.is_empty() { &["-"] } else { operands }
}

/// The whole contents of the operands in order, for commands that need them at once; stdin, without a name, where
/// there are none, and for `-`.
pub(super) async fn inputs(
    device: &VirtualPhone,
    cwd: &str,
    program: &str,
    operands: &[&str],
    io: &Io,
) -> (Vec<(String, Bytes)>, String) {
    let (mut contents, mut failures) = (Vec::new(), String::new());
    for operand in operands_or_stdin(operands) {
        let content = match Input::open(device, cwd, operand, io) {
            Ok(input) => input.all(device).await,
            Err(error) => Err(error),
        };
        let name = if *operand == "-" { "" } else { operand };
        match content {
            Ok(content) => contents.push((name.to_owned(), content)),
            Err(error) => push_fmt!(failures, "{program}: {operand}: {error}\n"),
        }
    }
    (contents, failures)
}

pub(super) async fn cat(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> Result<CommandOutput, Stop> {
    let flags = match flags(device, "cat", words, "etu") {
        Ok(flags) => flags,
        Err(refusal) => return Ok(refusal),
    };
    let (ends, tabs) = (flags.has('e'), flags.has('t'));
    let mut status = 0;
    for operand in operands_or_stdin(&flags.operands) {
        match Input::open(device, cwd, operand, io) {
            Ok(mut input) => {
                while let Some(content) = input.chunk().await {
                    let shown = if ends || tabs { marked(&content, ends, tabs) } else { content };
                    if let Some(failed) = put(io, "cat", shown).await? {
                        return Ok(failed);
                    }
                }
            }
            Err(error) => {
                status = 1;
                put_error(io, format!("cat: {operand}: {error}\n")).await?;
            }
        }
    }
    Ok(CommandOutput::status(status))
}

/// With a `$` at the end of each line, and `^I` for tabs.
fn marked(content: &[u8], ends: bool, tabs: bool) -> Bytes {
    let mut out = Vec::with_capacity(content.len());
    for byte in content {
        match byte {
            b'\n' if ends => out.extend_from_slice(b"$\n"),
            b'\t' if tabs => out.extend_from_slice(b"^I"),
            byte => out.push(*byte),
        }
    }
    out.into()
}

/// `unzip -p ARCHIVE [FILE]…`: files of an archive, one after the other in the archive's order.
pub(super) fn unzip(device: &VirtualPhone, cwd: &str, words: &[&str]) -> CommandOutput {
    let (["-p", archive, names @ ..] | [archive, "-p", names @ ..]) = words else {
        return CommandOutput::unsupported(device, &format!("unzip {}", words.join(" ")));
    };
    let content = match read(device, cwd, archive) {
        Ok(content) => content,
        Err(error) => {
            return CommandOutput::error(9, format!("unzip: couldn't open {archive}: {error}\n"));
        }
    };
    let (mut stdout, mut failures) = (Vec::new(), String::new());
    let mut size = 0;
    for name in names {
        match apk::extract(&content, name) {
            Some(content) => {
                size += content.len();
                let mut held = device.memory().buffer();
                if size > PIPE_LIMIT || held.push(&content).is_err() {
                    push_fmt!(failures, "unzip: write: {}\n", FileError::NoSpace);
                    break;
                }
                stdout.push(held.into_bytes());
            }
            None => push_fmt!(failures, "unzip: caution: filename not matched: {name}\n"),
        }
    }
    let status = if failures.is_empty() { 0 } else { 11 };
    CommandOutput { stdout, ..CommandOutput::error(status, failures) }
}
