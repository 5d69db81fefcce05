//! What the numbers of a point mean, between a model's own coordinates and the screen.
use std::fmt;
use std::str::FromStr;

use ayeaye_agent::{ParseError, Point, ScreenSize};

use crate::picture::{SmartResize, smart_resize};

/// What the two numbers of a point are.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CoordSystem {
    /// The unit of each number.
    pub unit: CoordUnit,
    /// Whether the first number is the one from the top.
    pub y_first: bool,
}

/// The unit of a coordinate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum CoordUnit {
    /// 0 to 1000, in either direction.
    Thousandths,
    /// 0 to 999: the last place is 999.
    UpTo999,
    /// 0 to 1.
    Fractions,
    /// Pixels of the picture as it was sent.
    ImagePixels,
    /// Pixels of the picture as the model's server resizes it before the model sees it.
    ResizedPixels(SmartResize),
}

/// The meaning of the numbers in one prompt and its reply.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct CoordContext {
    /// The coordinate system.
    pub system: CoordSystem,
    /// Width and height of the picture that is sent.
    pub image: ScreenSize,
}

/// A text that names no space.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` names no coordinates; write one of 0-1000, 0-999, 0-1, pixels, or \
     resized:FACTOR:MIN:MAX, with `yx:` in front where the height comes first"
)]
pub struct UnknownCoordSystem(String);

impl CoordSystem {
    /// Thousandths, width first.
    pub const THOUSANDTHS: Self = Self::of(CoordUnit::Thousandths);
    /// 0 to 999, width first.
    pub const UP_TO_999: Self = Self::of(CoordUnit::UpTo999);
    /// 0 to 1, width first.
    pub const FRACTIONS: Self = Self::of(CoordUnit::Fractions);
    /// Pixels of the picture that was sent, width first.
    pub const PIXELS: Self = Self::of(CoordUnit::ImagePixels);

    /// Width first.
    pub const fn of(unit: CoordUnit) -> Self {
        Self { unit, y_first: false }
    }

    /// The largest numbers of width and height.
    pub fn extent(&self, sent: ScreenSize) -> (f64, f64) {
        let sides = |size: ScreenSize| (f64::from(size.width), f64::from(size.height));
        match self.unit {
            CoordUnit::Thousandths => (1000.0, 1000.0),
            CoordUnit::UpTo999 => (999.0, 999.0),
            CoordUnit::Fractions => (1.0, 1.0),
            CoordUnit::ImagePixels => sides(sent),
            CoordUnit::ResizedPixels(rule) => sides(smart_resize(sent, rule)),
        }
    }

    /// The place of two numbers, in the order they were said, on a picture of this size. What lies
    /// outside is refused, never clamped; only where 999 is the end, 1000 is still taken for it.
    pub fn point(&self, first: f64, second: f64, sent: ScreenSize) -> Result<Point, ParseError> {
        let (x, y) = if self.y_first { (second, first) } else { (first, second) };
        let (width, height) = self.extent(sent);
        let part = |at: f64, of: f64| match self.unit {
            CoordUnit::UpTo999 if 999.0 < at && at <= 1000.0 => 1.0,
            _ => at / of,
        };
        Point::from_fractions(part(x, width), part(y, height)).map_err(|_| {
            ParseError::new(format!(
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
            CoordUnit::Fractions => 1e4,
            _ => 1.0,
        };
        let near = |part: f64, of: f64| (part * of * places).round() / places;
        let (x, y) = (near(x, width), near(y, height));
        if self.y_first { (y, x) } else { (x, y) }
    }
}

impl fmt::Display for CoordSystem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.y_first {
            f.write_str("yx:")?;
        }
        match self.unit {
            CoordUnit::Thousandths => f.write_str("0-1000"),
            CoordUnit::UpTo999 => f.write_str("0-999"),
            CoordUnit::Fractions => f.write_str("0-1"),
            CoordUnit::ImagePixels => f.write_str("pixels"),
            CoordUnit::ResizedPixels(SmartResize { factor, min_pixels, max_pixels }) => {
                write!(f, "resized:{factor}:{min_pixels}:{max_pixels}")
            }
        }
    }
}

impl FromStr for CoordSystem {
    type Err = UnknownCoordSystem;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let text = text.trim();
        let refused = || UnknownCoordSystem(text.chars().take(60).collect());
        let (rest, y_first) = text.strip_prefix("yx:").map_or((text, false), |rest| (rest, true));
        let unit = match rest {
            "0-1000" => CoordUnit::Thousandths,
            "0-999" => CoordUnit::UpTo999,
            "0-1" => CoordUnit::Fractions,
            "pixels" => CoordUnit::ImagePixels,
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
                        CoordUnit::ResizedPixels(SmartResize { factor, min_pixels, max_pixels })
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
        let resized = CoordUnit::ResizedPixels(QWEN);
        for unit in [
            CoordUnit::Thousandths,
            CoordUnit::UpTo999,
            CoordUnit::Fractions,
            CoordUnit::ImagePixels,
            resized,
        ] {
            for y_first in [false, true] {
                let space = CoordSystem { unit, y_first };
                assert_eq!(space.to_string().parse(), Ok(space));
            }
        }
        for odd in ["", "px", "0-10", "resized:28", "resized:0:1:2", "resized:28:9:1", "xy:0-1"] {
            assert!(odd.parse::<CoordSystem>().is_err(), "{odd}");
        }
    }

    #[test]
    fn numbers_become_places_and_back() {
        let resized = CoordSystem::of(CoordUnit::ResizedPixels(QWEN));
        for (space, x, y) in [
            (CoordSystem::THOUSANDTHS, 500.0, 250.0),
            (CoordSystem::UP_TO_999, 500.0, 250.0),
            (CoordSystem::FRACTIONS, 0.5, 0.25),
            (CoordSystem::PIXELS, 360.0, 400.0),
            (resized, 364.0, 399.0),
            (CoordSystem { y_first: true, ..CoordSystem::PIXELS }, 400.0, 360.0),
        ] {
            let point = space.point(x, y, SENT).unwrap();
            assert_eq!(space.numbers(point, SENT), (x, y), "{space}");
        }
        assert_eq!(resized.extent(SENT), (728.0, 1596.0));
    }

    #[test]
    fn what_is_off_the_screen_is_refused() {
        for (space, x, y) in [
            (CoordSystem::THOUSANDTHS, 1001.0, 5.0),
            (CoordSystem::UP_TO_999, 1000.5, 5.0),
            (CoordSystem::FRACTIONS, 1.01, 0.0),
            (CoordSystem::PIXELS, 721.0, 5.0),
            (CoordSystem::PIXELS, -1.0, 5.0),
            (CoordSystem::PIXELS, f64::NAN, 5.0),
            (CoordSystem { y_first: true, ..CoordSystem::PIXELS }, 5.0, 721.0),
        ] {
            assert!(space.point(x, y, SENT).is_err(), "{space} {x},{y}");
        }
        assert!(CoordSystem::UP_TO_999.point(1000.0, 0.0, SENT).is_ok());
    }
}
