//! Before an act: is the screen still the one that it was decided on? While a model thinks, another app may
//! come to the front, a dialog may open, or a page may put another button under the finger.
use super::Run;
use super::observer::Observation;
use super::outcome::RunError;
use crate::elements::Elements;
use crate::event::GateRecord;
use crate::gate::{Rule, ScreenFacts, presses_enter};
use crate::settle::looks_same_at;
use crate::{Gesture, Key, ScreenSize, error_chain};

/// How often in a row an act is put off because the screen moves where it is aimed at.
const LOOKS_AGAIN: u32 = 2;
/// How far around a point the screen has to be the same, in parts of its width and height.
const AROUND: (f64, f64) = (0.2, 0.06);

impl Run {
    /// Why an act must not be carried out now, as a clause: the screen is not the one that it was decided on,
    /// as far as can be told.
    pub(super) async fn changed_since(
        &mut self,
        gesture: &Gesture,
        gate: Option<&GateRecord>,
        observation: &Observation,
    ) -> Result<Option<String>, RunError> {
        if !depends_on_screen(gesture) {
            return Ok(None);
        }
        let Some(look) = self.observer.look_before_act(observation).await? else {
            return Ok(None);
        };
        let look = match &*look {
            Ok(look) => look,
            Err(err) => {
                return Ok(Some(format!(
                    "the phone could not be looked at before: {}",
                    error_chain(err)
                )));
            }
        };
        if !look.state.awake {
            // It is switched on again and looked at once more.
            return Ok(None);
        }
        if let Some(front) = &look.state.foreground {
            let before = observation.app.as_deref();
            if before.is_some_and(|before| before != front.package) {
                return Ok(Some(format!("another app has come to the front: {}", front.package)));
            }
            if before.is_some() && observation.activity() != front.activity {
                return Ok(Some(format!("the app shows another screen now: {}", front.activity)));
            }
        }
        if matches!(gesture, Gesture::Type { .. })
            && look.state.secret_field != observation.secret_field
        {
            return Ok(Some("another field has the focus now".to_owned()));
        }
        if look.same {
            self.state.put_off = 0;
            return Ok(None);
        }
        let approved = gate.is_some_and(|gate| gate.rule == Rule::Approved.name());
        let strict = approved || presses_enter(gesture) && gesture.points().is_empty();
        let size = observation.frame.size();
        let places = places(gesture, observation);
        if !strict && places.iter().all(|it| looks_same_at(&observation.frame, &look.frame, *it)) {
            self.state.put_off = 0;
            return Ok(None);
        }
        let now = self.observer.elements_now().await?;
        let before = observation.elements.tree().map(|tree| &tree.elements);
        let same = before.zip(now.as_ref()).map(|(before, now)| {
            let hidden = observation.secret_field;
            let facts = |of: &Elements| facts(of, gesture, size, hidden);
            let (before, now) = (facts(before), facts(now));
            // What is aimed at nothing may hit a dialog by now.
            let whole = strict || before.aimed.is_empty();
            if whole { before == now } else { before.aimed == now.aimed }
        });
        let of_this_screen = observation.has_elements_of_its_frame();
        match same {
            Some(true) if of_this_screen => {
                self.state.put_off = 0;
                Ok(None)
            }
            Some(false) => Ok(Some("what it was aimed at has changed".to_owned())),
            // Where a screen never rests and does not say what is on it, its app is all there is to go by.
            _ if !strict && LOOKS_AGAIN <= self.state.put_off => {
                self.state.put_off = 0;
                Ok(None)
            }
            _ => {
                self.state.put_off += 1;
                Ok(Some("the screen has changed where it was aimed at".to_owned()))
            }
        }
    }
}

/// Whether it matters for a gesture what is on the screen.
fn depends_on_screen(gesture: &Gesture) -> bool {
    match gesture {
        Gesture::Awake { .. } | Gesture::Command(_) => false,
        Gesture::HotKey { key } => !matches!(key, Key::Power | Key::Home),
        _ => true,
    }
}

fn facts(elements: &Elements, gesture: &Gesture, size: ScreenSize, hidden: bool) -> ScreenFacts {
    ScreenFacts::new(Some(elements), gesture, size, hidden)
}

/// Where a gesture touches, with what is around it: left, top, right and bottom in pixels.
fn places(gesture: &Gesture, observation: &Observation) -> Vec<[i32; 4]> {
    let size = observation.frame.size();
    let (width, height) = (f64::from(size.width), f64::from(size.height));
    let target = observation.target(gesture).map(|it| it.rect);
    let around = |x: f64, y: f64| {
        #[expect(clippy::cast_possible_truncation, reason = "pixels of a screen")]
        let around = [
            ((x - AROUND.0) * width) as i32,
            ((y - AROUND.1) * height) as i32,
            ((x + AROUND.0) * width) as i32,
            ((y + AROUND.1) * height) as i32,
        ];
        // Beside a small control other things may move.
        let [left, top, right, bottom] = target.unwrap_or(around);
        let [a, b, c, d] = around;
        [left.max(a), top.max(b), right.min(c), bottom.min(d)]
    };
    let points = gesture.points();
    points.iter().take(1).map(|point| point.fractions()).map(|(x, y)| around(x, y)).collect()
}
