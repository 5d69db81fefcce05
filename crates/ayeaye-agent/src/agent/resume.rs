//! Resuming a session, by the table in the documentation of `ask_agent_continue`.
use tokio::sync::mpsc::error::TrySendError;

use super::launch::Launch;
use super::registry::{ActiveRun, LeaseRequest, next_change};
use super::{Agent, AgentError, Follower, ResumeKind, ensure_same_device, has_no_task};
use crate::secret_text::SecretKind;
use crate::session::SessionPhase;
use crate::{ContinueTask, DeviceId, Session, SessionId, UserInput};

impl Agent {
    /// Resumes a session, or follows its run in progress.
    pub async fn resume(&self, next: ContinueTask) -> Result<Follower, AgentError> {
        let principal = next.principal.clone();
        self.ensure_visible(next.session_id, &principal).await?;
        match self.join_or_resume(next).await {
            Err(err) => Err(self.redact_for(err, &principal).await),
            resumed => resumed,
        }
    }

    async fn join_or_resume(&self, next: ContinueTask) -> Result<Follower, AgentError> {
        if let UserInput::Task(text) | UserInput::Reply(text) | UserInput::Answer { text, .. } =
            &next.input
        {
            self.secret_stores.check_named(text)?;
        }
        let id = next.session_id;
        let given = match &next.device_id {
            Some(device) => Some(self.device_names(device).await),
            None => None,
        };
        let learn_secret = || {
            if let (true, UserInput::Reply(text) | UserInput::Answer { text, .. }) =
                (next.reply_is_secret, &next.input)
            {
                self.secret_stores
                    .of(id, self.deps.privacy.text)
                    .add_answer(SecretKind::Marked, text);
            }
        };
        loop {
            if let Some(run) = self.active_run(id, given.as_ref())? {
                if run.direct {
                    run.follower().finished().await;
                    continue;
                }
                learn_secret();
                match join(id, &run, &next.input)? {
                    Some(follower) => return Ok(follower),
                    // Too late for this run: resume the session after it.
                    None => run.follower().finished().await,
                }
                continue;
            }
            // The whole record is read only when it is opened; until then its summary will do.
            let summary = self.read_summary(id).await?;
            let its = &summary.device.device_id;
            ensure_same_device(id, its, given.as_ref())?;
            learn_secret();
            self.ensure_not_elsewhere(id, summary.stop_reason.is_some()).await?;
            // An operator may have answered while no run was in progress.
            let left = match (&summary.question, &next.input) {
                (Some(_), UserInput::Nothing) => self.deps.journal.take_answer(&id).await?,
                _ => None,
            };
            let input = left.clone().map_or_else(|| next.input.clone(), UserInput::Reply);
            if matches!(input, UserInput::Nothing | UserInput::Answer { .. }) {
                let session = self.read_session(id).await?;
                if input == UserInput::Nothing && has_no_task(&session) {
                    return Err(AgentError::NoTask(id));
                }
                if resume_kind(&session, input.clone()).is_none() {
                    return Ok(Follower::of_finished(&session));
                }
            }
            let begun = self.begin_further_run(DeviceId::new(its), &next, input).await;
            if let (Some(text), Err(_) | Ok(None)) = (left, &begun) {
                self.deps.journal.post_answer(&id, &text).await?;
            }
            if let Some(follower) = begun? {
                return Ok(follower);
            }
        }
    }

    /// Begins a further run; `None` when somebody else is about to, so that the caller looks again.
    async fn begin_further_run(
        &self,
        device_id: DeviceId,
        next: &ContinueTask,
        input: UserInput,
    ) -> Result<Option<Follower>, AgentError> {
        let id = next.session_id;
        let names = self.device_names(&device_id).await;
        let mut lease = match self.runs.lease(&names, id, &next.principal)? {
            LeaseRequest::Granted(lease) => lease,
            LeaseRequest::Later(changes) => {
                next_change(changes).await;
                return Ok(None);
            }
        };
        self.lock_device(&mut lease, id).await?;
        self.direct_sessions.forget(&names.id);
        let device = self.device(&names.id).await?;
        // Another process may have resumed it meanwhile, so the record is read again.
        let recorder = self.open_session(id).await?;
        let session = recorder.session();
        let Some(resume_kind) = resume_kind(session, input) else {
            return Ok(Some(Follower::of_finished(session)));
        };
        let (task, planner) = match &resume_kind {
            ResumeKind::NextRound(task) => (task.clone(), next.planner),
            // The process died before the first round began.
            _ if session.history.is_empty() => (session.request.clone(), session.run.planner),
            _ => (session.request.clone(), session.planning.enabled),
        };
        let launch = Launch::new(resume_kind, next.max_steps, next.reply_mode, planner)
            .narrowed(next.policy);
        self.launch(lease, recorder, device, launch, task).map(Some)
    }
}

/// What the input means to a session without a run; `None` when its report is all there is to give.
fn resume_kind(session: &Session, input: UserInput) -> Option<ResumeKind> {
    Some(match (session.phase(), input) {
        (SessionPhase::Waiting, UserInput::Answer { question, text })
            if question == session.asked_at_step && !text.is_empty() =>
        {
            ResumeKind::Reply(text)
        }
        (_, UserInput::Answer { .. })
        | (SessionPhase::Waiting | SessionPhase::Ended, UserInput::Nothing) => {
            return None;
        }
        (SessionPhase::Waiting, UserInput::Reply(text)) => ResumeKind::Reply(text),
        (_, UserInput::Reply(text)) if has_no_task(session) => ResumeKind::NextRound(text),
        (SessionPhase::Interrupted, UserInput::Reply(text)) => ResumeKind::Guidance(text),
        (SessionPhase::Interrupted, UserInput::Nothing) => ResumeKind::Continue,
        (SessionPhase::Ended, UserInput::Reply(text)) | (_, UserInput::Task(text)) => {
            ResumeKind::NextRound(text)
        }
    })
}

/// Hands the input to a run in progress; `None` when the run is ending and takes no more.
fn join(id: SessionId, run: &ActiveRun, input: &UserInput) -> Result<Option<Follower>, AgentError> {
    match input {
        // A run in progress waits for no answer.
        UserInput::Nothing | UserInput::Answer { .. } => Ok(Some(run.follower())),
        UserInput::Task(_) => Err(AgentError::SessionBusy(id)),
        UserInput::Reply(text) => match run.inbox.try_send(text.clone()) {
            Ok(()) => Ok(Some(run.follower())),
            Err(TrySendError::Full(_)) => Err(AgentError::SessionBusy(id)),
            Err(TrySendError::Closed(_)) => Ok(None),
        },
    }
}
