//! What is too large for a line, or said again and again: kept once, under its own SHA-256.
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use super::folder::{Folder, private_folder, storage, write_whole};
use super::line::hex;
use crate::bounded_file::open_file;
use crate::journal::{BlobRef, JournalError};

/// Most bytes of a blob: well above any screenshot.
pub(super) const MAX_BLOB: u64 = 64 << 20;

/// A stored blob. It need not be on the disk yet.
pub(super) struct StoredBlob {
    pub(super) blob: BlobRef,
    pub(super) path: PathBuf,
    /// Whether it was not there before.
    pub(super) new: bool,
}

/// Writes the bytes, unless they are there already.
pub(super) fn keep(
    folder: &Folder,
    bytes: &[u8],
    media_type: &str,
) -> Result<StoredBlob, JournalError> {
    let sha256 = hex(&Sha256::digest(bytes));
    let blob = BlobRef { sha256, bytes: bytes.len() as u64, media_type: media_type.to_owned() };
    let path = path_of(folder, &blob);
    // Another length is a damaged file: it is replaced.
    if fs::metadata(&path).is_ok_and(|found| found.is_file() && found.len() == blob.bytes) {
        return Ok(StoredBlob { blob, path, new: false });
    }
    let shelf = path.parent().expect("a blob has a folder");
    private_folder(shelf, true).map_err(storage("make", shelf))?;
    write_whole(&path, bytes, false).map_err(storage("write", &path))?;
    // Logs link to it: who opens it there and saves must not change the record. A file system without such rights
    // goes without. On Windows what is read-only could not be removed.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o400)).ok();
    }
    Ok(StoredBlob { blob, path, new: true })
}

/// The bytes, if they are what the reference says.
pub(super) fn load(folder: &Folder, blob: &BlobRef) -> Result<Bytes, JournalError> {
    let bad = || JournalError::Blob(blob.sha256.chars().take(64).collect());
    if !is_name(&blob.sha256) || MAX_BLOB < blob.bytes {
        return Err(bad());
    }
    let path = path_of(folder, blob);
    let mut bytes = Vec::new();
    let read = open_file(&path).and_then(|file| file.take(blob.bytes + 1).read_to_end(&mut bytes));
    match read {
        Ok(_)
            if bytes.len() as u64 == blob.bytes && hex(&Sha256::digest(&bytes)) == blob.sha256 =>
        {
            Ok(bytes.into())
        }
        Ok(_) => Err(bad()),
        Err(err) if err.kind() == io::ErrorKind::NotFound => {
            folder.must_exist()?;
            Err(bad())
        }
        Err(err) => Err(storage("read", &path)(err)),
    }
}

/// The file of a blob, if its name can be one.
pub(super) fn path(folder: &Folder, blob: &BlobRef) -> Option<PathBuf> {
    is_name(&blob.sha256).then(|| path_of(folder, blob))
}

/// Where a blob is kept; its name has been checked or made here.
fn path_of(folder: &Folder, blob: &BlobRef) -> PathBuf {
    let name = format!("{}.{}", blob.sha256, extension(&blob.media_type));
    folder.blobs().join(&blob.sha256[..2]).join(name)
}

/// The folders whose entries lead to this blob, innermost first.
pub(super) fn folders_above<'a>(
    folder: &'a Folder,
    path: &'a Path,
) -> impl Iterator<Item = &'a Path> {
    path.ancestors().skip(1).take_while(|above| above.starts_with(&folder.path))
}

/// A record is foreign input: what it names must not lead out of its folder.
fn is_name(sha256: &str) -> bool {
    sha256.len() == 64 && sha256.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
}

/// For people who look into the folder; the truth is in the record.
fn extension(media_type: &str) -> &'static str {
    match media_type {
        "image/jpeg" => "jpg",
        "image/png" => "png",
        "image/webp" => "webp",
        "application/json" => "json",
        "application/xml" | "text/xml" => "xml",
        "text/plain" => "txt",
        _ => "bin",
    }
}
