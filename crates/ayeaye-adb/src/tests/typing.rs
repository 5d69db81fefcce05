//! Text by every way there is, and the keyboard put back on every way out.
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ayeaye_agent::{Device as _, DeviceError, Gesture, Point, ScreenSize};
use tokio::time::{Instant, sleep};

use super::fake::{Fake, Reply, packet};

const ON: ScreenSize = ScreenSize { width: 1000, height: 2000 };
const OWN: &str = "com.google.latin/.LatinIME";
/// Each part of an answer tells it.
const EMPTY_FIELD: &str = "mInputShown=true\n mCursorSelStart=0 mCursorSelEnd=0 mCursorCandStart=-1\n--ayeaye--\n \
    mCursorSelStart=0 mCursorSelEnd=0\n--ayeaye--\n mCursorSelStart=0 mCursorSelEnd=0\n--ayeaye--\n \
    mCursorSelStart=0 mCursorSelEnd=0\n mInputEditorInfo:\n  inputType=0x1 imeOptions=0x0\n";
const SELECT: &str = "input keycombination 113 29 && A=1 || A=0; \
    [ $A = 1 ] && [ \"$(getprop ro.build.version.sdk)\" -ge 33 ] && input keyevent 113";
const ADB: &str = "com.android.adbkeyboard/.AdbIME";

/// The acts without the questions in their lines.
fn keys(fake: &Fake) -> Vec<String> {
    let act = |line: String| {
        let line = line.split("; echo --ayeaye--").next().unwrap_or_default();
        line.split("; dumpsys input_method").next().unwrap_or_default().to_owned()
    };
    fake.acts().into_iter().map(act).collect()
}

fn typing(text: &str) -> Gesture {
    Gesture::Type { text: text.to_owned(), point: None, clear: false, submit: false }
}

fn everything(text: &str) -> Gesture {
    let point = Some(Point::new(500, 500).unwrap());
    Gesture::Type { text: text.to_owned(), point, clear: true, submit: true }
}

/// A phone with a keyboard that takes any text, not enabled yet.
async fn with_keyboard(broadcast: Reply) -> Fake {
    let borrowed = Arc::new(AtomicBool::new(false));
    Fake::phone(move |request| {
        let command = request.strip_prefix("shell,v2,raw:")?;
        if command.contains(&format!("ime set '{ADB}'")) {
            borrowed.store(true, Ordering::Relaxed);
        } else if command.starts_with(&format!("ime set '{OWN}'")) {
            borrowed.store(false, Ordering::Relaxed);
        }
        let current = if borrowed.load(Ordering::Relaxed) { ADB } else { OWN };
        let cut = "--ayeaye--";
        Some(match command {
            c if c.starts_with("ime list") => {
                Reply::out(format!("{OWN}\n{ADB}\n{cut}\n{OWN}\n{cut}\n{current}\n{cut}\n"))
            }
            c if c.starts_with("settings --user current get") => {
                Reply::out(format!("{current}\n{cut}\n  mInputShown=true\n"))
            }
            c if c.contains("dumpsys input_method") => Reply::out(EMPTY_FIELD),
            c if c.starts_with("am broadcast") => broadcast.clone(),
            _ => return None,
        })
    })
    .await
}

/// The line that puts the own keyboard back; it fails if either part does.
fn back() -> String {
    let disable = format!("ime disable '{ADB}'");
    format!("ime set '{OWN}' && {disable} || {{ {disable}; false; }}")
}

fn completed() -> Reply {
    Reply::out("Broadcasting: Intent { act=X }\nBroadcast completed: result=0\n")
}

#[tokio::test]
async fn keys_are_pressed_where_there_are_keys() {
    let fake =
        Fake::phone(|r| r.contains("dumpsys input_method").then(|| Reply::out(EMPTY_FIELD))).await;
    let device = fake.open().await;
    device.perform(&typing("it's 100% sure; $HOME"), ON).await.unwrap();
    device.perform(&everything("a"), ON).await.unwrap();
    assert_eq!(
        keys(&fake),
        [
            r"input text 'it'\''s%s100%%ssure;%s$HOME'",
            "input tap 500 1000",
            SELECT,
            "input text 'a'",
            "input keyevent 66",
        ]
    );
}

#[tokio::test]
async fn a_field_without_select_all_is_emptied_from_its_end() {
    let fake = Fake::phone(|r| {
        let unknown = "Error: Unknown command: keycombination\n".to_owned();
        r.contains("keycombination").then(|| Reply::Shell(String::new(), unknown.clone(), 1))
    })
    .await;
    let clear = Gesture::Type { text: "x".to_owned(), point: None, clear: true, submit: false };
    fake.open().await.perform(&clear, ON).await.unwrap();
    assert!(fake.acts()[1].starts_with("input keyevent 123 67 67"));
    assert_eq!(fake.acts()[2], "input text 'x'");
}

#[tokio::test]
async fn a_field_is_emptied_where_there_is_nothing_to_type() {
    let fake = Fake::phone(|_| None).await;
    let empty = Gesture::Type { text: String::new(), point: None, clear: true, submit: false };
    let done = fake.open().await.perform(&empty, ON).await.unwrap();
    assert!(done.uncertain.unwrap().contains("what is left"), "this phone does not tell");
    assert!(fake.acts().iter().any(|line| line.contains("keyevent")), "{:?}", fake.acts());
    assert!(!fake.acts().iter().any(|line| line.contains("input text")), "{:?}", fake.acts());
}

#[tokio::test]
async fn no_command_that_empties_a_field_presses_more_keys_than_there_is_time_for() {
    let caret = |at: u32| format!(" mCursorSelStart={at} mCursorSelEnd={at}\n");
    // Told with one part more where the answer begins with a look at what was selected.
    let answer = [caret(0), caret(0), caret(434), caret(434)].join("--ayeaye--\n");
    let fake = Fake::phone(move |r| {
        let unknown = "Error: Unknown command: keycombination\n".to_owned();
        r.contains("dumpsys input_method").then(|| Reply::Shell(answer.clone(), unknown, 0))
    })
    .await;
    let clear = Gesture::Type { text: "x".to_owned(), point: None, clear: true, submit: false };
    let error = fake.open().await.perform(&clear, ON).await.unwrap_err().to_string();
    assert!(error.contains("434 characters are left"), "{error}");
    let counts: Vec<_> = keys(&fake)
        .iter()
        .map(|line| line.split(' ').filter(|word| matches!(*word, "67" | "112")).count())
        .collect();
    assert!(counts.len() > 2 && counts.iter().all(|count| *count <= 300), "{counts:?}");
}

#[tokio::test]
async fn a_text_that_comes_late_into_an_empty_field_of_several_lines_is_waited_for() {
    let caret = |at: u32| format!("mInputShown=true\n mCursorSelStart={at} mCursorSelEnd={at}\n");
    let (typed, looks) = (AtomicBool::new(false), AtomicUsize::new(0));
    let fake = Fake::phone(move |request| match request {
        r if r.contains("input text") => {
            typed.store(true, Ordering::Relaxed);
            Some(Reply::out(""))
        }
        r if r.starts_with("exec:uiautomator") => {
            let text = if looks.load(Ordering::Relaxed) < 3 { "" } else { "hello" };
            let tree = format!(
                "<hierarchy rotation=\"0\"><node text=\"{text}\" class=\"android.widget.EditText\" \
                 focused=\"true\" bounds=\"[0,100][1000,200]\" /></hierarchy>"
            );
            Some(Reply::Bytes(tree.into_bytes()))
        }
        r if r.contains("dumpsys input_method") => {
            let is_there =
                typed.load(Ordering::Relaxed) && 2 <= looks.fetch_add(1, Ordering::Relaxed);
            let part = caret(if is_there { 5 } else { 0 });
            Some(Reply::out([part.as_str(); 4].join("--ayeaye--\n")))
        }
        _ => None,
    })
    .await;
    let clear = Gesture::Type { text: "hello".to_owned(), point: None, clear: true, submit: false };
    let done = fake.open().await.perform(&clear, ON).await.unwrap();
    assert_eq!(done.uncertain, None);
    let texts = keys(&fake).iter().filter(|line| line.starts_with("input text")).count();
    assert_eq!(texts, 1, "{:?}", fake.acts());
}

/// The times of the answer are real: the fake takes twice as long as another command may, and an eighth of what is given
/// to 300 keys.
#[tokio::test]
async fn a_command_that_empties_a_field_has_time_for_its_keys() {
    let caret = |at: u32| format!(" mCursorSelStart={at} mCursorSelEnd={at}\n");
    let unknown = "Error: Unknown command: keycombination\n";
    let full = [caret(0), caret(0), caret(0), caret(300)].join("--ayeaye--\n") + unknown;
    let one_line = " mInputEditorInfo:\n  inputType=0x1 imeOptions=0x0\n";
    let empty = [caret(0), caret(0), caret(0)].join("--ayeaye--\n") + one_line;
    let slow =
        [packet(1, " \n".repeat(200).as_bytes()), packet(1, empty.as_bytes()), packet(3, &[0])];
    let fake = Fake::phone(move |r| match r {
        _ if r.contains(" 67 67 67") => Some(Reply::Slowly(4, slow.concat())),
        _ if r.contains("dumpsys input_method") => Some(Reply::out(full.clone())),
        _ => None,
    })
    .await;
    let clear = Gesture::Type { text: "x".to_owned(), point: None, clear: true, submit: false };
    fake.open().await.perform(&clear, ON).await.unwrap();
    assert_eq!(fake.acts().last().unwrap(), "input text 'x'");
}

/// The times of the answer are real: the fake takes twice as long as another command may, and a twentieth of what is
/// given to 400 keys with the shift key.
#[tokio::test]
async fn a_command_that_types_has_time_for_its_keys() {
    let slow = [packet(1, "\n".repeat(200).as_bytes()), packet(3, &[0])].concat();
    let fake =
        Fake::phone(move |r| r.contains("input text").then(|| Reply::Slowly(4, slow.clone())))
            .await;
    fake.open().await.perform(&typing(&"X".repeat(400)), ON).await.unwrap();
    assert_eq!(fake.acts().len(), 1);
}

#[tokio::test]
async fn a_part_that_took_too_long_counts_as_typed_where_the_field_holds_it() {
    // The last part never ends, and has typed its text or not.
    for (length, has_typed) in [(5, true), (405, true), (5, false), (405, false)] {
        let typed = AtomicUsize::new(0);
        let fake = Fake::phone(move |request| {
            if let Some((_, word)) = request.split_once("input text ") {
                let keys = word.matches('x').count();
                let hangs = keys == 5;
                typed.fetch_add(if has_typed || !hangs { keys } else { 0 }, Ordering::Relaxed);
                return Some(if hangs { Reply::Silence } else { Reply::out("") });
            }
            let at = typed.load(Ordering::Relaxed);
            request.contains("dumpsys input_method").then(|| {
                let caret = format!(" mCursorSelStart={at} mCursorSelEnd={at}\n");
                Reply::out(format!("mInputShown=true\n{caret}"))
            })
        })
        .await;
        let done = fake.open().await.perform(&typing(&"x".repeat(length)), ON).await;
        if has_typed {
            assert_eq!(done.unwrap().uncertain, None, "{length}");
        } else {
            let error = done.unwrap_err();
            assert!(error.may_have_acted(), "{length}: {error:?}");
        }
        assert_eq!(fake.acts().len(), length.div_ceil(400), "nothing was typed twice");
    }
}

#[tokio::test]
async fn any_text_goes_through_the_borrowed_keyboard_and_the_own_one_comes_back() {
    let fake = with_keyboard(completed()).await;
    fake.open().await.perform(&everything("你好\n👩‍👧"), ON).await.unwrap();
    let package = "-p com.android.adbkeyboard";
    assert_eq!(
        keys(&fake),
        [
            "input tap 500 1000".to_owned(),
            format!("ime enable '{ADB}' && ime set '{ADB}'"),
            format!("am broadcast -a ADB_CLEAR_TEXT {package}"),
            format!("am broadcast -a ADB_INPUT_B64 --es msg 5L2g5aW9CvCfkanigI3wn5Gn {package}"),
            "input keyevent 66".to_owned(),
            back(),
        ]
    );
}

#[tokio::test]
async fn the_own_keyboard_comes_back_when_typing_fails() {
    for reply in [Reply::Silence, Reply::Cut, Reply::out("java.lang.SecurityException: no\n")] {
        let fake = with_keyboard(reply).await;
        let error = fake.open().await.perform(&typing("你"), ON).await.unwrap_err();
        assert!(!matches!(error, DeviceError::NoServer { .. }), "{error:?}");
        let acts = fake.acts();
        assert_eq!(acts.last().unwrap(), &back());
        assert_eq!(acts.iter().filter(|a| a.contains("ADB_INPUT_B64")).count(), 1);
    }
}

#[tokio::test]
async fn the_own_keyboard_comes_back_when_typing_is_given_up() {
    let fake = with_keyboard(Reply::Silence).await;
    let device = fake.open().await;
    let gesture = typing("你");
    let given_up = async {
        while !fake.acts().iter().any(|act| act.contains("ADB_INPUT_B64")) {
            sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        result = device.perform(&gesture, ON) => panic!("{result:?}"),
        () = given_up => {}
    }
    let deadline = Instant::now() + Duration::from_secs(5);
    while !fake.acts().last().unwrap().starts_with(&format!("ime set '{OWN}'")) {
        assert!(Instant::now() < deadline, "{:?}", fake.acts());
        sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_text_that_cannot_be_typed_is_refused_before_anything_is_touched() {
    let fake = Fake::phone(|_| None).await;
    let device = fake.open().await;
    for text in ["你好", "two\nlines", "bell\x07", &"x".repeat(20_000)] {
        let error = device.perform(&everything(text), ON).await.unwrap_err();
        assert!(!error.may_have_acted(), "{error:?}");
        // Somebody is asked for a keyboard only where one would help.
        let by_keyboard = matches!(&error, DeviceError::NoKeyboard { odd: '你', .. });
        let refused = matches!(&error, DeviceError::NotSent { .. });
        assert!(if text == "你好" { by_keyboard } else { refused }, "{error:?}");
    }
    assert_eq!(fake.acts(), [""; 0]);
    let error = device.perform(&typing("é"), ON).await.unwrap_err().to_string();
    assert!(error.contains("install ADBKeyboard"), "{error}");
}

#[tokio::test]
async fn the_helper_is_used_where_it_has_been_put() {
    let fake = Fake::phone(|request| {
        let list = format!("{OWN}\n--ayeaye--\n--ayeaye--\n--ayeaye--\n/data/local/tmp/yadb\n");
        request.contains("ime list").then(|| Reply::out(list))
    })
    .await;
    fake.open().await.perform(&typing("it's 你"), ON).await.unwrap();
    assert!(fake.commands()[2].ends_with(r"-keyboard 'it'\''s 你'"), "{:?}", fake.commands());
}

#[tokio::test]
async fn letters_go_through_the_keyboard_app_however_android_names_a_keyboard_that_composes_words()
{
    const SOGOU: &str = "com.sohu.inputmethod.sogou/.SogouIME";
    for told in [
        format!("  mCurMethodId={SOGOU}\n"),
        // Android 16, with somebody else's keyboard before.
        format!(
            "  mCurrentImeUserId=0\n  UserId=10\n    mSelectedMethodId={OWN}\n    mCurId=null\n  UserId=0\n    \
             mSelectedMethodId={SOGOU}\n    mCurId={SOGOU}\n"
        ),
    ] {
        let fake = Fake::phone(move |request| {
            let cut = "--ayeaye--";
            if request.contains("ime list") {
                let all = format!("{SOGOU}\n{ADB}\n");
                return Some(Reply::out(format!("{all}{cut}\n{all}{cut}\n{SOGOU}\n{cut}\n")));
            }
            let is_asked = request.starts_with("shell,v2,raw:dumpsys input_method");
            is_asked.then(|| Reply::out(format!("  mInputShown=true\n{told}")))
        })
        .await;
        drop(fake.open().await.perform(&typing("nihao"), ON).await);
        let sent = keys(&fake);
        let first = sent.first().unwrap();
        assert!(first.contains(ADB) && !first.contains("input text"), "{sent:?}");
    }
}

/// It puts what it types on the clipboard, where every app and every look at the screen may find it.
#[tokio::test]
async fn no_password_goes_through_the_helper() {
    const COMPOSING_KEYBOARD: &str = "com.sohu.inputmethod.sogou.xiaomi/.SogouIME";
    let phone = || {
        Fake::phone(|request| {
            let yadb = "/data/local/tmp/yadb\n";
            if request.contains("ime list") {
                let own = COMPOSING_KEYBOARD;
                let list = format!("{own}\n--ayeaye--\n--ayeaye--\n--ayeaye--\n{yadb}");
                return Some(Reply::out(list));
            }
            request.contains("dumpsys input_method").then(|| {
                Reply::out(format!(
                    "mInputShown=true\n mCurMethodId={COMPOSING_KEYBOARD}\n mInputStarted=true\n mInputEditorInfo:\n  inputType=0x81 imeOptions=0x6\n"
                ))
            })
        })
    };
    let fake = phone().await;
    fake.open().await.perform(&typing("Tr0ub4dor"), ON).await.unwrap();
    assert_eq!(keys(&fake), ["input text 'Tr0ub4dor'"], "{:?}", fake.commands());
    let fake = phone().await;
    let error = fake.open().await.perform(&typing("schlüssel"), ON).await.unwrap_err();
    assert!(matches!(error, DeviceError::Refused { .. }), "{error:?}");
    assert!(error.to_string().contains("clipboard"), "{error}");
    let all = fake.commands();
    assert!(all.iter().all(|command| !command.contains("yadb.Main")), "{all:?}");
}

#[tokio::test]
async fn a_text_of_which_the_helper_makes_another_one_is_refused() {
    let fake = Fake::phone(|request| {
        let list = format!("{OWN}\n--ayeaye--\n--ayeaye--\n--ayeaye--\n/data/local/tmp/yadb\n");
        request.contains("ime list").then(|| Reply::out(list))
    })
    .await;
    for text in [r"Größe C:\neu", "日本\na"] {
        let error = fake.open().await.perform(&typing(text), ON).await.unwrap_err().to_string();
        assert!(error.contains(r"yadb types no line break, and makes one of `\n`"), "{error}");
    }
    assert_eq!(fake.acts(), [""; 0]);
}

#[tokio::test]
async fn a_long_text_that_breaks_off_is_doubtful() {
    let calls = AtomicUsize::new(0);
    let fake = Fake::phone(move |request| {
        let second = || calls.fetch_add(1, Ordering::Relaxed) == 1;
        let refusal = Reply::Shell(String::new(), "Error: busy\n".to_owned(), 1);
        (request.contains("input text") && second()).then_some(refusal)
    })
    .await;
    let error = fake.open().await.perform(&typing(&"x".repeat(1000)), ON).await.unwrap_err();
    assert!(error.may_have_acted(), "{error:?}");
    assert!(error.to_string().contains("1 of 3 parts"), "{error}");
    assert_eq!(fake.acts().len(), 2);
}

#[tokio::test]
async fn what_was_done_before_a_refusal_is_told() {
    let refusal = || Reply::Shell(String::new(), "Error: busy\n".to_owned(), 1);
    // The text is there when the enter key is refused.
    let fake = Fake::phone(move |request| request.contains("keyevent 66").then(refusal)).await;
    let submitted = Gesture::Type { text: "milk".into(), point: None, clear: false, submit: true };
    let done = fake.open().await.perform(&submitted, ON).await.unwrap();
    let uncertain = done.uncertain.unwrap();
    assert!(uncertain.contains("enter was not pressed"), "{uncertain}");
    // What is typed is no second command.
    let fake = Fake::phone(move |request| request.contains("input text").then(refusal)).await;
    let error = fake.open().await.perform(&typing("a && b"), ON).await.unwrap_err();
    assert!(!error.may_have_acted(), "{error:?}");
    // One of the two taps may have been done.
    let fake = Fake::phone(move |request| request.contains("input tap").then(refusal)).await;
    let point = Point::new(500, 500).unwrap();
    let device = fake.open().await;
    let error = device.perform(&Gesture::DoubleClick { point }, ON).await.unwrap_err();
    assert!(error.may_have_acted(), "{error:?}");
    let error = device.perform(&Gesture::Click { point }, ON).await.unwrap_err();
    assert!(!error.may_have_acted(), "{error:?}");
}

/// An app may do with Ctrl+A and Delete what it does for hardware keyboards.
#[tokio::test]
async fn where_no_field_has_the_focus_no_key_goes_to_the_app_itself() {
    let tree = |focused: bool| {
        let field = format!("class=\"android.widget.EditText\" focused=\"{focused}\"");
        format!(
            "<hierarchy rotation=\"0\"><node text=\"Mail\" class=\"android.view.View\" focused=\"true\" \
             bounds=\"[0,0][1000,90]\" /><node {field} text=\"\" bounds=\"[0,100][1000,200]\" /></hierarchy>"
        )
    };
    let phone = async |list: String| {
        Fake::phone(move |request| {
            if request.starts_with("exec:uiautomator") {
                return Some(Reply::Bytes(list.clone().into_bytes()));
            }
            request.contains("dumpsys input_method").then(|| {
                Reply::out(
                    "mInputShown=false\n mCursorSelStart=-1 mCursorSelEnd=-1\n mInputStarted=false\n",
                )
            })
        })
        .await
    };
    let point = Some(Point::new(500, 75).unwrap());
    let write = |text: &str, point, clear| Gesture::Type {
        text: text.to_owned(),
        point,
        clear,
        submit: true,
    };
    for (text, clear) in [("invoice", true), ("invoice", false), ("", true)] {
        let fake = phone(tree(false)).await;
        let error = fake.open().await.perform(&write(text, None, clear), ON).await.unwrap_err();
        assert!(matches!(error, DeviceError::NotSent { .. }), "{error:?}");
        assert!(error.to_string().contains("tap the field first"), "{error}");
        assert!(keys(&fake).is_empty());
    }
    let fake = phone(tree(false)).await;
    let error = fake.open().await.perform(&write("invoice", point, true), ON).await.unwrap_err();
    assert!(error.to_string().contains("nothing was emptied or typed"), "{error}");
    assert_eq!(keys(&fake), ["input tap 500 150"]);
    // It may be drawn by the app itself, and is what was tapped.
    let fake = phone(tree(false)).await;
    fake.open().await.perform(&write("invoice", point, false), ON).await.unwrap();
    assert!(keys(&fake).contains(&"input text 'invoice'".to_owned()));
    // A pad for a PIN, as the lock screen's: there is nothing to empty.
    let fake = phone(tree(false)).await;
    fake.open().await.perform(&write("2580", None, true), ON).await.unwrap();
    assert_eq!(keys(&fake)[0], "input text '2580'");
    // The list knows better, or there is none.
    for (list, clear, types) in
        [(tree(true), true, true), (String::new(), false, true), (String::new(), true, false)]
    {
        let fake = phone(list).await;
        let _told = fake.open().await.perform(&write("invoice", None, clear), ON).await;
        assert_eq!(keys(&fake).contains(&"input text 'invoice'".to_owned()), types);
    }
}

#[tokio::test]
async fn a_text_that_stood_there_before_is_not_taken_for_the_typed_one() {
    const TREE: &str = "<hierarchy rotation=\"0\"><node text=\"meet at 5\" class=\"android.widget.EditText\" \
        focused=\"true\" bounds=\"[0,100][1000,200]\" /></hierarchy>";
    for told in [true, false] {
        let asked = AtomicUsize::new(0);
        let fake = Fake::phone(move |request| {
            if request.starts_with("exec:uiautomator") {
                return Some(Reply::Bytes(TREE.as_bytes().to_vec()));
            }
            request.contains("dumpsys input_method").then(|| {
                // Right after the tap the phone still tells of the field before.
                let at = if asked.fetch_add(1, Ordering::Relaxed) == 0 { 3 } else { 9 };
                let caret =
                    format!(" mCursorSelStart={at} mCursorSelEnd={at} mCursorCandStart=-1\n");
                Reply::out(format!("mInputShown=true\n{}", if told { &caret } else { "" }))
            })
        })
        .await;
        let point = Some(Point::new(500, 75).unwrap());
        let typing = Gesture::Type { text: "5".to_owned(), point, clear: false, submit: true };
        let done = fake.open().await.perform(&typing, ON).await.unwrap();
        assert!(done.uncertain.is_some(), "{told}: {done:?}");
        assert_eq!(keys(&fake), ["input tap 500 150", "input text '5'"], "no enter");
    }
}

#[tokio::test]
async fn a_word_that_is_still_composed_is_doubtful_only_where_enter_is_pressed() {
    const TREE: &str = "<hierarchy rotation=\"0\"><node text=\"milk\" class=\"android.widget.EditText\" \
        focused=\"true\" bounds=\"[0,100][1000,200]\" /></hierarchy>";
    const COMPOSING: &str =
        " mCursorSelStart=4 mCursorSelEnd=4 mCursorCandStart=0 mCursorCandEnd=4\n";
    for submit in [false, true] {
        let fake = Fake::phone(move |request| match request {
            r if r.starts_with("exec:uiautomator") => Some(Reply::Bytes(TREE.as_bytes().to_vec())),
            r if r.contains("dumpsys input_method") => Some(Reply::out(COMPOSING)),
            _ => None,
        })
        .await;
        let typing = Gesture::Type { text: "milk".to_owned(), point: None, clear: false, submit };
        let done = fake.open().await.perform(&typing, ON).await.unwrap();
        assert_eq!(done.uncertain.is_some(), submit, "{done:?}");
        assert_eq!(keys(&fake).len(), 1 + usize::from(submit));
    }
}

#[tokio::test]
async fn where_no_keyboard_was_in_use_there_is_none_to_put_back() {
    let fake = Fake::phone(|request| {
        let cut = "--ayeaye--";
        Some(match request.strip_prefix("shell,v2,raw:")? {
            c if c.starts_with("ime list") => {
                Reply::out(format!("{ADB}\n{cut}\n{ADB}\n{cut}\nnull\n{cut}\n"))
            }
            c if c.starts_with("settings --user current get") => {
                Reply::out(format!("{ADB}\n{cut}\n  mInputShown=true\n"))
            }
            c if c.contains("dumpsys input_method") => Reply::out(EMPTY_FIELD),
            c if c.starts_with("am broadcast") => completed(),
            _ => return None,
        })
    })
    .await;
    fake.open().await.perform(&everything("你好"), ON).await.unwrap();
    // The phone takes an empty line for the wish for a shell with a person at it, which never ends.
    assert!(fake.commands().iter().all(|line| !line.is_empty()), "{:?}", fake.commands());
}
