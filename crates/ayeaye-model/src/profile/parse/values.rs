//! Values that are written alike in every family.
use std::time::Duration;

use ayeaye_agent::{Direction, Key, ParseError};

use super::{excerpt, reject};

/// The longest a model may let the loop wait.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// For a wait that does not say how long.
pub(crate) const USUAL_WAIT: Duration = Duration::from_secs(2);
/// For a long press that does not say how long.
pub(crate) const USUAL_PRESS: Duration = Duration::from_secs(1);
/// A swipe's time: slow enough that most of the movement is the finger's and not the fling's.
pub(crate) const SLIDE: Duration = Duration::from_millis(500);

/// The name of an action as it is compared: case, blanks, dashes and underscores do not matter.
pub(crate) fn fold_name(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace() && !"-_".contains(*c));
    kept.collect::<String>().to_ascii_lowercase()
}

/// A direction, as it is written.
pub(crate) fn direction(text: &str) -> Result<Direction, ParseError> {
    match unquoted(text).to_ascii_lowercase().as_str() {
        "up" | "上" | "向上" => Ok(Direction::Up),
        "down" | "下" | "向下" => Ok(Direction::Down),
        "left" | "左" | "向左" => Ok(Direction::Left),
        "right" | "右" | "向右" => Ok(Direction::Right),
        _ => Err(ParseError(format!(
            "{} is not a direction; use up, down, left or right",
            excerpt(text)
        ))),
    }
}

/// The other way: where a finger goes to show what lies in a direction, and back.
pub(crate) fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
        Direction::Left => Direction::Right,
        Direction::Right => Direction::Left,
    }
}

/// A key of the phone.
pub(crate) fn key(name: &str) -> Result<Key, ParseError> {
    let name = unquoted(name);
    match Key::from_name(&name) {
        Some(key) => Ok(key),
        None if name.contains('+') && 1 < name.len() => {
            reject(format!("a phone takes no combination of keys such as {}", excerpt(&name)))
        }
        None => reject(format!("{} is not a key; use back, home or enter", excerpt(&name))),
    }
}

/// Seconds, with or without their unit; `None` where it is no time.
pub(crate) fn seconds(text: &str) -> Option<Duration> {
    let text = unquoted(text).to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let scale = match unit.trim() {
        "" | "s" | "sec" | "secs" | "second" | "seconds" | "秒" | "秒钟" => 1.0,
        "ms" | "毫秒" => 0.001,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * scale).ok()
}

/// The time of a wait: as it is said, at most [`LONGEST_WAIT`].
pub(crate) fn wait(text: Option<&str>) -> Result<Duration, ParseError> {
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        None => Ok(USUAL_WAIT),
        Some(text) => seconds(text)
            .map(|time| time.min(LONGEST_WAIT))
            .ok_or_else(|| ParseError(format!("{} is not a number of seconds", excerpt(text)))),
    }
}

/// The time of a long press, within what phones take for one.
pub(crate) fn press(text: Option<&str>) -> Duration {
    text.and_then(seconds)
        .map_or(USUAL_PRESS, |time| time.clamp(Duration::from_millis(300), Duration::from_secs(10)))
}

/// A text without one pair of quotes around it.
pub(crate) fn unquoted(text: &str) -> String {
    let text = text.trim();
    for (open, close) in
        [('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('「', '」')]
    {
        let inside = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
        if let Some(inside) = inside {
            return inside.trim().to_owned();
        }
    }
    text.to_owned()
}
