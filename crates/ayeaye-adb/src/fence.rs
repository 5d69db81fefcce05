//! One driver at a time, as the phone itself sees to it.
//!
//! Locks of this machine hold for servers that share a data folder. Others, and one that was paused and goes
//! on, are held off on the phone: whoever begins to drive it makes a folder of its own in [`ROOT`] and moves
//! away those of others. The line of every act first makes a folder in that one, named by the act's number.
//! That fails once another driver has moved it away, and where the act has begun already, and then nothing
//! else of the line is run.
//!
//! Making and moving a folder are atomic. A driver goes on only after it has seen its folder alone: of two
//! that begin at once, the later one sees the earlier one's and moves it away.
//!
//! What is moved away is read before it is removed: it says which act of the earlier driver was the last to
//! begin, also where that driver crashed before it knew.
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use ayeaye_agent::ActMark;

use crate::parse::{batch, split_batch};
use crate::shell::ShellOutput;

/// A folder that the shell may write, and apps may not read.
const ROOT: &str = "/data/local/tmp/.ayeaye";
/// Where the folders of earlier drivers go before they are removed.
const OLD: &str = "/data/local/tmp/.ayeaye-old";
/// Begins the line with the drivers that are left.
const DRIVERS: &str = "ayeaye-drivers:";
/// Begins the line with the drivers that were moved away, and the acts that they have begun.
const ACTS: &str = "ayeaye-acts:";
/// Begins the line of an act that was not begun.
const NOT_BEGUN: &str = "ayeaye-not-begun:";
/// Instead of the drivers, where there is no folder of them.
const NO_NOTES: &str = "no-notes";
const NOT_BEGUN_CODE: u8 = 77;
/// How often a driver that does not see itself alone moves the others away.
const TRIES: u32 = 3;
/// After so many acts their folders are removed.
const KEPT: u64 = 64;

/// A driver that has begun no act for so many minutes is taken to be gone.
const RECENT: u64 = 10;

/// One driver's place on one phone.
#[derive(Debug)]
pub(crate) struct Fence {
    token: String,
    /// The number of the next act.
    next: AtomicU64,
    state: Mutex<FenceState>,
    /// The last acts of the drivers before this one, 0 for one that had begun none.
    earlier: Mutex<HashMap<String, u64>>,
    /// Held by whoever claims the phone now.
    pub(crate) taking: tokio::sync::Mutex<()>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FenceState {
    /// Nobody drives it over this client.
    Off,
    /// The next command claims it.
    Due {
        tried: u32,
    },
    Held,
    /// The phone has no place for it.
    Unable,
}

/// Why an act was not begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotBegun {
    /// Another driver has claimed the phone, or its folder was removed.
    ClaimedElsewhere,
    /// It has no notes of any driver: they were removed, or it is another phone.
    NotesAreGone,
    /// The phone could not note it.
    NotNoted,
}

impl Default for Fence {
    fn default() -> Self {
        let token = rand::random::<u64>();
        Self {
            token: format!("d{token:016x}"),
            next: AtomicU64::new(1),
            state: Mutex::new(FenceState::Off),
            earlier: Mutex::default(),
            taking: tokio::sync::Mutex::default(),
        }
    }
}

impl Fence {
    /// From now on the phone is driven: the next command claims it.
    pub(crate) fn claim(&self) {
        self.set(FenceState::Due { tried: 0 });
    }

    pub(crate) fn is_due(&self) -> bool {
        matches!(self.state(), FenceState::Due { .. })
    }

    /// Whether the phone is driven over this client.
    pub(crate) fn is_driven(&self) -> bool {
        self.state() != FenceState::Off
    }

    /// Where the phone will note the next act. `None` where it notes none.
    pub(crate) fn mark(&self) -> Option<ActMark> {
        let noted = matches!(self.state(), FenceState::Due { .. } | FenceState::Held);
        noted.then(|| ActMark { driver: self.token.clone(), number: self.next() })
    }

    /// Whether an act of a driver before this one has begun, as the phone has it. `None` where it has no notes
    /// of that driver.
    pub(crate) fn has_begun(&self, act: &ActMark) -> Option<bool> {
        let earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        earlier.get(&act.driver).map(|last| act.number <= *last)
    }

    /// The number that the next act will have.
    pub(crate) fn next(&self) -> u64 {
        self.next.load(Ordering::Relaxed)
    }

    /// The line that claims the phone. It prints who was there before, if anyone was, and who is there then.
    pub(crate) fn taking_line(&self) -> String {
        let token = &self.token;
        format!(
            "mkdir -p {ROOT} {OLD}/{token} 2>/dev/null; mv {ROOT}/* {OLD}/{token}/ 2>/dev/null; \
             (cd {OLD}/{token} 2>/dev/null && echo {ACTS} d* d*/*); mkdir {ROOT}/{token} 2>/dev/null; echo {DRIVERS} $(ls {ROOT} 2>/dev/null); rm -rf {OLD}"
        )
    }

    /// Takes these lines out of the output that they are in front of. True if the phone can hold others off,
    /// or may yet.
    pub(crate) fn took_over(&self, stdout: &mut String) -> bool {
        // Old phones merge errors into it, so it may not be the first line.
        let found = stdout.find(DRIVERS).map(|at| &stdout[at + DRIVERS.len()..]);
        let Some(told) = found else {
            self.set(FenceState::Unable);
            return false;
        };
        let before = &stdout[..stdout.len() - told.len()];
        if let Some(acts) = before.lines().find_map(|line| line.trim().strip_prefix(ACTS)) {
            self.note_earlier(acts);
        }
        let (drivers, rest) = told.split_once('\n').unwrap_or((told, ""));
        let drivers: Vec<&str> = drivers.split_whitespace().collect();
        let tried = if let FenceState::Due { tried } = self.state() { tried + 1 } else { 1 };
        let state = match drivers.as_slice() {
            [only] if *only == self.token => FenceState::Held,
            several if tried < TRIES && several.iter().any(|it| is_token(it)) => {
                FenceState::Due { tried }
            }
            _ => FenceState::Unable,
        };
        *stdout = rest.to_owned();
        self.set(state);
        state != FenceState::Unable
    }

    fn note_earlier(&self, acts: &str) {
        let mut earlier = self.earlier.lock().unwrap_or_else(PoisonError::into_inner);
        for word in acts.split_whitespace() {
            let (driver, number) = word.split_once('/').unwrap_or((word, "0"));
            if let (true, Ok(number)) = (is_token(driver), number.parse::<u64>()) {
                let last = earlier.entry(driver.to_owned()).or_insert(0);
                *last = number.max(*last);
            }
        }
    }

    /// The line of an act, which the phone runs once, and only for its driver. `None` where it is not held.
    pub(crate) fn guard(&self, line: &str) -> Option<String> {
        if self.state() != FenceState::Held {
            return None;
        }
        let place = format!("{ROOT}/{}", self.token);
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let mut tidy = String::new();
        if number.is_multiple_of(KEPT) {
            let old: Vec<String> = (number - KEPT..number).map(|old| old.to_string()).collect();
            tidy = format!("(cd {place} && rm -rf {}); ", old.join(" "));
        }
        Some(format!(
            "(mkdir {place}/{number} 2>/dev/null || {{ echo {NOT_BEGUN} $(ls {ROOT} 2>/dev/null || echo {NO_NOTES}) >&2; \
             exit {NOT_BEGUN_CODE}; }}; {tidy}{line})"
        ))
    }

    /// Why the phone has not begun an act, if it has not.
    pub(crate) fn not_begun(&self, output: &ShellOutput) -> Option<NotBegun> {
        if output.exit_code != NOT_BEGUN_CODE {
            return None;
        }
        let all = output.combined();
        let drivers = all.lines().find_map(|line| line.trim().strip_prefix(NOT_BEGUN))?;
        let drivers: Vec<&str> = drivers.split_whitespace().collect();
        Some(if drivers.contains(&&*self.token) {
            NotBegun::NotNoted
        } else if drivers.contains(&NO_NOTES) {
            NotBegun::NotesAreGone
        } else {
            NotBegun::ClaimedElsewhere
        })
    }

    fn state(&self) -> FenceState {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, state: FenceState) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) = state;
    }
}

/// Asks who drives the phone, and when that one last began an act.
pub(crate) fn ask_driver() -> String {
    batch(&["date '+%Y-%m-%d %H:%M'", &format!("ls -ld {ROOT}/*")])
}

/// The driver that has begun an act within the last minutes, from the answer to [`ask_driver`].
pub(crate) fn recent_driver(answer: &str) -> Option<String> {
    let [now, drivers] = split_batch(answer);
    let now = now.lines().rev().find_map(minutes)?;
    let one = |line: &str| {
        let name = line.split_whitespace().next_back()?.rsplit('/').next()?;
        let at = minutes(line).filter(|_| is_token(name))?;
        (at.abs_diff(now) < RECENT).then(|| name.to_owned())
    };
    drivers.lines().find_map(one)
}

/// The day and the time in a line, such as `2026-11-25 10:07`, in minutes since some day.
fn minutes(line: &str) -> Option<i64> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let numbers = |word: &str, between: char| {
        word.split(between).map(|it| it.parse().ok()).collect::<Option<Vec<i64>>>()
    };
    words.windows(2).find_map(|pair| {
        let (day, time) = (numbers(pair[0], '-')?, numbers(pair[1], ':')?);
        let (&[year @ 0..=9999, month @ 1..=12, day @ 1..=31], &[hour @ 0..=24, minute @ 0..=60]) =
            (&*day, &*time)
        else {
            return None;
        };
        // Counted from March, a year's odd day is its last one.
        let (year, month) = if month < 3 { (year - 1, month + 9) } else { (year, month - 3) };
        let days = year * 365 + year / 4 - year / 100 + year / 400 + (month * 153 + 2) / 5 + day;
        Some((days * 24 + hour) * 60 + minute)
    })
}

fn is_token(name: &str) -> bool {
    name.len() == 17
        && name.strip_prefix('d').is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_hexdigit()))
}

#[cfg(test)]
mod tests;
