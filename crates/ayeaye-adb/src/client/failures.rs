//! What went wrong, as errors of this phone.
use std::sync::atomic::Ordering;
use std::time::Duration;

use ayeaye_agent::{DeviceError, RefusedBy};

use super::DeviceClient;
use crate::errors::{Stage, device_error};
use crate::protocol::ProtocolError;

impl DeviceClient {
    /// The error for what was requested and not answered in time.
    pub(super) fn timed_out(&self, what: &str, after: Duration) -> DeviceError {
        self.is_in_doubt.store(true, Ordering::Relaxed);
        DeviceError::TimedOut { id: self.id.clone(), what: what.to_owned(), after }
    }

    /// The error for what was requested and failed.
    pub(super) fn request_failed(&self, what: &str, error: ProtocolError) -> DeviceError {
        let error = device_error(&self.id, what, Stage::Requested, error);
        if error.is_unreachable() {
            self.is_in_doubt.store(true, Ordering::Relaxed);
            self.same_phone.link_lost();
        }
        error
    }

    /// The error for a phone that refuses.
    pub(crate) fn refused(&self, what: &str, reason: impl Into<String>) -> DeviceError {
        DeviceError::Refused {
            id: self.id.clone(),
            what: what.to_owned(),
            reason: reason.into(),
            by: RefusedBy::Device,
        }
    }

    /// The error for what is not sent to the phone.
    pub(crate) fn not_sent(&self, what: &str, reason: impl Into<String>) -> DeviceError {
        DeviceError::NotSent { id: self.id.clone(), what: what.to_owned(), reason: reason.into() }
    }

    /// The error for an answer that cannot be understood.
    pub(crate) fn garbled(&self, what: &str, reason: impl Into<String>) -> DeviceError {
        DeviceError::Garbled { id: self.id.clone(), what: what.to_owned(), reason: reason.into() }
    }
}
