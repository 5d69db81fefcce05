//! `ayeaye sessions list`: the newest first, one per line, or as JSON.
use std::collections::HashSet;

use ayeaye_agent::journal::Summary;
use ayeaye_agent::{
    Agent, AgentError, JournalError, Principal, SessionId, StopReason, error_chain,
};
use serde_json::{Value, json};

use crate::command::Exit;
use crate::command::sessions::is_busy;
use crate::mcp::results::waits;
use crate::terminal::{Terminal, cut};
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
    let ids: Vec<SessionId> = sessions.iter().map(|(id, _)| *id).collect();
    let names = short_names(&ids);
    for ((id, session), name) in sessions.iter().zip(&names) {
        match (session, terminal.columns().filter(|columns| *columns < WHOLE_LINE)) {
            (Err(why), _) => terminal.line(&format!("{id}  cannot be read: {}", one_line(why))),
            (Ok((summary, activity)), None) => terminal.line(&line(*id, summary, *activity)),
            (Ok((summary, activity)), Some(columns)) => {
                terminal.line(&narrow_line(name, summary, *activity, columns));
            }
        }
    }
    Ok(Exit::Done)
}

/// Most columns of a task in a line.
const TASK: usize = 60;
/// Columns of a line with a name of usual length for a phone, and a task that is cut.
const WHOLE_LINE: usize = 170;
/// Fewest characters of a shortened id: the part of it that is a time in milliseconds.
const SHORT_NAME: usize = 13;

/// The ids, as short as tells each of them from the others; commands take them so.
pub(super) fn short_names(ids: &[SessionId]) -> Vec<String> {
    let whole: Vec<String> = ids.iter().map(ToString::to_string).collect();
    let cut = |length: usize| whole.iter().map(|id| id.get(..length).unwrap_or(id)).collect();
    let longest = whole.first().map_or(0, String::len);
    let differ = |names: &Vec<&str>| names.iter().collect::<HashSet<_>>().len() == names.len();
    let names: Vec<&str> =
        (SHORT_NAME..longest).map(cut).find(differ).unwrap_or_else(|| cut(longest));
    names.into_iter().map(str::to_owned).collect()
}

/// The same for a narrow terminal: without the phone and the number of steps, which `sessions show` tells.
fn narrow_line(name: &str, summary: &Summary, activity: Activity, columns: usize) -> String {
    let state = state_in_words(summary, activity);
    let started = local_time(summary.started);
    // Without the name of the time zone.
    let started = started.rsplit_once(' ').map_or(started.as_str(), |(time, _)| time);
    let line = format!("{name}  {started}  {state:<19}  ");
    let room = columns.saturating_sub(line.len()).max(SHORT_NAME);
    format!("{line}{}", cut(&one_line(&summary.task), room))
}

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
    let task = cut(&one_line(&summary.task), TASK);
    format!(
        "{id}  {}  {:<20} {:>3} {:<5}  {:<16}  {task}",
        local_time(summary.started),
        state_in_words(summary, activity),
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

fn state_in_words(summary: &Summary, activity: Activity) -> &'static str {
    if activity == Activity::Queued { "queued" } else { in_words(reason(summary, activity)) }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_ids_are_told_apart() {
        let at = |id: &str| id.parse::<SessionId>().unwrap();
        let one = at("01a22739-0094-71da-a5df-b98634d5822c");
        let later = at("01a22739-0095-71da-a5df-b98634d5822c");
        assert_eq!(short_names(&[one, later]), ["01a22739-0094", "01a22739-0095"]);
        let same_moment = at("01a22739-0094-71da-a5df-b98634d58230");
        let names = short_names(&[one, same_moment]);
        assert_ne!(names[0], names[1]);
        assert!(one.to_string().starts_with(&names[0]));
        assert!(short_names(&[]).is_empty());
    }
}
