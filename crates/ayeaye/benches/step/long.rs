//! What a step costs late in a long session, and how long it takes to continue one.
//!
//! The loop, the journal and the logs are the real ones; the phone is a frame that changes with every
//! tap, and the model decides at once, so that nothing else is measured.
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::bail;
use ayeaye::clock;
use ayeaye::config::Config;
use ayeaye::wiring::limits;
use ayeaye_agent::coordinator::FileCoordinator;
use ayeaye_agent::journal::FileJournal;
use ayeaye_agent::{
    Agent, AgentDeps, ContinueTask, DeviceId, Follower, Journal, Limits, Models, Point, Principal,
    ReplyMode, ScreenSize, SettleRule, StartTask, StopReason, UserInput,
};
use ayeaye_export::LoggingJournal;
use serde_json::{Map, Value, json};

use super::fake_device::{FakeDevice, FakeSource};
use super::memory;
use ayeaye::bench::Metronome;

const SERIAL: &str = "fake-1";
/// At a step each two seconds.
const STEPS_AN_HOUR: f64 = 1800.0;
/// Small, so that pictures do not hide what the rest costs.
const SIZE: ScreenSize = ScreenSize { width: 270, height: 600 };

/// Runs a session of so many steps, and continues it.
pub(crate) async fn measure(config: &Config, steps: u32) -> anyhow::Result<Value> {
    let (agent, journal) = agent(config, steps)?;
    let start = StartTask {
        policy: None,
        device_id: DeviceId::new(SERIAL),
        task: "a long bench".to_owned(),
        max_steps: u32::MAX,
        reply_mode: ReplyMode::PassToClient,
        planner: false,
        queue: false,
        principal: Principal::local(),
    };
    let mut follower = agent.start(start).await?;
    let blocks = timed_blocks(&mut follower, steps).await;
    let report = follower.report();
    if report.stop_reason != StopReason::TaskCompletedSuccessfully {
        bail!("{}: {}", report.stop_reason, report.message);
    }
    let id = report.session_id;
    let sizes = json!({
        "record": disk_usage(&config.data_dir.join("sessions").join(id.to_string()).join("events.jsonl")),
        "blobs": disk_usage(&config.data_dir.join("sessions").join(id.to_string()).join("blobs")),
        "ufo": disk_usage(&config.data_dir.join("logs")),
        "pycatan": disk_usage(&config.data_dir.join("llm")),
        "gelab": disk_usage(&config.data_dir.join("traces")),
        "html": disk_usage(&config.data_dir.join("reports")),
    });
    let per_step = |bytes: &Value| bytes.as_u64().unwrap_or_default() / u64::from(steps.max(1));
    let sizes: Map<String, Value> = sizes
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, bytes)| (format!("{name}_bytes_per_step"), per_step(bytes).into()))
        .collect();
    drop(agent);

    let begun = Instant::now();
    journal.summary(&id).await?;
    let summary = begun.elapsed();
    // As a process that was started anew: nothing of the session is in memory.
    let (agent, _) = self::agent(config, 1)?;
    let begun = Instant::now();
    let next = ContinueTask {
        policy: None,
        session_id: id,
        device_id: None,
        input: UserInput::Task("go on".to_owned()),
        reply_is_secret: false,
        max_steps: 2,
        reply_mode: ReplyMode::PassToClient,
        planner: false,
        principal: Principal::local(),
        connection: None,
    };
    let mut follower = agent.resume(next).await?;
    let continued = begun.elapsed();
    follower.finished().await;
    Ok(json!({
        "steps": steps,
        "mib_an_hour": slope(&blocks),
        "blocks": blocks,
        "sizes": sizes,
        "summary_ms": millis(summary),
        "continue_ms": millis(continued),
    }))
}

/// Time for a step, and memory, in blocks of a tenth of all steps.
async fn timed_blocks(follower: &mut Follower, steps: u32) -> Vec<Value> {
    let block = (steps / 10).max(1);
    let (mut blocks, mut last, mut since) = (Vec::new(), 0, Instant::now());
    loop {
        let done = follower.report().global_steps;
        if last + block <= done {
            let ms = millis(since.elapsed()) / f64::from(done - last);
            let ms = (ms * 1e3).round() / 1e3;
            blocks
                .push(json!({ "steps": done, "ms_a_step": ms, "rss_mib": memory::resident_mib() }));
            (last, since) = (done, Instant::now());
        }
        if !follower.changed().await {
            return blocks;
        }
    }
}

/// How memory grows, at a step each two seconds: the straight line that lies closest to all blocks but the first, in
/// which caches fill.
fn slope(blocks: &[Value]) -> Option<f64> {
    let points: Option<Vec<(f64, f64)>> = blocks
        .iter()
        .skip(1)
        .map(|block| Some((block["steps"].as_f64()?, block["rss_mib"].as_f64()?)))
        .collect();
    let points = points.filter(|points| 1 < points.len())?;
    let mean = |of: fn(&(f64, f64)) -> f64| {
        let count = u32::try_from(points.len()).unwrap_or(u32::MAX);
        points.iter().map(of).sum::<f64>() / f64::from(count)
    };
    let (middle_step, middle_mib) = (mean(|it| it.0), mean(|it| it.1));
    let across: f64 = points.iter().map(|it| (it.0 - middle_step).powi(2)).sum();
    let along: f64 = points.iter().map(|it| (it.0 - middle_step) * (it.1 - middle_mib)).sum();
    Some((along / across * STEPS_AN_HOUR * 1e3).round() / 1e3)
}

fn agent(config: &Config, steps: u32) -> anyhow::Result<(Agent, Arc<dyn Journal>)> {
    let files = FileJournal::new(&config.data_dir, clock::system(), config.journal.sync);
    let logs = config.logs.clone();
    let journal: Arc<dyn Journal> =
        Arc::new(LoggingJournal::new(Arc::new(files), &config.data_dir, logs));
    let at = Point::new(500, 500)?;
    let at_once = Duration::ZERO;
    let settle = SettleRule {
        first_look: at_once,
        between: at_once,
        patience: at_once,
        ..SettleRule::USUAL
    };
    let node = r#"<node text="Next" class="android.widget.Button" clickable="true" bounds="[0,0][270,600]"/>"#;
    let tree = format!("<hierarchy rotation=\"0\">{}</hierarchy>", node.repeat(40));
    let device = FakeDevice::new(SERIAL, SIZE).with_ui_tree(tree);
    let agent = Agent::new(AgentDeps {
        policy: ayeaye_agent::gate::Policy::default(),
        sources: vec![Arc::new(FakeSource(Arc::new(device)))],
        in_process_devices: Vec::new(),
        models: Models::one(Arc::new(Metronome::tapping(config, at, steps / 2)?)),
        journal: journal.clone(),
        coordinator: Arc::new(FileCoordinator::new(&config.data_dir, "bench", config.journal.sync)),
        limits: Limits {
            session_steps: u32::MAX,
            repeats: u32::MAX / 4,
            run_time: Duration::from_hours(24),
            settle,
            ..limits(config)
        },
        config: Map::new(),
        secrets: Arc::new(ayeaye_agent::NoNamedSecrets),
        privacy: config.journal.privacy,
        judge: None,
    });
    Ok((agent, journal))
}

/// Bytes of a file, or of all files in a folder.
fn disk_usage(path: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(path) else {
        return std::fs::metadata(path).map_or(0, |it| it.len());
    };
    entries.filter_map(Result::ok).map(|entry| disk_usage(&entry.path())).sum()
}

fn millis(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}
