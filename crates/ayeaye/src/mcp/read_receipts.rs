//! What clients are told of sessions, noted once they have read it.
use std::sync::Arc;

use ayeaye_agent::{Agent, Report};
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::delivery::Delivery;
use crate::principal;

/// Remembers what a client is told in the result of this call, as soon as it is read; of one that was cancelled it
/// gets none.
pub(super) fn note_told(agent: &Arc<Agent>, report: &Report, ctx: &RequestContext<RoleServer>) {
    let (caller, connection) = (principal::of(ctx), principal::connection(ctx));
    note_read(agent, report, ctx, move |agent, report| {
        agent.note_question_told(report);
        agent.note_followed(report, &caller, connection);
    });
}

/// Remembers, once the result is read, that the client was told the question, and nothing else: whoever follows the run
/// has yet to learn how it went on.
pub(super) fn note_question_told(
    agent: &Arc<Agent>,
    report: &Report,
    ctx: &RequestContext<RoleServer>,
) {
    note_read(agent, report, ctx, Agent::note_question_told);
}

fn note_read(
    agent: &Arc<Agent>,
    report: &Report,
    ctx: &RequestContext<RoleServer>,
    note: impl FnOnce(&Agent, &Report) + Send + 'static,
) {
    if ctx.ct.is_cancelled() {
        return;
    }
    let agent = Arc::clone(agent);
    // Without its steps, which nobody asks for then.
    let report = Report { steps: Vec::new(), ..report.clone() };
    Delivery::when_read(&ctx.extensions, move || note(&agent, &report));
}
