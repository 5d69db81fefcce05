//! Gestures as command lines of the phone's `input` program.
//!
//! Only integers go into these lines, so there is nothing to quote.
use std::time::Duration;

use ayeaye_agent::{DeviceError, Direction, Key, Pixel, Point, ScreenSize};

use crate::client::DeviceClient;
use crate::parse::{batch, split_batch};
use crate::refusal;
use crate::shell::ShellOutput;

/// How long a scroll takes. A faster one would fling the content too far.
const SCROLL_DURATION: Duration = Duration::from_millis(500);
/// How long a drag moves, after the long press before it.
const DRAG_DURATION: Duration = Duration::from_secs(1);
/// After how long a touch is a long press, where the phone does not tell, and by how much a long press is longer.
pub(crate) const LONG_PRESS: Duration = Duration::from_millis(500);
const LONGER: Duration = Duration::from_millis(200);
/// The shortest time that `input` presses before a drag, before Android 12.
pub(crate) const JAVA_LONG_PRESS: Duration = Duration::from_millis(400);
/// The longest touch and hold delay that is believed, in milliseconds; Android offers 1500.
const MAX_LONG_PRESS: u64 = 5000;
/// The longest time that a finger stays down.
const MAX_DURATION: Duration = Duration::from_secs(10);
/// The API level (Android 12) from which on `input` starts fast enough for two taps in a row.
const FIRST_NATIVE_INPUT_SDK: u32 = 31;
/// The API level (Android 10) from which on `input` takes the number of a display.
pub(crate) const FIRST_SDK_WITH_DISPLAYS: u32 = 29;

/// A command line, and how long the gesture itself takes on the phone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShellCommand {
    pub(crate) line: String,
    pub(crate) duration: Duration,
    /// It has several commands, of which the first may have been carried out when another fails.
    pub(crate) several: bool,
}

impl ShellCommand {
    fn instant(line: String) -> Self {
        Self::lasting(line, Duration::ZERO)
    }

    fn lasting(line: String, duration: Duration) -> Self {
        Self { line, duration, several: false }
    }

    /// The command on this display, if it is named.
    pub(crate) fn on_display(self, display: Option<u32>) -> Self {
        Self { line: on_display(&self.line, display), ..self }
    }

    /// Sends it once. Whether it was carried out despite an error is for the caller to find out,
    /// who can look at the screen.
    pub(crate) async fn send(&self, client: &DeviceClient, what: &str) -> Result<(), DeviceError> {
        let limit = client.limits().shell + self.duration;
        let output = client.act(what, &self.line, limit).await?;
        ensure_accepted(client, what, &output).map_err(|error| match error {
            DeviceError::Refused { reason, .. } if self.several => {
                client.garbled(what, format!("a part of it may have been done: {reason}"))
            }
            error => error,
        })
    }
}

/// A line of `input` and other programs on this display, if it is named. Not for one with a text in it.
pub(crate) fn on_display(line: &str, display: Option<u32>) -> String {
    line.replace("input ", &input(display))
}

/// The program, with the display if it is named.
pub(crate) fn input(display: Option<u32>) -> String {
    display.map_or_else(|| "input ".to_owned(), |display| format!("input -d {display} "))
}

pub(crate) fn tap(point: Point, on: ScreenSize) -> ShellCommand {
    let Pixel { x, y } = point.to_pixel(on);
    ShellCommand::instant(format!("input tap {x} {y}"))
}

/// Two taps less than 300 ms apart, in one line so that no network comes between them.
///
/// Until Android 11 each `input` starts a Java virtual machine, which alone takes longer: there the
/// second one is started while the first is still starting.
pub(crate) fn double_tap(point: Point, on: ScreenSize, sdk: Option<u32>) -> ShellCommand {
    let Pixel { x, y } = point.to_pixel(on);
    let tap = format!("input tap {x} {y}");
    let line = if sdk.is_some_and(|sdk| sdk < FIRST_NATIVE_INPUT_SDK) {
        format!("{tap} & first=$!; sleep 0.12; {tap} && wait $first")
    } else {
        format!("{tap} && {tap}")
    };
    ShellCommand { several: true, ..ShellCommand::instant(line) }
}

/// What is set as the touch and hold delay, for the person in front or for the first one: most versions of Android tell
/// apps what the first person has set, whoever is in front (AOSP, `CoreSettingsObserver`). `None` where it is not set.
pub(crate) async fn set_delay(client: &DeviceClient) -> Result<Option<Duration>, DeviceError> {
    let ask = batch(&[
        "settings --user current get secure long_press_timeout",
        "settings --user 0 get secure long_press_timeout",
    ]);
    let output = client.shell_quick("its touch and hold delay", &ask).await?;
    let told: [&str; 2] = split_batch(&output.stdout);
    let ms = told.into_iter().filter_map(|ms| ms.trim().parse().ok());
    let ms = ms.filter(|ms| (1..=MAX_LONG_PRESS).contains(ms)).max();
    Ok(ms.map(Duration::from_millis))
}

/// `input` has no long press: it is a swipe from a point to itself. `timeout`: after how long the phone takes a
/// touch for one.
pub(crate) fn long_press(
    point: Point,
    on: ScreenSize,
    duration: Duration,
    timeout: Duration,
) -> ShellCommand {
    let shortest = LONG_PRESS.max(timeout + LONGER);
    swipe(point.to_pixel(on), point.to_pixel(on), duration.max(shortest))
}

pub(crate) fn slide(from: Point, to: Point, on: ScreenSize, duration: Duration) -> ShellCommand {
    swipe(from.to_pixel(on), to.to_pixel(on), duration.max(Duration::from_millis(50)))
}

/// Half a screen in the direction of the content, around `at`, clear of the edges, where a swipe
/// means back, home or the notification shade.
pub(crate) fn scroll(direction: Direction, at: Option<Point>, on: ScreenSize) -> ShellCommand {
    let middle = Pixel { x: on.width / 2, y: on.height / 2 };
    let at = at.map_or(middle, |point| point.to_pixel(on));
    let (along, length) = match direction {
        Direction::Up | Direction::Down => (at.y, on.height),
        Direction::Left | Direction::Right => (at.x, on.width),
    };
    let (low, high) = middle_half(along, length);
    let ends = |from: u32, to: u32| match direction {
        Direction::Up | Direction::Down => (Pixel { y: from, ..at }, Pixel { y: to, ..at }),
        Direction::Left | Direction::Right => (Pixel { x: from, ..at }, Pixel { x: to, ..at }),
    };
    // To show what is below, the finger moves up.
    let (from, to) = match direction {
        Direction::Down | Direction::Right => ends(high, low),
        Direction::Up | Direction::Left => ends(low, high),
    };
    swipe(from, to, SCROLL_DURATION)
}

/// Up the middle of the screen, as people take away a lock screen.
pub(crate) fn unlock(on: ScreenSize, duration: Duration) -> ShellCommand {
    let x = on.width / 2;
    let (from, to) = (on.height * 4 / 5, on.height / 5);
    swipe(Pixel { x, y: from }, Pixel { x, y: to }, duration)
}

/// How long `input` presses before it drags. Before Android 12 it is a bare Java program, which sees no settings (AOSP,
/// `ViewConfiguration.getLongPressTimeout` without an activity thread): it presses for 400 ms in Android 11, and for half
/// a second before that.
pub(crate) fn drag_press(timeout: Duration, sdk: Option<u32>) -> Duration {
    match sdk {
        Some(30) => JAVA_LONG_PRESS,
        Some(sdk) if sdk < FIRST_NATIVE_INPUT_SDK => LONG_PRESS,
        _ => timeout.max(LONG_PRESS),
    }
}

/// `input` presses first, and that is a part of the time it is given: where none is left, the finger jumps and
/// nothing is dragged (AOSP, `InputShellCommand.sendSwipe`).
pub(crate) fn drag(from: Point, to: Point, on: ScreenSize, press: Duration) -> ShellCommand {
    let (from, to) = (from.to_pixel(on), to.to_pixel(on));
    let duration = press.max(LONG_PRESS) + DRAG_DURATION;
    let ms = duration.as_millis();
    let line = format!("input draganddrop {} {} {} {} {ms}", from.x, from.y, to.x, to.y);
    ShellCommand::lasting(line, duration)
}

pub(crate) fn key(key: Key) -> ShellCommand {
    ShellCommand::instant(format!("input keyevent {}", key_code(key)))
}

/// Android's `KeyEvent` codes.
pub(crate) fn key_code(key: Key) -> u16 {
    match key {
        Key::Back => 4,
        Key::Home => 3,
        Key::Enter => 66,
        Key::Recents => 187,
        Key::Delete => 67,
        Key::Tab => 61,
        Key::Menu => 82,
        Key::Search => 84,
        Key::Power => 26,
        Key::VolumeUp => 24,
        Key::VolumeDown => 25,
        Key::VolumeMute => 164,
    }
}

/// The shell's exit code for a program that is not there.
pub(crate) const NO_SUCH_PROGRAM: u8 = 127;
const NO_INPUT: &str =
    "its system has no `input`, by which it is touched and typed into, so it cannot be driven";

/// An error unless `input` succeeded. Some vendors' version prints a stack trace and exits with 0.
pub(crate) fn ensure_accepted(
    client: &DeviceClient,
    what: &str,
    output: &ShellOutput,
) -> Result<(), DeviceError> {
    let all = output.combined();
    if all.contains("INJECT_EVENTS") {
        return Err(client.refused(what, refusal::reason("INJECT_EVENTS").unwrap_or_default()));
    }
    if output.exit_code == NO_SUCH_PROGRAM && all.contains("input: ") {
        return Err(client.not_sent(what, NO_INPUT));
    }
    let complains = all.lines().map(str::trim_start).any(|line| {
        line.starts_with("Error:") || line.starts_with("java.") || line.contains("Exception:")
    });
    if output.exit_code != 0 || complains {
        return Err(client.refused(what, output.summary()));
    }
    Ok(())
}

fn swipe(from: Pixel, to: Pixel, duration: Duration) -> ShellCommand {
    let duration = duration.min(MAX_DURATION);
    let ms = duration.as_millis();
    let line = format!("input swipe {} {} {} {} {ms}", from.x, from.y, to.x, to.y);
    ShellCommand::lasting(line, duration)
}

/// The half of a length around a point on it, with an eighth kept free at both ends.
fn middle_half(around: u32, length: u32) -> (u32, u32) {
    let (edge, reach) = (length / 8, length / 4);
    let last = length.saturating_sub(edge + 1).max(edge);
    let middle = around.clamp(edge + reach, last.saturating_sub(reach).max(edge + reach));
    (middle.saturating_sub(reach), (middle + reach).min(length.saturating_sub(1)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TALL: ScreenSize = ScreenSize { width: 1080, height: 2400 };

    fn at(x: i64, y: i64) -> Point {
        Point::new(x, y).unwrap()
    }

    #[test]
    fn touches_become_pixels_of_the_frame_they_were_decided_on() {
        assert_eq!(tap(at(500, 500), TALL).line, "input tap 540 1200");
        let wide = ScreenSize { width: 2400, height: 1080 };
        assert_eq!(tap(at(1000, 1000), wide).line, "input tap 2399 1079");
        let slide = slide(at(500, 800), at(500, 200), TALL, Duration::from_millis(300));
        assert_eq!(slide.line, "input swipe 540 1920 540 480 300");
        assert_eq!(slide.duration, Duration::from_millis(300));
        let press = long_press(at(0, 0), TALL, Duration::from_hours(1), LONG_PRESS);
        assert_eq!(press.line, "input swipe 0 0 0 0 10000");
    }

    #[test]
    fn two_taps_are_one_line() {
        let line = double_tap(at(100, 100), TALL, Some(34)).line;
        assert_eq!(line, "input tap 108 240 && input tap 108 240");
        assert_eq!(double_tap(at(100, 100), TALL, None).line, line);
    }

    #[test]
    fn scrolling_shows_what_lies_in_the_direction() {
        let scroll = |direction, at| scroll(direction, at, TALL).line;
        assert_eq!(scroll(Direction::Down, None), "input swipe 540 1800 540 600 500");
        assert_eq!(scroll(Direction::Up, None), "input swipe 540 600 540 1800 500");
        assert_eq!(scroll(Direction::Right, None), "input swipe 810 1200 270 1200 500");
        assert_eq!(scroll(Direction::Left, None), "input swipe 270 1200 810 1200 500");
        // At the very bottom it still keeps clear of the edge.
        assert_eq!(
            scroll(Direction::Down, Some(at(500, 1000))),
            "input swipe 540 2099 540 899 500"
        );
    }

    proptest! {
        #[test]
        fn every_scroll_stays_on_the_screen(
            width in 1_u32..8192, height in 1_u32..8192, x in 0_i64..=1000, y in 0_i64..=1000,
            direction in proptest::sample::select(vec![
                Direction::Up, Direction::Down, Direction::Left, Direction::Right,
            ])
        ) {
            let on = ScreenSize { width, height };
            let line = scroll(direction, Some(at(x, y)), on).line;
            let n: Vec<u32> = line.split(' ').filter_map(|word| word.parse().ok()).collect();
            prop_assert!(n[0] < width && n[2] < width && n[1] < height && n[3] < height, "{}", line);
        }
    }
}
