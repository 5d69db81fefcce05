//! What acts were given of which only lengths are written. An error or a note that quotes it, in whoever's words, has its
//! length too.
use std::sync::{PoisonError, RwLock};

use serde_json::{Map, Value};

use super::metadata::{DROPPED_ARGUMENTS, SHORTEST, keep_length};
use crate::StopReason;
use crate::event::{ASKED_FIRST, Fact};

/// Most texts that are remembered; the oldest go.
const MOST: usize = 64;

/// The arguments of a session's latest acts that were typed, noted or thought.
#[derive(Default)]
pub(super) struct DroppedTexts(RwLock<Vec<String>>);

impl DroppedTexts {
    /// Learns what the acts of a fact were given.
    pub(super) fn learn(&self, fact: &Fact) {
        let arguments = match fact {
            Fact::LlmResponse(response) => response.parsed.as_ref().map(|it| &it.action.arguments),
            Fact::StepEnd(end) => end.action.as_ref().map(|it| &it.arguments),
            Fact::ToolStart(start) => Some(&start.parameters),
            _ => None,
        };
        let Some(arguments) = arguments else { return };
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for text in given(arguments) {
            known.retain(|it| it != text);
            if known.len() == MOST {
                known.remove(0);
            }
            known.push(text.to_owned());
        }
    }

    /// Puts lengths in the place of these texts where the server or the phone may have quoted them: in errors, in notes,
    /// in what came of an act. What a model or a person says stays.
    pub(super) fn hide_in(&self, fact: &mut Fact) {
        let mut known = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        // One may be a part of another.
        known.sort_by_key(|it| std::cmp::Reverse(it.len()));
        for text in server_words(fact) {
            for dropped in &known {
                if text.contains(dropped) {
                    let mut length = dropped.clone();
                    keep_length(&mut length);
                    *text = text.replace(dropped, &length);
                }
            }
        }
    }
}

/// What an act is given of which only the length is written, and what the act is that a model asks about.
fn given(arguments: &Map<String, Value>) -> Vec<&str> {
    let asked = arguments.get("act").and_then(|act| act.get("arguments")?.as_object());
    let all = [Some(arguments), asked].into_iter().flatten();
    let texts =
        all.flat_map(|it| DROPPED_ARGUMENTS.iter().filter_map(|name| it.get(*name)?.as_str()));
    texts.filter(|it| SHORTEST <= it.chars().count()).collect()
}

/// The texts of a fact that are the words of the server or of the phone.
fn server_words(fact: &mut Fact) -> Vec<&mut String> {
    match fact {
        Fact::StepEnd(end) => {
            let by_model = end.action.as_ref();
            let by_model =
                by_model.is_some_and(|it| ["COMPLETE", "ABORT"].contains(&&*it.function));
            let result = Some(&mut end.result).filter(|_| !by_model);
            // It is known again by its words.
            let error = end.error.as_mut().filter(|it| *it != ASKED_FIRST);
            error.into_iter().chain(&mut end.uncertain).chain(result).collect()
        }
        Fact::ToolEnd(end) => {
            let result = std::iter::once(&mut end.result);
            result.chain(&mut end.error).chain(&mut end.uncertain).collect()
        }
        // Ends for other reasons quote nothing, and some are known again by their words.
        Fact::SessionEnd(end) => match end.stop_reason.known() {
            Some(StopReason::NoProgress | StopReason::DeviceLost) => vec![&mut end.message],
            _ => Vec::new(),
        },
        Fact::Note { text, .. } => vec![text],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_string};

    use super::*;

    fn act(arguments: &Value) -> Fact {
        from_value(json!({ "type": "tool.start", "data": {
            "tool_call_id": 1, "name": "TYPE", "device": true, "parameters": arguments,
        }}))
        .unwrap()
    }

    fn end(reason: &str, message: &str) -> Fact {
        from_value(json!({ "type": "session.end", "data": {
            "stop_reason": reason, "message": message, "steps": 1, "local_steps": 1, "cost_usd": 0.0,
            "cost_known": true,
        }}))
        .unwrap()
    }

    #[test]
    fn an_error_quotes_nothing_of_which_only_the_length_is_kept() {
        let texts = DroppedTexts::default();
        texts.learn(&act(&json!({ "value": "my diary", "point": [1, 2] })));
        texts.learn(&act(&json!({ "act": { "arguments": { "value": "my diary entry" } } })));
        texts.learn(&act(&json!({ "value": "run" })));
        let failed = json!({ "type": "tool.end", "data": {
            "tool_call_id": 1, "success": false, "error": "sh: my diary entry: no such command; my diary",
            "result": "", "duration_ms": 1.0,
        }});
        let mut failed: Fact = from_value(failed).unwrap();
        texts.hide_in(&mut failed);
        let told = to_string(&failed).unwrap();
        assert!(told.contains("sh: [14 characters]: no such command; [8 characters]"), "{told}");
        for (reason, is_kept) in
            [("NO_PROGRESS", false), ("DEVICE_LOST", false), ("TASK_COMPLETED_SUCCESSFULLY", true)]
        {
            let mut end = end(reason, "the run of my diary");
            texts.hide_in(&mut end);
            assert_eq!(to_string(&end).unwrap().contains("run of my diary"), is_kept, "{reason}");
        }
    }

    #[test]
    fn the_latest_texts_are_remembered() {
        let texts = DroppedTexts::default();
        (0..2 * MOST).for_each(|n| texts.learn(&act(&json!({ "value": format!("text {n}") }))));
        assert_eq!(texts.0.read().unwrap().len(), MOST);
    }
}
