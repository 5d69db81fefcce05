//! Trying a keyboard in the search of the phone's settings, and in no other app.
use super::fake::{Fake, Reply};
use crate::Proof;

const FIELD: &str = "<?xml version='1.0' encoding='UTF-8'?><hierarchy rotation=\"0\">\
    <node index=\"0\" text=\"to my boss\" resource-id=\"\" class=\"android.widget.EditText\" package=\"com.a\" \
    content-desc=\"\" checkable=\"false\" checked=\"false\" clickable=\"true\" enabled=\"true\" focusable=\"true\" \
    focused=\"true\" scrollable=\"false\" long-clickable=\"true\" password=\"false\" selected=\"false\" \
    bounds=\"[0,100][1080,200]\" /></hierarchy>";

/// A phone with this app in front, whatever is started.
async fn with_in_front(app: &'static str, started: Reply) -> Fake {
    Fake::phone(move |request| {
        if request.contains("am start") {
            return Some(started.clone());
        }
        if request.contains("mWakefulness") {
            return Some(Reply::out(format!(
                "  mWakefulness=Awake\n--ayeaye--\n  mCurrentFocus=Window{{1 u0 {app}/{app}.Main}}\n  \
                 mFocusedApp=ActivityRecord{{1 u0 {app}/.Main t1}}\n--ayeaye--\n"
            )));
        }
        request.contains("uiautomator").then(|| Reply::out(FIELD))
    })
    .await
}

#[tokio::test]
async fn where_the_settings_do_not_open_nothing_is_touched() {
    let refusal =
        "Error: Activity not started, unable to resolve Intent { act=android.settings.SETTINGS }\n";
    let refused = Reply::Shell("Starting: Intent\n".to_owned(), refusal.to_owned(), 1);
    let fake = with_in_front("com.a", refused).await;
    assert_eq!(fake.open().await.prove_typing("你好").await.unwrap(), Proof::NoField);
    let acts = fake.acts();
    assert_eq!(acts.len(), 2, "{acts:?}");
    assert!(acts[0].ends_with("APP_SEARCH_SETTINGS") && acts[1].ends_with(".SETTINGS"), "{acts:?}");
}

#[tokio::test]
async fn where_another_app_stays_in_front_nothing_is_typed_into_it() {
    let fake = with_in_front("com.a", Reply::out("Starting: Intent\n")).await;
    assert_eq!(fake.open().await.prove_typing("你好").await.unwrap(), Proof::NoField);
    let acts = fake.acts();
    assert!(acts[0].starts_with("am start"), "{acts:?}");
    assert_eq!(acts[1..], ["input keyevent 3"], "only the way home");
}

/// As phones list them: the first takes dictation and has no keys.
const VOICES: [&str; 2] = [
    "com.google.android.googlequicksearchbox/com.google.android.voicesearch.ime.VoiceInputMethodService",
    "com.samsung.android.bixby.service/.dictation.DictationInputMethodService",
];

#[tokio::test]
async fn the_keyboard_after_the_removed_one_is_the_own_one_or_androids_choice() {
    let adb = "com.android.adbkeyboard/.AdbIME";
    let disable = format!("ime disable '{adb}'");
    let set = format!("ime set 'com.own/.Keys'; {disable}");
    for (others, current, line) in [
        (&["com.own/.Keys"][..], adb, &set),
        // Android would take one of the system with English among its languages.
        (&["com.own/.Keys", "com.system/.Latin"], adb, &disable),
        (&[], adb, &disable),
        (&["com.own/.Keys"], "com.own/.Keys", &disable),
    ] {
        let list: Vec<&str> = VOICES.iter().chain(others).copied().chain([adb]).collect();
        let list = format!("{}\n", list.join("\n"));
        let told = format!("{list}--ayeaye--\n{list}--ayeaye--\n{current}\n--ayeaye--\n");
        let fake = Fake::phone(move |request| match request {
            r if r.contains("ime list") => Some(Reply::out(told.clone())),
            r if r.contains("pm uninstall") => Some(Reply::out("Success\n")),
            _ => None,
        })
        .await;
        let removed = fake.open().await.remove_keyboard().await.unwrap();
        assert_eq!(removed.as_deref(), Some("com.android.adbkeyboard"));
        assert_eq!(fake.acts(), std::slice::from_ref(line), "{others:?}");
    }
}
