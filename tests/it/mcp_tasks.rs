//! The tasks extension: a task is a run of a session, in every state and over restarts.
use std::sync::Arc;
use std::time::Duration;

use ayeaye::config::{ToolChoice, ToolSet};
use ayeaye::mcp::{Defaults, Server};
use ayeaye_agent::{Principal, QuestionKind, StopReason};
use rmcp::model::{
    CallToolResponse, CancelTaskParams, GetTaskParams, ReadResourceRequestParams, Task, TaskStatus,
    UpdateTaskParams,
};
use rmcp::service::{RoleClient, RunningService, ServiceError};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::clients::{
    Era, FakeUser, LineClient, UserAction, call_of, facts, modern, on_pipe, over_http, serve_as,
};
use crate::support::fake_server::{FakeServer, SERIAL, asks, asks_for, completes, taps};
use crate::support::{Answer, Binary, DEFAULTS, FakeVlm, plugged_in, quick_phone, within};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";
const START: &str = "ask_agent_start_new_task";
const CONTINUE: &str = "ask_agent_continue";

type Client = RunningService<RoleClient, FakeUser>;

async fn begin(client: &Client, tool: &'static str, arguments: Value) -> Task {
    match client.call_tool_once(call_of(tool, arguments)).await.unwrap() {
        CallToolResponse::Task(created) => created.task,
        other => panic!("{other:?}"),
    }
}

fn task() -> Value {
    json!({ "device_id": SERIAL, "task": "Text Anna" })
}

async fn get(client: &Client, id: &str) -> Value {
    serde_json::to_value(client.get_task(GetTaskParams::new(id)).await.unwrap()).unwrap()
}

/// Asks as often as the server proposes, until the task is no longer in this state.
async fn after(client: &Client, id: &str, status: &str) -> Value {
    for _ in 0..1000 {
        let task = get(client, id).await;
        if task["status"] != status {
            return task;
        }
        let pause = task["pollIntervalMs"].as_u64().expect("a pace");
        tokio::time::sleep(Duration::from_millis(pause)).await;
    }
    panic!("it stays {status}")
}

async fn update(client: &Client, id: &str, key: &str, answer: Value) -> Result<(), ServiceError> {
    client.update_task(UpdateTaskParams::new(id, [(key.to_owned(), answer)].into())).await
}

fn says(text: &str) -> Value {
    json!({ "action": "accept", "content": { "reply": text } })
}

/// The one question a task waits on, by its name.
fn question(task: &Value) -> String {
    assert_eq!(task["status"], "input_required", "{task}");
    let requests = task["inputRequests"].as_object().unwrap();
    assert_eq!(requests.len(), 1, "{task}");
    let (key, request) = requests.iter().next().unwrap();
    assert_eq!(request["method"], "elicitation/create");
    key.clone()
}

fn result(task: &Value) -> &Value {
    assert_eq!(task["status"], "completed", "{task}");
    &task["result"]["structuredContent"]
}

#[tokio::test(start_paused = true)]
async fn a_task_works_asks_and_is_completed() {
    let lines = [taps(1).after(Duration::from_secs(9)), asks("Which Anna?"), asks("Sure?")];
    let fake = FakeServer::new(lines.into_iter().chain([completes("Told her.")]));
    let user = FakeUser::new([]).with_tasks();
    let client = on_pipe(&fake.server, &user, Era::New).await;
    let created = begin(&client, START, task()).await;
    assert_eq!((created.status, created.ttl_ms), (TaskStatus::Working, Some(172_800_000)));
    let id = &created.task_id;
    let working = get(&client, id).await;
    assert_eq!(working["status"], "working");
    let first = after(&client, id, "working").await;
    let paces = [&working["pollIntervalMs"], &first["pollIntervalMs"], &first["ttlMs"]];
    assert_eq!(paces, [&json!(2000), &json!(5000), &json!(172_800_000)]);
    let key = question(&first);
    let text = first["inputRequests"][&key]["params"]["message"].as_str().unwrap();
    assert!(text.contains("Which Anna?") && text.contains("may try to deceive"), "{text}");
    update(&client, id, &key, says("Berg")).await.unwrap();
    // The same answer once more, and one to a question that never was, change nothing.
    update(&client, id, &key, says("Meier")).await.unwrap();
    update(&client, id, "question-77", says("Meier")).await.unwrap();
    let second = question(&after(&client, id, "working").await);
    assert_ne!(second, key, "every question has its own name");
    update(&client, id, &second, says("yes")).await.unwrap();
    let done = after(&client, id, "working").await;
    assert_eq!(result(&done)["stop_reason"], DONE, "{done}");
    assert_eq!(fake.model.user_replies(), ["Berg", "yes"]);
    for told in [&working, &first, &done] {
        assert_eq!(told["createdAt"], json!(created.created_at));
        // Not as text: a time on the full second has no point.
        let time = |text: &str| text.parse::<jiff::Timestamp>().unwrap();
        assert!(time(&created.created_at) <= time(told["lastUpdatedAt"].as_str().unwrap()));
    }
    assert_eq!(user.forms(), Vec::<Value>::new(), "asked in the task and nowhere else");
}

#[tokio::test(start_paused = true)]
async fn who_is_offered_no_tasks_steers_none() {
    let fake = FakeServer::new([asks("Which Anna?")]);
    let user = FakeUser::new([]).with_tasks();
    let client = on_pipe(&fake.server, &user, Era::New).await;
    let id = begin(&client, START, task()).await.task_id;
    let waits = after(&client, &id, "working").await;
    for tools in [ToolSet::READ_ONLY, ToolSet::DIRECT] {
        let defaults = Defaults { tools: ToolChoice::Only(tools), ..DEFAULTS };
        let server = Server::new(fake.agent.clone(), defaults);
        let other = on_pipe(&server, &user, Era::New).await;
        assert_eq!(get(&other, &id).await["status"], "input_required", "it may look");
        let answered = update(&other, &id, &question(&waits), says("Anna B.")).await.unwrap_err();
        let cancelled = other.cancel_task(CancelTaskParams::new(&id)).await.unwrap_err();
        for refused in [answered, cancelled] {
            assert!(refused.to_string().contains("mcp.tools"), "{refused}");
        }
        let session = id.split_once('.').unwrap().0;
        let told = facts(&other, "get_session", json!({ "session_id": session })).await;
        let next = told["next"].as_str().unwrap();
        assert!(next.starts_with("This server offers you no tasks"), "{next}");
        let uri = format!("ayeaye://sessions/{session}");
        let read = other.read_resource(ReadResourceRequestParams::new(uri)).await.unwrap();
        let read = serde_json::to_string(&read).unwrap();
        assert!(read.contains("offers you no tasks") && !read.contains("ask_agent"), "{read}");
        let paused = call_of("pause_task", json!({ "session_id": id.split_once('.').unwrap().0 }));
        let err = other.call_tool(paused).await.unwrap_err();
        assert!(err.to_string().contains("there is no tool `pause_task`"), "{err}");
    }
    assert_eq!(question(&get(&client, &id).await), question(&waits));
}

#[tokio::test(start_paused = true)]
async fn without_forms_a_task_ends_with_its_question() {
    let fake = FakeServer::new([asks("Which Anna?"), completes("Told her.")]);
    let user = FakeUser::new([]).with_tasks().without_forms();
    let client = on_pipe(&fake.server, &user, Era::New).await;
    let first = begin(&client, START, task()).await.task_id;
    let asked = after(&client, &first, "working").await;
    assert_eq!(result(&asked)["stop_reason"], "INFO_ACTION_NEEDS_REPLY");
    let session = &result(&asked)["session_id"];
    let answer = json!({ "session_id": session, "reply_from_client": "Berg" });
    let second = begin(&client, CONTINUE, answer).await.task_id;
    assert_ne!(first, second);
    let done = after(&client, &second, "working").await;
    assert_eq!(result(&done)["stop_reason"], DONE);
    assert_eq!(get(&client, &first).await["result"], asked["result"], "what is over stays so");
}

#[tokio::test(start_paused = true)]
async fn older_clients_are_given_no_tasks_whatever_they_declare() {
    let fake = FakeServer::new([completes("Done.")]);
    let user = FakeUser::new([]).with_tasks();
    let client = on_pipe(&fake.server, &user, Era::Old).await;
    let offered = client.peer_info().unwrap().capabilities.extensions.clone();
    assert_eq!(offered.unwrap_or_default().get("io.modelcontextprotocol/tasks"), None);
    assert_eq!(facts(&client, START, task()).await["stop_reason"], DONE);

    let mut lines = LineClient::old(
        &fake.server,
        json!({
            "extensions": { "io.modelcontextprotocol/tasks": {} }
        }),
    )
    .await;
    for method in ["tasks/get", "tasks/cancel"] {
        let answer = lines.ask(method, json!({ "taskId": "x" })).await;
        assert_eq!(answer["error"]["code"], -32601, "{answer}");
    }
    let new = on_pipe(&fake.server, &FakeUser::new([]), Era::New).await;
    let offered = new.peer_info().unwrap().capabilities.extensions.clone();
    assert!(offered.unwrap().contains_key("io.modelcontextprotocol/tasks"));
    // Modern and without tasks: the ordinary result.
    fake.model.extend([completes("Done.")]);
    assert_eq!(facts(&new, START, task()).await["stop_reason"], DONE);
}

#[tokio::test(start_paused = true)]
async fn a_task_is_cancelled_in_every_state() {
    let gate = Arc::new(Notify::new());
    let fake = FakeServer::new([taps(1).held(&gate)]);
    let user = FakeUser::new([]).with_tasks();
    let client = on_pipe(&fake.server, &user, Era::New).await;
    let cancel = async |id: &str| client.cancel_task(CancelTaskParams::new(id)).await.unwrap();

    let working = begin(&client, START, task()).await.task_id;
    fake.model.wait_for_calls(1).await;
    cancel(&working).await;
    let told = after(&client, &working, "working").await;
    assert_eq!(told["status"], "cancelled", "{told}");
    assert!(told["statusMessage"].as_str().unwrap().contains("ask_agent_continue"), "{told}");
    cancel(&working).await;

    fake.model.extend([asks("Which Anna?")]);
    let waiting = begin(&client, START, task()).await.task_id;
    let asked = after(&client, &waiting, "working").await;
    let key = question(&asked);
    cancel(&waiting).await;
    assert_eq!(get(&client, &waiting).await["status"], "cancelled");
    update(&client, &waiting, &key, says("Berg")).await.unwrap();
    assert_eq!(fake.model.user_replies(), [""; 0], "too late");
    // The session waits on, and what becomes of it is no longer this task's.
    fake.model.extend([completes("Told her.")]);
    let session = waiting.split('.').next().unwrap();
    let answer = json!({ "session_id": session, "reply_from_client": "Berg" });
    let next = begin(&client, CONTINUE, answer).await.task_id;
    let done = after(&client, &next, "working").await;
    assert_eq!(result(&done)["stop_reason"], DONE);
    assert_eq!(get(&client, &waiting).await["status"], "cancelled");

    cancel(&next).await;
    assert_eq!(get(&client, &next).await["result"], done["result"], "over is over");
}

#[tokio::test(start_paused = true)]
async fn a_task_whose_question_is_an_operators_says_so() {
    let fake = FakeServer::new([taps(1), asks("Which Anna?")]);
    let client = on_pipe(&fake.server, &FakeUser::new([]).with_tasks(), Era::New).await;
    let mut start = task();
    start["reply_mode"] = json!("manual_reply");
    let id = begin(&client, START, start).await.task_id;
    let session = id.split('.').next().unwrap().parse().unwrap();
    let mut follower = fake.agent.follow(session, &Principal::local()).await.unwrap();
    while follower.report().question.is_none() {
        assert!(follower.changed().await, "{:?}", follower.report());
    }
    let told = get(&client, &id).await;
    assert_eq!(told["status"], "working", "{told}");
    let message = told["statusMessage"].as_str().unwrap();
    assert!(message.contains("is waiting for an operator at the server"), "{message}");
    is_given_up(&client, &id).await;
}

/// Stops what asks, and reads what becomes of its task.
async fn is_given_up(client: &Client, id: &str) {
    let session = id.split('.').next().unwrap();
    facts(client, "stop_task", json!({ "session_id": session })).await;
    let told = get(client, id).await;
    assert_eq!(told["status"], "cancelled", "{told}");
    assert!(told["statusMessage"].as_str().unwrap().contains("can give it another task"), "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_task_whose_question_is_given_up_says_what_its_session_takes() {
    let fake = FakeServer::new([asks("Which Anna?")]);
    let client = on_pipe(&fake.server, &FakeUser::new([]).with_tasks(), Era::New).await;
    let id = begin(&client, START, task()).await.task_id;
    question(&after(&client, &id, "working").await);
    is_given_up(&client, &id).await;
}

#[tokio::test(start_paused = true)]
async fn a_task_whose_run_was_paused_is_completed_with_its_result() {
    let gate = Arc::new(Notify::new());
    let fake = FakeServer::new([taps(1).held(&gate)]);
    let user = FakeUser::new([]).with_tasks();
    let client = on_pipe(&fake.server, &user, Era::New).await;
    let id = begin(&client, START, task()).await.task_id;
    fake.model.wait_for_calls(1).await;
    let session = id.split('.').next().unwrap().parse().unwrap();
    fake.agent.stop(session, StopReason::UserPaused, &Principal::local()).await.unwrap();
    let told = after(&client, &id, "working").await;
    assert_eq!(result(&told)["stop_reason"], "USER_PAUSED", "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_task_that_is_over_does_not_stop_what_became_of_its_session() {
    let gate = Arc::new(Notify::new());
    let fake = FakeServer::new([asks("Which Anna?"), completes("Told her.").held(&gate)]);
    let client = on_pipe(&fake.server, &FakeUser::new([]).with_tasks(), Era::New).await;
    let cancel = async |id: &str| client.cancel_task(CancelTaskParams::new(id)).await.unwrap();
    let over = begin(&client, START, task()).await.task_id;
    question(&after(&client, &over, "working").await);
    cancel(&over).await;
    let session = over.split('.').next().unwrap();
    let answer = json!({ "session_id": session, "reply_from_client": "Berg" });
    let next = begin(&client, CONTINUE, answer).await.task_id;
    fake.model.wait_for_calls(2).await;
    cancel(&over).await;
    gate.notify_one();
    let done = after(&client, &next, "working").await;
    assert_eq!(result(&done)["stop_reason"], DONE, "{done}");
    assert_eq!(get(&client, &over).await["status"], "cancelled");
}

#[tokio::test(start_paused = true)]
async fn a_declined_question_ends_the_task_with_it() {
    for (answer, asked) in [
        (json!({ "action": "decline" }), "declined"),
        (json!({ "action": "cancel" }), "declined"),
        (says("give up"), "given_up"),
    ] {
        let fake = FakeServer::new([asks_for(QuestionKind::Takeover, "Sign in", &[])]);
        let user = FakeUser::new([]).with_tasks();
        let client = on_pipe(&fake.server, &user, Era::New).await;
        let id = begin(&client, START, task()).await.task_id;
        let key = question(&after(&client, &id, "working").await);
        let wrong = update(&client, &id, &key, says("perhaps")).await.unwrap_err();
        assert!(wrong.to_string().contains("does not fit its form"), "{wrong}");
        update(&client, &id, &key, answer).await.unwrap();
        let ended = get(&client, &id).await;
        assert_eq!(result(&ended)["question"]["asked"], asked);
        fake.model.extend([completes("Done.")]);
        let session = &result(&ended)["session_id"];
        let answer = json!({ "session_id": session, "reply_from_client": "done" });
        let next = begin(&client, CONTINUE, answer).await.task_id;
        after(&client, &next, "working").await;
        assert_eq!(get(&client, &id).await["result"], ended["result"]);
    }
}

#[tokio::test(start_paused = true)]
async fn a_task_whose_session_went_on_tells_of_its_own_run() {
    let lines = [completes("First."), asks("Which?"), completes("Third."), completes("Fourth.")];
    let fake = FakeServer::new(lines);
    let client = on_pipe(&fake.server, &FakeUser::new([]).with_tasks(), Era::New).await;
    let first = begin(&client, START, task()).await.task_id;
    let done = after(&client, &first, "working").await;
    assert_eq!(result(&done)["message"], "First.");
    let session = result(&done)["session_id"].clone();
    let next = |task: &str| json!({ "session_id": session, "task": task });
    let second = begin(&client, CONTINUE, next("second")).await.task_id;
    question(&after(&client, &second, "working").await);
    let third = begin(&client, CONTINUE, next("third")).await.task_id;
    let dropped = get(&client, &second).await;
    assert_eq!(dropped["status"], "cancelled", "{dropped}");
    assert!(dropped["statusMessage"].as_str().unwrap().contains("dropped"), "{dropped}");
    assert_eq!(result(&after(&client, &third, "working").await)["message"], "Third.");
    assert_eq!(get(&client, &first).await["result"], done["result"]);
    // A call that only tells the last result again is no task.
    let again = client.call_tool_once(call_of(CONTINUE, json!({ "session_id": session })));
    assert!(matches!(again.await.unwrap(), CallToolResponse::Complete(_)));
}

#[tokio::test]
async fn what_is_no_task_of_the_caller_is_told_alike() {
    let fake = FakeServer::new([completes("Done.")]);
    let anna = serve_as(&fake.server, Principal::new("anna")).await;
    let eve = serve_as(&fake.server, Principal::new("eve")).await;
    let user = FakeUser::new([]).with_tasks();
    let anna = over_http(&anna.url, None, &user, Era::New).await;
    let eve = over_http(&eve.url, None, &user, Era::New).await;
    let id = begin(&anna, START, task()).await.task_id;
    within(20, "the task", after(&anna, &id, "working")).await;
    let (session, rest) = id.split_once('.').unwrap();
    let other = "0199a1b2-0000-7000-8000-000000000000";
    let strangers = [
        (&eve, id.clone()),
        (&anna, format!("{other}.{rest}")),
        (&anna, format!("{session}.7.a1795291200000")),
        (&anna, id.replace(".0.", ".00.")),
        (&anna, String::new()),
        (&anna, "../../etc/passwd".to_owned()),
        (&anna, session.to_owned()),
        (&anna, "9".repeat(100_000)),
    ];
    let mut told = Vec::new();
    for (client, id) in &strangers {
        let got = client.get_task(GetTaskParams::new(id)).await.unwrap_err();
        let updated = update(client, id, "question-1", says("x")).await.unwrap_err();
        let cancelled = client.cancel_task(CancelTaskParams::new(id)).await.unwrap_err();
        told.extend([got, updated, cancelled].map(|err| err.to_string()));
    }
    assert!(told[0].contains("there is no such task"), "{told:?}");
    assert!(told.iter().all(|text| *text == told[0]), "{told:?}");
}

#[tokio::test(start_paused = true)]
async fn a_task_goes_on_after_a_restart_in_its_question() {
    let fake = FakeServer::new([asks("Which Anna?")]);
    let user = FakeUser::new([]).with_tasks();
    let client = on_pipe(&fake.server, &user, Era::New).await;
    let id = begin(&client, START, task()).await.task_id;
    let before = after(&client, &id, "working").await;
    let key = question(&before);
    let next = fake.restarted([completes("Told her.")]);
    let client = on_pipe(&next.server, &user, Era::New).await;
    let again = get(&client, &id).await;
    assert_eq!((question(&again), &again["createdAt"]), (key.clone(), &before["createdAt"]));
    update(&client, &id, &key, says("Berg")).await.unwrap();
    let done = after(&client, &id, "working").await;
    assert_eq!(
        (result(&done)["stop_reason"].as_str(), next.model.user_replies()[0].as_str()),
        (Some(DONE), "Berg")
    );
}

#[tokio::test(start_paused = true)]
async fn an_answer_to_a_task_that_cannot_be_delivered_is_an_error() {
    let fake = FakeServer::new([asks("Which Anna?"), completes("Told her.")]);
    let client = on_pipe(&fake.server, &FakeUser::new([]).with_tasks(), Era::New).await;
    let id = begin(&client, START, task()).await.task_id;
    let key = question(&after(&client, &id, "working").await);
    fake.device.set_away(true);
    let text = update(&client, &id, &key, says("Berg")).await.unwrap_err().to_string();
    assert!(text.contains("stays open") && text.contains("not connected"), "{text}");
    fake.device.set_away(false);
    assert_eq!(question(&get(&client, &id).await), key);
    update(&client, &id, &key, says("Berg")).await.unwrap();
    assert_eq!(result(&after(&client, &id, "working").await)["stop_reason"], DONE);
}

#[tokio::test(start_paused = true)]
async fn answers_by_other_calls_go_on_with_the_task() {
    let fake = FakeServer::new([asks("Which Anna?"), completes("Told her.")]);
    let tasks = on_pipe(&fake.server, &FakeUser::new([]).with_tasks(), Era::New).await;
    let id = begin(&tasks, START, task()).await.task_id;
    question(&after(&tasks, &id, "working").await);
    let other = on_pipe(&fake.server, &FakeUser::new([UserAction::Says("Berg")]), Era::Old).await;
    let session = id.split('.').next().unwrap();
    let told = facts(&other, CONTINUE, json!({ "session_id": session })).await;
    assert_eq!(told["stop_reason"], DONE, "{told}");
    assert_eq!(result(&after(&tasks, &id, "working").await), &told);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_of_a_server_that_was_killed_says_so() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm);
    let mut raw = binary.modern();
    let can = json!({ "extensions": { "io.modelcontextprotocol/tasks": {} } });
    let start = json!({ "name": START,
        "arguments": { "device_id": virtual_phone.serial(), "task": "tap" } });
    let created = raw.ask("tools/call", modern(start, &can)).await;
    let id = created["result"]["taskId"].as_str().expect("a task").to_owned();
    let of = |id: &str| modern(json!({ "taskId": id }), &can);
    assert_eq!(raw.ask("tasks/get", of(&id)).await["result"]["status"], "working");
    vlm.is_asked(1).await;
    raw.kill().await;
    let mut raw = binary.modern();
    let told = raw.ask("tasks/get", of(&id)).await["result"].clone();
    assert_eq!(result(&told)["stop_reason"], "SERVER_RESTARTED", "{told}");
    assert_eq!(result(&told)["session_id"], id.split('.').next().unwrap());
}
