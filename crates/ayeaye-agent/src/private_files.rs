//! Files that only their owner may read, and that are whole or not there: what the standard library leaves to us.
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};

/// Opens a file that only its owner may read, if it has to be made.
pub(crate) fn private_file(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options.open(path)
}

/// Makes a folder that only its owner may enter. One that is there already is an error, unless its
/// parents may be made too.
pub(crate) fn private_folder(path: &Path, with_parents: bool) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(with_parents);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Puts the names in a folder on the disk. Systems other than Unix have no such call, and need none.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(path)?.sync_all() } else { Ok(()) }
}

/// A name beside `path` that no other writer uses.
fn beside(path: &Path, why: &str) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{why}-{}-{count}", process::id()));
    path.with_file_name(name)
}

/// A file that is complete or not there: written beside its place, then moved.
pub(crate) fn write_whole(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let temp = beside(path, "temp");
    let written = fill(&temp, bytes, sync).and_then(|()| fs::rename(&temp, path));
    if written.is_err() {
        // The first error is the one to report; this one could only repeat it.
        fs::remove_file(&temp).ok();
    }
    written
}

fn fill(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let mut file = private_file(OpenOptions::new().write(true).create_new(true), path)?;
    io::Write::write_all(&mut file, bytes)?;
    if sync { file.sync_all() } else { Ok(()) }
}
