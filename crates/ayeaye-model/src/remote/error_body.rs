//! Errors that an endpoint reports in the body of an answer, in the few places they are put.
use std::time::{Duration, SystemTime};

use serde_json::Value;

use super::error::{AttemptError, WEB_PAGE};

/// What the body of an error answer says, for people.
pub(super) fn error_message(body: &[u8]) -> String {
    let Ok(json) = serde_json::from_slice::<Value>(body) else {
        return plain_words(&String::from_utf8_lossy(body));
    };
    let json = unwrap_single(&json);
    let words = words_of(json);
    // A router says only that its provider refused: the reason, as it came, is beside that.
    let metadata = &json["error"]["metadata"];
    let provider = metadata["provider_name"].as_str().map(|name| format!(" ({name})"));
    let reason = match &metadata["raw"] {
        Value::Null => None,
        Value::String(raw) => match serde_json::from_str::<Value>(raw) {
            Ok(raw) => Some(words_of(unwrap_single(&raw))),
            Err(_) => Some(plain_words(raw)),
        },
        raw => Some(words_of(unwrap_single(raw))),
    };
    let reason = reason.filter(|it| !it.trim().is_empty()).map(|it| format!(": {it}"));
    format!("{words}{}{}", provider.unwrap_or_default(), reason.unwrap_or_default())
}

/// What a body says that is no JSON.
fn plain_words(text: &str) -> String {
    if text.trim_start().starts_with('<') { WEB_PAGE.to_owned() } else { text.to_owned() }
}

/// What JSON says of an error.
fn words_of(json: &Value) -> String {
    let error = &json["error"];
    let code = [&error["code"], &error["type"], &error["status"], &json["code"]];
    let code = code.into_iter().find_map(Value::as_str).unwrap_or_default();
    // Which of its quotas is used up, where Gemini says so.
    let quotas = details(error).flat_map(|it| it["violations"].as_array().into_iter().flatten());
    let quota = quotas.filter_map(|it| it["quotaId"].as_str()).map(|id| format!(" [{id}]"));
    let quota = quota.collect::<String>();
    match [&error["message"], error].into_iter().find_map(Value::as_str).or_else(|| words_in(json))
    {
        Some(text) => {
            let code = if code.is_empty() { String::new() } else { format!(" [{code}]") };
            format!("{text}{code}{quota}")
        }
        None => complaints(json).unwrap_or_else(|| json.to_string()),
    }
}

/// What `FastAPI` says of the fields of a request, each with its place. It quotes beside that what was sent, up to all of
/// the request, which says nothing about why.
fn complaints(json: &Value) -> Option<String> {
    let complaint = |it: &Value| {
        let place = it["loc"].as_array()?.iter().map(|step| match step {
            Value::String(name) => name.clone(),
            number => number.to_string(),
        });
        let place = place.skip_while(|step| step == "body").collect::<Vec<_>>().join(".");
        Some(format!("`{place}`: {}", it["msg"].as_str()?))
    };
    let all = json["detail"].as_array()?.iter().map(complaint).collect::<Option<Vec<_>>>()?;
    (!all.is_empty()).then(|| all.join("; "))
}

/// What JSON says that is no answer, in the places where hosts put it that have none for errors.
pub(super) fn words_in(json: &Value) -> Option<&str> {
    let json = unwrap_single(json);
    // The last two are MiniMax's and ModelScope's.
    let (status, errors) = (&json["base_resp"]["status_msg"], &json["errors"]["message"]);
    [&json["message"], &json["detail"], &json["msg"], status, errors]
        .into_iter()
        .find_map(Value::as_str)
}

/// The error that JSON is which holds nothing of an answer, if it is one.
pub(super) fn bare_error(json: &Value) -> Option<AttemptError> {
    let json = unwrap_single(json);
    let text = words_in(json)?;
    let codes = [&json["code"], &json["base_resp"]["status_code"]].map(|code| match code {
        Value::String(code) => code.clone(),
        code => code.to_string(),
    });
    let is_error = |code: &String| !["null", "", "0", "200"].contains(&code.as_str());
    let code = codes.into_iter().find(is_error);
    if code.is_none() && json["object"] != "error" && json["success"] != false {
        return None;
    }
    let text = code.as_ref().map_or_else(|| text.to_owned(), |code| format!("{text} [{code}]"));
    let number = code.and_then(|code| code.parse().ok()).filter(|code| is_status(*code));
    Some(AttemptError::inside(number, &text, stated_wait(b"", &text)))
}

/// Whether a number is the status of an error.
fn is_status(number: u16) -> bool {
    (400..600).contains(&number)
}

/// The details of an error in Gemini's API.
fn details(error: &Value) -> impl Iterator<Item = &Value> {
    error["details"].as_array().into_iter().flatten()
}

/// After what time to try again, as the body of an error answer says it: in a field of Gemini's or `OpenRouter`'s, or in
/// the words of the message.
pub(super) fn stated_wait(body: &[u8], message: &str) -> Option<Duration> {
    let json = serde_json::from_slice::<Value>(body).unwrap_or_default();
    let error = &unwrap_single(&json)["error"];
    let field = details(error).find_map(|it| it["retryDelay"].as_str()).and_then(span);
    field.or_else(|| until_reset(&error["metadata"]["headers"], SystemTime::now())).or_else(|| {
        let message = message.to_ascii_lowercase();
        let leads = ["try again in ", "retry in ", "retry after ", "try again after "];
        leads.iter().find_map(|lead| span(message.split_once(lead)?.1))
    })
}

/// The time until `OpenRouter` counts anew, which it tells in milliseconds since 1970.
fn until_reset(headers: &Value, now: SystemTime) -> Option<Duration> {
    let reset = &headers["X-RateLimit-Reset"];
    let milliseconds = reset.as_u64().or_else(|| reset.as_str()?.parse().ok())?;
    let at = SystemTime::UNIX_EPOCH.checked_add(Duration::from_millis(milliseconds))?;
    at.duration_since(now).ok()
}

/// The time that a text begins with, such as `47.4s`, `1m30s` or `20 seconds`.
fn span(text: &str) -> Option<Duration> {
    let mut seconds = None;
    let mut rest = text.trim_start();
    loop {
        let unit_at = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let Ok(number) = rest[..unit_at].parse::<f64>() else { break };
        let unit = rest[unit_at..].trim_start();
        let end = unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len());
        let each = match &unit[..end] {
            "ms" | "millisecond" | "milliseconds" => 0.001,
            "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
            "m" | "min" | "mins" | "minute" | "minutes" => 60.0,
            "h" | "hour" | "hours" => 3600.0,
            _ => break,
        };
        seconds = Some(seconds.unwrap_or(0.0) + number * each);
        rest = unit[end..].trim_start();
    }
    Duration::try_from_secs_f64(seconds?).ok()
}

/// The error in an answer whose HTTP status is a success.
pub(super) fn reported_error(json: &Value) -> Option<AttemptError> {
    let json = unwrap_single(json);
    // In streams of the Responses API in what has failed, or as an event of its own; a router's, of what is behind
    // it, in the choice.
    let inside = [&json["response"]["error"], &json["choices"][0]["error"]];
    let error = match &json["error"] {
        Value::Null if json["type"] == "error" => json,
        Value::Null => inside.into_iter().find(|it| !it.is_null())?,
        error => error,
    };
    if error.is_null() || error.as_str().is_some_and(str::is_empty) {
        return None;
    }
    let code = [&error["code"], &error["status"], &json["code"], &error["http_status_code"]];
    let status = code.into_iter().find_map(|code| {
        let number = code.as_u64().or_else(|| code.as_str()?.parse().ok());
        number.and_then(|code| u16::try_from(code).ok()).filter(|code| is_status(*code))
    });
    let body = serde_json::json!({ "error": error }).to_string();
    let text = error_message(body.as_bytes());
    let words = [&error["code"], &error["type"], &error["status"], &json["code"]];
    let by_word = || words.iter().find_map(|word| status_of_word(word.as_str()?));
    let wait = stated_wait(body.as_bytes(), &text);
    Some(match status.or_else(by_word) {
        Some(status) => AttemptError::from_status(status, &text, wait),
        None => AttemptError::inside(None, &text, wait),
    })
}

/// The status of an error that has only a word for itself, as in streams.
fn status_of_word(kind: &str) -> Option<u16> {
    Some(match kind {
        // Those with a capital and the numbers are DashScope's and Zhipu's.
        "invalid_request_error"
        | "context_length_exceeded"
        | "exceed_context_size_error"
        | "Arrearage"
        | "1261"
        // Of the Responses API, for what no second attempt mends.
        | "invalid_prompt"
        | "bio_policy"
        | "misalignment_policy_violation"
        | "image_content_policy_violation"
        | "invalid_image"
        | "invalid_image_format"
        | "invalid_base64_image"
        | "invalid_image_url"
        | "image_too_large"
        | "image_too_small"
        | "image_parse_error"
        | "image_file_too_large"
        | "unsupported_image_media_type"
        | "data_residency_mismatch" => 400,
        "authentication_error" | "invalid_api_key" => 401,
        "permission_error" | "AllocationQuota.FreeTierOnly" => 403,
        "not_found_error" | "model_not_found" => 404,
        "request_too_large" => 413,
        "rate_limit_error"
        | "rate_limit_exceeded"
        | "insufficient_quota"
        | "1113"
        | "RESOURCE_EXHAUSTED" => 429,
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
            ("timeout_error", Recovery::RetryOnce { after: None }),
            ("authentication_error", Recovery::GiveUp),
            ("invalid_request_error", Recovery::GiveUp),
        ] {
            let body = json!({"type": "error", "error": {"type": kind, "message": "x"}});
            assert_eq!(reported_error(&body).unwrap().recovery, recovery, "{kind}");
        }
    }

    #[test]
    fn errors_without_a_number_are_told_apart_by_their_words() {
        for (error, recovery) in [
            (json!({"code": "context_length_exceeded", "message": "x"}), Recovery::ShorterPrompt),
            (json!({"code": "insufficient_quota", "message": "x"}), Recovery::GiveUp),
            (json!({"code": "1113", "message": "x"}), Recovery::GiveUp),
            (json!({"code": "invalid_prompt", "message": "x"}), Recovery::GiveUp),
            (json!({"code": "image_parse_error", "message": "x"}), Recovery::GiveUp),
            (json!({"code": "server_error", "message": "x"}), Recovery::Retry { after: None }),
            (json!({"code": "Arrearage", "message": "x"}), Recovery::GiveUp),
            (
                json!({"code": "1261", "message": "Prompt exceeds max length"}),
                Recovery::ShorterPrompt,
            ),
            (
                json!({"code": "rate_limit_exceeded", "message": "Please try again in 20s."}),
                Recovery::Retry { after: Some(Duration::from_secs(20)) },
            ),
            (
                json!({"message": "The number of tokens to keep from the initial prompt is greater than the \
                    context length. Try to load the model with a larger context length."}),
                Recovery::ShorterPrompt,
            ),
            (
                json!(
                    "The number of tokens to keep from the initial prompt is greater than the context length"
                ),
                Recovery::ShorterPrompt,
            ),
        ] {
            assert_eq!(
                reported_error(&json!({"error": error})).unwrap().recovery,
                recovery,
                "{error}"
            );
        }
    }

    #[test]
    fn a_status_is_found_where_it_is() {
        let error = json!({"message": "`inputs` must have less than 4095 tokens.", "http_status_code": 422});
        let found = reported_error(&json!({ "error": error })).unwrap();
        assert_eq!(found.recovery, Recovery::ShorterPrompt);
        let message = found.message(str::to_owned);
        assert!(message.starts_with("answered 422"), "{message}");
    }

    #[test]
    fn of_fields_that_are_refused_the_places_are_told_and_not_what_was_sent() {
        let request = json!({"messages": [{"content": "PIN", "image_url": "x"}], "temperature": 0});
        let missing = json!({"type": "missing", "loc": ["body", "conversation_id"], "msg": "Field required",
            "input": request});
        let extra = json!({"type": "extra_forbidden", "loc": ["body", "tools", 0, "strict"],
            "msg": "Extra inputs are not permitted", "input": request});
        for (detail, said) in [
            (json!([missing]), "`conversation_id`: Field required"),
            (
                json!([missing, extra]),
                "`conversation_id`: Field required; `tools.0.strict`: Extra inputs are not permitted",
            ),
        ] {
            let body = json!({ "detail": detail }).to_string();
            assert_eq!(error_message(body.as_bytes()), said);
        }
        for other in [json!({"detail": []}), json!({"detail": [{"msg": "a"}]})] {
            assert_eq!(error_message(other.to_string().as_bytes()), other.to_string());
        }
    }

    #[test]
    fn a_routers_error_is_found_in_the_choice() {
        let error =
            json!({"code": 429, "message": "Provider rate limited. Please try again in 20s."});
        for piece in ["message", "delta"] {
            let choice = json!({"index": 0, "finish_reason": "error", "error": error,
                piece: {"role": "assistant", "content": ""}});
            let found = reported_error(&json!({ "choices": [choice] })).unwrap();
            let after = Some(Duration::from_secs(20));
            assert_eq!(found.recovery, Recovery::Retry { after }, "{piece}");
            assert!(found.message(str::to_owned).contains("Provider rate limited"));
        }
        let fine = json!({"choices": [{"error": null, "message": {"content": "a"}}]});
        assert!(
            reported_error(&fine).is_none() && reported_error(&json!({"choices": []})).is_none()
        );
    }

    #[test]
    fn the_time_at_which_a_router_counts_anew_is_waited_for() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(1_700_000_000);
        let wait = |reset: Value| until_reset(&json!({ "X-RateLimit-Reset": reset }), now);
        assert_eq!(wait(json!("1700000040000")), Some(Duration::from_secs(40)));
        assert_eq!(wait(json!(1_700_000_040_000_u64)), Some(Duration::from_secs(40)));
        for nothing in [json!("1699999999000"), json!("soon"), json!(u64::MAX), json!(null)] {
            // The largest number is a time that some clocks cannot hold.
            assert!(
                wait(nothing.clone()).is_none_or(|it| Duration::from_hours(1) < it),
                "{nothing}"
            );
        }
        let in_an_hour = SystemTime::now() + Duration::from_hours(1);
        let reset = in_an_hour.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
        let metadata = json!({ "headers": { "X-RateLimit-Reset": reset.to_string() } });
        let body = json!({ "error": { "message": "Rate limit exceeded", "code": 429, "metadata": metadata } });
        let told = stated_wait(body.to_string().as_bytes(), "Rate limit exceeded").unwrap();
        assert!(Duration::from_mins(59) < told && told <= Duration::from_hours(1), "{told:?}");
    }

    #[test]
    fn a_stated_time_is_found_in_fields_and_words() {
        let said = |text: &str| stated_wait(b"", text);
        let seconds = |seconds: f64| Some(Duration::from_secs_f64(seconds));
        assert_eq!(said("Please retry in 47.4s."), seconds(47.4));
        assert_eq!(said("Rate limit reached. Please try again in 20s. Visit x"), seconds(20.0));
        assert_eq!(said("Please try again in 6m0s."), seconds(360.0));
        assert_eq!(said("please try again in 1m 30.5s"), seconds(90.5));
        assert_eq!(said("try again in 250ms"), seconds(0.25));
        assert_eq!(said("Retry after 2 minutes"), seconds(120.0));
        for none in ["try again later", "try again in a while", "try again in 5", "in 5 s", ""] {
            assert_eq!(said(none), None, "{none}");
        }
        let body = json!({"error": {"message": "m", "details": [
            {"@type": "type.googleapis.com/google.rpc.QuotaFailure",
             "violations": [{"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "47s"},
        ]}});
        for body in [body.clone(), json!([body])] {
            let body = body.to_string();
            assert_eq!(stated_wait(body.as_bytes(), "m"), seconds(47.0));
            let message = error_message(body.as_bytes());
            assert_eq!(message, "m [GenerateRequestsPerDayPerProjectPerModel-FreeTier]");
        }
    }

    #[test]
    fn an_error_is_found_where_it_is() {
        assert_eq!(error_message(br#"{"error":{"message":"a","type":"b"}}"#), "a [b]");
        assert_eq!(error_message(br#"{"error":{"code":400,"message":"a","status":"B"}}"#), "a [B]");
        assert_eq!(error_message(br#"{"error":"a"}"#), "a");
        for (metadata, said) in [
            (json!({"provider_name": "B"}), "a (B)"),
            (json!({"raw": "c"}), "a: c"),
            (json!({"raw": ""}), "a"),
            (json!({"raw": "<html>", "provider_name": "B"}), "a (B): a web page"),
            (json!({"raw": "{\"error\":{\"message\":\"c\",\"code\":\"d\"}}"}), "a: c [d]"),
            (json!({"raw": {"message": "c"}}), "a: c"),
            (json!({"raw": [{"error": {"message": "c", "status": "d"}}]}), "a: c [d]"),
            (json!({"reasons": ["x"]}), "a"),
        ] {
            let body = json!({"error": {"message": "a", "metadata": metadata}}).to_string();
            assert_eq!(error_message(body.as_bytes()), said);
        }
        assert_eq!(error_message(br#"{"object":"error","message":"a"}"#), "a");
        assert_eq!(error_message(br#"{"detail":"Not Found"}"#), "Not Found");
        assert_eq!(error_message(b"<html>"), "a web page");
        assert_eq!(error_message(b"Bad gateway"), "Bad gateway");
    }
}
