//! `ayeaye continue`: goes on with a session from the terminal.
use anyhow::bail;
use ayeaye_agent::journal::Fact;
use ayeaye_agent::{
    Agent, AgentError, DIRECT_REQUEST, Follower, Journal, JournalError, Principal, Report,
    SessionId, StopReason, UserInput,
};
use ayeaye_phone::PhoneOptions;

use crate::bench;
use crate::cli::SessionName;
use crate::command::Exit;
use crate::command::called::ayeaye;
use crate::command::run::{RunOptions, answer, resume, to_the_end};
use crate::command::sessions::{find, is_busy};
use crate::command::{refuses_more_than_steps, wrong_usage};
use crate::config::Config;
use crate::mcp::args;
use crate::mcp::results::would_fail_again;
use crate::mcp::tool_error::ToolError;
use crate::scripted_model;
use crate::shutdown::Shutdown;
use crate::terminal::Terminal;
use crate::text::lines;
use crate::wiring::{App, ModelChoice};

/// Which session is meant.
#[derive(Debug)]
pub struct Named {
    pub id: Option<SessionName>,
    /// It has to be one of the virtual phone.
    pub virtual_phone: bool,
}

/// Goes on with a session: without a name the last one that waits or was stopped.
pub async fn go_on(
    config: &Config,
    named: Named,
    text: Option<&str>,
    options: RunOptions,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let checked = text.map(|text| args::text("TEXT", text)).transpose();
    let is_empty = text.is_some_and(|text| text.trim().is_empty());
    match &checked {
        // What is wanted instead of an empty text depends on the session.
        Err(error) if !is_empty => return Ok(wrong_usage(&error.to_string())),
        _ => {}
    }
    let app = App::new(config).await?;
    let id = named_or_last_open(&*app.journal, named.id.as_ref()).await?;
    let app = with_its_phone(config, app, id, named.virtual_phone).await?;
    if named.virtual_phone && app.virtual_phone.is_none() {
        bail!(
            "session {id} was not on a virtual phone\nhint: leave --virtual out, or name another session"
        );
    }
    if refuses_more_than_steps(&app, options) {
        return Ok(Exit::Usage);
    }
    let report = app.agent.report(id, &Principal::operator()).await?;
    let text = match checked {
        Ok(text) => text,
        Err(error) => return Ok(wrong_usage(&empty_text(&report, &error))),
    };
    ensure_model(&app, &report, text.is_some()).await?;
    print_session(&app, &report, text.is_some(), terminal);
    let signals = Shutdown::on_signals()?;
    let starting = terminal.waiting("Looking for the phone");
    let begun = Box::pin(begin(&app.agent, &report, text, options, terminal));
    let begun = signals.unless_asked(begun).await;
    drop(starting);
    let Some(follower) = begun.transpose()? else {
        terminal.item("stopped", "before it went on");
        return Ok(Exit::Failed);
    };
    if follower.has_dropped_answer() {
        terminal.item("not sent", "the question has meanwhile been answered or given up elsewhere");
    }
    let exit = to_the_end(&app, config, follower, options, terminal, &signals).await;
    app.tidy_once(config).await;
    Ok(exit?.exit)
}

/// The session of that name; without one the last that waits or was stopped.
async fn named_or_last_open(
    journal: &dyn Journal,
    name: Option<&SessionName>,
) -> anyhow::Result<SessionId> {
    if let Some(name) = name {
        return find(journal, name).await;
    }
    match last_open(journal).await.map_err(AgentError::from)? {
        Some(id) => Ok(id),
        None => bail!(
            "no session is waiting or was stopped\nhint: `ayeaye sessions list` shows all; `ayeaye continue \
             last TEXT` gives the last one its next task"
        ),
    }
}

/// What is said of an empty `TEXT`.
fn empty_text(report: &Report, error: &ToolError) -> String {
    match &report.question {
        Some(question) => {
            format!("`TEXT` is empty\nhint: say what you answer to \"{}\"", lines(&question.text))
        }
        None => error.to_string(),
    }
}

/// Fails where going on would only ask a model that is not there.
async fn ensure_model(app: &App, report: &Report, has_text: bool) -> anyhow::Result<()> {
    let id = report.session_id;
    let is_at_work = app.agent.follow(id, &Principal::operator()).await.is_some();
    if has_text && !is_at_work && !app.presence.look().await.takes_tasks() {
        bail!(
            "no model answers at {}: nothing was started, and what session {id} asks stays open\nhint: `ayeaye setup` \
             finds or adds one, `ayeaye doctor` finds out what is wrong",
            app.presence.endpoint()
        );
    }
    if !has_text && would_fail_again(report, &app.presence).await.is_some() {
        bail!(
            "the model failed in session {id}, and there is still no answer at {}: nothing was started\nhint: `ayeaye setup` finds \
             or adds one, `ayeaye doctor` finds out what is wrong",
            app.presence.endpoint()
        );
    }
    Ok(())
}

/// Shows which session goes on, and what a person may not expect of it.
fn print_session(app: &App, report: &Report, has_text: bool, terminal: Terminal) {
    let id = report.session_id;
    terminal.item("session", &id.to_string());
    terminal.item("task", &lines(&report.task));
    if !has_text && report.is_over {
        let next = format!("`{} continue {id} TEXT` gives it its next task", ayeaye());
        terminal.item("over", &format!("nothing is done now; this is how it ended; {next}"));
    } else if app.virtual_phone.is_some() {
        terminal
            .item("phone", "a new virtual phone in its initial state: each process has its own");
    }
}

/// Has the session go on. A text is its next task if it has none now, else an answer or advice.
async fn begin(
    agent: &Agent,
    report: &Report,
    text: Option<String>,
    options: RunOptions,
    terminal: Terminal,
) -> anyhow::Result<Follower> {
    let Some(text) = text else {
        return resume(agent, report.session_id, UserInput::Nothing, false, options).await;
    };
    terminal.item("you", &lines(&text));
    // What the client has done by itself is no request that advice could be for.
    let by_hand = report.question.is_none() && report.is_by_hand();
    if report.is_over || by_hand {
        resume(agent, report.session_id, UserInput::Task(text), false, options).await
    } else {
        answer(agent, report, text, options).await
    }
}

/// The session that was busy last among those that wait with a question or were stopped short.
async fn last_open(journal: &dyn Journal) -> Result<Option<SessionId>, JournalError> {
    let mut newest = None;
    for id in journal.list().await? {
        // One that cannot be read cannot be continued.
        let Ok(summary) = journal.summary(&id).await else { continue };
        let waits = summary.question.is_some();
        let no_task = [DIRECT_REQUEST, bench::REQUEST].contains(&&*summary.task);
        let open = match summary.stop_reason {
            Some(reason) => !reason.ends_round() && reason != StopReason::StillRunning,
            None => is_busy(journal, id).await.is_ok_and(|busy| busy == Some(false)),
        };
        if (waits || open && !no_task) && newest.is_none_or(|(last, _)| last < summary.last) {
            newest = Some((summary.last, id));
        }
    }
    Ok(newest.map(|(_, id)| id))
}

/// The app as it is, or for a session on the virtual phone one with such a phone, which begins anew: the
/// session's own is in another process, if that still runs.
async fn with_its_phone(
    config: &Config,
    app: App,
    id: SessionId,
    virtual_phone: bool,
) -> anyhow::Result<App> {
    let mut start = None;
    let mut each = |event: ayeaye_agent::journal::Event| {
        if let Fact::SessionStart(fact) = event.entry.fact {
            start = Some(fact);
        }
    };
    app.journal.visit_compact(&id, &mut each).await.map_err(AgentError::from)?;
    let Some(start) = start else { return Ok(app) };
    let device = start.device.device_id;
    if device != PhoneOptions::default().serial {
        return Ok(app);
    }
    // Somebody may have given that name to another phone. Where it is told that none has, no adb server is started.
    if !virtual_phone {
        let listed = app.agent.devices(&Principal::operator()).await.unwrap_or_default();
        if listed.iter().any(|(entry, _)| entry.id.as_str() == device) {
            return Ok(app);
        }
    }
    let by_stand_in = start.config.get("model").is_some_and(|name| name == scripted_model::NAME);
    let decider = if by_stand_in || !config.model_is_set() {
        ModelChoice::Scripted
    } else {
        ModelChoice::Configured
    };
    App::with_virtual_phone(config, decider).await
}
