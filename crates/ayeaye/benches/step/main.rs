//! What a long session, the gate and hostile neighbours cost. What a step costs is `ayeaye bench`.
//!
//!     cargo bench -p ayeaye --bench step -- --long 10000
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

use ayeaye::config::{Config, Environment, Flag};
use clap::{CommandFactory as _, Parser};

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
    /// The folder for the session
    #[arg(long, value_name = "DIR")]
    data_dir: Option<String>,
    /// Cargo passes it
    #[arg(long, hide = true)]
    bench: bool,
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
        // As `cargo bench` of everything runs it.
        (None, None, None) => return Ok(Options::command().print_help()?),
    };
    println!("{figures}");
    Ok(())
}
