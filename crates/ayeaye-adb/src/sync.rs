//! Files, by the `sync:` service (AOSP, `file_sync_protocol.h`): four letters, a 32-bit little
//! endian length, and a path or data.
use std::io;
use std::ops::RangeInclusive;
use std::path::Path;
use std::time::{Duration, SystemTime};

use ayeaye_agent::DeviceError;
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, timeout};

use crate::apk::hex;
use crate::client::DeviceClient;
use crate::errors::FROM_DEVICE;
use crate::parse::sanitize;
use crate::protocol::{Connection, ProtocolError};

/// The most bytes of one block, by the protocol.
const BLOCK: usize = 64 * 1024;
/// What a file that is written is, and who may read and write it.
const FILE_MODE: u32 = 0o100_644;
/// How long a copy may stand still. A phone that writes to a slow card may take some seconds for a block.
const STALLED: Duration = Duration::from_mins(1);
/// The longest path that a phone accepts.
const MAX_PATH: usize = 1024;

/// What kind of thing a mode is of, and the kinds (POSIX, `sys/stat.h`).
const KIND: u32 = 0o170_000;
const FOLDER: u32 = 0o040_000;
const FILE: u32 = 0o100_000;
const LINK: u32 = 0o120_000;
/// The errors of `STA2` for what is not there (Linux, `ENOENT` and `ENOTDIR`), and for what nobody may look at (`EACCES`).
const NOT_THERE: [u32; 2] = [2, 20];
const DENIED: u32 = 13;

/// What a path of the phone leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stat {
    Nothing,
    /// Of so many bytes. Phones before Android 8 tell of 4 GiB and more only what is above a multiple of it, and of a link
    /// not how long its file is, which is 0 here.
    File(u64),
    Folder,
    /// A pipe, a socket or a device: what comes from it may have no end.
    Special,
    /// The phone does not tell its shell.
    Denied,
    /// The phone could not look, with this number of an error.
    Failed(u32),
}

impl Stat {
    fn of(mode: u32, size: u64) -> Self {
        match mode & KIND {
            // What only imitates a phone may tell no kind.
            FILE | 0 => Self::File(size),
            LINK => Self::File(0),
            FOLDER => Self::Folder,
            _ => Self::Special,
        }
    }
}

pub(crate) async fn stat(client: &DeviceClient, path: &str) -> Result<Stat, DeviceError> {
    if client.has_feature("stat_v2").await? {
        return stat_v2(client, path).await;
    }
    run(client, &format!("the size of {path}"), path, async |connection| {
        send(connection, *b"STAT", path.as_bytes()).await?;
        let mut answer = [0; 16];
        connection.read_exact(&mut answer).await?;
        let [b'S', b'T', b'A', b'T', rest @ ..] = answer else { return Err(ProtocolError::NotAdb) };
        let [mode, size, _modified] = [&rest[0..4], &rest[4..8], &rest[8..12]].map(le_u32);
        // It tells no more than this of what it cannot look at.
        Ok(if mode == 0 { Stat::Nothing } else { Stat::of(mode, size.into()) })
    })
    .await
}

/// `STA2`: an error, device and inode, mode, links, user and group, the size in 64 bits, three times.
async fn stat_v2(client: &DeviceClient, path: &str) -> Result<Stat, DeviceError> {
    run(client, &format!("the size of {path}"), path, async |connection| {
        send(connection, *b"STA2", path.as_bytes()).await?;
        let mut answer = [0; 72];
        connection.read_exact(&mut answer).await?;
        let [b'S', b'T', b'A', b'2', rest @ ..] = answer else { return Err(ProtocolError::NotAdb) };
        let size = rest[36..].first_chunk().map_or(0, |eight| u64::from_le_bytes(*eight));
        Ok(match le_u32(&rest) {
            0 => Stat::of(le_u32(&rest[20..]), size),
            error if NOT_THERE.contains(&error) => Stat::Nothing,
            DENIED => Stat::Denied,
            error => Stat::Failed(error),
        })
    })
    .await
}

/// Writes a file that is in memory.
pub(crate) async fn push(
    client: &DeviceClient,
    path: &str,
    content: &[u8],
    limit: Duration,
) -> Result<(), DeviceError> {
    run_within(client, &format!("writing {path}"), path, limit, async |connection| {
        send(connection, *b"SEND", format!("{path},{FILE_MODE}").as_bytes()).await?;
        for block in content.chunks(BLOCK) {
            send(connection, *b"DATA", block).await?;
        }
        finish_push(connection).await
    })
    .await
}

/// Why a file with other contents is not kept.
const CHANGED: &str =
    "it has changed since it was looked at, so that nobody has agreed to what is in it now";

/// Copies a file of this machine to the phone, block by block: only if its contents have this SHA-256, if one is given.
pub(crate) async fn push_file(
    client: &DeviceClient,
    path: &str,
    (local, sha256): (&Path, Option<&str>),
    limit: Duration,
) -> Result<(), DeviceError> {
    let what = format!("writing {path}");
    let unreadable =
        |error: io::Error| client.not_sent(&what, format!("{}: {error}", local.display()));
    let mut file = File::open(local).await.map_err(unreadable)?;
    let sent = run_within(client, &what, path, limit, async |connection| {
        send(connection, *b"SEND", format!("{path},{FILE_MODE}").as_bytes()).await?;
        let mut block = vec![0; BLOCK];
        let mut hasher = sha256.map(|wanted| (wanted, Sha256::new()));
        loop {
            match file.read(&mut block).await {
                Ok(0) => break,
                Ok(length) => {
                    if let Some((_, hasher)) = &mut hasher {
                        hasher.update(&block[..length]);
                    }
                    send(connection, *b"DATA", &block[..length]).await?;
                }
                // The phone keeps no file that was not finished.
                Err(error) => return Ok(Err(error)),
            }
        }
        if let Some((wanted, hasher)) = hasher
            && hex(&hasher.finalize()) != wanted
        {
            return Ok(Err(io::Error::other(CHANGED)));
        }
        finish_push(connection).await.map(Ok)
    });
    sent.await?.map_err(unreadable)
}

/// Why a file of which more comes than was told is not kept.
const GREW: &str = "it has become larger while it was read: try again when nothing writes to it";

/// Why a file of which less comes than was told is not kept.
const SHRANK: &str = "it has become shorter while it was read: try again when nothing writes to it";

/// Copies a file of the phone, of so many bytes as `sizes` allows, into a new file of this machine, with the name that is told where
/// it cannot be written; says how many. What is not complete is left for whoever has named the file.
pub(crate) async fn pull_file(
    client: &DeviceClient,
    path: &str,
    name: &str,
    file: std::fs::File,
    sizes: RangeInclusive<u64>,
    limit: Duration,
) -> Result<u64, DeviceError> {
    let what = format!("reading {path}");
    let unwritable =
        |error: io::Error| client.not_sent(&what, format!("{}: {error}", sanitize(name)));
    let mut file = File::from_std(file);
    let copied = run_within(client, &what, path, limit, async |connection| {
        send(connection, *b"RECV", path.as_bytes()).await?;
        let (mut total, mut block) = (0, Vec::new());
        loop {
            match read_header(connection).await? {
                (b"DATA", length) if length <= BLOCK => {
                    total += length as u64;
                    if *sizes.end() < total {
                        return Ok(Err(io::Error::other(GREW)));
                    }
                    block.resize(length, 0);
                    moving(connection.read_exact(&mut block)).await?;
                    if let Err(error) = file.write_all(&block).await {
                        return Ok(Err(error));
                    }
                }
                (b"DONE", _) if total < *sizes.start() => {
                    return Ok(Err(io::Error::other(SHRANK)));
                }
                (b"DONE", _) => return Ok(file.flush().await.map(|()| total)),
                (b"FAIL", length) => return Err(read_failure(connection, length).await?),
                _ => return Err(ProtocolError::NotAdb),
            }
        }
    });
    copied.await?.map_err(unwritable)
}

async fn finish_push(connection: &mut Connection) -> Result<(), ProtocolError> {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let seconds = u32::try_from(now.as_secs()).unwrap_or(u32::MAX);
    connection.write(&[*b"DONE", seconds.to_le_bytes()].concat()).await?;
    match read_header(connection).await? {
        (b"OKAY", _) => Ok(()),
        (b"FAIL", length) => Err(read_failure(connection, length).await?),
        _ => Err(ProtocolError::NotAdb),
    }
}

async fn run<T>(
    client: &DeviceClient,
    what: &str,
    path: &str,
    talk: impl AsyncFnOnce(&mut Connection) -> Result<T, ProtocolError>,
) -> Result<T, DeviceError> {
    run_within(client, what, path, client.limits().capture, talk).await
}

async fn run_within<T>(
    client: &DeviceClient,
    what: &str,
    path: &str,
    limit: Duration,
    talk: impl AsyncFnOnce(&mut Connection) -> Result<T, ProtocolError>,
) -> Result<T, DeviceError> {
    if MAX_PATH < path.len() || path.contains('\0') {
        return Err(client.not_sent(what, "the path is too long or has a NUL"));
    }
    client.call(what, "sync:", Instant::now() + limit, limit, talk).await
}

async fn send(connection: &mut Connection, id: [u8; 4], data: &[u8]) -> Result<(), ProtocolError> {
    let length = u32::try_from(data.len()).map_err(|_| ProtocolError::RequestTooLong)?;
    moving(connection.write(&[&id[..], &length.to_le_bytes(), data].concat())).await
}

/// Waits for a part of a copy. A link over which none goes is lost.
async fn moving<T>(
    part: impl Future<Output = Result<T, ProtocolError>>,
) -> Result<T, ProtocolError> {
    timeout(STALLED, part)
        .await
        .unwrap_or_else(|_| Err(io::Error::from(io::ErrorKind::TimedOut).into()))
}

async fn read_header(
    connection: &mut Connection,
) -> Result<(&'static [u8; 4], usize), ProtocolError> {
    let mut head = [0; 8];
    moving(connection.read_exact(&mut head)).await?;
    let known = [b"DATA", b"DONE", b"FAIL", b"OKAY"];
    let id = known.into_iter().find(|id| head.starts_with(*id)).ok_or(ProtocolError::NotAdb)?;
    Ok((id, le_u32(&head[4..]) as usize))
}

async fn read_failure(
    connection: &mut Connection,
    length: usize,
) -> Result<ProtocolError, ProtocolError> {
    let mut text = vec![0; length.min(BLOCK)];
    connection.read_exact(&mut text).await?;
    let text = String::from_utf8_lossy(&text).into_owned();
    Ok(ProtocolError::Failed(format!("{FROM_DEVICE}{text}")))
}

fn le_u32(bytes: &[u8]) -> u32 {
    bytes.first_chunk().map_or(0, |four| u32::from_le_bytes(*four))
}
