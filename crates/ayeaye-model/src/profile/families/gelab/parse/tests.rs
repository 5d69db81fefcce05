//! What must hold for replies nobody thought of. Those that somebody did are in
//! `corpus/gelab.jsonl`.
use ayeaye_agent::{Action, Decision, Gesture, ParseError, with_line_feeds};
use proptest::prelude::*;

use super::{may_be_cut, read};
use crate::profile::CoordContext;
use crate::profile::coords::CoordSystem;

fn parse(text: &str) -> Result<Decision, ParseError> {
    let image = ayeaye_agent::ScreenSize { width: 720, height: 1600 };
    read(text, &CoordContext { system: CoordSystem::THOUSANDTHS, image })
}

fn completes(read: &Result<Decision, ParseError>) -> bool {
    matches!(read, Ok(Decision { action: Action::Complete { .. }, .. }))
}

#[test]
fn a_line_of_a_text_that_looks_like_a_field_shows_no_end() {
    let begin = "explain:e\taction:COMPLETE\treturn:";
    for (rest, is_open) in [
        ("Done.", true),
        ("Done.\nsummary:", true),
        ("\nvalue:\nsummary:", true),
        ("Done.\tsummary:s", false),
    ] {
        assert_eq!(may_be_cut(&[begin, rest].concat()), is_open, "{rest:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

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
    fn half_a_reply_is_refused_or_doubted_or_means_what_the_whole_does(
        said in "(\\PC|\n|  |summary:|point:5,6|value:|action:BACK|</THINK>){0,12}",
        act in "(TYPE\tvalue|COMPLETE\treturn|ABORT\tvalue|CLICK\tpoint:500,930\texplain|AWAKE\tvalue)",
    ) {
        let whole = format!("<THINK> t </THINK>\nexplain:e\taction:{act}:{said}\tsummary:s\u{e9}");
        let Ok(decision) = parse(&whole) else { return Ok(()) };
        for (at, _) in whole.char_indices() {
            let half = &whole[..at];
            if let (Ok(read), false) = (parse(half), may_be_cut(half)) {
                prop_assert_eq!(&read.action, &decision.action, "{:?}", half);
            }
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
        prop_assert_eq!(read, with_line_feeds(text));
    }
}
