//! A model's endpoint that answers from a script, and complains about requests no real one would
//! accept.
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use axum::routing::post;
use axum::serve::ListenerExt as _;
use axum::{Json, Router};
use base64::Engine as _;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use super::binary::within;

/// The key every request must carry.
pub const KEY: &str = "test-key-5f1c";

/// What the endpoint does with a request.
pub enum Answer {
    /// An ordinary answer with this text.
    Says(String),
    /// The same, but not before the gate is opened.
    Held(Arc<Notify>, String),
    /// An answer that the endpoint cut off for its length.
    Cut(String),
    /// 429, with so many seconds to wait.
    Busy(u32),
    /// This status with this body, of this content type.
    Raw(u16, &'static str, String),
    /// Nothing, until the client gives up.
    Silence,
}

type Script = Box<dyn FnMut(&Value) -> Answer + Send>;

/// The endpoint. Dropping it ends it.
pub struct FakeVlm {
    pub address: SocketAddr,
    state: Arc<Shared>,
    server: tokio::task::JoinHandle<()>,
}

struct Shared {
    script: Mutex<Script>,
    asked: Mutex<Vec<Value>>,
    count: watch::Sender<usize>,
    complaints: Mutex<Vec<String>>,
    connections: AtomicUsize,
}

impl FakeVlm {
    pub async fn start(script: impl FnMut(&Value) -> Answer + Send + 'static) -> Self {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        Self::start_on(listener, script)
    }

    /// The same at an address that was chosen before.
    pub fn start_on(
        listener: tokio::net::TcpListener,
        script: impl FnMut(&Value) -> Answer + Send + 'static,
    ) -> Self {
        let state = Arc::new(Shared {
            script: Mutex::new(Box::new(script)),
            asked: Mutex::default(),
            count: watch::Sender::default(),
            complaints: Mutex::default(),
            connections: AtomicUsize::default(),
        });
        let counted = state.clone();
        let count = move |_: &mut _| {
            counted.connections.fetch_add(1, Ordering::Relaxed);
        };
        let router = Router::new()
            .route("/v1/chat/completions", post(answer))
            .with_state(state.clone())
            .layer(axum::extract::DefaultBodyLimit::max(16 << 20));
        let address = listener.local_addr().unwrap();
        let listener = listener.tap_io(count);
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { address, state, server }
    }

    pub fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    /// Puts another script in place.
    pub fn now(&self, script: impl FnMut(&Value) -> Answer + Send + 'static) {
        *self.state.script.lock().unwrap() = Box::new(script);
    }

    /// From now on the same answer to everything.
    pub fn always(&self, reply: &str) {
        let reply = reply.to_owned();
        self.now(move |_| Answer::Says(reply.clone()));
    }

    /// From now on these answers, one after the other, and then none.
    pub fn then(&self, answers: Vec<Answer>) {
        self.now(one_by_one(answers));
    }

    /// Every request so far.
    pub fn asked(&self) -> Vec<Value> {
        self.state.asked.lock().unwrap().clone()
    }

    /// How many requests have come so far.
    pub fn asked_count(&self) -> usize {
        self.state.asked.lock().unwrap().len()
    }

    /// Waits until so many requests have come since the start, and the script has answered the last of them.
    pub async fn is_asked(&self, times: usize) {
        let mut count = self.state.count.subscribe();
        let counted = async { count.wait_for(|count| times <= *count).await.map(|count| *count) };
        within(20, "a question to the model", counted).await.unwrap();
    }

    /// How many connections have been made so far.
    pub fn connections(&self) -> usize {
        self.state.connections.load(Ordering::Relaxed)
    }

    /// What was wrong with requests; a test that expects none checks this.
    pub fn complaints(&self) -> Vec<String> {
        self.state.complaints.lock().unwrap().clone()
    }
}

/// A script of these answers; silence when they are used up, which a test notices by its limits.
pub fn one_by_one(answers: Vec<Answer>) -> impl FnMut(&Value) -> Answer + Send {
    let mut answers = answers.into_iter();
    move |_| answers.next().unwrap_or(Answer::Silence)
}

impl Drop for FakeVlm {
    fn drop(&mut self) {
        self.server.abort();
        if !std::thread::panicking() {
            assert_eq!(self.complaints(), Vec::<String>::new(), "the model's endpoint complained");
        }
    }
}

async fn answer(
    State(state): State<Arc<Shared>>,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    if let Err(complaint) = check(&headers, &body) {
        state.complaints.lock().unwrap().push(complaint.clone());
        return (StatusCode::BAD_REQUEST, complaint).into_response();
    }
    state.asked.lock().unwrap().push(body.clone());
    // Not under the lock: an answer may be held.
    let answer = (state.script.lock().unwrap())(&body);
    // Whoever waits for a question finds done what the script does at it.
    state.count.send_modify(|count| *count += 1);
    match answer {
        Answer::Says(text) => completion(&body, &text, "stop"),
        Answer::Held(gate, text) => {
            gate.notified().await;
            completion(&body, &text, "stop")
        }
        Answer::Cut(text) => completion(&body, &text, "length"),
        Answer::Busy(seconds) => {
            let wait = [(header::RETRY_AFTER, seconds.to_string())];
            (StatusCode::TOO_MANY_REQUESTS, wait, "slow down").into_response()
        }
        Answer::Raw(status, content_type, text) => {
            (StatusCode::from_u16(status).unwrap(), [(header::CONTENT_TYPE, content_type)], text)
                .into_response()
        }
        Answer::Silence => std::future::pending().await,
    }
}

fn completion(request: &Value, text: &str, finish_reason: &str) -> Response {
    Json(json!({
        "id": "x", "object": "chat.completion", "model": request["model"],
        "choices": [{ "index": 0, "finish_reason": finish_reason,
                      "message": { "role": "assistant", "content": text } }],
        "usage": { "prompt_tokens": 1200, "completion_tokens": 60, "total_tokens": 1260 }
    }))
    .into_response()
}

/// Every request shows one screen, as a JPEG, and carries the key.
fn check(headers: &HeaderMap, body: &Value) -> Result<(), String> {
    let key = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if key != Some(&format!("Bearer {KEY}")) {
        return Err(format!("the key is {key:?}"));
    }
    let pictures: Vec<&str> = body["messages"]
        .as_array()
        .into_iter()
        .flatten()
        .flat_map(|message| message["content"].as_array().into_iter().flatten())
        .filter_map(|part| part["image_url"]["url"].as_str())
        .collect();
    let [picture] = pictures.as_slice() else {
        return Err(format!("{} pictures", pictures.len()));
    };
    let encoded = picture.strip_prefix("data:image/jpeg;base64,").ok_or("not a JPEG data URL")?;
    let bytes = base64::engine::general_purpose::STANDARD
        .decode(encoded)
        .map_err(|err| format!("not base64: {err}"))?;
    match bytes.as_slice() {
        [0xff, 0xd8, .., 0xff, 0xd9] => Ok(()),
        _ => Err("not a whole JPEG".to_owned()),
    }
}
