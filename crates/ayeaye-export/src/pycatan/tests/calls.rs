//! Replies that decide by calling a tool, and what a kill cuts off.
use ayeaye_agent::journal::{Fact, LlmResponse, PartRecord, ToolEnd};
use serde_json::{Value, json};

use super::{folder, folder_of};
use crate::testing::{EventBuilder, blob, click, tool_call};

/// A reply that decides by calling tools.
fn deciding_calls(response: &mut LlmResponse) {
    response.raw_content = Some(String::new());
    response.tool_calls = vec![
        tool_call("call_a", "computer_use", json!({ "action": "tap", "coordinate": [553, 487] })),
        tool_call("call_b", "computer_use", json!({ "action": "back" })),
    ];
}

#[test]
fn a_reply_that_decides_by_a_call_is_tied_to_what_was_done() {
    let folder = folder_of(|builder| {
        // Words are refused, then a call is, then one is good.
        builder.begin_step(0, 1).ask(1, 1, "act").garbage(1, 1);
        builder.ask(1, 2, "repair").reply(1, 2, |it| {
            deciding_calls(it);
            it.kind = "intermediate".into();
            it.success = false;
            it.parsed = None;
            it.error = Some("its coordinate is outside of the screen".to_owned());
        });
        builder.ask(1, 3, "repair").reply(1, 3, deciding_calls);
        builder.act().end_step(Some(click()), None);
        // This one needs no phone.
        builder.begin_step(1, 2).ask(2, 1, "act").reply(2, 1, |it| {
            it.raw_content = None;
            it.tool_calls = vec![tool_call("call_c", "terminate", json!({ "status": "success" }))];
        });
        builder.end_step(Some(click()), None);
        builder.end("TASK_COMPLETED_SUCCESSFULLY");
    });
    let batches = folder.json("tool_executions.json");
    let names = |at: usize| -> Vec<&str> {
        let calls = batches[at]["calls"].as_array().unwrap();
        calls.iter().map(|call| call["name"].as_str().unwrap()).collect()
    };
    assert_eq!(batches.as_array().unwrap().len(), 4, "{batches:#}");
    assert_eq!(names(0), [""; 0], "words that were refused call nothing");
    assert_eq!(batches[0]["error"], "there is no action in it");
    for (at, successful) in [(1, 0), (2, 1)] {
        assert_eq!(names(at), ["computer_use", "computer_use"]);
        assert_eq!(batches[at]["successful"], successful);
    }
    assert_eq!(batches[1]["calls"][0]["error"], "its coordinate is outside of the screen");
    let act = &batches[2]["calls"][0];
    assert_eq!(act["id"], "call_a");
    assert_eq!(act["parameters"]["action"], "tap");
    assert_eq!(act["action"]["function"], "CLICK");
    assert_eq!(act["device"], true);
    assert_eq!(names(3), ["terminate"]);
    assert_eq!(batches[3]["calls"][0]["result"], "done");

    // Each is the first of its names that is not before its reply.
    let replies = [
        (0, "AppAgent/responses/intermediate/response_1_iter1.json"),
        (1, "AppAgent/responses/intermediate/response_1_iter2.json"),
        (2, "AppAgent/responses/intermediate/response_1_iter3.json"),
        (3, "AppAgent/responses/intermediate/response_2_iter1.json"),
    ];
    for (at, name) in replies {
        let time = |at: usize| batches[at]["timestamp"].as_str();
        assert!(folder.json(name)["timestamp"].as_str() <= time(at), "{name}");
        assert!(at == 0 || time(at - 1) < folder.json(name)["timestamp"].as_str(), "{name}");
    }
    let last = folder.json("AppAgent/responses/response_1.json");
    assert!(last["raw_content"].as_str().unwrap().contains("computer_use"), "{last}");
    assert_eq!(last["calls"], 3);
    let stats = &folder.json("session_summary.json")["agents"]["AppAgent"];
    assert_eq!(stats["intermediate_responses"], replies.len());
    assert_eq!(stats["tool_calls"], 3);
    assert_eq!(stats["successful_requests"], 2);
}

#[test]
fn a_gesture_that_a_kill_cut_off_is_told_once_its_end_is_known() {
    let cut = |builder: &mut EventBuilder| {
        builder.begin_step(0, 1).ask(1, 1, "act").reply(1, 1, |_| {});
        builder.begin_tool("CLICK", json!({ "point": [512, 203] }), None)
    };
    let before = folder_of(|builder| {
        cut(builder);
    });
    assert!(!before.names().contains(&"tool_executions.json"));
    // The next run says of it that nobody knows.
    let after = folder_of(|builder| {
        let tool_call_id = cut(builder);
        builder.push(Fact::ToolEnd(ToolEnd {
            tool_call_id,
            success: false,
            unknown: true,
            result: String::new(),
            error: Some("interrupted".to_owned()),
            uncertain: None,
            app: None,
            duration_ms: 0.0,
        }));
        builder.end_step(Some(click()), Some("interrupted"));
    });
    let batches = after.json("tool_executions.json");
    assert_eq!(batches.as_array().unwrap().len(), 1);
    assert_eq!(batches[0]["calls"][0]["outcome_unknown"], true);
}

#[test]
fn an_act_that_may_have_had_no_effect_says_so() {
    let folder = folder_of(|builder| {
        builder.begin_step(0, 1).ask(1, 1, "act").reply(1, 1, |_| {}).act();
        if let Fact::ToolEnd(end) = &mut builder.events.last_mut().unwrap().entry.fact {
            end.uncertain = Some("the field still shows another text".to_owned());
        }
        builder.end_step(Some(click()), None);
    });
    let call = &folder.json("tool_executions.json")[0]["calls"][0];
    assert_eq!(call["uncertain"], "the field still shows another text");
    assert_eq!((&call["success"], &call["error"]), (&true.into(), &Value::Null));
    let log = folder.text("llm_communication.log");
    assert!(log.contains("Not certain: the field still shows another text"), "{log}");
}

/// A model may be asked before the screen has settled, and the call is taken back when it moves on.
#[test]
fn a_call_that_was_taken_back_is_no_failure() {
    let folder = folder_of(|builder| {
        builder.begin_step(0, 1).ask(1, 1, "act");
        builder.failed(1, 1, "given up: the screen still moved");
        builder.ask(2, 1, "act").reply(2, 1, |_| {}).act().end_step(Some(click()), None);
        builder.begin_step(1, 3).ask(3, 1, "act");
        builder.failed(3, 1, "the screen still moved").end_step(None, Some("the phone is gone"));
        builder.begin_step(2, 4).ask(4, 1, "act");
        let gone = "given up: the screen could not be looked at: device phone-1 is not connected";
        builder.failed(4, 1, gone).end_step(None, Some("the phone is gone"));
        // Whatever its error says, such as that a password may be in the reply.
        builder.begin_step(3, 5).ask(5, 1, "act").withdrawn(5, 1, "it is not kept");
        builder.end_step(None, Some("the phone is gone")).end("DEVICE_LOST");
    });
    let stats = &folder.json("session_summary.json")["agents"]["AppAgent"];
    let counts = ["total_requests", "successful_requests", "failed_requests", "withdrawn_requests"];
    assert_eq!(counts.map(|name| stats[name].as_u64().unwrap()), [5, 1, 0, 4]);
    let log = folder.text("llm_communication.log");
    assert!(!log.lines().any(|line| line.contains("ERROR") && line.contains("came to nothing")));
}

#[test]
fn a_page_shows_of_each_prompt_what_is_new() {
    let mut record = EventBuilder::new();
    for number in 1..=3 {
        record.begin_step(number - 1, number).ask_with(number, 1, "act", |request| {
            let words = |text: &str| PartRecord::Text(text.to_owned());
            let screen = request.messages[1].parts.pop().unwrap();
            request.messages[1].parts = vec![
                PartRecord::TextBlob(blob("rules", "text/plain")),
                words(&format!("So far: {} steps.", number - 1)),
                screen,
                words("Answer in one line."),
            ];
        });
        record.reply(number, 1, |_| {}).act().end_step(Some(click()), None);
        // An answer in the user's stead is another prompt altogether.
        record.ask_with(10 + number, 1, "auto_reply", |request| {
            request.messages[1].parts = vec![PartRecord::Text("Which Anna?".to_owned())];
        });
    }
    let folder = folder(&record);
    let page = folder.text("AppAgent/AppAgent.md");
    let shown: Vec<&str> = page
        .split("### Prompt Sent\n\n> ")
        .skip(1)
        .filter_map(|it| it.split('\n').next())
        .filter(|it| !it.contains("Anna"))
        .collect();
    let later = ["So far: 1 steps.", "So far: 2 steps."];
    assert_eq!(shown, [&["So far: 0 steps. Answer in one line."][..], &later].concat());
}
