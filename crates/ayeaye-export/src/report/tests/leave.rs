//! Steps that ask first, and acts that permission was given for.
use serde_json::json;

use super::builder::{self, EventBuilder, page_of, step_start};
use super::elements;

#[test]
fn an_act_that_leave_was_given_for_is_told_as_the_act() {
    let tap = json!({ "point": [573, 279] });
    let asks = json!({ "function": "INFO", "arguments": {
        "question": { "kind": "confirm", "text": "May I send it?", "options": [] },
        "act": { "function": "CLICK", "arguments": tap },
    } });
    let mut builder = EventBuilder::begin("Text Anna");
    builder.fact(Some(0), "step.start", &step_start(0)).look(0);
    builder.fact(
        Some(0),
        "tool.start",
        &json!({
            "tool_call_id": 1, "name": "CLICK", "parameters": tap, "device": true,
            "target": { "id": "4", "name": "Send", "kind": "Button", "rect": [540, 600, 740, 700] },
        }),
    );
    builder.fact(
        Some(0),
        "tool.end",
        &json!({
            "tool_call_id": 1, "success": true, "result": "done", "duration_ms": 20.5,
            "uncertain": "the screen did not change",
        }),
    );
    builder.fact(Some(0), "step.end", &builder::step_end(&asks, "", None, "CONTINUE")).end();
    let (page, _) = page_of(&builder.events);
    elements(&page);
    assert!(
        page.contains("<h3 class=\"\" dir=\"auto\">Tap at 57.3\u{a0}%, 27.9\u{a0}%</h3>"),
        "{page}"
    );
    assert!(
        page.contains("<q class=\"\" dir=\"auto\">Send</q>")
            && page.contains("class=\"line\" cx=\"573\""),
        "{page}"
    );
    assert!(page.contains("It is not certain that it worked."));
    assert!(!page.contains("Ask for leave"));
}

#[test]
fn a_question_of_the_gate_is_no_failure_and_its_act_was_not_done() {
    let act = json!({ "function": "CLICK", "arguments": { "point": [573, 279] } });
    let why = "not carried out yet: the user was asked first";
    let mut builder = EventBuilder::begin("Buy it");
    builder.fact(Some(0), "step.start", &step_start(0)).look(0);
    builder.question(&["Shall I pay?"], &["yes", "no"]);
    builder.fact(Some(0), "step.end", &builder::step_end(&act, "Pay", Some(why), "CONFIRM"));
    builder.stop("INFO_ACTION_NEEDS_REPLY", "Shall I pay?");
    builder.fact(None, "session.resume", &json!({ "why": "reply", "run": builder::run() }));
    builder.answer("yes", "client").click(1, 573, 279, "Pay").complete(2, "Paid.").end();
    let (page, _) = page_of(&builder.events);
    elements(&page);
    assert!(page.contains("<span class=\"chip waiting\">Asks for permission</span>"), "{page}");
    assert!(page.contains(why) && !page.contains("It failed."));
    assert!(
        !page.contains(">Failed<") && !page.contains("1\u{a0}failed") && !page.contains(", failed")
    );
    // The tap that was meant, and the one that was done.
    assert_eq!(page.matches("<svg class=\"mark meant\"").count(), 1);
    assert_eq!(page.matches("<svg class=\"mark\"").count(), 1);
}

#[test]
fn an_act_that_the_phone_refused_before_it_was_asked_about_is_a_failure() {
    let act = json!({ "function": "TYPE", "arguments": { "value": "你好" } });
    let why = "not carried out: the text was not typed; the user was asked first: no keyboard";
    let mut builder = EventBuilder::begin("Say hello");
    builder.fact(Some(0), "step.start", &step_start(0)).look(0);
    builder.fact(
        Some(0),
        "tool.start",
        &json!({ "tool_call_id": 1, "name": "TYPE", "parameters": { "value": "你好" }, "device": true }),
    );
    builder.fact(
        Some(0),
        "tool.end",
        &json!({ "tool_call_id": 1, "success": false, "result": "", "error": "no keyboard", "duration_ms": 8.1 }),
    );
    builder.question(&["No keyboard?"], &["It is there"]);
    builder.fact(Some(0), "step.end", &builder::step_end(&act, "Hello", Some(why), "PENDING"));
    builder.stop("INFO_ACTION_NEEDS_REPLY", "No keyboard?").end();
    let (page, _) = page_of(&builder.events);
    elements(&page);
    assert!(page.contains("<b>It failed.</b>") && page.contains(why), "{page}");
    assert!(page.contains("1\u{a0}failed"), "{page}");
}

#[test]
fn an_act_that_was_refused_is_a_failure_and_was_not_done() {
    let act = json!({ "function": "CLICK", "arguments": { "point": [573, 279] } });
    let mut builder = EventBuilder::begin("Buy it");
    builder.fact(Some(0), "step.start", &step_start(0)).look(0);
    let end = builder::step_end(&act, "Pay", Some("the policy refuses it"), "CONTINUE");
    builder.fact(Some(0), "step.end", &end).end();
    let (page, _) = page_of(&builder.events);
    assert!(page.contains("<b>It failed.</b>") && page.contains("1\u{a0}failed"));
    assert!(page.contains("<svg class=\"mark meant\"") && !page.contains("<svg class=\"mark\""));
}
