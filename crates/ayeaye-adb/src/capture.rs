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
use self::overlap::Overlap;
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
        let limit = client.limits().capture;
        let deadline = Instant::now() + limit;
        self.begin_anew_on(client.link());
        let under_way = self.overlap.begin();
        let (mut tries, mut unknown) = (0, Vec::new());
        // What the phone prints in whatever way it is asked, in place of a picture.
        let mut said = None;
        loop {
            let begun = Instant::now();
            let way = self.choice().next(begun, panel.is_some());
            let mut is_no_picture = false;
            let error = match self.attempt(client, way, panel, deadline).await {
                Ok(captured) => {
                    *self.last() = captured.frame.as_earlier();
                    self.digests.captured(captured.frame.digest(), begun);
                    let took = begun.elapsed();
                    let now = Instant::now();
                    let alone = under_way.succeeded(took, now);
                    let came = captured.way;
                    if came != way {
                        // How long each of the two took is not known.
                        self.choice().came_beside_another(came, took);
                        self.choice().was_broken(way, now);
                    } else if alone {
                        self.choice().succeeded(way, took, now);
                    } else {
                        self.choice().came_beside_another(way, took);
                    }
                    let size = captured.frame.size();
                    tracing::debug!(
                        device = %client.id(), way = came.name(), ?panel, ?took, %size, "captured"
                    );
                    return Ok(captured);
                }
                Err(Failure::TooSlow(would_take)) => {
                    let seconds = would_take.as_secs_f32();
                    tracing::info!(
                        device = %client.id(),
                        "a slow link: a raw capture would take {seconds:.1} s, so the phone compresses"
                    );
                    self.choice().was_too_slow(way, would_take, Instant::now());
                    continue;
                }
                Err(Failure::Unknown(reason)) if way != CaptureWay::Png => {
                    tracing::info!(
                        device = %client.id(), reason, "no {} captures from this phone", way.name()
                    );
                    self.choice().refused(way, Instant::now());
                    unknown.push((way, format!("{}: {reason}", way.name())));
                    continue;
                }
                Err(Failure::Unknown(reason)) => {
                    is_no_picture = true;
                    unknown.retain(|(way, _)| *way != CaptureWay::Png);
                    let reasons = unknown.iter().map(|(_, reason)| reason.as_str());
                    let png =
                        if unknown.is_empty() { reason.clone() } else { format!("PNG: {reason}") };
                    let all: Vec<&str> = reasons.chain([png.as_str()]).collect();
                    said = printed_by_all(&all).map(ToOwned::to_owned);
                    let error = client.garbled(WHAT, all.join("; "));
                    if self.choice().was_broken(way, Instant::now()) {
                        unknown.push((way, format!("PNG: {reason}")));
                    }
                    error
                }
                // A closed service is how adbd says that it has none, where the phone has just answered.
                Err(Failure::Other(DeviceError::LinkLost(..) | DeviceError::Refused { .. }))
                    if way == CaptureWay::Framebuffer && !unknown.is_empty() =>
                {
                    self.choice().refused(way, Instant::now());
                    unknown.push((way, "framebuffer: refused".to_owned()));
                    continue;
                }
                Err(Failure::Other(error)) => {
                    let is_damaged = matches!(error, DeviceError::Garbled { .. });
                    if is_damaged && self.choice().was_broken(way, Instant::now()) {
                        let (name, why) = (way.name(), reason_of(&error));
                        tracing::info!(device = %client.id(), why, "{name} captures come damaged");
                        unknown.push((way, format!("{name}: {why}")));
                    }
                    error
                }
            };
            if error.is_unreachable() {
                self.choice().link_broke();
            }
            // Next time it is done in another way.
            if matches!(error, DeviceError::TimedOut { .. }) && way != CaptureWay::Raw {
                self.choice().was_too_slow(way, limit * 2, Instant::now());
            }
            tries += 1;
            let again = matches!(error, DeviceError::Garbled { .. }) && tries <= RETRIES;
            if !again || deadline <= Instant::now() {
                let was_tried = unknown.iter().any(|(way, _)| *way == CaptureWay::Framebuffer);
                if is_no_picture && panel.is_none() && !was_tried {
                    let begun = Instant::now();
                    if let Ok(captured) = framebuffer_frame(client, deadline).await {
                        tracing::info!(device = %client.id(), %error, "captures come by `framebuffer:`");
                        let mut choice = self.choice();
                        let now = Instant::now();
                        choice.refused(CaptureWay::Raw, now);
                        choice.refused(CaptureWay::Png, now);
                        choice.succeeded(CaptureWay::Framebuffer, now - begun, now);
                        return Ok(captured);
                    }
                }
                let mut choice = self.choice();
                for (way, _) in &unknown {
                    choice.forgive(*way);
                }
                if was_tried {
                    choice.forgive(CaptureWay::Raw);
                    choice.forgive(CaptureWay::Png);
                }
                return Err(match said.filter(|_| is_no_picture) {
                    Some(said) => DeviceError::CannotCapture { id: client.id().clone(), said },
                    None => error,
                });
            }
            tracing::debug!(device = %client.id(), %error, "capture once more");
        }
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

/// The words that came in every way in which anything came, of reasons as [`describe`] has them. A damaged picture is
/// none.
fn printed_by_all<'a>(reasons: &[&'a str]) -> Option<&'a str> {
    let is_silent = |reason: &&&str| {
        let told = reason.rsplit_once(": ").map_or(**reason, |(_, told)| told);
        matches!(told, "0 bytes came" | "refused")
    };
    let words = |reason: &&'a str| {
        let (_, behind) = reason.split_once(BEGINNING)?;
        let (words, _) = behind.rsplit_once('`')?;
        let is_text = !words.contains('\u{fffd}') && words.chars().any(char::is_alphabetic);
        is_text.then_some(words)
    };
    let mut all = reasons.iter().filter(|reason| !is_silent(reason)).map(words);
    let first = all.next()??;
    all.all(|other| other == Some(first)).then_some(first)
}

/// The same bytes, decoded by all readers.
#[cfg(test)]
pub(crate) fn read_all(bytes: &BytesMut) -> [Result<Frame, String>; 3] {
    [png::frame(bytes, &Earlier::default()), framebuffer::frame(bytes.clone()), raw::frame(bytes)]
}
