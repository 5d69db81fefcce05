//! The shell that stays open while a phone is driven: how often a connection is made, and what is done when it fails.
//! Over TCP it stays open only where the system acknowledges at once: `answers_at_once` in `server.rs`.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ayeaye_agent::{Device as _, DeviceError, DeviceId, Gesture, Point, ScreenSize};

use super::fake::{Fake, Lines, Reply, SHORT, packet};
use crate::{AdbConfig, AdbDevices, Limits};

const ON: ScreenSize = ScreenSize { width: 1080, height: 2400 };
const AWAKE: &str = "mWakefulness=Awake\n";

fn click() -> Gesture {
    Gesture::Click { point: Point::new(500, 500).unwrap() }
}

/// What the open shell does with a command.
#[derive(Debug, Clone, Copy)]
enum Does {
    Answers,
    /// So many bytes of the answer, then the end.
    Cut(usize),
    /// Nothing, for ever.
    Hangs,
    /// Something else in front of the answer.
    Babbles,
    /// It answers, and then ends.
    Dies,
}

/// A phone with an open shell that answers the first commands, and does that with what comes then. Every command line
/// that a shell was given is noted, whether the open one or one of its own.
async fn phone(answers: usize, then: Does) -> (Fake, Arc<Mutex<Vec<String>>>) {
    slow_phone(answers, then, Duration::ZERO).await
}

/// The same whose open shell takes so long for each answer, once it has begun.
async fn slow_phone(
    answers: usize,
    then: Does,
    takes: Duration,
) -> (Fake, Arc<Mutex<Vec<String>>>) {
    let given = Arc::new(Mutex::new(Vec::new()));
    let noted = Arc::clone(&given);
    let fake = Fake::phone(move |request| {
        let line = request.strip_prefix("shell,v2,raw:")?;
        if !line.is_empty() {
            noted.lock().unwrap().push(line.to_owned());
            return Some(Reply::out(AWAKE));
        }
        let (noted, seen) = (Arc::clone(&noted), Mutex::new(0));
        let answer = move |line: &str| {
            let marker = &line["echo ".len()..][..32];
            let (command, _) = line.split_once("(eval '")?.1.rsplit_once("') </dev/null")?;
            let command = command.replace(r"'\''", "'");
            if command.ends_with("exit 7") {
                return Some((marked(marker, "out\n", "err\n", 7), Duration::ZERO, true));
            }
            noted.lock().unwrap().push(command);
            let mut seen = seen.lock().unwrap();
            *seen += 1;
            let whole = marked(marker, AWAKE, "", 0);
            let (bytes, goes_on) = match then {
                _ if *seen <= answers => (whole, true),
                Does::Answers => (whole, true),
                Does::Hangs => (Vec::new(), true),
                Does::Babbles => ([packet(1, b"mWakefulness=Asleep\n"), whole].concat(), true),
                Does::Cut(at) => (whole[..at].to_vec(), false),
                // As adbd tells it.
                Does::Dies => ([whole, packet(3, &[0])].concat(), false),
            };
            Some((bytes, takes, goes_on))
        };
        Some(Reply::Lines(Lines(Arc::new(answer))))
    })
    .await;
    (fake, given)
}

pub(super) fn marked(marker: &str, out: &str, err: &str, code: u8) -> Vec<u8> {
    let out = format!("{marker}b\n{out}{marker}e{code}\n");
    let err = format!("{marker}b\n{err}{marker}e\n");
    [packet(1, out.as_bytes()), packet(2, err.as_bytes())].concat()
}

fn taps(given: &Mutex<Vec<String>>) -> usize {
    given.lock().unwrap().iter().filter(|line| line.contains("input tap")).count()
}

#[cfg(any(target_os = "linux", target_os = "android"))]
#[tokio::test]
async fn all_commands_of_a_driver_take_two_connections() {
    let (fake, given) = phone(0, Does::Answers).await;
    let device = fake.open().await;
    let before = fake.services();
    assert!(device.is_awake().await.unwrap());
    assert!(device.is_awake().await.unwrap());
    assert_eq!(fake.services() - before, 2, "whoever does not drive has one for each");
    device.claim();
    let before = fake.services();
    for _ in 0..10 {
        assert!(device.is_awake().await.unwrap());
        device.perform(&click(), ON).await.unwrap();
    }
    assert_eq!(fake.services() - before, 2, "it is taken over, and the shell is opened");
    assert_eq!(taps(&given), 10);
}

/// Adb's server sends the second of two small packets only when the first was acknowledged, for which systems by
/// themselves take 40 ms or more.
#[tokio::test]
async fn answers_in_two_packets_are_not_held_back() {
    let (fake, _) = phone(0, Does::Answers).await;
    let device = fake.open().await;
    device.claim();
    let begun = tokio::time::Instant::now();
    for _ in 0..50 {
        assert!(device.is_awake().await.unwrap());
    }
    let took = begun.elapsed();
    // Held back, they take as long as fifty of these; a busy machine takes its share.
    assert!(took < 45 * Duration::from_millis(40), "{took:?} for fifty");
}

#[cfg(any(target_os = "linux", target_os = "android"))]
#[tokio::test]
async fn an_act_whose_answer_does_not_come_is_in_doubt_and_sent_once() {
    let whole = marked(&"0".repeat(32), AWAKE, "", 0).len();
    let cuts = (0..whole).step_by(3).map(Does::Cut);
    for does in cuts.chain([Does::Hangs, Does::Babbles]) {
        let (fake, given) = phone(1, does).await;
        let device = fake.open().await;
        device.claim();
        device.is_awake().await.unwrap();
        device.is_awake().await.unwrap();
        let error = device.perform(&click(), ON).await.unwrap_err();
        assert!(error.may_have_acted(), "{does:?}: {error:?}");
        assert_eq!(matches!(does, Does::Hangs), matches!(error, DeviceError::TimedOut { .. }));
        assert_eq!(taps(&given), 1, "{does:?}");
        // The next act is another one.
        device.perform(&click(), ON).await.unwrap();
        assert_eq!(taps(&given), 2, "{does:?}");
    }
}

#[cfg(any(target_os = "linux", target_os = "android"))]
#[tokio::test]
async fn a_question_that_the_open_shell_does_not_answer_is_asked_again_in_one_of_its_own() {
    for does in [Does::Cut(0), Does::Cut(50), Does::Hangs, Does::Babbles] {
        let (fake, given) = phone(1, does).await;
        let device = fake.open().await;
        device.claim();
        device.is_awake().await.unwrap();
        let before = fake.services();
        assert!(device.is_awake().await.unwrap());
        assert!(device.is_awake().await.unwrap(), "{does:?}");
        assert_eq!(fake.services() - before, 2, "the shell that fails, and one for the question");
        device.is_awake().await.unwrap();
        device.is_awake().await.unwrap();
        assert_eq!(fake.services() - before, 4, "it is not opened again so soon");
        let asked = given.lock().unwrap();
        let asked = asked.iter().filter(|line| line.contains("mWakefulness")).count();
        assert_eq!(asked, 6, "five questions, and one of them twice: {does:?}");
    }
}

#[tokio::test]
async fn a_command_that_takes_most_of_its_time_is_waited_for_and_not_asked_twice() {
    let limits = Limits { shell: Duration::from_secs(1), ..SHORT };
    let (fake, given) = slow_phone(9, Does::Answers, limits.shell * 6 / 10).await;
    let devices = AdbDevices::new(AdbConfig { limits, ..fake.config() });
    let device = devices.open_adb(&DeviceId::new("X")).await.unwrap();
    device.claim();
    device.is_awake().await.unwrap();
    let before = fake.services();
    assert!(device.is_awake().await.unwrap());
    assert_eq!(fake.services() - before, 1, "the shell");
    let asked = given.lock().unwrap();
    assert_eq!(asked.iter().filter(|line| line.contains("mWakefulness")).count(), 2);
}

#[tokio::test]
async fn a_shell_that_has_ended_meanwhile_leaves_no_doubt() {
    let (fake, given) = phone(0, Does::Dies).await;
    let device = fake.open().await;
    device.claim();
    for tap in 1..=4 {
        device.perform(&click(), ON).await.unwrap();
        assert_eq!(taps(&given), tap);
    }
}

#[tokio::test]
async fn a_phone_that_keeps_no_shell_open_is_driven_as_before() {
    // Its shell ends at once.
    let fake = Fake::phone(|request| {
        let line = request.strip_prefix("shell,v2,raw:")?;
        Some(if line.is_empty() { Reply::out("") } else { Reply::out(AWAKE) })
    })
    .await;
    let device = fake.open().await;
    device.claim();
    for _ in 0..3 {
        device.perform(&click(), ON).await.unwrap();
    }
    let taps = fake.commands().iter().filter(|line| line.contains("input tap")).count();
    assert_eq!(taps, 3);
    // Before Android 7 there are no packets.
    let fake = Fake::phone(|request| {
        if request == "host-serial:X:features" {
            return Some(Reply::Body("cmd".to_owned()));
        }
        let mark = request.strip_prefix("shell:")?.rsplit('"').nth(1)?.strip_suffix("$?")?;
        Some(Reply::Bytes(format!("{AWAKE}{mark}0\r\n").into_bytes()))
    })
    .await;
    let device = fake.open().await;
    device.claim();
    for _ in 0..3 {
        assert!(device.is_awake().await.unwrap());
    }
    assert!(!fake.all_commands().contains(&String::new()), "no shell was opened");
}
