//! What is recorded of sessions, their runs and their rounds.
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{RecordedWord, ResumeReason, RoundStatus};
use crate::device::DeviceInfo;
use crate::{ReplyMode, StopReason};

/// See [`Fact::SessionStart`](super::Fact::SessionStart).
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceRecord {
    /// Its serial.
    pub device_id: String,
    /// Such as "Pixel 7".
    pub model: String,
    /// Such as "14".
    pub android_version: String,
    /// Width and height in pixels.
    pub wm_size: [u32; 2],
    /// The first 16 hexadecimal digits of the SHA-256 of its serial number, by which the session knows it again at an
    /// address that another phone may have by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub serial_digest: Option<String>,
}

impl DeviceRecord {
    /// Whether this is another phone than an earlier one, as far as can be told: by model and serial number, since
    /// Android and screen may have changed. Emulators cannot be told apart that way.
    pub fn is_other_than(&self, before: &Self) -> bool {
        let serials = before.serial_digest.as_ref().zip(self.serial_digest.as_ref());
        self.has_other_model_than(before) || serials.is_some_and(|(before, now)| before != now)
    }

    /// Whether both tell a model, and not the same.
    pub fn has_other_model_than(&self, before: &Self) -> bool {
        // A phone that does not tell its model is recorded under this one.
        let is_known = |model: &str| model != DeviceInfo::UNKNOWN;
        is_known(&before.model) && is_known(&self.model) && before.model != self.model
    }
}

/// The options that a run was started with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// Most steps of this run.
    pub max_steps: u32,
    /// Who answers questions.
    pub reply_mode: RecordedWord<ReplyMode>,
    /// Whether a host agent splits up the requests of rounds that begin in this run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub planner: bool,
    /// The profile by which the policy is narrowed from this run on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy: Option<String>,
    /// The server in whose process the phone is, where no other server reaches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_server: Option<String>,
}

/// See [`Fact::SessionResume`](super::Fact::SessionResume).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionResume {
    /// The kind of input it began with.
    pub why: RecordedWord<ResumeReason>,
    /// Limits and reply mode of this run.
    pub run: RunRecord,
}

impl SessionResume {
    /// Whether the run belongs to the one before it: a question of that one was answered, or still
    /// waits.
    pub(crate) fn continues_question(&self) -> bool {
        matches!(self.why.known(), Some(ResumeReason::Reply | ResumeReason::DirectAsked))
    }

    /// Whether the client acts by itself.
    pub(crate) fn is_direct(&self) -> bool {
        matches!(self.why.known(), Some(ResumeReason::Direct | ResumeReason::DirectAsked))
    }

    /// Whether it does nothing but give up the question of the run before it.
    pub(crate) fn gives_up(&self) -> bool {
        self.why.known() == Some(ResumeReason::GivenUp)
    }
}

/// See [`Fact::SessionEnd`](super::Fact::SessionEnd).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionEnd {
    /// Why it stopped.
    pub stop_reason: RecordedWord<StopReason>,
    /// COMPLETE's return, ABORT's reason, or the error.
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

/// See [`Fact::RoundEnd`](super::Fact::RoundEnd).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RoundEnd {
    /// Whether it was carried out, given up or dropped.
    pub status: RecordedWord<RoundStatus>,
    /// What came of it.
    pub result: String,
    /// Why its last run stopped; `None`, in the record an empty text, for a request that was dropped.
    #[serde(with = "empty_as_none")]
    pub stop_reason: Option<RecordedWord<StopReason>>,
    /// Steps of this round.
    pub steps: u32,
    /// Subtasks of this round.
    pub subtask_amount: u32,
    /// In US dollars.
    pub cost_usd: f64,
}

/// A word that a record leaves empty where there is none.
mod empty_as_none {
    use serde::{Deserialize as _, Deserializer, Serializer};

    use crate::word_list::{RecordedWord, WordList};

    #[expect(clippy::ref_option, reason = "the signature serde asks for")]
    pub(super) fn serialize<T: WordList, S: Serializer>(
        word: &Option<RecordedWord<T>>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.serialize_str(word.as_deref().unwrap_or_default())
    }

    pub(super) fn deserialize<'de, T: WordList, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<RecordedWord<T>>, D::Error> {
        Ok(Some(RecordedWord::deserialize(from)?).filter(|word| !word.is_empty()))
    }
}
