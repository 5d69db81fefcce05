//! What forbids in the words of users, and what only looks like it.
use super::*;
use ActClass::{Call, Delete, Publish, Send};

fn wrong(asked: bool, all: &[(&str, ActClass)]) -> Vec<String> {
    let is_wrong =
        |(text, class): &&(&str, ActClass)| UserWords::new([*text]).asks_for(*class) != asked;
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
fn names_forbid_nothing() {
    are_asked(&[
        ("Call Inga", Call),
        ("Ruf Inga an", Call),
        ("Text Nic I am late", Send),
        ("Call Nic", Call),
        ("Text Nada that I am late", Send),
        ("Call Soha", Call),
        ("Call Nie Wei", Call),
        ("Text Nie Wei hello", Send),
        ("Find Ani and call her", Call),
        ("Open the chat with Nor and write hello", Send),
    ]);
    are_forbidden(&[
        ("Do NOT call Inga", Call),
        ("Ring inga", Call),
        ("Call Anna. Nada de llamar", Call),
        ("Otwórz notatkę. Nic nie usuń", Delete),
        ("Öffne die Notiz. Nie löschen", Delete),
    ]);
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

#[test]
fn what_is_told_to_somebody_forbids_nothing() {
    are_asked(&[
        ("Reply \"no\" to Anna", Send),
        ("Reply \"nothing\" to Anna", Send),
        ("Responde \"de nada\" a Ana", Send),
        ("Antworte Ben mit \"nicht heute\"", Send),
        ("Tell Ben nothing happened", Send),
        ("Reply no to Anna", Send),
        ("Schreib Ben das Treffen findet nicht statt", Send),
        ("Schreib Ben das geht nicht", Send),
        ("Dis à Anna de ne pas m'attendre", Send),
        ("Réponds à Ben pas de souci", Send),
        ("Responde a Ana no pasa nada", Send),
        ("Напиши Ане ничего страшного", Send),
        ("Stuur Anna het gaat niet door", Send),
        ("अन्ना को मैसेज भेजो आज नहीं आ पाऊंगा", Send),
    ]);
    are_forbidden(&[
        ("Schick Anna nichts", Send),
        ("Schick Anna bitte nichts", Send),
        ("Schick Anna heute noch nichts", Send),
        ("Schick Anna auf keinen Fall etwas", Send),
        ("Schick Anna die Nachricht nicht ab", Send),
        ("Schick Anna das Foto noch nicht", Send),
        ("Sende die Nachricht an Anna bitte nicht", Send),
        ("Schick die Nachricht noch nicht ab", Send),
        ("Schreib Anna nicht", Send),
        ("Stuur Anna het niet", Send),
        ("Send Anna Berg nothing", Send),
        ("Tell Ben nothing about it", Send),
        ("Tell Ben nothing yet", Send),
        ("Send no message to Anna", Send),
        ("Reply \"hello\" to nobody", Send),
        ("अन्ना को संदेश भेजना नहीं", Send),
        ("अन्ना को जवाब अभी मत देना", Send),
    ]);
}

#[test]
fn what_only_tells_which_or_when_forbids_nothing() {
    are_asked(&[
        ("Delete all mails nobody has read", Delete),
        ("Lösche alle nicht benötigten Fotos", Delete),
        ("Lösche die nicht mehr benötigte Notiz Bike", Delete),
        ("Supprime les photos qui ne servent pas", Delete),
        ("Verwijder alle foto's die ik niet nodig heb", Delete),
        ("Radera bilder som inte behövs", Delete),
        ("Usuń notatkę której nie potrzebuję", Delete),
        ("Удали заметку Bike она мне больше не нужна", Delete),
        ("Appelle Anna si Ben ne répond pas", Call),
        ("Ruf Anna an falls Ben nicht rangeht", Call),
        ("メモを削除して他のメモは触らないで", Delete),
        ("메모를 삭제해 줘 다른 건 건드리지 마", Delete),
        ("사진을 올려 줘 위치 없이", Publish),
        ("不用确认直接删除", Delete),
    ]);
    are_forbidden(&[
        ("Lösche die nicht alten Fotos bitte nicht", Delete),
        ("Lösche sie nicht heute Abend", Delete),
        ("Lösche nicht alle Fotos", Delete),
        ("Lösche die Notiz wenn möglich nicht", Delete),
        ("Lösche Bike und Car nicht", Delete),
        ("Supprime si possible rien", Delete),
        ("Verwijder die niet", Delete),
        ("удалить не нужно", Delete),
        ("Call nobody today", Call),
        ("メモを削除してはいけません", Delete),
        ("メモを削除してほしくない", Delete),
        ("메모를 삭제해 주지 마", Delete),
        ("不要直接删除", Delete),
        ("不用直接删除", Delete),
        ("不要确认也不要直接删除", Delete),
    ]);
}

#[test]
fn what_is_only_to_be_written_is_not_sent() {
    are_forbidden(&[
        ("Schreib Anna, dass ich komme, aber schick es nicht ab", Send),
        ("Schreib Anna: hallo, aber schick es nicht ab", Send),
        ("Schreib Anna: hallo. Nicht abschicken!", Send),
        ("Écris à Anna que j'arrive, mais ne l'envoie pas", Send),
        ("Scrivi ad Anna che arrivo, ma non inviare", Send),
        ("Schrijf Anna dat ik kom, maar verstuur het niet", Send),
        ("给安娜写信：我晚点到，但先不要发送", Send),
        ("Напиши Ане сообщение, но не отправляй", Send),
        ("Напиши Ане, что я опаздываю, но не отправляй", Send),
        ("Napisz wiadomość do Anny, ale jej nie wysyłaj", Send),
        ("Escribe a Ana un mensaje, pero no lo envíes", Send),
        ("Escribe a Ana que llego tarde, pero no lo envíes", Send),
        ("Schreib Anna eine Nachricht. Nicht abschicken!", Send),
        ("Schreib Anna eine Nachricht ohne sie abzuschicken", Send),
        ("Schreib Anna eine Nachricht, ohne sie zu versenden", Send),
        ("Tell Anna that I am late but do not send it", Send),
    ]);
    are_asked(&[
        ("Schreib Anna, dass ich ihr das Foto nicht schicken kann", Send),
        ("Schreib Anna: Ich kann dir nichts schicken", Send),
        ("Schreib Anna: bitte nichts schicken", Send),
        ("Écris à Anna que je ne peux pas envoyer la photo", Send),
        ("Напиши Ане, что я не отправляю письмо", Send),
        ("Escribe a Ana que no puedo enviarlo hoy", Send),
        ("告诉安娜：我不能发送照片", Send),
    ]);
}
