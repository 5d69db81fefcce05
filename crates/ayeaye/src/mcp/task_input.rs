//! What a session is given to go on with, and whether a run may begin with it now: one rule for clients and the page.
use ayeaye_agent::{Agent, AgentError, Principal, SessionId, StopReason, UserInput};

use super::args;
use super::results::would_fail_again;
use super::tool_error::ToolError;
use crate::model_presence::{ModelPresence, ModelState};

/// Why no run may begin.
#[derive(Debug)]
pub(crate) enum CannotGoOn {
    /// Another question is asked now, or none.
    NotOpen,
    /// No model is there to be handed it.
    NoModel(ModelState),
    Agent(AgentError),
}

impl From<AgentError> for CannotGoOn {
    fn from(err: AgentError) -> Self {
        Self::Agent(err)
    }
}

/// The user's input: a task or a reply, not both. `reply_name`: the caller's name for the reply, for the error.
pub(crate) fn user_input(
    task: Option<&str>,
    reply: Option<&str>,
    reply_name: &'static str,
    question: Option<u32>,
) -> Result<UserInput, ToolError> {
    Ok(match (task, reply) {
        (Some(_), Some(_)) => return Err(ToolError::task_and_reply(reply_name)),
        (Some(task), None) => UserInput::Task(args::text("task", task)?),
        (None, Some(reply)) => {
            let text = args::text(reply_name, reply)?;
            match question {
                Some(question) => UserInput::Answer { question, text },
                None => UserInput::Reply(text),
            }
        }
        (None, None) => UserInput::Nothing,
    })
}

/// Fails at once if there is no model to hand a task to: a run would find out only on the phone.
pub(crate) async fn ensure_model(presence: &ModelPresence) -> Result<(), CannotGoOn> {
    match presence.state().await {
        state if state.takes_tasks() => Ok(()),
        state => Err(CannotGoOn::NoModel(state)),
    }
}

/// Fails if the session could only fail with this input. A refused answer leaves its question open.
pub(crate) async fn ensure_can_go_on(
    agent: &Agent,
    presence: &ModelPresence,
    id: SessionId,
    input: &UserInput,
    principal: &Principal,
) -> Result<(), CannotGoOn> {
    match input {
        UserInput::Task(_) => ensure_model(presence).await,
        UserInput::Answer { question, .. } => {
            // It would be dropped, and who gave it told that it was sent.
            if !agent.report(id, principal).await?.asks(*question) {
                return Err(CannotGoOn::NotOpen);
            }
            ensure_model_unless_at_work(agent, presence, id, principal).await
        }
        UserInput::Reply(_) => {
            agent.session_summary(id, principal).await?;
            ensure_model_unless_at_work(agent, presence, id, principal).await
        }
        UserInput::Nothing => ensure_model_answers(agent, presence, id, principal).await,
    }
}

/// A session that is at work takes an answer or advice without another run.
async fn ensure_model_unless_at_work(
    agent: &Agent,
    presence: &ModelPresence,
    id: SessionId,
    principal: &Principal,
) -> Result<(), CannotGoOn> {
    if agent.follow(id, principal).await.is_some() {
        return Ok(());
    }
    ensure_model(presence).await
}

/// Fails where a session stopped because its model did not answer, and it still does not.
async fn ensure_model_answers(
    agent: &Agent,
    presence: &ModelPresence,
    id: SessionId,
    principal: &Principal,
) -> Result<(), CannotGoOn> {
    // Its summary is quicker to read than the whole record.
    let stopped = agent.session_summary(id, principal).await?.stop_reason;
    if stopped != Some(StopReason::ModelFailed) {
        return Ok(());
    }
    let report = agent.report(id, principal).await?;
    match would_fail_again(&report, presence).await {
        None => Ok(()),
        Some(state) => Err(CannotGoOn::NoModel(state)),
    }
}
