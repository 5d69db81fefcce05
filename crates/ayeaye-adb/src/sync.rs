//! Small files, by the `sync:` service (AOSP, `file_sync_protocol.h`): four letters, a length of 32
//! bits little endian, and a path or data.
use std::time::SystemTime;

use ayeaye_agent::DeviceError;
use bytes::Bytes;
use tokio::time::Instant;

use crate::link::Link;
use crate::refusal::ON_THE_PHONE;
use crate::wire::{Wire, WireError};

/// The most bytes of one block, by the protocol.
const BLOCK: usize = 64 * 1024;
/// The longest path that a phone takes.
const LONGEST_PATH: usize = 1024;

pub(crate) async fn file_size(link: &Link, path: &str) -> Result<Option<u32>, DeviceError> {
    run(link, &format!("the size of {path}"), path, async |wire| {
        send(wire, *b"STAT", path.as_bytes()).await?;
        let mut answer = [0; 16];
        wire.fill(&mut answer).await?;
        let [b'S', b'T', b'A', b'T', rest @ ..] = answer else { return Err(WireError::NotAdb) };
        let [mode, size, _modified] = [&rest[0..4], &rest[4..8], &rest[8..12]].map(number);
        // A mode of 0 is how the protocol says that there is nothing.
        Ok((mode != 0).then_some(size))
    })
    .await
}

pub(crate) async fn pull(link: &Link, path: &str, most: usize) -> Result<Bytes, DeviceError> {
    run(link, &format!("reading {path}"), path, async |wire| {
        send(wire, *b"RECV", path.as_bytes()).await?;
        let mut content = Vec::new();
        loop {
            match head(wire).await? {
                (b"DATA", length) if length <= BLOCK => {
                    if most < content.len() + length {
                        return Err(WireError::Flood(most));
                    }
                    let start = content.len();
                    content.resize(start + length, 0);
                    wire.fill(&mut content[start..]).await?;
                }
                (b"DONE", _) => return Ok(Bytes::from(content)),
                (b"FAIL", length) => return Err(failure(wire, length).await?),
                _ => return Err(WireError::NotAdb),
            }
        }
    })
    .await
}

pub(crate) async fn push(
    link: &Link,
    path: &str,
    mode: u32,
    content: &[u8],
) -> Result<(), DeviceError> {
    run(link, &format!("writing {path}"), path, async |wire| {
        let target = format!("{path},{}", 0o100_000 | (mode & 0o777));
        send(wire, *b"SEND", target.as_bytes()).await?;
        for block in content.chunks(BLOCK) {
            send(wire, *b"DATA", block).await?;
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seconds = u32::try_from(now.as_secs()).unwrap_or(u32::MAX);
        wire.write(&[*b"DONE", seconds.to_le_bytes()].concat()).await?;
        match head(wire).await? {
            (b"OKAY", _) => Ok(()),
            (b"FAIL", length) => Err(failure(wire, length).await?),
            _ => Err(WireError::NotAdb),
        }
    })
    .await
}

async fn run<T>(
    link: &Link,
    what: &str,
    path: &str,
    talk: impl AsyncFnOnce(&mut Wire) -> Result<T, WireError>,
) -> Result<T, DeviceError> {
    if LONGEST_PATH < path.len() || path.contains('\0') {
        return Err(link.refused(what, "the path is too long or has a NUL"));
    }
    let limit = link.limits().capture;
    link.call(what, "sync:", Instant::now() + limit, limit, talk).await
}

async fn send(wire: &mut Wire, id: [u8; 4], data: &[u8]) -> Result<(), WireError> {
    let length = u32::try_from(data.len()).map_err(|_| WireError::TooLong)?;
    wire.write(&[&id[..], &length.to_le_bytes(), data].concat()).await
}

async fn head(wire: &mut Wire) -> Result<(&'static [u8; 4], usize), WireError> {
    let mut head = [0; 8];
    wire.fill(&mut head).await?;
    let known = [b"DATA", b"DONE", b"FAIL", b"OKAY"];
    let id = known.into_iter().find(|id| head.starts_with(*id)).ok_or(WireError::NotAdb)?;
    Ok((id, number(&head[4..]) as usize))
}

async fn failure(wire: &mut Wire, length: usize) -> Result<WireError, WireError> {
    let mut text = vec![0; length.min(BLOCK)];
    wire.fill(&mut text).await?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(WireError::Failed(format!("{ON_THE_PHONE}{text}")))
}

fn number(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |four| u32::from_le_bytes(*four))
}
