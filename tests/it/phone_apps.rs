//! The names of a phone's apps, read from the package files of the virtual phone as from a real one's.
use std::sync::Arc;
use std::time::Duration;

use ayeaye_adb::{AdbConfig, AdbDevices, AppLabels, ServerAddress};
use ayeaye_agent::{App, Device, DeviceId, DeviceSource as _, Gesture};
use ayeaye_phone::VirtualPhone;
use serde_json::json;
use tempfile::TempDir;

use crate::support::{Answer, FakeVlm, Rig, RigOptions, plugged_in, within};

async fn open(phone: &VirtualPhone, adb: std::net::SocketAddr, data: &TempDir) -> Arc<dyn Device> {
    let server = ServerAddress::Tcp { host: adb.ip().to_string(), port: adb.port() };
    let labels = Arc::new(AppLabels::new(Some(data.path().join("names.tsv"))));
    let devices = AdbDevices::new(AdbConfig::new(server, None)).with_app_labels(labels);
    devices.open(&DeviceId::new(phone.serial())).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn apps_have_the_names_of_the_phones_language() {
    let data = TempDir::new().unwrap();
    let phone = VirtualPhone::default();
    let (adb, _guard) = plugged_in(&phone).await;
    for (locales, settings, notes) in [
        ("en-US", "Settings", "Notes"),
        ("zh-Hans-CN,en-US", "设置", "笔记"),
        ("zh-Hant-HK", "設定", "筆記"),
        ("pt-BR", "Configurações", "Notas"),
        ("ar-EG,en", "الإعدادات", "الملاحظات"),
    ] {
        phone.phone().put_setting("system", "system_locales", Some(locales));
        let device = open(&phone, adb, &data).await;
        let screen = device.info().await.unwrap().screen;
        // The list waits for the names, which are being read, but not for ever.
        within(30, settings, async {
            let is_named = |app: &App| app.label.as_deref() == Some(settings);
            let mut tick = tokio::time::interval(Duration::from_millis(20));
            while !device.apps().await.unwrap().iter().any(is_named) {
                tick.tick().await;
            }
        })
        .await;
        for (name, package) in [(settings, "com.android.settings"), (notes, "com.example.notes")] {
            device.perform(&Gesture::Awake { app: name.to_owned() }, screen).await.unwrap();
            assert_eq!(phone.phone().foreground().package, package, "{locales}: {name}");
            let told = device.app_name(package);
            assert_eq!(told.as_deref(), Some(name), "{locales}");
        }
        // English, in which the apps were written, is understood on every phone.
        device.perform(&Gesture::Awake { app: "Messages".to_owned() }, screen).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_installed_is_told_with_what_is() {
    let data = TempDir::new().unwrap();
    let phone = VirtualPhone::default();
    let (adb, _guard) = plugged_in(&phone).await;
    phone.phone().put_setting("system", "system_locales", Some("pt-BR"));
    let device = open(&phone, adb, &data).await;
    let screen = device.info().await.unwrap().screen;
    let open = async |app: &str| {
        device
            .perform(&Gesture::Awake { app: app.to_owned() }, screen)
            .await
            .unwrap_err()
            .to_string()
    };
    let told = open("Kalender").await;
    assert!(told.contains("no app of this name is installed"), "{told}");
    let told = open("Mensageiro").await;
    assert!(told.contains("nearest are Mensagens ("), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_planner_is_told_the_apps_by_their_names_and_the_date() {
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let rig = Rig::with(vlm, RigOptions::quick()).await;
    rig.virtual_phone.phone().put_setting("system", "system_locales", Some("zh-Hans-CN"));
    rig.vlm.always(&json!({ "status": "FINISH", "result": "Seen.", "plan": [] }).to_string());
    let task = json!({ "device_id": rig.serial, "task": "看一下", "planner": true });
    let done = rig.call("ask_agent_start_new_task", task).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let page = rig.vlm.asked()[0].to_string();
    for told in ["设置", "笔记", "com.example.notes", "The phone's date and time: "] {
        assert!(page.contains(told), "{told}: {page}");
    }
}
