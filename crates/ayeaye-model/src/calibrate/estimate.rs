//! From taps to the coordinate system they are in.
use std::fmt::Write as _;

use ayeaye_agent::ScreenSize;

use super::Sample;
use crate::profile::coords::CoordSystem;

/// The result of a calibration. Distances are in thousandths of the picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// Marks that the model was asked to tap.
    pub probes: u32,
    /// Replies that hold a point in some system.
    pub readable: usize,
    /// The model's coordinate system; `None` if it cannot be determined.
    pub detected: Option<CoordSystem>,
    /// The one that the profile declares.
    pub declared: CoordSystem,
    /// Others that fit the taps as well.
    pub indistinguishable: Vec<CoordSystem>,
    /// The median distance of a tap from its mark.
    pub median_error: f64,
    /// The median offset of all taps: right and down.
    pub bias: (f64, f64),
    /// The median distance of a tap from that offset.
    pub spread: f64,
    /// Taps nowhere near their mark.
    pub misses: usize,
    /// Every system with its median distance, the best first.
    pub ranking: Vec<(CoordSystem, f64)>,
    /// What else is wrong, in sentences for people.
    pub warnings: Vec<String>,
}

impl Calibration {
    /// The detected system, if it is not the declared one: then the settings have to name it.
    pub fn correction(&self) -> Option<CoordSystem> {
        self.detected.filter(|space| *space != self.declared)
    }
}

/// With a larger median distance, taps are no evidence for a system.
const MAX_MEDIAN_ERROR: f64 = 30.0;
/// A tap at a larger distance was not meant for the mark.
const MISS_DISTANCE: f64 = 60.0;
/// By how many standard deviations one system must be worse than another to be ruled out.
const SIGNIFICANCE: f64 = 3.0;
/// Fewer readable replies give no result.
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

/// Indices of the systems that cannot be told apart from the best one, in order.
///
/// Between two systems each tap moves by a known shift. If the best one is the model's, another one is
/// worse by the sum of the squares of these shifts, up to the scatter of the taps.
fn indistinguishable(
    samples: &[&Sample],
    distances: &[Vec<f64>],
    medians: &[f64],
    least: f64,
) -> Vec<usize> {
    let near: Vec<usize> =
        (0..medians.len()).filter(|at| medians[*at] <= least.mul_add(2.0, 10.0)).collect();
    // A tap that is far off in all of them says nothing about the difference.
    let cutoff = least.mul_add(4.0, 15.0);
    let fit = |probe: &usize| near.iter().any(|at| distances[*at][*probe] <= cutoff);
    let probes: Vec<usize> = (0..samples.len()).filter(fit).collect();
    let square = |at: usize, probe: usize| distances[at][probe].min(2.0 * cutoff).powi(2);
    let sum = |at: usize| probes.iter().map(|probe| square(at, *probe)).sum::<f64>();
    let Some(best) = near.iter().copied().min_by(|a, b| sum(*a).total_cmp(&sum(*b))) else {
        return Vec::new();
    };
    // The standard deviation on one axis, from the median distance on two.
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

/// A warning if all taps are off in the same direction.
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

/// A warning if marks beyond some line are never found while those before it are: the rest of the
/// picture does not reach the model.
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

/// The range of the numbers on a picture, across and down.
type Extent = fn(ScreenSize) -> (f64, f64);

/// Where no system fits: whether the numbers are still linear in the positions. Then the server
/// transforms the pictures before the model sees them.
fn resize_warning(samples: &[&Sample]) -> Option<String> {
    let bases: [(bool, Extent); 2] = [
        (false, |_| (1000.0, 1000.0)),
        (true, |sent| (f64::from(sent.width), f64::from(sent.height))),
    ];
    let mut lines: Vec<(bool, StraightLine, StraightLine, usize)> = Vec::new();
    for (by_picture, extent) in bases {
        let pair = |it: &&Sample| {
            let (x, y) = it.raw?;
            let (width, height) = extent(it.sent);
            Some((it.target, (x / width, y / height)))
        };
        let pairs: Vec<MarkPair> = samples.iter().filter_map(pair).collect();
        let agreed = largest_collinear(&pairs);
        if agreed.len() < MIN_READABLE.max(pairs.len() / 3) {
            continue;
        }
        let across = StraightLine::fit(&agreed.iter().map(|(t, s)| (t.0, s.0)).collect::<Vec<_>>());
        let down = StraightLine::fit(&agreed.iter().map(|(t, s)| (t.1, s.1)).collect::<Vec<_>>());
        lines.push((by_picture, across, down, agreed.len()));
    }
    lines.retain(|it| it.1.is_plausible() && it.2.is_plausible());
    let (by_picture, across, down, _) = lines.into_iter().max_by_key(|it| it.3)?;
    let mut text = String::new();
    let straight = |line: &StraightLine| line.start.abs() < 0.03;
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
        let part = |line: &StraightLine| {
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

fn is_cropped(line: &StraightLine) -> bool {
    (1.03..=4.0).contains(&line.slope)
}

/// The position of a mark, and the numbers in the reply.
type MarkPair = ((f64, f64), (f64, f64));

/// The largest set of replies that are linear in both directions. With a server that hides half of
/// the picture it is less than half of them.
fn largest_collinear(pairs: &[MarkPair]) -> Vec<MarkPair> {
    const NEAR: f64 = 0.02;
    let mut most: Vec<MarkPair> = Vec::new();
    for (at, one) in pairs.iter().enumerate() {
        for other in &pairs[at + 1..] {
            let line = |axis: fn(&(f64, f64)) -> f64| {
                let run = axis(&other.0) - axis(&one.0);
                let slope = (axis(&other.1) - axis(&one.1)) / run;
                (0.1 < run.abs())
                    .then(|| StraightLine { slope, start: axis(&one.1) - slope * axis(&one.0) })
            };
            let (Some(across), Some(down)) = (line(|it| it.0), line(|it| it.1)) else { continue };
            if !across.is_plausible() || !down.is_plausible() {
                continue;
            }
            let on = |it: &&MarkPair| {
                across.distance(it.0.0, it.1.0) <= NEAR && down.distance(it.0.1, it.1.1) <= NEAR
            };
            let these: Vec<MarkPair> = pairs.iter().filter(on).copied().collect();
            if most.len() < these.len() {
                most = these;
            }
        }
    }
    most
}

/// A straight line.
struct StraightLine {
    slope: f64,
    start: f64,
}

impl StraightLine {
    /// The median of all slopes (Theil–Sen), robust against outliers.
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

    /// How far a point is from it, as a fraction of the picture.
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

/// Infinite for an empty list.
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
