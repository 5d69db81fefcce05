//! Screens that change at once while the phone is driven, where that is wanted, and as before afterwards.
use std::sync::Arc;

use ayeaye_phone::{FaultPlan, VirtualPhone};
use tokio::sync::Notify;
use tokio_util::sync::DropGuard;

use super::power::{begun, setting};
use crate::support::{Answer, Binary, FakeVlm, complete, plugged_in, quick_phone, until};

const SCALES: [(&str, &str); 3] = [
    ("global", "window_animation_scale"),
    ("global", "transition_animation_scale"),
    ("global", "animator_duration_scale"),
];

fn scales(device: &VirtualPhone) -> [String; 3] {
    SCALES.map(|scale| setting(device, scale))
}

/// A server for a phone with scales of its own: one is not set, another one is half.
async fn server(
    animations: &str,
    faults: impl FnOnce(&mut FaultPlan),
) -> (VirtualPhone, FakeVlm, Binary, DropGuard) {
    let device = quick_phone();
    device.phone().put_setting("global", "window_animation_scale", None);
    device.phone().put_setting("global", "animator_duration_scale", Some("0.5"));
    device.inject(faults);
    let (adb, guard) = plugged_in(&device).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let config = binary.data.path().join("ayeaye.toml");
    std::fs::write(&config, format!("[run]\nanimations = \"{animations}\"\n")).unwrap();
    let binary = binary.set("AYEAYE_CONFIG", config.to_str().unwrap());
    (device, vlm, binary, guard)
}

#[tokio::test(flavor = "multi_thread")]
async fn animations_are_off_for_a_run_and_as_before_after_it() {
    let (device, vlm, binary, _guard) = server("off", |_| {}).await;
    let before = scales(&device);
    assert_eq!(before, ["", "1.0", "0.5"]);
    let answers = Arc::new(Notify::new());
    vlm.then(vec![Answer::Held(answers.clone(), complete("Looked."))]);
    let served = begun(&binary, &device).await;
    vlm.is_asked(1).await;
    assert_eq!(scales(&device), ["0"; 3]);
    answers.notify_one();
    until("they are put back", || scales(&device) == before).await;
    assert_eq!(device.phone().setting("global", "window_animation_scale"), None);
    served.kill().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_crash_the_next_server_puts_the_animations_back() {
    let (device, vlm, binary, _guard) = server("off", |_| {}).await;
    let before = scales(&device);
    let served = begun(&binary, &device).await;
    vlm.is_asked(1).await;
    // The person has set one again meanwhile: that stays.
    device.phone().put_setting("global", "animator_duration_scale", Some("2"));
    served.kill().await;
    assert_eq!(scales(&device), ["0", "0", "2"], "nobody was left to put them back");
    let _next = binary.raw().await;
    until("they are put back", || scales(&device) == [&before[0], &before[1], "2"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_keeps_its_animations_is_driven_all_the_same() {
    for (animations, refused) in [("off", true), ("keep", false)] {
        let (device, vlm, binary, _guard) =
            server(animations, |plan| plan.settings_refused = refused).await;
        let before = scales(&device);
        let served = begun(&binary, &device).await;
        vlm.is_asked(1).await;
        assert_eq!(scales(&device), before);
        served.kill().await;
    }
}
