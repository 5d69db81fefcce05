//! Reading an [`Event`] in one pass.
//!
//! What serde derives for a flattened member keeps every value of a line in between. So the header is
//! read by hand here, and `data` goes straight into its derived type: `type` is written before it. The
//! other order is understood too, the slow way.
//!
//! [`CompactEvent`] leaves out what only projections look at, which is half of a record.
#[cfg(test)]
mod tests;

use std::fmt;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::value::SeqAccessDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer as _, MapAccess, SeqAccess,
    Visitor,
};
use serde_json::{Map, Value};

use super::{
    ActionRecord, CallPurpose, Event, Fact, LlmRequest, LlmResponse, MessageRecord, ParsedRecord,
    RecordEntry, RecordedWord, ResponseKind, ResponseRecord, TokenRecord, ToolCallRecord,
};

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(EventVisitor { compact: false })
    }
}

/// An event as [`Journal::visit_compact`](crate::Journal::visit_compact) has it.
#[derive(Debug)]
pub(crate) struct CompactEvent(pub(crate) Event);

impl<'de> Deserialize<'de> for CompactEvent {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(EventVisitor { compact: true }).map(Self)
    }
}

#[derive(Deserialize)]
#[serde(field_identifier, rename_all = "snake_case")]
enum Field {
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

struct EventVisitor {
    compact: bool,
}

impl<'de> Visitor<'de> for EventVisitor {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
        let compact = self.compact;
        let mut v = UniqueField::<u32>::new("v");
        let mut seq = UniqueField::<u64>::new("seq");
        let mut ts = UniqueField::<Timestamp>::new("ts");
        let mut round = UniqueField::<Option<u32>>::new("round");
        let mut step = UniqueField::<Option<u32>>::new("step");
        let mut agent = UniqueField::<Option<String>>::new("agent");
        let mut name = UniqueField::<String>::new("type");
        let mut fact: Option<Fact> = None;
        let mut early: Option<String> = None;
        while let Some(field) = map.next_key()? {
            match field {
                Field::V => v.take(&mut map)?,
                Field::Seq => seq.take(&mut map)?,
                Field::Ts => ts.take(&mut map)?,
                Field::Round => round.take(&mut map)?,
                Field::Step => step.take(&mut map)?,
                Field::Agent => agent.take(&mut map)?,
                Field::Type => name.take(&mut map)?,
                Field::Data if fact.is_some() || early.is_some() => {
                    return Err(Error::duplicate_field("data"));
                }
                Field::Data => match &name.value {
                    Some(name) => fact = Some(map.next_value_seed(FactSeed { name, compact })?),
                    None => early = Some(map.next_value::<Value>()?.to_string()),
                },
                Field::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let name = name.required()?;
        let fact = match (fact, early) {
            (Some(fact), _) => fact,
            (None, Some(data)) => {
                // As a text again: readers of values beside those of texts would be 0.3 MB of the program.
                let mut text = serde_json::Deserializer::from_str(&data);
                FactSeed { name: &name, compact }.deserialize(&mut text).map_err(Error::custom)?
            }
            (None, None) => return Err(Error::missing_field("data")),
        };
        let entry = RecordEntry {
            round: round.value.flatten(),
            step: step.value.flatten(),
            agent: agent.value.flatten(),
            fact,
        };
        Ok(Event { v: v.required()?, seq: seq.required()?, ts: ts.required()?, entry })
    }
}

/// A member that stands in a line at most once.
struct UniqueField<T> {
    name: &'static str,
    value: Option<T>,
}

impl<T> UniqueField<T> {
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

    fn required<E: Error>(self) -> Result<T, E> {
        self.value.ok_or_else(|| Error::missing_field(self.name))
    }
}

/// Every type of fact that this version knows. Another one is no flaw: types may be added within a format.
pub(crate) const FACT_TYPES: [&str; 20] = [
    "session.start",
    "session.resume",
    "session.end",
    "round.start",
    "round.end",
    "step.start",
    "step.end",
    "observe",
    "llm.request",
    "llm.response",
    "tool.start",
    "tool.end",
    "question",
    "answer",
    "state",
    "subtask.end",
    "snapshot",
    "blackboard.add",
    "evaluation",
    "note",
];

/// Reads `data` as the fact that `type` names.
struct FactSeed<'a> {
    name: &'a str,
    compact: bool,
}

impl<'de> DeserializeSeed<'de> for FactSeed<'_> {
    type Value = Fact;

    fn deserialize<D: Deserializer<'de>>(self, data: D) -> Result<Fact, D::Error> {
        match self.name {
            "llm.request" if self.compact => {
                CompactRequest::deserialize(data).map(Fact::LlmRequest)
            }
            "llm.response" if self.compact => {
                CompactResponse::deserialize(data).map(Fact::LlmResponse)
            }
            // What it says is nothing to this version: no reason to keep it, however long it is.
            name if !FACT_TYPES.contains(&name) => {
                IgnoredAny::deserialize(data)?;
                Ok(Fact::Unknown { name: name.to_owned() })
            }
            name => {
                let tagged = Tagged { name: Some(name), data: Some(data) };
                Fact::deserialize(SeqAccessDeserializer::new(tagged))
            }
        }
    }
}

/// `type` and `data` as a sequence, which the derived reader of [`Fact`] takes as well as a map. A map may have
/// `data` in front, and reading what was kept of it would be 0.15 MB of the program.
struct Tagged<'a, D> {
    name: Option<&'a str>,
    data: Option<D>,
}

impl<'de, D: Deserializer<'de>> SeqAccess<'de> for Tagged<'_, D> {
    type Error = D::Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, D::Error> {
        match self.name.take() {
            Some(name) => seed.deserialize(name.into_deserializer()).map(Some),
            None => self.data.take().map(|data| seed.deserialize(data)).transpose(),
        }
    }
}

/// An [`LlmRequest`] without what was asked.
#[derive(Deserialize)]
#[serde(remote = "LlmRequest")]
struct CompactRequest {
    call_id: u32,
    request_number: u32,
    iteration: u32,
    purpose: RecordedWord<CallPurpose>,
    model: String,
    profile: String,
    #[serde(skip)]
    messages: Vec<MessageRecord>,
    #[serde(skip)]
    params: Map<String, Value>,
    #[serde(skip)]
    tools_schema: Option<Value>,
    #[serde(skip)]
    response_schema: Option<Value>,
    #[serde(skip)]
    tool_results: Option<Value>,
}

/// An [`LlmResponse`] without the reasoning and the calls of the answer. Its words are told the model again.
#[derive(Deserialize)]
#[serde(remote = "LlmResponse")]
#[expect(clippy::struct_excessive_bools, reason = "the fields of a line of the record")]
struct CompactResponse {
    call_id: u32,
    request_number: u32,
    iteration: u32,
    kind: RecordedWord<ResponseKind>,
    success: bool,
    #[serde(default)]
    raw_content: Option<String>,
    #[serde(skip)]
    reasoning: String,
    #[serde(skip)]
    tool_calls: Vec<ToolCallRecord>,
    #[serde(default)]
    parsed: Option<ParsedRecord>,
    #[serde(default)]
    finish_reason: Option<String>,
    model: String,
    tokens: TokenRecord,
    #[serde(default)]
    tokens_estimated: bool,
    latency_ms: f64,
    #[serde(default)]
    first_token_ms: Option<f64>,
    cost_usd: f64,
    cost_known: bool,
    #[serde(skip)]
    retries: Vec<String>,
    #[serde(default)]
    error: Option<String>,
    #[serde(default)]
    withdrawn: bool,
}

/// [`ParsedRecord`] without a flattened member.
#[derive(Deserialize)]
pub(super) struct FlatParsed {
    action: ActionRecord,
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

impl From<FlatParsed> for ParsedRecord {
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
        let response = ResponseRecord {
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
