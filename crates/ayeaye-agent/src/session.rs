//! A session, computed from its record.
//!
//! A [`Session`] is never stored. The same code computes it from its events while it runs and after a
//! restart, so the next process knows all that this one does.
mod acts;
mod agents;
mod apply;
mod builder;
mod doubt;
mod planning;
mod prompt_tokens;
mod report;
mod state;
mod summary;

use std::ops::Deref;

pub use self::acts::ActHistory;
pub(crate) use self::acts::is_counted_touch;
pub use self::agents::Agents;
pub(crate) use self::agents::{CLIENT, HOST_AGENT, JUDGE};
pub use self::builder::SessionBuilder;
pub use self::planning::Planning;
pub(crate) use self::planning::{FinishedSubtask, SubtaskClosing, lines, push_quoted, push_said};
pub(crate) use self::prompt_tokens::PromptTokens;
pub(crate) use self::state::StepPicture;
pub use self::state::{ClientActivity, SessionPhase, SessionState};
pub use self::summary::{Summary, SummaryBuilder};

use crate::SessionId;
use crate::event::{Event, SessionStart};

/// A session as its events have made it: nothing but a further event changes it.
///
/// ```compile_fail
/// fn change(session: &mut ayeaye_agent::Session) {
///     session.round += 1;
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Session(SessionState);

pub(crate) use crate::event::WAKE;

/// A record that does not begin as one must.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the record of session {0} does not begin with session.start")]
pub struct MissingSessionStart(pub SessionId);

impl Session {
    /// The session of a whole record.
    pub fn from_events(id: SessionId, events: &[Event]) -> Result<Self, MissingSessionStart> {
        let mut builder = SessionBuilder::new(id);
        for event in events {
            builder.apply(event);
        }
        builder.finish()
    }

    /// A session that has only begun.
    fn begin(id: SessionId, start: &SessionStart) -> Self {
        Self(SessionState::begin(id, start))
    }

    /// Applies the next event.
    pub(crate) fn apply(&mut self, event: &Event) {
        self.0.apply(event);
    }
}

impl Deref for Session {
    type Target = SessionState;

    fn deref(&self) -> &SessionState {
        &self.0
    }
}
