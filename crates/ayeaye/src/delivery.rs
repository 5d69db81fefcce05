//! How a tool learns that its result was handed to somebody who reads it.
//!
//! A transport that keeps answers for clients whose connection broke (`http/replay.rs`) does not cancel their calls: such
//! a result may lie there and never be read.
use std::fmt;
use std::mem;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::Extensions;

type Callback = Box<dyn FnOnce() + Send>;

/// Goes with a request whose answer is kept until it is read, among its extensions. Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Delivery(Arc<Mutex<Vec<Callback>>>);

impl Delivery {
    /// Calls this back when the answer of the request is read; at once where the transport does not keep answers.
    pub(crate) fn when_read(extensions: &Extensions, then: impl FnOnce() + Send + 'static) {
        match extensions.get::<Self>() {
            Some(Self(waiting)) => {
                waiting.lock().unwrap_or_else(PoisonError::into_inner).push(Box::new(then));
            }
            None => then(),
        }
    }

    /// The answer is handed to a reader.
    pub(crate) fn is_read(&self) {
        let waiting = mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        for then in waiting {
            then();
        }
    }
}

impl fmt::Debug for Delivery {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Delivery")
    }
}
