//! A person's answer to a question of the gate: yes, no, or neither.
use std::sync::LazyLock;

use super::phrases::{ACCENTED, ANSWERS, DONE};
use super::text::{consists_of, normalized, normalized_entries};

/// The words of one language, normalized.
#[derive(Debug)]
struct Answers {
    yes: Vec<String>,
    no: Vec<String>,
    polite: Vec<String>,
}

static LANGUAGES: LazyLock<Vec<Answers>> = LazyLock::new(|| {
    let read = |(_, yes, no, polite): &(_, &'static str, &'static str, &'static str)| Answers {
        yes: normalized_entries(yes),
        no: normalized_entries(no),
        polite: normalized_entries(polite),
    };
    ANSWERS.iter().map(read).collect()
});

static DONE_WORDS: LazyLock<Vec<String>> = LazyLock::new(|| normalized_entries(DONE));

/// What begins with a yes and is none: "come on!" in Russian and Ukrainian.
const NO_YES: [&str; 2] = ["да ладно", "та ладно"];
/// Signs that a person sends for a yes to what is asked.
const YES_SIGNS: [char; 2] = ['👍', '✅'];

/// Longer answers say more than yes or no.
const LONGEST: usize = 60;

/// Whether an answer is a clear yes: one or more words for yes, polite words, and nothing else. Anything else is none:
/// conditions are for the model to interpret.
pub fn is_yes(answer: &str) -> bool {
    let plain = normalized(answer);
    // In any colour of skin.
    let is_sign = |c: char| YES_SIGNS.contains(&c) || matches!(c, '\u{1f3fb}'..='\u{1f3ff}');
    let text = plain.replace(is_sign, " ");
    let text = text.trim();
    if text.is_empty() {
        return plain.contains(YES_SIGNS);
    }
    if NO_YES.iter().any(|it| text.contains(it)) {
        return false;
    }
    let lacks_accent = |it: &str| {
        let plain = normalized(it);
        let mut said = text.split(|c: char| !c.is_alphanumeric());
        said.any(|word| word == plain) && !answer.to_lowercase().contains(it)
    };
    !ACCENTED.iter().any(|it| lacks_accent(it))
        && LANGUAGES.iter().any(|it| says(text, &it.yes, &it.polite, true))
}

/// Whether an answer is a clear no: one word for no, and polite words. Two may be a yes: "do not stop".
pub fn is_no(answer: &str) -> bool {
    let text = normalized(answer);
    LANGUAGES.iter().any(|it| says(&text, &it.no, &it.polite, false))
}

/// Whether an answer says only yes, no or that something was done, and so cannot contain a password.
pub(crate) fn is_plain_answer(answer: &str) -> bool {
    let text = normalized(answer);
    is_yes(answer)
        || is_no(answer)
        || LANGUAGES.iter().any(|it| {
            let said: Vec<String> =
                [&it.yes, &it.no, &*DONE_WORDS].into_iter().flatten().cloned().collect();
            says(&text, &said, &it.polite, true)
        })
}

/// Whether a text (normalized) consists of words that say it, once or `often`, and of polite ones.
fn says(text: &str, said: &[String], polite: &[String], often: bool) -> bool {
    let text = text.trim_end_matches(['.', '!', '。']);
    if LONGEST < text.chars().count() {
        return false;
    }
    let is_gap = |c: char| [' ', ',', '.', '!', '。', '、', '،'].contains(&c);
    consists_of(text, said, polite, often, is_gap)
}

#[cfg(test)]
mod tests {
    use super::super::phrases::languages;
    use super::super::text::entries;
    use super::*;

    #[test]
    fn a_yes_is_a_yes_in_every_language() {
        for answer in [
            "Yes",
            "yes, please",
            "OK!",
            "Sure, go ahead",
            "Yes. Do it.",
            "ＯＫ",
            "ja bitte",
            "Ja, mach das",
            "oui vas-y",
            "Oui, s’il te plaît",
            "sim",
            "sì",
            "Si",
            "Sí, adelante",
            "tak",
            "evet",
            "EVET",
            "так",
            "да",
            "Да!",
            "да, пожалуйста",
            "はい",
            "はい、お願いします",
            "네",
            "예",
            "네, 부탁해요",
            "نعم",
            "نعم، من فضلك",
            "हाँ",
            "हां",
            "जी हाँ",
            "ya",
            "có",
            "嗯",
            "嗯嗯",
            "行",
            "可以",
            "好的",
            "好的，谢谢",
            "没问题。",
            "ใช่",
            "ได้ครับ",
            "ja tack",
            "ja tak",
            "kyllä",
            "ano",
            "igen",
            "da",
            "ναι",
            "כן",
            "graag",
            "Doe maar",
            "👍",
            "👍🏽👍🏽",
            "✅",
            "Yes 👍",
            "да, ладно",
            "allow",
        ] {
            assert!(is_yes(answer), "{answer}");
            assert!(!is_no(answer), "{answer}");
        }
    }

    #[test]
    fn a_no_is_a_no_in_every_language() {
        for answer in [
            "No",
            "no, thanks",
            "No thank you!",
            "don’t",
            "Nein danke",
            "non merci",
            "Não, obrigado",
            "nie",
            "hayır",
            "нет",
            "нет, спасибо",
            "не надо",
            "ні",
            "不",
            "不用了，谢谢",
            "いいえ",
            "아니요",
            "لا، شكرا",
            "नहीं",
            "tidak",
            "không",
            "ไม่ครับ",
            "nej tak",
            "nej tack",
            "nei takk",
            "ei kiitos",
            "ne",
            "nem",
            "nu",
            "όχι",
            "לא תודה",
        ] {
            assert!(is_no(answer), "{answer}");
            assert!(!is_yes(answer), "{answer}");
        }
    }

    #[test]
    fn what_is_doubtful_is_neither() {
        for answer in [
            "",
            " ",
            ".",
            "please",
            "спасибо",
            "yes?",
            "yes, but not now",
            "yes and no",
            "no, yes",
            "да нет",
            "да нет, наверное",
            "ja nein",
            "okay, wait",
            "only if it is free",
            "是不是",
            "好不好",
            "行不行",
            "可以吗",
            "能不能",
            "yes to the first",
            "do not stop",
            "tak boleh",
            "co",
            "Co?",
            "Co.",
            "co co",
            "Terima kasih ya",
            "はいいいえ",
            "네 아니요",
            "ไม่ตกลง",
            "y tú",
            "yesterday",
            "danke",
            "sure thing, tomorrow",
            "да?",
            "да ладно",
            "Да ладно!",
            "👍🤔",
            "✅❌",
            "👍?",
            "🏽",
            "no 👍",
            "👎",
            "有",
        ] {
            assert!(!is_yes(answer), "{answer}");
        }
        for answer in
            ["do not stop", "no, yes", "да нет", "not sure", "no idea", "нет проблем", "不知道"]
        {
            assert!(!is_no(answer), "{answer}");
        }
    }

    #[test]
    fn each_language_of_the_gate_can_say_both() {
        let known: Vec<&str> = ANSWERS.iter().map(|(language, ..)| *language).collect();
        for language in languages() {
            assert!(known.contains(&language), "{language}");
        }
        for (language, yes, no, polite) in ANSWERS {
            let least = |list, count| count <= entries(list).count();
            assert!(least(yes, 3) && least(no, 3) && least(polite, 1), "{language}");
            for word in entries(yes) {
                assert!(is_yes(word) && !is_no(word), "{language}: {word}");
            }
            for word in entries(no) {
                assert!(is_no(word) && !is_yes(word), "{language}: {word}");
            }
        }
    }
}
