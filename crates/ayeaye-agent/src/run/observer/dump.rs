//! Asking a phone for the elements of its screen. That takes it seconds, in which the screen may become another one,
//! and a phone makes one list at a time. One that was requested too early is used for the screen that followed, if
//! that was there before the phone can have read anything.
use std::slice;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use futures::FutureExt as _;
use tokio::time::Instant;
use tokio_util::task::AbortOnDropHandle;

use super::Observer;
use super::screen_key::ScreenKey;
use crate::elements::{Elements, on_blocking_thread, without_hidden};
use crate::journal::{BlobRef, DisplayRecord};
use crate::run::outcome::RunError;
use crate::run::recorder::Recorder;
use crate::settle::{look_again, looks_same};
use crate::{Device, DeviceError, Frame, KeepElements, KeepText, NoElements};

/// Elements that took longer count only if the screen still looks as it did.
const DOUBTED_AFTER: Duration = Duration::from_secs(2);
/// `uiautomator dump` reads a screen when it has been told of no change for a second, which it counts from its own start
/// at the earliest (`waitForIdle` in AOSP's `DumpCommand.java`), so never sooner after it was asked.
const EARLIEST_READ: Duration = Duration::from_secs(1);

/// The proof needed that a list of elements belongs to its screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Certainty {
    /// They were requested with an earlier screen, and read after theirs was there.
    Reused,
    /// They were requested when the screen had been seen.
    Requested,
    /// It was seen to look exactly as before after that, too.
    Confirmed,
}

/// A phone's answer to a request for the elements.
#[derive(Debug)]
pub(in crate::run) struct Dump {
    pub(super) said: Result<Result<String, NoElements>, DeviceError>,
    pub(super) took: Duration,
    pub(super) read_at: Instant,
    pub(super) certainty: Certainty,
}

impl Dump {
    async fn of(device: &dyn Device) -> Self {
        let begun = Instant::now();
        let said = device.ui_tree_or_why().await;
        let read_at = Instant::now();
        Self { said, took: read_at - begun, read_at, certainty: Certainty::Requested }
    }
}

/// A request for the elements in progress; dropping it abandons it.
#[derive(Debug)]
pub(in crate::run) struct PendingDump {
    pub(super) dumping: AbortOnDropHandle<Dump>,
    asked_at: Instant,
    /// Gone when the phone has answered.
    screen: Arc<Mutex<Option<ExpectedScreen>>>,
}

/// The screen that a list has to be of.
#[derive(Debug)]
struct ExpectedScreen {
    frame: Frame,
    key: Option<ScreenKey>,
    /// The phone was asked before it was seen.
    seen_after_request: bool,
}

impl PendingDump {
    /// Whether it is certain that the phone has not read its elements yet.
    pub(super) fn is_unread(&self) -> bool {
        self.asked_at.elapsed() <= EARLIEST_READ
    }

    /// Makes the request count for a later screen, seen on this frame since the phone was asked. `None` if the phone
    /// may have read its elements before that.
    pub(super) fn for_later_screen(self, frame: &Frame, key: Option<&ScreenKey>) -> Option<Self> {
        if !self.is_unread() {
            return None;
        }
        {
            let mut screen = self.screen.lock().unwrap_or_else(PoisonError::into_inner);
            let (frame, key) = (frame.clone(), key.cloned());
            *screen.as_mut()? = ExpectedScreen { frame, key, seen_after_request: true };
        }
        Some(self)
    }
}

impl Observer {
    /// Asks for the elements of the screen on this frame. If the screen may show a secret, or the phone takes long, the
    /// elements count only if the screen still looks the same afterwards: elements of another screen would be worse
    /// than none.
    pub(super) fn ask_phone(
        &self,
        frame: &Frame,
        secret: bool,
        key: Option<&ScreenKey>,
    ) -> PendingDump {
        let asked =
            ExpectedScreen { frame: frame.clone(), key: key.cloned(), seen_after_request: false };
        let (device, screen) = (self.device.clone(), Arc::new(Mutex::new(Some(asked))));
        let private = (!self.policy.private_apps.is_empty()).then(|| self.policy.clone());
        let asked_about = screen.clone();
        let asking = async move {
            let mut dump = Dump::of(&*device).await;
            let screen = asked_about.lock().unwrap_or_else(PoisonError::into_inner).take();
            let seen_after_request = screen.as_ref().is_some_and(|it| it.seen_after_request);
            if seen_after_request && dump.took < EARLIEST_READ {
                // It did not wait for that long, so it may have read the earlier screen.
                dump = Dump::of(&*device).await;
            } else if seen_after_request {
                dump.certainty = Certainty::Reused;
            }
            if let (Some(policy), Ok(Ok(_))) = (private, &dump.said) {
                // Such an app may have come to the front meanwhile.
                let front = device.state().await.ok().and_then(|state| state.foreground);
                if front.is_none_or(|front| policy.is_private(&front.package)) {
                    dump.said = Ok(Err(NoElements::Restless));
                }
            }
            let doubted = secret || DOUBTED_AFTER < dump.took;
            if let (Some(screen), true) = (screen, doubted && matches!(dump.said, Ok(Ok(_)))) {
                match looks_still(&*device, &screen).await {
                    // Of a phone that reads sooner than uiautomator it would confirm another screen's.
                    Some(true) if dump.certainty == Certainty::Requested => {
                        dump.certainty = Certainty::Confirmed;
                    }
                    Some(_) => {}
                    None => {
                        tracing::debug!(device = %device.id(), "the elements are of another screen");
                        dump.said = Ok(Err(NoElements::Restless));
                    }
                }
            }
            dump
        };
        let asked_at = Instant::now();
        PendingDump {
            dumping: AbortOnDropHandle::new(tokio::spawn(asking.boxed())),
            asked_at,
            screen,
        }
    }
}

/// Whether a phone still shows a screen, and then whether it looks exactly as before.
async fn looks_still(device: &dyn Device, screen: &ExpectedScreen) -> Option<bool> {
    let look = look_again(device, Instant::now(), slice::from_ref(&screen.frame));
    let (now, state) = tokio::join!(look, device.state());
    let now = now.ok().filter(|now| now.by_digest || looks_same(&screen.frame, &now.frame))?.frame;
    let display = device.shown_on().map(DisplayRecord::from);
    let key = state.ok().and_then(|state| ScreenKey::new(&now, &state, display));
    Some(key.is_some() && key == screen.key)
}

/// Parses a list of elements, and stores what may be stored of it. `None` if it cannot be parsed.
pub(super) async fn read_and_store(
    recorder: &mut Recorder,
    xml: String,
    secret_field: bool,
) -> Result<Option<(Elements, Option<BlobRef>)>, RunError> {
    let (secrets, level) = (recorder.shared_secrets(), recorder.privacy().text);
    let kept = secret_field || recorder.privacy().elements != KeepElements::Never;
    // Phones send what they like: it is read where nobody waits.
    let read = on_blocking_thread(move || {
        let elements = Elements::read(&xml)?;
        let stored = match level {
            _ if !kept => None,
            // Only what the user keeps by a name is hidden there.
            KeepText::Full => Some(secrets.redact(&xml).into_owned()),
            KeepText::Redacted => {
                let clean = without_hidden(&xml, |text| secrets.places(text));
                Some(secrets.redact(&clean).into_owned())
            }
            KeepText::Metadata => None,
        };
        Some((elements, stored))
    });
    let Some((elements, stored)) = read.await.flatten() else { return Ok(None) };
    let blob = match stored {
        Some(xml) => Some(recorder.store(xml.into(), "application/xml").await?),
        None => None,
    };
    Ok(Some((elements, blob)))
}
