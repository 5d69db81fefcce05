//! GLM-4.xV: thousandths, one JSON object in text, which it may put into a box of tokens.
//!
//! It is asked in words of ours, and may reply in those of its makers' agent for phones, which are
//! `AndroidWorld`'s with boxes for places.
use super::generic::verbs::{CONFIRM, END, PLACE, ROWS, SCROLL, START, X, Y};
use super::generic::{Generic, HISTORY, PICTURE};
use crate::profile::coords::CoordSystem;
use crate::profile::verbs::Slot::{Direction, Status, Text};
use crate::profile::verbs::{Arg, Meaning, Verb, VerbTable};
use crate::profile::{ProfileSpec, Sampling, Wire};

pub(in crate::profile) const GLM_V: Generic =
    Generic { spec: &SPEC, tools: false, verbs: VERBS, aliases: ALIASES };

const SPEC: ProfileSpec = ProfileSpec {
    name: "glm-v",
    title: "GLM-4.1V, 4.5V, 4.6V",
    patterns: &[
        "glm-4v", "glm-4.1v", "glm-4.5v", "glm-4.6v", "glm-4.7v", "glm-5v", "glm4v", "glm4.5v",
        "glm4.6v",
    ],
    coords: CoordSystem::THOUSANDTHS,
    picture: PICTURE,
    earlier_pictures: 0,
    history: HISTORY,
    // Reasoning counts as reply.
    sampling: Sampling { max_tokens: 4096, ..Sampling::GREEDY },
    wire: Wire::Chat,
};

/// Of a box, the sides come in the order left, top, right, bottom.
const ALIASES: &[(&str, &str)] = &[("box_2d", "box"), ("override", "clear")];

/// Their own typing presses enter behind the text. Here that could send a message nobody asked to send.
const VERBS: VerbTable = VerbTable::new(&[
    &[
        // The row by which scrolls are written.
        SCROLL,
        // The direction of the finger, opposite to scroll's.
        Verb::new(
            &["swipe"],
            Meaning::Swipe,
            &[Arg(Direction, &["direction"]), PLACE, X, Y, START, END, CONFIRM],
        ),
    ],
    ROWS,
    // Only read: the rules have other words for it.
    &[
        Verb::new(&["answer"], Meaning::Answer, &[Arg(Text, &["text"])]),
        Verb::new(
            &["status"],
            Meaning::End {
                // `AndroidWorld` tells `infeasible` apart and no other word; agents that are run in it write these.
                success: &["complete", "task_complete", "success"],
                failure: &["infeasible"],
            },
            &[Arg(Status, &["goal_status", "status"]), Arg(Text, &["text", "message"])],
        ),
    ],
]);
