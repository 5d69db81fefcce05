//! The models that an endpoint offers.
use ayeaye_agent::ModelError;
use reqwest::Method;
use serde_json::Value;
use tokio::time::Instant;

use super::super::deadlines::{Deadlines, read_into};
use super::super::error::AttemptError;
use super::Client;

/// What an endpoint answers when it is asked for its models.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelList {
    /// Their names.
    Names(Vec<String>),
    /// The names on the first page of a list that goes on.
    FirstPage(Vec<String>),
    /// It has no such list.
    Unlisted,
    /// A page for people: perhaps nothing but a web server.
    WebPage,
}

impl Client {
    /// The models that the endpoint offers. One attempt.
    pub(crate) async fn models(&self) -> Result<ModelList, ModelError> {
        let started = Instant::now();
        let found = self.list(started + self.config.limits.first_byte).await;
        found.map_err(|error| {
            let message = self.describe(&error, &self.config.retries);
            ModelError::new(error.kind, message, started.elapsed())
        })
    }

    pub(in crate::remote) async fn list(&self, end: Instant) -> Result<ModelList, AttemptError> {
        let deadlines = Deadlines::new(&self.config.limits, end);
        let url = self.api.models_url(self.endpoint());
        let headers = self.api.headers(None);
        let response = self.send(Method::GET, url, headers, None, &deadlines).await?;
        if matches!(response.status().as_u16(), 404 | 405 | 501) {
            return Ok(ModelList::Unlisted);
        }
        let response = self.checked(response, &deadlines).await?;
        let mut body = Vec::new();
        let most = self.config.limits.body;
        read_into(&mut body, response.bytes_stream(), most, &deadlines).await?;
        if body.trim_ascii_start().starts_with(b"<") {
            return Ok(ModelList::WebPage);
        }
        let json: Value = serde_json::from_slice(&body)
            .map_err(|err| AttemptError::wrong_api(&format!("no whole JSON ({err})")))?;
        // Some hosts give the list alone.
        let lists = [&json["data"], &json["models"], &json];
        let list = lists.into_iter().find_map(Value::as_array);
        Ok(list.map_or(ModelList::Unlisted, |list| {
            let mut names = Vec::new();
            for model in list {
                let name = model["id"].as_str().or_else(|| model["name"].as_str());
                // Of llama.cpp, where the first is the name itself.
                let aliases = model["aliases"].as_array().into_iter().flatten();
                let aliases = aliases.filter_map(Value::as_str).filter(|it| Some(*it) != name);
                // They are shown, and some relays have put a key among them.
                let all = name.into_iter().chain(aliases);
                names.extend(all.map(|it| self.redact(it.strip_prefix("models/").unwrap_or(it))));
            }
            // Gemini's sign of another page, and Anthropic's.
            let next = json["nextPageToken"].as_str().is_some_and(|token| !token.is_empty());
            let goes_on = next || json["has_more"].as_bool().unwrap_or_default();
            if goes_on { ModelList::FirstPage(names) } else { ModelList::Names(names) }
        }))
    }
}
