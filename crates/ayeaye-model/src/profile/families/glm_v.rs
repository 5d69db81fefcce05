//! GLM-4.xV: thousandths, one JSON object in text, which it may put into a box of tokens.
//!
//! It is asked in words of ours, and may reply in those of its makers' agent for phones, which are
//! `AndroidWorld`'s with boxes for places.
use super::generic::verbs::{CONFIRM, END, ROWS, START, TIME};
use super::generic::{Generic, HISTORY, PICTURE};
use crate::profile::coords::CoordSystem;
use crate::profile::verbs::Slot::{At, AtX, AtY, Clear, Direction, Status, Submit, Text};
use crate::profile::verbs::{Arg, Meaning, Typing, Verb, VerbTable};
use crate::profile::{ProfileSpec, Sampling, Wire};

pub(in crate::profile) const GLM_V: Generic = Generic { spec: &SPEC, tools: false, verbs: VERBS };

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
const PLACE: Arg = Arg(
    At,
    &["point", "coordinate", "coordinates", "position", "box", "bbox", "bbox_2d", "box_2d"],
);
const X: Arg = Arg(AtX, &["x"]);
const Y: Arg = Arg(AtY, &["y"]);

const VERBS: VerbTable = VerbTable::new(&[
    &[
        Verb::new(&["click", "tap"], Meaning::Click, &[PLACE, X, Y, CONFIRM]),
        Verb::new(&["double_click", "double_tap"], Meaning::DoubleClick, &[PLACE, X, Y, CONFIRM]),
        Verb::new(&["long_press"], Meaning::LongPress, &[PLACE, X, Y, TIME, CONFIRM]),
        // Their own presses enter behind the text. Here that could send a message nobody asked to send.
        Verb::new(
            &["type", "input_text"],
            Meaning::Type(Typing::Plain),
            &[
                Arg(Text, &["text", "value", "content"]),
                PLACE,
                X,
                Y,
                Arg(Clear, &["clear", "clear_text", "override"]),
                Arg(Submit, &["submit", "press_enter"]),
                CONFIRM,
            ],
        ),
        Verb::new(
            &["scroll"],
            Meaning::Scroll,
            &[Arg(Direction, &["direction"]), PLACE, X, Y, CONFIRM],
        ),
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
            Meaning::End { success: &["complete"], failure: &["infeasible"] },
            &[Arg(Status, &["goal_status", "status"]), Arg(Text, &["text", "message"])],
        ),
    ],
]);
