//! How a question of the agent reaches a person: by the best way that the client of this call has.
//!
//! A client of 2026-07-28 that shows forms gets an `InputRequiredResult` and calls again with the
//! answer; an older one that shows forms is sent `elicitation/create` while its call waits; every other
//! gets the question as the result of the tool. On each rung the session waits on its own, so that an
//! answer which never comes loses nothing.
mod form;
mod origin;
mod seal;
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

pub use form::{Said, of as form_of, said};
pub use origin::Origin;
pub use seal::{Broken, Seal, State};

use super::caller::Caller;
use super::follow::{Following, Waited};
use super::logging;
use super::results::RunResult;
use super::tool_error::ToolError;
use super::{Server, results};
use crate::http::principal;

/// Most questions that one call puts to a person. Clients end a call after 10 rounds; what it has come
/// to should be told before that.
const MOST_ROUNDS: u32 = 8;
/// The name of the answer in `inputResponses`.
const ANSWER: &str = "reply";
/// How long a person may take while a call of a client waits that is told so meanwhile.
const PATIENCE: Duration = Duration::from_mins(5);
/// Nobody reads a question and answers it in less.
const LEAST_PATIENCE: Duration = Duration::from_secs(5);

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
    pub(super) fn ladder<'a>(
        &'a self,
        origin: &'a Origin,
        ctx: &'a RequestContext<RoleServer>,
        wait: Duration,
        reply_mode: ReplyMode,
    ) -> Ladder<'a> {
        let caller = Caller::of(ctx);
        let following = Following::new(&self.agent, wait, ctx);
        Ladder { server: self, origin, ctx, caller, following, wait, reply_mode, rounds: 0 }
    }
}

/// One call, and how far up it is.
pub(super) struct Ladder<'a> {
    server: &'a Server,
    origin: &'a Origin,
    ctx: &'a RequestContext<RoleServer>,
    caller: Caller,
    following: Following<'a>,
    /// How long the call waits for its run; whoever wants an answer at once gets no form meanwhile.
    wait: Duration,
    reply_mode: ReplyMode,
    rounds: u32,
}

impl Ladder<'_> {
    /// Follows a run that this call has begun or joined, or hands it over as a task.
    pub(super) async fn climb(self, follower: Follower) -> Result<CallToolResponse, ToolError> {
        if self.caller.tasks && follower.running() {
            let report = follower.report();
            return Ok(self.server.tasks.begin(&report, self.caller.form).into());
        }
        self.follow(follower).await
    }

    /// Takes the call up again with a person's answer. Nothing here starts a task.
    pub(super) async fn take_answer(mut self) -> Result<CallToolResponse, ToolError> {
        let principal = principal(self.ctx);
        let sealed = self.origin.state.as_deref().ok_or_else(ToolError::state_missing)?;
        let (session, state) =
            self.server.seal.open(sealed, &principal).map_err(|err| match err {
                Broken::Expired => ToolError::state_expired(),
                Broken::Foreign => ToolError::state_foreign(),
            })?;
        if state.call != self.origin.call {
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
        let result = match self.origin.answers.get(ANSWER) {
            Some(given) => serde_json::from_value::<ElicitResult>(given.clone()).ok(),
            // Nothing came with it: the same question once more.
            None if self.can_require() => {
                return Ok(self.required(&report, question, state.question));
            }
            None => return Ok(told(&report, None)),
        };
        match result.map_or(Said::Nonsense, |result| form::said(question, &result)) {
            Said::Text(text) => {
                let follower = self.deliver(&report, state.question, text).await?;
                self.follow(follower).await
            }
            Said::Declined => Ok(told(&report, Some(Unanswered::Declined))),
            Said::GivenUp => Ok(told(&report, Some(Unanswered::GivenUp))),
            Said::Nonsense if MOST_ROUNDS <= self.rounds || !self.can_require() => {
                Ok(told(&report, Some(Unanswered::NotUnderstood)))
            }
            Said::Nonsense => {
                self.rounds += 1;
                Ok(self.required(&report, question, state.question))
            }
        }
    }

    async fn follow(mut self, mut follower: Follower) -> Result<CallToolResponse, ToolError> {
        loop {
            let level = self.server.levels.of(self.ctx);
            let following = self.following.follow(follower.clone());
            let report = logging::along(level, follower.clone(), self.ctx, following).await?;
            let asks = report.stop_reason == StopReason::InfoActionNeedsReply
                && self.reply_mode == ReplyMode::PassToClient
                && self.caller.form
                && !self.ctx.ct.is_cancelled();
            let (Some(number), Some(question), true) =
                (report.question_number(), &report.question, asks)
            else {
                return Ok(told(&report, None));
            };
            if MOST_ROUNDS <= self.rounds {
                return Ok(told(&report, Some(Unanswered::TooMany)));
            }
            self.rounds += 1;
            if self.caller.modern {
                return Ok(self.required(&report, question, number));
            }
            match self.elicit(&report, question).await {
                Ok(Said::Text(text)) => follower = self.deliver(&report, number, text).await?,
                // The same follower tells the same question, and it is asked once more.
                Ok(Said::Nonsense) => {}
                Ok(Said::Declined) => return Ok(told(&report, Some(Unanswered::Declined))),
                Ok(Said::GivenUp) => return Ok(told(&report, Some(Unanswered::GivenUp))),
                Err(why) => {
                    // It may have been answered elsewhere meanwhile.
                    let agent = &self.server.agent;
                    let now = agent
                        .report_after_direct_action(report.session_id, &principal(self.ctx))
                        .await?;
                    let waits = now.question_number() == Some(number);
                    return Ok(told(&now, why.filter(|_| waits)));
                }
            }
        }
    }

    /// Whether this client can be asked to call again. It says so anew with each call.
    fn can_require(&self) -> bool {
        self.caller.modern && self.caller.form
    }

    /// The question for a client that calls again with the answer.
    fn required(&self, report: &Report, question: &Question, number: u32) -> CallToolResponse {
        let state = State {
            session: report.session_id.to_string(),
            question: number,
            round: self.rounds,
            call: self.origin.call.clone(),
        };
        let sealed = self.server.seal.seal(&state, &principal(self.ctx));
        let form = ElicitRequest::new(form::of(question, report));
        let requests = InputRequests::from([(ANSWER.to_owned(), InputRequest::Elicitation(form))]);
        InputRequiredResult::new(Some(requests), Some(sealed)).into()
    }

    /// Asks while the call waits. `Err(None)`: there was no time to ask, or the call is over.
    ///
    /// This must stay in the future of the call: what ties the question to it does not pass a spawn,
    /// and over HTTP the question would go to a stream that many clients do not open.
    async fn elicit(
        &mut self,
        report: &Report,
        question: &Question,
    ) -> Result<Said, Option<Unanswered>> {
        // A client that is told of progress waits longer, as a rule; another one has its own limit,
        // which the wait was chosen for.
        let limit =
            if self.caller.progress { PATIENCE } else { self.following.rest().min(PATIENCE) };
        if limit.min(self.wait) < LEAST_PATIENCE {
            return Err(None);
        }
        let begun = Instant::now();
        let form = ElicitRequest::new(form::of(question, report));
        let request = ServerRequest::ElicitRequest(form);
        let sent =
            self.ctx.peer.send_cancellable_request(request, PeerRequestOptions::no_options());
        let mut handle = sent.await.map_err(|err| Some(not_shown(&err)))?;
        let what = "waiting for the user's answer";
        let waited = self.following.wait_for(what, limit, &mut handle.rx).await;
        if self.caller.progress {
            self.following.extend(begun.elapsed());
        }
        let why = match waited {
            Waited::For(Ok(Ok(ClientResult::ElicitResult(result)))) => {
                return Ok(form::said(question, &result));
            }
            Waited::For(Ok(Ok(_))) => return Ok(Said::Nonsense),
            Waited::For(Ok(Err(err))) => return Err(Some(not_shown(&err))),
            Waited::For(Err(_)) => return Err(Some(Unanswered::NotShown)),
            Waited::Cancelled => None,
            Waited::TooLong => Some(Unanswered::NoAnswer),
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
    async fn deliver(
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
            principal: principal(self.ctx),
        };
        self.server.agent.resume(next).await
    }
}

fn not_shown(err: &ServiceError) -> Unanswered {
    tracing::debug!("the client did not show a question: {err}");
    Unanswered::NotShown
}

/// The last rung: the result of the tool.
fn told(report: &Report, asked: Option<Unanswered>) -> CallToolResponse {
    results::structured(&RunResult::from(report).asked(asked)).into()
}
