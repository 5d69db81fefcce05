//! Errors that an endpoint reports in the body of an answer, in the few places they are put.
use serde_json::Value;

use super::error::AttemptError;

/// What the body of an error answer says, for people.
pub(super) fn error_message(body: &[u8]) -> String {
    let Ok(json) = serde_json::from_slice::<Value>(body) else {
        let text = String::from_utf8_lossy(body);
        let is_page = text.trim_start().starts_with('<');
        return if is_page { "a web page".to_owned() } else { text.into_owned() };
    };
    let json = unwrap_single(&json);
    let error = &json["error"];
    let code = [&error["code"], &error["type"], &error["status"]];
    let code = code.into_iter().find_map(Value::as_str).unwrap_or_default();
    for place in [&error["message"], error, &json["message"], &json["detail"]] {
        if let Some(text) = place.as_str() {
            return if code.is_empty() { text.to_owned() } else { format!("{text} [{code}]") };
        }
    }
    json.to_string()
}

/// The error in an answer whose HTTP status is a success.
pub(super) fn reported_error(json: &Value) -> Option<AttemptError> {
    let json = unwrap_single(json);
    // In streams of the Responses API in what has failed, or as an event of its own.
    let error = match &json["error"] {
        Value::Null if json["type"] == "error" => json,
        Value::Null => &json["response"]["error"],
        error => error,
    };
    if error.is_null() || error.as_str().is_some_and(str::is_empty) {
        return None;
    }
    let code = [&error["code"], &error["status"], &json["code"]];
    let code = code.into_iter().find_map(|code| {
        code.as_u64().or_else(|| code.as_str()?.parse().ok()).filter(|c| (400..600).contains(c))
    });
    let text = error_message(serde_json::json!({ "error": error }).to_string().as_bytes());
    let status = code.and_then(|code| u16::try_from(code).ok());
    // An error without a number may be temporary, like one of the server's own.
    let status = status.or_else(|| status_of_type(error["type"].as_str()?)).unwrap_or(500);
    Some(AttemptError::from_status(status, &text, None))
}

/// The status of an error that has only a type, as in Anthropic's streams.
fn status_of_type(kind: &str) -> Option<u16> {
    Some(match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => return None,
    })
}

/// The only element of a list: Gemini wraps its errors so.
fn unwrap_single(json: &Value) -> &Value {
    match json.as_array().map(Vec::as_slice) {
        Some([one]) => one,
        _ => json,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::error::Recovery;
    use super::*;

    #[test]
    fn errors_with_types_have_the_status_they_would_have_had() {
        for (kind, recovery) in [
            ("overloaded_error", Recovery::Retry { after: None }),
            ("api_error", Recovery::Retry { after: None }),
            ("authentication_error", Recovery::GiveUp),
            ("invalid_request_error", Recovery::GiveUp),
        ] {
            let body = json!({"type": "error", "error": {"type": kind, "message": "x"}});
            assert_eq!(reported_error(&body).unwrap().recovery, recovery, "{kind}");
        }
    }

    #[test]
    fn an_error_is_found_where_it_is() {
        assert_eq!(error_message(br#"{"error":{"message":"a","type":"b"}}"#), "a [b]");
        assert_eq!(error_message(br#"{"error":{"code":400,"message":"a","status":"B"}}"#), "a [B]");
        assert_eq!(error_message(br#"{"error":"a"}"#), "a");
        assert_eq!(error_message(br#"{"object":"error","message":"a"}"#), "a");
        assert_eq!(error_message(br#"{"detail":"Not Found"}"#), "Not Found");
        assert_eq!(error_message(b"<html>"), "a web page");
        assert_eq!(error_message(b"Bad gateway"), "Bad gateway");
    }
}
