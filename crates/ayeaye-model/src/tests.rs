//! The client against an endpoint that behaves in every way endpoints have been seen to.
use std::io::Write as _;
use std::time::{Duration, Instant};

use ayeaye_agent::{
    Action, FailedAttempts, Message, Model as _, ModelError, ModelErrorKind, Part, Picture, Prompt,
    Reply, Role, ScreenSize,
};
use bytes::Bytes;
use serde_json::json;

use crate::{ConfigError, Endpoint, Limits, ModelConfig, RemoteModel, RetryPolicy, Secret};
use fake::{Act, EVENTS, Fake, JSON, events, http, raw, says};

mod calibrate;
mod call_settings;
mod check;
mod computer_tool;
mod extra_headers;
mod fake;
mod limits;
mod reach;
mod refusals;
#[expect(dead_code, reason = "only the integration tests replace a script")]
#[path = "../../../tests/endpoint/server.rs"]
mod server;
mod streams;
mod wires;

/// What a reply is a reply to.
const SENT: ScreenSize = ScreenSize { width: 720, height: 1600 };
const KEY: &str = "sk-canary-0123456789";
const BACK: &str = "explain:e\taction:BACK\tsummary:s";
const LIMIT: Duration = Duration::from_secs(20);

fn config(fake: &Fake) -> ModelConfig {
    let endpoint = Endpoint::parse(&fake.url()).expect("the fake has an address");
    ModelConfig {
        key: Secret::new(KEY),
        limits: Limits {
            connect: Duration::from_secs(5),
            first_byte: Duration::from_secs(8),
            total: Duration::from_secs(9),
            reply: 20_000,
            body: 100_000,
        },
        retries: RetryPolicy { initial_backoff: Duration::from_millis(2), ..RetryPolicy::DEFAULT },
        ..ModelConfig::new(endpoint, "gelab-fake")
    }
}

fn model(fake: &Fake) -> RemoteModel {
    RemoteModel::new(config(fake)).expect("the settings are right")
}

fn prompt() -> Prompt {
    let picture = Picture {
        bytes: Bytes::from_static(&[0xff, 0xd8, 0xff]),
        media_type: "image/jpeg",
        size: ScreenSize { width: 1, height: 1 },
    };
    let parts = vec![Part::Text("look".to_owned()), Part::Picture(picture)];
    Prompt::of(vec![Message { role: Role::User, parts }])
}

/// Asks a fake that gives these answers; with the number of requests it saw.
async fn ask(answers: Vec<Act>) -> (Result<Reply, ModelError>, usize) {
    let fake = Fake::start(answers).await;
    let result = model(&fake).call(&prompt(), LIMIT).await;
    let redacted_url = format!("{result:?}");
    assert!(!redacted_url.contains(KEY), "{redacted_url}");
    (result, fake.seen().len())
}

async fn failed(answers: Vec<Act>) -> (ModelError, usize) {
    let (result, seen) = ask(answers).await;
    (result.expect_err("it cannot be answered"), seen)
}

async fn replied(answers: Vec<Act>) -> Reply {
    ask(answers).await.0.expect("it is answered")
}

#[tokio::test]
async fn the_request_is_what_an_endpoint_expects() {
    let fake = Fake::start(vec![says(BACK)]).await;
    let model = model(&fake);
    let reply = model.call(&prompt(), LIMIT).await.unwrap();
    assert_eq!(model.read(&reply, SENT).unwrap().summary, "s");
    assert_eq!((reply.model.as_str(), reply.tokens.prompt), ("fake-1", 7));
    let [request] = &fake.seen()[..] else { panic!("one request") };
    assert!(request.head.starts_with("post /v1/chat/completions http/1.1"), "{}", request.head);
    assert!(request.head.contains(&format!("authorization: bearer {KEY}\r\n")), "{}", request.head);
    assert_eq!(request.head.matches(KEY).count(), 1);
    assert!(!request.body.to_string().contains(KEY));
    assert_eq!(request.body["model"], "gelab-fake");
    assert_eq!(request.body["stream"], true);
    let url = &request.body["messages"][0]["content"][1]["image_url"]["url"];
    assert_eq!(url, "data:image/jpeg;base64,/9j/");
    assert!(!format!("{model:?}").contains(KEY), "{model:?}");
}

#[tokio::test]
async fn a_stream_is_a_reply_like_any_other() {
    let body = events(&["explain:e\tact", "ion:BACK\tsumm", "ary:s"], Some("stop"));
    let reply = replied(vec![http("200 OK", EVENTS, body.clone())]).await;
    assert_eq!((reply.text.as_str(), reply.tokens.completion), (BACK, 2));
    assert!(reply.first_token.is_some());
    // With the wrong content type, and without any.
    for headers in [JSON, "content-type: text/html\r\n", ""] {
        assert_eq!(replied(vec![http("200 OK", headers, body.clone())]).await.text, BACK);
    }
    // An endpoint that keeps the connection open behind the end.
    let reply = replied(vec![Act::Hang(raw("200 OK", EVENTS, body))]).await;
    assert!(reply.retries.is_empty(), "{:?}", reply.retries);
}

#[tokio::test]
async fn a_cut_reply_is_not_read() {
    let fake = Fake::start(vec![says("")]).await;
    let model = model(&fake);
    let length = fake::completion(BACK, "length").to_string();
    for (answer, expected) in [
        (http("200 OK", JSON, length), "length"),
        (http("200 OK", EVENTS, events(&[BACK], Some("length"))), "length"),
        (http("200 OK", EVENTS, events(&[BACK], None)), "cut"),
        (http("200 OK", EVENTS, events(&[BACK], Some("repetition"))), "repetition"),
    ] {
        let reply = replied(vec![answer]).await;
        assert_eq!((reply.text.as_str(), reply.finish_reason.as_deref()), (BACK, Some(expected)));
        let why = model.read(&reply, SENT).unwrap_err().to_string();
        assert!(why.contains("cut off"), "{why}");
    }
}

#[tokio::test]
async fn a_reply_without_words_is_not_read() {
    let fake = Fake::start(vec![says("")]).await;
    let model = model(&fake);
    for (message, part) in [
        (json!({"content": null}), "empty"),
        (json!({"content": ""}), "empty"),
        (
            json!({"content": null, "reasoning_content": "action:COMPLETE"}),
            "reasoning and no action",
        ),
        (json!({"content": null, "tool_calls": [{"function": {"name": "tap"}}]}), "calls a tool"),
        (json!({"content": null, "refusal": "I cannot help."}), "refuses to go on"),
    ] {
        let said = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
        let reply = replied(vec![http("200 OK", JSON, said)]).await;
        let why = model.read(&reply, SENT).unwrap_err().to_string();
        assert!(why.contains(part), "{message}: {why}");
    }
    // What can be done about it is for people, and not for the model.
    let reasoned = Reply { reasoning: "action:BACK".to_owned(), ..Reply::default() };
    let why = model.read(&reasoned, SENT).unwrap_err();
    for part in ["--reasoning-parser", "model.thinking = \"off\""] {
        assert!(why.for_people().contains(part) && !why.to_string().contains(part), "{why:?}");
    }
    let said = json!({"choices": [{"message": {"content": [{"type": "text", "text": BACK}], "reasoning": "r"}}]});
    let reply = replied(vec![http("200 OK", JSON, said.to_string())]).await;
    let decision = model.read(&reply, SENT).unwrap();
    assert_eq!(decision.thought, "r");
    assert!(matches!(decision.action, Action::Gesture(_)));
}

#[tokio::test]
async fn a_missing_end_is_a_sign_once_the_model_has_written_one() {
    let fake = Fake::start(vec![says("")]).await;
    let model = model(&fake);
    let is_doubted = |text: &str| {
        model.may_be_cut(&Reply { text: text.to_owned(), ..Reply::default() }).is_some()
    };
    let half = "action:CLICK\tpoint:500,93";
    assert!(!is_doubted(half), "it may never write a summary");
    assert!(!is_doubted(BACK));
    assert!(is_doubted(half));
}

#[tokio::test]
async fn what_passes_is_tried_again() {
    let half =
        raw("200 OK", "transfer-encoding: chunked\r\n", format!("20\r\n{}", events(&["a"], None)));
    let error = json!({"error": {"message": "loading", "code": 503}}).to_string();
    for (name, answer) in [
        ("500", http("500 Internal Server Error", JSON, "{\"error\":\"boom\"}")),
        ("503", http("503 Service Unavailable", "retry-after: 0\r\n", "")),
        ("429", http("429 Too Many Requests", "retry-after: 0\r\n", "{}")),
        ("web page", http("200 OK", "content-type: text/html\r\n", "<html>sign in</html>")),
        ("nothing", http("200 OK", JSON, "")),
        ("broken json", http("200 OK", JSON, "{\"choices\":[")),
        ("no choices", http("200 OK", JSON, "{\"choices\":[]}")),
        ("error inside", http("200 OK", JSON, error.clone())),
        ("error in the stream", http("200 OK", EVENTS, format!("data: {error}\n\n"))),
        ("half a stream", Act::Bytes(half)),
        ("half a body", http("200 OK", "content-length: 500\r\n", "{\"choices\":")),
        ("reset", Act::Reset),
        ("no http", Act::Bytes(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())),
        ("bad gzip", http("200 OK", "content-encoding: gzip\r\n", "not gzip")),
    ] {
        let reply = replied(vec![answer, says(BACK)]).await;
        assert_eq!(reply.text, BACK, "{name}");
        assert_eq!(reply.retries.len(), 1, "{name}: {:?}", reply.retries);
        let error = &reply.retries[0].error;
        assert!(error.starts_with("the model endpoint http://127.0.0.1:"), "{name}: {error}");
    }
}

/// An attempt that the endpoint has begun to answer, or has kept waiting, may be paid for.
#[tokio::test]
async fn it_is_told_which_attempts_the_endpoint_had_taken() {
    let half =
        raw("200 OK", "transfer-encoding: chunked\r\n", format!("20\r\n{}", events(&["a"], None)));
    let error = json!({"error": {"message": "loading", "code": 503}}).to_string();
    let late_error = format!("{}data: {error}\n\n", events(&["a"], None));
    for (name, answer, taken) in [
        ("503", http("503 Service Unavailable", "retry-after: 0\r\n", ""), false),
        ("429", http("429 Too Many Requests", "retry-after: 0\r\n", "{}"), false),
        ("reset", Act::Reset, false),
        ("error inside", http("200 OK", JSON, error.clone()), false),
        (
            "error at the beginning of a stream",
            http("200 OK", EVENTS, format!("data: {error}\n\n")),
            false,
        ),
        ("error in a stream", http("200 OK", EVENTS, late_error), true),
        ("half a stream", Act::Bytes(half), true),
        ("half a body", http("200 OK", "content-length: 500\r\n", "{\"choices\":"), true),
        ("broken json", http("200 OK", JSON, "{\"choices\":["), true),
    ] {
        let reply = replied(vec![answer, says(BACK)]).await;
        let told: Vec<bool> = reply.retries.iter().map(|it| it.taken).collect();
        assert_eq!(told, [taken], "{name}: {:?}", reply.retries);
    }
    let fake = Fake::start(vec![Act::Hang(Vec::new())]).await;
    let error = model(&fake).call(&prompt(), Duration::from_millis(100)).await.unwrap_err();
    assert!(error.retries[0].taken, "{error:?}");
}

#[tokio::test]
async fn who_gives_a_call_up_knows_its_attempts() {
    let half = http("200 OK", "content-length: 500\r\n", "{\"choices\":");
    let fake = Fake::start(vec![half, Act::Hang(Vec::new())]).await;
    let (model, prompt, failed) = (model(&fake), prompt(), FailedAttempts::default());
    let asked_again = async {
        while fake.seen().len() < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        outcome = model.call_counted(&prompt, LIMIT, &failed) => panic!("{outcome:?}"),
        () = asked_again => {}
    }
    let told: Vec<bool> = failed.take().iter().map(|it| it.taken).collect();
    assert_eq!(told, [true]);
}

#[tokio::test]
async fn attempts_end() {
    let (error, seen) = failed(vec![http("502 Bad Gateway", "", "upstream\u{1b}[31m gone")]).await;
    assert_eq!((seen, error.retries.len(), error.kind), (5, 5, ModelErrorKind::ServerFault));
    assert!(error.message.contains("502 Bad Gateway (“upstream [31m gone”)"), "{}", error.message);
    assert!(error.message.contains("after 5 attempts"), "{}", error.message);
    // Nobody listens where this fake was.
    let fake = Fake::start(vec![says(BACK)]).await;
    let model = model(&fake);
    drop(fake);
    tokio::task::yield_now().await;
    let error = model.call(&prompt(), LIMIT).await.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Unreachable);
    assert!(error.source.is_some(), "the error underneath is kept");
    assert!(error.message.contains("cannot be reached"), "{}", error.message);
}

#[tokio::test]
async fn another_api_is_asked_once_more_unless_it_was_the_right_one_before() {
    let page = || http("200 OK", "content-type: text/html\r\n", "<title>Sign in</title>");
    for (answer, part) in [
        (page(), "a web page (“Sign in”)"),
        (http("200 OK", JSON, "{\"models\":[]}"), "no `choices` (“it has: models”)"),
        (http("200 OK", JSON, "{\"choices\":["), "JSON that is broken"),
        (
            http("200 OK", "content-type: text/plain\r\n", "Hello"),
            "text/plain that is no JSON (“Hello”)",
        ),
    ] {
        let (error, seen) = failed(vec![answer]).await;
        assert_eq!((seen, error.kind), (2, ModelErrorKind::InvalidResponse), "{error:?}");
        for part in [part, "the model endpoint http://127.0.0.1:", "base URL", "after 2 attempts"] {
            assert!(error.message.contains(part), "{part}: {}", error.message);
        }
    }
    // A gateway may say so for a moment while what is behind it starts.
    let fake = Fake::start(vec![says(BACK), page(), page(), page(), says(BACK)]).await;
    let model = model(&fake);
    model.call(&prompt(), LIMIT).await.unwrap();
    let reply = model.call(&prompt(), LIMIT).await.unwrap();
    assert_eq!((reply.text.as_str(), reply.retries.len()), (BACK, 3));
}

#[tokio::test]
async fn what_cannot_pass_is_not_tried_again() {
    for (status, body, kind, part) in [
        (
            "401 Unauthorized",
            format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}"),
            ModelErrorKind::Unauthorized,
            "set AYEAYE_MODEL_API_KEY",
        ),
        ("403 Forbidden", String::new(), ModelErrorKind::Unauthorized, "set AYEAYE_MODEL_API_KEY"),
        ("404 Not Found", "{\"detail\":\"Not Found\"}".to_owned(), ModelErrorKind::NotFound, "/v1"),
        (
            "400 Bad Request",
            "{\"message\":\"maximum context length is 4096\"}".to_owned(),
            ModelErrorKind::PromptTooLong,
            "longer",
        ),
        (
            "400 Bad Request",
            "{\"error\":\"does not support image input\"}".to_owned(),
            ModelErrorKind::NoVision,
            "takes no pictures",
        ),
        (
            "200 OK",
            "{\"error\":{\"code\":401,\"message\":\"no\"}}".to_owned(),
            ModelErrorKind::Unauthorized,
            "401",
        ),
    ] {
        let (error, seen) = failed(vec![http(status, JSON, body)]).await;
        assert_eq!((seen, error.kind), (1, kind), "{status}");
        assert!(error.message.contains(part), "{}", error.message);
        assert!(error.message.contains("/v1 answered"), "{}", error.message);
        assert!(error.message.chars().count() < 600, "{}", error.message);
    }
}

#[tokio::test]
async fn a_redirect_is_not_followed_and_the_key_stays_here() {
    let other = Fake::start(vec![says(BACK)]).await;
    let location = format!("location: {}/v1/chat/completions?k=1\r\n", other.url());
    for status in ["307 Temporary Redirect", "302 Found"] {
        let (error, seen) = failed(vec![http(status, &location, "")]).await;
        assert_eq!(seen, 1);
        assert!(
            error.message.contains("not followed") && error.message.contains(&other.url()),
            "{}",
            error.message
        );
        assert!(!error.message.contains("k=1"), "{}", error.message);
    }
    assert!(other.seen().is_empty());
    // A base URL with that slash would mean the same as without.
    let slash = "location: /v1/chat/completions/\r\n";
    let (error, _) = failed(vec![http("307 Temporary Redirect", slash, "")]).await;
    let message = error.message;
    assert!(
        message.contains("take both") && !message.contains("make it the base URL"),
        "{message}"
    );
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_dropped() {
    let long = events(&[&"x".repeat(9000)], None).repeat(4);
    let (error, seen) = failed(vec![http("200 OK", EVENTS, long)]).await;
    assert_eq!(seen, 1);
    assert_eq!(error.kind, ModelErrorKind::ResponseTooLong);
    assert!(error.message.contains("more than 20000 bytes"), "{}", error.message);
    let (error, _) = failed(vec![http("200 OK", JSON, format!("{{{}", " ".repeat(200_000)))]).await;
    assert!(error.message.contains("more than 100000 bytes"), "{}", error.message);
    // 100 MB of blanks in 100 kB.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..100 {
        packed.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 120_000, "{}", packed.len());
    let (error, _) = failed(vec![http("200 OK", "content-encoding: gzip\r\n", packed)]).await;
    assert!(error.message.contains("more than 100000 bytes"), "{}", error.message);
}

#[tokio::test]
async fn an_honest_packed_answer_is_read() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(fake::completion(BACK, "stop").to_string().as_bytes()).unwrap();
    let headers = format!("{JSON}content-encoding: gzip\r\n");
    let reply = replied(vec![http("200 OK", &headers, packed.finish().unwrap())]).await;
    assert_eq!(reply.text, BACK);
}

#[tokio::test]
async fn silence_ends_by_itself_and_is_tried_once_more() {
    for silent in [
        Act::Hang(Vec::new()),
        Act::Hang(raw("200 OK", EVENTS, "")),
        Act::Hang(raw("200 OK", EVENTS, events(&["a"], None))),
        Act::Hang(raw("200 OK", "content-length: 99\r\n", "{")),
        Act::Drip(raw("200 OK", EVENTS, "")),
    ] {
        let name = format!("{silent:?}");
        let fake = Fake::start(vec![silent]).await;
        let mut config = config(&fake);
        config.limits.first_byte = Duration::from_millis(200);
        config.limits.total = Duration::from_millis(500);
        let model = RemoteModel::new(config).unwrap();
        let start = Instant::now();
        let error = model.call(&prompt(), LIMIT).await.unwrap_err();
        assert_eq!(error.retries.len(), 2, "{name}: {}", error.message);
        assert!(start.elapsed() < Duration::from_secs(8), "{name}: {:?}", start.elapsed());
        assert_eq!(error.kind, ModelErrorKind::TimedOut);
        assert!(error.message.contains(" within "), "{}", error.message);
    }
}

#[tokio::test]
async fn an_answer_is_whole_though_its_endpoint_goes_on_after_it() {
    let fake =
        Fake::start(vec![Act::Drip(raw("200 OK", EVENTS, events(&[BACK], Some("stop"))))]).await;
    let (model, prompt) = (model(&fake), prompt());
    let call = tokio::time::timeout(LIMIT, model.call(&prompt, LIMIT));
    assert_eq!(call.await.expect("no end").unwrap().text, BACK);
}

#[tokio::test]
async fn the_limit_of_the_call_bounds_everything() {
    let fake = Fake::start(vec![Act::Hang(Vec::new())]).await;
    let start = Instant::now();
    let error = model(&fake).call(&prompt(), Duration::from_millis(100)).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(error.retries.len(), 1, "{}", error.message);
    // A wait that is longer than what is left is not begun.
    let fake = Fake::start(vec![http("429 Too Many Requests", "retry-after: 30\r\n", "")]).await;
    let error = model(&fake).call(&prompt(), Duration::from_secs(5)).await.unwrap_err();
    assert!(error.latency < Duration::from_secs(4), "{:?}", error.latency);
    assert_eq!(fake.seen().len(), 1);
}

#[tokio::test]
async fn retry_after_is_waited_for() {
    let reply =
        replied(vec![http("429 Too Many Requests", "retry-after: 1\r\n", ""), says(BACK)]).await;
    assert_eq!(reply.retries[0].waited, Duration::from_secs(1));
    assert!(Duration::from_secs(1) <= reply.latency, "{:?}", reply.latency);
}

#[tokio::test]
async fn an_endpoint_that_does_not_count_tokens_is_asked_without() {
    let refusal = http("400 Bad Request", JSON, "{\"error\":\"unknown field stream_options\"}");
    let fake = Fake::start(vec![refusal, says(BACK), says(BACK)]).await;
    let model = model(&fake);
    for _ in 0..2 {
        assert_eq!(model.call(&prompt(), LIMIT).await.unwrap().text, BACK);
    }
    let asked: Vec<bool> =
        fake.seen().iter().map(|request| request.body.get("stream_options").is_some()).collect();
    assert_eq!(asked, [true, false, false]);
}

#[tokio::test]
async fn settings_that_cannot_work_are_refused_at_once() {
    let fake = Fake::start(vec![says(BACK)]).await;
    let nameless = ModelConfig { name: " ".to_owned(), ..config(&fake) };
    assert!(matches!(RemoteModel::new(nameless), Err(ConfigError::NoName)));
    let odd = ModelConfig { key: Secret::new("a\nb"), ..config(&fake) };
    let error = RemoteModel::new(odd).unwrap_err();
    assert!(matches!(error, ConfigError::Key), "{error}");
}
