//! A session as a conversation: what the model saw, said and was told, turn by turn.
//!
//! For families that were trained on whole conversations. What is at the front stays the same from
//! step to step as long as it can: pictures and turns that no longer fit go several at a time, so
//! that an endpoint can keep what it made of the rest.
use std::fmt::Write as _;

use ayeaye_agent::{
    Action, Decision, HistoryItem, HistoryStep, Message, Part, Picture, Role, ScreenSize, StepInput,
};

#[cfg(test)]
pub(super) mod sample;

/// Bytes of a request; more is no longer one task.
pub(super) const LONGEST_TASK: usize = 16 << 10;
/// Bytes of anything else that others have said.
const LONGEST_SLOT: usize = 4 << 10;
/// Bytes of what the model thought in one step.
const LONGEST_THOUGHT: usize = 1000;
/// Steps that are told, at most.
const MOST_STEPS: u32 = 40;
/// Steps that are left out at a time.
const STEPS_AT_A_TIME: u32 = 10;
/// Pictures that are left out at a time. With five in all, every third step sends new ones.
const PICTURES_AT_A_TIME: u32 = 3;
/// Notes, answers and earlier requests that are told again.
const MOST_TOLD: usize = 8;

/// How a family writes a conversation.
pub(super) struct Manner<'a> {
    /// What its first message begins with: the same in every step of a request.
    pub opening: Vec<Part>,
    /// A decision as the model itself would have said it, about a picture of this size.
    pub say: &'a dyn Fn(&Decision, ScreenSize) -> String,
    /// What stands beside every screen: of the app in front, as far as it is known.
    pub beside: &'a dyn Fn(Option<&str>) -> Option<String>,
    /// Screens of earlier steps that are shown, at most.
    pub pictures: u32,
}

/// The conversation so far, with the screen at its end.
pub(super) fn messages(view: &StepInput<'_>, manner: Manner<'_>) -> Vec<Message> {
    let asked = |it: &HistoryItem| matches!(it, HistoryItem::Request(_) | HistoryItem::Subtask(_));
    let begin = view.history.iter().rposition(asked).map_or(0, |at| at + 1);
    let (before, now) = view.history.split_at(begin);
    let next = now.iter().rev().find_map(step).map_or(0, |step| step.step + 1);
    let told = first_of(next, MOST_STEPS, STEPS_AT_A_TIME);
    let shown = first_of(next, manner.pictures, PICTURES_AT_A_TIME);
    let from = now.iter().position(|it| step(it).is_some_and(|it| told <= it.step));
    let (left_out, now) = now.split_at(from.unwrap_or(0));

    let mut talk = Talk { messages: Vec::new(), turn: manner.opening };
    talk.say_all(earlier(before));
    talk.say_all(gone(left_out));
    for it in now {
        match it {
            HistoryItem::Request(_) | HistoryItem::Subtask(_) => {}
            HistoryItem::UserReply(words) => talk.say(format!("The user says: {}", slot(words))),
            HistoryItem::Step(step) => {
                let seen = view.history_images.iter().find(|it| it.step == step.step);
                let picture = seen.map(|it| &it.picture).filter(|_| shown <= step.step);
                talk.show(picture, (manner.beside)(None));
                let size = seen.map_or(view.picture.size, |it| it.picture.size);
                talk.answered((manner.say)(&step.decision, size));
                if let Some(error) = &step.error {
                    talk.say(format!("The action above went wrong: {}", slot(error)));
                }
            }
        }
    }
    talk.show(Some(view.picture), (manner.beside)(view.app));
    talk.say_all(
        view.system_notes.iter().take(MOST_TOLD).map(|it| format!("Remark: {}", slot(it))),
    );
    talk.end()
}

fn step(history: &HistoryItem) -> Option<&HistoryStep> {
    match history {
        HistoryItem::Step(step) => Some(step),
        HistoryItem::Request(_) | HistoryItem::Subtask(_) | HistoryItem::UserReply(_) => None,
    }
}

/// The first of the last `most` steps before `next`, but only every so often a new one.
fn first_of(next: u32, most: u32, at_a_time: u32) -> u32 {
    next.saturating_sub(most).div_ceil(at_a_time) * at_a_time
}

/// What was asked before in the session and what came of it. A subtask knows nothing of that.
fn earlier(before: &[HistoryItem]) -> Vec<String> {
    let Some((HistoryItem::Request(_), before)) = before.split_last() else { return Vec::new() };
    let from = before.iter().rposition(|it| matches!(it, HistoryItem::Subtask(_))).unwrap_or(0);
    let mut told: Vec<String> = before[from..]
        .iter()
        .filter_map(|it| match it {
            HistoryItem::Request(text) => {
                Some(format!("Before, the user asked for something else: {}", slot(text)))
            }
            HistoryItem::Step(step) => match &step.decision.action {
                Action::Complete { message } => Some(format!("You reported: {}", slot(message))),
                Action::Note { text } => Some(format!("You noted: {}", slot(text))),
                Action::Abort { reason } => Some(format!("You gave up: {}", slot(reason))),
                Action::Gesture(_) | Action::Wait(_) | Action::Info(_) | Action::Confirm { .. } => {
                    None
                }
            },
            HistoryItem::Subtask(_) | HistoryItem::UserReply(_) => None,
        })
        .collect();
    told.drain(..told.len().saturating_sub(MOST_TOLD));
    told
}

/// What must not be forgotten of the turns that are left out.
fn gone(left_out: &[HistoryItem]) -> Vec<String> {
    let steps = left_out.iter().filter_map(step).count();
    if steps == 0 {
        return Vec::new();
    }
    let mut told: Vec<String> = left_out
        .iter()
        .filter_map(|it| match it {
            HistoryItem::UserReply(words) => Some(format!("The user said: {}", slot(words))),
            HistoryItem::Step(step) => match &step.decision.action {
                Action::Note { text } => Some(format!("You noted: {}", slot(text))),
                Action::Info(question) | Action::Confirm { question, .. } => {
                    Some(format!("You asked: {}", slot(&question.text)))
                }
                Action::Gesture(_)
                | Action::Wait(_)
                | Action::Complete { .. }
                | Action::Abort { .. } => None,
            },
            HistoryItem::Request(_) | HistoryItem::Subtask(_) => None,
        })
        .collect();
    told.drain(..told.len().saturating_sub(MOST_TOLD));
    told.insert(0, format!("({steps} steps are left out here.)"));
    told
}

/// Messages, and what the user's next one holds so far.
struct Talk {
    messages: Vec<Message>,
    turn: Vec<Part>,
}

impl Talk {
    /// On a line of its own: some servers put the texts of a message together with nothing between.
    fn say(&mut self, text: String) {
        self.turn.push(Part::Text(text + "\n"));
    }

    fn say_all(&mut self, all: impl IntoIterator<Item = String>) {
        all.into_iter().for_each(|text| self.say(text));
    }

    fn show(&mut self, picture: Option<&Picture>, beside: Option<String>) {
        if let Some(picture) = picture {
            self.turn.push(Part::Picture(picture.clone()));
        }
        self.say_all(beside);
    }

    fn answered(&mut self, text: String) {
        let parts = std::mem::take(&mut self.turn);
        if !parts.is_empty() {
            self.messages.push(Message { role: Role::User, parts });
        }
        self.messages.push(Message::text(Role::Assistant, text));
    }

    fn end(mut self) -> Vec<Message> {
        self.messages.push(Message { role: Role::User, parts: self.turn });
        self.messages
    }
}

/// Foreign words of usual length.
pub(super) fn slot(text: &str) -> String {
    quoted(text, LONGEST_SLOT)
}

/// Foreign words as a JSON string on one line: exact, with one beginning and one end. What could be
/// a tag or a special token is escaped, as JSON allows. A cut is shown.
pub(super) fn quoted(text: &str, most: usize) -> String {
    let end = (0..=most.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let mut written = String::from("\"");
    let mut rest = text[..end].trim().chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\t' => written.push_str("\\t"),
            '\r' => written.push_str("\\r"),
            '<' if rest.peek().is_some_and(|c| !c.is_whitespace() && !c.is_ascii_digit()) => {
                written.push_str("\\u003c");
            }
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                write!(written, "\\u{:04x}", u32::from(c)).expect("a String takes all");
            }
            c => written.push(c),
        }
    }
    written.push('"');
    if end < text.trim_end().len() {
        written.push_str(" (cut: it is longer)");
    }
    written
}

/// What a model thought, on one line and with nothing in it that could be a tag.
pub(super) fn thought(decision: &Decision) -> String {
    let said = [&decision.thought, &decision.explain].into_iter().find(|it| !it.trim().is_empty());
    let mut line = String::new();
    for word in said.map(String::as_str).unwrap_or_default().split_whitespace() {
        if LONGEST_THOUGHT < line.len() + word.len() {
            line.push('…');
            break;
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().map(|c| if c == '<' { '＜' } else { c }));
    }
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_no_longer_fits_goes_several_at_a_time() {
        let first: Vec<u32> = (0..12).map(|next| first_of(next, 4, 3)).collect();
        assert_eq!(first, [0, 0, 0, 0, 0, 3, 3, 3, 6, 6, 6, 9]);
    }

    proptest! {
        #[test]
        fn a_quoted_text_is_one_json_string_and_exact(text in any::<String>()) {
            let text = text.trim();
            let written = quoted(text, 1 << 20);
            prop_assert_eq!(serde_json::from_str::<String>(&written).unwrap(), text);
            prop_assert_eq!(written.lines().count(), 1);
            prop_assert!(!written.contains("<|") && !written.contains("</"));
        }
    }

    #[test]
    fn a_cut_is_shown() {
        assert_eq!(quoted("长长长长", 7), "\"长长\" (cut: it is longer)");
        assert_eq!(quoted("a < b <think>", 99), "\"a < b \\u003cthink>\"");
    }
}
