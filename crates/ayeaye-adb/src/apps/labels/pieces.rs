//! Reading a few files out of a package without `unzip`, which phones before Android 9 do not have: their
//! `dd` gives the pieces of the package that they are in.
use std::time::Duration;

use ayeaye_agent::DeviceError;
use bytes::BytesMut;
use tokio::time::Instant;

use crate::apk::MAX_TABLE;
use crate::apk::archive::{self, ByteRange, LOCAL_HEADER, LONGEST_END};
use crate::client::DeviceClient;
use crate::quote::{ShellWord, quote};

/// `dd` gives whole blocks.
const BLOCK: u64 = 4096;
/// The longest that one piece may take, over a slow network.
const ONE_PIECE: Duration = Duration::from_secs(30);
const WHAT: &str = "the names of its apps";

/// The contents of these files of a package, one behind the other, as `unzip -p` writes them, at most `most`
/// bytes of all; `None` where it cannot be read so.
pub(super) async fn files(
    client: &DeviceClient,
    path: &str,
    names: &[&str],
    most: usize,
) -> Result<Option<Vec<u8>>, DeviceError> {
    let Ok(path) = quote(path) else { return Ok(None) };
    let output = client.shell_quick(WHAT, &format!("stat -c %s {path}")).await?;
    let Ok(size) = output.stdout.trim().parse::<u64>() else { return Ok(None) };
    let at = size.saturating_sub(LONGEST_END);
    let end = piece(client, &path, ByteRange { at, length: size - at }).await?;
    let Some(place) = archive::directory(&end) else { return Ok(None) };
    let directory = piece(client, &path, place).await?;
    let mut contents = Vec::new();
    let files = archive::files(&directory);
    // Each once, however often the list has it.
    for file in names.iter().filter_map(|name| files.iter().find(|file| file.name == *name)) {
        let header = ByteRange { at: file.header, length: LOCAL_HEADER };
        let Some(place) = file.place(&piece(client, &path, header).await?) else { continue };
        let packed = piece(client, &path, place).await?;
        let room = most.saturating_sub(contents.len());
        contents.extend(file.unpack(&packed, room).unwrap_or_default());
    }
    Ok(Some(contents))
}

/// A piece of a file; less where the file ends before, nothing where it would be too much.
async fn piece(
    client: &DeviceClient,
    path: &ShellWord,
    ByteRange { at, length }: ByteRange,
) -> Result<BytesMut, DeviceError> {
    let most = usize::try_from(length).unwrap_or(usize::MAX);
    if MAX_TABLE < most {
        return Ok(BytesMut::new());
    }
    let (first, offset) = (at / BLOCK, at % BLOCK);
    let blocks = (offset + length).div_ceil(BLOCK);
    let command = format!("dd if={path} bs={BLOCK} skip={first} count={blocks} 2>/dev/null");
    let deadline = Instant::now() + ONE_PIECE;
    let room = MAX_TABLE + 2 * 4096;
    let mut bytes = client.exec(WHAT, &command, deadline, room, <[u8]>::len).await?;
    let offset = usize::try_from(offset).unwrap_or(usize::MAX).min(bytes.len());
    let mut wanted = bytes.split_off(offset);
    wanted.truncate(most);
    Ok(wanted)
}
