//! `ayeaye sessions`: looks at, answers, exports and removes sessions.
mod list;

use std::path::Path;

use anyhow::bail;
use ayeaye_agent::journal::FileJournal;
use ayeaye_agent::{Agent, AgentError, Journal, Principal, SessionId, StopReason};
use ayeaye_export::{ExportError, FolderError, Format};

pub use self::list::list;
use crate::command::Exit;
use crate::command::report::{print_end, session_folder};
use crate::config::Config;
use crate::terminal::Terminal;
use crate::text::{lines, one_line};

/// Shows a session: its request, its steps, its state.
pub async fn show(
    agent: &Agent,
    config: &Config,
    id: SessionId,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let report = agent.report(id, &Principal::operator()).await?;
    terminal.item("session", &id.to_string());
    terminal.item("record", &session_folder(config, id));
    match ayeaye_export::session_logs(&config.data_dir, id) {
        Ok(logs) => {
            for (format, path) in logs {
                terminal.item(format.name(), &path.display().to_string());
            }
        }
        Err(err) => terminal.item("logs", &format!("cannot be looked for: {err}")),
    }
    terminal.item(
        "device",
        &format!(
            "{} ({}, Android {})",
            one_line(&report.device.device_id),
            one_line(&report.device.model),
            one_line(&report.device.android_version)
        ),
    );
    terminal.item("task", &lines(&report.task));
    if report.local_steps < report.global_steps {
        let (last, all) = (report.local_steps, report.global_steps);
        terminal.item("steps", &format!("{all}; the last run's {last}, all of them in the logs:"));
    }
    for step in &report.steps {
        terminal.step(step);
    }
    terminal.usage(&report);
    if let Some(question) = &report.question {
        terminal.item("question", &lines(&question.text));
    }
    print_end(&report, terminal);
    Ok(Exit::Done)
}

/// Stores an answer to the question that a session waits for: a run in `manual_reply` takes it at once,
/// a stopped session when it is continued.
pub async fn answer(
    agent: &Agent,
    id: SessionId,
    text: &str,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let report = agent.report(id, &Principal::operator()).await?;
    let Some(question) = report.question else {
        bail!("session {id} has no open question");
    };
    let text = crate::mcp::args::text("TEXT", text).map_err(anyhow::Error::msg)?;
    agent.journal().post_answer(&id, &text).await?;
    terminal.item("question", &lines(&question.text));
    terminal.item("answer", &lines(&text));
    let taken = if report.stop_reason == StopReason::StillRunning {
        "the run that waits for it takes it now"
    } else {
        "the next ask_agent_continue with this session_id goes on with it"
    };
    terminal.item("kept", taken);
    Ok(Exit::Done)
}

/// Removes sessions and everything that belongs to them. If one cannot be removed, the others still
/// are.
pub async fn remove(
    journal: &dyn Journal,
    ids: &[SessionId],
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    for id in ids {
        match journal.remove(id).await {
            Ok(()) => terminal.item("removed", &id.to_string()),
            Err(err) => exit = crate::command::print_error(&AgentError::from(err).into()),
        }
    }
    Ok(exit)
}

/// Exports a session in another program's format.
pub async fn export(
    files: &FileJournal,
    config: &Config,
    (id, format): (SessionId, Format),
    out: &Path,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let exported = match ayeaye_export::export(files, id, format, out, &config.logs).await {
        Ok(exported) => exported,
        Err(ExportError::Journal(err)) => return Err(AgentError::from(err).into()),
        Err(ExportError::Folder(err @ FolderError::InUse { .. })) => {
            return Err(anyhow::Error::new(err).context("name another folder with --out"));
        }
        Err(err) => {
            return Err(anyhow::Error::new(err).context(format!("session {id} as {format}")));
        }
    };
    for file in &exported.files {
        terminal.item("written", &file.display().to_string());
    }
    let Some(bad) = exported.damage else { return Ok(Exit::Done) };
    bail!(
        "session {id} is damaged at record {}: {}; what is before it was exported",
        bad.seq,
        bad.what
    );
}
