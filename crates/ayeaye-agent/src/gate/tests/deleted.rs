//! What is deleted is what was named, whatever else stands on the screen or was touched before.
use super::*;
use crate::Elements;

const NOTES: &str = "com.example.notes";
const BIKE: &str = "Delete the note \"Bike\" in Notes.";

/// A screen of nested elements: a list of rows, each with what it has besides, and what lies over them.
fn screen(rows: &[(&str, &str)], over: &str) -> Elements {
    let row = |(at, (name, flags)): (usize, &(&str, &str))| {
        let (top, end) = (300 + at * 200, 480 + at * 200);
        format!(
            r#"<node class="android.widget.LinearLayout" clickable="true" long-clickable="true" {flags} bounds="[40,{top}][1040,{end}]">
            <node text="{name}" class="android.widget.TextView" bounds="[80,{top}][1000,{end}]"/></node>"#
        )
    };
    let rows: String = rows.iter().enumerate().map(row).collect();
    let xml = format!(
        r#"<hierarchy><node class="android.widget.FrameLayout" bounds="[0,0][1080,2400]">
        <node class="x.List" bounds="[0,284][1080,2274]">{rows}</node>{over}</node></hierarchy>"#
    );
    Elements::read(&xml.replace("<node ", &format!(r#"<node package="{NOTES}" "#))).unwrap()
}

/// A dialog over a screen, or a sheet or a dialog of a page, which say the same.
fn dialog(texts: &[&str]) -> String {
    let text = |(at, text): (usize, &&str)| {
        let top = 1000 + at * 100;
        format!(
            r#"<node text="{text}" class="android.widget.TextView" bounds="[150,{top}][930,{}]"/>"#,
            top + 90
        )
    };
    let texts: String = texts.iter().enumerate().map(text).collect();
    format!(
        r#"<node class="android.view.View" bounds="[100,950][980,1500]">{texts}
        <node text="Cancel" class="android.widget.Button" clickable="true" bounds="[150,1360][500,1480]"/>
        <node text="Delete" class="android.widget.Button" clickable="true" bounds="[600,1360][930,1480]"/></node>"#
    )
}

/// The bar at the top while rows are selected.
fn bar(title: &str) -> String {
    format!(
        r#"<node class="android.widget.LinearLayout" bounds="[0,100][1080,280]">
        <node text="{title}" class="android.widget.TextView" bounds="[150,120][700,260]"/>
        <node content-desc="Delete" class="android.widget.ImageButton" clickable="true" bounds="[900,120][1040,260]"/></node>"#
    )
}

fn in_dialog() -> Gesture {
    Gesture::Click { point: Point::new(708, 592).unwrap() }
}

fn in_bar() -> Gesture {
    Gesture::Click { point: Point::new(898, 79).unwrap() }
}

fn judged(task: &str, elements: &Elements, gesture: &Gesture, path: &[&str]) -> Verdict {
    let path: Vec<String> = path.iter().map(|it| (*it).to_owned()).collect();
    let history = GateHistory { touched: path.clone(), path, ..GateHistory::default() };
    let (words, scene) = (UserWords::new([task]), Scene::of(NOTES, ""));
    let screen = ScreenFacts::new(Some(elements), gesture, SIZE, false);
    let request =
        GateRequest { label: "Notes", ..scene.request(&words, gesture, &screen, &history) };
    judge(&Policy::default(), &request)
}

const ROWS: [(&str, &str); 3] = [("Shopping list", ""), ("Books to read", ""), ("Bike", "")];
const ASKS: [&str; 2] = ["Delete note?", "The note will be gone for good."];

#[test]
fn a_dialog_deletes_what_was_held_last() {
    for rows in [&ROWS[..], &[]] {
        let dialog = screen(rows, &dialog(&ASKS));
        let after = |path: &[&str]| judged(BIKE, &dialog, &in_dialog(), path);
        for path in [
            &["Bike, Front tyre loses air."][..],
            &["Bike", "Delete"],
            &["Books to read", "Cancel", "Bike", "More options", "Delete note"],
        ] {
            assert_eq!(after(path).rule, Rule::AskedFor, "{path:?}");
        }
        for path in [
            &["Books to read"][..],
            &["Bike", "Books to read"],
            &["Bike", "Cancel", "Books to read"],
            &["Bike", "Delete", "Cancel"],
            &["Bike", ""],
            &[],
        ] {
            assert_eq!(after(path).name(), "confirm", "{path:?}");
        }
    }
}

#[test]
fn a_dialog_that_says_what_it_deletes_is_believed() {
    let said = |text: &str, path: &[&str]| {
        judged(BIKE, &screen(&ROWS, &dialog(&[text])), &in_dialog(), path).name()
    };
    assert_eq!(said("Delete “Bike”?", &["row 3"]), "allow");
    assert_eq!(said("Delete “Bike”?", &[]), "allow");
    assert_eq!(said("Delete “Books to read”?", &["Books to read"]), "confirm");
    assert_eq!(said("Delete “Books to read”?", &["Bike"]), "confirm", "the list has moved");
}

#[test]
fn a_bar_deletes_what_is_selected() {
    let held = [("Books to read", r#"selected="true""#), ("Bike", "")];
    let meant = [("Books to read", ""), ("Bike", r#"selected="true""#)];
    let both = held.map(|(name, _)| (name, r#"checkable="true" checked="true""#));
    let after = |rows: &[(&str, &str)], title: &str, path: &[&str]| {
        judged(BIKE, &screen(rows, &bar(title)), &in_bar(), path).name()
    };
    assert_eq!(after(&meant, "1 selected", &["Bike"]), "allow");
    assert_eq!(after(&held, "1 selected", &["Books to read"]), "confirm");
    assert_eq!(after(&held, "1 selected", &["Bike"]), "confirm", "what is selected counts");
    assert_eq!(after(&both, "2 selected", &["Books to read", "Bike"]), "confirm");
    assert_eq!(after(&meant, "2 selected", &["Bike"]), "confirm", "another one is out of sight");
    // Of rows that do not say whether they are selected.
    assert_eq!(after(&ROWS, "1 selected", &["Bike"]), "allow");
    assert_eq!(after(&ROWS, "2 selected", &["Books to read", "Bike"]), "confirm");
    assert_eq!(after(&ROWS, "1 selected", &["Books to read"]), "confirm");
    let two = "Delete the notes \"Bike\" and \"Shopping list\"";
    let of_two =
        |path: &[&str]| judged(two, &screen(&ROWS, &bar("2 selected")), &in_bar(), path).name();
    assert_eq!(of_two(&["Bike", "Shopping list"]), "allow");
    assert_eq!(of_two(&["Bike", "Books to read"]), "confirm");
    assert_eq!(of_two(&["Bike"]), "confirm");
}

#[test]
fn all_things_need_no_name() {
    let dialog = screen(&ROWS, &dialog(&ASKS));
    let verdict = judged("Delete all notes", &dialog, &in_dialog(), &["Books to read"]);
    assert_eq!(verdict.rule, Rule::AskedFor);
}

/// Whatever restricts "all" may mean another thing than the one in question, and nobody knows which it does.
#[test]
fn all_things_of_some_sort_are_not_all_things() {
    let dialog = screen(&ROWS, &dialog(&ASKS));
    for task in [
        "delete all notes about berlin",
        "Delete all notes about Berlin",
        "Delete all notes about Exam",
        "Delete all my empty notes",
        "Delete all notes called Draft",
        "Delete every note that is older than a year",
        "lösche alle alten notizen",
        "删除所有关于柏林的备忘录",
    ] {
        let after = |path: &[&str]| judged(task, &dialog, &in_dialog(), path).name();
        assert_eq!(after(&["Books to read"]), "confirm", "{task}");
    }
    // Of some sort is what their words tell from others.
    let bike = "Delete all old notes about my bike";
    let after = |path: &[&str]| judged(bike, &dialog, &in_dialog(), path).name();
    assert_eq!((after(&["Bike"]), after(&["Books to read"])), ("allow", "confirm"));
}

/// One thing of those that are meant was touched, and the dialog is about all there are.
#[test]
fn a_dialog_about_all_deletes_more_than_what_was_touched() {
    for asks in ["Delete all notes?", "Delete all 3 notes?"] {
        let dialog = screen(&ROWS, &dialog(&[asks]));
        let after = |task: &str| judged(task, &dialog, &in_dialog(), &["Bike"]).name();
        assert_eq!(after(BIKE), "confirm", "{asks}");
        assert_eq!(after("delete all notes about the bike"), "confirm", "{asks}");
        assert_eq!(after("Delete all notes"), "allow", "{asks}");
    }
}

#[test]
fn the_question_tells_what_was_touched() {
    let dialog = screen(&ROWS, &dialog(&ASKS));
    let verdict =
        judged(BIKE, &dialog, &in_dialog(), &["Bike", "Cancel", "Books to read", "Delete"]);
    let GateDecision::Confirm(ask) = verdict.decision else { panic!("{verdict:?}") };
    let text = ask.text(|it| it.replace("Books", "[title]"));
    assert!(text.ends_with(". Touched before: \"[title] to read\". May it?"), "{text}");
}

#[test]
fn a_name_of_several_words_is_meant_as_a_whole() {
    let dialog = screen(&[], &dialog(&["Delete this conversation?"]));
    for (task, held, wanted) in [
        ("Delete the conversation with Anna Berg in Messages", "A, Anna Bauer, 9:12", "confirm"),
        ("Delete the conversation with Anna Berg in Messages", "A, Anna Berg, 9:12", "allow"),
        ("Delete the chat with \"Anna Bauer\" in Messages", "A, Anna Berg, 9:12", "confirm"),
        ("Delete the chat with \"Anna Bauer\" in Messages", "A, Anna Bauer, 9:12", "allow"),
        ("Delete the conversation with Emma Berg", "E, Emma Lindqvist, Sun", "confirm"),
        ("Delete the note \"Ask Ben about the pump\"", "Bike, Ben has the pump", "confirm"),
        ("Delete the note \"Ask Ben about the pump\"", "Ask Ben about the pump", "allow"),
        ("Delete the conversation with Anna", "A, Anna Berg, 9:12", "allow"),
    ] {
        assert_eq!(judged(task, &dialog, &in_dialog(), &[held]).name(), wanted, "{task}: {held}");
    }
    // The same where a row has its own button, and by the button's own words.
    let button = |name: &str| {
        let xml = format!(
            r#"<node content-desc="Delete conversation with {name}" class="android.widget.ImageButton" clickable="true" bounds="[600,1360][930,1480]"/>"#
        );
        judged("Delete the chat with Anna Berg", &screen(&[], &xml), &in_dialog(), &[]).name()
    };
    assert_eq!((button("Anna Bauer"), button("Anna Berg")), ("confirm", "allow"));
}
