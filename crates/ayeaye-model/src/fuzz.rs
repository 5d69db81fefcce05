//! Fuzzing of everything that parses replies, answers and settings.
//!
//! `cargo nextest run --release -p ayeaye-model --run-ignored only -E 'test(fuzz)' --no-capture`
use ayeaye_agent::{
    Action, Decision, HistoryItem, HistoryStep, Model as _, Picture, Question, Reply, ScreenSize,
    StepInput, ToolCall,
};
use serde_json::Value;

use self::mutator::{Dice, LONG, Mutator, SHORT, fuzz};
use crate::profile::tests::corpus::path;
use crate::{CoordSystem, Endpoint, ModelConfig, Profile, RemoteModel};

#[path = "../../../tests/fuzz/mutator.rs"]
pub(crate) mod mutator;

/// What separates the parts of a reply in an input: words, reasoning, name and arguments of a call.
const PART: u8 = 0x1e;

const WORDS: &[&str] = &[
    "action:CLICK",
    "action:COMPLETE",
    "\tpoint:",
    "500,500",
    "\treturn:",
    "\tvalue:",
    "\tsummary:",
    "<THINK>",
    "</THINK>",
    "<think>",
    "</think>",
    "Thought:",
    "Action:",
    "\n",
    "click(",
    "finished(",
    "content='",
    "point='<point>",
    "</point>'",
    "<|box_start|>",
    "<|box_end|>",
    "')",
    "\\n",
    "\\'",
    "<tool_call>",
    "</tool_call>",
    "<seed:tool_call>",
    "<function=finished>",
    "<parameter=content>",
    "</parameter>",
    "</function>",
    "<answer>",
    "</answer>",
    "do(action=\"Tap\", element=[",
    "finish(message=\"",
    "\")",
    "<|begin_of_box|>",
    "<|end_of_box|>",
    "```json\n",
    "```",
    "{\"name\":\"mobile_use\",\"arguments\":{",
    "\"action\":\"terminate\"",
    "\"status\":\"success\"",
    "\"coordinate\":[1,2]",
    "}}",
    "{\"action\":",
    "[",
    "]",
    "\"STATUS\":\"finish\"",
    "\"POINT\":[",
    "{\"thought\":",
    "\"action_type\":\"status\"",
    "\"goal_status\":\"complete\"",
    "### Action ###",
    "### Thought ###",
    "Finished(content='",
    "Click(box=(",
    "\u{ff1a}",
    "\u{201c}",
    "\u{feff}",
    "null",
    "-1",
    "1e309",
    "0.5",
    "999999999999999999999",
    "NaN",
    "\u{1e}",
    "\u{1e}\u{1e}phone_action\u{1e}{\"action\":\"done\"}",
];

/// The replies of a profile's corpus, each as one input.
fn corpus(profile: Profile) -> Vec<Vec<u8>> {
    let lines = std::fs::read_to_string(path(profile)).unwrap();
    let text = |value: &Value| match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let input = |line: &str| {
        let case: Value = serde_json::from_str(line).unwrap();
        let call = &case["calls"][0];
        let parts = [&case["reply"], &case["reasoning"], &call["name"], &call["arguments"]];
        let separator = char::from(PART).to_string();
        parts.map(text).join(&separator).trim_end_matches(char::from(PART)).as_bytes().to_vec()
    };
    lines.lines().map(input).collect()
}

/// The reply that an input stands for.
fn reply(input: &[u8]) -> Reply {
    let mut parts = input.splitn(4, |byte| *byte == PART);
    let mut next = || parts.next().map(|part| String::from_utf8_lossy(part).into_owned());
    let (text, reasoning) = (next().unwrap_or_default(), next().unwrap_or_default());
    let call = next().map(|name| ToolCall {
        id: "call_1".to_owned(),
        name,
        arguments: next().unwrap_or_default(),
    });
    let calls: Vec<ToolCall> = call.into_iter().collect();
    let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
    Reply { text, reasoning, calls, finish_reason: Some(reason.to_owned()), ..Reply::default() }
}

fn model(profile: Profile) -> RemoteModel {
    let endpoint = Endpoint::parse("http://127.0.0.1:9").unwrap();
    let config = ModelConfig { profile: Some(profile), ..ModelConfig::new(endpoint, "m") };
    RemoteModel::new(config).unwrap()
}

fn screen(dice: &mut Dice) -> ScreenSize {
    let (width, height) = *dice.pick(&[(1080, 2400), (360, 800), (2560, 1600), (1, 1), (8192, 1)]);
    ScreenSize { width, height }
}

/// Replies of one profile are read by it, and what it read becomes history in its next prompt.
fn replies(profile: Profile, executions: u64) {
    let model = model(profile);
    // A reply must contain one of these, case-insensitively, to complete the task.
    let last_words = profile.family().verbs().completing_words();
    let mut mutator = Mutator::new(11, corpus(profile), WORDS);
    let mut history: Vec<HistoryItem> = Vec::new();
    fuzz(&format!("replies of {profile}"), executions, &mut mutator, |bytes, dice| {
        let sent = screen(dice);
        let mut reply = reply(bytes);
        let read = model.read(&reply, sent);
        if let Ok(Decision { action: Action::Complete { .. }, .. }) = &read {
            // Blanks, dashes and underscores in a word do not matter to readers, written as they are
            // or as JSON escapes them.
            let mut said = String::from_utf8_lossy(bytes).to_lowercase();
            for escaped in ["\\n", "\\t", "\\r"] {
                said = said.replace(escaped, "");
            }
            said.retain(|c| !c.is_whitespace() && !"-_".contains(c));
            if !last_words.iter().any(|word| said.contains(word.as_str())) {
                return Err("the end of a task that nobody said".to_owned());
            }
        }
        let cut = reply.finish_reason.replace("length".to_owned());
        if model.read(&reply, sent).is_ok() {
            return Err("a reply that was cut off was taken".to_owned());
        }
        reply.finish_reason = cut;
        if model.read(&reply, sent) != read {
            return Err("the same reply was read in another way".to_owned());
        }
        if let Ok(decision) = read
            && dice.below(16) == 0
        {
            let step = u32::try_from(history.len()).unwrap();
            let error = (dice.below(4) == 0).then(|| decision.explain.clone());
            let uncertain = (dice.below(8) == 0).then(|| decision.explain.clone());
            let asked = (dice.below(4) == 0).then(|| Question::confirm(decision.explain.as_str()));
            history.push(HistoryItem::Step(HistoryStep {
                step,
                decision,
                error,
                uncertain,
                asked,
                reply: Some(reply.text),
                app: None,
            }));
            let words = || String::from_utf8_lossy(bytes).into_owned();
            match dice.below(12) {
                0 => history.push(HistoryItem::UserReply(words())),
                1 => history.push(HistoryItem::Request(words())),
                2 => history.push(HistoryItem::Subtask(words())),
                3 => history.push(HistoryItem::Advice(words())),
                _ => {}
            }
            if 12 < history.len() {
                history.drain(..6);
            }
            let picture = Picture {
                bytes: bytes::Bytes::from_static(b"\xff\xd8"),
                media_type: "image/jpeg",
                size: sent,
            };
            let (request, system_notes) = (words(), [words()]);
            let input = StepInput {
                history: &history,
                system_notes: &system_notes,
                app: Some("com.example.notes"),
                ..StepInput::of(&request, &picture)
            };
            if model.prompt(&input).messages.is_empty() {
                return Err("a prompt that says nothing".to_owned());
            }
        }
        Ok(())
    });
}

/// Settings: where models are asked, what their numbers mean, which family they are of.
fn settings(executions: u64) {
    let seeds = [
        "http://127.0.0.1:8000/v1",
        "https://api.example.com/v1/",
        "http://[::1]:1234",
        "resized:28:3136:12845056",
        "yx:0-1000",
        "0-999",
        "pixels",
        "gelab-zero-4b-preview",
        "Qwen/Qwen3-VL-8B",
    ];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let words = [
        ":",
        "//",
        "@",
        "resized:",
        "yx:",
        "0-1",
        "4294967296",
        "/chat/completions",
        "?",
        "#",
        "%2f",
    ];
    let mut mutator = Mutator::new(12, seeds, &words);
    fuzz("settings of a model", executions, &mut mutator, |bytes, dice| {
        let text = String::from_utf8_lossy(bytes);
        if let Ok(space) = text.parse::<CoordSystem>() {
            if space.to_string().parse() != Ok(space) {
                return Err(format!("{space} is another space"));
            }
            // Must not panic, whatever the system.
            space.extent(screen(dice));
        }
        let endpoint = Endpoint::parse(&text);
        let home = Endpoint::parse("http://127.0.0.1:9").unwrap();
        Profile::for_model(&text, endpoint.as_ref().unwrap_or(&home));
        Ok(())
    });
}

#[test]
fn a_little_fuzz_does_no_harm() {
    for profile in Profile::ALL {
        replies(*profile, SHORT / 2);
    }
    settings(SHORT);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_replies() {
    for profile in Profile::ALL {
        replies(*profile, LONG / 4);
    }
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_settings() {
    settings(LONG / 3);
}
