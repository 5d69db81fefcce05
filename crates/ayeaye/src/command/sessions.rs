//! `ayeaye sessions`: looking at what is kept.
use std::path::Path;

use anyhow::{Context as _, bail};
use ayeaye_agent::{Agent, SessionId, StopReason};

use crate::cli::{Exit, ExportFormat};
use crate::config::Config;
use crate::mcp::results::SessionList;
use crate::terminal::{Terminal, lines, one_line};

/// The newest sessions, one a line.
pub async fn list(agent: &Agent, terminal: Terminal) -> anyhow::Result<Exit> {
    let list = SessionList::read(agent, u8::MAX).await.map_err(anyhow::Error::msg)?;
    if list.sessions.is_empty() {
        terminal.line("There are no sessions yet.");
    }
    for session in list.sessions {
        terminal.line(&format!(
            "{}  {:<28} {:>3} steps  {:<20} {}",
            session.session_id,
            session.stop_reason,
            session.global_step_idx,
            one_line(&session.device_id),
            one_line(session.error.as_deref().unwrap_or(&session.task)),
        ));
    }
    Ok(Exit::Done)
}

/// One session: its request, its steps, how it stands.
pub async fn show(
    agent: &Agent,
    config: &Config,
    id: SessionId,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let report = agent.report(id).await?;
    terminal.item("session", &id.to_string());
    terminal.item("folder", &session_folder(config, id));
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
    for step in &report.steps {
        terminal.step(step);
    }
    terminal.usage(&report);
    if let Some(question) = &report.question {
        terminal.item("question", &lines(&question.text));
    }
    crate::command::run::tell_end(&report, terminal);
    Ok(Exit::Done)
}

/// Leaves an answer to the question a session waits on: a run in `manual_reply` takes it at once,
/// a stopped session when it is continued.
pub async fn answer(
    agent: &Agent,
    id: SessionId,
    text: &str,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let report = agent.report(id).await?;
    let Some(question) = report.question else {
        bail!("session {id} has no open question");
    };
    let text = crate::mcp::args::words("TEXT", text).map_err(anyhow::Error::msg)?;
    agent.journal().leave_answer(&id, &text).await?;
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

/// Removes a session and everything that belongs to it.
pub async fn remove(agent: &Agent, id: SessionId, terminal: Terminal) -> anyhow::Result<Exit> {
    agent.journal().remove(&id).await.with_context(|| format!("session {id} was not removed"))?;
    terminal.item("removed", &id.to_string());
    Ok(Exit::Done)
}

/// Where a session's record lies.
pub fn session_folder(config: &Config, id: SessionId) -> String {
    config.data_dir.join("sessions").join(id.to_string()).display().to_string()
}

/// Writes a session in a format that others read.
pub async fn export(
    agent: &Agent,
    id: SessionId,
    format: ExportFormat,
    out: &Path,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    if format != ExportFormat::Gelab {
        bail!("this format is not there yet; `--format gelab` is");
    }
    let journal = agent.journal();
    let events = journal.read(&id).await?;
    let trace = ayeaye_export::gelab(id, &events);
    let traces = out.join("traces");
    std::fs::create_dir_all(traces.join("images"))
        .with_context(|| format!("{} cannot be made", traces.display()))?;
    for (name, blob) in &trace.pictures {
        let bytes = journal.blob(&id, blob).await?;
        std::fs::write(traces.join(name), bytes)
            .with_context(|| format!("{name} cannot be written"))?;
    }
    let mut text = String::new();
    for line in &trace.lines {
        text.push_str(&line.to_string());
        text.push('\n');
    }
    let file = traces.join(format!("{id}.jsonl"));
    std::fs::write(&file, text).with_context(|| format!("{} cannot be written", file.display()))?;
    terminal.item("written", &file.display().to_string());
    Ok(Exit::Done)
}
