//! What a long session, many phones, the gate and hostile neighbours cost. What a step costs is `ayeaye bench`.
//!
//!     cargo bench -p ayeaye --bench step -- --long 10000
//!     cargo bench -p ayeaye --bench step -- --phones 50
//!     cargo bench -p ayeaye --bench step -- --gate 2000
//!     cargo bench -p ayeaye --bench step -- --hostile 300
//!
//! Each run prints one line of JSON. The settings are those of `ayeaye`, from the environment and the settings file.
#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

// The integration tests have it too.
#[path = "../../../../tests/it/support/fake_device.rs"]
mod fake_device;
mod gate;
mod hostile;
mod long;
mod many;
mod memory;
mod pages;

use std::time::Duration;

use ayeaye::config::{Config, Environment, Flag};
use clap::{CommandFactory as _, Parser};

use self::many::Many;

/// The program's own, so that memory is what it is there.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

/// What to measure: one of these.
#[derive(Debug, Parser)]
struct Options {
    /// Run one session of this many steps on a phone and a model that take no time, and continue it
    #[arg(long, value_name = "N")]
    long: Option<u32>,
    /// Ask the gate this often about an act on a large screen
    #[arg(long, value_name = "N", conflicts_with = "long")]
    gate: Option<u32>,
    /// Run one session of this many steps, alone and beside hostile phones and models
    #[arg(long, value_name = "N", conflicts_with_all = ["long", "gate"])]
    hostile: Option<u32>,
    /// Drive this many phones at once, of which one hangs
    #[arg(long, value_name = "N", conflicts_with_all = ["long", "gate", "hostile"],
        value_parser = clap::value_parser!(u32).range(1..))]
    phones: Option<u32>,
    /// Seconds from one reply of the model to the next, with --phones; 0 for full speed
    #[arg(long, value_name = "SECONDS", default_value_t = 2.0, requires = "phones")]
    every: f64,
    /// Steps of each phone, with --phones
    #[arg(long, value_name = "N", default_value_t = 20, requires = "phones",
        value_parser = clap::value_parser!(u32).range(2..))]
    steps: u32,
    /// The folder for the session
    #[arg(long, value_name = "DIR")]
    data_dir: Option<String>,
    /// Cargo passes it
    #[arg(long, hide = true)]
    bench: bool,
}

fn main() -> anyhow::Result<()> {
    ayeaye::runtime()?.block_on(measure(Options::parse()))
}

async fn measure(options: Options) -> anyhow::Result<()> {
    let data_dir =
        |value: &String| Flag { key: "data-dir", name: "--data-dir", value: value.clone() };
    let flags: Vec<Flag> = options.data_dir.iter().map(data_dir).collect();
    let config = Config::load(&flags, None, &Environment::read())?;
    let figures = if let Some(times) = options.gate {
        gate::run(times)?
    } else if let Some(steps) = options.long {
        long::measure(&config, steps).await?
    } else if let Some(steps) = options.hostile {
        hostile::measure(&config, steps).await?
    } else if let Some(phones) = options.phones {
        let every = Duration::try_from_secs_f64(options.every)?;
        many::measure(&config, &Many { phones, every, steps: options.steps }).await?
    } else {
        // As `cargo bench` of everything runs it.
        return Ok(Options::command().print_help()?);
    };
    println!("{figures}");
    Ok(())
}
