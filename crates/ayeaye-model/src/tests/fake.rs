//! Answers of a chat endpoint, and an endpoint that gives them in order.
use serde_json::{Value, json};

pub(super) use super::server::{Act, EVENTS, JSON, raw};
use super::server::{RawEndpoint, Request};

/// An endpoint that gives its answers in order, the last one for ever.
pub(super) struct Fake(RawEndpoint);

impl Fake {
    pub(super) async fn start(answers: Vec<Act>) -> Self {
        let mut next = 0;
        let script = move |_: &Request| {
            let answer = answers[next.min(answers.len() - 1)].clone();
            next += 1;
            answer
        };
        Self(RawEndpoint::start(script).await)
    }

    pub(super) fn url(&self) -> String {
        self.0.url()
    }

    pub(super) fn seen(&self) -> Vec<Request> {
        self.0.seen()
    }
}

/// An answer with a status, headers and a body that ends with the connection.
pub(super) fn http(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Act {
    Act::http(status, headers, body)
}

/// A whole answer with this reply.
pub(super) fn says(text: &str) -> Act {
    Act::says(&completion(text, "stop"))
}

pub(super) fn completion(text: &str, finish_reason: &str) -> Value {
    json!({
        "model": "fake-1",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": finish_reason}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2},
    })
}

/// The events of a streamed reply: each piece, then the reason if there is one.
pub(super) fn events(pieces: &[&str], finish_reason: Option<&str>) -> String {
    let mut body = String::new();
    let mut event = |said: Value| body.extend(["data: ", &said.to_string(), "\n\n"]);
    for piece in pieces {
        event(json!({"choices": [{"index": 0, "delta": {"content": piece}}]}));
    }
    if let Some(reason) = finish_reason {
        event(json!({"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}));
        event(json!({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}}));
        body.push_str("data: [DONE]\n\n");
    }
    body
}
