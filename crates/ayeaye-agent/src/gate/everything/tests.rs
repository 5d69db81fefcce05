//! What means everything, and what only says "all".
use crate::gate::intent::UserWords;

const APP: [&str; 2] = ["Notes", "com.example.notes"];

fn means_all(text: &str, place: &[&str], app: [&str; 2]) -> bool {
    UserWords::new([text]).mean_all(place, app)
}

#[test]
fn everything_of_a_kind_is_meant() {
    let wrong: Vec<_> = EVERYTHING.iter().filter(|it| !means_all(it, &[], APP)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn whatever_else_is_said_may_restrict() {
    let wrong: Vec<_> = RESTRICTED.iter().filter(|it| means_all(it, &[], APP)).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[rustfmt::skip]
const EVERYTHING: &[&str] = &[
    "delete all notes", "Delete all notes", "all notes, please: delete", "Please delete all notes.", "delete all of my notes in the Notes app", "Open Notes and delete all notes",
    "delete all the photos and videos", "Delete all photos, videos and recordings", "delete every note", "Delete everything", "Delete everything in Notes", "Remove all my alarms now, please",
    "I want you to delete all notes", "Can you clear all notifications?", "delete them all", "get rid of all notes", "Delete all text messages", "delete all e-mails on my phone", "delete all files in the app",
    "Open the Notes app. Delete all notes. Thanks!", "In Notes, delete all notes",
    "alle Notizen löschen", "Lösche alle Notizen", "Bitte lösche alle meine Notizen in der App Notes", "Lösche alle Fotos und Videos", "Kannst du bitte alle Dateien löschen?", "Lösche alles", "Vergiss nicht, alle Notizen zu löschen",
    "Supprime toutes les notes", "supprime toutes mes photos et les vidéos, s'il te plaît", "Efface toutes les notes de l'application Notes",
    "Elimina todas las notas", "Borra todas mis fotos, por favor", "Apague todas as notas", "Elimina tutte le note", "Verwijder alle notities", "Verwijder alle foto's", "Usuń wszystkie notatki", "Tüm notları sil",
    "Удали все заметки, пожалуйста", "Удали все мои фотографии", "Видали всі нотатки", "احذف كل الملاحظات", "सभी नोट हटाओ", "सारे फ़ोटो हटा दो", "Hapus semua catatan saya", "Xóa tất cả ghi chú",
    "删除所有备忘录", "请删除我的全部照片", "把照片全部删除", "删除所有照片和视频", "清空备忘录", "删除手机里的所有照片", "刪除所有備忘錄", "删除Notes里的所有备忘录",
    "メモをすべて削除してください", "すべての写真を削除して", "모든 메모를 삭제해 줘", "사진과 동영상을 모두 삭제해 주세요", "ลบโน้ตทั้งหมด",
    "Delete all notes except Shopping", "delete all notes except shopping and taxes", "Lösche alle Notizen bis auf die Notiz Einkauf", "Delete all notes, keep Shopping", "Удали все заметки кроме Покупки",
    "Tüm notları Alışveriş hariç sil", "删除所有备忘录，除了购物", "除了购物以外，删除所有备忘录", "删除除购物以外的所有备忘录", "買い物以外のメモを全部削除して", "쇼핑은 빼고 모두 삭제해 줘",
];

#[rustfmt::skip]
const RESTRICTED: &[&str] = &[
    "delete all notes about berlin", "Delete all notes about Berlin", "Delete all my empty notes", "Delete all notes called Draft", "Delete all old notes about my bike", "Delete every note that is older than a year",
    "delete all notes from yesterday", "delete all new notes", "delete all notes in the folder", "delete all notes in the folder work", "delete all notes without photos", "delete all notes with photos", "delete all edited photos",
    "delete all photos in the selected album", "delete all the photos and the video", "delete all photo albums", "delete all notes i wrote in may", "delete all mails to me", "delete all my notes, but only the short ones", "Delete all notes. Only those about berlin.",
    "Delete all notes: those about berlin", "Open all notes and delete the note", "read all notes and delete the note", "Open all notes and delete the newest", "Mark all mails as read and delete the note", "delete the note from all folders", "delete the note bike after all",
    "delete all notes about exam", "Delete all notes about Exam", "Delete all deleted notes", "clean all cleaning notes", "delete all current notes", "delete all 3 notes", "delete all unread messages", "delete all phone contacts", "delete all notes about berlin except shopping",
    "delete all you like", "delete all i want to", "delete the todo", "delete the todo list", "clear my todos",
    "empty notes: delete all empty notes", "delete all the last notes", "delete all her notes", "delete all notes of anna", "all notes with anna: delete",
    "lösche alle notizen über berlin", "Lösche alle leeren Notizen", "Lösche alle nicht benötigten Fotos", "lösche alle notizen von gestern", "lösche alle alten notizen", "lösche alle notizen, die leer sind", "lösche alle fotos aus dem ordner",
    "supprime toutes les notes sur berlin", "supprime toutes les vieilles notes", "elimina todas las notas de berlín", "elimina todas las notas vacías", "apague todas as notas sobre berlim", "elimina tutte le note su berlino", "verwijder alle oude notities",
    "usuń wszystkie stare notatki", "berlin hakkındaki tüm notları sil", "удали все заметки о берлине", "удали все старые заметки", "видали всі нотатки про берлін", "احذف كل الملاحظات عن برلين", "बर्लिन के सभी नोट हटाओ", "hapus semua catatan tentang berlin", "xóa tất cả ghi chú về berlin",
    "删除所有关于柏林的备忘录", "删除所有空的备忘录", "删除所有旧备忘录", "删除最新的所有备忘录", "删除相册里的所有照片", "删除所有昨天的照片", "删除所有聊天照片", "删除所有已删除的照片", "刪除所有關於柏林的備忘錄", "删除所有给李伟的消息", "删除所有给我的消息", "删除所有好的照片", "删除所有撤回的消息",
    "ベルリンについてのメモをすべて削除して", "空のメモを全部削除して", "仕事のメモをすべて削除してください", "베를린에 대한 모든 메모를 삭제해 줘", "오래된 메모를 모두 삭제해 줘", "ลบโน้ตเก่าทั้งหมด", "ลบโน้ตเกี่ยวกับเบอร์ลินทั้งหมด",
];

#[test]
fn a_place_is_no_restriction_where_one_is_there() {
    for (text, header, app, wanted) in [
        ("Delete all notes in the folder Work", "Work", APP, true),
        ("delete all notes in the folder work", "Work", APP, true),
        ("delete all work notes", "Work", APP, true),
        ("Delete all notes in the folder Work", "Notes", APP, false),
        ("delete all notes in the folder work", "Notes", APP, false),
        ("delete all notes about work", "Work", APP, false),
        ("delete all new notes", "New note", APP, false),
        ("delete all old notes", "Old notes", APP, false),
        ("Delete all notes in Keep", "", ["Keep notes", "com.google.android.keep"], true),
        ("Delete all Google Keep notes", "", ["Keep notes", "com.google.android.keep"], true),
        ("Delete all notes in Keep", "", APP, false),
        ("delete all messages of sam", "", ["Messages", "com.samsung.android.messaging"], false),
        ("delete all android messages", "", ["Messages", "com.samsung.android.messaging"], false),
        ("删除备忘录里的所有备忘录", "", ["备忘录", "com.miui.notes"], true),
        ("删除备忘录里的所有备忘录", "", APP, false),
        ("删除工作里的所有备忘录", "工作", APP, true),
        ("删除工作里的所有备忘录", "备忘录", APP, false),
    ] {
        assert_eq!(means_all(text, &[header], app), wanted, "{text}, under {header:?}");
    }
}

#[test]
fn what_is_said_later_restricts_too() {
    let words = |texts: &[&str]| UserWords::new(texts.iter().copied()).mean_all(&[], APP);
    assert!(words(&["Delete all notes", "yes, please"]));
    assert!(words(&["Delete all notes", "Yes, delete all of them"]));
    assert!(!words(&["Delete all notes", "only the ones about berlin"]));
    assert!(!words(&["Delete the note Bike", "Open all notes"]));
}
