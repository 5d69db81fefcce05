//! `sync:`: the service behind `adb push` and `adb pull`.
//!
//! The format is AOSP's `SYNC.TXT` and `file_sync_protocol.h`: four letters and a little-endian u32,
//! then the data. The second versions (`STA2`, `LIS2`, `SND2`, `RCV2`) carry wider
//! fields; compression is not announced and so never asked for.
use std::io;

use bytes::{BufMut as _, BytesMut};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use crate::{
    device::VirtualPhone,
    files::{self, CAPACITY, FileError, Stat},
    stream::Stream,
};

/// AOSP's limits for a name and for one piece of data.
const MAX_NAME: u32 = 1024;
const MAX_DATA_CHUNK: u32 = 64 << 10;

/// Why the service ended early. The client is not told.
#[derive(Debug, thiserror::Error)]
enum SyncError {
    #[error("the link ended")]
    LinkState(#[from] io::Error),
    #[error("the peer broke the protocol: {0}")]
    Protocol(&'static str),
}

/// Answers requests until `QUIT` or the end of the stream.
pub(crate) async fn serve(device: &VirtualPhone, stream: Stream) {
    let mut session = Session { device, stream };
    if let Err(error) = session.run().await {
        tracing::debug!(%error, "sync ended");
    }
    if let Err(error) = session.stream.output.shutdown().await {
        tracing::debug!(%error, "the peer was gone before the end");
    }
}

struct Session<'a> {
    device: &'a VirtualPhone,
    stream: Stream,
}

impl Session<'_> {
    async fn run(&mut self) -> Result<(), SyncError> {
        loop {
            let (id, length) = self.header().await?;
            if &id == b"QUIT" {
                return Ok(());
            }
            if length > MAX_NAME {
                self.fail("path too long").await?;
                return Err(SyncError::Protocol("a name too long"));
            }
            let name = self.bytes(length).await?;
            let Ok(name) = String::from_utf8(name) else {
                self.fail("name is not UTF-8").await?;
                return Err(SyncError::Protocol("a name that is not text"));
            };
            match &id {
                b"STAT" => self.stat_v1(&name).await?,
                b"STA2" | b"LST2" => self.stat_v2(id, &name).await?,
                b"LIST" => self.list_v1(&name).await?,
                b"LIS2" => self.list_v2(&name).await?,
                b"SEND" => {
                    // "path,mode", split at the last comma: the path may contain commas.
                    let (path, mode) = name.rsplit_once(',').unwrap_or((&name, ""));
                    let mode = mode.trim().parse().unwrap_or(0o644);
                    self.receive(path, mode).await?;
                }
                b"SND2" => {
                    let (mode, flags) = self.setup(*b"SND2", true).await?;
                    if flags != 0 {
                        self.fail("compression is not supported").await?;
                        return Err(SyncError::Protocol("compression was not announced"));
                    }
                    self.receive(&name, mode).await?;
                }
                b"RECV" => self.send(&name).await?,
                b"RCV2" => {
                    let (_, flags) = self.setup(*b"RCV2", false).await?;
                    if flags != 0 {
                        self.fail("compression is not supported").await?;
                        return Err(SyncError::Protocol("compression was not announced"));
                    }
                    self.send(&name).await?;
                }
                _ => {
                    self.fail("unknown command").await?;
                    return Err(SyncError::Protocol("an unknown request"));
                }
            }
            self.stream.output.flush().await?;
        }
    }

    async fn stat_v1(&mut self, name: &str) -> Result<(), SyncError> {
        let mut out = BytesMut::from(&b"STAT"[..]);
        put_v1(&mut out, self.stat(name).ok());
        Ok(self.stream.output.write_all(&out).await?)
    }

    async fn stat_v2(&mut self, id: [u8; 4], name: &str) -> Result<(), SyncError> {
        let mut out = BytesMut::from(&id[..]);
        put_v2(&mut out, self.stat(name));
        Ok(self.stream.output.write_all(&out).await?)
    }

    async fn list_v1(&mut self, name: &str) -> Result<(), SyncError> {
        let mut out = BytesMut::new();
        for (name, stat) in self.list(name) {
            out.put_slice(b"DENT");
            put_v1(&mut out, Some(stat));
            put_text(&mut out, &name);
        }
        out.put_slice(b"DONE");
        out.put_bytes(0, 16);
        Ok(self.stream.output.write_all(&out).await?)
    }

    async fn list_v2(&mut self, name: &str) -> Result<(), SyncError> {
        let mut out = BytesMut::new();
        for (name, stat) in self.list(name) {
            out.put_slice(b"DNT2");
            put_v2(&mut out, Ok(stat));
            put_text(&mut out, &name);
        }
        out.put_slice(b"DONE");
        out.put_bytes(0, 72);
        Ok(self.stream.output.write_all(&out).await?)
    }

    /// Receives a file. On failure its data is still read to the end, as in AOSP, so that the client
    /// sees the reason and not a broken pipe.
    async fn receive(&mut self, name: &str, mode: u32) -> Result<(), SyncError> {
        let path = files::normalize_path("/", name);
        let mut failed = match mode & 0o170_000 {
            0o120_000 => Some(FileError::Invalid),
            _ => self.prepare(&path).err(),
        };
        // adbd empties what is there before it receives anything, and removes it where it never gets all of it.
        let mut unfinished = match failed {
            None => {
                failed = self.device.files().write(&path, Vec::new(), mode & 0o777, 0).err();
                Some(Received { device: self.device, path: &path, is_whole: false })
            }
            Some(_) => None,
        };
        // What is not sent to its end takes of the phone's memory too.
        let mut content = self.device.memory().buffer();
        let mut piece = Vec::new();
        let modified = loop {
            let (id, length) = self.header().await?;
            match &id {
                b"DATA" if length <= MAX_DATA_CHUNK => {
                    piece.resize(usize::try_from(length).unwrap_or(0), 0);
                    self.stream.input.read_exact(&mut piece).await?;
                    if failed.is_some() {
                        continue;
                    }
                    failed = content.push(&piece).err();
                    if content.len() > CAPACITY {
                        failed = Some(FileError::NoSpace);
                    }
                    if failed.is_some() {
                        content = self.device.memory().buffer();
                    }
                }
                b"DONE" => break u64::from(length),
                _ => {
                    self.fail("invalid data message").await?;
                    return Err(SyncError::Protocol("neither DATA nor DONE"));
                }
            }
        };
        let write = |content| self.device.files().write(&path, content, mode & 0o777, modified);
        let stored = failed.map_or_else(|| write(content.into_vec()), Err);
        if let Some(received) = &mut unfinished {
            received.is_whole = stored.is_ok();
        }
        match stored {
            Ok(()) => Ok(self.stream.output.write_all(b"OKAY\0\0\0\0").await?),
            Err(error) => self.fail(&format!("couldn't create file: {error}")).await,
        }
    }

    /// Creates the folders above a file, as the device does for a push.
    fn prepare(&self, path: &str) -> Result<(), FileError> {
        let mut files = self.device.files();
        let folder = path.rsplit_once('/').map_or("/", |(folder, _)| folder);
        if !folder.is_empty() && files.stat(folder) == Err(FileError::Missing) {
            files.make_dir(folder, true, self.device.unix_seconds())?;
        }
        files.check_writable(path)
    }

    /// Sends a file.
    async fn send(&mut self, name: &str) -> Result<(), SyncError> {
        let read = self.device.files().read(&files::normalize_path("/", name));
        let content = match read {
            Ok(content) => content,
            Err(error) => return self.fail(&format!("open failed: {error}")).await,
        };
        let step = usize::try_from(MAX_DATA_CHUNK).unwrap_or(usize::MAX);
        // A megabyte at a time, so that adbd's packets are full.
        for batch in content.chunks(16 * step) {
            let mut out = BytesMut::with_capacity(batch.len() + 16 * 8);
            for piece in batch.chunks(step) {
                out.put_slice(b"DATA");
                put_length(&mut out, piece.len());
                out.put_slice(piece);
            }
            self.stream.output.write_all(&out).await?;
        }
        Ok(self.stream.output.write_all(b"DONE\0\0\0\0").await?)
    }

    /// The second half of `SND2` (mode and flags) and `RCV2` (flags).
    async fn setup(&mut self, id: [u8; 4], with_mode: bool) -> Result<(u32, u32), SyncError> {
        let (again, first) = self.header().await?;
        if again != id {
            return Err(SyncError::Protocol("the second half is another request's"));
        }
        if with_mode { Ok((first, self.stream.input.read_u32_le().await?)) } else { Ok((0, first)) }
    }

    fn stat(&self, name: &str) -> Result<Stat, FileError> {
        self.device.files().stat(&files::normalize_path("/", name))
    }

    /// With the folder itself and the one above, as folders are read; empty for what cannot be listed.
    fn list(&self, name: &str) -> Vec<(String, Stat)> {
        let path = files::normalize_path("/", name);
        let files = self.device.files();
        let Ok(entries) = files.list(&path) else { return Vec::new() };
        let above = files::normalize_path(&path, "..");
        let dots =
            [(".", path), ("..", above)].map(|(name, path)| (name.to_owned(), files.stat(&path)));
        let dots = dots.into_iter().filter_map(|(name, stat)| Some((name, stat.ok()?)));
        dots.chain(entries).collect()
    }

    async fn fail(&mut self, reason: &str) -> Result<(), SyncError> {
        let mut out = BytesMut::from(&b"FAIL"[..]);
        put_text(&mut out, reason);
        Ok(self.stream.output.write_all(&out).await?)
    }

    async fn header(&mut self) -> Result<([u8; 4], u32), SyncError> {
        let mut id = [0; 4];
        self.stream.input.read_exact(&mut id).await?;
        Ok((id, self.stream.input.read_u32_le().await?))
    }

    async fn bytes(&mut self, length: u32) -> Result<Vec<u8>, SyncError> {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or(0)];
        self.stream.input.read_exact(&mut bytes).await?;
        Ok(bytes)
    }
}

/// A file that is being received. Unless it is whole, it is removed in the end, also when the link breaks.
struct Received<'a> {
    device: &'a VirtualPhone,
    path: &'a str,
    is_whole: bool,
}

impl Drop for Received<'_> {
    fn drop(&mut self) {
        if !self.is_whole
            && let Err(error) = self.device.files().remove(self.path, false)
        {
            tracing::debug!(%error, "what was received in part is gone already");
        }
    }
}

/// Mode, size and time in 32 bits each; zeros for a missing file.
fn put_v1(out: &mut BytesMut, stat: Option<Stat>) {
    let low = |wide: u64| u32::try_from(wide).unwrap_or(u32::MAX);
    let fields = stat.map_or([0; 3], |stat| [stat.mode, low(stat.size), low(stat.modified)]);
    for field in fields {
        out.put_u32_le(field);
    }
}

/// Error, device, inode, mode, links, owner, group, size and the three times.
fn put_v2(out: &mut BytesMut, stat: Result<Stat, FileError>) {
    let stat = match stat {
        Ok(stat) => stat,
        Err(error) => {
            out.put_u32_le(error.errno());
            out.put_bytes(0, 64);
            return;
        }
    };
    out.put_u32_le(0);
    out.put_u64_le(1);
    out.put_u64_le(stat.inode);
    out.put_u32_le(stat.mode);
    out.put_u32_le(1);
    out.put_u32_le(2000);
    out.put_u32_le(2000);
    out.put_u64_le(stat.size);
    (0..3).for_each(|_| out.put_u64_le(stat.modified));
}

fn put_text(out: &mut BytesMut, text: &str) {
    put_length(out, text.len());
    out.put_slice(text.as_bytes());
}

fn put_length(out: &mut BytesMut, length: usize) {
    out.put_u32_le(u32::try_from(length).expect("texts and pieces of data are short"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{options::PhoneOptions, phone::Phone};

    #[tokio::test]
    async fn a_list_begins_with_the_folder_and_the_one_above() {
        let device = VirtualPhone::new(Phone::new(PhoneOptions::default()));
        let (output, mut answer) = tokio::io::duplex(1 << 16);
        let input = Box::new(&b"LIST\x07\0\0\0/sdcardLIST\x05\0\0\0/nopeQUIT\0\0\0\0"[..]);
        serve(&device, Stream { input, output: Box::new(output) }).await;
        let mut all = Vec::new();
        answer.read_to_end(&mut all).await.unwrap();
        let (mut names, mut rest) = (Vec::new(), &all[..]);
        while let Some(entry) = rest.strip_prefix(b"DENT") {
            let length = usize::from(entry[12]);
            names.push(String::from_utf8(entry[16..16 + length].to_vec()).unwrap());
            rest = &entry[16 + length..];
        }
        assert_eq!(names[..3], [".", "..", "Alarms"]);
        assert_eq!(rest, [&b"DONE"[..], &[0; 16], &b"DONE"[..], &[0; 16]].concat());
    }

    #[tokio::test]
    async fn what_is_not_sent_to_its_end_takes_room() {
        let device = VirtualPhone::new(Phone::new(PhoneOptions::default()));
        let send = async || {
            let (output, mut answer) = tokio::io::duplex(1 << 16);
            let data = [&b"DATA\0\0\x01\0"[..], &vec![b'x'; 1 << 16]].concat();
            let request = [b"SEND\x0f\0\0\0/sdcard/f,33188", &data[..], b"DONE\x01\0\0\0"].concat();
            let input = std::io::Cursor::new([&request[..], b"QUIT\0\0\0\0"].concat());
            serve(&device, Stream { input: Box::new(input), output: Box::new(output) }).await;
            let mut all = Vec::new();
            answer.read_to_end(&mut all).await.unwrap();
            all
        };
        let mut others = device.memory().hold();
        others.grow((256 << 20) - 1000).unwrap();
        let refused = send().await;
        assert!(refused.starts_with(b"FAIL") && refused.ends_with(b"No space left on device"));
        drop(others);
        assert_eq!(send().await, b"OKAY\0\0\0\0");
        assert_eq!(device.files().stat("/sdcard/f").unwrap().size, 1 << 16);
        // The file has room of its own.
        device.memory().hold().grow(256 << 20).unwrap();
    }

    #[tokio::test]
    async fn a_file_that_is_not_sent_to_its_end_takes_the_old_one_with_it() {
        let device = VirtualPhone::new(Phone::new(PhoneOptions::default()));
        device.files().write("/sdcard/f", b"old".to_vec(), 0o644, 0).unwrap();
        let (output, _answer) = tokio::io::duplex(1 << 16);
        let input = Box::new(&b"SEND\x0f\0\0\0/sdcard/f,33188DATA\x03\0\0\0new"[..]);
        serve(&device, Stream { input, output: Box::new(output) }).await;
        assert_eq!(device.files().stat("/sdcard/f"), Err(FileError::Missing));
    }

    #[test]
    fn the_second_stat_has_the_size_adb_reads() {
        let mut out = BytesMut::new();
        put_v2(&mut out, Ok(Stat { mode: 0o100_644, size: 5, modified: 7, inode: 3 }));
        assert_eq!(out.len(), 68);
        let mut out = BytesMut::new();
        put_v2(&mut out, Err(FileError::Missing));
        assert_eq!(out.len(), 68);
        assert_eq!(out[..4], 2_u32.to_le_bytes());
    }
}
