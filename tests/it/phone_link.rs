//! What a phone is asked for and how it comes: counted, on a phone that is driven.
use std::sync::Arc;

use ayeaye_adb::{AdbConfig, AdbDevices, ServerAddress};
use ayeaye_agent::{Device, DeviceError, DeviceId, DeviceSource as _, Gesture, Key};
use ayeaye_phone::{Trigger, VirtualPhone};
use tokio_util::sync::DropGuard;

use crate::support::{plugged_in, quick_phone};

/// A virtual phone that is driven.
struct Driven {
    phone: VirtualPhone,
    device: Arc<dyn Device>,
    _server: DropGuard,
}

async fn driven() -> Driven {
    let phone = quick_phone();
    let (address, server) = plugged_in(&phone).await;
    let address = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: address.port() };
    let devices = AdbDevices::new(AdbConfig::new(address, None));
    let device = devices.open(&DeviceId::new(phone.serial())).await.unwrap();
    device.claim();
    Driven { phone, device, _server: server }
}

impl Driven {
    /// Presses the home key.
    async fn act(&self) -> Result<(), DeviceError> {
        let size = ayeaye_agent::ScreenSize { width: 540, height: 1200 };
        self.device.perform(&Gesture::HotKey { key: Key::Home }, size).await.map(drop)
    }

    fn pressed(&self) -> u64 {
        self.phone.phone().state().counts.keys
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_looks_and_acts_start_two_shells() {
    let it = driven().await;
    let before = it.phone.adb_counts().services;
    for _ in 0..10 {
        assert!(it.device.state().await.unwrap().awake);
        it.act().await.unwrap();
    }
    // One that takes the phone over, and one for all the rest.
    assert_eq!(it.phone.adb_counts().services - before, 2);
    assert_eq!(it.pressed(), 10);
    let counts = it.phone.adb_counts();
    assert_eq!(
        (counts.syntax_errors, counts.unknown_commands, counts.malformed_commands),
        (0, 0, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_whose_answer_is_lost_is_begun_once_and_the_phone_knows() {
    let it = driven().await;
    it.device.state().await.unwrap();
    it.device.state().await.unwrap();
    let mark = it.device.act_mark().unwrap();
    it.phone.inject(|plan| plan.no_exit_status = Some(Trigger::NextInput));
    let error = it.act().await.unwrap_err();
    assert!(matches!(error, DeviceError::LinkLost(..)), "{error:?}");
    assert_eq!(it.pressed(), 1);
    // Questions go on at once, and so do acts.
    assert!(it.device.state().await.unwrap().awake);
    it.act().await.unwrap();
    assert_eq!(it.pressed(), 2);
    // Whoever drives it next is told that it had begun.
    it.device.claim();
    assert_eq!(it.device.has_begun(&mark).await.unwrap(), Some(true));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_that_is_killed_between_two_acts_leaves_no_doubt() {
    let it = driven().await;
    for pressed in 1..=3 {
        it.act().await.unwrap();
        assert_eq!(it.pressed(), pressed);
        let before = it.phone.adb_counts().services;
        it.phone.faults().kill_link();
        // Until it was noticed, and another shell was opened.
        while it.phone.adb_counts().services == before {
            drop(it.device.state().await);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn where_raw_captures_take_long_the_phone_packs_them_from_the_second_on() {
    let it = driven().await;
    // Raw, a capture is 2.6 MB here: 0.6 s, which is too long for the next, and not so long that it is broken off.
    it.phone.faults().set(|plan| plan.bandwidth = Some(4_300_000));
    for way in ["raw", "gzip", "gzip", "gzip"] {
        let frame = it.device.capture().await.unwrap();
        assert_eq!(frame.rgba(), it.phone.phone().frame().rgba, "whole and without loss");
        assert_eq!(it.device.captured_by().unwrap().way, way);
    }
}
