//! MCP sessions over HTTP, for the protocols that have them (up to 2025-11-25).
//!
//! [`LocalSessionManager`] does the work. Around it: a session lives for hours, not for minutes; the
//! answers of its calls outlive their connections; and there are only so many sessions.
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures::Stream;
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{RestoreOutcome, SessionManager};
use tokio::time::Instant;

use super::priming::Unprimed;
use super::replay::Replay;

/// After this long without a message a session ends. Keep-alive comments and open streams count as
/// nothing, so rmcp's five minutes would end a call that waits for a slow task.
const KEEP_ALIVE: Duration = Duration::from_hours(6);

/// Sessions at a time; one is about 64 KiB. Clients that end without a word leave theirs behind.
const MOST_SESSIONS: usize = 256;

/// Messages between a session and a connection that reads slowly. A full queue stops the whole
/// session until its reader moves or goes.
const QUEUE: usize = 64;

#[derive(Debug)]
pub(super) struct Sessions {
    inner: LocalSessionManager,
    /// When each session was last heard of.
    used: Mutex<HashMap<SessionId, Instant>>,
    unprimed: Unprimed,
    /// Whether there were ever too many.
    full: AtomicBool,
}

impl Sessions {
    pub(super) fn new() -> Self {
        let mut inner =
            LocalSessionManager::default().with_event_store(Arc::new(Replay::default()));
        inner.session_config.keep_alive = Some(KEEP_ALIVE);
        inner.session_config.channel_capacity = QUEUE;
        let full = AtomicBool::new(false);
        Self { inner, used: Mutex::default(), unprimed: Unprimed::default(), full }
    }

    fn used(&self) -> MutexGuard<'_, HashMap<SessionId, Instant>> {
        self.used.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn heard_of(&self, id: &SessionId) {
        if let Some(when) = self.used().get_mut(id) {
            *when = Instant::now();
        }
    }

    /// Ends the sessions that were longest not heard of until there is room for one more. Their
    /// clients get 404 when they come back, and begin anew, as the protocol says.
    async fn make_room(&self) -> Result<(), LocalSessionManagerError> {
        loop {
            let oldest = {
                let used = self.used();
                if used.len() < MOST_SESSIONS {
                    return Ok(());
                }
                used.iter().min_by_key(|(_, when)| **when).map(|(id, _)| id.clone())
            };
            let Some(oldest) = oldest else { return Ok(()) };
            // Once: a client that opens them without end shall not fill the log too.
            if !self.full.swap(true, Ordering::Relaxed) {
                tracing::warn!("more than {MOST_SESSIONS} MCP sessions: the oldest ones end");
            }
            self.close_session(&oldest).await?;
        }
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        self.make_room().await?;
        let (id, transport) = self.inner.create_session().await?;
        self.used().insert(id.clone(), Instant::now());
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        let answer = self.inner.initialize_session(id, message).await?;
        self.unprimed.note(id, &answer);
        Ok(answer)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.inner.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.used().remove(id);
        self.unprimed.forget(id);
        self.inner.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.heard_of(id);
        Ok(self.unprimed.readable(id, self.inner.create_stream(id, message).await?))
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.heard_of(id);
        self.inner.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.heard_of(id);
        Ok(self.unprimed.readable(id, self.inner.create_standalone_stream(id).await?))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.heard_of(id);
        Ok(self.unprimed.readable(id, self.inner.resume(id, last_event_id).await?))
    }

    async fn restore_session(
        &self,
        id: SessionId,
    ) -> Result<RestoreOutcome<Self::Transport>, Self::Error> {
        self.inner.restore_session(id).await
    }

    // `event_store` stays the trait's `None`. rmcp would take a store for leave to let calls of
    // 2026-07-28 run on when their connection breaks, where that protocol says it is a cancel.
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_session_makes_room() {
        let sessions = Sessions::new();
        let (first, _transport) = sessions.create_session().await.unwrap();
        let mut transports = Vec::new();
        for _ in 0..MOST_SESSIONS {
            transports.push(sessions.create_session().await.unwrap());
        }
        assert!(!sessions.has_session(&first).await.unwrap());
        let (last, _) = transports.last().unwrap();
        assert!(sessions.has_session(last).await.unwrap());
        assert_eq!(sessions.used().len(), MOST_SESSIONS);
        assert!(sessions.event_store().is_none());
    }
}
