//! Starting, continuing, pausing and stopping tasks.
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use ayeaye_agent::{ContinueTask, Principal, SessionId, StartTask, StopReason, UserInput};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Page;
use super::answer::{Body, Named, Refusal, session_id};
use super::view::ListItem;
use crate::mcp::args;
use crate::mcp::task_input::{self, CannotGoOn};
use crate::mcp::tool_error::ToolError;
use crate::model_presence::ModelState;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NewTask {
    device_id: String,
    task: String,
    max_steps: Option<i64>,
    planner: Option<bool>,
    /// Wait where the phone is busy.
    #[serde(default)]
    queue: bool,
}

/// `POST /page/api/tasks`.
pub(super) async fn start(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Body(new): Body<NewTask>,
) -> Result<Json<Value>, Refusal> {
    page.ensure_may_act()?;
    let defaults = &page.0.defaults;
    let start = StartTask {
        device_id: args::device_id(&new.device_id)?,
        task: args::text("task", &new.task)?,
        max_steps: args::max_steps(new.max_steps, defaults.max_steps)?,
        reply_mode: defaults.reply_mode,
        planner: new.planner.unwrap_or(defaults.planner),
        policy: None,
        queue: new.queue,
        principal,
    };
    task_input::ensure_model(&page.0.presence).await.map_err(|why| page.refusal(why))?;
    let run = page.0.agent.start(start).await?;
    Ok(Json(json!({ "session_id": run.report().session_id.to_string() })))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct GoOn {
    reply: Option<String>,
    #[serde(default)]
    secret: bool,
    question_step: Option<u32>,
    task: Option<String>,
    max_steps: Option<i64>,
    planner: Option<bool>,
}

/// `POST /page/api/sessions/{id}/continue`.
pub(super) async fn go_on(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Body(wanted): Body<GoOn>,
) -> Result<Json<ListItem>, Refusal> {
    page.ensure_may_act()?;
    let (id, defaults) = (session_id(&id)?, &page.0.defaults);
    let (task, reply) = (wanted.task.as_deref(), wanted.reply.as_deref());
    let input = task_input::user_input(task, reply, "reply", wanted.question_step)?;
    page.ensure_can_go_on(id, &input, &principal).await?;
    let next = ContinueTask {
        session_id: id,
        device_id: None,
        input,
        reply_is_secret: wanted.secret,
        max_steps: args::max_steps(wanted.max_steps, defaults.max_steps)?,
        reply_mode: defaults.reply_mode,
        planner: wanted.planner.unwrap_or(defaults.planner),
        policy: None,
        principal: principal.clone(),
        connection: None,
    };
    if page.0.agent.resume(next).await?.has_dropped_answer() {
        return Err(not_open());
    }
    page.line(id, &principal).await
}

/// The reply to an answer whose question is no longer open: the answer is not sent.
fn not_open() -> Refusal {
    Refusal::new(StatusCode::CONFLICT, ToolError::not_open().what())
}

/// The body of a request that says all by its address.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Nothing {}

/// `POST /page/api/sessions/{id}/stop`: what is at work ends, what waits for an answer is given up.
pub(super) async fn stop(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Body(Nothing {}): Body<Nothing>,
) -> Result<Json<ListItem>, Refusal> {
    page.ensure_may_act()?;
    let id = session_id(&id)?;
    page.0.agent.end_task(id, &principal).await?;
    page.line(id, &principal).await
}

/// `POST /page/api/sessions/{id}/pause`.
pub(super) async fn pause(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Body(Nothing {}): Body<Nothing>,
) -> Result<Json<ListItem>, Refusal> {
    page.ensure_may_act()?;
    let id = session_id(&id)?;
    page.0.agent.stop(id, StopReason::UserPaused, &principal).await?;
    page.line(id, &principal).await
}

impl Page {
    /// Fails where a session could only fail with this input.
    async fn ensure_can_go_on(
        &self,
        id: SessionId,
        input: &UserInput,
        principal: &Principal,
    ) -> Result<(), Refusal> {
        let (agent, presence) = (&self.0.agent, &self.0.presence);
        task_input::ensure_can_go_on(agent, presence, id, input, principal)
            .await
            .map_err(|why| self.refusal(why))
    }

    async fn line(&self, id: SessionId, principal: &Principal) -> Result<Json<ListItem>, Refusal> {
        let agent = &self.0.agent;
        let summary = Ok(agent.session_summary(id, principal).await?);
        Ok(Json(ListItem::read(agent, id, summary, principal).await))
    }

    /// What the page is told where no run may begin.
    fn refusal(&self, why: CannotGoOn) -> Refusal {
        match why {
            CannotGoOn::NotOpen => not_open(),
            CannotGoOn::Agent(err) => err.into(),
            CannotGoOn::NoModel(state) => self.no_model(state),
        }
    }

    fn no_model(&self, state: ModelState) -> Refusal {
        let what = ToolError::no_model(state, &self.0.presence.endpoint(), true);
        let text = format!(
            "{}: `ayeaye setup` finds or takes a model, `ayeaye doctor` checks it",
            what.what()
        );
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, text)
    }
}
