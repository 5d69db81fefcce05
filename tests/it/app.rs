//! The phone inside the chat, from the server's side: who is told of the page, and what the page asks for.
//! The page itself is seen in a browser, in `tests/outside/app`.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{Principal, QuestionKind};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::Instant;

use crate::support::clients::{
    Era, FakeUser, LineClient, call_of, modern, over_http, serve_as, tool_error_text,
};
use crate::support::fake_server::{FakeServer, SERIAL, asks_for, completes, taps};
use crate::support::{Answer, FakeVlm, Rig, click, complete, within};

const PAGE: &str = "ui://ayeaye/run";
const KIND: &str = "text/html;profile=mcp-app";

fn showing(kinds: &Value) -> Value {
    json!({ "extensions": { "io.modelcontextprotocol/ui": { "mimeTypes": kinds } } })
}

/// What a client with these capabilities is answered.
async fn told(server: &FakeServer, era: &str, capabilities: &Value, method: &str) -> Value {
    let mut client = LineClient::of(&server.server, era, capabilities.clone()).await;
    let params = json!({});
    let params = if era == "new" { modern(params, capabilities) } else { params };
    client.ask(method, params).await["result"].clone()
}

fn names(tools: &[Value]) -> Vec<&str> {
    tools.iter().map(|tool| tool["name"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn only_a_client_that_shows_apps_is_told_of_the_page_and_its_tools() {
    let server = FakeServer::new([]);
    for era in ["old", "new"] {
        let shows = told(&server, era, &showing(&json!(["text/plain", KIND])), "tools/list").await;
        let shows = shows["tools"].as_array().unwrap();
        let linked: Vec<Value> =
            shows.iter().filter(|it| it["_meta"]["ui"]["resourceUri"] == PAGE).cloned().collect();
        assert_eq!(
            names(&linked),
            ["ask_agent_continue", "ask_agent_start_new_task", "get_session"]
        );
        assert!(linked.iter().all(|tool| tool["_meta"]["ui/resourceUri"] == PAGE));
        let own: Vec<Value> = shows
            .iter()
            .filter(|it| it["_meta"]["ui"]["visibility"] == json!(["app"]))
            .cloned()
            .collect();
        assert_eq!(names(&own), ["pause_task", "watch_session"]);
        for capabilities in [json!({}), showing(&json!(["text/html"])), showing(&json!("no list"))]
        {
            let plain = told(&server, era, &capabilities, "tools/list").await;
            let plain = plain["tools"].as_array().unwrap();
            assert_eq!(plain.len() + own.len(), shows.len());
            assert!(plain.iter().all(|tool| tool["_meta"].is_null()), "{plain:?}");
            let has_own = |tools: &[Value]| json!(tools).to_string().contains("question_step");
            assert!(has_own(shows) && !has_own(plain), "only the page gives it");
            let listed = told(&server, era, &capabilities, "resources/list").await.to_string();
            assert!(!listed.contains("ui://"), "{listed}");
        }
        let listed = told(&server, era, &showing(&json!([KIND])), "resources/list").await;
        let page = listed["resources"].as_array().unwrap().last().unwrap();
        assert_eq!((&page["uri"], &page["mimeType"]), (&json!(PAGE), &json!(KIND)));
    }
}

#[tokio::test]
async fn the_page_is_read_whole_and_names_no_origin() {
    let server = FakeServer::new([]);
    let mut client = LineClient::old(&server.server, json!({})).await;
    let read = client.ask("resources/read", json!({ "uri": PAGE })).await;
    let page = &read["result"]["contents"][0];
    assert_eq!(page["mimeType"], KIND);
    assert_eq!(page["_meta"], json!({ "ui": { "prefersBorder": true } }));
    let text = page["text"].as_str().unwrap();
    assert!(text.starts_with("<!doctype html>") && text.contains("default-src 'none'"), "{text}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_returns_when_something_happens_and_tells_only_what_is_new() {
    let gate = Arc::new(Notify::new());
    let question = asks_for(QuestionKind::Info, "Which Anna?", &["Anna Bauer", "Anna Berg"]);
    let script = [taps(1), taps(2).held(&gate), question, completes("Told her.")];
    let server = FakeServer::new(script);
    let mut client = LineClient::old(&server.server, json!({})).await;
    let task = json!({ "device_id": SERIAL, "task": "Text Anna", "wait_seconds": 0 });
    let id = client.tool("ask_agent_start_new_task", task).await["session_id"].clone();
    let mut now = client.tool("watch_session", json!({ "session_id": id })).await;
    let mut steps = now["steps"].as_array().unwrap().clone();
    within(60, "the first step", async {
        while steps.is_empty() {
            let more = json!({ "session_id": id, "state": now["state"], "wait_seconds": 10 });
            now = client.tool("watch_session", more).await;
            steps = now["steps"].as_array().unwrap().clone();
        }
    })
    .await;
    assert_eq!((steps.len(), &now["running"]), (1, &json!(true)), "{now}");
    assert_eq!(steps[0]["action"]["point"], json!([1, 500]));

    // The model thinks: nothing is new until it has decided, and a call does not wait for that for ever.
    let begun = Instant::now();
    let known = json!({ "session_id": id, "state": now["state"], "after": 0, "wait_seconds": 3 });
    let same = client.tool("watch_session", known.clone()).await;
    assert_eq!((&same["state"], &same["steps"]), (&now["state"], &json!([])));
    assert!(begun.elapsed() >= Duration::from_secs(3), "{:?}", begun.elapsed());
    gate.notify_one();
    let next = client.tool("watch_session", known).await;
    assert_eq!(next["steps"][0]["step"], 1, "{next}");
    assert_eq!(next["steps"].as_array().unwrap().len(), 1, "{next}");

    let mut asked = next;
    // Its run is over a moment after the question is known.
    within(60, "the question", async {
        while asked["question"].is_null() || asked["running"] == true {
            let more = json!({ "session_id": id, "state": asked["state"], "wait_seconds": 10 });
            asked = client.tool("watch_session", more).await;
        }
    })
    .await;
    assert_eq!(
        (&asked["running"], &asked["question"]["text"]),
        (&json!(false), &json!("Which Anna?"))
    );
    let choice = json!({ "by": "choice", "options": ["Anna Bauer", "Anna Berg"] });
    assert_eq!(asked["question"]["answer"], choice);

    // While it waits for an answer, a watch is told of the run that goes on with one.
    let waits = json!({ "session_id": id, "state": asked["state"], "wait_seconds": 10 });
    let watch =
        client.send("tools/call", json!({ "name": "watch_session", "arguments": waits })).await;
    let reply = json!({ "session_id": id, "reply_from_client": "Anna Berg", "wait_seconds": 0 });
    let goes_on =
        client.send("tools/call", json!({ "name": "ask_agent_continue", "arguments": reply }));
    goes_on.await;
    let begun = Instant::now();
    let seen = client.answer(watch).await["result"]["structuredContent"].clone();
    assert_ne!(seen["state"], asked["state"], "{seen}");
    assert!(begun.elapsed() < Duration::from_secs(9), "{:?}", begun.elapsed());
    // The watch is told when the run begins, which is before the model is asked.
    server.model.wait_for_calls(4).await;
    assert_eq!(server.model.user_replies(), ["Anna Berg"]);
}

#[tokio::test(start_paused = true)]
async fn a_run_is_paused_from_the_page_and_goes_on_when_its_user_wants() {
    let slow = taps(1).after(Duration::from_mins(1));
    let server = FakeServer::new([slow, completes("Done.")]);
    let mut client = LineClient::old(&server.server, json!({})).await;
    let task = json!({ "device_id": SERIAL, "task": "Text Anna", "wait_seconds": 0 });
    let id = client.tool("ask_agent_start_new_task", task).await["session_id"].clone();
    server.model.wait_for_calls(1).await;
    let paused = client.tool("pause_task", json!({ "session_id": id })).await;
    assert_eq!(paused["stop_reason"], "USER_PAUSED", "{paused}");
    assert!(paused["next"].as_str().unwrap().contains("When your user wants it"), "{paused}");
    let seen = client.tool("watch_session", json!({ "session_id": id })).await;
    assert_eq!((&seen["running"], &seen["stop_reason"]), (&json!(false), &json!("USER_PAUSED")));
    // The model that follows the run does not undo that unaware; the page looks the session up before it goes on.
    let polled = client.tool("ask_agent_continue", json!({ "session_id": id })).await;
    assert_eq!(polled["stop_reason"], "USER_PAUSED", "{polled}");
    client.tool("get_session", json!({ "session_id": id })).await;
    let done = client.tool("ask_agent_continue", json!({ "session_id": id })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
}

#[tokio::test(start_paused = true)]
async fn a_watch_returns_when_a_run_leaves_its_queue() {
    let (first, second) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let script = [completes("First.").held(&first), completes("Second.").held(&second)];
    let server = FakeServer::new(script);
    let mut client = LineClient::old(&server.server, json!({})).await;
    let mut begin = async |task: &str| {
        let task = json!({ "device_id": SERIAL, "task": task, "queue": true, "wait_seconds": 0 });
        client.tool("ask_agent_start_new_task", task).await["session_id"].clone()
    };
    begin("Text Anna").await;
    server.model.wait_for_calls(1).await;
    let id = begin("Text Ben").await;
    let waits = client.tool("watch_session", json!({ "session_id": id })).await;
    assert!(waits["message"].as_str().unwrap().contains("place 1 in its queue"), "{waits}");
    first.notify_one();
    server.model.wait_for_calls(2).await;
    let begun = Instant::now();
    let known = json!({ "session_id": id, "state": waits["state"], "wait_seconds": 10 });
    let runs = client.tool("watch_session", known).await;
    assert_eq!((&runs["running"], &runs["message"]), (&json!(true), &json!("")));
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    second.notify_one();
}

#[tokio::test(start_paused = true)]
async fn a_watch_returns_when_an_operator_is_asked_and_says_so() {
    let gate = Arc::new(Notify::new());
    let server = FakeServer::new([asks_for(QuestionKind::Info, "Which Anna?", &[]).held(&gate)]);
    let mut client = LineClient::old(&server.server, json!({})).await;
    let task = json!({ "device_id": SERIAL, "task": "Text Anna", "wait_seconds": 0, "reply_mode": "manual_reply" });
    let id = client.tool("ask_agent_start_new_task", task).await["session_id"].clone();
    server.model.wait_for_calls(1).await;
    let begun = client.tool("watch_session", json!({ "session_id": id })).await;
    assert_eq!(begun["message"], "", "{begun}");
    gate.notify_one();
    let waiting = Instant::now();
    let more = json!({ "session_id": id, "state": begun["state"], "wait_seconds": 10 });
    let asked = client.tool("watch_session", more).await;
    assert!(waiting.elapsed() < Duration::from_secs(10), "{:?}", waiting.elapsed());
    assert_eq!(asked["running"], true, "{asked}");
    assert!(asked["message"].as_str().unwrap().contains("an operator at the server"), "{asked}");
}

#[tokio::test]
async fn a_watch_refuses_what_it_cannot_do_and_shows_nothing_of_others() {
    let server = FakeServer::new([completes("Done.")]);
    let mut client = LineClient::old(&server.server, json!({})).await;
    let task = json!({ "device_id": SERIAL, "task": "Text Anna" });
    let id = client.tool("ask_agent_start_new_task", task).await["session_id"].clone();
    let bob = serve_as(&server.server, Principal::new("bob")).await;
    let bob = over_http(&bob.url, None, &FakeUser::new([]), Era::Old).await;
    for tool in ["watch_session", "pause_task"] {
        let call = call_of(tool, json!({ "session_id": id }));
        let told = tool_error_text(&bob.call_tool(call).await.unwrap());
        assert!(told.contains("no session"), "{tool}: {told}");
    }
    for (arguments, says) in [
        (json!({ "session_id": "x" }), "session"),
        (json!({ "session_id": "01a20d29-9d8b-7259-8aa3-f24bf0df04c0" }), "no session"),
        (
            json!({ "session_id": "01a20d29-9d8b-7259-8aa3-f24bf0df04c0", "wait_seconds": 60 }),
            "0 to 10",
        ),
    ] {
        let call = json!({ "name": "watch_session", "arguments": arguments });
        let answer = client.ask("tools/call", call).await;
        let text = answer["result"]["content"][0]["text"].as_str().unwrap();
        assert!(answer["result"]["isError"] == true && text.contains(says), "{text}");
    }
}

/// A card that was out of sight shows the question of before; a press on it is no answer to the one that is asked now.
#[tokio::test]
async fn an_answer_from_the_page_is_for_the_question_that_was_read() {
    let first = asks_for(QuestionKind::Info, "Which Anna?", &["Berg", "yes"]);
    let second = asks_for(QuestionKind::Confirm, "May I delete everything?", &[]);
    let server = FakeServer::new([first, second, completes("Deleted.")]);
    let mut client = LineClient::old(&server.server, json!({})).await;
    let task = json!({ "device_id": SERIAL, "task": "Text Anna" });
    let id = client.tool("ask_agent_start_new_task", task).await["session_id"].clone();
    let read = client.tool("watch_session", json!({ "session_id": id })).await["question"].clone();
    assert_eq!(read["text"], "Which Anna?", "{read}");
    let reply = |question: &Value, words: &str| json!({ "session_id": id, "reply_from_client": words, "question_step": question["step"] });
    let asked = client.tool("ask_agent_continue", reply(&read, "Berg")).await;
    assert_eq!(asked["question"]["text"], "May I delete everything?", "{asked}");
    let late = json!({ "name": "ask_agent_continue", "arguments": reply(&read, "yes") });
    let answer = client.ask("tools/call", late).await["result"].clone();
    let text = answer["content"][0]["text"].as_str().unwrap();
    assert!(answer["isError"] == true && text.contains("not open any more"), "{text}");
    let now = client.tool("watch_session", json!({ "session_id": id })).await["question"].clone();
    assert_eq!(now["text"], "May I delete everything?", "{now}");
    let done = client.tool("ask_agent_continue", reply(&now, "yes")).await;
    assert_eq!(done["message"], "Deleted.", "{done}");
}

/// The kinds and sizes of the pictures in a result.
fn pictures(result: &rmcp::model::CallToolResult) -> Vec<(String, usize)> {
    let all = result.content.iter().filter_map(|it| it.as_image());
    all.map(|it| (it.mime_type.clone(), STANDARD.decode(&it.data).unwrap().len())).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_comes_with_the_first_look_at_it_and_not_again() {
    let rig = Rig::new(FakeVlm::start(|_| Answer::Says(complete("Done."))).await).await;
    let done = rig.start("look").await;
    let id = &done["session_id"];
    let seen = rig.raw_call("watch_session", json!({ "session_id": id })).await;
    let [(kind, size)] = &pictures(&seen)[..] else { panic!("{:?}", seen.content) };
    assert_eq!(kind, "image/webp");
    assert!((500..60_000).contains(size), "{size}");
    let facts = seen.structured_content.unwrap();
    let known = json!({ "session_id": id, "picture": facts["picture"] });
    let again = rig.raw_call("watch_session", known).await;
    assert_eq!(pictures(&again), []);
    assert_eq!(again.structured_content.unwrap()["picture"], facts["picture"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_result_has_the_pictures_that_were_asked_for_beside_all_facts() {
    // Each at another place, so that nobody takes it for stuck.
    let mut taps = (1..).map(|at| click(100 + 40 * at, 300));
    let rig = Rig::new(FakeVlm::start(move |_| Answer::Says(taps.next().unwrap())).await).await;
    let task = |more: Value| {
        let mut task = json!({ "device_id": rig.serial, "task": "tap", "max_steps": 8 });
        task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        task
    };
    let each = task(json!({ "screenshot": "each" }));
    let each = rig.raw_call("ask_agent_start_new_task", each).await;
    let facts = each.structured_content.clone().unwrap();
    assert_eq!(facts["global_step_idx"], 8, "{facts}");
    let kinds: Vec<String> = pictures(&each).into_iter().map(|(kind, _)| kind).collect();
    assert_eq!(
        kinds,
        [&["image/webp"; 6][..], &["image/jpeg"]].concat(),
        "the newest six, and the screen"
    );
    let words: Vec<&str> =
        each.content.iter().filter_map(|it| Some(it.as_text()?.text.as_str())).collect();
    assert_eq!(serde_json::from_str::<Value>(words[0]).unwrap(), facts);
    assert_eq!(words[1..3], ["the screen at step 3:", "the screen at step 4:"]);
    let all: usize = pictures(&each).iter().map(|(_, size)| size).sum();
    assert!(all < 500_000, "{all}");

    // A call that goes on tells its own steps only.
    let two = json!({ "session_id": facts["session_id"], "max_steps": 2, "screenshot": "each" });
    assert_eq!(pictures(&rig.raw_call("ask_agent_continue", two).await).len(), 3);
    let end = json!({ "session_id": facts["session_id"], "max_steps": 1, "screenshot": "end" });
    let end = rig.raw_call("ask_agent_continue", end).await;
    let [(kind, size)] = &pictures(&end)[..] else { panic!("{:?}", end.content) };
    assert!(kind == "image/jpeg" && *size <= 200_000, "{kind} {size}");
    for none in [json!({}), json!({ "screenshot": "none" })] {
        let mut none = none;
        none["session_id"] = facts["session_id"].clone();
        none["max_steps"] = json!(1);
        assert_eq!(pictures(&rig.raw_call("ask_agent_continue", none).await), []);
    }
    let wrong = task(json!({ "screenshot": "all" }));
    let refused = rig.refused("ask_agent_start_new_task", wrong).await;
    assert!(refused.contains("none, end or each"), "{refused}");
}
