//! Errors as people read them.
use std::error::Error;

/// An error with its causes, in one line. A cause that the text before it ends with is not repeated: some errors quote
/// theirs. One that quotes the last cause of all has told what there is to tell.
pub fn error_chain(err: &dyn Error) -> String {
    let mut text = err.to_string();
    let mut causes = Vec::new();
    let mut next = err.source();
    while let Some(cause) = next {
        causes.push(cause.to_string());
        next = cause.source();
    }
    if causes.last().is_some_and(|last| !last.is_empty() && text.contains(last.as_str())) {
        return text;
    }
    for cause in causes {
        if !text.ends_with(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("{text}")]
    struct Failed {
        text: &'static str,
        source: Option<Box<Self>>,
    }

    fn chain_of(texts: &[&'static str]) -> String {
        let chain = texts.iter().rev().fold(None, |source: Option<Box<Failed>>, text| {
            Some(Box::new(Failed { text, source }))
        });
        error_chain(&*chain.unwrap())
    }

    #[test]
    fn each_cause_is_told_once() {
        assert_eq!(
            chain_of(&["cannot begin", "no record", "disk full"]),
            "cannot begin: no record: disk full"
        );
        assert_eq!(
            chain_of(&["cannot begin: no record", "no record", "full"]),
            "cannot begin: no record: full"
        );
        let quoted = "the endpoint cannot be reached (\u{201c}refused\u{201d}): start it";
        assert_eq!(
            chain_of(&[quoted, "error sending request", "connect error", "refused"]),
            quoted
        );
        assert_eq!(chain_of(&["only this"]), "only this");
    }
}
