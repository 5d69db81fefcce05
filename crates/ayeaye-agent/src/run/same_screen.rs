//! Before an act: is the screen still the one that it was decided on? While a model thinks, another app may
//! come to the front, a dialog may open, or a page may put another button under the finger.
use super::Run;
use super::observer::Observation;
use super::outcome::RunError;
use crate::elements::Elements;
use crate::event::GateRecord;
use crate::gate::{Rule, ScreenFacts, but_for_countdowns, presses_enter};
use crate::settle::looks_same_at;
use crate::{DeviceError, Gesture, Key, ScreenSize, ScreenState, error_chain};

/// How often in a row an act is put off because the screen moves where it is aimed at, and because it has changed a
/// question about one and one that was allowed.
pub(super) const LOOKS_AGAIN: u32 = 2;
/// How far around a point the screen has to be the same, in parts of its width and height.
const AROUND: (f64, f64) = (0.2, 0.06);
/// Where the name of who is written to stands, below the status bar with its clock, in parts of the height.
const HEADER: (f64, f64) = (0.04, 0.13);

/// The screen before an act, beside the one that it was decided on.
#[derive(Debug)]
pub(super) enum ScreenNow {
    /// As far as can be told it is that one.
    Same,
    /// It is off: it is to be switched on again and looked at once more.
    Dark,
    /// The act must not be carried out, as a clause.
    Changed(String),
}

const NEVER_RESTS: &str = "What you allowed has not been done: the screen changes each time before it can be touched, and your yes is \
    for what you were asked about. Please do it by hand if you still want it, then say that it is done.";

/// An act that was allowed and cannot be done is the user's.
pub(super) fn never_rests(app: Option<String>) -> RunError {
    RunError::NeedsTakeover { text: NEVER_RESTS.to_owned(), app }
}

impl Run {
    /// Whether an act that needs the user's leave may be put off once more, which counts.
    pub(super) fn may_put_off_leave(&mut self) -> bool {
        let may = self.state.leave_put_off < LOOKS_AGAIN;
        self.state.leave_put_off = if may { self.state.leave_put_off + 1 } else { 0 };
        may
    }

    /// Whether the screen is still the one that an act was decided on. `holds_secret`: it types what must not get
    /// into another page.
    pub(super) async fn screen_now(
        &mut self,
        gesture: &Gesture,
        gate: Option<&GateRecord>,
        holds_secret: bool,
        observation: &Observation,
    ) -> Result<ScreenNow, RunError> {
        if !depends_on_screen(gesture) {
            return Ok(ScreenNow::Same);
        }
        let rests_on = |rule: Rule| gate.is_some_and(|gate| gate.rule == rule.name());
        // A client that acts itself decides what enter does; it may not see what the screen shows meanwhile.
        let strict = holds_secret
            || rests_on(Rule::Approved)
            || !self.is_direct && presses_enter(gesture) && gesture.points().is_empty();
        let Some(look) = self.observer.look_before_act(observation, strict).await? else {
            return Ok(ScreenNow::Same);
        };
        let look = match &*look {
            Ok(look) => look,
            Err(err) => return Ok(unseen(err)),
        };
        if let Some(other) = other_screen(&look.state, gesture, observation) {
            return Ok(other);
        }
        let size = observation.frame.size();
        let places = places(gesture, rests_on(Rule::AskedFor), observation);
        let looks_same = look.same
            || !strict
                && (look.alike
                    || places.as_ref().is_some_and(|places| {
                        places.iter().all(|it| looks_same_at(&observation.frame, &look.frame, *it))
                    }));
        if looks_same {
            self.state.put_off = 0;
            return Ok(ScreenNow::Same);
        }
        let before = observation.elements.tree().map(|tree| &*tree.elements);
        // There is nothing to compare them with otherwise.
        let now = if before.is_some() { self.observer.elements_now().await? } else { None };
        let same = before.zip(now.as_ref()).map(|(before, now)| {
            let app = observation.app.as_deref().unwrap_or_default();
            let same_host = before.page_host(app) == now.page_host(app);
            let hidden = observation.secret_field;
            let facts = |of: &Elements| facts(of, gesture, size, hidden);
            let (before, now) = (facts(before), facts(now));
            // What is aimed at nothing may hit a dialog by now.
            let whole = strict || before.aimed.is_empty();
            let of_same_page = !holds_secret || same_host;
            of_same_page && if whole { before == now } else { before.aimed == now.aimed }
        });
        let may_act = match same {
            Some(true) if observation.has_elements_of_its_frame() => true,
            Some(false) => {
                return Ok(ScreenNow::Changed("what it was aimed at has changed".to_owned()));
            }
            // Where a screen never rests and does not say what is on it, its app is all there is to go by.
            _ if !strict && LOOKS_AGAIN <= self.state.put_off => true,
            // A client that acts itself would be put off each time anew.
            None if !strict && self.is_direct => {
                let side = |length: u32| i32::try_from(length).unwrap_or(i32::MAX);
                let whole = vec![[0, 0, side(size.width), side(size.height)]];
                let places = places.unwrap_or(whole);
                self.observer.never_rests_at(&places, &look.frame).await?
            }
            _ => false,
        };
        if may_act {
            // The elements may have taken seconds.
            return Ok(match self.observer.state_now().await? {
                Ok(state) => other_screen(&state, gesture, observation).unwrap_or_else(|| {
                    self.state.put_off = 0;
                    ScreenNow::Same
                }),
                Err(err) => unseen(&err),
            });
        }
        self.state.put_off += 1;
        Ok(ScreenNow::Changed("the screen has changed where it was aimed at".to_owned()))
    }
}

/// Whether what the phone says of itself shows that the screen is not the one that an act was decided on.
fn other_screen(
    state: &ScreenState,
    gesture: &Gesture,
    observation: &Observation,
) -> Option<ScreenNow> {
    if !state.awake {
        return Some(ScreenNow::Dark);
    }
    let front = state.foreground.as_ref().zip(observation.app.as_deref());
    let types = matches!(gesture, Gesture::Type { .. });
    let why = match front {
        Some((front, before)) if before != front.package => {
            format!("another app has come to the front: {}", front.package)
        }
        Some((front, _)) if observation.activity() != front.activity => {
            format!("the app shows another screen now: {}", front.activity)
        }
        _ if types && state.secret_field != observation.secret_field => {
            "another field has the focus now".to_owned()
        }
        _ => return None,
    };
    Some(ScreenNow::Changed(why))
}

fn unseen(err: &DeviceError) -> ScreenNow {
    ScreenNow::Changed(format!("the phone could not be looked at before: {}", error_chain(err)))
}

/// Whether it matters for a gesture what is on the screen.
pub(super) fn depends_on_screen(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::Awake { .. } | Gesture::Command(_) => false,
        Gesture::HotKey { key } => !matches!(key, Key::Power | Key::Home),
        _ => true,
    }
}

fn facts(elements: &Elements, gesture: &Gesture, size: ScreenSize, hidden: bool) -> ScreenFacts {
    // A button that counts down is the same one a second later.
    but_for_countdowns(ScreenFacts::new(Some(elements), gesture, size, hidden))
}

/// Where the screen must look the same for a gesture: where it touches, with what is around it; for a text, and
/// for what the gate lets pass because of who is written to, also the header. Left, top, right and bottom in pixels;
/// `None` if it is not known where a text goes.
fn places(
    gesture: &Gesture,
    rests_on_header: bool,
    observation: &Observation,
) -> Option<Vec<[i32; 4]>> {
    let size = observation.frame.size();
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    let target = observation.target(gesture).map(|it| it.rect);
    #[expect(clippy::cast_possible_truncation, reason = "pixels of a screen")]
    let pixels = |left: f64, top: f64, right: f64, bottom: f64| {
        [
            (left * width) as i32,
            (top * height) as i32,
            (right * width) as i32,
            (bottom * height) as i32,
        ]
    };
    let around = |(x, y): (f64, f64)| {
        let around = pixels(x - AROUND.0, y - AROUND.1, x + AROUND.0, y + AROUND.1);
        // Beside a small control other things may move.
        let [left, top, right, bottom] = target.unwrap_or(around);
        let [a, b, c, d] = around;
        [left.max(a), top.max(b), right.min(c), bottom.min(d)]
    };
    let touched = gesture.points().first().map(|point| around(point.fractions()));
    let types = matches!(gesture, Gesture::Type { .. });
    let written = || {
        let elements = &observation.elements.tree()?.elements;
        elements.iter().find(|it| it.focused).map(|it| it.bounds)
    };
    let mut places: Vec<_> = match touched {
        None if types => vec![written()?],
        touched => touched.into_iter().collect(),
    };
    if types || rests_on_header {
        places.push(pixels(0.0, HEADER.0, 1.0, HEADER.1));
    }
    Some(places)
}
