//! `ls`, `stat` and `df`: what there is.
use std::cmp::Reverse;

use bytes::Bytes;

use super::{CommandOutput, Flags, flags, stat_of};
use crate::{
    device::VirtualPhone,
    files::{CAPACITY, FileError, Stat, normalize_path},
    shell::{commands::system, io::PIPE_LIMIT},
};

/// Who owns files, and the group of all of them.
const OWNER: (&str, u32) = ("shell", 2000);
const GROUP: (&str, u32) = ("sdcard_rw", 1015);
/// The file system of `/data`.
const DATA: u64 = 64_769;

pub(in crate::shell::commands) fn ls(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
    let flags = match flags(device, "ls", words, "1AadhlpRrSt") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let here = ["."];
    let operands = if flags.operands.is_empty() { &here[..] } else { &flags.operands };
    let (mut out, mut reply) = (String::new(), CommandOutput::default());
    let (mut files, mut folders) = (Vec::new(), Vec::new());
    for operand in operands {
        match stat_of(device, cwd, operand) {
            Ok(stat) if stat.is_dir() && !flags.has('d') => folders.push((*operand).to_owned()),
            Ok(stat) => files.push(((*operand).to_owned(), stat)),
            Err(error) => reply.complain(format!("ls: {operand}: {error}\n")),
        }
    }
    sort(&mut files, &flags);
    out.extend(files.iter().map(|(name, stat)| line(name, stat, &flags)));
    let named = operands.len() > 1 || flags.has('R');
    // Those that are still to be listed, the next one last.
    folders.reverse();
    while let Some(folder) = folders.pop() {
        if out.len() > PIPE_LIMIT {
            reply.complain(format!("ls: write: {}\n", FileError::NoSpace));
            break;
        }
        let path = normalize_path(cwd, &folder);
        let mut entries = device.files().list(&path).unwrap_or_default();
        if flags.has('a') {
            for name in [".", ".."] {
                let stat = device.files().stat(&normalize_path(&path, name));
                entries.extend(stat.ok().map(|stat| (name.to_owned(), stat)));
            }
            entries.sort_by(|(one, _), (other, _)| one.cmp(other));
        }
        entries.retain(|(name, _)| flags.has('a') || flags.has('A') || !name.starts_with('.'));
        sort(&mut entries, &flags);
        if named {
            let gap = if out.is_empty() { "" } else { "\n" };
            push_fmt!(out, "{gap}{folder}:\n");
        }
        if flags.has('l') {
            let blocks: u64 = entries.iter().map(|(_, stat)| stat.size.div_ceil(4096) * 4).sum();
            push_fmt!(out, "total {blocks}\n");
        }
        out.extend(entries.iter().map(|(name, stat)| line(name, stat, &flags)));
        if flags.has('R') {
            let below = |name: &str| !matches!(name, "." | "..");
            let inside = entries.iter().filter(|(name, stat)| stat.is_dir() && below(name));
            let slash = if folder.ends_with('/') { "" } else { "/" };
            folders.extend(inside.rev().map(|(name, _)| format!("{folder}{slash}{name}")));
        }
    }
    reply.stdout.push(Bytes::from(out));
    reply
}

/// By name, or by what a flag says.
fn sort(entries: &mut [(String, Stat)], flags: &Flags<'_>) {
    if flags.has('t') {
        entries.sort_by_key(|(_, stat)| Reverse((stat.modified, stat.inode)));
    } else if flags.has('S') {
        entries.sort_by_key(|(_, stat)| Reverse(stat.size));
    }
    if flags.has('r') {
        entries.reverse();
    }
}

fn line(name: &str, stat: &Stat, flags: &Flags<'_>) -> String {
    let slash = if flags.has('p') && stat.is_dir() { "/" } else { "" };
    if !flags.has('l') {
        return format!("{name}{slash}\n");
    }
    let size = if flags.has('h') { human(stat.size) } else { stat.size.to_string() };
    format!(
        "{} 1 {} {} {size:>8} {} {name}{slash}\n",
        permissions(stat),
        OWNER.0,
        GROUP.0,
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

/// Bytes as people read them: `517`, `1.2K`, `12M`.
fn human(bytes: u64) -> String {
    let mut unit = 1_u64;
    for letter in ["", "K", "M", "G"] {
        let whole = bytes / unit;
        if whole < 1024 || letter == "G" {
            let tenth = bytes % unit * 10 / unit;
            return match letter {
                "" => whole.to_string(),
                letter if whole < 10 => format!("{whole}.{tenth}{letter}"),
                letter => format!("{whole}{letter}"),
            };
        }
        unit *= 1024;
    }
    String::new()
}

/// What `stat` tells without a format.
const STAT: &str = "  File: '%n'\n  Size: %s\t Blocks: %b\t IO Blocks: %B\t%F\n\
    Device: fd01h/%dd\t Inode: %i\t Links: %h\nAccess: (0%a/%A)\tUid: ( %u/   %U)\tGid: ( %g/%G)\n\
    Access: %x\nModify: %y\nChange: %z";

/// `stat [-c FORMAT] PATH…`.
pub(in crate::shell::commands) fn stat(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
    let (format, paths) = match words {
        ["-c", format, paths @ ..] => (*format, paths),
        [] => return CommandOutput::malformed(device, 1, "stat: Needs 1 argument\n"),
        paths if paths.iter().all(|path| !path.starts_with('-')) => (STAT, paths),
        _ => return CommandOutput::unsupported(device, &format!("stat {}", words.join(" "))),
    };
    let (mut out, mut failures) = (String::new(), String::new());
    for path in paths {
        match stat_of(device, cwd, path) {
            Ok(stat) => match formatted(format, path, &stat) {
                Ok(text) => push_fmt!(out, "{text}\n"),
                Err(unknown) => {
                    let text = format!("stat: bad format '%{unknown}'\n");
                    return CommandOutput::malformed(device, 1, text);
                }
            },
            Err(error) => push_fmt!(failures, "stat: '{path}': {error}\n"),
        }
    }
    CommandOutput {
        stdout: vec![Bytes::from(out)],
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}

/// The error is a letter that stands for nothing known here.
fn formatted(format: &str, path: &str, stat: &Stat) -> Result<String, String> {
    let mut out = String::new();
    let mut chars = format.chars();
    while let Some(c) = chars.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let letter = chars.next();
        match letter {
            Some('%') => out.push('%'),
            Some('a') => push_fmt!(out, "{:o}", stat.mode & 0o777),
            Some('A') => out += &permissions(stat),
            Some('b') => push_fmt!(out, "{}", stat.size.div_ceil(4096) * 8),
            Some('B') => out += "512",
            Some('d') => push_fmt!(out, "{DATA}"),
            Some('f') => push_fmt!(out, "{:x}", stat.mode),
            Some('F') => out += if stat.is_dir() { "directory" } else { "regular file" },
            Some('g') => push_fmt!(out, "{}", GROUP.1),
            Some('G') => out += GROUP.0,
            Some('h') => out += "1",
            Some('i') => push_fmt!(out, "{}", stat.inode),
            Some('n') => out += path,
            Some('o') => out += "4096",
            Some('s') => push_fmt!(out, "{}", stat.size),
            Some('u') => push_fmt!(out, "{}", OWNER.1),
            Some('U') => out += OWNER.0,
            Some('X' | 'Y' | 'Z') => push_fmt!(out, "{}", stat.modified),
            Some('x' | 'y' | 'z') => {
                let text = system::strftime("%Y-%m-%d %H:%M:%S", stat.modified);
                push_fmt!(out, "{}.000000000 +0000", text.unwrap_or_default());
            }
            other => return Err(other.map_or_else(String::new, String::from)),
        }
    }
    Ok(out)
}

/// `df [-h | -k] [PATH]…`: the files of this phone are all on one file system.
pub(in crate::shell::commands) fn df(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
    let flags = match flags(device, "df", words, "hk") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let shown = |bytes: usize| {
        if flags.has('h') { human(bytes as u64) } else { (bytes / 1024).to_string() }
    };
    let used = device.files().used();
    let mut failures = String::new();
    let head = if flags.has('h') { "Size" } else { "1K-blocks" };
    let mut out = format!("Filesystem       {head:>9}      Used Available Use% Mounted on\n");
    let mut places: Vec<(&str, &str)> = Vec::new();
    for operand in &flags.operands {
        match stat_of(device, cwd, operand) {
            Ok(_) if normalize_path(cwd, operand).starts_with("/sdcard") => {
                places.push(("/dev/fuse", "/storage/emulated"));
            }
            Ok(_) => places.push(("/dev/block/dm-42", "/data")),
            Err(error) => push_fmt!(failures, "df: '{operand}': {error}\n"),
        }
    }
    if flags.operands.is_empty() {
        places = vec![("/dev/block/dm-42", "/data"), ("/dev/fuse", "/storage/emulated")];
    }
    for (device, place) in places {
        push_fmt!(
            out,
            "{device:<16} {:>9} {:>9} {:>9} {:>3}% {place}\n",
            shown(CAPACITY),
            shown(used),
            shown(CAPACITY.saturating_sub(used)),
            used * 100 / CAPACITY,
        );
    }
    CommandOutput {
        stdout: vec![Bytes::from(out)],
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}
