//! `sha256sum` and `md5sum`, as toybox has them.
mod md5;

use std::time::Duration;

use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use self::md5::Md5;
use super::{
    CommandOutput,
    args::flags,
    files::{Input, operands_or_stdin},
};
use crate::{device::VirtualPhone, profile::pause_until, shell::io::Io};

/// A digest that is computed piece by piece.
trait Hash: Default + Send + 'static {
    fn add(&mut self, bytes: &[u8]);
    fn done(self) -> Vec<u8>;
}

impl Hash for Sha256 {
    fn add(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
    fn done(self) -> Vec<u8> {
        self.finalize().to_vec()
    }
}

impl Hash for Md5 {
    fn add(&mut self, bytes: &[u8]) {
        self.update(bytes);
    }
    fn done(self) -> Vec<u8> {
        self.finish().to_vec()
    }
}

pub(super) async fn sha256sum(
    phone: &VirtualPhone,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    sum::<Sha256>(phone, cwd, "sha256sum", words, io).await
}

/// As fast as `sha256sum`, of which it is known.
pub(super) async fn md5sum(
    phone: &VirtualPhone,
    cwd: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    sum::<Md5>(phone, cwd, "md5sum", words, io).await
}

/// Of each file that is named; of standard input without any, and for `-`. `-b`: the digest alone.
async fn sum<H: Hash>(
    phone: &VirtualPhone,
    cwd: &str,
    program: &str,
    words: &[&str],
    io: &Io,
) -> CommandOutput {
    let flags = match flags(phone, program, words, "b") {
        Ok(flags) => flags,
        Err(refusal) => return refusal,
    };
    let mut reply = CommandOutput::default();
    for operand in operands_or_stdin(&flags.operands) {
        let mut input = match Input::open(phone, cwd, operand, io) {
            Ok(input) => input,
            Err(error) => {
                reply.complain(format!("{program}: {operand}: {error}\n"));
                continue;
            }
        };
        let mut hash = H::default();
        let mut done = Instant::now();
        while let Some(content) = input.chunk().await {
            let rate = phone.timing().sha256sum;
            let micros =
                rate.map_or(0, |rate| (content.len() as u64 * 1_000_000).div_ceil(rate.max(1)));
            done = done.max(Instant::now()) + Duration::from_micros(micros);
            let work = tokio::task::spawn_blocking(move || {
                hash.add(&content);
                hash
            });
            let worked = work.await;
            pause_until(done).await;
            hash = match worked {
                Ok(hash) => hash,
                Err(_) => return CommandOutput::error(1, format!("{program}: out of memory\n")),
            };
        }
        let digest = hash.done().iter().fold(String::new(), |mut text, byte| {
            push_fmt!(text, "{byte:02x}");
            text
        });
        let name = if flags.has('b') { String::new() } else { format!("  {operand}") };
        reply.stdout.push(format!("{digest}{name}\n").into());
    }
    reply
}
