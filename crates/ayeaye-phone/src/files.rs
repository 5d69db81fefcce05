//! An in-memory file system, for `adb push`, `adb pull` and the shell.
//!
//! `/sdcard` and `/data/local/tmp` are writable, as on a real phone; the rest is read-only. The total
//! size is bounded, so that a client cannot fill the host's memory.
use std::collections::BTreeMap;

use bytes::Bytes;

use crate::options::PhoneOptions;

/// Most bytes of all files together.
pub(crate) const CAPACITY: usize = 128 << 20;
/// Most files and folders.
const MAX_NODES: usize = 20_000;
/// Most bytes of a path, as on Linux.
pub(crate) const MAX_PATH: usize = 4096;

/// `S_IFDIR` and `S_IFREG` of a Unix mode.
pub(crate) const DIRECTORY: u32 = 0o040_000;
pub(crate) const REGULAR: u32 = 0o100_000;

/// Aliases of the shared storage; the first is the canonical one.
const SDCARD: [&str; 4] =
    ["/sdcard", "/storage/emulated/0", "/storage/self/primary", "/mnt/sdcard"];

/// Why a file could not be read or written; displayed as C's `strerror` does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum FileError {
    #[error("No such file or directory")]
    Missing,
    #[error("Permission denied")]
    Denied,
    #[error("File exists")]
    Exists,
    #[error("Not a directory")]
    NotDirectory,
    #[error("Is a directory")]
    IsDirectory,
    #[error("Invalid argument")]
    Invalid,
    #[error("No space left on device")]
    NoSpace,
    #[error("Read-only file system")]
    ReadOnly,
    #[error("File name too long")]
    NameTooLong,
}

impl FileError {
    /// Linux's errno, for `STA2`.
    pub(crate) fn errno(self) -> u32 {
        match self {
            Self::Missing => 2,
            Self::Denied => 13,
            Self::Exists => 17,
            Self::NotDirectory => 20,
            Self::IsDirectory => 21,
            Self::Invalid => 22,
            Self::NoSpace => 28,
            Self::ReadOnly => 30,
            Self::NameTooLong => 36,
        }
    }
}

/// The result of `stat`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stat {
    /// Type and permissions.
    pub(crate) mode: u32,
    pub(crate) size: u64,
    /// Seconds since 1970.
    pub(crate) modified: u64,
    pub(crate) inode: u64,
}

impl Stat {
    pub(crate) fn is_dir(&self) -> bool {
        self.mode & 0o170_000 == DIRECTORY
    }
}

#[derive(Debug)]
struct Node {
    /// `None` for a folder.
    content: Option<Vec<u8>>,
    permissions: u32,
    modified: u64,
    inode: u64,
}

/// All files of one phone.
#[derive(Debug)]
pub(crate) struct FileSystem {
    /// By absolute path, without a slash at the end (the root is "/").
    nodes: BTreeMap<String, Node>,
    used: usize,
    next_inode: u64,
}

impl FileSystem {
    /// The files of a new phone. `now` is in seconds since 1970.
    pub(crate) fn new(options: &PhoneOptions, now: u64) -> Self {
        let mut files = Self { nodes: BTreeMap::new(), used: 0, next_inode: 2 };
        for folder in [
            "/",
            "/data",
            "/data/app",
            "/data/data",
            "/data/local",
            "/data/local/tmp",
            "/proc",
            "/proc/sys",
            "/proc/sys/kernel",
            "/proc/sys/kernel/random",
            "/sdcard",
            "/sdcard/Alarms",
            "/sdcard/Android",
            "/sdcard/DCIM",
            "/sdcard/Documents",
            "/sdcard/Download",
            "/sdcard/Movies",
            "/sdcard/Music",
            "/sdcard/Pictures",
            "/system",
            "/system/app",
            "/system/bin",
            "/system/etc",
            "/vendor",
        ] {
            files.insert_node(folder, None, 0o771, now);
        }
        let build = format!(
            "ro.build.version.release={}\nro.build.version.sdk={}\nro.product.system.model={}\n",
            options.android, options.sdk, options.model
        );
        files.insert_node("/system/build.prop", Some(build.into_bytes()), 0o644, now);
        files.insert_node("/system/bin/sh", Some(b"\x7fELF".to_vec()), 0o755, now);
        files.insert_node("/system/bin/toybox", Some(b"\x7fELF".to_vec()), 0o755, now);
        files.insert_node(
            "/system/etc/hosts",
            Some(b"127.0.0.1       localhost\n".to_vec()),
            0o644,
            now,
        );
        files
    }

    /// Stores a file that the phone comes with, with its folders.
    pub(crate) fn preinstall(&mut self, path: &str, content: Vec<u8>, now: u64) {
        let mut folder = parent(path);
        while !self.nodes.contains_key(folder) {
            self.insert_node(folder, None, 0o755, now);
            folder = parent(folder);
        }
        self.insert_node(path, Some(content), 0o644, now);
    }

    pub(crate) fn stat(&self, path: &str) -> Result<Stat, FileError> {
        self.node(path).map(|node| Stat {
            mode: node.permissions | if node.content.is_none() { DIRECTORY } else { REGULAR },
            size: node.content.as_ref().map_or(4096, |content| content.len() as u64),
            modified: node.modified,
            inode: node.inode,
        })
    }

    pub(crate) fn is_dir(&self, path: &str) -> bool {
        self.stat(path).is_ok_and(|stat| stat.is_dir())
    }

    /// A copy of a file's content.
    pub(crate) fn read(&self, path: &str) -> Result<Bytes, FileError> {
        let node = self.node(path)?;
        let content = node.content.as_ref().ok_or(FileError::IsDirectory)?;
        Ok(Bytes::copy_from_slice(content))
    }

    /// Names and stats in a folder, in order.
    pub(crate) fn list(&self, path: &str) -> Result<Vec<(String, Stat)>, FileError> {
        if self.node(path)?.content.is_some() {
            return Err(FileError::NotDirectory);
        }
        let prefix = if path == "/" { "/".to_owned() } else { format!("{path}/") };
        let below = self.nodes.range(prefix.clone()..).map(|(path, _)| path);
        below
            .take_while(|path| path.starts_with(&prefix))
            .filter_map(|path| path.strip_prefix(&prefix).map(|name| (path, name)))
            .filter(|(_, name)| !name.is_empty() && !name.contains('/'))
            .map(|(path, name)| Ok((name.to_owned(), self.stat(path)?)))
            .collect()
    }

    /// Every path, for patterns such as `/sdcard/*.png`.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &str> {
        self.nodes.keys().map(String::as_str)
    }

    /// Whether a file can be written here; checked before the data of a push is read.
    pub(crate) fn check_writable(&self, path: &str) -> Result<(), FileError> {
        if path.len() > MAX_PATH {
            return Err(FileError::NameTooLong);
        }
        if self.is_dir(path) {
            return Err(FileError::IsDirectory);
        }
        writable(path)?;
        match self.node(parent(path)) {
            Ok(node) if node.content.is_none() => Ok(()),
            Ok(_) => Err(FileError::NotDirectory),
            Err(error) => Err(error),
        }
    }

    /// Creates or replaces a file.
    pub(crate) fn write(
        &mut self,
        path: &str,
        content: Vec<u8>,
        permissions: u32,
        now: u64,
    ) -> Result<(), FileError> {
        self.check_writable(path)?;
        let before = self.stat(path).map_or(0, |stat| usize::try_from(stat.size).unwrap_or(0));
        if self.used - before + content.len() > CAPACITY {
            return Err(FileError::NoSpace);
        }
        self.check_node_limit(path)?;
        self.insert_node(path, Some(content), permissions, now);
        Ok(())
    }

    /// Stores a package that was installed, where only the system writes.
    pub(crate) fn write_package(
        &mut self,
        path: &str,
        content: Vec<u8>,
        now: u64,
    ) -> Result<(), FileError> {
        if self.used + content.len() > CAPACITY {
            return Err(FileError::NoSpace);
        }
        self.check_node_limit(path)?;
        self.insert_node(parent(path), None, 0o755, now);
        self.insert_node(path, Some(content), 0o644, now);
        Ok(())
    }

    /// Removes a package with its folder.
    pub(crate) fn remove_package(&mut self, path: &str) {
        let folder = parent(path).to_owned();
        let below = format!("{folder}/");
        self.nodes.retain(|key, _| *key != folder && !key.starts_with(&below));
        self.recount();
    }

    /// Appends to a file, which is created if needed.
    pub(crate) fn append(&mut self, path: &str, more: &[u8], now: u64) -> Result<(), FileError> {
        self.check_writable(path)?;
        if self.used + more.len() > CAPACITY {
            return Err(FileError::NoSpace);
        }
        self.check_node_limit(path)?;
        if let Some(Node { content: Some(content), modified, .. }) = self.nodes.get_mut(path) {
            content.extend_from_slice(more);
            *modified = now;
            self.used += more.len();
        } else {
            self.insert_node(path, Some(more.to_vec()), 0o660, now);
        }
        Ok(())
    }

    /// Creates a folder; with `parents` as `mkdir -p` does.
    pub(crate) fn make_dir(
        &mut self,
        path: &str,
        parents: bool,
        now: u64,
    ) -> Result<(), FileError> {
        match self.node(path) {
            Ok(node) if parents && node.content.is_none() => return Ok(()),
            Ok(_) => return Err(FileError::Exists),
            Err(_) => {}
        }
        writable(path)?;
        if !self.nodes.contains_key(parent(path)) {
            if !parents {
                return Err(FileError::Missing);
            }
            self.make_dir(parent(path), true, now)?;
        }
        if !self.is_dir(parent(path)) {
            return Err(FileError::NotDirectory);
        }
        self.check_node_limit(path)?;
        self.insert_node(path, None, 0o770, now);
        Ok(())
    }

    /// Removes a file, or with `recursive` a folder and its content.
    pub(crate) fn remove(&mut self, path: &str, recursive: bool) -> Result<(), FileError> {
        let folder = self.node(path)?.content.is_none();
        writable(path)?;
        if folder && !recursive {
            return Err(FileError::IsDirectory);
        }
        let below = format!("{path}/");
        let gone = |key: &str| key == path || key.starts_with(&below);
        self.nodes.retain(|key, _| !gone(key));
        self.recount();
        Ok(())
    }

    /// Gives a file or folder another path, in one step. What is there already must be a file.
    pub(crate) fn rename(&mut self, from: &str, to: &str) -> Result<(), FileError> {
        let folder = self.node(from)?.content.is_none();
        writable(from)?;
        writable(to)?;
        if to == from || to.starts_with(&format!("{from}/")) {
            return Err(FileError::Invalid);
        }
        if !self.is_dir(parent(to)) {
            return Err(FileError::Missing);
        }
        match self.nodes.get(to) {
            Some(node) if folder || node.content.is_none() => return Err(FileError::Exists),
            _ => {}
        }
        let below = format!("{from}/");
        let moved: Vec<String> = self
            .nodes
            .keys()
            .filter(|key| *key == from || key.starts_with(&below))
            .cloned()
            .collect();
        for key in moved {
            if let Some(node) = self.nodes.remove(&key) {
                let new = format!("{to}{}", &key[from.len()..]);
                self.nodes.insert(new, node);
            }
        }
        self.recount();
        Ok(())
    }

    fn recount(&mut self) {
        let contents = self.nodes.values().filter_map(|node| node.content.as_ref());
        self.used = contents.map(Vec::len).sum();
    }

    fn node(&self, path: &str) -> Result<&Node, FileError> {
        if let Some(node) = self.nodes.get(path) {
            return Ok(node);
        }
        let mut above = parent(path);
        loop {
            match self.nodes.get(above) {
                Some(node) if node.content.is_some() => return Err(FileError::NotDirectory),
                Some(_) => return Err(FileError::Missing),
                None => above = parent(above),
            }
        }
    }

    fn check_node_limit(&self, path: &str) -> Result<(), FileError> {
        let there = self.nodes.contains_key(path);
        if there || self.nodes.len() < MAX_NODES { Ok(()) } else { Err(FileError::NoSpace) }
    }

    fn insert_node(&mut self, path: &str, content: Option<Vec<u8>>, permissions: u32, now: u64) {
        self.used += content.as_ref().map_or(0, Vec::len);
        let permissions = permissions & 0o777;
        let node = Node { content, permissions, modified: now, inode: self.next_inode };
        self.next_inode += 1;
        if let Some(old) = self.nodes.insert(path.to_owned(), node) {
            self.used -= old.content.as_ref().map_or(0, Vec::len);
        }
    }
}

/// An absolute path without `.`, `..`, doubled slashes and aliases of `/sdcard`.
pub(crate) fn normalize_path(from: &str, path: &str) -> String {
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

fn parent(path: &str) -> &str {
    match path.rfind('/') {
        None | Some(0) => "/",
        Some(at) => &path[..at],
    }
}

fn writable(path: &str) -> Result<(), FileError> {
    let within = |place: &str| path.strip_prefix(place).is_some_and(|rest| rest.starts_with('/'));
    if within("/sdcard") || within("/data/local/tmp") {
        Ok(())
    } else if within("/data") || within("/proc") {
        Err(FileError::Denied)
    } else {
        Err(FileError::ReadOnly)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files() -> FileSystem {
        let mut files = FileSystem { nodes: BTreeMap::new(), used: 0, next_inode: 2 };
        for folder in ["/", "/data", "/data/local", "/data/local/tmp", "/sdcard", "/system"] {
            files.insert_node(folder, None, 0o771, 0);
        }
        files
    }

    #[test]
    fn what_is_written_is_read_back_and_counted() {
        let mut files = files();
        files.write("/sdcard/a", b"one".to_vec(), 0o644, 7).unwrap();
        files.append("/sdcard/a", b"two", 8).unwrap();
        assert_eq!(files.read("/sdcard/a").unwrap(), "onetwo");
        assert_eq!(files.stat("/sdcard/a").unwrap().modified, 8);
        files.write("/sdcard/a", b"x".to_vec(), 0o644, 9).unwrap();
        assert_eq!(files.used, 1);
        files.remove("/sdcard/a", false).unwrap();
        assert_eq!(files.used, 0);
        assert_eq!(files.read("/sdcard/a"), Err(FileError::Missing));
    }

    #[test]
    fn only_two_places_can_be_written() {
        let mut files = files();
        assert_eq!(files.write("/system/a", vec![], 0, 0), Err(FileError::ReadOnly));
        assert_eq!(files.write("/data/a", vec![], 0, 0), Err(FileError::Denied));
        assert_eq!(files.write("/sdcard", vec![], 0, 0), Err(FileError::IsDirectory));
        assert_eq!(files.write("/sdcard/no/a", vec![], 0, 0), Err(FileError::Missing));
        files.write("/data/local/tmp/a", vec![], 0, 0).unwrap();
        assert_eq!(files.write("/data/local/tmp/a/b", vec![], 0, 0), Err(FileError::NotDirectory));
    }

    #[test]
    fn folders_are_made_and_removed_whole() {
        let mut files = files();
        assert_eq!(files.make_dir("/sdcard/a/b", false, 0), Err(FileError::Missing));
        files.make_dir("/sdcard/a/b", true, 0).unwrap();
        files.write("/sdcard/a/b/c", b"c".to_vec(), 0o644, 0).unwrap();
        assert_eq!(files.read("/sdcard/a/b/c").unwrap(), "c");
        let names: Vec<_> = files.list("/sdcard").unwrap().into_iter().map(|it| it.0).collect();
        assert_eq!(names, ["a"]);
        files.remove("/sdcard/a", true).unwrap();
        assert!(files.list("/sdcard").unwrap().is_empty());
    }

    #[test]
    fn the_store_is_bounded() {
        let mut files = files();
        files.write("/sdcard/a", vec![0; CAPACITY], 0o644, 0).unwrap();
        assert_eq!(files.append("/sdcard/b", b"x", 0), Err(FileError::NoSpace));
    }

    #[test]
    fn paths_are_made_absolute() {
        assert_eq!(normalize_path("/", "sdcard/./a/../b//c"), "/sdcard/b/c");
        assert_eq!(normalize_path("/sdcard", "../../.."), "/");
        assert_eq!(normalize_path("/", "/storage/emulated/0/Download"), "/sdcard/Download");
        assert_eq!(normalize_path("/", "/sdcards"), "/sdcards");
    }
}
