//! Replies that are cut, contradictory, refused or no action at all.
use serde_json::json;

use super::api::Api;
use super::server::{Act, EVENTS, JSON};
use super::{Waiting, says};

#[tokio::test(flavor = "multi_thread")]
async fn a_stream_cut_anywhere_completes_nothing() {
    for api in Api::ALL {
        let stream = api.done_in_events();
        let waiting = Waiting::on(api).await;
        let mut at = 0;
        let cut = stream.clone();
        let cuts = move || {
            at = (at + 37) % (cut.len() - 24);
            Act::http("200 OK", EVENTS, &cut.as_bytes()[..at])
        };
        waiting.endpoint.now({
            let mut cuts = cuts;
            move |_| cuts()
        });
        for _ in 0..6 {
            let failed = waiting.go_on().await;
            assert_eq!(failed["stop_reason"], "MODEL_FAILED", "{api:?}: {failed}");
        }
        // The whole of it is the end.
        waiting.endpoint.now(move |_| Act::http("200 OK", EVENTS, &stream));
        let done = waiting.go_on().await;
        assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{api:?}: {done}");
        assert!(waiting.record().contains("first_token_ms"));
    }
}

/// `LiteLLM` makes up a reason where a stream of its upstream ends in order without one.
#[tokio::test(flavor = "multi_thread")]
async fn half_a_reply_that_a_gateway_calls_whole_is_not_acted_on() {
    let begin = "<THINK> It is there. </THINK>\nexplain:Go on\taction:";
    for halves in [
        ["COMPLETE\treturn:The balance is 12", "COMPLETE\treturn:The", "COMPLETE\treturn:The bal"],
        ["CLICK\tpoint:500,93", "CLICK\tpoint:500,9", "CLICK\tpoint:500,930\tsumm"],
        ["TYPE\tvalue:Pay 1000 t", "TYPE\tvalue:Pay 1", "TYPE\tvalue:Pay 1000\tpoi"],
    ] {
        let mut halves = halves.into_iter().cycle();
        let cut = move || {
            let text = [begin, halves.next().unwrap_or_default()].concat();
            let said = json!({ "choices": [{ "delta": { "content": text } }] });
            let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
            Act::http("200 OK", EVENTS, format!("data: {said}\n\ndata: {end}\n\ndata: [DONE]\n\n"))
        };
        let message = Waiting::on(Api::Chat).await.fails(cut, 3).await;
        says("3 times in a row", &message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reply_at_its_limit_of_tokens_is_not_acted_on_in_any_api() {
    for api in Api::ALL {
        let mut answer = api.says("done", &json!({ "message": "Done." }));
        match api {
            Api::Chat => answer["choices"][0]["finish_reason"] = json!("length"),
            Api::Anthropic => answer["stop_reason"] = json!("max_tokens"),
            Api::Gemini => answer["candidates"][0]["finishReason"] = json!("MAX_TOKENS"),
            Api::Responses => {
                answer["status"] = json!("incomplete");
                answer["incomplete_details"] = json!({ "reason": "max_output_tokens" });
            }
        }
        let message = Waiting::on(api).await.fails(move || Act::says(&answer), 3).await;
        says("3 times in a row; the last: it was cut off before its end", &message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_asked_again_and_told() {
    for (api, answer, part) in [
        (
            Api::Chat,
            json!({ "choices": [{ "finish_reason": "stop",
                "message": { "content": null, "refusal": "I cannot help with that." } }] }),
            "refuses to go on",
        ),
        (
            Api::Chat,
            json!({ "choices": [{ "finish_reason": "content_filter", "message": { "content": "" } }] }),
            "withheld",
        ),
        (
            Api::Anthropic,
            json!({ "type": "message", "content": [], "stop_reason": "refusal" }),
            "refuses to go on",
        ),
        (Api::Gemini, json!({ "promptFeedback": { "blockReason": "SAFETY" } }), "withheld"),
        (
            Api::Responses,
            json!({ "object": "response", "status": "completed", "output": [{ "type": "message",
                "content": [{ "type": "refusal", "refusal": "I cannot help with that." }] }] }),
            "refuses to go on",
        ),
        (
            Api::Responses,
            json!({ "object": "response", "status": "incomplete", "output": [],
                "incomplete_details": { "reason": "content_filter" } }),
            "withheld",
        ),
    ] {
        let message = Waiting::on(api).await.fails(move || Act::says(&answer), 3).await;
        says("could not be used, 3 times in a row", &message);
        says(part, &message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn thinking_alone_is_no_action() {
    for (api, answer) in [
        (
            Api::Chat,
            json!({ "choices": [{ "finish_reason": "stop",
                "message": { "content": "", "reasoning_content": "action:COMPLETE" } }] }),
        ),
        (
            Api::Anthropic,
            json!({ "type": "message", "stop_reason": "end_turn",
                "content": [{ "type": "thinking", "thinking": "I call done." }] }),
        ),
        (
            Api::Gemini,
            json!({ "candidates": [{ "finishReason": "STOP",
                "content": { "parts": [{ "text": "done()", "thought": true }] } }] }),
        ),
        (
            Api::Responses,
            json!({ "object": "response", "status": "completed", "output": [{ "type": "reasoning",
                "summary": [{ "type": "summary_text", "text": "I call done." }] }] }),
        ),
    ] {
        let message = Waiting::on(api).await.fails(move || Act::says(&answer), 3).await;
        says("reasoning and no action", &message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_of_an_end_without_its_call_complete_nothing() {
    for (api, answer) in [
        (
            Api::Anthropic,
            json!({ "type": "message", "stop_reason": "end_turn",
                "content": [{ "type": "text", "text": "Done! The task is complete." }] }),
        ),
        (
            Api::Gemini,
            json!({ "candidates": [{ "finishReason": "STOP",
                "content": { "parts": [{ "text": "The task is complete." }] } }] }),
        ),
    ] {
        let message = Waiting::on(api).await.fails(move || Act::says(&answer), 3).await;
        says("it calls no tool", &message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_calls_in_one_reply_are_refused() {
    for (api, answer) in [
        (
            Api::Anthropic,
            json!({ "type": "message", "stop_reason": "tool_use", "content": [
                { "type": "tool_use", "id": "a", "name": "press_key", "input": { "key": "back" } },
                { "type": "tool_use", "id": "b", "name": "done", "input": { "message": "ok" } } ] }),
        ),
        (
            Api::Gemini,
            json!({ "candidates": [{ "finishReason": "STOP", "content": { "parts": [
                { "functionCall": { "name": "go_back", "args": {} } },
                { "functionCall": { "name": "done", "args": { "message": "ok" } } } ] } }] }),
        ),
    ] {
        let message = Waiting::on(api).await.fails(move || Act::says(&answer), 3).await;
        says("it calls 2 tools", &message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_says_a_thing_twice_is_not_taken() {
    let whole = Api::Anthropic.says("done", &json!({ "message": "Done." })).to_string();
    let twice = whole.replace("\"input\":{", "\"input\":{\"message\":\"other\",");
    assert_ne!(whole, twice);
    let act = move || Act::http("200 OK", JSON, &twice);
    says("two ways", &Waiting::on(Api::Anthropic).await.fails(act, 2).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_its_maker_wants_leave_for_is_asked_and_done_once() {
    let api = Api::Gemini;
    let waiting = Waiting::on(api).await;
    let risky = json!({
        "x": 500, "y": 300, "safety_decision":
            { "decision": "require_confirmation", "explanation": "This sends a message." },
    });
    waiting.endpoint.now(move |_| Act::says(&api.says("click", &risky)));
    let asked = waiting.go_on().await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    assert_eq!(asked["question"]["kind"], "confirm", "{asked}");
    says("This sends a message.", asked["question"]["text"].as_str().unwrap());
    let taps = || waiting.rig.virtual_phone.phone().state().counts.taps;
    assert_eq!(taps(), 0, "not before the user has said yes");
    let risky = waiting.endpoint.seen().len();
    assert_eq!(risky, 1);
    let mut first = true;
    waiting.endpoint.now(move |_| {
        if std::mem::take(&mut first) {
            let again = json!({ "x": 500, "y": 300, "safety_decision":
                { "decision": "require_confirmation", "explanation": "This sends a message." } });
            return Act::says(&api.says("click", &again));
        }
        api.done()
    });
    let done = waiting.go_on().await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    assert_eq!(taps(), 1);
    let told = waiting.endpoint.seen().pop().unwrap().body.to_string();
    assert!(told.contains("safety_acknowledgement"), "{told}");
}
