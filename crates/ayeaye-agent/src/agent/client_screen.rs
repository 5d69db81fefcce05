//! What a client is shown of a phone's screen.
use std::borrow::Cow;

use super::{Agent, AgentError};
use crate::elements::hidden_elements;
use crate::{Device, DeviceError, Elements, Frame, Principal, RedactPictures};

impl Agent {
    /// Fails where what this reader keeps by a name could not be hidden in what they are shown of a phone.
    pub fn check_hidden_for(&self, reader: &Principal) -> Result<(), AgentError> {
        let owner = Principal::local();
        if reader.owns(&owner) {
            self.secret_stores.check_hidden(&owner)?;
        }
        Ok(())
    }

    /// The screen as this reader may see it. In the app of a named secret that a session of this process was to type,
    /// what hides or shows one is black: a client's model is a model too. An error where nobody knows what has to be,
    /// since that app's elements cannot be listed, or it has come or gone meanwhile.
    ///
    /// To others than the person at this machine it is as it is: black would tell them that they have found one.
    pub async fn capture_for(
        &self,
        device: &dyn Device,
        reader: &Principal,
    ) -> Result<Frame, AgentError> {
        let stores = &self.secret_stores;
        let is_hidden =
            self.deps.limits.redact != RedactPictures::Never && reader.owns(&Principal::local());
        if is_hidden {
            self.check_hidden_for(reader)?;
        }
        if !is_hidden || !stores.has_named() {
            return Ok(device.capture().await?);
        }
        let is_in_its_app = async || {
            let front = device.state().await?.foreground;
            Ok::<_, DeviceError>(front.is_some_and(|it| stores.has_named_of(&it.package)))
        };
        let before = is_in_its_app().await?;
        let frame = device.capture().await?;
        let after = is_in_its_app().await?;
        let withheld = |why| AgentError::ScreenWithheld { device: device.id().clone(), why };
        if before != after {
            return Err(withheld("another app has come to the front meanwhile"));
        }
        if !after {
            return Ok(frame);
        }
        let elements = match device.ui_tree().await {
            Ok(Some(dump)) => Elements::read_on_blocking_thread(dump).await,
            Err(err) if err.is_unreachable() => return Err(err.into()),
            Ok(None) | Err(_) => None,
        };
        let elements = elements.ok_or_else(|| withheld("the phone does not list what is where"))?;
        let shows = |text: &str| matches!(stores.hide_named(text), Cow::Owned(_));
        let hidden = hidden_elements(&elements, shows, |text| stores.places(text));
        let places: Vec<_> = hidden.into_iter().map(|it| it.bounds).collect();
        Ok(frame.with_black_areas(&places))
    }
}
