//! `sha256sum`, as toybox has it.
use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::{
    CommandOutput,
    files::{flags, inputs},
};
use crate::{device::AdbDevice, profile::pause_until, shell::io::Io};

/// Of each file that is named; of standard input without any, and for `-`.
pub(super) async fn sha256sum(
    phone: &AdbDevice,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    let flags = match flags(phone, "sha256sum", words, "") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let (contents, failures) = inputs(phone, cwd, "sha256sum", &flags.operands, io).await;
    let mut text = String::new();
    for (name, content) in contents {
        let rate = phone.timing().sha256sum;
        let micros = |rate: u64| (content.len() as u64 * 1_000_000).div_ceil(rate.max(1));
        let done = Instant::now() + Duration::from_micros(rate.map_or(0, micros));
        let digest = tokio::task::spawn_blocking(move || Sha256::digest(&content)).await;
        pause_until(done).await;
        let Ok(digest) = digest else {
            return CommandOutput::error(1, "sha256sum: out of memory\n");
        };
        let name = if name.is_empty() { "-" } else { &name };
        push_fmt!(text, "{digest:x}  {name}\n");
    }
    CommandOutput {
        stdout: vec![text.into()],
        ..CommandOutput::error(u8::from(!failures.is_empty()), failures)
    }
}
