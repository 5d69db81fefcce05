//! Questions to the user.
use crate::secret_text::{may_ask_for_secret, secret_asked_for};
use crate::word_list;

/// What the agent wants to know, or wants a person to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The kind of answer that is wanted.
    pub kind: QuestionKind,
    /// In the agent's words. It may have been influenced by what is on the screen.
    pub text: String,
    /// Answers to choose from; empty when any text will do.
    pub options: Vec<String>,
    /// Package of the app in front when it was asked.
    pub app: Option<String>,
}

impl Question {
    /// Whether the answer would be a password or a code, which must not be typed into a form or shown.
    pub fn asks_for_secret(&self) -> bool {
        self.kind != QuestionKind::Takeover && secret_asked_for(&self.text).is_some()
    }
}

/// An answer that is only a number, beyond the number of options.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{given}` is not one of the question's {} options: {}; the question stays open", options.len(), listed(options))]
pub struct NoSuchOption {
    /// What was answered.
    pub given: String,
    /// What there is to choose from.
    pub options: Vec<String>,
}

/// The options in a line.
fn listed(options: &[String]) -> String {
    options.iter().map(|option| format!("{option:?}")).collect::<Vec<_>>().join(", ")
}

/// The number that a text consists of, where it may be meant for that of an option.
pub(crate) fn lone_number(text: &str) -> Option<usize> {
    let text = text.trim();
    let is_number = (1..=2).contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
    text.parse().ok().filter(|number| is_number && 0 < *number)
}

/// Choices.
impl Question {
    /// Takes an answer in a person's words: the option of this number, or the words as they are.
    pub fn chosen(&self, text: String) -> Result<String, NoSuchOption> {
        self.check_answer(&text)?;
        let is_option = self.options.iter().any(|option| option.trim() == text.trim());
        let number = lone_number(&text).filter(|_| !is_option);
        let option = number.and_then(|number| self.options.get(number - 1));
        Ok(option.cloned().unwrap_or(text))
    }

    /// Refuses a number that is meant for an option and names none. Where options begin with numbers themselves,
    /// another one may be an answer as good as any.
    pub(crate) fn check_answer(&self, text: &str) -> Result<(), NoSuchOption> {
        let begins_with_number =
            |it: &String| it.trim_start().starts_with(|c: char| c.is_ascii_digit());
        match lone_number(text) {
            Some(number)
                if !self.options.is_empty()
                    && self.options.len() < number
                    && !self.options.iter().any(begins_with_number) =>
            {
                let given = text.trim().to_owned();
                Err(NoSuchOption { given, options: self.options.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// How the question begins when a text cannot be typed on a phone.
const NEEDS_KEYBOARD: &str = "The phone has no keyboard for the text that is to be typed now";
/// The answer of a person who has installed a keyboard.
pub const KEYBOARD_READY: &str = "The keyboard is on the phone now: type the text again";
const TYPED_BY_HAND: &str = "I have typed the text myself on the phone";
const GO_ON_WITHOUT: &str = "Go on without this text, or with one in plain ASCII";

/// The answer of a person who did by hand what was asked, such as typing a password. It contains no
/// secret, whatever the question asks for.
pub const DONE_BY_HAND: &str =
    "I have done it myself on the phone. Look at the screen again and go on from there.";

/// Whether an answer says no more than that it was done by hand: the answer of a form, or the one word
/// that clients without forms are told to send. It is no secret, whatever was asked.
pub(crate) fn is_done_by_hand(answer: &str) -> bool {
    let word = answer.trim().trim_end_matches(['.', '!']);
    answer == DONE_BY_HAND || word.eq_ignore_ascii_case("done")
}

word_list! {
    /// The kind of answer that a question wants.
    pub enum QuestionKind {
        /// A piece of information.
        Info = "info",
        /// Approval of an action.
        Confirm = "confirm",
        /// A person has to act on the phone (sign in, solve a puzzle, unlock) and say when it is done.
        Takeover = "takeover",
    }
}

impl Question {
    /// A question for approval.
    pub fn confirm(text: impl Into<String>) -> Self {
        Self { kind: QuestionKind::Confirm, ..Self::info(text) }
    }

    /// A request to act on the phone, and to say when it is done.
    pub fn takeover(text: impl Into<String>) -> Self {
        Self { kind: QuestionKind::Takeover, ..Self::info(text) }
    }

    /// Asks for the keyboard that a text needs.
    pub(crate) fn needs_keyboard(why: &str) -> Self {
        let options = [KEYBOARD_READY, TYPED_BY_HAND, GO_ON_WITHOUT].map(str::to_owned);
        Self { options: options.into(), ..Self::info(format!("{NEEDS_KEYBOARD}: {why}.")) }
    }

    /// Words of a model that a question may quote. Those that speak of a secret it may not: it would be taken for one
    /// that asks for it, and so might its answer, whatever that says.
    pub(crate) fn quoted(words: String) -> Option<String> {
        let speaks_of_secret = secret_asked_for(&words).is_some() || may_ask_for_secret(&words);
        (!speaks_of_secret).then_some(words)
    }

    /// Asks how to get on, after what was tried without effect.
    pub(crate) fn stuck(tried: &str) -> Self {
        let tried = Self::quoted(tried.to_owned())
            .unwrap_or_else(|| "the same thing again and again, as the last steps show".to_owned());
        Self::info(format!(
            "I am stuck. I have tried {tried}. How should I go on? Tell me another way, do it on the phone \
             yourself, or tell me to give up."
        ))
    }

    /// Whether it asks for the keyboard that a text needs, which a person at a terminal can put on the phone.
    pub fn is_about_keyboard(&self) -> bool {
        self.kind == QuestionKind::Info && self.text.starts_with(NEEDS_KEYBOARD)
    }

    /// A question for information, with no choices.
    pub fn info(text: impl Into<String>) -> Self {
        Self { kind: QuestionKind::Info, text: text.into(), options: Vec::new(), app: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(options: &[&str]) -> Question {
        let options = options.iter().map(|&it| it.to_owned()).collect();
        Question { options, ..Question::info("Which?") }
    }

    fn answer(question: &Question, text: &str) -> String {
        question.chosen(text.to_owned()).unwrap_or_else(|err| err.to_string())
    }

    #[test]
    fn an_option_can_be_chosen_by_its_number() {
        let names = asks(&["Anna Berg", "Anna Chen"]);
        assert_eq!(answer(&names, "2"), "Anna Chen");
        for words in ["0", "Anna", "-1", "017312345", "100"] {
            assert_eq!(answer(&names, words), words);
        }
        assert_eq!(answer(&names, " 1 "), "Anna Berg");
        for as_it_is in ["2", " 2"] {
            assert_eq!(answer(&asks(&["4", "2"]), as_it_is), as_it_is);
        }
        assert_eq!(answer(&asks(&[]), "1"), "1");
    }

    #[test]
    fn a_number_of_no_option_is_refused_unless_options_are_numbers() {
        let told = answer(&asks(&["Anna Berg", "Anna Chen"]), " 3");
        assert!(told.contains("`3` is not one of the question's 2 options"), "{told}");
        assert!(told.contains("\"Anna Berg\", \"Anna Chen\""), "{told}");
        assert_eq!(answer(&asks(&["1 ticket", "2 tickets"]), "4"), "4");
        assert_eq!(answer(&asks(&[]), "7"), "7");
    }
}
