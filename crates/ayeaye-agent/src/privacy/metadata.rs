//! What is written where only lengths are to be kept.
use serde_json::{Map, Value};

use super::placeholder::placeholders;
use crate::event::{
    ActionRecord, BlackboardSection, Fact, GateRecord, NoteKind, PartRecord, ResponseRecord,
};
use crate::gate::{Rule, is_part_title};

/// Shorter texts are parts of other words.
pub(super) const SHORTEST: usize = 4;
/// Numbers with so many digits are no place, time or count.
const LONG_NUMBER: usize = 5;
/// Of names, the words by which places, times and counts are known.
const MEASURES: [&str; 19] = [
    "x",
    "y",
    "point",
    "coordinate",
    "coordinates",
    "start",
    "end",
    "from",
    "to",
    "element",
    "box",
    "bbox",
    "position",
    "distance",
    "pixels",
    "duration",
    "seconds",
    "time",
    "index",
];

/// The length of a text in words.
pub(crate) fn length_of(text: &str) -> String {
    format!("[{} characters]", text.chars().count())
}

/// Whether a text is what [`length_of`] leaves of one.
pub(crate) fn is_length(text: &str) -> bool {
    length_told(text).is_some()
}

/// The length of a text of which nothing else is kept.
pub(crate) fn length_told(text: &str) -> Option<u64> {
    let number = text.strip_prefix('[')?.strip_suffix(" characters]")?;
    number.bytes().all(|byte| byte.is_ascii_digit()).then(|| number.parse().ok())?
}

/// Leaves only the length of a text. A placeholder tells less than that, and a length says it already.
pub(crate) fn keep_length(text: &mut String) {
    let hidden = placeholders(text).first().is_some_and(|it| it == text);
    if !text.is_empty() && !hidden && !is_length(text) {
        *text = length_of(text);
    }
}

/// Whether the session cannot go on as well from what is written of this.
pub(super) fn is_remembered(fact: &Fact) -> bool {
    match fact {
        Fact::ToolStart(_) => true,
        Fact::BlackboardAdd { section, .. } => *section == BlackboardSection::Notes,
        Fact::Note { kind, .. } => *kind == NoteKind::Gate,
        _ => false,
    }
}

/// Leaves only the length of what models were sent and said, of what was typed and noted, and of the names
/// of what was touched. What a session cannot be shown or continued without stays: requests, questions,
/// answers, points, comments.
pub(super) fn drop_texts(fact: &mut Fact) {
    match fact {
        Fact::LlmRequest(request) => {
            for part in request.messages.iter_mut().flat_map(|message| &mut message.parts) {
                match part {
                    PartRecord::Text(text) => keep_length(text),
                    PartRecord::TextBlob(_) | PartRecord::Picture(_) => {}
                }
            }
            request.tool_results.iter_mut().for_each(keep_lengths);
        }
        Fact::LlmResponse(answer) => {
            if answer.raw_content.is_some() {
                // It quotes the reply that could not be parsed.
                answer.error.iter_mut().for_each(keep_length);
            }
            answer.raw_content.iter_mut().for_each(keep_length);
            keep_length(&mut answer.reasoning);
            for call in &mut answer.tool_calls {
                lengths_in_map(&mut call.parameters);
            }
            if let Some(parsed) = &mut answer.parsed {
                drop_from_response(&mut parsed.response, &parsed.action);
                drop_from_arguments(&mut parsed.action.arguments);
            }
        }
        Fact::StepEnd(end) => {
            if let Some(action) = &mut end.action {
                drop_from_response(&mut end.response, action);
                drop_from_arguments(&mut action.arguments);
            }
            keep_length(&mut end.response.observation);
            keep_length(&mut end.response.thought);
            end.error.iter_mut().for_each(drop_evidence);
            end.caption.iter_mut().for_each(keep_length);
        }
        Fact::ToolStart(start) => {
            drop_from_arguments(&mut start.parameters);
            // The title of a part of the system tells nothing of anybody, and the gate goes by it on the next page.
            let targets = start.target.iter_mut().filter(|it| !is_part_title(&it.name));
            targets.for_each(|target| keep_length(&mut target.name));
            start.gate.iter_mut().for_each(drop_from_gate);
        }
        Fact::BlackboardAdd { section, item } if *section == BlackboardSection::Notes => {
            keep_lengths(item);
        }
        Fact::Note { kind, text, figures } if *kind == NoteKind::Gate => {
            drop_evidence(text);
            let named =
                figures.get("rule").and_then(Value::as_str) == Some(Rule::UnnamedApp.name());
            if let Some(Value::String(evidence)) = figures.get_mut("evidence").filter(|_| !named) {
                keep_length(evidence);
            }
        }
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
        | Fact::Note { .. }
        | Fact::Unknown { .. } => {}
    }
}

/// What a rule has found stands on the screen; of an app it is the package, which a later yes is for.
fn drop_from_gate(gate: &mut GateRecord) {
    if gate.rule != Rule::UnnamedApp.name() {
        keep_length(&mut gate.evidence);
    }
}

/// How the words begin in which it is told that the gate refuses an act.
const REFUSED_BY_RULE: &str = "the policy refuses it (rule ";

/// Why the gate refuses an act, in words: the rule, and behind it what stands on the screen. A step ends with these as
/// its error, of which [`drop_evidence`] leaves the rule.
pub(crate) fn refusal_text(rule: Rule, evidence: &str) -> String {
    let what = if evidence.is_empty() { String::new() } else { format!(": {evidence}") };
    format!("{REFUSED_BY_RULE}{rule}{what})")
}

/// In a refusal as [`refusal_text`] words it, puts its length in the place of what stood on the screen.
fn drop_evidence(text: &mut String) {
    let Some(rest) = text.strip_prefix(REFUSED_BY_RULE) else { return };
    let Some((rule, evidence)) = rest.split_once(": ") else { return };
    if rule != Rule::UnnamedApp.name() {
        let length = length_of(evidence.strip_suffix(')').unwrap_or(evidence));
        *text = format!("{REFUSED_BY_RULE}{rule}: {length})");
    }
}

/// Thoughts, and in comments what they repeat of these and of the typed text: profiles whose models tell nothing else
/// make the comment of the thought.
fn drop_from_response(response: &mut ResponseRecord, action: &ActionRecord) {
    let thought = std::mem::take(&mut response.thought);
    let given = DROPPED_ARGUMENTS.iter().filter_map(|name| action.arguments.get(*name)?.as_str());
    let dropped = given.chain([thought.as_str(), response.observation.as_str()]);
    for text in dropped.filter(|it| SHORTEST <= it.chars().count()) {
        for comment in [&mut response.comment, &mut response.summary] {
            if comment.contains(text) {
                *comment = comment.replace(text, &length_of(text));
            }
        }
    }
    response.thought = thought;
    keep_length(&mut response.thought);
    keep_length(&mut response.observation);
}

/// The arguments of an act that are what is typed and noted, and what a model thinks beside it.
pub(super) const DROPPED_ARGUMENTS: [&str; 3] = ["value", "text", "thought"];

/// What is typed and noted, what a model thinks beside an act, and the same of an act that it asks about.
pub(super) fn drop_from_arguments(arguments: &mut Map<String, Value>) {
    for name in DROPPED_ARGUMENTS {
        if let Some(value) = arguments.get_mut(name) {
            keep_lengths(value);
        }
    }
    if let Some(Value::Object(act)) = arguments.get_mut("act")
        && let Some(Value::Object(arguments)) = act.get_mut("arguments")
    {
        drop_from_arguments(arguments);
    }
}

/// Leaves only the length of texts, and of numbers that may be one: all but places, times and counts.
fn lengths_in_map(map: &mut Map<String, Value>) {
    for (name, value) in map {
        lengths_in(value, is_measure(name));
    }
}

fn lengths_in(value: &mut Value, measures: bool) {
    match value {
        Value::String(text) => keep_length(text),
        Value::Number(number) => {
            let mut text = number.to_string();
            if !measures || LONG_NUMBER <= digits_before_point(&text) {
                keep_length(&mut text);
                *value = Value::String(text);
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| lengths_in(item, measures)),
        Value::Object(map) => lengths_in_map(map),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Leaves only the length of what was typed or noted, whatever it is.
fn keep_lengths(value: &mut Value) {
    lengths_in(value, false);
}

fn digits_before_point(number: &str) -> usize {
    number.trim_start_matches('-').bytes().take_while(u8::is_ascii_digit).count()
}

/// Such as `x`, `start_point` and `coordinate2`.
fn is_measure(name: &str) -> bool {
    let word = |word: &str| MEASURES.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()));
    name.split('_').any(word)
}

#[cfg(test)]
mod tests {
    use serde_json::{from_value, json, to_string};

    use super::*;
    use crate::event::{LlmResponse, PhaseTimes};

    #[test]
    fn a_comment_that_was_made_of_the_thought_is_a_length_too() {
        let mut response = ResponseRecord {
            thought: "Anna owes him money".to_owned(),
            comment: "Anna owes him money".to_owned(),
            summary: "Opened the chat: Anna owes him money".to_owned(),
            ..ResponseRecord::default()
        };
        let action = ActionRecord { function: "CLICK".to_owned(), arguments: Map::new() };
        drop_from_response(&mut response, &action);
        assert_eq!(response.thought, "[19 characters]");
        assert_eq!(response.comment, "[19 characters]");
        assert_eq!(response.summary, "Opened the chat: [19 characters]");
    }

    #[test]
    fn of_a_refusal_in_words_the_rule_stays() {
        for rule in Rule::ALL {
            let mut text = refusal_text(rule, "Anna (home): 5 €");
            drop_evidence(&mut text);
            let kept =
                if rule == Rule::UnnamedApp { "Anna (home): 5 €" } else { "[16 characters]" };
            assert_eq!(text, format!("the policy refuses it (rule {rule}: {kept})"));
            let mut bare = refusal_text(rule, "");
            drop_evidence(&mut bare);
            assert_eq!(bare, format!("the policy refuses it (rule {rule})"));
        }
    }

    #[test]
    fn tool_calls_of_a_reply_keep_only_the_length_of_their_texts() {
        let response: LlmResponse = from_value(json!({
            "call_id": 1, "request_number": 1, "iteration": 1, "kind": "final", "success": true,
            "tool_calls": [{
                "id": "call_1", "name": "computer",
                "parameters": {
                    "action": "type", "text": "to Anna only", "more": ["to Anna only", 482_913], "coordinate": [5, 600],
                },
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
        assert!(!text.contains("482913") && text.contains("[5,600]"), "{text}");
        assert!(text.contains("call_1") && text.contains("computer"), "{text}");
    }

    #[test]
    fn what_was_typed_noted_and_touched_is_a_length() {
        let typed = json!({ "value": "to Anna only", "thought": "to Anna only", "point": [1, 2] });
        let asked =
            json!({ "act": { "function": "TYPE", "arguments": { "value": "to Anna only" } } });
        for arguments in [typed, asked] {
            let mut fact: Fact = from_value(json!({ "type": "tool.start", "data": {
                "tool_call_id": 1, "name": "TYPE", "device": true, "parameters": arguments,
                "target": { "id": "1", "name": "to Anna only", "kind": "x", "rect": [0, 0, 1, 1] },
                "gate": { "verdict": "allow", "rule": "x", "evidence": "to Anna only", "policy": "standard" },
            }}))
            .unwrap();
            assert!(is_remembered(&fact));
            drop_texts(&mut fact);
            let text = to_string(&fact).unwrap();
            assert!(!text.contains("Anna"), "{text}");
        }
        let mut note: Fact = from_value(json!({ "type": "blackboard.add", "data": {
            "section": "notes", "item": "to Anna only",
        }}))
        .unwrap();
        assert!(is_remembered(&note));
        drop_texts(&mut note);
        assert!(to_string(&note).unwrap().contains("[12 characters]"));
    }

    #[test]
    fn a_length_is_not_measured_once_more() {
        let response = ResponseRecord {
            thought: "Anna owes him money".to_owned(),
            observation: "A chat".to_owned(),
            ..ResponseRecord::default()
        };
        let mut end: Fact = from_value(json!({ "type": "step.end", "data": {
            "status": "CONTINUE", "response": response, "result": "", "cost_usd": 0.0, "cost_known": true,
            "action": { "function": "CLICK", "arguments": { "thought": "Anna owes him money" } },
            "tokens": { "prompt": 1, "completion": 1, "thinking": 0, "cached": 0, "total": 2 },
            "time_ms": PhaseTimes::default(),
        }}))
        .unwrap();
        for _ in 0..2 {
            drop_texts(&mut end);
            let Fact::StepEnd(end) = &end else { unreachable!("it is one") };
            assert_eq!(end.response.thought, "[19 characters]");
            assert_eq!(end.response.observation, "[6 characters]");
            assert_eq!(end.action.as_ref().unwrap().arguments["thought"], "[19 characters]");
        }
    }

    #[test]
    fn a_text_behind_a_placeholder_is_no_placeholder() {
        let mut text = "[secret code 4-7 #0123abcd] to Anna".to_owned();
        keep_length(&mut text);
        assert_eq!(text, "[35 characters]");
        let mut whole = "[secret code 4-7 #0123abcd]".to_owned();
        keep_length(&mut whole);
        assert_eq!(whole, "[secret code 4-7 #0123abcd]");
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

    #[test]
    fn of_numbers_only_places_times_and_counts_stay() {
        let Value::Object(mut map) = json!({
            "text": 4829, "pin": [4, 8], "start_point": [482, 913.5], "coordinate2": [1, 2], "to_x": 7, "x": 482_913,
            "seconds": 2.5, "more": { "y": 3, "note": 4 },
        }) else {
            unreachable!("it is one")
        };
        lengths_in_map(&mut map);
        let left = json!({
            "text": "[4 characters]", "pin": ["[1 characters]", "[1 characters]"], "start_point": [482, 913.5],
            "coordinate2": [1, 2], "to_x": 7, "x": "[6 characters]", "seconds": 2.5,
            "more": { "y": 3, "note": "[1 characters]" },
        });
        assert_eq!(Value::Object(map), left);
    }
}
