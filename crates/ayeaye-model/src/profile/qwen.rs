//! Qwen's vision models: the tool `mobile_use` in the system's text, one screen, earlier steps in a
//! line.
//!
//! Two generations, which differ in what their numbers are: 2.5 counts pixels of the picture as it sees
//! it, 3 and later count to 999 on every screen.
use std::fmt::Write as _;

use ayeaye_agent::{Decision, Message, ParseError, Part, Prompt, Reply, Role, StepInput};

use super::coords::{CoordSystem, CoordUnit};
use super::mobile_use::history::{self, LONGEST_TASK};
use super::mobile_use::quoted::quoted;
use super::mobile_use::rules::{RULES, tool};
use super::mobile_use::{self, Dialect};
use super::{CoordContext, Family, ProfileSpec, Sampling, Wire};
use crate::picture::{Encoding, PictureRule, Resize, SmartResize};

/// Qwen2.5-VL, and the hosted `qwen-vl-max` and `qwen-vl-plus`.
#[derive(Debug)]
pub(super) struct Qwen25;

/// Qwen3-VL, Qwen3.5 and Qwen3.6.
#[derive(Debug)]
pub(super) struct Qwen3;

/// What the open models' own processor does to a picture.
pub(super) const RESIZE_25: SmartResize =
    SmartResize { factor: 28, min_pixels: 4 * 28 * 28, max_pixels: 16384 * 28 * 28 };

/// A picture that neither the open models' processor nor the hosted API makes anything more of: the
/// latter takes at most 1,280 tokens of 28x28 pixels unless it is told otherwise.
pub(super) const PICTURE_25: PictureRule = PictureRule {
    resize: Resize::Smart(SmartResize { max_pixels: 1280 * 28 * 28, ..RESIZE_25 }),
    encoding: Encoding::Jpeg { quality: 90 },
};

/// A picture of at most 1,280 tokens of 32x32 pixels: a screen of 1080x2400 keeps its small print.
pub(super) const PICTURE_3: PictureRule = PictureRule {
    resize: Resize::Smart(SmartResize {
        factor: 32,
        min_pixels: 4 * 32 * 32,
        max_pixels: 1280 * 32 * 32,
    }),
    encoding: Encoding::Jpeg { quality: 90 },
};

const SPEC_25: ProfileSpec = ProfileSpec {
    name: "qwen2.5-vl",
    title: "Qwen2.5-VL",
    patterns: &[
        "qwen2.5-vl",
        "qwen2.5vl",
        "qwen2_5-vl",
        "qwen2_5_vl",
        "qwen-2.5-vl",
        "qwen25-vl",
        "qwen25vl",
        "qwen-vl-max",
        "qwen-vl-plus",
    ],
    coords: CoordSystem::of(CoordUnit::ResizedPixels(RESIZE_25)),
    picture: PICTURE_25,
    earlier_pictures: 0,
    history: "a line for each step",
    sampling: Sampling::GREEDY,
    wire: Wire::Chat,
};

const SPEC_3: ProfileSpec = ProfileSpec {
    name: "qwen3-vl",
    title: "Qwen3-VL, Qwen3.5, Qwen3.6",
    patterns: &[
        "qwen3-vl",
        "qwen3vl",
        "qwen3_vl",
        "qwen-3-vl",
        "qwen3.5",
        "qwen3_5",
        "qwen-3.5",
        "qwen3.6",
        "qwen3_6",
        "qwen-3.6",
    ],
    coords: CoordSystem::UP_TO_999,
    picture: PICTURE_3,
    earlier_pictures: 0,
    history: "a line for each step",
    // Those that think do so in the same budget.
    sampling: Sampling { max_tokens: 4096, ..Sampling::GREEDY },
    wire: Wire::Chat,
};

const DIALECT_25: Dialect = Dialect {
    actions: &[
        "key",
        "click",
        "long_press",
        "swipe",
        "type",
        "system_button",
        "open",
        "wait",
        "answer",
        "ask_user",
        "interact",
        "terminate",
    ],
    swipes_by_direction: false,
    failure: "failure",
    lower_buttons: false,
};

const DIALECT_3: Dialect = Dialect {
    actions: &[
        "click",
        "long_press",
        "swipe",
        "type",
        "answer",
        "system_button",
        "open",
        "wait",
        "ask_user",
        "interact",
        "terminate",
    ],
    ..DIALECT_25
};

impl Family for Qwen25 {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC_25
    }

    fn prompt(&self, view: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        prompt(view, coords, &DIALECT_25, REPLY_25)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        mobile_use::decide(reply, coords, &DIALECT_25)
    }
}

impl Family for Qwen3 {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC_3
    }

    fn prompt(&self, view: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        prompt(view, coords, &DIALECT_3, REPLY_3)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        mobile_use::decide(reply, coords, &DIALECT_3)
    }
}

const REPLY_25: &str = "\
Two parts in this order, and nothing behind them:
Action: one short sentence that says what to do, naming the element and any words to type.
<tool_call>
{\"name\": <function-name>, \"arguments\": <args-json-object>}
</tool_call>
";

const REPLY_3: &str = "\
Three parts in this order, and nothing behind them:
Thought: one sentence on what the screen shows and what has to come next.
Action: one short sentence that says what to do, naming the element and any words to type.
<tool_call>
{\"name\": <function-name>, \"arguments\": <args-json-object>}
</tool_call>
";

/// The system's text: the tool, the rules and the form of a reply.
pub(super) fn system(coords: &CoordContext, dialect: &Dialect, reply: &str) -> String {
    format!(
        "You operate an Android phone for its user, one step at a time, going by its screen.\n\n\
         # Tools\n\nYou have one function. Its signature stands within <tools></tools>:\n<tools>\n\
         {}\n</tools>\n\n# Rules\n\n{RULES}\n# Reply\n\nEach reply calls the function once, as a JSON \
         object within <tool_call></tool_call>. {reply}",
        tool(dialect, coords)
    )
}

/// What to send for one step.
fn prompt(view: &StepInput<'_>, coords: &CoordContext, dialect: &Dialect, reply: &str) -> Prompt {
    let (before, round) = history::rounds(view.history);
    let mut progress = String::new();
    for (number, step) in history::steps(round) {
        let told = history::told_with_error(step, coords, dialect);
        // A line that names a step itself must not pass for one.
        let told = told.replace("; Step", ", step");
        write!(progress, "Step {number}: {}; ", told.trim_end_matches('.'))
            .expect("a String takes all that is written to it");
    }
    if progress.is_empty() {
        progress.push_str("nothing yet.");
    }
    let text = format!(
        "The user query: {}\n{}Task progress (You have done the following operation on the current \
         device): {}\n{}{}The screen now:\n",
        quoted(view.request, LONGEST_TASK),
        history::before(before),
        progress.trim_end(),
        history::asides(round),
        history::system_notes(view),
    );
    Prompt::of(vec![
        Message::text(Role::System, system(coords, dialect, reply)),
        Message {
            role: Role::User,
            parts: vec![Part::Text(text), Part::Picture(view.picture.clone())],
        },
    ])
}

#[cfg(test)]
mod tests;
