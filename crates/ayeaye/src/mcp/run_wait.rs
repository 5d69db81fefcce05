//! Following runs from a tool call: a wait budget, progress, and what a cancelled call means.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{Agent, Follower, Report, StopReason};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::time::{Instant, sleep_until};

use super::tool_error::ToolError;
use crate::principal;
use crate::text::truncate;

/// A client that was promised progress hears something at least this often.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// Not more often than this: a client that reads slowly holds up its whole session.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// A call that follows: one run, and after answers those that go on with it.
pub(super) struct RunWait<'a> {
    agent: &'a Agent,
    ctx: &'a RequestContext<RoleServer>,
    deadline: Instant,
    progress: Option<Progress>,
}

/// What came of waiting for something that is not a run.
pub(super) enum WaitOutcome<T> {
    /// It happened.
    Done(T),
    /// The call was cancelled.
    Cancelled,
    /// It took too long.
    TimedOut,
}

impl<'a> RunWait<'a> {
    /// A call that waits at most so long.
    pub(super) fn new(
        agent: &'a Agent,
        wait: Duration,
        ctx: &'a RequestContext<RoleServer>,
    ) -> Self {
        let progress = ctx.meta.get_progress_token().map(Progress::new);
        Self { agent, ctx, deadline: Instant::now() + wait, progress }
    }

    /// How much of the wait is left.
    pub(super) fn rest(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Waits longer by this.
    pub(super) fn extend(&mut self, by: Duration) {
        self.deadline += by;
    }

    /// Waits for the end of the run. What is returned when the wait is over says `STILL_RUNNING`, and
    /// the run goes on. A cancelled call stops the run.
    pub(super) async fn follow(
        &mut self,
        mut follower: Follower,
    ) -> Result<Arc<Report>, ToolError> {
        while follower.running() {
            let next_word =
                self.progress.as_ref().map_or(self.deadline, |it| it.due.min(self.deadline));
            tokio::select! {
                biased;
                () = self.ctx.ct.cancelled() => {
                    follower.stop(StopReason::Cancelled);
                    follower.finished().await;
                    break;
                }
                more = follower.changed() => {
                    if !more {
                        break;
                    }
                    if let Some(progress) = &mut self.progress {
                        progress.heard();
                    }
                }
                () = sleep_until(next_word) => match &mut self.progress {
                    Some(progress) if progress.due <= Instant::now() => progress.tell(&follower, self.ctx).await,
                    _ => break,
                }
            }
        }
        if follower.ended_abruptly() {
            // Without a last word: the record knows best.
            let session = follower.report().session_id;
            return Ok(Arc::new(self.agent.report(session, &principal::of(self.ctx)).await?));
        }
        Ok(follower.report())
    }

    /// Waits for something else, at most so long, with a sign of life now and then.
    pub(super) async fn wait_for<T>(
        &mut self,
        what: &str,
        limit: Duration,
        waiting: impl Future<Output = T>,
    ) -> WaitOutcome<T> {
        let deadline = Instant::now() + limit;
        tokio::pin!(waiting);
        loop {
            let next_word = self.progress.as_ref().map_or(deadline, |it| it.due.min(deadline));
            tokio::select! {
                biased;
                () = self.ctx.ct.cancelled() => return WaitOutcome::Cancelled,
                // The server goes down: the question waits on record for the next one.
                () = self.agent.closing() => return WaitOutcome::Cancelled,
                done = &mut waiting => return WaitOutcome::Done(done),
                () = sleep_until(next_word) => match &mut self.progress {
                    Some(progress) if progress.due <= Instant::now() => {
                        progress.send(what.to_owned(), self.ctx).await;
                    }
                    _ if deadline <= Instant::now() => return WaitOutcome::TimedOut,
                    _ => {}
                }
            }
        }
    }
}

struct Progress {
    token: ProgressToken,
    told: u32,
    /// The first step that was not told yet: none is left out when several come within one pause.
    next_step: u32,
    last: Instant,
    due: Instant,
}

impl Progress {
    fn new(token: ProgressToken) -> Self {
        let now = Instant::now();
        Self { token, told: 0, next_step: 0, last: now, due: now + HEARTBEAT }
    }

    /// There is something new to tell, as soon as the pause allows.
    fn heard(&mut self) {
        self.due = self.due.min((self.last + LEAST_PAUSE).max(Instant::now()));
    }

    async fn tell(&mut self, follower: &Follower, ctx: &RequestContext<RoleServer>) {
        let news = follower.update();
        let steps = news.report.steps.iter().filter(|line| self.next_step <= line.step);
        let lines: Vec<String> =
            steps.map(|line| format!("step {}: {}", line.step + 1, line.in_words())).collect();
        if let Some(line) = news.report.steps.last() {
            self.next_step = self.next_step.max(line.step + 1);
        }
        let message = match lines.as_slice() {
            [] if news.line.is_empty() => "looking at the phone".to_owned(),
            [] => format!("still at work after {}", truncate(&news.line, 160)),
            lines => truncate(&lines.join("; "), 600),
        };
        if news.running {
            self.send(message, ctx).await;
        } else {
            self.due = Instant::now() + HEARTBEAT;
        }
    }

    async fn send(&mut self, message: String, ctx: &RequestContext<RoleServer>) {
        self.told += 1;
        self.last = Instant::now();
        self.due = self.last + HEARTBEAT;
        let params = ProgressNotificationParam::new(self.token.clone(), f64::from(self.told))
            .with_message(message);
        if let Err(err) = ctx.peer.notify_progress(params).await {
            tracing::debug!("progress was not delivered: {err}");
        }
    }
}
