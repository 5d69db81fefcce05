use std::sync::atomic::{AtomicI64, Ordering};

use ayeaye_model::Secret;
use futures::FutureExt as _;

use super::*;

/// A clock that stands still until it is moved.
#[derive(Clone, Default)]
struct Hours(Arc<AtomicI64>);

impl Hours {
    fn clock(&self) -> Clock {
        let hours = self.0.clone();
        Arc::new(move || {
            Timestamp::UNIX_EPOCH + SignedDuration::from_hours(hours.load(Ordering::Relaxed))
        })
    }

    fn pass(&self, hours: i64) {
        self.0.fetch_add(hours, Ordering::Relaxed);
    }
}

fn tokens(main: &str) -> TokenStore {
    TokenStore::new(&Secret::new(main).unwrap())
}

fn open(folder: &Path, server: &str, hours: &Hours) -> Logins {
    Logins::open(folder, server.to_owned(), &tokens(MAIN), hours.clock())
}

const MAIN: &str = "the-main-token-of-tests";

#[tokio::test(start_paused = true)]
async fn a_code_is_good_once_and_for_a_minute() {
    let (home, me) = (tempfile::tempdir().unwrap(), Principal::local());
    let logins = open(home.path(), "a", &Hours::default());
    let code = logins.make_code(&me);
    assert_eq!(code.len(), 64);
    assert_eq!(logins.take_code(""), None);
    assert_eq!(logins.take_code(&code), Some(me.clone()));
    assert_eq!(logins.take_code(&code), None, "it was used");
    let late = logins.make_code(&me);
    tokio::time::advance(CODES.age).await;
    assert_eq!(logins.take_code(&late), None, "too late");
    let (first, anna) = (logins.make_code(&me), Principal::new("token:anna"));
    for _ in 0..CODES.most {
        logins.make_code(&anna);
    }
    assert_eq!(logins.take_code(&first), Some(me.clone()), "nobody else's codes end it");
    let first = logins.make_code(&me);
    for _ in 0..CODES.most {
        logins.make_code(&me);
    }
    assert_eq!(logins.take_code(&first), None, "there is an end to codes that wait");
}

#[tokio::test]
async fn a_login_outlives_the_server_and_neither_its_token_nor_a_week_of_rest() {
    let (home, me, hours) = (tempfile::tempdir().unwrap(), Principal::local(), Hours::default());
    let logins = open(home.path(), "a", &hours);
    let cookie = logins.sign_in(&me, &tokens(MAIN)).await.unwrap();
    assert_eq!(logins.sign_in(&Principal::new("jwt:x#y"), &tokens(MAIN)).await, None);
    let kept = std::fs::read_to_string(home.path().join(FILE)).unwrap();
    assert!(!kept.contains(&cookie) && !kept.contains(MAIN), "{kept}");
    for (server, token, lets_in) in
        [("a", MAIN, true), ("b", MAIN, false), ("a", "another-token-of-tests", false)]
    {
        let again = Logins::open(home.path(), server.to_owned(), &tokens(token), hours.clock());
        assert_eq!(again.find(&cookie).is_some(), lets_in, "{server} {token}");
    }
    hours.pass(7 * 24 - 1);
    assert!(open(home.path(), "a", &hours).find(&cookie).unwrap().renewed);
    let used = (hours.clock())();
    read_again(home.path(), &hours, |all| all.iter().any(|it| it.used == used)).await;
    hours.pass(7 * 24 - 1);
    let logins = open(home.path(), "a", &hours);
    assert!(logins.find(&cookie).unwrap().renewed, "it was used in between");
    assert!(!logins.find(&cookie).unwrap().renewed, "that is noted already");
    hours.pass(7 * 24);
    assert!(logins.find(&cookie).is_none());
    assert!(open(home.path(), "a", &hours).find(&cookie).is_none());
}

#[tokio::test]
async fn the_logins_of_a_server_that_keeps_none_end_with_it() {
    let (home, me, hours) = (tempfile::tempdir().unwrap(), Principal::local(), Hours::default());
    let logins = Logins::unkept("a".to_owned(), hours.clock());
    let cookie = logins.sign_in(&me, &tokens(MAIN)).await.unwrap();
    assert!(logins.find(&cookie).is_some());
    assert!(open(home.path(), "a", &hours).find(&cookie).is_none());
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn signing_out_ends_one_login_and_leaves_other_servers_theirs() {
    let (home, me, hours) = (tempfile::tempdir().unwrap(), Principal::local(), Hours::default());
    let (one, other) = (open(home.path(), "a", &hours), open(home.path(), "b", &hours));
    let first = one.sign_in(&me, &tokens(MAIN)).await.unwrap();
    let second = one.sign_in(&me, &tokens(MAIN)).await.unwrap();
    let theirs = other.sign_in(&me, &tokens(MAIN)).await.unwrap();
    one.sign_out(&first).await.unwrap();
    assert!(one.find(&first).is_none() && one.find(&second).is_some());
    assert!(open(home.path(), "a", &hours).find(&first).is_none());
    assert!(open(home.path(), "b", &hours).find(&theirs).is_some());
}

#[tokio::test]
async fn what_is_no_login_ends_none_and_is_not_written() {
    let (home, hours) = (tempfile::tempdir().unwrap(), Hours::default());
    let logins = open(home.path(), "a", &hours);
    logins.sign_out("a-cookie-that-somebody-made-up").await.unwrap();
    assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0);
}

#[tokio::test]
async fn of_many_logins_whose_end_cannot_be_written_the_oldest_is_forgotten() {
    let (home, me, hours) = (tempfile::tempdir().unwrap(), Principal::local(), Hours::default());
    let file = home.path().join("no-folder");
    std::fs::write(&file, "").unwrap();
    let (logins, tokens) = (open(&file, "a", &hours), tokens(MAIN));
    let mut ended = Vec::new();
    for _ in 0..=MAX_LOGINS {
        let cookie = logins.sign_in(&me, &tokens).await.unwrap();
        logins.sign_out(&cookie).await.unwrap_err();
        ended.push(cookie);
    }
    assert_eq!(lock(&logins.unwritten).len(), MAX_LOGINS);
    // Of the others it is tried again.
    logins.sign_out(&ended[0]).await.unwrap();
    logins.sign_out(&ended[1]).await.unwrap_err();
}

/// Another server of the data folder that does not go on, until it is dropped.
fn hold(home: &Path) -> std::fs::File {
    let held = std::fs::File::create(home.join(LOCK)).unwrap();
    held.lock().unwrap();
    held
}

/// Waits until a server that is started again reads such logins.
async fn read_again(home: &Path, hours: &Hours, is_it: impl Fn(&[Login]) -> bool) {
    let read = async {
        while !is_it(&lock(&open(home, "a", hours).known)) {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), read).await.expect("it is written");
}

#[tokio::test]
async fn a_login_that_is_used_does_not_wait_for_another_server() {
    let (home, me, hours) = (tempfile::tempdir().unwrap(), Principal::local(), Hours::default());
    let logins = open(home.path(), "a", &hours);
    let cookie = logins.sign_in(&me, &tokens(MAIN)).await.unwrap();
    let held = hold(home.path());
    hours.pass(1);
    assert!(logins.find(&cookie).unwrap().renewed);
    drop(held);
    let used = (hours.clock())();
    read_again(home.path(), &hours, |all| all.iter().any(|it| it.used == used)).await;
}

#[tokio::test]
async fn signing_out_is_written_though_the_request_has_gone_away() {
    let (home, me, hours) = (tempfile::tempdir().unwrap(), Principal::local(), Hours::default());
    let logins = open(home.path(), "a", &hours);
    let cookie = logins.sign_in(&me, &tokens(MAIN)).await.unwrap();
    let held = hold(home.path());
    assert!(logins.sign_out(&cookie).now_or_never().is_none(), "another server writes");
    drop(held);
    read_again(home.path(), &hours, <[Login]>::is_empty).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 8)]
async fn the_logins_of_servers_that_write_at_the_same_time_are_all_kept() {
    let (home, hours) = (tempfile::tempdir().unwrap(), Hours::default());
    let together = Arc::new(tokio::sync::Barrier::new(8));
    let each = (0..8).map(|number| {
        let logins = open(home.path(), &format!("s{number}"), &hours);
        let together = together.clone();
        tokio::spawn(async move {
            let mut cookies = Vec::new();
            for _ in 0..5 {
                together.wait().await;
                cookies.push(logins.sign_in(&Principal::local(), &tokens(MAIN)).await.unwrap());
            }
            cookies
        })
    });
    let all = futures::future::join_all(each.collect::<Vec<_>>()).await;
    for (number, cookies) in all.into_iter().enumerate() {
        let again = open(home.path(), &format!("s{number}"), &hours);
        for cookie in cookies.unwrap() {
            assert!(again.find(&cookie).is_some(), "s{number}");
        }
    }
}

/// The only thread for such work is busy before the lock is taken and behind it, so that a write has begun and is not
/// over when its request goes away.
#[test]
fn the_file_stays_locked_until_it_is_written_though_the_request_has_gone_away() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .max_blocking_threads(1)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        let (home, hours) = (tempfile::tempdir().unwrap(), Hours::default());
        let logins = open(home.path(), "a", &hours);
        let busy = || {
            let (release, released) = std::sync::mpsc::channel::<()>();
            (release, tokio::task::spawn_blocking(move || released.recv()))
        };
        let (let_lock, _first) = busy();
        let (me, tokens) = (Principal::local(), tokens(MAIN));
        assert!(logins.sign_in(&me, &tokens).now_or_never().is_none(), "it is not written yet");
        while logins.writing.try_lock().is_ok() {
            tokio::task::yield_now().await;
        }
        // By now it waits for its turn to take the lock.
        for _ in 0..10 {
            tokio::task::yield_now().await;
        }
        let behind_it = tokio::task::spawn_blocking(|| ());
        let (let_write, second) = busy();
        let_lock.send(()).unwrap();
        behind_it.await.unwrap();
        let locked = std::fs::File::open(home.path().join(LOCK)).unwrap();
        assert!(matches!(locked.try_lock(), Err(std::fs::TryLockError::WouldBlock)));
        let_write.send(()).unwrap();
        second.await.unwrap().unwrap();
        drop(logins.writing.lock().await);
        locked.try_lock().unwrap();
        assert_eq!(lock(&open(home.path(), "a", &hours).known).len(), 1);
    });
}

#[tokio::test]
async fn of_many_logins_the_one_that_rested_longest_ends() {
    let (home, me, hours) = (tempfile::tempdir().unwrap(), Principal::local(), Hours::default());
    let logins = open(home.path(), "a", &hours);
    let first = logins.sign_in(&me, &tokens(MAIN)).await.unwrap();
    for _ in 1..MAX_PER_PRINCIPAL {
        hours.pass(1);
        logins.sign_in(&me, &tokens(MAIN)).await.unwrap();
    }
    assert!(logins.find(&first).is_some_and(|it| it.renewed));
    let last = logins.sign_in(&me, &tokens(MAIN)).await.unwrap();
    assert!(logins.find(&first).is_some() && logins.find(&last).is_some());
    assert_eq!(lock(&logins.known).len(), MAX_PER_PRINCIPAL);
}

#[cfg(unix)]
#[tokio::test]
async fn a_file_that_others_can_read_or_that_is_none_lets_nobody_in() {
    use std::os::unix::fs::PermissionsExt as _;
    let (home, me, hours) = (tempfile::tempdir().unwrap(), Principal::local(), Hours::default());
    let path = home.path().join(FILE);
    let cookie = open(home.path(), "a", &hours).sign_in(&me, &tokens(MAIN)).await.unwrap();
    let mode = std::fs::metadata(&path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode, 0o600);
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o644)).unwrap();
    assert!(open(home.path(), "a", &hours).find(&cookie).is_none());
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    assert!(open(home.path(), "a", &hours).find(&cookie).is_some());
    for text in ["", "{}", "[{\"server\":\"a\"}]", "\0"] {
        std::fs::write(&path, text).unwrap();
        assert!(open(home.path(), "a", &hours).find(&cookie).is_none(), "{text}");
    }
}

proptest::proptest! {
    #[test]
    fn no_file_makes_it_panic(text in "\\PC{0,200}") {
        let home = tempfile::tempdir().unwrap();
        atomic_file::replace(&home.path().join(FILE), &text).unwrap();
        drop(open(home.path(), "a", &Hours::default()));
    }
}
