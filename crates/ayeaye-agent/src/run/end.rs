//! The end of a run, and of the round it has carried out.
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::{LastScreen, Run, RunEnd, RunUpdate};
use crate::journal::{Fact, RoundEnd, SessionEnd};
use crate::{StopReason, settle};

impl Run {
    pub(super) async fn finish(mut self, run_end: RunEnd, lease: impl Send) {
        if let Err(failure) = self.record_end(&run_end).await {
            tracing::error!(session = %self.session.id, "the end of a run was not recorded: {}", failure.message);
            self.session.stopped = Some((StopReason::StorageFailed, failure.message));
        }
        let Self { session, record, updates, .. } = self;
        // Followers may continue the session as soon as they hear of the end: let go of it first. And
        // whoever hears of the end finds the logs complete.
        record.close().await;
        drop(lease);
        let report = Arc::new(session.report(false));
        let line = format!("{}: {}", report.stop_reason, report.message);
        tracing::info!(session = %session.id, reason = %report.stop_reason, steps = report.local_steps, "run stopped");
        updates.send_replace(RunUpdate { report, line, running: false });
    }

    async fn record_end(&mut self, run_end: &RunEnd) -> Result<(), RunEnd> {
        // Whoever spoke too late for this run speaks to the next; from here on nobody is taken in.
        self.words.close();
        self.listen().await?;
        let screen = self.final_screen(run_end.reason).await?;
        if run_end.reason.ends_round() {
            self.end_round(run_end, screen.as_ref()).await?;
        }
        if let Some(screen) = screen {
            self.snapshot("session", None, screen).await?;
        }
        if run_end.reason.ends_round() {
            self.judge("session").await?;
        }
        let counts = self.session.counts;
        self.append(Fact::SessionEnd(SessionEnd {
            stop_reason: run_end.reason.name().to_owned(),
            message: run_end.message.clone(),
            steps: counts.steps,
            local_steps: self.session.local_steps(),
            cost_usd: counts.cost_usd,
            cost_known: counts.unpriced_calls == 0,
        }))
        .await?;
        self.record.sync().await?;
        Ok(())
    }

    /// A round ends as UFO's does: with its subtask (those of a host agent have ended before), a
    /// picture of both ends, its request on the blackboard, and a judgement where one is wanted.
    async fn end_round(
        &mut self,
        run_end: &RunEnd,
        screen: Option<&LastScreen>,
    ) -> Result<(), RunEnd> {
        let done = run_end.reason == StopReason::TaskCompletedSuccessfully;
        let status = if done { "FINISH" } else { "FAIL" };
        let planned = self.session.planning.enabled;
        if !planned {
            self.append(Fact::SubtaskEnd {
                index: 0,
                status: status.to_owned(),
                result: run_end.message.clone(),
            })
            .await?;
            if let Some(screen) = screen {
                self.snapshot("sub_round", Some(0), screen.clone()).await?;
            }
        }
        let (round, request) = (self.session.round, self.session.request.clone());
        self.append(Fact::BlackboardAdd {
            section: "requests".to_owned(),
            item: json!({ format!("request_{round}"): request }),
        })
        .await?;
        if let Some(screen) = screen {
            self.snapshot("round", None, screen.clone()).await?;
        }
        let counts = self.session.counts;
        self.append(Fact::RoundEnd(RoundEnd {
            status: status.to_owned(),
            result: run_end.message.clone(),
            stop_reason: run_end.reason.name().to_owned(),
            steps: counts.round_steps,
            subtask_amount: if planned { self.session.planning.assigned } else { 1 },
            cost_usd: counts.round_cost_usd,
        }))
        .await?;
        // What was carried out stays so, whatever happens while it is judged.
        self.record.sync().await?;
        self.judge("round").await
    }

    pub(super) async fn snapshot(
        &mut self,
        scope: &str,
        sub_round: Option<u32>,
        screen: LastScreen,
    ) -> Result<(), RunEnd> {
        let LastScreen { screenshot, ui_tree } = screen;
        let scope = scope.to_owned();
        self.append(Fact::Snapshot { scope, sub_round, screenshot, ui_tree }).await
    }

    /// What the phone shows at the end. Where nothing was done since the last look, that look is it.
    async fn final_screen(&mut self, reason: StopReason) -> Result<Option<LastScreen>, RunEnd> {
        let worth_a_look = match reason {
            StopReason::TaskCompletedSuccessfully
            | StopReason::TaskAbortedByAgent
            | StopReason::MaxStepsReached
            | StopReason::BudgetReached
            | StopReason::NoProgress => true,
            // Somebody waits for the end, or the phone is not to be reached.
            StopReason::InfoActionNeedsReply
            | StopReason::ManualStopScreenOff
            | StopReason::NotStarted
            | StopReason::UserPaused
            | StopReason::Cancelled
            | StopReason::StillRunning
            | StopReason::DeviceLost
            | StopReason::ModelFailed
            | StopReason::ServerRestarted
            | StopReason::StorageFailed => false,
        };
        if !worth_a_look {
            return Ok(None);
        }
        if let Some(screen) = self.memory.last_screen.take() {
            return Ok(Some(screen));
        }
        self.look_once_more().await
    }

    /// A settled look that the run does not depend on.
    pub(super) async fn look_once_more(&mut self) -> Result<Option<LastScreen>, RunEnd> {
        let rule = self.deps.limits.settle;
        let device = self.device.clone();
        let looking = async {
            let look = match self.memory.last_gesture.take() {
                Some((before, over)) => {
                    settle::settle(&*device, &rule, Some(&before), over).await?
                }
                None => settle::capture_once(&*device).await?,
            };
            Ok::<_, crate::DeviceError>((look, device.state().await?))
        };
        let limit = rule.cap + Duration::from_secs(5);
        let (look, state) = match self.cancel.race(tokio::time::timeout(limit, looking)).await {
            Ok(Ok(Ok(seen))) => seen,
            Ok(Ok(Err(err))) => {
                tracing::warn!(device = %self.device.id(), "a last look: {}", crate::error_chain(&err));
                return Ok(None);
            }
            // The end does not wait for a picture.
            Ok(Err(_)) | Err(_) => return Ok(None),
        };
        if !state.awake {
            return Ok(None);
        }
        let Ok(seen) = self.take_in(look, &state).await else { return Ok(None) };
        let mut seen = seen;
        self.settle_elements(&mut seen, Duration::from_secs(1)).await?;
        Ok(self.memory.last_screen.take())
    }
}
