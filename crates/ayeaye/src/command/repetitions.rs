//! One task again and again: `--every`.
//!
//! A repetition begins when it is due by the clock on the wall, counted from the first, so that they do not
//! drift. One that takes longer than the time between them makes the next wait for the next due time: repetitions
//! never overlap, and those that were missed are said.
use std::future::Future;
use std::time::Duration;

use ayeaye_agent::{Clock, Report, StopReason};
use jiff::{SignedDuration, Timestamp};

use crate::cli::Repeat;
use crate::command::report::exit;
use crate::command::{Exit, print_error};
use crate::shutdown::Shutdown;
use crate::terminal::Terminal;
use crate::text::local_time;

/// The most repetitions in a row that may fail; after the next one somebody has to look.
const MAX_FAILURES: u32 = 3;
/// Between two looks at the clock: a computer that sleeps, or a clock that is set, is noticed so late.
const LOOK: Duration = Duration::from_secs(30);

/// What a repetition has come to.
#[derive(Debug)]
pub(super) struct RepetitionEnd {
    /// Its exit code, were it the only one.
    pub(super) exit: Exit,
    /// The person at the terminal has stopped it.
    interrupted: bool,
    /// In a line: how it ended, and the session.
    line: String,
}

impl RepetitionEnd {
    /// One without a session: the reason has been printed.
    pub(super) fn before_it_began(exit: Exit) -> Self {
        Self { exit, interrupted: false, line: "could not begin".to_owned() }
    }

    /// One that has run.
    pub(super) fn of(report: &Report) -> Self {
        let reason = report.stop_reason;
        Self {
            exit: exit(reason),
            interrupted: reason == StopReason::UserPaused,
            line: format!("{} (session {})", reason.name(), report.session_id),
        }
    }
}

/// Does a task again and again, or once where nothing is to be repeated. Each time it is given the time by which a
/// question has to be answered.
pub(super) async fn repeat_task<F>(
    repeat: Repeat,
    terminal: Terminal,
    now: &Clock,
    signals: &Shutdown,
    mut repetition: impl FnMut(Option<Timestamp>) -> F,
) -> anyhow::Result<Exit>
where
    F: Future<Output = anyhow::Result<RepetitionEnd>>,
{
    let Some(every) = repeat.every else { return Ok(repetition(None).await?.exit) };
    let mut begun = now();
    let mut failures = 0;
    for number in 1.. {
        begun = begun.min(now());
        let (answer_by, due_before) = next_due(begun, every.0, now());
        let ended = repetition(Some(answer_by)).await;
        let ended = ended.unwrap_or_else(|err| RepetitionEnd::before_it_began(print_error(&err)));
        terminal.item(&format!("round {number}"), &ended.line);
        // Words that were right in the first repetition are so in the others: then it is the phones that have changed.
        let is_wrong = ended.exit == Exit::Usage && number == 1;
        failures = if matches!(ended.exit, Exit::Failed | Exit::Usage) { failures + 1 } else { 0 };
        let last = repeat.times.is_some_and(|times| times <= number);
        if ended.interrupted || last || is_wrong || ended.exit == Exit::NeedsAnswer {
            if ended.exit == Exit::NeedsAnswer && !last {
                terminal.item(
                    "stopped",
                    "a question is waiting for its answer: no further round starts without it",
                );
            }
            return Ok(ended.exit);
        }
        if failures == MAX_FAILURES {
            terminal.item("stopped", &format!("{MAX_FAILURES} rounds in a row have failed"));
            return Ok(ended.exit);
        }
        // Whoever ends the program while a repetition comes to its end wants no other one.
        if signals.asked.is_cancelled() {
            return Ok(ended.exit);
        }
        begun = begun.min(now());
        let (due, due_by_now) = next_due(begun, every.0, now());
        let missed = due_by_now.saturating_sub(due_before);
        let skipped = match missed {
            0 => String::new(),
            1 => " (one was missed)".to_owned(),
            missed => format!(" ({missed} were missed)"),
        };
        let left = due.duration_since(now()).round(jiff::Unit::Second).unwrap_or_default();
        let due_in = format!("in {left:#}, at {}", local_time(due));
        terminal.item("next", &format!("{due_in}{skipped}; Ctrl-C stops it"));
        if signals.unless_asked(wait_for_repetition(due, every.0, now)).await.is_none() {
            return Ok(Exit::Done);
        }
    }
    Ok(Exit::Done)
}

/// The first due time after `now`, and how many there were until then, that of the first repetition not counted.
fn next_due(begun: Timestamp, every: Duration, now: Timestamp) -> (Timestamp, u64) {
    // A clock that was set back has not reached the beginning.
    let passed = u128::try_from(now.duration_since(begun).as_nanos()).unwrap_or(0);
    let before = passed / every.as_nanos().max(1);
    let before = u64::try_from(before).unwrap_or(u64::MAX);
    let after = u32::try_from(before.saturating_add(1))
        .ok()
        .and_then(|repetitions| every.checked_mul(repetitions));
    let due = after
        .and_then(|span| SignedDuration::try_from(span).ok())
        .and_then(|span| begun.checked_add(span).ok());
    (due.unwrap_or(Timestamp::MAX), before)
}

/// Waits for a repetition's time by the clock. Where that was far ahead and is set back it waits as long as
/// repetitions are apart: the time would not come for days.
async fn wait_for_repetition(due: Timestamp, every: Duration, now: &Clock) {
    let mut due = due;
    while let Ok(left) = Duration::try_from(due.duration_since(now()))
        && !left.is_zero()
    {
        if every < left {
            due = next_due(now(), every, now()).0;
        }
        tokio::time::sleep(left.min(every).min(LOOK)).await;
    }
}

/// Waits for a time by the clock.
pub(super) async fn wait_until(due: Timestamp, now: &Clock) {
    while let Ok(left) = Duration::try_from(due.duration_since(now()))
        && !left.is_zero()
    {
        tokio::time::sleep(left.min(LOOK)).await;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn at(text: &str) -> Timestamp {
        format!("2026-03-01T{text}Z").parse().unwrap()
    }

    #[test]
    fn repetitions_are_due_by_the_first_and_do_not_drift() {
        let due = |now| next_due(at("08:00:00"), Duration::from_mins(30), at(now));
        assert_eq!(due("08:00:00"), (at("08:30:00"), 0));
        assert_eq!(due("08:29:59.9"), (at("08:30:00"), 0));
        assert_eq!(due("08:30:00"), (at("09:00:00"), 1));
        assert_eq!(due("09:47:00"), (at("10:00:00"), 3));
        assert_eq!(due("07:00:00"), (at("08:30:00"), 0), "the clock was set back");
    }

    #[test]
    fn a_time_that_no_clock_shows_is_no_panic() {
        let year = Duration::from_hours(366 * 24);
        let (due, before) = next_due(Timestamp::MIN, year, Timestamp::MAX);
        assert!(due == Timestamp::MAX && 19_000 < before, "{due} {before}");
        next_due(Timestamp::MIN, Duration::from_secs(1), Timestamp::MAX);
    }

    /// A clock that goes with the paused time of a test.
    fn paused() -> Clock {
        let begun = tokio::time::Instant::now();
        Arc::new(move || at("08:00:00") + begun.elapsed())
    }

    fn end(reason: Exit) -> RepetitionEnd {
        RepetitionEnd::before_it_began(reason)
    }

    async fn run(exits: &[Exit], times: Option<u32>) -> (Exit, usize) {
        run_until(&Shutdown::default(), usize::MAX, (exits, times)).await
    }

    /// With a signal during the repetition of this number.
    async fn run_until(
        signals: &Shutdown,
        signal_in: usize,
        (exits, times): (&[Exit], Option<u32>),
    ) -> (Exit, usize) {
        let terminal = Terminal::new(true, true).beside_json();
        let every = Some("2h".parse().unwrap());
        let mut done = 0;
        let now = paused();
        let exit = repeat_task(Repeat { every, times }, terminal, &now, signals, |answer_by| {
            assert!(answer_by.is_some());
            done += 1;
            if done == signal_in {
                signals.asked.cancel();
            }
            std::future::ready(Ok(end(exits[done - 1])))
        });
        (exit.await.unwrap(), done)
    }

    #[tokio::test(start_paused = true)]
    async fn repetitions_end_after_their_number_a_question_or_failures_in_a_row() {
        use Exit::{Done, Failed, NeedsAnswer, Usage};
        assert_eq!(run(&[Done], Some(1)).await, (Done, 1));
        assert_eq!(run(&[NeedsAnswer], None).await, (NeedsAnswer, 1));
        assert_eq!(run(&[Usage], Some(5)).await, (Usage, 1));
        assert_eq!(run(&[Done, Usage, Done], Some(3)).await, (Done, 3), "two phones for a while");
        assert_eq!(run(&[Done, Usage, Usage, Usage], Some(9)).await, (Usage, 4));
        assert_eq!(run(&[Failed, Done, Failed, Failed, Failed], None).await, (Failed, 5));
    }

    #[tokio::test(start_paused = true)]
    async fn no_repetition_follows_one_during_which_the_program_is_to_end() {
        let exits = [Exit::Done; 3];
        let ended = run_until(&Shutdown::default(), 2, (&exits, Some(3))).await;
        assert_eq!(ended, (Exit::Done, 2));
    }

    #[tokio::test(start_paused = true)]
    async fn after_a_clock_that_was_ahead_is_set_back_the_next_repetition_waits_no_longer_than_any()
    {
        // From the beginning, or from the middle of the first repetition on; until the middle of the second wait.
        for ahead_from in [0, 600] {
            let begun = tokio::time::Instant::now();
            let now: Clock = Arc::new(move || {
                let elapsed = begun.elapsed();
                let is_ahead = (ahead_from..9000).contains(&elapsed.as_secs());
                let hours = if is_ahead { 1000 * 24 } else { 0 };
                at("08:00:00") + elapsed + Duration::from_hours(hours)
            });
            let terminal = Terminal::new(true, true).beside_json();
            let repeat = Repeat { every: Some("2h".parse().unwrap()), times: Some(3) };
            let mut began = Vec::new();
            let signals = Shutdown::default();
            let exit = repeat_task(repeat, terminal, &now, &signals, |_| {
                began.push(begun.elapsed());
                async {
                    tokio::time::sleep(Duration::from_mins(20)).await;
                    Ok(end(Exit::Done))
                }
            });
            assert_eq!(exit.await.unwrap(), Exit::Done);
            let pauses = began.windows(2).map(|two| two[1].checked_sub(two[0]).unwrap());
            let most = Duration::from_hours(4);
            assert!(pauses.clone().all(|pause| pause <= most), "{ahead_from}: {began:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_signal_between_two_repetitions_ends_the_waiting() {
        let signals = Shutdown::default();
        let asked = signals.asked.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_hours(1)).await;
            asked.cancel();
        });
        let ended = run_until(&signals, usize::MAX, (&[Exit::Done; 3], Some(3))).await;
        assert_eq!(ended, (Exit::Done, 1));
    }
}
