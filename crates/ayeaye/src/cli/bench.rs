//! `ayeaye bench`.
use std::time::Duration;

use ayeaye_phone::Profile;
use clap::Args;

use super::virtual_phone::{FaultFlag, profiles};
use crate::bench::Act;

pub(super) const BENCH_EXAMPLES: &str = "\
Examples:
  ayeaye bench                             on a virtual phone as slow as one on USB 2
  ayeaye bench --profile wifi --rounds 30
  ayeaye bench --think 3                   a model that takes three seconds, which are not counted
  ayeaye bench --profile at-once --fault capture-delay-ms=300 --fault shell-delay-ms=20
  ayeaye bench --device R58M12ABCDE --act 'open Settings' --act 'swipe 500 700 500 300' --act home

The model takes no time, or --think SECONDS that are not counted, so this is what everything else costs. A step \
lasts from the beginning of one act to the beginning of the next. The session and its logs are kept as any other: ayeaye sessions show last.

Acts: tap X Y, double-tap X Y, long-press X Y, swipe X Y X Y (in thousandths of the screen), type TEXT, \
open APP, back, home, enter, recents.";

/// `ayeaye bench`.
#[derive(Debug, Args)]
pub struct Bench {
    /// How fast the virtual phone is
    #[arg(long, value_name = "PROFILE", value_parser = profiles(), default_value = "usb2",
        conflicts_with = "device")]
    pub profile: Profile,
    /// Give the virtual phone this fault, by a name that `ayeaye phone --help` lists
    #[arg(long = "fault", value_name = "NAME[=VALUE]", value_parser = FaultFlag::parse,
        conflicts_with = "device")]
    pub faults: Vec<FaultFlag>,
    /// Use this phone instead; the acts are done on it
    #[arg(long, value_name = "ID", requires = "acts")]
    pub device: Option<String>,
    /// Do this in each round; several are done in order
    #[arg(long = "act", value_name = "ACT")]
    pub acts: Vec<Act>,
    /// How many rounds
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rounds: u32,
    /// Have the model think for this long, as real ones do; not counted
    #[arg(long, value_name = "SECONDS", default_value = "0", value_parser = seconds)]
    pub think: Duration,
    /// As JSON, for programs
    #[arg(long)]
    pub json: bool,
}

/// Up to ten minutes.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=600.0).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "seconds, from 0 to 600".to_owned())
}
