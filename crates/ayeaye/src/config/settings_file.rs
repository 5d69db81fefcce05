//! The text of a settings file.
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;
use std::sync::mpsc;
use std::time::Duration;

use super::error::ConfigError;
use crate::text::utf8;

/// Larger files are no settings.
const LARGEST: u64 = 1 << 20;

/// How long the other end of a pipe may take, which may ask a person for a passphrase.
const PATIENCE: Duration = Duration::from_mins(1);

/// The text of a file that must be there.
pub(super) fn read(path: &Path) -> Result<String, ConfigError> {
    text(path).map_err(|source| ConfigError::File { path: path.to_owned(), source })
}

/// The text of a file that need not be there. One that is there and cannot be read is an error: settings that somebody
/// wrote, such as a narrower policy, must not be left out in silence.
pub(super) fn read_if_there(path: &Path) -> Result<Option<String>, ConfigError> {
    match text(path) {
        Err(err) if is_absent(path, &err) => Ok(None),
        text => {
            let failed = |source| ConfigError::UsualFile { path: path.to_owned(), source };
            text.map(Some).map_err(failed)
        }
    }
}

/// Whether nothing is there, by the error of opening it. What a link leads to that leads nowhere, such as a volume that
/// is not mounted, is missing.
fn is_absent(path: &Path, err: &io::Error) -> bool {
    let nothing = [io::ErrorKind::NotFound, io::ErrorKind::NotADirectory].contains(&err.kind());
    nothing && !path.ancestors().any(|it| it.is_symlink() && !it.exists())
}

fn text(path: &Path) -> io::Result<String> {
    let may_wait = path.metadata().is_ok_and(|found| !found.is_file() && !found.is_dir());
    let bytes = if may_wait { bytes_within(PATIENCE, path)? } else { bytes(path)? };
    if LARGEST < bytes.len() as u64 {
        return Err(io::Error::other("it is larger than 1 MiB"));
    }
    utf8(bytes)
}

fn bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LARGEST + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The bytes of a pipe, such as a shell's `<(…)`. Into some nothing is ever written.
fn bytes_within(patience: Duration, path: &Path) -> io::Result<Vec<u8>> {
    let (told, read) = mpsc::sync_channel(1);
    let its = path.to_owned();
    // It may stay in the middle of its read for as long as the process lives, which is not long then.
    std::thread::spawn(move || drop(told.send(bytes(&its))));
    let waited = |_| {
        let text =
            format!("it is a pipe, and its end did not come within {} s", patience.as_secs());
        io::Error::new(io::ErrorKind::TimedOut, text)
    };
    read.recv_timeout(patience).map_err(waited)?
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::super::{Config, Environment};
    use super::*;

    #[test]
    fn a_line_that_is_no_text_is_named() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("ayeaye.toml");
        for (bytes, line) in
            [(&b"log = 'info'\n# caf\xe9\n"[..], "line 2"), (b"\xff\xfel\0", "line 1")]
        {
            std::fs::write(&file, bytes).unwrap();
            let told = text(&file).unwrap_err().to_string();
            assert!(told.starts_with(line) && told.contains("UTF-8"), "{told}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_pipe_is_read_to_its_end_and_not_waited_for_without_one() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let home = tempfile::tempdir().unwrap();
        let pipe = home.path().join("pipe");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let told = bytes_within(Duration::from_millis(10), &pipe).unwrap_err();
        assert_eq!(told.kind(), io::ErrorKind::TimedOut, "{told}");
        let pipe = home.path().join("other");
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        let its = pipe.clone();
        let writer = std::thread::spawn(move || std::fs::write(its, "log = 'info'").unwrap());
        assert_eq!(text(&pipe).unwrap(), "log = 'info'");
        writer.join().unwrap();
    }

    #[test]
    fn settings_that_cannot_be_reached_are_not_left_out() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().to_str().unwrap();
        let environment = Environment::of([("HOME", folder), ("XDG_CONFIG_HOME", folder)]);
        let load = || Config::load(&[], None, &environment);
        assert_eq!(load().unwrap().file, None);
        let file = load().unwrap().default_file.unwrap();
        let folder = file.parent().unwrap();
        let refused = |what: &str| match load() {
            Err(ConfigError::UsualFile { path, .. }) => assert_eq!(path, file, "{what}"),
            other => panic!("{what}: {other:?}"),
        };
        std::fs::create_dir_all(folder).unwrap();
        for (what, to) in [("nothing there", "gone.toml"), ("a circle", "ayeaye.toml")] {
            symlink(to, &file).unwrap();
            refused(what);
            std::fs::remove_file(&file).unwrap();
        }
        std::fs::remove_dir(folder).unwrap();
        symlink("gone", folder).unwrap();
        refused("a folder that is a link to nothing");
        std::fs::remove_file(folder).unwrap();
        std::fs::create_dir(folder).unwrap();
        std::fs::create_dir(&file).unwrap();
        let told = load().unwrap_err().to_string();
        assert!(told.contains("--config") && told.contains("an empty file is enough"), "{told}");
        let told = Config::load(&[], Some(&file), &environment).unwrap_err().to_string();
        assert!(!told.contains("--config"), "this one was named: {told}");
        let empty = [("HOME", home.path().to_str().unwrap()), ("AYEAYE_CONFIG", "/dev/null")];
        assert!(Config::load(&[], None, &Environment::of(empty)).is_ok());
        std::fs::remove_dir_all(folder).unwrap();
        // There is no file in something that is not a folder.
        std::fs::write(folder, "").unwrap();
        assert_eq!(load().unwrap().file, None);
    }
}
