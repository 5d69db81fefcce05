//! One phone that is reached in several ways, and several phones that look alike.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use ayeaye_agent::{
    Device as _, DeviceError, DeviceId, DeviceSource as _, Gesture, Point, ScreenSize, Transport,
};

use super::fake::{Fake, Reply};
use crate::{AdbConfig, AdbDevices, ServerAddress};

const FIRST: &str = "5d1a6e7c-1111-4000-8000-000000000001";
const SECOND: &str = "5d1a6e7c-2222-4000-8000-000000000002";

/// A server with these lines, all of which lead to a system with this boot id.
async fn server(lines: &'static str, boot: &'static str) -> Fake {
    server_of(lines, boot, "64769:131").await
}

/// The same, with this as the place of its folder.
async fn server_of(lines: &'static str, boot: &'static str, folder: &'static str) -> Fake {
    Fake::start(move |request| match request {
        "host:devices-l" => Reply::Body(lines.to_owned()),
        r if r.contains("boot_id") => Reply::out(format!(
            "{boot}\n--ayeaye--\nR58M1\n--ayeaye--\n100.0 300.0\n--ayeaye--\n{folder}\n"
        )),
        r if r.ends_with(":features") => Reply::Body("shell_v2".to_owned()),
        r if r.starts_with("host:transport:") => Reply::Okay,
        r if r.starts_with("shell,v2,raw:") => Reply::out(""),
        _ => Reply::Fail("unknown host service"),
    })
    .await
}

fn both(first: &Fake, second: &Fake) -> AdbDevices {
    AdbDevices::with_further(first.config(), vec![second.config()])
}

fn id(text: &str) -> DeviceId {
    DeviceId::new(text)
}

#[tokio::test]
async fn a_phone_on_a_cable_and_on_wifi_is_one() {
    let fake = server(
        "10.0.0.9:5555 device transport_id:1\nR58M1 device transport_id:2\n\
         adb-R58M1-abc._adb-tls-connect._tcp device transport_id:3\n",
        FIRST,
    )
    .await;
    let devices = fake.devices();
    let list = devices.list().await.unwrap();
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!((list[0].id.as_str(), list[0].transport), ("R58M1", Transport::Usb));
    let wireless = [id("10.0.0.9:5555"), id("adb-R58M1-abc._adb-tls-connect._tcp")];
    assert_eq!(list[0].also, wireless);
    for name in ["R58M1", "10.0.0.9:5555", "adb-R58M1-abc._adb-tls-connect._tcp"] {
        let device = devices.open(&id(name)).await.unwrap();
        assert_eq!(device.id().as_str(), "R58M1");
        assert_eq!(devices.names(&id(name)).await.unwrap(), list[0].names());
    }
    // What is learnt of it, and whose turn it is to list its elements, is one as well.
    let ways = [devices.open_adb(&id("R58M1")).await, devices.open_adb(&id("10.0.0.9:5555")).await];
    let [cable, wifi] = ways.map(Result::unwrap);
    assert!(std::ptr::eq(cable.client().dumps(), wifi.client().dumps()));
    // Asked once a connection, however often the phones are listed.
    let asked = fake.all_commands().iter().filter(|it| it.contains("boot_id")).count();
    assert_eq!(asked, 3);
}

#[tokio::test]
async fn an_emulator_is_not_listed_again_by_its_port() {
    let lines = "127.0.0.1:5555 device transport_id:1\nemulator-5554 device transport_id:2\n";
    let list = server(lines, FIRST).await.devices().list().await.unwrap();
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!((list[0].id.as_str(), list[0].transport), ("emulator-5554", Transport::Emulator));
    assert_eq!(list[0].also, [id("127.0.0.1:5555")]);
}

#[tokio::test]
async fn phones_that_look_alike_are_not_taken_for_one() {
    // Two emulators that were started from one snapshot at one time, and two copies of one cheap phone.
    for lines in [
        "emulator-5554 device transport_id:1\nemulator-5556 device transport_id:2\n\
         127.0.0.1:5557 device transport_id:3\n",
        "0123456789ABCDEF device transport_id:1\n0123456789ABCDEG device transport_id:2\n",
    ] {
        let list = server(lines, FIRST).await.devices().list().await.unwrap();
        assert_eq!(list.len(), lines.lines().count(), "{list:?}");
        assert!(list.iter().all(|it| it.also.is_empty() && it.identity.is_none()), "{list:?}");
    }
    // A phone that does not tell what it is, twice.
    let fake =
        server("R58M1 device transport_id:1\n10.0.0.9:5555 device transport_id:2\n", "").await;
    assert_eq!(fake.devices().list().await.unwrap().len(), 2);
}

#[tokio::test]
async fn phones_in_containers_of_one_machine_are_several() {
    let lines = "10.0.0.9:5555 device transport_id:1\n10.0.0.9:5556 device transport_id:2\n";
    // Each tells its own folder; or none does, and nothing proves that they are one.
    let (first, second) = (
        server_of("10.0.0.9:5555 device transport_id:1\n", FIRST, "64769:131").await,
        server_of("10.0.0.9:5556 device transport_id:1\n", FIRST, "64769:977").await,
    );
    let list = both(&first, &second).list().await.unwrap();
    assert_eq!(list.len(), 2, "{list:?}");
    assert_ne!(list[0].identity, list[1].identity, "two leases");
    let silent = server_of(lines, FIRST, "").await;
    let list = silent.devices().list().await.unwrap();
    assert_eq!(list.len(), 2, "{list:?}");
    assert!(list.iter().all(|it| it.also.is_empty()), "{list:?}");
    // One phone at two addresses tells the same of both.
    assert_eq!(server(lines, FIRST).await.devices().list().await.unwrap().len(), 1);
    // A phone that is too old to tell it, on a cable and over Wi-Fi, is one as before.
    let old = "R58M1 device transport_id:1\n10.0.0.9:5555 device transport_id:2\n";
    let list = server_of(old, FIRST, "stat: not found").await.devices().list().await.unwrap();
    assert_eq!(list.len(), 1, "{list:?}");
}

#[tokio::test]
async fn a_phone_at_two_servers_is_listed_once() {
    let near = server("10.0.0.9:5555 device transport_id:1\n", FIRST).await;
    let far =
        server("R58M1 device transport_id:7\n10.0.0.9:5555 device transport_id:8\n", FIRST).await;
    let devices = both(&near, &far);
    let list = devices.list().await.unwrap();
    assert_eq!(list.len(), 1, "{list:?}");
    assert_eq!(list[0].id, id("R58M1"), "the cable is better, wherever it is");
    assert_eq!(list[0].also, [id("10.0.0.9:5555")]);
    let device = devices.open(&id("10.0.0.9:5555")).await.unwrap();
    device.info().await.unwrap_err(); // it tells nothing, but it was asked
    assert!(far.commands().iter().any(|it| it.contains("ro.product.model")));
    assert!(!near.commands().iter().any(|it| it.contains("ro.product.model")));
}

#[tokio::test]
async fn two_phones_of_one_serial_at_two_servers_can_both_be_named() {
    let near = server("emulator-5554 device transport_id:1\n", FIRST).await;
    let far = server("emulator-5554 device transport_id:1\n", SECOND).await;
    let devices = both(&near, &far);
    let list = devices.list().await.unwrap();
    let names: Vec<_> = list.iter().map(|it| it.id.to_string()).collect();
    let second = format!("emulator-5554@{}", far.config().server);
    assert_eq!(names, ["emulator-5554", &second]);
    for (name, at, other) in [("emulator-5554", &near, &far), (second.as_str(), &far, &near)] {
        let before = other.commands().len();
        let device = devices.open(&id(name)).await.unwrap();
        device.wake().await.unwrap_err(); // it is mute about its screen
        assert_eq!(device.id().as_str(), name);
        assert_eq!(other.commands().len(), before);
        assert!(!at.commands().is_empty());
    }
}

#[tokio::test]
async fn a_serial_does_not_pass_to_the_phone_of_another_server() {
    let closed = Arc::new(AtomicBool::new(false));
    let is_closed = Arc::clone(&closed);
    let near = Fake::start(move |request| match request {
        "host:devices-l" if is_closed.load(Ordering::SeqCst) => Reply::Body(String::new()),
        "host:devices-l" => Reply::Body("emulator-5554 device transport_id:1\n".to_owned()),
        r if r.contains("boot_id") => {
            Reply::out(format!("{FIRST}\n--ayeaye--\nE\n--ayeaye--\n1 1"))
        }
        r if r.ends_with(":features") => Reply::Body("shell_v2".to_owned()),
        r if r.starts_with("host:transport:") => Reply::Okay,
        _ => Reply::out(""),
    })
    .await;
    let far = server("emulator-5554 device transport_id:1\n", SECOND).await;
    let second = format!("emulator-5554@{}", far.config().server);
    let devices = both(&near, &far);
    devices.open(&id("emulator-5554")).await.unwrap();
    closed.store(true, Ordering::SeqCst);
    let list = devices.list().await.unwrap();
    assert_eq!(list[0].id.as_str(), second);
    let error = devices.open(&id("emulator-5554")).await.unwrap_err();
    assert!(error.is_unreachable() && error.to_string().contains(&second), "{error}");
    assert_eq!(devices.open(&id(&second)).await.unwrap().id().as_str(), second);
    // Whoever has not seen the other one still knows the phone by its full name.
    let devices = both(&near, &far);
    assert_eq!(devices.list().await.unwrap()[0].id.as_str(), "emulator-5554");
    devices.open(&id(&second)).await.unwrap();
    let names = devices.names(&id(&second)).await.unwrap();
    assert!(names.include(&id(&second)) && names.include(&id("emulator-5554")), "{names:?}");
}

#[tokio::test]
async fn a_server_in_trouble_hides_no_phone_of_the_others() {
    let gone = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: 1 };
    let gone = AdbConfig { server: gone, ..Fake::start(|_| Reply::Cut).await.config() };
    let mute = Fake::start(|_| Reply::Mute).await;
    let good = server("R58M1 device transport_id:1\n", FIRST).await;
    let devices = AdbDevices::with_further(gone.clone(), vec![mute.config(), good.config()]);
    assert_eq!(devices.list().await.unwrap()[0].id, id("R58M1"));
    devices.open(&id("R58M1")).await.unwrap();
    let answers: Vec<bool> = devices.servers().await.iter().map(|(_, it)| it.is_ok()).collect();
    assert_eq!(answers, [false, false, false], "none of them tells a version");
    let nobody = AdbDevices::with_further(gone, vec![mute.config()]);
    assert!(matches!(nobody.list().await, Err(DeviceError::NoServer { .. })));
}

#[tokio::test]
async fn a_serial_leads_to_the_phone_when_its_own_way_is_gone() {
    // The cable was pulled out; the phone's serial number tells that it is the one at hand.
    let fake = server("10.0.0.9:5555 device transport_id:3\n", FIRST).await;
    let devices = fake.devices();
    assert_eq!(devices.open(&id("R58M1")).await.unwrap().id().as_str(), "10.0.0.9:5555");
    let names = devices.names(&id("R58M1")).await.unwrap();
    assert!(names.include(&id("R58M1")) && names.id == id("10.0.0.9:5555"), "{names:?}");
    assert!(matches!(devices.open(&id("R58M2")).await, Err(DeviceError::NotFound(_))));
}

#[tokio::test]
async fn a_name_is_remembered_while_its_way_is_down() {
    let down = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let is_down = down.clone();
    let fake = Fake::start(move |request| match request {
        "host:devices-l" if is_down.load(std::sync::atomic::Ordering::SeqCst) => {
            Reply::Body("emulator-5554 device transport_id:1\n127.0.0.1:5555 offline\n".to_owned())
        }
        "host:devices-l" => Reply::Body(
            "emulator-5554 device transport_id:1\n127.0.0.1:5555 device transport_id:2\n"
                .to_owned(),
        ),
        r if r.contains("boot_id") => {
            Reply::out(format!("{FIRST}\n--ayeaye--\nX\n--ayeaye--\n1 1"))
        }
        r if r.ends_with(":features") => Reply::Body("shell_v2".to_owned()),
        r if r.starts_with("host:transport:") => Reply::Okay,
        _ => Reply::out(""),
    })
    .await;
    let devices = fake.devices();
    let name = id("127.0.0.1:5555");
    assert_eq!(devices.open(&name).await.unwrap().id().as_str(), "emulator-5554");
    down.store(true, std::sync::atomic::Ordering::SeqCst);
    assert_eq!(devices.open(&name).await.unwrap().id().as_str(), "emulator-5554");
    // Whoever has not seen it before cannot know.
    assert!(matches!(fake.devices().open(&name).await, Err(DeviceError::NotReady(..))));
}

#[tokio::test]
async fn what_is_known_of_connections_ends_with_their_server() {
    let restarted = Arc::new(AtomicBool::new(false));
    let is_restarted = Arc::clone(&restarted);
    let fake = Fake::start(move |request| match request {
        // A phone that went and came back, and the first one after a restart.
        "host:devices-l" if is_restarted.load(Ordering::SeqCst) => {
            Reply::Body("10.0.0.9:5555 device transport_id:1\n".to_owned())
        }
        "host:devices-l" => Reply::Body("R58M1 device transport_id:2\n".to_owned()),
        r if r.contains("boot_id") => {
            Reply::out(format!("{FIRST}\n--ayeaye--\n\n--ayeaye--\n1 1\n"))
        }
        r if r.ends_with(":features") => Reply::Body("shell_v2".to_owned()),
        r if r.starts_with("host:transport:") => Reply::Okay,
        _ => Reply::out(""),
    })
    .await;
    let devices = fake.devices();
    let asked = || fake.all_commands().iter().filter(|it| it.contains("boot_id")).count();
    for _ in 0..3 {
        devices.list().await.unwrap();
        devices.list().await.unwrap();
        restarted.fetch_not(Ordering::SeqCst);
    }
    assert_eq!(asked(), 3, "once for each that the server has been");
}

/// A phone on a cable that may be pulled, and over Wi-Fi. The command lines that came over either.
async fn on_a_cable(wireless: &'static str) -> (Fake, Arc<AtomicBool>, Arc<AtomicBool>) {
    let (pulled, frozen) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (is_pulled, is_frozen) = (Arc::clone(&pulled), Arc::clone(&frozen));
    let fake = Fake::start(move |request| match request {
        "host:devices-l" if is_pulled.load(Ordering::Relaxed) => {
            Reply::Body("10.0.0.9:5555 device transport_id:1\n".to_owned())
        }
        "host:devices-l" => Reply::Body(
            "10.0.0.9:5555 device transport_id:1\nR58M1 device transport_id:2\n".to_owned(),
        ),
        "host:transport:R58M1" if is_pulled.load(Ordering::Relaxed) => {
            Reply::Fail("device 'R58M1' not found")
        }
        // What adb knows of a link that has died in silence.
        "host:transport:R58M1" if is_frozen.load(Ordering::Relaxed) => Reply::Silence,
        r if r.contains("boot_id") => {
            Reply::out(format!("{wireless}\n--ayeaye--\nR58M1\n--ayeaye--\n100.0 300.0\n"))
        }
        r if r.ends_with(":features") => Reply::Body("shell_v2".to_owned()),
        r if r.starts_with("host:transport:") => Reply::Okay,
        "exec:screencap" => Reply::Bytes(
            [1_u32, 1, 1, 1, 0xffff_ffff].into_iter().flat_map(u32::to_le_bytes).collect(),
        ),
        r if r.starts_with("shell,v2,raw:") => Reply::out(""),
        _ => Reply::Fail("unknown host service"),
    })
    .await;
    (fake, pulled, frozen)
}

fn tap() -> (Gesture, ScreenSize) {
    let point = Point::new(500, 500).unwrap();
    (Gesture::Click { point }, ScreenSize { width: 1000, height: 2000 })
}

#[tokio::test]
async fn a_phone_whose_cable_is_pulled_goes_on_over_wifi() {
    let (fake, pulled, _) = on_a_cable(FIRST).await;
    let device = fake.devices().open_adb(&id("R58M1")).await.unwrap();
    let (gesture, on) = tap();
    device.capture().await.unwrap();
    let route = device.captured_by().unwrap();
    assert_eq!((route.link.as_str(), route.transport), ("R58M1", Transport::Usb));
    device.perform(&gesture, on).await.unwrap();
    pulled.store(true, Ordering::Relaxed);
    device.perform(&gesture, on).await.unwrap();
    assert_eq!(fake.acts().len(), 2, "each was sent once");
    device.capture().await.unwrap();
    let route = device.captured_by().unwrap();
    assert_eq!((route.way, route.transport), ("raw", Transport::Tcp));
    assert_eq!(route.link, "10.0.0.9:5555");
    assert_eq!(device.id(), &id("R58M1"), "it is the same phone");
}

#[tokio::test]
async fn a_phone_whose_link_has_died_in_silence_goes_on_over_another_and_nothing_is_sent_again() {
    let (fake, _, frozen) = on_a_cable(FIRST).await;
    let device = fake.devices().open_adb(&id("R58M1")).await.unwrap();
    let (gesture, on) = tap();
    frozen.store(true, Ordering::Relaxed);
    let error = device.perform(&gesture, on).await.unwrap_err();
    assert!(error.may_have_acted(), "{error}");
    assert_eq!(fake.acts().len(), 0);
    device.perform(&gesture, on).await.unwrap();
    assert_eq!(fake.acts().len(), 1);
}

#[tokio::test]
async fn a_phone_that_does_not_tell_what_it_is_is_not_looked_for_elsewhere() {
    let (fake, pulled, _) = on_a_cable("").await;
    let device = fake.devices().open_adb(&id("R58M1")).await.unwrap();
    pulled.store(true, Ordering::Relaxed);
    let (gesture, on) = tap();
    let error = device.perform(&gesture, on).await.unwrap_err();
    assert!(matches!(error, DeviceError::NotFound(_)), "{error}");
    assert_eq!(fake.acts().len(), 0);
}

/// As of some cheap phones.
#[tokio::test]
async fn a_phone_without_a_serial_is_not_ready_and_says_what_helps() {
    let fake = server("(no serial number) device usb:1-1 transport_id:3\n", FIRST).await;
    let list = fake.devices().list().await.unwrap();
    let hint = list[0].hint.as_deref().unwrap_or_default();
    assert!(!list[0].ready && hint.contains("`adb tcpip 5555`"), "{list:?}");
    let error = fake.devices().open(&list[0].id).await.unwrap_err().to_string();
    assert!(error.contains("it has no serial"), "{error}");
}
