//! Whether a recorded step fits the screen of now.
use sha2::{Digest as _, Sha256};

use super::{Replay, ReplayElement, ReplayStep};
use crate::elements::{Element, Elements};
use crate::journal::hex;
use crate::privacy::{holds_placeholder, is_length};
use crate::{Action, Decision, Gesture, Key, Point, ScreenSize};

/// How far the middle of an element may be from where it was, in thousandths of the screen.
const NEAR: i32 = 120;

/// Why a step is not done again, as a clause.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Mismatch(String);

impl Mismatch {
    pub(crate) fn new(why: impl Into<String>) -> Self {
        Self(why.into())
    }
}

impl Replay {
    /// What the recorded step of this number, from 0, comes to on a screen: the same act, aimed at where its element
    /// is now.
    pub(crate) fn decide(
        &self,
        number: usize,
        app: Option<&str>,
        elements: &Elements,
        size: ScreenSize,
    ) -> Result<Decision, Mismatch> {
        let step =
            self.steps.get(number).ok_or_else(|| Mismatch::new("there is no further step"))?;
        if app != Some(step.app.as_str()) {
            return Err(Mismatch(format!("{} is not in front", step.app)));
        }
        let action = Action::try_from(&step.action)
            .map_err(|err| Mismatch(format!("it cannot be read: {err}")))?;
        let action = match action {
            Action::Gesture(gesture) => Action::Gesture(step.aim(gesture, elements, size)?),
            Action::Wait(_) | Action::Note { .. } => action,
            Action::Complete { message } => self.completed(number, &message, elements)?,
            Action::Info(_) => return Err(Mismatch::new("the user was asked something")),
            Action::Confirm { .. } => return Err(Mismatch::new("the user was asked for leave")),
            Action::Abort { .. } => return Err(Mismatch::new("the task was given up")),
        };
        Ok(Decision {
            action,
            thought: String::new(),
            explain: step.explain.clone(),
            summary: String::new(),
            observation: String::new(),
        })
    }

    /// The recorded end, where the screen consists of the same as then. What was reported may be of a screen
    /// that has other contents today: it is told as what it is.
    fn completed(
        &self,
        number: usize,
        message: &str,
        elements: &Elements,
    ) -> Result<Action, Mismatch> {
        let step = &self.steps[number];
        // A screen on which nothing was done is the same whatever the phone is like behind it.
        if !self.steps[..number].iter().any(ReplayStep::is_act) {
            return Err(Mismatch::new("nothing was done then but to look"));
        }
        if step.screen.as_deref() != Some(fingerprint(elements).as_str()) {
            return Err(Mismatch::new("the last screen is not the same as then"));
        }
        let told = match message.trim() {
            "" => String::new(),
            message => format!(" What was reported then: {message}"),
        };
        let session = self.session;
        let message = format!(
            "All steps of session {session} were done again, up to the same last screen.{told}"
        );
        Ok(Action::Complete { message })
    }
}

impl ReplayStep {
    fn is_act(&self) -> bool {
        matches!(Action::try_from(&self.action), Ok(Action::Gesture(_) | Action::Confirm { .. }))
    }

    /// The gesture, moved to where its element is.
    fn aim(
        &self,
        gesture: Gesture,
        elements: &Elements,
        size: ScreenSize,
    ) -> Result<Gesture, Mismatch> {
        match &gesture {
            Gesture::Type { text, .. } if holds_placeholder(text) => {
                return Err(Mismatch::new(
                    "what was typed was a secret, which the record does not have",
                ));
            }
            Gesture::Type { text, .. } if is_length(text) => {
                return Err(Mismatch::new("only the length of what was typed was recorded"));
            }
            Gesture::Command(_) => {
                return Err(Mismatch::new("it was no act on the screen"));
            }
            _ => {}
        }
        let Some(from) = aimed_at(&Action::Gesture(gesture.clone())) else {
            if goes_to_focus(&gesture) {
                self.check_focus(elements, size)?;
            }
            return Ok(gesture);
        };
        let Some(wanted) = &self.element else {
            return Err(Mismatch::new("what it was aimed at is not known"));
        };
        let to = wanted.find(from, elements, size)?;
        Ok(match gesture {
            Gesture::Click { .. } => Gesture::Click { point: to },
            Gesture::DoubleClick { .. } => Gesture::DoubleClick { point: to },
            Gesture::LongPress { duration, .. } => Gesture::LongPress { point: to, duration },
            Gesture::Type { text, clear, submit, .. } => {
                Gesture::Type { text, point: Some(to), clear, submit }
            }
            Gesture::Scroll { direction, .. } => Gesture::Scroll { direction, at: Some(to) },
            // They go where they went: what is under their end is not what they are aimed at.
            Gesture::Slide { to: end, duration, .. } => {
                Gesture::Slide { from: to, to: end, duration }
            }
            Gesture::Drag { to: end, .. } => Gesture::Drag { from: to, to: end },
            other @ (Gesture::Awake { .. } | Gesture::HotKey { .. } | Gesture::Command(_)) => other,
        })
    }
}

impl ReplayStep {
    /// Whether what has the focus is what had it: text and Enter go there, whichever that is.
    fn check_focus(&self, elements: &Elements, size: ScreenSize) -> Result<(), Mismatch> {
        let focused = focused(elements).ok_or_else(|| Mismatch::new("no field has the focus"))?;
        let wanted = self.element.as_ref();
        let wanted = wanted.ok_or_else(|| Mismatch::new("what had the focus is not known"))?;
        // What stands in a field may be another text today; a field without an identifier is known by it alone.
        let is_called_so = !wanted.id.is_empty() || elements.label(focused) == wanted.name;
        if wanted.is_of_kind(focused, size) && is_called_so {
            return Ok(());
        }
        let other = called(&elements.label(focused), &focused.resource_id, &focused.class);
        Err(Mismatch(format!("{other} has the focus, and not {}", wanted.called())))
    }
}

/// Whether a gesture without a place goes to what has the focus.
pub(super) fn goes_to_focus(gesture: &Gesture) -> bool {
    matches!(gesture, Gesture::Type { point: None, .. } | Gesture::HotKey { key: Key::Enter, .. })
}

/// What has the focus: the innermost, where what lies around it has it too.
pub(super) fn focused(elements: &Elements) -> Option<&Element> {
    elements.iter().filter(|element| element.focused).last()
}

impl ReplayElement {
    pub(super) fn of(elements: &Elements, element: &Element, size: ScreenSize) -> Self {
        Self {
            id: element.resource_id.clone(),
            name: elements.label(element),
            class: element.class.clone(),
            bounds: in_thousandths(element.bounds, size),
            checked: is_on(elements, element),
        }
    }

    /// Where a touch goes now that went to `from` then: to the one element that is the same, near where it was, and
    /// that such a touch would reach.
    fn find(&self, from: Point, elements: &Elements, size: ScreenSize) -> Result<Point, Mismatch> {
        let called = self.called();
        let same = |element: &&Element| {
            self.is_of_kind(element, size) && elements.label(element) == self.name
        };
        let reached = |element: &Element| {
            let to = self.moved(from, element.bounds, size)?;
            // What lies around it may be called the same; what lies over it would be touched instead.
            let touched = elements.at(to.to_pixel(size))?;
            (touched.index == element.index).then(|| (is_on(elements, element), to))
        };
        let mut found = elements.iter().filter(same).filter_map(reached);
        match (found.next(), found.next()) {
            // The same tap would do the opposite.
            (Some((is_on, _)), None) if self.checked.is_some() && is_on != self.checked => {
                Err(Mismatch(format!("{called} is not switched as it was")))
            }
            (Some((_, to)), None) => Ok(to),
            (Some(_), Some(_)) => Err(Mismatch(format!("there are several like {called}"))),
            (None, _) => Err(Mismatch(format!("{called} is not where it was"))),
        }
    }

    /// As it is called in an explanation.
    fn called(&self) -> String {
        called(&self.name, &self.id, &self.class)
    }

    /// Of the same class and identifier, near where it was.
    fn is_of_kind(&self, element: &Element, size: ScreenSize) -> bool {
        element.class == self.class
            && (self.id.is_empty() || element.resource_id == self.id)
            && self.is_near(in_thousandths(element.bounds, size))
    }

    fn is_near(&self, bounds: [i32; 4]) -> bool {
        let middle = |[left, top, right, bottom]: [i32; 4]| {
            [i32::midpoint(left, right), i32::midpoint(top, bottom)]
        };
        let (here, there) = (middle(self.bounds), middle(bounds));
        here.iter().zip(there).all(|(here, there)| (here - there).abs() <= NEAR)
    }

    /// A point in the element as it was, in the element as it is; `None` if that is off the screen.
    fn moved(&self, from: Point, bounds: [i32; 4], size: ScreenSize) -> Option<Point> {
        let now = in_thousandths(bounds, size);
        let (x, y) = from.fractions();
        let along = |at: f64, low: usize, high: usize| {
            let (was, is) = (self.bounds, now);
            let length = f64::from(was[high] - was[low]).max(1.0);
            let part = ((at * 1e3 - f64::from(was[low])) / length).clamp(0.05, 0.95);
            (f64::from(is[low]) + part * f64::from(is[high] - is[low])) / 1e3
        };
        Point::from_fractions(along(x, 0, 2), along(y, 1, 3)).ok()
    }
}

/// Whether an element is switched on, or else the first switch within it.
fn is_on(elements: &Elements, element: &Element) -> Option<bool> {
    let [left, top, right, bottom] = element.bounds;
    let within = |it: &Element| {
        left <= it.bounds[0]
            && top <= it.bounds[1]
            && it.bounds[2] <= right
            && it.bounds[3] <= bottom
    };
    let inside = elements.iter().filter(|it| within(it)).find_map(|it| it.checked);
    element.checked.or(inside)
}

/// Where a gesture begins, where it is aimed at a place.
pub(super) fn aimed_at(action: &Action) -> Option<Point> {
    let (Action::Gesture(gesture) | Action::Confirm { gesture, .. }) = action else { return None };
    match gesture {
        Gesture::Scroll { at, .. } => *at,
        other => other.points().first().copied(),
    }
}

/// An element in an explanation: by what stands on it, else by its identifier, else by its class.
fn called(name: &str, id: &str, class: &str) -> String {
    match (name, id) {
        ("", "") => class.to_owned(),
        ("", id) => id.to_owned(),
        (name, _) => format!("\u{201c}{name}\u{201d}"),
    }
}

/// Sides of a rectangle in pixels as thousandths of the screen.
pub(super) fn in_thousandths(bounds: [i32; 4], size: ScreenSize) -> [i32; 4] {
    let along = |at: i32, side: u32| {
        let at = i64::from(at) * 1000 / i64::from(side.max(1));
        i32::try_from(at).unwrap_or(if at < 0 { i32::MIN / 4 } else { i32::MAX / 4 })
    };
    let [left, top, right, bottom] = bounds;
    let (width, height) = (size.width, size.height);
    [along(left, width), along(top, height), along(right, width), along(bottom, height)]
}

/// What a screen consists of: all its elements with what stands on them, and not where they are.
pub(super) fn fingerprint(elements: &Elements) -> String {
    let mut hasher = Sha256::new();
    for element in elements.iter() {
        for part in [&element.class, &element.resource_id, element.name()] {
            hasher.update(part.as_bytes());
            hasher.update([0]);
        }
        let checked = match element.checked {
            None => 0,
            Some(false) => 1,
            Some(true) => 2,
        };
        hasher.update([checked, u8::from(element.focused), b'\n']);
    }
    hex(&hasher.finalize())
}
