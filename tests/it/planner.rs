//! A request over several apps: the host agent plans it, an app agent carries out each part, and a
//! `kill -9` in the middle loses nothing.
//!
//! One fake endpoint plays both models. It remembers nothing: the planner reads the page it is given,
//! the app agents look at the phone, so that whoever is asked after a restart says what a model would.
use std::fs;
use std::path::Path;
use std::time::Duration;

use ayeaye_export::Images;
use ayeaye_phone::{Phone, VirtualPhone};
use serde_json::{Value, json};

use crate::logs::fields::is_step;
use crate::logs::folders::{files, json_lines, same_twice};
use crate::support::{
    Answer, Binary, FakeVlm, Rig, RigOptions, abort, aimed, complete, gelab, node, plugged_in,
    quick_phone, tap, within,
};

const TASK: &str = "Find the parcel's code in Messages, put it in a note, and tell Anna.";
const CODE: &str = "QX-4471";
const WHERE: &str = "Find the parcel's code in the conversation with Emma Lindqvist.";
const THERE: &str = "Find the parcel's code in the conversation with Parcel Point.";
const NOTE: &str = "Save a new note with the title Parcel and the code as its text.";
const TELL: &str = "Write the code to Anna Berg.";
const MESSAGES: &str = "com.example.messages";
const NOTES: &str = "com.example.notes";

/// All words of a request, in order.
fn words(request: &Value) -> String {
    let messages = request["messages"].as_array().unwrap().iter();
    let content = messages.map(|message| match &message["content"] {
        Value::String(text) => text.clone(),
        parts => {
            let parts = parts.as_array().unwrap().iter();
            parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
        }
    });
    content.collect::<Vec<_>>().join("\n")
}

fn assign(app: &str, subtask: &str, message: &[&str]) -> String {
    let plan = ["put it in a note", "tell Anna"];
    json!({
        "observation": "The phone is ready.", "thought": "One app after the other.",
        "current_subtask": subtask, "app": app, "message": message, "plan": plan,
        "status": "ASSIGN", "questions": [], "comment": "next part", "result": "",
    })
    .to_string()
}

/// What a planner says that goes by what it is told.
fn planned(page: &str) -> String {
    let over = |status: &str, app: &str, subtask: &str| {
        page.contains(&format!("| {status} in {app}: {subtask}\n"))
    };
    let asked = page.contains("| the user was asked: Anna Berg or Anna Bauer?\n> ");
    if !over("FAIL", MESSAGES, WHERE) {
        assign("Messages", WHERE, &[])
    } else if !over("FINISH", MESSAGES, THERE) {
        assign(MESSAGES, THERE, &["Emma has no code"])
    } else if !over("FINISH", NOTES, NOTE) {
        assign("Notes", NOTE, &[])
    } else if !asked {
        json!({ "status": "PENDING", "questions": ["Anna Berg or Anna Bauer?"] }).to_string()
    } else if !over("FINISH", MESSAGES, TELL) {
        assign(MESSAGES, TELL, &[])
    } else {
        let done = format!("The code {CODE} is in a note, and Anna Berg knows it.");
        json!({ "status": "FINISH", "result": done, "plan": [] }).to_string()
    }
}

fn id(end: &'static str) -> impl Fn(&Value) -> bool {
    move |node| node["id"].as_str().is_some_and(|it| it.ends_with(end))
}

fn named(end: &'static str, text: &'static str) -> impl Fn(&Value) -> bool {
    move |node| id(end)(node) && node["text"] == text
}

/// Opens a conversation; `None` once it is open.
fn opens(phone: &Phone, with: &'static str) -> Option<String> {
    if node(phone, id("id/compose")).is_none() {
        return Some(tap(phone, named("id/conversation_name", with)));
    }
    let open = node(phone, |it| it["text"] == with).is_some();
    (!open).then(|| gelab("BACK", "", "to the list"))
}

/// What an app agent's model says that sees this phone.
fn acted(prompt: &str, phone: &Phone) -> String {
    let text = |end| node(phone, id(end)).map(|it| it["text"].as_str().unwrap().to_owned());
    let told = || assert!(prompt.contains(CODE), "nobody told it the code: {prompt}");
    // The latest first: what is known for a subtask names those before it.
    if prompt.contains(TELL) {
        told();
        if !phone.state().sent.is_empty() {
            return complete("Anna Berg was told.");
        }
        opens(phone, "Anna Berg").unwrap_or_else(|| match text("id/compose") {
            Some(draft) if draft.contains(CODE) => tap(phone, id("id/send_button")),
            _ => aimed(&tap(phone, id("id/compose")), &format!("Parcel: {CODE}")),
        })
    } else if prompt.contains(NOTE) {
        told();
        let saved = phone.state().notes.iter().any(|note| note.body == CODE);
        match (text("id/title"), text("id/body")) {
            _ if saved => complete("The note is saved."),
            (None, _) => tap(phone, id("id/new_note")),
            (Some(title), _) if title != "Parcel" => aimed(&tap(phone, id("id/title")), "Parcel"),
            (_, Some(body)) if body != CODE => aimed(&tap(phone, id("id/body")), CODE),
            _ => tap(phone, id("id/save")),
        }
    } else if prompt.contains(THERE) {
        opens(phone, "Parcel Point").unwrap_or_else(|| {
            let read = text("id/message_text").unwrap();
            let code = read.split("code ").nth(1).unwrap().trim_end_matches('.');
            complete(&format!("The parcel's code is {code}."))
        })
    } else {
        assert!(prompt.contains(WHERE), "{prompt}");
        opens(phone, "Emma Lindqvist").unwrap_or_else(|| abort("there is no code in it"))
    }
}

async fn both_models(virtual_phone: &VirtualPhone) -> FakeVlm {
    let phone = virtual_phone.phone().clone();
    // In the dark: else a notification lies over buttons for a while.
    phone.key(26, false);
    phone.receive_message("Parcel Point", &format!("Your parcel is here: code {CODE}."));
    FakeVlm::start(move |request| {
        let prompt = words(request);
        Answer::Says(if prompt.starts_with("You are the planner") {
            planned(&prompt)
        } else {
            acted(&prompt, &phone)
        })
    })
    .await
}

/// What the phone holds in the end: one note, one message, nothing twice.
fn is_done(phone: &Phone, result: &Value) {
    assert_eq!(result["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{result}");
    assert_eq!(result["message"], format!("The code {CODE} is in a note, and Anna Berg knows it."));
    assert_eq!(result["final_action"]["action_type"], "COMPLETE", "{result}");
    assert_eq!(result["task"], TASK);
    let state = phone.state();
    let notes: Vec<_> = state.notes.iter().filter(|note| note.body == CODE).collect();
    assert_eq!((notes.len(), notes[0].title.as_str()), (1, "Parcel"));
    let [sent] = state.sent.as_slice() else { panic!("{:?}", state.sent) };
    assert_eq!((sent.to.as_str(), sent.text.contains(CODE)), ("Anna Berg", true));
}

/// The logs of such a session: every line of host and app agents, in UFO's folder and `PyCatan`'s.
async fn logs_are_complete(data: &Path, result: &Value) {
    let session = result["session_id"].as_str().unwrap();
    same_twice(data, session, Images::Clean).await;
    let ufo = files(&data.join("logs").join(session));
    let lines = json_lines(&ufo["response.log"]);
    assert_eq!(json!(lines.len()), result["global_step_idx"], "a line for every step");
    let of = |agent: &str| lines.iter().filter(|it| it["agent_name"] == agent).collect::<Vec<_>>();
    for (number, line) in lines.iter().enumerate() {
        is_step(line);
        assert_eq!(line["step"], number);
        let host = line["agent_type"] == "HostAgent";
        assert_eq!(line["agent_name"] == "HostAgent", host, "{line}");
        assert_eq!(line["subtask_index"] == -1, host, "{line}");
        // Each agent counts for itself.
        let own = of(line["agent_name"].as_str().unwrap());
        let at = own.iter().position(|it| it["step"] == line["step"]);
        assert_eq!(line["agent_step"], json!(at), "{line}");
    }
    let host = of("HostAgent");
    let told = |field: &str| host.iter().map(|it| it[field].clone()).collect::<Vec<_>>();
    let decided = told("status").into_iter().filter(|it| it != "ERROR").collect::<Vec<_>>();
    assert_eq!(decided, ["ASSIGN", "ASSIGN", "ASSIGN", "PENDING", "ASSIGN", "FINISH"]);
    let subtasks = told("current_subtask");
    for subtask in [WHERE, THERE, NOTE, TELL] {
        assert!(subtasks.contains(&json!(subtask)), "{subtasks:?}");
    }
    assert!(host.iter().any(|it| it["message"] == json!(["Emma has no code"])));
    assert_eq!(host[0]["application"], MESSAGES);
    assert_eq!(host[0]["plan"], json!(["put it in a note", "tell Anna"]));
    let chat = of(&format!("AppAgent_{MESSAGES}"));
    assert!(chat.iter().any(|it| it["status"] == "FAIL" && it["subtask"] == WHERE));
    assert!(chat.iter().any(|it| it["status"] == "FINISH" && it["subtask_index"] == 3));
    assert!(of(&format!("AppAgent_{NOTES}")).iter().all(|it| it["subtask"] == NOTE));
    for number in 0..4 {
        let name = format!("action_round_0_sub_round_{number}_final.png");
        assert!(ufo[&name].starts_with(b"\x89PNG"), "{name}");
    }
    let asked = json_lines(&ufo["request.log"]);
    let last = asked.iter().rfind(|it| it.get("os_info").is_some()).expect("a host's line");
    let before = last["prev_subtask"].as_array().unwrap();
    assert_eq!(before.len(), 4, "{before:?}");
    assert_eq!((&before[0]["status"], &before[0]["subtask"]), (&json!("FAIL"), &json!(WHERE)));
    assert_eq!(before[2]["application"], NOTES);
    let board = last["blackboard_prompt"].to_string();
    assert!(board.contains(CODE) && board.contains("Anna Berg or Anna Bauer?"), "{board}");
    let current = fs::read_to_string(data.join("llm/current_session.txt")).unwrap();
    let pycatan = files(&data.join("llm").join(current));
    for (agent, count) in
        [("HostAgent", 6), ("AppAgent_com.example.messages", 6), ("AppAgent_com.example.notes", 4)]
    {
        for number in 1..=count {
            let name = format!("{agent}/prompts/prompt_{number}.json");
            assert!(pycatan.contains_key(&name), "no {name}");
            let name = format!("{agent}/responses/response_{number}.json");
            let response: Value = serde_json::from_slice(&pycatan[&name]).unwrap();
            assert_eq!(
                (&response["type"], &response["player_name"]),
                (&json!("final"), &json!(agent))
            );
        }
    }
    let chat: Value = serde_json::from_slice(&pycatan["chat_history.json"]).unwrap();
    let said = chat["messages"].as_array().unwrap();
    let at = said.iter().position(|it| it["message"] == "Anna Berg or Anna Bauer?").unwrap();
    assert_eq!((&said[at]["from"], &said[at]["to"]), (&json!("HostAgent"), &json!("User")));
    assert_eq!((&said[at + 1]["from"], &said[at + 1]["to"]), (&json!("User"), &json!("HostAgent")));
}

#[tokio::test(flavor = "multi_thread")]
async fn three_apps_one_request_a_question_a_failure_and_a_kill() {
    let virtual_phone = quick_phone();
    let (adb, _guard) = plugged_in(&virtual_phone).await;
    let vlm = both_models(&virtual_phone).await;
    let binary = Binary::with(adb, &vlm).set("AYEAYE_RUN_PLANNER", "on");
    let data = binary.data.path();
    let mut served = binary.raw().await;
    let begun = served
        .facts(
            "ask_agent_start_new_task",
            json!({ "device_id": virtual_phone.serial(), "task": TASK, "max_steps": 60, "wait_seconds": 0 }),
        )
        .await;
    let session = begun["session_id"].clone();
    let record = data.join("sessions").join(session.as_str().unwrap()).join("events.jsonl");
    // In the middle of the note.
    within(60, "the note's second step", async {
        let mut tick = tokio::time::interval(Duration::from_millis(1));
        let begun = |text: &str| {
            let notes = |line: &&str| {
                line.contains(r#""type":"step.start""#)
                    && line.contains("AppAgent_com.example.notes")
            };
            text.lines().filter(notes).count()
        };
        while begun(&fs::read_to_string(&record).unwrap()) < 3 {
            tick.tick().await;
        }
    })
    .await;
    served.kill().await;
    // The setting of the next server does not matter to a round that goes on.
    let binary = binary.set("AYEAYE_RUN_PLANNER", "off");
    let mut served = binary.raw().await;
    let arguments = json!({ "session_id": session, "max_steps": 60 });
    let asked = served.facts("ask_agent_continue", arguments).await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    assert_eq!(asked["question"]["text"], "Anna Berg or Anna Bauer?");
    assert!(virtual_phone.phone().state().sent.is_empty(), "nothing is sent before the answer");
    let answer =
        json!({ "session_id": session, "reply_from_client": "Anna Berg", "max_steps": 60 });
    let done = served.facts("ask_agent_continue", answer).await;
    is_done(virtual_phone.phone(), &done);
    served.hang_up();
    served.end().await;
    logs_are_complete(binary.data.path(), &done).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_may_ask_for_the_planner_and_the_next_one_do_without() {
    let options = RigOptions::quick();
    let vlm = both_models(&options.virtual_phone).await;
    let rig = Rig::with(vlm, options).await;
    let arguments =
        json!({ "device_id": rig.serial, "task": TASK, "max_steps": 60, "planner": true });
    let asked = rig.call("ask_agent_start_new_task", arguments).await;
    assert_eq!(asked["question"]["text"], "Anna Berg or Anna Bauer?", "{asked}");
    let done = rig.go_on(&asked, json!({ "reply_from_client": "Berg", "max_steps": 60 })).await;
    is_done(rig.virtual_phone.phone(), &done);
    rig.vlm.always(&complete("Nothing more to do."));
    let next = rig.go_on(&done, json!({ "task": "Look once more" })).await;
    assert_eq!(next["message"], "Nothing more to do.", "{next}");
    let refused = rig.refused(
        "ask_agent_start_new_task",
        json!({ "device_id": rig.serial, "task": TASK, "planner": "yes" }),
    );
    assert!(refused.await.contains("planner"));
}
