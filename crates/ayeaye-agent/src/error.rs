//! Errors as people read them.
use std::error::Error;

/// An error with its causes, in one line. A cause that the text before it ends with is not repeated:
/// some errors quote theirs.
pub fn error_chain(err: &dyn Error) -> String {
    let mut text = err.to_string();
    let mut cause = err.source();
    while let Some(err) = cause {
        let reason = err.to_string();
        if !text.ends_with(&reason) {
            text.push_str(": ");
            text.push_str(&reason);
        }
        cause = err.source();
    }
    text
}
