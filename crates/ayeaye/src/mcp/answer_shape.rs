//! Which answers a question takes, in a form and in the app alike.
use ayeaye_agent::{Question, QuestionKind};

use crate::text::lines;

/// Most options to choose from; a question with more takes free text.
const MAX_OPTIONS: usize = 50;
/// The options where the agent asks for approval.
const YES_NO: [&str; 2] = ["yes", "no"];

/// The kind of answer that a question takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AnswerShape {
    /// One of these options.
    Choice(Vec<String>),
    /// By acting on the phone; the answer says that it is done.
    ByHand,
    /// Free text.
    Text,
}

impl AnswerShape {
    /// The kind of answer that this question takes.
    pub(super) fn of(question: &Question) -> Self {
        let mut options: Vec<String> = Vec::new();
        for option in &question.options {
            let option = lines(option).trim().to_owned();
            if !option.is_empty() && !options.contains(&option) {
                options.push(option);
            }
        }
        let fits = !options.is_empty() && options.len() <= MAX_OPTIONS;
        match question.kind {
            QuestionKind::Takeover => Self::ByHand,
            QuestionKind::Info | QuestionKind::Confirm if fits => Self::Choice(options),
            QuestionKind::Confirm => Self::Choice(YES_NO.map(str::to_owned).into()),
            QuestionKind::Info if question.asks_for_secret() => Self::ByHand,
            QuestionKind::Info => Self::Text,
        }
    }
}
