//! Answers that take long, to requests without a session: their streams begin before there is anything to say.
//!
//! In 2026-07-28 a client that closes its connection has cancelled the call. rmcp sends nothing before the first
//! message, and a proxy in between gives up such a silence after 30 or 60 seconds. The client would never hear of the
//! task, and the task would end with its connection. So after a while the stream begins with a comment, and goes on with
//! one from time to time, as those of sessions do.
use std::pin::Pin;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse as _, Response};
use futures::{StreamExt as _, stream};
use serde_json::{Value, json};
use tokio::time::{MissedTickBehavior, interval};

use super::SESSION_ID;

/// How long an answer may take before its stream begins without it. Until then it has a status of its own, as errors
/// have; the proxies that give up first do so after 15 seconds.
pub(super) const SILENCE: Duration = Duration::from_secs(10);

/// How long nothing is said in a stream that has begun: rmcp's interval for those of sessions.
const COMMENT_EVERY: Duration = Duration::from_secs(15);

/// An answer that is waited for.
pub(super) type Answering = Pin<Box<dyn Future<Output = Response> + Send>>;

/// Whether the answer to a POST may begin before it is there. All that names its method in a header, and no session, is
/// of 2026-07-28, but for the handshake of older protocols, whose answer names the session in a header. What accepts no
/// stream is refused at once.
pub(super) fn may_begin_early(headers: &HeaderMap) -> bool {
    let method = headers.get("mcp-method");
    !headers.contains_key(SESSION_ID) && method.is_some_and(|method| method != "initialize")
}

/// The answer, or after so long a silence the stream in which it will come. `body` is that of the request. Whoever drops
/// the stream drops what answers.
pub(super) async fn within(silence: Duration, mut answering: Answering, body: Bytes) -> Response {
    if let Ok(response) = tokio::time::timeout(silence, &mut answering).await {
        return response;
    }
    let mut ticks = interval(COMMENT_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let parts = stream::unfold(Some((answering, ticks, body)), |waiting| async {
        let (mut answering, mut ticks, body) = waiting?;
        tokio::select! {
            response = &mut answering => Some((events(response, &body).await, None)),
            _ = ticks.tick() => Some((Body::from(":\n\n"), Some((answering, ticks, body)))),
        }
    });
    let bytes = Body::from_stream(parts.flat_map(Body::into_data_stream));
    // As rmcp begins its streams. The last is for nginx, which would collect what comes.
    let headers = [
        (CONTENT_TYPE.as_str(), "text/event-stream"),
        (CACHE_CONTROL.as_str(), "no-cache"),
        ("x-accel-buffering", "no"),
    ];
    (headers, bytes).into_response()
}

/// What a response says, as events. A status cannot be told any more: what is no message becomes the error of the
/// request that it answers.
async fn events(response: Response, request: &[u8]) -> Body {
    let kind = response.headers().get(CONTENT_TYPE).map(HeaderValue::as_bytes);
    if kind.is_some_and(|kind| kind.starts_with(b"text/event-stream")) {
        return response.into_body();
    }
    // It is whole in memory already.
    let told = axum::body::to_bytes(response.into_body(), usize::MAX).await.unwrap_or_default();
    let mut answer =
        serde_json::from_slice(&told).ok().filter(Value::is_object).unwrap_or_else(|| {
            let message = String::from_utf8_lossy(&told);
            json!({ "jsonrpc": "2.0", "error": { "code": -32603, "message": message } })
        });
    if answer.get("id").is_none_or(Value::is_null) {
        let request: Value = serde_json::from_slice(request).unwrap_or_default();
        answer["id"] = request.get("id").cloned().unwrap_or_default();
    }
    Body::from(format!("data: {answer}\n\n"))
}

#[cfg(test)]
mod tests {
    use axum::http::StatusCode;
    use axum::response::IntoResponse;
    use futures::future::pending;
    use tokio::sync::oneshot;
    use tokio::time::{Instant, sleep};

    use super::*;

    const REQUEST: &[u8] = br#"{"jsonrpc":"2.0","id":"seven","method":"tools/call"}"#;

    /// Answers so after a while.
    fn after(seconds: u64, answer: impl IntoResponse + Send + 'static) -> Answering {
        Box::pin(async move {
            sleep(Duration::from_secs(seconds)).await;
            answer.into_response()
        })
    }

    async fn ask(answering: Answering) -> Response {
        within(SILENCE, answering, Bytes::from_static(REQUEST)).await
    }

    /// The stream that a slow answer becomes.
    async fn told(answer: impl IntoResponse + Send + 'static) -> String {
        let response = ask(after(30, answer)).await;
        assert_eq!(response.status(), StatusCode::OK);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert_eq!(response.headers()["x-accel-buffering"], "no");
        let told = axum::body::to_bytes(response.into_body(), 1 << 16).await.unwrap();
        String::from_utf8(told.into()).unwrap()
    }

    fn error_of(told: &str) -> Value {
        let event = told.strip_prefix(":\n\n:\n\ndata: ").expect("two comments and an event");
        serde_json::from_str(event.strip_suffix("\n\n").expect("the end of an event")).unwrap()
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_answered_soon_keeps_its_status() {
        let refusal = (StatusCode::NOT_FOUND, [("x-kept", "yes")], "{}");
        let response = ask(after(9, refusal)).await;
        assert_eq!(response.status(), StatusCode::NOT_FOUND);
        assert_eq!(response.headers()["x-kept"], "yes");
    }

    #[tokio::test(start_paused = true)]
    async fn a_long_silence_is_broken_by_comments() {
        let begun = Instant::now();
        let mut stream = ask(Box::pin(pending())).await.into_body().into_data_stream();
        for seconds in [10, 25, 40] {
            assert_eq!(stream.next().await.unwrap().unwrap(), ":\n\n");
            assert_eq!(begun.elapsed(), Duration::from_secs(seconds));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_stream_goes_on_as_it_is() {
        let events = "id: 1\ndata: {}\n\ndata: 2\n\n";
        let stream = ([(CONTENT_TYPE, "text/event-stream")], events);
        assert_eq!(told(stream).await, format!(":\n\n:\n\n{events}"));
    }

    #[tokio::test(start_paused = true)]
    async fn a_late_refusal_is_an_event_for_its_request() {
        let json = [("content-type", "application/json")];
        let own = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32602,"message":"a"}}"#;
        let answer = error_of(&told((StatusCode::BAD_REQUEST, json, own)).await);
        assert_eq!(answer, serde_json::from_str::<Value>(own).unwrap());
        let nobodys =
            "{\n\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32600,\"message\":\"b\"}}";
        let answer = error_of(&told((StatusCode::NOT_FOUND, json, nobodys)).await);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&"seven".into(), &(-32600).into()));
        let answer = error_of(&told((StatusCode::INTERNAL_SERVER_ERROR, "no\r\nanswer")).await);
        assert_eq!((&answer["id"], &answer["error"]["code"]), (&"seven".into(), &(-32603).into()));
        assert_eq!(answer["error"]["message"], "no\r\nanswer");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_leaves_the_stream_ends_the_work() {
        let (working, mut ended) = oneshot::channel::<()>();
        let response = ask(Box::pin(async move {
            let _working = working;
            pending().await
        }));
        let mut stream = response.await.into_body().into_data_stream();
        assert!(stream.next().await.is_some());
        assert_eq!(ended.try_recv(), Err(oneshot::error::TryRecvError::Empty));
        drop(stream);
        assert_eq!(ended.try_recv(), Err(oneshot::error::TryRecvError::Closed));
    }

    #[test]
    fn only_what_names_its_method_and_no_session_may_begin_early() {
        let may = |pairs: &[(&'static str, &str)]| {
            let pairs = pairs.iter().map(|(name, value)| {
                (axum::http::HeaderName::from_static(name), value.parse().unwrap())
            });
            may_begin_early(&pairs.collect())
        };
        assert!(may(&[("mcp-method", "tools/call")]));
        assert!(!may(&[("mcp-method", "tools/call"), (SESSION_ID, "a")]));
        assert!(!may(&[("mcp-method", "initialize")]) && !may(&[]));
    }
}
