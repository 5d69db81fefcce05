//! What clients are told of sessions, noted once they have read it.
use std::sync::Arc;

use ayeaye_agent::{Agent, Report};
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use crate::delivery::Delivery;
use crate::principal;

/// Once the client has read the result of this call, notes that it knows the report's question and the end of its run.
/// Nothing is noted for a cancelled call, as its client gets no result.
pub(super) fn note_told(agent: &Arc<Agent>, report: &Report, ctx: &RequestContext<RoleServer>) {
    let (caller, connection) = (principal::of(ctx), principal::connection(ctx));
    note_read(agent, report, ctx, move |agent, report| {
        agent.note_question_told(report);
        agent.note_followed(report, &caller, connection);
    });
}

/// Once the client has read the result, notes that it knows the question, and nothing else: followers have yet to learn
/// how the run went on.
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
