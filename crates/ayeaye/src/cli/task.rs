//! `ayeaye task`.
use clap::{Args, Subcommand};

use super::{RunFlags, SessionName};
use crate::config::MAX_STEPS;

/// `ayeaye task`.
#[derive(Debug, Subcommand)]
pub enum TaskCommand {
    /// Save a task under a name, replacing any task of that name
    #[command(after_help = SAVE_EXAMPLES)]
    Save(SaveTask),
    /// Do a saved task
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunTask),
    /// List the saved tasks
    List {
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Show a task, and the file it is saved in
    Show {
        /// Its name
        name: String,
        /// As JSON, for programs
        #[arg(long)]
        json: bool,
    },
    /// Forget a task
    Rm {
        /// Its name
        name: String,
    },
}

/// `ayeaye task save`.
#[derive(Debug, Args)]
#[command(
    override_usage = "ayeaye task save [OPTIONS] <NAME> <TEXT>\n       ayeaye task save [OPTIONS] <NAME> --from <ID>"
)]
pub struct SaveTask {
    /// Its name: letters, digits, `-`, `_` and `.`
    pub name: String,
    /// What to do, with slots such as {person}, filled in when it is run
    #[arg(required_unless_present = "from", conflicts_with = "from")]
    pub text: Option<String>,
    /// Take the task of this session: its id, the beginning of it, or `last`
    #[arg(long, value_name = "ID")]
    pub from: Option<SessionName>,
    /// Also save what that session did, to repeat it as long as each element is there
    // Not `requires`: a text, which conflicts with it, makes that go unnoticed.
    #[arg(long, conflicts_with = "text")]
    pub steps: bool,
    /// The phone it is for, by its serial
    #[arg(long, value_name = "ID")]
    pub device: Option<String>,
    /// Stop after this many steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_STEPS)))]
    pub max_steps: Option<u32>,
}

/// `ayeaye task run`.
#[derive(Debug, Args)]
pub struct RunTask {
    /// Its name
    pub name: String,
    /// The text for a slot; without it you are asked, in a terminal
    #[arg(long = "set", value_name = "SLOT=TEXT", value_parser = slot_value)]
    pub set: Vec<(String, String)>,
    /// Let the model do everything, ignoring the saved steps
    #[arg(long)]
    pub without_steps: bool,
    /// The phone's serial; without it, the one the task is for, or the only one connected
    #[arg(long, value_name = "ID", conflicts_with = "virtual_phone")]
    pub device: Option<String>,
    #[command(flatten)]
    pub flags: RunFlags,
}

fn slot_value(text: &str) -> Result<(String, String), String> {
    let (slot, value) = text.split_once('=').ok_or("say it as SLOT=TEXT, such as person=Anna")?;
    Ok((slot.trim().to_owned(), value.to_owned()))
}

const SAVE_EXAMPLES: &str = "\
Examples:
  ayeaye task save late 'Text {person} in Messages that I am {minutes} minutes late'
  ayeaye task save dark 'Turn on dark mode' --max-steps 10
  ayeaye task save again --from last            the task of the last session
  ayeaye task save routine --from last --steps  and what it did

What it names by {{secret:NAME}} is kept as that name alone: `ayeaye secret set`.";

const RUN_EXAMPLES: &str = "\
Examples:
  ayeaye task run late --set person=Anna --set minutes=10
  ayeaye task run dark --device R58M12ABCDE
  ayeaye task run routine --every 1d

Kept steps are done again one by one, each only where the same app is in front and its element is there. The \
model takes over at the first that does not fit, and where the last screen is another one.";
