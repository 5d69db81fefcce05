//! What is dialed, and what is deleted beside it.
use super::*;

#[test]
fn a_dialed_code_is_asked_about_in_pieces_too() {
    let dialer = |digits: &str| {
        let field = format!(
            r#"<node class="android.widget.EditText" resource-id="com.android.dialer:id/digits" text="{digits}" bounds="[40,80][1040,240]"/>"#
        );
        let key = r##"<node class="android.widget.FrameLayout" resource-id="com.android.dialer:id/pound" clickable="true" bounds="[40,400][1040,600]"><node text="#" class="android.widget.TextView" bounds="[40,400][1040,600]"/></node>"##;
        Elements::read(&format!("<hierarchy>{field}{key}</hierarchy>")).unwrap()
    };
    let key = Gesture::Click { point: Point::new(500, 208).unwrap() };
    assert_eq!(judge_on(&dialer("*#06"), &key).class(), Some(ActClass::Call));
    assert_eq!(judge_on(&dialer("**21*0791234567"), &key).class(), Some(ActClass::Call));
    assert_eq!(judge_on(&dialer("**21*079"), &type_text("1234567#")).class(), Some(ActClass::Call));
    assert_eq!(judge_on(&dialer("079"), &key).name(), "allow");
}

/// Ten keys, each as Android's lock screen tells it, under a text.
fn pad(title: &str, more: &str) -> Elements {
    let key = |digit: i32| {
        let (left, top) = (40 + digit % 3 * 300, 800 + digit / 3 * 200);
        let (right, bottom) = (left + 200, top + 150);
        format!(
            r#"<node class="android.widget.ImageButton" clickable="true" bounds="[{left},{top}][{right},{bottom}]"><node text="{digit}" class="android.widget.TextView" bounds="[{left},{top}][{right},{bottom}]"/></node>"#
        )
    };
    let keys: String = (0..10).map(key).collect();
    let title = format!(
        r#"<node text="{title}" class="android.widget.TextView" bounds="[40,300][1040,400]"/>"#
    );
    Elements::read(&format!("<hierarchy>{title}{more}{keys}</hierarchy>")).unwrap()
}

#[test]
fn what_is_typed_on_a_pad_for_a_code_is_a_password() {
    let typed = |screen: &Elements| judge_on(screen, &submit("86420"));
    let asked = typed(&pad("Enter your PIN", ""));
    assert_eq!((asked.class(), asked.rule), (Some(ActClass::Password), Rule::PasswordField));
    assert_eq!(asked.evidence, "a pad of digits");
    assert_eq!(typed(&pad("Calculator", "")).name(), "allow");
    let field = r#"<node class="android.widget.EditText" text="" hint="Title" focused="true" bounds="[40,420][1040,560]"/>"#;
    assert_eq!(typed(&pad("Enter your PIN", field)).name(), "allow", "it goes into the field");
}

#[test]
fn what_is_typed_at_the_lock_screen_is_a_password_though_it_tells_nothing() {
    let (words, scene) = (UserWords::new([TASK]), Scene::of("com.android.systemui", ""));
    let (typed, history) = (type_text("86420"), GateHistory::default());
    for locked in [true, false] {
        let screen = ScreenFacts { locked, ..ScreenFacts::new(None, &typed, SIZE, false) };
        let verdict = judge(&Policy::default(), &scene.request(&words, &typed, &screen, &history));
        assert_eq!(verdict.class() == Some(ActClass::Password), locked, "{verdict:?}");
    }
}

#[test]
fn what_is_deleted_beside_two_fields_is_of_the_nearer_one() {
    let judged = |left: &str, right: &str| {
        let field = |id: &str, from: u32, to: u32| {
            format!(
                r#"<node class="android.widget.EditText" resource-id="com.android.dialer:id/{id}" text="079" bounds="[{from},80][{to},240]"/>"#
            )
        };
        let key = r#"<node class="android.widget.ImageButton" content-desc="delete" clickable="true" bounds="[960,80][1060,240]"/>"#;
        let (left, right) = (field(left, 20, 400), field(right, 420, 940));
        let screen = Elements::read(&format!("<hierarchy>{left}{right}{key}</hierarchy>")).unwrap();
        let touch = Gesture::Click { point: Point::new(935, 66).unwrap() };
        judge_on(&screen, &touch).name()
    };
    assert_eq!(judged("note", "digits"), "allow");
    assert_eq!(judged("digits", "note"), "confirm");
}
