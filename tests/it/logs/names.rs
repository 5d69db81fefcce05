//! `docs/logs.md` names everything there is: files, fields and events.
use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::folders::{complete as complete_logs, files, json_lines};
use super::scenes::{options, rig};
use crate::support::{Answer, RigOptions, click, complete, gelab, info, tap};

const DOCS: &str = include_str!("../../../docs/logs.md");
const EVENTS: &str = concat!(
    include_str!("../../../crates/ayeaye-agent/src/event.rs"),
    include_str!("../../../crates/ayeaye-agent/src/event/run.rs"),
    include_str!("../../../crates/ayeaye-agent/src/event/step.rs"),
    include_str!("../../../crates/ayeaye-agent/src/event/llm.rs"),
);

/// What is below these is named by models, users and settings, not by us.
const OTHERS: [&str; 6] = ["arguments", "parameters", "params", "config", "item", "figures"];
/// Below these it is by the names of agents.
const BY_AGENT: [&str; 1] = ["agents"];

/// Every word in code that the page has, and every line of its code blocks.
fn named() -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut block = false;
    for line in DOCS.lines() {
        if line.starts_with("```") {
            block = !block;
            continue;
        }
        for (number, part) in line.split('`').enumerate() {
            if block || number % 2 == 1 {
                let apart = |c: char| c.is_whitespace() || ",;:()[]\"|/".contains(c);
                words.extend(part.split(apart).map(shape));
            }
        }
    }
    words
}

/// A name without what differs from session to session: `{...}` in the page, numbers and hashes on
/// the disk.
fn shape(name: &str) -> String {
    let mut shape = String::new();
    let mut inside = false;
    for char in name.chars() {
        match char {
            '{' => inside = true,
            '}' => {
                inside = false;
                shape.push('#');
            }
            _ if inside => {}
            '0'..='9' => shape.push('#'),
            _ => shape.push(char),
        }
    }
    while shape.contains("##") {
        shape = shape.replace("##", "#");
    }
    shape
}

/// Words of lower-case hexadecimal, such as ids and sums, as one digit.
fn without_sums(name: &str) -> String {
    let is_sum = |part: &str| {
        let hex = |c: char| c.is_ascii_digit() || ('a'..='f').contains(&c) || c == '-';
        (part.len() == 2 || 16 <= part.len()) && part.chars().all(hex)
    };
    let parts = name.split_inclusive(['/', '.', '_']).map(|part| {
        let word = part.trim_end_matches(['/', '.', '_']);
        if is_sum(word) { part.replace(word, "0") } else { part.to_owned() }
    });
    parts.collect()
}

fn fields(value: &Value, into: &mut BTreeSet<String>) {
    match value {
        Value::Object(map) => {
            for (name, value) in map {
                into.insert(name.clone());
                if BY_AGENT.contains(&name.as_str()) {
                    value.as_object().unwrap().values().for_each(|it| fields(it, into));
                } else if !OTHERS.contains(&name.as_str()) {
                    fields(value, into);
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, into)),
        _ => {}
    }
}

/// What a file says as JSON, without names of agents around it.
fn json_of(name: &str, bytes: &[u8]) -> Vec<Value> {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    match ending {
        "jsonl" => json_lines(bytes),
        "log" if bytes.starts_with(b"{") => json_lines(bytes),
        "json" => match serde_json::from_slice(bytes).unwrap() {
            Value::Object(by_agent) if name == "agent_memories.json" => {
                by_agent.into_iter().map(|(_, memory)| memory).collect()
            }
            value => vec![value],
        },
        _ => Vec::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_file_and_field_of_a_session_is_in_the_documentation() {
    let rig = rig(Vec::new(), RigOptions { judged: true, ..options() }).await;
    let phone = rig.virtual_phone.phone().clone();
    let mut moves = 0;
    rig.vlm.now(move |_| {
        moves += 1;
        Answer::Says(match moves {
            1 => gelab("AWAKE", "value:Notes", "opened Notes"),
            2 => tap(&phone, |it| it["id"].as_str().is_some_and(|it| it.ends_with("id/new_note"))),
            3 => "I would type.".to_owned(),
            4 => gelab("AWAKE", "value:Nonesuch", "opened it"),
            5 => gelab("NOTE", "value:two notes", "noted"),
            6 => info("Which note?"),
            7 => click(10, 990),
            8 => complete("Done."),
            _ => r#"{"reason": "", "complete": "no",
                "sub_scores": [{"name": "a", "evaluation": "no"}]}"#
                .to_owned(),
        })
    });
    let asked = rig.start("Take a note").await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    let done = rig.go_on(&asked, json!({ "reply_from_client": "The first." })).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    rig.call("list_sessions", json!({})).await;
    complete_logs(rig.data.path(), done["session_id"].as_str().unwrap()).await;

    let named = named();
    let mut found = BTreeSet::new();
    let mut unnamed = BTreeSet::new();
    for (name, bytes) in files(rig.data.path()) {
        let (folder, last) = name.rsplit_once('/').unwrap();
        let parts = folder.split('/').map(without_sums);
        for part in parts.chain([without_sums(last)]) {
            if !named.contains(&shape(&part)) {
                unnamed.insert(part);
            }
        }
        for value in json_of(last, &bytes) {
            fields(&value, &mut found);
        }
    }
    assert!(200 < found.len(), "{}", found.len());
    unnamed.extend(found.into_iter().filter(|field| !named.contains(&shape(field))));
    assert_eq!(unnamed, BTreeSet::new(), "not in docs/logs.md");
}

#[test]
fn every_event_and_every_field_of_it_is_in_the_documentation() {
    let named = named();
    let mut unnamed = Vec::new();
    let mut count = 0;
    for line in EVENTS.lines().map(str::trim) {
        let event = line.strip_prefix("#[serde(rename = \"").and_then(|it| it.split('"').next());
        let field = line.strip_prefix("pub ").and_then(|it| it.split_once(": "));
        let field = field.map(|(name, _)| name).filter(|it| !it.contains(' '));
        let Some(name) = event.or(field) else { continue };
        count += 1;
        let upper = name.to_uppercase();
        if !named.contains(&shape(name))
            && !named.contains(&upper)
            && !["entry", "fact"].contains(&name)
        {
            unnamed.push(name);
        }
    }
    assert!(100 < count, "{count}");
    assert_eq!(unnamed, Vec::<&str>::new(), "not in docs/logs.md");
}
