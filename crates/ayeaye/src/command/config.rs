//! `ayeaye config`: the settled settings, and where each came from.
use crate::cli::Exit;
use crate::config::Config;
use crate::terminal::Terminal;

/// Shows them.
pub fn config(config: &Config, terminal: Terminal) -> Exit {
    terminal.line(config.explained().trim_end());
    Exit::Done
}
