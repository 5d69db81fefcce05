//! Files that others wrote, read within a bound.
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

/// A file, to be read. Nothing else is: a pipe would be waited for, for ever, and a device may have no end.
///
/// # Errors
///
/// Of the file, or that it is none.
pub fn open_file(path: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    Ok(file)
}

/// A file of at most so many bytes.
///
/// # Errors
///
/// Of the file, that it is none, or that it is longer.
pub fn bounded_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_file(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;

    #[test]
    fn a_pipe_is_refused_and_not_waited_for() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert_eq!(open_file(&path).unwrap_err().to_string(), "it is no file");
        assert_eq!(bounded_file(&path, 10).unwrap_err().to_string(), "it is no file");
        std::fs::write(home.path().join("file"), "text").unwrap();
        assert_eq!(bounded_file(&home.path().join("file"), 4).unwrap(), b"text");
        assert!(bounded_file(&home.path().join("file"), 3).is_err());
    }
}
