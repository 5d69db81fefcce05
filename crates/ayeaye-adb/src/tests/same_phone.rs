//! Another phone that answers in place of the one that is driven.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ayeaye_agent::{
    Device as _, DeviceError, DeviceId, DeviceSource as _, Gesture, Point, ScreenSize,
};

use super::fake::{Fake, Lines, Reply};
use super::one_shell::marked;
use crate::client::PhoneMarks;

const ON: ScreenSize = ScreenSize { width: 1080, height: 2400 };
const PIXEL: [&str; 2] = ["Pixel 7", "R58M1"];

fn click() -> Gesture {
    Gesture::Click { point: Point::new(500, 500).unwrap() }
}

/// A phone that can be taken away, and whoever has its address when somebody is there again.
#[derive(Debug, Default)]
struct Address {
    is_away: AtomicBool,
    who: AtomicUsize,
}

impl Address {
    fn passes_to(&self, who: usize) {
        self.is_away.store(false, Ordering::SeqCst);
        self.who.store(who, Ordering::SeqCst);
    }

    fn is_lost(&self) {
        self.is_away.store(true, Ordering::SeqCst);
    }
}

async fn phones(all: &'static [[&'static str; 2]]) -> (Fake, Arc<Address>) {
    let address = Arc::new(Address::default());
    let its = Arc::clone(&address);
    let fake = Fake::phone(move |request| {
        let [model, serial] = all[its.who.load(Ordering::SeqCst)];
        if request.starts_with("host:transport:") && its.is_away.load(Ordering::SeqCst) {
            return Some(Reply::Fail("device 'X' not found"));
        }
        if request.contains("wm size") {
            let size = "Physical size: 1080x2400";
            let told = [model, "14", "product", "34", size, "", "", serial].join("\n--ayeaye--\n");
            return Some(Reply::out(told));
        }
        if request.starts_with("shell,v2,raw:getprop ro.product.model") {
            return Some(Reply::out(format!("{model}\n--ayeaye--\n{serial}\n")));
        }
        (request == "shell,v2,raw:").then(short_lived_shell)
    })
    .await;
    (fake, address)
}

#[tokio::test]
async fn another_phone_that_has_the_address_is_neither_looked_at_nor_touched() {
    const OTHERS: [[&str; 2]; 4] =
        [PIXEL, ["Pixel 9 Pro", "R58M1"], ["Pixel 7", "ANNA9"], ["Pixel 9 Pro", "ANNA9"]];
    let (fake, address) = phones(&OTHERS).await;
    for (who, expected) in [(1, "Pixel 9 Pro"), (2, "another one"), (3, "Pixel 9 Pro")] {
        address.passes_to(0);
        let device = fake.open().await;
        device.info().await.unwrap();
        device.perform(&click(), ON).await.unwrap();
        address.is_lost();
        let error = device.is_awake().await.unwrap_err();
        assert!(matches!(error, DeviceError::NotFound(_)), "{error:?}");
        address.passes_to(who);
        let taps = fake.acts().len();
        for error in [
            device.perform(&click(), ON).await.map(drop).unwrap_err(),
            device.capture().await.map(drop).unwrap_err(),
            device.state().await.map(drop).unwrap_err(),
        ] {
            let DeviceError::OtherPhone { before, now, .. } = &error else { panic!("{error:?}") };
            assert_eq!((before.as_str(), now.as_str()), ("Pixel 7", expected));
            assert!(error.ends_driving() && !error.may_have_acted() && !error.is_unreachable());
        }
        assert_eq!(fake.acts().len(), taps, "nothing was done");
        assert!(!fake.commands().iter().any(|it| it.starts_with("screencap")));
        // The first phone is at its place again.
        address.passes_to(0);
        device.perform(&click(), ON).await.unwrap();
    }
}

/// It answers one command, and ends.
fn short_lived_shell() -> Reply {
    let answer = |line: &str| {
        let marker = &line["echo ".len()..][..32];
        let proof = line.contains("exit 7");
        let told =
            if proof { marked(marker, "out\n", "err\n", 7) } else { marked(marker, "", "", 0) };
        Some((told, Duration::ZERO, proof))
    };
    Reply::Lines(Lines(Arc::new(answer)))
}

#[tokio::test]
async fn another_phone_is_noticed_where_nothing_was_asked_while_the_first_one_went() {
    // A shell that stays open over TCP.
    let can_have_shell = cfg!(any(target_os = "linux", target_os = "android"));
    for has_shell in [can_have_shell, false] {
        let (fake, address) = phones(&[PIXEL, ["Pixel 9 Pro", "ANNA9"]]).await;
        let device = fake.open().await;
        let [model, serial_number] = PIXEL.map(|it| Some(it.to_owned()));
        device.client().stay_with(PhoneMarks { model, serial_number });
        if has_shell {
            device.claim();
        }
        device.perform(&click(), ON).await.unwrap();
        address.passes_to(1);
        if !has_shell {
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(3)).await;
            tokio::time::resume();
        }
        let answer = device.perform(&click(), ON).await;
        let is_refused = matches!(answer, Err(DeviceError::OtherPhone { .. }));
        assert!(is_refused, "{has_shell}: {answer:?}");
    }
}

#[tokio::test]
async fn the_same_phone_goes_on_and_is_asked_once_who_it_is() {
    for told in [PIXEL, ["Pixel 7", ""], ["", "R58M1"], ["", ""]] {
        let all: &'static [_] = Vec::leak(vec![PIXEL, told]);
        let (fake, address) = phones(all).await;
        let device = fake.open().await;
        device.info().await.unwrap();
        address.is_lost();
        device.is_awake().await.unwrap_err();
        address.passes_to(1);
        let asks_who = |it: &&String| it.contains("ro.serialno") && !it.contains("wm size");
        let asked = || fake.commands().iter().filter(asks_who).count();
        assert_eq!(asked(), 0);
        for _ in 0..3 {
            device.perform(&click(), ON).await.unwrap();
        }
        assert_eq!(asked(), 1, "{:?}", fake.commands());
    }
}

/// A server that takes a lost connection up again by itself, with the number that it had, whoever answers there.
async fn taken_up_again(serial: &'static str) -> (Fake, Arc<Address>) {
    let address = Arc::new(Address::default());
    let its = Arc::clone(&address);
    let fake = Fake::start(move |request| {
        let who = its.who.load(Ordering::SeqCst);
        match request {
            "host:devices-l" => {
                let state = if its.is_away.load(Ordering::SeqCst) { "offline" } else { "device" };
                Reply::Body(format!("{serial} {state} transport_id:1\n"))
            }
            it if it.contains("boot_id") => {
                let [model, number] = [PIXEL, ["Pixel 9 Pro", "ANNA9"]][who];
                let boot = format!("5d1a6e7c-1111-4000-8000-00000000000{who}");
                let told = [boot.as_str(), number, "100.0 300.0", "", model];
                Reply::out(told.join("\n--ayeaye--\n"))
            }
            it if claimed(it, who).is_some() => claimed(it, who).unwrap(),
            it if it.ends_with(":features") => Reply::Body("shell_v2".to_owned()),
            it if it.starts_with("host:transport:") => Reply::Okay,
            _ => Reply::out(""),
        }
    })
    .await;
    (fake, address)
}

/// What the phone prints when it is claimed by a line that asks who it is.
fn claimed(line: &str, who: usize) -> Option<Reply> {
    let asks = "shell,v2,raw:getprop ro.product.model; echo --ayeaye--; getprop ro.serialno; echo --ayeaye--; mkdir -p";
    let driver = line.strip_prefix(asks)?.split("; mkdir /data/local/tmp/.ayeaye/").nth(1)?;
    let driver = driver.split_whitespace().next()?;
    let [model, number] = [PIXEL, ["Pixel 9 Pro", "ANNA9"]][who];
    Some(Reply::out(format!(
        "{model}\n--ayeaye--\n{number}\n--ayeaye--\nayeaye-drivers: {driver}\n"
    )))
}

async fn time_passes(seconds: u64) {
    tokio::time::pause();
    tokio::time::advance(Duration::from_secs(seconds)).await;
    tokio::time::resume();
}

#[tokio::test]
async fn what_adb_connects_again_by_itself_is_asked_who_it_is() {
    for (serial, may_change) in [("10.0.0.9:5555", true), ("emulator-5554", true), ("R58M1", false)]
    {
        let (fake, address) = taken_up_again(serial).await;
        let (devices, id) = (fake.devices(), DeviceId::new(serial));
        let first = devices.names(&id).await.unwrap().identity.unwrap();
        address.passes_to(1);
        time_passes(3).await;
        let second = devices.names(&id).await.unwrap().identity.unwrap();
        assert_eq!(second != first, may_change, "{serial}");
        // Not once more within two seconds, unless the link was seen to break.
        let asked = || fake.all_commands().iter().filter(|it| it.contains("boot_id")).count();
        let before = asked();
        devices.open_adb(&id).await.unwrap();
        assert_eq!(asked(), before, "{serial}");
        address.is_lost();
        devices.names(&id).await.unwrap();
        address.passes_to(0);
        assert_eq!(devices.names(&id).await.unwrap().identity, Some(first), "{serial}");
        assert_eq!(asked(), before + 1, "{serial}");
    }
}

#[tokio::test]
async fn a_phone_that_is_opened_stays_the_one_that_was_opened() {
    let (fake, address) = taken_up_again("10.0.0.9:5555").await;
    let device = fake.devices().open_adb(&DeviceId::new("10.0.0.9:5555")).await.unwrap();
    device.perform(&click(), ON).await.unwrap();
    let taps = fake.acts().len();
    address.passes_to(1);
    time_passes(3).await;
    // It tells no more of itself in this fake, but it is asked.
    device.perform(&click(), ON).await.unwrap();
    let asks_who = |it: &&String| it.starts_with("getprop ro.product.model");
    assert_eq!(fake.commands().iter().filter(asks_who).count(), 1);
    assert_eq!(fake.acts().len(), taps + 1);
}

#[tokio::test]
async fn a_phone_is_claimed_as_the_one_that_it_is() {
    for serial in ["10.0.0.9:5555", "emulator-5554"] {
        let (fake, address) = taken_up_again(serial).await;
        let devices = fake.devices();
        let device = devices.open_adb(&DeviceId::new(serial)).await.unwrap();
        device.claim();
        device.perform(&click(), ON).await.unwrap();
        let was_done = || fake.all_commands().iter().filter(|it| it.contains("input tap")).count();
        assert_eq!(was_done(), 1, "{serial}");
        // Another one has the address at once, and the list does not show it.
        address.passes_to(1);
        let again = devices.open_adb(&DeviceId::new(serial)).await.unwrap();
        again.claim();
        for _ in 0..2 {
            let answer = again.perform(&click(), ON).await;
            assert!(matches!(answer, Err(DeviceError::OtherPhone { .. })), "{serial}: {answer:?}");
        }
        assert_eq!(was_done(), 1, "{serial}");
    }
}

#[tokio::test]
async fn a_program_that_a_signal_has_ended_may_have_done_its_work() {
    for (code, may_have_acted) in [(137, true), (143, true), (128, false), (1, false), (255, false)]
    {
        let fake = Fake::phone(move |request| {
            let is_tap = request.contains("input tap");
            is_tap.then(|| Reply::Shell(String::new(), "Killed".to_owned(), code))
        });
        let fake = fake.await;
        let error = fake.open().await.perform(&click(), ON).await.unwrap_err();
        assert_eq!(error.may_have_acted(), may_have_acted, "{code}: {error}");
    }
}
