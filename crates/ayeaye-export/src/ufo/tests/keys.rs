//! The tables of UFO's fields, as types: what every line must have.
use serde_json::Value;

#[derive(Debug, Clone, Copy)]
enum Type {
    Text,
    Int,
    Amount,
    Flag,
    Texts,
    Actions,
    Dict,
    Times,
    Results,
    Log,
    Size,
}

use Type::{Actions, Amount, Dict, Flag, Int, Log, Results, Size, Text, Texts, Times};

const KEYS: &[(&str, Type)] = &[
    // The documentation's, of both agents.
    ("observation", Text),
    ("thought", Text),
    ("current_subtask", Text),
    ("message", Texts),
    ("control_label", Text),
    ("control_text", Text),
    ("plan", Texts),
    ("status", Text),
    ("comment", Text),
    ("questions", Texts),
    ("function", Text),
    ("action", Actions),
    ("save_screenshot", Dict),
    ("step", Int),
    ("round_step", Int),
    ("agent_step", Int),
    ("round_num", Int),
    ("subtask", Text),
    ("subtask_index", Int),
    ("action_type", Text),
    ("request", Text),
    ("agent_type", Text),
    ("agent_name", Text),
    ("application", Text),
    ("cost", Amount),
    ("result", Text),
    ("screenshot_clean", Text),
    ("screenshot_annotated", Text),
    ("screenshot_concat", Text),
    ("screenshot_selected_control", Text),
    ("time_cost", Times),
    // The code's of today.
    ("session_step", Int),
    ("function_call", Texts),
    ("action_representation", Texts),
    ("action_success", Results),
    ("arguments", Dict),
    ("app_root", Text),
    ("application_process_name", Text),
    ("llm_cost", Amount),
    ("results", Text),
    ("execution_times", Times),
    ("total_time", Amount),
    ("clean_screenshot_path", Text),
    ("annotated_screenshot_path", Text),
    ("concat_screenshot_path", Text),
    ("selected_control_screenshot_path", Text),
    ("desktop_screenshot_path", Text),
    ("control_log", Log),
    ("cost_known", Flag),
    // Ours.
    ("observation_source", Text),
    ("screen_size", Size),
    ("screenshot_size", Size),
    ("session_id", Text),
    ("timestamp", Text),
    // The code's of before mid-2025.
    ("Step", Int),
    ("Round", Int),
    ("RoundStep", Int),
    ("AgentStep", Int),
    ("Subtask", Text),
    ("SubtaskIndex", Int),
    ("Observation", Text),
    ("Thought", Text),
    ("Plan", Texts),
    ("Comment", Text),
    ("ControlLabel", Text),
    ("ControlText", Text),
    ("Function", Text),
    ("Action", Actions),
    ("ActionType", Text),
    ("Request", Text),
    ("Agent", Text),
    ("AgentName", Text),
    ("Application", Text),
    ("Status", Text),
    ("Cost", Amount),
    ("Results", Text),
];

const STATUSES: [&str; 8] =
    ["FINISH", "CONTINUE", "PENDING", "ASSIGN", "CONFIRM", "SCREENSHOT", "FAIL", "ERROR"];
const PHASES: [&str; 4] =
    ["DATA_COLLECTION", "LLM_INTERACTION", "ACTION_EXECUTION", "MEMORY_UPDATE"];

/// Panics where a line lacks a key, has it with another type, or has one more than it may.
pub(super) fn check(line: &Value) {
    let line = line.as_object().expect("an object");
    for (key, of) in KEYS {
        let value = line.get(*key).unwrap_or_else(|| panic!("no `{key}`"));
        assert!(is(value, *of), "`{key}` is {value}, not {of:?}");
    }
    for (key, value) in line {
        assert!(!value.is_null() || key == "last_error", "`{key}` is null");
    }
    assert!(STATUSES.contains(&line["status"].as_str().unwrap()), "{}", line["status"]);
    assert!(line.get("error").is_none_or(Value::is_string));
    assert!(line["last_error"].is_null() || line["last_error"].is_string());
    assert!(["model", "device"].contains(&line["observation_source"].as_str().unwrap()));
    let confirm = line.get("user_confirm");
    assert!(confirm.is_none_or(|it| it == "Yes" || it == "No"));
    assert_eq!(confirm, line.get("UserConfirm"));
}

fn is(value: &Value, of: Type) -> bool {
    let list = |fits: fn(&Value) -> bool| value.as_array().is_some_and(|it| it.iter().all(fits));
    match of {
        Text => value.is_string(),
        Int => value.is_i64() || value.is_u64(),
        // Always with a point: an integer is no float to a strict reader.
        Amount => value.is_f64() && value.as_f64().is_some_and(|it| 0.0 <= it),
        Flag => value.is_boolean(),
        Texts => list(Value::is_string),
        Actions => list(is_action),
        Dict => value.is_object(),
        Times => {
            PHASES.iter().all(|phase| is(&value[*phase], Amount))
                && value.as_object().is_some_and(|it| it.len() == PHASES.len())
        }
        Results => list(|it| it["result"].is_string() && it["action_string"].is_string()),
        Log => value.is_object() || list(is_target),
        Size => list(Value::is_u64) && value.as_array().is_some_and(|it| it.len() == 2),
    }
}

fn is_action(value: &Value) -> bool {
    let result = &value["result"];
    let known = ["success", "failure", "skipped", "none"];
    value["function"].is_string()
        && value["status"].is_string()
        && value["arguments"].is_object()
        && (value["target"].is_null() || is_target(&value["target"]))
        && result["status"].as_str().is_some_and(|it| known.contains(&it))
        && (result["error"].is_null() || result["error"].is_string())
        && result.get("result").is_some()
        && (result["namespace"].is_null() || result["namespace"].is_string())
        && (result["call_id"].is_null() || result["call_id"].is_string())
        && value["action_string"].is_string()
        && value["action_representation"].is_string()
        && value.get("repeat_time").is_none_or(Value::is_u64)
}

fn is_target(value: &Value) -> bool {
    ["kind", "name", "id", "type"].iter().all(|key| value[*key].is_string())
        && value["rect"].as_array().is_some_and(|it| it.len() == 4 && it.iter().all(Value::is_i64))
}
