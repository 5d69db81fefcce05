//! GUI-Owl 1.5, the model of Mobile-Agent-v3.5: an `Action:` line and the tool `mobile_use`, the last
//! steps as turns with their screens, those before them as lines.
use std::fmt::Write as _;

use ayeaye_agent::{
    Decision, HistoryItem, HistoryStep, Message, ParseError, Prompt, Reply, Role, StepInput,
};

use super::coords::CoordSystem;
use super::mobile_use::history::{self, LONGEST_TASK};
use super::mobile_use::quoted::quoted;
use super::mobile_use::{self, Dialect, say};
use super::qwen::{PICTURE_3, system};
use super::{CoordContext, Family, ProfileSpec, Sampling, Wire};

mod v1;

pub(super) use v1::OwlOne;

/// GUI-Owl 1.5.
#[derive(Debug)]
pub(super) struct Owl;

const SPEC: ProfileSpec = ProfileSpec {
    name: "gui-owl",
    title: "GUI-Owl 1.5 (Mobile-Agent-v3.5)",
    // Those of the first version are looked for before.
    patterns: &["gui-owl", "gui_owl", "guiowl", "mobile-agent-v3.5"],
    coords: CoordSystem::THOUSANDTHS,
    picture: PICTURE_3,
    earlier_pictures: 4,
    history: "turns, the last four with their screens, lines for those before",
    sampling: Sampling::GREEDY,
    wire: Wire::Chat,
};

const DIALECT: Dialect = Dialect {
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

const REPLY: &str = "\
Two parts in this order, and nothing behind them:
Action: one short sentence that says what to do, naming the element and any words to type.
<tool_call>
{\"name\": <function-name>, \"arguments\": <args-json-object>}
</tool_call>
";

impl Family for Owl {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC
    }

    fn prompt(&self, view: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        prompt(view, coords)
    }

    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        mobile_use::decide(reply, coords, &DIALECT)
    }
}

/// What to send for one step.
fn prompt(view: &StepInput<'_>, coords: &CoordContext) -> Prompt {
    let (before, round) = history::rounds(view.history);
    let (lines, turns) = round.split_at(first_shown(view, round));
    let mut previous = String::new();
    for (number, step) in history::steps(lines) {
        let told = history::told_with_error(step, coords, &DIALECT);
        writeln!(previous, "Step{number}: {told}")
            .expect("a String takes all that is written to it");
    }
    if previous.is_empty() {
        previous.push_str("No previous action.\n");
    }
    let lead = format!(
        "Generate the next move by the screen, the instruction and the previous actions.\n\n{}\
         Instruction: {}\n\nPrevious actions:\n{previous}{}",
        history::before(before),
        quoted(view.request, LONGEST_TASK),
        history::asides(lines),
    );
    let mut messages = vec![Message::text(Role::System, system(coords, &DIALECT, REPLY))];
    messages.extend(history::turns(view, turns, lead, &|step| said(step, coords)));
    Prompt::of(messages)
}

/// Where in a round the turns begin: with the first of its last steps that all have their screens.
fn first_shown(view: &StepInput<'_>, round: &[HistoryItem]) -> usize {
    let mut first = round.len();
    for (at, entry) in round.iter().enumerate().rev() {
        if let HistoryItem::Step(step) = entry {
            if !view.history_images.iter().any(|it| it.step == step.step) {
                break;
            }
            first = at;
        }
    }
    first
}

/// A step in the family's own format.
fn said(step: &HistoryStep, coords: &CoordContext) -> Option<String> {
    let call = say::call(&step.decision, coords, &DIALECT)?;
    Some(format!("Action: {}\n{call}", quoted(&history::told(step, coords, &DIALECT), 1 << 10)))
}

#[cfg(test)]
mod tests;
