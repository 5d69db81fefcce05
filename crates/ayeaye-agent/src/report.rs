//! What a run has come to, as it is told to whoever follows it.
mod words;

use jiff::Timestamp;

use crate::event::{ASKED_FIRST, ActionRecord, DeviceRecord, RunRecord};
use crate::{Question, SessionId, StopReason};

/// The request of a round that is the client's own.
pub const DIRECT_REQUEST: &str = "Direct control by the client";

/// A request in a user's words, as it is recorded. One that reads as [`DIRECT_REQUEST`] gets a full stop, since it is told
/// from that by its words.
pub(crate) fn request_of_user(mut words: String) -> String {
    if words == DIRECT_REQUEST {
        words.push('.');
    }
    words
}

/// How the message ends of a run that broke off, where the user has said secrets.
pub(crate) const SECRETS_ARE_LOST: &str =
    ", but secrets that the user said are not recorded: the agent may ask for them again";

/// What is said of replies that could not be used, behind whose they are.
pub(crate) const UNUSABLE: &str = "reply could not be used, ";

/// What is said of a phone that has gone away begins with this; a time follows, and why.
pub(crate) const WAITS_FOR_PHONE: &str = "The phone is waited for until ";

/// How a run ends that may take no longer.
pub(crate) const RUN_TIME_USED_UP: &str = "the time for one run is used up";
/// How the message ends where a session may have no more steps, behind their number.
pub(crate) const SESSION_STEPS_USED_UP: &str = " steps of this session are used up";

/// How a run ended whose end is not recorded, by the question that waits, if one does.
pub(crate) fn outcome_without_end(question: Option<&str>) -> (StopReason, String) {
    match question {
        Some(question) => (StopReason::InfoActionNeedsReply, question.to_owned()),
        None => (
            StopReason::ServerRestarted,
            "this run has no recorded end: its server stopped, or the record could not be written (a full disk); \
             nothing that was recorded is lost"
                .to_owned(),
        ),
    }
}

/// What is said of a run that a fault of this program has broken off.
const FAILED_INSIDE: &str = "the run failed inside the server, which has not restarted; this is a bug, and its log \
                             (stderr) has the details. Nothing that was recorded is lost";

/// What a run has come to. Made from the session's record alone, so that it is the same while the
/// run is followed, afterwards, and after a restart.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// The session.
    pub session_id: SessionId,
    /// Why it stopped, or [`StopReason::StillRunning`].
    pub stop_reason: StopReason,
    /// The request of the current round.
    pub task: String,
    /// The phone.
    pub device: DeviceRecord,
    /// Steps of the whole session.
    pub global_steps: u32,
    /// Steps of this run.
    pub local_steps: u32,
    /// What was decided last.
    pub final_action: Option<StepSummary>,
    /// COMPLETE's return, ABORT's reason, or what went wrong.
    pub message: String,
    /// What waits for an answer.
    pub question: Option<Question>,
    /// The last question that was answered in this run, and the answer.
    pub answered: Option<(Question, String)>,
    /// The steps of this run, oldest first.
    pub steps: Vec<StepSummary>,
    /// Time and tokens of this run.
    pub usage: Usage,
    /// The last step that has a picture.
    pub screenshot_step: Option<u32>,
    /// Which run of the session it is.
    pub run: RunInfo,
    /// When a run or a step last began or ended, or something was asked.
    pub updated: Option<Timestamp>,
    /// Number of the last question: steps of the session when it was asked, or more where it had asked before at
    /// that step; what the client does since adds steps.
    pub asked_at_step: u32,
    /// Whether its request was carried out or given up, so that only another one goes on with the session.
    pub is_over: bool,
}

/// A run among the others of its session.
#[derive(Debug, Clone, PartialEq)]
pub struct RunInfo {
    /// Counted from 0.
    pub number: u32,
    /// The run whose question this one goes on from, over several answers; else this one.
    pub began: u32,
    /// What it was started with.
    pub facts: RunRecord,
}

impl RunInfo {
    /// The next run, of which nothing is recorded yet.
    pub(crate) fn next(self) -> Self {
        let number = self.number + 1;
        Self { number, began: number, ..self }
    }
}

impl Report {
    /// What is told of a run that has panicked: no end is recorded of it.
    pub(crate) fn of_panicked(&self) -> Self {
        let (stop_reason, mut message) =
            outcome_without_end(self.question.as_ref().map(|it| &*it.text));
        if stop_reason == StopReason::ServerRestarted {
            message = FAILED_INSIDE.to_owned();
        }
        Self { stop_reason, message, ..self.clone() }
    }

    /// Tells this question from every other of the session, when one waits.
    pub fn question_number(&self) -> Option<u32> {
        // A run that was stopped while an operator was waited for leaves its question open too.
        let waits = self.stop_reason != StopReason::StillRunning;
        (waits && self.question.is_some()).then_some(self.asked_at_step)
    }

    /// Whether the question of this number is the one that is asked now.
    pub fn asks(&self, number: u32) -> bool {
        self.question.is_some() && self.asked_at_step == number
    }

    /// Until when (RFC 3339, in UTC) its phone is waited for, which has gone away in the middle of the run.
    pub fn waits_for_phone_until(&self) -> Option<&str> {
        let goes_on = self.stop_reason == StopReason::StillRunning;
        let told = self.message.strip_prefix(WAITS_FOR_PHONE).filter(|_| goes_on)?;
        told.split_once(": ").map(|(until, _)| until)
    }

    /// Whether no question waits because it has been answered: what is said from here on is advice.
    pub fn is_answered(&self) -> bool {
        let goes_on = self.answered.is_some() || self.run.began != self.run.number;
        self.question.is_none() && goes_on
    }

    /// Whether these words are the answer that was just taken, brought once more.
    pub(crate) fn repeats_answer(&self, text: &str) -> bool {
        let just_now = self.question.is_none() && self.local_steps <= 1;
        just_now && self.is_last_answer(text)
    }

    /// Whether these words are the last answer of this run.
    pub(crate) fn is_last_answer(&self, text: &str) -> bool {
        self.answered.as_ref().is_some_and(|(question, answer)| {
            text == answer || question.chosen(text.to_owned()).is_ok_and(|it| it == *answer)
        })
    }

    /// Whether the client acted on the phone itself in this round: it has no request to go on with, or to advise.
    pub fn is_by_hand(&self) -> bool {
        self.task == DIRECT_REQUEST
    }

    /// Whether its session may have no more steps, however many each call is given.
    pub fn is_session_used_up(&self) -> bool {
        self.stop_reason == StopReason::MaxStepsReached
            && self.message.ends_with(SESSION_STEPS_USED_UP)
    }

    /// Whether its model answered, and nothing came of what it said.
    pub fn has_unusable_replies(&self) -> bool {
        self.stop_reason == StopReason::ModelFailed && self.message.contains(UNUSABLE)
    }

    /// Whether nothing was used up but the time of one run: the next one has as much again.
    pub fn is_run_time_used_up(&self) -> bool {
        self.stop_reason == StopReason::BudgetReached && self.message == RUN_TIME_USED_UP
    }

    /// Whether the user has said secrets that ended with the server that knew them.
    pub fn has_lost_secrets(&self) -> bool {
        self.stop_reason == StopReason::ServerRestarted && self.message.ends_with(SECRETS_ARE_LOST)
    }

    /// How many steps of this run are left for another one that goes on with it, at least 1.
    pub fn steps_left(&self) -> u32 {
        self.run.facts.max_steps.saturating_sub(self.local_steps).max(1)
    }
}

/// One step in a report.
#[derive(Debug, Clone, PartialEq)]
pub struct StepSummary {
    /// Counted from 0 through the session.
    pub step: u32,
    /// What was decided.
    pub action: ActionRecord,
    /// In a few words.
    pub explain: String,
    /// What the model thought before it decided, cut to 600 characters; empty where it said nothing.
    pub thought: String,
    /// What went wrong.
    pub error: Option<String>,
    /// Why it is not certain that it had its effect.
    pub uncertain: Option<String>,
    /// What the user was asked in it, as they were asked: the gate's question may take the place of the model's own.
    pub asked: Option<String>,
    /// The screen in words, where that was wanted.
    pub caption: Option<String>,
}

/// Time, tokens and money of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Usage {
    /// Milliseconds waited for models.
    pub model_ms: f64,
    /// Milliseconds for everything else: looking, acting, settling, recording.
    pub other_ms: f64,
    /// Tokens sent.
    pub prompt_tokens: u64,
    /// Tokens received.
    pub completion_tokens: u64,
    /// US dollars.
    pub cost_usd: f64,
    /// Whether every call's price is known.
    pub cost_known: bool,
}

impl StepSummary {
    /// Whether its act waits for the user's word, so that nothing went wrong.
    pub fn is_only_asked(&self) -> bool {
        self.error.as_deref() == Some(ASKED_FIRST)
    }

    /// The step in one short line, for progress and terminals.
    pub fn describe(&self) -> String {
        let mut line = self.action.describe();
        if !self.explain.is_empty() {
            line.push_str(" \u{2013} ");
            line.extend(self.explain.chars().take(160));
        }
        if self.is_only_asked() {
            line.push_str(&self.asked_first());
        } else if let Some(error) = &self.error {
            line.push_str(" (failed: ");
            line.extend(error.chars().take(160));
            line.push(')');
        }
        if let Some(why) = &self.uncertain {
            line.push_str(" (not certain: ");
            line.extend(why.chars().take(160));
            line.push(')');
        }
        line
    }
}

impl ActionRecord {
    /// The action in a few words, such as `CLICK 512,203`.
    pub fn describe(&self) -> String {
        let mut words = self.function.clone();
        for (key, value) in &self.arguments {
            let text = match value {
                serde_json::Value::String(text) => text.chars().take(60).collect(),
                serde_json::Value::Array(numbers) => {
                    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
                }
                serde_json::Value::Bool(true) => key.clone(),
                serde_json::Value::Number(number) => number.to_string(),
                serde_json::Value::Object(question) => match question.get("text") {
                    Some(serde_json::Value::String(text)) => text.chars().take(160).collect(),
                    _ => continue,
                },
                serde_json::Value::Bool(false) | serde_json::Value::Null => continue,
            };
            words.push(' ');
            words.push_str(&text);
        }
        words
    }
}
