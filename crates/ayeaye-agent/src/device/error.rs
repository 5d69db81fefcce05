//! What can go wrong with a phone.
use std::time::Duration;

use super::DeviceId;

/// Stands in what is said of a phone that another server drives by now.
pub const TAKEN_OVER: &str = "another ayeaye server has taken it over since, or the notes about that in its \
    /data/local/tmp were removed";
const NOTES_ARE_GONE: &str = "the notes about who drives it are gone from its /data/local/tmp: this may be another \
    phone, or they were removed";

/// Who has refused what a phone was asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RefusedBy {
    /// The phone itself.
    Device,
    /// The adb server: the phone was not asked.
    AdbServer,
}

/// Why a phone did not do what it was asked. Variants are by what the caller does next.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DeviceError {
    /// There is no adb server and none could be started: nothing works until it is mended.
    #[error("no adb server answers at {address}: {cause}")]
    NoServer {
        /// Where one was looked for.
        address: String,
        /// What was tried.
        cause: String,
        /// Something listens there, and does not answer.
        hangs: bool,
    },
    /// The phone is not in the list: plug it in, or use another.
    #[error("device {0} is not connected")]
    NotFound(DeviceId),
    /// A person has to allow this computer on the phone's screen.
    #[error("device {0} has not authorized this computer")]
    Unauthorized(DeviceId),
    /// The phone is in the list but does not answer: it may come back.
    #[error("device {0} is {1}")]
    NotReady(DeviceId, String),
    /// The link broke while something was under way: whether it was done is not known.
    #[error("the link to device {0} was lost during {1}")]
    LinkLost(DeviceId, String),
    /// No answer inside the limit: whether it was done is not known.
    #[error("device {id} did not answer {what} within {:.1} s", after.as_secs_f32())]
    TimedOut {
        /// Its serial.
        id: DeviceId,
        /// What was asked.
        what: String,
        /// The limit.
        after: Duration,
    },
    /// The link broke, or no answer came, before anything had come of it: it was certainly not done.
    #[error("{what} on device {id} broke off: {reason}")]
    BrokenOff {
        /// Its serial.
        id: DeviceId,
        /// What was wanted.
        what: String,
        /// What went wrong, and what is left of it.
        reason: String,
    },
    /// The phone said no, and says so: it was not done.
    #[error("device {id} refused {what}: {reason}")]
    Refused {
        /// Its serial.
        id: DeviceId,
        /// What was asked.
        what: String,
        /// Exit code and message, or what was wrong with the answer.
        reason: String,
        /// Who said it.
        by: RefusedBy,
    },
    /// The phone has no way to type this text, of which nothing was typed: it needs a keyboard, which a
    /// person can put on it.
    #[error("device {id} refused the text: `input text` has no key for {odd:?}, and {why}")]
    NoKeyboard {
        /// Its serial.
        id: DeviceId,
        /// The first letter that is not ASCII.
        odd: char,
        /// Why there is no other way, and the way out.
        why: String,
    },
    /// The phone was not asked: what was wanted cannot be sent to it, such as a file that is not there.
    #[error("nothing was done on device {id} ({what}): {reason}")]
    NotSent {
        /// Its serial.
        id: DeviceId,
        /// What was wanted.
        what: String,
        /// Why not.
        reason: String,
    },
    /// Another driver has claimed the phone, and the phone itself refuses this one.
    #[error(
        "device {id} refused {what}: {}{}",
        if *notes_are_gone { NOTES_ARE_GONE } else { TAKEN_OVER },
        if *partly { "; a part of it had been done before" } else { "" }
    )]
    ClaimedElsewhere {
        /// Its serial.
        id: DeviceId,
        /// What was asked.
        what: String,
        /// It has no notes of any driver.
        notes_are_gone: bool,
        /// A part of it had been done.
        partly: bool,
    },
    /// Another phone answers in place of the one that was driven: addresses are reused. It was not asked.
    #[error(
        "device {id} is another phone now: it was {before}, and is {now}; nothing was done on it"
    )]
    OtherPhone {
        /// The id that both are reached by.
        id: DeviceId,
        /// The model of the phone that was driven.
        before: String,
        /// The model of the one that is there now, or "another one" of the same model.
        now: String,
    },
    /// What the phone answered is not what it should be, such as a capture that is cut short.
    #[error("device {id} gave no usable answer to {what}: {reason}")]
    Garbled {
        /// Its serial.
        id: DeviceId,
        /// What was asked.
        what: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The phone answers, and says that it has no picture of its screen, however it is asked for one.
    #[error("device {id} cannot capture its screen: it says `{said}`")]
    CannotCapture {
        /// Its serial.
        id: DeviceId,
        /// Its own words.
        said: String,
    },
}

impl DeviceError {
    /// Whether the phone may or may not have done what it was asked.
    pub fn may_have_acted(&self) -> bool {
        match self {
            Self::LinkLost(..) | Self::TimedOut { .. } | Self::Garbled { .. } => true,
            Self::ClaimedElsewhere { partly, .. } => *partly,
            Self::NoServer { .. }
            | Self::NotFound(_)
            | Self::Unauthorized(_)
            | Self::NotReady(..)
            | Self::BrokenOff { .. }
            | Self::NoKeyboard { .. }
            | Self::NotSent { .. }
            | Self::OtherPhone { .. }
            | Self::CannotCapture { .. }
            | Self::Refused { .. } => false,
        }
    }

    /// Whether this driver has to leave the phone alone from now on.
    pub fn ends_driving(&self) -> bool {
        matches!(self, Self::ClaimedElsewhere { .. } | Self::OtherPhone { .. })
    }

    /// Whether the phone itself is out of reach, so that waiting for it may help.
    pub fn is_unreachable(&self) -> bool {
        match self {
            Self::NoServer { .. }
            | Self::NotFound(_)
            | Self::NotReady(..)
            | Self::LinkLost(..)
            | Self::TimedOut { .. }
            | Self::BrokenOff { .. } => true,
            Self::Unauthorized(_)
            | Self::NoKeyboard { .. }
            | Self::NotSent { .. }
            | Self::ClaimedElsewhere { .. }
            | Self::OtherPhone { .. }
            | Self::Refused { .. }
            | Self::CannotCapture { .. }
            | Self::Garbled { .. } => false,
        }
    }
}
