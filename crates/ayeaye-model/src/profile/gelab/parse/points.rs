//! Places on the screen, in the spellings models use.
use ayeaye_agent::Point;

use super::ParseError;
use crate::profile::CoordContext;
use crate::profile::parse::point::named_y_first;

/// What a number of a point means.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Unit {
    /// 0 to 1000.
    Thousandths,
    /// 0 to 1, as in replies of the hosted Step models.
    Fractions,
    /// What the settings say, against the format.
    Given(CoordContext),
}

/// One place: `x,y` in any brackets, or a box, whose middle is meant.
pub(super) fn point(text: &str, space: Unit) -> Result<Point, ParseError> {
    let mut numbers = numbers(text, space)?;
    let y_first = matches!(space, Unit::Given(coords) if coords.system.y_first);
    if numbers.len() == 2 && named_y_first(text).is_some_and(|said| said != y_first) {
        numbers.reverse();
    }
    match numbers[..] {
        [x, y] => place(text, x, y, space),
        [x1, y1, x2, y2] if x1 <= x2 && y1 <= y2 => {
            // Both corners must be on the screen, not only what lies between them.
            place(text, x1, y1, space)?;
            place(text, x2, y2, space)?;
            place(text, f64::midpoint(x1, x2), f64::midpoint(y1, y2), space)
        }
        _ => Err(odd(text)),
    }
}

/// Two places in one text.
pub(super) fn path(text: &str, space: Unit) -> Result<(Point, Point), ParseError> {
    match numbers(text, space)?[..] {
        [x1, y1, x2, y2] => Ok((place(text, x1, y1, space)?, place(text, x2, y2, space)?)),
        _ => Err(odd(text)),
    }
}

fn place(text: &str, x: f64, y: f64, space: Unit) -> Result<Point, ParseError> {
    if let Unit::Given(coords) = space {
        return coords.system.point(x, y, coords.image);
    }
    let inside = |v: f64| (0.0..=1000.0).contains(&v);
    if !inside(x) || !inside(y) {
        return Err(ParseError(format!(
            "the point {} is off the screen; both numbers must be from 0 to 1000",
            super::quote(text)
        )));
    }
    #[expect(clippy::cast_possible_truncation, reason = "0 to 1000")]
    let whole = |v: f64| v.round() as i64;
    Point::new(whole(x), whole(y)).map_err(|error| ParseError(error.to_string()))
}

fn odd(text: &str) -> ParseError {
    ParseError(format!(
        "{} is not a point; write it as two numbers from 0 to 1000, like point:500,300",
        super::quote(text)
    ))
}

/// The numbers of a point, in thousandths. Anything that is neither a number, a bracket, a comma
/// nor one of the words models put around points makes it odd.
fn numbers(text: &str, space: Unit) -> Result<Vec<f64>, ParseError> {
    if 200 < text.len() {
        return Err(odd(text));
    }
    let mut found = Vec::new();
    let mut fractional = false;
    let separators =
        |c: char| c.is_whitespace() || ",，、;；:：=()[]{}（）【】<>/|'\"“”`*。".contains(c);
    for token in text.split(separators).filter(|token| !token.is_empty()) {
        if ["point", "box", "bbox", "box_start", "box_end", "x", "y"]
            .iter()
            .any(|word| token.eq_ignore_ascii_case(word))
        {
            continue;
        }
        let token = token.strip_suffix('.').unwrap_or(token);
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let unsigned = token.strip_prefix('-').unwrap_or(token);
        let (whole, fraction) = unsigned.split_once('.').unwrap_or((unsigned, "0"));
        if !digits(whole) || !digits(fraction) {
            return Err(odd(text));
        }
        fractional |= unsigned.contains('.');
        found.push(token.parse::<f64>().map_err(|_| odd(text))?);
    }
    match space {
        Unit::Fractions => {
            if found.iter().any(|v| !(0.0..=1.0).contains(v)) {
                return Err(ParseError(format!(
                    "the point {} is off the screen; both fractions must be from 0 to 1",
                    super::quote(text)
                )));
            }
            Ok(found.into_iter().map(|v| v * 1000.0).collect())
        }
        Unit::Thousandths if fractional && found.iter().all(|v| (0.0..=1.0).contains(v)) => {
            Err(ParseError(format!(
                "the point {} seems to be in fractions of the screen; write thousandths, 0 to 1000",
                super::quote(text)
            )))
        }
        Unit::Thousandths | Unit::Given(_) => Ok(found),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(x: i64, y: i64) -> Point {
        Point::new(x, y).unwrap()
    }

    #[test]
    fn every_spelling_of_a_point() {
        for text in [
            "512,203",
            "512 203",
            "512, 203",
            "[512,203]",
            "(512,203)",
            "512，203",
            "512、203",
            "<point>512 203</point>",
            "<|box_start|>(512,203)<|box_end|>",
            "[[512, 203]]",
            "\"512,203\"",
            "x:512,y:203",
            "x=512 y=203",
            "512.0,203.4",
            "512,203.",
            "（512，203）",
            "412,103,612,303",
            "[412, 103, 612, 303]",
        ] {
            assert_eq!(point(text, Unit::Thousandths), Ok(at(512, 203)), "{text}");
        }
        assert_eq!(point("0,1000", Unit::Thousandths), Ok(at(0, 1000)));
        assert_eq!(point("1,1", Unit::Thousandths), Ok(at(1, 1)));
        assert_eq!(point("[0.512, 0.203]", Unit::Fractions), Ok(at(512, 203)));
        assert_eq!(path("1,2,3,4", Unit::Thousandths), Ok((at(1, 2), at(3, 4))));
    }

    #[test]
    fn what_is_not_a_place_is_refused_never_clamped() {
        for text in [
            "",
            "x,y",
            "512",
            "512,",
            "4000,3",
            "512,1001",
            "-1,5",
            "1000.4,3",
            "0.5,0.2",
            "1,2,3",
            "9,9,1,1",
            "1,2,3,4,5",
            "50%,20%",
            "NaN,3",
            "inf,3",
            "1e2,3",
            "the button",
            "five,three",
            "0x10,3",
            "1.2.3,4",
            "--1,4",
            "900,900,1100,1100",
            "99999999999999999999999,1",
        ] {
            assert!(point(text, Unit::Thousandths).is_err(), "{text}");
        }
        assert!(point("1.2,0.5", Unit::Fractions).is_err());
        assert!(point("512,203", Unit::Fractions).is_err());
    }

    proptest! {
        #[test]
        fn no_text_panics_and_no_point_is_off_the_screen(text in "\\PC{0,60}") {
            if let Ok(point) = point(&text, Unit::Thousandths) {
                prop_assert!(point.x() <= 1000 && point.y() <= 1000);
            }
        }

        #[test]
        fn numbers_are_taken_as_they_are(x in -2000i64..4000, y in -2000i64..4000) {
            let read = point(&format!("{x},{y}"), Unit::Thousandths);
            prop_assert_eq!(read.ok(), Point::new(x, y).ok());
        }
    }
}
