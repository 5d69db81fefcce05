//! A session as the page shows it: a line in lists, and the whole.
use std::sync::Arc;

use ayeaye_agent::gate::Policy;
use ayeaye_agent::journal::Summary;
use ayeaye_agent::{
    ActedBy, Agent, AgentError, DIRECT_REQUEST, DeviceId, Follower, Principal, Question, ReplyMode,
    Report, RunPhase, SessionId, SessionInBrief, StopReason, error_chain,
};
use serde::Serialize;
use serde_json::Value;

use super::steps::{ReadSteps, Round, Step, StepReader, to_millis, whole};
use crate::mcp::results::{is_given_up, waits};
use crate::text::{short_lines, truncate};

/// Longest task and longest message, in characters.
const MAX_TEXT: usize = 2000;
/// The most characters in lists, which show a line or two of them and are sent whole at every change.
pub(super) const MAX_LISTED: usize = 300;

/// A session in short.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "the page's own words")]
pub(super) struct SessionLine {
    pub(super) session_id: String,
    task: String,
    device_id: String,
    device_model: String,
    pub(super) running: bool,
    /// Whether a question waits for an answer: the run has stopped for it, or stands still until it comes.
    pub(super) waiting: bool,
    stop_reason: &'static str,
    message: String,
    step_count: u32,
    started_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    ended_at: Option<String>,
    /// Of all steps that are over.
    model_ms: u64,
    other_ms: u64,
    cost_usd: f64,
    cost_known: bool,
    /// Whether it waits for its turn on its phone.
    queued: bool,
    /// Until when its phone is waited for, which has gone away.
    #[serde(skip_serializing_if = "Option::is_none")]
    away_until: Option<String>,
    /// Whether its phone is in another process, so that here a phone of that name is another one.
    elsewhere: bool,
    /// Whether it holds acts by hand only, and no task.
    by_hand: bool,
    /// Whether a person has its phone in hand for it. What they do there is no run that goes on.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    driven: bool,
    /// `client` or `person`: who acted on the phone in place of the agent, which is how it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    acted_by: Option<&'static str>,
    /// Whether nothing is known of it but that its record cannot be read.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    unreadable: bool,
}

/// A line with the text of the question, for lists.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct ListItem {
    #[serde(flatten)]
    pub(super) line: SessionLine,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    /// Tells it from every other of the session, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    question_step: Option<u32>,
}

/// A session with its steps.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct View {
    #[serde(flatten)]
    pub(super) head: Head,
    pub(super) steps: Vec<Step>,
    /// The last event of the record that was read.
    #[serde(skip)]
    pub(super) last_seq: u64,
}

/// What a viewer is told who has some of the steps.
#[derive(Serialize)]
struct News<'a> {
    #[serde(flatten)]
    head: &'a Head,
    steps: &'a [Step],
    /// The first of these steps; where there are none, the number after the last there is.
    steps_from: u32,
}

/// A session without its steps.
#[derive(Debug, PartialEq, Serialize)]
pub(super) struct Head {
    #[serde(flatten)]
    pub(super) line: SessionLine,
    rounds: Vec<Round>,
    /// The first of the steps that are given.
    first_step: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<WaitingQuestion>,
    /// What can be done now, in a sentence.
    next: &'static str,
    can: Can,
}

/// A question that waits.
#[derive(Debug, Clone, PartialEq, Serialize)]
struct WaitingQuestion {
    /// Tells it from every other of the session.
    step: u32,
    kind: &'static str,
    text: String,
    options: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    asks_for_secret: bool,
}

/// What may be done with a session now.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "each is the state of a control")]
struct Can {
    answer: bool,
    guide: bool,
    pause: bool,
    stop: bool,
    resume: bool,
    /// Take its phone over.
    take: bool,
    new_task: bool,
}

/// What is known of a session besides its summary.
#[derive(Debug, Clone, Copy, Default)]
struct Told<'a> {
    /// Where the summary alone does not tell how it stands.
    report: Option<&'a Report>,
    /// Its run waits for an answer.
    asks: bool,
    /// Another server has it.
    elsewhere: bool,
    /// A person has its phone in hand.
    driven: bool,
}

impl SessionLine {
    fn new(id: SessionId, summary: &Summary, told: Told<'_>) -> Self {
        let Told { report, asks, elsewhere, driven } = told;
        let (ended, message) = (summary.stop_reason, summary.message.as_str());
        let told = match report {
            // Acts by hand after a task do not change what the session was about, nor what came of it.
            Some(report) if report.is_by_hand() => {
                let reason = Some(report.stop_reason);
                let reason = reason.filter(|it| *it == StopReason::StillRunning).or(ended);
                (&summary.task, reason.or(Some(report.stop_reason)), message)
            }
            Some(report) => (&report.task, Some(report.stop_reason), report.message.as_str()),
            None => (&summary.task, ended, message),
        };
        let (task, stop_reason, message) = told;
        let stop_reason = stop_reason.unwrap_or(StopReason::StillRunning);
        let running = stop_reason == StopReason::StillRunning && !driven;
        let away_until = report.and_then(Report::waits_for_phone_until).map(str::to_owned);
        Self {
            session_id: id.to_string(),
            task: short_lines(task, MAX_TEXT),
            device_id: summary.device.device_id.clone(),
            device_model: summary.device.model.clone(),
            running,
            waiting: (asks || !running) && summary.question.is_some(),
            stop_reason: stop_reason.name(),
            message: short_lines(message, MAX_TEXT),
            step_count: summary.steps,
            started_at: to_millis(summary.started),
            ended_at: (!running).then(|| to_millis(summary.last)),
            model_ms: whole(summary.model_ms),
            other_ms: whole(summary.other_ms),
            cost_usd: summary.cost_usd,
            cost_known: summary.cost_known,
            queued: away_until.is_none() && report.is_some_and(|it| waits(it).is_some()),
            away_until,
            elsewhere,
            by_hand: task == DIRECT_REQUEST,
            driven,
            acted_by: ActedBy::of_end(stop_reason, message).map(ActedBy::name),
            unreadable: false,
        }
    }
}

impl SessionLine {
    /// Whether it goes on, or waits for somebody or for its phone.
    pub(super) fn is_open(&self) -> bool {
        self.running || self.waiting || self.queued || self.driven
    }
}

impl ListItem {
    /// A session of this principal. One that cannot be read says why.
    pub(super) async fn read(
        agent: &Agent,
        id: SessionId,
        summary: Result<Summary, AgentError>,
        principal: &Principal,
    ) -> Self {
        let mut summary = match summary {
            Ok(summary) => summary,
            Err(err) => return Self::unreadable(id, &err),
        };
        let run = agent.follow(id, principal).await;
        let mut report = run.as_ref().map(Follower::report);
        if report.is_none() && summary.stop_reason.is_none() {
            // Another process drives it, or one has died.
            match agent.in_brief(id, principal).await {
                Ok(SessionInBrief::Run(its)) => report = Some(its),
                Ok(SessionInBrief::Record { summary: its, stop_reason, message }) => {
                    summary = Summary { stop_reason: Some(stop_reason), message, ..*its };
                }
                Err(_) => {}
            }
        }
        let elsewhere = agent.is_phone_elsewhere(&summary);
        let asks = run.as_ref().is_some_and(asks);
        // The phones that are driven are few, and known without a look at the store.
        let device = DeviceId::new(summary.device.device_id.clone());
        let driven = agent.hold_on(&device, principal).is_some() && is_driven(agent, id).await;
        let told = Told { report: report.as_deref(), asks, elsewhere, driven };
        let mut line = SessionLine::new(id, &summary, told);
        line.task = truncate(&line.task, MAX_LISTED);
        line.message = truncate(&line.message, MAX_LISTED);
        let question = summary.question.filter(|_| line.waiting);
        let question_step = summary.asked_at_step.filter(|_| line.waiting);
        Self { line, question: question.map(|text| short_lines(&text, MAX_TEXT)), question_step }
    }

    fn unreadable(id: SessionId, err: &AgentError) -> Self {
        let started = id.created().unwrap_or_default();
        let line = SessionLine {
            session_id: id.to_string(),
            task: String::new(),
            device_id: String::new(),
            device_model: String::new(),
            running: false,
            waiting: false,
            stop_reason: StopReason::StorageFailed.name(),
            message: short_lines(&error_chain(err), MAX_TEXT),
            step_count: 0,
            started_at: to_millis(started),
            ended_at: None,
            model_ms: 0,
            other_ms: 0,
            cost_usd: 0.0,
            cost_known: false,
            queued: false,
            away_until: None,
            elsewhere: false,
            by_hand: false,
            driven: false,
            acted_by: None,
            unreadable: true,
        };
        Self { line, question: None, question_step: None }
    }
}

/// What the page shows and does, and what not.
#[derive(Debug, Clone)]
pub(super) struct PageRules {
    /// Whether nothing may be done on it.
    pub(super) read_only: bool,
    pub(super) policy: Policy,
}

impl PageRules {
    /// The policy that hides screens from this principal, if it does. To whoever runs the server nothing of their own
    /// phone is private.
    pub(super) fn hidden_from(&self, principal: &Principal) -> Option<Policy> {
        let hides = *principal != Principal::local() && !self.policy.private_apps.is_empty();
        hides.then(|| self.policy.clone())
    }
}

/// The steps of a session, all or those before one, without the pictures that the policy hides.
pub(super) async fn read_steps(
    agent: &Agent,
    id: SessionId,
    before: Option<u32>,
    hidden: Option<Policy>,
) -> Result<ReadSteps, AgentError> {
    let mut reader = StepReader::new(id, before, hidden);
    agent.journal().visit_compact(&id, &mut |event| reader.apply(&event)).await?;
    Ok(reader.finish()?)
}

impl View {
    /// Reads a session, which this principal may see.
    pub(super) async fn read(
        agent: &Agent,
        id: SessionId,
        principal: &Principal,
        rules: &PageRules,
    ) -> Result<Self, AgentError> {
        let read_only = rules.read_only;
        let run = agent.follow(id, principal).await;
        let report = match &run {
            Some(run) => run.report(),
            None => Arc::new(agent.report(id, principal).await?),
        };
        let asks = run.as_ref().is_some_and(asks);
        let ReadSteps { summary, steps, rounds } =
            read_steps(agent, id, None, rules.hidden_from(principal)).await?;
        let elsewhere = agent.is_phone_elsewhere(&summary);
        let driven = is_driven(agent, id).await;
        let told = Told { report: Some(&report), asks, elsewhere, driven };
        let line = SessionLine::new(id, &summary, told);
        let question = report.question.as_ref().filter(|_| line.waiting);
        let can = if read_only { Can::default() } else { Can::of(&line, &report, &summary) };
        let head = Head {
            first_step: steps.first().map_or(0, |step| step.index),
            question: question.map(|question| WaitingQuestion::new(question, report.asked_at_step)),
            next: next(&line, &report, read_only),
            can,
            rounds,
            line,
        };
        Ok(Self { head, steps, last_seq: summary.last_seq })
    }

    /// As JSON, with the steps that are missing from the earlier view, or differ in it.
    pub(super) fn since(&self, earlier: Option<&Self>) -> Value {
        let known = |step: &Step| {
            earlier.is_some_and(|it| {
                it.steps.iter().rev().any(|known| known.index == step.index && known == step)
            })
        };
        let from = self.steps.iter().position(|step| !known(step)).unwrap_or(self.steps.len());
        let steps = &self.steps[from..];
        let after = self.steps.last().map_or(0, |step| step.index.saturating_add(1));
        let steps_from = steps.first().map_or(after, |step| step.index);
        let news = News { head: &self.head, steps, steps_from };
        serde_json::to_value(news).expect("texts, numbers and lists are JSON")
    }
}

impl WaitingQuestion {
    fn new(question: &Question, step: u32) -> Self {
        Self {
            step,
            kind: question.kind.name(),
            text: short_lines(&question.text, MAX_TEXT),
            options: question.options.clone(),
            app: question.app.clone(),
            asks_for_secret: question.asks_for_secret(),
        }
    }
}

impl Can {
    fn of(line: &SessionLine, report: &Report, summary: &Summary) -> Self {
        if line.running {
            let take = !line.queued && line.away_until.is_none() && !line.elsewhere;
            // What is said to a run that asks is its answer.
            let (answer, guide) = (line.waiting, !line.waiting);
            return Self { answer, guide, pause: true, stop: true, take, ..Self::default() };
        }
        // A phone can be driven without its last run, too, which is left as it ended.
        let take = !report.stop_reason.ends_round() && !line.elsewhere;
        let idle = Self { take, new_task: true, ..Self::default() };
        if line.waiting {
            return Self { answer: true, stop: true, ..idle };
        }
        // What was given up has no request left to go on with.
        let is_left = summary.round_open || summary.rounds == 0;
        let goes_on = is_left && !report.stop_reason.ends_round() && !report.is_by_hand();
        Self { guide: goes_on, resume: goes_on, ..idle }
    }
}

/// Whether a run stands still until somebody here answers. One that goes on with an answer has the question for a
/// moment, too, and one that asks its client ends.
fn asks(run: &Follower) -> bool {
    let update = run.update();
    let mode = &update.report.run.facts.reply_mode;
    update.running && update.phase == RunPhase::Asking && *mode == ReplyMode::ManualReply
}

/// Whether a person has a session's phone in hand, as far as that can be told.
async fn is_driven(agent: &Agent, id: SessionId) -> bool {
    agent.is_in_hand(id).await.unwrap_or_else(|err| {
        tracing::debug!(session = %id, "whether it is driven by hand: {}", error_chain(&err));
        false
    })
}

/// What a person can do about a session.
fn next(line: &SessionLine, report: &Report, read_only: bool) -> &'static str {
    if read_only {
        return "This server only shows.";
    }
    if line.queued {
        return "It is waiting for its turn on the phone: stop it to take it out of the queue.";
    }
    if line.away_until.is_some() {
        return "Its phone has gone away and is waited for: connect it again, or stop the run.";
    }
    if line.elsewhere {
        return "Its virtual phone is, or was, in another process. If resumed here, it uses this server's.";
    }
    if line.driven {
        return "Its phone is driven by hand: hand it back to the agent, or say that you are done with it.";
    }
    if line.running && !line.waiting {
        return "It is running: advise it, pause it to act yourself, or stop it.";
    }
    if line.waiting {
        return "It is waiting for your answer. You can also act on the phone yourself first, or give up the task.";
    }
    match report.stop_reason {
        StopReason::TaskCompletedSuccessfully => {
            "Done. Give it something else to do in the same session."
        }
        StopReason::TaskAbortedByAgent => {
            "The agent gave up: the message says why. Put it differently, or act yourself."
        }
        StopReason::ModelFailed => {
            "The model did not give a usable answer: `ayeaye doctor` checks it. Then resume."
        }
        StopReason::DeviceLost => "The phone was lost. When it is back, resume.",
        StopReason::BudgetReached => {
            "A limit is used up: raise it in ayeaye.toml, restart the server, and resume."
        }
        StopReason::StorageFailed => {
            "The record cannot be written or read: the message says why. Fix that, then resume."
        }
        StopReason::NoProgress => "It was stuck. Act on the phone, or resume with advice.",
        _ if report.is_by_hand() => {
            "You acted on the phone yourself. Act again, or give the agent a task."
        }
        _ if is_given_up(report) => "This request was given up: give it another task.",
        _ => "Nothing is lost: resume it, advise it, or give it another task.",
    }
}

#[cfg(test)]
pub(super) mod tests;
