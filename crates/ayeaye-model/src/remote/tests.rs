//! The client against an endpoint that behaves in every way endpoints have been seen to.
use std::io::Write as _;
use std::time::{Duration, Instant};

use ayeaye_agent::{
    Action, Gesture, Message, Model as _, ModelError, Part, Prompt, Reply, Role, ScreenSize,
};
use bytes::Bytes;
use serde_json::json;

use super::*;
use crate::{CheckSubject, Endpoint, Limits, RetryPolicy, Secret, Severity};
use fake::{Answer, EVENTS, Fake, JSON, events, http, raw, says};

mod fake;
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
async fn ask(answers: Vec<Answer>) -> (Result<Reply, ModelError>, usize) {
    let fake = Fake::start(answers).await;
    let result = model(&fake).call(&prompt(), LIMIT).await;
    let redacted_url = format!("{result:?}");
    assert!(!redacted_url.contains(KEY), "{redacted_url}");
    (result, fake.seen().len())
}

async fn failed(answers: Vec<Answer>) -> (ModelError, usize) {
    let (result, seen) = ask(answers).await;
    (result.expect_err("it cannot be answered"), seen)
}

async fn replied(answers: Vec<Answer>) -> Reply {
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
    let reply = replied(vec![Answer::Hang(raw("200 OK", EVENTS, body))]).await;
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
        (http("200 OK", EVENTS, events(&[BACK], None)), completion::TRUNCATED),
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
        (json!({"content": null, "refusal": "I cannot help."}), "no action"),
    ] {
        let said = json!({"choices": [{"message": message, "finish_reason": "stop"}]}).to_string();
        let reply = replied(vec![http("200 OK", JSON, said)]).await;
        let why = model.read(&reply, SENT).unwrap_err().to_string();
        assert!(why.contains(part), "{message}: {why}");
    }
    let said = json!({"choices": [{"message": {"content": [{"type": "text", "text": BACK}], "reasoning": "r"}}]});
    let reply = replied(vec![http("200 OK", JSON, said.to_string())]).await;
    let decision = model.read(&reply, SENT).unwrap();
    assert_eq!(decision.thought, "r");
    assert!(matches!(decision.action, Action::Gesture(_)));
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
        ("half a stream", Answer::Bytes(half)),
        ("half a body", http("200 OK", "content-length: 500\r\n", "{\"choices\":")),
        ("reset", Answer::Reset),
        ("no http", Answer::Bytes(b"SSH-2.0-OpenSSH_9.6\r\n".to_vec())),
        ("bad gzip", http("200 OK", "content-encoding: gzip\r\n", "not gzip")),
    ] {
        let reply = replied(vec![answer, says(BACK)]).await;
        assert_eq!(reply.text, BACK, "{name}");
        assert_eq!(reply.retries.len(), 1, "{name}: {:?}", reply.retries);
        let error = &reply.retries[0].error;
        assert!(error.starts_with("the model endpoint http://127.0.0.1:"), "{name}: {error}");
    }
}

#[tokio::test]
async fn attempts_end() {
    let (error, seen) = failed(vec![http("502 Bad Gateway", "", "upstream\u{1b}[31m gone")]).await;
    assert_eq!((seen, error.retries.len()), (5, 5));
    assert!(error.cause.contains("502 Bad Gateway (“upstream [31m gone”)"), "{}", error.cause);
    assert!(error.cause.contains("after 5 attempts"), "{}", error.cause);
    // Nobody listens where this fake was.
    let fake = Fake::start(vec![says(BACK)]).await;
    let model = model(&fake);
    drop(fake);
    tokio::task::yield_now().await;
    let error = model.call(&prompt(), LIMIT).await.unwrap_err();
    assert!(error.cause.contains("cannot be reached"), "{}", error.cause);
}

#[tokio::test]
async fn what_cannot_pass_is_not_tried_again() {
    for (status, body, part) in [
        (
            "401 Unauthorized",
            format!("{{\"error\":{{\"message\":\"bad key {KEY}\"}}}}"),
            "set the model's key",
        ),
        ("403 Forbidden", String::new(), "set the model's key"),
        ("404 Not Found", "{\"detail\":\"Not Found\"}".to_owned(), "/v1"),
        (
            "400 Bad Request",
            "{\"message\":\"maximum context length is 4096\"}".to_owned(),
            "longer",
        ),
        (
            "400 Bad Request",
            "{\"error\":\"does not support image input\"}".to_owned(),
            "takes no pictures",
        ),
        ("200 OK", "{\"error\":{\"code\":401,\"message\":\"no\"}}".to_owned(), "401"),
    ] {
        let (error, seen) = failed(vec![http(status, JSON, body)]).await;
        assert_eq!(seen, 1, "{status}");
        assert!(error.cause.contains(part), "{}", error.cause);
        assert!(error.cause.contains("/v1 answered"), "{}", error.cause);
        assert!(error.cause.chars().count() < 600, "{}", error.cause);
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
            error.cause.contains("not followed") && error.cause.contains(&other.url()),
            "{}",
            error.cause
        );
        assert!(!error.cause.contains("k=1"), "{}", error.cause);
    }
    assert!(other.seen().is_empty());
}

#[tokio::test]
async fn an_answer_that_is_too_long_is_dropped() {
    let long = events(&[&"x".repeat(9000)], None).repeat(4);
    let (error, seen) = failed(vec![http("200 OK", EVENTS, long)]).await;
    assert_eq!(seen, 1);
    assert!(error.cause.contains("more than 20000 bytes"), "{}", error.cause);
    let (error, _) = failed(vec![http("200 OK", JSON, format!("{{{}", " ".repeat(200_000)))]).await;
    assert!(error.cause.contains("more than 100000 bytes"), "{}", error.cause);
    // 100 MB of blanks in 100 kB.
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..100 {
        packed.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 120_000, "{}", packed.len());
    let (error, _) = failed(vec![http("200 OK", "content-encoding: gzip\r\n", packed)]).await;
    assert!(error.cause.contains("more than 100000 bytes"), "{}", error.cause);
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
        Answer::Hang(Vec::new()),
        Answer::Hang(raw("200 OK", EVENTS, "")),
        Answer::Hang(raw("200 OK", EVENTS, events(&["a"], None))),
        Answer::Hang(raw("200 OK", "content-length: 99\r\n", "{")),
        Answer::Drip(raw("200 OK", EVENTS, "")),
    ] {
        let name = format!("{silent:?}");
        let fake = Fake::start(vec![silent]).await;
        let mut config = config(&fake);
        config.limits.first_byte = Duration::from_millis(200);
        config.limits.total = Duration::from_millis(500);
        let model = RemoteModel::new(config).unwrap();
        let start = Instant::now();
        let error = model.call(&prompt(), LIMIT).await.unwrap_err();
        assert_eq!(error.retries.len(), 2, "{name}: {}", error.cause);
        assert!(start.elapsed() < Duration::from_secs(8), "{name}: {:?}", start.elapsed());
        assert!(error.cause.contains(" within "), "{}", error.cause);
    }
}

#[tokio::test]
async fn the_limit_of_the_call_bounds_everything() {
    let fake = Fake::start(vec![Answer::Hang(Vec::new())]).await;
    let start = Instant::now();
    let error = model(&fake).call(&prompt(), Duration::from_millis(100)).await.unwrap_err();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(error.retries.len(), 1, "{}", error.cause);
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

async fn checked(answers: Vec<Answer>) -> Vec<(CheckSubject, Severity, String)> {
    let fake = Fake::start(answers).await;
    let findings = model(&fake).check().await;
    findings.into_iter().map(|f| (f.subject, f.verdict, f.text)).collect()
}

#[tokio::test]
async fn a_profile_that_was_chosen_is_not_doubted() {
    for (profile, doubts) in [(None, 1), (Some(Profile::GENERIC), 0), (Some(Profile::GELAB), 0)] {
        let fake = Fake::start(vec![http("401 Unauthorized", JSON, "{}")]).await;
        let config = ModelConfig { name: "house-model".to_owned(), profile, ..config(&fake) };
        let findings = RemoteModel::new(config).unwrap().check().await;
        let doubted = findings.iter().filter(|it| it.subject == CheckSubject::Profile);
        assert_eq!(doubted.count(), doubts, "{profile:?}: {findings:?}");
    }
}

#[tokio::test]
async fn a_check_finds_what_is_wrong() {
    let list = |name: &str| http("200 OK", JSON, json!({"data": [{"id": name}]}).to_string());
    let tap = |point: &str| says(&format!("explain:e\taction:CLICK\tpoint:{point}\tsummary:s"));
    let found = checked(vec![list("gelab-fake"), tap("700,865")]).await;
    assert!(found.iter().all(|(_, verdict, _)| *verdict == Severity::Ok), "{found:?}");
    assert_eq!(found.len(), 3);

    let found = checked(vec![list("other"), tap("700,930")]).await;
    assert_eq!(found[1].0, CheckSubject::ModelName);
    assert!(found[1].2.contains("“other”"), "{found:?}");
    assert_eq!((found[2].0, found[2].1), (CheckSubject::Vision, Severity::Warning), "{found:?}");

    let found = checked(vec![http("404 Not Found", "", ""), tap("370,380")]).await;
    assert_eq!(found[0].1, Severity::Ok, "{found:?}");
    assert_eq!(found[1].1, Severity::Error, "{found:?}");
    assert!(found[1].2.contains("crop or scale"), "{found:?}");

    let page = http("200 OK", "content-type: text/html\r\n", "<!doctype html>");
    let found = checked(vec![page, tap("700,865")]).await;
    assert_eq!(found[0].1, Severity::Warning, "a web page is no list of models: {found:?}");
    assert_eq!(found[1].1, Severity::Ok, "{found:?}");

    let found = checked(vec![list("gelab-fake"), says("I see a red square.")]).await;
    assert_eq!((found[2].0, found[2].1), (CheckSubject::Vision, Severity::Error), "{found:?}");

    // Pixels of the picture that was sent, 720x1600, for the middle of the mark.
    for (point, part) in [("504,1384", "as pixels"), ("865,700", "as yx:0-1000")] {
        let found = checked(vec![list("gelab-fake"), tap(point)]).await;
        assert_eq!((found[2].0, found[2].1), (CheckSubject::Vision, Severity::Error), "{found:?}");
        assert!(found[2].2.contains(part), "{found:?}");
        assert!(found[2].2.contains("ayeaye model calibrate"), "{found:?}");
    }

    for (answer, part) in [
        (says("Sorry, I cannot see any image here."), "sees no picture"),
        (
            http("400 Bad Request", JSON, r#"{"error":{"message":"m is not a multimodal model"}}"#),
            "takes no pictures",
        ),
        (
            http(
                "400 Bad Request",
                JSON,
                r#"{"error":{"message":"the maximum context length is 2048 tokens"}}"#,
            ),
            "longer than the model's context",
        ),
        (
            http("404 Not Found", JSON, r#"{"error":{"message":"model not found"}}"#),
            "the model's name is wrong",
        ),
    ] {
        let found = checked(vec![list("gelab-fake"), answer]).await;
        assert_eq!((found[2].0, found[2].1), (CheckSubject::Vision, Severity::Error), "{found:?}");
        assert!(found[2].2.contains(part), "{found:?}");
    }

    let call = json!({"choices": [{"message": {"role": "assistant", "content": "", "tool_calls": [
        {"id": "1", "function": {"name": "tap_it", "arguments": "{\"at\": 5}"}}
    ]}}]});
    let found = checked(vec![list("gelab-fake"), http("200 OK", JSON, call.to_string())]).await;
    assert!(found[2].2.contains("tap_it {\"at\": 5}"), "a call is told too: {found:?}");

    let found = checked(vec![http("401 Unauthorized", JSON, "{}")]).await;
    let [(CheckSubject::Connection, Severity::Error, text)] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(text.contains("set the model's key"), "{text}");
}

#[tokio::test]
async fn a_model_is_calibrated_over_the_wire() {
    use crate::calibrate::probe_image::ProbeImage;
    use crate::{CalibrationPlan, CoordSystem};
    let plan = CalibrationPlan { probes: 12, seed: 9 };
    let answers = |speaks: CoordSystem| -> Vec<Answer> {
        let tap = |number| {
            let scene = ProbeImage::new(plan.seed, number);
            let sent = crate::picture::Resize::MaxPixels(720 * 1600).apply(scene.screen());
            let (x, y) = scene.target();
            let (width, height) = speaks.extent(sent);
            let point = format!("{:.0},{:.0}", x * width, y * height);
            says(&format!("explain:e\taction:CLICK\tpoint:{point}\tsummary:s"))
        };
        (1..=plan.probes).map(tap).collect()
    };
    for (speaks, differs) in
        [(CoordSystem::THOUSANDTHS, None), (CoordSystem::PIXELS, Some(CoordSystem::PIXELS))]
    {
        let fake = Fake::start(answers(speaks)).await;
        let mut told = 0;
        let found = model(&fake).calibrate(plan, |_| told += 1).await.unwrap();
        assert_eq!((found.correction(), told, found.readable), (differs, 12, 12), "{found:?}");
        // With what was found in the settings, taps land.
        let settled = ModelConfig { space: found.detected, ..config(&fake) };
        let settled = RemoteModel::new(settled).unwrap();
        let scene = ProbeImage::new(plan.seed, 1);
        let picture = settled.picture(&scene.draw());
        let (width, height) = speaks.extent(picture.size);
        let (x, y) = scene.target();
        let text =
            format!("explain:e\taction:CLICK\tpoint:{:.0},{:.0}\tsummary:s", x * width, y * height);
        let reply = Reply { text, ..Reply::default() };
        let decision = settled.read(&reply, picture.size).unwrap();
        let Action::Gesture(Gesture::Click { point }) = decision.action else { panic!("a tap") };
        assert!((point.fractions().0 - x).abs() < 0.002 && (point.fractions().1 - y).abs() < 0.002);
    }
    let fake = Fake::start(vec![http("401 Unauthorized", JSON, "{}")]).await;
    let error = model(&fake).calibrate(plan, |_| {}).await.unwrap_err();
    assert!(error.contains("key"), "{error}");
}
