//! Fake models of every convention, with the noise of real ones.
use std::fmt::Write as _;

use ayeaye_agent::Point;
use proptest::prelude::*;

use super::estimate::estimate;
use super::probe_image::ProbeImage;
use super::*;
use crate::profile::parse::point;

/// Numbers that look random; enough for noise.
struct Noise(u64);

impl Noise {
    fn uniform(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        #[expect(clippy::cast_precision_loss, reason = "32 bits")]
        let part = (self.0 >> 32) as f64 / 4_294_967_296.0;
        part
    }

    /// Of mean 0 and deviation 1 (the sum of twelve uniform ones).
    fn gauss(&mut self) -> f64 {
        (0..12).map(|_| self.uniform()).sum::<f64>() - 6.0
    }
}

/// A fake model and its server.
#[derive(Clone, Copy)]
struct Fake {
    speaks: CoordSystem,
    /// Deviation of its taps, in pixels of the picture.
    pixels: f64,
    /// One tap in so many is anywhere.
    outliers: f64,
    /// One reply in so many names no place.
    garbage: f64,
    /// The part of the picture that reaches it: from the left and the top.
    sees: (f64, f64),
    /// The size of what reaches it, when the server squeezes it.
    squeezed: Option<ScreenSize>,
}

impl Fake {
    fn of(speaks: CoordSystem) -> Self {
        let (sees, squeezed) = ((1.0, 1.0), None);
        Self { speaks, pixels: 4.0, outliers: 0.1, garbage: 0.05, sees, squeezed }
    }

    /// What it says to a mark there.
    fn reply(&self, target: (f64, f64), sent: ScreenSize, noise: &mut Noise) -> String {
        if noise.uniform() < self.garbage {
            return "I cannot find it.".to_owned();
        }
        let (right, bottom) = self.sees;
        let hidden = right < target.0 || bottom < target.1;
        let place = if noise.uniform() < self.outliers || hidden {
            (noise.uniform() * right, noise.uniform() * bottom)
        } else {
            let near = |at: f64, length: u32, noise: &mut Noise| {
                at + noise.gauss() * self.pixels / f64::from(length)
            };
            (near(target.0, sent.width, noise), near(target.1, sent.height, noise))
        };
        let inside = |at: f64| at.clamp(0.0, 1.0);
        let (x, y) = (inside(place.0 / right), inside(place.1 / bottom));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a side")]
        let side = |length: u32, part: f64| (f64::from(length) * part) as u32;
        let cut = ScreenSize { width: side(sent.width, right), height: side(sent.height, bottom) };
        let (width, height) = self.speaks.extent(self.squeezed.unwrap_or(cut));
        let (x, y) = (x * width, y * height);
        let (first, second) = if self.speaks.y_first { (y, x) } else { (x, y) };
        if self.speaks.unit == CoordUnit::Fractions {
            format!("({first:.3}, {second:.3})")
        } else {
            format!("({first:.0}, {second:.0})")
        }
    }

    fn calibrated(&self, own: CoordSystem, seed: u64) -> Calibration {
        let spaces = candidate_spaces(own);
        let mut noise = Noise(seed);
        let samples: Vec<Sample> = (1..=CalibrationPlan::DEFAULT.probes)
            .map(|number| {
                let scene = ProbeImage::new(seed, number);
                // As a profile sends it: at most 1,152,000 pixels.
                let sent = crate::picture::Resize::MaxPixels(1_152_000).apply(scene.screen());
                let reply = self.reply(scene.target(), sent, &mut noise);
                let read =
                    |space| point::point(&reply, &CoordContext { system: space, image: sent }).ok();
                Sample::new(scene.target(), sent, &spaces, |space| {
                    read(space).map(Point::fractions)
                })
            })
            .collect();
        estimate(&samples, &spaces, own, CalibrationPlan::DEFAULT.probes)
    }
}

/// Whether two conventions put the same numbers so close together that no noisy tap tells them apart.
fn near(one: CoordSystem, other: CoordSystem, pixels: f64) -> bool {
    let gap = |sent: ScreenSize| {
        let (a, b) = (one.extent(sent), other.extent(sent));
        let gap = |a: f64, b: f64| (a - b).abs() / a.max(b);
        gap(a.0, b.0).max(gap(a.1, b.1))
    };
    let shapes = [(720, 1600), (720, 1280), (540, 1170), (979, 1176), (848, 1357)];
    let gaps: f64 = shapes.map(|(width, height)| gap(ScreenSize { width, height })).iter().sum();
    one.y_first == other.y_first && gaps / 5.0 < 0.012 + pixels * 0.002
}

/// Every convention against profiles that say the same and another one, in three degrees of noise.
#[test]
fn every_convention_is_found() {
    let mut table = String::new();
    let degrees = [("none", 0.0, 0.0, 0.0), ("some", 4.0, 0.1, 0.05), ("much", 8.0, 0.15, 0.15)];
    for (word, pixels, outliers, garbage) in degrees {
        for speaks in candidate_spaces(CoordSystem::THOUSANDTHS) {
            let fake = Fake { pixels, outliers, garbage, ..Fake::of(speaks) };
            for own in [speaks, CoordSystem::THOUSANDTHS, CoordSystem::PIXELS] {
                let (mut exact, mut close, seeds) = (0, 0, 10);
                for seed in 1..=seeds {
                    let found = fake.calibrated(own, seed);
                    let space =
                        found.detected.unwrap_or_else(|| panic!("{speaks} {word}: {found:?}"));
                    exact += u64::from(space == speaks);
                    close += u64::from(space == speaks || near(space, speaks, pixels));
                }
                writeln!(table, "{word} {speaks} as {own}: {exact} {close} of {seeds}")
                    .expect("a String takes everything");
                assert_eq!(close, seeds, "{word} {speaks} as {own}\n{table}");
                if own == speaks {
                    // What the profile says is kept unless the taps speak against it.
                    assert!(seeds - 1 <= exact, "{word} {speaks} as {own}\n{table}");
                }
            }
        }
    }
}

#[test]
fn without_noise_all_but_equal_conventions_are_told_apart() {
    for speaks in candidate_spaces(CoordSystem::THOUSANDTHS) {
        let fake = Fake { pixels: 0.0, outliers: 0.0, garbage: 0.0, ..Fake::of(speaks) };
        let own = if speaks.y_first {
            CoordSystem::UP_TO_999
        } else {
            CoordSystem { y_first: true, ..CoordSystem::UP_TO_999 }
        };
        let found = fake.calibrated(own, 3);
        let all: Vec<CoordSystem> =
            found.detected.into_iter().chain(found.indistinguishable.clone()).collect();
        assert!(all.contains(&speaks), "{speaks}: {found:?}");
        assert!(all.iter().all(|it| near(*it, speaks, 0.0)), "{speaks}: {all:?}");
        assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    }
}

#[test]
fn a_server_that_crops_is_noticed() {
    for (speaks, sees) in [
        (CoordSystem::PIXELS, (1.0, 0.6)),
        (CoordSystem::THOUSANDTHS, (1.0, 0.6)),
        (CoordSystem::THOUSANDTHS, (0.5, 1.0)),
        (CoordSystem::UP_TO_999, (0.7, 0.7)),
    ] {
        let fake = Fake { sees, outliers: 0.0, garbage: 0.0, ..Fake::of(speaks) };
        let found = fake.calibrated(speaks, 5);
        let told = found.warnings.join("; ");
        assert!(told.contains("crops") || told.contains("cuts"), "{speaks} {sees:?}: {found:?}");
        assert_ne!(found.correction(), Some(CoordSystem::FRACTIONS));
    }
}

#[test]
fn a_server_that_squeezes_is_noticed() {
    let squeezed = Some(ScreenSize { width: 756, height: 756 });
    let found =
        Fake { squeezed, ..Fake::of(CoordSystem::PIXELS) }.calibrated(CoordSystem::PIXELS, 5);
    assert_eq!(found.detected, None, "{found:?}");
    assert!(
        found.warnings[0].contains("squeezes") && found.warnings[0].contains("about 75"),
        "{:?}",
        found.warnings
    );
    // Where numbers are parts of the whole, it does no harm and does not show.
    let found = Fake { squeezed, ..Fake::of(CoordSystem::THOUSANDTHS) }
        .calibrated(CoordSystem::THOUSANDTHS, 5);
    assert_eq!((found.detected, found.warnings.len()), (Some(CoordSystem::THOUSANDTHS), 0));
}

#[test]
fn a_model_that_sees_nothing_is_not_believed() {
    for seed in 1..=20 {
        let fake = Fake { outliers: 1.0, ..Fake::of(CoordSystem::THOUSANDTHS) };
        let found = fake.calibrated(CoordSystem::THOUSANDTHS, seed);
        assert_eq!((found.detected, found.warnings.len()), (None, 1), "{found:?}");
        let fake = Fake { garbage: 0.9, ..Fake::of(CoordSystem::THOUSANDTHS) };
        let found = fake.calibrated(CoordSystem::THOUSANDTHS, seed);
        assert_eq!(found.detected, None, "{found:?}");
        assert!(found.warnings[0].contains("replies name a place"), "{:?}", found.warnings);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn any_taps_are_judged_without_fear(
        replies in prop::collection::vec("[0-9., -]{0,12}", 0..30), seed in any::<u64>()
    ) {
        let spaces = candidate_spaces(CoordSystem::THOUSANDTHS);
        let sent = ScreenSize { width: 720, height: 1600 };
        let samples: Vec<Sample> = replies.iter().zip(1..).map(|(reply, number)| {
            let read = |space| point::point(reply, &CoordContext { system: space, image: sent }).ok();
            let target = ProbeImage::new(seed, number).target();
            Sample::new(target, sent, &spaces, |space| read(space).map(Point::fractions))
        }).collect();
        let found = estimate(&samples, &spaces, CoordSystem::THOUSANDTHS, 30);
        prop_assert!(found.readable <= replies.len());
    }
}
