//! Whether a model gets on: the same act on the same screen, a few acts in turn, acts without effect, waiting alone.
use std::collections::VecDeque;

use crate::approval::is_same_gesture;
use crate::thumbnail::Thumbnail;
use crate::{Action, Frame, Gesture};

/// The longest sequence of acts that is noticed when it is repeated.
const LONGEST_CYCLE: usize = 3;
/// So many times as many waits as acts, on a screen that does not change, are too many: what a model waits for may take
/// its time.
const WAITS_FOR_AN_ACT: u32 = 2;
/// More repetitions than a run has steps.
const MOST_REPEATS: u32 = 1 << 16;
/// At least so many rounds of a sequence are no coincidence.
const LEAST_ROUNDS: u32 = 2;

/// A model's latest decisions, and the screens they were made on, to notice repetition.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// The last decisions, the newest last: the one to be carried out now, and before it those of a sequence.
    recent: VecDeque<Decided>,
    /// How many decisions in a row were the one that came 1, 2, 3 before.
    repeated: [u32; LONGEST_CYCLE],
    /// How many acts in a row were decided on a screen that looks as it does now, this one included.
    unmoved: u32,
    /// How many decisions in a row, this one included, were to wait, on a screen that looks as it does now.
    waits: u32,
}

/// One decision.
#[derive(Debug)]
struct Decided {
    screen: Thumbnail,
    action: Action,
    /// Why the gate has refused it.
    refused: Option<String>,
    /// The name of what it touched.
    target: Option<String>,
}

/// How many of a few acts the gate has refused.
enum Refused {
    All,
    Part,
}

/// Whether the latest decision makes headway or repeats.
#[derive(Debug)]
pub(super) enum Headway {
    /// Nothing.
    Fine,
    /// The model is told this.
    Doubtful(String),
    /// It was told, and goes on like this.
    None(Loop),
}

/// Acts that are repeated again and again.
#[derive(Debug)]
pub(super) struct Loop {
    /// The problem, as a clause.
    pub(super) what: String,
    /// The acts in question, in order, with the name of what each touches where that is known.
    pub(super) acts: Vec<(Action, Option<String>)>,
}

impl Progress {
    /// Adds a decision. After `limit` repetitions the model is to be told, after twice as many the run is to end.
    pub(super) fn decided(&mut self, frame: &Frame, action: &Action, limit: u32) -> Headway {
        match action {
            Action::Gesture(_) | Action::Confirm { .. } | Action::Wait(_) => {}
            // Nothing is done by it: it neither helps nor breaks a loop.
            Action::Note { .. } => return Headway::Fine,
            Action::Info(_) | Action::Complete { .. } | Action::Abort { .. } => {
                *self = Self::default();
                return Headway::Fine;
            }
        }
        self.push(Thumbnail::of(frame), action.clone());
        self.headway(limit.clamp(1, MOST_REPEATS))
    }

    /// Notes that the gate refused the latest decision, so that an unchanged screen is not taken for a fault.
    pub(super) fn refused(&mut self, gesture: &Gesture, why: String) {
        // A host agent's acts, and those of a replay, are not taken in.
        let latest = self.recent.back_mut();
        if let Some(latest) = latest.filter(|it| it.action.gesture() == Some(gesture)) {
            latest.refused = Some(why);
        }
    }

    /// Notes the name of the control that the latest decision touches.
    pub(super) fn touched(&mut self, gesture: &Gesture, name: &str) {
        let latest = self.recent.back_mut();
        if let Some(latest) = latest.filter(|it| it.action.gesture() == Some(gesture)) {
            latest.target = Some(name.trim().to_owned()).filter(|name| !name.is_empty());
        }
    }

    fn push(&mut self, screen: Thumbnail, action: Action) {
        let before = self.recent.back();
        let unmoved = before.is_some_and(|before| before.screen.is_unchanged(&screen));
        let acts = u32::from(!matches!(action, Action::Wait(_)));
        self.unmoved = if unmoved { self.unmoved + acts } else { acts };
        self.waits = match (acts, unmoved) {
            (0, true) => self.waits + 1,
            (0, false) => 1,
            _ => 0,
        };
        for (repeated, earlier) in self.repeated.iter_mut().zip(self.recent.iter().rev()) {
            let same = is_same(&earlier.action, &action) && earlier.screen.is_unchanged(&screen);
            *repeated = if same { *repeated + 1 } else { 0 };
        }
        self.recent.push_back(Decided { screen, action, refused: None, target: None });
        if LONGEST_CYCLE + 1 < self.recent.len() {
            self.recent.pop_front();
        }
    }

    fn headway(&self, limit: u32) -> Headway {
        // An act that repeats itself was none of the last few then.
        if limit * WAITS_FOR_AN_ACT <= self.waits {
            return self.only_waits(limit);
        }
        let mut doubt = None;
        for (cycle, repeated) in (1..).zip(self.repeated) {
            let acts = self.latest(cycle as usize);
            if acts.iter().all(|(act, _)| matches!(act, Action::Wait(_))) {
                continue;
            }
            let rounds = 1 + repeated / cycle;
            let refusal = self.refusal(cycle as usize).map(|(which, why)| match which {
                Refused::All => format!("; it was not carried out, since {why}"),
                Refused::Part => format!("; some of it was not carried out, since {why}"),
            });
            let (limit, what) = match (cycle, &refusal) {
                (1, None) => (
                    limit,
                    format!("the same action {rounds} times on a screen that does not change"),
                ),
                (1, Some(why)) => (limit, format!("the same action {rounds} times{why}")),
                (_, why) => (
                    (limit - 1).max(LEAST_ROUNDS),
                    format!(
                        "the same {cycle} actions in turn, {rounds} times, on the same screens{}",
                        why.as_deref().unwrap_or_default()
                    ),
                ),
            };
            if limit * 2 <= rounds {
                return Headway::None(Loop { what, acts });
            }
            if limit <= rounds {
                doubt.get_or_insert(match cycle {
                    1 if refusal.is_none() => format!(
                        "You have done the same action {rounds} times and the screen has not changed. \
                         It is not working: do something else, ask the user, or give up."
                    ),
                    _ => format!(
                        "You have done {what}. That gets you nowhere: do something else, ask the user, \
                         or give up."
                    ),
                });
            }
        }
        // The latest has not been done yet.
        let unmoved = self.unmoved.saturating_sub(1);
        // Of those before the last few it is not known any more whether they were refused.
        let refusal = self.refusal(LONGEST_CYCLE.min(unmoved as usize));
        let refusal = refusal.map_or_else(String::new, |(which, why)| match which {
            Refused::All => format!("; the last of them were not carried out, since {why}"),
            Refused::Part => format!("; some of the last were not carried out, since {why}"),
        });
        if limit * 2 <= unmoved {
            let what = format!("{unmoved} actions, none of which has changed the screen{refusal}");
            return Headway::None(Loop { what, acts: self.latest(LONGEST_CYCLE) });
        }
        match doubt {
            Some(doubt) => Headway::Doubtful(doubt),
            None if limit <= unmoved => Headway::Doubtful(format!(
                "None of your last {unmoved} actions has changed the screen{refusal}. Try another way, ask \
                 the user, or give up."
            )),
            None => Headway::Fine,
        }
    }

    /// What is to be said of too many waits.
    fn only_waits(&self, limit: u32) -> Headway {
        let waits = self.waits;
        if limit * WAITS_FOR_AN_ACT * 2 <= waits {
            let what =
                format!("nothing but waiting, {waits} times, on a screen that does not change");
            return Headway::None(Loop { what, acts: self.latest(1) });
        }
        Headway::Doubtful(format!(
            "You have waited {waits} times and the screen has not changed. Do not just wait again: look \
             whether something else has to be done, ask the user, or give up."
        ))
    }

    /// The last decisions, in order. The very last was not carried out; the same one before it was.
    fn latest(&self, count: usize) -> Vec<(Action, Option<String>)> {
        let skipped = self.recent.len().saturating_sub(count);
        let named = |act: &Decided| {
            let mut same = self.recent.iter().rev().filter(|it| is_same(&it.action, &act.action));
            same.find_map(|it| it.target.clone())
        };
        self.recent.iter().skip(skipped).map(|it| (it.action.clone(), named(it))).collect()
    }

    /// Whether the gate has refused any of so many decisions before the latest, and why.
    fn refusal(&self, count: usize) -> Option<(Refused, &str)> {
        let before = || self.recent.iter().rev().skip(1).take(count);
        let acts = || before().filter(|it| !matches!(it.action, Action::Wait(_)));
        let why = acts().find_map(|it| it.refused.as_deref())?;
        let all = acts().all(|it| it.refused.is_some());
        Some((if all { Refused::All } else { Refused::Part }, why))
    }
}

/// Whether two decisions are one, also where a model points a little beside.
fn is_same(one: &Action, other: &Action) -> bool {
    match (one, other) {
        (Action::Gesture(one), Action::Gesture(other)) => is_same_gesture(one, other),
        (Action::Confirm { gesture: one, .. }, Action::Confirm { gesture: other, .. }) => {
            is_same_gesture(one, other)
        }
        (Action::Wait(_), Action::Wait(_)) => true,
        (one, other) => one == other,
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;

    use super::*;
    use crate::{Point, ScreenSize};

    fn screen(shade: u8) -> Frame {
        let size = ScreenSize { width: 60, height: 120 };
        Frame::new(size, Bytes::from(vec![shade; 60 * 120 * 4])).unwrap()
    }

    fn tap(x: i64) -> Action {
        Action::Gesture(Gesture::Click { point: Point::new(x, 500).unwrap() })
    }

    /// After which decisions the model is told, and after which it is over; counted from 1.
    fn doubts_and_end(
        decisions: impl IntoIterator<Item = (u8, Action)>,
    ) -> (Vec<usize>, Option<usize>) {
        let mut progress = Progress::default();
        let mut doubts = Vec::new();
        for (nth, (shade, action)) in (1..).zip(decisions) {
            match progress.decided(&screen(shade), &action, 4) {
                Headway::Fine => {}
                Headway::Doubtful(_) => doubts.push(nth),
                Headway::None(_) => return (doubts, Some(nth)),
            }
        }
        (doubts, None)
    }

    #[test]
    fn the_same_act_again_is_told_after_four_and_over_after_eight() {
        let beside = |nth: i64| (9, tap(500 + nth % 2 * 4));
        assert_eq!(doubts_and_end((0..20).map(beside)), (vec![4, 5, 6, 7], Some(8)));
        let moving = |nth: u8| (nth * 12, tap(500));
        assert_eq!(doubts_and_end((0..20).map(moving)), (vec![], None));
    }

    #[test]
    fn two_and_three_in_turn_are_told_after_three_rounds_and_over_after_six() {
        let both = |nth: u8| if nth.is_multiple_of(2) { (20, tap(100)) } else { (90, tap(900)) };
        let (doubts, over) = doubts_and_end((0..40).map(both));
        assert_eq!((doubts[0], over), (6, Some(12)));
        let three = |nth: u8| (20 + nth % 3 * 40, tap(i64::from(nth % 3) * 300));
        let (doubts, over) = doubts_and_end((0..40).map(three));
        assert_eq!((doubts[0], over), (9, Some(18)));
        let waiting = |nth: u8| match nth % 2 {
            0 => (20, tap(100)),
            _ => (20, Action::Wait(Duration::from_secs(1))),
        };
        assert!(doubts_and_end((0..40).map(waiting)).1.is_some());
    }

    #[test]
    fn different_acts_without_effect_are_told_after_four_and_over_after_eight() {
        let all_over = |nth: i64| (9, tap(nth * 30));
        assert_eq!(doubts_and_end((0..16).map(all_over)), (vec![5, 6, 7, 8], Some(9)));
        let questions = (0..30).map(|nth| match nth % 4 {
            3 => (9, Action::Complete { message: String::new() }),
            _ => all_over(nth),
        });
        assert_eq!(doubts_and_end(questions), (vec![], None));
    }

    fn wait(seconds: u64) -> Action {
        Action::Wait(Duration::from_secs(seconds))
    }

    #[test]
    fn waiting_alone_is_told_after_eight_and_over_after_sixteen() {
        // However long each is, and whatever is noted meanwhile.
        let waits = (0..40).map(|nth| (9, wait(1 + nth % 3)));
        assert_eq!(doubts_and_end(waits), ((8..16).collect(), Some(16)));
        let noted = (0..80).map(|nth| match nth % 2 {
            0 => (9, Action::Note { text: nth.to_string() }),
            _ => (9, wait(5)),
        });
        assert_eq!(doubts_and_end(noted).1, Some(32));
    }

    #[test]
    fn waiting_while_something_happens_is_no_loop() {
        // A bar that grows, and one that grows now and then.
        let grows = (0..40).map(|nth| (nth % 20 * 12, wait(5)));
        assert_eq!(doubts_and_end(grows), (vec![], None));
        let slowly = (0..40).map(|nth| (nth / 7 * 30, wait(5)));
        assert_eq!(doubts_and_end(slowly), (vec![], None));
        // A few waits before an act, again and again.
        let acts = (0..40).map(|nth: u8| match nth % 4 {
            3 => (nth / 4 * 20, tap(500)),
            _ => (nth / 4 * 20, wait(5)),
        });
        assert_eq!(doubts_and_end(acts), (vec![], None));
    }

    #[test]
    fn limits_of_nothing_and_of_everything_are_limits_too() {
        let mut progress = Progress::default();
        let mut decided = |limit| progress.decided(&screen(9), &tap(500), limit);
        assert!(matches!(decided(0), Headway::Doubtful(_)));
        assert!(matches!(decided(u32::MAX), Headway::Fine));
        assert!(matches!(decided(0), Headway::None(_)));
    }

    #[test]
    fn a_loop_says_what_was_done() {
        let mut progress = Progress::default();
        let both = |nth: u8| if nth.is_multiple_of(2) { (20, tap(100)) } else { (90, tap(900)) };
        let last = (0..12).map(both).map(|(shade, act)| {
            let headway = progress.decided(&screen(shade), &act, 4);
            if let (20, Some(gesture)) = (shade, act.gesture()) {
                progress.touched(gesture, " New note ");
            }
            headway
        });
        let last = last.last();
        let Some(Headway::None(stuck)) = last else { panic!("{last:?}") };
        assert_eq!(stuck.what, "the same 2 actions in turn, 6 times, on the same screens");
        assert_eq!(stuck.acts, [(tap(100), Some("New note".to_owned())), (tap(900), None)]);
    }

    #[test]
    fn acts_that_the_gate_refuses_are_told_as_refused() {
        let told = |acts: &[(u8, Action, bool)]| {
            let mut progress = Progress::default();
            let mut told = Vec::new();
            for (shade, action, refused) in acts {
                match progress.decided(&screen(*shade), action, 4) {
                    Headway::Fine => {}
                    Headway::Doubtful(why) => told.push(why),
                    Headway::None(stuck) => told.push(stuck.what),
                }
                if *refused {
                    progress.refused(action.gesture().unwrap(), "the policy refuses it".to_owned());
                }
            }
            told
        };
        let same = told(&vec![(9, tap(500), true); 8]);
        assert_eq!(
            same.last().unwrap(),
            "the same action 8 times; it was not carried out, since the policy refuses it"
        );
        assert_eq!(
            same[0],
            "You have done the same action 4 times; it was not carried out, since the policy refuses it. \
             That gets you nowhere: do something else, ask the user, or give up."
        );
        let both = vec![[(20, tap(100), true), (90, tap(900), false)]; 6].concat();
        let both = told(&both);
        assert!(
            both.iter().all(|it| it.contains("; some of it was not carried out, since the policy")),
            "{both:?}"
        );
        let places: Vec<_> = (0..9).map(|nth| (9, tap(nth * 30), true)).collect();
        let places = told(&places);
        assert!(
            places
                .iter()
                .all(|it| it
                    .contains("the screen; the last of them were not carried out, since the")),
            "{places:?}"
        );
        // Five that were carried out and did nothing, and three that were refused.
        let mixed: Vec<_> = (0..9).map(|nth| (9, tap(nth * 30), 5 <= nth)).collect();
        assert_eq!(
            told(&mixed).last().unwrap(),
            "8 actions, none of which has changed the screen; the last of them were not carried out, since \
             the policy refuses it"
        );
    }
}
