//! Phones' screens as they are now: one capture for all who look, and no more than two a second.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::StatusCode;
use ayeaye_agent::{Agent, DeviceId, Principal};
use futures::FutureExt as _;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::answer::Refusal;
use crate::clock;
use crate::mcp::tool_error::ToolError;
use crate::secret;

/// The longest side of a picture, in pixels.
const SIDE: u32 = 960;
/// Most bytes of a picture.
const MAX_BYTES: usize = 200_000;
/// The least time between the beginnings of two captures of a phone.
const LEAST_PAUSE: Duration = Duration::from_millis(500);
/// Most phones whose last picture is remembered.
const MOST_PHONES: usize = 256;

/// A picture that is sent.
#[derive(Debug, Clone)]
pub(super) struct Shot {
    pub(super) bytes: Bytes,
    pub(super) media_type: &'static str,
    /// Equal for equal pictures, and only for them.
    pub(super) tag: String,
    /// From when on the phone may have looked so.
    pub(super) since: Timestamp,
}

/// What came of the last capture of a phone, when that began, and who had asked for it.
type Last = Option<(Instant, Principal, Result<Shot, Refusal>)>;

/// The last picture of each phone.
#[derive(Debug, Default)]
pub(super) struct Screens(Mutex<HashMap<DeviceId, Arc<tokio::sync::Mutex<Last>>>>);

impl Screens {
    /// What a phone shows that nobody drives. Whether the caller may see it is another question.
    pub(super) async fn shot(
        &self,
        agent: &Arc<Agent>,
        id: &DeviceId,
        who: &Principal,
    ) -> Result<Shot, Refusal> {
        let mut last = self.of(id).lock_owned().await;
        if let Some((at, _, shot)) = &*last
            && at.elapsed() < LEAST_PAUSE
        {
            return shot.clone();
        }
        let (agent, id, who) = (agent.clone(), id.clone(), who.clone());
        // Goes on when whoever asked goes away: the next one must not begin a second capture beside it.
        let taking = tokio::spawn(
            async move {
                let begun = Instant::now();
                let shot = take(&agent, &id).await;
                *last = Some((begun, who, shot.clone()));
                shot
            }
            .boxed(),
        );
        taking.await.unwrap_or_else(|err| Err(Refusal::internal("the picture of the phone", &err)))
    }

    /// The last picture that was taken of a phone here, however old, unless one is being taken. One that somebody else
    /// had asked for may show what they did by hand.
    pub(super) fn last(&self, id: &DeviceId, who: &Principal) -> Option<Shot> {
        let last = self.of(id).try_lock_owned().ok()?;
        let (_, _, shot) = last.as_ref().filter(|(_, whose, _)| whose == who)?;
        shot.as_ref().ok().cloned()
    }

    fn of(&self, id: &DeviceId) -> Arc<tokio::sync::Mutex<Last>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if MOST_PHONES <= all.len() && !all.contains_key(id) {
            all.retain(|_, phone| 1 < Arc::strong_count(phone));
        }
        Arc::clone(all.entry(id.clone()).or_default())
    }
}

async fn take(agent: &Agent, id: &DeviceId) -> Result<Shot, Refusal> {
    let device = agent.device(id).await?;
    ensure_not_private(agent, id).await?;
    let since = clock::system()();
    let frame = device.capture().await?;
    // Another app may have come to the front meanwhile.
    ensure_not_private(agent, id).await?;
    let encode = move || ayeaye_model::encode_within(&frame, SIDE, MAX_BYTES);
    let encoded = tokio::task::spawn_blocking(encode).await;
    let picture = encoded.map_err(|err| Refusal::internal("the picture of the phone", &err))?;
    let tag = secret::hex(&Sha256::digest(&picture.bytes)[..16]);
    Ok(Shot { bytes: picture.bytes, media_type: picture.media_type, tag, since })
}

async fn ensure_not_private(agent: &Agent, id: &DeviceId) -> Result<(), Refusal> {
    match agent.private_app_in_front(id).await? {
        Some(app) => {
            let error = ToolError::private_app(&app);
            Err(Refusal::new(StatusCode::CONFLICT, error.what()))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nobody_is_shown_again_what_another_had_asked_for() {
        let (screens, id) = (Screens::default(), DeviceId::new("phone-1"));
        let owner = Principal::local();
        assert!(screens.last(&id, &owner).is_none());
        let shot = Shot {
            bytes: Bytes::from_static(b"jpeg"),
            media_type: "image/jpeg",
            tag: "a".to_owned(),
            since: Timestamp::UNIX_EPOCH,
        };
        *screens.of(&id).lock().await = Some((Instant::now(), owner.clone(), Ok(shot)));
        assert!(screens.last(&id, &owner).is_some());
        assert!(screens.last(&id, &Principal::new("anna")).is_none());
    }
}
