//! Files and folders that only their owner can read: what comes from a phone is nobody else's.
use std::fs::{DirBuilder, OpenOptions};
use std::io;
use std::path::Path;

/// Makes a folder, with those above it, unless it is there.
pub(crate) fn make_folder(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// For a file that is written.
pub(crate) fn to_write() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn nobody_else_may_read_what_is_made() {
        let home = tempfile::tempdir().unwrap();
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let (folder, file) = (home.path().join("data/files"), home.path().join("data/files/a"));
        make_folder(&folder).unwrap();
        to_write().create_new(true).open(&file).unwrap();
        assert_eq!(
            (mode(folder.parent().unwrap()), mode(&folder), mode(&file)),
            (0o700, 0o700, 0o600)
        );
    }
}
