//! Settings of the phone that a run changes for as long as it drives it: that the screen stays on, that nothing is
//! animated where that is wanted, and what the device itself has to change to type a text.
//!
//! A change is in the record, and where the next process finds it, before it is made. Whoever has the
//! phone next puts back what a crash has left.
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use jiff::{SignedDuration, Timestamp};
use serde_json::Map;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, timeout_at};

use super::Run;
use super::outcome::RunError;
use super::recorder::Recorder;
use crate::journal::{Fact, Journal, JournalError, NoteKind, OpenChange};
use crate::{
    ChangeLog, Device, DeviceError, DeviceId, PutBack, SessionId, SettingChange, error_chain,
};

/// Something to be recorded, and who waits for that.
#[derive(Debug)]
pub(super) struct Change {
    what: SettingChange,
    /// `None`: it is about to be made.
    put_back: Option<PutBack>,
    recorded: oneshot::Sender<Result<(), String>>,
}

/// How the device tells a run what it changes while it carries out a command.
#[derive(Debug)]
pub(super) struct RunChangeLog {
    ledger: Ledger,
    changes: mpsc::Sender<Change>,
}

impl RunChangeLog {
    pub(super) fn new(ledger: Ledger) -> (Arc<Self>, mpsc::Receiver<Change>) {
        let (changes, receiver) = mpsc::channel(4);
        (Arc::new(Self { ledger, changes }), receiver)
    }

    async fn record(
        &self,
        change: &SettingChange,
        put_back: Option<PutBack>,
    ) -> Result<(), String> {
        let (recorded, waits) = oneshot::channel();
        let change = Change { what: change.clone(), put_back, recorded };
        let gone = || "the run is over".to_owned();
        self.changes.send(change).await.map_err(|_| gone())?;
        waits.await.map_err(|_| gone())?
    }
}

#[async_trait]
impl ChangeLog for RunChangeLog {
    async fn changing(&self, change: &SettingChange) -> Result<(), String> {
        self.ledger.add(change).await.map_err(|err| error_chain(&err))?;
        self.record(change, None).await
    }

    async fn put_back(&self, change: &SettingChange, how: &PutBack) {
        if let Err(err) = self.ledger.remove(change).await {
            tracing::warn!(device = %self.ledger.device, "{}", error_chain(&err));
        }
        // The run may be over by now: then the record has the change without its end, as after a crash.
        drop(self.record(change, Some(how.clone())).await);
    }
}

/// Records what the device has changed, or is about to.
pub(super) async fn record_change(
    recorder: &mut Recorder,
    change: Change,
) -> Result<(), JournalError> {
    let Change { what: change, put_back, recorded } = change;
    let noted = match &put_back {
        None => note_change(recorder, &change).await,
        Some(how) => note_put_back(recorder, &change, how).await,
    };
    // The device may have given up waiting.
    drop(recorded.send(noted.as_ref().copied().map_err(|err| error_chain(err))));
    noted
}

async fn note_change(recorder: &mut Recorder, change: &SettingChange) -> Result<(), JournalError> {
    let SettingChange { setting, before, value } = change;
    let before = before.as_deref().unwrap_or("nothing");
    let text = format!(
        "the phone's setting {setting} is changed from {before} to {value}, to be put back"
    );
    note(recorder, NoteKind::SettingChanged, text, change).await?;
    recorder.sync().await
}

async fn note_put_back(
    recorder: &mut Recorder,
    change: &SettingChange,
    how: &PutBack,
) -> Result<(), JournalError> {
    let SettingChange { setting, before, .. } = change;
    let text = match how {
        PutBack::Done => {
            let before = before.as_deref().unwrap_or("nothing");
            format!("the phone's setting {setting} was put back to {before}")
        }
        PutBack::ChangedSince => {
            format!(
                "the phone's setting {setting} was changed by somebody else since, and is left so"
            )
        }
    };
    note(recorder, NoteKind::SettingPutBack, text, change).await
}

async fn note(
    recorder: &mut Recorder,
    kind: NoteKind,
    text: String,
    change: &SettingChange,
) -> Result<(), JournalError> {
    let mut figures = Map::new();
    figures.insert("setting".to_owned(), change.setting.clone().into());
    figures.insert("before".to_owned(), change.before.clone().into());
    figures.insert("value".to_owned(), change.value.clone().into());
    recorder.append(Fact::Note { kind: kind.into(), text, figures }).await
}

/// After so many refusals a setting is left as it is.
const MOST_REFUSALS: u32 = 5;
/// How far apart they are: a phone is asked again and again, and may refuse for as long as it is busy.
const BETWEEN_REFUSALS: SignedDuration = SignedDuration::from_hours(1);

/// What one session has changed on one phone and not put back, beside the records.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) device: DeviceId,
    pub(crate) session: SessionId,
    /// Who changes it, as the phone knows it.
    pub(crate) driver: Option<String>,
}

impl Ledger {
    async fn open(&self) -> Result<Vec<OpenChange>, JournalError> {
        self.journal.open_changes(&self.device).await
    }

    async fn update(
        &self,
        edit: impl FnOnce(&mut Vec<OpenChange>) -> bool + Send + 'static,
    ) -> Result<(), JournalError> {
        self.journal.edit_open_changes(&self.device, Box::new(edit)).await
    }

    async fn add(&self, change: &SettingChange) -> Result<(), JournalError> {
        let added = OpenChange {
            session: self.session,
            change: change.clone(),
            refusals: 0,
            refused_at: None,
            driver: self.driver.clone(),
        };
        let add = move |open: &mut Vec<OpenChange>| {
            open.push(added);
            true
        };
        self.update(add).await
    }

    async fn remove(&self, change: &SettingChange) -> Result<(), JournalError> {
        let change = change.clone();
        let remove = move |open: &mut Vec<OpenChange>| {
            let at = open.iter().rposition(|it| it.change == change);
            at.map(|at| open.remove(at)).is_some()
        };
        self.update(remove).await
    }

    /// A phone may refuse because it is just starting or busy. One that always does is not asked for ever.
    async fn count_refusal(
        &self,
        change: &SettingChange,
        err: &DeviceError,
    ) -> Result<(), JournalError> {
        let (device, now) = (self.device.clone(), self.journal.now());
        let (change, err) = (change.clone(), error_chain(err));
        let count = move |open: &mut Vec<OpenChange>| {
            let Some(at) = open.iter().rposition(|it| it.change == change) else { return false };
            if !refused_anew(&mut open[at], now) {
                return false;
            }
            let setting = &change.setting;
            tracing::warn!(%device, "{setting} is not put back: {err}");
            if MOST_REFUSALS <= open[at].refusals {
                open.remove(at);
                let before = change.before.as_deref().unwrap_or("nothing");
                tracing::warn!(%device, "{setting} stays {}: it was {before}", change.value);
            }
            true
        };
        self.update(count).await
    }

    /// Puts back everything that is open, the last change first. What the phone does not answer to stays open, and what
    /// it does not answer to within the limit. Returns what was put back, and whether all of that could be remembered:
    /// a full disk keeps no setting of the phone changed.
    pub(crate) async fn put_back(
        &self,
        device: &dyn Device,
        limit: Option<Duration>,
    ) -> (Vec<(SettingChange, PutBack)>, Result<(), JournalError>) {
        let until = limit.map(|limit| Instant::now() + limit);
        let mut done = Vec::new();
        let mut remembered = Ok(());
        let open = match self.open().await {
            Ok(open) => open,
            Err(err) => return (done, Err(err)),
        };
        for OpenChange { change, .. } in open.into_iter().rev() {
            let put_back = device.put_back(&change);
            let answer = match until {
                Some(until) => timeout_at(until, put_back).await,
                None => Ok(put_back.await),
            };
            let Ok(answer) = answer else {
                tracing::warn!(device = %self.device, "{} is not put back in time", change.setting);
                break;
            };
            match answer {
                Ok(how) => {
                    remembered = remembered.and(self.remove(&change).await);
                    done.push((change, how));
                }
                Err(err @ (DeviceError::Refused { .. } | DeviceError::Garbled { .. })) => {
                    remembered = remembered.and(self.count_refusal(&change, &err).await);
                }
                Err(err) => {
                    let setting = &change.setting;
                    tracing::warn!(device = %self.device, "{setting} is not put back: {}", error_chain(&err));
                    if err.is_unreachable() || matches!(err, DeviceError::TakenOver { .. }) {
                        break;
                    }
                }
            }
        }
        (done, remembered)
    }
}

/// Counts a refusal, unless the last one has just been.
fn refused_anew(open: &mut OpenChange, now: Option<Timestamp>) -> bool {
    // A clock that was put back since says nothing.
    let is_just = |since: SignedDuration| (SignedDuration::ZERO..BETWEEN_REFUSALS).contains(&since);
    if now.zip(open.refused_at).is_some_and(|(now, at)| is_just(now.duration_since(at))) {
        return false;
    }
    open.refusals += 1;
    open.refused_at = now;
    true
}

impl Run {
    fn ledger(&self) -> Ledger {
        Ledger {
            journal: self.deps.journal.clone(),
            device: self.device.id().clone(),
            session: self.session().id,
            driver: self.device.act_mark().map(|mark| mark.epoch),
        }
    }

    /// Puts back what is left of this run or of one that has crashed.
    pub(super) async fn put_back_settings(&mut self) -> Result<(), RunError> {
        self.put_back_settings_within(None).await
    }

    /// The same where the phone is not waited for any longer than that.
    pub(super) async fn put_back_settings_within(
        &mut self,
        limit: Option<Duration>,
    ) -> Result<(), RunError> {
        let (done, remembered) = self.ledger().put_back(&*self.device, limit).await;
        for (change, how) in done {
            note_put_back(&mut self.recorder, &change, &how).await?;
        }
        Ok(remembered?)
    }

    /// Changes the phone's settings as the user wants them until the end of the run. A phone that refuses is driven
    /// all the same.
    pub(super) async fn change_settings(&mut self) -> Result<(), RunError> {
        if self.is_direct || self.deps.in_process_devices.contains(self.device.id()) {
            return Ok(());
        }
        // What was changed before may have been put back since.
        self.observer.set_stays_lit(false);
        self.observer.set_changes_at_once(false);
        if self.deps.limits.keep_awake {
            self.keep_awake().await?;
        }
        if self.deps.limits.stop_animations {
            self.stop_animations().await?;
        }
        Ok(())
    }

    /// Has screens change at once.
    async fn stop_animations(&mut self) -> Result<(), RunError> {
        let refused = |device: &DeviceId, err: &DeviceError| {
            tracing::warn!(%device, "its animations go on: {}", error_chain(err));
        };
        let changes = match self.device.ways_to_stop_animations().await {
            Ok(changes) => changes,
            Err(err) => {
                refused(self.device.id(), &err);
                return Ok(());
            }
        };
        for change in changes {
            self.ledger().add(&change).await?;
            note_change(&mut self.recorder, &change).await?;
            match self.device.change_setting(&change).await {
                Ok(()) => {}
                Err(err @ DeviceError::TakenOver { .. }) => return Err(RunError::DeviceLost(err)),
                Err(err) => {
                    refused(self.device.id(), &err);
                    // It stays open until it is known what the phone has made of it.
                    return Ok(());
                }
            }
        }
        self.observer.set_changes_at_once(true);
        Ok(())
    }

    /// Has the phone stay awake and lit.
    async fn keep_awake(&mut self) -> Result<(), RunError> {
        let ways = match self.device.ways_to_stay_awake().await {
            Ok(ways) => {
                self.observer.set_stays_lit(ways.is_empty());
                ways
            }
            Err(err) => {
                tracing::warn!(device = %self.device.id(), "whether it stays awake: {}", error_chain(&err));
                return Ok(());
            }
        };
        for change in ways {
            self.ledger().add(&change).await?;
            note_change(&mut self.recorder, &change).await?;
            match self.device.change_setting(&change).await {
                Ok(()) => {
                    self.observer.set_stays_lit(true);
                    return Ok(());
                }
                Err(err) if err.is_unreachable() => return Ok(()),
                Err(err @ DeviceError::TakenOver { .. }) => return Err(RunError::DeviceLost(err)),
                Err(err) => {
                    tracing::warn!(device = %self.device.id(), "it may go dark: {}", error_chain(&err));
                    self.put_back_settings().await?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fakes::Recording;

    fn changed(setting: &str) -> SettingChange {
        SettingChange { setting: setting.to_owned(), before: None, value: "1".to_owned() }
    }

    #[tokio::test]
    async fn of_two_who_change_what_is_remembered_neither_is_lost() {
        let recording = Recording::new().await;
        let (journal, device) = (recording.journal.clone(), DeviceId::new("phone-1"));
        let session = SessionId::new();
        let ledger =
            || Ledger { journal: journal.clone(), device: device.clone(), session, driver: None };
        // A run begins while a task of the last one has just put the keyboard back.
        let (begins, puts_back) = (ledger(), ledger());
        let (keyboard, timeout) = (changed("keyboard"), changed("timeout"));
        puts_back.add(&keyboard).await.unwrap();
        let (added, removed) = tokio::join!(begins.add(&timeout), puts_back.remove(&keyboard));
        added.and(removed).unwrap();
        let left = begins.open().await.unwrap().into_iter().map(|it| it.change);
        assert_eq!(left.collect::<Vec<_>>(), std::slice::from_ref(&timeout));
        // So is one that is counted.
        let err =
            DeviceError::Refused { id: device, what: "it".to_owned(), reason: "no".to_owned() };
        let (counted, added) =
            tokio::join!(puts_back.count_refusal(&timeout, &err), begins.add(&keyboard));
        counted.and(added).unwrap();
        let open = begins.open().await.unwrap().into_iter();
        let left: Vec<_> = open.map(|it| (it.change, it.refusals)).collect();
        assert_eq!(left, [(timeout, 1), (keyboard, 0)]);
    }

    #[test]
    fn a_phone_that_refuses_for_minutes_has_refused_once() {
        let (change, session) = (changed("s"), SessionId::new());
        let mut open = OpenChange { session, change, refusals: 0, refused_at: None, driver: None };
        let begun: Timestamp = "2026-11-25T10:00:00Z".parse().unwrap();
        let after = |minutes: i64| Some(begun + SignedDuration::from_mins(minutes));
        let counted = [0, 1, 20, 59, 60, 61, 119, 120].map(|at| refused_anew(&mut open, after(at)));
        assert_eq!(counted, [true, false, false, false, true, false, false, true]);
        assert_eq!(open.refusals, 3);
        // A clock that was wrong does not keep it from being counted ever again.
        assert!(refused_anew(&mut open, after(-5)));
    }
}
