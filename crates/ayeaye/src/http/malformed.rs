//! What is wrong with a body that is no message, or no handshake where one should be, as JSON-RPC says it. rmcp
//! answers 415 or 400 with a plain text.
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse as _, Response};
use serde_json::{Value, json};

use crate::mcp::bad_params;

/// The largest number of characters of a parser's message.
const MAX_REASON: usize = 200;

/// Whether a request says that its body is JSON.
pub(super) fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    kind.split(';').next().is_some_and(|it| it.trim().eq_ignore_ascii_case("application/json"))
}

/// The response, or what was wrong with the body, which is said to be JSON, if that is why rmcp refused it.
pub(super) fn explained(response: Response, body: &[u8]) -> Response {
    let error = match response.status() {
        StatusCode::UNSUPPORTED_MEDIA_TYPE => reason(body),
        // What is JSON-RPC already is about something else.
        StatusCode::BAD_REQUEST if !is_json(response.headers()) => unfit_handshake(body),
        _ => None,
    };
    match error {
        Some(error) => {
            let is_json = HeaderValue::from_static("application/json");
            (StatusCode::BAD_REQUEST, [(CONTENT_TYPE, is_json)], error.to_string()).into_response()
        }
        None => response,
    }
}

/// The error for an `initialize` whose params do not fit; rmcp says that it needs a session.
fn unfit_handshake(body: &[u8]) -> Option<Value> {
    let (error, id) = bad_params::of_handshake(&serde_json::from_slice(body).ok()?)?;
    Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }))
}

/// The error that says why this is no message; `None` if it is one.
fn reason(body: &[u8]) -> Option<Value> {
    let error = |code: i32, id: &Value, message: &str| {
        let id = if id.is_string() || id.is_i64() { id.clone() } else { Value::Null };
        Some(json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } }))
    };
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(err) => {
            let why: String = err.to_string().chars().take(MAX_REASON).collect();
            return error(-32700, &Value::Null, &format!("the body is not JSON: {why}"));
        }
    };
    match &value {
        Value::Array(_) => error(
            -32600,
            &Value::Null,
            "batches are not taken: send each message in a request of its own",
        ),
        Value::Object(message) if serde_json::from_slice::<Message>(body).is_err() => {
            // By the id of a response the client would take it for the answer to a request of its own.
            let id = message.get("id").filter(|_| message.contains_key("method"));
            let id = id.unwrap_or(&Value::Null);
            error(-32600, id, "the body is no JSON-RPC 2.0 request, notification or response")
        }
        Value::Object(_) => None,
        _ => error(-32600, &Value::Null, "the body is no JSON-RPC 2.0 message"),
    }
}

type Message = rmcp::model::ClientJsonRpcMessage;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_nonsense_has_its_code() {
        let code =
            |body: &str| reason(body.as_bytes()).map(|it| it["error"]["code"].as_i64().unwrap());
        for broken in ["", "not json", "{\"id\":1", "{\"a\":1e400}", "\"\\ud83d\""] {
            assert_eq!(code(broken), Some(-32700), "{broken}");
        }
        assert_eq!(reason(&[0x22, 0xff, 0x22]).unwrap()["error"]["code"], -32700);
        for odd in ["[]", "7", "null", "{}", r#"{"jsonrpc":"2.0","id":7}"#] {
            assert_eq!(code(odd), Some(-32600), "{odd}");
        }
        assert_eq!(reason(br#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#).unwrap()["id"], 7);
        assert_eq!(reason(br#"{"jsonrpc":"1.0","id":7,"result":{}}"#).unwrap()["id"], Value::Null);
        // As rmcp reads it: from the bytes, where a name may stand twice.
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}"#), Some(-32600));
        assert_eq!(
            code(r#"{"jsonrpc":"2.0","jsonrpc":"2.0","id":7,"method":"ping"}"#),
            Some(-32600)
        );
        assert_eq!(code(r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#), None);
    }
}
