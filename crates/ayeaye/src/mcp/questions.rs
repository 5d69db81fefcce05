//! How a question of the agent reaches a person: in the best way that the client of this call supports.
//!
//! A client of 2026-07-28 that shows forms gets an `InputRequiredResult` and calls again with the
//! answer. An older client that shows forms is sent `elicitation/create` while its call waits. Any other
//! gets the question as the result of the tool. The session waits in any case, so that nothing is lost
//! when the answer never comes.
mod form;
mod request_state;
mod retry;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ayeaye_agent::{
    Agent, AgentError, ContinueTask, Follower, Principal, Question, ReplyMode, Report, StopReason,
    UserInput,
};
use futures::future::pending;
use rmcp::model::{
    ClientResult, ElicitRequest, ElicitResult, InputRequest, InputRequests, InputRequiredResult,
};

pub use form::{FormAnswer, parse_answer, question_form};
pub use request_state::{ApprovalState, RequestState, STATE_KEY_FILE, StateCodec, StateError};
pub use retry::RetryContext;

use super::client_support::ClientSupport;
use super::elicitation::show_form;
use super::logging::{self, Levels};
use super::read_receipts;
use super::results::Unanswered;
use super::run_wait::RunWait;
use super::tool_error::ToolError;
use crate::principal;

/// Most questions that one call asks. Clients give a call up after 10 rounds; it should return its
/// result before that.
const MAX_FORMS: u32 = 8;
/// The key of the answer in `inputResponses`.
const ANSWER_KEY: &str = "reply";

/// What following a run has come to.
pub(super) enum Followed {
    /// A result.
    Result(FollowedRun),
    /// The client asks its user and calls again.
    Asks(InputRequiredResult),
}

/// The result of following a run.
pub(super) struct FollowedRun {
    pub(super) report: Arc<Report>,
    /// The outcome of asking the user in a form.
    pub(super) asked: Option<Unanswered>,
    /// Whether the user's answer came after another one.
    pub(super) late: bool,
    /// Whether what the call said became advice, since the question had been answered.
    pub(super) became_advice: bool,
    /// Whether the request that the call was made for gave way to another one.
    pub(super) replaced: bool,
}

/// One call and the questions it asks.
pub(super) struct QuestionDelivery<'a> {
    agent: &'a Arc<Agent>,
    state_codec: &'a StateCodec,
    log_levels: &'a Levels,
    retry: &'a RetryContext,
    wait: RunWait<'a>,
    reply_mode: ReplyMode,
    principal: Principal,
    client: ClientSupport,
    /// Forms that this call has shown so far.
    forms_shown: u32,
    /// The last answer did not fit its form, which is shown once more.
    misread: bool,
    /// Whether an answer came after its question had been answered.
    late: bool,
    /// Whether what this call said became advice.
    became_advice: bool,
    /// The request whose question was answered elsewhere while it was shown in a form.
    request: Option<String>,
}

impl<'a> QuestionDelivery<'a> {
    /// For the request that `wait` belongs to.
    pub(super) fn new(
        agent: &'a Arc<Agent>,
        state_codec: &'a StateCodec,
        log_levels: &'a Levels,
        retry: &'a RetryContext,
        wait: RunWait<'a>,
        reply_mode: ReplyMode,
    ) -> Self {
        let ctx = wait.request();
        let (principal, client) = (principal::of(ctx), ClientSupport::of(ctx));
        let (forms_shown, late) = (0, false);
        Self {
            agent,
            state_codec,
            log_levels,
            retry,
            wait,
            reply_mode,
            principal,
            client,
            forms_shown,
            misread: false,
            late,
            became_advice: false,
            request: None,
        }
    }

    /// Waits for the run to stop and asks its questions, until there is a result or the wait is over.
    pub(super) async fn follow(mut self, mut follower: Follower) -> Result<Followed, ToolError> {
        let ctx = self.wait.request();
        // Where no run has ended since, its end is no news: the session is only looked at, or its question shown again.
        let mut end_is_told = follower.was_over();
        self.became_advice = follower.has_become_advice();
        self.late |= follower.has_dropped_answer();
        loop {
            let level = self.log_levels.of(ctx);
            let stopped = self.wait.until_stopped(follower.clone());
            let report =
                logging::with_run_messages(level, follower.clone(), end_is_told, ctx, stopped)
                    .await?;
            end_is_told |= !follower.running();
            let asks = report.stop_reason == StopReason::InfoActionNeedsReply
                && self.reply_mode == ReplyMode::PassToClient
                && self.client.forms
                && !ctx.ct.is_cancelled();
            let (Some(number), Some(question), true) =
                (report.question_number(), &report.question, asks)
            else {
                return Ok(self.result(report, None));
            };
            if MAX_FORMS <= self.forms_shown {
                return Ok(self.result(report, Some(Unanswered::TooMany)));
            }
            self.forms_shown += 1;
            if self.client.modern {
                return Ok(self.input_required(&report, question, number));
            }
            let answered = self.elicit(&report, question, number).await;
            let now = self.current_report(&report).await;
            let is_other = |now: &Report| now.question_number() != Some(number);
            let open = !now.as_ref().is_ok_and(is_other);
            if !open && !ctx.ct.is_cancelled() {
                // Answered elsewhere meanwhile: this call goes on with what came of that.
                self.late |= matches!(answered, Ok(FormAnswer::Text(_)));
                self.request.get_or_insert_with(|| report.task.clone());
                follower = self.follow_answered(&report, number).await?;
                end_is_told = follower.was_over();
                continue;
            }
            match answered {
                Ok(FormAnswer::Text(text)) => {
                    self.misread = false;
                    follower = self.send_answer(&report, number, text).await?;
                    end_is_told = follower.was_over();
                    self.late |= follower.has_dropped_answer();
                }
                // What somebody else has left for it.
                _ if self.is_left(&report, number).await => {
                    follower = self.resume(&report, UserInput::Nothing).await?;
                    end_is_told = follower.was_over();
                }
                // The same follower reports the same question, which is asked once more.
                Ok(FormAnswer::Invalid) if self.misread => {
                    return Ok(self.result(report, Some(Unanswered::NotUnderstood)));
                }
                Ok(FormAnswer::Invalid) => self.misread = true,
                Ok(FormAnswer::Declined) => {
                    return Ok(self.result(report, Some(Unanswered::Declined)));
                }
                Ok(FormAnswer::GivenUp) => {
                    return Ok(self.result(report, Some(Unanswered::GivenUp)));
                }
                Err(why) => return Ok(self.result(now?, why.filter(|_| open))),
            }
        }
    }

    /// Goes on with the call that asked, with the person's answer. This never starts a task.
    pub(super) async fn take_answer(mut self) -> Result<Followed, ToolError> {
        let encoded = self.retry.state.as_deref().ok_or_else(ToolError::state_missing)?;
        let (session, state) = self.state_codec.decode(encoded, &self.principal)?;
        if state.call != self.retry.call {
            return Err(ToolError::state_foreign());
        }
        (self.forms_shown, self.misread) = (state.forms_shown, state.misread);
        let report = self.agent.report_after_direct_action(session, &self.principal).await?;
        let open = report.question_number() == Some(state.question);
        let Some(question) = report.question.as_ref().filter(|_| open) else {
            // It was answered already: by this very answer sent twice, or by another call.
            let given = self.retry.answers.get(ANSWER_KEY);
            self.late = given.is_some_and(|given| given["action"] == "accept");
            let follower = self.follow_answered(&report, state.question).await?;
            return self.follow(follower).await;
        };
        let result = match self.retry.answers.get(ANSWER_KEY) {
            Some(given) => serde_json::from_value::<ElicitResult>(given.clone()).ok(),
            // No answer came with it: ask again.
            None if self.can_require_input() => {
                return Ok(self.input_required(&report, question, state.question));
            }
            None => return Ok(self.result(report, None)),
        };
        match result.map_or(FormAnswer::Invalid, |result| parse_answer(question, &result)) {
            FormAnswer::Text(text) => {
                self.misread = false;
                let follower = self.send_answer(&report, state.question, text).await?;
                self.late |= follower.has_dropped_answer();
                self.follow(follower).await
            }
            _ if self.is_left(&report, state.question).await => {
                let follower = self.resume(&report, UserInput::Nothing).await?;
                self.follow(follower).await
            }
            FormAnswer::Declined => Ok(self.result(report, Some(Unanswered::Declined))),
            FormAnswer::GivenUp => Ok(self.result(report, Some(Unanswered::GivenUp))),
            FormAnswer::Invalid if self.misread || !self.can_require_input() => {
                Ok(self.result(report, Some(Unanswered::NotUnderstood)))
            }
            FormAnswer::Invalid => {
                self.misread = true;
                self.forms_shown += 1;
                Ok(self.input_required(&report, question, state.question))
            }
        }
    }

    fn result(&self, report: impl Into<Arc<Report>>, asked: Option<Unanswered>) -> Followed {
        let (report, late, became_advice) = (report.into(), self.late, self.became_advice);
        let replaced = self.request.as_ref().is_some_and(|before| *before != report.task);
        Followed::Result(FollowedRun { report, asked, late, became_advice, replaced })
    }

    /// Whether an answer to this question was left that a run would take, as `ayeaye sessions answer` does.
    async fn is_left(&self, report: &Report, number: u32) -> bool {
        !self.wait.request().ct.is_cancelled()
            && self.agent.has_answer_left(report.session_id, number).await
    }

    /// Whether this client can be asked to call again.
    fn can_require_input(&self) -> bool {
        self.client.modern && self.client.forms
    }

    /// The question for a client that calls again with the answer.
    fn input_required(&self, report: &Report, question: &Question, number: u32) -> Followed {
        read_receipts::note_question_told(self.agent, report, self.wait.request());
        let state = RequestState {
            session: report.session_id.to_string(),
            question: number,
            forms_shown: self.forms_shown,
            misread: self.misread,
            call: self.retry.call.clone(),
        };
        let encoded = self.state_codec.encode(&state, &self.principal);
        let form = InputRequest::Elicitation(ElicitRequest::new(question_form(
            question,
            report,
            self.misread,
        )));
        let requests = InputRequests::from([(ANSWER_KEY.to_owned(), form)]);
        Followed::Asks(InputRequiredResult::new(Some(requests), Some(encoded)))
    }

    /// Asks with `elicitation/create` while the call waits. `Err(None)`: there was no time to ask, the call is
    /// over, or the question was answered elsewhere, or an answer left for it.
    async fn elicit(
        &mut self,
        report: &Report,
        question: &Question,
        number: u32,
    ) -> Result<FormAnswer, Option<Unanswered>> {
        let form = question_form(question, report, self.misread);
        // Boxed: it is large, and would be part of every future around it.
        let answered = Box::pin(async {
            tokio::select! {
                () = answered_elsewhere(self.agent, &self.principal, report, number) => {}
                () = self.agent.until_answer_is_left(report.session_id, number) => {}
            }
        });
        match show_form(self.agent, &mut self.wait, form, answered).await? {
            ClientResult::ElicitResult(result) => Ok(parse_answer(question, &result)),
            _ => Ok(FormAnswer::Invalid),
        }
    }

    /// Hands an answer to the session. An error tells the client that the question is still open.
    async fn send_answer(
        &self,
        report: &Report,
        question: u32,
        text: String,
    ) -> Result<Follower, ToolError> {
        let sent = self.resume(report, UserInput::Answer { question, text }).await;
        sent.map_err(|err| ToolError::undelivered(report.session_id, &err))
    }

    /// Follows the run that an answer to this question has begun, or its outcome.
    async fn follow_answered(
        &self,
        report: &Report,
        question: u32,
    ) -> Result<Follower, AgentError> {
        // An answer without text is none.
        self.resume(report, UserInput::Answer { question, text: String::new() }).await
    }

    async fn resume(&self, report: &Report, input: UserInput) -> Result<Follower, AgentError> {
        let next = ContinueTask {
            policy: None,
            session_id: report.session_id,
            device_id: None,
            input,
            reply_is_secret: false,
            max_steps: report.steps_left(),
            reply_mode: self.reply_mode,
            planner: report.run.facts.planner,
            principal: self.principal.clone(),
            connection: None,
        };
        self.agent.resume(next).await
    }

    async fn current_report(&self, report: &Report) -> Result<Report, AgentError> {
        self.agent.report_after_direct_action(report.session_id, &self.principal).await
    }
}

/// Returns when the question is not open any more.
async fn answered_elsewhere(agent: &Agent, principal: &Principal, report: &Report, number: u32) {
    let mut changes = agent.changes();
    // Before the look, so that what happens meanwhile is seen.
    let mut seen = agent.activity(principal);
    loop {
        let now = agent.report_after_direct_action(report.session_id, principal).await;
        if now.is_ok_and(|now| now.question_number() != Some(number)) {
            return;
        }
        // Of the runs of others nothing is read.
        while agent.activity(principal) == seen {
            if changes.changed().await.is_err() {
                pending::<()>().await;
            }
        }
        seen = agent.activity(principal);
    }
}
