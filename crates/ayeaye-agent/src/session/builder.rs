//! Computes a session while its record is read, without keeping the events.
use super::{MissingSessionStart, Session};
use crate::SessionId;
use crate::event::{Event, Fact};

/// Builds a [`Session`] from one event at a time.
#[derive(Debug)]
pub struct SessionBuilder {
    id: SessionId,
    session: Option<Session>,
    /// Something else came before the beginning.
    invalid: bool,
}

impl SessionBuilder {
    /// Before the first event.
    pub fn new(id: SessionId) -> Self {
        Self { id, session: None, invalid: false }
    }

    /// Applies the next event.
    pub fn apply(&mut self, event: &Event) {
        match (&mut self.session, &event.entry.fact) {
            _ if self.invalid => {}
            (Some(session), _) => session.apply(event),
            (None, Fact::SessionStart(start)) => {
                self.session = Some(Session::begin(self.id, start));
            }
            (None, Fact::Note { .. }) => {}
            (None, _) => self.invalid = true,
        }
    }

    /// The session so far, once it has begun.
    pub(crate) fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// The session so far.
    pub fn finish(self) -> Result<Session, MissingSessionStart> {
        self.session.ok_or(MissingSessionStart(self.id))
    }
}
