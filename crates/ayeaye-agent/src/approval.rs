//! Approval of one action: what a user's "yes" allows, and nothing beyond it.
use crate::{Action, Gesture, Point, Question, event::ParsedRecord};

/// What the user was asked to approve.
#[derive(Debug, Clone, PartialEq)]
pub struct Approval {
    /// The text of the question.
    text: String,
    /// The gesture in question.
    gesture: Option<Gesture>,
}

/// How far apart two points may be and still mean the same button, as a part of the screen. A model
/// that looks again names a slightly different point.
const SAME_PLACE: f64 = 0.05;

impl Approval {
    /// The approval that a question asks for, with the decision it came from.
    pub(crate) fn requested(question: &Question, decision: Option<&ParsedRecord>) -> Self {
        let gesture = decision.and_then(|it| match Action::try_from(&it.action) {
            Ok(Action::Confirm { gesture, .. }) => Some(gesture),
            _ => None,
        });
        Self { text: question.text.clone(), gesture }
    }

    /// Whether it covers this gesture: it must be the same gesture, and the question must name the same
    /// numbers. The wording alone proves nothing: a model may ask "May I do this?" about anything.
    pub(crate) fn covers(&self, gesture: &Gesture, question: &Question) -> bool {
        self.gesture.as_ref().is_some_and(|it| is_same_gesture(it, gesture))
            && numbers(&self.text) == numbers(&question.text)
    }
}

/// The numbers in a text, in order: amounts, dates, how many.
fn numbers(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_numeric()).filter(|it| !it.is_empty()).collect()
}

fn is_same_gesture(one: &Gesture, other: &Gesture) -> bool {
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

/// Whether an answer is a clear yes. Anything else is a no: conditions are for the model to interpret.
pub(crate) fn is_yes(answer: &str) -> bool {
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
    WORDS.iter().chain(&MORE).any(|yes| *yes == word)
}
