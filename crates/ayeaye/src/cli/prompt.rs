//! `ayeaye model prompt`.
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// `ayeaye model prompt`.
#[derive(Debug, Subcommand)]
pub enum PromptCommand {
    /// Read a prompt from a checkout; nothing in it is run
    #[command(after_help = IMPORT_EXAMPLES)]
    Import(ImportPrompt),
    /// List the imported prompts, and those that can be imported
    List {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Show an imported prompt: where it is from, what was checked, its words
    Show {
        /// Its name, as `ayeaye model prompt list` prints it
        name: String,
    },
    /// Delete an imported prompt
    Rm {
        /// Its name, as `ayeaye model prompt list` prints it
        name: String,
    },
}

/// `ayeaye model prompt import`.
#[derive(Debug, Args)]
pub struct ImportPrompt {
    /// The folder of your checkout of the model's repository
    #[arg(long, value_name = "DIR", required_unless_present = "fetch")]
    pub from: Option<PathBuf>,
    /// Download its published file instead, accepting only the known file (by its hash)
    #[arg(
        long,
        value_name = "URL",
        num_args = 0..=1,
        default_missing_value = "https://raw.githubusercontent.com",
        conflicts_with = "from"
    )]
    pub fetch: Option<String>,
    /// The profile it is for; without it, the one whose prompt the folder holds
    #[arg(long, value_name = "PROFILE")]
    pub family: Option<String>,
    /// Which of the family's prompts, such as `multilingual`
    #[arg(long, value_name = "NAME", default_value = "")]
    pub variant: String,
    /// Also write it into the settings file, so that it is used
    #[arg(long = "use")]
    pub use_it: bool,
}

const IMPORT_EXAMPLES: &str = "\
Examples:
  git clone https://github.com/stepfun-ai/gelab-zero
  ayeaye model prompt import --from gelab-zero --use
  ayeaye model prompt import --from Open-AutoGLM --variant multilingual
  ayeaye model prompt import --fetch --family ui-tars";
