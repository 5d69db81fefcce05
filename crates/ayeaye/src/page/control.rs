//! Driving a phone by hand: taking it over, keeping it, giving it back.
use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use ayeaye_agent::{HOLD_LASTS, HoldId, Principal};
use serde::Deserialize;
use serde_json::{Value, json};

use super::Page;
use super::answer::{Body, Named, Query, Refusal, session_id};
use crate::mcp::args;

/// Whose phone it is to be taken over from; nobody's where none is named.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ControlRequest {
    session_id: Option<String>,
}

/// Which hold is meant: there may be a newer one, of another tab.
#[derive(Debug, Deserialize)]
pub(super) struct HeldControl {
    control: HoldId,
}

/// `POST /page/api/devices/{id}/control`: the phone is the person's when this is answered. A session at work
/// there is paused.
pub(super) async fn take(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Body(wanted): Body<ControlRequest>,
) -> Result<Json<Value>, Refusal> {
    page.ensure_may_act()?;
    let (device, agent) = (args::device_id(&id)?, &page.0.agent);
    let session = wanted.session_id.as_deref().map(session_id).transpose()?;
    if let Some(session) = session {
        page.ensure_phone_is_here(session, &principal).await?;
    }
    let (session, control) = agent.take_in_hand(&device, session, &principal).await?;
    // Three times, so that one that is lost does no harm.
    let keep_after_ms = HOLD_LASTS.as_millis() / 3;
    Ok(Json(json!({
        "session_id": session.to_string(),
        "control": control.to_string(),
        "keep_after_ms": keep_after_ms,
    })))
}

/// `PUT /page/api/devices/{id}/control?control=ID`: it is still driven.
pub(super) async fn keep(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Query(HeldControl { control }): Query<HeldControl>,
) -> Result<StatusCode, Refusal> {
    page.0.agent.keep_in_hand(&args::device_id(&id)?, control, &principal).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// `DELETE /page/api/devices/{id}/control?control=ID`.
pub(super) async fn give(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Query(HeldControl { control }): Query<HeldControl>,
) -> Result<StatusCode, Refusal> {
    page.0.agent.give_back(&args::device_id(&id)?, control, &principal).await;
    Ok(StatusCode::NO_CONTENT)
}
