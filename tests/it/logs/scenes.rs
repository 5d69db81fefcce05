//! What can happen to a task, each told by every line of its logs.
use std::fs;
use std::time::Duration;

use ayeaye::config::ToolSet;
use ayeaye_agent::{KeepElements, Limits, PrivacySettings};
use ayeaye_export::{Images, LogSettings};
use ayeaye_phone::LinkState;
use serde_json::{Value, json};

use super::fields::{BATCH, CALL, FINAL, FOLLOW_UP, INTERMEDIATE, PARSED, PROMPT, has, is_step};
use super::folders::{Files, files, json_lines, same_twice};
use crate::support::{Answer, FakeVlm, Rig, RigOptions, abort, click, complete, gelab, info, tap};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";
const VERDICT: &str = r#"{"reason": "It is open.", "complete": "yes",
    "sub_scores": [{"name": "opened", "evaluation": "yes"}]}"#;

/// A quick phone whose elements are always read, with all pictures.
pub fn options() -> RigOptions {
    let usual = RigOptions::quick();
    RigOptions {
        logs: LogSettings { images: Images::All, ..LogSettings::default() },
        privacy: PrivacySettings { elements: KeepElements::Always, ..PrivacySettings::default() },
        limits: Limits { device_wait: Duration::from_secs(1), ..usual.limits },
        ..usual
    }
}

pub async fn rig(answers: Vec<Answer>, options: RigOptions) -> Rig {
    Rig::with(FakeVlm::start(crate::support::one_by_one(answers)).await, options).await
}

fn says(replies: impl IntoIterator<Item = String>) -> Vec<Answer> {
    replies.into_iter().map(Answer::Says).collect()
}

/// The logs of a session.
pub struct Logs {
    pub ufo: Files,
    pub pycatan: Files,
    /// Of `response.log`.
    pub lines: Vec<Value>,
}

impl Logs {
    /// Reads them once they are complete, checks every field in them, and that an export gives the
    /// same twice.
    pub async fn of(rig: &Rig, facts: &Value) -> Self {
        let (data, id) = (rig.data.path(), facts["session_id"].as_str().unwrap());
        same_twice(data, id, Images::All).await;
        let ufo = files(&data.join("logs").join(id));
        let lines = json_lines(&ufo["response.log"]);
        assert_eq!(json!(lines.len()), facts["global_step_idx"], "a line for every step");
        for (number, line) in lines.iter().enumerate() {
            is_step(line);
            assert_eq!(line["step"], number);
            for (name, value) in line.as_object().unwrap() {
                let picture = value.as_str().unwrap_or_default();
                if name.starts_with("screenshot_") {
                    assert!(picture.is_empty() || ufo.contains_key(picture), "{picture}");
                } else if name.ends_with("_screenshot_path") && !name.starts_with("desktop") {
                    // UFO shows whatever these name.
                    assert!(ufo.contains_key(picture), "{name} is {picture:?}");
                }
            }
        }
        let current = fs::read_to_string(data.join("llm/current_session.txt")).unwrap();
        let pycatan = files(&data.join("llm").join(current));
        is_pycatan(&pycatan);
        Self { ufo, pycatan, lines }
    }

    /// A field of every line.
    pub fn told(&self, field: &str) -> Vec<&str> {
        self.lines.iter().map(|line| line[field].as_str().unwrap()).collect()
    }

    pub fn json(&self, name: &str) -> Value {
        let folder = if self.ufo.contains_key(name) { &self.ufo } else { &self.pycatan };
        let bytes = folder.get(name).unwrap_or_else(|| panic!("no {name}"));
        serde_json::from_slice(bytes).unwrap()
    }
}

/// Every file of `PyCatan`'s has the fields of its kind, and every prompt a response.
fn is_pycatan(files: &Files) {
    for (name, bytes) in files {
        let Some(stem) = name.strip_suffix(".json") else { continue };
        assert!(bytes.is_ascii(), "{name}");
        let value: Value = serde_json::from_slice(bytes).unwrap();
        if name.contains("/responses/intermediate/") {
            has(&value, INTERMEDIATE);
            assert_eq!(value["type"], "intermediate");
        } else if name.contains("/responses/") {
            has(&value, FINAL);
            assert_eq!(value["type"], "final");
            match &value["parsed"] {
                Value::Null => {}
                parsed => has(parsed, PARSED),
            }
        } else if name.contains("/prompts/iterations/") {
            has(&value, FOLLOW_UP);
        } else if name.contains("/prompts/") {
            has(&value, PROMPT);
            let response = name.replace("/prompts/prompt_", "/responses/response_");
            assert!(files.contains_key(&response), "no {response}");
        } else if name == "tool_executions.json" {
            for batch in value.as_array().unwrap() {
                has(batch, BATCH);
                for call in batch["calls"].as_array().unwrap() {
                    has(call, CALL);
                    assert!(call.get("result").is_some(), "{call}");
                }
            }
        }
        if name.contains("/prompts/") {
            assert!(files.contains_key(&format!("{stem}.txt")), "no twin of {name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plain_task_that_is_judged() {
    let rig = rig(Vec::new(), RigOptions { judged: true, ..options() }).await;
    let phone = rig.virtual_phone.phone().clone();
    let mut moves = 0;
    rig.vlm.now(move |_| {
        moves += 1;
        Answer::Says(match moves {
            1 => gelab("AWAKE", "value:Notes", "opened Notes"),
            2 => tap(&phone, |it| it["id"].as_str().is_some_and(|it| it.ends_with("id/new_note"))),
            3 => complete("A note is open."),
            _ => VERDICT.to_owned(),
        })
    });
    let done = rig.start("Open a new note").await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let logs = Logs::of(&rig, &done).await;
    assert_eq!(logs.told("status"), ["CONTINUE", "CONTINUE", "FINISH"]);
    assert_eq!(logs.told("action_type"), ["AWAKE", "CLICK", "COMPLETE"]);
    assert_eq!(logs.lines[2]["result"], "A note is open.");
    let line = &logs.lines[1];
    assert_eq!(line["action"][0]["result"]["status"], "success");
    assert_ne!(line["control_label"], "");
    for (name, picture) in [
        ("screenshot_clean", "action_step1.png"),
        ("screenshot_annotated", "action_step1_annotated.png"),
        ("screenshot_concat", "action_step1_concat.png"),
        ("screenshot_selected_control", "action_step1_selected_controls.png"),
    ] {
        assert_eq!(line[name], picture);
        assert!(logs.ufo[picture].starts_with(b"\x89PNG"), "{picture}");
    }
    for name in ["action_round_0_sub_round_0_final", "action_round_0_final", "action_step_final"] {
        assert!(logs.ufo[&format!("{name}.png")].starts_with(b"\x89PNG"), "{name}");
        assert!(logs.ufo.contains_key(&format!("xml/{name}.xml")), "{name}");
    }
    let judged = logs.json("evaluation.log");
    assert_eq!((&judged["complete"], &judged["level"]), (&json!("yes"), &json!("session")));
    assert!(!logs.json("tool_executions.json").as_array().unwrap().is_empty());
    assert!(json_lines(&logs.ufo["request.log"]).len() == 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_and_its_reply() {
    let rig = rig(says([info("Which Anna?"), complete("Done.")]), options()).await;
    let asked = rig.start("Write to Anna").await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    assert_eq!(Logs::of(&rig, &asked).await.told("status"), ["PENDING"]);
    let done = rig.go_on(&asked, json!({ "reply_from_client": "Anna Müller" })).await;
    let logs = Logs::of(&rig, &done).await;
    assert_eq!(logs.told("status"), ["PENDING", "FINISH"]);
    assert_eq!(logs.lines[0]["questions"], json!(["Which Anna?"]));
    let page = String::from_utf8(logs.ufo["output.md"].clone()).unwrap();
    assert!(page.contains("Anna Müller"), "{page}");
    let chat = logs.json("chat_history.json").to_string();
    assert!(chat.contains("Anna Müller"), "{chat}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_is_given_up() {
    let rig = rig(says([abort("There is no such shop.")]), options()).await;
    let logs = Logs::of(&rig, &rig.start("Find the shop").await).await;
    assert_eq!(logs.told("status"), ["FAIL"]);
    assert_eq!(logs.told("result"), ["There is no such shop."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_that_are_used_up() {
    let rig = rig(says([click(10, 990), click(990, 10)]), options()).await;
    let arguments = json!({ "device_id": rig.serial, "task": "Tap", "max_steps": 2 });
    let stopped = rig.call("ask_agent_start_new_task", arguments).await;
    assert_eq!(stopped["stop_reason"], "MAX_STEPS_REACHED", "{stopped}");
    let logs = Logs::of(&rig, &stopped).await;
    assert_eq!(logs.told("status"), ["CONTINUE", "CONTINUE"]);
    assert!(logs.ufo.contains_key("action_round_0_final.png"), "although the round goes on");
    assert!(logs.ufo.contains_key("action_step_final.png"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_that_is_asked_for_again() {
    let rig = rig(says(["I would tap it.".to_owned(), complete("Done.")]), options()).await;
    let logs = Logs::of(&rig, &rig.start("Do it").await).await;
    assert_eq!(logs.told("status"), ["FINISH"]);
    let between = logs.json("AppAgent/responses/intermediate/response_1_iter1.json");
    assert_eq!(
        (&between["raw_content"], &between["success"]),
        (&json!("I would tap it."), &json!(false))
    );
    assert!(between["error"].is_string(), "{between}");
    logs.json("AppAgent/prompts/iterations/prompt_1_iter2.json");
    let last = logs.json("AppAgent/responses/response_1.json");
    let total = |file: &Value| file["tokens"]["total"].as_u64().unwrap();
    assert_eq!(total(&last), 2 * total(&between), "of both calls");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_action_that_fails() {
    let there_is_none = gelab("AWAKE", "value:Nonesuch", "opened it");
    let rig = rig(says([there_is_none, complete("Done.")]), options()).await;
    let logs = Logs::of(&rig, &rig.start("Open Nonesuch").await).await;
    let (failed, after) = (&logs.lines[0], &logs.lines[1]);
    assert!(failed["error"].as_str().unwrap().contains("Nonesuch"), "{failed}");
    assert_eq!(failed["action"][0]["result"]["status"], "failure");
    assert_eq!(after["last_error"], failed["error"]);
    assert!(after.get("error").is_none());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_is_lost() {
    let rig = rig(Vec::new(), options()).await;
    let faults = rig.virtual_phone.faults().clone();
    rig.vlm.now(move |_| {
        faults.set(|plan| plan.link = LinkState::Offline);
        Answer::Says(click(300, 400))
    });
    let lost = rig.start("Tap").await;
    assert_eq!(lost["stop_reason"], "DEVICE_LOST", "{lost}");
    let logs = Logs::of(&rig, &lost).await;
    assert_eq!(logs.told("status").last(), Some(&"ERROR"));
    let last = logs.lines.last().unwrap();
    assert_eq!((&last["action"], &last["screenshot_clean"]), (&json!([]), &json!("")));
    assert!(!last["error"].as_str().unwrap().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_rounds_in_one_session() {
    let rig = rig(says([complete("One."), click(10, 990), complete("Two.")]), options()).await;
    let first = rig.start("First").await;
    let second = rig.go_on(&first, json!({ "task": "Second" })).await;
    assert_eq!(second["stop_reason"], DONE, "{second}");
    let logs = Logs::of(&rig, &second).await;
    assert_eq!(logs.told("request"), ["First", "Second", "Second"]);
    let ints = |field: &str| logs.lines.iter().map(|it| it[field].as_i64()).collect::<Vec<_>>();
    assert_eq!(ints("round_num"), [Some(0), Some(1), Some(1)]);
    assert_eq!(ints("round_step"), [Some(0), Some(0), Some(1)]);
    for round in [0, 1] {
        assert!(logs.ufo.contains_key(&format!("action_round_{round}_sub_round_0_final.png")));
        assert!(logs.ufo.contains_key(&format!("xml/action_round_{round}_final.xml")));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_acts_itself() {
    let rig = rig(
        says([info("Please open it"), complete("Done.")]),
        RigOptions { tools: ToolSet::ALL, ..options() },
    )
    .await;
    let asked = rig.start("Open Notes").await;
    let open = json!({ "device_id": rig.serial, "session_id": asked["session_id"], "app": "Notes",
        "reason": "as asked" });
    let opened = rig.call("launch_app", open).await;
    let logs = Logs::of(&rig, &opened).await;
    assert_eq!(logs.told("agent_type"), ["AppAgent", "AppAgent"]);
    assert_eq!(logs.lines[1]["agent_name"], "Client");
    let done = rig.go_on(&asked, json!({ "reply_from_client": "done" })).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let logs = Logs::of(&rig, &done).await;
    assert_eq!(logs.told("agent_type"), ["AppAgent", "AppAgent", "AppAgent"]);
    assert_eq!(logs.told("status"), ["PENDING", "CONTINUE", "FINISH"]);
    let line = &logs.lines[1];
    assert_eq!((&line["action_type"], &line["comment"]), (&json!("AWAKE"), &json!("as asked")));
    assert_eq!(line["action"][0]["result"]["status"], "success");
    assert!(logs.ufo["action_step1.png"].starts_with(b"\x89PNG"));
    let page = String::from_utf8(logs.ufo["output.md"].clone()).unwrap();
    assert!(page.contains("Decided by") && page.contains("the client"), "{page}");

    // A session in which nothing else happened.
    let key = json!({ "device_id": rig.serial, "key": "HOME" });
    rig.call("press_key", key.clone()).await;
    let pressed = rig.call("press_key", key).await;
    let logs = Logs::of(&rig, &pressed).await;
    assert_eq!(logs.told("request"), ["Direct control by the client"; 2]);
}
