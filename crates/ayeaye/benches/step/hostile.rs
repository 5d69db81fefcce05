//! How much hostile neighbours slow a session of the same server.
//!
//! One session on a quiet phone, alone, then beside two phones that answer with trees of four megabytes
//! and models that flood. Phones and models take no time themselves, so that what is measured is the
//! work of this process; the machine should have two cores at least.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::bail;
use async_trait::async_trait;
use ayeaye::clock;
use ayeaye::config::Config;
use ayeaye::wiring::limits;
use ayeaye_agent::coordinator::FileCoordinator;
use ayeaye_agent::journal::{Event, Fact, FileJournal};
use ayeaye_agent::{
    Agent, AgentDeps, Decision, DeviceId, Frame, Journal, Limits, Model, ModelError, Models,
    ParseError, Picture, Point, Principal, Prompt, Reply, ReplyMode, ScreenSize, StartTask,
    StepInput, StopReason,
};
use ayeaye_export::LoggingJournal;
use serde_json::{Map, Value, json};

use super::fake_device::{FakeDevice, FakeSource};
use ayeaye::bench::{Metronome, between};

const SIZE: ScreenSize = ScreenSize { width: 540, height: 1200 };
/// Between two steps, as a model takes: neighbours have the processor meanwhile.
const THINKING: Duration = Duration::from_millis(20);

/// A session of so many steps, alone and among hostile neighbours.
pub(crate) async fn measure(config: &Config, steps: u32) -> anyhow::Result<Value> {
    let alone = session(config, steps, "alone").await?;
    let over = Arc::new(AtomicBool::new(false));
    let neighbours: Vec<_> = [attributes(), nested()]
        .into_iter()
        .enumerate()
        .map(|(nth, tree)| {
            let (config, over) = (config.clone(), over.clone());
            tokio::spawn(
                async move { flood(&config, &format!("hostile-{nth}"), &tree, &over).await },
            )
        })
        .collect();
    let beside = session(config, steps, "beside").await?;
    over.store(true, Ordering::Relaxed);
    let mut hostile_steps = 0;
    for neighbour in neighbours {
        hostile_steps += neighbour.await??;
    }
    let part = |times: &[f64], part: usize| times[(times.len() - 1) * part / 100];
    let rows = |times: &[f64]| json!({ "p50": part(times, 50), "p99": part(times, 99), "most": part(times, 100) });
    Ok(json!({
        "steps": steps,
        "hostile_steps": hostile_steps,
        "alone_ms": rows(&alone),
        "beside_ms": rows(&beside),
        "slower_at_p99_ms": part(&beside, 99) - part(&alone, 99),
    }))
}

/// The times of a session's steps in milliseconds, the shortest first.
async fn session(config: &Config, steps: u32, serial: &str) -> anyhow::Result<Vec<f64>> {
    let metronome = Metronome::tapping(config, Point::new(500, 500)?, steps)?;
    let node = r#"<node text="Next" class="android.widget.Button" clickable="true" bounds="[0,0][540,1200]"/>"#;
    let tree = format!("<hierarchy rotation=\"0\">{}</hierarchy>", node.repeat(40));
    let (agent, journal) = agent(config, serial, tree, Arc::new(Slow(metronome)));
    let mut follower = agent.start(start(serial)).await?;
    follower.finished().await;
    let report = follower.report();
    if report.stop_reason != StopReason::TaskCompletedSuccessfully {
        bail!("{}: {}", report.stop_reason, report.message);
    }
    let events = journal.read(&report.session_id).await?;
    let is_act = |event: &&Event| matches!(event.entry.fact, Fact::ToolStart(_));
    let acts: Vec<_> = events.iter().filter(is_act).map(|event| event.ts).collect();
    let mut times: Vec<f64> = acts.windows(2).map(|two| between(two[0], two[1])).collect();
    if times.is_empty() {
        bail!("no steps");
    }
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// Sessions on a hostile phone with a hostile model, until it is over. How many steps came of it.
async fn flood(
    config: &Config,
    serial: &str,
    tree: &str,
    over: &AtomicBool,
) -> anyhow::Result<u32> {
    let (agent, _) = agent(
        config,
        serial,
        tree.to_owned(),
        Arc::new(Flood(Metronome::tapping(config, Point::new(500, 500)?, u32::MAX / 4)?)),
    );
    let mut follower = agent.start(start(serial)).await?;
    let begun = Instant::now();
    while !over.load(Ordering::Relaxed) && begun.elapsed() < Duration::from_mins(10) {
        if !follower.changed().await {
            break;
        }
    }
    agent.shut_down(Duration::from_secs(10)).await;
    Ok(follower.report().global_steps)
}

fn start(serial: &str) -> StartTask {
    StartTask {
        policy: None,
        device_id: DeviceId::new(serial),
        task: "bench".to_owned(),
        max_steps: u32::MAX,
        reply_mode: ReplyMode::NoReply,
        planner: false,
        queue: false,
        principal: Principal::local(),
    }
}

fn agent(
    config: &Config,
    serial: &str,
    tree: String,
    model: Arc<dyn Model>,
) -> (Agent, Arc<dyn Journal>) {
    let folder = config.data_dir.join(serial);
    let files = FileJournal::new(&folder, clock::system(), config.journal.sync);
    let journal: Arc<dyn Journal> =
        Arc::new(LoggingJournal::new(Arc::new(files), &folder, config.logs.clone()));
    let device = FakeDevice::new(serial, SIZE).with_ui_tree(tree);
    let agent = Agent::new(AgentDeps {
        policy: ayeaye_agent::gate::Policy::default(),
        sources: vec![Arc::new(FakeSource(Arc::new(device)))],
        in_process_devices: Vec::new(),
        models: Models::one(model),
        journal: journal.clone(),
        coordinator: Arc::new(FileCoordinator::new(&folder, "bench", config.journal.sync)),
        limits: Limits { session_steps: u32::MAX, repeats: u32::MAX / 4, ..limits(config) },
        config: Map::new(),
        secrets: Arc::new(ayeaye_agent::NoNamedSecrets),
        privacy: config.journal.privacy,
        judge: None,
    });
    (agent, journal)
}

/// One tag with as many attributes as fit in four megabytes.
fn attributes() -> String {
    let attributes = (0..430_000).fold(String::new(), |all, nth| all + &format!(" a{nth}=''"));
    format!("<hierarchy><node{attributes} bounds=\"[0,0][9,9]\"/></hierarchy>")
}

/// As many elements inside each other as are read, with texts that look like secrets.
fn nested() -> String {
    let open = (0..9000).fold(String::new(), |all, nth| {
        let text = format!("code 4829{nth:04} …");
        all + &format!("<node text=\"{text}\" password=\"true\" bounds=\"[0,0][540,1200]\">")
    });
    format!("<hierarchy>{open}{}</hierarchy>", "</node>".repeat(9000))
}

/// A model that takes its time.
#[derive(Debug)]
struct Slow(Metronome);

/// A model that says as much as it may: ends of secrets, and placeholders that it has made up.
#[derive(Debug)]
struct Flood(Metronome);

macro_rules! model {
    ($name:ident, $call:expr) => {
        #[async_trait]
        impl Model for $name {
            fn name(&self) -> &str {
                self.0.name()
            }
            fn profile(&self) -> &str {
                self.0.profile()
            }
            fn picture(&self, frame: &Frame) -> Picture {
                self.0.picture(frame)
            }
            fn forget_pictures(&self) {
                self.0.forget_pictures();
            }
            fn prompt(&self, view: &StepInput<'_>) -> Prompt {
                self.0.prompt(view)
            }
            async fn call(&self, prompt: &Prompt, limit: Duration) -> Result<Reply, ModelError> {
                let reply = self.0.call(prompt, limit).await?;
                tokio::time::sleep(THINKING).await;
                Ok(Reply { text: $call, ..reply })
            }
            fn read(&self, reply: &Reply, sent: ScreenSize) -> Result<Decision, ParseError> {
                let decision = self.0.read(reply, sent)?;
                Ok(Decision { thought: reply.text.clone(), ..decision })
            }
        }
    };
}

model!(Slow, String::new());
model!(Flood, "48…secret-4829… [secret:password:1] ".repeat(8000));
