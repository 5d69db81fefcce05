//! What an endpoint says: one JSON object, or the pieces of one.
use ayeaye_agent::{Tokens, ToolCall};
use serde_json::Value;

use super::failure::AttemptError;
use super::wire::Api;
use crate::profile::strict_json;

/// The finish reason of a stream that ended without saying so.
pub(super) const TRUNCATED: &str = "cut";

/// The most tools that one reply may call.
const MAX_TOOL_CALLS: usize = 64;

/// A reply, as far as it has come.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    pub text: String,
    pub reasoning: String,
    pub finish_reason: Option<String>,
    pub model: Option<String>,
    pub tokens: Tokens,
    /// The endpoint has said that nothing more comes.
    pub ended: bool,
    calls: Vec<PartialToolCall>,
}

/// A call of a tool, as far as it has come.
#[derive(Debug, Default, PartialEq, Eq)]
struct PartialToolCall {
    /// What its pieces have in common.
    key: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Completion {
    /// Takes in a whole answer, or one event of a stream; `most` bounds the bytes of reply,
    /// reasoning and calls together. `false` if there is nothing of an answer in it.
    pub(super) fn merge(
        &mut self,
        api: &dyn Api,
        said: &Value,
        most: usize,
    ) -> Result<bool, AttemptError> {
        if let Some(error) = reported_error(said) {
            return Err(error);
        }
        let found = api.merge(self, said)?;
        if most < self.bytes() {
            return Err(AttemptError::fatal(format!(
                "answered with more than {most} bytes: no action is that long"
            )));
        }
        if MAX_TOOL_CALLS < self.calls.len() {
            return Err(AttemptError::fatal(format!(
                "answered with more than {MAX_TOOL_CALLS} calls of tools: one action is one call"
            )));
        }
        Ok(found)
    }

    /// A piece of a call of a tool. Pieces with the same key are one call; one without a key begins
    /// another as soon as it has a name.
    pub(super) fn push_tool_call(
        &mut self,
        key: Option<u64>,
        id: &str,
        name: &str,
        arguments: &str,
    ) {
        let known = match key {
            Some(_) => self.calls.iter_mut().rfind(|call| call.key == key),
            None => self.calls.last_mut().filter(|_| name.is_empty()),
        };
        // Some servers number all their whole calls 0.
        let another =
            |call: &&mut PartialToolCall| !id.is_empty() && !call.id.is_empty() && call.id != id;
        match known.filter(|call| !another(call)) {
            Some(call) => {
                if call.id.is_empty() {
                    id.clone_into(&mut call.id);
                }
                // Some repeat the name with every piece.
                if call.name.is_empty() {
                    name.clone_into(&mut call.name);
                }
                call.arguments.push_str(arguments);
            }
            None => self.calls.push(PartialToolCall {
                key,
                id: id.to_owned(),
                name: name.to_owned(),
                arguments: arguments.to_owned(),
            }),
        }
    }

    /// Whether any of the reply has come.
    pub(super) fn has_begun(&self) -> bool {
        !self.text.is_empty() || !self.reasoning.is_empty() || !self.calls.is_empty()
    }

    /// The calls when no more will come.
    pub(super) fn take_tool_calls(&mut self) -> Vec<ToolCall> {
        let calls = std::mem::take(&mut self.calls).into_iter();
        calls
            .map(|PartialToolCall { id, name, arguments, .. }| ToolCall { id, name, arguments })
            .collect()
    }

    /// The answer when no more will come.
    pub(super) fn finished(mut self, api: &dyn Api) -> Self {
        if self.finish_reason.is_none() && api.always_gives_finish_reason() {
            self.finish_reason = Some(TRUNCATED.to_owned());
        }
        self
    }

    fn bytes(&self) -> usize {
        let call = |call: &PartialToolCall| call.id.len() + call.name.len() + call.arguments.len();
        self.text.len() + self.reasoning.len() + self.calls.iter().map(call).sum::<usize>()
    }
}

/// Reads an answer that came in one piece.
pub(super) fn parse_body(
    api: &dyn Api,
    body: &[u8],
    most: usize,
) -> Result<Completion, AttemptError> {
    let said = match strict_json(body) {
        Ok(said) => said,
        Err(error) if error.is_data() => {
            return Err(AttemptError::wrong_api(&format!(
                "JSON that can be read in two ways ({error})"
            )));
        }
        Err(_) => return Err(AttemptError::wrong_api("JSON that is broken")),
    };
    let mut answer = Completion::default();
    if !answer.merge(api, &said, most)? {
        return Err(AttemptError::wrong_api(&format!(
            "JSON that holds no {}",
            api.expected_content()
        )));
    }
    Ok(answer.finished(api))
}

/// What an error answer says, in the few places endpoints put it.
pub(super) fn error_message(body: &[u8]) -> String {
    let Ok(said) = serde_json::from_slice::<Value>(body) else {
        let text = String::from_utf8_lossy(body);
        let page = text.trim_start().starts_with('<');
        return if page { "a web page".to_owned() } else { text.into_owned() };
    };
    let said = unwrap_single(&said);
    let error = &said["error"];
    let code = [&error["code"], &error["type"], &error["status"]];
    let code = code.into_iter().find_map(Value::as_str).unwrap_or_default();
    for place in [&error["message"], error, &said["message"], &said["detail"]] {
        if let Some(text) = place.as_str() {
            return if code.is_empty() { text.to_owned() } else { format!("{text} [{code}]") };
        }
    }
    said.to_string()
}

fn reported_error(said: &Value) -> Option<AttemptError> {
    let said = unwrap_single(said);
    let error = &said["error"];
    if error.is_null() || error.as_str().is_some_and(str::is_empty) {
        return None;
    }
    let code = [&error["code"], &error["status"], &said["code"]];
    let code = code.into_iter().find_map(|code| {
        code.as_u64().or_else(|| code.as_str()?.parse().ok()).filter(|c| (400..600).contains(c))
    });
    let text = error_message(said.to_string().as_bytes());
    // An error without a number may pass, like one of the server's own.
    let status = code.and_then(|code| u16::try_from(code).ok());
    let status = status.or_else(|| status_of(error["type"].as_str()?)).unwrap_or(500);
    Some(AttemptError::from_status(status, &text, None))
}

/// The status of an error that is told by its name alone, as in a stream.
fn status_of(kind: &str) -> Option<u16> {
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

/// An error that came as the only one of a list.
fn unwrap_single(said: &Value) -> &Value {
    match said.as_array().map(Vec::as_slice) {
        Some([one]) => one,
        _ => said,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::failure::Recovery;
    use super::super::wire::api;
    use super::*;
    use crate::profile::Wire;

    fn read(said: &Value) -> Result<Completion, AttemptError> {
        parse_body(api(Wire::Chat), said.to_string().as_bytes(), 1000)
    }

    #[test]
    fn what_is_no_answer() {
        for (said, part) in [
            (json!({"choices": []}), "no `choices`"),
            (json!({"done": true}), "no `choices`"),
            (json!("hello"), "no `choices`"),
            (json!({"error": {"message": "overloaded", "code": 503}}), "503"),
            (json!({"error": "boom"}), "“boom”"),
            (json!([{"error": {"message": "internal", "code": 500, "status": "INTERNAL"}}]), "500"),
        ] {
            let failure = read(&said).unwrap_err();
            assert_eq!(failure.next, Recovery::Retry { after: None }, "{}", failure.text);
            assert!(failure.text.contains(part), "{}", failure.text);
        }
        let failure = read(&json!({"error": {"message": "bad key", "code": "401"}})).unwrap_err();
        assert_eq!(failure.next, Recovery::GiveUp);
        let long = read(&json!({"choices": [{"message": {"content": "x".repeat(1001)}}]}));
        assert_eq!(long.unwrap_err().next, Recovery::GiveUp);
        let chat = api(Wire::Chat);
        assert!(parse_body(chat, b"{\"choices\":", 9).unwrap_err().text.contains("broken"));
        let twice = br#"{"choices":[{"message":{"content":"a","content":"b"}}]}"#;
        let failure = parse_body(chat, twice, 99).unwrap_err();
        assert!(failure.text.contains("two ways"), "{}", failure.text);
    }

    #[test]
    fn errors_with_names_have_the_status_they_would_have_had() {
        for (kind, next) in [
            ("overloaded_error", Recovery::Retry { after: None }),
            ("api_error", Recovery::Retry { after: None }),
            ("authentication_error", Recovery::GiveUp),
            ("invalid_request_error", Recovery::GiveUp),
        ] {
            let said = json!({"type": "error", "error": {"type": kind, "message": "x"}});
            assert_eq!(read(&said).unwrap_err().next, next, "{kind}");
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

    #[test]
    fn calls_count_against_the_limit() {
        let call = |arguments: &str| json!({"id": "1", "function": {"name": "tap", "arguments": arguments}});
        let said = |calls: Vec<Value>| json!({"choices": [{"message": {"tool_calls": calls}}]});
        let long = read(&said(vec![call(&"x".repeat(1000))])).unwrap_err();
        assert!(long.text.contains("1000 bytes"), "{}", long.text);
        let many = (0..65).map(|id| json!({"id": id.to_string(), "function": {"name": "a"}}));
        let many = read(&said(many.collect())).unwrap_err();
        assert!(many.text.contains("64 calls"), "{}", many.text);
    }
}
