//! The keyboard put on a phone and taken off again, and what doctor says of phones that refuse.
use std::net::Ipv4Addr;
use std::time::Duration;

use axum::Router;
use ayeaye_adb::{AdbConfig, AdbDevices, ServerAddress};
use ayeaye_agent::{Device as _, DeviceError, Gesture, Point, ScreenSize};
use ayeaye_phone::{FaultPlan, InstallRefusal, Maker, Phone, PhoneOptions, Profile, VirtualPhone};
use serde_json::Value;
use tempfile::TempDir;

#[cfg(unix)]
use crate::support::OnTerminal;
use crate::support::{Binary, CommandOutput, apk, plugged_in, within};

const KEYBOARD: &str = "com.android.adbkeyboard";
const OWN: &str = "com.android.inputmethod.latin/.LatinIME";
/// What setup types to prove it.
const SAMPLE: &str = "你好 Привет مرحبا नमस्ते Γειά e\u{301} 👩\u{200d}👩\u{200d}👧";

/// A quick phone with these faults.
fn phone_with(change: impl FnOnce(&mut FaultPlan)) -> VirtualPhone {
    let phone = VirtualPhone::new(Phone::new(PhoneOptions {
        width: 540,
        height: 1200,
        density: 210,
        transitions: (Duration::from_millis(5), Duration::from_millis(20)),
        ..PhoneOptions::default()
    }));
    phone.inject(change);
    phone
}

/// The phone, and a folder with a package file in it.
struct Shop {
    phone: VirtualPhone,
    binary: Binary,
    folder: TempDir,
    _guard: tokio_util::sync::DropGuard,
}

impl Shop {
    async fn open(phone: VirtualPhone) -> Self {
        let (adb, guard) = plugged_in(&phone).await;
        let folder = TempDir::new().unwrap();
        std::fs::write(folder.path().join("ADBKeyboard.apk"), apk(KEYBOARD)).unwrap();
        Self { phone, binary: Binary::unconfigured(adb), folder, _guard: guard }
    }

    async fn setup(&self, keyboard: &str, yes: bool) -> CommandOutput {
        let file = self.folder.path().join("ADBKeyboard.apk");
        let keyboard = if keyboard == "FILE" { file.to_str().unwrap() } else { keyboard };
        let mut words = vec!["setup", self.phone.serial(), "--keyboard", keyboard];
        words.extend(yes.then_some("--yes"));
        self.binary.run(&words).await
    }

    /// What can change on the phone.
    fn state(&self) -> (Vec<String>, Vec<(String, bool)>, String) {
        let phone = self.phone.phone();
        let packages = phone.packages().into_iter().map(|package| package.name).collect();
        (packages, phone.input_methods(), phone.input_method())
    }

    fn has_keyboard(&self) -> bool {
        self.state().0.iter().any(|name| name == KEYBOARD)
    }

    /// The texts that came through an input method.
    fn typed(&self) -> Vec<String> {
        let actions = self.phone.phone().state().actions;
        let texts = actions.into_iter().filter_map(|record| {
            let action = serde_json::to_value(record.gesture).unwrap();
            action["commit_text"]["text"].as_str().or(action["text"].as_str()).map(str::to_owned)
        });
        texts.collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_keyboard_is_put_on_from_a_file_proved_in_five_scripts_and_taken_off_again() {
    let shop = Shop::open(phone_with(|plan| plan.no_keyboard = true)).await;
    let before = shop.state();
    let done = shop.setup("FILE", true).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("arrived exactly"), "{}", done.out);
    assert!(shop.typed().iter().any(|text| text == SAMPLE), "{:?}", shop.typed());
    assert!(shop.has_keyboard());
    let (_, methods, current) = shop.state();
    assert_eq!(current, OWN, "the own keyboard stays the one in use");
    assert!(
        methods.iter().any(|(id, enabled)| id.starts_with(KEYBOARD) && *enabled),
        "{methods:?}"
    );
    assert_eq!(shop.phone.adb_counts().malformed_commands, 0);
    let done = shop.setup("remove", true).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert_eq!(shop.state(), before);
    let again = shop.setup("remove", true).await;
    assert_eq!(again.code, 0);
    assert!(again.out.contains("has no keyboard that takes text"), "{}", again.out);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn without_leave_nothing_is_changed_and_the_way_is_told() {
    let shop = Shop::open(phone_with(|plan| plan.no_keyboard = true)).await;
    let before = shop.state();
    // Nobody is there to say yes.
    let asked = shop.setup("FILE", false).await;
    assert!(asked.out.contains("nothing was changed"), "{asked:?}");
    assert_eq!(shop.state(), before);
    let file = shop.folder.path().join("ADBKeyboard.apk");
    let words = ["setup", shop.phone.serial(), "--keyboard", file.to_str().unwrap()];
    let mut terminal = OnTerminal::start(&shop.binary, &words);
    terminal.wait_for("[Y/n]").await;
    terminal.press("n\n");
    let (code, shown) = terminal.end().await;
    assert!(code == 0 && shown.contains("nothing was changed"), "{shown}");
    assert_eq!(shop.state(), before);
    // The walk through everything changes no phone by a default.
    let walked = shop
        .binary
        .run(&[
            "setup",
            shop.phone.serial(),
            "--yes",
            "--no-task",
            "--client",
            "none",
            "--model",
            "none",
        ])
        .await;
    assert!(walked.out.contains("--keyboard fetch"), "{walked:?}");
    assert_eq!(shop.state(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_to_be_asked_is_no_yes_and_no_success() {
    let shop = Shop::open(phone_with(|_| {})).await;
    let before = shop.state();
    for keyboard in ["remove", "FILE"] {
        let done = shop.setup(keyboard, false).await;
        assert_eq!(done.code, 1, "{keyboard}: {done:?}");
        assert!(done.out.contains("--yes says yes"), "{keyboard}: {done:?}");
        assert_eq!(shop.state(), before, "{keyboard}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_keyboard_that_types_nothing_is_replaced() {
    let shop = Shop::open(phone_with(|plan| plan.deaf_keyboard = true)).await;
    // It is tried first, and the published one offered where it fails.
    let tried = shop.setup("fetch", false).await;
    assert_eq!(tried.code, 1, "{tried:?}");
    for said in ["Older versions do nothing", "in place of the one that is there"] {
        assert!(tried.out.contains(said), "{said}: {}", tried.out);
    }
    let done = shop.setup("FILE", true).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("arrived exactly"), "{}", done.out);
    assert!(shop.typed().iter().any(|text| text == SAMPLE), "{:?}", shop.typed());
    // One that types is left alone by what only fetches one.
    let again = shop.setup("fetch", true).await;
    assert!(again.code == 0 && again.out.contains("already on the phone"), "{again:?}");
    assert!(!again.out.contains("Put ADBKeyboard"), "{again:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn before_android_10_the_settings_are_opened_without_their_search() {
    let options = PhoneOptions { android: "9".to_owned(), sdk: 28, ..PhoneOptions::default() };
    let phone = VirtualPhone::new(Phone::new(options.with_profile(Profile::AtOnce)));
    let note = ayeaye_phone::Component {
        package: "com.example.notes".to_owned(),
        class: "com.example.notes.MainActivity".to_owned(),
    };
    phone.phone().start_activity(&note).unwrap();
    let shop = Shop::open(phone).await;
    let done = shop.setup("fetch", true).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(done.out.contains("arrived exactly"), "{}", done.out);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_while_the_keyboard_is_tried_leaves_the_own_one_in_use() {
    let shop = Shop::open(phone_with(|plan| plan.shell_delay_ms = 100)).await;
    let before = shop.state();
    let words = ["setup", shop.phone.serial(), "--keyboard", "fetch"];
    let terminal = OnTerminal::start(&shop.binary, &words);
    within(30, "the other keyboard", async {
        while shop.phone.phone().input_method() == OWN {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    })
    .await;
    terminal.interrupt().await;
    let (code, shown) = terminal.end().await;
    assert_eq!(code, 1, "{shown}");
    assert_eq!(shop.state().2, before.2, "{shown}");
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn ctrl_c_at_a_question_of_setup_ends_it() {
    let nowhere = std::net::SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let binary = Binary::unconfigured(nowhere);
    for question in ["What now?", "Which one?"] {
        let mut terminal = OnTerminal::start(&binary, &["setup"]);
        terminal.wait_for("What now?").await;
        if question != "What now?" {
            // The virtual phone; then the model is asked for.
            terminal.press("2\n");
            terminal.wait_for(question).await;
        }
        terminal.interrupt().await;
        let (code, shown) = terminal.end().await;
        assert_eq!(code, 1, "{question}: {shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_installation_that_the_phone_refuses_names_the_switch() {
    let refused = [
        (InstallRefusal::UserRestricted, "Install via USB"),
        (InstallRefusal::Aborted, "allow the installation"),
        (InstallRefusal::Verification, "Verify apps over USB"),
        (InstallRefusal::Storage, "Free some space"),
    ];
    for (refusal, mend) in refused {
        let shop = Shop::open(phone_with(|plan| {
            plan.no_keyboard = true;
            plan.install_refused = Some(refusal);
        }))
        .await;
        let before = shop.state();
        let done = shop.setup("FILE", true).await;
        assert_eq!(done.code, 1, "{done:?}");
        assert!(done.out.contains(mend), "{mend}: {}", done.out);
        assert_eq!(shop.state(), before);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_notices_a_new_keyboard_late_is_waited_for() {
    let shop = Shop::open(phone_with(|plan| {
        plan.no_keyboard = true;
        plan.keyboard_late_ms = 1_000;
    }))
    .await;
    let done = shop.setup("FILE", true).await;
    assert_eq!(done.code, 0, "{done:?}");
    assert!(shop.typed().iter().any(|text| text == SAMPLE));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_fetched_is_the_published_file_or_it_is_refused() {
    let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let router = Router::new().fallback(|| async { apk(KEYBOARD) });
    let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let shop = Shop::open(phone_with(|plan| plan.no_keyboard = true)).await;
    let before = shop.state();
    let done = shop.setup(&format!("http://{address}/ADBKeyboard.apk"), true).await;
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.out.contains("not the published file"), "{}", done.out);
    assert!(done.out.contains("name the file: --keyboard FILE"), "{}", done.out);
    server.abort();
    // Nothing listens any more: as offline.
    let done = shop.setup("http://127.0.0.1:1/ADBKeyboard.apk", true).await;
    assert_eq!(done.code, 1, "{done:?}");
    assert!(
        done.out.contains("cannot be fetched") && done.out.contains("--keyboard FILE"),
        "{}",
        done.out
    );
    assert_eq!(shop.state(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_ime_is_refused_the_keyboard_in_use_is_found_and_another_is_told_of() {
    let phone = phone_with(|_| {});
    let (adb, _guard) = plugged_in(&phone).await;
    let server = ServerAddress::Tcp { host: adb.ip().to_string(), port: adb.port() };
    let devices = AdbDevices::new(AdbConfig::new(server, None));
    let device = devices.open_adb(&ayeaye_agent::DeviceId::new(phone.serial())).await.unwrap();
    // Where the settings have their search.
    let point = Point::new(500, 110).ok();
    let text = Gesture::Type { text: "你好".to_owned(), point, clear: false, submit: false };
    let on = ScreenSize { width: 540, height: 1200 };
    let search = "com.android.settings/.Settings";
    let (package, class) = search.split_once('/').unwrap();
    let component =
        ayeaye_phone::Component { package: package.to_owned(), class: format!("{package}{class}") };
    phone.phone().start_activity(&component).unwrap();
    phone.inject(|plan| plan.ime_refused = true);
    // Another keyboard is in use, and the phone lets nobody change that: told, and nothing is typed.
    let error = device.perform(&text, on).await.unwrap_err();
    assert!(
        matches!(&error, DeviceError::NoKeyboard { why, .. }
        if why.contains("Disable permission monitoring") && why.contains("on the phone itself")),
        "{error}"
    );
    // Its owner has chosen it by hand.
    let id = "com.android.adbkeyboard/.AdbIME";
    phone.phone().enable_input_method(id, true).unwrap();
    phone.phone().set_input_method(id).unwrap();
    let state = device.keyboard().await.unwrap();
    assert!(state.is_usable(), "{state:?}");
    assert_eq!(state.current.as_deref(), Some(id));
    device.perform(&text, on).await.unwrap();
}

/// The findings of `ayeaye doctor --json` about a phone.
async fn findings(phone: &VirtualPhone) -> Vec<Value> {
    let (adb, _guard) = plugged_in(phone).await;
    let doctor = Binary::unconfigured(adb).run(&["doctor", "--json"]).await;
    let told: Value = serde_json::from_str(&doctor.out).unwrap();
    let all = told["findings"].as_array().unwrap().clone();
    all.into_iter().filter(|finding| finding["device"] == phone.serial()).collect()
}

/// Verdict, text and hint of one of them.
fn about(findings: &[Value], what: &str) -> (String, String) {
    let found = findings.iter().find(|finding| finding["about"] == what);
    let found = found.unwrap_or_else(|| panic!("{what}: {findings:?}"));
    let verdict = found["verdict"].as_str().unwrap().to_owned();
    (
        verdict,
        format!(
            "{} {}",
            found["text"].as_str().unwrap(),
            found["hint"].as_str().unwrap_or_default()
        ),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_says_of_each_makers_phone_what_to_switch_on() {
    let xiaomi = findings(&VirtualPhone::like(Maker::Miui)).await;
    let (verdict, text) = about(&xiaomi, "input");
    assert_eq!(verdict, "problem");
    assert!(text.contains("USB debugging (Security settings)"), "{text}");
    assert!(about(&xiaomi, "maker").1.contains("Install via USB"));
    let typing = about(&xiaomi, "keyboard").1;
    let (switch, setup) = (typing.find("\"Install via USB\""), typing.find("--keyboard fetch"));
    assert!(typing.contains("(Security settings)") && !typing.contains("OPPO"), "{typing}");
    assert!(switch.is_some() && switch < setup, "what comes first is told first: {typing}");
    let oppo = findings(&VirtualPhone::like(Maker::ColorOs)).await;
    assert_eq!(about(&oppo, "input").0, "ok");
    assert!(about(&oppo, "settings").1.contains("Disable permission monitoring"));
    let typing = about(&oppo, "keyboard").1;
    let (switch, setup) = (typing.find("permission monitoring"), typing.find("--keyboard fetch"));
    assert!(switch.is_some() && switch < setup, "{typing}");
    assert!(!typing.contains("Xiaomi"), "another maker's switch: {typing}");
    let samsung = findings(&VirtualPhone::like(Maker::OneUi)).await;
    assert!(about(&samsung, "maker").1.contains("Auto Blocker"));
    assert!(about(&samsung, "maker").1.contains("One UI 6.1"));
    let healthy = VirtualPhone::default();
    let actions = healthy.phone().state().actions.len();
    let stock = findings(&healthy).await;
    assert!(stock.iter().all(|finding| finding["verdict"] != "problem"), "{stock:?}");
    assert_eq!(about(&stock, "keyboard").0, "ok");
    assert!(about(&stock, "sleep").1.contains("30 s"));
    for (what, says) in [
        ("capture", "1080x2400 at 420 dpi in "),
        ("protected", "not protected"),
        ("battery", "87 %, has power, 25.0 °C"),
        ("sound", "media volume 6 of 15"),
        ("keyboard", "ADBKeyboard"),
    ] {
        let (verdict, text) = about(&stock, what);
        assert!(verdict == "ok" && text.contains(says), "{what}: {verdict} {text}");
    }
    let way = about(&stock, "capture").1;
    assert!([" ms, raw", " ms, gzip"].iter().any(|it| way.contains(it)), "{way}");
    // Asking has touched nothing but a key without a meaning.
    let state = healthy.phone().state();
    assert!(state.actions.len() <= actions + 1, "{:?}", state.actions);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_no_phone_is_listed_samsungs_auto_blocker_is_named() {
    let down = tokio_util::sync::CancellationToken::new();
    let anywhere = std::net::SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = ayeaye_phone::AdbServer::bind(anywhere, Vec::new()).await.unwrap();
    let adb = server.local_addr().unwrap();
    let _guard = down.clone().drop_guard();
    tokio::spawn(server.serve(down));
    let doctor = Binary::unconfigured(adb).run(&["doctor"]).await;
    assert_eq!(doctor.code, 1);
    assert!(doctor.out.contains("Auto Blocker"), "{}", doctor.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_is_set_up_under_any_of_its_serials_and_no_other_is_taken_for_it() {
    let cable = phone_with(|plan| plan.no_keyboard = true);
    let wifi = cable.also_as("192.168.1.20:5555");
    let down = tokio_util::sync::CancellationToken::new();
    let anywhere = std::net::SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let server = ayeaye_phone::AdbServer::bind(anywhere, vec![cable, wifi]).await.unwrap();
    let adb = server.local_addr().unwrap();
    let _guard = down.clone().drop_guard();
    tokio::spawn(server.serve(down));
    let binary = Binary::unconfigured(adb);
    let setup = async |serial: &str| {
        let words = ["setup", serial, "--yes", "--no-task", "--client", "none", "--model", "none"];
        binary.run(&words).await
    };
    let known = setup("192.168.1.20:5555").await;
    assert!(known.out.contains("setup 192.168.1.20:5555 --keyboard"), "{known:?}");
    let unknown = setup("R58M12ABCDE").await;
    assert_eq!(unknown.code, 1, "{unknown:?}");
    assert!(unknown.err.contains("R58M12ABCDE is not connected"), "{unknown:?}");
    assert!(!unknown.out.contains("It will be"), "{unknown:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_is_no_app_is_refused_before_anybody_is_asked() {
    let shop = Shop::open(phone_with(|plan| plan.no_keyboard = true)).await;
    let before = shop.state();
    let text = shop.folder.path().join("note.txt");
    std::fs::write(&text, "no app").unwrap();
    for (file, why) in
        [(text.to_str().unwrap(), "not an Android app"), ("nowhere.apk", "cannot be read")]
    {
        let done = shop.setup(file, true).await;
        assert!(done.code == 1 && done.out.contains(why), "{done:?}");
        assert!(!done.out.contains("Put ADBKeyboard"), "{done:?}");
    }
    assert_eq!(shop.state(), before);
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_task_that_needs_the_keyboard_offers_it_at_the_terminal_and_goes_on() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("ADBKeyboard.apk");
    std::fs::write(&file, apk(KEYBOARD)).unwrap();
    let nowhere = std::net::SocketAddr::from((Ipv4Addr::LOCALHOST, 1));
    let binary = Binary::unconfigured(nowhere);
    let task = "Send “你好” to Anna Berg";
    let words = ["run", "--virtual", "--fault", "no-keyboard", task];
    let mut terminal = OnTerminal::start(&binary, &words);
    terminal.wait_for("What now?").await;
    assert!(terminal.shown().contains("only ASCII can be typed"), "{}", terminal.shown());
    terminal.press("2\n");
    terminal.wait_for("The file:").await;
    terminal.press("nowhere.apk\n");
    terminal.wait_for("another one").await;
    // As a terminal writes what is dragged into it.
    terminal.press(format!("'{}' \n", file.display()));
    terminal.wait_for("the task continues").await;
    let (code, shown) = terminal.end().await;
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("Type “你好”"), "{shown}");
    // Without leave the question of the task is asked, and nothing is installed.
    let mut terminal = OnTerminal::start(&binary, &words);
    terminal.wait_for("What now?").await;
    terminal.press("3\n");
    terminal.wait_for("Go on without this text").await;
    terminal.wait_for("answer").await;
    assert!(terminal.shown().contains("nothing was changed"), "{}", terminal.shown());
    terminal.press("\u{4}");
    let (code, shown) = terminal.end().await;
    assert_eq!(code, 3, "{shown}");
}
