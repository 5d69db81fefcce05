//! Resuming a session, by the table in the documentation of `ask_agent_continue`.
use std::future::pending;
use std::pin::{Pin, pin};

use tokio::sync::mpsc::error::TrySendError;

use super::elsewhere::{RunPurpose, Standing};
use super::launch::Launch;
use super::registry::{ActiveRun, LeaseRequest, next_change};
use super::same_phone::ensure_same_phone;
use super::{Agent, AgentError, Follower, ResumeKind, ensure_same_device, has_no_task};
use crate::coordinator::{
    InboxMessage, InboxMessageBody, InboxMessageId, RunEntry, RunKind, UserReply,
};
use crate::named_secret::names_secret;
use crate::question::lone_number;
use crate::secret_text::SecretKind;
use crate::session::SessionPhase;
use crate::{ContinueTask, DeviceId, Principal, Question, Report, Session, SessionId, UserInput};

/// Is over when nobody waits any longer.
type GivenUp<'a> = Pin<&'a mut (dyn Future<Output = ()> + Send)>;

impl Agent {
    /// Resumes a session, or follows its run in progress.
    pub async fn resume(&self, next: ContinueTask) -> Result<Follower, AgentError> {
        self.resume_as(next, false, pin!(pending())).await
    }

    /// The same for a call of a client that is told of questions by its results. No reply is leave for what is asked
    /// before a client was told of that question ([`note_told`](Self::note_told)): the session asks once more, and then
    /// replies count. It may mean an earlier question, which somebody else has answered, or be a call that is made
    /// again since its result got lost.
    ///
    /// Where a run is ending that takes no more words, its end is waited for until `given_up`.
    pub async fn resume_once(
        &self,
        next: ContinueTask,
        given_up: impl Future<Output = ()> + Send,
    ) -> Result<Follower, AgentError> {
        self.resume_as(next, true, pin!(given_up)).await
    }

    async fn resume_as(
        &self,
        next: ContinueTask,
        once: bool,
        given_up: GivenUp<'_>,
    ) -> Result<Follower, AgentError> {
        let principal = next.principal.clone();
        self.ensure_visible(next.session_id, &principal).await?;
        // Boxed: it is 16 kB, which would be part of every future around it.
        match Box::pin(self.join_or_resume(next, once, given_up)).await {
            Err(err) => Err(self.redact_for(err, &principal).await),
            resumed => resumed,
        }
    }

    async fn join_or_resume(
        &self,
        next: ContinueTask,
        once: bool,
        mut given_up: GivenUp<'_>,
    ) -> Result<Follower, AgentError> {
        if let UserInput::Task(text) | UserInput::Reply(text) | UserInput::Answer { text, .. } =
            &next.input
        {
            // Whoever says it, it is typed in the owner's session.
            if names_secret(text) {
                let owner = self.owner_of(next.session_id).await;
                self.secret_stores.check_named(text, &owner)?;
            }
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
        let answers = next.input.is_answer();
        loop {
            if let Some(run) = self.active_run(id, given.as_ref())? {
                if run.direct {
                    run.follower().finished().await;
                    continue;
                }
                learn_secret();
                if once && self.repeated_answer(&next).await.is_some() {
                    self.narrow(&next).await?;
                    return Ok(run.follower());
                }
                match self.join(id, &run, &next).await? {
                    Joined::Told => return Ok(run.follower()),
                    Joined::Advised => return Ok(run.follower().with_advice()),
                    Joined::Followed => return Ok(run.follower().without_answer(answers)),
                    Joined::TooLate => {}
                }
                // Too late for this run: resume the session after it.
                let mut follower = run.follower();
                tokio::select! {
                    () = follower.finished() => continue,
                    () = &mut given_up => return Err(AgentError::SessionEnding(id)),
                }
            }
            if let Some(run) = self.run_elsewhere(id).await? {
                let its = run.devices.first().map_or("", |it| it.as_str());
                ensure_same_device(id, its, given.as_ref())?;
                learn_secret();
                if run.kind == RunKind::Task {
                    if once && self.repeated_answer(&next).await.is_some() {
                        self.narrow(&next).await?;
                        return self.follow_elsewhere(&run).await;
                    }
                    match self.join_elsewhere(&run, &next).await? {
                        Joined::Told => return self.follow_elsewhere(&run).await,
                        Joined::Advised => {
                            return Ok(self.follow_elsewhere(&run).await?.with_advice());
                        }
                        Joined::Followed => {
                            let follower = self.follow_elsewhere(&run).await?;
                            return Ok(follower.without_answer(answers));
                        }
                        Joined::TooLate => {}
                    }
                }
                tokio::select! {
                    ended = self.ended_elsewhere(&run) => ended?,
                    () = &mut given_up => return Err(AgentError::SessionEnding(id)),
                }
                continue;
            }
            let summary = self.read_summary(id).await?;
            let its = &summary.device.device_id;
            ensure_same_device(id, its, given.as_ref())?;
            learn_secret();
            if once && let Some(session) = self.repeated_answer(&next).await {
                self.narrow(&next).await?;
                return Ok(Follower::of_finished(&session));
            }
            let mut input = (next.input.clone(), None);
            // The record tells whether anything is to be done at all, before the phone is asked for. A task is, and
            // so is a reply to what the summary says is asked: of those the record is read when it is opened.
            let may_do_nothing = match input.0 {
                UserInput::Nothing | UserInput::Answer { .. } => true,
                UserInput::Reply(ref text) => {
                    summary.question.is_none() || lone_number(text).is_some()
                }
                UserInput::Task(_) => false,
            };
            if may_do_nothing {
                let session = self.read_session(id).await?;
                // It may have been answered while no run was in progress.
                if let (UserInput::Nothing, Some(answer)) =
                    (&input.0, self.answer_left(&session).await?)
                {
                    input = answer;
                }
                if resume_kind(&session, input.clone())?.is_none() {
                    self.narrow(&next).await?;
                    return Ok(Follower::of_finished(&session).without_answer(answers));
                }
            }
            if let Some(follower) = self.begin_further_run(DeviceId::new(its), &next, input).await?
            {
                return Ok(follower);
            }
        }
    }

    /// Whose session it is.
    async fn owner(&self, id: SessionId) -> Result<Principal, AgentError> {
        Ok(Principal::from_record(self.read_summary(id).await?.owner.as_deref()))
    }

    /// The answer to the open question that somebody has left, and the message that it came in.
    async fn answer_left(
        &self,
        session: &Session,
    ) -> Result<Option<(UserInput, Option<InboxMessageId>)>, AgentError> {
        if session.question.is_none() {
            return Ok(None);
        }
        for message in self.deps.coordinator.inbox(session.id).await? {
            if let InboxMessageBody::Reply(UserReply { text, question, secret }) = message.body
                && question == Some(session.asked_at_step)
                && !session.has_taken(&message.id.to_string())
            {
                if secret {
                    let secrets = self.secret_stores.of(session.id, self.deps.privacy.text);
                    secrets.add_answer(SecretKind::Marked, &text);
                }
                return Ok(Some((UserInput::Reply(text), Some(message.id))));
            }
        }
        Ok(None)
    }

    /// Leaves the policy that comes with a call for the session, where the call begins no run: the run in progress
    /// obeys it from its next step on, else the next one does, and each act of a client's own, in whichever server.
    async fn narrow(&self, next: &ContinueTask) -> Result<(), AgentError> {
        let Some(profile) = next.policy else { return Ok(()) };
        let message = InboxMessage::new(InboxMessageBody::Policy(profile));
        Ok(self.deps.coordinator.send(next.session_id, &message, None).await?)
    }

    /// Hands the input to a run in progress here.
    async fn join(
        &self,
        id: SessionId,
        run: &ActiveRun,
        next: &ContinueTask,
    ) -> Result<Joined, AgentError> {
        let report = run.follower().report();
        let Some(reply) = reply_to(id, next, Some(&report))? else {
            self.narrow(next).await?;
            return Ok(Joined::Followed);
        };
        self.narrow(next).await?;
        if !reply.secret {
            return Ok(Joined::told(self.hand_over(id, run.epoch, reply).await?, Some(&report)));
        }
        match run.secret.try_send(InboxMessage::new(InboxMessageBody::Reply(reply))) {
            Ok(()) => {
                self.deps.coordinator.wake(id);
                Ok(Joined::told(true, Some(&report)))
            }
            Err(TrySendError::Full(_)) => Err(AgentError::SessionBusy(id)),
            Err(TrySendError::Closed(_)) => Ok(Joined::TooLate),
        }
    }

    /// The same for a run in another server.
    async fn join_elsewhere(
        &self,
        run: &RunEntry,
        next: &ContinueTask,
    ) -> Result<Joined, AgentError> {
        let report = match &next.input {
            // Only these depend on what is asked.
            UserInput::Answer { .. } | UserInput::Reply(_) => {
                Some(self.follow_elsewhere(run).await?.report())
            }
            _ => None,
        };
        let asked = report.as_deref();
        let reply = reply_to(run.session, next, asked)?;
        self.narrow(next).await?;
        match reply {
            Some(reply) => {
                Ok(Joined::told(self.hand_over(run.session, run.epoch, reply).await?, asked))
            }
            None => Ok(Joined::Followed),
        }
    }

    /// Begins a further run; `None` when somebody else is about to, so that the caller looks again.
    async fn begin_further_run(
        &self,
        device_id: DeviceId,
        next: &ContinueTask,
        input: (UserInput, Option<InboxMessageId>),
    ) -> Result<Option<Follower>, AgentError> {
        let id = next.session_id;
        let answers = next.input.is_answer();
        let names = self.device_names(&device_id).await;
        let mut lease = match self.runs.lease(&names, id, &next.principal)? {
            LeaseRequest::Granted(lease) => lease,
            LeaseRequest::Later(changes) => {
                next_change(changes).await;
                return Ok(None);
            }
        };
        if self.is_in_hand(id).await? {
            // A run that is registered takes the phone from the person: not before it is known to go on.
            self.device(&names.id).await?;
            let session = self.read_session(id).await?;
            if resume_kind(&session, input.clone())?.is_none() {
                self.narrow(next).await?;
                return Ok(Some(Follower::of_finished(&session).without_answer(answers)));
            }
        }
        let owner = self.owner(id).await?;
        // What is left from here on may be meant for this run.
        let left = self.deps.coordinator.inbox(id).await?;
        let earlier = left.into_iter().map(|message| message.id).collect();
        let standing = self.register(&mut lease, id, &owner, RunPurpose::of(RunKind::Task)).await?;
        if standing == Standing::Elsewhere {
            return Ok(None);
        }
        self.in_hand.end_of(id);
        let device = self.device(&names.id).await?;
        // Another process may have resumed it meanwhile, so the record is read again.
        let recorder = self.open_session(id).await?;
        let session = recorder.session();
        let Some(resume_kind) = resume_kind(session, input)? else {
            self.narrow(next).await?;
            return Ok(Some(Follower::of_finished(session).without_answer(answers)));
        };
        ensure_same_phone(id, &session.device, &*device).await?;
        self.direct_sessions.forget(&names.id);
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
}

/// What has become of what somebody brought to a run in progress.
enum Joined {
    /// The run was told.
    Told,
    /// The run was told, as advice: what it had asked was answered before.
    Advised,
    /// There was nothing to tell it.
    Followed,
    /// The run is ending and takes no more.
    TooLate,
}

impl Joined {
    fn told(taken: bool, before: Option<&Report>) -> Self {
        match (taken, before.is_some_and(Report::is_answered)) {
            (true, true) => Self::Advised,
            (true, false) => Self::Told,
            (false, _) => Self::TooLate,
        }
    }
}

/// What the input means to a session without a run; `None` when its report is all there is to give. A reply to a question
/// that was given up is an error: it must not begin again what was ended, as if it were what the user asked for.
fn resume_kind(
    session: &Session,
    (input, message): (UserInput, Option<InboxMessageId>),
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
        (_, UserInput::Reply(text)) if has_no_task(session) => ResumeKind::NextRound(text),
        (SessionPhase::Interrupted, UserInput::Reply(text)) => ResumeKind::Guidance(text),
        (SessionPhase::Interrupted, UserInput::Nothing) => ResumeKind::Continue,
        (SessionPhase::Ended, UserInput::Reply(text)) | (_, UserInput::Task(text)) => {
            ResumeKind::NextRound(text)
        }
    }))
}

/// Refuses an answer that names no option of the question that is asked.
fn check_answer(question: Option<&Question>, text: &str) -> Result<(), AgentError> {
    Ok(question.map_or(Ok(()), |question| question.check_answer(text))?)
}

/// What a run in progress is told; `None` where it is only followed.
fn reply_to(
    id: SessionId,
    next: &ContinueTask,
    asked: Option<&Report>,
) -> Result<Option<UserReply>, AgentError> {
    let secret = next.reply_is_secret;
    match &next.input {
        UserInput::Nothing => Ok(None),
        UserInput::Task(_) => Err(AgentError::SessionBusy(id)),
        // The model has been told that.
        UserInput::Reply(text) if asked.is_some_and(|it| it.repeats_answer(text)) => Ok(None),
        UserInput::Reply(text) => {
            check_answer(asked.and_then(|it| it.question.as_ref()), text)?;
            // It answers the question that is shown to whoever says it, and no later one.
            let asked = asked.filter(|it| it.question.is_some());
            let question = asked.map(|it| it.asked_at_step);
            Ok(Some(UserReply { text: text.clone(), question, secret }))
        }
        // Only a run that waits for the operator has a question.
        UserInput::Answer { question, text } => {
            let asked = asked.filter(|it| it.asks(*question));
            let waits = asked.is_some();
            check_answer(asked.and_then(|it| it.question.as_ref()), text)?;
            let reply = UserReply { text: text.clone(), question: Some(*question), secret };
            Ok(Some(reply).filter(|_| waits && !text.is_empty()))
        }
    }
}
