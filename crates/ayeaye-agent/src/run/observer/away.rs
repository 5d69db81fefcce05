//! A run that waits for a phone which has gone away says so, in the record and to whoever follows it.
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde_json::{Map, json};
use tokio::sync::watch::Sender;
use tokio::time::{Instant, sleep};

use super::Observer;
use crate::journal::{Fact, JournalError, NoteKind};
use crate::report::WAITS_FOR_PHONE;
use crate::run::outcome::RunError;
use crate::run::recorder::Recorder;
use crate::run::update::RunUpdate;
use crate::{DeviceError, error_chain};

/// A link that is back sooner is not worth a word.
const WORTH_TELLING: Duration = Duration::from_secs(1);

/// The pauses between attempts to reach a phone that is away: the first one, and the longest.
pub(super) const FIRST_PAUSE: Duration = Duration::from_millis(250);
pub(super) const LONGEST_PAUSE: Duration = Duration::from_secs(4);

impl Observer {
    /// Waits for a phone that cannot be reached, for a limited time counted from `begun`. Returns whether it came back.
    pub(in crate::run) async fn comes_back(
        &mut self,
        mut err: DeviceError,
        begun: Instant,
        recorder: &mut Recorder,
    ) -> Result<Result<(), DeviceError>, RunError> {
        let mut away = Away::new(self.followers.clone());
        let mut pause = FIRST_PAUSE;
        while pause < self.device_wait.saturating_sub(begun.elapsed()) {
            let left = self.device_wait.saturating_sub(begun.elapsed());
            away.goes_on(&err, left, recorder).await?;
            self.cancel.race(sleep(pause)).await?;
            pause = (pause * 2).min(LONGEST_PAUSE);
            match self.cancel.race(self.device.state()).await? {
                Err(still) if still.is_unreachable() => err = still,
                // Whatever else is wrong with it shows next.
                _ => {
                    away.end(recorder).await?;
                    return Ok(Ok(()));
                }
            }
        }
        Ok(Err(err))
    }
}

/// Reports one wait, to followers and in the record.
#[derive(Debug)]
pub(super) struct Away {
    since: Instant,
    is_told: bool,
    followers: Option<Sender<RunUpdate>>,
}

impl Away {
    pub(super) fn new(followers: Option<Sender<RunUpdate>>) -> Self {
        Self { since: Instant::now(), is_told: false, followers }
    }

    /// Reports that the wait goes on, for so much longer.
    pub(super) async fn goes_on(
        &mut self,
        err: &DeviceError,
        left: Duration,
        recorder: &mut Recorder,
    ) -> Result<(), JournalError> {
        if self.is_told || !err.is_unreachable() || self.since.elapsed() < WORTH_TELLING {
            return Ok(());
        }
        self.is_told = true;
        let until = SystemTime::now().checked_add(left).and_then(|it| Timestamp::try_from(it).ok());
        let until = until.unwrap_or(Timestamp::MAX);
        let until = until.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let text = format!("{WAITS_FOR_PHONE}{until}: {}.", error_chain(err));
        let figures = Map::from_iter([("until".to_owned(), json!(until))]);
        let kind = NoteKind::DeviceAway.into();
        recorder.append(Fact::Note { kind, text: text.clone(), figures }).await?;
        self.tell(recorder, text);
        Ok(())
    }

    /// Reports that the phone answers again.
    pub(super) async fn end(self, recorder: &mut Recorder) -> Result<(), JournalError> {
        if !self.is_told {
            return Ok(());
        }
        let text = "The phone is there again.".to_owned();
        let kind = NoteKind::DeviceBack.into();
        recorder.append(Fact::Note { kind, text: text.clone(), figures: Map::new() }).await?;
        self.tell(recorder, text);
        Ok(())
    }

    fn tell(&self, recorder: &Recorder, line: String) {
        let Some(followers) = &self.followers else { return };
        let report = Arc::new(recorder.session().report(true));
        followers.send_modify(|update| (update.report, update.line) = (report, line));
    }
}
