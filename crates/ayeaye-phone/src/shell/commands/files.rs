//! The file commands of toybox.
use bytes::Bytes;

use super::{
    CommandOutput,
    args::{Flags, unknown_option},
    system,
};
use crate::{
    device::{AdbDevice, unix_seconds},
    files::{FileError, Stat, file_name, normalize_path},
    shell::io::{Io, PIPE_LIMIT},
};

/// Flags parsed, or the reply that refuses them.
pub(super) fn flags<'a>(
    device: &AdbDevice,
    program: &str,
    words: &[&'a str],
    known: &str,
) -> Result<Flags<'a>, CommandOutput> {
    Flags::parse(words, known)
        .map_err(|flag| CommandOutput::malformed(device, 1, unknown_option(program, flag)))
}

/// Runs `act` on each operand; what fails is told, and the rest still done.
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

/// A file of the phone, or of those the kernel makes up.
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

/// The operands' content in order; without any, or for `-`, stdin.
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

pub(super) fn ls(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "ls", words, "1adhlprtR") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let here = ["."];
    let operands = if flags.operands.is_empty() { &here[..] } else { &flags.operands };
    let (mut out, mut failures) = (String::new(), String::new());
    let headed = operands.len() > 1 || flags.has('R');
    // Folders still to be listed, the next one last: `-R` adds those it meets.
    let mut folders: Vec<String> = Vec::new();
    for operand in operands {
        match device.files().stat(&normalize_path(cwd, operand)) {
            Ok(stat) if stat.is_dir() && !flags.has('d') => folders.push((*operand).to_owned()),
            Ok(stat) => out += &line(operand, &stat, &flags),
            Err(error) => push_fmt!(failures, "ls: {operand}: {error}\n"),
        }
    }
    folders.reverse();
    while let Some(folder) = folders.pop() {
        let mut entries = device.files().list(&normalize_path(cwd, &folder)).unwrap_or_default();
        entries.retain(|(name, _)| flags.has('a') || !name.starts_with('.'));
        if flags.has('t') {
            entries.sort_by_key(|(_, stat)| std::cmp::Reverse(stat.modified));
        }
        if flags.has('r') {
            entries.reverse();
        }
        if headed {
            let gap = if out.is_empty() { "" } else { "\n" };
            push_fmt!(out, "{gap}{folder}:\n");
        }
        if flags.has('l') {
            let blocks: u64 = entries.iter().map(|(_, stat)| stat.size.div_ceil(4096) * 4).sum();
            push_fmt!(out, "total {blocks}\n");
        }
        out.extend(entries.iter().map(|(name, stat)| line(name, stat, &flags)));
        if flags.has('R') {
            let within = entries.iter().rev().filter(|(_, stat)| stat.is_dir());
            let slash = if folder.ends_with('/') { "" } else { "/" };
            folders.extend(within.map(|(name, _)| format!("{folder}{slash}{name}")));
        }
    }
    CommandOutput {
        stdout: vec![Bytes::from(out)],
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
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
        system::short_time(stat.modified)
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

pub(super) fn touch(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "touch", words, "c") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    each(device, "touch", &flags.operands, |operand| {
        let path = normalize_path(cwd, operand);
        if device.files().is_dir(&path) {
            return Ok(());
        }
        let touched = device.files().append(&path, b"", unix_seconds());
        touched.map_err(|error| format!("'{operand}': {error}"))
    })
}

pub(super) fn mv(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "mv", words, "fi") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    into(device, cwd, "mv", &flags.operands, |from, to| device.files().rename(from, to))
}

pub(super) fn cp(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "cp", words, "fip") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    into(device, cwd, "cp", &flags.operands, |from, to| {
        let content = device.files().read(from)?;
        device.files().write(to, content.to_vec(), 0o660, unix_seconds())
    })
}

/// Sources and one place: a new name, or a folder they go into.
fn into(
    device: &AdbDevice,
    cwd: &str,
    program: &str,
    operands: &[&str],
    act: impl Fn(&str, &str) -> Result<(), FileError>,
) -> CommandOutput {
    let [sources @ .., place] = operands else {
        return CommandOutput::malformed(device, 1, format!("{program}: Needs 2 arguments\n"));
    };
    if sources.is_empty() {
        return CommandOutput::malformed(device, 1, format!("{program}: Needs 2 arguments\n"));
    }
    let place_path = normalize_path(cwd, place);
    let folder = device.files().is_dir(&place_path);
    if sources.len() > 1 && !folder {
        return CommandOutput::error(1, format!("{program}: '{place}' not directory\n"));
    }
    each(device, program, sources, |source| {
        let from = normalize_path(cwd, source);
        let to =
            if folder { normalize_path(&place_path, file_name(&from)) } else { place_path.clone() };
        act(&from, &to).map_err(|error| format!("'{source}': {error}"))
    })
}

pub(super) fn stat(device: &AdbDevice, cwd: &str, words: &[&str]) -> CommandOutput {
    let (format, operands) = match words {
        ["-c", format, operands @ ..] => (*format, operands),
        operands => ("  File: %n\n  Size: %s", operands),
    };
    let mut out = String::new();
    let told = each(device, "stat", operands, |operand| {
        let stat = device.files().stat(&normalize_path(cwd, operand));
        let stat = stat.map_err(|error| format!("'{operand}': {error}"))?;
        out += &format
            .replace("%n", operand)
            .replace("%s", &stat.size.to_string())
            .replace("%Y", &stat.modified.to_string())
            .replace("%a", &format!("{:o}", stat.mode & 0o777));
        out.push('\n');
        Ok(())
    });
    CommandOutput { stdout: vec![Bytes::from(out)], ..told }
}
