//! Reading an [`Event`] in one pass.
//!
//! What serde derives for flattened members and for a tag beside its content keeps every value of a
//! line in between, since the members may come in any order. Ours come in the order in which they are
//! written: `type` stands before `data`, so that the data is read straight into its type. Another
//! order is understood too, the slow way.
//!
//! [`CompactEvent`] leaves out what only projections look at, which is half of a record.
use std::fmt;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::{
    ActionRecord, Answer, BlobRef, Entry, Event, Fact, LlmRequest, LlmResponse, Observe,
    ParsedRecord, QuestionAsked, ResponseRecord, RoundEnd, SessionEnd, SessionResume, SessionStart,
    StepEnd, StepStart, TokenRecord, ToolEnd, ToolStart,
};

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Members { compact: false })
    }
}

/// An event as [`Journal::visit_compact`](crate::Journal::visit_compact) has it.
#[derive(Debug)]
pub(crate) struct CompactEvent(pub(crate) Event);

impl<'de> Deserialize<'de> for CompactEvent {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Members { compact: true }).map(Self)
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

struct Members {
    compact: bool,
}

impl<'de> Visitor<'de> for Members {
    type Value = Event;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an event")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Event, A::Error> {
        let mut v = UniqueField::<u32>::new("v");
        let mut seq = UniqueField::<u64>::new("seq");
        let mut ts = UniqueField::<Timestamp>::new("ts");
        let mut round = UniqueField::<Option<u32>>::new("round");
        let mut step = UniqueField::<Option<u32>>::new("step");
        let mut agent = UniqueField::<Option<String>>::new("agent");
        let mut name = UniqueField::<Name>::new("type");
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
                    Some(name) => fact = Some(map.next_value_seed(self.data(name))?),
                    None => early = Some(map.next_value()?),
                },
                Member::Other => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        let fact = match (fact, early) {
            (Some(fact), _) => fact,
            (None, Some(data)) => {
                self.data(name.required()?).deserialize(data).map_err(Error::custom)?
            }
            (None, None) => return Err(Error::missing_field("data")),
        };
        let entry = Entry {
            round: round.value.flatten(),
            step: step.value.flatten(),
            agent: agent.value.flatten(),
            fact,
        };
        Ok(Event { v: v.required()?, seq: seq.required()?, ts: ts.required()?, entry })
    }
}

impl Members {
    fn data(&self, name: Name) -> Data {
        Data { name, compact: self.compact }
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

struct Data {
    name: Name,
    compact: bool,
}

impl<'de> DeserializeSeed<'de> for Data {
    type Value = Fact;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Fact, D::Error> {
        if self.compact {
            match self.name {
                Name::LlmRequest => {
                    return Ok(Fact::LlmRequest(Asked::deserialize(from)?.into()));
                }
                Name::LlmResponse => {
                    return Ok(Fact::LlmResponse(Response::deserialize(from)?.into()));
                }
                _ => {}
            }
        }
        Ok(match self.name {
            Name::SessionStart => Fact::SessionStart(SessionStart::deserialize(from)?),
            Name::SessionResume => Fact::SessionResume(SessionResume::deserialize(from)?),
            Name::SessionEnd => Fact::SessionEnd(SessionEnd::deserialize(from)?),
            Name::RoundStart => {
                let RoundStart { request } = RoundStart::deserialize(from)?;
                Fact::RoundStart { request }
            }
            Name::RoundEnd => Fact::RoundEnd(RoundEnd::deserialize(from)?),
            Name::StepStart => Fact::StepStart(StepStart::deserialize(from)?),
            Name::StepEnd => Fact::StepEnd(StepEnd::deserialize(from)?),
            Name::Observe => Fact::Observe(Observe::deserialize(from)?),
            Name::LlmRequest => Fact::LlmRequest(LlmRequest::deserialize(from)?),
            Name::LlmResponse => Fact::LlmResponse(LlmResponse::deserialize(from)?),
            Name::ToolStart => Fact::ToolStart(ToolStart::deserialize(from)?),
            Name::ToolEnd => Fact::ToolEnd(ToolEnd::deserialize(from)?),
            Name::Question => Fact::Question(QuestionAsked::deserialize(from)?),
            Name::Answer => Fact::Answer(Answer::deserialize(from)?),
            Name::State => {
                let State { from, to } = State::deserialize(from)?;
                Fact::State { from, to }
            }
            Name::SubtaskEnd => {
                let SubtaskEnd { index, status, result } = SubtaskEnd::deserialize(from)?;
                Fact::SubtaskEnd { index, status, result }
            }
            Name::Snapshot => {
                let Snapshot { scope, sub_round, screenshot, ui_tree } =
                    Snapshot::deserialize(from)?;
                Fact::Snapshot { scope, sub_round, screenshot, ui_tree }
            }
            Name::BlackboardAdd => {
                let BlackboardAdd { section, item } = BlackboardAdd::deserialize(from)?;
                Fact::BlackboardAdd { section, item }
            }
            Name::Evaluation => Fact::Evaluation(Value::deserialize(from)?),
            Name::Note => {
                let Note { kind, text, figures } = Note::deserialize(from)?;
                Fact::Note { kind, text, figures }
            }
        })
    }
}

/// An [`LlmRequest`] without what was asked.
#[derive(Deserialize)]
struct Asked {
    call_id: u32,
    request_number: u32,
    iteration: u32,
    purpose: String,
    model: String,
    profile: String,
}

impl From<Asked> for LlmRequest {
    fn from(asked: Asked) -> Self {
        let Asked { call_id, request_number, iteration, purpose, model, profile } = asked;
        Self {
            call_id,
            request_number,
            iteration,
            purpose,
            model,
            profile,
            messages: Vec::new(),
            params: Map::new(),
            tools_schema: None,
            response_schema: None,
            tool_results: None,
        }
    }
}

/// An [`LlmResponse`] without the answer as it came.
#[derive(Deserialize)]
struct Response {
    call_id: u32,
    request_number: u32,
    iteration: u32,
    kind: String,
    success: bool,
    parsed: Option<ParsedRecord>,
    finish_reason: Option<String>,
    model: String,
    tokens: TokenRecord,
    latency_ms: f64,
    first_token_ms: Option<f64>,
    cost_usd: f64,
    cost_known: bool,
    error: Option<String>,
}

impl From<Response> for LlmResponse {
    fn from(response: Response) -> Self {
        Self {
            call_id: response.call_id,
            request_number: response.request_number,
            iteration: response.iteration,
            kind: response.kind,
            success: response.success,
            raw_content: None,
            reasoning: String::new(),
            tool_calls: Vec::new(),
            parsed: response.parsed,
            finish_reason: response.finish_reason,
            model: response.model,
            tokens: response.tokens,
            latency_ms: response.latency_ms,
            first_token_ms: response.first_token_ms,
            cost_usd: response.cost_usd,
            cost_known: response.cost_known,
            retries: Vec::new(),
            error: response.error,
        }
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    const LINE: &str = r#"{"v":1,"seq":7,"ts":"2026-01-02T03:04:05.600000Z","round":0,"step":3,"agent":"AppAgent","type":"tool.end","data":{"tool_call_id":1,"success":true,"result":"done","duration_ms":0.1},"prev":"","sum":""}"#;

    fn line() -> Map<String, Value> {
        serde_json::from_str(LINE).unwrap()
    }

    /// As serde derives it for the parts, the header aside.
    fn derived(text: &str) -> Option<Entry> {
        serde_json::from_str(text).ok()
    }

    fn read(text: &str) -> Option<Entry> {
        serde_json::from_str::<Event>(text).ok().map(|event| event.entry)
    }

    #[test]
    fn members_may_come_in_any_order() {
        let wanted = derived(LINE).unwrap();
        let members = line();
        let names: Vec<&String> = members.keys().collect();
        for turn in 0..names.len() {
            for backwards in [false, true] {
                let mut order = names.clone();
                order.rotate_left(turn);
                if backwards {
                    order.reverse();
                }
                let turned: Map<String, Value> =
                    order.iter().map(|name| ((*name).clone(), members[*name].clone())).collect();
                let text = Value::Object(turned).to_string();
                assert_eq!(read(&text).as_ref(), Some(&wanted), "{text}");
            }
        }
        assert_eq!(serde_json::from_value::<Event>(line().into()).unwrap().entry, wanted);
    }

    #[test]
    fn what_is_missing_or_said_twice_is_refused() {
        for name in ["v", "seq", "ts", "type", "data"] {
            let mut less = line();
            less.remove(name);
            assert_eq!(read(&Value::Object(less).to_string()), None, "{name}");
        }
        for name in ["round", "step", "agent"] {
            let mut less = line();
            less.insert(name.to_owned(), Value::Null);
            let null = read(&Value::Object(less.clone()).to_string()).unwrap();
            less.remove(name);
            assert_eq!(read(&Value::Object(less).to_string()), Some(null), "{name}");
        }
        for (name, value) in line() {
            let twice = format!("{},\"{name}\":{value}}}", LINE.strip_suffix('}').unwrap());
            let allowed = matches!(&*name, "prev" | "sum");
            assert_eq!(read(&twice).is_some(), allowed, "{name}");
        }
        assert_eq!(read("[]"), None);
        assert_eq!(read(&LINE.replace("tool.end", "tool.dance")), None);
        assert_eq!(read(&LINE.replace("tool.end", "tool.start")), None);
    }

    proptest! {
        /// Whatever stands in the data, both ways agree on whether it can be read, and as what.
        #[test]
        fn both_ways_read_the_same(
            name in prop::sample::select(&[
                "session.start", "session.resume", "session.end", "round.start", "round.end",
                "step.start", "step.end", "observe", "llm.request", "llm.response", "tool.start",
                "tool.end", "question", "answer", "state", "subtask.end", "snapshot",
                "blackboard.add", "evaluation", "note", "other",
            ][..]),
            members in prop::collection::btree_map(
                prop::sample::select(&[
                    "request", "from", "to", "index", "status", "result", "scope", "sub_round",
                    "screenshot", "ui_tree", "section", "item", "kind", "text", "figures",
                    "answers", "source", "message", "unknown", "why", "run",
                ][..]),
                prop_oneof![
                    any::<u32>().prop_map(Value::from),
                    any::<String>().prop_map(Value::from),
                    Just(Value::Null),
                    Just(json!([])),
                    Just(json!({})),
                    Just(json!(["a"])),
                    Just(json!({ "max_steps": 1, "reply_mode": "x" })),
                    Just(json!({ "sha256": "0", "bytes": 1, "media_type": "x" })),
                ],
                0..21,
            ),
        ) {
            let mut line = line();
            line.insert("type".to_owned(), name.into());
            line.insert("data".to_owned(), json!(members));
            let text = Value::Object(line).to_string();
            prop_assert_eq!(read(&text), derived(&text));
        }

        #[test]
        fn foreign_text_is_refused_not_feared(text in any::<String>(), at in 0..LINE.len()) {
            let (before, after) = LINE.split_at(at);
            let text = format!("{before}{text}{after}");
            prop_assert_eq!(read(&text).is_some() , serde_json::from_str::<CompactEvent>(&text).is_ok());
        }
    }
}
