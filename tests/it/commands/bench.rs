//! `ayeaye bench`: the table and the document, on virtual phones.
use std::process::Stdio;

use ayeaye_phone::Trigger;
use serde_json::Value;

#[cfg(unix)]
use crate::support::OnTerminal;
use crate::support::{Answer, Binary, FakeVlm, plugged_in, quick_phone, until, within};

async fn measured(arguments: &[&str]) -> Value {
    let ended = Binary::alone().without_model().run(arguments).await;
    assert_eq!(ended.code, 0, "{ended:?}");
    serde_json::from_str(&ended.out).unwrap_or_else(|err| panic!("{err}: {ended:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bench_tells_each_act_and_each_part_of_a_step() {
    let figures = measured(&["bench", "--profile", "as-is", "--rounds", "2", "--json"]).await;
    assert_eq!(figures["steps"], 12, "{figures}");
    let acts = figures["by_act"].as_array().unwrap();
    let kinds: Vec<&str> = acts.iter().map(|act| act["act"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["tap", "swipe", "back", "open", "home"]);
    for act in acts {
        // There and back in each round.
        assert_eq!(act["steps"], if act["act"] == "swipe" { 4 } else { 2 }, "{act}");
        let seconds = act["seconds"]["p50"].as_f64().unwrap();
        assert!(0.0 < seconds && seconds < 20.0, "{act}");
    }
    let number = |value: &Value| value.as_f64().unwrap_or_else(|| panic!("{figures}"));
    assert!(5.0 * number(&figures["seconds"]["p10"]) <= number(&figures["round_seconds"]["p90"]));
    for part in [
        "act",
        "before_first_look",
        "settle_and_capture",
        "encode",
        "decide",
        "until_the_act",
        "journal",
        "rest",
    ] {
        number(&figures["parts_ms"][part]["p50"]);
    }
    let per_step = &figures["per_step"];
    for count in ["captures", "captures_taken", "round_trips", "syncs"] {
        assert!(1.0 <= number(&per_step[count]), "{count}: {figures}");
    }
    // A screen is 10 MB, in whichever way it was packed at least a hundredth of it.
    assert!(100_000.0 < number(&per_step["bytes"]), "{figures}");
    assert_eq!(per_step["cpu_ms"], Value::Null, "the phone is in this process");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_phone_takes_at_least_what_its_link_takes() {
    let acts = ["--act", "open Settings", "--act", "home"];
    let of = ["bench", "--profile", "usb2", "--rounds", "1", "--json"];
    let figures = measured(&[&of[..], &acts[..]].concat()).await;
    assert_eq!(figures["steps"], 2, "{figures}");
    // A shell twice, and a picture: 24, 24 and 75 ms, and its bytes.
    let fastest = figures["seconds"]["p10"].as_f64().unwrap();
    let bytes = figures["per_step"]["bytes"].as_f64().unwrap();
    assert!(0.123 < fastest && 0.0 < bytes, "{figures}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_act_that_cannot_be_done_is_no_quick_step() {
    let of = ["bench", "--profile", "at-once", "--rounds", "1", "--json"];
    let acts = ["--act", "home", "--act", "open Setings and more"];
    let ended = Binary::alone().without_model().run(&[&of[..], &acts[..]].concat()).await;
    assert_eq!((ended.code, ended.out.as_str()), (1, ""), "{ended:?}");
    assert!(ended.err.contains("AWAKE was not done"), "{ended:?}");
    assert!(ended.err.contains("Setings and more"), "{ended:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_table_has_the_same_for_people() {
    let ended = Binary::alone()
        .without_model()
        .run(&[
            "bench",
            "--profile",
            "as-is",
            "--rounds",
            "1",
            "--act",
            "open Settings",
            "--act",
            "home",
        ])
        .await;
    assert_eq!(ended.code, 0, "{ended:?}");
    for said in [
        "phone: virtual, as-is",
        "a step ",
        "  open (1)",
        "  home (1)",
        "settle and capture",
        "round trips",
    ] {
        assert!(ended.out.contains(said), "{said}: {}", ended.out);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_ends_a_bench_and_gives_the_phone_its_settings_back() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let stays_on = || {
        let value = virtual_phone.phone().setting("global", "stay_on_while_plugged_in");
        value.is_some_and(|value| value != "0")
    };
    assert!(!stays_on());
    let acts = ["--act", "open Settings", "--act", "home"];
    let bench = ["bench", "--device", virtual_phone.serial(), "--rounds", "1000"];
    let mut command = binary.command(&[&bench[..], &acts[..]].concat());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    until("the phone is told to stay on", stays_on).await;
    let pid = child.id().unwrap().to_string();
    let sent = tokio::process::Command::new("kill").args(["-INT", &pid]).status().await.unwrap();
    assert!(sent.success());
    let ended = within(20, "the end", child.wait_with_output()).await.unwrap();
    assert_eq!(ended.status.code(), Some(1), "{ended:?}");
    let said = String::from_utf8(ended.stderr).unwrap();
    assert!(said.contains("stopped before all steps"), "{said}");
    let told = String::from_utf8(ended.stdout).unwrap();
    assert!(told.contains("Ctrl-C again leaves at once"), "{told}");
    assert!(!stays_on(), "it was put back");

    // Nobody's task: no model is handed it.
    let nothing = binary.run(&["continue"]).await;
    assert!(nothing.code == 1 && nothing.err.contains("no session is waiting"), "{nothing:?}");
    assert_eq!(vlm.asked_count(), 0);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_bench_that_is_left_at_once_says_what_the_phone_may_still_have() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let faults = virtual_phone.faults().clone();
    let bench = ["bench", "--device", virtual_phone.serial(), "--rounds", "1000"];
    let acts = ["--act", "swipe 500 700 500 300"];
    let all = [&bench[..], &acts[..]].concat();
    let mut left = OnTerminal::start(&Binary::with(adb, &vlm), &all);
    faults.set(|plan| plan.hang_shell = Some(Trigger::NextInput));
    until("the act hangs", || faults.plan().hang_shell.is_none()).await;
    left.interrupt().await;
    left.wait_for("Ctrl-C again leaves at once").await;
    left.interrupt().await;
    let (code, shown) = left.end().await;
    assert_eq!(code, 1, "{shown}");
    assert!(shown.contains("may still be kept awake"), "{shown}");
    let kept = virtual_phone.phone().setting("global", "stay_on_while_plugged_in");
    assert!(kept.is_some_and(|kept| kept != "0"), "and so it is");
}
