use proptest::prelude::*;

use super::*;

const SCREEN: &str = r#"<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><hierarchy rotation="0">
    <node index="0" text="" class="android.widget.FrameLayout" clickable="false" password="false" bounds="[0,0][1080,2400]">
      <node index="0" text="Name" class="android.widget.EditText" clickable="true" password="false" bounds="[40,300][1040,440]" />
      <node index="1" text="" content-desc="Password" class="android.widget.EditText" clickable="true" password="true" bounds="[40,500][1040,640]" />
    </node></hierarchy>"#;

fn name_at(dump: &str, x: u32, y: u32) -> String {
    let elements = Elements::read(dump).unwrap();
    elements.target_at(Pixel { x, y }).unwrap().name
}

#[test]
fn the_control_under_a_place_is_meant() {
    let elements = Elements::read(SCREEN).unwrap();
    let at = |x, y| {
        let place = Pixel { x, y };
        let target = elements.target_at(place)?;
        Some((target.name, elements.is_secret_at(place)))
    };
    assert_eq!(at(500, 350), Some(("Name".to_owned(), false)));
    assert_eq!(at(500, 600), Some(("Password".to_owned(), true)));
    assert_eq!(at(1040, 350), Some((String::new(), false)));
    assert_eq!(at(2000, 350), None);
    let target = elements.target_at(Pixel { x: 500, y: 600 }).unwrap();
    assert_eq!((target.id.as_str(), target.rect), ("2", [40, 500, 1040, 640]));
}

const ROWS: &str = r#"<hierarchy rotation="0">
    <node text="" class="android.widget.FrameLayout" clickable="true" bounds="[0,0][1080,2400]">
      <node text="Chats" class="android.widget.TextView" clickable="false" bounds="[40,100][400,180]" />
      <node text="" class="android.widget.LinearLayout" clickable="true" bounds="[0,300][1080,480]">
        <node text="Mallory" class="android.widget.TextView" clickable="false" bounds="[200,310][900,380]" />
        <node text="See you soon" class="android.widget.TextView" clickable="false" bounds="[200,390][900,460]" />
        <node text="" content-desc="Pin" class="android.widget.ImageView" clickable="true" bounds="[980,340][1060,440]">
          <node text="3" class="android.widget.TextView" clickable="false" bounds="[1000,350][1040,380]" />
        </node>
      </node>
    </node></hierarchy>"#;

#[test]
fn a_tap_on_a_row_is_for_the_row_and_not_for_the_text_under_the_finger() {
    assert_eq!(name_at(ROWS, 500, 420), "Mallory, See you soon");
    assert_eq!(name_at(ROWS, 500, 340), "Mallory, See you soon");
    assert_eq!(name_at(ROWS, 1020, 360), "Pin", "the control inside the row");
    assert_eq!(name_at(ROWS, 100, 140), "Chats", "what is all over the screen is a backdrop");
    let elements = Elements::read(ROWS).unwrap();
    let row = elements.at(Pixel { x: 500, y: 420 }).unwrap();
    assert_eq!((row.index, row.bounds), (2, [0, 300, 1080, 480]));
}

#[test]
fn a_password_field_is_named_without_what_is_in_it() {
    let field = |more: &str| {
        format!(
            r#"<hierarchy><node text="hunter2" {more} class="android.widget.EditText"
            clickable="true" password="true" bounds="[0,0][10,10]"/></hierarchy>"#
        )
    };
    let id = r#"resource-id="com.example.bank:id/login_password""#;
    assert_eq!(name_at(&field(&format!(r#"hint="Password" {id}"#)), 5, 5), "Password");
    assert_eq!(name_at(&field(id), 5, 5), "login_password");
    assert_eq!(name_at(&field(r#"content-desc="Secret""#), 5, 5), "Secret");
    assert_eq!(name_at(&field(""), 5, 5), "");
}

#[test]
fn what_is_no_dump_has_no_elements() {
    assert_eq!(Elements::read(""), None);
    assert_eq!(Elements::read("ERROR: could not get idle state."), None);
    let bomb = r#"<!DOCTYPE a [<!ENTITY b "bb">]><hierarchy>&b;</hierarchy>"#;
    assert_eq!(Elements::read(bomb), None);
    let odd = r#"<hierarchy><node bounds="[1,2][x,4]"/><node bounds="[-5,0][9,9]"/></hierarchy>"#;
    assert_eq!(Elements::read(odd).unwrap().iter().count(), 1);
    let lost = r#"<hierarchy><node bounds="?" clickable="true"><node text="in" bounds="[0,0][9,9]"/></node></hierarchy>"#;
    assert_eq!(name_at(lost, 5, 5), "in");
}

#[test]
fn a_label_inside_a_password_field_does_not_hide_that_it_is_one() {
    let label = r#"<hierarchy><node text="" class="android.widget.EditText" clickable="true" password="true"
        bounds="[0,0][1000,200]"><node text="Password" class="android.view.View" clickable="true"
        bounds="[10,10][300,100]"/></node></hierarchy>"#;
    let elements = Elements::read(label).unwrap();
    assert!(elements.is_secret_at(Pixel { x: 50, y: 50 }));
    assert!(!elements.is_secret_at(Pixel { x: 50, y: 250 }));
}

#[test]
fn what_a_password_field_shows_is_left_out() {
    let shown = SCREEN
        .replace(r#"text="" content-desc="Password""#, r#"text="hunter2" content-desc="Password""#);
    assert!(shown.contains("hunter2"));
    let clean = without_hidden(&shown, |_| Vec::new());
    assert_eq!(clean, SCREEN);
}

proptest! {
    #[test]
    fn any_text_is_read_without_fear(text in "\\PC{0,200}", inner in "[<>/a-z\"= \\[\\],0-9]{0,200}") {
        Elements::read(&text);
        let elements = Elements::read(&format!("<hierarchy>{inner}</hierarchy>"));
        elements.map(|elements| elements.target_at(Pixel { x: 1, y: 1 }));
    }
}
