//! Reading an [`Event`] in one pass.
//!
//! What serde derives for flattened members and for a tag beside its content keeps every value of a
//! line in between, since the members may come in any order. Ours come in the order in which they are
//! written: `type` stands before `data`, so that the data is read straight into its type. Another
//! order is understood too, the slow way. `serde_json` and its like can read it; the test below holds
//! the two ways together.
use std::fmt;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::{
    ActionFacts, Answer, BlobRef, Entry, Event, Fact, LlmRequest, LlmResponse, Observe,
    ParsedFacts, QuestionAsked, ResponseFacts, RoundEnd, SessionEnd, SessionResume, SessionStart,
    StepEnd, StepStart, ToolEnd, ToolStart,
};

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Members)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Member {
    V,
    Seq,
    Ts,
    Round,
    Step,
    Agent,
    Type,
    Data,
    /// `prev` and `sum`, and what a later version adds.
    #[serde(other)]
    Other,
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
        let mut v = Once::<u32>::new("v");
        let mut seq = Once::<u64>::new("seq");
        let mut ts = Once::<Timestamp>::new("ts");
        let mut round = Once::<Option<u32>>::new("round");
        let mut step = Once::<Option<u32>>::new("step");
        let mut agent = Once::<Option<String>>::new("agent");
        let mut name = Once::<Name>::new("type");
        let mut fact: Option<Fact> = None;
        let mut early: Option<Value> = None;
        while let Some(member) = map.next_key()? {
            match member {
                Member::V => v.take(&mut map)?,
                Member::Seq => seq.take(&mut map)?,
                Member::Ts => ts.take(&mut map)?,
                Member::Round => round.take(&mut map)?,
                Member::Step => step.take(&mut map)?,
                Member::Agent => agent.take(&mut map)?,
                Member::Type => name.take(&mut map)?,
                Member::Data if fact.is_some() || early.is_some() => {
                    return Err(Error::duplicate_field("data"));
                }
                Member::Data => match name.value {
                    Some(name) => fact = Some(map.next_value_seed(name)?),
                    None => early = Some(map.next_value()?),
                },
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let fact = match (fact, early) {
            (Some(fact), _) => fact,
            (None, Some(data)) => name.must()?.deserialize(data).map_err(Error::custom)?,
            (None, None) => return Err(Error::missing_field("data")),
        };
        let entry = Entry {
            round: round.value.flatten(),
            step: step.value.flatten(),
            agent: agent.value.flatten(),
            fact,
        };
        Ok(Event { v: v.must()?, seq: seq.must()?, ts: ts.must()?, entry })
    }
}

/// A member that stands in a line at most once.
struct Once<T> {
    name: &'static str,
    value: Option<T>,
}

impl<T> Once<T> {
    fn new(name: &'static str) -> Self {
        Self { name, value: None }
    }

    fn take<'de, A: MapAccess<'de>>(&mut self, map: &mut A) -> Result<(), A::Error>
    where
        T: Deserialize<'de>,
    {
        if self.value.is_some() {
            return Err(Error::duplicate_field(self.name));
        }
        self.value = Some(map.next_value()?);
        Ok(())
    }

    fn must<E: Error>(self) -> Result<T, E> {
        self.value.ok_or_else(|| Error::missing_field(self.name))
    }
}

/// What stands in `type`: says what `data` is.
#[derive(Clone, Copy, Deserialize)]
#[serde(variant_identifier)]
enum Name {
    #[serde(rename = "session.start")]
    SessionStart,
    #[serde(rename = "session.resume")]
    SessionResume,
    #[serde(rename = "session.end")]
    SessionEnd,
    #[serde(rename = "round.start")]
    RoundStart,
    #[serde(rename = "round.end")]
    RoundEnd,
    #[serde(rename = "step.start")]
    StepStart,
    #[serde(rename = "step.end")]
    StepEnd,
    #[serde(rename = "observe")]
    Observe,
    #[serde(rename = "llm.request")]
    LlmRequest,
    #[serde(rename = "llm.response")]
    LlmResponse,
    #[serde(rename = "tool.start")]
    ToolStart,
    #[serde(rename = "tool.end")]
    ToolEnd,
    #[serde(rename = "question")]
    Question,
    #[serde(rename = "answer")]
    Answer,
    #[serde(rename = "state")]
    State,
    #[serde(rename = "subtask.end")]
    SubtaskEnd,
    #[serde(rename = "snapshot")]
    Snapshot,
    #[serde(rename = "blackboard.add")]
    BlackboardAdd,
    #[serde(rename = "evaluation")]
    Evaluation,
    #[serde(rename = "note")]
    Note,
}

impl<'de> DeserializeSeed<'de> for Name {
    type Value = Fact;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Fact, D::Error> {
        Ok(match self {
            Self::SessionStart => Fact::SessionStart(SessionStart::deserialize(from)?),
            Self::SessionResume => Fact::SessionResume(SessionResume::deserialize(from)?),
            Self::SessionEnd => Fact::SessionEnd(SessionEnd::deserialize(from)?),
            Self::RoundStart => {
                let RoundStart { request } = RoundStart::deserialize(from)?;
                Fact::RoundStart { request }
            }
            Self::RoundEnd => Fact::RoundEnd(RoundEnd::deserialize(from)?),
            Self::StepStart => Fact::StepStart(StepStart::deserialize(from)?),
            Self::StepEnd => Fact::StepEnd(StepEnd::deserialize(from)?),
            Self::Observe => Fact::Observe(Observe::deserialize(from)?),
            Self::LlmRequest => Fact::LlmRequest(LlmRequest::deserialize(from)?),
            Self::LlmResponse => Fact::LlmResponse(LlmResponse::deserialize(from)?),
            Self::ToolStart => Fact::ToolStart(ToolStart::deserialize(from)?),
            Self::ToolEnd => Fact::ToolEnd(ToolEnd::deserialize(from)?),
            Self::Question => Fact::Question(QuestionAsked::deserialize(from)?),
            Self::Answer => Fact::Answer(Answer::deserialize(from)?),
            Self::State => {
                let State { from, to } = State::deserialize(from)?;
                Fact::State { from, to }
            }
            Self::SubtaskEnd => {
                let SubtaskEnd { index, status, result } = SubtaskEnd::deserialize(from)?;
                Fact::SubtaskEnd { index, status, result }
            }
            Self::Snapshot => {
                let Snapshot { scope, sub_round, screenshot, ui_tree } =
                    Snapshot::deserialize(from)?;
                Fact::Snapshot { scope, sub_round, screenshot, ui_tree }
            }
            Self::BlackboardAdd => {
                let BlackboardAdd { section, item } = BlackboardAdd::deserialize(from)?;
                Fact::BlackboardAdd { section, item }
            }
            Self::Evaluation => Fact::Evaluation(Value::deserialize(from)?),
            Self::Note => {
                let Note { kind, text, figures } = Note::deserialize(from)?;
                Fact::Note { kind, text, figures }
            }
        })
    }
}

#[derive(Deserialize)]
struct RoundStart {
    request: String,
}

#[derive(Deserialize)]
struct State {
    from: String,
    to: String,
}

#[derive(Deserialize)]
struct SubtaskEnd {
    index: u32,
    status: String,
    result: String,
}

#[derive(Deserialize)]
struct Snapshot {
    scope: String,
    sub_round: Option<u32>,
    screenshot: Option<BlobRef>,
    ui_tree: Option<BlobRef>,
}

#[derive(Deserialize)]
struct BlackboardAdd {
    section: String,
    item: Value,
}

#[derive(Deserialize)]
struct Note {
    kind: String,
    text: String,
    #[serde(default)]
    figures: Map<String, Value>,
}

/// [`ParsedFacts`] without a flattened member.
#[derive(Deserialize)]
pub(super) struct FlatParsed {
    action: ActionFacts,
    #[serde(default)]
    observation: String,
    #[serde(default)]
    thought: String,
    #[serde(default)]
    comment: String,
    #[serde(default)]
    summary: String,
    #[serde(default)]
    plan: Vec<String>,
    #[serde(default)]
    current_subtask: String,
    #[serde(default)]
    message: Vec<String>,
    #[serde(default)]
    questions: Vec<String>,
}

impl From<FlatParsed> for ParsedFacts {
    fn from(flat: FlatParsed) -> Self {
        let FlatParsed {
            action,
            observation,
            thought,
            comment,
            summary,
            plan,
            current_subtask,
            message,
            questions,
        } = flat;
        let response = ResponseFacts {
            observation,
            thought,
            comment,
            summary,
            plan,
            current_subtask,
            message,
            questions,
        };
        Self { action, response }
    }
}
