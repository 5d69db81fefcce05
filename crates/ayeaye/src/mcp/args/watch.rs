//! The arguments of the tools that only the app calls.
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::mcp::schema::names_say_it;
use crate::mcp::tool_error::ToolError;

/// The longest wait of one call, in seconds: far below what any host gives a call.
const MAX_WAIT: f64 = 10.0;

/// Arguments of `watch_session`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
// No model is to read what they are for.
#[schemars(transform = names_say_it)]
pub struct WatchArgs {
    /// The session.
    pub session_id: String,
    /// The last step you know: only later ones are told. All of the run if left out.
    pub after: Option<i64>,
    /// The step whose picture you show: a picture comes only if it is of another step.
    pub picture: Option<i64>,
    /// The `state` of the last answer: waits until it changes.
    #[schemars(length(max = 200))]
    pub state: Option<String>,
    /// How long to wait for that, in seconds.
    #[schemars(range(min = 0, max = 10))]
    pub wait_seconds: Option<f64>,
}

impl WatchArgs {
    /// How long the call may wait, at most 10 s; not at all if nothing is said.
    pub fn wait(&self) -> Result<Duration, ToolError> {
        match self.wait_seconds {
            None => Ok(Duration::ZERO),
            Some(seconds) if (0.0..=MAX_WAIT).contains(&seconds) => {
                Ok(Duration::from_secs_f64(seconds))
            }
            Some(seconds) => Err(ToolError::out_of_range("wait_seconds", &seconds, "0 to 10")),
        }
    }
}
