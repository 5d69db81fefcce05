//! A quick look at an endpoint: whether anything runs there, before anything is asked of it.
use std::time::Duration;

use tokio::time::Instant;

use super::client::{Client, ModelList};

/// What a quick look at an endpoint finds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// It offers the model.
    Offered,
    /// It offers models, and this one is not among them.
    NotOffered,
    /// It answers, but does not say what it offers.
    Answers,
    /// It refuses connections: nothing runs there.
    Refused,
    /// No answer in time, or none that tells.
    Unknown,
}

/// Whether the model is among those offered. Ollama lists what was pulled without a tag as `:latest`.
pub(crate) fn lists(names: &[String], name: &str) -> bool {
    names.iter().any(|offered| offered == name || offered.strip_suffix(":latest") == Some(name))
}

impl Client {
    /// Whether the endpoint can be reached, found out within `limit`.
    pub(crate) async fn reach(&self, limit: Duration) -> Reach {
        match self.list(Instant::now() + limit).await {
            Ok(ModelList::Names(names)) if lists(&names, &self.config().name) => Reach::Offered,
            Ok(ModelList::Names(_)) => Reach::NotOffered,
            Ok(ModelList::Unlisted | ModelList::WebPage) => Reach::Answers,
            Err(error) if error.is_refused() => Reach::Refused,
            Err(_) if self.has_answered() => Reach::Answers,
            Err(_) => Reach::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_that_ollama_adds_makes_no_other_model() {
        let offered = ["gelab-zero-4b-preview:latest".to_owned(), "qwen3-vl:8b".to_owned()];
        assert!(lists(&offered, "gelab-zero-4b-preview"));
        assert!(lists(&offered, "gelab-zero-4b-preview:latest"));
        assert!(lists(&offered, "qwen3-vl:8b"));
        assert!(!lists(&offered, "qwen3-vl"));
        assert!(!lists(&offered, "gelab"));
    }
}
