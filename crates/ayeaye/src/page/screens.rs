//! Phones' screens as they are now: one capture for all who look, and no more than two a second.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::StatusCode;
use ayeaye_agent::{Agent, DeviceId};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use tokio::sync::OwnedMutexGuard;
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

/// What came of the last capture of a phone, and when that began.
type Last = Option<(Instant, Result<Shot, Refusal>)>;

/// The last picture of each phone.
#[derive(Debug, Default)]
pub(super) struct Screens(Mutex<HashMap<DeviceId, Arc<tokio::sync::Mutex<Last>>>>);

impl Screens {
    /// What a phone shows that nobody drives. Whether the caller may see it is another question.
    pub(super) async fn shot(&self, agent: &Arc<Agent>, id: &DeviceId) -> Result<Shot, Refusal> {
        let mut last = self.of(id).lock_owned().await;
        if let Some((at, shot)) = &*last
            && at.elapsed() < LEAST_PAUSE
        {
            return shot.clone();
        }
        let (agent, id) = (agent.clone(), id.clone());
        // Goes on when whoever asked goes away: the next one must not begin a second capture beside it.
        let taking = tokio::spawn(async move {
            let begun = Instant::now();
            let shot = take(&agent, &id).await;
            put(&mut last, begun, &shot);
            shot
        });
        taking.await.unwrap_or_else(|err| Err(Refusal::internal("the picture of the phone", &err)))
    }

    /// The last picture that was taken of a phone here, however old, unless one is being taken.
    pub(super) fn last(&self, id: &DeviceId) -> Option<Shot> {
        let last = self.of(id).try_lock_owned().ok()?;
        last.as_ref().and_then(|(_, shot)| shot.as_ref().ok().cloned())
    }

    fn of(&self, id: &DeviceId) -> Arc<tokio::sync::Mutex<Last>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if MOST_PHONES <= all.len() && !all.contains_key(id) {
            all.retain(|_, phone| 1 < Arc::strong_count(phone));
        }
        Arc::clone(all.entry(id.clone()).or_default())
    }
}

fn put(last: &mut OwnedMutexGuard<Last>, begun: Instant, shot: &Result<Shot, Refusal>) {
    **last = Some((begun, shot.clone()));
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
