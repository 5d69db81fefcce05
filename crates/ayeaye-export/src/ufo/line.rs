//! A line of `response.log`: every name that UFO's documentation, its code of today and its code of
//! before mid-2025 has for a thing, because its readers were not moved from one to the next together.
//!
//! A picture that was not made has the empty name by the documentation's keys. By the code's
//! (`clean_screenshot_path` ...) the clean one stands in for it: UFO's Markdown shows the annotated and
//! the selected one, and its evaluator only the latter.
//!
//! Only `error` and `uncertain` (left out when there is none), `last_error` (null when there is none) and
//! `user_confirm` (left out when no permission was given or refused in the step, or since the line before)
//! do not stand in every line. Money and times are always numbers.
use ayeaye_agent::journal::{AgentState, AgentType, PhaseTimes, StepEnd, StepStart};
use serde_json::{Map, Value, json};

use super::action::ActionView;
use super::pictures::PictureNames;
use super::state::{LogState, Step};
use crate::draw;
use crate::step_view::{ScreenView, StepView};

/// The line of a step that is over.
pub(super) fn line(
    state: &mut LogState,
    step: &Step,
    end: &StepEnd,
    act: Option<&ActionView>,
    names: &PictureNames,
) -> Value {
    let StepView { start, screen, .. } = &step.view;
    let response = &end.response;
    let host = start.agent_type == AgentType::HostAgent;
    let repeat = act.filter(|act| act.succeeded()).and_then(|act| state.succeed(&act.call));
    let calls: Vec<&str> = act.iter().map(|act| act.call.as_str()).collect();
    let representation: Vec<&str> = act.iter().map(|act| act.representation.as_str()).collect();
    let actions: Vec<Value> = act.iter().map(|act| act.info(&end.status, repeat)).collect();
    let function = act.map_or("", |act| act.function.as_str());
    let arguments = act.map_or_else(Map::new, |act| act.arguments.clone());
    let target = act.and_then(|act| act.target.as_ref());
    let (label, text) = target.map_or(("", ""), |it| (it.id.as_str(), it.name.as_str()));
    let (observation, source) = observation_text(&response.observation, step);
    let times = seconds(end.time_ms);
    let permission = state.take_permission(step);
    let total = to_seconds(times_sum(end.time_ms));
    let cost = number(end.cost_usd);
    // The app that was opened counts, not the one it was opened from.
    let package = app_of_subtask(start, end, act)
        .or_else(|| act?.opened.as_deref())
        .or_else(|| act.and_then(ActionView::named_app))
        .unwrap_or(&screen.package);

    let mut line = Map::new();
    let mut put = |names: &[&str], value: Value| {
        for name in names {
            line.insert((*name).to_owned(), value.clone());
        }
    };
    put(&["step", "session_step", "Step"], json!(step.view.number));
    put(&["round_num", "Round"], json!(state.round));
    put(&["round_step", "RoundStep"], json!(start.round_step));
    put(&["agent_step", "AgentStep"], json!(start.agent_step));
    // UFO's readers know these two, and fail at a log without an app agent: whose act it was tells the name.
    let kind = if host { AgentType::HostAgent } else { AgentType::AppAgent };
    put(&["agent_type", "Agent"], json!(kind.name()));
    put(&["agent_name", "AgentName"], json!(step.view.agent));
    put(&["request", "Request"], json!(state.request));
    put(&["subtask", "Subtask"], json!(start.subtask));
    let index = if host { -1 } else { start.subtask_index };
    put(&["subtask_index", "SubtaskIndex"], json!(index));
    put(&["status", "Status"], json!(end.status));
    put(&["observation", "Observation"], json!(observation));
    put(&["observation_source"], json!(source));
    put(&["thought", "Thought"], json!(response.thought));
    put(&["current_subtask"], json!(response.current_subtask));
    put(&["message"], json!(response.message));
    put(&["plan", "Plan"], json!(response.plan));
    put(&["comment", "Comment"], json!(response.comment));
    put(&["questions"], json!(step.view.asked().map_or(&response.questions, |it| &it.questions)));
    put(&["control_label", "ControlLabel"], json!(label));
    put(&["control_text", "ControlText"], json!(text));
    put(&["action", "Action"], json!(actions));
    put(&["function", "Function"], json!(if host && function != "AWAKE" { "" } else { function }));
    put(&["arguments"], json!(arguments));
    put(&["function_call"], json!(calls));
    put(&["action_type", "ActionType"], json!(function));
    put(&["action_representation"], json!(representation));
    put(&["action_success"], successes(act, repeat));
    put(&["control_log"], control_log(act, host));
    put(&["save_screenshot"], json!({}));
    put(&["application", "Application", "application_process_name", "app_root"], json!(package));
    put(&["result", "results", "Results"], json!(end.result));
    put(&["cost", "Cost", "llm_cost"], json!(cost));
    put(&["cost_known"], json!(end.cost_known));
    put(&["time_cost", "execution_times"], times);
    put(&["total_time"], json!(total));
    put(&["screenshot_clean"], json!(names.clean));
    put(&["screenshot_annotated"], json!(names.annotated));
    put(&["screenshot_concat"], json!(names.concat));
    put(&["screenshot_selected_control"], json!(names.selected));
    let shown = names.shown(step.view.number);
    put(&["clean_screenshot_path", "CleanScreenshot"], json!(shown.clean));
    put(&["annotated_screenshot_path", "AnnotatedScreenshot"], json!(shown.annotated));
    put(&["concat_screenshot_path", "ConcatScreenshot"], json!(shown.concat));
    put(&["selected_control_screenshot_path", "SelectedControlScreenshot"], json!(shown.selected));
    put(&["screen_size"], json!(screen.size));
    put(&["screenshot_size"], json!(shown_size(screen)));
    put(&["desktop_screenshot_path"], json!(""));
    put(&["last_error"], json!(state.last_error));
    if let Some(error) = &end.error {
        put(&["error"], json!(error));
    }
    if let Some(why) = &end.uncertain {
        put(&["uncertain"], json!(why));
    }
    if let Some(permission) = permission {
        put(&["user_confirm", "UserConfirm"], json!(if permission { "Yes" } else { "No" }));
    }
    Value::Object(line)
}

/// The app of the subtask that a host agent gave out with this step: its package where it was opened for it, otherwise
/// as the agent called it.
pub(super) fn app_of_subtask<'a>(
    start: &StepStart,
    end: &'a StepEnd,
    act: Option<&'a ActionView>,
) -> Option<&'a str> {
    let action = end.action.as_ref().filter(|_| start.agent_type == AgentType::HostAgent)?;
    let named = action.arguments.get("app").and_then(Value::as_str);
    let app = act.and_then(|act| act.opened.as_deref()).or(named);
    app.filter(|_| end.status == AgentState::Assign)
}

/// What is seen, and who says so: the model if it did, else what the phone told about itself.
pub(super) fn observation_text(model: &str, step: &Step) -> (String, &'static str) {
    let (screen, elements) = (&step.view.screen, &step.elements);
    if !model.is_empty() {
        return (model.to_owned(), "model");
    }
    if screen.package.is_empty() && elements.iter().next().is_none() {
        return (String::new(), "device");
    }
    let front = match (screen.package.as_str(), screen.activity.as_str()) {
        ("", _) => "An app that the phone did not name is in front".to_owned(),
        (package, "") => format!("{package} is in front"),
        (package, activity) => format!("{package}/{activity} is in front"),
    };
    let clickable = elements.iter().filter(|it| it.clickable).count();
    let text = match elements.iter().count() {
        0 => format!("{front}."),
        all => {
            format!("{front}; the screen has {all} elements, {clickable} of them can be tapped.")
        }
    };
    (text, "device")
}

fn successes(act: Option<&ActionView>, repeat: Option<u32>) -> Value {
    let done = act.filter(|act| act.succeeded()).map(|act| {
        let mut done = json!({ "result": act.result, "action_string": act.call });
        if let Some(times) = repeat {
            done["repeat_time"] = json!(times);
        }
        done
    });
    Value::Array(done.into_iter().collect())
}

/// A host agent's is a dictionary, an app agent's a list.
fn control_log(act: Option<&ActionView>, host: bool) -> Value {
    let target = act.and_then(|act| Some((act, act.target.as_ref()?)));
    match target {
        Some((_, it)) if host => json!({
            "target_id": it.id, "target_name": it.name, "target_kind": "control",
            "control_text": it.name,
        }),
        None if host => json!({}),
        Some((act, _)) => json!([act.target_info()]),
        None => json!([]),
    }
}

fn times_sum(times: PhaseTimes) -> f64 {
    let PhaseTimes { data_collection, llm_interaction, action_execution, memory_update } = times;
    [data_collection, llm_interaction, action_execution, memory_update].map(number).iter().sum()
}

fn seconds(times: PhaseTimes) -> Value {
    let PhaseTimes { data_collection, llm_interaction, action_execution, memory_update } = times;
    json!({
        "DATA_COLLECTION": to_seconds(data_collection),
        "LLM_INTERACTION": to_seconds(llm_interaction),
        "ACTION_EXECUTION": to_seconds(action_execution),
        "MEMORY_UPDATE": to_seconds(memory_update),
    })
}

/// Milliseconds to seconds, to the microsecond.
pub(super) fn to_seconds(millis: f64) -> f64 {
    number((number(millis) * 1e3).round() / 1e6)
}

/// Readers add these up: what is no amount is none.
pub(super) fn number(value: f64) -> f64 {
    if value.is_finite() && 0.0 < value { value } else { 0.0 }
}

/// Of the step's pictures in the folder: that of what the model was sent, unless that is larger than they get.
fn shown_size(screen: &ScreenView) -> [u32; 2] {
    let size = screen.picture_size;
    screen.picture.as_ref().map_or(size, |picture| draw::png_size(size, &picture.media_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_number_whatever_the_record_says() {
        assert!((to_seconds(1234.5678) - 1.234_568).abs() < 1e-12);
        for odd in [f64::MAX, f64::INFINITY, f64::NAN, -1.0] {
            assert!((to_seconds(odd)).abs() < f64::EPSILON, "{odd}");
        }
    }
}
