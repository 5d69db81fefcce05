//! Files that only their owner may read, and that are whole or not there: what the standard library leaves to us.
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use uuid::Uuid;

use crate::bounded_file::open_file;
use crate::file_owner::{FileOwner, hand_over, make_folder};

/// How long others may take to look at a lock, on a machine that is busy.
const LONGEST_LOOK: Duration = Duration::from_millis(500);

/// How long whoever waits for a lock waits before it tries again. They are held for milliseconds.
const LOCK_RETRY: Duration = Duration::from_millis(3);

/// Options for a file that only its owner may read, if it has to be made. On Windows the user's folders are
/// closed to others already.
pub fn private_options() -> OpenOptions {
    #[cfg_attr(not(unix), expect(unused_mut, reason = "only Unix has a mode to set"))]
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Makes a file that only its owner may read, and opens it with these options. One that is there already is an error.
/// What root makes in another's folder is theirs.
pub fn make_private_file(path: &Path, options: &OpenOptions) -> io::Result<File> {
    let made = options.clone().create_new(true).open(path)?;
    hand_over(&made, None, folder_of(path))?;
    Ok(made)
}

/// Opens a file with these options that only its owner may read. One that is there already is opened as it is: whose it
/// is does not change.
pub fn open_private_file(path: &Path, options: &OpenOptions) -> io::Result<File> {
    match make_private_file(path, options) {
        Err(err) if err.kind() == ErrorKind::AlreadyExists => {
            options.clone().create(true).truncate(false).open(path)
        }
        made => made,
    }
}

/// Makes a folder that only its owner may enter. One that is there already is an error, unless its
/// parents may be made too. What root makes in another's folder is theirs.
pub fn private_folder(path: &Path, with_parents: bool) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(with_parents);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    make_folder(path, &builder)
}

/// Puts a file in the place of another one, or where none is.
///
/// # Errors
///
/// Of the file. On Windows one that another program has open for a moment, as search and virus scanners do with all
/// that is new, is waited for.
pub fn replace_file(new: &Path, path: &Path) -> io::Result<()> {
    patiently(|| fs::rename(new, path))
}

/// Removes a file.
///
/// # Errors
///
/// Of the file. On Windows one that another program has open for a moment is waited for.
pub fn remove_file(path: &Path) -> io::Result<()> {
    patiently(|| fs::remove_file(path))
}

/// Removes a folder with all that is in it.
///
/// # Errors
///
/// Of the folder. On Windows a file in it that another program has open for a moment is waited for.
pub fn remove_folder(path: &Path) -> io::Result<()> {
    patiently(|| fs::remove_dir_all(path))
}

/// Tries again while another program has a file open.
#[cfg(windows)]
fn patiently<T>(attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    /// Access denied, sharing violation, lock violation.
    const HELD_OPEN: [i32; 3] = [5, 32, 33];
    const LONGEST: Duration = Duration::from_secs(2);
    let is_held = |err: &io::Error| err.raw_os_error().is_some_and(|it| HELD_OPEN.contains(&it));
    let deadline = Instant::now() + LONGEST;
    let mut pause = Duration::from_millis(1);
    loop {
        match attempt() {
            Err(err) if is_held(&err) && Instant::now() < deadline => {}
            tried => return tried,
        }
        #[expect(
            clippy::disallowed_methods,
            reason = "a thread that works on files waits, and there is no event to wait for"
        )]
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(50));
    }
}

/// Other systems replace and remove what is open.
#[cfg(not(windows))]
fn patiently<T>(attempt: impl Fn() -> io::Result<T>) -> io::Result<T> {
    attempt()
}

/// Puts a file on the disk.
pub fn sync_file(file: &File) -> io::Result<()> {
    or_without_flush(file.sync_all(), file)
}

/// Puts what is in a file on the disk, without what the system notes of it, such as its times.
pub fn sync_data(file: &File) -> io::Result<()> {
    or_without_flush(file.sync_data(), file)
}

/// On Apple's systems the standard library also flushes the drive's cache (`F_FULLFSYNC`), which shares of a network do
/// not know: there it has to be without.
#[cfg(target_vendor = "apple")]
fn or_without_flush(synced: io::Result<()>, file: &File) -> io::Result<()> {
    /// `ENOTTY`, `ENOTSUP`.
    const NO_SUCH_CALL: [i32; 2] = [25, 45];
    match synced {
        Err(err) if err.raw_os_error().is_some_and(|it| NO_SUCH_CALL.contains(&it)) => {
            Ok(rustix::fs::fsync(file)?)
        }
        synced => synced,
    }
}

#[cfg(not(target_vendor = "apple"))]
fn or_without_flush(synced: io::Result<()>, _file: &File) -> io::Result<()> {
    synced
}

/// Puts the names in a folder on the disk. Systems other than Unix have no such call, and need none; nor have some
/// file systems.
pub fn sync_folder(path: &Path) -> io::Result<()> {
    if cfg!(not(unix)) {
        return Ok(());
    }
    match sync_file(&File::open(path)?) {
        Err(err) if matches!(err.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported) => {
            Ok(())
        }
        synced => synced,
    }
}

/// Takes the lock of a file for this process alone. Whoever looks whether it [is locked](is_locked) shares it for a
/// moment, which is waited for. It has to be open for reading, without which some file systems share no lock.
pub(crate) fn try_lock(file: &File) -> Result<(), TryLockError> {
    let deadline = Instant::now() + LONGEST_LOOK;
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => {}
            tried => return tried,
        }
        // Only who has it alone keeps others from sharing it.
        file.try_lock_shared()?;
        file.unlock().map_err(TryLockError::Error)?;
        thread::yield_now();
    }
}

/// Waits until nobody else has the lock of this file, of this process or another one; nobody has it until what is
/// returned is dropped, or its process ends. The file is made where it is not there, with its folder. No thread waits:
/// one could not be called back. Not for a file that is replaced itself: a new one takes its place.
///
/// # Errors
///
/// Of the file, or [`ErrorKind::TimedOut`] where somebody has it for longer than that.
pub async fn lock_within(path: &Path, patience: Duration) -> io::Result<File> {
    let deadline = tokio::time::Instant::now() + patience;
    loop {
        let path = path.to_owned();
        let trying = tokio::task::spawn_blocking(move || lock_if_free(&path));
        if let Some(locked) = trying.await.map_err(io::Error::other)?? {
            return Ok(locked);
        }
        if deadline <= tokio::time::Instant::now() {
            let why = "another ayeaye process holds it, and does not go on: end it";
            return Err(io::Error::new(ErrorKind::TimedOut, why));
        }
        tokio::time::sleep(LOCK_RETRY).await;
    }
}

fn lock_if_free(path: &Path) -> io::Result<Option<File>> {
    if let Some(folder) = path.parent() {
        private_folder(folder, true)?;
    }
    // Open for reading too, a pipe is not waited for.
    let file = open_private_file(path, private_options().read(true).write(true))?;
    match file.try_lock() {
        Ok(()) => Ok(Some(file)),
        Err(TryLockError::WouldBlock) => Ok(None),
        Err(TryLockError::Error(err)) => Err(err),
    }
}

/// Whether somebody holds the lock of a file. Only reading is asked for, and nothing is made.
pub(crate) fn is_locked(path: &Path) -> io::Result<bool> {
    let file = match open_file(path) {
        Ok(file) => file,
        Err(err) if err.kind() == ErrorKind::NotFound => return Ok(false),
        Err(err) => return Err(err),
    };
    match file.try_lock_shared() {
        Ok(()) => Ok(false),
        Err(TryLockError::WouldBlock) => Ok(true),
        Err(TryLockError::Error(err)) => Err(err),
    }
}

/// A name beside `path` that no other writer uses or has left. The number of a process says nothing: in containers
/// every server has the same.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".temp-{}", Uuid::new_v4().simple()));
    path.with_file_name(name)
}

/// A file that is complete or not there: written beside its place, then moved. With `sync` it is on the disk
/// when this returns.
pub fn write_whole(path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let temp = beside(path);
    let written = fill(&temp, path, bytes, sync).and_then(|()| replace_file(&temp, path));
    if written.is_err() {
        // The first error is the one to report; this one could only repeat it.
        remove_file(&temp).ok();
    }
    written?;
    if sync { sync_folder(folder_of(path)) } else { Ok(()) }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn fill(temp: &Path, path: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let mut file = private_options().write(true).create_new(true).open(temp)?;
    // These are files of our own: what cannot be given away is no reason to lose them.
    drop(hand_over(&file, FileOwner::of(path), folder_of(path)));
    io::Write::write_all(&mut file, bytes)?;
    if sync { sync_file(&file) } else { Ok(()) }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn who_looks_at_a_lock_is_in_nobodys_way() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("lock");
        let file = || private_options().read(true).write(true).create(true).open(&path).unwrap();
        file();
        let stop = std::sync::atomic::AtomicBool::new(false);
        let stopped = || stop.load(std::sync::atomic::Ordering::Relaxed);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !stopped() {
                    is_locked(&path).unwrap();
                }
            });
            let taken: Vec<_> = (0..2000).map(|_| try_lock(&file())).collect();
            stop.store(true, std::sync::atomic::Ordering::Relaxed);
            assert!(taken.iter().all(Result::is_ok), "{:?}", taken.iter().find(|it| it.is_err()));
        });
        let held = file();
        try_lock(&held).unwrap();
        assert!(matches!(try_lock(&file()), Err(TryLockError::WouldBlock)));
    }

    #[test]
    fn nobody_else_may_read_what_is_made() {
        let home = tempfile::tempdir().unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (folder, file) = (home.path().join("data/files"), home.path().join("data/files/a"));
        private_folder(&folder, true).unwrap();
        write_whole(&file, b"1", false).unwrap();
        write_whole(&file, b"2", true).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"2");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing is left beside it");
        let made = (mode(folder.parent().unwrap()), mode(&folder), mode(&file));
        assert_eq!(made, (0o700, 0o700, 0o600));
    }

    #[test]
    fn what_a_process_of_the_same_number_has_left_hinders_nothing_and_stays() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("a");
        let theirs =
            (0..1000).map(|n| home.path().join(format!("a.temp-{}-{n}", std::process::id())));
        let theirs: Vec<_> = theirs.collect();
        for theirs in &theirs {
            fs::write(theirs, b"half").unwrap();
        }
        write_whole(&file, b"1", true).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"1");
        assert!(theirs.iter().all(|it| fs::read(it).is_ok_and(|it| it == b"half")));
    }
}
