//! How a transport learns that nobody works on a request any more.
//!
//! rmcp drops the answer of a request that was cancelled without a word to the transport. It finds the request that an
//! answer belongs to by the id, so that one with the same id must not begin before.
use std::fmt;
use std::sync::Arc;

use rmcp::model::Extensions;

/// Goes with a request, among its extensions; calls back when the last clone is dropped.
#[derive(Clone)]
pub(crate) struct HandlerEnd {
    _callback: Arc<Callback>,
}

struct Callback(Option<Box<dyn FnOnce() + Send + Sync>>);

impl HandlerEnd {
    /// Calls this back.
    pub(crate) fn new(callback: impl FnOnce() + Send + Sync + 'static) -> Self {
        Self { _callback: Arc::new(Callback(Some(Box::new(callback)))) }
    }

    /// Takes it out of a request, to be dropped when the request has its answer: what the request began may keep the
    /// other extensions for longer.
    #[must_use]
    pub(crate) fn take(extensions: &mut Extensions) -> Option<Self> {
        extensions.remove()
    }
}

impl Drop for Callback {
    fn drop(&mut self) {
        if let Some(callback) = self.0.take() {
            callback();
        }
    }
}

impl fmt::Debug for HandlerEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandlerEnd")
    }
}
