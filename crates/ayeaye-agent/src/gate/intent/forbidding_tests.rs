//! What forbids in the words of users, and what only looks like it.
use super::*;
use ActClass::{Call, Delete, Publish, Send};

fn wrong(asked: bool, all: &[(&str, ActClass)]) -> Vec<String> {
    let is_wrong = |(text, class): &&(&str, ActClass)| UserWords::new([*text]).asks_for(*class) != asked;
    all.iter().filter(is_wrong).map(|(text, class)| format!("{text} {class:?}")).collect()
}

fn are_asked(all: &[(&str, ActClass)]) {
    let wrong = wrong(true, all);
    assert!(wrong.is_empty(), "asked about needlessly:\n{}", wrong.join("\n"));
}

fn are_forbidden(all: &[(&str, ActClass)]) {
    let wrong = wrong(false, all);
    assert!(wrong.is_empty(), "went through:\n{}", wrong.join("\n"));
}

#[test]
fn polite_hindi_forbids_nothing_and_what_follows_is_asked_for() {
    are_asked(&[
        ("अन्ना को बता दो ना", Send),
        ("अन्ना को संदेश भेज दो ना", Send),
        ("अन्ना को कॉल करो ना", Call),
        ("नोट Bike हटा दो ना", Delete),
        ("बेन को कॉल मत करो लेकिन अन्ना को संदेश भेजो", Send),
        ("अगर बेन फ़ोन नहीं उठाता तो अन्ना को कॉल करो", Call),
        ("لا ترسل رسالة إلى أحمد بل اتصل بمنى", Call),
        ("Jangan kirim pesan ke Ben tapi telepon Anna", Call),
    ]);
    are_forbidden(&[
        ("नोट Bike न हटाओ", Delete),
        ("नोट Bike मत हटाओ", Delete),
        ("नोट Bike हटाना नहीं", Delete),
        ("لا تتصل بأحمد", Call),
        ("Jangan telepon Anna", Call),
    ]);
}

#[test]
fn what_is_found_in_order_to_send_it_is_asked_for() {
    are_asked(&[
        ("看看今天的新闻发给安娜", Send),
        ("找到猫的照片发给安娜", Send),
        ("打开相册，找到最新的照片发给安娜", Send),
        ("查看明天的天气后告诉安娜", Send),
        ("总结这篇文章的内容发给李伟", Send),
        ("Cherche la photo pour l'envoyer à Anna", Send),
        ("Trouve le numéro d'Anna pour l'appeler", Call),
    ]);
}
