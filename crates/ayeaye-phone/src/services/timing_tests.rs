//! How long things take on a phone with a profile. The clock stands still but for waits, so times are exact.
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex},
    time::{Instant, sleep},
};

use super::{Service, serve};
use crate::{
    device::VirtualPhone, options::PhoneOptions, packages::Component, phone::Phone,
    profile::Profile, stream::Stream,
};

pub(super) const MS: Duration = Duration::from_millis(1);
const RAW: usize = 16 + 540 * 1200 * 4;

/// A phone whose screens change at once.
pub(super) fn device(profile: Profile) -> VirtualPhone {
    let options = PhoneOptions { width: 540, height: 1200, ..PhoneOptions::default() };
    let options = options.with_profile(profile);
    VirtualPhone::new(Phone::new(PhoneOptions { transitions: Default::default(), ..options }))
}

/// The answer of a service to these bytes, and how long it took to arrive whole.
pub(super) async fn ask(device: &VirtualPhone, name: &str, request: &[u8]) -> (Vec<u8>, Duration) {
    let begun = Instant::now();
    // The client's end of the input stays open: its end would end the service.
    let (mut keyboard, input): (DuplexStream, _) = duplex(1 << 10);
    keyboard.write_all(request).await.unwrap();
    let (output, mut client) = duplex(1 << 20);
    let stream = Stream { input: Box::new(input), output: Box::new(output) };
    let service = Service::parse(name.as_bytes()).unwrap();
    let mut answer = Vec::new();
    let (_, read) = tokio::join!(serve(device, service, stream), client.read_to_end(&mut answer));
    read.unwrap();
    (answer, begun.elapsed())
}

/// How long so many bytes take at so many in a second.
fn at_rate(bytes: usize, rate: Option<u64>) -> Duration {
    rate.map_or(Duration::ZERO, |rate| Duration::from_nanos(bytes as u64 * 1_000_000_000 / rate))
}

fn carried(bytes: usize, profile: Profile) -> Duration {
    at_rate(bytes, profile.timing().bandwidth)
}

#[track_caller]
fn assert_about(what: &str, took: Duration, wanted: Duration) {
    // Each wait may be rounded up to a millisecond.
    assert!(wanted <= took && took <= wanted + 8 * MS, "{what}: {took:?} instead of {wanted:?}");
}

#[tokio::test(start_paused = true)]
async fn a_capture_takes_its_making_and_its_bytes() {
    for profile in Profile::ALL {
        let device = device(profile);
        let timing = profile.timing();
        let taken = timing.shell + timing.capture;
        let (raw, took) = ask(&device, "exec:screencap", b"").await;
        assert_eq!(raw.len(), RAW);
        assert_about("raw", took, taken + carried(RAW, profile));
        let (png, took) = ask(&device, "exec:screencap -p", b"").await;
        assert!(png.len() * 10 < RAW, "{}", png.len());
        assert_about("png", took, taken + timing.png + carried(png.len(), profile));
        let (packed, took) = ask(&device, "exec:screencap | gzip -1", b"").await;
        let packed = at_rate(RAW, timing.gzip) + carried(packed.len(), profile);
        assert_about("gzip", took, taken + packed);
        let (digest, took) = ask(&device, "exec:screencap | sha256sum", b"").await;
        assert_eq!(digest, format!("{:x}  -\n", Sha256::digest(&raw)).into_bytes());
        assert_about("sha256sum", took, taken + at_rate(RAW, timing.sha256sum));
        let (whole, took) = ask(&device, "framebuffer:", b"").await;
        let wanted = timing.round_trip + timing.capture + carried(whole.len(), profile);
        assert_about("framebuffer", took, wanted);
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_takes_its_bytes() {
    let device = device(Profile::Wifi);
    device.files().write("/sdcard/x", vec![7; 2 << 20], 0o660, 0).unwrap();
    let request = b"RECV\x09\0\0\0/sdcard/xQUIT\0\0\0\0";
    let (answer, took) = ask(&device, "sync:", request).await;
    assert!(2 << 20 < answer.len());
    let timing = Profile::Wifi.timing();
    assert_about("a file", took, timing.round_trip + carried(answer.len(), Profile::Wifi));
}

#[tokio::test(start_paused = true)]
async fn two_captures_at_once_share_the_link() {
    let device = device(Profile::Usb2);
    let timing = Profile::Usb2.timing();
    let (first, second) =
        tokio::join!(ask(&device, "exec:screencap", b""), ask(&device, "exec:screencap", b""));
    let both = timing.shell + timing.capture + carried(2 * RAW, Profile::Usb2);
    let last_portion = carried(256 << 10, Profile::Usb2);
    for (picture, took) in [first, second] {
        assert_eq!(picture.len(), RAW);
        assert!(both <= took + last_portion, "{took:?} of {both:?}: it had the link for itself");
        assert!(took <= both + 8 * MS, "{took:?} instead of {both:?}");
    }
    // An idle link has nothing to catch up on.
    sleep(Duration::from_secs(9)).await;
    let (_, alone) = ask(&device, "exec:screencap", b"").await;
    assert_about("alone", alone, timing.shell + timing.capture + carried(RAW, Profile::Usb2));
}

/// Asserts that an app which opens while a capture is under way is not on it; returns how long the capture took.
async fn shows_its_beginning(device: &VirtualPhone, shell: Duration) -> Duration {
    let before = device.phone().frame();
    let opened = async {
        // The picture is taken and not yet written.
        sleep(shell + 10 * MS).await;
        let settings = Component::parse("com.android.settings/.Settings").unwrap();
        device.phone().start_activity(&settings).unwrap();
    };
    let ((raw, took), ()) = tokio::join!(ask(device, "exec:screencap", b""), opened);
    assert_ne!(device.phone().frame().rgba, before.rgba, "the app is open");
    assert!(raw[16..] == before.rgba, "and the capture shows what was there before");
    took
}

#[tokio::test(start_paused = true)]
async fn a_capture_shows_the_screen_at_its_beginning() {
    shows_its_beginning(&device(Profile::Usb2), Profile::Usb2.timing().shell).await;
}

#[tokio::test(start_paused = true)]
async fn a_capture_that_a_fault_delays_shows_the_screen_at_its_beginning_too() {
    let phone = device(Profile::AsIs);
    phone.inject(|plan| plan.capture_delay_ms = 400);
    let took = shows_its_beginning(&phone, Duration::ZERO).await;
    assert_about("delayed", took, 400 * MS);
}

#[tokio::test(start_paused = true)]
async fn commands_take_their_time_on_top_of_the_shell() {
    let phone = device(Profile::Usb3);
    let timing = Profile::Usb3.timing();
    for (line, wanted) in [
        ("true", Duration::ZERO),
        ("input tap 5 5", timing.input),
        ("cmd input tap 5 5", timing.input),
        ("input swipe 5 5 9 9 300", timing.input + 300 * MS),
        ("dumpsys window", timing.dumpsys),
        ("wm size", timing.service),
        ("wm size && wm density", 2 * timing.service),
        ("monkey -p com.android.settings 1", timing.java),
        ("uiautomator dump", timing.elements),
    ] {
        let (answer, took) = ask(&phone, &format!("shell:{line}"), b"").await;
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let sent = carried(answer.len(), Profile::Usb3);
        assert_about(&format!("{line}: {answer}"), took, timing.shell + wanted + sent);
    }
    let (_, took) = ask(&device(Profile::AsIs), "shell:wm size && input tap 5 5", b"").await;
    assert_eq!(took, Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn lines_of_an_open_shell_take_a_round_trip_each() {
    let timing = Profile::Wifi.timing();
    let lines = b"true\ntrue\ntrue\nexit\n";
    let (_, took) = ask(&device(Profile::Wifi), "shell,raw:", lines).await;
    assert_about("four lines", took, timing.shell + 4 * timing.round_trip);
}

/// How long a screen moves after this key.
fn moves_after(device: &VirtualPhone, key: u32) -> Duration {
    device.phone().key(key, false);
    let now = Instant::now();
    device.phone().settles_at().map_or(Duration::ZERO, |rest| rest.saturating_duration_since(now))
}

#[tokio::test(start_paused = true)]
async fn transitions_take_as_long_as_the_settings_say() {
    const HOME: u32 = 3;
    for (scale, longest) in [(None, 200 * MS), (Some("2.0"), 400 * MS), (Some("0"), Duration::ZERO)]
    {
        let transitions = (200 * MS, 200 * MS);
        let device =
            VirtualPhone::new(Phone::new(PhoneOptions { transitions, ..PhoneOptions::default() }));
        let settings = Component::parse("com.android.settings/.Settings").unwrap();
        for key in ["window_animation_scale", "transition_animation_scale"] {
            device.phone().put_setting("global", key, Some("0"));
        }
        device.phone().start_activity(&settings).unwrap();
        device.phone().put_setting("global", "transition_animation_scale", scale);
        assert_eq!(moves_after(&device, HOME), longest, "{scale:?}");
    }
}
