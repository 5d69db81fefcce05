//! The results of tools. The same facts are in the text (as JSON) and in `structuredContent`, because
//! some hosts show their model only one of them.
mod advice;
mod devices;
mod direct;
mod elements;
mod log;
mod next;
#[cfg(test)]
pub(crate) mod samples;
mod sessions;
mod unanswered;
mod watch;

use ayeaye_agent::journal::{ActionRecord, DeviceRecord};
use ayeaye_agent::{Frame, Question, Report, ScreenState, StepSummary};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};

pub use self::advice::Advice;
pub use self::devices::{DeviceItem, DeviceList, also_reachable};
pub use self::direct::ActResult;
pub use self::elements::{ElementItem, UiTree, Unlisted};
pub use self::log::AppLog;
pub(super) use self::next::{ASKS_OPERATOR, AT_WORK, waits_for_operator};
pub(crate) use self::next::{is_given_up, reason_to_go_on, would_fail_again};
pub use self::sessions::SessionList;
pub(crate) use self::sessions::waits;
pub use self::unanswered::Unanswered;
pub use self::watch::{WatchResult, number_asked, state};
use super::address::Address;
use super::connection_tools::ConnectionTools;
use super::schema::names_say_it;
use super::texts;
use crate::text::{short_lines, truncate};

/// Hosts truncate results at 8,000 characters or later; steps are left out to stay below.
const MAX_RESULT: usize = 7_500;
/// Longest explanation of a step, in characters.
const MAX_EXPLAIN: usize = 160;
/// Most bytes of a screenshot.
const SCREENSHOT_BYTES: usize = 200_000;

/// What a run has come to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunResult {
    /// Continue it with `ask_agent_continue`.
    pub session_id: String,
    /// Why the run stopped; `STILL_RUNNING` if it has not.
    pub stop_reason: &'static str,
    /// The request.
    pub task: String,
    /// The phone.
    pub device_info: DeviceInfo,
    /// Steps of the whole session.
    pub global_step_idx: u32,
    /// Steps of this run.
    pub local_step_idx: u32,
    /// What the agent decided last, or null.
    pub final_action: Option<ActionItem>,
    /// The agent's result, its reason for giving up, what went wrong, or its place in a queue.
    pub message: String,
    /// What the agent wants to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionItem>,
    /// The steps of this run, oldest first; if there are many, those in the middle are left out.
    pub intermediate_logs: Vec<LogItem>,
    /// How many were left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_logs: usize,
    /// Time and tokens of this run.
    pub usage: UsageItem,
    /// The last picture the agent saw, as a resource of this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot_uri: Option<String>,
    /// What to do now.
    pub next: Advice,
}

/// The phone of a session.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = names_say_it)]
pub struct DeviceInfo {
    /// Its name.
    pub device_id: String,
    /// Width and height in pixels.
    pub device_wm_size: [u32; 2],
    /// For example "Pixel 7".
    pub model: String,
    /// For example "14".
    pub android_version: String,
}

/// An action: its type, its arguments by GELab's names, and why.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActionItem {
    /// For example `CLICK`.
    pub action_type: String,
    /// In a few words.
    pub explain: String,
    /// For example `"point": [512, 203]`, in thousandths of the screen.
    #[serde(flatten)]
    pub arguments: Map<String, Value>,
    /// The last screen in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot_caption: Option<String>,
}

/// One step.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LogItem {
    /// Counted from 1 through the session.
    pub global_step_idx: u32,
    /// What was decided.
    pub action: ActionItem,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it may have had no effect although the phone accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<String>,
}

/// A question. It may have been influenced by what is on the screen.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QuestionItem {
    /// `info`: a piece of information; `confirm`: permission to do something; `takeover`: a person has to act
    /// on the phone.
    pub kind: &'static str,
    /// In the agent's words.
    pub text: String,
    /// Answers to choose from; empty when any text will do.
    pub options: Vec<String>,
    /// Package of the app in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Whether its answer would be a password or a code: your user should type it on the phone rather than tell you.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub asks_for_secret: bool,
    /// What to tell your user with it.
    pub notice: &'static str,
    /// The outcome of asking your user in a form: `declined`, `given_up`, `no_answer`, `not_shown`,
    /// `not_understood` or `too_many`. Absent when nobody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<&'static str>,
}

/// Time and tokens.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(transform = names_say_it)]
pub struct UsageItem {
    /// Milliseconds spent waiting for models.
    pub model_ms: u64,
    /// Milliseconds for everything else.
    pub other_ms: u64,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// US dollars.
    #[serde(serialize_with = "as_in_javascript")]
    #[schemars(with = "f64")]
    pub cost_usd: f64,
    /// Whether every call's price is known.
    pub cost_known: bool,
}

/// Without ".0": hosts in JavaScript leave the structure out for their models where it is the same as the text, and compare
/// our text with how they would write it. Costs below 0.00001 are written otherwise all the same.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn as_in_javascript<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    #[expect(clippy::cast_possible_truncation, reason = "only where nothing is lost")]
    let whole = *number as i32;
    if f64::from(whole).to_bits() == number.to_bits() {
        serializer.serialize_i32(whole)
    } else {
        serializer.serialize_f64(*number)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl ActionItem {
    pub(super) fn new(action: &ActionRecord, explain: &str) -> Self {
        let mut arguments = action.arguments.clone();
        // GELab's contract has the question's text as the value of INFO.
        if let Some(Value::Object(question)) = arguments.remove("question") {
            arguments.insert("value".to_owned(), question.get("text").cloned().unwrap_or_default());
        }
        for value in arguments.values_mut() {
            if let Value::String(text) = value {
                *text = truncate(text, MAX_EXPLAIN * 4);
            }
        }
        Self {
            action_type: action.function.clone(),
            explain: truncate(explain, MAX_EXPLAIN),
            arguments,
            screenshot_caption: None,
        }
    }
}

impl From<&DeviceRecord> for DeviceInfo {
    fn from(device: &DeviceRecord) -> Self {
        Self {
            device_id: device.device_id.clone(),
            device_wm_size: device.wm_size,
            model: device.model.clone(),
            android_version: device.android_version.clone(),
        }
    }
}

impl From<&StepSummary> for LogItem {
    fn from(line: &StepSummary) -> Self {
        Self {
            global_step_idx: line.step + 1,
            action: ActionItem::new(&line.action, &line.explain),
            error: line.error.as_deref().map(|error| truncate(error, MAX_EXPLAIN * 2)),
            uncertain: line.uncertain.as_deref().map(|why| truncate(why, MAX_EXPLAIN * 2)),
        }
    }
}

impl From<&Question> for QuestionItem {
    fn from(question: &Question) -> Self {
        Self {
            kind: question.kind.name(),
            text: short_lines(&question.text, 1500),
            options: question.options.clone(),
            app: question.app.clone(),
            asks_for_secret: question.asks_for_secret(),
            notice: texts::NOTICE,
            asked: None,
        }
    }
}

impl RunResult {
    /// Adds the outcome of asking the user in a form.
    #[must_use]
    pub fn asked(mut self, asked: Option<Unanswered>) -> Self {
        if let Some(question) = &mut self.question {
            question.asked = asked.map(Unanswered::name);
            if asked == Some(Unanswered::Declined) {
                self.next = next::DECLINED.into();
            }
        }
        self
    }

    /// Advises to wait while a person drives the phone by hand: going on would take it from them.
    #[must_use]
    pub fn in_hand(mut self, report: &Report) -> Self {
        if report.question.is_none() && self.next.is(next::next(report)) {
            self.next = next::IN_HAND.into();
        }
        self
    }

    /// Fits the advice to what the client is offered: what it may not call is not advised.
    #[must_use]
    pub fn offered(mut self, report: &Report, offer: ConnectionTools) -> Self {
        if !offer.tools.agent {
            self.next = next::without_tasks(report.stop_reason, offer.tools).into();
            if let Some(message) = next::by_hand_without_tasks(report) {
                message.clone_into(&mut self.message);
            }
        } else if offer.tools.device
            && let Some(next) = next::with_device_tools(report)
        {
            self.next = next.into();
        }
        self
    }

    /// After a call with this number: what is advised next has another one.
    #[must_use]
    pub fn after_call(mut self, call_number: Option<i64>) -> Self {
        self.next = self.next.after(call_number);
        self
    }
}

impl From<&Report> for RunResult {
    fn from(report: &Report) -> Self {
        let mut result = Self::whole(report);
        result.shorten();
        result
    }
}

impl RunResult {
    /// The result with every step, however long it is.
    pub fn whole(report: &Report) -> Self {
        let usage = report.usage;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "milliseconds of a run are far below 2^53"
        )]
        let whole = |ms: f64| ms.round() as u64;
        Self {
            session_id: report.session_id.to_string(),
            stop_reason: report.stop_reason.name(),
            task: truncate(&report.task, 1000),
            device_info: DeviceInfo::from(&report.device),
            global_step_idx: report.global_steps,
            local_step_idx: report.local_steps,
            final_action: report.final_action.as_ref().map(|line| ActionItem {
                screenshot_caption: line.caption.as_deref().map(|text| truncate(text, 1000)),
                ..ActionItem::new(&line.action, &line.explain)
            }),
            message: next::message(report),
            question: report.question.as_ref().map(QuestionItem::from),
            intermediate_logs: report.steps.iter().map(LogItem::from).collect(),
            omitted_logs: 0,
            usage: UsageItem {
                model_ms: whole(usage.model_ms),
                other_ms: whole(usage.other_ms),
                prompt_tokens: usage.prompt_tokens,
                completion_tokens: usage.completion_tokens,
                cost_usd: usage.cost_usd,
                cost_known: usage.cost_known,
            },
            screenshot_uri: report
                .screenshot_step
                .map(|step| Address::Screenshot(report.session_id, step).to_string()),
            next: next::next(report).into(),
        }
    }

    /// Leaves out steps from the middle until the result is short enough: the first and the last
    /// say most.
    fn shorten(&mut self) {
        while 2 < self.intermediate_logs.len()
            && serde_json::to_string(self).is_ok_and(|text| MAX_RESULT < text.len())
        {
            self.intermediate_logs.remove(self.intermediate_logs.len() / 2);
            self.omitted_logs += 1;
        }
    }
}

/// A result with the same facts as text and as structured content.
pub fn structured(facts: &impl Serialize) -> CallToolResult {
    match serde_json::to_value(facts) {
        Ok(value) => CallToolResult::structured(value),
        Err(err) => CallToolResult::error(vec![ContentBlock::text(format!("internal: {err}"))]),
    }
}

/// A remark beside a result.
pub fn note(text: &str) -> Vec<ContentBlock> {
    vec![ContentBlock::text(text)]
}

/// A result with one picture and no structured content: hosts that read that drop the picture.
/// Its longest side has at most `side` pixels. `state` is the phone's: where the picture shows nothing, it says why.
pub async fn picture(frame: Frame, side: u32, state: Option<&ScreenState>) -> CallToolResult {
    let size = frame.size();
    let shows_nothing = frame.is_black() || frame.is_blank_inside();
    let encoded = tokio::task::spawn_blocking(move || {
        ayeaye_model::encode_within(&frame, side, SCREENSHOT_BYTES)
    })
    .await;
    match encoded {
        Ok(picture) => {
            let mut about = json!({
                "screen": [size.width, size.height],
                "picture": [picture.size.width, picture.size.height],
                "bytes": picture.bytes.len(),
            });
            if let Some(state) = state {
                if shows_nothing && !state.awake {
                    about["screen_on"] = json!(false);
                } else if shows_nothing && state.protected {
                    about["protected"] = json!(true);
                }
                if state.locked {
                    about["locked"] = json!(true);
                }
            }
            CallToolResult::success(vec![
                ContentBlock::image(STANDARD.encode(&picture.bytes), picture.media_type),
                ContentBlock::text(about.to_string()),
            ])
        }
        Err(err) => CallToolResult::error(vec![ContentBlock::text(format!(
            "the screen was captured but not encoded: {err}"
        ))]),
    }
}
