//! What an endpoint says: one JSON object, or the pieces of one.
use ayeaye_agent::Tokens;
use serde_json::Value;

use super::failure::Failure;

/// The finish reason of a stream that ended without saying so.
pub(super) const CUT: &str = "cut";
/// The finish reason of a reply that is a call of a tool and no words.
pub(super) const TOOL_CALLS: &str = "tool_calls";

/// A reply, as far as it has come.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Answer {
    pub text: String,
    pub reasoning: String,
    pub finish_reason: Option<String>,
    pub model: Option<String>,
    pub tokens: Tokens,
    calls_a_tool: bool,
}

impl Answer {
    /// Takes in a whole answer, or one piece of a stream; `most` bounds the bytes of reply and
    /// reasoning together.
    pub(super) fn take(&mut self, said: &Value, most: usize) -> Result<(), Failure> {
        if let Some(error) = error(said) {
            return Err(error);
        }
        if self.model.is_none() {
            self.model = said["model"].as_str().filter(|name| !name.is_empty()).map(str::to_owned);
        }
        if said["usage"].is_object() {
            self.tokens = tokens(&said["usage"]);
        }
        let Some(choice) = first_choice(said) else { return Ok(()) };
        // A piece is called `delta`; some endpoints end a stream with the whole `message` again.
        let piece = &choice["delta"];
        let whole = &choice["message"];
        let words = if piece.is_object() || !self.text.is_empty() { piece } else { whole };
        push_words(&mut self.text, &words["content"]);
        if self.text.is_empty() {
            push_words(&mut self.text, &words["refusal"]);
        }
        let reasoning = &words["reasoning_content"];
        let reasoning = if reasoning.is_null() { &words["reasoning"] } else { reasoning };
        push_words(&mut self.reasoning, reasoning);
        self.calls_a_tool |= words["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
        // The older form of an endpoint, with the words in the choice itself.
        if !piece.is_object() && !whole.is_object() {
            push_words(&mut self.text, &choice["text"]);
        }
        if let Some(reason) = choice["finish_reason"].as_str().filter(|reason| !reason.is_empty()) {
            self.finish_reason = Some(reason.to_owned());
        }
        if most < self.text.len() + self.reasoning.len() {
            return Err(Failure::give_up(format!(
                "answered with more than {most} bytes: no action is that long"
            )));
        }
        Ok(())
    }

    /// The answer when no more will come.
    pub(super) fn finished(mut self) -> Self {
        if self.calls_a_tool && self.text.trim().is_empty() {
            self.finish_reason = Some(TOOL_CALLS.to_owned());
        }
        self
    }
}

/// Reads an answer that came in one piece.
pub(super) fn whole(body: &[u8], most: usize) -> Result<Answer, Failure> {
    let Ok(said) = serde_json::from_slice::<Value>(body) else {
        return Err(Failure::alien("JSON that is broken"));
    };
    let mut answer = Answer::default();
    answer.take(&said, most)?;
    if first_choice(&said).is_none() {
        return Err(Failure::alien("JSON that holds no `choices`"));
    }
    Ok(answer.finished())
}

/// What an error answer says, in the few places endpoints put it.
pub(super) fn message(body: &[u8]) -> String {
    let Ok(said) = serde_json::from_slice::<Value>(body) else {
        let text = String::from_utf8_lossy(body);
        let page = text.trim_start().starts_with('<');
        return if page { "a web page".to_owned() } else { text.into_owned() };
    };
    let code = [&said["error"]["code"], &said["error"]["type"]];
    let code = code.into_iter().find_map(Value::as_str).unwrap_or_default();
    for place in [&said["error"]["message"], &said["error"], &said["message"], &said["detail"]] {
        if let Some(text) = place.as_str() {
            return if code.is_empty() { text.to_owned() } else { format!("{text} [{code}]") };
        }
    }
    said.to_string()
}

fn error(said: &Value) -> Option<Failure> {
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
    let status = code.and_then(|code| u16::try_from(code).ok()).unwrap_or(500);
    Some(Failure::reported(status, &text, None))
}

fn first_choice(said: &Value) -> Option<&Value> {
    let choices = said["choices"].as_array()?;
    choices.iter().find(|choice| choice["index"].as_u64().unwrap_or(0) == 0)
}

/// Words as text, or as a list of parts of which the texts count.
fn push_words(words: &mut String, said: &Value) {
    match said {
        Value::String(text) => words.push_str(text),
        Value::Array(parts) => {
            for part in parts {
                let text = part.as_str().or_else(|| part["text"].as_str());
                words.push_str(text.unwrap_or_default());
            }
        }
        _ => {}
    }
}

fn tokens(usage: &Value) -> Tokens {
    let count = |value: &Value| value.as_u64().unwrap_or(0);
    Tokens {
        prompt: count(&usage["prompt_tokens"]),
        completion: count(&usage["completion_tokens"]),
        thinking: count(&usage["completion_tokens_details"]["reasoning_tokens"]),
        cached: count(&usage["prompt_tokens_details"]["cached_tokens"]),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::failure::Next;
    use super::*;

    fn read(said: &Value) -> Result<Answer, Failure> {
        whole(said.to_string().as_bytes(), 1000)
    }

    fn text(message: &Value) -> Answer {
        read(&json!({"choices": [{"message": message, "finish_reason": "stop"}]})).unwrap()
    }

    #[test]
    fn an_answer_in_each_of_its_shapes() {
        assert_eq!(text(&json!({"content": "a"})).text, "a");
        let parts = json!([{"type": "text", "text": "a"}, {"type": "image"}, "b"]);
        assert_eq!(text(&json!({"content": parts})).text, "ab");
        let apart = text(&json!({"content": null, "reasoning_content": "r"}));
        assert_eq!((apart.text.as_str(), apart.reasoning.as_str()), ("", "r"));
        assert_eq!(text(&json!({"content": "a", "reasoning": "r"})).reasoning, "r");
        assert_eq!(text(&json!({"content": null, "refusal": "no"})).text, "no");
        let call = text(&json!({"content": null, "tool_calls": [{"id": "1"}]}));
        assert_eq!(call.finish_reason.as_deref(), Some(TOOL_CALLS));
        let both = text(&json!({"content": "a", "tool_calls": [{"id": "1"}]}));
        assert_eq!(both.finish_reason.as_deref(), Some("stop"));
    }

    #[test]
    fn tokens_are_counted_where_they_are_told() {
        let answer = read(&json!({
            "model": "m-2", "choices": [{"index": 0, "message": {"content": "a"}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 5,
                "completion_tokens_details": {"reasoning_tokens": 3},
                "prompt_tokens_details": {"cached_tokens": 8}},
        }));
        let answer = answer.unwrap();
        assert_eq!(answer.model.as_deref(), Some("m-2"));
        let expected = Tokens { prompt: 10, completion: 5, thinking: 3, cached: 8 };
        assert_eq!(answer.tokens, expected);
        assert_eq!(answer.finish_reason, None);
    }

    #[test]
    fn what_is_no_answer() {
        for (said, part) in [
            (json!({"choices": []}), "no `choices`"),
            (json!({"done": true}), "no `choices`"),
            (json!("hello"), "no `choices`"),
            (json!({"error": {"message": "overloaded", "code": 503}}), "503"),
            (json!({"error": "boom"}), "“boom”"),
        ] {
            let failure = read(&said).unwrap_err();
            assert_eq!(failure.next, Next::Again { asked: None }, "{}", failure.text);
            assert!(failure.text.contains(part), "{}", failure.text);
        }
        let failure = read(&json!({"error": {"message": "bad key", "code": "401"}})).unwrap_err();
        assert_eq!(failure.next, Next::GiveUp);
        let long = read(&json!({"choices": [{"message": {"content": "x".repeat(1001)}}]}));
        assert_eq!(long.unwrap_err().next, Next::GiveUp);
        assert!(whole(b"{\"choices\":", 9).unwrap_err().text.contains("broken"));
    }

    #[test]
    fn an_error_is_found_where_it_is() {
        assert_eq!(message(br#"{"error":{"message":"a","type":"b"}}"#), "a [b]");
        assert_eq!(message(br#"{"error":"a"}"#), "a");
        assert_eq!(message(br#"{"object":"error","message":"a"}"#), "a");
        assert_eq!(message(br#"{"detail":"Not Found"}"#), "Not Found");
        assert_eq!(message(b"<html>"), "a web page");
        assert_eq!(message(b"Bad gateway"), "Bad gateway");
    }
}
