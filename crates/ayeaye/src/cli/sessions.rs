//! `ayeaye sessions`.
use std::path::PathBuf;

use ayeaye_export::Format;
use clap::Subcommand;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use super::SessionName;

/// `ayeaye sessions`.
#[derive(Debug, Subcommand)]
pub enum Sessions {
    /// List the sessions, newest first
    List {
        /// The most sessions to list
        #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
        limit: Option<u32>,
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Show what happened in one, and where its record and its logs are
    #[command(after_help = SHOW_EXAMPLES)]
    Show {
        /// The session: its id, the beginning of it, or `last`
        id: SessionName,
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Answer a session's open question
    Answer {
        /// The session: its id, the beginning of it, or `last`
        id: SessionName,
        /// The answer
        text: String,
    },
    /// Write a session in a format that other programs read
    #[command(after_help = EXPORT_EXAMPLES)]
    Export {
        /// The session: its id, the beginning of it, or `last`
        id: SessionName,
        /// The format
        #[arg(long, value_name = "F", value_parser = formats())]
        format: Format,
        /// The folder to write into
        #[arg(long, value_name = "DIR")]
        out: PathBuf,
    },
    /// Show how much space sessions take, log by log, and which are removed next
    Du {
        /// These sessions; without any, all of them, largest first
        #[arg(value_name = "ID")]
        ids: Vec<SessionName>,
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Delete sessions with everything that belongs to them: record, pictures, logs
    Rm {
        /// The sessions: ids, the beginnings of them, or `last`
        #[arg(required = true, value_name = "ID")]
        ids: Vec<SessionName>,
    },
}

const SHOW_EXAMPLES: &str = "\
Examples:
  ayeaye sessions show last
  ayeaye sessions show last --json";

const EXPORT_EXAMPLES: &str = "\
Examples:
  ayeaye sessions export last --format html --out .
  ayeaye sessions export last --format film --out .
  ayeaye sessions export last --format ufo --out my-trajectories";

/// The formats of `ayeaye sessions export`, with what each is.
fn formats() -> impl TypedValueParser<Value = Format> {
    let values = Format::ALL.map(|format| PossibleValue::new(format.name()).help(format.about()));
    PossibleValuesParser::new(values)
        .map(|name| Format::from_name(&name).expect("clap takes only these names"))
}
