//! Resuming a session, by the table in the documentation of `ask_agent_continue`.
use std::future::pending;
use std::pin::{Pin, pin};

use tokio_util::sync::CancellationToken;

use super::further_run::{IncomingInput, resume_kind};
use super::join::Joined;
use super::registry::{StopBeforeBegin, next_change};
use super::{Agent, AgentError, Follower, ensure_same_device};
use crate::coordinator::{InboxMessageBody, RunKind, UserReply};
use crate::named_secret::names_secret;
use crate::question::lone_number;
use crate::secret_text::SecretKind;
use crate::session::SessionPhase;
use crate::{ContinueTask, DeviceId, DeviceNames, Principal, Session, UserInput};

/// Is over when nobody waits any longer.
type GivenUp<'a> = Pin<&'a mut (dyn Future<Output = ()> + Send)>;

/// What a reply is that leaves undecided which question it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Repeats {
    /// An answer to what is asked now.
    Count,
    /// A reason to ask once more.
    AskOnce,
}

impl Agent {
    /// Resumes a session, or follows its run in progress.
    pub async fn resume(&self, next: ContinueTask) -> Result<Follower, AgentError> {
        self.resume_as(next, Repeats::Count, pin!(pending()), &CancellationToken::new()).await
    }

    /// Resumes a session for a call of a client that learns of questions by its results. A reply gives no permission for
    /// what is asked before a client was told of that question ([`note_question_told`](Self::note_question_told)): the session
    /// asks once more, and then replies count. It may mean an earlier question, which somebody else has answered, or be
    /// a call that is made again since its result got lost.
    ///
    /// Where a run is ending that takes no more words, its end is waited for until `given_up`. Once the call is
    /// `withdrawn`, no run begins with what it brings.
    pub async fn resume_once(
        &self,
        next: ContinueTask,
        given_up: impl Future<Output = ()> + Send,
        withdrawn: &CancellationToken,
    ) -> Result<Follower, AgentError> {
        self.resume_as(next, Repeats::AskOnce, pin!(given_up), withdrawn).await
    }

    async fn resume_as(
        &self,
        next: ContinueTask,
        repeats: Repeats,
        given_up: GivenUp<'_>,
        withdrawn: &CancellationToken,
    ) -> Result<Follower, AgentError> {
        let principal = next.principal.clone();
        self.ensure_visible(next.session_id, &principal).await?;
        let stop = self.runs.stop_before_begin(next.session_id, withdrawn);
        // Boxed: it is 16 kB, which would be part of every future around it.
        match Box::pin(self.join_or_resume(next, repeats, given_up, &stop)).await {
            Err(err) => Err(self.redact_for(err, &principal).await),
            resumed => resumed,
        }
    }

    async fn join_or_resume(
        &self,
        next: ContinueTask,
        repeats: Repeats,
        mut given_up: GivenUp<'_>,
        stop: &StopBeforeBegin,
    ) -> Result<Follower, AgentError> {
        self.check_named_secrets(&next).await?;
        let (id, is_answer) = (next.session_id, next.input.is_answer());
        let given = match &next.device_id {
            Some(device) => Some(self.device_names(device).await),
            None => None,
        };
        loop {
            stop.check()?;
            // Before the look at what has begun, so that what begins meanwhile is seen.
            let last_run = self.runs.last_run(id);
            if let Some(run) = self.active_run(id, given.as_ref())? {
                if run.direct {
                    run.follower().finished().await;
                    continue;
                }
                self.learn_secret(&next);
                if self.asks_once_more(&next, repeats).await?.is_some() {
                    return Ok(run.follower());
                }
                let joined = self.join(id, &run, &next).await?;
                if joined != Joined::TooLate {
                    return Ok(joined.follow(run.follower(), is_answer));
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
                self.learn_secret(&next);
                if run.kind == RunKind::Task {
                    if self.asks_once_more(&next, repeats).await?.is_some() {
                        return self.follow_elsewhere(&run).await;
                    }
                    let joined = self.join_elsewhere(&run, &next).await?;
                    if joined != Joined::TooLate {
                        return Ok(joined.follow(self.follow_elsewhere(&run).await?, is_answer));
                    }
                }
                tokio::select! {
                    ended = self.ended_elsewhere(&run) => ended?,
                    () = &mut given_up => return Err(AgentError::SessionEnding(id)),
                }
                continue;
            }
            if let Some(going_on) = self.runs.going_on(id) {
                // Somebody else is about to begin: what the record says is not how the session stands.
                next_change(going_on.changes).await;
                continue;
            }
            let resuming = self.resume_idle(&next, given.as_ref(), repeats, last_run, stop);
            if let Some(follower) = resuming.await? {
                return Ok(follower);
            }
        }
    }

    /// Goes on with a session that nobody is at work on since its `last_run` here; `None` when somebody is, or is about
    /// to, so that the caller looks again.
    async fn resume_idle(
        &self,
        next: &ContinueTask,
        given: Option<&DeviceNames>,
        repeats: Repeats,
        last_run: Option<u64>,
        stop: &StopBeforeBegin,
    ) -> Result<Option<Follower>, AgentError> {
        let id = next.session_id;
        let summary = self.read_summary(id).await?;
        let its = &summary.device.device_id;
        ensure_same_device(id, its, given)?;
        self.learn_secret(next);
        if let Some(session) = self.asks_once_more(next, repeats).await? {
            return Ok(Some(Follower::of_finished(&session)));
        }
        let mut incoming = IncomingInput { input: next.input.clone(), message: None };
        // The record tells whether anything is to be done at all, before the phone is asked for. A task is, and
        // so is a reply to what the summary says is asked: of those the record is read when it is opened.
        let may_do_nothing = match incoming.input {
            UserInput::Nothing | UserInput::Answer { .. } => true,
            UserInput::Reply(ref text) => summary.question.is_none() || lone_number(text).is_some(),
            UserInput::Task(_) => false,
        };
        if may_do_nothing {
            let session = self.read_session(id).await?;
            let goes_on = self.runs.going_on(id).is_some();
            if goes_on || self.is_outdated(&session, last_run).await? {
                return Ok(None);
            }
            if repeats == Repeats::AskOnce && self.is_said_again(&session, &next.input) {
                return Ok(Some(self.stays_at_rest(&session, next).await?.without_answer(true)));
            }
            // It may have been answered while no run was in progress.
            if let (UserInput::Nothing, Some(answer)) =
                (&incoming.input, self.answer_left(&session).await?)
            {
                incoming = answer;
            }
            let is_poll = repeats == Repeats::AskOnce && incoming.input == UserInput::Nothing;
            if is_poll && self.owes_end(&session, next)
                || resume_kind(&session, incoming.clone())?.is_none()
            {
                return Ok(Some(self.stays_at_rest(&session, next).await?));
            }
        }
        self.begin_further_run(DeviceId::new(its), next, incoming, stop).await
    }

    /// Fails where what is said names a secret that its owner does not have, or where theirs cannot be hidden.
    async fn check_named_secrets(&self, next: &ContinueTask) -> Result<(), AgentError> {
        if self.secret_stores.check_hidden(&Principal::local()).is_err() {
            self.secret_stores.check_hidden(&self.owner_of(next.session_id).await)?;
        }
        if let UserInput::Task(text) | UserInput::Reply(text) | UserInput::Answer { text, .. } =
            &next.input
            && names_secret(text)
        {
            // Whoever says it, it is typed in the owner's session.
            let owner = self.owner_of(next.session_id).await;
            self.secret_stores.check_named(text, &owner)?;
        }
        Ok(())
    }

    /// Hides an answer that is secret from here on.
    fn learn_secret(&self, next: &ContinueTask) {
        if let (true, UserInput::Reply(text) | UserInput::Answer { text, .. }) =
            (next.reply_is_secret, &next.input)
        {
            let secrets = self.secret_stores.of(next.session_id, self.deps.privacy.text);
            secrets.add_answer(SecretKind::Marked, text);
        }
    }

    /// The session, if its question is to be asked once more instead of taking this reply for an answer.
    async fn asks_once_more(
        &self,
        next: &ContinueTask,
        repeats: Repeats,
    ) -> Result<Option<Session>, AgentError> {
        if repeats == Repeats::Count {
            return Ok(None);
        }
        let session = self.repeated_answer(next).await;
        if session.is_some() {
            self.narrow(next).await?;
        }
        Ok(session)
    }

    /// Whether a call brings once more what was said to the request that has ended: its result got lost, and what
    /// answers a question or advises is no request.
    fn is_said_again(&self, session: &Session, input: &UserInput) -> bool {
        let UserInput::Reply(text) = input else { return false };
        let report = session.report(false);
        let is_said = |text: &str| report.is_last_answer(text) || session.was_said(text);
        session.phase() == SessionPhase::Ended
            && (is_said(text) || is_said(&self.without_secrets(text)))
    }

    /// The answer to the open question that somebody has left.
    async fn answer_left(&self, session: &Session) -> Result<Option<IncomingInput>, AgentError> {
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
                let input = UserInput::Reply(text);
                return Ok(Some(IncomingInput { input, message: Some(message.id) }));
            }
        }
        Ok(None)
    }
}
