//! Failures of the adb server, turned into the error that says what the caller can do.
use ayeaye_agent::{DeviceError, DeviceId, RefusedBy};

use crate::parse::sanitize;
use crate::protocol::ProtocolError;

/// Prefix of messages from a phone, so that they are not taken for adb's own.
pub(crate) const FROM_DEVICE: &str = "on the phone: ";

/// How far a call had got when it failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Nothing had been requested of the phone yet.
    Connecting,
    /// The request had been sent: it may have been carried out.
    Requested,
}

/// The error for what went wrong with one phone during `what`.
pub(crate) fn device_error(
    id: &DeviceId,
    what: &str,
    stage: Stage,
    error: ProtocolError,
) -> DeviceError {
    let refused = |reason: String| DeviceError::Refused {
        id: id.clone(),
        what: what.to_owned(),
        reason,
        by: RefusedBy::Device,
    };
    match (error, stage) {
        (ProtocolError::Failed(text), _) => from_text(id, what, stage, &text),
        (
            ProtocolError::Closed | ProtocolError::NoExitCode(_) | ProtocolError::Io(_),
            Stage::Requested,
        ) => DeviceError::LinkLost(id.clone(), what.to_owned()),
        (error @ ProtocolError::RequestTooLong, _) => refused(error.to_string()),
        (error, Stage::Connecting) => {
            DeviceError::NotReady(id.clone(), format!("out of reach: {error}"))
        }
        (
            error @ (ProtocolError::NotAdb
            | ProtocolError::OutOfTurn
            | ProtocolError::ResponseTooLong(_)),
            Stage::Requested,
        ) => DeviceError::Garbled {
            id: id.clone(),
            what: what.to_owned(),
            reason: error.to_string(),
        },
    }
}

/// adb's messages, as in `adb.cpp` and `transport.cpp` of versions 1.0.32 to 1.0.41.
fn from_text(id: &DeviceId, what: &str, stage: Stage, text: &str) -> DeviceError {
    let said = sanitize(text);
    if text.starts_with(FROM_DEVICE) {
        let (id, what) = (id.clone(), what.to_owned());
        return DeviceError::Refused { id, what, reason: said, by: RefusedBy::Device };
    }
    let lower = text.to_ascii_lowercase();
    let has = |words: &str| lower.contains(words);
    if has("not found") || has("no devices") {
        return DeviceError::NotFound(id.clone());
    }
    if has("unauthorized") {
        return DeviceError::Unauthorized(id.clone());
    }
    if has("no permissions") || has("insufficient permissions") {
        return DeviceError::NotReady(id.clone(), "no permissions".to_owned());
    }
    if has("offline") {
        return DeviceError::NotReady(id.clone(), "offline".to_owned());
    }
    if has("still connecting") || has("still authorizing") {
        return DeviceError::NotReady(id.clone(), "still connecting".to_owned());
    }
    if has("closed") || has("protocol fault") || has("connection reset") {
        return match stage {
            Stage::Requested => DeviceError::LinkLost(id.clone(), what.to_owned()),
            Stage::Connecting => DeviceError::NotReady(id.clone(), format!("out of reach: {said}")),
        };
    }
    if has("more than one") {
        // Another one was plugged in, and may go again.
        let state = format!("not the only one (adb says `{said}`): disconnect all but one of them");
        return DeviceError::NotReady(id.clone(), state);
    }
    let reason = format!("adb says `{said}`");
    DeviceError::Refused { id: id.clone(), what: what.to_owned(), reason, by: RefusedBy::AdbServer }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str, stage: Stage) -> DeviceError {
        device_error(&DeviceId::new("X"), "tap", stage, ProtocolError::Failed(text.to_owned()))
    }

    #[test]
    fn adbs_sentences_are_told_apart() {
        let reaching = |text| of(text, Stage::Connecting);
        assert!(matches!(reaching("device 'X' not found"), DeviceError::NotFound(_)));
        assert!(matches!(reaching("device not found"), DeviceError::NotFound(_)));
        assert!(matches!(reaching("no devices/emulators found"), DeviceError::NotFound(_)));
        let unauthorized = "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set";
        assert!(matches!(reaching(unauthorized), DeviceError::Unauthorized(_)));
        assert!(
            matches!(reaching("device offline"), DeviceError::NotReady(_, s) if s == "offline")
        );
        assert!(matches!(reaching("device still authorizing"), DeviceError::NotReady(..)));
        assert!(matches!(
            reaching("insufficient permissions for device: user in plugdev group"),
            DeviceError::NotReady(_, s) if s == "no permissions"
        ));
        assert!(matches!(
            reaching("more than one device/emulator"),
            DeviceError::NotReady(_, state) if state.contains("all but one")
        ));
        let unknown = reaching("unknown host service");
        assert!(matches!(unknown, DeviceError::Refused { by: RefusedBy::AdbServer, .. }));
    }

    #[test]
    fn only_what_was_asked_for_may_have_acted() {
        assert!(of("closed", Stage::Requested).may_have_acted());
        assert!(!of("closed", Stage::Connecting).may_have_acted());
        let error = |stage| device_error(&DeviceId::new("X"), "tap", stage, ProtocolError::Closed);
        assert!(error(Stage::Requested).may_have_acted());
        assert!(!error(Stage::Connecting).may_have_acted());
    }
}
