//! Text of others in messages of ours.
use ayeaye_agent::is_unseen;

/// The most characters of foreign text in one message.
const MAX_CHARS: usize = 200;

/// Foreign text as a short quotation on one line.
pub(crate) fn excerpt(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control() || is_unseen(c));
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    let mut short: String = line.chars().take(MAX_CHARS).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    format!("“{short}”")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_text_is_short_and_on_one_line() {
        assert_eq!(excerpt("a\u{1b}[31m\n\tb"), "“a [31m b”");
        assert_eq!(excerpt("evil\u{202e}\u{200b} model"), "“evil model”");
        assert_eq!(excerpt(&"x".repeat(999)).chars().count(), MAX_CHARS + 3);
    }
}
