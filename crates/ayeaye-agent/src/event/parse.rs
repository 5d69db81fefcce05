//! Reading an [`Event`] in one pass.
//!
//! What serde derives for a flattened member keeps every value of a line in between. So the header is
//! read by hand here, and `data` goes straight into its derived type: `type` is written before it. The
//! other order is understood too, the slow way.
//!
//! [`CompactEvent`] leaves out what only projections look at, which is half of a record.
use std::fmt;

use jiff::Timestamp;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{
    DeserializeSeed, Deserializer, Error, IgnoredAny, IntoDeserializer as _, MapAccess, Visitor,
};
use serde_json::{Map, Value};

use super::{
    ActionRecord, CallPurpose, Entry, Event, Fact, LlmRequest, LlmResponse, MessageRecord,
    ParsedRecord, Recorded, ResponseKind, ResponseRecord, TokenRecord, ToolCallRecord,
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
        let entry = Entry {
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
                Fact::deserialize(MapAccessDeserializer::new(tagged))
            }
        }
    }
}

/// `type` and `data`, in the order in which the derived reader of [`Fact`] keeps nothing in between.
struct Tagged<'a, D> {
    name: Option<&'a str>,
    data: Option<D>,
}

impl<'de, D: Deserializer<'de>> MapAccess<'de> for Tagged<'_, D> {
    type Error = D::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, D::Error> {
        let key = match (self.name, &self.data) {
            (Some(_), _) => "type",
            (None, Some(_)) => "data",
            (None, None) => return Ok(None),
        };
        seed.deserialize(key.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, D::Error> {
        match (self.name.take(), &mut self.data) {
            (Some(name), _) => seed.deserialize(name.into_deserializer()),
            (None, data) => {
                seed.deserialize(data.take().ok_or_else(|| Error::custom("a value without a key"))?)
            }
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
    purpose: Recorded<CallPurpose>,
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
struct CompactResponse {
    call_id: u32,
    request_number: u32,
    iteration: u32,
    kind: Recorded<ResponseKind>,
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
        assert_eq!(read(&LINE.replace("tool.end", "tool.start")), None);
    }

    #[test]
    fn what_a_later_version_has_added_is_passed_over() {
        let other = LINE.replace("tool.end", "tool.dance");
        let entry = read(&other).unwrap();
        assert_eq!(entry.fact, Fact::Unknown { name: "tool.dance".to_owned() });
        assert_eq!((entry.step, entry.agent.as_deref()), (Some(3), Some("AppAgent")));
        let CompactEvent(compact) = serde_json::from_str(&other).unwrap();
        assert_eq!(compact.entry, entry);
        // `data` in front of `type`, and of another kind.
        let mut members: Map<String, Value> = serde_json::from_str(&other).unwrap();
        members.shift_remove("data");
        let text = Value::Object(members).to_string();
        let text = format!("{{\"data\":[1,null,\"x\"],{}", text.strip_prefix('{').unwrap());
        assert_eq!(read(&text), Some(entry.clone()));
        // It is not written back.
        assert!(serde_json::to_string(&entry).is_err());
    }

    #[test]
    fn the_known_types_are_those_that_are_written() {
        let nothing = serde_json::from_str::<Fact>(r#"{"type":"","data":{}}"#).unwrap_err();
        let listed = nothing.to_string();
        let listed: Vec<&str> = listed.split('`').skip(3).step_by(2).collect();
        assert_eq!(listed, FACT_TYPES);
    }

    /// Every kind of event, as format 1 has it.
    const RECORDED: &str = include_str!(
        "../../fixtures/format-1/sessions/019b7d0a-6f40-7000-8000-0000000000a1/events.jsonl"
    );

    /// The texts in this value.
    fn texts<'a>(value: &'a mut Value, found: &mut Vec<&'a mut String>) {
        match value {
            Value::String(text) => found.push(text),
            Value::Array(items) => items.iter_mut().for_each(|item| texts(item, found)),
            Value::Object(members) => members.values_mut().for_each(|value| texts(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    proptest! {
        /// A later version may write any word where this one knows a list of them.
        #[test]
        fn a_word_of_a_later_version_is_written_back_as_it_was(
            line in any::<prop::sample::Index>(),
            place in any::<prop::sample::Index>(),
            word in "\\PC{1,20}",
        ) {
            let lines: Vec<&str> = RECORDED.lines().collect();
            let mut line: Value = serde_json::from_str(lines[line.index(lines.len())]).unwrap();
            let mut found = Vec::new();
            texts(&mut line["data"], &mut found);
            if !found.is_empty() {
                let at = place.index(found.len());
                *found[at] = word;
            }
            let read: Event = serde_json::from_value(line.clone()).unwrap();
            prop_assert!(serde_json::from_value::<CompactEvent>(line.clone()).is_ok());
            let written = serde_json::to_value(read).unwrap();
            prop_assert_eq!(&written["data"], &line["data"]);
        }

        /// Whatever stands in the data, both ways agree on whether it can be read, and as what.
        #[test]
        fn both_ways_read_the_same(
            name in prop::sample::select(&FACT_TYPES[..]),
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
