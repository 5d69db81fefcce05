//! Screen captures, complete or not at all.
//!
//! The phone's `screencap` writes raw pixels behind a short header, or a PNG. Raw is half a second
//! faster on a good link, since a phone takes that long to compress; on a poor one the phone compresses
//! after all (see [`choice`]). Where `screencap` gives a shell no picture at all, adb's own service
//! `framebuffer:` may. adb does not report a phone that is lost in the middle (the stream just
//! ends), so a capture counts only if its length is exactly what its header announces.
mod attempt;
mod choice;
mod digest;
mod framebuffer;
mod gzip;
mod overlap;
mod png;
mod raw;
mod refusals;

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use ayeaye_agent::{DeviceError, Frame};
use ayeaye_frame::{CaptureDigest, Earlier};
#[cfg(test)]
use bytes::BytesMut;
use tokio::time::{Instant, timeout_at};

use self::attempt::{Failure, framebuffer_frame};
use self::choice::{CaptureWay, Choice};
use self::digest::Digests;
use self::overlap::{Overlap, UnderWay};
use self::refusals::Refusals;
use crate::client::DeviceClient;

/// The most bytes of one capture, compressed or not: twice the pixels of the largest televisions.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// How often a broken capture is retried.
const RETRIES: usize = 2;

const WHAT: &str = "a screenshot";

/// Messages of `screencap` do not belong to the picture. Toybox has `sha256sum` since Android 8.
const DIGEST_COMMAND: &str = "screencap 2>/dev/null | sha256sum";

/// A digest is 64 digits, and what comes instead a message.
const MAX_DIGEST_BYTES: usize = 4096;

/// Captures of one phone, and what was learnt about how it takes them.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    choice: Mutex<Choice>,
    overlap: Overlap,
    digests: Digests,
    /// The link for which that holds.
    link: Mutex<Option<String>>,
    /// The last capture, while somebody holds it: the next one shares what looks the same.
    last: Mutex<Earlier>,
}

/// A capture, and what the phone said with it.
#[derive(Debug)]
pub(crate) struct Captured {
    pub(crate) frame: Frame,
    /// The phone has several displays and was not told which is meant.
    pub(crate) several_displays: bool,
    /// In which it came: not always the one that was tried first.
    way: CaptureWay,
}

impl Capture {
    /// The screen as it is now, of this panel if it is named. A capture changes nothing on the phone,
    /// so it may be repeated.
    pub(crate) async fn frame(
        &self,
        client: &DeviceClient,
        panel: Option<u64>,
    ) -> Result<Captured, DeviceError> {
        let deadline = Instant::now() + client.limits().capture;
        self.begin_anew_on(client.link());
        let under_way = self.overlap.begin();
        let (mut tries, mut refusals) = (0, Refusals::default());
        loop {
            let begun = Instant::now();
            let way = self.choice().next(begun, panel.is_some());
            let failure = match self.attempt(client, way, panel, deadline).await {
                Ok(captured) => {
                    let took = begun.elapsed();
                    self.learn_from_capture(&captured, way, begun, under_way);
                    let (came, size) = (captured.way.name(), captured.frame.size());
                    tracing::debug!(device = %client.id(), way = came, ?panel, ?took, %size, "captured");
                    return Ok(captured);
                }
                Err(failure) => failure,
            };
            refusals.begin_attempt();
            let Some(error) = self.learn_from_failure(client, way, failure, &mut refusals) else {
                continue;
            };
            tries += 1;
            let again = matches!(error, DeviceError::Garbled { .. }) && tries <= RETRIES;
            if again && Instant::now() < deadline {
                tracing::debug!(device = %client.id(), %error, "capture once more");
                continue;
            }
            if panel.is_none()
                && refusals.leave_framebuffer()
                && let Some(captured) = self.by_framebuffer(client, deadline, &error).await
            {
                return Ok(captured);
            }
            refusals.forgive(&mut self.choice());
            return Err(refusals.into_error(client, error));
        }
    }

    /// How long this way took, if that tells anything of it.
    fn learn_from_capture(
        &self,
        captured: &Captured,
        way: CaptureWay,
        begun: Instant,
        under_way: UnderWay<'_>,
    ) {
        *self.last() = captured.frame.as_earlier();
        self.digests.captured(captured.frame.digest(), begun);
        let now = Instant::now();
        let took = now - begun;
        let alone = under_way.succeeded(took, now);
        if captured.way != way {
            // How long each of the two took is not known.
            self.choice().came_beside_another(captured.way, took);
            self.choice().was_broken(way, now);
        } else if alone {
            self.choice().succeeded(way, took, now);
        } else {
            self.choice().came_beside_another(way, took);
        }
    }

    /// What is wrong with the capture; none where the phone does not take it in this way, and another one is left.
    fn learn_from_failure(
        &self,
        client: &DeviceClient,
        way: CaptureWay,
        failure: Failure,
        refusals: &mut Refusals,
    ) -> Option<DeviceError> {
        let error = match failure {
            Failure::TooSlow(would_take) => {
                let seconds = would_take.as_secs_f32();
                tracing::info!(
                    device = %client.id(),
                    "a slow link: a raw capture would take {seconds:.1} s, so the phone compresses"
                );
                self.choice().was_too_slow(way, would_take, Instant::now());
                return None;
            }
            Failure::Unknown(reason) if way != CaptureWay::Png => {
                tracing::info!(device = %client.id(), reason, "no {} captures from this phone", way.name());
                self.choice().refused(way, Instant::now());
                refusals.add(way, &reason);
                return None;
            }
            Failure::Unknown(reason) => {
                let error = refusals.add_png(client, &reason);
                if self.choice().was_broken(way, Instant::now()) {
                    refusals.add(way, &reason);
                }
                error
            }
            // A closed service is how adbd says that it has none, where the phone has just answered.
            Failure::Other(DeviceError::LinkLost(..) | DeviceError::Refused { .. })
                if way == CaptureWay::Framebuffer && !refusals.is_empty() =>
            {
                self.choice().refused(way, Instant::now());
                refusals.add(way, "refused");
                return None;
            }
            Failure::Other(error) => {
                let is_damaged = matches!(error, DeviceError::Garbled { .. });
                if is_damaged && self.choice().was_broken(way, Instant::now()) {
                    let why = reason_of(&error);
                    tracing::info!(device = %client.id(), why, "{} captures come damaged", way.name());
                    refusals.add(way, &why);
                }
                error
            }
        };
        if error.is_unreachable() {
            self.choice().link_broke();
        }
        // Next time it is done in another way.
        if matches!(error, DeviceError::TimedOut { .. }) && way != CaptureWay::Raw {
            self.choice().was_too_slow(way, client.limits().capture * 2, Instant::now());
        }
        Some(error)
    }

    /// By adb's own service, where `screencap` gives no picture.
    async fn by_framebuffer(
        &self,
        client: &DeviceClient,
        deadline: Instant,
        error: &DeviceError,
    ) -> Option<Captured> {
        let begun = Instant::now();
        let captured = framebuffer_frame(client, deadline).await.ok()?;
        tracing::info!(device = %client.id(), %error, "captures come by `framebuffer:`");
        let (mut choice, now) = (self.choice(), Instant::now());
        choice.refused(CaptureWay::Raw, now);
        choice.refused(CaptureWay::Png, now);
        choice.succeeded(CaptureWay::Framebuffer, now - begun, now);
        drop(choice);
        Some(captured)
    }

    /// What was learnt holds for one link: another one may be quicker, or slower.
    fn begin_anew_on(&self, link: String) {
        let mut known = self.link.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref() == Some(&link) {
            return;
        }
        if known.replace(link).is_some() {
            *self.choice() = Choice::default();
            self.overlap.forget();
            self.digests.forget();
        }
    }

    /// The digest of the screen as it is now, if the phone makes one sooner than a capture comes. Where that is not
    /// known, it is found out.
    pub(crate) async fn digest(
        &self,
        client: &DeviceClient,
    ) -> Result<Option<CaptureDigest>, DeviceError> {
        let Some(capture) = self.digests_pay() else { return Ok(None) };
        let begun = Instant::now();
        let limit = begun + client.limits().capture;
        let asking = client.exec(WHAT, DIGEST_COMMAND, limit, MAX_DIGEST_BYTES, <[u8]>::len);
        // One that takes longer says nothing of the link: the capture that is made instead tells of a lost phone.
        let Ok(printed) = timeout_at(begun + capture * 2, asking).await else {
            tracing::debug!(device = %client.id(), "no digest of the screen within two captures' time");
            self.digests.refused(Instant::now());
            return Ok(None);
        };
        let now = Instant::now();
        match printed.as_ref().map(|output| digest::parse(output)) {
            Ok(Some(digest)) => {
                let took = now - begun;
                tracing::debug!(device = %client.id(), ?took, ?digest, "a digest of the screen");
                self.digests.made(digest, begun, took, capture);
                Ok(Some(digest))
            }
            Ok(None) => {
                let reason = printed.map(|output| describe(&output)).unwrap_or_default();
                tracing::debug!(device = %client.id(), reason, "no digests from this phone");
                self.digests.refused(now);
                Ok(None)
            }
            Err(error) if error.is_unreachable() => Err(error.clone()),
            Err(error) => {
                tracing::debug!(device = %client.id(), %error, "no digest of the screen");
                self.digests.refused(now);
                Ok(None)
            }
        }
    }

    /// How long a capture takes, where a digest is worth asking for. Only raw captures have one.
    fn digests_pay(&self) -> Option<Duration> {
        let (way, took) = self.choice().latest()?;
        let is_raw = matches!(way, CaptureWay::Raw | CaptureWay::Gzip);
        (is_raw && self.digests.pay(took, Instant::now())).then_some(took)
    }

    /// Whether digests are asked for.
    pub(crate) fn makes_digests(&self) -> bool {
        self.digests_pay().is_some()
    }

    /// For the next capture as it comes. Of one panel of several no digest is ever asked for.
    fn reader(&self, display: &str) -> raw::Reader {
        let is_wanted = display.is_empty() && self.digests_pay().is_some();
        raw::Reader::new(self.earlier()).with_digest(is_wanted)
    }

    /// Whether a second capture may begin before the first is over.
    pub(crate) fn overlaps(&self) -> bool {
        self.overlap.pays(Instant::now())
    }

    /// In which way the last capture came, and how long it took.
    pub(crate) fn latest(&self) -> Option<(&'static str, Duration)> {
        self.choice().latest().map(|(way, took)| (way.name(), took))
    }

    fn earlier(&self) -> Earlier {
        self.last().clone()
    }

    /// Never held over an await.
    fn last(&self) -> MutexGuard<'_, Earlier> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Never held over an await.
    fn choice(&self) -> MutexGuard<'_, Choice> {
        self.choice.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is wrong with a capture, as it stands in an error.
fn reason_of(error: &DeviceError) -> String {
    match error {
        DeviceError::Garbled { reason, .. } => reason.clone(),
        other => other.to_string(),
    }
}

/// What a phone printed where pixels were expected, for an error message.
fn describe(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
    match crate::parse::sanitize_first_line(&text) {
        Some(line) => format!("{} bytes came{BEGINNING}{line}`", bytes.len()),
        None => format!("{} bytes came", bytes.len()),
    }
}

const BEGINNING: &str = ", beginning with `";

/// The same bytes, decoded by all readers.
#[cfg(test)]
pub(crate) fn read_all(bytes: &BytesMut) -> [Result<Frame, String>; 3] {
    [png::frame(bytes, &Earlier::default()), framebuffer::frame(bytes.clone()), raw::frame(bytes)]
}
