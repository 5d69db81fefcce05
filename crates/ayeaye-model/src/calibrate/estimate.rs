//! From taps to the convention they were said in.
use std::fmt::Write as _;

use ayeaye_agent::ScreenSize;

use super::Sample;
use crate::profile::coords::CoordSystem;

/// What calibration has come to. Distances are in thousandths of the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Marks that the model was asked to tap.
    pub probes: u32,
    /// Replies that name a place under some convention.
    pub readable: usize,
    /// What the model's coordinates are; `None` where that cannot be told.
    pub detected: Option<CoordSystem>,
    /// What the profile says they are.
    pub declared: CoordSystem,
    /// Others under which the taps lie as well: no mark tells them apart from it.
    pub indistinguishable: Vec<CoordSystem>,
    /// How far taps are off in the middle of all cases.
    pub median_error: f64,
    /// To where all taps are shifted: right and down.
    pub bias: (f64, f64),
    /// How far taps are scattered around that.
    pub spread: f64,
    /// Replies that are nowhere near their mark.
    pub misses: usize,
    /// Every convention with its median distance, the nearest first.
    pub ranking: Vec<(CoordSystem, f64)>,
    /// What else was noticed, in sentences for people.
    pub warnings: Vec<String>,
}

impl Calibration {
    /// Whether the settings have to say it: it was found, and is not what the profile says.
    pub fn correction(&self) -> Option<CoordSystem> {
        self.detected.filter(|space| *space != self.declared)
    }
}

/// Taps farther off than this in the middle of all cases are no sign of a convention.
const MAX_MEDIAN_ERROR: f64 = 30.0;
/// Farther off, and a tap was not meant for the mark.
const MISS_DISTANCE: f64 = 60.0;
/// How many deviations one convention must be worse than another to be told apart from it.
const SIGNIFICANCE: f64 = 3.0;
/// Fewest replies that tell anything.
const MIN_READABLE: usize = 6;

pub(super) fn estimate(
    samples: &[Sample],
    spaces: &[CoordSystem],
    declared: CoordSystem,
    probes: u32,
) -> Calibration {
    let read = |it: &&Sample| it.raw.is_some() || it.readings.iter().any(Option::is_some);
    let readable: Vec<&Sample> = samples.iter().filter(read).collect();
    let distances: Vec<Vec<f64>> = (0..spaces.len())
        .map(|at| readable.iter().map(|it| offset(it, at).map_or(f64::INFINITY, length)).collect())
        .collect();
    let medians: Vec<f64> = distances.iter().map(|all| median(all.clone())).collect();
    let mut ranking: Vec<(CoordSystem, f64)> =
        spaces.iter().copied().zip(medians.clone()).collect();
    ranking.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut found = Calibration {
        probes,
        readable: readable.len(),
        detected: None,
        declared,
        indistinguishable: Vec::new(),
        median_error: ranking.first().map_or(f64::INFINITY, |(_, median)| *median),
        bias: (0.0, 0.0),
        spread: 0.0,
        misses: 0,
        ranking,
        warnings: Vec::new(),
    };
    if readable.len() < MIN_READABLE.max(probes as usize / 3) {
        found.warnings.push(format!(
            "only {} of {probes} replies name a place: see whether the profile is the model's own, \
             with `ayeaye model list`",
            readable.len()
        ));
        return found;
    }
    if MAX_MEDIAN_ERROR < found.median_error {
        found.warnings.extend(resize_warning(&readable));
        if found.warnings.is_empty() {
            found.warnings.push(
                "the taps follow no convention: the model may not see the picture, or not \
                 understand the task"
                    .to_owned(),
            );
        }
        return found;
    }
    let alike = indistinguishable(&readable, &distances, &medians, found.median_error);
    let at = alike.iter().position(|at| spaces[*at] == declared).unwrap_or(0);
    let chosen = alike[at];
    found.detected = Some(spaces[chosen]);
    found.indistinguishable =
        alike.iter().filter(|at| **at != chosen).map(|at| spaces[*at]).collect();
    found.median_error = medians[chosen];
    let hits: Vec<(f64, f64)> = readable
        .iter()
        .filter_map(|it| offset(it, chosen))
        .filter(|it| length(*it) <= MISS_DISTANCE)
        .collect();
    let (right, down): (Vec<f64>, Vec<f64>) = hits.iter().copied().unzip();
    found.bias = (median(right), median(down));
    let around = |it: &(f64, f64)| length((it.0 - found.bias.0, it.1 - found.bias.1));
    found.spread = median(hits.iter().map(around).collect());
    found.misses = readable.len() - hits.len();
    found.warnings.extend(bias_warning(&found, hits.len()));
    found.warnings.extend(cropping_warning(&readable, chosen));
    found
}

/// The conventions that cannot be told apart from the best one, in their order.
///
/// Between two of them lies a known shift for each tap. If the best one is the model's, another one is
/// worse by the squares of these shifts, give or take what the scatter of the taps makes of it.
fn indistinguishable(
    samples: &[&Sample],
    distances: &[Vec<f64>],
    medians: &[f64],
    least: f64,
) -> Vec<usize> {
    let near: Vec<usize> =
        (0..medians.len()).filter(|at| medians[*at] <= least.mul_add(2.0, 10.0)).collect();
    // What is far off under all of them tells nothing of the difference.
    let cutoff = least.mul_add(4.0, 15.0);
    let fit = |probe: &usize| near.iter().any(|at| distances[*at][*probe] <= cutoff);
    let probes: Vec<usize> = (0..samples.len()).filter(fit).collect();
    let square = |at: usize, probe: usize| distances[at][probe].min(2.0 * cutoff).powi(2);
    let sum = |at: usize| probes.iter().map(|probe| square(at, *probe)).sum::<f64>();
    let Some(best) = near.iter().copied().min_by(|a, b| sum(*a).total_cmp(&sum(*b))) else {
        return Vec::new();
    };
    // The deviation on one axis, from the median of distances on two.
    let scatter = median(probes.iter().map(|probe| distances[best][*probe]).collect()) / 1.177;
    let shift = |at: usize, probe: usize| match (
        offset(samples[probe], at),
        offset(samples[probe], best),
    ) {
        (Some(one), Some(other)) => length((one.0 - other.0, one.1 - other.1)).min(2.0 * cutoff),
        _ => 2.0 * cutoff,
    };
    let worse = |at: usize| {
        let shifts = probes.iter().map(|probe| shift(at, *probe).powi(2)).sum::<f64>().sqrt();
        SIGNIFICANCE * 2.0 * scatter * shifts < sum(at) - sum(best)
    };
    near.iter().copied().filter(|at| *at == best || !worse(*at)).collect()
}

/// All taps beside their marks to the same side.
fn bias_warning(found: &Calibration, hits: usize) -> Option<String> {
    let (right, down) = found.bias;
    let sure = 4.0 * found.spread / as_f64(hits).sqrt();
    (5.0_f64.max(sure) < length(found.bias)).then(|| {
        format!(
            "all taps are off by {right:.0} to the right and {down:.0} down, in thousandths: small \
             targets will be missed"
        )
    })
}

/// Marks beyond some line that are never found, while those before it are: the rest of the picture
/// does not reach the model.
fn cropping_warning(samples: &[&Sample], chosen: usize) -> Option<String> {
    type Axis = (&'static str, fn(&Sample) -> f64);
    let axes: [Axis; 2] = [("across", |it| it.target.0), ("down", |it| it.target.1)];
    for (axis, along) in axes {
        for from_end in [true, false] {
            let place = |it: &Sample| if from_end { along(it) } else { 1.0 - along(it) };
            let missed =
                |it: &Sample| offset(it, chosen).is_none_or(|it| MISS_DISTANCE < length(it));
            let mut sorted: Vec<&&Sample> = samples.iter().collect();
            sorted.sort_by(|a, b| place(a).total_cmp(&place(b)));
            let last_hit = sorted.iter().rposition(|it| !missed(it))?;
            let beyond = sorted.len() - 1 - last_hit;
            let before = sorted[..=last_hit].iter().filter(|it| missed(it)).count();
            if 3 <= beyond && before * 4 <= last_hit + 1 && before < beyond {
                let part = place(sorted[last_hit]) * 100.0;
                let (seen, end) = if from_end { ("first", "behind") } else { ("last", "before") };
                return Some(format!(
                    "no mark is found {end} the {seen} {part:.0} % {axis}: the server cuts pictures \
                     off; send smaller ones (model.max-pixels), or serve the model without a bound \
                     on its pictures"
                ));
            }
        }
    }
    None
}

/// Width and height of the numbers on a picture.
type Extent = fn(ScreenSize) -> (f64, f64);

/// Where no convention fits: whether the numbers are still a straight line of the places. Then the
/// server makes something else of the pictures before the model sees them.
fn resize_warning(samples: &[&Sample]) -> Option<String> {
    let bases: [(bool, Extent); 2] = [
        (false, |_| (1000.0, 1000.0)),
        (true, |sent| (f64::from(sent.width), f64::from(sent.height))),
    ];
    let mut lines: Vec<(bool, Line, Line, usize)> = Vec::new();
    for (by_picture, extent) in bases {
        let said = |it: &&Sample| {
            let (x, y) = it.raw?;
            let (width, height) = extent(it.sent);
            Some((it.target, (x / width, y / height)))
        };
        let pairs: Vec<Pair> = samples.iter().filter_map(said).collect();
        let agreed = largest_collinear(&pairs);
        if agreed.len() < MIN_READABLE.max(pairs.len() / 3) {
            continue;
        }
        let across = Line::fit(&agreed.iter().map(|(t, s)| (t.0, s.0)).collect::<Vec<_>>());
        let down = Line::fit(&agreed.iter().map(|(t, s)| (t.1, s.1)).collect::<Vec<_>>());
        lines.push((by_picture, across, down, agreed.len()));
    }
    lines.retain(|it| it.1.is_plausible() && it.2.is_plausible());
    let (by_picture, across, down, _) = lines.into_iter().max_by_key(|it| it.3)?;
    let mut text = String::new();
    let straight = |line: &Line| line.start.abs() < 0.03;
    if by_picture && straight(&across) && straight(&down) {
        write!(
            text,
            "the numbers are pixels of a picture {:.2} times as wide and {:.2} times as high as the \
             one that is sent: the server resizes it by a rule of its own; set model.max-pixels so \
             low that it does not, or serve the model without a bound on its pictures",
            across.slope, down.slope
        )
    } else if straight(&across) && straight(&down) && !is_cropped(&across) && !is_cropped(&down) {
        write!(
            text,
            "the numbers run to about {:.0} across and {:.0} down on every picture: the server \
             squeezes all pictures to one size",
            across.slope * 1000.0,
            down.slope * 1000.0
        )
    } else {
        let part = |line: &Line| {
            let at = |end: f64| (((end - line.start) / line.slope).clamp(0.0, 1.0) * 100.0).round();
            format!("{} to {} %", at(0.0), at(1.0))
        };
        write!(
            text,
            "the model seems to see only {} across and {} down: the server crops pictures; send \
             smaller ones (model.max-pixels), or serve the model without a bound on its pictures",
            part(&across),
            part(&down)
        )
    }
    .expect("a String takes everything");
    Some(text)
}

fn is_cropped(line: &Line) -> bool {
    (1.03..=4.0).contains(&line.slope)
}

/// A mark, and the numbers it was given.
type Pair = ((f64, f64), (f64, f64));

/// The largest part of all replies that lie on one straight line in both directions. A server that
/// hides half of the picture leaves less than half of them on it.
fn largest_collinear(pairs: &[Pair]) -> Vec<Pair> {
    const NEAR: f64 = 0.02;
    let mut most: Vec<Pair> = Vec::new();
    for (at, one) in pairs.iter().enumerate() {
        for other in &pairs[at + 1..] {
            let line = |axis: fn(&(f64, f64)) -> f64| {
                let run = axis(&other.0) - axis(&one.0);
                let slope = (axis(&other.1) - axis(&one.1)) / run;
                (0.1 < run.abs())
                    .then(|| Line { slope, start: axis(&one.1) - slope * axis(&one.0) })
            };
            let (Some(across), Some(down)) = (line(|it| it.0), line(|it| it.1)) else { continue };
            if !across.is_plausible() || !down.is_plausible() {
                continue;
            }
            let on = |it: &&Pair| {
                across.distance(it.0.0, it.1.0) <= NEAR && down.distance(it.0.1, it.1.1) <= NEAR
            };
            let these: Vec<Pair> = pairs.iter().filter(on).copied().collect();
            if most.len() < these.len() {
                most = these;
            }
        }
    }
    most
}

/// A straight line.
struct Line {
    slope: f64,
    start: f64,
}

impl Line {
    /// The median of all slopes (Theil and Sen), which a few odd points do not move.
    fn fit(points: &[(f64, f64)]) -> Self {
        let mut slopes = Vec::new();
        for (at, one) in points.iter().enumerate() {
            for other in &points[at + 1..] {
                let run = other.0 - one.0;
                if 0.05 < run.abs() {
                    slopes.push((other.1 - one.1) / run);
                }
            }
        }
        let slope = median(slopes);
        let start = median(points.iter().map(|(x, y)| y - slope * x).collect());
        Self { slope, start }
    }

    /// How far a point is from it, as a part of the picture.
    fn distance(&self, x: f64, y: f64) -> f64 {
        ((y - self.start) / self.slope - x).abs()
    }

    fn is_plausible(&self) -> bool {
        (0.02..=50.0).contains(&self.slope) && self.start.is_finite()
    }
}

/// How far a tap is from its mark, in thousandths: right and down.
fn offset(sample: &Sample, at: usize) -> Option<(f64, f64)> {
    let (x, y) = sample.readings[at]?;
    Some(((x - sample.target.0) * 1e3, (y - sample.target.1) * 1e3))
}

fn length(it: (f64, f64)) -> f64 {
    it.0.hypot(it.1)
}

/// Infinite for none.
fn median(mut all: Vec<f64>) -> f64 {
    all.sort_by(f64::total_cmp);
    match all.len() {
        0 => f64::INFINITY,
        odd if odd % 2 == 1 => all[odd / 2],
        even => f64::midpoint(all[even / 2 - 1], all[even / 2]),
    }
}

#[expect(clippy::cast_precision_loss, reason = "numbers of replies")]
fn as_f64(count: usize) -> f64 {
    count as f64
}
