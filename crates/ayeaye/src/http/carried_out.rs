//! Requests that are carried out although their client has gone.
//!
//! hyper drops what answers a request as soon as the client closes its side of the connection, and clients that want no
//! answer close it behind the last byte. What such a request is to change would be lost at whatever is awaited first, or
//! before anything is: both may arrive at once.
use std::convert::Infallible;
use std::future::Future;
use std::sync::Arc;

use axum::http::{Method, Request, StatusCode};
use axum::response::Response;
use futures::FutureExt as _;
use futures::future::Either;
use hyper::service::Service;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::SESSION_ID;
use super::own_page;
use super::refusal::refuse;

/// Most requests at a time that outlive their connections; that many more than there are connections. Beyond it a request
/// ends with its connection.
const MOST: usize = 1024;

/// The room for requests that outlive their connections.
#[derive(Debug, Clone)]
pub(super) struct CarriedOut {
    room: Arc<Semaphore>,
    /// What the server waits for before it ends.
    tracker: TaskTracker,
    /// Cancelled when it waits no longer.
    cut: CancellationToken,
}

impl CarriedOut {
    pub(super) fn new(tracker: TaskTracker, cut: CancellationToken) -> Self {
        Self { room: Arc::new(Semaphore::new(MOST)), tracker, cut }
    }

    /// The answer to a request. Where that [outlives its connection](outlives_connection) the work on it begins at once,
    /// and goes on whoever still waits for the answer.
    pub(super) fn answer<B, S>(
        &self,
        request: Request<B>,
        service: &S,
    ) -> impl Future<Output = Result<Response, Infallible>> + use<B, S>
    where
        S: Service<Request<B>, Response = Response, Error = Infallible>,
        S::Future: Send + 'static,
    {
        let permit =
            outlives_connection(&request).then(|| Arc::clone(&self.room).try_acquire_owned());
        let answering = service.call(request);
        let Some(Ok(permit)) = permit else { return Either::Right(answering) };
        let cut = self.cut.clone();
        let answering = self.tracker.spawn(
            async move {
                let response = cut.run_until_cancelled(answering).await;
                drop(permit);
                response
            }
            .boxed(),
        );
        Either::Left(async move {
            match answering.await {
                Ok(Some(response)) => response,
                Ok(None) => Ok(refuse(StatusCode::SERVICE_UNAVAILABLE, "the server has stopped")),
                Err(err) => {
                    tracing::error!("a request was not answered: {err}");
                    let text = "the server failed at this request; its log says why";
                    Ok(refuse(StatusCode::INTERNAL_SERVER_ERROR, text))
                }
            }
        })
    }
}

/// Whether a request changes something and does not end with its connection. Calls of 2026-07-28, which name no session,
/// do: to that protocol a client that hangs up has cancelled.
fn outlives_connection<B>(request: &Request<B>) -> bool {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return false;
    }
    own_page::is_page(request.uri().path()) || request.headers().contains_key(SESSION_ID)
}
