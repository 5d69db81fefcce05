//! `next`: what the client's model should do after a run, by its stop reason. The `call_number N` of these texts gets its
//! number in [`Advice`](super::Advice).
use ayeaye_agent::{
    Question, QuestionKind, ReplyMode, Report, SUCCESS_IN_DOUBT, StopReason, TAKEN_OVER,
};

use crate::config::ToolSet;
use crate::mcp::answer_shape::AnswerShape;
use crate::model_presence::{ModelPresence, ModelState};
use crate::text::truncate;

/// The message while a run waits for an operator.
pub(in crate::mcp) const ASKS_OPERATOR: &str =
    "The agent has a question and is waiting for an operator at the server to answer it.";

/// The progress message before a run's first step is done.
pub(in crate::mcp) const AT_WORK: &str = "looking at the phone, and asking the model";

/// Whether its run waits for an operator's answer.
pub(in crate::mcp) fn waits_for_operator(report: &Report) -> bool {
    report.stop_reason == StopReason::StillRunning
        && report.question.is_some()
        && report.run.facts.reply_mode == ReplyMode::ManualReply
}

/// The message about a run.
pub(super) fn message(report: &Report) -> String {
    if waits_for_operator(report) {
        return ASKS_OPERATOR.to_owned();
    }
    truncate(&report.message, 1500)
}

/// The message about a session driven by hand, for a client without task tools, which cannot hand it back to the agent.
pub(super) fn by_hand_without_tasks(report: &Report) -> Option<&'static str> {
    (report.is_by_hand()
        && report.stop_reason == StopReason::UserPaused
        && report.question.is_none())
    .then_some("the phone was acted on directly, without a task")
}

/// The next thing to do, for a client without task tools.
pub(super) fn without_tasks(reason: StopReason, tools: ToolSet) -> &'static str {
    match (reason, tools.device) {
        (StopReason::StillRunning, _) => {
            "The task is still running. This server offers you no tasks: you can look at it again with get_session."
        }
        (_, true) => {
            "This server offers you no tasks. You can act on the phone yourself; with this session_id, the act \
             is the session's next step."
        }
        (_, false) => "This server offers you no tasks: this is what was done.",
    }
}

/// The next thing to do, for a client that can also act on the phone itself; `None` if that makes no difference.
pub(super) fn with_device_tools(report: &Report) -> Option<&'static str> {
    if report.has_unusable_replies() && reason_to_go_on(report) == StopReason::ModelFailed {
        return Some(
            "The model answered, but said nothing that could be done: see message. Put the task differently: call \
             ask_agent_continue with this session_id and a task. Or your user can set another model \
             (`ayeaye setup`); with only this session_id and call_number N the same model tries once more. Or go on \
             yourself with tap and type_text.",
        );
    }
    (reason_to_go_on(report) == StopReason::ModelFailed).then_some(
        "The model did not give a usable answer: see message; `ayeaye doctor` checks it. Once that is \
         fixed, and the server restarted if its settings were changed, call ask_agent_continue with this \
         session_id and call_number N to resume; or go on yourself with tap and type_text.",
    )
}

/// The stop reason that decides what to do next. A run that ended while it waited for an operator's or a model's answer
/// can only continue with an answer.
pub(crate) fn reason_to_go_on(report: &Report) -> StopReason {
    match report.stop_reason {
        StopReason::Cancelled
        | StopReason::UserPaused
        | StopReason::ModelFailed
        | StopReason::BudgetReached
            if report.question.is_some() =>
        {
            StopReason::InfoActionNeedsReply
        }
        reason => reason,
    }
}

/// Whether the session's request was given up, so that only another task can follow.
pub(crate) fn is_given_up(report: &Report) -> bool {
    report.is_over
        && matches!(report.stop_reason, StopReason::Cancelled | StopReason::ServerRestarted)
}

/// The state of the model, if it failed, still takes no tasks, and continuing without an input would ask it again: each
/// run would add another failed step.
pub(crate) async fn would_fail_again(
    report: &Report,
    presence: &ModelPresence,
) -> Option<ModelState> {
    if !asks_failed_model(report) {
        return None;
    }
    Some(presence.look().await).filter(|state| !state.takes_tasks())
}

/// Whether continuing a session without a word would only ask the failed model again.
fn asks_failed_model(report: &Report) -> bool {
    report.stop_reason == StopReason::ModelFailed && !report.is_over && report.question.is_none()
}

/// The next thing to do after the user declined a form: the same call would show it again.
pub(super) const DECLINED: &str = "Your user declined to answer this in a form, or your client did so for them: do not ask again \
    at once. Tell them in words what the question is; call ask_agent_continue with this session_id and \
    reply_from_client once they have answered you, or stop_task if they want to leave it.";

/// The next thing to do while a person drives the phone by hand.
pub(super) const IN_HAND: &str = "A person is driving this phone by hand, and going on takes it from them. Wait until your user says that the \
    agent may go on; then call ask_agent_continue with this session_id and call_number N.";

/// The next thing to do.
pub(super) fn next(report: &Report) -> &'static str {
    if report.is_by_hand()
        && report.question.is_none()
        && report.stop_reason != StopReason::StillRunning
    {
        return "You have acted on the phone yourself, and there is no task yet: act again, or hand the phone to the agent: \
                ask_agent_continue with this session_id and a task.";
    }
    match reason_to_go_on(report) {
        StopReason::TaskCompletedSuccessfully => after_success(report),
        StopReason::TaskAbortedByAgent => {
            "The agent gave up: see message. Fix the cause or put the task differently, then start \
             a new task."
        }
        StopReason::InfoActionNeedsReply => to_get_answer(report.question.as_ref()),
        StopReason::StillRunning => while_running(report),
        StopReason::MaxStepsReached => out_of_steps(report),
        StopReason::BudgetReached => out_of_budget(report),
        StopReason::NoProgress => {
            "The agent is stuck. Look at get_screenshot, then call ask_agent_continue with this \
             session_id and advice in reply_from_client."
        }
        StopReason::ModelFailed => after_model_failure(report),
        StopReason::DeviceLost => after_device_loss(report),
        StopReason::UserPaused => {
            "A person has paused it: ask your user before you go on. When your user wants it to go on, call \
             ask_agent_continue with this session_id and call_number N."
        }
        StopReason::Cancelled
        | StopReason::ServerRestarted
        | StopReason::ManualStopScreenOff
        | StopReason::NotStarted => after_interruption(report),
        StopReason::StorageFailed => {
            "The server cannot write its records: see message. Nothing more is done on the phone until \
             your user fixes that."
        }
    }
}

fn after_success(report: &Report) -> &'static str {
    if report.message.contains(SUCCESS_IN_DOUBT) {
        "The agent says that it is done, but see the end of message: look at get_screenshot, and tell your user what \
         you find there. What is missing can be done with ask_agent_continue, this session_id and a task."
    } else {
        "Done. For something related on the same phone call ask_agent_continue with this \
         session_id and a task; for anything else start a new task."
    }
}

/// Who has to answer a question, and how: by words, or with their own hands on the phone.
fn to_get_answer(question: Option<&Question>) -> &'static str {
    match question {
        Some(question) if question.kind == QuestionKind::Takeover => {
            "Ask your user to do this on the phone with their own hands and to tell you when it is done. \
             Then call ask_agent_continue with this session_id and reply_from_client saying so."
        }
        Some(question) if AnswerShape::of(question) == AnswerShape::ByHand => {
            "Ask your user to type it on the phone with their own hands and to tell you when it is done. \
             Then call ask_agent_continue with this session_id and \"done\" as reply_from_client. Do not \
             ask them to tell you the secret."
        }
        _ => {
            "Ask your user, then call ask_agent_continue with this session_id and reply_from_client. \
             Do not make up the answer."
        }
    }
}

fn while_running(report: &Report) -> &'static str {
    if waits_for_operator(report) {
        "An operator at the server answers the question, not you or your user: reply_from_client \
         would be taken for the operator's answer. Call ask_agent_continue with only this session_id and \
         call_number N to follow it, or stop_task to end it."
    } else {
        "The task is still running. Call ask_agent_continue with only this session_id and call_number N \
         to follow it, or stop_task to end it."
    }
}

fn out_of_steps(report: &Report) -> &'static str {
    if report.is_session_used_up() {
        "This session has used up all its steps, so continuing it does nothing: start a new task for what is left. \
         Your user can allow more with run.session-max-steps."
    } else {
        "Call ask_agent_continue with this session_id and call_number N to give it more steps; add \
         reply_from_client to advise it."
    }
}

fn out_of_budget(report: &Report) -> &'static str {
    if report.is_run_time_used_up() {
        "Call ask_agent_continue with this session_id and call_number N to resume: the next run has the \
         same time again."
    } else {
        "A limit of the server is used up: see message. Your user can raise it in ayeaye.toml and \
         restart the server; then call ask_agent_continue."
    }
}

fn after_model_failure(report: &Report) -> &'static str {
    if report.has_unusable_replies() {
        "The model answered, but said nothing that could be done: see message. Put the task differently: call \
         ask_agent_continue with this session_id and a task. Or your user can set another model \
         (`ayeaye setup`); with only this session_id and call_number N the same model tries once more."
    } else {
        "The model did not give a usable answer: see message; `ayeaye doctor` checks it. Once that is \
         fixed, and the server restarted if its settings were changed, call ask_agent_continue with this \
         session_id and call_number N to resume."
    }
}

fn after_device_loss(report: &Report) -> &'static str {
    if report.message.contains(TAKEN_OVER) {
        "Somebody else drives this phone now: see message. Ask your user before you take it back by calling \
         ask_agent_continue with this session_id and call_number N, or start a new task on another phone."
    } else {
        "The phone was lost: see message. When it is back, call ask_agent_continue with this \
         session_id and call_number N."
    }
}

/// After a run that was ended from outside, or had not begun.
fn after_interruption(report: &Report) -> &'static str {
    match report.stop_reason {
        _ if is_given_up(report) => {
            "This request was given up. For something else on the same phone, call ask_agent_continue with this \
             session_id and a task, or start a new task."
        }
        StopReason::ServerRestarted if report.has_lost_secrets() => {
            "Call ask_agent_continue with this session_id and call_number N to go on. Passwords, codes and the like that \
             your user said are not kept, so the agent may ask for them again; or start a new task that has them."
        }
        StopReason::Cancelled => {
            "Nothing is lost, but it was stopped. If that was not you, a person at the server's page or another client did \
             it: ask your user before you go on. Then ask_agent_continue with this session_id and call_number N resumes \
             it; or start a new task."
        }
        _ => {
            "Nothing is lost. Call ask_agent_continue with this session_id and call_number N to go on, or start a new \
             task."
        }
    }
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::{DeviceError, DeviceId};

    use super::super::samples::report;
    use super::*;

    #[test]
    fn an_open_question_is_answered_however_its_run_ended() {
        for reason in [
            StopReason::InfoActionNeedsReply,
            StopReason::Cancelled,
            StopReason::UserPaused,
            StopReason::ModelFailed,
            StopReason::BudgetReached,
        ] {
            let asks = Report { question: Some(Question::info("Which?")), ..report(reason) };
            assert_eq!(reason_to_go_on(&asks), StopReason::InfoActionNeedsReply);
            assert!(next(&asks).starts_with("Ask your user"), "{reason:?}");
        }
        let failed = report(StopReason::ModelFailed);
        assert_eq!(reason_to_go_on(&failed), StopReason::ModelFailed);
    }

    #[test]
    fn a_yes_to_a_code_is_no_code() {
        let text = "The agent wants to type into a field for a password or a code. May it?";
        let asks = |kind| {
            let question = Question { kind, ..Question::info(text) };
            assert!(question.asks_for_secret());
            next(&Report { question: Some(question), ..report(StopReason::InfoActionNeedsReply) })
        };
        assert!(asks(QuestionKind::Info).contains("own hands"), "{}", asks(QuestionKind::Info));
        let confirm = asks(QuestionKind::Confirm);
        assert!(
            confirm.starts_with("Ask your user, then") && !confirm.contains("done"),
            "{confirm}"
        );
    }

    #[test]
    fn a_phone_that_another_server_drives_is_not_taken_back_unasked() {
        let lost = |message: &str| {
            next(&Report { message: message.to_owned(), ..report(StopReason::DeviceLost) })
        };
        let taken = DeviceError::ClaimedElsewhere {
            id: DeviceId::new("phone-1"),
            what: "a tap".to_owned(),
            notes_are_gone: false,
            partly: false,
        };
        let taken = taken.to_string();
        assert!(lost(&taken).contains("Ask your user before"), "{taken}");
        assert!(lost("phone-1 is gone").starts_with("The phone was lost"));
    }

    #[test]
    fn a_success_in_doubt_is_to_be_checked() {
        let done = report(StopReason::TaskCompletedSuccessfully);
        assert!(next(&done).starts_with("Done."));
        let message = "Paid.\n[Not the model's words: its last act before this was not done: x. Check that the task is done.]";
        let doubtful = next(&Report { message: message.to_owned(), ..done });
        assert!(doubtful.contains("end of message") && !doubtful.contains("Done."), "{doubtful}");
    }

    #[test]
    fn a_model_that_answers_in_vain_is_no_matter_for_the_doctor() {
        let failed = report(StopReason::ModelFailed);
        assert!(next(&failed).contains("ayeaye doctor"));
        let message =
            "the model's reply could not be used, 3 times in a row; the last: it names no action";
        let in_vain = Report { message: message.to_owned(), ..failed };
        for told in [next(&in_vain), with_device_tools(&in_vain).unwrap()] {
            assert!(
                told.contains("Put the task differently") && !told.contains("doctor"),
                "{told}"
            );
        }
        let asks = Report { question: Some(Question::info("Which?")), ..in_vain };
        assert_eq!(with_device_tools(&asks), None);
    }

    #[test]
    fn only_a_failed_model_that_nobody_answers_for_is_asked_again() {
        let failed = report(StopReason::ModelFailed);
        assert!(asks_failed_model(&failed));
        let asks = Report { question: Some(Question::info("Which?")), ..failed.clone() };
        let over = Report { is_over: true, ..failed };
        let running = report(StopReason::StillRunning);
        assert!(![asks, over, running].iter().any(asks_failed_model));
    }

    #[test]
    fn what_was_done_by_hand_goes_on_with_a_task_only() {
        let task = ayeaye_agent::DIRECT_REQUEST.to_owned();
        let by_hand = Report { task, ..report(StopReason::UserPaused) };
        assert!(next(&by_hand).contains("this session_id and a task"), "{}", next(&by_hand));
        let asks = Report { question: Some(Question::info("Which?")), ..by_hand };
        assert!(next(&asks).starts_with("Ask your user"));
    }

    #[test]
    fn what_is_given_up_goes_on_with_a_task_only() {
        for reason in [StopReason::Cancelled, StopReason::ServerRestarted] {
            assert!(next(&report(reason)).starts_with("Nothing is lost"), "{reason:?}");
            // Of what somebody has stopped it is not for the client to say.
            let asks_first = next(&report(reason)).contains("ask your user before you go on");
            assert_eq!(asks_first, reason == StopReason::Cancelled, "{reason:?}");
            let over = next(&Report { is_over: true, ..report(reason) });
            assert!(over.contains("given up") && over.contains("and a task"), "{over}");
        }
    }
}
