//! What a step costs besides the model: a real session, over the real path to a phone, whose acts are known
//! beforehand. The figures are read from the session's record, and from counters.
mod act;
mod cost;
mod figures;
mod metronome;

use std::sync::Arc;
use std::time::Duration;

use anyhow::bail;
use ayeaye_agent::coordinator::FileCoordinator;
use ayeaye_agent::journal::{FileJournal, SyncPolicy};
use ayeaye_agent::{
    Agent, AgentDeps, DeviceId, DeviceSource, Follower, Journal as _, Limits, Models,
    NoNamedSecrets, Principal, PrivacySettings, ReplyMode, StartTask, StopReason,
};
use ayeaye_export::LoggingJournal;
use serde_json::Map;

pub use self::act::Act;
pub use self::cost::{Cost, Traffic};
pub use self::figures::{Figures, Guesses, Spread, between};
pub use self::metronome::Metronome;
use crate::clock;
use crate::config::Config;
use crate::shutdown::Shutdown;
use crate::terminal::Terminal;
use crate::wiring::limits;

/// What a session that measures is begun for. It is nobody's task.
pub const REQUEST: &str = "ayeaye bench";

/// Which acts, and how often.
#[derive(Debug, Clone)]
pub struct Plan {
    /// One round.
    pub acts: Vec<Act>,
    /// How many rounds.
    pub rounds: u32,
    /// How long the model takes, which is not counted.
    pub think: Duration,
}

/// Asks a phone what it was asked.
pub type TrafficCounter = Arc<dyn Fn() -> Traffic + Send + Sync>;

/// Reads the counters.
type Counter = Arc<dyn Fn() -> Cost + Send + Sync>;

/// Does all rounds on a phone of these sources, in a session of the data folder.
///
/// A step lasts from the beginning of one act to the beginning of the next, by the record's times: the act, the settling
/// that follows, and the decision on the new screen. So it can be compared with what other programs do between
/// two acts. The logs are written beside it, as they are for any session, and what they cost is counted.
///
/// At the first signal it stops after the act under way, so that what was changed on the phone is put back; at the
/// second it waits for nothing.
pub async fn measure(
    config: &Config,
    sources: Vec<Arc<dyn DeviceSource>>,
    device: DeviceId,
    plan: &Plan,
    traffic: Option<TrafficCounter>,
    terminal: Terminal,
    signals: &Shutdown,
) -> anyhow::Result<Figures> {
    let files = Arc::new(FileJournal::new(&config.data_dir, clock::system(), SyncPolicy::Step));
    let logs = config.logs.clone();
    let journal = Arc::new(LoggingJournal::new(files.clone(), &config.data_dir, logs));
    let in_process = traffic.is_some();
    let count: Counter =
        Arc::new(move || Cost::now(files.syncs(), traffic.as_ref().map(|traffic| traffic())));
    let acts = plan.acts.iter().map(|act| act.gesture.clone()).collect();
    let metronome = Metronome::new(config, acts, plan.rounds)?;
    let metronome = Arc::new(metronome.thinking(plan.think).counting(count.clone()));
    let agent = agent(config, sources, metronome.clone(), journal.clone());
    let started = signals.unless_asked(Box::pin(agent.start(request(device)))).await;
    let Some(started) = started else { bail!("stopped before it began") };
    let mut follower = started?;
    to_the_end(&mut follower, in_process, terminal, signals).await?;
    let report = follower.report();
    if report.stop_reason != StopReason::TaskCompletedSuccessfully {
        bail!("{}: {}", report.stop_reason, report.message);
    }
    let events = journal.read(&report.session_id).await?;
    journal.completed(report.session_id).await;
    let cost = metronome.counted().map(|[first, last]| {
        // The last pages of the logs cost processor time when all else is over.
        let whole = Cost { cpu_ms: count().cpu_ms, ..last }.since(first);
        if in_process { whole.beside_phone() } else { whole }
    });
    let figures = Figures::of(&events, plan, cost);
    let wanted = plan.acts.len() * plan.rounds as usize;
    if figures.steps != wanted {
        bail!(
            "{} steps were measured instead of {wanted}: see the record of {}",
            figures.steps,
            report.session_id
        );
    }
    Ok(figures)
}

/// An agent that drives phones by the metronome, without the limits of runs.
fn agent(
    config: &Config,
    sources: Vec<Arc<dyn DeviceSource>>,
    metronome: Arc<Metronome>,
    journal: Arc<LoggingJournal>,
) -> Agent {
    Agent::new(AgentDeps {
        policy: ayeaye_agent::gate::Policy::default(),
        sources,
        in_process_devices: Vec::new(),
        models: Models::one(metronome),
        journal,
        coordinator: Arc::new(FileCoordinator::new(&config.data_dir, "bench", SyncPolicy::Step)),
        limits: Limits {
            session_steps: u32::MAX,
            repeats: u32::MAX / 4,
            run_time: Duration::from_hours(24),
            ..limits(config)
        },
        config: Map::new(),
        secrets: Arc::new(NoNamedSecrets),
        privacy: PrivacySettings::default(),
        judge: None,
    })
}

fn request(device: DeviceId) -> StartTask {
    StartTask {
        policy: None,
        device_id: device,
        task: REQUEST.to_owned(),
        max_steps: u32::MAX,
        reply_mode: ReplyMode::PassToClient,
        planner: false,
        queue: false,
        principal: Principal::local(),
    }
}

/// Waits until all rounds are done. Fails where a signal ends them before.
async fn to_the_end(
    follower: &mut Follower,
    in_process: bool,
    terminal: Terminal,
    signals: &Shutdown,
) -> anyhow::Result<()> {
    if signals.unless_asked(follower.finished()).await.is_some() {
        return Ok(());
    }
    terminal.item("stopping", "after the act under way; Ctrl-C again leaves at once");
    follower.stop(StopReason::UserPaused);
    tokio::select! {
        () = follower.finished() => {}
        () = signals.at_once.cancelled() => {}
    }
    let session = follower.report().session_id;
    if follower.running() && in_process {
        bail!("left at once; see the record of {session}");
    }
    if follower.running() {
        bail!(
            "left at once: the phone may still be kept awake and without animations, which the next `ayeaye run` \
             on it, or `ayeaye serve`, puts back; see the record of {session}"
        );
    }
    bail!("stopped before all steps were measured: see the record of {session}")
}
