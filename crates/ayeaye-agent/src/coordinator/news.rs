//! Waiting for news: a wake-up, or the next look without one.
use std::time::Duration;

use tokio::sync::broadcast::{self, error::RecvError};
use tokio::time::{Instant, sleep_until};

use super::Coordinator;
use crate::SessionId;

/// How long nobody looks where no wake-up comes: it may be lost, and a dead process sends none.
const LOOK_AGAIN: Duration = Duration::from_millis(500);

/// Waits for news of one session, or of all.
#[derive(Debug)]
pub(crate) struct News {
    wakeups: broadcast::Receiver<SessionId>,
    session: Option<SessionId>,
}

impl News {
    /// From now on, of one session.
    pub(crate) fn of(coordinator: &dyn Coordinator, session: SessionId) -> Self {
        Self { wakeups: coordinator.wakeups(), session: Some(session) }
    }

    /// From now on, of every session.
    pub(crate) fn of_all(coordinator: &dyn Coordinator) -> Self {
        Self { wakeups: coordinator.wakeups(), session: None }
    }

    /// Returns when there may be something new. Cancel safe.
    pub(crate) async fn next(&mut self) {
        let look_again = Instant::now() + LOOK_AGAIN;
        loop {
            tokio::select! {
                woken = self.wakeups.recv() => match woken {
                    Ok(session) if self.session.is_none_or(|it| it == session) => return,
                    Ok(_) => {}
                    Err(RecvError::Lagged(_)) => return,
                    Err(RecvError::Closed) => return sleep_until(look_again).await,
                },
                () = sleep_until(look_again) => return,
            }
        }
    }
}
