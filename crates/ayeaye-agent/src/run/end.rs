//! The end of a run, and of its round.
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::watch;

use super::observer::StoredScreen;
use super::outcome::{RunEnd, RunError};
use super::{Recorder, Run, RunPhase, RunUpdate};
use crate::journal::{
    AgentState, BlackboardSection, EvaluationLevel, Fact, RoundEnd, RoundStatus, SessionEnd,
    SnapshotScope,
};
use crate::{JournalError, StopReason, error_chain};

/// Behind the message of a task that has ended.
const TOO_LATE: &str = "\n[Not the model's words: what the user said last came too late for it.]";
/// How long a phone that was lost is tried to be put back.
const LOST_PUT_BACK: Duration = Duration::from_secs(5);

impl Run {
    pub(super) async fn finish(mut self, mut end: RunEnd, lease: impl Send) {
        let recorded = self.record_end(&mut end).await;
        if !self.is_direct {
            self.deps.models.forget_pictures();
        }
        let Self { recorder, updates, .. } = self;
        publish_end(recorder, recorded, updates, lease).await;
    }

    async fn record_end(&mut self, end: &mut RunEnd) -> Result<(), RunError> {
        self.enter(RunPhase::Ending);
        let recorded = self.record_last_facts(end).await;
        // A full disk is no reason to leave the phone's settings changed, and a phone that gave no picture may still take
        // them. A phone that is out of reach is not waited for: the next run to drive it puts them back.
        let lost = |reason| reason == StopReason::DeviceLost;
        let is_lost = lost(end.reason) || recorded.as_ref().is_err_and(|err| lost(err.reason()));
        let put_back = self.put_back_settings_within(is_lost.then_some(LOST_PUT_BACK)).await;
        recorded?;
        // Settings that are still to be put back are kept in their own files, so the record can end regardless.
        self.record_session_end(end.reason, end.message.clone()).await?;
        self.recorder.sync().await?;
        // This one too, and what it says is what the client hears.
        if let Err(err) = put_back {
            let why = error_chain(&err);
            tracing::warn!(session = %self.session().id, "of the phone's settings: {why}");
        }
        Ok(())
    }

    /// What a run records at its end before the phone's settings are put back.
    async fn record_last_facts(&mut self, end: &mut RunEnd) -> Result<(), RunError> {
        // From here on, replies go to the next run. A direct action gets none.
        if !self.is_direct {
            self.mailbox.close().await;
            if self.read_last_messages().await? && end.reason.ends_round() {
                end.message.push_str(TOO_LATE);
            }
        }
        let screen =
            if self.is_direct { None } else { Box::pin(self.screen_at_end(end.reason)).await? };
        if end.reason.ends_round() {
            self.end_round(end, screen.as_ref()).await?;
        } else if let Some(screen) = &screen {
            // UFO takes it too when its step limit ends a round.
            self.record_snapshot(SnapshotScope::Round, None, screen.clone()).await?;
        }
        if let Some(screen) = screen {
            self.record_snapshot(SnapshotScope::Session, None, screen).await?;
        }
        if end.reason.ends_round() {
            self.evaluate(EvaluationLevel::Session).await?;
        }
        Ok(())
    }

    pub(super) async fn record_session_end(
        &mut self,
        reason: StopReason,
        message: String,
    ) -> Result<(), RunError> {
        record_session_end(&mut self.recorder, reason, message).await?;
        Ok(())
    }

    /// Ends the round as UFO does: the end of its subtask (the host agent's have ended before), final
    /// snapshots, its request on the blackboard, and an evaluation, if configured.
    async fn end_round(
        &mut self,
        end: &RunEnd,
        screen: Option<&StoredScreen>,
    ) -> Result<(), RunError> {
        let done = end.reason == StopReason::TaskCompletedSuccessfully;
        let status = if done { RoundStatus::Finish } else { RoundStatus::Fail };
        let planned = self.session().planning.enabled;
        if !planned {
            let status = if done { AgentState::Finish } else { AgentState::Fail };
            let (status, result) = (status.into(), end.message.clone());
            self.recorder.append(Fact::SubtaskEnd { index: 0, status, result }).await?;
            if let Some(screen) = screen {
                self.record_snapshot(SnapshotScope::SubRound, Some(0), screen.clone()).await?;
            }
        }
        let session = self.session();
        let item = json!({ format!("request_{}", session.round): session.request });
        let section = BlackboardSection::Requests.into();
        self.recorder.append(Fact::BlackboardAdd { section, item }).await?;
        if let Some(screen) = screen {
            self.record_snapshot(SnapshotScope::Round, None, screen.clone()).await?;
        }
        let session = self.session();
        let round_end = RoundEnd {
            status: status.into(),
            result: end.message.clone(),
            stop_reason: Some(end.reason.into()),
            steps: session.counts.round_steps,
            subtask_amount: if planned { session.planning.assigned } else { 1 },
            cost_usd: session.counts.round_cost_usd,
        };
        self.recorder.append(Fact::RoundEnd(round_end)).await?;
        // A crash during the evaluation must not lose the end.
        self.recorder.sync().await?;
        self.evaluate(EvaluationLevel::Round).await
    }

    pub(super) async fn record_snapshot(
        &mut self,
        scope: SnapshotScope,
        sub_round: Option<u32>,
        StoredScreen { screenshot, ui_tree }: StoredScreen,
    ) -> Result<(), RunError> {
        let scope = scope.into();
        self.recorder.append(Fact::Snapshot { scope, sub_round, screenshot, ui_tree }).await?;
        Ok(())
    }

    /// The final screen; without time or a phone for another look, the last one seen.
    async fn screen_at_end(
        &mut self,
        reason: StopReason,
    ) -> Result<Option<StoredScreen>, RunError> {
        let look = match reason {
            StopReason::TaskCompletedSuccessfully
            | StopReason::TaskAbortedByAgent
            | StopReason::MaxStepsReached
            | StopReason::BudgetReached
            | StopReason::NoProgress => true,
            // The user waits for the end, or the phone is out of reach.
            StopReason::InfoActionNeedsReply
            | StopReason::ManualStopScreenOff
            | StopReason::UserPaused
            | StopReason::Cancelled
            | StopReason::DeviceLost
            | StopReason::ModelFailed
            | StopReason::ServerRestarted => false,
            StopReason::NotStarted | StopReason::StillRunning | StopReason::StorageFailed => {
                return Ok(None);
            }
        };
        if look {
            let model = self.acting_model();
            let screen = Box::pin(self.observer.final_screen(&mut self.recorder, &model)).await?;
            if screen.is_some() {
                return Ok(screen);
            }
        }
        Ok(self.observer.last_screen().cloned())
    }
}

/// Ends a run that waited in the queue for its phone and did not get it.
pub(crate) async fn end_in_queue(
    mut recorder: Recorder,
    reason: StopReason,
    message: String,
    updates: watch::Sender<RunUpdate>,
    lease: impl Send,
) {
    let recorded = async {
        record_session_end(&mut recorder, reason, message).await?;
        recorder.sync().await
    };
    let recorded = recorded.await.map_err(RunError::from);
    publish_end(recorder, recorded, updates, lease).await;
}

pub(super) async fn record_session_end(
    recorder: &mut Recorder,
    reason: StopReason,
    message: String,
) -> Result<(), JournalError> {
    let session = recorder.session();
    let counts = session.counts;
    let end = SessionEnd {
        stop_reason: reason.into(),
        message,
        steps: counts.steps,
        local_steps: session.local_steps(),
        cost_usd: counts.cost_usd,
        cost_known: counts.unpriced_calls == 0,
    };
    recorder.append(Fact::SessionEnd(end)).await
}

/// Gives everything back, and then tells the followers.
async fn publish_end(
    recorder: Recorder,
    recorded: Result<(), RunError>,
    updates: watch::Sender<RunUpdate>,
    lease: impl Send,
) {
    let session = recorder.close().await;
    // Followers may continue the session as soon as they see the end: release the phone first. By then the
    // logs are complete too.
    drop(lease);
    let mut report = session.report(false);
    if let Err(err) = recorded {
        let message = error_chain(&err);
        tracing::error!(session = %session.id, "the end of a run was not recorded: {message}");
        report.stop_reason = StopReason::StorageFailed;
        report.message = message;
    }
    let line = format!("{}: {}", report.stop_reason, report.message);
    tracing::info!(
        session = %session.id, owner = session.owner.name(), device = session.device.device_id,
        reason = %report.stop_reason, steps = report.local_steps,
        seconds = ((report.usage.model_ms + report.usage.other_ms) / 1e3).round(), "run stopped"
    );
    updates.send_modify(|update| {
        let (report, phase) = (Arc::new(report), RunPhase::Ending);
        *update = RunUpdate { report, line, phase, running: false, ..update.clone() };
    });
}
