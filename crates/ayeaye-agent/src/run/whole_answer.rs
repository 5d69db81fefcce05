//! The answer in a reply that is meant for a person or an evaluation, not for the phone.
//!
//! Models that think aloud, behind servers that do not set that apart, put their thoughts before it. A thought is no
//! answer, and neither is what was cut off.
use super::reply_length::unread;
use crate::{Model, Reply};

/// A model's answer without the thoughts before it, trimmed and never empty. The error says what came instead.
pub(super) fn whole_answer<'a>(
    model: &dyn Model,
    reply: &'a Reply,
) -> Result<&'a str, &'static str> {
    if let Some(why) = unread(model, reply) {
        return Err(why);
    }
    let said = behind_thoughts(&reply.text).ok_or("its thoughts have no end")?;
    if said.is_empty() { Err("it says nothing") } else { Ok(said) }
}

/// What stands behind thoughts, trimmed. `None` while those have no end.
fn behind_thoughts(text: &str) -> Option<&str> {
    let said = text.rsplit_once("</think>").map_or(text, |(_, rest)| rest).trim();
    (!said.contains("<think>")).then_some(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thoughts_are_no_answer() {
        let answer = "The blue one.";
        for text in
            [answer, "<think>Red? No.</think>\nThe blue one.", "Red?</think> The blue one. "]
        {
            assert_eq!(behind_thoughts(text), Some(answer), "{text}");
        }
        assert_eq!(behind_thoughts("<think>The blue one"), None);
        assert_eq!(behind_thoughts("<think>a</think><think>The blue one"), None);
        assert_eq!(behind_thoughts("<think>Red?</think>"), Some(""));
    }
}
