//! The list of phones as it changes.
use std::sync::Arc;

use ayeaye_agent::DeviceError;

use crate::parse::{Line, devices};
use crate::server::Server;
use crate::wire::{LONGEST_SERVICE, Wire};

/// A list of phones that is told again whenever it changes.
#[derive(Debug)]
pub struct Tracker {
    server: Arc<Server>,
    wire: Wire,
}

impl Tracker {
    pub(crate) async fn begin(server: Arc<Server>) -> Result<Self, DeviceError> {
        let mut wire = server.connect().await?;
        let limit = server.config().limits.list;
        match tokio::time::timeout(limit, wire.request("host:track-devices-l")).await {
            Ok(Ok(())) => Ok(Self { server, wire }),
            Ok(Err(error)) => Err(server.missing(error)),
            Err(_) => Err(server.missing("it did not begin to tell its phones")),
        }
    }

    /// The whole list: at once the first time, later when something has changed. This is the one
    /// call without a limit; give it up whenever you like. After an error begin anew.
    pub async fn next(&mut self) -> Result<Vec<Line>, DeviceError> {
        match self.wire.body(LONGEST_SERVICE).await {
            Ok(list) => Ok(devices(&String::from_utf8_lossy(&list))),
            Err(error) => Err(self.server.missing(error)),
        }
    }
}
