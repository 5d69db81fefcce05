//! Nouns for kinds of things, and telling one thing from others of its kind: "shopping list" in "the note shopping
//! list".
use std::collections::HashSet;
use std::sync::LazyLock;

use super::class::ActClass;
use super::clock;
use super::fillers::says_something;
use super::phrases;
use super::text::{find, holds, is_spaced, is_stem, normalized, same_word, words};

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
/// Kinds of things in scripts without blanks.
#[rustfmt::skip]
const JOINED: &[&str] = &[
    "备忘录", "備忘錄", "备忘", "笔记", "筆記", "便签", "便签", "照片", "图片", "圖片", "相片", "视频", "影片", "消息", "信息", "訊息", "短信", "邮件", "郵件", "文件夹", "文件", "档案", "檔案", "联系人", "聯絡人", "闹钟", "鬧鐘", "日程", "提醒", "任务", "任務", "聊天", "记录", "記錄", "应用", "應用", "相册", "列表", "清单", "清單",
    "这条", "这个", "这张", "那条", "那个", "最新", "最近", "我的", "一条", "一个", "确定", "取消", "是否",
    "メモ", "ノート", "写真", "画像", "動画", "メッセージ", "メール", "ファイル", "フォルダ", "連絡先", "アラーム", "予定", "リマインダー", "タスク", "アプリ", "リスト", "最近", "確認",
    "메모", "노트", "사진", "이미지", "동영상", "메시지", "문자", "메일", "파일", "폴더", "연락처", "알람", "일정", "알림", "작업", "목록", "하시겠습니까", "합니다", "입니다", "최신",
    "नोट", "फ़ोटो", "फोटो", "संदेश", "फ़ाइल", "संपर्क", "अलार्म", "โน้ต", "บันทึก", "รูปภาพ", "รูป", "ข้อความ", "ไฟล์", "ผู้ติดต่อ", "นาฬิกาปลุก",
];

/// Of these the ones behind which no title stands.
#[rustfmt::skip]
const UNTITLED: &[&str] = &[
    "item", "game", "page", "tab", "edit", "text", "sms", "post", "comment", "latest", "oldest", "old", "current", "selected",
];
/// What may stand between a kind and a title: "the note called buy milk".
#[rustfmt::skip]
const BEFORE_TITLES: &[&str] = &[
    "called", "named", "titled", "title", "with", "the", "namens", "mit", "dem", "titel", "appelee", "intitulee", "llamada", "titulada", "chamada", "intitolata", "genaamd", "под", "названием",
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

/// Whether a word or a number in the user's words tells the shown thing (normalized) from others of its kind. `text` is
/// all of the user's words, `said` those that mean something.
pub(super) fn is_told_apart(text: &str, said: &[String], shown: &str) -> bool {
    if tells_number(text, shown) {
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

/// Whether a text names a number of three signs or more that is shown, of a time in any way to write it (both are
/// normalized).
pub(super) fn tells_number(text: &str, shown: &str) -> bool {
    let text = &clock::apart(text);
    let numbers = shown.split(|c: char| !c.is_numeric() && !matches!(c, ':' | '.'));
    let numbers = numbers.map(|it| without_zeros(it.trim_matches(['.', ':'])));
    numbers.filter(|it| 3 <= it.len()).any(|it| {
        let mut all = clock::readings(it, shown, text).into_iter();
        all.any(|it| holds_number(text, &it) || is_full_hour(text, &it))
    })
}

/// A number without the zeros that say nothing: "6:30" of "06:30", and "0:30" of "00:30".
fn without_zeros(number: &str) -> &str {
    let mut rest = number;
    while let Some(shorter) = rest.strip_prefix('0').filter(|it| it.starts_with(char::is_numeric)) {
        rest = shorter;
    }
    rest
}

/// Whether a text holds a number, with a zero before it or without.
fn holds_number(text: &str, number: &str) -> bool {
    holds(text, number) || holds(text, &format!("0{number}"))
}

/// A text (normalized) without the kinds of things whose script has no blanks.
pub(super) fn without_kinds(text: &str) -> String {
    JOINED_TEXTS.iter().fold(text.to_owned(), |rest, kind| rest.replace(kind, " "))
}

/// Whether a word beside an hour tells that it is not a full one.
pub(super) fn says_minutes(word: &str) -> bool {
    #[rustfmt::skip]
    const MINUTES: [&str; 17] = [
        "half", "halb", "halv", "past", "to", "quarter", "viertel", "dreiviertel", "vor", "nach", "demie", "media", "mezza", "meia", "kwart", "cuarto", "quart",
    ];
    MINUTES.contains(&word)
}

/// Whether a text names the full hour that is shown as "7:00": "at 7", "um 7 Uhr", "七点", and not "7:30" or "half past
/// 7".
fn is_full_hour(text: &str, shown: &str) -> bool {
    const CHINESE: [&str; 12] =
        ["一", "两", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"];
    const CHINESE_MINUTES: &str = "半零〇一二三四五六七八九十过過差";
    let Some(hour) = shown.strip_suffix(":00").or_else(|| shown.strip_suffix(".00")) else {
        return false;
    };
    let Ok(nth) = hour.parse::<usize>() else { return false };
    let counts = |at: usize, end: usize, is_chinese: bool| {
        let (before, after) = (&text[..at], &text[end..]);
        let in_oclock = after.strip_prefix(['点', '點', '时', '時']);
        let rest = in_oclock.unwrap_or(after);
        let has_minutes = words(before).last().is_some_and(says_minutes)
            || words(rest)
                .take(2)
                .any(|it| says_minutes(it) || it.starts_with(|c: char| c.is_ascii_digit()))
            || in_oclock.is_some() && rest.starts_with(|c| CHINESE_MINUTES.contains(c));
        let is_part =
            before.ends_with([':', '.']) || before.ends_with(|c| CHINESE_MINUTES.contains(c));
        !has_minutes && !is_part && (!is_chinese || in_oclock.is_some())
    };
    find(text, hour).any(|at| counts(at, at + hour.len(), false))
        || nth.checked_sub(1).and_then(|it| CHINESE.get(it)).is_some_and(|hour| {
            text.match_indices(hour).any(|(at, _)| counts(at, at + hour.len(), true))
        })
}

/// Whether a text names a thing by what is shown as its title, word for word and right behind its kind: "the note buy
/// milk". Both are normalized.
pub(super) fn names_title(text: &str, shown: &str) -> bool {
    let letters = shown.chars().filter(|c| c.is_alphabetic()).count();
    let is_title = if shown.chars().all(|c| is_spaced(c) || !c.is_alphabetic()) {
        2 <= words(shown).count() && 6 <= letters
    } else {
        3 <= letters
    };
    let is_titled = |word: &str| !UNTITLED.contains(&word) && is_kind_alone(word);
    is_title
        && find(text, shown).any(|at| {
            let part = text[..at].rsplit(['.', ';', '!', '?', ',', '\n']).next();
            let before = part.unwrap_or_default().trim_end_matches(|c: char| !c.is_alphanumeric());
            let kind = words(before).collect::<Vec<_>>();
            let kind = kind.iter().rev().find(|it| !BEFORE_TITLES.contains(it));
            kind.is_some_and(|it| is_titled(it))
                || JOINED.iter().any(|it| before.ends_with(normalized(it).as_str()))
        })
}

/// Whether a word (normalized) is a noun for a kind of things, or a verb that deletes them.
pub(super) fn is_kind(word: &str) -> bool {
    let stem = |it: &str| word.starts_with(it) && is_stem(word, 0, it.len());
    is_kind_alone(word) || phrases::intents(ActClass::Delete).any(|it| stem(&it.text))
}

/// Whether a word (normalized) is a noun for a kind of things, in a form that stands in the list.
pub(super) fn is_kind_alone(word: &str) -> bool {
    KIND_WORDS.contains(word) || word.strip_suffix('s').is_some_and(|it| KIND_WORDS.contains(it))
}

/// Nouns for kinds of things in scripts without blanks, as they are written.
pub(super) fn joined_kinds() -> impl Iterator<Item = &'static str> {
    JOINED.iter().copied()
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
    fn a_title_stands_behind_its_kind() {
        let named = |text: &str, shown: &str| names_title(&normalized(text), &normalized(shown));
        for (text, shown) in [
            ("Delete the note Buy milk", "Buy milk"),
            ("Open the note called \"Buy milk\" in Notes", "Buy milk"),
            ("Lösche die Notiz Milch kaufen", "Milch kaufen"),
            ("删除备忘录“买牛奶”", "买牛奶"),
            ("Delete the tasks Pay rent and Trip", "Pay rent"),
        ] {
            assert!(named(text, shown), "{text}: {shown}");
        }
        for (text, shown) in [
            ("Buy milk", "Buy milk"),
            ("Delete the note and buy milk", "Buy milk"),
            ("Delete the note. Buy milk", "Buy milk"),
            ("Open the page Place order", "Place order"),
            ("Delete the note Buy", "Buy"),
            ("Delete the note Buy milkshakes", "Buy milk"),
        ] {
            assert!(!named(text, shown), "{text}: {shown}");
        }
    }

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
            ("Remove the alarm at 06:30", "6:30"),
            ("delete the alarm at 7pm", "7:00 PM"),
            ("delete the alarm at 7 pm", "19:00"),
            ("delete the alarm at 19:00", "7:00 PM"),
            ("delete the alarm at 7", "7:00 PM"),
            ("Remove the alarm at 00:30", "0:30"),
            ("Remove the alarm at 0:30", "00:30"),
            ("delete the alarm at 7", "7:00"),
            ("Lösche den Wecker um 7 Uhr", "07:00"),
            ("Delete the alarm at 10 tomorrow", "10:00"),
            ("删除早上七点的闹钟", "7:00"),
            ("删除7点的闹钟", "07:00"),
            ("刪除十一點的鬧鐘", "11:00"),
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
            ("Remove the alarm at 6:30", "00:30"),
            ("delete the alarm at 7pm", "7:00 AM"),
            ("delete the alarm at 7:00 pm", "7:00 AM"),
            ("delete the alarm at 7 am", "7:00 PM"),
            ("delete the alarm at 7 pm", "7:00"),
            ("delete the alarm at 7 am", "19:00"),
            ("Remove the alarm at 6:30", "0:30"),
            ("delete the song of 1.99", "0.99"),
            ("delete the alarm at 7", "7:30"),
            ("delete the alarm at 7", "17:00"),
            ("delete the alarm at 17", "7:00"),
            ("delete the alarm at 7:30", "7:00"),
            ("delete the alarm at half past 7", "7:00"),
            ("lösche den wecker um halb 7", "7:00"),
            ("lösche den wecker um 7 uhr 30", "7:00"),
            ("删除七点半的闹钟", "7:00"),
            ("删除7点半的闹钟", "7:00"),
            ("删除十七点的闹钟", "7:00"),
            ("删除十一点的闹钟", "1:00"),
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
