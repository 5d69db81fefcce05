//! Leave to do one thing: what a user's "yes" allows, and nothing beside it.
use crate::{Action, Gesture, Point, Question, event::ParsedRecord};

/// What the user was asked to allow.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// In the words of the question.
    text: String,
    /// What was to be done.
    gesture: Option<Gesture>,
}

/// How far apart two places may be and still be the same button, as a part of the screen. A model
/// that looks again names a point a little beside the first.
const SAME_PLACE: f64 = 0.05;

impl Approval {
    /// What a question asks leave for, with the decision that it came from.
    pub(crate) fn asked(question: &Question, decision: Option<&ParsedRecord>) -> Self {
        let gesture = decision.and_then(|it| match Action::try_from(&it.action) {
            Ok(Action::Confirm { gesture, .. }) => Some(gesture),
            _ => None,
        });
        Self { text: question.text.clone(), gesture }
    }

    /// Whether it covers this: the same thing to be done, whichever words ask for it, as long as they
    /// name the same numbers. The same words alone do not: a model may ask "May this be done?" of
    /// everything.
    pub(crate) fn covers(&self, gesture: &Gesture, question: &Question) -> bool {
        self.gesture.as_ref().is_some_and(|it| alike(it, gesture))
            && numbers(&self.text) == numbers(&question.text)
    }
}

/// The numbers in a text, in order: amounts, dates, how many.
fn numbers(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_numeric()).filter(|it| !it.is_empty()).collect()
}

fn alike(one: &Gesture, other: &Gesture) -> bool {
    match (one, other) {
        (Gesture::Click { point: a }, Gesture::Click { point: b })
        | (Gesture::DoubleClick { point: a }, Gesture::DoubleClick { point: b })
        | (Gesture::LongPress { point: a, .. }, Gesture::LongPress { point: b, .. }) => {
            near(*a, *b)
        }
        (one, other) => one == other,
    }
}

fn near(a: Point, b: Point) -> bool {
    let ((ax, ay), (bx, by)) = (a.fractions(), b.fractions());
    (ax - bx).abs() <= SAME_PLACE && (ay - by).abs() <= SAME_PLACE
}

/// Whether an answer to a question for leave is a clear yes. Anything else is a no: leave is given in
/// a word or two, and what comes with conditions is for the model to understand.
pub(crate) fn is_given(answer: &str) -> bool {
    const WORDS: [&str; 26] = [
        "yes",
        "y",
        "ok",
        "okay",
        "confirm",
        "confirmed",
        "allow",
        "allowed",
        "approve",
        "approved",
        "go on",
        "go ahead",
        "continue",
        "yes please",
        "do it",
        "sure",
        "ja",
        "oui",
        "si",
        "sí",
        "是",
        "是的",
        "好",
        "好的",
        "可以",
        "同意",
    ];
    const MORE: [&str; 4] = ["确认", "允许", "继续", "确定"];
    let word = answer.trim().trim_end_matches(['.', '!', '。', '！']).to_lowercase();
    WORDS.iter().chain(&MORE).any(|leave| *leave == word)
}
