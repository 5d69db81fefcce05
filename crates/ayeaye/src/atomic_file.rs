//! Replaces a file in one step: whoever reads it sees the old text or the new, and never a part.
use std::fs::{DirBuilder, Permissions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use ayeaye_agent::file_owner::{self, FileOwner, hand_over};
use ayeaye_agent::private_files::{private_options, replace_file, sync_file, sync_folder};

/// Replaces a file and keeps its permissions; one that is new can be read by its owner alone, since there
/// may be a key in it. Links are followed: the file they lead to is meant. A file that root replaces stays its owner's,
/// and one that root makes in another's folder is theirs.
pub fn replace(path: &Path, text: &str) -> io::Result<()> {
    replace_like(path, text, None)
}

/// Replaces a file, which gets the permissions and the owner of another one if one is given.
pub fn replace_like(path: &Path, text: &str, like: Option<&Path>) -> io::Result<()> {
    let path = followed(path)?;
    let like = like.unwrap_or(&path);
    let rights = std::fs::metadata(like).ok().map(|it| it.permissions());
    replace_with(&path, text, rights, FileOwner::of(like))
}

/// Replaces a file that from now on only its owner may read, whoever could before.
pub fn replace_for_owner(path: &Path, text: &str) -> io::Result<()> {
    let path = followed(path)?;
    replace_with(&path, text, None, FileOwner::of(&path))
}

fn replace_with(
    path: &Path,
    text: &str,
    rights: Option<Permissions>,
    owner: Option<FileOwner>,
) -> io::Result<()> {
    // A new file would take the place of a device such as /dev/null, for all programs.
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(io::Error::other(
            "it is a folder, a device or the like, which is not replaced: name a file",
        ));
    }
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty()).unwrap_or(Path::new("."));
    make_folder(folder)?;
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".");
    // Random letters, since the number of a process says nothing: in containers every server has the same. Only its
    // owner can read it.
    let mut builder = tempfile::Builder::new();
    let mut beside = builder
        .prefix(&name)
        .suffix(".new")
        .make_in(folder, |path| private_options().write(true).create_new(true).open(path))?;
    beside.write_all(text.as_bytes())?;
    sync_file(beside.as_file())?;
    hand_over(beside.as_file(), owner, folder)?;
    if let Some(rights) = rights {
        beside.as_file().set_permissions(rights)?;
    }
    let beside = beside.into_temp_path();
    replace_file(&beside, path)?;
    // From here on it is written, whatever becomes of it when the power fails.
    if let Err(err) = sync_folder(folder) {
        let path = path.display();
        tracing::warn!("{path} is written, but may be lost if the power fails now: {err}");
    }
    Ok(())
}

/// What to do where nothing can be written in the data folder, as a further part of the error; nothing where that is no
/// question of the folder.
pub fn way_out(err: &io::Error) -> &'static str {
    match err.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "; make its folder writable, or name another with --data-dir or AYEAYE_DATA_DIR"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "; free some disk space, or name another folder with --data-dir or AYEAYE_DATA_DIR"
        }
        _ => "",
    }
}

/// Makes a folder in which nobody else may write, whatever the umask says: what is read there is believed.
fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o755);
    file_owner::make_folder(folder, &builder)
}

/// Where a path leads, past links; also where the last link leads to nothing yet.
pub fn followed(path: &Path) -> io::Result<PathBuf> {
    const MAX_LINKS: usize = 40;
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match std::fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many links"))
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[test]
    fn a_file_is_replaced_with_the_rights_it_had() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new").join("ayeaye.toml");
        replace(&path, "log = 'info'\n").unwrap();
        assert_eq!(mode(&path), 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        replace(&path, "log = 'warn'\n").unwrap();
        assert_eq!(mode(&path), 0o640);
        let files = std::fs::read_dir(path.parent().unwrap()).unwrap().count();
        assert_eq!(files, 1, "nothing is left beside it");
        let copy = folder.path().join("copy");
        replace_like(&copy, "log = 'info'\n", Some(&path)).unwrap();
        assert_eq!(mode(&copy), 0o640);
        replace_for_owner(&path, "log = 'debug'\n").unwrap();
        assert_eq!(mode(&path), 0o600);
    }

    /// As with `sudo` and the `HOME` of a person. Only root can try: for all others everything is theirs anyway.
    #[test]
    fn what_root_writes_among_anothers_files_stays_theirs() {
        use std::os::unix::fs::{MetadataExt as _, chown};
        let home = tempfile::tempdir().unwrap();
        let settings = home.path().join("claude.json");
        std::fs::write(&settings, "{}").unwrap();
        let (mut user, mut group) = (1234, 2345);
        if chown(home.path(), Some(user), Some(group)).is_err() {
            let own = std::fs::metadata(home.path()).unwrap();
            (user, group) = (own.uid(), own.gid());
        }
        chown(&settings, Some(user), Some(group)).unwrap();
        let owner = |path: &Path| {
            let found = std::fs::metadata(path).unwrap();
            (found.uid(), found.gid())
        };
        let (new, backup) = (home.path().join("new/folder/a.toml"), home.path().join("backup"));
        replace(&settings, "{ }").unwrap();
        replace_like(&backup, "{}", Some(&settings)).unwrap();
        replace(&new, "").unwrap();
        let folder = new.parent().unwrap();
        for path in [&settings, &backup, &new, folder, folder.parent().unwrap()] {
            assert_eq!(owner(path), (user, group), "{}", path.display());
        }
        replace_for_owner(&settings, "{}").unwrap();
        assert_eq!((owner(&settings), mode(&settings)), ((user, group), 0o600));
    }

    #[test]
    fn what_a_process_of_the_same_number_has_left_hinders_nothing_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ayeaye.toml");
        let theirs = folder.path().join(format!("ayeaye.toml.{}.new", std::process::id()));
        std::fs::write(&theirs, "lo").unwrap();
        replace(&path, "log = 'info'\n").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "log = 'info'\n");
        assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "lo");
    }

    #[test]
    fn links_stay_and_what_they_lead_to_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let (real, link) = (folder.path().join("dotfiles/a.json"), folder.path().join("a.json"));
        std::os::unix::fs::symlink("dotfiles/a.json", &link).unwrap();
        replace(&link, "{}").unwrap();
        assert_eq!(std::fs::read_to_string(&real).unwrap(), "{}");
        assert!(std::fs::symlink_metadata(&link).unwrap().file_type().is_symlink());
    }

    #[test]
    fn what_is_no_file_is_not_replaced() {
        use std::os::unix::fs::FileTypeExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("socket"), folder.path().join("link"));
        let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        std::os::unix::fs::symlink("socket", &link).unwrap();
        for path in [&path, &link] {
            for write in [replace, replace_for_owner] {
                let told = write(path, "log = 'info'\n").unwrap_err().to_string();
                assert!(told.contains("name a file"), "{told}");
            }
        }
        assert!(std::fs::metadata(&path).unwrap().file_type().is_socket());
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            2,
            "nothing is left beside it"
        );
        assert!(replace(folder.path(), "").unwrap_err().to_string().contains("name a file"));
    }
}
