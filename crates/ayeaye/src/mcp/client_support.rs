//! What the client of a request supports. Decided for each request, never for a connection: clients of
//! both protocol eras share one server, and from 2026-07-28 on a client declares its capabilities with
//! every request.
use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::RequestContext;
use serde_json::Value;

use super::app;

/// How long a client may cache what never changes within a version (texts, pictures of steps), in
/// milliseconds. Only clients of 2026-07-28 know about caching.
pub const IMMUTABLE_TTL_MS: u64 = 3_600_000;

/// What the client that sent a request supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "clients have every combination of them")]
pub struct ClientSupport {
    /// It speaks 2026-07-28 or later: questions go into results, never into requests of ours.
    pub modern: bool,
    /// It shows its user forms (elicitation).
    pub forms: bool,
    /// It polls tasks. The extension does not exist before 2026-07-28, even where a client declares it.
    pub tasks: bool,
    /// It shows MCP Apps.
    pub apps: bool,
    /// It asked for progress notifications.
    pub progress: bool,
}

impl ClientSupport {
    /// The client of this request.
    pub fn of(ctx: &RequestContext<RoleServer>) -> Self {
        let modern = is_modern(ctx);
        let capabilities = ctx.client_capabilities();
        Self {
            modern,
            forms: capabilities.as_ref().is_some_and(shows_forms),
            tasks: modern && capabilities.as_ref().is_some_and(ClientCapabilities::supports_tasks),
            apps: capabilities.as_ref().is_some_and(shows_apps),
            progress: ctx.meta.get_progress_token().is_some(),
        }
    }
}

/// Whether a request is of protocol 2026-07-28 or later: no handshake, and caching fields in results.
pub fn is_modern(ctx: &RequestContext<RoleServer>) -> bool {
    ctx.protocol_version().is_some_and(|version| ProtocolVersion::V_2026_07_28 <= version)
}

/// A client names the kinds of page that it can show; there is one.
fn shows_apps(capabilities: &ClientCapabilities) -> bool {
    let settings = capabilities.extensions.as_ref().and_then(|it| it.get(app::EXTENSION));
    let kinds = settings.and_then(|it| it.get("mimeTypes")).and_then(Value::as_array);
    kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind == app::MIME_TYPE))
}

/// An empty declaration means forms: the first revision with elicitation had nothing else.
fn shows_forms(capabilities: &ClientCapabilities) -> bool {
    capabilities.elicitation.as_ref().is_some_and(|it| it.form.is_some() || it.url.is_none())
}
