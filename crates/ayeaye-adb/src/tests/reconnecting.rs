//! A phone on the network that the adb server has forgotten, as one does that was started anew.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};

use ayeaye_agent::{Device as _, DeviceError, DeviceId, DeviceSource as _};

use super::fake::{Fake, Reply};
use crate::AdbDevice;

const PHONE: &str = "10.0.0.9:5555";

/// What the server knows and was asked.
#[derive(Debug, Default)]
struct Known {
    is_forgotten: AtomicBool,
    /// The phone cannot be reached, or has left its address to another one.
    is_away: AtomicBool,
    is_other: AtomicBool,
    connects: AtomicU32,
    disconnects: AtomicU32,
}

impl Known {
    fn answer(&self, serial: &str, request: &str) -> Reply {
        let has = |it: &AtomicBool| it.load(Ordering::SeqCst);
        let serial_number = if has(&self.is_other) { "ANNA9" } else { "R58M1" };
        match request {
            "host:devices-l" if has(&self.is_forgotten) => Reply::Body(String::new()),
            "host:devices-l" => Reply::Body(format!("{serial} device product:p model:m\n")),
            _ if request.starts_with("host:connect:") => {
                assert_eq!(request, format!("host:connect:{PHONE}"), "and no other");
                self.connects.fetch_add(1, Ordering::SeqCst);
                if has(&self.is_away) {
                    return Reply::Body(format!("failed to connect to {PHONE}"));
                }
                self.is_forgotten.store(false, Ordering::SeqCst);
                Reply::Body(format!("connected to {PHONE}"))
            }
            _ if request.starts_with("host:disconnect:") => {
                self.disconnects.fetch_add(1, Ordering::SeqCst);
                Reply::Body(format!("disconnected {PHONE}"))
            }
            _ if request.starts_with("host:transport:") && has(&self.is_forgotten) => {
                Reply::Fail("device '10.0.0.9:5555' not found")
            }
            _ if request.starts_with("host:transport:") => Reply::Okay,
            _ if request.ends_with(":features") => Reply::Body("cmd,shell_v2".to_owned()),
            _ if request.contains("wm size") => {
                let size = "Physical size: 1080x2400";
                let told = ["Pixel 7", "14", "product", "34", size, "", "", serial_number];
                Reply::out(told.join("\n--ayeaye--\n"))
            }
            _ if request.starts_with("shell,v2,raw:getprop ro.product.model") => {
                Reply::out(format!("Pixel 7\n--ayeaye--\n{serial_number}\n"))
            }
            _ if request.contains("dumpsys power") => Reply::out("  mWakefulness=Awake\n"),
            _ => Reply::Fail("closed"),
        }
    }
}

async fn phone(serial: &'static str) -> (Fake, Arc<AdbDevice>, Arc<Known>) {
    let known = Arc::new(Known::default());
    let its = Arc::clone(&known);
    let fake = Fake::start(move |request| its.answer(serial, request)).await;
    let device = fake.devices().open_adb(&DeviceId::new(serial)).await.unwrap();
    (fake, device, known)
}

fn counts(known: &Known) -> (u32, u32) {
    (known.connects.load(Ordering::SeqCst), known.disconnects.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_driven_phone_that_the_server_has_forgotten_is_connected_again() {
    let (_fake, device, known) = phone(PHONE).await;
    device.info().await.unwrap();
    known.is_forgotten.store(true, Ordering::SeqCst);
    assert!(device.is_awake().await.unwrap());
    assert_eq!(counts(&known), (1, 0));
}

#[tokio::test]
async fn one_that_is_away_is_asked_for_now_and_then_and_leaves_nothing_in_the_list() {
    let (_fake, device, known) = phone(PHONE).await;
    device.info().await.unwrap();
    known.is_forgotten.store(true, Ordering::SeqCst);
    known.is_away.store(true, Ordering::SeqCst);
    for _ in 0..3 {
        let error = device.is_awake().await.unwrap_err();
        assert!(matches!(error, DeviceError::NotFound(_)), "{error:?}");
    }
    assert_eq!(counts(&known), (1, 1));
}

#[tokio::test]
async fn another_phone_that_has_its_address_is_not_driven() {
    let (_fake, device, known) = phone(PHONE).await;
    device.info().await.unwrap();
    known.is_forgotten.store(true, Ordering::SeqCst);
    known.is_other.store(true, Ordering::SeqCst);
    let error = device.is_awake().await.unwrap_err();
    assert!(matches!(error, DeviceError::OtherPhone { .. }), "{error:?}");
}

#[tokio::test]
async fn nobody_connects_a_phone_that_is_not_driven_or_on_a_cable() {
    let (_fake, device, known) = phone(PHONE).await;
    known.is_forgotten.store(true, Ordering::SeqCst);
    device.is_awake().await.unwrap_err();
    assert_eq!(counts(&known), (0, 0), "nobody has begun a run");
    let (_fake, device, known) = phone("R58M1").await;
    device.info().await.unwrap();
    known.is_forgotten.store(true, Ordering::SeqCst);
    device.is_awake().await.unwrap_err();
    assert_eq!(counts(&known), (0, 0), "on a cable");
}

#[tokio::test]
async fn a_phone_that_was_acted_on_is_connected_again_by_whoever_asks_for_it() {
    for (was_driven, is_away, connects) in
        [(true, false, 1), (true, true, 1), (false, false, 0), (false, true, 0)]
    {
        let known = Arc::new(Known::default());
        let its = Arc::clone(&known);
        let fake = Fake::start(move |request| its.answer(PHONE, request)).await;
        let (devices, id) = (fake.devices(), DeviceId::new(PHONE));
        let device = devices.open_adb(&id).await.unwrap();
        if was_driven {
            device.claim();
        }
        known.is_away.store(is_away, Ordering::SeqCst);
        known.is_forgotten.store(true, Ordering::SeqCst);
        // One that is away is not waited for each time.
        for _ in 0..2 {
            let is_there = devices.names(&id).await.is_some();
            assert_eq!(is_there, was_driven && !is_away);
            assert_eq!(devices.open_adb(&id).await.is_ok(), is_there);
        }
        assert_eq!(counts(&known).0, connects, "{was_driven} {is_away}");
    }
}
