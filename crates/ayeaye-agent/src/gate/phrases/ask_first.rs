//! Whether a user wants to be asked before an act: "delete it, but ask me first". Where it is in doubt they do: that
//! costs a question.
use std::collections::HashSet;
use std::ops::Range;
use std::sync::LazyLock;

use super::clauses::{ENDS, PARTS, begins_condition, begins_request, last_part};
use super::drafts;
use super::negation::{FAR_WORDS, NOTHING_WORDS, TURNS_BACK};
use crate::gate::text::{List, find, normalized_all, words};

/// What says so by itself.
#[rustfmt::skip]
static ASKS: List = List::new("ask me|asking me|ask us|check with me|checking with me|confirm with me|confirming with me|let me confirm|let me approve|let me check it|let me check first|let me see it first|show me first|show it to me first|run it by me|\
        get my approval|get my ok|get my okay|get my permission|get my confirmation|wait for my approval|wait for my ok|wait for my okay|wait for my confirmation|wait for my go|ask for my approval|ask for my ok|ask for my permission|ask for my confirmation|\
        ask for permission|ask for confirmation|ask first|ask before|\
        frag mich|frage mich|fragen sie mich|frag erst|frag vorher|frag zuerst|mich zu fragen|rückfrage|rücksprache|lass mich bestätigen|lass es mich bestätigen|meine zustimmung|meine erlaubnis|\
        pregúntame|pregúnteme|consúltame|consúlteme|pídeme permiso|pídeme confirmación|déjame confirmar|confirma conmigo|\
        demande-moi|demandez-moi|demande moi|consulte-moi|laisse-moi confirmer|ma confirmation|mon accord|\
        chiedimi|mi chieda|consultami|fammi confermare|chiedi conferma|\
        me pergunte|pergunte-me|pergunta-me|pergunte para mim|me consulte|confirme comigo|deixe-me confirmar|peça minha|\
        vraag me|vraag mij|vraag het me|vraag het mij|vraag het eerst|vraag eerst|overleg met mij|laat me bevestigen|\
        zapytaj mnie|spytaj mnie|zapytaj o zgodę|спроси меня|спросите меня|меня спроси|уточни у меня|запитай мене|спитай мене|\
        问我|問我|让我确认|讓我確認|跟我确认|和我确认|与我确认|向我确认|等我确认|我确认后|跟我確認|向我確認|等我確認|让我看看再|讓我看看再|先让我看|先讓我看|先给我看|先給我看|让我过目|讓我過目|给我过目|給我過目|给我确认|給我確認|等我同意|等我允许|等我允許|等我批准|等我点头|等我點頭|等我看|等我说|等我說|等我回复|等我回覆|征求我|徵求我|经我同意|我同意后|經我同意|\
        私に確認|私に聞い|私に尋ね|僕に確認|僕に聞い|先に聞い|先に確認を|確認を取って|許可を取って|許可を求めて|\
        나한테 물어|나에게 물어|저한테 물어|저에게 물어|내게 물어|나한테 먼저 물어|나에게 먼저 물어|저한테 먼저 물어|저에게 먼저 물어|나한테 확인|나에게 확인|저한테 확인|저에게 확인|\
        bana sor|bana sorun|bana danış|onayımı al|benden onay al|\
        اسألني|واسألني|فاسألني|أسألني|استأذني|मुझसे पूछ|मुझ से पूछ|मुझसे पहले पूछ|\
        tanya saya|tanyakan saya|tanyakan kepada saya|tanya aku|tanya dulu|minta izin saya|hỏi tôi|hỏi mình|hỏi ý kiến tôi|xin phép tôi|xác nhận với tôi|\
        ถามฉัน|ถามผม|ถามดิฉัน|ถามก่อน|ให้ฉันยืนยัน|ให้ผมยืนยัน|\
        fråga mig|fråga först|stäm av med mig|spør meg|spør først|spørg mig|spørg først|kysy minulta|kysy ensin|zeptej se mě|kérdezz meg|întreabă-mă|ρώτησέ με|ρώτα με|попитай ме|pitaj me|תשאל אותי|שאל אותי");
/// What says so where a word for "first" stands beside it.
#[rustfmt::skip]
static ASKS_WITH_FIRST: List = List::new("mich fragen|preguntarme|consultarme|me demander|chiedermi|me perguntar|me vragen|mij vragen|zapytać mnie|спросить меня");
/// What says so where it is told before what: "let me know before you send it".
#[rustfmt::skip]
static TELLS_BEFORE: List = List::new("tell me|let me know|inform me|notify me|sag mir|sag mir bescheid|sag mir vorher bescheid|sag mir erst bescheid|sag mir zuerst bescheid|sag mir vorher|sag vorher bescheid|gib mir bescheid|gib mir vorher bescheid|informier mich|informiere mich|\
        avísame|avíseme|dime|infórmame|me avise|avise-me|avisa-me|me avisa|me diga|diga-me|préviens-moi|prévenez-moi|dis-le-moi|dis-moi|avertis-moi|informe-moi|avvisami|avvertimi|dimmelo|dimmi|laat me weten|laat het me weten|zeg het me|waarschuw me|powiedz mi|daj mi znać|uprzedź mnie|\
        предупреди меня|предупредите меня|скажи мне|сообщи мне|дай мне знать|попередь мене|скажи мені|säg till|säg till mig|sig til|si ifra|bana haber ver|bana söyle|أخبرني|أعلمني|मुझे बता|beri tahu saya|kasih tahu saya|kabari saya|báo tôi|báo cho tôi|nói với tôi|บอกฉัน|บอกผม|\
        跟我说|跟我讲|和我说|告诉我|通知我|让我知道|跟我說|跟我講|和我說|告訴我|讓我知道|教えて|知らせて|私に言って|나한테 말|나에게 말|저한테 말|저에게 말|알려줘|알려 줘|알려주|알려 주");
/// Words for "first" and "before".
#[rustfmt::skip]
const FIRST: &[&str] = &[
    "first", "before", "beforehand", "erst", "zuerst", "vorher", "zuvor", "vor", "bevor", "ehe", "antes", "primero", "avant", "abord", "prima", "eerst", "voor", "vooraf", "voordat", "najpierw", "przed", "zanim",
    "сначала", "сперва", "перед", "прежде", "спочатку", "قبل", "أولا", "dulu", "sebelum", "terlebih", "trước", "först", "innan", "først", "inden", "ensin", "ennen", "nejdřív", "než", "mielőtt", "înainte", "πριν", "преди", "prvo", "prije", "קודם", "לפני",
];
/// Words for "first" and "before" in scripts without blanks.
const FIRST_JOINED: &[&str] = &["先", "前", "まず", "먼저", "전에", "पहले", "ก่อน"];
/// What stands behind the verb of an act in these, where something is done before it.
const BEFORE_JOINED: &[&str] = &["之前", "以前", "前に", "前", "전에", "से पहले"];
/// The first letter of such a verb in Chinese.
const ACTS_JOINED: [char; 11] = ['发', '發', '传', '傳', '寄', '送', '删', '刪', '付', '买', '買'];
/// What in Chinese is done only behind it: "让我确认后再发".
#[rustfmt::skip]
const THEN_JOINED: &[&str] = &["再发", "再發", "再传", "再傳", "再送", "再寄", "再删", "再刪", "再提交", "再下单", "再下單", "再付", "后再", "後再"];
/// Who else than the model is to ask, if not these: "you have to ask me".
const YOU: &[&str] =
    &["you", "u", "want", "need", "have", "remember", "sure", "please", "are", "re"];
/// A wish not to be asked, right before the phrase in scripts without blanks.
#[rustfmt::skip]
const NOT_JOINED: &[&str] = &["不用", "不必", "不需", "无需", "無需", "无须", "不要", "没", "沒", "别", "別", "勿", "ไม่", "อย่า"];
/// A wish not to be asked, right behind the phrase.
#[rustfmt::skip]
const NOT_BEHIND: &[&str] = &["बिना", "नहीं", "नही", "ないで", "なくて", "不要", "必要な", "必要はな", "지 마", "지마", "지 말", "지말", "지 않", "지않", "필요 없", "필요없"];
/// What makes another thing of "问我": "问我妈".
const OF_ME: [char; 14] =
    ['的', '妈', '媽', '爸', '哥', '姐', '弟', '妹', '老', '儿', '女', '爷', '奶', '哪'];
/// Who is told to ask, in Chinese: "让她先问我".
const OTHERS_JOINED: &[&str] = &["让她", "让他", "讓她", "讓他", "叫她", "叫他", "请她", "请他"];
/// A condition within a Chinese or Japanese sentence.
const CONDITIONS_JOINED: &[&str] =
    &["如果", "若", "要是", "的话", "万一", "遇到", "有问题", "もし", "場合", "ถ้า", "หาก"];
/// Until when nothing is to be done.
#[rustfmt::skip]
const UNTIL: &[&str] = &["until", "till", "before", "unless", "after", "bis", "bevor", "nachdem", "hasta", "antes", "avant", "prima", "voordat"];
const WITHOUT: &[&str] =
    &["without", "ohne", "sin", "sans", "senza", "sem", "zonder", "bez", "без"];
/// Things that are asked for and are no permission.
#[rustfmt::skip]
const WHICH: &[&str] = &[
    "which", "what", "anything", "who", "whom", "where", "how", "why", "after", "afterwards", "later", "welche", "welchen", "welches", "welcher", "was", "wer", "wen", "wem", "wo", "wie", "nach", "danach", "nachher", "später", "cuál", "qué", "quel", "quelle", "quale", "cosa", "qual", "welke", "wat",
];
const LEAVE: &[&str] =
    &["approval", "permission", "confirmation", "ok", "okay", "consent", "leave"];
const ONLY: &[&str] =
    &["only", "just", "nur", "aber", "please", "bitte", "then", "dann", "so", "also"];
/// Behind a word for "if" what is a question to the user: "ask me if I want that".
#[rustfmt::skip]
const OF_USER: &[&str] = &["i", "we", "je", "j", "jag", "jeg", "quiero", "debo", "puedo", "voglio", "devo", "posso", "quero", "devo", "c"];
const FINE: &[&str] = &["ok", "okay", "fine", "right", "good", "alright", "correct"];

/// What behind such a phrase tells that somebody has asked: of a verb that has no form of its own for a wish.
const ASKED: [&str; 7] = ["본", " 본", "봤", " 봤", "봐서", "ा", "ी"];
/// What somebody has asked, near behind it where somebody stands before it: "妈妈问我几点回家".
#[rustfmt::skip]
const QUESTIONS_JOINED: &[&str] = &["什么", "什麼", "几", "幾", "怎么", "怎麼", "为什么", "為什麼", "哪", "谁", "誰", "多少"];
static QUESTIONS: List =
    List::new("mấy|gì|nào|ai|đâu|sao|bao|jam|apa|kapan|siapa|mana|berapa|kenapa|bagaimana");
/// What may stand before the wish, and is nobody who has asked.
#[rustfmt::skip]
const WISHES_JOINED: &[&str] = &["请", "請", "先", "要", "再", "但是", "但", "你", "您", "记得", "記得", "务必", "必须", "一定", "得", "就", "也", "都"];
static WISHES: List = List::new(
    "hãy|vui|lòng|nhớ|phải|nhưng|bạn|cần|luôn|rồi|và|xin|tolong|harap|tapi|dan|lalu|harus|kamu|anda|selalu|mohon",
);
/// What is sent to somebody as well: "schick Ben meine Zustimmung"; and what stands before it where it is waited for.
#[rustfmt::skip]
static SENT: List = List::new("rückfrage|meine zustimmung|meine erlaubnis|mon accord|ma confirmation");
static WAITED: List = List::new("nach|vor|ohne|auf|bis|erst|avant|sans|après|attends|attendez");

static FIRST_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(FIRST));
static WHICH_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(WHICH));

/// Whether the own words of a user (normalized) say that they want to be asked before what they ask for is done.
/// `contents` is where stands what is to be said to somebody.
pub(in crate::gate) fn wants_to_be_asked(text: &str, contents: &[Range<usize>]) -> bool {
    let is_said = |list: &List, needs_first: bool| {
        let places = list.iter().flat_map(|it| find(text, it).map(|at| (at, at + it.len())));
        places.into_iter().any(|(at, end)| {
            let said = PhraseSurroundings::new(text, at, end);
            let content = contents.iter().find(|it| it.contains(&at));
            (said.first || !needs_first)
                && !said.is_unwished()
                && !said.is_of_somebody(&text[at..end])
                && !said.is_account(&text[at..end])
                && !said.is_conditional()
                && content.is_none_or(|it| {
                    (said.first || said.is_behind_before()) && said.is_order(it.start)
                })
        })
    };
    is_said(&ASKS, false) || is_said(&ASKS_WITH_FIRST, true) || is_told_before(text, contents)
}

/// Whether they want to be told of it before: "let me know before you send it".
fn is_told_before(text: &str, contents: &[Range<usize>]) -> bool {
    let places = TELLS_BEFORE.iter().flat_map(|it| find(text, it).map(|at| (at, at + it.len())));
    places.into_iter().any(|(at, end)| {
        let said = PhraseSurroundings::new(text, at, end);
        let content = contents.iter().find(|it| it.contains(&at));
        said.first
            && said.is_before_act()
            && !said.is_unwished()
            && !said.is_of_somebody(&text[at..end])
            && !said.is_account(&text[at..end])
            && content.is_none_or(|it| said.is_order(it.start))
    })
}

/// What stands around such a phrase.
struct PhraseSurroundings<'a> {
    /// Where its sentence begins.
    from: usize,
    /// What stands before its part of the sentence, and in it.
    rest: &'a str,
    part: String,
    /// What stands behind it in its part, and in the next one where that is nothing.
    behind: &'a str,
    next: &'a str,
    first: bool,
}

impl<'a> PhraseSurroundings<'a> {
    fn new(text: &'a str, at: usize, end: usize) -> Self {
        let sentence = text[..at].rsplit(ENDS).next().unwrap_or_default();
        let (rest, part) = last_part(sentence);
        let rest_behind = text[end..].split(ENDS).next().unwrap_or_default();
        let mut parts = rest_behind.split(PARTS);
        let behind = parts.next().unwrap_or_default();
        let next = if behind.trim().is_empty() { parts.next().unwrap_or_default() } else { behind };
        let phrase = &text[at - part.len()..end];
        let is_first = |it: &str| {
            words(it).any(|it| FIRST_WORDS.contains(it))
                || FIRST_JOINED.iter().any(|first| it.contains(first))
        };
        let then = THEN_JOINED.iter().any(|it| next.contains(it));
        let first = is_first(phrase) || is_first(next) || then;
        Self {
            from: at - sentence.len(),
            rest,
            part: part.replace("n't", " not"),
            behind,
            next,
            first,
        }
    }

    /// The words before the phrase, the last one first.
    fn near(&self, most: usize) -> Vec<&str> {
        let all: Vec<_> = words(&self.part).collect();
        all.into_iter().rev().take(most).collect()
    }

    /// Whether they want not to be asked: "without asking me", "frag mich nicht".
    fn is_unwished(&self) -> bool {
        let near = self.near(3);
        let not_without = near.iter().any(|it| WITHOUT.contains(it))
            && words(&self.part)
                .any(|it| matches!(it, "not" | "never") || NOTHING_WORDS.contains(it));
        if not_without || near.iter().any(|it| UNTIL.contains(it)) {
            return false;
        }
        let start = self.part.char_indices().rev().nth(7).map_or(0, |(at, _)| at);
        near.iter().any(|it| FAR_WORDS.contains(*it))
            || NOT_JOINED.iter().any(|it| self.part[start..].contains(it))
            || words(self.behind).take(2).any(|it| it == "no" || NOTHING_WORDS.contains(it))
            || NOT_BEHIND.iter().any(|it| self.behind.contains(it))
    }

    /// Whether somebody else is to ask, or is asked: "tell Anna to ask me", "问我妈".
    fn is_of_somebody(&self, phrase: &str) -> bool {
        let near = self.near(2);
        let to_ask = near.first() == Some(&"to") && near.get(1).is_some_and(|it| !YOU.contains(it));
        let other = near.iter().any(|it| matches!(*it, "she" | "he" | "they"));
        let of_other = OTHERS_JOINED.iter().any(|it| self.part.contains(it));
        to_ask || other || phrase.ends_with('我') && (of_other || self.behind.starts_with(OF_ME))
    }

    /// Whether it tells that somebody has asked, or what is to be sent: "妈妈问我几点", "ich frage mich".
    fn is_account(&self, phrase: &str) -> bool {
        if ASKED.iter().any(|it| self.behind.starts_with(it)) {
            return true;
        }
        if matches!(phrase, "frag mich" | "frage mich") && self.near(1) == ["ich"] {
            return true;
        }
        if SENT.iter().any(|it| it == phrase) {
            let is_waited = self.near(4).iter().any(|it| WAITED.iter().any(|word| word == it));
            return !is_waited && !crate::gate::phrases::reaching(&self.part).is_empty();
        }
        if self.first {
            return false;
        }
        let before = WISHES_JOINED.iter().fold(self.part.clone(), |it, wish| it.replace(wish, ""));
        let somebody = words(&before).any(|it| !WISHES.iter().any(|wish| wish == it));
        let near: String = self.behind.chars().take(5).collect();
        somebody
            && (QUESTIONS_JOINED.iter().any(|it| near.contains(it))
                || words(self.behind).take(2).any(|it| QUESTIONS.iter().any(|word| word == it)))
    }

    /// Whether they want it in some case alone, or want to be asked for something else.
    fn is_conditional(&self) -> bool {
        let skip = |it: &&str| ONLY.contains(it) || FIRST_WORDS.contains(*it);
        let next: Vec<_> = words(self.next).skip_while(skip).collect();
        let word = |at: usize| next.get(at).copied().unwrap_or_default();
        if next.is_empty() {
            return self.is_behind_condition();
        }
        if WHICH_WORDS.contains(word(0)) && !self.first
            || word(0) == "for" && !next.iter().take(5).any(|it| LEAVE.contains(it))
        {
            return true;
        }
        if begins_condition(word(0)) {
            let is_question = OF_USER.contains(&word(1))
                || word(1) == "you"
                    && matches!(word(2), "should" | "may" | "can")
                    && word(3) != "not"
                || matches!(word(1), "it" | "that" | "this")
                    && next.iter().take(5).any(|it| FINE.contains(it));
            return !is_question;
        }
        self.is_behind_condition()
    }

    fn is_behind_condition(&self) -> bool {
        let mut behind = words(self.behind);
        let goes_on = behind.next().is_some_and(|it| TURNS_BACK.contains(&it));
        if self.first || goes_on && behind.any(begins_request) {
            return false;
        }
        let small = |it: &str| ONLY.contains(&it) || TURNS_BACK.contains(&it);
        let begins = |part: &str| {
            let mut rest = words(part).skip_while(|it| small(it));
            rest.next().is_some_and(begins_condition) && rest.next().is_some()
        };
        let joined = |part: &str| CONDITIONS_JOINED.iter().any(|it| part.contains(it));
        let alone = words(&self.part).all(small) || self.part.chars().count() <= 3;
        let before = last_part(self.rest.trim_end_matches(PARTS)).1;
        begins(&self.part) || joined(&self.part) || alone && (begins(before) || joined(before))
    }

    /// Whether all that is told besides is before what, or nothing is.
    fn is_before_act(&self) -> bool {
        let is_act = |it: &str| begins_request(it) || drafts::is_sending(it);
        let small = |it: &str| ONLY.contains(&it) || YOU.contains(&it) || FIRST_WORDS.contains(it);
        let next: Vec<_> = words(self.next).collect();
        let is_behind = match next.iter().position(|it| is_act(it)) {
            // "Before you send it", but not "before you send the photos".
            Some(at) => next.len() <= at + 2 && next.iter().any(|it| FIRST_WORDS.contains(*it)),
            None => next.iter().all(|it| small(it) || matches!(*it, "do" | "it" | "that")),
        };
        let in_part = words(&self.part).any(|it| FIRST_WORDS.contains(it));
        is_behind && !self.next.trim().is_empty()
            || self.is_behind_act()
            || self.next.trim().is_empty() && (in_part || words(&self.part).all(small))
    }

    /// Whether its part begins with the act and what says "before" in scripts without blanks: "发之前跟我说".
    fn is_behind_act(&self) -> bool {
        /// Letters of such a verb.
        const LONGEST: usize = 4;
        let part = WISHES_JOINED.iter().fold(self.part.clone(), |it, wish| it.replace(wish, ""));
        let part = part.trim();
        BEFORE_JOINED.iter().filter_map(|it| part.strip_suffix(it)).any(|act| {
            let act = act.trim();
            act.chars().count() <= LONGEST
                && (act.starts_with(ACTS_JOINED) || begins_request(act) || drafts::is_sending(act))
        })
    }

    /// Whether the part before it says before what: "avant de l'envoyer, demande-moi".
    fn is_behind_before(&self) -> bool {
        let before = last_part(self.rest.trim_end_matches(PARTS)).1;
        words(before).next().is_some_and(|it| UNTIL.contains(&it) || FIRST_WORDS.contains(it))
    }

    /// Whether it takes back what is to be said to somebody, or stands behind it: in a sentence of its own, or as a
    /// part that says nothing else. Which of both a user means by "if he wrote already, ask me first" nobody can tell.
    fn is_order(&self, content: usize) -> bool {
        self.near(1).first().is_some_and(|it| TURNS_BACK.contains(it))
            || content < self.from
            || self.is_part_behind(content)
    }

    fn is_part_behind(&self, content: usize) -> bool {
        /// Letters behind the phrase where a script has no blanks: "先问我一声".
        const MOST_BEHIND: usize = 3;
        let said = self.rest.get(content.saturating_sub(self.from) + 1..).unwrap_or_default();
        let said = said.trim_end_matches(PARTS);
        let condition = last_part(said).1;
        if said.trim().is_empty()
            || words(condition).next().is_some_and(begins_condition)
            || CONDITIONS_JOINED.iter().any(|it| condition.contains(it))
        {
            return false;
        }
        let before = WISHES_JOINED.iter().fold(self.part.clone(), |it, wish| it.replace(wish, ""));
        let small = |it: &str| {
            ONLY.contains(&it) || FIRST_WORDS.contains(it) || YOU.contains(&it) || it == "it"
        };
        (words(&before).all(small) || self.is_behind_act())
            && (self.is_before_act()
                || words(self.next).all(|it| small(it) || begins_request(it))
                || self.behind.trim().chars().count() <= MOST_BEHIND)
    }
}
