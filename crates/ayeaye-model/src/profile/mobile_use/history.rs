//! What a prompt tells of what was before: in plain lines, for families that see one screen, and in
//! turns, for families that see several.
use ayeaye_agent::{Action, HistoryItem, HistoryStep, Message, Part, Picture, Role, StepInput};

use super::super::CoordContext;
use super::quoted::{line, quoted};
use super::{Dialect, say};

/// Bytes of a request; more is no longer one task.
pub(crate) const LONGEST_TASK: usize = 16 << 10;
/// Bytes of anything else that somebody said.
pub(crate) const LONGEST_WORDS: usize = 4 << 10;
/// Bytes of a line on one step.
const LONGEST_LINE: usize = 400;
/// Steps that are told in lines, counted from the last.
const MOST_STEPS: usize = 60;
/// Steps that are told in turns, counted from the last.
const MOST_TURNS: usize = 60;
/// Answers, notes and earlier requests that are told, counted from the last of each.
const MOST_TOLD: usize = 12;

/// What was before the present request, and what has happened since. Of what was before a subtask,
/// nothing is told.
pub(crate) fn rounds(history: &[HistoryItem]) -> (&[HistoryItem], &[HistoryItem]) {
    match history
        .iter()
        .rposition(|it| matches!(it, HistoryItem::Request(_) | HistoryItem::Subtask(_)))
    {
        Some(at) if matches!(history[at], HistoryItem::Subtask(_)) => (&[], &history[at + 1..]),
        Some(at) => (&history[..at], &history[at + 1..]),
        None => (&[], history),
    }
}

/// The requests before the present one, and how they ended; empty when there were none.
pub(crate) fn before(history: &[HistoryItem]) -> String {
    let mut told: Vec<String> = Vec::new();
    for entry in history {
        match entry {
            HistoryItem::Request(request) => {
                told.push(format!("Before this, the user asked: {}", quoted(request, 1 << 10)));
            }
            HistoryItem::Step(HistoryStep { decision, error: None, .. }) => {
                let Some(last) = told.last_mut() else { continue };
                match &decision.action {
                    Action::Complete { message } => {
                        last.push_str(" It was done. ");
                        if !message.trim().is_empty() {
                            last.push_str("You reported: ");
                            last.push_str(&quoted(message, 1 << 10));
                        }
                    }
                    Action::Abort { reason } => {
                        last.push_str(" It was given up: ");
                        last.push_str(&quoted(reason, 1 << 10));
                    }
                    _ => {}
                }
            }
            HistoryItem::Step(_) | HistoryItem::UserReply(_) | HistoryItem::Subtask(_) => {}
        }
    }
    let from = told.len().saturating_sub(MOST_TOLD);
    told[from..].iter().fold(String::new(), |lines, it| lines + it.trim_end() + "\n")
}

/// A step in a line: in the model's own words, else as it would call it.
pub(crate) fn told(step: &HistoryStep, coords: &CoordContext, dialect: &Dialect) -> String {
    let decision = &step.decision;
    if let Action::Note { text } = &decision.action {
        return format!("noted {}", quoted(text, LONGEST_LINE));
    }
    match line(&decision.explain, LONGEST_LINE) {
        words if !words.is_empty() => words,
        _ => say::object(decision, coords, dialect)
            .map_or_else(|| decision.action.name().to_owned(), |said| line(&said, LONGEST_LINE)),
    }
}

/// A step in a line, with what went wrong.
pub(crate) fn told_with_error(
    step: &HistoryStep,
    coords: &CoordContext,
    dialect: &Dialect,
) -> String {
    let told = told(step, coords, dialect);
    match &step.error {
        Some(error) => format!("{told} (this failed: {})", quoted(error, LONGEST_LINE)),
        None => told,
    }
}

/// The last steps of a round, each with its number in the round from 1.
pub(crate) fn steps(
    round: &[HistoryItem],
) -> impl DoubleEndedIterator<Item = (usize, &HistoryStep)> {
    let all: Vec<&HistoryStep> = round.iter().filter_map(step).collect();
    let from = all.len().saturating_sub(MOST_STEPS);
    all.into_iter().enumerate().skip(from).map(|(at, step)| (at + 1, step))
}

fn step(history: &HistoryItem) -> Option<&HistoryStep> {
    match history {
        HistoryItem::Step(step) => Some(step),
        HistoryItem::Request(_) | HistoryItem::Subtask(_) | HistoryItem::UserReply(_) => None,
    }
}

/// What the user has said since the request, each with the question it answers, and what the model
/// has noted: a line each.
pub(crate) fn asides(round: &[HistoryItem]) -> String {
    let mut asked = None;
    let mut lines = Vec::new();
    for entry in round {
        match entry {
            HistoryItem::Step(HistoryStep { decision, .. }) => match &decision.action {
                Action::Info(question) | Action::Confirm { question, .. } => {
                    asked = Some(&question.text);
                }
                Action::Note { text } => {
                    lines.push(format!("You noted: {}", quoted(text, LONGEST_WORDS)));
                }
                _ => {}
            },
            HistoryItem::UserReply(words) => lines.push(said(words, asked.take())),
            HistoryItem::Request(_) | HistoryItem::Subtask(_) => {}
        }
    }
    let from = lines.len().saturating_sub(MOST_TOLD);
    lines[from..].iter().fold(String::new(), |all, it| all + it + "\n")
}

/// What the user said, with the question it answers.
fn said(words: &str, asked: Option<&String>) -> String {
    let words = quoted(words, LONGEST_WORDS);
    match asked {
        Some(asked) => {
            format!("You asked the user: {} The user answered: {words}", quoted(asked, 1 << 10))
        }
        None => format!("The user says: {words}"),
    }
}

/// What the loop has to say; at the least, that the last step went wrong. A line each.
pub(crate) fn system_notes(view: &StepInput<'_>) -> String {
    let from = view.system_notes.len().saturating_sub(MOST_TOLD);
    let mut told: Vec<String> =
        view.system_notes[from..].iter().map(|remark| quoted(remark, LONGEST_WORDS)).collect();
    if told.is_empty()
        && let Some(HistoryItem::Step(HistoryStep { decision, error: Some(error), .. })) =
            view.history.last()
    {
        let name = decision.action.name();
        told.push(format!("the last action ({name}) failed: {}", quoted(error, LONGEST_WORDS)));
    }
    told.iter().fold(String::new(), |all, it| all + "Attention: " + it + "\n")
}

/// How a step is said in a family's own format.
pub(crate) type Say<'a> = &'a dyn Fn(&HistoryStep) -> Option<String>;

/// The steps of a round as turns: the screen where it is at hand, then what the model said; between
/// them, what the user said and what went wrong. The last message is the present screen. `lead` is put
/// in front of the first screen, in the same message.
pub(crate) fn turns(
    view: &StepInput<'_>,
    round: &[HistoryItem],
    lead: String,
    say: Say<'_>,
) -> Vec<Message> {
    let count = round.iter().filter(|it| step(it).is_some()).count();
    let mut skip = count.saturating_sub(MOST_TURNS);
    let mut messages = Vec::new();
    let mut words = lead;
    if 0 < skip {
        add(&mut words, &["The first ", &skip.to_string(), " steps are not shown here."]);
    }
    let mut asked = None;
    for (at, entry) in round.iter().enumerate() {
        match entry {
            HistoryItem::UserReply(text) => {
                add(&mut words, &[&said(text, asked.take())]);
            }
            HistoryItem::Step(_) if 0 < skip => skip -= 1,
            HistoryItem::Step(step) => {
                let decision = &step.decision;
                let picture = view.history_images.iter().find(|it| it.step == step.step);
                if let Action::Info(question) | Action::Confirm { question, .. } = &decision.action
                {
                    asked = Some(&question.text);
                }
                match say(step) {
                    Some(said) => {
                        shown(&mut messages, &mut words, picture.map(|it| &it.picture));
                        messages.push(Message::text(Role::Assistant, said));
                    }
                    None => {
                        if let Action::Note { text } = &decision.action {
                            add(&mut words, &["You noted: ", &quoted(text, LONGEST_WORDS)]);
                        }
                    }
                }
                // Of the last step, the remarks tell it.
                if let Some(error) = &step.error
                    && at + 1 < round.len()
                {
                    add(&mut words, &["This action failed: ", &quoted(error, LONGEST_WORDS)]);
                }
            }
            HistoryItem::Request(_) | HistoryItem::Subtask(_) => {}
        }
    }
    words.push_str(&system_notes(view));
    shown(&mut messages, &mut words, Some(view.picture));
    messages
}

/// Adds a line.
fn add(words: &mut String, pieces: &[&str]) {
    words.extend(pieces.iter().copied());
    words.push('\n');
}

/// Adds what the user says in front of a turn of the model, if there is anything.
fn shown(messages: &mut Vec<Message>, words: &mut String, picture: Option<&Picture>) {
    let mut parts = Vec::new();
    if !words.is_empty() {
        parts.push(Part::Text(std::mem::take(words)));
    }
    parts.extend(picture.cloned().map(Part::Picture));
    if !parts.is_empty() {
        messages.push(Message { role: Role::User, parts });
    }
}
