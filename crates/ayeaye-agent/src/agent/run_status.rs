//! What one run of a session has come to, while the session goes on without it.
use super::{Agent, AgentError};
use crate::journal::{Event, Fact, SessionBuilder};
use crate::report::{Report, RunInfo};
use crate::session::keeps_waiting_for;
use crate::{Principal, SessionId, StopReason};

/// How a run stands, or stood when the session went on with something else.
#[derive(Debug, Clone)]
pub struct RunStatus {
    /// What it has come to.
    pub report: Report,
    /// Whether the session has gone on with something else since: then nothing changes any more.
    pub superseded: bool,
}

impl Agent {
    /// How run `number` of a session stands; with `answers` also the runs that went on with answers
    /// to its questions. A run that never was is as unknown as its session. An act of the client that
    /// is under way is waited for.
    pub async fn run_status(
        &self,
        id: SessionId,
        number: u32,
        answers: bool,
        principal: &Principal,
    ) -> Result<RunStatus, AgentError> {
        self.ensure_visible(id, principal).await?;
        self.wait_for_direct_action(id).await;
        if let Some(run) = self.active_run(id, None)? {
            let report = run.follower().report();
            if covers(&report.run, number, answers) {
                return Ok(RunStatus { report: (*report).clone(), superseded: false });
            }
        }
        let mut folding = SessionBuilder::new(id);
        let (mut runs, mut superseded) = (0, false);
        let mut each = |event: Event| {
            if let Fact::SessionResume(resume) = &event.entry.fact {
                runs += 1;
                superseded |= number < runs && !(answers && keeps_waiting_for(&resume.why));
            }
            if !superseded {
                folding.apply(&event);
            }
        };
        self.deps.journal.visit_compact(&id, &mut each).await?;
        if runs < number {
            return Err(AgentError::UnknownSession(id));
        }
        let session = folding.finish()?;
        // Without an end it may be that another process drives it, or that one died.
        let driven =
            !superseded && session.stopped.is_none() && self.deps.journal.is_locked(&id).await?;
        Ok(RunStatus { report: session.report(driven), superseded })
    }

    /// Asks such a run to stop at the next safe point, and does not wait; false when it is not under
    /// way.
    pub async fn stop_run(
        &self,
        id: SessionId,
        number: u32,
        answers: bool,
        principal: &Principal,
    ) -> Result<bool, AgentError> {
        self.ensure_visible(id, principal).await?;
        self.wait_for_direct_action(id).await;
        let Some(run) = self.active_run(id, None)? else { return Ok(false) };
        let follower = run.follower();
        let covered = covers(&follower.report().run, number, answers);
        if covered {
            follower.stop(StopReason::Cancelled);
        }
        Ok(covered)
    }
}

/// Whether a run under way is the one that is meant, or goes on from its questions.
fn covers(run: &RunInfo, number: u32, answers: bool) -> bool {
    let from = if answers { run.began } else { run.number };
    // While a run mends what a crash has left, its number is not on record yet.
    (from..=run.number + 1).contains(&number)
}
