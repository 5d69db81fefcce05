//! One phone, as the agent drives it: the `Device` seam.
use std::sync::Arc;

use async_trait::async_trait;
use ayeaye_agent::{
    App, ChangeLog, Device, DeviceError, DeviceId, DeviceInfo, Frame, Gesture, Performed, PutBack,
    ScreenSize, ScreenState, SettingChange,
};
use bytes::Bytes;
use tokio::sync::OnceCell;
use tokio::time::Instant;

use crate::apps::AppCatalog;
use crate::capture::Capture;
use crate::client::DeviceClient;
use crate::parse::{batch, current_size, sanitize_first_line, split_batch, ui_tree, wm_size};
use crate::text_entry::TextEntry;
use crate::{AppLabels, gesture, screen, settings, sync};

/// The most bytes of a dump of the UI tree; more is an endless list.
const MAX_TREE: usize = 4 * 1024 * 1024;

/// A phone behind an adb server.
#[derive(Debug)]
pub struct AdbDevice {
    client: Arc<DeviceClient>,
    capture: Capture,
    apps: AppCatalog,
    /// Android's API level, where it is known.
    sdk: OnceCell<Option<u32>>,
}

/// Properties that a phone reports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct DeviceProperties {
    pub(crate) model: Option<String>,
    pub(crate) android_version: Option<String>,
    pub(crate) product: Option<String>,
    pub(crate) sdk: Option<u32>,
    pub(crate) screen: Option<ScreenSize>,
}

impl DeviceProperties {
    /// All of them in one round trip.
    pub(crate) async fn query(client: &DeviceClient) -> Result<Self, DeviceError> {
        let ask = batch(&[
            "getprop ro.product.model",
            "getprop ro.build.version.release",
            "getprop ro.product.name",
            "getprop ro.build.version.sdk",
            "wm size",
            "dumpsys window displays | grep cur=",
        ]);
        let output = client.shell_quick("its description", &ask).await?;
        let [model, android, product, sdk, size, held] = split_batch(&output.stdout);
        Ok(Self {
            model: sanitize_first_line(model),
            android_version: sanitize_first_line(android),
            product: sanitize_first_line(product),
            sdk: sdk.trim().parse().ok(),
            screen: current_size(held).or_else(|| wm_size(size)),
        })
    }
}

impl AdbDevice {
    pub(crate) fn new(client: Arc<DeviceClient>, app_labels: Arc<AppLabels>) -> Self {
        Self {
            client,
            capture: Capture::default(),
            apps: AppCatalog::new(app_labels),
            sdk: OnceCell::new(),
        }
    }

    /// Reads a small file, at most `most` bytes.
    pub async fn pull(&self, path: &str, most: usize) -> Result<Bytes, DeviceError> {
        sync::pull(&self.client, path, most).await
    }

    /// Writes a small file, with the permissions of `mode` (such as 0o644).
    pub async fn push(&self, path: &str, mode: u32, content: &[u8]) -> Result<(), DeviceError> {
        sync::push(&self.client, path, mode, content).await
    }

    /// The size of a file in bytes, or `None` when there is none.
    pub async fn file_size(&self, path: &str) -> Result<Option<u32>, DeviceError> {
        sync::file_size(&self.client, path).await
    }

    async fn sdk(&self) -> Result<Option<u32>, DeviceError> {
        let ask = async || {
            let output =
                self.client.shell_quick("its version", "getprop ro.build.version.sdk").await?;
            Ok(output.stdout.trim().parse().ok())
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
        let unknown = || "unknown".to_owned();
        Ok(DeviceInfo {
            id: self.client.id().clone(),
            model: about.model.unwrap_or_else(unknown),
            android_version: about.android_version.unwrap_or_else(unknown),
            screen,
        })
    }

    async fn capture(&self) -> Result<Frame, DeviceError> {
        self.capture.frame(&self.client).await
    }

    async fn state(&self) -> Result<ScreenState, DeviceError> {
        screen::state(&self.client).await
    }

    async fn perform(&self, gesture: &Gesture, on: ScreenSize) -> Result<Performed, DeviceError> {
        let what = gesture.name();
        let field = self.client.take_field();
        let line = match gesture {
            Gesture::Click { point } => gesture::tap(*point, on),
            Gesture::DoubleClick { point } => gesture::double_tap(*point, on, self.sdk().await?),
            Gesture::LongPress { point, duration } => gesture::long_press(*point, on, *duration),
            Gesture::Slide { from, to, duration } => gesture::slide(*from, *to, on, *duration),
            Gesture::Scroll { direction, at } => gesture::scroll(*direction, *at, on),
            Gesture::Drag { from, to } => gesture::drag(*from, *to, on),
            Gesture::HotKey { key } => gesture::key(*key),
            Gesture::Awake { app } => return self.apps.open(&self.client, app).await,
            Gesture::Type { text, point, clear, submit } => {
                let typing = TextEntry { text, point: *point, clear: *clear, submit: *submit };
                return typing.perform(&self.client, on, field).await;
            }
        };
        line.send(&self.client, what).await?;
        Ok(Performed::done())
    }

    async fn is_awake(&self) -> Result<bool, DeviceError> {
        match screen::is_awake(&self.client).await? {
            Some(awake) => Ok(awake),
            None => Ok(self.state().await?.awake),
        }
    }

    fn report_changes(&self, log: Arc<dyn ChangeLog>) {
        self.client.report_changes(log);
    }

    async fn ways_to_stay_awake(&self) -> Result<Vec<SettingChange>, DeviceError> {
        settings::ways(&self.client).await
    }

    async fn change_setting(&self, change: &SettingChange) -> Result<(), DeviceError> {
        settings::apply(&self.client, change).await
    }

    async fn put_back(&self, change: &SettingChange) -> Result<PutBack, DeviceError> {
        settings::put_back(&self.client, change).await
    }

    async fn wake(&self) -> Result<(), DeviceError> {
        screen::wake(&self.client).await.map(drop)
    }

    async fn reset(&self) -> Result<(), DeviceError> {
        screen::reset(&self.client).await
    }

    async fn apps(&self) -> Result<Vec<App>, DeviceError> {
        self.apps.list(&self.client).await
    }

    fn app_name(&self, package: &str) -> Option<String> {
        self.apps.name_of(&self.client, package)
    }

    async fn ui_tree(&self) -> Result<Option<String>, DeviceError> {
        let what = "its elements";
        let deadline = Instant::now() + self.client.limits().ui_tree;
        let dump = "uiautomator dump /dev/tty";
        match self.client.exec(what, dump, deadline, MAX_TREE, <[u8]>::len).await {
            Ok(bytes) => Ok(ui_tree(&String::from_utf8_lossy(&bytes)).map(ToOwned::to_owned)),
            // `uiautomator` waits for the screen to be idle, and some screens never are.
            Err(DeviceError::TimedOut { .. } | DeviceError::Garbled { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }
}
