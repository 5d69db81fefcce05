//! What is recorded of a step: its bounds, what was seen, done, asked and answered.
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{
    ActionRecord, AgentState, AgentType, AnswerSource, BlobRef, RecordedWord, ResponseRecord,
    TokenRecord,
};
use crate::{ActMark, CaptureRoute, QuestionKind, ReplyMode, ShownDisplay};

/// See [`Fact::StepStart`](super::Fact::StepStart).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepStart {
    /// Who decides.
    pub agent_type: RecordedWord<AgentType>,
    /// From 0 in each round.
    pub round_step: u32,
    /// From 0 for each agent.
    pub agent_step: u32,
    /// The agent's subtask.
    pub subtask: String,
    /// From 0 in each round; -1 for the host agent.
    pub subtask_index: i32,
    /// Which request to the model this is going to be, from 1 for each agent. A step that ends before
    /// it asks leaves the number to the next.
    pub request_number: u32,
}

/// The error of an act that the user was asked about, by the gate or in the model's own words: whatever is answered, it is
/// to be decided on again.
pub(crate) const ASKED_FIRST: &str = "not carried out yet: the user was asked first";

impl StepEnd {
    /// Whether its act waits for the user's word, so that nothing went wrong.
    pub fn is_only_asked(&self) -> bool {
        self.error.as_deref() == Some(ASKED_FIRST)
    }
}

/// See [`Fact::StepEnd`](super::Fact::StepEnd).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepEnd {
    /// The state it leaves its agent in.
    pub status: RecordedWord<AgentState>,
    /// What the model said, by the names of UFO's log.
    pub response: ResponseRecord,
    /// The decided action, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionRecord>,
    /// What came of it.
    pub result: String,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it is not certain that the act had its effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<String>,
    /// Of all calls of this step.
    pub tokens: TokenRecord,
    /// In US dollars, of all calls of this step.
    pub cost_usd: f64,
    /// Whether the price is known.
    pub cost_known: bool,
    /// Milliseconds by phase.
    pub time_ms: PhaseTimes,
    /// The screen in words, where that was wanted and the step has ended the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caption: Option<String>,
}

/// Milliseconds by UFO's phases.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct PhaseTimes {
    /// Looking: settle, capture, encode, and waiting for the elements.
    pub data_collection: f64,
    /// Waiting for models.
    pub llm_interaction: f64,
    /// Acting on the phone.
    pub action_execution: f64,
    /// Writing the record.
    pub memory_update: f64,
}

impl PhaseTimes {
    /// Everything but the waiting for models.
    pub fn besides_model(self) -> f64 {
        self.data_collection + self.action_execution + self.memory_update
    }
}

/// See [`Fact::Observe`](super::Fact::Observe).
#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Observe {
    /// The picture the model is sent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot: Option<BlobRef>,
    /// Width and height of the picture.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub screenshot_size: Option<[u32; 2]>,
    /// Width and height of the frame it was made from.
    pub screen_size: [u32; 2],
    /// The elements.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ui_tree: Option<BlobRef>,
    /// They are those of an earlier step in which the screen looked exactly the same.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub ui_tree_known: bool,
    /// Package of the app in front; empty when the phone did not say.
    pub package: String,
    /// Its activity.
    pub activity: String,
    /// The app's name in the phone's language, where it is known.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub app_name: String,
    /// Whether the display was on.
    pub screen_on: bool,
    /// Which display it was, of a phone that has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<DisplayRecord>,
    /// How the capture came, of the first of a run and of each that came otherwise than the one before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub capture: Option<CaptureRecord>,
    /// The app protects its screen: the picture does not show it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub protected: bool,
    /// Places of the kept picture that were blacked out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub blackened: u32,
    /// Captures until the screen stood still.
    pub captures: u32,
    /// Whether it stood still before the limit.
    pub settled: bool,
    /// Milliseconds from the end of the act before to the beginning of the first capture, where an act was waited for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_look_ms: Option<f64>,
    /// Milliseconds from the beginning of the first capture to the end of the last.
    pub settle_ms: f64,
    /// How many frames of this screen a model was sent before they were known to be the settled one, so far.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub guesses: u32,
    /// The last of them was the settled one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub guessed_right: bool,
    /// Milliseconds for scaling and encoding.
    pub encode_ms: f64,
}

/// How a capture came.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureRecord {
    /// Such as `raw`, `gzip` or `PNG`.
    pub way: String,
    /// The serial over which the phone was reached.
    pub link: String,
    /// `usb`, `tcp` or `emulator`.
    pub transport: String,
}

impl From<CaptureRoute> for CaptureRecord {
    fn from(CaptureRoute { way, link, transport }: CaptureRoute) -> Self {
        Self { way: way.to_owned(), link, transport: transport.name().to_owned() }
    }
}

/// A display of a phone that has several.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DisplayRecord {
    /// Its number for touches.
    pub id: u32,
    /// The number of its panel for captures: 64 bits, which not every reader of JSON keeps as a number.
    pub panel: String,
    /// How the phone is folded, in its own word, where it tells.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub posture: Option<String>,
}

impl From<ShownDisplay> for DisplayRecord {
    fn from(ShownDisplay { display, panel, posture }: ShownDisplay) -> Self {
        Self { id: display, panel: panel.to_string(), posture }
    }
}

/// See [`Fact::ToolStart`](super::Fact::ToolStart).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolStart {
    /// From 1 through the session.
    pub tool_call_id: u32,
    /// Such as `CLICK`.
    pub name: String,
    /// Its arguments.
    pub parameters: Map<String, Value>,
    /// Whether it changes the phone.
    pub device: bool,
    /// The target, if the screen's elements were known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetRecord>,
    /// The display that it was decided on, of a phone that has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub display: Option<DisplayRecord>,
    /// Calls of one reply share a number, from 1 through the session; alone without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
    /// The gate's verdict on it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gate: Option<GateRecord>,
    /// Where the phone notes that it has begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mark: Option<ActMark>,
}

/// The name of the command that makes a phone usable.
pub(crate) const WAKE: &str = "WAKE";
/// The figure of a note that names the message it tells of.
pub(crate) const MESSAGE_ID: &str = "message_id";
/// The figure of a note that names the policy it tells of.
pub(crate) const POLICY: &str = "policy";
/// The figure of a note that names the step it tells of.
pub(crate) const STEP: &str = "step";

impl ToolStart {
    /// Whether something is done on the phone with it. To wake its screen for that is not it.
    pub fn is_act(&self) -> bool {
        self.device && self.name != WAKE
    }
}

/// The gate's verdict on an act, before it was done or instead of doing it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateRecord {
    /// `allow`, `confirm` or `deny`.
    pub verdict: String,
    /// The rule that decided.
    pub rule: String,
    /// The class of the act, where it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class: Option<String>,
    /// The evidence that the rule found.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub evidence: String,
    /// The profiles of the policy.
    pub policy: String,
    /// Which act it was, where the user is asked about it or it is refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub act: Option<ActIdentity>,
}

/// Which act it is: a user's yes to it is for nothing else.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActIdentity {
    /// The action's name, with a digest of the typed text or the name of what is opened.
    pub action: String,
    /// Package of the app in front.
    pub app: String,
    /// Its activity.
    pub activity: String,
    /// The title of the screen, and the amount of money on it.
    pub screen: String,
    /// Resource id, name and class of the target, if the elements are known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<[String; 3]>,
    /// A digest of the recipients and the content on the screen, if something is sent, published or transferred.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub content: String,
    /// A digest of the act's subject: all texts of the window, or of the row.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub about: String,
    /// The middle of that, or the point, in thousandths of the screen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<[f64; 2]>,
    /// The times that its texts are without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub countdown: Option<Countdown>,
}

/// Times that count down: of "Pay (4:59)" 299 seconds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Countdown {
    /// Each of them, in seconds.
    pub seconds: Vec<u32>,
    /// When the phone said so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_at: Option<Timestamp>,
}

/// An element of the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetRecord {
    /// Its place in the tree, from 0, in the order of the document.
    pub id: String,
    /// Its text, else its description; may be empty.
    pub name: String,
    /// Its class, such as `android.widget.Button`.
    pub kind: String,
    /// Left, top, right, bottom in pixels of the screen.
    pub rect: [i32; 4],
}

/// See [`Fact::ToolEnd`](super::Fact::ToolEnd).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolEnd {
    /// That of the start.
    pub tool_call_id: u32,
    /// Whether it was done.
    pub success: bool,
    /// Set when nobody knows whether it was done.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// What came of it.
    pub result: String,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Why it is not certain that it had its effect, though the phone has accepted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uncertain: Option<String>,
    /// The package of the app that was opened by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Milliseconds.
    pub duration_ms: f64,
}

/// See [`Fact::Question`](super::Fact::Question).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionAsked {
    /// The kind of answer it wants.
    pub kind: RecordedWord<QuestionKind>,
    /// The questions.
    pub questions: Vec<String>,
    /// Answers to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Package of the app in front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Who is to answer.
    pub reply_mode: RecordedWord<ReplyMode>,
}

/// See [`Fact::Answer`](super::Fact::Answer).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// The answers.
    pub answers: Vec<String>,
    /// Who said it.
    pub source: RecordedWord<AnswerSource>,
    /// The message that brought it, where one did: it has its effect once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_id: Option<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
