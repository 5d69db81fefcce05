//! One attempt at a capture, in one of the ways there are.
use std::time::Duration;

use ayeaye_agent::DeviceError;
use ayeaye_frame::Earlier;
use bytes::BytesMut;
use tokio::time::{Instant, timeout_at};

use super::choice::CaptureWay;
use super::{Capture, Captured, MAX_BYTES, WHAT, framebuffer, gzip, png, raw};
use crate::client::DeviceClient;

/// How long the pixels of a raw capture have been coming before the link is judged by them.
const JUDGED_AFTER: Duration = Duration::from_millis(350);

/// Why one attempt gave no capture.
pub(super) enum Failure {
    /// The link is too slow; it would have taken so long.
    TooSlow(Duration),
    /// The phone does not know this way.
    Unknown(String),
    Other(DeviceError),
}

impl From<DeviceError> for Failure {
    fn from(error: DeviceError) -> Self {
        Self::Other(error)
    }
}

impl Capture {
    /// One capture in this way.
    pub(super) async fn attempt(
        &self,
        client: &DeviceClient,
        way: CaptureWay,
        panel: Option<u64>,
        deadline: Instant,
    ) -> Result<Captured, Failure> {
        let display = panel.map(|panel| format!(" -d {panel}")).unwrap_or_default();
        match way {
            CaptureWay::Raw => self.raw(client, &display, deadline).await,
            CaptureWay::Gzip => self.gzip(client, &display, deadline).await,
            CaptureWay::Png => png_frame(client, &display, self.earlier(), deadline).await,
            CaptureWay::Framebuffer => framebuffer_frame(client, deadline).await,
        }
    }

    async fn raw(
        &self,
        client: &DeviceClient,
        display: &str,
        deadline: Instant,
    ) -> Result<Captured, Failure> {
        let mut reader = self.reader(display);
        let patience = self.choice().patience_for_raw(Instant::now());
        let (mut begun, mut would_take) = (None, None);
        let watch = |came: &mut BytesMut| {
            reader.take(came);
            came.clear();
            let elapsed = begun.get_or_insert_with(Instant::now).elapsed();
            let Some(whole) = raw::expected_length(reader.start()) else { return true };
            let nanos = elapsed.as_nanos() * whole as u128 / reader.length().max(1) as u128;
            let projected = Duration::from_nanos(u64::try_from(nanos).unwrap_or(u64::MAX));
            // Those that are under way together share the link.
            if elapsed < JUDGED_AFTER || projected <= patience * self.overlap.under_way().max(1) {
                return true;
            }
            would_take = Some(projected);
            false
        };
        let command = format!("screencap{display}");
        let taken =
            client.exec_watched(WHAT, &command, deadline, MAX_BYTES, <[u8]>::len, watch).await;
        if matches!(taken, Err(DeviceError::TimedOut { .. })) && begun.is_some() {
            self.choice().was_too_slow(
                CaptureWay::Raw,
                client.limits().capture * 2,
                Instant::now(),
            );
        }
        taken?;
        if let Some(would_take) = would_take {
            return Err(Failure::TooSlow(would_take));
        }
        let (length, start) = (reader.length(), reader.start().to_vec());
        let several_displays = warns_of_displays(&start);
        match reader.finish() {
            Ok(frame) => Ok(Captured { frame, several_displays, way: CaptureWay::Raw }),
            // Either an old phone's shorter header, or a new one's with the last pixel missing.
            Err(_) if raw::expected_length(&start) == Some(length + 4) => {
                png_instead(client, display, self.earlier(), deadline).await
            }
            // Asking for a PNG would not help against a stream that is cut off.
            Err(reason) if raw::expected_length(&start).is_some() => {
                Err(client.garbled(WHAT, reason).into())
            }
            Err(_) if png::begins(&start) => {
                png_instead(client, display, self.earlier(), deadline).await
            }
            // Silence may be the connection's fault; a message is the phone's own.
            Err(reason) if length == 0 => {
                let earlier = self.earlier();
                png_frame(client, display, earlier, deadline).await.map_err(|failure| match failure
                {
                    Failure::Unknown(png) => {
                        client.garbled(WHAT, format!("raw: {reason}; PNG: {png}")).into()
                    }
                    failure => failure,
                })
            }
            Err(reason) => Err(Failure::Unknown(reason)),
        }
    }

    async fn gzip(
        &self,
        client: &DeviceClient,
        display: &str,
        deadline: Instant,
    ) -> Result<Captured, Failure> {
        // Messages of `screencap` would get between the compressed bytes.
        let command = format!("screencap{display} 2>/dev/null | gzip -1");
        let mut unpacker = gzip::Unpacker::new(self.reader(display));
        let watch = |came: &mut BytesMut| unpacker.take(came);
        let left =
            client.exec_watched(WHAT, &command, deadline, MAX_BYTES, <[u8]>::len, watch).await?;
        let reader = match unpacker.finish(&left) {
            Ok(reader) => reader,
            Err(gzip::Unusable::NotThere(reason)) => return Err(Failure::Unknown(reason)),
            Err(gzip::Unusable::Broken(reason)) => return Err(client.garbled(WHAT, reason).into()),
        };
        if raw::expected_length(reader.start()) == Some(reader.length() + 4) {
            return png_instead(client, display, self.earlier(), deadline).await;
        }
        let frame = reader.finish().map_err(|reason| client.garbled(WHAT, reason))?;
        Ok(Captured { frame, several_displays: false, way: CaptureWay::Gzip })
    }
}

async fn png_frame(
    client: &DeviceClient,
    display: &str,
    earlier: Earlier,
    deadline: Instant,
) -> Result<Captured, Failure> {
    let command = format!("screencap{display} -p");
    let bytes = client.exec(WHAT, &command, deadline, MAX_BYTES, <[u8]>::len).await?;
    let several_displays = warns_of_displays(&bytes[..bytes.len().min(200)]);
    let decoding = tokio::task::spawn_blocking(move || png::frame(&bytes, &earlier));
    match timeout_at(deadline, decoding).await {
        Ok(Ok(Ok(frame))) => Ok(Captured { frame, several_displays, way: CaptureWay::Png }),
        Ok(Ok(Err(reason))) => Err(Failure::Unknown(reason)),
        Ok(Err(_)) => Err(client.garbled(WHAT, "the PNG broke its decoder").into()),
        Err(_) => Err(client.garbled(WHAT, "the PNG took too long to decode").into()),
    }
}

/// Of the only panel there is: this service cannot be told which.
pub(super) async fn framebuffer_frame(
    client: &DeviceClient,
    deadline: Instant,
) -> Result<Captured, Failure> {
    let grow = |so_far: &[u8]| framebuffer::expected_length(so_far).unwrap_or_default();
    let bytes = client.stream(WHAT, "framebuffer:", deadline, MAX_BYTES, grow).await?;
    let frame = framebuffer::frame(bytes).map_err(Failure::Unknown)?;
    Ok(Captured { frame, several_displays: false, way: CaptureWay::Framebuffer })
}

/// A PNG where something else was wanted: if there is none either, the phone may be asked again.
async fn png_instead(
    client: &DeviceClient,
    display: &str,
    earlier: Earlier,
    deadline: Instant,
) -> Result<Captured, Failure> {
    png_frame(client, display, earlier, deadline).await.map_err(|failure| match failure {
        Failure::Unknown(reason) => client.garbled(WHAT, reason).into(),
        failure => failure,
    })
}

/// Whether `screencap` printed its warning about displays before the picture.
fn warns_of_displays(start: &[u8]) -> bool {
    String::from_utf8_lossy(start).contains("Multiple displays")
}
