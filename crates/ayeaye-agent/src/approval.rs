//! Approval of one action: what a user's "yes" allows, and nothing beyond it.
use std::time::Duration;

use crate::event::{ActIdentity, GateRecord, ParsedRecord};
use crate::gate::{have_counted_down, mentioned_classes};
pub(crate) use crate::gate::{is_no, is_yes};
use crate::{Action, Gesture, Point, Question};

/// What the user was asked to approve: one act on one element of one screen.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// The text of the question.
    text: String,
    /// The gesture in question.
    gesture: Option<Gesture>,
    /// What the gate said of it. A record of an earlier version has nothing.
    gate: Option<Box<GateRecord>>,
    /// The app in which it was asked, where nothing else is known of the act.
    app: Option<String>,
}

/// How far apart two points may be and still mean the same, in thousandths of the screen: a model that
/// looks again names a slightly different point, and a list may have moved a little.
const SAME_PLACE: f64 = 20.0;

impl Approval {
    /// The approval that a question asks for, with the decision it came from and what the gate said.
    pub(crate) fn requested(
        question: &Question,
        decision: Option<&ParsedRecord>,
        gate: Option<GateRecord>,
    ) -> Self {
        let gesture = decision.and_then(|it| match Action::try_from(&it.action) {
            Ok(Action::Confirm { gesture, .. } | Action::Gesture(gesture)) => Some(gesture),
            _ => None,
        });
        Self {
            text: question.text.clone(),
            gesture,
            gate: gate.map(Box::new),
            app: question.app.clone(),
        }
    }

    /// What the gate said of the act.
    pub(crate) fn gate(&self) -> Option<&GateRecord> {
        self.gate.as_deref()
    }

    /// Whether it covers this act: the same act on the same element, app and screen, for the same reason.
    /// Where the model asks itself, its question must also name the same numbers and kinds of acts. The
    /// wording alone proves nothing: a model may ask "May I do this?" about anything.
    pub(crate) fn covers(
        &self,
        gesture: &Gesture,
        gate: &GateRecord,
        question: Option<&Question>,
    ) -> bool {
        let asked_alike = question.is_none_or(|question| {
            numbers(&self.text) == numbers(&question.text)
                && mentioned_classes(&self.text) == mentioned_classes(&question.text)
        });
        let same_act = match (&self.gate, &gate.act) {
            (Some(asked), Some(act)) => {
                asked.class == gate.class
                    && asked.act.as_ref().is_some_and(|it| is_same_act_later(it, act))
            }
            (None, Some(act)) => {
                self.app.as_deref().unwrap_or_default() == act.app
                    && self.gesture.as_ref().is_some_and(|it| is_same_gesture(it, gesture))
            }
            (_, None) => false,
        };
        same_act && asked_alike
    }

    /// Whether this act does the same in the same place of the same screen of the app, whatever that says by now.
    pub(crate) fn is_for_same_place(&self, gate: &GateRecord) -> bool {
        let asked = self.gate.as_ref().and_then(|it| it.act.as_ref());
        asked.zip(gate.act.as_ref()).is_some_and(|(one, other)| {
            let same_screen = (&one.app, &one.activity) == (&other.app, &other.activity);
            same_screen && one.action == other.action && is_at_same_place(one, other)
        })
    }
}

/// Whether two acts are one: the same element of the same screen of the same app, whatever times in brackets and other
/// texts say. A no holds for all of them: a text beside a button that changes does not take it back.
pub(crate) fn is_same_act(one: &ActIdentity, other: &ActIdentity) -> bool {
    let strip = |it: &ActIdentity| ActIdentity {
        at: None,
        countdown: None,
        about: String::new(),
        ..it.clone()
    };
    is_at_same_place(one, other) && strip(one) == strip(other)
}

/// Whether an act is the one that was asked about before, and about the same: its times have counted down since, and
/// nothing else has changed.
pub(crate) fn is_same_act_later(asked: &ActIdentity, now: &ActIdentity) -> bool {
    let as_counted = match (&asked.countdown, &now.countdown) {
        (None, None) => true,
        (Some(before), Some(now)) => {
            let read = before.read_at.zip(now.read_at);
            let passed = read.map(|(before, now)| Duration::try_from(now.duration_since(before)));
            before.seconds == now.seconds
                || passed
                    .and_then(Result::ok)
                    .is_some_and(|passed| have_counted_down(&before.seconds, &now.seconds, passed))
        }
        _ => false,
    };
    is_same_act(asked, now) && asked.about == now.about && as_counted
}

fn is_at_same_place(one: &ActIdentity, other: &ActIdentity) -> bool {
    match (one.at, other.at) {
        (Some([x, y]), Some([to_x, to_y])) => {
            (x - to_x).abs() <= SAME_PLACE && (y - to_y).abs() <= SAME_PLACE
        }
        (one, other) => one == other,
    }
}

/// The numbers in a text, in order: amounts, dates, how many.
fn numbers(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_numeric()).filter(|it| !it.is_empty()).collect()
}

/// Whether two gestures are one, also where they point a little beside each other.
pub(crate) fn is_same_gesture(one: &Gesture, other: &Gesture) -> bool {
    match (one, other) {
        (Gesture::Click { point: a }, Gesture::Click { point: b })
        | (Gesture::DoubleClick { point: a }, Gesture::DoubleClick { point: b })
        | (Gesture::LongPress { point: a, .. }, Gesture::LongPress { point: b, .. }) => {
            near(*a, *b)
        }
        (
            Gesture::Type { text: a, point: at, clear, submit },
            Gesture::Type { text: b, point: to, clear: clear_too, submit: submit_too },
        ) => {
            let same_place = match (at, to) {
                (Some(at), Some(to)) => near(*at, *to),
                (at, to) => at == to,
            };
            same_place && (a, clear, submit) == (b, clear_too, submit_too)
        }
        (one, other) => one == other,
    }
}

fn near(a: Point, b: Point) -> bool {
    let ((ax, ay), (bx, by)) = (a.fractions(), b.fractions());
    (ax - bx).abs() * 1e3 <= SAME_PLACE && (ay - by).abs() * 1e3 <= SAME_PLACE
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::event::Countdown;

    #[test]
    fn a_countdown_is_the_same_act_after_as_long_as_it_has_counted() {
        let act = |seconds: u32, read_at: Option<i64>| {
            let read_at = read_at.map(|it| Timestamp::from_second(it).unwrap());
            ActIdentity {
                action: "CLICK".to_owned(),
                app: "com.example.shop".to_owned(),
                activity: String::new(),
                screen: String::new(),
                target: None,
                content: String::new(),
                about: String::new(),
                at: None,
                countdown: Some(Countdown { seconds: vec![seconds], read_at }),
            }
        };
        for (asked, now, same) in [
            (act(241, Some(0)), act(123, Some(120)), true),
            (act(241, Some(0)), act(236, Some(120)), false),
            (act(241, Some(0)), act(241, Some(120)), true),
            (act(241, Some(120)), act(239, Some(0)), false),
            (act(241, None), act(239, Some(2)), false),
            (act(241, None), act(241, None), true),
            (act(241, Some(0)), ActIdentity { countdown: None, ..act(241, None) }, false),
        ] {
            assert_eq!(is_same_act_later(&asked, &now), same, "{asked:?} {now:?}");
            assert!(is_same_act(&asked, &now), "a no holds for all of them");
        }
        let other = ActIdentity { about: "Mallory".to_owned(), ..act(241, None) };
        assert!(!is_same_act_later(&act(241, None), &other));
        assert!(is_same_act(&act(241, None), &other), "a no holds for both");
    }
}
