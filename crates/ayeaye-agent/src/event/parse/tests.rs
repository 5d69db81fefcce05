use proptest::prelude::*;
use serde_json::json;

use super::*;

const LINE: &str = r#"{"v":1,"seq":7,"ts":"2026-01-02T03:04:05.600000Z","round":0,"step":3,"agent":"AppAgent","type":"tool.end","data":{"tool_call_id":1,"success":true,"result":"done","duration_ms":0.1},"prev":"","sum":""}"#;

fn line() -> Map<String, Value> {
    serde_json::from_str(LINE).unwrap()
}

/// As serde derives it for the parts, the header aside.
fn derived(text: &str) -> Option<RecordEntry> {
    serde_json::from_str(text).ok()
}

fn read(text: &str) -> Option<RecordEntry> {
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
    "../../../fixtures/format-1/sessions/019b7d0a-6f40-7000-8000-0000000000a1/events.jsonl"
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
