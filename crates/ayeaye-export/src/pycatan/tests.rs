use ayeaye_agent::journal::{
    EvaluationRecord, Fact, RoundEnd, SessionResume, SubScore, TokenRecord,
};
use serde_json::{Value, json};

use super::PyCatan;
use crate::testing::{EventBuilder, MemoryFolder, answer, click, question, run, tool_call};
use crate::{FileOp, Projection as _};

mod any_order;
mod calls;

fn folder(builder: &EventBuilder) -> MemoryFolder {
    let folder = MemoryFolder::of(&mut PyCatan::new(), &builder.events);
    folder.check();
    folder
}

fn folder_of(build: impl FnOnce(&mut EventBuilder)) -> MemoryFolder {
    let mut builder = EventBuilder::new();
    build(&mut builder);
    folder(&builder)
}

/// A step in which everything goes well.
fn plain(builder: &mut EventBuilder, step: u32, request: u32) {
    builder.begin_step(step, request).ask(request, 1, "act").reply(request, 1, |_| {});
    builder.act().end_step(Some(click()), None);
}

#[test]
fn a_step_that_asks_first_has_not_failed() {
    let why = "not carried out yet: the user was asked first";
    let folder = folder_of(|builder| {
        builder.begin_step(0, 1).ask(1, 1, "act").reply(1, 1, |_| {});
        builder.push(question("confirm", "Shall I pay?", "pass_to_client"));
        builder.end_step(Some(click()), Some(why));
        if let Some(Fact::StepEnd(end)) =
            builder.events.last_mut().map(|event| &mut event.entry.fact)
        {
            end.status = "CONFIRM".into();
        }
        builder.begin_step(1, 2).ask(2, 1, "act");
    });
    let log = folder.text(names_ending(&folder, "llm_communication.log"));
    assert!(log.contains(&format!("[INFO] AppAgent: {why}")) && !log.contains("[ERROR]"), "{log}");
    let prompt = folder.json(names_ending(&folder, "prompts/prompt_2.json"));
    let happened = prompt["what_happened"].as_str().unwrap();
    assert_eq!(happened, "AppAgent asked: Shall I pay?");
}

#[test]
fn what_the_phone_refused_before_it_was_asked_about_has_failed() {
    let why = "not carried out: the text was not typed; the user was asked first";
    let folder = folder_of(|builder| {
        builder.begin_step(0, 1).ask(1, 1, "act").reply(1, 1, |_| {});
        let id = builder.begin_tool("CLICK", json!({}), None);
        builder.end_tool(id, Err("no keyboard"));
        builder.end_step(Some(click()), Some(why));
        if let Some(Fact::StepEnd(end)) =
            builder.events.last_mut().map(|event| &mut event.entry.fact)
        {
            end.status = "PENDING".into();
        }
    });
    let log = folder.text(names_ending(&folder, "llm_communication.log"));
    assert!(log.contains(&format!("[ERROR] AppAgent: {why}")), "{log}");
}

fn names_ending<'a>(folder: &'a MemoryFolder, end: &str) -> &'a str {
    folder.names().into_iter().find(|name| name.ends_with(end)).unwrap()
}

#[test]
fn a_plain_request() {
    let folder = folder_of(|builder| {
        plain(builder, 0, 1);
        builder.push(Fact::RoundEnd(RoundEnd {
            status: "FINISH".into(),
            result: "Lunch is ordered.".to_owned(),
            stop_reason: Some("TASK_COMPLETED_SUCCESSFULLY".into()),
            steps: 1,
            subtask_amount: 1,
            cost_usd: 0.001,
        }));
        builder.end("TASK_COMPLETED_SUCCESSFULLY");
    });
    insta::assert_snapshot!(folder.dump());
}

#[test]
fn an_unreadable_reply_is_asked_again() {
    let folder = folder_of(|builder| {
        builder.begin_step(0, 1).ask(1, 1, "act").garbage(1, 1);
        builder.ask(1, 2, "repair").garbage(1, 2);
        builder.ask(1, 3, "repair").reply(1, 3, |_| {});
        builder.act().end_step(Some(click()), None);
    });
    assert_eq!(
        folder.names(),
        [
            "AppAgent/AppAgent.md",
            "AppAgent/prompts/iterations/prompt_1_iter2.json",
            "AppAgent/prompts/iterations/prompt_1_iter2.txt",
            "AppAgent/prompts/iterations/prompt_1_iter3.json",
            "AppAgent/prompts/iterations/prompt_1_iter3.txt",
            "AppAgent/prompts/prompt_1.json",
            "AppAgent/prompts/prompt_1.txt",
            "AppAgent/responses/intermediate/response_1_iter1.json",
            "AppAgent/responses/intermediate/response_1_iter2.json",
            "AppAgent/responses/response_1.json",
            "agent_memories.json",
            "chat_history.json",
            "llm_communication.log",
            "session_metadata.json",
            "tool_executions.json",
        ]
    );
    let answer = folder.json("AppAgent/responses/response_1.json");
    assert_eq!(answer["tokens"]["prompt"], 3000);
    assert_eq!(answer["latency_seconds"], 1.9005);
    assert_eq!(answer["calls"], 3);
    insta::assert_snapshot!(folder.dump());
}

/// The flow of the logger's own document: prompt, reply that asks for tools, their execution, prompt
/// with their results, answer.
fn tool_flow(builder: &mut EventBuilder) {
    let schema = json!([{ "name": "find_best_nodes", "description": "Finds." }]);
    let min_pips = json!({ "reasoning": "High yield...", "min_pips": 10 });
    builder.begin_step(0, 1);
    builder.ask_with(1, 1, "act", |it| it.tools_schema = Some(schema.clone()));
    builder.reply(1, 1, |it| {
        it.kind = "intermediate".into();
        it.parsed = None;
        it.raw_content = None;
        it.tool_calls = vec![
            tool_call("call_a", "find_best_nodes", min_pips.clone()),
            tool_call("call_b", "list_apps", json!({})),
        ];
    });
    let first = builder.begin_tool("find_best_nodes", min_pips.clone(), Some(1));
    let second = builder.begin_tool("list_apps", json!({}), Some(1));
    builder.end_tool(second, Err("no phone"));
    builder.end_tool(first, Ok(r#"{"nodes": [43, 7]}"#));
    builder.ask_with(1, 2, "act", |it| {
        it.tools_schema = Some(schema);
        it.tool_results = Some(json!([{ "nodes": [43, 7] }, null]));
    });
    builder.reply(1, 2, |it| {
        it.tokens =
            TokenRecord { prompt: 1366, completion: 276, thinking: 0, cached: 0, total: 1642 };
    });
    builder.act().end_step(Some(click()), None);
}

#[test]
fn the_reset_and_the_request_are_those_of_the_agent_that_begins() {
    let first = |planner: bool| {
        let folder = folder_of(|builder| {
            let Fact::SessionStart(start) = &mut builder.events[0].entry.fact else { panic!() };
            start.run.planner = planner;
            let id = builder.begin_tool("RESET", json!({}), None);
            builder.end_tool(id, Ok("home screen"));
        });
        let reset = folder.json("tool_executions.json")[0]["player_name"].clone();
        (reset, folder.json("chat_history.json")["messages"][0]["to"].clone())
    };
    assert_eq!(first(true), (json!("HostAgent"), json!("HostAgent")));
    assert_eq!(first(false), (json!("AppAgent"), json!("AppAgent")));
}

#[test]
fn tools_are_called_between_two_prompts() {
    let folder = folder_of(tool_flow);
    let names = folder.names();
    for name in [
        "AppAgent/prompts/prompt_1.json",
        "AppAgent/responses/intermediate/response_1_iter1.json",
        "tool_executions.json",
        "AppAgent/prompts/iterations/prompt_1_iter2.json",
        "AppAgent/responses/response_1.json",
    ] {
        assert!(names.contains(&name), "{name}");
    }
    let batches = folder.json("tool_executions.json");
    assert_eq!(batches.as_array().map(Vec::len), Some(2), "the tools, then the gesture");
    assert_eq!(batches[0]["calls"][0]["id"], "call_a");
    assert_eq!(batches[0]["calls"][0]["result"], json!({ "nodes": [43, 7] }));
    assert_eq!(batches[1]["tokens"]["total"], 0, "what is done to the phone is told to no model");
    let asked = folder.json("AppAgent/responses/intermediate/response_1_iter1.json");
    assert!(asked["timestamp"].as_str() <= batches[0]["timestamp"].as_str());
    // All calls of the request, and the tools.
    let tokens = &folder.json("AppAgent/responses/response_1.json")["tokens"];
    let tools = batches[0]["tokens"]["total"].as_u64().unwrap();
    assert!(tools > 0);
    assert_eq!(tokens["tools"], tools);
    assert_eq!(tokens["total"], 2366 + 336 + tools);
    let sum: u64 =
        ["prompt", "completion", "thinking"].iter().map(|it| tokens[it].as_u64().unwrap()).sum();
    assert_eq!(tokens["total"], sum + tools);
    insta::assert_snapshot!(folder.dump());
}

#[test]
fn a_failed_call_has_a_response_once_the_step_is_over() {
    let folder = folder_of(|builder| {
        builder.begin_step(0, 1).ask(1, 1, "act").failed(1, 1, "429 rate limit\nslow down");
        builder.end_step(None, Some("429 rate limit"));
        // The server dies while a call is under way, and is started again.
        builder.begin_step(1, 2).ask(2, 1, "act");
    });
    let answer = folder.json("AppAgent/responses/response_1.json");
    assert_eq!(answer["success"], false);
    assert_eq!(answer["error"], "429 rate limit\nslow down");
    assert!(!folder.names().contains(&"AppAgent/responses/response_2.json"));
    let after = folder_of(|builder| {
        builder.begin_step(0, 1).ask(1, 1, "act").failed(1, 1, "429 rate limit\nslow down");
        builder.end_step(None, Some("429 rate limit"));
        builder.begin_step(1, 2).ask(2, 1, "act");
        builder.failed(2, 1, "interrupted: the server stopped");
        builder.end_step(None, Some("interrupted"));
        builder.push(resumed());
        plain(builder, 2, 3);
        builder.end("TASK_COMPLETED_SUCCESSFULLY");
    });
    // What was there before is as it was.
    for (name, bytes) in &folder.files {
        let grows = ["agent_memories.json", "tool_executions.json"].contains(&name.as_str());
        assert!(grows || after.files[name].starts_with(bytes), "{name}");
    }
    let response = after.json("AppAgent/responses/response_2.json");
    assert_eq!(response["error"], "interrupted: the server stopped");
    let summary = after.json("session_summary.json");
    assert_eq!(summary["agents"]["AppAgent"]["total_requests"], 3);
    assert_eq!(summary["agents"]["AppAgent"]["failed_requests"], 2);
    insta::assert_snapshot!(after.dump());
}

fn resumed() -> Fact {
    Fact::SessionResume(SessionResume { why: "go_on".into(), run: run() })
}

#[test]
fn a_further_run_goes_on_at_the_next_number() {
    let mut builder = EventBuilder::new();
    plain(&mut builder, 0, 1);
    builder.end("MAX_STEPS_REACHED");
    let before = folder(&builder);
    builder.push(resumed());
    plain(&mut builder, 1, 2);
    builder.end("TASK_COMPLETED_SUCCESSFULLY");
    let after = folder(&builder);
    for name in ["prompts/prompt_1.json", "responses/response_1.json"] {
        let name = format!("AppAgent/{name}");
        assert_eq!(before.text(&name), after.text(&name));
    }
    assert!(after.text("llm_communication.log").starts_with(before.text("llm_communication.log")));
    assert_eq!(after.text("llm_communication.log").matches("CUMULATIVE COST").count(), 2);
    assert_eq!(after.json("AppAgent/prompts/prompt_2.json")["request_number"], 2);
    let tools = after.json("tool_executions.json");
    assert_eq!(tools.as_array().map(Vec::len), Some(2));
    assert_eq!(after.json("session_summary.json")["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY");
}

#[test]
fn other_purposes_are_requests_of_their_own() {
    let folder = folder_of(|builder| {
        builder.begin_step(0, 1).ask(1, 1, "act").reply(1, 1, |_| {});
        builder.push(question("info", "Which?\n哪个", "auto_reply"));
        builder.ask(2, 1, "auto_reply").reply(2, 1, |it| {
            it.parsed = None;
            it.raw_content = Some("The first.".to_owned());
        });
        builder.push(answer("auto", "The first."));
        builder.end_step(Some(click()), None);
        // Outside of a step nobody is named.
        builder.ask(1, 1, "evaluate").reply(1, 1, |it| {
            it.parsed = None;
            it.raw_content = Some(r#"{"complete": "yes"}"#.to_owned());
        });
        let verdict = EvaluationRecord {
            level: "session".into(),
            complete: "yes".into(),
            sub_scores: vec![SubScore { name: "lunch".to_owned(), evaluation: "yes".into() }],
            reason: "It is ordered.".to_owned(),
            request: "Order lunch".to_owned(),
            tokens: TokenRecord::default(),
            cost_usd: 0.0,
            cost_known: true,
            error: None,
        };
        builder.push(Fact::Evaluation(json!(verdict)));
        builder.end("TASK_COMPLETED_SUCCESSFULLY");
    });
    let asked = folder.json("AppAgent/prompts/prompt_2.json");
    assert_eq!(asked["is_active_turn"], false);
    assert_eq!(asked["what_happened"], "AppAgent asked: Which? 哪个");
    assert_eq!(folder.json("AppAgent/responses/response_2.json")["parsed"], Value::Null);
    assert_eq!(folder.json("EvaluationAgent/responses/response_1.json")["purpose"], "evaluate");
    let chat = folder.json("chat_history.json");
    assert_eq!(chat["messages"][2]["from"], "AutoReply");
    assert_eq!(folder.json("session_summary.json")["evaluation"]["complete"], "yes");
    insta::assert_snapshot!(folder.text("llm_communication.log"));
}

#[test]
fn keys_stand_in_the_order_of_the_format() {
    let folder = folder_of(tool_flow);
    let keys = |path: &str| -> Vec<String> {
        folder.json(path).as_object().unwrap().keys().cloned().collect()
    };
    let first = keys("AppAgent/prompts/prompt_1.json");
    assert_eq!(
        first[..5],
        ["request_number", "timestamp", "player_name", "is_active_turn", "prompt"]
    );
    assert_eq!(
        keys("AppAgent/prompts/iterations/prompt_1_iter2.json")[..9],
        [
            "original_request_number",
            "iteration",
            "timestamp",
            "player_name",
            "type",
            "tool_results",
            "full_context_sent",
            "tools_schema",
            "tools_enabled",
        ]
    );
    assert_eq!(
        keys("AppAgent/responses/intermediate/response_1_iter1.json")[..13],
        [
            "request_number",
            "iteration",
            "timestamp",
            "player_name",
            "type",
            "success",
            "raw_content",
            "has_tool_calls",
            "tool_calls",
            "model",
            "tokens",
            "latency_seconds",
            "error",
        ]
    );
    assert_eq!(
        keys("AppAgent/responses/response_1.json")[..11],
        [
            "request_number",
            "timestamp",
            "player_name",
            "type",
            "success",
            "raw_content",
            "parsed",
            "model",
            "tokens",
            "latency_seconds",
            "error",
        ]
    );
    let batch = &folder.json("tool_executions.json")[0];
    let batch: Vec<_> = batch.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(
        batch[..7],
        ["timestamp", "total_calls", "successful", "failed", "total_time_ms", "tokens", "calls"]
    );
}

#[test]
fn a_lost_text_does_not_stop_it() {
    let folder = folder_of(|builder| {
        builder.begin_step(0, 1).ask_with(1, 1, "act", |it| {
            it.messages[0].parts = vec![ayeaye_agent::journal::PartRecord::TextBlob(
                crate::testing::blob("lost", "text/plain"),
            )];
        });
    });
    let prompt = folder.json("AppAgent/prompts/prompt_1.json");
    assert_eq!(prompt["prompt"]["messages"][0]["content"][0]["sha256"], "lost");
}

#[test]
fn the_fixture_with_every_kind_of_event_is_projected() {
    let text = include_str!(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../ayeaye-agent/fixtures/format-1/sessions/019b7d0a-6f40-7000-8000-0000000000a1/events.jsonl"
    ));
    let events: Vec<_> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let folder = MemoryFolder::of(&mut PyCatan::new(), &events);
    folder.check();
    let prompts = folder.names().iter().filter(|it| it.contains("/prompts/prompt_")).count();
    let responses = folder.names().iter().filter(|it| it.contains("/responses/response_")).count();
    assert_eq!(prompts, 2 * responses, "every prompt has its twin and its response");
}

/// Text of what it keeps, as a measure of its size.
fn size(projection: &PyCatan) -> usize {
    format!("{projection:?}").len()
}

#[test]
fn a_late_step_costs_what_an_early_one_did() {
    let mut projection = PyCatan::new();
    let mut builder = EventBuilder::new();
    let mut seen = Vec::new();
    for step in 0..2_000 {
        plain(&mut builder, step, step + 1);
        let mut bytes = 0;
        for event in builder.events.drain(..) {
            for operation in projection.fold(&event, &crate::testing::BlobFixture) {
                bytes += match operation {
                    FileOp::Append { bytes, .. } | FileOp::Element { json: bytes, .. } => {
                        bytes.len()
                    }
                    FileOp::Write { content, .. } | FileOp::Replace { content, .. } => {
                        crate::testing::read(content).len()
                    }
                };
            }
        }
        if matches!(step, 99 | 1_999) {
            seen.push((bytes, size(&projection)));
        }
    }
    let [(early, small), (late, large)] = seen[..] else { panic!("two steps are looked at") };
    // Numbers get longer, nothing else does.
    assert!(late < early + 200, "{early} bytes at first, {late} at last");
    assert!(large < small + 200, "{small} characters at first, {large} at last");
}

#[test]
fn a_chat_keeps_its_latest_messages() {
    let mut builder = EventBuilder::new();
    for n in 0..1100 {
        builder.push(Fact::RoundStart { request: format!("request {n}") });
    }
    let chat = folder(&builder).json("chat_history.json");
    let messages = chat["messages"].as_array().unwrap();
    assert_eq!(messages.len(), 1000);
    assert_eq!(messages[999]["message"], "request 1099");
}

#[test]
fn the_folder_is_named_after_the_second_it_began_in() {
    let started = "2026-01-09T16:07:34.9Z".parse().unwrap();
    assert_eq!(PyCatan::folder(started), "session_20260109_160734");
}

#[test]
fn no_session_takes_less_than_no_time() {
    let mut builder = EventBuilder::new();
    builder.end("USER_PAUSED");
    let begun = builder.events[0].ts;
    builder.events.last_mut().unwrap().ts = begun - jiff::SignedDuration::from_hours(2);
    let summary = folder(&builder).json("session_summary.json");
    assert_eq!(summary["duration_seconds"], 0.0, "{summary}");
}
