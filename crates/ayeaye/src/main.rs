//! Parses the command line, loads the settings, runs the command; everything else is a library call.
use std::process::ExitCode;

use ayeaye::cli::Cli;
use clap::Parser as _;

fn main() -> ExitCode {
    ayeaye::run(Cli::parse()).unwrap_or_else(|err| ayeaye::command::print_error(&err)).into()
}
