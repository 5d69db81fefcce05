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

#[test]
fn a_list_of_what_is_forbidden_forbids_all_of_it() {
    are_forbidden(&[
        ("Open Anna's contact. Do not write, text or call her.", Call),
        ("Open Anna's contact. Do not write to her, text her or call her.", Send),
        ("Open the note. Never share it, send it to anybody or ever delete it", Delete),
        ("Nicht löschen, schicken oder anrufen", Call),
        ("Nicht löschen, schicken oder anrufen", Send),
        ("Öffne Anna. Weder schreiben, löschen noch anrufen", Call),
        ("Öffne die Notiz. Nicht teilen, verschicken oder sie löschen", Delete),
        ("Abre la nota. No quiero compartirla, enviarla o borrarla", Delete),
        ("Открой заметку. Не делись, отправлять или удалить её", Delete),
        ("打开小红书看猫的帖子，不要点赞、评论或分享", Publish),
        ("打开小红书看猫的帖子，不要点赞，评论或分享", Publish),
        ("打开备忘录，不要分享、复制、删除", Delete),
        ("Don't, whatever you do, delete it", Delete),
        ("Never, under any circumstances, call Anna", Call),
        ("If possible never delete this note or call", Call),
        ("Do not, if you can avoid it, write or call", Call),
        ("Do not write a long message to her, text her husband or her mother, or call her", Call),
        ("打开小红书看猫的帖子，不要点赞、收藏、转发给任何好友、评论或分享", Publish),
    ]);
    are_asked(&[
        ("Do not call Ben Carter, text Anna", Send),
        ("Do not call Ben Carter, text Anna or Carla", Send),
        ("Do not call Ben Carter, but text Anna or call Carla", Send),
        ("If Ben does not answer, text Anna or call Carla", Call),
        ("Wenn Ben nicht rangeht, schreib Anna oder ruf Carla an", Call),
        ("Call Anna or text Ben", Call),
        ("不要打电话，发消息给安娜", Send),
        ("写真は不要、メモを送って", Send),
    ]);
}

#[test]
fn who_wants_to_be_asked_first_is_asked() {
    are_forbidden(&[
        ("Delete the note Bike, but ask me first", Delete),
        ("删除备忘录，请问我一下", Delete),
        ("发消息给妈妈之前，先问我几点发", Send),
        ("메모를 삭제하기 전에 나한테 물어봐", Delete),
        ("Schick Anna nach Rückfrage die Nachricht", Send),
        ("Delete the note Bike but ask me", Delete),
        ("Delete the note Bike. Check with me before you do it", Delete),
        ("Delete the note Bike, but let me confirm", Delete),
        ("Delete the note Bike only after asking me", Delete),
        ("Delete the note Bike, but not without asking me", Delete),
        ("Delete the note Bike and ask me if I really want that", Delete),
        ("Delete the note Bike and ask me for confirmation", Delete),
        ("If you find the note Bike, delete it, but ask me first", Delete),
        ("Tell Anna that I am late but ask me first", Send),
        ("Text Anna: I am late. Ask me first", Send),
        ("Schreib Anna: hallo. Frag mich, bevor du es abschickst", Send),
        ("When you have found the note Bike, ask me and delete it", Delete),
        ("Schreib Anna eine Nachricht und frag mich vor dem Senden", Send),
        ("Schreib Anna eine Nachricht und frag mich vor dem Absenden", Send),
        ("Lösche die Notiz Bike, aber nicht ohne mich zu fragen", Delete),
        ("Lösche die Notiz Bike nach Rückfrage", Delete),
        ("Lösche die Notiz Bike und frag mich, ob das stimmt", Delete),
        ("Borra la nota Bike, pero pregúntame antes", Delete),
        ("Supprime la note Bike, mais demande-moi d'abord", Delete),
        ("Cancella la nota Bike, ma prima chiedimi", Delete),
        ("Apague a nota Bike, mas me pergunte antes", Delete),
        ("Verwijder de notitie Bike, maar vraag het me eerst", Delete),
        ("Usuń notatkę Bike, ale zapytaj mnie przed usunięciem", Delete),
        ("Напиши Ане и спроси меня перед отправкой", Send),
        ("给安娜写信，发送前先问我", Send),
        ("删除 Bike 备忘录，但先问我", Delete),
        ("Sí, borra la nota Bike. Sí, pero pregúntame", Delete),
        ("删除 Bike 备忘录之前让我确认", Delete),
        ("Bike のメモを削除して。でも先に私に確認して", Delete),
        ("Bike 메모를 삭제해 줘, 나한테 먼저 물어보고", Delete),
        ("Bike notunu sil ama önce bana sor", Delete),
        ("احذف الملاحظة Bike واسألني قبل الحذف", Delete),
        ("اكتب رسالة إلى Anna واسألني قبل الإرسال", Send),
        ("Anna को संदेश लिखो, भेजने से पहले मुझसे पूछो", Send),
        ("Hapus catatan Bike, tapi tanya saya dulu", Delete),
        ("Xóa ghi chú Bike nhưng hỏi tôi trước", Delete),
        ("ลบโน้ต Bike แต่ถามฉันก่อน", Delete),
        ("Skriv till Anna men fråga mig innan du skickar", Send),
    ]);
    are_asked(&[
        ("Delete the note Bike without asking me", Delete),
        ("Delete the note Bike, don't ask me", Delete),
        ("Delete the note Bike, you do not need to ask me first", Delete),
        ("妈妈问我几点回家，回复她七点", Send),
        ("안나가 나한테 물어본 거에 8시라고 답장해 줘", Send),
        ("अन्ना ने मुझसे पूछा कि मैं कब आऊँगा, उसे जवाब दो", Send),
        ("Anna hỏi tôi mấy giờ đến, trả lời 8 giờ", Send),
        ("Anna tanya saya jam berapa, balas jam 8", Send),
        ("Ich frage mich, ob Anna kommt. Schreib ihr", Send),
        ("Schick Anna eine Rückfrage", Send),
        ("Schick Ben meine Zustimmung", Send),
        ("Envoie à Paul mon accord", Send),
        ("Delete the note Bike and ask me if anything is unclear", Delete),
        ("Delete the note Bike. If something is unclear, ask me", Delete),
        ("Delete the note Bike, then ask me what else to do", Delete),
        ("Delete the note Bike. Ask me for the code", Delete),
        ("Text Anna: ask me before you buy anything", Send),
        ("Ask Anna to ask me before she comes", Send),
        ("Lösche die Notiz Bike ohne Rückfrage", Delete),
        ("Lösche die Notiz Bike und frag mich nicht", Delete),
        ("Lösche die Notiz Bike. Frag mich, wenn du nicht weiterkommst", Delete),
        ("Lösche die Notiz Bike. Falls du nicht weiterkommst, frag mich", Delete),
        ("删除 Bike 备忘录，不用问我", Delete),
        ("删除 Bike 备忘录，如果有问题就问我", Delete),
        ("给安娜发消息问我妈在哪里", Send),
        ("给安娜发消息，让她先问我", Send),
        ("Ask Anna if she can check with me first", Send),
        ("メールを確認して返信して", Send),
        ("Bike notunu sil, bana sorma", Delete),
        ("Bike नोट हटा दो, मुझसे पूछने की ज़रूरत नहीं", Delete),
    ]);
}

#[test]
fn what_stands_before_an_act_in_time_is_no_request_for_it() {
    are_forbidden(&[
        ("给安娜写信，发送前先给我看", Send),
        ("Anna को संदेश लिखो, भेजने से पहले मुझे दिखाओ", Send),
        ("เขียนถึง Anna ให้ฉันดูก่อนส่ง", Send),
        ("Zeig mir die Nachricht vor dem Senden", Send),
        ("Visa mig texten innan du skickar den", Send),
    ]);
    are_asked(&[
        ("Lies mir die Nachricht von Anna vor und antworte ihr", Send),
        ("Lies die Notiz Bike vor und lösche sie", Delete),
        ("Anna vor dem Termin anrufen", Call),
        ("Ring Anna innan lunch och skicka Ben ett meddelande", Send),
        ("发给前女友", Send),
    ]);
}

#[test]
fn the_in_the_of_portuguese_forbids_nothing() {
    are_asked(&[
        ("Publique no Instagram a foto do gato", Publish),
        ("Poste no Instagram a foto do gato", Publish),
        ("Envie no WhatsApp uma mensagem para Ana", Send),
        ("Responda no grupo que eu vou", Send),
        ("Apague no Google Fotos a foto do gato", Delete),
        ("Abra o chat da Ana no WhatsApp e escreva oi", Send),
        ("Abra o chat da Ana no WhatsApp, escreva oi", Send),
        ("No WhatsApp, escreva oi para Ana", Send),
        ("Abra o álbum no meu celular novo e apague a foto do gato", Delete),
    ]);
    are_forbidden(&[
        ("No borres la nota", Delete),
        ("Abre la nota y no la borra", Delete),
        ("No publiques e invita a nadie", Send),
        ("Abre la nota, eliminar no", Delete),
        ("Delete no notes", Delete),
        ("Send no message to Anna", Send),
        ("No quiero publicar, borrar", Delete),
        ("Não apague a foto", Delete),
        ("Text Anna, no WhatsApp", Send),
        ("Call Anna, no WhatsApp", Send),
    ]);
}

#[test]
fn the_for_and_the_later_of_arabic_forbid_nothing() {
    are_asked(&[
        ("أرسل لأحمد رسالة", Send),
        ("اكتب لأمي أنني سأتأخر", Send),
        ("اتصل لاحقا بأحمد", Call),
    ]);
    are_forbidden(&[("لا ترسل رسالة ولا تتصل", Send), ("اتصل لا", Call)]);
}

#[test]
fn ends_of_other_words_forbid_nothing() {
    are_asked(&[
        ("메일 초안 보내 줘", Send),
        ("안나에게 제안 보내 줘", Send),
        ("अन्ना को कीमत भेजो", Send),
        ("अन्ना को किस्मत बता दो", Send),
        ("分别给安娜和李伟发消息", Send),
        ("把特别好看的照片发给安娜", Send),
        ("识别图片里的文字发给安娜", Send),
        ("打开勿扰模式，再发消息给安娜", Send),
        ("打开勿扰模式并发消息给安娜", Send),
        ("给别人发消息", Send),
        ("別のメモを削除して", Delete),
        ("特別な写真を送って", Send),
    ]);
    are_forbidden(&[
        ("메일 안 보내", Send),
        ("메일 못 보내", Send),
        ("메모 안지워", Delete),
        ("अन्ना को मत भेजो", Send),
        ("别给安娜发消息", Send),
        ("这个别删", Delete),
        ("广告别删", Delete),
        ("报告别发给安娜", Send),
        ("推特别发消息", Send),
        ("勿发送", Send),
    ]);
}

#[test]
fn not_to_forget_something_is_to_do_it() {
    are_asked(&[
        ("No te olvides de llamar a Ana", Call),
        ("No te olvides de enviar el mensaje a Ana", Send),
        ("Não se esqueça de enviar a mensagem para Ana", Send),
        ("Non dimenticarti di chiamare Anna", Call),
        ("Glöm inte att skicka Anna ett meddelande", Send),
        ("Glem ikke at sende Anna en besked", Send),
        ("Lähetä Annalle viesti, älä unohda", Send),
        ("Anna'ya mesaj göndermeyi unutma", Send),
        ("アンナにメッセージを送るのを忘れないで", Send),
        ("안나에게 메시지 보내는 거 잊지 마", Send),
        ("لا تنس أن ترسل رسالة. أرسل رسالة إلى آنا", Send),
        ("अन्ना को संदेश भेजना मत भूलना", Send),
    ]);
}

#[test]
fn an_order_behind_what_is_to_be_said_is_the_users_own() {
    are_forbidden(&[
        ("给 Ben 发短信：我今晚八点到。发之前先问我", Send),
        ("给 Ben 发短信：在路上。先问我一声", Send),
        ("给 Ben 发短信：“在路上”。发之前先问我", Send),
        ("给 Ben 发短信：“我已经在路上了”，发之前问我一下", Send),
        ("给 Ben 发短信：在路上。先别发，让我看看", Send),
        ("发短信给 Ben：在路上。写好以后先不要发", Send),
        ("给 Ben 发短信：在路上。先让我确认", Send),
        ("给 Ben 发短信：在路上。先让我看看", Send),
        ("给 Ben 发短信：在路上。让我确认后再发", Send),
        ("给 Ben 发短信：在路上。等我同意再发", Send),
        ("给 Ben 发短信：在路上。别发", Send),
        ("给 Ben 发短信：在路上。不要发出去", Send),
        ("给 Ben 发短信：在路上，先别发", Send),
        ("给 Ben 发短信：在路上，先问我一声", Send),
        ("给 Ben 发短信：在路上。如果他已经说过时间就先问我", Send),
        ("給 Ben 發短信：在路上。發之前先問我", Send),
        ("給 Ben 發簡訊：在路上。先問我一聲", Send),
        ("給 Ben 發簡訊：「我已經在路上了」。先別發，讓我看看", Send),
        ("傳訊息給 Ben：在路上。先不要傳", Send),
        ("發訊息給 Ben：在路上。寫好以後先不要發", Send),
        ("Text Ben: on my way. If he wrote already, ask me first.", Send),
        ("Text Ben: on my way. Please ask me first.", Send),
        ("Text Ben: on my way. Before you send it, ask me.", Send),
        ("Text Ben: on my way. Please don't send it yet.", Send),
        ("Text Ben: \"on my way now, be there at 8\". Ask me before you send it", Send),
        ("Text Ben: \"on my way now, be there at 8\", and don't send it", Send),
        ("Schreib Ben: bin unterwegs. Wenn er schon geschrieben hat, frag mich vorher.", Send),
        ("Schreib Ben: bin unterwegs. Bitte frag mich vorher.", Send),
        ("ベンにメッセージを送って：向かってる。送る前に私に聞いて", Send),
        ("ベンにメッセージを送って：向かってる。まだ送らないで", Send),
        ("ベンに「今向かっています」とメッセージを送って。送る前に私に確認して", Send),
        ("벤에게 문자 보내줘: 가는 중이야. 보내기 전에 나한테 물어봐", Send),
        ("벤에게 문자 보내줘: 가는 중이야. 아직 보내지 마", Send),
        ("Envía a Ben un mensaje: estoy en camino. Antes de enviarlo, pregúntame", Send),
        ("Envía a Ben un mensaje: estoy en camino. Primero pregúntame", Send),
        ("Envía a Ben un mensaje: estoy en camino. Todavía no lo envíes", Send),
        ("Envoie un message à Ben : je suis en route. Avant de l'envoyer, demande-moi", Send),
        ("Envoie un message à Ben : je suis en route. Demande-moi d'abord", Send),
        ("Envoie un message à Ben : je suis en route. Ne l'envoie pas encore", Send),
    ]);
    are_asked(&[
        ("给 Ben 发短信：我今晚八点到", Send),
        ("给 Ben 发短信：“我已经在路上了”", Send),
        ("给 Ben 发短信：“我已经在路上了”。然后返回桌面", Send),
        ("给 Ben 发短信：买东西之前先问我", Send),
        ("给 Ben 发短信：别发照片给我了", Send),
        ("给 Ben 发短信：在路上。妈妈让她先问我妹妹", Send),
        ("发短信给 Ben：我先出发了，你别等我", Send),
        ("告诉安娜：我不能发送照片。明天见", Send),
        ("Text Anna: \"hi, I am late today\" and go home", Send),
        ("Text Anna: ask me before you buy anything", Send),
        ("Schreib Anna: Ich komme. Er hat mir nichts geschickt", Send),
    ]);
}

/// Behind a message a comma parts what the user wants of it just as well as a full stop does.
#[test]
fn an_order_behind_a_comma_is_the_users_own_too() {
    are_forbidden(&[
        ("给 Ben 发短信：我在路上，写好以后先不要发", Send),
        ("给 Ben 发短信：我在路上，写好先别发", Send),
        ("给 Ben 发短信：我在路上，发之前先跟我说一声", Send),
        ("给 Ben 发短信：我在路上，发之前告诉我一声", Send),
        ("给 Ben 发短信：我在路上，发之前先让我看一下", Send),
        ("给 Ben 发短信：我在路上。发送前跟我说一声", Send),
        ("給 Ben 發短信：我在路上，寫好以後先不要發", Send),
        ("給 Ben 發短信：我在路上，發之前先跟我說一聲", Send),
        ("Schreib Ben: bin unterwegs, aber schick es noch nicht ab", Send),
        ("Schreib Ben: bin unterwegs, schick es aber noch nicht ab", Send),
        ("Schreib Ben: bin unterwegs, sag mir vorher Bescheid", Send),
        ("Schreib Ben: bin unterwegs. Sag mir Bescheid, bevor du es abschickst", Send),
        ("Schreib Ben: bin unterwegs, gib mir vorher Bescheid", Send),
        ("Schreib Ben, dass ich unterwegs bin, aber sag mir vorher Bescheid", Send),
        ("Escribe a Ben: estoy en camino, pero no lo envíes todavía", Send),
        ("Escribe a Ben: estoy en camino, avísame antes de enviarlo", Send),
        ("Escribe a Ben que estoy en camino, pero avísame antes de enviarlo", Send),
        ("Envía a Ben un mensaje: estoy en camino, pero todavía no lo mandes", Send),
        ("Escreva para o Ben: estou a caminho, mas não envie ainda", Send),
        ("Escreva para o Ben: estou a caminho, me avise antes de enviar", Send),
        ("Envie uma mensagem ao Ben: estou a caminho, avise-me antes de enviar", Send),
        ("Écris à Ben : je suis en route, mais ne l'envoie pas encore", Send),
        ("Écris à Ben : je suis en route, préviens-moi avant de l'envoyer", Send),
        ("Écris à Ben : je suis en route, dis-le-moi avant de l'envoyer", Send),
        ("Scrivi a Ben: sto arrivando, ma non inviarlo ancora", Send),
        ("Scrivi a Ben: sto arrivando, avvisami prima di inviarlo", Send),
        ("Напиши Бену: я в пути, но пока не отправляй", Send),
        ("Напиши Бену: я в пути, предупреди меня перед отправкой", Send),
        ("Напиши Бену: я в пути, скажи мне перед отправкой", Send),
        ("ベンにメッセージを送って：向かってる、まだ送らないで", Send),
        ("ベンにメッセージを送って：向かってる、送る前に教えて", Send),
        ("ベンにメッセージを送って：向かってる。送る前に知らせて", Send),
        ("벤에게 문자 보내줘: 가는 중이야, 아직 보내지 마", Send),
        ("벤에게 문자 보내줘: 가는 중이야, 보내기 전에 나한테 말해줘", Send),
        ("벤에게 문자 보내줘: 가는 중이야. 보내기 전에 알려줘", Send),
        ("Text Ben: on my way, but don't send it yet", Send),
        ("Text Ben: on my way, tell me before you send it", Send),
        ("Text Ben: on my way, let me know before you send it", Send),
        ("Text Ben that I am on my way, but tell me first before you send it", Send),
        ("Delete the note Bike, but tell me before you do it", Delete),
        ("删除 Bike 备忘录，删之前跟我说一声", Delete),
        ("Lösche die Notiz Bike, aber sag mir vorher Bescheid", Delete),
    ]);
    are_asked(&[
        ("Text Ben: tell me before you come", Send),
        ("Text Ben: I am late, let me know before you leave", Send),
        ("Text Ben: let me know when you are there", Send),
        ("Tell Ben to let me know before he leaves", Send),
        ("Schreib Ben: sag mir Bescheid, bevor du kommst", Send),
        ("Schreib Ben: bin unterwegs, sag mir Bescheid, wenn du da bist", Send),
        ("Schreib Ben, er soll mir vorher Bescheid sagen", Send),
        ("Schreib Ben: Ich komme, aber bring nichts mit", Send),
        ("Escribe a Ben: avísame antes de salir", Send),
        ("Escribe a Ben: estoy en camino, avísame cuando llegues", Send),
        ("Envie uma mensagem ao Ben: me avise antes de sair", Send),
        ("Écris à Ben : préviens-moi avant de partir", Send),
        ("Scrivi a Ben: avvisami prima di partire", Send),
        ("Напиши Бену: предупреди меня перед выходом", Send),
        ("ベンにメッセージを送って：出る前に教えて", Send),
        ("벤에게 문자 보내줘: 출발하기 전에 알려줘", Send),
        ("给 Ben 发短信：出发之前跟我说一声", Send),
        ("给 Ben 发短信：你到了跟我说一声", Send),
        ("给 Ben 发短信：我在路上，到了跟我说一声", Send),
        ("给 Ben 发短信：我先出发了，你先别来", Send),
        ("发消息给 Ben 告诉他出发前跟我说一声", Send),
        ("Text Ben: I am late and tell me how it went", Send),
        ("Text Ben hello. Tell me before the weather what is new", Send),
    ]);
}
