//! How long screens took to come to rest, so that the first look after an act comes neither too early nor
//! too late: learnt per phone, app in front and kind of act.
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::DeviceId;

/// How many acts are remembered of a kind.
const REMEMBERED: usize = 5;
/// How many kinds of acts are remembered; beyond that it is learnt anew.
const MOST_KINDS: usize = 2048;
/// The first look is never earlier or later than this.
const EARLIEST: Duration = Duration::from_millis(5);
const LATEST: Duration = Duration::from_millis(400);
/// The share of first frames that have to have stayed for the next one to be worth preparing.
const WORTH_PREPARING: f64 = 0.4;
/// The share for the next one to be worth sending.
const WORTH_SENDING: f64 = 0.7;

/// On which phone what kind of act was done, and where.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ActKind {
    pub(crate) device: DeviceId,
    /// Package of the app in front, where it is known.
    pub(crate) app: Option<String>,
    /// The act's name, such as `CLICK`.
    pub(crate) act: Option<&'static str>,
}

impl ActKind {
    /// This kind, and those that it is one of, the narrowest first.
    fn widening(&self) -> [Self; 3] {
        let of_app = Self { act: None, ..self.clone() };
        let of_phone = Self { app: None, ..of_app.clone() };
        [self.clone(), of_app, of_phone]
    }
}

/// What came of one act.
#[derive(Debug, Clone, Copy)]
struct Seen {
    /// When a first look had been right, counted from the end of the act.
    right: Duration,
    /// The first frame showed the screen at rest.
    stayed: bool,
}

/// What was seen of all phones of this process.
#[derive(Debug, Default)]
pub(crate) struct SettleTimes {
    seen: Mutex<HashMap<ActKind, VecDeque<Seen>>>,
}

impl SettleTimes {
    /// Remembers an act after which the first frame was captured at `first` and the first one that showed the
    /// screen at rest at `rested`, both counted from the end of the act. `between` is the time between two
    /// compared frames.
    pub(crate) fn learn(
        &self,
        kind: &ActKind,
        first: Duration,
        rested: Duration,
        between: Duration,
    ) {
        let stayed = rested <= first;
        // Earlier by no more than the second look covers: between the two nothing must go unseen that this
        // time happened before the first.
        let right = if stayed { (first / 2).max(first.saturating_sub(between)) } else { rested };
        let seen = Seen { right: right.clamp(EARLIEST, LATEST), stayed };
        let mut known = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if MOST_KINDS <= known.len() {
            known.clear();
        }
        for kind in kind.widening() {
            let acts = known.entry(kind).or_default();
            acts.push_back(seen);
            if REMEMBERED < acts.len() {
                acts.pop_front();
            }
        }
    }

    /// When the first look is best, counted from the end of the act; `None` if nothing is known.
    pub(crate) fn first_look(&self, kind: &ActKind) -> Option<Duration> {
        let mut right: Vec<_> = self.of(kind)?.iter().map(|seen| seen.right).collect();
        right.sort_unstable();
        right.get(right.len() / 2).copied()
    }

    /// Whether the first frame will be worth preparing for a model while it is still to be proven: where
    /// nothing is known, yes.
    pub(crate) fn first_frame_may_stay(&self, kind: &ActKind) -> bool {
        self.share(kind).is_none_or(|share| WORTH_PREPARING <= share)
    }

    /// Whether it is likely enough to stay that a model may be sent it.
    pub(crate) fn first_frame_stays(&self, kind: &ActKind) -> bool {
        self.share(kind).is_some_and(|share| WORTH_SENDING <= share)
    }

    /// The share of the last first frames that stayed.
    fn share(&self, kind: &ActKind) -> Option<f64> {
        let seen = self.of(kind)?;
        let stayed = seen.iter().filter(|seen| seen.stayed).count();
        #[expect(clippy::cast_precision_loss, reason = "a handful")]
        let share = stayed as f64 / seen.len().max(1) as f64;
        Some(share)
    }

    fn of(&self, kind: &ActKind) -> Option<VecDeque<Seen>> {
        let known = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        kind.widening().iter().find_map(|kind| known.get(kind).cloned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);
    const BETWEEN: Duration = Duration::from_millis(50);

    fn kind(app: &str, act: &'static str) -> ActKind {
        ActKind { device: DeviceId::new("phone"), app: Some(app.to_owned()), act: Some(act) }
    }

    #[test]
    fn a_phone_that_rests_at_once_is_looked_at_ever_earlier() {
        let (times, tap) = (SettleTimes::default(), kind("chat", "CLICK"));
        assert_eq!(times.first_look(&tap), None);
        let mut look = 80 * MS;
        let mut looks = Vec::new();
        for _ in 0..12 {
            times.learn(&tap, look, look, BETWEEN);
            let next = times.first_look(&tap).unwrap();
            assert!(look <= next + BETWEEN, "the second look comes before {look:?}");
            look = next;
            looks.push(look.as_millis());
        }
        assert!(looks.is_sorted_by(|a, b| a >= b), "{looks:?}");
        assert_eq!(look, EARLIEST, "{looks:?}");
        assert!(times.first_frame_stays(&tap));
    }

    #[test]
    fn a_screen_that_moves_is_looked_at_when_it_has_come_to_rest() {
        let (times, tap) = (SettleTimes::default(), kind("chat", "CLICK"));
        for _ in 0..3 {
            times.learn(&tap, 80 * MS, 330 * MS, BETWEEN);
        }
        assert_eq!(times.first_look(&tap), Some(330 * MS));
        assert!(!times.first_frame_may_stay(&tap));
        times.learn(&tap, 330 * MS, 2000 * MS, BETWEEN);
        times.learn(&tap, 330 * MS, 2000 * MS, BETWEEN);
        times.learn(&tap, 330 * MS, 2000 * MS, BETWEEN);
        assert_eq!(times.first_look(&tap), Some(LATEST), "no later than that");
    }

    #[test]
    fn what_is_known_of_a_phone_holds_for_a_new_app_until_it_is_known_itself() {
        let times = SettleTimes::default();
        times.learn(&kind("chat", "CLICK"), 80 * MS, 300 * MS, BETWEEN);
        assert_eq!(times.first_look(&kind("chat", "TYPE")), Some(300 * MS));
        assert_eq!(times.first_look(&kind("shop", "CLICK")), Some(300 * MS));
        times.learn(&kind("shop", "CLICK"), 300 * MS, 300 * MS, BETWEEN);
        assert_eq!(times.first_look(&kind("shop", "CLICK")), Some(250 * MS));
        assert_eq!(times.first_look(&kind("chat", "CLICK")), Some(300 * MS));
        let other = ActKind { device: DeviceId::new("other"), ..kind("chat", "CLICK") };
        assert_eq!(times.first_look(&other), None);
    }
}
