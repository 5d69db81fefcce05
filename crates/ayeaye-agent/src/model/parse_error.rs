//! Why a reply cannot be used: what the model is told of it, and what people are.

/// A reply that cannot be understood. Its words are for the model, which is asked again with them; people may be
/// told more.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{why}")]
pub struct ParseError {
    /// What is wrong; behind a semicolon, what the model is to do about it.
    why: String,
    /// What people can do about it.
    way_out: Option<&'static str>,
}

impl ParseError {
    /// What is wrong, and behind a semicolon what the model is to do about it.
    pub fn new(why: impl Into<String>) -> Self {
        Self { why: why.into(), way_out: None }
    }

    /// With what people can do about it, where it may not be the model's fault.
    #[must_use]
    pub fn with_way_out(self, way_out: &'static str) -> Self {
        Self { way_out: Some(way_out), ..self }
    }

    /// Without what it quotes of the reply: from its first quotation mark to its last.
    #[must_use]
    pub(crate) fn without_quotes(&self) -> Self {
        let is_mark = |c: char| matches!(c, '`' | '"' | '\u{201c}' | '\u{201d}');
        let ends = self.why.find(is_mark).zip(self.why.rmatch_indices(is_mark).next());
        let Some((first, (last, mark))) = ends else { return self.clone() };
        let (before, after) = (&self.why[..first], &self.why[last + mark.len()..]);
        Self { why: format!("{before}\u{2026}{after}"), ..self.clone() }
    }

    /// For people: what is wrong and what they can do about it, without what the model is to do.
    pub fn for_people(&self) -> String {
        let is_outside =
            |at: usize| ['`', '"'].iter().all(|it| self.why[..at].matches(*it).count() % 2 == 0);
        let end = self.why.match_indices("; ").map(|(at, _)| at).find(|at| is_outside(*at));
        let what = &self.why[..end.unwrap_or(self.why.len())];
        self.way_out.map_or_else(|| what.to_owned(), |way_out| format!("{what}; {way_out}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_and_the_model_each_have_their_own_advice() {
        let why = ParseError::new("it is no action; write one as text")
            .with_way_out("serve the model otherwise");
        assert_eq!(why.to_string(), "it is no action; write one as text");
        assert_eq!(why.for_people(), "it is no action; serve the model otherwise");
    }

    #[test]
    fn what_it_quotes_can_be_left_out() {
        for (why, left) in [
            (
                "`TYPE a; b` is no action, \u{201c}a\u{201d} neither; go on",
                "\u{2026} neither; go on",
            ),
            ("`point` must be two numbers", "\u{2026} must be two numbers"),
            ("it is empty", "it is empty"),
            ("one mark: \"", "one mark: \u{2026}"),
        ] {
            assert_eq!(ParseError::new(why).without_quotes().to_string(), left);
        }
    }
}
