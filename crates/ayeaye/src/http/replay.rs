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
    kept: Arc<Mutex<Kept>>,
    /// The calls that the answers are for.
    calls: OpenCalls,
}

#[derive(Debug, Default)]
struct Kept {
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
    state: State,
    /// The number of the newest event that a reader was handed.
    read: u64,
    /// The session whose call it is for.
    session: Option<SessionId>,
    /// The principal that has read it first; no other may.
    owner: Option<Principal>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
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

    /// A call of `principal`'s session is answered on this stream.
    pub(super) fn assign(&self, stream: &str, session: &SessionId, principal: &Principal) {
        if let Some(stream) = lock(&self.kept).streams.get_mut(stream) {
            stream.session = Some(session.clone());
            stream.owner = Some(principal.clone());
        }
    }

    /// The call of this stream was cancelled: rmcp drops its answer, and whoever reads it has nothing to wait for.
    pub(super) fn cancel(&self, stream: &str) {
        if let Some(stream) = lock(&self.kept).streams.get_mut(stream)
            && stream.state == State::Open
        {
            stream.state = State::Cancelled;
            // Wakes the readers.
            stream.newest.send_modify(|_| {});
        }
    }

    /// The session has ended: nobody can ask for its streams any more, and their readers end.
    pub(super) fn end_session(&self, session: &SessionId) {
        let news = format!("{session}{NEWS}");
        let mut kept = lock(&self.kept);
        let Kept { streams, bytes, .. } = &mut *kept;
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
            stream.read = stream.read.max(number);
        }
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
                    (Next::End, State::Cancelled) => Some(Spent::Cancelled),
                    (Next::End, _) => Some(Spent::Answered),
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
        let place = Place { kept: Arc::clone(&self.kept), stream: stream.to_owned(), after, news };
        Ok(Box::pin(futures::stream::unfold(place, Place::next)))
    }
}

/// One reader's position in a stream.
struct Place {
    kept: Arc<Mutex<Kept>>,
    stream: String,
    after: u64,
    news: watch::Receiver<u64>,
}

impl Place {
    async fn next(mut self) -> Option<(ServerSseMessage, Self)> {
        loop {
            self.news.mark_unchanged();
            let found = lock(&self.kept).after(&self.stream, self.after);
            match found {
                Next::Event(number, message) => {
                    self.after = number;
                    if let Some(stream) = lock(&self.kept).streams.get_mut(&self.stream) {
                        stream.read = stream.read.max(number);
                    }
                    return Some((message, self));
                }
                Next::End => return None,
                // The sender was dropped with the stream; the next read finds its end.
                Next::Later => drop(self.news.changed().await),
            }
        }
    }
}

/// The next event, if any.
enum Next {
    Event(u64, ServerSseMessage),
    Later,
    End,
}

impl Kept {
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
            state: State::Open,
            read: 0,
            session: None,
            owner: None,
        });
        if is_answer(&message) {
            stream.state = State::Answered;
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
                State::Cancelled => 0,
                State::Answered => u8::from(stream.read < newest),
                State::Open => 2,
            };
            (wanted, newest)
        });
        let Some(name) = first.map(|(name, _)| name.clone()) else { return };
        if let Some(stream) = self.streams.remove(&name) {
            self.bytes -= stream.bytes;
        }
    }

    fn after(&self, name: &str, after: u64) -> Next {
        let Some(stream) = self.streams.get(name) else { return Next::End };
        match stream.events.iter().find(|event| after < event.number) {
            Some(event) => Next::Event(event.number, event.message.clone()),
            None if stream.state == State::Open => Next::Later,
            None => Next::End,
        }
    }
}

/// A poisoned lock is ignored: no code that holds it can leave the state half changed.
fn lock(kept: &Mutex<Kept>) -> MutexGuard<'_, Kept> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
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
mod tests {
    use futures::StreamExt as _;
    use rmcp::ErrorData;
    use rmcp::model::{RequestId, ServerJsonRpcMessage, ServerNotification};

    use super::*;

    fn news(bytes: usize) -> ServerSseMessage {
        let params = rmcp::model::ProgressNotificationParam::new(
            rmcp::model::ProgressToken(RequestId::Number(1)),
            1.0,
        )
        .with_message("x".repeat(bytes));
        let notification = rmcp::model::ProgressNotification::new(params);
        ServerSseMessage::from_message(ServerJsonRpcMessage::notification(
            ServerNotification::ProgressNotification(notification),
        ))
    }

    fn answer() -> ServerSseMessage {
        let error = ErrorData::internal_error("an answer", None);
        ServerSseMessage::from_message(ServerJsonRpcMessage::error(
            error,
            Some(RequestId::Number(1)),
        ))
    }

    #[tokio::test]
    async fn a_late_reader_gets_what_is_kept_and_then_what_comes() {
        let replay = Replay::default();
        let first = replay.store_event("s", &news(1)).await.unwrap();
        replay.store_event("s", &news(2)).await.unwrap();
        replay.store_event("other", &news(3)).await.unwrap();
        let mut reader = replay.replay_events_after(&first).await.unwrap();
        assert!(reader.next().await.unwrap().event_id.unwrap().starts_with("s/"));
        let answer = answer();
        let (next, id) = tokio::join!(reader.next(), replay.store_event("s", &answer));
        assert_eq!(next.unwrap().event_id, Some(id.unwrap()));
        assert!(reader.next().await.is_none(), "the answer is the end");
        let again = replay.replay_events_after(&first).await.unwrap();
        assert_eq!(again.count().await, 2);
    }

    #[tokio::test]
    async fn a_stream_is_spent_when_its_answer_was_read() {
        let (replay, anna) = (Replay::default(), Principal::new("token:anna"));
        let first = replay.store_event("s", &news(1)).await.unwrap();
        replay.read(&first, &anna);
        assert_eq!(replay.spent(&first, &anna), None, "the answer is still to come");
        let last = replay.store_event("s", &answer()).await.unwrap();
        assert_eq!(replay.spent(&first, &anna), None, "the answer was not read");
        assert_eq!(replay.spent(&last, &anna), Some(Spent::Answered));
        let gone = Some(Spent::Gone);
        assert_eq!(replay.spent(&first, &Principal::local()), gone, "it is somebody else's");
        for odd in ["", "s", "s/x", "t/1"] {
            assert_eq!(replay.spent(odd, &anna), gone, "{odd}");
        }
        assert_eq!(replay.spent("0b8f:common/7", &anna), None, "news may come");
    }

    #[tokio::test]
    async fn a_reader_ends_with_the_call_and_with_the_session() {
        let (replay, anna) = (Replay::default(), Principal::new("token:anna"));
        let (hers, other) = (SessionId::from("hers"), SessionId::from("other"));
        let mut first = Vec::new();
        for (stream, session) in [("a", &hers), ("b", &hers), ("hers:common", &hers), ("c", &other)]
        {
            let id = replay.store_event(stream, &news(1)).await.unwrap();
            replay.assign(stream, session, &anna);
            first.push(id);
        }
        let [a, b, news, c] = first.try_into().unwrap();
        let end = async |id: &String, ends: &dyn Fn()| {
            let mut reader = replay.replay_events_after(id).await.unwrap();
            let ending = async {
                tokio::task::yield_now().await;
                ends();
            };
            assert!(tokio::join!(reader.next(), ending).0.is_none(), "{id}");
        };
        end(&a, &|| replay.cancel("a")).await;
        assert_eq!(replay.spent(&a, &anna), Some(Spent::Cancelled));
        end(&b, &|| replay.end_session(&hers)).await;
        assert!(replay.replay_events_after(&news).await.is_err());
        assert_eq!(replay.spent(&b, &anna), Some(Spent::Gone));
        assert_eq!(replay.spent(&c, &anna), None, "it is another session's");
        let kept = lock(&replay.kept);
        assert_eq!(kept.bytes, kept.streams["c"].bytes);
    }

    #[tokio::test]
    async fn what_is_unknown_is_an_error() {
        let replay = Replay::default();
        replay.store_event("s", &news(1)).await.unwrap();
        for odd in ["", "s", "s/", "s/x", "t/1", "/1", "s/-1"] {
            assert!(replay.replay_events_after(odd).await.is_err(), "{odd}");
        }
    }

    #[tokio::test]
    async fn everything_is_bounded() {
        let replay = Replay::default();
        for number in 0..=MAX_STREAMS + 10 {
            replay.store_event(&number.to_string(), &news(1)).await.unwrap();
        }
        assert_eq!(lock(&replay.kept).streams.len(), MAX_STREAMS);
        for _ in 0..MAX_EVENTS * 2 {
            replay.store_event("busy", &news(1)).await.unwrap();
        }
        assert_eq!(lock(&replay.kept).streams["busy"].events.len(), MAX_EVENTS);
        for number in 0..40 {
            replay.store_event(&format!("large {number}"), &news(1 << 20)).await.unwrap();
        }
        let kept = lock(&replay.kept);
        assert!(kept.bytes <= MAX_BYTES);
        assert_eq!(kept.bytes, kept.streams.values().map(|stream| stream.bytes).sum::<usize>());
    }

    #[tokio::test]
    async fn what_is_waited_for_outlives_the_traffic_of_all() {
        let (replay, anna) = (Replay::default(), Principal::new("token:anna"));
        let ben = Principal::new("token:ben");
        let waits = replay.store_event("waits", &news(1)).await.unwrap();
        replay.read(&waits, &anna);
        let unread = replay.store_event("unread", &news(1)).await.unwrap();
        replay.read(&unread, &anna);
        replay.store_event("unread", &answer()).await.unwrap();
        for number in 0..2 * MAX_STREAMS {
            let who = if number % 2 == 0 { &anna } else { &ben };
            let id = replay.store_event(&number.to_string(), &answer()).await.unwrap();
            replay.read(&id, who);
        }
        replay.store_event("waits", &answer()).await.unwrap();
        for first in [waits, unread] {
            assert_eq!(replay.spent(&first, &anna), None);
            assert_eq!(replay.replay_events_after(&first).await.unwrap().count().await, 1);
        }
    }

    #[tokio::test]
    async fn who_holds_most_loses_first() {
        let (replay, anna) = (Replay::default(), Principal::new("token:anna"));
        let hers = replay.store_event("hers", &answer()).await.unwrap();
        replay.read(&hers, &anna);
        let greedy = Principal::new("token:greedy");
        let mut first = None;
        // Of whom nothing was answered.
        for number in 0..2 * MAX_STREAMS {
            let id = replay.store_event(&number.to_string(), &news(1)).await.unwrap();
            replay.read(&id, &greedy);
            first.get_or_insert(id);
        }
        assert_eq!(replay.spent(&hers, &anna), Some(Spent::Answered));
        assert_eq!(replay.spent(&first.unwrap(), &greedy), Some(Spent::Gone));
        // By size, too.
        for number in 0..2 * (MAX_BYTES >> 20) {
            let id = replay.store_event(&format!("large {number}"), &news(1 << 20)).await.unwrap();
            replay.read(&id, &greedy);
        }
        assert_eq!(replay.spent(&hers, &anna), Some(Spent::Answered));
    }

    #[tokio::test]
    async fn a_reader_of_a_dropped_stream_ends() {
        let replay = Replay::default();
        let id = replay.store_event("s", &news(1)).await.unwrap();
        let mut reader = replay.replay_events_after(&id).await.unwrap();
        let dropped = async {
            tokio::task::yield_now().await;
            lock(&replay.kept).drop_one();
        };
        assert!(tokio::join!(reader.next(), dropped).0.is_none());
    }
}
