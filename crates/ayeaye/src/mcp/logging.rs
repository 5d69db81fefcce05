//! MCP log messages: the steps of the run that a call follows, for clients that asked for them.
//!
//! Up to 2025-11-25 a client asks with `logging/setLevel`. From 2026-07-28 on each request names a
//! level, and one without a level gets no messages. The messages are made from the session's record,
//! which holds no secrets.
#![expect(deprecated, reason = "clients of the older protocols may still ask for it")]
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use ayeaye_agent::{Follower, RunUpdate, StopReason};
use futures::future::pending;
use rmcp::RoleServer;
use rmcp::model::{InitializeRequestParams, LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::RequestContext;
use serde_json::json;

use super::client_support::is_modern;
use crate::text::truncate;

/// How long the answer of a call waits for its last messages.
const FLUSH_LIMIT: Duration = Duration::from_millis(500);

/// The log levels that clients of the older protocols have set, by handshake.
#[derive(Debug, Clone, Default)]
pub struct Levels {
    inner: Arc<Mutex<Vec<AskedLevel>>>,
}

type AskedLevel = (Weak<InitializeRequestParams>, LoggingLevel);

impl Levels {
    /// Answers `logging/setLevel`.
    pub fn set(&self, level: LoggingLevel, ctx: &RequestContext<RoleServer>) {
        let Some(handshake) = ctx.peer.peer_info() else { return };
        let mut levels = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        levels.retain(|(known, _)| {
            0 < known.strong_count() && known.as_ptr() != Arc::as_ptr(&handshake)
        });
        levels.push((Arc::downgrade(&handshake), level));
    }

    /// Notes that a connection's handshake, once `before`, is another one now. Its level stays, as its subscriptions do.
    pub fn follow_handshake(
        &self,
        before: &InitializeRequestParams,
        now: &Arc<InitializeRequestParams>,
    ) {
        let mut levels = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        for (known, _) in &mut *levels {
            if std::ptr::eq(known.as_ptr(), before) {
                *known = Arc::downgrade(now);
            }
        }
    }

    /// The level of this request; `None` unless the client asked for messages.
    pub fn of(&self, ctx: &RequestContext<RoleServer>) -> Option<LoggingLevel> {
        if is_modern(ctx) {
            return ctx.meta.log_level();
        }
        let handshake = ctx.peer.peer_info()?;
        let levels = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let known = |(known, _): &&AskedLevel| known.as_ptr() == Arc::as_ptr(&handshake);
        levels.iter().find(known).map(|(_, level)| *level)
    }
}

/// Runs the call, and meanwhile sends the steps of its run to the client as log messages, and its end unless the result
/// already tells it. A client that does not read them delays nothing.
pub async fn with_run_messages<T>(
    level: Option<LoggingLevel>,
    follower: Follower,
    end_is_told: bool,
    ctx: &RequestContext<RoleServer>,
    call: impl Future<Output = T>,
) -> T {
    let Some(level) = level else { return call.await };
    let last_sent = follower.report().steps.last().map(|line| line.step);
    let mut messages = RunMessages { level, follower, last_sent, ended: end_is_told };
    let result = tokio::select! {
        biased;
        result = call => result,
        () = messages.send_updates(ctx) => pending().await,
    };
    // The last messages are sent before the result.
    if tokio::time::timeout(FLUSH_LIMIT, messages.send(ctx)).await.is_err() {
        tracing::debug!("a client does not read its log messages");
    }
    result
}

struct RunMessages {
    level: LoggingLevel,
    follower: Follower,
    /// The last step that was sent.
    last_sent: Option<u32>,
    ended: bool,
}

impl RunMessages {
    /// Sends messages for as long as it is polled.
    async fn send_updates(&mut self, ctx: &RequestContext<RoleServer>) {
        while self.follower.changed().await {
            self.send(ctx).await;
        }
        pending::<()>().await;
    }

    async fn send(&mut self, ctx: &RequestContext<RoleServer>) {
        let RunUpdate { report, running, .. } = self.follower.update();
        let before = self.last_sent;
        for line in report.steps.iter().filter(|line| before < Some(line.step)) {
            // Before the send: if this future is dropped and made again, the step must not be sent twice.
            self.last_sent = Some(line.step);
            let level = match line.error {
                None => LoggingLevel::Info,
                Some(_) => LoggingLevel::Warning,
            };
            let text = truncate(&line.describe(), 300);
            let data = json!({ "session_id": report.session_id.to_string(), "step": line.step, "text": text });
            send(self.level, level, data, ctx).await;
        }
        if !running && !self.ended {
            self.ended = true;
            let data = json!({
                "session_id": report.session_id.to_string(),
                "stop_reason": report.stop_reason.name(),
                "text": truncate(&report.message, 300),
            });
            send(self.level, severity(report.stop_reason), data, ctx).await;
        }
    }
}

async fn send(
    asked: LoggingLevel,
    level: LoggingLevel,
    data: serde_json::Value,
    ctx: &RequestContext<RoleServer>,
) {
    // The levels are declared in ascending order of severity.
    if (level as u8) < asked as u8 {
        return;
    }
    let message = LoggingMessageNotificationParam::new(level, data).with_logger("ayeaye.run");
    if let Err(err) = ctx.peer.notify_logging_message(message).await {
        tracing::debug!("a log message was not delivered: {err}");
    }
}

/// The severity of a stop reason.
fn severity(reason: StopReason) -> LoggingLevel {
    match reason {
        StopReason::TaskCompletedSuccessfully
        | StopReason::InfoActionNeedsReply
        | StopReason::StillRunning
        | StopReason::MaxStepsReached
        | StopReason::UserPaused
        | StopReason::Cancelled => LoggingLevel::Info,
        StopReason::TaskAbortedByAgent
        | StopReason::ManualStopScreenOff
        | StopReason::NotStarted
        | StopReason::DeviceLost
        | StopReason::ModelFailed
        | StopReason::BudgetReached
        | StopReason::NoProgress
        | StopReason::ServerRestarted => LoggingLevel::Warning,
        StopReason::StorageFailed => LoggingLevel::Error,
    }
}
