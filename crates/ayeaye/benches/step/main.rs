//! What a step costs besides the model.
//!
//!     cargo bench -p ayeaye --bench step -- --steps 100
//!     cargo bench -p ayeaye --bench step -- --long 10000
//!     cargo bench -p ayeaye --bench step -- --gate 2000
//!     cargo bench -p ayeaye --bench step -- --hostile 300
//!
//! A real session over the real adb path, with a model that decides at once: it taps the same point,
//! then goes home, and so on. The figures are read from the session's journal, so the steps of any
//! session can be broken down in the same way. Each run prints one line of JSON. The settings are those of
//! `ayeaye`, from the environment and the settings file.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

// The integration tests have it too.
#[path = "../../../../tests/it/support/fake_device.rs"]
mod fake_device;
mod gate;
mod hostile;
mod long;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::bail;
use async_trait::async_trait;
use ayeaye::clock;
use ayeaye::config::{Config, Environment, Flag};
use ayeaye::wiring::{App, ModelChoice, adb_config, limits, model_config};
use ayeaye_adb::AdbDevices;
use ayeaye_agent::journal::{Event, Fact, FileJournal, SyncPolicy};
use ayeaye_agent::{
    Action, Agent, AgentDeps, Decision, DeviceId, DeviceSource, Frame, Gesture, Key, Limits, Model,
    ModelError, Models, ParseError, Picture, Point, Principal, PrivacySettings, Prompt, Reply,
    ReplyMode, ScreenSize, StartTask, StepInput, StopReason, Tokens,
};
use ayeaye_model::RemoteModel;
use clap::Parser;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// What to measure.
#[derive(Debug, Parser)]
struct Options {
    /// Taps to measure; each is followed by a step home that is not counted
    #[arg(long, value_name = "N", default_value_t = 100)]
    steps: u32,
    /// The phone; without it a virtual one
    #[arg(long, value_name = "ID")]
    device: Option<String>,
    /// Where to tap, in thousandths of the screen
    #[arg(long, value_name = "X,Y", default_value = "500,500", value_parser = point)]
    at: Point,
    /// Instead, run one session of this many steps on a phone and a model that take no time, and
    /// continue it
    #[arg(long, value_name = "N")]
    long: Option<u32>,
    /// Instead, ask the gate this often about an act on a large screen
    #[arg(long, value_name = "N")]
    gate: Option<u32>,
    /// Instead, run one session of this many steps, alone and beside hostile phones and models
    #[arg(long, value_name = "N", conflicts_with = "long")]
    hostile: Option<u32>,
    /// The folder for the session
    #[arg(long, value_name = "DIR")]
    data_dir: Option<String>,
    /// Cargo passes it
    #[arg(long, hide = true)]
    bench: bool,
}

fn point(text: &str) -> Result<Point, String> {
    let (x, y) = text.split_once(',').ok_or("two numbers from 0 to 1000, such as 500,500")?;
    let number = |text: &str| text.trim().parse::<i64>().map_err(|err| err.to_string());
    Point::new(number(x)?, number(y)?).map_err(|err| err.to_string())
}

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    let data_dir =
        |value: &String| Flag { key: "data-dir", name: "--data-dir", value: value.clone() };
    let flags: Vec<Flag> = options.data_dir.iter().map(data_dir).collect();
    let config = Config::load(&flags, None, &Environment::read())?;
    let figures = match (options.gate, options.long, options.hostile) {
        (Some(times), _, _) => gate::run(times)?,
        (_, Some(steps), _) => long::measure(&config, steps).await?,
        (_, _, Some(steps)) => hostile::measure(&config, steps).await?,
        (None, None, None) => measure(&config, &options).await?,
    };
    println!("{figures}");
    Ok(())
}

async fn measure(config: &Config, options: &Options) -> anyhow::Result<Value> {
    let app;
    let (sources, device): (Vec<Arc<dyn DeviceSource>>, _) = if let Some(device) = &options.device {
        (vec![Arc::new(AdbDevices::new(adb_config(config)?))], DeviceId::new(device))
    } else {
        app = App::with_virtual_phone(config, ModelChoice::Scripted).await?;
        let Some(adb_device) = &app.adb_device else { bail!("there is no virtual phone") };
        (app.agent.sources().to_vec(), DeviceId::new(adb_device.serial()))
    };
    let journal = Arc::new(FileJournal::new(&config.data_dir, clock::system(), SyncPolicy::Step));
    let limits = Limits { session_steps: u32::MAX, repeats: u32::MAX / 4, ..limits(config) };
    let first_look = limits.settle.first_look;
    let agent = Agent::new(AgentDeps {
        policy: ayeaye_agent::gate::Policy::default(),
        sources,
        in_process_devices: Vec::new(),
        models: Models::one(Arc::new(Metronome::new(config, options.at, options.steps)?)),
        journal: journal.clone(),
        limits,
        config: Map::new(),
        secrets: Arc::new(ayeaye_agent::NoNamedSecrets),
        privacy: PrivacySettings::default(),
        judge: None,
    });
    let start = StartTask {
        policy: None,
        device_id: device,
        task: "bench".to_owned(),
        max_steps: u32::MAX,
        reply_mode: ReplyMode::PassToClient,
        planner: false,
        principal: Principal::local(),
    };
    let mut follower = agent.start(start).await?;
    follower.finished().await;
    let report = follower.report();
    if report.stop_reason != StopReason::TaskCompletedSuccessfully {
        bail!("{}: {}", report.stop_reason, report.message);
    }
    let events = ayeaye_agent::Journal::read(&*journal, &report.session_id).await?;
    Ok(figures(&events, first_look))
}

/// The parts of a step, in milliseconds but for the captures.
const COLUMNS: [&str; 9] = [
    "act_ms",
    "first_look_ms",
    "settle_and_look_ms",
    "captures",
    "encode_ms",
    "decide_ms",
    "journal_ms",
    "rest_ms",
    "whole_step_ms",
];

/// Medians and ninth deciles over the steps that begin with a tap.
///
/// A step here lasts from the beginning of one act to the beginning of the next, by the journal's
/// timestamps: the act, the settling that follows, and the decision on the new screen. So it can be
/// compared with what other programs do between two taps.
fn figures(events: &[Event], first_look: Duration) -> Value {
    let mut rows: Vec<[f64; COLUMNS.len()]> = Vec::new();
    let mut begun: Option<Timestamp> = None;
    let mut seen: Option<Timestamp> = None;
    let mut row = [0.0; COLUMNS.len()];
    for event in events {
        match &event.entry.fact {
            Fact::ToolStart(tool) => {
                if let Some(begun) = begun {
                    row[8] = between(begun, event.ts);
                    let known = row[0] + row[1] + row[2] + row[4] + row[5] + row[6];
                    row[7] = row[8] - known;
                    rows.push(row);
                }
                row = [0.0; COLUMNS.len()];
                row[1] = first_look.as_secs_f64() * 1e3;
                begun = (tool.name == "CLICK").then_some(event.ts);
            }
            Fact::ToolEnd(tool) => row[0] = tool.duration_ms,
            // The step that acted: writing its act down is a part of it.
            Fact::StepEnd(end) => row[6] = end.time_ms.memory_update,
            Fact::Observe(observe) => {
                row[2] = observe.settle_ms;
                row[3] = f64::from(observe.captures);
                row[4] = observe.encode_ms;
                seen = Some(event.ts);
            }
            Fact::LlmResponse(_) => row[5] = seen.map_or(0.0, |seen| between(seen, event.ts)),
            _ => {}
        }
    }
    let mut figures = Map::new();
    figures.insert("steps".to_owned(), rows.len().into());
    for (number, name) in COLUMNS.iter().enumerate() {
        let mut values: Vec<f64> = rows.iter().map(|row| row[number]).collect();
        values.sort_by(f64::total_cmp);
        let at =
            |tenths: usize| values.get(values.len() * tenths / 10).copied().unwrap_or_default();
        let round = |value: f64| (value * 100.0).round() / 100.0;
        figures.insert((*name).to_owned(), json!({ "p50": round(at(5)), "p90": round(at(9)) }));
    }
    Value::Object(figures)
}

fn between(earlier: Timestamp, later: Timestamp) -> f64 {
    later.duration_since(earlier).as_secs_f64() * 1e3
}

/// A model without latency: a tap, home, a tap, home. It makes the pictures and prompts that the
/// configured model would be sent, and sends nothing.
#[derive(Debug)]
struct Metronome {
    configured: RemoteModel,
    at: Point,
    left: AtomicU32,
}

impl Metronome {
    fn new(config: &Config, at: Point, taps: u32) -> anyhow::Result<Self> {
        let configured = RemoteModel::new(model_config(config)?)?;
        // The last tap is measured up to the act that follows it.
        Ok(Self { configured, at, left: AtomicU32::new(taps.saturating_mul(2)) })
    }
}

#[async_trait]
impl Model for Metronome {
    fn name(&self) -> &'static str {
        "metronome"
    }

    fn profile(&self) -> &str {
        self.configured.profile()
    }

    fn picture(&self, frame: &Frame) -> Picture {
        self.configured.picture(frame)
    }

    fn prompt(&self, view: &StepInput<'_>) -> Prompt {
        self.configured.prompt(view)
    }

    async fn call(&self, _prompt: &Prompt, _limit: Duration) -> Result<Reply, ModelError> {
        Ok(Reply {
            text: String::new(),
            finish_reason: None,
            model: self.name().to_owned(),
            tokens: Tokens::default(),
            latency: Duration::ZERO,
            ..Reply::default()
        })
    }

    fn read(&self, _reply: &Reply, _sent: ScreenSize) -> Result<Decision, ParseError> {
        let left = self.left.load(Ordering::Relaxed);
        let action = match left {
            0 => Action::Complete { message: "measured".to_owned() },
            left if left % 2 == 0 => Gesture::Click { point: self.at }.into(),
            _ => Gesture::HotKey { key: Key::Home }.into(),
        };
        self.left.store(left.saturating_sub(1), Ordering::Relaxed);
        let empty = String::new;
        Ok(Decision {
            action,
            thought: empty(),
            explain: empty(),
            summary: empty(),
            observation: empty(),
        })
    }
}
