//! `ayeaye bench`.
use ayeaye_phone::Profile;
use clap::Args;

use super::virtual_phone::profiles;
use crate::bench::Act;

pub(super) const BENCH_EXAMPLES: &str = "\
Examples:
  ayeaye bench                             on a virtual phone as slow as one on USB 2
  ayeaye bench --profile wifi --rounds 30
  ayeaye bench --device R58M12ABCDE --act 'open Settings' --act 'swipe 500 700 500 300' --act home

The model takes no time, so this is what everything else costs. A step lasts from the beginning of one act to
the beginning of the next. The session is kept as any other: ayeaye sessions show last.

Acts: tap X Y, double-tap X Y, long-press X Y, swipe X Y X Y (in thousandths of the screen), type TEXT,
open APP, back, home, enter, recents.";

/// `ayeaye bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// How fast the virtual phone is
    #[arg(long, value_name = "PROFILE", value_parser = profiles(), default_value = "usb2",
        conflicts_with = "device")]
    pub profile: Profile,
    /// Take this phone instead; the acts are done on it
    #[arg(long, value_name = "ID", requires = "acts")]
    pub device: Option<String>,
    /// Do this in each round; several in their order
    #[arg(long = "act", value_name = "ACT")]
    pub acts: Vec<Act>,
    /// How many rounds
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rounds: u32,
    /// As JSON, for programs
    #[arg(long)]
    pub json: bool,
}
