//! The status of one particular run of a session, even after later runs.
use super::registry::{GoingOn, next_change};
use super::{Agent, AgentError};
use crate::journal::{Event, Fact, SessionBuilder};
use crate::report::{Report, RunInfo};
use crate::{Principal, SessionId, StopReason};

/// The status of a run, or its last status before the session went on.
#[derive(Debug, Clone)]
pub struct RunStatus {
    /// The report at that point.
    pub report: Report,
    /// A later run has begun, so this status is final.
    pub superseded: bool,
}

impl Agent {
    /// The status of run `number` (from 0) of a session; with `answers`, including the runs that answered
    /// its questions, and that they were given up. An unknown run is an unknown session. Waits for a direct action
    /// in progress.
    pub async fn run_status(
        &self,
        id: SessionId,
        number: u32,
        answers: bool,
        principal: &Principal,
    ) -> Result<RunStatus, AgentError> {
        self.ensure_visible(id, principal).await?;
        self.wait_for_direct_action(id).await?;
        // Boxed: it is large, and would be part of every future around it.
        Box::pin(self.status_of(id, number, answers)).await
    }

    async fn status_of(
        &self,
        id: SessionId,
        number: u32,
        answers: bool,
    ) -> Result<RunStatus, AgentError> {
        loop {
            // Before the look at what has begun, so that what begins meanwhile is seen.
            let last_run = self.runs.last_run(id);
            let going_on = self.runs.going_on(id);
            if let Some(run) = self.active_run(id, None)? {
                let report = run.follower().report();
                if covers(&report.run, number, answers) {
                    return Ok(RunStatus { report: (*report).clone(), superseded: false });
                }
            }
            if let Some(run) = self.run_elsewhere(id).await? {
                let report = self.follow_elsewhere(&run).await?.report();
                if covers(&report.run, number, answers) {
                    return Ok(RunStatus { report: (*report).clone(), superseded: false });
                }
            }
            if let Some(going_on) = going_on {
                let report = self.report_of_next(id, &going_on).await?;
                if covers(&report.run, number, answers) {
                    return Ok(RunStatus { report, superseded: false });
                }
            }
            let mut folding = SessionBuilder::new(id);
            let (mut runs, mut superseded) = (0, false);
            let mut each = |event: Event| {
                if let Fact::SessionResume(resume) = &event.entry.fact {
                    runs += 1;
                    let is_its_own = resume.continues_question() || resume.gives_up();
                    superseded |= number < runs && !(answers && is_its_own);
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
            if superseded || !self.is_outdated(&session, last_run).await? {
                let report =
                    if superseded { session.report(false) } else { self.report_at_rest(&session) };
                return Ok(RunStatus { report, superseded });
            }
        }
    }

    /// Asks such a run to stop, without waiting; false when it is not in progress. One that is about to go on, with the
    /// answer to its question, does not: then it is not in progress when this returns.
    pub async fn stop_run(
        &self,
        id: SessionId,
        number: u32,
        answers: bool,
        principal: &Principal,
    ) -> Result<bool, AgentError> {
        self.ensure_visible(id, principal).await?;
        self.wait_for_direct_action(id).await?;
        loop {
            let going_on = self.runs.going_on(id);
            let follower = match (self.active_run(id, None)?, self.run_elsewhere(id).await?) {
                (Some(run), _) => run.follower(),
                (None, Some(run)) => self.follow_elsewhere(&run).await?,
                (None, None) => {
                    let Some(going_on) = going_on else { return Ok(false) };
                    let next = self.report_of_next(id, &going_on).await?;
                    if !covers(&next.run, number, answers) {
                        return Ok(false);
                    }
                    if let Some(changes) = self.runs.stop_starting(id) {
                        next_change(changes).await;
                    }
                    continue;
                }
            };
            let covered = covers(&follower.report().run, number, answers);
            if covered {
                follower.stop(StopReason::Cancelled);
            }
            return Ok(covered);
        }
    }

    /// The report of the run that a session is about to go on with.
    pub(super) async fn report_of_next(
        &self,
        id: SessionId,
        going_on: &GoingOn,
    ) -> Result<Report, AgentError> {
        let session = self.read_session(id).await?;
        let mut next = session.report(true).run.next();
        if session.question.is_some() && !going_on.next_task {
            next.began = session.run_began;
        }
        Ok(session.initial_report(next))
    }
}

/// Whether a run in progress is run `number`, or with `answers` one that answered its questions.
fn covers(run: &RunInfo, number: u32, answers: bool) -> bool {
    let from = if answers { run.began } else { run.number };
    // A run that is still recovering from a crash has not recorded its number yet.
    (from..=run.number + 1).contains(&number)
}
