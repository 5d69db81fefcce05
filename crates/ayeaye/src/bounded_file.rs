//! Files that others wrote, read within a bound.
use std::io::{self, Read as _};
use std::path::Path;

/// A file of at most so many bytes. What is no file is not opened: a pipe would wait for ever.
pub(crate) fn bounded_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::other(format!("it is longer than {most} bytes")));
    }
    Ok(bytes)
}
