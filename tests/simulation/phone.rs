//! A phone on which every gesture that arrives leads to another page.
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::journal::ActionRecord;
use ayeaye_agent::{
    ActMark, Action, App, Component, Device, DeviceEntry, DeviceError, DeviceId, DeviceInfo,
    DeviceSource, Frame, Gesture, Performed, PutBack, RefusedBy, ScreenSize, ScreenState,
    SettingChange, Transport,
};
use bytes::Bytes;
use tokio::time::sleep;

use crate::disk::Disk;
use crate::planted::Planted;
use crate::schedule::{Fault, Site};
use crate::world::{World, package};

const UPRIGHT: ScreenSize = ScreenSize { width: 30, height: 60 };

/// For how long an app may be in front unnoticed.
const MOMENT: Duration = Duration::from_millis(2500);

/// The colour of a page.
pub fn shade(page: u32) -> u8 {
    u8::try_from(page.wrapping_mul(37) % 199 + 20).expect("a colour")
}

#[derive(Debug)]
pub struct Phone {
    id: DeviceId,
    world: Arc<World>,
    disk: Arc<Disk>,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    size: ScreenSize,
    awake: bool,
    protected: bool,
    /// Something that changes the phone is under way.
    changing: bool,
    stay_on: String,
    /// Until when it is out of reach, and until when its screen moves.
    away_until: Duration,
    moving_until: Duration,
    last_capture: Option<Frame>,
    frames: u8,
    short_captures: u8,
    /// Who drives it, and how many acts each driver has begun.
    driver: u32,
    begun: HashMap<u32, u64>,
}

impl Phone {
    pub fn new(world: Arc<World>, disk: Arc<Disk>) -> Self {
        let state = State {
            size: UPRIGHT,
            awake: true,
            protected: false,
            changing: false,
            stay_on: "0".to_owned(),
            away_until: Duration::ZERO,
            moving_until: Duration::ZERO,
            last_capture: None,
            frames: 0,
            short_captures: 0,
            driver: 0,
            begun: HashMap::new(),
        };
        Self { id: DeviceId::new("phone-1"), world, disk, state: Mutex::new(state) }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Whoever was at work on it is gone.
    pub fn let_go(&self) {
        self.state().changing = false;
    }

    /// Whether its settings are as its owner left them, as far as it can be reached.
    pub fn is_as_it_was(&self) -> bool {
        self.state().stay_on == "0"
    }

    pub fn is_away(&self) -> bool {
        self.world.now() < self.state().away_until
    }

    /// What strikes the phone, whatever was asked; the rest is for the call.
    async fn arrive(&self, site: Site, what: &str) -> Result<Option<Fault>, DeviceError> {
        let fault = self.world.arrive(site).await;
        let now = self.world.now();
        {
            let mut state = self.state();
            match fault {
                Some(Fault::Away(time)) => state.away_until = now + time,
                Some(Fault::Reboot) => {
                    state.away_until = now + Duration::from_secs(20);
                    state.awake = false;
                    state.moving_until = Duration::ZERO;
                    self.world.truth(|truth| truth.page += 1);
                }
                Some(Fault::ScreenOff) => state.awake = false,
                Some(Fault::Turned) => {
                    let ScreenSize { width, height } = state.size;
                    state.size = ScreenSize { width: height, height: width };
                }
                Some(Fault::Protected) => state.protected = true,
                Some(Fault::Moving(time)) => state.moving_until = now + time,
                Some(Fault::Touched) => self.world.truth(|truth| truth.page += 1),
                _ => {}
            }
        }
        if self.is_away() {
            return Err(DeviceError::NotFound(self.id.clone()));
        }
        match fault {
            Some(Fault::LinkLost { done: false }) => Err(self.link_lost(what)),
            Some(Fault::TimedOut { done: false }) => Err(self.timed_out(what).await),
            Some(Fault::Refused) => Err(self.refused(what)),
            Some(Fault::Garbled) => Err(self.garbled(what)),
            fault => Ok(fault),
        }
    }

    /// What is told of a call that was carried out.
    async fn told(&self, fault: Option<Fault>, what: &str) -> Result<(), DeviceError> {
        match fault {
            Some(Fault::LinkLost { done: true }) => Err(self.link_lost(what)),
            Some(Fault::TimedOut { done: true }) => Err(self.timed_out(what).await),
            _ => Ok(()),
        }
    }

    fn link_lost(&self, what: &str) -> DeviceError {
        DeviceError::LinkLost(self.id.clone(), what.to_owned())
    }

    async fn timed_out(&self, what: &str) -> DeviceError {
        let after = Duration::from_secs(10);
        sleep(after).await;
        DeviceError::TimedOut { id: self.id.clone(), what: what.to_owned(), after }
    }

    fn refused(&self, what: &str) -> DeviceError {
        let reason = "exit code 1".to_owned();
        DeviceError::Refused {
            id: self.id.clone(),
            what: what.to_owned(),
            reason,
            by: RefusedBy::Device,
        }
    }

    fn garbled(&self, what: &str) -> DeviceError {
        let reason = "cut short".to_owned();
        DeviceError::Garbled { id: self.id.clone(), what: what.to_owned(), reason }
    }

    /// One attempt to change the phone: the promises that can be seen from here are checked.
    async fn attempt(&self, site: Site, what: &str, unique: bool) -> Result<(), DeviceError> {
        if unique {
            self.disk.check_announced(what);
            self.check_leave(what);
            self.check_app(what);
        }
        let alone = !std::mem::replace(&mut self.state().changing, true);
        self.world.check(alone, || format!("{what} came while something else was under way"));
        let outcome = self.change(site, what, unique).await;
        self.state().changing = false;
        outcome
    }

    /// What the model decided arrives as often as it was decided, and with permission where that was asked.
    fn check_leave(&self, what: &str) {
        let (times, decided, leave) = self.world.truth(|truth| {
            let times = truth.arrived.iter().filter(|(arrived, _)| arrived == what).count();
            let decided = truth.decided.get(what).copied().unwrap_or_default();
            // What was refused in one app is another act in another.
            let elsewhere = truth.asked_in.get(what) != truth.decided_in.get(what);
            let leave = truth.leave.get(what).copied();
            (times, decided, leave.filter(|leave| !(elsewhere && *leave == Some(false))))
        });
        let decided = usize::try_from(decided).expect("few");
        self.world
            .check(times < decided, || format!("{what} arrived once more than it was decided"));
        self.world.check(leave != Some(None), || format!("{what} was done before the answer"));
        self.world.check(leave != Some(Some(false)), || format!("{what} was done after a no"));
    }

    /// What was decided in one app is not done in another, unless it came to the front a moment ago.
    fn check_app(&self, what: &str) {
        let (decided_in, front, since) = self.world.truth(|truth| {
            (truth.decided_in.get(what).cloned(), package(truth.front), truth.front_since)
        });
        let long = MOMENT < self.world.now().saturating_sub(since);
        let elsewhere = decided_in.is_some_and(|decided_in| decided_in != front);
        self.world.check(!(long && elsewhere), || format!("{what} was done in {front}"));
    }

    async fn change(&self, site: Site, what: &str, unique: bool) -> Result<(), DeviceError> {
        let fault = self.arrive(site, what).await;
        self.world
            .note(format!("phone: {what}: {}", if fault.is_ok() { "done" } else { "not done" }));
        sleep(Duration::from_millis(u64::from(self.world.random(40)))).await;
        if fault.is_ok() {
            let mut state = self.state();
            let driver = state.driver;
            *state.begun.entry(driver).or_default() += 1;
        }
        if unique {
            self.world.truth(|truth| truth.arrived.push((what.to_owned(), fault.is_ok())));
        }
        if fault.is_ok() {
            self.state().protected = false;
            self.world.truth(|truth| {
                // The same gesture twice in a row does nothing more.
                let ours: Vec<_> = truth.arrived.iter().rev().take(2).map(|it| &it.0).collect();
                truth.page += u32::from(!(unique && ours.len() == 2 && ours[0] == ours[1]));
                truth.page_of_gesture = truth.page;
            });
            let moving = Duration::from_millis(u64::from(self.world.random(300)));
            let now = self.world.now();
            let mut state = self.state();
            state.moving_until = state.moving_until.max(now + moving);
        }
        self.told(fault?, what).await
    }

    fn paint(&self) -> Frame {
        let now = self.world.now();
        let page = self.world.truth(|truth| truth.page);
        let mut state = self.state();
        let moving = now < state.moving_until;
        state.frames = state.frames.wrapping_add(1);
        let mark = if moving { state.frames } else { 0 };
        let pixel = if state.protected { [0, 0, 0, 255] } else { [shade(page), mark, 10, 255] };
        let pixels = (state.size.width * state.size.height) as usize;
        let frame = Frame::new(state.size, Bytes::from(pixel.repeat(pixels))).expect("whole");
        state.last_capture = Some(frame.clone());
        frame
    }
}

#[async_trait]
impl Device for Phone {
    fn id(&self) -> &DeviceId {
        &self.id
    }

    async fn info(&self) -> Result<DeviceInfo, DeviceError> {
        let screen = self.state().size;
        let (model, android_version) = ("Simulated".to_owned(), "14".to_owned());
        let id = self.id.clone();
        Ok(DeviceInfo { id, model, android_version, screen, serial_number: None })
    }

    async fn capture(&self) -> Result<Frame, DeviceError> {
        sleep(Duration::from_millis(20)).await;
        let last = self.state().last_capture.clone();
        let fault = match self.arrive(Site::Capture, "a capture").await {
            Err(DeviceError::Garbled { .. }) if self.world.has(Planted::ShortCaptureTaken) => {
                // And those after it: one alone does not pass for a screen that stands still.
                self.state().short_captures = 12;
                return Ok(last.unwrap_or_else(|| self.paint()));
            }
            Err(DeviceError::TimedOut { .. }) if self.world.has(Planted::CaptureHangs) => {
                std::future::pending().await
            }
            fault => fault?,
        };
        let is_short = {
            let left = &mut self.state().short_captures;
            std::mem::replace(left, left.saturating_sub(1)) != 0
        };
        let frame = match last {
            Some(frame) if is_short => frame,
            Some(frame)
                if self.world.has(Planted::BlindWhileThinking)
                    && self.world.truth(|truth| truth.thinking) =>
            {
                frame
            }
            Some(frame) if self.world.has(Planted::CaptureCached) && self.world.random(3) == 0 => {
                frame
            }
            _ => self.paint(),
        };
        self.told(fault, "a capture").await.map(|()| frame)
    }

    async fn state(&self) -> Result<ScreenState, DeviceError> {
        sleep(Duration::from_millis(5)).await;
        let fault = self.arrive(Site::State, "its state").await?;
        self.told(fault, "its state").await?;
        let state = self.state();
        let blind = self.world.has(Planted::BlindWhileThinking);
        let front = self.world.truth(|truth| {
            if !(blind && truth.thinking) {
                truth.seen_front = truth.front;
            }
            truth.seen_front
        });
        let (package, activity) = (package(front), ".Main".to_owned());
        Ok(ScreenState {
            awake: state.awake,
            locked: false,
            app_over_lock: false,
            foreground: Some(Component { package, activity }),
            protected: state.protected,
            keyboard_shown: false,
            secret_field: false,
        })
    }

    fn claim(&self) {
        self.state().driver += 1;
    }

    fn act_mark(&self) -> Option<ActMark> {
        let state = self.state();
        let begun = state.begun.get(&state.driver).copied().unwrap_or_default();
        Some(ActMark { driver: state.driver.to_string(), number: begun + 1 })
    }

    async fn has_begun(&self, act: &ActMark) -> Result<Option<bool>, DeviceError> {
        let fault = self.arrive(Site::State, "what it has begun").await?;
        self.told(fault, "what it has begun").await?;
        let driver: u32 = act.driver.parse().expect("its own");
        let begun = self.state().begun.get(&driver).copied().unwrap_or_default();
        Ok(Some(act.number <= begun && !self.world.has(Planted::BegunActDenied)))
    }

    async fn is_awake(&self) -> Result<bool, DeviceError> {
        Ok(self.state().awake)
    }

    async fn perform(&self, gesture: &Gesture, on: ScreenSize) -> Result<Performed, DeviceError> {
        let what = ActionRecord::from(&Action::Gesture(gesture.clone())).describe();
        let size = self.state().size;
        // Turned in between: what a real phone does with it nobody knows, so it says no.
        if on != size {
            return Err(self.refused(&what));
        }
        let first = self.attempt(Site::Perform, &what, true).await;
        let again = match &first {
            Err(DeviceError::LinkLost(..)) => self.world.has(Planted::ResentAfterLinkLost),
            Err(DeviceError::TimedOut { .. }) => self.world.has(Planted::ResentAfterTimeout),
            _ => false,
        };
        let outcome = if again { self.attempt(Site::Perform, &what, true).await } else { first };
        match outcome {
            Err(_) if self.world.has(Planted::GestureErrorSwallowed) => Ok(Performed::done()),
            Ok(()) if self.world.has(Planted::GestureLate) => {
                // It was told as done, and the page of before is what is seen next.
                self.world.truth(|truth| truth.page -= 1);
                Ok(Performed::done())
            }
            outcome => outcome.map(|()| Performed::done()),
        }
    }

    async fn wake(&self) -> Result<(), DeviceError> {
        self.attempt(Site::Reset, "WAKE", false).await?;
        self.state().awake = true;
        Ok(())
    }

    async fn reset(&self) -> Result<Option<String>, DeviceError> {
        self.attempt(Site::Reset, "RESET", false).await?;
        self.state().awake = true;
        Ok(None)
    }

    async fn ways_to_stay_awake(&self) -> Result<Vec<SettingChange>, DeviceError> {
        let before = Some(self.state().stay_on.clone());
        if before.as_deref() == Some("7") {
            return Ok(Vec::new());
        }
        let setting = "global/stay_on_while_plugged_in".to_owned();
        Ok(vec![SettingChange { setting, before, value: "7".to_owned() }])
    }

    async fn change_setting(&self, change: &SettingChange) -> Result<(), DeviceError> {
        let remembered = self.disk.remembers(&self.id, change);
        self.world.check(remembered, || {
            format!("{} was changed before it was on the disk", change.setting)
        });
        let fault = self.arrive(Site::Setting, "a setting").await?;
        self.state().stay_on.clone_from(&change.value);
        self.told(fault, "a setting").await
    }

    async fn put_back(&self, change: &SettingChange) -> Result<PutBack, DeviceError> {
        let fault = self.arrive(Site::Setting, "a setting").await?;
        if self.world.has(Planted::PutBackLies) {
            return Ok(PutBack::Done);
        }
        let mut changed_since = false;
        {
            let mut state = self.state();
            let before = change.before.clone().unwrap_or_default();
            if state.stay_on == change.value || state.stay_on == before {
                state.stay_on = before;
            } else {
                changed_since = true;
            }
        }
        self.told(fault, "a setting").await?;
        Ok(if changed_since { PutBack::ChangedSince } else { PutBack::Done })
    }

    async fn apps(&self) -> Result<Vec<App>, DeviceError> {
        let app = |package: &str, label: &str| App {
            package: package.to_owned(),
            label: Some(label.to_owned()),
        };
        Ok(vec![app("com.example.chat", "Messages"), app("com.example.notes", "Notes")])
    }

    async fn ui_tree(&self) -> Result<Option<String>, DeviceError> {
        Ok(None)
    }
}

/// Where the phone is found.
#[derive(Debug)]
pub struct Source(pub Arc<Phone>);

#[async_trait]
impl DeviceSource for Source {
    async fn list(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        let reached = self.0.arrive(Site::List, "the list").await;
        if let Err(err @ (DeviceError::LinkLost(..) | DeviceError::TimedOut { .. })) = reached {
            return Err(err);
        }
        let there = reached.is_ok();
        Ok(vec![DeviceEntry {
            id: self.0.id.clone(),
            state: if there { "device" } else { "offline" }.to_owned(),
            ready: there,
            transport: Transport::Usb,
            model: None,
            product: None,
            android_version: None,
            screen: Some(UPRIGHT),
            hint: None,
            also: Vec::new(),
            identity: None,
        }])
    }

    async fn open(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        if *id != self.0.id {
            return Err(DeviceError::NotFound(id.clone()));
        }
        self.0.arrive(Site::Open, "opening").await?;
        Ok(self.0.clone())
    }
}
