//! The beginning of a run: a new round or the continuation of one, and a reset before the first step of
//! a session.
use std::sync::Arc;

use tokio::time::Instant;

use super::Run;
use super::outcome::RunError;
use crate::coordinator::InboxMessageId;
use crate::journal::{AgentState, AnswerSource, Fact, ResumeReason, SessionResume};
use crate::privacy::holds_placeholder;
use crate::{DeviceError, error_chain};

/// The input that a run begins with.
#[derive(Debug, Clone)]
pub(crate) enum ResumeKind {
    /// None: it is the session's first run.
    First,
    /// An answer to the open question, and the id of the inbox message that brought it, if one did.
    Reply(String, Option<InboxMessageId>),
    /// Guidance for the open round.
    Guidance(String),
    /// A new request.
    NextRound(String),
    /// No input: the same round goes on.
    Continue,
}

impl ResumeKind {
    /// Why the session resumes, for the record; `None` for a first run.
    fn reason(&self) -> Option<ResumeReason> {
        match self {
            Self::First => None,
            Self::Reply(..) => Some(ResumeReason::Reply),
            Self::Guidance(_) => Some(ResumeReason::Guidance),
            Self::NextRound(_) => Some(ResumeReason::NextRound),
            Self::Continue => Some(ResumeReason::GoOn),
        }
    }
}

impl Run {
    /// Records the input of the run, and resets the phone before the session's first step.
    pub(super) async fn begin(&mut self, kind: ResumeKind) -> Result<(), RunError> {
        if let Some(reason) = kind.reason() {
            self.resume(reason).await?;
        }
        let mut taken = None;
        match kind {
            ResumeKind::First => {
                self.begin_round(0, self.session().request.clone()).await?;
            }
            ResumeKind::Continue => self.begin_first_round().await?,
            ResumeKind::Reply(text, message) => {
                self.record_answer(text, AnswerSource::Client, message).await?;
                taken = message;
            }
            ResumeKind::Guidance(text) => {
                self.begin_first_round().await?;
                self.record_guidance(text, None).await?;
            }
            ResumeKind::NextRound(request) => {
                self.drop_earlier_messages().await?;
                let session = self.session();
                let result = if session.client_round { "handed over to the agent" } else { "" };
                self.recorder.drop_round(result).await?;
                let next =
                    if self.session().history.is_empty() { 0 } else { self.session().round + 1 };
                self.recorder.learn_named(&request);
                self.recorder.learn_secrets(&request);
                self.begin_round(next, request).await?;
            }
        }
        self.recorder.sync().await?;
        // A client that asks during the first step is told the request and the answer that were taken up, not the earlier
        // ones. To those who follow already it is no news.
        let report = Arc::new(self.session().report(true));
        self.updates.send_if_modified(|update| {
            update.report = report;
            false
        });
        if let Some(message) = taken {
            self.mailbox.acknowledge(message).await;
        }
        if let Some(begun) = self.begun.take() {
            // Nobody may be waiting for it.
            begun.send(()).ok();
        }
        self.note_client_activity();
        self.note_lost_secrets();
        self.put_back_settings().await?;
        self.change_settings().await?;
        if self.session().counts.steps == 0 {
            return self.reset().await;
        }
        // By whoever had the phone since, or by itself.
        self.observer.may_have_changed();
        Ok(())
    }

    /// Tells the model that some of the user's words are missing, if this process does not know the secrets in them.
    fn note_lost_secrets(&mut self) {
        const MISSING: &str = "Parts of what the user said are missing: they were kept back as secrets (each stands as \
                               [secret ...]), and the server that knew them has ended. Do not guess them. If you need \
                               one, or cannot tell what was meant, ask the user to say it again.";
        let secrets = self.recorder.secrets();
        let mut words = self.session().acts.words.iter();
        if words.any(|it| holds_placeholder(&secrets.restore(it))) {
            self.state.system_notes.push(MISSING.to_owned());
        }
    }

    /// Records the beginning of a further run; first the end of the last one, if it crashed.
    pub(super) async fn resume(&mut self, reason: ResumeReason) -> Result<(), RunError> {
        self.recorder.end_crashed_run().await?;
        let run = self.started_with.clone();
        let resume = SessionResume { why: reason.into(), run };
        self.recorder.append(Fact::SessionResume(resume)).await?;
        Ok(())
    }

    /// Begins the first round, if a crash came before it.
    async fn begin_first_round(&mut self) -> Result<(), RunError> {
        if !self.session().history.is_empty() {
            return Ok(());
        }
        self.begin_round(0, self.session().request.clone()).await
    }

    pub(super) async fn begin_round(
        &mut self,
        number: u32,
        request: String,
    ) -> Result<(), RunError> {
        self.recorder.begin_round(number, request).await?;
        let agent = self.session().next_agent();
        self.recorder.set_agent_state(&agent, AgentState::Continue).await?;
        Ok(())
    }

    /// Resets the phone before the first step of a session, waiting for one that has gone away: else an absence of
    /// seconds ended every task that waits in its queue.
    async fn reset(&mut self) -> Result<(), RunError> {
        let begun = Instant::now();
        loop {
            let err = match self.actor.reset(&mut self.recorder).await?.result {
                Ok(_) => return self.observer.settle_after_reset().await,
                Err(err @ DeviceError::Refused { .. }) => {
                    let reason = error_chain(&err);
                    let text = format!(
                        "The phone could not be made ready: {reason}. Please do that by hand, then say \
                         that it is done."
                    );
                    return Err(RunError::NeedsTakeover { text, app: None });
                }
                Err(err) => err,
            };
            // One that hangs was waited for already.
            if !err.is_unreachable() || matches!(err, DeviceError::TimedOut { .. }) {
                return Err(RunError::NotReady(err));
            }
            self.observer
                .comes_back(err, begun, &mut self.recorder)
                .await?
                .map_err(RunError::NotReady)?;
            // What could not be changed while it was away.
            self.put_back_settings().await?;
            self.change_settings().await?;
        }
    }

    /// Tells the model, once, what the client did itself.
    fn note_client_activity(&mut self) {
        let activity = &self.session().client_activity;
        let steps = activity.steps;
        if steps == 0 {
            return;
        }
        let note = format!(
            "Since your last step the client, not you, has acted on the phone ({steps} \
             {}): {}. The screen may not be as you left it: look at it again and go on from what you see \
             now.",
            if steps == 1 { "step" } else { "steps; these are the last" },
            activity.lines.join("; ")
        );
        self.state.system_notes.push(note);
    }
}
