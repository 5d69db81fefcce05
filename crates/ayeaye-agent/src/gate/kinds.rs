//! What tells one thing from others of its kind: "shopping list" of "the note shopping list".
use std::collections::HashSet;
use std::sync::LazyLock;

use super::class::ActClass;
use super::fillers::says_something;
use super::phrases;
use super::text::{holds, is_spaced, is_stem, normalized, same_word, words};

/// Kinds of things, and what is said of all of them.
#[rustfmt::skip]
const KINDS: &[&str] = &[
    "note", "memo", "photo", "picture", "image", "video", "mail", "email", "file", "folder", "document", "alarm", "timer", "reminder", "event", "appointment", "task", "entry", "item", "conversation", "thread", "game",
    "song", "playlist", "list", "page", "tab", "bookmark", "album", "screenshot", "recording", "edit", "draft", "text", "sms", "post", "comment", "beitrag", "kommentar", "latest", "oldest", "old", "current", "selected",
    "notiz", "notizen", "foto", "bild", "bilder", "datei", "ordner", "dokument", "kontakt", "wecker", "termin", "erinnerung", "aufgabe", "eintrag", "liste", "neueste", "letzte", "diese", "dieses",
    "courriel", "fichier", "dossier", "alarme", "réveil", "événement", "rappel", "tâche", "dernière", "nota", "imagen", "correo", "archivo", "carpeta", "contacto", "alarma", "evento", "recordatorio", "tarea", "lista", "última", "último", "esta",
    "imagem", "mensagem", "arquivo", "pasta", "contato", "lembrete", "tarefa", "immagine", "messaggio", "cartella", "contatto", "sveglia", "promemoria", "attività", "elenco", "questa",
    "notitie", "bericht", "bestand", "map", "wekker", "afspraak", "herinnering", "taak", "lijst", "laatste", "notatka", "notatkę", "zdjęcie", "wiadomość", "plik", "budzik", "wydarzenie", "zadanie",
    "notu", "notlar", "fotoğraf", "mesaj", "dosya", "klasör", "kişi", "etkinlik", "görev", "заметка", "заметку", "заметки", "фото", "сообщение", "файл", "папка", "папку", "контакт", "будильник", "событие", "задача", "задачу", "список", "последнюю", "нотатка", "нотатку", "повідомлення", "подія",
    "ملاحظة", "الملاحظة", "صورة", "الصورة", "رسالة", "الرسالة", "ملف", "المنبه", "catatan", "gambar", "pesan", "berkas", "kontak", "ghi", "chú", "ảnh", "tin", "nhắn", "anteckning", "anteckningen", "meddelande", "noten", "notat", "notatet", "besked", "muistiinpano", "kuva", "viesti", "poznámka", "poznámku",
];
/// The same in scripts without blanks.
#[rustfmt::skip]
const JOINED: &[&str] = &[
    "备忘录", "備忘錄", "备忘", "笔记", "筆記", "便签", "便签", "照片", "图片", "圖片", "相片", "视频", "影片", "消息", "信息", "訊息", "短信", "邮件", "郵件", "文件夹", "文件", "档案", "檔案", "联系人", "聯絡人", "闹钟", "鬧鐘", "日程", "提醒", "任务", "任務", "聊天", "记录", "記錄", "应用", "應用", "相册", "列表", "清单", "清單",
    "这条", "这个", "这张", "那条", "那个", "最新", "最近", "我的", "一条", "一个", "确定", "取消", "是否",
    "メモ", "ノート", "写真", "画像", "動画", "メッセージ", "メール", "ファイル", "フォルダ", "連絡先", "アラーム", "予定", "リマインダー", "タスク", "アプリ", "リスト", "最近", "確認",
    "메모", "노트", "사진", "이미지", "동영상", "메시지", "문자", "메일", "파일", "폴더", "연락처", "알람", "일정", "알림", "작업", "목록", "하시겠습니까", "합니다", "입니다", "최신",
    "नोट", "फ़ोटो", "फोटो", "संदेश", "फ़ाइल", "संपर्क", "अलार्म", "โน้ต", "บันทึก", "รูปภาพ", "รูป", "ข้อความ", "ไฟล์", "ผู้ติดต่อ", "นาฬิกาปลุก",
];

static KIND_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| KINDS.iter().map(|it| normalized(it)).collect());
/// Kinds in scripts without blanks and the verbs that delete them, the longest first.
static JOINED_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let verbs = phrases::intents(ActClass::Delete).map(|it| it.text.clone());
    let mut all: Vec<String> = JOINED.iter().map(|it| normalized(it)).chain(verbs).collect();
    all.retain(|it| it.chars().any(|c| c.is_alphabetic() && !is_spaced(c)));
    all.push(normalized("删除"));
    all.push(normalized("刪除"));
    all.sort_by_key(|it| std::cmp::Reverse(it.len()));
    all
});

/// Whether what is shown (normalized) is told from others of its kind by a word that the user has said too, or by a
/// number. `text` is all that they have said, `said` the words that say something.
pub(super) fn is_told_apart(text: &str, said: &[String], shown: &str) -> bool {
    let number = shown.split(|c: char| !c.is_numeric() && !matches!(c, ':' | '.'));
    let mut number = number.map(|it| it.trim_matches(['.', ':']).trim_start_matches('0'));
    if number.any(|it| 3 <= it.len() && holds(text, it)) {
        return true;
    }
    let (mut own, mut rest) = (text.to_owned(), shown.to_owned());
    for kind in JOINED_TEXTS.iter() {
        if rest.contains(kind) || own.contains(kind) {
            rest = rest.replace(kind, " ");
            own = own.replace(kind, " ");
        }
    }
    words(&rest).any(|word| {
        if word.chars().all(|c| is_spaced(c) || c.is_numeric()) {
            says_something(word)
                && !is_kind(word)
                && said.iter().any(|it| same_word(it, word) && !is_kind(it))
        } else {
            is_shared(&own, word)
        }
    })
}

/// Whether a word (normalized) means a kind of things, or deletes them.
pub(super) fn is_kind(word: &str) -> bool {
    let stem = |it: &str| word.starts_with(it) && is_stem(word, 0, it.len());
    KIND_WORDS.contains(word)
        || word.strip_suffix('s').is_some_and(|it| KIND_WORDS.contains(it))
        || phrases::intents(ActClass::Delete).any(|it| stem(&it.text))
}

/// Whether a text shares some letters in a row with a word of a script without blanks: two of which each means
/// something, or four.
fn is_shared(text: &str, word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let dense = |c: &char| matches!(c, '\u{3040}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
    let size = if letters.iter().any(dense) { 2 } else { letters.len().min(4) };
    let grammar = |c: &char| matches!(c, '\u{3040}'..='\u{309f}');
    1 < size
        && letters.windows(size).any(|part| {
            !part.iter().all(grammar) && text.contains(&part.iter().collect::<String>())
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_is_told_apart_by_more_than_its_kind() {
        let told = |text: &str, shown: &str| {
            let text = normalized(text);
            let said: Vec<String> =
                words(&text).filter(|it| says_something(it)).map(str::to_owned).collect();
            is_told_apart(&text, &said, &normalized(shown))
        };
        for (text, shown) in [
            ("delete the note shopping list", "Shopping list"),
            ("Remove the alarm at 6:30", "06:30"),
            ("删除购物备忘录", "购物"),
            ("買い物のメモを削除して", "買い物"),
            ("쇼핑 메모를 삭제해 줘", "쇼핑"),
            ("खरीदारी वाला नोट मिटाओ", "खरीदारी"),
            ("ลบโน้ต ช้อปปิ้ง", "ช้อปปิ้ง"),
        ] {
            assert!(told(text, shown), "{text}: {shown}");
        }
        for (text, shown) in [
            ("delete the note shopping list", "Edit note"),
            ("delete the note shopping list", "Bike list"),
            ("delete the notes", "Notes"),
            ("lösche die notiz einkauf", "Notiz löschen?"),
            ("Remove the alarm at 6:30", "7:30"),
            ("删除购物备忘录", "工作备忘录"),
            ("删除这条备忘录", "确定删除这条备忘录吗？"),
            ("買い物のメモを削除して", "このメモを削除しますか？"),
            ("쇼핑 메모를 삭제해 줘", "메모를 삭제하시겠습니까?"),
            ("ลบโน้ต ช้อปปิ้ง", "ลบโน้ตงานบ้าน"),
        ] {
            assert!(!told(text, shown), "{text}: {shown}");
        }
    }
}
