//! What is done from the page: tasks, answers, and acts by hand.
use std::sync::Arc;

use ayeaye::config::ToolSet;
use ayeaye::model_presence::ModelState;
use reqwest::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::{Browser, Served};
use crate::process::TOKEN;
use crate::support::{
    Answer, FakeVlm, LOOK_EVERY, Rig, RigOptions, complete, info, node, until, within,
};

async fn rig(script: impl FnMut(&Value) -> Answer + Send + 'static) -> Rig {
    Rig::with(FakeVlm::start(script).await, RigOptions::quick()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_is_answered_once_and_the_session_goes_on() {
    let rig = rig(|_| Answer::Says(info("Which Anna?"))).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let id = browser.start(&rig.serial, "Tell Anna").await;
    let asked = browser.stopped(&id).await;
    assert_eq!((&asked["waiting"], &asked["can"]["answer"]), (&json!(true), &json!(true)));
    let step = asked["question"]["step"].clone();
    rig.vlm.always(&complete("Told her."));
    let go_on = format!("sessions/{id}/continue");
    let answer = json!({ "reply": "Anna Berg", "question_step": step });
    let line = browser.act(&go_on, answer.clone()).await;
    assert_eq!(line["session_id"], json!(id));
    let done = browser.stopped(&id).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    let asked_so_far = rig.vlm.asked_count();
    // The same answer again begins nothing, and is not said to have been taken.
    let (status, said) = browser.post(&go_on, answer).await;
    assert_eq!(status, StatusCode::CONFLICT, "{said}");
    assert_eq!(browser.stopped(&id).await["steps"], done["steps"]);
    assert_eq!(rig.vlm.asked_count(), asked_so_far);
    let (status, _) = browser.post(&go_on, json!({ "reply": "x", "task": "y" })).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
    browser.act(&go_on, json!({ "task": "Tell Ben" })).await;
    let second = browser.stopped(&id).await;
    assert_eq!(second["task"], "Tell Ben");
    assert_eq!(second["rounds"][1], json!({ "number": 1, "request": "Tell Ben" }));
}

/// Starts a task whose questions go to the operator, and waits until it asks one; returns the session, whole.
async fn asks_the_operator(rig: &Rig, browser: &Browser<'_>) -> Value {
    let start = json!({ "device_id": rig.serial, "task": "Sign in", "reply_mode": "manual_reply", "wait_seconds": 0 });
    let begun = rig.call("ask_agent_start_new_task", start).await;
    let path = format!("sessions/{}", begun["session_id"].as_str().unwrap());
    within(60, "the question", async {
        let mut tick = tokio::time::interval(LOOK_EVERY);
        loop {
            let session = browser.read(&path).await;
            assert_eq!(session["running"], true, "{session}");
            if session["waiting"] == true {
                return session;
            }
            tick.tick().await;
        }
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_waits_for_the_operator_is_answered_on_the_page() {
    let rig = rig(|_| Answer::Says(info("What is the password for it?"))).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let asked = asks_the_operator(&rig, &browser).await;
    let id = asked["session_id"].as_str().unwrap();
    assert_eq!(asked["question"]["text"], "What is the password for it?", "{asked}");
    assert_eq!(asked["question"]["asks_for_secret"], true);
    let can = json!({ "answer": true, "guide": false, "pause": true, "stop": true, "resume": false, "take": true, "new_task": false });
    assert_eq!(asked["can"], can);
    let line = &browser.read("sessions").await["sessions"][0];
    assert_eq!((&line["waiting"], &line["running"]), (&json!(true), &json!(true)), "{line}");
    assert_eq!(line["question"], asked["question"]["text"]);
    assert_eq!(line["question_step"], asked["question"]["step"]);
    rig.vlm.always(&complete("Signed in."));
    let answer =
        json!({ "reply": "hunter2x", "secret": true, "question_step": asked["question"]["step"] });
    let go_on = format!("sessions/{id}/continue");
    browser.act(&go_on, answer.clone()).await;
    let done = browser.stopped(id).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    assert_eq!((&done["waiting"], &done["question"]), (&json!(false), &Value::Null));
    assert!(rig.vlm.asked().pop().unwrap().to_string().contains("hunter2x"));
    assert_eq!(browser.post(&go_on, answer).await.0, StatusCode::CONFLICT);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_a_run_that_waits_for_the_operator_gives_its_question_up_and_pausing_does_not() {
    let rig = rig(|_| Answer::Says(info("Which Anna?"))).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    for (act, reason, waits) in [("stop", "CANCELLED", false), ("pause", "USER_PAUSED", true)] {
        let asked = asks_the_operator(&rig, &browser).await;
        let id = asked["session_id"].as_str().unwrap();
        let line = browser.act(&format!("sessions/{id}/{act}"), json!({})).await;
        let told = (&line["stop_reason"], &line["waiting"], &line["running"]);
        assert_eq!(told, (&json!(reason), &json!(waits), &json!(false)), "{line}");
        assert_eq!(browser.stopped(id).await["question"].is_object(), waits);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_stops_such_a_run_gives_its_question_up_and_is_told_what_it_can_do() {
    let rig = rig(|_| Answer::Says(info("Which Anna?"))).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let asked = asks_the_operator(&rig, &browser).await;
    let session = json!({ "session_id": asked["session_id"] });
    let told = rig.call("stop_task", session.clone()).await;
    assert_eq!((&told["stop_reason"], &told["question"]), (&json!("CANCELLED"), &Value::Null));
    assert!(told["next"].as_str().unwrap().contains("and a task"), "{told}");
    assert_eq!(rig.call("get_session", session).await["next"], told["next"]);
    let id = asked["session_id"].as_str().unwrap();
    assert_eq!(browser.stopped(id).await["waiting"], false);
    let answer = json!({ "reply": "Anna Berg", "question_step": asked["question"]["step"] });
    let (status, said) = browser.post(&format!("sessions/{id}/continue"), answer).await;
    assert_eq!(status, StatusCode::CONFLICT, "{said}");

    let asked = asks_the_operator(&rig, &browser).await;
    let id = asked["session_id"].as_str().unwrap();
    browser.act(&format!("sessions/{id}/pause"), json!({})).await;
    let told = rig.call("get_session", json!({ "session_id": id })).await;
    assert_eq!((&told["stop_reason"], told["question"].is_object()), (&json!("USER_PAUSED"), true));
    assert!(told["next"].as_str().unwrap().contains("reply_from_client"), "{told}");
    let paused = json!({ "session_id": id });
    is_given_up(&rig, &paused).await;
}

/// Ends what has come to rest with a question.
async fn is_given_up(rig: &Rig, session: &Value) {
    let told = rig.call("stop_task", session.clone()).await;
    assert_eq!((&told["stop_reason"], &told["question"]), (&json!("CANCELLED"), &Value::Null));
    assert!(told["next"].as_str().unwrap().contains("and a task"), "{told}");
    assert_eq!(rig.call("stop_task", session.clone()).await, told, "a second stop changes nothing");
    // An answer that comes too late begins nothing, as if its words were what the user had asked for.
    let asked = rig.vlm.asked_count();
    let late = json!({ "session_id": session["session_id"], "reply_from_client": "yes, to Anna" });
    let refused = rig.refused("ask_agent_continue", late).await;
    assert!(refused.contains("was given up") && refused.contains("and a task"), "{refused}");
    assert_eq!(rig.vlm.asked_count(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn stopping_a_task_that_rests_with_a_question_gives_it_up() {
    let rig = rig(|_| Answer::Says(info("Which Anna?"))).await;
    let start = json!({ "device_id": rig.serial, "task": "Tell Anna" });
    let asked = rig.call("ask_agent_start_new_task", start).await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    let session = json!({ "session_id": asked["session_id"] });
    let watch = async || {
        let seen = rig.raw_call("watch_session", session.clone()).await;
        seen.structured_content.unwrap()
    };
    assert_eq!(watch().await["is_over"], false);
    is_given_up(&rig, &session).await;
    // The app offers no *Continue* then, which would do nothing.
    let watched = watch().await;
    assert_eq!((&watched["is_over"], &watched["question"]), (&json!(true), &Value::Null));
    rig.vlm.always(&complete("Told Ben."));
    let go_on = json!({ "session_id": asked["session_id"], "task": "Tell Ben" });
    let done = rig.call("ask_agent_continue", go_on).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_is_paused_acted_in_by_hand_and_handed_back() {
    let gate = Arc::new(Notify::new());
    let held = gate.clone();
    let rig = rig(move |_| Answer::Held(held.clone(), complete("Done."))).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let id = browser.start(&rig.serial, "Wait").await;
    let home = json!({ "action": "key", "key": "HOME" });
    // While it runs, the phone is the run's.
    let (status, said) = browser.post(&format!("devices/{}/act", rig.serial), home.clone()).await;
    assert_eq!((status, &said["session_id"]), (StatusCode::CONFLICT, &json!(id)), "{said}");
    let (status, said) = browser.post(&format!("sessions/{id}/act"), home.clone()).await;
    assert_eq!(status, StatusCode::CONFLICT, "{said}");
    let start = json!({ "device_id": rig.serial, "task": "Another" });
    assert_eq!(browser.post("tasks", start).await.0, StatusCode::CONFLICT);
    let paused = browser.act(&format!("sessions/{id}/pause"), json!({})).await;
    assert_eq!(
        (&paused["stop_reason"], &paused["running"]),
        (&json!("USER_PAUSED"), &json!(false))
    );
    let acted = browser.act(&format!("sessions/{id}/act"), home).await;
    assert_eq!((&acted["outcome"], &acted["session_id"]), (&json!("done"), &json!(id)));
    let whole = browser.read(&format!("sessions/{id}")).await;
    let last = whole["steps"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["agent"], &last["label"]), (&json!("client"), &json!("Press HOME")));
    assert_eq!(last["index"], acted["step"]);
    assert_eq!(whole["can"]["resume"], true);
    gate.notify_one();
    browser.act(&format!("sessions/{id}/continue"), json!({})).await;
    let done = browser.stopped(&id).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
    let stopped = browser.act(&format!("sessions/{id}/stop"), json!({})).await;
    assert_eq!(stopped["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "there was nothing to stop");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_failed_is_not_asked_again_while_none_is_there() {
    let rig = rig(|_| Answer::Raw(401, "application/json", "{}".to_owned())).await;
    let failed = rig.start("tap").await;
    assert_eq!(failed["stop_reason"], "MODEL_FAILED", "{failed}");
    let served = Served::with_model(&rig, |_| {}, None, ModelState::Refused).await;
    let browser = served.browser(TOKEN).await;
    let id = failed["session_id"].as_str().unwrap();
    let (status, said) = browser.post(&format!("sessions/{id}/continue"), json!({})).await;
    assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{said}");
    assert!(said.to_string().contains("`ayeaye doctor` checks it"), "{said}");
    let whole = browser.read(&format!("sessions/{id}")).await;
    assert_eq!(whole["steps"].as_array().unwrap().len(), 1, "no failed step was added");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_without_a_model_is_refused_and_its_question_stays_open() {
    let rig = rig(|_| Answer::Says(info("Which Anna?"))).await;
    let asked = rig.start("Tell Anna").await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    let served = Served::with_model(&rig, |_| {}, None, ModelState::Refused).await;
    let browser = served.browser(TOKEN).await;
    let id = asked["session_id"].as_str().unwrap();
    let step = browser.read(&format!("sessions/{id}")).await["question"]["step"].clone();
    for answer in
        [json!({ "reply": "Anna Berg", "question_step": step }), json!({ "reply": "Anna Berg" })]
    {
        let (status, said) = browser.post(&format!("sessions/{id}/continue"), answer).await;
        assert_eq!(status, StatusCode::SERVICE_UNAVAILABLE, "{said}");
        assert!(said.to_string().contains("cannot be reached"), "{said}");
        let whole = browser.read(&format!("sessions/{id}")).await;
        assert_eq!(whole["question"]["text"], "Which Anna?", "{whole}");
    }
    assert_eq!(rig.vlm.asked_count(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_at_work_is_answered_although_no_model_is_found() {
    let rig = rig(|_| Answer::Says(info("Which Anna?"))).await;
    let served = Served::with_model(&rig, |_| {}, None, ModelState::Refused).await;
    let browser = served.browser(TOKEN).await;
    let asked = asks_the_operator(&rig, &browser).await;
    rig.vlm.always(&complete("Told her."));
    let answer = json!({ "reply": "Anna Berg", "question_step": asked["question"]["step"] });
    let id = asked["session_id"].as_str().unwrap();
    browser.act(&format!("sessions/{id}/continue"), answer).await;
    assert_eq!(browser.stopped(id).await["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
}

/// Does what must be done on the phone, and returns what came of it.
async fn by_hand(browser: &Browser<'_>, rig: &Rig, act: Value) -> Value {
    browser.act(&format!("devices/{}/act", rig.serial), act).await
}

/// The middle of an element, as the page sends it.
fn middle(rig: &Rig, fits: impl Fn(&Value) -> bool) -> Value {
    let phone = rig.virtual_phone.phone();
    let found = node(phone, fits).expect("it is on the screen");
    let (width, height) = phone.display_size();
    let edge = |index: usize| found["bounds"][index].as_u64().unwrap();
    json!([
        (edge(0) + edge(2)) * 500 / u64::from(width),
        (edge(1) + edge(3)) * 500 / u64::from(height)
    ])
}

#[tokio::test(flavor = "multi_thread")]
async fn acts_by_hand_are_recorded_and_pass_the_same_gate() {
    let rig = rig(|_| Answer::Silence).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let phone = rig.virtual_phone.phone().clone();
    let before = phone.state().sent.len();
    let opened = by_hand(&browser, &rig, json!({ "action": "launch", "app": "Messages" })).await;
    assert_eq!((&opened["outcome"], &opened["screen_changed"]), (&json!("done"), &json!(true)));
    let name = phone.state().conversations[0].with.clone();
    let chat = middle(&rig, |it| it["text"] == json!(name));
    by_hand(&browser, &rig, json!({ "action": "tap", "point": chat })).await;
    let is =
        |id: &'static str| move |it: &Value| it["id"].as_str().is_some_and(|it| it.ends_with(id));
    let field = middle(&rig, is("compose"));
    let typed = json!({ "action": "type", "text": "hunter2x", "point": field, "secret": true, "clear": true });
    assert_eq!(by_hand(&browser, &rig, typed).await["outcome"], "done");
    let send = json!({ "action": "tap", "point": middle(&rig, is("send_button")) });
    let asked = by_hand(&browser, &rig, send.clone()).await;
    assert_eq!(asked["outcome"], "needs_leave", "{asked}");
    assert!(asked["question"].as_str().unwrap().contains(&name), "{asked}");
    assert_eq!(phone.state().sent.len(), before);
    let with = |code: &Value| {
        let mut act = send.clone();
        act["agreed"] = code.clone();
        act
    };
    let act = format!("devices/{}/act", rig.serial);
    let (status, _) = browser.post(&act, with(&json!("00000000"))).await;
    assert_eq!(status, StatusCode::BAD_REQUEST, "nobody gave this code");
    phone.press_power();
    let dark = by_hand(&browser, &rig, with(&asked["agree"])).await;
    assert_eq!(dark["outcome"], "not_done", "{dark}");
    assert_eq!(by_hand(&browser, &rig, with(&asked["agree"])).await["outcome"], "done");
    assert_eq!(phone.state().sent.len(), before + 1);
    assert_eq!(browser.post(&act, with(&asked["agree"])).await.0, StatusCode::BAD_REQUEST, "once");
    // All of it is one session of the client's own, and the secret is in none of it.
    let id = asked["session_id"].as_str().unwrap();
    assert_eq!(opened["session_id"], json!(id));
    let whole = browser.read(&format!("sessions/{id}")).await;
    assert!(whole["steps"].as_array().unwrap().iter().all(|it| it["agent"] == "client"));
    assert!(!whole.to_string().contains("hunter2x"), "{whole}");
    assert_eq!((&whole["can"]["resume"], &whole["can"]["take"]), (&json!(false), &json!(true)));
    for (what, kind) in [
        ("report", "text/html; charset=utf-8"),
        ("journal", "application/zip"),
        ("ufo", "application/zip"),
        ("pycatan", "application/zip"),
    ] {
        let path = format!("/page/api/sessions/{id}/download/{what}");
        let answer = browser.send(Method::GET, &path, None).await;
        assert_eq!(answer.status(), StatusCode::OK, "{what}");
        assert_eq!(answer.headers()["content-type"], kind, "{what}");
        let named = answer.headers()["content-disposition"].to_str().unwrap().to_owned();
        assert!(named.starts_with("attachment; filename=\"ayeaye-"), "{named}");
        let bytes = answer.bytes().await.unwrap();
        assert!(100 < bytes.len() && !bytes.windows(8).any(|it| it == b"hunter2x"), "{what}");
        if kind == "application/zip" {
            let archive = rawzip::ZipArchive::from_slice(&bytes).unwrap();
            assert!(0 < archive.entries_hint(), "{what}");
        }
    }
    let (status, _) = browser.get(&format!("sessions/{id}/download/html")).await;
    assert_eq!(status, StatusCode::NOT_FOUND);
    until("no folder of a download stays", || {
        let names = std::fs::read_dir(rig.data.path()).unwrap();
        !names.flatten().any(|it| it.file_name().to_string_lossy().starts_with(".download-"))
    })
    .await;
}

/// What a downloaded log says of what it lacks; nothing where it is whole.
async fn lacks(browser: &Browser<'_>, id: &str, what: &str) -> Option<String> {
    let path = format!("/page/api/sessions/{id}/download/{what}");
    let answer = browser.send(Method::GET, &path, None).await;
    assert_eq!(answer.status(), StatusCode::OK, "{what}");
    let is_archive = answer.headers()["content-type"] == "application/zip";
    let bytes = answer.bytes().await.unwrap();
    if !is_archive {
        return None;
    }
    let archive = rawzip::ZipArchive::from_slice(&bytes).unwrap();
    let entries = archive.entries().map(Result::unwrap);
    let mut notes = entries.filter(|it| it.file_path().as_ref() == b"INCOMPLETE.txt");
    let note = archive.get_entry(notes.next()?.wayfinder()).unwrap();
    Some(std::str::from_utf8(note.data()).unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_downloaded_log_says_what_it_lacks() {
    let rig = rig(|_| Answer::Says(complete("Done."))).await;
    let served = Served::new(&rig).await;
    let browser = served.browser(TOKEN).await;
    let id = browser.start(&rig.serial, "Look").await;
    browser.stopped(&id).await;
    for what in ["ufo", "pycatan", "gelab", "film"] {
        assert_eq!(lacks(&browser, &id, what).await, None, "{what}");
    }
    let folder = rig.data.path().join("sessions").join(&id);
    let shelves = std::fs::read_dir(folder.join("blobs")).unwrap().map(|it| it.unwrap().path());
    let blobs = shelves.flat_map(|shelf| std::fs::read_dir(shelf).unwrap());
    let blobs = blobs.map(|it| it.unwrap().path());
    let is_picture = |it: &std::path::PathBuf| std::fs::read(it).unwrap().starts_with(b"\xff\xd8");
    let pictures: Vec<_> = blobs.filter(is_picture).collect();
    assert!(!pictures.is_empty());
    for picture in &pictures {
        std::fs::remove_file(picture).unwrap();
    }
    // PyCatan's log has no pictures.
    for what in ["ufo", "gelab", "film"] {
        let said = lacks(&browser, &id, what).await.expect(what);
        assert!(said.contains(&format!("damaged: {}", pictures.len())), "{what}: {said}");
    }
    let record = folder.join("events.jsonl");
    let whole = std::fs::read_to_string(&record).unwrap();
    let line = whole.lines().nth_back(1).unwrap();
    std::fs::write(&record, whole.replace(line, &line.replacen(':', ": ", 1))).unwrap();
    let said = lacks(&browser, &id, "ufo").await.unwrap();
    assert!(said.contains("What is before it"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_only_shows_does_nothing() {
    let rig = rig(|_| Answer::Silence).await;
    let served = Served::with(&rig, |_| {}, Some(ToolSet::READ_ONLY)).await;
    let browser = served.browser(TOKEN).await;
    assert_eq!(browser.read("me").await["read_only"], true);
    let never = ayeaye_agent::SessionId::new();
    for (path, body) in [
        ("tasks".to_owned(), json!({ "device_id": rig.serial, "task": "x" })),
        (format!("devices/{}/act", rig.serial), json!({ "action": "key", "key": "HOME" })),
        (format!("sessions/{never}/continue"), json!({})),
        (format!("sessions/{never}/stop"), json!({})),
        (format!("sessions/{never}/pause"), json!({})),
    ] {
        let (status, said) = browser.post(&path, body).await;
        assert_eq!(status, StatusCode::FORBIDDEN, "{path}");
        assert!(said["error"].as_str().unwrap().contains("only shows"), "{said}");
    }
    let policy = browser.read("policy").await;
    assert!(policy["text"].as_str().unwrap().starts_with("policy       careful"), "{policy}");
    assert!(10 < policy["rules"].as_array().unwrap().len());
}
