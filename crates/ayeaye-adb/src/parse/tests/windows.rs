//! Windows with titles that imitate what Android prints, and several displays.
use super::*;

/// What `dumpsys window` prints of two windows, of which the second is in front and has this title.
fn titled(title: &str, owner: &str) -> String {
    format!(
        "    mShowingLockscreen=false mDreamingLockscreen=false\n  \
         Display: mDisplayId=0 (organized)\n    \
         init=1080x2400 420dpi cur=1080x2400 app=1080x2337 rng=1080x1017-2337x2337\n  \
         mCurrentFocus=Window{{7a0 u0 {title}}}\n  \
         mFocusedApp=ActivityRecord{{3aa u0 com.evil.app/.Main t12}}\n  \
         Window #0 Window{{5ef u0 StatusBar}}:\n    \
         mOwnerUid=10095 showForAllUsers=true package=com.android.systemui appop=NONE\n    \
         mAttrs={{(0,0)(fillx83) gr=TOP sim={{adjust=pan}} ty=STATUS_BAR fmt=TRANSLUCENT\n  \
         Window #1 Window{{7a0 u0 {title}}}:\n    \
         mOwnerUid={owner}\n    \
         mAttrs={{(0,0)(fillxfill) sim={{adjust=pan}} ty=BASE_APPLICATION fmt=TRANSPARENT\n  \
         Window #2 Window{{99 u0 com.a.home/com.a.home.Home}}:\n    \
         mOwnerUid=10109 showForAllUsers=false package=com.a.home appop=NONE\n    \
         mAttrs={{(0,0)(fillxfill) sim={{adjust=pan}} ty=BASE_APPLICATION fmt=TRANSPARENT\n"
    )
}

const APP: &str = "10200 showForAllUsers=false package=com.evil.app appop=NONE";
const SYSTEM: &str = "10095 showForAllUsers=true package=com.android.systemui appop=NONE";

#[test]
fn an_app_that_calls_its_window_a_shade_is_itself_in_front() {
    for title in ["NotificationShade", "StatusBar", "control_center", "NotificationPanel"] {
        for owner in [APP, "10200 showForAllUsers=false package=com.android.systemui appop=NONE"] {
            let text = titled(title, owner);
            assert_eq!(in_front(&text), app("com.evil.app", ".Main"), "{title} of {owner}");
        }
        let shade = in_front(&titled(title, SYSTEM));
        assert_eq!(shade, app("com.android.systemui", "NotificationShade"), "{title}");
    }
    // Where no bar is listed, the package decides; before Android 4.3 the title alone.
    for (owner, package) in [(APP, "com.evil.app"), (SYSTEM, "com.android.systemui")] {
        let text = titled("NotificationShade", owner).replace("ty=STATUS_BAR", "ty=WALLPAPER");
        assert_eq!(in_front(&text).unwrap().package, package);
    }
    let old = titled("StatusBar", SYSTEM).replace("mOwnerUid=", "mSession=");
    assert_eq!(in_front(&old).unwrap().package, "com.android.systemui");
}

#[test]
fn a_title_with_lines_of_its_own_leaves_unknown_what_is_in_front() {
    let bank = "mFocusedApp=ActivityRecord{1 u0 com.bank.app/.Login t1}";
    let window = "mCurrentFocus=Window{1 u0 com.bank.app/com.bank.app.Login}";
    for title in [
        format!("a\n  {bank}\n  {window}\n"),
        // Braces that are closed where a line ends.
        format!("a}}:\n  {window}\n  {bank}\n  Display: mDisplayId=7\n  x{{b"),
        format!("a}}:\n  {bank}\n  Window #9 Window{{1 u0 b"),
        format!("a}}\n    mOwnerUid=1000 package=com.bank.app\n  {bank}\n x{{b"),
        "a}\n    mOwnerUid=1000 package=com.bank.app\n x{b".to_owned(),
        "a\n--ayeaye--\nmInputStarted=false".to_owned(),
    ] {
        let text = titled(&title, APP);
        assert!(is_forged(&text), "{title}");
        let shown = on_display(&text, 0);
        assert_eq!(foreground(&shown), None, "{title}");
        assert_eq!(in_front(&shown), None, "{title}");
        assert!(is_protected(&shown), "{title}");
    }
    for title in
        ["com.evil.app/.Main", "a {b", "a } b", "{}", "--ayeaye--", "x\\n  Window #3", "å\rb"]
    {
        let text = titled(title, APP);
        assert!(!is_forged(&text), "{title}");
        assert_eq!(in_front(&on_display(&text, 0)), app("com.evil.app", ".Main"), "{title}");
    }
    assert_eq!(in_front("mCurrentFocus=Window{1 u0 a.b/a.b.C"), app("a.b", ".C"), "cut off");
    // A dialog's title may have lines: of those that are not read the phone sends none.
    let text = titled("please wait\n video is loading", APP).replace("\n video is loading", "");
    let text =
        text.replace("please wait}}:", "please wait").replace("please wait}:", "please wait");
    let text = text.replace("please wait}", "please wait");
    assert!(text.contains("Window{7a0 u0 please wait\n"), "{text}");
    assert!(!is_forged(&text), "{text}");
    assert_eq!(in_front(&on_display(&text, 0)), app("com.evil.app", ".Main"));
    for folder in
        ["dumpsys_window_focus_lines", "dumpsys_activity_activities", "dumpsys_window_windows"]
    {
        assert!(samples(folder).iter().all(|text| !is_forged(text)), "{folder}");
    }
}

#[test]
fn of_several_displays_the_one_that_is_looked_at_counts() {
    let display = |number: u32, size: &str, name: &str| {
        format!(
            "  Display: mDisplayId={number} (organized)\n    init={size} 420dpi cur={size} app={size}\n  \
             mCurrentFocus=Window{{{number}a u0 {name}/{name}.Main}}\n  \
             mFocusedApp=ActivityRecord{{{number}b u0 {name}/.Main t1}}\n"
        )
    };
    let phone = display(0, "1080x2400", "com.a.phone");
    let desk = display(2, "1920x1080", "com.a.desk");
    let list = "  Window #0 Window{2a u0 com.a.desk/com.a.desk.Main}:\n      fl=SECURE\n  \
                imeInputTarget in display# 0 Window{0a u0 com.a.phone/com.a.phone.Main}\n";
    for text in [format!("{phone}{desk}{list}"), format!("{desk}{phone}{list}")] {
        for (number, package, width) in [(0, "com.a.phone", 1080), (2, "com.a.desk", 1920)] {
            let shown = on_display(&text, number);
            assert_eq!(in_front(&shown), app(package, ".Main"));
            assert_eq!(current_size(&shown).unwrap().width, width);
            assert_eq!(is_protected(&shown), number == 2, "{shown}");
        }
        assert_eq!(other_display_of(&text, "com.a.desk", 0), Some(2));
        assert_eq!(
            other_display_of(&text, "com.a.desk", 2),
            None,
            "it is the one that is looked at"
        );
        assert_eq!(other_display_of(&text, "com.a.other", 0), None);
        // Of a display that is not told of, nothing is known, and all is kept.
        assert_eq!(on_display(&text, 5), text);
    }
    let text =
        format!("{phone}  mFocusedApp=ActivityRecord{{1 u0 com.bank.app/.Login t1}}\n{desk}");
    assert_eq!(in_front(&on_display(&text, 0)), None, "two apps on one display");
    assert_eq!(in_front(&on_display(&text, 2)), app("com.a.desk", ".Main"));
}

/// As the policy of phones before Android 10 tells it, and their displays in 10 and 11.
const BARS: &str =
    "    mFocusedApp=Token{dba7fba ActivityRecord{3b5c8e5 u0 com.evil.app/.Main t25}}\n";

#[test]
fn what_the_bars_were_computed_for_is_no_second_app_in_focus() {
    for app_in_bars in ["com.evil.app/.Main", "com.a.home/.Home"] {
        // While another app comes to the front, that of the bars is the one before.
        let bars = BARS.replace("com.evil.app/.Main", app_in_bars);
        let now = titled("com.evil.app/com.evil.app.Main", APP);
        for text in
            [format!("{bars}{now}"), now.replace("  Window #0", &format!("{bars}  Window #0"))]
        {
            assert!(!is_forged(&text), "{text}");
            let old = text.replace(
                "ActivityRecord{3aa u0 com.evil.app/.Main t12}",
                "AppWindowToken{fd4 token=Token{dba ActivityRecord{3aa u0 com.evil.app/.Main t12}}}",
            );
            for text in [text, old] {
                assert_eq!(in_front(&on_display(&text, 0)), app("com.evil.app", ".Main"));
            }
        }
    }
    assert_eq!(in_front(BARS), app("com.evil.app", ".Main"), "where nothing else is told");
}

#[test]
fn windows_of_when_an_app_hung_are_not_those_of_now() {
    let now = titled("com.evil.app/com.evil.app.Main", APP);
    let then = titled("com.hung.app/com.hung.app.Main", APP)
        .replace("com.evil.app/.Main", "com.hung.app/.Main")
        .replace("mShowingLockscreen=false", "mShowingLockscreen=true")
        .replace("1080x2400", "2400x1080");
    let list = &then[then.find("  Window #0").unwrap()..];
    let whole = |list: &str, displays: &str| {
        format!(
            "\nWINDOW MANAGER LAST ANR (dumpsys window lastanr)\n{list}\nLast ANR continued\n\
             WINDOW MANAGER DISPLAY CONTENTS (dumpsys window displays)\n{displays}\n\
             WINDOW MANAGER POLICY STATE (dumpsys window policy)\n{now}"
        )
    };
    let text = whole(list, &then);
    assert!(is_forged(&text));
    let text = as_of_now(&text);
    assert!(!is_forged(text), "{text}");
    assert_eq!(in_front(&on_display(text, 0)), app("com.evil.app", ".Main"));
    assert_eq!((locked(text), current_size(text).unwrap().width), (Some(false), 1080));
    // Of a title that imitates the end of the copy, what follows remains and contradicts.
    let end = "a}\nWINDOW MANAGER POLICY STATE (dumpsys window policy)\nx{b";
    let text = whole(&list.replace("com.hung.app/com.hung.app.Main", end), &then);
    assert!(is_forged(as_of_now(&text)));
    // Nowhere else such a heading is Android's.
    for text in [format!("{now}{}", whole(list, &then)), now.clone(), String::new()] {
        assert_eq!(as_of_now(&text), text);
    }
    let cut = whole(list, &then).replace("WINDOW MANAGER POLICY", "POLICY");
    assert_eq!(as_of_now(&cut), cut);
}

#[test]
fn a_title_locks_nothing() {
    let title = "mShowingLockscreen=true mIsShowing=true mWakefulness=Asleep";
    let text = titled(title, APP).replace("mShowingLockscreen=false mDreamingLockscreen=false", "");
    assert_eq!((locked(&text), awake(&text)), (None, None));
    assert_eq!(locked(&format!("isKeyguardShowing=true\n{text}")), Some(true));
}

#[test]
fn the_question_which_copy_is_meant_is_one_of_the_phone() {
    let asked = |window: &str| chooser(&format!("  mCurrentFocus=Window{{1f u0 {window}}}\n"));
    for window in [
        "android/com.android.internal.app.ResolverActivity",
        "android/com.android.internal.app.ChooserActivity",
        "com.android.intentresolver/.ResolverActivity",
        "com.android.intentresolver/com.android.intentresolver.ChooserActivity",
        "com.huawei.android.internal.app/.HwResolverActivity",
        "com.hihonor.android.internal.app/.HwChooserActivity",
        "com.zui.resolver/.ResolverActivity",
        "com.miui.securitycore/com.miui.xspace.ui.activity.XSpaceResolveActivity",
        "com.samsung.android.da.daagent/.activity.DualAppActivity",
        "com.vivo.doubleinstance/.ChooserActivity",
    ] {
        assert_eq!(asked(window).as_deref(), Some(window));
    }
    for window in [
        "com.x/com.x.LanguageChooserActivity",
        "com.x/.DeepLinkResolverActivity",
        "com.x/com.android.internal.app.ResolverActivity",
        "com.x.intentresolver/.ResolverActivity",
        "com.x/com.x.Main",
    ] {
        assert_eq!(asked(window), None, "{window}");
    }
}

#[test]
fn what_the_phone_says_over_an_app_is_told() {
    let said =
        |window: &str| error_dialog(&format!("  mCurrentFocus=Window{{1602b04 u0 {window}}}\n"));
    for title in ["Application Not Responding: com.example.shop", "Application Error: com.example"]
    {
        assert_eq!(said(title).as_deref(), Some(title));
        assert_eq!(said(&format!("{title} type=2003 ")).as_deref(), Some(title), "as vivo has it");
    }
    for title in ["com.example/.Main", "NotificationShade", "About Application Error: x", ""] {
        assert_eq!(said(title), None, "{title}");
    }
    // One that lies behind is in nobody's way.
    let behind =
        "  Window #4 Window{1602b04 u0 Application Not Responding: com.android.systemui}:\n";
    assert_eq!(error_dialog(behind), None);
}

#[test]
fn another_apps_activity_above_the_app_in_focus_is_what_is_seen() {
    let told = |title: &str, kind: Option<&str>| {
        let list = kind.map_or_else(String::new, |kind| {
            format!(
                "WINDOW MANAGER WINDOWS (dumpsys window windows)\n  Window #0 Window{{8d u0 {title}}}:\n    \
                 mOwnerUid=10095 showForAllUsers=false package=a.home appop=NONE\n    \
                 mAttrs={{(0,0)(fillxfill) ty={kind} fmt=TRANSPARENT\n"
            )
        });
        let text = format!(
            "  Display: mDisplayId=0 (organized)\n    init=1920x1080 cur=1920x1080\n  \
             mCurrentFocus=Window{{8d u0 {title}}}\n  \
             mFocusedApp=ActivityRecord{{ba u0 a.films/.Main t6}}\n{list}"
        );
        foreground(&text).unwrap().package
    };
    for (title, kind, expected) in [
        // As an Android TV tells of an app that was opened and is not shown.
        ("a.home/a.home.MainActivity", Some("BASE_APPLICATION"), "a.home"),
        ("a.home/a.home.MainActivity", None, "a.films"),
        ("a.home/a.home.Overlay", Some("APPLICATION_OVERLAY"), "a.films"),
        ("InputMethod", Some("INPUT_METHOD"), "a.films"),
        ("PopupWindow:3f2a", Some("APPLICATION_PANEL"), "a.films"),
        ("Application Not Responding: a.films", Some("SYSTEM_ERROR"), "a.films"),
        ("a.films/a.films.Main", Some("BASE_APPLICATION"), "a.films"),
    ] {
        assert_eq!(told(title, kind), expected, "{title} {kind:?}");
    }
}

/// As `dumpsys window windows` of Android 14 has it: nothing else of the window in focus is told.
#[test]
fn behind_a_menu_that_pops_up_is_the_app_that_shows_it() {
    let list = |owner: &str| {
        format!(
            "  Window #0 Window{{d0 u0 Pop-Up Window}}:\n    mOwnerUid={owner} package=a.map\n    \
             mAttrs={{(0,0) ty=APPLICATION_PANEL\n  Window #1 Window{{e0 u0 a.home/a.home.Home}}:\n    \
             mOwnerUid=10177 package=a.home\n    mAttrs={{(0,0) ty=BASE_APPLICATION\n  \
             Window #2 Window{{f0 u0 a.map/a.map.Main}}:\n    mOwnerUid=10207 package=a.map\n    \
             mAttrs={{(0,0) ty=BASE_APPLICATION\n  imeInputTarget in display# 0 Window{{d0 u0 Pop-Up Window}}\n"
        )
    };
    assert_eq!(in_front(&list("10207")), app("a.map", ".Main"));
    assert_eq!(in_front(&list("10300")), None, "another app names its package");
    let over_all = list("10207").replace("APPLICATION_PANEL", "APPLICATION_OVERLAY");
    assert_eq!(in_front(&over_all), None, "it belongs to no window below it");
}
