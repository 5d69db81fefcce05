//! What commands print about a session, for people and for programs.
use std::path::PathBuf;
use std::time::Duration;

use ayeaye_agent::{Question, Report, SessionId, StopReason};
use ayeaye_export::{Format, LoggingJournal};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::command::Exit;
use crate::command::called::ayeaye;
use crate::config::Config;
use crate::mcp::results::{RunResult, is_given_up, reason_to_go_on, waits};
use crate::terminal::Terminal;
use crate::text::{lines, shell_word};

/// How long a command waits for the logs of the session that it has driven.
const LOGS_TIMEOUT: Duration = Duration::from_secs(20);

/// What `run`, `continue` and `sessions show` print with `--json`: the keys of a tool's result, with all
/// steps, and where the files are.
#[derive(Debug, Serialize)]
pub(super) struct RunJson {
    #[serde(flatten)]
    pub(super) result: RunResult,
    /// The folder of the record.
    record: PathBuf,
    /// The session's logs: the format's name, and the folder or file.
    logs: Map<String, Value>,
}

impl RunJson {
    pub(super) fn new(report: &Report, config: &Config) -> Self {
        Self::with_next(report, config, next(report))
    }

    /// Of a run that this process leaves before it has ended.
    pub(super) fn left(report: &Report, config: &Config) -> Self {
        Self::with_next(report, config, "Left before its end: `ayeaye continue ID` resumes it.")
    }

    fn with_next(report: &Report, config: &Config, next: &'static str) -> Self {
        let id = report.session_id;
        let mut result = RunResult::whole(report);
        result.next = next.into();
        let logs = ayeaye_export::session_logs(&config.data_dir, id).unwrap_or_default();
        let logs = logs
            .into_iter()
            .map(|(format, path)| (format.name().to_owned(), path.display().to_string().into()));
        Self { result, record: session_folder(config, id), logs: logs.collect() }
    }
}

/// What to do now, in commands.
fn next(report: &Report) -> &'static str {
    match reason_to_go_on(report) {
        StopReason::TaskCompletedSuccessfully => {
            "Done. `ayeaye continue ID TEXT` gives the session its next task."
        }
        StopReason::TaskAbortedByAgent => {
            "The agent gave up: see message. Fix the cause or put the task differently."
        }
        StopReason::InfoActionNeedsReply => "`ayeaye continue ID TEXT` answers the question.",
        StopReason::StillRunning => {
            "It is still running: `ayeaye sessions show ID` shows how it stands."
        }
        StopReason::MaxStepsReached if report.is_session_used_up() => {
            "The session has used up its steps: give the rest to a new one, or raise run.session-max-steps."
        }
        StopReason::MaxStepsReached | StopReason::NoProgress => {
            "`ayeaye continue ID` resumes it, with TEXT as advice."
        }
        StopReason::ModelFailed => {
            "`ayeaye doctor` finds out what is wrong with the model; `ayeaye continue ID` tries again."
        }
        StopReason::DeviceLost => "When the phone is back, `ayeaye continue ID` resumes it.",
        _ if is_given_up(report) => {
            "This request was given up. `ayeaye continue ID TEXT` gives the session its next task."
        }
        StopReason::Cancelled
        | StopReason::UserPaused
        | StopReason::ManualStopScreenOff
        | StopReason::ServerRestarted
        | StopReason::NotStarted => "Nothing is lost: `ayeaye continue ID` resumes it.",
        StopReason::BudgetReached if report.is_run_time_used_up() => {
            "`ayeaye continue ID` resumes it: the next run has the same time again."
        }
        StopReason::BudgetReached => {
            "A limit is used up: see message. Raise it in ayeaye.toml, then `ayeaye continue ID`."
        }
        StopReason::StorageFailed => {
            "The record cannot be written, see message: free some disk space, or fix whatever else it names, then \
             `ayeaye continue ID`."
        }
    }
}

/// The exit code that says how a run ended.
pub(super) fn exit(reason: StopReason) -> Exit {
    match reason {
        StopReason::TaskCompletedSuccessfully => Exit::Done,
        StopReason::InfoActionNeedsReply => Exit::NeedsAnswer,
        StopReason::TaskAbortedByAgent
        | StopReason::MaxStepsReached
        | StopReason::ManualStopScreenOff
        | StopReason::NotStarted
        | StopReason::UserPaused
        | StopReason::Cancelled
        | StopReason::StillRunning
        | StopReason::DeviceLost
        | StopReason::ModelFailed
        | StopReason::BudgetReached
        | StopReason::NoProgress
        | StopReason::ServerRestarted
        | StopReason::StorageFailed => Exit::Failed,
    }
}

/// Prints how a run ended and returns the exit code.
pub(super) fn print_end(report: &Report, terminal: Terminal) -> Exit {
    let exit = exit(report.stop_reason);
    let word = match exit {
        _ if waits(report).is_some() => "waiting",
        _ if report.stop_reason == StopReason::StillRunning => "running",
        Exit::Done => "done",
        Exit::NeedsAnswer => "question",
        Exit::Failed | Exit::Usage => "stopped",
    };
    let text = match report.message.as_str() {
        "" => report.stop_reason.name().to_owned(),
        message => format!("{}: {}", report.stop_reason.name(), lines(message)),
    };
    terminal.item(word, &text);
    exit
}

/// Prints the command that goes on with a session, where there is something to go on with.
pub(super) fn print_way_on(report: &Report, terminal: Terminal) {
    if is_given_up(report) {
        let go_on = format!("{} continue {} 'ANOTHER TASK'", ayeaye(), report.session_id);
        return terminal.item("go on", &go_on);
    }
    if report.is_session_used_up() {
        let go_on = format!(
            "{} run 'WHAT IS LEFT'   (this session has used up its steps: run.session-max-steps)",
            ayeaye()
        );
        return terminal.item("go on", &go_on);
    }
    if report.stop_reason == StopReason::StorageFailed {
        terminal.item(
            "mend",
            "free some disk space, or fix whatever else keeps the record from being written; then",
        );
    }
    let secret = report.question.as_ref().is_some_and(Question::asks_for_secret);
    print_way_on_from(report.session_id, reason_to_go_on(report), secret, terminal);
}

/// Prints the command that goes on with a session, from what is known of it without a report: its name, how it stopped,
/// whether its question asks for a secret.
pub(super) fn print_way_on_from(
    id: SessionId,
    reason: StopReason,
    asks_for_secret: bool,
    terminal: Terminal,
) {
    let go_on = format!("{} continue {id}", ayeaye());
    match reason {
        StopReason::TaskCompletedSuccessfully
        | StopReason::TaskAbortedByAgent
        | StopReason::StillRunning => {}
        // A shell would keep it in its history.
        StopReason::InfoActionNeedsReply if asks_for_secret => {
            terminal.item("go on", &format!("{go_on}   (asks for it without showing it)"));
        }
        StopReason::InfoActionNeedsReply => {
            terminal.item("go on", &format!("{go_on} {}", shell_word("YOUR ANSWER")));
        }
        StopReason::MaxStepsReached
        | StopReason::ManualStopScreenOff
        | StopReason::NotStarted
        | StopReason::UserPaused
        | StopReason::Cancelled
        | StopReason::DeviceLost
        | StopReason::ModelFailed
        | StopReason::BudgetReached
        | StopReason::NoProgress
        | StopReason::ServerRestarted
        | StopReason::StorageFailed => {
            terminal.item("go on", &go_on);
        }
    }
}

/// Waits for what is still to be written of a session's logs: what they show is about to be named, and
/// with the process would end whoever writes them.
pub(super) async fn complete_logs(journal: &LoggingJournal, id: SessionId, terminal: Terminal) {
    let waiting = terminal.waiting("Completing the logs");
    let complete = tokio::time::timeout(LOGS_TIMEOUT, journal.completed(id)).await.is_ok();
    drop(waiting);
    if !complete {
        terminal.item(
            "logs",
            "are not complete yet; the next command that starts a server completes them",
        );
    }
}

/// Prints where the HTML report of a session is, if there is one.
pub(super) fn print_page(config: &Config, id: SessionId, terminal: Terminal) {
    let logs = ayeaye_export::session_logs(&config.data_dir, id).unwrap_or_default();
    for (_, page) in logs.iter().filter(|(format, _)| *format == Format::Html) {
        terminal.item("report", &format!("{}  (open it in a browser)", page.display()));
    }
}

/// The folder of a session's record.
pub(super) fn session_folder(config: &Config, id: SessionId) -> PathBuf {
    config.data_dir.join("sessions").join(id.to_string())
}
