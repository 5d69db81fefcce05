//! How a question of the agent reaches a person: by the best way that the client of this call has.
//!
//! A client of 2026-07-28 that shows forms gets an `InputRequiredResult` and calls again with the
//! answer; an older one that shows forms is sent `elicitation/create` while its call waits; every other
//! gets the question as the result of the tool. On each rung the session waits on its own, so that an
//! answer which never comes loses nothing.
mod form;
mod request_state;
mod retry;
#[cfg(test)]
mod tests;

use std::time::Duration;

use ayeaye_agent::{ContinueTask, Follower, Question, ReplyMode, Report, StopReason, UserInput};
use rmcp::model::{
    CallToolResponse, ClientResult, ElicitRequest, ElicitResult, InputRequest, InputRequests,
    InputRequiredResult, ServerRequest,
};
use rmcp::service::{PeerRequestOptions, RequestContext};
use rmcp::{RoleServer, ServiceError};
use tokio::time::Instant;

pub use form::{FormAnswer, parse_answer, question_form};
pub use request_state::{State, StateCodec, StateError};
pub use retry::RetryContext;

use super::client_support::ClientSupport;
use super::logging;
use super::results::RunResult;
use super::run_wait::{RunWait, WaitOutcome};
use super::tool_error::ToolError;
use super::{Server, results};
use crate::principal;

/// Most questions that one call puts to a person. Clients end a call after 10 rounds; what it has come
/// to should be told before that.
const MAX_ROUNDS: u32 = 8;
/// The name of the answer in `inputResponses`.
const ANSWER_KEY: &str = "reply";
/// How long a person may take while a call of a client waits that is told so meanwhile.
const ANSWER_LIMIT: Duration = Duration::from_mins(5);
/// Nobody reads a question and answers it in less.
const MIN_ANSWER_TIME: Duration = Duration::from_secs(5);

/// Why a question that could have been shown in a form is in the result of the tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// The person would not, or there is none: headless clients decline at once.
    Declined,
    /// The person will not do by hand what was asked.
    GivenUp,
    /// Time was up.
    NoAnswer,
    /// The client would not show it.
    NotShown,
    /// What came was no answer to this form.
    NotUnderstood,
    /// This call has asked often enough.
    TooMany,
}

impl Unanswered {
    /// The word on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Declined => "declined",
            Self::GivenUp => "given_up",
            Self::NoAnswer => "no_answer",
            Self::NotShown => "not_shown",
            Self::NotUnderstood => "not_understood",
            Self::TooMany => "too_many",
        }
    }
}

impl Server {
    /// The ladder of one call.
    pub(super) fn questions<'a>(
        &'a self,
        retry: &'a RetryContext,
        ctx: &'a RequestContext<RoleServer>,
        wait: Duration,
        reply_mode: ReplyMode,
    ) -> QuestionDelivery<'a> {
        let client = ClientSupport::of(ctx);
        let following = RunWait::new(&self.agent, wait, ctx);
        QuestionDelivery {
            server: self,
            retry,
            ctx,
            client,
            following,
            wait,
            reply_mode,
            rounds: 0,
        }
    }
}

/// One call, and how far up it is.
pub(super) struct QuestionDelivery<'a> {
    server: &'a Server,
    retry: &'a RetryContext,
    ctx: &'a RequestContext<RoleServer>,
    client: ClientSupport,
    following: RunWait<'a>,
    /// How long the call waits for its run; whoever wants an answer at once gets no form meanwhile.
    wait: Duration,
    reply_mode: ReplyMode,
    rounds: u32,
}

impl QuestionDelivery<'_> {
    /// Follows a run that this call has begun or joined, or hands it over as a task.
    pub(super) async fn run(self, follower: Follower) -> Result<CallToolResponse, ToolError> {
        if self.client.tasks && follower.running() {
            let report = follower.report();
            return Ok(self.server.tasks.begin(&report, self.client.form).into());
        }
        self.follow(follower).await
    }

    /// Takes the call up again with a person's answer. Nothing here starts a task.
    pub(super) async fn take_answer(mut self) -> Result<CallToolResponse, ToolError> {
        let principal = principal::of(self.ctx);
        let encoded = self.retry.state.as_deref().ok_or_else(ToolError::state_missing)?;
        let (session, state) =
            self.server.state_codec.decode(encoded, &principal).map_err(|err| match err {
                StateError::Expired => ToolError::state_expired(),
                StateError::Foreign => ToolError::state_foreign(),
            })?;
        if state.call != self.retry.call {
            return Err(ToolError::state_foreign());
        }
        self.rounds = state.round;
        let report = self.server.agent.report_after_direct_action(session, &principal).await?;
        let open = report.question_number() == Some(state.question);
        let Some(question) = report.question.as_ref().filter(|_| open) else {
            // It has been answered: by this very answer, sent twice, or by another call.
            let words = UserInput::Answer { question: state.question, text: String::new() };
            return match self.resume(&report, words).await {
                Ok(follower) => self.follow(follower).await,
                Err(err) => Err(err.into()),
            };
        };
        let result = match self.retry.answers.get(ANSWER_KEY) {
            Some(given) => serde_json::from_value::<ElicitResult>(given.clone()).ok(),
            // Nothing came with it: the same question once more.
            None if self.can_require() => {
                return Ok(self.required(&report, question, state.question));
            }
            None => return Ok(to_tool_result(&report, None)),
        };
        match result.map_or(FormAnswer::Invalid, |result| form::parse_answer(question, &result)) {
            FormAnswer::Text(text) => {
                let follower = self.send_answer(&report, state.question, text).await?;
                self.follow(follower).await
            }
            FormAnswer::Declined => Ok(to_tool_result(&report, Some(Unanswered::Declined))),
            FormAnswer::GivenUp => Ok(to_tool_result(&report, Some(Unanswered::GivenUp))),
            FormAnswer::Invalid if MAX_ROUNDS <= self.rounds || !self.can_require() => {
                Ok(to_tool_result(&report, Some(Unanswered::NotUnderstood)))
            }
            FormAnswer::Invalid => {
                self.rounds += 1;
                Ok(self.required(&report, question, state.question))
            }
        }
    }

    async fn follow(mut self, mut follower: Follower) -> Result<CallToolResponse, ToolError> {
        loop {
            let level = self.server.levels.of(self.ctx);
            let following = self.following.follow(follower.clone());
            let report =
                logging::with_run_messages(level, follower.clone(), self.ctx, following).await?;
            let asks = report.stop_reason == StopReason::InfoActionNeedsReply
                && self.reply_mode == ReplyMode::PassToClient
                && self.client.form
                && !self.ctx.ct.is_cancelled();
            let (Some(number), Some(question), true) =
                (report.question_number(), &report.question, asks)
            else {
                return Ok(to_tool_result(&report, None));
            };
            if MAX_ROUNDS <= self.rounds {
                return Ok(to_tool_result(&report, Some(Unanswered::TooMany)));
            }
            self.rounds += 1;
            if self.client.modern {
                return Ok(self.required(&report, question, number));
            }
            match self.elicit(&report, question).await {
                Ok(FormAnswer::Text(text)) => {
                    follower = self.send_answer(&report, number, text).await?
                }
                // The same follower tells the same question, and it is asked once more.
                Ok(FormAnswer::Invalid) => {}
                Ok(FormAnswer::Declined) => {
                    return Ok(to_tool_result(&report, Some(Unanswered::Declined)));
                }
                Ok(FormAnswer::GivenUp) => {
                    return Ok(to_tool_result(&report, Some(Unanswered::GivenUp)));
                }
                Err(why) => {
                    // It may have been answered elsewhere meanwhile.
                    let agent = &self.server.agent;
                    let now = agent
                        .report_after_direct_action(report.session_id, &principal::of(self.ctx))
                        .await?;
                    let waits = now.question_number() == Some(number);
                    return Ok(to_tool_result(&now, why.filter(|_| waits)));
                }
            }
        }
    }

    /// Whether this client can be asked to call again. It says so anew with each call.
    fn can_require(&self) -> bool {
        self.client.modern && self.client.form
    }

    /// The question for a client that calls again with the answer.
    fn required(&self, report: &Report, question: &Question, number: u32) -> CallToolResponse {
        let state = State {
            session: report.session_id.to_string(),
            question: number,
            round: self.rounds,
            call: self.retry.call.clone(),
        };
        let encoded = self.server.state_codec.encode(&state, &principal::of(self.ctx));
        let form = ElicitRequest::new(form::question_form(question, report));
        let requests =
            InputRequests::from([(ANSWER_KEY.to_owned(), InputRequest::Elicitation(form))]);
        InputRequiredResult::new(Some(requests), Some(encoded)).into()
    }

    /// Asks while the call waits. `Err(None)`: there was no time to ask, or the call is over.
    ///
    /// This must stay in the future of the call: what ties the question to it does not pass a spawn,
    /// and over HTTP the question would go to a stream that many clients do not open.
    async fn elicit(
        &mut self,
        report: &Report,
        question: &Question,
    ) -> Result<FormAnswer, Option<Unanswered>> {
        // A client that is told of progress waits longer, as a rule; another one has its own limit,
        // which the wait was chosen for.
        let limit = if self.client.progress {
            ANSWER_LIMIT
        } else {
            self.following.rest().min(ANSWER_LIMIT)
        };
        if limit.min(self.wait) < MIN_ANSWER_TIME {
            return Err(None);
        }
        let begun = Instant::now();
        let form = ElicitRequest::new(form::question_form(question, report));
        let request = ServerRequest::ElicitRequest(form);
        let sent =
            self.ctx.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let mut handle = sent.await.map_err(|err| Some(not_shown(&err)))?;
        let what = "waiting for the user's answer";
        let waited = self.following.wait_for(what, limit, &mut handle.rx).await;
        if self.client.progress {
            self.following.extend(begun.elapsed());
        }
        let why = match waited {
            WaitOutcome::Done(Ok(Ok(ClientResult::ElicitResult(result)))) => {
                return Ok(form::parse_answer(question, &result));
            }
            WaitOutcome::Done(Ok(Ok(_))) => return Ok(FormAnswer::Invalid),
            WaitOutcome::Done(Ok(Err(err))) => return Err(Some(not_shown(&err))),
            WaitOutcome::Done(Err(_)) => return Err(Some(Unanswered::NotShown)),
            WaitOutcome::Cancelled => None,
            WaitOutcome::TimedOut => Some(Unanswered::NoAnswer),
        };
        let over = Some("the question is not waited for any more".to_owned());
        tokio::select! {
            biased;
            // A connection that is going down takes nothing more: it would be waited for in vain.
            () = self.server.agent.closing() => {}
            cancelled = handle.cancel(over) => if let Err(err) = cancelled {
                tracing::debug!("a form was not taken back: {err}");
            }
        }
        Err(why)
    }

    /// Hands an answer to the session. Whatever is in the way, the answer is not lost silently.
    async fn send_answer(
        &self,
        report: &Report,
        question: u32,
        text: String,
    ) -> Result<Follower, ToolError> {
        let words = UserInput::Answer { question, text };
        let delivered = self.resume(report, words).await;
        delivered.map_err(|err| ToolError::undelivered(report.session_id, &err))
    }

    async fn resume(
        &self,
        report: &Report,
        input: UserInput,
    ) -> Result<Follower, ayeaye_agent::AgentError> {
        let next = ContinueTask {
            session_id: report.session_id,
            device_id: None,
            input,
            reply_is_secret: false,
            max_steps: report.steps_left(),
            reply_mode: self.reply_mode,
            planner: report.run.facts.planner,
            principal: principal::of(self.ctx),
        };
        self.server.agent.resume(next).await
    }
}

fn not_shown(err: &ServiceError) -> Unanswered {
    tracing::debug!("the client did not show a question: {err}");
    Unanswered::NotShown
}

/// The last rung: the result of the tool.
fn to_tool_result(report: &Report, asked: Option<Unanswered>) -> CallToolResponse {
    results::structured(&RunResult::from(report).asked(asked)).into()
}
