//! What a model may decide, and the part of it that a phone can carry out.
use std::fmt;
use std::time::Duration;

use crate::{DeviceCommand, Question};

/// A point on the screen, as a part of its width and height from the top left.
///
/// Every model's own coordinates are converted to this; pixels are computed from it and the size of
/// the frame that the model was shown. It is reported in thousandths and stored in millionths, so that
/// a pixel which a model names in its own coordinates is found again on any screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// Millionths of the width.
    x: u32,
    /// Millionths of the height.
    y: u32,
}

const WHOLE: u32 = 1_000_000;

/// A point outside the screen. It is never clamped: the model has misread the screen or its own
/// format, and is asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("point {x},{y} is off the screen: both must be from 0 to 1000")]
pub struct OffScreen {
    /// Thousandths of the width.
    pub x: i64,
    /// Thousandths of the height.
    pub y: i64,
}

impl Point {
    /// A point from thousandths of width and height, each 0 to 1000.
    pub fn new(x: i64, y: i64) -> Result<Self, OffScreen> {
        let inside = |v: i64| u32::try_from(v).ok().filter(|v| *v <= 1000).map(|v| v * 1000);
        match (inside(x), inside(y)) {
            (Some(x), Some(y)) => Ok(Self { x, y }),
            _ => Err(OffScreen { x, y }),
        }
    }

    /// A point from parts of width and height, each 0 to 1.
    pub fn from_fractions(x: f64, y: f64) -> Result<Self, OffScreen> {
        let millionths = |v: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "0 to 10^6"
            )]
            (0.0..=1.0).contains(&v).then(|| (v * f64::from(WHOLE)).round() as u32)
        };
        #[expect(clippy::cast_possible_truncation, reason = "for the message; a cast saturates")]
        let rounded = |v: f64| (v * 1e3).round() as i64;
        match (millionths(x), millionths(y)) {
            (Some(x), Some(y)) => Ok(Self { x, y }),
            _ => Err(OffScreen { x: rounded(x), y: rounded(y) }),
        }
    }

    /// Parts of width and height, 0 to 1.
    pub fn fractions(self) -> (f64, f64) {
        let part = |v: u32| f64::from(v) / f64::from(WHOLE);
        (part(self.x), part(self.y))
    }

    /// Thousandths of the width, 0 to 1000, the nearest.
    pub fn x(self) -> u16 {
        thousandths(self.x)
    }

    /// Thousandths of the height, 0 to 1000, the nearest.
    pub fn y(self) -> u16 {
        thousandths(self.y)
    }

    /// The pixel on a screen of this size, never outside it.
    pub fn to_pixel(self, size: crate::ScreenSize) -> crate::Pixel {
        let along = |millionths: u32, length: u32| {
            let whole = u64::from(WHOLE);
            let exact = (u64::from(millionths) * u64::from(length) + whole / 2) / whole;
            u32::try_from(exact).unwrap_or(u32::MAX).min(length.saturating_sub(1))
        };
        crate::Pixel { x: along(self.x, size.width), y: along(self.y, size.height) }
    }
}

fn thousandths(millionths: u32) -> u16 {
    u16::try_from((millionths + 500) / 1000).unwrap_or(1000)
}

/// The direction to scroll: `Down` shows what is further down the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants say their own names")]
pub enum Direction {
    Up,
    Down,
    Left,
    Right,
}

/// Keys of a phone besides letters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the variants say their own names")]
pub enum Key {
    Back,
    Home,
    Enter,
    Recents,
    Delete,
    Tab,
    Menu,
    Search,
    Power,
    VolumeUp,
    VolumeDown,
    VolumeMute,
}

impl Key {
    /// Every key.
    pub const ALL: [Self; 12] = [
        Self::Back,
        Self::Home,
        Self::Enter,
        Self::Recents,
        Self::Delete,
        Self::Tab,
        Self::Menu,
        Self::Search,
        Self::Power,
        Self::VolumeUp,
        Self::VolumeDown,
        Self::VolumeMute,
    ];

    /// Its name in logs and on the wire, such as `BACK`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Back => "BACK",
            Self::Home => "HOME",
            Self::Enter => "ENTER",
            Self::Recents => "RECENTS",
            Self::Delete => "DELETE",
            Self::Tab => "TAB",
            Self::Menu => "MENU",
            Self::Search => "SEARCH",
            Self::Power => "POWER",
            Self::VolumeUp => "VOLUME_UP",
            Self::VolumeDown => "VOLUME_DOWN",
            Self::VolumeMute => "VOLUME_MUTE",
        }
    }

    /// The key of this name, ignoring case, blanks and the prefix `KEYCODE_`.
    pub fn from_name(name: &str) -> Option<Self> {
        let upper = name.trim().to_ascii_uppercase().replace([' ', '-'], "_");
        let bare = upper.strip_prefix("KEYCODE_").unwrap_or(&upper);
        let bare = match bare {
            "APP_SWITCH" | "RECENT" | "OVERVIEW" => "RECENTS",
            "RETURN" | "SEND" => "ENTER",
            // What leaves a page or a dialog on a computer.
            "ESC" | "ESCAPE" => "BACK",
            "DEL" | "BACKSPACE" => "DELETE",
            "VOLUMEUP" => "VOLUME_UP",
            "VOLUMEDOWN" => "VOLUME_DOWN",
            "MUTE" => "VOLUME_MUTE",
            other => other,
        };
        Self::ALL.into_iter().find(|key| key.name() == bare)
    }
}

/// What a phone can carry out. Nothing else is ever sent to a phone.
#[derive(Debug, Clone, PartialEq)]
pub enum Gesture {
    /// One tap.
    Click {
        /// Where.
        point: Point,
    },
    /// Two taps in quick succession.
    DoubleClick {
        /// Where.
        point: Point,
    },
    /// A finger held down.
    LongPress {
        /// Where.
        point: Point,
        /// How long; one second if the model does not say.
        duration: Duration,
    },
    /// Text into the field in focus, or into the one at `point`.
    Type {
        /// Exactly what the field is to receive.
        text: String,
        /// The field to tap first.
        point: Option<Point>,
        /// Empty the field first.
        clear: bool,
        /// Press the keyboard's enter key afterwards.
        submit: bool,
    },
    /// A finger drawn from one place to another.
    Slide {
        /// Where the finger goes down.
        from: Point,
        /// Where it is lifted.
        to: Point,
        /// How long it takes.
        duration: Duration,
    },
    /// Show what lies in a direction.
    Scroll {
        /// Which content to show, not where the finger goes.
        direction: Direction,
        /// Where to scroll; the middle of the screen if `None`.
        at: Option<Point>,
    },
    /// Long press, move, let go.
    Drag {
        /// What to pick up.
        from: Point,
        /// Where to drop it.
        to: Point,
    },
    /// Bring an app to the front, by its label or package name.
    Awake {
        /// As the model wrote it.
        app: String,
    },
    /// A key of the phone.
    HotKey {
        /// Which.
        key: Key,
    },
    /// What needs no finger; only a client that acts itself asks for it.
    Command(DeviceCommand),
}

/// What a model may decide.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// A gesture on the phone.
    Gesture(Gesture),
    /// Look again after this time.
    Wait(Duration),
    /// A note to remember.
    Note {
        /// In the model's words.
        text: String,
    },
    /// A question for the user.
    Info(Question),
    /// A gesture that the user has to approve first.
    Confirm {
        /// The gesture to carry out once approved.
        gesture: Gesture,
        /// The question, of kind [`QuestionKind::Confirm`](crate::QuestionKind::Confirm).
        question: Question,
    },
    /// The request is carried out.
    Complete {
        /// What the user asked to know, if anything.
        message: String,
    },
    /// The request cannot be carried out.
    Abort {
        /// Why.
        reason: String,
    },
}

impl From<Gesture> for Action {
    fn from(gesture: Gesture) -> Self {
        Self::Gesture(gesture)
    }
}

/// A text with the line breaks of phones: CR LF and a lone CR, which come with what is copied from elsewhere, are each
/// one LF.
pub fn with_line_feeds(text: &str) -> String {
    text.replace("\r\n", "\n").replace('\r', "\n")
}

impl Gesture {
    /// Where it touches, in order; empty where it names no place.
    pub(crate) fn points(&self) -> Vec<Point> {
        match self {
            Self::Click { point } | Self::DoubleClick { point } | Self::LongPress { point, .. } => {
                vec![*point]
            }
            Self::Type { point, .. } => point.iter().copied().collect(),
            Self::Slide { from, to, .. } | Self::Drag { from, to } => vec![*from, *to],
            Self::Scroll { .. } | Self::Awake { .. } | Self::HotKey { .. } | Self::Command(_) => {
                Vec::new()
            }
        }
    }

    /// The word for it in logs and on the wire, such as `CLICK`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Click { .. } => "CLICK",
            Self::DoubleClick { .. } => "DOUBLE_CLICK",
            Self::LongPress { .. } => "LONGPRESS",
            Self::Type { .. } => "TYPE",
            Self::Slide { .. } => "SLIDE",
            Self::Scroll { .. } => "SCROLL",
            Self::Drag { .. } => "DRAG",
            Self::Awake { .. } => "AWAKE",
            Self::HotKey { .. } => "HOT_KEY",
            Self::Command(command) => command.name(),
        }
    }
}

impl Action {
    /// The word for it in logs and on the wire, such as `CLICK`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Gesture(gesture) => gesture.name(),
            Self::Wait(_) => "WAIT",
            Self::Note { .. } => "NOTE",
            Self::Info(_) | Self::Confirm { .. } => "INFO",
            Self::Complete { .. } => "COMPLETE",
            Self::Abort { .. } => "ABORT",
        }
    }

    /// What is to be done on the phone, also where the user has to approve it first.
    pub fn gesture(&self) -> Option<&Gesture> {
        match self {
            Self::Gesture(gesture) | Self::Confirm { gesture, .. } => Some(gesture),
            _ => None,
        }
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Up => "up",
            Self::Down => "down",
            Self::Left => "left",
            Self::Right => "right",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Pixel, ScreenSize};

    #[test]
    fn corners_stay_on_the_screen() {
        let size = ScreenSize { width: 1080, height: 2400 };
        let pixel = |x, y| Point::new(x, y).unwrap().to_pixel(size);
        assert_eq!(pixel(0, 0), Pixel { x: 0, y: 0 });
        assert_eq!(pixel(1000, 1000), Pixel { x: 1079, y: 2399 });
        assert_eq!(pixel(500, 500), Pixel { x: 540, y: 1200 });
    }

    #[test]
    fn a_pixel_is_found_again_on_every_screen() {
        for (width, height) in [(1080, 2400), (2560, 1600), (3200, 1440), (8192, 1)] {
            let size = ScreenSize { width, height };
            for x in (0..width).step_by(7) {
                let y = x % height;
                let part = |at: u32, of: u32| f64::from(at) / f64::from(of);
                let point = Point::from_fractions(part(x, width), part(y, height)).unwrap();
                assert_eq!(point.to_pixel(size), Pixel { x, y });
            }
        }
        assert!(Point::from_fractions(1.001, 0.0).is_err());
        assert!(Point::from_fractions(f64::NAN, 0.0).is_err());
        let point = Point::from_fractions(0.5124, 1.0).unwrap();
        assert_eq!((point.x(), point.y()), (512, 1000));
    }

    #[test]
    fn a_point_off_the_screen_is_refused_and_named() {
        assert_eq!(Point::new(4000, 3), Err(OffScreen { x: 4000, y: 3 }));
        assert!(Point::new(-1, 0).is_err());
    }

    #[test]
    fn keys_are_found_by_the_names_models_use() {
        assert_eq!(Key::from_name("keycode_back"), Some(Key::Back));
        assert_eq!(Key::from_name("volume up"), Some(Key::VolumeUp));
        assert_eq!(Key::from_name("app_switch"), Some(Key::Recents));
        assert_eq!(Key::from_name("self destruct"), None);
        for key in Key::ALL {
            assert_eq!(Key::from_name(key.name()), Some(key));
        }
    }
}
