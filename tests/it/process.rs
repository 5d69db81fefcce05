//! The real program: transports, signals, exit codes.
use std::process::Stdio;

use rmcp::ServiceExt as _;
use rmcp::model::CallToolRequestParams;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, BufReader};
use tokio::process::Child;

use crate::support::{
    Answer, Binary, CommandOutput, FakeVlm, abort, click, complete, gelab, http, info, one_by_one,
    plugged_in, quick_phone, within,
};

pub const TOKEN: &str = "a-token-for-tests-0123456789abcdef";

/// Starts `serve --http` on a free port; the process and the URL it announces.
pub async fn serve_http(binary: &Binary) -> (Child, String) {
    let mut command = binary.command(&["serve", "--http", "127.0.0.1:0"]);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let url = within(20, "the address", async {
        loop {
            let line = log.next_line().await.unwrap().expect("it goes on");
            if let Some((_, rest)) = line.split_once("MCP at ") {
                return rest.split(';').next().unwrap().to_owned();
            }
        }
    })
    .await;
    // Nobody reads on: a full pipe would hold the server up.
    tokio::spawn(async move { while let Ok(Some(_)) = log.next_line().await {} });
    (child, url)
}

#[tokio::test(flavor = "multi_thread")]
async fn with_nothing_around_it_lists_its_tools_and_says_what_is_missing() {
    let binary = Binary::alone();
    let mut raw = binary.raw().await;
    let tools = raw.ask("tools/list", json!({})).await;
    let mut names: Vec<_> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(
        names,
        [
            "ask_agent_continue",
            "ask_agent_start_new_task",
            "get_screenshot",
            "get_session",
            "get_ui_tree",
            "launch_app",
            "list_connected_devices",
            "list_sessions",
            "long_press",
            "press_key",
            "stop_task",
            "swipe",
            "tap",
            "type_text"
        ],
        "the model that was configured does not run"
    );
    for (name, arguments) in [
        ("list_connected_devices", json!({})),
        ("get_screenshot", json!({ "device_id": "x" })),
        ("launch_app", json!({ "device_id": "x", "app": "Settings" })),
    ] {
        let (failed, text) = raw.tool(name, arguments).await;
        assert!(failed && text.starts_with("no adb server answers at "), "{name}: {text}");
        assert!(text.contains("hint: install adb") && text.contains("ayeaye doctor"), "{text}");
    }
    let (failed, text) = raw.tool("list_sessions", json!({})).await;
    assert_eq!((failed, text.as_str()), (false, r#"{"sessions":[]}"#));
    for name in ["ask_agent_continue", "get_session", "stop_task"] {
        let nobody = json!({ "session_id": "01900000-0000-7000-8000-000000000000" });
        let (failed, text) = raw.tool(name, nobody).await;
        assert!(failed && text.contains("there is no session"), "{name}: {text}");
    }
    raw.hang_up();
    let (code, rest) = raw.end().await;
    assert_eq!((code, rest), (Some(0), Vec::new()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_tells_who_connects_and_which_tools_are_called_but_not_what_is_said() {
    let binary = Binary::alone().set("AYEAYE_LOG", "debug");
    let path = binary.data.path().join("log");
    let mut raw = binary.raw_logging(std::fs::File::create(&path).unwrap()).await;
    raw.facts("list_sessions", json!({})).await;
    let (failed, _) = raw.tool("tap", json!({ "device_id": "a secret phone" })).await;
    assert!(failed);
    raw.ask("tools/call", json!({ "name": "no\nsuch" })).await;
    raw.hang_up();
    assert_eq!(raw.end().await.0, Some(0));
    let log = std::fs::read_to_string(path).unwrap();
    for told in [
        "the client raw 0 has connected",
        "list_sessions was called: a result",
        "tap was called: an error",
        "nosuch was called: a refusal",
    ] {
        assert!(log.contains(told), "{told}: {log}");
    }
    assert!(!log.contains("a secret phone"), "{log}");
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_a_task_says_so_and_can_go_on_later() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let gone = format!("http://{}/v1", listener.local_addr().unwrap());
    let binary = Binary::with(adb, &vlm).set("AYEAYE_MODEL_BASE_URL", &gone);
    let mut raw = binary.raw().await;
    // It took the connection when the client came, and does not run any more when the task does.
    drop(listener);
    let start = json!({ "device_id": virtual_phone.serial(), "task": "do it" });
    let (failed, text) = raw.tool("ask_agent_start_new_task", start).await;
    assert!(!failed, "{text}");
    let result: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(result["stop_reason"], "MODEL_FAILED", "{result}");
    assert_eq!(result.get("final_action"), Some(&Value::Null), "{result}");
    let message = result["message"].as_str().unwrap();
    assert!(message.contains(&format!("{gone} cannot be reached")), "{message}");
    assert!(message.contains("start it, or correct"), "{message}");
    raw.hang_up();
    raw.end().await;
    // Where no model is nothing is begun, so that no try adds a failed step.
    let next = json!({ "session_id": result["session_id"] });
    let mut raw = binary.raw().await;
    let (failed, text) = raw.tool("ask_agent_continue", next.clone()).await;
    assert!(failed && text.contains("nothing was started"), "{text}");
    let (_, text) = raw.tool("get_session", next.clone()).await;
    let told: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(told["global_step_idx"], result["global_step_idx"], "{told}");
    raw.hang_up();
    raw.end().await;
    let refused = binary.run(&["continue"]).await;
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("still no answer at"), "{refused:?}");
    let binary = binary.set("AYEAYE_MODEL_BASE_URL", &vlm.url());
    let mut raw = binary.raw().await;
    let (_, text) = raw.tool("ask_agent_continue", next).await;
    assert!(text.contains("TASK_COMPLETED_SUCCESSFULLY"), "{text}");
}

/// How a server is asked to end in the middle of a run.
enum Ending {
    Signal,
    HangUp,
}

async fn ends_with_the_run_recorded(ending: Ending) {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(one_by_one(vec![Answer::Says(click(300, 400))])).await;
    let binary = Binary::with(adb, &vlm);
    let mut raw = binary.raw().await;
    let start = json!({ "device_id": virtual_phone.serial(), "task": "do it", "wait_seconds": 0 });
    let (_, text) = raw.tool("ask_agent_start_new_task", start).await;
    let session: Value = serde_json::from_str(&text).unwrap();
    let follow = json!({ "name": "ask_agent_continue",
        "arguments": { "session_id": session["session_id"] } });
    let following = raw.send("tools/call", follow).await;
    vlm.is_asked(2).await;
    match ending {
        Ending::Signal => raw.terminate().await,
        Ending::HangUp => raw.hang_up(),
    }
    let (code, rest) = raw.end().await;
    assert_eq!(code, Some(0));
    let answers: Vec<Value> =
        rest.iter().map(|line| serde_json::from_str(line).expect("only JSON on stdout")).collect();
    if matches!(ending, Ending::Signal) {
        let answer = answers.iter().find(|answer| answer["id"] == following).expect("an answer");
        let facts = &answer["result"]["structuredContent"];
        assert_eq!(facts["stop_reason"], "SERVER_RESTARTED", "{answer}");
    }
    let id = session["session_id"].as_str().unwrap();
    let shown = binary.run(&["sessions", "show", id]).await;
    assert!(shown.out.contains("SERVER_RESTARTED"), "{shown:?}");
    assert!(shown.out.contains("1  tapped"), "{shown:?}");
    let record = binary.data.path().join("sessions").join(id).join("events.jsonl");
    let record = std::fs::read_to_string(record).unwrap();
    assert!(record.lines().last().unwrap().contains("session.end"), "its end is written down");
    assert_eq!(virtual_phone.phone().state().counts.taps, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_signal_ends_it_soon_with_the_run_recorded() {
    ends_with_the_run_recorded(Ending::Signal).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_stdin_ends_it_soon_with_the_run_recorded() {
    ends_with_the_run_recorded(Ending::HangUp).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_goes_round_over_http() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(one_by_one(vec![
        Answer::Says(gelab("AWAKE", "value:Messages", "opened Messages")),
        Answer::Says(info("Which Anna?")),
        Answer::Says(complete("Told her.")),
    ]))
    .await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_HTTP_TOKEN", TOKEN);
    let (mut child, url) = serve_http(&binary).await;
    let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(TOKEN);
    let transport = StreamableHttpClientTransport::with_client(http(), config);
    let client = within(20, "the client", ().serve(transport)).await.unwrap();
    let call = async |tool: &'static str, arguments: Value| {
        let Value::Object(arguments) = arguments else { panic!("arguments are an object") };
        let params = CallToolRequestParams::new(tool).with_arguments(arguments);
        let result = within(30, tool, client.peer().call_tool(params)).await.unwrap();
        assert_ne!(result.is_error, Some(true), "{:?}", result.content);
        result.structured_content.unwrap()
    };
    let list = call("list_connected_devices", json!({})).await;
    assert_eq!(list["devices"][0]["device_id"], virtual_phone.serial());
    let start = json!({ "device_id": virtual_phone.serial(), "task": "Tell Anna that I am late" });
    let asked = call("ask_agent_start_new_task", start).await;
    assert_eq!(asked["question"]["text"], "Which Anna?", "{asked}");
    let reply = json!({ "session_id": asked["session_id"], "reply_from_client": "Anna Berg" });
    let done = call("ask_agent_continue", reply).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    assert_eq!(done["session_id"], asked["session_id"]);
    assert!(vlm.asked().pop().unwrap().to_string().contains("Anna Berg"));
    client.cancel().await.unwrap();
    child.start_kill().unwrap();
    child.wait().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn two_servers_on_one_data_folder_do_not_drive_one_session_or_phone() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let (mut first, mut second) = (binary.raw().await, binary.raw().await);
    let start = json!({ "device_id": virtual_phone.serial(), "task": "do it", "wait_seconds": 0 });
    let (_, text) = first.tool("ask_agent_start_new_task", start.clone()).await;
    let session: Value = serde_json::from_str(&text).unwrap();
    let id = session["session_id"].as_str().unwrap();
    let follow = json!({ "session_id": id, "wait_seconds": 0 });
    let (_, text) = second.tool("ask_agent_continue", follow).await;
    assert!(text.contains("STILL_RUNNING"), "{text}");
    let other = json!({ "session_id": id, "task": "something else" });
    let (failed, text) = second.tool("ask_agent_continue", other).await;
    assert!(failed && text.contains("is still running"), "{text}");
    let (failed, text) = second.tool("ask_agent_start_new_task", start).await;
    assert!(failed && text.contains(id) && text.contains("is driving it"), "{text}");
    let devices = binary.run(&["devices"]).await;
    assert!(devices.out.contains(&format!("busy: session {id} is driving it")), "{devices:?}");
    let (_, text) = second.tool("get_session", json!({ "session_id": id })).await;
    assert!(text.contains("STILL_RUNNING"), "{text}");
    let (_, text) = second.tool("stop_task", json!({ "session_id": id })).await;
    assert!(text.contains("CANCELLED"), "{text}");
    vlm.always(&complete("Done."));
    let (_, text) = second.tool("ask_agent_continue", json!({ "session_id": id })).await;
    assert!(text.contains("TASK_COMPLETED_SUCCESSFULLY"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_exit_code_of_run_says_how_it_ended() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let run = ["run", "do it", "--device", virtual_phone.serial()];
    for (reply, code, said) in [
        (complete("All done."), 0, "All done."),
        (abort("No such app."), 1, "No such app."),
        (info("Which one?"), 3, "go on     ayeaye continue "),
    ] {
        vlm.always(&reply);
        let ended = binary.run(&run).await;
        assert_eq!(ended.code, code, "{ended:?}");
        assert!(ended.out.contains(said), "{ended:?}");
    }
    let nobody = binary.run(&["run", "do it", "--device", "nobody"]).await;
    assert_eq!(nobody.code, 1);
    assert!(nobody.err.contains("device nobody is not connected"), "{nobody:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_and_doctor_fail_with_the_way_out_when_there_is_nothing() {
    let alone = Binary::alone();
    let devices = alone.run(&["devices"]).await;
    assert_eq!(devices.code, 1);
    assert!(devices.out.contains("no adb server") && devices.out.contains("install adb"));
    let doctor = alone.run(&["doctor"]).await;
    assert_eq!(doctor.code, 1);
    for said in
        ["PROBLEM  phones", "PROBLEM  model", "platform-tools", "cannot be reached", "ayeaye demo"]
    {
        assert!(doctor.out.contains(said), "{said}: {}", doctor.out);
    }
}

/// As in a data folder that was copied without its permissions.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_key_for_forms_that_others_can_read_stops_no_server_and_doctor_tells_of_it() {
    use std::os::unix::fs::PermissionsExt as _;
    let alone = Binary::alone();
    for file in ["state-key", "http-token"] {
        let path = alone.data.path().join(file);
        std::fs::write(&path, "0123456789abcdef0123456789abcdef\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    let mut raw = alone.raw().await;
    let (failed, text) = raw.tool("list_sessions", json!({})).await;
    assert!(!failed, "{text}");
    let doctor = alone.run(&["doctor"]).await;
    let (key, token) = doctor.out.split_once("PROBLEM  secrets").expect(&doctor.out);
    let (_, key) = key.split_once("unsure   secrets").expect(&doctor.out);
    for (told, file) in [(key, "state-key"), (token, "http-token")] {
        let told = told.lines().next().unwrap();
        assert!(told.contains(file) && told.contains("can be read by others (mode 644)"), "{told}");
    }
    // Whoever has read this one could drive the phones.
    let served = alone.run(&["serve", "--http", "127.0.0.1:0"]).await;
    assert!(served.code == 1 && served.err.contains("http-token can be read"), "{served:?}");
    let chosen = alone.set("AYEAYE_HTTP_TOKEN", TOKEN).run(&["doctor"]).await;
    assert!(!chosen.out.contains("http-token"), "{}", chosen.out);
}

/// Each keeps the server from starting, or secrets from being hidden.
#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn doctor_tells_of_tokens_and_kept_secrets_that_cannot_be_used() {
    use std::os::unix::fs::PermissionsExt as _;
    let rights = |path: &std::path::Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    let secrets = |doctor: &CommandOutput| {
        let told: Value = serde_json::from_str(&doctor.out).unwrap();
        let found = told["findings"].as_array().unwrap().clone();
        let mut found = found.into_iter().filter(|it| it["about"] == "secrets");
        let first = found.next().map(|it| {
            assert_eq!((&it["verdict"], it["hint"].is_string()), (&json!("problem"), true), "{it}");
            it["text"].as_str().unwrap().to_owned()
        });
        assert!(found.next().is_none(), "one thing is told once: {}", doctor.out);
        first
    };
    for (file, text, mode, why) in [
        ("http-tokens", "anna short\n", 0o600, "http-tokens, line 1: the token must have"),
        ("secrets.json", "{}", 0o644, "can be read by others (mode 644)"),
        ("secrets.json", "{\"bank\": 3}", 0o600, "is damaged"),
    ] {
        let alone = Binary::alone();
        assert_eq!(secrets(&alone.run(&["doctor", "--json"]).await), None);
        let path = alone.data.path().join(file);
        std::fs::write(&path, text).unwrap();
        rights(&path, mode);
        let told = secrets(&alone.run(&["doctor", "--json"]).await).expect(why);
        assert!(told.contains(why), "{told}");
    }
    let missing = Binary::alone().set("AYEAYE_HTTP_TOKENS_FILE", "/nowhere/tokens");
    let doctor = missing.run(&["doctor", "--json"]).await;
    assert!(secrets(&doctor).expect("it is told").contains("/nowhere/tokens"), "{}", doctor.out);
    let open = Binary::alone();
    rights(open.data.path(), 0o777);
    let doctor = open.run(&["doctor"]).await;
    let (_, told) = doctor.out.split_once("unsure   data").expect(&doctor.out);
    assert!(told.contains("(mode 777)") && told.contains("chmod 700"), "{}", doctor.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn devices_lists_a_phone_and_ends_with_0() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let devices = Binary::with(adb, &vlm).run(&["devices"]).await;
    assert_eq!(devices.code, 0, "{devices:?}");
    let line = devices.out.lines().next().unwrap();
    assert!(line.starts_with(virtual_phone.serial()) && line.contains("virtual"), "{line}");
    assert!(line.contains("Android 14") && line.contains("540x1200"), "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_are_shown_without_secrets_and_a_wrong_one_is_a_usage_error() {
    let binary = Binary::alone().set("AYEAYE_HTTP_TOKEN", TOKEN);
    let config = binary.run(&["config"]).await;
    assert_eq!(config.code, 0);
    assert!(config.out.contains("http://127.0.0.1:1/v1"), "{}", config.out);
    for secret in [TOKEN, crate::support::KEY] {
        assert!(!config.out.contains(secret), "{}", config.out);
    }
    for arguments in [&["frobnicate"][..], &["run"], &["sessions", "show", "../x"], &[]] {
        assert_eq!(binary.run(arguments).await.code, 2, "{arguments:?}");
    }
    let wrong = Binary::alone().set("AYEAYE_RUN_MAX_STEPS", "many");
    let ended = wrong.run(&["config"]).await;
    assert_eq!(ended.code, 2);
    assert!(ended.err.contains("AYEAYE_RUN_MAX_STEPS"), "{}", ended.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_are_listed_shown_answered_exported_and_removed() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Says(info("Which Anna?"))).await;
    let binary = Binary::with(adb, &vlm);
    let none = binary.run(&["sessions", "list"]).await;
    assert_eq!((none.code, none.out.trim()), (0, "There are no sessions yet."));
    let run = binary.run(&["run", "Tell Anna", "--device", virtual_phone.serial()]).await;
    assert_eq!(run.code, 3, "{run:?}");

    let list = binary.run(&["sessions", "list"]).await;
    let id = list.out.split_whitespace().next().unwrap().to_owned();
    assert!(list.out.contains("waits for an answer") && list.out.contains("Tell Anna"));
    let shown = binary.run(&["sessions", "show", &id]).await;
    assert_eq!(shown.code, 0);
    assert!(shown.out.contains("Which Anna?") && shown.out.contains(&id), "{}", shown.out);

    let answered = binary.run(&["sessions", "answer", &id, "Anna Berg"]).await;
    assert_eq!(answered.code, 0, "{answered:?}");
    vlm.always(&complete("Told her."));
    let mut raw = binary.raw().await;
    let (_, text) = raw.tool("ask_agent_continue", json!({ "session_id": id })).await;
    assert!(text.contains("TASK_COMPLETED_SUCCESSFULLY"), "the answer is taken: {text}");
    assert!(vlm.asked().pop().unwrap().to_string().contains("Anna Berg"));
    raw.hang_up();
    raw.end().await;
    let again = binary.run(&["sessions", "answer", &id, "Anna Berg"]).await;
    assert_eq!(again.code, 1);
    assert!(again.err.contains("has no open question"), "{}", again.err);

    let out = binary.data.path().join("out");
    let to = out.to_str().unwrap();
    let exported = binary.run(&["sessions", "export", &id, "--format", "gelab", "--out", to]).await;
    assert_eq!(exported.code, 0, "{exported:?}");
    let trace = std::fs::read_to_string(out.join("traces").join(format!("{id}.jsonl"))).unwrap();
    assert!(trace.contains("Which Anna?"), "{trace}");
    assert!(trace.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));

    let removed = binary.run(&["sessions", "rm", &id]).await;
    assert_eq!(removed.code, 0, "{removed:?}");
    assert!(!binary.data.path().join("sessions").join(&id).exists());
    let runs = binary.data.path().join("runs").join("table.json");
    assert!(!std::fs::read_to_string(runs).unwrap().contains(&id), "its id is gone too");
    assert_eq!(binary.run(&["sessions", "show", &id]).await.code, 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_demo_does_the_main_job_by_itself() {
    let binary = Binary::alone();
    let demo = binary.run(&["demo", "--yes"]).await;
    assert_eq!(demo.code, 0, "{demo:?}");
    for said in [
        "The phone is virtual",
        "ayeaye-5554",
        "Open Messages",
        "question  There are two Annas",
        "answer    Anna Berg  (by --yes)",
        "done      Sent to Anna Berg",
        "phone     has sent to Anna Berg: \"I am ten minutes late\"",
        "everything else",
    ] {
        assert!(demo.out.contains(said), "{said}: {}", demo.out);
    }
    let folder = demo.out.lines().find_map(|line| line.strip_prefix("session   ")).unwrap();
    assert!(std::path::Path::new(folder).join("events.jsonl").exists(), "{folder}");
    let report = demo.out.lines().find_map(|line| line.strip_prefix("report    ")).unwrap();
    let (page, _) = report.split_once("  (open it").unwrap();
    let page = std::fs::read_to_string(page).unwrap();
    // The command has waited for it: the last step is there.
    assert!(page.contains("Report that it is done"), "the end is missing");
    assert!(page.len() < 8 * 25_000, "{} bytes", page.len());
    // A screen that two steps saw is in it once.
    let pictures = page.matches("data:image/").count();
    assert!((5..=8).contains(&pictures), "{pictures}");
    assert_eq!(page.matches("data:image/webp;base64,").count(), pictures);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_has_said_a_word_ends_cleanly_when_it_is_told() {
    let binary = Binary::alone();
    for _ in 0..5 {
        let mut command = binary.command(&["phone", "--port", "0"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut phone = command.spawn().unwrap();
        let mut out = BufReader::new(phone.stdout.take().unwrap()).lines();
        let first = within(20, "its first line", out.next_line()).await.unwrap().unwrap();
        assert!(first.starts_with("phone "), "{first}");
        let pid = phone.id().unwrap().to_string();
        tokio::process::Command::new("kill").args(["-TERM", &pid]).status().await.unwrap();
        let status = within(20, "the end", phone.wait()).await.unwrap();
        assert_eq!(status.code(), Some(0), "{status}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_demo_that_nobody_answers_waits_with_its_session() {
    let demo = Binary::alone().run(&["demo"]).await;
    assert_eq!(demo.code, 3, "{demo:?}");
    assert!(demo.out.contains("phone     has sent nothing"), "{}", demo.out);
    assert!(demo.out.contains("go on     ayeaye continue "), "{}", demo.out);
}
