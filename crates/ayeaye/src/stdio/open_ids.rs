//! The ids of requests that are not answered yet.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;

use crate::handler_end::HandlerEnd;
use crate::open_requests::{MOST_OPEN, NotTaken};

const TOO_MANY: NotTaken = NotTaken::TooMany { most: MOST_OPEN, which: "are open" };

/// Clones are the same.
#[derive(Clone, Default)]
pub(super) struct OpenIds(Arc<Mutex<HashMap<RequestId, IdState>>>);

#[derive(Debug, Default)]
struct IdState {
    cancelled: bool,
    /// Its handler has ended, and what it has to say is on its way to rmcp.
    handled: bool,
}

impl IdState {
    /// Nobody works on it or waits for it.
    fn is_over(&self) -> bool {
        self.cancelled && self.handled
    }
}

impl OpenIds {
    /// A request begins. It goes to its handler with what is returned.
    pub(super) fn begin(&self, id: &RequestId) -> Result<HandlerEnd, NotTaken> {
        let mut ids = self.lock();
        match ids.get(id) {
            Some(state) if state.is_over() => {}
            Some(state) if state.cancelled => return Err(NotTaken::StillEnding),
            Some(_) => return Err(NotTaken::InUse),
            None if MOST_OPEN <= ids.len() => {
                ids.retain(|_, state| !state.is_over());
                if MOST_OPEN <= ids.len() {
                    return Err(TOO_MANY);
                }
            }
            None => {}
        }
        ids.insert(id.clone(), IdState::default());
        let (all, its) = (self.clone(), id.clone());
        Ok(HandlerEnd::new(move || all.handled(&its)))
    }

    /// Its answer is sent. Whether it is one that was waited for.
    pub(super) fn answer(&self, id: &RequestId) -> bool {
        self.lock().remove(id).is_some_and(|state| !state.cancelled)
    }

    /// It is cancelled and will have no answer. Whether one was waited for.
    pub(super) fn cancel(&self, id: &RequestId) -> bool {
        let mut ids = self.lock();
        let Some(state) = ids.get_mut(id) else { return false };
        !std::mem::replace(&mut state.cancelled, true)
    }

    /// Whether a request with this id was cancelled and nobody works on it any more. What its handler said last may
    /// still be on its way to rmcp.
    pub(super) fn is_over(&self, id: &RequestId) -> bool {
        self.lock().get(id).is_some_and(IdState::is_over)
    }

    fn handled(&self, id: &RequestId) {
        if let Some(state) = self.lock().get_mut(id) {
            state.handled = true;
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<RequestId, IdState>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_free_when_its_request_is_answered_or_nobody_works_on_it() {
        let (ids, one) = (OpenIds::default(), RequestId::Number(1));
        let handler = ids.begin(&one).unwrap();
        assert_eq!(ids.begin(&one).unwrap_err(), NotTaken::InUse);
        drop(handler);
        assert_eq!(ids.begin(&one).unwrap_err(), NotTaken::InUse, "the answer is on its way");
        assert!(ids.answer(&one) && !ids.answer(&one));
        // Cancelled before its handler ends.
        let handler = ids.begin(&one).unwrap();
        assert!(ids.cancel(&one) && !ids.cancel(&one));
        assert_eq!(ids.begin(&one).unwrap_err(), NotTaken::StillEnding);
        drop(handler);
        // And after.
        drop(ids.begin(&one).unwrap());
        assert!(ids.cancel(&one) && ids.is_over(&one));
        assert!(ids.begin(&one).is_ok() && !ids.is_over(&one));
    }

    #[test]
    fn no_more_than_so_many_are_open() {
        let ids = OpenIds::default();
        let id = |number| RequestId::Number(i64::try_from(number).unwrap());
        let held: Vec<_> = (0..MOST_OPEN).map(|number| ids.begin(&id(number)).unwrap()).collect();
        assert_eq!(ids.begin(&id(MOST_OPEN)).unwrap_err(), TOO_MANY);
        assert!(ids.answer(&id(0)));
        assert!(ids.begin(&id(MOST_OPEN)).is_ok());
        // Those that are over make room.
        assert!(ids.cancel(&id(1)));
        drop(held);
        assert!(ids.begin(&id(0)).is_ok());
    }
}
