//! `ayeaye run` and those like it.
use ayeaye_agent::ReplyMode;
use clap::Args;

use super::every::Repeat;
use super::{InvalidSessionName, SessionName, VirtualTraits};
use crate::text::{one_line, shell_word};

/// `ayeaye demo`.
#[derive(Debug, Args)]
pub struct Demo {
    /// Answer the agent's question by itself
    #[arg(long)]
    pub yes: bool,
}

pub(super) const RUN_EXAMPLES: &str = "\
Examples:
  ayeaye run 'Turn on dark mode'
  ayeaye run 'Send Anna a message: I am late' --device R58M12ABCDE
  ayeaye run 'Turn Bluetooth on' --virtual --max-steps 10
  ayeaye run 'Put the code from Messages into a note' --planner --device R58M12ABCDE
  ayeaye run 'Clear all notifications' --every 1d

Ctrl-C pauses the task after the action under way; `ayeaye continue` goes on with it.
With --every a round begins when it is due, and never while another one runs. Rounds end with Ctrl-C, after --times, \
with a question that nobody has answered by the next due time, and when three in a row have failed.";

/// `ayeaye run`.
#[derive(Debug, Args)]
pub struct Run {
    /// What to do, in one sentence
    pub task: String,
    /// The phone's serial, as `ayeaye devices` prints it; may be left out if only one phone is connected
    #[arg(long, value_name = "ID", conflicts_with = "virtual_phone")]
    pub device: Option<String>,
    #[command(flatten)]
    pub flags: RunFlags,
}

/// What `run` and `task run` share. The phone's serial means something else to each.
#[derive(Debug, Args)]
pub struct RunFlags {
    /// Use a virtual phone
    #[arg(long = "virtual")]
    pub virtual_phone: bool,
    #[command(flatten)]
    pub traits: VirtualTraits,
    /// Wait while another task has the phone; this one starts by itself when its turn comes
    #[arg(long)]
    pub queue: bool,
    #[command(flatten)]
    pub how: HowToRun,
    #[command(flatten)]
    pub repeat: Repeat,
}

pub(super) const CONTINUE_EXAMPLES: &str = "\
Examples:
  ayeaye continue                              the last session that waits or was stopped
  ayeaye continue 0192f3a1                     a session, by the beginning of its id
  ayeaye continue last 'Anna Berg'             an answer, advice, or after the end the next task

A session that waits with a question takes TEXT as its answer; without TEXT the question is asked here. One \
that was stopped goes on, with TEXT as advice. One that has ended takes TEXT as its next task.";

/// `ayeaye continue`.
#[derive(Debug, Args)]
pub struct Continue {
    /// The session: its id, the beginning of it, or `last`; without it, the last one that is waiting or was stopped
    #[arg(value_parser = session_to_continue)]
    pub id: Option<SessionName>,
    /// What to tell it
    pub text: Option<String>,
    /// On a new virtual phone, for a session that was on one; usually detected
    #[arg(long = "virtual")]
    pub virtual_phone: bool,
    #[command(flatten)]
    pub how: HowToRun,
}

/// A session. Anything else may be what somebody wants to tell the last one.
fn session_to_continue(text: &str) -> Result<SessionName, String> {
    text.parse().map_err(|err: InvalidSessionName| {
        format!("{err}. To tell the last one: ayeaye continue last {}", shell_word(&one_line(text)))
    })
}

/// What `run` and `continue` share.
#[derive(Debug, Args)]
pub struct HowToRun {
    /// Stop after this many steps
    #[arg(long, value_name = "N")]
    pub(super) max_steps: Option<String>,
    /// Who answers questions: the setting run.reply-mode if left out, which is you, in this terminal, unless
    /// it was changed
    #[arg(long, value_name = "M", value_parser = ReplyMode::ALL.map(ReplyMode::name))]
    pub(super) reply_mode: Option<String>,
    /// Let a host agent split up the task over the phone's apps
    #[arg(long, value_name = "on|off", num_args = 0..=1, default_missing_value = "on",
        require_equals = true)]
    pub(super) planner: Option<String>,
    /// Print the result as JSON, for programs; what people read goes to stderr
    #[arg(long)]
    pub json: bool,
}

impl HowToRun {
    /// Whether the command line itself limits the steps.
    pub fn limits_steps(&self) -> bool {
        self.max_steps.is_some()
    }
}
