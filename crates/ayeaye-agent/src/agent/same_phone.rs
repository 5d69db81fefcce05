//! Whether a session goes on with the phone that it began on. An address of the network, and the name of an emulator, may
//! be another phone's by then: a question can wait for weeks.
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::AgentError;
use crate::device::DeviceInfo;
use crate::event::DeviceRecord;
use crate::{Device, SessionId};

/// What is recorded of a phone with its session.
pub(super) fn device_record(info: DeviceInfo) -> DeviceRecord {
    DeviceRecord {
        device_id: info.id.as_str().to_owned(),
        serial_digest: info.serial_number.as_deref().map(digest),
        model: info.model,
        android_version: info.android_version,
        wm_size: [info.screen.width, info.screen.height],
    }
}

/// Asks the phone, and refuses another one.
pub(super) async fn ensure_same_phone(
    session: SessionId,
    began_on: &DeviceRecord,
    device: &dyn Device,
) -> Result<(), AgentError> {
    let now = device_record(device.info().await?);
    if !now.is_other_than(began_on) {
        return Ok(());
    }
    let other_model = now.has_other_model_than(began_on);
    let now = if other_model {
        format!("the model {}", now.model)
    } else {
        "another phone of that model".to_owned()
    };
    let (device, before) = (device.id().clone(), began_on.model.clone());
    Err(AgentError::OtherPhone { session, device, before, now })
}

/// Enough to tell phones apart, and not the number itself: records are shown to others.
fn digest(serial_number: &str) -> String {
    Sha256::digest(serial_number).iter().take(8).fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("a string takes everything");
        hex
    })
}
