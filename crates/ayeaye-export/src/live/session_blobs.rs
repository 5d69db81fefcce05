//! What a projection reads of its session: blobs, and pictures, of which each is unpacked once.
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, TryLockError};

use ayeaye_agent::journal::BlobRef;
use ayeaye_agent::{Journal, JournalError, SessionId};
use bytes::Bytes;
use futures::FutureExt as _;
use tokio::runtime::Handle;

use crate::draw::DecodedPicture;
use crate::projection::Blobs;

/// Blobs for threads that may wait.
pub(crate) struct SessionBlobs {
    inner: Arc<dyn Journal>,
    id: SessionId,
    runtime: Handle,
    /// The picture that was unpacked last, and its hash.
    unpacked: Mutex<Option<(String, DecodedPicture)>>,
    unpack_buffer: UnpackBuffer,
}

/// What the pictures of all sessions are unpacked into where it is free, as long as there is a session.
pub(super) type UnpackBuffer = Arc<Mutex<Vec<u8>>>;

/// What is kept of it for the next picture: a screen of 1440x3440.
const KEPT_UNPACKED: usize = 15 << 20;

impl SessionBlobs {
    /// Those of a session, read on the runtime that this is called on.
    pub(crate) fn new(inner: Arc<dyn Journal>, id: SessionId) -> Self {
        Self::unpacking_into(UnpackBuffer::default(), inner, id)
    }

    /// Those of a session, unpacked in memory that other sessions use as well.
    pub(super) fn unpacking_into(
        unpack_buffer: UnpackBuffer,
        inner: Arc<dyn Journal>,
        id: SessionId,
    ) -> Self {
        Self { inner, id, runtime: Handle::current(), unpacked: Mutex::default(), unpack_buffer }
    }
}

impl Blobs for SessionBlobs {
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError> {
        let (inner, id, blob) = (Arc::clone(&self.inner), self.id, blob.clone());
        // Not `block_on`: this thread may be in one, reading the record.
        let (sender, receiver) = std::sync::mpsc::sync_channel(1);
        let name = blob.sha256.clone();
        self.runtime.spawn(
            async move {
                // Whoever asked waits for it.
                drop(sender.send(inner.blob(&id, &blob).await));
            }
            .boxed(),
        );
        receiver.recv().unwrap_or(Err(JournalError::Blob(name)))
    }

    fn picture(&self, blob: &BlobRef) -> Option<DecodedPicture> {
        if let Some(picture) = self.unpacked(blob) {
            return Some(picture);
        }
        let bytes = self.blob(blob).ok()?;
        let buffer = match self.unpack_buffer.try_lock() {
            Ok(buffer) => Some(buffer),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            // Another session uses it, which nobody waits for.
            Err(TryLockError::WouldBlock) => None,
        };
        let picture = match buffer {
            Some(mut buffer) => {
                let picture = DecodedPicture::read_through(&bytes, &mut buffer);
                if KEPT_UNPACKED < buffer.capacity() {
                    *buffer = Vec::new();
                }
                picture
            }
            None => DecodedPicture::read_through(&bytes, &mut Vec::new()),
        }?;
        let mut latest = self.unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        *latest = Some((blob.sha256.clone(), picture.clone()));
        Some(picture)
    }

    fn unpacked(&self, blob: &BlobRef) -> Option<DecodedPicture> {
        let latest = self.unpacked.lock().unwrap_or_else(PoisonError::into_inner);
        latest.as_ref().filter(|(hash, _)| *hash == blob.sha256).map(|(_, picture)| picture.clone())
    }

    fn path(&self, blob: &BlobRef) -> Option<PathBuf> {
        self.inner.blob_path(&self.id, blob)
    }
}
