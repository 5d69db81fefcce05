//! The person meant by the answer to a question about a name that several people have: "Which Anna?" "Bauer".
use super::full_names::full_names_in;
use super::text::{List, normalized, words};

/// What asks for one of several, right before the name.
#[rustfmt::skip]
static WHICH: List = List::new("which|what|welche|welcher|welchen|quelle|quel|qué|que|cuál|cual|qual|quale|welke|vilken|hvilken|která|kterou|który|która|którą|hangi|какая|какой|какую|какому|яка|який|яку|ποια|ποιος|어느|어떤|أي|איזו|איזה|कौन");

/// The full name of the person that an answer means, if the question is about several people with one name: one of the
/// choices, one of the people in the question, or the name in question followed by the answer. It only says which of
/// them the user's earlier words mean.
pub(crate) fn chosen_person(question: &str, options: &[String], answer: &str) -> Option<String> {
    let said = names_said(answer)?;
    let said_words: Vec<String> = words(&normalized(&said)).map(str::to_owned).collect();
    let named = options.iter().map(String::as_str).chain([question]).flat_map(full_names_in);
    let mut meant: Vec<Vec<String>> =
        named.filter(|name| said_words.iter().all(|it| name.contains(it))).collect();
    meant.sort_unstable();
    meant.dedup();
    match meant.as_slice() {
        [one] => Some(written(one)),
        [] if said_words.len() == 1 => {
            let name = format!("{} {said}", name_behind_which(question)?);
            // Greetings, days and the like are no names.
            let is_name = full_names_in(&name).iter().any(|it| it.len() == 2 && it[0] != it[1]);
            is_name.then_some(name)
        }
        _ => None,
    }
}

/// The names at the beginning of an answer, where it has one and does not say who is not meant: "the Bauer one".
fn names_said(answer: &str) -> Option<String> {
    const NOT: [&str; 8] = ["not", "nicht", "pas", "niet", "não", "nie", "не", "non"];
    let said = answer.split([';', '.', '!', '?', '\n']).next().unwrap_or_default();
    // "no, Bauer" says who, and "Bauer, and write 18:45" too.
    let of_name = |it: &&str| it.split_whitespace().any(|it| it.starts_with(char::is_uppercase));
    let said = said.split(',').find(of_name)?;
    if said.split_whitespace().any(|it| NOT.contains(&normalized(it).as_str())) {
        return None;
    }
    let names = said.split_whitespace().filter(|it| it.starts_with(char::is_uppercase));
    let names: Vec<&str> =
        names.map(|it| it.trim_matches(|c: char| !c.is_alphanumeric())).collect();
    (names.len() <= 3).then(|| names.join(" "))
}

/// The name that a question asks for one of.
fn name_behind_which(question: &str) -> Option<String> {
    let all: Vec<&str> = question.split_whitespace().collect();
    let pair = all.windows(2).find(|pair| {
        let name = pair[1].trim_matches(|c: char| !c.is_alphanumeric());
        WHICH.contains(&normalized(pair[0].trim_matches(|c: char| !c.is_alphanumeric())))
            && name.starts_with(char::is_uppercase)
    })?;
    Some(pair[1].trim_matches(|c: char| !c.is_alphanumeric()).to_owned())
}

/// A name as people write it, with capitals.
fn written(name: &[String]) -> String {
    let capital = |word: &String| {
        let mut letters = word.chars();
        letters.next().map(|first| first.to_uppercase().chain(letters).collect::<String>())
    };
    name.iter().filter_map(capital).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_which_of_several_people_is_meant() {
        let both = ["Anna Bauer".to_owned(), "Anna Berg".to_owned()];
        for (question, options, answer, name) in [
            ("Which Anna?", &[][..], "Bauer", Some("Anna Bauer")),
            ("Which Anna?", &[], "Bauer, and write 18:45, not 18:40", Some("Anna Bauer")),
            ("Welche Anna meinst du?", &[], "Bauer", Some("Anna Bauer")),
            ("Which Anna?", &both, "Anna Bauer", Some("Anna Bauer")),
            ("Whom?", &both, "Berg", Some("Anna Berg")),
            ("Do you mean Anna Bauer or Anna Berg?", &[], "Bauer", Some("Anna Bauer")),
            ("Which Anna?", &both, "Anna", None),
            ("Which Anna?", &both, "the Bauer one", Some("Anna Bauer")),
            ("Which Anna?", &[], "no, Bauer", Some("Anna Bauer")),
            ("Which Anna?", &both, "not Berg", None),
            ("Which Anna?", &both, "The second one", None),
            ("Which Anna?", &[], "the one from work", None),
            ("What shall I write to Anna?", &[], "Pizza", None),
            ("Which day?", &[], "Monday", None),
            ("Which Anna?", &[], "yes", None),
        ] {
            assert_eq!(
                chosen_person(question, options, answer).as_deref(),
                name,
                "{question} {answer}"
            );
        }
    }
}
