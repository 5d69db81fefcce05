//! The first version of GUI-Owl, the model of Mobile-Agent-v3, as its executor: one message, a reply of
//! three sections, `### Thought ###`, `### Action ###` with a JSON object, `### Description ###`.
use std::fmt::Write as _;

use ayeaye_agent::{Decision, Message, ParseError, Part, Prompt, Reply, Role, StepInput};

use super::super::mobile_use;
use super::super::mobile_use::rules::RULES;
use super::super::qwen::{PICTURE_25, RESIZE_25, WITH_KEY};
use crate::profile::coords::{CoordSystem, CoordUnit};
use crate::profile::escape::{LONGEST_LINE, LONGEST_TASK, plain_line, verbatim};
use crate::profile::history::{History, PastStep};
use crate::profile::parse::{ParsedReply, hermes, reasoning, reject, without_tokens};
use crate::profile::verbs::VerbTable;
use crate::profile::{CoordContext, Family, ProfileSpec, Sampling, Wire};

/// GUI-Owl 7B and 32B of the first version.
#[derive(Debug)]
pub(in crate::profile) struct OwlOne;

const SPEC: ProfileSpec = ProfileSpec {
    name: "gui-owl-1",
    title: "GUI-Owl (Mobile-Agent-v3)",
    patterns: &[
        "gui-owl-7b",
        "gui-owl-32b",
        "gui-owl:7b",
        "gui-owl:32b",
        "gui_owl_7b",
        "gui_owl_32b",
        "guiowl-7b",
        "guiowl-32b",
    ],
    // Made from Qwen2.5-VL: pixels of the picture as its server resizes it.
    coords: CoordSystem::of(CoordUnit::ResizedPixels(RESIZE_25)),
    picture: PICTURE_25,
    earlier_pictures: 0,
    history: "a line for each of the last steps, with its outcome",
    sampling: Sampling::GREEDY,
    wire: Wire::Chat,
};

const ACTIONS: &str = "\
- answer(text): End the task and give the user what was asked for. Example: {\"action\": \"answer\", \
\"text\": \"what the user wanted to know\"}
- click(coordinate): Tap the screen at this place. Example: {\"action\": \"click\", \"coordinate\": [x, y]}
- long_press(coordinate): Hold a finger at this place. Example: {\"action\": \"long_press\", \
\"coordinate\": [x, y]}
- type(text): Type into the field in focus, exactly this text; tap the field first. Example: \
{\"action\": \"type\", \"text\": \"the words\"}
- system_button(button): Press Back, Home or Enter. Example: {\"action\": \"system_button\", \"button\": \
\"Home\"}
- swipe(coordinate, coordinate2): Draw a finger from the first place to the second; the page follows \
it. Example: {\"action\": \"swipe\", \"coordinate\": [x1, y1], \"coordinate2\": [x2, y2]}
- open(text): Open an app by its name. Example: {\"action\": \"open\", \"text\": \"the app\"}
- wait(time): Wait for some seconds, then look again. Example: {\"action\": \"wait\", \"time\": 3}
- ask_user(text): Ask the user a question. Example: {\"action\": \"ask_user\", \"text\": \"the question\"}
- interact(text): Let the user do by hand what only a person can or may do. Example: {\"action\": \
\"interact\", \"text\": \"what to do\"}
- terminate(status): End the task: success when the screen shows that it is done, failure when it \
cannot be done. Example: {\"action\": \"terminate\", \"status\": \"success\"}
";

const REPLY: &str = "\
Reply in these three parts, and nothing behind them:
### Thought ###
Why this action comes next.

### Action ###
One of the actions above, as a JSON object.

### Description ###
One sentence on what the action does and what should come of it.
";

impl Family for OwlOne {
    fn spec(&self) -> &'static ProfileSpec {
        &SPEC
    }

    fn verbs(&self) -> VerbTable {
        WITH_KEY.verbs
    }

    fn prompt(&self, input: &StepInput<'_>, coords: &CoordContext) -> Prompt {
        let (width, height) = coords.system.extent(coords.image);
        let rules = format!(
            "You operate an Android phone for its user, one action at a time, going by its screen.\n\n\
             ### Rules ###\n{RULES}\n#### Atomic Actions ####\nThe screen is {width}x{height}; places \
             are [x, y], x from the left and y from the top.\n{ACTIONS}\n---\n{REPLY}\n---\n"
        );
        let history = History::of(input);
        let steps: Vec<PastStep<'_>> = history.steps().collect();
        let (older, latest) = steps.split_at(steps.len().saturating_sub(MAX_LATEST));
        let mut state =
            format!("### User Request ###\n{}\n\n", verbatim(input.request, LONGEST_TASK));
        let mut add = |head: &str, text: &str| {
            if !text.is_empty() {
                write!(state, "### {head} ###\n{}\n\n", text.trim_end()).expect("it is a String");
            }
        };
        add("Earlier Requests", &history.earlier());
        let older = older.iter().fold(history.omission(), |lines, past| {
            let line = mobile_use::line(*past, coords, &WITH_KEY);
            format!("{lines}{}. {line}{}\n", past.number, past.failure())
        });
        add("Historical Operations", &older);
        let latest: String = latest.iter().map(|past| latest_line(*past, coords)).collect();
        let latest = if latest.is_empty() { "No actions have been taken yet." } else { &latest };
        add("Latest Action History", latest);
        add("Notes and Replies", &history.reminders());
        add("Attention", &history.system_notes());
        state.push_str("### Screen ###\n");
        let parts =
            vec![Part::Text(rules), Part::Text(state), Part::Picture(input.picture.clone())];
        Prompt::of(vec![Message { role: Role::User, parts }])
    }

    /// By its sections, or by a tool call if the model falls back to one.
    fn read(&self, reply: &Reply, coords: &CoordContext) -> Result<Decision, ParseError> {
        let cut = reasoning::cut(without_tokens(&reply.text), |text| text.starts_with("##"));
        let sections = sections(cut.body);
        let mut actions = sections.iter().filter(|section| section.name == Name::Action);
        let (Some(action), true) = (actions.next(), reply.calls.is_empty()) else {
            return mobile_use::read(reply, coords, &WITH_KEY);
        };
        if actions.next().is_some() {
            return reject("it has more than one section ### Action ###; reply with one action");
        }
        // Parsed like a call without tags, which allows for fences and small slips.
        let inside = Reply { text: action.text.to_owned(), ..Reply::default() };
        let found = hermes::call(&inside)?;
        let section = |name: Name| {
            let section = sections.iter().find(|section| section.name == name);
            section.map(|section| section.text.trim().to_owned())
        };
        let description = section(Name::Description);
        let doubt = match description {
            _ if cut.unclosed => Some("its reasoning has no end"),
            None => Some("its section ### Description ### is missing"),
            Some(_) => found.doubt,
        };
        let parsed = ParsedReply {
            call: mobile_use::call(&found.name, found.arguments)?,
            thought: section(Name::Thought).unwrap_or_default(),
            explain: description.unwrap_or_default(),
            doubt: doubt.map(str::to_owned),
            ..ParsedReply::default()
        };
        WITH_KEY.verbs.decide(parsed, coords)
    }
}

/// How many of the last steps are shown with action and outcome.
const MAX_LATEST: usize = 5;

fn latest_line(past: PastStep<'_>, coords: &CoordContext) -> String {
    let action =
        mobile_use::write_arguments(past, coords, &WITH_KEY).unwrap_or_else(|| past.in_words());
    let description = plain_line(&past.step.decision.explain, LONGEST_LINE);
    let outcome = match (past.not_done_yet(), past.error(), past.doubt()) {
        (Some(asked), ..) => format!("Not done | Feedback: {asked}"),
        (None, Some(error), _) => format!("Failed | Feedback: {error}"),
        (None, None, Some(why)) => format!("Unknown | Feedback: {why}"),
        (None, None, None) => "Successful".to_owned(),
    };
    format!("Action: {action} | Description: {description} | Outcome: {outcome}\n")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Thought,
    Action,
    Description,
    Other,
}

/// A section of a reply.
struct Section<'a> {
    name: Name,
    text: &'a str,
}

/// The sections of a reply, by their headings.
fn sections(text: &str) -> Vec<Section<'_>> {
    let mut found: Vec<Section<'_>> = Vec::new();
    let mut at = 0;
    let mut open: Option<(Name, usize)> = None;
    for line in text.split_inclusive('\n') {
        if let Some((name, inside)) = heading(line) {
            if let Some((name, from)) = open.take() {
                found.push(Section { name, text: &text[from..at] });
            }
            open = Some((name, at + inside));
        }
        at += line.len();
    }
    if let Some((name, from)) = open {
        found.push(Section { name, text: &text[from..] });
    }
    found
}

/// The section that a line opens, and the offset of its text: a model may go on after the heading.
fn heading(line: &str) -> Option<(Name, usize)> {
    let inside = line.trim_start();
    let hashes = inside.len() - inside.trim_start_matches('#').len();
    if hashes < 2 {
        return None;
    }
    let inside = inside[hashes..].trim_start();
    let end = inside.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(inside.len());
    let (word, rest) = inside.split_at(end);
    let name = match word.to_ascii_lowercase().as_str() {
        "thought" | "thoughts" => Name::Thought,
        "action" => Name::Action,
        "description" => Name::Description,
        _ => Name::Other,
    };
    let rest = rest.trim_start_matches(|c: char| "#: ：".contains(c));
    Some((name, line.len() - rest.len()))
}
