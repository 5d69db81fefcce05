//! Where a verb of the tables is a noun, or what is only looked at: "Anna's message", "电话号码", "read the reply".
use std::collections::HashSet;
use std::sync::LazyLock;

use super::lookalikes::is_app;
use crate::gate::text::{normalized, normalized_all, words};

/// Verbs that are nouns as well: one of these has no article before it, and is no plural.
#[rustfmt::skip]
const NOUNS: &[&str] = &[
    "message", "msg", "text", "mail", "email", "e-mail", "answer", "reply", "sms", "share", "call", "phone", "ring", "post", "comment", "review", "tweet",
    "order", "book", "update", "download", "trash", "empty", "clean", "clear", "reset", "transfer", "purchase", "wire", "permission", "appel", "commande", "reserva", "compra", "anruf",
    "demande", "pregunta", "antwoord", "vraag", "odpowiedz", "posta", "plaats", "deel", "cevap", "yorum",
];
/// What stands before a noun.
#[rustfmt::skip]
const ARTICLES: &[&str] = &[
    "the", "a", "an", "my", "your", "his", "her", "their", "our", "last", "latest", "newest", "new", "first", "next", "unread", "this", "that", "any", "each", "every", "one", "missed", "recent",
    "der", "die", "das", "den", "dem", "einen", "letzten", "le", "la", "l", "un", "une", "dernier", "mon", "el", "una", "mi", "último", "última", "o", "uma", "meu", "minha", "il", "lo", "ultimo", "het", "een", "mijn",
];
/// Nouns with what stands behind them: "phone number".
#[rustfmt::skip]
const WITH_NEXT: &[(&str, &[&str])] = &[
    ("phone", &["number", "numbers", "book", "app", "settings"]),
    ("call", &["log", "logs", "history", "list", "recording"]),
    ("message", &["history", "log", "app"]),
    ("mail", &["address", "app", "folder", "inbox"]),
    ("email", &["address", "app", "folder", "inbox"]),
    ("e-mail", &["address", "app", "folder", "inbox"]),
    ("text", &["size", "field"]),
    ("post", &["office"]),
];
/// Words that are no verb with one of these before them: "nomor telepon", "tin nhắn".
#[rustfmt::skip]
const WITH_BEFORE: &[(&str, &[&str])] = &[
    ("telepon", &["nomor", "no", "buku", "aplikasi", "riwayat"]),
    ("nhắn", &["tin"]),
    ("teile", &["nach", "von", "mit", "aus", "in", "den", "bei"]),
];
/// In scripts without blanks.
#[rustfmt::skip]
const JOINED_NEXT: &[(&str, &[&str])] = &[
    ("電話", &["番号", "帳", "の", "履歴", "アプリ"]), ("通話", &["の", "履歴"]), ("返信", &["の", "内容"]), ("投稿", &["の", "一覧", "内容"]), ("公開", &["の"]),
    ("전화", &["번호", "부", "기록", "앱"]), ("통화", &["기록", "목록", "내역"]), ("게시", &["물", "글", "판"]), ("답장", &["의"]), ("공유", &["의"]),
    ("โทร", &["ทัศน์", "เลข"]), ("कॉल", &["लॉग", "हिस्ट्री"]),
];
#[rustfmt::skip]
const JOINED_BEFORE: &[(&str, &[&str])] = &[
    ("โทร", &["เบอร์", "หมายเลข"]), ("ตอบ", &["คำ"]), ("回复", &["的"]), ("回覆", &["的"]), ("评论", &["的"]), ("分享", &["的"]), ("返信", &["の新しい"]),
];
/// Nouns that are a verb only with one that does it, and verbs that only look at them.
const DONE_BY_ANOTHER: &[&str] = &[
    "電話",
    "通話",
    "返信",
    "投稿",
    "ツイート",
    "シェア",
    "전화",
    "통화",
    "답장",
    "게시",
    "공유",
    "जवाब",
    "कॉल",
    "पोस्ट",
    "शेयर",
];
#[rustfmt::skip]
const LOOKS_BEHIND: &[&str] = &[
    "読", "調べ", "見", "探", "まとめ", "要約", "確認", "検索", "教え", "表示", "開", "읽", "찾", "보여", "보기", "요약", "확인", "검색", "열어", "पढ", "दिखा", "देख", "खोल", "ढूं", "ढूँ", "खोज", "सुना",
];
/// What may stand between.
const PARTICLES: &[&str] = &["を", "을", "를", "को"];

/// Verbs that only look.
#[rustfmt::skip]
const LOOKS: &[&str] = &[
    "read", "summarize", "summarise", "find", "show", "check", "list", "look", "count", "search", "view", "watch", "translate", "see", "browse",
    "lies", "lese", "fasse", "finde", "zeig", "zeige", "prüfe", "such", "suche", "zähle", "übersetze", "schau", "sieh",
    "lis", "lisez", "résume", "résumez", "cherche", "trouve", "montre", "affiche", "vérifie", "regarde", "compte", "traduis",
    "lee", "busca", "muestra", "resume", "encuentra", "mira", "revisa", "cuenta", "traduce", "leia", "procure", "mostre", "resuma", "encontre", "veja", "verifique",
    "leggi", "cerca", "mostra", "riassumi", "trova", "guarda", "controlla", "lees", "zoek", "vind", "toon", "bekijk", "controleer",
    "przeczytaj", "znajdź", "pokaż", "sprawdź", "streść", "wyszukaj", "прочитай", "прочти", "найди", "покажи", "проверь", "посмотри", "поищи", "перескажи", "знайди", "перевір", "подивись",
    "läs", "hitta", "visa", "sök", "kolla", "sammanfatta", "læs", "vis", "søg", "tjek", "finn", "søk", "sjekk", "lue", "etsi", "näytä", "tarkista",
    "přečti", "najdi", "ukaž", "prečítaj", "nájdi", "ukáž", "olvasd", "keresd", "mutasd", "citește", "găsește", "caută", "arată", "διάβασε", "βρες", "δείξε", "прочети", "намери", "pročitaj", "pronađi", "pokaži",
    "קרא", "מצא", "הצג", "חפש", "اقرأ", "ابحث", "لخص", "اعرض", "أظهر", "baca", "bacakan", "cari", "tampilkan", "ringkas", "lihat", "periksa",
];
/// Verbs of looking in Vietnamese, whose words are names elsewhere.
const LOOKS_VIETNAMESE: &[&str] = &["đọc", "tìm", "xem", "tóm", "kiểm"];
/// Verbs of looking in Chinese and Thai, at the beginning of a part of a sentence.
#[rustfmt::skip]
const LOOKS_JOINED: &[&str] = &[
    "看看", "看一下", "看下", "查看", "阅读", "閱讀", "读", "讀", "念", "总结", "總結", "概括", "翻译", "查找", "查一下", "查询", "搜索", "浏览", "检查", "找", "อ่าน", "หา", "ค้นหา", "ดู", "สรุป",
];
/// What may stand before it.
const ASKS_JOINED: &[&str] = &["请", "請", "帮我", "幫我", "麻烦", "你", "ช่วย", "กรุณา"];
/// What makes a part of what is looked at; of Chinese 的 only behind the verb: "发给我的消息".
const OF_JOINED: &[&str] = &["ที่"];
/// What begins another request in the same part.
const THEN_JOINED: &[&str] = &["并", "然后", "再", "就", "แล้ว", "และ"];
/// What begins another request.
#[rustfmt::skip]
const AND: &[&str] = &[
    "and", "then", "und", "dann", "danach", "y", "luego", "et", "puis", "ensuite", "e", "depois", "poi", "en", "daarna", "i", "oraz", "potem", "и", "потом", "затем", "та", "і", "потім", "ve", "sonra",
    "och", "sedan", "og", "så", "ja", "sitten", "a", "pak", "és", "și", "apoi", "και", "ثم", "و", "dan", "lalu", "kemudian", "và", "rồi", "और", "फिर",
];
/// What begins what something is looked for: "find the number to call her".
#[rustfmt::skip]
const PURPOSE: &[&str] = &["to", "zu", "pour", "para", "per", "te", "żeby", "aby", "чтобы", "щоб", "att", "at", "untuk", "để"];
/// What may stand between it and the verb: "pour l'appeler".
const OBJECTS: &[&str] = &["l", "lui", "le", "la", "les", "leur"];
/// Words before the verb of a part, at the most: "please read", "can you read".
const FIRST: usize = 3;

/// Words between "give" and what is given, at the most.
const GIVEN_WITHIN: usize = 5;

static NOUN_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(NOUNS));
static ARTICLE_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(ARTICLES));
static LOOKS_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(LOOKS));
static VIETNAMESE_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| normalized_all(LOOKS_VIETNAMESE));
static AND_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(AND));
static PURPOSE_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(PURPOSE));

/// Whether a verb that stands there is a noun: "the last message", "Anna's message", "phone number".
pub(in crate::gate) fn is_noun(text: &str, at: usize, end: usize) -> bool {
    let found = &text[at..end];
    let (before, after) = (&text[..at], &text[end..]);
    let last = words(before).last().unwrap_or_default();
    let next = words(after).next().unwrap_or_default();
    let of = |list: &[(&str, &[&str])], is: &dyn Fn(&str) -> bool| {
        list.iter().any(|(it, beside)| normalized(it) == found && beside.iter().any(|it| is(it)))
    };
    if of(WITH_BEFORE, &|it| it == last)
        || of(JOINED_NEXT, &|it| after.trim_start().starts_with(it))
        || of(JOINED_BEFORE, &|it| before.trim_end().ends_with(it))
        || DONE_BY_ANOTHER.contains(&found) && is_looked_at_behind(after)
        || is_app(before, found, after)
    {
        return true;
    }
    if !NOUN_WORDS.contains(found) {
        return false;
    }
    if is_given(before, found) && !after.starts_with(char::is_alphanumeric) {
        return of(WITH_NEXT, &|it| it == next);
    }
    let goes_on = after.starts_with(char::is_alphanumeric);
    let owner = before.trim_end();
    goes_on
        || ARTICLE_WORDS.contains(last)
        || owner.ends_with("s'")
        || owner.ends_with("'s") && !owner.ends_with("let's")
        || LOOKS_WORDS.contains(last)
        || last == "open"
        || of(WITH_NEXT, &|it| it == next)
}

/// Whether a noun is what somebody is given: "give Anna a call", "drop Ben a text".
fn is_given(before: &str, noun: &str) -> bool {
    const GIVEN: [&str; 9] =
        ["call", "ring", "text", "message", "msg", "email", "e-mail", "mail", "sms"];
    let part = before.rsplit(['.', ',', ';', '!', '?', ':', '\n']).next().unwrap_or_default();
    let near: Vec<&str> = words(part).collect();
    let [rest @ .., "a" | "an"] = near.as_slice() else { return false };
    let from = rest.len().saturating_sub(GIVEN_WITHIN);
    let given = rest[from..].iter().rposition(|it| matches!(*it, "give" | "drop" | "shoot"));
    let to_user = |at: usize| matches!(rest[from + at + 1..].first(), Some(&("me" | "us")));
    GIVEN.contains(&noun) && given.is_some_and(|at| !to_user(at))
        || matches!(noun, "call" | "ring") && rest.last() == Some(&"make")
}

fn is_looked_at_behind(after: &str) -> bool {
    let after = after.trim_start();
    let rest = PARTICLES.iter().find_map(|it| after.strip_prefix(it)).unwrap_or(after);
    LOOKS_BEHIND.iter().any(|it| rest.trim_start().starts_with(it))
}

/// Whether what stands there belongs to what a part of a sentence only looks at: "read what Anna writes", "总结一下
/// 安娜的回复". English verbs that are no nouns ask for something all the same: "find the photo send it".
pub(in crate::gate) fn is_looked_at(text: &str, at: usize, end: usize, language: &str) -> bool {
    const ENDS: [char; 16] = [
        '.', ',', ';', '!', '?', ':', '\n', '。', '，', '；', '！', '？', '：', '、', '،',
        '\u{61f}',
    ];
    let before = text[..at].rsplit(ENDS).next().unwrap_or_default();
    let part: Vec<&str> = words(before).collect();
    let begin = part.iter().rposition(|it| AND_WORDS.contains(*it)).map_or(0, |at| at + 1);
    let part = &part[begin..];
    let looks = |word: &&&str| {
        LOOKS_WORDS.contains(**word) || language == "vi" && VIETNAMESE_WORDS.contains(**word)
    };
    if part.iter().take(FIRST).any(|it| looks(&it)) {
        let mut near = part.iter().rev().skip_while(|it| OBJECTS.contains(it));
        let for_purpose = near.next().is_some_and(|it| PURPOSE_WORDS.contains(*it));
        let is_verb = language == "en" && !NOUN_WORDS.contains(&text[at..end]);
        return !for_purpose && !is_verb;
    }
    let mut rest = before.trim_start();
    while let Some(it) = ASKS_JOINED.iter().find_map(|it| rest.strip_prefix(it)) {
        rest = it.trim_start();
    }
    let Some(looked) = LOOKS_JOINED.iter().find_map(|it| rest.strip_prefix(it)) else {
        return false;
    };
    let after = text[end..].split(ENDS).next().unwrap_or_default();
    let looked = looked.strip_prefix("一下").unwrap_or(looked);
    !THEN_JOINED.iter().any(|it| looked.contains(it))
        && (looked.trim().is_empty()
            || OF_JOINED.iter().any(|it| looked.contains(it))
            || looked.starts_with("ว่า")
            || after.contains('的'))
}
