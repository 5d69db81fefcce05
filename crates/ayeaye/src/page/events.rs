//! What changes, as server-sent events: the latest state of what is looked at, never a queue of states.
//!
//! A stream is asked for its next event when the last one is on its way. Whoever reads slowly, or sleeps, is
//! sent what there is when they read again; nothing is kept for them and nobody waits.
use std::collections::HashMap;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse as _, Response};
use ayeaye_agent::{AgentError, Principal, SessionId};
use futures::future::select_all;
use futures::stream;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::Page;
use super::answer::{Query, Refusal, session_id};
use super::feeds::LatestState;
use super::live::LEAST_PAUSE;
use super::view::View;

/// Most sessions that one stream follows.
const MOST_FOLLOWED: usize = 8;
/// Most streams of one principal.
const MOST_STREAMS: usize = 64;
/// How often something is sent where nothing happens: a page that hears nothing for longer takes the connection for dead.
const HEARTBEAT: Duration = Duration::from_secs(10);

const UNBUFFERED: [(&str, &str); 1] = [("x-accel-buffering", "no")];

/// Of the login that a request came with: cancelled when that ends.
#[derive(Debug, Clone)]
pub struct LoginEnded(pub CancellationToken);

#[derive(Debug, Deserialize)]
pub(super) struct Followed {
    sessions: Option<String>,
}

/// `GET /page/api/events?sessions=ID,ID`.
pub(super) async fn stream(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Extension(LoginEnded(ended)): Extension<LoginEnded>,
    Query(wanted): Query<Followed>,
) -> Result<Response, Refusal> {
    let place = page.0.places.take(&principal)?;
    let names = wanted.sessions.unwrap_or_default();
    let ids = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let ids = ids.map(session_id).collect::<Result<Vec<_>, _>>()?;
    if MOST_FOLLOWED < ids.len() {
        let text = format!("at most {MOST_FOLLOWED} sessions can be followed at a time");
        return Err(Refusal::bad_request(text));
    }
    let viewer = Viewer::new(&page, &principal, &ids, place).await?;
    let closing = async move {
        tokio::select! {
            () = page.0.agent.closing() => {}
            () = ended.cancelled() => {}
        }
    };
    let events = stream::unfold(viewer, |mut viewer| async {
        let event = viewer.next().await?;
        Some((Ok::<_, Infallible>(event), viewer))
    });
    // The streams end with the server, which waits for its connections, and with their login.
    let events = futures::StreamExt::take_until(events, closing);
    // nginx would collect what comes: the page would hear of nothing, and take the connection for dead.
    Ok((UNBUFFERED, Sse::new(events).keep_alive(heartbeat())).into_response())
}

/// An event and no comment: a page's scripts are not told of comments.
fn heartbeat() -> KeepAlive {
    KeepAlive::new().interval(HEARTBEAT).event(event("alive", &json!({})))
}

/// One person who looks: what they follow, and what they have been sent of it.
struct Viewer {
    /// The first event of a stream.
    greetings: Vec<(&'static str, Value)>,
    devices: LatestState<Value>,
    sessions: LatestState<Value>,
    views: Vec<FollowedView>,
    /// When the next event about a session may be sent.
    not_before: Instant,
    _place: CountedStream,
}

struct FollowedView {
    id: SessionId,
    latest: LatestState<View>,
    sent: Option<Arc<View>>,
    /// Whether there is a state that was not sent.
    due: bool,
    ended: bool,
}

/// Which of what is followed has changed.
#[derive(Debug, Clone, Copy)]
enum Changed {
    Devices,
    Sessions,
    View(usize),
    Ended(usize),
}

impl Viewer {
    async fn new(
        page: &Page,
        principal: &Principal,
        ids: &[SessionId],
        place: CountedStream,
    ) -> Result<Self, Refusal> {
        let live = &page.0.live;
        let hello = json!({ "server": page.0.id, "heartbeat_ms": HEARTBEAT.as_millis() });
        let mut greetings = vec![("hello", hello)];
        let mut views = Vec::new();
        for id in ids {
            match live.session(*id, principal).await {
                Ok(latest) => {
                    let (id, sent) = (*id, None);
                    views.push(FollowedView { id, latest, sent, due: true, ended: false });
                }
                Err(AgentError::UnknownSession(_)) => {
                    greetings.push(("gone", json!({ "session_id": id.to_string() })));
                }
                Err(err) => return Err(err.into()),
            }
        }
        // Told from the last to the first.
        greetings.reverse();
        let mut devices = live.devices(principal);
        let mut sessions = live.sessions(principal);
        // State that the server already knows is new to this viewer.
        devices.mark_changed();
        sessions.mark_changed();
        Ok(Self { greetings, devices, sessions, views, not_before: Instant::now(), _place: place })
    }

    /// The next event; `None` when there will be none.
    async fn next(&mut self) -> Option<Event> {
        if let Some((name, value)) = self.greetings.pop() {
            return Some(event(name, &value));
        }
        loop {
            let told = match self.changed().await {
                Changed::Devices => told("devices", &mut self.devices),
                Changed::Sessions => told("sessions", &mut self.sessions),
                Changed::View(at) => self.view(at),
                Changed::Ended(at) => {
                    let view = self.views.get_mut(at)?;
                    view.ended = true;
                    Some(event("gone", &json!({ "session_id": view.id.to_string() })))
                }
            };
            if told.is_some() {
                return told;
            }
        }
    }

    /// Waits for a change. Cancel safe.
    async fn changed(&mut self) -> Changed {
        let not_before = self.not_before;
        let views = self.views.iter_mut().enumerate().filter(|(_, view)| !view.ended);
        let views = views.map(|(at, view)| {
            Box::pin(async move {
                if !view.due && view.latest.changed().await.is_err() {
                    return Changed::Ended(at);
                }
                view.due = true;
                // Until then a newer state takes the place of this one.
                sleep_until(not_before).await;
                Changed::View(at)
            }) as Pin<Box<dyn Future<Output = Changed> + Send + '_>>
        });
        let mut all: Vec<_> = views.collect();
        let (devices, sessions) = (&mut self.devices, &mut self.sessions);
        all.push(Box::pin(async move { of(devices, Changed::Devices).await }));
        all.push(Box::pin(async move { of(sessions, Changed::Sessions).await }));
        select_all(all).await.0
    }

    fn view(&mut self, at: usize) -> Option<Event> {
        let view = self.views.get_mut(at)?;
        view.due = false;
        let latest = view.latest.borrow_and_update().clone()?;
        let value = latest.since(view.sent.as_deref());
        view.sent = Some(latest);
        self.not_before = Instant::now() + LEAST_PAUSE;
        Some(event("session", &value))
    }
}

/// Waits for a change of a list. One that cannot change any more is waited for in vain: the stream is about to
/// end.
async fn of(list: &mut LatestState<Value>, what: Changed) -> Changed {
    if list.changed().await.is_err() {
        std::future::pending::<()>().await;
    }
    what
}

fn told(name: &str, list: &mut LatestState<Value>) -> Option<Event> {
    list.borrow_and_update().as_deref().map(|value| event(name, value))
}

fn event(name: &str, value: &Value) -> Event {
    Event::default().event(name).data(value.to_string())
}

/// How many streams each principal has.
#[derive(Debug, Clone, Default)]
pub(super) struct StreamCounts(Arc<Mutex<HashMap<Principal, usize>>>);

/// A principal's place among those who look, until it is dropped.
#[derive(Debug)]
struct CountedStream {
    all: StreamCounts,
    principal: Principal,
}

impl StreamCounts {
    fn take(&self, principal: &Principal) -> Result<CountedStream, Refusal> {
        let mut taken = self.lock();
        let count = taken.entry(principal.clone()).or_default();
        if MOST_STREAMS <= *count {
            let text = format!("{MOST_STREAMS} pages are open already: close some");
            return Err(Refusal::new(StatusCode::TOO_MANY_REQUESTS, text));
        }
        *count += 1;
        Ok(CountedStream { all: self.clone(), principal: principal.clone() })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Principal, usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for CountedStream {
    fn drop(&mut self) {
        let mut taken = self.all.lock();
        if let Some(count) = taken.get_mut(&self.principal) {
            *count -= 1;
            if *count == 0 {
                taken.remove(&self.principal);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::sync::watch;
    use tokio::time::sleep;

    use super::super::view::tests::sample;
    use super::*;

    /// A viewer of one session, and where that session's states are put.
    fn viewer() -> (Viewer, watch::Sender<Option<Arc<View>>>) {
        let (publisher, latest) = watch::channel(None);
        let list = || watch::channel(None).1;
        let followed =
            FollowedView { id: SessionId::new(), latest, sent: None, due: true, ended: false };
        let viewer = Viewer {
            greetings: vec![("hello", json!({}))],
            devices: list(),
            sessions: list(),
            views: vec![followed],
            not_before: Instant::now(),
            _place: StreamCounts::default().take(&Principal::local()).unwrap(),
        };
        (viewer, publisher)
    }

    async fn publish(states: u64, publisher: watch::Sender<Option<Arc<View>>>) {
        for number in 1..=states {
            publisher.send_replace(Some(Arc::new(sample(number))));
            sleep(Duration::from_millis(20)).await;
        }
        std::future::pending::<()>().await;
    }

    fn seen(viewer: &Viewer) -> Option<u64> {
        viewer.views[0].sent.as_ref().map(|view| view.last_seq)
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_reads_at_once_is_told_four_times_a_second() {
        let (mut viewer, publisher) = viewer();
        tokio::spawn(publish(500, publisher));
        assert!(viewer.next().await.is_some(), "hello");
        let mut told = 0;
        while seen(&viewer) != Some(500) {
            assert!(viewer.next().await.is_some());
            told += 1;
        }
        assert!((38..=42).contains(&told), "{told} in ten seconds");
    }

    #[tokio::test(start_paused = true)]
    async fn whoever_sleeps_is_told_the_latest_and_nothing_before_it() {
        let (mut viewer, publisher) = viewer();
        tokio::spawn(publish(500, publisher));
        assert!(viewer.next().await.is_some() && viewer.next().await.is_some());
        assert_eq!(seen(&viewer), Some(1));
        sleep(Duration::from_mins(1)).await;
        assert!(viewer.next().await.is_some());
        assert_eq!(seen(&viewer), Some(500));
        let more = tokio::time::timeout(Duration::from_mins(1), viewer.next()).await;
        assert!(more.is_err(), "nothing was kept");
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_that_is_removed_is_told_once_and_the_stream_goes_on() {
        let (mut viewer, publisher) = viewer();
        drop(publisher);
        viewer.views[0].due = false;
        assert!(viewer.next().await.is_some() && viewer.next().await.is_some());
        assert!(viewer.views[0].ended);
        let more = tokio::time::timeout(Duration::from_mins(1), viewer.next()).await;
        assert!(more.is_err());
    }

    #[tokio::test(start_paused = true)]
    async fn where_nothing_happens_a_page_is_told_that_the_server_is_there() {
        let nothing = stream::pending::<Result<Event, Infallible>>();
        let response = Sse::new(nothing).keep_alive(heartbeat()).into_response();
        let mut body = Box::pin(response.into_body().into_data_stream());
        for _ in 0..2 {
            let begun = Instant::now();
            let told = futures::StreamExt::next(&mut body).await.unwrap().unwrap();
            assert_eq!(told, "event: alive\ndata: {}\n\n");
            assert_eq!(begun.elapsed(), HEARTBEAT);
        }
    }

    #[test]
    fn a_place_is_free_again_when_it_is_left() {
        let (places, me) = (StreamCounts::default(), Principal::local());
        let all: Vec<_> = (0..MOST_STREAMS).map(|_| places.take(&me).unwrap()).collect();
        assert!(places.take(&me).is_err());
        assert!(places.take(&Principal::new("token:anna")).is_ok(), "others have their own");
        drop(all);
        assert!(places.take(&me).is_ok());
        assert!(places.lock().is_empty(), "nobody is remembered who is gone");
    }
}
