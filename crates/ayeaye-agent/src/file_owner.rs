//! Whose files are that root makes among another's, as with `sudo` and the `HOME` of a person: without this the person
//! could not read their own settings afterwards.
use std::fs::{DirBuilder, File};
use std::io;
use std::path::Path;

/// A user and a group, by their numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileOwner {
    user: u32,
    group: u32,
}

const ROOT: u32 = 0;

impl FileOwner {
    /// Whose a file or folder is; `None` where there is none, and where files have no such owners.
    pub fn of(path: &Path) -> Option<Self> {
        Self::in_metadata(&std::fs::metadata(path).ok()?)
    }

    #[cfg(unix)]
    #[expect(clippy::unnecessary_wraps, reason = "elsewhere there is none")]
    fn in_metadata(found: &std::fs::Metadata) -> Option<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Some(Self { user: found.uid(), group: found.gid() })
    }

    #[cfg(not(unix))]
    fn in_metadata(_: &std::fs::Metadata) -> Option<Self> {
        None
    }
}

/// To whom goes what was made just now: to the owner of the file that it takes the place of, else to that of the
/// folder it is in. `None` where it stays with who has made it: nobody but root can give files away.
fn rightful_owner(
    made: FileOwner,
    replaced: Option<FileOwner>,
    folder: Option<FileOwner>,
) -> Option<FileOwner> {
    let rightful_owner = replaced.or(folder.filter(|folder| folder.user != ROOT))?;
    (made.user == ROOT && rightful_owner != made).then_some(rightful_owner)
}

/// Gives a file that root has made just now to whom it should belong.
///
/// # Errors
///
/// If it takes the place of another user's file and cannot be given to them, as in a container without that right.
pub fn hand_over(made: &File, replaced: Option<FileOwner>, folder: &Path) -> io::Result<()> {
    let owner = made.metadata().ok().as_ref().and_then(FileOwner::in_metadata);
    let Some(rightful_owner) =
        owner.and_then(|owner| rightful_owner(owner, replaced, FileOwner::of(folder)))
    else {
        return Ok(());
    };
    match give(made, rightful_owner) {
        Err(err) if replaced.is_some_and(|it| it.user != ROOT) => Err(io::Error::new(
            err.kind(),
            format!(
                "it belongs to the user {}, and could not be left to them ({err}): run this as that user",
                rightful_owner.user
            ),
        )),
        // What is new is nobody's loss.
        _ => Ok(()),
    }
}

/// Makes a folder. Those that root makes in another's folder go to its owner, with the parents that are made.
///
/// # Errors
///
/// Of the folder.
pub fn make_folder(path: &Path, builder: &DirBuilder) -> io::Result<()> {
    let is_missing = |it: &&Path| !it.as_os_str().is_empty() && !it.exists();
    let missing: Vec<&Path> = path.ancestors().take_while(is_missing).collect();
    builder.create(path)?;
    for folder in missing.into_iter().rev() {
        let parent = folder.parent().filter(|it| !it.as_os_str().is_empty());
        // Its owner may have moved it away already: that is no failure of ours.
        if let Ok(made) = open_folder(folder) {
            hand_over(&made, None, parent.unwrap_or(Path::new(".")))?;
        }
    }
    Ok(())
}

/// A folder, and no link: the owner of the folder around it could have put one there, to be given what it leads to.
#[cfg(unix)]
fn open_folder(path: &Path) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::DIRECTORY;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

#[cfg(not(unix))]
fn open_folder(_: &Path) -> io::Result<File> {
    Err(io::ErrorKind::Unsupported.into())
}

#[cfg(unix)]
fn give(file: &File, FileOwner { user, group }: FileOwner) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let permissions = file.metadata()?.permissions();
    std::os::unix::fs::fchown(file, Some(user), Some(group))?;
    // The system takes some of them away with the owner.
    if file.metadata()?.permissions().mode() == permissions.mode() {
        return Ok(());
    }
    file.set_permissions(permissions)
}

#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "on Unix it can fail")]
fn give(_: &File, _: FileOwner) -> io::Result<()> {
    Ok(())
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, chown};

    use super::*;

    const ANNA: FileOwner = FileOwner { user: 1000, group: 1000 };
    const BEN: FileOwner = FileOwner { user: 1001, group: 100 };
    const SYSTEM: FileOwner = FileOwner { user: ROOT, group: 0 };

    #[test]
    fn what_root_makes_goes_to_whom_it_was_or_to_whom_the_folder_is() {
        assert_eq!(rightful_owner(SYSTEM, Some(ANNA), Some(ANNA)), Some(ANNA));
        assert_eq!(rightful_owner(SYSTEM, Some(ANNA), Some(SYSTEM)), Some(ANNA));
        assert_eq!(rightful_owner(SYSTEM, Some(BEN), Some(ANNA)), Some(BEN));
        assert_eq!(rightful_owner(SYSTEM, None, Some(ANNA)), Some(ANNA));
        // A file of root in another's folder stays root's, and its group stays too.
        assert_eq!(rightful_owner(SYSTEM, Some(SYSTEM), Some(ANNA)), None);
        let of_a_group = FileOwner { user: ROOT, group: 7 };
        assert_eq!(rightful_owner(SYSTEM, Some(of_a_group), Some(ANNA)), Some(of_a_group));
        for folder in [None, Some(SYSTEM), Some(of_a_group)] {
            assert_eq!(rightful_owner(SYSTEM, None, folder), None);
        }
        // Others can give nothing away.
        assert_eq!(rightful_owner(ANNA, Some(BEN), Some(BEN)), None);
    }

    /// A folder of another user. Only root can make one: for all others everything stays theirs.
    fn anothers() -> (tempfile::TempDir, (u32, u32)) {
        let home = tempfile::tempdir().expect("a folder");
        let expected = if chown(home.path(), Some(1234), Some(2345)).is_ok() {
            (1234, 2345)
        } else {
            let own = std::fs::metadata(home.path()).expect("it is there");
            (own.uid(), own.gid())
        };
        (home, expected)
    }

    fn owner(path: &Path) -> (u32, u32) {
        let found = std::fs::symlink_metadata(path).expect("it is there");
        (found.uid(), found.gid())
    }

    #[test]
    fn folders_and_files_in_anothers_folder_are_theirs() {
        let (home, expected) = anothers();
        let folder = home.path().join("a/b");
        let mut builder = DirBuilder::new();
        builder.recursive(true).mode(0o700);
        make_folder(&folder, &builder).unwrap();
        make_folder(&folder, &builder).unwrap();
        assert_eq!((owner(folder.parent().unwrap()), owner(&folder)), (expected, expected));
        let path = folder.join("file");
        let file = File::create(&path).unwrap();
        hand_over(&file, None, &folder).unwrap();
        assert_eq!(owner(&path), expected);
        assert_eq!(std::fs::metadata(&folder).unwrap().mode() & 0o777, 0o700);
    }

    #[test]
    fn no_folder_is_opened_through_a_link() {
        let home = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc", home.path().join("link")).unwrap();
        assert!(open_folder(&home.path().join("link")).is_err());
        assert!(open_folder(home.path()).is_ok());
    }
}
