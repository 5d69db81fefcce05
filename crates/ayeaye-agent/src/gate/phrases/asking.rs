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
/// The same where no blank stands between.
const ME_JOINED: &[&str] = &["我", "ฉัน", "ผม", "ني"];
const AFTER_DASH: &[&str] = &["-moi", "-me", "-nous"];
/// What begins a reminder.
#[rustfmt::skip]
const REMINDERS: &[&str] = &[
    "remind me", "remind us", "reminder to", "reminder for", "task to", "to-do to", "todo to", "alarm to", "event to", "appointment to", "erinnere mich", "erinner mich", "erinnerung", "recuérdame", "recordatorio", "rappelle-moi", "rappel", "ricordami", "promemoria", "lembre-me", "lembrete",
    "herinner me", "herinnering", "przypomnij mi", "przypomnienie", "bana hatırlat", "напомни мне", "напоминание", "нагадай мені", "提醒我", "提醒事项", "リマインド", "リマインダー", "思い出させ", "알림 설정", "상기시켜", "ذكرني", "मुझे याद", "ingatkan saya", "pengingat", "nhắc tôi", "เตือนฉัน",
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
    is_account(clause, &text[end..], &rest, language)
        || to_user && is_to_user(&text[end..], &rest, language)
        || REMINDER_TEXTS.iter().any(|it| holds(since_and(before), it))
        || TOLD_TEXTS.iter().any(|it| clause.starts_with(it.as_str()))
        || words(clause).any(|it| WHICH_WORDS.contains(it))
        || is_in_question(text, sentence_from, at, clause, &rest)
}

/// The part of a sentence that goes on to its end.
fn clause_of(before: &str) -> &str {
    let part = since_and(before).rsplit([',', ':', '，', '：', '、']).next().unwrap_or_default();
    part.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '¿')
}

/// What stands behind the last "and".
fn since_and(before: &str) -> &str {
    #[rustfmt::skip]
    const AND: [&str; 14] = [
        " and ", " und ", " y ", " et ", " e ", " ve ", " и ", " і ", " dan ", " och ", " og ", " then ", " dann ", " luego ",
    ];
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
        "vi" => words(clause).last() == Some("da"),
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
            done && !after.starts_with("したい")
        }
        "ko" => ["된", "한 ", "했", "됐", "되었", "하였", "줬", "주었"]
            .iter()
            .any(|it| after.trim_start().starts_with(it)),
        "hi" => {
            ["\u{93e} ", "े ग", "ी ग", "ाया ग"].iter().any(|it| after.starts_with(it))
                && !after.contains("दो")
        }
        "pl" => rest.starts_with("iet"),
        "ar" | "th" | "id" => false,
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
        it.starts_with([
            '的', '妈', '媽', '爸', '哥', '姐', '弟', '妹', '老', '儿', '女', '爷', '奶',
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
