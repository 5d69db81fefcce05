//! The names of apps: read in the phone's language, once, and never at the cost of what works without.
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ayeaye_agent::{Device as _, DeviceId, Gesture, ScreenSize};

use super::fake::{Fake, Reply};
use crate::{AdbDevice, AppLabels};

const ON: ScreenSize = ScreenSize { width: 1080, height: 2400 };
const MANIFEST: &[u8] = include_bytes!("../apk/samples/plain.manifest");
const TABLE: &[u8] = include_bytes!("../apk/samples/plain.arsc");

/// A phone with one app for weather that answers `unzip` as the function says: the paths, each with what
/// is behind its mark.
async fn phone(
    locales: &'static str,
    unzip: impl Fn(&str) -> Reply + Send + Sync + 'static,
) -> Fake {
    Fake::phone(move |request| {
        let activities =
            "2 activities found:\n    org.example.weather/.Main\n    org.example.other/.Main\n";
        if request.contains("unzip -p") {
            return Some(unzip(request));
        }
        if request.contains("pm list packages -f") {
            let files = "package:/data/app/~~a==/org.example.weather-b==/base.apk=org.example.weather versionCode:12\n\
                         package:/system/app/Other/Other.apk=org.example.other versionCode:3\n";
            let told = [activities, files, locales, "", ""].join("--ayeaye--\n");
            return Some(Reply::out(told));
        }
        request.contains("query-activities").then(|| Reply::out(activities))
    })
    .await
}

/// What `unzip` writes for the marks of a command: the same for every one whose paths have a word.
fn unzipped(request: &str, word: &str, content: &[u8]) -> Reply {
    let mut bytes = Vec::new();
    for piece in request.split("echo ").skip(1) {
        let mark = piece.split(';').next().unwrap_or_default().trim();
        bytes.extend_from_slice(mark.as_bytes());
        bytes.push(b'\n');
        if piece.contains(word) {
            bytes.extend_from_slice(content);
        }
    }
    Reply::Bytes(bytes)
}

async fn open(fake: &Fake, file: Option<PathBuf>) -> Arc<AdbDevice> {
    let devices = fake.devices().with_app_labels(Arc::new(AppLabels::new(file)));
    devices.open_adb(&DeviceId::new("X")).await.unwrap()
}

fn known_names(device: &AdbDevice) -> Vec<String> {
    device.known_apps().into_iter().filter_map(|app| app.label).collect()
}

fn reads(fake: &Fake) -> usize {
    // The other app, which could not be read, may be asked again.
    let of_weather = |command: &&String| command.contains("unzip") && command.contains("weather");
    fake.commands().iter().filter(of_weather).count()
}

#[tokio::test]
async fn apps_are_found_by_their_names_on_a_phone_of_any_language_and_read_once() {
    let content = [MANIFEST, TABLE].concat();
    let whole = move |request: &str| unzipped(request, "weather", &content);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("names.tsv");
    for (locales, name) in
        [("zh-Hans-CN,en-US\n", "天气"), ("ar-EG\n", "الطقس"), ("pt-BR\n", "Clima")]
    {
        let fake = phone(locales, whole.clone()).await;
        let device = open(&fake, Some(file.clone())).await;
        let awake = Gesture::Awake { app: name.to_owned() };
        device.perform(&awake, ON).await.unwrap();
        assert!(fake.acts()[0].ends_with("-n 'org.example.weather/.Main'"), "{:?}", fake.acts());
        assert_eq!(device.app_name("org.example.weather").as_deref(), Some(name));
        assert_eq!(known_names(&device), [name]);
        assert_eq!(reads(&fake), 1);
        // The language that the app was written in is known as well.
        device.perform(&Gesture::Awake { app: "Weather".to_owned() }, ON).await.unwrap();
        let saved = async {
            while !std::fs::read_to_string(&file).is_ok_and(|text| text.contains(name)) {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), saved).await.unwrap();
        let again = open(&fake, Some(file.clone())).await;
        let label = again.apps().await.unwrap().remove(0).label;
        assert_eq!(label.as_deref(), Some(name));
        assert_eq!(reads(&fake), 1, "what was read is read again");
    }
}

#[tokio::test]
async fn an_app_with_two_icons_is_opened_by_the_one_that_is_named_and_that_is_told() {
    let content = [MANIFEST, TABLE].concat();
    let fake = Fake::phone(move |request| {
        let activities = "    org.example.weather/.Main\n    org.example.weather/.Other\n";
        if request.contains("unzip -p") {
            return Some(unzipped(request, "weather", &content));
        }
        if request.contains("pm list packages -f") {
            let files = "package:/data/app/org.example.weather-1/base.apk=org.example.weather\n";
            return Some(Reply::out([activities, files, "en-US\n", "", ""].join("--ayeaye--\n")));
        }
        request.contains("query-activities").then(|| Reply::out(activities))
    })
    .await;
    let device = open(&fake, None).await;
    for (name, activity) in [("Plain", ".Other"), ("Weather", ".Main")] {
        let awake = Gesture::Awake { app: name.to_owned() };
        let note = device.perform(&awake, ON).await.unwrap().note.unwrap();
        assert!(note.contains(&format!("several icons; that of {name:?} was opened")), "{note}");
        let started = format!("-n 'org.example.weather/{activity}'");
        assert!(fake.acts().last().unwrap().ends_with(&started), "{:?}", fake.acts());
    }
    // Lists have it once, by its first icon.
    let apps: Vec<_> = device.apps().await.unwrap().into_iter().map(|app| app.label).collect();
    assert_eq!(apps, [Some("Weather".to_owned())]);
    assert_eq!(known_names(&device), ["Plain", "Weather"]);
}

/// As before Android 9, mostly, which has no `unzip`.
#[tokio::test]
async fn of_an_app_whose_icons_have_no_names_it_is_not_certain_which_is_meant() {
    let fake = Fake::phone(move |request| {
        let activities = "    com.android.contacts/.People\n    com.android.contacts/.Dialer\n";
        request.contains("query-activities").then(|| Reply::out(activities))
    })
    .await;
    let device = open(&fake, None).await;
    let open = async |name: &str| {
        let awake = Gesture::Awake { app: name.to_owned() };
        device.perform(&awake, ON).await.unwrap().uncertain.unwrap_or_default()
    };
    let told = "several icons, whose names are not known";
    assert!(open("Phone").await.contains(told));
    assert!(!open("com.android.contacts").await.contains(told), "by its package");
}

#[tokio::test]
async fn an_app_that_is_not_there_is_named_with_those_that_are() {
    let content = [MANIFEST, TABLE].concat();
    let fake = phone("en-US\n", move |request| unzipped(request, "weather", &content)).await;
    let device = open(&fake, None).await;
    let awake = Gesture::Awake { app: "Zettelkasten".to_owned() };
    let error = device.perform(&awake, ON).await.unwrap_err().to_string();
    assert!(error.contains("installed are Weather (org.example.weather)"), "{error}");
    assert_eq!(fake.acts(), [""; 0]);
}

#[tokio::test]
async fn a_private_app_is_not_named_to_those_who_do_not_name_it() {
    let content = [MANIFEST, TABLE].concat();
    let fake = phone("en-US\n", move |request| unzipped(request, "weather", &content)).await;
    let devices = fake.devices().with_app_labels(Arc::new(AppLabels::new(None)));
    let devices = devices.with_private_apps(vec!["org.example.*".to_owned()]);
    let device = devices.open_adb(&DeviceId::new("X")).await.unwrap();
    for name in ["Zettelkasten", "Theater"] {
        let awake = Gesture::Awake { app: name.to_owned() };
        let error = device.perform(&awake, ON).await.unwrap_err().to_string();
        assert!(error.contains("no app of this name is installed"), "{error}");
        assert!(!error.to_lowercase().contains("weather"), "{error}");
    }
    let awake = Gesture::Awake { app: "Weather".to_owned() };
    let opened = device.perform(&awake, ON).await.unwrap().opened;
    assert_eq!(opened.as_deref(), Some("org.example.weather"));
}

#[tokio::test]
async fn a_phone_that_cannot_tell_names_still_opens_apps_by_what_is_known() {
    let endless = |_: &str| Reply::Endless(vec![b'x'; 65536]);
    let cut = |request: &str| unzipped(request, "weather", &MANIFEST[..700]);
    let nothing = |_: &str| Reply::out("/system/bin/sh: unzip: not found\n");
    let fakes =
        [phone("de\n", endless).await, phone("de\n", cut).await, phone("de\n", nothing).await];
    for fake in fakes {
        let device = open(&fake, None).await;
        device.perform(&Gesture::Awake { app: "weather".to_owned() }, ON).await.unwrap();
        assert!(fake.acts()[0].ends_with("-n 'org.example.weather/.Main'"));
        assert_eq!(device.app_name("org.example.weather"), None);
    }
}

/// What `dd` gives of a file.
fn piece_of(file: &[u8], command: &str) -> Reply {
    let number = |word: &str| -> usize {
        let (_, rest) = command.split_once(word).unwrap();
        rest.split(' ').next().unwrap().parse().unwrap()
    };
    let block = number(" bs=");
    let from = (number(" skip=") * block).min(file.len());
    let to = (from + number(" count=") * block).min(file.len());
    Reply::Bytes(file[from..to].to_vec())
}

#[tokio::test]
async fn names_are_read_where_the_phone_has_no_unzip() {
    const APK: &[u8] = include_bytes!("../../../../tests/it/samples/weather.apk");
    let fake = Fake::phone(move |request| {
        let activities = "    org.example.weather/.Main\n";
        if request.contains("unzip -p") {
            return Some(Reply::Bytes(b"/system/bin/sh: unzip: not found\n".to_vec()));
        }
        if request.contains("pm list packages -f") {
            let files = "package:/data/app/org.example.weather-1/base.apk=org.example.weather\n";
            let told = [activities, files, "zh-Hans-CN\n", "", ""].join("--ayeaye--\n");
            return Some(Reply::out(told));
        }
        let is_base = request.contains("'/data/app/org.example.weather-1/base.apk'");
        if request.contains("stat -c %s") {
            let size = if is_base { APK.len().to_string() } else { String::new() };
            return Some(Reply::out(size));
        }
        if request.starts_with("exec:dd ") {
            return Some(piece_of(APK, request));
        }
        request.contains("query-activities").then(|| Reply::out(activities))
    })
    .await;
    let device = open(&fake, None).await;
    device.perform(&Gesture::Awake { app: "天气".to_owned() }, ON).await.unwrap();
    assert!(fake.acts()[0].ends_with("-n 'org.example.weather/.Main'"), "{:?}", fake.acts());
    assert_eq!(device.app_name("org.example.weather").as_deref(), Some("天气"));
}
