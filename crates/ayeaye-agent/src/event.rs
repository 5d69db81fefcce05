//! The persisted shapes: what a line of `events.jsonl` holds. Nothing else in the project is
//! written to disk as truth, and these types are not the vocabulary: they change only with
//! [`FORMAT`].
mod action;
mod lists;
mod llm;
mod parse;
mod run;
mod step;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

pub use self::action::InvalidActionRecord;
pub use self::lists::*;
pub use self::llm::*;
pub(crate) use self::parse::CompactEvent;
#[cfg(test)]
pub(crate) use self::parse::FACT_TYPES;
pub use self::run::*;
pub use self::step::*;
pub use crate::word_list::RecordedWord;

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
    /// The fact, and the step or round it belongs to.
    #[serde(flatten)]
    pub entry: RecordEntry,
}

/// An entry to be written; the record adds number, time and hash.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RecordEntry {
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

/// Everything that can happen in a session.
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
        /// The agent's state before.
        from: RecordedWord<AgentState>,
        /// The state now.
        to: RecordedWord<AgentState>,
    },
    /// A subtask is over.
    #[serde(rename = "subtask.end")]
    SubtaskEnd {
        /// From 0 in each round.
        index: u32,
        /// `FINISH` or `FAIL`.
        status: RecordedWord<AgentState>,
        /// What came of it.
        result: String,
    },
    /// The screen at the end of something.
    #[serde(rename = "snapshot")]
    Snapshot {
        /// What has ended.
        scope: RecordedWord<SnapshotScope>,
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
        /// Where it is put.
        section: RecordedWord<BlackboardSection>,
        /// What is added to it.
        item: Value,
    },
    /// A judgement of a round or the session: [`EvaluationRecord`], where it can be read as that.
    #[serde(rename = "evaluation")]
    Evaluation(Value),
    /// A warning, or a repair of this very record.
    #[serde(rename = "note")]
    Note {
        /// What it is about.
        kind: RecordedWord<NoteKind>,
        /// For people.
        text: String,
        /// Figures, such as `dropped_bytes`.
        #[serde(default, skip_serializing_if = "Map::is_empty")]
        figures: Map<String, Value>,
    },
    /// Something of which only a later version of this format knows. It is passed over, and never written.
    #[serde(skip)]
    Unknown {
        /// Its type.
        name: String,
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
