//! What an endpoint says: one JSON object, or the pieces of one.
use ayeaye_agent::{Tokens, ToolCall};
use serde_json::Value;

use super::failure::Failure;
use super::wire::Api;
use crate::profile::strict_json;

/// The finish reason of a stream that ended without saying so.
pub(super) const CUT: &str = "cut";

/// The most tools that one reply may call.
const MOST_CALLS: usize = 64;

/// A reply, as far as it has come.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub text: String,
    pub reasoning: String,
    pub finish_reason: Option<String>,
    pub model: Option<String>,
    pub tokens: Tokens,
    /// The endpoint has said that nothing more comes.
    pub over: bool,
    calls: Vec<Call>,
}

/// A call of a tool, as far as it has come.
#[derive(Debug, Default, PartialEq, Eq)]
struct Call {
    /// What its pieces have in common.
    key: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Answer {
    /// Takes in a whole answer, or one event of a stream; `most` bounds the bytes of reply,
    /// reasoning and calls together. `false` if there is nothing of an answer in it.
    pub(super) fn take(
        &mut self,
        api: &dyn Api,
        said: &Value,
        most: usize,
    ) -> Result<bool, Failure> {
        if let Some(error) = error(said) {
            return Err(error);
        }
        let found = api.take(self, said)?;
        if most < self.bytes() {
            return Err(Failure::give_up(format!(
                "answered with more than {most} bytes: no action is that long"
            )));
        }
        if MOST_CALLS < self.calls.len() {
            return Err(Failure::give_up(format!(
                "answered with more than {MOST_CALLS} calls of tools: one action is one call"
            )));
        }
        Ok(found)
    }

    /// A piece of a call of a tool. Pieces with the same key are one call; one without a key begins
    /// another as soon as it has a name.
    pub(super) fn call(&mut self, key: Option<u64>, id: &str, name: &str, arguments: &str) {
        let known = match key {
            Some(_) => self.calls.iter_mut().rfind(|call| call.key == key),
            None => self.calls.last_mut().filter(|_| name.is_empty()),
        };
        // Some servers number all their whole calls 0.
        let another = |call: &&mut Call| !id.is_empty() && !call.id.is_empty() && call.id != id;
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
            None => self.calls.push(Call {
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
    pub(super) fn take_calls(&mut self) -> Vec<ToolCall> {
        let calls = std::mem::take(&mut self.calls).into_iter();
        calls.map(|Call { id, name, arguments, .. }| ToolCall { id, name, arguments }).collect()
    }

    /// The answer when no more will come.
    pub(super) fn finished(mut self, api: &dyn Api) -> Self {
        if self.finish_reason.is_none() && api.says_why_it_ended() {
            self.finish_reason = Some(CUT.to_owned());
        }
        self
    }

    fn bytes(&self) -> usize {
        let call = |call: &Call| call.id.len() + call.name.len() + call.arguments.len();
        self.text.len() + self.reasoning.len() + self.calls.iter().map(call).sum::<usize>()
    }
}

/// Reads an answer that came in one piece.
pub(super) fn whole(api: &dyn Api, body: &[u8], most: usize) -> Result<Answer, Failure> {
    let said = match strict_json(body) {
        Ok(said) => said,
        Err(error) if error.is_data() => {
            return Err(Failure::alien(&format!("JSON that can be read in two ways ({error})")));
        }
        Err(_) => return Err(Failure::alien("JSON that is broken")),
    };
    let mut answer = Answer::default();
    if !answer.take(api, &said, most)? {
        return Err(Failure::alien(&format!("JSON that holds no {}", api.holds())));
    }
    Ok(answer.finished(api))
}

/// What an error answer says, in the few places endpoints put it.
pub(super) fn message(body: &[u8]) -> String {
    let Ok(said) = serde_json::from_slice::<Value>(body) else {
        let text = String::from_utf8_lossy(body);
        let page = text.trim_start().starts_with('<');
        return if page { "a web page".to_owned() } else { text.into_owned() };
    };
    let said = alone(&said);
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

fn error(said: &Value) -> Option<Failure> {
    let said = alone(said);
    let error = &said["error"];
    if error.is_null() || error.as_str().is_some_and(str::is_empty) {
        return None;
    }
    let code = [&error["code"], &error["status"], &said["code"]];
    let code = code.into_iter().find_map(|code| {
        code.as_u64().or_else(|| code.as_str()?.parse().ok()).filter(|c| (400..600).contains(c))
    });
    let text = message(said.to_string().as_bytes());
    // An error without a number may pass, like one of the server's own.
    let status = code.and_then(|code| u16::try_from(code).ok());
    let status = status.or_else(|| named(error["type"].as_str()?)).unwrap_or(500);
    Some(Failure::reported(status, &text, None))
}

/// The status of an error that is told by its name alone, as in a stream.
fn named(kind: &str) -> Option<u16> {
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
fn alone(said: &Value) -> &Value {
    match said.as_array().map(Vec::as_slice) {
        Some([one]) => one,
        _ => said,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::failure::Next;
    use super::super::wire::api;
    use super::*;
    use crate::profile::Wire;

    fn read(said: &Value) -> Result<Answer, Failure> {
        whole(api(Wire::Chat), said.to_string().as_bytes(), 1000)
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
            assert_eq!(failure.next, Next::Again { asked: None }, "{}", failure.text);
            assert!(failure.text.contains(part), "{}", failure.text);
        }
        let failure = read(&json!({"error": {"message": "bad key", "code": "401"}})).unwrap_err();
        assert_eq!(failure.next, Next::GiveUp);
        let long = read(&json!({"choices": [{"message": {"content": "x".repeat(1001)}}]}));
        assert_eq!(long.unwrap_err().next, Next::GiveUp);
        let chat = api(Wire::Chat);
        assert!(whole(chat, b"{\"choices\":", 9).unwrap_err().text.contains("broken"));
        let twice = br#"{"choices":[{"message":{"content":"a","content":"b"}}]}"#;
        let failure = whole(chat, twice, 99).unwrap_err();
        assert!(failure.text.contains("two ways"), "{}", failure.text);
    }

    #[test]
    fn errors_with_names_have_the_status_they_would_have_had() {
        for (kind, next) in [
            ("overloaded_error", Next::Again { asked: None }),
            ("api_error", Next::Again { asked: None }),
            ("authentication_error", Next::GiveUp),
            ("invalid_request_error", Next::GiveUp),
        ] {
            let said = json!({"type": "error", "error": {"type": kind, "message": "x"}});
            assert_eq!(read(&said).unwrap_err().next, next, "{kind}");
        }
    }

    #[test]
    fn an_error_is_found_where_it_is() {
        assert_eq!(message(br#"{"error":{"message":"a","type":"b"}}"#), "a [b]");
        assert_eq!(message(br#"{"error":{"code":400,"message":"a","status":"B"}}"#), "a [B]");
        assert_eq!(message(br#"{"error":"a"}"#), "a");
        assert_eq!(message(br#"{"object":"error","message":"a"}"#), "a");
        assert_eq!(message(br#"{"detail":"Not Found"}"#), "Not Found");
        assert_eq!(message(b"<html>"), "a web page");
        assert_eq!(message(b"Bad gateway"), "Bad gateway");
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
