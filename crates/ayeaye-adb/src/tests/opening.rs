//! Opening apps by what people call them.
use ayeaye_agent::{Device as _, DeviceError, Gesture, ScreenSize};

use super::fake::{Fake, Reply};

const ON: ScreenSize = ScreenSize { width: 1080, height: 2400 };

pub(super) const APPS: &str = "2 activities found:\n  Activity #0:\n    priority=0\n    \
    com.android.settings/.Settings\n    com.tencent.mm/.ui.LauncherUI\n    \
    com.tencent.mm/.Second\n    com.a.player/.A$B\n    com.b.player/.P\n";

#[tokio::test]
async fn apps_are_opened_by_what_people_call_them() {
    let fake = Fake::phone(|r| r.contains("query-activities").then(|| Reply::out(APPS))).await;
    let device = fake.open().await;
    assert_eq!(device.apps().await.unwrap().len(), 4);
    assert_eq!(device.apps().await.unwrap()[1].label.as_deref(), Some("WeChat"));
    let open = async |app: &str| device.perform(&Gesture::Awake { app: app.to_owned() }, ON).await;
    open("微信").await.unwrap();
    open("com.a.player").await.unwrap();
    let starts = fake.acts();
    assert!(
        starts[0].starts_with("am start ")
            && starts[0].ends_with("-n 'com.tencent.mm/.ui.LauncherUI'")
    );
    assert!(starts[1].ends_with("-n 'com.a.player/.A$B'"));
    let unclear = open("player").await.unwrap_err().to_string();
    assert!(unclear.contains("com.a.player, com.b.player"), "{unclear}");
    let missing = open("'; reboot; '").await.unwrap_err();
    assert!(matches!(missing, DeviceError::NotSent { .. }));
    assert_eq!(fake.acts().len(), 2);
}

#[tokio::test]
async fn apps_of_a_television_are_opened_by_their_own_icon() {
    let fake = Fake::phone(|request| {
        if request.contains("query-activities") {
            assert!(request.contains("LEANBACK_LAUNCHER"), "in one round trip: {request}");
            let phone = "1 activities found:\n    com.a.both/.Phone\n";
            let tv = "2 activities found:\n    com.a.both/.Tv\n    com.a.cinema/.Tv\n";
            return Some(Reply::out(format!("{phone}--ayeaye--\n{tv}")));
        }
        request.contains("pm path com.a.service").then(|| Reply::out("package:/system/a.apk\n"))
    })
    .await;
    let device = fake.open().await;
    let open = async |app: &str| device.perform(&Gesture::Awake { app: app.to_owned() }, ON).await;
    open("com.a.cinema").await.unwrap();
    open("com.a.both").await.unwrap();
    let starts = fake.acts();
    assert!(starts[0].contains("-c android.intent.category.LEANBACK_LAUNCHER "), "{starts:?}");
    assert!(starts[0].ends_with("-n 'com.a.cinema/.Tv'"), "{starts:?}");
    assert!(starts[1].contains("-c android.intent.category.LAUNCHER "), "{starts:?}");
    assert!(starts[1].ends_with("-n 'com.a.both/.Phone'"), "{starts:?}");
    let error = open("com.a.service").await.unwrap_err().to_string();
    assert!(error.contains("com.a.service is installed but has nothing to open"), "{error}");
    let error = open("com.a.nowhere").await.unwrap_err().to_string();
    assert!(error.contains("no app of this name is installed"), "{error}");
}

#[tokio::test]
async fn an_app_on_an_old_phone_is_looked_up_and_its_refusal_is_told() {
    let fake = Fake::phone(|request| {
        if request.contains("resolve-activity") {
            return Some(Reply::out("priority=0\ncom.android.settings/.Settings\n"));
        }
        if request.contains("query-activities") {
            return Some(Reply::Shell(String::new(), "Unknown command\n".to_owned(), 255));
        }
        if request.contains("pm list packages") {
            return Some(Reply::out("package:com.android.settings\npackage:com.x.y\n"));
        }
        let refusal = "Starting: Intent\nError type 3\nError: Activity class {x} does not exist.\n";
        request.contains("am start").then(|| Reply::out(refusal))
    })
    .await;
    let awake = Gesture::Awake { app: "Settings".to_owned() };
    let error = fake.open().await.perform(&awake, ON).await.unwrap_err();
    assert!(error.to_string().contains("Error type 3"), "{error}");
    let awake = Gesture::Awake { app: "com.x.y".to_owned() };
    let error = fake.open().await.perform(&awake, ON).await.unwrap_err();
    assert!(error.to_string().contains("nothing to open"), "{error}");
}
