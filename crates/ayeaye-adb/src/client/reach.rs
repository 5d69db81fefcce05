//! Getting to the phone, in one way or another.
use std::sync::PoisonError;
use std::sync::atomic::Ordering;

use ayeaye_agent::DeviceError;
use tokio::time::{Instant, timeout, timeout_at};

use super::{DeviceClient, Route};
use crate::errors::{Stage, device_error};
use crate::protocol::Connection;

impl DeviceClient {
    /// A connection to the phone itself, on which nothing has been asked of it yet. That is why another way
    /// may be tried where there is one.
    ///
    /// Not all of this is under the deadline, which is that of the phone's answer: the adb server is connected to
    /// within `limits.connect`, and where none runs it is started within `limits.start`, which a command that may take
    /// two seconds must not cut off. Looking for another way takes `limits.list` and twice `limits.describe` at most,
    /// and then the server of that way is connected to.
    pub(super) async fn reach(
        &self,
        what: &str,
        deadline: Instant,
    ) -> Result<Connection, DeviceError> {
        if self.is_in_doubt.swap(false, Ordering::Relaxed) {
            self.go_another_way(false).await;
        }
        let connection = match self.transport(what, deadline).await {
            Err(error) if error.is_unreachable() && self.go_another_way(true).await => {
                self.transport(what, deadline).await?
            }
            reached => reached?,
        };
        // A connection does not outlive its link: where another phone answers now, this one leads to that one, or is dead.
        self.ensure_same_phone().await?;
        Ok(connection)
    }

    pub(super) async fn transport(
        &self,
        what: &str,
        deadline: Instant,
    ) -> Result<Connection, DeviceError> {
        let Route { server, serial } = self.way();
        let transport = format!("host:transport:{serial}");
        let asked = async {
            let mut connection = server.connect().await?;
            match timeout_at(deadline, connection.request(&transport)).await {
                Ok(Ok(())) => Ok(connection),
                Ok(Err(error)) => Err(device_error(&self.id, what, Stage::Connecting, error)),
                Err(_) => {
                    let state = "out of reach: the adb server does not answer".to_owned();
                    Err(DeviceError::NotReady(self.id.clone(), state))
                }
            }
        };
        let reached = asked.await;
        if reached.is_err() {
            self.same_phone.link_lost();
        }
        reached
    }

    /// True if there is another way, which is taken from now on.
    async fn go_another_way(&self, is_gone: bool) -> bool {
        let Some(others) = &self.others else { return false };
        let limit = self.limits.list + 2 * self.limits.describe;
        let found = timeout(limit, others.instead_of(&self.way(), is_gone)).await;
        let Ok(Some(way)) = found else { return false };
        let server = &way.server.config().server;
        tracing::warn!(device = %self.id, serial = way.serial, %server, "its link is gone; going on over another");
        *self.way.lock().unwrap_or_else(PoisonError::into_inner) = way;
        true
    }
}
