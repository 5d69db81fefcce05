//! How long things take on a phone at one kind of link: data, with where each number is from.
//!
//! The numbers are published ones of real phones where there are any. They are for comparing programs that drive the
//! same phone, not for foretelling what yours will take.
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// How fast a phone and its link are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Profile {
    /// As fast as this computer: only the screens move as a phone's do.
    #[default]
    AsIs,
    /// As fast as this computer, and its screens change at once, as with animations switched off.
    AtOnce,
    Usb2,
    Usb3,
    Wifi,
}

/// What a phone takes its time for.
#[derive(Debug)]
pub struct Timing {
    /// From the request to the answer of something that takes no time on the phone.
    pub round_trip: Duration,
    /// Starting a shell for a command; with it the round trip.
    pub shell: Duration,
    /// From the moment that a picture shows to its first byte.
    pub capture: Duration,
    /// Making a PNG of it.
    pub png: Duration,
    /// How many bytes `gzip` takes in a second; `None`: as many as this computer.
    pub gzip: Option<u64>,
    /// How many bytes `sha256sum` takes in a second; `None`: as many as this computer.
    pub sha256sum: Option<u64>,
    /// `input` until the touch arrives, besides the shell and the gesture's own time.
    pub input: Duration,
    /// A request to a system service, as `wm`, `am`, `pm`, `settings` and `cmd` are, besides the shell.
    pub service: Duration,
    /// `dumpsys` of one service, besides the shell.
    pub dumpsys: Duration,
    /// A command that starts a Java machine of its own, such as `monkey`, besides the shell.
    pub java: Duration,
    /// `uiautomator dump` of a screen at rest, besides the shell.
    pub elements: Duration,
    /// Bytes a second that the link carries to the client, for all streams together.
    pub bandwidth: Option<u64>,
    /// The shortest and the longest transition between two screens; each is drawn at random between them.
    pub transitions: (Duration, Duration),
}

const fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

const AS_IS: Timing = Timing {
    round_trip: Duration::ZERO,
    shell: Duration::ZERO,
    capture: Duration::ZERO,
    png: Duration::ZERO,
    gzip: None,
    sha256sum: None,
    input: Duration::ZERO,
    service: Duration::ZERO,
    dumpsys: Duration::ZERO,
    java: Duration::ZERO,
    elements: Duration::ZERO,
    bandwidth: None,
    // Judged: Android's own transitions take about 300, apps that load something longer.
    transitions: (ms(120), ms(900)),
};

const AT_ONCE: Timing = Timing { transitions: (Duration::ZERO, Duration::ZERO), ..AS_IS };

const USB2: Timing = Timing {
    // Judged: a packet each way.
    round_trip: ms(1),
    // The project handsets, on a phone: `adb shell true` takes 27.7, of which 3.1 are adb's own process here.
    shell: ms(24),
    // handsets, Android 15, 1440x3120: 75 to take and write a raw picture on the phone, 624 as PNG.
    capture: ms(75),
    png: ms(549),
    // MAA, issue 5426, 1080p: raw through `gzip -1` takes 366 in all, so 291 for 8.3 MB.
    gzip: Some(28_500_000),
    // Judged: toybox has it from BoringSSL, which takes above 1 GB/s with ARMv8's instructions; most is the pipe, read
    // by 4 KiB.
    sha256sum: Some(250_000_000),
    // Recent Pixels, several reports: 40 to 80 with the shell; here 60, less the 28 of `true`.
    input: ms(32),
    // handsets: `wm size` takes 46 and `dumpsys window` 71; less 28.
    service: ms(18),
    dumpsys: ms(43),
    // scrcpy, 2018: about 800 for a start of `app_process`.
    java: ms(800),
    // Mobile-Env: 2530 for the elements of a screen.
    elements: ms(2_500),
    // AOSP, 2f0f9eb, Pixel 3: 36 MB/s by USB 2, 125 MB/s by USB 3.
    bandwidth: Some(36_000_000),
    ..AS_IS
};

const USB3: Timing = Timing { bandwidth: Some(125_000_000), ..USB2 };

const WIFI: Timing = Timing {
    // Judged: an access point between them, 5 GHz, 12 to 20 MB/s.
    round_trip: ms(5),
    shell: ms(28),
    bandwidth: Some(16_000_000),
    ..USB2
};

impl Profile {
    pub const ALL: [Self; 5] = [Self::AsIs, Self::AtOnce, Self::Usb2, Self::Usb3, Self::Wifi];

    /// As it is called on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::AsIs => "as-is",
            Self::AtOnce => "at-once",
            Self::Usb2 => "usb2",
            Self::Usb3 => "usb3",
            Self::Wifi => "wifi",
        }
    }

    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }

    /// What it stands for.
    pub fn about(self) -> &'static str {
        match self {
            Self::AsIs => "as fast as this computer",
            Self::AtOnce => "the same, and screens change at once",
            Self::Usb2 => "a phone of these years on USB 2: 36 MB/s",
            Self::Usb3 => "the same on USB 3: 125 MB/s",
            Self::Wifi => "the same over Wi-Fi: 16 MB/s",
        }
    }

    pub fn timing(self) -> &'static Timing {
        match self {
            Self::AsIs => &AS_IS,
            Self::AtOnce => &AT_ONCE,
            Self::Usb2 => &USB2,
            Self::Usb3 => &USB3,
            Self::Wifi => &WIFI,
        }
    }
}

/// Waits so long. Not at all for no time: a timer would round it up to a millisecond.
pub(crate) async fn pause(time: Duration) {
    pause_until(Instant::now() + time).await;
}

/// Waits until then, if that is still to come.
pub(crate) async fn pause_until(then: Instant) {
    if Instant::now() < then {
        sleep_until(then).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_found_by_their_names() {
        for profile in Profile::ALL {
            assert_eq!(Profile::from_name(profile.name()), Some(profile));
        }
        assert_eq!(Profile::from_name("usb"), None);
    }
}
