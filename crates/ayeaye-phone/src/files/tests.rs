//! What can be stored where, and how much of it.
use super::*;
use crate::files::path::{MAX_FILE_NAME, MAX_PATH};

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
    let empty = files.used;
    files.write("/sdcard/a", b"one".to_vec(), 0o644, 7).unwrap();
    files.append("/sdcard/a", b"two", 8).unwrap();
    assert_eq!(files.read("/sdcard/a").unwrap(), "onetwo");
    assert_eq!(files.stat("/sdcard/a").unwrap().modified, 8);
    files.write("/sdcard/a", b"x".to_vec(), 0o644, 9).unwrap();
    assert_eq!(files.used, empty + "/sdcard/a".len() + 1);
    files.remove("/sdcard/a", false).unwrap();
    assert_eq!(files.used, empty);
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
    let left = CAPACITY - files.used - "/sdcard/a".len();
    assert_eq!(files.write("/sdcard/a", vec![0; left + 1], 0, 0), Err(FileError::NoSpace));
    files.write("/sdcard/a", vec![0; left], 0o644, 0).unwrap();
    assert_eq!(files.append("/sdcard/b", b"x", 0), Err(FileError::NoSpace));
    // A folder takes its path, a longer name more of it.
    assert_eq!(files.make_dir("/sdcard/b", false, 0), Err(FileError::NoSpace));
    assert_eq!(files.rename("/sdcard/a", "/sdcard/ab"), Err(FileError::NoSpace));
    files.rename("/sdcard/a", "/sdcard/b").unwrap();
}

#[test]
fn a_path_is_as_long_as_linux_allows() {
    let mut files = files();
    let deep = format!("/sdcard/{}", "a/".repeat(30_000)).trim_end_matches('/').to_owned();
    assert_eq!(files.make_dir(&deep, true, 0), Err(FileError::NameTooLong));
    assert_eq!(files.stat(&deep), Err(FileError::NameTooLong));
    assert!(files.list("/sdcard").unwrap().is_empty());
    let deepest = &deep[..MAX_PATH - 1];
    files.make_dir(deepest, true, 0).unwrap();
    assert!(files.is_dir(deepest));
    files.make_dir("/sdcard/long", false, 0).unwrap();
    assert_eq!(files.rename("/sdcard/a", "/sdcard/long/a"), Err(FileError::NameTooLong));
    assert!(files.is_dir(deepest));

    let name = "n".repeat(MAX_FILE_NAME + 1);
    let path = format!("/sdcard/{name}");
    assert_eq!(files.make_dir(&path, false, 0), Err(FileError::NameTooLong));
    assert_eq!(files.write(&path, vec![], 0, 0), Err(FileError::NameTooLong));
    assert_eq!(files.rename("/sdcard/long", &path), Err(FileError::NameTooLong));
    files.rename("/sdcard/long", &path[..path.len() - 1]).unwrap();
}

#[test]
fn what_was_read_stays_as_it_was() {
    let mut files = files();
    files.append("/sdcard/a", b"one", 0).unwrap();
    let before = files.read("/sdcard/a").unwrap();
    files.append("/sdcard/a", b"two", 0).unwrap();
    assert_eq!((before, files.read("/sdcard/a").unwrap()), ("one".into(), "onetwo".into()));
}

#[test]
fn paths_are_made_absolute() {
    assert_eq!(normalize_path("/", "sdcard/./a/../b//c"), "/sdcard/b/c");
    assert_eq!(normalize_path("/sdcard", "../../.."), "/");
    assert_eq!(normalize_path("/", "/storage/emulated/0/Download"), "/sdcard/Download");
    assert_eq!(normalize_path("/", "/sdcards"), "/sdcards");
    assert_eq!(normalize_path("/sdcard", ""), "");
}

#[test]
fn files_of_the_shared_storage_have_its_mode_and_others_their_own() {
    let mut files = files();
    for (path, expected) in [("/sdcard/a.sh", 0o660), ("/data/local/tmp/a.sh", 0o755)] {
        files.write(path, b"x".to_vec(), 0o755, 7).unwrap();
        assert_eq!(files.stat(path).unwrap().mode, REGULAR | expected, "{path}");
    }
}

#[test]
fn no_file_has_an_empty_path() {
    let mut files = files();
    files.write("/sdcard/a", b"a".to_vec(), 0o644, 0).unwrap();
    assert_eq!(files.stat(""), Err(FileError::Missing));
    assert_eq!(files.remove("", true), Err(FileError::Missing));
    assert_eq!(files.make_dir("", true, 0), Err(FileError::Missing));
    assert_eq!(files.write("", vec![], 0, 0), Err(FileError::Missing));
    assert_eq!(files.append("", b"x", 0), Err(FileError::Missing));
    assert_eq!(files.rename("/sdcard/a", ""), Err(FileError::Missing));
    assert_eq!(files.rename("", "/sdcard/b"), Err(FileError::Missing));
}
