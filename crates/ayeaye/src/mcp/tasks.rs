//! The tasks extension (`io.modelcontextprotocol/tasks`, SEP-2663), for clients of 2026-07-28 that
//! declare it.
//!
//! A task is a run of a session, and its id says which one: there is no table of tasks, and after a
//! restart the journal answers. For a client that shows forms a task goes on through the agent's
//! questions; for any other it completes with the question, like the tool.
mod ended;
mod id;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{
    Agent, AgentError, Clock, ContinueTask, Question, ReplyMode, Report, RunStatus, StopReason,
    UserInput, error_chain,
};
use rmcp::model::{
    CreateTaskResult, DetailedTask, ElicitRequest, ElicitResult, ErrorCode, GetTaskResult,
    InitializeResult, InputRequest, InputRequests, InputResponses, JsonObject, TASKS_EXTENSION_ID,
    Task, TaskPayload, TaskStatus,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use self::ended::{EndedTasks, TaskEnd};
use self::id::TaskId;
use super::client_support::ClientSupport;
use super::questions::{FormAnswer, parse_answer, question_form};
use super::read_receipts;
use super::results::{self, RunResult, Unanswered};
use super::tool_error::ToolError;
use crate::clock;
use crate::principal;
use crate::text::truncate;

/// How often to poll a task that is working: a step takes some seconds.
const POLL_INTERVAL: Duration = Duration::from_secs(2);
/// How often to poll a task that waits for a person.
const POLL_INTERVAL_WAITING: Duration = Duration::from_secs(5);

/// State of tasks that is not in the journal. Clones share it.
#[derive(Clone)]
pub struct Tasks {
    ended: Arc<EndedTasks>,
    /// How long sessions are kept, when not for ever.
    max_age: Option<Duration>,
    now: Clock,
}

impl std::fmt::Debug for Tasks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tasks").field("ended", &self.ended).finish_non_exhaustive()
    }
}

impl Default for Tasks {
    fn default() -> Self {
        Self::with_max_age(None)
    }
}

impl Tasks {
    /// For sessions that are removed when older than this; tasks report it as their lifetime.
    pub fn with_max_age(max_age: Option<Duration>) -> Self {
        Self { ended: Arc::default(), max_age, now: clock::system() }
    }

    /// The task of a run that has just begun. `asks`: the client shows forms.
    pub(super) fn create(&self, report: &Report, asks: bool) -> CreateTaskResult {
        let created = (self.now)().round(jiff::Unit::Millisecond).unwrap_or_default();
        let id = TaskId { session: report.session_id, run: report.run.number, asks, created };
        CreateTaskResult::new(self.task(&id, report, "the phone agent is working"))
    }

    fn task(&self, id: &TaskId, report: &Report, message: &str) -> Task {
        let updated = report.updated.map_or(id.created, |it| it.max(id.created));
        let mut task = Task::new(
            id.to_string(),
            TaskStatus::Working,
            id.created.to_string(),
            updated.to_string(),
        )
        .with_status_message(truncate(message, 300))
        .with_poll_interval_ms(millis(POLL_INTERVAL));
        // Counted from the task's creation; a session's age counts from its last event, which is later.
        task.ttl_ms = self.max_age.map(millis);
        task
    }
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// Removes the extension from the answer to `initialize`: older protocols have no tasks.
pub fn hide_from_older_clients(answer: &mut InitializeResult) {
    if let Some(extensions) = &mut answer.capabilities.extensions {
        extensions.remove(TASKS_EXTENSION_ID);
    }
    if answer.capabilities.extensions.as_ref().is_some_and(BTreeMap::is_empty) {
        answer.capabilities.extensions = None;
    }
}

impl Tasks {
    /// Answers `tasks/get`.
    pub(super) async fn get(
        &self,
        agent: &Arc<Agent>,
        id: &str,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let client = require_tasks(ctx)?;
        let (id, outcome, end) = self.find(agent, id, ctx).await?;
        let report = &outcome.report;
        read_receipts::note_question_told(agent, report, ctx);
        let (payload, message) = match end {
            Some(TaskEnd::Cancelled) => (TaskPayload::Cancelled, cancelled(report)),
            Some(TaskEnd::Unanswered(why)) => completed(report, Some(why)),
            None => payload(&id, &outcome, client.forms),
        };
        let mut task = self.task(&id, report, &message);
        if matches!(payload, TaskPayload::InputRequired { .. }) {
            task.poll_interval_ms = Some(millis(POLL_INTERVAL_WAITING));
        }
        Ok(GetTaskResult::new(DetailedTask::new(task, payload)))
    }

    /// Answers `tasks/update`: a person's answer to the task's question.
    pub(super) async fn update(
        &self,
        agent: &Agent,
        id: &str,
        answers: InputResponses,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        require_tasks(ctx)?;
        let (id, outcome, end) = self.find(agent, id, ctx).await?;
        let report = &outcome.report;
        let (Some((number, question)), None) = (waiting(&id, &outcome), end) else {
            return Ok(());
        };
        // Other keys belong to questions that were answered already.
        let Some(given) = answers.get(&question_key(number)) else { return Ok(()) };
        let result = serde_json::from_value::<ElicitResult>(given.clone()).ok();
        let text = match result
            .map_or(FormAnswer::Invalid, |result| parse_answer(question, &result))
        {
            FormAnswer::Text(text) => text,
            FormAnswer::Declined => {
                self.ended.set(&id, report.run.number, TaskEnd::Unanswered(Unanswered::Declined));
                return Ok(());
            }
            FormAnswer::GivenUp => {
                self.ended.set(&id, report.run.number, TaskEnd::Unanswered(Unanswered::GivenUp));
                return Ok(());
            }
            FormAnswer::Invalid => {
                let text = format!(
                    "`{}` does not fit its form; the question stays open",
                    question_key(number)
                );
                return Err(ErrorData::invalid_params(text, None));
            }
        };
        let next = ContinueTask {
            policy: None,
            session_id: id.session,
            device_id: None,
            input: UserInput::Answer { question: number, text },
            reply_is_secret: false,
            max_steps: report.steps_left(),
            reply_mode: ReplyMode::from_name(&report.run.facts.reply_mode).unwrap_or_default(),
            planner: report.run.facts.planner,
            principal: principal::of(ctx),
            connection: principal::connection(ctx),
        };
        match agent.resume(next).await {
            Ok(_follower) => Ok(()),
            Err(err) => {
                let error = ToolError::undelivered(id.session, &err);
                Err(ErrorData::internal_error(error.to_string(), None))
            }
        }
    }

    /// Answers `tasks/cancel`: stops the run at the next safe point.
    pub(super) async fn cancel(
        &self,
        agent: &Agent,
        id: &str,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        require_tasks(ctx)?;
        let name = id;
        let (id, _, end) = self.find(agent, name, ctx).await?;
        if end.is_some() {
            // It has ended already; the session may be running for another task.
            return Ok(());
        }
        let stopped = agent.stop_run(id.session, id.run, id.asks, &principal::of(ctx)).await;
        if stopped.map_err(|err| failure(&err))? {
            return Ok(());
        }
        // Nothing runs (any more).
        let (id, outcome, _) = self.find(agent, name, ctx).await?;
        if waiting(&id, &outcome).is_some() {
            // The session still waits; this task no longer does.
            self.ended.set(&id, outcome.report.run.number, TaskEnd::Cancelled);
        }
        Ok(())
    }

    /// Finds a task of this principal. Another principal's gives the same error as an unknown id.
    async fn find(
        &self,
        agent: &Agent,
        id: &str,
        ctx: &RequestContext<RoleServer>,
    ) -> Result<(TaskId, RunStatus, Option<TaskEnd>), ErrorData> {
        let id: TaskId = id.parse().map_err(|_| unknown())?;
        let marked = self.ended.get(&id);
        // A task that the client has ended stays as it was, whatever happens to the session.
        let (run, answers) = marked.map_or((id.run, id.asks), |(run, _)| (run, false));
        let principal = principal::of(ctx);
        let outcome = agent.run_status(id.session, run, answers, &principal).await;
        let outcome = outcome.map_err(|err| failure(&err))?;
        Ok((id, outcome, marked.map(|(_, end)| end)))
    }
}

/// The question that a task waits for, and its number.
fn waiting<'a>(id: &TaskId, outcome: &'a RunStatus) -> Option<(u32, &'a Question)> {
    let report = &outcome.report;
    let asks =
        id.asks && !outcome.superseded && report.stop_reason == StopReason::InfoActionNeedsReply;
    report.question_number().zip(report.question.as_ref()).filter(|_| asks)
}

fn payload(id: &TaskId, outcome: &RunStatus, form: bool) -> (TaskPayload, String) {
    let report = &outcome.report;
    if let (Some((number, question)), true) = (waiting(id, outcome), form) {
        let form =
            InputRequest::Elicitation(ElicitRequest::new(question_form(question, report, false)));
        let input_requests = InputRequests::from([(question_key(number), form)]);
        return (TaskPayload::InputRequired { input_requests }, question.text.clone());
    }
    if results::waits_for_operator(report) {
        return (TaskPayload::Working, results::ASKS_OPERATOR.to_owned());
    }
    match report.stop_reason {
        StopReason::StillRunning => {
            let line = report.steps.last();
            let message = line.map(|line| format!("step {}: {}", line.step + 1, line.in_words()));
            let idle = results::waits(report).unwrap_or_else(|| results::AT_WORK.to_owned());
            (TaskPayload::Working, message.unwrap_or(idle))
        }
        StopReason::InfoActionNeedsReply if id.asks && outcome.superseded => {
            let text = "its question was dropped when the session went on with something else";
            (TaskPayload::Cancelled, text.to_owned())
        }
        StopReason::Cancelled => (TaskPayload::Cancelled, cancelled(report)),
        StopReason::TaskCompletedSuccessfully
        | StopReason::TaskAbortedByAgent
        | StopReason::InfoActionNeedsReply
        | StopReason::UserPaused
        | StopReason::MaxStepsReached
        | StopReason::ManualStopScreenOff
        | StopReason::NotStarted
        | StopReason::DeviceLost
        | StopReason::ModelFailed
        | StopReason::BudgetReached
        | StopReason::NoProgress
        | StopReason::ServerRestarted
        | StopReason::StorageFailed => completed(report, None),
    }
}

/// Completed, with the result that the tool would have returned.
fn completed(report: &Report, asked: Option<Unanswered>) -> (TaskPayload, String) {
    let result = results::structured(&RunResult::from(report).asked(asked));
    let message = match report.message.as_str() {
        "" => report.stop_reason.name().to_owned(),
        message => format!("{}: {message}", report.stop_reason.name()),
    };
    let result = serde_json::to_value(result).and_then(serde_json::from_value::<JsonObject>);
    let result = result.expect("a struct of texts, numbers and lists is an object");
    (TaskPayload::Completed { result }, message)
}

fn cancelled(report: &Report) -> String {
    let how = match report.question {
        Some(_) => "with an answer continues it",
        None if report.is_over => "can give it another task",
        None => "continues it",
    };
    format!("cancelled; session {} is kept, and ask_agent_continue {how}", report.session_id)
}

/// The key of a question in `inputRequests`, unique in its session.
fn question_key(question: u32) -> String {
    format!("question-{question}")
}

fn require_tasks(ctx: &RequestContext<RoleServer>) -> Result<ClientSupport, ErrorData> {
    let client = ClientSupport::of(ctx);
    if client.tasks {
        Ok(client)
    } else {
        let text = "tasks need protocol 2026-07-28 and a client that declares them";
        Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, text, None))
    }
}

fn unknown() -> ErrorData {
    ErrorData::invalid_params("there is no such task", None)
}

fn failure(err: &AgentError) -> ErrorData {
    match err {
        AgentError::UnknownSession(_) => unknown(),
        other => ErrorData::internal_error(error_chain(other), None),
    }
}
