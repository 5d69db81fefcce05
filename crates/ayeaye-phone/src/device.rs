//! A phone as ADB sees it: the phone with its files, faults and counters.
use std::{
    hash::{BuildHasher as _, Hasher as _, RandomState},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore},
    time::Instant,
};

use crate::{
    draw::Frame,
    faults::{FaultPlan, Faults},
    files::FileSystem,
    makers::Maker,
    memory::Memory,
    options::PhoneOptions,
    package_files,
    phone::Phone,
    profile::{Profile, Timing, pause_until},
    transfer::Link,
};

/// What clients sent. Much of it a real phone would silently ignore.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct AdbCounts {
    /// Services opened.
    pub services: u64,
    /// Round trips: services opened, and lines given to a shell that was open.
    pub requests: u64,
    /// Unknown services asked for.
    pub unknown_services: u64,
    /// Command lines run (one for each `shell` or `exec` with a command, one for each typed line).
    pub command_lines: u64,
    /// Command lines the shell could not parse.
    pub syntax_errors: u64,
    /// Unknown commands (exit status 127).
    pub unknown_commands: u64,
    /// Known commands with arguments that were refused.
    pub malformed_commands: u64,
    /// Pictures taken, by `screencap` or `framebuffer:`.
    pub captures: u64,
    /// Apps started with `monkey`, which takes a second on a real phone.
    pub monkeys: u64,
    /// `uiautomator dump`.
    pub dumps: u64,
    /// Bytes that services have sent.
    pub bytes_sent: u64,
}

/// A phone behind ADB; clones are the same phone.
#[derive(Debug, Clone)]
pub struct VirtualPhone {
    inner: Arc<Inner>,
    /// Another serial than the phone's own.
    alias: Option<Arc<str>>,
}

#[derive(Debug)]
struct Inner {
    phone: Phone,
    faults: Faults,
    link: Arc<Link>,
    files: Mutex<FileSystem>,
    memory: Memory,
    counts: Mutex<AdbCounts>,
    boot: Mutex<Boot>,
}

#[derive(Debug, Clone)]
struct Boot {
    at: Instant,
    /// Another one with each boot, and on each phone.
    id: u64,
    /// What one process at a time may hold, to read the screen's elements.
    ui_automation: Arc<Semaphore>,
}

impl Boot {
    fn now() -> Self {
        Self {
            at: Instant::now(),
            id: RandomState::new().build_hasher().finish(),
            ui_automation: Arc::new(Semaphore::new(1)),
        }
    }
}

impl Default for VirtualPhone {
    /// The phone of the documentation and the demo.
    fn default() -> Self {
        Self::new(Phone::new(PhoneOptions::default()))
    }
}

impl VirtualPhone {
    /// A healthy phone with the files of a new one.
    pub fn new(phone: Phone) -> Self {
        let now = phone.unix_time().as_secs();
        let mut files = FileSystem::new(phone.options(), now);
        for package in phone.packages() {
            files.preinstall(&package.path(), package_files::build(&package), now);
        }
        let faults = Faults::new();
        let timing = phone.options().profile.timing();
        Self {
            inner: Arc::new(Inner {
                phone,
                link: Arc::new(Link::new(timing, faults.clone())),
                faults,
                files: Mutex::new(files),
                memory: Memory::default(),
                counts: Mutex::default(),
                boot: Mutex::new(Boot::now()),
            }),
            alias: None,
        }
    }

    /// A phone as that maker's phones are.
    pub fn like(maker: Maker) -> Self {
        Self::like_on(maker, Profile::AsIs)
    }

    /// A phone as that maker's phones are, as fast as this profile.
    pub fn like_on(maker: Maker, profile: Profile) -> Self {
        let device = Self::new(Phone::new(maker.options().with_profile(profile)));
        device.inject(|plan| *plan = maker.faults());
        device
    }

    /// The phone of the documentation, as fast as this profile.
    pub fn on(profile: Profile) -> Self {
        Self::new(Phone::new(PhoneOptions::default().with_profile(profile)))
    }

    pub fn phone(&self) -> &Phone {
        // The plan of faults knows no phone, so it is looked up.
        self.inner.phone.set_quirks(self.inner.faults.quirks());
        &self.inner.phone
    }

    pub fn faults(&self) -> &Faults {
        &self.inner.faults
    }

    /// How long things take.
    pub(crate) fn timing(&self) -> &'static Timing {
        self.inner.phone.options().profile.timing()
    }

    /// What carries the bytes to the client.
    pub(crate) fn link(&self) -> Arc<Link> {
        Arc::clone(&self.inner.link)
    }

    /// Changes the plan of faults, and the phone where a fault is a state of it.
    pub fn inject(&self, change: impl FnOnce(&mut FaultPlan)) {
        let before = self.faults().plan().no_keyboard;
        self.faults().set(change);
        let missing = self.faults().plan().no_keyboard;
        if missing != before {
            self.phone().set_keyboard_installed(!missing);
        }
    }

    /// The counters so far.
    pub fn adb_counts(&self) -> AdbCounts {
        AdbCounts { bytes_sent: self.inner.link.sent(), ..self.counts().clone() }
    }

    /// The same phone under another serial, as if it were attached in a second way: a phone on a cable
    /// is `HOST:PORT` over Wi-Fi.
    #[must_use]
    pub fn also_as(&self, serial: &str) -> Self {
        Self { inner: self.inner.clone(), alias: Some(serial.into()) }
    }

    /// As `adb devices` names it.
    pub fn serial(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.inner.phone.options().serial)
    }

    pub(crate) fn count(&self, note: impl FnOnce(&mut AdbCounts)) {
        note(&mut self.counts());
    }

    /// What may be held for clients besides files.
    pub(crate) fn memory(&self) -> &Memory {
        &self.inner.memory
    }

    /// Not to be held over an await.
    pub(crate) fn files(&self) -> MutexGuard<'_, FileSystem> {
        self.inner.files.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The panel, as wide and as tall as it is held, and where on it the screen is shown: left, top,
    /// width and height.
    pub(crate) fn panel(&self) -> ((u32, u32), [u32; 4]) {
        let options = self.phone().options();
        let (mut wide, mut tall) = (options.width, options.height);
        if self.phone().rotation() % 2 == 1 {
            std::mem::swap(&mut wide, &mut tall);
        }
        let (width, height) = self.phone().display_size();
        let by_width = u64::from(height) * u64::from(wide) / u64::from(width);
        let (w, h) = match u32::try_from(by_width) {
            Ok(h) if h <= tall => (wide, h),
            _ => {
                let w = u64::from(width) * u64::from(tall) / u64::from(height);
                (u32::try_from(w).unwrap_or(wide).min(wide), tall)
            }
        };
        ((wide, tall), [(wide - w) / 2, (tall - h) / 2, w, h])
    }

    /// Takes a screenshot, late or never when a fault says so. Secure windows are drawn black. The picture shows
    /// the screen at the beginning, and is there when a phone of this profile has it.
    pub(crate) async fn capture(&self) -> Result<Frame, CaptureFailed> {
        self.count(|counts| counts.captures += 1);
        self.faults().before_capture().await;
        let black = self.faults().take_black();
        let phone = self.phone().clone();
        let panel = self.faults().plan().panel_captures.then(|| self.panel());
        let drawn = tokio::task::spawn_blocking(move || {
            let frame = phone.frame();
            match panel {
                Some((size, place)) => frame.placed(size, place),
                None => frame,
            }
        });
        let there = Instant::now() + self.timing().capture + self.faults().capture_delay();
        let frame = drawn.await.map_err(|_| CaptureFailed)?;
        pause_until(there).await;
        Ok(if black { frame.blackened() } else { frame })
    }

    /// The phone's only `UiAutomation`; `None` while another process holds it.
    pub(crate) fn connect_ui_automation(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.boot().ui_automation).try_acquire_owned().ok()
    }

    /// The phone's clock, in seconds since 1970.
    pub(crate) fn unix_seconds(&self) -> u64 {
        self.phone().unix_time().as_secs()
    }

    /// Time since boot.
    pub(crate) fn uptime(&self) -> std::time::Duration {
        self.boot().at.elapsed()
    }

    /// As in `/proc/sys/kernel/random/boot_id`.
    pub(crate) fn boot_id(&self) -> String {
        let id = self.boot().id;
        format!("5d1a6e7c-{:04x}-4000-8000-{:012x}", id >> 48, id & 0xffff_ffff_ffff)
    }

    /// Drops the link and changes the boot id; nobody holds the `UiAutomation` any more. The screen stays as it is.
    pub(crate) fn reboot(&self) {
        *self.boot() = Boot::now();
        self.faults().kill_link();
    }

    fn counts(&self) -> MutexGuard<'_, AdbCounts> {
        self.inner.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn boot(&self) -> MutexGuard<'_, Boot> {
        self.inner.boot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Drawing panicked, which a client sees as a failed capture.
#[derive(Debug, thiserror::Error)]
#[error("the screen could not be drawn")]
pub(crate) struct CaptureFailed;
