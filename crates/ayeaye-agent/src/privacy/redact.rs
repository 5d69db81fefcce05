//! Which texts of a fact may hold secrets, and so pass the secret store.
//!
//! Our own names, numbers, packages and serials stay as they are: a record whose identifiers were touched
//! could not be continued. What a model or an endpoint wrote as JSON passes whole. The match has no wildcard, so that a new fact cannot be forgotten.
use serde_json::{Map, Value};

use super::metadata::{drop_from_arguments, drop_texts, is_remembered, keep_length};
use super::shorten::{bytes_in_record, cut, most_of_each};
use super::{KeepText, SecretStore, foreign_json};
use crate::event::{
    ActIdentity, ActionRecord, Fact, LlmResponse, MessageRecord, NoteKind, ParsedRecord,
    PartRecord, ResponseRecord, StepEnd, ToolCallRecord,
};
use crate::gate::is_part_title;

impl SecretStore {
    /// The fact as it may be written; and as the session remembers it while this process lives, where it
    /// needs more than may be written: its own notes, and the names of what was touched.
    pub(crate) fn redact_fact(&self, mut fact: Fact) -> (Fact, Option<Fact>) {
        if !self.hides_nothing() {
            for_each_text(&mut fact, &mut |text| {
                if let std::borrow::Cow::Owned(clean) = self.redact(text) {
                    *text = clean;
                }
            });
        }
        if self.level() != KeepText::Metadata {
            fit(&mut fact);
            return (fact, None);
        }
        self.dropped().learn(&fact);
        let mut written = fact.clone();
        drop_texts(&mut written);
        self.dropped().hide_in(&mut written);
        fit(&mut written);
        let remembered = is_remembered(&fact).then_some(fact);
        (written, remembered)
    }

    /// An act as it is recorded, so that it can be compared with one of the record.
    pub(crate) fn redact_act(&self, mut act: ActIdentity) -> ActIdentity {
        let ActIdentity { screen, target, content, about, .. } = &mut act;
        let texts = [&mut *screen, &mut *content, &mut *about]
            .into_iter()
            .chain(target.iter_mut().flatten());
        for text in texts {
            if let std::borrow::Cow::Owned(clean) = self.redact(text) {
                *text = clean;
            }
        }
        // It may be long, and need not be read.
        *content = self.digest(content);
        *about = self.digest(about);
        if self.level() == KeepText::Metadata {
            // It must be known again, and need not be read.
            let name = target.iter_mut().map(|[_, name, _]| name);
            std::iter::once(screen).chain(name).for_each(|text| *text = self.digest(text));
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
        if self.level() == KeepText::Metadata {
            drop_from_arguments(&mut action.arguments);
        }
        action
    }

    /// The name of what an act touches as it may be told.
    pub(crate) fn redact_target(&self, name: &str) -> String {
        let mut name = self.redact(name).into_owned();
        if self.level() == KeepText::Metadata && !is_part_title(&name) {
            keep_length(&mut name);
        }
        name
    }
}

/// Cuts the longest texts of a fact of which a line could not hold all.
fn fit(fact: &mut Fact) {
    let mut sizes = Vec::new();
    for_each_text(fact, &mut |text| sizes.push(bytes_in_record(text)));
    if let Some(most) = most_of_each(&sizes) {
        for_each_text(fact, &mut |text| cut(text, most));
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
            let results = request.tool_results.iter_mut();
            results.for_each(|value| foreign_json::visit_value(value, visit));
        }
        Fact::LlmResponse(response) => {
            let LlmResponse { raw_content, reasoning, parsed, tool_calls, .. } = &mut *response;
            raw_content.iter_mut().for_each(&mut *visit);
            visit(reasoning);
            if let Some(ParsedRecord { action, response }) = parsed {
                visit_action(action, visit);
                visit_response(response, visit);
            }
            for ToolCallRecord { id, name, parameters } in tool_calls {
                visit(id);
                visit(name);
                foreign_json::visit_map(parameters, visit);
            }
            let LlmResponse { finish_reason, model, retries, error, .. } = response;
            visit(model);
            finish_reason.iter_mut().chain(retries).chain(error).for_each(visit);
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
        Fact::SessionResume(_)
        | Fact::Observe(_)
        | Fact::State { .. }
        | Fact::Snapshot { .. }
        | Fact::Unknown { .. } => {}
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

/// Of arguments that we have named ourselves, and numbers that we have read.
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

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_string};

    use super::*;
    use crate::secret_text::SecretKind;

    fn response(parameters: &Value) -> Fact {
        from_value(json!({ "type": "llm.response", "data": {
            "call_id": 1, "request_number": 1, "iteration": 1, "kind": "final", "success": true,
            "tool_calls": [{ "id": "call Mango-77", "name": "Mango-77", "parameters": parameters }],
            "finish_reason": "Mango-77", "model": "Mango-77",
            "tokens": { "prompt": 1, "completion": 1, "thinking": 0, "cached": 0, "total": 2 },
            "latency_ms": 482_913.0, "cost_usd": 0.0, "cost_known": true,
        }}))
        .unwrap()
    }

    #[test]
    fn no_part_of_a_reply_keeps_a_secret() {
        for level in [KeepText::Redacted, KeepText::Metadata] {
            let store = SecretStore::new(level);
            store.add_all(&[(SecretKind::Code, "482913"), (SecretKind::Password, "Mango-77")]);
            for parameters in [
                json!({ "action": "type", "text": 482_913 }),
                json!({ "action": "type", "keys": [4, 8, 2, 9, 1, 3] }),
                json!({ "Mango-77": { "of 482913": true } }),
            ] {
                let (written, _) = store.redact_fact(response(&parameters));
                let Fact::LlmResponse(kept) = &written else { unreachable!("it was one") };
                assert!(kept.model.starts_with("[secret password"), "{kept:?}");
                let calls = to_string(&kept.tool_calls).unwrap();
                let text = to_string(&written).unwrap();
                assert!(!calls.contains("482913") && !calls.contains("4,8,2"), "{calls}");
                assert!(!text.contains("Mango"), "{text}");
            }
            let place = json!({ "action": "click", "coordinate": [482, 913] });
            let (written, _) = store.redact_fact(response(&place));
            assert!(to_string(&written).unwrap().contains("[482,913]"), "{written:?}");
        }
    }

    #[test]
    fn of_a_fact_that_is_too_long_the_longest_texts_are_cut() {
        let store = SecretStore::new(KeepText::Redacted);
        let round = |request: String| store.redact_fact(Fact::RoundStart { request }).0;
        let whole = "\u{1f600}".repeat(200_000);
        assert_eq!(round(whole.clone()), Fact::RoundStart { request: whole });
        let Fact::RoundStart { request } = round("\u{1f600}".repeat(300_000)) else {
            unreachable!("it was one")
        };
        assert!(request.ends_with("\u{1f600}… [37856 more characters]"), "{}", request.len());
    }
}
