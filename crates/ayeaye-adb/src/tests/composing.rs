//! Keyboards that make something else of the keys that are sent, and the keyboard app that gets round them.
use std::sync::{Arc, Mutex};

use ayeaye_agent::{Device as _, DeviceId, Gesture, Performed, Point, ScreenSize};

use super::fake::{Fake, Reply};

const ON: ScreenSize = ScreenSize { width: 1000, height: 2000 };
const OWN: &str = "com.google.latin/.LatinIME";
const ADB: &str = "com.android.adbkeyboard/.AdbIME";
const CUT: &str = "--ayeaye--";

/// What a field of one line holds, and the keyboard in use.
#[derive(Debug, Default)]
struct Field {
    text: String,
    borrowed: bool,
}

/// A phone whose own keyboard makes one sign of any keys. What the keyboard app is sent arrives, as "milk"; to the
/// command that brings it up, the phone answers so. An empty field shows the hint as if it held it, as on most phones.
async fn phone(holds: &str, hint: &'static str, switch: Reply) -> (Fake, Arc<Mutex<Field>>) {
    let field = Arc::new(Mutex::new(Field { text: holds.to_owned(), borrowed: false }));
    let held = Arc::clone(&field);
    let fake = Fake::phone(move |request| {
        let mut field = held.lock().unwrap();
        let command = request.split_once(':').map_or("", |(_, command)| command);
        let command = command.strip_prefix("raw:").unwrap_or(command);
        let current = if field.borrowed { ADB } else { OWN };
        if request.starts_with("exec:uiautomator") {
            let node = "class=\"android.widget.EditText\" focused=\"true\" bounds=\"[0,0][9,9]\"";
            let text = if field.text.is_empty() { hint } else { field.text.as_str() };
            let tree =
                format!("<hierarchy rotation=\"0\"><node text=\"{text}\" {node} /></hierarchy>");
            return Some(Reply::Bytes(tree.into_bytes()));
        }
        Some(match command {
            c if c.starts_with("ime list") => {
                Reply::out(format!("{OWN}\n{ADB}\n{CUT}\n{OWN}\n{CUT}\n{OWN}\n{CUT}\n"))
            }
            c if c.contains(&format!("ime set '{ADB}'")) => {
                field.borrowed = true;
                switch.clone()
            }
            c if c.starts_with("ime set") => {
                field.borrowed = false;
                Reply::out("")
            }
            c if c.starts_with("settings --user current get") => {
                Reply::out(format!("{current}\n{CUT}\n  mInputShown=true\n"))
            }
            c if c.starts_with("input text") => {
                field.text.push('\u{5b57}');
                Reply::out("")
            }
            c if c.starts_with("am broadcast") => {
                if c.contains("CLEAR") {
                    field.text.clear();
                } else {
                    field.text.push_str("milk");
                }
                Reply::out("Broadcast completed: result=0\n")
            }
            c if c.contains("dumpsys input_method") => {
                let at = field.text.encode_utf16().count();
                let part = format!(
                    "mInputShown=true\n mCurMethodId={current}\n mCursorSelStart={at} mCursorSelEnd={at}\n \
                     mInputEditorInfo:\n  inputType=0x1 imeOptions=0x0\n"
                );
                Reply::out([part.as_str(); 4].join(&format!("{CUT}\n")))
            }
            _ => return None,
        })
    })
    .await;
    (fake, field)
}

/// Types "milk" at this place, or where the caret is.
async fn milk(fake: &Fake, point: Option<Point>) -> Performed {
    let device = fake.open().await;
    let typing = Gesture::Type { text: "milk".to_owned(), point, clear: false, submit: false };
    device.perform(&typing, ON).await.unwrap()
}

fn sent(fake: &Fake, words: &str) -> usize {
    fake.acts().iter().filter(|line| line.contains(words)).count()
}

#[tokio::test]
async fn a_text_goes_round_a_keyboard_that_made_something_else_of_an_earlier_one() {
    let field = Some(Point::new(500, 500).unwrap());
    for (point, hint) in [(None, "To"), (field, ""), (field, "To")] {
        let (fake, field) = phone("", hint, Reply::out("")).await;
        let devices = fake.devices();
        for typed in ["milk", "milkmilk"] {
            // Also where the next run has opened the phone anew.
            let device = devices.open_adb(&DeviceId::new("X")).await.unwrap();
            let text = "milk".to_owned();
            let typing = Gesture::Type { text, point, clear: false, submit: false };
            let done = device.perform(&typing, ON).await.unwrap();
            assert_eq!(field.lock().unwrap().text, typed, "{point:?}");
            let note = done.note.unwrap_or_default();
            assert_eq!(note.contains("typed again through ADBKeyboard"), typed == "milk", "{note}");
        }
        assert_eq!((sent(&fake, "input text"), sent(&fake, "ADB_INPUT_B64")), (1, 2));
    }
}

#[tokio::test]
async fn what_stood_in_the_field_before_is_left_in_it() {
    for point in [None, Some(Point::new(500, 500).unwrap())] {
        let (fake, field) = phone("old", "To", Reply::out("")).await;
        let done = milk(&fake, point).await;
        assert!(done.uncertain.unwrap().contains("does not hold the text"), "{point:?}");
        assert_eq!(field.lock().unwrap().text, "old\u{5b57}");
        assert_eq!((sent(&fake, "input text"), sent(&fake, "broadcast")), (1, 0), "{point:?}");
    }
}

#[tokio::test]
async fn where_the_keyboard_app_does_not_come_up_it_is_told_what_the_field_holds() {
    let refusal = Reply::Shell(String::new(), "Error: Unknown input method\n".to_owned(), 1);
    let (fake, field) = phone("", "", refusal).await;
    let done = milk(&fake, None).await;
    let uncertain = done.uncertain.unwrap();
    assert!(uncertain.contains("does not hold the text"), "{uncertain}");
    assert!(uncertain.contains("typing it again failed"), "{uncertain}");
    assert_eq!((done.note, &*field.lock().unwrap().text), (None, "\u{5b57}"));
    assert_eq!(sent(&fake, "input text"), 1);
}
