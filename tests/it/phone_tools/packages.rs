//! Installing and removing apps: what a person is asked, and what their yes is for.
use std::time::Duration;

use ayeaye::config::ToolSet;
use ayeaye_agent::gate::{Policy, PolicyProfile};
use ayeaye_agent::{
    Agreed, DeviceCommand, DeviceId, DirectAction, DirectOutcome, Gesture, Principal,
};
use serde_json::{Value, json};

use super::{act, refused, rig};
use crate::support::{Answer, FakeVlm, Rig, RigOptions, within};

#[tokio::test(flavor = "multi_thread")]
async fn installing_and_removing_ask_first() {
    let rig = rig().await;
    let files = rig.data.path().join("files");
    std::fs::create_dir_all(&files).unwrap();
    std::fs::write(files.join("no.apk"), "not a package").unwrap();
    // Nobody is asked about what cannot be done, and it is not the phone that refuses it.
    for (file, why) in [("no.apk", "not a package"), ("missing.apk", "missing.apk")] {
        let told = refused(&rig, "install_app", json!({ "file": file })).await;
        assert!(
            told.contains("nothing was done on device")
                && told.contains("(installing")
                && told.contains(why),
            "{told}"
        );
        assert!(!told.contains("approval"), "{told}");
    }
    let told = refused(&rig, "uninstall_app", json!({ "app": "Zettelkasten" })).await;
    assert!(told.contains("no app of this name") && !told.contains("approval"), "{told}");

    // Made by Google's packager for this test, with its name in five languages.
    let apk = include_bytes!("../samples/weather.apk");
    std::fs::write(files.join("weather.apk"), apk).unwrap();
    std::fs::write(files.join("other.apk"), apk).unwrap();
    let told = refused(&rig, "install_app", json!({ "file": "weather.apk" })).await;
    assert!(told.contains("your user has to agree first"), "{told}");
    let asked = "Install org.example.weather 1.2 from \"weather.apk\" (";
    assert!(told.contains(asked) && told.contains(" kB)"), "{told}");
    let code = code_in(&told);
    let other = json!({ "file": "other.apk", "approval": code });
    let told = refused(&rig, "install_app", other).await;
    assert!(told.contains("is not an approval for this call"), "{told}");
    let done = act(&rig, "install_app", json!({ "file": "weather.apk", "approval": code })).await;
    let again = json!({ "file": "weather.apk", "approval": code });
    let told = refused(&rig, "install_app", again).await;
    let at = format!("was used already, at step {} of", done["global_step_idx"]);
    assert!(told.contains(&at), "a code is good once: {told}");
    let install = json!({ "file": "weather.apk" });
    let done = agreed(&rig, "install_app", install).await;
    let note = format!("installed org.example.weather ({} bytes)", apk.len());
    assert_eq!(done["note"], note.as_str());
    let device = rig.agent.device(&DeviceId::new(&rig.serial)).await.unwrap();
    let named = async || {
        let apps = device.apps().await.unwrap();
        apps.into_iter().find(|app| app.package == "org.example.weather")
    };
    within(30, "its name, which is read from its file", async {
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        while named().await.unwrap().label.as_deref() != Some("Weather") {
            tick.tick().await;
        }
    })
    .await;
    let done = agreed(&rig, "uninstall_app", json!({ "app": "weather" })).await;
    assert_eq!(done["note"], "uninstalled org.example.weather");
    assert_eq!(named().await, None);
    let told = refused(&rig, "uninstall_app", json!({ "app": "Notes" })).await;
    assert!(told.contains("with all its data"), "{told}");
    let code = code_in(&told);
    // What the phone refuses leaves the yes as it is.
    for _ in 0..2 {
        let again = json!({ "app": "Notes", "approval": code });
        let told = refused(&rig, "uninstall_app", again).await;
        assert!(told.contains("uninstall_app was not carried out"), "{told}");
    }
}

/// The same package with a word at the end of its file, where archives have one.
fn with_comment(apk: &[u8], comment: &str) -> Vec<u8> {
    let (rest, length) = apk.split_at(apk.len() - 2);
    assert_eq!(length, [0, 0], "the sample ends with its empty comment");
    let length = u16::try_from(comment.len()).unwrap().to_le_bytes();
    [rest, &length, comment.as_bytes()].concat()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_is_for_the_package_that_was_asked_about() {
    let rig = rig().await;
    let files = rig.data.path().join("files");
    std::fs::create_dir_all(&files).unwrap();
    let apk = include_bytes!("../samples/weather.apk");
    std::fs::write(files.join("weather.apk"), apk).unwrap();
    let told = refused(&rig, "install_app", json!({ "file": "weather.apk" })).await;
    std::fs::write(files.join("weather.apk"), with_comment(apk, "another one")).unwrap();
    let with_code = json!({ "file": "weather.apk", "approval": code_in(&told) });
    let told = refused(&rig, "install_app", with_code).await;
    assert!(told.contains("is not an approval for this call"), "{told}");

    // A form may be open for minutes: what goes to the phone is compared with what it named.
    let device = rig.agent.device(&DeviceId::new(&rig.serial)).await.unwrap();
    let install = DeviceCommand::Install { file: "weather.apk".to_owned(), package: None };
    let asked = device.preview(&install).await.unwrap().bind(install);
    std::fs::write(files.join("weather.apk"), apk).unwrap();
    let command = DirectAction {
        device_id: DeviceId::new(&rig.serial),
        session_id: None,
        gesture: Gesture::Command(asked),
        reason: String::new(),
        secret: false,
        agreed: Agreed::Command,
        by_hand: false,
        principal: Principal::local(),
    };
    let mut acting = rig.agent.act(command).await.unwrap();
    acting.finished().await;
    let outcome = &acting.result().unwrap().outcome;
    assert!(
        matches!(outcome, DirectOutcome::NotDone(why) if why.contains("has changed since")),
        "{outcome:?}"
    );
    let apps = device.apps().await.unwrap();
    assert!(apps.iter().all(|app| app.package != "org.example.weather"), "{apps:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_what_the_policy_refuses_anyway() {
    let list = |app: &str| vec![app.to_owned()];
    let with = |deny_apps, allow_apps| {
        let mut policy = Policy::default();
        (policy.deny_apps, policy.allow_apps) = (deny_apps, allow_apps);
        policy
    };
    let denied = |app| with(list(app), Vec::new());
    let allowed = |app| with(Vec::new(), vec![list(app)]);
    let install = || ("install_app", json!({ "file": "a.apk" }));
    let uninstall = || ("uninstall_app", json!({ "app": "Messages" }));
    for (policy, (tool, mut arguments), why) in [
        (denied("org.example.weather"), install(), "org.example.weather"),
        (allowed("com.example.clock"), install(), "org.example.weather"),
        (Policy::of(PolicyProfile::ReadOnly), install(), "org.example.weather"),
        (denied("com.example.messages"), uninstall(), "com.example.messages"),
        (Policy::of(PolicyProfile::ReadOnly), uninstall(), "com.example.messages"),
    ] {
        let tools = ToolSet { manage: true, ..ToolSet::ALL };
        let options = RigOptions { tools, policy, ..RigOptions::quick() };
        let rig = Rig::with(FakeVlm::start(|_| Answer::Silence).await, options).await;
        let files = rig.data.path().join("files");
        std::fs::create_dir_all(&files).unwrap();
        std::fs::write(files.join("a.apk"), include_bytes!("../samples/weather.apk")).unwrap();
        let told = refused(&rig, tool, arguments.clone()).await;
        assert!(told.contains(why) && told.contains("(policy.*)"), "{told}");
        assert!(!told.contains("approval"), "{told}");
        // It is in the record, so that the rule can be looked up.
        assert!(told.contains("(session "), "{told}");
        arguments["approval"] = json!("12345678");
        let told = refused(&rig, tool, arguments).await;
        assert!(told.contains("(policy.*)"), "a code makes no difference: {told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_about_a_session_that_cannot_take_the_command() {
    let rig = rig().await;
    let unknown = "01a22900-2a0e-74c6-aa82-d8fc497cf618";
    let told =
        refused(&rig, "uninstall_app", json!({ "app": "Messages", "session_id": unknown })).await;
    assert!(told.contains(unknown) && !told.contains("approval"), "{told}");
}

pub(super) fn code_in(told: &str) -> String {
    told.split("\"approval\": \"").nth(1).unwrap().split('"').next().unwrap().to_owned()
}

/// Asks, and does it with the code of the answer.
async fn agreed(rig: &Rig, tool: &str, mut arguments: Value) -> Value {
    let told = refused(rig, tool, arguments.clone()).await;
    arguments["approval"] = json!(code_in(&told));
    act(rig, tool, arguments).await
}
