//! When a run that a crash has cut off came to its end.
use ayeaye_agent::StopReason;
use ayeaye_agent::journal::{Event, Fact, NoteKind};
use jiff::Timestamp;

use super::item::Ended;
use crate::labels;

/// Milliseconds between two events that are written one after the other.
const AT_ONCE: f64 = 2000.0;

/// The end of a run that a crash has cut off is written by the process that goes on with the session, perhaps days
/// later, just before the next run begins. Nobody can know when the run ended, but since when nothing was heard of it.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Silence {
    last: Option<Timestamp>,
    /// The beginning of the longest silence and its milliseconds, as long as nothing but what the next process writes of
    /// such a run has followed.
    longest: Option<(Timestamp, f64)>,
}

impl Silence {
    pub(super) fn hear(&mut self, event: &Event) {
        let before = self.last.replace(event.ts);
        let written_late = match &event.entry.fact {
            Fact::LlmResponse(response) => !response.success,
            Fact::ToolEnd(end) => !end.success,
            Fact::Note { kind, .. } => *kind == NoteKind::Recovered,
            Fact::StepEnd(_)
            | Fact::State { .. }
            | Fact::SessionEnd(_)
            | Fact::SessionResume(_) => true,
            _ => false,
        };
        self.longest = self.longest.filter(|_| written_late);
        let Some(before) = before.filter(|_| written_late) else { return };
        let silent = labels::between(before, event.ts);
        if self.longest.is_none_or(|(_, longest)| longest < silent) {
            self.longest = Some((before, silent));
        }
    }

    /// Dates the end of the last run, where the one that begins now has written it.
    pub(super) fn date(&self, ended: &mut Ended, resumed: Timestamp) {
        let Some((last, silent)) = self.longest else { return };
        let late = labels::between(ended.at, resumed);
        if ended.reason == StopReason::ServerRestarted.name() && late <= AT_ONCE && late < silent {
            (ended.at, ended.cut_off) = (last, true);
        }
    }
}
