//! How many requests may be open at a time, and what a client is told whose request is not taken.

/// Most requests that are open at a time: on stdio of its client, over HTTP of all sessions of a principal. One that
/// follows a run takes some 40 kB.
pub(crate) const MOST_OPEN: usize = 1024;

/// Why a request is not taken. The text is for its client.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotTaken {
    /// Another one has its id, and rmcp would answer only one of them.
    #[error("a request with this id is still open: give each its own")]
    InUse,
    /// Another one had its id and was cancelled, but is still at work. rmcp would take the answer of that one for its.
    #[error("the request that had this id was cancelled and is still ending: give each its own")]
    StillEnding,
    #[error("{most} requests {which}: wait for the answer of one, or cancel one")]
    TooMany {
        most: usize,
        /// Which ones are counted, as "are open".
        which: &'static str,
    },
}
