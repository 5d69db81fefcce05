//! How long screens took to come to rest, so that the looks after an act come neither too early nor too late:
//! learnt per phone, app in front and kind of act.
#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use super::SettleRule;
use crate::DeviceId;

/// How many acts are remembered of a kind. What is forgotten is found out anew.
const REMEMBERED: usize = 5;
/// How many kinds of acts are remembered; beyond that it is learnt anew.
const MOST_KINDS: usize = 2048;
/// So many acts of a kind say what the next one will be like.
const TELLING: usize = 3;
/// A screen that rests so shortly after an act has not been moving: a frame and a little more.
const AT_ONCE: Duration = Duration::from_millis(20);
/// Where screens change at once, they have to stand still for two frames of a display with 60 a second.
const TWO_FRAMES: Duration = Duration::from_millis(34);
/// A screen that is not expected to rest yet has to stand still for so many times as long: what shows that a touch
/// has arrived, such as a pressed button, stands still as well.
const DOUBT: u32 = 2;
/// How many answers of a phone are remembered, and how many there have to be to go by.
const ANSWERS: usize = 10;
const FEWEST_ANSWERS: usize = 5;
/// A phone that is not expected to answer is given so many times its slowest answer, and at least this.
const SPARE: u32 = 2;
const LEAST_PATIENCE: Duration = Duration::from_millis(100);
/// The share of acts that have to have come to rest by a frame for it to be worth preparing.
const WORTH_PREPARING: f64 = 0.4;
/// The share for it to be worth sending. A wrong one is withdrawn and costs a model of one's own the reading of a
/// prompt, a right one saves a whole capture.
const WORTH_SENDING: f64 = 0.5;
/// The share of such frames that have to have stayed for more to be sent.
const WORTH_GOING_ON: f64 = 0.4;

/// On which phone what kind of act was done, and where.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ActKind {
    pub(crate) device: DeviceId,
    /// Package of the app in front, where it is known.
    pub(crate) app: Option<String>,
    /// The act's name, such as `CLICK`, or the key's, such as `BACK`.
    pub(crate) act: Option<&'static str>,
}

impl ActKind {
    /// The screen moves with a finger that swipes: where it has not when the swipe is over, as at the end of a list,
    /// nothing is likely to come.
    fn follows_a_finger(&self) -> bool {
        matches!(self.act, Some("SLIDE" | "SCROLL"))
    }

    /// This kind, and those that it is one of, the narrowest first.
    fn widening(&self) -> [Self; 3] {
        let of_app = Self { act: None, ..self.clone() };
        let of_phone = Self { app: None, ..of_app.clone() };
        [self.clone(), of_app, of_phone]
    }
}

/// What was seen after one act; times count from its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ActTimes {
    /// `None` if nothing changed.
    pub(crate) change: Option<ScreenChange>,
    /// What one capture takes.
    pub(crate) capture: Duration,
    /// For how long a change was waited for.
    pub(crate) patience: Duration,
}

/// How a screen changed after an act, by when captures began.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScreenChange {
    /// The first that shows something else than before the act.
    pub(crate) answered: Duration,
    /// The last that shows something else than the screen at rest; `None` if none did.
    pub(crate) moved: Option<Duration>,
    /// The first that shows the screen at rest.
    pub(crate) rested: Duration,
}

/// What was seen of all phones of this process.
#[derive(Debug, Default)]
pub(crate) struct SettleTimes {
    known: Mutex<KnownTimes>,
}

#[derive(Debug, Default)]
struct KnownTimes {
    acts: HashMap<ActKind, VecDeque<ActTimes>>,
    /// When phones answered last, by their captures.
    answers: HashMap<DeviceId, VecDeque<Duration>>,
    /// Whether the last frames that were likely enough to stay for a model to be sent them have stayed.
    guesses: HashMap<ActKind, VecDeque<bool>>,
}

impl SettleTimes {
    /// Remembers what came of an act.
    pub(crate) fn learn(&self, kind: &ActKind, outcome: ActTimes) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if MOST_KINDS <= known.acts.len() {
            *known = KnownTimes::default();
        }
        for kind in kind.widening() {
            remember(known.acts.entry(kind).or_default(), outcome, REMEMBERED);
        }
        if let Some(ScreenChange { answered, .. }) = outcome.change {
            remember(known.answers.entry(kind.device.clone()).or_default(), answered, ANSWERS);
        }
    }

    /// Remembers whether a frame after such an act has stayed that was [likely enough to](Expected::stays), whether or
    /// not a model was sent it.
    pub(crate) fn guessed(&self, kind: &ActKind, right: bool) {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if MOST_KINDS <= known.guesses.len() {
            known.guesses.clear();
        }
        let [own, of_app, _] = kind.widening();
        for kind in [own, of_app] {
            remember(known.guesses.entry(kind).or_default(), right, REMEMBERED);
        }
    }

    /// Whether such frames have stayed often enough: screens that never come to rest leave nothing else to learn from.
    /// Of an act of which nothing is known, those of the app tell.
    pub(crate) fn guesses_well(&self, kind: &ActKind) -> bool {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let [own, of_app, _] = kind.widening();
        let guesses = [own, of_app].iter().find_map(|kind| known.guesses.get(kind));
        guesses.is_none_or(|guesses| {
            let right = guesses.iter().filter(|right| **right).count();
            WORTH_GOING_ON <= share_of(right, guesses.len())
        })
    }

    /// What is to be expected after such an act.
    pub(crate) fn expect(&self, kind: &ActKind, rule: &SettleRule) -> Expected {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let outcomes = |kind: &ActKind| known.acts.get(kind).into_iter().flatten().copied();
        let rests = |kind: &ActKind| rests(&outcomes(kind).collect::<Vec<_>>());
        let of_kinds = kind.widening();
        let rests = of_kinds.iter().map(rests).find(|rests| !rests.is_empty()).unwrap_or_default();
        let mut captures: Vec<_> = outcomes(&of_kinds[2]).map(|it| it.capture).collect();
        captures.sort_unstable();
        // Of this very kind: what does nothing in one place does something in another.
        let own = || known.acts.get(kind).into_iter().flatten();
        let nothing = |it: &&ActTimes| it.change.is_none();
        // What follows a finger does so at once or not at all.
        let late = |it: &ActTimes| it.change.is_some_and(|it| LEAST_PATIENCE < it.answered);
        let is_followed = || TELLING <= own().count() && !own().any(late);
        let is_brief = TELLING <= own().rev().take_while(nothing).count()
            || kind.follows_a_finger() && is_followed();
        // A change that comes later than it was waited for is not seen: now and then it is waited for in full.
        let looked_for =
            own().rev().filter(nothing).take(TELLING).any(|it| rule.patience <= it.patience);
        let answers = known.answers.get(&kind.device).filter(|it| FEWEST_ANSWERS <= it.len());
        let slowest = answers.into_iter().flatten().max().filter(|_| is_brief && looked_for);
        let patience =
            slowest.map_or(rule.patience, |it| LEAST_PATIENCE.max(*it * SPARE).min(rule.patience));
        let capture = captures.get(captures.len() / 2).copied().unwrap_or_default();
        Expected { rests, capture, rule: SettleRule { patience, ..*rule } }
    }
}

fn remember<T>(all: &mut VecDeque<T>, new: T, most: usize) {
    all.push_back(new);
    if most < all.len() {
        all.pop_front();
    }
}

/// When a screen came to rest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct RestTimes {
    /// When it did by all that is known.
    likely: Duration,
    /// By when it had, certainly.
    certain: Duration,
}

/// A first frame that stays tells only by when the screen has rested. What was seen to move in other acts tells
/// more: it is taken for such an act where that fits. Where nothing does, the screen may have rested at once.
fn rests(outcomes: &[ActTimes]) -> Vec<RestTimes> {
    let changes = || outcomes.iter().filter_map(|it| it.change);
    // The earliest time by which a screen that moved until then is known to rest.
    let after = |moved: Duration| changes().map(|it| it.rested).filter(|at| moved < *at).min();
    changes()
        .map(|ScreenChange { moved, rested, .. }| {
            let others = || changes().filter_map(|it| it.moved).filter(|moved| *moved < rested);
            match moved.or_else(|| others().max()).and_then(after) {
                Some(rest) => RestTimes { likely: rest, certain: rest },
                None => RestTimes { likely: Duration::ZERO, certain: rested },
            }
        })
        .collect()
}

/// What is to be expected after an act. Times count from its end.
#[derive(Debug, Clone)]
pub(crate) struct Expected {
    rests: Vec<RestTimes>,
    /// What one capture takes.
    capture: Duration,
    /// The rule, with the patience that such an act deserves.
    pub(super) rule: SettleRule,
}

impl Expected {
    /// After an act of which nothing is known.
    pub(crate) fn of_unknown(rule: &SettleRule) -> Self {
        Self { rests: Vec::new(), capture: Duration::ZERO, rule: *rule }
    }

    /// When the first look is best.
    ///
    /// A look that comes too late costs that time. One that comes too early costs a capture, and then the next one
    /// follows as soon as it can: waiting gains nothing where captures are quick.
    pub(crate) fn first_look(&self) -> Duration {
        if self.rests.is_empty() {
            return self.rule.first_look;
        }
        let period = self.capture.max(self.rule.between).max(Duration::from_millis(1));
        let likely = || self.rests.iter().map(|rest| rest.likely);
        // Looks that are a period apart see the same moments.
        let before = |at: Duration| (0..10).map_while(move |n| at.checked_sub(period * n));
        let mut candidates: Vec<_> = likely().flat_map(before).collect();
        candidates.push(Duration::ZERO);
        let cost = |look: &Duration| {
            // One act may be as no other, and rest at once.
            let acts = likely().chain([Duration::ZERO]);
            let costs = acts.map(|rest| {
                let early = rest.saturating_sub(*look).as_nanos().div_ceil(period.as_nanos());
                let early = u32::try_from(early).unwrap_or(u32::MAX);
                (*look + period * early).saturating_sub(rest) + self.capture / 2 * early
            });
            costs.sum::<Duration>()
        };
        candidates.into_iter().min_by_key(cost).unwrap_or_default()
    }

    /// After which time a screen is best looked at again that may have come to rest then: when it has stood still
    /// for long enough, or before, where captures are quick enough to see sooner that it has not.
    pub(crate) fn next_look(&self, rested: Duration) -> Duration {
        let (stand, between) = (self.stand(rested), self.rule.between);
        if stand < self.capture.max(between * 2) { stand } else { between }
    }

    /// For how long a screen has to stand still that seems to have come to rest then.
    pub(super) fn stand(&self, rested: Duration) -> Duration {
        let between = self.rule.between;
        let at_once = || self.rests.iter().filter(|rest| rest.certain <= AT_ONCE).count();
        let never_moved = self.rests.iter().all(|rest| rest.likely.is_zero());
        let stand = if never_moved && TELLING <= at_once() {
            TWO_FRAMES.min(between)
        } else if !self.rests.is_empty()
            && self.rests.iter().all(|rest| rested + between / 2 < rest.likely)
        {
            between * DOUBT
        } else {
            between
        };
        // Nothing may go unseen that happened before the first look until now.
        let unseen = self.rests.iter().filter(|it| it.likely.is_zero()).map(|it| it.certain).min();
        stand.max(unseen.unwrap_or_default().saturating_sub(rested))
    }

    /// Whether a frame of then is likely enough to stay to be prepared for a model while that is found out: where
    /// nothing is known, yes.
    pub(crate) fn may_stay(&self, frame: Duration) -> bool {
        self.share(frame).is_none_or(|share| WORTH_PREPARING <= share)
    }

    /// Whether it is likely enough to stay that a model may be sent it: where nothing is known, only without
    /// animations.
    pub(crate) fn stays(&self, frame: Duration) -> bool {
        self.share(frame).map_or(self.rule.at_once, |share| WORTH_SENDING <= share)
    }

    /// The share of the last screens that had come to rest by then, or without animations may have.
    fn share(&self, frame: Duration) -> Option<f64> {
        // Without animations, what has never been seen to move has not moved.
        let at = |rest: &RestTimes| if self.rule.at_once { rest.likely } else { rest.certain };
        let by_then = |rest: &&RestTimes| at(rest) <= frame + self.rule.between / 2;
        let rested = self.rests.iter().filter(by_then).count();
        (!self.rests.is_empty()).then(|| share_of(rested, self.rests.len()))
    }
}

#[expect(clippy::cast_precision_loss, reason = "a handful")]
fn share_of(part: usize, all: usize) -> f64 {
    part as f64 / all as f64
}
