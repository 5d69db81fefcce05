//! Which texts of a fact may hold secrets, and so pass the secret store.
//!
//! Names, numbers, packages and serials stay as they are: a record whose identifiers were touched
//! could not be continued. The match has no wildcard, so that a new fact cannot be forgotten.
use serde_json::{Map, Value};

use super::{KeepText, SecretStore};
use crate::event::{
    ActIdentity, ActionRecord, Fact, LlmResponse, MessageRecord, NoteKind, ParsedRecord,
    PartRecord, ResponseRecord, StepEnd,
};

impl SecretStore {
    /// The fact as it may be written.
    pub(crate) fn redact_fact(&self, mut fact: Fact) -> Fact {
        if !self.has_none() {
            for_each_text(&mut fact, &mut |text| {
                if let std::borrow::Cow::Owned(clean) = self.redact(text) {
                    *text = clean;
                }
            });
        }
        if self.level() == KeepText::Metadata {
            drop_texts(&mut fact);
        }
        fact
    }

    /// An act as it is recorded, so that it can be compared with one of the record.
    pub(crate) fn redact_act(&self, mut act: ActIdentity) -> ActIdentity {
        let ActIdentity { screen, target, .. } = &mut act;
        for text in std::iter::once(screen).chain(target.iter_mut().flatten()) {
            if let std::borrow::Cow::Owned(clean) = self.redact(text) {
                *text = clean;
            }
        }
        act
    }

    /// An action as it may be told.
    pub(crate) fn redact_action(&self, mut action: ActionRecord) -> ActionRecord {
        visit_action(&mut action, &mut |text| {
            if let std::borrow::Cow::Owned(clean) = self.redact(text) {
                *text = clean;
            }
        });
        action
    }
}

/// Shows every text of a fact that somebody said, typed or read.
fn for_each_text(fact: &mut Fact, visit: &mut impl FnMut(&mut String)) {
    match fact {
        Fact::SessionStart(start) => visit(&mut start.request),
        Fact::RoundStart { request } => visit(request),
        Fact::SessionEnd(end) => visit(&mut end.message),
        Fact::RoundEnd(end) => visit(&mut end.result),
        Fact::StepStart(start) => visit(&mut start.subtask),
        Fact::StepEnd(end) => {
            let StepEnd { response, action, result, error, uncertain, caption, .. } = end;
            visit_response(response, visit);
            if let Some(action) = action {
                visit_action(action, visit);
            }
            visit(result);
            error.iter_mut().chain(uncertain).chain(caption).for_each(visit);
        }
        Fact::LlmRequest(request) => {
            request.messages.iter_mut().for_each(|message| visit_message(message, visit));
            request.tool_results.iter_mut().for_each(|value| visit_value(value, visit));
        }
        Fact::LlmResponse(response) => {
            let LlmResponse { raw_content, reasoning, parsed, tool_calls, retries, error, .. } =
                response;
            raw_content.iter_mut().for_each(&mut *visit);
            visit(reasoning);
            if let Some(ParsedRecord { action, response }) = parsed {
                visit_action(action, visit);
                visit_response(response, visit);
            }
            for call in tool_calls {
                visit_map(&mut call.parameters, visit);
            }
            retries.iter_mut().chain(error).for_each(visit);
        }
        Fact::ToolStart(start) => {
            visit_map(&mut start.parameters, visit);
            start.target.iter_mut().for_each(|target| visit(&mut target.name));
            start.gate.iter_mut().for_each(|gate| visit(&mut gate.evidence));
        }
        Fact::ToolEnd(end) => {
            visit(&mut end.result);
            end.error.iter_mut().chain(&mut end.uncertain).for_each(visit);
        }
        Fact::Question(asked) => {
            asked.questions.iter_mut().chain(&mut asked.options).for_each(visit);
        }
        Fact::Answer(answer) => answer.answers.iter_mut().for_each(visit),
        Fact::SubtaskEnd { result, .. } => visit(result),
        Fact::BlackboardAdd { item, .. } => visit_value(item, visit),
        Fact::Evaluation(verdict) => visit_value(verdict, visit),
        Fact::Note { kind, text, figures } => {
            visit(text);
            if *kind == NoteKind::Gate {
                visit_map(figures, visit);
            }
        }
        Fact::SessionResume(_) | Fact::Observe(_) | Fact::State { .. } | Fact::Snapshot { .. } => {}
    }
}

fn visit_response(response: &mut ResponseRecord, visit: &mut impl FnMut(&mut String)) {
    let ResponseRecord {
        observation,
        thought,
        comment,
        summary,
        plan,
        current_subtask,
        message,
        questions,
    } = response;
    [observation, thought, comment, summary, current_subtask].into_iter().for_each(&mut *visit);
    plan.iter_mut().chain(message).chain(questions).for_each(visit);
}

fn visit_action(action: &mut ActionRecord, visit: &mut impl FnMut(&mut String)) {
    visit_map(&mut action.arguments, visit);
}

fn visit_message(message: &mut MessageRecord, visit: &mut impl FnMut(&mut String)) {
    for part in &mut message.parts {
        match part {
            PartRecord::Text(text) => visit(text),
            // What is in a blob was redacted before it was stored.
            PartRecord::TextBlob(_) | PartRecord::Picture(_) => {}
        }
    }
}

fn visit_map(map: &mut Map<String, Value>, visit: &mut impl FnMut(&mut String)) {
    map.values_mut().for_each(|value| visit_value(value, visit));
}

fn visit_value(value: &mut Value, visit: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(items) => items.iter_mut().for_each(|item| visit_value(item, visit)),
        Value::Object(map) => visit_map(map, visit),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Leaves only the length of what models were sent and said, and of what was typed. What a session
/// cannot be shown or continued without stays: requests, questions, answers, points, comments.
fn drop_texts(fact: &mut Fact) {
    let length = |text: &mut String| {
        // A placeholder tells less than a length.
        if !text.is_empty() && !text.starts_with("[secret ") {
            *text = format!("[{} characters]", text.chars().count());
        }
    };
    let response = |response: &mut ResponseRecord| {
        length(&mut response.observation);
        length(&mut response.thought);
    };
    let typed = |arguments: &mut Map<String, Value>| {
        if let Some(Value::String(text)) = arguments.get_mut("value") {
            length(text);
        }
    };
    match fact {
        Fact::LlmRequest(request) => {
            for part in request.messages.iter_mut().flat_map(|message| &mut message.parts) {
                match part {
                    PartRecord::Text(text) => length(text),
                    PartRecord::TextBlob(_) | PartRecord::Picture(_) => {}
                }
            }
        }
        Fact::LlmResponse(answer) => {
            if answer.raw_content.is_some() {
                // It quotes the reply that could not be parsed.
                answer.error.iter_mut().for_each(length);
            }
            answer.raw_content.iter_mut().for_each(length);
            length(&mut answer.reasoning);
            for call in &mut answer.tool_calls {
                visit_map(&mut call.parameters, &mut |text| length(text));
            }
            if let Some(parsed) = &mut answer.parsed {
                response(&mut parsed.response);
                typed(&mut parsed.action.arguments);
            }
        }
        Fact::StepEnd(end) => {
            response(&mut end.response);
            end.caption.iter_mut().for_each(length);
            end.action.iter_mut().for_each(|action| typed(&mut action.arguments));
        }
        Fact::ToolStart(start) => typed(&mut start.parameters),
        Fact::SessionStart(_)
        | Fact::SessionResume(_)
        | Fact::SessionEnd(_)
        | Fact::RoundStart { .. }
        | Fact::RoundEnd(_)
        | Fact::StepStart(_)
        | Fact::Observe(_)
        | Fact::ToolEnd(_)
        | Fact::Question(_)
        | Fact::Answer(_)
        | Fact::State { .. }
        | Fact::SubtaskEnd { .. }
        | Fact::Snapshot { .. }
        | Fact::BlackboardAdd { .. }
        | Fact::Evaluation(_)
        | Fact::Note { .. } => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_string};

    use super::*;

    #[test]
    fn tool_calls_of_a_reply_keep_only_the_length_of_their_texts() {
        let response: LlmResponse = from_value(json!({
            "call_id": 1, "request_number": 1, "iteration": 1, "kind": "final", "success": true,
            "tool_calls": [{
                "id": "call_1", "name": "computer",
                "parameters": { "action": "type", "text": "to Anna only", "more": ["to Anna only"] },
            }],
            "model": "m", "tokens": { "prompt": 1, "completion": 1, "thinking": 0, "cached": 0, "total": 2 },
            "latency_ms": 1.0, "cost_usd": 0.0, "cost_known": true,
        }))
        .unwrap();
        let mut fact = Fact::LlmResponse(response);
        drop_texts(&mut fact);
        let Fact::LlmResponse(response) = fact else { unreachable!("it was one") };
        let text = to_string(&response).unwrap();
        assert!(!text.contains("to Anna only") && text.contains("[12 characters]"), "{text}");
        assert!(text.contains("call_1") && text.contains("computer"), "{text}");
    }

    #[test]
    fn what_is_wrong_with_a_reply_quotes_none_of_it() {
        let response: LlmResponse = from_value(json!({
            "call_id": 1, "request_number": 1, "iteration": 1, "kind": "intermediate",
            "success": false, "raw_content": "to Anna only", "error": "no action: to Anna only",
            "model": "m", "tokens": { "prompt": 1, "completion": 1, "thinking": 0, "cached": 0, "total": 2 },
            "latency_ms": 1.0, "cost_usd": 0.0, "cost_known": true,
        }))
        .unwrap();
        let mut fact = Fact::LlmResponse(response);
        drop_texts(&mut fact);
        let Fact::LlmResponse(response) = fact else { unreachable!("it was one") };
        assert_eq!(response.error.as_deref(), Some("[23 characters]"));
        let text = to_string(&response).unwrap();
        assert!(!text.contains("Anna"), "{text}");
    }
}
