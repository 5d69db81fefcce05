//! Accepting connections, only so many, and only patient ones.
//!
//! axum's own loop takes every connection and waits for its headers as long as it likes; a few
//! hundred silent ones would take the server away from everybody. Here a connection on which no
//! token has come yet gives its place to a newer one when all places are taken.
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use axum::{Extension, Router};
use ayeaye_agent::Principal;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::listen::Listener;

/// Connections at a time.
const MOST_CONNECTIONS: usize = 768;

/// Of one principal. Whoever has more, such as streams that stay open, has the rest of them like a
/// stranger: nobody takes the server away from the others.
const MOST_OF_ONE: usize = 512;

/// Places that are cleared beforehand, so that who comes waits for nobody to go.
const SPARE: usize = 32;

/// How long the headers of a request may take, and how long a connection may be idle between two.
const HEADER_TIME: Duration = Duration::from_secs(10);

/// Who is at the other end of a connection. Every request carries it as an extension.
#[derive(Debug, Clone)]
pub(super) struct Guest {
    pub(super) peer: Peer,
    stay: Arc<Stay>,
}

/// What the system says of the other end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    /// Somebody at this address.
    At(IpAddr),
    /// A process of this machine, by the Unix socket.
    #[cfg_attr(not(unix), expect(dead_code, reason = "there are no such sockets"))]
    Local {
        /// Whether it runs as the user who runs this server.
        same_user: bool,
    },
}

impl Guest {
    /// It has shown a good token of `who`: its place is its own from now on, unless they have too many.
    pub(super) fn is_known(&self, who: &Principal) {
        if self.stay.known.get().is_some() {
            return;
        }
        let mut here = self.stay.places.here();
        let count = here.known.entry(who.clone()).or_default();
        if *count < self.stay.places.most_of_one && self.stay.known.set(who.clone()).is_ok() {
            *count += 1;
            here.waiting.remove(&self.stay.number);
        }
    }
}

/// A connection's time here; whoever goes waits no more.
#[derive(Debug)]
struct Stay {
    number: u64,
    places: Arc<Places>,
    /// Whose it is, once that counts.
    known: OnceLock<Principal>,
}

impl Drop for Stay {
    fn drop(&mut self) {
        let mut here = self.places.here();
        here.waiting.remove(&self.number);
        let Some(who) = self.known.get() else { return };
        if let Some(count) = here.known.get_mut(who) {
            *count -= 1;
            if *count == 0 {
                here.known.remove(who);
            }
        }
    }
}

/// The places there are, and who has them.
#[derive(Debug)]
struct Places {
    room: Arc<Semaphore>,
    spare: usize,
    most_of_one: usize,
    here: Mutex<Here>,
}

#[derive(Debug, Default)]
struct Here {
    last: u64,
    /// Who has not shown a token, by the order in which they came; each ends when its token is
    /// cancelled.
    waiting: BTreeMap<u64, CancellationToken>,
    /// How many places are whose.
    known: HashMap<Principal, usize>,
}

impl Places {
    fn new(room: Arc<Semaphore>, spare: usize, most_of_one: usize) -> Self {
        Self { room, spare, most_of_one, here: Mutex::default() }
    }

    fn here(&self) -> MutexGuard<'_, Here> {
        self.here.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A place; when few are left, the stranger who has been here longest must go.
    async fn take(&self) -> OwnedSemaphorePermit {
        if self.room.available_permits() <= self.spare
            && let Some((_, leave)) = self.here().waiting.pop_first()
        {
            leave.cancel();
        }
        Arc::clone(&self.room).acquire_owned().await.expect("never closed")
    }

    fn admit(self: &Arc<Self>, peer: Peer) -> (Guest, CancellationToken) {
        let leave = CancellationToken::new();
        let number = {
            let mut here = self.here();
            here.last += 1;
            let number = here.last;
            here.waiting.insert(number, leave.clone());
            number
        };
        let stay = Stay { number, places: Arc::clone(self), known: OnceLock::new() };
        (Guest { peer, stay: Arc::new(stay) }, leave)
    }
}

/// The connections of a server.
#[derive(Debug)]
pub(super) struct Connections {
    tracker: TaskTracker,
    /// Each ends after the request it is at.
    finish: CancellationToken,
    /// Each ends now.
    cut: CancellationToken,
    places: Arc<Places>,
}

impl Default for Connections {
    fn default() -> Self {
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        Self {
            tracker: TaskTracker::new(),
            finish: CancellationToken::new(),
            cut: CancellationToken::new(),
            places: Arc::new(Places::new(room, SPARE, MOST_OF_ONE)),
        }
    }
}

impl Connections {
    /// Takes connections until `stop` is cancelled.
    pub(super) async fn accept(
        &self,
        listener: Listener,
        router: Router,
        stop: &CancellationToken,
    ) {
        while let Some(accepted) = stop.run_until_cancelled(self.next(&listener, &router)).await {
            if let Err(err) = accepted {
                // Out of file descriptors, most likely: others must end first.
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
                // Events are small and wanted at once.
                if let Err(err) = stream.set_nodelay(true) {
                    tracing::debug!(%from, "cannot set TCP_NODELAY: {err}");
                }
                self.serve(stream, Peer::At(from.ip()), router).await;
            }
            #[cfg(unix)]
            Listener::Unix(socket) => {
                let (stream, same_user) = socket.accept().await?;
                self.serve(stream, Peer::Local { same_user }, router).await;
            }
        }
        Ok(())
    }

    async fn serve<S>(&self, stream: S, peer: Peer, router: &Router)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let place = self.places.take().await;
        let (guest, leave) = self.places.admit(peer);
        let router = router.clone().layer(Extension(guest.clone()));
        let serve = serve(stream, peer, router, self.finish.clone(), self.cut.clone());
        self.tracker.spawn(async move {
            leave.run_until_cancelled(serve).await;
            drop((guest, place));
        });
    }

    /// Lets each connection end after the request it is at, and waits for them at most so long.
    pub(super) async fn finish(&self, within: Duration) {
        self.finish.cancel();
        // Who is not done in time is cut off later.
        drop(tokio::time::timeout(within, self.tracker.wait()).await);
    }

    /// Ends what is left.
    pub(super) async fn cut(&self) {
        self.cut.cancel();
        self.tracker.wait().await;
    }
}

async fn serve<S>(
    stream: S,
    peer: Peer,
    router: Router,
    finish: CancellationToken,
    cut: CancellationToken,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let service = TowerToHyperService::new(router);
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
        tracing::debug!(?peer, "a connection broke: {err}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_oldest_stranger_gives_its_place_and_the_known_keep_theirs() {
        let room = Arc::new(Semaphore::new(3));
        let places = Arc::new(Places::new(room, 0, 3));
        let peer = Peer::Local { same_user: false };
        let mut here = Vec::new();
        for _ in 0..3 {
            let place = places.take().await;
            here.push((places.admit(peer), place));
        }
        here[0].0.0.is_known(&Principal::local());
        let (taken, ()) = tokio::join!(places.take(), async {
            assert!(!here[0].0.1.is_cancelled());
            here[1].0.1.cancelled().await;
            drop(here.remove(1));
        });
        assert!(!here[1].0.1.is_cancelled());
        drop((taken, here));
        assert!(places.here().waiting.is_empty());
        assert!(places.here().known.is_empty());
        assert_eq!(places.room.available_permits(), 3);
    }

    #[tokio::test]
    async fn nobody_keeps_more_places_than_one_may_have() {
        let places = Arc::new(Places::new(Arc::new(Semaphore::new(4)), 0, 2));
        let (greedy, anna) = (Principal::new("token:greedy"), Principal::new("token:anna"));
        let peer = Peer::Local { same_user: false };
        let mut here = Vec::new();
        for _ in 0..4 {
            let place = places.take().await;
            let (guest, leave) = places.admit(peer);
            // Each request says it again.
            guest.is_known(&greedy);
            guest.is_known(&greedy);
            here.push((guest, leave, place));
        }
        let (place, ()) = tokio::join!(places.take(), async {
            here[2].1.cancelled().await;
            drop(here.remove(2));
        });
        assert!(here.iter().all(|(_, leave, _)| !leave.is_cancelled()));
        let (guest, _) = places.admit(peer);
        guest.is_known(&anna);
        assert_eq!(places.here().known, HashMap::from([(greedy, 2), (anna, 1)]));
        drop((here, guest, place));
        assert!(places.here().known.is_empty());
    }
}
