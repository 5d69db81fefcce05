//! Who drives a phone, across processes: every MCP client on a machine may start a server of its own.
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::folder::{private_file, private_folder, storage};
use super::line::hex;
use crate::journal::{JournalError, LeaseGrant};
use crate::{DeviceId, SessionId};

/// The name of a phone's files. A serial may hold anything, so it is no file name itself.
pub(super) fn file_name(device: &DeviceId) -> String {
    let digest = Sha256::digest(device.as_str().as_bytes());
    hex(&digest[..16])
}

fn path(folder: &Path, device: &DeviceId) -> PathBuf {
    folder.join(file_name(device) + ".lock")
}

/// Takes the phone for a session, until what is returned is dropped or the process dies.
pub(super) fn acquire(
    folder: &Path,
    device: &DeviceId,
    session: SessionId,
) -> Result<LeaseGrant, JournalError> {
    private_folder(folder, true).map_err(storage("make", folder))?;
    let path = path(folder, device);
    let mut file = private_file(OpenOptions::new().read(true).write(true).create(true), &path)
        .map_err(storage("open", &path))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(fs::TryLockError::WouldBlock) => return Ok(LeaseGrant::Taken(read_holder(&mut file))),
        Err(fs::TryLockError::Error(err)) => return Err(storage("lock", &path)(err)),
    }
    let written = file
        .set_len(0)
        .and_then(|()| file.seek(SeekFrom::Start(0)))
        .and_then(|_| file.write_all(session.to_string().as_bytes()));
    written.map_err(storage("write", &path))?;
    Ok(LeaseGrant::Granted(Box::new(file)))
}

/// The session that drives a phone, in whichever process.
pub(super) fn holder(folder: &Path, device: &DeviceId) -> Option<SessionId> {
    let mut file = File::open(path(folder, device)).ok()?;
    match file.try_lock_shared() {
        Err(fs::TryLockError::WouldBlock) => read_holder(&mut file),
        // Nobody holds it, or nobody can tell.
        Ok(()) | Err(fs::TryLockError::Error(_)) => None,
    }
}

fn read_holder(file: &mut File) -> Option<SessionId> {
    let mut text = String::new();
    file.take(64).read_to_string(&mut text).ok()?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phone_has_one_holder_until_it_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let phone = DeviceId::new("../x:5555");
        let (first, second) = (SessionId::new(), SessionId::new());
        assert_eq!(holder(folder.path(), &phone), None);
        let LeaseGrant::Granted(held) = acquire(folder.path(), &phone, first).unwrap() else {
            panic!("free")
        };
        assert_eq!(holder(folder.path(), &phone), Some(first));
        match acquire(folder.path(), &phone, second).unwrap() {
            LeaseGrant::Taken(holder) => assert_eq!(holder, Some(first)),
            LeaseGrant::Granted(_) => panic!("taken"),
        }
        drop(held);
        assert_eq!(holder(folder.path(), &phone), None);
        assert!(matches!(acquire(folder.path(), &phone, second).unwrap(), LeaseGrant::Granted(_)));
    }
}
