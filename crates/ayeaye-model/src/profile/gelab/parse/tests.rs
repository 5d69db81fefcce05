//! The corpus (`corpus/gelab.jsonl`) and what must hold for replies nobody thought of.
//!
//! Each line of the corpus has the `reply` and either what it `is` or why it is `not` an action;
//! also the other things it says. `split` marks two replies in one: cut in the middle, the first
//! of them is a whole reply.
use ayeaye_agent::{Action, Decision, Gesture, Question, QuestionKind, Unreadable};
use proptest::prelude::*;
use serde::Deserialize;

use super::parse;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    name: String,
    reply: String,
    is: Option<String>,
    not: Option<String>,
    thought: Option<String>,
    explain: Option<String>,
    summary: Option<String>,
    observation: Option<String>,
    #[serde(default)]
    split: bool,
}

fn corpus() -> Vec<Case> {
    include_str!("../../../../corpus/gelab.jsonl")
        .lines()
        .map(|line| serde_json::from_str(line).expect("the corpus is ours"))
        .collect()
}

/// An action in one line.
fn told(action: &Action) -> String {
    match action {
        Action::Gesture(gesture) => gesture_told(gesture),
        Action::Wait(time) => format!("WAIT {}", time.as_secs_f64()),
        Action::Note { text } => format!("NOTE \"{text}\""),
        Action::Info(Question { kind: QuestionKind::Takeover, text, .. }) => {
            format!("TAKEOVER \"{text}\"")
        }
        Action::Info(question) => format!("INFO \"{}\"", question.text),
        Action::Complete { message } => format!("COMPLETE \"{message}\""),
        Action::Abort { reason } => format!("ABORT \"{reason}\""),
    }
}

fn gesture_told(gesture: &Gesture) -> String {
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
    }
}

fn completes(read: &Result<Decision, Unreadable>) -> bool {
    matches!(read, Ok(Decision { action: Action::Complete { .. }, .. }))
}

#[test]
fn the_corpus_is_understood_as_it_says() {
    let corpus = corpus();
    assert!(200 < corpus.len(), "{} replies", corpus.len());
    let mut wrong = Vec::new();
    for case in &corpus {
        let read = parse(&case.reply);
        let found = match &read {
            Ok(decision) => told(&decision.action),
            Err(why) => format!("not: {why}"),
        };
        let right = match (&case.is, &case.not) {
            (Some(is), None) => found == *is,
            (None, Some(not)) => read.is_err() && found.contains(not),
            _ => false,
        };
        if !right {
            let expected = case.is.as_ref().or(case.not.as_ref());
            wrong.push(format!("{}: {found}, expected {expected:?}", case.name));
        }
        let Ok(decision) = read else { continue };
        for (said, expected) in [
            (&decision.thought, &case.thought),
            (&decision.explain, &case.explain),
            (&decision.summary, &case.summary),
            (&decision.observation, &case.observation),
        ] {
            if expected.as_ref().is_some_and(|expected| said != expected) {
                wrong.push(format!("{}: said {said:?}, expected {expected:?}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_reply_cut_anywhere_is_never_an_end_that_was_not_said() {
    for case in corpus().iter().filter(|case| !case.split) {
        let whole = completes(&parse(&case.reply));
        for (at, _) in case.reply.char_indices() {
            let read = parse(&case.reply[..at]);
            assert!(whole || !completes(&read), "{} cut at {at}: {read:?}", case.name);
        }
    }
}

#[test]
fn a_hostile_reply_takes_no_time() {
    for piece in [
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
    ] {
        let reply = piece.repeat((1 << 20) / piece.len());
        let start = std::time::Instant::now();
        assert!(parse(&reply).is_err(), "{piece:?}");
        assert!(start.elapsed().as_secs() < 5, "{piece:?} took {:?}", start.elapsed());
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_text_panics_or_completes(text in any::<String>()) {
        prop_assert!(!completes(&parse(&text)));
    }

    #[test]
    fn no_bytes_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
        let text = String::from_utf8_lossy(&bytes);
        prop_assert!(!completes(&parse(&text)));
    }

    /// Pieces of the format in any order complete only when the word stands in an action field.
    #[test]
    fn pieces_complete_only_by_the_action_field(pieces in proptest::collection::vec(
        prop_oneof![
            Just("<THINK>"), Just("</THINK>"), Just("explain:"), Just("action:"), Just("CLICK"),
            Just("COMPLETE"), Just("point:"), Just("5,6"), Just("\t"), Just("\n"), Just("  "),
            Just(" "), Just("return:"), Just("summary:"), Just("value:"), Just("not "), Just("```"),
            Just("{"), Just("}"), Just("<ACTION>"), Just("<PAYLOAD>"), Just("："), Just("说"),
        ],
        0..24,
    )) {
        let text = pieces.concat();
        if completes(&parse(&text)) {
            let bare: String = text.to_lowercase().chars().filter(|c| !c.is_whitespace() && *c != '`').collect();
            let said = bare.contains("action:complete") || bare.contains("action：complete");
            prop_assert!(said, "{text:?}");
            // Another action of the same standing would have made it two.
            prop_assert!(!text.contains("\taction:CLICK\t"), "{text:?}");
        }
    }

    #[test]
    fn a_typed_text_comes_through_exactly(text in "[^\t\\\\]{1,80}") {
        let text = text.trim();
        prop_assume!(!text.is_empty());
        let reply = format!("<THINK> t </THINK>\nexplain:e\taction:TYPE\tvalue:{text}\tpoint:5,6\tsummary:s");
        let Ok(Decision { action: Action::Gesture(Gesture::Type { text: read, .. }), .. }) = parse(&reply)
        else {
            return Err(TestCaseError::fail(format!("{:?}", parse(&reply))));
        };
        prop_assert_eq!(read, text);
    }
}
