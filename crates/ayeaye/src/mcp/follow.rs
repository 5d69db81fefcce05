//! Following a run from a tool call: a wait budget, progress, and what a cancelled call means.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{Agent, Follower, Report, StopReason};
use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::RequestContext;
use tokio::time::{Instant, sleep_until};

use super::refusals::Refusal;
use super::results::cut;
use crate::http::principal;

/// A client that was promised progress hears something at least this often.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// Not more often than this: a client that reads slowly holds up its whole session.
const LEAST_PAUSE: Duration = Duration::from_secs(1);

/// Waits for the end of the run, at most `wait`. What is returned then says `STILL_RUNNING`, and the
/// run goes on. A cancelled call stops the run.
pub async fn follow(
    agent: &Agent,
    mut follower: Follower,
    wait: Duration,
    ctx: &RequestContext<RoleServer>,
) -> Result<Arc<Report>, Refusal> {
    let deadline = Instant::now() + wait;
    let mut progress = ctx.meta.get_progress_token().map(Progress::new);
    while follower.running() {
        let next_word = progress.as_ref().map_or(deadline, |it| it.due.min(deadline));
        tokio::select! {
            biased;
            () = ctx.ct.cancelled() => {
                follower.stop(StopReason::Cancelled);
                follower.end().await;
                break;
            }
            more = follower.changed() => {
                if !more {
                    break;
                }
                if let Some(progress) = &mut progress {
                    progress.heard();
                }
            }
            () = sleep_until(next_word) => match &mut progress {
                Some(progress) if progress.due <= Instant::now() => progress.tell(&follower, ctx).await,
                _ => break,
            }
        }
    }
    if follower.broke_off() {
        // Without a last word: the record knows best.
        return Ok(Arc::new(agent.report(follower.report().session_id, &principal(ctx)).await?));
    }
    Ok(follower.report())
}

struct Progress {
    token: ProgressToken,
    told: u32,
    /// Steps that were told already: none is left out when several come within one pause.
    steps: usize,
    last: Instant,
    due: Instant,
}

impl Progress {
    fn new(token: ProgressToken) -> Self {
        let now = Instant::now();
        Self { token, told: 0, steps: 0, last: now, due: now + HEARTBEAT }
    }

    /// There is something new to tell, as soon as the pause allows.
    fn heard(&mut self) {
        self.due = self.due.min((self.last + LEAST_PAUSE).max(Instant::now()));
    }

    async fn tell(&mut self, follower: &Follower, ctx: &RequestContext<RoleServer>) {
        self.told += 1;
        self.last = Instant::now();
        self.due = self.last + HEARTBEAT;
        let news = follower.news();
        if !news.running {
            return;
        }
        let steps = &news.report.steps;
        let lines: Vec<String> = steps
            .iter()
            .skip(self.steps)
            .map(|line| format!("step {}: {}", line.step + 1, line.in_words()))
            .collect();
        self.steps = steps.len();
        let message = match lines.as_slice() {
            [] if news.line.is_empty() => "looking at the phone".to_owned(),
            [] => format!("still at work after {}", cut(&news.line, 160)),
            lines => cut(&lines.join("; "), 600),
        };
        let params = ProgressNotificationParam::new(self.token.clone(), f64::from(self.told))
            .with_message(message);
        if let Err(err) = ctx.peer.notify_progress(params).await {
            tracing::debug!("progress was not delivered: {err}");
        }
    }
}
