//! What a client is shown of a phone's screen.
use std::borrow::Cow;

use super::Agent;
use crate::elements::hidden_elements;
use crate::{Device, DeviceError, Elements, Frame, Principal, RedactPictures, RefusedBy};

impl Agent {
    /// The screen as this reader may see it. In the app of a named secret that a session of this process was to type,
    /// what hides or shows one is black: a client's model is a model too. An error where that app's elements cannot be
    /// listed, so that nobody knows where it stands.
    ///
    /// To others than the person at this machine it is as it is: black would tell them that they have found one.
    pub async fn capture_for(
        &self,
        device: &dyn Device,
        reader: &Principal,
    ) -> Result<Frame, DeviceError> {
        let frame = device.capture().await?;
        let stores = &self.secret_stores;
        let is_shown = self.deps.limits.redact == RedactPictures::Never || !stores.has_named();
        if is_shown || !reader.owns(&Principal::local()) {
            return Ok(frame);
        }
        let front = device.state().await?.foreground;
        if !front.is_some_and(|it| stores.has_named_of(&it.package)) {
            return Ok(frame);
        }
        let elements = match device.ui_tree().await {
            Ok(Some(dump)) => Elements::read_apart(dump).await,
            Err(err) if err.is_unreachable() => return Err(err),
            Ok(None) | Err(_) => None,
        };
        let Some(elements) = elements else {
            return Err(DeviceError::Refused {
                id: device.id().clone(),
                what: "the picture of the screen".to_owned(),
                reason: "a kept secret may be on it, and the phone does not list what is where; a picture is shown again in \
                         another app, or with run.redact-pictures = \"never\""
                    .to_owned(),
                by: RefusedBy::Device,
            });
        };
        let shows = |text: &str| matches!(stores.hide_named(text), Cow::Owned(_));
        let hidden = hidden_elements(&elements, shows, |text| stores.places(text));
        let places: Vec<_> = hidden.into_iter().map(|it| it.bounds).collect();
        Ok(frame.with_black_areas(&places))
    }
}
