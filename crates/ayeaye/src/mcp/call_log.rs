//! What the server's own log tells of its clients: who connects, and, at `debug`, each call of a tool.
use std::time::Instant;

use ayeaye_agent::Principal;
use rmcp::model::{CallToolResponse, Implementation};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer};

use crate::principal;
use crate::text::excerpt;

/// Most characters of what a client calls itself.
const LONGEST_NAME: usize = 60;

/// Logs which client has connected.
pub(super) fn note_connected(client: &Implementation, ctx: &RequestContext<RoleServer>) {
    let name = excerpt(&client.name, LONGEST_NAME);
    let version = excerpt(&client.version, LONGEST_NAME);
    tracing::info!(owner = principal::of(ctx).name(), "the client {name} {version} has connected");
}

/// A tool call in progress, to be logged when it ends.
pub(super) struct NotedCall {
    tool: String,
    owner: Principal,
    began: Instant,
}

impl NotedCall {
    pub(super) fn begin(tool: &str, ctx: &RequestContext<RoleServer>) -> Self {
        Self { tool: tool.to_owned(), owner: principal::of(ctx), began: Instant::now() }
    }

    /// Logs how it ended. The texts of a result are the client's and may be private, so they are not logged.
    pub(super) fn end(self, result: &Result<CallToolResponse, ErrorData>) {
        let Self { tool, owner, began } = self;
        let ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        let came = match result {
            Ok(CallToolResponse::Complete(result)) if result.is_error == Some(true) => "an error",
            Ok(CallToolResponse::Complete(_)) => "a result",
            Ok(CallToolResponse::Task(_)) => "a task",
            Ok(_) => "a question",
            Err(_) => "a refusal",
        };
        tracing::debug!(owner = owner.name(), ms, "{tool} was called: {came}");
    }
}
