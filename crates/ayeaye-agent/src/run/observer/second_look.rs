//! The second look after a gesture, begun during the first one: a capture, or where the phone makes digests of its
//! screen, whether it shows what the first look is about to bring.
use std::sync::Arc;

use tokio::task::JoinError;
use tokio::time::{Instant, sleep_until};
use tokio_util::task::AbortOnDropHandle;

use crate::settle::{EarlyFrame, capture_at};
use crate::{CaptureDigest, Device, DeviceError, Frame, ScreenState};

/// The second look, which begins during the first.
pub(super) enum Ahead {
    Look(AbortOnDropHandle<Result<(EarlyFrame, ScreenState), DeviceError>>),
    /// Only whether the screen shows what the first look is about to bring.
    Digest(AbortOnDropHandle<Result<DigestLook, DeviceError>>),
}

/// A look that gets only a digest of the screen, not its pixels.
pub(super) struct DigestLook {
    began: Instant,
    ended: Instant,
    digest: Option<CaptureDigest>,
    state: ScreenState,
}

impl Ahead {
    /// The result of the look. `None` if the screen differs from this frame and was not captured.
    pub(super) async fn seen(
        self,
        first: &Frame,
    ) -> Result<Option<(EarlyFrame, ScreenState)>, DeviceError> {
        match self {
            Self::Look(looking) => finished(looking).await.map(Some),
            Self::Digest(asking) => {
                let DigestLook { began, ended, digest, state } = finished(asking).await?;
                let is_same = digest.is_some() && digest == first.digest();
                let seen = EarlyFrame { began, ended, frame: first.clone(), by_digest: true };
                Ok(is_same.then_some((seen, state)))
            }
        }
    }
}

/// Its outcome; its panic is ours. It is only cancelled where the server ends, and whoever waits for it with it.
async fn finished<T>(task: AbortOnDropHandle<Result<T, DeviceError>>) -> Result<T, DeviceError> {
    match task.await.map_err(JoinError::try_into_panic) {
        Ok(outcome) => outcome,
        Err(Ok(panic)) => std::panic::resume_unwind(panic),
        Err(Err(_cancelled)) => std::future::pending().await,
    }
}

/// The phone's state at this time.
pub(super) async fn state_at(
    device: &dyn Device,
    time: Instant,
) -> Result<ScreenState, DeviceError> {
    sleep_until(time).await;
    device.state().await
}

/// A look at the phone that begins at this time.
pub(super) async fn look_at(
    device: Arc<dyn Device>,
    time: Instant,
) -> Result<(EarlyFrame, ScreenState), DeviceError> {
    tokio::try_join!(capture_at(&*device, time), state_at(&*device, time))
}

/// The digest of the screen at this time.
pub(super) async fn digest_at(
    device: Arc<dyn Device>,
    time: Instant,
) -> Result<DigestLook, DeviceError> {
    let digest = async {
        sleep_until(time).await;
        let began = Instant::now();
        Ok((device.capture_digest().await?, began, Instant::now()))
    };
    let ((digest, began, ended), state) = tokio::try_join!(digest, state_at(&*device, time))?;
    Ok(DigestLook { began, ended, digest, state })
}
