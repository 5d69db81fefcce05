//! A secret that is typed and one that is replied: the phone gets them, and nobody else keeps them.
use std::fs::File;
#[cfg(unix)]
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::{
    Answer, Binary, FakeVlm, aimed, complete, files, gelab, info, plugged_in, quick_phone, tap,
    until, within,
};

const PASSWORD: &str = "Quince-41 <&> \"x\"";

#[tokio::test(flavor = "multi_thread")]
async fn secrets_reach_the_phone_and_are_found_nowhere_else() {
    let virtual_phone = quick_phone();
    let (adb, _end) = plugged_in(&virtual_phone).await;
    let phone = virtual_phone.phone().clone();
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let (screen, mut moves) = (phone.clone(), 0);
    vlm.now(move |_| {
        moves += 1;
        let has = |id: &'static str| {
            move |node: &Value| node["id"].as_str().is_some_and(|it| it.ends_with(id))
        };
        let code = screen.state().one_time_code;
        Answer::Says(match moves {
            1 => gelab("AWAKE", "value:Nimbus", "opened Nimbus"),
            2 => tap(&screen, has("id/sign_in")),
            3 => aimed(&tap(&screen, has("id/username")), "robin"),
            4 => aimed(&tap(&screen, has("id/password")), PASSWORD),
            5 => tap(&screen, has("id/next")),
            6 => info("Please tell me the 6-digit code"),
            7 => aimed(&tap(&screen, has("id/code")), &code),
            8 => gelab("TYPE", &format!("value:{code}"), &format!("typed {code} and {PASSWORD}")),
            _ => complete(&format!("Signed in with {code} and {PASSWORD}")),
        })
    });
    let binary = Binary::with(adb, &vlm).set("AYEAYE_LOG", "trace");
    let outside = tempfile::TempDir::new().unwrap();
    let log = outside.path().join("stderr");
    let mut raw = binary.raw_logging(File::create(&log).unwrap()).await;
    let task = format!("Sign in to Nimbus as robin with the password {PASSWORD}");
    let start = json!({ "device_id": virtual_phone.serial(), "task": task });
    let asked = raw.facts("ask_agent_start_new_task", start).await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    let code = phone.state().one_time_code;
    let reply = json!({ "session_id": asked["session_id"], "reply_from_client": format!("收到了，是{}-{}这个。", &code[..3], &code[3..]) });
    let done = raw.facts("ask_agent_continue", reply).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let session = raw.facts("get_session", json!({ "session_id": asked["session_id"] })).await;
    raw.hang_up();
    raw.end().await;

    let state = serde_json::to_value(phone.state()).unwrap();
    let typed = state["actions"].to_string();
    assert!(typed.contains(&code), "the code was typed");
    // Parts, so that no way of escaping hides them.
    let secrets = ["Quince-41", code.as_str()];
    for secret in secrets {
        assert_eq!(files::with(binary.data.path(), secret), [""; 0], "the data folder");
        assert_eq!(files::with(outside.path(), secret), [""; 0], "the log");
    }
    for told in [&asked, &done, &session] {
        let told = told.to_string();
        assert!(secrets.iter().all(|secret| !told.contains(secret)), "{told}");
    }
    assert!(done["message"].as_str().unwrap().starts_with("Signed in with [secret code 4-7 #"));
    let shown = vlm.asked().last().unwrap().to_string();
    assert!(shown.contains(&code), "the model was told the code");
}

/// It outlives the program that starts it.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn the_adb_server_that_is_started_has_no_keys_in_its_environment() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::TempDir::new().unwrap();
    let (adb, told) = (folder.path().join("adb"), folder.path().join("told"));
    std::fs::write(&adb, format!("#!/bin/sh\nenv > '{}'\nexit 3\n", told.display())).unwrap();
    std::fs::set_permissions(&adb, std::fs::Permissions::from_mode(0o755)).unwrap();
    let socket = format!("localfilesystem:{}", folder.path().join("socket").display());
    let binary = Binary::bare()
        .set("HOME", folder.path().to_str().unwrap())
        .set("AYEAYE_ADB_PROGRAM", adb.to_str().unwrap())
        .set("AYEAYE_MODEL_API_KEY", "a-key-that-is-no-ones")
        .set("ADB_SERVER_SOCKET", &socket);
    let output = binary.run(&["devices"]).await;
    assert_ne!(output.code, 0, "{output:?}");
    let environment = std::fs::read_to_string(&told).unwrap();
    assert!(environment.contains("HOME="), "{environment}");
    assert!(!environment.contains("AYEAYE_"), "{environment}");
}

/// A browser goes on without the program that opens it, too.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn the_browser_that_is_opened_has_no_keys_in_its_environment() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::TempDir::new().unwrap();
    let (opener, told) = (folder.path().join("xdg-open"), folder.path().join("told"));
    // Whole, or not there.
    let script = format!("#!/bin/sh\nenv > '{0}.part' && mv '{0}.part' '{0}'\n", told.display());
    std::fs::write(&opener, script).unwrap();
    std::fs::set_permissions(&opener, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let binary = Binary::alone()
        .set("PATH", &path)
        .set("DISPLAY", ":0")
        .set("HOME", folder.path().to_str().unwrap())
        .set("AYEAYE_HTTP_TOKEN", "a-token-for-tests-0123456789abcdef");
    let mut command = binary.command(&["ui"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = command.spawn().unwrap();
    until("the browser is opened", || told.exists()).await;
    server.kill().await.unwrap();
    let environment = std::fs::read_to_string(&told).unwrap();
    assert!(environment.contains("DISPLAY=:0"), "{environment}");
    assert!(!environment.contains("AYEAYE_"), "{environment}");
}

/// Whatever the umask says, and however a record is written.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_may_look_into_the_data_folder() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::TempDir::new().unwrap();
    let data = folder.path().join("data");
    let binary = Binary::alone();
    let program = binary.command(&[]).as_std().get_program().to_owned();
    let mut command = tokio::process::Command::new("/bin/sh");
    command
        .args(["-c", "umask 000; exec \"$0\" demo --yes"])
        .arg(program)
        .env_clear()
        .env("AYEAYE_DATA_DIR", &data)
        .env("HOME", folder.path())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let ended = within(120, "the demo", command.output()).await.unwrap();
    assert!(ended.status.success(), "{ended:?}");
    let mut folders = vec![data];
    let mut files = 0;
    while let Some(folder) = folders.pop() {
        let rights = |path: &std::path::Path| path.metadata().unwrap().permissions().mode();
        assert_eq!(rights(&folder) & 0o077, 0, "{}", folder.display());
        for entry in std::fs::read_dir(&folder).unwrap() {
            let entry = entry.unwrap();
            let kind = entry.file_type().unwrap();
            if kind.is_dir() {
                folders.push(entry.path());
            } else if kind.is_file() {
                assert_eq!(rights(&entry.path()) & 0o077, 0, "{}", entry.path().display());
                files += 1;
            }
        }
    }
    assert!(10 < files, "there is a record with its logs: {files}");
}
