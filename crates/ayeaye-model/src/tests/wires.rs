//! What differs from API to API: addresses, keys, streams, refusals, and what is left out.
use ayeaye_agent::ToolCall;
use serde_json::Value;

use super::*;
use crate::Profile;

/// A family of each API, and a model of it.
pub(super) fn all() -> [(Profile, &'static str); 4] {
    let gpt = "gpt-computer".parse().expect("a family");
    [
        (Profile::GELAB, "gelab-fake"),
        (Profile::CLAUDE, "claude-fake"),
        (Profile::GEMINI, "gemini-fake"),
        (gpt, "gpt-fake"),
    ]
}

pub(super) fn of(fake: &Fake, profile: Profile, name: &str) -> RemoteModel {
    let config = ModelConfig { profile: Some(profile), name: name.to_owned(), ..config(fake) };
    RemoteModel::new(config).expect("the settings are right")
}

/// A reply that ends the task, in events of the family's API; without the last so many of them.
pub(super) fn stream(profile: Profile, without: usize) -> String {
    let events = match profile.name() {
        "claude" => vec![
            json!({"type": "message_start", "message": {"model": "claude-fake", "usage": {"input_tokens": 7}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Seen."}}),
            json!({"type": "content_block_stop", "index": 0}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "done", "input": {}}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": "{\"message\":\"ok\"}"}}),
            json!({"type": "content_block_stop", "index": 1}),
            json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 2}}),
        ],
        "gemini" => vec![
            json!({"candidates": [{"content": {"parts": [{"text": "Seen."}]}}]}),
            json!({"candidates": [{"content": {"parts": [{"functionCall": {"name": "done", "args": {"message": "ok"}}}]}}]}),
            json!({"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}],
                "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 2}, "modelVersion": "gemini-fake"}),
        ],
        "gpt-computer" => {
            let call = json!({"type": "function_call", "id": "f", "call_id": "c", "status": "completed",
                "name": "done", "arguments": "{\"message\":\"ok\"}"});
            let usage = json!({"input_tokens": 7, "output_tokens": 2});
            let whole = json!({"status": "completed", "model": "gpt-fake", "output": [call], "usage": usage});
            vec![
                json!({"type": "response.created", "response": {"status": "in_progress", "output": []}}),
                json!({"type": "response.output_text.delta", "output_index": 0, "delta": "Seen."}),
                json!({"type": "response.output_item.done", "output_index": 1, "item": call}),
                json!({"type": "response.completed", "response": whole}),
            ]
        }
        _ => vec![
            json!({"choices": [{"delta": {"content": "explain:Seen.\taction:COMPLETE\treturn:ok\tsummary:s"}}]}),
            json!({"choices": [{"delta": {}, "finish_reason": "stop"}],
                "usage": {"prompt_tokens": 7, "completion_tokens": 2}}),
        ],
    };
    let kept = events.len() - without;
    let line = |event: Value| ["data: ".to_owned(), event.to_string(), "\n\n".to_owned()];
    events.into_iter().take(kept).flat_map(line).collect()
}

#[tokio::test]
async fn every_api_is_asked_at_its_address_with_its_key_and_streams() {
    for ((profile, name), (line, key)) in all().into_iter().zip([
        ("post /v1/chat/completions http/1.1", format!("authorization: bearer {KEY}\r\n")),
        ("post /v1/messages http/1.1", format!("x-api-key: {KEY}\r\n")),
        (
            "post /v1beta/models/gemini-fake:streamgeneratecontent?alt=sse http/1.1",
            format!("x-goog-api-key: {KEY}\r\n"),
        ),
        ("post /v1/responses http/1.1", format!("authorization: bearer {KEY}\r\n")),
    ]) {
        let fake = Fake::start(vec![http("200 OK", EVENTS, stream(profile, 0))]).await;
        let model = of(&fake, profile, name);
        let reply = model.call(&prompt(), LIMIT).await.unwrap();
        let decision = model.read(&reply, SENT).unwrap();
        assert_eq!(decision.action, Action::Complete { message: "ok".to_owned() }, "{profile}");
        assert!(reply.first_token.is_some(), "{profile}");
        assert_eq!((reply.tokens.prompt, reply.tokens.completion), (7, 2), "{profile}");
        let [request] = &fake.seen()[..] else { panic!("one request") };
        assert!(request.head.starts_with(line), "{}", request.head);
        assert!(request.head.contains(&key), "{}", request.head);
        // Servers with Anthropic's API beside others, as vLLM, know the key by another header than Anthropic.
        let headers = if profile == Profile::CLAUDE { 2 } else { 1 };
        assert_eq!(request.head.matches(KEY).count(), headers, "{}", request.head);
        let bearer = request.head.contains(&format!("authorization: bearer {KEY}\r\n"));
        assert_eq!(bearer, profile != Profile::GEMINI, "{}", request.head);
        assert!(!request.body.to_string().contains(KEY));
    }
}

/// All texts in a body, as an endpoint reads them.
fn strings(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) => vec![text],
        Value::Array(list) => list.iter().flat_map(strings).collect(),
        Value::Object(map) => map.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

#[tokio::test]
async fn a_task_reaches_every_family_character_by_character() {
    const TASK: &str = "Write \"it's\"\nto C:\\new\\table <x> &\t&amp; „so“";
    for profile in Profile::ALL {
        let fake = Fake::start(vec![http("400 Bad Request", JSON, "{}")]).await;
        let model = of(&fake, *profile, "m");
        let picture = Picture {
            bytes: Bytes::from_static(&[0xff, 0xd8, 0xff]),
            media_type: "image/jpeg",
            size: ScreenSize { width: 1, height: 1 },
        };
        let sent = model.prompt(&ayeaye_agent::StepInput {
            history: &[ayeaye_agent::HistoryItem::Request(TASK.to_owned())],
            ..ayeaye_agent::StepInput::of(TASK, &picture)
        });
        model.call(&sent, LIMIT).await.unwrap_err();
        let seen = fake.seen();
        let body = &seen.first().expect("a request").body;
        assert!(strings(body).iter().any(|text| text.contains(TASK)), "{profile}: {body}");
    }
}

/// Such as `CONTINUATION` and `MODEL_ARMOR` of Gemini's, or one that comes next year.
#[tokio::test]
async fn a_reply_of_a_makers_api_is_read_only_where_it_has_ended_as_whole_ones_do() {
    for (profile, name) in all() {
        let whole = stream(profile, 0);
        let odd = match profile.name() {
            "claude" => {
                whole.replace(r#""stop_reason":"tool_use""#, r#""stop_reason":"compaction""#)
            }
            "gemini" => whole.replace("STOP", "CONTINUATION"),
            "gpt-computer" => whole.replace(
                r#""response.completed","response":{"status":"completed""#,
                r#""response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"steered"}"#,
            ),
            // A host's own word for the end of a chat.
            _ => whole.replace("\"stop\"", "\"eos\""),
        };
        assert_ne!(odd, whole, "{profile}: {whole}");
        let fake = Fake::start(vec![http("200 OK", EVENTS, odd)]).await;
        let model = of(&fake, profile, name);
        let reply = model.call(&prompt(), LIMIT).await.unwrap();
        let read = model.read(&reply, SENT);
        let is_chat = profile == Profile::GELAB;
        assert_eq!(read.is_ok(), is_chat, "{profile}: {read:?}");
        let why = read.err().map(|err| err.to_string()).unwrap_or_default();
        assert!(is_chat || why.contains("no end of a whole reply"), "{profile}: {why}");
    }
}

#[tokio::test]
async fn a_stream_that_ends_early_is_cut_in_every_api() {
    for (profile, name) in all() {
        let fake = Fake::start(vec![http("200 OK", EVENTS, stream(profile, 1))]).await;
        let model = of(&fake, profile, name);
        let reply = model.call(&prompt(), LIMIT).await.unwrap();
        let why = model.read(&reply, SENT).unwrap_err().to_string();
        assert!(why.contains("cut off"), "{profile}: {why}");
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_by_any_api() {
    for (profile, name) in all() {
        let other = Fake::start(vec![says(BACK)]).await;
        let location = format!("location: {}/v1\r\n", other.url());
        let fake = Fake::start(vec![http("307 Temporary Redirect", &location, "")]).await;
        let error = of(&fake, profile, name).call(&prompt(), LIMIT).await.unwrap_err();
        assert!(error.message.contains("not followed"), "{}", error.message);
        assert!(other.seen().is_empty() && fake.seen().len() == 1, "{profile}");
    }
}

#[tokio::test]
async fn what_is_refused_withheld_or_broken_off_is_not_read() {
    let anthropic = |reason: &str, content: serde_json::Value| json!({"type": "message", "content": content, "stop_reason": reason});
    let gemini = |reason: &str| {
        let done = json!({"functionCall": {"name": "done", "args": {"message": "ok"}}});
        json!({"candidates": [{"content": {"parts": [done]}, "finishReason": reason}]})
    };
    let done = json!([{"type": "tool_use", "id": "t", "name": "done", "input": {"message": "ok"}}]);
    let thinking = json!([{"type": "thinking", "thinking": "done(ok)"}]);
    let responses = |status: &str, reason: Value| {
        let call = json!({"type": "function_call", "call_id": "c", "name": "done", "arguments": "{\"message\":\"ok\"}"});
        json!({"output": [call], "status": status, "incomplete_details": {"reason": reason}})
    };
    for (at, said, part) in [
        (1, anthropic("refusal", json!([])), "refuses"),
        (1, anthropic("max_tokens", done.clone()), "cut off"),
        (1, anthropic("model_context_window_exceeded", done.clone()), "cut off"),
        (1, anthropic("pause_turn", done.clone()), "middle of its turn"),
        (1, anthropic("end_turn", thinking), "reasoning and no action"),
        (1, anthropic("end_turn", json!([])), "empty"),
        (1, json!({"type": "message", "content": done}), "cut off"),
        (2, gemini("SAFETY"), "withheld"),
        (2, gemini("MAX_TOKENS"), "cut off"),
        (2, gemini("PROHIBITED_CONTENT"), "withheld"),
        (2, gemini("MALFORMED_FUNCTION_CALL"), "malformed"),
        (2, gemini("OTHER"), "broke it off"),
        (2, json!({"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}), "withheld"),
        (3, responses("incomplete", json!("max_output_tokens")), "cut off"),
        (3, responses("incomplete", json!("content_filter")), "withheld"),
        (3, responses("in_progress", Value::Null), "cut off"),
        (3, responses("failed", Value::Null), "broke it off"),
        (3, json!({"output": [], "status": "completed"}), "empty"),
    ] {
        let (profile, name) = all()[at];
        let fake = Fake::start(vec![http("200 OK", JSON, said.to_string())]).await;
        let model = of(&fake, profile, name);
        let reply = model.call(&prompt(), LIMIT).await.unwrap();
        let why = model.read(&reply, SENT).unwrap_err().to_string();
        assert!(why.contains(part), "{said}: {why}");
    }
}

#[tokio::test]
async fn an_answer_that_failed_before_it_said_anything_is_no_reply() {
    let chat = |reason: &str, rest: Value| {
        let mut choice =
            json!({"message": {"role": "assistant", "content": ""}, "finish_reason": reason});
        choice.as_object_mut().unwrap().extend(rest.as_object().cloned().unwrap_or_default());
        json!({ "choices": [choice] }).to_string()
    };
    let limited = json!({"error": {"code": 429, "message": "Provider rate limited"}});
    let streamed =
        json!({"choices": [{"delta": {}, "finish_reason": "error", "error": limited["error"]}]});
    let failed = json!({"type": "response.failed", "response": {"status": "failed"}});
    for (at, headers, body, part) in [
        (0, JSON, chat("error", limited), "429 Too Many Requests (“Provider rate limited”)"),
        (0, EVENTS, format!("data: {streamed}\n\n"), "“Provider rate limited”"),
        (0, JSON, chat("network_error", Value::Null), "finish reason “network_error”"),
        (0, JSON, chat("insufficient_system_resource", Value::Null), "fault is on its side"),
        (0, JSON, chat("abort", Value::Null), "broke off its answer"),
        (0, JSON, chat("timeout", Value::Null), "broke off its answer"),
        (3, JSON, json!({"output": [], "status": "failed"}).to_string(), "“failed”"),
        (3, EVENTS, format!("data: {failed}\n\n"), "“failed”"),
    ] {
        let (profile, name) = all()[at];
        let fake = Fake::start(vec![http("200 OK", headers, &body)]).await;
        let error = of(&fake, profile, name).call(&prompt(), LIMIT).await.unwrap_err();
        assert_eq!((fake.seen().len(), error.retries[0].taken), (5, false), "{body}");
        assert!(error.message.contains(part), "{}", error.message);
    }
}

#[tokio::test]
async fn errors_of_every_api_are_what_they_say() {
    let overloaded =
        json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    let wrong_key = json!({"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}});
    for (at, answer, tries, part) in [
        (1, http("529 ", JSON, overloaded.to_string()), 5, "Overloaded"),
        (1, http("200 OK", EVENTS, format!("event: error\ndata: {overloaded}\n\n")), 5, "529"),
        (2, http("400 Bad Request", JSON, wrong_key.to_string()), 1, "set AYEAYE_MODEL_API_KEY"),
        (1, http("200 OK", JSON, json!({"choices": []}).to_string()), 2, "Anthropic's API"),
        (2, http("200 OK", JSON, json!({"choices": []}).to_string()), 2, "`candidates`"),
        (3, http("200 OK", JSON, json!({"choices": []}).to_string()), 2, "`output`"),
    ] {
        let (profile, name) = all()[at];
        let fake = Fake::start(vec![answer]).await;
        let error = of(&fake, profile, name).call(&prompt(), LIMIT).await.unwrap_err();
        assert_eq!(fake.seen().len(), tries, "{}", error.message);
        assert!(error.message.contains(part), "{}", error.message);
    }
}

/// Asks twice; with what stood in each request.
async fn refused_once(answer: &str, prompt: &Prompt) -> (Vec<Value>, ModelError) {
    let refusal = http("400 Bad Request", JSON, json!({"error": {"message": answer}}).to_string());
    let end = http("401 Unauthorized", JSON, "{}");
    let fake = Fake::start(vec![refusal, says(BACK), says(BACK), end]).await;
    let model = RemoteModel::new(ModelConfig {
        retries: RetryPolicy { attempts: 1, ..config(&fake).retries },
        ..config(&fake)
    })
    .expect("the settings are right");
    for _ in 0..2 {
        let reply = model.call(prompt, LIMIT).await.expect("it is asked in another way");
        assert_eq!(reply.text, BACK);
    }
    let error = model.call(prompt, LIMIT).await.unwrap_err();
    (fake.seen().into_iter().map(|request| request.body).collect(), error)
}

#[tokio::test]
async fn past_calls_are_told_in_words_where_their_thinking_is_asked_for() {
    let said = "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.";
    let refusal =
        json!({"type": "error", "error": {"type": "invalid_request_error", "message": said}});
    let refusal = http("400 Bad Request", JSON, refusal.to_string());
    let whole = http("200 OK", EVENTS, stream(Profile::CLAUDE, 0));
    let fake = Fake::start(vec![refusal, whole.clone(), whole]).await;
    let model = of(&fake, Profile::CLAUDE, "claude-fake");
    let call =
        ToolCall { id: "c1".to_owned(), name: "open_app".to_owned(), arguments: "{}".to_owned() };
    let mut prompt = prompt();
    prompt.messages.push(Message { role: Role::Assistant, parts: vec![Part::Call(call)] });
    for _ in 0..2 {
        model.call(&prompt, LIMIT).await.unwrap();
    }
    let seen = fake.seen();
    let has_calls = seen.iter().map(|request| request.body.to_string().contains("tool_use"));
    assert_eq!(has_calls.collect::<Vec<_>>(), [true, false, false]);
}

#[tokio::test]
async fn what_an_endpoint_does_not_take_is_left_out_from_then_on() {
    let mut all = prompt();
    all.schema = Some(json!({"type": "object"}));
    all.tools = vec![json!({"type": "function", "function": {"name": "tap"}})];
    for (said, left_out, instead) in [
        (
            "Unsupported value: 'temperature' does not support 0.1 with this model.",
            "temperature",
            None,
        ),
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_tokens",
            Some("max_completion_tokens"),
        ),
        ("response_format is not supported", "response_format", None),
        ("this model does not support tools", "tools", None),
        ("unknown field stream_options", "stream_options", None),
    ] {
        let (seen, _) = refused_once(said, &all).await;
        let there: Vec<bool> = seen.iter().map(|body| body.get(left_out).is_some()).collect();
        assert_eq!(there, [true, false, false, false], "{left_out}");
        if let Some(instead) = instead {
            assert!(seen[1].get(instead).is_some());
        }
    }
}

#[tokio::test]
async fn a_refusal_that_nothing_can_be_left_out_for_ends_it() {
    let said = json!({"error": {"message": "temperature is not supported"}}).to_string();
    let fake = Fake::start(vec![http("400 Bad Request", JSON, said)]).await;
    let error = model(&fake).call(&prompt(), LIMIT).await.unwrap_err();
    assert_eq!(fake.seen().len(), 2, "without it, and no more: {}", error.message);
}

#[tokio::test]
async fn the_record_says_what_is_really_sent() {
    let said = json!({"error": {"message": "temperature is not supported"}}).to_string();
    let fake = Fake::start(vec![http("400 Bad Request", JSON, said), says(BACK)]).await;
    let model = model(&fake);
    assert!(model.params().contains_key("temperature"));
    model.call(&prompt(), LIMIT).await.unwrap();
    let params = model.params();
    assert!(!params.contains_key("temperature") && params.contains_key("max_tokens"));
}

#[tokio::test]
async fn no_setting_makes_a_picture_larger_than_an_api_takes() {
    let fake = Fake::start(vec![says(BACK)]).await;
    let config = ModelConfig {
        profile: Some(Profile::CLAUDE),
        max_pixels: Some(9_000_000),
        ..config(&fake)
    };
    let size = ScreenSize { width: 1080, height: 2400 };
    let rgba = vec![0; (size.width * size.height * 4) as usize];
    let frame = ayeaye_agent::Frame::new(size, Bytes::from(rgba)).unwrap();
    let picture = RemoteModel::new(config).unwrap().picture(&frame);
    assert_eq!(picture.size, ScreenSize { width: 576, height: 1280 });
}

#[tokio::test]
async fn a_prompt_that_is_too_long_is_shortened_once() {
    let long = || {
        let mut prompt = prompt();
        for _ in 0..8 {
            prompt.messages.push(Message::text(Role::Assistant, "I tap."));
            prompt.messages.extend(super::prompt().messages);
        }
        prompt
    };
    let refusal =
        || http("400 Bad Request", JSON, "{\"message\":\"maximum context length is 4096\"}");
    let fake = Fake::start(vec![refusal(), says(BACK)]).await;
    let reply = model(&fake).call(&long(), LIMIT).await.unwrap();
    assert_eq!(reply.retries.len(), 1);
    let lengths: Vec<usize> =
        fake.seen().iter().map(|it| it.body["messages"].as_array().unwrap().len()).collect();
    assert_eq!(lengths, [17, 9]);
    assert_eq!(fake.seen()[1].body.to_string().matches("data:image").count(), 1);
    // No more than once.
    let fake = Fake::start(vec![refusal()]).await;
    let error = model(&fake).call(&long(), LIMIT).await.unwrap_err();
    assert_eq!(fake.seen().len(), 2);
    assert!(error.message.contains("longer than the model's context"), "{}", error.message);
}

#[tokio::test]
async fn another_model_than_asked_for_is_told_and_not_fatal() {
    let reply = replied(vec![says(BACK)]).await;
    assert_eq!(reply.model, "fake-1", "asked for gelab-fake");
}

#[tokio::test]
async fn an_answer_that_says_a_thing_twice_is_not_taken() {
    let twice = r#"{"choices":[{"message":{"content":"a"},"message":{"content":"b"}}]}"#;
    let (error, seen) = failed(vec![http("200 OK", JSON, twice)]).await;
    assert_eq!(seen, 2);
    assert!(error.message.contains("two ways"), "{}", error.message);
}

#[tokio::test]
async fn an_endpoint_that_cannot_be_found_or_trusted_says_so() {
    let fake = Fake::start(vec![says(BACK)]).await;
    let port = fake.url().rsplit(':').next().unwrap().to_owned();
    for (url, part) in [
        // Nobody there speaks TLS.
        (format!("https://127.0.0.1:{port}"), "cannot be reached"),
        ("http://no-such-host.invalid".to_owned(), "cannot be reached"),
    ] {
        let config = ModelConfig {
            endpoint: Endpoint::parse(&url).unwrap(),
            retries: RetryPolicy { attempts: 2, ..config(&fake).retries },
            ..config(&fake)
        };
        let model = match RemoteModel::new(config) {
            Ok(model) => model,
            // A machine without certificates cannot speak TLS at all, and says so.
            Err(error) => {
                assert!(matches!(error, ConfigError::Tls(_)), "{error}");
                continue;
            }
        };
        let error = model.call(&prompt(), LIMIT).await.unwrap_err();
        assert!(error.message.contains(part), "{}", error.message);
        // A resolver may also not answer.
        let is_unknown = error.message.contains("no machine has this name");
        assert_eq!(error.retries.len(), if is_unknown { 1 } else { 2 });
        assert!(!format!("{error:?}").contains(KEY));
    }
    assert!(fake.seen().is_empty(), "no key went over without encryption");
}
