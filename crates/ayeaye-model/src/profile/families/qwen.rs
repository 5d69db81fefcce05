//! Qwen's vision models: the tool `mobile_use` in the system's text, one screen, earlier steps in a
//! line.
//!
//! Two generations, which differ in what their numbers are: 2.5 counts pixels of the picture as it sees
//! it, 3 and later count to 999 on every screen.
use std::fmt::Write as _;

use ayeaye_agent::{Decision, Message, ParseError, Part, Prompt, Reply, Role, StepInput};

use super::mobile_use::rules::{rules, tool};
use super::mobile_use::{self, Dialect};
use crate::picture::{Encoding, PictureRule, Resize, SmartResize};
use crate::profile::coords::{CoordSystem, CoordUnit};
use crate::profile::escape::{LONGEST_TASK, verbatim};
use crate::profile::history::History;
use crate::profile::verbs::VerbTable;
use crate::profile::{CoordContext, Family, ProfileSpec, Sampling, Wire};

/// A generation of Qwen's vision models.
#[derive(Debug)]
pub(in crate::profile) struct Qwen {
    spec: &'static ProfileSpec,
    dialect: &'static Dialect,
    reply: &'static str,
}

/// Qwen2.5-VL, and the hosted `qwen-vl-max` and `qwen-vl-plus`.
pub(in crate::profile) const QWEN_2_5: Qwen =
    Qwen { spec: &SPEC_25, dialect: &WITH_KEY, reply: SHORT_REPLY };

/// Qwen3-VL and Qwen3.5 to Qwen3.7.
pub(in crate::profile) const QWEN_3: Qwen =
    Qwen { spec: &SPEC_3, dialect: &DIALECT_3, reply: REPLY_3 };

/// What the open models' own processor does to a picture.
pub(in crate::profile) const RESIZE_25: SmartResize =
    SmartResize { factor: 28, min_pixels: 4 * 28 * 28, max_pixels: 16384 * 28 * 28 };

/// A picture that neither the open models' processor nor the hosted API makes anything more of: the
/// latter takes at most 1,280 tokens of 28x28 pixels unless it is told otherwise.
pub(in crate::profile) const PICTURE_25: PictureRule = PictureRule {
    resize: Resize::Smart(SmartResize { max_pixels: 1280 * 28 * 28, ..RESIZE_25 }),
    encoding: Encoding::Jpeg { quality: 90 },
};

/// A picture of at most 1,280 tokens of 32x32 pixels: a screen of 1080x2400 keeps its small print.
pub(in crate::profile) const PICTURE_3: PictureRule = PictureRule {
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
    title: "Qwen3-VL, Qwen3.5 to Qwen3.7",
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
        "qwen3.7",
        "qwen3_7",
        "qwen-3.7",
    ],
    coords: CoordSystem::UP_TO_999,
    picture: PICTURE_3,
    // Those that think do so in the same budget. Its makers' own client leaves the choice of words to
    // the server, which has it from the model's files.
    sampling: Sampling { max_tokens: 4096, ..Sampling::SERVERS },
    ..SPEC_25
};

/// The tool with keys beside buttons.
pub(in crate::profile) const WITH_KEY: Dialect = Dialect {
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
    verbs: mobile_use::BY_PATH,
    failure: "failure",
    compact: false,
};

/// Those of its makers' recipe, and the one for questions that benchmarks have added to it.
const DIALECT_3: Dialect = Dialect {
    actions: &[
        "click",
        "long_press",
        "swipe",
        "type",
        "answer",
        "system_button",
        "wait",
        "ask_user",
        "terminate",
    ],
    ..WITH_KEY
};

/// How a reply is to look that has no reasons.
pub(in crate::profile) const SHORT_REPLY: &str = "\
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
pub(in crate::profile) fn system(coords: &CoordContext, dialect: &Dialect, reply: &str) -> String {
    format!(
        "# Tools\n\nYou have one function. Its signature stands within <tools></tools>:\n<tools>\n\
         {}\n</tools>\n\n# Rules\n\n{}\n# Reply\n\nEach reply calls the function once, as a JSON \
         object within <tool_call></tool_call>. {reply}",
        tool(dialect, coords),
        rules(dialect),
    )
}

impl Family for Qwen {
    fn spec(&self) -> &'static ProfileSpec {
        self.spec
    }

    fn verbs(&self) -> VerbTable {
        self.dialect.verbs
    }

    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let history = History::of(input);
        let progress = self.progress(history, coords);
        let text = format!(
            "The user query: {}\n{}Task progress (You have done the following operation on the current \
             device): {}{}\n{}{}",
            verbatim(input.request, LONGEST_TASK),
            history.earlier(),
            history.omission().replace('\n', " "),
            progress.trim_end(),
            history.reminders(),
            history.system_notes(),
        );
        Prompt::of(vec![
            Message::text(Role::System, system(coords, self.dialect, self.reply)),
            Message {
                role: Role::User,
                parts: vec![Part::Text(text), Part::Picture(input.picture.clone())],
            },
        ])
    }

    fn history_text(&self, input: &StepInput<'_>, coords: &CoordContext) -> String {
        let history = History::of(input);
        let (earlier, omission) = (history.earlier(), history.omission().replace('\n', " "));
        let behind = history.reminders() + &history.system_notes();
        let progress = self.progress(history, coords);
        let told = format!("{earlier}{omission}{progress}");
        // The text goes on with the full stop behind the steps.
        if behind.is_empty() {
            told
        } else {
            format!("{told}.\n{}", behind.trim_end_matches(['.', '\n']))
        }
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        Ok(mobile_use::with_last_words(mobile_use::read(reply, coords, self.dialect)?))
    }
}

impl Qwen {
    /// The steps so far, in a line.
    fn progress(&self, history: History<'_>, coords: &CoordContext) -> String {
        let mut progress = String::new();
        for past in history.steps() {
            let line = mobile_use::line(past, coords, self.dialect) + &past.failure();
            // A line that names a step itself must not pass for one.
            let line = line.replace("; Step", ", step");
            write!(progress, "Step {}: {}; ", past.number, line.trim_end_matches('.'))
                .expect("it is a String");
        }
        progress
    }
}
