//! Asking a phone for the elements of its screen. That takes it seconds, in which the screen may become another one,
//! and a phone makes one list at a time: the one that was asked for too early then counts for the later screen, if it
//! was certainly made of that.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::Observer;
use super::screen_key::ScreenKey;
use crate::journal::DisplayRecord;
use crate::settle::looks_same;
use crate::{Device, DeviceError, Frame};

/// Elements that took longer count only if the screen still looks as it did.
const DOUBTED_AFTER: Duration = Duration::from_secs(2);
/// `uiautomator dump` reads a screen when nothing has happened on it for a second (`waitForIdle` in AOSP's
/// `DumpCommand.java`), so never sooner after it was asked.
const READ_AFTER: Duration = Duration::from_secs(1);

/// What a phone said when it was asked.
#[derive(Debug)]
pub(in crate::run) struct Dump {
    pub(super) said: Result<Option<String>, DeviceError>,
    pub(super) took: Duration,
    pub(super) read_at: Instant,
    /// The screen was seen to look exactly as before after that.
    pub(super) is_confirmed: bool,
}

impl Dump {
    async fn of(device: &dyn Device) -> Self {
        let begun = Instant::now();
        let said = device.ui_tree().await;
        let read_at = Instant::now();
        Self { said, took: read_at - begun, read_at, is_confirmed: false }
    }
}

/// A phone that is being asked; given up when dropped.
#[derive(Debug)]
pub(in crate::run) struct PendingDump {
    pub(super) dumping: AbortOnDropHandle<Dump>,
    asked_at: Instant,
    /// Gone when the phone has answered.
    screen: Arc<Mutex<Option<DumpedScreen>>>,
}

/// The screen that a phone is asked about.
#[derive(Debug)]
struct DumpedScreen {
    frame: Frame,
    key: Option<ScreenKey>,
    /// The phone was asked before it was seen.
    came_later: bool,
}

impl PendingDump {
    /// Has it count for another screen, which was seen later on this frame. False where the phone may have read its
    /// elements before that.
    pub(super) fn counts_for(
        &self,
        frame: &Frame,
        key: Option<&ScreenKey>,
        seen_at: Instant,
    ) -> bool {
        if self.asked_at + READ_AFTER < seen_at {
            return false;
        }
        let mut screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(screen) = screen.as_mut() else { return false };
        *screen = DumpedScreen { frame: frame.clone(), key: key.cloned(), came_later: true };
        true
    }
}

impl Observer {
    /// Asks for the elements of the screen on this frame. Where a secret may be on it, or the phone
    /// takes long, they count only if the screen looks the same afterwards: elements of another screen
    /// would be worse than none.
    pub(super) fn ask_phone(
        &self,
        frame: &Frame,
        secret: bool,
        key: Option<&ScreenKey>,
    ) -> PendingDump {
        let asked = DumpedScreen { frame: frame.clone(), key: key.cloned(), came_later: false };
        let (device, screen) = (self.device.clone(), Arc::new(Mutex::new(Some(asked))));
        let private = (!self.policy.private_apps.is_empty()).then(|| self.policy.clone());
        let asked_about = screen.clone();
        let asking = async move {
            let mut dump = Dump::of(&*device).await;
            let screen = asked_about.lock().unwrap_or_else(PoisonError::into_inner).take();
            let came_later = screen.as_ref().is_some_and(|it| it.came_later);
            if came_later && dump.took < READ_AFTER {
                // It did not wait for that long, so it may have read the earlier screen.
                dump = Dump::of(&*device).await;
            }
            if let (Some(policy), Ok(Some(_))) = (private, &dump.said) {
                // Such an app may have come to the front meanwhile.
                let front = device.state().await.ok().and_then(|state| state.foreground);
                if front.is_none_or(|front| policy.is_private(&front.package)) {
                    dump.said = Ok(None);
                }
            }
            let doubted = secret || DOUBTED_AFTER < dump.took;
            if let (Some(screen), true) = (screen, doubted && matches!(dump.said, Ok(Some(_)))) {
                if let Some(exactly) = looks_still(&*device, &screen).await {
                    dump.is_confirmed = exactly;
                } else {
                    tracing::debug!(device = %device.id(), "the elements are of another screen");
                    dump.said = Ok(None);
                }
            }
            dump
        };
        let dumping = AbortOnDropHandle::new(tokio::spawn(asking));
        PendingDump { dumping, asked_at: Instant::now(), screen }
    }
}

/// Whether a phone still shows a screen, and then whether it looks exactly as before.
async fn looks_still(device: &dyn Device, screen: &DumpedScreen) -> Option<bool> {
    let (now, state) = tokio::join!(device.capture(), device.state());
    let now = now.ok().filter(|now| looks_same(&screen.frame, now))?;
    let display = device.shown_on().map(DisplayRecord::from);
    let key = state.ok().and_then(|state| ScreenKey::new(&now, &state, display));
    Some(key.is_some() && key == screen.key)
}
