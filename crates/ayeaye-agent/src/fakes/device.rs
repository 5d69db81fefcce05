//! A phone of sixty by a hundred and twenty pixels whose screen changes when it is touched.
use std::collections::{HashMap, VecDeque};
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use tokio::sync::watch;
use tokio::time::{Instant, sleep};

use crate::journal::ActionRecord;
use crate::{
    ActMark, Action, App, Component, Device, DeviceEntry, DeviceError, DeviceId, DeviceInfo,
    DeviceSource, Frame, Gesture, Performed, ScreenSize, ScreenState, SettingChange, Transport,
};

use super::Scene;

const SIZE: ScreenSize = ScreenSize { width: 60, height: 120 };

/// The calls of [`Device`], and opening one; each is counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    List,
    InProgress,
    Capture,
    State,
    IsAwake,
    StayAwake,
    Perform,
    Wake,
    Reset,
    Apps,
}

/// What goes wrong.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Fault {
    /// The link breaks; what was asked has been done all the same.
    LinkLost,
    /// No answer for so long; what was asked has not been done.
    TimedOut(Duration),
    /// The phone says no.
    Refused,
    /// There is no keyboard for the text.
    NoKeyboard,
    /// A capture cut short, or another answer that makes no sense.
    Garbled,
    /// The phone is gone.
    Gone,
    /// A capture of a protected window.
    Black,
    /// Somebody presses the power key just before.
    ScreenOff,
    /// No answer until [`FakeDevice::let_go`]; done then.
    Hang,
}

/// How the screen changes when it is touched.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Motion {
    /// As an app's.
    Shows(Scene),
    /// The next page is there at once.
    AtOnce,
    /// It takes so long to answer, and then moves for so long.
    Takes { answer: Duration, moving: Duration },
    /// The same at once from one page to another, and back.
    ToAndFro,
    /// A touch does nothing.
    Dead,
    /// Never rests.
    Endless,
}

#[derive(Debug)]
pub(crate) struct FakeDevice {
    id: DeviceId,
    data: PathBuf,
    inner: Mutex<Inner>,
    calls: watch::Sender<HashMap<Call, u32>>,
    held: watch::Sender<bool>,
    /// Events that a disk that counts them has not put down for good.
    pub(crate) unsynced: AtomicU32,
}

#[expect(clippy::struct_excessive_bools, reason = "independent facts")]
#[derive(Debug)]
struct Inner {
    page: u32,
    touched: Instant,
    motion: Motion,
    awake: bool,
    secret_field: bool,
    protected: bool,
    front: Component,
    dump: Option<String>,
    /// What is in front and what it shows, after each gesture that is carried out.
    pages: VecDeque<(Component, String)>,
    dump_takes: Duration,
    capture_takes: Duration,
    /// A gesture, and each question of its state.
    answer_takes: Duration,
    /// Two captures at once take as long as one.
    captures_overlap: bool,
    dump_refused: bool,
    dumps: u32,
    apps: Vec<(&'static str, &'static str)>,
    faults: Vec<(Call, RangeInclusive<u32>, Fault)>,
    /// Everything that changed the phone, or may have, as it arrived.
    sent: Vec<String>,
    complaints: Vec<String>,
    changing: bool,
    /// What comes of the gestures it carries out.
    performed: Performed,
    /// What it says of whether an earlier driver's act had begun. `None` if it notes no acts.
    had_begun: Option<bool>,
    /// Who has driven it within the last minutes.
    recent_driver: Option<&'static str>,
}

impl FakeDevice {
    pub(crate) fn new(serial: &str, data: &Path) -> Self {
        Self {
            id: DeviceId::new(serial),
            data: data.to_owned(),
            inner: Mutex::new(Inner {
                page: 0,
                touched: Instant::now(),
                motion: Motion::AtOnce,
                awake: true,
                secret_field: false,
                protected: false,
                front: Component {
                    package: "com.example.chat".to_owned(),
                    activity: ".Main".to_owned(),
                },
                dump: None,
                pages: VecDeque::new(),
                dump_takes: Duration::from_millis(90),
                // As long as a real one takes over USB 3.
                capture_takes: Duration::from_millis(20),
                answer_takes: Duration::ZERO,
                captures_overlap: false,
                dump_refused: false,
                dumps: 0,
                apps: vec![("com.chat", "Messages"), ("com.notes", "Notes"), ("com.mail", "Mail")],
                faults: Vec::new(),
                sent: Vec::new(),
                complaints: Vec::new(),
                changing: false,
                performed: Performed::done(),
                had_begun: None,
                recent_driver: None,
            }),
            calls: watch::Sender::default(),
            held: watch::Sender::new(true),
            unsynced: AtomicU32::new(0),
        }
    }

    /// What it says of every gesture that it carries out.
    pub(crate) fn says_of_gestures(&self, performed: Performed) {
        self.inner().performed = performed;
    }

    /// Breaks these calls of this kind; the first is 1.
    pub(crate) fn breaks(&self, call: Call, which: RangeInclusive<u32>, fault: Fault) {
        self.inner().faults.push((call, which, fault));
    }

    /// From now on it notes acts, and says this of whether the last act of an earlier driver had begun.
    pub(crate) fn notes_acts(&self, had_begun: bool) {
        self.inner().had_begun = Some(had_begun);
    }

    /// From now on it says that this one has driven it within the last minutes.
    pub(crate) fn was_driven_by(&self, driver: Option<&'static str>) {
        self.inner().recent_driver = driver;
    }

    /// Mends everything.
    pub(crate) fn mended(&self) {
        self.inner().faults.clear();
    }

    pub(crate) fn moves(&self, motion: Motion) {
        self.inner().motion = motion;
    }

    /// From now on the screen consists of this; the field in focus may hide what is typed.
    pub(crate) fn shows(&self, dump: &str, secret_field: bool) {
        let mut inner = self.inner();
        inner.dump = Some(dump.to_owned());
        inner.secret_field = secret_field;
    }

    /// After the next gesture that no other page waits for, this is shown in this app.
    pub(crate) fn turns_to(&self, package: &str, activity: &str, dump: &str) {
        let front = Component { package: package.to_owned(), activity: activity.to_owned() };
        self.inner().pages.push_back((front, dump.to_owned()));
    }

    /// Another app is in front.
    pub(crate) fn fronts(&self, package: &str, activity: &str) {
        let front = Component { package: package.to_owned(), activity: activity.to_owned() };
        self.inner().front = front;
    }

    /// The app in front hides its contents from captures.
    pub(crate) fn protects(&self, on: bool) {
        self.inner().protected = on;
    }

    /// It will not say what its screen consists of.
    pub(crate) fn refuses_dumps(&self) {
        self.inner().dump_refused = true;
    }

    /// It takes so long to say what its screen consists of.
    pub(crate) fn dumps_in(&self, time: Duration) {
        self.inner().dump_takes = time;
    }

    /// A capture takes so long, two at once too.
    pub(crate) fn captures_in(&self, time: Duration) {
        let mut inner = self.inner();
        (inner.capture_takes, inner.captures_overlap) = (time, true);
    }

    /// A gesture takes so long until it is carried out, and each question of its state.
    pub(crate) fn answers_in(&self, time: Duration) {
        self.inner().answer_takes = time;
    }

    async fn answer(&self) {
        let takes = self.inner().answer_takes;
        if !takes.is_zero() {
            sleep(takes).await;
        }
    }

    /// Another app is installed.
    pub(crate) fn installs(&self, package: &'static str, label: &'static str) {
        self.inner().apps.push((package, label));
    }

    /// How often it was asked what its screen consists of.
    pub(crate) fn dumps(&self) -> u32 {
        self.inner().dumps
    }

    /// Touches it by hand.
    pub(crate) fn is_touched(&self) {
        let mut inner = self.inner();
        inner.page += 1;
        inner.touched = Instant::now();
    }

    /// Somebody switches its screen off.
    pub(crate) fn goes_dark(&self) {
        self.inner().awake = false;
    }

    /// Lets every call that hangs come to its end.
    pub(crate) fn let_go(&self) {
        self.held.send_replace(false);
    }

    /// Waits until the nth call of this kind has arrived.
    pub(crate) async fn gets(&self, call: Call, nth: u32) {
        let mut calls = self.calls.subscribe();
        let arrived = calls.wait_for(|calls| calls.get(&call).is_some_and(|n| nth <= *n));
        super::within(arrived).await.expect("the phone is there");
    }

    /// How many calls of this kind have arrived.
    pub(crate) fn count(&self, call: Call) -> u32 {
        self.calls.borrow().get(&call).copied().unwrap_or_default()
    }

    /// Everything that was sent to change the phone, as it arrived.
    pub(crate) fn sent(&self) -> Vec<String> {
        self.inner().sent.clone()
    }

    /// The gestures among it.
    pub(crate) fn gestures(&self) -> Vec<String> {
        let ours = |sent: &String| sent != "RESET" && sent != "WAKE";
        self.sent().into_iter().filter(ours).collect()
    }

    /// Takes away the complaints: the test has seen them.
    pub(crate) fn forgiven(&self) -> Vec<String> {
        std::mem::take(&mut self.inner().complaints)
    }

    pub(crate) fn complaints(&self) -> Vec<String> {
        self.inner().complaints.clone()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().expect("no test panics while it holds this")
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
            Fault::Refused => {
                Err(DeviceError::Refused { id, what, reason: "exit code 1".to_owned() })
            }
            Fault::NoKeyboard => {
                Err(DeviceError::NoKeyboard { id, odd: '你', why: "none is installed".to_owned() })
            }
            Fault::Garbled => {
                Err(DeviceError::Garbled { id, what, reason: "cut short".to_owned() })
            }
            Fault::Gone => Err(DeviceError::NotFound(id)),
            Fault::Hang => {
                let mut held = self.held.subscribe();
                held.wait_for(|held| !held).await.expect("the phone is there");
                Ok(())
            }
            Fault::Black | Fault::ScreenOff => Ok(()),
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
                Call::Wake => inner.awake = true,
                Call::Perform if matches!(inner.motion, Motion::Dead) => {}
                _ => {
                    inner.page += 1;
                    inner.touched = Instant::now();
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

    /// What it showed before it was touched last.
    pub(crate) fn page_before(&self) -> Frame {
        let inner = self.inner();
        let before = inner.page.wrapping_sub(1);
        match inner.motion {
            Motion::Shows(_) => Scene::before(inner.page),
            _ => still(before),
        }
    }

    /// The page, and while it moves, something that is never twice the same.
    fn paint(&self) -> Frame {
        let inner = self.inner();
        let since = inner.touched.elapsed();
        let blend = u32::try_from(since.as_millis() % 60_000).expect("small") / 7;
        let (page, mixed) = match inner.motion {
            Motion::Shows(scene) => return scene.paint(inner.page, since),
            Motion::Takes { answer, .. } if since < answer => (inner.page.saturating_sub(1), 0),
            Motion::Takes { answer, moving } if since < answer + moving => (inner.page, 1 + blend),
            Motion::Takes { .. } | Motion::AtOnce | Motion::Dead => (inner.page, 0),
            Motion::ToAndFro => (inner.page % 2, 0),
            Motion::Endless => (inner.page, 1 + blend),
        };
        frame([shade(page), mixed % 251, mixed / 251 + 10])
    }
}

/// A page that stands still.
fn still(page: u32) -> Frame {
    frame([shade(page), 0, 10])
}

fn shade(page: u32) -> u32 {
    page.wrapping_mul(37) % 200 + 20
}

fn frame(colour: [u32; 3]) -> Frame {
    let byte = |n: u32| u8::try_from(n).expect("a colour");
    let pixel = [byte(colour[0]), byte(colour[1]), byte(colour[2]), 255];
    let pixels = (SIZE.width * SIZE.height) as usize;
    Frame::new(SIZE, Bytes::from(pixel.repeat(pixels))).expect("whole")
}

#[async_trait]
impl Device for FakeDevice {
    fn id(&self) -> &DeviceId {
        &self.id
    }

    async fn info(&self) -> Result<DeviceInfo, DeviceError> {
        Ok(DeviceInfo {
            id: self.id.clone(),
            model: "Fake 7".to_owned(),
            android_version: "14".to_owned(),
            screen: SIZE,
        })
    }

    async fn capture(&self) -> Result<Frame, DeviceError> {
        let takes = self.inner().capture_takes;
        sleep(takes).await;
        match self.arrive(Call::Capture) {
            Some(Fault::Black) => Ok(frame([0, 0, 0])),
            Some(fault) => self.fail("a capture", fault).await.map(|()| self.paint()),
            None => Ok(self.paint()),
        }
    }

    fn captures_overlap(&self) -> bool {
        self.inner().captures_overlap
    }

    async fn recent_driver(&self) -> Result<Option<String>, DeviceError> {
        Ok(self.inner().recent_driver.map(ToOwned::to_owned))
    }

    fn act_mark(&self) -> Option<ActMark> {
        self.inner().had_begun.map(|_| ActMark { epoch: "first".to_owned(), number: 1 })
    }

    async fn has_begun(&self, _: &ActMark) -> Result<Option<bool>, DeviceError> {
        Ok(self.inner().had_begun)
    }

    async fn state(&self) -> Result<ScreenState, DeviceError> {
        self.answer().await;
        match self.arrive(Call::State) {
            Some(Fault::ScreenOff) => self.inner().awake = false,
            Some(fault) => self.fail("its state", fault).await?,
            None => {}
        }
        let inner = self.inner();
        let awake = inner.awake;
        let foreground = inner.front.clone();
        Ok(ScreenState {
            awake,
            locked: !awake,
            foreground: Some(foreground),
            protected: inner.protected,
            keyboard_shown: false,
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

    async fn perform(&self, gesture: &Gesture, on: ScreenSize) -> Result<Performed, DeviceError> {
        assert_eq!(on, SIZE, "gestures are decided on the frame that was seen");
        let facts = ActionRecord::from(&Action::Gesture(gesture.clone()));
        self.change(Call::Perform, facts.describe(), gesture.name()).await?;
        Ok(self.inner().performed.clone())
    }

    async fn wake(&self) -> Result<(), DeviceError> {
        self.change(Call::Wake, "WAKE".to_owned(), "WAKE").await
    }

    async fn reset(&self) -> Result<(), DeviceError> {
        self.change(Call::Reset, "RESET".to_owned(), "RESET").await
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

    fn app_names(&self) -> Vec<String> {
        self.inner().apps.iter().map(|(_, label)| (*label).to_owned()).collect()
    }

    async fn ui_tree(&self) -> Result<Option<String>, DeviceError> {
        let takes = {
            let mut inner = self.inner();
            inner.dumps += 1;
            inner.dump_takes
        };
        sleep(takes).await;
        if self.inner().dump_refused {
            self.fail("its elements", Fault::Refused).await?;
        }
        Ok(self.inner().dump.clone())
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
            screen: Some(SIZE),
            hint: None,
            also: Vec::new(),
            identity: None,
        }])
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
