//! The phones, and what they show.
use std::time::Duration;

use axum::Json;
use axum::extract::{Extension, State};
use axum::http::StatusCode;
use axum::http::header::{CONTENT_TYPE, ETAG, HeaderMap, IF_NONE_MATCH};
use axum::response::{IntoResponse as _, Response};
use ayeaye_agent::{AgentError, DeviceHolder, DeviceId, Principal, SessionId};
use serde::Deserialize;
use serde_json::Value;
use tokio::time::timeout;

use super::answer::{Named, Query, Refusal};
use super::screens::Shot;
use super::sessions::media_type;
use super::view::View;
use super::{Page, live};
use crate::mcp::args;
use crate::mcp::resources::steps::StepPicture;

/// How long a record is waited for that is being read.
const PATIENCE: Duration = Duration::from_secs(5);

/// `GET /page/api/devices`.
pub(super) async fn list(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
) -> Result<Json<Value>, Refusal> {
    Ok(Json(live::devices(&page.0.agent, &principal).await?))
}

#[derive(Debug, Deserialize)]
pub(super) struct After {
    after: Option<String>,
}

/// `GET /page/api/devices/{id}/screen?after=TAG`.
pub(super) async fn screen(
    State(page): State<Page>,
    Extension(principal): Extension<Principal>,
    Named(id): Named<String>,
    Query(After { after }): Query<After>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    let (id, agent) = (args::device_id(&id)?, &page.0.agent);
    let shot = match agent.device_holder(&id, &principal).await {
        // Its run takes pictures itself: another one would make it wait.
        DeviceHolder::Session(session) => match page.last_picture(session, &principal).await? {
            Some(shot) => newer(shot, page.0.screens.last(&id, &principal)),
            None => return Ok(no_picture_yet()),
        },
        DeviceHolder::Free | DeviceHolder::Person => {
            page.0.screens.shot(agent, &id, &principal).await?
        }
        DeviceHolder::Other => return Err(busy(id)),
    };
    // Somebody else's run may have begun meanwhile, and the picture may show it.
    if agent.device_holder(&id, &principal).await == DeviceHolder::Other {
        return Err(busy(id));
    }
    let known = headers.get(IF_NONE_MATCH).and_then(|tag| tag.to_str().ok());
    let known = [after.as_deref(), known].into_iter().flatten();
    let tag = format!("\"{}\"", shot.tag);
    if known.map(|tag| tag.trim_matches('"')).any(|known| known == shot.tag) {
        return Ok((StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response());
    }
    Ok(([(ETAG, tag), (CONTENT_TYPE, shot.media_type.to_owned())], shot.bytes).into_response())
}

/// A run's picture, or the last one of the phone itself: when somebody acts by hand, that one is from after the act
/// before, and the run's from before it until the next act has looked at the phone.
fn newer(of_run: Shot, of_phone: Option<Shot>) -> Shot {
    of_phone.filter(|it| of_run.since < it.since).unwrap_or(of_run)
}

fn busy(device: DeviceId) -> Refusal {
    AgentError::DeviceBusy { device, session: None }.into()
}

/// A run has just begun and has not looked at the phone yet. That is nothing wrong: the next request finds more.
fn no_picture_yet() -> Response {
    (StatusCode::NO_CONTENT, [("x-ayeaye-reason", "the run has not looked at the phone yet")])
        .into_response()
}

impl Page {
    /// The last picture that a session's run has taken, as it is in the record; none before its first.
    async fn last_picture(&self, id: SessionId, who: &Principal) -> Result<Option<Shot>, Refusal> {
        let (agent, live) = (&self.0.agent, &self.0.live);
        let mut latest = live.session(id, who).await?;
        let Ok(seen) = timeout(PATIENCE, latest.wait_for(Option::is_some)).await else {
            return Err(self.why_unseen(id, who).await);
        };
        let view = seen.ok().and_then(|view| view.clone());
        let steps = view.iter().flat_map(|view| view.steps.iter().rev());
        let mut pictures = steps.map(|step| (step.picture(), step.since()));
        let last = pictures.find(|(picture, _)| !matches!(picture, StepPicture::None));
        let Some((StepPicture::Kept(blob), since)) = last else { return Ok(None) };
        let bytes = agent.journal().blob(&id, &blob).await?;
        Ok(Some(Shot { media_type: media_type(&blob), bytes, tag: blob.sha256, since }))
    }

    /// Why nothing is seen of a session that has a phone: whoever follows it tries again and again.
    async fn why_unseen(&self, id: SessionId, who: &Principal) -> Refusal {
        let read = View::read(&self.0.agent, id, who, self.0.live.rules());
        let why = match timeout(PATIENCE, read).await {
            Ok(Err(err)) => Refusal::from(err).text().to_owned(),
            Ok(Ok(_)) | Err(_) => "that takes too long, try again".to_owned(),
        };
        let text = format!("the record of the run on this phone cannot be read: {why}");
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, text)
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;

    #[test]
    fn an_act_by_hand_shows_no_screen_from_before_the_act_before_it() {
        let shot = |tag: &str, at: &str| Shot {
            bytes: tag.to_owned().into(),
            media_type: "image/jpeg",
            tag: tag.to_owned(),
            since: at.parse::<Timestamp>().unwrap(),
        };
        let run = || shot("run", "2026-01-01T00:00:05Z");
        let at = |at| newer(run(), Some(shot("phone", at))).tag;
        assert_eq!(at("2026-01-01T00:00:06Z"), "phone");
        assert_eq!(at("2026-01-01T00:00:04Z"), "run");
        assert_eq!(newer(run(), None).tag, "run");
    }
}
