//! The way of a fact through the vault: which of its parts are somebody's words.
//!
//! Names, numbers, packages and serials stay as they are: a record whose identifiers were touched
//! could not be continued. The match has no wildcard, so that a new fact cannot be forgotten.
use serde_json::{Map, Value};

use super::{KeepText, Vault};
use crate::journal::{
    ActionRecord, Fact, LlmResponse, MessageRecord, ParsedRecord, PartRecord, ResponseRecord,
    StepEnd,
};

impl Vault {
    /// The fact as it may be written.
    pub(crate) fn kept(&self, mut fact: Fact) -> Fact {
        if !self.is_empty() {
            each_text(&mut fact, &mut |text| {
                if let std::borrow::Cow::Owned(clean) = self.redact(text) {
                    *text = clean;
                }
            });
        }
        if self.level() == KeepText::Metadata {
            shorten(&mut fact);
        }
        fact
    }

    /// An action as it may be told.
    pub(crate) fn told(&self, mut action: ActionRecord) -> ActionRecord {
        of_action(&mut action, &mut |text| {
            if let std::borrow::Cow::Owned(clean) = self.redact(text) {
                *text = clean;
            }
        });
        action
    }
}

/// Shows every text of a fact that somebody said, typed or read.
fn each_text(fact: &mut Fact, see: &mut impl FnMut(&mut String)) {
    match fact {
        Fact::SessionStart(start) => see(&mut start.request),
        Fact::RoundStart { request } => see(request),
        Fact::SessionEnd(end) => see(&mut end.message),
        Fact::RoundEnd(end) => see(&mut end.result),
        Fact::StepStart(start) => see(&mut start.subtask),
        Fact::StepEnd(end) => {
            let StepEnd { response, action, result, error, caption, .. } = end;
            of_response(response, see);
            if let Some(action) = action {
                of_action(action, see);
            }
            see(result);
            error.iter_mut().chain(caption).for_each(see);
        }
        Fact::LlmRequest(request) => {
            request.messages.iter_mut().for_each(|message| of_message(message, see));
            request.tool_results.iter_mut().for_each(|value| of_value(value, see));
        }
        Fact::LlmResponse(response) => {
            let LlmResponse { raw_content, reasoning, parsed, tool_calls, retries, error, .. } =
                response;
            raw_content.iter_mut().for_each(&mut *see);
            see(reasoning);
            if let Some(ParsedRecord { action, response }) = parsed {
                of_action(action, see);
                of_response(response, see);
            }
            for call in tool_calls {
                of_map(&mut call.parameters, see);
            }
            retries.iter_mut().chain(error).for_each(see);
        }
        Fact::ToolStart(start) => {
            of_map(&mut start.parameters, see);
            start.target.iter_mut().for_each(|target| see(&mut target.name));
        }
        Fact::ToolEnd(end) => {
            see(&mut end.result);
            end.error.iter_mut().for_each(see);
        }
        Fact::Question(asked) => asked.questions.iter_mut().chain(&mut asked.options).for_each(see),
        Fact::Answer(answer) => answer.answers.iter_mut().for_each(see),
        Fact::SubtaskEnd { result, .. } => see(result),
        Fact::BlackboardAdd { item, .. } => of_value(item, see),
        Fact::Evaluation(verdict) => of_value(verdict, see),
        Fact::Note { text, .. } => see(text),
        Fact::SessionResume(_) | Fact::Observe(_) | Fact::State { .. } | Fact::Snapshot { .. } => {}
    }
}

fn of_response(response: &mut ResponseRecord, see: &mut impl FnMut(&mut String)) {
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
    [observation, thought, comment, summary, current_subtask].into_iter().for_each(&mut *see);
    plan.iter_mut().chain(message).chain(questions).for_each(see);
}

fn of_action(action: &mut ActionRecord, see: &mut impl FnMut(&mut String)) {
    of_map(&mut action.arguments, see);
}

fn of_message(message: &mut MessageRecord, see: &mut impl FnMut(&mut String)) {
    for part in &mut message.parts {
        match part {
            PartRecord::Text(text) => see(text),
            // What is in a blob has passed the vault before it was kept.
            PartRecord::TextBlob(_) | PartRecord::Picture(_) => {}
        }
    }
}

fn of_map(map: &mut Map<String, Value>, see: &mut impl FnMut(&mut String)) {
    map.values_mut().for_each(|value| of_value(value, see));
}

fn of_value(value: &mut Value, see: &mut impl FnMut(&mut String)) {
    match value {
        Value::String(text) => see(text),
        Value::Array(items) => items.iter_mut().for_each(|item| of_value(item, see)),
        Value::Object(map) => of_map(map, see),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Leaves only the length of what models were sent and said, and of what was typed. What a session
/// cannot be shown or continued without stays: requests, questions, answers, points, comments.
fn shorten(fact: &mut Fact) {
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
            answer.raw_content.iter_mut().for_each(length);
            length(&mut answer.reasoning);
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
