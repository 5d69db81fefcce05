//! Where the keys of a text go: to the field that has the focus, on the display that is shown, or nowhere.
use ayeaye_agent::DeviceError;

use super::TextEntry;
use super::field::Fields;
use crate::client::DeviceClient;
use crate::parse::{FieldState, WINDOWS_QUERY, as_of_now, display_in_focus};

/// Why nothing is typed or emptied.
const NO_FIELD: &str =
    "no text field has the focus, so the app itself would get the keys: tap the field first";
const NO_FIELD_AFTER_TAP: &str = "the tap has given no text field the focus, so the app itself would get the keys that \
    empty a field; nothing was emptied or typed";

impl TextEntry<'_> {
    /// An error where another display has the focus: keyboards and yadb type there, and the phone tells of the field
    /// that is in focus there. Also after a tap on the field, which brings the focus here.
    pub(super) async fn ensure_focus(self, client: &DeviceClient) -> Result<(), DeviceError> {
        let Some(display) = self.among_several else { return Ok(()) };
        let output = client.shell_quick("the display in focus", WINDOWS_QUERY).await?;
        match display_in_focus(as_of_now(&output.stdout)) {
            Some(other) if other != display => {
                let reason = format!(
                    "the focus is on the phone's display {other}, and display {display} is the one that is shown \
                     here: tap the field first, so that nothing is typed into another app"
                );
                Err(client.not_sent("the text", reason))
            }
            None if self.point.is_none() => {
                let reason = format!(
                    "the phone does not say which of its displays has the focus, and display {display} is the one that \
                     is shown here: tap the field first, so that nothing is typed into another app"
                );
                Err(client.not_sent("the text", reason))
            }
            _ => Ok(()),
        }
    }

    /// An error where no field would take the keys: then the app in front does, and what empties a field deletes there
    /// what is selected by Ctrl+A. A place that was tapped may be a field that the app draws itself, and pads for a PIN
    /// take digits without one: these may be typed into, but are not emptied.
    pub(super) async fn ensure_field(
        self,
        client: &DeviceClient,
        field: &FieldState,
    ) -> Result<Self, DeviceError> {
        let is_for_pad = !self.text.is_empty() && self.text.chars().all(|c| c.is_ascii_digit());
        let may_be_drawn = is_for_pad || self.point.is_some() && !self.clear;
        if field.has_field != Some(false) || may_be_drawn && !self.clear {
            return Ok(self);
        }
        // The keyboard may not have said it yet. Where there is no list either, nothing is emptied.
        let is_listed = match Fields::dump(client).await {
            Ok(fields) => fields.focused().is_some(),
            Err(_) => !self.clear,
        };
        match self.point {
            _ if is_listed => Ok(self),
            _ if may_be_drawn => Ok(Self { clear: false, ..self }),
            Some(_) => Err(client.refused("the text", NO_FIELD_AFTER_TAP)),
            None => Err(client.not_sent("the text", NO_FIELD)),
        }
    }
}
