//! The calls of sessions that are waited for: an id is for one of them at a time.
use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rmcp::model::RequestId;
use rmcp::transport::common::server_side_http::SessionId;

type Ids = Mutex<HashSet<(SessionId, RequestId)>>;

/// The ids of all calls that somebody waits for.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(Arc<Ids>);

/// A call, until it is dropped.
#[derive(Debug)]
pub(super) struct OpenCall {
    all: Arc<Ids>,
    id: (SessionId, RequestId),
}

impl OpenCalls {
    /// A call begins; `None` if one of the session with this id is open.
    pub(super) fn begin(&self, session: &SessionId, call: &RequestId) -> Option<OpenCall> {
        let id = (session.clone(), call.clone());
        lock(&self.0).insert(id.clone()).then(|| OpenCall { all: Arc::clone(&self.0), id })
    }

    /// The sessions with a call that somebody waits for.
    pub(super) fn sessions(&self) -> HashSet<SessionId> {
        lock(&self.0).iter().map(|(session, _)| session.clone()).collect()
    }
}

impl Drop for OpenCall {
    fn drop(&mut self) {
        lock(&self.all).remove(&self.id);
    }
}

fn lock(ids: &Ids) -> MutexGuard<'_, HashSet<(SessionId, RequestId)>> {
    ids.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_free_again_when_its_call_is_over() {
        let (calls, id) = (OpenCalls::default(), RequestId::Number(1));
        let (anna, ben) = (SessionId::from("anna"), SessionId::from("ben"));
        let first = calls.begin(&anna, &id);
        assert!(first.is_some());
        assert!(calls.begin(&anna, &id).is_none());
        assert!(calls.begin(&ben, &id).is_some(), "it is another session's");
        drop(first);
        assert!(calls.begin(&anna, &id).is_some());
    }
}
