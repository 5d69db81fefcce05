//! What commands print about a session.
use ayeaye_agent::{Report, SessionId, StopReason};
use ayeaye_export::Format;

use crate::command::Exit;
use crate::config::Config;
use crate::terminal::Terminal;
use crate::text::lines;

/// Prints how a run ended and returns the exit code.
pub(super) fn print_end(report: &Report, terminal: Terminal) -> Exit {
    let (word, exit) = match report.stop_reason {
        StopReason::TaskCompletedSuccessfully => ("done", Exit::Done),
        StopReason::InfoActionNeedsReply => ("question", Exit::NeedsAnswer),
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
        | StopReason::StorageFailed => ("stopped", Exit::Failed),
    };
    let text = match report.message.as_str() {
        "" => report.stop_reason.name().to_owned(),
        message => format!("{}: {}", report.stop_reason.name(), lines(message)),
    };
    terminal.item(word, &text);
    exit
}

/// Prints where the HTML report of a session is, if there is one.
pub(super) fn print_page(config: &Config, id: SessionId, terminal: Terminal) {
    let logs = ayeaye_export::session_logs(&config.data_dir, id).unwrap_or_default();
    for (_, page) in logs.iter().filter(|(format, _)| *format == Format::Html) {
        terminal.item("report", &format!("{}  (open it in a browser)", page.display()));
    }
}

/// The folder of a session's record.
pub(super) fn session_folder(config: &Config, id: SessionId) -> String {
    config.data_dir.join("sessions").join(id.to_string()).display().to_string()
}
