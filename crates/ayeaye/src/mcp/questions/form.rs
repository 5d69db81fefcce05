//! Questions as forms, and the answers to them.
//!
//! A form never asks for a secret: the protocol forbids it, and what is typed there passes through the
//! client. Where the answer would be a password or a code, the person types it on the phone and the form
//! only asks whether that is done.
use ayeaye_agent::{DONE_BY_HAND, Question, QuestionKind, Report};
use rmcp::model::{
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, EnumSchema,
    StringSchema,
};
use serde_json::Value;

use crate::mcp::answer_shape::AnswerShape;
use crate::mcp::{args, texts};
use crate::text::{lines, truncate};

/// The one field of every form.
const FIELD: &str = "reply";
/// The longest answer, in characters.
const MAX_ANSWER: u32 = 2000;
/// The options where a person has to act on the phone.
const DONE: &str = "done";
const GIVE_UP: &str = "give up";

/// A person's answer to a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FormAnswer {
    /// This text, for the agent.
    Text(String),
    /// They declined to answer.
    Declined,
    /// They will not do on the phone what was asked.
    GivenUp,
    /// It does not fit the form.
    Invalid,
}

/// The form that asks a question. `misread`: it is shown again, as the last answer did not fit it.
pub fn question_form(question: &Question, report: &Report, misread: bool) -> ElicitRequestParams {
    let form = ElicitationSchema::builder();
    let form = match AnswerShape::of(question) {
        AnswerShape::Choice(options) => {
            form.required_enum_schema(FIELD, choice("Your answer", options))
        }
        AnswerShape::ByHand => {
            let options = vec![DONE.to_owned(), GIVE_UP.to_owned()];
            form.required_enum_schema(FIELD, choice("When you have acted on the phone", options))
        }
        AnswerShape::Text => form.required_string_property(FIELD, |_: StringSchema| {
            StringSchema::new().title("Your answer").length(1, MAX_ANSWER)
        }),
    };
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: message(question, report, misread),
        requested_schema: form.build_unchecked(),
    }
}

fn choice(title: &'static str, options: Vec<String>) -> EnumSchema {
    EnumSchema::builder(options).untitled().title(title).build()
}

/// The text of the form. The notice is always last, whatever the question says.
fn message(question: &Question, report: &Report, misread: bool) -> String {
    let mut text = String::new();
    if misread {
        text.push_str("The last answer was not one of those that this form accepts.\n\n");
    }
    text.push_str(&truncate(&lines(&question.text), 1500));
    let by_hand = match question.kind {
        QuestionKind::Takeover => texts::ACT_ON_THE_PHONE,
        _ if question.asks_for_secret()
            && matches!(AnswerShape::of(question), AnswerShape::ByHand) =>
        {
            texts::TYPE_IT_ON_THE_PHONE
        }
        _ => "",
    };
    let task = truncate(&lines(&report.task).replace('\n', " "), 200);
    let mut more = vec![format!("Asked by the phone agent, which is working on: {task}")];
    if let Some(app) = &question.app {
        more.push(format!("App in front: {}", truncate(&lines(app), 120)));
    }
    for part in [by_hand, &more.join("\n"), texts::NOTICE] {
        if !part.is_empty() {
            text.push_str("\n\n");
            text.push_str(part);
        }
    }
    text
}

/// The answer to the form of `question`.
pub fn parse_answer(question: &Question, result: &ElicitResult) -> FormAnswer {
    match result.action {
        ElicitationAction::Accept => {}
        ElicitationAction::Decline | ElicitationAction::Cancel => return FormAnswer::Declined,
        _ => return FormAnswer::Invalid,
    }
    let given = result.content.as_ref().and_then(|content| content.get(FIELD));
    let Some(Value::String(given)) = given else { return FormAnswer::Invalid };
    match AnswerShape::of(question) {
        AnswerShape::Choice(options) if options.contains(given) => FormAnswer::Text(given.clone()),
        AnswerShape::ByHand if given == DONE => FormAnswer::Text(DONE_BY_HAND.to_owned()),
        AnswerShape::ByHand if given == GIVE_UP => FormAnswer::GivenUp,
        AnswerShape::Choice(_) | AnswerShape::ByHand => FormAnswer::Invalid,
        AnswerShape::Text => args::text(FIELD, given).map_or(FormAnswer::Invalid, FormAnswer::Text),
    }
}
