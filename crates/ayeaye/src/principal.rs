//! The principal of a request, which transports pass to the MCP handlers.
//!
//! HTTP authenticates a request and attaches its principal. stdio attaches none, because its client is
//! whoever started the process. The type itself belongs to the agent, which decides what a principal
//! may see.
mod quota;

use axum::extract::Request;
use ayeaye_agent::Principal;
use rmcp::RoleServer;
use rmcp::service::RequestContext;
use rmcp::transport::common::http_header::HEADER_SESSION_ID;

pub(crate) use quota::{Counted, PerPrincipal};

/// Attaches the authenticated principal to an HTTP request. rmcp hands its extensions on to handlers.
pub fn attach(request: &mut Request, principal: Principal) {
    request.extensions_mut().insert(principal);
}

/// The principal that made this call: the one attached by HTTP, else the local user.
pub fn of(context: &RequestContext<RoleServer>) -> Principal {
    context
        .extensions
        .get::<axum::http::request::Parts>()
        .and_then(|parts| parts.extensions.get::<Principal>())
        .cloned()
        .unwrap_or_else(Principal::local)
}

/// The longest id of a connection, in bytes: ours have 36, and others are no ids of ours.
const LONGEST_CONNECTION: usize = 64;

/// Which of its connections the call came by, where a client has one for several calls: its `Mcp-Session-Id`.
pub fn connection(context: &RequestContext<RoleServer>) -> Option<String> {
    let parts = context.extensions.get::<axum::http::request::Parts>()?;
    let id = parts.headers.get(HEADER_SESSION_ID)?.to_str().ok()?;
    (id.len() <= LONGEST_CONNECTION).then(|| id.to_owned())
}
