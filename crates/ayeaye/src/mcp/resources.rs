//! What can be read besides calling tools: the pictures of a session's steps.
use ayeaye_agent::journal::Fact;
use ayeaye_agent::{Agent, JournalError, Principal, SessionId};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rmcp::ErrorData;
use rmcp::model::{ReadResourceResult, ResourceContents, ResourceTemplate};

/// The address of the picture the model saw at a step.
pub fn screenshot_uri(session: SessionId, step: u32) -> String {
    format!("ayeaye://sessions/{session}/steps/{step}/screenshot")
}

/// What kinds of addresses there are.
pub fn templates() -> Vec<ResourceTemplate> {
    vec![
        ResourceTemplate::new(
            "ayeaye://sessions/{session_id}/steps/{step}/screenshot",
            "step-screenshot",
        )
        .with_title("Screenshot of a step")
        .with_description("The picture the model was shown at a step, counted from 0.")
        .with_mime_type("image/jpeg"),
    ]
}

/// Reads a picture.
pub async fn read(
    agent: &Agent,
    asker: &Principal,
    uri: &str,
) -> Result<ReadResourceResult, ErrorData> {
    let unknown = || {
        let shown: String = uri.chars().take(200).collect();
        ErrorData::resource_not_found(format!("there is no resource {shown}"), None)
    };
    let (session, step) = parse(uri).ok_or_else(unknown)?;
    let trouble = |err: JournalError| match err {
        JournalError::Unknown(_) => unknown(),
        other => ErrorData::internal_error(super::refusals::chain(&other), None),
    };
    agent.known(session, asker).await.map_err(|_| unknown())?;
    let journal = agent.journal();
    let events = journal.read(&session).await.map_err(trouble)?;
    let blob = events
        .iter()
        .filter(|event| event.entry.step == Some(step))
        .find_map(|event| match &event.entry.fact {
            Fact::Observe(observe) => observe.screenshot.clone(),
            _ => None,
        })
        .ok_or_else(unknown)?;
    let bytes = journal.blob(&session, &blob).await.map_err(trouble)?;
    let contents =
        ResourceContents::blob(STANDARD.encode(&bytes), uri).with_mime_type(blob.media_type);
    Ok(ReadResourceResult::new(vec![contents]))
}

fn parse(uri: &str) -> Option<(SessionId, u32)> {
    let rest = uri.strip_prefix("ayeaye://sessions/")?;
    let (session, rest) = rest.split_once("/steps/")?;
    let step = rest.strip_suffix("/screenshot")?;
    Some((session.parse().ok()?, step.parse().ok()?))
}
