use serde_json::{Value, json};

use super::*;

fn facts(function: &str, arguments: Value) -> ActionRecord {
    let Value::Object(arguments) = arguments else { panic!("not an object") };
    ActionRecord { function: function.to_owned(), arguments }
}

fn described(function: &str, arguments: Value) -> String {
    let ActionText { verb, object, how } = describe_action(&facts(function, arguments), 20);
    format!("{verb}|{object}|{how}").replace('\u{a0}', " ")
}

#[test]
fn actions_are_told_in_words() {
    assert_eq!(described("CLICK", json!({ "point": [573, 279] })), "Tap||at 57.3 %, 27.9 %");
    assert_eq!(
        described("TYPE", json!({ "value": "hi", "clear": true, "submit": true })),
        "Type|hi|in place of what was there, then enter"
    );
    assert_eq!(described("HOT_KEY", json!({ "key": "BACK" })), "Press|BACK|");
    assert_eq!(described("WAIT", json!({ "seconds": 1.5 })), "Wait||1.5 s");
    assert_eq!(
        described("SLIDE", json!({ "point1": [1, 2], "point2": [3, 4], "duration_ms": 300 })),
        "Slide||from 0.1 %, 0.2 % to 0.3 %, 0.4 % in 300 ms"
    );
    assert_eq!(described("SCROLL", json!({ "direction": "down" })), "Scroll||down");
    assert_eq!(described("PINCH", json!({ "by": 2 })), "PINCH|2|");
}

#[test]
fn times_and_money_are_short() {
    let plain = |ms| millis(ms).replace('\u{a0}', " ");
    assert_eq!(plain(0.4), "< 1 ms");
    assert_eq!(plain(812.0), "812 ms");
    assert_eq!(plain(999.7), "1.0 s");
    assert_eq!(plain(59_940.0), "59.9 s");
    assert_eq!(plain(59_960.0), "1 min 0 s");
    assert_eq!(plain(61_000.0), "1 min 1 s");
    assert_eq!(plain(3_599_800.0), "1 h 0 min");
    assert_eq!(plain(7_260_000.0), "2 h 1 min");
    assert_eq!(plain(f64::NAN), "0 ms");
    assert_eq!(money(0.0, false), "price not known");
    assert_eq!(money(0.0, true), "$0");
    assert_eq!(money(0.001, true), "$0.00100");
    assert_eq!(money(0.25, false), "at least $0.2500");
    assert_eq!(grouped(1_234_567), "1\u{202f}234\u{202f}567");
}

#[test]
fn every_stop_reason_has_its_words() {
    let mut labels: Vec<_> =
        StopReason::ALL.iter().map(|reason| stop_label(Some(reason.name())).word).collect();
    labels.push(stop_label(None).word);
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), StopReason::ALL.len() + 1);
}
