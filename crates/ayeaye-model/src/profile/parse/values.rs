//! Values that all families write alike.
use std::time::Duration;

use ayeaye_agent::{Direction, Key, ParseError};

use super::{excerpt, reject};

/// The longest wait a model may ask for.
pub(crate) const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// A wait that does not say how long.
pub(crate) const USUAL_WAIT: Duration = Duration::from_secs(2);
/// A long press that does not say how long.
pub(crate) const USUAL_PRESS: Duration = Duration::from_secs(1);
/// The duration of a swipe: slow enough that the content follows the finger and is hardly flung.
pub(crate) const SLIDE: Duration = Duration::from_millis(500);

/// A name as names are compared: without case, blanks, dashes and underscores.
pub(crate) fn fold_name(name: &str) -> String {
    let kept = name.chars().filter(|c| !c.is_whitespace() && !"-_".contains(*c));
    kept.collect::<String>().to_ascii_lowercase()
}

/// Parses a direction.
pub(crate) fn direction(text: &str) -> Result<Direction, ParseError> {
    match unquoted(text).to_ascii_lowercase().as_str() {
        "up" | "上" | "向上" => Ok(Direction::Up),
        "down" | "下" | "向下" => Ok(Direction::Down),
        "left" | "左" | "向左" => Ok(Direction::Left),
        "right" | "右" | "向右" => Ok(Direction::Right),
        _ => Err(ParseError::new(format!(
            "{} is not a direction; use up, down, left or right",
            excerpt(text)
        ))),
    }
}

/// The opposite direction: the finger moves against the direction that is to be shown.
pub(crate) fn opposite(direction: Direction) -> Direction {
    match direction {
        Direction::Up => Direction::Down,
        Direction::Down => Direction::Up,
        Direction::Left => Direction::Right,
        Direction::Right => Direction::Left,
    }
}

/// Parses the name of a key.
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

/// Parses a time in seconds, with or without a unit; `None` if it is not a time.
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

/// A time where nothing says whether a number counts seconds: from 100 on, it counts milliseconds.
pub(crate) fn seconds_or_milliseconds(text: String) -> String {
    match unquoted(&text).parse::<f64>() {
        Ok(number) if 100.0 <= number => format!("{number} ms"),
        _ => text,
    }
}

/// The duration of a wait, at most [`LONGEST_WAIT`].
pub(crate) fn wait(text: Option<&str>) -> Result<Duration, ParseError> {
    match text.map(str::trim).filter(|text| !text.is_empty()) {
        None => Ok(USUAL_WAIT),
        Some(text) => seconds(text).map(|time| time.min(LONGEST_WAIT)).ok_or_else(|| {
            ParseError::new(format!("{} is not a number of seconds", excerpt(text)))
        }),
    }
}

/// The duration of a long press, within what phones accept as one.
pub(crate) fn press(text: Option<&str>) -> Duration {
    text.and_then(seconds)
        .map_or(USUAL_PRESS, |time| time.clamp(Duration::from_millis(300), Duration::from_secs(10)))
}

/// A text without a pair of quotes around it.
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
