//! Settings of a phone that runs have changed and not put back yet. Kept beside the records, so that any run or server
//! can put them back.
use std::sync::Arc;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use tokio::time::{Instant, timeout_at};

use crate::journal::{DeviceRecord, Journal, JournalError, OpenChange};
use crate::{Device, DeviceError, DeviceId, PutBack, SessionId, SettingChange, error_chain};

/// The number of refusals after which a setting is left as it is.
const MOST_REFUSALS: u32 = 5;
/// Refusals within this time count as one: a phone is asked again and again, and may refuse as long as it is busy.
const BETWEEN_REFUSALS: SignedDuration = SignedDuration::from_hours(1);

/// The settings of one phone that are changed and not put back yet, as one session adds to them.
#[derive(Debug, Clone)]
pub(crate) struct OpenSettingChanges {
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) device: DeviceId,
    pub(crate) session: SessionId,
    /// The driver that makes the changes, by the name that the phone knows it by.
    pub(crate) driver: Option<String>,
    /// The phone that is connected now: a change made on another one under the same id waits for that one.
    pub(crate) phone: DeviceRecord,
}

impl OpenSettingChanges {
    async fn open(&self) -> Result<Vec<OpenChange>, JournalError> {
        self.journal.open_changes(&self.device).await
    }

    async fn update(
        &self,
        edit: impl FnOnce(&mut Vec<OpenChange>) -> bool + Send + 'static,
    ) -> Result<(), JournalError> {
        self.journal.edit_open_changes(&self.device, Box::new(edit)).await
    }

    pub(super) async fn add(&self, change: &SettingChange) -> Result<(), JournalError> {
        let added = OpenChange {
            session: self.session,
            change: change.clone(),
            refusals: 0,
            refused_at: None,
            driver: self.driver.clone(),
            phone: Some(self.phone.clone()),
        };
        let add = move |open: &mut Vec<OpenChange>| {
            open.push(added);
            true
        };
        self.update(add).await
    }

    /// Adds a change to a setting that may already have an open one, which the phone refused to put back. The setting's
    /// present value is then ours, so the value from before the earlier change is kept. Returns the change as added.
    pub(super) async fn add_over(
        &self,
        change: SettingChange,
    ) -> Result<SettingChange, JournalError> {
        let before = value_before_ours(&self.open().await?, &change);
        let change = SettingChange { before, ..change };
        self.add(&change).await?;
        Ok(change)
    }

    pub(super) async fn remove(&self, change: &SettingChange) -> Result<(), JournalError> {
        let change = change.clone();
        let remove = move |open: &mut Vec<OpenChange>| {
            let at = open.iter().rposition(|it| it.change == change);
            at.map(|at| open.remove(at)).is_some()
        };
        self.update(remove).await
    }

    /// Counts a refusal to put a setting back. A phone that is starting or busy may refuse for a while; after
    /// [`MOST_REFUSALS`] the change is forgotten.
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

    /// Puts back every open change, the last one first. A change stays open if the phone does not answer, or not within
    /// the limit. Returns what was put back, and whether the list on disk could be updated: settings are put back even
    /// on a full disk.
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
        for OpenChange { change, phone, .. } in open.into_iter().rev() {
            if phone.is_some_and(|its| self.phone.is_other_than(&its)) {
                // It waits for the phone that it was changed on.
                continue;
            }
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
                    // Where one cannot be, the others are not tried: each may wait for whoever holds the lock.
                    if remembered.is_ok() {
                        remembered = self.remove(&change).await;
                    }
                    done.push((change, how));
                }
                Err(err @ (DeviceError::Refused { .. } | DeviceError::Garbled { .. })) => {
                    remembered = remembered.and(self.count_refusal(&change, &err).await);
                }
                Err(err) => {
                    let setting = &change.setting;
                    tracing::warn!(device = %self.device, "{setting} is not put back: {}", error_chain(&err));
                    if err.is_unreachable() || err.ends_driving() {
                        break;
                    }
                }
            }
        }
        (done, remembered)
    }
}

/// What a setting had before the first of the changes that are open, where those led to the value it has now.
fn value_before_ours(open: &[OpenChange], change: &SettingChange) -> Option<String> {
    let mut before = &change.before;
    for OpenChange { change: earlier, .. } in open.iter().rev() {
        if earlier.setting == change.setting && before.as_ref() == Some(&earlier.value) {
            before = &earlier.before;
        }
    }
    before.clone()
}

/// Counts a refusal, unless the last one has just been.
fn refused_anew(open: &mut OpenChange, now: Option<Timestamp>) -> bool {
    // A clock that was put back since says nothing.
    let is_just = |since: SignedDuration| (SignedDuration::ZERO..BETWEEN_REFUSALS).contains(&since);
    if now.zip(open.refused_at).is_some_and(|(now, at)| is_just(now.duration_since(at))) {
        return false;
    }
    open.refusals = open.refusals.saturating_add(1);
    open.refused_at = now;
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RefusedBy;
    use crate::fakes::Recording;

    fn changed(setting: &str) -> SettingChange {
        SettingChange { setting: setting.to_owned(), before: None, value: "1".to_owned() }
    }

    #[tokio::test]
    async fn of_two_who_change_what_is_remembered_neither_is_lost() {
        let recording = Recording::new().await;
        let (journal, device) = (recording.journal.clone(), DeviceId::new("phone-1"));
        let session = SessionId::new();
        let phone = || recording.recorder.session().device.clone();
        let open_changes = || OpenSettingChanges {
            journal: journal.clone(),
            device: device.clone(),
            session,
            driver: None,
            phone: phone(),
        };
        // A run begins while a task of the last one has just put the keyboard back.
        let (begins, puts_back) = (open_changes(), open_changes());
        let (keyboard, timeout) = (changed("keyboard"), changed("timeout"));
        puts_back.add(&keyboard).await.unwrap();
        let (added, removed) = tokio::join!(begins.add(&timeout), puts_back.remove(&keyboard));
        added.and(removed).unwrap();
        let left = begins.open().await.unwrap().into_iter().map(|it| it.change);
        assert_eq!(left.collect::<Vec<_>>(), std::slice::from_ref(&timeout));
        // So is one that is counted.
        let (what, reason, by) = ("it".to_owned(), "no".to_owned(), RefusedBy::Device);
        let err = DeviceError::Refused { id: device, what, reason, by };
        let (counted, added) =
            tokio::join!(puts_back.count_refusal(&timeout, &err), begins.add(&keyboard));
        counted.and(added).unwrap();
        let open = begins.open().await.unwrap().into_iter();
        let left: Vec<_> = open.map(|it| (it.change, it.refusals)).collect();
        assert_eq!(left, [(timeout, 1), (keyboard, 0)]);
    }

    #[tokio::test]
    async fn a_value_of_ours_is_not_taken_for_the_owners() {
        let recording = Recording::new().await;
        let (journal, device) = (recording.journal.clone(), DeviceId::new("phone-1"));
        let phone = recording.recorder.session().device.clone();
        let open_changes =
            OpenSettingChanges { journal, device, session: SessionId::new(), driver: None, phone };
        let change = |setting: &str, before: Option<&str>, value: &str| SettingChange {
            setting: setting.to_owned(),
            before: before.map(str::to_owned),
            value: value.to_owned(),
        };
        for (now, remembered) in [
            // The first one is remembered as it is.
            (change("stay-on", Some("0"), "7"), change("stay-on", Some("0"), "7")),
            // Nobody has put it back, and it is changed again, twice.
            (change("stay-on", Some("7"), "15"), change("stay-on", Some("0"), "15")),
            (change("stay-on", Some("15"), "31"), change("stay-on", Some("0"), "31")),
            // Somebody has changed it since.
            (change("stay-on", Some("8"), "15"), change("stay-on", Some("8"), "15")),
            // Another one with the same value.
            (change("timeout", Some("7"), "9"), change("timeout", Some("7"), "9")),
            (change("scale", None, "0"), change("scale", None, "0")),
            (change("scale", Some("0"), "0.5"), change("scale", None, "0.5")),
        ] {
            assert_eq!(open_changes.add_over(now).await.unwrap(), remembered);
            assert_eq!(open_changes.open().await.unwrap().pop().unwrap().change, remembered);
        }
    }

    #[test]
    fn a_phone_that_refuses_for_minutes_has_refused_once() {
        let (change, session) = (changed("s"), SessionId::new());
        let (refused_at, driver, phone) = (None, None, None);
        let mut open = OpenChange { session, change, refusals: 0, refused_at, driver, phone };
        let begun: Timestamp = "2026-11-25T10:00:00Z".parse().unwrap();
        let after = |minutes: i64| Some(begun + SignedDuration::from_mins(minutes));
        let counted = [0, 1, 20, 59, 60, 61, 119, 120].map(|at| refused_anew(&mut open, after(at)));
        assert_eq!(counted, [true, false, false, false, true, false, false, true]);
        assert_eq!(open.refusals, 3);
        // A clock that was wrong does not keep it from being counted ever again.
        assert!(refused_anew(&mut open, after(-5)));
    }
}
