//! Sessions as they would have been recorded.
use ayeaye_agent::journal::{ActionRecord, ResponseRecord, TargetRecord};
use serde_json::json;

use super::tape::Tape;

pub(super) fn plain() -> Tape {
    let mut tape = Tape::begin("Text Anna that I am late.");
    tape.step("CLICK", json!({ "point": [400, 250] }));
    tape.inner_step("COMPLETE", json!({ "return": "Sent." }), "FINISH", "Sent.");
    tape.snapshot("round", None, false);
    tape.snapshot("session", None, false);
    tape.end("TASK_COMPLETED_SUCCESSFULLY", "Sent.");
    tape
}

pub(super) fn info() -> Tape {
    let mut tape = Tape::begin("Text Anna.");
    tape.ask_step("info", "Which Anna?", None);
    tape.end("INFO_ACTION_NEEDS_REPLY", "Which Anna?");
    tape.resume("reply");
    tape.answer("client", "Anna Berg");
    tape.step(
        "TYPE",
        json!({ "value": "Ich komme später", "point": [500, 900], "clear": false, "submit": true }),
    );
    tape
}

pub(super) fn refused() -> Tape {
    let mut tape = Tape::begin("Pay the bill.");
    tape.ask_step("confirm", "Shall I pay 20?", Some(("manual", "no")));
    tape.inner_step("ABORT", json!({ "reason": "not wanted" }), "FAIL", "not wanted");
    tape
}

pub(super) fn aborted() -> Tape {
    let mut tape = Tape::begin("Text Anna.");
    tape.inner_step("ABORT", json!({ "reason": "no such person" }), "FAIL", "no such person");
    tape.end_round("FAIL", "no such person");
    tape.end("TASK_ABORTED_BY_AGENT", "no such person");
    tape
}

pub(super) fn max_steps() -> Tape {
    let mut tape = Tape::begin("Scroll for ever.");
    for _ in 0..3 {
        tape.step(
            "SLIDE",
            json!({ "point1": [500, 800], "point2": [500, 200], "duration_ms": 300 }),
        );
    }
    tape.end("MAX_STEPS_REACHED", "the 3 steps of this call are used up");
    tape
}

pub(super) fn asked_again() -> Tape {
    let mut tape = Tape::begin("Text Anna.");
    tape.start_step("AppAgent");
    tape.observe(false);
    tape.call("act", 1, Some("no action in it"));
    tape.call("repair", 2, None);
    tape.act("HOT_KEY", json!({ "key": "HOME" }), None);
    tape.tool_end(Ok("done"), false);
    tape.end_step("CONTINUE", "done", None);
    tape
}

pub(super) fn failed_action() -> Tape {
    let mut tape = Tape::begin("Text Anna.");
    tape.start_step("AppAgent");
    tape.observe(true);
    tape.call("act", 1, None);
    let target = TargetRecord {
        id: "1".to_owned(),
        name: "Chats".to_owned(),
        kind: "android.widget.LinearLayout".to_owned(),
        rect: [0, 500, 1080, 700],
    };
    tape.act("LONGPRESS", json!({ "point": [100, 250], "duration_ms": 800 }), Some(target));
    tape.tool_end(Err("device emulator-5554 refused `input`"), false);
    tape.end_step("CONTINUE", "", Some("device emulator-5554 refused `input`"));
    tape.inner_step("WAIT", json!({ "seconds": 1.5 }), "CONTINUE", "waited 1.5 s");
    tape
}

pub(super) fn lost_phone() -> Tape {
    let mut tape = Tape::begin("Text Anna.");
    tape.start_step("AppAgent");
    tape.end_step("ERROR", "", Some("device emulator-5554 is not connected"));
    tape.end("DEVICE_LOST", "device emulator-5554 is not connected");
    tape
}

pub(super) fn two_rounds() -> Tape {
    let mut tape = plain();
    tape.events.truncate(tape.events.len() - 3);
    tape.end_round("FINISH", "Sent.");
    tape.judge("round");
    tape.judge("session");
    tape.end("TASK_COMPLETED_SUCCESSFULLY", "Sent.");
    tape.resume("next_round");
    tape.begin_round("And now Bob.");
    tape.step("SCROLL", json!({ "direction": "down" }));
    tape.inner_step("COMPLETE", json!({ "return": "Sent too." }), "FINISH", "Sent too.");
    tape.end_round("FINISH", "Sent too.");
    tape.judge("round");
    tape.snapshot("session", None, true);
    tape.end("TASK_COMPLETED_SUCCESSFULLY", "Sent too.");
    tape
}

pub(super) fn host() -> Tape {
    let mut tape = Tape::begin("Text Anna, then buy milk.");
    tape.start_step("HostAgent");
    tape.observe(true);
    tape.call("plan", 1, None);
    tape.action = Some(ActionRecord {
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
    tape.end_step_with("ASSIGN", "", None, response);
    tape.step("CLICK", json!({ "point": [400, 250] }));
    tape
}

/// All of them.
pub(super) fn every() -> Vec<Tape> {
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
