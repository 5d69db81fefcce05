//! `ayeaye sessions list`: the newest first, one per line, or as JSON.
use ayeaye_agent::journal::Summary;
use ayeaye_agent::{
    Agent, AgentError, JournalError, Principal, SessionId, StopReason, error_chain,
};
use serde_json::{Value, json};

use crate::command::Exit;
use crate::command::sessions::is_busy;
use crate::mcp::results::waits;
use crate::terminal::Terminal;
use crate::text::{local_time, one_line};

/// Lists every session. One that cannot be read is in the list, with the reason.
pub async fn list(
    agent: &Agent,
    limit: Option<u32>,
    as_json: bool,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let most = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let journal = agent.journal();
    let mut sessions = Vec::new();
    for id in journal.list().await.map_err(AgentError::from)? {
        if sessions.len() == most {
            break;
        }
        match journal.summary(&id).await {
            // It was removed in the meantime.
            Err(JournalError::Unknown(_)) => {}
            Ok(mut summary) => {
                let busy = match summary.stop_reason {
                    Some(_) => Some(false),
                    None => match is_busy(&**journal, id).await {
                        Ok(busy) => busy,
                        Err(err) => {
                            sessions.push((id, Err(error_chain(&AgentError::from(err)))));
                            continue;
                        }
                    },
                };
                let Some(running) = busy else { continue };
                let report = if running {
                    agent.report(id, &Principal::operator()).await.ok()
                } else {
                    None
                };
                let place = report.and_then(|report| waits(&report));
                let activity = match (running, &place) {
                    (false, _) => Activity::Idle,
                    (true, None) => Activity::Running,
                    (true, Some(_)) => Activity::Queued,
                };
                summary.message = place.unwrap_or(summary.message);
                sessions.push((id, Ok((summary, activity))));
            }
            Err(err) => sessions.push((id, Err(error_chain(&AgentError::from(err))))),
        }
    }
    if as_json {
        let sessions: Vec<Value> = sessions.iter().map(|(id, it)| in_json(*id, it)).collect();
        terminal.json(&sessions);
        return Ok(Exit::Done);
    }
    if sessions.is_empty() {
        terminal.line("There are no sessions yet.");
    }
    for (id, session) in &sessions {
        terminal.line(&match session {
            Ok((summary, activity)) => line(*id, summary, *activity),
            Err(why) => format!("{id}  cannot be read: {}", one_line(why)),
        });
    }
    Ok(Exit::Done)
}

/// Most characters of a task in a line.
const TASK: usize = 60;

/// Whether some process is busy with a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Activity {
    Idle,
    /// It waits for its turn on the phone.
    Queued,
    Running,
}

type Session = Result<(Summary, Activity), String>;

fn line(id: SessionId, summary: &Summary, activity: Activity) -> String {
    let whole = one_line(&summary.task);
    let mut task: String = whole.chars().take(TASK).collect();
    if task.len() < whole.len() {
        task.pop();
        task.push('…');
    }
    format!(
        "{id}  {}  {:<20} {:>3} {:<5}  {:<16}  {task}",
        local_time(summary.started),
        if activity == Activity::Queued { "queued" } else { in_words(reason(summary, activity)) },
        summary.steps,
        if summary.steps == 1 { "step" } else { "steps" },
        one_line(&summary.device.device_id),
    )
}

fn in_json(id: SessionId, session: &Session) -> Value {
    match session {
        Err(why) => json!({ "session_id": id.to_string(), "error": why }),
        Ok((summary, activity)) => json!({
            "session_id": id.to_string(),
            "started": summary.started,
            "last": summary.last,
            "stop_reason": reason(summary, *activity).name(),
            "message": summary.message,
            "question": summary.question,
            "task": summary.task,
            "task_name": summary.task_name,
            "device_id": summary.device.device_id,
            "model": summary.device.model,
            "rounds": summary.rounds,
            "steps": summary.steps,
            "tokens": summary.tokens,
            "cost_usd": summary.cost_usd,
            "cost_known": summary.cost_known,
            "bytes": summary.bytes,
        }),
    }
}

/// The state of a session. A run without an end that no process drives ended with its server, or with room for its
/// record.
fn reason(summary: &Summary, activity: Activity) -> StopReason {
    match summary.stop_reason {
        Some(reason) => reason,
        None if activity == Activity::Idle => StopReason::ServerRestarted,
        None => StopReason::StillRunning,
    }
}

fn in_words(reason: StopReason) -> &'static str {
    match reason {
        StopReason::TaskCompletedSuccessfully => "done",
        StopReason::TaskAbortedByAgent => "given up",
        StopReason::InfoActionNeedsReply => "waits for an answer",
        StopReason::MaxStepsReached => "out of steps",
        StopReason::ManualStopScreenOff => "screen turned off",
        StopReason::NotStarted => "not started",
        StopReason::UserPaused => "paused",
        StopReason::Cancelled => "cancelled",
        StopReason::StillRunning => "running",
        StopReason::DeviceLost => "phone lost",
        StopReason::ModelFailed => "model failed",
        StopReason::BudgetReached => "budget spent",
        StopReason::NoProgress => "no progress",
        StopReason::ServerRestarted => "broken off",
        StopReason::StorageFailed => "disk failed",
    }
}
