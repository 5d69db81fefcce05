//! The people that a message in the user's words goes to, without those it is only about, or whose things are sent.
use std::sync::LazyLock;

use super::fillers::says_something;
use super::phrases;
use super::text::{find, is_spaced, normalized, stems, words};

/// What is told, up to the end of the sentence or to what names whom it is for.
#[rustfmt::skip]
const ABOUT: &[&str] = &[
    "about", "regarding", "concerning", "über", "wegen", "bezüglich", "sobre", "acerca de", "au sujet de", "à propos de", "concernant", "riguardo a", "a proposito di", "sulla", "sul", "sull'", "over", "na temat", "dotyczące",
    "про", "об", "обо", "насчёт", "щодо", "关于", "關於", "tentang", "mengenai", "về", "เกี่ยวกับ", "عن", "بشأن", "angående", "vedrørende", "ohledně", "σχετικά με", "относно",
];
/// "о" of Russian and such, which is a word of one letter.
const ABOUT_SHORT: &[&str] = &["о"];
/// What tells what a message is about where it stands behind that.
const ABOUT_BEHIND: &[&str] =
    &["について", "のこと", "에 대해", "에 관해", "에 대한", "के बारे में", "hakkında"];
/// What begins whom it is for.
#[rustfmt::skip]
const FOR: &[&str] = &[
    " to ", " an ", " für ", " a ", " al ", " à ", " para ", " ad ", " alla ", " naar ", " aan ", " do ", " для ", " ke ", " kepada ", " untuk ", " cho ", " tới ", "发给", "發給", "告诉", "告訴", " إلى ", " till ", " til ", " ถึง ",
];
/// Ways on which something goes, and which nobody writes about.
#[rustfmt::skip]
const CHANNELS: &[&str] = &[
    "whatsapp", "telegram", "signal", "sms", "mail", "email", "e-mail", "messages", "messenger", "threema", "viber", "line", "wechat", "instagram", "facebook", "slack", "teams", "discord", "skype",
    "imessage", "snapchat", "tiktok", "twitter", "linkedin", "gmail", "outlook", "zalo", "kakaotalk", "qq", "google", "maps",
    "微信", "钉钉", "飞书", "카카오톡", "카톡", "ватсап", "вотсап", "телеграм", "вайбер", "واتساب", "الواتساب", "व्हाट्सएप", "ไลน์",
];
/// Questions that are handed on: "ask Bob whether Anna comes".
#[rustfmt::skip]
const HANDED_ON: &[&str] = &[
    "whether", "if", "where", "when", "how", "why", "who", "what", "ob", "wann", "wo", "wie", "warum", "wer", "was", "si", "dónde", "cuándo", "cómo", "qué", "où", "quand", "comment", "pourquoi", "ce que", "se", "onde", "quando", "como", "o que", "dove", "come", "cosa", "waar", "wanneer", "hoe", "wat",
    "czy", "gdzie", "kiedy", "jak", "где", "когда", "как", "придёт ли", "де", "коли", "чи",
];
/// Whose it is, in front of a name.
#[rustfmt::skip]
const OF: &[&str] = &["of", "from", "by", "von", "vom", "de", "del", "d'", "du", "da", "dos", "di", "della", "van", "od", "от", "від", "dari", "của", "من"];
/// What may be of somebody and reaches them all the same.
#[rustfmt::skip]
const REACHES: &[&str] = &[
    "chat", "chats", "thread", "conversation", "group", "inbox", "dm", "phone", "mobile", "cell", "line", "landline", "house", "home", "office", "work", "messages", "message", "text", "email", "mail", "question", "invitation", "whatsapp",
];
/// What of somebody is written into, so that it reaches them: "the chat of Anna".
#[rustfmt::skip]
const CHATS: &[&str] = &[
    "chat", "chats", "thread", "conversation", "group", "inbox", "dm", "phone", "mobile", "unterhaltung", "gruppe", "konversation", "conversación", "grupo", "conversa", "groupe", "gruppo", "groep", "gesprek", "grupa", "чат", "беседе",
];
/// What of somebody is written into, where it stands right behind its owner without a blank.
const JOINED_CHATS: &[&str] = &[
    "手机",
    "手機",
    "电话",
    "電話",
    "微信",
    "号码",
    "邮箱",
    "聊天",
    "对话",
    "群",
    "チャット",
    "番号",
    "スマホ",
    "携帯",
    "トーク",
];
/// What stands before a name in scripts without blanks.
const AROUND_NAMES: &str = "发發送给給把将張张份条條个個和与與告诉訴问問在从從にへをはがと";
/// Verbs that reach whom something is from.
#[rustfmt::skip]
const REPLIES: &[&str] = &[
    "reply", "repl", "answer", "respond", "react", "antwort", "beantwort", "reagier", "respond", "contest", "répond", "rispond", "respon", "odpowi", "odpis", "yanıt", "cevap", "ответ", "відпові", "回复", "回覆", "返信", "답장", "رد", "जवाब", "balas", "trả lời", "ตอบ", "svar", "vastaa",
];

static ABOUT_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| all(&[ABOUT, ABOUT_SHORT]));
static BEHIND_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| all(&[ABOUT_BEHIND]));
static HANDED_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| all(&[HANDED_ON]));
static OF_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| all(&[OF]));
static REACHES_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| all(&[REACHES]));
static CHATS_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| all(&[CHATS]));
static REPLIES_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| all(&[REPLIES]));
/// With the blanks around them.
static FOR_TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let parted = |it: &&str| {
        if it.starts_with(' ') { format!(" {} ", normalized(it)) } else { normalized(it) }
    };
    FOR.iter().map(parted).collect()
});

fn all(lists: &[&[&str]]) -> Vec<String> {
    lists.iter().flat_map(|it| *it).map(|it| normalized(it)).collect()
}

/// Whether a word (normalized) is a channel, such as "email", and nobody's name.
pub(super) fn is_channel(word: &str) -> bool {
    word != LINE && CHANNELS.contains(&word)
}

/// The one channel whose name may also be a person's.
pub(super) const LINE: &str = "line";

/// A place in a text, from where to where.
type TextSpan = (usize, usize);

/// A user's words (normalized, without quotations) without the people they only tell about. `said` marks the parts that
/// are to be said to somebody.
pub(super) fn addressed(own: &str, said: &[TextSpan]) -> String {
    let text = Text { own, verbs: phrases::reaching(own) };
    let mut out: Vec<TextSpan> =
        said.iter().copied().filter(|it| text.is_told_to_somebody(it.0)).collect();
    let mut from = 0;
    for part in own.split_inclusive(['.', ';', '!', '?', '\n', ',', ':', '。', '、', '\u{61f}']) {
        let to = from + part.len();
        let sentence = begin_of_sentence(&own[..from]);
        about(part, from, &mut out);
        if text.tells(sentence, to) {
            text.handed_on(sentence, from, to, &mut out);
            // Who is answered is whom something is from.
            let replies = REPLIES_TEXTS.iter();
            if !replies.into_iter().any(|it| stems(&own[sentence..to], it).next().is_some()) {
                text.whose(from, to, &mut out);
            }
        }
        from = to;
    }
    without(own, &mut out)
}

fn without(text: &str, out: &mut [TextSpan]) -> String {
    out.sort_unstable();
    let mut rest = String::with_capacity(text.len());
    let mut at = 0;
    for (from, to) in out.iter().copied().filter(|(from, to)| from <= to) {
        if at < from {
            rest.push_str(text.get(at..from).unwrap_or_default());
            rest.push(' ');
        }
        at = at.max(to);
    }
    rest.push_str(text.get(at..).unwrap_or_default());
    rest
}

/// Where the last sentence of a text begins.
fn begin_of_sentence(text: &str) -> usize {
    let ends = ['.', ';', '!', '?', '\n', '。', '\u{61f}'];
    text.rfind(ends).map_or(0, |at| at + text[at..].chars().next().map_or(1, char::len_utf8))
}

/// A user's words, and where in them stands what reaches somebody.
struct Text<'a> {
    own: &'a str,
    verbs: Vec<TextSpan>,
}

impl Text<'_> {
    /// Whether somebody is reached in this part.
    fn tells(&self, from: usize, to: usize) -> bool {
        self.verbs.iter().any(|(at, end)| from <= *at && *end <= to)
    }

    /// Whether somebody stands before what is said, so that those in it are not who is meant.
    fn is_told_to_somebody(&self, at: usize) -> bool {
        const LABELS: [&str; 8] = ["to", "an", "a", "para", "кому", "do", "naar", "für"];
        let from = begin_of_sentence(&self.own[..at]);
        let last = words(&self.own[from..at]).last();
        !last.is_some_and(|it| LABELS.contains(&it)) && self.is_followed_by_somebody(from, at)
    }

    /// Whether behind the first verb of a part stands a word that says something, or letters of a script without
    /// blanks.
    fn is_followed_by_somebody(&self, from: usize, to: usize) -> bool {
        let inside = self.verbs.iter().filter(|(at, end)| from <= *at && *end <= to);
        let part = &self.own[from..to];
        let Some(end) = inside.map(|(_, end)| *end).min() else { return !part.trim().is_empty() };
        let rest = self.own[end..to].trim_start_matches(char::is_alphabetic);
        words(rest).any(says_something)
            || self.own[from..end].chars().any(|c| !is_spaced(c) && c.is_alphabetic())
    }

    /// "ask Bob whether Anna comes": what stands behind belongs to the question, if somebody stands before.
    fn handed_on(&self, sentence: usize, from: usize, to: usize, out: &mut Vec<TextSpan>) {
        let part = &self.own[from..to];
        for phrase in HANDED_TEXTS.iter() {
            for at in find(part, phrase).map(|at| from + at) {
                let told = self.tells(sentence, at) && self.is_followed_by_somebody(sentence, at);
                match self.next_request(at, to) {
                    Some(next) => out.push((at, next)),
                    None if told => out.push((at, to)),
                    None => {}
                }
            }
        }
    }

    /// Where something else is asked for: "and tell Bob".
    fn next_request(&self, from: usize, to: usize) -> Option<usize> {
        const AND: [&str; 10] = ["and", "und", "y", "e", "et", "и", "i", "en", "then", "dann"];
        let after = self.verbs.iter().map(|(at, _)| *at).filter(|at| from < *at && *at < to);
        let joined =
            |at: &usize| words(&self.own[from..*at]).last().is_some_and(|it| AND.contains(&it));
        after.filter(joined).min()
    }

    /// "find Anna's number and call her": whose number it is, is whom the next verb reaches.
    fn is_reached_then(&self, name: usize, after: usize) -> bool {
        const NUMBERS: [&str; 4] = ["number", "contact", "phone number", "profile"];
        let rest = &self.own[after..];
        let rest = NUMBERS.iter().find_map(|it| rest.strip_prefix(it)).unwrap_or_default();
        let begin = self.own.len() - rest.trim_start_matches([' ', ',']).len();
        let mut verbs = self.verbs.iter().filter(|(at, _)| begin <= *at);
        let reached = verbs.any(|(at, end)| {
            matches!(self.own[begin..*at].trim_end(), "and" | "then" | "and then")
                && words(&self.own[*end..])
                    .next()
                    .is_some_and(|it| matches!(it, "her" | "him" | "them"))
        });
        reached && !self.tells(begin_of_sentence(&self.own[..name]), name)
    }

    /// Whose things are sent: "Anna's address", "the photo of Anna", "把安娜的照片".
    fn whose(&self, from: usize, to: usize, out: &mut Vec<TextSpan>) {
        let part = &self.own[from..to];
        let goes_on = |at: usize| FOR_TEXTS.iter().any(|it| part[at..].contains(it.as_str()));
        let is_one_of = |list: &[String], word: &str| list.iter().any(|it| it == word);
        for (at, _) in part.match_indices("'s ") {
            let start = part[..at].rfind(' ').map_or(0, |it| it + 1);
            let next = words(&part[at + 3..]).next().unwrap_or_default();
            if self.is_reached_then(from + start, from + at + 3) {
                continue;
            }
            if !is_one_of(&REACHES_TEXTS, next) || goes_on(at + 2) {
                out.push((from + start, from + at));
            }
        }
        for phrase in OF_TEXTS.iter() {
            for at in find(part, phrase).filter(|at| self.tells(from, from + at)) {
                let before = words(&part[..at]).last().unwrap_or_default();
                if !is_one_of(&CHATS_TEXTS, before) {
                    let rest = &part[at + phrase.len()..];
                    out.push((from + at, from + at + phrase.len() + until_for(rest)));
                }
            }
        }
        for (joint, letters) in [("的", 4), ("の", 6)] {
            for (at, _) in part.match_indices(joint) {
                let next = &part[at + joint.len()..];
                if JOINED_CHATS.iter().any(|it| next.starts_with(it)) {
                    continue;
                }
                let name = part[..at].char_indices().rev().take(letters);
                let inside = |c: char| c.is_alphabetic() && !AROUND_NAMES.contains(c);
                let start = name.take_while(|(_, c)| inside(*c)).last().map_or(at, |(at, _)| at);
                out.push((from + start, from + at));
            }
        }
        let mut at = 0;
        for word in part.split_inclusive(' ') {
            let name = word.trim_end();
            if name.ends_with('의') && 2 < name.chars().count() {
                out.push((from + at, from + at + name.len()));
            }
            at += word.len();
        }
    }
}

/// What the words tell of: "about Anna's party".
fn about(part: &str, from: usize, out: &mut Vec<TextSpan>) {
    for phrase in ABOUT_TEXTS.iter() {
        for at in find(part, phrase) {
            let rest = &part[at + phrase.len()..];
            let first = words(rest).next().unwrap_or_default();
            if CHANNELS.contains(&first) {
                continue;
            }
            out.push((from + at, from + at + phrase.len() + until_for(rest)));
        }
    }
    for phrase in BEHIND_TEXTS.iter() {
        for (at, _) in part.match_indices(phrase.as_str()) {
            let before = part[..at].trim_end();
            let to_somebody =
                ["に", "へ", "에게 ", "한테 ", "께 ", "को ", "'a ", "'e ", "'ya ", "'ye "];
            let start =
                to_somebody.iter().filter_map(|it| before.rfind(it).map(|at| at + it.len())).max();
            out.push((from + start.unwrap_or_default(), from + at));
        }
    }
}

/// Up to what names whom it is for, or to the end.
fn until_for(rest: &str) -> usize {
    FOR_TEXTS.iter().filter_map(|it| rest.find(it.as_str())).min().unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_whom_the_words_tell_of_are_not_whom_they_are_for() {
        for (text, who, not) in [
            ("Tell Bob about Anna's party", "bob", "anna"),
            ("Send Anna's address to Bob", "bob", "anna"),
            ("Send Bob Anna's address", "bob", "anna"),
            ("Find Anna's number and tell Bob", "bob", "anna"),
            ("Send Bob Anna's number and thank him", "bob", "anna"),
            ("Ask Bob whether Anna comes", "bob", "anna"),
            ("Forward the mail of Ben to Anna", "anna", "ben"),
            ("Send a message about Ben to Anna", "anna", "ben"),
            ("Escribe a Bob sobre Ana", "bob", "ana"),
            ("Schreib Bob über Anna", "bob", "anna"),
            ("把安娜的照片发给李伟", "李伟", "安娜"),
            ("发给李伟一张安娜的照片", "李伟", "安娜"),
            ("佐藤の写真を田中に送って", "田中", "佐藤"),
            ("밥에게 안나의 파티에 대해 알려 줘", "밥", "안나"),
        ] {
            let rest = addressed(&normalized(text), &[]);
            assert!(rest.contains(who) && !rest.contains(not), "{text}: {rest}");
        }
        for (text, who) in [
            ("Reply to the message from Anna", "anna"),
            ("Answer Anna's question", "anna"),
            ("Call Anna's mobile", "anna"),
            ("Find Anna's number and call her", "anna"),
            ("Open the chat of Anna and write hello", "anna"),
            ("Schreib Anna über WhatsApp", "anna"),
            ("Envía la foto a Ana de la Torre", "ana"),
        ] {
            assert!(addressed(&normalized(text), &[]).contains(who), "{text}");
        }
    }
}
