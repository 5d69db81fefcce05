//! From a decision to the call that a family has for it.
use std::time::Duration;

use ayeaye_agent::{Action, Direction, Gesture, Key, Point, Question, QuestionKind};
use serde_json::{Map, Value, json};

use super::read::{asks_for_hands, shown};
use super::{CallUser, Meaning, Slot, Typing, Verb, VerbTable};
use crate::profile::CoordContext;
use crate::profile::escape::{LONGEST_TEXT, truncated};
use crate::profile::history::PastStep;
use crate::profile::parse::ParsedCall;
use crate::profile::parse::values::{self, USUAL_PRESS, USUAL_WAIT};

impl VerbTable {
    /// An earlier step as a call of the family; `None` if it has no verb for it. An answered confirmation
    /// is written as its question.
    pub(crate) fn write(&self, past: PastStep<'_>, coords: &CoordContext) -> Option<ParsedCall> {
        let action = &past.step.decision.action;
        if let Action::Confirm { gesture, question } = action {
            let confirms =
                |verb: &Verb| verb.has(Slot::Confirm) && means(verb, &gesture.clone().into());
            if !self.all().any(confirms) {
                let asked = Action::Info(Question::info(question.text.as_str()));
                let done = Action::from(gesture.clone());
                let was_asked = past.asked_first().is_some();
                return self.write_action(if was_asked { &asked } else { &done }, coords);
            }
        }
        self.write_action(action, coords)
    }

    /// An action as a call; if there is no verb for it, the closest one.
    pub(crate) fn write_action(
        &self,
        action: &Action,
        coords: &CoordContext,
    ) -> Option<ParsedCall> {
        let exact = |action: &Action| {
            let rows = || self.all().filter(|verb| means(verb, action));
            let verb = rows().find(|verb| carries(verb, action)).or_else(|| rows().next())?;
            Some(self.fill(verb, action, coords))
        };
        exact(action).or_else(|| substitutes(action).iter().find_map(exact))
    }

    /// Whether an action has a verb of its own that can express all of it.
    #[cfg(test)]
    pub(crate) fn is_exact(&self, action: &Action) -> bool {
        let rows = self.all().filter(|verb| means(verb, action));
        rows.into_iter().any(|verb| carries(verb, action))
    }

    fn fill(&self, verb: &Verb, action: &Action, coords: &CoordContext) -> ParsedCall {
        let mut args = Map::new();
        for arg in verb.args {
            if let Some(value) = self.value(verb, arg.0, action, coords)
                && let Some(name) = arg.1.first()
            {
                args.insert((*name).to_owned(), value);
            }
        }
        ParsedCall { name: verb.names[0].to_owned(), args, ..ParsedCall::default() }
    }

    /// The value of an argument; `None` if it is left out.
    fn value(
        &self,
        verb: &Verb,
        slot: Slot,
        action: &Action,
        coords: &CoordContext,
    ) -> Option<Value> {
        // One notation of a place is enough.
        let whole = match slot {
            Slot::AtX | Slot::AtY => Slot::At,
            Slot::FromX | Slot::FromY => Slot::From,
            Slot::ToX | Slot::ToY => Slot::To,
            other => other,
        };
        if whole != slot && verb.has(whole) {
            return None;
        }
        let point = |point: Point| self.point(point, coords);
        let x = |point: Point| number(xy(point, coords).0);
        let y = |point: Point| number(xy(point, coords).1);
        Some(match slot {
            Slot::At => point(place(action)?),
            Slot::AtOrCenter => point(place(action).unwrap_or_else(center)),
            Slot::AtX => x(place(action)?),
            Slot::AtY => y(place(action)?),
            Slot::From => point(path(action)?.0),
            Slot::FromX => x(path(action)?.0),
            Slot::FromY => y(path(action)?.0),
            Slot::To => point(path(action)?.1),
            Slot::ToX => x(path(action)?.1),
            Slot::ToY => y(path(action)?.1),
            Slot::Text | Slot::TextOrReason | Slot::RequiredText => {
                Value::from(shortened(&text(verb, action)?))
            }
            Slot::Clear | Slot::Submit => match gesture(action)? {
                Gesture::Type { clear: true, .. } if slot == Slot::Clear => Value::Bool(true),
                Gesture::Type { submit: true, .. } if slot == Slot::Submit => Value::Bool(true),
                _ => return None,
            },
            Slot::KeyboardUp(_) => match gesture(action)? {
                Gesture::Type { point, .. } => Value::Bool(point.is_none()),
                _ => return None,
            },
            Slot::Direction => match gesture(action)? {
                Gesture::Scroll { direction, .. } => {
                    Value::from(shown(*direction, verb.meaning).to_string())
                }
                _ => return None,
            },
            Slot::Seconds | Slot::SecondsOr(_) => number(time(action)?.0.as_secs_f64()),
            Slot::UnusualSeconds => {
                let (time, usual) = time(action)?;
                if time == usual {
                    return None;
                }
                number(time.as_secs_f64())
            }
            Slot::Milliseconds => {
                json!(u64::try_from(time(action)?.0.as_millis()).unwrap_or(u64::MAX))
            }
            Slot::Options => match action {
                Action::Info(Question { options, .. }) if !options.is_empty() => json!(options),
                _ => return None,
            },
            Slot::Status => match (verb.meaning, action) {
                (Meaning::End { success, .. }, Action::Complete { .. }) => Value::from(success[0]),
                (Meaning::End { failure, .. }, Action::Abort { .. }) => Value::from(failure[0]),
                _ => return None,
            },
            Slot::Confirm => match action {
                Action::Confirm { question, .. } => Value::from(shortened(&question.text)),
                _ => return None,
            },
            Slot::Fixed(text) => Value::from(text),
            Slot::Success | Slot::Key | Slot::Reason | Slot::Refused(_) => return None,
        })
    }

    fn point(&self, point: Point, coords: &CoordContext) -> Value {
        if self.named_points {
            let (x, y) = xy(point, coords);
            return json!({ "x": number(x), "y": number(y) });
        }
        let (first, second) = coords.system.numbers(point, coords.image);
        json!([number(first), number(second)])
    }
}

/// A point's numbers as x and y, whichever comes first in a list.
fn xy(point: Point, coords: &CoordContext) -> (f64, f64) {
    let (first, second) = coords.system.numbers(point, coords.image);
    if coords.system.y_first { (second, first) } else { (first, second) }
}

/// A number; a whole one is written without a fraction.
pub(crate) fn number(value: f64) -> Value {
    #[expect(clippy::cast_possible_truncation, reason = "whole, and far below 2^53")]
    if value.fract() == 0.0 && value.abs() < 1e9 { json!(value as i64) } else { json!(value) }
}

/// Whether a verb can express an action, though perhaps not all of it.
fn means(verb: &Verb, action: &Action) -> bool {
    let gesture = match action {
        Action::Gesture(gesture) => gesture,
        Action::Confirm { gesture, .. } if verb.has(Slot::Confirm) => gesture,
        Action::Confirm { .. } => return false,
        Action::Wait(time) => {
            return match verb.meaning {
                Meaning::Look => time.is_zero(),
                Meaning::Wait => true,
                _ => false,
            };
        }
        Action::Note { .. } => return matches!(verb.meaning, Meaning::Note),
        Action::Info(Question { kind: QuestionKind::Takeover, .. }) => {
            return matches!(verb.meaning, Meaning::TakeOver | Meaning::CallUser(_));
        }
        Action::Info(_) => return matches!(verb.meaning, Meaning::Ask | Meaning::CallUser(_)),
        Action::Complete { .. } => {
            return matches!(
                verb.meaning,
                Meaning::Complete | Meaning::Answer | Meaning::End { .. }
            );
        }
        Action::Abort { .. } => {
            return matches!(verb.meaning, Meaning::Abort | Meaning::End { .. });
        }
    };
    match (verb.meaning, gesture) {
        (Meaning::Click, Gesture::Click { .. })
        | (Meaning::DoubleClick, Gesture::DoubleClick { .. })
        | (Meaning::LongPress, Gesture::LongPress { .. })
        | (Meaning::Type(_), Gesture::Type { .. })
        | (Meaning::Slide, Gesture::Slide { .. })
        | (Meaning::Drag, Gesture::Drag { .. })
        | (Meaning::OpenApp, Gesture::Awake { .. }) => true,
        (Meaning::Scroll | Meaning::Swipe | Meaning::BenchmarkSwipe, Gesture::Scroll { .. }) => {
            verb.has(Slot::Direction)
        }
        (Meaning::Scroll, Gesture::Slide { .. }) => verb.has(Slot::To),
        (Meaning::PressKey(names), Gesture::HotKey { key }) => {
            names.is_empty() || names.iter().any(|(known, _)| known == key)
        }
        (Meaning::Press(known), Gesture::HotKey { key }) => known == *key,
        _ => false,
    }
}

/// Whether a verb that means an action can express all of it.
fn carries(verb: &Verb, action: &Action) -> bool {
    let has_place = verb.arg(Slot::is_place).is_some();
    let has_text = verb.arg(Slot::is_text).is_some();
    match action {
        Action::Wait(time) => {
            *time == USUAL_WAIT
                || verb.arg(Slot::is_time).is_some()
                || matches!(verb.meaning, Meaning::Look)
        }
        Action::Note { .. } => true,
        Action::Info(Question { kind, options, text, .. }) => {
            (options.is_empty() || verb.has(Slot::Options))
                && match verb.meaning {
                    Meaning::CallUser(CallUser::AsksByText | CallUser::Asks) => {
                        *kind != QuestionKind::Takeover
                    }
                    Meaning::CallUser(CallUser::AsksByQuestionMark) => {
                        text.trim_end().ends_with(['?', '？']) != (*kind == QuestionKind::Takeover)
                    }
                    Meaning::CallUser(CallUser::TellsToo) => {
                        asks_for_hands(text) == (*kind == QuestionKind::Takeover)
                    }
                    _ => true,
                }
        }
        Action::Complete { message } if message.trim().is_empty() => {
            !matches!(verb.meaning, Meaning::Answer)
        }
        Action::Complete { .. } => has_text,
        Action::Abort { reason } => has_text || reason.is_empty(),
        Action::Gesture(gesture) | Action::Confirm { gesture, .. } => match gesture {
            Gesture::LongPress { duration, .. } => {
                *duration == USUAL_PRESS || verb.arg(Slot::is_time).is_some()
            }
            Gesture::Type { text, point, clear, submit } => {
                let Meaning::Type(typing) = verb.meaning else { return false };
                let newlines =
                    matches!(typing, Typing::NewlineSubmits | Typing::EscapedNewlineSubmits);
                (point.is_none() || has_place)
                    && (*clear == (typing == Typing::Clears) || *clear && verb.has(Slot::Clear))
                    && (!submit || newlines || verb.has(Slot::Submit))
                    && !(newlines && (text.ends_with('\n') || text.ends_with("\\n")))
            }
            Gesture::Scroll { at, .. } => {
                (at.is_none() || has_place) && !(at.is_none() && verb.has(Slot::AtOrCenter))
            }
            _ => true,
        },
    }
}

/// Substitutes for an action, the closest first.
fn substitutes(action: &Action) -> Vec<Action> {
    match action {
        Action::Gesture(Gesture::Drag { from, to }) => {
            let slide = Gesture::Slide { from: *from, to: *to, duration: values::SLIDE };
            vec![slide.into()]
        }
        Action::Gesture(Gesture::Slide { from, to, .. }) => {
            let direction = values::opposite(direction(*from, *to));
            vec![Gesture::Scroll { direction, at: Some(*from) }.into()]
        }
        Action::Gesture(Gesture::Scroll { direction, at }) => {
            let (from, to) = finger(*direction, *at);
            vec![Gesture::Slide { from, to, duration: values::SLIDE }.into()]
        }
        Action::Confirm { gesture, .. } => vec![gesture.clone().into()],
        Action::Info(question) => vec![Action::Info(Question::info(question.text.as_str()))],
        Action::Abort { reason } => vec![Action::Info(Question::info(reason.as_str()))],
        _ => Vec::new(),
    }
}

fn gesture(action: &Action) -> Option<&Gesture> {
    match action {
        Action::Gesture(gesture) | Action::Confirm { gesture, .. } => Some(gesture),
        _ => None,
    }
}

fn place(action: &Action) -> Option<Point> {
    match gesture(action)? {
        Gesture::Click { point }
        | Gesture::DoubleClick { point }
        | Gesture::LongPress { point, .. } => Some(*point),
        Gesture::Type { point, .. } => *point,
        Gesture::Scroll { at, .. } => *at,
        _ => None,
    }
}

fn path(action: &Action) -> Option<(Point, Point)> {
    match gesture(action)? {
        Gesture::Slide { from, to, .. } | Gesture::Drag { from, to } => Some((*from, *to)),
        _ => None,
    }
}

/// A duration, and the default for such an action.
fn time(action: &Action) -> Option<(Duration, Duration)> {
    match action {
        Action::Wait(time) => Some((*time, USUAL_WAIT)),
        _ => match gesture(action)? {
            Gesture::LongPress { duration, .. } => Some((*duration, USUAL_PRESS)),
            _ => None,
        },
    }
}

/// The text of an action; `None` if it has none.
fn text(verb: &Verb, action: &Action) -> Option<String> {
    Some(match action {
        Action::Note { text } => text.clone(),
        Action::Info(question) => question.text.clone(),
        Action::Complete { message: text } | Action::Abort { reason: text } => {
            if text.is_empty() && matches!(verb.meaning, Meaning::End { .. }) {
                return None;
            }
            text.clone()
        }
        Action::Wait(_) => return None,
        Action::Gesture(gesture) | Action::Confirm { gesture, .. } => match (gesture, verb.meaning)
        {
            (Gesture::Type { text, submit: true, .. }, Meaning::Type(typing))
                if !matches!(typing, Typing::Plain | Typing::Clears) =>
            {
                format!("{text}\n")
            }
            (Gesture::Type { text, .. }, _) => text.clone(),
            (Gesture::Awake { app }, _) => app.clone(),
            (Gesture::HotKey { key }, Meaning::PressKey(names)) => name(*key, names),
            _ => return None,
        },
    })
}

fn name(key: Key, names: &[(Key, &str)]) -> String {
    let known = names.iter().find(|(known, _)| *known == key);
    known.map_or_else(|| key.name().to_ascii_lowercase(), |(_, name)| (*name).to_owned())
}

/// Cuts a text of an earlier step to a reasonable length.
fn shortened(text: &str) -> String {
    let kept = truncated(text, LONGEST_TEXT);
    if kept.len() < text.len() { format!("{kept}…") } else { text.to_owned() }
}

fn center() -> Point {
    Point::new(500, 500).expect("the middle of the screen")
}

/// Where a finger goes that is drawn from one place to another, more or less.
fn direction(from: Point, to: Point) -> Direction {
    let ((x1, y1), (x2, y2)) = (from.fractions(), to.fractions());
    let (across, down) = (x2 - x1, y2 - y1);
    match (across.abs() < down.abs(), across < 0.0, down < 0.0) {
        (true, _, true) => Direction::Up,
        (true, _, false) => Direction::Down,
        (false, true, _) => Direction::Left,
        (false, false, _) => Direction::Right,
    }
}

/// The path of a finger that shows what lies in a direction: it goes the other way, for it draws the
/// content.
fn finger(shown: Direction, at: Option<Point>) -> (Point, Point) {
    let (x, y) = at.map_or((0.5, 0.5), Point::fractions);
    let (dx, dy) = match values::opposite(shown) {
        Direction::Up => (0.0, -0.2),
        Direction::Down => (0.0, 0.2),
        Direction::Left => (-0.3, 0.0),
        Direction::Right => (0.3, 0.0),
    };
    let place = |x: f64, y: f64| {
        Point::from_fractions(x.clamp(0.02, 0.98), y.clamp(0.02, 0.98)).expect("it was clamped")
    };
    (place(x - dx, y - dy), place(x + dx, y + dy))
}
