use ActClass::{Call, Delete, Grant, Install, Order, Pay, Publish, Send, Transfer};

use super::*;

fn class(name: &str) -> Option<ActClass> {
    commands(&normalized(name), NameOf::Other, false).first().map(|phrase| phrase.of)
}

#[test]
fn no_phrase_of_the_tables_is_empty_or_hidden_by_another() {
    let lost: Vec<_> = CONTROLS
        .iter()
        .filter(|phrase| phrase.size == 0 || class(phrase.written).is_none())
        .map(|phrase| phrase.written)
        .collect();
    assert!(lost.is_empty(), "{lost:?}");
    let languages = |class| {
        let mut all: Vec<_> =
            CONTROLS.iter().filter(|it| it.of == class).map(|it| it.language).collect();
        all.dedup();
        all.sort_unstable();
        all.dedup();
        all.len()
    };
    for class in [Pay, Order, Transfer, Delete, Install, Grant, Call, Publish, Send] {
        assert!(18 <= languages(class), "{class}: {}", languages(class));
    }
}

#[test]
fn buttons_say_what_they_do() {
    for (name, expected) in [
        ("Pay €49.95", Some(ActClass::Pay)),
        ("Jetzt kaufen", Some(ActClass::Order)),
        ("Zahlungspflichtig bestellen", Some(ActClass::Order)),
        ("确认支付", Some(ActClass::Pay)),
        ("立即购买", Some(ActClass::Order)),
        ("Удалить всё", Some(ActClass::Delete)),
        ("Send SMS", Some(ActClass::Send)),
        ("送信", Some(ActClass::Send)),
        ("While using the app", Some(ActClass::Grant)),
        ("Order history", None),
        ("Sort order", None),
        ("Call log", None),
        ("支付宝", None),
        ("已安装", None),
        ("Don't allow", None),
        ("Settings", None),
        ("Save", None),
        ("Add to cart", None),
        ("Please call me when you have time, we must talk about the order", None),
    ] {
        assert_eq!(class(name), expected, "{name}");
    }
}

#[test]
fn declining_is_the_whole_name() {
    assert!(declines(&normalized("Don’t allow")));
    assert!(declines(&normalized("Abbrechen")));
    assert!(!declines(&normalized("Pay now, cancel any time")));
}
