//! Every parser of what phones and the adb server say, fed with mutations of what real ones said.
//!
//! `cargo nextest run --release -p ayeaye-adb --run-ignored only -E 'test(fuzz)' --no-capture`
use std::path::Path;

use ayeaye_agent::DeviceId;
use bytes::BytesMut;

use self::mutator::{LONG, Mutator, SHORT, fuzz};
use crate::apk::archive::{directory, files};
use crate::apk::{Labels, labels, parse_locales};
use crate::apps::resolve::AppNames;
use crate::connect::parsers::{PhoneAddress, offers};
use crate::connect_reply::{ConnectCommand, read};
use crate::errors::{Stage, device_error};
use crate::parse;
use crate::protocol::ProtocolError;

#[path = "../../../tests/fuzz/mutator.rs"]
mod mutator;

const WORDS: &[&str] = &[
    "Physical size: ",
    "Override size: ",
    "1080x2400",
    "0x0",
    "99999999999x1",
    "4294967296",
    "package:",
    "com.example/.Main",
    "ComponentInfo{",
    "}",
    "mCurrentFocus=Window{",
    "u0 ",
    "mFocusedApp=",
    "topResumedActivity=",
    "ResumedActivity: ",
    "null",
    "mInputShown=true",
    "mIsInputViewShown",
    "mWakefulness=Awake",
    "mDreamingLockscreen=",
    "isStatusBarKeyguard=true",
    "inputType=0x81",
    "<?xml",
    "<hierarchy",
    "</hierarchy>",
    "UI hierchary dumped to:",
    "device",
    "unauthorized",
    "offline",
    "transport_id:",
    "product:",
    "\t",
    "\r\n",
    "\u{feff}",
    "\u{0}",
    "SurfaceOrientation: ",
    "DisplayViewport{",
    "orientation=",
    "mCurrentRotation=ROTATION_90",
    "logicalFrame=[0, 0, 99999999999, 2]",
    "mIsShowing=",
    "cur=1x",
    "real 1 x 2",
    "/>",
    "é",
];

/// Every recorded output, however it was produced.
fn samples() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            for file in std::fs::read_dir(path).unwrap() {
                let mut text = std::fs::read(file.unwrap().path()).unwrap();
                text.truncate(12 << 10);
                found.push(text);
            }
        }
    }
    found.sort();
    found
}

/// All of them with the same text: which command said it is not known to a parser either.
fn outputs(executions: u64) {
    let mut mutator = Mutator::new(1, samples(), WORDS);
    fuzz("outputs of phones", executions, &mut mutator, |bytes, dice| {
        let text = String::from_utf8_lossy(bytes);
        for line in parse::devices(&text) {
            if line.serial.is_empty() {
                return Err("a phone without a serial".to_owned());
            }
        }
        for size in [parse::wm_size(&text), parse::current_size(&text)].into_iter().flatten() {
            if size.width == 0 || size.height == 0 {
                return Err(format!("a screen of {size}"));
            }
        }
        let components = parse::components(&text);
        if parse::first_component(&text).is_some_and(|first| !components.contains(&first)) {
            return Err("a component that is not there".to_owned());
        }
        parse::packages(&text);
        parse::foreground(&text);
        parse::awake(&text);
        parse::locked(&text);
        parse::keyboard_shown(&text);
        parse::secret_field(&text);
        parse::input_method_ids(&text);
        parse::in_front(&text);
        parse::is_protected(&text);
        parse::chooser(&text);
        parse::CaptureBan::read(&text);
        parse::users(&text);
        parse::current_user(&text);
        parse::package_files(&text);
        parse::version_name(&text, "com.example.notes");
        parse::media_volume(&text);
        parse::battery(&text);
        parse::panels(&text);
        parse::posture(&text);
        parse::viewports(&text);
        parse::wm_density(&text);
        parse::clock(&text);
        parse::wants_secret(&text, &text, &text);
        parse::FieldState::read(&text);
        parse::Properties::read(&text).system_name();
        crate::refusal::explain(&text);
        if crate::refusal::reason(&text).is_some_and(|reason| reason.is_empty()) {
            return Err("a refusal without a word".to_owned());
        }
        let cut = (dice.below(text.len() + 1)..=text.len()).find(|at| text.is_char_boundary(*at));
        let (head, tail) = text.split_at(cut.unwrap_or(0));
        parse::InputMethods::read(head, tail, &text);
        let _: [&str; 4] = parse::split_batch(&text);
        if parse::sanitize(&text).chars().any(char::is_control) {
            return Err("a control character is left".to_owned());
        }
        parse::sanitize_first_line(&text);
        parse::with_valid_characters(&text);
        if let Some(tree) = parse::ui_tree(&text)
            && !text.contains(tree)
        {
            return Err("a tree that was not there".to_owned());
        }
        Ok(())
    });
}

/// adb's own sentences.
fn refusals(executions: u64) {
    let seeds = [
        "device 'emulator-5554' not found",
        "no devices/emulators found",
        "device unauthorized.\nThis",
        "device offline",
        "more than one device/emulator",
        "insufficient permissions for device",
        "closed",
        "protocol fault (couldn't read status)",
        "cannot connect to 127.0.0.1:1: refused",
        "error: java.lang.SecurityException: Injecting to another application",
    ];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let mut mutator = Mutator::new(2, seeds, WORDS);
    let id = DeviceId::new("emulator-5554");
    fuzz("refusals of adb", executions, &mut mutator, |bytes, dice| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let stage = *dice.pick(&[Stage::Connecting, Stage::Requested]);
        let message = device_error(&id, "a tap", stage, ProtocolError::Failed(text)).to_string();
        if message.is_empty() { Err("an empty message".to_owned()) } else { Ok(()) }
    });
}

/// What adb says of phones on the network, and what people type to get there.
fn connecting(executions: u64) {
    let seeds = [
        "List of discovered mdns services\nadb-1A_b\t_adb-tls-connect._tcp\t192.168.1.7:41234\n",
        "adb-1A-x\t_adb-tls-pairing._tcp.\t[fe80::1]:37001",
        "connected to 192.168.1.7:5555",
        "failed to connect to '192.168.1.7:5555': Connection refused",
        "Failed: Unable to start pairing client.",
        "Successfully paired to 192.168.1.7:37001 [guid=adb-1A-x]",
        "error: unknown host service",
        "192.168.1.7",
        "[::1]:5555",
        "phone.local:99999",
    ];
    let words = ["_adb-tls-connect._tcp", "_adb._tcp", "\t", "\n", ":", "[", "]", "5555", "%eth0"];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let mut mutator = Mutator::new(5, seeds, &words);
    fuzz("phones on the network", executions, &mut mutator, |bytes, dice| {
        let text = String::from_utf8_lossy(bytes);
        offers(&text);
        let address = match PhoneAddress::parse(&text) {
            Ok(address) if PhoneAddress::parse(address.as_str()).is_err() => {
                return Err(format!("{} is not read again", address.as_str()));
            }
            Ok(address) => address.as_str().to_owned(),
            Err(_) => "192.168.1.7:5555".to_owned(),
        };
        let asked = [
            ConnectCommand::Connect(address.clone()),
            ConnectCommand::Disconnect(address.clone()),
            ConnectCommand::Pair(address),
        ];
        match read(dice.pick(&asked), &text) {
            Err(why) if why.to_string().is_empty() => Err("an error without a word".to_owned()),
            _ => Ok(()),
        }
    });
}

/// Packages of apps, which anybody may have written: manifests, tables of resources, archives.
fn packages(executions: u64) {
    let manifest = include_bytes!("apk/samples/plain.manifest").to_vec();
    let tables: [&[u8]; 3] = [
        include_bytes!("apk/samples/plain.arsc"),
        include_bytes!("apk/samples/sparse.arsc"),
        include_bytes!("apk/samples/split.zh.arsc"),
    ];
    let archive = include_bytes!("../../../tests/it/samples/weather.apk");
    let mut seeds: Vec<Vec<u8>> = tables.iter().map(|table| table.to_vec()).collect();
    seeds.extend([manifest.clone(), archive.to_vec()]);
    let words = [
        "\u{3}\0\u{8}\0",
        "\u{2}\0\u{c}\0",
        "\u{1}\0\u{1c}\0",
        "PK\u{1}\u{2}",
        "PK\u{5}\u{6}",
        "\0\0\0\0",
        "en",
    ];
    let mut mutator = Mutator::new(6, seeds, &words);
    let locales = parse_locales("zh-Hans-CN,ar,en-US");
    fuzz("packages of apps", executions, &mut mutator, |bytes, _dice| {
        let main = Some("org.example.weather.Main");
        for names in
            [labels(&manifest, &[bytes], main, &locales), labels(bytes, &tables, main, &locales)]
        {
            let label = names.label.unwrap_or_default();
            if label.chars().any(char::is_control) {
                return Err(format!("{label:?} as a name"));
            }
        }
        directory(bytes);
        for file in files(bytes) {
            file.place(bytes);
            if file.unpack(bytes, 1 << 16).is_some_and(|content| 1 << 16 < content.len()) {
                return Err("more than was asked for".to_owned());
            }
        }
        Ok(())
    });
}

/// Captures: raw pixels behind a header of either kind, and PNG.
fn pictures(executions: u64) {
    let mut seeds = Vec::new();
    for (format, each) in [(1u32, 4usize), (2, 4), (3, 3), (4, 2), (5, 4), (9, 4)] {
        for head in [12usize, 16] {
            let mut capture: Vec<u8> =
                [7u32, 5, format].into_iter().flat_map(u32::to_le_bytes).collect();
            capture.resize(head, 0);
            capture.extend((0..7 * 5 * each).map(|at| if at % 4 == 3 { 255 } else { 90 }));
            seeds.push(capture);
        }
    }
    for channels in [[0u32, 8, 16, 8, 8, 8], [11, 5, 0, 5, 5, 6]] {
        let bits = if channels[1] == 8 { 32u32 } else { 16 };
        let size = 7 * 5 * bits / 8;
        let head = [2, bits, 1, size, 7, 5].into_iter().chain(channels).chain([24, 8]);
        let mut capture: Vec<u8> = head.flat_map(u32::to_le_bytes).collect();
        capture.resize(capture.len() + size as usize, 90);
        seeds.push(capture);
    }
    let mut png = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut png, 7, 5);
    encoder.set_color(::png::ColorType::Rgba);
    encoder.write_header().unwrap().write_image_data(&[90; 7 * 5 * 4]).unwrap();
    seeds.push(png);
    let words = ["\u{7}\0\0\0", "IEND", "IHDR", "IDAT", "\u{1}\0\0\0", "error: ", "\r\n"];
    let mut mutator = Mutator::new(3, seeds, &words);
    fuzz("captures", executions, &mut mutator, |bytes, _dice| {
        let frames = crate::capture::read_all(&BytesMut::from(bytes));
        for frame in frames.into_iter().flatten() {
            let size = frame.size();
            if frame.rgba().len() != size.width as usize * size.height as usize * 4 {
                return Err(format!("{} bytes for {size}", frame.rgba().len()));
            }
        }
        Ok(())
    });
}

/// Names of apps, as models write them.
fn names(executions: u64) {
    let seeds =
        ["Settings app", "微信", "com.example.notes/.Main", "Google  Maps", "notes", "设置应用"];
    let seeds = seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect();
    let mut mutator =
        Mutator::new(4, seeds, &["app", "应用", ".", "/", " ", "com.", "ß", "İ", "android"]);
    let installed =
        ["com.android.settings", "com.tencent.mm", "com.example.notes", "org.maps.android"];
    let installed = installed.map(|package| {
        let labels = Labels { label: Some(format!("{package} Ž 记")), original: None };
        AppNames::of(package, labels)
    });
    fuzz("names of apps", executions, &mut mutator, |bytes, _dice| {
        let name = String::from_utf8_lossy(bytes);
        match crate::apps::resolve::resolve(&name, &installed) {
            Ok((index, _)) if installed.len() <= index => Err(format!("{index} is not there")),
            _ => Ok(()),
        }
    });
}

#[test]
fn a_little_fuzz_does_no_harm() {
    outputs(SHORT);
    refusals(SHORT);
    pictures(SHORT);
    names(SHORT / 4);
    connecting(SHORT);
    packages(SHORT / 2);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_outputs_of_phones() {
    outputs(LONG / 10);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_refusals_and_names() {
    refusals(LONG / 2);
    names(LONG / 50);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_packages_and_the_network() {
    connecting(LONG / 2);
    packages(LONG / 2);
}

#[test]
#[ignore = "fuzzing"]
fn fuzz_captures() {
    pictures(LONG / 2);
}
