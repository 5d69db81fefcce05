//! MCP sessions over HTTP, for the protocols that have them (up to 2025-11-25).
//!
//! [`LocalSessionManager`] does the work. This adds: a session lives for hours, not minutes; the
//! answers of its calls outlive their connections; the number of sessions is limited; and each belongs
//! to the principal that opened it and does not exist for any other.
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_agent::Principal;
use futures::future::ready;
use futures::{Stream, StreamExt as _, stream};
use rmcp::ErrorData;
use rmcp::model::{
    CancelledNotification, CancelledNotificationParam, ClientJsonRpcMessage, ClientNotification,
    GetExtensions as _, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError,
};
use rmcp::transport::streamable_http_server::session::{RestoreOutcome, SessionManager};
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout};

use super::legacy_sse::LegacySseFilter;
use super::open_calls::{NewCall, OpenCalls};
use super::replay::{Replay, Spent};

/// A session ends after this long without a message. Keep-alive comments and open streams do not count,
/// so rmcp's five minutes would end a call that waits for a slow task.
const KEEP_ALIVE: Duration = Duration::from_hours(6);

/// Most sessions at a time; one takes about 64 KiB. Clients that quit without a DELETE leave theirs
/// behind.
const MAX_SESSIONS: usize = 256;

/// Messages queued for a connection that reads slowly. A full queue blocks the whole session until the
/// client reads or disconnects.
const QUEUE: usize = 64;

/// How long a session that ends may take to hear that its calls are cancelled.
const CANCEL_LIMIT: Duration = Duration::from_secs(1);

tokio::task_local! {
    /// The principal of the request that this task answers: rmcp does not pass it to the session manager.
    static PRINCIPAL: Principal;
}

/// Handles a request on behalf of `principal`.
pub(super) async fn on_behalf_of<T>(principal: Principal, answer: impl Future<Output = T>) -> T {
    PRINCIPAL.scope(principal, answer).await
}

/// Outside of requests it is the server itself; over stdio, the person who started it.
fn current_principal() -> Principal {
    PRINCIPAL.try_with(Clone::clone).unwrap_or_else(|_| Principal::local())
}

#[derive(Debug)]
pub(super) struct Sessions {
    inner: Arc<LocalSessionManager>,
    replay: Replay,
    open: Mutex<HashMap<SessionId, OpenSession>>,
    legacy_sse: LegacySseFilter,
    calls: OpenCalls,
    /// Whether the limit was ever reached.
    full: AtomicBool,
}

#[derive(Debug)]
struct OpenSession {
    owner: Principal,
    /// When its last message arrived.
    used: Instant,
}

impl Sessions {
    pub(super) fn new() -> Self {
        let calls = OpenCalls::default();
        let replay = Replay::new(calls.clone());
        let mut inner = LocalSessionManager::default().with_event_store(Arc::new(replay.clone()));
        inner.session_config.keep_alive = Some(KEEP_ALIVE);
        inner.session_config.channel_capacity = QUEUE;
        let full = AtomicBool::new(false);
        Self {
            inner: Arc::new(inner),
            replay,
            open: Mutex::default(),
            legacy_sse: LegacySseFilter::default(),
            calls,
            full,
        }
    }

    /// Whether this is an open session of `principal`.
    pub(super) fn is_of(&self, id: &str, principal: &Principal) -> bool {
        self.open().get(id).is_some_and(|session| session.owner == *principal)
    }

    /// Why nothing is left to send to whoever resumes a stream after this event.
    pub(super) fn spent(&self, event: &str, principal: &Principal) -> Option<Spent> {
        self.replay.spent(event, principal)
    }

    fn open(&self) -> MutexGuard<'_, HashMap<SessionId, OpenSession>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn touch(&self, id: &SessionId) {
        if let Some(session) = self.open().get_mut(id) {
            session.used = Instant::now();
        }
    }

    /// Notes which of the kept events were handed to this reader, its session's owner.
    fn noted<S>(&self, stream: S) -> impl Stream<Item = ServerSseMessage> + Send + Sync + 'static
    where
        S: Stream<Item = ServerSseMessage> + Send + Sync + 'static,
    {
        let (replay, principal) = (self.replay.clone(), current_principal());
        stream.inspect(move |message| {
            if let Some(id) = &message.event_id {
                replay.read(id, &principal);
            }
        })
    }

    /// Hands a call to its session and returns the stream of its events. What rmcp's own `create_stream` does, but
    /// the stream is known before the session has the call: its answer could come at once.
    async fn call(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
        call: NewCall,
    ) -> Result<
        impl Stream<Item = ServerSseMessage> + Send + Sync + 'static,
        LocalSessionManagerError,
    > {
        let known = self.inner.sessions.read().await.get(id).cloned();
        let session = known.ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))?;
        let receiver = session.establish_request_wise_channel().await?;
        let (number, mut events) = (receiver.http_request_id, receiver.inner);
        // Each stream begins with an event that has nothing but an id.
        let first = events.try_recv().ok();
        let name = first.as_ref().and_then(|event| event.event_id.as_deref());
        if let Some((name, _)) = name.and_then(|name| name.rsplit_once('/')) {
            call.answers_on(name);
            let delivery = self.replay.assign(name, id, &current_principal());
            if let ClientJsonRpcMessage::Request(request) = &mut message {
                request.request.extensions_mut().insert(delivery);
            }
            let pushed = session.push_message(message, number).await;
            // It may have ended meanwhile, and then nobody would end what has just begun.
            if pushed.is_err() || !self.open().contains_key(id) {
                self.calls.end_session(id);
                self.replay.end_session(id);
            }
            pushed?;
            call.has_arrived();
        } else {
            session.push_message(message, number).await?;
        }
        Ok(stream::iter(first).chain(stream::poll_fn(move |context| events.poll_recv(context))))
    }

    /// Adds a session, and ends others until there is room for it: the least recently used of the principal with
    /// the most. Its client gets 404 and initializes again, as the protocol requires. One with a call that
    /// somebody waits for goes last, since its run would end with it; while it waits no message comes.
    ///
    /// All in one: of many that are opened at a time none passes the limit. Returns the ends, which go on by themselves.
    fn add(&self, id: SessionId) -> Vec<JoinHandle<Result<(), LocalSessionManagerError>>> {
        let mut ends = Vec::new();
        let mut open = self.open();
        while MAX_SESSIONS <= open.len()
            && let Some(oldest) = self.oldest(&open)
        {
            // Only once: a client that keeps opening sessions must not fill the log as well.
            if !self.full.swap(true, Ordering::Relaxed) {
                tracing::warn!("more than {MAX_SESSIONS} MCP sessions: the oldest ones end");
            }
            open.remove(&oldest);
            ends.push(self.end(&oldest));
        }
        open.insert(id, OpenSession { owner: current_principal(), used: Instant::now() });
        ends
    }

    /// The session that makes room for another.
    fn oldest(&self, open: &HashMap<SessionId, OpenSession>) -> Option<SessionId> {
        let mut per_principal: HashMap<&Principal, usize> = HashMap::new();
        for one in open.values() {
            *per_principal.entry(&one.owner).or_default() += 1;
        }
        let most = per_principal.values().max().copied().unwrap_or_default();
        let waiting = self.calls.sessions();
        open.iter()
            .filter(|(_, one)| per_principal.get(&one.owner) == Some(&most))
            .min_by_key(|(id, one)| (waiting.contains(*id), one.used))
            .map(|(id, _)| id.clone())
    }

    /// Ends a session that was taken out of the list of those that are open. From here on nobody else can find it to end
    /// it: whoever asked for its end may go away meanwhile, and so may whoever needed its place.
    fn end(&self, id: &SessionId) -> JoinHandle<Result<(), LocalSessionManagerError>> {
        self.legacy_sse.remove(id);
        let ending = SessionEnd {
            inner: Arc::clone(&self.inner),
            calls: self.calls.clone(),
            replay: self.replay.clone(),
            id: id.clone(),
        };
        tokio::spawn(ending.carry_out())
    }
}

/// The end of a session that is no longer in the list of those that are open.
struct SessionEnd {
    inner: Arc<LocalSessionManager>,
    calls: OpenCalls,
    replay: Replay,
    id: SessionId,
}

impl SessionEnd {
    async fn carry_out(self) -> Result<(), LocalSessionManagerError> {
        self.cancel_calls().await;
        let closing = self.inner.close_session(&self.id);
        // It is out of the list at once. Only its end may have to wait until its client reads.
        let closed = timeout(CANCEL_LIMIT, closing).await.unwrap_or(Ok(()));
        self.calls.end_session(&self.id);
        self.replay.end_session(&self.id);
        closed
    }

    /// Cancels its calls: rmcp lets them go on for some seconds, to send their answers, while their runs drive the phone.
    async fn cancel_calls(&self) {
        let cancel = async {
            for call in self.calls.of(&self.id) {
                let why = Some("the session has ended".to_owned());
                let params = CancelledNotificationParam::new(Some(call), why);
                let cancelled = CancelledNotification::new(params).into();
                let message = ClientJsonRpcMessage::notification(cancelled);
                if self.inner.accept_message(&self.id, message).await.is_err() {
                    // It has ended by itself.
                    return;
                }
            }
        };
        // A session blocks while a client does not read what it is sent; those that make room for others must not wait.
        drop(timeout(CANCEL_LIMIT, cancel).await);
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.inner.create_session().await?;
        for end in self.add(id.clone()) {
            // Whoever opens many waits for the end of as many.
            if let Ok(Err(err)) = end.await {
                tracing::debug!("a session that made room: {err}");
            }
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        let answer = self.inner.initialize_session(id, message).await?;
        self.legacy_sse.note(id, &answer);
        Ok(answer)
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        // For others it does not exist: rmcp answers 404.
        Ok(self.is_of(id, &current_principal()) && self.inner.has_session(id).await?)
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.open().remove(id);
        self.end(id).await.unwrap_or(Ok(()))
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.touch(id);
        let ClientJsonRpcMessage::Request(request) = &mut message else {
            return Ok(self.inner.create_stream(id, message).await?.left_stream());
        };
        let call = match self.calls.begin(id, &current_principal(), &request.id) {
            Ok(call) => call,
            Err(refused) => {
                let error = ErrorData::invalid_request(refused.to_string(), None);
                let refusal = ServerJsonRpcMessage::error(error, Some(request.id.clone()));
                let refusal = stream::once(ready(ServerSseMessage::from_message(refusal)));
                return Ok(refusal.left_stream().right_stream());
            }
        };
        request.request.extensions_mut().insert(call.handler_end());
        let stream = self.noted(self.call(id, message, call).await?);
        Ok(self.legacy_sse.readable(id, stream).right_stream().right_stream())
    }

    async fn accept_message(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.touch(id);
        let cancelled = cancelled(&message).and_then(|call| self.calls.stream(id, call));
        if let Some(stream) = &cancelled {
            // Before the stream ends: some clients resume it at once.
            self.replay.cancel(stream);
        }
        self.inner.accept_message(id, message).await?;
        // Not before: a call that takes its id must reach the session after this.
        if let Some(stream) = cancelled {
            self.calls.cancel(&stream);
        }
        Ok(())
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.touch(id);
        let stream = self.noted(self.inner.create_standalone_stream(id).await?);
        Ok(self.legacy_sse.readable(id, stream))
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.touch(id);
        // rmcp does not check whose stream it is.
        let theirs = self.replay.is_of(&last_event_id, &current_principal());
        let from = if theirs { last_event_id } else { Replay::NOWHERE.to_owned() };
        Ok(self.legacy_sse.readable(id, self.inner.resume(id, from).await?))
    }

    async fn restore_session(
        &self,
        id: SessionId,
    ) -> Result<RestoreOutcome<Self::Transport>, Self::Error> {
        self.inner.restore_session(id).await
    }

    // `event_store` stays the trait's `None`. With a store rmcp would let calls of 2026-07-28 go on when
    // their connection breaks, which in that protocol is a cancellation.
}

/// The call that this message cancels.
fn cancelled(message: &ClientJsonRpcMessage) -> Option<&RequestId> {
    let ClientJsonRpcMessage::Notification(message) = message else { return None };
    match &message.notification {
        ClientNotification::CancelledNotification(it) => it.params.request_id.as_ref(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;
    use futures::future::join_all;
    use tokio::time::sleep;

    use super::*;

    #[tokio::test]
    async fn the_oldest_session_makes_room() {
        let sessions = Sessions::new();
        let (first, _transport) = sessions.create_session().await.unwrap();
        let mut transports = Vec::new();
        for _ in 0..MAX_SESSIONS {
            transports.push(sessions.create_session().await.unwrap());
        }
        assert!(!sessions.has_session(&first).await.unwrap());
        let (last, _) = transports.last().unwrap();
        assert!(sessions.has_session(last).await.unwrap());
        assert_eq!(sessions.open().len(), MAX_SESSIONS);
        assert!(sessions.event_store().is_none());
    }

    #[tokio::test]
    async fn sessions_that_are_opened_at_a_time_do_not_pass_the_limit() {
        let sessions = Sessions::new();
        for _ in 1..MAX_SESSIONS {
            sessions.create_session().await.unwrap();
        }
        // None of them is there before all have been asked for.
        let held = sessions.inner.sessions.write().await;
        let mut opening = join_all((0..5).map(|_| sessions.create_session()));
        assert!((&mut opening).now_or_never().is_none());
        drop(held);
        for opened in opening.await {
            assert!(sessions.has_session(&opened.unwrap().0).await.unwrap());
        }
        assert_eq!(sessions.open().len(), MAX_SESSIONS);
        assert_eq!(sessions.inner.sessions.read().await.len(), MAX_SESSIONS);
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_ends_although_whoever_asked_for_that_goes_away() {
        let sessions = Sessions::new();
        let (id, _transport) = sessions.create_session().await.unwrap();
        let (me, number) = (Principal::local(), RequestId::Number(1));
        sessions.calls.begin(&id, &me, &number).unwrap().has_arrived();
        assert!(sessions.close_session(&id).now_or_never().is_none());
        let ended = async {
            while sessions.calls.sessions().contains(&id) {
                sleep(CANCEL_LIMIT).await;
            }
        };
        timeout(10 * CANCEL_LIMIT, ended).await.expect("its calls end");
        assert!(!sessions.inner.has_session(&id).await.unwrap());
    }

    #[tokio::test]
    async fn a_session_that_waits_for_a_call_goes_last() {
        let sessions = Sessions::new();
        let (waits, _transport) = sessions.create_session().await.unwrap();
        let (idle, _transport) = sessions.create_session().await.unwrap();
        let (me, number) = (Principal::local(), RequestId::Number(1));
        let call = sessions.calls.begin(&waits, &me, &number).unwrap();
        let mut rest = Vec::new();
        for _ in 0..MAX_SESSIONS - 1 {
            rest.push(sessions.create_session().await.unwrap());
        }
        assert!(sessions.has_session(&waits).await.unwrap());
        assert!(!sessions.has_session(&idle).await.unwrap());
        // If all of them are waiting, one of them still goes.
        let all: Vec<_> = rest.iter().map(|(id, _)| id).collect();
        let begin = |id: &&SessionId| sessions.calls.begin(id, &me, &number).unwrap();
        let calls: Vec<_> = all.iter().map(begin).collect();
        rest.push(sessions.create_session().await.unwrap());
        assert!(!sessions.has_session(&waits).await.unwrap());
        assert_eq!(sessions.open().len(), MAX_SESSIONS);
        drop((call, calls));
    }

    #[tokio::test]
    async fn whoever_opens_too_many_loses_their_own() {
        let sessions = Sessions::new();
        let (anna, greedy) = (Principal::new("token:anna"), Principal::new("token:greedy"));
        let mine = on_behalf_of(anna.clone(), sessions.create_session()).await.unwrap();
        let mut transports = Vec::new();
        for _ in 0..2 * MAX_SESSIONS {
            let opened = on_behalf_of(greedy.clone(), sessions.create_session()).await.unwrap();
            transports.push(opened);
        }
        assert!(sessions.is_of(&mine.0, &anna));
        assert!(!sessions.is_of(&mine.0, &greedy));
        assert!(on_behalf_of(anna, sessions.has_session(&mine.0)).await.unwrap());
        assert!(!on_behalf_of(greedy, sessions.has_session(&mine.0)).await.unwrap());
        assert!(!sessions.has_session(&mine.0).await.unwrap(), "nor is it the local person's");
    }
}
