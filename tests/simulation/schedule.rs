//! What a seed says will happen.
use std::collections::HashMap;
use std::time::Duration;

use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};

/// Where a fault can strike; each place counts its calls from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Site {
    List,
    Open,
    Capture,
    State,
    Perform,
    Reset,
    Setting,
    ModelCall,
    Append,
    Sync,
    Blob,
    /// Any of them.
    Anywhere,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Fault {
    /// The link breaks; what was asked has been done, or not.
    LinkLost { done: bool },
    /// No answer inside the limit; what was asked has been done, or not.
    TimedOut { done: bool },
    /// The phone says no.
    Refused,
    /// A capture cut short, or another answer that makes no sense.
    Garbled,
    /// The phone is out of reach for so long.
    Away(Duration),
    /// The phone starts again, and is out of reach until it has.
    Reboot,
    /// Somebody presses the power key.
    ScreenOff,
    /// Somebody turns the phone.
    Turned,
    /// A window comes to the front that hides its contents, until the next gesture.
    Protected,
    /// The screen moves for so long.
    Moving(Duration),
    /// Somebody touches the phone.
    Touched,
    /// Another app comes to the front while the model thinks.
    AppSwitched,
    /// The endpoint fails, busy or broken.
    ModelFails,
    /// The endpoint says nothing until the call's limit.
    ModelSilent,
    /// The reply takes so long.
    ModelSlow(Duration),
    /// The reply is not in the format.
    Unreadable,
    /// The reply ends in its middle.
    CutShort,
    /// The reply is empty.
    Empty,
    /// A place that is not on the screen.
    OffScreen,
    /// The same act on the same screen, from now on.
    Stuck,
    /// The disk is full, or fails.
    DiskFails,
    /// The process is killed.
    Killed,
    /// The machine loses its power: what was not synced is lost, from some event on.
    PowerLost,
    /// The client takes the task back.
    Cancelled,
    /// The person pauses it.
    Paused,
    /// The client goes away and comes back later.
    ClientGone,
    /// The client sends its start, or what it went on with, again.
    Repeated,
    /// Another process wants the phone.
    SecondProcess,
    /// The answer comes twice.
    AnsweredTwice,
    /// The wall clock jumps by a year.
    ClockJumps,
}

/// The faults that can strike a place.
fn faults_at(site: Site, rng: &mut StdRng) -> Fault {
    let done = rng.random_bool(0.5);
    let away = Duration::from_millis([400, 5_000, 40_000, 400_000][rng.random_range(0..4)]);
    let of: &[Fault] = match site {
        Site::List | Site::Open => {
            &[Fault::LinkLost { done: false }, Fault::Away(away), Fault::TimedOut { done: false }]
        }
        Site::Capture => &[
            Fault::LinkLost { done },
            Fault::TimedOut { done },
            Fault::Garbled,
            Fault::Away(away),
            Fault::Turned,
            Fault::Protected,
            Fault::Moving(away),
            Fault::Touched,
        ],
        Site::State => &[
            Fault::LinkLost { done },
            Fault::Refused,
            Fault::Garbled,
            Fault::Away(away),
            Fault::ScreenOff,
            Fault::Reboot,
        ],
        Site::Perform | Site::Reset => &[
            Fault::LinkLost { done },
            Fault::TimedOut { done },
            Fault::Refused,
            Fault::Away(away),
            Fault::Reboot,
        ],
        Site::Setting => &[Fault::Refused, Fault::LinkLost { done }],
        Site::ModelCall => &[
            Fault::ModelFails,
            Fault::ModelSilent,
            Fault::ModelSlow(away),
            Fault::Unreadable,
            Fault::CutShort,
            Fault::Empty,
            Fault::OffScreen,
            Fault::Stuck,
            Fault::Touched,
            Fault::AppSwitched,
        ],
        Site::Append | Site::Sync | Site::Blob => {
            &[Fault::DiskFails, Fault::Killed, Fault::PowerLost, Fault::ClockJumps]
        }
        Site::Anywhere => &[
            Fault::Killed,
            Fault::PowerLost,
            Fault::Cancelled,
            Fault::Paused,
            Fault::ClientGone,
            Fault::Repeated,
            Fault::SecondProcess,
            Fault::AnsweredTwice,
        ],
    };
    of[rng.random_range(0..of.len())]
}

/// What a seed says.
#[derive(Debug)]
pub struct Schedule {
    /// How many decisions the model makes before it says that it is done: 1 to 40.
    pub steps: u32,
    /// 0 to 6, each by its place and the number of the call.
    pub faults: HashMap<(Site, u32), Fault>,
    /// For everything that is decided on the way.
    pub rng: StdRng,
}

impl Schedule {
    pub fn from_seed(seed: u64) -> Self {
        const SITES: [Site; 12] = [
            Site::List,
            Site::Open,
            Site::Capture,
            Site::State,
            Site::Perform,
            Site::Reset,
            Site::Setting,
            Site::ModelCall,
            Site::Append,
            Site::Sync,
            Site::Blob,
            Site::Anywhere,
        ];
        let mut rng = StdRng::seed_from_u64(seed);
        let steps = rng.random_range(1..=40);
        let mut faults = HashMap::new();
        for _ in 0..rng.random_range(0..=6) {
            let site = SITES[rng.random_range(0..SITES.len())];
            // Calls a step, roughly.
            let often = match site {
                Site::List | Site::Open | Site::Reset | Site::Setting => 2,
                Site::Perform | Site::ModelCall => steps + 1,
                Site::Capture | Site::State | Site::Sync | Site::Blob => 2 * steps,
                Site::Append => 9 * steps,
                Site::Anywhere => 20 * steps,
            };
            let fault = faults_at(site, &mut rng);
            faults.insert((site, rng.random_range(1..=often)), fault);
        }
        Self { steps, faults, rng }
    }
}
