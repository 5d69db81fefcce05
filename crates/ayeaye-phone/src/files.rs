//! An in-memory file system, for `adb push`, `adb pull` and the shell.
//!
//! `/sdcard` and `/data/local/tmp` are writable, as on a real phone; the rest is read-only. The total
//! size is bounded, so that a client cannot fill the host's memory.
mod error;
mod path;
mod programs;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use bytes::{Bytes, BytesMut};

pub(crate) use self::error::FileError;
use self::path::{check_length, parent, writable};
pub(crate) use self::path::{file_name, normalize_path};
pub(crate) use self::programs::PROGRAMS;
use crate::options::PhoneOptions;

/// Most bytes of all files together, with their paths.
pub(crate) const CAPACITY: usize = 128 << 20;
/// Most files and folders.
const MAX_NODES: usize = 20_000;

/// `S_IFDIR` and `S_IFREG` of a Unix mode.
pub(crate) const DIRECTORY: u32 = 0o040_000;
pub(crate) const REGULAR: u32 = 0o100_000;

/// What Android gives every file of the shared storage.
const SHARED: u32 = 0o660;

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
    content: Option<Bytes>,
    permissions: u32,
    modified: u64,
    inode: u64,
}

impl Node {
    /// What it takes of the capacity. Its path counts, since folders are made of nothing else.
    fn size(&self, path: &str) -> usize {
        path.len() + self.content.as_ref().map_or(0, Bytes::len)
    }
}

/// All files of one phone.
#[derive(Debug)]
pub(crate) struct FileSystem {
    /// By absolute path, without a slash at the end (the root is "/").
    nodes: BTreeMap<String, Node>,
    /// The bytes of all nodes.
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
        for program in PROGRAMS {
            let path = format!("/system/bin/{program}");
            files.insert_node(&path, Some(b"\x7fELF".to_vec()), 0o755, now);
        }
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

    /// The bytes of all files together, with their paths.
    pub(crate) fn used(&self) -> usize {
        self.used
    }

    pub(crate) fn is_dir(&self, path: &str) -> bool {
        self.stat(path).is_ok_and(|stat| stat.is_dir())
    }

    /// A file's content as it is now; nothing is copied.
    pub(crate) fn read(&self, path: &str) -> Result<Bytes, FileError> {
        self.node(path)?.content.clone().ok_or(FileError::IsDirectory)
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
        check_length(path)?;
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

    /// Whether what is there can be changed: a file written, a folder filled.
    pub(crate) fn is_writable(&self, path: &str) -> bool {
        let inside = if self.is_dir(path) { format!("{path}/.") } else { path.to_owned() };
        writable(&inside).is_ok()
    }

    /// The path of a file that is to be written. With a slash at its end a name is no file's.
    pub(crate) fn path_to_write(&self, from: &str, name: &str) -> Result<String, FileError> {
        let path = normalize_path(from, name);
        if name.ends_with("/.") && !self.stat(&path)?.is_dir() {
            return Err(FileError::NotDirectory);
        }
        if name.ends_with('/') && !self.is_dir(&path) {
            self.check_writable(&path)?;
            return Err(FileError::IsDirectory);
        }
        Ok(path)
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
        self.check_room(path, content.len())?;
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
        check_length(path)?;
        self.check_room(path, content.len())?;
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
        let there = self.nodes.get(path).and_then(|node| node.content.as_ref());
        self.check_room(path, there.map_or(0, Bytes::len) + more.len())?;
        if let Some(Node { content: Some(content), modified, .. }) = self.nodes.get_mut(path) {
            // Grows in place, unless somebody still reads the content as it was.
            let mut grown = BytesMut::from(std::mem::take(content));
            grown.extend_from_slice(more);
            *content = grown.freeze();
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
            Err(FileError::NameTooLong) => return Err(FileError::NameTooLong),
            Err(_) => {}
        }
        writable(path)?;
        let mut missing = vec![path];
        let mut above = parent(path);
        while !self.nodes.contains_key(above) {
            missing.push(above);
            above = parent(above);
        }
        if missing.len() > 1 && !parents {
            return Err(FileError::Missing);
        }
        if !self.is_dir(above) {
            return Err(FileError::NotDirectory);
        }
        for folder in missing.into_iter().rev() {
            self.check_room(folder, 0)?;
            self.insert_node(folder, None, 0o770, now);
        }
        Ok(())
    }

    /// Gives a file or folder other permissions. Those of the shared storage take none, and do not say so.
    pub(crate) fn set_permissions(
        &mut self,
        path: &str,
        permissions: u32,
    ) -> Result<(), FileError> {
        self.node(path)?;
        writable(path)?;
        if let Some(node) = self.nodes.get_mut(path)
            && !path.starts_with("/sdcard/")
        {
            node.permissions = permissions;
        }
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

    /// Removes a folder in which nothing is.
    pub(crate) fn remove_empty_dir(&mut self, path: &str) -> Result<(), FileError> {
        let is_empty = self.list(path)?.is_empty();
        writable(path)?;
        if is_empty { self.remove(path, true) } else { Err(FileError::NotEmpty) }
    }

    /// Gives a file or folder another path, in one step. What is there already must be a file.
    pub(crate) fn rename(&mut self, from: &str, to: &str) -> Result<(), FileError> {
        let folder = self.node(from)?.content.is_none();
        writable(from)?;
        writable(to)?;
        if to == from || to.starts_with(&format!("{from}/")) {
            return Err(FileError::Invalid);
        }
        check_length(to)?;
        if !self.is_dir(parent(to)) {
            return Err(FileError::Missing);
        }
        match self.nodes.get(to) {
            Some(node) if folder || node.content.is_none() => return Err(FileError::Exists),
            _ => {}
        }
        let below = format!("{from}/");
        let moved: Vec<(String, String)> = self
            .nodes
            .keys()
            .filter(|key| *key == from || key.starts_with(&below))
            .map(|key| (key.clone(), format!("{to}{}", &key[from.len()..])))
            .collect();
        for (_, new) in &moved {
            check_length(new)?;
        }
        let longer = moved.len() * to.len().saturating_sub(from.len());
        if self.used + longer > CAPACITY {
            return Err(FileError::NoSpace);
        }
        for (old, new) in moved {
            if let Some(node) = self.nodes.remove(&old) {
                self.nodes.insert(new, node);
            }
        }
        self.recount();
        Ok(())
    }

    fn recount(&mut self) {
        self.used = self.nodes.iter().map(|(path, node)| node.size(path)).sum();
    }

    fn node(&self, path: &str) -> Result<&Node, FileError> {
        if let Some(node) = self.nodes.get(path) {
            return Ok(node);
        }
        check_length(path)?;
        let mut above = parent(path);
        loop {
            match self.nodes.get(above) {
                Some(node) if node.content.is_some() => return Err(FileError::NotDirectory),
                Some(_) => return Err(FileError::Missing),
                None => above = parent(above),
            }
        }
    }

    /// Whether a node of so many bytes can take this place.
    pub(crate) fn check_room(&self, path: &str, content: usize) -> Result<(), FileError> {
        let there = self.nodes.get(path);
        let before = there.map_or(0, |node| node.size(path));
        let fits = self.used - before + path.len() + content <= CAPACITY;
        if fits && (there.is_some() || self.nodes.len() < MAX_NODES) {
            Ok(())
        } else {
            Err(FileError::NoSpace)
        }
    }

    fn insert_node(&mut self, path: &str, content: Option<Vec<u8>>, permissions: u32, now: u64) {
        // Whoever writes it, and whatever they ask for.
        let is_shared = content.is_some() && path.starts_with("/sdcard/");
        let permissions = if is_shared { SHARED } else { permissions & 0o777 };
        let content = content.map(Bytes::from);
        let node = Node { content, permissions, modified: now, inode: self.next_inode };
        self.next_inode += 1;
        self.used += node.size(path);
        if let Some(old) = self.nodes.insert(path.to_owned(), node) {
            self.used -= old.size(path);
        }
    }
}
