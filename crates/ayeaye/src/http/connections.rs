//! Accepting connections, only so many, and only patient ones.
//!
//! axum's own loop takes every connection and waits for its headers as long as it likes; a few
//! hundred silent ones would take the server away from everybody.
use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// Connections at a time. More wait in the system's queue.
const MOST_CONNECTIONS: usize = 768;

/// How long the headers of a request may take, and how long a connection may be idle between two.
const HEADER_TIME: Duration = Duration::from_secs(10);

/// The connections of a server.
#[derive(Debug, Default)]
pub(super) struct Connections {
    tracker: TaskTracker,
    /// Each ends after the request it is at.
    finish: CancellationToken,
    /// Each ends now.
    cut: CancellationToken,
}

impl Connections {
    /// Takes connections until `stop` is cancelled.
    pub(super) async fn accept(
        &self,
        listener: TcpListener,
        router: Router,
        stop: &CancellationToken,
    ) {
        let room = Arc::new(Semaphore::new(MOST_CONNECTIONS));
        loop {
            let next = async {
                let place = Arc::clone(&room).acquire_owned().await;
                (place.expect("never closed"), listener.accept().await)
            };
            let Some((place, accepted)) = stop.run_until_cancelled(next).await else { break };
            match accepted {
                Ok((stream, from)) => {
                    let serve = serve(stream, from, router.clone(), &self.finish, &self.cut);
                    self.tracker.spawn(async move {
                        serve.await;
                        drop(place);
                    });
                }
                Err(err) => {
                    // Out of file descriptors, most likely: others must end first.
                    tracing::warn!("cannot accept a connection: {err}");
                    let pause = tokio::time::sleep(Duration::from_millis(200));
                    stop.run_until_cancelled(pause).await;
                }
            }
        }
        self.tracker.close();
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

fn serve(
    stream: TcpStream,
    from: SocketAddr,
    router: Router,
    finish: &CancellationToken,
    cut: &CancellationToken,
) -> impl Future<Output = ()> + Send + 'static {
    let (finish, cut) = (finish.clone(), cut.clone());
    async move {
        // Events are small and wanted at once.
        if let Err(err) = stream.set_nodelay(true) {
            tracing::debug!(%from, "cannot set TCP_NODELAY: {err}");
        }
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
            tracing::debug!(%from, "a connection broke: {err}");
        }
    }
}
