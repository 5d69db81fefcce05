//! `ayeaye policy`.
use clap::Subcommand;

use super::SessionName;

/// `ayeaye policy`.
#[derive(Debug, Subcommand)]
pub enum Policy {
    /// Show what is done without asking, what is asked about, and what is refused
    Show {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Say which rule decided in a session, or in one of its steps
    #[command(after_help = EXPLAIN_EXAMPLES)]
    Explain {
        /// The session: its id, the beginning of it, or `last`
        id: SessionName,
        /// The step, counted from 1 as in `sessions show`; without it, all of them
        step: Option<u32>,
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
}

const EXPLAIN_EXAMPLES: &str = "\
Examples:
  ayeaye policy explain last
  ayeaye policy explain last 1
  ayeaye policy explain last --json";
