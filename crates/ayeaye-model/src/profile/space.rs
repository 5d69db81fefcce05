//! What the numbers of a point mean, between a model's own coordinates and the screen.
use std::fmt;
use std::str::FromStr;

use ayeaye_agent::{ParseError, Point, ScreenSize};

use crate::picture::{SmartResize, smart_resize};

/// What the two numbers of a point are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Space {
    /// The unit of each number.
    pub unit: Unit,
    /// Whether the first number is the one from the top.
    pub y_first: bool,
}

/// The unit of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Unit {
    /// 0 to 1000, in either direction.
    Thousandths,
    /// 0 to 999: the last place is 999.
    To999,
    /// 0 to 1.
    Fractions,
    /// Pixels of the picture as it was sent.
    SentPixels,
    /// Pixels of the picture as the model's server resizes it before the model sees it.
    ResizedPixels(SmartResize),
}

/// A text that names no space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no coordinates; write one of 0-1000, 0-999, 0-1, pixels, or \
     resized:FACTOR:MIN:MAX, with `yx:` in front where the height comes first"
)]
pub struct UnknownSpace(String);

impl Space {
    /// Thousandths, width first.
    pub const THOUSANDTHS: Self = Self::of(Unit::Thousandths);
    /// 0 to 999, width first.
    pub const TO_999: Self = Self::of(Unit::To999);
    /// 0 to 1, width first.
    pub const FRACTIONS: Self = Self::of(Unit::Fractions);
    /// Pixels of the picture that was sent, width first.
    pub const SENT: Self = Self::of(Unit::SentPixels);

    /// Width first.
    pub const fn of(unit: Unit) -> Self {
        Self { unit, y_first: false }
    }

    /// The largest numbers of width and height.
    pub fn extent(&self, sent: ScreenSize) -> (f64, f64) {
        let sides = |size: ScreenSize| (f64::from(size.width), f64::from(size.height));
        match self.unit {
            Unit::Thousandths => (1000.0, 1000.0),
            Unit::To999 => (999.0, 999.0),
            Unit::Fractions => (1.0, 1.0),
            Unit::SentPixels => sides(sent),
            Unit::ResizedPixels(rule) => sides(smart_resize(sent, rule)),
        }
    }

    /// The place of two numbers, in the order they were said, on a picture of this size. What lies
    /// outside is refused, never clamped; only where 999 is the end, 1000 is still taken for it.
    pub fn point(&self, first: f64, second: f64, sent: ScreenSize) -> Result<Point, ParseError> {
        let (x, y) = if self.y_first { (second, first) } else { (first, second) };
        let (width, height) = self.extent(sent);
        let part = |at: f64, of: f64| match self.unit {
            Unit::To999 if 999.0 < at && at <= 1000.0 => 1.0,
            _ => at / of,
        };
        Point::from_fractions(part(x, width), part(y, height)).map_err(|_| {
            ParseError(format!(
                "the point {first},{second} is off the screen; {} must be from 0 to {width} and {} \
                 from 0 to {height}",
                if self.y_first { "the second number" } else { "the first number" },
                if self.y_first { "the first" } else { "the second" },
            ))
        })
    }

    /// The numbers for a place, in the order they are said.
    pub fn numbers(&self, point: Point, sent: ScreenSize) -> (f64, f64) {
        let (width, height) = self.extent(sent);
        let (x, y) = point.fractions();
        let places = match self.unit {
            Unit::Fractions => 1e4,
            _ => 1.0,
        };
        let near = |part: f64, of: f64| (part * of * places).round() / places;
        let (x, y) = (near(x, width), near(y, height));
        if self.y_first { (y, x) } else { (x, y) }
    }
}

impl fmt::Display for Space {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.y_first {
            f.write_str("yx:")?;
        }
        match self.unit {
            Unit::Thousandths => f.write_str("0-1000"),
            Unit::To999 => f.write_str("0-999"),
            Unit::Fractions => f.write_str("0-1"),
            Unit::SentPixels => f.write_str("pixels"),
            Unit::ResizedPixels(SmartResize { factor, min_pixels, max_pixels }) => {
                write!(f, "resized:{factor}:{min_pixels}:{max_pixels}")
            }
        }
    }
}

impl FromStr for Space {
    type Err = UnknownSpace;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let refused = || UnknownSpace(text.chars().take(60).collect());
        let (rest, y_first) = text.strip_prefix("yx:").map_or((text, false), |rest| (rest, true));
        let unit = match rest {
            "0-1000" => Unit::Thousandths,
            "0-999" => Unit::To999,
            "0-1" => Unit::Fractions,
            "pixels" => Unit::SentPixels,
            _ => {
                let numbers = rest.strip_prefix("resized:").ok_or_else(refused)?;
                let numbers: Vec<u32> = numbers
                    .split(':')
                    .map(|it| it.parse().map_err(|_| refused()))
                    .collect::<Result<_, _>>()?;
                match numbers[..] {
                    [factor @ 1..=1024, min_pixels, max_pixels]
                        if factor * factor <= max_pixels && min_pixels <= max_pixels =>
                    {
                        Unit::ResizedPixels(SmartResize { factor, min_pixels, max_pixels })
                    }
                    _ => return Err(refused()),
                }
            }
        };
        Ok(Self { unit, y_first })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: ScreenSize = ScreenSize { width: 720, height: 1600 };
    const QWEN: SmartResize = SmartResize { factor: 28, min_pixels: 3136, max_pixels: 16384 * 784 };

    #[test]
    fn a_space_is_written_as_it_is_read() {
        let resized = Unit::ResizedPixels(QWEN);
        for unit in [Unit::Thousandths, Unit::To999, Unit::Fractions, Unit::SentPixels, resized] {
            for y_first in [false, true] {
                let space = Space { unit, y_first };
                assert_eq!(space.to_string().parse(), Ok(space));
            }
        }
        for odd in ["", "px", "0-10", "resized:28", "resized:0:1:2", "resized:28:9:1", "xy:0-1"] {
            assert!(odd.parse::<Space>().is_err(), "{odd}");
        }
    }

    #[test]
    fn numbers_become_places_and_back() {
        let resized = Space::of(Unit::ResizedPixels(QWEN));
        for (space, x, y) in [
            (Space::THOUSANDTHS, 500.0, 250.0),
            (Space::TO_999, 500.0, 250.0),
            (Space::FRACTIONS, 0.5, 0.25),
            (Space::SENT, 360.0, 400.0),
            (resized, 364.0, 399.0),
            (Space { y_first: true, ..Space::SENT }, 400.0, 360.0),
        ] {
            let point = space.point(x, y, SENT).unwrap();
            assert_eq!(space.numbers(point, SENT), (x, y), "{space}");
        }
        assert_eq!(resized.extent(SENT), (728.0, 1596.0));
    }

    #[test]
    fn what_is_off_the_screen_is_refused() {
        for (space, x, y) in [
            (Space::THOUSANDTHS, 1001.0, 5.0),
            (Space::TO_999, 1000.5, 5.0),
            (Space::FRACTIONS, 1.01, 0.0),
            (Space::SENT, 721.0, 5.0),
            (Space::SENT, -1.0, 5.0),
            (Space::SENT, f64::NAN, 5.0),
            (Space { y_first: true, ..Space::SENT }, 5.0, 721.0),
        ] {
            assert!(space.point(x, y, SENT).is_err(), "{space} {x},{y}");
        }
        assert!(Space::TO_999.point(1000.0, 0.0, SENT).is_ok());
    }
}
