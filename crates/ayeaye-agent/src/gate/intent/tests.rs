//! What the words of users ask for, by themselves.
use super::*;
use ActClass::{Call, Delete, Send};

fn said(text: &str) -> UserWords {
    UserWords::new([text])
}

#[test]
fn the_words_ask_for_acts_in_many_languages() {
    for (text, class) in [
        ("Text Ben Carter see you at 10:30", Send),
        ("Tell Mum that dinner is at 8", Send),
        ("给李伟发消息说明天见", Send),
        ("Schick Anna eine Nachricht", Send),
        ("Envoie un message à Anna", Send),
        ("Напиши Ане, что я опаздываю", Send),
        ("アンナに遅れると伝えて", Send),
        ("안나에게 늦는다고 메시지 보내 줘", Send),
        ("Delete the note Shopping", Delete),
        ("Lösche die Notiz Einkauf", Delete),
        ("删除购物备忘录", Delete),
        ("Usuń notatkę", Delete),
        ("Ruf Anna an", Call),
        ("打电话给妈妈", Call),
        ("Don't forget to call Anna", Call),
    ] {
        assert!(said(text).asks_for(class), "{text}");
    }
    for (text, class) in [
        ("Read me the newest note", Send),
        ("Read me the newest note", Delete),
        ("Read me the last message of Anna", Send),
        ("How many unread messages are there in the Chat app?", Send),
        ("Save a note with the text \"Leave\"", Send),
        ("Play the video of the goal", Delete),
        ("读一下最新的消息", Send),
        ("Write the message but do not send it", Send),
        ("Tell Anna in WhatsApp that I am late; do not call", Call),
        ("Switch Wi-Fi off.", Delete),
        ("不要打电话", Call),
        ("", Send),
    ] {
        assert!(!said(text).asks_for(class), "{text}");
    }
}

#[test]
fn what_is_quoted_asks_for_nothing_and_forbids_nothing() {
    assert!(said("Tell Anna: \"Never mind (I cannot ask)\"").asks_for(Send));
    assert!(said("Schreib Anna „Ich kann nicht anrufen, frag mich nicht“").asks_for(Send));
    assert!(said("告诉安娜「不要发消息给我」").asks_for(Send));
    assert!(!said("Write a note: \"delete everything and call Ben\"").asks_for(Delete));
    assert!(!said("Write a note: \"delete everything and call Ben\"").asks_for(Call));
    assert!(!said("Write \"I am late\" to Anna but do not send it").asks_for(Send));
    assert!(said("Tap \"Delete\" in the note").asks_for(Delete), "the label of a button");
    assert!(said("Text Anna that the screen is 5\" wide").asks_for(Send), "not a quote");
}

#[test]
fn what_is_said_to_somebody_asks_for_nothing_and_forbids_nothing() {
    for text in [
        "Send Anna: I cannot ask",
        "Tell Anna: do not call me",
        "Text Mum that I will not write again today",
        "Schreib Anna: Ich kann nicht schicken, was du willst",
        "Напиши Ане, что я не спрошу",
        "Text Ben: at 10:30 I cannot answer",
    ] {
        assert!(said(text).asks_for(Send), "{text}");
    }
    assert!(!said("Send Anna: delete everything").asks_for(Delete));
    assert!(!said("Save a note: call Ben").asks_for(Call));
    assert!(!said("Write Anna: hello, but do not send it").asks_for(Send));
    assert!(!said("Send Anna: hello. Do not send it yet").asks_for(Send));
    assert!(said("Text Anna that I am late and call Ben").asks_for(Call));
}

#[test]
fn hosts_are_named_by_their_owners() {
    for (text, host, named) in [
        ("Look it up on wikipedia", "en.wikipedia.org", true),
        ("Search Best Buy for a tv", "www.bestbuy.com", true),
        ("Read bbc news", "bbc.co.uk", true),
        ("Open https://example.com/a", "example.com", true),
        ("Open example.com.", "www.example.com", true),
        ("What is the weather today?", "weather.evil.example", false),
        ("What is the weather today?", "weather-now.evil.example", false),
        ("Open bank.org", "xn--bnk-6cd.org", false),
        ("Open müller.de", "www.xn--mller-kva.de", true),
        ("Open example.com", "ample.com", false),
        ("Open example.com", "example.com.evil.net", false),
        ("Read me the newest note", "newest.com", false),
        ("What is the weather today?", "weather.tk", false),
        ("What is the weather today?", "weather.zip", false),
        ("Open weather.tk", "weather.tk", true),
        ("Look at bbc news", "bbc.co.uk", true),
    ] {
        assert_eq!(said(text).name_host(host), named, "{text} {host}");
    }
}

#[test]
fn people_are_named_by_their_names_and_by_nothing_else() {
    assert!(said("Text Ben Carter see you").name("Ben Carter"));
    assert!(said("Tell Anna I am late").name("Anna Berg"));
    assert!(said("给李伟发消息").name("李伟"));
    assert!(!said("Send the newest message to all").name("All contacts"));
    assert!(!said("Tell Anna I am late").name("Mallory"));
    assert!(!said("Tell Anna I am late").name(""));
    assert!(!said("").name("Mallory"));
}

/// What was said first may forbid what was said last.
#[test]
fn of_more_words_than_are_read_none_ask_for_an_act() {
    let long = "I have told you about my day. ".repeat(290);
    for first in ["Ask me before you delete anything.", "Never delete the note Shopping list."] {
        let one = format!("{first} {long} Delete the note Shopping list");
        assert!(!said(&one).asks_for(Delete), "{first}");
        let several = UserWords::new([first, &long, &long, "Delete the note Shopping list"]);
        assert!(several.are_cut);
        assert!(!several.asks_for(Delete) && !several.ask_by(&["delete".to_owned()]), "{first}");
    }
    let plain = format!("{long} Delete the note Shopping list");
    assert!(said(&plain).asks_for(Delete));
}

/// Exceptions are kept as far as requests are.
#[test]
fn an_exception_is_kept_in_a_long_text() {
    let long = "I have told you about my day. ".repeat(290);
    let text = format!("Delete all notes but Shopping. {long} Now delete them");
    assert!(said(&text).spare(["Shopping"]));
}

#[test]
fn a_text_full_of_requests_asks_for_nothing() {
    assert!(said(&"Send Anna a kiss. ".repeat(20)).asks_for(Send));
    for text in ["Send Anna a kiss. ", "delete "] {
        let pasted = said(&text.repeat(1500));
        assert!(!pasted.asks_for(Send) && !pasted.asks_for(Delete), "{text}");
    }
}
