//! Pictures and trees that come whole, cut, late or not at all.
use ayeaye_agent::{Device as _, DeviceError, ScreenSize};
use std::sync::Mutex;

use super::fake::{Fake, Reply};

const WIDTH: u32 = 20;
const HEIGHT: u32 = 30;

fn raw() -> Vec<u8> {
    let head = [WIDTH, HEIGHT, 1, 1].into_iter().flat_map(u32::to_le_bytes);
    head.chain(std::iter::repeat_n(200, (WIDTH * HEIGHT * 4) as usize)).collect()
}

fn png() -> Vec<u8> {
    let mut file = Vec::new();
    let mut encoder = png::Encoder::new(&mut file, WIDTH, HEIGHT);
    encoder.set_color(png::ColorType::Rgb);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(&[9; (WIDTH * HEIGHT * 3) as usize]).unwrap();
    writer.finish().unwrap();
    file
}

async fn with(
    raw: impl Fn() -> Reply + Send + Sync + 'static,
    png: impl Fn() -> Reply + Send + Sync + 'static,
) -> Fake {
    Fake::phone(move |request| match request {
        "exec:screencap" => Some(raw()),
        "exec:screencap -p" => Some(png()),
        _ => None,
    })
    .await
}

/// The commands that show the screen. The first capture also asks for the size that touches refer to.
fn looks(fake: &Fake) -> Vec<String> {
    let commands = fake.commands().into_iter();
    commands.filter(|command| !command.starts_with("dumpsys power")).collect()
}

#[tokio::test]
async fn a_whole_picture_takes_one_call() {
    let fake = with(|| Reply::Bytes(raw()), || Reply::Cut).await;
    let device = fake.open().await;
    for _ in 0..2 {
        let frame = device.capture().await.unwrap();
        assert_eq!(frame.size(), ScreenSize { width: WIDTH, height: HEIGHT });
    }
    assert_eq!(looks(&fake), ["screencap", "screencap"]);
}

#[tokio::test]
async fn a_picture_that_is_cut_short_is_asked_for_again_and_then_refused() {
    for end in [15, 16, 17, 500, raw().len() - 5, raw().len() - 1] {
        let cut = move || Reply::Bytes(raw()[..end].to_vec());
        let fake = with(cut, || Reply::Bytes(png()[..80].to_vec())).await;
        let error = fake.open().await.capture().await.unwrap_err();
        assert!(matches!(&error, DeviceError::Garbled { .. }), "{end}: {error:?}");
        assert!(error.to_string().contains(" came instead of 2416"), "{error}");
        assert_eq!(fake.commands(), ["screencap", "screencap", "screencap -p"], "{end}");
    }
}

#[tokio::test]
async fn raw_captures_that_always_come_damaged_give_way_to_png() {
    let trailing = || Reply::Bytes([raw(), vec![0; 8]].concat());
    let short = || Reply::Bytes(raw()[..900].to_vec());
    let nothing = || Reply::Bytes(Vec::new());
    let raw_way = "screencap";
    let png_way = "screencap -p";
    for (name, reply, expected) in [
        (
            "trailing",
            Box::new(trailing) as Box<dyn Fn() -> Reply + Send + Sync>,
            [raw_way, raw_way, png_way, png_way],
        ),
        ("short", Box::new(short), [raw_way, raw_way, png_way, png_way]),
        // A PNG is asked for at once, and takes a time of its own.
        ("nothing", Box::new(nothing), [raw_way, png_way, raw_way, png_way]),
    ] {
        let fake = with(reply, || Reply::Bytes(png())).await;
        let device = fake.open().await;
        for _ in 0..2 {
            assert_eq!(device.capture().await.unwrap().rgba()[..4], [9, 9, 9, 255], "{name}");
        }
        assert_eq!(looks(&fake), expected, "{name}");
        device.capture().await.unwrap();
        assert_eq!(looks(&fake).last().unwrap(), png_way, "{name}");
        assert_eq!(looks(&fake).len(), 5, "{name}: remembered");
        assert_eq!(device.captured_by().unwrap().way, "PNG");
    }
}

#[tokio::test]
async fn a_damaged_packer_loses_no_phone() {
    let zipped = "exec:screencap 2>/dev/null | gzip -1";
    let damaged = packed(&raw()).into_iter().enumerate().map(|(at, it)| it ^ u8::from(at == 20));
    let damaged = damaged.collect::<Vec<u8>>();
    for useless in [damaged, packed(&raw())[..12].to_vec(), Vec::new(), packed(b"")] {
        let fake = Fake::phone(move |request| match request {
            "exec:screencap" => Some(Reply::Slowly(20, raw())),
            "exec:screencap -p" => Some(Reply::Bytes(png())),
            _ if request == zipped => Some(Reply::Bytes(useless.clone())),
            _ => None,
        })
        .await;
        let device = fake.open().await;
        for _ in 0..2 {
            assert_eq!(device.capture().await.unwrap().rgba()[..4], [9, 9, 9, 255]);
        }
        let packed = fake.commands().iter().filter(|it| it.contains("gzip")).count();
        assert_eq!(packed, 2, "{:?}", fake.commands());
    }
}

#[tokio::test]
async fn a_phone_without_raw_pictures_is_asked_for_png_and_remembered() {
    let usage = || Reply::Bytes(b"screencap: raw is not supported\n".to_vec());
    let fake = with(usage, || Reply::Bytes(png())).await;
    let device = fake.open().await;
    for _ in 0..2 {
        assert_eq!(device.capture().await.unwrap().rgba()[..4], [9, 9, 9, 255]);
    }
    assert_eq!(looks(&fake), ["screencap", "screencap -p", "screencap -p"]);

    let fake = with(usage, || Reply::Bytes(png()[..80].to_vec())).await;
    let error = fake.open().await.capture().await.unwrap_err().to_string();
    assert!(error.contains("not supported") && error.contains("no end"), "{error}");
}

#[tokio::test]
async fn a_phone_whose_screencap_fails_is_asked_for_its_framebuffer_and_remembered() {
    let framebuffer = || {
        let rows = WIDTH * HEIGHT * 4;
        let words = [2, 32, 1, rows, WIDTH, HEIGHT, 0, 8, 16, 8, 8, 8, 24, 8];
        let head = words.into_iter().flat_map(u32::to_le_bytes);
        head.chain(std::iter::repeat_n(77, rows as usize)).collect::<Vec<u8>>()
    };
    let denied = |request: &str| {
        let said = b"/system/bin/sh: screencap: can't execute: Permission denied\n";
        request.starts_with("exec:screencap").then(|| Reply::Bytes(said.to_vec()))
    };
    let fake = Fake::phone(move |request| match request {
        "framebuffer:" => Some(Reply::Bytes(framebuffer())),
        _ => denied(request),
    })
    .await;
    let device = fake.open().await;
    assert_eq!(device.capture().await.unwrap().rgba()[..4], [77, 77, 77, 255]);
    let asked = fake.commands().len();
    device.capture().await.unwrap();
    assert_eq!(fake.commands().len(), asked, "remembered");
    let route = device.captured_by().unwrap();
    assert_eq!((route.way, route.link.as_str()), ("framebuffer", "X"));

    let closed = move |request: &str| match request {
        "framebuffer:" => Some(Reply::Fail("closed")),
        _ => denied(request),
    };
    let error = Fake::phone(closed).await.open().await.capture().await.unwrap_err();
    let told = "device X cannot capture its screen: it says `/system/bin/sh: screencap: can't execute: \
        Permission denied`";
    assert!(matches!(error, DeviceError::CannotCapture { .. }), "{error:?}");
    assert_eq!(error.to_string(), told);
}

#[tokio::test]
async fn a_phone_that_says_the_same_in_each_way_says_it_once() {
    let answers = async |raw: &'static str, png: &'static str, framebuffer: &'static str| {
        let bytes = |text: &'static str| Some(Reply::Bytes(text.as_bytes().to_vec()));
        let fake = Fake::phone(move |request| match request {
            "exec:screencap" => bytes(raw),
            "exec:screencap -p" => bytes(png),
            "framebuffer:" => bytes(framebuffer),
            _ => None,
        })
        .await;
        let device = fake.open().await;
        let mut told = Vec::new();
        // What was learnt of its ways changes nothing in what is told.
        for _ in 0..3 {
            told.push(device.capture().await.unwrap_err());
        }
        told
    };
    for error in answers("Capturing failed.\n", "Capturing failed.\n", "").await {
        let DeviceError::CannotCapture { said, .. } = &error else { panic!("{error:?}") };
        assert_eq!(said, "Capturing failed.");
    }
    for error in answers("Capturing failed.\n", "Killed\n", "").await {
        let told = error.to_string();
        assert!(matches!(error, DeviceError::Garbled { .. }), "{error:?}");
        assert!(told.contains("Killed"), "{told}");
    }
    for error in answers("", "", "").await {
        assert!(matches!(error, DeviceError::Garbled { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn where_exec_is_closed_pictures_come_through_the_shell() {
    let packets = || {
        let packet = |kind: u8, data: &[u8]| {
            let length = u32::try_from(data.len()).unwrap();
            [&[kind], &length.to_le_bytes()[..], data].concat()
        };
        let (first, rest) = (raw()[..100].to_vec(), raw()[100..].to_vec());
        [packet(1, &first), packet(1, &rest), packet(3, &[0])].concat()
    };
    let terminal = || [b"\r\n".to_vec(), raw()].concat();
    for is_old in [false, true] {
        let fake = Fake::phone(move |request| match request {
            "host-serial:X:features" if is_old => Some(Reply::Body("cmd".to_owned())),
            "shell,v2,raw:screencap" if !is_old => Some(Reply::Bytes(packets())),
            "shell:echo;screencap" if is_old => Some(Reply::Bytes(terminal())),
            _ if request.starts_with("exec:") => Some(Reply::Fail("closed")),
            _ => None,
        })
        .await;
        let device = fake.open().await;
        for _ in 0..2 {
            assert_eq!(device.capture().await.unwrap().rgba(), &raw()[16..]);
        }
        let again = if is_old { "echo;screencap" } else { "screencap" };
        assert_eq!(looks(&fake), ["screencap", again, again], "remembered");
    }
}

#[tokio::test]
async fn where_exec_is_closed_elements_come_by_a_terminal_and_pictures_as_they_can() {
    const TREE: &str = "<hierarchy rotation=\"0\"><node /></hierarchy>";
    let fake = Fake::phone(move |request| match request {
        "shell:echo;uiautomator dump /dev/tty" => {
            Some(Reply::Bytes(format!("\n{TREE}").into_bytes()))
        }
        "shell:echo;screencap" => Some(Reply::Bytes([b"\n".to_vec(), raw()].concat())),
        _ if request.starts_with("exec:") => Some(Reply::Fail("closed")),
        _ if request.starts_with("shell,v2,raw:screencap") => Some(Reply::Fail("closed")),
        _ => None,
    })
    .await;
    let device = fake.open().await;
    assert_eq!(device.ui_tree().await.unwrap().as_deref(), Some(TREE));
    assert_eq!(device.capture().await.unwrap().rgba(), &raw()[16..]);
    let dump = "uiautomator dump /dev/tty";
    let [on_terminal, captured] = [dump, "screencap"].map(|it| format!("echo;{it}"));
    assert_eq!(looks(&fake), [dump, &on_terminal, "screencap", "screencap", &captured]);
}

#[tokio::test]
async fn a_link_that_breaks_is_not_taken_for_a_closed_service() {
    let lost = |request: &str| {
        let sent = request.starts_with("exec:") || request.starts_with("shell");
        sent.then_some(Reply::Fail("closed"))
    };
    let fake = Fake::phone(lost).await;
    let device = fake.open().await;
    let error = device.capture().await.unwrap_err();
    assert!(matches!(error, DeviceError::LinkLost(..)), "{error:?}");
    device.capture().await.unwrap_err();
    let first = |line: &String| line == "screencap";
    assert!(
        first(&fake.commands()[0]) && 2 <= fake.commands().iter().filter(|it| first(it)).count()
    );
}

#[tokio::test]
async fn a_frozen_phone_is_given_up_in_time() {
    let fake = with(|| Reply::Silence, || Reply::Cut).await;
    let error = fake.open().await.capture().await.unwrap_err();
    assert!(matches!(error, DeviceError::TimedOut { .. }), "{error:?}");
}

#[tokio::test]
async fn a_flood_is_bounded() {
    let endless = || Reply::Endless(vec![1; 1 << 20]);
    let fake = with(endless, endless).await;
    let error = fake.open().await.capture().await.unwrap_err();
    // Whichever of the two limits is met first.
    let bounded = matches!(&error, DeviceError::Garbled { .. } | DeviceError::TimedOut { .. });
    assert!(bounded, "{error:?}");
}

#[tokio::test]
async fn a_phone_that_goes_is_told_from_a_bad_picture() {
    let fake = with(|| Reply::Fail("device offline"), || Reply::Cut).await;
    let error = fake.open().await.capture().await.unwrap_err();
    assert!(matches!(error, DeviceError::NotReady(..)), "{error:?}");
}

#[tokio::test]
async fn a_tree_that_cannot_be_had_is_none() {
    let tree = async |reply: Reply| {
        let dump = "exec:uiautomator dump ";
        let fake = Fake::phone(move |r| r.starts_with(dump).then(|| reply.clone())).await;
        fake.open().await.ui_tree().await
    };
    let whole = b"<hierarchy rotation=\"0\"><node /></hierarchy>UI hierchary dumped to: /dev/tty";
    assert!(tree(Reply::Bytes(whole.to_vec())).await.unwrap().unwrap().ends_with("</hierarchy>"));
    assert_eq!(tree(Reply::Bytes(whole[..30].to_vec())).await.unwrap(), None);
    assert_eq!(tree(Reply::Silence).await.unwrap(), None);
    assert!(tree(Reply::Fail("device 'X' not found")).await.is_err());
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    use std::io::Write as _;
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[tokio::test]
async fn a_link_too_slow_for_raw_pictures_has_the_phone_compress_and_remembers() {
    for gzip in [true, false] {
        let fake = Fake::phone(move |request| match request {
            // A header that announces 2416 bytes, and then a byte now and then.
            "exec:screencap" => Some(Reply::Slowly(20, raw())),
            "exec:screencap 2>/dev/null | gzip -1" if gzip => Some(Reply::Bytes(packed(&raw()))),
            "exec:screencap 2>/dev/null | gzip -1" => {
                Some(Reply::Bytes(b"/system/bin/sh: gzip: not found\n".to_vec()))
            }
            "exec:screencap -p" => Some(Reply::Bytes(png())),
            _ => None,
        })
        .await;
        let devices = fake.devices();
        let x = ayeaye_agent::DeviceId::new("X");
        for _ in 0..2 {
            // The second time in another lease.
            let device = devices.open_adb(&x).await.unwrap();
            let frame = device.capture().await.unwrap();
            assert_eq!(frame.size(), ScreenSize { width: WIDTH, height: HEIGHT });
            assert_eq!(frame.rgba()[0], if gzip { 200 } else { 9 });
        }
        let zipped = "screencap 2>/dev/null | gzip -1";
        let expected: &[&str] = if gzip {
            &["screencap", zipped, zipped]
        } else {
            &["screencap", zipped, "screencap -p", "screencap -p"]
        };
        assert_eq!(looks(&fake), expected);
    }
}

#[tokio::test]
async fn a_compressed_picture_is_whole_or_refused() {
    let whole = packed(&raw());
    for end in [1, 10, whole.len() - 1] {
        let cut = whole[..end].to_vec();
        let fake = Fake::phone(move |request| match request {
            "exec:screencap" => Some(Reply::Slowly(20, raw())),
            "exec:screencap 2>/dev/null | gzip -1" => Some(Reply::Bytes(cut.clone())),
            "exec:screencap -p" => Some(Reply::Bytes(png()[..80].to_vec())),
            _ => None,
        })
        .await;
        let error = fake.open().await.capture().await.unwrap_err();
        assert!(matches!(&error, DeviceError::Garbled { .. }), "{end}: {error:?}");
    }
}

#[tokio::test]
async fn the_lit_panel_of_two_is_named_in_captures_and_gestures() {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    const PANELS: &str =
        "Display 4611 (HWC display 0): port=0\nDisplay 4622 (HWC display 1): port=1\n";
    let folded = Arc::new(AtomicBool::new(false));
    let posture = Arc::clone(&folded);
    let fake = Fake::phone(move |request| {
        if request.contains("SurfaceFlinger") {
            let separators = "--ayeaye--\n".repeat(6);
            return Some(Reply::out(format!("{separators}{PANELS}")));
        }
        if request.contains("dumpsys display") {
            let lit = if posture.load(Ordering::Relaxed) { 4622 } else { 4611 };
            let viewport = |id: u32, on: bool| {
                format!(
                    "DisplayViewport{{type=INTERNAL, valid=true, isActive={on}, displayId={}, \
                     uniqueId='local:{id}', logicalFrame=Rect(0, 0 - {WIDTH}, {HEIGHT}), \
                     physicalFrame=Rect(0, 0 - {WIDTH}, {HEIGHT}), deviceWidth={WIDTH}, \
                     deviceHeight={HEIGHT}}}",
                    u8::from(!on) * 3
                )
            };
            return Some(Reply::out(format!(
                "  mViewports=[{}, {}]\n",
                viewport(4611, lit == 4611),
                viewport(4622, lit == 4622)
            )));
        }
        if request.contains("dumpsys window displays") && request.starts_with("shell") {
            return Some(Reply::out(format!("init cur={WIDTH}x{HEIGHT} app")));
        }
        (request.starts_with("exec:screencap -d 46")).then(|| Reply::Bytes(raw()))
    })
    .await;
    let device = fake.open().await;
    drop(device.info().await);
    device.capture().await.unwrap();
    let tap = ayeaye_agent::Gesture::Click { point: ayeaye_agent::Point::new(500, 500).unwrap() };
    let on = ScreenSize { width: WIDTH, height: HEIGHT };
    device.perform(&tap, on).await.unwrap();
    folded.store(true, Ordering::Relaxed);
    let error = device.perform(&tap, on).await.unwrap_err();
    assert!(error.to_string().contains("folded or unfolded"), "{error}");
    device.capture().await.unwrap();
    device.perform(&tap, on).await.unwrap();
    let sent: Vec<_> = fake
        .commands()
        .into_iter()
        .filter(|line| line.starts_with("screencap") || line.starts_with("input "))
        .collect();
    assert_eq!(
        sent,
        ["screencap -d 4611", "input -d 0 tap 10 15", "screencap -d 4622", "input -d 0 tap 10 15"]
    );
}

#[tokio::test]
async fn of_panels_that_are_not_explained_the_one_that_is_not_black_is_taken() {
    let black = || {
        let mut black = raw();
        black[16..].fill(0);
        black
    };
    let warned = [
        b"[Warning] Multiple displays were found, but no display id was specified!\n",
        &black()[..],
    ]
    .concat();
    let fake = Fake::phone(move |request| match request {
        "exec:screencap" => Some(Reply::Bytes(warned.clone())),
        "exec:screencap -d 11" => Some(Reply::Bytes(black())),
        "exec:screencap -d 12" => Some(Reply::Bytes(raw())),
        _ if request.contains("SurfaceFlinger") => Some(Reply::out(
            "Display 11 (HWC display 0): port=0\nDisplay 12 (HWC display 1): port=1\n",
        )),
        _ => None,
    })
    .await;
    assert!(!fake.open().await.capture().await.unwrap().is_black());
}

#[tokio::test]
async fn a_screen_that_never_rests_has_its_elements_by_the_compressed_dump() {
    let tree = "<hierarchy rotation=\"0\"><node /></hierarchy>";
    let fake = Fake::phone(move |request| match request {
        "exec:uiautomator dump /dev/tty" => {
            Some(Reply::Bytes(b"ERROR: could not get idle state.\n".to_vec()))
        }
        "exec:uiautomator dump --compressed /dev/tty" => {
            Some(Reply::Bytes(tree.as_bytes().to_vec()))
        }
        _ => None,
    })
    .await;
    let device = fake.open().await;
    for _ in 0..2 {
        assert_eq!(device.ui_tree().await.unwrap().as_deref(), Some(tree));
    }
    let (plain, compressed) =
        ("uiautomator dump /dev/tty", "uiautomator dump --compressed /dev/tty");
    assert_eq!(fake.commands(), [plain, compressed, compressed]);
}

#[tokio::test]
async fn elements_that_are_not_there_between_two_screens_are_asked_for_again() {
    const TREE: &str = "<hierarchy rotation=\"0\"><node /></hierarchy>";
    const NULL: &str = "ERROR: null root node returned by UiTestAutomationBridge.\n";
    // MIUI and HyperOS print it before whatever comes of the dump.
    const TRACE: &str = include_str!("../../samples/uiautomator_dump/12_xiaomi-miui_2_error.txt");
    // An element was gone before it was read.
    const GONE: &str = "java.lang.NullPointerException: Attempt to invoke virtual method on a null object reference\n\
        \tat com.android.uiautomator.core.AccessibilityNodeInfoDumper.childNafCheck(X.java:296)\nKilled\n";
    // Words of an app are nothing that `uiautomator` says.
    const QUOTED: &str = "<hierarchy rotation=\"0\"><node text=\"ERROR: null root node; UiAutomationService already \
        registered; AccessibilityNodeInfoDumper\" /></hierarchy>";
    let (plain, compressed) =
        ("uiautomator dump /dev/tty", "uiautomator dump --compressed /dev/tty");
    let fake = Fake::phone(|request| {
        request.starts_with("exec:uiautomator").then(|| Reply::Bytes(QUOTED.as_bytes().to_vec()))
    })
    .await;
    assert_eq!(fake.open().await.ui_tree().await.unwrap().as_deref(), Some(QUOTED));
    assert_eq!(fake.commands(), [plain]);
    for (failures, asked) in [
        (vec![GONE, GONE], vec![plain, plain, plain]),
        (vec![TRACE, TRACE], vec![plain, plain, plain]),
        (vec![NULL], vec![plain, plain]),
        (vec!["", NULL], vec![plain, plain, plain]),
        (vec![NULL, "\n", NULL], vec![plain, plain, plain, compressed]),
    ] {
        let left = Mutex::new(failures);
        let fake = Fake::phone(move |request| {
            let dump = request.starts_with("exec:uiautomator");
            let told = || left.lock().unwrap().pop().unwrap_or(TREE);
            dump.then(|| Reply::Bytes(told().as_bytes().to_vec()))
        })
        .await;
        assert_eq!(fake.open().await.ui_tree().await.unwrap().as_deref(), Some(TREE));
        assert_eq!(fake.commands(), asked);
    }
    // Where there is no `uiautomator`, it is not asked again.
    let fake = Fake::phone(|request| {
        let dump = request.starts_with("exec:uiautomator");
        dump.then(|| Reply::Bytes(b"/system/bin/sh: uiautomator: not found\n".to_vec()))
    })
    .await;
    assert_eq!(fake.open().await.ui_tree().await.unwrap(), None);
    assert_eq!(fake.commands(), [plain]);
}

#[tokio::test]
async fn another_automation_is_named() {
    let taken = "java.lang.IllegalStateException: UiAutomationService \
                 android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5c0ad1already \
                 registered!\nKilled\n";
    let fake = Fake::phone(move |request| {
        request.starts_with("exec:uiautomator").then(|| Reply::Bytes(taken.as_bytes().to_vec()))
    })
    .await;
    let error = fake.open().await.ui_tree().await.unwrap_err();
    assert!(error.to_string().contains("another program"), "{error}");
}
