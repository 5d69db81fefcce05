//! A tool call that waits for a run: how long, with which progress notifications, and what its
//! cancellation means.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{
    Agent, AgentError, DeviceId, Follower, Report, SessionId, StopReason, error_chain,
};
use futures::FutureExt as _;
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;

use super::results;
use super::tool_error::ToolError;
use crate::principal;
use crate::text::truncate;

/// A client that asked for progress gets some at least this often.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// And not more often than this, each new step by itself, because a client that reads slowly blocks its whole session.
const MIN_INTERVAL: Duration = Duration::from_secs(1);
/// Most steps that are told at once, each in a notification of its own.
const MOST_LINES: usize = 16;
/// How long the end of a run that takes no more words is waited for at least: most come sooner.
const A_MOMENT: Duration = Duration::from_secs(2);
/// How long a run may take to begin at least, whatever the call waits: its session is worth more than a punctual answer.
const TO_BEGIN: Duration = Duration::from_secs(10);
/// What is new is told so long after it at the earliest, since a result that comes of it tells it too. Clients that read
/// both at once, as those of the TypeScript SDK may, have done with the call when they get to what was told before.
const BEFORE_RESULT: Duration = Duration::from_millis(200);

/// The wait of one call, which may follow several runs: each answer to a question starts another.
pub(super) struct RunWait<'a> {
    agent: &'a Agent,
    ctx: &'a RequestContext<RoleServer>,
    limit: Duration,
    deadline: Instant,
    progress: Option<Progress>,
    /// Cancelled with the call while nothing has begun. Not with what is done for a call that is over.
    withdrawn: CancellationToken,
}

/// The thing whose beginning is waited for.
pub(super) enum Beginning<'a> {
    /// A new session on this phone.
    Task(&'a DeviceId),
    /// Another run of this session, after a call with this number.
    Session(SessionId, Option<i64>),
}

/// The outcome of waiting for something other than a run.
pub(super) enum WaitOutcome<T> {
    /// It happened.
    Done(T),
    /// The call was cancelled, or the server is shutting down.
    Cancelled,
    /// The limit was reached.
    TimedOut,
}

impl<'a> RunWait<'a> {
    /// A wait of at most `limit` from now on.
    pub(super) fn new(
        agent: &'a Agent,
        ctx: &'a RequestContext<RoleServer>,
        limit: Duration,
    ) -> Self {
        let progress = ctx.meta.get_progress_token().map(Progress::new);
        let (deadline, withdrawn) = (Instant::now() + limit, CancellationToken::new());
        Self { agent, ctx, limit, deadline, progress, withdrawn }
    }

    /// A token that is cancelled with the call, as long as no run has begun: then none may begin any more.
    pub(super) fn withdrawn(&self) -> CancellationToken {
        self.withdrawn.clone()
    }

    /// Completes when the call is cancelled or its time is used up, but gives at least a moment: most runs that are
    /// ending end within it.
    pub(super) fn given_up(&self) -> impl Future<Output = ()> + Send + use<> {
        let (cancelled, until) =
            (self.ctx.ct.clone(), self.deadline.max(Instant::now() + A_MOMENT));
        async move {
            tokio::select! {
                () = cancelled.cancelled() => {}
                () = sleep_until(until) => {}
            }
        }
    }

    /// The request of the waiting call.
    pub(super) fn request(&self) -> &'a RequestContext<RoleServer> {
        self.ctx
    }

    /// The time limit of the wait.
    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    /// The time left.
    pub(super) fn remaining(&self) -> Duration {
        self.deadline.saturating_duration_since(Instant::now())
    }

    /// Extends the wait.
    pub(super) fn extend(&mut self, by: Duration) {
        self.deadline += by;
    }

    /// Waits until a run begins: its phone may be busy with an act outside of any session, or answer slowly. If the
    /// wait is over first, the run still begins as soon as it can. If the call is cancelled first, the run never
    /// begins: a client that repeats the call must not meet a run that is about to be stopped.
    pub(super) async fn until_begun(
        &mut self,
        what: &Beginning<'_>,
        mut starting: JoinHandle<Result<Follower, AgentError>>,
    ) -> Result<Follower, ToolError> {
        let deadline = self.deadline.max(Instant::now() + TO_BEGIN);
        loop {
            let wake = self.progress.as_ref().map_or(deadline, |it| it.due.min(deadline));
            tokio::select! {
                biased;
                begun = &mut starting => return match begun {
                    Ok(begun) => Ok(begun?),
                    Err(failed) => match failed.try_into_panic() {
                        // As if it had not been a task of its own.
                        Ok(panic) => std::panic::resume_unwind(panic),
                        Err(_) => Err(AgentError::ShuttingDown.into()),
                    },
                },
                () = self.ctx.ct.cancelled() => {
                    self.withdrawn.cancel();
                    tokio::spawn(async move {
                        // It began just before, or had begun already.
                        if let Ok(Ok(follower)) = starting.await {
                            follower.stop(StopReason::Cancelled);
                        }
                    }.boxed());
                    return Err(ToolError::call_cancelled());
                }
                () = sleep_until(wake) => match &mut self.progress {
                    Some(progress) if progress.due <= Instant::now() => {
                        let message = match what {
                            Beginning::Task(device) => format!("waiting for {device} to be free"),
                            Beginning::Session(..) => "waiting for its phone to be free".to_owned(),
                        };
                        progress.send(message, (self.agent, self.ctx)).await;
                    }
                    _ if deadline <= Instant::now() => {
                        tokio::spawn(log_if_refused(starting).boxed());
                        return Err(match what {
                            Beginning::Task(device) => ToolError::not_begun(device),
                            Beginning::Session(id, number) => ToolError::not_gone_on(*id, *number),
                        });
                    }
                    _ => {}
                }
            }
        }
    }

    /// Waits until the run stops. If the wait is over first, or this server shuts down while another one has the run,
    /// the report says `STILL_RUNNING` and the run goes on. Cancelling the call stops the run.
    pub(super) async fn until_stopped(
        &mut self,
        mut follower: Follower,
    ) -> Result<Arc<Report>, ToolError> {
        while follower.running() {
            let wake = self.progress.as_ref().map_or(self.deadline, |it| it.due.min(self.deadline));
            tokio::select! {
                biased;
                // Who ends is this server, and with it every call: that is no word to stop what another one runs.
                () = self.agent.closing(), if follower.is_elsewhere() => break,
                () = self.ctx.ct.cancelled() => {
                    follower.stop(StopReason::Cancelled);
                    tokio::select! {
                        () = self.agent.closing(), if follower.is_elsewhere() => {}
                        () = follower.stopped() => {}
                    }
                    break;
                }
                more = follower.changed() => {
                    if !more {
                        break;
                    }
                    if let Some(progress) = &mut self.progress {
                        progress.schedule();
                    }
                }
                () = sleep_until(wake) => match &mut self.progress {
                    Some(progress) if progress.due <= Instant::now() => {
                        progress.send_steps(&follower, (self.agent, self.ctx)).await;
                    }
                    _ => break,
                }
            }
        }
        if follower.ended_abruptly() {
            // The run ended without a report of its own: the journal has what it recorded.
            let session = follower.report().session_id;
            return Ok(Arc::new(self.agent.report(session, &principal::of(self.ctx)).await?));
        }
        Ok(follower.report())
    }

    /// Waits for something else, at most `limit`, and sends `message` as progress from time to time.
    pub(super) async fn wait_for<T>(
        &mut self,
        message: &str,
        limit: Duration,
        waiting: impl Future<Output = T>,
    ) -> WaitOutcome<T> {
        let deadline = Instant::now() + limit;
        tokio::pin!(waiting);
        loop {
            let wake = self.progress.as_ref().map_or(deadline, |it| it.due.min(deadline));
            tokio::select! {
                biased;
                () = self.ctx.ct.cancelled() => return WaitOutcome::Cancelled,
                // The question stays in the journal, for the next server.
                () = self.agent.closing() => return WaitOutcome::Cancelled,
                done = &mut waiting => return WaitOutcome::Done(done),
                () = sleep_until(wake) => match &mut self.progress {
                    Some(progress) if progress.due <= Instant::now() => {
                        progress.send(message.to_owned(), (self.agent, self.ctx)).await;
                    }
                    _ if deadline <= Instant::now() => return WaitOutcome::TimedOut,
                    _ => {}
                }
            }
        }
    }
}

/// Tells whoever reads the log how something failed to begin that no call waits for any more.
async fn log_if_refused(starting: JoinHandle<Result<Follower, AgentError>>) {
    if let Ok(Err(err)) = starting.await {
        let why = error_chain(&err);
        tracing::warn!("what a call had asked for, and did not wait for, has not begun: {why}");
    }
}

/// Whose runs a call waits for, and the call.
type CallOfClient<'a> = (&'a Agent, &'a RequestContext<RoleServer>);

/// Progress notifications of one call.
struct Progress {
    token: ProgressToken,
    sent: u32,
    /// The first step not reported yet: when several come within one interval, none is left out.
    next_step: u32,
    last: Instant,
    /// Since when there is something new that was not told.
    news: Option<Instant>,
    due: Instant,
}

impl Progress {
    fn new(token: ProgressToken) -> Self {
        let now = Instant::now();
        Self { token, sent: 0, next_step: 0, last: now, news: None, due: now + HEARTBEAT }
    }

    /// Something has changed: report it as soon as the interval allows, if the run is not about to end with it.
    fn schedule(&mut self) {
        let now = Instant::now();
        let soon = (self.last + MIN_INTERVAL).max(now + BEFORE_RESULT);
        // Steps may follow each other faster than that: nothing new waits for longer than an interval.
        let latest = *self.news.get_or_insert(now) + MIN_INTERVAL;
        self.due = soon.min(latest.max(self.last + MIN_INTERVAL));
    }

    async fn send_steps(&mut self, follower: &Follower, call: CallOfClient<'_>) {
        let update = follower.update();
        if !update.running {
            self.due = Instant::now() + HEARTBEAT;
            return;
        }
        let steps = update.report.steps.iter().filter(|step| self.next_step <= step.step);
        let lines: Vec<String> =
            steps.map(|step| format!("step {}: {}", step.step + 1, step.in_words())).collect();
        if let Some(step) = update.report.steps.last() {
            self.next_step = self.next_step.max(step.step + 1);
        }
        if lines.is_empty() {
            let message = if update.line.is_empty() {
                results::AT_WORK.to_owned()
            } else if update.report.message.is_empty() {
                format!("still working after {}", truncate(&update.line, 160))
            } else {
                // It waits for its phone.
                truncate(&update.report.message, 160)
            };
            return self.send(message, call).await;
        }
        // A call that follows a long run is told what was before in one.
        let before = lines.len().saturating_sub(MOST_LINES);
        let (earlier, lines) = lines.split_at(before);
        if !earlier.is_empty() {
            self.send(truncate(&earlier.join("; "), 600), call).await;
        }
        for line in lines {
            self.send(truncate(line, 600), call).await;
        }
    }

    /// A client that does not read, or that has gone, keeps neither the end of its call nor that of the server from
    /// being seen.
    async fn send(&mut self, message: String, (agent, ctx): CallOfClient<'_>) {
        self.sent += 1;
        self.last = Instant::now();
        self.news = None;
        self.due = self.last + HEARTBEAT;
        let params = ProgressNotificationParam::new(self.token.clone(), f64::from(self.sent))
            .with_message(message);
        tokio::select! {
            biased;
            () = ctx.ct.cancelled() => {}
            () = agent.closing() => {}
            sent = ctx.peer.notify_progress(params) => if let Err(err) = sent {
                tracing::debug!("progress was not delivered: {err}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::NumberOrString;
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn steps_are_told_each_interval_however_quickly_they_come() {
        let mut progress = Progress::new(ProgressToken(NumberOrString::Number(1)));
        let begun = Instant::now();
        for _ in 0..10 {
            progress.schedule();
            advance(BEFORE_RESULT / 2).await;
        }
        assert_eq!(progress.due, begun + MIN_INTERVAL);
    }
}
