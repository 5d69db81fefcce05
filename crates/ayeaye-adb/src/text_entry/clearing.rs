//! Emptying the field in focus, and making sure of it.
use std::sync::Arc;

use ayeaye_agent::DeviceError;

use super::InputMethods;
use super::field::Fields;
use crate::client::DeviceClient;
use crate::gesture::ensure_accepted;
use crate::ime::{self, ImeSwitch};
use crate::parse::{Caret, FIELD_QUERY, FieldState, batch, split_batch};

const WHAT: &str = "emptying the field";

/// Ctrl+A, delete, and to the end: where the caret is at 0 then, nothing is left. Apps that draw their
/// fields themselves swallow the first, and some makers' keyboards type an "a".
const SELECT_AND_DELETE: &str = "input keycombination 113 29 && input keyevent 67 && \
    input keyevent 123 || echo ayeaye-failed";

/// How many characters are deleted by one command, backwards and then forwards, and how often.
const MAX_DELETES: usize = 250;
const MAX_FORWARD: usize = 50;
const MAX_ROUNDS: usize = 8;

/// What is known of a field that was to be emptied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Emptied {
    /// It is empty.
    Yes,
    /// The phone has done what empties fields, and does not tell what is left.
    Unknown,
}

/// Empties the field: by the keyboard app that is active, if there is one, else by keys; where that did
/// nothing, in the other ways there are.
///
/// # Errors
///
/// The phone refuses, or something is left. Nothing has been typed then.
pub(super) async fn clear(
    client: &Arc<DeviceClient>,
    active: Option<&str>,
) -> Result<Emptied, DeviceError> {
    let caret = match active {
        Some(id) => {
            ime::clear(client, id).await?;
            caret_at_end(client).await?
        }
        None => match select_and_delete(client).await? {
            Some(selected) => selected,
            None => return after_deleting(client, active, None, None).await,
        },
    };
    let shown = match caret {
        Some(caret) if caret.is_at(0) => return Ok(Emptied::Yes),
        Some(_) => None,
        // Without a caret the text itself has to be looked at; it may be what an empty field asks for.
        None => match shown_text(client).await {
            Some(text) if text.is_empty() => return Ok(Emptied::Yes),
            None => return Ok(Emptied::Unknown),
            shown => shown,
        },
    };
    after_deleting(client, active, caret, shown).await
}

/// The second way, and the third. `shown` is the text that was seen before.
async fn after_deleting(
    client: &Arc<DeviceClient>,
    active: Option<&str>,
    caret: Option<Caret>,
    shown: Option<String>,
) -> Result<Emptied, DeviceError> {
    match delete_backwards(client, caret).await? {
        Some(caret) if caret.is_at(0) => Ok(Emptied::Yes),
        Some(caret) => {
            let left = match active {
                None => clear_by_keyboard(client).await?.unwrap_or(caret),
                Some(_) => caret,
            };
            if left.is_at(0) {
                return Ok(Emptied::Yes);
            }
            let reason = format!(
                "{} characters are left in it, whatever keys are pressed; nothing was typed",
                left.end
            );
            Err(client.refused(WHAT, reason))
        }
        None => match (shown, shown_text(client).await) {
            (_, Some(text)) if text.is_empty() => Ok(Emptied::Yes),
            (Some(before), Some(after)) if before != after => Err(client.refused(
                WHAT,
                format!("{} characters are left in it; nothing was typed", after.chars().count()),
            )),
            _ => Ok(Emptied::Unknown),
        },
    }
}

/// Where the caret is then, as far as the phone tells. `None` from phones before Android 12, which have no
/// key combinations and say so without doing anything.
async fn select_and_delete(client: &DeviceClient) -> Result<Option<Option<Caret>>, DeviceError> {
    let output = client.act_quick(WHAT, &batch(&[SELECT_AND_DELETE, FIELD_QUERY])).await?;
    let [keys, field] = split_batch(&output.stdout);
    let told = output.combined();
    let unknown = ["Unknown command", "Error: Unknown", "usage:", "Usage:"];
    if told.contains("INJECT_EVENTS") {
        ensure_accepted(client, WHAT, &output)?;
    }
    if unknown.iter().any(|words| told.contains(words)) {
        return Ok(None);
    }
    if keys.contains("ayeaye-failed") {
        return Err(client.refused(WHAT, output.summary()));
    }
    Ok(Some(FieldState::read(field).caret))
}

/// Where the caret is after a move to the end.
async fn caret_at_end(client: &DeviceClient) -> Result<Option<Caret>, DeviceError> {
    let output = client.act_quick(WHAT, &batch(&["input keyevent 123", FIELD_QUERY])).await?;
    let [_, field] = split_batch(&output.stdout);
    Ok(FieldState::read(field).caret)
}

/// Deletes from the end backwards, and then forwards what stood behind, until nothing is left or nothing
/// changes any more.
async fn delete_backwards(
    client: &DeviceClient,
    mut caret: Option<Caret>,
) -> Result<Option<Caret>, DeviceError> {
    for _ in 0..MAX_ROUNDS {
        let most = caret.map_or(MAX_DELETES, |caret| caret.end.clamp(1, MAX_DELETES));
        let keys =
            format!("input keyevent 123{}{} 123", " 67".repeat(most), " 112".repeat(MAX_FORWARD));
        let output = client.act_quick(WHAT, &batch(&[&keys, FIELD_QUERY])).await?;
        if output.combined().contains("INJECT_EVENTS") {
            ensure_accepted(client, WHAT, &output)?;
        }
        let [_, field] = split_batch(&output.stdout);
        let before = caret;
        caret = FieldState::read(field).caret;
        match (before, caret) {
            (_, None) => return Ok(None),
            (_, Some(now)) if now.is_at(0) => return Ok(caret),
            (Some(before), Some(now)) if before.end <= now.end => return Ok(caret),
            _ => {}
        }
    }
    Ok(caret)
}

/// Has a keyboard app empty the field, if one for that is installed.
async fn clear_by_keyboard(client: &Arc<DeviceClient>) -> Result<Option<Caret>, DeviceError> {
    let (methods, _) = ime::query(client).await?;
    let Ok(id) = ime::usable(client.id(), &methods) else { return Ok(None) };
    clear_through(client, &id, &methods).await
}

async fn clear_through(
    client: &Arc<DeviceClient>,
    id: &str,
    methods: &InputMethods,
) -> Result<Option<Caret>, DeviceError> {
    let switch = ImeSwitch::activate(client, id, methods).await?;
    let cleared = async {
        ime::clear(client, id).await?;
        caret_at_end(client).await
    };
    let cleared = cleared.await;
    switch.restore().await;
    cleared
}

async fn shown_text(client: &DeviceClient) -> Option<String> {
    let fields = Fields::dump(client).await.ok()?;
    fields.text().map(ToOwned::to_owned)
}
