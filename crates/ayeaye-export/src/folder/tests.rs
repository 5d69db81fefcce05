//! Folders that were left at any point, and folders that somebody has been at.
use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::sample::{NoBlobs, tree};

/// An operation that can be had twice.
#[derive(Debug, Clone)]
enum Op {
    Append(u8, Vec<u8>),
    Element(u8, String),
    Write(u8, String),
    Replace(u8, String),
}

impl Op {
    fn op(&self, number: usize) -> FileOp {
        match self {
            Self::Append(file, bytes) => {
                FileOp::Append { path: format!("a/lines{file}.log"), bytes: bytes.clone() }
            }
            Self::Element(file, text) => FileOp::Element {
                path: format!("array{file}.json"),
                json: serde_json::to_vec(text).expect("a text is JSON"),
            },
            // Each is written once: a name of its own.
            Self::Write(file, text) => FileOp::Write {
                path: format!("b/c{file}/once{number}.txt"),
                content: Content::Bytes(text.clone().into_bytes()),
            },
            Self::Replace(file, text) => {
                let text = text.clone().into_bytes();
                FileOp::Replace {
                    path: format!("last{file}.txt"),
                    content: Content::lazy(move |_| Some(text)),
                }
            }
        }
    }
}

fn op() -> impl Strategy<Value = Op> {
    prop_oneof![
        (0..2_u8, proptest::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(file, bytes)| Op::Append(file, bytes)),
        (0..2_u8, "[a-z\n\\]]{0,8}").prop_map(|(file, text)| Op::Element(file, text)),
        (0..3_u8, "[a-z]{0,8}").prop_map(|(file, text)| Op::Write(file, text)),
        (0..2_u8, "[a-z]{0,8}").prop_map(|(file, text)| Op::Replace(file, text)),
    ]
}

fn all(root: &Path, ops: &[Op]) -> Result<(), FolderError> {
    let mut folder = Folder::new(root, "w", false)?;
    for (number, op) in ops.iter().enumerate() {
        folder.apply(op.op(number), &NoBlobs)?;
    }
    folder.flush(&NoBlobs)?;
    folder.check_lengths()
}

/// As a projector does: once more from nothing when it is out of step.
fn all_or_anew(root: &Path, ops: &[Op]) {
    match all(root, ops) {
        Ok(()) => {}
        Err(FolderError::Inconsistent(_)) => {
            fs::remove_dir_all(root).expect("it can be removed");
            all(root, ops).expect("a new folder takes everything");
        }
        Err(err) => panic!("{err}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    /// Killed behind an operation, or within it: the next process makes the same files.
    #[test]
    fn wherever_it_was_cut_it_ends_with_the_same_bytes(
        ops in proptest::collection::vec(op(), 1..14),
        cut in any::<prop::sample::Index>(),
        kept in any::<prop::sample::Index>(),
        flushed: bool,
        torn: bool,
    ) {
        let data = TempDir::new().unwrap();
        let (whole, broken) = (data.path().join("whole"), data.path().join("broken"));
        all(&whole, &ops).unwrap();

        let cut = cut.index(ops.len());
        let mut folder = Folder::new(&broken, "w", false).unwrap();
        for (number, op) in ops[..cut].iter().enumerate() {
            folder.apply(op.op(number), &NoBlobs).unwrap();
        }
        if flushed {
            folder.flush(&NoBlobs).unwrap();
        }
        if torn {
            let before = tree(&broken);
            folder.apply(ops[cut].op(cut), &NoBlobs).unwrap();
            for (name, bytes) in tree(&broken) {
                let old = before.get(&name).cloned().unwrap_or_default();
                if old != bytes {
                    // What a write that was cut short leaves: the old bytes under some new ones.
                    let same = old.iter().zip(&bytes).take_while(|(a, b)| a == b).count();
                    let done = same + kept.index(bytes.len() - same + 1);
                    let mut left = bytes[..done].to_vec();
                    left.extend(old.get(done..).unwrap_or_default());
                    let path = broken.join(&name);
                    match ops[cut] {
                        Op::Write(..) | Op::Replace(..) => {
                            fs::remove_file(path).unwrap();
                            fs::write(broken.join(".part-w"), left).unwrap();
                        }
                        Op::Append(..) | Op::Element(..) => fs::write(path, left).unwrap(),
                    }
                }
            }
        }
        drop(folder);
        all_or_anew(&broken, &ops);
        prop_assert_eq!(tree(&broken), tree(&whole));
        // And nothing changes when everything is there.
        all(&broken, &ops).unwrap();
        prop_assert_eq!(tree(&broken), tree(&whole));
    }

    /// Whatever a file holds, it is never taken for what it is not.
    #[test]
    fn a_foreign_file_is_out_of_step_or_overwritten_whole(
        ops in proptest::collection::vec(op(), 1..8),
        foreign in proptest::collection::vec(any::<u8>(), 0..40),
    ) {
        let data = TempDir::new().unwrap();
        let (whole, broken) = (data.path().join("whole"), data.path().join("broken"));
        all(&whole, &ops).unwrap();
        fs::create_dir(&broken).unwrap();
        fs::write(broken.join("array0.json"), &foreign).unwrap();
        if ops.iter().any(|op| matches!(op, Op::Element(0, _))) {
            all_or_anew(&broken, &ops);
            prop_assert_eq!(tree(&broken), tree(&whole));
        }
    }

    #[test]
    fn no_name_leads_out(path in "[./a-z\\\\:%\u{0}-]{0,12}") {
        let data = TempDir::new().unwrap();
        let root = data.path().join("root");
        let mut folder = Folder::new(&root, "w", false).unwrap();
        let op = FileOp::Append { path: path.clone(), bytes: b"x".to_vec() };
        if folder.apply(op, &NoBlobs).is_ok() {
            prop_assert!(!path.contains("..") || !path.split('/').any(|part| part.starts_with('.')));
            prop_assert!(tree(&root).contains_key(&path));
        }
        prop_assert_eq!(fs::read_dir(data.path()).unwrap().count(), 1);
    }
}

fn append(folder: &mut Folder, path: &str, text: &str) -> Result<(), FolderError> {
    let op = FileOp::Append { path: path.to_owned(), bytes: text.as_bytes().to_vec() };
    folder.apply(op, &NoBlobs)
}

#[test]
fn an_array_is_whole_after_every_element() {
    let data = TempDir::new().unwrap();
    let mut folder = Folder::new(data.path(), "w", false).unwrap();
    for count in 1..4 {
        let json = b"{\"a\": 1}".to_vec();
        folder.apply(FileOp::Element { path: "x.json".to_owned(), json }, &NoBlobs).unwrap();
        let text = fs::read(data.path().join("x.json")).unwrap();
        let array: Vec<serde_json::Value> = serde_json::from_slice(&text).unwrap();
        assert_eq!(array.len(), count);
    }
}

#[test]
fn what_is_gone_or_changed_is_noticed() {
    let data = TempDir::new().unwrap();
    let mut folder = Folder::new(data.path(), "w", false).unwrap();
    append(&mut folder, "x.log", "one\n").unwrap();
    fs::remove_file(data.path().join("x.log")).unwrap();
    let gone = append(&mut folder, "x.log", "two\n");
    assert!(matches!(gone, Err(FolderError::Inconsistent(_))), "{gone:?}");

    // The record has lost what the log still holds.
    let mut folder = Folder::new(data.path(), "w", false).unwrap();
    fs::write(data.path().join("x.log"), "one\ntwo\n").unwrap();
    append(&mut folder, "x.log", "one\n").unwrap();
    assert!(matches!(folder.check_lengths(), Err(FolderError::Inconsistent(_))));
}

#[test]
fn of_many_contents_the_last_is_made_and_others_are_not() {
    let data = TempDir::new().unwrap();
    let mut folder = Folder::new(data.path(), "w", false).unwrap();
    for number in 0..3 {
        let content = Content::lazy(move |_| {
            assert_eq!(number, 2, "only the last is made");
            Some(b"last".to_vec())
        });
        let op = FileOp::Replace { path: "x".to_owned(), content };
        folder.apply(op, &NoBlobs).unwrap();
    }
    folder.flush(&NoBlobs).unwrap();
    assert_eq!(fs::read(data.path().join("x")).unwrap(), b"last");
}

#[cfg(unix)]
#[test]
fn only_the_owner_reads_and_no_link_is_followed() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    let data = TempDir::new().unwrap();
    let (root, outside) = (data.path().join("new/root"), data.path().join("outside"));
    fs::create_dir(&outside).unwrap();
    let mut folder = Folder::new(&root, "w", false).unwrap();
    append(&mut folder, "a/b/x.log", "one\n").unwrap();
    let content = || Content::Bytes(b"x".to_vec());
    folder.apply(FileOp::Write { path: "a/y".to_owned(), content: content() }, &NoBlobs).unwrap();
    let mode = |path: &str| fs::metadata(data.path().join(path)).unwrap().permissions().mode();
    for path in ["new", "new/root", "new/root/a", "new/root/a/b"] {
        assert_eq!(mode(path) & 0o777, 0o700, "{path}");
    }
    for path in ["new/root/a/b/x.log", "new/root/a/y"] {
        assert_eq!(mode(path) & 0o777, 0o600, "{path}");
    }

    symlink(&outside, root.join("link")).unwrap();
    let write = FileOp::Write { path: "link/x".to_owned(), content: content() };
    assert!(matches!(folder.apply(write, &NoBlobs), Err(FolderError::NotAFolder(_))));
    assert!(append(&mut folder, "link/x.log", "x\n").is_err());
    fs::write(outside.join("victim"), "").unwrap();
    symlink(outside.join("victim"), root.join("x.log")).unwrap();
    assert!(append(&mut folder, "x.log", "x\n").is_err());
    // A whole file takes the place of a link, not of what it leads to.
    let write = FileOp::Write { path: "x.log".to_owned(), content: content() };
    folder.apply(write, &NoBlobs).unwrap();
    assert_eq!(fs::read(outside.join("victim")).unwrap(), b"");
    assert_eq!(fs::read(root.join("x.log")).unwrap(), b"x");
}

#[cfg(unix)]
#[test]
fn what_is_there_with_the_same_content_is_linked_and_not_made_again() {
    use std::os::unix::fs::MetadataExt as _;

    let data = TempDir::new().unwrap();
    let mut folder = Folder::new(data.path(), "w", false).unwrap();
    let mut write = |path: &str, bytes: &'static [u8]| {
        let key = Some("screen".to_owned());
        let content = Content::Lazy { key, make: Box::new(move |_| Some(bytes.to_vec())) };
        folder.apply(FileOp::Write { path: path.to_owned(), content }, &NoBlobs).unwrap();
    };
    let at = |path: &str| data.path().join(path);
    let inode = |path: &str| fs::metadata(at(path)).unwrap().ino();
    write("a", b"picture");
    write("b", b"not made");
    assert_eq!(inode("a"), inode("b"));
    // What somebody has removed is made again.
    fs::remove_file(at("a")).unwrap();
    fs::remove_file(at("b")).unwrap();
    write("c", b"made again");
    assert_eq!(fs::read(at("c")).unwrap(), b"made again");
}

#[test]
fn paths_of_windows_are_told_as_its_programs_take_them() {
    let long = format!(r"\\?\C:\{}", "x".repeat(LONGEST_USUAL));
    for (path, usual) in [
        (r"\\?\C:\Users\me\out", Some(r"C:\Users\me\out")),
        (r"\\?\UNC\server\share\out", Some(r"\\server\share\out")),
        (r"\\?\Volume{7a1f}\out", None),
        (r"\\?\", None),
        (r"C:\out", None),
        (&long, None),
    ] {
        assert_eq!(usual_form(path).as_deref(), usual, "{path}");
    }
}
