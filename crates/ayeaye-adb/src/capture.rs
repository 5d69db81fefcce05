//! Screen captures, complete or not at all.
//!
//! The phone's `screencap` writes raw pixels behind a short header, or a PNG. Raw is half
//! a second faster on a typical phone, which takes that long to compress; PNG is for phones that have
//! nothing else. adb does not report a phone that is lost in the middle (the stream just ends), so a
//! capture counts only if its length is exactly what its header announces.
mod png;
mod raw;

use std::sync::atomic::{AtomicUsize, Ordering};

use ayeaye_agent::{DeviceError, Frame};
use bytes::BytesMut;
use tokio::time::{Instant, timeout_at};

use crate::client::DeviceClient;

/// The most bytes of one capture, compressed or not: twice the pixels of the largest televisions.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// How often a broken capture is retried.
const RETRIES: usize = 2;

const MAX_RAW_FAILURES: usize = 3;

const WHAT: &str = "a screenshot";

/// Captures of one phone, and what was learnt about how it takes them.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    /// Raw captures that failed in a row; from [`MAX_RAW_FAILURES`] on only PNG is used.
    raw_failures: AtomicUsize,
    /// Bytes of the last raw capture, to allocate as much for the next.
    last: AtomicUsize,
}

impl Capture {
    /// The screen as it is now. A capture changes nothing on the phone, so it may be repeated.
    pub(crate) async fn frame(&self, client: &DeviceClient) -> Result<Frame, DeviceError> {
        let limit = client.limits().capture;
        let deadline = Instant::now() + limit;
        let mut tries = 0;
        loop {
            let error = match self.try_once(client, deadline).await {
                Err(error @ DeviceError::Garbled { .. }) => error,
                done => return done,
            };
            tries += 1;
            if RETRIES < tries || deadline <= Instant::now() {
                return Err(error);
            }
            tracing::debug!(device = %client.id(), %error, "capture once more");
        }
    }

    async fn try_once(
        &self,
        client: &DeviceClient,
        deadline: Instant,
    ) -> Result<Frame, DeviceError> {
        if MAX_RAW_FAILURES <= self.raw_failures.load(Ordering::Relaxed) {
            return png_frame(client, deadline).await;
        }
        let expected = self.last.load(Ordering::Relaxed);
        let grow = |so_far: &[u8]| raw::expected_length(so_far).unwrap_or(expected);
        let bytes = client.exec(WHAT, "screencap", deadline, MAX_BYTES, grow).await?;
        let (length, start) = (bytes.len(), bytes[..bytes.len().min(200)].to_vec());
        match raw::frame(bytes) {
            Ok(frame) => {
                self.last.store(length, Ordering::Relaxed);
                self.raw_failures.store(0, Ordering::Relaxed);
                Ok(frame)
            }
            // Either an old phone's shorter header, or a new one's with the last pixel missing.
            Err(_) if raw::expected_length(&start) == Some(length + 4) => {
                png_frame(client, deadline).await
            }
            // Asking for a PNG would not help against a stream that is cut off.
            Err(reason) if raw::expected_length(&start).is_some() => {
                Err(client.garbled(WHAT, reason))
            }
            Err(_) if png::begins(&start) => png_frame(client, deadline).await,
            Err(reason) => {
                let frame = png_frame(client, deadline).await.map_err(|error| match error {
                    DeviceError::Garbled { reason: png, .. } => {
                        client.garbled(WHAT, format!("raw: {reason}; PNG: {png}"))
                    }
                    error => error,
                })?;
                tracing::info!(device = %client.id(), reason, "no raw capture from this phone");
                // Silence may be the connection's fault; a message is the phone's own.
                let weight = if length == 0 { 1 } else { MAX_RAW_FAILURES };
                self.raw_failures.fetch_add(weight, Ordering::Relaxed);
                Ok(frame)
            }
        }
    }
}

async fn png_frame(client: &DeviceClient, deadline: Instant) -> Result<Frame, DeviceError> {
    let bytes = client.exec(WHAT, "screencap -p", deadline, MAX_BYTES, <[u8]>::len).await?;
    let decoding = tokio::task::spawn_blocking(move || png::frame(&bytes));
    match timeout_at(deadline, decoding).await {
        Ok(Ok(Ok(frame))) => Ok(frame),
        Ok(Ok(Err(reason))) => Err(client.garbled(WHAT, reason)),
        Ok(Err(_)) => Err(client.garbled(WHAT, "the PNG broke its decoder")),
        Err(_) => Err(client.garbled(WHAT, "the PNG took too long to decode")),
    }
}

/// What a phone printed where pixels were expected, for an error message.
fn describe(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(400)]);
    match crate::parse::sanitize_first_line(&text) {
        Some(line) => format!("{} bytes came, beginning with `{line}`", bytes.len()),
        None => format!("{} bytes came", bytes.len()),
    }
}

type Pixels = BytesMut;

/// The same bytes, decoded by both readers.
#[cfg(test)]
pub(crate) fn read_both(bytes: BytesMut) -> [Result<Frame, String>; 2] {
    [png::frame(&bytes), raw::frame(bytes)]
}
