//! The ways to type a text that a phone has.
use std::fmt::Write as _;

use ayeaye_agent::{DeviceError, DeviceId};

use super::{TextEntry, keys};
use crate::client::DeviceClient;
use crate::ime;
use crate::parse::InputMethods;
use crate::quote::quote;

/// A way to type a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TypingMethod {
    /// `input text`.
    KeyEvents,
    /// An installed keyboard of the `ADBKeyboard` family, and the current state to restore.
    Ime(String, InputMethods),
    Yadb,
}

impl TypingMethod {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::KeyEvents => "the keys of `input text`",
            Self::Ime(..) => "ADBKeyboard",
            Self::Yadb => "yadb",
        }
    }
}

impl TextEntry<'_> {
    /// The ways for a text that has no keys; an error without any.
    pub(super) async fn any_text(
        self,
        client: &DeviceClient,
    ) -> Result<Vec<TypingMethod>, DeviceError> {
        let (ways, why_not) = self.ways_or_why_not(client).await?;
        if !ways.is_empty() {
            return Ok(ways);
        }
        let Some(odd) = self.text.chars().find(|c| !c.is_ascii()) else {
            // A line break is no reason to ask anybody for a keyboard.
            let odd = self.text.chars().find(|c| !keys::has_key(*c)).unwrap_or_default();
            let reason = format!("`input text` has no key for {odd:?}, and {why_not}");
            return Err(client.not_sent("the text", reason));
        };
        Err(DeviceError::NoKeyboard { id: client.id().clone(), odd, why: why_not })
    }

    /// The ways there are on this phone for a text of any letters.
    pub(super) async fn ways_for_any_text(
        self,
        client: &DeviceClient,
    ) -> Result<Vec<TypingMethod>, DeviceError> {
        self.ways_or_why_not(client).await.map(|(ways, _)| ways)
    }

    /// The ways to type any text, and why the keyboard is not among them.
    async fn ways_or_why_not(
        self,
        client: &DeviceClient,
    ) -> Result<(Vec<TypingMethod>, String), DeviceError> {
        let (methods, has_yadb) = ime::query(client).await?;
        let (mut ways, mut why_not) = (Vec::new(), String::new());
        match ime::usable(client.id(), &methods) {
            Ok(id) => ways.push(TypingMethod::Ime(id, methods)),
            Err(why) => why_not = why,
        }
        if has_yadb && yadb_types(self.text) {
            ways.push(TypingMethod::Yadb);
        } else if has_yadb && !why_not.is_empty() {
            why_not.insert_str(0, r"yadb types no line break, and makes one of `\n`; ");
        }
        Ok((ways, why_not))
    }
}

/// Whether yadb types the text as it is: of a backslash and an n it makes a line break, or of two backslashes before
/// it, by its version.
fn yadb_types(text: &str) -> bool {
    quote(text).is_ok() && !text.contains(r"\n")
}

pub(super) fn same(way: &TypingMethod, other: &TypingMethod) -> bool {
    std::mem::discriminant(way) == std::mem::discriminant(other)
}

pub(super) fn nothing_typed(device: &DeviceId, tried: &[&str], composes: bool) -> String {
    let mut text = format!(
        "the phone accepted it and the field holds nothing of it (tried: {})",
        tried.join(", ")
    );
    if tried.contains(&"ADBKeyboard") {
        _ = write!(
            text,
            "; an old ADBKeyboard does nothing on newer phones: `ayeaye setup {device} --keyboard fetch`, on the \
             computer that runs Aye-aye, tries the one that is there and puts a newer one in its place"
        );
    } else if composes {
        text.push_str("; the keyboard makes words of its language from it: switch it to English, or install ADBKeyboard");
    } else {
        text.push_str("; if the phone's keyboard composes words, switch it to English, or install ADBKeyboard");
    }
    text
}
