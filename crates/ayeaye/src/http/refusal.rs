//! The answers to requests that do not reach MCP.
use std::time::Duration;

use axum::http::StatusCode;
use axum::http::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER};
use axum::response::{IntoResponse as _, Response};

use super::replay::Spent;

/// A JSON-RPC error, which clients show, with the HTTP status that fits.
pub(super) fn refuse(status: StatusCode, text: &str) -> Response {
    let body = serde_json::json!({
        "jsonrpc": "2.0",
        "id": null,
        "error": { "code": -32600, "message": text },
    });
    (status, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

/// An error with `Retry-After`.
pub(super) fn later(status: StatusCode, wait: Duration, text: &str) -> Response {
    after(wait, refuse(status, text))
}

/// This answer, with `Retry-After`.
pub(super) fn after(wait: Duration, mut response: Response) -> Response {
    let seconds = HeaderValue::from(wait.as_secs().saturating_add(1));
    response.headers_mut().insert(RETRY_AFTER, seconds);
    response
}

/// The request names a session that is not there. rmcp says so in a plain text without a way out, which clients show as
/// it is; the code is that of the official SDK's servers.
pub(super) fn no_session() -> Response {
    let body = serde_json::json!({
        "jsonrpc": "2.0",
        "id": null,
        "error": { "code": -32001, "message": NO_SESSION },
    });
    (StatusCode::NOT_FOUND, [(CONTENT_TYPE, "application/json")], body.to_string()).into_response()
}

const NO_SESSION: &str = "Session not found: the server was restarted, or this connection to it has ended. Connect \
     again (initialize, without Mcp-Session-Id). Tasks go on from what is kept: list_sessions has their session_ids";

/// Nothing is left of a stream that a client resumes. Some clients take every stream that ends for a broken
/// one and resume it (TypeScript SDK 1.23, which Gemini CLI contains); an empty stream would be resumed
/// again, for ever. This status tells them that there is none.
pub(super) fn nothing_left(spent: Spent) -> Response {
    let mut response = refuse(StatusCode::METHOD_NOT_ALLOWED, spent.text());
    response.headers_mut().insert(ALLOW, HeaderValue::from_static("POST, DELETE"));
    response
}
