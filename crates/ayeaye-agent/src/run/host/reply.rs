//! Parsing the host agent's reply: one JSON object, strictly.
//!
//! Only the exact status ends a request. An ambiguous reply (a subtask and an end, an assignment and a
//! question) is an error, and the model is asked again.
#[cfg(test)]
mod tests;

use serde::Deserialize;
use serde_json::Value;

use crate::journal::{AgentState, ResponseRecord};
use crate::{App, ParseError, Reply};

/// Characters of a text that is acted on; longer ones are refused.
const LONGEST: usize = 4000;
/// Characters that are kept of a text that is only logged.
const LONGEST_LOGGED: usize = 2000;
/// Entries of a list.
const MOST_ENTRIES: usize = 50;

/// A parsed reply.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HostReply {
    pub(super) turn: HostTurn,
    /// The whole reply, for the record.
    pub(super) response: ResponseRecord,
}

/// What the host agent wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum HostTurn {
    /// Assign this subtask in the app of this package.
    Assign { app: String, subtask: String },
    /// Ask the user.
    Ask(Vec<String>),
    /// Look again.
    LookAgain,
    /// The request is carried out, with this result.
    Finish(String),
    /// The request is given up, for this reason.
    Fail(String),
}

/// Why a reply cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RefusedReply {
    pub(super) why: ParseError,
    /// It names an unknown app.
    pub(super) unknown_app: bool,
}

impl From<String> for RefusedReply {
    fn from(why: String) -> Self {
        Self { why: ParseError::new(why), unknown_app: false }
    }
}

impl From<&str> for RefusedReply {
    fn from(why: &str) -> Self {
        why.to_owned().into()
    }
}

/// The fields, as models write them: null for nothing, one text for a list of one.
#[derive(Debug, Deserialize)]
struct Fields {
    #[serde(default)]
    observation: Value,
    #[serde(default)]
    thought: Value,
    #[serde(default)]
    current_subtask: Value,
    #[serde(default)]
    app: Value,
    #[serde(default)]
    message: Value,
    #[serde(default)]
    plan: Value,
    status: String,
    #[serde(default)]
    questions: Value,
    #[serde(default)]
    comment: Value,
    #[serde(default)]
    result: Value,
}

/// Reads a reply, given the apps there are.
pub(super) fn read(reply: &Reply, apps: &[App]) -> Result<HostReply, RefusedReply> {
    if !reply.calls.is_empty() {
        return Err("it calls a tool, and there are none; reply with the JSON object alone".into());
    }
    let FoundObject { json, doubt } = object(&reply.text)?;
    let fields: Fields = serde_json::from_str(json)
        .map_err(|err| format!("it is not the one JSON object that was asked for: {err}"))?;
    let subtask = instruction("current_subtask", &fields.current_subtask)?;
    let result = instruction("result", &fields.result)?;
    let questions = list("questions", &fields.questions)?;
    let message = list("message", &fields.message)?;
    let response = ResponseRecord {
        observation: logged(&fields.observation),
        thought: logged(&fields.thought),
        comment: logged(&fields.comment),
        plan: list("plan", &fields.plan)?,
        message,
        questions: questions.clone(),
        current_subtask: subtask.clone(),
        ..ResponseRecord::default()
    };
    let found = FoundFields { app: fields.app, subtask, questions, result, doubt };
    let turn = found.turn(fields.status.trim(), &response.comment, apps)?;
    Ok(HostReply { turn, response })
}

/// The fields of a reply that say what the host agent wants.
struct FoundFields {
    app: Value,
    subtask: String,
    questions: Vec<String>,
    result: String,
    /// Why the end of a request is not taken from this reply.
    doubt: Option<&'static str>,
}

impl FoundFields {
    fn turn(self, status: &str, comment: &str, apps: &[App]) -> Result<HostTurn, RefusedReply> {
        match AgentState::from_name(status) {
            Some(AgentState::Assign) => self.assign(apps),
            Some(AgentState::Pending) => self.ask(),
            Some(AgentState::Continue) => Ok(HostTurn::LookAgain),
            Some(AgentState::Finish) => self.finish(comment),
            Some(AgentState::Fail) => self.fail(comment),
            Some(AgentState::Confirm | AgentState::Screenshot | AgentState::Error) | None => {
                let other: String = status.chars().take(40).collect();
                Err(format!(
                    "`status` is {other:?}; it must be one of ASSIGN, PENDING, CONTINUE, FINISH, FAIL"
                )
                .into())
            }
        }
    }

    fn assign(self, apps: &[App]) -> Result<HostTurn, RefusedReply> {
        if self.subtask.is_empty() {
            return Err("the status is ASSIGN, but `current_subtask` is empty".into());
        }
        if !self.questions.is_empty() {
            return Err("it gives out a subtask and asks questions: do one of the two".into());
        }
        if !self.result.is_empty() {
            return Err(
                "it gives out a subtask and has a result: with ASSIGN `result` is empty".into()
            );
        }
        let app = instruction("app", &self.app)?;
        Ok(HostTurn::Assign { app: installed(&app, apps)?, subtask: self.subtask })
    }

    fn ask(self) -> Result<HostTurn, RefusedReply> {
        if self.questions.is_empty() {
            return Err("the status is PENDING, but there are no `questions`".into());
        }
        Ok(HostTurn::Ask(self.questions))
    }

    fn finish(self, comment: &str) -> Result<HostTurn, RefusedReply> {
        if !self.subtask.is_empty() || !self.questions.is_empty() {
            return Err("the status is FINISH, but there is a subtask or a question left; give \
                        it out or ask it, or leave it empty"
                .into());
        }
        if let Some(doubt) = self.doubt {
            return Err(format!("{doubt}; reply with the JSON object alone").into());
        }
        let outcome = self.outcome(comment);
        let outcome =
            outcome.ok_or("the status is FINISH, but `result` does not say what came of it")?;
        Ok(HostTurn::Finish(outcome))
    }

    fn fail(self, comment: &str) -> Result<HostTurn, RefusedReply> {
        let outcome = self.outcome(comment);
        Ok(HostTurn::Fail(outcome.ok_or("the status is FAIL, but `result` does not say why")?))
    }

    /// What came of the request: the result, or where there is none the comment.
    fn outcome(self, comment: &str) -> Option<String> {
        let outcome = if self.result.is_empty() { comment.to_owned() } else { self.result };
        (!outcome.is_empty()).then_some(outcome)
    }
}

/// The object of a reply.
struct FoundObject<'a> {
    json: &'a str,
    /// Why the end of a request is not taken from it.
    doubt: Option<&'static str>,
}

/// The object in a reply: behind what was thought, with or without a fence around it. Where there are
/// two, what is between the outer braces is no JSON.
fn object(text: &str) -> Result<FoundObject<'_>, RefusedReply> {
    let text = text.rsplit_once("</think>").map_or(text, |(_, rest)| rest);
    let (from, to) = text.find('{').zip(text.rfind('}')).ok_or("there is no JSON object in it")?;
    let json = text.get(from..=to).ok_or("there is no JSON object in it")?;
    let before = text[..from].trim_end_matches([' ', '\t']);
    let nothing = |c: char| c.is_whitespace() || c == '`';
    let doubt = if before.contains("<think>") {
        Some("its thoughts have no end, so that its FINISH may be one of them")
    } else if !text[to + 1..].chars().all(nothing) {
        Some("text follows its FINISH and may contradict it")
    } else if !before.is_empty() && !before.ends_with(['\n', '`', ':']) {
        Some("its FINISH stands in the middle of a sentence")
    } else {
        None
    };
    Ok(FoundObject { json, doubt })
}

fn logged(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    };
    text.trim().chars().take(LONGEST_LOGGED).collect()
}

fn instruction(name: &str, value: &Value) -> Result<String, RefusedReply> {
    match value {
        Value::Null => Ok(String::new()),
        Value::String(text) if LONGEST < text.chars().count() => {
            Err(format!("`{name}` is longer than {LONGEST} characters").into())
        }
        Value::String(text) => Ok(text.trim().to_owned()),
        _ => Err(format!("`{name}` must be a string").into()),
    }
}

fn list(name: &str, value: &Value) -> Result<Vec<String>, RefusedReply> {
    let texts = match value {
        Value::Null => Vec::new(),
        Value::String(_) => vec![instruction(name, value)?],
        Value::Array(items) if items.len() <= MOST_ENTRIES => {
            items.iter().map(|item| instruction(name, item)).collect::<Result<_, _>>()?
        }
        Value::Array(_) => {
            return Err(format!("`{name}` has more than {MOST_ENTRIES} entries").into());
        }
        _ => return Err(format!("`{name}` must be a list of strings").into()),
    };
    Ok(texts.into_iter().filter(|text| !text.is_empty()).collect())
}

/// The package of an app that is named by its package or its label, if that is the name of one only.
fn installed(name: &str, apps: &[App]) -> Result<String, RefusedReply> {
    if name.is_empty() {
        return Err("the status is ASSIGN, but `app` is empty".into());
    }
    if let Some(app) = apps.iter().find(|app| app.package == name) {
        return Ok(app.package.clone());
    }
    let plain =
        |text: &str| -> String { text.split_whitespace().collect::<String>().to_lowercase() };
    let same = |app: &&App| {
        // Phones do not tell the labels of all apps; then the last word of the package is the name.
        let last = app.package.rsplit('.').next().unwrap_or_default();
        plain(app.label.as_deref().unwrap_or(last)) == plain(name)
    };
    let mut called = apps.iter().filter(same);
    match (called.next(), called.next()) {
        (Some(app), None) => Ok(app.package.clone()),
        (Some(one), Some(other)) => Err(format!(
            "more than one app is called {name:?}: name the package, such as {} or {}",
            one.package, other.package
        )
        .into()),
        (None, _) => Err(RefusedReply {
            why: ParseError::new(format!(
                "there is no app {name:?} on the phone: name one of the listed apps by its package"
            )),
            unknown_app: true,
        }),
    }
}
