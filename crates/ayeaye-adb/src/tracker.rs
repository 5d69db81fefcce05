//! The list of phones as it changes.
use std::sync::Arc;

use ayeaye_agent::DeviceError;

use crate::parse::{DeviceListing, devices};
use crate::protocol::{Connection, MAX_SERVICE};
use crate::server::Server;

/// Receives the list of phones whenever it changes.
#[derive(Debug)]
pub struct Tracker {
    server: Arc<Server>,
    connection: Connection,
}

impl Tracker {
    pub(crate) async fn start(server: Arc<Server>) -> Result<Self, DeviceError> {
        let mut connection = server.connect().await?;
        let limit = server.config().limits.list;
        match tokio::time::timeout(limit, connection.request("host:track-devices-l")).await {
            Ok(Ok(())) => Ok(Self { server, connection }),
            Ok(Err(error)) => Err(server.unavailable(error)),
            Err(_) => Err(server.unavailable("it did not begin to tell its phones")),
        }
    }

    /// The whole list: at once the first time, later when something has changed. The one call
    /// without a time limit; drop it at any time. After an error, start a new tracker.
    pub async fn next(&mut self) -> Result<Vec<DeviceListing>, DeviceError> {
        match self.connection.read_block(MAX_SERVICE).await {
            Ok(list) => Ok(devices(&String::from_utf8_lossy(&list))),
            Err(error) => Err(self.server.unavailable(error)),
        }
    }
}
