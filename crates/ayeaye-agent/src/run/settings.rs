//! Settings of the phone that a run changes for as long as it drives it: that the screen stays on, that nothing is
//! animated where that is wanted, and what the device itself has to change to type a text.
//!
//! A change is in the record, and where the next process finds it, before it is made. Whoever has the
//! phone next puts back what a crash has left.
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde_json::Map;
use tokio::sync::{mpsc, oneshot};

use super::Run;
use super::open_setting_changes::OpenSettingChanges;
use super::outcome::RunError;
use super::recorder::Recorder;
use crate::journal::{Fact, JournalError, NoteKind};
use crate::{ChangeLog, DeviceError, DeviceId, PutBack, SettingChange, error_chain};

/// A change to be recorded, and who waits for that.
#[derive(Debug)]
pub(super) struct ChangeToRecord {
    what: SettingChange,
    /// `None` if the change is about to be made, else how it was put back.
    put_back: Option<PutBack>,
    recorded: oneshot::Sender<Result<(), String>>,
}

/// Receives the changes that the device makes to settings while it carries out a run's command.
#[derive(Debug)]
pub(super) struct RunChangeLog {
    open_changes: OpenSettingChanges,
    changes: mpsc::Sender<ChangeToRecord>,
}

impl RunChangeLog {
    pub(super) fn new(
        open_changes: OpenSettingChanges,
    ) -> (Arc<Self>, mpsc::Receiver<ChangeToRecord>) {
        let (changes, receiver) = mpsc::channel(4);
        (Arc::new(Self { open_changes, changes }), receiver)
    }

    async fn record(
        &self,
        change: &SettingChange,
        put_back: Option<PutBack>,
    ) -> Result<(), String> {
        let (recorded, waits) = oneshot::channel();
        let change = ChangeToRecord { what: change.clone(), put_back, recorded };
        let gone = || "the run is over".to_owned();
        self.changes.send(change).await.map_err(|_| gone())?;
        waits.await.map_err(|_| gone())?
    }
}

#[async_trait]
impl ChangeLog for RunChangeLog {
    async fn changing(&self, change: &SettingChange) -> Result<(), String> {
        self.open_changes.add(change).await.map_err(|err| error_chain(&err))?;
        self.record(change, None).await
    }

    async fn put_back(&self, change: &SettingChange, how: &PutBack) {
        if let Err(err) = self.open_changes.remove(change).await {
            tracing::warn!(device = %self.open_changes.device, "{}", error_chain(&err));
        }
        // The run may be over by now: then the record has the change without its end, as after a crash.
        drop(self.record(change, Some(how.clone())).await);
    }
}

/// Records a change that the device is about to make or has put back.
pub(super) async fn record_change(
    recorder: &mut Recorder,
    change: ChangeToRecord,
) -> Result<(), JournalError> {
    let ChangeToRecord { what: change, put_back, recorded } = change;
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

impl Run {
    fn open_changes(&self) -> OpenSettingChanges {
        OpenSettingChanges {
            journal: self.deps.journal.clone(),
            device: self.device.id().clone(),
            session: self.session().id,
            driver: self.device.act_mark().map(|mark| mark.driver),
            phone: self.session().device.clone(),
        }
    }

    /// Puts back the settings that this run, or a crashed one, has changed.
    pub(super) async fn put_back_settings(&mut self) -> Result<(), RunError> {
        self.put_back_settings_within(None).await
    }

    /// Like [`put_back_settings`](Self::put_back_settings), but waits no longer than `limit` for the phone.
    pub(super) async fn put_back_settings_within(
        &mut self,
        limit: Option<Duration>,
    ) -> Result<(), RunError> {
        let (done, remembered) = self.open_changes().put_back(&*self.device, limit).await;
        for (change, how) in done {
            note_put_back(&mut self.recorder, &change, &how).await?;
        }
        Ok(remembered?)
    }

    /// Changes the phone's settings, until the end of the run, as Aye-aye's settings say. A phone that refuses is
    /// driven all the same.
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
            let change = self.open_changes().add_over(change).await?;
            note_change(&mut self.recorder, &change).await?;
            match self.device.change_setting(&change).await {
                Ok(()) => {}
                Err(err) if err.ends_driving() => {
                    return Err(RunError::DeviceLost(err));
                }
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
            let change = self.open_changes().add_over(change).await?;
            note_change(&mut self.recorder, &change).await?;
            match self.device.change_setting(&change).await {
                Ok(()) => {
                    self.observer.set_stays_lit(true);
                    return Ok(());
                }
                Err(err) if err.is_unreachable() => return Ok(()),
                Err(err) if err.ends_driving() => {
                    return Err(RunError::DeviceLost(err));
                }
                Err(err) => {
                    tracing::warn!(device = %self.device.id(), "it may go dark: {}", error_chain(&err));
                    self.put_back_settings().await?;
                }
            }
        }
        Ok(())
    }
}
