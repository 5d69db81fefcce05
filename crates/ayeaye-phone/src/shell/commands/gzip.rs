//! `gzip` from standard input to standard output.
use std::{io::Write as _, mem, time::Duration};

use bytes::Bytes;
use flate2::{Compression, write::GzEncoder};
use tokio::time::Instant;

use super::{CommandOutput, put};
use crate::{
    device::VirtualPhone,
    profile::pause_until,
    shell::{io::Io, process::Stop},
};

/// Packs what comes as it comes.
pub(super) async fn gzip(
    phone: &VirtualPhone,
    words: &[&str],
    io: &Io,
) -> Result<CommandOutput, Stop> {
    let level = match words {
        [] | ["-c"] => 6,
        [flag] | ["-c", flag] | [flag, "-c"] => {
            match flag.strip_prefix('-').and_then(|level| level.parse().ok()) {
                Some(level @ 1..=9) => level,
                _ => return Ok(CommandOutput::unsupported(phone, "gzip of files")),
            }
        }
        _ => return Ok(CommandOutput::unsupported(phone, "gzip of files")),
    };
    let rate = phone.timing().gzip;
    let mut done = Instant::now();
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(level));
    while let Some(content) = io.stdin.chunk().await {
        let micros =
            rate.map_or(0, |rate| (content.len() as u64 * 1_000_000).div_ceil(rate.max(1)));
        done = done.max(Instant::now()) + Duration::from_micros(micros);
        let work = tokio::task::spawn_blocking(move || {
            encoder.write_all(&content).map(|()| {
                let packed = mem::take(encoder.get_mut());
                (encoder, packed)
            })
        });
        let Ok(Ok((gone_on, packed))) = work.await else { return Ok(out_of_memory()) };
        encoder = gone_on;
        pause_until(done).await;
        if let Some(failed) = put(io, "gzip", Bytes::from(packed)).await? {
            return Ok(failed);
        }
    }
    Ok(encoder.finish().map_or_else(|_| out_of_memory(), CommandOutput::bytes))
}

fn out_of_memory() -> CommandOutput {
    CommandOutput::error(1, "gzip: out of memory\n")
}
