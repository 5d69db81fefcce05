//! What a client is told of its own act.
use ayeaye_agent::{Acted, Outcome, Report};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ActionItem, QuestionItem};
use crate::mcp::refusals::Refusal;
use crate::mcp::resources::screenshot_uri;
use crate::mcp::tools::Tools;

/// What an act has come to.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ActResult {
    /// The session the act stands in; it can be handed to the agent.
    pub session_id: String,
    /// The act's step, counted from 1 through the session.
    pub global_step_idx: u32,
    /// What was done, as it is kept: secrets are replaced.
    pub action: ActionItem,
    /// Whether the screen looks different now, the clock aside; absent when it could not be seen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_changed: Option<bool>,
    /// Whether the screen has come to rest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_settled: Option<bool>,
    /// Whether the display is on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screen_on: Option<bool>,
    /// Whether a lock screen is in front.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locked: Option<bool>,
    /// Package of the app in front now, when the phone says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub app: Option<String>,
    /// Whether the soft keyboard is shown now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keyboard_shown: Option<bool>,
    /// Whether the field in focus hides what is typed into it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_field: Option<bool>,
    /// The agent's question, which still waits for an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub question: Option<QuestionItem>,
    /// The screen as it was right before the act, as a resource of this server. What it shows now,
    /// `get_screenshot` tells.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub screenshot_uri: Option<String>,
    /// What to do now.
    pub next: &'static str,
}

impl ActResult {
    /// What is told of an act that was done; one that was not is refused.
    pub fn of(acted: Option<&Acted>, report: &Report, tools: Tools) -> Result<Self, Refusal> {
        let session = report.session_id;
        let Some(acted) = acted else {
            let text = format!(
                "what came of it could not be recorded in session {session}: {}",
                report.message
            );
            return Err(Refusal::not_done(text, true));
        };
        let name = &acted.line.action.function;
        match &acted.outcome {
            Outcome::Done => {}
            Outcome::NotDone(why) => {
                let text = format!("{name} was not carried out: {why} (session {session})");
                return Err(Refusal::not_done(text, false));
            }
            Outcome::Doubtful(why) => {
                let text = format!(
                    "{name} may or may not have been carried out: {why} (session {session})"
                );
                return Err(Refusal::not_done(text, true));
            }
        }
        let shown = acted.shown.as_ref();
        Ok(Self {
            session_id: session.to_string(),
            global_step_idx: acted.step + 1,
            action: ActionItem::new(&acted.line.action, &acted.line.explain),
            screen_changed: shown.map(|it| it.changed),
            screen_settled: shown.map(|it| it.settled),
            screen_on: shown.map(|it| it.awake),
            locked: shown.map(|it| it.locked),
            app: shown.and_then(|it| it.app.as_ref()).map(|app| app.package.clone()),
            keyboard_shown: shown.map(|it| it.keyboard_shown),
            password_field: shown.map(|it| it.secret_field),
            question: report.question.as_ref().map(QuestionItem::from),
            screenshot_uri: acted.pictured.then(|| screenshot_uri(session, acted.step)),
            next: next(report.question.is_some(), tools),
        })
    }
}

fn next(asked: bool, tools: Tools) -> &'static str {
    match (tools.agent, asked) {
        (true, true) => {
            "Look at get_screenshot. The agent's question still waits: when what it asks for is done, \
             call ask_agent_continue with this session_id and reply_from_client."
        }
        (true, false) => {
            "Look at get_screenshot and act again, or hand the phone to the agent: ask_agent_continue \
             with this session_id, and a task if it had none."
        }
        (false, _) => "Look at get_screenshot or get_ui_tree, then act again.",
    }
}
