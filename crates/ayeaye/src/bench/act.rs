//! Acts in words, as the command line takes them.
use std::str::FromStr;
use std::time::Duration;

use ayeaye_agent::{Gesture, Key, Point};

const PRESS: Duration = Duration::from_secs(1);
const SWIPE: Duration = Duration::from_millis(300);

/// One act of a round.
#[derive(Debug, Clone, PartialEq)]
pub struct Act {
    /// What kind it is: the first word. Figures are told by it.
    pub kind: String,
    /// What is sent to the phone.
    pub gesture: Gesture,
}

/// Why words are no act.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is no act; there are `tap X Y`, `double-tap X Y`, `long-press X Y`, `swipe X Y X Y` (in thousandths of the screen), \
     `type TEXT`, `open APP`, `back`, `home`, `enter` and `recents`"
)]
pub struct NoAct(String);

impl Act {
    /// Whether a call of this name, by the record, can be this act.
    pub(super) fn is(&self, call: &str) -> bool {
        self.gesture.name() == call
    }
}

impl FromStr for Act {
    type Err = NoAct;

    fn from_str(text: &str) -> Result<Self, NoAct> {
        let text = text.trim();
        let (kind, rest) = text.split_once(' ').unwrap_or((text, ""));
        let gesture = gesture(kind, rest.trim()).ok_or_else(|| NoAct(text.to_owned()))?;
        Ok(Self { kind: kind.to_owned(), gesture })
    }
}

fn gesture(kind: &str, rest: &str) -> Option<Gesture> {
    let numbers: Option<Vec<i64>> = rest.split_whitespace().map(|word| word.parse().ok()).collect();
    let numbers = numbers.unwrap_or_default();
    let points: Vec<Point> =
        numbers.chunks_exact(2).filter_map(|at| Point::new(at[0], at[1]).ok()).collect();
    let exactly = |count: usize| numbers.len() == 2 * count && points.len() == count;
    Some(match kind {
        "tap" if exactly(1) => Gesture::Click { point: points[0] },
        "double-tap" if exactly(1) => Gesture::DoubleClick { point: points[0] },
        "long-press" if exactly(1) => Gesture::LongPress { point: points[0], duration: PRESS },
        "swipe" if exactly(2) => Gesture::Slide { from: points[0], to: points[1], duration: SWIPE },
        "type" if !rest.is_empty() => {
            Gesture::Type { text: rest.to_owned(), point: None, clear: false, submit: false }
        }
        "open" if !rest.is_empty() => Gesture::Awake { app: rest.to_owned() },
        "back" if rest.is_empty() => Gesture::HotKey { key: Key::Back },
        "home" if rest.is_empty() => Gesture::HotKey { key: Key::Home },
        "enter" if rest.is_empty() => Gesture::HotKey { key: Key::Enter },
        "recents" if rest.is_empty() => Gesture::HotKey { key: Key::Recents },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn acts_are_read_and_what_is_none_is_refused() {
        let gesture = |text: &str| text.parse::<Act>().map(|act| act.gesture);
        let point = Point::new(500, 300).unwrap();
        assert_eq!(gesture("tap 500 300"), Ok(Gesture::Click { point }));
        assert_eq!(gesture(" open  Settings "), Ok(Gesture::Awake { app: "Settings".to_owned() }));
        assert_eq!(gesture("home"), Ok(Gesture::HotKey { key: Key::Home }));
        let to = Point::new(500, 900).unwrap();
        let slide = Gesture::Slide { from: point, to, duration: SWIPE };
        assert_eq!(gesture("swipe 500 300 500 900"), Ok(slide));
        for text in
            ["", "tap", "tap 500", "tap 500 1001", "tap 5 5 5", "tap a b", "type", "home 1", "fly"]
        {
            assert!(gesture(text).is_err(), "{text}");
        }
    }
}
