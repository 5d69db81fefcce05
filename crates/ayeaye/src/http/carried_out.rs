//! Requests that are carried out although their client has gone.
//!
//! hyper drops what answers a request as soon as the client closes its side of the connection, and clients that want no
//! answer close it behind the last byte. What such a request is to change would be lost at whatever is awaited first.
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use tokio::sync::Semaphore;

use super::auth::SESSION_ID;
use super::own_page;
use super::refusal::refuse;

/// Most requests at a time that outlive their connections; that many more than there are connections. Beyond it a request
/// ends with its connection.
pub(super) const MOST: usize = 1024;

/// Carries a request that changes something out to its end, whoever still waits for it.
pub(super) async fn to_the_end(
    State(room): State<Arc<Semaphore>>,
    request: Request,
    next: Next,
) -> Response {
    if !is_carried_out(&request) {
        return next.run(request).await;
    }
    let Ok(permit) = room.try_acquire_owned() else { return next.run(request).await };
    let answering = tokio::spawn(async move {
        let response = next.run(request).await;
        drop(permit);
        response
    });
    answering.await.unwrap_or_else(|err| {
        tracing::error!("a request was not answered: {err}");
        let text = "the server failed at this request; its log says why";
        refuse(StatusCode::INTERNAL_SERVER_ERROR, text)
    })
}

/// Whether a request changes something and does not end with its connection. Calls of 2026-07-28, which name no session,
/// do: to that protocol a client that hangs up has cancelled.
fn is_carried_out(request: &Request) -> bool {
    if matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS) {
        return false;
    }
    own_page::is_page(request.uri().path()) || request.headers().contains_key(SESSION_ID)
}
