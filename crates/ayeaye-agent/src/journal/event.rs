//! The persisted shapes: what a line of `events.jsonl` holds. Nothing else in the project is
//! written to disk as truth, and these types are not the vocabulary: they change only with
//! [`FORMAT`].
pub(super) mod parse;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Raised when a reader of the last format would misread a new line.
pub const FORMAT: u32 = 1;

/// One line of the record.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// [`FORMAT`] when it was written.
    pub v: u32,
    /// From 1, without gaps.
    pub seq: u64,
    /// When it was written, UTC, to the microsecond.
    pub ts: Timestamp,
    /// What it says and where it belongs.
    #[serde(flatten)]
    pub entry: Entry,
}

/// What is handed in to be written; the record adds number, time and hash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    /// The round it belongs to, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub round: Option<u32>,
    /// The step it belongs to, counted from 0 through the whole session.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step: Option<u32>,
    /// Who it is about, such as `AppAgent`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The fact.
    #[serde(flatten)]
    pub fact: Fact,
}

/// What can happen in a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "data")]
pub enum Fact {
    /// The session, and its first run, begin.
    #[serde(rename = "session.start")]
    SessionStart(SessionStart),
    /// A further run begins.
    #[serde(rename = "session.resume")]
    SessionResume(SessionResume),
    /// A run has stopped; the session can be resumed.
    #[serde(rename = "session.end")]
    SessionEnd(SessionEnd),
    /// A request is taken up.
    #[serde(rename = "round.start")]
    RoundStart {
        /// In the user's words.
        request: String,
    },
    /// A request is over: done, given up, or dropped for another.
    #[serde(rename = "round.end")]
    RoundEnd(RoundEnd),
    /// A look, a decision and an act begin.
    #[serde(rename = "step.start")]
    StepStart(StepStart),
    /// The step is over, well or not.
    #[serde(rename = "step.end")]
    StepEnd(StepEnd),
    /// The phone was looked at.
    #[serde(rename = "observe")]
    Observe(Observe),
    /// A model is about to be asked.
    #[serde(rename = "llm.request")]
    LlmRequest(LlmRequest),
    /// It answered, or failed to.
    #[serde(rename = "llm.response")]
    LlmResponse(LlmResponse),
    /// Something is about to be done. With `device` it was on disk before it went to the phone.
    #[serde(rename = "tool.start")]
    ToolStart(ToolStart),
    /// It was done, failed, or nobody knows.
    #[serde(rename = "tool.end")]
    ToolEnd(ToolEnd),
    /// Something was asked.
    #[serde(rename = "question")]
    Question(QuestionAsked),
    /// Somebody answered, or said something unasked.
    #[serde(rename = "answer")]
    Answer(Answer),
    /// An agent passed from one state to another.
    #[serde(rename = "state")]
    State {
        /// The agent's state before, such as `CONTINUE`.
        from: String,
        /// The state now.
        to: String,
    },
    /// A subtask is over.
    #[serde(rename = "subtask.end")]
    SubtaskEnd {
        /// From 0 in each round.
        index: u32,
        /// `FINISH` or `FAIL`.
        status: String,
        /// What came of it.
        result: String,
    },
    /// The screen at the end of something.
    #[serde(rename = "snapshot")]
    Snapshot {
        /// `sub_round`, `round` or `session`.
        scope: String,
        /// Number of the sub-round, from 0 in each round.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        sub_round: Option<u32>,
        /// The picture.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        screenshot: Option<BlobRef>,
        /// The elements.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        ui_tree: Option<BlobRef>,
    },
    /// Something every agent of the session may read.
    #[serde(rename = "blackboard.add")]
    BlackboardAdd {
        /// Such as `requests`.
        section: String,
        /// What is added to it.
        item: Value,
    },
    /// A judgement of a round or the session: [`EvaluationRecord`], where it can be read as that.
    #[serde(rename = "evaluation")]
    Evaluation(Value),
    /// A warning, or a repair of this very record.
    #[serde(rename = "note")]
    Note {
        /// Short and fixed, such as `recovered`.
        kind: String,
        /// For people.
        text: String,
        /// Figures, such as `dropped_bytes`.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        figures: Map<String, Value>,
    },
}

/// A blob beside the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlobRef {
    /// Lower-case hexadecimal; also its file name.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
    /// Such as `image/jpeg`.
    pub media_type: String,
}

/// See [`Fact::SessionStart`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionStart {
    /// Name of the folder in projections; the session's id unless said otherwise.
    pub task_name: String,
    /// The first request.
    pub request: String,
    /// The phone.
    pub device: DeviceRecord,
    /// Settings that shape the run, never a key.
    pub config: Map<String, Value>,
    /// Limits and reply mode of the first run.
    pub run: RunRecord,
    /// Whose it is, when it is not the person's at this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
}

/// The phone as it was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// Its serial.
    pub device_id: String,
    /// Such as "Pixel 7".
    pub model: String,
    /// Such as "14".
    pub android_version: String,
    /// Width and height in pixels.
    pub wm_size: [u32; 2],
}

/// What a run was started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Most steps of this run.
    pub max_steps: u32,
    /// Who answers questions: `pass_to_client`, `auto_reply`, `no_reply`, `manual_reply`.
    pub reply_mode: String,
    /// Whether a host agent splits up what is asked for, in rounds that begin in this run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub planner: bool,
}

/// See [`Fact::SessionResume`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionResume {
    /// `reply`, `guidance`, `next_round`, `go_on`; for one step of the client's own `direct`, or
    /// `direct_asked` while a question waits.
    pub why: String,
    /// Limits and reply mode of this run.
    pub run: RunRecord,
}

/// See [`Fact::SessionEnd`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionEnd {
    /// One of the closed list.
    pub stop_reason: String,
    /// COMPLETE's return, ABORT's reason, or what went wrong.
    pub message: String,
    /// Steps of the whole session.
    pub steps: u32,
    /// Steps of this run.
    pub local_steps: u32,
    /// Of the whole session, in US dollars.
    pub cost_usd: f64,
    /// Whether every call's price is known.
    pub cost_known: bool,
}

/// See [`Fact::RoundEnd`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundEnd {
    /// `FINISH`, `FAIL`, or `DROPPED` for a request that was replaced by the next.
    pub status: String,
    /// What came of it.
    pub result: String,
    /// One of the closed list; empty for a request that was dropped.
    pub stop_reason: String,
    /// Steps of this round.
    pub steps: u32,
    /// Subtasks of this round.
    pub subtask_amount: u32,
    /// In US dollars.
    pub cost_usd: f64,
}

/// See [`Fact::StepStart`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepStart {
    /// `HostAgent` or `AppAgent`; `Client` for a step that a client has decided and no model.
    pub agent_type: String,
    /// From 0 in each round.
    pub round_step: u32,
    /// From 0 for each agent.
    pub agent_step: u32,
    /// What this agent is to do.
    pub subtask: String,
    /// From 0 in each round; -1 for the host agent.
    pub subtask_index: i32,
    /// Which request to the model this is going to be, from 1 for each agent. A step that ends before
    /// it asks leaves the number to the next.
    pub request_number: u32,
}

/// See [`Fact::StepEnd`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct StepEnd {
    /// `CONTINUE`, `FINISH`, `PENDING`, `CONFIRM`, `SCREENSHOT`, `ASSIGN`, `FAIL` or `ERROR`.
    pub status: String,
    /// What the model said, by the names of UFO's log.
    pub response: ResponseRecord,
    /// What was decided; empty when nothing was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub action: Option<ActionRecord>,
    /// What came of it.
    pub result: String,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
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
    /// Looking: settle, capture, encode.
    pub data_collection: f64,
    /// Waiting for models.
    pub llm_interaction: f64,
    /// Acting on the phone.
    pub action_execution: f64,
    /// Writing the record.
    pub memory_update: f64,
}

/// What a model said, as its profile understood it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ResponseRecord {
    /// What it sees.
    #[serde(default)]
    pub observation: String,
    /// Why.
    #[serde(default)]
    pub thought: String,
    /// The action in a few words.
    #[serde(default)]
    pub comment: String,
    /// What has been done so far.
    #[serde(default)]
    pub summary: String,
    /// What is to come after this step.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub plan: Vec<String>,
    /// A host agent's: what the app agent is to do now.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub current_subtask: String,
    /// A host agent's: what the app agent should know.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub message: Vec<String>,
    /// What it asks the user.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub questions: Vec<String>,
}

/// An action as kept: GELab's name and its arguments.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ActionRecord {
    /// Such as `CLICK`.
    pub function: String,
    /// Such as `{"point": [512, 203]}`, in thousandths.
    pub arguments: Map<String, Value>,
}

/// Tokens, as the endpoint counted them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// Sent.
    pub prompt: u64,
    /// Received.
    pub completion: u64,
    /// Of the completion: reasoning.
    pub thinking: u64,
    /// Of the prompt: from a cache.
    pub cached: u64,
    /// Prompt and completion.
    pub total: u64,
}

/// See [`Fact::Observe`].
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
    /// Package of the app in front; empty when the phone did not say.
    pub package: String,
    /// Its activity.
    pub activity: String,
    /// Whether the display was on.
    pub screen_on: bool,
    /// Places of the kept picture that were blacked out.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub blackened: u32,
    /// Captures until the screen stood still.
    pub captures: u32,
    /// Whether it stood still before the limit.
    pub settled: bool,
    /// Milliseconds from the first capture to the last.
    pub settle_ms: f64,
    /// Milliseconds for scaling and encoding.
    pub encode_ms: f64,
}

/// A message of a prompt, its pictures by reference.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MessageRecord {
    /// `system`, `user` or `assistant`.
    pub role: String,
    /// In order.
    pub parts: Vec<PartRecord>,
}

/// A piece of a message.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PartRecord {
    /// Words.
    Text(String),
    /// Words that are long or said in every step, kept once.
    TextBlob(BlobRef),
    /// A picture.
    Picture(BlobRef),
}

/// A tool that a model asked for in its reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCallRecord {
    /// As the endpoint named it.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments.
    pub parameters: Map<String, Value>,
}

/// See [`Fact::LlmRequest`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmRequest {
    /// From 1 through the session.
    pub call_id: u32,
    /// From 1 for each agent.
    pub request_number: u32,
    /// From 1 in each request: more than 1 when a reply was asked for again.
    pub iteration: u32,
    /// `act`, `repair`, `auto_reply`, `plan`, `caption` or `evaluate`.
    pub purpose: String,
    /// As it is asked for.
    pub model: String,
    /// Such as `gelab`.
    pub profile: String,
    /// In order.
    pub messages: Vec<MessageRecord>,
    /// Sampling and the like, as it was sent.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub params: Map<String, Value>,
    /// The tools it was offered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools_schema: Option<Value>,
    /// The shape its reply has to have, where the endpoint was told one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_schema: Option<Value>,
    /// What the tools it called before have returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_results: Option<Value>,
}

/// See [`Fact::LlmResponse`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LlmResponse {
    /// That of the request.
    pub call_id: u32,
    /// That of the request.
    pub request_number: u32,
    /// That of the request.
    pub iteration: u32,
    /// `final` when it was acted on, else `intermediate`.
    pub kind: String,
    /// Whether an answer came and could be read.
    pub success: bool,
    /// As it came.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raw_content: Option<String>,
    /// Reasoning that the endpoint keeps apart.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub reasoning: String,
    /// Tools it asks for before it decides.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCallRecord>,
    /// What was understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parsed: Option<ParsedRecord>,
    /// `stop`, `length` ...
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_reason: Option<String>,
    /// As the endpoint names it.
    pub model: String,
    /// As the endpoint counted.
    pub tokens: TokenRecord,
    /// Milliseconds, retries included.
    pub latency_ms: f64,
    /// Milliseconds to the first token, if streamed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_token_ms: Option<f64>,
    /// In US dollars.
    pub cost_usd: f64,
    /// Whether the price is known.
    pub cost_known: bool,
    /// Attempts that failed before, each in a sentence.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retries: Vec<String>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What was understood of a reply.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "parse::FlatParsed")]
pub struct ParsedRecord {
    /// What to do.
    pub action: ActionRecord,
    /// What else was said.
    #[serde(flatten)]
    pub response: ResponseRecord,
}

/// See [`Fact::ToolStart`].
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
    /// What it is aimed at, where the screen's elements were known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<TargetRecord>,
    /// Calls of one reply share a number, from 1 through the session; alone without one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch: Option<u32>,
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

/// See [`Fact::Evaluation`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRecord {
    /// `round` or `session`.
    pub level: String,
    /// `yes`, `no` or `unsure`.
    pub complete: String,
    /// The parts of the request, each judged.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sub_scores: Vec<SubScore>,
    /// Why.
    pub reason: String,
    /// What was judged, in the user's words.
    pub request: String,
    /// Of the judging calls.
    pub tokens: TokenRecord,
    /// In US dollars.
    pub cost_usd: f64,
    /// Whether the price is known.
    pub cost_known: bool,
    /// Why there is no judgement; then `complete` is `unsure`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl EvaluationRecord {
    /// The judgement in a fact, if it is one.
    pub fn of(fact: &Value) -> Option<Self> {
        Self::deserialize(fact).ok()
    }
}

/// One part of a judgement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubScore {
    /// The part of the request.
    pub name: String,
    /// `yes`, `no` or `unsure`.
    pub evaluation: String,
}

/// See [`Fact::ToolEnd`].
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
    /// Milliseconds.
    pub duration_ms: f64,
}

/// See [`Fact::Question`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct QuestionAsked {
    /// `info`, `confirm` or `takeover`.
    pub kind: String,
    /// What is asked.
    pub questions: Vec<String>,
    /// Answers to choose from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub options: Vec<String>,
    /// Package of the app in front.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Who is to answer.
    pub reply_mode: String,
}

/// See [`Fact::Answer`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Answer {
    /// What was said.
    pub answers: Vec<String>,
    /// `client`, `auto`, `manual`, `none`, or `guidance` for words nobody asked for.
    pub source: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the signature serde asks for")]
fn is_zero(number: &u32) -> bool {
    *number == 0
}
