//! Whether the phone that answers is still the one that is driven. An address of the network, and the name of an
//! emulator, may be another phone's when they come back.
//!
//! The open shell tells at no cost: its connection ends with the link. Without one the phone is asked who it is, in one
//! round trip: after its link was lost, and after it has not been heard of for a while.
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::Duration;

use ayeaye_agent::{DeviceError, Transport};
use tokio::time::{Instant, timeout_at};

use super::DeviceClient;
use super::reach::transport;
use crate::errors::{Stage, device_error};
use crate::parse::{batch, sanitize_first_line, split_first};
use crate::protocol::ProtocolError;
use crate::shell::{self, ExitMarker};

const WHAT: &str = "who it is";
/// No link goes from one phone to another in less.
const QUIET: Duration = Duration::from_secs(2);

/// What a phone keeps over its restarts. Emulators, and some cheap phones, have the same serial number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PhoneMarks {
    pub(crate) model: Option<String>,
    pub(crate) serial_number: Option<String>,
}

impl PhoneMarks {
    /// The same rule as for the record of a session that goes on: what is not told tells nothing.
    fn is_other_than(&self, before: &Self) -> bool {
        let differ = |now: &Option<String>, before: &Option<String>| {
            now.as_ref().zip(before.as_ref()).is_some_and(|(now, before)| now != before)
        };
        differ(&self.model, &before.model) || differ(&self.serial_number, &before.serial_number)
    }

    fn model(&self) -> &str {
        self.model.as_deref().unwrap_or("unknown model")
    }
}

/// What is known of the phone that is driven, and since when it was not heard of.
#[derive(Debug, Default)]
pub(super) struct SamePhone {
    known: OnceLock<PhoneMarks>,
    /// Somebody has begun to drive it.
    is_driven: AtomicBool,
    /// How often its link was lost, and up to which time of these it has shown itself to be the same since.
    losses: AtomicU64,
    seen_after: AtomicU64,
    answered: Mutex<Option<Instant>>,
    /// Held by whoever asks.
    asking: tokio::sync::Mutex<()>,
}

impl SamePhone {
    /// The link broke, or the phone was not there: who comes back may be another.
    pub(super) fn link_lost(&self) {
        self.losses.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn answered(&self) {
        *self.answered.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
    }

    fn was_lost(&self) -> bool {
        self.seen_after.load(Ordering::SeqCst) != self.losses.load(Ordering::SeqCst)
    }

    fn was_quiet(&self) -> bool {
        let answered = *self.answered.lock().unwrap_or_else(PoisonError::into_inner);
        answered.is_none_or(|at| QUIET <= at.elapsed())
    }
}

impl DeviceClient {
    /// It has just said who it is: another one that answers in its place is refused.
    pub(crate) fn was_found_to_be(&self, marks: PhoneMarks) {
        self.same_phone.known.get_or_init(|| marks);
        self.same_phone.answered();
    }

    /// From now on only this phone is driven: another one that answers in its place is refused.
    pub(crate) fn stay_with(&self, marks: PhoneMarks) {
        self.same_phone.known.get_or_init(|| marks);
        self.same_phone.is_driven.store(true, Ordering::Relaxed);
    }

    /// Whether somebody drives it, and it is known which phone that is.
    pub(super) fn is_driven(&self) -> bool {
        let drives = self.fence.is_driven() || self.same_phone.is_driven.load(Ordering::Relaxed);
        drives && self.same_phone.known.get().is_some()
    }

    /// Asks the phone who it is, where another one may be in its place.
    pub(super) async fn ensure_same_phone(&self) -> Result<(), DeviceError> {
        if self.same_phone.known.get().is_none() || !self.may_be_another() {
            return Ok(());
        }
        let _asking = self.same_phone.asking.lock().await;
        if !self.may_be_another() {
            return Ok(());
        }
        let losses = self.same_phone.losses.load(Ordering::SeqCst);
        let now = self.marks().await?;
        self.ensure_is(&now)?;
        self.same_phone.seen_after.store(losses, Ordering::SeqCst);
        self.same_phone.answered();
        Ok(())
    }

    /// Fails where these are the marks of another phone than the one that is driven.
    pub(super) fn ensure_is(&self, now: &PhoneMarks) -> Result<(), DeviceError> {
        let Some(known) = self.same_phone.known.get().filter(|known| now.is_other_than(known))
        else {
            return Ok(());
        };
        self.same_phone.link_lost();
        let other_model = now.model != known.model;
        let told = if other_model { now.model() } else { "another one" }.to_owned();
        Err(DeviceError::OtherPhone {
            id: self.id.clone(),
            before: known.model().to_owned(),
            now: told,
        })
    }

    /// Whether what it is reached by may be another phone's: an address of the network, or the name of an emulator.
    pub(super) fn may_become_another(&self) -> bool {
        self.same_phone.known.get().is_some() && transport(&self.serial()) != Transport::Usb
    }

    fn may_be_another(&self) -> bool {
        // Looked at first: a shell that has ended is how a loss is noticed.
        let shell_is_open = self.open_shell_lives();
        self.same_phone.was_lost() || !shell_is_open && self.same_phone.was_quiet()
    }

    /// Whether the open shell is there still, which shows that the link is.
    fn open_shell_lives(&self) -> bool {
        let Some(mut turn) = self.shell.turn(&self.link()) else { return false };
        let had_one = turn.has_session();
        let lives = turn.is_open(&self.link());
        if had_one && !lives {
            self.same_phone.link_lost();
        }
        lives
    }

    /// What the phone tells of itself, on a connection of its own.
    async fn marks(&self) -> Result<PhoneMarks, DeviceError> {
        let limit = self.limits.shell;
        let ask = ask_marks();
        let mark = ExitMarker::new();
        let packets = self.has_shell_v2().await?;
        let deadline = Instant::now() + limit;
        let mut connection = self.transport(WHAT, deadline).await?;
        let asked = async {
            if packets {
                connection.request(&format!("shell,v2,raw:{ask}")).await?;
                return shell::read_v2(&mut connection).await;
            }
            connection.request(&format!("shell:{}", mark.append_to(&ask))).await?;
            shell::read_with_marker(&mut connection, &mark).await
        };
        let mut output = match timeout_at(deadline, asked).await {
            Ok(output) => output.map_err(|error: ProtocolError| {
                self.same_phone.link_lost();
                device_error(&self.id, WHAT, Stage::Requested, error)
            })?,
            Err(_) => return Err(self.timed_out(WHAT, limit)),
        };
        let nothing = PhoneMarks { model: None, serial_number: None };
        Ok(take_marks(&mut output.stdout).unwrap_or(nothing))
    }
}

/// Asks a phone for its marks; other commands may follow in the same batch.
pub(super) fn ask_marks() -> String {
    batch(&["getprop ro.product.model", "getprop ro.serialno"])
}

/// Takes the answer to [`ask_marks`] out of the output that it is in front of. `None` where it is not there.
pub(super) fn take_marks(stdout: &mut String) -> Option<PhoneMarks> {
    let (model, rest) = split_first(stdout)?;
    let (serial_number, rest) = split_first(rest).unwrap_or((rest, ""));
    let marks = PhoneMarks {
        model: sanitize_first_line(model),
        serial_number: sanitize_first_line(serial_number),
    };
    *stdout = rest.to_owned();
    Some(marks)
}
