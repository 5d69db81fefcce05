//! A further run of a session that has none in progress.
use super::elsewhere::{RunPurpose, Standing};
use super::join::check_answer;
use super::launch::Launch;
use super::registry::{LeaseRequest, StopBeforeBegin, next_change};
use super::same_phone::ensure_same_phone;
use super::{Agent, AgentError, Follower, ResumeKind, has_no_task};
use crate::coordinator::{InboxMessageId, RunKind};
use crate::report::request_of_user;
use crate::session::SessionPhase;
use crate::{ContinueTask, DeviceId, Principal, Session, SessionId, UserInput};

/// What a session without a run is given.
#[derive(Clone)]
pub(super) struct IncomingInput {
    pub(super) input: UserInput,
    /// The message that it was left in, if it was.
    pub(super) message: Option<InboxMessageId>,
}

impl Agent {
    /// Begins a further run; `None` when somebody else is about to, so that the caller looks again.
    pub(super) async fn begin_further_run(
        &self,
        device_id: DeviceId,
        next: &ContinueTask,
        incoming: IncomingInput,
        stop: &StopBeforeBegin,
    ) -> Result<Option<Follower>, AgentError> {
        let id = next.session_id;
        let names = self.device_names(&device_id).await;
        // Whoever goes on with it, it stays its owner's.
        let owner = self.owner(id).await?;
        let next_task = matches!(incoming.input, UserInput::Task(_));
        let mut lease = match self.runs.lease(&names, stop, &owner, next_task)? {
            LeaseRequest::Granted(lease) => lease,
            LeaseRequest::Later(changes) => {
                next_change(changes).await;
                return Ok(None);
            }
        };
        if self.is_in_hand(id).await? {
            // A run that is registered takes the phone from the person: not before it is known to go on.
            stop.race(self.device(&names.id)).await?;
            let session = self.read_session(id).await?;
            if resume_kind(&session, incoming.clone())?.is_none() {
                return Ok(Some(self.stays_at_rest(&session, next).await?));
            }
        }
        // What is left from here on may be meant for this run.
        let left = self.deps.coordinator.inbox(id).await?;
        let earlier = left.into_iter().map(|message| message.id).collect();
        let registering = self.register(&mut lease, id, &owner, RunPurpose::of(RunKind::Task));
        let standing = stop.race(registering).await?;
        if standing == Standing::Elsewhere {
            return Ok(None);
        }
        self.in_hand.end_of(id);
        let device = stop.race(self.device(&names.id)).await?;
        // Another process may have resumed it meanwhile, so the record is read again.
        let recorder = self.open_session(id).await?;
        let session = recorder.session();
        let Some(resume_kind) = resume_kind(session, incoming)? else {
            return Ok(Some(self.stays_at_rest(session, next).await?));
        };
        stop.race(ensure_same_phone(id, &session.device, &*device)).await?;
        self.direct_sessions.forget(&names.id);
        self.last_looks.forget(&names.id, &next.principal);
        let (task, planner) = match &resume_kind {
            ResumeKind::NextRound(task) => (task.clone(), next.planner),
            // The process died before the first round began.
            _ if session.history.is_empty() => (session.request.clone(), session.run.planner),
            _ => (session.request.clone(), session.planning.enabled),
        };
        let launch = Launch::new(resume_kind, next.max_steps, next.reply_mode, planner)
            .narrowed(next.policy);
        let launch = Launch { earlier, ..launch };
        let (follower, begun) = self.launch(lease, recorder, device, launch, task)?;
        // What the user said is not lost from here on. A run that ends before it began has said why.
        begun.await.ok();
        Ok(Some(follower))
    }

    /// What is told of a session in which nothing begins.
    pub(super) async fn stays_at_rest(
        &self,
        session: &Session,
        next: &ContinueTask,
    ) -> Result<Follower, AgentError> {
        self.narrow(next).await?;
        Ok(Follower::of_finished(session).without_answer(next.input.is_answer()))
    }

    /// Whose session it is.
    async fn owner(&self, id: SessionId) -> Result<Principal, AgentError> {
        Ok(Principal::from_record(self.read_summary(id).await?.owner.as_deref()))
    }
}

/// What the input means to a session without a run; `None` when its report is all there is to give. A reply to a question
/// that was given up is an error: it must not begin again what was ended, as if it were what the user asked for.
pub(super) fn resume_kind(
    session: &Session,
    IncomingInput { input, message }: IncomingInput,
) -> Result<Option<ResumeKind>, AgentError> {
    Ok(Some(match (session.phase(), input) {
        (_, UserInput::Reply(_)) if session.is_given_up() => {
            return Err(AgentError::GivenUp(session.id));
        }
        (_, UserInput::Nothing) if has_no_task(session) => {
            return Err(AgentError::NoTask(session.id));
        }
        (SessionPhase::Waiting, UserInput::Answer { question, text })
            if question == session.asked_at_step && !text.is_empty() =>
        {
            check_answer(session.question.as_ref(), &text)?;
            ResumeKind::Reply(text, None)
        }
        (_, UserInput::Answer { .. })
        | (SessionPhase::Waiting | SessionPhase::Ended, UserInput::Nothing) => {
            return Ok(None);
        }
        (SessionPhase::Waiting, UserInput::Reply(text)) => {
            // What was left before was checked then.
            if message.is_none() {
                check_answer(session.question.as_ref(), &text)?;
            }
            ResumeKind::Reply(text, message)
        }
        (_, UserInput::Reply(text)) if has_no_task(session) => {
            ResumeKind::NextRound(request_of_user(text))
        }
        (SessionPhase::Interrupted, UserInput::Reply(text)) => ResumeKind::Guidance(text),
        (SessionPhase::Interrupted, UserInput::Nothing) => ResumeKind::Continue,
        (SessionPhase::Ended, UserInput::Reply(text)) | (_, UserInput::Task(text)) => {
            ResumeKind::NextRound(request_of_user(text))
        }
    }))
}
