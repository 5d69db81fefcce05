//! Dumps of one phone, one after the other.
//!
//! A phone has one `UiAutomation`. A dump that is given up may hold it for a while yet: adbd before Android 7 does not
//! end a command whose connection is closed, and later ones hang up on it, of which `system_server` learns when the
//! process is gone. A dump that begins meanwhile fails with "already registered", which is then nobody else's doing.
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::MutexGuard;
use tokio::time::Instant;

/// How long a dump that nobody waits for may go on: it waits ten seconds for an idle screen (AOSP,
/// `DumpCommand.java`), and takes a while to start and to write.
const OUTLIVES: Duration = Duration::from_secs(15);

/// Whose turn it is on one phone, whoever has it open.
#[derive(Debug, Default)]
pub(crate) struct Dumps {
    turn: tokio::sync::Mutex<()>,
    /// When the last one was given up, unless one has succeeded since.
    given_up: Mutex<Option<Instant>>,
    /// The display whose elements are wanted, where others show something too.
    display: Mutex<Option<u32>>,
}

/// The turn of one dump. One that is dropped before it is [over](Self::over) was given up.
#[derive(Debug)]
pub(crate) struct DumpTurn<'a> {
    dumps: &'a Dumps,
    /// It was refused a moment ago.
    asks_again: bool,
    is_over: bool,
    _alone: MutexGuard<'a, ()>,
}

impl Dumps {
    /// Waits for the one before to end. One that `asks_again` because it was refused has hardly begun when it is
    /// given up: the time of the one that it waits for still counts.
    pub(crate) async fn turn(&self, asks_again: bool) -> DumpTurn<'_> {
        let alone = self.turn.lock().await;
        DumpTurn { dumps: self, asks_again, is_over: false, _alone: alone }
    }

    /// Whether one that was given up may still be under way on the phone.
    pub(crate) fn one_may_go_on(&self) -> bool {
        let given_up = *self.given_up.lock().unwrap_or_else(PoisonError::into_inner);
        given_up.is_some_and(|at| at.elapsed() < OUTLIVES)
    }

    /// From now on elements of this display are wanted, and none of another one; `None`: there is no other.
    pub(crate) fn want(&self, display: Option<u32>) {
        *self.display.lock().unwrap_or_else(PoisonError::into_inner) = display;
    }

    /// The display whose elements are wanted, where there are several.
    pub(crate) fn wanted(&self) -> Option<u32> {
        *self.display.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, given_up: Option<Instant>) {
        *self.given_up.lock().unwrap_or_else(PoisonError::into_inner) = given_up;
    }
}

impl DumpTurn<'_> {
    /// All of its output has come. If it had the phone's `UiAutomation`, no earlier one has it any more.
    pub(crate) fn over(mut self, had_it: bool) {
        self.is_over = true;
        if had_it {
            self.dumps.note(None);
        }
    }
}

impl Drop for DumpTurn<'_> {
    fn drop(&mut self) {
        if !self.is_over && !self.asks_again {
            self.dumps.note(Some(Instant::now()));
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn one_dump_waits_for_the_other_and_one_that_was_given_up_is_remembered_for_a_while() {
        let dumps = Dumps::default();
        let first = dumps.turn(false).await;
        assert!(dumps.turn(false).now_or_never().is_none(), "one at a time");
        first.over(true);
        assert!(!dumps.one_may_go_on());
        drop(dumps.turn(false).await);
        dumps.turn(false).await.over(false);
        assert!(dumps.one_may_go_on(), "what another one holds says nothing of it");
        dumps.turn(false).await.over(true);
        assert!(!dumps.one_may_go_on());
        drop(dumps.turn(false).await);
        tokio::time::advance(OUTLIVES / 2).await;
        // Asked again and given up once more: nobody waits for ever.
        drop(dumps.turn(true).await);
        tokio::time::advance(OUTLIVES / 2).await;
        assert!(!dumps.one_may_go_on());
    }
}
