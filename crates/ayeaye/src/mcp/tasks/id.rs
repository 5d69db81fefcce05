//! The id of a task, which holds all that is needed to find it.
use std::fmt;
use std::str::FromStr;

use ayeaye_agent::SessionId;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};

use crate::secret;

/// On the wire `SESSION.RUN.aMILLISECONDS.CHECK` for a task that asks questions, and with `r` instead of `a`
/// for one that returns them. The check tells an id that was never given out: nothing else knows the milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct TaskId {
    pub(super) session: SessionId,
    /// The run that the call started or joined.
    pub(super) run: u32,
    /// Whether it asks questions in forms and goes on with the answers.
    pub(super) asks: bool,
    /// When it was created; only reported back.
    pub(super) created: Timestamp,
}

const CHECK_BYTES: usize = 4;

/// The text is not a task id.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvalidTaskId;

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.asks { 'a' } else { 'r' };
        let rest = format!("{}.{}.{how}{}", self.session, self.run, self.created.as_millisecond());
        let check = Sha256::new().chain_update(b"task id\0").chain_update(&rest).finalize();
        write!(f, "{rest}.{}", secret::hex(&check[..CHECK_BYTES]))
    }
}

impl FromStr for TaskId {
    type Err = InvalidTaskId;

    fn from_str(text: &str) -> Result<Self, InvalidTaskId> {
        let mut parts = text.splitn(4, '.');
        let mut next = || parts.next().ok_or(InvalidTaskId);
        let (session, run, rest) = (next()?, next()?, next()?);
        let (asks, created) = match (rest.strip_prefix('a'), rest.strip_prefix('r')) {
            (Some(rest), _) => (true, rest),
            (None, Some(rest)) => (false, rest),
            (None, None) => return Err(InvalidTaskId),
        };
        let created = created.parse().map_err(|_| InvalidTaskId)?;
        let id = Self {
            session: session.parse().map_err(|_| InvalidTaskId)?,
            run: run.parse().map_err(|_| InvalidTaskId)?,
            asks,
            created: Timestamp::from_millisecond(created).map_err(|_| InvalidTaskId)?,
        };
        // Only the canonical spelling, with its check: a task has one id.
        if id.to_string() == text { Ok(id) } else { Err(InvalidTaskId) }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_name_is_read_as_it_was_written(run: u32, asks: bool, at in 0_i64..4_000_000_000_000) {
            let created = Timestamp::from_millisecond(at).unwrap();
            let id = TaskId { session: SessionId::new(), run, asks, created };
            prop_assert_eq!(id.to_string().parse(), Ok(id));
        }

        #[test]
        fn another_digit_is_no_other_task(run in 0_u32..9, at in 0_i64..4_000_000_000_000, digit: prop::sample::Index) {
            let created = Timestamp::from_millisecond(at).unwrap();
            let id = TaskId { session: SessionId::new(), run, asks: true, created }.to_string();
            let digits: Vec<usize> = id.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
            let at = *digit.get(&digits);
            let other = if id[at..].starts_with('7') { "8" } else { "7" };
            let changed = format!("{}{other}{}", &id[..at], &id[at + 1..]);
            prop_assert_eq!(changed.parse::<TaskId>(), Err(InvalidTaskId));
        }

        #[test]
        fn any_text_is_survived(text in "[0-9a-f.ar+-]{0,80}") {
            if let Ok(id) = text.parse::<TaskId>() {
                prop_assert_eq!(id.to_string(), text);
            }
        }
    }

    #[test]
    fn one_task_has_one_name() {
        let session = SessionId::new();
        for wrong in
            ["", "x.1.a1", "{}.1", "{}.01.a1", "{}.1.b1", "{}.1.a+1", "{}.1.a1", "{}.1.a1.00000000"]
        {
            let text = wrong.replace("{}", &session.to_string());
            assert_eq!(text.parse::<TaskId>(), Err(InvalidTaskId), "{text}");
        }
    }
}
