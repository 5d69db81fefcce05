//! Tools that only the app calls, for the person who looks at it: no model is offered them.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{Follower, JournalError, Principal, Report, SessionId, StopReason, error_chain};
use rmcp::model::{CallToolResult, ContentBlock};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, tool, tool_router};
use tokio::time::{Instant, sleep_until};

use crate::mcp::args::watch::WatchArgs;
use crate::mcp::args::{self, SessionArgs, ValidatedArgs};
use crate::mcp::results::{self, RunResult, WatchResult};
use crate::mcp::schema::input;
use crate::mcp::tool_error::ToolError;
use crate::mcp::{Server, app, pictures, read_receipts, texts};
use crate::principal;

/// How often a session is looked at that another process drives.
const LOOK_AGAIN: Duration = Duration::from_secs(1);

#[tool_router(router = for_app, vis = "pub(super)")]
impl Server {
    #[tool(
        title = "Watch a session",
        description = texts::WATCH_SESSION,
        input_schema = input::<WatchArgs>(),
        annotations(read_only_hint = true, idempotent_hint = true, open_world_hint = false),
        meta = app::app_only()
    )]
    async fn watch_session(
        &self,
        ValidatedArgs(args): ValidatedArgs<WatchArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let (id, principal) = (args::session_id(&args.session_id)?, principal::of(&ctx));
        let deadline = Instant::now() + args.wait()?;
        let report = tokio::select! {
            biased;
            () = ctx.ct.cancelled() => return Err(ToolError::call_cancelled()),
            report = self.report_after(id, &principal, args.state.as_deref(), deadline) => report?,
        };
        read_receipts::note_question_told(&self.agent, &report, &ctx);
        let now = WatchResult::new(&report, args.after);
        let mut result = results::structured(&now);
        // The facts are for the page; a host that shows the call needs no more than a line.
        result.content = vec![ContentBlock::text(now.in_words())];
        let wanted = |step: &u32| args.picture != Some(i64::from(*step));
        if let Some(step) = report.screenshot_step.filter(wanted) {
            match pictures::of_step(self.agent.journal(), id, step, self.agent.private_screens())
                .await
            {
                Ok(picture) => result.content.extend(picture),
                Err(err) => result.content.extend(results::note(&no_picture(step, &err))),
            }
        }
        Ok(result)
    }
}

#[tool_router(router = for_app_to_stop, vis = "pub(super)")]
impl Server {
    #[tool(
        title = "Pause a session's run",
        description = texts::PAUSE_TASK,
        input_schema = input::<SessionArgs>(),
        annotations(read_only_hint = false, destructive_hint = false, idempotent_hint = true, open_world_hint = false),
        meta = app::app_only()
    )]
    async fn pause_task(
        &self,
        ValidatedArgs(args): ValidatedArgs<SessionArgs>,
        ctx: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ToolError> {
        let args = args?;
        let id = args::session_id(&args.session_id)?;
        let report = self.agent.stop(id, StopReason::UserPaused, &principal::of(&ctx)).await?;
        read_receipts::note_question_told(&self.agent, &report, &ctx);
        Ok(results::structured(&RunResult::from(&report)))
    }
}

impl Server {
    /// The report of a session as soon as its state is not `known`, or when the time is up.
    async fn report_after(
        &self,
        id: SessionId,
        principal: &Principal,
        known: Option<&str>,
        deadline: Instant,
    ) -> Result<Arc<Report>, ToolError> {
        let mut changes = self.agent.changes();
        let mut follower: Option<Follower> = None;
        loop {
            changes.mark_unchanged();
            // The same as long as its run goes on: a new one would take what is known for news.
            if follower.as_ref().is_none_or(|it| !it.running() || it.ended_abruptly()) {
                follower = self.agent.follow(id, principal).await;
            }
            let report = match &follower {
                Some(follower) => follower.report(),
                None => Arc::new(self.agent.report(id, principal).await?),
            };
            if known != Some(&results::state(&report)) || deadline <= Instant::now() {
                return Ok(report);
            }
            let elsewhere = follower.is_none() && report.stop_reason == StopReason::StillRunning;
            let look = if elsewhere { Instant::now() + LOOK_AGAIN } else { deadline };
            tokio::select! {
                _ = changes.changed() => {}
                () = self.agent.closing() => return Ok(report),
                () = sleep_until(look.min(deadline)) => {}
                _ = async {
                    match &mut follower {
                        Some(follower) => follower.changed().await,
                        None => std::future::pending().await,
                    }
                } => {}
            }
        }
    }
}

fn no_picture(step: u32, err: &JournalError) -> String {
    format!("no picture of step {step}: {}", error_chain(err))
}
