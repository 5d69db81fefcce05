//! Every recorded output in `samples/`; what each must be read as is in `samples/INDEX.tsv`.
mod recorded;
mod windows;

use std::path::Path;

use ayeaye_agent::{Component, ScreenSize};

use super::*;

fn sample(path: &str) -> String {
    let bytes = std::fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(path));
    String::from_utf8(bytes.unwrap()).unwrap()
}

fn samples(folder: &str) -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(folder);
    let mut found: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| std::fs::read(entry.unwrap().path()).unwrap())
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .collect();
    found.sort();
    found
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be nothing")]
fn app(package: &str, activity: &str) -> Option<Component> {
    Some(Component { package: package.to_owned(), activity: activity.to_owned() })
}

#[expect(clippy::unnecessary_wraps, reason = "it is compared with what may be nothing")]
fn size(width: u32, height: u32) -> Option<ScreenSize> {
    Some(ScreenSize { width, height })
}

#[test]
fn a_phone_of_whose_serial_nothing_can_be_shown_is_none() {
    let list = "List of devices attached\n\u{1}\u{200b} device usb:1-1\nX1 device\n";
    let found: Vec<String> = devices(list).into_iter().map(|line| line.serial).collect();
    assert_eq!(found, ["X1"]);
}

/// As adb prints them on macOS, the states that hinder too.
#[test]
fn a_place_at_the_usb_may_have_no_name() {
    let list = "List of devices attached\n\
        RZCX61ANKGE            device 1-1 product:dm3qxxx model:SM_S918B device:dm3q transport_id:1\n\
        RFCWA0F1234            unauthorized 0-1.4 transport_id:5\n\
        X1\tno permissions (missing udev rules?); see [http://developer.android.com] 3-5.3.2\n\
        X2                     recovery 2-1\n\
        adb-X3 (2)._adb-tls-connect._tcp device 1-1 transport_id:7\n";
    let found: Vec<_> = devices(list).into_iter().map(|line| (line.serial, line.state)).collect();
    let expected = [
        ("RZCX61ANKGE", "device"),
        ("RFCWA0F1234", "unauthorized"),
        ("X1", "no permissions"),
        ("X2", "recovery"),
        ("adb-X3 (2)._adb-tls-connect._tcp", "device"),
    ];
    assert_eq!(found, expected.map(|(serial, state)| (serial.to_owned(), state.to_owned())));
    assert_eq!(devices(list)[0].model.as_deref(), Some("SM S918B"));
}

#[test]
fn phones_are_listed_as_adb_means_them() {
    let read = |file: &str| devices(&sample(&format!("adb_devices/{file}")));
    let only = |file: &str| {
        let mut lines = read(file);
        assert_eq!(lines.len(), 1, "{file}: {lines:?}");
        let line = lines.remove(0);
        (line.serial, line.state, line.product, line.model)
    };
    let expect = |serial: &str, state: &str, product: Option<&str>, model: Option<&str>| {
        let own = |text: Option<&str>| text.map(ToOwned::to_owned);
        (serial.to_owned(), state.to_owned(), own(product), own(model))
    };
    for (file, expected) in [
        (
            "10_sharpadb-line.txt",
            expect(
                "169.254.138.177:5555",
                "offline",
                Some("VS Emulator Android Device - 480 x 800"),
                Some("Android Device   480 x 800"),
            ),
        ),
        ("13_sharpadb-line.txt", expect("R01D234SZAE", "unauthorized", None, None)),
        ("14_sharpadb-line.txt", expect("emulator-5586", "host", None, None)),
        (
            "15_sharpadb-line.txt",
            expect("0123456789abcdef", "device", Some("bullhead"), Some("Nexus 5X")),
        ),
        ("18_sharpadb-line.txt", expect("0123456789abcdef", "no permissions", None, None)),
        ("19_sharpadb-line.txt", expect("01234567", "device", Some("if_s200n"), Some("NL V100KR"))),
        (
            "1_native-run-emulator-l.txt",
            expect(
                "emulator-5554",
                "device",
                Some("sdk_gphone_x86"),
                Some("Android SDK built for x86"),
            ),
        ),
        ("20_sharpadb-line.txt", expect("0123456789abcdef", "connecting", None, None)),
        (
            "2_native-run-lg-l.txt",
            expect("LGUS0123456789", "device", Some("elsa_nao_us"), Some("LG US996")),
        ),
        ("30_dotnet-noperm.txt", expect("????????????????", "no permissions", None, None)),
        ("40_appium-server-mismatch.txt", expect("emulator-5554", "device", None, None)),
        (
            "4_native-run-tcpip-l.txt",
            expect("192.168.0.3:5555", "device", Some("mido"), Some("Redmi Note 4")),
        ),
        (
            "5_native-run-samsung-l.txt",
            expect("0123456789abcdef01", "device", Some("dreamqltesq"), Some("SM G950U")),
        ),
        ("6_native-run-windows-offline.txt", expect("MWS0123456789012", "offline", None, None)),
    ] {
        assert_eq!(only(file), expected, "{file}");
    }
    assert_eq!(read("6_native-run-windows-offline.txt")[0].transport_id, Some(3));
    assert_eq!(samples("adb_devices").len(), 14, "a sample that no test reads");
}

#[test]
fn long_states_and_missing_serials_are_read() {
    let text = "X1\tno permissions (user in plugdev group; are your udev rules wrong?); see \
                [http://developer.android.com/tools/device.html] usb:1-4 transport_id:2\n\
                (no serial number)\tdevice usb:1-1 product:x model:y device:z transport_id:3";
    let lines = devices(text);
    assert_eq!(lines.len(), 2);
    assert_eq!((lines[0].state.as_str(), lines[0].transport_id), ("no permissions", Some(2)));
    assert_eq!(lines[1].serial, "(no serial number)");
    let twin = devices("adb-X1-ab (2)._adb-tls-connect._tcp device product:p model:Pixel_7\n");
    assert_eq!(twin[0].serial, "adb-X1-ab (2)._adb-tls-connect._tcp");
    assert_eq!((twin[0].state.as_str(), twin[0].model.as_deref()), ("device", Some("Pixel 7")));
    let talk = "* daemon not running; starting now at tcp:5037\n* daemon started successfully\n\
                List of devices attached\n\nadb: error";
    assert_eq!(devices(talk), []);
}

#[test]
fn the_app_in_front_is_found_on_every_version() {
    for (file, expected) in [
        (
            "dumpsys_window_focus_lines/12_samsung-flip-cover_1.txt",
            app("eu.niko.smart.universal", "crc648a3abc16689e594e.MainActivity"),
        ),
        (
            "dumpsys_window_focus_lines/13_samsung-fold-cover_1.txt",
            app("com.example.android", ".activity.main.MainActivity"),
        ),
        (
            "dumpsys_window_focus_lines/4.x_appium_2.txt",
            app("com.example.android.contactmanager", ".ContactManager"),
        ),
        (
            "dumpsys_window_focus_lines/5_samsung-isshadow_1.txt",
            app("com.example.android.contactmanager", ".ContactManager"),
        ),
        (
            "dumpsys_window_focus_lines/8_androidtv-atv-launcher_1.txt",
            app("com.google.android.tvlauncher", ".MainActivity"),
        ),
        (
            "dumpsys_window_focus_lines/8_androidtv-sony-picture-off_1.txt",
            app("tunein.player", "tunein.ui.leanback.ui.activities.TvHomeActivity"),
        ),
        (
            "dumpsys_window_focus_lines/unknown_appium_1.txt",
            app("com.example.android.contactmanager", ".ContactManager"),
        ),
        (
            "dumpsys_activity_activities/15or16_samsung-tablet_1.txt",
            app("com.sec.android.app.launcher", ".activities.LauncherActivity"),
        ),
        (
            "dumpsys_window_windows/11_emulator_1.txt",
            app("com.google.android.apps.nexuslauncher", ".NexusLauncherActivity"),
        ),
        (
            "dumpsys_window_windows/12_emulator_1.txt",
            app("com.android.launcher3", ".uioverrides.QuickstepLauncher"),
        ),
        (
            "dumpsys_window_windows/4.0_emulator_1.txt",
            app("com.dtmilano.android.sampleui", ".MainActivity"),
        ),
    ] {
        assert_eq!(foreground(&sample(file)), expected, "{file}");
    }
    let read =
        ["dumpsys_window_focus_lines", "dumpsys_activity_activities", "dumpsys_window_windows"];
    let count: usize = read.iter().map(|folder| samples(folder).len()).sum();
    assert_eq!(count, 11, "a sample that no test reads");
    assert_eq!(foreground("mCurrentFocus=null\n  mFocusedApp=null"), None);
}

#[test]
fn a_shade_over_an_app_is_in_front_and_does_not_hide_the_app() {
    for shade in
        ["5f1 u0 NotificationShade", "41a5 u0 StatusBar", "b3fa1f08 StatusBar paused=false"]
    {
        let text = format!(
            "  mCurrentFocus=Window{{{shade}}}\n  \
             mFocusedApp=ActivityRecord{{3aa u0 com.android.settings/.Settings t12}}"
        );
        assert_eq!(foreground(&text), app("com.android.settings", ".Settings"));
        assert_eq!(in_front(&text), app("com.android.systemui", "NotificationShade"), "{shade}");
    }
    // A maker writes more behind it (realme RMX3624, Android 13).
    let text = "  mCurrentFocus=Window{3939374 u0 NotificationShade}-[Surface(name=*Title#12082)/@0x3906209]\n  \
                mFocusedApp=ActivityRecord{1b1b769 u0 com.whatsapp.w4b/com.whatsapp.Conversation} t546 d0}";
    assert_eq!(in_front(text), app("com.android.systemui", "NotificationShade"));
    // One display has no focus at all.
    let text = "mCurrentFocus=null\n mCurrentFocus=Window{1 u0 a.b/a.b.C}\n mFocusedApp=null";
    assert_eq!(in_front(text), app("a.b", ".C"));
}

#[test]
fn the_app_in_front_is_found_without_a_list_of_windows() {
    let text = "  mCurrentFocus=null\n\n  topResumedActivity=ActivityRecord{5c u0 a.b/.C t9}\n    \
                mResumedActivity: ActivityRecord{5c u0 a.b/.C t9}";
    assert_eq!(in_front(text), app("a.b", ".C"));
}

#[test]
fn a_protected_window_is_known_by_its_flag() {
    let windows = |focus: &str, flags: &str| {
        format!(
            "  Window #4 Window{{11a u0 StatusBar}}:\n      fl=NOT_FOCUSABLE SPLIT_TOUCH\n  \
             Window #5 Window{{86a2d27 u0 a.bank/a.bank.Main}}:\n    mAttrs={{(0,0)(fillxfill) {flags}}}\n      \
             pfl=FORCE_DRAW\n  Window #6 Window{{99 u0 c.d/c.d.E}}:\n      fl=SECURE\n  \
             mCurrentFocus=Window{{{focus}}}\n  \
             mFocusedApp=ActivityRecord{{3 u0 a.bank/.Main t1}}"
        )
    };
    let bank = "86a2d27 u0 a.bank/a.bank.Main";
    for flags in ["fl=LAYOUT_IN_SCREEN SECURE SPLIT_TOUCH", "fl=#81812100 pfl=0x8", "fl=SECURE"] {
        assert!(is_protected(&windows(bank, flags)), "{flags}");
        assert!(
            is_protected(&windows("7 u0 a.bank/a.bank.Main", flags)),
            "a dialog over it: {flags}"
        );
        assert!(!is_protected(&windows("7 u0 NotificationShade", flags)), "the shade over it");
    }
    for flags in ["fl=LAYOUT_IN_SCREEN SPLIT_TOUCH", "fl=#81810100", "pfl=#2000", ""] {
        assert!(!is_protected(&windows(bank, flags)), "{flags}");
    }
    for text in samples("dumpsys_window_windows") {
        assert!(!is_protected(&text), "none of the recorded ones is");
    }
}

#[test]
fn a_lock_that_wants_a_secret_says_so() {
    let trust = |locked| {
        format!(
            " User \"Guest\" (id=10, flags=0x0): trusted=0, deviceLocked=1\n User \"Owner\" (id=0, \
             flags=0x4c13) (current): trusted=0, trustManaged=0, deviceLocked={locked}, strongAuthRequired=0x0"
        )
    };
    assert_eq!(wants_secret("      secure=true\n  mSimSecure=false", "", ""), Some(true));
    assert_eq!(wants_secret("      secure=false\n  mSimSecure=false", "", ""), Some(false));
    assert_eq!(wants_secret("", &trust(1), "false\n"), Some(true));
    assert_eq!(wants_secret("secure=true", &trust(0), "false\n"), Some(false), "trusted");
    assert_eq!(wants_secret("secure=true", "", "true\n"), Some(false), "there is no lock");
    assert_eq!(wants_secret("  mSimSecure=false", "Can't find service: trust", ""), None);
}

#[test]
fn panels_and_what_they_show_are_read() {
    let list = "Display 4619827259835644672 (HWC display 0): port=0 pnpId=GGL displayName=\"EMU\"\n\
                Display 4619827551948147201 (HWC display 1): port=1 pnpId=GGL displayName=\"\"\n";
    assert_eq!(panels(list), [4_619_827_259_835_644_672, 4_619_827_551_948_147_201]);
    assert_eq!(panels("Display configurations\nDisplayDevice"), [0_u64; 0]);
    let recorded = "Display 4619827677550801152 (HWC display 0): port=0 pnpId=GGL displayName=\"Common Panel\"\n\
                    Display 11529215050245041331 (Virtual display): displayName=\"studio.screen.sharing:0\"\n";
    assert_eq!(panels(recorded), [4_619_827_677_550_801_152], "a recording of it is no panel");
    // As a phone with a cover display prints it, held sideways.
    let flip = viewports(
        "  mViewports=[DisplayViewport{type=INTERNAL, valid=true, isActive=true, displayId=0, \
         uniqueId='local:1', physicalPort=130, orientation=1, logicalFrame=Rect(0, 0 - 2640, 1080), \
         physicalFrame=Rect(0, 0 - 2640, 1080), deviceWidth=2640, deviceHeight=1080}, \
         DisplayViewport{type=INTERNAL, valid=true, isActive=false, displayId=1, orientation=0, \
         logicalFrame=Rect(0, 0 - 512, 260), deviceWidth=512, deviceHeight=260}]",
    );
    let shown: Vec<_> = flip.iter().map(|it| (it.display, it.panel, it.active)).collect();
    assert_eq!(shown, [(0, Some(1), true), (1, None, false)]);
    assert_eq!(Some(flip[0].logical), size(2640, 1080));
    // The television draws at a quarter of its panel's pixels.
    let shield = &viewports(&sample("dumpsys_input/8or9_nvidia-shield_1.txt"))[0];
    assert_eq!(Some(shield.logical), size(1920, 1080));
    assert_eq!(Some(shield.panel_size), size(3840, 2160));
    let boxed = "DisplayViewport{valid=true, displayId=0, uniqueId='local:0', orientation=0, \
                 logicalFrame=Rect(0, 0 - 720, 1280), physicalFrame=Rect(0, 240 - 1080, 2160), \
                 deviceWidth=1080, deviceHeight=2400}";
    let boxed = &viewports(boxed)[0];
    assert_eq!((boxed.shown_at, Some(boxed.panel_size)), ([0, 240, 1080, 2160], size(1080, 2400)));
    // A Galaxy S8+ with a lower resolution, in a report that says no place on the panel.
    let lower = "mDefaultViewport=DisplayViewport{valid=true, displayId=0, orientation=0, \
                 logicalFrame=Rect(0, 0 - 1080, 2220), deviceWidth=1440, deviceHeight=2960}";
    let lower = &viewports(lower)[0];
    assert_eq!((Some(lower.logical), lower.shown_at), (size(1080, 2220), [0, 0, 1440, 2960]));
    for file in ["14_honor_1.txt", "15_vivo-pad_1.txt"] {
        assert!(!viewports(&sample(&format!("dumpsys_input/{file}"))).is_empty(), "{file}");
    }
}

#[test]
fn a_lock_screen_is_seen() {
    let read = |n| {
        let text = sample(&format!("dumpsys_window_lockstate/unknown_appium_{n}.txt"));
        (locked(&text), awake(&text))
    };
    assert_eq!(read(1), (Some(false), Some(false)));
    assert_eq!(read(3), (Some(false), None));
    assert_eq!(read(4), (Some(true), None));
    assert_eq!(read(5), (Some(false), None));
    assert_eq!(samples("dumpsys_window_lockstate").len(), 4, "a sample that no test reads");
    assert_eq!(locked("  mDreamingLockscreen=true mShowingLockscreen=false"), Some(true));
    assert_eq!(locked("KeyguardServiceDelegate\n  showing=true\n  occluded=false"), Some(true));
    for (told, expected) in [
        ("  showing=true\n  showingAndNotOccluded=true\n  occluded=false", false),
        ("  showing=true\n  showingAndNotOccluded=true\n  occluded=true", true),
        ("  showing=true\n  showingAndNotOccluded=false", true),
        ("  showing=false\n  showingAndNotOccluded=false", false),
        ("  mKeyguardOccluded=true mKeyguardOccludedChanged=false", true),
        ("  Window{1 u0 occluded=true}", false),
        ("", false),
    ] {
        assert_eq!(is_app_over_lock(told), expected, "{told}");
    }
    // As somebody tells of a OnePlus 6T with Android 13, with an app in front.
    let in_use = "mDreamingLockscreen=true isKeyguardShowing=true\n  mIsShowing=false mInputRestricted=false";
    assert_eq!(locked(in_use), Some(false));
    // A line that an app brings in says nothing against the phone's own.
    assert_eq!(locked("mIsShowing=false\n isKeyguardShowing=true\n  mIsShowing=true"), Some(true));
    assert_eq!(locked("mCurrentFocus=null"), None);
}

#[test]
fn a_screen_that_is_on_is_told_from_one_that_is_off() {
    assert_eq!(awake("  mWakefulness=Awake\n  mWakefulnessChanging=false"), Some(true));
    assert_eq!(awake("  mWakefulnessChanging=false\n  mWakefulness=Dozing"), Some(false));
    assert_eq!(awake("mWakefulness=Dreaming"), Some(false));
    for (told, expected) in [
        ("Awake", true),
        ("1", true),
        ("Asleep", false),
        ("Dozing", false),
        ("Dreaming", false),
        ("2", false),
    ] {
        // As Android 12 and Samsung's phones name it; a screen saver counts whatever else is told.
        let power =
            format!("  getWakefulnessLocked()={told}\n  interactiveState=INTERACTIVE_STATE_AWAKE");
        assert_eq!(awake(&power), Some(expected), "{told}");
    }
    assert_eq!(awake("    mAwake=truemScreenOnEarly=true mScreenOnFully=true"), Some(true));
    let waking = "screenState=SCREEN_STATE_ON\n interactiveState=INTERACTIVE_STATE_WAKING\n";
    assert_eq!(awake(waking), Some(true));
    assert_eq!(awake(&sample("dumpsys_window_policy/4.x_emulator_1.txt")), Some(true));
    assert_eq!(awake(&sample("dumpsys_input/14_honor_1.txt")), Some(true));
    assert_eq!(awake(&sample("dumpsys_input/8or9_nvidia-shield_1.txt")), Some(false));
    assert_eq!(awake(""), None);
}

#[test]
fn sizes_are_read_with_overrides_and_as_held() {
    assert_eq!(wm_size(&sample("wm_size/unknown_awesome-adb_1.txt")), size(1080, 1920));
    assert_eq!(wm_size(&sample("wm_size/unknown_awesome-adb_2_override.txt")), size(480, 1024));
    assert_eq!(wm_size("Physical size: 99999x1"), None);
    assert_eq!(current_size(&sample("dumpsys_input/14_honor_1.txt")), size(1224, 2700));
    assert_eq!(current_size(&sample("dumpsys_input/15_vivo-pad_1.txt")), size(2064, 3096));
    assert_eq!(current_size(&sample("dumpsys_input/8or9_nvidia-shield_1.txt")), size(1920, 1080));
    let sideways = "mViewports=[DisplayViewport{type=INTERNAL, orientation=1, \
                    logicalFrame=Rect(0, 0 - 2640, 1080), deviceWidth=2640}, DisplayViewport{\
                    logicalFrame=Rect(0, 0 - 512, 260)}]";
    assert_eq!(current_size(sideways), size(2640, 1080));
    let info =
        "mOverrideDisplayInfo=DisplayInfo{\"Built-in Screen\", real 2640 x 1080, rotation 1}";
    assert_eq!(current_size(info), size(2640, 1080));
    let displays = "    init=1080x2400 420dpi cur=2400x1080 app=2400x1017 rng=1080x1017-2400x2337";
    assert_eq!(current_size(displays), size(2400, 1080));
}

#[test]
fn keyboards_are_read_in_either_form() {
    let long = sample("ime_list/5_emulator_1.txt");
    assert_eq!(input_method_ids(&long), ["com.android.inputmethod.latin/.LatinIME"]);
    let short = "com.android.adbkeyboard/.AdbIME\ncom.google.android.inputmethod.latin/com.android.inputmethod.latin.LatinIME\n";
    assert_eq!(input_method_ids(short).len(), 2);
    let keyboards = InputMethods::read("", short, "null\n");
    assert_eq!((keyboards.installed.len(), keyboards.current), (2, None));
    assert_eq!(keyboard_shown("  mInputShown=true mX=1"), Some(true));
    assert_eq!(keyboard_shown("  mInputShown=false"), Some(false));
    assert_eq!(keyboard_shown("  mIsInputViewShown=true"), Some(true));
    let hidden = "  mShowForced=false mInputShown=false\n  mIsInputViewShown=true mStatusIcon=0\n";
    assert_eq!(keyboard_shown(hidden), Some(false), "the input method's own word is of before");
    let hardware = "  mInputShown=true\n  mShowInputRequested=true mIsInputViewShown=false\n";
    assert_eq!(keyboard_shown(hardware), Some(false), "a hardware keyboard keeps it away");
    assert_eq!(keyboard_shown("nothing"), None);
}

#[test]
fn apps_are_read_and_junk_is_not() {
    let list = packages(&sample("pm_list_packages/5_emulator_1.txt"));
    assert_eq!(list.len(), 10);
    assert_eq!(list[0], "com.android.smoketest");
    let text = "2 activities found:\n  Activity #0:\n    priority=0 preferredOrder=0 match=0x108000 \
                specificIndex=-1 isDefault=true\n    com.android.settings/.Settings\n  Activity #1:\n    \
                com.x/com.x.A$B\n";
    assert_eq!(components(text).len(), 2);
    assert_eq!(components(text)[1].1, "com.x.A$B");
    let chooser = "priority=0\nandroid/com.android.internal.app.ResolverActivity";
    assert_eq!(first_component(chooser), None);
    for resolver in [
        "com.huawei.android.internal.app/.HwResolverActivity",
        "com.hihonor.android.internal.app/com.hihonor.android.internal.app.HwResolverActivity",
        "com.transsion.resolver/.ResolverActivity",
    ] {
        assert_eq!(first_component(&format!("priority=0\n{resolver}")), None, "{resolver}");
    }
    assert_eq!(first_component("No activity found"), None);
}

#[test]
fn a_tree_is_whole_or_none() {
    for (file, nodes) in [
        ("4.2_emulator-chinese_1.xml", Some(21)),
        ("4.x_emulator_1.xml", Some(9)),
        ("8.1_emulator_1.xml", Some(29)),
        ("unknown_phone-flutter_1.xml", Some(23)),
        ("12_xiaomi-miui_2_error.txt", None),
    ] {
        let text = sample(&format!("uiautomator_dump/{file}"));
        let read = ui_tree(&text).map(|tree| tree.matches("<node ").count());
        assert_eq!(read, nodes, "{file}");
    }
    let glued = sample("uiautomator_dump/unknown_bilibili_1.txt");
    let tree = ui_tree(&glued).unwrap();
    assert!(tree.starts_with("<?xml") && tree.ends_with("</hierarchy>"));
    assert_eq!(samples("uiautomator_dump").len(), 6, "a sample that no test reads");
    assert_eq!(ui_tree(&tree[..tree.len() - 20]), None);
    assert_eq!(ui_tree("x<hierarchy rotation=\"0\" />UI"), Some("<hierarchy rotation=\"0\" />"));
    let one = "<hierarchy><node/></hierarchy>";
    for others in ["<hierarchy><node/></hierarchy>", "<hierarchy />", "<?xml?><hierarchy><node/>"] {
        assert_eq!(ui_tree(&format!("{one}\n{others}")), Some(one), "{others}");
    }
}

fn everything(text: &str) {
    drop((devices(text), foreground(text), locked(text), awake(text), wm_size(text)));
    drop((in_front(text), is_protected(text), panels(text), viewports(text)));
    assert!(wants_secret(text, text, text).is_none_or(|it| it || !text.is_empty()));
    drop((current_size(text), input_method_ids(text), keyboard_shown(text), components(text)));
    drop((packages(text), ui_tree(text).map(str::len), sanitize(text), sanitize_first_line(text)));
    assert!(split_batch::<4>(text).iter().all(|s| s.len() <= text.len()));
}

#[test]
fn every_sample_can_be_cut_anywhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    for folder in std::fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir())
    {
        for text in samples(folder.to_str().unwrap()) {
            let step = text.len() / 40 + 1;
            for end in (0..text.len()).step_by(step).filter(|at| text.is_char_boundary(*at)) {
                everything(&text[..end]);
                everything(&text[end..]);
            }
        }
    }
}
