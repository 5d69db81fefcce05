//! An action as UFO tells it: `ActionCommandInfo`, its target and its result.
use ayeaye_agent::journal::{ActionRecord, AgentState, StepEnd, TargetRecord};
use ayeaye_agent::{Action, Gesture, Point, ScreenSize};
use serde_json::{Map, Value, json};

use super::state::Step;
use crate::draw::TouchMark;

/// What a step did, ready to be written.
#[derive(Debug)]
pub(super) struct ActionView {
    pub(super) function: String,
    pub(super) arguments: Map<String, Value>,
    /// Such as `CLICK(point=[512,203])`.
    pub(super) call: String,
    /// For people, several lines.
    pub(super) representation: String,
    pub(super) target: Option<TargetRecord>,
    /// Where it touched the screen.
    pub(super) mark: Option<TouchMark>,
    pub(super) status: &'static str,
    /// Whether it may have been done, and nobody knows.
    pub(super) unknown: bool,
    error: Option<String>,
    /// Why it may have had no effect, though the phone has accepted it.
    uncertain: Option<String>,
    pub(super) result: String,
    /// `phone` for what a phone carries out, else `agent`.
    pub(super) namespace: &'static str,
    call_id: Option<u32>,
    /// The package of the app that the phone has opened for it.
    pub(super) opened: Option<String>,
}

impl ActionView {
    /// The action of a step that is over; `None` when nothing was decided.
    pub(super) fn of(step: &Step, end: &StepEnd) -> Option<Self> {
        let facts = end.action.as_ref().filter(|facts| !facts.function.is_empty())?;
        let facts = &step.view.action_to_show(facts);
        let action = Action::try_from(facts).ok();
        let gesture = match &action {
            Some(Action::Gesture(gesture)) => Some(gesture),
            _ => None,
        };
        let tool = step.view.tool.as_ref().filter(|(start, _)| start.name == facts.function);
        let outcome = match tool {
            Some((_, Some(tool))) if tool.unknown => {
                ("none", tool.error.clone(), tool.result.clone())
            }
            Some((_, Some(tool))) if tool.success => ("success", None, tool.result.clone()),
            Some((_, Some(tool))) => ("failure", tool.error.clone(), tool.result.clone()),
            Some((_, None)) => ("none", end.error.clone(), String::new()),
            None if gesture.is_some() => ("skipped", end.error.clone(), String::new()),
            None if end.is_only_asked() => ("none", None, String::new()),
            None if end.status == AgentState::Error || end.error.is_some() => {
                ("failure", end.error.clone(), end.result.clone())
            }
            None if is_waiting(end) => ("none", None, String::new()),
            None => ("success", None, end.result.clone()),
        };
        let (status, error, result) = outcome;
        let unknown = tool.is_some_and(|(_, tool)| tool.as_ref().is_none_or(|it| it.unknown));
        let uncertain = tool.and_then(|(_, tool)| tool.as_ref()?.uncertain.clone());
        let opened = tool.and_then(|(_, tool)| tool.as_ref()?.app.clone());
        let target = tool.and_then(|(start, _)| start.target.clone());
        let target = target.or_else(|| looked_up(step, gesture.and_then(aimed_at)?));
        let call = call(facts);
        let on = target.as_ref().map_or_else(String::new, |it| format!("{} ({})", it.name, it.id));
        Some(Self {
            representation: format!(
                "[Action] {call}\n[Target] {on}\n[Status] {status}\n[Result] {result}"
            ),
            function: facts.function.clone(),
            arguments: facts.arguments.clone(),
            call,
            target,
            mark: gesture.and_then(TouchMark::of),
            status,
            unknown,
            error,
            uncertain,
            result,
            namespace: if gesture.is_some() || tool.is_some() { "phone" } else { "agent" },
            call_id: tool.map(|(start, _)| start.tool_call_id),
            opened,
        })
    }

    /// The app it has opened, as the agent called it: records of before name no package.
    pub(super) fn named_app(&self) -> Option<&str> {
        let opened = self.function == "AWAKE" && self.succeeded();
        self.arguments.get("app").and_then(Value::as_str).filter(|_| opened)
    }

    pub(super) fn succeeded(&self) -> bool {
        self.status == "success"
    }

    /// `TargetInfo`, or null.
    pub(super) fn target_info(&self) -> Value {
        self.target.as_ref().map_or(Value::Null, |it| {
            json!({ "kind": "control", "name": it.name, "id": it.id, "type": it.kind, "rect": it.rect })
        })
    }

    /// `Result`
    pub(super) fn result_info(&self) -> Value {
        json!({
            "status": self.status, "error": self.error, "result": self.result,
            "uncertain": self.uncertain, "namespace": self.namespace, "call_id": self.call_id.map(|id| id.to_string()),
        })
    }

    /// `ActionCommandInfo`. `repeat` is how often the same was done directly before, once anything
    /// was done at all.
    pub(super) fn info(&self, status: &str, repeat: Option<u32>) -> Value {
        let mut info = json!({
            "function": self.function, "status": status, "arguments": self.arguments,
            "target": self.target_info(), "result": self.result_info(),
            "action_string": self.call, "action_representation": self.representation,
        });
        if let Some(times) = repeat {
            info["repeat_time"] = json!(times);
        }
        info
    }
}

/// Whether the step ended with a question that nobody has answered yet.
fn is_waiting(end: &StepEnd) -> bool {
    let asks = matches!(end.status.known(), Some(AgentState::Pending | AgentState::Confirm));
    asks && end.result.is_empty()
}

/// Letters as they are: whoever writes JSON escapes them once.
fn call(facts: &ActionRecord) -> String {
    let arguments: Vec<String> =
        facts.arguments.iter().map(|(name, it)| format!("{name}={it}")).collect();
    format!("{}({})", facts.function, arguments.join(", "))
}

/// Where a gesture begins.
fn aimed_at(gesture: &Gesture) -> Option<Point> {
    match gesture {
        Gesture::Click { point }
        | Gesture::DoubleClick { point }
        | Gesture::LongPress { point, .. } => Some(*point),
        Gesture::Type { point, .. } => *point,
        Gesture::Slide { from, .. } | Gesture::Drag { from, .. } => Some(*from),
        Gesture::Scroll { at, .. } => *at,
        Gesture::Awake { .. } | Gesture::HotKey { .. } | Gesture::Command(_) => None,
    }
}

fn looked_up(step: &Step, point: Point) -> Option<TargetRecord> {
    let [width, height] = step.view.screen.size;
    if width == 0 || height == 0 {
        return None;
    }
    let pixel = point.to_pixel(ScreenSize { width, height });
    step.elements.target_at(pixel)
}
