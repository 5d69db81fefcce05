//! Mending: what a crash has left open is closed before anything new begins.
//!
//! The rules (notes on the record's format, "Resuming"): a call without an answer has failed; a
//! gesture without an end is never repeated, its outcome is unknown; a step without an end has
//! failed.
use std::time::Duration;

use super::act::{RESET, WAKE};
use super::decide::failure;
use super::{CONTINUE, Draft, Run, RunEnd};
use crate::journal::{Fact, ResponseRecord, RoundEnd, SessionEnd, SessionResume};
use crate::session::{ASSIGN, FAIL, HOST_AGENT, JUDGE, REPLY, SubtaskClosing};
use crate::{Action, Decision, HistoryItem, ModelError, ModelErrorKind};

/// What a further run begins with.
#[derive(Debug, Clone)]
pub(crate) enum ResumeKind {
    /// A session's first run.
    First,
    /// An answer to the question that waits.
    Reply(String),
    /// Advice for the round that goes on.
    Guidance(String),
    /// A new request.
    NextRound(String),
    /// Nothing new: the same round goes on.
    Continue,
}

impl ResumeKind {
    fn why(&self) -> &'static str {
        match self {
            Self::First => "first",
            Self::Reply(_) => REPLY,
            Self::Guidance(_) => "guidance",
            Self::NextRound(_) => "next_round",
            Self::Continue => "go_on",
        }
    }
}

const INTERRUPTED: &str = "interrupted: the server stopped before it was over";
const INTERRUPTED_ACT: &str = "interrupted: the server stopped while it was under way, and it may or \
    may not have been carried out";
const DROPPED: &str = "dropped: the user asked for something else";
const NOT_SENT: &str = "not carried out: the server stopped before it was sent";

impl Run {
    /// Closes what is open. Nothing is, unless the last run's process died.
    pub(super) async fn mend(&mut self) -> Result<(), RunEnd> {
        if let Some(call) = self.session.in_progress.call {
            let lost = ModelError::new(ModelErrorKind::Abandoned, INTERRUPTED, Duration::ZERO);
            let fact = Fact::LlmResponse(failure(&self.session.in_progress.model, call, &lost));
            if self.session.in_progress.judging {
                self.write_of(Some(JUDGE), None, fact).await?;
            } else {
                self.append(fact).await?;
            }
        }
        if let Some((id, name, device)) = self.session.in_progress.tool.clone() {
            let what = if device { INTERRUPTED_ACT } else { INTERRUPTED };
            self.settle_account(id, Err(what.to_owned()), device, 0.0).await?;
            if device && name != RESET && name != WAKE && !self.session.in_progress.by_client {
                self.memory.system_notes.push(format!(
                    "The server was restarted while your last action ({name}) was under way: it may \
                     or may not have been carried out. Look before you repeat it."
                ));
            }
        }
        if self.session.in_progress.step.is_some() {
            let draft = self.what_is_known();
            self.end_step(draft, None).await?;
        }
        Ok(())
    }

    /// What the record knows of a step without an end. The model is told of it like of any other.
    fn what_is_known(&self) -> Draft {
        let open = &self.session.in_progress;
        let decision = open.decision.as_ref().and_then(|parsed| {
            // An action of a later version cannot be told.
            let action = Action::try_from(&parsed.action).ok()?;
            let ResponseRecord { observation, thought, comment, summary, .. } =
                parsed.response.clone();
            Some(Decision { action, thought, explain: comment, summary, observation })
        });
        let response = open.decision.as_ref().map(|parsed| parsed.response.clone());
        let asked = self.session.question.is_some() || open.is_answered();
        let plans = open.agent == HOST_AGENT;
        let (status, result, error) = match (&decision.as_ref().map(|it| &it.action), &open.outcome)
        {
            (Some(Action::Info(_)), _) if asked => ("PENDING", String::new(), None),
            // The app is open: what was to be done in it has been given out.
            (Some(Action::Gesture(_)), Some(end)) if end.success => {
                (if plans { ASSIGN } else { CONTINUE }, end.result.clone(), None)
            }
            (Some(Action::Gesture(_)), Some(end)) => ("ERROR", String::new(), end.error.clone()),
            (Some(Action::Gesture(_)), None) => ("ERROR", String::new(), Some(NOT_SENT.to_owned())),
            _ => ("ERROR", String::new(), Some(INTERRUPTED.to_owned())),
        };
        Draft {
            status: Some(status),
            decision,
            response,
            result,
            error,
            tokens: open.tokens,
            cost_usd: open.cost_usd,
            unpriced: true,
            ..Draft::default()
        }
    }

    /// Opens the run: who said what, and whether the phone is made ready first.
    pub(super) async fn begin(&mut self) -> Result<(), RunEnd> {
        let resume_kind = std::mem::replace(&mut self.resume_kind, ResumeKind::Continue);
        if !matches!(resume_kind, ResumeKind::First) {
            if self.session.stopped.is_none() {
                self.record_crash().await?;
            }
            let run = self.facts.clone();
            let why = resume_kind.why().to_owned();
            self.append(Fact::SessionResume(SessionResume { why, run })).await?;
        }
        match resume_kind {
            ResumeKind::First => self.begin_round(0).await?,
            ResumeKind::Continue => self.begin_first_round().await?,
            ResumeKind::Reply(text) => self.answered(text, "client").await?,
            ResumeKind::Guidance(text) => {
                self.begin_first_round().await?;
                self.advised(text).await?;
            }
            ResumeKind::NextRound(request) => {
                self.drop_round().await?;
                let next = if self.session.history.is_empty() { 0 } else { self.session.round + 1 };
                self.keep_secret(&request);
                self.session.request = self.secrets.redact(&request).into_owned();
                self.begin_round(next).await?;
            }
        }
        self.record.sync().await?;
        self.tell_of_client();
        let untouched =
            !self.session.history.iter().any(|history| matches!(history, HistoryItem::Step(_)));
        if untouched && self.session.counts.steps == 0 { self.reset().await } else { Ok(()) }
    }

    /// The first round, where the process died before it was opened.
    async fn begin_first_round(&mut self) -> Result<(), RunEnd> {
        if self.session.history.is_empty() { self.begin_round(0).await } else { Ok(()) }
    }

    pub(super) async fn begin_round(&mut self, number: u32) -> Result<(), RunEnd> {
        self.session.round = number;
        let request = self.session.request.clone();
        self.append(Fact::RoundStart { request }).await?;
        self.enter(&self.session.next_agent(), CONTINUE).await
    }

    /// A request that is replaced before it was carried out.
    async fn drop_round(&mut self) -> Result<(), RunEnd> {
        if !self.session.round_open {
            return Ok(());
        }
        let result = if self.session.client_round { "handed over to the agent" } else { "" };
        if let Some(subtask) = &self.session.planning.current {
            let index = subtask.index;
            let (status, result) = match self.session.planning.closing.clone() {
                Some(SubtaskClosing::End { status, result }) => (status, result),
                _ => (FAIL.to_owned(), DROPPED.to_owned()),
            };
            self.append(Fact::SubtaskEnd { index, status, result }).await?;
        }
        self.append(Fact::RoundEnd(RoundEnd {
            status: "DROPPED".to_owned(),
            result: result.to_owned(),
            stop_reason: String::new(),
            steps: self.session.counts.round_steps,
            subtask_amount: self.session.planning.assigned,
            cost_usd: self.session.counts.round_cost_usd,
        }))
        .await
    }

    pub(super) async fn record_crash(&mut self) -> Result<(), RunEnd> {
        let counts = self.session.counts;
        let (reason, message) = self.session.crash_outcome();
        self.append(Fact::SessionEnd(SessionEnd {
            stop_reason: reason.name().to_owned(),
            message,
            steps: counts.steps,
            local_steps: self.session.local_steps(),
            cost_usd: counts.cost_usd,
            cost_known: counts.unpriced_calls == 0,
        }))
        .await
    }
}
