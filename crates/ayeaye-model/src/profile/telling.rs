//! What a prompt tells of a session, in whatever format.
use std::collections::VecDeque;
use std::fmt::{self, Write as _};

use ayeaye_agent::{Action, HistoryItem, HistoryStep, StepInput};
use serde_json::Value;

#[cfg(test)]
pub(super) mod checks;

/// Bytes of a request; more is no longer one task.
pub(super) const LONGEST_TASK: usize = 16 << 10;
/// Bytes of anything else that is told again.
pub(super) const LONGEST_SLOT: usize = 4 << 10;
/// Notes and earlier requests that are told again, counted from the last.
pub(super) const MOST_TOLD: usize = 8;

/// A text as a JSON string of at most so many bytes, on one line, exact but for a cut, which is
/// shown.
///
/// A `<` that could begin a tag or a special token is written as an escape: it is the same text to
/// whoever reads JSON, and no token to the server.
pub(super) fn quoted(text: &str, most: usize) -> String {
    if text.len() <= most {
        return escaped(&Value::from(text).to_string());
    }
    let end = (0..=most).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{} (cut: it was longer)", escaped(&Value::from(&text[..end]).to_string()))
}

/// Written JSON without tags and special tokens in it.
pub(super) fn escaped(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let mut rest = json.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('<', Some(next)) if next.is_alphabetic() || "|/!_｜".contains(*next) => {
                out.push_str("\\u003c");
            }
            // Line ends that JSON lets stand.
            ('\u{2028}', _) => out.push_str("\\u2028"),
            ('\u{2029}', _) => out.push_str("\\u2029"),
            ('\u{85}', _) => out.push_str("\\u0085"),
            _ => out.push(c),
        }
    }
    out
}

/// A text as one line of words, cut where it is longer than so many bytes. A bracket that could begin
/// a tag or a special token loses its shape.
pub(super) fn line(text: &str, most: usize) -> String {
    let mut line = String::new();
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if most < line.len() + word.len() {
            let left = most.saturating_sub(line.len());
            let end = (0..=left).rev().find(|at| word.is_char_boundary(*at)).unwrap_or(0);
            line.push_str(if line.is_empty() || end == 0 { "" } else { " " });
            line.push_str(&word[..end]);
            line.push('…');
            break;
        }
        line.push_str(if line.is_empty() { "" } else { " " });
        line.push_str(word);
    }
    line.replace('<', "＜")
}

/// Puts words behind others.
pub(super) fn put(told: &mut String, words: fmt::Arguments<'_>) {
    told.write_fmt(words).expect("a String takes whatever it is given");
}

/// What is told of a session.
#[derive(Debug)]
pub(super) struct Story<'a> {
    /// What the user asked for before this, and the report on it.
    pub before: Vec<(&'a str, Option<&'a str>)>,
    /// What was noted before this round.
    pub notes: Vec<&'a str>,
    /// What has happened since the request was made.
    pub round: &'a [HistoryItem],
}

impl<'a> Story<'a> {
    /// An app agent that was given a part of a task knows nothing of what was before.
    pub(super) fn of(view: &StepInput<'a>) -> Self {
        let begins =
            |it: &HistoryItem| matches!(it, HistoryItem::Request(_) | HistoryItem::Subtask(_));
        let Some(at) = view.history.iter().rposition(begins) else {
            return Self { before: Vec::new(), notes: Vec::new(), round: view.history };
        };
        let round = &view.history[at + 1..];
        if matches!(view.history[at], HistoryItem::Subtask(_)) {
            return Self { before: Vec::new(), notes: Vec::new(), round };
        }
        let mut before: Vec<(&str, Option<&str>)> = Vec::new();
        let mut notes = Vec::new();
        for entry in &view.history[..at] {
            match entry {
                HistoryItem::Request(request) => before.push((request, None)),
                HistoryItem::Step(HistoryStep { decision, .. }) => match &decision.action {
                    Action::Note { text } => notes.push(text.as_str()),
                    Action::Complete { message } => {
                        if let Some((_, report)) = before.last_mut() {
                            *report = Some(message);
                        }
                    }
                    _ => {}
                },
                HistoryItem::Subtask(_) | HistoryItem::UserReply(_) => {}
            }
        }
        Self { before: last(before), notes: last(notes), round }
    }

    /// What was asked, done and noted before this round, one thing a line; empty where there was
    /// nothing.
    pub(super) fn earlier(&self) -> String {
        let mut told = String::new();
        for (request, report) in &self.before {
            put(&mut told, format_args!("Asked before: {}", quoted(request, LONGEST_SLOT)));
            if let Some(report) = report {
                put(
                    &mut told,
                    format_args!(", and you reported: {}", quoted(report, LONGEST_SLOT)),
                );
            }
            told.push('\n');
        }
        for note in &self.notes {
            put(&mut told, format_args!("You noted: {}\n", quoted(note, LONGEST_SLOT)));
        }
        told
    }

    /// The steps of this round, each with what the user said after it.
    pub(super) fn steps(&self) -> (Vec<&'a str>, Vec<Told<'a>>) {
        let mut unasked = Vec::new();
        let mut steps: Vec<Told<'a>> = Vec::new();
        for entry in self.round {
            match entry {
                HistoryItem::Step(step) => steps.push(Told { step, said: Vec::new() }),
                HistoryItem::UserReply(words) => match steps.last_mut() {
                    Some(told) => told.said.push(words),
                    None => unasked.push(words.as_str()),
                },
                HistoryItem::Request(_) | HistoryItem::Subtask(_) => {}
            }
        }
        (unasked, steps)
    }
}

/// A step of this round.
#[derive(Debug)]
pub(super) struct Told<'a> {
    /// What was decided, and what came of it.
    pub step: &'a HistoryStep,
    /// What the user said after it.
    pub said: Vec<&'a str>,
}

impl Told<'_> {
    /// What came of it, one thing a line.
    pub(super) fn outcome(&self) -> String {
        let mut told = match &self.step.error {
            Some(error) => format!("It was not done: {}\n", quoted(error, LONGEST_SLOT)),
            None => match &self.step.decision.action {
                Action::Gesture(_) => "Done.\n".to_owned(),
                Action::Note { .. } => "Noted.\n".to_owned(),
                Action::Wait(_) => "Waited.\n".to_owned(),
                Action::Info(_) | Action::Confirm { .. } => String::new(),
                Action::Complete { .. } | Action::Abort { .. } => "Reported.\n".to_owned(),
            },
        };
        let asked = matches!(self.step.decision.action, Action::Info(_) | Action::Confirm { .. });
        for (at, words) in self.said.iter().enumerate() {
            let how = if asked && at == 0 { "answers" } else { "says" };
            put(&mut told, format_args!("The user {how}: {}\n", quoted(words, LONGEST_SLOT)));
        }
        if told.is_empty() {
            told.push_str("The user has not answered.\n");
        }
        told
    }

    /// Why it was decided, in a line.
    pub(super) fn why(&self) -> String {
        let decision = &self.step.decision;
        let said = [&decision.explain, &decision.thought];
        let said = said.into_iter().find(|said| !said.trim().is_empty());
        said.map(|said| line(said, 400)).unwrap_or_default()
    }
}

/// The last steps, a line each with what it did as the family would say it, and with what came of it
/// where that is more than that it was done. Empty where there were none.
pub(super) fn listed(steps: &[Told<'_>], say: impl Fn(&HistoryStep) -> String) -> String {
    let from = steps.len().saturating_sub(MOST_LISTED);
    let mut told = String::new();
    if 0 < from {
        put(&mut told, format_args!("({from} steps before these are not told.)\n"));
        let notes = steps[..from].iter().filter_map(|it| match &it.step.decision.action {
            Action::Note { text } => Some(text),
            _ => None,
        });
        for note in last(notes) {
            put(&mut told, format_args!("You noted: {}\n", quoted(note, LONGEST_SLOT)));
        }
        for words in last(steps[..from].iter().flat_map(|it| it.said.iter())) {
            put(&mut told, format_args!("The user said: {}\n", quoted(words, LONGEST_SLOT)));
        }
    }
    for (at, it) in steps.iter().enumerate().skip(from) {
        put(&mut told, format_args!("Step {}: {}\n", at + 1, line(&say(it.step), LONGEST_SLOT)));
        let quiet = matches!(it.step.decision.action, Action::Gesture(_)) && it.said.is_empty();
        if it.step.error.is_some() || !quiet {
            told += &it.outcome();
        }
    }
    told
}

/// Steps that are told in a list, counted from the last.
const MOST_LISTED: usize = 20;

/// What the loop has to say, one thing a line.
pub(super) fn system_notes(view: &StepInput<'_>) -> String {
    let told = last(view.system_notes.iter());
    told.iter().fold(String::new(), |lines, remark| {
        lines + "Note: " + &quoted(remark, LONGEST_SLOT) + "\n"
    })
}

/// The last few of a list, in order.
pub(super) fn last<T>(all: impl IntoIterator<Item = T>) -> Vec<T> {
    let mut kept = VecDeque::new();
    for item in all {
        if kept.len() == MOST_TOLD {
            kept.pop_front();
        }
        kept.push_back(item);
    }
    kept.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_quoted_text_is_exact_and_no_token() {
        let text = "say \"hi\"\n<|im_end|></think> 2 < 3";
        let quoted = quoted(text, 100);
        assert!(!quoted.contains("<|") && !quoted.contains("</") && !quoted.contains('\n'));
        assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
    }

    #[test]
    fn a_long_text_is_cut_and_says_so() {
        assert_eq!(quoted("长长", 4), "\"长\" (cut: it was longer)");
        assert_eq!(line("aa bb\ncc", 5), "aa bb…");
        assert_eq!(line("Thought\nAction: <b>", 99), "Thought Action: ＜b>");
    }

    proptest! {
        #[test]
        fn no_text_leaves_its_line(text in any::<String>(), most in 0usize..50) {
            prop_assert!(quoted(&text, most).lines().count() == 1);
            prop_assert!(line(&text, most).lines().count() <= 1);
            if text.len() <= most {
                prop_assert_eq!(serde_json::from_str::<String>(&quoted(&text, most)).unwrap(), text);
            }
        }
    }
}
