//! A reply as it is put together from what an endpoint sends: one JSON object, or pieces of one.
use std::borrow::Cow;

use ayeaye_agent::{Tokens, ToolCall};

use super::surrogates::join_halves;

/// The finish reason of an answer that ended without giving one.
pub(super) const TRUNCATED: &str = "cut";

/// That of a stream that was ended in order without giving one, though there is a place for it in its pieces.
pub(super) const DONE_WITHOUT_REASON: &str = "done without a finish reason";

/// That of a reply that the server could not read, though it has sent its text by then.
pub(super) const UNPARSED: &str = "unparsed by the server";

/// That of an answer in which the model refuses, as Anthropic's API calls it.
pub(super) const REFUSAL: &str = "refusal";

/// The finish reasons of answers that failed at the endpoint: not by what the model wrote.
pub(super) const FAILED: [&str; 6] =
    ["abort", "error", "failed", "timeout", "network_error", "insufficient_system_resource"];

/// What has arrived of a reply.
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Completion {
    pub text: String,
    pub reasoning: String,
    pub finish_reason: Option<String>,
    pub model: Option<String>,
    pub tokens: Tokens,
    /// What those of the prompt are made up of, where the API counts that apart.
    pub prompt_parts: PromptParts,
    /// The model has refused to answer, in a place of its own for that.
    pub refused: bool,
    /// Its text comes in pieces, in an API that repeats the whole of it.
    pub text_in_pieces: bool,
    /// The endpoint has said that nothing more comes.
    pub ended: bool,
    /// It has a place for a finish reason in its pieces, empty or not: without one it has not ended.
    pub gives_reason: bool,
    /// Its finish reason has come behind words or calls, and nothing of the reply since. One in front of them or with
    /// the first of them tells no end: some endpoints open with it, or give it with every piece.
    pub is_closed: bool,
    /// More of the reply has come behind its last finish reason, so that another one has to come.
    pub goes_on: bool,
    calls: Vec<PartialToolCall>,
}

/// The tokens of a prompt by what has become of them, each counted without the others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PromptParts {
    /// Neither of the other two.
    pub fresh: u64,
    pub read_from_cache: u64,
    pub written_to_cache: u64,
}

/// What has arrived of a tool call.
#[derive(Debug, Default, PartialEq, Eq)]
struct PartialToolCall {
    /// The same in all pieces of one call.
    key: Option<u64>,
    id: String,
    name: String,
    arguments: String,
}

impl Completion {
    /// Adds a tool call, or a piece of one. Pieces with the same key belong to one call; without a
    /// key, a name begins the next call.
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
        // Some servers number every complete call 0.
        let is_other =
            |call: &&mut PartialToolCall| !id.is_empty() && !call.id.is_empty() && call.id != id;
        match known.filter(|call| !is_other(call)) {
            Some(call) => {
                if call.id.is_empty() {
                    id.clone_into(&mut call.id);
                }
                // Some servers repeat the name in every piece.
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

    /// Whether any of the reply has arrived.
    pub(super) fn has_begun(&self) -> bool {
        !self.text.is_empty() || !self.reasoning.is_empty() || !self.calls.is_empty()
    }

    /// Whether nothing has come that can be used: reasoning alone cannot.
    pub(super) fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty()
    }

    /// Whether anything has come that may have to be paid for: some of the reply, or the counts of its tokens.
    pub(super) fn has_cost(&self) -> bool {
        self.has_begun() || self.tokens != Tokens::default()
    }

    /// The finish reason that says that it failed, where nothing has come that can be used.
    pub(super) fn failure(&self) -> Option<&str> {
        let reason = self.finish_reason.as_deref()?;
        (self.is_empty() && FAILED.contains(&&*reason.to_ascii_lowercase())).then_some(reason)
    }

    /// Whether the answer ended without saying that the reply had.
    pub(super) fn is_cut(&self) -> bool {
        matches!(self.finish_reason.as_deref(), Some(TRUNCATED | DONE_WITHOUT_REASON))
    }

    /// Whether the server has failed at what the model has written.
    pub(super) fn is_unparsed(&self) -> bool {
        self.finish_reason.as_deref() == Some(UNPARSED)
    }

    /// Whether all of the reply has arrived, by its finish reason.
    pub(super) fn is_whole(&self) -> bool {
        self.is_closed && self.finish_reason.is_some() && !self.is_cut()
    }

    /// Joins characters whose halves have come apart, once nothing more comes.
    pub(super) fn join_halves(&mut self) {
        let calls = self.calls.iter_mut();
        let of_calls = calls.flat_map(|call| [&mut call.id, &mut call.name, &mut call.arguments]);
        let marks = [&mut self.finish_reason, &mut self.model].into_iter().flatten();
        let texts = [&mut self.text, &mut self.reasoning].into_iter();
        for text in texts.chain(marks).chain(of_calls) {
            if let Cow::Owned(joined) = join_halves(text) {
                *text = joined;
            }
        }
    }

    /// The tool calls, once nothing more comes.
    pub(super) fn take_tool_calls(&mut self) -> Vec<ToolCall> {
        let calls = std::mem::take(&mut self.calls).into_iter();
        calls
            .map(|PartialToolCall { id, name, arguments, .. }| {
                let arguments = object_in_string(&arguments).unwrap_or(arguments);
                ToolCall { id, name, arguments }
            })
            .collect()
    }

    pub(super) fn tool_call_count(&self) -> usize {
        self.calls.len()
    }

    /// Bytes of text, reasoning and tool calls together.
    pub(super) fn bytes(&self) -> usize {
        let call = |call: &PartialToolCall| call.id.len() + call.name.len() + call.arguments.len();
        self.text.len() + self.reasoning.len() + self.calls.iter().map(call).sum::<usize>()
    }
}

/// The object that some servers write into a string once more, where arguments are that string and nothing else.
fn object_in_string(arguments: &str) -> Option<String> {
    let inner: String = serde_json::from_str(arguments).ok()?;
    let is_object = serde_json::from_str::<serde_json::Map<_, _>>(&inner).is_ok();
    is_object.then_some(inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_object_in_a_string_is_the_object() {
        for (arguments, read) in [
            (r#""{\"text\":\"a \\\"b\\\"\"}""#, r#"{"text":"a \"b\""}"#),
            (r#""{}""#, "{}"),
            (r#"{"text":"{}"}"#, r#"{"text":"{}"}"#),
            (r#""{\"a\":1}{\"a\":2}""#, r#""{\"a\":1}{\"a\":2}""#),
            (r#""{\"a\":1""#, r#""{\"a\":1""#),
            (r#""hello""#, r#""hello""#),
            ("", ""),
        ] {
            let mut completion = Completion::default();
            completion.push_tool_call(None, "", "tap", arguments);
            assert_eq!(completion.take_tool_calls()[0].arguments, read, "{arguments}");
        }
    }
}
