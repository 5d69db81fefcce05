//! Paths: made absolute, taken apart, and where they may be written.
use super::FileError;

/// Most bytes of a path, and of one name in it, as on Linux.
pub(super) const MAX_PATH: usize = 4096;
pub(super) const MAX_FILE_NAME: usize = 255;

/// Aliases of the shared storage; the first is the canonical one.
const SDCARD: [&str; 4] =
    ["/sdcard", "/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard"];

/// An absolute path without `.`, `..`, doubled slashes and aliases of `/sdcard`. An empty one stays empty, which is
/// no file, as for the kernel.
pub(crate) fn normalize_path(from: &str, path: &str) -> String {
    if path.is_empty() {
        return String::new();
    }
    let mut parts: Vec<&str> = Vec::new();
    let start = if path.starts_with('/') { "" } else { from };
    for part in start.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    let whole = format!("/{}", parts.join("/"));
    for name in SDCARD {
        match whole.strip_prefix(name) {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                return format!("{}{rest}", SDCARD[0]);
            }
            _ => {}
        }
    }
    whole
}

/// The last part of a path.
pub(crate) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// The kernel takes no path above its limit, whatever is to be done with it.
pub(super) fn check_length(path: &str) -> Result<(), FileError> {
    if path.len() > MAX_PATH || path.split('/').any(|name| name.len() > MAX_FILE_NAME) {
        return Err(FileError::NameTooLong);
    }
    Ok(())
}

pub(super) fn parent(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

pub(super) fn writable(path: &str) -> Result<(), FileError> {
    let within = |place: &str| path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
    if path.is_empty() {
        Err(FileError::Missing)
    } else if within("/sdcard") || within("/data/local/tmp") {
        Ok(())
    } else if within("/data") || within("/proc") {
        Err(FileError::Denied)
    } else {
        Err(FileError::ReadOnly)
    }
}
