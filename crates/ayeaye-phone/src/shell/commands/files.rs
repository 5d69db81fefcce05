//! The file commands of toybox.
pub(super) mod list;

use bytes::Bytes;

use super::{
    CommandOutput,
    args::{Flags, flags},
    put, put_error,
};
use crate::{
    apk,
    device::VirtualPhone,
    files::{FileError, FileSystem, Stat, file_name, normalize_path},
    shell::{
        io::{Io, PIPE_LIMIT, Stdin},
        process::Stop,
    },
};

/// Runs `act` on each operand; failures are reported and do not stop the rest.
fn each(
    device: &VirtualPhone,
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

/// What an operand names. With a slash at its end it is no file.
pub(super) fn stat_of(device: &VirtualPhone, cwd: &str, operand: &str) -> Result<Stat, FileError> {
    let stat = device.files().stat(&normalize_path(cwd, operand))?;
    let is_folder = stat.is_dir() || !(operand.ends_with('/') || operand.ends_with("/."));
    if is_folder { Ok(stat) } else { Err(FileError::NotDirectory) }
}

/// Reads a file of the file system or of `/proc`.
pub(super) fn read(device: &VirtualPhone, cwd: &str, name: &str) -> Result<Bytes, FileError> {
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

pub(super) fn rm(device: &VirtualPhone, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "rm", words, "fRr") {
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

/// The paths that are copied or moved, each with where it goes: into a folder, or to another name.
fn targets<'a>(
    device: &VirtualPhone,
    cwd: &str,
    program: &str,
    operands: &[&'a str],
) -> Result<Vec<(&'a str, String, String)>, CommandOutput> {
    let [sources @ .., to] = operands else {
        return Err(CommandOutput::malformed(device, 1, format!("{program}: Needs 2 arguments\n")));
    };
    if sources.is_empty() {
        return Err(CommandOutput::malformed(device, 1, format!("{program}: Needs 2 arguments\n")));
    }
    let target = normalize_path(cwd, to);
    let into = device.files().is_dir(&target);
    if !into && sources.len() != 1 {
        return Err(CommandOutput::error(1, format!("{program}: '{to}' not a directory\n")));
    }
    let with_target = |source: &&'a str| {
        // `folder/.` has the name `.`: its content goes into the folder itself.
        let name = file_name(source.trim_end_matches('/'));
        let new = if into { format!("{target}/{name}") } else { target.clone() };
        (*source, normalize_path(cwd, source), normalize_path("/", &new))
    };
    Ok(sources.iter().map(with_target).collect())
}

/// The output of a command on several operands.
fn operands_output(
    program: &str,
    results: impl Iterator<Item = Result<(), String>>,
) -> CommandOutput {
    let mut failures = String::new();
    for failure in results.filter_map(Result::err) {
        push_fmt!(failures, "{program}: {failure}\n");
    }
    CommandOutput::error(u8::from(!failures.is_empty()), failures)
}

pub(super) fn mv(device: &VirtualPhone, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "mv", words, "fn") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let moved = match targets(device, cwd, "mv", &flags.operands) {
        Ok(moved) => moved,
        Err(refusal) => return refusal,
    };
    let moved = moved.into_iter().map(|(source, path, new)| {
        let mut files = device.files();
        if matches!(file_name(source.trim_end_matches('/')), "." | "..") {
            return Err(format!("bad '{source}': {}", FileError::Busy));
        }
        if flags.has('n') && files.stat(&new).is_ok() {
            return Ok(());
        }
        // `rename` of a file to itself does nothing, and succeeds.
        if path == new {
            return files
                .stat(&path)
                .map(|_| ())
                .map_err(|error| format!("bad '{source}': {error}"));
        }
        files.rename(&path, &new).map_err(|error| format!("bad '{source}': {error}"))
    });
    operands_output("mv", moved)
}

/// `cp` of files, and with `-r` of folders.
pub(super) fn cp(device: &VirtualPhone, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "cp", words, "afnpRr") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let copied = match targets(device, cwd, "cp", &flags.operands) {
        Ok(copied) => copied,
        Err(refusal) => return refusal,
    };
    let (recursive, keeps) = (['a', 'r', 'R'].iter().any(|flag| flags.has(*flag)), flags.has('n'));
    let copied = copied.into_iter().map(|(source, path, new)| {
        let bad = |error: FileError| format!("bad '{source}': {error}");
        let folder = device.files().stat(&path).map_err(bad)?.is_dir();
        if path == new || new.starts_with(&format!("{path}/")) && folder {
            return Err(format!("'{new}' is '{path}'"));
        }
        if folder && !recursive {
            return Err(format!("Skipped dir '{source}'"));
        }
        if new.is_empty() {
            return Err(bad(FileError::Missing));
        }
        let below = format!("{path}/");
        let all: Vec<String> = device
            .files()
            .paths()
            .filter(|other| *other == path || folder && other.starts_with(&below))
            .map(str::to_owned)
            .collect();
        for old in all {
            let to = format!("{new}{}", &old[path.len()..]);
            copy(device, &old, &to, keeps)
                .map_err(|error| format!("{}: {error}", to.trim_end_matches('/')))?;
        }
        Ok(())
    });
    operands_output("cp", copied)
}

/// Copies a file or makes a folder of that name.
fn copy(device: &VirtualPhone, from: &str, to: &str, keeps: bool) -> Result<(), FileError> {
    let mut files = device.files();
    let (stat, now) = (files.stat(from)?, device.unix_seconds());
    if stat.is_dir() {
        return files.make_dir(to, true, now);
    }
    if keeps && files.stat(to).is_ok() {
        return Ok(());
    }
    let content = files.read(from)?;
    files.check_room(to, content.len())?;
    files.write(to, content.to_vec(), stat.mode, now)
}

/// `touch [-c] FILE…`: makes it, or has it changed now.
pub(super) fn touch(device: &VirtualPhone, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "touch", words, "acm") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    each(device, "touch", &flags.operands, |operand| {
        let path = normalize_path(cwd, operand);
        let mut files = device.files();
        if files.is_dir(&path) || flags.has('c') && files.stat(&path).is_err() {
            return Ok(());
        }
        files
            .append(&path, b"", device.unix_seconds())
            .map_err(|error| format!("'{operand}': {error}"))
    })
}

pub(super) fn mkdir(device: &VirtualPhone, cwd: &str, words: &[&str]) -> CommandOutput {
    let flags = match flags(device, "mkdir", words, "pv") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let mut told = String::new();
    let output = each(device, "mkdir", &flags.operands, |operand| {
        let path = normalize_path(cwd, operand);
        let mut files = device.files();
        let missing = missing_folders(&files, cwd, operand);
        files
            .make_dir(&path, flags.has('p'), device.unix_seconds())
            .map_err(|error| format!("'{operand}': {error}"))?;
        for folder in missing.iter().filter(|_| flags.has('v')) {
            push_fmt!(told, "mkdir: created directory '{folder}'\n");
        }
        Ok(())
    });
    let stderr = [told.into_bytes(), output.stderr].concat();
    CommandOutput { stderr, ..output }
}

/// The folders on this way that there are not, from above.
fn missing_folders<'a>(files: &FileSystem, cwd: &str, operand: &'a str) -> Vec<&'a str> {
    let operand = operand.trim_end_matches('/');
    let ends = operand.match_indices('/').map(|(at, _)| at).chain([operand.len()]);
    let ways = ends.map(|end| &operand[..end]).filter(|way| !way.is_empty());
    ways.filter(|way| files.stat(&normalize_path(cwd, way)).is_err()).collect()
}
