//! Many phones in one server: how much later a step comes among them than alone, how even they are served, and
//! what memory they take.
//!
//! The phones are pictures of full size that cost nothing to make, so what is measured is the work of this process;
//! one of them hangs. Nothing is left out of a real run but the link: pixels are packed as they come, pictures are
//! encoded, and the record and all logs are written.
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::bail;
use async_trait::async_trait;
use ayeaye::bench::{Metronome, Spread, between};
use ayeaye::clock;
use ayeaye::config::Config;
use ayeaye::wiring::limits;
use ayeaye_agent::coordinator::FileCoordinator;
use ayeaye_agent::journal::{Event, Fact, FileJournal};
use ayeaye_agent::{
    Agent, AgentDeps, Decision, DeviceId, Frame, Journal as _, Limits, Model, ModelError, Models,
    ParseError, Picture, Point, Principal, Prompt, Reply, ReplyMode, ScreenSize, StartTask,
    StepInput, StopReason,
};
use ayeaye_export::LoggingJournal;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep, sleep_until};

use super::memory::{Peak, processor_ms, resident_mib};
use super::pages::{PagePhone, PagePhones};

/// How many, and how fast.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Many {
    pub(crate) phones: u32,
    /// From one reply of a phone's model to the next.
    pub(crate) every: Duration,
    pub(crate) steps: u32,
}

/// The steps of the phone that is measured alone, and how quickly they follow each other at most.
const LONE_STEPS: u32 = 101;
const LONE_PACE: Duration = Duration::from_millis(500);

/// One phone alone, then all of them, of which the last one hangs.
pub(crate) async fn measure(config: &Config, many: &Many) -> anyhow::Result<Value> {
    // As one of a hundred is asked for, there have to be a hundred; how often a lone phone acts does not matter.
    let lone =
        Many { phones: 1, every: many.every.min(LONE_PACE), steps: many.steps.max(LONE_STEPS) };
    let alone = drive(config, &lone, "alone").await?;
    let before = settled_mib().await;
    let (peak, worked) = (Peak::watch(), processor_ms());
    let all = drive(config, many, "all").await?;
    let worked = worked.zip(processor_ms()).map(|(before, after)| after - before);
    let peak = peak.mib();
    let after = settled_mib().await;
    let phones = all.len();
    let medians = || all.iter().map(|times| percent(times, 50));
    let every_step: Vec<f64> = sorted(all.iter().flatten().copied());
    let alone = sorted(alone.into_iter().flatten());
    let of = |times: &[f64]| json!({ "p50": percent(times, 50), "p99": percent(times, 99), "most": percent(times, 100) });
    let steps = u32::try_from(every_step.len()).unwrap_or(u32::MAX);
    Ok(json!({
        "phones": phones,
        "hung": many.phones - u32::try_from(phones).unwrap_or_default(),
        "every_s": many.every.as_secs_f64(),
        "steps": steps,
        "alone_ms": of(&alone),
        "among_all_ms": of(&every_step),
        "later_at_p99_ms": percent(&every_step, 99) - percent(&alone, 99),
        "medians_of_phones_ms": Spread::of(medians()),
        "fastest_phone_ms": medians().reduce(f64::min),
        "slowest_phone_ms": medians().reduce(f64::max),
        "processor_ms_a_step": worked.map(|worked| worked / f64::from(steps.max(1))),
        "mib": { "before": before, "peak": peak, "ten_seconds_later": after },
    }))
}

/// Memory when nothing has been done for ten seconds.
async fn settled_mib() -> Option<f64> {
    sleep(Duration::from_secs(10)).await;
    resident_mib()
}

/// The times of all steps that are ours, in milliseconds: those of the model taken off. A list for each phone that
/// answers.
async fn drive(config: &Config, many: &Many, folder: &str) -> anyhow::Result<Vec<Vec<f64>>> {
    let serial = |nth: u32| format!("{folder}-{nth}");
    let hangs = |nth: u32| 1 < many.phones && nth + 1 == many.phones;
    let phones: Vec<_> =
        (0..many.phones).map(|nth| Arc::new(PagePhone::new(&serial(nth), hangs(nth)))).collect();
    let data = config.data_dir.join(folder);
    let files = FileJournal::new(&data, clock::system(), config.journal.sync);
    let journal = Arc::new(LoggingJournal::new(Arc::new(files), &data, config.logs.clone()));
    let paces = (0..many.phones).map(|nth| Arc::new(Pace::new(many, nth)));
    let point = Point::new(500, 500)?;
    let coordinator =
        Arc::new(FileCoordinator::new(&config.data_dir, "bench", config.journal.sync));
    let mut followers = Vec::new();
    for (phone, pace) in phones.iter().zip(paces) {
        let metronome = Metronome::tapping(config, point, many.steps.div_ceil(2))?;
        let agent = Agent::new(AgentDeps {
            policy: ayeaye_agent::gate::Policy::default(),
            sources: vec![Arc::new(PagePhones(vec![phone.clone()]))],
            in_process_devices: Vec::new(),
            models: Models::one(Arc::new(Paced { metronome, pace })),
            journal: journal.clone(),
            coordinator: coordinator.clone(),
            limits: Limits { session_steps: u32::MAX, repeats: u32::MAX / 4, ..limits(config) },
            config: Map::new(),
            secrets: Arc::new(ayeaye_agent::NoNamedSecrets),
            privacy: config.journal.privacy,
            judge: None,
        });
        let start = StartTask {
            policy: None,
            device_id: phone_id(phone),
            task: "bench".to_owned(),
            max_steps: u32::MAX,
            queue: false,
            reply_mode: ReplyMode::NoReply,
            planner: false,
            principal: Principal::local(),
        };
        followers.push((agent.start(start).await?, agent));
    }
    let mut all = Vec::new();
    for (nth, (follower, _)) in (0..).zip(&mut followers) {
        if hangs(nth) {
            continue;
        }
        follower.finished().await;
        let report = follower.report();
        if report.stop_reason != StopReason::TaskCompletedSuccessfully {
            bail!("{}: {}: {}", serial(nth), report.stop_reason, report.message);
        }
        all.push(ours(&journal.read(&report.session_id).await?));
        journal.completed(report.session_id).await;
    }
    for (_, agent) in followers {
        agent.shut_down(Duration::from_secs(30)).await;
    }
    if all.iter().any(Vec::is_empty) {
        bail!("a phone made no steps");
    }
    Ok(all)
}

fn phone_id(phone: &PagePhone) -> DeviceId {
    ayeaye_agent::Device::id(phone).clone()
}

/// From act to act, without what the model took.
fn ours(events: &[Event]) -> Vec<f64> {
    let (mut times, mut last, mut model) = (Vec::new(), None, 0.0);
    for event in events {
        match &event.entry.fact {
            Fact::LlmResponse(reply) if reply.success => model = reply.latency_ms,
            Fact::ToolStart(tool) if tool.device && event.entry.step.is_some() => {
                if let Some(last) = last.replace(event.ts) {
                    times.push(between(last, event.ts) - model);
                }
            }
            _ => {}
        }
    }
    sorted(times)
}

fn sorted(times: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut times: Vec<f64> = times.into_iter().collect();
    times.sort_by(f64::total_cmp);
    times
}

/// The time that so many in a hundred do not exceed, of sorted ones, to a tenth.
fn percent(times: &[f64], part: usize) -> f64 {
    let at = (times.len() * part).div_ceil(100).saturating_sub(1);
    times.get(at).map_or(0.0, |time| (time * 10.0).round() / 10.0)
}

/// When a phone's model replies next.
#[derive(Debug)]
struct Pace {
    every: Duration,
    next: Mutex<Instant>,
}

impl Pace {
    /// Phones begin one after the other, as their users do.
    fn new(many: &Many, nth: u32) -> Self {
        let first = Instant::now() + many.every + many.every * nth / many.phones.max(1);
        Self { every: many.every, next: Mutex::new(first) }
    }

    fn next(&self) -> Instant {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn replied_at(&self, due: Instant) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = due + self.every;
    }
}

/// A model whose replies come at an even pace, however long the rest of a step takes.
#[derive(Debug)]
struct Paced {
    metronome: Metronome,
    pace: Arc<Pace>,
}

#[async_trait]
impl Model for Paced {
    fn name(&self) -> &str {
        self.metronome.name()
    }

    fn profile(&self) -> &str {
        self.metronome.profile()
    }

    fn abandoned_calls_are_free(&self) -> bool {
        self.metronome.abandoned_calls_are_free()
    }

    fn picture(&self, frame: &Frame) -> Picture {
        self.metronome.picture(frame)
    }

    fn forget_pictures(&self) {
        self.metronome.forget_pictures();
    }

    fn prompt(&self, view: &StepInput<'_>) -> Prompt {
        self.metronome.prompt(view)
    }

    async fn call(&self, prompt: &Prompt, limit: Duration) -> Result<Reply, ModelError> {
        let begun = Instant::now();
        let reply = self.metronome.call(prompt, limit).await?;
        let due = self.pace.next().max(begun);
        sleep_until(due).await;
        self.pace.replied_at(due);
        // If this process is late to notice, that is ours.
        Ok(Reply { latency: due - begun, ..reply })
    }

    fn read(&self, reply: &Reply, sent: ScreenSize) -> Result<Decision, ParseError> {
        self.metronome.read(reply, sent)
    }
}
