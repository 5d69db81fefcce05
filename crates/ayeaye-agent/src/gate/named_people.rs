//! The people that a user's words address by name, and the things that are only sent to them.
use super::phrases;
use super::text::words;

/// What leads to whom something is for (normalized).
#[rustfmt::skip]
const TOWARDS: &[&str] = &[
    "to", "with", "an", "fur", "mit", "a", "al", "para", "con", "au", "pour", "avec", "ad", "alla", "com", "naar", "aan", "met", "do", "dla", "к", "до", "для", "till", "til", "ke", "kepada", "untuk", "cho",
];
/// Verbs behind which somebody stands: "text my mom".
#[rustfmt::skip]
const REACH: &[&str] = &[
    "text", "tell", "call", "ask", "message", "ring", "phone", "dial", "remind", "inform", "invite", "thank", "answer", "notify", "sag", "sage", "frag", "frage", "ruf", "rufe", "schreib", "schreibe", "erinnere",
    "dile", "llama", "pregunta", "avisa", "escribe", "dis", "appelle", "demande", "previens", "ecris", "chiama", "chiedi", "avvisa", "scrivi", "diga", "ligue", "pergunte", "escreva", "bel", "vraag", "vertel",
];
/// Articles and the like, behind which a thing stands.
#[rustfmt::skip]
const ARTICLES: &[&str] = &[
    "the", "my", "your", "his", "her", "our", "their", "this", "these", "those", "some", "das", "die", "der", "den", "dem", "ein", "eine", "einen", "mein", "meine", "meinen", "dieses", "diese", "diesen",
    "la", "el", "los", "las", "un", "una", "mi", "mis", "este", "esta", "le", "les", "une", "mon", "ma", "mes", "ce", "cette", "o", "os", "um", "uma", "meu", "minha", "il", "lo", "gli", "het", "een", "mijn",
];
/// Articles of one language that lead to somebody in another, and the words that then follow.
const ARTICLES_BEFORE: &[(&str, &[&str])] =
    &[("a", &["to", "with"]), ("an", &["to", "with"]), ("de", &["naar", "aan", "met"])];
/// Of those the English ones, before which "a" and "an" lead to nobody.
const ENGLISH: &[&str] =
    &["the", "my", "your", "his", "her", "our", "their", "this", "these", "those", "some"];
/// Where a thing ends at the latest.
#[rustfmt::skip]
const ENDS: &[&str] = &[
    "and", "that", "of", "from", "by", "in", "on", "und", "dass", "von", "vom", "aus", "y", "que", "de", "del", "et", "du", "e", "di", "della", "en", "van", "dat",
];

/// The words of a sentence with where they begin.
fn placed(sentence: &str) -> Vec<(usize, &str)> {
    let begin = |word: &str| word.as_ptr() as usize - sentence.as_ptr() as usize;
    words(sentence).map(|it| (begin(it), it)).collect()
}

/// A text (normalized) without the things that are sent to somebody: "send the photo to anna". `people` are names,
/// which are no things.
pub(super) fn without_things(text: &str, people: &[String]) -> String {
    let mut out = String::with_capacity(text.len());
    for sentence in text.split_inclusive(['.', ';', '!', '?', '\n', ':']) {
        let all = placed(sentence);
        let mut from = 0;
        for (at, (_, word)) in all.iter().enumerate() {
            let behind = &all[at + 1..];
            let english = ENGLISH.contains(word);
            let is_article_too = |it: &str| english && matches!(it, "a" | "an");
            let leads = |words: &[&str]| {
                behind.iter().any(|(_, it)| words.contains(it) && !is_article_too(it))
            };
            let is_article = ARTICLES.contains(word) && leads(TOWARDS)
                || ARTICLES_BEFORE.iter().any(|(it, to)| it == word && leads(to));
            let before = at.checked_sub(1).map_or("", |it| all[it].1);
            if !is_article || TOWARDS.contains(&before) || REACH.contains(&before) {
                continue;
            }
            let is_end = |it: &str| TOWARDS.contains(&it) || ENDS.contains(&it);
            // Of things, too, some are written with a capital: "das Foto".
            let is_person = |it: &str| people.iter().any(|name| name == it);
            let mut ends = behind.iter().enumerate();
            let end = ends.find(|(at, (_, it))| is_end(it) || 0 < *at && is_person(it));
            let end = end.map_or(sentence.len(), |(_, (at, _))| *at);
            let begin = all[at].0;
            if from <= begin {
                out.push_str(&sentence[from..begin]);
                from = end;
            }
        }
        out.push_str(&sentence[from..]);
    }
    out
}

/// Whether one of these names (normalized) is whom something is for: it stands right behind what leads to somebody,
/// or behind a verb that reaches them.
pub(super) fn is_for_one_of(text: &str, people: &[String]) -> bool {
    let reaching = phrases::reaching(text);
    let all = placed(text);
    all.windows(2).any(|pair| {
        let (at, before) = pair[0];
        people.iter().any(|it| it == pair[1].1)
            && (TOWARDS.contains(&before) || reaching.iter().any(|(from, _)| *from == at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thing_that_is_sent_is_not_whom_it_is_for() {
        for (text, rest) in [
            ("send the photo to anna", "send to anna"),
            ("send my newest photo to the club", "send to the club"),
            ("send a photo to anna", "send to anna"),
            ("schick das foto an anna", "schick an anna"),
            ("envia la foto a ana de la torre", "envia a ana de la torre"),
            ("open the note and send it to anna", "open and send it to anna"),
            ("text my mom to bring milk", "text my mom to bring milk"),
            ("send my mom a photo", "send my mom a photo"),
            ("escribe a ana", "escribe a ana"),
        ] {
            assert_eq!(without_things(text, &[]), rest);
        }
    }

    #[test]
    fn a_name_is_whom_something_is_for() {
        let people = ["anna".to_owned()];
        for text in ["send it to anna", "text anna", "tell anna hello", "schreib anna"] {
            assert!(is_for_one_of(text, &people), "{text}");
        }
        assert!(!is_for_one_of("text mum when anna comes", &people));
    }
}
