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
