//! The tables of fields, as types.
use serde_json::Value;

/// What a field holds.
#[derive(Debug, Clone, Copy)]
pub enum Type {
    Text,
    /// A text, or null.
    MaybeText,
    Int,
    /// From 1 on.
    Number,
    /// A float that is not negative. An integer is none to a strict reader.
    Amount,
    Flag,
    Texts,
    List,
    Dict,
    /// Seconds by phase.
    Times,
    /// Tokens by kind.
    Tokens,
    /// `YYYY-MM-DDTHH:MM:SS.ffffff`, without a zone.
    Time,
}

use Type::{Amount, Dict, Flag, Int, List, MaybeText, Number, Text, Texts, Time, Times, Tokens};

/// What UFO's documentation has in a line, of host and app agent.
pub const STEP: &[(Type, &[&str])] = &[
    (Text, &["observation", "thought", "comment", "current_subtask"]),
    (Texts, &["message", "questions", "plan"]),
    (Text, &["control_label", "control_text", "status", "function"]),
    (List, &["action"]),
    (Dict, &["save_screenshot"]),
    (Int, &["step", "round_step", "agent_step", "round_num", "subtask_index"]),
    (Text, &["subtask", "action_type", "request", "agent_type", "agent_name", "application"]),
    (Amount, &["cost"]),
    (Flag, &["cost_known"]),
    (Text, &["result", "screenshot_clean", "screenshot_annotated"]),
    (Text, &["screenshot_concat", "screenshot_selected_control"]),
    (Times, &["time_cost"]),
];

/// What its code of today and that of before mid-2025 have beside that.
pub const OTHER_NAMES: &[(Type, &[&str])] = &[
    (Int, &["session_step", "Step", "Round", "RoundStep", "AgentStep", "SubtaskIndex"]),
    (Texts, &["function_call", "action_representation", "Plan"]),
    (List, &["action_success", "Action"]),
    (Dict, &["arguments"]),
    (Text, &["app_root", "application_process_name", "results", "desktop_screenshot_path"]),
    (Text, &["clean_screenshot_path", "annotated_screenshot_path", "concat_screenshot_path"]),
    (Text, &["selected_control_screenshot_path", "Subtask", "Observation", "Thought"]),
    (Text, &["Comment", "ControlLabel", "ControlText", "Function", "ActionType", "Request"]),
    (Text, &["Agent", "AgentName", "Application", "Status", "Results"]),
    (Amount, &["llm_cost", "total_time", "Cost"]),
    (Times, &["execution_times"]),
];

/// `PyCatan`'s reply in between.
pub const INTERMEDIATE: &[(Type, &[&str])] = &[
    (Number, &["request_number", "iteration"]),
    (Time, &["timestamp"]),
    (Text, &["player_name", "type", "model"]),
    (Flag, &["success", "has_tool_calls"]),
    (MaybeText, &["raw_content", "error"]),
    (List, &["tool_calls"]),
    (Tokens, &["tokens"]),
    (Amount, &["latency_seconds"]),
];

/// `PyCatan`'s last reply; `parsed` is told apart.
pub const FINAL: &[(Type, &[&str])] = &[
    (Number, &["request_number"]),
    (Time, &["timestamp"]),
    (Text, &["player_name", "type", "model"]),
    (Flag, &["success"]),
    (MaybeText, &["raw_content", "error"]),
    (Tokens, &["tokens"]),
    (Amount, &["latency_seconds"]),
];

/// What `parsed` has, where it is there.
pub const PARSED: &[(Type, &[&str])] =
    &[(Text, &["action_type", "internal_thinking", "note_to_self"]), (Dict, &["parameters"])];

/// `PyCatan`'s prompt.
pub const PROMPT: &[(Type, &[&str])] = &[
    (Number, &["request_number"]),
    (Time, &["timestamp"]),
    (Text, &["player_name"]),
    (Flag, &["is_active_turn"]),
    (Dict, &["prompt"]),
];

/// `PyCatan`'s further prompt of the same request.
pub const FOLLOW_UP: &[(Type, &[&str])] = &[
    (Number, &["original_request_number", "iteration"]),
    (Time, &["timestamp"]),
    (Text, &["player_name", "type", "tool_results", "full_context_sent"]),
    (Flag, &["tools_enabled"]),
];

/// An element of `tool_executions.json`, and a call in it.
pub const BATCH: &[(Type, &[&str])] = &[
    (Time, &["timestamp"]),
    (Int, &["total_calls", "successful", "failed"]),
    (Amount, &["total_time_ms"]),
    (Dict, &["tokens"]),
    (List, &["calls"]),
];
pub const CALL: &[(Type, &[&str])] = &[
    (Text, &["id", "name"]),
    (Dict, &["parameters", "tokens"]),
    (Flag, &["success"]),
    (MaybeText, &["error"]),
    (Amount, &["execution_time_ms"]),
];

const STATUSES: [&str; 8] =
    ["FINISH", "CONTINUE", "PENDING", "ASSIGN", "CONFIRM", "SCREENSHOT", "FAIL", "ERROR"];
const PHASES: [&str; 4] =
    ["DATA_COLLECTION", "LLM_INTERACTION", "ACTION_EXECUTION", "MEMORY_UPDATE"];

/// Panics where something lacks a field of the table, or has it with another type.
pub fn has(value: &Value, table: &[(Type, &[&str])]) {
    for (of, names) in table {
        for name in *names {
            let field = value.get(*name).unwrap_or_else(|| panic!("no `{name}` in {value}"));
            assert!(is(field, *of), "`{name}` is {field}, not {of:?}");
        }
    }
}

/// A line of `response.log`: both tables, and nothing null but an error there is not.
pub fn is_step(line: &Value) {
    has(line, STEP);
    has(line, OTHER_NAMES);
    let of_host = line["agent_type"] == "HostAgent";
    has(line, &[(if of_host { Dict } else { List }, &["control_log"])]);
    assert!(STATUSES.contains(&line["status"].as_str().unwrap()), "{line}");
    for (name, value) in line.as_object().unwrap() {
        assert!(!value.is_null() || name == "last_error", "`{name}` is null");
    }
    for action in line["action"].as_array().unwrap() {
        has(
            action,
            &[
                (Text, &["function", "status", "action_string", "action_representation"]),
                (Dict, &["arguments", "result"]),
            ],
        );
        let (target, result) = (&action["target"], &action["result"]);
        has(result, &[(Text, &["status", "result"]), (MaybeText, &["error", "namespace"])]);
        if !target.is_null() {
            has(target, &[(Text, &["kind", "name", "id", "type"]), (List, &["rect"])]);
        }
    }
}

fn is(value: &Value, of: Type) -> bool {
    match of {
        Text => value.is_string(),
        MaybeText => value.is_string() || value.is_null(),
        Int => value.is_i64(),
        Number => value.as_i64().is_some_and(|it| 1 <= it),
        Amount => value.is_f64() && value.as_f64().is_some_and(|it| 0.0 <= it),
        Flag => value.is_boolean(),
        Texts => value.as_array().is_some_and(|it| it.iter().all(Value::is_string)),
        List => value.is_array(),
        Dict => value.is_object(),
        Times => PHASES.iter().all(|phase| is(&value[*phase], Amount)),
        Tokens => {
            ["prompt", "completion", "thinking", "total"].iter().all(|it| value[*it].is_u64())
        }
        Time => value.as_str().is_some_and(|it| {
            let shape: String =
                it.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
            shape == "0000-00-00T00:00:00.000000"
        }),
    }
}
