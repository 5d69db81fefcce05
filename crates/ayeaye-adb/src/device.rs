//! One phone, as the agent drives it: the `Device` seam.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::{
    ActMark, App, CaptureDigest, CaptureRoute, ChangeLog, CommandPreview, Device, DeviceCommand,
    DeviceError, DeviceId, DeviceInfo, Frame, Gesture, NoElements, Performed, PhoneClock, PutBack,
    ScreenSize, ScreenState, SettingChange, ShownDisplay, Surroundings,
};
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::apk::parse_locales;
use crate::apps::AppCatalog;
use crate::capture::Capture;
use crate::client::transport;
use crate::client::{DeviceClient, PhoneMarks};
use crate::device_command::Commander;
use crate::display::{ASK_PANELS, Displays};
use crate::dumps::Dumps;
use crate::elements::ElementReader;
use crate::parse::{
    ASK_CAPTURE_BAN, CaptureBan, batch, clock, current_size, on_display, sanitize_first_line,
    split_batch, wm_size,
};
use crate::text_entry::{Keyboards, TextEntry};
use crate::{ExchangeFolder, fence, gesture, screen, settings};

/// Why a drag may have been a swipe.
const MOVED_EARLY: &str = "this phone's touch and hold delay is longer than the time after which the finger began to \
    move, so it may have swiped and dragged nothing";

/// How often elements are asked for, where it turns out meanwhile that another display is the one that is shown.
const DISPLAY_LOOKS: u32 = 2;
const OTHER_DISPLAY: &str = "another display was shown before the elements had come";

/// A phone behind an adb server.
#[derive(Debug)]
pub struct AdbDevice {
    client: Arc<DeviceClient>,
    seen: Arc<SeenScreens>,
    elements: ElementReader,
    apps: AppCatalog,
    files: Option<ExchangeFolder>,
    /// Android's API level, where it is known.
    sdk: OnceCell<Option<u32>>,
    /// After how long it takes a touch for a long press, where that is set.
    long_press: OnceCell<Option<Duration>>,
}

/// What is learnt about a phone's screens and keyboards, from one lease to the next.
#[derive(Debug, Default)]
pub(crate) struct SeenScreens {
    capture: Capture,
    displays: Displays,
    dumps: Arc<Dumps>,
    keyboards: Keyboards,
    /// Somebody has driven it.
    was_driven: AtomicBool,
    /// As it was told when the last run began.
    ban: Mutex<CaptureBan>,
}

impl SeenScreens {
    fn ban(&self) -> CaptureBan {
        self.ban.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn was_driven(&self) -> bool {
        self.was_driven.load(Ordering::Relaxed)
    }

    /// Whose turn it is to list its elements.
    pub(crate) fn dumps(&self) -> Arc<Dumps> {
        Arc::clone(&self.dumps)
    }
}

/// Properties that a phone reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceProperties {
    pub(crate) model: Option<String>,
    pub(crate) android_version: Option<String>,
    pub(crate) product: Option<String>,
    pub(crate) sdk: Option<u32>,
    pub(crate) screen: Option<ScreenSize>,
    serial_number: Option<String>,
    /// The answer to [`ASK_PANELS`].
    panels: String,
}

impl DeviceProperties {
    fn marks(&self) -> PhoneMarks {
        PhoneMarks { model: self.model.clone(), serial_number: self.serial_number.clone() }
    }

    /// All of them in one round trip.
    pub(crate) async fn query(client: &DeviceClient) -> Result<Self, DeviceError> {
        let ask = batch(&[
            "getprop ro.product.model",
            "getprop ro.build.version.release",
            "getprop ro.product.name",
            "getprop ro.build.version.sdk",
            "wm size",
            screen::HELD,
            ASK_PANELS,
            "getprop ro.serialno",
        ]);
        let output = client.shell_quick("its description", &ask).await?;
        let [model, android, product, sdk, size, held, panels, serial] =
            split_batch(&output.stdout);
        Ok(Self {
            model: sanitize_first_line(model),
            android_version: sanitize_first_line(android),
            product: sanitize_first_line(product),
            sdk: sanitize_first_line(sdk).and_then(|it| it.parse().ok()),
            screen: current_size(&on_display(held, 0)).or_else(|| wm_size(size)),
            serial_number: sanitize_first_line(serial),
            panels: panels.to_owned(),
        })
    }
}

impl AdbDevice {
    pub(crate) fn new(
        client: Arc<DeviceClient>,
        apps: AppCatalog,
        seen: Arc<SeenScreens>,
        files: Option<ExchangeFolder>,
    ) -> Self {
        Self {
            client,
            seen,
            elements: ElementReader::default(),
            apps,
            files,
            sdk: OnceCell::new(),
            long_press: OnceCell::new(),
        }
    }

    pub(crate) fn client(&self) -> &Arc<DeviceClient> {
        &self.client
    }

    /// The elements of its screen as XML, or why there are none.
    pub(crate) async fn elements(&self) -> Result<Result<String, NoElements>, DeviceError> {
        let SeenScreens { displays, dumps, .. } = &*self.seen;
        let mut display = displays.among_several();
        for _ in 0..DISPLAY_LOOKS {
            dumps.want(display);
            let read = self.elements.read_or_why(&self.client).await?;
            // That there are several may have been told while the phone was asked.
            let now = displays.among_several();
            if read.is_err() || now.is_none() || now == display {
                return Ok(read);
            }
            display = now;
        }
        Ok(Err(NoElements::Because(OTHER_DISPLAY.to_owned())))
    }

    /// In which way the last capture came, and how long it took.
    pub(crate) fn last_capture(&self) -> Option<(&'static str, Duration)> {
        self.seen.capture.latest()
    }

    fn commander(&self) -> Commander<'_> {
        Commander {
            client: &self.client,
            apps: &self.apps,
            files: self.files.as_ref(),
            display: self.seen.displays.seen(),
        }
    }

    async fn carry_out(&self, gesture: &Gesture, on: ScreenSize) -> Result<Performed, DeviceError> {
        let what = gesture.name();
        let field = self.client.take_field();
        let mut performed = Performed::done();
        let line = match gesture {
            Gesture::Click { point } => gesture::tap(*point, on),
            Gesture::DoubleClick { point } => gesture::double_tap(*point, on, self.sdk().await?),
            Gesture::LongPress { point, duration } => {
                let timeout = self.long_press().await?.unwrap_or(gesture::LONG_PRESS);
                gesture::long_press(*point, on, *duration, timeout)
            }
            Gesture::Slide { from, to, duration } => gesture::slide(*from, *to, on, *duration),
            Gesture::Scroll { direction, at } => gesture::scroll(*direction, *at, on),
            Gesture::Drag { from, to } => {
                let set = self.long_press().await?;
                let matters = set.is_some_and(|set| gesture::JAVA_LONG_PRESS < set);
                let sdk = if matters { self.sdk().await? } else { None };
                let press = gesture::drag_press(set.unwrap_or(gesture::LONG_PRESS), sdk);
                if set.is_some_and(|set| press < set) {
                    performed = Performed::uncertain(MOVED_EARLY);
                }
                gesture::drag(*from, *to, on, press)
            }
            Gesture::HotKey { key } => gesture::key(*key),
            Gesture::Command(command) => return self.commander().perform(command).await,
            Gesture::Awake { app } => {
                return self.apps.open(&self.client, app, self.seen.displays.seen()).await;
            }
            Gesture::Type { text, point, clear, submit } => {
                let display = self.display_of_gesture(what).await?;
                let among_several = self.seen.displays.among_several();
                self.seen.dumps.want(among_several);
                let (point, clear, submit) = (*point, *clear, *submit);
                let keyboards = &self.seen.keyboards;
                let typing =
                    TextEntry { text, point, clear, submit, display, among_several, keyboards };
                return typing.perform(&self.client, on, field).await;
            }
        };
        let display = self.display_of_gesture(what).await?;
        line.on_display(display).send(&self.client, what).await?;
        Ok(performed)
    }

    /// The display to send a gesture to, where it has to be named: without a number Android sends touches to the
    /// first one, and keys to the one in focus, which may show another app.
    async fn display_of_gesture(&self, what: &str) -> Result<Option<u32>, DeviceError> {
        let displays = &self.seen.displays;
        if let Some(display) = displays.for_gesture(&self.client, what).await? {
            return Ok(Some(display));
        }
        let Some(display) = displays.among_several() else { return Ok(None) };
        let takes_one =
            self.sdk().await?.is_some_and(|sdk| gesture::FIRST_SDK_WITH_DISPLAYS <= sdk);
        Ok(takes_one.then_some(display))
    }

    async fn long_press(&self) -> Result<Option<Duration>, DeviceError> {
        self.long_press
            .get_or_try_init(async || gesture::set_delay(&self.client).await)
            .await
            .copied()
    }

    /// Android's API level, where the phone tells it.
    pub(crate) async fn sdk(&self) -> Result<Option<u32>, DeviceError> {
        let ask = async || {
            let output =
                self.client.shell_quick("its version", "getprop ro.build.version.sdk").await?;
            Ok(sanitize_first_line(&output.stdout).and_then(|it| it.parse().ok()))
        };
        self.sdk.get_or_try_init(ask).await.copied()
    }
}

#[async_trait]
impl Device for AdbDevice {
    fn id(&self) -> &DeviceId {
        self.client.id()
    }

    async fn info(&self) -> Result<DeviceInfo, DeviceError> {
        let about = DeviceProperties::query(&self.client).await?;
        self.client.stay_with(about.marks());
        // A phone that does not tell may forbid nothing.
        let ban = self.client.shell_quick("what it forbids", ASK_CAPTURE_BAN).await;
        let ban = ban.map(|output| CaptureBan::read(&output.stdout)).unwrap_or_default();
        self.apps.read_names(&self.client);
        // Another task may have been faster; the value is the same.
        self.sdk.get_or_init(async || about.sdk).await;
        let screen = if let Some(screen) = about.screen {
            screen
        } else {
            let output = self.client.shell_quick("its screen", "dumpsys display").await?;
            let unreadable = || self.client.garbled("its screen", output.summary());
            current_size(&output.stdout).ok_or_else(unreadable)?
        };
        self.seen.displays.learn(&about.panels, Some(screen));
        *self.seen.ban.lock().unwrap_or_else(PoisonError::into_inner) = ban;
        let unknown = || DeviceInfo::UNKNOWN.to_owned();
        Ok(DeviceInfo {
            id: self.client.id().clone(),
            model: about.model.unwrap_or_else(unknown),
            android_version: about.android_version.unwrap_or_else(unknown),
            screen,
            serial_number: about.serial_number,
        })
    }

    async fn capture(&self) -> Result<Frame, DeviceError> {
        let (client, SeenScreens { capture, displays, .. }) = (&self.client, &*self.seen);
        let mut shown = displays.for_capture(client).await?;
        let mut captured = capture.frame(client, shown.map(|it| it.panel)).await?;
        let unclear = captured.several_displays || captured.frame.is_black();
        if unclear && displays.ask_panels_once(client).await? {
            shown = displays.for_capture(client).await?;
            if let Some(shown) = shown {
                captured = capture.frame(client, Some(shown.panel)).await?;
            }
        }
        if captured.frame.is_black() {
            for panel in displays.candidates(shown) {
                // One that cannot be captured takes nothing from the picture that there is.
                match capture.frame(client, Some(panel)).await {
                    Ok(other) if !other.frame.is_black() => {
                        captured = other;
                        break;
                    }
                    Ok(_) => {}
                    Err(error) if error.is_unreachable() => return Err(error),
                    Err(error) => tracing::debug!(panel, %error, "a panel was not captured"),
                }
            }
        }
        displays.captured(shown);
        if displays.must_ask_size()
            && let Err(error) = self.state().await
        {
            tracing::debug!(device = %client.id(), %error, "the size that touches refer to is not known");
        }
        displays.fitted(client, captured.frame).await
    }

    fn captures_overlap(&self) -> bool {
        // Of several displays it is not known beforehand which one it takes.
        !self.seen.displays.are_several() && self.seen.capture.overlaps()
    }

    async fn capture_digest(&self) -> Result<Option<CaptureDigest>, DeviceError> {
        if self.makes_digests() { self.seen.capture.digest(&self.client).await } else { Ok(None) }
    }

    fn makes_digests(&self) -> bool {
        // Of several displays it is not known beforehand which one it takes.
        !self.seen.displays.are_several() && self.seen.capture.makes_digests()
    }

    fn captured_by(&self) -> Option<CaptureRoute> {
        let (way, _) = self.seen.capture.latest()?;
        let link = self.client.link();
        Some(CaptureRoute { way, transport: transport(&self.client.serial()), link })
    }

    fn shown_on(&self) -> Option<ShownDisplay> {
        self.seen.displays.shown_on()
    }

    async fn state(&self) -> Result<ScreenState, DeviceError> {
        let display = self.seen.displays.seen();
        let now = screen::state(&self.client, display, &self.seen.ban()).await?;
        self.seen.displays.learn_use(now.displays);
        if !self.seen.displays.are_several() {
            self.seen.displays.learn_size(now.size);
        }
        Ok(now.state)
    }

    async fn perform(&self, gesture: &Gesture, on: ScreenSize) -> Result<Performed, DeviceError> {
        let first = self.client.fence().next();
        let mut performed = self.carry_out(gesture, on).await;
        if let Err(DeviceError::ClaimedElsewhere { partly, .. }) = &mut performed {
            // The last one is the refused one.
            *partly = first + 1 < self.client.fence().next();
        }
        performed
    }

    async fn is_awake(&self) -> Result<bool, DeviceError> {
        match screen::is_awake(&self.client).await? {
            Some(awake) => Ok(awake),
            None => Ok(self.state().await?.awake),
        }
    }

    fn claim(&self) {
        self.seen.was_driven.store(true, Ordering::Relaxed);
        self.client.fence().claim();
    }

    async fn recent_driver(&self) -> Result<Option<String>, DeviceError> {
        let output = self.client.shell_quick("its driver", &fence::ask_driver()).await?;
        Ok(fence::recent_driver(&output.stdout))
    }

    fn act_mark(&self) -> Option<ActMark> {
        self.client.fence().mark()
    }

    async fn has_begun(&self, act: &ActMark) -> Result<Option<bool>, DeviceError> {
        self.client.claim_if_due("what it was doing").await?;
        Ok(self.client.fence().has_begun(act))
    }

    fn report_changes(&self, log: Arc<dyn ChangeLog>) {
        self.client.report_changes(log);
    }

    async fn ways_to_stay_awake(&self) -> Result<Vec<SettingChange>, DeviceError> {
        settings::ways(&self.client).await
    }

    async fn ways_to_stop_animations(&self) -> Result<Vec<SettingChange>, DeviceError> {
        settings::animations(&self.client).await
    }

    async fn change_setting(&self, change: &SettingChange) -> Result<(), DeviceError> {
        settings::apply(&self.client, change).await
    }

    async fn put_back(&self, change: &SettingChange) -> Result<PutBack, DeviceError> {
        settings::put_back(&self.client, change).await
    }

    async fn wake(&self) -> Result<(), DeviceError> {
        screen::wake(&self.client, self.seen.displays.seen()).await.map(drop)
    }

    async fn reset(&self) -> Result<Option<String>, DeviceError> {
        screen::reset(&self.client, self.seen.displays.seen()).await
    }

    async fn apps(&self) -> Result<Vec<App>, DeviceError> {
        self.apps.list(&self.client).await
    }

    async fn surroundings(&self) -> Result<Surroundings, DeviceError> {
        let ask = batch(&[
            "date '+%s %z'",
            "settings --user current get system system_locales",
            "getprop persist.sys.locale",
            "getprop ro.product.locale",
        ]);
        let output = self.client.shell_quick("its date and language", &ask).await?;
        let asked = Instant::now();
        let [date, locales @ ..]: [&str; 4] = split_batch(&output.stdout);
        let clock = clock(date).map(|(unix_seconds, utc_offset)| PhoneClock {
            unix_seconds,
            utc_offset,
            asked,
        });
        let languages = locales.into_iter().map(parse_locales).find(|it| !it.is_empty());
        let languages =
            languages.map(|it| it.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
        Ok(Surroundings { clock, languages })
    }

    async fn preview(&self, command: &DeviceCommand) -> Result<CommandPreview, DeviceError> {
        self.commander().preview(command).await
    }

    async fn app_log(&self, app: &str, crashes: bool, lines: u32) -> Result<String, DeviceError> {
        self.commander().log(app, crashes, lines).await
    }

    fn app_name(&self, package: &str) -> Option<String> {
        self.apps.name_of(&self.client, package)
    }

    fn known_apps(&self) -> Vec<App> {
        self.apps.known(&self.client)
    }

    async fn ui_tree(&self) -> Result<Option<String>, DeviceError> {
        Ok(self.elements().await?.ok())
    }

    async fn ui_tree_or_why(&self) -> Result<Result<String, NoElements>, DeviceError> {
        self.elements().await
    }
}
