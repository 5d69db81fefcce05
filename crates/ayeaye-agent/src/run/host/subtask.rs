//! The end of a subtask: recorded with a snapshot, and its result added to the blackboard for the host
//! agent and the next app agent.
use serde_json::json;

use crate::journal::{BlackboardSection, Fact, SnapshotScope};
use crate::run::Run;
use crate::run::outcome::RunError;
use crate::session::SubtaskClosing;

impl Run {
    /// Records the end of a subtask, which takes several events. After a crash the next run records the missing ones.
    pub(in crate::run) async fn close_subtask(&mut self) -> Result<(), RunError> {
        if self.session().planning.closing.is_none() {
            return Ok(());
        }
        let closing = |run: &Self| run.session().planning.closing.clone();
        if let Some(SubtaskClosing::End { status, result }) = closing(self)
            && let Some(subtask) = &self.session().planning.current
        {
            let index = subtask.index;
            self.recorder.append(Fact::SubtaskEnd { index, status, result }).await?;
        }
        if let Some(SubtaskClosing::Picture(index)) = closing(self) {
            let model = self.acting_model();
            let screen = Box::pin(self.observer.final_screen(&mut self.recorder, &model)).await?;
            if let Some(screen) = screen {
                self.record_snapshot(SnapshotScope::SubRound, Some(index), screen).await?;
            }
        }
        if let Some(subtask) = self.session().planning.finished.back() {
            let item = json!({
                "subtask": subtask.text, "app": subtask.app, "status": subtask.status,
                "result": subtask.result,
            });
            let section = BlackboardSection::Results.into();
            self.recorder.append(Fact::BlackboardAdd { section, item }).await?;
        }
        self.recorder.sync().await?;
        Ok(())
    }
}
