//! A small phone whose screen changes when it is touched.
mod answers;
mod screen;

use std::collections::{HashMap, VecDeque};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU32;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

pub(crate) use self::answers::FakeSource;
use super::scene::{self, PageChange};
use crate::{Component, DeviceId, Performed, PhoneClock, ScreenSize, SettingChange, Surroundings};

/// The calls of [`crate::Device`], and opening one; each is counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Call {
    List,
    InProgress,
    Capture,
    Digest,
    State,
    IsAwake,
    StayAwake,
    PutBack,
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
    /// No picture of the screen, and the phone says so.
    CannotCapture,
    /// The phone is gone.
    Gone,
    /// A capture of a protected window.
    Black,
    /// Somebody presses the power key just before.
    ScreenOff,
    /// Somebody has locked it just before, and lit it.
    Locked,
    /// No answer until [`FakeDevice::let_go`]; done then.
    Hang,
}

/// How the screen changes when it is touched.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Motion {
    /// As an app's.
    Shows(PageChange),
    /// The next page is there at once.
    AtOnce,
    /// It takes so long to answer, and then moves for so long.
    Takes { answer: Duration, moving: Duration },
    /// From one page to another at once, and back.
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
    size: ScreenSize,
    model: &'static str,
    serial_number: &'static str,
    identity: Option<&'static str>,
    descriptions: u32,
    page: u32,
    touched: Instant,
    motion: Motion,
    /// After each list of elements, and until it is touched, a caret is on its screen.
    blinks: bool,
    caret: bool,
    awake: bool,
    /// A lock screen is in front though the screen is on, until it is woken.
    locked: bool,
    /// An app is shown over the lock screen.
    app_over_lock: bool,
    secret_field: bool,
    keyboard_shown: bool,
    protected: bool,
    front: Component,
    dump: Option<String>,
    /// What it consists of while it moves.
    moving_dump: Option<String>,
    /// What is in front and what it shows, after each gesture that is carried out.
    pages: VecDeque<(Component, String)>,
    /// When it reads its elements, and when it has told them, after it was asked.
    dump_reads: Duration,
    dump_takes: Duration,
    capture_takes: Duration,
    /// A gesture, and each question of its state.
    answer_takes: Duration,
    /// Two captures at once take as long as one.
    captures_overlap: bool,
    /// How long a digest of its screen takes; `None` if it makes none.
    digest_takes: Option<Duration>,
    dump_fault: Option<Fault>,
    dumps: u32,
    apps: Vec<(&'static str, &'static str)>,
    surroundings: Surroundings,
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
    /// What would have to be changed so that nothing on it is animated, and what is changed.
    animations: Vec<SettingChange>,
    changed: Vec<SettingChange>,
}

impl FakeDevice {
    pub(crate) fn new(serial: &str, data: &Path) -> Self {
        Self {
            id: DeviceId::new(serial),
            data: data.to_owned(),
            inner: Mutex::new(Inner {
                size: screen::SIZE,
                model: "Fake 7",
                serial_number: "F7",
                identity: None,
                descriptions: 0,
                page: 0,
                touched: Instant::now(),
                motion: Motion::AtOnce,
                blinks: false,
                caret: false,
                awake: true,
                locked: false,
                app_over_lock: false,
                secret_field: false,
                keyboard_shown: false,
                protected: false,
                front: Component {
                    package: "com.example.chat".to_owned(),
                    activity: ".Main".to_owned(),
                },
                dump: None,
                moving_dump: None,
                pages: VecDeque::new(),
                dump_reads: Duration::from_millis(90),
                dump_takes: Duration::from_millis(90),
                // As long as a real one takes over USB 3.
                capture_takes: Duration::from_millis(20),
                answer_takes: Duration::ZERO,
                captures_overlap: false,
                digest_takes: None,
                dump_fault: None,
                dumps: 0,
                apps: vec![("com.chat", "Messages"), ("com.notes", "Notes"), ("com.mail", "Mail")],
                surroundings: Surroundings::default(),
                faults: Vec::new(),
                sent: Vec::new(),
                complaints: Vec::new(),
                changing: false,
                performed: Performed::done(),
                had_begun: None,
                recent_driver: None,
                animations: Vec::new(),
                changed: Vec::new(),
            }),
            calls: watch::Sender::default(),
            held: watch::Sender::new(true),
            unsynced: AtomicU32::new(0),
        }
    }

    /// It animates its screen as these settings say.
    pub(crate) fn animates_by<const N: usize>(&self, settings: [&str; N]) {
        let change = |setting: &str| SettingChange {
            setting: setting.to_owned(),
            before: Some("1".to_owned()),
            value: "0".to_owned(),
        };
        self.inner().animations = settings.map(change).into();
    }

    /// Its settings that are changed and not put back.
    pub(crate) fn changed_settings(&self) -> Vec<String> {
        self.inner().changed.iter().map(|it| it.setting.clone()).collect()
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

    /// Its screens change as an app's do, and are as large.
    pub(crate) fn plays(&self, scene: PageChange) {
        let mut inner = self.inner();
        (inner.size, inner.motion) = (scene::SIZE, Motion::Shows(scene));
    }

    /// Somebody turns it: what was wide is high, and shows the same page.
    pub(crate) fn turns(&self) {
        let mut inner = self.inner();
        inner.size = ScreenSize { width: inner.size.height, height: inner.size.width };
    }

    /// Its screen is larger from now on, and shows a caret after each list of its elements until it is touched.
    pub(crate) fn blinks(&self) {
        let mut inner = self.inner();
        (inner.size, inner.blinks) = (screen::SIZE_WITH_CARET, true);
    }

    /// From now on the screen consists of this; the field in focus may hide what is typed.
    pub(crate) fn shows(&self, dump: &str, secret_field: bool) {
        let mut inner = self.inner();
        inner.dump = Some(dump.to_owned());
        inner.secret_field = secret_field;
    }

    /// From now on the keyboard is shown.
    pub(crate) fn shows_keyboard(&self) {
        self.inner().keyboard_shown = true;
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

    /// It tells these languages, and that 1970 has just begun.
    pub(crate) fn speaks(&self, languages: &str) {
        let clock = PhoneClock { unix_seconds: 0, utc_offset: 0, asked: Instant::now() };
        self.inner().surroundings =
            Surroundings { clock: Some(clock), languages: Some(languages.to_owned()) };
    }

    /// The app in front hides its contents from captures.
    pub(crate) fn protects(&self, on: bool) {
        self.inner().protected = on;
    }

    /// Another phone answers at its address.
    pub(crate) fn is_replaced_by(&self, model: &'static str, serial_number: &'static str) {
        let mut inner = self.inner();
        (inner.model, inner.serial_number) = (model, serial_number);
    }

    /// It is known by this, as a phone is until its next boot.
    pub(crate) fn is_known_by(&self, identity: &'static str) {
        self.inner().identity = Some(identity);
    }

    /// How often it was asked what it is.
    pub(crate) fn descriptions(&self) -> u32 {
        self.inner().descriptions
    }

    /// It will not say what its screen consists of.
    pub(crate) fn refuses_dumps(&self) {
        self.inner().dump_fault = Some(Fault::Refused);
    }

    /// Its list of what its screen consists of cannot be used.
    pub(crate) fn lists_too_much(&self) {
        self.inner().dump_fault = Some(Fault::Garbled);
    }

    /// It goes away while it is asked what its screen consists of.
    pub(crate) fn goes_at_dumps(&self) {
        self.inner().dump_fault = Some(Fault::Gone);
    }

    /// It takes so long to say what its screen consists of.
    pub(crate) fn dumps_in(&self, time: Duration) {
        self.dumps_after(time, time);
    }

    /// It reads its elements so long after it was asked, and has told them so long after it was asked.
    pub(crate) fn dumps_after(&self, reads: Duration, takes: Duration) {
        let mut inner = self.inner();
        (inner.dump_reads, inner.dump_takes) = (reads, takes);
    }

    /// While its screen moves, it consists of this.
    pub(crate) fn shows_while_moving(&self, dump: &str) {
        self.inner().moving_dump = Some(dump.to_owned());
    }

    /// A capture takes so long, two at once too.
    pub(crate) fn captures_in(&self, time: Duration) {
        let mut inner = self.inner();
        (inner.capture_takes, inner.captures_overlap) = (time, true);
    }

    /// It makes digests of its screen, each in so long; a second capture at once is no quicker.
    pub(crate) fn makes_digests_in(&self, time: Duration) {
        let mut inner = self.inner();
        (inner.digest_takes, inner.captures_overlap) = (Some(time), false);
    }

    /// A gesture takes so long until it is carried out, and each question of its state.
    pub(crate) fn answers_in(&self, time: Duration) {
        self.inner().answer_takes = time;
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
        (inner.touched, inner.caret) = (Instant::now(), false);
    }

    /// Somebody calls: the call is shown, over a lock screen too.
    pub(crate) fn is_called(&self) {
        self.inner().app_over_lock = true;
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
}
