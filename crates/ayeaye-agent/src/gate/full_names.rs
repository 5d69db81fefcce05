//! Names in full: "Anna Berg" is not Anna Meier, and "Anna's birthday" is not Anna.
use super::class::ActClass;
use super::fillers::EMPTY_WORDS;
use super::group_titles::{names_of, people_of};
use super::inflected_names::is_form_of;
use super::kind_nouns::is_kind;
use super::phrases;
use super::text::{List, holds, mentions, normalized, words};

/// What has a capital beside a name, and is none: greetings, days, what somebody is.
#[rustfmt::skip]
static NO_NAMES: List = List::new("hello|hi|hey|happy|good|dear|thanks|thank|sorry|merry|congratulations|congrats|welcome|cheers|yes|ok|okay|greetings|goodnight|birthday|christmas|easter|whatsapp|telegram|signal|messenger|wechat|instagram|facebook|sms|\
        monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|\
        mr|mrs|ms|miss|dr|doctor|prof|professor|sir|aunt|auntie|uncle|cousin|grandma|grandpa|granny|mum|mom|dad|coach|captain|boss|\
        bescheid|hallo|guten|gute|guter|liebe|lieber|liebes|herzlichen|herzliche|alles|frohe|danke|grüße|gruß|glückwunsch|glückwünsche|geburtstag|geld|blumen|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|herr|herrn|frau|tante|onkel|oma|opa|mama|papa|\
        hola|feliz|buenos|buenas|gracias|señor|señora|tía|tío|bonjour|salut|bon|bonne|joyeux|merci|monsieur|madame|tonton|ciao|buon|buongiorno|grazie|auguri|signor|signora|zia|zio|olá|oi|bom|boa|obrigado|obrigada|parabéns|tia|tio|\
        hoi|gefeliciteerd|bedankt|cześć|dziękuję|привет|спасибо|здравствуй|поздравляю|тётя|дядя|привіт|дякую");
/// What begins a message behind a name where more of it follows: "Text Anna Running late".
#[rustfmt::skip]
static BEGINS: List = List::new("running|see|got|love|coming|home|just|miss|need|on|be|going|leaving|where|when|what|how|let|come|meet|dinner|lunch");
/// What German says of a noun: "Schreib Anna Essen ist fertig".
#[rustfmt::skip]
static GERMAN_VERBS: List = List::new("ist|sind|war|waren|hat|haben|wird|werden|kommt|kommen|kann|können|muss|müssen|steht|fällt|beginnt|geht|gibt|liegt|fehlt|bleibt");
/// How nouns of German end that are no family names, from eight letters on, plurals of kinds aside.
#[rustfmt::skip]
static GERMAN_ENDS: List = List::new("grüße|grüßen|wünsche|wünschen|ung|ungen|zeit|punkt|foto|fotos|bild|bilder|video|videos|datei|dateien|nachricht|liste|termin|karte|adresse|nummer");
/// What stands between the names of one.
#[rustfmt::skip]
const PARTICLES: [&str; 12] = ["de", "del", "da", "dos", "di", "van", "von", "der", "la", "bin", "al", "den"];
/// Of these what stands behind another one alone.
const LATER_PARTICLES: [&str; 3] = ["der", "den", "la"];
/// What somebody has and is reached by.
const REACHED_BY: [&str; 14] = [
    "phone", "iphone", "mobile", "cell", "pixel", "galaxy", "tablet", "ipad", "number", "macbook",
    "laptop", "watch", "whatsapp", "landline",
];

/// The names of several words in what a user has written, normalized: words with a capital that stand side by side. The
/// word that begins a sentence is none of them, but in an answer that is nothing but a name.
pub(super) fn full_names_in(text: &str) -> Vec<Vec<String>> {
    let all: Vec<&str> = text.split_whitespace().collect();
    let is_answer = all.len() <= 3 && phrases::reaching(&normalized(text)).is_empty();
    let is_german = is_german(text);
    let (mut names, mut name) = (Vec::new(), Vec::new());
    let (mut begins, mut is_loud) = (!is_answer, false);
    for (at, word) in all.iter().enumerate() {
        let bare = bare(word);
        let plain = normalized(bare);
        let next = all.get(at + 1).map(|it| normalized(it)).unwrap_or_default();
        let goes_on = all.get(at + 1).is_some_and(|it| it.starts_with(char::is_lowercase));
        // "Anna OMW" and no "ANNA BERG".
        let is_abbreviation = !name.is_empty() && !is_loud && is_all_capitals(bare);
        let counts = !begins
            && bare.chars().next().is_some_and(char::is_uppercase)
            && bare.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\u{ad}'))
            && 2 <= plain.chars().count()
            && !EMPTY_WORDS.contains(&plain)
            && !NO_NAMES.contains(&plain)
            && !(goes_on && BEGINS.contains(&plain))
            && !(is_german && (ends_as_noun(&plain) || GERMAN_VERBS.contains(&next)))
            && !is_abbreviation
            && !is_kind(&plain);
        let opens = word.starts_with(|c: char| !c.is_alphanumeric());
        let closes = word.ends_with(|c: char| !c.is_alphanumeric());
        begins = word.ends_with(['.', '!', '?', ':', ';']);
        is_loud = is_all_capitals(bare);
        if !name.is_empty() && is_between(&all, at) {
            name.push(plain);
            continue;
        }
        if opens || !counts {
            names.push(std::mem::take(&mut name));
        }
        if counts {
            name.extend(words(&plain).map(str::to_owned));
        }
        if closes {
            names.push(std::mem::take(&mut name));
        }
    }
    names.push(name);
    names.retain(|it| 1 < without_particles(it).count());
    names
}

fn without_particles(name: &[String]) -> impl Iterator<Item = &String> {
    name.iter().filter(|it| !PARTICLES.contains(&it.as_str()))
}

fn bare(word: &str) -> &str {
    word.trim_matches(|c: char| !c.is_alphanumeric())
}

fn is_all_capitals(word: &str) -> bool {
    word.chars().any(char::is_uppercase) && !word.chars().any(char::is_lowercase)
}

/// Whether a verb in the text is of German.
fn is_german(text: &str) -> bool {
    let text = normalized(text);
    let mut all = [ActClass::Send, ActClass::Call].into_iter().flat_map(phrases::intents);
    all.any(|it| it.language == "de" && mentions(&text, &it.text))
}

/// Whether a word ends as a noun of German that is nobody's name: "Geburtstagsgrüße".
fn ends_as_noun(word: &str) -> bool {
    8 <= word.chars().count() && GERMAN_ENDS.iter().any(|it| word.ends_with(it.as_str()))
}

/// Whether a word stands between the names of one: "Anna van Berg", "María de la Cruz".
fn is_between(all: &[&str], at: usize) -> bool {
    let is_particle = |it: &&&str| PARTICLES.contains(*it);
    let is_later = |it: &str| LATER_PARTICLES.contains(&it);
    let rest = all[at..].iter().skip_while(is_particle);
    let is_first = at.checked_sub(1).is_none_or(|it| !PARTICLES.contains(&all[it]));
    PARTICLES.contains(&all[at])
        && !(is_first && is_later(all[at]))
        && rest.take(1).any(|it| it.starts_with(char::is_uppercase))
}

/// Whether somebody of two names or more is shown who shares one with whom the user's words (`own`) are for
/// (`addressed`), and whom none of the names in full fits.
pub(super) fn is_namesake(own: &str, addressed: &str, full: &[Vec<String>], shown: &str) -> bool {
    let languages = phrases::languages_in(own);
    let said: Vec<&str> = words(addressed).collect();
    // Behind "of" nobody is written to, and "van" is one: there the first name stands for all.
    let meant = |full: &&Vec<String>| {
        let has_particle = without_particles(full).count() < full.len();
        has_particle && full.first().is_some_and(|it| said.contains(&it.as_str()))
            || said.windows(full.len()).any(|it| it == full.as_slice())
    };
    let mut people: Vec<Vec<String>> = people_of(shown).into_iter().map(names_of).collect();
    // "Meier, Anna" is one, where not both of them are written to.
    if let [one, other] = people.as_slice()
        && shown.matches(',').count() == 1
        && [one, other].iter().any(|it| !it.iter().any(|name| said.contains(&name.as_str())))
    {
        people.push([one.as_slice(), other].concat());
    }
    people.into_iter().any(|shown| {
        let near = full.iter().filter(meant).filter(|it| {
            without_particles(&shown)
                .any(|one| it.iter().any(|said| is_form_of(said, one, &languages)))
        });
        let mut near = near.peekable();
        1 < shown.len() && near.peek().is_some() && near.all(|it| !fits(it, &shown, &languages))
    })
}

/// Whether a second word of a name is shown as well, or its first letter: "Anna B.".
fn fits(full: &[String], shown: &[String], languages: &[&str]) -> bool {
    let is_same = |name: &&String| shown.iter().any(|it| is_form_of(name, it, languages));
    let is_initial = |name: &&String| {
        shown.iter().any(|it| it.chars().count() == 1 && name.starts_with(it.as_str()))
    };
    1 < without_particles(full).filter(|it| is_same(it) || is_initial(it)).count()
}

/// Whether what is shown is something of somebody's that the words (normalized) do not name, as a group: "Anna's birthday".
pub(super) fn is_something_of(text: &str, shown: &str) -> bool {
    let shown = normalized(shown);
    let Some((_, rest)) = shown.split_once("'s ") else { return false };
    let of = names_of(rest);
    !of.is_empty() && !of.iter().any(|it| REACHED_BY.contains(&it.as_str()) || holds(text, it))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_full_are_found() {
        for (text, names) in [
            ("Text Anna Berg I am late", &[&["anna", "berg"][..]][..]),
            ("Call Tom Smith", &[&["tom", "smith"]]),
            ("Tell Anna Berg-Meier: Hello Ben", &[&["anna", "berg", "meier"]]),
            ("Anna Meier", &[&["anna", "meier"]]),
            ("Text Anna, Ben and Carl", &[]),
            ("Text Anna van Berg that I am late", &[&["anna", "van", "berg"]]),
            ("Escribe a María de la Cruz que llego", &[&["maria", "de", "la", "cruz"]]),
            ("TEXT ANNA BERG", &[&["anna", "berg"]]),
            ("Call Courtney Love", &[&["courtney", "love"]]),
            ("Schreib Anna Jung eine Nachricht", &[&["anna", "jung"]]),
            ("Manda a Ana la de Carlos", &[]),
            ("Text Anna OMW", &[]),
            ("Text Anna Running late", &[]),
            ("Schick Anna Geburtstagsgrüße", &[]),
            ("Schreib Anna Essen ist fertig", &[]),
            ("Text Anna Hello", &[]),
            ("Sag Anna Bescheid", &[]),
            ("Text Anna I'm late", &[]),
            ("Text Anna's Mum", &[]),
            ("Text Anna", &[]),
        ] {
            assert_eq!(full_names_in(text), names, "{text}");
        }
    }
}
