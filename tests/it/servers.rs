//! Several servers of one data folder, each a process of its own: what one runs, the others follow, answer and
//! stop, whichever of them dies.
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use rmcp::model::CallToolRequestParams;
use rmcp::service::RunningService;
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{RoleClient, ServiceExt as _};
use serde_json::{Value, json};
use tokio::process::Child;

use crate::fence::taps;
use crate::process::{TOKEN, serve_http};
use crate::support::{
    Answer, Binary, FakeVlm, Raw, complete, gelab, http, info, one_by_one, plugged_in, quick_phone,
    within,
};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";

/// A server and its client.
enum Served {
    Stdio(Box<Raw>),
    Http(Box<Child>, Box<RunningService<RoleClient, ()>>),
}

impl Served {
    async fn stdio(binary: &Binary) -> Self {
        Self::Stdio(Box::new(binary.raw().await))
    }

    async fn http(binary: &Binary) -> Self {
        let (child, url) = serve_http(binary).await;
        let config = StreamableHttpClientTransportConfig::with_uri(url).auth_header(TOKEN);
        let transport = StreamableHttpClientTransport::with_client(http(), config);
        let client = within(20, "the client", ().serve(transport)).await.unwrap();
        Self::Http(Box::new(child), Box::new(client))
    }

    /// Whether the tool failed, and what it says.
    async fn tool(&mut self, tool: &'static str, arguments: &Value) -> (bool, String) {
        match self {
            Self::Stdio(raw) => raw.tool(tool, arguments.clone()).await,
            Self::Http(_, client) => {
                let Value::Object(arguments) = arguments.clone() else { panic!("an object") };
                let params = CallToolRequestParams::new(tool).with_arguments(arguments);
                let calling = Box::pin(client.peer().call_tool(params));
                let result = within(40, tool, calling).await.unwrap();
                let text = result.content.first().and_then(|it| it.as_text());
                let text = text.map(|it| it.text.clone()).unwrap_or_default();
                (result.is_error == Some(true), text)
            }
        }
    }

    async fn facts(&mut self, tool: &'static str, arguments: Value) -> Value {
        let (failed, text) = Box::pin(self.tool(tool, &arguments)).await;
        assert!(!failed, "{tool}: {text}");
        serde_json::from_str(&text).unwrap()
    }

    /// As `kill -9` does; another one takes its place.
    async fn killed(self, binary: &Binary) -> Self {
        match self {
            Self::Stdio(raw) => {
                raw.kill().await;
                Self::stdio(binary).await
            }
            Self::Http(mut child, client) => {
                child.kill().await.unwrap();
                drop(client);
                Self::http(binary).await
            }
        }
    }
}

fn id_of(result: &Value) -> String {
    result["session_id"].as_str().unwrap().to_owned()
}

/// What the record holds of the user's words.
fn said(binary: &Binary, session: &str) -> Vec<String> {
    let record = binary.data.path().join("sessions").join(session).join("events.jsonl");
    let text = std::fs::read_to_string(record).unwrap();
    let events = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let answers = events.filter(|event| event["type"] == "answer");
    answers.map(|event| event["data"]["answers"][0].as_str().unwrap().to_owned()).collect()
}

/// Asks until the result is as wanted.
async fn until(served: &mut Served, session: &str, wanted: impl Fn(&Value) -> bool) -> Value {
    within(20, "the session", async {
        let mut tick = tokio::time::interval(Duration::from_millis(20));
        loop {
            let seen = served.facts("get_session", json!({ "session_id": session })).await;
            if wanted(&seen) {
                return seen;
            }
            tick.tick().await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_server_runs_is_followed_answered_and_stopped_through_others() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(one_by_one(vec![
        Answer::Says(info("Which Anna?")),
        Answer::Says(gelab("CLICK", "point:300,400", "chose her")),
    ]))
    .await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_HTTP_TOKEN", TOKEN);
    let mut starts = Served::stdio(&binary).await;
    let mut follows = Served::stdio(&binary).await;
    let mut stops = Served::http(&binary).await;
    let start = json!({ "device_id": virtual_phone.serial(), "task": "Tell Anna", "wait_seconds": 0,
        "reply_mode": "manual_reply" });
    let session = id_of(&starts.facts("ask_agent_start_new_task", start).await);
    // A run of the first server waits for an answer. The second sees it, the third gives it.
    let asked = until(&mut follows, &session, |seen| seen["question"].is_object()).await;
    assert_eq!(asked["stop_reason"], "STILL_RUNNING", "{asked}");
    assert_eq!(asked["question"]["text"], "Which Anna?", "{asked}");
    let list = follows.facts("list_connected_devices", json!({})).await;
    let phone = &list["devices"][0];
    assert_eq!((&phone["busy"], &phone["session_id"]), (&json!(true), &json!(session)));
    let reply =
        json!({ "session_id": session, "reply_from_client": "Anna Berg", "wait_seconds": 0 });
    stops.facts("ask_agent_continue", reply).await;
    vlm.is_asked(3).await;
    assert_eq!(taps(virtual_phone.phone()).len(), 1);
    assert_eq!(said(&binary, &session), ["Anna Berg"]);
    // One follows while another stops it.
    let following = async {
        let follow = json!({ "session_id": session, "wait_seconds": 30 });
        follows.facts("ask_agent_continue", follow).await
    };
    let stopping = async { stops.facts("stop_task", json!({ "session_id": session })).await };
    let (followed, stopped) = tokio::join!(following, stopping);
    assert_eq!(stopped["stop_reason"], "CANCELLED", "{stopped}");
    if followed["stop_reason"] != "CANCELLED" {
        // It asked when the run was over already, and so went on with it.
        stops.facts("stop_task", json!({ "session_id": session })).await;
    }
    vlm.always(&complete("Told her."));
    let go_on = json!({ "session_id": session });
    let done = follows.facts("ask_agent_continue", go_on.clone()).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let shown = starts.facts("get_session", go_on).await;
    assert_eq!(shown["stop_reason"], DONE, "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_dies_is_noticed_and_its_session_taken_up_by_another() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let first = binary.raw().await;
    let mut first = Served::Stdio(Box::new(first));
    let mut second = Served::stdio(&binary).await;
    let start = json!({ "device_id": virtual_phone.serial(), "task": "do it", "wait_seconds": 0 });
    let session = id_of(&first.facts("ask_agent_start_new_task", start).await);
    let name = json!({ "session_id": session });
    until(&mut second, &session, |seen| seen["stop_reason"] == "STILL_RUNNING").await;
    let killing = async {
        vlm.is_asked(1).await;
        let Served::Stdio(raw) = first else { panic!("it is on stdio") };
        raw.kill().await;
    };
    let follow = json!({ "session_id": session, "wait_seconds": 30 });
    let ((), followed) = tokio::join!(killing, second.facts("ask_agent_continue", follow));
    assert_eq!(followed["stop_reason"], "SERVER_RESTARTED", "{followed}");
    let list = second.facts("list_connected_devices", json!({})).await;
    assert_eq!(list["devices"][0]["busy"], false, "{list}");
    vlm.always(&complete("Done."));
    let done = second.facts("ask_agent_continue", name).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_leaves_does_not_stop_what_another_server_runs() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let mut runs = Served::stdio(&binary).await;
    let start = json!({ "device_id": virtual_phone.serial(), "task": "do it", "wait_seconds": 0 });
    let session = id_of(&runs.facts("ask_agent_start_new_task", start).await);
    let name = json!({ "session_id": session });
    for signal in [false, true] {
        let mut follows = binary.raw().await;
        let told = json!({ "progressToken": 1 });
        let params = json!({ "name": "ask_agent_continue", "arguments": name, "_meta": told });
        let call = follows.send("tools/call", params).await;
        follows.wait_for_output("notifications/progress").await;
        if signal {
            follows.terminate().await;
        } else {
            follows.hang_up();
        }
        let (code, rest) = follows.end().await;
        assert_eq!(code, Some(0), "signal: {signal}");
        let answered = rest.iter().find(|line| line.contains(&format!("\"id\":{call}")));
        let answer = answered.expect("the call is answered");
        assert!(answer.contains("STILL_RUNNING"), "signal: {signal}, {answer}");
        let seen = runs.facts("get_session", name.clone()).await;
        assert_eq!(seen["stop_reason"], "STILL_RUNNING", "signal: {signal}, {seen}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_phone_has_a_queue_that_outlives_its_servers() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let mut served = Vec::new();
    for _ in 0..4 {
        served.push(Served::stdio(&binary).await);
    }
    let start = |task: &str, queue: bool| json!({ "device_id": virtual_phone.serial(), "task": task, "queue": queue, "wait_seconds": 0 });
    let mut sessions = Vec::new();
    for (server, task) in served.iter_mut().zip(["one", "two", "three", "four"]) {
        let begun = server.facts("ask_agent_start_new_task", start(task, true)).await;
        assert_eq!(begun["stop_reason"], "STILL_RUNNING", "{begun}");
        if task != "one" {
            let place = sessions.len();
            let message = begun["message"].as_str().unwrap();
            assert!(message.contains(&format!("place {place} in its queue")), "{message}");
        }
        sessions.push(id_of(&begun));
    }
    let (failed, text) = served[3].tool("ask_agent_start_new_task", &start("five", false)).await;
    assert!(failed && text.contains("queue = true"), "{text}");
    let list = served[0].facts("list_connected_devices", json!({})).await;
    assert_eq!(list["devices"][0]["queue"], 3, "{list}");
    assert_eq!(list["devices"][0]["queued_sessions"], json!(sessions[1..]), "{list}");
    let list = served[3].facts("list_sessions", json!({})).await;
    let third =
        list["sessions"].as_array().unwrap().iter().find(|it| it["task"] == "three").unwrap();
    assert!(third["waits"].as_str().unwrap().contains("place 2"), "{list}");
    // The second leaves the queue, the third dies in it, and so does the one that has the phone.
    let gone = served[3].facts("stop_task", json!({ "session_id": sessions[1] })).await;
    assert_eq!(gone["stop_reason"], "CANCELLED", "{gone}");
    let mut rest = served.split_off(3);
    vlm.always(&complete("Done."));
    for server in served.drain(..).rev().collect::<Vec<_>>() {
        let Served::Stdio(raw) = server else { panic!("all are on stdio") };
        raw.kill().await;
    }
    let follow = json!({ "session_id": sessions[3], "wait_seconds": 60 });
    let fourth = rest[0].facts("ask_agent_continue", follow).await;
    assert_eq!((&fourth["stop_reason"], &fourth["task"]), (&json!(DONE), &json!("four")));
    for left in &sessions[..3] {
        let name = json!({ "session_id": left });
        let seen = rest[0].facts("get_session", name.clone()).await;
        let over =
            ["SERVER_RESTARTED", "CANCELLED"].contains(&seen["stop_reason"].as_str().unwrap());
        assert!(over, "{seen}");
        let done = rest[0].facts("ask_agent_continue", name).await;
        assert_eq!(done["stop_reason"], DONE, "{done}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_that_are_killed_lose_no_words_and_repeat_no_act() {
    kills_lose_no_words_and_repeat_no_act(17, 14).await;
}

/// Before a release: `cargo it many_more_kills --ignored`.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes minutes"]
async fn many_more_kills_lose_no_words_and_repeat_no_act() {
    for seed in 0..20 {
        kills_lose_no_words_and_repeat_no_act(seed, 30).await;
    }
}

/// Two servers on stdio and one over HTTP: in each round one of them follows, advises, stops or goes on, and one is
/// killed.
async fn kills_lose_no_words_and_repeat_no_act(seed: u64, rounds: u32) {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    // No tap is decided on twice, so one that is seen twice was sent twice. Between them an app is opened: on a screen that
    // does not change a run that nobody kills ends as stuck.
    let (decided, asked) = (AtomicU32::new(0), AtomicU32::new(0));
    let enough = Arc::new(AtomicBool::new(false));
    let over = enough.clone();
    let vlm = FakeVlm::start(move |_| {
        if over.load(Ordering::SeqCst) {
            return Answer::Says(complete("All done."));
        }
        let turn = asked.fetch_add(1, Ordering::SeqCst);
        if turn % 4 == 3 {
            let app = if turn % 8 == 3 { "Clock" } else { "Messages" };
            return Answer::Says(gelab("AWAKE", &format!("value:{app}"), "opened"));
        }
        let n = decided.fetch_add(1, Ordering::SeqCst);
        let (x, y) = (100 + n % 400 * 2, 300 + n / 400 * 2);
        Answer::Says(gelab("CLICK", &format!("point:{x},{y}"), &format!("tap {n}")))
    })
    .await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_HTTP_TOKEN", TOKEN);
    let mut random = StdRng::seed_from_u64(seed);
    let mut served = vec![
        Served::stdio(&binary).await,
        Served::stdio(&binary).await,
        Served::http(&binary).await,
    ];
    let start = json!({ "device_id": virtual_phone.serial(), "task": "Tap", "max_steps": 500,
        "wait_seconds": 0 });
    let session = id_of(&served[0].facts("ask_agent_start_new_task", start).await);
    // Words that a server has accepted, and words whose server died before it could say so.
    let (mut accepted, mut unknown) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let one = random.random_range(0..3);
        let name = json!({ "session_id": session });
        let go_on = json!({ "session_id": session, "max_steps": 500, "wait_seconds": 0 });
        let words = format!("advice {round}");
        let mut advise = go_on.clone();
        advise["reply_from_client"] = json!(words);
        match random.random_range(0..5) {
            0 => {
                let stopped = served[one].facts("stop_task", name.clone()).await;
                assert_ne!(stopped["stop_reason"], "STILL_RUNNING", "{stopped}");
            }
            1 => drop(served[one].facts("ask_agent_continue", go_on).await),
            2 if matches!(served[one], Served::Stdio(_)) => {
                // It is killed while it is told.
                let server = served.remove(one);
                let Served::Stdio(mut raw) = server else { panic!("it is on stdio") };
                let params = json!({ "name": "ask_agent_continue", "arguments": advise });
                raw.send("tools/call", params).await;
                for _ in 0..random.random_range(0..3000) {
                    tokio::task::yield_now().await;
                }
                raw.kill().await;
                served.insert(one, Served::stdio(&binary).await);
                unknown.push(words);
            }
            _ => {
                drop(served[one].facts("ask_agent_continue", advise).await);
                accepted.push(words);
            }
        }
        let dies = random.random_range(0..3);
        let server = served.remove(dies);
        served.insert(dies, server.killed(&binary).await);
        // Whoever is asked, all say the same soon, and none says that it runs when nobody runs it.
        let by = random.random_range(0..3);
        let seen = served[by].facts("get_session", name.clone()).await;
        if seen["stop_reason"] != "STILL_RUNNING" {
            drop(
                served[by]
                    .facts(
                        "ask_agent_continue",
                        json!({ "session_id": session, "max_steps": 500,
                "wait_seconds": 0 }),
                    )
                    .await,
            );
        }
        if round % 3 == 2 {
            // A server that has just begun would be killed before its first tap otherwise.
            let before = taps(virtual_phone.phone()).len();
            crate::support::until("a tap", || before < taps(virtual_phone.phone()).len()).await;
        }
    }
    enough.store(true, Ordering::SeqCst);
    let name = json!({ "session_id": session });
    let follow = json!({ "session_id": session, "wait_seconds": 60 });
    within(60, "the end of the task", async {
        let mut ended = served[1].facts("ask_agent_continue", follow.clone()).await;
        while ended["stop_reason"] != DONE {
            assert_ne!(ended["stop_reason"], "STILL_RUNNING", "{ended}");
            ended = served[1].facts("ask_agent_continue", follow.clone()).await;
        }
    })
    .await;
    for server in &mut served {
        let seen = server.facts("get_session", name.clone()).await;
        assert_eq!(seen["stop_reason"], DONE, "{seen}");
        let list = server.facts("list_connected_devices", json!({})).await;
        assert_eq!(list["devices"][0]["busy"], false, "{list}");
    }
    let mut times: HashMap<String, u32> = HashMap::new();
    for words in said(&binary, &session) {
        *times.entry(words).or_default() += 1;
    }
    assert!(!accepted.is_empty(), "seed {seed}: no server has taken any words");
    for words in &accepted {
        assert_eq!(times.get(words), Some(&1), "seed {seed}: {words} of {times:?}");
    }
    for words in &unknown {
        assert!(times.get(words).copied().unwrap_or_default() <= 1, "seed {seed}: {words}");
    }
    let mut tapped = taps(virtual_phone.phone());
    let all = tapped.len();
    assert!(rounds as usize / 3 <= all, "seed {seed}: {all} taps");
    tapped.sort_unstable();
    tapped.dedup();
    assert_eq!(tapped.len(), all, "seed {seed}: a tap was sent twice");
}
