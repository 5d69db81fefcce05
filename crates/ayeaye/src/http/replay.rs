//! Keeps the events of streams for clients that lose their connection.
//!
//! rmcp drops the answer of a call when its connection is lost. This store keeps it, so that a client of
//! the protocols with sessions (up to 2025-11-25) can resume with `Last-Event-ID`.
use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use ayeaye_agent::Principal;
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId};
use rmcp::transport::streamable_http_server::session::{
    EventId, EventStore, EventStoreError, EventStream,
};
use tokio::sync::watch;

use super::open_calls::OpenCalls;
use crate::delivery::Delivery;

/// Most events of one stream. Progress comes at most once a second, so this is minutes of it; the oldest
/// is dropped first, the answer never.
const MAX_EVENTS: usize = 256;
/// Most streams of all sessions.
const MAX_STREAMS: usize = 1024;
/// Most bytes of all events together, as JSON.
const MAX_BYTES: usize = 32 << 20;

/// How rmcp names the stream of a session that belongs to no call.
const NEWS: &str = ":common";

/// The events of all streams, bounded.
#[derive(Debug, Clone, Default)]
pub(super) struct Replay {
    kept: Arc<Mutex<KeptStreams>>,
    /// The calls that the answers are for.
    calls: OpenCalls,
}

#[derive(Debug, Default)]
struct KeptStreams {
    streams: HashMap<String, Stream>,
    bytes: usize,
    /// Counts the events of all streams, so that no number is used twice, not even by a stream that was
    /// dropped and came back.
    last: u64,
}

#[derive(Debug)]
struct Stream {
    events: VecDeque<Event>,
    bytes: usize,
    /// The number of the newest event, for readers that wait for more.
    newest: watch::Sender<u64>,
    state: RequestPhase,
    /// The number of the newest event that a reader was handed.
    read: u64,
    /// Told when that is the answer.
    delivery: Option<Delivery>,
    /// The session whose call it is for.
    session: Option<SessionId>,
    /// The principal that has read it first; no other may.
    owner: Option<Principal>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RequestPhase {
    /// More may come.
    Open,
    /// The answer, which comes last, is among the events.
    Answered,
    /// Its call was cancelled: no answer comes.
    Cancelled,
}

/// Why nothing comes to whoever resumes a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spent {
    /// The answer was sent.
    Answered,
    /// The call was cancelled.
    Cancelled,
    /// It was dropped, never there or is somebody else's.
    Gone,
}

impl Spent {
    /// What the client is told.
    pub(super) fn text(self) -> &'static str {
        match self {
            Self::Answered => "nothing is left of this stream: its answer was sent",
            Self::Cancelled => "nothing is left of this stream: its call was cancelled",
            Self::Gone => {
                "this stream is not kept, or not any more; a run that its call began goes on: list_sessions and \
                 get_session tell of it"
            }
        }
    }
}

#[derive(Debug)]
struct Event {
    number: u64,
    size: usize,
    message: ServerSseMessage,
}

#[derive(Debug, thiserror::Error)]
#[error("nothing is kept of this stream")]
struct Forgotten;

impl Replay {
    /// An event id that is never used.
    pub(super) const NOWHERE: &str = "/0";

    /// For the answers of these calls.
    pub(super) fn new(calls: OpenCalls) -> Self {
        Self { kept: Arc::default(), calls }
    }

    /// A call of `principal`'s session is answered on this stream. What is returned learns that the answer was read.
    pub(super) fn assign(
        &self,
        stream: &str,
        session: &SessionId,
        principal: &Principal,
    ) -> Delivery {
        let delivery = Delivery::default();
        if let Some(stream) = lock(&self.kept).streams.get_mut(stream) {
            stream.session = Some(session.clone());
            stream.owner = Some(principal.clone());
            stream.delivery = Some(delivery.clone());
        }
        delivery
    }

    /// The call of this stream was cancelled: rmcp drops its answer, and whoever reads it has nothing to wait for.
    pub(super) fn cancel(&self, stream: &str) {
        if let Some(stream) = lock(&self.kept).streams.get_mut(stream)
            && stream.state == RequestPhase::Open
        {
            stream.state = RequestPhase::Cancelled;
            // Wakes the readers.
            stream.newest.send_modify(|_| {});
        }
    }

    /// The session has ended: nobody can ask for its streams any more, and their readers end.
    pub(super) fn end_session(&self, session: &SessionId) {
        let news = format!("{session}{NEWS}");
        let mut kept = lock(&self.kept);
        let KeptStreams { streams, bytes, .. } = &mut *kept;
        streams.retain(|name, stream| {
            let stays = stream.session.as_ref() != Some(session) && *name != news;
            if !stays {
                *bytes -= stream.bytes;
            }
            stays
        });
    }

    /// This event is handed to a reader, `principal`. It is theirs from now on, if it had no owner yet.
    pub(super) fn read(&self, event: &str, principal: &Principal) {
        let Some((stream, number)) = event.rsplit_once('/') else { return };
        let Ok(number) = number.parse() else { return };
        if let Some(stream) = lock(&self.kept).streams.get_mut(stream) {
            stream.owner.get_or_insert_with(|| principal.clone());
        }
        note_read(&self.kept, stream, number);
    }

    /// Why a client that resumes after this event would get nothing; `None` where it may get something. The stream
    /// of a session's news never ends.
    pub(super) fn spent(&self, event: &str, principal: &Principal) -> Option<Spent> {
        let Some((name, after)) = event.rsplit_once('/') else { return Some(Spent::Gone) };
        let Ok(after) = after.parse() else { return Some(Spent::Gone) };
        let kept = lock(&self.kept);
        match kept.streams.get(name) {
            Some(stream) if stream.owner.as_ref() == Some(principal) => {
                match (kept.after(name, after), stream.state) {
                    (NextEvent::End, RequestPhase::Cancelled) => Some(Spent::Cancelled),
                    (NextEvent::End, _) => Some(Spent::Answered),
                    _ => None,
                }
            }
            _ => Some(Spent::Gone).filter(|_| !name.ends_with(NEWS)),
        }
    }

    /// Whether the stream of this event is `principal`'s.
    pub(super) fn is_of(&self, event: &str, principal: &Principal) -> bool {
        let Some((stream, _)) = event.rsplit_once('/') else { return false };
        lock(&self.kept).streams.get(stream).is_some_and(|it| it.owner.as_ref() == Some(principal))
    }
}

#[async_trait]
impl EventStore for Replay {
    async fn store_event(
        &self,
        stream: &str,
        event: &ServerSseMessage,
    ) -> Result<EventId, EventStoreError> {
        let id = lock(&self.kept).store(stream, event.clone());
        if is_answer(event) {
            self.calls.end(stream);
        }
        Ok(id)
    }

    /// Yields what is kept and, while the answer is still to come, what is added.
    async fn replay_events_after(&self, last: &str) -> Result<EventStream, EventStoreError> {
        let (stream, after) = last.rsplit_once('/').ok_or(Forgotten)?;
        let after: u64 = after.parse()?;
        let news = lock(&self.kept).streams.get(stream).ok_or(Forgotten)?.newest.subscribe();
        let place =
            StreamPosition { kept: Arc::clone(&self.kept), stream: stream.to_owned(), after, news };
        Ok(Box::pin(futures::stream::unfold(place, StreamPosition::next)))
    }
}

/// One reader's position in a stream.
struct StreamPosition {
    kept: Arc<Mutex<KeptStreams>>,
    stream: String,
    after: u64,
    news: watch::Receiver<u64>,
}

impl StreamPosition {
    async fn next(mut self) -> Option<(ServerSseMessage, Self)> {
        loop {
            self.news.mark_unchanged();
            let found = lock(&self.kept).after(&self.stream, self.after);
            match found {
                NextEvent::Event(number, message) => {
                    self.after = number;
                    note_read(&self.kept, &self.stream, number);
                    return Some((message, self));
                }
                NextEvent::End => return None,
                NextEvent::Later => {
                    if self.news.changed().await.is_err() {
                        self.subscribe_anew();
                    }
                }
            }
        }
    }

    /// The stream was dropped: the next read finds its end, unless it came back meanwhile, with another sender.
    fn subscribe_anew(&mut self) {
        if let Some(stream) = lock(&self.kept).streams.get(&self.stream) {
            self.news = stream.newest.subscribe();
        }
    }
}

/// The next event, if any.
enum NextEvent {
    Event(u64, ServerSseMessage),
    Later,
    End,
}

impl KeptStreams {
    fn store(&mut self, name: &str, mut message: ServerSseMessage) -> EventId {
        self.last += 1;
        let number = self.last;
        let id = format!("{name}/{number}");
        message.event_id = Some(id.clone());
        let size = size(&message);
        let stream = self.streams.entry(name.to_owned()).or_insert_with(|| Stream {
            events: VecDeque::new(),
            bytes: 0,
            newest: watch::Sender::new(0),
            state: RequestPhase::Open,
            read: 0,
            delivery: None,
            session: None,
            owner: None,
        });
        // The answer of a call that was cancelled in the last moment comes as news, which has no end.
        if is_answer(&message) && !name.ends_with(NEWS) {
            stream.state = RequestPhase::Answered;
        }
        stream.events.push_back(Event { number, size, message });
        stream.bytes += size;
        self.bytes += size;
        if MAX_EVENTS < stream.events.len()
            && let Some(oldest) = stream.events.pop_front()
        {
            stream.bytes -= oldest.size;
            self.bytes -= oldest.size;
        }
        stream.newest.send_replace(number);
        while MAX_BYTES < self.bytes || MAX_STREAMS < self.streams.len() {
            self.drop_one();
        }
        id
    }

    /// Drops one stream, of the principal that holds most, so that nobody's traffic costs another an answer: first
    /// one whose answer was read, then one whose answer was not, last one that has none yet. Of equals the one that
    /// is idle longest.
    fn drop_one(&mut self) {
        let too_large = MAX_BYTES < self.bytes;
        let mut held: HashMap<Option<&Principal>, usize> = HashMap::new();
        for stream in self.streams.values() {
            let holds = held.entry(stream.owner.as_ref()).or_default();
            *holds += if too_large { stream.bytes } else { 1 };
        }
        let most = held.values().max();
        let of_most = self.streams.iter().filter(|(_, it)| held.get(&it.owner.as_ref()) == most);
        let first = of_most.min_by_key(|(_, stream)| {
            let newest = *stream.newest.borrow();
            let wanted = match stream.state {
                RequestPhase::Cancelled => 0,
                RequestPhase::Answered => u8::from(stream.read < newest),
                RequestPhase::Open => 2,
            };
            (wanted, newest)
        });
        let Some(name) = first.map(|(name, _)| name.clone()) else { return };
        if let Some(stream) = self.streams.remove(&name) {
            self.bytes -= stream.bytes;
        }
    }

    fn after(&self, name: &str, after: u64) -> NextEvent {
        let Some(stream) = self.streams.get(name) else { return NextEvent::End };
        match stream.events.iter().find(|event| after < event.number) {
            Some(event) => NextEvent::Event(event.number, event.message.clone()),
            None if stream.state == RequestPhase::Open => NextEvent::Later,
            None => NextEvent::End,
        }
    }
}

/// A poisoned lock is ignored: no code that holds it can leave the state half changed.
fn lock(kept: &Mutex<KeptStreams>) -> MutexGuard<'_, KeptStreams> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

/// An event of a stream is handed to a reader.
fn note_read(kept: &Mutex<KeptStreams>, stream: &str, number: u64) {
    let delivery = {
        let mut kept = lock(kept);
        let Some(stream) = kept.streams.get_mut(stream) else { return };
        stream.read = stream.read.max(number);
        let is_answer = stream.state == RequestPhase::Answered && *stream.newest.borrow() <= number;
        if is_answer { stream.delivery.take() } else { None }
    };
    // Not under the lock: whoever wanted to know may do anything.
    if let Some(delivery) = delivery {
        delivery.is_read();
    }
}

/// Whether this is the answer of a call, which is the last event of its stream.
fn is_answer(event: &ServerSseMessage) -> bool {
    use rmcp::model::JsonRpcMessage::{Error, Response};
    matches!(event.message.as_deref(), Some(Response(_) | Error(_)))
}

/// The size of a message as JSON, plus some overhead.
fn size(message: &ServerSseMessage) -> usize {
    struct Count(usize);
    impl io::Write for Count {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut count = Count(256);
    if let Some(message) = &message.message {
        serde_json::to_writer(&mut count, message).expect("it is about to be sent as JSON");
    }
    count.0
}

#[cfg(test)]
mod tests;
