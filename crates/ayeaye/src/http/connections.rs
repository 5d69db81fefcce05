//! Accepting connections: a limited number, with a timeout for headers.
//!
//! axum's own loop accepts every connection and waits for its headers without a limit; a few hundred
//! silent ones would block the server. Here a connection without a token is closed in favour of a newer
//! one when the limit is reached.
use std::collections::{BTreeMap, HashMap};
use std::convert::Infallible;
use std::fmt;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use axum::response::Response;
use axum::{Extension, Router};
use ayeaye_agent::Principal;
use futures::FutureExt as _;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::carried_out::CarriedOut;
use super::listener::Listener;
use crate::principal::{Counted, PerPrincipal};

/// Most connections at a time.
const MAX_CONNECTIONS: usize = 768;

/// Permits that are freed in advance, so that a new connection need not wait for one to close.
const RESERVE: usize = 32;

/// Most connections of one principal, so that one token cannot block all others; nor can two or three of them.
const SHARE: Share = Share { most: MAX_CONNECTIONS / 2, scarce_from: 640, most_when_scarce: 16 };

/// How long the headers of a request may take, and how long a connection may be idle between two.
const HEADER_TIME: Duration = Duration::from_secs(10);

/// A connection. Every request carries it as an extension, and a call keeps those of its request for as long as it
/// lasts. It outlives its connection, whose place it must not keep.
#[derive(Debug, Clone)]
pub(super) struct Conn {
    pub(super) peer: Peer,
    guard: Weak<ConnGuard>,
}

/// The peer, as the operating system knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// At this address.
    At(IpAddr),
    /// A local process at the Unix socket.
    Local {
        /// Whether it runs as the user who runs this server.
        same_user: bool,
    },
}

impl fmt::Display for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::At(address) => address.fmt(f),
            Self::Local { same_user: true } => f.write_str("a program of this user"),
            Self::Local { same_user: false } => f.write_str("a program of another user"),
        }
    }
}

impl Conn {
    /// It has authenticated and keeps its permit from now on, unless the principal has too many
    /// connections already. Then it still counts as unauthenticated. One that has ended takes no place.
    #[must_use]
    pub(super) fn authenticate(&self, principal: &Principal) -> bool {
        let Some(guard) = self.guard.upgrade() else { return true };
        let ConnGuard { id, limiter } = &*guard;
        limiter.table().authenticate(*id, principal, limiter.share)
    }
}

/// A connection that is being served; dropped when it ends.
#[derive(Debug)]
struct ConnGuard {
    id: u64,
    limiter: Arc<ConnLimiter>,
}

impl Drop for ConnGuard {
    fn drop(&mut self) {
        self.limiter.table().remove(self.id);
    }
}

/// How many connections one principal may have.
#[derive(Debug, Clone, Copy)]
struct Share {
    most: usize,
    /// From so many authenticated connections of all on, whoever has enough gets no more.
    scarce_from: usize,
    most_when_scarce: usize,
}

/// The permits, and who holds them.
#[derive(Debug)]
struct ConnLimiter {
    permits: Arc<Semaphore>,
    reserve: usize,
    share: Share,
    table: Mutex<ConnTable>,
}

#[derive(Debug, Default)]
struct ConnTable {
    last_id: u64,
    /// Unauthenticated connections by age; cancelling the token ends the connection.
    unauthenticated: BTreeMap<u64, CancellationToken>,
    /// Those that have authenticated. A connection counts as that of the first principal to use it.
    authenticated: HashMap<u64, Counted>,
    per_principal: PerPrincipal,
}

impl ConnTable {
    fn authenticate(&mut self, id: u64, principal: &Principal, share: Share) -> bool {
        if self.authenticated.contains_key(&id) {
            return true;
        }
        let is_scarce = share.scarce_from <= self.authenticated.len();
        let most = if is_scarce { share.most_when_scarce } else { share.most };
        let Some(counted) = self.per_principal.take(principal, most) else { return false };
        self.authenticated.insert(id, counted);
        self.unauthenticated.remove(&id);
        true
    }

    fn remove(&mut self, id: u64) {
        self.unauthenticated.remove(&id);
        self.authenticated.remove(&id);
    }
}

impl ConnLimiter {
    fn table(&self) -> MutexGuard<'_, ConnTable> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A permit; when few are left, the oldest unauthenticated connection is closed.
    async fn acquire(&self) -> OwnedSemaphorePermit {
        if self.permits.available_permits() <= self.reserve
            && let Some((_, leave)) = self.table().unauthenticated.pop_first()
        {
            leave.cancel();
        }
        Arc::clone(&self.permits).acquire_owned().await.expect("never closed")
    }

    /// Counts a connection until its guard is dropped; cancelling the token is to end it.
    fn admit(self: &Arc<Self>, peer: Peer) -> (Conn, Arc<ConnGuard>, CancellationToken) {
        let leave = CancellationToken::new();
        let id = {
            let mut table = self.table();
            table.last_id += 1;
            let id = table.last_id;
            table.unauthenticated.insert(id, leave.clone());
            id
        };
        let guard = Arc::new(ConnGuard { id, limiter: Arc::clone(self) });
        (Conn { peer, guard: Arc::downgrade(&guard) }, guard, leave)
    }
}

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    /// Of connections, and of requests that outlive theirs.
    tracker: TaskTracker,
    /// Cancelled to end connections after their current request.
    finish: CancellationToken,
    /// Cancelled to end connections and requests now.
    cut: CancellationToken,
    limiter: Arc<ConnLimiter>,
    carried_out: CarriedOut,
}

impl Default for Connections {
    fn default() -> Self {
        let permits = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let (tracker, cut) = (TaskTracker::new(), CancellationToken::new());
        Self {
            carried_out: CarriedOut::new(tracker.clone(), cut.clone()),
            tracker,
            finish: CancellationToken::new(),
            cut,
            limiter: Arc::new(ConnLimiter {
                permits,
                reserve: RESERVE,
                share: SHARE,
                table: Mutex::default(),
            }),
        }
    }
}

impl Connections {
    /// Accepts connections until `stop` is cancelled.
    pub(super) async fn accept(
        &self,
        listener: &Listener,
        router: Router,
        stop: &CancellationToken,
    ) {
        while let Some(accepted) = stop.run_until_cancelled(self.next(listener, &router)).await {
            if let Err(err) = accepted {
                // Most likely out of file descriptors: others must end first.
                tracing::warn!("cannot accept a connection: {err}");
                let pause = tokio::time::sleep(Duration::from_millis(200));
                stop.run_until_cancelled(pause).await;
            }
        }
        self.tracker.close();
    }

    async fn next(&self, listener: &Listener, router: &Router) -> std::io::Result<()> {
        match listener {
            Listener::Tcp(listener) => {
                let (stream, from) = listener.accept().await?;
                // Events are small and should not be delayed.
                if let Err(err) = stream.set_nodelay(true) {
                    tracing::debug!(%from, "cannot set TCP_NODELAY: {err}");
                }
                self.spawn_connection(stream, Peer::At(from.ip()), router).await;
            }
            #[cfg(unix)]
            Listener::Unix(socket) => {
                let (stream, same_user) = socket.accept().await?;
                self.spawn_connection(stream, Peer::Local { same_user }, router).await;
            }
        }
        Ok(())
    }

    async fn spawn_connection<S>(&self, stream: S, peer: Peer, router: &Router)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let permit = self.limiter.acquire().await;
        let (conn, guard, leave) = self.limiter.admit(peer);
        let router = router.clone().layer(Extension(conn));
        let answer = answers(self.carried_out.clone(), router);
        let connection = run_http1(stream, peer, answer, self.finish.clone(), self.cut.clone());
        self.tracker.spawn(
            async move {
                leave.run_until_cancelled(connection).await;
                drop((guard, permit));
            }
            .boxed(),
        );
    }

    /// Ends each connection after its current request, and waits at most so long for that and for the requests that outlive
    /// their connections.
    pub(super) async fn finish(&self, within: Duration) {
        self.finish.cancel();
        // Connections that are not done in time are closed by `cut`.
        drop(tokio::time::timeout(within, self.tracker.wait()).await);
    }

    /// Ends the remaining connections and requests.
    pub(super) async fn cut(&self) {
        self.cut.cancel();
        self.tracker.wait().await;
    }
}

/// What answers the requests of a connection.
fn answers(
    carried_out: CarriedOut,
    router: Router,
) -> impl Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send> {
    let router = TowerToHyperService::new(router);
    service_fn(move |request| carried_out.answer(request, &router))
}

async fn run_http1<S>(
    stream: S,
    peer: Peer,
    service: impl Service<Request<Incoming>, Response = Response, Error = Infallible, Future: Send>,
    finish: CancellationToken,
    cut: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // Without `half_close`: a client that closes its sending side has left, by which calls of 2026-07-28 are cancelled.
    // With it, nobody would notice before the next byte is written. What must not be lost is `carried_out`.
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_TIME)
        .max_buf_size(64 << 10)
        .serve_connection(TokioIo::new(stream), service);
    let mut connection = pin!(connection);
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = finish.cancelled() => {
            connection.as_mut().graceful_shutdown();
            tokio::select! {
                ended = connection => ended,
                () = cut.cancelled() => Ok(()),
            }
        }
    };
    if let Err(err) = ended {
        tracing::debug!(%peer, "a connection broke: {err}");
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::delete;
    use tokio::io::AsyncWriteExt as _;
    use tokio::sync::Notify;

    use super::*;

    #[tokio::test]
    async fn the_oldest_stranger_gives_its_place_and_the_known_keep_theirs() {
        let permits = Arc::new(Semaphore::new(3));
        let limiter = Arc::new(ConnLimiter {
            permits,
            reserve: 0,
            share: Share { most: 9, scarce_from: 9, most_when_scarce: 9 },
            table: Mutex::default(),
        });
        let peer = Peer::Local { same_user: false };
        let mut here = Vec::new();
        for _ in 0..3 {
            let permit = limiter.acquire().await;
            here.push((limiter.admit(peer), permit));
        }
        assert!(here[0].0.0.authenticate(&Principal::local()));
        let (taken, ()) = tokio::join!(limiter.acquire(), async {
            assert!(!here[0].0.2.is_cancelled());
            here[1].0.2.cancelled().await;
            drop(here.remove(1));
        });
        assert!(!here[1].0.2.is_cancelled());
        drop((taken, here));
        let table = limiter.table();
        assert!(table.unauthenticated.is_empty() && table.authenticated.is_empty());
        assert!(table.per_principal.is_empty());
        assert_eq!(limiter.permits.available_permits(), 3);
    }

    #[tokio::test]
    async fn nobody_has_more_places_than_their_own() {
        let permits = Arc::new(Semaphore::new(4));
        let limiter = Arc::new(ConnLimiter {
            permits,
            reserve: 0,
            share: Share { most: 2, scarce_from: 4, most_when_scarce: 1 },
            table: Mutex::default(),
        });
        let (anna, greedy) = (Principal::new("token:anna"), Principal::new("token:greedy"));
        let mut here = Vec::new();
        for id in 0..4 {
            let permit = limiter.acquire().await;
            let (conn, guard, leave) = limiter.admit(Peer::Local { same_user: false });
            assert_eq!(conn.authenticate(&greedy), id < 2);
            here.push((conn, leave, (guard, permit)));
        }
        assert!(here[0].0.authenticate(&greedy), "one that has its place keeps it");
        let (mine, ()) = tokio::join!(limiter.acquire(), async {
            here[2].1.cancelled().await;
            drop(here.remove(2));
        });
        let (conn, _guard, _) = limiter.admit(Peer::Local { same_user: false });
        assert!(conn.authenticate(&anna));
        drop(here.remove(0));
        assert!(here[1].0.authenticate(&greedy), "there is room again");
        drop(mine);
    }

    #[tokio::test]
    async fn two_who_take_all_they_may_leave_places_to_others() {
        let limiter = Arc::new(ConnLimiter {
            permits: Arc::new(Semaphore::new(8)),
            reserve: 0,
            share: Share { most: 4, scarce_from: 6, most_when_scarce: 1 },
            table: Mutex::default(),
        });
        let authenticate = |name: &str| {
            let (conn, guard, _) = limiter.admit(Peer::Local { same_user: false });
            conn.authenticate(&Principal::new(name)).then_some(guard)
        };
        let mut here = Vec::new();
        for name in ["a", "a", "a", "a", "b", "b"] {
            here.push(authenticate(name).expect(name));
        }
        assert!(authenticate("b").is_none(), "it has enough");
        let anna = authenticate("anna").expect("she has none");
        assert!(authenticate("anna").is_none());
        drop((anna, here));
        assert!(limiter.table().authenticated.is_empty());
    }

    #[tokio::test]
    async fn what_comes_with_the_end_of_its_connection_is_carried_out() {
        let (mut client, server) = tokio::io::duplex(4096);
        let request = b"DELETE /mcp HTTP/1.1\r\nhost: here\r\nmcp-session-id: a\r\n\r\n";
        client.write_all(request).await.unwrap();
        // Before the server has read anything.
        drop(client);
        let (done, hear) = tokio::sync::oneshot::channel();
        let done = Mutex::new(Some(done));
        let work = async move || {
            tokio::task::yield_now().await;
            done.lock().unwrap().take().unwrap().send(()).unwrap();
        };
        let work = Arc::new(work);
        let router = Router::new().route("/mcp", delete(async move || work().await));
        let (finish, cut) = (CancellationToken::new(), CancellationToken::new());
        let answer = answers(CarriedOut::new(TaskTracker::new(), cut.clone()), router);
        run_http1(server, Peer::Local { same_user: false }, answer, finish, cut).await;
        tokio::time::timeout(Duration::from_secs(10), hear).await.expect("in time").unwrap();
    }

    /// Connections of which one has gone, and its request is being carried out until the returned gate is opened.
    async fn with_a_request_that_is_carried_out() -> (Connections, Arc<Notify>) {
        let (mut client, server) = tokio::io::duplex(4096);
        let request = b"DELETE /mcp HTTP/1.1\r\nhost: here\r\nmcp-session-id: a\r\n\r\n";
        client.write_all(request).await.unwrap();
        drop(client);
        let (begun, gate) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
        let work = (Arc::clone(&begun), Arc::clone(&gate));
        let work = async move || {
            work.0.notify_one();
            work.1.notified().await;
        };
        let work = Arc::new(work);
        let router = Router::new().route("/mcp", delete(async move || work().await));
        let connections = Connections::default();
        connections.spawn_connection(server, Peer::Local { same_user: false }, &router).await;
        begun.notified().await;
        connections.tracker.close();
        (connections, gate)
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_waits_for_requests_that_outlive_their_connections() {
        let (connections, gate) = with_a_request_that_is_carried_out().await;
        let patience = Duration::from_mins(1);
        let finished = tokio::time::timeout(patience / 2, connections.finish(patience)).await;
        assert!(connections.limiter.table().unauthenticated.is_empty(), "the connection is gone");
        assert!(finished.is_err(), "its request is not carried out yet");
        gate.notify_one();
        connections.finish(patience).await;
        assert!(connections.tracker.is_empty());
    }

    #[tokio::test(start_paused = true)]
    async fn the_end_does_not_wait_for_ever_for_a_request() {
        let (connections, _gate) = with_a_request_that_is_carried_out().await;
        connections.finish(Duration::from_mins(1)).await;
        assert!(!connections.tracker.is_empty());
        tokio::time::timeout(Duration::from_mins(1), connections.cut()).await.expect("it ends");
    }

    #[tokio::test]
    async fn what_is_left_of_a_request_keeps_no_place() {
        let limiter = Arc::new(ConnLimiter {
            permits: Arc::new(Semaphore::new(1)),
            reserve: 0,
            share: Share { most: 1, scarce_from: 1, most_when_scarce: 1 },
            table: Mutex::default(),
        });
        let anna = Principal::new("token:anna");
        let (of_a_call, guard, _) = limiter.admit(Peer::Local { same_user: false });
        assert!(of_a_call.authenticate(&anna));
        drop(guard);
        assert!(limiter.table().authenticated.is_empty());
        // A request that is carried out although its client has gone already.
        assert!(of_a_call.authenticate(&anna));
        assert!(limiter.table().per_principal.is_empty());
        let (conn, _guard, _) = limiter.admit(Peer::Local { same_user: false });
        assert!(conn.authenticate(&anna));
    }
}
