//! The corpus: replies written to the formats of every family, with what each must become.
//!
//! One file for each profile, `corpus/NAME.jsonl`. A line has the `reply` (its `reasoning` and `calls`
//! of tools apart, where the endpoint does that), the size of the picture it answers (`sent`, 1080x2400
//! when not said), and either what it `is` or a part of why it is `not` an action; also the other
//! things it says. `split` marks two replies in one: cut in the middle, the first of them is a whole
//! reply.
use std::path::{Path, PathBuf};

use ayeaye_agent::{
    Action, Decision, Gesture, ParseError, Question, QuestionKind, Reply, ScreenSize, ToolCall,
};
use proptest::prelude::*;
use serde::Deserialize;
use serde_json::Value;

use super::super::{CoordContext, Profile, Wire};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    #[serde(default)]
    reply: String,
    #[serde(default)]
    reasoning: String,
    #[serde(default)]
    calls: Vec<ParsedCall>,
    sent: Option<[u32; 2]>,
    is: Option<String>,
    not: Option<String>,
    thought: Option<String>,
    explain: Option<String>,
    summary: Option<String>,
    observation: Option<String>,
    #[serde(default)]
    split: bool,
}

/// A call of a tool: its arguments as JSON, or as the text that came instead.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ParsedCall {
    name: String,
    arguments: Value,
}

impl Case {
    fn reply(&self) -> Reply {
        let call = |call: &ParsedCall| ToolCall {
            id: "call_1".to_owned(),
            name: call.name.clone(),
            arguments: match &call.arguments {
                Value::String(text) => text.clone(),
                other => other.to_string(),
            },
        };
        Reply {
            text: self.reply.clone(),
            reasoning: self.reasoning.clone(),
            calls: self.calls.iter().map(call).collect(),
            ..Reply::default()
        }
    }

    fn sent(&self) -> ScreenSize {
        let [width, height] = self.sent.unwrap_or([1080, 2400]);
        ScreenSize { width, height }
    }
}

fn corpus(profile: Profile) -> Vec<Case> {
    let path = path(profile);
    let lines =
        std::fs::read_to_string(&path).unwrap_or_else(|err| panic!("{}: {err}", path.display()));
    let read = |line| serde_json::from_str(line).unwrap_or_else(|err| panic!("{err}: {line}"));
    lines.lines().map(read).collect()
}

/// The actions in the replies of a profile, each with the size of the picture it answers.
pub(super) fn actions(profile: Profile) -> Vec<(Action, ScreenSize)> {
    let decided = |case: &Case| {
        let decision = read(profile, &case.reply(), case.sent()).ok()?;
        Some((decision.action, case.sent()))
    };
    corpus(profile).iter().filter_map(decided).collect()
}

/// The file of a profile. Two profiles of one format have one.
pub(crate) fn path(profile: Profile) -> PathBuf {
    let name = profile.name().trim_end_matches("-20250124");
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("corpus/{name}.jsonl"))
}

pub(super) fn read(
    profile: Profile,
    reply: &Reply,
    sent: ScreenSize,
) -> Result<Decision, ParseError> {
    let coords = CoordContext { system: profile.spec().coords, image: sent };
    profile.family().read(reply, &coords)
}

fn completes(read: &Result<Decision, ParseError>) -> bool {
    matches!(read, Ok(Decision { action: Action::Complete { .. }, .. }))
}

/// An action in one line, as the corpus has it: points in thousandths, times in seconds.
pub(crate) fn action_line(action: &Action) -> String {
    match action {
        Action::Gesture(gesture) => gesture_line(gesture),
        Action::Wait(time) => format!("WAIT {}", time.as_secs_f64()),
        Action::Note { text } => format!("NOTE \"{text}\""),
        Action::Info(Question { kind: QuestionKind::Takeover, text, .. }) => {
            format!("TAKEOVER \"{text}\"")
        }
        Action::Confirm { gesture, question } => {
            format!("CONFIRM \"{}\" {}", question.text, gesture_line(gesture))
        }
        Action::Info(question) => format!("INFO \"{}\"", question.text),
        Action::Complete { message } => format!("COMPLETE \"{message}\""),
        Action::Abort { reason } => format!("ABORT \"{reason}\""),
    }
}

fn gesture_line(gesture: &Gesture) -> String {
    let at = |point: &ayeaye_agent::Point| format!("{},{}", point.x(), point.y());
    match gesture {
        Gesture::Click { point } => format!("CLICK {}", at(point)),
        Gesture::DoubleClick { point } => format!("DOUBLE_CLICK {}", at(point)),
        Gesture::LongPress { point, duration } => {
            format!("LONGPRESS {} {}", at(point), duration.as_secs_f64())
        }
        Gesture::Type { text, point, clear, submit } => {
            let place = point.map(|point| format!(" at {}", at(&point))).unwrap_or_default();
            format!("TYPE \"{text}\"{place}")
                + if *clear { " clear" } else { "" }
                + if *submit { " submit" } else { "" }
        }
        Gesture::Slide { from, to, .. } => format!("SLIDE {} {}", at(from), at(to)),
        Gesture::Scroll { direction, at: None } => format!("SCROLL {direction}"),
        Gesture::Scroll { direction, at: Some(point) } => {
            format!("SCROLL {direction} at {}", at(point))
        }
        Gesture::Drag { from, to } => format!("DRAG {} {}", at(from), at(to)),
        Gesture::Awake { app } => format!("AWAKE \"{app}\""),
        Gesture::HotKey { key } => format!("KEY {}", key.name()),
        Gesture::Command(command) => format!("COMMAND {}", command.name()),
    }
}

#[test]
fn the_corpus_is_understood_as_it_says() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for profile in Profile::ALL {
        let cases = corpus(*profile);
        assert!(20 <= cases.len(), "{profile}: {} replies", cases.len());
        count += cases.len();
        for case in &cases {
            check(*profile, case, &mut wrong);
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(2500 <= count, "{count} replies");
}

fn check(profile: Profile, case: &Case, wrong: &mut Vec<String>) {
    let read = read(profile, &case.reply(), case.sent());
    let found = match &read {
        Ok(decision) => action_line(&decision.action),
        Err(why) => format!("not: {why}"),
    };
    let right = match (&case.is, &case.not) {
        (Some(is), None) => found == *is,
        (None, Some(not)) => read.is_err() && found.contains(not),
        _ => false,
    };
    let name = format!("{profile}, {}", case.name);
    if !right {
        let expected = case.is.as_ref().or(case.not.as_ref());
        wrong.push(format!("{name}: {found}, expected {expected:?}"));
    }
    let Ok(decision) = read else { return };
    for (said, expected) in [
        (&decision.thought, &case.thought),
        (&decision.explain, &case.explain),
        (&decision.summary, &case.summary),
        (&decision.observation, &case.observation),
    ] {
        if expected.as_ref().is_some_and(|expected| said != expected) {
            wrong.push(format!("{name}: said {said:?}, expected {expected:?}"));
        }
    }
}

#[test]
fn a_reply_cut_anywhere_is_never_an_end_that_was_not_said() {
    for profile in Profile::ALL {
        for case in corpus(*profile).iter().filter(|case| !case.split) {
            let whole = case.reply();
            if completes(&read(*profile, &whole, case.sent())) {
                continue;
            }
            for (at, _) in whole.text.char_indices() {
                let cut = Reply { text: whole.text[..at].to_owned(), ..whole.clone() };
                let read = read(*profile, &cut, case.sent());
                assert!(!completes(&read), "{profile}, {} cut at {at}: {read:?}", case.name);
            }
            for at in 0..whole.calls.first().map_or(0, |call| call.arguments.len()) {
                let mut cut = whole.clone();
                if !cut.calls[0].arguments.is_char_boundary(at) {
                    continue;
                }
                cut.calls[0].arguments.truncate(at);
                let read = read(*profile, &cut, case.sent());
                assert!(!completes(&read), "{profile}, {} cut at {at}: {read:?}", case.name);
            }
        }
    }
}

/// Gateways are known to end a broken stream as if it were whole.
#[test]
fn half_a_reply_is_refused_or_doubted_or_means_what_the_whole_does() {
    let mut wrong = Vec::new();
    for profile in Profile::ALL {
        for case in corpus(*profile).iter().filter(|case| !case.split) {
            let whole = case.reply();
            let Ok(decision) = read(*profile, &whole, case.sent()) else { continue };
            let mut halves = halves(&whole);
            if profile.spec().wire == Wire::Gemini {
                // Its API sends calls whole.
                halves.retain(|half| half.calls.is_empty());
            }
            let acts = halves.iter().find(|half| {
                profile.family().may_be_cut(half).is_none()
                    && read(*profile, half, case.sent())
                        .is_ok_and(|half| !means(&half.action, &decision.action))
            });
            if let Some(half) = acts {
                let read = read(*profile, half, case.sent()).map(|it| action_line(&it.action));
                let is = action_line(&decision.action);
                let said = (&half.text, half.calls.first().map(|call| &call.arguments));
                wrong.push(format!("{profile}, {}: {said:?}: {read:?}, not {is}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// Whether half a reply means what the whole does: also an end whose words, where they stand behind it, are missing.
fn means(half: &Action, whole: &Action) -> bool {
    let has_no_report = |action: &Action| matches!(action, Action::Complete { message } if message.starts_with("[No report."));
    match (half, whole) {
        (Action::Abort { .. }, Action::Abort { .. }) => true,
        _ => half == whole || has_no_report(half) && has_no_report(whole),
    }
}

/// A reply cut at each place, in its text and in its first call.
fn halves(whole: &Reply) -> Vec<Reply> {
    let texts = whole.text.char_indices().map(|(at, _)| Reply {
        text: whole.text[..at].to_owned(),
        calls: Vec::new(),
        ..whole.clone()
    });
    let arguments = whole.calls.first().map_or("", |call| &call.arguments);
    let calls = arguments.char_indices().map(|(at, _)| {
        let mut half = whole.clone();
        half.calls.truncate(1);
        half.calls[0].arguments.truncate(at);
        half
    });
    texts.chain(calls).collect()
}

#[test]
fn a_hostile_reply_takes_no_time() {
    const PIECES: [&str; 17] = [
        "\tvalue:",
        "\naction:CLICK",
        "</think>",
        "< ",
        "  - ",
        "{\"a\":",
        "[",
        "<THINK>",
        "\\t",
        "「",
        "<tool_call>",
        "(",
        "Action: ",
        "do(action=\"",
        "<parameter=a>",
        "finished(content='",
        "\\'",
    ];
    for profile in Profile::ALL {
        for piece in PIECES {
            let text = piece.repeat((1 << 20) / piece.len());
            let reply = Reply { text, ..Reply::default() };
            let start = std::time::Instant::now();
            let read = read(*profile, &reply, ScreenSize { width: 1080, height: 2400 });
            assert!(!completes(&read), "{profile} {piece:?}");
            // What takes time that grows with the square takes hours, also on a busy machine.
            assert!(start.elapsed().as_secs() < 20, "{profile} {piece:?}: {:?}", start.elapsed());
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn no_text_panics_or_completes(text in any::<String>()) {
        for profile in Profile::ALL {
            let reply = Reply { text: text.clone(), ..Reply::default() };
            let read = read(*profile, &reply, ScreenSize { width: 1080, height: 2400 });
            prop_assert!(!completes(&read), "{}", profile);
        }
    }
}
