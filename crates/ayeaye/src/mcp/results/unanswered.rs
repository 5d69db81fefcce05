//! `asked`: why a question is in a result although the client shows forms.

/// Why a question that could have been asked in a form is in the tool's result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// The person declined, or there is none: headless clients decline at once.
    Declined,
    /// The person will not do what only they can do on the phone.
    GivenUp,
    /// The time to answer was over.
    NoAnswer,
    /// The client did not show the form.
    NotShown,
    /// The answer does not fit the form.
    NotUnderstood,
    /// This call has asked as many questions as one call may.
    TooMany,
}

impl Unanswered {
    /// The value of `asked` in results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Declined => "declined",
            Self::GivenUp => "given_up",
            Self::NoAnswer => "no_answer",
            Self::NotShown => "not_shown",
            Self::NotUnderstood => "not_understood",
            Self::TooMany => "too_many",
        }
    }
}
