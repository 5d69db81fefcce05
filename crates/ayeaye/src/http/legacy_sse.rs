//! Removes events without a message for clients that cannot read them.
//!
//! From 2025-11-25 on a stream begins with an event that has an id and no data, so that a client can
//! reconnect before the first message (SEP-1699). rmcp sends it to all clients. Clients of older
//! protocols parse the empty data as JSON; Gemini CLI gives up the connection.
use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::future::ready;
use futures::{Stream, StreamExt as _};
use rmcp::model::{ProtocolVersion, ServerJsonRpcMessage, ServerResult};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};

/// The sessions whose clients cannot read such events.
#[derive(Debug, Default)]
pub(super) struct LegacySseFilter {
    sessions: Mutex<HashSet<SessionId>>,
}

impl LegacySseFilter {
    /// Reads the session's protocol version from the answer to `initialize`.
    pub(super) fn note(&self, id: &SessionId, answer: &ServerJsonRpcMessage) {
        if let ServerJsonRpcMessage::Response(answer) = answer
            && let ServerResult::InitializeResult(result) = &answer.result
            && result.protocol_version < ProtocolVersion::V_2025_11_25
        {
            self.sessions().insert(id.clone());
        }
    }

    /// The session has ended.
    pub(super) fn remove(&self, id: &SessionId) {
        self.sessions().remove(id);
    }

    /// The stream without the events that the session's client cannot read.
    pub(super) fn readable<S>(
        &self,
        id: &SessionId,
        stream: S,
    ) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static + use<S>
    where
        S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    {
        let all = !self.sessions().contains(id);
        stream.filter(move |event| ready(all || event.message.is_some()))
    }

    fn sessions(&self) -> MutexGuard<'_, HashSet<SessionId>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    async fn read(version: &str) -> usize {
        let (legacy_sse, id) = (LegacySseFilter::default(), SessionId::from("one"));
        let answer = json!({ "jsonrpc": "2.0", "id": 0, "result": {
            "protocolVersion": version, "capabilities": {}, "serverInfo": { "name": "", "version": "" },
        }});
        let answer: ServerJsonRpcMessage = serde_json::from_value(answer).unwrap();
        legacy_sse.note(&id, &answer);
        let sent = vec![
            ServerSseMessage::priming("a/1", Duration::from_secs(3)),
            ServerSseMessage::new("a/2", answer),
        ];
        let read = legacy_sse.readable(&id, futures::stream::iter(sent)).count().await;
        legacy_sse.remove(&id);
        assert!(legacy_sse.sessions().is_empty());
        read
    }

    #[tokio::test]
    async fn old_clients_get_no_event_without_a_message() {
        assert_eq!(read("2025-03-26").await, 1);
        assert_eq!(read("2025-06-18").await, 1);
        assert_eq!(read("2025-11-25").await, 2);
    }
}
