//! `ayeaye bench`: what a step costs besides the model.
use std::sync::Arc;

use anyhow::Context as _;
use ayeaye_agent::{DeviceId, DeviceSource};
use ayeaye_phone::{AdbCounts, Phone};
use serde_json::json;

use crate::bench::{Act, Figures, Guesses, Plan, Spread, Traffic, TrafficCounter, measure};
use crate::cli;
use crate::command::Exit;
use crate::config::Config;
use crate::shutdown::Shutdown;
use crate::terminal::Terminal;
use crate::wiring::{self, App, ModelChoice};

/// Measures, and prints a table or JSON.
pub(super) async fn bench(
    config: &Config,
    options: cli::Bench,
    terminal: Terminal,
) -> anyhow::Result<Exit> {
    let cli::Bench { profile, faults, device, acts, rounds, think, json } = options;
    let terminal = if json { terminal.beside_json() } else { terminal };
    let signals = Shutdown::on_signals()?;
    let (phone, figures) = if let Some(device) = device {
        let plan = Plan { acts, rounds, think };
        let adb: Arc<dyn DeviceSource> = Arc::new(wiring::adb_devices(config)?);
        let sources = vec![adb];
        let _waiting = terminal.waiting(&waiting(&plan));
        let id = DeviceId::new(&device);
        let figures = measure(config, sources, id, &plan, None, terminal, &signals).await?;
        (device, figures)
    } else {
        let app =
            App::with_phone(config, cli::phone(None, &faults, profile), ModelChoice::Scripted)
                .await?;
        let phone = app.virtual_phone.clone().context("there is no virtual phone")?;
        let acts = if acts.is_empty() { usual_acts(phone.phone())? } else { acts };
        let plan = Plan { acts, rounds, think };
        let device = DeviceId::new(phone.serial());
        let traffic: TrafficCounter = Arc::new(move || {
            let AdbCounts { requests, bytes_sent, captures, .. } = phone.adb_counts();
            Traffic { requests, bytes: bytes_sent, captures }
        });
        let sources = app.agent.sources().to_vec();
        let _waiting = terminal.waiting(&waiting(&plan));
        let traffic = Some(traffic);
        let figures = measure(config, sources, device, &plan, traffic, terminal, &signals).await?;
        (format!("virtual, {}: {}", profile.name(), profile.about()), figures)
    };
    if json {
        let mut document = serde_json::to_value(&figures)?;
        document["phone"] = json!(phone);
        document["rounds"] = json!(rounds);
        document["think_seconds"] = json!(think.as_secs_f64());
        terminal.json(&document);
    } else {
        terminal.line(&format!("phone: {phone}\n\n{}", table(&figures)));
    }
    Ok(Exit::Done)
}

fn waiting(plan: &Plan) -> String {
    format!("{} steps", plan.acts.len() as u64 * u64::from(plan.rounds))
}

/// What is done on a virtual phone: it begins and ends on the home screen.
fn usual_acts(phone: &Phone) -> anyhow::Result<Vec<Act>> {
    let state = phone.state();
    let icon = state
        .nodes
        .iter()
        .find(|node| node.clickable && [&node.text, &node.desc].iter().any(|it| *it == "Settings"))
        .context("the launcher shows no Settings")?;
    let [left, top, right, bottom] = icon.bounds.map(i64::from);
    let (width, height) = (i64::from(state.size.0), i64::from(state.size.1));
    let tap = format!("tap {} {}", (left + right) * 500 / width, (top + bottom) * 500 / height);
    // To the end of the list and back to its beginning: an app keeps its place when it is left.
    let (down, up) = ("swipe 500 700 500 300", "swipe 500 300 500 700");
    let acts = [tap.as_str(), down, up, "back", "open Settings", "home"];
    Ok(acts.iter().map(|act| act.parse()).collect::<Result<_, _>>()?)
}

fn table(figures: &Figures) -> String {
    let row = |name: &str, Spread { p10, p50, p90 }: Spread, decimals: usize| {
        format!("{name:<24}{p10:>10.decimals$}{p50:>10.decimals$}{p90:>10.decimals$}")
    };
    let heading = |of: &str| format!("{of:<24}{:>10}{:>10}{:>10}", "1 in 10", "median", "9 in 10");
    let count = |name: &str, value: Option<f64>| {
        let value = value.map_or_else(|| "not known".to_owned(), |value| format!("{value:.1}"));
        format!("{name:<24}{value:>20}")
    };
    let mut lines = vec![heading(&format!("seconds, {} steps", figures.steps))];
    lines.push(row("a step", figures.seconds, 3));
    for kind in &figures.by_act {
        lines.push(row(&format!("  {} ({})", kind.act, kind.steps), kind.seconds, 3));
    }
    lines.push(row("all acts, once", figures.round_seconds, 3));
    lines.extend([String::new(), heading("milliseconds of a step")]);
    for (name, part) in &figures.parts_ms {
        lines.push(row(&name.replace('_', " "), *part, 1));
    }
    let per_step = figures.per_step;
    lines.extend([
        String::new(),
        format!("{:<24}{:>20}", "means of a step", ""),
        count("captures of the settling", Some(per_step.captures)),
        count("captures in all", per_step.captures_taken),
        count("round trips", per_step.round_trips),
        count("kB from the phone", per_step.bytes.map(|bytes| bytes / 1e3)),
        count("syncs of the record", per_step.syncs),
        count("ms of processor time", per_step.cpu_ms),
    ]);
    let Guesses { sent, right } = figures.guesses;
    if sent != 0 {
        lines.push(format!(
            "{sent} frames sent before the screen had settled, {right} of them right"
        ));
    }
    if figures.unsettled != 0 {
        lines.push(format!("{} steps ended on a screen that still moved", figures.unsettled));
    }
    lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
}
