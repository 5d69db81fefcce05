//! What clients get back. The same facts stand in the text (as JSON) and in `structuredContent`: some
//! hosts show their model only the one, some only the other.
mod direct;
mod elements;

use ayeaye_agent::journal::ActionRecord;
use ayeaye_agent::{
    Agent, DeviceEntry, DeviceHolder, Frame, Principal, Question, QuestionKind, Report,
    StepSummary, StopReason,
};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::model::{CallToolResult, ContentBlock};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

pub use self::direct::ActResult;
pub use self::elements::{ElementItem, UiTree};
use super::questions::Unanswered;
use super::texts;
use super::tool_error::ToolError;
use crate::text::truncate;

/// Hosts cut results down at 8,000 characters and more; steps are left out to stay below.
const LONGEST_RESULT: usize = 7_500;
/// Longest explanation of a step, in characters.
const LONGEST_EXPLAIN: usize = 160;
/// Longest side of a screenshot, in pixels; more is refused or scaled down by hosts.
const SCREENSHOT_SIDE: u32 = 1280;
/// Most bytes of a screenshot.
const SCREENSHOT_BYTES: usize = 200_000;

/// The phones.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeviceList {
    /// Every phone adb knows, ready or not.
    pub devices: Vec<DeviceItem>,
    /// What to do when there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A phone.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeviceItem {
    /// Name it so in the other tools.
    pub device_id: String,
    /// `device` is ready; `offline`, `unauthorized` and others are not.
    pub state: String,
    /// Such as "Pixel 7".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// The build's product name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub product: Option<String>,
    /// `usb`, `tcp`, `emulator` or `virtual`.
    pub transport: &'static str,
    /// Such as "14".
    #[serde(skip_serializing_if = "Option::is_none")]
    pub android_version: Option<String>,
    /// In pixels, as it is held now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen: Option<Screen>,
    /// Whether a session drives it now.
    pub busy: bool,
    /// That session, when it is yours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// A screen's size.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Screen {
    /// Pixels.
    pub width: u32,
    /// Pixels.
    pub height: u32,
}

impl From<Vec<(DeviceEntry, DeviceHolder)>> for DeviceList {
    fn from(devices: Vec<(DeviceEntry, DeviceHolder)>) -> Self {
        let hint = devices.is_empty().then(|| {
            "no phone is connected: plug one in and enable USB debugging, or start the server with \
             --virtual; `ayeaye doctor` checks everything"
                .to_owned()
        });
        Self { devices: devices.into_iter().map(DeviceItem::from).collect(), hint }
    }
}

impl From<(DeviceEntry, DeviceHolder)> for DeviceItem {
    fn from((entry, driver): (DeviceEntry, DeviceHolder)) -> Self {
        Self {
            device_id: entry.id.to_string(),
            state: entry.state,
            model: entry.model,
            product: entry.product,
            transport: entry.transport.name(),
            android_version: entry.android_version,
            screen: entry.screen.map(|size| Screen { width: size.width, height: size.height }),
            busy: driver != DeviceHolder::Free,
            session_id: match driver {
                DeviceHolder::Session(id) => Some(id.to_string()),
                DeviceHolder::Free | DeviceHolder::Other => None,
            },
            hint: entry.hint,
        }
    }
}

/// What a run has come to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RunResult {
    /// Go on with it by `ask_agent_continue`.
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
    /// What the agent decided last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub final_action: Option<ActionItem>,
    /// The agent's result, its reason for giving up, or what went wrong.
    pub message: String,
    /// What the agent wants to know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionItem>,
    /// The steps of this run, oldest first; the middle is left out when there are many.
    pub intermediate_logs: Vec<LogItem>,
    /// How many steps were left out of `intermediate_logs`.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted_logs: usize,
    /// Time and tokens of this run.
    pub usage: UsageItem,
    /// The last picture the agent saw, as a resource of this server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot_uri: Option<String>,
    /// What to do now.
    pub next: &'static str,
}

/// The phone of a session.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DeviceInfo {
    /// Its name.
    pub device_id: String,
    /// Width and height in pixels.
    pub device_wm_size: [u32; 2],
    /// Such as "Pixel 7".
    pub model: String,
    /// Such as "14".
    pub android_version: String,
}

/// An action: its type, its arguments by GELab's names, and why.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActionItem {
    /// Such as `CLICK`.
    pub action_type: String,
    /// In a few words.
    pub explain: String,
    /// Such as `"point": [512, 203]`, in thousandths of the screen.
    #[serde(flatten)]
    pub arguments: Map<String, Value>,
    /// The last screen in words, if the server is set to make them.
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
}

/// A question. It may have been influenced by what is on the screen.
#[derive(Debug, Serialize, JsonSchema)]
pub struct QuestionItem {
    /// `info`: a piece of information; `confirm`: leave to do something; `takeover`: a person has to act
    /// on the phone.
    pub kind: &'static str,
    /// In the agent's words.
    pub text: String,
    /// Answers to choose from; empty when any text will do.
    pub options: Vec<String>,
    /// Package of the app in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Whether its answer would be a password or a code: better typed on the phone by your user than told to you.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub asks_for_secret: bool,
    /// What to tell your user with it.
    pub notice: &'static str,
    /// What came of asking your user in a form: `declined`, `given_up`, `no_answer`, `not_shown`,
    /// `not_understood` or `too_many`. Absent when nobody was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<&'static str>,
}

/// Time and tokens.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UsageItem {
    /// Milliseconds waited for models.
    pub model_ms: u64,
    /// Milliseconds for everything else.
    pub other_ms: u64,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// US dollars.
    pub cost_usd: f64,
    /// Whether every call's price is known.
    pub cost_known: bool,
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
                *text = truncate(text, LONGEST_EXPLAIN * 4);
            }
        }
        Self {
            action_type: action.function.clone(),
            explain: truncate(explain, LONGEST_EXPLAIN),
            arguments,
            screenshot_caption: None,
        }
    }
}

impl From<&StepSummary> for LogItem {
    fn from(line: &StepSummary) -> Self {
        Self {
            global_step_idx: line.step + 1,
            action: ActionItem::new(&line.action, &line.explain),
            error: line.error.as_deref().map(|error| truncate(error, LONGEST_EXPLAIN * 2)),
        }
    }
}

impl From<&Question> for QuestionItem {
    fn from(question: &Question) -> Self {
        Self {
            kind: question.kind.name(),
            text: truncate(&question.text, 1500),
            options: question.options.clone(),
            app: question.app.clone(),
            asks_for_secret: question.asks_for_secret(),
            notice: texts::NOTICE,
            asked: None,
        }
    }
}

impl RunResult {
    /// The same with what came of asking the user in a form.
    #[must_use]
    pub fn asked(mut self, asked: Option<Unanswered>) -> Self {
        if let Some(question) = &mut self.question {
            question.asked = asked.map(Unanswered::name);
        }
        self
    }
}

impl From<&Report> for RunResult {
    fn from(report: &Report) -> Self {
        let usage = report.usage;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "milliseconds of a run are far below 2^53"
        )]
        let whole = |ms: f64| ms.round() as u64;
        let mut result = Self {
            session_id: report.session_id.to_string(),
            stop_reason: report.stop_reason.name(),
            task: truncate(&report.task, 1000),
            device_info: DeviceInfo {
                device_id: report.device.device_id.clone(),
                device_wm_size: report.device.wm_size,
                model: report.device.model.clone(),
                android_version: report.device.android_version.clone(),
            },
            global_step_idx: report.global_steps,
            local_step_idx: report.local_steps,
            final_action: report.final_action.as_ref().map(|line| ActionItem {
                screenshot_caption: line.caption.as_deref().map(|text| truncate(text, 1000)),
                ..ActionItem::new(&line.action, &line.explain)
            }),
            message: truncate(&report.message, 1500),
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
                .map(|step| super::resources::screenshot_uri(report.session_id, step)),
            next: next(report.stop_reason, report.question.as_ref()),
        };
        result.shorten();
        result
    }
}

impl RunResult {
    /// Leaves out steps from the middle until the result is short enough. The first and the last
    /// tell most.
    fn shorten(&mut self) {
        while 2 < self.intermediate_logs.len()
            && serde_json::to_string(self).is_ok_and(|text| LONGEST_RESULT < text.len())
        {
            self.intermediate_logs.remove(self.intermediate_logs.len() / 2);
            self.omitted_logs += 1;
        }
    }
}

/// What to do now, for the client's model.
fn next(reason: StopReason, question: Option<&Question>) -> &'static str {
    match reason {
        StopReason::TaskCompletedSuccessfully => {
            "Done. For something related on the same phone call ask_agent_continue with this \
             session_id and a task; for anything else start a new task."
        }
        StopReason::TaskAbortedByAgent => {
            "The agent gave up: see message. Mend the cause or put the task differently, then start \
             a new task."
        }
        StopReason::InfoActionNeedsReply
            if question.is_some_and(|it| it.kind == QuestionKind::Takeover) =>
        {
            "Ask your user to do this on the phone with their own hands and to tell you when it is done. \
             Then call ask_agent_continue with this session_id and reply_from_client saying so."
        }
        StopReason::InfoActionNeedsReply if question.is_some_and(Question::asks_for_secret) => {
            "Ask your user to type it on the phone with their own hands and to tell you when it is done. \
             Then call ask_agent_continue with this session_id and \"done\" as reply_from_client. Do not \
             ask them to tell you the secret."
        }
        StopReason::InfoActionNeedsReply => {
            "Ask your user, then call ask_agent_continue with this session_id and reply_from_client. \
             Do not make the answer up."
        }
        StopReason::StillRunning => {
            "The task goes on. Call ask_agent_continue with this session_id and nothing else to follow \
             it, or stop_task to end it."
        }
        StopReason::MaxStepsReached => {
            "Call ask_agent_continue with this session_id to give it more steps, with reply_from_client \
             to advise it."
        }
        StopReason::NoProgress => {
            "The agent is stuck. Look at get_screenshot, then call ask_agent_continue with this \
             session_id and advice in reply_from_client."
        }
        StopReason::ModelFailed => {
            "The model did not answer usefully: see message. Call ask_agent_continue with this \
             session_id to try again; the user can run `ayeaye doctor`."
        }
        StopReason::DeviceLost => {
            "The phone went away: see message. When it is back, call ask_agent_continue with this \
             session_id."
        }
        StopReason::Cancelled
        | StopReason::UserPaused
        | StopReason::ManualStopScreenOff
        | StopReason::ServerRestarted
        | StopReason::NotStarted => {
            "Nothing is lost. Call ask_agent_continue with this session_id to go on, or start a new task."
        }
        StopReason::BudgetReached => {
            "A limit of the server is used up: see message. The user can raise it in ayeaye.toml and \
             call ask_agent_continue."
        }
        StopReason::StorageFailed => {
            "The server cannot write its records: see message. Nothing more is done on the phone until \
             the user mends that."
        }
    }
}

/// The sessions there are.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionList {
    /// Newest first.
    pub sessions: Vec<SessionItem>,
}

/// A session in short.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SessionItem {
    /// Go on with it by `ask_agent_continue`.
    pub session_id: String,
    /// Why its last run stopped; `STILL_RUNNING` if it has not.
    pub stop_reason: &'static str,
    /// Its last request.
    pub task: String,
    /// Its phone.
    pub device_id: String,
    /// Steps so far.
    pub global_step_idx: u32,
    /// What is wrong with its record, when it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl SessionList {
    /// Reads the newest sessions. One that cannot be read is in the list, with the reason.
    pub async fn read(agent: &Agent, principal: &Principal, limit: u8) -> Result<Self, ToolError> {
        let mut sessions = Vec::new();
        for (id, report) in agent.sessions(principal, usize::from(limit)).await? {
            sessions.push(match report {
                Ok(report) => SessionItem {
                    session_id: id.to_string(),
                    stop_reason: report.stop_reason.name(),
                    task: truncate(&report.task, 120),
                    device_id: report.device.device_id.clone(),
                    global_step_idx: report.global_steps,
                    error: None,
                },
                Err(err) => SessionItem {
                    session_id: id.to_string(),
                    stop_reason: StopReason::StorageFailed.name(),
                    task: String::new(),
                    device_id: String::new(),
                    global_step_idx: 0,
                    error: Some(super::tool_error::chain(&err)),
                },
            });
        }
        Ok(Self { sessions })
    }
}

/// A result with the same facts as text and as structure.
pub fn structured(facts: &impl Serialize) -> CallToolResult {
    match serde_json::to_value(facts) {
        Ok(value) => CallToolResult::structured(value),
        Err(err) => CallToolResult::error(vec![ContentBlock::text(format!("internal: {err}"))]),
    }
}

/// A result that is one picture.
pub async fn picture(frame: Frame) -> CallToolResult {
    let size = frame.size();
    let encoded = tokio::task::spawn_blocking(move || {
        ayeaye_model::encode_within(&frame, SCREENSHOT_SIDE, SCREENSHOT_BYTES)
    })
    .await;
    match encoded {
        Ok(picture) => CallToolResult::success(vec![
            ContentBlock::image(STANDARD.encode(&picture.bytes), picture.media_type),
            ContentBlock::text(
                json!({ "screen": [size.width, size.height], "picture": [picture.size.width, picture.size.height] })
                    .to_string(),
            ),
        ]),
        Err(err) => CallToolResult::error(vec![ContentBlock::text(format!(
            "the screen was captured but not encoded: {err}"
        ))]),
    }
}
