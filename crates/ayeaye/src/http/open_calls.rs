//! The calls of sessions that have no answer yet: an id is for one of them at a time.
//!
//! A call outlives the connection that it came on. So it is over when its answer is among the events of its
//! stream, when it was cancelled and its handler has ended, or when its session ends, and not when nobody reads it any
//! more.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use rmcp::transport::common::server_side_http::SessionId;

use crate::handler_end::HandlerEnd;

/// Each call, by its session and its id.
type Calls = HashMap<(SessionId, RequestId), CallState>;

#[derive(Debug, Default)]
struct CallState {
    /// Its stream, once it has one.
    stream: Option<String>,
    cancelled: bool,
    /// Its handler has ended, and what it has to say is on its way.
    handled: bool,
}

/// All calls without an answer. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCalls(Arc<Mutex<Calls>>);

/// A call that is on its way to its session; dropped before it is there, its id is free again.
#[derive(Debug)]
pub(super) struct NewCall {
    all: OpenCalls,
    id: (SessionId, RequestId),
    arrived: bool,
}

impl OpenCalls {
    /// A call begins; `None` if one of the session with this id is open.
    pub(super) fn begin(&self, session: &SessionId, call: &RequestId) -> Option<NewCall> {
        let (id, mut all) = ((session.clone(), call.clone()), self.lock());
        if all.contains_key(&id) {
            return None;
        }
        all.insert(id.clone(), CallState::default());
        Some(NewCall { all: self.clone(), id, arrived: false })
    }

    /// The stream of a call.
    pub(super) fn stream(&self, session: &SessionId, call: &RequestId) -> Option<String> {
        self.lock().get(&(session.clone(), call.clone()))?.stream.clone()
    }

    /// The ids of a session's calls.
    pub(super) fn of(&self, session: &SessionId) -> Vec<RequestId> {
        let all = self.lock();
        all.keys().filter(|(its, _)| its == session).map(|(_, call)| call.clone()).collect()
    }

    /// The session has ended, and its calls with it.
    pub(super) fn end_session(&self, session: &SessionId) {
        self.lock().retain(|(its, _), _| its != session);
    }

    /// The call of this stream is over.
    pub(super) fn end(&self, stream: &str) {
        self.lock().retain(|_, its| its.stream.as_deref() != Some(stream));
    }

    /// The call of this stream is cancelled, and its session knows it. It is over as soon as its handler has ended: rmcp
    /// would take its answer for that of another call with the id.
    pub(super) fn cancel(&self, stream: &str) {
        self.lock().retain(|_, its| {
            if its.stream.as_deref() != Some(stream) {
                return true;
            }
            its.cancelled = true;
            !its.handled
        });
    }

    fn handled(&self, id: &(SessionId, RequestId)) {
        let mut all = self.lock();
        let Some(call) = all.get_mut(id) else { return };
        call.handled = true;
        if call.cancelled {
            all.remove(id);
        }
    }

    /// The sessions with an open call.
    pub(super) fn sessions(&self) -> HashSet<SessionId> {
        self.lock().keys().map(|(session, _)| session.clone()).collect()
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NewCall {
    /// Says which stream its answer will come on.
    pub(super) fn answers_on(&self, stream: &str) {
        if let Some(call) = self.all.lock().get_mut(&self.id) {
            call.stream = Some(stream.to_owned());
        }
    }

    /// Goes to its handler with it.
    pub(super) fn handler_end(&self) -> HandlerEnd {
        let (all, id) = (self.all.clone(), self.id.clone());
        HandlerEnd::new(move || all.handled(&id))
    }

    /// Its session has it: from now on it is open until its stream ends.
    pub(super) fn has_arrived(mut self) {
        self.arrived = true;
    }
}

impl Drop for NewCall {
    fn drop(&mut self) {
        if !self.arrived {
            self.all.lock().remove(&self.id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_free_again_when_its_call_is_over() {
        let (calls, id) = (OpenCalls::default(), RequestId::Number(1));
        let (anna, ben) = (SessionId::from("anna"), SessionId::from("ben"));
        let first = calls.begin(&anna, &id).unwrap();
        assert!(calls.begin(&anna, &id).is_none());
        assert!(calls.begin(&ben, &id).is_some(), "it is another session's");
        assert_eq!(calls.stream(&anna, &id), None);
        first.answers_on("a");
        first.has_arrived();
        assert!(calls.begin(&anna, &id).is_none());
        assert_eq!(calls.stream(&anna, &id).as_deref(), Some("a"));
        assert_eq!(calls.of(&anna), std::slice::from_ref(&id));
        calls.end_session(&ben);
        calls.end("b");
        assert!(calls.begin(&anna, &id).is_none());
        calls.end("a");
        // Cancelled, it is over when its handler has ended, whichever comes first.
        for handled_first in [true, false] {
            let call = calls.begin(&anna, &id).unwrap();
            let mut handler = Some(call.handler_end());
            call.answers_on("c");
            call.has_arrived();
            handler.take_if(|_| handled_first);
            assert!(calls.begin(&anna, &id).is_none());
            calls.cancel("c");
            assert_eq!(calls.begin(&anna, &id).is_none(), !handled_first);
            drop(handler);
            assert!(calls.begin(&anna, &id).is_some());
        }
        // One that does not reach its session takes nothing.
        drop(calls.begin(&anna, &id).unwrap());
        assert!(calls.sessions().is_empty());
    }
}
