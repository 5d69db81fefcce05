use proptest::prelude::*;
use serde_json::json;

use super::super::error::Recovery;
use super::super::wire::api;
use super::*;
use crate::profile::Wire;

fn decoder(content_type: &str, pieces: &[&[u8]]) -> Result<Completion, AttemptError> {
    take(Wire::Chat, content_type, pieces)
}

fn take(wire: Wire, content_type: &str, pieces: &[&[u8]]) -> Result<Completion, AttemptError> {
    let limits = Limits { body: 4000, reply: 1000, ..Limits::DEFAULT };
    let mut decoder = ResponseDecoder::new(api(wire), limits, content_type);
    for piece in pieces {
        decoder.push(piece)?;
    }
    decoder.finish()
}

const STREAM: &str = ": keep-alive\n\n\
    data: {\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"想\"}}]}\n\n\
    event: message\ndata: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"你\"}}]}\r\n\r\n\
    data:{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"好\"},\"finish_reason\":null}]}\n\
    data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n\
    data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":2}}\n\n\
    data: [DONE]\n\n";

#[test]
fn a_stream_is_put_together() {
    let answer = decoder("text/event-stream", &[STREAM.as_bytes()]).unwrap();
    assert_eq!((answer.text.as_str(), answer.reasoning.as_str()), ("你好", "想"));
    assert_eq!(answer.finish_reason.as_deref(), Some("stop"));
    assert_eq!((answer.tokens.prompt, answer.tokens.completion), (7, 2));
    let bytes: Vec<&[u8]> = STREAM.as_bytes().chunks(1).collect();
    assert_eq!(decoder("application/json", &bytes).unwrap(), answer, "byte by byte");
}

#[test]
fn a_stream_of_another_api_is_told_as_that() {
    let anthropic = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{}}\n\n\
        data: {\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n\
        data: {\"type\":\"message_stop\"}\n\n";
    let error = decoder("text/event-stream", &[anthropic.as_bytes()]).unwrap_err();
    let message = error.message(str::to_owned);
    assert!(error.is_of_other_api && message.contains("events hold no `choices`"), "{message}");
    let error = take(Wire::Anthropic, "text/event-stream", &[STREAM.as_bytes()]).unwrap_err();
    assert!(error.is_of_other_api, "{}", error.message(str::to_owned));
    // Of this one, though there is nothing in it.
    let empty = "data: {\"choices\":[],\"usage\":{}}\n\ndata: [DONE]\n\n";
    assert!(decoder("text/event-stream", &[empty.as_bytes()]).is_ok());
}

#[test]
fn a_stream_that_does_not_end_is_cut_or_an_error_and_never_whole() {
    let whole = decoder("text/event-stream", &[STREAM.as_bytes()]).unwrap();
    let end = STREAM.find("\"finish_reason\":\"stop\"").unwrap();
    for at in 0..end {
        match decoder("text/event-stream", &[&STREAM.as_bytes()[..at]]) {
            Ok(answer) => assert_eq!(answer.finish_reason.as_deref(), Some(TRUNCATED), "{at}"),
            Err(error) => {
                assert_ne!(error.recovery, Recovery::GiveUp, "{}", error.message(str::to_owned));
            }
        }
    }
    // `[DONE]` alone ends it too, for endpoints that give no reason.
    let plain = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: [DONE]";
    assert_eq!(decoder("", &[plain.as_bytes()]).unwrap().finish_reason, None);
    assert_eq!(whole.text, "你好");
}

#[test]
fn where_an_endpoint_gives_reasons_an_end_without_one_is_a_cut() {
    let piece = |rest: &str| {
        format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"a\"}}{rest}}}]}}\n\n")
    };
    let open = piece(",\"finish_reason\":null");
    let stop = piece(",\"finish_reason\":\"stop\"");
    for (pieces, reason) in [
        (vec![piece("")], None),
        (vec![open.clone()], Some(DONE_WITHOUT_REASON)),
        (vec![open.clone(), piece("")], Some(DONE_WITHOUT_REASON)),
        (vec![piece(",\"finish_reason\":\"\"")], Some(DONE_WITHOUT_REASON)),
        // As DashScope's own API has it.
        (vec![piece(",\"finish_reason\":\"null\"")], Some(DONE_WITHOUT_REASON)),
        (vec![open.clone(), stop.clone()], Some("stop")),
        // A reason in front of the reply is none for what comes behind it.
        (vec![stop.clone(), open.clone()], Some(DONE_WITHOUT_REASON)),
        (vec![stop.clone(), open, stop.clone()], Some("stop")),
        (vec![stop, piece("")], Some(DONE_WITHOUT_REASON)),
    ] {
        // As a relay ends it, whatever has become of the stream that it relays.
        let stream = format!("{}data: [DONE]\n\n", pieces.concat());
        let answer = decoder("text/event-stream", &[stream.as_bytes()]).unwrap();
        assert_eq!(answer.finish_reason.as_deref(), reason, "{stream}");
    }
    // Gemini's API has no place for one in pieces that do not end it.
    let piece = |text: &str, rest: &str| {
        let content = format!("{{\"parts\":[{{\"text\":\"{text}\"}}]}}");
        format!("data: {{\"candidates\":[{{\"content\":{content}{rest}}}]}}\n\n")
    };
    let stop = ",\"finishReason\":\"STOP\"";
    for (pieces, reason) in [
        ([piece("", stop), piece("a", "")], TRUNCATED),
        ([piece("a", ""), piece("b", stop)], "STOP"),
    ] {
        let stream = pieces.concat();
        let answer = take(Wire::Gemini, "text/event-stream", &[stream.as_bytes()]).unwrap();
        assert_eq!(answer.finish_reason.as_deref(), Some(reason), "{stream}");
    }
}

#[test]
fn a_reply_is_whole_by_a_reason_that_comes_behind_what_it_says() {
    let call = "{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"done\",\"arguments\":\"{}\"}}]}";
    let (text, thought, empty) =
        ("{\"content\":\"a\"}", "{\"reasoning\":\"a\"}", "{\"content\":\"\"}");
    let (open, stop) = ("null", "\"stop\"");
    for (pieces, is_whole) in [
        (vec![(text, open)], false),
        (vec![(text, open), (empty, stop)], true),
        (vec![(text, open), (text, stop)], true),
        (vec![(call, open), (empty, stop)], true),
        (vec![(text, open), (empty, stop), (empty, stop)], true),
        // Gemini's API may begin so while the model reasons.
        (vec![(empty, stop)], false),
        (vec![(empty, stop), (empty, stop)], false),
        (vec![(empty, stop), (text, open)], false),
        (vec![(thought, open), (empty, stop)], false),
        // Translators of it may give a reason with every piece.
        (vec![(text, stop)], false),
        (vec![(text, stop), (text, stop)], false),
        (vec![(thought, stop), (text, stop)], false),
    ] {
        let mut decoder = ResponseDecoder::new(api(Wire::Chat), Limits::DEFAULT, "");
        for (delta, reason) in &pieces {
            let choice = format!("{{\"delta\":{delta},\"finish_reason\":{reason}}}");
            let event = format!("data: {{\"choices\":[{choice}]}}\n\n");
            assert!(!decoder.push(event.as_bytes()).unwrap());
        }
        assert_eq!(decoder.is_whole(), is_whole, "{pieces:?}");
        // Counts of tokens come behind the end alone, if they come in a piece of their own.
        let has_ended = pieces.last().is_some_and(|(_, reason)| *reason == stop);
        let is_said = pieces.iter().any(|(delta, _)| ![empty, thought].contains(delta));
        let counts = "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9}}\n\n";
        assert!(!decoder.push(counts.as_bytes()).unwrap());
        assert_eq!(decoder.is_whole(), has_ended && is_said, "{pieces:?}");
    }
}

/// A call of a tool in each wire's events, and where its end begins.
const CALLS: [(Wire, &str, &str); 4] = [
    (
        Wire::Chat,
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"done\",\"arguments\":\"\"}}]}}]}\n\n\
         data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"message\\\":\\\"ok\\\"}\"}}]}}]}\n\n\
         data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n",
        "\"finish_reason\":\"tool_calls\"",
    ),
    (
        Wire::Anthropic,
        "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"c\"}}\n\n\
         event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"done\",\"input\":{}}}\n\n\
         data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"message\\\":\\\"ok\\\"}\"}}\n\n\
         data: {\"type\":\"content_block_stop\",\"index\":0}\n\n\
         data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\n\
         data: {\"type\":\"message_stop\"}\n\n",
        "\"stop_reason\":\"tool_use\"",
    ),
    (
        Wire::Gemini,
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"so\",\"thought\":true}]}}]}\n\n\
         data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"done\",\"args\":{\"message\":\"ok\"}}}]}}]}\n\n\
         data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\"}]},\"finishReason\":\"STOP\"}]}\n\n",
        "\"finishReason\":\"STOP\"",
    ),
    (
        Wire::Responses,
        "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\",\"error\":null}}\n\n\
         data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"done\",\"arguments\":\"{\\\"message\\\":\\\"ok\\\"}\"}}\n\n\
         data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"error\":null}}\n\n",
        "\"response\":{\"status\":\"completed\"",
    ),
];

#[test]
fn a_streamed_call_cut_at_any_byte_is_no_whole_answer_in_any_wire() {
    for (wire, stream, end) in CALLS {
        let mut whole = take(wire, "text/event-stream", &[stream.as_bytes()]).unwrap();
        let calls = whole.take_tool_calls();
        assert_eq!(
            (calls[0].name.as_str(), calls[0].arguments.as_str()),
            ("done", "{\"message\":\"ok\"}")
        );
        assert_ne!(whole.finish_reason.as_deref(), Some(TRUNCATED), "{wire:?}");
        for at in 0..stream.find(end).unwrap() {
            match take(wire, "text/event-stream", &[&stream.as_bytes()[..at]]) {
                Ok(answer) => {
                    assert_eq!(answer.finish_reason.as_deref(), Some(TRUNCATED), "{wire:?} {at}");
                }
                Err(error) => {
                    assert_ne!(
                        error.recovery,
                        Recovery::GiveUp,
                        "{}",
                        error.message(str::to_owned)
                    );
                }
            }
        }
        let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
        let mut apart = take(wire, "", &bytes).unwrap();
        assert_eq!(apart.take_tool_calls(), calls, "{wire:?}: byte by byte");
    }
}

#[test]
fn the_bytes_tell_more_than_the_header() {
    let json = br#"{"choices":[{"message":{"content":"a"},"finish_reason":"stop"}]}"#;
    for content_type in ["text/event-stream", "text/html", "application/json; charset=utf-8", ""] {
        assert_eq!(decoder(content_type, &[b"\n ", json]).unwrap().text, "a", "{content_type}");
    }
}

#[test]
fn what_is_no_answer_says_what_it_is() {
    for (body, part) in [
        ("", "nothing at all"),
        (" \n", "nothing at all"),
        ("<!DOCTYPE html>", "a web page (“<!DOCTYPE html>”)"),
        (
            "<html><head><title class=\"a\"> Sign in\n to\u{1b}[1m it </title>",
            "a web page (“Sign in to [1m it”)",
        ),
        ("<html><title></title><h1>It works</h1>", "(“<html><title></title><h1>It works</h1>”)"),
        ("{\"id\":1,\"content\":\"TYPE hunter2\"}", "holds no `choices` (“it has: id, content”)"),
        ("[]", "holds no `choices`: the base URL"),
        ("Hello", "text/plain that is no JSON (“Hello”)"),
        ("data: [DONE]\n\n", "says nothing"),
        ("data: {\"choices\"\n\n", "broken JSON"),
        ("data: {\"error\":{\"message\":\"gone\",\"code\":500}}\n\n", "“gone”"),
        (
            "error: {\"code\":400,\"message\":\"gone\"}\n\ndata: [DONE]\n\n",
            "400 Bad Request (“gone”)",
        ),
        ("error: gone\n", "“gone”"),
        (
            "event: error\ndata: {\"code\":\"InternalError\",\"message\":\"gone\"}\n\n",
            "reported an error in its answer (“gone [InternalError]”)",
        ),
        ("event:error\ndata:{\"message\":\"gone\"}\n\n", "its answer (“gone”)"),
        ("event: error\ndata: the upstream is gone\n\n", "its answer (“the upstream is gone”)"),
        ("event: error\ndata: [upstream] gone\n\n", "its answer (“[upstream] gone”)"),
        ("event: error\ndata: {gone\ndata: away", "its answer (“{gone"),
        // Of `transformers serve`.
        (
            "data: {\"error\": \"json parser could not parse region as JSON.\nContent: '\\n{\"name\": \"tap\"}'\n\
             Error: Expecting ':' delimiter\"}\n\n",
            "its answer (“json parser could not parse region as JSON. Content: '\\n{\"name\": \"tap\"}' Error: Expecting \
             ':' delimiter”)",
        ),
        ("data: {\"error\": \"gone", "its answer (“gone”)"),
        // What follows may be a reply.
        (
            "data: {\"error\":null,\"choices\":[{\"delta\":{\"content\":\"hunter2",
            "broken JSON in it",
        ),
        ("data: {\"code\":50001,\"message\":\"gone\"}\n\n", "its answer (“gone [50001]”)"),
    ] {
        let error = decoder("text/plain", &[body.as_bytes()]).unwrap_err();
        assert!(
            error.message(str::to_owned).contains(part),
            "{body:?}: {}",
            error.message(str::to_owned)
        );
    }
}

#[test]
fn too_much_is_refused() {
    assert_eq!(decoder("", &[b"{", &[b' '; 4000]]).unwrap_err().recovery, Recovery::GiveUp);
    let long =
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n", "x".repeat(600));
    let error = decoder("", &[long.as_bytes(), long.as_bytes()]).unwrap_err();
    assert!(
        error.message(str::to_owned).contains("1000 bytes"),
        "{}",
        error.message(str::to_owned)
    );
}

fn read(said: &Value) -> Result<Completion, AttemptError> {
    decode_json(api(Wire::Chat), said.to_string().as_bytes(), 1000)
}

#[test]
fn what_is_no_answer() {
    for (said, part) in [
        (json!({"choices": []}), "with `choices` that are empty"),
        (json!({"choices": null, "usage": {"prompt_tokens": 1}}), "with `choices` that are empty"),
        (json!({"done": true}), "no `choices`"),
        (json!({"message": "It works!"}), "no `choices` (“It works!”): the base URL"),
        (json!({"code": 200, "msg": "ok", "success": true}), "no `choices` (“ok”)"),
        (json!("hello"), "no `choices`"),
        (json!({"error": {"message": "overloaded", "code": 503}}), "503"),
        (json!({"error": "boom"}), "“boom”"),
        (json!([{"error": {"message": "internal", "code": 500, "status": "INTERNAL"}}]), "500"),
    ] {
        let error = read(&said).unwrap_err();
        assert_eq!(
            error.recovery,
            Recovery::Retry { after: None },
            "{}",
            error.message(str::to_owned)
        );
        assert!(error.message(str::to_owned).contains(part), "{}", error.message(str::to_owned));
    }
    let error = read(&json!({"error": {"message": "bad key", "code": "401"}})).unwrap_err();
    assert_eq!(error.recovery, Recovery::GiveUp);
    let long = read(&json!({"choices": [{"message": {"content": "x".repeat(1001)}}]}));
    assert_eq!(long.unwrap_err().recovery, Recovery::GiveUp);
    let chat = api(Wire::Chat);
    assert!(
        decode_json(chat, b"{\"choices\":", 9)
            .unwrap_err()
            .message(str::to_owned)
            .contains("broken")
    );
    let twice = br#"{"choices":[{"message":{"content":"a","content":"b"}}]}"#;
    let error = decode_json(chat, twice, 99).unwrap_err();
    assert!(error.message(str::to_owned).contains("two ways"), "{}", error.message(str::to_owned));
}

#[test]
fn an_error_that_is_all_of_an_answer_is_told_in_its_words() {
    let retry = Recovery::Retry { after: None };
    for (said, recovery, part) in [
        (json!({"object": "error", "message": "gone", "code": 50001}), retry, "(“gone [50001]”)"),
        (
            json!({"object": "error", "message": "maximum context length is 4096", "code": 400}),
            Recovery::ShorterPrompt,
            "[400]”)",
        ),
        (
            json!({"code": 500, "msg": "404 NOT_FOUND", "success": false}),
            Recovery::GiveUp,
            "(“404 NOT_FOUND [500]”): either the path",
        ),
        (
            json!({"base_resp": {"status_code": 1008, "status_msg": "insufficient balance"}, "choices": null}),
            Recovery::GiveUp,
            "(“insufficient balance [1008]”): the quota",
        ),
        (
            json!({"error": "Unexpected endpoint or method. (POST /api/v1/chat/completions)"}),
            Recovery::GiveUp,
            "completions)”): either the path",
        ),
    ] {
        let error = read(&said).unwrap_err();
        let message = error.message(str::to_owned);
        assert_eq!(error.recovery, recovery, "{message}");
        assert!(message.starts_with("reported an error in its answer"), "{message}");
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn calls_count_against_the_limit() {
    let call =
        |arguments: &str| json!({"id": "1", "function": {"name": "tap", "arguments": arguments}});
    let said = |calls: Vec<Value>| json!({"choices": [{"message": {"tool_calls": calls}}]});
    let long = read(&said(vec![call(&"x".repeat(1000))])).unwrap_err();
    assert!(long.message(str::to_owned).contains("1000 bytes"), "{}", long.message(str::to_owned));
    let many = (0..65).map(|id| json!({"id": id.to_string(), "function": {"name": "a"}}));
    let many = read(&said(many.collect())).unwrap_err();
    assert!(many.message(str::to_owned).contains("64 calls"), "{}", many.message(str::to_owned));
}

proptest! {
    #[test]
    fn no_bytes_panic(pieces in proptest::collection::vec(
        prop_oneof![
            proptest::collection::vec(any::<u8>(), 0..20),
            Just(b"data: ".to_vec()), Just(b"\n".to_vec()), Just(b"{\"choices\":[{\"delta\":".to_vec()),
            Just(b"{\"content\":\"x\"}}]}".to_vec()),
            Just(br#"{"type":"message_stop"}"#.to_vec()),
            Just(br#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","name":"a"}}"#.to_vec()),
            Just(br#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"a"}}]}}]}"#.to_vec()),
            Just(b"[DONE]".to_vec()), Just(b":".to_vec()),
        ],
        0..20,
    )) {
        let pieces: Vec<&[u8]> = pieces.iter().map(Vec::as_slice).collect();
        let whole = pieces.concat();
        for wire in [Wire::Chat, Wire::Anthropic, Wire::Gemini, Wire::Responses] {
            let apart = take(wire, "text/event-stream", &pieces);
            let whole = take(wire, "text/event-stream", &[&whole]);
            prop_assert_eq!(apart.ok(), whole.ok());
        }
    }
}

/// As relays send it that cut a text by UTF-16 units.
#[test]
fn a_character_whose_halves_come_in_two_pieces_is_joined() {
    let stream = |delta: &dyn Fn(&str) -> String, texts: &[&str]| {
        let piece = |text: &&str| {
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{}}}]}}\n\n", delta(text))
        };
        let stop = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n";
        format!("{}{stop}data: [DONE]\n\n", texts.iter().map(piece).collect::<String>())
    };
    let of = |field: &'static str| move |text: &str| format!("{{\"{field}\":\"{text}\"}}");
    let arguments = |text: &str| {
        let name = if text.contains("hi") { "\"name\":\"type\"," } else { "" };
        let function = format!("{{{name}\"arguments\":\"{text}\"}}");
        format!("{{\"tool_calls\":[{{\"index\":0,\"function\":{function}}}]}}")
    };
    for (texts, read) in [
        (&["hi \\ud83d", "\\ude42!"][..], "hi 🙂!"),
        (&["hi \\ud83d", "", "\\ude42\\ud83d", "\\ude00"], "hi 🙂😀"),
        (&["hi \\ud83d", "!"], "hi \u{fffd}!"),
        (&["hi \\ud83d"], "hi \u{fffd}"),
    ] {
        let answer = |delta: &dyn Fn(&str) -> String| {
            let stream = stream(delta, texts);
            let bytes: Vec<&[u8]> = stream.as_bytes().chunks(1).collect();
            let answer = decoder("text/event-stream", &bytes).unwrap();
            assert_eq!(answer, decoder("text/event-stream", &[stream.as_bytes()]).unwrap());
            assert_eq!(answer.finish_reason.as_deref(), Some("stop"));
            answer
        };
        assert_eq!(answer(&of("content")).text, read);
        assert_eq!(answer(&of("reasoning_content")).reasoning, read);
        assert_eq!(answer(&arguments).take_tool_calls()[0].arguments, read);
    }
    // In one piece too, and one that is cut off is not whole.
    let whole = br#"{"choices":[{"message":{"content":"a\ud83d"},"finish_reason":"stop"}]}"#;
    assert_eq!(decoder("application/json", &[whole]).unwrap().text, "a\u{fffd}");
    let cut = b"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\\ud83d\"}}]}\n\n";
    let cut = decoder("text/event-stream", &[cut]).unwrap();
    assert_eq!(cut.finish_reason.as_deref(), Some(TRUNCATED));
}
