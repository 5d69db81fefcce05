//! Phones of full size whose pixels come as from a link, and cost nothing to make.
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use ayeaye_agent::{
    App, Component, Device, DeviceEntry, DeviceError, DeviceId, DeviceInfo, DeviceSource, Frame,
    Gesture, Performed, PutBack, ScreenSize, ScreenState, SettingChange, Transport,
};
use ayeaye_frame::{Earlier, FrameBuilder};
use tokio::time::sleep;

const SIZE: ScreenSize = ScreenSize { width: 1080, height: 2400 };
/// Until the pixels of a capture have come, over USB 3, besides.
const CAPTURE: Duration = Duration::from_millis(60);
/// Any other answer.
const SERVICE: Duration = Duration::from_millis(20);
/// After so long a phone that hangs is given up, as adb's limits have it.
const HANGS: Duration = Duration::from_secs(10);
/// What comes from a link at a time.
const PIECE: usize = 64 * 1024;
/// A row of the list that is shown: each gesture moves it by one.
const ROW: usize = 160;

/// A list of conversations, twice as long as the screen: an icon and two lines of strokes as wide as print.
static LIST: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let pixel = |x: usize, y: usize| {
        let (row, number, across) = (y % ROW, y / ROW, x * 1000 / SIZE.width as usize);
        let line =
            (40..70).contains(&row) && across < 620 || (95..118).contains(&row) && across < 870;
        let stroke = (x / 4 * 7 + y / 6 * 5 + x / 29 + number * 3) % 5 < 2;
        match across {
            40..130 if (30..130).contains(&row) => {
                let shade = |of: usize| u8::try_from(of % 200 + 40).unwrap_or_default();
                [shade(number * 47), shade(number * 31), shade(row), 255]
            }
            180.. if line && stroke => [30, 30, 34, 255],
            _ => [250, 250, 248, 255],
        }
    };
    let (width, height) = (SIZE.width as usize, SIZE.height as usize);
    (0..2 * height).flat_map(|y| (0..width).flat_map(move |x| pixel(x, y))).collect()
});

/// One of them.
#[derive(Debug)]
pub(crate) struct PagePhone {
    id: DeviceId,
    hangs: bool,
    gestures: AtomicU32,
    last: Mutex<Earlier>,
}

impl PagePhone {
    /// One that answers, or that hangs from its second capture on.
    pub(crate) fn new(serial: &str, hangs: bool) -> Self {
        LazyLock::force(&LIST);
        let (gestures, last) = (AtomicU32::new(0), Mutex::default());
        Self { id: DeviceId::new(serial), hangs, gestures, last }
    }

    /// The gestures so far.
    pub(crate) fn gestures(&self) -> u32 {
        self.gestures.load(Ordering::Relaxed)
    }

    async fn answer(&self, what: &str) -> Result<(), DeviceError> {
        if self.hangs && 0 < self.gestures() {
            sleep(HANGS).await;
            return Err(DeviceError::TimedOut {
                id: self.id.clone(),
                what: what.to_owned(),
                after: HANGS,
            });
        }
        sleep(SERVICE).await;
        Ok(())
    }
}

#[async_trait]
impl Device for PagePhone {
    fn id(&self) -> &DeviceId {
        &self.id
    }

    async fn info(&self) -> Result<DeviceInfo, DeviceError> {
        Ok(DeviceInfo {
            id: self.id.clone(),
            model: "Page".to_owned(),
            android_version: "14".to_owned(),
            screen: SIZE,
            serial_number: None,
        })
    }

    async fn capture(&self) -> Result<Frame, DeviceError> {
        self.answer("a screenshot").await?;
        let rows = SIZE.height as usize / ROW;
        let from = self.gestures() as usize % rows * ROW * SIZE.width as usize * 4;
        let whole = SIZE.width as usize * SIZE.height as usize * 4;
        let earlier = self.last.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let mut builder = FrameBuilder::new(SIZE, &earlier).expect("a size of phones");
        sleep(CAPTURE).await;
        for piece in LIST[from..from + whole].chunks(PIECE) {
            builder.push(piece);
            tokio::task::yield_now().await;
        }
        let frame = builder.finish().expect("all of it was pushed");
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = frame.as_earlier();
        Ok(frame)
    }

    async fn state(&self) -> Result<ScreenState, DeviceError> {
        self.answer("what is in front").await?;
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
        self.answer("a gesture").await?;
        self.gestures.fetch_add(1, Ordering::Relaxed);
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
        self.answer("the elements").await?;
        let node = r#"<node text="Next" class="android.widget.Button" clickable="true" bounds="[0,0][1080,2400]"/>"#;
        Ok(Some(format!("<hierarchy rotation=\"0\">{}</hierarchy>", node.repeat(60))))
    }
}

/// All of them.
#[derive(Debug)]
pub(crate) struct PagePhones(pub(crate) Vec<Arc<PagePhone>>);

#[async_trait]
impl DeviceSource for PagePhones {
    async fn list(&self) -> Result<Vec<DeviceEntry>, DeviceError> {
        let entry = |phone: &Arc<PagePhone>| DeviceEntry {
            id: phone.id.clone(),
            state: "device".to_owned(),
            ready: true,
            transport: Transport::Virtual,
            model: None,
            product: None,
            android_version: None,
            screen: Some(SIZE),
            hint: None,
            also: Vec::new(),
            identity: None,
        };
        Ok(self.0.iter().map(entry).collect())
    }

    async fn open(&self, id: &DeviceId) -> Result<Arc<dyn Device>, DeviceError> {
        let found = self.0.iter().find(|phone| phone.id == *id);
        found.map(|phone| phone.clone() as Arc<dyn Device>).ok_or(DeviceError::NotFound(id.clone()))
    }
}
