//! Endpoints that are hostile or broken, in each of the APIs where it makes a difference: what the run
//! makes of it, what the client is told, what is on record. `docs/faults.md`, "Model endpoints", is
//! the table of these tests.
use std::io::Write as _;
use std::time::{Duration, Instant};

use ayeaye_model::ModelConfig;
use serde_json::{Value, json};

use crate::support::{
    Answer, Binary, FakeVlm, KEY, Rig, RigOptions, plugged_in, quick_model, quick_phone,
};
use api::Api;
use server::{Act, EVENTS, JSON, RawEndpoint, Request, raw};

mod api;
mod replies;
#[path = "../endpoint/server.rs"]
mod server;
mod untrusted;

/// A session that waits on a question, before anything goes wrong.
struct Waiting {
    rig: Rig,
    endpoint: RawEndpoint,
    asked: Value,
    api: Api,
}

impl Waiting {
    async fn on(api: Api) -> Self {
        Self::with(api, |_| ()).await
    }

    async fn with(api: Api, change: impl FnOnce(&mut ModelConfig)) -> Self {
        let endpoint = RawEndpoint::start(move |_| api.asks()).await;
        let (name, profile) = api.model();
        let mut model = quick_model(&endpoint.url(), name, Duration::from_secs(1));
        model.profile = Some(profile.parse().unwrap());
        change(&mut model);
        let vlm = FakeVlm::start(|_| Answer::Silence).await;
        let options = RigOptions { model: Some(model), ..RigOptions::quick() };
        let rig = Rig::with(vlm, options).await;
        let asked = rig.start("do it").await;
        assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{api:?}: {asked}");
        Self { rig, endpoint, asked, api }
    }

    async fn go_on(&self) -> Value {
        self.rig.go_on(&self.asked, json!({ "reply_from_client": "yes" })).await
    }

    /// Lets the endpoint act so to everything; the run has to fail, soon, with nothing done on the
    /// phone and no key anywhere, and the reason on record. Then the endpoint is mended, and the same
    /// session has to come to its end. Returns what the client was told.
    async fn fails(&self, act: impl FnMut() -> Act + Send + 'static, tries: usize) -> String {
        let mut act = act;
        self.endpoint.now(move |_| act());
        let begun = Instant::now();
        let failed = self.go_on().await;
        assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
        assert_eq!(failed["stop_reason"], "MODEL_FAILED", "{:?}: {failed}", self.api);
        let seen = self.endpoint.seen();
        assert_eq!(seen.len(), tries, "how often it was asked: {failed}");
        let keys = |request: &Request| request.head.matches(KEY).count();
        // Servers with Anthropic's API beside others know the key by another header than Anthropic.
        let headers = if matches!(self.api, Api::Anthropic) { 2 } else { 1 };
        assert!(
            seen.iter().all(|request| keys(request) == headers),
            "the key has its headers only"
        );
        let counts = self.rig.virtual_phone.phone().state().counts;
        assert_eq!(
            (counts.taps, counts.swipes, counts.texts),
            (0, 0, 0),
            "the phone is left alone"
        );
        let message = failed["message"].as_str().unwrap().to_owned();
        let record = self.record();
        assert!(!record.contains(KEY) && !failed.to_string().contains(KEY), "{message}");
        let answers = record.lines().filter(|line| line.contains("llm.response"));
        let errors = answers.filter(|line| {
            let line: Value = serde_json::from_str(line).unwrap();
            error_of(&line).is_some()
        });
        assert!(0 < errors.count(), "the failure is on record");
        let api = self.api;
        self.endpoint.now(move |_| api.done());
        let done = self.rig.go_on(&self.asked, json!({})).await;
        assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{api:?}: {done}");
        message
    }

    fn record(&self) -> String {
        let id = self.asked["session_id"].as_str().unwrap();
        let file = self.rig.data.path().join("sessions").join(id).join("events.jsonl");
        std::fs::read_to_string(file).unwrap()
    }
}

/// The error that a line of the record tells, wherever it stands in it.
fn error_of(line: &Value) -> Option<&str> {
    match line {
        Value::Object(map) => map.iter().find_map(|(key, value)| match value {
            Value::String(text) if key == "error" => Some(text.as_str()),
            other => error_of(other),
        }),
        _ => None,
    }
}

fn says(text: &str, message: &str) {
    assert!(message.contains(text), "{message}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_redirect_is_not_followed_and_the_key_goes_nowhere_else() {
    for api in Api::ALL {
        let other = RawEndpoint::start(move |_| api.done()).await;
        let to = format!("location: {}/v1/messages\r\n", other.url());
        let waiting = Waiting::on(api).await;
        let redirect = move || Act::http("307 Temporary Redirect", &to, "");
        let message = waiting.fails(redirect, 1).await;
        says("not followed", &message);
        assert!(other.seen().is_empty(), "{api:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_packed_bomb_is_dropped() {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..64 {
        packed.write_all(&vec![b' '; 1 << 20]).unwrap();
    }
    let packed = packed.finish().unwrap();
    assert!(packed.len() < 100_000, "{}", packed.len());
    let bomb = move || Act::http("200 OK", "content-encoding: gzip\r\n", &packed);
    let message = Waiting::on(Api::Chat).await.fails(bomb, 1).await;
    says("more than 16777216 bytes", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drip_ends_inside_the_limit_of_a_call() {
    for api in [Api::Chat, Api::Anthropic] {
        let drip = || Act::Drip(raw("200 OK", EVENTS, ""));
        let waiting = Waiting::with(api, |model| model.limits.total = Duration::from_secs(1)).await;
        let message = waiting.fails(drip, 2).await;
        says("sent no more of its answer within 1.0 s", &message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn no_first_byte_ends_inside_its_limit() {
    let message = Waiting::on(Api::Gemini).await.fails(|| Act::Hang(Vec::new()), 2).await;
    says("gave no answer within 1.0 s", &message);
    let half = || Act::Hang(raw("200 OK", "content-length: 99\r\n", "{"));
    let message = Waiting::on(Api::Chat).await.fails(half, 2).await;
    says("sent no more of its answer within 1.0 s", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_key_is_told_at_once_by_every_api() {
    let said = format!("{{\"error\":{{\"message\":\"API key not valid: {KEY}\"}}}}");
    for (api, status) in [
        (Api::Chat, "401 Unauthorized"),
        (Api::Anthropic, "403 Forbidden"),
        (Api::Gemini, "400 Bad Request"),
        (Api::Responses, "401 Unauthorized"),
    ] {
        let said = said.clone();
        let refused = move || Act::http(status, JSON, &said);
        let message = Waiting::on(api).await.fails(refused, 1).await;
        says("set AYEAYE_MODEL_API_KEY", &message);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_not_there_is_told_at_once() {
    let said = "{\"error\":{\"message\":\"model `x` not found\"}}";
    let gone = move || Act::http("404 Not Found", JSON, said);
    let message = Waiting::on(Api::Chat).await.fails(gone, 1).await;
    says("the model's name is wrong", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_endpoint_is_tried_again_with_and_without_a_time() {
    let overloaded =
        "{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}";
    let in_words = "{\"error\":{\"message\":\"Rate limit reached. Please try again in 20ms.\"}}";
    for (api, busy) in [
        (Api::Chat, Act::http("503 Service Unavailable", "retry-after: 0\r\n", "")),
        (Api::Gemini, Act::http("429 Too Many Requests", JSON, "{}")),
        (Api::Anthropic, Act::http("529 Overloaded", JSON, overloaded)),
        (
            Api::Anthropic,
            Act::http("200 OK", EVENTS, format!("event: error\ndata: {overloaded}\n\n")),
        ),
        (Api::Responses, Act::http("429 Too Many Requests", JSON, in_words)),
        (Api::Chat, Act::Reset),
    ] {
        let waiting = Waiting::on(api).await;
        let mut once = Some(busy);
        waiting.endpoint.now(move |_| once.take().unwrap_or_else(|| api.done()));
        let done = waiting.go_on().await;
        assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{api:?}: {done}");
        assert_eq!(waiting.endpoint.seen().len(), 2);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_is_busy_for_long_is_not_waited_for() {
    for api in Api::ALL {
        let busy = || Act::http("429 Too Many Requests", "retry-after: 300\r\n", "{}");
        says("not to be asked again for 5 minutes", &Waiting::on(api).await.fails(busy, 1).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_web_page_or_another_api_is_told() {
    for (api, part) in
        [(Api::Anthropic, "message of Anthropic's API"), (Api::Gemini, "`candidates`")]
    {
        let page = || Act::http("200 OK", "content-type: text/html\r\n", "<html>sign in</html>");
        says("answered with a web page", &Waiting::on(api).await.fails(page, 2).await);
        let chat = || Act::says(&json!({ "choices": [] }));
        says(part, &Waiting::on(api).await.fails(chat, 2).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_wrong_content_type_does_no_harm() {
    for api in Api::ALL {
        let waiting = Waiting::on(api).await;
        let stream = api.done_in_events();
        waiting.endpoint.now(move |_| Act::http("200 OK", "content-type: text/html\r\n", &stream));
        let done = waiting.go_on().await;
        assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{api:?}: {done}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_prompt_that_is_too_long_is_sent_once_more_with_less() {
    let api = Api::Anthropic;
    let waiting = Waiting::on(api).await;
    let (mut steps, mut refused) = (0, 0);
    waiting.endpoint.now(move |request| {
        let turns = request.body["messages"].as_array().unwrap().len();
        if 14 < turns {
            refused += 1;
            let said = "{\"error\":{\"message\":\"prompt is too long: 9 tokens > 8 maximum\"}}";
            return Act::http("400 Bad Request", JSON, said);
        }
        steps += 1;
        if 0 < refused {
            return api.done();
        }
        let key = if steps % 2 == 0 { "home" } else { "recents" };
        Act::says(&api.says("press_key", &json!({ "key": key })))
    });
    let done = waiting.go_on().await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let turns: Vec<usize> = waiting
        .endpoint
        .seen()
        .iter()
        .map(|request| request.body["messages"].as_array().unwrap().len())
        .collect();
    let refused = turns.iter().filter(|turns| 14 < **turns).count();
    assert_eq!(refused, 1, "once more, with less: {turns:?}");
    let last = waiting.endpoint.seen().pop().unwrap().body.to_string();
    assert!(last.contains("earlier steps are left out"), "{last}");
    assert!(
        last.contains("The user's request") && last.contains("yes"),
        "what the user said stays"
    );
    // A prompt of one message has nothing to leave out.
    let too_long =
        || Act::http("400 Bad Request", JSON, "{\"message\":\"maximum context length is 4096\"}");
    let message = Waiting::on(Api::Chat).await.fails(too_long, 1).await;
    says("longer than the model's context", &message);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_endpoint_does_not_take_is_left_out() {
    let api = Api::Chat;
    let waiting = Waiting::on(api).await;
    waiting.endpoint.now(move |request| {
        for (name, said) in [
            ("temperature", "Unsupported value: 'temperature' does not support 0.1"),
            ("max_tokens", "'max_tokens' is not supported. Use 'max_completion_tokens' instead."),
            ("stream_options", "unknown field stream_options"),
        ] {
            if request.body.get(name).is_some() {
                let said = json!({ "error": { "message": said } }).to_string();
                return Act::http("400 Bad Request", JSON, said);
            }
        }
        api.done()
    });
    let done = waiting.go_on().await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    assert_eq!(waiting.endpoint.seen().len(), 4, "each is found out once");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_than_asked_for_is_on_record() {
    let waiting = Waiting::on(Api::Chat).await;
    waiting.endpoint.now(|_| {
        let mut answer = Api::Chat.says("done", &json!({ "message": "Done." }));
        answer["model"] = json!("swapped-1");
        Act::says(&answer)
    });
    let done = waiting.go_on().await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let record = waiting.record();
    assert!(record.contains("\"model\":\"swapped-1\""), "what answered is on record");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_model_than_asked_for_is_told_in_the_log() {
    let log = log_of_another_model("other").await;
    says("was asked for gelab-fake and answers as “swapped-1”", &log);
    // As vLLM answers under the first of a model's names.
    let log = log_of_another_model("gelab-fake").await;
    assert!(!log.contains("answers as"), "{log}");
}

/// The warnings of a server whose model answers under another name, at an endpoint that lists this one.
async fn log_of_another_model(listed: &'static str) -> String {
    let endpoint = RawEndpoint::start(move |request| {
        if request.head.starts_with("get") {
            return Act::says(&json!({ "data": [{ "id": listed }] }));
        }
        let mut answer = Api::Chat.says("done", &json!({ "message": "Done." }));
        answer["model"] = json!("swapped-1");
        Act::says(&answer)
    })
    .await;
    let virtual_phone = quick_phone();
    let (adb, _end) = plugged_in(&virtual_phone).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let binary = Binary::with(adb, &vlm)
        .set("AYEAYE_MODEL_BASE_URL", &endpoint.url())
        .set("AYEAYE_MODEL_NAME", "gelab-fake")
        .set("AYEAYE_LOG", "warn");
    let path = binary.data.path().join("log");
    let mut raw = binary.raw_logging(std::fs::File::create(&path).unwrap()).await;
    let start = json!({ "device_id": virtual_phone.serial(), "task": "do it" });
    let done = raw.facts("ask_agent_start_new_task", start).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    raw.hang_up();
    raw.end().await;
    std::fs::read_to_string(path).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_endpoint_that_cannot_be_found_or_trusted_is_told() {
    let waiting = Waiting::on(Api::Chat).await;
    let port = waiting.endpoint.url().rsplit(':').next().unwrap().to_owned();
    waiting.endpoint.now(|_| Api::Chat.done());
    for url in ["http://no-such-host.invalid".to_owned(), format!("https://127.0.0.1:{port}")] {
        // Where there is no name service, looking the name up never ends by itself: the limit for
        // a connection is well below the one for an answer, so that it is the one that is told.
        let mut model = quick_model(&url, "gelab-fake", Duration::from_secs(20));
        model.limits.connect = Duration::from_secs(2);
        if ayeaye_model::RemoteModel::new(model.clone()).is_err() {
            // A machine without certificates cannot speak TLS at all, and the start says so.
            continue;
        }
        let vlm = FakeVlm::start(|_| Answer::Silence).await;
        let options = RigOptions { model: Some(model), ..RigOptions::quick() };
        let failed = Rig::with(vlm, options).await.start("do it").await;
        assert_eq!(failed["stop_reason"], "MODEL_FAILED", "{failed}");
        says("cannot be reached", failed["message"].as_str().unwrap());
        assert!(!failed.to_string().contains(KEY));
    }
    assert!(waiting.endpoint.seen().is_empty(), "nothing went over without encryption");
}
