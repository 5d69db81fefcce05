//! Phones on the network: connected, paired and disconnected by the program, over our own virtual adb server
//! and over one that answers as AOSP's sources say.
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_util::sync::DropGuard;

#[cfg(unix)]
use crate::support::OnTerminal;
use crate::support::{
    Answer, Binary, FakeVlm, Rig, RigOptions, all_plugged_in, click, complete, plugged_in,
    quick_phone, within,
};

/// An adb server that answers each request by a function, `OKAY` first; `CUT` ends the connection instead.
async fn adb_server(
    answer: impl Fn(&str) -> String + Send + Sync + 'static,
) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    async fn serve(
        mut stream: TcpStream,
        answer: &(dyn Fn(&str) -> String + Send + Sync),
    ) -> Option<String> {
        let mut digits = [0; 4];
        stream.read_exact(&mut digits).await.ok()?;
        let length = usize::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?;
        let mut request = vec![0; length];
        stream.read_exact(&mut request).await.ok()?;
        let request = String::from_utf8(request).ok()?;
        let answer = answer(&request);
        if answer == "CUT" {
            return None;
        }
        let answer = match answer.strip_prefix("FAIL ") {
            Some(why) => format!("OKAYFAIL{:04x}{why}", why.len()),
            None => format!("OKAY{:04x}{answer}", answer.len()),
        };
        stream.write_all(answer.as_bytes()).await.ok()?;
        Some(request)
    }

    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    let (answer, noted) = (Arc::new(answer), seen.clone());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (answer, noted) = (answer.clone(), noted.clone());
            tokio::spawn(async move {
                if let Some(request) = serve(stream, &*answer).await {
                    noted.lock().unwrap().push(request);
                }
            });
        }
    });
    (address, seen)
}

/// One phone that is attached by a cable and over the network.
async fn attached_twice() -> (SocketAddr, DropGuard) {
    let phone = quick_phone();
    let wireless = phone.also_as("10.0.0.9:5555");
    all_plugged_in(vec![phone, wireless]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_is_disconnected_and_connected_again() {
    let (adb, _guard) = attached_twice().await;
    let binary = Binary::unconfigured(adb);

    let gone = binary.run(&["disconnect", "10.0.0.9"]).await;
    assert_eq!(gone.code, 0, "{gone:?}");
    let listed = binary.run(&["devices"]).await;
    assert!(!listed.out.contains("10.0.0.9"), "{}", listed.out);
    let again = binary.run(&["disconnect", "10.0.0.9:5555"]).await;
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.err.contains("10.0.0.9:5555 is not connected"), "{}", again.err);

    let back = binary.run(&["connect", "10.0.0.9"]).await;
    assert_eq!(back.code, 0, "{back:?}");
    assert!(back.out.contains("connected: 10.0.0.9:5555"), "{}", back.out);
    // It is the one on the cable, and that is said.
    assert!(back.out.contains("also reachable as 10.0.0.9:5555"), "{}", back.out);
    assert!(binary.run(&["devices"]).await.out.contains("10.0.0.9"));

    let all = binary.run(&["disconnect"]).await;
    assert_eq!(all.code, 0, "{all:?}");
    let listed = binary.run(&["devices"]).await;
    assert!(listed.out.contains(quick_phone().serial()) && !listed.out.contains("10.0.0.9"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_connected_says_why_and_what_to_do() {
    let (adb, _guard) = attached_twice().await;
    let binary = Binary::unconfigured(adb);
    for (arguments, code, said) in [
        (
            &["connect", "10.0.0.1:41235"][..],
            1,
            &["nothing listens at 10.0.0.1:41235", "Wireless debugging page"][..],
        ),
        (&["connect", "; id"], 2, &["is not an address"]),
        (&["pair", "10.0.0.1"], 2, &["lacks the port"]),
        (&["pair", "10.0.0.1:37000", "12 34"], 2, &["six digits", "Pair device with pairing code"]),
        (
            &["pair", "10.0.0.1:37000", "123456"],
            1,
            &["does not wait for a pairing", "leave it open"],
        ),
        (&["pair", "10.0.0.1:37000"], 2, &["six digits"]), // nobody is there to be asked
        (&["pair"], 1, &["does not look for phones on the network", "ayeaye pair HOST:PORT"]),
    ] {
        let ended = binary.run(arguments).await;
        assert_eq!(ended.code, code, "{arguments:?}: {ended:?}");
        for said in said {
            assert!(ended.err.contains(said), "{arguments:?}: {}", ended.err);
        }
        assert!(ended.err.contains("hint: "), "{}", ended.err);
    }
    let nobody = Binary::alone().run(&["connect", "10.0.0.1"]).await;
    assert_eq!(nobody.code, 1, "{nobody:?}");
    assert!(
        nobody.err.contains("no adb server") && nobody.err.contains("platform-tools"),
        "{nobody:?}"
    );
    let (old, _) = adb_server(|_| "FAIL unknown host service".to_owned()).await;
    let refused = Binary::unconfigured(old).run(&["pair", "10.0.0.1:37000", "123456"]).await;
    assert!(refused.code == 1 && refused.err.contains("cannot pair: it is older"), "{refused:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_code_pairs_a_phone_and_adb_connects_it() {
    let (adb, seen) = adb_server(|request| match request {
        "host:pair:482913:10.0.0.9:37123" => {
            "Successfully paired to 10.0.0.9:37123 [guid=adb-X1-abc]".to_owned()
        }
        "host:pair:111111:10.0.0.9:37123" => {
            "FAIL Failed: Wrong password or connection was dropped.".to_owned()
        }
        "host:devices-l" => {
            "adb-X1-abc._adb-tls-connect._tcp device product:p model:Pixel_7\n".to_owned()
        }
        _ => "FAIL closed".to_owned(),
    })
    .await;
    let binary = Binary::unconfigured(adb);
    let wrong = binary.run(&["pair", "10.0.0.9:37123", "111111"]).await;
    assert!(wrong.code == 1 && wrong.err.contains("did not take the code"), "{wrong:?}");
    let paired = binary.run(&["pair", "10.0.0.9:37123", "482913"]).await;
    assert_eq!(paired.code, 0, "{paired:?}");
    assert!(paired.out.contains("paired: 10.0.0.9:37123"), "{}", paired.out);
    assert!(paired.out.contains("connected: adb-X1-abc._adb-tls-connect._tcp"), "{}", paired.out);
    let asked = seen.lock().unwrap().iter().filter(|it| it.starts_with("host:pair:")).count();
    assert_eq!(asked, 2, "a code is valid for one try, and none is tried twice");
}

/// Name and password in the QR code on a terminal, read from the blocks as a camera sees them.
fn scanned(shown: &str) -> Option<(String, String)> {
    const MODULE: usize = 4; // pixels
    let ink = shown.split("\u{1b}[38;5;16;48;5;231m").skip(1);
    let lines: Vec<Vec<char>> = ink
        .filter_map(|line| line.split('\u{1b}').next())
        .map(|line| line.chars().collect())
        .collect();
    let (width, height) = (lines.first()?.len(), lines.len() * 2);
    let is_dark = |x: usize, y: usize| match lines[y / 2][x] {
        '█' => true,
        '▀' => y.is_multiple_of(2),
        '▄' => !y.is_multiple_of(2),
        _ => false,
    };
    let mut picture =
        rqrr::PreparedImage::prepare_from_greyscale(width * MODULE, height * MODULE, |x, y| {
            if is_dark(x / MODULE, y / MODULE) { 0 } else { 255 }
        });
    let (_, text) = picture.detect_grids().first()?.decode().ok()?;
    let fields = text.strip_prefix("WIFI:T:ADB;S:")?.strip_suffix(";;")?;
    let (name, password) = fields.split_once(";P:")?;
    Some((name.to_owned(), password.to_owned()))
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_phone_that_reads_the_qr_code_is_paired() {
    // What the phone has read: the pairing's name and password.
    let scan: Arc<Mutex<Option<(String, String)>>> = Arc::default();
    let read = scan.clone();
    let looks = std::sync::atomic::AtomicU32::new(0);
    let (adb, seen) = adb_server(move |request| {
        let read = read.lock().unwrap().clone();
        if request == "host:mdns:services"
            && (2..5).contains(&looks.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
        {
            // As a server that is just being started anew.
            return "CUT".to_owned();
        }
        match (request, read) {
            ("host:mdns:check", _) => "mdns daemon version [Openscreen discovery 0.0.0]".to_owned(),
            ("host:mdns:services", Some((name, _))) => format!(
                "adb-OTHER\t_adb-tls-pairing._tcp\t10.0.0.7:40000\n{name}\t_adb-tls-pairing._tcp\t10.0.0.9:37123\n"
            ),
            ("host:mdns:services" | "host:devices-l", None) => String::new(),
            ("host:devices-l", Some(_)) => "adb-X1-abc._adb-tls-connect._tcp device\n".to_owned(),
            (request, Some((_, password)))
                if request == format!("host:pair:{password}:10.0.0.9:37123") =>
            {
                "Successfully paired to 10.0.0.9:37123 [guid=adb-X1-abc]".to_owned()
            }
            _ => "FAIL Failed: Wrong password or connection was dropped.".to_owned(),
        }
    })
    .await;
    let binary = Binary::unconfigured(adb).set("TERM", "xterm-256color");
    let mut terminal = OnTerminal::start(&binary, &["pair"]);
    terminal.wait_for("Waiting for a phone to scan it").await;
    let (name, password) = scanned(&terminal.shown()).expect("a code that can be read");
    assert!(name.starts_with("ayeaye-") && 10 <= password.len(), "{name} {password}");
    // Before it is scanned, three looks fail.
    let asked = async {
        while seen.lock().unwrap().iter().filter(|it| *it == "host:mdns:services").count() < 4 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    within(30, "more looks", asked).await;
    *scan.lock().unwrap() = Some((name, password));
    let (code, shown) = terminal.end().await;
    assert_eq!(code, 0, "{shown}");
    assert!(shown.contains("paired: 10.0.0.9:37123"), "{shown}");
    assert!(shown.contains("connected: adb-X1-abc._adb-tls-connect._tcp"), "{shown}");
}

#[tokio::test(flavor = "multi_thread")]
async fn phones_on_the_network_are_listed_with_the_command_for_them() {
    let (adb, _) = adb_server(|request| match request {
        "host:devices-l" => String::new(),
        "host:mdns:services" => "adb-X1-abc\t_adb-tls-connect._tcp\t10.0.0.9:41235\n\
             adb-X2-abc\t_adb-tls-pairing._tcp\t10.0.0.8:37123\n"
            .to_owned(),
        _ => "FAIL unknown host service".to_owned(),
    })
    .await;
    let binary = Binary::unconfigured(adb);
    let listed = binary.run(&["devices"]).await;
    assert_eq!(listed.code, 1, "none is connected: {listed:?}");
    for said in ["On the network", "ayeaye connect 10.0.0.9:41235", "ayeaye pair 10.0.0.8:37123"] {
        assert!(listed.out.contains(said), "{said}: {}", listed.out);
    }
    let mut server = binary.raw().await;
    let told = server.facts("list_connected_devices", json!({})).await;
    let hint = told["hint"].as_str().unwrap();
    for said in ["`ayeaye connect 10.0.0.9:41235`", "adb-X2-abc (`ayeaye pair 10.0.0.8:37123`)"] {
        assert!(hint.contains(said), "{said}: {hint}");
    }
    let listed = binary.run(&["devices", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(listed["on_network"][0]["address"], "10.0.0.9:41235");
    assert_eq!(listed["on_network"][1]["service"], "_adb-tls-pairing._tcp");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_phone_does_one_task_whichever_name_it_is_given() {
    let phone = quick_phone();
    let wireless = phone.also_as("10.0.0.9:5555");
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let options =
        RigOptions { virtual_phone: phone, further: vec![wireless], ..RigOptions::quick() };
    let rig = Rig::with(vlm, options).await;
    let list = rig.call("list_connected_devices", json!({})).await;
    assert_eq!(list["devices"].as_array().unwrap().len(), 1, "{list}");
    assert_eq!(list["devices"][0]["device_id"], rig.serial);
    assert_eq!(list["devices"][0]["hint"], "also reachable as 10.0.0.9:5555");

    let start =
        |device: &str, task: &str| json!({ "device_id": device, "task": task, "wait_seconds": 0 });
    let begun = rig.call("ask_agent_start_new_task", start("10.0.0.9:5555", "first")).await;
    assert_eq!(begun["stop_reason"], "STILL_RUNNING", "{begun}");
    assert_eq!(begun["device_info"]["device_id"], rig.serial, "driven by the better way: {begun}");
    let refused = rig.refused("ask_agent_start_new_task", start(&rig.serial, "second")).await;
    assert!(refused.contains("is busy: session"), "{refused}");
    let refused = rig.refused("ask_agent_start_new_task", start("10.0.0.9:5555", "second")).await;
    assert!(refused.contains("is busy: session"), "{refused}");
    let same = rig.call("ask_agent_start_new_task", start(&rig.serial, "first")).await;
    assert_eq!(same["session_id"], begun["session_id"], "the same start follows");
    let list = rig.call("list_connected_devices", json!({})).await;
    assert_eq!(list["devices"][0]["busy"], true);

    rig.call("stop_task", json!({ "session_id": begun["session_id"] })).await;
    rig.vlm.always(&complete("Done."));
    let more = json!({ "device_id": "10.0.0.9:5555" });
    let done = rig.go_on(&begun, more).await;
    assert_eq!(done["stop_reason"], "TASK_COMPLETED_SUCCESSFULLY", "{done}");
    let other = json!({ "session_id": begun["session_id"], "device_id": "10.0.0.8:5555" });
    let refused = rig.refused("ask_agent_continue", other).await;
    assert!(refused.contains("10.0.0.8:5555"), "another phone's name is still refused: {refused}");
    let seen = rig.raw_call("get_screenshot", json!({ "device_id": "10.0.0.9:5555" })).await;
    assert_ne!(seen.is_error, Some(true), "{seen:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn another_process_that_sees_the_phone_elsewhere_finds_it_busy() {
    let phone = quick_phone();
    let (wired, _wired) = plugged_in(&phone).await;
    let (wireless, _wireless) = plugged_in(&phone.also_as("10.0.0.9:5555")).await;
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    let one = Binary::with(wired, &vlm);
    let data = one.data.path().to_str().unwrap().to_owned();
    let other = Binary::with(wireless, &vlm).set("AYEAYE_DATA_DIR", &data);
    let mut running = one.command(&["run", "hold it"]).kill_on_drop(true).spawn().unwrap();
    within(30, "the model to be asked", async {
        while vlm.asked().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    })
    .await;
    let listed = other.run(&["devices", "--json"]).await;
    let listed: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(listed["devices"][0]["device_id"], "10.0.0.9:5555");
    assert_eq!(listed["devices"][0]["busy"], true, "{listed}");
    let refused = other.run(&["run", "mine"]).await;
    assert!(refused.code == 1 && refused.err.contains("is busy"), "{refused:?}");
    running.kill().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn phones_of_several_adb_servers_are_listed_and_one_server_in_trouble_is_named() {
    let (near, far) = (quick_phone(), quick_phone());
    let (first, _first) = plugged_in(&near).await;
    let (second, _second) = all_plugged_in(vec![far.clone(), near.also_as("10.0.0.9:5555")]).await;
    let servers = format!("tcp:{second},tcp:127.0.0.1:1,tcp:{first}");
    let binary = Binary::unconfigured(first).set("AYEAYE_ADB_SERVERS", &servers);
    let listed = binary.run(&["devices"]).await;
    assert_eq!(listed.code, 0, "{listed:?}");
    let serial = near.serial();
    let named = format!("{serial}@{second}");
    assert!(listed.out.contains(&format!("\n{named} ")), "{}", listed.out);
    assert!(listed.out.starts_with(serial), "{}", listed.out);
    assert!(listed.out.contains("also reachable as 10.0.0.9:5555"), "{}", listed.out);
    assert!(listed.out.contains("127.0.0.1:1"), "the one that does not answer: {}", listed.out);
    let phones = listed.out.lines().filter(|line| line.contains("Aye-aye virtual phone")).count();
    assert_eq!(phones, 2, "{}", listed.out);

    let vlm = FakeVlm::start(|_| Answer::Says(complete("Done."))).await;
    let binary = Binary::with(first, &vlm).set("AYEAYE_ADB_SERVERS", &servers);
    let before = far.adb_counts().captures;
    let ran = binary.run(&["run", "do it", "--device", &named]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(before < far.adb_counts().captures && near.adb_counts().captures == 0);
    let found = binary.run(&["doctor"]).await;
    assert!(found.out.contains(&format!("the server at {second} answers")), "{}", found.out);
    assert!(found.out.contains("remove it from adb.servers"), "{}", found.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_goes_on_over_another_way_when_the_link_of_its_phone_dies() {
    let phone = quick_phone();
    let (wired, cable) = plugged_in(&phone).await;
    let (wireless, _wireless) = plugged_in(&phone.also_as("10.0.0.9:5555")).await;
    let gate = Arc::new(Notify::new());
    let vlm = FakeVlm::start(|_| Answer::Silence).await;
    vlm.then(vec![Answer::Held(gate.clone(), click(500, 500)), Answer::Says(complete("Tapped."))]);
    let binary = Binary::with(wired, &vlm).set("AYEAYE_ADB_SERVERS", &format!("tcp:{wireless}"));
    let thinking = async {
        within(30, "the model to be asked", async {
            while vlm.asked().is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        drop(cable);
        within(30, "the first server to be gone", async {
            while TcpStream::connect(wired).await.is_ok() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        })
        .await;
        gate.notify_one();
    };
    let words = ["run", "Tap", "--device", phone.serial()];
    let (ran, ()) = tokio::join!(binary.run(&words), thinking);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(phone.phone().state().counts.taps, 1, "done, and once");
}
