//! A session folded while its record is read, without keeping the events.
use super::{MissingSessionStart, Session};
use crate::SessionId;
use crate::event::{Event, Fact};

/// A [`Session`] in the making: [`Session::from_events`] for whoever sees one event at a time.
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

    /// Takes the next event into account.
    pub fn apply(&mut self, event: &Event) {
        match (&mut self.session, &event.entry.fact) {
            _ if self.invalid => {}
            (Some(session), _) => session.apply(event),
            (None, Fact::SessionStart(_)) => {
                match Session::from_events(self.id, std::slice::from_ref(event)) {
                    Ok(session) => self.session = Some(session),
                    Err(MissingSessionStart(_)) => self.invalid = true,
                }
            }
            (None, Fact::Note { .. }) => {}
            (None, _) => self.invalid = true,
        }
    }

    /// The session so far.
    pub fn finish(self) -> Result<Session, MissingSessionStart> {
        self.session.ok_or(MissingSessionStart(self.id))
    }
}
