//! How streams end, other than in order.
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::AsyncReadExt as _;
use tokio::net::TcpListener;

use super::wires::{all, of, stream};
use super::*;

/// An answer in one chunk, behind which the connection ends without the last one.
fn torn(body: &str) -> Act {
    let chunk = format!("{:x}\r\n{body}\r\n", body.len());
    Act::Bytes(raw("200 OK", &format!("{EVENTS}transfer-encoding: chunked\r\n"), chunk))
}

#[tokio::test]
async fn a_whole_reply_is_taken_though_its_connection_breaks_behind_it() {
    for (profile, name) in all() {
        let whole = stream(profile, 0);
        let counts = "data: {\"choices\":[],\"usage\":{\"prompt_t";
        for body in [whole.clone(), whole.trim_end().to_owned(), format!("{whole}{counts}")] {
            let fake = Fake::start(vec![torn(&body)]).await;
            let model = of(&fake, profile, name);
            let reply = model.call(&prompt(), LIMIT).await.unwrap();
            let action = model.read(&reply, SENT).unwrap().action;
            assert_eq!(action, Action::Complete { message: "ok".to_owned() }, "{profile}");
            assert_eq!((fake.seen().len(), reply.tokens.completion), (1, 2), "{profile}: {body}");
        }
    }
    // In one piece, too.
    let whole = fake::completion(BACK, "stop").to_string();
    let reply = replied(vec![http("200 OK", "content-length: 5000\r\n", whole)]).await;
    assert!(reply.retries.is_empty(), "{:?}", reply.retries);
}

#[tokio::test]
async fn what_breaks_off_before_its_reason_is_no_whole_reply() {
    let piece = |rest: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"a\"}}{rest}}}]}}\n\n")
    };
    let ended = piece(",\"finish_reason\":\"stop\"");
    let empty = ended.replace("\"a\"", "\"\"");
    for body in [
        piece(""),
        piece(",\"finish_reason\":null"),
        // A reason with every piece, which then tells no end.
        ended.clone(),
        format!("{ended}{ended}"),
        // A reason before the model has written anything.
        empty.clone(),
        format!("{empty}{empty}"),
        format!("{empty}{}", piece("")),
    ] {
        let reply = replied(vec![torn(&body), says(BACK)]).await;
        assert_eq!((reply.text.as_str(), reply.retries.len()), (BACK, 1), "{body}");
    }
}

#[tokio::test]
async fn the_end_of_a_stream_is_not_waited_for_long_behind_a_whole_reply() {
    let body = events(&[BACK], Some("stop"));
    let reason_alone = body.split("data: {\"choices\":[],").next().unwrap();
    let without_done = body.strip_suffix("data: [DONE]\n\n").unwrap();
    let silences = [
        (Act::Hang(raw("200 OK", EVENTS, without_done)), 2),
        (Act::Drip(raw("200 OK", EVENTS, reason_alone)), 0),
    ];
    let taken = silences.map(|(silent, counted)| async move {
        let fake = Fake::start(vec![silent]).await;
        let reply = model(&fake).call(&prompt(), LIMIT).await.unwrap();
        assert_eq!((reply.text.as_str(), reply.tokens.completion), (BACK, counted));
        assert_eq!(fake.seen().len(), 1);
        // It may be silent for eight seconds before.
        assert!(reply.latency < Duration::from_secs(6), "{:?}", reply.latency);
    });
    futures::future::join_all(taken).await;
}

#[tokio::test]
async fn an_answer_that_failed_behind_what_may_be_paid_for_is_repeated_once() {
    let message = json!({"content": "", "reasoning_content": "hm"});
    let usage = json!({"prompt_tokens": 7, "completion_tokens": 2});
    let json = |answer: serde_json::Value| http("200 OK", JSON, answer.to_string());
    let choice = |reason: &str| json!([{"message": message, "finish_reason": reason}]);
    let empty = json!([{"message": {"content": ""}, "finish_reason": "network_error"}]);
    let gone = json!({"message": "gone", "code": 502});
    let busy = json!({"message": "gone", "code": 429});
    let full =
        json!({"message": "Context size has been exceeded.", "code": 500, "type": "server_error"});
    let begun = format!("data: {}\n\ndata: ", json!({"choices": [{"delta": message}]}));
    let failed_stream = json!({"choices": [{"delta": {}, "finish_reason": "error"}]});
    for (answer, attempts) in [
        (json(json!({ "choices": choice("error") })), 2),
        (json(json!({ "choices": empty, "usage": usage })), 2),
        (json(json!({ "error": gone, "choices": choice("error") })), 2),
        (json(json!({ "error": gone, "usage": usage })), 2),
        (http("200 OK", EVENTS, format!("{begun}{failed_stream}\n\n")), 2),
        (http("200 OK", EVENTS, format!("{begun}{}\n\n", json!({ "error": gone }))), 2),
        // What the connection breaks behind.
        (torn(&format!("{begun}{failed_stream}\n\n")), 2),
        (torn(&format!("{begun}{}", json!({ "error": gone }))), 2),
        (http("200 OK", EVENTS, format!("{begun}{}\n\n", json!({ "error": busy }))), 2),
        // In the middle, and without a word.
        (torn(&begun), 2),
        (http("200 OK", EVENTS, format!("{begun}{{\"choices\":[{{\n\n")), 2),
        (http("200 OK", "content-length: 500\r\n", "{\"choices\":"), 2),
        // A server of one's own whose requests fill the context together: that passes when some of them have ended.
        (http("200 OK", EVENTS, format!("{begun}{}\n\n", json!({ "error": full }))), 5),
    ] {
        let said = format!("{answer:?}");
        let (error, seen) = failed(vec![answer]).await;
        assert_eq!(seen, attempts, "{said}: {}", error.message);
        assert!(error.retries.iter().all(|it| it.taken), "{said}: {:?}", error.retries);
    }
}

/// As a gateway ends them whose guardrail has found something in the answer.
#[tokio::test]
async fn what_breaks_off_in_the_middle_says_where_to_look() {
    let begun = events(&["explain:e"], None);
    for answer in [
        torn(&begun),
        http("200 OK", EVENTS, format!("{begun}data: {{\"choices\":[{{\n\n")),
        http("200 OK", "content-length: 500\r\n", "{\"choices\":"),
    ] {
        let (error, _) = failed(vec![answer]).await;
        assert!(error.message.contains("look at its log"), "{}", error.message);
        assert!(error.message.contains("(after 2 attempts)"), "{}", error.message);
    }
}

/// Of llama.cpp's server, with what it has sent by then.
#[tokio::test]
async fn a_reply_that_the_server_cannot_read_is_one_that_its_model_can_mend() {
    let error = json!({"error": {"code": 500, "type": "server_error",
        "message": "The model produced output that does not match the expected peg-native format"}});
    let begun = events(&["tap here"], None);
    for answer in [
        http("200 OK", EVENTS, format!("{begun}data: {error}\n\n")),
        torn(&format!("{begun}data: {error}")),
    ] {
        let fake = Fake::start(vec![answer]).await;
        let model = model(&fake);
        let reply = model.call(&prompt(), LIMIT).await.unwrap();
        assert_eq!((reply.text.as_str(), fake.seen().len()), ("tap here", 1));
        let why = model.read(&reply, SENT).unwrap_err().to_string();
        assert!(
            why.contains("generic-text") && why.contains("; say it again in the format"),
            "{why}"
        );
    }
    // Nothing has come of it.
    let (error, seen) =
        failed(vec![http("500 Internal Server Error", JSON, error.to_string())]).await;
    assert_eq!(seen, 2, "{}", error.message);
    assert!(error.message.contains("generic-text"), "{}", error.message);
}

/// A server that cuts a reply down to what its context has room for says no more than that.
#[tokio::test]
async fn a_reply_that_is_shorter_than_was_asked_for_has_filled_the_context() {
    for (counted, part) in [
        (492, "nothing more goes into the model's context"),
        (4096, "model.max-tokens can be raised"),
        (4090, "model.max-tokens can be raised"),
        // It counts none.
        (0, "model.max-tokens can be raised"),
    ] {
        let mut answer = fake::completion(BACK, "length");
        answer["usage"]["completion_tokens"] = json!(counted);
        let fake = Fake::start(vec![http("200 OK", JSON, answer.to_string())]).await;
        let model = model(&fake);
        let reply = model.call(&prompt(), LIMIT).await.unwrap();
        let why = model.read(&reply, SENT).unwrap_err().to_string();
        assert!(why.starts_with("it was cut off before its end") && why.contains(part), "{why}");
    }
}

/// A server that was stopped, say. The model has not written too much.
#[tokio::test]
async fn a_stream_that_just_ends_is_tried_once_more_and_is_then_a_reply_that_was_cut() {
    let cut = http("200 OK", EVENTS, events(&[BACK], None));
    let reply = replied(vec![cut.clone(), says(BACK)]).await;
    assert_eq!((reply.text.as_str(), reply.finish_reason.as_deref()), (BACK, Some("stop")));
    let [retry] = &reply.retries[..] else { panic!("{:?}", reply.retries) };
    assert!(retry.taken && retry.error.contains("before the end of the reply"), "{retry:?}");
    assert!(!retry.waited.is_zero(), "{retry:?}");
    let length = http("200 OK", EVENTS, events(&[BACK], Some("length")));
    for (answer, attempts, part) in [(cut, 2, "server's log"), (length, 1, "fewer words")] {
        let fake = Fake::start(vec![answer]).await;
        let model = model(&fake);
        let reply = model.call(&prompt(), LIMIT).await.unwrap();
        let why = model.read(&reply, SENT).unwrap_err().to_string();
        assert!(why.starts_with("it was cut off before its end") && why.contains(part), "{why}");
        assert_eq!((fake.seen().len(), reply.retries.len()), (attempts, attempts - 1));
    }
}

#[tokio::test]
async fn an_endpoint_that_ends_its_streams_without_a_reason_can_be_used_without_them() {
    let open = json!({"choices": [{"delta": {"content": BACK}, "finish_reason": null}]});
    for (end, is_named) in [("data: [DONE]\n\n", true), ("", false)] {
        let fake =
            Fake::start(vec![http("200 OK", EVENTS, format!("data: {open}\n\n{end}"))]).await;
        let model = model(&fake);
        let reply = model.call(&prompt(), LIMIT).await.unwrap();
        let why = model.read(&reply, SENT).unwrap_err().to_string();
        assert!(why.contains("cut off before its end"), "{why}");
        assert_eq!(why.contains("model.stream = false"), is_named, "{why}");
    }
    let whole = json!({"choices": [{"message": {"content": BACK}, "finish_reason": null}]});
    let reply = replied(vec![http("200 OK", JSON, whole.to_string())]).await;
    assert_eq!((reply.text.as_str(), reply.retries.len()), (BACK, 0));
}

/// A server that closes its connections after a while, and how often it was asked.
async fn closes_after(patience: Duration) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let asked = Arc::new(AtomicUsize::new(0));
    let counter = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            counter.fetch_add(1, Ordering::Relaxed);
            let mut request = Vec::new();
            let reading = tokio::time::timeout(patience, stream.read_to_end(&mut request));
            reading.await.unwrap_err();
        }
    });
    (url, asked)
}

/// A load balancer that has waited long enough says nothing more. What it waited for goes on behind it.
#[tokio::test]
async fn a_connection_that_is_closed_without_an_answer_after_a_while_is_repeated_once() {
    for (patience, attempts) in [(Duration::from_millis(1), 5), (Duration::from_millis(600), 2)] {
        let (url, asked) = closes_after(patience).await;
        let fake = Fake::start(vec![says(BACK)]).await;
        let mut config = ModelConfig { endpoint: Endpoint::parse(&url).unwrap(), ..config(&fake) };
        config.limits.first_byte = Duration::from_secs(1);
        let error = RemoteModel::new(config).unwrap().call(&prompt(), LIMIT).await.unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Unreachable, "{}", error.message);
        assert_eq!(asked.load(Ordering::Relaxed), attempts, "{}", error.message);
        let taken = error.retries.iter().filter(|it| it.taken).count();
        assert_eq!(taken, if attempts == 2 { 2 } else { 0 }, "{:?}", error.retries);
    }
}
