//! `ayeaye bench`: what a step costs besides the model.
//!
//! A real session over the real adb path, with a model that decides at once: it taps the same place,
//! then goes home, and so on. The figures are read from the session's journal, so a step of any
//! session can be taken apart in the same way.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::bail;
use async_trait::async_trait;
use ayeaye_adb::AdbDevices;
use ayeaye_agent::journal::{Event, Fact, FileJournal, SyncWhen};
use ayeaye_agent::{
    Action, Agent, Decision, DeviceId, Frame, Gesture, Key, Limits, Message, Model, ModelError,
    Parts, Picture, Point, Prompt, Reply, ReplyMode, Role, StartTask, StopReason, Tokens,
    Unreadable, View,
};
use serde_json::json;

use crate::cli::Exit;
use crate::config::Config;
use crate::terminal::Terminal;
use crate::wiring::{House, adb_config, clock};

/// What to measure.
#[derive(Debug)]
pub struct Plan {
    /// Taps to measure; each is followed by a step home that is not counted.
    pub taps: u32,
    /// The phone; a virtual one if not said.
    pub device: Option<DeviceId>,
    /// Where to tap, in thousandths.
    pub at: Point,
}

/// Measures, and prints one line of JSON.
pub async fn bench(config: &Config, plan: Plan, terminal: Terminal) -> anyhow::Result<Exit> {
    let model = Arc::new(Metronome::new(plan.at, plan.taps));
    let house;
    let (sources, device): (Vec<Arc<dyn ayeaye_agent::DeviceSource>>, _) =
        if let Some(device) = plan.device {
            (vec![Arc::new(AdbDevices::new(adb_config(config)?))], device)
        } else {
            house = House::with_virtual_phone(config, crate::wiring::Decider::Pilot).await?;
            let Some(handset) = &house.handset else { bail!("there is no virtual phone") };
            (house.agent.sources().to_vec(), DeviceId::new(handset.serial()))
        };
    let journal = Arc::new(FileJournal::new(&config.data_dir, clock(), SyncWhen::Step));
    let agent = Agent::new(Parts {
        sources,
        model,
        journal: journal.clone(),
        limits: Limits {
            session_steps: u32::MAX,
            repeats: u32::MAX / 4,
            ..crate::wiring::limits(config)
        },
        config: serde_json::Map::new(),
    });
    let mut follower = agent
        .start(StartTask {
            device_id: device,
            task: "bench".to_owned(),
            max_steps: u32::MAX,
            reply_mode: ReplyMode::PassToClient,
            asker: "bench".to_owned(),
        })
        .await?;
    follower.end().await;
    let report = follower.report();
    if report.stop_reason != StopReason::TaskCompletedSuccessfully {
        bail!("{}: {}", report.stop_reason, report.message);
    }
    let events = ayeaye_agent::Journal::read(&*journal, &report.session_id).await?;
    terminal.line(&figures(&events).to_string());
    Ok(Exit::Done)
}

/// Medians over the steps that follow a tap (their look has to wait for the screen to settle).
fn figures(events: &[Event]) -> serde_json::Value {
    let mut parts = Steps::default();
    let mut step = Step::default();
    let mut after_tap = false;
    for event in events {
        match &event.entry.fact {
            Fact::StepStart(_) => step = Step { begun: Some(event.ts), ..Step::default() },
            Fact::Observe(observe) => {
                step.look = observe.settle_ms;
                step.encode = observe.encode_ms;
                step.captures = f64::from(observe.captures);
            }
            Fact::LlmResponse(response) => step.decide = response.latency_ms,
            Fact::ToolEnd(tool) => step.act = tool.duration_ms,
            Fact::StepEnd(end) => {
                step.journal = end.time_ms.memory_update;
                step.whole = step
                    .begun
                    .map_or(0.0, |begun| event.ts.duration_since(begun).as_secs_f64() * 1e3);
                if after_tap {
                    parts.push(&step);
                }
                after_tap = end.action.as_ref().is_some_and(|action| action.function == "CLICK");
            }
            _ => {}
        }
    }
    parts.medians()
}

#[derive(Default)]
struct Step {
    begun: Option<jiff::Timestamp>,
    look: f64,
    encode: f64,
    decide: f64,
    act: f64,
    journal: f64,
    captures: f64,
    whole: f64,
}

#[derive(Default)]
struct Steps {
    columns: [Vec<f64>; 7],
}

impl Steps {
    fn push(&mut self, step: &Step) {
        let row = [
            step.look,
            step.encode,
            step.decide,
            step.act,
            step.journal,
            step.captures,
            step.whole,
        ];
        for (column, value) in self.columns.iter_mut().zip(row) {
            column.push(value);
        }
    }

    fn medians(mut self) -> serde_json::Value {
        let steps = self.columns[0].len();
        let [look, encode, decide, act, journal, captures, whole] =
            self.columns.each_mut().map(|column| {
                column.sort_by(f64::total_cmp);
                column.get(column.len() / 2).copied().unwrap_or_default()
            });
        json!({ "steps": steps, "settle_and_look_ms": look, "captures": captures, "encode_ms": encode,
                "decide_ms": decide, "act_ms": act, "journal_ms": journal, "whole_step_ms": whole })
    }
}

/// A model of no latency: a tap, home, a tap, home.
#[derive(Debug)]
struct Metronome {
    at: Point,
    left: AtomicU32,
}

impl Metronome {
    fn new(at: Point, taps: u32) -> Self {
        Self { at, left: AtomicU32::new(taps * 2) }
    }
}

#[async_trait]
impl Model for Metronome {
    fn name(&self) -> &'static str {
        "metronome"
    }

    fn profile(&self) -> &'static str {
        "none"
    }

    fn picture(&self, frame: &Frame) -> Picture {
        ayeaye_model::encode_within(frame, 1600, usize::MAX)
    }

    fn prompt(&self, _view: &View<'_>) -> Prompt {
        Prompt { messages: vec![Message::text(Role::User, "bench")] }
    }

    async fn call(&self, _prompt: &Prompt, _limit: Duration) -> Result<Reply, ModelError> {
        Ok(Reply {
            text: String::new(),
            reasoning: String::new(),
            finish_reason: None,
            model: self.name().to_owned(),
            tokens: Tokens::default(),
            latency: Duration::ZERO,
            first_token: None,
            retries: Vec::new(),
        })
    }

    fn read(&self, _reply: &Reply) -> Result<Decision, Unreadable> {
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
