//! `next`: what the client's model should do after a run, by its stop reason.
use ayeaye_agent::{Question, QuestionKind, StopReason};

/// What to do now.
pub(super) fn next(reason: StopReason, question: Option<&Question>) -> &'static str {
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
             right, ask_agent_continue with this session_id goes on; where you are offered tap and \
             type_text, you can go on yourself."
        }
        StopReason::DeviceLost => {
            "The phone went away: see message. When it is back, call ask_agent_continue with this \
             session_id."
        }
        StopReason::UserPaused => {
            "It is paused. When your user wants it to go on, call ask_agent_continue with this session_id."
        }
        StopReason::Cancelled
        | StopReason::ManualStopScreenOff
        | StopReason::ServerRestarted
        | StopReason::NotStarted => {
            "Nothing is lost. Call ask_agent_continue with this session_id to go on, or start a new task."
        }
        StopReason::BudgetReached => {
            "A limit of the server is used up: see message. The user can raise it in ayeaye.toml and \
             call ask_agent_continue."
        }
        StopReason::StorageFailed => {
            "The server cannot write its records: see message. Nothing more is done on the phone until \
             the user fixes that."
        }
    }
}
