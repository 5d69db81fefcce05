use std::fs;
use std::sync::Arc;
use std::time::Duration;

use proptest::prelude::*;
use tempfile::TempDir;

use super::*;
use crate::coordinator::conformance::{Store, bears_any_order, keeps_its_promises};
use crate::coordinator::{InboxMessageBody, MOST_MESSAGES, News, RunKind, UserReply};
use crate::{DeviceId, Principal};

fn server(data: &TempDir) -> FileCoordinator {
    FileCoordinator::new(data.path(), "test", SyncPolicy::Never)
}

fn session(data: &TempDir) -> SessionId {
    let id = SessionId::new();
    fs::create_dir_all(data.path().join("sessions").join(id.to_string())).unwrap();
    id
}

async fn with_store(use_it: impl AsyncFnOnce(&Store<'_>)) {
    let data = tempfile::tempdir().unwrap();
    let servers = || Arc::new(server(&data)) as Arc<dyn Coordinator>;
    use_it(&Store { server: &servers, session: &|| session(&data) }).await;
}

fn new_run(session: SessionId) -> NewRun {
    let devices = vec![DeviceId::new("phone/../1")];
    NewRun { session, devices, owner: Principal::local(), kind: RunKind::Act, queue: false }
}

fn say(text: &str) -> InboxMessage {
    let text = text.to_owned();
    InboxMessage::new(InboxMessageBody::Reply(UserReply { text, question: None, secret: false }))
}

#[test]
fn a_folder_that_cannot_be_written_says_what_to_do() {
    let told = |kind| storage("make", Path::new("/data/runs"))(io::Error::from(kind)).to_string();
    let refused = told(io::ErrorKind::PermissionDenied);
    assert!(refused.contains("/data/runs (make)") && refused.contains("--data-dir"), "{refused}");
    let other = told(io::ErrorKind::TimedOut);
    assert!(!other.contains("--data-dir"), "{other}");
}

#[tokio::test]
async fn files_keep_the_promises() {
    with_store(async |store| keeps_its_promises(store).await).await;
}

#[tokio::test]
async fn files_bear_a_thousand_orders() {
    with_store(async |store| bears_any_order(store, 0..1000).await).await;
}

#[cfg(unix)]
#[tokio::test]
async fn nothing_is_left_behind_and_only_the_owner_may_read() {
    use std::os::unix::fs::PermissionsExt as _;

    let data = tempfile::tempdir().unwrap();
    let (one, id) = (server(&data), session(&data));
    let Registered::Granted(run) = one.register(new_run(id)).await.unwrap() else { panic!("free") };
    one.send(id, &say("secret"), None).await.unwrap();
    let runs = data.path().join("runs");
    // Of a process that was killed.
    fs::write(runs.join("4711.live"), "").unwrap();
    fs::write(runs.join("table.json.temp-1-1"), "").unwrap();
    let inbox = data.path().join("sessions").join(id.to_string()).join("inbox");
    for folder in [&runs, &inbox] {
        assert_eq!(fs::metadata(folder).unwrap().permissions().mode() & 0o777, 0o700);
        for file in fs::read_dir(folder).unwrap().map(Result::unwrap) {
            let is_ours = file.metadata().unwrap().is_file() && !names_of_others(&file.path());
            let mode = file.metadata().unwrap().permissions().mode() & 0o777;
            assert!(!is_ours || mode == 0o600, "{}: {mode:o}", file.path().display());
        }
    }
    let message = one.inbox(id).await.unwrap().remove(0);
    one.acknowledge(id, message.id).await.unwrap();
    drop(run);
    drop(one.register(new_run(session(&data))).await.unwrap());
    let left: Vec<_> = names(&runs).unwrap().into_iter().filter(|it| !is_socket(it)).collect();
    assert_eq!(left.len(), 2, "the table and its lock: {left:?}");
    assert_eq!(names(&inbox).unwrap(), [""; 0]);
}

#[tokio::test]
async fn a_session_that_was_removed_is_forgotten_and_what_runs_is_not() {
    let data = tempfile::tempdir().unwrap();
    let (one, other) = (server(&data), server(&data));
    let (over, running) = (session(&data), session(&data));
    one.forget(over).await.unwrap();
    assert!(!data.path().join("runs").exists(), "nobody has run anything");
    drop(one.register(new_run(over)).await.unwrap());
    let table = data.path().join("runs").join("table.json");
    let names = |id: SessionId| fs::read_to_string(&table).unwrap().contains(&id.to_string());
    assert!(names(over));
    other.forget(over).await.unwrap();
    assert!(!names(over));
    let Registered::Granted(run) = one.register(new_run(running)).await.unwrap() else {
        panic!("free")
    };
    other.forget(running).await.unwrap();
    assert!(names(running));
    assert_eq!(one.runs().await.unwrap(), std::slice::from_ref(&run.entry));
}

#[cfg(unix)]
fn is_socket(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|it| it == "sock")
}

#[cfg(unix)]
fn names_of_others(path: &Path) -> bool {
    path.to_string_lossy().ends_with("4711.live") || path.to_string_lossy().contains(".temp-")
}

/// What a power cut leaves of a file: half of it, nothing, as many bytes without anything in them, or others.
const DAMAGED: [&[u8]; 5] =
    [br#"{"v":1,"last_epoch":7,"ru"#, b"", &[0; 90], &[0xff; 9], br#"{"v":1,"runs":[]}"#];

#[tokio::test]
async fn a_damaged_table_is_put_aside_where_nothing_is_at_work() {
    for bad in DAMAGED {
        let data = tempfile::tempdir().unwrap();
        let (one, id) = (server(&data), session(&data));
        let Registered::Granted(run) = one.register(new_run(id)).await.unwrap() else {
            panic!("free")
        };
        let before = run.entry.epoch;
        drop(run);
        let table = data.path().join("runs").join("table.json");
        let aside = table.with_added_extension("bad");
        fs::write(&table, bad).unwrap();
        // Who only looks changes nothing.
        assert_eq!(one.runs().await.unwrap(), []);
        assert_eq!(fs::read(&table).unwrap(), bad);
        let (two, other) = (server(&data), session(&data));
        let Registered::Granted(run) = two.register(new_run(other)).await.unwrap() else {
            panic!("free")
        };
        assert!(before < run.entry.epoch, "{} after {before}", run.entry.epoch);
        assert_eq!(fs::read(&aside).unwrap(), bad);
        assert_eq!(one.runs().await.unwrap(), std::slice::from_ref(&run.entry));
    }
}

#[cfg(unix)]
#[tokio::test]
async fn what_is_no_file_is_the_file_of_no_run() {
    let data = tempfile::tempdir().unwrap();
    let (one, id) = (server(&data), session(&data));
    let Registered::Granted(run) = one.register(new_run(id)).await.unwrap() else { panic!("free") };
    let live = data.path().join("runs").join(format!("{}.live", run.entry.epoch));
    let table = data.path().join("runs").join("table.json");
    let named = fs::read(&table).unwrap();
    drop(run);
    for to in ["/dev/null", "nowhere", live.file_name().unwrap().to_str().unwrap()] {
        fs::write(&table, &named).unwrap();
        fs::remove_file(&live).ok();
        std::os::unix::fs::symlink(to, &live).unwrap();
        assert_eq!(one.runs().await.unwrap(), [], "{to}");
        let other = one.register(new_run(session(&data))).await.unwrap();
        assert!(matches!(other, Registered::Granted(_)), "{to}");
    }
}

#[cfg(unix)]
#[tokio::test]
async fn a_link_to_the_file_of_a_live_run_keeps_no_other_alive() {
    let data = tempfile::tempdir().unwrap();
    let one = server(&data);
    let wanted = |phone| NewRun { devices: vec![DeviceId::new(phone)], ..new_run(session(&data)) };
    let Registered::Granted(lives) = one.register(wanted("a")).await.unwrap() else {
        panic!("free")
    };
    let Registered::Granted(over) = one.register(wanted("b")).await.unwrap() else {
        panic!("free")
    };
    let file_of = |run: &Registration| data.path().join(format!("runs/{}.live", run.entry.epoch));
    let left = file_of(&over);
    drop(over);
    std::os::unix::fs::symlink(file_of(&lives), left).unwrap();
    assert_eq!(one.runs().await.unwrap(), std::slice::from_ref(&lives.entry));
}

/// A phone stays in the hand of whoever is told that it could not be registered for another session or for a task.
#[tokio::test]
async fn a_run_that_cannot_be_registered_ends_no_other() {
    let data = tempfile::tempdir().unwrap();
    let (one, first) = (server(&data), session(&data));
    let wanted = |session, kind| NewRun { kind, ..new_run(session) };
    let Registered::Granted(hand) = one.register(wanted(first, RunKind::InHand)).await.unwrap()
    else {
        panic!("free")
    };
    // Where the file of the next run has to be, none can be made.
    let next = data.path().join(format!("runs/{}.live", hand.entry.epoch + 1));
    fs::create_dir(&next).unwrap();
    let other = session(&data);
    for refused in [wanted(other, RunKind::InHand), wanted(first, RunKind::Task)] {
        let err = one.register(refused).await.unwrap_err();
        assert!(matches!(err, CoordinatorError::Storage { .. }), "{err}");
        assert_eq!(one.runs().await.unwrap(), std::slice::from_ref(&hand.entry));
    }
    fs::remove_dir(&next).unwrap();
    let Registered::Granted(moved) = one.register(wanted(other, RunKind::InHand)).await.unwrap()
    else {
        panic!("it is the same person")
    };
    assert_eq!(one.runs().await.unwrap(), [moved.entry]);
}

#[tokio::test]
async fn a_damaged_table_is_written_anew_by_whatever_changes_it() {
    let data = tempfile::tempdir().unwrap();
    let (one, id) = (server(&data), session(&data));
    drop(one.register(new_run(id)).await.unwrap());
    let table = data.path().join("runs").join("table.json");
    // A run of a process that died, whose epoch is beyond any clock.
    let live = data.path().join("runs").join(format!("{}.live", u64::MAX - 1));
    fs::write(&live, "").unwrap();
    fs::write(&table, "").unwrap();
    one.send(id, &say("words"), None).await.unwrap();
    let written = table_file::parse(&fs::read(&table).unwrap()).unwrap();
    assert_eq!((written.last_epoch, written.runs.len()), (u64::MAX - 1, 0));
}

#[tokio::test]
async fn a_damaged_table_stays_while_a_run_is_at_work() {
    let data = tempfile::tempdir().unwrap();
    let (one, id) = (server(&data), session(&data));
    let run = one.register(new_run(id)).await.unwrap();
    let table = data.path().join("runs").join("table.json");
    for bad in DAMAGED {
        fs::write(&table, bad).unwrap();
        let err = crate::error_chain(&one.register(new_run(session(&data))).await.unwrap_err());
        assert!(err.contains("table.json") && err.contains("wait for their end"), "{err}");
        assert_eq!(fs::read(&table).unwrap(), bad);
    }
    drop(run);
    assert!(matches!(one.register(new_run(id)).await.unwrap(), Registered::Granted(_)));
}

#[tokio::test]
async fn the_table_of_a_later_version_is_left_to_it() {
    let data = tempfile::tempdir().unwrap();
    let (one, id) = (server(&data), session(&data));
    drop(one.register(new_run(id)).await.unwrap());
    let table = data.path().join("runs").join("table.json");
    for later in [r#"{"v":9,"last_epoch":1,"runs":[]}"#, r#"{"v":9,"other":{}}"#] {
        fs::write(&table, later).unwrap();
        let err = crate::error_chain(&one.register(new_run(id)).await.unwrap_err());
        assert!(err.contains("table.json") && err.contains("use that version"), "{err}");
        assert_eq!(fs::read_to_string(&table).unwrap(), later);
    }
}

#[tokio::test(start_paused = true)]
async fn a_process_that_is_held_still_holds_nobody_for_long() {
    let data = tempfile::tempdir().unwrap();
    let (one, id) = (server(&data), session(&data));
    drop(one.register(new_run(id)).await.unwrap());
    let held = one.lock().await.unwrap();
    let err = crate::error_chain(&one.register(new_run(id)).await.unwrap_err());
    assert!(err.contains("another ayeaye process holds it"), "{err}");
    // Looking needs no lock.
    assert_eq!(one.runs().await.unwrap(), []);
    drop(held);
    assert!(matches!(one.register(new_run(id)).await.unwrap(), Registered::Granted(_)));
}

#[tokio::test]
async fn a_message_for_no_session_is_refused() {
    let data = tempfile::tempdir().unwrap();
    let id = SessionId::new();
    let sent = server(&data).send(id, &say("words"), None).await;
    assert!(matches!(sent, Err(CoordinatorError::UnknownSession(unknown)) if unknown == id));
}

#[tokio::test]
async fn what_is_no_message_is_passed_over() {
    let data = tempfile::tempdir().unwrap();
    let (one, id) = (server(&data), session(&data));
    one.send(id, &say("words"), None).await.unwrap();
    let inbox = data.path().join("sessions").join(id.to_string()).join("inbox");
    let foreign = InboxMessageId::new();
    fs::write(inbox.join(format!("2-{foreign}.json")), "{\"type\":\"later\"}").unwrap();
    fs::write(inbox.join("x.json"), "").unwrap();
    assert_eq!(one.inbox(id).await.unwrap().len(), 1);
    one.send(id, &say("more"), None).await.unwrap();
    assert_eq!(one.inbox(id).await.unwrap().len(), 2);
}

#[tokio::test]
async fn files_that_are_no_messages_are_put_aside_and_not_counted() {
    let data = tempfile::tempdir().unwrap();
    let (one, id) = (server(&data), session(&data));
    let inbox = data.path().join("sessions").join(id.to_string()).join("inbox");
    fs::create_dir(&inbox).unwrap();
    let name = |number: usize| format!("{number}-{}.json", InboxMessageId::new());
    for number in 1..=MOST_MESSAGES {
        fs::write(inbox.join(name(number)), "{}").unwrap();
    }
    // Nothing can be read of this one, and of the other one cannot be put aside.
    fs::create_dir(inbox.join(name(100))).unwrap();
    let stays = name(101);
    fs::write(inbox.join(&stays), "{}").unwrap();
    fs::create_dir_all(inbox.join(format!("{stays}.bad")).join("taken")).unwrap();
    let messages: Vec<_> = (0..MOST_MESSAGES).map(|_| say("words")).collect();
    for message in &messages {
        one.send(id, message, None).await.unwrap();
    }
    assert_eq!(one.inbox(id).await.unwrap(), messages);
    let full = one.send(id, &say("one more"), None).await;
    assert!(matches!(full, Err(CoordinatorError::InboxFull(full)) if full == id));
    let (aside, others): (Vec<_>, Vec<_>) =
        names(&inbox).unwrap().into_iter().partition(|name| name.ends_with(".json.bad"));
    assert_eq!((aside.len(), others.len()), (MOST_MESSAGES + 2, MOST_MESSAGES + 1));
    assert!(others.contains(&stays));
}

#[tokio::test]
async fn a_message_that_was_left_is_not_told_as_refused() {
    let data = tempfile::tempdir().unwrap();
    let (one, id) = (server(&data), session(&data));
    drop(one.register(new_run(id)).await.unwrap());
    // The table names a run of a process that is gone, and cannot be replaced.
    let table = data.path().join("runs").join("table.json");
    let post = |place: &Folders, _: &mut RunTable| {
        fs::remove_file(&table).unwrap();
        fs::create_dir_all(table.join("taken")).unwrap();
        inbox::post(&place.sessions, id, &say("words"), place.sync)
    };
    one.place.change(|table| post(&one.place, table)).unwrap();
    assert_eq!(one.inbox(id).await.unwrap().len(), 1);
}

#[cfg(unix)]
#[tokio::test]
async fn another_server_is_woken_at_once() {
    let data = tempfile::tempdir().unwrap();
    let (one, two, id) = (server(&data), server(&data), session(&data));
    let mut wakeups = two.wakeups();
    // Its ear has to be there first.
    let is_bound = || names(&data.path().join("runs")).unwrap().iter().any(|it| is_socket(it));
    while !is_bound() {
        tokio::task::yield_now().await;
    }
    let woken = async {
        loop {
            one.wake(id);
            let next = tokio::time::timeout(Duration::from_millis(100), wakeups.recv());
            if let Ok(session) = next.await {
                return session.unwrap();
            }
        }
    };
    assert_eq!(tokio::time::timeout(Duration::from_secs(20), woken).await.unwrap(), id);
}

#[tokio::test(start_paused = true)]
async fn without_a_wake_up_somebody_looks_again() {
    let data = tempfile::tempdir().unwrap();
    let begun = tokio::time::Instant::now();
    News::of(&server(&data), SessionId::new()).next().await;
    assert!(begun.elapsed() < Duration::from_secs(1));
}

proptest! {
    #[test]
    fn no_bytes_are_taken_for_more_than_they_are(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        // They are refused, or read as what they say.
        if let Ok(table) = table_file::parse(&bytes) {
            prop_assert_eq!(table_file::parse(&table_file::encode(&table).unwrap()), Ok(table));
        }
        prop_assert!(inbox::parse(&bytes).is_none());
    }
}
