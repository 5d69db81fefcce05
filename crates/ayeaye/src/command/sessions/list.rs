//! `ayeaye sessions list`: the newest first, one per line, or as JSON.
use std::collections::HashSet;

use ayeaye_agent::journal::Summary;
use ayeaye_agent::{
    Agent, AgentError, Principal, Report, SessionId, SessionInBrief, StopReason, error_chain,
};
use serde_json::{Value, json};

use crate::command::Exit;
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
    let me = Principal::operator();
    let mut sessions = Vec::new();
    for (id, brief) in agent.listed(&me, None, most).await?.sessions {
        let stop_reason = brief.as_ref().map(SessionInBrief::stop_reason_of_request);
        let stop_reason = stop_reason.unwrap_or(StopReason::NotStarted);
        let session = match brief {
            Ok(SessionInBrief::Record { summary, .. }) => {
                Ok(Session { summary: *summary, stop_reason, queued: false })
            }
            Ok(SessionInBrief::Run(report)) => match agent.session_summary(id, &me).await {
                Ok(summary) => Ok(Session::of_run(summary, &report)),
                // It was removed in the meantime.
                Err(AgentError::UnknownSession(_)) => continue,
                Err(err) => Err(err),
            },
            Err(err) => Err(err),
        };
        sessions.push((id, session.map_err(|err| error_chain(&err))));
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
            (Ok(session), None) => terminal.line(&line(*id, session)),
            (Ok(session), Some(columns)) => terminal.line(&narrow_line(name, session, columns)),
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

/// A session in a line for a narrow terminal: without the phone and the number of steps, which `sessions show` tells.
fn narrow_line(name: &str, session: &Session, columns: usize) -> String {
    let (summary, state) = (&session.summary, state_in_words(session));
    let started = local_time(summary.started);
    // Without the name of the time zone.
    let started = started.rsplit_once(' ').map_or(started.as_str(), |(time, _)| time);
    let line = format!("{name}  {started}  {state:<19}  ");
    let room = columns.saturating_sub(line.len()).max(SHORT_NAME);
    format!("{line}{}", cut(&one_line(&summary.task), room))
}

/// A session in the list.
struct Session {
    summary: Summary,
    stop_reason: StopReason,
    /// Whether it waits for its turn on the phone.
    queued: bool,
}

impl Session {
    fn of_run(summary: Summary, report: &Report) -> Self {
        let place = waits(report);
        let queued = place.is_some();
        let message = place.unwrap_or(summary.message);
        Self { summary: Summary { message, ..summary }, stop_reason: report.stop_reason, queued }
    }
}

fn line(id: SessionId, session: &Session) -> String {
    let summary = &session.summary;
    let task = cut(&one_line(&summary.task), TASK);
    format!(
        "{id}  {}  {:<20} {:>3} {:<5}  {:<16}  {task}",
        local_time(summary.started),
        state_in_words(session),
        summary.steps,
        if summary.steps == 1 { "step" } else { "steps" },
        one_line(&summary.device.device_id),
    )
}

fn in_json(id: SessionId, session: &Result<Session, String>) -> Value {
    match session {
        Err(why) => json!({ "session_id": id.to_string(), "error": why }),
        Ok(Session { summary, stop_reason, .. }) => json!({
            "session_id": id.to_string(),
            "started": summary.started,
            "last": summary.last,
            "stop_reason": stop_reason.name(),
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

fn state_in_words(session: &Session) -> &'static str {
    if session.queued { "queued" } else { in_words(session.stop_reason) }
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
