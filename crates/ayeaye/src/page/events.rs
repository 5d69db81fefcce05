//! What changes, as server-sent events: the latest state of what is looked at, never a queue of states.
//!
//! A stream is asked for its next event when the last one is on its way. Whoever reads slowly, or sleeps, is
//! sent what there is when they read again; nothing is kept for them and nobody waits.
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
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
use crate::principal::{Counted, PerPrincipal};

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
    let counted = one_more(&page.0.streams, &principal)?;
    let names = wanted.sessions.unwrap_or_default();
    let ids = names.split(',').map(str::trim).filter(|name| !name.is_empty());
    let ids = ids.map(session_id).collect::<Result<Vec<_>, _>>()?;
    if MOST_FOLLOWED < ids.len() {
        let text = format!("at most {MOST_FOLLOWED} sessions can be followed at a time");
        return Err(Refusal::bad_request(text));
    }
    let viewer = Viewer::new(&page, &principal, &ids, counted).await?;
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

/// Counts one more stream of this principal.
fn one_more(streams: &PerPrincipal, principal: &Principal) -> Result<Counted, Refusal> {
    streams.take(principal, MOST_STREAMS).ok_or_else(|| {
        let text = format!("{MOST_STREAMS} pages are open already: close some");
        Refusal::new(StatusCode::TOO_MANY_REQUESTS, text)
    })
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
    _counted: Counted,
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
        counted: Counted,
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
        Ok(Self {
            greetings,
            devices,
            sessions,
            views,
            not_before: Instant::now(),
            _counted: counted,
        })
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
            _counted: one_more(&PerPrincipal::default(), &Principal::local()).unwrap(),
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
    fn a_page_is_refused_only_while_its_person_has_so_many() {
        let (streams, me) = (PerPrincipal::default(), Principal::local());
        let all: Vec<_> = (0..MOST_STREAMS).map(|_| one_more(&streams, &me).unwrap()).collect();
        assert!(one_more(&streams, &me).unwrap_err().text().contains("64 pages are open"));
        assert!(one_more(&streams, &Principal::new("token:anna")).is_ok());
        drop(all);
        assert!(one_more(&streams, &me).is_ok());
    }
}
