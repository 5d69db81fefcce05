//! Prompts as they are recorded, redacted, and as they are sent, with their secrets.
use std::borrow::Cow;

use serde_json::Value;

use crate::journal::{MessageRecord, PartRecord};
use crate::privacy::{SecretStore, length_of};
use crate::run::recorder::{Recorder, StoredPicture};
use crate::{JournalError, KeepImages, KeepText, Message, Part, Picture, Prompt, ToolCall};

/// Longer texts, in bytes, are stored as blobs: every step sends the same instructions.
const LONG_TEXT: usize = 1024;

/// The messages for the record: redacted, with long texts and pictures as blobs. Messages from `withheld` on are
/// recorded by their lengths only.
pub(super) async fn store_messages(
    recorder: &mut Recorder,
    messages: &[Message],
    withheld: usize,
    pictures: &[StoredPicture],
) -> Result<Vec<MessageRecord>, JournalError> {
    let mut records = Vec::with_capacity(messages.len());
    for (index, message) in messages.iter().enumerate() {
        if withheld <= index {
            let texts = message.parts.iter().filter_map(|part| match part {
                Part::Text(text) | Part::Result { text, .. } => Some(text),
                Part::Call(call) => Some(&call.arguments),
                Part::Picture(_) => None,
            });
            let parts = texts.map(|text| PartRecord::Text(length_of(text))).collect();
            records.push(MessageRecord { role: message.role.into(), parts });
            continue;
        }
        let mut parts = Vec::with_capacity(message.parts.len());
        for part in &message.parts {
            match part {
                Part::Text(text) => parts.push(store_text(recorder, text).await?),
                Part::Picture(picture) => {
                    parts.push(store_picture(recorder, picture, pictures).await?);
                }
                Part::Call(ToolCall { name, arguments, .. }) => {
                    parts.push(store_text(recorder, &format!("{name}({arguments})")).await?);
                }
                Part::Result { name, text, picture, .. } => {
                    parts.push(store_text(recorder, &format!("{name}: {text}")).await?);
                    if let Some(picture) = picture {
                        parts.push(store_picture(recorder, picture, pictures).await?);
                    }
                }
            }
        }
        records.push(MessageRecord { role: message.role.into(), parts });
    }
    Ok(records)
}

async fn store_text(recorder: &mut Recorder, text: &str) -> Result<PartRecord, JournalError> {
    let clean = recorder.redact(text).into_owned();
    if clean.len() <= LONG_TEXT || recorder.privacy().text == KeepText::Metadata {
        return Ok(PartRecord::Text(clean));
    }
    Ok(PartRecord::TextBlob(recorder.store(clean.into(), "text/plain").await?))
}

/// The blob of a picture. A picture of unknown origin is stored only if nothing is withheld.
async fn store_picture(
    recorder: &mut Recorder,
    picture: &Picture,
    pictures: &[StoredPicture],
) -> Result<PartRecord, JournalError> {
    let blob = match pictures.iter().find(|it| it.picture == *picture) {
        Some(stored) => stored.blob.clone(),
        None if recorder.privacy().images == KeepImages::Full => {
            Some(recorder.store(picture.bytes.clone(), picture.media_type).await?)
        }
        None => None,
    };
    let unstored = || PartRecord::Text(format!("[picture {} not kept]", picture.size));
    Ok(blob.map_or_else(unstored, PartRecord::Picture))
}

/// The prompt with secrets in place of their placeholders, as the model needs it. Named secrets stay names.
pub(super) fn restore_secrets<'a>(secrets: &SecretStore, prompt: &'a Prompt) -> Cow<'a, Prompt> {
    let redacted = |text: &str| matches!(secrets.restore_for_model(text), Cow::Owned(_));
    let any_redacted = |part: &Part| match part {
        Part::Text(text) | Part::Result { text, .. } => redacted(text),
        Part::Call(call) => redacted(&call.arguments),
        Part::Picture(_) => false,
    };
    if !prompt.messages.iter().flat_map(|message| &message.parts).any(any_redacted) {
        return Cow::Borrowed(prompt);
    }
    let mut clear = prompt.clone();
    for part in clear.messages.iter_mut().flat_map(|message| &mut message.parts) {
        match part {
            Part::Text(text) | Part::Result { text, .. } => {
                *text = secrets.restore_for_model(text).into_owned();
            }
            Part::Call(call) => call.arguments = restore_arguments(secrets, &call.arguments),
            Part::Picture(_) => {}
        }
    }
    Cow::Owned(clear)
}

/// Arguments with their secrets. They stay valid JSON even if a password contains quotes.
fn restore_arguments(secrets: &SecretStore, arguments: &str) -> String {
    fn restore(secrets: &SecretStore, value: &mut Value) {
        match value {
            Value::String(text) => *text = secrets.restore_for_model(text).into_owned(),
            Value::Array(list) => list.iter_mut().for_each(|it| restore(secrets, it)),
            Value::Object(map) => map.values_mut().for_each(|it| restore(secrets, it)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    match serde_json::from_str(arguments) {
        Ok(mut value) => {
            restore(secrets, &mut value);
            value.to_string()
        }
        Err(_) => secrets.restore_for_model(arguments).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret_text::SecretKind;

    #[test]
    fn a_password_with_quotes_leaves_arguments_whole() {
        let secrets = SecretStore::new(KeepText::Redacted);
        secrets.add_all(&[(SecretKind::Password, "p\"w\\4711")]);
        let redacted = secrets.redact("type p\"w\\4711 here").into_owned();
        assert!(!redacted.contains("4711"), "{redacted}");
        let arguments = serde_json::json!({ "text": redacted }).to_string();
        let clear: Value = serde_json::from_str(&restore_arguments(&secrets, &arguments)).unwrap();
        assert_eq!(clear["text"], "type p\"w\\4711 here");
    }
}
