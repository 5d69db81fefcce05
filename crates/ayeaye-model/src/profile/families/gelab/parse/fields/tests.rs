use super::*;

fn fields(text: &str) -> Vec<(Key, String)> {
    split(text).unwrap().0
}

fn value(text: &str) -> String {
    split(text).unwrap().last(Key::Value).unwrap().to_owned()
}

#[test]
fn tabs_lines_and_blanks_separate() {
    let same = [
        "explain:a\taction:CLICK\tpoint:1,2\tsummary:b",
        "explain:a\naction:CLICK\npoint:1,2\nsummary:b",
        "explain:a   action:CLICK   point:1,2   summary:b",
        "explain：a\taction：CLICK\t point：1,2\t\tsummary：b",
        "explain:a\\taction:CLICK\\tpoint:1,2\\tsummary:b",
        "Sure!\n- **explain**: a\n- **action**: CLICK\n- **point**: 1,2\n- **summary:** b",
        "explain:a\naction:CLICK\tpoint:1,2\nsummary:b",
    ];
    for text in same {
        let expected =
            [(Key::Explain, "a"), (Key::Action, "CLICK"), (Key::Point, "1,2"), (Key::Summary, "b")];
        assert_eq!(fields(text), expected.map(|(k, v)| (k, v.to_owned())), "{text:?}");
    }
}

#[test]
fn a_value_is_kept_as_it_was_written() {
    for text in [
        "see: here",
        "line one\nline two",
        "action: buy milk",
        "todo\naction: buy milk\nsummary: none\nnote: x",
        "tab\tbed",
        "a  point: b",
        "C:\\temp\\new",
    ] {
        let reply = format!("explain:e\taction:TYPE\tvalue:{text}\tsummary:s");
        assert_eq!(value(&reply), text);
    }
    assert_eq!(value("action:TYPE\tvalue:hello\nsummary:s"), "hello");
    assert_eq!(value("action:TYPE\nvalue:one\ntwo\nsummary:s"), "one\ntwo");
}

#[test]
fn two_different_actions_are_refused() {
    assert!(split("explain:x\naction:CLICK\npoint:1,2\tsummary:x\taction:COMPLETE").is_err());
    assert!(split("action:TYPE\tvalue:a\naction:CLICK it\tsummary:s").is_ok());
}

#[test]
fn an_unusual_key_is_text_but_behind_a_tab() {
    assert_eq!(fields("action:BACK foo:bar"), [(Key::Action, "BACK foo:bar".to_owned())]);
    assert_eq!(value("action:TYPE\tvalue:a\n\tb: 1"), "a\n\tb: 1");
    assert_eq!(value("action:TYPE\tvalue:a\tftp://b"), "a\tftp://b");
    assert_eq!(value("action:TYPE\tvalue:Anna\ttel:+49170"), "Anna\ttel:+49170");
    let both = [(Key::Action, "BACK".to_owned()), (Key::Unknown, "bar".to_owned())];
    assert_eq!(fields("action:BACK\tfoo:bar"), both);
    assert_eq!(fields("explain:a\taction : BACK"), [(Key::Explain, "a\taction : BACK".to_owned())]);
}

#[test]
fn fields_beside_the_action() {
    assert_eq!(inline("point:1,2"), [(Key::Point, "1,2".to_owned())]);
    let both = [(Key::Point1, "1,2".to_owned()), (Key::Point2, "3,4".to_owned())];
    assert_eq!(inline(" point1:1,2 point2:3,4"), both);
    assert_eq!(inline("value:a point:b"), [(Key::Value, "a point:b".to_owned())]);
    assert_eq!(inline("the button point:1,2"), []);
}
