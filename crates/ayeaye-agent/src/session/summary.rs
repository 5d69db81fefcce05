//! A session in short.
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::{MissingSessionStart, SessionBuilder};
use crate::event::{DeviceRecord, Event, Fact};
use crate::{SessionId, StopReason};

/// The facts of a session for lists, and for deciding how long it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Name of its folder in projections.
    pub task_name: String,
    /// The current or last request; the client's own acts are none where there was one before.
    pub task: String,
    /// Whose it is, as the record says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<String>,
    /// The phone.
    pub device: DeviceRecord,
    /// The server in whose process the phone is, or was, where no other reaches it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub device_server: Option<String>,
    /// How the last run of that request stopped; `None` while one is under way, or when its process died.
    #[serde(with = "reason")]
    pub stop_reason: Option<StopReason>,
    /// What was said about that.
    pub message: String,
    /// How the client's own acts after that request ended; not known of summaries that were kept before this was in them.
    #[serde(default, with = "reason", skip_serializing_if = "Option::is_none")]
    pub by_hand: Option<StopReason>,
    /// The text of a question that waits for an answer.
    pub question: Option<String>,
    /// Tells it from every other of the session; not known of summaries that were kept before this was in them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub asked_at_step: Option<u32>,
    /// Rounds begun.
    pub rounds: u32,
    /// Whether the current one is still to be carried out.
    #[serde(default)]
    pub round_open: bool,
    /// Steps begun.
    pub steps: u32,
    /// Calls to models.
    pub calls: u32,
    /// Tokens, sent and received.
    pub tokens: u64,
    /// US dollars.
    pub cost_usd: f64,
    /// Whether every call's price is known.
    pub cost_known: bool,
    /// Milliseconds waited for models, in steps that are over.
    pub model_ms: f64,
    /// Milliseconds of those steps for everything else.
    pub other_ms: f64,
    /// The apps that were in front, by their names, else by their packages; of many the first.
    pub apps: Vec<String>,
    /// When its first event was written.
    pub started: Timestamp,
    /// When its last event was written.
    pub last: Timestamp,
    /// Number of its last event.
    pub last_seq: u64,
    /// Of the record and its blobs.
    pub bytes: u64,
}

impl Summary {
    /// Of a record that is whole in memory; `bytes` are those of the record and its blobs.
    pub fn of(id: SessionId, events: &[Event], bytes: u64) -> Result<Self, MissingSessionStart> {
        let mut builder = SummaryBuilder::new(id);
        for event in events {
            builder.apply(event);
        }
        builder.finish(bytes)
    }
}

/// A [`Summary`] in the making, event by event.
#[derive(Debug)]
pub struct SummaryBuilder {
    builder: SessionBuilder,
    task_name: String,
    rounds: u32,
    model_ms: f64,
    other_ms: f64,
    apps: Vec<String>,
    times: Option<(Timestamp, Timestamp)>,
    last_seq: u64,
    /// The request before the client's own acts, and how it stopped.
    before_client: Option<(String, Option<(StopReason, String)>)>,
}

/// Most apps that are named in a summary.
const MOST_APPS: usize = 16;
/// Most characters of an app's name in a summary.
const LONGEST_APP: usize = 80;

impl SummaryBuilder {
    /// Of a record of which nothing was read yet.
    pub fn new(id: SessionId) -> Self {
        let builder = SessionBuilder::new(id);
        Self {
            builder,
            task_name: String::new(),
            rounds: 0,
            model_ms: 0.0,
            other_ms: 0.0,
            apps: Vec::new(),
            times: None,
            last_seq: 0,
            before_client: None,
        }
    }

    /// Takes in the next event.
    pub fn apply(&mut self, event: &Event) {
        let (started, _) = *self.times.get_or_insert((event.ts, event.ts));
        self.times = Some((started, event.ts));
        self.last_seq = event.seq;
        match &event.entry.fact {
            Fact::SessionStart(start) => self.task_name.clone_from(&start.task_name),
            Fact::SessionResume(_) => {
                let session = self.builder.session().filter(|it| !it.client_round);
                if let Some(session) = session.filter(|it| !it.round_open) {
                    self.before_client = Some((session.request.clone(), session.stopped.clone()));
                }
            }
            Fact::RoundStart { .. } => self.rounds += 1,
            Fact::StepEnd(end) => {
                self.model_ms += end.time_ms.llm_interaction;
                self.other_ms += end.time_ms.besides_model();
            }
            Fact::Observe(seen) => {
                self.add_app(if seen.app_name.is_empty() { &seen.package } else { &seen.app_name });
            }
            _ => {}
        }
        self.builder.apply(event);
    }

    fn add_app(&mut self, name: &str) {
        let name: String = name.chars().take(LONGEST_APP).collect();
        if self.apps.len() < MOST_APPS && !name.is_empty() && !self.apps.contains(&name) {
            self.apps.push(name);
        }
    }

    /// The summary of the events so far; `bytes` are those of the record and its blobs.
    pub fn finish(self, bytes: u64) -> Result<Summary, MissingSessionStart> {
        let Self { builder, task_name, rounds, model_ms, other_ms, apps, .. } = self;
        let (times, last_seq) = (self.times, self.last_seq);
        let mut session = builder.finish()?.0;
        let (started, last) = times.expect("a session that has begun has an event");
        // What a client does by hand after a task does not change what the session was about.
        let mut by_hand = None;
        if let Some((task, stopped)) = self.before_client.filter(|_| session.client_round) {
            by_hand = session.stopped.as_ref().map(|(reason, _)| *reason);
            session.request = task;
            session.stopped = session.stopped.and(stopped);
        }
        let (stop_reason, message) = session.stopped.unzip();
        Ok(Summary {
            task_name,
            task: session.request,
            owner: session.owner.recorded(),
            device: session.device,
            device_server: session.run.device_server,
            stop_reason,
            message: message.unwrap_or_default(),
            by_hand,
            asked_at_step: session.question.is_some().then_some(session.asked_at_step),
            question: session.question.map(|question| question.text),
            rounds,
            round_open: session.round_open,
            steps: session.counts.steps,
            calls: session.counts.calls,
            tokens: session.counts.tokens,
            cost_usd: session.counts.cost_usd,
            cost_known: session.counts.unpriced_calls == 0,
            model_ms,
            other_ms,
            apps,
            started,
            last,
            last_seq,
            bytes,
        })
    }
}

/// A reason by its name. One of a later version is an error: the cache it stands in is made anew.
mod reason {
    use serde::de::Error as _;
    use serde::{Deserialize as _, Deserializer, Serialize as _, Serializer};

    use crate::StopReason;

    #[expect(
        clippy::ref_option,
        clippy::trivially_copy_pass_by_ref,
        reason = "the signature serde asks for"
    )]
    pub(super) fn serialize<S: Serializer>(
        reason: &Option<StopReason>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        reason.map(StopReason::name).serialize(to)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        from: D,
    ) -> Result<Option<StopReason>, D::Error> {
        let Some(name) = Option::<String>::deserialize(from)? else { return Ok(None) };
        StopReason::from_name(&name).map(Some).ok_or_else(|| D::Error::custom("no such reason"))
    }
}
