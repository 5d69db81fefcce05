//! Accepting connections on a socket.
use std::{sync::Arc, time::Duration};

use futures::FutureExt as _;
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// Most connections at a time; a client opens one for each command.
const MAX_CONNECTIONS: usize = 256;
/// Accepts connections and runs each in its own task, until the token is cancelled.
pub(crate) async fn accept<F: Future<Output = ()> + Send + 'static>(
    listener: &TcpListener,
    shutdown: &CancellationToken,
    run: impl Fn(TcpStream) -> F,
) {
    let tasks = TaskTracker::new();
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let accepted = tokio::select! {
            biased;
            () = shutdown.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Most likely out of file descriptors: wait for some to be closed.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let Ok(place) = places.clone().try_acquire_owned() else {
            tracing::warn!("too many connections; one is refused");
            continue;
        };
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "a connection without TCP_NODELAY");
        }
        let connection = run(stream);
        let shutdown = shutdown.clone();
        tasks.spawn(
            async move {
                let _place = place;
                shutdown.run_until_cancelled(connection).await
            }
            .boxed(),
        );
    }
    tasks.close();
    tasks.wait().await;
}
