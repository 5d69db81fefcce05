//! What the scripted model reads instead of the prompt that a real model would read.
use ayeaye_agent::{Action, HistoryItem, Message, Role, StepInput};
use serde::{Deserialize, Serialize};

/// The task, the last step and what the user has said since.
///
/// Sent as JSON in a system message in front of the usual prompt; see [`super::ScriptedClient`].
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskProgress {
    /// What the user wants.
    pub task: String,
    /// The model's own summary of its last step; empty before the first.
    pub last_summary: String,
    /// Oldest first.
    pub replies: Vec<UserReply>,
}

/// Something the user said after giving the task.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UserReply {
    /// The question it answers; empty for guidance nobody asked for.
    pub question: String,
    /// The user's own words.
    pub text: String,
}

impl TaskProgress {
    /// A task that has just been given.
    pub fn new(task: impl Into<String>) -> Self {
        Self { task: task.into(), ..Self::default() }
    }

    /// The part of a step's input that the scripted model uses.
    pub(super) fn of(input: &StepInput<'_>) -> Self {
        let history = input.history;
        let last_summary = history.iter().rev().find_map(|item| match item {
            HistoryItem::Step(step) if !step.decision.summary.is_empty() => {
                Some(step.decision.summary.clone())
            }
            _ => None,
        });
        let starts =
            |item: &HistoryItem| matches!(item, HistoryItem::Request(_) | HistoryItem::Subtask(_));
        let since = history.iter().rposition(starts).map_or(0, |at| at + 1);
        let mut replies = Vec::new();
        let mut question = String::new();
        for item in &history[since..] {
            match item {
                HistoryItem::Step(step) => {
                    if let Action::Info(asked) = &step.decision.action {
                        question.clone_from(&asked.text);
                    }
                }
                HistoryItem::UserReply(text) | HistoryItem::Advice(text) => {
                    let question = std::mem::take(&mut question);
                    replies.push(UserReply { question, text: typeable(text) });
                }
                HistoryItem::Request(_) | HistoryItem::Subtask(_) => {}
            }
        }
        Self {
            task: typeable(input.request),
            last_summary: last_summary.unwrap_or_default(),
            replies,
        }
    }

    pub(super) fn to_message(&self) -> Message {
        let json = serde_json::to_string(self).expect("strings serialize");
        Message::text(Role::System, json)
    }

    /// `None` for any other system message.
    pub(super) fn from_message(content: &str) -> Option<Self> {
        serde_json::from_str(content).ok()
    }
}

/// A text without tabs: they separate the fields of a reply, so that none can be typed.
fn typeable(text: &str) -> String {
    text.replace('\t', " ")
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::{Decision, HistoryStep, Part, Picture, Question, ScreenSize};
    use proptest::prelude::*;

    use super::*;

    fn step(step: u32, action: Action, summary: &str) -> HistoryItem {
        let summary = summary.to_owned();
        let (thought, explain, observation) = Default::default();
        let decision = Decision { action, thought, explain, summary, observation };
        HistoryItem::Step(HistoryStep {
            step,
            decision,
            error: None,
            uncertain: None,
            asked: None,
            reply: None,
            app: None,
        })
    }

    #[test]
    fn only_what_was_said_since_the_task_was_given_counts() {
        let asks = |text: &str| Action::Info(Question::info(text));
        let history = [
            HistoryItem::Request("another task".to_owned()),
            HistoryItem::UserReply("not about this one".to_owned()),
            HistoryItem::Request("a task".to_owned()),
            step(0, asks("Which?"), "asked which"),
            HistoryItem::UserReply("the \"second\"\n「one」".to_owned()),
            step(1, Action::Complete { message: String::new() }, ""),
            HistoryItem::UserReply("note: quick".to_owned()),
        ];
        let picture = Picture {
            bytes: Vec::new().into(),
            media_type: "image/jpeg",
            size: ScreenSize { width: 1, height: 1 },
        };
        let progress =
            TaskProgress::of(&StepInput { history: &history, ..StepInput::of("a task", &picture) });
        assert_eq!(
            (progress.task.as_str(), progress.last_summary.as_str()),
            ("a task", "asked which")
        );
        let replies: Vec<_> =
            progress.replies.iter().map(|it| (it.question.as_str(), it.text.as_str())).collect();
        assert_eq!(replies, [("Which?", "the \"second\"\n「one」"), ("", "note: quick")]);
    }

    proptest! {
        #[test]
        fn every_text_arrives_as_it_was(task: String, last_summary: String, question: String, text: String) {
            let replies = vec![UserReply { question, text }];
            let progress = TaskProgress { task, last_summary, replies };
            let message = progress.to_message();
            let [Part::Text(content)] = &message.parts[..] else { panic!("{message:?}") };
            prop_assert_eq!(TaskProgress::from_message(content), Some(progress));
        }
    }
}
