//! The screen while a model thinks. What was decided on one screen must not be done on another, and a
//! fresh look when the model has answered would cost a capture's time: so the looks are made meanwhile.
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::task::AbortOnDropHandle;

use super::clocks::Clocks;
use super::elements::BEFORE_AN_ACT;
use super::{Observation, Observer};
use crate::elements::{Elements, on_blocking_thread};
use crate::run::cancel::Cancelled;
use crate::settle::{EarlyFrame, is_unchanged, look_again, looks_same};
use crate::{Device, DeviceError, Frame, ScreenState};

/// The age up to which a look counts as the screen of now.
const FRESH_LOOK: Duration = Duration::from_secs(1);
/// A phone is left alone for this many times as long as a look takes, and not for longer than this.
const SPARING: u32 = 3;
const LONGEST_PAUSE: Duration = Duration::from_secs(4);

/// Frames that are remembered because they look like the one that was shown.
const MOST_KNOWN: usize = 3;

/// A look at the screen after it was shown to the model.
#[derive(Debug)]
pub(in crate::run) struct LaterLook {
    pub(in crate::run) frame: Frame,
    pub(in crate::run) state: ScreenState,
    /// Whether it shows the same as the model's frame, to the digit.
    pub(in crate::run) same: bool,
    /// Whether it looks like that frame, except for something small.
    pub(in crate::run) alike: bool,
    begun: Instant,
    began_at: Clocks,
    took: Duration,
    good_until: Instant,
}

impl LaterLook {
    /// How good it is for an act. A `strict` one goes by what is no more than a second old, and where no other one is
    /// under way, the time that a look takes older.
    fn freshness(&self, strict: bool) -> Freshness {
        let now = Instant::now();
        if self.began_at.have_parted() {
            Freshness::Stale
        } else if now < self.begun + FRESH_LOOK {
            Freshness::Fresh
        } else if now < if strict { self.begun + FRESH_LOOK + self.took } else { self.good_until } {
            Freshness::UntilNext
        } else {
            Freshness::Stale
        }
    }
}

/// How good a look is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Freshness {
    Fresh,
    /// Good enough where no other one is under way.
    UntilNext,
    Stale,
}

/// Whether two frames show the same, and whether they look alike at least.
fn compare(shown: &Frame, now: &Frame) -> (bool, bool) {
    let same = is_unchanged(shown, now);
    (same, same || looks_same(shown, now))
}

type Looked = Arc<Result<LaterLook, DeviceError>>;

/// How the looks stand. Both are told at once: who sees that none is under way has the latest.
#[derive(Debug, Clone, Default)]
struct LatestLook {
    looked: Option<Looked>,
    /// Another one is under way.
    is_looking: bool,
}

/// Looks at a phone from time to time, until dropped.
#[derive(Debug)]
pub(in crate::run) struct ScreenWatch {
    latest: watch::Receiver<LatestLook>,
    /// When the last look began that was alike.
    same_until: watch::Receiver<Option<Instant>>,
    /// Asks for a look at once.
    hurry: Arc<Notify>,
    _looking: AbortOnDropHandle<()>,
}

impl ScreenWatch {
    /// Watches for a screen that looks like this, from that time on.
    fn new(device: Arc<dyn Device>, shown: Frame, first: Instant) -> Self {
        let (said, latest) = watch::channel(LatestLook::default());
        let (stayed, same_until) = watch::channel(None);
        let hurry = Arc::new(Notify::new());
        let hurried = hurry.clone();
        let looking = async move {
            let mut next = first;
            // Frames that look like it, the latest first: a caret that blinks makes two.
            let mut known = vec![shown.clone()];
            loop {
                tokio::select! {
                    // First, so that a look that is due does not leave the request for another one.
                    biased;
                    () = hurried.notified() => {}
                    () = sleep_until(next) => {}
                }
                said.send_if_modified(|latest| {
                    latest.is_looking = true;
                    false
                });
                let (begun, began_at) = (Instant::now(), Clocks::now());
                let looked = tokio::try_join!(look_again(&*device, begun, &known), device.state());
                let took = begun.elapsed();
                next = begun + FRESH_LOOK.max((took * SPARING).min(took + LONGEST_PAUSE));
                // Until the next one is there.
                let good_until = next + took;
                let look = match looked {
                    Ok((EarlyFrame { frame, by_digest: is_known, .. }, state)) => {
                        let pair = (shown.clone(), frame.clone());
                        let (same, alike) = if is_known {
                            (true, true)
                        } else {
                            on_blocking_thread(move || compare(&pair.0, &pair.1))
                                .await
                                .unwrap_or_default()
                        };
                        if alike {
                            stayed.send_replace(Some(begun));
                        }
                        if same && !is_known {
                            known.insert(0, frame.clone());
                            known.truncate(MOST_KNOWN);
                        }
                        Ok(LaterLook {
                            frame,
                            state,
                            same,
                            alike,
                            begun,
                            began_at,
                            took,
                            good_until,
                        })
                    }
                    Err(err) => Err(err),
                };
                let looked = Some(Arc::new(look));
                if said.send(LatestLook { looked, is_looking: false }).is_err() {
                    return;
                }
            }
        };
        let looking = AbortOnDropHandle::new(tokio::spawn(looking.boxed()));
        Self { latest, same_until, hurry, _looking: looking }
    }

    /// The latest look; if it is no more than a second old it is taken, else the one under way if there is one, and if
    /// it is too old, a new one. `None` if there is none and there will be none.
    async fn fresh_look(&self, strict: bool) -> Option<Looked> {
        let mut latest = self.latest.clone();
        loop {
            let LatestLook { looked, is_looking } = latest.borrow_and_update().clone();
            let look = looked.as_deref().and_then(|looked| looked.as_ref().ok());
            match look.map_or(Freshness::Stale, |look| look.freshness(strict)) {
                Freshness::Fresh => return looked,
                Freshness::UntilNext if !is_looking => return looked,
                Freshness::UntilNext => {}
                Freshness::Stale => self.hurry.notify_one(),
            }
            latest.changed().await.ok()?;
            let under_way = latest.borrow().looked.clone()?;
            // One that was under way while the computer slept is as old as what was before.
            let slept = |look: &LaterLook| look.began_at.have_parted();
            if !under_way.as_ref().as_ref().is_ok_and(slept) {
                return Some(under_way);
            }
        }
    }
}

impl Observation {
    /// Whether the screen was seen within this time.
    pub(in crate::run) fn is_of_last(&self, time: Duration) -> bool {
        self.seen_at.elapsed() < time && !self.prepared_at.have_parted()
    }

    /// As if the computer had slept for so long since.
    #[cfg(test)]
    pub(in crate::run) fn after_sleep_of(&mut self, time: Duration) {
        self.prepared_at = self.prepared_at.after_sleep_of(time);
    }

    /// Whether the elements belong to the frame that the model was shown, as far as can be told: the screen looked the
    /// same after they were read, or never comes to rest.
    pub(in crate::run) fn has_elements_of_its_frame(&self) -> bool {
        let stayed = self.watch.as_ref().and_then(|watch| *watch.same_until.borrow());
        let read = self.elements.tree().map(|tree| tree.read_at);
        !self.record.settled || read.zip(stayed).is_some_and(|(read, stayed)| read <= stayed)
    }

    /// Whether the screen was last seen to look otherwise than on the frame.
    pub(super) fn has_moved_since(&self) -> bool {
        let Some(watch) = &self.watch else { return false };
        let latest = watch.latest.borrow();
        latest.looked.as_deref().is_some_and(|look| look.as_ref().map_or(true, |look| !look.alike))
    }
}

impl Observer {
    /// Begins to watch the screen of this observation, shortly before the model is expected to answer: earlier looks
    /// would be of no use.
    pub(in crate::run) fn watch(&self, observation: &mut Observation) {
        let answer = self.answer_times.at_least();
        let needed = (observation.seen_at + FRESH_LOOK).max(Instant::now() + answer);
        let first = needed.checked_sub(observation.look_time()).unwrap_or(needed);
        observation.watch =
            Some(ScreenWatch::new(self.device.clone(), observation.frame.clone(), first));
    }

    /// The screen right before an act that was decided on this observation; `None` if the observation itself is fresh.
    /// The inner error is the phone's. A `strict` act accepts no older look.
    pub(in crate::run) async fn look_before_act(
        &self,
        observation: &Observation,
        strict: bool,
    ) -> Result<Option<Looked>, Cancelled> {
        let Some(watch) = &observation.watch else { return Ok(None) };
        // What a yes is for may have changed in that time, too.
        if !strict && observation.is_of_last(FRESH_LOOK) {
            return Ok(None);
        }
        let gone = || DeviceError::NotReady(self.device.id().clone(), "not looked at".to_owned());
        let looked = self.cancel.race(watch.fresh_look(strict)).await?;
        Ok(Some(looked.unwrap_or_else(|| Arc::new(Err(gone())))))
    }

    /// Whether the screen looks different at every look, by the same comparison that decides whether it has settled.
    pub(in crate::run) async fn never_rests(
        &self,
        shown: &Frame,
        rests: impl Fn(&Frame, &Frame) -> bool,
    ) -> Result<bool, Cancelled> {
        /// A change from one page to the next looks so too; these take longer than most.
        const LOOKS: u32 = 4;
        const APART: Duration = Duration::from_millis(250);
        let mut before = shown.clone();
        for _ in 0..LOOKS {
            self.cancel.race(sleep(APART)).await?;
            let Ok(now) = self.cancel.race(self.device.capture()).await? else { return Ok(false) };
            if rests(&before, &now) {
                return Ok(false);
            }
            before = now;
        }
        Ok(true)
    }

    /// The phone's state now.
    pub(in crate::run) async fn state_now(
        &self,
    ) -> Result<Result<ScreenState, DeviceError>, Cancelled> {
        self.cancel.race(self.device.state()).await
    }

    /// Whether the screen is certain to be on without asking the phone: it is kept on, and was on at a look within the
    /// last second.
    pub(in crate::run) fn is_known_to_be_lit(&self, observation: &Observation) -> bool {
        let Some(watch) = &observation.watch else { return false };
        let latest = watch.latest.borrow();
        let fresh = latest.looked.as_deref().and_then(|it| it.as_ref().ok());
        let fresh =
            fresh.filter(|look| look.begun.elapsed() < FRESH_LOOK && !look.began_at.have_parted());
        self.light.stays_lit && fresh.is_some_and(|look| look.state.awake)
    }

    /// The elements of the screen as it is now; `None` if the phone does not say in time.
    pub(in crate::run) async fn elements_now(&self) -> Result<Option<Elements>, Cancelled> {
        let asked = timeout(BEFORE_AN_ACT, self.device.ui_tree());
        let Ok(Ok(Some(xml))) = self.cancel.race(asked).await? else { return Ok(None) };
        Ok(on_blocking_thread(move || Elements::read(&xml)).await.flatten())
    }
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;

    use super::*;
    use crate::ScreenSize;

    fn look(took: Duration) -> LaterLook {
        let size = ScreenSize { width: 1, height: 1 };
        let begun = Instant::now();
        LaterLook {
            frame: Frame::new(size, Bytes::from_static(&[0; 4])).unwrap(),
            state: ScreenState {
                awake: true,
                locked: false,
                app_over_lock: false,
                foreground: None,
                protected: false,
                keyboard_shown: false,
                secret_field: false,
            },
            same: true,
            alike: true,
            begun,
            began_at: Clocks::now(),
            took,
            good_until: begun + took * 4,
        }
    }

    #[test]
    fn a_small_digit_that_has_changed_leaves_screens_alike_and_not_the_same() {
        let size = ScreenSize { width: 200, height: 400 };
        let plain = Frame::new(size, Bytes::from(vec![255; 200 * 400 * 4])).unwrap();
        let digit = plain.with_black_areas(&[[50, 200, 53, 206]]);
        assert_eq!(compare(&plain, &digit), (false, true));
        let caret = plain.with_black_areas(&[[50, 200, 51, 210]]);
        assert_eq!(compare(&plain, &caret), (true, true));
        let page = plain.with_black_areas(&[[0, 200, 200, 400]]);
        assert_eq!(compare(&plain, &page), (false, false));
    }

    #[tokio::test(start_paused = true)]
    async fn a_look_is_good_for_a_second_and_then_until_the_next() {
        let seen = look(Duration::from_millis(1500));
        let after = async |milliseconds| {
            sleep_until(seen.begun + Duration::from_millis(milliseconds)).await;
            (seen.freshness(false), seen.freshness(true))
        };
        assert_eq!(after(999).await, (Freshness::Fresh, Freshness::Fresh));
        assert_eq!(after(2499).await, (Freshness::UntilNext, Freshness::UntilNext));
        assert_eq!(after(2500).await, (Freshness::UntilNext, Freshness::Stale));
        assert_eq!(after(5999).await, (Freshness::UntilNext, Freshness::Stale));
        assert_eq!(after(6000).await, (Freshness::Stale, Freshness::Stale));
    }

    #[tokio::test(start_paused = true)]
    async fn what_was_seen_before_the_computer_slept_is_old() {
        let mut seen = look(Duration::from_millis(20));
        assert_eq!(seen.freshness(false), Freshness::Fresh);
        seen.began_at = seen.began_at.after_sleep_of(Duration::from_secs(2));
        assert_eq!(
            (seen.freshness(false), seen.freshness(true)),
            (Freshness::Stale, Freshness::Stale)
        );
    }
}
