//! The end of a subtask: it is recorded with a picture of the screen, and what came of it goes to the
//! blackboard, from where the host agent and the next app agent take it.
use serde_json::json;

use crate::journal::Fact;
use crate::run::{Run, RunEnd};
use crate::session::{RESULTS, SubtaskClosing};

impl Run {
    /// Records what has not been recorded yet of a subtask that is over. A crash in between leaves
    /// the rest to the next run.
    pub(in crate::run) async fn close_subtask(&mut self) -> Result<(), RunEnd> {
        if self.session.planning.closing.is_none() {
            return Ok(());
        }
        let closing = |run: &Self| run.session.planning.closing.clone();
        if let Some(SubtaskClosing::End { status, result }) = closing(self)
            && let Some(subtask) = &self.session.planning.current
        {
            let index = subtask.index;
            self.append(Fact::SubtaskEnd { index, status, result }).await?;
        }
        if let Some(SubtaskClosing::Picture(index)) = closing(self) {
            let screen = match self.memory.last_screen.clone() {
                Some(screen) => Some(screen),
                None => self.look_once_more().await?,
            };
            if let Some(screen) = screen {
                self.snapshot("sub_round", Some(index), screen).await?;
            }
        }
        if let Some(over) = self.session.planning.finished.back() {
            let item = json!({
                "subtask": over.text, "app": over.app, "status": over.status,
                "result": over.result,
            });
            self.append(Fact::BlackboardAdd { section: RESULTS.to_owned(), item }).await?;
        }
        self.record.sync().await?;
        Ok(())
    }
}
