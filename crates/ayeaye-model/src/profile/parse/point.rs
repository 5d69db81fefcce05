//! Points on the screen, in the notations models use.
use ayeaye_agent::{ParseError, Point};
use serde_json::Value;

use super::super::CoordContext;
use super::super::coords::CoordUnit;
use super::{excerpt, reject};

/// Longer texts are not points.
const LONGEST: usize = 200;

/// A point: two numbers in any brackets, or a box, whose center is meant.
pub(crate) fn point(text: &str, coords: &CoordContext) -> Result<Point, ParseError> {
    let mut numbers = numbers(text)?;
    if let ([_, _], Some(y_first)) = (&numbers[..], named_y_first(text))
        && y_first != coords.system.y_first
    {
        numbers.reverse();
    }
    place(&numbers, coords).map_err(|why| why.unwrap_or_else(|| odd(text)))
}

/// Whether a text that names both axes by a letter names the second first.
pub(crate) fn named_y_first(text: &str) -> Option<bool> {
    let word = |name: char| {
        text.match_indices([name, name.to_ascii_uppercase()]).map(|(at, _)| at).find(|at| {
            let around = (text[..*at].chars().next_back(), text[at + 1..].chars().next());
            let apart = |it: Option<char>| it.is_none_or(|it| !it.is_alphabetic());
            apart(around.0) && apart(around.1)
        })
    };
    Some(word('y')? < word('x')?)
}

/// A point from JSON: a list of two numbers or the four of a box, an object of `x` and `y`, or a text as
/// in [`point`].
pub(crate) fn point_in(value: &Value, coords: &CoordContext) -> Result<Point, ParseError> {
    let number = |it: &Value| it.as_f64().or_else(|| it.as_str()?.trim().parse().ok());
    match value {
        Value::String(text) => point(text, coords),
        Value::Array(list) => {
            // Some models nest the list in another.
            if let [inner @ Value::Array(_)] = &list[..] {
                return point_in(inner, coords);
            }
            let numbers: Option<Vec<f64>> = list.iter().map(number).collect();
            let error = || odd(&value.to_string());
            place(&numbers.ok_or_else(error)?, coords).map_err(|why| why.unwrap_or_else(error))
        }
        Value::Object(map) => {
            match (map.get("x").and_then(number), map.get("y").and_then(number)) {
                (Some(x), Some(y)) => {
                    // Numbers with names have no order.
                    let (first, second) = if coords.system.y_first { (y, x) } else { (x, y) };
                    let error = || odd(&value.to_string());
                    place(&[first, second], coords).map_err(|why| why.unwrap_or_else(error))
                }
                _ => Err(odd(&value.to_string())),
            }
        }
        _ => Err(odd(&value.to_string())),
    }
}

/// The point of two numbers, or the center of a box of four; `Err(None)` for any other count.
fn place(numbers: &[f64], coords: &CoordContext) -> Result<Point, Option<ParseError>> {
    // Fractions where whole numbers are expected would all land on the first pixel.
    if coords.system.unit != CoordUnit::Fractions
        && numbers.iter().all(|it| (0.0..=1.0).contains(it))
        && numbers.iter().any(|it| it.fract() != 0.0)
    {
        let (width, height) = coords.system.extent(coords.image);
        return Err(Some(ParseError::new(format!(
            "the point seems to be in fractions of the screen; its numbers go up to {width} and \
             {height}"
        ))));
    }
    let at = |x, y| coords.system.point(x, y, coords.image).map_err(Some);
    match *numbers {
        [x, y] => at(x, y),
        [x1, y1, x2, y2] if x1 <= x2 && y1 <= y2 => {
            // Both corners must be on the screen, not only the center.
            at(x1, y1)?;
            at(x2, y2)?;
            at(f64::midpoint(x1, x2), f64::midpoint(y1, y2))
        }
        _ => Err(None),
    }
}

fn odd(text: &str) -> ParseError {
    ParseError::new(format!("{} is not a point; write it as two numbers", excerpt(text)))
}

/// The numbers of a point. Anything but numbers, brackets, commas and the words that models put around
/// points is an error.
pub(crate) fn numbers(text: &str) -> Result<Vec<f64>, ParseError> {
    if LONGEST < text.len() {
        return reject(format!("{} is too long for a point", excerpt(text)));
    }
    let separators =
        |c: char| c.is_whitespace() || ",，、;；:：=()[]{}（）【】<>/|'\"“”`*。".contains(c);
    // `300/706` is one number out of another, and no two numbers of a point.
    let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    if text.match_indices('/').any(|(at, _)| {
        is_digit(text[..at].trim_end().chars().next_back())
            && is_digit(text[at + 1..].trim_start().chars().next())
    }) {
        return Err(odd(text));
    }
    let mut found = Vec::new();
    for token in text.split(separators).filter(|token| !token.is_empty()) {
        const WORDS: [&str; 8] =
            ["point", "box", "bbox", "box_start", "box_end", "coordinate", "x", "y"];
        if WORDS.iter().any(|word| token.eq_ignore_ascii_case(word)) {
            continue;
        }
        let token = token.strip_suffix('.').unwrap_or(token);
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let unsigned = token.strip_prefix('-').unwrap_or(token);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        if !digits(whole) || !digits(fraction) {
            return Err(odd(text));
        }
        found.push(token.parse::<f64>().map_err(|_| odd(text))?);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use ayeaye_agent::ScreenSize;
    use serde_json::json;

    use super::super::super::coords::CoordSystem;
    use super::*;

    const SHEET: CoordContext = CoordContext {
        system: CoordSystem::THOUSANDTHS,
        image: ScreenSize { width: 720, height: 1600 },
    };

    #[test]
    fn every_spelling_of_a_point() {
        let expected = Ok(Point::new(512, 203).unwrap());
        for text in [
            "512,203",
            "512 203",
            "[512, 203]",
            "（512，203）",
            "<point>512 203</point>",
            "<|box_start|>(512,203)<|box_end|>",
            "point>point>512 203",
            "x=512 y=203",
            "y=203, x=512",
            "(Y：203，X：512)",
            "[412, 103, 612, 303]",
        ] {
            assert_eq!(point(text, &SHEET), expected, "{text}");
        }
        for value in [
            json!([512, 203]),
            json!([[512, 203]]),
            json!(["512", 203.0]),
            json!({"y": 203, "x": 512}),
            json!("512,203"),
            json!([412, 103, 612, 303]),
        ] {
            assert_eq!(point_in(&value, &SHEET), expected, "{value}");
        }
    }

    #[test]
    fn what_is_not_a_place_is_refused() {
        for text in [
            "",
            "512",
            "1,2,3",
            "9,9,1,1",
            "1e2,3",
            "NaN,3",
            "4000,3",
            "-1,5",
            "0.5,0.2",
            "300/706, 400 / 900",
        ] {
            assert!(point(text, &SHEET).is_err(), "{text}");
        }
        for value in [json!(5), json!(null), json!([1]), json!([1, "b"]), json!({"x": 1})] {
            assert!(point_in(&value, &SHEET).is_err(), "{value}");
        }
    }
}
