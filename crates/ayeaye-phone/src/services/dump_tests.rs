//! A phone has one `UiAutomation`, which `uiautomator dump` holds while it runs.
use std::time::Duration;

use tokio::{
    io::{AsyncWriteExt as _, duplex},
    time::sleep,
};

use super::{
    Service, serve,
    timing_tests::{MS, ask, device},
};
use crate::{device::VirtualPhone, profile::Profile, stream::Stream};

const DUMP: &str = "exec:uiautomator dump /dev/tty";

/// Whether the elements came, or the refusal of a phone whose `UiAutomation` another process holds.
async fn dumps(device: &VirtualPhone, service: &str) -> bool {
    let (answer, _) = ask(device, service, b"").await;
    let text = String::from_utf8_lossy(&answer);
    let came = text.contains("</hierarchy>");
    let refused = text.contains("IllegalStateException: UiAutomationService ")
        && text.contains("already registered!")
        && text.contains("Killed");
    assert!(came != refused, "{text}");
    came
}

/// A client that closes the stream so long after it has asked.
async fn abandon(device: &VirtualPhone, service: &str, after: Duration) {
    let (mut client, input) = duplex(1 << 10);
    let (output, answer) = duplex(1 << 20);
    let stream = Stream { input: Box::new(input), output: Box::new(output) };
    let (service, phone) = (Service::parse(service.as_bytes()).unwrap(), device.clone());
    let session = tokio::spawn(async move { serve(&phone, service, stream).await });
    sleep(after).await;
    client.shutdown().await.unwrap();
    drop((client, answer));
    // Its session is still there: adbd does not wait for it, and neither does this.
    drop(session);
}

#[tokio::test(start_paused = true)]
async fn one_dump_runs_at_a_time() {
    for profile in [Profile::AsIs, Profile::Usb2] {
        let device = device(profile);
        let later = async {
            sleep(20 * MS).await;
            ask(&device, "shell,v2,raw:uiautomator dump", b"").await
        };
        let (first, (second, took)) = tokio::join!(dumps(&device, DUMP), later);
        assert!(first);
        let text = String::from_utf8_lossy(&second);
        assert!(text.contains("already registered!"), "{text}");
        assert_eq!(second[second.len() - 6..], [3, 1, 0, 0, 0, 137], "killed");
        let timing = profile.timing();
        assert!(took < timing.shell + timing.java + 50 * MS, "it is refused at once: {took:?}");
        assert!(dumps(&device, DUMP).await, "the first one has let go");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dump_whose_client_is_gone_holds_on_where_it_is_not_hung_up() {
    let timing = Profile::Usb2.timing();
    for (service, goes_on) in [
        ("exec:uiautomator dump", false),
        ("shell:uiautomator dump", false),
        ("exec:uiautomator dump | cat", false),
        ("shell,v2,raw:uiautomator dump", false),
        ("shell,v2,pty:uiautomator dump", false),
        // The signal reaches the shell, and not what it has started.
        ("shell,v2,raw:cd /sdcard; uiautomator dump", true),
        ("shell,v2,raw:uiautomator dump | cat", true),
    ] {
        let device = device(Profile::Usb2);
        abandon(&device, service, timing.shell + timing.java + 100 * MS).await;
        assert_eq!(dumps(&device, DUMP).await, !goes_on, "{service}");
        sleep(timing.elements).await;
        let written = device.files().read("/sdcard/window_dump.xml").is_ok();
        assert_eq!(written, goes_on, "{service}: it ran to its end");
        assert!(dumps(&device, DUMP).await, "{service}: it has let go");
    }
}

#[tokio::test(start_paused = true)]
async fn a_dump_to_the_terminal_needs_one() {
    for (service, has_one) in [
        ("exec:uiautomator dump /dev/tty", true),
        ("shell:uiautomator dump /dev/tty", true),
        ("shell,v2,pty:uiautomator dump /dev/tty", true),
        ("shell,v2,raw:uiautomator dump /dev/tty", false),
    ] {
        let (answer, _) = ask(&device(Profile::AsIs), service, b"").await;
        let text = String::from_utf8_lossy(&answer);
        assert_eq!(text.contains("</hierarchy>"), has_one, "{service}: {text}");
        assert!(text.contains("UI hierchary dumped to: /dev/tty"), "{service}: {text}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_starts_again_has_no_dump_under_way() {
    let timing = Profile::Usb2.timing();
    let device = device(Profile::Usb2);
    // One that is not hung up on.
    let dump = "shell,v2,raw:uiautomator dump | cat";
    abandon(&device, dump, timing.shell + timing.java + 100 * MS).await;
    device.reboot();
    assert!(dumps(&device, DUMP).await);
}

#[tokio::test(start_paused = true)]
async fn a_phone_that_sleeps_has_no_elements() {
    let device = device(Profile::AsIs);
    device.phone().press_power();
    let (answer, _) = ask(&device, DUMP, b"").await;
    let text = String::from_utf8_lossy(&answer);
    assert_eq!(text, "ERROR: null root node returned by UiTestAutomationBridge.\n");
    device.phone().press_power();
    assert!(dumps(&device, DUMP).await);
}
