//! What is kept, for whom, and what goes first.
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
    ServerSseMessage::from_message(ServerJsonRpcMessage::error(error, Some(RequestId::Number(1))))
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
    for (stream, session) in [("a", &hers), ("b", &hers), ("hers:common", &hers), ("c", &other)] {
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

#[tokio::test]
async fn a_reader_of_a_stream_that_was_dropped_and_came_back_waits_for_what_comes() {
    let replay = Replay::default();
    let id = replay.store_event("s", &news(1)).await.unwrap();
    let after = id.rsplit_once('/').unwrap().1.parse().unwrap();
    let news_of = || lock(&replay.kept).streams["s"].newest.subscribe();
    let (kept, stream, newest) = (Arc::clone(&replay.kept), "s".to_owned(), news_of());
    let place = StreamPosition { kept, stream, after, news: newest };
    lock(&replay.kept).drop_one();
    replay.store_event("s", &news(2)).await.unwrap();
    let (_, place) = place.next().await.unwrap();
    let answer = answer();
    let (next, id) = tokio::join!(place.next(), replay.store_event("s", &answer));
    let (message, place) = next.unwrap();
    assert_eq!(message.event_id, Some(id.unwrap()));
    assert!(place.news.has_changed().is_ok(), "it would ask again and again");
}

#[tokio::test]
async fn an_answer_is_delivered_when_a_reader_gets_it_and_not_before() {
    for by_another_connection in [false, true] {
        let (replay, anna) = (Replay::default(), Principal::new("token:anna"));
        let first = replay.store_event("s", &news(1)).await.unwrap();
        let delivery = replay.assign("s", &SessionId::from("hers"), &anna);
        let told = Arc::new(Mutex::new(0));
        let is_told = || *told.lock().unwrap();
        let mut extensions = rmcp::model::Extensions::new();
        extensions.insert(delivery);
        let note = Arc::clone(&told);
        Delivery::when_read(&extensions, move || *note.lock().unwrap() += 1);
        replay.read(&first, &anna);
        let last = replay.store_event("s", &answer()).await.unwrap();
        assert_eq!(is_told(), 0, "it is kept, and nobody has it");
        for _ in 0..2 {
            if by_another_connection {
                let again = replay.replay_events_after(&first).await.unwrap();
                assert_eq!(again.count().await, 1);
            } else {
                replay.read(&last, &anna);
            }
            assert_eq!(is_told(), 1);
        }
    }
    // Where nothing is kept, a result is read at once.
    let told = Arc::new(Mutex::new(0));
    let note = Arc::clone(&told);
    Delivery::when_read(&rmcp::model::Extensions::new(), move || *note.lock().unwrap() += 1);
    assert_eq!(*told.lock().unwrap(), 1);
}
