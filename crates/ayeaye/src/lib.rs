//! The server and the command line.
//!
//! Which module uses which: `.ci/layers` has their order, `.ci/modules.py` checks it.
#![cfg_attr(not(test), warn(unused_crate_dependencies))]

// For its features alone: see Cargo.toml of the workspace.
use hashbrown as _;
// The program's allocator, set in main.rs.
#[cfg(target_os = "linux")]
use tikv_jemallocator as _;

pub mod command;

pub mod cli;

pub mod bench;
pub mod wiring;

pub mod clients;

pub mod http;
pub mod mcp;
pub mod model_presence;
pub mod named_secrets;
pub mod page;
pub mod saved_tasks;
pub mod scripted_model;
pub mod stdio;

pub mod config;
pub mod log;
pub mod shutdown;
#[cfg(windows)]
mod standard_handles;
pub mod terminal;

pub mod atomic_file;
pub mod clock;
mod delivery;
mod handler_end;
pub mod hint;
mod one_time_codes;
mod open_requests;
mod policy_words;
pub mod principal;
pub mod running_server;
pub mod secret;
pub mod text;

#[cfg(test)]
mod testing;

use std::time::Duration;

use cli::{Cli, Command};
use command::Exit;
use config::{Config, Environment};
use tokio::runtime::{Builder, Runtime};

/// How long a thread that waits for files stays without work. What the allocator has set aside for it, up to half a
/// megabyte, goes with it, and each phone at full speed takes one; a new one costs a tenth of a millisecond.
const BLOCKING_THREADS_STAY: Duration = Duration::from_secs(2);

/// The runtime of every command.
pub fn runtime() -> std::io::Result<Runtime> {
    Builder::new_multi_thread().enable_all().thread_keep_alive(BLOCKING_THREADS_STAY).build()
}

/// Runs the command of the command line, with the settings from all their sources.
pub fn run(cli: Cli) -> anyhow::Result<Exit> {
    let environment = Environment::read();
    let config = match Config::load(&cli.flags(), cli.config_file(), &environment) {
        Ok(config) => config,
        Err(err) => {
            command::print_error(&err.into());
            return Ok(Exit::Usage);
        }
    };
    // Between the lines of a terminal command only trouble is worth a line, unless the user asks.
    let served = matches!(cli.command, Command::Serve(_));
    let filter = if served || config.log_is_set() { &config.log } else { "warn" };
    let no_color = config.no_color || !terminal::understands_colours();
    if let Err(err) = log::to_stderr(filter, no_color) {
        command::print_error(&err.into());
        return Ok(Exit::Usage);
    }
    #[cfg(windows)]
    standard_handles::keep_from_others();
    for note in &config.notes {
        tracing::warn!("{note}");
    }
    let runtime = runtime()?;
    let start = command::Start {
        environment,
        flags: cli.flags(),
        file: cli.config_file().map(std::path::Path::to_owned),
    };
    let exit = runtime.block_on(command::dispatch(cli.command, &config, &start));
    // A thread may still wait for a line of stdin that never comes.
    runtime.shutdown_background();
    exit.map(command::with_output)
}
