//! Without a model the client's own drives: the real program on stdio, and a phone behind adb.
use std::sync::Arc;
use std::time::{Duration, Instant};

use ayeaye::model_presence::{ModelPresence, ModelState};
use ayeaye_model::{Endpoint, ModelConfig, RemoteModel};
use serde_json::{Value, json};
use tokio::net::TcpSocket;

use crate::support::clients::{LineClient, modern};
use crate::support::fake_server::{FakeServer, SERIAL, asks, completes};
use crate::support::{
    Answer, Binary, FakeVlm, KEY, Raw, complete, one_by_one, plugged_in, quick_phone,
};

/// A start without a model must not wait for one: far less than the tries of a call take.
const AT_ONCE: Duration = Duration::from_secs(5);

async fn names(raw: &mut Raw) -> Vec<String> {
    let list = raw.ask("tools/list", json!({})).await["result"].clone();
    let tools = list["tools"].as_array().unwrap().iter();
    let names: Vec<_> = tools.map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    let offered = |tool: &str| names.iter().any(|it| it == tool);
    let text = list.to_string();
    // Every chat pays for it. As Python writes it, with blanks, where one way to use a phone is offered.
    let (bytes, most) = if offered("tap") && offered("ask_agent_start_new_task") {
        (text.len(), 32_000)
    } else {
        (text.len() + blanks(&list), 20_000)
    };
    assert!(bytes < most && text.is_ascii(), "{bytes} bytes of tools: {names:?}");
    names
}

/// Behind each comma and colon of JSON.
fn blanks(value: &Value) -> usize {
    match value {
        Value::Object(fields) => {
            (2 * fields.len()).saturating_sub(1) + fields.values().map(blanks).sum::<usize>()
        }
        Value::Array(items) => {
            items.len().saturating_sub(1) + items.iter().map(blanks).sum::<usize>()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_tools_is_short_for_clients_that_show_the_page_too() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let shows = json!({ "extensions": { "io.modelcontextprotocol/ui": {
        "mimeTypes": ["text/html;profile=mcp-app"] } } });
    for capabilities in [json!({}), shows.clone()] {
        for tools in ["auto", "agent", "device", "all"] {
            let mut raw = Binary::unconfigured(adb).modern_with(&["--tools", tools]);
            raw.initialize(capabilities.clone()).await;
            let names = names(&mut raw).await;
            let of_page = names.iter().any(|it| it == "watch_session");
            assert_eq!(of_page, capabilities == shows, "{names:?}");
        }
    }
}

/// Taps the element that shows this text, as a model would that reads the list.
async fn tap(raw: &mut Raw, device: &str, text: &str) {
    let tree = raw.facts("get_ui_tree", json!({ "device_id": device })).await;
    let shows = |it: &&Value| it["text"].as_str().is_some_and(|it| it.contains(text));
    let found = tree["elements"].as_array().unwrap().iter().find(shows);
    let bounds = found.unwrap_or_else(|| panic!("no {text}: {tree}"))["bounds"].clone();
    let middle = |a: usize, b: usize| {
        i64::midpoint(bounds[a].as_i64().unwrap(), bounds[b].as_i64().unwrap())
    };
    let place = json!({ "device_id": device, "x": middle(0, 2), "y": middle(1, 3) });
    let tapped = raw.facts("tap", place).await;
    assert_eq!(tapped["screen_changed"], true, "{text}: {tapped}");
    let next = tapped["next"].as_str().unwrap();
    assert!(next.starts_with("Look at get_ui_tree"), "{next}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_clients_own_model_does_a_whole_task() {
    let virtual_phone = quick_phone();
    let phone = virtual_phone.phone().clone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let mut raw = Binary::unconfigured(adb).modern();
    let said = raw.initialize(json!({})).await;
    insta::assert_snapshot!(said["instructions"].as_str().unwrap());
    assert!(said["capabilities"].get("prompts").is_none(), "they hand out tasks: {said}");
    insta::assert_json_snapshot!(names(&mut raw).await);

    let list = raw.facts("list_connected_devices", json!({})).await;
    assert!(list["next"].as_str().unwrap().starts_with("You drive"), "{list}");
    let device = list["devices"][0]["device_id"].as_str().unwrap().to_owned();
    assert_eq!(phone_wifi(&phone), json!(true));
    raw.facts("launch_app", json!({ "device_id": device, "app": "Settings" })).await;
    for text in ["Network", "Internet", "Fi"] {
        tap(&mut raw, &device, text).await;
    }
    assert_eq!(phone_wifi(&phone), json!(false));
    let sessions = raw.facts("list_sessions", json!({})).await;
    let session = &sessions["sessions"][0];
    assert_eq!(session["global_step_idx"], 4, "one session of four acts: {sessions}");
    let times = ["started_at", "updated_at"].map(|name| session[name].as_str().unwrap().to_owned());
    assert!(times[0] <= times[1] && times[0].ends_with('Z'), "{times:?}");
}

fn phone_wifi(phone: &ayeaye_phone::Phone) -> Value {
    serde_json::to_value(phone.state()).unwrap()["wifi"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_without_a_model_is_refused_at_once_and_both_ways_are_named() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let task = json!({ "device_id": virtual_phone.serial(), "task": "do it" });
    for (arguments, says) in [
        // A client that knows the tool from before.
        (&[][..], "drive the phone yourself"),
        (&["--tools", "all"], "drive the phone yourself"),
        (&["--tools", "agent"], "without --tools"),
    ] {
        let mut raw = Binary::unconfigured(adb).modern_with(arguments);
        raw.initialize(json!({})).await;
        let begun = Instant::now();
        let (failed, text) = raw.tool("ask_agent_start_new_task", task.clone()).await;
        assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
        assert!(failed && text.starts_with("nothing was started: no model"), "{text}");
        for part in [says, "model.base-url", "AYEAYE_MODEL_BASE_URL", "ayeaye doctor"] {
            assert!(text.contains(part), "{part}: {text}");
        }
        let sessions = raw.facts("list_sessions", json!({})).await;
        assert_eq!(sessions["sessions"], json!([]), "{arguments:?}");
    }
    assert!(virtual_phone.phone().state().actions.is_empty(), "the phone was not touched");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_does_not_run_yet_is_told_and_taken_when_it_does() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    // Bound and not listening: it refuses connections, and nobody else is given it.
    let reserved = TcpSocket::new_v4().unwrap();
    reserved.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let address = reserved.local_addr().unwrap();
    let url = format!("http://{address}/v1");
    let binary = Binary::unconfigured(adb)
        .set("AYEAYE_MODEL_BASE_URL", &url)
        .set("AYEAYE_MODEL_API_KEY", KEY);
    let mut raw = binary.modern();
    let said = raw.initialize(json!({})).await;
    let instructions = said["instructions"].as_str().unwrap();
    assert!(instructions.contains("refused the connection, so you drive"), "{instructions}");
    let offered = names(&mut raw).await;
    for tool in ["tap", "ask_agent_start_new_task"] {
        assert!(offered.iter().any(|it| it == tool), "{offered:?}");
    }
    let task = json!({ "device_id": virtual_phone.serial(), "task": "do it", "wait_seconds": 30 });
    let begun = Instant::now();
    let (failed, text) = raw.tool("ask_agent_start_new_task", task.clone()).await;
    assert!(begun.elapsed() < AT_ONCE, "{:?}", begun.elapsed());
    assert!(failed && text.contains(&url) && text.contains("cannot be reached"), "{text}");
    let listener = reserved.listen(16).unwrap();
    let _vlm = FakeVlm::start_on(listener, one_by_one(vec![Answer::Says(complete("Done."))]));
    // What was found is kept for a second.
    let done = loop {
        let (failed, text) = raw.tool("ask_agent_start_new_task", task.clone()).await;
        if !failed {
            break serde_json::from_str::<Value>(&text).unwrap();
        }
        assert!(begun.elapsed() < 10 * AT_ONCE, "{text}");
    };
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_and_config_say_who_drives() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let alone = Binary::unconfigured(adb);
    let doctor = alone.run(&["doctor"]).await;
    assert_eq!(doctor.code, 0, "{doctor:?}");
    for part in
        ["no model is configured", "the client's own model drives", "with its own model is there"]
    {
        assert!(doctor.out.contains(part), "{part}: {}", doctor.out);
    }
    let config = alone.run(&["config"]).await;
    assert!(config.out.contains("tools = \"auto\""), "{}", config.out);
    assert!(config.out.contains("# now: no model is configured"), "{}", config.out);
    assert!(config.out.contains("(tools: device)"), "{}", config.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_what_it_cannot_check_while_the_model_does_not_run() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    // Bound and not listening.
    let reserved = TcpSocket::new_v4().unwrap();
    reserved.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let url = format!("http://{}/v1", reserved.local_addr().unwrap());
    let binary = Binary::unconfigured(adb)
        .set("AYEAYE_MODEL_BASE_URL", &url)
        .set("AYEAYE_MODEL_NAME", "ui-tars-1.5-7b");
    let doctor = binary.run(&["doctor"]).await;
    assert_eq!(doctor.code, 1, "{doctor:?}");
    let line = |begin: &str| {
        let found = doctor.out.lines().find(|line| line.starts_with(begin));
        found.unwrap_or_else(|| panic!("{begin}: {}", doctor.out))
    };
    let gone = line("PROBLEM  model");
    assert!(gone.contains(&url) && gone.contains("start it"), "{gone}");
    let left = line("unsure   model");
    assert!(left.contains("not checked") && left.contains("ui-tars-1.5-7b"), "{left}");
    let tools = line("ok       tools");
    assert!(tools.contains("whole tasks") && tools.contains("until then"), "{tools}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_stand_in_says_that_it_is_one_and_that_real_phones_are_left_out() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let mut raw = Binary::unconfigured(adb).modern_with(&["--virtual"]);
    let said = raw.initialize(json!({})).await;
    assert!(said["instructions"].as_str().unwrap().contains("a stand-in decides"), "{said}");
    assert!(names(&mut raw).await.iter().any(|it| it == "ask_agent_start_new_task"));
    let list = raw.facts("list_connected_devices", json!({})).await;
    // The one that adb has is smaller.
    let [only] = list["devices"].as_array().unwrap().as_slice() else { panic!("one: {list}") };
    assert_eq!(only["screen"]["width"], 1080, "{list}");
    let hint = list["hint"].as_str().unwrap();
    assert!(hint.contains("only the virtual phone") && hint.contains("real phones"), "{hint}");
}

#[tokio::test]
async fn only_a_resource_that_tells_of_tasks_waits_for_a_look_at_the_model() {
    let endpoint = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    endpoint.set_nonblocking(true).unwrap();
    let url = format!("http://{}/v1", endpoint.local_addr().unwrap());
    let remote = RemoteModel::new(ModelConfig::new(Endpoint::parse(&url).unwrap(), "m")).unwrap();
    let fake = FakeServer::new([completes("Done.")]);
    let start = json!({ "device_id": SERIAL, "task": "do it" });
    let mut old = LineClient::old(&fake.server, json!({})).await;
    let ended = old.tool("ask_agent_start_new_task", start).await;
    let session = format!("ayeaye://sessions/{}", ended["session_id"].as_str().unwrap());
    let presence = Arc::new(ModelPresence::of(Arc::new(remote), true));
    let server = fake.server.clone().with_model(presence);
    // It may begin with any request.
    let mut client = LineClient::of(&server, "new", json!({})).await;
    let mut looks = async |uri: &str| {
        let asked = modern(json!({ "uri": uri }), &json!({}));
        let answer = client.ask("resources/read", asked).await;
        assert!(answer["result"]["contents"].is_array(), "{answer}");
        endpoint.accept().is_ok()
    };
    for uri in ["ayeaye://devices", "ayeaye://sessions", &format!("{session}/steps")] {
        assert!(!looks(uri).await, "{uri}");
    }
    assert!(looks(&session).await);
}

#[tokio::test]
async fn an_answer_without_a_model_is_refused_and_its_question_stays_open() {
    let fake = FakeServer::new([asks("Which?"), completes("Done.")]);
    let mut client = LineClient::old(&fake.server, json!({})).await;
    let start = json!({ "device_id": SERIAL, "task": "do it" });
    let asked = client.tool("ask_agent_start_new_task", start).await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY");
    let session = &asked["session_id"];
    let presence = Arc::new(ModelPresence::always(ModelState::Refused));
    let server = fake.server.clone().with_model(presence);
    let mut without = LineClient::old(&server, json!({})).await;
    for step in [None, Some(2)] {
        let mut arguments = json!({ "session_id": session, "reply_from_client": "the first" });
        if let Some(step) = step {
            arguments["question_step"] = json!(step);
        }
        let call = json!({ "name": "ask_agent_continue", "arguments": arguments });
        let answer = without.ask("tools/call", call).await["result"].clone();
        let told = answer["content"][0]["text"].as_str().unwrap();
        assert_eq!(answer["isError"], true, "{told}");
        assert!(told.contains("cannot be reached"), "{told}");
        let now = client.tool("get_session", json!({ "session_id": session })).await;
        assert_eq!(now["question"]["text"], "Which?", "{now}");
    }
    let reply = json!({ "session_id": session, "reply_from_client": "the first" });
    let done = client.tool("ask_agent_continue", reply).await;
    assert_eq!(done["message"], "Done.", "{done}");
}
