//! The calls of sessions that have no answer yet: an id is for one of them at a time.
//!
//! A call outlives the connection that it came on. So it is over when its answer is among the events of its
//! stream, when it was cancelled and its handler has ended, or when its session ends, and not when nobody reads it any
//! more.
use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ayeaye_agent::Principal;
use rmcp::model::RequestId;
use rmcp::transport::common::server_side_http::SessionId;

use crate::handler_end::HandlerEnd;
use crate::open_requests::{MOST_OPEN, NotTaken};
use crate::principal::{Counted, PerPrincipal};

/// Most calls of one session: a client that leaves its calls open takes little from others with the same token.
const MOST_OF_SESSION: usize = MOST_OPEN / 4;

/// A call's session and its id there.
type CallId = (SessionId, RequestId);

#[derive(Debug, Default)]
struct Calls {
    /// Those of each session that has any.
    sessions: HashMap<SessionId, HashMap<RequestId, CallState>>,
    /// The call of each stream.
    streams: HashMap<String, CallId>,
}

#[derive(Debug)]
struct CallState {
    /// Its stream, once it has one.
    stream: Option<String>,
    cancelled: bool,
    /// Its handler has ended, and what it has to say is on its way.
    handled: bool,
    _counted: Counted,
}

impl Calls {
    fn get(&self, (session, call): &CallId) -> Option<&CallState> {
        self.sessions.get(session)?.get(call)
    }

    fn get_mut(&mut self, (session, call): &CallId) -> Option<&mut CallState> {
        self.sessions.get_mut(session)?.get_mut(call)
    }

    fn remove(&mut self, (session, call): &CallId) {
        let Some(its) = self.sessions.get_mut(session) else { return };
        if let Some(CallState { stream: Some(stream), .. }) = its.remove(call) {
            self.streams.remove(&stream);
        }
        if its.is_empty() {
            self.sessions.remove(session);
        }
    }
}

/// All calls without an answer. Clones are the same.
#[derive(Debug, Clone, Default)]
pub(super) struct OpenCalls {
    calls: Arc<Mutex<Calls>>,
    per_principal: PerPrincipal,
}

/// A call that is on its way to its session; dropped before it is there, its id is free again.
#[derive(Debug)]
pub(super) struct NewCall {
    all: OpenCalls,
    id: CallId,
    arrived: bool,
}

impl OpenCalls {
    /// A call of `principal`'s session begins. No connection bounds how many are open, since they outlive theirs.
    pub(super) fn begin(
        &self,
        session: &SessionId,
        principal: &Principal,
        call: &RequestId,
    ) -> Result<NewCall, NotTaken> {
        let (id, mut all) = ((session.clone(), call.clone()), self.lock());
        match all.get(&id) {
            Some(known) if known.cancelled => return Err(NotTaken::StillEnding),
            Some(_) => return Err(NotTaken::InUse),
            None => {}
        }
        let too_many = |most, which| NotTaken::TooMany { most, which };
        if MOST_OF_SESSION <= all.sessions.get(session).map_or(0, HashMap::len) {
            let which = "of this session are open, which a lost connection does not change";
            return Err(too_many(MOST_OF_SESSION, which));
        }
        let counted = self.per_principal.take(principal, MOST_OPEN).ok_or_else(|| {
            let which = "of all your sessions are open, which a lost connection does not change";
            too_many(MOST_OPEN, which)
        })?;
        let state = CallState { stream: None, cancelled: false, handled: false, _counted: counted };
        all.sessions.entry(session.clone()).or_default().insert(call.clone(), state);
        Ok(NewCall { all: self.clone(), id, arrived: false })
    }

    /// The stream of a call.
    pub(super) fn stream(&self, session: &SessionId, call: &RequestId) -> Option<String> {
        self.lock().get(&(session.clone(), call.clone()))?.stream.clone()
    }

    /// The ids of a session's calls.
    pub(super) fn of(&self, session: &SessionId) -> Vec<RequestId> {
        let all = self.lock();
        all.sessions.get(session).into_iter().flat_map(HashMap::keys).cloned().collect()
    }

    /// The session has ended, and its calls with it.
    pub(super) fn end_session(&self, session: &SessionId) {
        let mut all = self.lock();
        for call in all.sessions.remove(session).unwrap_or_default().into_values() {
            if let Some(stream) = call.stream {
                all.streams.remove(&stream);
            }
        }
    }

    /// The call of this stream is over.
    pub(super) fn end(&self, stream: &str) {
        let mut all = self.lock();
        if let Some(id) = all.streams.get(stream).cloned() {
            all.remove(&id);
        }
    }

    /// The call of this stream is cancelled, and its session knows it. It is over as soon as its handler has ended: rmcp
    /// would take its answer for that of another call with the id.
    pub(super) fn cancel(&self, stream: &str) {
        let mut all = self.lock();
        let Some(id) = all.streams.get(stream).cloned() else { return };
        let Some(call) = all.get_mut(&id) else { return };
        call.cancelled = true;
        if call.handled {
            all.remove(&id);
        }
    }

    fn handled(&self, id: &CallId) {
        let mut all = self.lock();
        let Some(call) = all.get_mut(id) else { return };
        call.handled = true;
        if call.cancelled {
            all.remove(id);
        }
    }

    /// The sessions with an open call.
    pub(super) fn sessions(&self) -> HashSet<SessionId> {
        self.lock().sessions.keys().cloned().collect()
    }

    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl NewCall {
    /// Says which stream its answer will come on.
    pub(super) fn answers_on(&self, stream: &str) {
        let mut all = self.all.lock();
        if let Some(call) = all.get_mut(&self.id) {
            call.stream = Some(stream.to_owned());
            all.streams.insert(stream.to_owned(), self.id.clone());
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
        let (calls, id, me) = (OpenCalls::default(), RequestId::Number(1), Principal::local());
        let (anna, ben) = (SessionId::from("anna"), SessionId::from("ben"));
        let begin = |session| calls.begin(session, &me, &id);
        let first = begin(&anna).unwrap();
        assert_eq!(begin(&anna).unwrap_err(), NotTaken::InUse);
        assert!(begin(&ben).is_ok(), "it is another session's");
        assert_eq!(calls.stream(&anna, &id), None);
        first.answers_on("a");
        first.has_arrived();
        assert_eq!(begin(&anna).unwrap_err(), NotTaken::InUse);
        assert_eq!(calls.stream(&anna, &id).as_deref(), Some("a"));
        assert_eq!(calls.of(&anna), std::slice::from_ref(&id));
        calls.end_session(&ben);
        calls.end("b");
        assert!(begin(&anna).is_err());
        calls.end("a");
        // Cancelled, it is over when its handler has ended, whichever comes first.
        for handled_first in [true, false] {
            let call = begin(&anna).unwrap();
            let mut handler = Some(call.handler_end());
            call.answers_on("c");
            call.has_arrived();
            handler.take_if(|_| handled_first);
            assert!(begin(&anna).is_err());
            calls.cancel("c");
            assert_eq!(begin(&anna).err(), (!handled_first).then_some(NotTaken::StillEnding));
            drop(handler);
            assert!(begin(&anna).is_ok());
        }
        // One that does not reach its session takes nothing.
        drop(begin(&anna).unwrap());
        assert!(calls.sessions().is_empty());
    }

    /// Calls of a session that have arrived there, each on a stream of its own.
    fn fill(
        calls: &OpenCalls,
        session: &str,
        principal: &Principal,
        numbers: std::ops::Range<usize>,
    ) {
        for number in numbers {
            let id = RequestId::Number(i64::try_from(number).unwrap());
            let call = calls.begin(&session.into(), principal, &id).expect("there is room");
            call.answers_on(&format!("{session}/{number}"));
            call.has_arrived();
        }
    }

    #[test]
    fn a_session_and_a_principal_have_so_many_open_and_no_more() {
        let (calls, one_more) = (OpenCalls::default(), RequestId::String("one more".into()));
        let (anna, ben) = (Principal::new("token:anna"), Principal::new("token:ben"));
        let begin = |session: &str, principal| calls.begin(&session.into(), principal, &one_more);
        let refusal = |session, principal| begin(session, principal).unwrap_err().to_string();
        fill(&calls, "a", &anna, 0..256);
        let text = refusal("a", &anna);
        assert!(text.starts_with("256 requests of this session are open"), "{text}");
        // Another of hers has room until she has no more.
        for session in ["b", "c", "d"] {
            fill(&calls, session, &anna, 0..256);
        }
        let text = refusal("e", &anna);
        assert!(text.starts_with("1024 requests of all your sessions are open"), "{text}");
        assert!(begin("f", &ben).is_ok());
        // Whatever ends a call makes room.
        calls.end("a/0");
        assert!(begin("a", &anna).is_ok() && begin("e", &anna).is_ok());
        fill(&calls, "a", &anna, 0..1);
        calls.cancel("b/0");
        assert!(begin("b", &anna).is_err(), "its handler is at work");
        calls.handled(&("b".into(), RequestId::Number(0)));
        assert!(begin("b", &anna).is_ok());
        calls.end_session(&"c".into());
        fill(&calls, "e", &anna, 0..256);
        for session in ["a", "b", "d", "e"] {
            calls.end_session(&session.into());
        }
        assert!(calls.lock().streams.is_empty() && calls.per_principal.is_empty());
    }
}
