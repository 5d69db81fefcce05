//! Reading the body of a request, within bounds of size, of time, and of what all of them take together.
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, EXPECT, HeaderMap, HeaderValue};
use axum::response::Response;
use futures::StreamExt as _;
use tokio::sync::{Semaphore, SemaphorePermit};

use super::refusal::{later, refuse};

/// How long a request's body may take.
const BODY_TIME: Duration = Duration::from_secs(30);

/// How much of a body that is too large is still read, so that a client that writes all of it before
/// it reads gets the answer and not a broken connection.
const DRAINED: usize = 32 << 20;

/// What each request may hold without asking for room, in bytes: more than most have. It is also what is made room for
/// before anything of a body has come.
const FREE: usize = 64 << 10;

/// Room for what is held of larger bodies while they are read, in units: no more than this together, whoever sends them,
/// so that many that never end do not take the memory of the server.
static LARGE_BODIES: Semaphore = Semaphore::const_new((64 << 20) / UNIT);

/// What the room is counted in, in bytes.
const UNIT: usize = 1 << 10;

/// The room that one body has, until it is dropped.
struct Room<'a> {
    all: &'a Semaphore,
    held: Option<SemaphorePermit<'a>>,
}

impl<'a> Room<'a> {
    fn new(all: &'a Semaphore) -> Self {
        Self { all, held: None }
    }

    /// Whether there is room for a body of so many bytes.
    fn grow_to(&mut self, bytes: usize) -> bool {
        let held = self.held.as_ref().map_or(0, SemaphorePermit::num_permits);
        let more = bytes.saturating_sub(FREE).div_ceil(UNIT).saturating_sub(held);
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        let Ok(permit) = self.all.try_acquire_many(more) else { return false };
        match &mut self.held {
            Some(held) => held.merge(permit),
            None => self.held = Some(permit),
        }
        true
    }
}

/// Reads a body of at most `limit` bytes.
pub(super) async fn read(headers: &HeaderMap, body: Body, limit: usize) -> Result<Bytes, Response> {
    let too_large = || {
        let text = format!("the request is larger than {limit} bytes (http.body-limit)");
        refuse(StatusCode::PAYLOAD_TOO_LARGE, &text)
    };
    let is_plain = |it: &HeaderValue| it.as_bytes().eq_ignore_ascii_case(b"identity");
    if !headers.get_all(CONTENT_ENCODING).iter().all(is_plain) {
        let text = "a request's body is taken as it is: send it without Content-Encoding";
        return Err(refuse(StatusCode::UNSUPPORTED_MEDIA_TYPE, text));
    }
    let announced = headers
        .get(CONTENT_LENGTH)
        .and_then(|value| value.to_str().ok()?.parse::<usize>().ok())
        .unwrap_or(0);
    // A client that waits for `100 Continue`, or announces more than would be drained, gets the answer
    // at once.
    if limit < announced && (headers.contains_key(EXPECT) || DRAINED < announced) {
        return Err(too_large());
    }
    let whole = async {
        let mut chunks = body.into_data_stream();
        let mut bytes = Vec::with_capacity(announced.min(limit).min(FREE));
        let mut room = Room::new(&LARGE_BODIES);
        let mut seen = 0_usize;
        while let Some(chunk) = chunks.next().await {
            let broken = |err| {
                tracing::debug!("a request's body broke off: {err}");
                refuse(StatusCode::BAD_REQUEST, "the request's body broke off")
            };
            let chunk = chunk.map_err(broken)?;
            seen = seen.saturating_add(chunk.len());
            if seen <= limit {
                if !room.grow_to(seen) {
                    let text = "too many large requests at once; send it again";
                    let wait = Duration::from_secs(1);
                    return Err(later(StatusCode::SERVICE_UNAVAILABLE, wait, text));
                }
                bytes.extend_from_slice(&chunk);
            } else if DRAINED < seen {
                break;
            } else {
                (bytes, room) = (Vec::new(), Room::new(&LARGE_BODIES));
            }
        }
        if limit < seen { Err(too_large()) } else { Ok(Bytes::from(bytes)) }
    };
    match tokio::time::timeout(BODY_TIME, whole).await {
        Ok(read) => read,
        Err(_) => Err(refuse(StatusCode::REQUEST_TIMEOUT, "the request's body took too long")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_bodies_have_room_until_there_is_none_and_small_ones_always() {
        let all = Semaphore::new(4);
        let [mut first, mut second, mut third] = [(); 3].map(|()| Room::new(&all));
        assert!(first.grow_to(FREE + 1) && first.grow_to(FREE + 3 * UNIT));
        assert!(second.grow_to(FREE) && second.grow_to(FREE + 1));
        assert!(!second.grow_to(FREE + UNIT + 1) && third.grow_to(FREE));
        drop(first);
        assert!(third.grow_to(FREE + 3 * UNIT) && !third.grow_to(usize::MAX));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_never_ends_is_given_up() {
        let body = Body::from_stream(futures::stream::pending::<Result<Bytes, std::io::Error>>());
        let refusal = read(&HeaderMap::new(), body, 1024).await.unwrap_err();
        assert_eq!(refusal.status(), StatusCode::REQUEST_TIMEOUT);
    }

    #[tokio::test]
    async fn an_endless_body_is_read_no_further_than_it_helps() {
        let chunk = Bytes::from(vec![b' '; 1 << 20]);
        let body = Body::from_stream(futures::stream::repeat_with(move || {
            Ok::<_, std::io::Error>(chunk.clone())
        }));
        let refusal = read(&HeaderMap::new(), body, 1024).await.unwrap_err();
        assert_eq!(refusal.status(), StatusCode::PAYLOAD_TOO_LARGE);
    }

    #[tokio::test]
    async fn a_body_of_exactly_the_limit_passes() {
        let body = Body::from(vec![b'x'; 1024]);
        assert_eq!(read(&HeaderMap::new(), body, 1024).await.unwrap().len(), 1024);
        let body = Body::from(vec![b'x'; 1025]);
        let refusal = read(&HeaderMap::new(), body, 1024).await.unwrap_err();
        assert_eq!(refusal.status(), StatusCode::PAYLOAD_TOO_LARGE);
    }
}
