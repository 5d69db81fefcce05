//! What changes files: `rm`, `rmdir`, `cp`, `mv`, `touch` and `mkdir`.
use super::{CommandOutput, flags, stat_of};
use crate::{
    device::VirtualPhone,
    files::{FileError, FileSystem, file_name, normalize_path},
};

/// Runs `act` on each operand; failures are reported and do not stop the rest.
pub(super) fn each(
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

/// `rm [-fRrv] PATH…`.
pub(in crate::shell::commands) fn rm(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
    let flags = match flags(device, "rm", words, "fRrv") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let (recursive, force) = (flags.has('r') || flags.has('R'), flags.has('f'));
    if force && flags.operands.is_empty() {
        return CommandOutput::status(0);
    }
    let mut told = String::new();
    let output = each(device, "rm", &flags.operands, |operand| {
        let operand = match operand.trim_end_matches('/') {
            "" => operand,
            "." => return Ok(()),
            trimmed => trimmed,
        };
        if file_name(operand) == ".." {
            return Err(format!("bad path {operand}"));
        }
        let path = normalize_path(cwd, operand);
        let mut files = device.files();
        let all =
            if flags.has('v') { told_as_removed(&files, operand, &path) } else { String::new() };
        let removed = if file_name(operand) == "." && (recursive || !files.is_dir(&path)) {
            remove_content(&mut files, &path)
        } else {
            files.remove(&path, recursive)
        };
        if matches!(removed, Ok(()) | Err(FileError::Invalid)) {
            told += &all;
        }
        match removed {
            Err(FileError::Missing) if force => Ok(()),
            removed => removed.map_err(|error| format!("{operand}: {error}")),
        }
    });
    CommandOutput { stdout: vec![told.into()], ..output }
}

/// Removes what is in a folder, of which `folder/.` is no name to remove it by.
fn remove_content(files: &mut FileSystem, path: &str) -> Result<(), FileError> {
    for (name, _) in files.list(path)? {
        files.remove(&normalize_path(path, &name), true)?;
    }
    Err(FileError::Invalid)
}

/// What `rm -v` says of a path and of all below it, which goes first.
fn told_as_removed(files: &FileSystem, operand: &str, path: &str) -> String {
    let below = format!("{path}/");
    let is_removed =
        |other: &&str| other.starts_with(&below) || *other == path && file_name(operand) != ".";
    let all: Vec<&str> = files.paths().filter(is_removed).collect();
    all.iter().rev().fold(String::new(), |mut told, one| {
        let command = if files.is_dir(one) { "rmdir" } else { "rm" };
        push_fmt!(told, "{command} '{operand}{}'\n", &one[path.len()..]);
        told
    })
}

/// `rmdir FOLDER…`, of empty ones.
pub(in crate::shell::commands) fn rmdir(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
    let flags = match flags(device, "rmdir", words, "") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    each(device, "rmdir", &flags.operands, |operand| {
        let removed = match file_name(operand.trim_end_matches('/')) {
            "." => stat_of(device, cwd, operand).and(Err(FileError::Invalid)),
            // The folder that this goes through is in it.
            ".." => stat_of(device, cwd, operand).and(Err(FileError::NotEmpty)),
            _ => device.files().remove_empty_dir(&normalize_path(cwd, operand)),
        };
        removed.map_err(|error| format!("{operand}: {error}"))
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

/// Whether the last operand can be the new name of a file, or of a folder. With a slash at its end it is a folder's.
fn check_new_name(
    files: &FileSystem,
    cwd: &str,
    name: &str,
    is_folder: bool,
) -> Result<(), FileError> {
    if is_folder && name.ends_with('/') {
        return Ok(());
    }
    files.path_to_write(cwd, name).map(|_| ())
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

pub(in crate::shell::commands) fn mv(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
    let flags = match flags(device, "mv", words, "fn") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let moved = match targets(device, cwd, "mv", &flags.operands) {
        Ok(moved) => moved,
        Err(refusal) => return refusal,
    };
    let to = flags.operands.last().copied().unwrap_or_default();
    let moved = moved.into_iter().map(|(source, path, new)| {
        let bad = |error: FileError| format!("bad '{source}': {error}");
        let mut files = device.files();
        if matches!(file_name(source.trim_end_matches('/')), "." | "..") {
            return Err(bad(FileError::Busy));
        }
        let is_folder = files.stat(&path).map_err(bad)?.is_dir();
        check_new_name(&files, cwd, to, is_folder).map_err(|error| match error {
            FileError::IsDirectory => bad(FileError::NotDirectory),
            error => bad(error),
        })?;
        if flags.has('n') && files.stat(&new).is_ok() {
            return Ok(());
        }
        // `rename` of a file to itself does nothing, and succeeds.
        if path == new {
            return Ok(());
        }
        files.rename(&path, &new).map_err(bad)
    });
    operands_output("mv", moved)
}

/// `cp` of files, and with `-r` of folders.
pub(in crate::shell::commands) fn cp(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
    let flags = match flags(device, "cp", words, "afnpRr") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let copied = match targets(device, cwd, "cp", &flags.operands) {
        Ok(copied) => copied,
        Err(refusal) => return refusal,
    };
    let to = flags.operands.last().copied().unwrap_or_default();
    let (recursive, keeps) = (['a', 'r', 'R'].iter().any(|flag| flags.has(*flag)), flags.has('n'));
    let copied = copied.into_iter().map(|(source, path, new)| {
        let bad = |error: FileError| format!("bad '{source}': {error}");
        // How some clients make an empty file.
        if path == "/dev/null" && !new.is_empty() {
            return device
                .files()
                .write(&new, Vec::new(), 0o666, device.unix_seconds())
                .map_err(|error| format!("{to}: {error}"));
        }
        let folder = device.files().stat(&path).map_err(bad)?.is_dir();
        if path == new || new.starts_with(&format!("{path}/")) && folder {
            return Err(format!("'{new}' is '{path}'"));
        }
        if folder && !recursive {
            return Err(format!("Skipped dir '{source}'"));
        }
        check_new_name(&device.files(), cwd, to, folder)
            .map_err(|error| format!("{to}: {error}"))?;
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
pub(in crate::shell::commands) fn touch(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
    let flags = match flags(device, "touch", words, "acm") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    each(device, "touch", &flags.operands, |operand| {
        let stat = stat_of(device, cwd, operand);
        if stat.is_ok_and(|stat| stat.is_dir()) || flags.has('c') && stat.is_err() {
            return Ok(());
        }
        let mut files = device.files();
        let path = files.path_to_write(cwd, operand);
        path.and_then(|path| files.append(&path, b"", device.unix_seconds()))
            .map_err(|error| format!("'{operand}': {error}"))
    })
}

pub(in crate::shell::commands) fn mkdir(
    device: &VirtualPhone,
    cwd: &str,
    words: &[&str],
) -> CommandOutput {
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
    // Where two slashes meet, and at dots, no folder begins.
    let ways =
        ends.map(|end| &operand[..end]).filter(|way| !matches!(file_name(way), "" | "." | ".."));
    ways.filter(|way| files.stat(&normalize_path(cwd, way)).is_err()).collect()
}
