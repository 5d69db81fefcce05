//! The file commands of toybox.
use bytes::Bytes;

use super::{
    CommandOutput,
    args::{Flags, unknown_option},
    system,
};
use crate::{
    apk,
    device::{AdbDevice, unix_seconds},
    files::{FileError, Stat, normalize_path},
    shell::io::{Io, PIPE_LIMIT},
};

/// The parsed flags, or the output that refuses them.
pub(super) fn flags<'a>(
    device: &AdbDevice,
    program: &str,
    words: &[&'a str],
    known: &str,
) -> Result<Flags<'a>, CommandOutput> {
    Flags::parse(words, known)
        .map_err(|flag| CommandOutput::malformed(device, 1, unknown_option(program, flag)))
}

/// Runs `act` on each operand; failures are reported and do not stop the rest.
fn each(
    device: &AdbDevice,
    program: &str,
    operands: &[&str],
    mut act: impl FnMut(&str) -> Result<(), String>,
) -> CommandOutput {
    if operands.is_empty() {
        return CommandOutput::malformed(device, 1, format!("{program}: Needs 1 argument\n"));
    }
    let mut failures = String::new();
    for failure in operands.iter().filter_map(|operand| act(operand).err()) {
        push_fmt!(failures, "{program}: {failure}\n");
    }
    CommandOutput::error(u8::from(!failures.is_empty()), failures)
}

/// Reads a file of the file system or of `/proc`.
pub(super) fn read(device: &AdbDevice, cwd: &str, name: &str) -> Result<Bytes, FileError> {
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
        path => device.files().read(path),
    }
}

/// The contents of the operands in order; stdin without any, and for `-`.
pub(super) async fn inputs(
    device: &AdbDevice,
    cwd: &str,
    program: &str,
    operands: &[&str],
    io: &Io,
) -> (Vec<(String, Bytes)>, String) {
    let (mut contents, mut failures) = (Vec::new(), String::new());
    if operands.is_empty() {
        contents.push((String::new(), io.stdin.all(PIPE_LIMIT).await));
    }
    for operand in operands {
        if *operand == "-" {
            contents.push((String::new(), io.stdin.all(PIPE_LIMIT).await));
            continue;
        }
        match read(device, cwd, operand) {
            Ok(content) => contents.push(((*operand).to_owned(), content)),
            Err(error) => push_fmt!(failures, "{program}: {operand}: {error}\n"),
        }
    }
    (contents, failures)
}

pub(super) async fn cat(device: &AdbDevice, cwd: &str, words: &[&str], io: &Io) -> CommandOutput {
    let flags = match flags(device, "cat", words, "eu") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let (contents, failures) = inputs(device, cwd, "cat", &flags.operands, io).await;
    CommandOutput {
        stdout: contents.into_iter().map(|(_, content)| content).collect(),
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}

/// `tail -c BYTES [FILE]…`: the end of each.
pub(super) async fn tail(device: &AdbDevice, cwd: &str, words: &[&str], io: &Io) -> CommandOutput {
    let (["-c", _, operands @ ..], Some(most)) =
        (words, words.get(1).and_then(|number| number.parse::<usize>().ok()))
    else {
        return CommandOutput::unsupported(device, &format!("tail {}", words.join(" ")));
    };
    let (contents, failures) = inputs(device, cwd, "tail", operands, io).await;
    let ends = contents.into_iter().map(|(_, all)| all.slice(all.len().saturating_sub(most)..));
    CommandOutput {
        stdout: ends.collect(),
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}

/// `unzip -p ARCHIVE [FILE]…`: files of an archive, one after the other in the archive's order.
pub(super) fn unzip(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
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
        if size > PIPE_LIMIT {
            push_fmt!(failures, "unzip: write: {}\n", FileError::NoSpace);
            break;
        }
        match apk::extract(&content, name) {
            Some(content) => {
                size += content.len();
                stdout.push(Bytes::from(content));
            }
            None => push_fmt!(failures, "unzip: caution: filename not matched: {name}\n"),
        }
    }
    let status = if failures.is_empty() { 0 } else { 11 };
    CommandOutput { stdout, ..CommandOutput::error(status, failures) }
}

pub(super) fn ls(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "ls", words, "1adhlp") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let here = ["."];
    let operands = if flags.operands.is_empty() { &here[..] } else { &flags.operands };
    let (mut out, mut failures) = (String::new(), String::new());
    let mut folders = Vec::new();
    for operand in operands {
        match device.files().stat(&normalize_path(cwd, operand)) {
            Ok(stat) if stat.is_dir() && !flags.has('d') => folders.push(*operand),
            Ok(stat) => out += &line(operand, &stat, &flags),
            Err(error) => push_fmt!(failures, "ls: {operand}: {error}\n"),
        }
    }
    for folder in folders {
        if out.len() > PIPE_LIMIT {
            push_fmt!(failures, "ls: write: {}\n", FileError::NoSpace);
            break;
        }
        let mut entries = device.files().list(&normalize_path(cwd, folder)).unwrap_or_default();
        entries.retain(|(name, _)| flags.has('a') || !name.starts_with('.'));
        if operands.len() > 1 {
            let gap = if out.is_empty() { "" } else { "\n" };
            push_fmt!(out, "{gap}{folder}:\n");
        }
        if flags.has('l') {
            let blocks: u64 = entries.iter().map(|(_, stat)| stat.size.div_ceil(4096) * 4).sum();
            push_fmt!(out, "total {blocks}\n");
        }
        out.extend(entries.iter().map(|(name, stat)| line(name, stat, &flags)));
    }
    CommandOutput {
        stdout: vec![Bytes::from(out)],
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}

/// `stat -c FORMAT PATH`, with `%d` (file system), `%i` (number), `%n` (name) and `%s` (size).
pub(super) fn stat(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    /// The file system of `/data`.
    const DATA: &str = "64769";
    let ["-c", format, path] = words else {
        return CommandOutput::unsupported(device, &format!("stat {}", words.join(" ")));
    };
    match device.files().stat(&normalize_path(cwd, path)) {
        Ok(stat) => {
            let text = format
                .replace("%d", DATA)
                .replace("%i", &stat.inode.to_string())
                .replace("%s", &stat.size.to_string())
                .replace("%n", path);
            CommandOutput::ok(format!("{text}\n"))
        }
        Err(error) => CommandOutput::error(1, format!("stat: '{path}': {error}\n")),
    }
}

fn line(name: &str, stat: &Stat, flags: &Flags<'_>) -> String {
    let slash = if flags.has('p') && stat.is_dir() { "/" } else { "" };
    if !flags.has('l') {
        return format!("{name}{slash}\n");
    }
    let group = "sdcard_rw";
    format!(
        "{} 1 shell {group} {:>8} {} {name}{slash}\n",
        permissions(stat),
        stat.size,
        system::strftime("%Y-%m-%d %H:%M", stat.modified).unwrap_or_default()
    )
}

/// `-rw-rw----` and the like.
fn permissions(stat: &Stat) -> String {
    let kind = if stat.is_dir() { 'd' } else { '-' };
    let bits = (0..9).rev().map(|bit| {
        let letter = ['x', 'w', 'r'][bit % 3];
        if stat.mode >> bit & 1 == 1 { letter } else { '-' }
    });
    std::iter::once(kind).chain(bits).collect()
}

pub(super) fn rm(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "rm", words, "fiRr") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let (recursive, force) = (flags.has('r') || flags.has('R'), flags.has('f'));
    if force && flags.operands.is_empty() {
        return CommandOutput::status(0);
    }
    each(device, "rm", &flags.operands, |operand| {
        match device.files().remove(&normalize_path(cwd, operand), recursive) {
            Err(FileError::Missing) if force => Ok(()),
            done => done.map_err(|error| format!("{operand}: {error}")),
        }
    })
}

/// `mv` of files and folders into a folder, or to another name.
pub(super) fn mv(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "mv", words, "fn") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let [sources @ .., to] = flags.operands.as_slice() else {
        return CommandOutput::malformed(device, 1, "mv: Needs 2 arguments\n");
    };
    let target = normalize_path(cwd, to);
    let into = device.files().stat(&target).is_ok_and(|stat| stat.is_dir());
    if !into && sources.len() != 1 {
        return CommandOutput::error(1, format!("mv: '{to}' not a directory\n"));
    }
    each(device, "mv", sources, |source| {
        let path = normalize_path(cwd, source);
        let name = path.rsplit('/').next().unwrap_or_default();
        let new = if into { format!("{target}/{name}") } else { target.clone() };
        device.files().rename(&path, &new).map_err(|error| format!("bad '{source}': {error}"))
    })
}

pub(super) fn mkdir(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "mkdir", words, "pv") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    each(device, "mkdir", &flags.operands, |operand| {
        let path = normalize_path(cwd, operand);
        let made = device.files().make_dir(&path, flags.has('p'), unix_seconds());
        made.map_err(|error| format!("'{operand}': {error}"))
    })
}
