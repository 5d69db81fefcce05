//! `ayeaye sessions`: looks at, answers, exports and removes sessions.
mod list;
mod requests;
mod room;

use std::path::Path;

use anyhow::{Context as _, bail};
use ayeaye_agent::coordinator::FileCoordinator;
use ayeaye_agent::journal::{BlobRef, FileJournal, Summary};
use ayeaye_agent::{
    Agent, AgentError, Journal, JournalError, Principal, Question, Report, SessionId, StepSummary,
    StopReason, error_chain,
};
use ayeaye_export::{ExportError, FolderError, Format};
use jiff::Timestamp;

pub use self::list::list;
use self::requests::{Request, Said};
pub use self::room::room;
use crate::cli::SessionName;
use crate::command::Exit;
use crate::command::called::ayeaye;
use crate::command::report::{RunJson, print_end, print_way_on, session_folder};
use crate::config::Config;
use crate::terminal::Terminal;
use crate::text::{count, excerpt, lines, local_time, one_line};

/// How many sessions an error names.
const NAMED_IN_ERROR: usize = 5;
/// Characters of the task of a session that was removed.
const REMOVED_TASK: usize = 60;

/// The session of that name.
pub async fn find(journal: &dyn Journal, name: &SessionName) -> anyhow::Result<SessionId> {
    let prefix = match name {
        SessionName::Id(id) => return Ok(*id),
        SessionName::Last => "",
        SessionName::Prefix(prefix) => prefix,
    };
    let all = journal.list().await.map_err(AgentError::from)?;
    let found: Vec<SessionId> =
        all.into_iter().filter(|id| id.to_string().starts_with(prefix)).collect();
    match (name, &found[..]) {
        (SessionName::Last, [last, ..]) | (_, [last]) => Ok(*last),
        (SessionName::Last, []) => bail!("there are no sessions yet"),
        (_, []) => bail!(
            "no session begins with {prefix}\nhint: `ayeaye sessions list` shows all sessions"
        ),
        (_, several) => {
            let shown = several.iter().take(NAMED_IN_ERROR).map(|id| format!("\n  {id}"));
            let rest = several.len().saturating_sub(NAMED_IN_ERROR);
            let rest = if rest == 0 { String::new() } else { format!("\n  and {rest} more") };
            bail!(
                "{} sessions begin with {prefix}; give more of the id:{}{rest}",
                several.len(),
                shown.collect::<String>()
            )
        }
    }
}

/// Whether some process is busy with a session; `None` if it was removed in the meantime.
pub(super) async fn is_busy(
    journal: &dyn Journal,
    id: SessionId,
) -> Result<Option<bool>, JournalError> {
    match journal.is_locked(&id).await {
        Err(JournalError::Unknown(_)) => Ok(None),
        found => found.map(Some),
    }
}

/// Shows a session: its request, its steps, its state.
pub async fn show(
    agent: &Agent,
    journal: &dyn Journal,
    config: &Config,
    id: SessionId,
    as_json: bool,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let me = Principal::operator();
    let mut report = agent.report(id, &me).await?;
    report.steps = agent.steps(id, &me).await?;
    let summary = agent.session_summary(id, &me).await?;
    let (requests, said) = requests::of(journal, id).await?;
    let shown = Shown { report, summary, requests, said };
    if as_json {
        terminal.json(&shown.in_json(config)?);
        return Ok(Exit::Done);
    }
    shown.print(config, terminal);
    let report = &shown.report;
    print_end(report, terminal);
    let left = agent.left_answers(id, &me).await?;
    for text in &left {
        terminal.item("answer", &shown_answer(report.question.as_ref(), text));
    }
    if left.is_empty() || report.stop_reason != StopReason::InfoActionNeedsReply {
        print_way_on(report, terminal);
    } else {
        let ayeaye = ayeaye();
        let go_on = format!("{ayeaye} continue {id}   (uses the answer that is waiting)");
        terminal.item("go on", &go_on);
    }
    Ok(Exit::Done)
}

/// What is shown of a session.
struct Shown {
    /// With the steps of all runs.
    report: Report,
    summary: Summary,
    requests: Vec<Request>,
    said: Vec<Said>,
}

impl Shown {
    fn in_json(&self, config: &Config) -> anyhow::Result<serde_json::Value> {
        let Self { report, summary, requests, said } = self;
        let mut json = serde_json::to_value(RunJson::new(report, config))?;
        let facts = json.as_object_mut().context("a struct is an object")?;
        for (key, value) in [
            ("started", serde_json::to_value(summary.started)?),
            ("last", serde_json::to_value(summary.last)?),
            ("rounds", summary.rounds.into()),
            ("requests", requests.iter().map(Request::in_json).collect()),
            ("said", said.iter().map(Said::in_json).collect()),
            ("bytes", summary.bytes.into()),
        ] {
            facts.insert(key.to_owned(), value);
        }
        Ok(json)
    }

    /// Prints all but how it ended.
    fn print(&self, config: &Config, terminal: Terminal) {
        let Self { report, summary, .. } = self;
        let id = report.session_id;
        terminal.item("session", &id.to_string());
        terminal.item("when", &span(summary.started, summary.last));
        terminal.item("record", &session_folder(config, id).display().to_string());
        print_logs(config, id, terminal);
        let device = &report.device;
        terminal.item(
            "device",
            &format!(
                "{} ({}, Android {})",
                one_line(&device.device_id),
                one_line(&device.model),
                one_line(&device.android_version)
            ),
        );
        self.print_requests(terminal);
        let (last_run, all) = (report.local_steps, report.global_steps);
        if last_run < all {
            terminal.item("steps", &format!("{all}; the last run's {last_run} took:"));
        }
        terminal.usage(report);
        match &report.question {
            Some(question) if report.stop_reason != StopReason::InfoActionNeedsReply => {
                terminal.item("question", &lines(&question.text));
            }
            _ => {}
        }
    }

    /// Prints each request with its steps.
    fn print_requests(&self, terminal: Terminal) {
        let Self { report, requests, said, .. } = self;
        if let [] | [_] = &requests[..] {
            terminal.item("task", &lines(&report.task));
            show_steps(&report.steps, &report.steps, said, terminal);
            return;
        }
        for (number, (request, steps)) in (1..).zip(requests::with_steps(requests, &report.steps)) {
            terminal.item(&format!("request {number}"), &request.title());
            show_steps(steps, &report.steps, said, terminal);
        }
    }
}

fn print_logs(config: &Config, id: SessionId, terminal: Terminal) {
    match ayeaye_export::session_logs(&config.data_dir, id) {
        Ok(logs) => {
            for (format, path) in logs {
                terminal.item(format.name(), &path.display().to_string());
            }
        }
        Err(err) => terminal.item("logs", &format!("cannot be searched for: {err}")),
    }
}

/// Writes these steps of all of a session, and behind each what was said then.
fn show_steps(steps: &[StepSummary], all: &[StepSummary], said: &[Said], terminal: Terminal) {
    let show = |step| {
        requests::said_after(said, all, step).for_each(|it| terminal.below_step(&it.line()));
    };
    if steps.first() == all.first() {
        show(None);
    }
    for step in steps {
        terminal.step_in_words(step);
        show(Some(step.step));
    }
}

/// From when to when a session took.
fn span(started: Timestamp, last: Timestamp) -> String {
    let put_back = if last < started { " (the clock was put back meanwhile)" } else { "" };
    format!("{} to {}{put_back}", local_time(started), local_time(last))
}

/// An answer as it may stand on a screen.
fn shown_answer(question: Option<&Question>, text: &str) -> String {
    if question.is_some_and(Question::asks_for_secret) {
        "\u{2022}\u{2022}\u{2022}\u{2022}   (not shown: it was asked for as a secret)".to_owned()
    } else {
        lines(text)
    }
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
        bail!(
            "session {id} has no open question\nhint: `ayeaye continue {id} TEXT` advises it, or gives it its next task"
        );
    };
    let text = crate::mcp::args::text("TEXT", text).map_err(anyhow::Error::msg)?;
    let text = question.chosen(text).map_err(AgentError::from)?;
    let me = Principal::operator();
    let replaced = agent.post_answer(id, report.asked_at_step, text.clone(), &me).await?;
    terminal.item("question", &lines(&question.text));
    terminal.item("answer", &shown_answer(Some(&question), &text));
    let taken = if report.stop_reason == StopReason::StillRunning {
        "the run that is waiting for it takes it now".to_owned()
    } else {
        format!(
            "`{} continue {id}`, or the client that asked, continues with it; what is answered in a form that a client \
             still shows counts instead",
            ayeaye()
        )
    };
    terminal.item(if replaced { "replaced" } else { "kept" }, &taken);
    Ok(Exit::Done)
}

/// Removes sessions and everything that belongs to them. If one cannot be removed, the others still
/// are.
pub async fn remove(
    journal: &dyn Journal,
    coordinator: &FileCoordinator,
    names: &[SessionName],
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let mut exit = Exit::Done;
    // All are looked up before any is removed: afterwards `last` and a prefix may mean another one.
    let mut found = Vec::new();
    for name in names {
        match find(journal, name).await {
            Ok(id) if found.iter().any(|(known, _)| *known == id) => {}
            // Whoever does not say which, and meant another one, is to see it.
            Ok(id) if !matches!(name, SessionName::Id(_)) => {
                let task = journal.summary(&id).await.ok().map(|it| one_line(&it.task));
                found.push((id, task));
            }
            Ok(id) => found.push((id, None)),
            Err(err) => exit = crate::command::print_error(&err),
        }
    }
    for (id, task) in &found {
        match journal.remove(id).await {
            Ok(()) => {
                let task = task.as_ref().map(|it| format!("   {}", excerpt(it, REMOVED_TASK)));
                terminal.item("removed", &format!("{id}{}", task.unwrap_or_default()));
                // On a full disk, for one: the session is gone, and so is its id with the next run of any.
                if let Err(err) = coordinator.forget(*id).await {
                    tracing::warn!(session = %id, "its id stays for now: {}", error_chain(&err));
                }
            }
            Err(err) => exit = crate::command::print_error(&AgentError::from(err).into()),
        }
    }
    Ok(exit)
}

/// Exports a session in another program's format.
pub async fn export(
    files: &FileJournal,
    config: &Config,
    id: SessionId,
    format: Format,
    out: &Path,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let exported = match ayeaye_export::export(files, id, format, out, &config.logs).await {
        Ok(exported) => exported,
        Err(ExportError::Journal(err)) => return Err(AgentError::from(err).into()),
        Err(ExportError::Folder(err @ FolderError::InUse { .. })) => {
            return Err(anyhow::Error::new(err).context("name another folder with --out"));
        }
        Err(err @ ExportError::Nothing { .. }) => {
            bail!("{err}\nhint: `ayeaye sessions rm {id}` removes it")
        }
        Err(err) => {
            return Err(anyhow::Error::new(err).context(format!("session {id} as {format}")));
        }
    };
    for file in &exported.files {
        terminal.item("written", &file.display().to_string());
    }
    let mut flaws = Vec::new();
    if let Some(bad) = exported.damage {
        flaws.push(format!("{}; everything before it was exported", bad.refusal(id)));
    }
    if !exported.missing.is_empty() {
        let missing = missing_in_words(&exported.missing);
        flaws.push(format!("{missing} missing from the record or damaged; the rest was exported"));
    }
    if flaws.is_empty() { Ok(Exit::Done) } else { bail!(flaws.join("\n")) }
}

/// Such as "2 pictures and 1 other file are".
fn missing_in_words(missing: &[BlobRef]) -> String {
    let pictures = missing.iter().filter(|it| it.media_type.starts_with("image/")).count();
    let words = [
        (pictures, "picture", "pictures"),
        (missing.len() - pictures, "other file", "other files"),
    ];
    let words: Vec<String> = words
        .into_iter()
        .filter(|(number, ..)| 0 < *number)
        .map(|(number, one, more)| count(number.try_into().unwrap_or(u64::MAX), one, more))
        .collect();
    format!("{} {}", words.join(" and "), if missing.len() == 1 { "is" } else { "are" })
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::journal::SyncPolicy;

    use super::*;

    #[tokio::test]
    async fn a_session_that_was_removed_meanwhile_is_no_error() {
        let data = tempfile::tempdir().unwrap();
        let journal = FileJournal::new(data.path(), crate::clock::system(), SyncPolicy::Never);
        let id = SessionId::new();
        let record = journal.create(&id).await.unwrap();
        assert_eq!(is_busy(&journal, id).await.unwrap(), Some(true));
        record.close().await;
        assert_eq!(is_busy(&journal, id).await.unwrap(), Some(false));
        journal.remove(&id).await.unwrap();
        assert_eq!(is_busy(&journal, id).await.unwrap(), None);
    }

    #[test]
    fn a_clock_that_was_put_back_is_told() {
        let (one, later) = (Timestamp::UNIX_EPOCH, Timestamp::from_second(3600).unwrap());
        assert!(span(later, one).ends_with(" (the clock was put back meanwhile)"));
        assert!(!span(one, later).contains("clock") && !span(one, one).contains("clock"));
    }

    #[test]
    fn what_is_missing_is_counted() {
        let blob = |media_type: &str| BlobRef {
            sha256: String::new(),
            bytes: 1,
            media_type: media_type.to_owned(),
        };
        let (picture, tree) = (blob("image/webp"), blob("application/xml"));
        assert_eq!(missing_in_words(std::slice::from_ref(&picture)), "1 picture is");
        let several = [picture.clone(), tree, picture];
        assert_eq!(missing_in_words(&several), "2 pictures and 1 other file are");
    }
}
