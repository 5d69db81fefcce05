//! A phone that is a picture: every gesture changes its colour. Also that of the bench `step`.
#![allow(dead_code, unreachable_pub, reason = "the bench and the tests each use a part")]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use ayeaye_agent::{
    App, Component, Device, DeviceEntry, DeviceError, DeviceId, DeviceInfo, DeviceSource, Frame,
    Gesture, Performed, PutBack, ScreenSize, ScreenState, SettingChange, Transport,
};
use tokio::sync::Notify;

/// See the module.
#[derive(Debug)]
pub struct FakeDevice {
    id: DeviceId,
    screen: ScreenSize,
    gestures: AtomicU32,
    away: AtomicBool,
    ui_tree: Option<String>,
    /// Opened only when somebody says so, and whether anybody wants that.
    gate: Mutex<Option<Arc<Notify>>>,
    wanted: Notify,
}

impl FakeDevice {
    pub fn new(serial: &str, screen: ScreenSize) -> Self {
        let (gestures, away) = (AtomicU32::new(0), AtomicBool::new(false));
        let (gate, wanted) = (Mutex::default(), Notify::new());
        Self { id: DeviceId::new(serial), screen, gestures, away, ui_tree: None, gate, wanted }
    }

    /// The same with this tree of elements on the screen.
    pub fn with_ui_tree(self, xml: String) -> Self {
        Self { ui_tree: Some(xml), ..self }
    }

    /// The gestures so far, without the reset.
    pub fn gestures(&self) -> u32 {
        self.gestures.load(Ordering::SeqCst)
    }

    /// Keeps whoever opens the phone waiting until the gate is opened.
    pub fn open_behind(&self, gate: &Arc<Notify>) {
        *self.gate.lock().expect("nobody panics with it") = Some(gate.clone());
    }

    /// Waits until somebody waits at that gate.
    pub async fn is_wanted(&self) {
        self.wanted.notified().await;
    }

    /// Takes the phone away, or brings it back.
    pub fn set_away(&self, away: bool) {
        self.away.store(away, Ordering::SeqCst);
    }
}

#[async_trait]
impl Device for FakeDevice {
    fn id(&self) -> &DeviceId {
        &self.id
    }

    async fn info(&self) -> Result<DeviceInfo, DeviceError> {
        Ok(DeviceInfo {
            id: self.id.clone(),
            model: "Fake".to_owned(),
            android_version: "14".to_owned(),
            screen: self.screen,
            serial_number: None,
        })
    }

    async fn capture(&self) -> Result<Frame, DeviceError> {
        let [low, middle, high, _] = self.gestures().to_le_bytes();
        // Never black, and no two in a row look alike.
        let colour = [low.wrapping_mul(41), middle.wrapping_add(90), high.wrapping_add(10), 255];
        let pixels = (self.screen.width * self.screen.height) as usize;
        Ok(Frame::new(self.screen, colour.repeat(pixels).into()).expect("as large as the screen"))
    }

    async fn state(&self) -> Result<ScreenState, DeviceError> {
        let (package, activity) = ("com.example.chat".to_owned(), ".Main".to_owned());
        Ok(ScreenState {
            awake: true,
            locked: false,
            app_over_lock: false,
            foreground: Some(Component { package, activity }),
            protected: false,
            keyboard_shown: false,
            secret_field: false,
        })
    }

    async fn perform(&self, _: &Gesture, _: ScreenSize) -> Result<Performed, DeviceError> {
        self.gestures.fetch_add(1, Ordering::SeqCst);
        Ok(Performed::done())
    }

    // Its ways to stay awake and to stop animations are none: nobody changes anything.
    async fn change_setting(&self, change: &SettingChange) -> Result<(), DeviceError> {
        unreachable!("{change:?} was not offered")
    }

    async fn put_back(&self, change: &SettingChange) -> Result<PutBack, DeviceError> {
        unreachable!("{change:?} was not offered")
    }

    async fn wake(&self) -> Result<(), DeviceError> {
        Ok(())
    }

    async fn reset(&self) -> Result<Option<String>, DeviceError> {
        Ok(None)
    }

    async fn apps(&self) -> Result<Vec<App>, DeviceError> {
        Ok(Vec::new())
    }

    async fn ui_tree(&self) -> Result<Option<String>, DeviceError> {
        Ok(self.ui_tree.clone())
    }
}

/// The one phone.
#[derive(Debug)]
pub struct FakeSource(pub Arc<FakeDevice>);

#[async_trait]
impl DeviceSource for FakeSource {
    async fn list(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        Ok(vec![DeviceEntry {
            id: self.0.id.clone(),
            state: "device".to_owned(),
            ready: true,
            transport: Transport::Virtual,
            model: None,
            product: None,
            android_version: None,
            screen: Some(self.0.screen),
            hint: None,
            also: Vec::new(),
            identity: None,
        }])
    }

    async fn open(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        let gate = self.0.gate.lock().expect("nobody panics with it").take();
        if let Some(gate) = gate {
            self.0.wanted.notify_one();
            gate.notified().await;
        }
        if *id != self.0.id || self.0.away.load(Ordering::SeqCst) {
            return Err(DeviceError::NotFound(id.clone()));
        }
        Ok(self.0.clone())
    }
}
