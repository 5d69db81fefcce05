//! Parses the command line, loads the settings, runs the command; everything else is a library call.
use std::process::ExitCode;

use ayeaye::cli::Cli;
use ayeaye::{command, terminal};

/// The system's own keeps for itself what a moment has needed: docs/decisions/0018-memory.md.
#[cfg(target_os = "linux")]
#[global_allocator]
static ALLOCATOR: tikv_jemallocator::Jemalloc = tikv_jemallocator::Jemalloc;

fn main() -> ExitCode {
    match Cli::read(terminal::columns()) {
        Ok(cli) => ayeaye::run(cli).unwrap_or_else(|err| command::print_error(&err)),
        Err(answer) => command::print_usage(&answer),
    }
    .into()
}
