//! Downloads, sent at the pace at which the receiver reads.
use std::pin::pin;
use std::time::Duration;

use axum::body::Body;
use futures::{FutureExt as _, StreamExt as _};
use tokio::io::AsyncRead;
use tokio::sync::mpsc;
use tokio_util::io::ReaderStream;

/// How long a transfer may rest. On a slow link it moves in leaps, as deep as the system's buffers are.
const STUCK: Duration = Duration::from_mins(2);
/// Bytes of a piece.
const PIECE: usize = 64 << 10;

/// A body with all that `from` has. What is `held` is let go when all was taken, when nobody wants it any more, or
/// when nothing was taken for [`STUCK`].
///
/// A connection that cannot be written to does not ask its body for more, so that the body itself never learns how
/// long that has been: a task hands on one piece after the other, and gives up.
pub(super) fn body(from: impl AsyncRead + Send + 'static, held: impl Send + 'static) -> Body {
    let (pieces, mut taken) = mpsc::channel(1);
    tokio::spawn(
        async move {
            let _held = held;
            let mut read = pin!(ReaderStream::with_capacity(from, PIECE));
            while let Some(piece) = read.next().await {
                if let Err(err) = pieces.send_timeout(piece, STUCK).await {
                    tracing::debug!("a download ends early: {err}");
                    break;
                }
            }
        }
        .boxed(),
    );
    Body::from_stream(futures::stream::poll_fn(move |cx| taken.poll_recv(cx)))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;
    use std::sync::Arc;

    use tokio::sync::Semaphore;
    use tokio::time::{sleep, timeout};

    use super::*;

    const BYTES: usize = 10 * PIECE;

    /// A body, and what tells how many more there may be.
    fn one() -> (Body, Arc<Semaphore>) {
        let turns = Arc::new(Semaphore::new(1));
        let turn = turns.clone().try_acquire_owned().unwrap();
        (body(Cursor::new(vec![7; BYTES]), turn), turns)
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_taken_slowly_comes_whole_and_then_nothing_is_held() {
        let (body, turns) = one();
        let (mut pieces, mut length) = (body.into_data_stream(), 0);
        while let Some(piece) = pieces.next().await {
            length += piece.unwrap().len();
            let on_its_way = length + 2 * PIECE < BYTES;
            assert!(!on_its_way || turns.available_permits() == 0, "{length}");
            sleep(STUCK * 2 / 3).await;
        }
        assert_eq!(length, BYTES);
        assert_eq!(turns.available_permits(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_takes_is_held_no_longer_than_that() {
        let (body, turns) = one();
        assert!(timeout(STUCK * 2 / 3, turns.acquire()).await.is_err(), "it is still on its way");
        let freed = timeout(STUCK, turns.acquire()).await;
        assert!(freed.is_ok(), "somebody who does not read keeps others waiting");
        let pieces = body.into_data_stream().count().await;
        assert!(pieces < 10, "it does not pass for whole");
    }

    #[tokio::test(start_paused = true)]
    async fn what_nobody_wants_is_let_go_at_once() {
        let (body, turns) = one();
        drop(body);
        assert!(timeout(Duration::from_millis(1), turns.acquire()).await.is_ok());
    }
}
