//! What it answers, and what comes of what is sent to it.
use std::fs;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use async_trait::async_trait;
use tokio::time::{Instant, sleep};

use super::screen::frame;
use super::{Call, FakeDevice, Fault, Motion};
use crate::journal::ActionRecord;
use crate::{
    ActMark, Action, App, CaptureDigest, CommandPreview, Device, DeviceCommand, DeviceEntry,
    DeviceError, DeviceId, DeviceInfo, DeviceNames, DeviceSource, Frame, Gesture, NoElements,
    Performed, PutBack, RefusedBy, ScreenSize, ScreenState, SettingChange, Surroundings, Transport,
};

impl FakeDevice {
    async fn answer(&self) {
        let takes = self.inner().answer_takes;
        if !takes.is_zero() {
            sleep(takes).await;
        }
    }

    fn arrive(&self, call: Call) -> Option<Fault> {
        let mut nth = 0;
        self.calls.send_modify(|calls| {
            let count = calls.entry(call).or_default();
            *count += 1;
            nth = *count;
        });
        let inner = self.inner();
        let mut hits =
            inner.faults.iter().filter(|(kind, which, _)| *kind == call && which.contains(&nth));
        hits.next().map(|(_, _, fault)| *fault)
    }

    async fn fail(&self, what: &str, fault: Fault) -> Result<(), DeviceError> {
        let (id, what) = (self.id.clone(), what.to_owned());
        match fault {
            Fault::LinkLost => Err(DeviceError::LinkLost(id, what)),
            Fault::TimedOut(after) => {
                sleep(after).await;
                Err(DeviceError::TimedOut { id, what, after })
            }
            Fault::Refused => Err(DeviceError::Refused {
                id,
                what,
                reason: "exit code 1".to_owned(),
                by: RefusedBy::Device,
            }),
            Fault::NoKeyboard => {
                Err(DeviceError::NoKeyboard { id, odd: '你', why: "none is installed".to_owned() })
            }
            Fault::Garbled => {
                Err(DeviceError::Garbled { id, what, reason: "cut short".to_owned() })
            }
            Fault::CannotCapture => {
                Err(DeviceError::CannotCapture { id, said: "Capturing failed.".to_owned() })
            }
            Fault::Gone => Err(DeviceError::NotFound(id)),
            Fault::Hang => {
                let mut held = self.held.subscribe();
                held.wait_for(|held| !held).await.expect("the phone is there");
                Ok(())
            }
            Fault::Black | Fault::ScreenOff | Fault::Locked => Ok(()),
        }
    }

    /// Something that changes the phone arrives: it must be on the disk, and be alone.
    async fn change(&self, call: Call, what: String, name: &str) -> Result<(), DeviceError> {
        let complaint = (!self.is_announced(name))
            .then(|| format!("{what} came before its tool.start was on the disk"));
        let fault = {
            let mut inner = self.inner();
            inner.complaints.extend(complaint);
            if self.unsynced.load(Ordering::Relaxed) != 0 {
                inner.complaints.push(format!("{what} came before the disk was synced"));
            }
            if std::mem::replace(&mut inner.changing, true) {
                inner.complaints.push(format!("{what} came while something else was under way"));
            }
            inner.sent.push(what.clone());
            drop(inner);
            self.arrive(call)
        };
        self.answer().await;
        let outcome = match fault {
            Some(fault) => self.fail(&what, fault).await,
            None => Ok(()),
        };
        let mut inner = self.inner();
        inner.changing = false;
        if outcome.is_ok() || matches!(fault, Some(Fault::LinkLost)) {
            match call {
                Call::Wake => (inner.awake, inner.locked) = (true, false),
                Call::Perform if what.contains("POWER") => inner.awake ^= true,
                Call::Perform if matches!(inner.motion, Motion::Dead) => {}
                _ => {
                    inner.page += 1;
                    (inner.touched, inner.caret) = (Instant::now(), false);
                    if call == Call::Perform
                        && let Some((front, dump)) = inner.pages.pop_front()
                    {
                        (inner.front, inner.dump) = (front, Some(dump));
                    }
                }
            }
        }
        outcome
    }

    /// Whether the last line of some session's file announces this.
    fn is_announced(&self, name: &str) -> bool {
        let sessions = fs::read_dir(self.data.join("sessions")).into_iter().flatten().flatten();
        sessions.into_iter().any(|session| {
            let events =
                fs::read_to_string(session.path().join("events.jsonl")).unwrap_or_default();
            let last = events.lines().last().and_then(|line| serde_json::from_str(line).ok());
            let last: serde_json::Value = last.unwrap_or_default();
            last["type"] == "tool.start"
                && last["data"]["name"] == name
                && last["data"]["device"] == true
        })
    }
}

#[async_trait]
impl Device for FakeDevice {
    fn id(&self) -> &DeviceId {
        &self.id
    }

    async fn info(&self) -> Result<DeviceInfo, DeviceError> {
        let mut inner = self.inner();
        inner.descriptions += 1;
        Ok(DeviceInfo {
            id: self.id.clone(),
            model: inner.model.to_owned(),
            android_version: "14".to_owned(),
            screen: inner.size,
            serial_number: Some(inner.serial_number.to_owned()),
        })
    }

    async fn capture(&self) -> Result<Frame, DeviceError> {
        let takes = self.inner().capture_takes;
        sleep(takes).await;
        match self.arrive(Call::Capture) {
            Some(Fault::Black) => Ok(frame(self.inner().size, [0, 0, 0])),
            Some(fault) => self.fail("a capture", fault).await.map(|()| self.paint()),
            None => Ok(self.paint_with_digest()),
        }
    }

    async fn capture_digest(&self) -> Result<Option<CaptureDigest>, DeviceError> {
        let Some(takes) = self.inner().digest_takes else { return Ok(None) };
        let digest = self.paint_with_digest().digest();
        sleep(takes).await;
        match self.arrive(Call::Digest) {
            Some(fault) => self.fail("a digest", fault).await.map(|()| None),
            None => Ok(digest),
        }
    }

    fn makes_digests(&self) -> bool {
        self.inner().digest_takes.is_some()
    }

    fn captures_overlap(&self) -> bool {
        self.inner().captures_overlap
    }

    async fn recent_driver(&self) -> Result<Option<String>, DeviceError> {
        Ok(self.inner().recent_driver.map(ToOwned::to_owned))
    }

    fn act_mark(&self) -> Option<ActMark> {
        self.inner().had_begun.map(|_| ActMark { driver: "first".to_owned(), number: 1 })
    }

    async fn has_begun(&self, _: &ActMark) -> Result<Option<bool>, DeviceError> {
        Ok(self.inner().had_begun)
    }

    async fn state(&self) -> Result<ScreenState, DeviceError> {
        self.answer().await;
        match self.arrive(Call::State) {
            Some(Fault::ScreenOff) => self.inner().awake = false,
            Some(Fault::Locked) => self.inner().locked = true,
            Some(fault) => self.fail("its state", fault).await?,
            None => {}
        }
        let inner = self.inner();
        let awake = inner.awake;
        let foreground = inner.front.clone();
        Ok(ScreenState {
            awake,
            locked: !awake || inner.locked,
            app_over_lock: inner.app_over_lock,
            foreground: Some(foreground),
            protected: inner.protected,
            keyboard_shown: inner.keyboard_shown,
            secret_field: inner.secret_field,
        })
    }

    async fn is_awake(&self) -> Result<bool, DeviceError> {
        self.answer().await;
        match self.arrive(Call::IsAwake) {
            Some(fault) => self.fail("whether it is on", fault).await.map(|()| true),
            None => Ok(self.inner().awake),
        }
    }

    async fn ways_to_stay_awake(&self) -> Result<Vec<SettingChange>, DeviceError> {
        match self.arrive(Call::StayAwake) {
            Some(fault) => self.fail("whether it stays awake", fault).await.map(|()| Vec::new()),
            None => Ok(Vec::new()),
        }
    }

    async fn ways_to_stop_animations(&self) -> Result<Vec<SettingChange>, DeviceError> {
        Ok(self.inner().animations.clone())
    }

    async fn change_setting(&self, change: &SettingChange) -> Result<(), DeviceError> {
        self.inner().changed.push(change.clone());
        Ok(())
    }

    async fn put_back(&self, change: &SettingChange) -> Result<PutBack, DeviceError> {
        if let Some(fault) = self.arrive(Call::PutBack) {
            self.fail("a setting put back", fault).await?;
        }
        let mut inner = self.inner();
        let at = inner.changed.iter().rposition(|it| it == change);
        let done = |at| {
            inner.changed.remove(at);
            PutBack::Done
        };
        Ok(at.map_or(PutBack::ChangedSince, done))
    }

    async fn perform(&self, gesture: &Gesture, on: ScreenSize) -> Result<Performed, DeviceError> {
        assert_eq!(on, self.inner().size, "gestures are decided on the frame that was seen");
        if matches!(gesture, Gesture::Command(DeviceCommand::FetchFile { .. })) {
            // It changes nothing, so nobody has to be kept from it.
            if let Some(fault) = self.arrive(Call::Perform) {
                self.fail("fetching", fault).await?;
            }
            return Ok(self.inner().performed.clone());
        }
        let facts = ActionRecord::from(&Action::Gesture(gesture.clone()));
        self.change(Call::Perform, facts.describe(), gesture.name()).await?;
        Ok(self.inner().performed.clone())
    }

    async fn wake(&self) -> Result<(), DeviceError> {
        self.change(Call::Wake, "WAKE".to_owned(), "WAKE").await
    }

    async fn reset(&self) -> Result<Option<String>, DeviceError> {
        self.change(Call::Reset, "RESET".to_owned(), "RESET").await?;
        Ok(Some("com.example.chat".to_owned()))
    }

    async fn apps(&self) -> Result<Vec<App>, DeviceError> {
        if let Some(fault) = self.arrive(Call::Apps) {
            self.fail("its apps", fault).await?;
        }
        let app = |(package, label): &(&str, &str)| App {
            package: (*package).to_owned(),
            label: Some((*label).to_owned()),
        };
        Ok(self.inner().apps.iter().map(app).collect())
    }

    async fn preview(&self, command: &DeviceCommand) -> Result<CommandPreview, DeviceError> {
        let (DeviceCommand::StopApp { app } | DeviceCommand::Uninstall { app }) = command else {
            return Ok(CommandPreview::default());
        };
        let inner = self.inner();
        let known = inner.apps.iter().find(|(package, label)| package == app || label == app);
        let package = known.map(|(package, _)| (*package).to_owned());
        Ok(CommandPreview { package, ..CommandPreview::default() })
    }

    async fn surroundings(&self) -> Result<Surroundings, DeviceError> {
        Ok(self.inner().surroundings.clone())
    }

    fn known_apps(&self) -> Vec<App> {
        let inner = self.inner();
        let app = |(package, label): &(&str, &str)| App {
            package: (*package).to_owned(),
            label: Some((*label).to_owned()),
        };
        inner.apps.iter().map(app).collect()
    }

    async fn ui_tree(&self) -> Result<Option<String>, DeviceError> {
        let (reads, takes) = {
            let mut inner = self.inner();
            inner.dumps += 1;
            (inner.dump_reads, inner.dump_takes)
        };
        sleep(reads).await;
        let moving = if self.is_moving() { self.inner().moving_dump.clone() } else { None };
        // A phone that sleeps has no window to tell of.
        let dump = moving.or_else(|| self.inner().dump.clone()).filter(|_| self.inner().awake);
        sleep(takes.saturating_sub(reads)).await;
        let fault = self.inner().dump_fault;
        if let Some(fault) = fault {
            self.fail("its elements", fault).await?;
        }
        let mut inner = self.inner();
        inner.caret = inner.blinks;
        Ok(dump)
    }

    async fn ui_tree_or_why(&self) -> Result<Result<String, NoElements>, DeviceError> {
        match self.ui_tree().await {
            Err(DeviceError::Garbled { reason, .. }) => Ok(Err(NoElements::Unusable(reason))),
            listed => Ok(listed?.ok_or(NoElements::Restless)),
        }
    }
}

/// Where the phone is found.
#[derive(Debug)]
pub(crate) struct FakeSource(pub(crate) Arc<FakeDevice>);

#[async_trait]
impl DeviceSource for FakeSource {
    async fn list(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        if let Some(fault) = self.0.arrive(Call::List) {
            self.0.fail("listing", fault).await?;
        }
        Ok(vec![DeviceEntry {
            id: self.0.id.clone(),
            state: "device".to_owned(),
            ready: true,
            transport: Transport::Usb,
            model: None,
            product: None,
            android_version: None,
            screen: Some(self.0.inner().size),
            hint: None,
            also: Vec::new(),
            identity: None,
        }])
    }

    async fn names(&self, id: &DeviceId) -> Option<DeviceNames> {
        let identity = self.0.inner().identity.filter(|_| *id == self.0.id)?;
        Some(DeviceNames { identity: Some(identity.to_owned()), ..DeviceNames::only(id.clone()) })
    }

    async fn open(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        if *id != self.0.id {
            return Err(DeviceError::NotFound(id.clone()));
        }
        if let Some(fault) = self.0.arrive(Call::InProgress) {
            self.0.fail("opening", fault).await?;
        }
        Ok(self.0.clone())
    }
}
