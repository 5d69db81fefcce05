//! Giving up what a session waits for.
use super::{Agent, AgentError, MOST_BEGUN};
use crate::coordinator::{InboxMessageBody, NewRun, Registered, RunKind};
use crate::{Principal, Report, SessionId, StopReason};

impl Agent {
    /// Stops a session's run, for whoever wants its task ended. A question that waits then, since the run has come to
    /// rest with it or stood still for an operator's answer, is given up too: an answer that comes later would
    /// begin again what was ended.
    pub async fn end_task(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<Report, AgentError> {
        // An answer that came between the two has begun a run, which is to be stopped as well. It takes a question and
        // an answer each time.
        for _ in 0..MOST_BEGUN {
            let ended = self.stop(id, StopReason::Cancelled, principal).await?;
            if ended.stop_reason == StopReason::StillRunning || ended.question.is_none() {
                return Ok(ended);
            }
            match Box::pin(self.give_up(id, principal)).await {
                Err(AgentError::SessionBusy(_)) => {}
                given_up => return given_up,
            }
        }
        Err(AgentError::SessionBusy(id))
    }

    /// Gives up the request of a session whose question waits for an answer, so that nobody has to give one. Nothing
    /// is done to the phone, which another session may have. A session that does not wait stays as it is.
    pub async fn give_up(
        &self,
        id: SessionId,
        principal: &Principal,
    ) -> Result<Report, AgentError> {
        self.ensure_visible(id, principal).await?;
        let owner = Principal::from_record(self.read_summary(id).await?.owner.as_deref());
        loop {
            if self.active_run(id, None)?.is_some() || self.runs.starting(id).is_some() {
                return Err(AgentError::SessionBusy(id));
            }
            // For a moment: nobody else writes its record, and no phone is needed.
            let (devices, kind) = (Vec::new(), RunKind::Act);
            let run = NewRun { session: id, devices, owner: owner.clone(), kind, queue: false };
            match self.deps.coordinator.register(run).await? {
                Registered::Granted(registration) | Registered::Queued(registration) => {
                    let given_up = Box::pin(self.give_up_waiting(id)).await;
                    drop(registration);
                    self.runs.tell_change();
                    given_up?;
                    // Whatever may be about to go on meanwhile: this is what came of it.
                    return Ok(self.read_session(id).await?.report(false));
                }
                Registered::Taken(other) if other.kind == RunKind::Act => {
                    self.ended_elsewhere(&other).await?;
                }
                Registered::Taken(_) => return Err(AgentError::SessionBusy(id)),
            }
        }
    }

    /// Gives up the question that waits, for whoever is registered for the session. What was left for it goes with it.
    async fn give_up_waiting(&self, id: SessionId) -> Result<(), AgentError> {
        let coordinator = &self.deps.coordinator;
        let replies = coordinator.inbox(id).await?.into_iter().filter_map(|it| match it.body {
            InboxMessageBody::Reply(reply) => Some((it.id, reply)),
            _ => None,
        });
        let left: Vec<_> = replies.collect();
        let recorder = self.open_session(id).await?;
        let waits = recorder.session().question.is_some();
        recorder.give_up(&left).await?;
        for (message, _) in left.iter().filter(|_| waits) {
            coordinator.acknowledge(id, *message).await?;
        }
        Ok(())
    }
}
