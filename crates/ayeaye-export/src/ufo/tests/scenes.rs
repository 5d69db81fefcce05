//! Sessions as they would have been recorded.
use ayeaye_agent::journal::{ActionRecord, ResponseRecord, TargetRecord};
use serde_json::json;

use super::builder::EventBuilder;

pub(super) fn plain() -> EventBuilder {
    let mut builder = EventBuilder::begin("Text Anna that I am late.");
    builder.step("CLICK", json!({ "point": [400, 250] }));
    builder.inner_step("COMPLETE", json!({ "return": "Sent." }), "FINISH", "Sent.");
    builder.snapshot("round", None, false);
    builder.snapshot("session", None, false);
    builder.end("TASK_COMPLETED_SUCCESSFULLY", "Sent.");
    builder
}

pub(super) fn info() -> EventBuilder {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.ask_step("info", "Which Anna?", None);
    builder.end("INFO_ACTION_NEEDS_REPLY", "Which Anna?");
    builder.resume("reply");
    builder.answer("client", "Anna Berg");
    builder.step(
        "TYPE",
        json!({ "value": "Ich komme später", "point": [500, 900], "clear": false, "submit": true }),
    );
    builder
}

pub(super) fn refused() -> EventBuilder {
    let mut builder = EventBuilder::begin("Pay the bill.");
    builder.ask_step("confirm", "Shall I pay 20?", Some(("manual", "no")));
    builder.inner_step("ABORT", json!({ "reason": "not wanted" }), "FAIL", "not wanted");
    builder
}

pub(super) fn aborted() -> EventBuilder {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.inner_step("ABORT", json!({ "reason": "no such person" }), "FAIL", "no such person");
    builder.end_round("FAIL", "no such person");
    builder.end("TASK_ABORTED_BY_AGENT", "no such person");
    builder
}

pub(super) fn max_steps() -> EventBuilder {
    let mut builder = EventBuilder::begin("Scroll for ever.");
    for _ in 0..3 {
        builder.step(
            "SLIDE",
            json!({ "point1": [500, 800], "point2": [500, 200], "duration_ms": 300 }),
        );
    }
    builder.end("MAX_STEPS_REACHED", "the 3 steps of this call are used up");
    builder
}

pub(super) fn asked_again() -> EventBuilder {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.start_step("AppAgent");
    builder.observe(false);
    builder.call("act", 1, Some("no action in it"));
    builder.call("repair", 2, None);
    builder.act("HOT_KEY", json!({ "key": "HOME" }), None);
    builder.tool_end(Ok("done"), false);
    builder.end_step("CONTINUE", "done", None);
    builder
}

pub(super) fn failed_action() -> EventBuilder {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.start_step("AppAgent");
    builder.observe(true);
    builder.call("act", 1, None);
    let target = TargetRecord {
        id: "1".to_owned(),
        name: "Chats".to_owned(),
        kind: "android.widget.LinearLayout".to_owned(),
        rect: [0, 500, 1080, 700],
    };
    builder.act("LONGPRESS", json!({ "point": [100, 250], "duration_ms": 800 }), Some(target));
    builder.tool_end(Err("device emulator-5554 refused `input`"), false);
    builder.end_step("CONTINUE", "", Some("device emulator-5554 refused `input`"));
    builder.inner_step("WAIT", json!({ "seconds": 1.5 }), "CONTINUE", "waited 1.5 s");
    builder
}

pub(super) fn lost_phone() -> EventBuilder {
    let mut builder = EventBuilder::begin("Text Anna.");
    builder.start_step("AppAgent");
    builder.end_step("ERROR", "", Some("device emulator-5554 is not connected"));
    builder.end("DEVICE_LOST", "device emulator-5554 is not connected");
    builder
}

pub(super) fn two_rounds() -> EventBuilder {
    let mut builder = plain();
    builder.events.truncate(builder.events.len() - 3);
    builder.end_round("FINISH", "Sent.");
    builder.judge("round");
    builder.judge("session");
    builder.end("TASK_COMPLETED_SUCCESSFULLY", "Sent.");
    builder.resume("next_round");
    builder.begin_round("And now Bob.");
    builder.step("SCROLL", json!({ "direction": "down" }));
    builder.inner_step("COMPLETE", json!({ "return": "Sent too." }), "FINISH", "Sent too.");
    builder.end_round("FINISH", "Sent too.");
    builder.judge("round");
    builder.snapshot("session", None, true);
    builder.end("TASK_COMPLETED_SUCCESSFULLY", "Sent too.");
    builder
}

pub(super) fn host() -> EventBuilder {
    let mut builder = EventBuilder::begin("Text Anna, then buy milk.");
    builder.start_step("HostAgent");
    builder.observe(true);
    builder.call("plan", 1, None);
    builder.action = Some(ActionRecord {
        function: "AWAKE".to_owned(),
        arguments: json!({ "app": "com.example.chat" }).as_object().unwrap().clone(),
    });
    let response = ResponseRecord {
        observation: "The home screen.".to_owned(),
        thought: "First the message.".to_owned(),
        comment: "I open the chats.".to_owned(),
        current_subtask: "Text Anna".to_owned(),
        message: vec!["She is called Anna Berg.".to_owned()],
        plan: vec!["Buy milk".to_owned()],
        ..ResponseRecord::default()
    };
    builder.end_step_with("ASSIGN", "", None, response);
    builder.step("CLICK", json!({ "point": [400, 250] }));
    builder
}

/// An app that is called Notes is opened.
pub(super) fn opened(agent: &str, status: &str) -> EventBuilder {
    let mut builder = EventBuilder::begin("Write it down.");
    builder.start_step(agent);
    builder.observe(true);
    builder.call("act", 1, None);
    builder.act("AWAKE", json!({ "app": "Notes" }), None);
    builder.tool_end(Ok("done"), false);
    builder.end_step(status, "done", None);
    builder
}

/// All of them.
pub(super) fn every() -> Vec<EventBuilder> {
    vec![
        plain(),
        info(),
        refused(),
        aborted(),
        max_steps(),
        asked_again(),
        failed_action(),
        lost_phone(),
        two_rounds(),
        host(),
    ]
}
