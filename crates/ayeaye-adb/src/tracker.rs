//! The list of phones as it changes.
use std::sync::Arc;

use ayeaye_agent::DeviceError;

use crate::parse::{DeviceListing, devices};
use crate::protocol::{Connection, MAX_SERVICE};
use crate::server::Server;

/// A list of phones that is told again whenever it changes.
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

    /// The whole list: at once the first time, later when something has changed. This is the one
    /// call without a limit; give it up whenever you like. After an error begin anew.
    pub async fn next(&mut self) -> Result<Vec<DeviceListing>, DeviceError> {
        match self.connection.read_block(MAX_SERVICE).await {
            Ok(list) => Ok(devices(&String::from_utf8_lossy(&list))),
            Err(error) => Err(self.server.unavailable(error)),
        }
    }
}
