//! Reading a reply: tolerant of how it is written, never of what it says.
//!
//! The format is that of GELab-Zero's `parser_0920_summary` and its relatives. What cannot be
//! understood is refused with a sentence the model can act on; above all, the end of a task is
//! taken only from an action field that says so.
use std::time::Duration;

use ayeaye_agent::{
    Action, Decision, Direction, Gesture, Key as PhoneKey, ParseError, Point, Question,
    QuestionKind,
};

use crate::profile::CoordContext;
use fields::{Fields, Key};
use points::Unit;
use words::Word;

mod fields;
mod json;
mod points;
#[cfg(test)]
mod tests;
mod think;
mod words;

/// The longest a model may let the loop wait.
const LONGEST_WAIT: Duration = Duration::from_mins(1);
/// For a WAIT that does not say how long.
const USUAL_WAIT: Duration = Duration::from_secs(2);
const USUAL_PRESS: Duration = Duration::from_secs(1);
/// Slow enough that most of the movement is the finger's and not the fling's.
const SLIDE: Duration = Duration::from_millis(500);

/// Understands a whole reply, its points in thousandths.
#[cfg(test)]
pub(crate) fn parse(text: &str) -> Result<Decision, ParseError> {
    parse_as(text, None)
}

/// Understands a whole reply, or says why not. Points are thousandths, or what is given.
pub(crate) fn parse_as(text: &str, given: Option<CoordContext>) -> Result<Decision, ParseError> {
    let text = text.trim_start_matches('\u{feff}').trim();
    if text.is_empty() {
        return refused("it is empty");
    }
    let start = text.get(..9).unwrap_or_default().to_ascii_lowercase();
    if start == "<!doctype" || start.starts_with("<html") {
        return refused("it is a web page");
    }
    let cut = think::cut(text);
    let body = unwrap(cut.body);
    if body.is_empty() {
        return refused("it holds reasoning and no action");
    }
    let mut fields = read_fields(&body)?;
    fields.given = given;
    let (word, beside) = word(&fields)?;
    let beside = beside.to_owned();
    if word == Word::Complete && cut.unclosed {
        return refused(
            "its reasoning has no end (`</THINK>`), so that COMPLETE may be part of it",
        );
    }
    let fields = with_inline(fields, word, &beside)?;
    let action = action(word, &fields)?;
    let said = |key| fields.last(key).unwrap_or_default().to_owned();
    let thought = match said(Key::Thought) {
        own if own.is_empty() => cut.thought,
        own if cut.thought.is_empty() => own,
        own => format!("{}\n{own}", cut.thought),
    };
    let seen = [Key::Verify, Key::Note, Key::Milestone].map(said);
    let observation: Vec<_> =
        seen.into_iter().filter(|s| !s.is_empty() && !s.eq_ignore_ascii_case("none")).collect();
    Ok(Decision {
        action,
        thought,
        explain: said(Key::Explain),
        summary: said(Key::Summary),
        observation: observation.join("\n"),
    })
}

fn refused<T>(why: &str) -> Result<T, ParseError> {
    Err(ParseError(why.to_owned()))
}

/// A piece of a reply as it may stand in a message.
fn quote(text: &str) -> String {
    let mut short: String = text.chars().filter(|c| !c.is_control()).take(60).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    format!("“{short}”")
}

/// The body without what servers and models wrap around it: code fences, box and end tokens, the
/// older `<STATUS> <ACTION> <PAYLOAD>` sections (which become fields like the others).
fn unwrap(body: &str) -> String {
    let mut body = body.trim();
    for token in ["<|begin_of_box|>", "<answer>"] {
        body = body.strip_prefix(token).unwrap_or(body).trim_start();
    }
    loop {
        let before = body.len();
        for token in ["<|end_of_box|>", "</answer>", "<|im_end|>", "<|endoftext|>", "</s>"] {
            body = body.strip_suffix(token).unwrap_or(body).trim_end();
        }
        if body.len() == before {
            break;
        }
    }
    if let Some(fence) = body.find("```") {
        // What stands before a fence is chat, unless the fence is part of a value.
        if fence == 0 || fields::first(&body[..fence]).is_none() {
            let inside = &body[fence + 3..];
            let inside = inside.split_once('\n').map_or(inside, |(language, rest)| {
                if language.trim().chars().all(char::is_alphanumeric) { rest } else { inside }
            });
            body = inside.rfind("```").map_or(inside, |end| &inside[..end]).trim();
        }
    }
    sections(body).unwrap_or_else(|| body.to_owned())
}

fn sections(body: &str) -> Option<String> {
    // Tags are ASCII, so that lower case has the same places.
    let lower = body.to_ascii_lowercase();
    if !lower.starts_with("<status>") && !lower.starts_with("<action>") {
        return None;
    }
    let action = lower.find("<action>")?;
    let from = action + "<action>".len();
    let (to, tail) = match lower[from..].rfind("<payload>") {
        Some(at) => (from + at, &body[from + at + "<payload>".len()..]),
        None => (body.len(), ""),
    };
    let middle = strip_end(&body[from..to], "</action>");
    let tail = strip_end(tail, "</payload>").trim();
    // Without a key of its own, it would become part of what stands before it.
    let tail = if fields::begins(tail) { tail } else { "" };
    Some(format!("{}\t{tail}", middle.trim()))
}

fn strip_end<'a>(text: &'a str, tag: &str) -> &'a str {
    let text = text.trim_end();
    match text.len().checked_sub(tag.len()).and_then(|at| text.split_at_checked(at)) {
        Some((head, end)) if end.eq_ignore_ascii_case(tag) => head,
        _ => text,
    }
}

fn read_fields(body: &str) -> Result<Fields, ParseError> {
    if body.starts_with('{') || body.starts_with('[') && body[1..].trim_start().starts_with('{') {
        return json::fields(body);
    }
    let fields = fields::split(body)?;
    match body.find('{') {
        Some(at) if !fields.has(Key::Action) => match json::fields(&body[at..]) {
            Ok(found) if found.has(Key::Action) => Ok(found),
            _ => Ok(fields),
        },
        _ => Ok(fields),
    }
}

/// The one action a reply names, and what else stands in its field.
fn word(fields: &Fields) -> Result<(Word, &str), ParseError> {
    let mut found: Option<(Word, &str)> = None;
    let mut times = 0;
    for value in fields.every(Key::Action) {
        let bare =
            value.trim_matches(|c: char| c.is_whitespace() || "\"'`“”‘’*.。,，;；<>".contains(c));
        let (first, rest) = words::head(bare);
        let named = Word::named(bare).map(|word| (word, ""));
        let Some(next) = named.or_else(|| Word::named(first).map(|word| (word, rest))) else {
            return Err(ParseError(format!(
                "{} is not an action; use one of CLICK, TYPE, COMPLETE, WAIT, AWAKE, INFO, ABORT, \
                 SLIDE, LONGPRESS, BACK",
                quote(value)
            )));
        };
        if found.is_some_and(|(word, _)| word != next.0) {
            return Err(fields::contradiction());
        }
        found = Some(next);
        times += 1;
    }
    let Some(found) = found else {
        return refused(
            "it names no action; end it with the fields explain, action and summary, separated by \
             tabs",
        );
    };
    let differ = |key| {
        let mut all = fields.every(key);
        let one = all.next();
        all.any(|other| Some(other) != one)
    };
    if 1 < times && [Key::Point, Key::Point1, Key::Point2, Key::Value].into_iter().any(differ) {
        return Err(fields::contradiction());
    }
    Ok(found)
}

/// The fields with those that stand beside the action in its own field, as in
/// `action:CLICK point:500,300`. Anything else there makes nobody sure what was meant.
fn with_inline(mut fields: Fields, word: Word, rest: &str) -> Result<Fields, ParseError> {
    let rest = rest.trim();
    if rest.is_empty() {
        return Ok(fields);
    }
    let found = fields::inline(rest);
    if !found.is_empty() {
        fields.all.extend(found);
        return Ok(fields);
    }
    // Words in the brackets would be another family's format, with other coordinates.
    if word.is_at_a_point()
        && !rest.contains(char::is_alphabetic)
        && !fields.has(Key::Point)
        && points::point(rest, Unit::Thousandths).is_ok()
    {
        fields.all.push((Key::Point, rest.to_owned()));
        return Ok(fields);
    }
    Err(ParseError(format!(
        "the field action holds more than the name of an action: {}",
        quote(rest)
    )))
}

fn action(word: Word, fields: &Fields) -> Result<Action, ParseError> {
    let text = |key| fields.last(key).filter(|text| !text.is_empty()).map(|t| unquoted(fields, t));
    let value = || text(Key::Value);
    let missing = |what: &str| ParseError(format!("its action needs the field {what}"));
    let action = match word {
        Word::Click => Gesture::Click { point: one_point(fields)? }.into(),
        Word::DoubleClick => Gesture::DoubleClick { point: one_point(fields)? }.into(),
        Word::LongPress => {
            let said = text(Key::Duration).as_deref().and_then(seconds);
            let duration = said.map_or(USUAL_PRESS, |time| {
                time.clamp(Duration::from_millis(300), Duration::from_secs(10))
            });
            Gesture::LongPress { point: one_point(fields)?, duration }.into()
        }
        Word::Type => {
            let text = value().ok_or_else(|| missing("value, with the text to type"))?;
            // With the keyboard up, the field is already the one in focus.
            let point = match fields.last(Key::Point) {
                Some(_) if flag(fields, Key::Keyboard) => None,
                Some(point) => Some(points::point(point, space(fields))?),
                None => None,
            };
            let (clear, submit) = (flag(fields, Key::Clear), flag(fields, Key::Submit));
            Gesture::Type { text, point, clear, submit }.into()
        }
        Word::Slide => {
            let (from, to) = two_points(fields)?;
            Gesture::Slide { from, to, duration: SLIDE }.into()
        }
        Word::Scroll => {
            if let Some(direction) = fields.last(Key::Direction).or(fields.last(Key::Value)) {
                let at = fields.last(Key::Point).map(|at| points::point(at, space(fields)));
                Gesture::Scroll { direction: towards(direction)?, at: at.transpose()? }.into()
            } else {
                // The hosted models' word for SLIDE.
                let (from, to) = two_points(fields)?;
                Gesture::Slide { from, to, duration: SLIDE }.into()
            }
        }
        Word::Drag => {
            let (from, to) = two_points(fields)?;
            Gesture::Drag { from, to }.into()
        }
        Word::Awake => {
            let app = fields.last(Key::Value).map(bare).filter(|app| !app.is_empty());
            Gesture::Awake { app: app.ok_or_else(|| missing("value, with the app's name"))? }.into()
        }
        Word::HotKey => {
            let name = value().ok_or_else(|| missing("value, with the key's name"))?;
            let key = PhoneKey::from_name(&bare(&name)).ok_or_else(|| {
                ParseError(format!("{} is not a key; use BACK, HOME or ENTER", quote(&name)))
            })?;
            Gesture::HotKey { key }.into()
        }
        Word::Press(key) => Gesture::HotKey { key }.into(),
        Word::Wait => {
            let said = fields.last(Key::Value).or(fields.last(Key::Duration));
            Action::Wait(match said.map(bare).filter(|said| !said.is_empty()) {
                Some(said) => {
                    seconds(&said).map(|time| time.min(LONGEST_WAIT)).ok_or_else(|| {
                        ParseError(format!("{} is not a number of seconds", quote(&said)))
                    })?
                }
                None => USUAL_WAIT,
            })
        }
        Word::Note => {
            let text = value().or(text(Key::Note));
            Action::Note { text: text.ok_or_else(|| missing("value, with what to note"))? }
        }
        Word::Info => Action::Info(Question::info(
            value().ok_or_else(|| missing("value, with the question"))?,
        )),
        Word::Takeover => {
            let asked = value().or(text(Key::Explain));
            let text = asked.ok_or_else(|| missing("value, saying what the user has to do"))?;
            Action::Info(Question { kind: QuestionKind::Takeover, ..Question::info(text) })
        }
        Word::Complete => {
            // A text that breaks off behind the word may have been about to say something else.
            let closed = [Key::Return, Key::Value, Key::Summary].into_iter().any(|k| fields.has(k));
            if !closed && !fields.closed {
                return Err(missing("return, with the report to the user"));
            }
            Action::Complete { message: text(Key::Return).or(value()).unwrap_or_default() }
        }
        Word::Abort => Action::Abort {
            reason: value().or(text(Key::Return)).or(text(Key::Explain)).unwrap_or_default(),
        },
    };
    Ok(action)
}

fn space(fields: &Fields) -> Unit {
    match fields.given {
        Some(coords) => Unit::Given(coords),
        None if fields.fractions => Unit::Fractions,
        None => Unit::Thousandths,
    }
}

fn one_point(fields: &Fields) -> Result<Point, ParseError> {
    let said = match (fields.last(Key::Point), fields.last(Key::Point1)) {
        (Some(point), _) => point,
        (None, Some(point)) if !fields.has(Key::Point2) => point,
        _ => return refused("its action needs the field point, like point:500,300"),
    };
    points::point(said, space(fields))
}

fn two_points(fields: &Fields) -> Result<(Point, Point), ParseError> {
    match (fields.last(Key::Point1), fields.last(Key::Point2), fields.last(Key::Point)) {
        (Some(from), Some(to), _) => {
            Ok((points::point(from, space(fields))?, points::point(to, space(fields))?))
        }
        (None, None, Some(both)) => points::path(both, space(fields)),
        _ => refused("its action needs the fields point1 and point2, like point1:500,800"),
    }
}

/// A text as it was meant: without quotes if the reply puts its action in quotes too.
fn unquoted(fields: &Fields, text: &str) -> String {
    let quoted = fields.every(Key::Action).any(|value| value.starts_with(['"', '“', '\'']));
    if quoted { bare(text) } else { text.to_owned() }
}

/// A text without one pair of quotes around it.
fn bare(text: &str) -> String {
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

fn flag(fields: &Fields, key: Key) -> bool {
    fields.last(key).is_some_and(|value| value.eq_ignore_ascii_case("true"))
}

/// Seconds, with or without their unit.
fn seconds(text: &str) -> Option<Duration> {
    let text = text.trim().to_ascii_lowercase();
    let end = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    let scale = match unit.trim() {
        "" | "s" | "sec" | "secs" | "second" | "seconds" | "秒" | "秒钟" => 1.0,
        "ms" | "毫秒" => 0.001,
        _ => return None,
    };
    Duration::try_from_secs_f64(number.parse::<f64>().ok()? * scale).ok()
}

fn towards(text: &str) -> Result<Direction, ParseError> {
    match bare(text).to_ascii_lowercase().as_str() {
        "up" | "上" | "向上" => Ok(Direction::Up),
        "down" | "下" | "向下" => Ok(Direction::Down),
        "left" | "左" | "向左" => Ok(Direction::Left),
        "right" | "右" | "向右" => Ok(Direction::Right),
        _ => Err(ParseError(format!(
            "{} is not a direction; use up, down, left or right",
            quote(text)
        ))),
    }
}
