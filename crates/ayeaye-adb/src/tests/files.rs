//! Files that come from a phone: whole, or not at all.
use std::path::Path;
use std::time::{Duration, SystemTime};

use ayeaye_agent::{Device as _, DeviceCommand, DeviceId, Gesture, ScreenSize};
use tokio::time::{Instant, sleep};

use super::fake::{Fake, Reply};
use crate::{AdbDevice, ExchangeFolder};

const ON: ScreenSize = ScreenSize { width: 1080, height: 2400 };

/// A phone with one file, of which so much is told and sent.
async fn phone(sync: fn(&[u8]) -> Vec<u8>) -> Fake {
    Fake::phone(move |request| match request {
        "host-serial:X:features" => Some(Reply::Body("cmd,shell_v2,stat_v2".to_owned())),
        "sync:" => Some(Reply::Sync(sync)),
        _ => None,
    })
    .await
}

/// The answer to `STA2`, or to `STAT`, whose size has 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "as the phone does it")]
fn told(id: &[u8], size: u64) -> Vec<u8> {
    let mode = 0o100_644_u32.to_le_bytes();
    match id {
        b"STA2" => {
            [&b"STA2"[..], &[0; 20], &mode, &[0; 12], &size.to_le_bytes(), &[0; 24]].concat()
        }
        _ => [&b"STAT"[..], &mode, &(size as u32).to_le_bytes(), &[0; 4]].concat(),
    }
}

fn block(content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    [&b"DATA"[..], &length, content].concat()
}

async fn open(fake: &Fake, folder: &Path) -> std::sync::Arc<AdbDevice> {
    let devices = fake.devices().with_files(ExchangeFolder::new(folder.to_owned()));
    devices.open_adb(&DeviceId::new("X")).await.unwrap()
}

fn fetch(file: &str) -> Gesture {
    let from = "/sdcard/film.mp4".to_owned();
    Gesture::Command(DeviceCommand::FetchFile { from, file: file.to_owned() })
}

fn names(folder: &Path) -> Vec<String> {
    let entries = folder.read_dir().unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

fn send(to: &str) -> Gesture {
    let (file, to) = ("a.txt".to_owned(), to.to_owned());
    Gesture::Command(DeviceCommand::SendFile { file, to })
}

/// The answer to `STA2` about a file that is not there.
fn missing() -> Vec<u8> {
    [&b"STA2"[..], &2_u32.to_le_bytes(), &[0; 64]].concat()
}

/// A folder with a file to send.
fn with_file() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.txt"), "all of it").unwrap();
    folder
}

#[tokio::test]
async fn no_file_of_the_phone_is_replaced() {
    let folder = with_file();
    let fake = phone(|id| match id {
        b"STA2" => told(id, 9),
        _ => panic!("nothing is written: {id:?}"),
    })
    .await;
    let device = open(&fake, folder.path()).await;
    for to in ["/sdcard/DCIM/Camera/", "/sdcard/DCIM/Camera/a.txt"] {
        let error = device.perform(&send(to), ON).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("\"/sdcard/DCIM/Camera/a.txt\" on it already"), "{text}");
        assert!(text.contains("choose another name"), "{text}");
        assert!(!error.may_have_acted(), "{error:?}");
    }
    assert!(!fake.commands().iter().any(|it| it.contains("mv ")), "{:?}", fake.commands());
}

#[tokio::test]
async fn a_file_has_its_name_once_it_is_there_as_a_whole() {
    let folder = with_file();
    let fake = phone(|id| match id {
        b"STA2" => missing(),
        b"DONE" => b"OKAY\0\0\0\0".to_vec(),
        _ => Vec::new(),
    })
    .await;
    let device = open(&fake, folder.path()).await;
    let done = device.perform(&send("/sdcard/DCIM/it's.txt"), ON).await.unwrap();
    assert_eq!(done.note.as_deref(), Some("sent 9 bytes to /sdcard/DCIM/it's.txt"));
    let commands = fake.commands();
    let renamed = commands.last().unwrap();
    assert!(renamed.contains("mv '/sdcard/DCIM/.ayeaye-part-"), "{renamed}");
    assert!(renamed.contains("[ -e '/sdcard/DCIM/it'\\''s.txt' ]"), "{renamed}");
}

#[tokio::test]
async fn a_file_whose_name_was_taken_while_it_was_sent_is_removed() {
    let folder = with_file();
    let fake = Fake::phone(|request| match request {
        "host-serial:X:features" => Some(Reply::Body("cmd,shell_v2,stat_v2".to_owned())),
        "sync:" => Some(Reply::Sync(|id| match id {
            b"STA2" => missing(),
            b"DONE" => b"OKAY\0\0\0\0".to_vec(),
            _ => Vec::new(),
        })),
        it if it.contains("mv ") => Some(Reply::out("ayeaye-name-taken\n")),
        _ => None,
    })
    .await;
    let device = open(&fake, folder.path()).await;
    let error = device.perform(&send("/sdcard/"), ON).await.unwrap_err();
    assert!(error.to_string().contains("\"/sdcard/a.txt\" on it already"), "{error}");
    assert!(fake.commands().last().unwrap().starts_with("rm -f '/sdcard/.ayeaye-part-"));
}

#[tokio::test]
async fn a_copy_that_breaks_off_was_certainly_not_made() {
    for can_be_removed in [true, false] {
        let folder = with_file();
        let fake = Fake::phone(move |request| match request {
            "host-serial:X:features" => Some(Reply::Body("cmd,shell_v2,stat_v2".to_owned())),
            // The link breaks before a file is complete.
            "sync:" => Some(Reply::Sync(|id| match id {
                b"STA2" => missing(),
                _ => Vec::new(),
            })),
            it if it.contains("rm -f") && !can_be_removed => Some(Reply::Cut),
            _ => None,
        })
        .await;
        let device = open(&fake, folder.path()).await;
        let error = device.perform(&send("/sdcard/"), ON).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("sending \"a.txt\" on device X broke off"), "{text}");
        assert!(text.contains("there is no \"/sdcard/a.txt\" on it"), "{text}");
        assert_eq!(text.contains("a part of the file may lie there"), !can_be_removed, "{text}");
        assert!(!error.may_have_acted() && error.is_unreachable(), "{error:?}");
        assert!(!fake.commands().iter().any(|it| it.contains("mv ")), "{:?}", fake.commands());
    }
    for fails in
        [|id: &[u8]| if id == b"STA2" { told(id, 9) } else { Vec::new() }, |_: &[u8]| Vec::new()]
    {
        let folder = tempfile::tempdir().unwrap();
        let fake = phone(fails).await;
        let device = open(&fake, folder.path()).await;
        let error = device.perform(&fetch("film.mp4"), ON).await.unwrap_err();
        assert!(error.to_string().ends_with("nothing was fetched"), "{error}");
        assert!(!error.may_have_acted(), "{error:?}");
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

#[tokio::test]
async fn a_file_that_was_fetched_in_part_is_not_there() {
    let folder = tempfile::tempdir().unwrap();
    let fake = phone(|id| match id {
        b"RECV" => block(b"the beginning"),
        _ => told(id, 1000),
    })
    .await;
    let device = open(&fake, folder.path()).await;
    let has_begun = async {
        let deadline = Instant::now() + Duration::from_secs(10);
        let written = |it: std::fs::DirEntry| it.metadata().is_ok_and(|about| 0 < about.len());
        while !folder.path().read_dir().unwrap().flatten().any(written) {
            assert!(Instant::now() < deadline, "nothing was written");
            sleep(Duration::from_millis(5)).await;
        }
    };
    let gesture = fetch("film.mp4");
    tokio::select! {
        done = device.perform(&gesture, ON) => panic!("{done:?}"),
        () = has_begun => {}
    }
    assert_eq!(names(folder.path()), [""; 0]);
}

#[tokio::test]
async fn a_file_that_grows_without_end_is_told_by_the_name_it_was_to_have() {
    let folder = tempfile::tempdir().unwrap();
    let fake = phone(|id| match id {
        b"RECV" => block(&vec![7; 60_000]).repeat(20),
        _ => told(id, 9),
    })
    .await;
    let failed = open(&fake, folder.path()).await.perform(&fetch("film.mp4"), ON).await;
    let text = failed.unwrap_err().to_string();
    assert!(text.contains("film.mp4: it has become larger"), "{text}");
    assert!(!text.contains(".ayeaye-part"), "{text}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[tokio::test]
async fn a_file_that_becomes_shorter_while_it_is_read_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let fake = phone(|id| match id {
        b"RECV" => [block(b"the rest"), b"DONE\0\0\0\0".to_vec()].concat(),
        _ => told(id, 9),
    })
    .await;
    let failed = open(&fake, folder.path()).await.perform(&fetch("film.mp4"), ON).await;
    let text = failed.unwrap_err().to_string();
    assert!(text.contains("film.mp4: it has become shorter"), "{text}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[tokio::test]
async fn a_copy_that_stands_still_is_given_up() {
    let folder = tempfile::tempdir().unwrap();
    let fake = phone(|id| match id {
        b"RECV" => block(b"the beginning"),
        _ => told(id, 1000),
    })
    .await;
    let device = open(&fake, folder.path()).await;
    let gesture = fetch("film.mp4");
    let fetching = device.perform(&gesture, ON);
    let time = async {
        loop {
            sleep(Duration::from_millis(20)).await;
            if folder
                .path()
                .read_dir()
                .unwrap()
                .flatten()
                .any(|it| 0 < it.metadata().map_or(0, |it| it.len()))
            {
                tokio::time::pause();
                tokio::time::advance(Duration::from_secs(61)).await;
                tokio::time::resume();
                return;
            }
        }
    };
    let (fetched, ()) = tokio::join!(fetching, time);
    let text = fetched.unwrap_err().to_string();
    assert!(text.ends_with("nothing was fetched"), "{text}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[tokio::test]
async fn what_is_no_file_is_not_fetched_and_nothing_is_said_of_what_may_not_be_seen() {
    type Answer = fn(&[u8]) -> Vec<u8>;
    /// The answer to `STA2` with this error, or about this kind.
    fn of(error: u32, mode: u32) -> Vec<u8> {
        [&b"STA2"[..], &error.to_le_bytes(), &[0; 16], &mode.to_le_bytes(), &[0; 44]].concat()
    }
    let answers: [(Answer, &str); 5] = [
        (|_| of(0, 0o010_644), "it is no file, but a pipe"),
        (|_| of(0, 0o040_755), "it is a folder"),
        (|_| of(13, 0), "permission denied"),
        (|_| of(40, 0), "error 40"),
        (|_| of(2, 0), "there is no such file"),
    ];
    for (answer, says) in answers {
        let folder = tempfile::tempdir().unwrap();
        let fake = phone(answer).await;
        let failed = open(&fake, folder.path()).await.perform(&fetch("film.mp4"), ON).await;
        let error = failed.unwrap_err();
        assert!(error.to_string().contains(says) && !error.may_have_acted(), "{error}");
    }
}

#[tokio::test]
async fn what_a_killed_process_has_left_of_a_file_goes_with_the_next_one() {
    let folder = tempfile::tempdir().unwrap();
    let [old, young] = ["1-0", "1-1"].map(|end| folder.path().join(format!(".ayeaye-part-{end}")));
    for (path, age) in [(&old, 2 * 60 * 60), (&young, 60)] {
        let file = std::fs::File::create(path).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(age)).unwrap();
    }
    let fake = phone(|id| match id {
        b"RECV" => [block(b"all of it"), b"DONE\0\0\0\0".to_vec()].concat(),
        _ => told(id, 9),
    })
    .await;
    let done = open(&fake, folder.path()).await.perform(&fetch("film.mp4"), ON).await.unwrap();
    assert_eq!(done.note.as_deref(), Some("fetched 9 bytes as film.mp4"));
    assert_eq!(std::fs::read(folder.path().join("film.mp4")).unwrap(), b"all of it");
    assert!(!old.exists() && young.exists(), "{:?}", names(folder.path()));
    assert_eq!(names(folder.path()).len(), 2);
}

#[tokio::test]
async fn parts_of_other_processes_with_the_same_number_are_in_nobodys_way() {
    let folder = tempfile::tempdir().unwrap();
    // In containers every server has the same number.
    let theirs = (0..100).map(|n| format!(".ayeaye-part-{}-{n}", std::process::id()));
    let theirs: Vec<_> = theirs.map(|name| folder.path().join(name)).collect();
    for path in &theirs {
        std::fs::write(path, "theirs").unwrap();
    }
    let fake = phone(|id| match id {
        b"RECV" => [block(b"all of it"), b"DONE\0\0\0\0".to_vec()].concat(),
        _ => told(id, 9),
    })
    .await;
    let done = open(&fake, folder.path()).await.perform(&fetch("film.mp4"), ON).await;
    assert!(theirs.iter().all(|path| path.exists()), "{:?}", names(folder.path()));
    assert_eq!(done.unwrap().note.as_deref(), Some("fetched 9 bytes as film.mp4"));
    assert_eq!(std::fs::read(folder.path().join("film.mp4")).unwrap(), b"all of it");
    assert_eq!(names(folder.path()).len(), theirs.len() + 1);
}

#[tokio::test]
async fn a_file_of_more_than_4_gib_is_refused_for_its_size() {
    let folder = tempfile::tempdir().unwrap();
    let fake = phone(|id| match id {
        b"RECV" => [block(&vec![0; 60_000]), b"DONE\0\0\0\0".to_vec()].concat(),
        _ => told(id, (4 << 30) + 100),
    })
    .await;
    let device = open(&fake, folder.path()).await;
    let error = device.perform(&fetch("film.mp4"), ON).await.unwrap_err().to_string();
    assert!(error.contains("it has 4294967396 bytes, the most is"), "{error}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[tokio::test]
async fn no_file_goes_to_or_comes_from_the_storage_of_somebody_who_is_not_in_front() {
    for user in ["0\n", "10\n", "Error: Unknown command: get-current-user\n"] {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("a.txt"), "all of it").unwrap();
        let fake = Fake::phone(move |request| match request {
            "host-serial:X:features" => Some(Reply::Body("cmd,shell_v2,stat_v2".to_owned())),
            "sync:" => Some(Reply::Sync(|id| match id {
                b"RECV" => [block(b"all of it"), b"DONE\0\0\0\0".to_vec()].concat(),
                _ => told(id, 9),
            })),
            "shell,v2,raw:am get-current-user" => Some(Reply::out(user)),
            _ => None,
        })
        .await;
        let device = open(&fake, folder.path()).await;
        let send = send("/sdcard/Download/");
        if user == "10\n" {
            for gesture in [fetch("film.mp4"), send] {
                let error = device.perform(&gesture, ON).await.unwrap_err();
                assert!(error.to_string().contains("user 10 is in front"), "{error}");
                assert!(!error.may_have_acted(), "{error:?}");
            }
        } else {
            device.perform(&fetch("film.mp4"), ON).await.unwrap();
        }
        let has_come = names(folder.path()).contains(&"film.mp4".to_owned());
        assert_eq!(has_come, user != "10\n", "{user}");
    }
}
