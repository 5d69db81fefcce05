//! What a projection is: events in, file operations out.
//!
//! A projection never touches a disk. The folder that is being written carries its operations out, live
//! while a session runs and offline from its record, by the same code: so both give the same bytes.
use std::fmt;
use std::path::PathBuf;

use ayeaye_agent::JournalError;
use ayeaye_agent::journal::{BlobRef, Event};
use bytes::Bytes;

use crate::draw::DecodedPicture;

/// A log in somebody's format, computed event by event.
pub trait Projection: Send + fmt::Debug {
    /// Takes the next event into account and says what that does to the files. What it returns
    /// depends on the events so far and their blobs alone: not on the time, not on what is on disk.
    fn fold(&mut self, event: &Event, blobs: &dyn Blobs) -> Vec<FileOp>;
}

/// The blobs of the session that is projected.
pub trait Blobs: Send + Sync {
    /// The bytes, or why they cannot be had. A projection goes on without them.
    fn blob(&self, blob: &BlobRef) -> Result<Bytes, JournalError>;

    /// The picture that they are; `None` where they cannot be had or are none that can be read.
    fn picture(&self, blob: &BlobRef) -> Option<DecodedPicture> {
        DecodedPicture::read(&self.blob(blob).ok()?)
    }

    /// The picture, where it has just been unpacked for another log; nothing is read for it.
    fn unpacked(&self, _blob: &BlobRef) -> Option<DecodedPicture> {
        None
    }

    /// The file that holds them, where there is one.
    fn path(&self, _blob: &BlobRef) -> Option<PathBuf> {
        None
    }
}

/// One change to the files of a projection. Paths are relative to its folder, with `/` between
/// their parts; a part holds only letters, digits, `.`, `_` and `-` and does not begin with a dot.
#[derive(Debug)]
pub enum FileOp {
    /// Adds to the end of a file, which is made when it is not there.
    Append {
        /// Where.
        path: String,
        /// Whole lines.
        bytes: Vec<u8>,
    },
    /// Adds one element to the end of a file that holds a JSON array.
    Element {
        /// Where.
        path: String,
        /// The element, without a line end behind it.
        json: Vec<u8>,
    },
    /// A file that is written once and never changes.
    Write {
        /// Where.
        path: String,
        /// What.
        content: Content,
    },
    /// A file of which only the latest content counts.
    Replace {
        /// Where.
        path: String,
        /// What.
        content: Content,
    },
}

/// What a file is to hold.
pub enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// A blob as it is; no file when it cannot be read.
    Blob(BlobRef),
    /// Made only when the file is not there yet, so that a projection that catches up draws no
    /// picture twice; no file when nothing comes of it.
    Lazy {
        /// Files of one key hold the same bytes, and take up the disk once.
        key: Option<String>,
        /// Makes the bytes.
        make: MakeContent,
    },
}

/// Makes the content of a file from blobs.
pub type MakeContent = Box<dyn FnOnce(&dyn Blobs) -> Option<Vec<u8>> + Send>;

impl Content {
    /// Made when it is needed.
    pub fn lazy(make: impl FnOnce(&dyn Blobs) -> Option<Vec<u8>> + Send + 'static) -> Self {
        Self::Lazy { key: None, make: Box::new(make) }
    }

    /// Made when it is needed, and once for all files of that key.
    pub fn shared(
        key: String,
        make: impl FnOnce(&dyn Blobs) -> Option<Vec<u8>> + Send + 'static,
    ) -> Self {
        Self::Lazy { key: Some(key), make: Box::new(make) }
    }
}

impl FileOp {
    /// The file it concerns.
    pub fn path(&self) -> &str {
        match self {
            Self::Append { path, .. }
            | Self::Element { path, .. }
            | Self::Write { path, .. }
            | Self::Replace { path, .. } => path,
        }
    }
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "Bytes({})", bytes.len()),
            Self::Blob(blob) => write!(f, "Blob({})", blob.sha256),
            Self::Lazy { .. } => f.write_str("Lazy"),
        }
    }
}
