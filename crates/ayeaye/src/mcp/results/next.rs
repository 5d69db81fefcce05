//! `next`: what the client's model should do after a run, by its stop reason.
use ayeaye_agent::{Question, QuestionKind, ReplyMode, Report, StopReason};

use crate::config::ToolSet;
use crate::text::truncate;

/// What stands for the message while a run waits for an operator.
pub(in crate::mcp) const ASKS_OPERATOR: &str =
    "The agent has a question, and waits for an operator at the server to answer it.";

/// Whether its run waits for an operator's answer.
pub(in crate::mcp) fn waits_for_operator(report: &Report) -> bool {
    report.stop_reason == StopReason::StillRunning
        && report.question.is_some()
        && report.run.facts.reply_mode == ReplyMode::ManualReply
}

/// What there is to tell of a run.
pub(super) fn message(report: &Report) -> String {
    if waits_for_operator(report) {
        return ASKS_OPERATOR.to_owned();
    }
    truncate(&report.message, 1500)
}

/// What to do now, for a client that is offered no tasks.
pub(super) fn without_tasks(reason: StopReason, tools: ToolSet) -> &'static str {
    match (reason, tools.device) {
        (StopReason::StillRunning, _) => {
            "The task goes on, and this server offers you none: you can look at it again with get_session."
        }
        (_, true) => {
            "This server offers you no tasks. You can act on the phone yourself; with this session_id the act \
             is the session's next step."
        }
        (_, false) => "This server offers you no tasks: this is what was done.",
    }
}

/// What to do now.
pub(super) fn next(report: &Report) -> &'static str {
    let question = report.question.as_ref();
    let reason = match report.stop_reason {
        // A run that ended while it stood still for an answer, an operator's or a model's: nothing but one has it go
        // on.
        StopReason::Cancelled | StopReason::UserPaused | StopReason::ModelFailed
            if question.is_some() =>
        {
            StopReason::InfoActionNeedsReply
        }
        reason => reason,
    };
    match reason {
        StopReason::TaskCompletedSuccessfully => {
            "Done. For something related on the same phone call ask_agent_continue with this \
             session_id and a task; for anything else start a new task."
        }
        StopReason::TaskAbortedByAgent => {
            "The agent gave up: see message. Fix the cause or put the task differently, then start \
             a new task."
        }
        StopReason::InfoActionNeedsReply
            if question.is_some_and(|it| it.kind == QuestionKind::Takeover) =>
        {
            "Ask your user to do this on the phone with their own hands and to tell you when it is done. \
             Then call ask_agent_continue with this session_id and reply_from_client saying so."
        }
        StopReason::InfoActionNeedsReply if question.is_some_and(Question::asks_for_secret) => {
            "Ask your user to type it on the phone with their own hands and to tell you when it is done. \
             Then call ask_agent_continue with this session_id and \"done\" as reply_from_client. Do not \
             ask them to tell you the secret."
        }
        StopReason::InfoActionNeedsReply => {
            "Ask your user, then call ask_agent_continue with this session_id and reply_from_client. \
             Do not make the answer up."
        }
        StopReason::StillRunning if waits_for_operator(report) => {
            "An operator at the server answers the question, not you and not your user: reply_from_client \
             would be taken for the operator's answer. Call ask_agent_continue with this session_id and \
             nothing else to follow it, or stop_task to end it."
        }
        StopReason::StillRunning => {
            "The task goes on. Call ask_agent_continue with this session_id and nothing else to follow \
             it, or stop_task to end it."
        }
        StopReason::MaxStepsReached => {
            "Call ask_agent_continue with this session_id to give it more steps, with reply_from_client \
             to advise it."
        }
        StopReason::NoProgress => {
            "The agent is stuck. Look at get_screenshot, then call ask_agent_continue with this \
             session_id and advice in reply_from_client."
        }
        StopReason::ModelFailed => {
            "The model did not answer usefully: see message; `ayeaye doctor` checks it. Once that is put \
             right, and the server restarted if its settings were changed, ask_agent_continue with this \
             session_id goes on; where you are offered tap and type_text, you can go on yourself."
        }
        StopReason::DeviceLost => {
            "The phone went away: see message. When it is back, call ask_agent_continue with this \
             session_id."
        }
        StopReason::UserPaused => {
            "It is paused. When your user wants it to go on, call ask_agent_continue with this session_id."
        }
        StopReason::Cancelled if report.is_over => {
            "This request is given up. For something else on the same phone call ask_agent_continue with this \
             session_id and a task, or start a new task."
        }
        StopReason::Cancelled
        | StopReason::ManualStopScreenOff
        | StopReason::ServerRestarted
        | StopReason::NotStarted => {
            "Nothing is lost. Call ask_agent_continue with this session_id to go on, or start a new task."
        }
        StopReason::BudgetReached => {
            "A limit of the server is used up: see message. The user can raise it in ayeaye.toml and \
             restart the server; then call ask_agent_continue."
        }
        StopReason::StorageFailed => {
            "The server cannot write its records: see message. Nothing more is done on the phone until \
             the user fixes that."
        }
    }
}
