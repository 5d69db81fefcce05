//! Every recorded output, as it came and as another phone, shell or terminal might have passed it on.
use std::fmt::Write as _;

use proptest::prelude::*;

use super::*;
use crate::refusal;

/// What is read of one kind of output; empty where nothing was.
type Reader = fn(&str) -> String;

/// Who reads which folder of `samples/`.
const READERS: [(&str, Reader); 19] = [
    ("adb_devices", |text| debug(devices(text))),
    ("dumpsys_activity_activities", |text| debug(in_front(text))),
    ("dumpsys_activity_starter", |text| debug(in_front(text))),
    ("dumpsys_audio", |text| debug(media_volume(text))),
    ("dumpsys_battery", |text| debug(Some(battery(text)).filter(|it| *it != battery("")))),
    ("dumpsys_display", |text| debug(viewports(text))),
    ("dumpsys_input", |text| debug((viewports(text), current_size(text), awake(text)))),
    ("dumpsys_package", |text| debug(version_name(text, package_named(text)))),
    ("dumpsys_window_focus_lines", |text| debug(in_front(text))),
    ("dumpsys_window_lockstate", |text| debug((locked(text), awake(text)))),
    ("dumpsys_window_policy", |text| debug(awake(text))),
    ("dumpsys_window_windows", |text| debug((in_front(text), is_protected(text)))),
    ("getprop", |text| {
        let read = Properties::read(text);
        let names = ["ro.product.manufacturer", "ro.product.model", "ro.build.version.sdk"];
        debug((names.map(|name| read.get(name)), read.system_name()))
    }),
    ("ime_list", |text| debug(input_method_ids(text))),
    ("input_error", |text| debug(refusal::explain(text))),
    ("pm_list_packages", |text| debug(packages(text))),
    ("uiautomator_dump", |text| debug(ui_tree(text).map(|tree| tree.matches("<node ").count()))),
    ("wm_density", |text| debug(wm_density(text))),
    ("wm_size", |text| debug(wm_size(text))),
];

/// The folder that has no text: `capture::framebuffer` reads it.
const BINARY: &str = "framebuffer_header";

fn debug(read: impl std::fmt::Debug) -> String {
    let text = format!("{read:?}");
    let nothing = ["None", "[]", "(None, None)", "([], None, None)"];
    if nothing.contains(&text.as_str()) { String::new() } else { text }
}

/// The package that a dump is about.
fn package_named(text: &str) -> &str {
    let (_, named) = text.split_once("  Package [").unwrap_or_default();
    named.split(']').next().unwrap_or_default()
}

/// The files of `samples/`: kind, name, text.
fn recorded() -> Vec<(String, String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut all = Vec::new();
    for folder in std::fs::read_dir(root).unwrap().map(|it| it.unwrap().path()) {
        if !folder.is_dir() || folder.ends_with(BINARY) {
            continue;
        }
        let kind = folder.file_name().unwrap().to_str().unwrap().to_owned();
        for file in std::fs::read_dir(&folder).unwrap().map(|it| it.unwrap().path()) {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            all.push((kind.clone(), name, std::fs::read_to_string(file).unwrap()));
        }
    }
    all.sort();
    all
}

fn reader(kind: &str) -> Reader {
    let known = READERS.iter().find(|(folder, _)| *folder == kind);
    known.unwrap_or_else(|| panic!("nobody reads {kind}")).1
}

#[test]
fn no_recorded_output_falls_through() {
    let index = sample("INDEX.tsv");
    let mut listed: Vec<&str> =
        index.lines().skip(1).filter_map(|line| line.split('\t').next()).collect();
    listed.retain(|file| !file.starts_with(BINARY));
    listed.sort_unstable();
    let mut there = Vec::new();
    for (kind, name, text) in recorded() {
        let read = reader(&kind)(&text);
        // A stack trace instead of elements is no tree, and that is right.
        assert_eq!(read.is_empty(), name == "12_xiaomi-miui_2_error.txt", "{kind}/{name}: {read}");
        there.push(format!("{kind}/{name}"));
    }
    assert_eq!(there, listed);
}

#[test]
fn a_recorded_output_is_read_alike_however_it_was_passed_on() {
    const WARNING: &str = "WARNING: linker: libdvm.so has text relocations. This is wasting memory";
    for (kind, name, text) in recorded() {
        let read = reader(&kind);
        let unix = text.replace("\r\n", "\n");
        let bare = unix.trim_start_matches('\u{feff}').trim_end();
        for (how, passed_on) in [
            ("as it is", bare.to_owned()),
            ("lines of a terminal", bare.replace('\n', "\r\n")),
            ("a newline at the end", format!("{bare}\n\n")),
            ("a byte order mark", format!("\u{feff}{bare}")),
            ("a warning before", format!("{WARNING}\n{bare}")),
            ("a warning behind", format!("{bare}\n{WARNING}\n")),
            ("blanks at line ends", bare.replace('\n', "  \n")),
        ] {
            assert_eq!(read(&passed_on), read(&text), "{kind}/{name}, {how}");
        }
    }
}

#[test]
fn a_byte_order_mark_is_no_hindrance_in_the_middle_of_an_answer() {
    for (kind, name, text) in recorded() {
        let marked = format!("\u{feff}{}", text.trim_start_matches('\u{feff}'));
        for newline in ["\n", "\r\n"] {
            let cut = format!("{newline}{SEPARATOR}{newline}");
            let answer = ["before", &marked, "behind"].join(&cut);
            let [_, part, behind] = split_batch(&answer);
            assert_eq!(reader(&kind)(part), reader(&kind)(&text), "{kind}/{name}");
            assert_eq!(behind.trim(), "behind");
        }
    }
}

#[test]
fn facts_of_a_phone_are_read_as_its_owner_would_say_them() {
    let charged = battery(&sample("dumpsys_battery/unknown_awesome-adb_1.txt"));
    assert_eq!(
        (charged.charge, charged.powered, charged.temperature),
        (Some(44), Some(true), Some(280))
    );
    assert_eq!(wm_density(&sample("wm_density/unknown_awesome-adb_1.txt")), Some(420));
    assert_eq!(wm_density(&sample("wm_density/unknown_awesome-adb_2_override.txt")), Some(160));
    let heard = |file: &str| {
        let media = media_volume(&sample(&format!("dumpsys_audio/{file}"))).unwrap();
        (media.muted, media.volume, media.max)
    };
    assert_eq!(heard("7_androidtv_1.txt"), (false, 22, 60));
    assert_eq!(heard("7_androidtv_2.txt"), (false, 20, 60));
    let version = |file: &str, package: &str| {
        version_name(&sample(&format!("dumpsys_package/{file}")), package)
    };
    let airline = "com.lufthansa.android.lufthansa";
    assert_eq!(version("5or6_lufthansa_1.txt", airline).as_deref(), Some("4.7.1"));
    assert_eq!(version("5or6_lufthansa_1.txt", "com.lufthansa"), None);
    let services = version("unknown_gapps_1.txt", "com.google.android.gms");
    assert_eq!(services.as_deref(), Some("11.0.62 (448-160311229)"), "the one in use");
    let phone = Properties::read(&sample("getprop/16_samsung-s25plus-oneui8.5_1.txt"));
    assert_eq!(phone.get("ro.product.model"), Some("SM-S936B"));
    assert_eq!(phone.get("ro.build.version.sdk"), Some("36"));
    assert_eq!(phone.system_name().as_deref(), Some("One UI 8.5"));
    for (file, expected) in [
        ("8_androidtv-hdmi-input_1.txt", app("org.droidtv.playtv", ".PlayTvActivity")),
        ("8_androidtv-hdmi-input-sony_1.txt", app("com.sony.dtv.tvx", ".MainActivity")),
        ("8_androidtv-hdmi-input-sony-netflix_1.txt", app("com.netflix.ninja", ".MainActivity")),
    ] {
        let text = sample(&format!("dumpsys_activity_starter/{file}"));
        assert_eq!(foreground(&text), expected);
        // The phone is asked only for the input that a television shows: what was started last may have been left since,
        // and an app that is in front, as Netflix here, is told among the activities, which are asked for before.
        let asked = text.lines().find(|line| line.contains("android.media.tv/passthrough"));
        let is_input = !file.contains("netflix");
        assert_eq!(asked.and_then(foreground), expected.filter(|_| is_input), "{file}");
    }
}

#[test]
fn a_fold_is_named_as_the_phone_names_it() {
    let told = "  mCommittedState=Optional[DeviceState{identifier=0, name='CLOSED', app=true}]";
    assert_eq!(posture(told).as_deref(), Some("CLOSED"));
    assert_eq!(posture("mCommittedState=Optional.empty\n name='CLOSED'"), None);
}

proptest! {
    #[test]
    fn no_output_breaks_a_reader(
        pieces in prop::collection::vec(prop_oneof![
            "\\PC{0,40}",
            "(level|scale|temperature|AC powered|Muted|Max|streamVolume|Current|Devices): ?-?[0-9a-z(]{0,12}",
            "(Physical|Override) density: [0-9]{0,12}",
            "\\[[a-z.]{0,12}\\]: \\[[^\\]]{0,12}\\]?",
            "- STREAM_(MUSIC|RING)", "  Package \\[[a-z.]{0,9}\\]", "versionName=.{0,9}",
            "mCommittedState=.{0,20}name='[A-Z]{0,9}", "Intent \\{ cmp=[a-z./]{0,20}",
        ], 0..12),
        newline in prop_oneof![Just("\n"), Just("\r\n"), Just(" ")],
    ) {
        let text = pieces.join(newline);
        let mut read = String::new();
        for (_, reader) in READERS {
            read.push_str(&reader(&text));
        }
        let charge = battery(&text).charge.unwrap_or_default();
        prop_assert!(charge <= 100);
        write!(read, "{:?}", posture(&text)).unwrap();
    }
}
