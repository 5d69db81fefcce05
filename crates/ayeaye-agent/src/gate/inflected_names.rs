//! Names in the cases of languages that inflect them: "Напиши Маше" is for "Маша", "Napisz do Tomka" for "Tomek".
use std::collections::HashSet;

use super::addressee::{LINE, is_channel};
use super::named_people::is_for_one_of;
use super::names::names_but;
use super::phrases;
use super::text::{normalized, words};

/// A language (empty where its letters tell), how a name ends, and how its cases do where nothing governs them, and
/// behind what governs the genitive or the accusative. Apart from each other, since "Александру" is the one of
/// "Александр" and the other of "Александра", and "Jana" of "Jan" no "Jana".
#[rustfmt::skip]
const CASES: &[(&str, &str, &str, &str)] = &[
    ("", "а", "е|ой|ою|ей|ею|і", "у|ы|и"), ("", "я", "е|ей|ею|і|ї", "ю|и|і|ї"), ("", "ия", "ии", "ии"), ("", "й", "ю|єві|еві|ем|єм", "я"), ("", "ь", "ю|еві|ем|и", "я|и"),
    ("", "", "у|ом|ем|ові|еві", "а"), ("", "о", "у|ові|ом", "а"), ("", "ел", "лу|лом", "ла"), ("", "ок", "ку|ком", "ка"), ("", "ец", "цу|цом", "ца"),
    ("", "ий", "ому|им", "ого"), ("", "ая", "ой", "ую"), ("", "ка", "ці", ""), ("", "га", "зі", ""), ("", "ха", "сі", ""),
    ("pl", "a", "ie|i|y", "i|y"), ("pl", "ia", "i|ii", "i|ii"), ("pl", "ta", "cie", ""), ("pl", "da", "dzie", ""), ("pl", "ka", "ce|kiej", "kiej"), ("pl", "ra", "rze", ""), ("pl", "ga", "dze", ""),
    ("pl", "", "owi|u|em|iem", "a"), ("pl", "ek", "kowi|kiem", "ka"), ("pl", "el", "lowi|lem", "la"), ("pl", "ec", "cowi|cem", "ca"), ("pl", "i", "iemu|im", "iego"),
    ("cs", "a", "e|ovi", "y"), ("cs", "ka", "ce", ""), ("cs", "ga", "ze", ""), ("cs", "ie", "ii", "ie"), ("cs", "", "ovi|i", "a"), ("cs", "ek", "kovi", "ka"), ("cs", "el", "lovi", "la"), ("cs", "ec", "covi", "ce"),
    ("sk", "a", "e|ovi", "y"), ("sk", "", "ovi", "a"), ("sk", "ek", "kovi", "ka"),
    ("hr", "a", "i", "u"), ("hr", "", "u", "a"), ("hr", "o", "u", "a"),
    ("ro", "a", "ei", ""), ("hu", "", "nak|nek|t|ot|et|at", ""), ("fi", "", "lle", ""), ("fi", "ti", "dille", ""), ("tr", "", "e|a|i|ye|ya|yi", ""),
];
/// What governs the genitive or the accusative right behind it.
#[rustfmt::skip]
const GOVERNS: &[(&str, &str)] = &[
    ("", "спроси|набери|запитай|для|у|от|до|від|чат"), ("pl", "do|zapytaj|dla|od|u|czat"), ("cs", "se"), ("sk", "sa"), ("hr", "pitaj|nazovi"),
];
/// Who is called so in lower case.
#[rustfmt::skip]
const FAMILY: &str = "|мама|папа|бабушка|дедушка|брат|сестра|жена|муж|сын|тетя|дядя|тато|бабуся|дідусь|дружина|чоловік|син|донька|mama|tata|babcia|dziadek|brat|siostra|zona|maz|syn|corka|ciocia|wujek|babicka|deda|bratr|sestra|manzelka|manzel|otec|anya|apa|nagyi|annem|babam|anne|baba|aiti|";
/// What two names have in common that have one form: "Лене" is for "Лена" or "Лёня".
const SHARED: [&str; 5] = ["лен", "вит", "дан", "жен", "al"];

/// Whether one of those whom the user's words (`own`) are for (`addressed`, both normalized) is shown, in whatever case,
/// and not only the app on which it goes. `people` are names that are no exceptions.
pub(super) fn names_somebody(own: &str, addressed: &str, people: &[&String], shown: &str) -> bool {
    let is_app = |it: &str| is_channel(it) || it == LINE && !is_for_one_of(own, &[LINE.to_owned()]);
    if names_but(addressed, shown, &is_app) {
        return !is_case_of_another(own, shown);
    }
    is_named_in_case(own, addressed, people, shown)
}

fn is_named_in_case(own: &str, addressed: &str, people: &[&String], shown: &str) -> bool {
    let shown = normalized(shown);
    let languages = phrases::languages_in(own);
    let is_person = |said: &str| people.iter().any(|it| *it == said);
    let addressed: HashSet<&str> = words(addressed).collect();
    let mut before = "";
    let mut said: Vec<_> = words(own)
        .map(|it| (it, is_governed(std::mem::replace(&mut before, it), &languages)))
        .filter(|(said, _)| addressed.contains(said))
        .collect();
    // "Wyślij zdjęcie Ani do Kasi": whose it is has the form of whom it is for.
    if said.iter().any(|(it, governed)| *governed && is_person(it)) {
        said.retain(|(_, governed)| *governed);
    }
    said.into_iter().any(|(said, governed)| {
        words(&shown).any(|name| {
            (is_person(said) || FAMILY.contains(&format!("|{name}|")))
                && cases_of(said, name, &languages).any(|(shared, free, behind)| {
                    (if governed { behind } else { free }) && !(is_person(said) && shared)
                })
        })
    })
}

/// Whether a word is a name, or a case of it in one of these languages.
pub(super) fn is_form_of(said: &str, name: &str, languages: &[&str]) -> bool {
    said == name || cases_of(said, name, languages).next().is_some()
}

/// Whether a name that is shown only looks like one that the user has written (`own`, normalized): a form in "a" where
/// that is no name of a woman, but the case of a man's: "Napisz do Jana", "Спроси Александра".
fn is_case_of_another(own: &str, shown: &str) -> bool {
    let shown = normalized(shown);
    let languages = phrases::languages_in(own);
    words(&shown).filter(|it| it.ends_with(['a', 'а', 'я'])).any(|name| {
        let mut before = "";
        let mut governed = words(own)
            .filter_map(|said| Some(std::mem::replace(&mut before, said)).filter(|_| said == name))
            // Behind a chat stands its plain name as well.
            .map(|it| !matches!(it, "чат" | "czat") && is_governed(it, &languages))
            .peekable();
        governed.peek().is_some() && governed.all(|it| it)
    })
}

fn is_governed(before: &str, languages: &[&str]) -> bool {
    GOVERNS.iter().any(|(of, list)| {
        (of.is_empty() || languages.contains(of)) && list.split('|').any(|it| it == before)
    })
}

/// The ways in which a word may be a case of a name: whether another name has the same, and whether it is one where
/// nothing governs it, and where something does.
fn cases_of<'a>(
    said: &'a str,
    name: &'a str,
    languages: &'a [&str],
) -> impl Iterator<Item = (bool, bool, bool)> + 'a {
    const VOWELS: &str = "aeiouyаеиоуыэюяєіїйь";
    CASES.iter().filter_map(move |(of, end, free, governed)| {
        let stem = name.strip_suffix(end)?;
        let rest = said.strip_prefix(stem)?;
        let joins = matches!(*of, "hu" | "fi" | "tr");
        // Turkish names have an apostrophe before a case: "Cemile" is no "Cemil".
        let fits = (of.is_empty() || languages.contains(of))
            && (*of != "tr" || FAMILY.contains(&format!("|{name}|")))
            && 1 < stem.chars().count()
            && (!end.is_empty() || joins || !stem.ends_with(|it| VOWELS.contains(it)));
        let is_one = |list: &str| fits && !rest.is_empty() && list.split('|').any(|it| it == rest);
        let (free, governed) = (is_one(free), is_one(governed));
        (free || governed).then_some((SHARED.contains(&stem), free, governed))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_for(text: &str, shown: &str) -> bool {
        let own = normalized(text);
        let people = super::super::quoted::people_in(text);
        is_named_in_case(&own, &own, &people.iter().collect::<Vec<_>>(), shown)
    }

    #[test]
    fn a_name_is_known_in_its_cases() {
        for (text, shown) in [
            ("Напиши Маше, что я опоздаю", "Маша"),
            ("Напиши маме, что я опоздаю", "Мама"),
            ("Отправь Сергею привет", "Сергей"),
            ("Отправь Марии привет", "Мария"),
            ("Напиши Павлу привет", "Павел"),
            ("Спроси Александру, где она", "Александра"),
            ("Спроси Ивана, где он", "Иван"),
            ("Напиши в чат Игоря привет", "Игорь"),
            ("Подзвони мамі", "Мама"),
            ("Открой чат с Машей и напиши привет", "Маша"),
            ("Отправь фото Пети Маше", "Маша"),
            ("Wyślij zdjęcie Ani do Kasi", "Kasia"),
            ("Напиши Тарасові: я запізнююсь", "Тарас"),
            ("Надішли Наталці привіт", "Наталка"),
            ("Zadzwoń do Tomka", "Tomek"),
            ("Zadzwoń do mamy", "Mama"),
            ("Napisz do Kasi, że jadę", "Kasia"),
            ("Powiedz Ani, że się spóźnię", "Ania"),
            ("Napisz Annie, że jadę", "Anna"),
            ("Napisz Marcie, że jadę", "Marta"),
            ("Napisz do Jana", "Jan"),
            ("Napisz Janowi", "Jan"),
            ("Zavolej mámě", "Máma"),
            ("Napiš Petrovi, že přijdu pozdě", "Petr"),
            ("Napiš Lence, že přijdu pozdě", "Lenka"),
            ("Hívd fel anyát", "Anya"),
            ("Írj Péternek", "Péter"),
            ("Anneme geç kalacağımı söyle", "Annem"),
            ("Soita äidille", "Äiti"),
            ("Trimite Mariei un mesaj", "Maria"),
        ] {
            assert!(is_for(text, shown), "{text}: {shown}");
        }
        for (text, shown) in [
            ("Напиши Маше, что я опоздаю", "Миша"),
            ("Напиши Анне, что я опоздаю", "Анно"),
            ("Напиши Александру, что я опоздаю", "Александра"),
            ("Спроси Александру, где она", "Александр"),
            ("Напиши Лене, что я опоздаю", "Лёня"),
            ("Напиши жене, что я опоздаю", "Женя"),
            ("Отправь фото по почте", "Почта"),
            ("Отправь фото Пети Маше", "Петя"),
            ("Wyślij zdjęcie Ani do Kasi", "Ania"),
            ("Wyślij zdjęcie Tomka Kasi", "Tomek"),
            ("Napisz Janowi", "Jana"),
            ("Napisz do Jana", "Jana"),
            ("Napisz do Jany", "Jan"),
            ("Scrivi a Marie", "Maria"),
            ("Send Mario the photo", "Mari"),
            ("WhatsApp'tan Cemile'ye mesaj gönder: geliyorum", "Cemil"),
            ("Write to Janowi", "Jan"),
        ] {
            assert!(!is_for(text, shown), "{text}: {shown}");
        }
    }

    #[test]
    fn the_case_of_a_man_is_no_woman() {
        let is_another = |text: &str, shown: &str| is_case_of_another(&normalized(text), shown);
        assert!(is_another("Napisz do Jana", "Jana"));
        assert!(is_another("Спроси Александра, где он", "Александра"));
        assert!(is_another("Zeptej se Petra, kde je", "Petra"));
        assert!(!is_another("Napisz do Jana. Jana", "Jana"), "an answer");
        assert!(!is_another("Napisz do Jany", "Jana"));
        assert!(!is_another("Напиши в чат Семья: буду в 7", "Семья"));
        assert!(!is_another("Mande a foto do gato para Maria", "Maria"));
        assert!(!is_another("Mande uma foto ao grupo do Joshua", "Joshua"));
    }
}
