//! Verbs of a user's words that ask for nothing: in a question, in an account of what was done, in what is to be
//! told to the user, in a reminder.
use std::collections::HashSet;
use std::sync::LazyLock;

use crate::gate::text::{holds, normalized, normalized_all, words};

/// What begins a question, or what only tells when.
#[rustfmt::skip]
const BEGINS: &[&str] = &[
    "did", "has", "had", "is", "are", "was", "were", "does", "who", "who's", "what", "what's", "which", "where", "why", "do i", "do we", "do they", "do you", "when did", "when does", "when is", "when was", "when has", "when will", "how did",
    "hat", "haben", "wurde", "wurden", "war", "wer", "welche", "welcher", "welches", "wo", "was",
];
/// What begins a condition: there only a verb with one who does it is none of the user's.
const CONDITIONS: &[&str] =
    &["if", "when", "whenever", "once", "after", "unless", "until", "while"];
const SUBJECTS: &[&str] =
    &["i", "you", "we", "they", "she", "he", "it", "to", "people", "someone", "somebody", "anyone"];
/// What makes a request of a question.
#[rustfmt::skip]
const POLITE: &[&str] = &[
    "can you", "could you", "would you", "will you", "can u", "please", "pls", "i want", "i'd like", "kannst du", "könntest", "könnten sie", "können sie", "würdest", "würden sie", "magst du", "bitte",
    "puedes", "podrías", "puede usted", "podría", "por favor", "peux-tu", "peux tu", "pouvez", "pourrais", "pourriez", "tu peux", "s'il te plaît", "pode", "poderia", "você pode", "puoi", "potresti", "per favore",
    "kun je", "kan je", "kunt u", "zou je", "wil je", "możesz", "mógłbyś", "mogłabyś", "proszę", "misin", "mısın", "musun", "müsün", "lütfen", "можешь", "можете", "мог бы", "могла бы", "пожалуйста", "можеш", "міг би", "будь ласка",
    "هل يمكنك", "من فضلك", "क्या आप", "कृपया", "bisakah", "bisa", "tolong", "có thể", "giúp", "ได้ไหม", "ช่วย", "kan du", "voisitko", "můžeš", "mohl bys", "tudnál", "poți", "μπορείς", "можеш ли", "možeš", "תוכל",
];
/// Who asks, right behind the verb.
#[rustfmt::skip]
const ME: &[&str] = &[
    "me", "us", "myself", "mir", "uns", "moi", "nous", "mij", "mnie", "nam", "mne", "мне", "нам", "мені", "saya", "aku", "tôi",
];
/// Who asks, written to the verb without a blank.
const ME_JOINED: &[&str] = &["我", "ฉัน", "ผม", "ني"];
const AFTER_DASH: &[&str] = &["-moi", "-me", "-nous"];
/// What begins a reminder.
#[rustfmt::skip]
const REMINDERS: &[&str] = &[
    "remind me", "remind us", "reminder to", "reminder for", "task to", "to-do to", "todo to", "alarm to", "event to", "appointment to", "erinnere mich", "erinner mich", "erinnerung", "recuérdame", "recordatorio", "rappelle-moi", "rappel", "ricordami", "promemoria", "lembre-me", "lembrete",
    "note to", "herinner me", "herinnering", "przypomnij mi", "przypomnienie", "bana hatırlat", "напомни мне", "напоминание", "нагадай мені", "提醒我", "提醒事项", "リマインド", "リマインダー", "思い出させ", "알림 설정", "상기시켜", "ذكرني", "मुझे याद", "ingatkan saya", "pengingat", "nhắc tôi", "เตือนฉัน",
];

/// What begins what the user is to be told.
#[rustfmt::skip]
const TOLD: &[&str] = &[
    "tell me", "show me", "let me know", "read me", "find out", "check", "sag mir", "zeig mir", "zeige mir", "lies mir", "dime", "muéstrame", "enséñame", "léeme", "dis-moi", "dites-moi", "montre-moi", "lis-moi", "diga-me", "me diga", "mostre-me", "me mostre", "dimmi", "mostrami", "fammi vedere", "leggimi",
    "zeg me", "laat me", "vertel me", "powiedz mi", "pokaż", "скажи мне", "покажи", "прочитай мне", "скажи мені", "告诉我", "读一下", "给我看",
];
/// Behind these a verb tells of something.
const WHICH: &[&str] = &[
    "what", "which", "who", "whom", "whose", "was", "welche", "welcher", "welches", "wer", "wen",
    "wem", "wat", "kto", "cosa",
];

/// What puts something on a list.
#[rustfmt::skip]
const ADDS: &[&str] = &[
    "add", "put", "create", "schedule", "new", "trag", "trage", "setz", "setze", "füge", "füg", "erstelle", "erstell", "añade", "agrega", "pon", "crea", "ajoute", "mets", "crée", "note", "adicione", "adiciona", "coloque", "crie", "aggiungi", "metti",
    "voeg", "zet", "dodaj", "wpisz", "utwórz", "ekle", "oluştur", "добавь", "создай", "запиши", "внеси", "поставь", "додай", "створи", "tambahkan", "buat", "thêm", "tạo", "lägg", "skapa", "tilføj", "opret", "legg", "lisää", "luo", "přidej", "pridaj", "adaugă", "أضف", "เพิ่ม",
];
const ADDS_JOINED: &[&str] = &[
    "添加",
    "加到",
    "加入",
    "新建",
    "创建",
    "新增",
    "记到",
    "追加",
    "入れて",
    "登録",
    "추가",
    "등록",
    "넣어",
    "जोड़",
];
/// The lists on which stands what is not done yet.
#[rustfmt::skip]
const LISTS: &[&str] = &[
    "to-do", "to do list", "todo", "todos", "task", "tasks", "task list", "calendar", "reminder", "reminders", "shopping list", "agenda", "kalender", "aufgabe", "aufgaben", "aufgabenliste", "einkaufsliste", "lista de tareas", "tarea", "tareas", "calendario", "liste de tâches", "tâche", "tâches", "calendrier",
    "lista de tarefas", "tarefa", "tarefas", "calendário", "attività", "takenlijst", "taak", "zadanie", "zadań", "kalendarz", "kalendarza", "yapılacaklar", "görev", "takvim", "takvime", "список дел", "задачу", "задачи", "календарь", "календар", "завдання", "kalendern", "kalenteriin", "kalendáře", "التقويم",
];
const LISTS_JOINED: &[&str] = &[
    "待办",
    "待辦",
    "日历",
    "日曆",
    "日程",
    "任务",
    "任務",
    "カレンダー",
    "リスト",
    "タスク",
    "할 일",
    "캘린더",
    "일정",
    "कैलेंडर",
    "ปฏิทิน",
];
/// Verbs that tell.
#[rustfmt::skip]
const TELLS: &[&str] = &[
    "tell", "sag", "sage", "dis", "dites", "diga", "zeg", "vertel", "powiedz", "säg", "fortæl", "fortell", "kerro", "řekni", "povedz", "mondd", "spune", "πες", "кажи", "reci", "beri tahu", "أخبر",
];
/// What stands right behind them where the user is told something: "powiedz, co napisał Tomek".
#[rustfmt::skip]
const WHAT: &[&str] = &[
    "what", "co", "čo", "o que", "ce que", "was", "wat", "apa", "vad", "hvad", "hva", "mitä", "mit", "ce", "τι", "какво", "što", "šta", "ماذا",
];
/// What somebody did, behind a "что" that may be a "that" too.
const SAID: &[&str] = &[
    "написал",
    "писал",
    "пишет",
    "прислал",
    "сказал",
    "ответил",
    "отправил",
    "хочет",
    "написав",
    "пише",
    "надісла",
    "сказав",
    "відпові",
    "хоче",
];

static ADDS_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(ADDS));
static LISTS_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(LISTS));
static TELLS_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(TELLS));
static WHAT_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(WHAT));
static TOLD_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(TOLD));
static WHICH_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| WHICH.iter().map(|it| normalized(it)).collect());
static BEGINS_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(BEGINS));
static POLITE_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(POLITE));
static REMINDER_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_all(REMINDERS));
static ME_TEXTS: LazyLock<HashSet<String>> =
    LazyLock::new(|| ME.iter().map(|it| normalized(it)).collect());

const ENDS: [char; 10] = ['.', ';', '!', '?', '\n', '。', '；', '！', '？', '\u{61f}'];

/// Whether the verb that stands from `at` to `end` in the user's words (normalized) is no request. `language` is that
/// of the verb; what may be said `to_user` asks for nothing where it is.
pub(in crate::gate) fn is_no_request(
    text: &str,
    at: usize,
    end: usize,
    language: &str,
    to_user: bool,
) -> bool {
    let sentence_from = text[..at]
        .rfind(ENDS)
        .map_or(0, |it| it + text[it..].chars().next().map_or(1, char::len_utf8));
    let before = &text[sentence_from..at];
    let rest: String =
        text[end..].chars().take_while(|c| c.is_alphanumeric() || *c == '\'').collect();
    let clause = clause_of(before);
    let verb = &text[at..end];
    is_account(clause, &text[end..], &rest, language)
        || to_user && is_to_user(&text[end..], &rest, language)
        || to_user && tells_user(clause, verb, &text[end..], &rest, language)
        || REMINDER_TEXTS.iter().any(|it| holds(since_and(before), it))
        || is_put_on_list(since_and(before), &text[end..])
        || TOLD_TEXTS.iter().any(|it| clause.starts_with(it.as_str()))
        || words(clause).any(|it| WHICH_WORDS.contains(it))
        || is_in_question(text, sentence_from, at, clause, &rest)
}

/// The part of a sentence that goes on to its end.
fn clause_of(before: &str) -> &str {
    let part = since_and(before).rsplit([',', ':', '，', '：', '、']).next().unwrap_or_default();
    part.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '¿')
}

/// What begins another request.
#[rustfmt::skip]
const AND: [&str; 14] = [
    " and ", " und ", " y ", " et ", " e ", " ve ", " и ", " і ", " dan ", " och ", " og ", " then ", " dann ", " luego ",
];

/// What stands behind the last "and".
fn since_and(before: &str) -> &str {
    let from = AND.iter().filter_map(|it| before.rfind(it).map(|at| at + it.len())).max();
    &before[from.unwrap_or_default()..]
}

/// Whether the form of the verb tells of what was done: "deleted", "gesendete", "enviados", "позвонила".
fn is_account(clause: &str, after: &str, rest: &str, language: &str) -> bool {
    let one_of = |list: &[&str]| list.contains(&rest);
    match language {
        "ru" | "uk" => one_of(&["л", "ла", "ли", "ло", "в", "вши", "лся", "лась", "ння", "ние"]),
        "tr" => [
            "di", "du", "ti", "tu", "mis", "mus", "ildi", "ilen", "ilmis", "indi", "inen", "inmis",
            "en ", "diği", "digi", "dugu",
        ]
        .iter()
        .any(|it| rest.starts_with(it)),
        "vi" => words(clause).last() == Some("da") || words(after).next() == Some("gi"),
        "th" => after.starts_with("อะไร") || after.starts_with("มา"),
        "id" => words(clause).any(|it| it == "yang") && !words(after).any(|it| it == "ke"),
        "cs" | "sk" | "pl" | "hr" if one_of(&["al", "ala", "ali", "alo", "iet", "ieta"]) => true,
        "zh" => {
            let after = after.trim_start_matches(['除', '送', '布']);
            let done = ["已", "已经", "最近", "被", "刚", "刚刚"]
                .iter()
                .any(|it| clause.trim_end().ends_with(it));
            done || after.starts_with('的')
                || after.starts_with('了') && ["吗", "么", "没"].iter().any(|it| after.contains(it))
        }
        "ja" => {
            let after = after.trim_start_matches(['信', 'え']);
            let done = ["された", "した", "済", "られた", "られて", "った", "ました", "しました"]
                .iter()
                .any(|it| after.starts_with(it));
            let came = ["って", "て"].iter().find_map(|it| after.strip_prefix(it));
            let came = came.is_some_and(|it| {
                ["きた", "来た", "くれた", "もらった", "よこした"]
                    .iter()
                    .any(|done| it.starts_with(done))
            });
            (done || came) && !after.starts_with("したい")
        }
        "ko" => ["된", "한 ", "했", "됐", "되었", "하였", "줬", "주었", "준 ", "온 "]
            .iter()
            .any(|it| after.trim_start().starts_with(it)),
        "hi" => {
            let is_last = after.strip_prefix('\u{93e}').is_some_and(|it| {
                !it.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '\u{900}'..='\u{97f}'))
            });
            (is_last || ["े ग", "ी ग", "ाया ग"].iter().any(|it| after.starts_with(it)))
                && !after.contains("दो")
        }
        "pl" | "ar" => false,
        _ => {
            let wanted = ["be", "get", "got", "want", "wants", "need", "have", "like"];
            let mut near = words(clause).collect::<Vec<_>>().into_iter().rev().take(5);
            let done = one_of(DONE)
                || rest.ends_with("cion")
                || rest.ends_with("cao")
                || language == "fr" && rest == "e"
                || rest == "te" && !clause.trim().is_empty();
            done && !near.any(|it| wanted.contains(&it))
        }
    }
}

/// Endings of what was done, is done by somebody else, or is a noun: "deleted", "schreibt", "enviados", "cancellate".
#[rustfmt::skip]
const DONE: &[&str] = &[
    "ed", "d", "de", "den", "s", "es", "er", "ers", "red", "ped", "ted", "t", "ten", "tet", "st", "et", "ung", "ungen", "do", "da", "dos", "das", "ado", "ada", "ados", "adas", "ciones", "coes", "dor", "dores", "ron", "ba", "ram", "ndo",
    "to", "ta", "ti", "zione", "zioni", "tore", "va", "ion", "ions", "ait", "aient", "ees",
];

/// Whether what is said is said to the user: "tell me", "dis-moi", "告诉我".
fn is_to_user(after: &str, rest: &str, language: &str) -> bool {
    let (ending, after) = (after, after.get(rest.len()..).unwrap_or_default());
    let mine = |it: &str| {
        const PEOPLE: &[&str] = &[
            "朋友",
            "同事",
            "同学",
            "同學",
            "家人",
            "男友",
            "男朋友",
            "医生",
            "醫生",
            "领导",
            "经理",
            "客户",
            "邮箱",
            "郵箱",
            "群",
            "团队",
            "手机",
        ];
        let of_mine = it.strip_prefix('的');
        of_mine.is_some_and(|it| PEOPLE.iter().any(|one| it.starts_with(one)))
            || of_mine.unwrap_or(it).starts_with([
                '妈', '媽', '爸', '哥', '姐', '弟', '妹', '老', '儿', '女', '爷', '奶',
            ])
    };
    let joined = |it: &str| ending.strip_prefix(it).is_some_and(|it| !mine(it));
    if ME_JOINED.iter().any(|it| joined(it)) || AFTER_DASH.iter().any(|it| after.starts_with(it)) {
        return true;
    }
    // "dime", "dimmi", "diga-me": written to the verb.
    let joined = match language {
        "es" | "pt" => rest == "me" || rest == "nos",
        "it" => rest == "mi" || rest == "ci",
        _ => false,
    };
    let first = words(after).next().unwrap_or_default();
    joined || ME_TEXTS.contains(first) && after.starts_with([' ', '-'])
}

/// Whether nobody is told something but the user, as nobody stands there who could be: "powiedz, co napisał Tomek",
/// "민수가 뭐라고 했는지 알려줘".
fn tells_user(clause: &str, verb: &str, after: &str, rest: &str, language: &str) -> bool {
    let has = |list: &[&str]| list.iter().any(|it| clause.contains(it));
    let behind = after.get(rest.len()..).unwrap_or_default();
    let behind = behind.trim_start_matches([' ', ',']);
    match language {
        "ru" | "uk" if matches!(verb, "скажи" | "сообщи" | "повідом") => {
            let mut next = words(behind);
            let that = next.next().is_some_and(|it| matches!(it, "что" | "що"));
            that && next.take(3).any(|it| SAID.iter().any(|said| it.starts_with(said)))
        }
        "pl" | "cs" | "sk" | "hr" if words(behind).next() == Some("mi") => true,
        "pt" if matches!(words(clause).last(), Some("me" | "nos")) => true,
        "ko" if verb == "알려" => !has(&["에게", "한테", "께", "더러", "방에"]),
        "hi" if verb == "बता" => !has(&["को", "उसे", "उन्हें"]),
        "th" if verb == "บอก" => ["หน่อย", "ว่า", "ที"].iter().any(|it| after.starts_with(it)),
        _ => {
            let begins = |it: &String| {
                behind.strip_prefix(it.as_str()).is_some_and(|it| it.starts_with(' '))
            };
            TELLS_TEXTS.iter().any(|it| it == verb) && WHAT_TEXTS.iter().any(begins)
        }
    }
}

/// Whether what stands before a verb and behind it puts it on a list: "Add call Tom to my to-do list".
fn is_put_on_list(before: &str, after: &str) -> bool {
    const PARTS: [char; 13] =
        ['.', ',', ';', '!', '?', '\n', '。', '，', '；', '！', '？', '、', '\u{61f}'];
    let before = before.rsplit(PARTS).next().unwrap_or_default();
    let after = after.split(PARTS).next().unwrap_or_default();
    let after = AND.iter().filter_map(|it| after.find(it)).min().map_or(after, |at| &after[..at]);
    let either = |list: &[&str]| list.iter().any(|it| before.contains(it) || after.contains(it));
    let begin = before.trim_start_matches(|c: char| !c.is_alphanumeric());
    let begins =
        |it: &String| begin.strip_prefix(it.as_str()).is_some_and(|it| it.starts_with([' ', ':']));
    (ADDS_TEXTS.iter().any(begins) || either(ADDS_JOINED))
        && (LISTS_TEXTS.iter().any(|it| holds(before, it) || holds(after, it))
            || either(LISTS_JOINED))
}

/// Whether the verb stands in a question, and the sentence is no polite request.
fn is_in_question(text: &str, from: usize, at: usize, clause: &str, rest: &str) -> bool {
    let sentence = &text[from..];
    let end = sentence.find(ENDS).unwrap_or(sentence.len());
    let (sentence, mark) = (&sentence[..end], &sentence[end..]);
    if POLITE_TEXTS.iter().any(|it| holds(sentence, it))
        || [
            "能",
            "可以",
            "请",
            "帮",
            "くれ",
            "もら",
            "いただ",
            "ください",
            "下さい",
            "ほしい",
            "줄래",
            "줄 수",
            "주세요",
            "줘",
        ]
        .iter()
        .any(|it| sentence.contains(it))
    {
        return false;
    }
    let begins = |list: &str| {
        clause.strip_prefix(list).is_some_and(|it| !it.starts_with(char::is_alphanumeric))
    };
    if clause.starts_with('¿') || BEGINS_TEXTS.iter().any(|it| begins(it)) {
        return true;
    }
    if CONDITIONS.iter().any(|it| begins(it)) {
        let before = words(clause).last().unwrap_or_default();
        return !rest.is_empty() || SUBJECTS.contains(&before);
    }
    let asked = ["吗", "嗎", "了没", "了沒"].iter().any(|it| sentence.trim_end().ends_with(it))
        || sentence.trim_end().ends_with('か')
        || ["했", "됐", "왔"].iter().any(|it| text[at..from + end].contains(it))
            && mark.starts_with(['?', '？']);
    // A verb that begins its part asks for it: "Ask Anna: are you there?"
    let spaced = text[at..].chars().next().is_some_and(crate::gate::text::is_spaced);
    asked
        || spaced
            && mark.starts_with(['?', '\u{61f}'])
            && !clause.is_empty()
            && !text[from..at].contains(':')
}
