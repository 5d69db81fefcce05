//! What a service of the phone gets and gives back: a stream both ways, and how it ended.
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
    /// A fault wants the whole link to the phone cut now.
    CutLink,
}
