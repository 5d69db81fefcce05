//! The byte streams a service works on, and how it ended.
use std::fmt;

use tokio::io::{AsyncRead, AsyncWrite};

/// Both directions of one service.
pub(crate) struct Stream {
    pub(crate) input: Box<dyn AsyncRead + Send + Unpin>,
    pub(crate) output: Box<dyn AsyncWrite + Send + Unpin>,
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").finish_non_exhaustive()
    }
}

/// How a service ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ServiceEnd {
    Done,
    /// A fault asks for the whole link to be cut.
    CutLink,
}
