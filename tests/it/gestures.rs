//! Gestures from the `Device` seam through adb to the virtual phone, on several versions of Android.
use ayeaye_adb::{AdbConfig, AdbDevices, ServerAddress};
use ayeaye_agent::{DeviceId, DeviceSource as _, Gesture, Point};
use ayeaye_phone::{Phone, PhoneOptions, VirtualPhone};

use crate::support::plugged_in;

/// Before Android 12 (API level 31) `input` takes so long to start that the second tap has to be a
/// background job of the phone's shell.
#[tokio::test(flavor = "multi_thread")]
async fn a_double_click_is_two_close_taps_on_every_version_of_android() {
    for sdk in [28, 30, 31, 34] {
        let phone = VirtualPhone::new(Phone::new(PhoneOptions { sdk, ..PhoneOptions::default() }));
        let (adb, _guard) = plugged_in(&phone).await;
        let server = ServerAddress::Tcp { host: adb.ip().to_string(), port: adb.port() };
        let devices = AdbDevices::new(AdbConfig::new(server, None));
        let device = devices.open(&DeviceId::new(phone.serial())).await.unwrap();
        let screen = device.info().await.unwrap().screen;
        let double_click = Gesture::DoubleClick { point: Point::new(500, 500).unwrap() };
        // The phone keeps real time: on a busy machine a first try may be too slow.
        for tries in 1..=3 {
            device.perform(&double_click, screen).await.unwrap();
            let counts = phone.phone().state().counts;
            assert_eq!(counts.taps, 2 * tries, "API level {sdk}");
            if counts.double_taps == 1 {
                break;
            }
        }
        assert_eq!(phone.phone().state().counts.double_taps, 1, "API level {sdk}");
    }
}
