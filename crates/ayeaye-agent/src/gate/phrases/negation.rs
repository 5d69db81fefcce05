//! What turns the verbs of users around: a word that forbids, on either side of the verb, in its own part of the
//! sentence. Where it is in doubt the verb is forbidden: that costs a question.
use std::collections::HashSet;
use std::sync::LazyLock;

use super::clauses::{
    ENDS, PARTS, begins_request, chinese_part_of, is_broken_at, is_of_list, last_part, part_of,
};
use super::lookalikes::{is_english, is_in_other_word, without_in_the};
use super::telling::{
    SAYS, behind_name, forbids_to_tell, is_of_thing, is_sending, is_told_in_hindi, tells_which,
};
use crate::gate::text::{find, normalized, normalized_all, words};

/// What stands at most three words before a verb and turns it around.
#[rustfmt::skip]
const BEFORE: &[&str] = &[
    "not", "dont", "never", "without", "no", "cannot", "avoid", "before", "stop", "instead", "refrain", "forbidden", "neither", "nor", "w/o", "ni", "nem", "tampoco", "tampouco", "weder", "ani", "ни",
    "nicht", "kein", "keine", "ohne", "bevor", "nie", "pas", "sans", "ne", "avant", "jamais", "sin", "nunca", "antes", "não", "sem", "non", "senza", "prima", "mai",
    "niet", "geen", "zonder", "voordat", "nooit", "bez", "zanim", "nigdy", "не", "без", "никогда", "ніколи", "нельзя", "заборонено", "fără", "nélkül",
    "inte", "ikke", "ikkje", "aldrig", "aldri", "uten", "uden", "älä", "älkää", "ilman", "μην", "μη", "δεν", "χωρίς", "nemoj", "nemojte", "недей",
    "אל", "ואל", "לא", "ולא", "בלי", "אסור", "لا", "ولا", "دون", "ودون", "بدون", "وبدون", "عدم", "ليس", "لن", "ممنوع", "يمنع", "قبل",
    "avoiding", "eviter", "evite", "evitez", "evitant", "evita", "evitar", "evitando", "evitare", "vermeide", "vermeiden", "vermijd", "vermijden", "undvik", "undvika", "undgå", "unngå", "unikaj", "unikać",
    "избегай", "избегать", "избегайте", "уникай", "уникати", "تجنب",
    "न", "ना", "नहीं", "नही", "मत", "बिना", "बगैर", "jangan", "tanpa", "tidak", "dilarang", "sebelum", "đừng", "không", "cấm", "trước",
];
/// Of those what only tells when, or what is done instead, does not count farther away.
#[rustfmt::skip]
const NEAR_ONLY: &[&str] = &[
    "before", "stop", "instead", "avoid", "bevor", "avant", "antes", "prima", "mai", "voordat", "zanim", "قبل", "sebelum", "trước", "ne",
];
/// What tells that an act is only to come later, and how many words may stand between it and the verb.
#[rustfmt::skip]
const BEFORE_ACT: &[(&str, usize)] = &[
    ("vor dem", 0), ("vor der", 0), ("ehe", 2), ("innan du", 2), ("innan ni", 2), ("innan jag", 2), ("inden du", 2), ("inden jeg", 2), ("før du", 2), ("før jeg", 2), ("ennen kuin", 2), ("než", 1), ("mielőtt", 2), ("înainte de a", 1), ("înainte să", 2),
    ("πριν", 1), ("преди да", 2), ("prije nego", 2), ("перед тем", 2), ("прежде чем", 2), ("перед тим", 2), ("перш ніж", 2),
];
/// What forbids an act or puts it off in scripts without blanks, right before the verb.
#[rustfmt::skip]
const JUST_BEFORE: &[&str] = &["不", "别", "別", "勿", "没", "未", "无需", "不要", "อย่า", "ไม่", "ก่อน", "ก่อนจะ", "ก่อนที่จะ"];
/// "Not" and "cannot" of Korean, where words have blanks between them: "메일 안 보내", not "초안 보내".
const JUST_BEFORE_WORDS: &[&str] = &["안", "못"];
/// What forbids an act in these scripts also from farther away, up to what begins something else.
#[rustfmt::skip]
const FORBIDS: &[&str] = &[
    "不要", "別", "别", "勿", "没让", "沒讓", "没叫", "沒叫", "没要你", "沒要你", "不是", "不想", "不愿", "不打算", "不得", "不许", "不許", "不能", "不可", "不准", "不準", "禁止", "严禁", "嚴禁", "不必", "不用", "不应", "不應", "不该", "不該", "无需", "無需", "避免", "防止",
    "อย่า", "ห้าม", "ไม่ต้อง", "ไม่ให้", "ไม่ควร", "โดยไม่", "절대",
];
const BEGINS_ELSE: &[&str] = &["而是", "但", "再", "然后", "所以", "แต่", "말고"];
/// Letters between such a word and its verb.
const MOST_BETWEEN: usize = 14;
const MOST_IN_LIST: usize = 40;
/// What follows a verb and turns it around.
#[rustfmt::skip]
const AFTER: &[&str] = &[
    "不行", "不可以", "不允许", "不准", "不得", "之前", "ไม่", "न कर", "ने से पहले", "करने से पहले",
];
/// What stands behind "before" in Chinese: "发送前先问我", not "发给前女友".
#[rustfmt::skip]
const BEHIND_QIAN: [char; 18] = ['先', '，', ',', '、', '让', '讓', '请', '請', '要', '需', '必', '我', '问', '問', '给', '給', '确', '確'];
/// What forbids behind a verb that nothing is told by, anywhere in its part of the sentence.
#[rustfmt::skip]
const AFTER_ACTS: &[&str] = &[
    "不行", "不可以", "不允许", "不准", "不允許", "不準", "不必了", "不用了", "就不必", "就不用", "就免了", "就算了",
];
/// In Japanese and Korean, where the verb is the last of its part.
#[rustfmt::skip]
const ENDINGS: &[&str] = &[
    "ない", "なく", "ません", "ずに", "せず", "禁止", "不要", "ダメ", "駄目", "だめ", "るな", "すな", "くな", "やめ", "止め", "控え", "前に",
    "지 마", "지마", "지 말", "지말", "지 않", "지않", "금지", "면 안", "안 돼", "안돼", "안 되", "안되", "필요 없", "필요없", "안 됩", "안됩", "안 함", "안 해도", "안해도", "안 했으면", "없이", "말고", "말아", "전에",
];
/// "Would you not": what stands behind these is only polite.
const POLITE: &[&str] = &["くれ", "もら", "いただ", "頂"];
/// But not these: "I would rather you did not".
const POLITELY_NOT: &[&str] = &["たくな", "たくあり", "なくて", "なくとも", "ないでく", "ないでほ"];
/// What forbids, and stands before its verb: a wish or an order, not a statement.
#[rustfmt::skip]
const ORDERS_NOT: &[&str] = &[
    "not", "never", "dont", "niemals", "keinesfalls", "aldrig", "aldri", "inte", "ikke", "ikkje", "älä", "älkää", "μην", "μη", "אל", "nunca", "jamais", "mai", "nooit", "nigdy", "asla", "sakin",
    "никогда", "ніколи", "nemoj", "nemojte",
];
/// What begins something else, which is wanted again.
#[rustfmt::skip]
pub(super) const TURNS_BACK: &[&str] = &[
    "but", "instead", "and", "just", "only", "then", "sondern", "aber", "und", "dann", "mais", "et", "puis", "pero", "sino", "y", "mas", "ma", "poi", "maar", "en", "ale", "i", "ama",
    "sonra", "но", "а", "и", "але", "та", "men", "och", "og", "utan",
    "लेकिन", "मगर", "पर", "और", "बल्कि", "तो", "بل", "لكن", "ولكن", "ثم", "tapi", "tetapi", "melainkan", "lalu",
];
/// What forbids wherever it stands in the part of its verb.
#[rustfmt::skip]
const NOTHING: &[&str] = &[
    "nothing", "nobody", "none", "noone", "nicht", "nichts", "niemals", "keinesfalls", "niemand", "niemanden", "niemandem", "kein", "keine", "keinen", "keiner", "keinem", "keines",
    "niet", "niets", "geen", "nooit", "pas", "rien", "jamais", "aucun", "aucune", "nada", "nadie", "ninguno", "ninguna", "ningún", "nunca", "jamás", "ninguém", "nenhum", "nenhuma",
    "niente", "nulla", "nessuno", "nessuna", "nessun", "inte", "ikke", "ikkje", "aldrig", "aldri", "ingenting", "ingen", "inget", "inga", "intet", "nic", "nikogo", "nikomu", "nigdy",
    "nimic", "nimeni", "niciodată", "semmit", "senkit", "soha", "mitään", "ketään", "τίποτα", "ποτέ", "ничего", "никого", "никому", "никогда", "нельзя", "нічого", "нікого", "нікому", "ніколи",
    "weder", "verboten", "forbidden", "prohibited", "interdit", "prohibido", "proibido", "vietato", "verboden", "förbjudet", "forbudt", "запрещено", "заборонено", "yasak", "ممنوع", "dilarang", "मना", "żadnym",
    "нищо", "никога", "ništa", "nikoga", "nikad", "כלום", "नहीं", "नही", "मत",
];
/// What forbids only verbs behind which nothing is told: "Napisz Annie: nie przyjdę" forbids nothing.
const NOTHING_OF_ACTS: &[&str] = &["nie", "не", "ne"];
/// What forbids right behind the verb.
const BEHIND: &[&str] = &["not", "no", "never", "nie", "nem", "बिना", "बगैर"];
/// What begins what is told, behind a verb that tells it.
#[rustfmt::skip]
const TOLD: &[&str] = &[
    "i", "we", "he", "she", "they", "ich", "wir", "er", "ik", "wij", "hij", "jag", "jeg", "je", "j", "yo", "eu", "io", "я", "мы", "ми", "saya", "aku", "kami", "मैं", "हम", "أنا", "أنني",
    "that", "saying", "says", "whether", "if", "when", "dass", "ob", "wann", "wenn", "att", "que", "qu", "что", "що", "che", "dat", "ki", "कि", "bahwa", "ότι", "hogy",
];
/// What ends a request in Korean.
const KOREAN_ASKS: &[&str] = &["해 줘", "해줘", "해 주세요", "해주세요", "줘", "주세요"];
/// What need not be done before an act that is asked for all the same: "不用确认直接删除".
const NO_NEED: &[&str] = &["不用", "不必", "无需", "無需"];
const CONFIRM: &[&str] = &["确认", "確認", "询问", "詢問", "问我", "問我", "再问"];
/// What joins another request, or what is not meant: "and nothing else".
const AND: &[&str] =
    &["and", "und", "et", "y", "e", "en", "och", "og", "i", "и", "та", "but", "mais", "pero"];
const ELSE: &[&str] = &["sonst", "weiter", "verder", "anders", "else"];
/// Verbs of Romanian, where "nu" forbids: elsewhere it means "now".
#[rustfmt::skip]
const ROMANIAN: &[&str] = &[
    "trimite", "scrie", "spune", "răspunde", "întreabă", "șterge", "elimină", "sună", "publică", "postează", "instalează", "cumpără", "comandă", "plătește", "transferă", "permite",
];
/// Endings of Turkish and Finnish verbs that say "not".
#[rustfmt::skip]
const NOT_ENDINGS: &[&str] = &[
    "me", "ma", "meyin", "mayin", "meyiniz", "mayiniz", "mesin", "masin", "meden", "madan", "meyelim", "mayalim", "matta",
];

static BEFORE_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(BEFORE));
pub(super) static FAR_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| &*BEFORE_WORDS - &normalized_all(NEAR_ONLY));
static ORDERS_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(ORDERS_NOT));
pub(super) static NOTHING_WORDS: LazyLock<HashSet<String>> =
    LazyLock::new(|| normalized_all(NOTHING));
static TOLD_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(TOLD));
static BEFORE_ACT_TEXTS: LazyLock<Vec<(String, usize)>> =
    LazyLock::new(|| BEFORE_ACT.iter().map(|(it, most)| (normalized(it), *most)).collect());
static KOREAN_ASKS_TEXTS: LazyLock<Vec<String>> =
    LazyLock::new(|| KOREAN_ASKS.iter().map(|it| normalized(it)).collect());
static ROMANIAN_WORDS: LazyLock<HashSet<String>> = LazyLock::new(|| normalized_all(ROMANIAN));

/// Whether the verb that stands from `at` to `end` is turned around by what is in its part of the sentence: "do not
/// call", "不要发", "lösche sie nicht".
///
/// Of a verb that tells, `told_to` are the names of people: behind one of them begins what is told.
pub(in crate::gate) fn is_negated(
    text: &str,
    at: usize,
    end: usize,
    told_to: Option<&[String]>,
) -> bool {
    let tells = told_to.is_some();
    let before = text[..at].rsplit(ENDS).next().unwrap_or_default();
    let after = text[end..].split(ENDS).next().unwrap_or_default();
    is_forbidden_before(before, &text[at..end], after, tells)
        || is_forbidden_behind(after, &text[at..end], told_to)
        || is_forbidden_in_asian(&text[at..end], after, tells)
}

fn is_forbidden_before(before: &str, verb: &str, after: &str, tells: bool) -> bool {
    // "don't", "can't".
    let before = without_in_the(&before.replace("n't", " not"));
    let near: Vec<_> = words(&before).collect();
    // "do not" and what French and others put around a verb are within three words of it.
    if near.iter().rev().take(3).any(|it| BEFORE_WORDS.contains(*it)) || before.ends_with("n'") {
        return true;
    }
    let last = |count: usize| near.iter().rev().take(count);
    if last(2).any(|it| *it == "nu") && ROMANIAN_WORDS.contains(verb)
        || matches!(near.as_slice(), ["nu"] | [.., "rog" | "te", "nu"])
        || matches!(
            near.as_slice(),
            [.., "utan", "att"] | [.., "من", "غير"] | [.., "من", "غير", "ما"]
        )
        || near.last() == Some(&"noch") && near.contains(&"weder")
    {
        return true;
    }
    let just_before = |it: &&str| {
        before.trim_end().strip_suffix(*it).is_some_and(|rest| !is_in_other_word(rest, it, verb))
    };
    if JUST_BEFORE.iter().any(just_before)
        || last(1).any(|it| JUST_BEFORE_WORDS.contains(it))
        || is_before_act(&before)
        || is_broken_at(&before, |it| ORDERS_WORDS.contains(it) || NOTHING_WORDS.contains(it))
    {
        return true;
    }
    // Farther away in the same breath, unless something else begins between: "do not under any circumstances
    // delete", "不要给安娜发消息".
    let is_list = is_of_list(&before, after);
    let part = part_of(&before, is_list);
    let since: Vec<_> = words(&part).collect();
    let begin = since.iter().rposition(|it| TURNS_BACK.contains(it)).map_or(0, |at| at + 1);
    let forbids = |word: &str| {
        ORDERS_WORDS.contains(word)
            || NOTHING_WORDS.contains(word)
            || !tells && FAR_WORDS.contains(word)
    };
    if since[begin..].iter().rev().take(if is_list { 24 } else { 9 }).any(|it| forbids(it)) {
        return true;
    }
    let part = chinese_part_of(&before, after, is_list);
    FORBIDS.iter().any(|it| {
        let places = part.rmatch_indices(it).map(|(at, _)| (&part[..at], &part[at + it.len()..]));
        let is_word = |(before, between): &(&str, &str)| !is_in_other_word(before, it, between);
        places.into_iter().find(is_word).is_some_and(|(_, between)| {
            // "不要的照片", "不要な写真": what is not needed is no prohibition.
            let straight = NO_NEED.contains(it)
                && CONFIRM.iter().any(|it| between.starts_with(it))
                && between.contains("直接");
            !straight
                && between.chars().count() <= if is_list { MOST_IN_LIST } else { MOST_BETWEEN }
                && !between.starts_with(['的', 'な'])
                && !BEGINS_ELSE.iter().any(|it| between.contains(it))
        })
    })
}

/// Whether the verb behind these words only tells before what something else is to be done.
fn is_before_act(before: &str) -> bool {
    let part = last_part(before).1;
    BEFORE_ACT_TEXTS.iter().any(|(phrase, most)| {
        find(part, phrase).any(|at| {
            let between: Vec<_> = words(&part[at + phrase.len()..]).collect();
            between.len() <= *most && !between.iter().any(|it| TURNS_BACK.contains(it))
        })
    })
}

fn is_forbidden_behind(after: &str, verb: &str, told_to: Option<&[String]>) -> bool {
    let tells = told_to.is_some();
    let ending: String = after.chars().take_while(|c| c.is_alphabetic()).collect();
    let stem = NOT_ENDINGS.iter().find_map(|it| ending.strip_suffix(it));
    if stem.is_some_and(|it| it.chars().count() <= 2) {
        return true;
    }
    let next = after.trim_start().trim_start_matches(['除', '掉']);
    let before_it = next.strip_prefix('前');
    if AFTER.iter().any(|it| next.starts_with(it))
        || before_it.is_some_and(|it| it.is_empty() || it.starts_with(BEHIND_QIAN))
        || words(after).next() == Some("لا")
    {
        return true;
    }
    let part = after.split(PARTS).next().unwrap_or_default();
    // "不用了的照片": of what is no longer needed.
    let refuses =
        |it: &&str| part.find(it).is_some_and(|at| !part[at + it.len()..].starts_with('的'));
    if !tells && AFTER_ACTS.iter().any(refuses) {
        return true;
    }
    if part.contains("no circumstances") || part.contains("no one") {
        return true;
    }
    let rest = part.get(ending.len()..).unwrap_or_default();
    let all: Vec<&str> = words(rest).collect();
    // "Reply no to Anna".
    let says_no =
        tells && SAYS.contains(&verb) && matches!(all.as_slice(), ["no"] | ["no", "to", ..]);
    // "Publique no Instagram": in the.
    let in_the = all.first() == Some(&"no") && 1 < all.len() && !is_english(verb, &ending);
    if all.first().is_some_and(|it| BEHIND.contains(it)) && !says_no && !in_the {
        return true;
    }
    if let Some(told) = told_to.and_then(|people| behind_name(&all, people)) {
        return forbids_to_tell(told, is_sending(verb), |it| NOTHING_WORDS.contains(it));
    }
    let forbids =
        |word: &str| NOTHING_WORDS.contains(word) || !tells && NOTHING_OF_ACTS.contains(&word);
    for (at, word) in all.iter().enumerate() {
        if tells && TOLD_WORDS.contains(*word) {
            return false;
        }
        let next = |count: usize| all.get(at + count).copied().unwrap_or_default();
        if !tells && tells_which(word, next(1)) {
            return false;
        }
        if is_of_thing(&all, at) || tells && is_told_in_hindi(&all, at) {
            continue;
        }
        if AND.contains(word)
            && (begins_request(next(1))
                || forbids(next(1))
                || ELSE.contains(&next(1)) && forbids(next(2)))
        {
            return false;
        }
        if forbids(word) {
            return true;
        }
    }
    false
}

/// Whether a verb of Japanese or Korean asks for something by its own ending, and something else stands behind it.
fn is_complete(verb: &str, after: &str) -> bool {
    let rest = ["して", "って", "て"].iter().find_map(|it| after.strip_prefix(it));
    let rest = rest.or_else(|| verb.ends_with('て').then_some(after));
    let goes_on = |c: char| {
        matches!(c, '\u{3040}'..='\u{309f}')
            || "欲頂貰下良駄困構禁".contains(c)
            || c.is_whitespace()
    };
    let trimmed = after.trim_start();
    let asks = KOREAN_ASKS_TEXTS.iter().find_map(|it| trimmed.strip_prefix(it.as_str()));
    rest.is_some_and(|it| it.chars().next().is_some_and(|c| !goes_on(c)))
        || asks.is_some_and(|it| it.starts_with(' '))
}

/// Whether a verb of Japanese or Korean ends so that it is forbidden.
fn is_forbidden_in_asian(verb: &str, after: &str, tells: bool) -> bool {
    if is_complete(verb, after) {
        return false;
    }
    let is_asian = |c: char| matches!(c, '\u{3040}'..='\u{30ff}' | '\u{ac00}'..='\u{d7af}');
    let part = after.split(PARTS).next().unwrap_or_default();
    let polite = POLITE.iter().filter_map(|it| part.find(it)).min().unwrap_or(part.len());
    if POLITELY_NOT.iter().any(|it| part[polite..].contains(it)) {
        return true;
    }
    let most = if tells { 16 } else { usize::MAX };
    let part: String = part[..polite].chars().take(most).collect();
    part.chars().any(is_asian) && ENDINGS.iter().any(|it| part.contains(it))
        || ["禁止", "不要"].iter().any(|it| part.trim() == *it)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verb_may_be_turned_around() {
        let negated = |text: &str, verb: &str| {
            let text = normalized(text);
            let verb = normalized(verb);
            let at = text.find(&verb).unwrap();
            is_negated(&text, at, at + verb.len(), None)
        };
        assert!(negated("do not call her", "call"));
        assert!(negated("put them in the cart, never order", "order"));
        assert!(negated("Anna nicht anrufen", "anrufen"));
        assert!(negated("不要发消息", "发"));
        assert!(negated("注文しないで", "注文"));
        assert!(negated("n'appelle pas", "appelle"));
        assert!(negated("Do not under any circumstances delete the note", "delete"));
        assert!(negated("不要给安娜发消息", "发"));
        assert!(negated("别把照片删掉", "删"));
        assert!(negated("Schick niemals wieder etwas", "schick"));
        assert!(negated("Lösche auf gar keinen Fall etwas; niemals etwas löschen", "löschen"));
        assert!(negated("Skicka inte något", "skicka"));
        assert!(negated("送らないで", "送"));
        assert!(negated("Anna'ya mesaj gönderme", "gonder"));
        assert!(negated("Notu silmeyin", "sil"));
        assert!(!negated("Notu silmek istiyorum", "sil"));
        assert!(negated("Nu trimite nimic", "trimite"));
        assert!(!negated("Stuur nu een bericht", "stuur"));
        assert!(!negated("Do not call Ben but send Anna a message", "send"));
        assert!(!negated("不要打电话，发消息给安娜", "发"));
        assert!(!negated("call her", "call"));
        assert!(!negated("I do not know why. Call her", "call"));
    }
}
