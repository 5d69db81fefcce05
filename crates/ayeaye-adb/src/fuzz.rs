//! Every parser of what phones and the adb server say, fed with mutations of what real ones said.
//!
//! `cargo nextest run --release -p ayeaye-adb --run-ignored only -E 'test(fuzz)' --no-capture`
use std::path::Path;

use ayeaye_agent::DeviceId;
use bytes::BytesMut;

use self::mutator::{LONG, Mutator, SHORT, fuzz};
use crate::apk::Labels;
use crate::apps::resolve::AppNames;
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
        if parse::first_component(&text) != components.first().cloned() {
            return Err("another first component".to_owned());
        }
        parse::packages(&text);
        parse::foreground(&text);
        parse::awake(&text);
        parse::locked(&text);
        parse::keyboard_shown(&text);
        parse::secret_field(&text);
        parse::input_method_ids(&text);
        let cut = (dice.below(text.len() + 1)..=text.len()).find(|at| text.is_char_boundary(*at));
        let (head, tail) = text.split_at(cut.unwrap_or(0));
        parse::InputMethods::read(head, tail, &text);
        let _: [&str; 4] = parse::split_batch(&text);
        if parse::sanitize(&text).chars().any(char::is_control) {
            return Err("a control character is left".to_owned());
        }
        parse::sanitize_first_line(&text);
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

/// Captures: raw pixels behind a header, and PNG.
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
    let mut png = Vec::new();
    let mut encoder = ::png::Encoder::new(&mut png, 7, 5);
    encoder.set_color(::png::ColorType::Rgba);
    encoder.write_header().unwrap().write_image_data(&[90; 7 * 5 * 4]).unwrap();
    seeds.push(png);
    let words = ["\u{7}\0\0\0", "IEND", "IHDR", "IDAT", "\u{1}\0\0\0", "error: ", "\r\n"];
    let mut mutator = Mutator::new(3, seeds, &words);
    fuzz("captures", executions, &mut mutator, |bytes, _dice| {
        let frames = crate::capture::read_both(BytesMut::from(bytes));
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
    let installed = installed.map(|package| AppNames {
        package: package.to_owned(),
        labels: Labels { label: Some(format!("{package} Ž 记")), original: None },
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
fn fuzz_captures() {
    pictures(LONG / 2);
}
