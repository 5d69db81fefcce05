//! Finds out a model's coordinate system by having it tap marks at known places.
//!
//! Each reply is read in every candidate system, and the one in which the taps hit their marks is the
//! model's. [`probe_image`] draws the pictures, [`estimate`] evaluates the taps.
use std::time::Duration;

use ayeaye_agent::{Action, Gesture, Model as _, ModelError, Reply, ScreenSize, StepInput};

mod estimate;
pub(crate) mod probe_image;
#[cfg(test)]
mod tests;

pub use estimate::Calibration;

use crate::excerpt::excerpt;
use crate::picture::SmartResize;
use crate::profile::CoordContext;
use crate::profile::coords::{CoordSystem, CoordUnit};
use crate::{Profile, RemoteModel};

/// How a model is calibrated.
#[derive(Debug, Clone, Copy)]
pub struct CalibrationPlan {
    /// Marks to tap; each is a call.
    pub probes: u32,
    /// Seed of the pictures: the same seed gives the same pictures.
    pub seed: u64,
}

impl CalibrationPlan {
    /// Enough to tell systems apart that differ by a few pixels.
    pub const DEFAULT: Self = Self { probes: 24, seed: 1 };
    /// Fewer give no result.
    pub const MIN_PROBES: u32 = 8;
    /// More add nothing.
    pub const MAX_PROBES: u32 = 200;
}

/// One mark, and where the model tapped.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeResult {
    /// From 1.
    pub number: u32,
    /// The size of the picture that was sent.
    pub image_size: ScreenSize,
    /// The middle of the mark, in fractions of the picture.
    pub target: (f64, f64),
    /// Where the model tapped, read by its profile; else what is wrong with the reply.
    pub tapped: Result<(f64, f64), String>,
}

/// Calls that may fail in a row before calibration gives up.
const MAX_CONSECUTIVE_FAILURES: u32 = 3;

/// How servers resize pictures before the model sees them: factor 28 for the older Qwen models, with
/// the bounds they are usually served with; 32 for the newer ones; 16.
const SERVER_RESIZE_RULES: [SmartResize; 4] = [
    SmartResize { factor: 28, min_pixels: 3136, max_pixels: 12_845_056 },
    SmartResize { factor: 28, min_pixels: 3136, max_pixels: 1_003_520 },
    SmartResize { factor: 32, min_pixels: 65_536, max_pixels: 16_777_216 },
    SmartResize { factor: 16, min_pixels: 3136, max_pixels: 200_704_000 },
];

/// Every system that is tried, common ones first; the profile's own is among them.
pub(crate) fn candidate_spaces(own: CoordSystem) -> Vec<CoordSystem> {
    let plain =
        [CoordUnit::Thousandths, CoordUnit::UpTo999, CoordUnit::Fractions, CoordUnit::ImagePixels];
    let units = plain.into_iter().chain(SERVER_RESIZE_RULES.map(CoordUnit::ResizedPixels));
    let width_first: Vec<CoordSystem> = units.map(CoordSystem::of).collect();
    let mut all = width_first.clone();
    all.extend(width_first.into_iter().map(|space| CoordSystem { y_first: true, ..space }));
    if !all.contains(&own) {
        all.push(own);
    }
    all
}

/// A system wide enough for any number, to get at the numbers themselves.
const UNBOUNDED: CoordSystem = CoordSystem::of(CoordUnit::ResizedPixels(SmartResize {
    factor: 1,
    min_pixels: 100_000_000,
    max_pixels: u32::MAX,
}));

/// One mark, and its tap in every system.
#[derive(Debug, Clone)]
struct Sample {
    target: (f64, f64),
    sent: ScreenSize,
    /// In fractions, in the order of the candidates; `None` where it is off the screen.
    readings: Vec<Option<(f64, f64)>>,
    /// The two numbers themselves.
    raw: Option<(f64, f64)>,
}

impl Sample {
    /// Reads one reply in every system; `read` knows the format.
    fn new(
        target: (f64, f64),
        sent: ScreenSize,
        spaces: &[CoordSystem],
        read: impl Fn(CoordSystem) -> Option<(f64, f64)>,
    ) -> Self {
        let readings = spaces.iter().map(|space| read(*space)).collect();
        let (width, height) = UNBOUNDED.extent(sent);
        let raw = read(UNBOUNDED).map(|(x, y)| (x * width, y * height));
        Self { target, sent, readings, raw }
    }
}

impl RemoteModel {
    /// Has the model tap marks in pictures and finds out what its coordinates mean. `on_probe` is
    /// called after each picture. Takes as long as that many calls.
    ///
    /// Fails if the first call does, or several in a row.
    pub async fn calibrate(
        &self,
        plan: CalibrationPlan,
        on_probe: impl FnMut(&ProbeResult) + Send,
    ) -> Result<Calibration, ModelError> {
        calibrate(self, plan, on_probe).await
    }
}

async fn calibrate(
    model: &RemoteModel,
    plan: CalibrationPlan,
    mut on_probe: impl FnMut(&ProbeResult) + Send,
) -> Result<Calibration, ModelError> {
    let profile = model.resolved_profile();
    let own = profile.spec().coords;
    let spaces = candidate_spaces(own);
    let limit = model.config().limits.total.saturating_add(Duration::from_secs(5));
    let mut samples = Vec::new();
    let mut failed = 0;
    let mut asked = 0;
    for number in 1..=plan.probes.clamp(CalibrationPlan::MIN_PROBES, CalibrationPlan::MAX_PROBES) {
        let probe = probe_image::ProbeImage::new(plan.seed, number);
        let picture = model.picture(&probe.draw());
        let task = probe.task();
        let input = StepInput {
            history: &[ayeaye_agent::HistoryItem::Request(task.clone())],
            ..StepInput::of(&task, &picture)
        };
        // With the profile's own system, whatever the settings say.
        let coords = CoordContext { system: own, image: picture.size };
        let prompt = profile.family_of(&model.config().name).prompt(&input, &coords);
        asked += 1;
        let (target, sent) = (probe.target(), picture.size);
        let tapped = match model.call(&prompt, limit).await {
            Err(err) => {
                failed += 1;
                if failed == MAX_CONSECUTIVE_FAILURES || samples.is_empty() {
                    return Err(err);
                }
                Err(err.message)
            }
            Ok(reply) => {
                failed = 0;
                let read = |space| {
                    tap_point(profile, &reply, &CoordContext { system: space, image: sent })
                };
                let sample = Sample::new(target, sent, &spaces, |space| read(space).ok());
                samples.push(sample);
                read(own).map_err(|why| {
                    format!("{why}; its reply began {}", excerpt(&reply_text(&reply)))
                })
            }
        };
        on_probe(&ProbeResult { number, image_size: sent, target, tapped });
    }
    Ok(estimate::estimate(&samples, &spaces, own, asked))
}

/// Where a reply taps, in fractions of the picture.
fn tap_point(profile: Profile, reply: &Reply, coords: &CoordContext) -> Result<(f64, f64), String> {
    match profile.family().read(reply, coords).map(|decision| decision.action) {
        Ok(Action::Gesture(
            Gesture::Click { point }
            | Gesture::DoubleClick { point }
            | Gesture::LongPress { point, .. },
        )) => Ok(point.fractions()),
        Ok(action) => Err(format!("told to tap a mark, it answered {}", action.name())),
        Err(why) => Err(why.for_people()),
    }
}

/// A reply as a text for people: its words, or else its tool calls, or else its reasoning.
pub(crate) fn reply_text(reply: &Reply) -> String {
    let calls = || reply.calls.iter().map(|it| format!("{} {}", it.name, it.arguments));
    match reply.text.trim() {
        "" if reply.calls.is_empty() => reply.reasoning.trim().to_owned(),
        "" => calls().collect::<Vec<_>>().join(" "),
        text => text.to_owned(),
    }
}
