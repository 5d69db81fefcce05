//! Screens that are hard to see: over slow links, protected, on another panel, of another size, in
//! motion, behind the shade or a lock.
use std::sync::Arc;
use std::time::Duration;

use ayeaye::config::ToolSet;
use ayeaye_adb::{AdbConfig, AdbDevices, ServerAddress};
use ayeaye_agent::{Device, DeviceId, DeviceSource as _, Gesture, Limits, Point, ScreenSize};
use ayeaye_phone::{DumpFault, Fold, InputOutcome, Phone, PhoneOptions, Trigger, VirtualPhone};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_util::sync::DropGuard;

use crate::support::{
    Answer, FakeVlm, Rig, RigOptions, click, complete, gelab, info, plugged_in, quick_phone, until,
};

const DONE: &str = "TASK_COMPLETED_SUCCESSFULLY";
const SHOP: &str = "com.example.shop";

/// A virtual phone, and the same as the agent is given it.
struct Opened {
    phone: VirtualPhone,
    devices: AdbDevices,
    device: Arc<dyn Device>,
    _server: DropGuard,
}

async fn opened(limits: ayeaye_adb::Limits) -> Opened {
    opened_as(quick_phone(), limits).await
}

async fn opened_as(phone: VirtualPhone, limits: ayeaye_adb::Limits) -> Opened {
    let (address, server) = plugged_in(&phone).await;
    let address = ServerAddress::Tcp { host: "127.0.0.1".to_owned(), port: address.port() };
    let devices = AdbDevices::new(AdbConfig { limits, ..AdbConfig::new(address, None) });
    let device = devices.open(&DeviceId::new(phone.serial())).await.unwrap();
    Opened { phone, devices, device, _server: server }
}

impl Opened {
    async fn usual() -> Self {
        opened(ayeaye_adb::Limits::DEFAULT).await
    }

    /// The package of what is in front.
    async fn front(&self) -> String {
        self.device.state().await.unwrap().foreground.unwrap().package
    }

    /// How many command lines it takes.
    async fn lines<T>(&self, work: impl Future<Output = T>) -> (T, u64) {
        let before = self.phone.adb_counts().command_lines;
        let result = work.await;
        (result, self.phone.adb_counts().command_lines - before)
    }
}

fn start(phone: &Phone, package: &str) {
    let app = phone.packages().into_iter().find(|it| it.name == package).unwrap();
    phone.start_activity(&app.launcher.expect("an icon")).unwrap();
}

/// A session that waits on a question.
async fn waiting(options: RigOptions) -> (Rig, Value) {
    let rig = Rig::with(FakeVlm::start(|_| Answer::Says(info("Ready?"))).await, options).await;
    let asked = rig.start("do it").await;
    assert_eq!(asked["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{asked}");
    rig.vlm.always(&complete("Done."));
    (rig, asked)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_good_phone_is_asked_as_little_as_before() {
    let it = Opened::usual().await;
    it.device.state().await.unwrap();
    let (frame, lines) = it.lines(it.device.capture()).await;
    assert_eq!((frame.unwrap().size(), lines), (ScreenSize { width: 540, height: 1200 }, 1));
    let (state, lines) = it.lines(it.device.state()).await;
    assert!(!state.unwrap().protected);
    assert_eq!(lines, 1);
    let (_, lines) = it.lines(it.device.ui_tree()).await;
    assert_eq!(lines, 1);
    let tap = Gesture::Click { point: Point::new(500, 990).unwrap() };
    let on = ScreenSize { width: 540, height: 1200 };
    let (performed, lines) = it.lines(it.device.perform(&tap, on)).await;
    performed.unwrap();
    assert_eq!(lines, 1);
    let counts = it.phone.adb_counts();
    assert_eq!(
        (counts.unknown_commands, counts.malformed_commands, counts.syntax_errors),
        (0, 0, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_too_slow_for_raw_captures_is_seen_all_the_same_and_remembered() {
    // Raw they have 2.6 MB, which take four times the limit.
    let limits =
        ayeaye_adb::Limits { capture: Duration::from_millis(2500), ..ayeaye_adb::Limits::DEFAULT };
    for no_gzip in [false, true] {
        let it = opened(limits).await;
        it.phone.faults().set(|plan| {
            plan.bandwidth = Some(260_000);
            plan.no_gzip = no_gzip;
        });
        let seen = it.device.capture().await.unwrap();
        let again = it.devices.open(&DeviceId::new(it.phone.serial())).await.unwrap();
        let (frame, lines) = it.lines(again.capture()).await;
        assert_eq!(frame.unwrap().size(), seen.size());
        assert_eq!(lines, 1, "what was learnt outlives the lease");
        let frame = it.phone.phone().frame();
        assert_eq!(seen.rgba(), &frame.rgba, "whole and without loss");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_closes_exec_is_seen_through_its_shell() {
    let it = Opened::usual().await;
    let whole = it.device.capture().await.unwrap();
    it.phone.inject(|plan| plan.exec_closed = true);
    assert_eq!(it.device.capture().await.unwrap().rgba(), whole.rgba());
    assert!(it.device.ui_tree().await.unwrap().unwrap().contains("<node"));
    let (_, lines) = it.lines(it.device.capture()).await;
    assert_eq!(lines, 1, "it is remembered");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_without_screencap_is_seen_by_its_framebuffer() {
    let it = Opened::usual().await;
    it.phone.inject(|plan| plan.no_screencap = true);
    let frame = it.phone.phone().frame();
    for _ in 0..2 {
        assert_eq!(it.device.capture().await.unwrap().rgba(), &frame.rgba);
    }
    let (_, lines) = it.lines(it.device.capture()).await;
    assert_eq!(lines, 0, "it is remembered");
    it.phone.inject(|plan| plan.no_screencap = false);
    assert_eq!(it.device.captured_by().unwrap().way, "framebuffer");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_record_says_how_captures_came_and_when_that_changed() {
    let options = RigOptions::quick();
    let phone = options.virtual_phone.clone();
    let mut asked = 0;
    let vlm = FakeVlm::start(move |_| {
        asked += 1;
        phone.inject(|plan| plan.no_screencap = asked == 2);
        Answer::Says(if asked < 4 { click(500, 100 * asked) } else { complete("Done.") })
    });
    let rig = Rig::with(vlm.await, options).await;
    let done = rig.start("look around").await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let looks = recorded(&rig, &done["session_id"], "observe");
    let told: Vec<&Value> =
        looks.iter().map(|look| &look["capture"]).filter(|it| !it.is_null()).collect();
    let mut ways: Vec<&str> = told.iter().filter_map(|it| it["way"].as_str()).collect();
    // On a loaded machine a raw capture may be so slow that the phone packs the next one.
    ways.retain(|way| *way != "gzip");
    // It is remembered for ten minutes, so it stays so.
    assert!(!ways.is_empty() && ["raw", "framebuffer"].ends_with(&ways), "{looks:?}");
    assert!(3 < looks.len(), "{looks:?}");
    assert!(told.iter().all(|it| it["link"] == rig.serial && it["transport"] == "usb"), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_protected_screen_under_a_status_bar_is_a_persons_turn() {
    let (rig, asked) = waiting(RigOptions::quick()).await;
    let phone = rig.virtual_phone.phone();
    recovery_codes(phone).await;
    assert!(phone.is_secure());
    let calls = rig.vlm.asked_count();
    let question = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(question["stop_reason"], "INFO_ACTION_NEEDS_REPLY", "{question}");
    assert_eq!(question["question"]["kind"], "takeover", "{question}");
    let text = question["question"]["text"].as_str().unwrap();
    assert!(text.contains("protects its screen"), "{text}");
    assert_eq!(rig.vlm.asked_count(), calls, "the model is not shown a blank picture");
    phone.key(3, false);
    let done = rig.go_on(&question, json!({ "reply_from_client": "done by hand" })).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
}

/// The facts of this kind in a session's record.
fn recorded(rig: &Rig, session: &Value, kind: &str) -> Vec<Value> {
    let folder = rig.data.path().join("sessions").join(session.as_str().unwrap());
    let record = std::fs::read_to_string(folder.join("events.jsonl")).unwrap();
    let events = record.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    events.filter(|event| event["type"] == kind).map(|event| event["data"].clone()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_protected_screen_is_told_by_its_elements_where_that_is_wanted() {
    let options = RigOptions::quick();
    let limits = Limits { read_protected: true, ..options.limits.clone() };
    let options = RigOptions { limits, tools: ToolSet::ALL, ..options };
    let (rig, asked) = waiting(options).await;
    recovery_codes(rig.virtual_phone.phone()).await;
    let done = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    let told = rig.vlm.asked().pop().unwrap().to_string();
    assert!(told.contains("protects its screen"), "{told}");
    let shown = rig.virtual_phone.phone().state().nodes;
    let title = shown.iter().map(|it| it.text.as_str()).find(|text| 12 < text.len()).unwrap();
    assert!(told.contains(title), "{title}: {told}");
    let looks = recorded(&rig, &done["session_id"], "observe");
    assert!(looks.iter().any(|look| look["protected"] == true), "{looks:?}");
    // A client that acts itself is told, too.
    let tap = json!({ "device_id": rig.serial, "x": 500, "y": 150 });
    assert_eq!(rig.call("tap", tap).await["protected"], true);
    let tree = rig.call("get_ui_tree", json!({ "device_id": rig.serial })).await;
    assert!(tree["protected"] == true && tree.to_string().contains(title), "{tree}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_shows_nothing_says_why() {
    let rig = Rig::with(FakeVlm::start(|_| Answer::Silence).await, RigOptions::quick()).await;
    let phone = rig.virtual_phone.phone();
    let about = async || {
        let shown = rig.raw_call("get_screenshot", json!({ "device_id": rig.serial })).await;
        assert_ne!(shown.is_error, Some(true), "{shown:?}");
        serde_json::from_str::<Value>(&shown.content[1].as_text().unwrap().text).unwrap()
    };
    let seen = about().await;
    assert!(seen["protected"].is_null() && seen["screen_on"].is_null(), "{seen}");
    recovery_codes(phone).await;
    let seen = about().await;
    assert!(seen["protected"] == true && seen["screen_on"].is_null(), "{seen}");
    phone.key(26, false);
    settled(phone).await;
    let seen = about().await;
    assert!(seen["screen_on"] == false && seen["protected"].is_null(), "{seen}");
}

/// Signs in to the account and opens its recovery codes, which it protects.
async fn recovery_codes(phone: &Phone) {
    let app = phone.packages().into_iter().find(|it| it.label == "Nimbus").unwrap().name;
    start(phone, &app);
    let tap = async |id: &str| {
        settled(phone).await;
        let state = phone.state();
        let node = state.nodes.iter().find(|it| it.id.ends_with(&format!("/{id}")));
        let (x, y) = node.unwrap_or_else(|| panic!("no {id} in {:?}", state.nodes)).center();
        phone.tap(x, y);
        settled(phone).await;
    };
    tap("sign_in").await;
    tap("username").await;
    phone.input_text("kim");
    phone.key(66, false);
    phone.input_text("secret");
    phone.key(66, false);
    settled(phone).await;
    phone.input_text(&phone.state().one_time_code);
    tap("verify").await;
    tap("recovery").await;
}

async fn settled(phone: &Phone) {
    while let Some(at) = phone.settles_at() {
        tokio::time::sleep_until(at).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_two_panels_the_lit_one_is_captured_and_touched() {
    let it = Opened::usual().await;
    it.phone.faults().set(|plan| plan.fold = Some(Fold::Closed));
    // Without the description of the phone, the warning of `screencap` tells.
    assert!(!it.device.capture().await.unwrap().is_black());
    let again = it.devices.open(&DeviceId::new(it.phone.serial())).await.unwrap();
    again.info().await.unwrap();
    let seen = again.capture().await.unwrap();
    assert!(!seen.is_black());
    assert_eq!(again.shown_on().unwrap().posture.as_deref(), Some("CLOSED"));
    start(it.phone.phone(), SHOP);
    settled(it.phone.phone()).await;
    it.phone.faults().set(|plan| plan.fold = Some(Fold::Open));
    let tap = Gesture::Click { point: Point::new(500, 500).unwrap() };
    let taps = it.phone.phone().state().counts.taps;
    let error = again.perform(&tap, seen.size()).await.unwrap_err();
    assert!(error.to_string().contains("folded or unfolded"), "{error}");
    assert!(!error.may_have_acted());
    assert_eq!(it.phone.phone().state().counts.taps, taps);
    let seen = again.capture().await.unwrap();
    assert!(!seen.is_black());
    again.perform(&tap, seen.size()).await.unwrap();
    assert_eq!(it.phone.phone().state().counts.taps, taps + 1);
    assert_eq!(it.phone.adb_counts().malformed_commands, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn captures_of_the_panel_and_touches_of_a_set_size_agree() {
    let it = Opened::usual().await;
    let phone = it.phone.phone();
    // On this panel it has bars above and below.
    phone.set_size_override(Some((360, 600)));
    it.phone.faults().set(|plan| plan.panel_captures = true);
    for turned in [0, 1] {
        phone.set_rotation(turned);
        start(phone, SHOP);
        settled(phone).await;
        it.device.state().await.unwrap();
        let (width, height) = phone.display_size();
        let frame = it.device.capture().await.unwrap();
        assert_eq!(frame.size(), ScreenSize { width, height });
        let (again, lines) = it.lines(it.device.capture()).await;
        assert_eq!((again.unwrap().size(), lines), (frame.size(), 1));
        // The picture is the screen's, bars cut off.
        let drawn = phone.frame();
        let shown = frame.rgba();
        let differing = shown.chunks_exact(4).zip(drawn.rgba.chunks_exact(4));
        let differing = differing.filter(|(a, b)| a[0].abs_diff(b[0]) > 90).count();
        assert!(differing * 20 < drawn.rgba.len() / 4, "{differing} pixels differ");
        let node = phone.state().nodes.into_iter().find(|it| it.clickable).unwrap();
        let named = [&node.id, &node.desc, &node.text].into_iter().find(|it| !it.is_empty());
        let (x, y) = node.center();
        let thousandths = |at: f32, side: u32| {
            #[expect(clippy::cast_possible_truncation, reason = "a point on a small screen")]
            let n = (f64::from(at) * 1000.0 / f64::from(side)) as i64;
            n
        };
        let point = Point::new(thousandths(x, width), thousandths(y, height)).unwrap();
        it.device.perform(&Gesture::Click { point }, frame.size()).await.unwrap();
        let last = phone.state().actions.pop().unwrap();
        assert_eq!(
            (last.outcome, last.target.as_str()),
            (InputOutcome::Done, named.unwrap().as_str()),
            "{turned}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_capture_of_a_phone_that_nothing_was_asked_of_has_the_set_size() {
    let it = Opened::usual().await;
    it.phone.phone().set_size_override(Some((360, 600)));
    it.phone.faults().set(|plan| plan.panel_captures = true);
    let first = it.device.capture().await.unwrap();
    assert_eq!(first.size(), ScreenSize { width: 360, height: 600 });
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screen_that_never_rests_says_its_elements_and_one_that_is_taken_says_why_not() {
    let it = Opened::usual().await;
    it.phone.faults().set(|plan| plan.dump = Some(DumpFault::NeverIdle));
    let (tree, lines) = it.lines(it.device.ui_tree()).await;
    assert!(tree.unwrap().unwrap().contains("<node "));
    assert_eq!(lines, 2);
    let (tree, lines) = it.lines(it.device.ui_tree()).await;
    assert!(tree.unwrap().is_some());
    assert_eq!(lines, 1, "it is remembered");
    it.phone.faults().set(|plan| plan.dump = Some(DumpFault::Taken));
    let error = it.device.ui_tree().await.unwrap_err();
    assert!(error.to_string().contains("another program"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_shade_is_in_front_and_the_app_behind_is_closed_at_the_start() {
    let it = Opened::usual().await;
    start(it.phone.phone(), SHOP);
    settled(it.phone.phone()).await;
    assert_eq!(it.front().await, SHOP);
    let pull = Gesture::Slide {
        from: Point::new(500, 2).unwrap(),
        to: Point::new(500, 700).unwrap(),
        duration: Duration::from_millis(300),
    };
    it.device.perform(&pull, ScreenSize { width: 540, height: 1200 }).await.unwrap();
    settled(it.phone.phone()).await;
    assert_eq!(it.front().await, "com.android.systemui");
    it.device.reset().await.unwrap();
    settled(it.phone.phone()).await;
    assert_ne!(it.front().await, "com.android.systemui");
    assert!(it.phone.phone().tasks().iter().all(|task| task.package != SHOP), "closed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_lock_is_said_to_want_a_secret_only_when_it_does() {
    let limits =
        ayeaye_adb::Limits { wake: Duration::from_millis(700), ..ayeaye_adb::Limits::DEFAULT };
    let it = opened(limits).await;
    let phone = it.phone.phone();
    it.phone.faults().set(|plan| plan.stubborn_lock = true);
    phone.press_power();
    assert!(phone.is_locked());
    it.device.wake().await.unwrap();
    assert!(phone.is_awake() && !phone.is_locked());
    phone.set_pin(Some("1234"));
    phone.press_power();
    let error = it.device.wake().await.unwrap_err();
    assert!(error.to_string().contains("wants a secret"), "{error}");
    assert!(phone.is_locked());
    let counts = it.phone.adb_counts();
    assert_eq!((counts.unknown_commands, counts.malformed_commands), (0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_app_in_front_is_known_without_a_list_of_windows() {
    let it = Opened::usual().await;
    start(it.phone.phone(), SHOP);
    it.phone.faults().set(|plan| plan.no_window_list = true);
    let (front, lines) = it.lines(it.front()).await;
    assert_eq!((front.as_str(), lines), (SHOP, 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn phones_of_any_age_tell_what_is_in_front_also_after_an_app_hung() {
    let on = ScreenSize { width: 1080, height: 2400 };
    for sdk in [26, 30, 34] {
        let phone = VirtualPhone::new(Phone::new(PhoneOptions { sdk, ..PhoneOptions::default() }));
        let it = opened_as(phone, ayeaye_adb::Limits::DEFAULT).await;
        for app_hung in [false, true] {
            it.phone.faults().set(|plan| plan.app_hung = app_hung);
            let opening = Gesture::Awake { app: SHOP.to_owned() };
            let opened = it.device.perform(&opening, on).await.unwrap();
            assert_eq!(opened.uncertain, None);
            let state = it.device.state().await.unwrap();
            let told = (state.locked, state.protected, state.secret_field);
            assert_eq!(told, (false, false, false), "{sdk} {app_hung}");
            assert_eq!(it.front().await, SHOP);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_task_over_a_slow_link_on_a_folded_phone_is_done() {
    let options = RigOptions::quick();
    let adb = ayeaye_adb::Limits { capture: Duration::from_millis(2500), ..options.adb };
    options.virtual_phone.faults().set(|plan| {
        plan.bandwidth = Some(800_000);
        plan.fold = Some(Fold::Closed);
    });
    let limits = Limits { device_wait: Duration::from_secs(2), ..options.limits.clone() };
    let (rig, asked) = waiting(RigOptions { limits, adb, ..options }).await;
    rig.vlm.then(vec![Answer::Says(click(500, 500)), Answer::Says(complete("Done."))]);
    let done = rig.go_on(&asked, json!({ "reply_from_client": "yes" })).await;
    assert_eq!(done["stop_reason"], DONE, "{done}");
    assert_eq!(rig.vlm.complaints(), Vec::<String>::new());
    // Which panel it was is in the record.
    for kind in ["observe", "tool.start"] {
        let seen = recorded(&rig, &done["session_id"], kind);
        let folded = seen.iter().any(|it| it["display"]["posture"] == "CLOSED");
        assert!(folded, "{kind}: {seen:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_comes_to_the_front_while_the_model_thinks_is_not_touched() {
    type Change = fn(&Phone);
    let changes: [(Change, &str); 2] = [
        (|phone| start(phone, SHOP), "another app has come to the front: com.example.shop"),
        (|phone| phone.show_dialog("Send it to everybody?", "", &["Send"]), "has changed"),
    ];
    for (change, why) in changes {
        let rig = Rig::with(FakeVlm::start(|_| Answer::Silence).await, RigOptions::quick()).await;
        let gate = Arc::new(Notify::new());
        let tap = Answer::Held(gate.clone(), click(500, 550));
        rig.vlm.then(vec![tap, Answer::Says(complete("Done."))]);
        let phone = rig.virtual_phone.clone();
        let acting = async {
            rig.vlm.is_asked(1).await;
            change(phone.phone());
            let taps = phone.phone().state().counts.taps;
            let seen = phone.adb_counts().captures;
            // The look that shows it, and one more that began after it.
            until("two looks", || seen + 2 <= phone.adb_counts().captures).await;
            gate.notify_one();
            taps
        };
        let (done, taps) = tokio::join!(rig.start("Open the notes"), acting);
        assert_eq!(done["stop_reason"], DONE, "{done}");
        assert_eq!(phone.phone().state().counts.taps, taps, "{why}: {done}");
        let error = done["intermediate_logs"][0]["error"].as_str().unwrap();
        assert!(error.contains(why), "{error}");
        let told = rig.vlm.asked().pop().unwrap().to_string();
        assert!(told.contains("CLICK 没有成功"), "{told}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_says_by_a_digest_whether_its_screen_is_as_it_was() {
    for no_sha256sum in [false, true] {
        let mut tries = 0;
        while told_by_digests(no_sha256sum).await.is_none() {
            tries += 1;
            assert!(tries < 10, "digests never were quicker than captures");
        }
    }
}

/// Nothing where a busy machine had a capture, or a digest, take so long that digests are not worth asking for.
async fn told_by_digests(no_sha256sum: bool) -> Option<()> {
    let it = Opened::usual().await;
    // 2.6 MB a capture: not so slow that the phone packs it, and a digest is carried at once.
    it.phone.faults().set(|plan| {
        plan.bandwidth = Some(10_000_000);
        plan.no_sha256sum = no_sha256sum;
    });
    let first = it.device.capture().await.unwrap();
    assert_eq!(first.digest(), None, "it is not known yet that captures are slow");
    let second = it.device.capture().await.unwrap();
    second.digest().filter(|_| it.device.makes_digests())?;
    let (digest, lines) = it.lines(it.device.capture_digest()).await;
    let digest = digest.unwrap();
    if no_sha256sum {
        assert_eq!((digest, lines, it.device.makes_digests()), (None, 1, false));
        let (digest, lines) = it.lines(it.device.capture_digest()).await;
        assert_eq!((digest.unwrap(), lines), (None, 0), "it is remembered");
        return Some(());
    }
    assert_eq!(digest?, second.digest().unwrap());
    start(it.phone.phone(), SHOP);
    until("another screen", || it.phone.phone().frame().rgba != second.rgba()).await;
    let other = it.device.capture_digest().await.unwrap()?;
    assert_ne!(Some(other), second.digest());
    it.device.makes_digests().then_some(())?;
    // One that takes too long is no digest, and no lost phone.
    it.phone.faults().set(|plan| plan.hang_shell = Some(Trigger::Next));
    assert_eq!(it.device.capture_digest().await.unwrap(), None);
    assert!(!it.device.makes_digests());
    it.device.capture().await.unwrap();
    Some(())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_screen_that_a_task_switches_off_is_off_when_it_is_done() {
    let rig = Rig::with(FakeVlm::start(|_| Answer::Silence).await, RigOptions::quick()).await;
    rig.vlm.then(vec![
        Answer::Says(gelab("HOT_KEY", "value:POWER", "switched off")),
        Answer::Says(complete("The screen is off.")),
    ]);
    let ended = rig.start("Turn the screen off").await;
    assert_eq!(ended["stop_reason"], DONE, "{ended}");
    assert!(!rig.virtual_phone.phone().is_awake());
    let told = rig.vlm.asked()[1].to_string();
    assert!(told.contains("The screen is off because you pressed POWER"), "{told}");
}
