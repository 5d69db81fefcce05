//! What programs read: the keys are stable, and nothing else is on stdout.
use std::collections::BTreeSet;

use serde_json::Value;

use crate::support::{Answer, Binary, FakeVlm, click, complete, plugged_in, quick_phone};

/// One document, and its keys.
fn keys(text: &str) -> (Value, BTreeSet<String>) {
    let value: Value = serde_json::from_str(text).unwrap_or_else(|err| panic!("{err}: {text}"));
    let keys = value.as_object().map(|object| object.keys().cloned().collect());
    (value, keys.unwrap_or_default())
}

fn set(keys: &[&str]) -> BTreeSet<String> {
    keys.iter().map(|&key| key.to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_listed_or_shown_can_be_had_as_json() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let binary = Binary::with(adb, &vlm);

    let devices = binary.run(&["devices", "--json"]).await;
    let (value, _) = keys(&devices.out);
    assert_eq!(value["devices"][0]["device_id"], virtual_phone.serial());
    assert_eq!(value["devices"][0]["state"], "device");

    let (value, of) = keys(&binary.run(&["doctor", "--json"]).await.out);
    assert_eq!(of, set(&["ok", "findings"]));
    let finding = value["findings"][0].as_object().unwrap();
    assert!(["verdict", "about", "text", "hint"].iter().all(|key| finding.contains_key(*key)));

    let (value, of) = keys(&binary.run(&["config", "--json"]).await.out);
    assert_eq!(of, set(&["file", "default_file", "settings"]));
    let setting = |key: &str| {
        let all = value["settings"].as_array().unwrap();
        all.iter().find(|it| it["key"] == key).unwrap().clone()
    };
    assert_eq!(setting("model.base-url")["value"], vlm.url());
    assert!(
        setting("model.base-url")["origin"].as_str().unwrap().contains("AYEAYE_MODEL_BASE_URL")
    );
    assert_eq!(setting("model.api-key")["value"], "(set)");
    assert_eq!(setting("run.max-steps")["origin"], "default");

    let run = binary.run(&["run", "do it", "--json"]).await;
    assert_eq!(run.code, 0, "{run:?}");
    let (ran, of) = keys(&run.out);
    assert_eq!(ran["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    assert!(run.err.contains("done"), "people read on stderr: {}", run.err);
    assert!(!super::names_a_tool(ran["next"].as_str().unwrap()), "{ran}");
    let id = ran["session_id"].as_str().unwrap();
    assert!(ran["record"].as_str().unwrap().ends_with(id), "{ran}");
    assert!(std::path::Path::new(ran["logs"]["html"].as_str().unwrap()).exists(), "{ran}");

    let (shown, more) = keys(&binary.run(&["sessions", "show", "last", "--json"]).await.out);
    assert!(of.is_subset(&more), "{more:?}");
    assert_eq!(shown["intermediate_logs"], ran["intermediate_logs"]);
    assert!(
        ["started", "last", "rounds", "requests", "bytes"].iter().all(|key| more.contains(*key))
    );

    let (list, _) = keys(&binary.run(&["sessions", "list", "--json"]).await.out);
    assert_eq!(list[0]["session_id"], id);
    let (_, of) = keys(&binary.run(&["model", "list", "--json"]).await.out);
    assert!(of.contains("profiles"), "{of:?}");

    let (room, of) = keys(&binary.run(&["sessions", "du", "--json"]).await.out);
    assert_eq!(of, set(&["sessions", "bytes", "record_bytes", "log_bytes", "retention"]));
    assert_eq!(room["sessions"][0]["session_id"], id);
    assert_eq!(room["sessions"][0]["goes"], "at");
    assert!(0 < room["log_bytes"]["html"].as_u64().unwrap());
    let sum: u64 = room["log_bytes"].as_object().unwrap().values().filter_map(Value::as_u64).sum();
    assert_eq!(room["bytes"], sum + room["record_bytes"].as_u64().unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_table_says_what_sessions_take() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let binary = Binary::with(adb, &vlm);
    assert!(binary.run(&["sessions", "du"]).await.out.contains("no sessions yet"));
    let ran = binary.run(&["run", "do it"]).await;
    let id = super::labelled(&ran.out, "session").to_owned();
    let table = binary.run(&["sessions", "du", &id[..13]]).await;
    assert_eq!(table.code, 0, "{table:?}");
    let lines: Vec<&str> = table.out.lines().collect();
    assert!(lines[0].starts_with("SESSION ") && lines[0].contains("UFO"), "{}", table.out);
    assert!(lines[1].starts_with(&id) && lines[2].starts_with("1 session "), "{}", table.out);
    assert!(table.out.contains("removed after 90 days, or beyond 1 GiB"), "{}", table.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_policy_is_shown_and_what_it_decided_is_explained() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let mut replies = vec![complete("Done."), click(500, 980)];
    let vlm = FakeVlm::start(move |_| Answer::Says(replies.pop().unwrap())).await;
    let binary = Binary::with(adb, &vlm);
    let (shown, of) = keys(&binary.run(&["policy", "show", "--json"]).await.out);
    assert!(of.is_superset(&set(&["profile", "classes", "system_parts", "taps_per_minute"])));
    assert_eq!((&shown["profile"], &shown["classes"]["pay"]), (&"careful".into(), &"ask".into()));
    let people = binary.run(&["policy", "show"]).await;
    assert!(people.out.contains("careful") && people.out.contains("pay, order"), "{people:?}");

    assert_eq!(binary.run(&["run", "look around"]).await.code, 0);
    let (told, _) = keys(&binary.run(&["policy", "explain", "last", "--json"]).await.out);
    let [act] = told.as_array().unwrap().as_slice() else { panic!("{told}") };
    assert_eq!(act["step"], 0);
    assert_eq!(
        (&act["gate"]["verdict"], &act["gate"]["policy"]),
        (&"allow".into(), &"careful".into())
    );
    let app = act["app"].as_str().unwrap().to_owned();
    // People count as `sessions show` does.
    let people = binary.run(&["policy", "explain", "last", "1"]).await;
    assert!(people.out.contains("allow, rule harmless (nothing speaks against it)"), "{people:?}");
    assert!(people.out.starts_with("step 1 ") && people.out.contains(&app), "{people:?}");
    // In the words of the terminal and the page, not of the record.
    assert_eq!(act["act"], "CLICK 500,980");
    assert!(people.out.contains("Tap on "), "{people:?}");
    for none in ["0", "7"] {
        let told = binary.run(&["policy", "explain", "last", none]).await;
        assert!(told.err.contains(&format!("there is no step {none}")), "{told:?}");
        assert!(told.err.contains("counted from 1") && told.code == 1, "{told:?}");
    }
}
