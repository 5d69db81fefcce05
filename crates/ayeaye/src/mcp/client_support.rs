//! What the client of one request can do. Decided for each request and never for a connection: one
//! server speaks with clients of both eras, and a client of 2026-07-28 says anew with each request
//! what it can do.
use rmcp::RoleServer;
use rmcp::model::{ClientCapabilities, ProtocolVersion};
use rmcp::service::RequestContext;

/// Who calls.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "clients have every combination of them")]
pub struct ClientSupport {
    /// It speaks 2026-07-28 or later: it is asked by a result and never by a request of ours.
    pub modern: bool,
    /// It can show its user a form.
    pub form: bool,
    /// It can be given a task to look after. The extension does not exist before 2026-07-28, even
    /// where a client declares it.
    pub tasks: bool,
    /// It wants to be told of progress.
    pub progress: bool,
}

impl ClientSupport {
    /// The client of this request.
    pub fn of(ctx: &RequestContext<RoleServer>) -> Self {
        let version = ctx.protocol_version();
        let modern = version.is_some_and(|version| ProtocolVersion::V_2026_07_28 <= version);
        let can = ctx.client_capabilities();
        Self {
            modern,
            form: can.as_ref().is_some_and(shows_forms),
            tasks: modern && can.as_ref().is_some_and(ClientCapabilities::supports_tasks),
            progress: ctx.meta.get_progress_token().is_some(),
        }
    }
}

/// An empty declaration means forms: the first revision that had elicitation knew nothing else.
fn shows_forms(can: &ClientCapabilities) -> bool {
    can.elicitation.as_ref().is_some_and(|it| it.form.is_some() || it.url.is_none())
}
